/* SPDX-License-Identifier: MIT
 *
 * test_torture_http.c - a session over HTTP, of the legacy or the modern era, in which
 * allocations fail.
 *
 * Each allocation fails once, or together with all later allocations.  The session has
 * streams that break off and are resumed, sessions that are lost, questions during calls
 * and a subscription.  At the end of the session the test asks the transport for the
 * cause of an error.
 *
 * The functions below replace lib/net.  These functions keep each request, and serve()
 * answers the kept requests like a server.  The server's own allocations never fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/nonet.h"
#include "torture/owner.h"

#define TURNS    300
#define REQUESTS 32

struct mcph_net_request {
    const struct mcph_net_events *events;
    void *arg;
    char method, body[2048];
    bool resumes, served, headed, bounded;
    int status;
    const char *type, *session;
};

#define RESULT "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{}}"
#define JSON   "application/json"
#define SSE    "text/event-stream"

static struct mcph_transport *transport;
static struct mcph_net_request *requests[REQUESTS];
static bool modern, lost, broken;
static long asking;                    /* id of a call that is answered later */
static struct mcph_net_request *asker; /* stream of the waiting call; NULL if not open */
static int explained;

/* ---- lib/net ----------------------------------------------------------------------- */

int
mcph_net_start(struct mcph_net *net, const struct mcph_net_spec *spec,
               struct mcph_net_request **ret, mcphost_error **reterr)
{
    struct mcph_net_request *req = calloc(1, sizeof(*req));
    size_t i = 0;

    (void)net;
    while (i < REQUESTS && requests[i])
        i++;
    if (!req || i == REQUESTS) {
        torture_must(i < REQUESTS);
        free(req);
        return mcph_err_nomem(reterr);
    }
    req->events = spec->events;
    req->arg = spec->arg;
    req->method = spec->method[0];
    req->bounded = spec->total_ms > 0;
    for (size_t h = 0; h < spec->n_headers; h++)
        req->resumes |= strcmp(spec->headers[h].name, "Last-Event-ID") == 0;
    if (spec->body) {
        snprintf(req->body, sizeof(req->body), "%.*s", (int)spec->body->len,
                 spec->body->data);
        mcph_buf_done(spec->body);
    }
    requests[i] = *ret = req;
    return 0;
}

static bool
is_there(const struct mcph_net_request *req)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        if (req && requests[i] == req)
            return true;
    }
    return false;
}

static void
forget(struct mcph_net_request *req)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        if (requests[i] == req)
            requests[i] = NULL;
    }
    if (asker == req)
        asker = NULL;
}

struct mcph_net_request *
mcph_net_cancel(struct mcph_net_request *req)
{
    if (is_there(req)) { /* `requests` lacks `req` while `done` runs */
        forget(req);
        free(req);
    }
    return NULL;
}

const struct mcph_buf *
mcph_net_get_body(const struct mcph_net_request *req)
{
    static const struct mcph_buf none;

    (void)req;
    return &none;
}

void
mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret)
{
    (void)req;
    (void)ret;
    torture_must(false); /* only requests with credentials, and HTTP+SSE, need this */
}

int
mcph_net_get_status(const struct mcph_net_request *req)
{
    return req->status;
}

const char *
mcph_net_get_header(struct mcph_net_request *req, const char *name, size_t index)
{
    if (index > 0)
        return NULL;
    if (strcmp(name, "content-type") == 0)
        return req->type;
    return strcmp(name, "mcp-session-id") == 0 ? req->session : NULL;
}

void
mcph_net_set_max_body(struct mcph_net_request *req, size_t max)
{
    (void)req;
    (void)max;
}

/* ---- the server: its own allocations never fail ------------------------------------ */

static void
end_with(struct mcph_net_request *req, mcphost_error *error)
{
    if (!is_there(req))
        return;
    forget(req);
    req->events->done(req, error, req->arg);
    free(req);
}

static void
end(struct mcph_net_request *req)
{
    end_with(req, NULL);
}

/* Ends, with MCPHOST_E_TIMEOUT, each request that has a time limit of its own. */
static void
expire(void)
{
    mcphost_error *error = NULL;

    failing_pause();
    mcph_err(&error, MCPHOST_E_TIMEOUT, "gave no complete answer in time");
    failing_resume();
    for (size_t i = 0; i < REQUESTS; i++) {
        if (requests[i] && requests[i]->bounded)
            end_with(requests[i], error);
    }
    mcphost_error_unref(error);
}

static void
head(struct mcph_net_request *req, int status, const char *type)
{
    req->headed = true;
    req->status = status;
    req->type = type;
    if (req->events->head)
        req->events->head(req, req->arg);
}

/* Passes the text to the request in two pieces. */
static void
body(struct mcph_net_request *req, const char *text)
{
    size_t half = strlen(text) / 2;

    if (is_there(req) && req->events->body && half)
        req->events->body(req, text, half, req->arg);
    if (is_there(req) && req->events->body && *text)
        req->events->body(req, text + half, strlen(text) - half, req->arg);
}

