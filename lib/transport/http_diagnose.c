/* SPDX-License-Identifier: MIT
 *
 * http_diagnose.c - find out why a server at a URL did not come up (B.15).
 *
 * Two test requests are sent at once: POST initialize to the URL, and GET /health to the
 * same origin.  The first has all headers and credentials of the server's requests.  The
 * second goes to another path, which another program may handle.  Therefore it has no
 * credentials, no headers of the user, and no userinfo or query of the URL.  Both are
 * waited for as long as the start had time left, at most PROBE_MS; without time left
 * nothing is sent.  The message of the original error is extended by the results, the
 * likely cause and the next step.  If the first request opens a session, the session is
 * ended.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define PROBE_MS  5000
#define LEAVE_MS  500 /* for the DELETE, if less time is left */
#define SHOWN_MAX 280
#define TYPE_MAX  80

struct probe {
    struct http_diagnosis *diagnosis;
    struct mcph_net_request *req;
    const char *what;
    char *url; /* only for /health */
    int status, fault;
    char *type, *session, *failure;
    struct mcph_buf body;
};

struct http_diagnosis {
    struct http *http;
    mcphost_error *error; /* the original error */
    mcph_diagnosed_fn done;
    void *arg;
    struct probe post, health, leave;
    unsigned waiting;
    int64_t due;         /* the deadline of all test requests */
    struct mcph_job job; /* calls `done` from outside of every other call */
    bool posted;
};

/* ---- the likely cause -------------------------------------------------------------- */

static const struct mcph_net_meaning *
judge(const struct probe *post)
{
    return post->status ? mcph_net_status_meaning(post->status)
                        : mcph_net_fault_meaning(post->fault);
}

static const char *
find_cause(const struct mcph_net_meaning *meaning, const struct probe *health)
{
    bool is_up = health->status >= 200 && health->status < 300;

    return is_up && meaning->cause_if_up ? meaning->cause_if_up : meaning->cause;
}

/* Append the result of a test request.  `known` is the original message: if the failure
 * is equal, it is not repeated. */
static void
add_probe(const struct probe *p, const char *known, struct mcph_buf *text)
{
    mcph_buf_addf(text, "; %s: ", p->what);
    if (!p->status) {
        if (p->failure && strcmp(p->failure, known) == 0)
            mcph_buf_adds(text, "the same");
        else
            mcph_buf_adds(text, p->failure ? p->failure : "no answer");
        return;
    }
    mcph_buf_addf(text, "HTTP %d, ", p->status);
    if (p->type)
        mcph_utf8_add_clean(text, p->type, strnlen(p->type, TYPE_MAX), true);
    else
        mcph_buf_adds(text, "no content type");
    /* The first event of HTTP+SSE contains the session, so an event stream is not
     * shown. */
    if (p->body.len == 0 || mcph_http_type_is(p->type, "text/event-stream"))
        return;
    mcph_buf_adds(text, ", \"");
    mcph_http_redact(p->diagnosis->http, p->body.data, p->body.len);
    mcph_utf8_add_clean(text, p->body.data,
                        p->body.len < SHOWN_MAX ? p->body.len : SHOWN_MAX, true);
    mcph_buf_adds(text, p->body.len > SHOWN_MAX ? "...\"" : "\"");
}

/* The message without "server 'id': ", because that is put in front again later. */
static const char *
bare_message(const mcphost_error *error)
{
    const char *message = mcphost_error_get_message(error);
    const char *server = mcphost_error_get_server_id(error);
    size_t len = server ? strlen(server) : 0;

    if (server && strncmp(message, "server '", 8) == 0 &&
        strncmp(message + 8, server, len) == 0 &&
        strncmp(message + 8 + len, "': ", 3) == 0)
        message += 8 + len + 3;
    return message;
}

