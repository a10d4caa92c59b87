/* SPDX-License-Identifier: MIT
 *
 * test_base_containers.c - the list, the vector and the map.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "support/runner.h"

struct item {
    int n;
    struct mcph_list link;
};

static int
number(struct mcph_list *link)
{
    return MCPH_LIST_ENTRY(link, struct item, link)->n;
}

START_TEST(a_list_keeps_the_order_of_appends)
{
    struct item items[3] = {{.n = 1}, {.n = 2}, {.n = 3}};
    struct mcph_list head;
    int want = 1;

    mcph_list_init(&head);
    ck_assert(mcph_list_empty(&head));
    for (int i = 0; i < 3; i++)
        mcph_list_append(&head, &items[i].link);
    mcph_list_for_each (it, &head)
        ck_assert_int_eq(number(it), want++);
    ck_assert_int_eq(want, 4);
}
END_TEST

START_TEST(an_item_may_be_removed_twice)
{
    struct item a = {.n = 1}, b = {.n = 2};
    struct mcph_list head;

    mcph_list_init(&head);
    mcph_list_append(&head, &a.link);
    mcph_list_append(&head, &b.link);
    mcph_list_remove(&a.link);
    mcph_list_remove(&a.link);
    ck_assert_int_eq(number(mcph_list_take_first(&head)), 2);
    ck_assert_ptr_null(mcph_list_take_first(&head));
}
END_TEST

START_TEST(the_current_item_may_be_freed_in_a_safe_loop)
{
    struct mcph_list head;
    int seen = 0;

    mcph_list_init(&head);
    for (int i = 0; i < 4; i++) {
        struct item *item = calloc(1, sizeof(*item));

        mcph_list_append(&head, &item->link);
    }
    mcph_list_for_each_safe (it, &head) {
        mcph_list_remove(it);
        free(MCPH_LIST_ENTRY(it, struct item, link));
        seen++;
    }
    ck_assert_int_eq(seen, 4);
    ck_assert(mcph_list_empty(&head));
}
END_TEST

START_TEST(splice_appends_all_and_leaves_nothing_behind)
{
    struct item items[4] = {{.n = 1}, {.n = 2}, {.n = 3}, {.n = 4}};
    struct mcph_list to, from;

    mcph_list_init(&to);
    mcph_list_init(&from);
    mcph_list_splice(&to, &from);
    ck_assert(mcph_list_empty(&to));
    mcph_list_append(&to, &items[0].link);
    mcph_list_append(&to, &items[1].link);
    mcph_list_append(&from, &items[2].link);
    mcph_list_append(&from, &items[3].link);
    mcph_list_splice(&to, &from);
    ck_assert(mcph_list_empty(&from));
    for (int i = 1; i <= 4; i++)
        ck_assert_int_eq(number(mcph_list_take_first(&to)), i);
    ck_assert(mcph_list_empty(&to));
}
END_TEST

START_TEST(a_vector_grows_and_closes_gaps)
{
    struct mcph_vec vec = {0};
    int n[40];

    for (int i = 0; i < 40; i++) {
        n[i] = i;
        ck_assert_int_eq(mcph_vec_add(&vec, &n[i]), 0);
    }
    mcph_vec_remove(&vec, 10);
    mcph_vec_remove(&vec, 38);
    ck_assert_uint_eq(vec.n, 38);
    ck_assert_ptr_eq(vec.items[9], &n[9]);
    ck_assert_ptr_eq(vec.items[10], &n[11]);
    ck_assert_ptr_eq(vec.items[37], &n[38]);
    mcph_vec_done(&vec);
    ck_assert_uint_eq(vec.n, 0);
}
END_TEST

START_TEST(a_reserved_vector_does_not_move_and_refuses_huge_sizes)
{
    struct mcph_vec vec = {0};
    void **items;
    int x;

    ck_assert_int_eq(mcph_vec_reserve(&vec, 100), 0);
    items = vec.items;
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(mcph_vec_add(&vec, &x), 0);
    ck_assert_ptr_eq(vec.items, items);
    ck_assert_int_eq(mcph_vec_reserve(&vec, SIZE_MAX), MCPHOST_E_NOMEM);
    ck_assert_int_eq(mcph_vec_reserve(&vec, SIZE_MAX / 8), MCPHOST_E_NOMEM);
    ck_assert_uint_eq(vec.n, 100);
    mcph_vec_done(&vec);
}
END_TEST

START_TEST(a_map_finds_the_entries_that_were_put_and_nothing_else)
{
    struct mcph_map map = {0};
    int a, b;

    ck_assert_ptr_null(mcph_map_get(&map, "a", 1));
    ck_assert_ptr_null(mcph_map_remove(&map, "a", 1));
    ck_assert_int_eq(mcph_map_put(&map, "a", 1, &a, NULL), 0);
    ck_assert_int_eq(mcph_map_put(&map, "", 0, &b, NULL), 0);
    ck_assert_ptr_eq(mcph_map_get(&map, "a", 1), &a);
    ck_assert_ptr_eq(mcph_map_get(&map, "", 0), &b);
    ck_assert_ptr_null(mcph_map_get(&map, "ab", 2));
    ck_assert_uint_eq(map.n, 2);
    mcph_map_done(&map);
}
END_TEST

START_TEST(keys_are_bytes_and_may_hold_nul)
{
    struct mcph_map map = {0};
    int a, b;

    mcph_map_put(&map, "k\0a", 3, &a, NULL);
    mcph_map_put(&map, "k\0b", 3, &b, NULL);
    ck_assert_ptr_eq(mcph_map_get(&map, "k\0a", 3), &a);
    ck_assert_ptr_eq(mcph_map_get(&map, "k\0b", 3), &b);
    ck_assert_ptr_null(mcph_map_get(&map, "k", 1));
    mcph_map_done(&map);
}
END_TEST

/* The caller may free the old key together with the old value. */
START_TEST(a_replaced_entry_uses_the_new_key)
{
    struct mcph_map map = {0};
    char old_key[] = "key", new_key[] = "key";
    void *old = NULL;
    int a, b;

    mcph_map_put(&map, old_key, 3, &a, &old);
    ck_assert_ptr_null(old);
    mcph_map_put(&map, new_key, 3, &b, &old);
    ck_assert_ptr_eq(old, &a);
    memset(old_key, 'x', 3);
    ck_assert_ptr_eq(mcph_map_get(&map, "key", 3), &b);
    ck_assert_uint_eq(map.n, 1);
    mcph_map_done(&map);
}
END_TEST

