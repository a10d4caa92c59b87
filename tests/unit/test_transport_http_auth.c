/* SPDX-License-Identifier: MIT
 *
 * test_transport_http_auth.c - HTTP requests with credentials from a provider, and the
 * diagnosis of a server that has a URL and did not start.
 */
#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "support/runner.h"
#include "unit/httpuser.h"

/* ---- credentials of a provider ----------------------------------------------------- */

struct keeper {
    struct mcph_net_auth base;
    int asked, quiet, challenges, answer, status;
    bool pending, refuses;
    char challenge[128];
    struct mcph_list waiters;
};

static struct keeper keeper;

static int
attach(struct mcph_net_auth *auth, struct mcph_net_attempt *attempt,
       struct mcph_net_waiter *waiter, mcphost_error **reterr)
{
    ck_assert_ptr_eq(auth, &keeper.base);
    ck_assert_ptr_nonnull(attempt->method);
    ck_assert_ptr_nonnull(strstr(attempt->url, "/mcp"));
    keeper.asked++;
    keeper.quiet += attempt->is_quiet;
    if (keeper.refuses)
        return mcph_err(reterr, MCPHOST_E_AUTH, "nobody is logged in");
    if (keeper.pending) {
        mcph_list_append(&keeper.waiters, &waiter->link);
        return 1;
    }
    mcph_buf_add(&attempt->lines, "Authorization", 14);
    mcph_buf_addf(&attempt->lines, "Bearer t%d", keeper.asked);
    return mcph_buf_addc(&attempt->lines, '\0');
}

static int
answered(struct mcph_net_auth *auth, const struct mcph_net_attempt *attempt,
         const struct mcph_net_answer *answer, struct mcph_net_waiter *waiter,
         mcphost_error **reterr)
{
    const char *challenge = answer->header(answer, "WWW-Authenticate", 0);

    (void)auth;
    (void)reterr;
    ck_assert_uint_gt(attempt->lines.len, 0);
    if (answer->status < 300)
        return MCPH_NET_AUTH_PASS;
    keeper.challenges++;
    keeper.status = answer->status;
    snprintf(keeper.challenge, sizeof(keeper.challenge), "%s",
             challenge ? challenge : "");
    if (waiter && keeper.answer == MCPH_NET_AUTH_WAIT)
        mcph_list_append(&keeper.waiters, &waiter->link);
    return keeper.answer;
}

static void
tell_waiters(void)
{
    struct mcph_list *item;

    keeper.pending = false;
    for (item = mcph_list_take_first(&keeper.waiters); item;
         item = mcph_list_take_first(&keeper.waiters)) {
        struct mcph_net_waiter *waiter =
            MCPH_LIST_ENTRY(item, struct mcph_net_waiter, link);

        waiter->ready(waiter);
    }
}

static void
open_with_keeper(const struct canned_answer *answers, size_t n)
{
    static const struct mcph_net_header own = {"authorization", "mine", 4};
    struct mcph_http_spec spec;

    keeper = (struct keeper){.base = {.attach = attach, .answered = answered}};
    mcph_list_init(&keeper.waiters);
    can = canned_up(answers, n);
    spec = spec_of("/mcp");
    spec.headers = &own;
    spec.n_headers = 1;
    open_with(spec);
    mcph_http_set_auth(t, &keeper.base);
}

#define UNAUTHORIZED "HTTP/1.1 401 U\r\nWWW-Authenticate: Bearer a=1\r\n" LEN(3) "no!"

START_TEST(credentials_are_asked_for_before_each_request)
{
    static const struct canned_answer answers[] = {{JSON, KEEP}, {JSON, KEEP}};

    open_with_keeper(answers, 2);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    say("{}", MCPH_SEND_REQUEST, 2);
    await("/2");
    ck_assert(sent_header(0, "Authorization: Bearer t1"));
    ck_assert(sent_header(1, "Authorization: Bearer t2"));
    ck_assert_ptr_null(strstr(canned_request(can, 0), "mine"));
}
END_TEST

START_TEST(a_request_is_sent_when_its_credentials_are_available)
{
    static const struct canned_answer answers[] = {{JSON, KEEP}};

    open_with_keeper(answers, 1);
    keeper.pending = true;
    say("{\"id\":1}", MCPH_SEND_REQUEST, 1);
    say("{\"id\":2}", MCPH_SEND_REQUEST, 2);
    settle(20);
    ck_assert_uint_eq(canned_count(can), 0);
    mcph_transport_close_stream(t, 2); /* the transport never sends request 2 */
    tell_waiters();
    await("/1");
    ck_assert_ptr_nonnull(strstr(canned_request(can, 0), "{\"id\":1}"));
    settle(20);
    ck_assert_uint_eq(canned_count(can), 1);
}
END_TEST

