/* SPDX-License-Identifier: MIT
 *
 * test_base_mask.c - the mask covers the secrets in a text in all their spellings, and
 * nothing else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/runner.h"

static struct mcph_mask *mask;
static char out[4096];

static void
up(void)
{
    mask = mcph_mask_new();
    ck_assert_ptr_nonnull(mask);
}

static void
down(void)
{
    ck_assert_ptr_null(mcph_mask_unref(mask));
}

static void
add_secret(const char *secret)
{
    ck_assert_int_eq(mcph_mask_add(mask, secret, strlen(secret)), 0);
}

static const char *
masked(const char *text)
{
    bool changed;

    snprintf(out, sizeof(out), "%s", text);
    changed = mcph_mask_text(mask, out, strlen(out));
    ck_assert_int_eq(changed, strcmp(out, text) != 0);
    return out;
}

static const char *
masked_json(const char *text)
{
    snprintf(out, sizeof(out), "%s", text);
    mcph_mask_json(mask, out, strlen(out));
    return out;
}

/* R18 */
START_TEST(a_value_is_covered_at_every_position)
{
    add_secret("hush");
    add_secret("open-sesame");
    ck_assert_str_eq(masked("hush"), "****");
    ck_assert_str_eq(masked("a hush b hushhush c"), "a **** b ******** c");
    ck_assert_str_eq(masked("open-sesam hus open-sesame!"),
                     "open-sesam hus ***********!");
    ck_assert_str_eq(masked("nothing of it"), "nothing of it");
    ck_assert_str_eq(masked(""), "");
    ck_assert(!mcph_mask_text(NULL, out, 0));
}
END_TEST

START_TEST(values_below_four_bytes_are_not_covered)
{
    add_secret("abc");
    add_secret("   x ");
    ck_assert_str_eq(masked("abc x"), "abc x");
    add_secret(" abcd\n");
    ck_assert_str_eq(masked("xabcdx"), "x****x");
}
END_TEST

START_TEST(overlapping_values_are_all_covered)
{
    add_secret("abcdef");
    add_secret("cdefgh");
    add_secret("defg");
    ck_assert_str_eq(masked("abcdefgh"), "********");
    ck_assert_str_eq(masked("abcdefg"), "*******");
    ck_assert_str_eq(masked("xdefgx cdefgx"), "x****x c****x");
}
END_TEST

START_TEST(escaped_and_encoded_values_are_covered)
{
    static const struct {
        const char *secret, *text, *shown;
    } cases[] = {
        {"pass\"wo\\rd", "{\"x\":\"pass\\\"wo\\\\rd\"}", "{\"x\":\"************\"}"},
        {"pass/word", "pass\\/word", "**********"},
        {"sesame", "\\u0073es\\u0061me.", "****************."},
        {"s\xc3\xa9same", "s\\u00e9same", "***********"},
        {"k\xf0\x9f\x94\x91"
         "ey",
         "k\\ud83d\\udd11ey", "***************"},
        {"a\"b\"c", "\\\"a\\\\\\\"b\\\\\\\"c\\\"", "\\\"***********\\\""},
        {"p@ss wo+rd", "p%40ss%20wo%2Brd", "****************"},
        {"p@ss wo+rd", "x=p%40ss+wo%2brd&y", "x=**************&y"},
        {"p@ss/w", "{\\\"u\\\":\\\"p%40ss%2fw\\\"}", "{\\\"u\\\":\\\"**********\\\"}"},
        {"line1\nline2", "got line2, then line1", "got *****, then *****"},
        {"tab\tbed", "a tab bed", "a *******"},
    };

    add_secret(cases[_i].secret);
    ck_assert_str_eq(masked(cases[_i].text), cases[_i].shown);
}
END_TEST

/* The first three texts are the base64 of "open-sesame" after 0, 1 and 2 bytes.  In the
 * fourth text, other bytes follow "open-sesame". */
START_TEST(base64_is_covered_at_each_alignment)
{
    static const char *const texts[] = {
        "b3Blbi1zZXNhbWU=",
        "eG9wZW4tc2VzYW1l",
        "eHlvcGVuLXNlc2FtZQ==",
        "b3Blbi1zZXNhbWV4eHh4",
    };

    add_secret("open-sesame");
    masked(texts[_i]);
    /* Check that the unmasked characters do not show four bytes of the secret. */
    ck_assert_uint_ge(strspn(out + strcspn(out, "*"), "*"), 15 - (_i == 0 ? 0 : 1));
}
END_TEST

START_TEST(both_alphabets_of_base64_are_covered)
{
    add_secret("\xfb\xff\xfe\xfb\xff\xfe");
    ck_assert_str_eq(masked("+//++//+"), "********");
    ck_assert_str_eq(masked("-__--__-"), "********");
}
END_TEST

