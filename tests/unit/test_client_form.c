/* SPDX-License-Identifier: MIT
 *
 * test_client_form.c - the forms of elicitation: schemas, answers, defaults.
 */
#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "support/runner.h"

static char text[4096];

/* Answers a form with `content`.  The form has one required field `x` with the schema
 * `field`.  Then `text` holds the filled form or the error. */
static int
fill_form(const char *field, const char *content)
{
    char schema[1024];
    struct mcph_buf buf;
    mcphost_error *err = NULL;
    int r;

    snprintf(schema, sizeof(schema),
             "{\"type\":\"object\",\"properties\":{\"x\":%s},\"required\":[\"x\"]}",
             field);
    ck_assert_int_eq(mcph_json_check(mcph_span_str(schema), 0, NULL, NULL), 0);
    ck_assert_int_eq(mcph_form_check(mcph_span_str(schema), NULL), 0);
    mcph_buf_init(&buf, sizeof(text) - 1);
    r = mcph_form_fill(mcph_span_str(schema), mcph_span_str(content), &buf, &err);
    ck_assert_int_eq(r < 0, err != NULL);
    snprintf(text, sizeof(text), "%.*s", (int)buf.len, buf.data ? buf.data : "");
    if (err)
        snprintf(text, sizeof(text), "%s", mcphost_error_get_message(err));
    mcphost_error_unref(err);
    mcph_buf_done(&buf);
    return r;
}

static int
check_form(const char *schema)
{
    mcphost_error *err = NULL;
    int r = mcph_form_check(mcph_span_str(schema), &err);

    ck_assert_int_eq(r < 0, err != NULL);
    snprintf(text, sizeof(text), "%s", err ? mcphost_error_get_message(err) : "");
    mcphost_error_unref(err);
    return r;
}

/* ---- schemas ----------------------------------------------------------------------- */

#define STRING "{\"type\":\"string\"}"
#define CHOICE "{\"type\":\"string\",\"enum\":[\"a\",\"\\u0062\"]}"
#define TITLED "{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}]}"
#define MULTI                                                                     \
    "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}," \
    "\"minItems\":1,\"maxItems\":2}"
#define TITLEDS \
    "{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\",\"title\":\"A\"}]}}"
#define OBJECT(properties) "{\"type\":\"object\",\"properties\":" properties "}"

static const char *const bad_schemas[] = {
    "1",
    "{\"properties\":{}}",
    "{\"type\":\"array\",\"properties\":{}}",
    "{\"type\":\"object\"}",
    OBJECT("[]"),
    OBJECT("{\"x\":1}"),
    OBJECT("{\"x\":{}}"),
    OBJECT("{\"x\":{\"type\":\"object\",\"properties\":{}}}"),
    OBJECT("{\"x\":{\"type\":[\"string\",\"null\"]}}"),
    OBJECT("{\"x\":{\"type\":\"array\"}}"),
    OBJECT("{\"x\":{\"type\":\"array\",\"items\":" STRING "}}"),
    OBJECT("{\"x\":{\"type\":\"string\",\"enum\":1}}"),
    OBJECT("{\"x\":{\"type\":\"string\",\"enum\":[1]}}"),
    OBJECT("{\"x\":{\"type\":\"string\",\"oneOf\":[{\"title\":\"A\"}]}}"),
};

/* MCP 2025-11-25, Elicitation: the restricted subset of JSON Schema. */
START_TEST(a_form_that_asks_for_other_than_plain_values_is_refused)
{
    ck_assert_int_eq(check_form(bad_schemas[_i]), MCPHOST_E_PROTOCOL);
    ck_assert_int_gt((int)strlen(text), 10);
}
END_TEST

START_TEST(every_type_of_plain_value_is_accepted)
{
    ck_assert_int_eq(check_form(OBJECT("{\"a\":" STRING ",\"b\":" CHOICE ",\"c\":" TITLED
                                       ",\"d\":" MULTI ",\"e\":" TITLEDS
                                       ",\"f\":{\"type\":\"number\"},\"g\":{\"type\":"
                                       "\"integer\"},\"h\":{\"type\":\"boolean\"}}")),
                     0);
}
END_TEST

/* ---- answers ----------------------------------------------------------------------- */