START_TEST(add_does_not_replace_an_existing_entry)
{
    struct mcph_map map = {0};
    uint32_t hash = mcph_map_hash("key", 3);
    void *other = &map;
    int a, b;

    ck_assert_int_eq(mcph_map_add(&map, hash, "key", 3, &a, &other), 0);
    ck_assert_ptr_null(other);
    ck_assert_int_eq(mcph_map_add(&map, hash, "key", 3, &b, &other), 0);
    ck_assert_ptr_eq(other, &a);
    ck_assert_ptr_eq(mcph_map_get(&map, "key", 3), &a);
    ck_assert_uint_eq(map.n, 1);
    mcph_map_done(&map);
}
END_TEST

START_TEST(a_reserved_map_does_not_grow_and_refuses_huge_sizes)
{
    struct mcph_map map = {0};
    char keys[100][4];
    size_t cap;

    ck_assert_int_eq(mcph_map_reserve(&map, 100), 0);
    cap = map.cap;
    for (int i = 0; i < 100; i++) {
        snprintf(keys[i], sizeof(keys[i]), "%d", i);
        ck_assert_int_eq(mcph_map_put(&map, keys[i], strlen(keys[i]), keys[i], NULL), 0);
    }
    ck_assert_uint_eq(map.cap, cap);
    for (int i = 0; i < 100; i++)
        ck_assert_ptr_eq(mcph_map_get(&map, keys[i], strlen(keys[i])), keys[i]);
    ck_assert_int_eq(mcph_map_reserve(&map, SIZE_MAX), MCPHOST_E_NOMEM);
    mcph_map_done(&map);
}
END_TEST

