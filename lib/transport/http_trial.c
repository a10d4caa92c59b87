/* SPDX-License-Identifier: MIT
 *
 * http_trial.c - send two test requests to a server that did not come up, and report
 * their results (B.15).
 *
 * The transport sends both requests at once.  The first request is a POST of the caller's
 * message to the URL, outside of any session.  If the server speaks only HTTP+SSE, the
 * first request is a GET.  The second request is GET /health to the same origin.
 *
 * The first request has all headers and credentials of the server's requests.  The second
 * request has no credentials, no configured headers, and no userinfo or query of the URL,
 * because another program may handle the path /health.
 *
 * The time limit of both requests is the caller's remaining time, but at most TRIAL_MS.
 * If no time remains, the transport sends nothing.  If the first request opens a session,
 * the transport ends the session.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define TRIAL_MS 5000
#define LEAVE_MS 500 /* least time in ms for the DELETE that ends the session */

struct trial_request {
    struct http_trial *trial;
    struct mcph_net_request *req;
    struct mcph_trial result; /* points to the members below */
    char *url;                /* the URL of GET /health; NULL for another request */
    char *type, *session, *failure;
    struct mcph_buf body;
};

struct http_trial {
    struct http *http;
    mcph_tried_fn done;
    void *arg;
    struct trial_request server, health, leave;
    unsigned waiting;
    int64_t due;         /* the deadline of the test requests */
    struct mcph_job job; /* calls `done` while no other function of the transport runs */
    bool posted;
};

/* ---- the end ----------------------------------------------------------------------- */

static void
request_done(struct trial_request *r)
{
    r->req = mcph_net_cancel(r->req);
    free(r->url);
    free(r->type);
    mcph_str_wipe(r->session);
    free(r->failure);
    mcph_buf_done(&r->body);
}

static void
release_trial(struct http_trial *trial)
{
    request_done(&trial->server);
    request_done(&trial->health);
    request_done(&trial->leave);
    free(trial);
}

void
mcph_http_trial_end(struct http *h)
{
    struct http_trial *trial = h->trial;

    h->trial = NULL;
    if (!trial)
        return;
    trial->http = NULL;
    if (!trial->posted)
        release_trial(trial);
}

/* Masks secrets and the session, because the server may repeat them. */
static void
mask_text(const struct http_trial *trial, char *text, size_t len)
{
    const char *session = trial->leave.session;

    mcph_http_redact(trial->http, text, len);
    if (session)
        mcph_cover_value(session, strlen(session), text, len);
}

static const struct mcph_trial *
make_result(struct trial_request *r)
{
    struct mcph_trial *result = &r->result;

    if (r->type)
        mask_text(r->trial, r->type, strlen(r->type));
    if (r->body.len > 0)
        mask_text(r->trial, r->body.data, r->body.len);
    result->type = r->type;
    result->failure = r->failure;
    /* Leave out the body of an event stream, because the first event of HTTP+SSE contains
     * the session. */
    if (!mcph_http_type_is(r->type, "text/event-stream"))
        result->body = mcph_span(r->body.data, r->body.len);
    return result;
}

static void
run_done(struct mcph_job *job)
{
    struct http_trial *trial = MCPH_CONTAINER_OF(job, struct http_trial, job);
    struct http *h = trial->http;

    trial->posted = false;
    if (h) {
        h->trial = NULL;
        trial->done(&h->base, make_result(&trial->server), make_result(&trial->health),
                    trial->arg);
    }
    release_trial(trial);
}

static void
post_done(struct http_trial *trial)
{
    trial->posted = true;
    mcph_core_post(trial->http->base.core, &trial->job);
}

/* ---- test requests ----------------------------------------------------------------- */

static void send_request(struct trial_request *r, const char *method, const char *url,
                         struct mcph_span body);

/* Finishes a test request whose response is complete, or is not needed any more.  Sends
 * the DELETE if the request opened a session.  After the last request, posts the job that
 * calls `done`. */
static void
finish_request(struct trial_request *r)
{
    struct http_trial *trial = r->trial;

    r->req = mcph_net_cancel(r->req);
    if (r == &trial->server && r->session) {
        trial->leave.session = r->session;
        r->session = NULL;
        send_request(&trial->leave, "DELETE", trial->http->url, MCPH_SPAN_NONE);
    }
    if (--trial->waiting == 0)
        post_done(trial);
}

static void
on_head(struct mcph_net_request *req, void *arg)
{
    struct trial_request *r = arg;
    const char *value = mcph_net_get_header(req, "content-type", 0);

    r->result.status = mcph_net_get_status(req);
    r->type = value ? mcph_strdup(value) : NULL;
    value = mcph_net_get_header(req, "mcp-session-id", 0);
    if (r == &r->trial->server && value && mcph_http_session_is_valid(value))
        r->session = mcph_strdup(value);
}

