/* SPDX-License-Identifier: MIT
 *
 * test_json_walk.c - iterating over checked JSON, and reading the values of its scalars.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "support/runner.h"

static struct mcph_span
str(const char *s)
{
    return mcph_span_str(s);
}

START_TEST(members_come_in_their_order_with_their_spans)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;

    mcph_json_iter_init(
        &it, str("{ \"a\" : 1 ,\"b\\n\":[2, {\"x\":\"]}\"}] , \"\":\"\\\"\" }"));
    ck_assert(mcph_json_iter_next(&it, &key, &value));
    ck_assert(mcph_span_is(key, "\"a\"") && mcph_span_is(value, "1"));
    ck_assert(mcph_json_iter_next(&it, &key, &value));
    ck_assert(mcph_span_is(key, "\"b\\n\"") &&
              mcph_span_is(value, "[2, {\"x\":\"]}\"}]"));
    ck_assert(mcph_json_iter_next(&it, &key, &value));
    ck_assert(mcph_span_is(key, "\"\"") && mcph_span_is(value, "\"\\\"\""));
    ck_assert(!mcph_json_iter_next(&it, &key, &value));
    ck_assert(!mcph_json_iter_next(&it, &key, &value));
}
END_TEST

START_TEST(array_elements_have_no_keys)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;

    mcph_json_iter_init(&it, str("[null,[],-1.5e3 ,\"s\"]"));
    ck_assert(mcph_json_iter_next(&it, &key, &value));
    ck_assert_ptr_null(key.p);
    ck_assert(mcph_json_is_null(value));
    ck_assert(mcph_json_iter_next(&it, NULL, &value) && mcph_span_is(value, "[]"));
    ck_assert(mcph_json_iter_next(&it, NULL, &value) && mcph_span_is(value, "-1.5e3"));
    ck_assert(mcph_json_iter_next(&it, NULL, &value) && mcph_span_is(value, "\"s\""));
    ck_assert(!mcph_json_iter_next(&it, NULL, &value));
}
END_TEST

START_TEST(a_value_can_be_entered_before_its_end_is_known)
{
    struct mcph_json_iter it, inner;
    struct mcph_span key, value, part;

    mcph_json_iter_init(&it, str("{\"a\":[1,{\"x\":\"]\"} ] ,\"b\":{} ,\"c\":[2]}"));
    ck_assert(mcph_json_iter_open(&it, &key, &value) && mcph_span_is(key, "\"a\""));
    ck_assert_int_eq(mcph_json_type(value), MCPH_JSON_ARRAY);
    mcph_json_iter_init(&inner, value);
    ck_assert(mcph_json_iter_next(&inner, NULL, &part) && mcph_span_is(part, "1"));
    ck_assert(mcph_json_iter_next(&inner, NULL, &part));
    ck_assert(mcph_span_is(part, "{\"x\":\"]\"}"));
    ck_assert(!mcph_json_iter_next(&inner, NULL, &part));
    ck_assert(!mcph_json_iter_next(&inner, NULL, &part));
    ck_assert(mcph_span_is(mcph_json_iter_past(&it, &inner), "[1,{\"x\":\"]\"} ]"));
    ck_assert(mcph_json_iter_open(&it, &key, &value) && mcph_span_is(key, "\"b\""));
    mcph_json_iter_init(&inner, value);
    ck_assert(!mcph_json_iter_next(&inner, NULL, &part));
    ck_assert(mcph_span_is(mcph_json_iter_past(&it, &inner), "{}"));
    /* If the caller does not report the end of a value, the next step or
     * mcph_json_iter_end() finds that end. */
    ck_assert(mcph_json_iter_open(&it, &key, &value) && mcph_span_is(key, "\"c\""));
    ck_assert(!mcph_json_iter_open(&it, &key, &value));
    mcph_json_iter_init(&it, str("[[1],[2]]"));
    ck_assert(mcph_json_iter_open(&it, NULL, &value));
    ck_assert(mcph_json_iter_open(&it, NULL, &value));
    ck_assert(mcph_span_is(mcph_json_iter_end(&it), "[2]"));
    ck_assert(!mcph_json_iter_next(&it, NULL, &value));
}
END_TEST

