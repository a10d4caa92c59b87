/* SPDX-License-Identifier: MIT
 *
 * test_logout.c - the revocation of tokens after logouts (RFC 7009).
 *
 * The rig fails each test in which the library shows a token (loginrig.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "system/loginrig.h"

static struct loginrig lr;

static void
up(const char *keys, const char *script)
{
    lr_up(&lr, BROWSER_LOGIN);
    ar_http(&lr.hr, &lr.ar, "web", keys, script);
    hr_load(&lr.hr);
}

static size_t
count(void)
{
    mcphost_logins *logins = NULL;
    size_t n;

    ck_assert_int_eq(mcphost_get_logins(lr.hr.host, &logins, NULL), 0);
    n = mcphost_logins_count(logins);
    mcphost_logins_unref(logins);
    return n;
}

/* Returns how often `text` occurs in all texts that the library has shown. */
static int
told(const char *text)
{
    const char *at = lr.secrets.told.data;
    int n = 0;

    for (; at && (at = strstr(at, text)); at += strlen(text))
        n++;
    return n;
}

/* Logs out.  The record must be removed before the request is sent. */
static void
log_out(const char *server)
{
    size_t n = count();

    ck_assert_int_eq(mcphost_log_out(lr.hr.host, server, NULL), 0);
    ck_assert_uint_eq(count(), n - 1);
    ck_assert_int_eq(lr_traced(&lr, "revoke"), 0);
}

#define GOOD "the token is removed here, and revoked at http://127.0.0.1:"
#define BAD  "the token is removed here, but not revoked at http://127.0.0.1:"

/* Logs out.  The revocation must fail with these words, and with one warning. */
static void
expect_warning(const char *words)
{
    log_out("web");
    hr_until(&lr.hr, told(BAD) == 1);
    ck_assert_int_eq(told(GOOD), 0);
    ck_assert_msg(told(words) > 0, "not told: %s", words);
    ck_assert_int_eq(told("again later"), 0);
    ck_assert_int_eq(told("after 7 s"), 0);
    ck_assert_int_le(lr_traced(&lr, "token_type_hint"), 1);
    lr_down(&lr);
}

/* ---- clients ----------------------------------------------------------------------- */

static const struct {
    const char *keys, *script, *client;
} clients[] = {
    {NULL, "methods none", "client client-1 none\n"},
    {NULL, "methods basic", "client client-1 client_secret_basic\n"},
    {NULL, "methods post", "client client-1 client_secret_post\n"},
    {"auth: {clientId: own, clientSecret: canary-secret}",
     "client own basic canary-secret\nregister off", "client own client_secret_basic\n"},
};

START_TEST(a_logout_revokes_the_refresh_token_with_the_proof_of_the_client)
{
    up(clients[_i].keys, clients[_i].script);
    ck_assert_int_eq(lr_traced(&lr, clients[_i].client), 1);
    log_out("web");
    hr_until(&lr.hr, told(GOOD) == 1);
    ck_assert_int_eq(lr_traced(&lr, "revoke refresh"), 1);
    ck_assert_int_eq(lr_traced(&lr, "token_type_hint=refresh_token"), 1);
    ck_assert_int_eq(lr_traced(&lr, clients[_i].client), 2);
    ck_assert_int_eq(told(BAD), 0);
    lr_down(&lr);
}
END_TEST

START_TEST(without_a_refresh_token_a_logout_revokes_the_access_token)
{
    lr_up(&lr, LR_WAIT);
    lr_keyed(&lr, &lr.ar, "web", "p256-pkcs8");
    hr_load(&lr.hr);
    log_out("web");
    hr_until(&lr.hr, told(GOOD) == 1);
    ck_assert_int_eq(lr_traced(&lr, "revoke access"), 1);
    ck_assert_int_eq(lr_traced(&lr, "token_type_hint=access_token"), 1);
    ck_assert_int_eq(lr_traced(&lr, "client robot private_key_jwt"), 2);
    lr_down(&lr);
}
END_TEST

