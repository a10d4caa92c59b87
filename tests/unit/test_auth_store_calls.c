/* SPDX-License-Identifier: MIT
 *
 * test_auth_store_calls.c - the store of the application's functions: keys, versions,
 * claims, and functions that fail.
 */
#include <stdio.h>
#include <string.h>

#include "auth/auth.h"
#include "support/heap.h"
#include "support/runner.h"
#include "support/tokendb.h"

static struct tokendb db;
static struct mcph_store *store;
static mcphost_error *err;
static char version[MCPH_DIGEST_HEX];

static const struct mcph_store_key one = {"https://issuer.example", "https://r.example",
                                          "client", ""};
static const struct mcph_store_key two = {"https://issuer.example", "https://r.example",
                                          "a \"client\"", "wörk\n"};

static void
up(void)
{
    const struct mcph_store_calls calls = {.load = tokendb_load,
                                           .save = tokendb_save,
                                           .next = tokendb_next,
                                           .arg = &db,
                                           .free_arg = tokendb_free};

    memset(&db, 0, sizeof(db));
    ck_assert_int_eq(mcph_store_calls_new(&calls, &store), 0);
}

static void
down(void)
{
    err = mcphost_error_unref(err);
    ck_assert_int_eq(db.n_freed, 0);
    store = mcph_store_unref(store);
    ck_assert_int_eq(db.n_freed, 1);
}

static int
put(const struct mcph_store_key *key, const char *expected, const char *text)
{
    err = mcphost_error_unref(err);
    return mcph_store_write(store, key, expected, text, strlen(text), version, &err);
}

static int
take(const struct mcph_store_key *key, const char *expected)
{
    err = mcphost_error_unref(err);
    return mcph_store_remove(store, key, expected, &err);
}

/* Reads a record, and checks its text. */
static int
get(const struct mcph_store_key *key, const char *text)
{
    struct mcph_store_record record = {0};
    int r;

    err = mcphost_error_unref(err);
    r = mcph_store_read(store, key, &record, &err);
    if (r == 0) {
        ck_assert_str_eq(record.text, text);
        ck_assert_uint_eq(record.len, strlen(text));
        memcpy(version, record.version, sizeof(version));
    }
    mcph_store_record_done(&record);
    return r;
}

static int
count(const struct mcph_store_key *key, void *arg)
{
    int *n = arg;

    ck_assert_str_eq(key->issuer, one.issuer);
    ck_assert_str_eq(key->resource, one.resource);
    *n += strcmp(key->client, one.client) == 0 && strcmp(key->account, "") == 0 ? 1 : 0;
    *n += strcmp(key->client, two.client) == 0 && strcmp(key->account, two.account) == 0
              ? 10
              : 0;
    return 0;
}

/* Lists the keys of the store.  Returns an error, or the sum of 1 for the key `one` and
 * 10 for the key `two`. */
static int
list(void)
{
    int n = 0, r;

    err = mcphost_error_unref(err);
    r = mcph_store_list(store, count, &n, &err);
    return r < 0 ? r : n;
}

static const char *
said(void)
{
    return err ? mcphost_error_get_message(err) : "";
}

/* ---- records ----------------------------------------------------------------------- */