START_TEST(a_refused_request_is_sent_again_with_its_body)
{
    static const struct canned_answer answers[] = {{UNAUTHORIZED, KEEP}, {JSON, KEEP}};

    open_with_keeper(answers, 2);
    keeper.answer = _i ? MCPH_NET_AUTH_WAIT : MCPH_NET_AUTH_RETRY;
    say("{\"id\":1}", MCPH_SEND_REQUEST, 1);
    if (_i) {
        await_requests(1);
        while (!keeper.challenges)
            mcph_core_wait(core, 50);
        tell_waiters();
    }
    await("/1");
    ck_assert_str_eq(story, "<1 " RESULT " /1 ");
    ck_assert_int_eq(keeper.status, 401);
    ck_assert_str_eq(keeper.challenge, "Bearer a=1");
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "\r\n\r\n{\"id\":1}"));
    ck_assert(sent_header(1, "Authorization: Bearer t2"));
}
END_TEST

START_TEST(a_refused_request_is_sent_at_most_four_times)
{
    static const struct canned_answer answers[] = {{UNAUTHORIZED, KEEP},
                                                   {UNAUTHORIZED, KEEP},
                                                   {UNAUTHORIZED, KEEP},
                                                   {UNAUTHORIZED, KEEP},
                                                   {UNAUTHORIZED, KEEP}};

    open_with_keeper(answers, 5);
    keeper.answer = _i ? MCPH_NET_AUTH_RETRY : MCPH_NET_AUTH_FAIL;
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_str_eq(story, "#1=401,www-authenticate:no! /1 ");
    ck_assert_uint_eq(canned_count(can), _i ? 4 : 1);
}
END_TEST

START_TEST(missing_credentials_close_the_stream_with_the_reason)
{
    open_with_keeper(NULL, 0);
    keeper.refuses = true;
    say("{}", MCPH_SEND_REQUEST, 1);
    ck_assert_str_eq(story, "");
    await("/1");
    ck_assert_str_eq(last_reason, "nobody is logged in");
}
END_TEST

/* ---- diagnosis --------------------------------------------------------------------- */

static char diagnosis[8192];
static mcphost_error *illness;

static void
on_tried(struct mcph_transport *tr, const struct mcph_trial *server,
         const struct mcph_trial *health, void *arg)
{
    mcphost_error *error = mcph_client_diagnose(illness, server, health);

    (void)arg;
    ck_assert_ptr_eq(tr, t);
    ck_assert_int_eq(mcphost_error_get_code(error), MCPHOST_E_TRANSPORT);
    ck_assert_str_eq(mcphost_error_get_server_id(error), "s");
    snprintf(diagnosis, sizeof(diagnosis), "%s", mcphost_error_get_message(error));
    mcphost_error_unref(error);
    illness = mcphost_error_unref(illness);
}

static void
begin_diagnosis(const char *ill, int64_t wait_ms)
{
    diagnosis[0] = '\0';
    mcph_err(&illness, MCPHOST_E_TRANSPORT, "%s", ill);
    mcph_err_set_server(illness, NULL, "s");
    ck_assert_int_eq(mcph_transport_try_requests(t, mcph_client_test_request(), wait_ms,
                                                 on_tried, NULL),
                     0);
    ck_assert_str_eq(diagnosis, ""); /* no diagnosis comes before the call returns */
}

static void
diagnose(const char *ill, int64_t wait_ms)
{
    begin_diagnosis(ill, wait_ms);
    for (int i = 0; i < 400 && !diagnosis[0]; i++)
        mcph_core_wait(core, 50);
}

static const struct {
    const char *answer, *cause;
} illnesses[] = {
    {"HTTP/1.1 404 N\r\nContent-Type: text/html\r\n" LEN(4) "lost", "not that of an MCP"},
    {"HTTP/1.1 401 U\r\n" LEN(0), "credentials are missing"},
    {"HTTP/1.1 503 U\r\n" LEN(0), "or a proxy before it, fails"},
    {JSON, "try again"},
    {"HTTP/1.1 418 T\r\n" LEN(0), "not known"},
    {"HTTP/1.1 429 S\r\n" LEN(0), "limits the number of requests"},
    {"HTTP/1.1 307 T\r\nLocation: http://other.invalid/\r\n" LEN(0), "has moved"},
    {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "does not speak the protocol of 'url'"},
    {NULL, "the server is silent"},
};

