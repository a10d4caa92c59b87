/* SPDX-License-Identifier: MIT
 *
 * test_json_scan.c - the texts that the JSON scan accepts and refuses, and the members
 * that it finds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "json/json.h"
#include "support/runner.h"

static struct mcph_span
str(const char *s)
{
    return mcph_span_str(s);
}

/* Checks a text and returns the result.  Fails the test if a scan that also looks
 * for a member (struct mcph_json_want) returns another result. */
static int
check_json(const char *s)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("nobody has this")};
    int r = mcph_json_check(str(s), 0, NULL, NULL);

    ck_assert_int_eq(mcph_json_scan(str(s), 0, want, 1, NULL, NULL), r);
    return r;
}

START_TEST(json_of_every_kind_is_accepted)
{
    static const char *const good[] = {
        "{}",
        "[]",
        "0",
        "-0",
        "-0.5e-10",
        "1E+2",
        "10",
        "\"\"",
        "true",
        "false",
        "null",
        " \t\r\n{ \"a\" : [ 1 , { } , [ ] , \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00eF\" ] } \n",
        "[[[[]]]]",
        "{\"a\":{\"b\":{\"c\":[]}}}",
        "\"\x7f\"",
        "{\"a\":1,\"a\":2}",
        "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(good); i++)
        ck_assert_msg(check_json(good[i]) == 0, "refused: %s", good[i]);
}
END_TEST

START_TEST(invalid_json_is_refused)
{
    static const char *const bad[] = {
        "",          " ",           "{",           "}",
        "[",         "]",           "[1",          "[1,",
        "[1,]",      "[,1]",        "[1 2]",       "{\"a\"}",
        "{\"a\":}",  "{\"a\":1,}",  "{,}",         "{a:1}",
        "{'a':1}",   "{\"a\" 1}",   "{\"a\":1]",   "[1}",
        "01",        "-",           "-a",          "1.",
        ".5",        "1.e5",        "1e",          "1e+",
        "+1",        "0x1",         "NaN",         "Infinity",
        "nul",       "nulll",       "True",        "tru",
        "\"",        "\"a",         "\"\\",        "\"\\x\"",
        "\"\\u12\"", "\"\\u12g4\"", "\"\\u\"",     "\"\n\"",
        "\"\t\"",    "\"\x1f\"",    "1 2",         "{} {}",
        "[]]",       "// x\n1",     "\"a\" \"b\"", "\xef\xbb\xbf{}",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad); i++)
        ck_assert_msg(check_json(bad[i]) == MCPHOST_E_INVALID, "accepted: %s", bad[i]);
    ck_assert_int_eq(mcph_json_check(mcph_span("\"\0\"", 3), 0, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_json_check(mcph_span("1\0", 2), 0, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_json_check(MCPH_SPAN_NONE, 0, NULL, NULL), MCPHOST_E_INVALID);
}
END_TEST

/* Tries each position in a string, because the scan examines the parts of a string in
 * blocks of different sizes. */
START_TEST(a_bad_byte_is_found_at_every_place_of_a_string)
{
    static const char bads[] = {'\x01', '\x1f', '\x80', '\xff', '\xc3'};
    char text[200];

    for (size_t at = 1; at < 160; at++) {
        for (size_t b = 0; b < sizeof(bads); b++) {
            struct mcph_json_fault fault;

            memset(text, 'x', sizeof(text));
            text[0] = text[162] = '"';
            text[at] = bads[b];
            ck_assert_int_eq(mcph_json_check(mcph_span(text, 163), 0, NULL, &fault),
                             MCPHOST_E_INVALID);
            ck_assert_uint_eq(fault.at, at);
        }
    }
}
END_TEST

START_TEST(strings_that_are_not_utf8_are_refused)
{
    static const char *const bad[] = {
        "\"\x80\"",
        "\"\xc0\xaf\"",
        "\"\xe0\x80\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xc3\"",
        "\"\xe2\x82\"",
        "\"\xff\"",
        "{\"\xc3\":1}",
        "\"abc\xc3\\n\"",
    };
    struct mcph_json_fault fault;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad); i++)
        ck_assert_msg(check_json(bad[i]) == MCPHOST_E_INVALID, "case %zu", i);
    ck_assert_int_eq(mcph_json_check(str("[\"ab\xffz\"]"), 0, NULL, &fault),
                     MCPHOST_E_INVALID);
    ck_assert_uint_eq(fault.at, 4);
    ck_assert_str_eq(fault.why, "invalid UTF-8");
}
END_TEST

