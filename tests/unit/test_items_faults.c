/* SPDX-License-Identifier: MIT
 *
 * test_items_faults.c - items when a disk is full, a quota is exceeded or a server's data
 * is invalid.
 *
 * An item says why its data was not kept.  No partial file is left.
 */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <mcphost/catalog.h>

#include "result/items.h"
#include "support/runner.h"

#define BIG 200000 /* number of base64 characters: enough for several steps of decoding */

static char dir[48];
static struct mcph_artifacts *place;
static mcphost_items *items;
static size_t n_files;
static uint64_t n_bytes;

static void
up(void)
{
    snprintf(dir, sizeof(dir), "/tmp/mcphost-faults-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(mcph_artifacts_new(dir, "root", "self", 0, &place, NULL), 0);
}

static void
down(void)
{
    items = mcphost_items_unref(items);
    place = mcph_artifacts_unref(place);
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    ck_assert_int_eq(rmdir(dir), 0);
}

/* Limits the size of files of this process.  Writes then fail as on a full disk. */
static void
fill_disk(rlim_t bytes)
{
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void
set_quota(uint64_t quota)
{
    mcph_artifacts_unref(place);
    ck_assert_int_eq(mcph_artifacts_new(dir, "root", "self", quota, &place, NULL), 0);
}

/* Makes the items of a result and returns their JSON.  The first item of the result
 * consists of `head`, `n` times `fill`, `tail` and a quote. */
static const char *
make(const char *head, char fill, size_t n, const char *tail)
{
    struct mcph_items_spec spec = {
        .place = place, .server = "s", .tool = "t", .text_bytes = 50000};
    struct mcph_frame *frame;
    mcphost_result *result;
    struct mcph_buf json;

    mcph_buf_init(&json, 1 << 20);
    mcph_buf_adds(&json, "{\"content\":[{");
    mcph_buf_adds(&json, head);
    ck_assert_int_eq(mcph_buf_reserve(&json, n), 0);
    memset(json.data + json.len, fill, n);
    json.len += n;
    mcph_buf_adds(&json, tail);
    mcph_buf_adds(&json, "\"},{\"type\":\"text\",\"text\":\"after\"},"
                         "{\"type\":\"image\",\"data\":\"AQID\"}]}");
    frame = mcph_frame_new(json.data, json.len);
    ck_assert_int_eq(mcph_json_check(mcph_frame_span(frame), 0, NULL, NULL), 0);
    ck_assert_int_eq(mcph_result_new(frame, mcph_frame_span(frame), &result), 0);
    ck_assert_int_eq(mcph_items_make(result, &spec, &items), 0);
    mcph_frame_unref(frame);
    mcphost_result_unref(result);
    mcph_buf_done(&json);
    return mcphost_items_get_json(items, NULL);
}

static int
visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)ftw;
    if (type != FTW_D) {
        ck_assert_msg(!strstr(path, ".tmp"), "'%s' is left", path);
        n_files++;
        n_bytes += (uint64_t)st->st_size;
    }
    return 0;
}

/* Checks that `json` has the text and the picture after the first item.  The picture's
 * file must be the only file and have three bytes. */
static void
expect_nothing_else(const char *json)
{
    static const char after[] = "{\"type\":\"input_text\",\"text\":\"after\"},"
                                "{\"type\":\"input_image\",\"mimeType\":"
                                "\"application/octet-stream\",\"byteLength\":3,";

    ck_assert_ptr_nonnull(strstr(json, after));
    ck_assert_int_eq(nftw(dir, visit, 8, FTW_PHYS), 0);
    ck_assert_uint_eq(n_files, 1);
    ck_assert_uint_eq(n_bytes, 3);
}

#define PICTURE "\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\""
#define TEXT    "\"type\":\"text\",\"text\":\""

/* ---- writing fails ----------------------------------------------------------------- */

/* R69 */
START_TEST(on_a_full_disk_only_the_picture_is_left_out)
{
    const char *json;

    fill_disk(100000);
    json = make(PICTURE, 'A', BIG, "");
    ck_assert_ptr_nonnull(strstr(json, "[image left out: image/png: cannot write "));
    ck_assert_ptr_nonnull(strstr(json, "File too large]"));
    expect_nothing_else(json);
}
END_TEST

START_TEST(on_a_full_disk_a_long_text_keeps_head_and_tail)
{
    const char *json;

    fill_disk(50000);
    json = make(TEXT, 'x', BIG, "end");
    ck_assert_ptr_nonnull(strstr(json, "xxxend\",\"byteLength\":200003,"));
    ck_assert_ptr_nonnull(strstr(json, "the whole text was not stored: cannot write "));
    ck_assert_ptr_nonnull(strstr(json, "File too large]"));
    expect_nothing_else(json);
}
END_TEST

START_TEST(a_picture_over_the_quota_is_left_out_and_leaves_no_file)
{
    const char *json;

    set_quota(100000);
    json = make(PICTURE, 'A', BIG, "");
    ck_assert_ptr_nonnull(strstr(
        json,
        "[image left out: image/png: the dialog's artifacts would exceed 100000 bytes]"));
    expect_nothing_else(json);
    ck_assert_uint_eq(place->used, 3);
    ck_assert_uint_eq(place->unfinished, 0);
}
END_TEST

