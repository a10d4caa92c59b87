/* SPDX-License-Identifier: MIT
 *
 * test_base_buf.c - the growing buffer and its hard limit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/runner.h"

static struct mcph_buf buf;

static void
up(void)
{
    mcph_buf_init(&buf, 100);
}

static void
down(void)
{
    mcph_buf_done(&buf);
}

static void
holds(const char *want)
{
    ck_assert_uint_eq(buf.len, strlen(want));
    ck_assert_mem_eq(buf.data, want, buf.len);
}

START_TEST(texts_numbers_and_formats_are_appended)
{
    ck_assert_int_eq(mcph_buf_add(&buf, "ab\0", 3), 0);
    mcph_buf_clear(&buf);
    ck_assert_int_eq(mcph_buf_adds(&buf, "x="), 0);
    ck_assert_int_eq(mcph_buf_addi(&buf, -12), 0);
    ck_assert_int_eq(mcph_buf_addc(&buf, ','), 0);
    ck_assert_int_eq(mcph_buf_addf(&buf, "%s %d", "y", 7), 0);
    holds("x=-12,y 7");
}
END_TEST

START_TEST(the_extremes_of_int64_are_written_whole)
{
    ck_assert_int_eq(mcph_buf_addi(&buf, INT64_MIN), 0);
    mcph_buf_addc(&buf, ' ');
    mcph_buf_addi(&buf, INT64_MAX);
    mcph_buf_addc(&buf, ' ');
    mcph_buf_addi(&buf, 0);
    holds("-9223372036854775808 9223372036854775807 0");
}
END_TEST

START_TEST(exactly_the_limit_fits)
{
    char data[100];

    memset(data, 'x', sizeof(data));
    ck_assert_int_eq(mcph_buf_add(&buf, data, sizeof(data)), 0);
    ck_assert_uint_eq(buf.len, 100);
    ck_assert_uint_le(buf.cap, 100);
}
END_TEST

START_TEST(one_byte_past_the_limit_is_refused_and_changes_nothing)
{
    char data[101];

    memset(data, 'x', sizeof(data));
    mcph_buf_adds(&buf, "kept");
    ck_assert_int_eq(mcph_buf_add(&buf, data, 97), MCPHOST_E_LIMIT);
    holds("kept");
}
END_TEST

START_TEST(a_size_that_would_overflow_is_refused)
{
    mcph_buf_done(&buf);
    mcph_buf_init(&buf, SIZE_MAX);
    mcph_buf_adds(&buf, "abc");
    ck_assert_int_eq(mcph_buf_reserve(&buf, SIZE_MAX - 2), MCPHOST_E_LIMIT);
    holds("abc");
}
END_TEST

/* If an add fails, later adds fail, too.  Otherwise a caller could take an incomplete
 * text for a complete text. */
START_TEST(after_a_failure_adds_fail_until_the_buffer_is_cleared)
{
    ck_assert_int_eq(mcph_buf_reserve(&buf, 101), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_buf_addc(&buf, 'x'), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_buf_ok(&buf), MCPHOST_E_LIMIT);
    ck_assert_ptr_null(mcph_buf_steal(&buf, NULL));
    mcph_buf_clear(&buf);
    ck_assert_int_eq(mcph_buf_ok(&buf), 0);
    ck_assert_int_eq(mcph_buf_addc(&buf, 'x'), 0);
}
END_TEST

START_TEST(a_formatted_text_of_any_length_is_added)
{
    char word[600];

    mcph_buf_done(&buf);
    mcph_buf_init(&buf, 4096);
    memset(word, 'w', sizeof(word));
    word[599] = '\0';
    ck_assert_int_eq(mcph_buf_addf(&buf, "<%s>", word), 0);
    ck_assert_uint_eq(buf.len, 601);
    ck_assert_int_eq(buf.data[600], '>');
    ck_assert_int_eq(buf.data[599], 'w');
}
END_TEST

START_TEST(a_formatted_text_past_the_limit_is_refused)
{
    ck_assert_int_eq(mcph_buf_addf(&buf, "%300d", 1), MCPHOST_E_LIMIT);
    ck_assert_uint_eq(buf.len, 0);
}
END_TEST

