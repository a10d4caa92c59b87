/* SPDX-License-Identifier: MIT
 *
 * test_base_base64.c - decoding base64 in pieces of any size, and encoding.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/runner.h"

/* Decodes the text in pieces of `step` characters.  Returns the number of decoded bytes,
 * or the error. */
static int
decode(const char *text, size_t step, unsigned char *out, uint64_t *ret_at)
{
    size_t len = strlen(text), n = 0;
    struct mcph_base64 b64;
    int r = 0;

    mcph_base64_init(&b64);
    for (size_t i = 0; i < len && r == 0; i += step) {
        size_t piece = len - i < step ? len - i : step, got = 0;
        unsigned char *room = malloc(MCPH_BASE64_ROOM(piece));

        r = mcph_base64_feed(&b64, text + i, piece, room, &got);
        memcpy(out + n, room, got);
        n += got;
        free(room);
    }
    if (r == 0) {
        size_t got = 0;

        r = mcph_base64_end(&b64, out + n, &got);
        n += got;
    }
    if (ret_at)
        *ret_at = b64.at;
    return r < 0 ? r : (int)n;
}

static void
expect(const char *text, const char *bytes, size_t len)
{
    unsigned char out[200];

    for (size_t step = 1; step <= strlen(text) + 1; step++) {
        ck_assert_int_eq(decode(text, step, out, NULL), (int)len);
        ck_assert_int_eq(memcmp(out, bytes, len), 0);
    }
}

static void
refuse_text(const char *text, uint64_t at)
{
    unsigned char out[200];

    for (size_t step = 1; step <= strlen(text); step++) {
        uint64_t place;

        ck_assert_int_eq(decode(text, step, out, &place), MCPHOST_E_INVALID);
        ck_assert_uint_eq(place, at);
    }
}

/* RFC 4648, section 10 */
START_TEST(the_test_vectors_of_rfc_4648_are_decoded)
{
    expect("", "", 0);
    expect("Zg==", "f", 1);
    expect("Zm8=", "fo", 2);
    expect("Zm9v", "foo", 3);
    expect("Zm9vYg==", "foob", 4);
    expect("Zm9vYmE=", "fooba", 5);
    expect("Zm9vYmFy", "foobar", 6);
}
END_TEST

START_TEST(padding_may_be_absent)
{
    expect("Zg", "f", 1);
    expect("Zm8", "fo", 2);
    expect("Zm9vYmFyZm9vYmE", "foobarfooba", 11);
}
END_TEST

START_TEST(both_alphabets_mean_the_same)
{
    expect("+/+/-_-_+/-_", "\xfb\xff\xbf\xfb\xff\xbf\xfb\xff\xbf", 9);
}
END_TEST

START_TEST(white_space_is_ignored_everywhere)
{
    expect(" Zm9v\r\nYmFy\tZm9vYmFyZm9v YmFy\n", "foobarfoobarfoobar", 18);
    expect("Z g\n=\r=\t", "f", 1);
}
END_TEST

START_TEST(every_byte_value_is_decoded_in_pieces_of_1_to_69_characters)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char out[300], in[258];
    char text[400];
    size_t n = 0;

    for (int i = 0; i < 258; i++)
        in[i] = (unsigned char)(i * 7 + 3);
    for (int i = 0; i < 258; i += 3) {
        uint32_t x = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8 | in[i + 2];

        for (int k = 18; k >= 0; k -= 6)
            text[n++] = digits[x >> k & 63];
    }
    text[n] = '\0';
    for (size_t step = 1; step < 70; step++) {
        ck_assert_int_eq(decode(text, step, out, NULL), 258);
        ck_assert_int_eq(memcmp(out, in, 258), 0);
    }
}
END_TEST

START_TEST(an_invalid_character_is_refused_with_its_position)
{
    refuse_text("Zm9v!mFy", 4);
    refuse_text("Zm9vYmFyZm9v\\mFy", 12);
    refuse_text("Zm9vYmFy\xc3\xa9", 8);
    refuse_text("\x01", 0);
}
END_TEST

START_TEST(text_after_padding_is_refused)
{
    refuse_text("Zg==Zg==", 4);
    refuse_text("Zm8=Z", 4);
}
END_TEST

START_TEST(wrong_padding_is_refused)
{
    refuse_text("=", 0);
    refuse_text("Z===", 1);
    refuse_text("Zm9v=", 4);
    refuse_text("Zg===", 4);
    refuse_text("Zm8==", 4);
    refuse_text("Zg=", 3);
}
END_TEST

START_TEST(a_text_that_ends_within_a_byte_is_refused)
{
    refuse_text("Z", 1);
    refuse_text("Zm9vY", 5);
}
END_TEST

static const struct {
    const char *bytes, *padded, *for_urls;
} encoded[] = {
    {"", "", ""},
    {"f", "Zg==", "Zg"},
    {"fo", "Zm8=", "Zm8"},
    {"foo", "Zm9v", "Zm9v"},
    {"foob", "Zm9vYg==", "Zm9vYg"},
    {"\xfb\xff\xfe", "+//+", "-__-"},
    {"\xff\xef", "/+8=", "_-8"},
};

/* RFC 4648, sections 4, 5 and 10 */
START_TEST(bytes_are_encoded_with_padding_or_for_urls)
{
    const char *bytes = encoded[_i].bytes;
    struct mcph_buf buf;

    mcph_buf_init(&buf, 100);
    mcph_buf_adds(&buf, "=");
    ck_assert_int_eq(mcph_base64_add(&buf, bytes, strlen(bytes)), 0);
    mcph_buf_adds(&buf, " ");
    ck_assert_int_eq(mcph_base64url_add(&buf, bytes, strlen(bytes)), 0);
    ck_assert_str_eq(strchr(mcph_buf_text(&buf), ' ') + 1, encoded[_i].for_urls);
    *strchr(buf.data, ' ') = '\0';
    ck_assert_str_eq(buf.data + 1, encoded[_i].padded);
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(a_full_buffer_keeps_its_bytes_when_base64_does_not_fit)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 6);
    mcph_buf_adds(&buf, "abc");
    ck_assert_int_eq(mcph_base64_add(&buf, "f", 1), MCPHOST_E_LIMIT);
    ck_assert_uint_eq(buf.len, 3);
    mcph_buf_clear(&buf);
    mcph_buf_adds(&buf, "abc");
    ck_assert_int_eq(mcph_base64url_add(&buf, "f", 1), MCPHOST_E_LIMIT);
    ck_assert_uint_eq(buf.len, 3);
    mcph_buf_done(&buf);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "base64");

    tcase_add_test(tc, the_test_vectors_of_rfc_4648_are_decoded);
    tcase_add_test(tc, padding_may_be_absent);
    tcase_add_test(tc, both_alphabets_mean_the_same);
    tcase_add_test(tc, white_space_is_ignored_everywhere);
    tcase_add_test(tc, every_byte_value_is_decoded_in_pieces_of_1_to_69_characters);
    tcase_add_test(tc, an_invalid_character_is_refused_with_its_position);
    tcase_add_test(tc, text_after_padding_is_refused);
    tcase_add_test(tc, wrong_padding_is_refused);
    tcase_add_test(tc, a_text_that_ends_within_a_byte_is_refused);
    tcase_add_loop_test(tc, bytes_are_encoded_with_padding_or_for_urls, 0,
                        (int)MCPH_ARRAY_SIZE(encoded));
    tcase_add_test(tc, a_full_buffer_keeps_its_bytes_when_base64_does_not_fit);
}

int
main(void)
{
    return test_main("base64", add);
}
