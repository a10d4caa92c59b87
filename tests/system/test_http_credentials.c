/* SPDX-License-Identifier: MIT
 *
 * test_http_credentials.c - HTTP servers that require credentials, and an application
 * that gives credentials at once, later or never.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/httprig.h"

#define ANSWER "{\"headers\":{\"Authorization\":\"Bearer tok-1\"}}"
#define NEWER  "{\"headers\":{\"authorization\":\"Bearer tok-2\"},\"expiresInMs\":60000}"

static struct hostrig hr;
static struct httprig web;
static mcphost_request *asked[16];
static int n_asked, n_over;
/* the answer that on_event() gives at once, or NULL if the test responds later */
static const char *answer;
static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    mcphost_request *request = mcphost_event_get_request(event);

    (void)rig;
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_REQUEST)
        return;
    if (mcphost_event_get_state(event) == 0) {
        n_over++;
        return;
    }
    ck_assert_int_eq(mcphost_request_get_kind(request), MCPHOST_REQUEST_CREDENTIALS);
    if (answer)
        ck_assert_int_eq(mcphost_request_respond(request, answer, strlen(answer), NULL),
                         0);
    else
        asked[n_asked] = mcphost_request_ref(request);
    n_asked++;
}

static void
up(const char *script, const char *keys, bool asks)
{
    memset(asked, 0, sizeof(asked));
    n_asked = n_over = 0;
    answer = NULL;
    hr_up(&hr);
    hr.on_event = on_event;
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    if (asks)
        hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_CREDENTIALS);
    hr_keep_log(&hr, MCPHOST_LOG_DEBUG);
    hr_http(&hr, &web, "web", keys, script);
}

static void
down(void)
{
    for (int i = 0; i < n_asked; i++)
        mcphost_request_unref(asked[i]);
    hr_down(&hr);
    ck_assert_ptr_null(strstr(hr.log, "tok-"));
}

static void
expect_loaded(void)
{
    static int n;
    char id[16];

    hr_loaded(&hr, "web");
    snprintf(id, sizeof(id), "x%d", n++);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, id), "web_echo", "{\"text\":\"x\"}"),
                     "x");
}

static void
expect_failed(const char *words)
{
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    ck_assert_msg(strstr(hr_server_why(&hr, "web"), words), "%s",
                  hr_server_why(&hr, "web"));
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "tok-"));
}

static const char *const scripts[] = {"era legacy\nbearer tok-1",
                                      "era modern\nbearer tok-1"};

/* ---- fixed credentials ------------------------------------------------------------- */

/* R17 */
START_TEST(a_fixed_credential_replaces_the_header_of_the_configuration)
{
    up(scripts[_i], "headers: {Authorization: Bearer stale, X-Own: kept}", false);
    ck_assert_int_eq(mcphost_set_credential(hr.host, _i ? NULL : "web",
                                            _i ? web.url : NULL, "Authorization",
                                            "Bearer tok-1", NULL),
                     0);
    hr_load(&hr);
    expect_loaded();
    ck_assert_int_gt(hr_traced(&hr, "web", "h authorization: Bearer tok-1"), 2);
    ck_assert_int_eq(hr_traced(&hr, "web", "stale"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "h x-own: kept"),
                     hr_traced(&hr, "web", "h authorization: Bearer tok-1"));
    down();
}
END_TEST

START_TEST(a_fixed_credential_that_is_refused_is_named_as_the_cause)
{
    up("bearer tok-1", NULL, false);
    mcphost_set_credential(hr.host, "web", NULL, "Authorization", "Bearer tok-9", NULL);
    hr_load(&hr);
    expect_failed("; the credential that was set for it is refused");
    down();
}
END_TEST

START_TEST(a_fixed_credential_is_sent_only_to_its_server_or_origin)
{
    up("bearer tok-1", NULL, false);
    mcphost_set_credential(hr.host, "other", NULL, "Authorization", "Bearer tok-1", NULL);
    mcphost_set_credential(hr.host, NULL, "http://127.0.0.1:1", "Authorization",
                           "Bearer tok-1", NULL);
    mcphost_set_credential(hr.host, NULL, "http://localhost", "X-A", "tok-1", NULL);
    hr_load(&hr);
    expect_failed("401");
    ck_assert_int_eq(hr_traced(&hr, "web", "tok-1"), 0);
    /* A credential takes effect with the next request. */
    mcphost_set_credential(hr.host, "web", NULL, "Authorization", "Bearer tok-1", NULL);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "web"), 0);
    hr_until(&hr, hr_server_state(&hr, "web") == MCPHOST_SERVER_LOADED);
    expect_loaded();
    mcphost_set_credential(hr.host, "web", NULL, "Authorization", NULL, NULL);
    ck_assert_int_eq(hr_fail(&hr, hr_dialog(&hr, "e"), "web_echo", "{\"text\":\"x\"}"),
                     MCPHOST_E_AUTH);
    down();
}
END_TEST

