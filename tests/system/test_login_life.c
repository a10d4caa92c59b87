/* SPDX-License-Identifier: MIT
 *
 * test_login_life.c - OAuth logins of a host after the first token: refreshes, more
 * scopes, another authorization server, other servers, edits and the end of the host.
 *
 * A question is a request that asks the user to log in.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "system/loginrig.h"

static struct loginrig lr;

static void
up(int how, const char *keys, const char *script)
{
    lr_up(&lr, how);
    ar_http(&lr.hr, &lr.ar, "web", keys, script);
}

/* Starts a host, loads the server `web`, and lets the user log in with a browser. */
static void
ready(const char *keys, const char *script)
{
    up(BROWSER_LOGIN, keys, script);
    hr_load(&lr.hr);
    hr_loaded(&lr.hr, "web");
    ck_assert_int_eq(lr.n_asked, 1);
}

/* Dispatches for `ms` milliseconds. */
static void
pass(int ms)
{
    int64_t end = mcph_clock_monotonic_ms() + ms;

    while (mcph_clock_monotonic_ms() < end)
        hr_turn(&lr.hr, 10);
}

/* ---- refreshes --------------------------------------------------------------------- */

static const char *const rotations[] = {"rotate off", "rotate grace", "rotate strict"};

/* R17 */
START_TEST(a_token_that_is_refused_is_refreshed_without_a_question)
{
    ready(NULL, rotations[_i]);
    for (int i = 1; i <= 3; i++) {
        ar_say(&lr.ar, "forget access");
        ck_assert_str_eq(lr_whoami(&lr), "user tools");
        ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), i);
    }
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

/* RFC 9449, section 8.2 */
START_TEST(a_refresh_keeps_the_nonce_of_the_server)
{
    int n;

    ready(NULL, "dpop nonce");
    n = lr_traced(&lr, "refused 401 use_dpop_nonce");
    ck_assert_int_ge(n, 1);
    ar_say(&lr.ar, "forget access");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    ck_assert_int_eq(lr_traced(&lr, "refused 401 use_dpop_nonce"), n);
    lr_down(&lr);
}
END_TEST

