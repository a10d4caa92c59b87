/* SPDX-License-Identifier: MIT
 *
 * test_transport_http_seam.c - the interface for credentials over HTTP.
 *
 * A provider adds a proof to each attempt.  The provider reads each answer and decides
 * the next step of the transport.
 */
#include <stdio.h>
#include <string.h>

#include "support/runner.h"
#include "unit/httpuser.h"

#define TOKEN   "Bearer a-token-to-keep"
#define ATTEMPT 16

/* The facts that the provider saw about one attempt. */
struct seen {
    char method[8], url[64], nonce[32], shown[32], body_end[8];
    unsigned number, refusals;
    bool is_resend, is_cut, was_answered;
    int status;
    size_t body_len;
};

static struct provider {
    struct mcph_net_auth base;
    struct seen seen[ATTEMPT];
    size_t n;              /* number of attempts so far */
    int verdicts[ATTEMPT]; /* the verdict on each refusal, in order; 0 means PASS */
    size_t n_refusals;
    size_t waits_at;          /* the attempt that waits for its headers; 0 means no
                               * attempt */
    size_t fails_at;          /* the attempt for which memory is short; 0 means no
                               * attempt */
    const char *why;          /* the reason of a verdict FAIL */
    struct mcph_list waiters; /* the waiters of attach() and answered() */
} provider;

static char logged[65536];

static int
attach(struct mcph_net_auth *auth, struct mcph_net_attempt *attempt,
       struct mcph_net_waiter *waiter, mcphost_error **reterr)
{
    struct seen *seen = &provider.seen[provider.n];

    (void)reterr;
    ck_assert_ptr_eq(auth, &provider.base);
    ck_assert_uint_lt(provider.n + 1, ATTEMPT);
    if (provider.fails_at == provider.n + 1) {
        provider.fails_at = 0;
        return MCPHOST_E_NOMEM;
    }
    if (provider.waits_at == provider.n + 1) {
        provider.waits_at = 0;
        mcph_list_append(&provider.waiters, &waiter->link);
        return 1;
    }
    snprintf(seen->method, sizeof(seen->method), "%s", attempt->method);
    snprintf(seen->url, sizeof(seen->url), "%s", strrchr(attempt->url, '/'));
    seen->number = attempt->number;
    seen->refusals = attempt->refusals;
    seen->is_resend = attempt->is_resend;
    attempt->mark = ++provider.n;
    mcph_buf_add(&attempt->lines, "Authorization\0" TOKEN, 14 + sizeof(TOKEN));
    mcph_buf_add(&attempt->proof, "DPoP", 5);
    mcph_buf_addf(&attempt->proof, "proof-number-%zu", provider.n);
    return mcph_buf_addc(&attempt->proof, '\0');
}

static int
answered(struct mcph_net_auth *auth, const struct mcph_net_attempt *attempt,
         const struct mcph_net_answer *answer, struct mcph_net_waiter *waiter,
         mcphost_error **reterr)
{
    struct seen *seen = &provider.seen[attempt->mark - 1];
    const char *nonce = answer->header(answer, "DPoP-Nonce", 0);
    int verdict;

    ck_assert_ptr_eq(auth, &provider.base);
    ck_assert(!seen->was_answered);
    snprintf(seen->nonce, sizeof(seen->nonce), "%s", nonce ? nonce : "");
    memcpy(seen->shown, seen->nonce, sizeof(seen->shown));
    answer->cover(answer, seen->shown, strlen(seen->shown));
    ck_assert_ptr_null(answer->header(answer, "X-Nothing", 0));
    seen->was_answered = true;
    seen->status = answer->status;
    seen->is_cut = answer->is_cut;
    seen->body_len = answer->body_len;
    if (answer->body_len > 4)
        snprintf(seen->body_end, sizeof(seen->body_end), "%.4s",
                 answer->body + answer->body_len - 4);
    if (answer->status < 300) {
        ck_assert_ptr_null(waiter);
        return MCPH_NET_AUTH_RETRY; /* the verdict has no effect after a success */
    }
    verdict = provider.verdicts[provider.n_refusals++];
    if (verdict == MCPH_NET_AUTH_WAIT)
        mcph_list_append(&provider.waiters, &waiter->link);
    if (verdict == MCPH_NET_AUTH_FAIL)
        mcph_err(reterr, MCPHOST_E_AUTH, "%s", provider.why);
    return verdict;
}

