/* SPDX-License-Identifier: MIT
 *
 * test_api_transform.c - the public functions of name transforms, without a host.
 */
#include <stdlib.h>
#include <string.h>

#include <mcphost/error.h>
#include <mcphost/transform.h>

#include "support/runner.h"

static mcphost_transform *transform;

static void
up(void)
{
    ck_assert_int_eq(mcphost_transform_new(&transform), 0);
}

static void
down(void)
{
    transform = mcphost_transform_unref(transform);
}

START_TEST(the_documented_chain_gives_the_documented_name) /* R41 R45 */
{
    char name[64];

    ck_assert_int_eq(mcphost_transform_add_prefix(transform, "playwright_"), 0);
    ck_assert_int_eq(
        mcphost_transform_add_prefix_replace(transform, "stock_prefix_", "my_prefix_"),
        0);
    ck_assert_int_eq(mcphost_transform_add_suffix(transform, "_playwright"), 0);
    ck_assert_int_eq(mcphost_transform_apply(transform, "open", name, sizeof(name)), 36);
    ck_assert_str_eq(name, "my_prefix_playwright_open_playwright");
}
END_TEST

START_TEST(a_map_replaces_invalid_characters_and_shortens_to_64_bytes) /* R48 */
{
    char name[128], text[100];

    ck_assert_int_eq(mcphost_transform_add_map(transform, "."), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_map(transform, ""), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_map(transform, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_map(NULL, "_"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_map(transform, "-"), 0);
    ck_assert_int_eq(mcphost_transform_apply(transform, "a.b/c_d", name, sizeof(name)),
                     7);
    ck_assert_str_eq(name, "a-b-c_d");
    ck_assert_int_eq(mcphost_transform_apply(transform, "", name, sizeof(name)), 0);
    memset(text, 'x', sizeof(text));
    text[99] = '\0';
    ck_assert_int_eq(mcphost_transform_apply(transform, text, name, sizeof(name)), 64);
    ck_assert_int_eq(name[55], '-');
    text[98] = 'y';
    ck_assert_int_eq(mcphost_transform_apply(transform, text, text, sizeof(text)), 64);
    ck_assert_str_ne(name, text);
    text[64] = '\0';
    memset(text, 'x', 64);
    ck_assert_int_eq(mcphost_transform_apply(transform, text, name, sizeof(name)), 64);
    ck_assert_str_eq(name, text);
}
END_TEST

START_TEST(without_steps_a_name_is_unchanged) /* R46 */
{
    char name[8];

    ck_assert_int_eq(mcphost_transform_apply(transform, "open", name, sizeof(name)), 4);
    ck_assert_str_eq(name, "open");
    ck_assert_int_eq(mcphost_transform_apply(transform, "", name, sizeof(name)), 0);
    ck_assert_str_eq(name, "");
}
END_TEST

START_TEST(a_name_that_does_not_fit_is_measured_but_not_written)
{
    char name[] = "untouched";

    mcphost_transform_add_suffix(transform, "_x");
    ck_assert_int_eq(mcphost_transform_apply(transform, "open", name, 6), 6);
    ck_assert_str_eq(name, "untouched");
    ck_assert_int_eq(mcphost_transform_apply(transform, "open", NULL, 0), 6);
    ck_assert_int_eq(mcphost_transform_apply(transform, "open", name, 7), 6);
    ck_assert_str_eq(name, "open_x");
}
END_TEST

START_TEST(after_the_first_use_steps_cannot_be_added)
{
    ck_assert_int_eq(mcphost_transform_apply(transform, "a", NULL, 0), 1);
    ck_assert_int_eq(mcphost_transform_add_prefix(transform, "a"), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_transform_add_prefix_replace(transform, "a", "b"),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_transform_add_suffix(transform, "a"), MCPHOST_E_STATE);
}
END_TEST

START_TEST(missing_arguments_are_refused)
{
    char name[4];

    ck_assert_int_eq(mcphost_transform_new(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_prefix(NULL, "a"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_prefix(transform, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_suffix(NULL, "a"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_suffix(transform, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_prefix_replace(NULL, "a", "b"),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_prefix_replace(transform, NULL, "a"),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_prefix_replace(transform, "a", NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_apply(NULL, "a", name, 4), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_apply(transform, NULL, name, 4),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_apply(transform, "a", NULL, 4), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(too_long_prefixes_and_names_are_refused)
{
    size_t len = (size_t)4 * 1024 * 1024;
    char text[1026], *big;

    memset(text, 'a', sizeof(text));
    text[1025] = '\0';
    ck_assert_int_eq(mcphost_transform_add_prefix(transform, text), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcphost_transform_add_suffix(transform, "_"), 0);
    big = malloc(len + 1);
    ck_assert_ptr_nonnull(big);
    memset(big, 'a', len);
    big[len] = '\0';
    ck_assert_int_eq(mcphost_transform_apply(transform, big, NULL, 0), MCPHOST_E_LIMIT);
    free(big);
}
END_TEST

START_TEST(null_references_are_allowed)
{
    ck_assert_ptr_null(mcphost_transform_ref(NULL));
    ck_assert_ptr_null(mcphost_transform_unref(NULL));
    ck_assert_ptr_eq(mcphost_transform_ref(transform), transform);
    ck_assert_ptr_null(mcphost_transform_unref(transform));
    ck_assert_int_eq(mcphost_transform_apply(transform, "a", NULL, 0), 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "transform");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_documented_chain_gives_the_documented_name);
    tcase_add_test(tc, a_map_replaces_invalid_characters_and_shortens_to_64_bytes);
    tcase_add_test(tc, without_steps_a_name_is_unchanged);
    tcase_add_test(tc, a_name_that_does_not_fit_is_measured_but_not_written);
    tcase_add_test(tc, after_the_first_use_steps_cannot_be_added);
    tcase_add_test(tc, missing_arguments_are_refused);
    tcase_add_test(tc, too_long_prefixes_and_names_are_refused);
    tcase_add_test(tc, null_references_are_allowed);
}

int
main(void)
{
    return test_main("api-transform", add);
}