START_TEST(calls_that_overlap_share_one_refresh)
{
    mcphost_call *calls[6];

    ready(NULL, _i ? "era legacy" : "era modern");
    for (int i = 0; i < 6; i++)
        (void)lr_whoami(&lr);
    ar_say(&lr.ar, "forget access");
    for (int i = 0; i < 6; i++)
        calls[i] = lr_start(&lr);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(hr_end(&lr.hr, calls[i]), 0);
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(calls_that_overlap_share_one_question)
{
    mcphost_call *calls[6];

    ready(NULL, "era modern\nrefresh off");
    lr.how = LR_WAIT;
    ar_say(&lr.ar, "forget access");
    for (int i = 0; i < 6; i++)
        calls[i] = lr_start(&lr);
    hr_until(&lr.hr, lr.n_asked == 2);
    pass(100);
    ck_assert_int_eq(lr.n_asked, 2);
    lr.browsers[1] = browser_start(lr.urls[1], BROWSER_LOGIN);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(hr_end(&lr.hr, calls[i]), 0);
    lr_down(&lr);
}
END_TEST

START_TEST(a_token_is_refreshed_before_it_expires)
{
    ready(NULL, "expires 3600 12");
    pass(9700);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    hr_until(&lr.hr, lr_traced(&lr, "token refresh ok") == 1);
    pass(50);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    ck_assert_int_eq(lr_traced(&lr, "refused 401"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_token_without_a_refresh_token_is_used_until_it_expires)
{
    ready(NULL, "expires 3600 6\nrefresh off");
    lr.how = LR_WAIT;
    pass(4900);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_refresh_that_fails_early_costs_nothing)
{
    ready(NULL, "expires 3600 8");
    ar_say(&lr.ar, "fault refresh status 503");
    pass(6500);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    hr_until(&lr.hr, lr_traced(&lr, "fault refresh status") == 1);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_refresh_finds_metadata_that_only_a_challenge_names)
{
    ready(NULL, "expires 3600 2\nresource-places elsewhere");
    pass(2100);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

static const char *const expiries[] = {
    "0", "-1", "1e99", "\"soon\"", "\"\"", "99999999999999999999", "[]", "0.4"};

START_TEST(an_absurd_life_of_a_token_makes_no_loop)
{
    char fault[128];

    snprintf(fault, sizeof(fault),
             "fault token absurd-expiry %s\nfault refresh absurd-expiry %s", expiries[_i],
             expiries[_i]);
    ready(NULL, fault);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_le(lr_traced(&lr, "token refresh ok"), 2);
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_rotated_token_that_was_lost_is_recovered_or_asked_for)
{
    ready(NULL, _i ? "rotate grace" : "rotate strict");
    ar_say(&lr.ar, "forget access\nfault refresh once lost");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, _i ? 1 : 2);
    if (!_i)
        test_has_all(lr_param(lr.asked[1], "reason"), "token refresh|invalid_grant");
    lr_down(&lr);
}
END_TEST

static const char *const forgotten[] = {"forget access\nforget refreshes",
                                        "forget access\nforget logins",
                                        "forget access\nforget clients"};

START_TEST(a_refusal_of_the_refresh_asks_the_user_once)
{
    ready(NULL, NULL);
    ar_say(&lr.ar, "%s", forgotten[_i]);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 2);
    test_has(lr_param(lr.asked[1], "reason"), "token refresh at http");
    lr_down(&lr);
}
END_TEST

START_TEST(a_server_that_is_busy_is_asked_again_after_its_pause)
{
    ready(NULL, NULL);
    ar_say(&lr.ar, "forget access\nfault refresh once status 429 2");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_server_that_is_busy_for_long_fails_the_call_and_keeps_the_login)
{
    char why[2048];

    ready(NULL, NULL);
    ar_say(&lr.ar, "forget access\nfault refresh status 429 120");
    ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_TRANSPORT);
    test_has_all(why, "'web'|token refresh at http|/token: |429|120 s");
    ar_say(&lr.ar, "fault refresh none");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

/* The URL of the metadata contains the value of the header, and the scope contains the
 * client's id.  The library masks both values in the texts that it shows. */
START_TEST(a_challenge_with_values_of_the_configuration_is_used_as_it_was_sent)
{
    ready("headers: {X-Tenant: elsewhere}\nauth: {clientId: notes}",
          "client notes none\nresource-places elsewhere\nscopes notes:read\n"
          "asks notes:read");
    ck_assert_str_eq(lr_param(lr.asked[0], "scope"), "*****:read");
    ck_assert_str_eq(lr_whoami(&lr), "user notes:read");
    lr_down(&lr);
}
END_TEST

START_TEST(a_failed_login_masks_the_place_of_metadata)
{
    up(LR_WAIT, "headers: {X-Tenant: elsewhere}",
       "resource-places elsewhere\nfault resource status 404");
    hr_load(&lr.hr);
    hr_ready(&lr.hr);
    test_has_all(lr_why(&lr, NULL), "/*********/resource-metadata|404");
    test_has_all(lr.secrets.told.data, "/*********/resource-metadata");
    ck_assert_ptr_null(strstr(lr.secrets.told.data, "elsewhere/resource"));
    lr_down(&lr);
}
END_TEST

static void
add_refreshes(Suite *suite)
{
    TCase *tc = test_case(suite, "refreshes");

    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, a_token_that_is_refused_is_refreshed_without_a_question, 0,
                        3);
    tcase_add_test(tc, a_refresh_keeps_the_nonce_of_the_server);
    tcase_add_loop_test(tc, calls_that_overlap_share_one_refresh, 0, 2);
    tcase_add_test(tc, calls_that_overlap_share_one_question);
    tcase_add_test(tc, a_token_is_refreshed_before_it_expires);
    tcase_add_test(tc, a_token_without_a_refresh_token_is_used_until_it_expires);
    tcase_add_test(tc, a_refresh_that_fails_early_costs_nothing);
    tcase_add_test(tc, a_refresh_finds_metadata_that_only_a_challenge_names);
    tcase_add_test(tc,
                   a_challenge_with_values_of_the_configuration_is_used_as_it_was_sent);
    tcase_add_test(tc, a_failed_login_masks_the_place_of_metadata);
    tcase_add_loop_test(tc, an_absurd_life_of_a_token_makes_no_loop, 0,
                        sizeof(expiries) / sizeof(expiries[0]));
    tcase_add_loop_test(tc, a_rotated_token_that_was_lost_is_recovered_or_asked_for, 0,
                        2);
    tcase_add_loop_test(tc, a_refusal_of_the_refresh_asks_the_user_once, 0, 3);
    tcase_add_test(tc, a_server_that_is_busy_is_asked_again_after_its_pause);
    tcase_add_test(tc, a_server_that_is_busy_for_long_fails_the_call_and_keeps_the_login);
}

/* ---- refusals after a login -------------------------------------------------------- */

START_TEST(more_scopes_are_asked_for_together_with_the_old_ones)
{
    ready(NULL, "scopes tools extra\nasks tools\nneeds whoami extra");
    ck_assert_str_eq(lr_param(lr.asked[0], "scope"), "tools");
    ck_assert_str_eq(lr_whoami(&lr), "user extra tools");
    ck_assert_int_eq(lr.n_asked, 2);
    ck_assert_str_eq(lr_param(lr.asked[1], "scope"), "extra tools");
    ck_assert_str_eq(lr_whoami(&lr), "user extra tools");
    ck_assert_int_eq(lr.n_asked, 2);
    lr_down(&lr);
}
END_TEST

START_TEST(a_client_without_a_user_gets_more_scopes)
{
    up(LR_WAIT, "auth: {flow: client_credentials, clientId: robot, clientSecret: canary}",
       "client robot basic canary\nscopes tools extra\nasks tools\nneeds whoami extra");
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "robot extra tools");
    ck_assert_int_eq(lr_traced(&lr, "token client ok"), 2);
    lr_down(&lr);
}
END_TEST

