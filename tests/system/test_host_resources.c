/* SPDX-License-Identifier: MIT
 *
 * test_host_resources.c - the built-in tools list_resources and fetch_resource.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "support/hostrig.h"

#define COMPLETE "\"resultType\":\"complete\","
#define KEPT     COMPLETE "\"ttlMs\":0,\"cacheScope\":\"private\","
#define OFFERS                                                                        \
    "capabilities {\"tools\":{},\"resources\":{}}\n"                                  \
    "on resources/list\n result {" KEPT "\"resources\":[{\"uri\":\"f:one\",\"name\":" \
    "\"One thing\",\"title\":\"\\u00c4pfel\","                                        \
    "\"mimeType\":\"text/plain\",\"size\":7},{\"uri\":\"f:two\","                     \
    "\"description\":\"the SECOND\"}]}\n"                                             \
    "on resources/templates/list\n result {" KEPT                                     \
    "\"resourceTemplates\":[{\"uriTemplate\":\"db://{table}/"                         \
    "{row}\",\"name\":\"row\"}]}\n"

static const char *const eras[] = {"era legacy\n", "era modern\n"};

static struct hostrig hr;
static mcphost_dialog *d;

static void
up(const char *era, const char *script)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s" OFFERS "%s", era, script);
    hr_up(&hr);
    ck_assert_int_eq(mcphost_view_add_resource_tools(
                         mcphost_default_view(hr.host),
                         MCPHOST_RESOURCE_TOOL_LIST | MCPHOST_RESOURCE_TOOL_FETCH, NULL),
                     0);
    hr_server(&hr, "a", "truely-stateless: true\nresources: {transform: []}", text);
    hr_server(&hr, "b",
              "truely-stateless: true\nresources: {transform: [{suffix: '-b'}]}", text);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

/* Calls list_resources and returns its answer as JSON.  The caller must release the
 * JSON. */
static json_t *
list(const char *arguments)
{
    mcphost_call *call = hr_call(&hr, d, "list_resources", arguments);
    const char *text;
    json_t *json;
    size_t len;

    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len), 0);
    json = json_loadb(text, len, 0, NULL);
    ck_assert_ptr_nonnull(json);
    return json;
}

/* Returns the ids of the listed resources in the order of the list, with a blank after
 * each id.  The caller must free the text. */
static char *
ids(const char *arguments)
{
    json_t *json = list(arguments), *row;
    char *out = calloc(1, 4096);
    size_t i, len = 0;

    json_array_foreach(json_object_get(json, "resources"), i, row)
    {
        len += (size_t)snprintf(out + len, 4096 - len, "%s ",
                                json_string_value(json_object_get(row, "resourceId")));
    }
    json_decref(json);
    return out;
}

static void
ids_are(const char *arguments, const char *wanted)
{
    char *found = ids(arguments);

    ck_assert_str_eq(found, wanted);
    free(found);
}

START_TEST(resources_and_templates_are_listed_with_their_ids) /* B.19 */
{
    const char *text;

    up(eras[_i], "");
    ids_are("{}", "a:One_thing a:f_two a:row b:One_thing-b b:f_two-b b:row-b ");
    ids_are("{\"serverId\":\"b\"}", "b:One_thing-b b:f_two-b b:row-b ");
    ids_are("{\"kind\":\"template\"}", "a:row b:row-b ");
    ids_are("{\"kind\":\"resource\",\"serverId\":\"a\"}", "a:One_thing a:f_two ");
    ids_are("{\"query\":\"second\"}", "a:f_two b:f_two-b ");
    ids_are("{\"query\":\"DB:\"}", "a:row b:row-b ");
    ids_are("{\"query\":\"\\u00c4pf\",\"serverId\":\"a\"}", "a:One_thing ");
    ids_are("{\"query\":\"nothing like it\"}", "");
    text = hr_say(&hr, d, "list_resources", "{\"query\":\"one_thing\"}");
    test_has(text, "{\"resourceId\":\"a:One_thing\",\"kind\":\"resource\","
                   "\"serverId\":\"a\",\"uri\":\"f:one\",\"name\":\"One thing\","
                   "\"title\":\"\\u00c4pfel\",\"mimeType\":\"text/plain\",\"size\":7}");
    ck_assert_str_eq(hr_say(&hr, d, "list_resources", "{\"serverId\":\"c\"}"),
                     "error: there is no server 'c'");
    hr_down(&hr);
}
END_TEST

