/* SPDX-License-Identifier: MIT
 *
 * test_json_merge.c - merging two objects into one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "support/runner.h"

static const struct {
    const char *under, *over, *merged;
} merges[] = {
    {"{}", "{}", "{}"},
    {"{\"a\":1}", "{}", "{\"a\":1}"},
    {"{}", "{\"a\":1}", "{\"a\":1}"},
    {"{\"a\":1,\"c\":3}", "{\"b\":2,\"d\":4}", "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}"},
    {"{\"a\":1}", "{\"a\":2}", "{\"a\":2}"},
    {"{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}"},
    {"{\"a\":{\"b\":1}}", "{\"a\":null}", "{\"a\":null}"},
    {"{\"a\":7}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}"},
    {"{\"a\":{\"b\":{\"x\":1},\"c\":2}}", "{\"a\":{\"b\":{\"y\":2},\"d\":[]}}",
     "{\"a\":{\"b\":{\"x\":1,\"y\":2},\"c\":2,\"d\":[]}}"},
    /* one name is the beginning of another name, and one name is spelled with escapes */
    {"{\"a\":1,\"ab\":2,\"b\":3}", "{\"aa\":4,\"\\u0061b\":5}",
     "{\"a\":1,\"aa\":4,\"ab\":5,\"b\":3}"},
    /* numbers keep their spelling */
    {"{\"n\":0.10,\"m\":1e400}", "{\"k\":18446744073709551616}",
     "{\"k\":18446744073709551616,\"m\":1e400,\"n\":0.10}"},
};

static void
add(struct mcph_buf *buf, const char *text)
{
    ck_assert_int_eq(mcph_json_check(mcph_span_str(text), 0, NULL, NULL), 0);
    ck_assert_int_eq(mcph_json_add_canonical(buf, mcph_span_str(text)), 0);
}

START_TEST(objects_are_merged_and_other_values_are_replaced) /* R139, B.24 */
{
    struct mcph_buf under, over, merged;
    char *text;

    mcph_buf_init(&under, 1024);
    mcph_buf_init(&over, 1024);
    mcph_buf_init(&merged, 1024);
    add(&under, merges[_i].under);
    add(&over, merges[_i].over);
    ck_assert_int_eq(mcph_json_add_merged(&merged, mcph_span(under.data, under.len),
                                          mcph_span(over.data, over.len)),
                     0);
    text = mcph_buf_steal(&merged, NULL);
    ck_assert_str_eq(text, merges[_i].merged);
    free(text);
    mcph_buf_done(&under);
    mcph_buf_done(&over);
}
END_TEST

/* The merge visits each member once, because the names of both objects are sorted.  A
 * search for each name would exceed the time limit of the test. */
START_TEST(many_members_are_merged_within_the_time_limit)
{
    struct mcph_buf under, over, merged;
    int n = 50000;

    mcph_buf_init(&under, SIZE_MAX);
    mcph_buf_init(&over, SIZE_MAX);
    mcph_buf_init(&merged, SIZE_MAX);
    mcph_buf_addc(&under, '{');
    mcph_buf_addc(&over, '{');
    for (int i = 0; i < n; i++) {
        mcph_buf_addf(&under, "%s\"a%08d\":1", i ? "," : "", i);
        mcph_buf_addf(&over, "%s\"b%08d\":1", i ? "," : "", i);
    }
    mcph_buf_addc(&under, '}');
    mcph_buf_addc(&over, '}');
    ck_assert_int_eq(mcph_json_add_merged(&merged, mcph_span(under.data, under.len),
                                          mcph_span(over.data, over.len)),
                     0);
    ck_assert_uint_eq(mcph_json_count(mcph_span(merged.data, merged.len)), 2 * (size_t)n);
    mcph_buf_done(&under);
    mcph_buf_done(&over);
    mcph_buf_done(&merged);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "merge");

    tcase_add_loop_test(tc, objects_are_merged_and_other_values_are_replaced, 0,
                        (int)MCPH_ARRAY_SIZE(merges));
    tcase_add_test(tc, many_members_are_merged_within_the_time_limit);
}

int
main(void)
{
    return test_main("json-merge", add_tests);
}
