/* SPDX-License-Identifier: MIT
 *
 * test_result.c - the getters of a tool's result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "support/runner.h"

static mcphost_result *result;

static void
down(void)
{
    result = mcphost_result_unref(result);
}

static void
parse_result(const char *json)
{
    struct mcph_frame *frame = mcph_frame_new(json, strlen(json));

    mcphost_result_unref(result);
    ck_assert_int_eq(mcph_result_new(frame, mcph_frame_span(frame), &result), 0);
    mcph_frame_unref(frame); /* the result has its own reference to the frame */
}

static void
expect_text(size_t index, const char *text)
{
    const char *p;
    size_t len;

    ck_assert_int_eq(mcphost_result_item_get_text(result, index, &p, &len), 0);
    ck_assert_uint_eq(len, strlen(text));
    ck_assert_mem_eq(p, text, len);
}

static void
expect_item(size_t index, const char *json)
{
    size_t len;
    const char *p = mcphost_result_item_get_json(result, index, &len);

    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq(len, strlen(json));
    ck_assert_mem_eq(p, json, len);
}

START_TEST(items_keep_the_server_s_order_and_bytes) /* R74 */
{
    parse_result("{ \"content\" : [ {\"type\":\"text\",\"text\":\"one\"} ,"
                 "{\"data\":\"]}\",\"type\":\"image\",\"mimeType\":\"image/png\"},7, "
                 "{\"type\":\"text\",\"text\":\"four\",\"annotations\":{\"a\":[1]}} ] }");
    ck_assert_uint_eq(mcphost_result_count_items(result), 4);
    expect_item(0, "{\"type\":\"text\",\"text\":\"one\"}");
    expect_item(2, "7");
    expect_item(1, "{\"data\":\"]}\",\"type\":\"image\",\"mimeType\":\"image/png\"}");
    ck_assert_ptr_null(mcphost_result_item_get_json(result, 4, NULL));
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 0), MCPHOST_CONTENT_TEXT);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 1), MCPHOST_CONTENT_IMAGE);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 2), MCPHOST_CONTENT_UNKNOWN);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 4), MCPHOST_CONTENT_UNKNOWN);
    ck_assert_str_eq(mcphost_result_item_get_mime_type(result, 1), "image/png");
    ck_assert_ptr_null(mcphost_result_item_get_mime_type(result, 0));
    expect_text(3, "four");
    expect_text(0, "one");
}
END_TEST

START_TEST(members_are_found_in_any_order)
{
    size_t len;

    parse_result("{\"structuredContent\":{\"content\":[1,2,3]},\"isError\":true,"
                 "\"_meta\":{\"isError\":false},"
                 "\"content\":[{\"text\":\"t\",\"type\":\"text\"}],\"more\":[{}]}");
    ck_assert_int_eq(mcphost_result_is_error(result), 1);
    ck_assert_uint_eq(mcphost_result_count_items(result), 1);
    ck_assert_ptr_nonnull(mcphost_result_get_structured(result, &len));
    ck_assert_uint_eq(len, strlen("{\"content\":[1,2,3]}"));
    expect_text(0, "t");
    parse_result("{\"content\":[],\"isError\":false}");
    ck_assert_int_eq(mcphost_result_is_error(result), 0);
    ck_assert_uint_eq(mcphost_result_count_items(result), 0);
    ck_assert_ptr_null(mcphost_result_get_structured(result, &len));
    ck_assert_uint_eq(len, 0);
}
END_TEST

START_TEST(missing_or_malformed_members_affect_no_other_member) /* R68 */
{
    static const char *const odd[] = {
        "{}",
        "{\"content\":{\"type\":\"text\"},\"isError\":\"true\"}",
        "{\"content\":null,\"isError\":1}",
        "{\"content\":\"[1]\"}",
        "{\"Content\":[1]}",
    };

    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        parse_result(odd[i]);
        ck_assert_uint_eq(mcphost_result_count_items(result), 0);
        ck_assert_int_eq(mcphost_result_is_error(result), 0);
    }
    parse_result("{\"content\":[{\"type\":\"text\"},{\"type\":\"text\",\"text\":5},[],"
                 "{\"type\":\"text\",\"text\":\"good\"}],\"isError\":true}");
    ck_assert_int_eq(mcphost_result_is_error(result), 1);
    ck_assert_int_eq(
        mcphost_result_item_get_text(result, 0, &(const char *){0}, &(size_t){0}),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_result_item_get_text(result, 1, &(const char *){0}, &(size_t){0}),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_result_item_get_text(result, 2, &(const char *){0}, &(size_t){0}),
        MCPHOST_E_INVALID);
    expect_text(3, "good");
}
END_TEST