#define OWN_SCRIPT "issuer own\nissuer own\nclient own basic canary-secret"

/* Writes an entry of the server with a client of this issuer. */
static void
write_entry(const char *secret, const char *issuer)
{
    char keys[512];

    snprintf(keys, sizeof(keys),
             "auth: {clientId: own, clientSecret: %s, issuer: \"%s\"}", secret, issuer);
    hr_url(&lr.hr, "web", lr.ar.web.url, keys);
}

/* The server's metadata and the entry spell the issuer with a "/" at the end, and the
 * issuer's own metadata do not. */
START_TEST(a_logout_proves_the_client_of_an_issuer_with_a_slash_at_the_end)
{
    char issuer[256];

    lr_up(&lr, BROWSER_LOGIN);
    ar_web(&lr.hr, &lr.ar, "web", OWN_SCRIPT);
    snprintf(issuer, sizeof(issuer), "%s/", ar_issuer(&lr.ar, 1));
    ar_say(&lr.ar, "member resource authorization_servers [\"%s\"]", issuer);
    write_entry("canary-secret", issuer);
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    log_out("web");
    hr_until(&lr.hr, told(GOOD) == 1);
    ck_assert_int_eq(lr_traced(&lr, clients[3].client), 2);
    lr_down(&lr);
}
END_TEST

START_TEST(a_logout_sends_no_secret_of_another_issuer)
{
    char why[2048];

    lr_up(&lr, BROWSER_LOGIN);
    ar_web(&lr.hr, &lr.ar, "web", OWN_SCRIPT);
    write_entry("canary-secret", ar_issuer(&lr.ar, 1));
    hr_follow(&lr.hr);
    ck_assert_int_eq(lr_traced(&lr, "h authorization: Basic"), 1);
    hr_edit(&lr.hr);
    write_entry("canary-new", ar_issuer(&lr.ar, 2));
    hr_reload(&lr.hr);
    ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_DENIED);
    log_out("web");
    hr_until(&lr.hr, told(BAD) == 1);
    ck_assert_int_eq(lr_traced(&lr, "token_type_hint=refresh_token"), 1);
    ck_assert_int_eq(lr_traced(&lr, "h authorization: Basic"), 1);
    lr_down(&lr);
}
END_TEST

/* ---- failures ---------------------------------------------------------------------- */

static const struct {
    const char *script, *words;
} failures[] = {
    {"fault revoke refuse invalid_request", "invalid_request; end the login at the page"},
    {"fault revoke refuse server_error", "HTTP status 400; end the login at the page"},
    {"fault revoke status 503", "HTTP status 503; end the login at the page"},
    {"fault revoke status 503 7", "HTTP status 503; end the login at the page"},
    {"fault revoke status 429 7", "HTTP status 429; end the login at the page"},
    {"fault revoke redirect http://127.0.0.1:1/a", "is not followed"},
    {"fault revoke cut", "; end the login at the page"},
    {"fault issuer cut", "; end the login at the page"},
    {"fault issuer status 503 7", "HTTP status 503; end the login at the page"},
    {"member issuer revocation_endpoint", "has no revocation endpoint; end the login"},
    {"member issuer revocation_endpoint \"http://10.0.0.1/revoke\"",
     "revocation_endpoint"},
};

START_TEST(a_revocation_that_fails_is_one_warning_and_is_not_repeated)
{
    up(NULL, NULL);
    ar_say(&lr.ar, "%s", failures[_i].script);
    expect_warning(failures[_i].words);
}
END_TEST

START_TEST(a_refusal_that_repeats_the_request_shows_no_token_and_no_proof)
{
    int client = _i / 2, status = _i % 2 ? 500 : 400;

    up(clients[client].keys, clients[client].script);
    ar_say(&lr.ar, "fault revoke echo %d", status);
    expect_warning(status == 500 ? "HTTP status 500" : "invalid_request (token=***");
}
END_TEST

/* MCPH_LOGIN_REVOKE_MS limits all requests of a revocation together.  The test cannot
 * shorten this limit. */