/* Jansson refuses these texts.  The library accepts them, because it passes the bytes of
 * results on unchanged. */
START_TEST(numbers_of_any_size_and_odd_escapes_are_legal)
{
    static const char *const good[] = {
        "{\"id\":1,\"result\":18446744073709551616}",
        "{\"id\":1,\"result\":-99999999999999999999999999999999}",
        "{\"id\":1,\"result\":1e400}",
        "{\"id\":1,\"result\":\"\\u0000\"}",
        "{\"id\":1,\"result\":{\"a\\u0000b\":1}}",
        "{\"id\":1,\"result\":\"\\ud800\"}",
        "{\"id\":1,\"result\":\"\\udc00 \\ud83d\\ud83d\"}",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(good); i++) {
        struct mcph_json_want want[] = {MCPH_JSON_WANT("result")};

        ck_assert_int_eq(mcph_json_scan(str(good[i]), 0, want, 1, NULL, NULL), 0);
        ck_assert_mem_eq(want[0].value.p, good[i] + 17, want[0].value.len);
        ck_assert_uint_eq(want[0].value.len, strlen(good[i]) - 18);
    }
}
END_TEST

static char *
nested(size_t n, char open, char close)
{
    char *text = malloc(2 * n + 1);

    memset(text, open, n);
    memset(text + n, close, n);
    text[2 * n] = '\0';
    return text;
}

START_TEST(nesting_beyond_the_limit_is_refused)
{
    char *text = nested(MCPH_JSON_DEPTH, '[', ']');
    struct mcph_json_fault fault;

    ck_assert_int_eq(check_json(text), 0);
    ck_assert_int_eq(mcph_json_check(str(text), 511, NULL, &fault), MCPHOST_E_LIMIT);
    ck_assert_uint_eq(fault.at, 511);
    free(text);
    text = nested(MCPH_JSON_DEPTH + 1, '[', ']');
    ck_assert_int_eq(check_json(text), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_json_check(str(text), MCPH_JSON_DEPTH + 1, NULL, NULL), 0);
    free(text);
    text = nested(100000, '[', ']');
    ck_assert_int_eq(mcph_json_check(str(text), 1000000, NULL, &fault), MCPHOST_E_LIMIT);
    ck_assert_uint_eq(fault.at, MCPH_JSON_DEPTH_MAX);
    free(text);
    ck_assert_int_eq(mcph_json_check(str("[{\"a\":[]}]"), 3, NULL, NULL), 0);
    ck_assert_int_eq(mcph_json_check(str("[{\"a\":[]}]"), 2, NULL, NULL),
                     MCPHOST_E_LIMIT);
}
END_TEST

START_TEST(nesting_counts_from_the_outermost_object_also_when_members_are_wanted)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("a")};

    ck_assert_int_eq(mcph_json_scan(str("{\"a\":[{}],\"b\":[]}"), 3, want, 1, NULL, NULL),
                     0);
    ck_assert(mcph_span_is(want[0].value, "[{}]"));
    ck_assert_int_eq(mcph_json_scan(str("{\"a\":[],\"b\":[{}]}"), 2, want, 1, NULL, NULL),
                     MCPHOST_E_LIMIT);
    ck_assert(mcph_span_is(want[0].value, "[]"));
    ck_assert_int_eq(mcph_json_scan(str("{\"a\":[]}"), 1, want, 1, NULL, NULL),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_json_scan(str("{\"a\":1}"), 1, want, 1, NULL, NULL), 0);
}
END_TEST

/* Tries both kinds of brackets beyond 64 levels, because the stack has one bit for each
 * level. */