static bool
wake(void)
{
    struct mcph_list *item = mcph_list_take_first(&provider.waiters);
    struct mcph_net_waiter *waiter;

    if (!item)
        return false;
    waiter = MCPH_LIST_ENTRY(item, struct mcph_net_waiter, link);
    waiter->ready(waiter);
    return true;
}

static void
await_waiter(void)
{
    int64_t end = mcph_clock_monotonic_ms() + 20000;

    while (mcph_list_empty(&provider.waiters) && mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 5);
    ck_assert(wake());
}

static void
provide(const struct canned_answer *answers, size_t n, int sse)
{
    struct mcph_http_spec spec;

    provider = (struct provider){.base = {.attach = attach, .answered = answered}};
    mcph_list_init(&provider.waiters);
    can = canned_up(answers, n);
    spec = spec_of("/mcp");
    spec.sse = sse;
    open_with(spec);
    mcph_http_set_auth(t, &provider.base);
}

#define PROVIDE(...)                                             \
    static const struct canned_answer answers[] = {__VA_ARGS__}; \
    provide(answers, MCPH_ARRAY_SIZE(answers), MCPH_HTTP_SSE_NO)
#define REFUSED "HTTP/1.1 401 U\r\nDPoP-Nonce: n-1\r\n" LEN(5) "no no"
#define NONCED                                                                         \
    "HTTP/1.1 200 OK\r\nDPoP-Nonce: n-2\r\nContent-Type: application/json\r\n" LEN(36) \
        RESULT

/* Checks that the `i`th request on the wire has the token and the proof `number`. */
static void
has_proof(size_t i, size_t number)
{
    char line[64];

    snprintf(line, sizeof(line), "DPoP: proof-number-%zu", number);
    ck_assert(sent_header(i, line));
    ck_assert(sent_header(i, "Authorization: " TOKEN));
}

/* ---- attempts ---------------------------------------------------------------------- */

/* R17 */
START_TEST(each_attempt_has_a_proof_of_its_own)
{
    PROVIDE({REFUSED, KEEP}, {REFUSED, KEEP}, {NONCED, KEEP}, {JSON, KEEP});
    provider.verdicts[0] = MCPH_NET_AUTH_RETRY;
    provider.verdicts[1] = MCPH_NET_AUTH_WAIT;
    say("{\"id\":1}", MCPH_SEND_REQUEST, 1);
    await_waiter();
    await("/1");
    say("{\"id\":2}", MCPH_SEND_REQUEST, 2);
    await("/2");
    ck_assert_str_eq(story, "<1 " RESULT " /1 <2 " RESULT " /2 ");
    for (size_t i = 0; i < 4; i++) {
        has_proof(i, i + 1);
        ck_assert_str_eq(provider.seen[i].method, "POST");
        ck_assert_str_eq(provider.seen[i].url, "/mcp");
        ck_assert_uint_eq(provider.seen[i].number, i < 3 ? i + 1 : 1);
        ck_assert_uint_eq(provider.seen[i].refusals, i < 3 ? i : 0);
        ck_assert(!provider.seen[i].is_resend);
        ck_assert_int_eq(provider.seen[i].status, i < 2 ? 401 : 200);
    }
    ck_assert_str_eq(provider.seen[1].nonce, "n-1");
    ck_assert_str_eq(provider.seen[2].nonce, "n-2");
    ck_assert_str_eq(provider.seen[3].nonce, "");
}
END_TEST

START_TEST(a_redirect_is_a_new_attempt_with_a_proof_of_its_own)
{
    PROVIDE({"HTTP/1.1 307 T\r\nLocation: /there\r\n" LEN(0), KEEP}, {JSON, KEEP});
    provider.waits_at = _i ? 2 : 0;
    say("{\"id\":1}", MCPH_SEND_REQUEST, 1);
    if (_i) {
        await_waiter();
        await("/1");
        /* After the wait, the request starts again at its first URL, with its body. */
        ck_assert_str_eq(provider.seen[1].url, "/mcp");
    } else {
        await("/1");
        ck_assert_str_eq(provider.seen[1].url, "/there");
    }
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "\r\n\r\n{\"id\":1}"));
    ck_assert_uint_eq(provider.seen[1].number, 2);
    ck_assert_uint_eq(provider.seen[1].refusals, 0);
    has_proof(0, 1);
    has_proof(1, 2);
    ck_assert_str_eq(story, "<1 " RESULT " /1 ");
}
END_TEST

