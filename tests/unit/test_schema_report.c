/* SPDX-License-Identifier: MIT
 *
 * test_schema_report.c - error reports that help a model to correct a value, and
 * defaults.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "support/schemarig.h"

static mcphost_schema_report *
report_of(const char *text, const char *value, uint64_t flags, int expected)
{
    mcphost_schema *schema = sch_new(text);
    const char *json = sch_quoted(value);
    mcphost_schema_report *report = NULL;

    ck_assert_int_eq(
        mcphost_schema_validate(schema, json, strlen(json), flags, &report, NULL),
        expected);
    mcphost_schema_unref(schema);
    return report;
}

START_TEST(an_error_has_the_place_and_the_expected_and_found_values) /* R54 */
{
    mcphost_schema_report *report =
        report_of("{'properties':{'a/b':{'items':{'type':['integer','null']}}}}",
                  "{'a/b':[1,'x']}", 0, MCPHOST_SCHEMA_INVALID);

    ck_assert_uint_eq(mcphost_schema_report_count_errors(report), 1);
    ck_assert_str_eq(mcphost_schema_report_get_instance_path(report, 0), "/a~1b/1");
    ck_assert_str_eq(mcphost_schema_report_get_schema_path(report, 0),
                     "#/properties/a~1b/items/type");
    ck_assert_str_eq(mcphost_schema_report_get_keyword(report, 0), "type");
    ck_assert_str_eq(mcphost_schema_report_get_expected(report, 0), "integer or null");
    ck_assert_str_eq(mcphost_schema_report_get_found(report, 0), "string \"x\"");
    ck_assert_str_eq(mcphost_schema_report_get_text(report),
                     "at /a~1b/1: expected integer or null, found string \"x\"");
    ck_assert_ptr_null(mcphost_schema_report_get_keyword(report, 1));
    ck_assert_ptr_null(mcphost_schema_report_get_instance(report, NULL));
    ck_assert_ptr_eq(mcphost_schema_report_ref(report), report);
    mcphost_schema_report_unref(report);
    ck_assert_ptr_null(mcphost_schema_report_unref(report));
}
END_TEST

START_TEST(each_keyword_has_its_own_error_text) /* R54 */
{
    static const struct {
        const char *schema, *value, *line;
    } all[] = {
        {"{'required':['a','b'],'properties':{'a':{}}}", "{}",
         "at the top: expected the member 'a', found no such member; "
         "at the top: expected the member 'b', found no such member"},
        {"{'properties':{'a':{},'b':{}},'additionalProperties':false}", "{'c':1}",
         "at the top: expected no members but 'a', 'b', found the member 'c'"},
        {"{'unevaluatedProperties':false}", "{'c':1}",
         "at the top: expected no such member, found the member 'c'"},
        {"{'enum':['a',5]}", "'b'",
         "at the top: expected one of [\"a\",5], found string \"b\""},
        {"{'const':{'a':1}}", "[1,2]",
         "at the top: expected {\"a\":1}, found an array with 2 items"},
        {"{'minimum':5}", "4",
         "at the top: expected a number of at least 5, found number 4"},
        {"{'exclusiveMaximum':5}", "5",
         "at the top: expected a number below 5, found number 5"},
        {"{'multipleOf':0.5}", "0.7",
         "at the top: expected a multiple of 0.5, found number 0.7"},
        {"{'minLength':1}", "''",
         "at the top: expected a string of at least 1 character, found string \"\""},
        {"{'maxItems':1}", "[1,2]", "at the top: expected at most 1 item, found 2"},
        {"{'minProperties':2}", "{}", "at the top: expected at least 2 members, found 0"},
        {"{'pattern':'^a'}", "'b'",
         "at the top: expected a string that matches the pattern ^a, found string \"b\""},
        {"{'uniqueItems':true}", "[1,2,1]",
         "at the top: expected items that differ from each other, found the same at 0 "
         "and "
         "at 2"},
        {"{'contains':{'type':'string'}}", "[1]",
         "at the top: expected at least 1 item that fits the schema in 'contains', found "
         "0"},
        {"{'not':{}}", "true",
         "at the top: expected a value that does not fit the schema in 'not', found "
         "true"},
        {"{'dependentRequired':{'a':['b']}}", "{'a':1}",
         "at the top: expected the member 'b', since there is 'a', found no such member"},
        {"{'properties':{'a':false}}", "{'a':null}",
         "at /a: expected nothing, found null"},
        {"{'propertyNames':{'maxLength':1}}", "{'ab':1}",
         "at /ab: expected a string of at most 1 character, found string \"ab\""},
        {"{'oneOf':[{'minimum':1},{'minimum':2}]}", "3",
         "at the top: expected a value that fits exactly one of 2 alternatives, not both "
         "number 1 and number 2, found number 3"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        ck_assert_str_eq(sch_line(all[i].schema, all[i].value), all[i].line);
}
END_TEST

START_TEST(the_errors_of_the_most_fitting_alternative_are_reported) /* R54 */
{
    ck_assert_str_eq(
        sch_line("{'anyOf':[{'type':'null'},{'$ref':'#/$defs/o'}],'$defs':{"
                 "'o':{'type':'object','properties':{'a':{'type':'string'}}}}}",
                 "{'a':1}"),
        "at /a: expected string, found number 1");
    ck_assert_str_eq(
        sch_line("{'oneOf':[{'type':'string'},{'type':'integer'}]}", "[]"),
        "at the top: expected string or integer, found an array with 0 items");
    ck_assert_str_eq(
        sch_line("{'anyOf':[{'minimum':3},{'maximum':1}]}", "2"),
        "at the top: expected a value that fits one of 2 alternatives, found "
        "number 2");
}
END_TEST

START_TEST(failures_inside_anyof_if_not_and_contains_are_not_reported)
{
    ck_assert_str_eq(sch_line("{'anyOf':[{'type':'string'},{'minimum':1}],"
                              "'if':{'const':5},'then':{'maximum':1},"
                              "'not':{'type':'null'},'contains':{'const':1}}",
                              "4"),
                     "");
}
END_TEST

START_TEST(errors_beyond_the_limit_are_counted)
{
    const char *json = sch_quoted("{'items':{'type':'string'}}"), *list;
    mcphost_schema_report *report = NULL;
    mcphost_schema *schema;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_ERRORS, 2),
                     0);
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL), 0);
    list = "[1,2,3,4,5]";
    ck_assert_int_eq(
        mcphost_schema_validate(schema, list, strlen(list), 0, &report, NULL),
        MCPHOST_SCHEMA_INVALID);
    ck_assert_uint_eq(mcphost_schema_report_count_errors(report), 2);
    ck_assert_str_eq(
        mcphost_schema_report_get_text(report),
        "at /0: expected string, found number 1; at /1: expected string, found "
        "number 2; and 3 more");
    mcphost_schema_report_unref(report);
    mcphost_schema_unref(schema);
}
END_TEST