START_TEST(the_first_of_two_members_with_one_name_counts)
{
    parse_result(
        "{\"content\":[{\"type\":\"text\",\"text\":\"first\",\"text\":\"second\"}],"
        "\"content\":[1,2],\"isError\":true,\"isError\":false}");
    ck_assert_uint_eq(mcphost_result_count_items(result), 1);
    ck_assert_int_eq(mcphost_result_is_error(result), 1);
    expect_text(0, "first");
}
END_TEST

static const char *
text_at(size_t index, const char *text, size_t n)
{
    const char *p, *q;
    size_t len;

    ck_assert_int_eq(mcphost_result_item_get_text(result, index, &p, &len), 0);
    ck_assert_uint_eq(len, n);
    ck_assert_mem_eq(p, text, n + 1); /* also compares the final NUL */
    ck_assert_int_eq(mcphost_result_item_get_text(result, index, &q, &len), 0);
    ck_assert_ptr_eq(p, q);
    return p;
}

#define STRUCTURED "{\"a\":[1,2]}"
#define LAST       "{\"type\":\"text\",\"text\":\"plain\",\"mimeType\":\"a/b\"}"
#define JSON                                                                         \
    "{\"structuredContent\":" STRUCTURED ",\"content\":[{\"type\":\"text\","         \
    "\"text\":\"first\"},{\"type\":\"text\",\"text\":\"a\\n\\u00e9\\u0000b\"}," LAST \
    "]}"

/* Makes seven calls that return a text, beginning with call number `first`. */
static void
ask_all(int first)
{
    const char *p;
    size_t len;

    for (int i = 0; i < 7; i++) {
        switch ((first + i) % 7) {
        case 0:
            p = mcphost_result_get_json(result, &len);
            ck_assert_uint_eq(len, strlen(JSON));
            ck_assert_str_eq(p, JSON);
            break;
        case 1:
            text_at(2, "plain", 5);
            break;
        case 2:
            p = mcphost_result_get_structured(result, &len);
            ck_assert_str_eq(p, STRUCTURED);
            ck_assert_uint_eq(len, strlen(STRUCTURED));
            break;
        case 3:
            ck_assert_str_eq(mcphost_result_item_get_json(result, 2, &len), LAST);
            ck_assert_uint_eq(len, strlen(LAST));
            break;
        case 4:
            text_at(0, "first", 5);
            break;
        case 5:
            text_at(1, "a\n\xc3\xa9\0b", 6);
            break;
        default:
            ck_assert_str_eq(mcphost_result_item_get_mime_type(result, 2), "a/b");
        }
    }
}

/* The NUL that ends one value must not change another value. */
START_TEST(texts_and_json_end_with_a_nul_in_whatever_order_they_are_asked_for)
{
    for (int first = 0; first < 7; first++) {
        parse_result(JSON);
        ask_all(first);
    }
}
END_TEST

/* The getter makes no copy, because a copy would double the memory of a result of 10
 * MB. */
START_TEST(the_value_that_is_asked_for_first_is_not_copied)
{
    const char *bytes;
    size_t len;

    parse_result(JSON);
    bytes = result->json.p;
    ck_assert_ptr_eq(text_at(2, "plain", 5), strstr(bytes, "plain"));
    ck_assert_ptr_eq(mcphost_result_get_structured(result, &len),
                     bytes + strlen("{\"structuredContent\":"));
    parse_result(JSON);
    ck_assert_ptr_eq(mcphost_result_get_json(result, &len), result->json.p);
}
END_TEST

/* Later getters must not change a text that was returned before. */
START_TEST(a_returned_text_stays_unchanged_when_the_json_is_asked_for)
{
    const char *text, *structured, *json;
    size_t len;

    parse_result(JSON);
    text = text_at(2, "plain", 5);
    structured = mcphost_result_get_structured(result, &len);
    json = mcphost_result_get_json(result, &len);
    ck_assert_str_eq(text, "plain");
    ck_assert_str_eq(structured, STRUCTURED);
    ck_assert_str_eq(json, JSON);
    text_at(2, "plain", 5);
    ck_assert_str_eq(json, JSON);
    ck_assert_ptr_eq(mcphost_result_get_json(result, &len), json);
}
END_TEST