START_TEST(a_request_that_was_lost_is_sent_again_with_another_proof)
{
    PROVIDE({JSON, KEEP}, {NULL, CLOSE}, {JSON, KEEP});
    say("{\"id\":1}", MCPH_SEND_REQUEST, 1);
    await("/1");
    say("{\"id\":2}", MCPH_SEND_REQUEST, 2);
    await("/2");
    ck_assert_str_eq(story, "<1 " RESULT " /1 <2 " RESULT " /2 ");
    has_proof(1, 2);
    has_proof(2, 3);
    ck_assert_ptr_nonnull(strstr(canned_request(can, 2), "\r\n\r\n{\"id\":2}"));
    ck_assert(!provider.seen[1].is_resend);
    ck_assert(!provider.seen[1].was_answered);
    ck_assert(provider.seen[2].is_resend);
}
END_TEST

START_TEST(a_lost_call_is_not_sent_again)
{
    PROVIDE({JSON, KEEP}, {NULL, CLOSE}, {JSON, KEEP});
    say("{\"id\":1}", MCPH_SEND_REQUEST, 1);
    await("/1");
    say("{\"id\":2}", MCPH_SEND_CALL, 2);
    await("/2");
    ck_assert_str_eq(story, "<1 " RESULT " /1 /2 ");
    ck_assert_uint_eq(provider.n, 2);
}
END_TEST

/* ---- verdicts ---------------------------------------------------------------------- */

START_TEST(a_failure_is_reported_with_the_reason_of_the_provider)
{
    PROVIDE({REFUSED, KEEP}, {REFUSED, KEEP});
    provider.verdicts[0] = MCPH_NET_AUTH_RETRY;
    provider.verdicts[1] = MCPH_NET_AUTH_FAIL;
    provider.why = "the grant was withdrawn";
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_str_eq(story, "#1=401:no no /1 ");
    ck_assert_str_eq(last_unhelped, "the grant was withdrawn");
}
END_TEST

/* A server may also refuse with another status than 401, for example to ask for a
 * nonce. */
START_TEST(a_refusal_with_another_status_than_401_may_be_retried)
{
    PROVIDE({"HTTP/1.1 400 B\r\n" LEN(26) "{\"error\":\"use_dpop_nonce\"}"
                                          "\n",
             KEEP},
            {JSON, KEEP});
    provider.verdicts[0] = MCPH_NET_AUTH_RETRY;
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_str_eq(story, "<1 " RESULT " /1 ");
    ck_assert_int_eq(provider.seen[0].status, 400);
}
END_TEST

START_TEST(a_refusal_that_the_provider_passes_is_reported)
{
    PROVIDE({"HTTP/1.1 404 N\r\n" LEN(5) "none!", KEEP});
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_str_eq(story, "#1=404:none! /1 ");
    ck_assert_uint_eq(provider.n, 1);
}
END_TEST

START_TEST(a_closed_stream_no_longer_waits_for_credentials)
{
    PROVIDE({REFUSED, KEEP});
    provider.verdicts[0] = MCPH_NET_AUTH_WAIT;
    say("{}", MCPH_SEND_REQUEST, 1);
    while (provider.n_refusals == 0)
        mcph_core_wait(core, 50);
    mcph_transport_close_stream(t, 1);
    ck_assert(!wake());
    ck_assert_str_eq(story, "");
}
END_TEST

/* ---- bodies ------------------------------------------------------------------------ */