/* B.19 */
START_TEST(fetch_resource_reads_a_resource_from_its_own_server)
{
    mcphost_result *result;
    mcphost_call *call;
    const char *text;
    size_t len;

    up(eras[_i], "on resources/read\n result {" KEPT
                 "\"contents\":[{\"uri\":\"f:one\",\"text\":\"words\"},"
                 "{\"uri\":\"f:b\",\"mimeType\":\"image/gif\",\"blob\":\"AAEC\"}]}\n");
    call = hr_call(&hr, d, "fetch_resource", "{\"resourceId\":\"b:One_thing-b\"}");
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    result = mcphost_call_get_result(call);
    ck_assert_int_eq(mcphost_result_is_error(result), 0);
    ck_assert_uint_eq(mcphost_result_count_items(result), 2);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 1), MCPHOST_CONTENT_RESOURCE);
    ck_assert_str_eq(mcphost_result_item_get_uri(result, 0, NULL), "f:one");
    test_has(mcphost_result_item_get_json(result, 0, NULL), "\"text\":\"words\"");
    ck_assert_int_eq(mcphost_result_item_get_text(result, 0, &text, &len),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "b.trace", "\"uri\":\"f:one\""), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "resources/read"), 0);
    hr_down(&hr);
}
END_TEST

static void
fetch(const char *arguments)
{
    mcphost_call *call = hr_call(&hr, d, "fetch_resource", arguments);

    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_result_is_error(mcphost_call_get_result(call)), 0);
}

/* B.19 R156 */
START_TEST(a_template_is_expanded_only_if_all_its_variables_are_given)
{
    up(eras[_i], "on resources/read\n result {" KEPT "\"contents\":[]}\n");
    fetch("{\"resourceId\":\"a:row\",\"arguments\":{\"table\":\"t 1\",\"row\":\"7\"}}");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"uri\":\"db://t%201/7\""),
                     1);
    test_has(hr_say(&hr, d, "fetch_resource",
                    "{\"resourceId\":\"a:row\",\"arguments\":{\"table\":\"t\"}}"),
             "row");
    test_has(hr_say(&hr, d, "fetch_resource",
                    "{\"resourceId\":\"a:row\",\"arguments\":{\"table\":\"\",\"row\":"
                    "\"7\"}}"),
             "table");
    test_has(hr_say(&hr, d, "fetch_resource", "{\"resourceId\":\"a:row\"}"), "error: ");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "resources/read"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_failed_fetch_is_an_error_text_for_the_model) /* B.19 */
{
    up(eras[0], "on resources/read\n error -32002 no such thing\n");
    test_has(hr_say(&hr, d, "fetch_resource", "{\"resourceId\":\"a:nothing\"}"),
             "no resource has this resourceId");
    test_has(hr_say(&hr, d, "fetch_resource", "{\"resourceId\":\"One_thing\"}"),
             "no resource has this resourceId");
    test_has(hr_say(&hr, d, "fetch_resource",
                    "{\"resourceId\":\"a:f_two\",\"arguments\":{\"x\":\"1\"}}"),
             "takes no arguments");
    test_has(hr_say(&hr, d, "fetch_resource", "{\"resourceId\":\"a:f_two\"}"),
             "no such thing");
    hr_down(&hr);
}
END_TEST

START_TEST(a_fetch_that_is_cancelled_cancels_the_read) /* B.19 */
{
    mcphost_call *call;

    up(eras[0], "on resources/read\n delay 20000\n answer\n");
    call = hr_call(&hr, d, "fetch_resource", "{\"resourceId\":\"a:f_two\"}");
    hr_go(call);
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "resources/read") == 1);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "notifications/cancelled") == 1);
    hr_down(&hr);
}
END_TEST