static void
reply(struct mcph_net_request *req, int status, const char *type, const char *text)
{
    head(req, status, type);
    body(req, text);
    end(req);
}

static void
reply_result(struct mcph_net_request *req, long id, const char *result)
{
    char text[600];

    snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%s}", id,
             result);
    reply(req, 200, JSON, text);
}

static void
event(struct mcph_net_request *req, const char *format, long id)
{
    char text[600];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof(text), format, id, id);
#pragma GCC diagnostic pop
    body(req, text);
}

static void
serve_probe(struct mcph_net_request *req)
{
    char text[256];

    if (!modern) {
        reply(req, 400, JSON,
              "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":"
              "\"Bad Request: Server not initialized\"}}");
        return;
    }
    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%c\",\"result\":{"
             "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{"
             "\"listChanged\":true},\"resources\":{}}}}",
             strstr(req->body, "probe-")[6]);
    reply(req, 200, JSON, text);
}

static void
serve_question(struct mcph_net_request *req, long id)
{
    if (modern && strstr(req->body, "inputResponses")) {
        reply_result(req, id, "{}");
    } else if (modern) {
        reply_result(req, id,
                     "{\"resultType\":\"input_required\",\"requestState\":\"s\","
                     "\"inputRequests\":{\"k\":{\"method\":\"elicitation/create\","
                     "\"params\":" OWNER_FORM "}}}");
    } else {
        asking = id;
        asker = req;
        head(req, 200, SSE);
        event(req,
              "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\","
              "\"params\":" OWNER_FORM "}\n\n",
              id);
    }
}

static void
serve_call(struct mcph_net_request *req, long id)
{
    if (strstr(req->body, "\"ask\"")) {
        serve_question(req, id);
    } else if (strstr(req->body, "\"bad\"")) {
        reply(req, 500, "text/html", "<html>it went wrong</html>");
    } else if (strstr(req->body, "\"lost\"") && !lost) {
        lost = true;
        reply(req, 404, "text/plain", "no such session");
    } else if (strstr(req->body, "\"breaks\"") && !modern) {
        asking = id;
        head(req, 200, SSE);
        event(req, "id: 7\nretry: 10\ndata:\n\n", 0);
        end(req);
    } else {
        head(req, 200, SSE);
        event(req,
              "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
              "\"params\":{\"progressToken\":%ld,\"progress\":1}}\n\ndata: " RESULT
              "\n\n",
              id);
        end(req);
    }
}

static void
serve_get(struct mcph_net_request *req)
{
    head(req, 200, SSE);
    if (!req->resumes) {
        event(req, "id: 1\ndata:\n\n: here\n\n", 0);
        return; /* the stream stays open */
    }
    event(req, "data: " RESULT "\n\n", asking);
    end(req);
}

static void
serve_post(struct mcph_net_request *req)
{
    const char *key = strstr(req->body, "\"id\":");
    long id = key ? strtol(key + 5, NULL, 10) : 0;

    if (strstr(req->body, "server/discover")) {
        serve_probe(req);
    } else if (strstr(req->body, "\"initialize\"")) {
        req->session = "session-1";
        reply_result(req, id,
                     "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{},"
                     "\"resources\":{},\"logging\":{}}}");
    } else if (strstr(req->body, "\"id\":\"q\"")) {
        reply(req, 202, NULL, "");
        if (asker)
            event(asker, "data: " RESULT "\n\n", asking);
        end(asker);
    } else if (!key) {
        reply(req, 202, NULL, "");
    } else if (strstr(req->body, "tools/list")) {
        reply_result(req, id,
                     strstr(req->body, "cursor")
                         ? "{\"tools\":[1]}"
                         : "{\"tools\":[{\"name\":\"good\",\"inputSchema\":{\"type\":"
                           "\"object\",\"properties\":{\"a\":{\"type\":\"string\","
                           "\"x-mcp-header\":\"A\"}}}}],\"nextCursor\":\"c\"}");
    } else if (strstr(req->body, "tools/call")) {
        serve_call(req, id);
    } else if (strstr(req->body, "resources/read") && !broken) {
        broken = true;
        head(req, 200, SSE);
        end(req);
    } else if (strstr(req->body, "subscriptions/listen")) {
        head(req, 200, SSE); /* the stream stays open */
    } else {
        reply_result(req, id, "{}");
    }
}

/* Answers one new request.  Returns false if there is no new request. */
static bool
serve(void)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        struct mcph_net_request *req = requests[i];

        if (!req || req->served)
            continue;
        req->served = true;
        if (req->method == 'P')
            serve_post(req);
        else if (req->method == 'G')
            serve_get(req);
        else
            reply(req, 200, NULL, "");
        return true;
    }
    return false;
}

