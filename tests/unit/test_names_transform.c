/* SPDX-License-Identifier: MIT
 *
 * test_names_transform.c - prefixes and suffixes of tool names.
 */
#include <stdlib.h>
#include <string.h>

#include "names/names.h"
#include "support/runner.h"

static mcphost_transform *transform;

static void
up(void)
{
    transform = mcph_transform_new();
    ck_assert_ptr_nonnull(transform);
}

static void
down(void)
{
    transform = mcph_transform_unref(transform);
}

static void
prefix(const char *add)
{
    ck_assert_int_eq(
        mcph_transform_add(transform, MCPH_TRANSFORM_PREFIX, add, strlen(add), NULL, 0),
        0);
}

static void
replace(const char *remove, const char *add)
{
    ck_assert_int_eq(mcph_transform_add(transform, MCPH_TRANSFORM_PREFIX, add,
                                        strlen(add), remove, strlen(remove)),
                     0);
}

static void
suffix(const char *add)
{
    ck_assert_int_eq(
        mcph_transform_add(transform, MCPH_TRANSFORM_SUFFIX, add, strlen(add), NULL, 0),
        0);
}

static const char *
apply(const char *name)
{
    static char text[256];
    struct mcph_buf buf;

    mcph_buf_init(&buf, sizeof(text) - 1);
    ck_assert_int_eq(mcph_transform_apply(transform, name, strlen(name), false, &buf), 0);
    memset(text, 0, sizeof(text));
    if (buf.len > 0)
        memcpy(text, buf.data, buf.len);
    mcph_buf_done(&buf);
    return text;
}

START_TEST(steps_run_in_their_order) /* R41 */
{
    suffix("_s");
    prefix("a_");
    prefix("b_");
    ck_assert_str_eq(apply("x"), "b_a_x_s");
}
END_TEST

START_TEST(a_later_step_sees_the_result_of_an_earlier_step) /* R41 */
{
    prefix("old_");
    replace("old_", "new_");
    ck_assert_str_eq(apply("x"), "new_x");
}
END_TEST

START_TEST(a_prefix_is_added_even_if_the_name_has_it_already) /* R42 */
{
    prefix("x_");
    ck_assert_str_eq(apply("a"), "x_a");
    ck_assert_str_eq(apply("x_a"), "x_x_a");
}
END_TEST

START_TEST(remove_and_add_replaces_a_leading_text_or_adds_a_prefix) /* R43 */
{
    replace("stock_", "my_");
    ck_assert_str_eq(apply("stock_open"), "my_open");
    ck_assert_str_eq(apply("open"), "my_open");
    ck_assert_str_eq(apply("open_stock_"), "my_open_stock_");
    ck_assert_str_eq(apply("stock_stock_a"), "my_stock_a");
    ck_assert_str_eq(apply("stock_"), "my_");
    ck_assert_str_eq(apply("stock"), "my_stock");
}
END_TEST

START_TEST(an_empty_remove_is_a_plain_prefix) /* R43 */
{
    replace("", "my_");
    ck_assert_str_eq(apply("open"), "my_open");
}
END_TEST

START_TEST(remove_with_an_empty_add_strips_the_prefix) /* R43 */
{
    replace("stock_", "");
    ck_assert_str_eq(apply("stock_open"), "open");
    ck_assert_str_eq(apply("stock_"), "");
}
END_TEST

START_TEST(a_suffix_is_always_appended) /* R44 */
{
    suffix("_x");
    ck_assert_str_eq(apply("a"), "a_x");
    ck_assert_str_eq(apply("a_x"), "a_x_x");
}
END_TEST

START_TEST(the_documented_chain_gives_the_documented_name) /* R45 */
{
    prefix("playwright_");
    replace("stock_prefix_", "my_prefix_");
    suffix("_playwright");
    ck_assert_str_eq(apply("open"), "my_prefix_playwright_open_playwright");
}
END_TEST

