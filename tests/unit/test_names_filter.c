/* SPDX-License-Identifier: MIT
 *
 * test_names_filter.c - wildcard patterns, whitelist and blacklist.
 */
#include <stdlib.h>
#include <string.h>

#include "names/names.h"
#include "support/runner.h"

static bool
match(const char *pattern, const char *name)
{
    return mcph_name_match(pattern, strlen(pattern), name, strlen(name));
}

/* Makes a filter from a whitelist and a blacklist.  In each list, blanks separate the
 * patterns. */
static mcphost_filter *
make(const char *white, const char *black)
{
    const char *lists[] = {white, black};
    mcphost_filter *filter = mcph_filter_new();

    ck_assert_ptr_nonnull(filter);
    for (int l = 0; l < 2; l++) {
        const char *p = lists[l];

        while (*p) {
            size_t n = strcspn(p, " ");

            ck_assert_int_eq(mcph_filter_add(filter, l, p, n), 0);
            p += n + strspn(p + n, " ");
        }
    }
    return filter;
}

static int
decide(const char *white, const char *black, const char *name)
{
    mcphost_filter *filter = make(white, black);
    int verdict = mcph_filter_decide(filter, name, strlen(name), NULL);

    mcph_filter_unref(filter);
    return verdict;
}

START_TEST(a_star_matches_any_run_also_an_empty_run) /* R32 */
{
    ck_assert(match("*", ""));
    ck_assert(match("*", "anything"));
    ck_assert(match("browser_*", "browser_"));
    ck_assert(match("browser_*", "browser_click"));
    ck_assert(match("*_unsafe", "_unsafe"));
    ck_assert(match("a*c", "ac"));
    ck_assert(match("a*c", "abc"));
    ck_assert(match("a**c", "abbc"));
    ck_assert(match("**", ""));
}
END_TEST

START_TEST(nothing_but_the_star_is_special) /* R32 */
{
    ck_assert(!match("a.c", "abc"));
    ck_assert(match("a.c", "a.c"));
    ck_assert(!match("a?c", "abc"));
    ck_assert(match("a?c", "a?c"));
    ck_assert(!match("[ab]", "a"));
    ck_assert(match("[ab]", "[ab]"));
    ck_assert(!match("a\\*", "a*"));
    ck_assert(match("a\\*", "a\\x"));
}
END_TEST

START_TEST(a_pattern_covers_the_whole_name) /* R33 */
{
    ck_assert(match("click", "click"));
    ck_assert(!match("click", "clicks"));
    ck_assert(!match("click", "xclick"));
    ck_assert(!match("browser_*", "my_browser_x"));
    ck_assert(!match("*_unsafe", "x_unsafe2"));
    ck_assert(!match("", "a"));
    ck_assert(match("", ""));
}
END_TEST

START_TEST(patterns_are_case_sensitive) /* R33 */
{
    ck_assert(!match("Click", "click"));
    ck_assert(!match("cl*", "CLick"));
}
END_TEST

START_TEST(chunks_between_stars_do_not_overlap) /* R32 R33 */
{
    ck_assert(!match("ab*ba", "aba"));
    ck_assert(match("ab*ba", "abba"));
    ck_assert(match("*ab*ab*", "abab"));
    ck_assert(!match("*ab*ab*", "aab"));
    ck_assert(match("a*b*c", "aXbXbXc"));
    ck_assert(!match("a*b*c", "aXcXb"));
    ck_assert(match("*aab", "aaaab"));
}
END_TEST

START_TEST(a_pattern_of_many_stars_takes_no_exponential_time) /* R32 */
{
    char pattern[1024], name[4096];

    for (size_t i = 0; i < sizeof(pattern) - 1; i++)
        pattern[i] = i % 2 ? '*' : 'a';
    pattern[sizeof(pattern) - 1] = 'b';
    memset(name, 'a', sizeof(name));
    ck_assert(!mcph_name_match(pattern, sizeof(pattern), name, sizeof(name)));
}
END_TEST

START_TEST(a_whitelist_alone_passes_only_names_that_it_matches) /* R35 */
{
    ck_assert_int_eq(decide("browser_* page", "", "browser_x"), MCPHOST_FILTER_PASSED);
    ck_assert_int_eq(decide("browser_* page", "", "page"), MCPHOST_FILTER_PASSED);
    ck_assert_int_eq(decide("browser_* page", "", "pages"),
                     MCPHOST_FILTER_NOT_WHITELISTED);
}
END_TEST

START_TEST(without_lists_everything_passes) /* R36 */
{
    ck_assert_int_eq(decide("", "", "x"), MCPHOST_FILTER_PASSED);
    ck_assert_int_eq(mcph_filter_decide(NULL, "x", 1, NULL), MCPHOST_FILTER_PASSED);
}
END_TEST

START_TEST(a_blacklisted_name_that_is_not_whitelisted_is_refused) /* R37 */
{
    ck_assert_int_eq(decide("", "*_unsafe", "x_unsafe"), MCPHOST_FILTER_BLACKLISTED);
    ck_assert_int_eq(decide("page_*", "*_unsafe", "x_unsafe"),
                     MCPHOST_FILTER_BLACKLISTED);
}
END_TEST

START_TEST(a_name_on_both_lists_passes) /* R38 */
{
    ck_assert_int_eq(decide("browser_*", "*_unsafe", "browser_unsafe"),
                     MCPHOST_FILTER_PASSED);
}
END_TEST