START_TEST(protocol_headers_are_refused_as_credentials)
{
    static const char *const bad[] = {"Mcp-Session-Id",
                                      "content-type",
                                      "MCP-Protocol-Version",
                                      "Mcp-Param-X",
                                      "Host",
                                      "a b",
                                      ""};
    mcphost_error *err = NULL;

    up(NULL, NULL, false);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_int_eq(
            mcphost_set_credential(hr.host, "web", NULL, bad[i], "tok-1", &err),
            MCPHOST_E_INVALID);
        ck_assert_ptr_null(strstr(mcphost_error_get_message(err), "tok-1"));
        err = mcphost_error_unref(err);
    }
    ck_assert_int_eq(
        mcphost_set_credential(hr.host, "web", NULL, "X-A", "tok-1\nX", &err),
        MCPHOST_E_INVALID);
    ck_assert_ptr_null(strstr(mcphost_error_get_message(err), "tok-1"));
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_set_credential(hr.host, NULL, NULL, "X-A", "v", NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_credential(hr.host, NULL, "ftp://a", "X-A", "v", NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_credential(NULL, "web", NULL, "X-A", "v", NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_credential(hr.host, "web", NULL, NULL, "v", NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_forget_credentials(NULL, NULL), MCPHOST_E_INVALID);
    hr_load(&hr);
    expect_loaded();
    down();
}
END_TEST

/* ---- credentials that the application is asked for --------------------------------- */

START_TEST(an_application_that_answers_at_once_is_asked_once)
{
    up(scripts[_i], NULL, true);
    answer = ANSWER;
    hr_load(&hr);
    expect_loaded();
    hr_say(&hr, hr_dialog(&hr, "e"), "web_echo", "{\"text\":\"x\"}");
    ck_assert_int_eq(n_asked, 1);
    n_asked = 0;
    down();
}
END_TEST

static bool
has_param(const mcphost_request *request, const char *text)
{
    size_t len;
    const char *params = mcphost_request_get_params(request, &len);

    return memmem(params, len, text, strlen(text)) != NULL;
}

START_TEST(the_next_request_names_the_scope_that_was_granted)
{
    static const char wrong[] =
        "{\"headers\":{\"Authorization\":\"Bearer tok-0\"},\"scope\":\"list read\"}";

    up(scripts[_i], NULL, true);
    hr_load_only(&hr);
    hr_until(&hr, n_asked == 1);
    ck_assert(!has_param(asked[0], "grantedScope"));
    ck_assert_int_eq(mcphost_request_respond(asked[0], wrong, strlen(wrong), NULL), 0);
    hr_until(&hr, n_asked == 2);
    ck_assert(has_param(asked[1], "\"grantedScope\":\"list read\""));
    ck_assert(has_param(asked[1], "\"wantedScope\":\""));
    ck_assert_int_eq(mcphost_request_respond(asked[1], ANSWER, strlen(ANSWER), NULL), 0);
    hr_ready(&hr);
    expect_loaded();
    down();
}
END_TEST

static void *
respond(void *arg)
{
    rig_pause(20);
    ck_assert_int_eq(mcphost_request_respond(arg, ANSWER, strlen(ANSWER), NULL), 0);
    return NULL;
}

START_TEST(an_answer_may_come_later_and_from_any_thread)
{
    mcphost_error *err = NULL;
    const char *params;
    pthread_t thread;
    size_t len;

    up(scripts[_i], NULL, true);
    hr_load_only(&hr);
    hr_until(&hr, n_asked == 1);
    ck_assert_str_eq(mcphost_request_get_server_id(asked[0]), "web");
    ck_assert_ptr_null(mcphost_request_get_dialog_id(asked[0]));
    ck_assert_ptr_null(mcphost_request_get_call(asked[0]));
    ck_assert_str_eq(mcphost_request_get_url(asked[0]), web.url);
    ck_assert_ptr_nonnull(strstr(mcphost_request_get_message(asked[0]), "asks for"));
    params = mcphost_request_get_params(asked[0], &len);
    ck_assert_ptr_nonnull(memmem(params, len, "\"status\":401", 12));
    ck_assert_ptr_nonnull(memmem(params, len, "\"scheme\":\"Bearer\"", 17));
    /* The host refuses an answer with a wrong header.  The request stays open. */
    ck_assert_int_eq(mcphost_request_respond(asked[0],
                                             "{\"headers\":{\"Content-Type\":\"tok-1\"}}",
                                             36, &err),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "Content-Type"));
    ck_assert_ptr_null(strstr(mcphost_error_get_message(err), "tok-1"));
    mcphost_error_unref(err);
    ck_assert_int_eq(pthread_create(&thread, NULL, respond, asked[0]), 0);
    hr_ready(&hr);
    pthread_join(thread, NULL);
    expect_loaded();
    ck_assert_int_eq(n_asked, 1);
    ck_assert_int_eq(n_over, 0);
    down();
}
END_TEST

static const struct {
    const char *text, *why; /* `why`: words of the error */
} no_answers[] = {
    {"{}", "'headers' is not an object"},
    {"[]", "answer"},
    {"{\"headers\":{}}", "'headers' is empty"},
    {"{\"headers\":{\"Authorization\":7}}",
     "'Authorization' has a value that is not a string"},
    {"{\"headers\":{\"Authorization\":\"tok-1\\u0000\"}}",
     "'Authorization' has a value with a control character"},
    {"{\"headers\":{\"Authorization\":\"tok-1\\nX: y\"}}",
     "'Authorization' has a value with a control character"},
    {"{\"headers\":{\"a b\":\"tok-1\"}}", "'a b' is not a valid header name"},
    {"{\"headers\":{\"a b\":7}}", "'a b' is not a valid header name"},
    {"{\"headers\":{\"\":\"tok-1\"}}", "'' is not a valid header name"},
    {"{\"headers\":{\"A\\u0000B\":\"tok-1\"}}", "'A B' is not a valid header name"},
    {"{\"headers\":{\"A\\u0000\":\"tok-1\"}}", "'A ' is not a valid header name"},
    {"{\"headers\":{\"Mcp-Session-Id\":\"tok-1\"}}",
     "'Mcp-Session-Id' is a header that the protocol reserves"},
    {"{\"headers\":{\"A\":\"tok-1\"},\"expiresInMs\":0}", "'expiresInMs'"},
    {"{\"headers\":{\"A\":\"tok-1\"},\"expiresInMs\":\"soon\"}", "'expiresInMs'"},
    {"{\"headers\":{\"A\":\"tok-1\"},\"scope\":1}", "'scope'"},
    {"{\"headers\":{\"A\":\"tok-1\"},\"scope\":\"a\\\"b\"}", "'scope'"},
    {"{\"headers\":{\"A\":\"tok-1\"},\"scope\":\"a\\u0000b\"}", "'scope'"},
};

START_TEST(invalid_answers_are_refused_and_the_request_stays_open)
{
    mcphost_error *err = NULL;

    up(scripts[0], NULL, true);
    hr_load_only(&hr);
    hr_until(&hr, n_asked == 1);
    for (size_t i = 0; i < sizeof(no_answers) / sizeof(no_answers[0]); i++) {
        const char *text = no_answers[i].text;

        ck_assert_msg(mcphost_request_respond(asked[0], text, strlen(text), &err) ==
                          MCPHOST_E_INVALID,
                      "%s", text);
        ck_assert_msg(strstr(mcphost_error_get_message(err), no_answers[i].why), "%s: %s",
                      text, mcphost_error_get_message(err));
        ck_assert_ptr_null(strstr(mcphost_error_get_message(err), "tok-1"));
        err = mcphost_error_unref(err);
    }
    ck_assert_int_eq(mcphost_request_respond(asked[0], NULL, 0, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_is_open(asked[0]), 1);
    ck_assert_int_eq(mcphost_request_respond(asked[0], ANSWER, strlen(ANSWER), NULL), 0);
    hr_ready(&hr);
    expect_loaded();
    down();
}
END_TEST

START_TEST(a_declined_request_fails_the_server_with_its_challenge_and_the_reason)
{
    up(scripts[_i], NULL, true);
    hr_load_only(&hr);
    hr_until(&hr, n_asked == 1);
    ck_assert_int_eq(
        mcphost_request_reject(asked[0], MCPHOST_REJECT_DECLINE, "not today"), 0);
    hr_ready(&hr);
    expect_failed("asks for Bearer");
    expect_failed("not today");
    expect_failed("401");
    down();
}
END_TEST

START_TEST(closing_the_host_ends_an_open_request_for_credentials)
{
    up(scripts[_i], NULL, true);
    hr_load_only(&hr);
    hr_until(&hr, n_asked == 1);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    while (mcphost_wait(hr.host, 100) >= 0)
        ;
    ck_assert_int_eq(n_over, 1);
    ck_assert_int_eq(mcphost_request_is_open(asked[0]), 0);
    ck_assert_int_lt(mcphost_request_respond(asked[0], ANSWER, strlen(ANSWER), NULL), 0);
    mcphost_request_unref(asked[0]);
    n_asked = 0;
    down();
}
END_TEST

/* Restarts the server and waits until the server fails once more. */
static void
fail_again(void)
{
    int n = hr_count(&hr, MCPHOST_EVENT_SERVER, "web", NULL, MCPHOST_SERVER_UNAVAILABLE);

    ck_assert_int_eq(mcphost_restart_server(hr.host, "web"), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVER, "web", NULL,
                           MCPHOST_SERVER_UNAVAILABLE) > n);
}

/* R117: the last start waits only for the answer to the request.  The request stays
 * open from one start to the next. */
START_TEST(the_error_of_a_start_that_times_out_names_the_missing_credentials)
{
    up(scripts[_i], NULL, true);
    hr_option(&hr, MCPHOST_OPT_START_TIMEOUT, 50);
    hr_load(&hr);
    while (n_asked == 0)
        fail_again();
    fail_again();
    ck_assert_int_eq(n_asked, 1);
    expect_failed("the application did not supply them in time");
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "did not answer server"));
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "did not answer initialize"));
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "cause"));
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "mcp/server/web/server_error"), "wants credentials"));
    down();
}
END_TEST