static void
turn(void)
{
    for (int i = 0; i < TURNS && (mcph_core_dispatch(owner.core) > 0 || serve()); i++)
        ;
}

/* ---- the owner --------------------------------------------------------------------- */

static void
talk(struct mcph_client *c)
{
    struct mcph_operation early, good, bad, gone, breaks, away, asks, reads;

    owner_call(c, &early, "good");
    turn();
    (void)mcph_client_list(c, MCPH_LIST_TOOLS);
    turn();
    owner_call(c, &good, "good");
    owner_call(c, &bad, "bad");
    owner_call(c, &gone, "good");
    owner_cancel(&gone);
    turn();
    owner_call(c, &breaks, "breaks");
    turn();
    owner.now += 100; /* the stream may be resumed now */
    turn();
    owner_call(c, &away, "lost");
    turn();
    owner_ask(c, &reads, MCPH_METHOD_READ_RESOURCE, "file:///a");
    turn();
    owner_call(c, &asks, "ask");
    turn();
    /* Let all waiting requests time out: first a question, then the question's call. */
    owner.now += 100000;
    turn();
    owner.now += 100000;
    turn();
}

static void
on_tried(struct mcph_transport *t, const struct mcph_trial *server,
         const struct mcph_trial *health, void *arg)
{
    mcphost_error *error = mcph_client_diagnose(arg, server, health);

    torture_must(t == transport && error != NULL);
    mcphost_error_unref(error);
    explained++;
}

/* Asks the transport for the cause of an error.  No other request is in flight
 * meanwhile. */
static void
ask_why(void)
{
    mcphost_error *error = NULL;

    mcph_err(&error, MCPHOST_E_TRANSPORT, "is ill");
    if (mcph_transport_try_requests(transport, mcph_client_test_request(), 5000, on_tried,
                                    error) < 0)
        explained++;
    turn();
    expire();
    turn();
    mcphost_error_unref(error);
}

static void
session(void)
{
    static const struct mcph_net_header header = {"Authorization", "Bearer abcdefg", 14};
    struct mcph_http_spec http = {
        .server = "s", .url = "http://127.0.0.1/mcp", .headers = &header, .n_headers = 1};
    struct mcph_client *c;

    lost = broken = false;
    explained = 0;
    (void)mcph_http_new(owner.core, NULL, &http, NULL, NULL, &transport, NULL);
    c = owner_start(transport);
    if (!owner.refused)
        talk(c);
    mcph_client_free(c);
    if (!owner.refused) {
        ask_why();
        mcph_transport_close(transport);
        turn();
    }
    transport = mcph_transport_free(transport, 0);
    mcph_core_drain(owner.core);
}

static long
run_failing(long nth, int mode)
{
    long n = owner_run(session, nth, mode);

    for (size_t i = 0; i < REQUESTS; i++)
        ck_assert_msg(!requests[i], "allocation %ld: a request is left", nth);
    return n;
}

static long
count(bool is_modern)
{
    long n;

    modern = is_modern;
    (void)run_failing(-1, FAIL_ONCE); /* libc keeps some of the first run's blocks */
    n = run_failing(-1, FAIL_ONCE);
    ck_assert_int_gt(n, 150);
    ck_assert_int_eq(owner.downs, 0);
    ck_assert_int_eq(owner.ready, 2); /* ready again after the session was lost */
    ck_assert_int_ge(owner.complete_lists, 1);
    ck_assert_int_eq(owner.answered, 7);
    ck_assert_int_eq(owner.good, 6);
    ck_assert_int_eq(owner.asked, 1);
    ck_assert_int_eq(owner.over, 0);
    ck_assert_int_eq(explained, 1);
    return n;
}

static void
check_outcome(long nth)
{
    owner_check(nth);
    if (!owner.refused)
        ck_assert_msg(explained == 1, "allocation %ld: explained %d times", nth,
                      explained);
}

START_TEST(if_one_allocation_fails_each_call_over_http_ends_and_nothing_leaks)
{
    long n = count(_i);

    for (long i = torture_first(); i < n; i++) {
        (void)run_failing(i, FAIL_ONCE);
        check_outcome(i);
    }
}
END_TEST

START_TEST(if_all_later_allocations_fail_each_call_over_http_ends_and_nothing_leaks)
{
    long n = count(_i);

    for (long i = torture_first(); i < n; i++) {
        (void)run_failing(i, FAIL_FROM_THEN_ON);
        check_outcome(i);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "session");

    tcase_add_loop_test(
        tc, if_one_allocation_fails_each_call_over_http_ends_and_nothing_leaks, 0, 2);
    tcase_add_loop_test(
        tc, if_all_later_allocations_fail_each_call_over_http_ends_and_nothing_leaks, 0,
        2);
}

int
main(void)
{
    return torture_main("torture-http", add);
}
