/* SPDX-License-Identifier: MIT
 *
 * test_http_steps.c - an HTTP server that misbehaves at one step of its connection, for
 * each step in turn.
 *
 * The host reports a fault at a step that a start or a call needs, with the server's
 * name and the reason.  A fault at another step does no harm.  No fault affects the other
 * server of the host.  Two tests have 64 calls that wait for answers of the application.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/httprig.h"

static struct hostrig hr;
static struct httprig web, good;
static mcphost_dialog *d;

static void
begin(const char *script)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_http(&hr, &web, "web", NULL, script);
    hr_http(&hr, &good, "good", NULL, NULL);
}

static void
load_servers(void)
{
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static void
down(void)
{
    ck_assert_str_eq(hr_say(&hr, d, "good_echo", "{\"text\":\"well\"}"), "well");
    hr_down(&hr);
}

static void
must_be_loaded(void)
{
    hr_loaded(&hr, "web");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
}

/* ---- steps that are needed --------------------------------------------------------- */

static const struct {
    const char *actions, *words;
} faults[] = {
    {" cut", "closed the connection without an answer"},
    {" reset", "the connection to '127.0.0.1:|lost"},
    {" wire HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n\\r\\n{\\\"js\n cut",
     ""},
    {" wire SSH-2.0-OpenSSH_9.2\\r\\n\n cut", "does not answer in HTTP"},
    {" header Content-Type: text/html\n body <html>Log in first</html>",
     "text/html|Log in first"},
    {" header Content-Type: application/json\n body", "empty body"},
    {" header Content-Type: application/json\n body {\"some\":\"thing\"}",
     "not an answer to the request"},
    {" header Content-Type: application/json\n length 4000\n body {", "middle"},
    {" wire HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n"
     "Content-Type: application/json\\r\\n\\r\\nnonsense\\r\\n\n cut",
     "chunked"},
    {" status 307\n header Location: http://127.0.0.1:1/elsewhere\n body",
     "redirects to 'http://127.0.0.1:1/elsewhere'|another origin"},
    {" header-fill 400k\n answer", "header that is too long"},
    {" stream\n end", "ended the stream"},
    {" stream\n raw data: {\"jsonrpc\":\"2.0\",\n cut", ""},
};

#define N_FAULTS ((int)(sizeof(faults) / sizeof(faults[0])))

static const struct {
    const char *era, *event;
} needed[] = {{"modern", "discover"},
              {"legacy", "initialize"},
              {"modern", "list"},
              {"legacy", "list"}};

#define N_NEEDED ((int)(sizeof(needed) / sizeof(needed[0])))

/* R20 */
START_TEST(a_fault_at_a_needed_step_fails_that_server_and_is_explained)
{
    int fault = _i / N_NEEDED, step = _i % N_NEEDED;
    char script[512];

    snprintf(script, sizeof(script), "era %s\non %s\n%s", needed[step].era,
             needed[step].event, faults[fault].actions);
    begin(script);
    load_servers();
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    test_has_all(hr_server_why(&hr, "web"), "server 'web': ");
    test_has_all(hr_server_why(&hr, "web"), faults[fault].words);
    /* If the probe or the handshake fails, a diagnosis adds the cause and a remedy. */
    if (step < 2)
        test_has_all(hr_server_why(&hr, "web"), "; likely cause: |; next: ");
    if (step == 1 && strstr(faults[fault].words, "redirects"))
        test_has_all(hr_server_why(&hr, "web"),
                     "the server has moved, or asks the user to log in");
    down();
}
END_TEST

/* ---- steps that may fail ----------------------------------------------------------- */

static const struct {
    const char *era, *event;
} spare[] = {{"legacy", "initialized"},
             {"legacy", "get"},
             {"legacy", "delete"},
             {"modern", "subscriptions/listen"}};

#define N_SPARE ((int)(sizeof(spare) / sizeof(spare[0])))