/* R116 */
START_TEST(while_credentials_are_awaited_status_and_refusals_name_the_wait)
{
    mcphost_error *err = NULL;
    mcphost_call *call;

    up(scripts[_i], NULL, true);
    hr_load_only(&hr);
    hr_until(&hr, n_asked == 1);
    ck_assert_int_eq(hr_server_state(&hr, "web"), MCPHOST_SERVER_STARTING);
    expect_failed("waiting for credentials");
    ck_assert_int_eq(
        mcphost_call_new(hr_dialog(&hr, "d"), "web_echo", NULL, 0, &call, &err),
        MCPHOST_E_BUSY);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(err), "waiting for credentials"));
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_request_respond(asked[0], ANSWER, strlen(ANSWER), NULL), 0);
    hr_ready(&hr);
    ck_assert_str_eq(hr_server_why(&hr, "web"), "");
    expect_loaded();
    down();
}
END_TEST

/* R116: the request of the first start is still open.  The second start makes no new
 * request and waits for the answer to the open request. */
START_TEST(a_start_that_joins_an_open_request_reports_the_wait_at_once)
{
    up(scripts[_i], NULL, true);
    hr_load_only(&hr);
    hr_until(&hr, n_asked == 1);
    expect_failed("waiting for credentials");
    ck_assert_int_eq(mcphost_restart_server(hr.host, "web"), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVER, "web", NULL,
                           MCPHOST_SERVER_STARTING) == 2);
    hr_until(&hr, *hr_server_why(&hr, "web"));
    ck_assert_int_eq(hr_server_state(&hr, "web"), MCPHOST_SERVER_STARTING);
    expect_failed("waiting for credentials");
    ck_assert_int_eq(n_asked, 1);
    ck_assert_int_eq(mcphost_request_respond(asked[0], ANSWER, strlen(ANSWER), NULL), 0);
    hr_ready(&hr);
    expect_loaded();
    down();
}
END_TEST

