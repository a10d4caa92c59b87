/* SPDX-License-Identifier: MIT
 *
 * test_host_items.c - items made from a call's result, in dialogs with and without an
 * artifact directory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;
static char dir[200];
static mcphost_items *items;
static mcphost_error *error;

static void
up(const char *script)
{
    hr_up(&hr);
    hr_server(&hr, "..a", "truely-stateless: true\ntransform: []", script);
    hr_option(&hr, MCPHOST_OPT_TEXT_SPILL, 10000);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    snprintf(dir, sizeof(dir), "%s/dialog", hr.ws.dir);
}

static void
down(void)
{
    items = mcphost_items_unref(items);
    error = mcphost_error_unref(error);
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    rmdir(dir);
    hr_down(&hr);
}

static const char *
make(mcphost_call *call)
{
    mcphost_items_unref(items);
    ck_assert_int_eq(mcphost_call_make_items(call, &items, &error), 0);
    return mcphost_items_get_json(items, NULL);
}

static const char *
call_and_make(const char *tool, const char *arguments)
{
    mcphost_call *call = hr_start(&hr, d, tool, arguments);

    ck_assert_int_eq(hr_end(&hr, call), 0);
    return make(call);
}

#define PICTURE                                                             \
    "on call:echo\n result {\"content\":[{\"type\":\"image\",\"mimeType\":" \
    "\"image/png\",\"data\":\"iVBORw0KGgo=\"}]}"

/* R69, R70: the path has the server's id and the tool's original name.  An underscore
 * replaces each unsafe character. */
START_TEST(an_image_is_stored_under_its_server_id_and_tool_name)
{
    const char *json;

    up(PICTURE);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, dir, 0, NULL), 0);
    json = call_and_make("echo", "{}");
    ck_assert_ptr_nonnull(strstr(json,
                                 "{\"type\":\"input_image\",\"mimeType\":\"image/png\","
                                 "\"byteLength\":8,\"artifact\":{\"rootId\":\"d\","
                                 "\"selfId\":\"d\",\"relPath\":\"artifacts/mcp/_.a/"
                                 "echo/"));
    down();
}
END_TEST

/* Returns the value of the member `name` in the items' JSON. */
static const char *
member(const char *json, const char *name)
{
    static char room[400];
    const char *at = strstr(json, name);

    ck_assert_ptr_nonnull(at);
    at += strlen(name);
    ck_assert_int_eq(strncmp(at, "\":\"", 3), 0);
    snprintf(room, sizeof(room), "%.*s", (int)strcspn(at + 3, "\""), at + 3);
    return room;
}

/* R71: rootId, selfId and relPath identify the picture.  The library stores the picture
 * only in the directory of its dialog. */
START_TEST(an_artifact_can_be_read_only_in_the_directory_of_its_dialog)
{
    mcphost_dialog *child = NULL;
    mcphost_call *call;
    char other[220], bytes[20];
    size_t n = 0;

    up(PICTURE);
    snprintf(other, sizeof(other), "%s-other", dir);
    ck_assert_int_eq(mcphost_dialog_new(mcphost_default_view(hr.host), "child", "family",
                                        &child, NULL),
                     0);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, other, 0, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(child, dir, 0, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, hr_start(&hr, d, "echo", "{}")), 0);
    call = hr_start(&hr, child, "echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    make(call);
    ck_assert_str_eq(member(mcphost_items_get_json(items, NULL), "rootId"), "family");
    ck_assert_str_eq(member(mcphost_items_get_json(items, NULL), "selfId"), "child");
    ck_assert_int_eq(
        mcphost_artifact_read(dir, member(mcphost_items_get_json(items, NULL), "relPath"),
                              0, bytes, sizeof(bytes), &n, NULL),
        0);
    ck_assert(n == 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0);
    ck_assert_int_eq(mcphost_artifact_read(
                         other, member(mcphost_items_get_json(items, NULL), "relPath"), 0,
                         bytes, sizeof(bytes), &n, NULL),
                     MCPHOST_E_NOTFOUND);
    /* The items of a call in dialog `d` name `d`.  Their file is not in the directory of
     * `child`. */
    call = hr_start(&hr, d, "echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    make(call);
    ck_assert_str_eq(member(mcphost_items_get_json(items, NULL), "selfId"), "d");
    ck_assert_int_eq(
        mcphost_artifact_read(dir, member(mcphost_items_get_json(items, NULL), "relPath"),
                              0, bytes, sizeof(bytes), &n, NULL),
        MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_artifact_delete_all(other, NULL), 0);
    rmdir(other);
    mcphost_dialog_unref(child);
    down();
}
END_TEST

/* R70: MCPHOST_OPT_ITEM_TYPES of the host decides whether audio has an item of its
 * own. */
START_TEST(audio_has_an_item_of_its_own_only_with_the_option)
{
    static const char sound[] = "on call:echo\n result {\"isError\":true,\"content\":"
                                "[{\"type\":\"audio\",\"mimeType\":\"audio/wav\","
                                "\"data\":\"AQID\"}]}";

    up(sound);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, dir, 0, NULL), 0);
    ck_assert_ptr_nonnull(strstr(
        call_and_make("echo", "{}"),
        "[{\"type\":\"input_text\",\"text\":\"[audio saved: audio/wav, 3 bytes: "));
    ck_assert_int_eq(mcphost_items_is_error(items), 1);
    ck_assert_int_eq(
        mcphost_set_option(hr.host, MCPHOST_OPT_ITEM_TYPES, MCPHOST_ITEMS_ALL), 0);
    down();
    hr_up(&hr);
    hr_server(&hr, "..a", "truely-stateless: true\ntransform: []", sound);
    hr_option(&hr, MCPHOST_OPT_ITEM_TYPES, MCPHOST_ITEMS_ALL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    snprintf(dir, sizeof(dir), "%s/dialog", hr.ws.dir);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, dir, 0, NULL), 0);
    ck_assert_ptr_nonnull(
        strstr(call_and_make("echo", "{}"), "[{\"type\":\"input_audio\","));
    down();
}
END_TEST