START_TEST(a_text_over_the_quota_keeps_head_and_tail)
{
    const char *json;

    set_quota(100000);
    json = make(TEXT, 'x', BIG, "end");
    ck_assert_ptr_nonnull(strstr(json, "the whole text was not stored: the dialog's "
                                       "artifacts would exceed 100000 bytes]"));
    expect_nothing_else(json);
    ck_assert_uint_eq(place->used, 3);
}
END_TEST

START_TEST(a_directory_that_cannot_be_made_is_reported_in_the_item)
{
    const char *json;
    FILE *file;
    char path[80];

    /* A file takes the place of the directory, because permissions do not stop root. */
    snprintf(path, sizeof(path), "%s/artifacts", dir);
    file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    json = make(PICTURE, 'A', 8, "");
    ck_assert_ptr_nonnull(strstr(json, "[image left out: image/png: cannot make the "
                                       "directories of "));
    ck_assert_ptr_nonnull(strstr(json, "\"text\":\"after\"},{\"type\":\"input_text\""));
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* ---- the server's data is wrong ---------------------------------------------------- */

START_TEST(base64_that_is_cut_leaves_no_file)
{
    const char *json = make(PICTURE, 'A', BIG + 1, "");

    ck_assert_ptr_nonnull(strstr(json, "its base64 is invalid at character 200001]"));
    expect_nothing_else(json);
}
END_TEST

START_TEST(invalid_base64_at_the_end_leaves_no_file)
{
    static const char *const wrong[] = {
        "=AAA", "AA=A", "A===", "AAAA*", "\\u0000", "\xc3\xa4", "A\\ud83d\\ude00", ","};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(wrong); i++) {
        ck_assert_ptr_nonnull(strstr(make(PICTURE, 'A', BIG, wrong[i]),
                                     "its base64 is invalid at character"));
        n_files = n_bytes = 0;
        expect_nothing_else(mcphost_items_get_json(items, NULL));
        items = mcphost_items_unref(items);
        ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    }
}
END_TEST

/* R72: mcphost_items_make_parts() omits a picture that a model's provider would refuse,
 * whatever type the server claims. */
START_TEST(a_picture_with_a_false_type_is_not_sent_to_a_provider)
{
    static const char *const types[] = {
        "image/png",       "image/jpeg", "image/svg+xml", "image/PNG; charset=x",
        "image/../png",    "text/html",  "image/",        "\\ud800",
        "image/png\\u0000"};
    char head[100], *parts;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(types); i++) {
        snprintf(head, sizeof(head), "\"type\":\"image\",\"mimeType\":\"%s\",\"data\":\"",
                 types[i]);
        make(head, 'A', 8, "");
        for (int shape = MCPHOST_SHAPE_MCP + 1;
             shape < (int)mcphost_enum_count_values(MCPHOST_ENUM_SHAPE); shape++) {
            parts = NULL;
            ck_assert_int_eq(
                mcphost_items_make_parts(items, shape, 0, &parts, NULL, NULL), 0);
            ck_assert_ptr_null(strstr(parts, "AAAAAAAA"));
            if (i < 2)
                ck_assert_ptr_nonnull(strstr(
                    parts, i ? "[image omitted: its bytes are not mimeType=image/jpeg]"
                             : "[image omitted: its bytes are not mimeType=image/png]"));
            mcphost_free(parts);
        }
        items = mcphost_items_unref(items);
    }
}
END_TEST

/* A record may be wrong.  The test changes the picture's type in the record from GIF to
 * PNG. */
START_TEST(the_bytes_of_a_recorded_picture_decide_its_type)
{
    static const char gif[] =
        "\"type\":\"image\",\"mimeType\":\"image/gif\",\"data\":\"R0lGODlh";
    char *json = mcph_strdup(make(gif, 'A', 8, "")), *parts = NULL, *type;
    mcphost_items *recorded = NULL;

    ck_assert_ptr_nonnull(json);
    type = strstr(json, "image/gif");
    ck_assert_ptr_nonnull(type);
    memcpy(type, "image/png", 9);
    ck_assert_int_eq(mcphost_items_parse(json, strlen(json), dir, &recorded, NULL), 0);
    ck_assert_int_eq(mcphost_items_make_parts(recorded, MCPHOST_SHAPE_ANTHROPIC, 0,
                                              &parts, NULL, NULL),
                     0);
    ck_assert_ptr_nonnull(strstr(parts, "\"media_type\":\"image/gif\""));
    mcphost_items_unref(recorded);
    mcphost_free(parts);
    free(json);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "faults");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, on_a_full_disk_only_the_picture_is_left_out);
    tcase_add_test(tc, on_a_full_disk_a_long_text_keeps_head_and_tail);
    tcase_add_test(tc, a_picture_over_the_quota_is_left_out_and_leaves_no_file);
    tcase_add_test(tc, a_text_over_the_quota_keeps_head_and_tail);
    tcase_add_test(tc, a_directory_that_cannot_be_made_is_reported_in_the_item);
    tcase_add_test(tc, base64_that_is_cut_leaves_no_file);
    tcase_add_test(tc, invalid_base64_at_the_end_leaves_no_file);
    tcase_add_test(tc, a_picture_with_a_false_type_is_not_sent_to_a_provider);
    tcase_add_test(tc, the_bytes_of_a_recorded_picture_decide_its_type);
}

int
main(void)
{
    return test_main("items-faults", add);
}
