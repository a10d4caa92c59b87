/* SPDX-License-Identifier: MIT
 *
 * test_host_reading.c - calls that read resources or complete variables of templates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

#define BASE "capabilities {\"tools\":{},\"resources\":{},\"completions\":{}}\n"

static const char *const eras[] = {"era legacy\n", "era modern\n"};

static struct hostrig hr;
static mcphost_dialog *d;

static void
up(const char *era, const char *script)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s%s", era, BASE, script);
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", text);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static mcphost_call *
keep_call(mcphost_call *call)
{
    hr.calls[hr.n_calls++] = call;
    return call;
}

static mcphost_call *
to_read(const char *uri)
{
    mcphost_error *err = NULL;
    mcphost_call *call;

    if (mcphost_call_new_read(d, "a", uri, &call, &err) < 0)
        ck_abort_msg("%s", mcphost_error_get_message(err));
    return keep_call(call);
}

static mcphost_result *
end(mcphost_call *call)
{
    hr_go(call);
    if (hr_end(&hr, call) < 0)
        ck_abort_msg("%s", hr_why(call));
    return mcphost_call_get_result(call);
}

static int
fails(mcphost_call *call, const char *why)
{
    int r;

    hr_go(call);
    r = hr_end(&hr, call);
    if (!strstr(hr_why(call), why))
        ck_abort_msg("%s", hr_why(call));
    return r;
}

/* ---- reading ----------------------------------------------------------------------- */

/* R157 R158 R161 */
START_TEST(the_contents_of_a_resource_are_the_items_of_the_result)
{
    mcphost_result *result;
    const char *text;
    size_t len;

    up(eras[_i],
       "on resources/read\n"
       " result {\"resultType\":\"complete\",\"contents\":[{\"uri\":\"file:///a\","
       "\"mimeType\":\"text/markdown\",\"text\":\"# \\u00e4\"},{\"uri\":\"file:///b\","
       "\"blob\":\"AAEC\"},{\"uri\":\"file:///c\",\"text\":\"plain\"}]}");
    result = end(to_read("file:///a b\xc3\xa4#x"));
    ck_assert_int_eq(
        rig_workspace_count(&hr.ws, "a.trace", "\"uri\":\"file:///a b\xc3\xa4#x\""), 1);
    ck_assert_uint_eq(mcphost_result_count_items(result), 3);
    ck_assert_int_eq(mcphost_result_is_error(result), 0);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(mcphost_result_item_get_kind(result, i),
                         MCPHOST_CONTENT_RESOURCE);
    ck_assert_str_eq(mcphost_result_item_get_mime_type(result, 0), "text/markdown");
    ck_assert_ptr_null(mcphost_result_item_get_mime_type(result, 1));
    ck_assert_str_eq(mcphost_result_item_get_uri(result, 1, &len), "file:///b");
    ck_assert_uint_eq(len, 9);
    ck_assert_int_eq(mcphost_result_item_get_text(result, 0, &text, &len), 0);
    ck_assert_str_eq(text, "# \xc3\xa4");
    ck_assert_int_eq(mcphost_result_item_get_text(result, 1, &text, &len),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_result_item_get_text(result, 2, &text, &len), 0);
    ck_assert_str_eq(text, "plain");
    ck_assert_str_eq(mcphost_result_item_get_uri(result, 2, NULL), "file:///c");
    ck_assert_ptr_null(mcphost_result_item_get_uri(result, 3, &len));
    hr_down(&hr);
}
END_TEST

/* R161 */
START_TEST(a_blob_that_is_read_becomes_an_artifact)
{
    char dir[] = "/tmp/mcphost-reading.XXXXXX";
    mcphost_items *items;
    mcphost_call *call;
    const char *json;

    up(eras[0],
       "on resources/read\n"
       " result {\"contents\":[{\"uri\":\"file:///b\",\"mimeType\":\"image/gif\","
       "\"blob\":\"R0lGODlhAQABAAAAACw=\"},{\"uri\":\"file:///t\","
       "\"text\":\"words\"}]}");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, dir, 0, NULL), 0);
    call = to_read("file:///b");
    end(call);
    ck_assert_int_eq(mcphost_call_make_items(call, &items, NULL), 0);
    json = mcphost_items_get_json(items, NULL);
    ck_assert_ptr_nonnull(strstr(json, "artifacts/mcp/a/resources/"));
    ck_assert_ptr_nonnull(strstr(json, ".gif"));
    ck_assert_ptr_nonnull(strstr(json, "\"text\":\"words\",\"uri\":\"file:///t\""));
    mcphost_items_unref(items);
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_missing_resource_is_an_rpc_error_and_no_problem)
{
    up(eras[_i], "on resources/read\n error -32002 Resource not found");
    ck_assert_int_eq(fails(to_read("file:///none"), "Resource not found"), MCPHOST_E_RPC);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, "a", NULL, -1), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_malformed_read_result_fails_with_the_reason)
{
    static const struct {
        const char *script, *why;
    } cases[] = {
        {"on resources/read\n result {}", "no array 'contents'"},
        {"on resources/read\n result {\"contents\":[{\"text\":\"x\"}]}", "string 'uri'"},
        {"on resources/read\n result {\"contents\":[7]}", "string 'uri'"},
        {"on resources/read\n result {\"contents\":[{\"uri\":\"a:b\",\"text\":7}]}",
         "neither 'text' nor 'blob'"},
    };

    up(eras[0], cases[_i].script);
    ck_assert_int_eq(fails(to_read("a:b"), cases[_i].why), MCPHOST_E_PROTOCOL);
    hr_down(&hr);
}
END_TEST

