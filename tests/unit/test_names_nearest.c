/* SPDX-License-Identifier: MIT
 *
 * test_names_nearest.c - the known word that is nearest to a misspelt one ("did you
 * mean").
 */
#include <string.h>

#include "names/names.h"
#include "support/runner.h"

static const char *
nearest(const char *word)
{
    static const char *const known[] = {"transport", "transform", "truely-stateless",
                                        "env",       "args",      "command"};

    return mcph_name_nearest(word, strlen(word), known, MCPH_ARRAY_SIZE(known));
}

START_TEST(a_misspelt_word_finds_its_neighbour) /* R6 */
{
    ck_assert_str_eq(nearest("truly-stateless"), "truely-stateless");
    ck_assert_str_eq(nearest("trnasport"), "transport");
    ck_assert_str_eq(nearest("transforms"), "transform");
    ck_assert_str_eq(nearest("evn"), "env");
    ck_assert_str_eq(nearest("arg"), "args");
    ck_assert_str_eq(nearest("Command"), "command");
}
END_TEST

START_TEST(a_word_far_from_all_finds_none)
{
    ck_assert_ptr_null(nearest("description"));
    ck_assert_ptr_null(nearest("x-y"));
    ck_assert_ptr_null(nearest(""));
}
END_TEST

START_TEST(a_swap_of_neighbours_counts_once)
{
    static const char *const known[] = {"ab"};

    ck_assert_ptr_nonnull(mcph_name_nearest("ba", 2, known, 1));
    ck_assert_ptr_null(mcph_name_nearest("xy", 2, known, 1));
}
END_TEST

START_TEST(the_first_of_equals_wins)
{
    static const char *const known[] = {"cat", "car"};

    ck_assert_str_eq(mcph_name_nearest("cas", 3, known, 2), "cat");
}
END_TEST

START_TEST(long_words_are_no_misspellings)
{
    char word[100];
    const char *const known[] = {"args"};

    memset(word, 'a', sizeof(word));
    ck_assert_ptr_null(mcph_name_nearest(word, sizeof(word), known, 1));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "nearest");

    tcase_add_test(tc, a_misspelt_word_finds_its_neighbour);
    tcase_add_test(tc, a_word_far_from_all_finds_none);
    tcase_add_test(tc, a_swap_of_neighbours_counts_once);
    tcase_add_test(tc, the_first_of_equals_wins);
    tcase_add_test(tc, long_words_are_no_misspellings);
}

int
main(void)
{
    return test_main("names-nearest", add);
}
