/* SPDX-License-Identifier: MIT
 *
 * test_config_scalar.c - plain scalars by the core schema of YAML 1.2 (B.2).
 */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "config/config.h"
#include "support/runner.h"

static struct mcph_node
resolve(const char *text)
{
    struct mcph_node node = {.text = (char *)text, .len = strlen(text)};

    mcph_scalar_resolve(&node);
    return node;
}

static const struct {
    const char *text;
    int kind;
} words[] = {
    {"", MCPH_NODE_NULL},
    {"~", MCPH_NODE_NULL},
    {"null", MCPH_NODE_NULL},
    {"Null", MCPH_NODE_NULL},
    {"NULL", MCPH_NODE_NULL},
    {"nULL", MCPH_NODE_STRING},
    {"true", MCPH_NODE_BOOL},
    {"True", MCPH_NODE_BOOL},
    {"TRUE", MCPH_NODE_BOOL},
    {"tRUE", MCPH_NODE_STRING},
    {"false", MCPH_NODE_BOOL},
    {"False", MCPH_NODE_BOOL},
    {"FALSE", MCPH_NODE_BOOL},
    {"yes", MCPH_NODE_STRING},
    {"Yes", MCPH_NODE_STRING},
    {"no", MCPH_NODE_STRING},
    {"on", MCPH_NODE_STRING},
    {"off", MCPH_NODE_STRING},
    {"y", MCPH_NODE_STRING},
    {"n", MCPH_NODE_STRING},
    {"<<", MCPH_NODE_STRING},
    {"2001-01-01", MCPH_NODE_STRING},
    {"1:30", MCPH_NODE_STRING},
    {"1_000", MCPH_NODE_STRING},
    {"0b11", MCPH_NODE_STRING},
    {"0o8", MCPH_NODE_STRING},
    {"0o", MCPH_NODE_STRING},
    {"0x", MCPH_NODE_STRING},
    {"0xg", MCPH_NODE_STRING},
    {"-0x1", MCPH_NODE_STRING},
    {"-", MCPH_NODE_STRING},
    {"+", MCPH_NODE_STRING},
    {".", MCPH_NODE_STRING},
    {"-.", MCPH_NODE_STRING},
    {"e5", MCPH_NODE_STRING},
    {"1e", MCPH_NODE_STRING},
    {"1e+", MCPH_NODE_STRING},
    {"1.2.3", MCPH_NODE_STRING},
    {"inf", MCPH_NODE_STRING},
    {".iNF", MCPH_NODE_STRING},
    {"+.nan", MCPH_NODE_STRING},
    {"nan", MCPH_NODE_STRING},
    {"0", MCPH_NODE_INT},
    {"-0", MCPH_NODE_INT},
    {"0o17", MCPH_NODE_INT},
    {"0xFf", MCPH_NODE_INT},
    {"017", MCPH_NODE_INT},
    {"+12", MCPH_NODE_INT},
    {"1.0", MCPH_NODE_FLOAT},
    {"1.", MCPH_NODE_FLOAT},
    {".5", MCPH_NODE_FLOAT},
    {"-.5", MCPH_NODE_FLOAT},
    {"1e3", MCPH_NODE_FLOAT},
    {"1E-3", MCPH_NODE_FLOAT},
    {".inf", MCPH_NODE_FLOAT},
    {"-.Inf", MCPH_NODE_FLOAT},
    {"+.INF", MCPH_NODE_FLOAT},
    {".nan", MCPH_NODE_FLOAT},
    {".NaN", MCPH_NODE_FLOAT},
    {"99999999999999999999", MCPH_NODE_FLOAT},
    {"9223372036854775807", MCPH_NODE_INT},
    {"9223372036854775808", MCPH_NODE_FLOAT},
    {"-9223372036854775808", MCPH_NODE_INT},
    {"-9223372036854775809", MCPH_NODE_FLOAT},
};

START_TEST(only_words_of_the_core_schema_are_not_strings)
{
    const char *text = words[_i].text;

    ck_assert_msg(resolve(text).kind == words[_i].kind, "'%s'", text);
}
END_TEST

START_TEST(booleans_have_their_value)
{
    ck_assert(resolve("True").boolean);
    ck_assert(!resolve("FALSE").boolean);
}
END_TEST

START_TEST(integers_are_read_in_three_bases_and_leading_zeros_are_decimal)
{
    ck_assert_int_eq((int)resolve("0o17").integer, 15);
    ck_assert_int_eq((int)resolve("017").integer, 17);
    ck_assert_int_eq((int)resolve("0x1F").integer, 31);
    ck_assert_int_eq((int)resolve("-12").integer, -12);
    ck_assert(resolve("9223372036854775807").integer == INT64_MAX);
    ck_assert(resolve("-9223372036854775808").integer == INT64_MIN);
}
END_TEST

START_TEST(short_decimal_floats_are_exact)
{
    ck_assert(resolve("1.0").number == 1);
    ck_assert(resolve("10e-1").number == 1);
    ck_assert(resolve("0.1e1").number == 1);
    ck_assert(resolve("1.5").number == 1.5);
    ck_assert(resolve("-2.25").number == -2.25);
    ck_assert(resolve("1e3").number == 1000);
    ck_assert(resolve("0.001").number == 0.001);
    ck_assert(resolve("7").number == 7);
}
END_TEST

START_TEST(floats_beyond_the_range_become_infinite_or_zero)
{
    ck_assert(isinf(resolve("1e400").number));
    ck_assert(resolve("-1e400").number < 0);
    ck_assert(resolve("1e-400").number == 0);
    ck_assert(resolve("0e999999999999").number == 0);
    ck_assert(isnan(resolve(".nan").number));
    ck_assert(isinf(resolve("-.inf").number) && resolve("-.inf").number < 0);
}
END_TEST

START_TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names) && !setlocale(LC_NUMERIC, names[i]);
         i++)
        continue;
    ck_assert(resolve("1.5").number == 1.5);
    ck_assert_int_eq(resolve("1,5").kind, MCPH_NODE_STRING);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "scalar");

    tcase_add_loop_test(tc, only_words_of_the_core_schema_are_not_strings, 0,
                        (int)MCPH_ARRAY_SIZE(words));
    tcase_add_test(tc, booleans_have_their_value);
    tcase_add_test(tc, integers_are_read_in_three_bases_and_leading_zeros_are_decimal);
    tcase_add_test(tc, short_decimal_floats_are_exact);
    tcase_add_test(tc, floats_beyond_the_range_become_infinite_or_zero);
    tcase_add_test(tc, a_locale_with_a_decimal_comma_changes_nothing);
}

int
main(void)
{
    return test_main("config-scalar", add);
}
