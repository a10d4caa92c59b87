/* SPDX-License-Identifier: MIT
 *
 * test_names_nearest.c - the known word that is nearest to a misspelt word ("did you
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

START_TEST(a_misspelt_word_gives_the_nearest_known_word) /* R6 */
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

START_TEST(a_swap_of_two_letters_counts_as_one_error)
{
    static const char *const known[] = {"ab"};

    ck_assert_ptr_nonnull(mcph_name_nearest("ba", 2, known, 1));
    ck_assert_ptr_null(mcph_name_nearest("xy", 2, known, 1));
}
END_TEST

START_TEST(of_equally_near_words_the_first_wins)
{
    static const char *const known[] = {"cat", "car"};

    ck_assert_str_eq(mcph_name_nearest("cas", 3, known, 2), "cat");
}
END_TEST

START_TEST(a_word_of_100_letters_has_no_nearest_word)
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

    tcase_add_test(tc, a_misspelt_word_gives_the_nearest_known_word);
    tcase_add_test(tc, a_word_far_from_all_finds_none);
    tcase_add_test(tc, a_swap_of_two_letters_counts_as_one_error);
    tcase_add_test(tc, of_equally_near_words_the_first_wins);
    tcase_add_test(tc, a_word_of_100_letters_has_no_nearest_word);
}

int
main(void)
{
    return test_main("names-nearest", add);
}