START_TEST(line_ends_and_tabs_are_found_at_every_position)
{
    char text[40];

    for (size_t len = 0; len < sizeof(text); len++) {
        memset(text, ' ', sizeof(text));
        ck_assert(mcph_json_is_tight(mcph_span(text, len)));
        for (size_t at = 0; at < len; at++) {
            text[at] = "\n\r\t"[at % 3];
            ck_assert(!mcph_json_is_tight(mcph_span(text, len)));
            text[at] = '\x80';
        }
        ck_assert(mcph_json_is_tight(mcph_span(text, len)));
    }
}
END_TEST

/* Tries brackets in strings, escaped quotes and runs of backslashes at every position of
 * the blocks in which the walk skips containers. */
START_TEST(containers_are_stepped_over_at_every_alignment)
{
    static const char *const insides[] = {
        "]}{[",     "\\\"]}",       "\\\\", "\\\\\\\"]",
        "\\\\\\\\", "\\u005d]\\\"", "",     "Y[_]y\x7f",
    };
    char text[1000], element[300];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(insides); i++) {
        for (int pad = 0; pad < 140; pad++) {
            struct mcph_json_iter it;
            struct mcph_span value;

            snprintf(element, sizeof(element), "[%*s{\"%s\":[\"%s\"]},[[],{}],\"%s\"]",
                     pad, "", insides[i], insides[i], insides[i]);
            snprintf(text, sizeof(text), "[%s,{\"%*s%s\":%s},7]", element, pad, "",
                     insides[i], element);
            ck_assert_int_eq(mcph_json_check(str(text), 0, NULL, NULL), 0);
            mcph_json_iter_init(&it, str(text));
            ck_assert(mcph_json_iter_next(&it, NULL, &value));
            ck_assert(mcph_span_is(value, element));
            ck_assert(mcph_json_iter_next(&it, NULL, &value));
            ck_assert_uint_eq(mcph_json_count(value), 1);
            ck_assert(mcph_json_iter_next(&it, NULL, &value));
            ck_assert(mcph_span_is(value, "7"));
            ck_assert(!mcph_json_iter_next(&it, NULL, &value));
        }
    }
}
END_TEST

START_TEST(scalars_empty_containers_and_missing_values_have_no_elements)
{
    static const char *const none[] = {"{}", "[ ]", "1", "\"[1]\"", "null", NULL};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(none); i++)
        ck_assert_uint_eq(mcph_json_count(str(none[i])), 0);
    ck_assert_uint_eq(mcph_json_count(str("[1,2,3]")), 3);
    ck_assert_uint_eq(mcph_json_count(str("{\"a\":1,\"b\":[1,2]}")), 2);
    ck_assert_int_eq(mcph_json_type(MCPH_SPAN_NONE), MCPH_JSON_ANY);
}
END_TEST

START_TEST(a_member_is_found_by_name_also_if_spelled_with_escapes)
{
    struct mcph_span object = str("{\"x\":{\"name\":0},\"n\\u0061me\":1,\"name\":2}");

    ck_assert(mcph_span_is(mcph_json_get(object, "name"), "1"));
    ck_assert_ptr_null(mcph_json_get(object, "nam").p);
    ck_assert_ptr_null(mcph_json_get(str("[1]"), "name").p);
    ck_assert_ptr_null(mcph_json_get(MCPH_SPAN_NONE, "name").p);
    ck_assert(mcph_span_is(mcph_json_get(mcph_json_get(object, "x"), "name"), "0"));
}
END_TEST

START_TEST(several_members_are_picked_at_once)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("a"), MCPH_JSON_WANT("b")};

    ck_assert_int_eq(mcph_json_pick(str("{\"b\":1,\"c\":{\"a\":0}}"), want, 2), 0);
    ck_assert_ptr_null(want[0].value.p);
    ck_assert(mcph_span_is(want[1].value, "1"));
    ck_assert_int_eq(mcph_json_pick(str("{\"a\":1,\"a\":2}"), want, 2),
                     MCPHOST_E_INVALID);
    ck_assert(mcph_span_is(want[0].value, "1"));
    ck_assert_ptr_null(want[1].value.p);
    ck_assert_int_eq(mcph_json_pick(str("[]"), want, 2), MCPHOST_E_INVALID);
}
END_TEST