START_TEST(a_body_beyond_64_kib_is_cut)
{
    static const size_t more[] = {0, 1, 5000};
    static char bytes[80000];
    static struct canned_answer answers[1];
    size_t len = MCPH_NET_AUTH_BODY + more[_i], n;
    int64_t end;

    n = (size_t)snprintf(bytes, sizeof(bytes),
                         "HTTP/1.1 401 U\r\nContent-Length: %zu\r\n\r\n", len);
    memset(bytes + n, 'x', len);
    memcpy(bytes + n + MCPH_NET_AUTH_BODY - 4, "last", 4);
    answers[0] = (struct canned_answer){.bytes = bytes, .len = n + len};
    provide(answers, 1, MCPH_HTTP_SSE_NO);
    say("{}", MCPH_SEND_REQUEST, 1);
    for (end = mcph_clock_monotonic_ms() + 20000;
         !provider.seen[0].was_answered && mcph_clock_monotonic_ms() < end;)
        mcph_core_wait(core, 50);
    ck_assert_uint_eq(provider.seen[0].body_len, MCPH_NET_AUTH_BODY);
    ck_assert_str_eq(provider.seen[0].body_end, "last");
    ck_assert_int_eq(provider.seen[0].is_cut, more[_i] > 0);
}
END_TEST

/* ---- HTTP+SSE ---------------------------------------------------------------------- */

/* The stream of HTTP+SSE cannot be opened, because memory is short.  The next
 * `initialize` is a POST again. */
START_TEST(after_a_failed_start_of_sse_initialize_is_sent_as_before)
{
    static const struct canned_answer answers[] = {{"HTTP/1.1 404 N\r\n" LEN(0), KEEP},
                                                   {JSON, KEEP}};

    provide(answers, 2, MCPH_HTTP_SSE_MAYBE);
    provider.fails_at = 2;
    say("{\"id\":1}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    ck_assert_uint_eq(provider.fails_at, 0);
    say("{\"id\":2}", MCPH_SEND_INITIALIZE, 2);
    await("/2");
    ck_assert_str_eq(provider.seen[1].method, "POST");
}
END_TEST

/* ---- secrets ----------------------------------------------------------------------- */

static void
take_line(int level, const char *room, const char *server, const char *line, void *arg)
{
    size_t at = strlen(logged);

    (void)level;
    (void)room;
    (void)server;
    (void)arg;
    snprintf(logged + at, sizeof(logged) - at, "%s\n", line);
}

/* R18 */
START_TEST(proofs_and_tokens_are_masked_in_log_error_and_status)
{
    PROVIDE({"HTTP/1.1 401 U\r\nWWW-Authenticate: DPoP saw=\"proof-number-1\"\r\n"
             "DPoP-Nonce: proof-number-1\r\nContent-Type: text/proof-number-1\r\n" LEN(
                 50) "got proof-number-1 and a-token-to-keep, thank you.",
             KEEP});
    logged[0] = '\0';
    ck_assert_int_eq(mcph_core_set_log(core, MCPHOST_LOG_TRACE, take_line, NULL, NULL),
                     0);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_ptr_nonnull(strstr(logged, "DPoP: ***"));
    ck_assert_ptr_nonnull(strstr(story, "got **"));
    ck_assert_str_eq(provider.seen[0].nonce, "proof-number-1");
    ck_assert_str_eq(provider.seen[0].shown, "**************");
    ck_assert_ptr_null(strstr(logged, "proof-number"));
    ck_assert_ptr_null(strstr(logged, "a-token"));
    ck_assert_ptr_null(strstr(story, "proof-number"));
    ck_assert_ptr_null(strstr(story, "a-token"));
    ck_assert_ptr_null(strstr(last_reason, "proof-number"));
    ck_assert_ptr_null(strstr(last_reason, "a-token"));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "seam");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_attempt_has_a_proof_of_its_own);
    tcase_add_loop_test(tc, a_redirect_is_a_new_attempt_with_a_proof_of_its_own, 0, 2);
    tcase_add_test(tc, a_request_that_was_lost_is_sent_again_with_another_proof);
    tcase_add_test(tc, a_lost_call_is_not_sent_again);
    tcase_add_test(tc, a_failure_is_reported_with_the_reason_of_the_provider);
    tcase_add_test(tc, a_refusal_with_another_status_than_401_may_be_retried);
    tcase_add_test(tc, a_refusal_that_the_provider_passes_is_reported);
    tcase_add_test(tc, a_closed_stream_no_longer_waits_for_credentials);
    tcase_add_loop_test(tc, a_body_beyond_64_kib_is_cut, 0, 3);
    tcase_add_test(tc, after_a_failed_start_of_sse_initialize_is_sent_as_before);
    tcase_add_test(tc, proofs_and_tokens_are_masked_in_log_error_and_status);
}

int
main(void)
{
    return test_main("transport-http-seam", add);
}