/* A text that was cut may end within a secret. */
START_TEST(the_beginning_of_a_value_at_the_end_of_the_text_is_covered)
{
    add_secret("open-sesame");
    ck_assert_str_eq(masked("say open-se"), "say *******");
    ck_assert_str_eq(masked("say open"), "say ****");
    ck_assert_str_eq(masked("say ope"), "say ope");
    ck_assert_str_eq(masked("say open-s..."), "say ******...");
}
END_TEST

START_TEST(long_values_are_covered_whole_and_in_part)
{
    char secret[1000], text[3000];

    for (size_t i = 0; i < sizeof(secret) - 1; i++)
        secret[i] = (char)('a' + (i * i + i / 7) % 26);
    secret[sizeof(secret) - 1] = '\0';
    add_secret(secret);
    snprintf(text, sizeof(text), "<%s> <%.700s> <", secret, secret);
    ck_assert(mcph_mask_text(mask, text, strlen(text)));
    ck_assert_uint_eq(strspn(text + 1, "*"), 999);
    ck_assert_uint_ge(strspn(text + 1003, "*"), 640);
}
END_TEST

START_TEST(the_credentials_in_a_header_are_covered_but_not_its_scheme)
{
    static const char bearer[] = "Bearer tok-en-1";
    static const char basic[] = "Basic YWxhZGRpbjpvcGVuLXNlc2FtZQ==";

    ck_assert_int_eq(mcph_mask_add_header(mask, bearer, strlen(bearer)), 0);
    ck_assert_int_eq(mcph_mask_add_header(mask, basic, strlen(basic)), 0);
    ck_assert_str_eq(masked("got 'tok-en-1'"), "got '********'");
    ck_assert_str_eq(masked("password open-sesame"), "password ***********");
    ck_assert_str_eq(masked("YWxhZGRpbjpvcGVuLXNlc2FtZQ=="),
                     "****************************");
    ck_assert_str_eq(masked("Bearer of news"), "Bearer of news");
}
END_TEST

static void
add_many(const char *word, int n)
{
    char secret[32];

    for (int i = 0; i < n; i++) {
        snprintf(secret, sizeof(secret), "%s-%06d", word, i);
        add_secret(secret);
    }
}

START_TEST(kept_values_outlast_later_values_up_to_a_limit)
{
    static char long_secret[60000];

    mcph_mask_set_keeping(mask, true);
    add_secret("configured");
    mcph_mask_set_keeping(mask, false);
    add_many("token", 2000);
    ck_assert_str_eq(masked("configured"), "**********");
    ck_assert_str_eq(masked("token-001999"), "************");
    ck_assert_str_eq(masked("token-000001"), "token-000001");
    /* These values fill the memory of the mask. */
    for (int i = 0; i < 30; i++) {
        for (size_t k = 0; k < sizeof(long_secret) - 1; k++)
            long_secret[k] = (char)('a' + (k * k + k / 7 + (size_t)i * k) % 26);
        add_secret(long_secret);
    }
    ck_assert_str_eq(masked("configured"), "**********");
    mcph_mask_set_keeping(mask, true);
    add_many("kept", 2000);
    add_secret("kept-001000");
    ck_assert_str_eq(masked("kept-001999"), "***********");
    mcph_mask_set_keeping(mask, false);
    add_many("token", 2000);
    ck_assert_str_eq(masked("kept-001000"), "***********");
    ck_assert_str_eq(masked("kept-001999"), "***********");
    ck_assert_str_eq(masked("kept-000001"), "kept-000001");
    ck_assert_str_eq(masked("configured"), "configured");
}
END_TEST

START_TEST(masked_json_is_still_json)
{
    static const struct {
        const char *secret, *text, *shown;
    } cases[] = {
        {"4711", "{\"a\":4711,\"b\":[-4711.5e1],\"c\":\"4711\"}",
         "{\"a\":1111,\"b\":[-1111.5e1],\"c\":\"****\"}"},
        {"true", "{\"a\":true,\"b\":\"true\"}", "{\"a\":true,\"b\":\"****\"}"},
        {"a\":\"b", "{\"a\":\"b\"}", "{\"*\":\"*\"}"},
        {"u0041b", "{\"a\":\"\\u0041b\"}", "{\"a\":\"*******\"}"},
        {"nabc", "{\"a\":\"\\nabc\"}", "{\"a\":\"*****\"}"},
        {"abcd", "{\"a\":\"x\\\"abcd\\\"\"}", "{\"a\":\"x\\\"****\\\"\"}"},
    };

    add_secret(cases[_i].secret);
    ck_assert_str_eq(masked_json(cases[_i].text), cases[_i].shown);
}
END_TEST

START_TEST(variables_for_secrets_are_recognised_by_their_names)
{
    ck_assert(mcph_mask_is_secret_name("GITHUB_TOKEN"));
    ck_assert(mcph_mask_is_secret_name("api_key"));
    ck_assert(mcph_mask_is_secret_name("Passphrase"));
    ck_assert(mcph_mask_is_secret_name("X-Auth"));
    ck_assert(mcph_mask_is_secret_name("clientSecret"));
    ck_assert(!mcph_mask_is_secret_name("EDITION"));
}
END_TEST