START_TEST(the_json_of_a_report_is_valid)
{
    mcphost_schema_report *report =
        report_of("{'additionalProperties':{'const':'\\u0000\\n'}}",
                  "{'\\u0000\"'.replace':'\\\"\\n\\u2028','b':5}", 0, MCPHOST_E_INVALID);
    const char *json;
    json_t *array;
    size_t len;

    ck_assert_ptr_null(report);
    report =
        report_of("{'additionalProperties':{'const':'\\u0000\\n'}}",
                  "{'\\u0000\\'':'\\\\\\n\\u2028','b':5}", 0, MCPHOST_SCHEMA_INVALID);
    json = mcphost_schema_report_get_json(report, &len);
    ck_assert_uint_eq(strlen(json), len);
    array = json_loads(json, 0, NULL);
    ck_assert_ptr_nonnull(array);
    ck_assert_uint_eq(json_array_size(array), 2);
    ck_assert_str_eq(
        json_string_value(json_object_get(json_array_get(array, 1), "instancePath")),
        "/b");
    ck_assert_str_eq(
        json_string_value(json_object_get(json_array_get(array, 1), "schemaPath")),
        "#/additionalProperties/const");
    ck_assert_uint_eq(json_object_size(json_array_get(array, 0)), 5);
    ck_assert_ptr_null(strchr(mcphost_schema_report_get_text(report), '\n'));
    json_decref(array);
    mcphost_schema_report_unref(report);

    report = report_of("{}", "1", 0, MCPHOST_SCHEMA_VALID);
    ck_assert_str_eq(mcphost_schema_report_get_json(report, NULL), "[]");
    ck_assert_str_eq(mcphost_schema_report_get_text(report), "");
    mcphost_schema_report_unref(report);
    ck_assert_uint_eq(mcphost_schema_report_count_errors(NULL), 0);
    ck_assert_ptr_null(mcphost_schema_report_get_text(NULL));
    ck_assert_ptr_null(mcphost_schema_report_get_json(NULL, NULL));
}
END_TEST