START_TEST(a_record_is_replaced_only_if_its_version_is_expected)
{
    ck_assert_int_eq(get(&one, ""), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(put(&one, "0", "{}"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(put(&one, NULL, " {\"a\":1} "), 0);
    ck_assert_str_eq(db.rows[0].text, "{\"a\":1}");
    ck_assert_int_eq(put(&one, NULL, "{\"a\":2}"), MCPHOST_E_EXISTS);
    ck_assert_int_eq(put(&one, "0", "{\"a\":2}"), MCPHOST_E_EXISTS);
    ck_assert_int_eq(take(&one, "0"), MCPHOST_E_EXISTS);
    ck_assert_int_eq(get(&one, "{\"a\":1}"), 0);
    ck_assert_int_eq(put(&one, version, "{\"a\":2}"), 0);
    ck_assert_int_eq(get(&two, ""), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(take(&one, version), 0);
    ck_assert_int_eq(take(&one, version), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(db.n, 0);
}
END_TEST

/* Another process changes the record after the store has loaded it. */
START_TEST(a_conflict_that_the_application_finds_is_reported)
{
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    db.saves = (struct tokendb_fault){MCPHOST_E_EXISTS, 1, NULL};
    ck_assert_int_eq(put(&one, version, "{\"a\":2}"), MCPHOST_E_EXISTS);
    db.saves = (struct tokendb_fault){MCPHOST_E_NOTFOUND, 1, NULL};
    ck_assert_int_eq(put(&one, version, "{\"a\":2}"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(get(&one, "{}"), 0);
}
END_TEST

START_TEST(a_list_has_the_keys_of_the_library_alone)
{
    ck_assert_int_eq(list(), 0);
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    ck_assert_int_eq(put(&two, NULL, "{}"), 0);
    for (size_t i = 0; i < 5; i++) {
        static const char *const keys[] = {
            "a password", "[1,2,3,4]", "[\"a\",\"b\",\"c\"]",
            "[\"a\",\"b\",\"c\",\"d\",\"e\"]", "[\"a\",\"b\",\"c\",\"\\u0000\"]"};

        snprintf(db.rows[db.n++].key, sizeof(db.rows[0].key), "%s", keys[i]);
    }
    /* The first text of this key is longer than a key of the library allows. */
    snprintf(db.rows[db.n++].key, sizeof(db.rows[0].key), "[\"%0*d\",\"b\",\"c\",\"d\"]",
             MCPH_STORE_TEXT_MAX + 1, 0);
    ck_assert_int_eq(list(), 11);
    ck_assert_int_eq(get(&two, "{}"), 0);
}
END_TEST

START_TEST(no_copy_of_a_record_stays_in_memory)
{
    static const char mark[] = "this-token-must-not-stay";
    static const char text[] = "{\"t\":\"0123456789-this-token-must-not-stay\"}";

    ck_assert_int_eq(put(&one, NULL, text), 0);
    ck_assert_int_eq(get(&one, text), 0);
    ck_assert_int_eq(put(&one, version, text), 0);
    ck_assert_int_eq(put(&one, NULL, text), MCPHOST_E_EXISTS);
    db.saves = (struct tokendb_fault){MCPHOST_E_IO, 1, NULL};
    ck_assert_int_eq(put(&one, version, text), MCPHOST_E_IO);
    ck_assert_int_eq(take(&one, version), 0);
    ck_assert_int_eq(heap_count(mark), 0);
}
END_TEST

START_TEST(two_logins_cannot_claim_one_key)
{
    struct mcph_token_claim *first = NULL, *second = NULL;

    ck_assert_int_eq(mcph_store_claim(store, &one, "me", &first, NULL), 0);
    ck_assert_int_eq(mcph_store_claim(store, &one, "you", &second, NULL), MCPHOST_E_BUSY);
    ck_assert_int_eq(mcph_store_claim(store, &two, "you", &second, NULL), 0);
    ck_assert_int_eq(first->fd, -1);
    mcph_store_release(first);
    mcph_store_release(second);
    ck_assert_int_eq(db.n_loads, 0);
}
END_TEST

/* ---- failures ---------------------------------------------------------------------- */

START_TEST(an_error_has_the_code_and_the_reason_of_the_application)
{
    const struct tokendb_fault fault = {MCPHOST_E_DENIED, 1, "the keychain is locked"};

    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    db.loads = fault;
    ck_assert_int_eq(get(&one, ""), MCPHOST_E_DENIED);
    ck_assert_str_eq(said(),
                     "the application cannot load tokens: the keychain is locked");
    db.loads = fault;
    ck_assert_int_eq(put(&one, version, "{}"), MCPHOST_E_DENIED);
    ck_assert_int_eq(db.n_saves, 1);
    db.saves = fault;
    ck_assert_int_eq(put(&one, version, "{}"), MCPHOST_E_DENIED);
    ck_assert_str_eq(said(),
                     "the application cannot save tokens: the keychain is locked");
    db.saves = fault;
    ck_assert_int_eq(take(&one, version), MCPHOST_E_DENIED);
    ck_assert_str_eq(said(),
                     "the application cannot remove tokens: the keychain is locked");
    db.nexts = fault;
    ck_assert_int_eq(list(), MCPHOST_E_DENIED);
    ck_assert_str_eq(said(),
                     "the application cannot list tokens: the keychain is locked");
    ck_assert_int_eq(list(), 1);
}
END_TEST

/* MCPHOST_E_STATE would say that damaged contents were moved aside. */
START_TEST(a_code_without_a_meaning_becomes_an_io_error)
{
    db.loads = (struct tokendb_fault){_i == 0 ? -4711 : MCPHOST_E_STATE, 1, NULL};
    ck_assert_int_eq(get(&one, ""), MCPHOST_E_IO);
    test_has(said(), mcphost_strerror(MCPHOST_E_IO));
}
END_TEST

START_TEST(texts_and_lists_without_an_end_are_refused)
{
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    db.never_ends = true;
    ck_assert_int_eq(get(&one, ""), MCPHOST_E_LIMIT);
    ck_assert_int_eq(list(), MCPHOST_E_LIMIT);
}
END_TEST

START_TEST(a_list_has_at_most_10000_keys)
{
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    db.n_repeated = 10000 + 1;
    ck_assert_int_eq(list(), 10000);
    db.n_repeated = 10001 + 1;
    ck_assert_int_eq(list(), MCPHOST_E_LIMIT);
}
END_TEST

static int inner;

static void
call_again(void)
{
    struct mcph_store_record record = {0};
    int n = 0;

    inner = mcph_store_read(store, &two, &record, NULL);
    ck_assert_int_eq(mcph_store_list(store, count, &n, NULL), inner);
}

START_TEST(the_functions_never_run_at_once)
{
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    db.before = call_again;
    ck_assert_int_eq(get(&one, "{}"), 0);
    ck_assert_int_eq(inner, MCPHOST_E_BUSY);
    db.before = NULL;
    ck_assert_int_eq(list(), 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "calls");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_record_is_replaced_only_if_its_version_is_expected);
    tcase_add_test(tc, a_conflict_that_the_application_finds_is_reported);
    tcase_add_test(tc, a_list_has_the_keys_of_the_library_alone);
    tcase_add_test(tc, no_copy_of_a_record_stays_in_memory);
    tcase_add_test(tc, two_logins_cannot_claim_one_key);
    tcase_add_test(tc, an_error_has_the_code_and_the_reason_of_the_application);
    tcase_add_loop_test(tc, a_code_without_a_meaning_becomes_an_io_error, 0, 2);
    tcase_add_test(tc, texts_and_lists_without_an_end_are_refused);
    tcase_add_test(tc, a_list_has_at_most_10000_keys);
    tcase_add_test(tc, the_functions_never_run_at_once);
}

int
main(void)
{
    return test_main("auth-store-calls", add);
}