START_TEST(a_server_without_resources_is_not_asked)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(fails(to_read("a:b"), "offers no resources"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "resources/read"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(an_invalid_uri_is_refused_before_it_is_sent)
{
    static char uri[65538];
    mcphost_error *err = NULL;
    mcphost_call *call;
    size_t len;

    up(eras[0], "");
    ck_assert_int_eq(mcphost_call_new_read(d, "a", "", &call, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_new_read(d, "a", "a:\n", &call, &err),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "byte 3"));
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_call_new_read(d, "a", "a:\xff", &call, NULL),
                     MCPHOST_E_INVALID);
    memset(uri, 'a', 65537);
    ck_assert_int_eq(mcphost_call_new_read(d, "a", uri, &call, NULL), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcphost_call_new_read(d, "b", "a:b", &call, NULL),
                     MCPHOST_E_NOTFOUND);
    call = to_read("a:b");
    ck_assert_ptr_null(mcphost_call_get_tool(call));
    ck_assert_ptr_null(mcphost_call_get_arguments(call, &len));
    mcphost_dialog_close(d);
    ck_assert_int_eq(mcphost_call_new_read(d, "a", "a:b", &call, NULL), MCPHOST_E_CLOSED);
    hr_down(&hr);
}
END_TEST

START_TEST(a_view_without_a_server_cannot_read_its_resources)
{
    mcphost_grant *grant;
    mcphost_view *view;
    mcphost_call *call;

    up(eras[0], "");
    grant = hr_grant("none", "");
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", grant, &view, NULL), 0);
    mcphost_grant_unref(grant);
    ck_assert_int_eq(mcphost_dialog_new(view, "e", NULL, &d, NULL), 0);
    ck_assert_int_eq(mcphost_call_new_read(d, "a", "a:b", &call, NULL),
                     MCPHOST_E_NOTFOUND);
    mcphost_dialog_unref(d);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

START_TEST(a_read_is_denied_after_its_grant_is_withdrawn)
{
    mcphost_grant *all, *none;
    mcphost_view *view;
    mcphost_call *call;

    up(eras[0], "");
    all = hr_grant("a", "");
    none = hr_grant("none", "");
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", all, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "e", NULL, &d, NULL), 0);
    call = to_read("a:b");
    ck_assert_int_eq(mcphost_view_set_grant(view, none), 0);
    ck_assert_int_eq(fails(call, "does not show server 'a'"), MCPHOST_E_DENIED);
    mcphost_grant_unref(all);
    mcphost_grant_unref(none);
    mcphost_dialog_unref(d);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

START_TEST(a_read_from_a_removed_server_fails)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", BASE);
    hr_follow(&hr);
    hr_ready(&hr);
    d = hr_dialog(&hr, "d");
    call = to_read("a:b");
    hr_edit(&hr);
    hr_server(&hr, "b", "truely-stateless: true", NULL);
    hr_reload(&hr);
    hr_until(&hr, !hr_has(&hr, "a_echo"));
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "server 'a'"));
    hr_down(&hr);
}
END_TEST

/* ---- completion -------------------------------------------------------------------- */

static mcphost_call *
to_complete(const char *value, const char *context)
{
    mcphost_error *err = NULL;
    mcphost_call *call;

    if (mcphost_call_new_complete_template(d, "a", "db://{table}/{row}", "table", value,
                                           context, context ? strlen(context) : 0, &call,
                                           &err) < 0)
        ck_abort_msg("%s", mcphost_error_get_message(err));
    return keep_call(call);
}