START_TEST(a_name_of_megabytes_does_not_fill_the_report)
{
    size_t n = 3 * 1024 * 1024;
    char *value = malloc(n + 16);
    mcphost_schema *schema = sch_new("{'additionalProperties':{'type':'string'}}");
    mcphost_schema_report *report = NULL;

    ck_assert_ptr_nonnull(value);
    memset(value, 'a', n + 2);
    memcpy(value, "{\"", 2);
    memcpy(value + n, "\":1}", 5);
    ck_assert_int_eq(mcphost_schema_validate(schema, value, n + 4, 0, &report, NULL),
                     MCPHOST_SCHEMA_INVALID);
    ck_assert_uint_eq(mcphost_schema_report_count_errors(report), 0);
    ck_assert_str_eq(mcphost_schema_report_get_text(report), "and 1 more");
    mcphost_schema_report_unref(report);
    mcphost_schema_unref(schema);
    free(value);
}
END_TEST

/* ---- defaults ---------------------------------------------------------------------- */

static void
expect_completed(const char *text, const char *value, int verdict, const char *completed)
{
    mcphost_schema_report *report =
        report_of(text, value, MCPHOST_SCHEMA_DEFAULTS, verdict);
    size_t len;

    ck_assert_str_eq(mcphost_schema_report_get_instance(report, &len),
                     sch_quoted(completed));
    ck_assert_uint_eq(strlen(mcphost_schema_report_get_instance(report, NULL)), len);
    mcphost_schema_report_unref(report);
}

START_TEST(defaults_are_added_only_with_the_flag) /* R51 R54 */
{
    static const char text[] = "{'properties':{'a':{'default':1.50},'b':{'default':{}},"
                               "'c':{}},'required':['a']}";

    expect_completed(text, "{}", MCPHOST_SCHEMA_VALID, "{'a':1.50,'b':{}}");
    expect_completed(text, "{'a': null }", MCPHOST_SCHEMA_VALID, "{'a': null ,'b':{}}");
    expect_completed(text, " { 'b':1 } ", MCPHOST_SCHEMA_VALID, "{ 'b':1 ,'a':1.50}");
    expect_completed(text, "[1]", MCPHOST_SCHEMA_VALID, "[1]");
    ck_assert_int_eq(sch_check(text, "{}"), MCPHOST_SCHEMA_INVALID);
}
END_TEST

START_TEST(defaults_are_found_through_items_references_and_all_of)
{
    expect_completed("{'items':{'$ref':'#/$defs/o'},'$defs':{'o':{'allOf':[{'properties':"
                     "{'a':{'default':1}}},{'properties':{'a':{'default':2}}}]}}}",
                     "[{},{'a':5},3]", MCPHOST_SCHEMA_VALID, "[{'a':1},{'a':5},3]");
    /* The library also completes an added default with defaults. */
    expect_completed(
        "{'properties':{'o':{'default':{},'properties':{'x':{'default':[]}}}}}", "{}",
        MCPHOST_SCHEMA_VALID, "{'o':{'x':[]}}");
    /* The library adds no default if the schema leaves a choice. */
    expect_completed("{'anyOf':[{'properties':{'a':{'default':1}}},true]}", "{}",
                     MCPHOST_SCHEMA_VALID, "{}");
}
END_TEST

START_TEST(an_added_default_is_checked_too)
{
    expect_completed("{'properties':{'a':{'type':'string','default':5}}}", "{}",
                     MCPHOST_SCHEMA_INVALID, "{'a':5}");
}
END_TEST

START_TEST(recursive_defaults_end_with_e_limit)
{
    ck_assert_ptr_null(report_of("{'properties':{'a':{'$ref':'#','default':{}}}}", "{}",
                                 MCPHOST_SCHEMA_DEFAULTS, MCPHOST_E_LIMIT));
    ck_assert_ptr_null(report_of("{'allOf':[{'$ref':'#'},{'$ref':'#'}]}", "{}",
                                 MCPHOST_SCHEMA_DEFAULTS, MCPHOST_E_LIMIT));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "report");

    tcase_add_test(tc, an_error_has_the_place_and_the_expected_and_found_values);
    tcase_add_test(tc, each_keyword_has_its_own_error_text);
    tcase_add_test(tc, the_errors_of_the_most_fitting_alternative_are_reported);
    tcase_add_test(tc, failures_inside_anyof_if_not_and_contains_are_not_reported);
    tcase_add_test(tc, errors_beyond_the_limit_are_counted);
    tcase_add_test(tc, the_json_of_a_report_is_valid);
    tcase_add_test(tc, a_name_of_megabytes_does_not_fill_the_report);
    tcase_add_test(tc, defaults_are_added_only_with_the_flag);
    tcase_add_test(tc, defaults_are_found_through_items_references_and_all_of);
    tcase_add_test(tc, an_added_default_is_checked_too);
    tcase_add_test(tc, recursive_defaults_end_with_e_limit);
}

int
main(void)
{
    return test_main("schema-report", add);
}