START_TEST(a_fault_at_a_step_that_may_fail_does_no_harm)
{
    int fault = _i / N_SPARE, step = _i % N_SPARE;
    char script[512];

    snprintf(script, sizeof(script), "era %s\non %s\n%s", spare[step].era,
             spare[step].event, faults[fault].actions);
    begin(script);
    load_servers();
    must_be_loaded();
    down();
}
END_TEST

static const int statuses[] = {401, 403, 404, 409, 429, 500, 503};
#define N_STATUSES ((int)(sizeof(statuses) / sizeof(statuses[0])))

/* The server may still work after it has refused notifications/initialized.  If the
 * server does not work, its error must name the status.  For 404, the error must name the
 * lost session. */
START_TEST(after_a_status_at_notifications_initialized_the_server_works_or_says_why)
{
    int status = statuses[_i];
    char script[160], number[32];

    snprintf(script, sizeof(script),
             "era legacy\non initialized\n status %d\n header Retry-After: 5\n body no",
             status);
    begin(script);
    load_servers();
    snprintf(number, sizeof(number), "%d", status);
    if (status == 404)
        snprintf(number, sizeof(number), "did not know it");
    if (hr_server_state(&hr, "web") == MCPHOST_SERVER_LOADED)
        must_be_loaded();
    else
        test_has_all(hr_server_why(&hr, "web"), number);
    ck_assert_int_lt(hr_traced(&hr, "web", "\"initialize\""), 8);
    down();
}
END_TEST

/* The 404 ends the session.  The host discards the messages that wait for the end of this
 * session's handshake, and begins a new handshake. */
START_TEST(a_handshake_that_is_refused_once_is_repeated)
{
    begin("era legacy\non initialized 1\n status 404\n body no");
    load_servers();
    must_be_loaded();
    ck_assert_int_eq(hr_traced(&hr, "web", "\"initialize\""), 2);
    /* The trace has only the refusal of the probe. */
    ck_assert_int_eq(hr_traced(&hr, "web", " refused "), 1);
    down();
}
END_TEST

/* Retry-After delays the next start. */
START_TEST(a_server_is_not_started_again_before_its_retry_after)
{
    int64_t begun;

    hr_up(&hr);
    hr_http(&hr, &web, "web", NULL,
            "on discover 1\n status 503\n header Retry-After: 2\n body later");
    hr_http(&hr, &good, "good", NULL, NULL);
    begun = mcph_clock_monotonic_ms();
    load_servers();
    ck_assert_int_eq(hr_server_state(&hr, "web"), MCPHOST_SERVER_UNAVAILABLE);
    hr_until(&hr, hr_server_state(&hr, "web") == MCPHOST_SERVER_LOADED);
    ck_assert_int_ge(mcph_clock_monotonic_ms() - begun, 2000);
    down();
}
END_TEST

static const char *const slow[] = {"chunk 1", "chunk 1\nreply sse",
                                   "on discover\n delay 100\n answer\n"
                                   "on initialize\n delay 100\n answer\n"
                                   "on list\n delay 100\n answer\n"
                                   "on call:echo\n comment wait\n delay 100\n answer"};
static const char *const eras[] = {"era modern", "era legacy"};

START_TEST(a_slow_server_is_loaded_and_answers)
{
    char script[512];

    snprintf(script, sizeof(script), "%s\n%s", eras[_i % 2], slow[_i / 2]);
    begin(script);
    load_servers();
    must_be_loaded();
    down();
}
END_TEST

/* B.15: the host sends no request for a diagnosis, because the time for the start is
 * over. */
START_TEST(after_a_start_timeout_no_request_is_sent_for_a_diagnosis)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_http(&hr, &web, "web", "timeouts: {start: 0.1}", "on discover\n delay 60000");
    hr_http(&hr, &good, "good", NULL, NULL);
    load_servers();
    test_has_all(hr_server_why(&hr, "web"),
                 "did not answer server/discover within 100 ms|'era: legacy'|"
                 "; likely cause: the server is silent");
    ck_assert_int_eq(hr_traced(&hr, "web", " http "), 1);
    down();
}
END_TEST

