/* SPDX-License-Identifier: MIT
 *
 * test_json_tree.c - reading JSON texts into jansson values, and writing jansson values
 * as JSON.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "support/runner.h"

static const char *const raw[] = {MCPH_JSON_RAW "input", MCPH_JSON_RAW "schema", NULL};
static json_t *tree;
static mcphost_error *error;

static void
down(void)
{
    mcph_json_drop(tree);
    tree = NULL;
    error = mcphost_error_unref(error);
}

static int
load_tree(const char *text, unsigned flags)
{
    down();
    return mcph_json_load(mcph_span_str(text), 0, "it", raw, flags, &tree, &error);
}

static void
expect(const char *written)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 1024);
    ck_assert_int_eq(mcph_json_add_tree(&buf, tree), 0);
    ck_assert_str_eq(mcph_buf_text(&buf), written);
    mcph_buf_done(&buf);
}

static const struct {
    const char *text, *written;
} texts[] = {
    {" { } ", "{}"},
    {"{\"b\": [1, {\"c\": true}, [], null, false], \"a\": \"x\"}",
     "{\"b\":[1,{\"c\":true},[],null,false],\"a\":\"x\"}"},
    {"{\"a\":\"\\u0000\\ud83d\\ude00\\n\\/\"}",
     "{\"a\":\"\\u0000\xf0\x9f\x98\x80\\n/\"}"},
    {"{\"a\":\"\\ud800-\\udc00\",\"\\ud800\":1}",
     "{\"a\":\"\xef\xbf\xbd-\xef\xbf\xbd\",\"\xef\xbf\xbd\":1}"},
    {"{\"n\":[0.1,1.0,1e2,-0.5E-3,9223372036854775807,-9223372036854775808,1.5e300]}",
     "{\"n\":[0.1,1.0,100.0,-0.0005,9223372036854775807,-9223372036854775808,1.5e+300]}"},
    {"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"},
};

START_TEST(a_text_that_was_read_is_written_again)
{
    ck_assert_int_eq(load_tree(texts[_i].text, 0), 0);
    expect(texts[_i].written);
}
END_TEST

/* R164: a raw member keeps its bytes, so that numbers of any size and spelling reach the
 * tool. */
START_TEST(raw_members_pass_through_at_any_depth)
{
    static const char text[] = "{\"a\":[{\"input\":{\"n\":18446744073709551615, \"x\":"
                               "[1e400,0.10]},\"schema\":1e2}],\"input\":\"\\ud800\"}";
    const json_t *part, *input;

    ck_assert_int_eq(load_tree(text, 0), 0);
    expect(text);
    part = json_array_get(json_object_get(tree, "a"), 0);
    ck_assert_ptr_null(json_object_get(part, "input"));
    input = json_object_get(part, MCPH_JSON_RAW "input");
    ck_assert_str_eq(json_string_value(input),
                     "{\"n\":18446744073709551615, \"x\":[1e400,0.10]}");
}
END_TEST

static const struct {
    const char *text;
    unsigned flags;
    const char *why;
} bad[] = {
    {"", 0, "it: not valid JSON at line 1, column 1"},
    {"[]", 0, "it: expected object, found array"},
    {"{\"a\":\n 9223372036854775808}", 0,
     "it: the number is too large at line 2, column 2"},
    {"{\"a\":1e400}", 0, "it: the number is too large at line 1, column 6"},
    {"{\"b\\u0000\":1}", 0, "it: a name has a NUL character at line 1, column 2"},
    {"{\"a\":{\"b\":1,\"\\u0062\":2}}", MCPH_TREE_UNIQUE,
     "it: a member occurs twice at line 1, column 13"},
    {"{\"input\":1,\"input\":2}", MCPH_TREE_UNIQUE,
     "it: a member occurs twice at line 1, column 12"},
};

START_TEST(a_refused_text_is_reported_with_its_place)
{
    ck_assert_int_eq(load_tree(bad[_i].text, bad[_i].flags), MCPHOST_E_INVALID);
    ck_assert_ptr_null(tree);
    test_has(mcphost_error_get_message(error), bad[_i].why);
}
END_TEST

START_TEST(a_lenient_load_replaces_values_that_jansson_cannot_hold)
{
    ck_assert_int_eq(load_tree("{\"a\\u0000b\":[18446744073709551615,-1e400,1]}",
                               MCPH_TREE_LENIENT | MCPH_TREE_UNIQUE),
                     0);
    expect("{\"a b\":[null,null,1]}");
}
END_TEST

/* Returns the JSON text of an object with an array of `n` numbers.  Release the text with
 * free(). */
static char *
many_values(size_t n)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, SIZE_MAX / 2);
    mcph_buf_adds(&buf, "{\"a\":[1");
    for (size_t i = 1; i < n; i++)
        mcph_buf_adds(&buf, ",1");
    mcph_buf_adds(&buf, "]}");
    return mcph_buf_steal(&buf, NULL);
}

START_TEST(nesting_and_the_number_of_values_are_limited)
{
    /* The array itself counts as a value. */
    char *most = many_values(MCPH_JSON_TREE_VALUES - 1);
    char *more = many_values(MCPH_JSON_TREE_VALUES);

    ck_assert_int_eq(
        mcph_json_load(mcph_span_str("{\"a\":[[[]]]}"), 3, "it", NULL, 0, &tree, &error),
        MCPHOST_E_LIMIT);
    ck_assert_int_eq(load_tree(more, 0), MCPHOST_E_LIMIT);
    test_has(mcphost_error_get_message(error), "too many values");
    ck_assert_int_eq(load_tree(most, 0), 0);
    free(most);
    free(more);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "tree");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_loop_test(tc, a_text_that_was_read_is_written_again, 0,
                        MCPH_ARRAY_SIZE(texts));
    tcase_add_test(tc, raw_members_pass_through_at_any_depth);
    tcase_add_loop_test(tc, a_refused_text_is_reported_with_its_place, 0,
                        MCPH_ARRAY_SIZE(bad));
    tcase_add_test(tc, a_lenient_load_replaces_values_that_jansson_cannot_hold);
    tcase_add_test(tc, nesting_and_the_number_of_values_are_limited);
}

int
main(void)
{
    return test_main("json_tree", add);
}