/* The caller owns the result.  It is the original error if memory is exhausted. */
static mcphost_error *
explain(const struct http_diagnosis *d)
{
    const char *server = mcphost_error_get_server_id(d->error), *retry;
    bool asked = d->post.what != NULL;
    const struct mcph_net_meaning *meaning =
        asked ? judge(&d->post) : mcph_net_fault_meaning(MCPH_NET_FAULT_TALK);
    mcphost_error *error = NULL;
    struct mcph_buf text;
    const char *words;

    mcph_buf_init(&text, 64 * 1024);
    mcph_buf_adds(&text, bare_message(d->error));
    if (asked) {
        add_probe(&d->post, bare_message(d->error), &text);
        add_probe(&d->health, bare_message(d->error), &text);
    }
    mcph_buf_addf(&text, "; likely cause: %s; next: %s", find_cause(meaning, &d->health),
                  meaning->next);
    words = mcph_buf_text(&text);
    if (words)
        mcph_err(&error, mcphost_error_get_code(d->error), "%s", words);
    if (error && server)
        mcph_err_set_server(error, mcphost_error_get_source_id(d->error), server);
    retry = mcphost_error_get_retry_after(d->error);
    mcph_err_set_http(error, mcphost_error_get_http_status(d->error), retry,
                      retry ? strlen(retry) : 0);
    mcph_buf_done(&text);
    return error ? error : mcphost_error_ref(d->error);
}

/* ---- test requests ----------------------------------------------------------------- */

static void
probe_done(struct probe *p)
{
    p->req = mcph_net_cancel(p->req);
    free(p->url);
    free(p->type);
    free(p->session);
    free(p->failure);
    mcph_buf_done(&p->body);
}

static void
release(struct http_diagnosis *d)
{
    probe_done(&d->post);
    probe_done(&d->health);
    probe_done(&d->leave);
    mcphost_error_unref(d->error);
    free(d);
}

void
mcph_http_diagnosis_end(struct http *h)
{
    struct http_diagnosis *d = h->diagnosis;

    h->diagnosis = NULL;
    if (!d)
        return;
    d->http = NULL;
    if (!d->posted)
        release(d);
    else
        d->post.req = mcph_net_cancel(d->post.req);
}

static void
run_done(struct mcph_job *job)
{
    struct http_diagnosis *d = MCPH_CONTAINER_OF(job, struct http_diagnosis, job);
    struct http *h = d->http;
    mcphost_error *error;

    d->posted = false;
    if (h) {
        h->diagnosis = NULL;
        error = explain(d);
        d->done(&h->base, error, d->arg);
        mcphost_error_unref(error);
    }
    release(d);
}

static void
post_done(struct http_diagnosis *d)
{
    d->posted = true;
    mcph_core_post(d->http->base.core, &d->job);
}

static void
one_less(struct http_diagnosis *d)
{
    if (--d->waiting == 0)
        post_done(d);
}

static void start(struct probe *p, const char *method, const char *url, const char *body);

/* Finish a test request when everything relevant has arrived. */
static void
enough(struct probe *p)
{
    struct http_diagnosis *d = p->diagnosis;
    struct http *h = d->http;

    p->req = mcph_net_cancel(p->req);
    if (p == &d->post && p->session) {
        d->leave.session = p->session;
        p->session = NULL;
        start(&d->leave, "DELETE", h->url, NULL);
    }
    one_less(d);
}

static void
on_head(struct mcph_net_request *req, void *arg)
{
    struct probe *p = arg;
    const char *value = mcph_net_get_header(req, "content-type", 0);

    p->status = mcph_net_get_status(req);
    p->type = value ? mcph_strdup(value) : NULL;
    value = mcph_net_get_header(req, "mcp-session-id", 0);
    if (p == &p->diagnosis->post && value && mcph_http_session_is_valid(value))
        p->session = mcph_strdup(value);
}

static void
on_body(struct mcph_net_request *req, const char *data, size_t len, void *arg)
{
    struct probe *p = arg;
    size_t room = SHOWN_MAX + 1 - p->body.len;

    (void)req;
    mcph_buf_add(&p->body, data, len < room ? len : room);
    /* Do not wait for the end of an event stream, because it may stay open. */
    if (p->body.len > SHOWN_MAX || mcph_http_type_is(p->type, "text/event-stream"))
        enough(p);
}

static void
on_done(struct mcph_net_request *req, mcphost_error *error, void *arg)
{
    struct probe *p = arg;

    p->fault = mcph_net_get_fault(req);
    if (error && !p->status)
        p->failure = mcph_strdup(mcphost_error_get_message(error));
    enough(p);
}

