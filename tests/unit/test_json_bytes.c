/* SPDX-License-Identifier: MIT
 *
 * test_json_bytes.c - the portable searches of bytes.h, for special bytes and for the
 * closing quote of a string.
 *
 * This file forces the portable searches.  test_json_scan.c tests the searches of the
 * build through the scanner.  The searches of the build use SSE2 if the compiler has
 * SSE2.
 */
#define MCPH_JSON_PORTABLE 1

#include "json/bytes.h"
#include "support/runner.h"

static const char *
plain(const char *p, const char *end, bool *high)
{
    for (; p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20; p++)
        *high |= (unsigned char)*p >= 0x80;
    return p;
}

START_TEST(the_portable_search_agrees_with_a_plain_loop)
{
    static const unsigned char stops[] = {'"', '\\', 0,    1,    0x1f, 0x20, 0x21, '#',
                                          '[', ']',  0x7f, 0x80, 0xa2, 0xdc, 0xff};
    char text[48];

    for (size_t len = 0; len <= 40; len++) {
        for (size_t at = 0; at < len; at++) {
            for (size_t s = 0; s < sizeof(stops); s++) {
                for (size_t before = 0; before < 2; before++) {
                    bool a = false, b = false;

                    memset(text, 'x', sizeof(text));
                    text[at] = (char)stops[s];
                    if (before && at > 2)
                        text[at - 2] = '\xe4';
                    ck_assert_ptr_eq(mcph_json_run(text, text, text + len, &a),
                                     plain(text, text + len, &b));
                    ck_assert_int_eq(a, b);
                }
            }
        }
    }
}
END_TEST

START_TEST(a_string_is_skipped_up_to_its_closing_quote)
{
    const char *text = "ab\\\"c\\\\\"rest";

    ck_assert_ptr_eq(mcph_json_skip_string(text, text + strlen(text)), text + 8);
    ck_assert_ptr_eq(mcph_json_skip_string(text, text + 3), text + 3);
    ck_assert_ptr_eq(mcph_json_skip_string(text, text + 7), text + 7);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "bytes");

    tcase_add_test(tc, the_portable_search_agrees_with_a_plain_loop);
    tcase_add_test(tc, a_string_is_skipped_up_to_its_closing_quote);
}

int
main(void)
{
    return test_main("json-bytes", add);
}