START_TEST(scopes_that_are_never_granted_end_the_call)
{
    char why[2048];

    ready(NULL, "scopes tools extra\nasks tools\nallows tools\nneeds whoami extra");
    ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_AUTH);
    test_has_all(why, "'web'|403");
    ck_assert_int_le(lr.n_asked, 4);
    ck_assert_int_eq(lr_open(&lr), 0);
    ar_say(&lr.ar, "scopes tools extra\nallows tools extra");
    lr_down(&lr);
}
END_TEST

#define UNNAMED                                                           \
    "needs whoami extra\nchallenge Bearer error=\"insufficient_scope\", " \
    "resource_metadata=\"%m\""

START_TEST(for_a_scope_that_is_not_named_all_known_scopes_are_asked_for)
{
    ready(_i ? "auth: {scopes: [extra]}" : NULL,
          _i ? "asks tools\nscopes" : "asks tools\nscopes tools extra");
    ck_assert_str_eq(lr_param(lr.asked[0], "scope"), "tools");
    ar_say(&lr.ar, "%s", UNNAMED);
    ck_assert_str_eq(lr_whoami(&lr), _i ? "user extra tools" : "user tools extra");
    ck_assert_int_eq(lr.n_asked, 2);
    ck_assert_int_eq(lr_traced(&lr, "token refresh"), 0);
    lr_down(&lr);
}
END_TEST

/* When the server has added the scope to its metadata, the next call begins a new
 * login. */
START_TEST(a_token_with_all_known_scopes_fails_the_call_and_serves_other_calls)
{
    char why[2048];

    ready(NULL, "scopes tools\n" UNNAMED);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_AUTH);
        test_has_all(why,
                     "'web'|403|does not name|(tools)|add the scope to 'auth.scopes'");
    }
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(lr_traced(&lr, "token refresh"), 0);
    ck_assert_int_eq(lr_traced(&lr, "refused 401"), 1);
    ar_say(&lr.ar, "scopes tools extra");
    ck_assert_str_eq(lr_whoami(&lr), "user tools extra");
    ck_assert_int_eq(lr.n_asked, 2);
    lr_down(&lr);
}
END_TEST

/* The server names its metadata only in the first challenge.  In the first case, the
 * metadata stay at their place.  In the second case, the server moves the metadata to a
 * well-known place.  In the last two cases, the metadata are at both places, and one
 * request for the metadata fails. */
static const char *const moved[] = {
    "",
    "\nresource-places root",
    "\nresource-places root elsewhere\nfault resource once status 500",
    "\nresource-places root elsewhere\nfault resource once garbage",
};

START_TEST(more_scopes_need_no_second_mention_of_the_metadata)
{
    ready(NULL, "resource-places elsewhere\nscopes tools extra\nasks tools");
    ar_say(&lr.ar, "resource-hint off\nneeds whoami extra%s", moved[_i]);
    ck_assert_str_eq(lr_whoami(&lr), "user extra tools");
    ck_assert_int_eq(lr.n_asked, 2);
    lr_down(&lr);
}
END_TEST

