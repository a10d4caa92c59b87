/* SPDX-License-Identifier: MIT
 *
 * test_host_logins.c - the list of logins, and logouts.
 *
 * The tests have configurations that are loaded but not applied, in the default source
 * and in other sources, and token stores that are replaced while a thread lists the
 * logins.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/rig.h"
#include "support/runner.h"
#include "support/tokendb.h"

#include <mcphost/mcphost.h>

#define RECORD                                                                       \
    "\"record\":{\"access_token\":\"token-of-a-test\",\"expires_at\":4102444800},\"" \
    "issuer\":\"https://i.example\",\"client\":\"c\",\"account\":\"\","

static struct rig_workspace ws;
static mcphost *host;

static mcphost_config *
read_config(const char *yaml)
{
    mcphost_config *config = NULL;

    ck_assert_int_eq(
        mcphost_config_load_memory(yaml, strlen(yaml), NULL, ws.dir, &config, NULL), 0);
    return config;
}

static void
load(mcphost_source *source, const char *yaml)
{
    mcphost_config *config = read_config(yaml);

    ck_assert_int_eq(mcphost_source_load(source, config), 0);
    mcphost_config_unref(config);
}

/* Writes the store of two logins, and makes a host with this store. */
static void
up(void)
{
    const char *dir;

    rig_workspace_up(&ws, NULL);
    dir = rig_workspace_path(&ws, "state");
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    rig_workspace_write(&ws, "state/tokens.json",
                        "{\"format\":1,\"tokens\":[{" RECORD
                        "\"resource\":\"http://127.0.0.1:1/a\"},{" RECORD
                        "\"resource\":\"http://127.0.0.1:1/b\"}]}");
    ck_assert_int_eq(chmod(rig_workspace_path(&ws, "state/tokens.json"), 0600), 0);
    ck_assert_int_eq(mcphost_new(&host, NULL), 0);
    ck_assert_int_eq(mcphost_set_token_store(host, MCPHOST_TOKENS_FILE, dir, NULL), 0);
}

static void
down(void)
{
    host = mcphost_unref(host);
    rig_workspace_down(&ws);
}

/* Checks that the login for `resource` names this server.  If `server` is NULL, the login
 * must name no server. */
static void
is_row(const char *resource, const char *server)
{
    mcphost_logins *logins = NULL;
    size_t i = 0;

    ck_assert_int_eq(mcphost_get_logins(host, &logins, NULL), 0);
    while (i < mcphost_logins_count(logins) &&
           strcmp(mcphost_logins_get_resource(logins, i), resource) != 0)
        i++;
    ck_assert_uint_lt(i, mcphost_logins_count(logins));
    if (server)
        ck_assert_pstr_eq(mcphost_logins_get_server_id(logins, i), server);
    else
        ck_assert_ptr_null(mcphost_logins_get_server_id(logins, i));
    mcphost_logins_unref(logins);
}

static size_t
count_rows(void)
{
    mcphost_logins *logins = NULL;
    size_t n;

    ck_assert_int_eq(mcphost_get_logins(host, &logins, NULL), 0);
    n = mcphost_logins_count(logins);
    mcphost_logins_unref(logins);
    return n;
}

#define ENTRY(id, path)                                                   \
    "version: 1\nservers:\n  " id ": {transport: streamable_http, url: '" \
    "http://127.0.0.1:1/" path "'}\n"

START_TEST(logins_name_servers_as_soon_as_they_are_loaded)
{
    is_row("http://127.0.0.1:1/a", NULL);
    load(mcphost_default_source(host), ENTRY("x", "a"));
    is_row("http://127.0.0.1:1/a", "x");
    is_row("http://127.0.0.1:1/b", NULL);
    load(mcphost_default_source(host), ENTRY("y", "b"));
    is_row("http://127.0.0.1:1/a", NULL);
    is_row("http://127.0.0.1:1/b", "y");
    for (int i = 0; i < 100 && mcphost_wait(host, 10) >= 0; i++)
        (void)mcphost_dispatch(host);
    is_row("http://127.0.0.1:1/a", NULL);
    is_row("http://127.0.0.1:1/b", "y");
}
END_TEST

START_TEST(a_server_of_another_source_is_named_with_its_source)
{
    mcphost_source *source = NULL;

    ck_assert_int_eq(mcphost_source_new(host, "more", &source, NULL), 0);
    load(mcphost_default_source(host), "version: 1\n");
    load(source, ENTRY("x", "a"));
    for (int i = 0; i < 100; i++) {
        is_row("http://127.0.0.1:1/a", "more:x");
        (void)mcphost_dispatch(host);
    }
    ck_assert_int_eq(mcphost_log_out(host, "x", NULL), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_log_out(host, "more:x", NULL), 0);
    ck_assert_uint_eq(count_rows(), 1);
    mcphost_source_unref(source);
}
END_TEST