START_TEST(without_steps_a_name_is_unchanged) /* R46 R49 */
{
    struct mcph_buf buf;

    ck_assert_str_eq(apply("a.b C"), "a.b C");
    ck_assert_str_eq(apply(""), "");
    mcph_buf_init(&buf, 16);
    ck_assert_int_eq(mcph_transform_apply(NULL, "ab", 2, false, &buf), 0);
    ck_assert_int_eq((int)buf.len, 2);
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(an_empty_prefix_of_an_empty_name_is_empty) /* R42 */
{
    prefix("");
    ck_assert_str_eq(apply(""), "");
    ck_assert_str_eq(apply("a"), "a");
}
END_TEST

START_TEST(the_earlier_contents_of_the_buffer_are_kept)
{
    struct mcph_buf buf;

    replace("x_", "y_");
    mcph_buf_init(&buf, 64);
    mcph_buf_adds(&buf, "x_");
    ck_assert_int_eq(mcph_transform_apply(transform, "x_a", 3, false, &buf), 0);
    ck_assert_mem_eq(buf.data, "x_y_a", 5);
    ck_assert_int_eq((int)buf.len, 5);
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(a_name_beyond_the_limit_of_the_buffer_is_refused)
{
    struct mcph_buf buf;

    prefix("12345678");
    mcph_buf_init(&buf, 9);
    ck_assert_int_eq(mcph_transform_apply(transform, "ab", 2, false, &buf),
                     MCPHOST_E_LIMIT);
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(a_frozen_transform_takes_no_step)
{
    mcph_transform_freeze(transform);
    ck_assert_int_eq(
        mcph_transform_add(transform, MCPH_TRANSFORM_SUFFIX, "a", 1, NULL, 0),
        MCPHOST_E_STATE);
    ck_assert_str_eq(apply("x"), "x");
}
END_TEST

START_TEST(steps_are_limited_in_length_and_number)
{
    char *text = malloc(MCPH_NAME_TEXT_MAX + 1);

    memset(text, 'a', MCPH_NAME_TEXT_MAX + 1);
    ck_assert_int_eq(mcph_transform_add(transform, MCPH_TRANSFORM_SUFFIX, text,
                                        MCPH_NAME_TEXT_MAX + 1, NULL, 0),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_transform_add(transform, MCPH_TRANSFORM_PREFIX, "a", 1, text,
                                        MCPH_NAME_TEXT_MAX + 1),
                     MCPHOST_E_LIMIT);
    for (int i = 0; i < MCPH_NAME_LIST_MAX; i++)
        suffix("a");
    ck_assert_int_eq(
        mcph_transform_add(transform, MCPH_TRANSFORM_SUFFIX, "a", 1, NULL, 0),
        MCPHOST_E_LIMIT);
    free(text);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "transform");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, steps_run_in_their_order);
    tcase_add_test(tc, a_later_step_sees_the_result_of_an_earlier_step);
    tcase_add_test(tc, a_prefix_is_added_even_if_the_name_has_it_already);
    tcase_add_test(tc, remove_and_add_replaces_a_leading_text_or_adds_a_prefix);
    tcase_add_test(tc, an_empty_remove_is_a_plain_prefix);
    tcase_add_test(tc, remove_with_an_empty_add_strips_the_prefix);
    tcase_add_test(tc, a_suffix_is_always_appended);
    tcase_add_test(tc, the_documented_chain_gives_the_documented_name);
    tcase_add_test(tc, without_steps_a_name_is_unchanged);
    tcase_add_test(tc, an_empty_prefix_of_an_empty_name_is_empty);
    tcase_add_test(tc, the_earlier_contents_of_the_buffer_are_kept);
    tcase_add_test(tc, a_name_beyond_the_limit_of_the_buffer_is_refused);
    tcase_add_test(tc, a_frozen_transform_takes_no_step);
    tcase_add_test(tc, steps_are_limited_in_length_and_number);
}

int
main(void)
{
    return test_main("names-transform", add);
}