START_TEST(a_403_that_calls_the_token_invalid_is_answered_by_a_refresh)
{
    ready(NULL, NULL);
    ar_say(&lr.ar, "fault use once refuse 403 invalid_token");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(lr_traced(&lr, "refused 403 invalid_token"), 1);
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_denial_that_asks_for_no_scope_begins_no_login)
{
    char why[2048];

    ready(NULL, NULL);
    ar_say(&lr.ar, "needs whoami extra\nchallenge Bearer realm=\"r\"%s",
           _i ? ", scope=\"\"" : "");
    ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_AUTH);
    test_has_all(why, "'web'|403");
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(lr_traced(&lr, "token refresh"), 0);
    ck_assert_int_eq(lr_traced(&lr, "refused 403"), 1);
    lr_down(&lr);
}
END_TEST

static const char *const flows[] = {
    NULL, "auth: {flow: client_credentials, clientId: robot, clientSecret: canary}"};

START_TEST(a_server_that_refuses_each_new_token_makes_no_loop)
{
    up(BROWSER_LOGIN, flows[_i], "fault use refuse\nclient robot basic canary");
    hr_load(&lr.hr);
    test_has_all(lr_why(&lr, NULL), "'web'|401|the token of the login was refused, too");
    ck_assert_int_le(lr.n_asked, 3);
    ck_assert_int_le(lr_traced(&lr, "fault use refuse"), 3);
    ar_say(&lr.ar, "fault use none");
    lr_restart(&lr);
    ck_assert_str_eq(lr_whoami(&lr), _i ? "robot tools" : "user tools");
    lr_down(&lr);
}
END_TEST

START_TEST(a_server_that_wants_ever_new_nonces_makes_no_loop)
{
    up(BROWSER_LOGIN, NULL, "dpop nonce\nfault use nonce-loop");
    hr_load(&lr.hr);
    test_has_all(lr_why(&lr, NULL), "'web'|401");
    ck_assert_int_le(lr.n_asked, 3);
    ar_say(&lr.ar, "fault use none");
    lr_restart(&lr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    lr_down(&lr);
}
END_TEST

static void
add_refusals(Suite *suite)
{
    TCase *tc = test_case(suite, "refusals");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, more_scopes_are_asked_for_together_with_the_old_ones);
    tcase_add_test(tc, a_client_without_a_user_gets_more_scopes);
    tcase_add_test(tc, scopes_that_are_never_granted_end_the_call);
    tcase_add_loop_test(tc, for_a_scope_that_is_not_named_all_known_scopes_are_asked_for,
                        0, 2);
    tcase_add_test(tc,
                   a_token_with_all_known_scopes_fails_the_call_and_serves_other_calls);
    tcase_add_loop_test(tc, more_scopes_need_no_second_mention_of_the_metadata, 0,
                        (int)(sizeof(moved) / sizeof(moved[0])));
    tcase_add_test(tc, a_403_that_calls_the_token_invalid_is_answered_by_a_refresh);
    tcase_add_loop_test(tc, a_denial_that_asks_for_no_scope_begins_no_login, 0, 2);
    tcase_add_loop_test(tc, a_server_that_refuses_each_new_token_makes_no_loop, 0, 2);
    tcase_add_test(tc, a_server_that_wants_ever_new_nonces_makes_no_loop);
}

/* ---- other authorization servers and other servers --------------------------------- */

START_TEST(a_server_may_move_to_another_authorization_server)
{
    ready(NULL, "issuer own\nissuer own");
    ar_say(&lr.ar, "trusts 2");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 2);
    ck_assert_str_eq(lr_param(lr.asked[1], "issuer"), ar_issuer(&lr.ar, 2));
    lr_down(&lr);
}
END_TEST

/* In the server's metadata, the URLs of both issuers have a "/" at the end.  In the
 * issuers' own metadata, these URLs have none. */
START_TEST(the_tokens_of_an_issuer_with_a_slash_at_the_end_are_found)
{
    ready(NULL, "issuer own\nissuer own");
    ar_say(&lr.ar,
           "forget access\nmember resource authorization_servers [\"%s/\",\"%s/\"]",
           ar_issuer(&lr.ar, 2), ar_issuer(&lr.ar, 1));
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_configured_secret_stays_with_its_authorization_server)
{
    char why[2048];

    ready("auth: {clientId: own, clientSecret: canary-secret}",
          "issuer own\nissuer own\nclient own basic canary-secret");
    ar_say(&lr.ar, "trusts 2");
    ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_DENIED);
    test_has_all(why, "'web'|its secret is not sent|auth.issuer");
    ck_assert_ptr_nonnull(strstr(why, ar_issuer(&lr.ar, 2)));
    ck_assert_int_eq(lr.n_asked, 1);
    ar_say(&lr.ar, "trusts 1");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    lr_down(&lr);
}
END_TEST