START_TEST(brackets_must_match_at_every_depth)
{
    char text[600];

    for (size_t wrong = 0; wrong < 150; wrong++) {
        size_t n = 0;

        for (size_t i = 0; i < 150; i++) {
            const char *open = i % 3 ? "[" : "{\"\":";

            memcpy(text + n, open, strlen(open));
            n += strlen(open);
        }
        text[n++] = '1';
        for (size_t i = 150; i-- > 0;)
            text[n++] = (i % 3 != 0) == (i != wrong) ? ']' : '}';
        ck_assert_int_eq(mcph_json_check(mcph_span(text, n), 0, NULL, NULL),
                         MCPHOST_E_INVALID);
        text[n - 1 - wrong] = wrong % 3 ? ']' : '}';
        ck_assert_int_eq(mcph_json_check(mcph_span(text, n), 0, NULL, NULL), 0);
    }
}
END_TEST

START_TEST(members_are_found_in_any_order)
{
    static const char *const texts[] = {
        "{\"id\":7,\"method\":\"m\",\"x\":[{\"id\":8}]}",
        "{\"x\":{\"id\":8,\"method\":[]},\"method\":\"m\",\"id\":7}",
        " { \"method\" : \"m\" , \"y\" : \"id\" , \"id\" : 7 } ",
        "{\"\\u0069d\":7,\"\\u006d\\u0065thod\":\"m\"}",
        "{\"ID\":1,\"idx\":2,\"i\":3,\"\":4,\"id\":7,\"method\":\"m\"}",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        struct mcph_json_want want[] = {MCPH_JSON_WANT("id"), MCPH_JSON_WANT("method"),
                                        MCPH_JSON_WANT("none")};
        struct mcph_span value;

        ck_assert_int_eq(mcph_json_scan(str(texts[i]), 0, want, 3, &value, NULL), 0);
        ck_assert(mcph_span_is(want[0].value, "7"));
        ck_assert(mcph_span_is(want[1].value, "\"m\""));
        ck_assert_ptr_null(want[2].value.p);
        ck_assert(value.p[0] == '{' && value.p[value.len - 1] == '}');
    }
}
END_TEST

START_TEST(a_duplicate_of_a_wanted_member_is_refused)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("id")};

    ck_assert_int_eq(mcph_json_scan(str("{\"id\":1,\"id\":1}"), 0, want, 1, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert(mcph_span_is(want[0].value, "1"));
    ck_assert_int_eq(
        mcph_json_scan(str("{\"id\":1,\"i\\u0064\":2}"), 0, want, 1, NULL, NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcph_json_scan(str("{\"id\":1,\"a\":2,\"a\":2}"), 0, want, 1, NULL, NULL), 0);
}
END_TEST

START_TEST(a_member_before_a_fault_is_kept_and_the_broken_member_is_not)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("id"), MCPH_JSON_WANT("result")};

    ck_assert_int_eq(
        mcph_json_scan(str("{\"id\":1,\"result\":[1,}"), 0, want, 2, NULL, NULL),
        MCPHOST_E_INVALID);
    ck_assert(mcph_span_is(want[0].value, "1"));
    ck_assert_ptr_null(want[1].value.p);
}
END_TEST

START_TEST(every_truncated_text_is_refused_without_a_read_past_its_end)
{
    static const char text[] =
        "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\",true,false,null,{\"b\":{}}],\"c\":\"\"}";

    for (size_t n = 0; n < sizeof(text) - 1; n++) {
        char *cut = malloc(n ? n : 1); /* ASan and valgrind see a read past the end */

        memcpy(cut, text, n);
        ck_assert_int_eq(mcph_json_check(mcph_span(cut, n), 0, NULL, NULL),
                         MCPHOST_E_INVALID);
        free(cut);
    }
    ck_assert_int_eq(check_json(text), 0);
}
END_TEST