START_TEST(a_rejected_configuration_does_not_hide_the_servers_that_stay)
{
    load(mcphost_default_source(host), ENTRY("x", "a"));
    for (int i = 0; i < 20; i++)
        (void)mcphost_dispatch(host);
    is_row("http://127.0.0.1:1/a", "x");
    load(mcphost_default_source(host), "version: 99\n");
    for (int i = 0; i < 20; i++)
        (void)mcphost_dispatch(host);
    is_row("http://127.0.0.1:1/a", "x");
}
END_TEST

START_TEST(the_logout_of_a_disabled_server_says_that_it_is_disabled)
{
    mcphost_error *err = NULL;

    load(mcphost_default_source(host),
         "version: 1\nservers:\n  x: {transport: streamable_http, enabled: false, "
         "url: 'http://127.0.0.1:1/a'}\n");
    ck_assert_int_eq(mcphost_log_out(host, "x", &err), MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "logout: the server is disabled; enable it first");
    mcphost_error_unref(err);
    ck_assert_uint_eq(count_rows(), 2);
}
END_TEST

START_TEST(a_logout_needs_no_dispatch)
{
    mcphost_source *source = NULL;

    ck_assert_int_eq(mcphost_source_new(host, "more", &source, NULL), 0);
    load(mcphost_default_source(host), ENTRY("x", "b"));
    load(source, ENTRY("x", "a"));
    ck_assert_int_eq(mcphost_log_out(host, "other:x", NULL), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_log_out(host, "more:x", NULL), 0);
    ck_assert_uint_eq(count_rows(), 1);
    is_row("http://127.0.0.1:1/b", "x");
    ck_assert_int_eq(mcphost_log_out(host, "x", NULL), 0);
    ck_assert_uint_eq(count_rows(), 0);
    mcphost_source_unref(source);
}
END_TEST

/* ---- stores that are replaced ------------------------------------------------------ */

static struct tokendb db;
static sem_t entered, released;
static atomic_int n_lists, bad;
static atomic_bool stop;

/* Counts failures in `bad`, because Check's assertions do not work in threads. */
static void *
list_until_stop(void *arg)
{
    (void)arg;
    do {
        mcphost_logins *logins = NULL;

        if (mcphost_get_logins(host, &logins, NULL) < 0)
            atomic_fetch_add(&bad, 1);
        mcphost_logins_unref(logins);
        atomic_fetch_add_explicit(&n_lists, 1, memory_order_relaxed);
    } while (!stop);
    return NULL;
}

static int
hold_next(const char *after, char *buffer, size_t size, void *arg, mcphost_error **reterr)
{
    (void)after;
    (void)buffer;
    (void)size;
    (void)arg;
    (void)reterr;
    sem_post(&entered);
    sem_wait(&released);
    return MCPHOST_E_NOTFOUND;
}

static void
set_calls(mcphost_token_next_fn next)
{
    ck_assert_int_eq(mcphost_set_token_callbacks(host, tokendb_load, tokendb_save, next,
                                                 &db, tokendb_free, NULL),
                     0);
}

static void
set_memory(void)
{
    ck_assert_int_eq(mcphost_set_token_store(host, MCPHOST_TOKENS_MEMORY, NULL, NULL), 0);
}

static pthread_t
start_lister(void)
{
    pthread_t thread;

    bad = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, list_until_stop, NULL), 0);
    return thread;
}

START_TEST(a_store_lives_until_its_last_reader_has_ended)
{
    pthread_t thread;

    stop = true; /* the thread ends after it has listed the logins once */
    sem_init(&entered, 0, 0);
    sem_init(&released, 0, 0);
    set_calls(hold_next);
    thread = start_lister();
    sem_wait(&entered);
    set_memory();
    ck_assert_int_eq(db.n_freed, 0);
    sem_post(&released);
    pthread_join(thread, NULL);
    ck_assert_int_eq(db.n_freed, 1);
    ck_assert_int_eq(bad, 0);
}
END_TEST

/* The suite's build with ThreadSanitizer looks for data races.  The memory order of
 * `n_lists` is relaxed, because another order would hide races. */
START_TEST(logins_are_listed_while_another_thread_sets_stores)
{
    pthread_t thread = start_lister();
    int n = 0;

    while (n < 1000 || atomic_load_explicit(&n_lists, memory_order_relaxed) < 1000) {
        set_calls(tokendb_next);
        set_memory();
        n++;
    }
    stop = true;
    pthread_join(thread, NULL);
    ck_assert_int_eq(db.n_freed, n);
    ck_assert_int_eq(bad, 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "logins");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, logins_name_servers_as_soon_as_they_are_loaded);
    tcase_add_test(tc, a_server_of_another_source_is_named_with_its_source);
    tcase_add_test(tc, a_rejected_configuration_does_not_hide_the_servers_that_stay);
    tcase_add_test(tc, the_logout_of_a_disabled_server_says_that_it_is_disabled);
    tcase_add_test(tc, a_logout_needs_no_dispatch);
    tcase_add_test(tc, a_store_lives_until_its_last_reader_has_ended);
    tcase_add_test(tc, logins_are_listed_while_another_thread_sets_stores);
}

int
main(void)
{
    return test_main("host-logins", add);
}