/* False: no memory, the credentials are not available now, or too many headers. */
static bool
add_headers(struct exchange *nothing, struct probe *p, const char *method,
            const char *url, struct mcph_net_header *headers, size_t *ret_n)
{
    if (p == &p->diagnosis->health) {
        headers[0] = (struct mcph_net_header){"Accept", "*/*", 3};
        *ret_n = 1;
        return true;
    }
    if (mcph_http_auth_attach(nothing, method, url, NULL) != 0 ||
        mcph_http_headers_make(nothing, method, headers, ret_n) < 0 ||
        (p->session && *ret_n >= HTTP_HEADERS_MAX))
        return false;
    if (p->session)
        headers[(*ret_n)++] =
            (struct mcph_net_header){"Mcp-Session-Id", p->session, strlen(p->session)};
    return true;
}

/* A session must be ended even if its response came in the last moment. */
static int64_t
time_left(const struct probe *p)
{
    int64_t ms = p->diagnosis->due - mcph_core_now(p->diagnosis->http->base.core);

    return p == &p->diagnosis->leave && ms < LEAVE_MS ? LEAVE_MS : ms;
}

static void
start(struct probe *p, const char *method, const char *url, const char *body)
{
    static const struct mcph_net_events events = {
        .head = on_head, .body = on_body, .done = on_done};
    struct http_diagnosis *d = p->diagnosis;
    struct http *h = d->http;
    struct mcph_net_header headers[HTTP_HEADERS_MAX];
    struct mcph_net_spec spec = {.site = &h->site,
                                 .method = method,
                                 .url = url,
                                 .headers = headers,
                                 .total_ms = time_left(p),
                                 .events = &events,
                                 .arg = p};
    struct exchange nothing = {.http = h};
    struct mcph_buf buf;

    if (spec.total_ms <= 0)
        return;
    mcph_buf_init(&buf, 4096);
    mcph_buf_init(&p->body, SHOWN_MAX + 1);
    if (body && mcph_buf_adds(&buf, body) == 0)
        spec.body = &buf;
    mcph_list_init(&nothing.waiter.link);
    if (add_headers(&nothing, p, method, url, headers, &spec.n_headers)) {
        mcph_http_trace_request(&nothing, method, url, headers, spec.n_headers);
        if (mcph_net_start(h->net, &spec, &p->req, NULL) == 0)
            d->waiting++;
    }
    mcph_http_auth_done(&nothing);
    mcph_buf_done(&buf);
}

static void
ask(struct http_diagnosis *d)
{
    static const char initialize[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
        "\"name\":\"libmcphost\",\"version\":\"0\"}}}";
    struct http *h = d->http;

    d->post.what = "POST initialize";
    d->health.url = mcph_net_url_at(h->url, "/health");
    h->shake = SHAKE_NONE;
    if (h->sse == MCPH_HTTP_SSE_YES) {
        d->post.what = "GET";
        start(&d->post, "GET", h->url, NULL);
    } else {
        start(&d->post, "POST", h->url, initialize);
    }
    if (d->health.url)
        start(&d->health, "GET", d->health.url, NULL);
}

int
mcph_http_diagnose(struct mcph_transport *t, mcphost_error *error, int64_t wait_ms,
                   mcph_diagnosed_fn done, void *arg)
{
    struct http *h = MCPH_CONTAINER_OF(t, struct http, base);
    struct http_diagnosis *d = calloc(1, sizeof(*d));

    if (!d)
        return MCPHOST_E_NOMEM;
    d->http = h;
    d->error = mcphost_error_ref(error);
    d->done = done;
    d->arg = arg;
    d->job.run = run_done;
    d->due = mcph_core_now(h->base.core) + (wait_ms < PROBE_MS ? wait_ms : PROBE_MS);
    d->post = (struct probe){.diagnosis = d};
    d->health = (struct probe){.diagnosis = d, .what = "GET /health"};
    d->leave = (struct probe){.diagnosis = d, .what = ""};
    mcph_http_diagnosis_end(h);
    if (wait_ms > 0)
        ask(d);
    if (wait_ms > 0 && d->waiting == 0) {
        release(d);
        return MCPHOST_E_NOMEM;
    }
    h->diagnosis = d;
    if (wait_ms <= 0)
        post_done(d);
    return 0;
}