/* This test would take minutes if the getter searched for each text from the first
 * item. */
START_TEST(the_texts_of_100000_items_are_found_in_one_pass)
{
    struct mcph_buf json;
    char text[32];

    mcph_buf_init(&json, 1 << 28);
    mcph_buf_adds(&json, "{\"content\":[");
    for (int i = 0; i < 100000; i++)
        mcph_buf_addf(&json, "%s{\"type\":\"text\",\"text\":\"%d\"}", i ? "," : "", i);
    mcph_buf_add(&json, "]}", 3);
    parse_result(json.data);
    mcph_buf_done(&json);
    for (size_t i = 0; i < 100000; i++)
        text_at(i, text, (size_t)snprintf(text, sizeof(text), "%zu", i));
}
END_TEST

/* An application may call the getters in any order, because a result is immutable for the
 * application. */
START_TEST(getters_give_the_same_values_in_any_order_of_calls)
{
    for (int first = 0; first < 5; first++) {
        parse_result("{\"content\":[{\"type\":\"audio\",\"mimeType\":\"a\\/b\"},"
                     "{\"type\":\"text\",\"text\":\"x\"}],\"isError\":true}");
        for (int i = 0; i < 5; i++) {
            switch ((first + i) % 5) {
            case 0:
                ck_assert_int_eq(mcphost_result_is_error(result), 1);
                break;
            case 1:
                ck_assert_uint_eq(mcphost_result_count_items(result), 2);
                break;
            case 2:
                expect_text(1, "x");
                break;
            case 3:
                ck_assert_str_eq(mcphost_result_item_get_mime_type(result, 0), "a/b");
                break;
            default:
                ck_assert_int_eq(mcphost_result_item_get_kind(result, 0),
                                 MCPHOST_CONTENT_AUDIO);
            }
        }
    }
}
END_TEST

/* Checks that a result gives equal values without and with a blank after `"content":`.
 * The spelling without the blank is the usual spelling, which the parser recognizes
 * without a full parse. */
static void
compare_spellings(const char *text, const char *behind)
{
    const char *const middles[] = {"", " "};
    char json[2][512];

    for (int i = 0; i < 2; i++)
        snprintf(json[i], sizeof(json[i]),
                 "{\"content\":%s[{\"type\":\"text\",\"text\":\"%s\"%s", middles[i], text,
                 behind);
    for (int first = 0; first < 6; first++) {
        mcphost_result *seen;
        const char *p, *q;
        size_t len, n;

        parse_result(json[0]);
        seen = mcphost_result_ref(result);
        parse_result(json[1]);
        for (int i = 0; i < 6; i++) {
            switch ((first + i) % 6) {
            case 0:
                ck_assert_uint_eq(mcphost_result_count_items(seen),
                                  mcphost_result_count_items(result));
                break;
            case 1:
                ck_assert_int_eq(mcphost_result_is_error(seen),
                                 mcphost_result_is_error(result));
                break;
            case 2:
                for (size_t k = 0; k < 3; k++) {
                    int r = mcphost_result_item_get_text(result, k, &p, &len);

                    ck_assert_int_eq(mcphost_result_item_get_text(seen, k, &q, &n), r);
                    if (r == 0) {
                        ck_assert_uint_eq(len, n);
                        ck_assert_mem_eq(p, q, len + 1);
                    }
                }
                break;
            case 3:
                ck_assert_str_eq(mcphost_result_get_json(seen, &len), json[0]);
                ck_assert_uint_eq(len, strlen(json[0]));
                break;
            case 4:
                for (size_t k = 0; k < 3; k++) {
                    p = mcphost_result_item_get_json(result, k, &len);
                    q = mcphost_result_item_get_json(seen, k, &n);
                    ck_assert_uint_eq(p != NULL, q != NULL);
                    if (p)
                        ck_assert_str_eq(p, q);
                    ck_assert_int_eq(mcphost_result_item_get_kind(seen, k),
                                     mcphost_result_item_get_kind(result, k));
                }
                break;
            default:
                p = mcphost_result_get_structured(result, &len);
                q = mcphost_result_get_structured(seen, &n);
                ck_assert_uint_eq(p != NULL, q != NULL);
            }
        }
        mcphost_result_unref(seen);
    }
}

