/* SPDX-License-Identifier: MIT
 *
 * test_base_text.c - UTF-8, strings, digests, clocks, random bytes, files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "support/runner.h"

static bool
valid(const char *text)
{
    return mcph_utf8_valid(text, strlen(text), NULL);
}

START_TEST(well_formed_utf8_of_every_length_is_valid)
{
    ck_assert(mcph_utf8_valid("", 0, NULL));
    ck_assert(mcph_utf8_valid("a\0b", 3, NULL));
    ck_assert(valid("plain ascii longer than one word"));
    ck_assert(valid("\xc2\x80\xdf\xbf"));
    ck_assert(valid("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"));
    ck_assert(valid("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
}
END_TEST

START_TEST(overlong_truncated_and_out_of_range_utf8_is_invalid)
{
    static const char *const bad[] = {
        "\x80",
        "\xbf",
        "\xc0\x80",
        "\xc1\xbf",
        "\xc2",
        "\xc2\x41",
        "\xe0\x9f\xbf",
        "\xed\xa0\x80",
        "\xe1\x80",
        "\xe1\x80\x41",
        "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff",
        "\xf1\x80\x80",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad); i++)
        ck_assert_msg(!valid(bad[i]), "case %zu", i);
}
END_TEST

START_TEST(the_position_of_the_first_bad_byte_is_found)
{
    for (size_t at = 0; at < 40; at++) {
        char text[40];
        size_t bad = 99;

        memset(text, 'a', sizeof(text));
        text[at] = (char)0xff;
        ck_assert(!mcph_utf8_valid(text, sizeof(text), &bad));
        ck_assert_uint_eq(bad, at);
    }
}
END_TEST

static char *
cleaned(const char *data, size_t len, bool oneline)
{
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, 1000);
    ck_assert_int_eq(mcph_utf8_add_clean(&buf, data, len, oneline), 0);
    text = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return text;
}

START_TEST(cleaning_replaces_bad_bytes_and_keeps_good_bytes)
{
    char *text = cleaned("a\xff\xc3\xa4\xe2\x82z\0\n", 9, false);

    ck_assert_str_eq(text, "a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbdz \n");
    free(text);
}
END_TEST

START_TEST(a_cleaned_line_holds_no_control_character)
{
    char *text = cleaned("a\r\n\t\x1b[1m\x7f\xc2\x9b\xc2\xa0", 13, true);

    ck_assert_str_eq(text, "a    [1m  \xc2\xa0");
    free(text);
}
END_TEST

START_TEST(a_cleaned_line_does_not_change_the_direction_of_text)
{
    char *text = cleaned("\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf"
                         "\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
                         24, true);

    ck_assert_str_eq(text, "\xe2\x80\xa9  \xe2\x80\xaf\xe2\x81\xa5  \xe2\x81\xaa");
    free(text);
}
END_TEST

static const struct {
    const char *text;
    bool is_plain;
} plains[] = {
    {"", true},
    {"caf\xc3\xa9 ~\xc2\xa0\xd7\x90\xe2\x80\xa9\xf0\x9f\x98\x80", true},
    {"a\tb", false},
    {"a\x7f", false},
    {"a\xc2\x80", false},
    {"a\xc2\x9f", false},
    {"\xe2\x80\xaa", false},
    {"\xe2\x80\xae", false},
    {"\xe2\x81\xa6", false},
    {"\xe2\x81\xa9", false},
    {"\xff", false},
    {"a\xe2\x80", false},
};

START_TEST(a_plain_text_has_neither_control_characters_nor_overrides_of_direction)
{
    ck_assert_int_eq(mcph_utf8_is_plain(plains[_i].text, strlen(plains[_i].text)),
                     plains[_i].is_plain);
}
END_TEST

START_TEST(cleaning_stops_at_the_limit_of_the_buffer)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 4);
    ck_assert_int_eq(mcph_utf8_add_clean(&buf, "\xff\xff", 2, true), MCPHOST_E_LIMIT);
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(copies_have_all_bytes_of_the_original)
{
    char *a = mcph_strndup("abc\0def", 7), *b = mcph_strdup("x"),
         *c = mcph_asprintf("%d-%s", 4, "y"), *d = mcph_memdup("", 0);

    ck_assert_mem_eq(a, "abc\0def\0", 8);
    ck_assert_str_eq(b, "x");
    ck_assert_str_eq(c, "4-y");
    ck_assert_ptr_nonnull(d);
    free(a);
    free(b);
    free(c);
    free(d);
}
END_TEST

START_TEST(sizes_that_overflow_give_null)
{
    ck_assert_ptr_null(mcph_strndup("x", SIZE_MAX));
    ck_assert_ptr_null(mcph_reallocarray(NULL, SIZE_MAX / 2, 3));
}
END_TEST

START_TEST(null_strings_equal_each_other_only)
{
    ck_assert(mcph_streq(NULL, NULL));
    ck_assert(mcph_streq("a", "a"));
    ck_assert(!mcph_streq("a", NULL));
    ck_assert(!mcph_streq(NULL, ""));
    ck_assert(!mcph_streq("a", "b"));
}
END_TEST

START_TEST(the_digest_is_sha256)
{
    unsigned char digest[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX];

    ck_assert_int_eq(mcph_sha256("abc", 3, digest), 0);
    mcph_hex(digest, sizeof(digest), hex);
    ck_assert_str_eq(hex,
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
END_TEST

START_TEST(a_digest_in_steps_equals_the_digest_at_once)
{
    unsigned char whole[MCPH_DIGEST_LEN], digest[MCPH_DIGEST_LEN];
    struct mcph_sha256 sha;
    char text[300];

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)i;
    ck_assert_int_eq(mcph_sha256(text, sizeof(text), whole), 0);
    for (size_t step = 1; step <= sizeof(text); step++) {
        mcph_sha256_init(&sha);
        for (size_t at = 0; at < sizeof(text); at += step)
            mcph_sha256_add(&sha, text + at,
                            at + step < sizeof(text) ? step : sizeof(text) - at);
        mcph_sha256_end(&sha, digest);
        ck_assert_mem_eq(digest, whole, sizeof(digest));
    }
}
END_TEST

START_TEST(random_bytes_differ)
{
    unsigned char a[32] = {0}, b[32] = {0};

    ck_assert_int_eq(mcph_random_bytes(a, sizeof(a)), 0);
    ck_assert_int_eq(mcph_random_bytes(b, sizeof(b)), 0);
    ck_assert_mem_ne(a, b, sizeof(a));
}
END_TEST

START_TEST(the_monotonic_clock_does_not_go_back)
{
    int64_t then = mcph_clock_monotonic_ms();

    ck_assert(mcph_clock_monotonic_ms() >= then);
    ck_assert(mcph_clock_realtime_ms() > INT64_C(1600000000000));
}
END_TEST

START_TEST(only_the_last_put_of_a_reference_count_returns_true)
{
    struct mcph_refs refs;

    mcph_refs_init(&refs);
    mcph_refs_get(&refs);
    ck_assert(!mcph_refs_put(&refs));
    ck_assert(mcph_refs_put(&refs));
}
END_TEST

/* ---- files ------------------------------------------------------------------------- */