/* ---- TLS --------------------------------------------------------------------------- */

static const struct {
    const char *mode, *words;
} trust[] = {
    {"unknown", "the authority that signed it is not known here"},
    {"self-signed", "it is self-signed"},
    {"old", "it supports only TLS versions before 1.2"},
};

/* R20: the error names the place and the fault of the certificate or of TLS.  The error
 * does not blame the network. */
START_TEST(the_error_of_an_untrusted_server_names_place_and_reason)
{
    char script[256], place[64];

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    snprintf(script, sizeof(script), "tls %s %s", trust[_i].mode, hr.ws.dir);
    hr_http(&hr, &web, "web", NULL, script);
    hr_http(&hr, &good, "good", NULL, NULL);
    load_servers();
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    snprintf(place, sizeof(place), "'127.0.0.1:%d'", web.port);
    test_has_all(hr_server_why(&hr, "web"), place);
    test_has_all(hr_server_why(&hr, "web"), trust[_i].words);
    test_has_all(hr_server_why(&hr, "web"),
                 "likely cause: the server's certificate or its TLS");
    down();
}
END_TEST

START_TEST(plain_http_to_a_tls_server_is_explained)
{
    char script[256], url[sizeof(web.url) + 8];

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    snprintf(script, sizeof(script), "tls good %s", hr.ws.dir);
    hr_web(&hr, &web, "tls", script);
    snprintf(url, sizeof(url), "http%s", web.url + strlen("https"));
    hr_url(&hr, "web", url, NULL);
    hr_http(&hr, &good, "good", NULL, NULL);
    load_servers();
    test_has_all(hr_server_why(&hr, "web"),
                 "'web'|127.0.0.1:|does not speak the protocol of 'url' (http, "
                 "https)|check scheme and "
                 "port of 'url'");
    down();
}
END_TEST

/* ---- 64 calls that wait ------------------------------------------------------------ */

#define WAITING 64
#define FORM                                                                          \
    "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" \
    "\"user\":{\"type\":\"string\"}},\"required\":[\"user\"]}}"

static mcphost_request *asked[WAITING];
static int n_asked;

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_REQUEST ||
        mcphost_event_get_state(event) == 0)
        return;
    ck_assert_int_lt(n_asked, WAITING);
    asked[n_asked++] = mcphost_request_ref(mcphost_event_get_request(event));
}

/* Answers each request with the address of its call.  Begins with the last request.
 * Returns the first request that is closed, or NULL. */
static void *
answer_all(void *arg)
{
    char json[64];

    (void)arg;
    for (int i = WAITING - 1; i >= 0; i--) {
        mcphost_call *call = mcphost_request_get_call(asked[i]);
        int n = snprintf(json, sizeof(json), "{\"user\":\"of %p\"}", (void *)call);

        if (mcphost_request_respond(asked[i], json, (size_t)n, NULL) < 0)
            return asked[i];
        asked[i] = mcphost_request_unref(asked[i]);
    }
    return NULL;
}

static void
begin_asking(const char *era)
{
    char script[512];

    n_asked = 0;
    snprintf(script, sizeof(script),
             "%s\non call:add\n ask elicitation/create " FORM "\n text %%r", era);
    begin(script);
    hr.on_event = on_event;
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM);
    load_servers();
}

