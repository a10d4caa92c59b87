/* SPDX-License-Identifier: MIT
 *
 * test_login_calls.c - logins of a host whose application keeps the tokens
 * (mcphost_set_token_callbacks()).
 */
#include <stdio.h>
#include <string.h>

#include "support/tokendb.h"
#include "system/loginrig.h"

static struct loginrig lr;
static struct tokendb db;

static int
set(mcphost *host, mcphost_token_save_fn save)
{
    return mcphost_set_token_callbacks(host, tokendb_load, save, tokendb_next, &db,
                                       tokendb_free, NULL);
}

static void
up(const char *script)
{
    memset(&db, 0, sizeof(db));
    lr_up(&lr, BROWSER_LOGIN);
    ck_assert_int_eq(set(lr.hr.host, tokendb_save), 0);
    ar_http(&lr.hr, &lr.ar, "web", NULL, script);
}

/* Loads the configuration, and logs in.  The host asks the user exactly once. */
static void
log_in(void)
{
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
}

static void
ready(const char *script)
{
    up(script);
    log_in();
}

static void
down(void)
{
    lr_down(&lr);
    ck_assert_int_eq(db.n_freed, 1);
}

/* Returns true if the library has shown the text. */
static bool
was_told(const char *text)
{
    return strstr(lr.secrets.told.data, text);
}

/* Starts a second host, as another program would, with the server and the tokens of the
 * first host. */
static mcphost *
start_other(void)
{
    mcphost_config *config = NULL;
    mcphost *host = NULL;
    char text[512];

    snprintf(text, sizeof(text),
             "version: 1\nservers:\n  web: {transport: streamable_http, url: '%s'}\n",
             lr.ar.web.url);
    ck_assert_int_eq(mcphost_new(&host, NULL), 0);
    ck_assert_int_eq(set(host, tokendb_save), 0);
    ck_assert_int_eq(
        mcphost_config_load_memory(text, strlen(text), "t", ".", &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(host, config), 0);
    ck_assert_int_eq(mcphost_wait_ready(host, 15000), 1);
    mcphost_config_unref(config);
    return host;
}

/* Checks that the server of the other host is loaded, and drops the host. */
static void
end_other(mcphost *host)
{
    mcphost_status *status = NULL;

    ck_assert_int_eq(mcphost_get_status(host, &status), 0);
    ck_assert_int_eq(mcphost_status_server_get_state(status, 0), MCPHOST_SERVER_LOADED);
    mcphost_status_unref(status);
    mcphost_unref(host);
}

START_TEST(a_second_host_with_the_same_store_asks_no_question)
{
    mcphost_logins *logins = NULL;

    ready(NULL);
    ck_assert_int_eq(db.n, 1);
    test_has(db.rows[0].text, "access_token");
    end_other(start_other());
    ck_assert_int_eq(db.n_freed, 1);
    db.n_freed = 0;
    ck_assert_int_eq(mcphost_get_logins(lr.hr.host, &logins, NULL), 0);
    ck_assert_uint_eq(mcphost_logins_count(logins), 1);
    ck_assert_str_eq(mcphost_logins_get_server_id(logins, 0), "web");
    ck_assert_str_eq(mcphost_logins_get_issuer(logins, 0), ar_issuer(&lr.ar, 1));
    mcphost_logins_unref(logins);
    ck_assert_int_eq(mcphost_log_out(lr.hr.host, "web", NULL), 0);
    ck_assert_int_eq(db.n, 0);
    down();
}
END_TEST

START_TEST(a_refresh_whose_save_conflicts_takes_the_tokens_of_the_winner)
{
    mcphost_call *call;
    char winner[8192];

    ready("rotate grace");
    ar_say(&lr.ar, "forget access\nfault refresh once hold");
    call = lr_start(&lr);
    hr_until(&lr.hr, lr_traced(&lr, "fault refresh hold") == 1);
    end_other(start_other());
    db.n_freed = 0;
    snprintf(winner, sizeof(winner), "%s", db.rows[0].text);
    ar_say(&lr.ar, "release refresh");
    ck_assert_int_eq(hr_end(&lr.hr, call), 0);
    ck_assert_str_eq(db.rows[0].text, winner);
    ck_assert_int_eq(lr.n_asked, 1);
    down();
}
END_TEST

START_TEST(a_busy_store_delays_a_login)
{
    up(NULL);
    db.loads = db.saves = (struct tokendb_fault){MCPHOST_E_BUSY, 2, NULL};
    log_in();
    ck_assert_int_eq(db.n, 1);
    down();
}
END_TEST

/* The host uses the token although the token is not in the store. */
START_TEST(a_login_works_although_the_store_fails)
{
    up(NULL);
    *(_i == 0 ? &db.loads : &db.saves) =
        (struct tokendb_fault){MCPHOST_E_DENIED, 1000, "the keychain is locked"};
    log_in();
    ck_assert_int_eq(db.n, 0);
    ck_assert(was_told(_i == 0 ? "cannot load tokens: the keychain is locked"
                               : "cannot save tokens: the keychain is locked"));
    down();
}
END_TEST

START_TEST(a_list_or_logout_that_fails_gives_the_reason)
{
    mcphost_logins *logins = NULL;
    mcphost_error *err = NULL;

    ready(NULL);
    db.nexts = (struct tokendb_fault){MCPHOST_E_DENIED, 2, "the keychain is locked"};
    ck_assert_int_eq(mcphost_get_logins(lr.hr.host, &logins, &err), MCPHOST_E_DENIED);
    test_has(mcphost_error_get_message(err), "the keychain is locked");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_log_out(lr.hr.host, "web", &err), MCPHOST_E_DENIED);
    test_has(mcphost_error_get_message(err), "the keychain is locked");
    mcphost_error_unref(err);
    down();
}
END_TEST