/* The metadata may spell the URL of the server with a "/" at the end. */
START_TEST(another_spelling_of_the_resource_does_not_release_a_configured_secret)
{
    char why[2048];

    ready("auth: {clientId: own, clientSecret: canary-secret}",
          "issuer own\nissuer own\nclient own basic canary-secret");
    ar_say(&lr.ar, "trusts 2\nfault resource lying %s/", lr.ar.web.url);
    ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_DENIED);
    test_has(why, "its secret is not sent");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

/* Lets the user log in with the browser, and waits until the last request has ended. */
static void
answer(void)
{
    int n = lr.n_asked - 1;

    lr.browsers[n] = browser_start(lr.urls[n], BROWSER_LOGIN);
    hr_until(&lr.hr, !mcphost_request_is_open(lr.asked[n]));
}

START_TEST(one_question_at_a_time_for_each_authorization_server)
{
    up(LR_WAIT, "auth: {account: a}", "account alice\naccount bob");
    hr_url(&lr.hr, "two", lr.ar.web.url, "auth: {account: b}");
    lr_load_asked(&lr);
    pass(600);
    ck_assert_int_eq(lr.n_asked, 1);
    answer();
    hr_until(&lr.hr, lr.n_asked == 2);
    ck_assert_str_ne(mcphost_request_get_server_id(lr.asked[0]),
                     mcphost_request_get_server_id(lr.asked[1]));
    answer();
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami_of(&lr, mcphost_request_get_server_id(lr.asked[0])),
                     "alice tools");
    ck_assert_str_eq(lr_whoami_of(&lr, mcphost_request_get_server_id(lr.asked[1])),
                     "bob tools");
    lr_down(&lr);
}
END_TEST

START_TEST(accounts_are_kept_apart_when_they_are_refreshed)
{
    up(BROWSER_LOGIN, "auth: {account: a}", "account alice\naccount bob");
    hr_url(&lr.hr, "two", lr.ar.web.url, "auth: {account: b}");
    hr_load(&lr.hr);
    ck_assert_int_eq(lr.n_asked, 2);
    ar_say(&lr.ar, "forget access");
    ck_assert_str_eq(lr_whoami_of(&lr, mcphost_request_get_server_id(lr.asked[0])),
                     "alice tools");
    ck_assert_str_eq(lr_whoami_of(&lr, mcphost_request_get_server_id(lr.asked[1])),
                     "bob tools");
    ck_assert_int_eq(lr.n_asked, 2);
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 2);
    lr_down(&lr);
}
END_TEST

START_TEST(one_answer_serves_all_entries_of_one_server_and_account)
{
    up(BROWSER_LOGIN, NULL, "era modern");
    hr_url(&lr.hr, "two", lr.ar.web.url, NULL);
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_str_eq(lr_whoami_of(&lr, "two"), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_refused_question_is_followed_by_the_next_question)
{
    up(LR_WAIT, "auth: {account: a}", NULL);
    hr_url(&lr.hr, "two", lr.ar.web.url, "auth: {account: b}");
    lr_load_asked(&lr);
    mcphost_request_reject(lr.asked[0], MCPHOST_REJECT_DECLINE, "no");
    hr_until(&lr.hr, lr.n_asked == 2);
    answer();
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami_of(&lr, mcphost_request_get_server_id(lr.asked[1])),
                     "user tools");
    lr_down(&lr);
}
END_TEST

START_TEST(a_question_that_times_out_is_followed_by_the_next_question)
{
    lr_up(&lr, LR_WAIT);
    hr_option(&lr.hr, MCPHOST_OPT_REQUEST_TIMEOUT, 1000);
    ar_http(&lr.hr, &lr.ar, "web", "auth: {account: a}", NULL);
    hr_url(&lr.hr, "two", lr.ar.web.url, "auth: {account: b}");
    lr_load_asked(&lr);
    hr_until(&lr.hr, lr.n_asked == 2);
    answer();
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami_of(&lr, mcphost_request_get_server_id(lr.asked[1])),
                     "user tools");
    lr_down(&lr);
}
END_TEST