/* Calls that wait block neither other calls nor the answers. */
START_TEST(sixty_four_calls_wait_for_answers_and_each_gets_its_own)
{
    mcphost_call *calls[WAITING];
    char wanted[64];
    pthread_t thread;
    void *failed = NULL;

    begin_asking(eras[_i]);
    for (int i = 0; i < WAITING; i++)
        calls[i] = hr_start(&hr, d, "web_add", "{}");
    hr_until(&hr, n_asked == WAITING);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"meanwhile\"}"), "meanwhile");
    ck_assert_int_eq(pthread_create(&thread, NULL, answer_all, NULL), 0);
    for (int i = 0; i < WAITING; i++) {
        ck_assert_msg(hr_end(&hr, calls[i]) == 0, "%s", hr_why(calls[i]));
        snprintf(wanted, sizeof(wanted), "of %p", (void *)calls[i]);
        test_has_all(hr_text(&hr, calls[i]), wanted);
    }
    ck_assert_int_eq(pthread_join(thread, &failed), 0);
    ck_assert_ptr_null(failed);
    down();
}
END_TEST

START_TEST(a_server_restarted_with_sixty_four_open_requests_is_usable_again)
{
    mcphost_call *calls[WAITING];

    begin_asking(eras[_i]);
    for (int i = 0; i < WAITING; i++)
        calls[i] = hr_start(&hr, d, "web_add", "{}");
    hr_until(&hr, n_asked == WAITING);
    http_again(&web);
    (void)answer_all(NULL); /* stops at the first closed request */
    for (int i = 0; i < WAITING; i++) {
        hr_end(&hr, calls[i]);
        asked[i] = mcphost_request_unref(asked[i]);
    }
    /* In the legacy era, this call may fail, because the session is lost. */
    hr_end(&hr, hr_start(&hr, d, "web_echo", "{}"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

/* The server refuses the answer to its request.  Therefore the server may never answer
 * the call.  The call then ends at its deadline. */
START_TEST(a_refused_answer_fails_at_most_its_call)
{
    mcphost_call *call;
    char script[512];

    n_asked = 0;
    snprintf(script, sizeof(script),
             "era legacy\non call:add\n ask elicitation/create " FORM "\n text %%r\n"
             "on reply\n status %d\n body no",
             statuses[_i]);
    begin(script);
    hr.on_event = on_event;
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM);
    load_servers();
    call = hr_call(&hr, d, "web_add", "{}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 500, 0, 500), 0);
    hr_go(call);
    hr_until(&hr, n_asked == 1);
    ck_assert_int_eq(mcphost_request_respond(asked[0], "{\"user\":\"u\"}", 12, NULL), 0);
    asked[0] = mcphost_request_unref(asked[0]);
    if (hr_end(&hr, call) < 0)
        test_has_all(hr_why(call), "'web'");
    hr_end(&hr, hr_start(&hr, d, "web_echo", "{}"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "steps");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_fault_at_a_needed_step_fails_that_server_and_is_explained,
                        0, N_FAULTS * N_NEEDED);
    tcase_add_loop_test(tc, a_fault_at_a_step_that_may_fail_does_no_harm, 0,
                        N_FAULTS * N_SPARE);
    tcase_add_loop_test(
        tc, after_a_status_at_notifications_initialized_the_server_works_or_says_why, 0,
        N_STATUSES);
    tcase_add_test(tc, a_handshake_that_is_refused_once_is_repeated);
    tcase_add_test(tc, a_server_is_not_started_again_before_its_retry_after);
    tcase_add_loop_test(tc, a_slow_server_is_loaded_and_answers, 0, 6);

    tc = test_case(suite, "TLS");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, after_a_start_timeout_no_request_is_sent_for_a_diagnosis);
    tcase_add_loop_test(tc, the_error_of_an_untrusted_server_names_place_and_reason, 0,
                        3);
    tcase_add_test(tc, plain_http_to_a_tls_server_is_explained);

    tc = test_case(suite, "questions");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, sixty_four_calls_wait_for_answers_and_each_gets_its_own, 0,
                        2);
    tcase_add_loop_test(
        tc, a_server_restarted_with_sixty_four_open_requests_is_usable_again, 0, 2);
    tcase_add_loop_test(tc, a_refused_answer_fails_at_most_its_call, 0, N_STATUSES);
}

int
main(void)
{
    return test_main("http-steps", add);
}
