/* SPDX-License-Identifier: MIT
 *
 * test_host_filter.c - filters and transforms of a configuration file, and the tools that
 * the model sees and can call (R31-R50).
 */
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;

/* Starts a host whose server `a` has these keys and lists the tools of this script.
 * Returns the names of the tools that the model sees. */
static const char *
tools(const char *keys, const char *script)
{
    static char text[4096];
    char all[4096];

    snprintf(all, sizeof(all), "no-tools\n%s", script);
    hr_up(&hr);
    hr_server(&hr, "a", keys, all);
    hr_load(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    snprintf(text, sizeof(text), "%s", hr_toolset(&hr, "a"));
    return text;
}

#define PLAIN "transform: []\n"

/* R11, R35-R40: tests the Playwright example of the requirements with additional
 * tools. */
START_TEST(the_playwright_example_gives_the_required_tools)
{
    ck_assert_str_eq(tools("tools: {whitelist: ['browser_*', 'page_*'], "
                           "blacklist: ['*_unsafe']}\n"
                           "transform: [{prefix: playwright_}]",
                           "tool browser_click\ntool browser_snapshot\ntool foo\n"
                           "tool x_unsafe\ntool browser_unsafe"),
                     "playwright_browser_click playwright_browser_snapshot "
                     "playwright_foo playwright_browser_unsafe");
    hr_down(&hr);
}
END_TEST

/* R31: the catalog shows a filtered tool under no name, in no toolset and in no list for
 * the model.  A call of the tool fails. */
START_TEST(a_filtered_tool_is_in_no_list_and_cannot_be_called)
{
    mcphost_catalog *catalog;
    mcphost_call *call;
    const char *json;
    size_t len;

    ck_assert_str_eq(
        tools(PLAIN "tools: {blacklist: [secret]}", "tool secret\ntool open"), "open");
    mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog);
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "secret"));
    for (int shape = MCPHOST_SHAPE_MCP; shape <= MCPHOST_SHAPE_ANTHROPIC; shape++) {
        ck_assert_int_eq(
            mcphost_catalog_get_tools_json(catalog, shape, NULL, &json, &len, NULL), 0);
        ck_assert_ptr_null(strstr(json, "secret"));
    }
    mcphost_catalog_unref(catalog);
    ck_assert_int_eq(
        mcphost_call_new(hr_dialog(&hr, "d"), "secret", NULL, 0, &call, NULL),
        MCPHOST_E_NOTFOUND);
    hr_down(&hr);
}
END_TEST

/* R32 */
START_TEST(only_the_asterisk_is_special_in_a_pattern)
{
    ck_assert_str_eq(tools(PLAIN "tools: {blacklist: ['a-?', 'b[c]', 'd*']}",
                           "tool a-x\ntool bc\ntool d\ntool dx\ntool xd"),
                     "a-x bc xd");
    hr_down(&hr);
}
END_TEST

/* R33 */
START_TEST(a_pattern_must_match_the_whole_name)
{
    ck_assert_str_eq(tools(PLAIN
                           "tools: {whitelist: ['browser_*', click, '*-end', 'm*d']}",
                           "tool browser_x\ntool my_browser_x\ntool click\ntool clicks\n"
                           "tool the-end\ntool the-end2\ntool mid\ntool midd\ntool amid"),
                     "browser_x click the-end mid midd");
    hr_down(&hr);
}
END_TEST

/* R34 */
START_TEST(a_pattern_is_matched_with_the_original_name)
{
    ck_assert_str_eq(tools("tools: {whitelist: ['x_open', shut]}\n"
                           "transform: [{prefix: x_}]",
                           "tool open\ntool shut"),
                     "x_shut");
    hr_down(&hr);
}
END_TEST

/* R35 */
START_TEST(a_whitelist_alone_lets_only_its_matches_through)
{
    ck_assert_str_eq(
        tools(PLAIN "tools: {whitelist: [one, 't*']}", "tool one\ntool two\ntool other"),
        "one two");
    hr_down(&hr);
}
END_TEST

/* R36 */
START_TEST(empty_lists_let_everything_through)
{
    ck_assert_str_eq(
        tools(PLAIN "tools: {whitelist: [], blacklist: []}", "tool one\ntool two"),
        "one two");
    hr_down(&hr);
}
END_TEST

/* R37 R38 R39 R40 */
START_TEST(with_a_blacklist_the_whitelist_only_overrules_it)
{
    ck_assert_str_eq(tools(PLAIN "tools: {blacklist: ['un*'], whitelist: ['*safe']}",
                           "tool unkind\ntool unsafe\ntool other\ntool safe"),
                     "unsafe other safe");
    hr_down(&hr);
}
END_TEST

/* R41, R42, R43, R44, R45: each transform gets the name that the transform before it has
 * made. */
START_TEST(transforms_run_in_the_order_of_the_list)
{
    ck_assert_str_eq(tools("transform:\n"
                           "  - prefix: playwright_\n"
                           "  - prefix: {remove: stock_prefix_, add: my_prefix_}\n"
                           "  - suffix: _playwright",
                           "tool open\ntool playwright_open"),
                     "my_prefix_playwright_open_playwright "
                     "my_prefix_playwright_playwright_open_playwright");
    hr_down(&hr);
}
END_TEST

