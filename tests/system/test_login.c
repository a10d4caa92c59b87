/* SPDX-License-Identifier: MIT
 *
 * test_login.c - logins by OAuth through a host: the flows in which a user takes part,
 * from the refusal of the server to the answer of a tool.
 *
 * A question is a request that asks the user to log in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "system/loginrig.h"

static struct loginrig lr;

/* Starts a server `web`, and a host.  `how` is what the user does: BROWSER_* or
 * LR_WAIT. */
static void
up(int how, const char *keys, const char *script)
{
    lr_up(&lr, how);
    ar_http(&lr.hr, &lr.ar, "web", keys, script);
}

static void
expect_failed(int code, const char *words)
{
    int found;

    ck_assert_int_ne(hr_server_state(&lr.hr, "web"), MCPHOST_SERVER_LOADED);
    test_has_all(lr_why(&lr, &found), words);
    ck_assert_int_eq(found, code);
    ck_assert_int_eq(lr_open(&lr), 0);
}

/* ---- the browser ------------------------------------------------------------------- */

static const char *const eras[] = {"era legacy\naccount alice",
                                   "era modern\naccount alice"};

/* R17 */
START_TEST(a_user_logs_in_with_a_browser)
{
    up(BROWSER_LOGIN, NULL, eras[_i]);
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "alice tools");
    ck_assert_str_eq(lr_whoami(&lr), "alice tools");
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(lr.n_over, 1);
    test_has(lr.over, "the user has logged in");
    ck_assert_int_eq(lr_traced(&lr, "login alice"), 1);
    ck_assert_int_eq(lr_traced(&lr, "token code ok"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_client_is_registered_under_the_name_of_the_application)
{
    lr_up(&lr, BROWSER_LOGIN);
    ck_assert_int_eq(
        mcphost_set_identity(lr.hr.host, "tester", "1", _i ? "A Tester" : NULL), 0);
    ar_http(&lr.hr, &lr.ar, "web", NULL, NULL);
    hr_load(&lr.hr);
    ck_assert_int_eq(lr_traced(&lr, _i ? "name A Tester" : "name tester"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(the_request_says_where_the_user_logs_in_and_for_what)
{
    up(LR_WAIT, "auth: {account: work}", "scopes read write\nasks read");
    lr_load_asked(&lr);
    test_has(mcphost_request_get_message(lr.asked[0]), "log in at http://127.0.0.1:");
    test_has(mcphost_request_get_message(lr.asked[0]), " as work: open the page");
    ck_assert_str_eq(mcphost_request_get_server_id(lr.asked[0]), "web");
    ck_assert_str_eq(lr_param(lr.asked[0], "flow"), "browser");
    ck_assert_str_eq(lr_param(lr.asked[0], "issuer"), ar_issuer(&lr.ar, 1));
    ck_assert_str_eq(lr_param(lr.asked[0], "resource"), lr.ar.web.url);
    ck_assert_str_eq(lr_param(lr.asked[0], "account"), "work");
    ck_assert_str_eq(lr_param(lr.asked[0], "scope"), "read");
    test_has(lr_param(lr.asked[0], "redirectUri"), "http://127.0.0.1:");
    ck_assert_str_eq(lr_param(lr.asked[0], "expiresInMs"), "600000");
    test_has(lr.urls[0], "state=");
    test_has(hr_server_why(&lr.hr, "web"), "");
    lr_down(&lr);
}
END_TEST

START_TEST(a_page_that_is_not_at_the_issuer_is_named)
{
    up(LR_WAIT, NULL,
       "member issuer authorization_endpoint \"https://pages.example/a?b=c\"");
    lr_load_asked(&lr);
    test_has(mcphost_request_get_message(lr.asked[0]), "log in at http://127.0.0.1:");
    test_has(mcphost_request_get_message(lr.asked[0]),
             ": open the page at https://pages.example:443 in a browser");
    lr_down(&lr);
}
END_TEST

START_TEST(a_redirect_with_another_state_changes_nothing)
{
    up(LR_WAIT, NULL, NULL);
    lr_load_asked(&lr);
    lr.browsers[0] = browser_start(lr.urls[0], BROWSER_STATE);
    hr_until(&lr.hr, browser_is_done(lr.browsers[0]));
    ck_assert_int_eq(browser_end(lr.browsers[0]), 403);
    ck_assert_int_eq(mcphost_request_is_open(lr.asked[0]), 1);
    lr.browsers[0] = browser_start(lr.urls[0], BROWSER_LOGIN);
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_browser_that_returns_twice_uses_the_code_once)
{
    up(BROWSER_TWICE, NULL, NULL);
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr_traced(&lr, "f grant_type=authorization_code"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_user_who_denies_fails_the_server_with_the_reason)
{
    up(BROWSER_DENY, NULL, NULL);
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_AUTH, "access_denied|log in again and allow the access|401");
    lr.how = BROWSER_LOGIN;
    lr_restart(&lr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 2);
    lr_down(&lr);
}
END_TEST

/* The host must send the whole page to the browser before the host stops listening for
 * the redirect. */
START_TEST(the_browser_gets_a_page_with_the_outcome)
{
    up(_i ? BROWSER_DENY : BROWSER_LOGIN, NULL, NULL);
    hr_load(&lr.hr);
    hr_until(&lr.hr, browser_is_done(lr.browsers[0]));
    ck_assert_int_eq(browser_end(lr.browsers[0]), _i ? 400 : 200);
    lr.browsers[0] = NULL;
    lr_down(&lr);
}
END_TEST

static void
add_browser(Suite *suite)
{
    TCase *tc = test_case(suite, "browser");

    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, a_user_logs_in_with_a_browser, 0, 2);
    tcase_add_loop_test(tc, a_client_is_registered_under_the_name_of_the_application, 0,
                        2);
    tcase_add_test(tc, the_request_says_where_the_user_logs_in_and_for_what);
    tcase_add_test(tc, a_page_that_is_not_at_the_issuer_is_named);
    tcase_add_test(tc, a_redirect_with_another_state_changes_nothing);
    tcase_add_test(tc, a_browser_that_returns_twice_uses_the_code_once);
    tcase_add_test(tc, a_user_who_denies_fails_the_server_with_the_reason);
    tcase_add_loop_test(tc, the_browser_gets_a_page_with_the_outcome, 0, 2);
}

/* ---- pasting ----------------------------------------------------------------------- */

/* Returns the text that the user pastes.  `part` is 0 for the URL of the redirect, 1 for
 * its query with the '?', 2 for its query without the '?' but with white space around it,
 * and 3 for the code alone. */
static char *
cut_redirect(const char *redirect, int part)
{
    const char *query = strchr(redirect, '?'), *code = strstr(redirect, "code=") + 5;
    char *text = NULL;

    switch (part) {
    case 0:
        ck_assert_int_ge(asprintf(&text, "%s", redirect), 0);
        break;
    case 1:
        ck_assert_int_ge(asprintf(&text, "%s", query), 0);
        break;
    case 2:
        ck_assert_int_ge(asprintf(&text, " %s\n", query + 1), 0);
        break;
    default:
        ck_assert_int_ge(asprintf(&text, "%.*s", (int)strcspn(code, "&"), code), 0);
        break;
    }
    return text;
}

START_TEST(a_pasted_redirect_logs_in)
{
    char *redirect, *text;

    up(LR_WAIT, NULL, "iss off");
    lr_load_asked(&lr);
    redirect = browser_redirect(lr.urls[0], BROWSER_LOGIN);
    text = cut_redirect(redirect, _i);
    ck_assert_int_eq(lr_paste(lr.asked[0], text), 0);
    ck_assert_int_eq(mcphost_request_is_open(lr.asked[0]), 0);
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(lr.n_over, 0);
    free(redirect);
    free(text);
    lr_down(&lr);
}
END_TEST

START_TEST(a_text_that_is_not_of_this_login_is_refused_and_the_request_stays_open)
{
    char *wrong, *right, *code;

    up(LR_WAIT, NULL, NULL);
    lr_load_asked(&lr);
    wrong = browser_redirect(lr.urls[0], BROWSER_STATE);
    right = browser_redirect(lr.urls[0], BROWSER_LOGIN);
    code = cut_redirect(right, 3);
    ck_assert_int_eq(lr_paste(lr.asked[0], wrong), MCPHOST_E_INVALID);
    ck_assert_int_eq(lr_paste(lr.asked[0], code), MCPHOST_E_INVALID);
    ck_assert_int_eq(lr_paste(lr.asked[0], ""), MCPHOST_E_INVALID);
    ck_assert_int_eq(lr_paste(lr.asked[0], "https://elsewhere.example/?code=a"),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_respond(lr.asked[0], "{}", 2, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_respond(lr.asked[0], NULL, 0, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_is_open(lr.asked[0]), 1);
    ck_assert_int_eq(lr_paste(lr.asked[0], right), 0);
    ck_assert_int_eq(lr_paste(lr.asked[0], right), MCPHOST_E_STATE);
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    free(wrong);
    free(right);
    free(code);
    lr_down(&lr);
}
END_TEST

START_TEST(a_pasted_denial_ends_the_login)
{
    char *redirect;

    up(LR_WAIT, NULL, NULL);
    lr_load_asked(&lr);
    redirect = browser_redirect(lr.urls[0], BROWSER_DENY);
    ck_assert_int_eq(lr_paste(lr.asked[0], redirect), 0);
    hr_ready(&lr.hr);
    expect_failed(MCPHOST_E_AUTH, "access_denied|log in again and allow the access");
    free(redirect);
    lr_down(&lr);
}
END_TEST

START_TEST(a_pasted_error_of_a_server_in_trouble_ends_the_login)
{
    static const char *const words[] = {"temporarily_unavailable", "server_error"};
    char script[128], expected[128];
    char *redirect;

    snprintf(script, sizeof(script), "fault authorize refuse %s", words[_i]);
    snprintf(expected, sizeof(expected), "%s|try again later", words[_i]);
    up(LR_WAIT, NULL, script);
    lr_load_asked(&lr);
    redirect = browser_redirect(lr.urls[0], BROWSER_LOGIN);
    ck_assert_int_eq(lr_paste(lr.asked[0], redirect), 0);
    hr_ready(&lr.hr);
    expect_failed(MCPHOST_E_TRANSPORT, expected);
    free(redirect);
    lr_down(&lr);
}
END_TEST

START_TEST(a_pasted_redirect_that_was_cut_leaves_the_request_open)
{
    char *redirect, *cut;

    up(LR_WAIT, NULL, "iss off");
    lr_load_asked(&lr);
    redirect = browser_redirect(lr.urls[0], BROWSER_LOGIN);
    ck_assert_int_ge(asprintf(&cut, "%.*s%s", (int)(strchr(redirect, '?') + 1 - redirect),
                              redirect, strstr(redirect, "state=")),
                     0);
    ck_assert_int_eq(lr_paste(lr.asked[0], cut), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_is_open(lr.asked[0]), 1);
    ck_assert_int_eq(lr_paste(lr.asked[0], redirect), 0);
    hr_ready(&lr.hr);
    free(redirect);
    free(cut);
    lr_down(&lr);
}
END_TEST

static void
add_pasting(Suite *suite)
{
    TCase *tc = test_case(suite, "pasting");

    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, a_pasted_redirect_logs_in, 0, 4);
    tcase_add_test(
        tc, a_text_that_is_not_of_this_login_is_refused_and_the_request_stays_open);
    tcase_add_test(tc, a_pasted_denial_ends_the_login);
    tcase_add_loop_test(tc, a_pasted_error_of_a_server_in_trouble_ends_the_login, 0, 2);
    tcase_add_test(tc, a_pasted_redirect_that_was_cut_leaves_the_request_open);
}

/* ---- device codes ------------------------------------------------------------------ */

static void
device_up(const char *script)
{
    up(LR_WAIT, "auth: {flow: device}", script);
    lr_load_asked(&lr);
}

START_TEST(a_user_logs_in_on_another_device)
{
    char code[64];

    device_up("account alice");
    ck_assert_str_eq(lr_param(lr.asked[0], "flow"), "device");
    test_has(lr_param(lr.asked[0], "verificationUri"), "/device");
    test_has(lr_param(lr.asked[0], "verificationUriComplete"), "?user_code=FAKE-");
    test_has(mcphost_request_get_message(lr.asked[0]), "enter the code FAKE-");
    snprintf(code, sizeof(code), "%s", lr_param(lr.asked[0], "userCode"));
    ck_assert_int_eq(lr_paste(lr.asked[0], "code"), MCPHOST_E_INVALID);
    hr_until(&lr.hr, lr_traced(&lr, "token device authorization_pending") == 1);
    ar_approve(&lr.ar, code, false);
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "alice tools");
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(lr.n_over, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_server_that_is_polled_too_often_is_polled_less_often)
{
    device_up("device approve 1\nfault token once refuse slow_down");
    hr_until(&lr.hr, lr_traced(&lr, "fault token refuse") == 1);
    rig_pause(50);
    ck_assert_int_eq(lr_traced(&lr, "f grant_type=urn"), 1);
    ck_assert_int_eq(mcphost_wait_ready(lr.hr.host, 20000), 1);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr_traced(&lr, "slow_down"), 0);
    lr_down(&lr);
}
END_TEST

/* The interval is one second, and two seconds after the lost answer (RFC 8628, section
 * 3.5). */
START_TEST(a_poll_whose_answer_is_lost_is_repeated_after_twice_the_interval)
{
    int64_t begun = mcph_clock_monotonic_ms();

    device_up("device approve 1\nfault token once cut");
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_ge(mcph_clock_monotonic_ms() - begun, 2900);
    lr_down(&lr);
}
END_TEST

START_TEST(a_poll_whose_answer_is_too_long_ends_the_login)
{
    device_up("device approve 9\nfault token endless");
    hr_ready(&lr.hr);
    expect_failed(MCPHOST_E_LIMIT, "/token");
    ck_assert_int_eq(lr_traced(&lr, "fault token endless"), 1);
    lr_down(&lr);
}
END_TEST

/* The authorization server refuses the first and the third poll.  The host repeats each
 * refused poll once, after the longer of the interval and the pause that the server
 * asks for. */
START_TEST(a_busy_server_is_polled_again_after_its_pause)
{
    int64_t begun = mcph_clock_monotonic_ms();

    device_up("device approve 2\ndevice interval 2\nfault token only 1 status 429 1\n"
              "fault token only 3 status 503");
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr_traced(&lr, "fault token status"), 2);
    ck_assert_int_ge(mcph_clock_monotonic_ms() - begun, 8000);
    lr_down(&lr);
}
END_TEST

/* R17: the pause also holds for the next start of the server. */
START_TEST(a_server_is_not_started_again_before_the_pause_of_its_issuer)
{
    static const char *const steps[] = {"resource", "issuer", "register", "token"};
    int64_t begun;

    lr_up(&lr, BROWSER_LOGIN);
    hr_option(&lr.hr, MCPHOST_OPT_RETRY, 1);
    ar_http(&lr.hr, &lr.ar, "web", NULL, NULL);
    ar_say(&lr.ar, "fault %s first %d status 503 2", steps[_i], _i == 3 ? 2 : 1);
    hr_load(&lr.hr);
    ck_assert_int_eq(hr_server_state(&lr.hr, "web"), MCPHOST_SERVER_UNAVAILABLE);
    begun = mcph_clock_monotonic_ms();
    hr_until(&lr.hr, hr_server_state(&lr.hr, "web") == MCPHOST_SERVER_LOADED);
    ck_assert_int_ge(mcph_clock_monotonic_ms() - begun, 1500);
    lr_down(&lr);
}
END_TEST

START_TEST(a_device_that_the_user_denies_fails_the_server)
{
    char code[64];

    device_up(NULL);
    snprintf(code, sizeof(code), "%s", lr_param(lr.asked[0], "userCode"));
    ar_approve(&lr.ar, code, true);
    hr_ready(&lr.hr);
    expect_failed(MCPHOST_E_AUTH,
                  "access_denied|log in again and allow the access|/token");
    ck_assert_int_eq(lr.n_over, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_device_code_expires)
{
    device_up("device expires 2");
    ck_assert_str_eq(lr_param(lr.asked[0], "expiresInMs"), "2000");
    hr_ready(&lr.hr);
    expect_failed(MCPHOST_E_AUTH, "log in again");
    ck_assert_int_eq(lr.n_over, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_poll_that_comes_after_the_end_of_its_code_is_not_sent)
{
    device_up("device expires 3\ndevice interval 2\ndevice approve 9\n"
              "fault token status 503");
    hr_ready(&lr.hr);
    expect_failed(MCPHOST_E_TRANSPORT, "503");
    ck_assert_int_eq(lr_traced(&lr, "fault token status"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_server_without_a_page_for_browsers_gets_a_device_login)
{
    up(LR_WAIT, NULL, "member issuer authorization_endpoint\ndevice approve 1");
    lr_load_asked(&lr);
    ck_assert_str_eq(lr_param(lr.asked[0], "flow"), "device");
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    lr_down(&lr);
}
END_TEST

START_TEST(a_device_login_needs_a_server_that_supports_it)
{
    up(LR_WAIT, "auth: {flow: device}", "member issuer device_authorization_endpoint");
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_CONFIG, "does not support device codes|with a browser");
    ck_assert_int_eq(lr.n_asked, 0);
    lr_down(&lr);
}
END_TEST

static void
add_device(Suite *suite)
{
    TCase *tc = test_case(suite, "device");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, a_user_logs_in_on_another_device);
    tcase_add_test(tc, a_server_that_is_polled_too_often_is_polled_less_often);
    tcase_add_test(tc, a_poll_whose_answer_is_lost_is_repeated_after_twice_the_interval);
    tcase_add_test(tc, a_poll_whose_answer_is_too_long_ends_the_login);
    tcase_add_test(tc, a_busy_server_is_polled_again_after_its_pause);
    tcase_add_loop_test(tc, a_server_is_not_started_again_before_the_pause_of_its_issuer,
                        0, 4);
    tcase_add_test(tc, a_device_that_the_user_denies_fails_the_server);
    tcase_add_test(tc, a_device_code_expires);
    tcase_add_test(tc, a_poll_that_comes_after_the_end_of_its_code_is_not_sent);
    tcase_add_test(tc, a_server_without_a_page_for_browsers_gets_a_device_login);
    tcase_add_test(tc, a_device_login_needs_a_server_that_supports_it);
}

/* ---- the end of a question --------------------------------------------------------- */

START_TEST(a_declined_request_fails_the_server_with_the_reason)
{
    up(LR_WAIT, NULL, eras[_i]);
    lr_load_asked(&lr);
    ck_assert_int_eq(
        mcphost_request_reject(lr.asked[0], MCPHOST_REJECT_DECLINE, "not today"), 0);
    hr_ready(&lr.hr);
    expect_failed(MCPHOST_E_AUTH, "not today|401|log in again");
    lr.how = BROWSER_LOGIN;
    lr_restart(&lr);
    ck_assert_str_eq(lr_whoami(&lr), "alice tools");
    lr_down(&lr);
}
END_TEST

START_TEST(a_request_that_the_application_drops_stays_open)
{
    up(LR_WAIT, NULL, NULL);
    lr_load_asked(&lr);
    lr.asked[0] = mcphost_request_unref(lr.asked[0]);
    lr.browsers[0] = browser_start(lr.urls[0], BROWSER_LOGIN);
    hr_ready(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_over, 1);
    lr_down(&lr);
}
END_TEST

/* R108 */
START_TEST(closing_the_host_ends_an_open_request)
{
    up(LR_WAIT, _i ? "auth: {flow: device}" : NULL, NULL);
    lr_load_asked(&lr);
    ck_assert_int_eq(mcphost_close(lr.hr.host), 0);
    hr_until(&lr.hr, !mcphost_request_is_open(lr.asked[0]));
    ck_assert_int_eq(lr.n_over, 1);
    test_has(lr.over, "the host is closing");
    lr_down(&lr);
}
END_TEST

START_TEST(a_host_that_is_dropped_with_an_open_request_ends)
{
    up(LR_WAIT, _i ? "auth: {flow: device}" : NULL, NULL);
    lr_load_asked(&lr);
    mcphost_request_unref(lr.asked[0]);
    lr.asked[0] = NULL;
    lr.hr.host = mcphost_unref(lr.hr.host);
    lr_down_ended(&lr);
}
END_TEST

START_TEST(a_request_that_nobody_answers_in_time_is_over)
{
    lr_up(&lr, LR_WAIT);
    hr_option(&lr.hr, MCPHOST_OPT_REQUEST_TIMEOUT, 300);
    ar_http(&lr.hr, &lr.ar, "web", _i ? "auth: {flow: device}" : NULL,
            _i == 2 ? "device interval 60" : NULL);
    lr_load_asked(&lr);
    ck_assert_str_eq(lr_param(lr.asked[0], "expiresInMs"), "300");
    hr_ready(&lr.hr);
    expect_failed(MCPHOST_E_AUTH, "nobody answered in time|log in again");
    ck_assert_int_eq(lr.n_over, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_request_says_that_it_stays_open_for_at_most_a_day)
{
    lr_up(&lr, LR_WAIT);
    hr_option(&lr.hr, MCPHOST_OPT_REQUEST_TIMEOUT, _i ? 172800000 : MCPHOST_TIMEOUT_NONE);
    ar_http(&lr.hr, &lr.ar, "web", NULL, NULL);
    lr_load_asked(&lr);
    ck_assert_str_eq(lr_param(lr.asked[0], "expiresInMs"), "86400000");
    lr_down(&lr);
}
END_TEST

static void
add_ends(Suite *suite)
{
    TCase *tc = test_case(suite, "ends");

    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, a_declined_request_fails_the_server_with_the_reason, 0, 2);
    tcase_add_test(tc, a_request_that_the_application_drops_stays_open);
    tcase_add_loop_test(tc, closing_the_host_ends_an_open_request, 0, 2);
    tcase_add_loop_test(tc, a_host_that_is_dropped_with_an_open_request_ends, 0, 2);
    tcase_add_loop_test(tc, a_request_that_nobody_answers_in_time_is_over, 0, 3);
    tcase_add_loop_test(tc, a_request_says_that_it_stays_open_for_at_most_a_day, 0, 2);
}

/* ---- the settings that decide whether the user is asked ---------------------------- */

START_TEST(an_application_without_logins_gets_the_reason)
{
    lr_up_kinds(&lr, LR_WAIT, 0);
    ar_http(&lr.hr, &lr.ar, "web", _i ? "auth: oauth" : NULL, NULL);
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_AUTH, _i ? "401|needs a login|this program" : "401|Bearer");
    ck_assert_int_eq(lr_traced(&lr, "register "), 0);
    lr_down(&lr);
}
END_TEST

static const char *const quiet[] = {"auth: none", "auth: headers",
                                    "headers: {Authorization: Bearer canary-1}"};

START_TEST(an_entry_may_rule_logins_out)
{
    up(LR_WAIT, quiet[_i], NULL);
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_AUTH, "401|Bearer");
    ck_assert_int_eq(lr.n_asked, 0);
    ck_assert_int_eq(lr_traced(&lr, "oauth-protected-resource"), 0);
    lr_down(&lr);
}
END_TEST

START_TEST(an_entry_that_wants_a_login_gets_it_in_spite_of_its_header)
{
    up(BROWSER_LOGIN, "auth: oauth\nheaders: {Authorization: Bearer canary-1}", NULL);
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    lr_down(&lr);
}
END_TEST

/* R17: for a server without OAuth, the host asks the application for a credential. */
START_TEST(a_server_that_wants_a_fixed_credential_makes_the_host_ask_for_it)
{
    lr_up_kinds(&lr, LR_WAIT, MCPHOST_REQUEST_AUTHORIZE | MCPHOST_REQUEST_CREDENTIALS);
    lr.headers = "{\"headers\":{\"Authorization\":\"Bearer canary-key\"}}";
    ar_http(&lr.hr, &lr.ar, "web", NULL,
            "auth off\nregister off\nbearer canary-key\ntool echo");
    hr_load(&lr.hr);
    hr_loaded(&lr.hr, "web");
    ck_assert_int_eq(lr.n_headers, 1);
    ck_assert_int_eq(lr.n_asked, 0);
    lr_down(&lr);
}
END_TEST

static void
add_asked(Suite *suite)
{
    TCase *tc = test_case(suite, "asked");

    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, an_application_without_logins_gets_the_reason, 0, 2);
    tcase_add_loop_test(tc, an_entry_may_rule_logins_out, 0, 3);
    tcase_add_test(tc, an_entry_that_wants_a_login_gets_it_in_spite_of_its_header);
    tcase_add_test(tc, a_server_that_wants_a_fixed_credential_makes_the_host_ask_for_it);
}

static void
add(Suite *suite)
{
    add_browser(suite);
    add_pasting(suite);
    add_device(suite);
    add_ends(suite);
    add_asked(suite);
}

int
main(void)
{
    return test_main("login", add);
}