static void
add_others(Suite *suite)
{
    TCase *tc = test_case(suite, "others");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_server_may_move_to_another_authorization_server);
    tcase_add_test(tc, the_tokens_of_an_issuer_with_a_slash_at_the_end_are_found);
    tcase_add_test(tc, a_configured_secret_stays_with_its_authorization_server);
    tcase_add_test(tc,
                   another_spelling_of_the_resource_does_not_release_a_configured_secret);
    tcase_add_test(tc, one_question_at_a_time_for_each_authorization_server);
    tcase_add_test(tc, accounts_are_kept_apart_when_they_are_refreshed);
    tcase_add_test(tc, one_answer_serves_all_entries_of_one_server_and_account);
    tcase_add_test(tc, a_refused_question_is_followed_by_the_next_question);
    tcase_add_test(tc, a_question_that_times_out_is_followed_by_the_next_question);
}

/* ---- edits and the end ------------------------------------------------------------- */

/* Gives the entry `web` the keys `keys`, or removes the entry if `keys` is NULL.  Then
 * saves and reloads the file. */
static void
edit(const char *keys)
{
    hr_edit(&lr.hr);
    if (keys)
        hr_url(&lr.hr, "web", lr.ar.web.url, keys);
    else
        hr_entry(&lr.hr, "other: {command: /bin/false, enabled: false}");
    hr_reload(&lr.hr);
}

START_TEST(an_edit_of_the_login_replaces_an_open_question)
{
    up(LR_WAIT, "auth: {scopes: [tools]}", "scopes tools more");
    hr_save(&lr.hr);
    ck_assert_int_eq(mcphost_load_workspace(lr.hr.host, lr.hr.ws.dir, NULL, NULL), 0);
    hr_until(&lr.hr, lr.n_asked == 1);
    edit("auth: {account: b, scopes: [tools, more]}");
    hr_until(&lr.hr, lr.n_asked == 2);
    ck_assert_int_eq(mcphost_request_is_open(lr.asked[0]), 0);
    ck_assert_str_eq(lr_param(lr.asked[1], "account"), "b");
    answer();
    hr_until(&lr.hr, hr_server_state(&lr.hr, "web") == MCPHOST_SERVER_LOADED);
    ck_assert_str_eq(lr_whoami(&lr), "user tools more");
    lr_down(&lr);
}
END_TEST

START_TEST(an_edit_that_has_nothing_to_do_with_the_login_keeps_the_question)
{
    up(LR_WAIT, "auth: {account: b}", NULL);
    hr_save(&lr.hr);
    ck_assert_int_eq(mcphost_load_workspace(lr.hr.host, lr.hr.ws.dir, NULL, NULL), 0);
    hr_until(&lr.hr, lr.n_asked == 1);
    edit("auth: {account: b}\nheaders: {X-Own: kept}");
    pass(300);
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(mcphost_request_is_open(lr.asked[0]), 1);
    answer();
    hr_until(&lr.hr, hr_server_state(&lr.hr, "web") == MCPHOST_SERVER_LOADED);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    lr_down(&lr);
}
END_TEST

static const char *const ends[] = {"auth: none", "enabled: false", NULL};

START_TEST(an_edit_that_needs_no_login_ends_an_open_question)
{
    up(LR_WAIT, NULL, NULL);
    hr_save(&lr.hr);
    ck_assert_int_eq(mcphost_load_workspace(lr.hr.host, lr.hr.ws.dir, NULL, NULL), 0);
    hr_until(&lr.hr, lr.n_asked == 1);
    edit(ends[_i]);
    hr_until(&lr.hr, !mcphost_request_is_open(lr.asked[0]));
    ck_assert_int_eq(lr.n_over, 1);
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_server_that_has_moved_ends_the_question_of_the_old_url)
{
    struct authrig other;

    up(LR_WAIT, NULL, NULL);
    ar_web(&lr.hr, &other, "other", NULL);
    hr_save(&lr.hr);
    ck_assert_int_eq(mcphost_load_workspace(lr.hr.host, lr.hr.ws.dir, NULL, NULL), 0);
    hr_until(&lr.hr, lr.n_asked == 1);
    hr_edit(&lr.hr);
    hr_url(&lr.hr, "web", other.web.url, NULL);
    hr_reload(&lr.hr);
    hr_until(&lr.hr, lr.n_asked == 2);
    hr_until(&lr.hr, !mcphost_request_is_open(lr.asked[0]));
    answer();
    hr_until(&lr.hr, hr_server_state(&lr.hr, "web") == MCPHOST_SERVER_LOADED);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    lr_down(&lr);
}
END_TEST

