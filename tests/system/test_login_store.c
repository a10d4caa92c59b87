/* SPDX-License-Identifier: MIT
 *
 * test_login_store.c - logins of a host that shares its store of tokens with another
 * program.  The test acts as the other program.
 *
 * A question is a request that asks the user to log in.
 */
#include <jansson.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/stat.h>

#include "auth/auth.h"
#include "support/webclient.h"
#include "system/loginrig.h"

static struct loginrig lr;
static struct mcph_store *store; /* the store that the other program has opened */
static char *dir;
static char issuer[256], resource[256], client[256];
static struct mcph_store_key key;

static void
up(const char *script)
{
    lr_up(&lr, BROWSER_LOGIN);
    dir = strdup(rig_workspace_path(&lr.hr.ws, "tokens"));
    ck_assert_int_eq(mcphost_set_token_store(lr.hr.host, MCPHOST_TOKENS_FILE, dir, NULL),
                     0);
    ck_assert_int_eq(mcph_store_file_new(dir, &store, NULL), 0);
    ar_http(&lr.hr, &lr.ar, "web", NULL, script);
}

static void
down(void)
{
    store = mcph_store_unref(store);
    lr_down(&lr);
    free(dir);
}

static int
keep_key(const struct mcph_store_key *found, void *arg)
{
    int *n = arg;

    snprintf(issuer, sizeof(issuer), "%s", found->issuer);
    snprintf(resource, sizeof(resource), "%s", found->resource);
    snprintf(client, sizeof(client), "%s", found->client);
    (*n)++;
    return 0;
}

/* Sets `key` to the key of the only login.  Returns the number of logins in the store. */
static int
find_login(void)
{
    int n = 0;

    ck_assert_int_eq(mcph_store_list(store, keep_key, &n, NULL), 0);
    key = (struct mcph_store_key){issuer, resource, client, ""};
    return n;
}

static void
ready(const char *script)
{
    up(script);
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(find_login(), 1);
}

/* Refreshes the login in the store, as another program does. */
static void
refresh(void)
{
    struct mcph_store_record record = {0};
    json_t *object, *answer;
    struct web_answer got;
    char url[300], form[2048], *text;

    ck_assert_int_eq(mcph_store_read(store, &key, &record, NULL), 0);
    object = json_loads(record.text, 0, NULL);
    snprintf(url, sizeof(url), "%s/token", issuer);
    snprintf(form, sizeof(form),
             "grant_type=refresh_token&resource=%s&client_id=%s&refresh_token=%s",
             resource, json_string_value(json_object_get(object, "client_id")),
             json_string_value(json_object_get(object, "refresh_token")));
    ck_assert_int_eq(web_ask("POST", url,
                             "Content-Type: application/x-www-form-urlencoded\r\n", form,
                             &got),
                     200);
    answer = json_loads(got.body, 0, NULL);
    json_object_set(object, "access_token", json_object_get(answer, "access_token"));
    json_object_set(object, "refresh_token", json_object_get(answer, "refresh_token"));
    text = json_dumps(object, JSON_COMPACT);
    ck_assert_int_eq(
        mcph_store_write(store, &key, record.version, text, strlen(text), NULL, NULL), 0);
    free(text);
    web_done(&got);
    json_decref(answer);
    json_decref(object);
    mcph_store_record_done(&record);
}

/* Stores another access token, which has expired, as if another program had refreshed the
 * login some time ago.  The refresh token stays the same. */
static void
replace_by_expired(void)
{
    struct mcph_store_record record = {0};
    json_t *object;
    char *text;

    ck_assert_int_eq(mcph_store_read(store, &key, &record, NULL), 0);
    object = json_loads(record.text, 0, NULL);
    json_object_set_new(object, "access_token", json_string("another"));
    json_object_set_new(object, "expires_at", json_integer(1));
    text = json_dumps(object, JSON_COMPACT);
    ck_assert_int_eq(
        mcph_store_write(store, &key, record.version, text, strlen(text), NULL, NULL), 0);
    free(text);
    json_decref(object);
    mcph_store_record_done(&record);
}

static void
log_out(void)
{
    struct mcph_store_record record = {0};

    ck_assert_int_eq(mcph_store_read(store, &key, &record, NULL), 0);
    ck_assert_int_eq(mcph_store_remove(store, &key, record.version, NULL), 0);
    mcph_store_record_done(&record);
}

/* ---- refreshes --------------------------------------------------------------------- */

START_TEST(a_token_that_another_program_has_refreshed_is_taken)
{
    ready("rotate strict");
    ar_say(&lr.ar, "forget access");
    refresh();
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    ck_assert_int_eq(lr.n_asked, 1);
    down();
}
END_TEST

/* Only the token that was refused is known to lack a scope. */
START_TEST(an_expired_token_is_refreshed_although_another_token_lacks_a_scope)
{
    char why[2048];

    ready(NULL);
    replace_by_expired();
    ar_say(&lr.ar, "%s",
           "needs whoami extra\nchallenge Bearer error=\"insufficient_scope\", "
           "resource_metadata=\"%m\"");
    ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_AUTH);
    test_has_all(why, "403|does not name");
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    ck_assert_int_eq(lr.n_asked, 1);
    down();
}
END_TEST

START_TEST(a_host_waits_for_the_refresh_of_another_program)
{
    struct mcph_token_claim *claim;
    mcphost_call *call;

    ready("rotate strict");
    ck_assert_int_eq(mcph_store_claim(store, &key, "another", &claim, NULL), 0);
    ar_say(&lr.ar, "forget access");
    call = lr_start(&lr);
    for (int i = 0; i < 30; i++)
        hr_turn(&lr.hr, 10);
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 0);
    refresh();
    mcph_store_release(claim);
    ck_assert_int_eq(hr_end(&lr.hr, call), 0);
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    ck_assert_int_eq(lr.n_asked, 1);
    down();
}
END_TEST

