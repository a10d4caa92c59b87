/* SPDX-License-Identifier: MIT
 *
 * test_api_filter.c - the public functions of filters, without a host.
 */
#include <pthread.h>
#include <string.h>

#include <mcphost/error.h>
#include <mcphost/filter.h>

#include "support/runner.h"

static mcphost_filter *filter;

static void
up(void)
{
    ck_assert_int_eq(mcphost_filter_new(&filter), 0);
}

static void
down(void)
{
    filter = mcphost_filter_unref(filter);
}

START_TEST(a_new_filter_passes_everything) /* R36 */
{
    const char *pattern = "untouched";

    ck_assert_int_eq(mcphost_filter_match(filter, "any name at all", &pattern),
                     MCPHOST_FILTER_PASSED);
    ck_assert_ptr_null(pattern);
    ck_assert_int_eq(mcphost_filter_match(filter, "", NULL), MCPHOST_FILTER_PASSED);
}
END_TEST

START_TEST(
    a_name_on_both_lists_passes_and_a_name_on_neither_passes) /* R11 R37 R38 R39 R40 */
{
    const char *pattern;

    ck_assert_int_eq(mcphost_filter_add_whitelist(filter, "browser_*"), 0);
    ck_assert_int_eq(mcphost_filter_add_whitelist(filter, "page_*"), 0);
    ck_assert_int_eq(mcphost_filter_add_blacklist(filter, "*_unsafe"), 0);
    ck_assert_int_eq(mcphost_filter_match(filter, "browser_click", &pattern), 0);
    ck_assert_str_eq(pattern, "browser_*");
    ck_assert_int_eq(mcphost_filter_match(filter, "browser_unsafe", NULL), 0);
    ck_assert_int_eq(mcphost_filter_match(filter, "foo", &pattern), 0);
    ck_assert_ptr_null(pattern);
    ck_assert_int_eq(mcphost_filter_match(filter, "x_unsafe", &pattern),
                     MCPHOST_FILTER_BLACKLISTED);
    ck_assert_str_eq(pattern, "*_unsafe");
}
END_TEST

START_TEST(
    with_only_a_whitelist_other_names_fail_and_its_patterns_are_given) /* R35 R118 */
{
    const char *pattern;

    mcphost_filter_add_whitelist(filter, "a");
    mcphost_filter_add_whitelist(filter, " ");
    mcphost_filter_add_whitelist(filter, "b*");
    ck_assert_int_eq(mcphost_filter_match(filter, "c", &pattern),
                     MCPHOST_FILTER_NOT_WHITELISTED);
    ck_assert_str_eq(pattern, "a, b*");
}
END_TEST

START_TEST(after_the_first_match_patterns_cannot_be_added)
{
    ck_assert_int_eq(mcphost_filter_add_whitelist(filter, "a"), 0);
    ck_assert_int_eq(mcphost_filter_match(filter, "a", NULL), 0);
    ck_assert_int_eq(mcphost_filter_add_whitelist(filter, "b"), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_filter_add_blacklist(filter, "b"), MCPHOST_E_STATE);
}
END_TEST

START_TEST(missing_arguments_and_patterns_over_1024_bytes_are_refused)
{
    char text[1026];

    ck_assert_int_eq(mcphost_filter_new(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_filter_add_whitelist(NULL, "a"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_filter_add_whitelist(filter, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_filter_add_blacklist(NULL, "a"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_filter_add_blacklist(filter, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_filter_match(NULL, "a", NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_filter_match(filter, NULL, NULL), MCPHOST_E_INVALID);
    mcphost_filter_unref(filter);
    ck_assert_int_eq(mcphost_filter_new(&filter), 0);
    memset(text, 'a', sizeof(text));
    text[1025] = '\0';
    ck_assert_int_eq(mcphost_filter_add_blacklist(filter, text), MCPHOST_E_LIMIT);
}
END_TEST

START_TEST(null_references_are_allowed)
{
    ck_assert_ptr_null(mcphost_filter_ref(NULL));
    ck_assert_ptr_null(mcphost_filter_unref(NULL));
    ck_assert_ptr_eq(mcphost_filter_ref(filter), filter);
    ck_assert_ptr_null(mcphost_filter_unref(filter));
    ck_assert_int_eq(mcphost_filter_match(filter, "a", NULL), 0);
}
END_TEST

static void *
use(void *arg)
{
    for (int i = 0; i < 200; i++) {
        mcphost_filter *mine = mcphost_filter_ref(arg);
        int verdict = mcphost_filter_match(mine, "x_b", NULL);

        mcphost_filter_unref(mine);
        if (verdict != MCPHOST_FILTER_BLACKLISTED)
            return arg;
    }
    return NULL;
}

START_TEST(many_threads_may_use_one_filter)
{
    pthread_t threads[4];

    mcphost_filter_add_blacklist(filter, "*_b");
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use, filter), 0);
    for (size_t i = 0; i < 4; i++) {
        void *bad;

        pthread_join(threads[i], &bad);
        ck_assert_ptr_null(bad);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "filter");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_new_filter_passes_everything);
    tcase_add_test(tc, a_name_on_both_lists_passes_and_a_name_on_neither_passes);
    tcase_add_test(tc, with_only_a_whitelist_other_names_fail_and_its_patterns_are_given);
    tcase_add_test(tc, after_the_first_match_patterns_cannot_be_added);
    tcase_add_test(tc, missing_arguments_and_patterns_over_1024_bytes_are_refused);
    tcase_add_test(tc, null_references_are_allowed);
    tcase_add_test(tc, many_threads_may_use_one_filter);
}

int
main(void)
{
    return test_main("api-filter", add);
}