#define KEYS 300

/* Compares the map with a plain array that has the same entries.  Puts, replacements and
 * removals form runs of neighbouring slots.  Removals shift the slots of a run back. */
START_TEST(a_map_agrees_with_a_model_over_random_operations)
{
    unsigned seed = (unsigned)time(NULL);
    struct mcph_map map = {0};
    char keys[KEYS][8];
    int values[2], *model[KEYS] = {NULL};
    size_t n = 0;

    printf("seed %u\n", seed);
    srandom(seed);
    for (int i = 0; i < KEYS; i++)
        snprintf(keys[i], sizeof(keys[i]), "k%d", i);
    for (int step = 0; step < 20000; step++) {
        int k = (int)(random() % KEYS);
        void *old = NULL;

        if (random() % 2) {
            int *v = &values[random() % 2];

            ck_assert_int_eq(mcph_map_put(&map, keys[k], strlen(keys[k]), v, &old), 0);
            ck_assert_ptr_eq(old, model[k]);
            n += !model[k];
            model[k] = v;
        } else {
            ck_assert_ptr_eq(mcph_map_remove(&map, keys[k], strlen(keys[k])), model[k]);
            n -= model[k] != NULL;
            model[k] = NULL;
        }
        ck_assert_uint_eq(map.n, n);
        if (step % 64 == 0)
            for (int i = 0; i < KEYS; i++)
                if (mcph_map_get(&map, keys[i], strlen(keys[i])) != model[i])
                    ck_abort_msg("step %d: another value under '%s'", step, keys[i]);
    }
    mcph_map_done(&map);
}
END_TEST

START_TEST(the_hash_depends_on_every_byte_and_on_the_length)
{
    unsigned char data[40] = {0};

    for (size_t len = 1; len <= sizeof(data); len++) {
        uint64_t whole = mcph_hash64(data, len);

        ck_assert_uint_eq(whole, mcph_hash64(data, len));
        ck_assert_uint_ne(whole, mcph_hash64(data, len - 1));
        for (size_t i = 0; i < len; i++) {
            data[i] = 1;
            ck_assert_uint_ne(whole, mcph_hash64(data, len));
            data[i] = 0;
        }
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "list");

    tcase_add_test(tc, a_list_keeps_the_order_of_appends);
    tcase_add_test(tc, an_item_may_be_removed_twice);
    tcase_add_test(tc, the_current_item_may_be_freed_in_a_safe_loop);
    tcase_add_test(tc, splice_appends_all_and_leaves_nothing_behind);
    tc = test_case(suite, "vec");
    tcase_add_test(tc, a_vector_grows_and_closes_gaps);
    tcase_add_test(tc, a_reserved_vector_does_not_move_and_refuses_huge_sizes);
    tc = test_case(suite, "map");
    tcase_add_test(tc, a_map_finds_the_entries_that_were_put_and_nothing_else);
    tcase_add_test(tc, keys_are_bytes_and_may_hold_nul);
    tcase_add_test(tc, a_replaced_entry_uses_the_new_key);
    tcase_add_test(tc, add_does_not_replace_an_existing_entry);
    tcase_add_test(tc, a_reserved_map_does_not_grow_and_refuses_huge_sizes);
    tcase_add_test(tc, a_map_agrees_with_a_model_over_random_operations);
    tcase_add_test(tc, the_hash_depends_on_every_byte_and_on_the_length);
}

int
main(void)
{
    return test_main("base-containers", add);
}