static char dir[64], path[128];
static struct mcph_buf file;
static mcphost_error *err;

static void
files_up(void)
{
    snprintf(dir, sizeof(dir), "/tmp/mcph-file.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/f", dir);
    mcph_buf_init(&file, 1 << 20);
    err = NULL;
}

static void
files_down(void)
{
    unlink(path);
    rmdir(dir);
    mcph_buf_done(&file);
    err = mcphost_error_unref(err);
}

static void
write_file(size_t len)
{
    FILE *f = fopen(path, "we");

    ck_assert_ptr_nonnull(f);
    for (size_t i = 0; i < len; i++)
        putc('a' + (int)(i % 26), f);
    fclose(f);
}

START_TEST(a_file_is_appended_to_the_buffer)
{
    write_file(40000);
    mcph_buf_adds(&file, "head:");
    ck_assert_int_eq(mcph_file_read(path, 1 << 20, &file, &err), 0);
    ck_assert_ptr_null(err);
    ck_assert_uint_eq(file.len, 40005);
    ck_assert_mem_eq(file.data, "head:abc", 8);
    ck_assert_int_eq(file.data[40004], 'a' + 39999 % 26);
}
END_TEST

START_TEST(a_file_of_exactly_the_limit_is_read)
{
    write_file(16384);
    ck_assert_int_eq(mcph_file_read(path, 16384, &file, &err), 0);
    ck_assert_uint_eq(file.len, 16384);
}
END_TEST