START_TEST(an_artifact_has_the_root_id_of_its_dialog)
{
    mcphost_dialog *child = NULL;
    mcphost_call *call = NULL;
    char *parts = NULL;

    up(PICTURE);
    ck_assert_int_eq(mcphost_dialog_new(mcphost_default_view(hr.host), "child", "family",
                                        &child, NULL),
                     0);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(child, dir, 0, NULL), 0);
    call = hr_start(&hr, child, "echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(
        strstr(make(call), "{\"rootId\":\"family\",\"selfId\":\"child\","));
    ck_assert_int_eq(
        mcphost_items_make_parts(items, MCPHOST_SHAPE_ANTHROPIC, 0, &parts, NULL, NULL),
        0);
    ck_assert_ptr_nonnull(strstr(parts, "\"data\":\"iVBORw0KGgo=\""));
    mcphost_free(parts);
    mcphost_dialog_unref(child);
    down();
}
END_TEST

START_TEST(without_a_directory_a_text_replaces_the_image)
{
    up(PICTURE);
    ck_assert_ptr_nonnull(
        strstr(call_and_make("echo", "{}"),
               "[image left out: image/png: the dialog has no directory"));
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, "relative", 0, &error),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(error), "absolute"));
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, dir, 0, NULL), MCPHOST_E_CLOSED);
    down();
}
END_TEST

START_TEST(a_long_text_becomes_an_artifact_unless_the_tool_allows_its_size)
{
    up("no-tools\ntool-json {\"name\":\"big\",\"inputSchema\":{\"type\":\"object\"}}\n"
       "tool-json {\"name\":\"more\",\"inputSchema\":{\"type\":\"object\"},"
       "\"_meta\":{\"anthropic/maxResultSizeChars\":20000}}\n"
       "on call:big\n text-bytes 15000\non call:more\n text-bytes 15000");
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, dir, 0, NULL), 0);
    ck_assert_ptr_nonnull(strstr(call_and_make("big", "{}"), "\"byteLength\":15000"));
    ck_assert_ptr_null(strstr(call_and_make("more", "{}"), "\"byteLength\""));
    down();
}
END_TEST

START_TEST(a_call_without_a_result_has_no_items)
{
    mcphost_call *call;

    up("on call:echo\n error -32000 no");
    call = hr_call(&hr, d, "echo", "{}");
    ck_assert_int_eq(mcphost_call_make_items(call, &items, &error), MCPHOST_E_STATE);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
    ck_assert_int_eq(mcphost_call_make_items(call, &items, NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_call_make_items(NULL, &items, NULL), MCPHOST_E_INVALID);
    down();
}
END_TEST

START_TEST(the_result_of_a_built_in_tool_has_items)
{
    up(NULL);
    ck_assert_ptr_nonnull(strstr(call_and_make("mcp_release", "{\"serverId\":\"..a\"}"),
                                 "{\"type\":\"input_text\",\"text\":"));
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "items");

    tcase_add_test(tc, an_image_is_stored_under_its_server_id_and_tool_name);
    tcase_add_test(tc, an_artifact_has_the_root_id_of_its_dialog);
    tcase_add_test(tc, an_artifact_can_be_read_only_in_the_directory_of_its_dialog);
    tcase_add_test(tc, audio_has_an_item_of_its_own_only_with_the_option);
    tcase_add_test(tc, without_a_directory_a_text_replaces_the_image);
    tcase_add_test(tc, a_long_text_becomes_an_artifact_unless_the_tool_allows_its_size);
    tcase_add_test(tc, a_call_without_a_result_has_no_items);
    tcase_add_test(tc, the_result_of_a_built_in_tool_has_items);
}

int
main(void)
{
    return test_main("host-items", add);
}