/* B.15 */
START_TEST(the_diagnosis_of_a_failed_start_has_the_likely_cause)
{
    struct canned_answer both[2] = {{illnesses[_i].answer, KEEP},
                                    {illnesses[_i].answer, KEEP}};

    if (!illnesses[_i].answer)
        both[0].after = both[1].after = CANNED_RESET;
    can = canned_up(both, 2);
    open_with(spec_of("/mcp?hush"));
    diagnose("is ill", 5000);
    ck_assert_ptr_eq(strstr(diagnosis, "server 's': is ill; POST initialize: "),
                     diagnosis);
    ck_assert_ptr_nonnull(strstr(diagnosis, "; GET /health: "));
    ck_assert_msg(strstr(diagnosis, illnesses[_i].cause), "%s", diagnosis);
    ck_assert_ptr_nonnull(strstr(diagnosis, "; next: "));
    ck_assert_ptr_null(strstr(diagnosis, "hush"));
}
END_TEST

static const struct {
    const char *url, *cause;
} absences[] = {
    {"http://127.0.0.1:1/mcp", "nothing listens there"},
    {"http://no-such-host.invalid/mcp", "the host name is wrong"},
};

/* B.15 */
START_TEST(the_diagnosis_says_that_nothing_listens_or_the_host_is_unknown)
{
    struct mcph_http_spec spec = {.server = "s", .url = absences[_i].url};

    open_with(spec);
    diagnose("is ill", 5000);
    ck_assert_msg(strstr(diagnosis, absences[_i].cause), "%s", diagnosis);
}
END_TEST

START_TEST(a_diagnosis_does_not_repeat_the_original_error)
{
    open_with((struct mcph_http_spec){.server = "s", .url = "http://127.0.0.1:1/mcp"});
    diagnose("cannot connect to '127.0.0.1:1': Connection refused", 5000);
    ck_assert_msg(
        strstr(diagnosis, "refused; POST initialize: the same; GET /health: the same; "),
        "%s", diagnosis);
}
END_TEST

START_TEST(a_session_that_the_diagnosis_opened_is_deleted)
{
    static const struct canned_answer answers[] = {
        {INITIALIZE_JSON, KEEP}, {INITIALIZE_JSON, KEEP}, {INITIALIZE_JSON, KEEP}};
    int n = 0;

    can = canned_up(answers, 3);
    open_with(spec_of("/mcp"));
    diagnose("is ill", 5000);
    for (size_t i = 0; i < 3; i++)
        n += strstr(canned_request(can, i), "DELETE /mcp") &&
             sent_header(i, "Mcp-Session-Id: sess-12345");
    ck_assert_int_eq(n, 1);
}
END_TEST

START_TEST(a_session_that_was_opened_in_the_last_moment_is_ended)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               "Mcp-Session-Id: sess-12345\r\n" LEN(36);
    static const struct canned_answer answers[] = {
        {head, HANG}, {head, HANG}, {ACCEPTED, KEEP}};

    can = canned_up(answers, 3);
    open_with(spec_of("/mcp"));
    diagnose("is silent", 300);
    ck_assert_ptr_nonnull(strstr(canned_request(can, 2), "DELETE /mcp"));
    ck_assert(sent_header(2, "Mcp-Session-Id: sess-12345"));
}
END_TEST

/* Another program may handle another path of the server.  That program must not get the
 * secrets. */
START_TEST(the_test_request_to_another_path_has_no_secrets)
{
    static const struct canned_answer answers[] = {{"HTTP/1.1 404 N\r\n" LEN(0), KEEP},
                                                   {"HTTP/1.1 404 N\r\n" LEN(0), KEEP}};
    static const struct mcph_net_header header = {"X-Key", "hush-header", 11};
    struct mcph_http_spec spec;
    char url[128];
    int health;

    open_with_keeper(answers, 2);
    mcph_transport_free(t, 0);
    snprintf(url, sizeof(url), "http://u:hush-user@127.0.0.1:%d/mcp?hush-query",
             canned_port(can));
    spec = spec_of("/");
    spec.url = url;
    spec.headers = &header;
    spec.n_headers = 1;
    spec.session_id = "hush-session";
    open_with(spec);
    mcph_http_set_auth(t, &keeper.base);
    diagnose("is ill", 5000);
    ck_assert_uint_eq(canned_count(can), 2);
    health = strstr(canned_request(can, 1), "GET /health") != NULL;
    ck_assert_ptr_nonnull(
        strstr(canned_request(can, (size_t)health), "GET /health HTTP"));
    ck_assert_ptr_null(strcasestr(canned_request(can, (size_t)health), "hush"));
    ck_assert_ptr_null(strcasestr(canned_request(can, (size_t)health), "authorization"));
    ck_assert(sent_header(!health, "X-Key: hush-header"));
    /* The request with the credentials begins no login. */
    ck_assert_int_eq(keeper.asked, 1);
    ck_assert_int_eq(keeper.quiet, 1);
}
END_TEST