/* The server suddenly requires another token.  All calls wait for the answer to one
 * request.  The host then sends the calls again. */
START_TEST(calls_refused_with_401_wait_for_newer_credentials)
{
    mcphost_call *calls[4], *late;
    mcphost_dialog *d;

    up(scripts[_i], NULL, true);
    answer = ANSWER;
    hr_load(&hr);
    expect_loaded();
    ck_assert_int_eq(n_asked, 1);
    n_asked = 0;
    answer = NULL;
    rig_workspace_write(&hr.ws, "web.script", "%s\nbearer tok-2\ntrace %s\n",
                        _i ? "era modern" : "era legacy\nsessions off",
                        rig_workspace_path(&hr.ws, "web.trace"));
    http_again(&web);
    d = hr_dialog(&hr, "d2");
    for (int i = 0; i < 4; i++)
        calls[i] = hr_start(&hr, d, "web_echo", "{\"text\":\"x\"}");
    hr_until(&hr, n_asked > 0);
    hr_turn(&hr, 50);
    ck_assert_int_eq(n_asked, 1);
    /* This call times out because of the application, not because of the server. */
    late = hr_call(&hr, d, "web_echo", "{\"text\":\"x\"}");
    ck_assert_int_eq(mcphost_call_set_timeout(late, 10, 0, -1), 0);
    hr_go(late);
    ck_assert_int_eq(hr_end(&hr, late), MCPHOST_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(hr_why(late), "the application did not supply them"));
    ck_assert_int_eq(mcphost_request_respond(asked[0], NEWER, strlen(NEWER), NULL), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(hr_end(&hr, calls[i]) == 0, "%s", hr_why(calls[i]));
    ck_assert_int_eq(n_asked, 1);
    down();
}
END_TEST

START_TEST(forgotten_credentials_are_asked_for_again)
{
    up(scripts[_i], NULL, true);
    answer = ANSWER;
    hr_load(&hr);
    expect_loaded();
    ck_assert_int_eq(mcphost_forget_credentials(hr.host, "web"), 0);
    expect_loaded();
    ck_assert_int_eq(n_asked, 2);
    n_asked = 0;
    down();
}
END_TEST

/* R18 */
START_TEST(a_credential_is_not_sent_to_the_new_origin_after_an_edit)
{
    struct httprig other;
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_http(&hr, &web, "w", NULL, "bearer tok-1");
    /* The test sets the credential before the load if _i is 0, and after the load if
     * _i is 1.  The credential belongs to the configured origin in both cases. */
    if (_i == 0)
        ck_assert_int_eq(mcphost_set_credential(hr.host, "w", NULL, "Authorization",
                                                "Bearer tok-1", NULL),
                         0);
    hr_load(&hr);
    if (_i == 1) {
        ck_assert_int_eq(mcphost_set_credential(hr.host, "w", NULL, "Authorization",
                                                "Bearer tok-1", NULL),
                         0);
        ck_assert_int_eq(mcphost_restart_server(hr.host, "w"), 0);
    }
    hr_until(&hr, hr_server_state(&hr, "w") == MCPHOST_SERVER_LOADED);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "w_echo", "{\"text\":\"one\"}"), "one");
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/w/credential_origin"));

    hr_web(&hr, &other, "other", NULL);
    hr_edit(&hr);
    hr_url(&hr, "w", other.url, NULL);
    hr_load_only(&hr);
    hr_until(&hr, hr_problem(&hr, "mcp/server/w/credential_origin"));
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "mcp/server/w/credential_origin"), "'Authorization'"));
    hr_until(&hr, hr_traced(&hr, "other", "POST") > 0);
    ck_assert_int_eq(hr_traced(&hr, "other", "tok-1"), 0);

    ck_assert_int_eq(
        mcphost_set_credential(hr.host, "w", NULL, "Authorization", "Bearer tok-2", NULL),
        0);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "w"), 0);
    hr_until(&hr, hr_traced(&hr, "other", "tok-2") > 0);
    hr_until(&hr, !hr_problem(&hr, "mcp/server/w/credential_origin"));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "credentials");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_credential_is_not_sent_to_the_new_origin_after_an_edit, 0,
                        2);
    tcase_add_loop_test(tc, a_fixed_credential_replaces_the_header_of_the_configuration,
                        0, 2);
    tcase_add_test(tc, a_fixed_credential_that_is_refused_is_named_as_the_cause);
    tcase_add_test(tc, a_fixed_credential_is_sent_only_to_its_server_or_origin);
    tcase_add_test(tc, protocol_headers_are_refused_as_credentials);
    tcase_add_loop_test(tc, the_next_request_names_the_scope_that_was_granted, 0, 2);
    tcase_add_loop_test(tc, an_application_that_answers_at_once_is_asked_once, 0, 2);
    tcase_add_loop_test(tc, an_answer_may_come_later_and_from_any_thread, 0, 2);
    tcase_add_test(tc, invalid_answers_are_refused_and_the_request_stays_open);
    tcase_add_loop_test(
        tc, a_declined_request_fails_the_server_with_its_challenge_and_the_reason, 0, 2);
    tcase_add_loop_test(tc, closing_the_host_ends_an_open_request_for_credentials, 0, 2);
    tcase_add_loop_test(
        tc, the_error_of_a_start_that_times_out_names_the_missing_credentials, 0, 2);
    tcase_add_loop_test(
        tc, while_credentials_are_awaited_status_and_refusals_name_the_wait, 0, 2);
    tcase_add_loop_test(tc, a_start_that_joins_an_open_request_reports_the_wait_at_once,
                        0, 2);
    tcase_add_loop_test(tc, calls_refused_with_401_wait_for_newer_credentials, 0, 2);
    tcase_add_loop_test(tc, forgotten_credentials_are_asked_for_again, 0, 2);
}

int
main(void)
{
    return test_main("http-credentials", add);
}