START_TEST(consume_drops_the_front)
{
    mcph_buf_adds(&buf, "abcdef");
    mcph_buf_consume(&buf, 2);
    holds("cdef");
    mcph_buf_consume(&buf, 99);
    ck_assert_uint_eq(buf.len, 0);
    mcph_buf_adds(&buf, "g");
    holds("g");
}
END_TEST

START_TEST(steal_hands_over_an_exact_string_and_leaves_an_empty_buffer)
{
    size_t len = 99;
    char *text;

    mcph_buf_adds(&buf, "text");
    text = mcph_buf_steal(&buf, &len);
    ck_assert_str_eq(text, "text");
    ck_assert_uint_eq(len, 4);
    ck_assert_uint_eq(buf.len, 0);
    ck_assert_ptr_null(buf.data);
    ck_assert_uint_eq(buf.max, 100);
    free(text);
}
END_TEST

START_TEST(steal_of_an_empty_buffer_is_the_empty_string)
{
    size_t len = 99;
    char *text = mcph_buf_steal(&buf, &len);

    ck_assert_str_eq(text, "");
    ck_assert_uint_eq(len, 0);
    free(text);
}
END_TEST

START_TEST(a_full_buffer_can_still_be_stolen)
{
    char data[100], *text;

    memset(data, 'x', sizeof(data));
    mcph_buf_add(&buf, data, sizeof(data));
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_uint_eq(strlen(text), 100);
    free(text);
}
END_TEST

START_TEST(a_large_buffer_moves_to_pages_and_keeps_its_bytes)
{
    struct mcph_buf large;
    char chunk[10000], *text;
    size_t len = 0;

    mcph_buf_init_paged(&large, 8u << 20);
    for (int i = 0; i < 100; i++) {
        memset(chunk, 'a' + i % 23, sizeof(chunk));
        ck_assert_int_eq(mcph_buf_add(&large, chunk, sizeof(chunk)), 0);
        ck_assert(large.mapped == (large.cap >= MCPH_PAGES_MIN));
    }
    ck_assert(large.mapped);
    for (int i = 0; i < 100; i++) {
        memset(chunk, 'a' + i % 23, sizeof(chunk));
        ck_assert_mem_eq(large.data + (size_t)i * sizeof(chunk), chunk, sizeof(chunk));
    }
    text = mcph_buf_steal(&large, &len);
    ck_assert_uint_eq(len, 1000000);
    ck_assert_uint_eq(strlen(text), 1000000);
    free(text); /* the stolen memory came from malloc() */
    ck_assert_ptr_null(large.data);
    ck_assert(large.paged && !large.mapped);
    mcph_buf_done(&large);
}
END_TEST

START_TEST(pages_keep_their_bytes_when_they_shrink)
{
    char *p = mcph_pages_resize(NULL, 0, 1u << 20);

    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(p[(1u << 20) - 1], 0);
    memset(p, 'x', 1u << 20);
    p = mcph_pages_resize(p, 1u << 20, 5000);
    ck_assert_int_eq(p[4999], 'x');
    mcph_pages_free(p, 5000);
    mcph_pages_free(NULL, 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "buf");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, texts_numbers_and_formats_are_appended);
    tcase_add_test(tc, the_extremes_of_int64_are_written_whole);
    tcase_add_test(tc, exactly_the_limit_fits);
    tcase_add_test(tc, one_byte_past_the_limit_is_refused_and_changes_nothing);
    tcase_add_test(tc, a_size_that_would_overflow_is_refused);
    tcase_add_test(tc, after_a_failure_adds_fail_until_the_buffer_is_cleared);
    tcase_add_test(tc, a_formatted_text_of_any_length_is_added);
    tcase_add_test(tc, a_formatted_text_past_the_limit_is_refused);
    tcase_add_test(tc, consume_drops_the_front);
    tcase_add_test(tc, steal_hands_over_an_exact_string_and_leaves_an_empty_buffer);
    tcase_add_test(tc, steal_of_an_empty_buffer_is_the_empty_string);
    tcase_add_test(tc, a_full_buffer_can_still_be_stolen);
    tcase_add_test(tc, a_large_buffer_moves_to_pages_and_keeps_its_bytes);
    tcase_add_test(tc, pages_keep_their_bytes_when_they_shrink);
}

int
main(void)
{
    return test_main("base-buf", add);
}