static void
expect_text(const char *token, const char *text, size_t len)
{
    struct mcph_buf buf;
    struct mcph_span got;

    mcph_buf_init(&buf, 1000);
    ck_assert_int_eq(mcph_json_string_get(str(token), &buf, &got), 0);
    ck_assert_uint_eq(got.len, len);
    ck_assert_mem_eq(got.p, text, len);
    ck_assert(mcph_json_string_is(str(token), text, len));
    ck_assert(!mcph_json_string_is(str(token), text, len - 1));
    mcph_buf_done(&buf);
}

START_TEST(escapes_are_decoded_to_utf8)
{
    expect_text("\"plain\"", "plain", 5);
    expect_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
    expect_text("\"\\u0041\\u00e4\\u20aC\\ud83d\\ude00z\"",
                "A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z", 11);
    expect_text("\"a\\u0000b\"", "a\0b", 3);
    /* half of a surrogate pair becomes U+FFFD */
    expect_text("\"\\ud800x\"", "\xef\xbf\xbdx", 4);
    expect_text("\"\\udc00\"", "\xef\xbf\xbd", 3);
    expect_text("\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7);
    expect_text("\"\\ud83d\\u0041\"",
                "\xef\xbf\xbd"
                "A",
                4);
}
END_TEST

START_TEST(a_string_without_escapes_is_not_copied)
{
    struct mcph_span token = str("\"h\xc3\xa4llo\""), got;
    struct mcph_buf buf;

    mcph_buf_init(&buf, 0);
    ck_assert_int_eq(mcph_json_string_get(token, &buf, &got), 0);
    ck_assert_ptr_eq(got.p, token.p + 1);
    ck_assert_ptr_null(buf.data);
    ck_assert_int_eq(mcph_json_string_get(str("\"\\n\""), &buf, &got), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_json_string_get(str("1"), &buf, &got), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_json_string_get(MCPH_SPAN_NONE, &buf, &got), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(a_string_decoded_in_steps_is_the_same_as_decoded_at_once)
{
    static const char *const tokens[] = {
        "\"\"",
        "\"a plain run of some length\"",
        "\"\\n\\u0000\\t\"",
        "\"a\\u00e9b\xe2\x82\xac\\ud83d\\ude00\\ud83d\\\\end\"",
        "\"\\\"\\/0123456789\\\\\"",
    };
    struct mcph_json_text text;
    struct mcph_span whole;
    char room[40], said[64];
    size_t n, len;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tokens); i++) {
        for (size_t step = 4; step <= sizeof(room); step++) {
            struct mcph_buf buf;

            mcph_buf_init(&buf, 100);
            ck_assert_int_eq(mcph_json_string_get(str(tokens[i]), &buf, &whole), 0);
            mcph_json_text_init(&text, str(tokens[i]));
            len = 0;
            for (n = mcph_json_text_next(&text, room, step); n;
                 n = mcph_json_text_next(&text, room, step)) {
                ck_assert_uint_le(n, step);
                memcpy(said + len, room, n);
                len += n;
            }
            ck_assert_uint_eq(len, whole.len);
            ck_assert_mem_eq(said, whole.p, len);
            mcph_buf_done(&buf);
        }
    }
    mcph_json_text_init(&text, str("1"));
    ck_assert_uint_eq(mcph_json_text_next(&text, room, sizeof(room)), 0);
}
END_TEST

START_TEST(a_string_with_a_nul_cannot_become_a_c_string)
{
    char *s = NULL;

    ck_assert_int_eq(mcph_json_string_dup(str("\"a\\tb\""), &s), 0);
    ck_assert_str_eq(s, "a\tb");
    free(s);
    s = NULL;
    ck_assert_int_eq(mcph_json_string_dup(str("\"a\\u0000b\""), &s), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_json_string_dup(str("true"), &s), MCPHOST_E_INVALID);
    ck_assert_ptr_null(s);
}
END_TEST

START_TEST(strings_are_compared_by_their_decoded_text)
{
    ck_assert(mcph_json_string_eq(str("\"abc\""), str("\"a\\u0062c\"")));
    ck_assert(
        mcph_json_string_eq(str("\"\\ud83d\\ude00\""), str("\"\xf0\x9f\x98\x80\"")));
    ck_assert(mcph_json_string_eq(str("\"\""), str("\"\"")));
    ck_assert(!mcph_json_string_eq(str("\"abc\""), str("\"abcd\"")));
    ck_assert(!mcph_json_string_eq(str("\"1\""), str("1")));
    ck_assert(!mcph_json_string_eq(str("1"), str("1")));
    ck_assert(!mcph_json_string_is(str("\"\\n\""), "\\n", 2));
}
END_TEST

START_TEST(integers_are_exact_or_refused)
{
    static const char *const bad[] = {"9223372036854775808",
                                      "-9223372036854775809",
                                      "1.0",
                                      "1e2",
                                      "18446744073709551616",
                                      "\"1\"",
                                      "true",
                                      "-"};
    int64_t n = 5;

    ck_assert_int_eq(mcph_json_int64(str("9223372036854775807"), &n), 0);
    ck_assert(n == INT64_MAX);
    ck_assert_int_eq(mcph_json_int64(str("-9223372036854775808"), &n), 0);
    ck_assert(n == INT64_MIN);
    ck_assert_int_eq(mcph_json_int64(str("-0"), &n), 0);
    ck_assert(n == 0);
    n = 5;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad); i++)
        ck_assert_int_eq(mcph_json_int64(str(bad[i]), &n), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_json_int64(MCPH_SPAN_NONE, &n), MCPHOST_E_INVALID);
    ck_assert(n == 5);
}
END_TEST