/* R1 */
START_TEST(a_refusal_names_line_and_column)
{
    mcphost_error *err = NULL;
    int line, column;

    ck_assert_int_eq(mcph_json_check_input(str("{\n \"\xc3\xa4\": x}"), 0,
                                           MCPH_JSON_OBJECT, "arguments of tool 't'",
                                           NULL, &err),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_error_get_line(err), 2);
    ck_assert_int_eq(mcphost_error_get_column(err), 7);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(err), "arguments of tool 't'"));
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "line 2, column 7"));
    mcphost_error_unref(err);
    mcph_json_position(str("a\nb"), 100, &line, &column);
    ck_assert_int_eq(line, 2);
    ck_assert_int_eq(column, 2);
}
END_TEST

START_TEST(input_of_the_wrong_type_is_refused)
{
    struct mcph_span value = MCPH_SPAN_NONE;
    mcphost_error *err = NULL;

    ck_assert_int_eq(
        mcph_json_check_input(str(" [1]"), 0, MCPH_JSON_OBJECT, "x", &value, &err),
        MCPHOST_E_INVALID);
    ck_assert_ptr_null(value.p);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(err), "expected object, found array"));
    mcphost_error_unref(err);
    err = NULL;
    ck_assert_int_eq(
        mcph_json_check_input(str(" [1] "), 0, MCPH_JSON_ARRAY, "x", &value, &err), 0);
    ck_assert(mcph_span_is(value, "[1]"));
    ck_assert_ptr_null(err);
    ck_assert_int_eq(
        mcph_json_check_input(str("[[1]]"), 1, MCPH_JSON_ANY, "x", NULL, NULL),
        MCPHOST_E_LIMIT);
}
END_TEST

/* ---- comparison with jansson ------------------------------------------------------- */

/* Checks whether jansson refuses the text for a reason that is not in the JSON
 * grammar. */
static bool
only_jansson_minds(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_numeric_overflow:
    case json_error_null_byte_in_key:
    case json_error_null_character:
        return true;
    default:
        return strstr(error->text, "surrogate") || strstr(error->text, "Unicode value") ||
               strstr(error->text, "invalid Unicode") || strstr(error->text, "NUL byte");
    }
}

/* Scans the members of an object with mcph_json_scan_flat() and returns its result.
 * Fails the test if mcph_json_check() finds another object or a walk finds other
 * members. */
static int
look_flat(struct mcph_span text)
{
    struct mcph_json_member members[4];
    struct mcph_json_iter it;
    struct mcph_span value = MCPH_SPAN_NONE, checked, key, item;
    int n = mcph_json_scan_flat(text, members, 4, &value);

    if (n < 0)
        return n;
    ck_assert_int_eq(mcph_json_check(text, 0, &checked, NULL), 0);
    ck_assert(checked.p == value.p && checked.len == value.len);
    mcph_json_iter_init(&it, value);
    for (int i = 0; i < n; i++) {
        ck_assert(mcph_json_iter_next(&it, &key, &item));
        ck_assert(key.p + 1 == members[i].name.p && key.len - 2 == members[i].name.len);
        ck_assert(mcph_json_string_is(key, members[i].name.p, members[i].name.len));
        ck_assert(item.p == members[i].value.p && item.len == members[i].value.len);
    }
    ck_assert(!mcph_json_iter_next(&it, &key, &item));
    return n;
}

START_TEST(the_flat_scan_accepts_only_small_objects_of_scalars)
{
    static const struct {
        const char *text;
        int n;
    } all[] = {
        {"{}", 0},
        {" { } ", 0},
        {"{\"a\":1}", 1},
        {"\t{ \"a\" : -1.5e3 , \"b\":\"\" ,\n\"c\":true, \"d\" : null } ", 4},
        {"{\"a\":1,\"a\":2}", 2},
        {"{\"\":\"\\u00e9\\n and a text that is longer than sixteen bytes\"}", 1},
        {"{\"a name that is longer than sixteen bytes\":false}", 1},
        {"{\"\xc3\xa4\":0}", 1},
        {"{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}", -1},
        {"{\"a\":[]}", -1},
        {"{\"a\":{}}", -1},
        {"{\"\\u0061\":1}", -1},
        {"{\"a\":1}x", -1},
        {"{\"a\":1,}", -1},
        {"{\"a\"", -1},
        {"{\"a\":", -1},
        {"{\"a\":1", -1},
        {"{\"a\":01}", -1},
        {"{\"a\" 1}", -1},
        {"{\"a\":\"\xff\"}", -1},
        {"{", -1},
        {"[]", -1},
        {"1", -1},
        {"", -1},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++)
        ck_assert_msg(look_flat(str(all[i].text)) == all[i].n, "%s", all[i].text);
}
END_TEST

