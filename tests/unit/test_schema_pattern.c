/* SPDX-License-Identifier: MIT
 *
 * test_schema_pattern.c - translating regular expressions of ECMA-262 for PCRE2.
 */
#include <string.h>

#include "schema/inner.h"
#include "support/runner.h"

static mcphost_schema *schema;

static void
up(void)
{
    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
}

static void
down(void)
{
    mcphost_schema_unref(schema);
}

/* Returns 1 if the pattern matches, 0 if it does not match, or a negative code if it does
 * not compile. */
static int
matches(const char *pattern, const char *text)
{
    char why[160] = "";
    struct mcph_schema_pattern compiled = {.text = mcph_span_str(pattern)};
    pcre2_match_data *data;
    int r = mcph_pattern_compile(schema, &compiled, why, sizeof(why));

    if (r < 0)
        return r;
    data = pcre2_match_data_create(1, NULL);
    r = pcre2_match(compiled.code, (PCRE2_SPTR)text, strlen(text), 0, 0, data, NULL);
    pcre2_match_data_free(data);
    return r >= 0;
}

START_TEST(patterns_match_as_ecma_262_defines) /* R51 */
{
    static const struct {
        const char *pattern, *yes, *no;
    } all[] = {
        {"^\\d+$", "12", "\xd9\xa1"}, /* an Arabic digit is no \d in ECMA-262 */
        {"^\\w$", "_", "\xc3\xa9"},
        {"^\\s$", "\xe2\x80\x83", "x"},
        {"^[\\s]$", "\xef\xbb\xbf", "x"},
        {"^\\S$", "x", "\xc2\xa0"},
        {"^.$", "\xc3\xa9", "\n"},
        {"^.$", "a", "\xe2\x80\xa8"},
        {"^a$", "a", "a\n"},
        {"^\\u00e9\\x41$",
         "\xc3\xa9"
         "A",
         "e"},
        {"^\\ud83d\\ude00$", "\xf0\x9f\x98\x80", "x"},
        {"^\\u{1F600}$", "\xf0\x9f\x98\x80", "x"},
        {"^\\v$", "\v", "\n"},
        {"^\\cJ$", "\n", "J"},
        {"^\\0$", "", NULL},
        {"^[^]$", "\n", ""},
        {"^[\\w-.]+$", "a-b.c", "a b"},
        {"^[a-\\d]$", "-", "b"},
        {"^[[:alpha:]]$", "a]", "b"},
        {"^\\p{Letter}\\p{Lu}$", "aA", "aa"},
        {"^\\p{Script=Greek}+$", "\xce\xb1", "a"},
        {"^(?<y>a|b)\\k<y>$", "aa", "ab"},
        {"^(a)?\\1b$", "b", "ab"},
        {"^a(?=b)", "ab", "ac"},
        {"(?<!x)b", "ab", "xb"},
        {"^a\\-b\\/c\\_$", "a-b/c_", "a"},
        {"^a{2,}$", "aa", "a"},
        {"^a{,2}$", "a{,2}", "aa"},
        {"^a{ 2 }$", "a{ 2 }", "aa"},
        {"^a+{x}$", "aa{x}", "aa"},
        {"^a\\++[+*]+?$", "a+++*", "aa"},
        {"^(?:a*?){2}$", "aa", "b"},
        {"\\Aab\\Z", "ab", "cab"},
        {"(?i)^abc$", "ABC", "abd"},
        {"(?P<n>a)(?P=n)", "aa", "ab"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++) {
        if (*all[i].yes || !all[i].no)
            ck_assert_msg(matches(all[i].pattern, all[i].yes) == (all[i].no != NULL),
                          "%s does not match %s", all[i].pattern, all[i].yes);
        if (all[i].no)
            ck_assert_msg(matches(all[i].pattern, all[i].no) == 0, "%s matches %s",
                          all[i].pattern, all[i].no);
    }
}
END_TEST

/* From version 10.43 on, PCRE2 reads {,2} and { 2 } as quantifiers. */
START_TEST(a_brace_that_begins_no_quantifier_is_escaped)
{
    static const char *const all[][2] = {{"a{,2}", "a\\{,2}"},
                                         {"a{ 2 }", "a\\{ 2 }"},
                                         {"a{2}{", "a{2}\\{"},
                                         {"[{]\\{", "[{]\\{"}};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++) {
        const char *why = NULL;
        struct mcph_buf buf;

        mcph_buf_init(&buf, 100);
        ck_assert_int_eq(
            mcph_pattern_translate(mcph_span_str(all[i][0]), false, &buf, &why), 0);
        ck_assert_str_eq(mcph_buf_text(&buf), all[i][1]);
        mcph_buf_done(&buf);
    }
}
END_TEST

START_TEST(syntax_that_only_pcre2_has_is_refused)
{
    static const char *const all[] = {
        "(*LIMIT_MATCH=9)a",
        "(*FAIL)",
        "(?R)",
        "(?1)",
        "(?C1)",
        "(?#x)",
        "(?|a)",
        "(?>a)",
        "(?&x)",
        "(?(1)a)",
        "a\\",
        "[a",
        "(a",
        "a)",
        "*a",
        "(?<n>a",
        "a{2,1}",
        "\\p{NoSuch}",
        "a++",
        "a*+",
        "a?+",
        "a{1}+",
        "a{1,}+",
        "a{1,2}+",
        "a+?+",
        "a**",
        "a{1}{1}",
        "(a)++",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++)
        ck_assert_msg(matches(all[i], "a") == MCPHOST_E_INVALID, "%s compiles", all[i]);
}
END_TEST

START_TEST(unknown_escapes_are_letters_and_with_strict_they_are_refused)
{
    static const char *const slips[] = {"\\a", "\\e", "\\Q", "\\h", "\\C", "\\Z", "\\xg"};
    struct mcph_buf buf;
    const char *why;

    ck_assert_int_eq(matches("^\\a\\e\\Q$", "aeQ"), 1);
    mcph_buf_init(&buf, 1000);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(slips); i++)
        ck_assert_int_eq(
            mcph_pattern_translate(mcph_span_str(slips[i]), true, &buf, &why),
            MCPHOST_E_INVALID);
    mcph_buf_done(&buf);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "pattern");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, patterns_match_as_ecma_262_defines);
    tcase_add_test(tc, a_brace_that_begins_no_quantifier_is_escaped);
    tcase_add_test(tc, syntax_that_only_pcre2_has_is_refused);
    tcase_add_test(tc, unknown_escapes_are_letters_and_with_strict_they_are_refused);
}

int
main(void)
{
    return test_main("schema-pattern", add);
}
