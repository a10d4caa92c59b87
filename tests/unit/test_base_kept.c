/* SPDX-License-Identifier: MIT
 *
 * test_base_kept.c - texts that the library copies at the first request.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/runner.h"

#define TEXTS   300
#define THREADS 8

static struct mcph_kept kept;
static char large[TEXTS + 1]; /* the memory of the texts that the tests keep */

static void
up(void)
{
    memset(large, 'x', TEXTS);
}

static void
down(void)
{
    mcph_kept_done(&kept);
    ck_assert_ptr_null(mcph_kept_find(&kept, large, &(size_t){0}));
}

START_TEST(a_part_is_copied_once_and_ends_with_a_nul)
{
    const char *text = mcph_kept_copy(&kept, large + 1, 3);
    size_t len = 0;

    ck_assert_str_eq(text, "xxx");
    ck_assert_ptr_eq(mcph_kept_copy(&kept, large + 1, 3), text);
    ck_assert_ptr_eq(mcph_kept_find(&kept, large + 1, &len), text);
    ck_assert_uint_eq(len, 3);
    ck_assert_ptr_ne(mcph_kept_copy(&kept, large + 2, 3), text);
}
END_TEST

START_TEST(a_text_that_ends_with_a_nul_is_not_copied)
{
    ck_assert_ptr_eq(mcph_kept_copy(&kept, large + TEXTS - 4, 4), large + TEXTS - 4);
    ck_assert_ptr_eq(mcph_kept_copy(&kept, large + TEXTS, 0), large + TEXTS);
    ck_assert_ptr_null(mcph_kept_copy(&kept, NULL, 0));
    ck_assert_str_eq(mcph_kept_copy(&kept, large + 7, 0), "");
}
END_TEST

START_TEST(the_first_text_that_is_added_under_a_key_is_kept)
{
    size_t len = 1, other = 2;
    const char *text = mcph_kept_add(&kept, large, mcph_strdup("a"), &len);

    ck_assert_ptr_eq(mcph_kept_add(&kept, large, mcph_strdup("bb"), &other), text);
    ck_assert_uint_eq(other, 1);
    ck_assert_ptr_null(mcph_kept_add(&kept, large + 1, NULL, &len));
}
END_TEST

static void *
ask(void *arg)
{
    const char **texts = arg;

    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = mcph_kept_copy(&kept, large + i, 1);
    return NULL;
}

START_TEST(concurrent_threads_get_the_same_copy)
{
    static const char *texts[THREADS][TEXTS];
    pthread_t threads[THREADS];

    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, ask, texts[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (size_t i = 0; i < TEXTS; i++)
        for (int t = 0; t < THREADS; t++) {
            ck_assert_str_eq(texts[t][i], "x");
            ck_assert_ptr_eq(texts[t][i], texts[0][i]);
        }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "kept");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_part_is_copied_once_and_ends_with_a_nul);
    tcase_add_test(tc, a_text_that_ends_with_a_nul_is_not_copied);
    tcase_add_test(tc, the_first_text_that_is_added_under_a_key_is_kept);
    tcase_add_test(tc, concurrent_threads_get_the_same_copy);
}

int
main(void)
{
    return test_main("base-kept", add);
}