START_TEST(conflicts_without_an_end_do_not_hold_a_login)
{
    up(NULL);
    db.saves = (struct tokendb_fault){MCPHOST_E_EXISTS, 1000, NULL};
    log_in();
    ck_assert_int_lt(db.n_saves, 100);
    down();
}
END_TEST

START_TEST(a_damaged_record_is_replaced)
{
    ready(NULL);
    snprintf(db.rows[0].text, sizeof(db.rows[0].text), "no JSON");
    ar_say(&lr.ar, "forget access");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 2);
    test_has(db.rows[0].text, "access_token");
    down();
}
END_TEST

/* Each record is damaged in another way. */
START_TEST(a_damaged_record_counts_as_expired_in_the_list)
{
    static const char *const records[] = {"no JSON", "{\"access_token\": 7}",
                                          "{\"dpop_key\": \"%\"}",
                                          "{\"dpop_key\": \"QUJD\"}",
                                          "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]"
                                          "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"};
    mcphost_logins *logins = NULL;

    ready(NULL);
    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
        snprintf(db.rows[0].text, sizeof(db.rows[0].text), "%s", records[i]);
        ck_assert_int_eq(mcphost_get_logins(lr.hr.host, &logins, NULL), 0);
        ck_assert_uint_eq(mcphost_logins_count(logins), 1);
        ck_assert_int_eq(mcphost_logins_get_state(logins, 0), MCPHOST_LOGIN_EXPIRED);
        logins = mcphost_logins_unref(logins);
    }
    down();
}
END_TEST

START_TEST(an_argument_is_freed_once)
{
    up(NULL);
    ck_assert_int_eq(set(lr.hr.host, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(db.n_freed, 1);
    ck_assert_int_eq(set(lr.hr.host, tokendb_save), 0);
    ck_assert_int_eq(db.n_freed, 2);
    hr_load(&lr.hr);
    ck_assert_int_eq(set(lr.hr.host, tokendb_save), MCPHOST_E_STATE);
    ck_assert_int_eq(db.n_freed, 3);
    db.n_freed = 0;
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "calls");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, a_second_host_with_the_same_store_asks_no_question);
    tcase_add_test(tc, a_refresh_whose_save_conflicts_takes_the_tokens_of_the_winner);
    tcase_add_test(tc, a_busy_store_delays_a_login);
    tcase_add_loop_test(tc, a_login_works_although_the_store_fails, 0, 2);
    tcase_add_test(tc, a_list_or_logout_that_fails_gives_the_reason);
    tcase_add_test(tc, conflicts_without_an_end_do_not_hold_a_login);
    tcase_add_test(tc, a_damaged_record_is_replaced);
    tcase_add_test(tc, a_damaged_record_counts_as_expired_in_the_list);
    tcase_add_test(tc, an_argument_is_freed_once);
}

int
main(void)
{
    return test_main("login-calls", add);
}
