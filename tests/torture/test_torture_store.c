/* SPDX-License-Identifier: MIT
 *
 * test_torture_store.c - the file store of tokens, and the store that calls functions of
 * the application, while memory runs out.
 *
 * A function succeeds or fails with MCPHOST_E_NOMEM.  If a read after a successful write
 * succeeds, it returns the record that was written.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/rig.h"
#include "torture/tokens.h"
#include "torture/torture.h"

static struct rig_workspace ws;
static char dir[128], file[160];

static const struct mcph_store_key one = {"https://i.example", "https://r.example", "c",
                                          ""};
static const struct mcph_store_key two = {"https://i.example", "https://r.example", "c",
                                          "work"};

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    snprintf(dir, sizeof(dir), "%s", rig_workspace_path(&ws, "state"));
    snprintf(file, sizeof(file), "%s/tokens.json", dir);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
}

static void
down(void)
{
    rig_workspace_down(&ws);
}

static struct mcph_store *
open_store(void)
{
    struct mcph_store *store = NULL;
    mcphost_error *err = NULL;
    int r = mcph_store_file_new(dir, &store, &err);

    torture_told(r, err);
    return store;
}

/* ---- the store that calls functions of the application ----------------------------- */

static struct mcph_store *
open_calls(void)
{
    struct mcph_store *store = NULL;

    memset(&tokens, 0, sizeof(tokens));
    torture_good(mcph_store_calls_new(&tokens_calls, &store));
    return store;
}

/* Drops the store, which frees the application's argument. */
static void
close_calls(struct mcph_store *store)
{
    bool is_open = store;

    mcph_store_unref(store);
    torture_must(tokens.n_freed == is_open);
}

/* ---- records and claims ------------------------------------------------------------ */

/* Writes a record and reads it again.  Returns true if the record was written. */
static bool
write_and_read(struct mcph_store *store, const struct mcph_store_key *key,
               const char *expected, const char *text, char version[MCPH_DIGEST_HEX])
{
    struct mcph_store_record record = {0};
    mcphost_error *err = NULL;
    int r = mcph_store_write(store, key, expected, text, strlen(text), version, &err);

    if (!torture_told(r, err))
        return false;
    err = NULL;
    r = mcph_store_read(store, key, &record, &err);
    torture_told(r, err);
    torture_must(r < 0 || (strcmp(record.text, text) == 0 &&
                           strcmp(record.version, version) == 0));
    mcph_store_record_done(&record);
    return true;
}

static int
count(const struct mcph_store_key *key, void *arg)
{
    torture_must(strcmp(key->client, "c") == 0);
    ++*(int *)arg;
    return 0;
}

static void
use_records(struct mcph_store *store)
{
    char version[MCPH_DIGEST_HEX];
    mcphost_error *err = NULL;
    int n = 0, r;

    if (store && write_and_read(store, &one, NULL, "{\"a\":1}", version) &&
        write_and_read(store, &one, version, "{\"a\":2}", version) &&
        write_and_read(store, &two, NULL, "{\"b\":1}", version)) {
        r = mcph_store_list(store, count, &n, &err);
        torture_must(!torture_told(r, err) || n == 2);
        err = NULL;
        r = mcph_store_remove(store, &two, version, &err);
        torture_told(r, err);
    }
}

static int
use_store(void)
{
    struct mcph_store *store;

    unlink(file);
    store = open_store();
    use_records(store);
    mcph_store_unref(store);
    return torture_code();
}

static int
use_calls(void)
{
    struct mcph_store *store = open_calls();

    use_records(store);
    torture_must(tokens.n <= 2);
    close_calls(store);
    return torture_code();
}

/* Uses the store while each function of the application fails with a reason. */
static int
use_calls_that_fail(void)
{
    static const struct tokendb_fault fault = {MCPHOST_E_DENIED, 1, "it is locked"};
    struct mcph_store *store = open_calls();
    struct mcph_store_record record = {0};
    mcphost_error *errs[3] = {NULL};
    int n = 0, codes[3] = {0};

    if (store) {
        tokens.loads = tokens.nexts = fault;
        codes[0] = mcph_store_read(store, &one, &record, &errs[0]);
        codes[1] = mcph_store_list(store, count, &n, &errs[1]);
        tokens.saves = fault;
        codes[2] = mcph_store_write(store, &one, NULL, "{}", 2, NULL, &errs[2]);
    }
    for (int i = 0; i < 3; i++) {
        torture_must(!store || (codes[i] < 0 && errs[i]));
        mcphost_error_unref(errs[i]);
        torture_good(codes[i] == MCPHOST_E_DENIED ? 0 : codes[i]);
    }
    close_calls(store);
    return torture_code();
}

