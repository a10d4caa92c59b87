/* SPDX-License-Identifier: MIT
 *
 * test_schema_number.c - comparing and dividing numbers as exact decimals.
 */
#include <string.h>

#include "schema/inner.h"
#include "support/runner.h"

static struct mcph_number
num(const char *text)
{
    return mcph_number(mcph_span_str(text));
}

static int
compare(const char *a, const char *b)
{
    struct mcph_number x = num(a), y = num(b);

    ck_assert_int_eq(mcph_number_compare(&x, &y), -mcph_number_compare(&y, &x));
    return mcph_number_compare(&x, &y);
}

static bool
multiple(const char *a, const char *b)
{
    struct mcph_number x = num(a), y = num(b);
    uint64_t steps = 0;
    bool is = mcph_number_is_multiple(&x, &y, &steps);

    ck_assert_uint_gt(steps, 0);
    return is;
}

static bool
integer(const char *a)
{
    struct mcph_number x = num(a);

    return mcph_number_is_integer(&x);
}

START_TEST(spellings_of_one_number_are_equal_and_have_one_hash) /* R51 */
{
    static const char *const ways[] = {"100",     "1e2",     "1E+2",   "100.000",
                                       "0.001e5", "1000e-1", "10.0e1", "0.1e3"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(ways); i++) {
        struct mcph_number x = num("100"), y = num(ways[i]);

        ck_assert_msg(compare("100", ways[i]) == 0, "%s", ways[i]);
        ck_assert_uint_eq(mcph_number_hash(&x), mcph_number_hash(&y));
    }
    ck_assert_int_eq(compare("0", "-0.0e9"), 0);
}
END_TEST

START_TEST(numbers_beyond_machine_numbers_are_ordered_exactly) /* R51 */
{
    ck_assert_int_lt(compare("18446744073709551616", "18446744073709551617"), 0);
    ck_assert_int_gt(compare("1e400", "1e399"), 0);
    ck_assert_int_lt(compare("1e-400", "1e-399"), 0);
    ck_assert_int_lt(compare("0.1", "0.10000000000000000000000000000001"), 0);
    ck_assert_int_lt(compare("-1e400", "1e-400"), 0);
    ck_assert_int_lt(compare("-3", "-2.5"), 0);
    ck_assert_int_lt(compare("-1", "0"), 0);
    ck_assert_int_lt(compare("0", "0.0001"), 0);
    ck_assert_int_lt(compare("9", "10"), 0);
    ck_assert_int_lt(compare("1e99999999999999999999", "2e99999999999999999999"), 0);
}
END_TEST

START_TEST(a_number_without_a_fraction_is_an_integer_in_any_spelling) /* R51 */
{
    ck_assert(integer("1.0"));
    ck_assert(integer("0.0"));
    ck_assert(integer("-12e3"));
    ck_assert(integer("1.5e1"));
    ck_assert(integer("1e1000"));
    ck_assert(!integer("1.5"));
    ck_assert(!integer("1e-1"));
    ck_assert(!integer("123456789012345678901234567890.5"));
}
END_TEST

START_TEST(multiples_have_no_rounding_error) /* R51 */
{
    ck_assert(multiple("0.3", "0.1"));
    ck_assert(multiple("1.1", "0.1"));
    ck_assert(multiple("19.99", "0.01"));
    ck_assert(multiple("0.0075", "0.0001"));
    ck_assert(!multiple("0.00751", "0.0001"));
    ck_assert(multiple("1e308", "0.5"));
    ck_assert(multiple("1e1000", "1024"));
    ck_assert(!multiple("1e1000", "3"));
    ck_assert(!multiple("1", "10"));
    ck_assert(multiple("0", "7"));
    ck_assert(multiple("-14", "7"));
    ck_assert(!multiple("18446744073709551617", "2"));
    ck_assert(multiple("9007199254740993", "3"));
    ck_assert(multiple("4.5", "1.5"));
    ck_assert(!multiple("5", "1.5"));
    ck_assert(multiple("1e5", "3.2"));
}
END_TEST

START_TEST(divisors_may_be_longer_than_a_machine_word)
{
    /* The divisor is 2^90. */
    ck_assert(multiple("1237940039285380274899124224", "1237940039285380274899124224"));
    ck_assert(multiple("2475880078570760549798248448", "1237940039285380274899124224"));
    ck_assert(!multiple("2475880078570760549798248449", "1237940039285380274899124224"));
    /* The number is a multiple, because 10^90 = 2^90 * 5^90. */
    ck_assert(multiple("1e90", "1237940039285380274899124224"));
    ck_assert(!multiple("1e89", "1237940039285380274899124224"));
    ck_assert(multiple("1e100000000000", "1237940039285380274899124224"));
}
END_TEST

START_TEST(a_count_must_be_an_integer_that_is_not_negative)
{
    struct mcph_number x;
    size_t size = 7;

    x = num("2.0");
    ck_assert(mcph_number_size(&x, &size));
    ck_assert_uint_eq(size, 2);
    x = num("0");
    ck_assert(mcph_number_size(&x, &size));
    ck_assert_uint_eq(size, 0);
    x = num("1e30");
    ck_assert(mcph_number_size(&x, &size));
    ck_assert_uint_eq(size, SIZE_MAX);
    x = num("1200");
    ck_assert(mcph_number_size(&x, &size));
    ck_assert_uint_eq(size, 1200);
    x = num("-1");
    ck_assert(!mcph_number_size(&x, &size));
    x = num("1.5");
    ck_assert(!mcph_number_size(&x, &size));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "number");

    tcase_add_test(tc, spellings_of_one_number_are_equal_and_have_one_hash);
    tcase_add_test(tc, numbers_beyond_machine_numbers_are_ordered_exactly);
    tcase_add_test(tc, a_number_without_a_fraction_is_an_integer_in_any_spelling);
    tcase_add_test(tc, multiples_have_no_rounding_error);
    tcase_add_test(tc, divisors_may_be_longer_than_a_machine_word);
    tcase_add_test(tc, a_count_must_be_an_integer_that_is_not_negative);
}

int
main(void)
{
    return test_main("schema-number", add);
}