static void
compare(const char *text, size_t len)
{
    json_error_t error;
    json_t *tree = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    int r = mcph_json_check(mcph_span(text, len), 0, NULL, NULL);

    if (tree)
        ck_assert_msg(r == 0, "jansson accepts, we refuse: %.*s", (int)len, text);
    else if (!only_jansson_minds(&error))
        ck_assert_msg(r < 0, "jansson refuses (%s), we accept: %.*s", error.text,
                      (int)len, text);
    json_decref(tree);
    (void)look_flat(mcph_span(text, len));
}

START_TEST(the_check_and_jansson_agree_on_thousands_of_mutations)
{
    static const char *const seeds[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
        "\"text\":\"h\\u00e9\\n\"}]}}",
        "[1,-2.5,3e8,\"\\ud83d\\ude00\",true,false,null,{\"a\":{}},[[]]]",
        " { \"k\" : [ 0 , 0.0 , -1E-2 ] , \"l\" : \"\xc3\xa4\xe2\x82\xac\" } ",
    };
    static const char alphabet[] =
        "{}[]\",:\\u0123456789eE+-.truefalsn \n\x01\x80\xc3\xa4\xff/";
    unsigned seed = 12345;

    for (size_t s = 0; s < MCPH_ARRAY_SIZE(seeds); s++) {
        size_t len = strlen(seeds[s]);
        char text[256];

        for (size_t at = 0; at < len; at++) {
            for (size_t c = 0; c < sizeof(alphabet) - 1; c++) {
                memcpy(text, seeds[s], len);
                text[at] = alphabet[c];
                compare(text, len);
            }
            memcpy(text, seeds[s], at); /* copies the text without byte `at` */
            memcpy(text + at, seeds[s] + at + 1, len - at - 1);
            compare(text, len - 1);
        }
        for (int i = 0; i < 3000; i++) {
            memcpy(text, seeds[s], len);
            for (int n = 0; n < 3; n++) {
                seed = seed * 1103515245u + 12345u;
                text[(seed >> 8) % len] = alphabet[(seed >> 20) % (sizeof(alphabet) - 1)];
            }
            compare(text, len);
        }
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "grammar");

    tcase_add_test(tc, json_of_every_kind_is_accepted);
    tcase_add_test(tc, invalid_json_is_refused);
    tcase_add_test(tc, a_bad_byte_is_found_at_every_place_of_a_string);
    tcase_add_test(tc, strings_that_are_not_utf8_are_refused);
    tcase_add_test(tc, numbers_of_any_size_and_odd_escapes_are_legal);
    tcase_add_test(tc, nesting_beyond_the_limit_is_refused);
    tcase_add_test(tc,
                   nesting_counts_from_the_outermost_object_also_when_members_are_wanted);
    tcase_add_test(tc, brackets_must_match_at_every_depth);
    tcase_add_test(tc, every_truncated_text_is_refused_without_a_read_past_its_end);
    tcase_add_test(tc, the_check_and_jansson_agree_on_thousands_of_mutations);
    tc = test_case(suite, "members");
    tcase_add_test(tc, the_flat_scan_accepts_only_small_objects_of_scalars);
    tcase_add_test(tc, members_are_found_in_any_order);
    tcase_add_test(tc, a_duplicate_of_a_wanted_member_is_refused);
    tcase_add_test(tc, a_member_before_a_fault_is_kept_and_the_broken_member_is_not);
    tc = test_case(suite, "input");
    tcase_add_test(tc, a_refusal_names_line_and_column);
    tcase_add_test(tc, input_of_the_wrong_type_is_refused);
}

int
main(void)
{
    return test_main("json-scan", add);
}