static void
on_body(struct mcph_net_request *req, const char *data, size_t len, void *arg)
{
    struct trial_request *r = arg;
    size_t room = MCPH_TRIAL_BODY - r->body.len;

    (void)req;
    mcph_buf_add(&r->body, data, len < room ? len : room);
    /* Do not wait for the end of an event stream, because it may stay open. */
    if (r->body.len == MCPH_TRIAL_BODY || mcph_http_type_is(r->type, "text/event-stream"))
        finish_request(r);
}

static void
on_done(struct mcph_net_request *req, mcphost_error *error, void *arg)
{
    struct trial_request *r = arg;

    r->result.fault = mcph_net_get_fault(req);
    if (error && !r->result.status)
        r->failure = mcph_strdup(mcphost_error_get_message(error));
    finish_request(r);
}

/* Makes the headers of a test request.  Returns false if there is no memory, the
 * credentials are not available now, or there are too many headers. */
static bool
add_headers(struct exchange *nothing, struct trial_request *r, const char *method,
            const char *url, struct mcph_net_header *headers, size_t *ret_n)
{
    if (r == &r->trial->health) {
        headers[0] = (struct mcph_net_header){"Accept", "*/*", 3};
        *ret_n = 1;
        return true;
    }
    if (mcph_http_auth_attach(nothing, method, url, NULL) != 0 ||
        mcph_http_headers_make(nothing, method, headers, ret_n) < 0 ||
        (r->session && *ret_n >= HTTP_HEADERS_MAX))
        return false;
    if (r->session)
        headers[(*ret_n)++] =
            (struct mcph_net_header){"Mcp-Session-Id", r->session, strlen(r->session)};
    return true;
}

/* Returns the time left for a request.  The DELETE gets at least LEAVE_MS, because a
 * session must be ended even if the response that opened it came in the last moment. */
static int64_t
time_left(const struct trial_request *r)
{
    int64_t ms = r->trial->due - mcph_core_now(r->trial->http->base.core);

    return r == &r->trial->leave && ms < LEAVE_MS ? LEAVE_MS : ms;
}

static void
send_request(struct trial_request *r, const char *method, const char *url,
             struct mcph_span body)
{
    static const struct mcph_net_events events = {
        .head = on_head, .body = on_body, .done = on_done};
    struct http *h = r->trial->http;
    struct mcph_net_header headers[HTTP_HEADERS_MAX];
    struct mcph_net_spec spec = {.site = &h->site,
                                 .method = method,
                                 .url = url,
                                 .headers = headers,
                                 .total_ms = time_left(r),
                                 .events = &events,
                                 .arg = r};
    /* A diagnosis must not begin a login. */
    struct exchange nothing = {.http = h, .attempt.is_quiet = true};
    struct mcph_buf buf;

    if (spec.total_ms <= 0)
        return;
    r->result.method = method;
    mcph_buf_init(&buf, h->queue_max);
    mcph_buf_init(&r->body, MCPH_TRIAL_BODY);
    spec.body = body.p ? &buf : NULL;
    mcph_list_init(&nothing.waiter.link);
    if (mcph_buf_add(&buf, body.p, body.len) == 0 &&
        add_headers(&nothing, r, method, url, headers, &spec.n_headers)) {
        mcph_http_trace_request(&nothing, method, url, headers, spec.n_headers);
        if (mcph_net_start(h->net, &spec, &r->req, NULL) == 0)
            r->trial->waiting++;
    }
    mcph_http_auth_done(&nothing);
    mcph_buf_done(&buf);
}

int
mcph_http_try_requests(struct mcph_transport *t, struct mcph_span message,
                       int64_t wait_ms, mcph_tried_fn done, void *arg)
{
    struct http *h = MCPH_CONTAINER_OF(t, struct http, base);
    struct http_trial *trial = calloc(1, sizeof(*trial));
    bool sse = h->sse == MCPH_HTTP_SSE_YES;

    if (!trial)
        return MCPHOST_E_NOMEM;
    *trial = (struct http_trial){.http = h, .done = done, .arg = arg};
    trial->job.run = run_done;
    trial->due = mcph_core_now(h->base.core) + (wait_ms < TRIAL_MS ? wait_ms : TRIAL_MS);
    trial->server.trial = trial->health.trial = trial->leave.trial = trial;
    mcph_http_trial_end(h);
    if (wait_ms > 0) {
        h->shake = SHAKE_NONE;
        send_request(&trial->server, sse ? "GET" : "POST", h->url,
                     sse ? MCPH_SPAN_NONE : message);
        trial->health.url = mcph_net_url_at(h->url, "/health");
        if (trial->health.url)
            send_request(&trial->health, "GET", trial->health.url, MCPH_SPAN_NONE);
        if (trial->waiting == 0) {
            release_trial(trial);
            return MCPHOST_E_NOMEM;
        }
    }
    h->trial = trial;
    if (wait_ms <= 0)
        post_done(trial);
    return 0;
}