START_TEST(a_variable_of_a_template_is_completed)
{
    mcphost_result *result;
    size_t len;

    up(eras[_i], "on completion/complete\n"
                 " result {\"resultType\":\"complete\",\"completion\":{\"values\":"
                 "[\"one\",\"\\u00e4\"],\"total\":12,\"hasMore\":true}}");
    result = end(to_complete("o\"", " {\"row\":\"7\"} "));
    ck_assert_int_eq(
        rig_workspace_count(
            &hr.ws, "a.trace",
            "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"db://{table}/{row}\"},"
            "\"argument\":{\"name\":\"table\",\"value\":\"o\\\"\"},"
            "\"context\":{\"arguments\":{\"row\":\"7\"}}"),
        1);
    ck_assert_uint_eq(mcphost_result_count_values(result), 2);
    ck_assert_str_eq(mcphost_result_get_value(result, 0, NULL), "one");
    ck_assert_str_eq(mcphost_result_get_value(result, 1, &len), "\xc3\xa4");
    ck_assert_uint_eq(len, 2);
    ck_assert_ptr_null(mcphost_result_get_value(result, 2, &len));
    ck_assert_int_eq(mcphost_result_get_total(result), 12);
    ck_assert_int_eq(mcphost_result_has_more(result), 1);
    ck_assert_uint_eq(mcphost_result_count_items(result), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_completion_without_optional_members_has_defaults)
{
    mcphost_result *result;

    up(eras[0], "on completion/complete\n result {\"completion\":{\"values\":[]}}");
    result = end(to_complete("", NULL));
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"context\""), 0);
    ck_assert_uint_eq(mcphost_result_count_values(result), 0);
    ck_assert_int_eq(mcphost_result_get_total(result), -1);
    ck_assert_int_eq(mcphost_result_has_more(result), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_completion_without_strings_fails)
{
    up(eras[0], "on completion/complete 1\n result {\"completion\":{\"values\":[7]}}\n"
                "on completion/complete 2\n result {\"values\":[]}");
    ck_assert_int_eq(fails(to_complete("", NULL), "a value that is not a string"),
                     MCPHOST_E_PROTOCOL);
    ck_assert_int_eq(fails(to_complete("", NULL), "no array 'values'"),
                     MCPHOST_E_PROTOCOL);
    hr_down(&hr);
}
END_TEST

START_TEST(a_context_that_is_not_an_object_of_strings_is_refused)
{
    static const char *const bad[] = {"[]", "{\"a\":1}", "{", "{\"a\":{}}"};
    mcphost_error *err = NULL;
    mcphost_call *call;

    up(eras[0], "");
    ck_assert_int_eq(mcphost_call_new_complete_template(d, "a", "a:{b}", "b", "", bad[_i],
                                                        strlen(bad[_i]), &call, &err),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "the context"));
    mcphost_error_unref(err);
    hr_down(&hr);
}
END_TEST

/* ---- a read behaves as any call ---------------------------------------------------- */

START_TEST(a_read_can_time_out_and_be_cancelled_like_a_tool_call)
{
    mcphost_call *call;

    up(eras[_i], "on resources/read 1\n progress 1 2 half\n delay 20\n"
                 " result {\"resultType\":\"complete\",\"contents\":[]}\n"
                 "on resources/read 2\n hang\n");
    call = to_read("a:1");
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    call = to_read("a:2");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 50, 0, -1), 0);
    ck_assert_int_eq(fails(call, "did not answer the read of 'a:2' in time"),
                     MCPHOST_E_TIMEOUT);
    call = to_read("a:3");
    hr_go(call);
    hr_turn(&hr, 5);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *read = test_case(suite, "read"), *complete = test_case(suite, "complete");
    TCase *call = test_case(suite, "call");

    tcase_add_loop_test(read, the_contents_of_a_resource_are_the_items_of_the_result, 0,
                        2);
    tcase_add_test(read, a_blob_that_is_read_becomes_an_artifact);
    tcase_add_loop_test(read, a_missing_resource_is_an_rpc_error_and_no_problem, 0, 2);
    tcase_add_loop_test(read, a_malformed_read_result_fails_with_the_reason, 0, 4);
    tcase_add_test(read, a_server_without_resources_is_not_asked);
    tcase_add_test(read, an_invalid_uri_is_refused_before_it_is_sent);
    tcase_add_test(read, a_view_without_a_server_cannot_read_its_resources);
    tcase_add_test(read, a_read_is_denied_after_its_grant_is_withdrawn);
    tcase_add_test(read, a_read_from_a_removed_server_fails);
    tcase_add_loop_test(complete, a_variable_of_a_template_is_completed, 0, 2);
    tcase_add_test(complete, a_completion_without_optional_members_has_defaults);
    tcase_add_test(complete, a_completion_without_strings_fails);
    tcase_add_loop_test(complete, a_context_that_is_not_an_object_of_strings_is_refused,
                        0, 4);
    tcase_add_loop_test(call, a_read_can_time_out_and_be_cancelled_like_a_tool_call, 0,
                        2);
}

int
main(void)
{
    return test_main("host-reading", add);
}