/* A call waits for further scopes while an edit moves its server.  The question is then
 * abandoned, but stays open until the old instance has ended.  This instance ends with
 * the host. */
START_TEST(a_host_that_is_dropped_with_an_abandoned_question_ends)
{
    struct authrig other;

    up(BROWSER_LOGIN, NULL, "scopes tools extra\nasks tools\nneeds whoami extra");
    ar_web(&lr.hr, &other, "other", NULL);
    hr_save(&lr.hr);
    ck_assert_int_eq(mcphost_load_workspace(lr.hr.host, lr.hr.ws.dir, NULL, NULL), 0);
    hr_until(&lr.hr, lr.n_asked == 1);
    hr_until(&lr.hr, hr_server_state(&lr.hr, "web") == MCPHOST_SERVER_LOADED);
    lr.how = LR_WAIT;
    lr_start(&lr);
    hr_until(&lr.hr, lr.n_asked == 2);
    mcphost_request_unref(lr.asked[1]);
    lr.asked[1] = NULL;
    hr_edit(&lr.hr);
    hr_url(&lr.hr, "web", other.web.url, NULL);
    hr_reload(&lr.hr);
    pass(200);
    lr.hr.host = mcphost_unref(lr.hr.host);
    lr_down_ended(&lr);
}
END_TEST

static const char *const steps[] = {"challenge", "resource", "issuer", "register",
                                    "token"};

START_TEST(closing_the_host_ends_a_login_at_each_step)
{
    char fault[64], traced[64];

    snprintf(fault, sizeof(fault), "fault %s hold", steps[_i]);
    snprintf(traced, sizeof(traced), "fault %s hold", steps[_i]);
    up(BROWSER_LOGIN, NULL, fault);
    hr_load_only(&lr.hr);
    hr_until(&lr.hr, lr_traced(&lr, traced) == 1);
    lr_down(&lr);
}
END_TEST

START_TEST(closing_the_host_ends_a_refresh)
{
    mcphost_call *call;

    ready(NULL, "fault refresh hold");
    ar_say(&lr.ar, "forget access");
    call = lr_start(&lr);
    hr_until(&lr.hr, lr_traced(&lr, "fault refresh hold") == 1);
    ck_assert_int_eq(mcphost_close(lr.hr.host), 0);
    ck_assert_int_ne(hr_end(&lr.hr, call), 0);
    lr_down(&lr);
}
END_TEST

START_TEST(a_call_that_is_cancelled_leaves_the_question_for_the_next_call)
{
    mcphost_call *call;

    ready(NULL, "refresh off");
    lr.how = LR_WAIT;
    ar_say(&lr.ar, "forget access");
    call = lr_start(&lr);
    hr_until(&lr.hr, lr.n_asked == 2);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_ne(hr_end(&lr.hr, call), 0);
    ck_assert_int_eq(mcphost_request_is_open(lr.asked[1]), 1);
    answer();
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 2);
    lr_down(&lr);
}
END_TEST

static void
add_ends(Suite *suite)
{
    TCase *tc = test_case(suite, "ends");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, an_edit_of_the_login_replaces_an_open_question);
    tcase_add_test(tc, an_edit_that_has_nothing_to_do_with_the_login_keeps_the_question);
    tcase_add_loop_test(tc, an_edit_that_needs_no_login_ends_an_open_question, 0, 3);
    tcase_add_test(tc, a_server_that_has_moved_ends_the_question_of_the_old_url);
    tcase_add_test(tc, a_host_that_is_dropped_with_an_abandoned_question_ends);
    tcase_add_loop_test(tc, closing_the_host_ends_a_login_at_each_step, 0,
                        sizeof(steps) / sizeof(steps[0]));
    tcase_add_test(tc, closing_the_host_ends_a_refresh);
    tcase_add_test(tc, a_call_that_is_cancelled_leaves_the_question_for_the_next_call);
}

static void
add(Suite *suite)
{
    add_refreshes(suite);
    add_refusals(suite);
    add_others(suite);
    add_ends(suite);
}

int
main(void)
{
    return test_main("login-life", add);
}