START_TEST(doubles_are_read_and_written_whatever_the_locale)
{
    struct mcph_buf buf;
    double d = 0;

    (void)setlocale(LC_ALL, "de_DE.UTF-8"); /* no effect if the locale is missing */
    mcph_buf_init(&buf, 1000);
    ck_assert_int_eq(mcph_json_double(str("-2.5e-1"), &d), 0);
    ck_assert_double_eq(d, -0.25);
    ck_assert_int_eq(mcph_json_double(str("1e400"), &d), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_json_double(str("\"1\""), &d), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_json_add_double(&buf, 0.1), 0);
    mcph_buf_addc(&buf, ' ');
    mcph_json_add_double(&buf, 1.0 / 3);
    mcph_buf_addc(&buf, ' ');
    mcph_json_add_double(&buf, 1e300 * 1e10);
    ck_assert_mem_eq(buf.data, "0.1 0.3333333333333333 null", buf.len);
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(only_true_and_false_are_read_as_booleans)
{
    bool b = false;

    ck_assert_int_eq(mcph_json_bool(str("true"), &b), 0);
    ck_assert(b);
    ck_assert_int_eq(mcph_json_bool(str("false"), &b), 0);
    ck_assert(!b);
    ck_assert_int_eq(mcph_json_bool(str("1"), &b), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_json_bool(str("null"), &b), MCPHOST_E_INVALID);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "walk");

    tcase_add_test(tc, members_come_in_their_order_with_their_spans);
    tcase_add_test(tc, array_elements_have_no_keys);
    tcase_add_test(tc, a_value_can_be_entered_before_its_end_is_known);
    tcase_add_test(tc, line_ends_and_tabs_are_found_at_every_position);
    tcase_add_test(tc, containers_are_stepped_over_at_every_alignment);
    tcase_add_test(tc, scalars_empty_containers_and_missing_values_have_no_elements);
    tcase_add_test(tc, a_member_is_found_by_name_also_if_spelled_with_escapes);
    tcase_add_test(tc, several_members_are_picked_at_once);
    tc = test_case(suite, "values");
    tcase_add_test(tc, escapes_are_decoded_to_utf8);
    tcase_add_test(tc, a_string_without_escapes_is_not_copied);
    tcase_add_test(tc, a_string_decoded_in_steps_is_the_same_as_decoded_at_once);
    tcase_add_test(tc, a_string_with_a_nul_cannot_become_a_c_string);
    tcase_add_test(tc, strings_are_compared_by_their_decoded_text);
    tcase_add_test(tc, integers_are_exact_or_refused);
    tcase_add_test(tc, doubles_are_read_and_written_whatever_the_locale);
    tcase_add_test(tc, only_true_and_false_are_read_as_booleans);
}

int
main(void)
{
    return test_main("json-walk", add);
}
