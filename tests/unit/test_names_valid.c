/* SPDX-License-Identifier: MIT
 *
 * test_names_valid.c - which tool names are valid.
 */
#include <string.h>

#include "names/names.h"
#include "support/runner.h"

static int
check_name(const char *name)
{
    return mcph_name_check(name, strlen(name));
}

START_TEST(ascii_letters_digits_underscore_and_hyphen_are_valid) /* R47 */
{
    ck_assert_int_eq(check_name("a"), MCPH_NAME_RULE_NONE);
    ck_assert_int_eq(check_name("browser_click-2"), MCPH_NAME_RULE_NONE);
    ck_assert_int_eq(check_name("-"), MCPH_NAME_RULE_NONE);
    ck_assert_int_eq(check_name("AZaz09_-"), MCPH_NAME_RULE_NONE);
}
END_TEST

START_TEST(every_other_byte_is_refused) /* R47 */
{
    for (int c = 0; c < 256; c++) {
        char name[] = {'a', (char)c, 'b'};
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c >= '0' && c <= '9') || c == '_' || c == '-';

        ck_assert_msg(mcph_name_check(name, 3) ==
                          (good ? MCPH_NAME_RULE_NONE : MCPH_NAME_RULE_CHARACTER),
                      "byte %d", c);
    }
}
END_TEST

START_TEST(a_name_ends_at_its_length_not_at_a_nul_or_newline) /* R47 */
{
    ck_assert_int_eq(mcph_name_check("a\n", 2), MCPH_NAME_RULE_CHARACTER);
    ck_assert_int_eq(mcph_name_check("a\0", 2), MCPH_NAME_RULE_CHARACTER);
    ck_assert_int_eq(check_name("a.b"), MCPH_NAME_RULE_CHARACTER);
    ck_assert_int_eq(check_name("a b"), MCPH_NAME_RULE_CHARACTER);
    ck_assert_int_eq(check_name("\xc3\xa9"), MCPH_NAME_RULE_CHARACTER);
    ck_assert_int_eq(mcph_name_check("a.b", 1), MCPH_NAME_RULE_NONE);
}
END_TEST

START_TEST(one_to_sixty_four_characters_are_valid) /* R47 */
{
    char name[65];

    memset(name, 'x', sizeof(name));
    ck_assert_int_eq(mcph_name_check(name, 0), MCPH_NAME_RULE_EMPTY);
    ck_assert_int_eq(mcph_name_check(name, 64), MCPH_NAME_RULE_NONE);
    ck_assert_int_eq(mcph_name_check(name, 65), MCPH_NAME_RULE_LENGTH);
}
END_TEST

START_TEST(each_rule_has_a_text_of_its_own) /* R50 */
{
    const char *empty = mcph_name_rule_text(MCPH_NAME_RULE_EMPTY);
    const char *length = mcph_name_rule_text(MCPH_NAME_RULE_LENGTH);
    const char *character = mcph_name_rule_text(MCPH_NAME_RULE_CHARACTER);

    ck_assert_str_eq(empty, "is empty");
    ck_assert_ptr_nonnull(strstr(length, "64"));
    ck_assert_ptr_nonnull(strstr(character, "ASCII"));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "valid");

    tcase_add_test(tc, ascii_letters_digits_underscore_and_hyphen_are_valid);
    tcase_add_test(tc, every_other_byte_is_refused);
    tcase_add_test(tc, a_name_ends_at_its_length_not_at_a_nul_or_newline);
    tcase_add_test(tc, one_to_sixty_four_characters_are_valid);
    tcase_add_test(tc, each_rule_has_a_text_of_its_own);
}

int
main(void)
{
    return test_main("names-valid", add);
}