static const struct {
    const char *field, *value;
    bool fits;
} values[] = {
    {STRING, "\"\"", true},
    {STRING, "1", false},
    {STRING, "null", false},
    {"{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}", "\"\\u00e4b\"", true},
    {"{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}", "\"\xc3\xa4\"", false},
    {"{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}", "\"abcd\"", false},
    {CHOICE, "\"b\"", true},
    {CHOICE, "\"c\"", false},
    {CHOICE, "1", false},
    {TITLED, "\"a\"", true},
    {TITLED, "\"A\"", false},
    {MULTI, "[\"a\",\"b\"]", true},
    {MULTI, "[]", false},
    {MULTI, "[\"a\",\"a\",\"a\"]", false},
    {MULTI, "[\"c\"]", false},
    {MULTI, "\"a\"", false},
    {TITLEDS, "[\"a\"]", true},
    {TITLEDS, "[1]", false},
    {"{\"type\":\"boolean\"}", "true", true},
    {"{\"type\":\"boolean\"}", "0", false},
    {"{\"type\":\"integer\"}", "-3", true},
    {"{\"type\":\"integer\"}", "3.0", true},
    {"{\"type\":\"integer\"}", "3.5", false},
    {"{\"type\":\"integer\"}", "1e300", false},
    {"{\"type\":\"number\",\"minimum\":0,\"maximum\":1.5}", "1.5", true},
    {"{\"type\":\"number\",\"minimum\":0,\"maximum\":1.5}", "1.6", false},
    {"{\"type\":\"number\",\"minimum\":0,\"maximum\":1.5}", "-1", false},
    {"{\"type\":\"number\"}", "1e400", false},
    {"{\"type\":\"string\",\"format\":\"email\"}", "\"a@b.example\"", true},
    {"{\"type\":\"string\",\"format\":\"email\"}", "\"a.b.example\"", false},
    {"{\"type\":\"string\",\"format\":\"email\"}", "\"a@b@c\"", false},
    {"{\"type\":\"string\",\"format\":\"email\"}", "\"@b\"", false},
    {"{\"type\":\"string\",\"format\":\"email\"}", "\"a b@c\"", false},
    {"{\"type\":\"string\",\"format\":\"uri\"}", "\"https://x/\"", true},
    {"{\"type\":\"string\",\"format\":\"uri\"}", "\"urn:a\"", true},
    {"{\"type\":\"string\",\"format\":\"uri\"}", "\"/x\"", false},
    {"{\"type\":\"string\",\"format\":\"uri\"}", "\"a:\"", false},
    {"{\"type\":\"string\",\"format\":\"uri\"}", "\"\"", false},
    {"{\"type\":\"string\",\"format\":\"date\"}", "\"2024-02-29\"", true},
    {"{\"type\":\"string\",\"format\":\"date\"}", "\"2023-02-29\"", false},
    {"{\"type\":\"string\",\"format\":\"date\"}", "\"2100-02-29\"", false},
    {"{\"type\":\"string\",\"format\":\"date\"}", "\"2024-13-01\"", false},
    {"{\"type\":\"string\",\"format\":\"date\"}", "\"2024-1-01\"", false},
    {"{\"type\":\"string\",\"format\":\"date-time\"}", "\"2024-02-29T10:00:00Z\"", true},
    {"{\"type\":\"string\",\"format\":\"date-time\"}", "\"2024-02-29T10:00:00.5+01:00\"",
     true},
    {"{\"type\":\"string\",\"format\":\"date-time\"}", "\"2024-02-29T10:00:00\"", false},
    {"{\"type\":\"string\",\"format\":\"date-time\"}", "\"2024-02-29T10:00:00.Z\"",
     false},
    {"{\"type\":\"string\",\"format\":\"date-time\"}", "\"2024-02-29T25:00:00Z\"", false},
    {"{\"type\":\"string\",\"format\":\"date-time\"}", "\"2024-02-29T10:00:00.1\"",
     false},
    {"{\"type\":\"string\",\"format\":\"who-knows\"}", "\"x\"", true},
};

START_TEST(an_answer_must_fit_its_field)
{
    char content[256];
    int r;

    snprintf(content, sizeof(content), "{\"x\":%s}", values[_i].value);
    r = fill_form(values[_i].field, content);
    ck_assert_msg(r == (values[_i].fits ? 0 : MCPHOST_E_INVALID), "%s as %s: %d %s",
                  values[_i].value, values[_i].field, r, text);
}
END_TEST

START_TEST(unknown_and_duplicate_fields_are_refused)
{
    ck_assert_int_eq(fill_form(STRING, "{\"x\":\"a\",\"y\":1}"), MCPHOST_E_INVALID);
    ck_assert_str_eq(text, "the form's field \"y\" is not a field of the requested form");
    ck_assert_int_eq(fill_form(STRING, "{\"x\":\"a\",\"x\":\"b\"}"), MCPHOST_E_INVALID);
    ck_assert_str_eq(text, "the form's field \"x\" was answered twice");
}
END_TEST

START_TEST(a_missing_required_field_is_refused)
{
    ck_assert_int_eq(fill_form(STRING, "{}"), MCPHOST_E_INVALID);
    ck_assert_str_eq(text, "the form's field \"x\" is required");
    ck_assert_int_eq(fill_form(STRING, NULL), MCPHOST_E_INVALID);
}
END_TEST