START_TEST(with_a_blacklist_the_whitelist_does_not_restrict) /* R39 */
{
    ck_assert_int_eq(decide("browser_*", "*_unsafe", "foo"), MCPHOST_FILTER_PASSED);
}
END_TEST

START_TEST(a_whitelisted_name_passes_beside_a_blacklist) /* R40 */
{
    ck_assert_int_eq(decide("browser_*", "*_unsafe", "browser_click"),
                     MCPHOST_FILTER_PASSED);
}
END_TEST

START_TEST(blank_patterns_do_not_make_a_list) /* R36 R39 */
{
    mcphost_filter *filter = mcph_filter_new();

    ck_assert_int_eq(mcph_filter_add(filter, MCPH_FILTER_WHITELIST, "page", 4), 0);
    ck_assert_int_eq(mcph_filter_add(filter, MCPH_FILTER_BLACKLIST, "", 0), 0);
    ck_assert_int_eq(mcph_filter_add(filter, MCPH_FILTER_BLACKLIST, " \t\n", 3), 0);
    ck_assert_int_eq(mcph_filter_decide(filter, "foo", 3, NULL),
                     MCPHOST_FILTER_NOT_WHITELISTED);
    mcph_filter_unref(filter);
}
END_TEST

START_TEST(the_deciding_pattern_is_reported) /* R118 */
{
    mcphost_filter *filter = make("page_* tab_*", "*_b *_a");
    mcphost_filter *white = make("page_* tab_*", "");
    const char *pattern;

    mcph_filter_decide(filter, "x_a", 3, &pattern);
    ck_assert_str_eq(pattern, "*_a");
    mcph_filter_decide(filter, "tab_a", 5, &pattern);
    ck_assert_str_eq(pattern, "tab_*");
    mcph_filter_decide(filter, "foo", 3, &pattern);
    ck_assert_ptr_null(pattern);
    mcph_filter_decide(white, "foo", 3, &pattern);
    ck_assert_str_eq(pattern, "page_*, tab_*");
    mcph_filter_unref(filter);
    mcph_filter_unref(white);
}
END_TEST

START_TEST(the_first_blacklist_pattern_that_matches_is_reported) /* R118 */
{
    mcphost_filter *filter = make("", "*_b *_a x_*");
    const char *pattern;

    mcph_filter_decide(filter, "x_a", 3, &pattern);
    ck_assert_str_eq(pattern, "*_a");
    mcph_filter_unref(filter);
}
END_TEST

START_TEST(a_frozen_filter_takes_no_pattern)
{
    mcphost_filter *filter = make("", "");

    mcph_filter_freeze(filter);
    ck_assert_int_eq(mcph_filter_add(filter, MCPH_FILTER_WHITELIST, "a", 1),
                     MCPHOST_E_STATE);
    mcph_filter_unref(filter);
}
END_TEST

START_TEST(patterns_are_limited_in_length_and_number)
{
    mcphost_filter *filter = mcph_filter_new();
    char *text = malloc(MCPH_NAME_TEXT_MAX + 1);

    memset(text, 'a', MCPH_NAME_TEXT_MAX + 1);
    ck_assert_int_eq(
        mcph_filter_add(filter, MCPH_FILTER_WHITELIST, text, MCPH_NAME_TEXT_MAX), 0);
    ck_assert_int_eq(
        mcph_filter_add(filter, MCPH_FILTER_WHITELIST, text, MCPH_NAME_TEXT_MAX + 1),
        MCPHOST_E_LIMIT);
    for (int i = 0; i < MCPH_NAME_LIST_MAX; i++)
        ck_assert_int_eq(mcph_filter_add(filter, MCPH_FILTER_BLACKLIST, "a", 1), 0);
    ck_assert_int_eq(mcph_filter_add(filter, MCPH_FILTER_BLACKLIST, "a", 1),
                     MCPHOST_E_LIMIT);
    free(text);
    mcph_filter_unref(filter);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *patterns = test_case(suite, "patterns"), *lists = test_case(suite, "lists");

    tcase_add_test(patterns, a_star_matches_any_run_also_an_empty_run);
    tcase_add_test(patterns, nothing_but_the_star_is_special);
    tcase_add_test(patterns, a_pattern_covers_the_whole_name);
    tcase_add_test(patterns, patterns_are_case_sensitive);
    tcase_add_test(patterns, chunks_between_stars_do_not_overlap);
    tcase_add_test(patterns, a_pattern_of_many_stars_takes_no_exponential_time);
    tcase_add_test(lists, a_whitelist_alone_passes_only_names_that_it_matches);
    tcase_add_test(lists, without_lists_everything_passes);
    tcase_add_test(lists, a_blacklisted_name_that_is_not_whitelisted_is_refused);
    tcase_add_test(lists, a_name_on_both_lists_passes);
    tcase_add_test(lists, with_a_blacklist_the_whitelist_does_not_restrict);
    tcase_add_test(lists, a_whitelisted_name_passes_beside_a_blacklist);
    tcase_add_test(lists, blank_patterns_do_not_make_a_list);
    tcase_add_test(lists, the_deciding_pattern_is_reported);
    tcase_add_test(lists, the_first_blacklist_pattern_that_matches_is_reported);
    tcase_add_test(lists, a_frozen_filter_takes_no_pattern);
    tcase_add_test(lists, patterns_are_limited_in_length_and_number);
}

int
main(void)
{
    return test_main("names-filter", add);
}