START_TEST(a_refresh_gives_way_to_a_token_that_was_stored_meanwhile)
{
    struct mcph_store_record before = {0}, after = {0};
    mcphost_call *call;

    ready("rotate grace");
    ar_say(&lr.ar, "forget access\nfault refresh once hold");
    call = lr_start(&lr);
    hr_until(&lr.hr, lr_traced(&lr, "fault refresh hold") == 1);
    refresh();
    ck_assert_int_eq(mcph_store_read(store, &key, &before, NULL), 0);
    ar_say(&lr.ar, "release refresh");
    ck_assert_int_eq(hr_end(&lr.hr, call), 0);
    ck_assert_int_eq(mcph_store_read(store, &key, &after, NULL), 0);
    ck_assert_str_eq(before.version, after.version);
    mcph_store_record_done(&before);
    mcph_store_record_done(&after);
    down();
}
END_TEST

START_TEST(a_refresh_does_not_undo_a_logout)
{
    mcphost_call *call;

    ready("fault refresh hold");
    ar_say(&lr.ar, "forget access");
    call = lr_start(&lr);
    hr_until(&lr.hr, lr_traced(&lr, "fault refresh hold") == 1);
    log_out();
    ar_say(&lr.ar, "release refresh");
    ck_assert_int_eq(hr_end(&lr.hr, call), MCPHOST_E_AUTH);
    test_has_all(hr_why(call), "token refresh at |the login was removed|log in again");
    ck_assert_int_eq(find_login(), 0);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 2);
    down();
}
END_TEST

/* ---- questions --------------------------------------------------------------------- */

/* Claims the key "question" of the issuer, as another program does while it asks its user
 * to log in. */
static struct mcph_token_claim *
claim_question(void)
{
    const struct mcph_store_key question = {ar_issuer(&lr.ar, 1), "", "question", ""};
    struct mcph_token_claim *claim;

    ck_assert_int_eq(mcph_store_claim(store, &question, "another", &claim, NULL), 0);
    return claim;
}

START_TEST(a_question_waits_for_the_question_of_another_program)
{
    struct mcph_token_claim *claim;

    up(NULL);
    claim = claim_question();
    hr_load_only(&lr.hr);
    for (int i = 0; i < 40; i++)
        hr_turn(&lr.hr, 10);
    ck_assert_int_eq(lr.n_asked, 0);
    ck_assert_int_eq(hr_server_state(&lr.hr, "web"), MCPHOST_SERVER_STARTING);
    mcph_store_release(claim);
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    down();
}
END_TEST

START_TEST(a_question_does_not_wait_for_ever)
{
    struct mcph_token_claim *claim;
    int code;

    up(NULL);
    hr_option(&lr.hr, MCPHOST_OPT_REQUEST_TIMEOUT, 50);
    claim = claim_question();
    hr_load(&lr.hr);
    test_has_all(lr_why(&lr, &code),
                 "login at http://127.0.0.1:|another login at the same "
                 "authorization server|another|try again");
    ck_assert_int_eq(code, MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(lr.n_asked, 0);
    mcph_store_release(claim);
    down();
}
END_TEST

/* ---- stores that do not work ------------------------------------------------------- */

START_TEST(a_login_works_without_its_store)
{
    char path[300];

    up(NULL);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    snprintf(path, sizeof(path), "tokens/tokens.json");
    if (_i == 0)
        rig_workspace_write(&lr.hr.ws, path, "no JSON");
    else
        ck_assert_int_eq(chmod(dir, 0777), 0);
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    down();
}
END_TEST

/* The tokens stay in the store, although the issuer has refused them. */
START_TEST(a_store_that_cannot_be_written_makes_no_loop)
{
    struct rlimit limit;

    ready(NULL);
    ar_say(&lr.ar, "forget access\nforget refreshes");
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 0;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    limit.rlim_cur = limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(lr_traced(&lr, "f grant_type=refresh_token"), 1);
    ck_assert_int_eq(lr.n_asked, 2);
    down();
}
END_TEST

START_TEST(a_store_that_stays_busy_delays_a_login_for_five_seconds)
{
    int64_t began = mcph_clock_monotonic_ms(), took;
    char path[512];
    int lock;

    up(NULL);
    snprintf(path, sizeof(path), "%s/tokens.lock", dir);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(lock, 0);
    ck_assert_int_eq(flock(lock, LOCK_EX), 0);
    hr_load(&lr.hr);
    took = mcph_clock_monotonic_ms() - began;
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_ge(took, 5000);
    ck_assert_int_lt(took, 15000);
    ck_assert_int_eq(lr.n_asked, 1);
    close(lock);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "store");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_token_that_another_program_has_refreshed_is_taken);
    tcase_add_test(tc,
                   an_expired_token_is_refreshed_although_another_token_lacks_a_scope);
    tcase_add_test(tc, a_host_waits_for_the_refresh_of_another_program);
    tcase_add_test(tc, a_refresh_gives_way_to_a_token_that_was_stored_meanwhile);
    tcase_add_test(tc, a_refresh_does_not_undo_a_logout);
    tcase_add_test(tc, a_question_waits_for_the_question_of_another_program);
    tcase_add_test(tc, a_question_does_not_wait_for_ever);
    tcase_add_loop_test(tc, a_login_works_without_its_store, 0, 2);
    tcase_add_test(tc, a_store_that_cannot_be_written_makes_no_loop);
    tcase_add_test(tc, a_store_that_stays_busy_delays_a_login_for_five_seconds);
}

int
main(void)
{
    return test_main("login-store", add);
}
