/* SPDX-License-Identifier: MIT
 *
 * test_host_validate.c - checks of arguments and structured content against schemas.
 *
 * Options and the entries of servers decide which checks the host makes.
 */
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

/* The tools of the server.  `number` takes an integer n of at least 1.  `filled` has
 * defaults.  `misfit` has a default that does not match its schema.  `broken` has an
 * invalid schema.  The output schema of `out` requires an integer n.  `filled` answers
 * with its arguments.  `out` also answers with its arguments, except in its fourth and
 * fifth answers. */
static const char script[] =
    "tool-json {\"name\":\"number\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"n\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"n\"],"
    "\"additionalProperties\":false}}\n"
    "tool-json "
    "{\"name\":\"broken\",\"inputSchema\":{\"type\":\"object\",\"minProperties\":"
    "\"x\"}}\n"
    "tool-json {\"name\":\"out\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{"
    "\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":["
    "\"n\"]"
    "}}\n"
    "tool-json {\"name\":\"filled\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"n\":{\"type\":\"integer\",\"default\":12},\"of\":{"
    "\"properties\":{\"m\":{\"default\":[]}}}},\"required\":[\"n\"]}}\n"
    "tool-json {\"name\":\"misfit\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"n\":{\"type\":\"integer\",\"default\":\"x\"}}}}\n"
    "on call:filled\n"
    " result {\"content\":[],\"structuredContent\":%a}\n"
    "on call:number\n"
    " text counted\n"
    "on call:broken\n"
    " text called\n"
    "on call:out\n"
    " result {\"content\":[],\"structuredContent\":%a}\n"
    "on call:out 4\n"
    " result {\"content\":[]}\n"
    "on call:out 5\n"
    " result {\"content\":[],\"isError\":true}\n"
    "on call:out 6\n"
    " result {\"content\":[],\"structuredContent\":%a}\n";

static void
up(int option, int policy, const char *keys)
{
    char all[256];

    hr_up(&hr);
    if (option)
        hr_option(&hr, option, policy);
    snprintf(all, sizeof(all), "truely-stateless: true\nera: legacy\n%s", keys);
    hr_server(&hr, "a", all, script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static int
refusal(const char *tool, const char *arguments, const char **ret_why)
{
    static char why[512];
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    int r = mcphost_call_new(d, tool, arguments, strlen(arguments), &call, &err);

    snprintf(why, sizeof(why), "%s", err ? mcphost_error_get_message(err) : "");
    mcphost_error_unref(err);
    mcphost_call_unref(call);
    if (ret_why)
        *ret_why = why;
    return r;
}

/* R54 K17 */
START_TEST(by_default_any_object_is_accepted_as_arguments)
{
    up(0, 0, "");
    ck_assert_str_eq(hr_say(&hr, d, "a_number", "{\"n\":\"three\"}"), "counted");
    ck_assert_str_eq(hr_say(&hr, d, "a_broken", "{}"), "called");
    ck_assert_int_eq(hr_end(&hr, hr_start(&hr, d, "a_out", "{\"n\":\"x\"}")), 0);
    hr_down(&hr);
}
END_TEST

/* R54 K17 */
START_TEST(full_checks_arguments_before_the_call)
{
    const char *why;

    up(MCPHOST_OPT_ARGUMENTS, MCPHOST_ARGUMENTS_FULL, "");
    ck_assert_str_eq(hr_say(&hr, d, "a_number", "{\"n\":3}"), "counted");
    ck_assert_int_eq(refusal("a_number", "{\"n\":0,\"m\":1}", &why), MCPHOST_E_INVALID);
    ck_assert_str_eq(why, "arguments of tool 'a_number': at /n: expected a number of at "
                          "least 1, found number 0; at the top: expected no members but "
                          "'n', found the member 'm'");
    ck_assert_int_eq(refusal("a_number", "{}", &why), MCPHOST_E_INVALID);
    ck_assert_int_eq(refusal("a_number", "[]", &why), MCPHOST_E_INVALID);
    ck_assert_str_eq(why, "arguments of tool 'a_number': expected object, found array at "
                          "line 1, column 1");
    ck_assert_int_eq(refusal("a_number", "{\"n\":1,\"n\":2}", &why), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

/* R54: the number has 9,000 digits.  Each digit costs a step. */
START_TEST(arguments_that_cost_too_many_steps_to_check_are_refused)
{
    static const int steps[] = {1000, 10000};
    static char arguments[9100];
    const char *why;

    memset(arguments, '1', sizeof(arguments));
    memcpy(arguments, "{\"n\":", 5);
    memcpy(arguments + 9005, "}", 2);
    for (int i = 0; i < 2; i++) {
        up(MCPHOST_OPT_SCHEMA_STEPS, steps[i], "arguments: full\n");
        ck_assert_int_eq(refusal("a_number", arguments, &why),
                         i == 0 ? MCPHOST_E_LIMIT : 0);
        ck_assert_str_eq(
            why,
            i == 0 ? "arguments of tool 'a_number': checking takes too many steps" : "");
        hr_down(&hr);
    }
}
END_TEST

/* R54: the host refuses arguments that it cannot check. */
START_TEST(full_refuses_a_call_of_a_tool_with_an_invalid_schema)
{
    const char *why;

    up(MCPHOST_OPT_ARGUMENTS, MCPHOST_ARGUMENTS_FULL, "");
    ck_assert_int_eq(refusal("a_broken", "{}", &why), MCPHOST_E_INVALID);
    ck_assert_str_eq(why,
                     "tool 'a_broken': schema at '#/minProperties': expected a number "
                     "that is not negative");
    hr_down(&hr);
}
END_TEST

/* Calls the tool `filled` with these arguments.  Returns the arguments that the tool
 * got. */
static const char *
filled(const char *arguments)
{
    static char given[200];
    mcphost_call *call = hr_start(&hr, d, "a_filled", arguments);
    const char *json;
    size_t len;

    ck_assert_int_eq(hr_end(&hr, call), 0);
    json = mcphost_result_get_structured(mcphost_call_get_result(call), &len);
    snprintf(given, sizeof(given), "%.*s", (int)len, json);
    return given;
}

/* R54 */
START_TEST(complete_adds_defaults_to_arguments_before_the_call)
{
    const char *why;

    up(0, 0, "arguments: complete");
    ck_assert_str_eq(filled("{}"), "{\"n\":12}");
    ck_assert_str_eq(filled(" { \"of\" : {} } "), "{\"of\":{\"m\":[]},\"n\":12}");
    ck_assert_str_eq(filled("{\"n\":1,\"of\":{\"m\":2}}"), "{\"n\":1,\"of\":{\"m\":2}}");
    ck_assert_int_eq(refusal("a_filled", "{\"n\":\"x\"}", &why), MCPHOST_E_INVALID);
    ck_assert_str_eq(why, "arguments of tool 'a_filled': at /n: expected integer, found "
                          "string \"x\"");
    /* The host checks a default as it checks an argument. */
    ck_assert_int_eq(refusal("a_misfit", "{}", &why), MCPHOST_E_INVALID);
    ck_assert_int_eq(refusal("a_number", "{}", &why), MCPHOST_E_INVALID);
    ck_assert_int_eq(refusal("a_broken", "{}", &why), MCPHOST_E_INVALID);
    ck_assert_int_eq(refusal("a_filled", "[]", &why), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

/* R54: only the policy `complete` adds defaults. */
START_TEST(full_adds_no_defaults_to_arguments)
{
    up(MCPHOST_OPT_ARGUMENTS, MCPHOST_ARGUMENTS_FULL, "");
    ck_assert_str_eq(filled(" {\"n\":1,\"of\":{}}"), "{\"n\":1,\"of\":{}}");
    ck_assert_int_eq(refusal("a_filled", "{}", NULL), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

/* R54, K17: the key `arguments` of an entry overrides the option for its server. */
START_TEST(arguments_in_a_servers_entry_override_the_option)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ARGUMENTS, MCPHOST_ARGUMENTS_FULL);
    hr_server(&hr, "a", "truely-stateless: true\narguments: object", script);
    hr_server(&hr, "b", "truely-stateless: true", script);
    hr_server(&hr, "c", "truely-stateless: true\narguments: off", script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "a_number", "{}"), "counted");
    ck_assert_int_eq(refusal("b_number", "{}", NULL), MCPHOST_E_INVALID);
    ck_assert_str_eq(hr_say(&hr, d, "c_number", "[]"), "counted");
    ck_assert_int_eq(refusal("a_number", "[]", NULL), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

static int
out(const char *arguments)
{
    return hr_end(&hr, hr_start(&hr, d, "a_out", arguments));
}

/* R54 */
START_TEST(with_results_report_content_that_violates_its_schema_is_a_problem)
{
    up(0, 0, "results: report");
    ck_assert_int_eq(out("{\"n\":1}"), 0);
    ck_assert_ptr_null(hr_problem(&hr, "mcp/tool_result/a.out"));
    ck_assert_int_eq(out("{\"n\":\"x\"}"), 0);
    ck_assert_str_eq(hr_problem(&hr, "mcp/tool_result/a.out"),
                     "structured content of tool 'a_out': at /n: expected integer, found "
                     "string \"x\"");
    ck_assert_int_eq(hr_severity(&hr, "mcp/tool_result/a.out"), MCPHOST_SEVERITY_WARNING);
    ck_assert_int_eq(out("{\"n\":2}"), 0);
    ck_assert_ptr_null(hr_problem(&hr, "mcp/tool_result/a.out"));
    ck_assert_int_eq(out("{}"), 0); /* the fourth result has no structured content */
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/tool_result/a.out"));
    hr_down(&hr);
}
END_TEST

/* R54 */
START_TEST(with_results_fail_content_that_violates_its_schema_fails_the_call)
{
    mcphost_call *call;

    up(MCPHOST_OPT_RESULTS, MCPHOST_RESULTS_FAIL, "");
    ck_assert_int_eq(out("{\"n\":1}"), 0);
    call = hr_start(&hr, d, "a_out", "{\"n\":\"x\"}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_PROTOCOL);
    ck_assert_str_eq(hr_why(call),
                     "server 'a': structured content of tool 'a_out': at /n: expected "
                     "integer, found string \"x\"");
    ck_assert_ptr_null(mcphost_call_get_result(call));
    ck_assert_int_eq(out("{\"n\":1}"), 0);
    ck_assert_int_eq(out("{}"), MCPHOST_E_PROTOCOL);
    ck_assert_int_eq(out("{}"), 0); /* the fifth result has isError */
    ck_assert_str_eq(hr_say(&hr, d, "a_number", "{}"),
                     "counted"); /* this tool has no output schema */
    hr_down(&hr);
}
END_TEST

START_TEST(the_validation_options_have_defaults_and_valid_ranges)
{
    int64_t value = -1;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_get_option(hr.host, MCPHOST_OPT_ARGUMENTS, &value), 0);
    ck_assert_int_eq(value, MCPHOST_ARGUMENTS_OBJECT);
    ck_assert_int_eq(mcphost_get_option(hr.host, MCPHOST_OPT_RESULTS, &value), 0);
    ck_assert_int_eq(value, MCPHOST_RESULTS_OFF);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_ARGUMENTS, 4),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_RESULTS, 3),
                     MCPHOST_E_INVALID);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "validate");

    tcase_add_test(tc, by_default_any_object_is_accepted_as_arguments);
    tcase_add_test(tc, full_checks_arguments_before_the_call);
    tcase_add_test(tc, arguments_that_cost_too_many_steps_to_check_are_refused);
    tcase_add_test(tc, full_refuses_a_call_of_a_tool_with_an_invalid_schema);
    tcase_add_test(tc, complete_adds_defaults_to_arguments_before_the_call);
    tcase_add_test(tc, full_adds_no_defaults_to_arguments);
    tcase_add_test(tc, arguments_in_a_servers_entry_override_the_option);
    tcase_add_test(tc, with_results_report_content_that_violates_its_schema_is_a_problem);
    tcase_add_test(tc, with_results_fail_content_that_violates_its_schema_fails_the_call);
    tcase_add_test(tc, the_validation_options_have_defaults_and_valid_ranges);
}

int
main(void)
{
    return test_main("host-validate", add);
}