/* The mask still covers the newest values. */
START_TEST(beyond_the_limit_the_oldest_values_are_forgotten)
{
    char secret[32];

    for (int i = 0; i < 1000; i++) {
        snprintf(secret, sizeof(secret), "value-%d-", i);
        add_secret(secret);
        ck_assert_int_eq(*masked(secret), '*');
    }
    ck_assert_str_eq(masked("value-0-"), "value-0-");
    ck_assert_str_eq(masked("value-950-"), "**********");
}
END_TEST

/* ---- random secrets ---------------------------------------------------------------- */

static unsigned seed;

static unsigned
chance(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static size_t
add_byte(char *to, unsigned char c, int way)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    unsigned upper = chance(2) * 16;

    switch (way) {
    case 1: /* escapes of JSON */
        if (c == '"' || c == '\\' || c == '/') {
            to[0] = '\\';
            to[1] = (char)c;
            return 2;
        }
        if (c >= 0x80 || chance(4))
            break;
        return (size_t)snprintf(to, 8, "\\u00%c%c", digits[upper + c / 16],
                                digits[upper + c % 16]);
    case 2: /* percent-encoding */
        if (c != '%' && c != '+' && chance(2))
            break;
        return (size_t)snprintf(to, 8, "%%%c%c", digits[upper + c / 16],
                                digits[upper + c % 16]);
    default:
        break;
    }
    to[0] = (char)c;
    return 1;
}

/* The mask covers each random secret completely, in a random spelling after random
 * bytes.  In base64, the first 4 and the last 6 characters are not checked, because they
 * may contain bytes outside the secret. */
START_TEST(no_random_secret_survives_in_any_spelling) /* R18 */
{
    char secret[200], text[4096];
    size_t len, at, n;

    seed = (unsigned)_i;
    for (int round = 0; round < 200; round++) {
        int way = (int)chance(4);
        struct mcph_buf code;
        size_t from, to;

        len = 4 + chance(chance(4) ? 20 : 180);
        for (size_t i = 0; i < len; i++)
            secret[i] = (char)('!' + chance('~' - '!'));
        mcph_mask_unref(mask);
        mask = mcph_mask_new();
        ck_assert_int_eq(mcph_mask_add(mask, secret, len), 0);
        at = 0;
        for (n = chance(20); n > 0; n--)
            text[at++] = (char)(way == 3 ? 'A' + chance(26) : ' ' + chance(2));
        from = at;
        if (way == 3) {
            char plain[256];
            size_t lead = chance(3);

            memset(plain, 'x', sizeof(plain));
            memcpy(plain + lead, secret, len);
            mcph_buf_init(&code, 1024);
            mcph_base64_add(&code, plain, lead + len + chance(3));
            memcpy(text + at, code.data, code.len);
            at += code.len;
            mcph_buf_done(&code);
        } else {
            for (size_t i = 0; i < len; i++)
                at += add_byte(text + at, (unsigned char)secret[i], way);
        }
        to = at;
        text[at++] = ' ';
        text[at] = '\0';
        ck_assert_msg(mcph_mask_text(mask, text, at), "seed %d round %d way %d", _i,
                      round, way);
        for (size_t i = from + (way == 3 ? 4 : 0); i < to - (way == 3 ? 6 : 0); i++)
            ck_assert_msg(text[i] == '*', "seed %d round %d way %d: %s", _i, round, way,
                          text);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "mask");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_value_is_covered_at_every_position);
    tcase_add_test(tc, values_below_four_bytes_are_not_covered);
    tcase_add_test(tc, overlapping_values_are_all_covered);
    tcase_add_loop_test(tc, escaped_and_encoded_values_are_covered, 0, 11);
    tcase_add_loop_test(tc, base64_is_covered_at_each_alignment, 0, 4);
    tcase_add_test(tc, both_alphabets_of_base64_are_covered);
    tcase_add_test(tc, the_beginning_of_a_value_at_the_end_of_the_text_is_covered);
    tcase_add_test(tc, long_values_are_covered_whole_and_in_part);
    tcase_add_test(tc, the_credentials_in_a_header_are_covered_but_not_its_scheme);
    tcase_add_test(tc, kept_values_outlast_later_values_up_to_a_limit);
    tcase_add_loop_test(tc, masked_json_is_still_json, 0, 6);
    tcase_add_test(tc, variables_for_secrets_are_recognised_by_their_names);
    tcase_add_test(tc, beyond_the_limit_the_oldest_values_are_forgotten);
    tcase_add_loop_test(tc, no_random_secret_survives_in_any_spelling, 0, 20);
}

int
main(void)
{
    return test_main("base-mask", add);
}