START_TEST(the_usual_spelling_gives_the_same_result_as_other_spellings)
{
    static const char *const texts[] = {
        "",
        "x",
        "a \\\"b\\\" \\\\",
        "\\u00e9\\n",
        "}]}",
        "\\\"}]}",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\\\\"};
    static const char *const behinds[] = {
        "}]}",
        "},{\"type\":\"text\",\"text\":\"second\"}]}",
        "},{\"type\":\"image\",\"x\":[{}]}]}",
        ",\"annotations\":{\"audience\":[\"user\"]}}]}",
        ",\"text\":\"twice\"}]}",
        "}],\"isError\":true}",
        "}],\"structuredContent\":{\"a\":[{}]}}",
        "}],\"x\":[{\"y\":[{}]}]}",
        "}],\"content\":[{\"type\":\"text\",\"text\":\"other\"}]}",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++)
        for (size_t k = 0; k < MCPH_ARRAY_SIZE(behinds); k++)
            compare_spellings(texts[i], behinds[k]);
}
END_TEST

START_TEST(a_result_made_from_a_text_returns_the_text)
{
    ck_assert_int_eq(mcph_result_new_text("a \"b\"\n", 6, true, &result), 0);
    ck_assert_int_eq(mcphost_result_is_error(result), 1);
    ck_assert_uint_eq(mcphost_result_count_items(result), 1);
    expect_text(0, "a \"b\"\n");
}
END_TEST

/* ---- texts that only repeat the structured content: R72, B.11 ---------------------- */

static int
repeats(const char *structured, const char *text)
{
    struct mcph_buf json;
    int r;

    mcph_buf_init(&json, 1 << 24);
    mcph_buf_addf(&json, "{\"structuredContent\":%s,\"content\":[{\"type\":\"text\",",
                  structured);
    mcph_json_add_key(&json, "text");
    mcph_json_add_string(&json, text, strlen(text));
    mcph_buf_adds(&json, "}]}");
    mcph_buf_addc(&json, '\0');
    parse_result(json.data);
    r = mcphost_result_item_repeats_structured(result, 0);
    mcph_buf_done(&json);
    return r;
}

START_TEST(a_text_that_repeats_the_structured_content_is_recognized)
{
    static const char *const same[][2] = {
        {"{\"a\":1,\"b\":[true,null]}", "{\"a\":1,\"b\":[true,null]}"},
        {"{\"a\":1,\"b\":[true,null]}", "{\n  \"b\": [ true, null ],\n  \"a\": 1\n}\n"},
        {"{\"a\":\"gr\\u00fc\\u00dfe\"}", "{\"\\u0061\":\"gr\xc3\xbc\xc3\x9f\\u0065\"}"},
        {"[1.0,1e2,-0,123456789012345678901234567890]",
         "[1,100,0.0,1.2345678901234567890123456789e29]"},
        {"7", " 7 "},
        {"null", "null"},
        {"\"say \\\"hi\\\"\"", "say \"hi\""},
        {"\"say\"", "\"say\""},
        {"\"\"", ""},
        {"{\"a\":{\"x\":{},\"y\":[[]]},\"b\":2}",
         "{\"b\":2,\"a\":{\"y\":[[]],\"x\":{}}}"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(same); i++)
        ck_assert_msg(repeats(same[i][0], same[i][1]) == 1, "%s", same[i][1]);
}
END_TEST

START_TEST(a_text_with_another_value_does_not_repeat_the_structured_content)
{
    static const char *const other[][2] = {
        {"{\"a\":1}", "{\"a\":2}"},
        {"{\"a\":1}", "{\"b\":1}"},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}"},
        {"{\"a\":1,\"b\":2}", "{\"a\":1}"},
        {"{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}"},
        {"{\"a\":1}", "{\"a\":\"1\"}"},
        {"[1,2]", "[2,1]"},
        {"[9007199254740993]", "[9007199254740992]"},
        {"{\"a\":1}", "{\"a\":1} and more"},
        {"{\"a\":1}", "The answer: {\"a\":1}"},
        {"{\"a\":1}", ""},
        {"{\"a\":1}", "{\"a\":1,\"a\":1}"},
        {"{\"a\":1,\"a\":2}", "{\"a\":2}"},
        {"\"7\"", "8"},
        {"[[]]", "[{}]"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(other); i++)
        ck_assert_msg(repeats(other[i][0], other[i][1]) == 0, "%s", other[i][1]);
    parse_result("{\"content\":[{\"type\":\"text\",\"text\":\"null\"}]}");
    ck_assert_int_eq(mcphost_result_item_repeats_structured(result, 0), 0);
    parse_result(
        "{\"structuredContent\":{},\"content\":[{\"type\":\"x\",\"text\":\"{}\"}]}");
    ck_assert_int_eq(mcphost_result_item_repeats_structured(result, 0), 0);
    ck_assert_int_eq(mcphost_result_item_repeats_structured(result, 1), 0);
    ck_assert_int_eq(mcphost_result_item_repeats_structured(NULL, 0), 0);
}
END_TEST

/* Returns the object {"k0":0,"k1":1,...} with `n` members.  If `way` is negative, the
 * members are in reverse order. */
static char *
make_object(int n, int way)
{
    struct mcph_buf json;
    char *text;

    mcph_buf_init(&json, 1 << 24);
    mcph_buf_addc(&json, '{');
    for (int i = 0; i < n; i++)
        mcph_buf_addf(&json, "%s\"k%d\":%d", i ? "," : "", way < 0 ? n - 1 - i : i,
                      way < 0 ? n - 1 - i : i);
    mcph_buf_addc(&json, '}');
    text = mcph_buf_steal(&json, NULL);
    mcph_buf_done(&json);
    return text;
}

/* The comparison must not search through all members for each name, because this search
 * would take a minute. */
START_TEST(a_large_object_with_reversed_members_is_compared_quickly)
{
    char *forth = make_object(100000, 1), *back = make_object(100000, -1);

    ck_assert_int_eq(repeats(forth, back), 1);
    back[strlen(back) - 2] = '5';
    ck_assert_int_eq(repeats(forth, back), 0);
    free(forth);
    free(back);
}
END_TEST

START_TEST(a_text_with_over_1000000_values_is_not_compared)
{
    struct mcph_buf ones, spaced;

    mcph_buf_init(&ones, 1 << 24);
    mcph_buf_init(&spaced, 1 << 24);
    mcph_buf_addc(&ones, '[');
    for (int i = 0; i < 1000000; i++)
        mcph_buf_adds(&ones, i ? ",1" : "1");
    mcph_buf_add(&spaced, ones.data, ones.len);
    mcph_buf_add(&ones, "]", 2);
    mcph_buf_add(&spaced, " ]", 3);
    ck_assert_int_eq(repeats(ones.data, ones.data), 1); /* equal bytes are not parsed */
    ck_assert_int_eq(repeats(ones.data, spaced.data), 0);
    mcph_buf_done(&ones);
    mcph_buf_done(&spaced);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "result");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, items_keep_the_server_s_order_and_bytes);
    tcase_add_test(tc, members_are_found_in_any_order);
    tcase_add_test(tc, missing_or_malformed_members_affect_no_other_member);
    tcase_add_test(tc, the_first_of_two_members_with_one_name_counts);
    tcase_add_test(tc,
                   texts_and_json_end_with_a_nul_in_whatever_order_they_are_asked_for);
    tcase_add_test(tc, the_value_that_is_asked_for_first_is_not_copied);
    tcase_add_test(tc, a_returned_text_stays_unchanged_when_the_json_is_asked_for);
    tcase_add_test(tc, the_texts_of_100000_items_are_found_in_one_pass);
    tcase_add_test(tc, getters_give_the_same_values_in_any_order_of_calls);
    tcase_add_test(tc, the_usual_spelling_gives_the_same_result_as_other_spellings);
    tcase_add_test(tc, a_result_made_from_a_text_returns_the_text);
    tc = test_case(suite, "repeats");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_text_that_repeats_the_structured_content_is_recognized);
    tcase_add_test(tc, a_text_with_another_value_does_not_repeat_the_structured_content);
    tcase_add_test(tc, a_large_object_with_reversed_members_is_compared_quickly);
    tcase_add_test(tc, a_text_with_over_1000000_values_is_not_compared);
}

int
main(void)
{
    return test_main("result", add);
}