/* ---- defaults ---------------------------------------------------------------------- */

static const struct {
    const char *field, *filled;
} defaults[] = {
    {"{\"type\":\"string\",\"default\":\"d\"}", "{\"x\":\"d\"}"},
    {"{\"type\":\"integer\",\"default\":0}", "{\"x\":0}"},
    {"{\"type\":\"number\",\"default\":95.5}", "{\"x\":95.5}"},
    {"{\"type\":\"boolean\",\"default\":false}", "{\"x\":false}"},
    {"{\"type\":\"string\",\"enum\":[\"a\"],\"default\":\"a\"}", "{\"x\":\"a\"}"},
    {"{\"type\":\"array\",\"items\":{\"enum\":[\"a\"]},\"default\":[\"a\"]}",
     "{\"x\":[\"a\"]}"},
};

/* MCP 2025-11-25, Elicitation: defaults. */
START_TEST(a_field_that_is_left_out_gets_its_default)
{
    ck_assert_int_eq(fill_form(defaults[_i].field, "{}"), 0);
    ck_assert_str_eq(text, defaults[_i].filled);
}
END_TEST

START_TEST(an_answer_replaces_the_default)
{
    ck_assert_int_eq(fill_form(defaults[0].field, "{ \"x\" : \"mine\" }"), 0);
    ck_assert_str_eq(text, "{\"x\":\"mine\"}");
}
END_TEST

START_TEST(a_default_that_does_not_fit_is_ignored)
{
    ck_assert_int_eq(
        fill_form("{\"type\":\"string\",\"enum\":[\"a\"],\"default\":\"b\"}", "{}"),
        MCPHOST_E_INVALID);
}
END_TEST

START_TEST(the_defaults_leave_out_fields_without_a_valid_default)
{
    static const char schema[] =
        OBJECT("{\"a\":" STRING ",\"b\":{\"type\":\"integer\",\"default\":7},"
               "\"c\":{\"type\":\"integer\",\"default\":\"7\"}}");
    struct mcph_buf buf;

    mcph_buf_init(&buf, 1024);
    ck_assert_int_eq(mcph_form_defaults(mcph_span_str(schema), &buf), 0);
    ck_assert(mcph_span_is(mcph_span(buf.data, buf.len), "{\"b\":7}"));
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(an_answer_has_the_order_of_the_form)
{
    static const char schema[] = OBJECT("{\"b\":" STRING ",\"a\":" STRING "}");
    struct mcph_buf buf;

    mcph_buf_init(&buf, 1024);
    ck_assert_int_eq(mcph_form_fill(mcph_span_str(schema),
                                    mcph_span_str("{\"a\":\"1\",\"b\":\"2\"}"), &buf,
                                    NULL),
                     0);
    ck_assert(mcph_span_is(mcph_span(buf.data, buf.len), "{\"b\":\"2\",\"a\":\"1\"}"));
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(an_answer_over_the_limit_is_refused)
{
    struct mcph_buf buf;
    mcphost_error *err = NULL;

    mcph_buf_init(&buf, 8);
    ck_assert_int_eq(mcph_form_fill(mcph_span_str(OBJECT("{\"b\":" STRING "}")),
                                    mcph_span_str("{\"b\":\"0123456789\"}"), &buf, &err),
                     MCPHOST_E_LIMIT);
    mcphost_error_unref(err);
    mcph_buf_done(&buf);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "forms");

    tcase_add_loop_test(tc, a_form_that_asks_for_other_than_plain_values_is_refused, 0,
                        (int)MCPH_ARRAY_SIZE(bad_schemas));
    tcase_add_test(tc, every_type_of_plain_value_is_accepted);
    tcase_add_loop_test(tc, an_answer_must_fit_its_field, 0,
                        (int)MCPH_ARRAY_SIZE(values));
    tcase_add_test(tc, unknown_and_duplicate_fields_are_refused);
    tcase_add_test(tc, a_missing_required_field_is_refused);
    tcase_add_loop_test(tc, a_field_that_is_left_out_gets_its_default, 0,
                        (int)MCPH_ARRAY_SIZE(defaults));
    tcase_add_test(tc, an_answer_replaces_the_default);
    tcase_add_test(tc, a_default_that_does_not_fit_is_ignored);
    tcase_add_test(tc, the_defaults_leave_out_fields_without_a_valid_default);
    tcase_add_test(tc, an_answer_has_the_order_of_the_form);
    tcase_add_test(tc, an_answer_over_the_limit_is_refused);
}

int
main(void)
{
    return test_main("client-form", add);
}