/* B.19 R84 */
START_TEST(only_resources_of_wholly_granted_servers_are_listed_and_fetched)
{
    mcphost_grant *grant;
    mcphost_view *view;

    up(eras[0], "");
    grant = hr_grant("mcp_resources a", "b_echo");
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", grant, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "e", NULL, &d, NULL), 0);
    ids_are("{}", "a:One_thing a:f_two a:row ");
    test_has(hr_say(&hr, d, "fetch_resource", "{\"resourceId\":\"b:f_two-b\"}"),
             "no resource has this resourceId");
    mcphost_grant_unref(grant);
    mcphost_dialog_unref(d);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

START_TEST(the_tool_fetch_resource_can_be_added_alone) /* B.19 */
{
    mcphost_view *view;
    mcphost_call *call;

    hr_up(&hr);
    view = mcphost_default_view(hr.host);
    ck_assert_int_eq(mcphost_view_add_resource_tools(view, 0, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_add_resource_tools(view, 16, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_view_add_resource_tools(view, MCPHOST_RESOURCE_TOOL_FETCH, NULL), 0);
    ck_assert_int_eq(
        mcphost_view_add_resource_tools(
            view, MCPHOST_RESOURCE_TOOL_LIST | MCPHOST_RESOURCE_TOOL_FETCH, NULL),
        MCPHOST_E_EXISTS);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_call_new(d, "list_resources", "{}", 2, &call, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_view_remove_builtin(view, "fetch_resource"), 0);
    hr_down(&hr);
}
END_TEST

/* B.19 */
START_TEST(a_long_list_is_cut_and_counts_the_resources_left_out)
{
    static char script[700 * 1024];
    size_t len;
    json_t *json;

    len = (size_t)snprintf(script, sizeof(script),
                           "era legacy\ncapabilities {\"tools\":{},\"resources\":{}}\n"
                           "on resources/list\n result {\"resources\":[");
    for (int i = 0; i < 6000; i++)
        len += (size_t)snprintf(script + len, sizeof(script) - len,
                                "%s{\"uri\":\"f:%d\",\"name\":\"resource number %d\"}",
                                i ? "," : "", i, i);
    snprintf(script + len, sizeof(script) - len, "]}\n");
    hr_up(&hr);
    ck_assert_int_eq(mcphost_view_add_resource_tools(mcphost_default_view(hr.host),
                                                     MCPHOST_RESOURCE_TOOL_LIST, NULL),
                     0);
    hr_server(&hr, "a", "truely-stateless: true\nresources: {transform: []}", script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    json = list("{}");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "resources")) +
                          (size_t)json_integer_value(json_object_get(json, "leftOut")),
                      6000);
    ck_assert_int_gt(json_integer_value(json_object_get(json, "leftOut")), 0);
    json_decref(json);
    ids_are("{\"query\":\"number 5999\"}", "a:resource_number_5999 ");
    hr_down(&hr);
}
END_TEST

/* Starts a server "a" with three resources.  `letters` is the length of the second
 * URI's last part. */
static void
up_long(size_t letters)
{
    static char script[1024 * 1024];
    size_t len = (size_t)snprintf(
        script, sizeof(script),
        "era legacy\ncapabilities {\"tools\":{},\"resources\":{}}\n"
        "on resources/list\n result {\"resources\":["
        "{\"uri\":\"f:1\",\"name\":\"one\"},{\"name\":\"two\",\"uri\":\"f:");

    ck_assert_uint_lt(len + letters + 100, sizeof(script));
    memset(script + len, 'a', letters);
    snprintf(script + len + letters, sizeof(script) - len - letters,
             "\"},{\"uri\":\"f:3\",\"name\":\"three\"}]}\n");
    hr_up(&hr);
    ck_assert_int_eq(mcphost_view_add_resource_tools(mcphost_default_view(hr.host),
                                                     MCPHOST_RESOURCE_TOOL_LIST, NULL),
                     0);
    hr_server(&hr, "a", "truely-stateless: true\nresources: {transform: []}", script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static int
left_out(const char *arguments)
{
    json_t *json = list(arguments);
    int n = (int)json_integer_value(json_object_get(json, "leftOut"));

    json_decref(json);
    return n;
}

/* B.19 */
START_TEST(a_resource_too_long_for_a_list_is_left_out_and_counted)
{
    up_long((size_t)256 * 1024);
    ids_are("{}", "a:one a:three ");
    ck_assert_int_eq(left_out("{}"), 1);
    hr_down(&hr);
}
END_TEST

/* B.19 */
START_TEST(a_query_over_a_repetitive_text_ends_within_five_seconds)
{
    static char letters[150 * 1024], arguments[200 * 1024];
    time_t begin;

    up_long((size_t)800 * 1024);
    memset(letters, 'a', sizeof(letters) - 1);
    snprintf(arguments, sizeof(arguments), "{\"query\":\"%sb\"}", letters);
    begin = time(NULL);
    ids_are(arguments, "");
    ck_assert_int_lt(time(NULL) - begin, 5);
    ck_assert_int_eq(left_out("{\"query\":\"AaaA\"}"), 1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "resources");

    tcase_add_loop_test(tc, resources_and_templates_are_listed_with_their_ids, 0, 2);
    tcase_add_loop_test(tc, fetch_resource_reads_a_resource_from_its_own_server, 0, 2);
    tcase_add_loop_test(tc, a_template_is_expanded_only_if_all_its_variables_are_given, 0,
                        2);
    tcase_add_test(tc, a_failed_fetch_is_an_error_text_for_the_model);
    tcase_add_test(tc, a_fetch_that_is_cancelled_cancels_the_read);
    tcase_add_test(tc, only_resources_of_wholly_granted_servers_are_listed_and_fetched);
    tcase_add_test(tc, the_tool_fetch_resource_can_be_added_alone);
    tcase_add_test(tc, a_long_list_is_cut_and_counts_the_resources_left_out);
    tcase_add_test(tc, a_resource_too_long_for_a_list_is_left_out_and_counted);
    tcase_add_test(tc, a_query_over_a_repetitive_text_ends_within_five_seconds);
}

int
main(void)
{
    return test_main("host-resources", add);
}