START_TEST(a_file_one_byte_over_the_limit_is_refused)
{
    write_file(16385);
    mcph_buf_adds(&file, "kept");
    ck_assert_int_eq(mcph_file_read(path, 16384, &file, &err), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "16384 bytes"));
    ck_assert_uint_eq(file.len, 4);
}
END_TEST

START_TEST(a_file_over_the_limit_of_the_buffer_is_refused)
{
    mcph_buf_done(&file);
    mcph_buf_init(&file, 100);
    write_file(100);
    ck_assert_int_eq(mcph_file_read(path, 1000, &file, &err), 0);
    ck_assert_uint_eq(file.len, 100);
    mcph_buf_clear(&file);
    write_file(101);
    ck_assert_int_eq(mcph_file_read(path, 1000, &file, &err), MCPHOST_E_LIMIT);
    ck_assert_uint_eq(file.len, 0);
}
END_TEST

START_TEST(an_empty_file_is_read)
{
    write_file(0);
    ck_assert_int_eq(mcph_file_read(path, 0, &file, &err), 0);
    ck_assert_uint_eq(file.len, 0);
}
END_TEST

START_TEST(a_missing_file_gives_notfound_with_its_path)
{
    ck_assert_int_eq(mcph_file_read(path, 10, &file, &err), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_error_get_errno(err), ENOENT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), path));
}
END_TEST

START_TEST(a_directory_is_refused)
{
    ck_assert_int_eq(mcph_file_read(dir, 10, &file, &err), MCPHOST_E_IO);
}
END_TEST

START_TEST(a_fifo_is_refused_without_waiting)
{
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(mcph_file_read(path, 10, &file, &err), MCPHOST_E_IO);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "utf8");

    tcase_add_test(tc, well_formed_utf8_of_every_length_is_valid);
    tcase_add_test(tc, overlong_truncated_and_out_of_range_utf8_is_invalid);
    tcase_add_test(tc, the_position_of_the_first_bad_byte_is_found);
    tcase_add_test(tc, cleaning_replaces_bad_bytes_and_keeps_good_bytes);
    tcase_add_test(tc, a_cleaned_line_holds_no_control_character);
    tcase_add_test(tc, a_cleaned_line_does_not_change_the_direction_of_text);
    tcase_add_loop_test(
        tc, a_plain_text_has_neither_control_characters_nor_overrides_of_direction, 0,
        (int)MCPH_ARRAY_SIZE(plains));
    tcase_add_test(tc, cleaning_stops_at_the_limit_of_the_buffer);
    tc = test_case(suite, "small");
    tcase_add_test(tc, copies_have_all_bytes_of_the_original);
    tcase_add_test(tc, sizes_that_overflow_give_null);
    tcase_add_test(tc, null_strings_equal_each_other_only);
    tcase_add_test(tc, the_digest_is_sha256);
    tcase_add_test(tc, a_digest_in_steps_equals_the_digest_at_once);
    tcase_add_test(tc, random_bytes_differ);
    tcase_add_test(tc, the_monotonic_clock_does_not_go_back);
    tcase_add_test(tc, only_the_last_put_of_a_reference_count_returns_true);
    tc = test_case(suite, "file");
    tcase_add_checked_fixture(tc, files_up, files_down);
    tcase_add_test(tc, a_file_is_appended_to_the_buffer);
    tcase_add_test(tc, a_file_of_exactly_the_limit_is_read);
    tcase_add_test(tc, a_file_one_byte_over_the_limit_is_refused);
    tcase_add_test(tc, a_file_over_the_limit_of_the_buffer_is_refused);
    tcase_add_test(tc, an_empty_file_is_read);
    tcase_add_test(tc, a_missing_file_gives_notfound_with_its_path);
    tcase_add_test(tc, a_directory_is_refused);
    tcase_add_test(tc, a_fifo_is_refused_without_waiting);
}

int
main(void)
{
    return test_main("base-text", add);
}