START_TEST(a_slow_server_is_not_waited_for_longer_than_the_limit)
{
    int64_t start = mcph_clock_monotonic_ms();

    up(NULL, NULL);
    ar_say(&lr.ar, "fault revoke hold");
    log_out("web");
    while (told(BAD) == 0 && mcph_clock_monotonic_ms() - start < 20000)
        hr_turn(&lr.hr, 100);
    ck_assert_int_eq(told(BAD), 1);
    ck_assert_int_lt(mcph_clock_monotonic_ms() - start, 12000);
    lr_down(&lr);
}
END_TEST

/* ---- the end of the host ----------------------------------------------------------- */

START_TEST(a_host_that_closes_waits_for_the_revocation)
{
    up(NULL, NULL);
    ar_say(&lr.ar, "fault revoke slow 300");
    log_out("web");
    ck_assert_int_eq(mcphost_close(lr.hr.host), 0);
    hr_until(&lr.hr, told(GOOD) == 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_host_that_must_close_sooner_gives_up_the_revocation)
{
    int64_t start = mcph_clock_monotonic_ms();

    up(NULL, NULL);
    ar_say(&lr.ar, "fault revoke hold");
    log_out("web");
    hr_until(&lr.hr, lr_traced(&lr, "token_type_hint") == 1);
    ck_assert_int_eq(mcphost_close_within(lr.hr.host, 100), 0);
    hr_until(&lr.hr, told(BAD) == 1);
    ck_assert_int_eq(told("the host was closed before the answer"), 1);
    ck_assert_int_lt(mcph_clock_monotonic_ms() - start, 4000);
    lr_down(&lr);
}
END_TEST

START_TEST(a_host_that_ends_at_once_says_that_the_token_is_not_revoked)
{
    up(NULL, NULL);
    log_out("web");
    lr_tell_state(&lr);
    lr.hr.host = mcphost_unref(lr.hr.host);
    ck_assert_int_eq(told(BAD), 1);
    lr_down_ended(&lr);
}
END_TEST

START_TEST(a_second_logout_revokes_nothing)
{
    up(NULL, NULL);
    log_out("web");
    ck_assert_int_eq(mcphost_log_out(lr.hr.host, "web", NULL), 0);
    hr_until(&lr.hr, told(GOOD) == 1);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(mcphost_log_out(lr.hr.host, "web", NULL), 0);
    hr_until(&lr.hr, told(GOOD) == 2);
    ck_assert_int_eq(lr_traced(&lr, "revoke refresh"), 2);
    ck_assert_int_eq(told(BAD), 0);
    lr_down(&lr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "logout");

    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc,
                        a_logout_revokes_the_refresh_token_with_the_proof_of_the_client,
                        0, sizeof(clients) / sizeof(clients[0]));
    tcase_add_test(tc, a_logout_proves_the_client_of_an_issuer_with_a_slash_at_the_end);
    tcase_add_test(tc, a_logout_sends_no_secret_of_another_issuer);
    tcase_add_test(tc, without_a_refresh_token_a_logout_revokes_the_access_token);
    tcase_add_loop_test(tc, a_revocation_that_fails_is_one_warning_and_is_not_repeated, 0,
                        sizeof(failures) / sizeof(failures[0]));
    tcase_add_loop_test(tc,
                        a_refusal_that_repeats_the_request_shows_no_token_and_no_proof, 0,
                        2 * sizeof(clients) / sizeof(clients[0]));
    tcase_add_test(tc, a_slow_server_is_not_waited_for_longer_than_the_limit);
    tcase_add_test(tc, a_host_that_closes_waits_for_the_revocation);
    tcase_add_test(tc, a_host_that_must_close_sooner_gives_up_the_revocation);
    tcase_add_test(tc, a_host_that_ends_at_once_says_that_the_token_is_not_revoked);
    tcase_add_test(tc, a_second_logout_revokes_nothing);
}

int
main(void)
{
    return test_main("logout", add);
}