/* R18 */
START_TEST(an_answer_that_echoes_our_secrets_does_not_spread_them)
{
    static const char echo[] =
        "HTTP/1.1 500 E\r\nContent-Type: text/hush-header\r\n" LEN(11) "hush-header";
    static const struct canned_answer answers[] = {{echo, KEEP}, {echo, KEEP}};
    static const struct mcph_net_header header = {"X-Key", "hush-header", 11};
    struct mcph_http_spec spec;

    can = canned_up(answers, 2);
    spec = spec_of("/mcp");
    spec.headers = &header;
    spec.n_headers = 1;
    open_with(spec);
    diagnose("is ill", 5000);
    ck_assert_ptr_nonnull(strstr(
        diagnosis, "; POST initialize: HTTP 500, text/***********, \"***********\""));
    ck_assert_ptr_null(strstr(diagnosis, "hush"));
}
END_TEST

START_TEST(without_time_left_a_diagnosis_sends_no_request)
{
    static const struct canned_answer answers[] = {{NULL, HANG}};

    can = canned_up(answers, 1);
    open_with(spec_of("/mcp"));
    diagnose("is silent", 0);
    ck_assert_ptr_nonnull(strstr(diagnosis, "is silent; likely cause: "));
    ck_assert_uint_eq(canned_count(can), 0);
}
END_TEST

START_TEST(a_diagnosis_ends_when_its_time_is_over)
{
    static const struct canned_answer answers[] = {{NULL, HANG}, {NULL, HANG}};

    can = canned_up(answers, 2);
    open_with(spec_of("/mcp"));
    diagnose("is silent", 500);
    ck_assert_ptr_nonnull(strstr(diagnosis, "; GET /health: "));
}
END_TEST

START_TEST(closing_the_transport_ends_a_diagnosis_without_an_event)
{
    static const struct canned_answer answers[] = {{NULL, HANG}, {NULL, HANG}};

    can = canned_up(answers, 2);
    open_with(spec_of("/mcp"));
    begin_diagnosis("is ill", 5000);
    await_requests(2);
    mcph_transport_close(t);
    settle(20);
    ck_assert(gone);
    ck_assert_str_eq(diagnosis, "");
    illness = mcphost_error_unref(illness);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "credentials");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, credentials_are_asked_for_before_each_request);
    tcase_add_test(tc, a_request_is_sent_when_its_credentials_are_available);
    tcase_add_loop_test(tc, a_refused_request_is_sent_again_with_its_body, 0, 2);
    tcase_add_loop_test(tc, a_refused_request_is_sent_at_most_four_times, 0, 2);
    tcase_add_test(tc, missing_credentials_close_the_stream_with_the_reason);
    tcase_add_loop_test(tc, the_diagnosis_of_a_failed_start_has_the_likely_cause, 0,
                        MCPH_ARRAY_SIZE(illnesses));
    tcase_add_loop_test(
        tc, the_diagnosis_says_that_nothing_listens_or_the_host_is_unknown, 0, 2);
    tcase_add_test(tc, a_diagnosis_does_not_repeat_the_original_error);
    tcase_add_test(tc, a_session_that_the_diagnosis_opened_is_deleted);
    tcase_add_test(tc, a_session_that_was_opened_in_the_last_moment_is_ended);
    tcase_add_test(tc, the_test_request_to_another_path_has_no_secrets);
    tcase_add_test(tc, an_answer_that_echoes_our_secrets_does_not_spread_them);
    tcase_add_test(tc, without_time_left_a_diagnosis_sends_no_request);
    tcase_add_test(tc, a_diagnosis_ends_when_its_time_is_over);
    tcase_add_test(tc, closing_the_transport_ends_a_diagnosis_without_an_event);
}

int
main(void)
{
    return test_main("transport-http-auth", add);
}