/* R43 */
START_TEST(a_prefix_is_replaced_or_added)
{
    ck_assert_str_eq(tools("transform: [{prefix: {remove: stock_, add: my_}}]",
                           "tool stock_open\ntool shut"),
                     "my_open my_shut");
    hr_down(&hr);
}
END_TEST

/* R46: the model calls the tool by its new name.  The host sends the server's name of the
 * tool. */
START_TEST(a_call_of_a_renamed_tool_goes_out_under_its_original_name)
{
    tools("transform: [{suffix: _x}]", "tool one");
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "one_x", "{\"k\":1}"), "{\"k\":1}");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"name\":\"one\""), 1);
    hr_down(&hr);
}
END_TEST

#define N60 "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

/* R47 R48 R50 */
START_TEST(tools_with_invalid_original_or_transformed_names_are_left_out)
{
    ck_assert_str_eq(tools("transform: [{prefix: {remove: 'a.', add: ''}}, {suffix: _}]",
                           "tool a.b\ntool " N60 "nnn\ntool " N60 "nnnn\ntool ok\n"
                           "tool-json {\"name\":\"\",\"inputSchema\":{}}\n"
                           "tool-json {\"name\":\"\\u00e9\",\"inputSchema\":{}}\n"
                           "tool-json {\"name\":\"nl\\n\",\"inputSchema\":{}}"),
                     N60 "nnn_ ok_");
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/tool_invalid_name/a.b"));
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/tool_invalid_name/" N60 "nnnn"
                                          "/transformed"));
    hr_down(&hr);
}
END_TEST

/* R49 */
START_TEST(invalid_names_are_not_corrected)
{
    ck_assert_str_eq(tools(PLAIN, "tool UPPER\ntool a_b-C9\ntool-json "
                                  "{\"name\":\"a b\",\"inputSchema\":{}}"),
                     "UPPER a_b-C9");
    hr_down(&hr);
}
END_TEST

/* B.8: the host reports an invalid name as invalid, even if the filter would remove the
 * tool. */
START_TEST(only_the_first_reason_for_leaving_out_a_tool_is_reported)
{
    ck_assert_str_eq(tools(PLAIN "tools: {blacklist: ['*']}", "tool a.b\ntool c"), "");
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/tool_invalid_name/a.b"));
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/tool_blacklisted/a.b"));
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/tool_blacklisted/c"));
    hr_down(&hr);
}
END_TEST

/* R51, R52: the lists of tools for MCP, OpenAI and Anthropic contain the schema byte for
 * byte. */
START_TEST(a_schema_reaches_the_model_byte_for_byte)
{
#define SCHEMA                                                                 \
    "{\"type\": [\"object\",\"null\"], \"x-own\":1.50, \"properties\":{\"a\":" \
    "{\"$ref\":\"#/$defs/q\"}},\"required\":[\"a\"],\"minProperties\":1e0 }"
    mcphost_catalog *catalog;
    const char *json;
    size_t len;

    tools(PLAIN, "tool-json {\"name\":\"one\",\"inputSchema\":" SCHEMA "}");
    mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog);
    for (int shape = MCPHOST_SHAPE_MCP; shape <= MCPHOST_SHAPE_ANTHROPIC; shape++) {
        ck_assert_int_eq(
            mcphost_catalog_get_tools_json(catalog, shape, "a", &json, &len, NULL), 0);
        ck_assert_ptr_nonnull(strstr(json, SCHEMA));
    }
    mcphost_catalog_unref(catalog);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *filter = test_case(suite, "filter"), *name = test_case(suite, "name");

    tcase_add_test(filter, the_playwright_example_gives_the_required_tools);
    tcase_add_test(filter, a_filtered_tool_is_in_no_list_and_cannot_be_called);
    tcase_add_test(filter, only_the_asterisk_is_special_in_a_pattern);
    tcase_add_test(filter, a_pattern_must_match_the_whole_name);
    tcase_add_test(filter, a_pattern_is_matched_with_the_original_name);
    tcase_add_test(filter, a_whitelist_alone_lets_only_its_matches_through);
    tcase_add_test(filter, empty_lists_let_everything_through);
    tcase_add_test(filter, with_a_blacklist_the_whitelist_only_overrules_it);

    tcase_add_test(name, transforms_run_in_the_order_of_the_list);
    tcase_add_test(name, a_prefix_is_replaced_or_added);
    tcase_add_test(name, a_call_of_a_renamed_tool_goes_out_under_its_original_name);
    tcase_add_test(name, tools_with_invalid_original_or_transformed_names_are_left_out);
    tcase_add_test(name, invalid_names_are_not_corrected);
    tcase_add_test(name, only_the_first_reason_for_leaving_out_a_tool_is_reported);
    tcase_add_test(name, a_schema_reaches_the_model_byte_for_byte);
}

int
main(void)
{
    return test_main("host-filter", add);
}