static void
use_claims(struct mcph_store *store)
{
    struct mcph_token_claim *claim = NULL, *other = NULL;
    mcphost_error *err = NULL;
    int r;

    if (store) {
        r = mcph_store_claim(store, &one, "holder", &claim, &err);
        torture_told(r, err);
        if (claim) {
            err = NULL;
            r = mcph_store_claim(store, &one, "other", &other, &err);
            torture_must(r < 0 && err && !other);
            if (r != MCPHOST_E_BUSY)
                torture_good(r);
            mcphost_error_unref(err);
        }
    }
    mcph_store_release(claim);
}

static int
claim_and_release(void)
{
    struct mcph_store *store = open_store();

    use_claims(store);
    mcph_store_unref(store);
    return torture_code();
}

static int
claim_calls(void)
{
    struct mcph_store *store = open_calls();

    use_claims(store);
    close_calls(store);
    return torture_code();
}

static void
damage(void)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    torture_must(fd >= 0 && write(fd, "{", 1) == 1);
    close(fd);
}

/* MCPHOST_E_STATE reports the damage.  The scenario counts MCPHOST_E_STATE as success. */
static int
report_damage(void)
{
    struct mcph_store_record record = {0};
    struct mcph_store *store;
    mcphost_error *err = NULL;
    char aside[192];
    int r;

    snprintf(aside, sizeof(aside), "%s.damaged", file);
    unlink(aside);
    damage();
    store = open_store();
    if (store) {
        r = mcph_store_read(store, &one, &record, &err);
        torture_must(r < 0 && err);
        torture_must((r == MCPHOST_E_STATE) == (access(aside, F_OK) == 0));
        mcphost_error_unref(err);
        torture_good(r == MCPHOST_E_STATE ? 0 : r);
    }
    mcph_store_unref(store);
    return torture_code();
}

static int
find_default(void)
{
    mcphost_error *err = NULL;
    char *path = NULL;
    int r = mcph_store_default_dir(NULL, "/home", &path, &err);

    torture_must((r == 0) == (path != NULL));
    torture_told(r, err);
    free(path);
    return r;
}

START_TEST(records_are_stored_or_the_store_fails_with_e_nomem)
{
    torture_run(&(struct torture){.run = use_store, .least = 20}, _i);
}
END_TEST

START_TEST(a_claim_is_made_or_fails_with_e_nomem)
{
    torture_run(&(struct torture){.run = claim_and_release, .least = 4}, _i);
}
END_TEST

START_TEST(a_damaged_file_is_moved_aside_or_stays_with_e_nomem)
{
    /* If there is no memory for the message, the code alone reports that the file was
     * moved. */
    torture_run(&(struct torture){.run = report_damage, .least = 6}, _i);
}
END_TEST

START_TEST(the_default_directory_is_found_or_fails_with_e_nomem)
{
    torture_run(&(struct torture){.run = find_default, .least = 1}, _i);
}
END_TEST

START_TEST(the_store_of_the_application_works_or_fails_with_e_nomem)
{
    int (*const runs[])(void) = {use_calls, use_calls_that_fail, claim_calls};

    torture_run(&(struct torture){.run = runs[_i / 2], .least = 4}, _i % 2);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "store");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, records_are_stored_or_the_store_fails_with_e_nomem, 0, 2);
    tcase_add_loop_test(tc, a_claim_is_made_or_fails_with_e_nomem, 0, 2);
    tcase_add_loop_test(tc, a_damaged_file_is_moved_aside_or_stays_with_e_nomem, 0, 2);
    tcase_add_loop_test(tc, the_store_of_the_application_works_or_fails_with_e_nomem, 0,
                        6);
    tcase_add_loop_test(tc, the_default_directory_is_found_or_fails_with_e_nomem, 0, 2);
    tcase_set_timeout(tc, 60);
}

int
main(void)
{
    return torture_main("torture-store", add);
}
