/* SPDX-License-Identifier: MIT
 *
 * http.c - Streamable HTTP of the legacy era (with initialize and sessions) and of the
 * modern era (2026-07-28): each message is a POST of its own.
 *
 * The sender determines the kind and the headers of a message.  This file keeps the state
 * of the connection: the session (MCP 2025-11-25, "Session Management"), the protocol
 * version for the transport's own requests, and the order at the end of the handshake.
 * The transport holds later messages until the server has answered
 * notifications/initialized or the time for the answer is over, because a legacy server
 * may refuse messages that arrive earlier.
 *
 *   NONE --INITIALIZE--> ASKED --its answer--> ANSWERED --notification--> DONE
 *
 * Each response to a request of the server needs an HTTP connection.  At most
 * ANSWERS_MAX responses and notifications are sent at once.  Further responses and
 * notifications wait, up to a limit.  If a server sends requests faster than it accepts
 * responses, the transport refuses responses and notifications beyond this limit
 * (MCPHOST_E_LIMIT).
 *
 * In NONE, all messages are modern.  The connection has no session and no listener.  A
 * session from the configuration begins in DONE.  The listener of this session starts
 * with the first request that is accepted.  The loss of an HTTP connection affects only
 * the request on it.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define LEAVE_MS  2000
#define QUEUE_MAX ((size_t)64 * 1024 * 1024)

#define ANSWERS_MAX       4
#define ANSWERS_WAIT      256
#define ANSWERS_WAIT_SIZE ((size_t)4 * 1024 * 1024)

static struct http *
http_of(const struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF((struct mcph_transport *)(uintptr_t)t, struct http, base);
}

/* ---- life -------------------------------------------------------------------------- */

static void
release_http(struct http *h)
{
    for (size_t i = 0; i < h->n_user; i++) {
        free((char *)(uintptr_t)h->user[i].name);
        mcph_str_wipe((char *)(uintptr_t)h->user[i].value);
    }
    free(h->user);
    mcph_net_site_done(&h->site);
    mcph_str_wipe(h->session);
    mcph_str_wipe(h->endpoint);
    mcph_str_wipe(h->given_session);
    mcph_str_wipe(h->url);
    free(h->server);
    mcph_buf_done(&h->out);
    mcph_http_forget_given(h);
    mcph_mask_unref(h->base.mask);
    mcph_ration_unref(h->ration);
    mcphost_error_unref(h->over);
    mcph_core_unref(h->base.core);
    free(h);
}

void
mcph_http_enter(struct exchange *x)
{
    x->busy++;
    x->http->busy++;
}

bool
mcph_http_leave(struct exchange *x)
{
    struct http *h = x->http;
    bool dead = x->dead;

    if (--x->busy == 0 && dead)
        mcph_http_exchange_free(x);
    if (--h->busy == 0 && h->freed && !h->posted)
        release_http(h);
    return !dead;
}

static void
answers_go_on(struct http *h)
{
    while (h->n_answers < ANSWERS_MAX && !mcph_list_empty(&h->answers)) {
        struct exchange *x =
            MCPH_LIST_ENTRY(mcph_list_take_first(&h->answers), struct exchange, link);

        x->waits = false;
        x->is_under_way = true;
        h->n_waiting--;
        h->waiting_bytes -= x->body.len;
        h->n_answers++;
        mcph_list_append(h->barrier ? &h->held : &h->exchanges, &x->link);
        if (!h->barrier)
            mcph_http_exchange_start_or_fail(x);
    }
}

/* Discards the responses and notifications that wait. */
static void
answers_drop(struct http *h)
{
    while (!mcph_list_empty(&h->answers))
        mcph_http_exchange_end(MCPH_LIST_ENTRY(h->answers.next, struct exchange, link));
}

void
mcph_http_exchange_end(struct exchange *x)
{
    struct http *h = x->http;

    mcph_list_remove(&x->link);
    if (x->waits) {
        h->n_waiting--;
        h->waiting_bytes -= x->body.len;
    }
    if (x->is_under_way) {
        h->n_answers--;
        answers_go_on(h);
    }
    x->waits = x->is_under_way = false;
    if (x->http->listener == x)
        x->http->listener = NULL;
    x->req = mcph_net_cancel(x->req);
    mcph_list_remove(&x->waiter.link);
    mcph_timer_cancel(&x->timer);
    x->dead = true;
    if (x->busy == 0)
        mcph_http_exchange_free(x);
}

static void
end_all(struct http *h)
{
    answers_drop(h);
    while (!mcph_list_empty(&h->exchanges))
        mcph_http_exchange_end(MCPH_LIST_ENTRY(h->exchanges.next, struct exchange, link));
    while (!mcph_list_empty(&h->held))
        mcph_http_exchange_end(MCPH_LIST_ENTRY(h->held.next, struct exchange, link));
    h->barrier = false;
    mcph_http_trial_end(h);
}

void
mcph_http_set_session(struct http *h, const char *session)
{
    char *copy = session ? mcph_strdup(session) : NULL;

    mcph_str_wipe(h->session);
    h->session = copy;
}

/* ---- sending ----------------------------------------------------------------------- */

void
mcph_http_lift_barrier(struct http *h, bool accepted)
{
    struct mcph_list *item;

    if (!h->barrier)
        return;
    h->barrier = false;
    if (accepted && !h->old)
        mcph_http_listener_start(h);
    for (item = mcph_list_take_first(&h->held); item;
         item = mcph_list_take_first(&h->held)) {
        mcph_list_append(&h->exchanges, item);
        mcph_http_exchange_start_or_fail(MCPH_LIST_ENTRY(item, struct exchange, link));
    }
}

static int
http_open(struct mcph_transport *t, mcphost_error **reterr)
{
    (void)t;
    (void)reterr;
    return 0;
}

static int
http_begin(struct mcph_transport *t, struct mcph_buf **ret_buf)
{
    struct http *h = http_of(t);

    mcph_buf_clear(&h->out); /* removes an incomplete message */
    *ret_buf = &h->out;
    return 0;
}

static int
add_headers(struct exchange *x, const struct mcph_header *headers, size_t n,
            bool *ret_modern)
{
    struct http *h = x->http;

    for (size_t i = 0; i < n; i++) {
        struct mcph_span v = headers[i].value;

        if (strcmp(headers[i].name, "MCP-Protocol-Version") == 0 &&
            v.len < sizeof(h->version)) {
            memcpy(h->version, v.p, v.len);
            h->version[v.len] = '\0';
        }
        *ret_modern = *ret_modern || strcmp(headers[i].name, "Mcp-Method") == 0;
        if (mcph_http_headers_add(&x->lines, &headers[i]) < 0)
            return mcph_buf_ok(&x->lines);
    }
    return 0;
}

/* Advances the handshake before a message is sent.  INITIALIZE ends the use of the old
 * session.  A modern message returns the handshake to the state NONE.  `modern` is true
 * if the message has the header Mcp-Method, which only modern messages have. */
static void
advance_handshake(struct http *h, struct exchange *x, bool modern)
{
    if (modern && h->shake != SHAKE_NONE) {
        h->old = h->joining = false;
        mcph_http_listener_stop(h);
        h->shake = SHAKE_NONE;
    }
    if (x->kind == MCPH_SEND_INITIALIZE) {
        mcph_http_lift_barrier(h, false); /* sends held messages in the old session */
        answers_drop(h);
        mcph_http_listener_stop(h);
        mcph_http_set_session(h, NULL);
        h->joining = false;
        h->session_no++;
        h->version[0] = '\0';
        h->shake = SHAKE_ASKED;
    } else if (x->kind == MCPH_SEND_NOTIFICATION && h->shake == SHAKE_ANSWERED) {
        h->shake = SHAKE_DONE;
        x->initialized = true;
    }
}

/* Decides when a message is sent.  Returns 1 if it is sent now, 0 if it waits for other
 * messages, or MCPHOST_E_LIMIT if too many messages wait already. */
static int
queue_answer(struct http *h, struct exchange *x)
{
    if ((x->kind != MCPH_SEND_RESPONSE && x->kind != MCPH_SEND_NOTIFICATION) ||
        x->initialized)
        return 1;
    if (h->n_answers < ANSWERS_MAX) {
        x->is_under_way = true;
        h->n_answers++;
        return 1;
    }
    if (h->n_waiting >= ANSWERS_WAIT ||
        (h->n_waiting > 0 && h->waiting_bytes + x->body.len > ANSWERS_WAIT_SIZE)) {
        if (!h->told_of_answers)
            mcph_log(h->base.core, MCPHOST_LOG_WARNING, "http", h->server,
                     "sends requests faster than it accepts the answers; some answers "
                     "are dropped");
        h->told_of_answers = true;
        return MCPHOST_E_LIMIT;
    }
    mcph_list_append(&h->answers, &x->link);
    x->waits = true;
    h->n_waiting++;
    h->waiting_bytes += x->body.len;
    return 0;
}

static int
http_commit(struct mcph_transport *t, const struct mcph_header *headers, size_t n_headers,
            int kind, uint64_t stream)
{
    struct http *h = http_of(t);
    struct exchange *x = mcph_http_exchange_new(h, kind, stream);
    int r = x ? 0 : MCPHOST_E_NOMEM;
    bool modern = false;

    if (r == 0)
        r = add_headers(x, headers, n_headers, &modern);
    if (r < 0)
        goto fail;
    mcph_buf_done(&x->body);
    x->body = h->out;
    mcph_buf_init(&h->out, h->queue_max);
    advance_handshake(h, x, modern);
    if (kind == MCPH_SEND_INITIALIZE && (h->old || h->sse == MCPH_HTTP_SSE_YES))
        r = mcph_http_sse_begin(h);
    if (r == 0)
        r = queue_answer(h, x);
    if (r < 0)
        goto fail;
    if (r == 0)
        return 0;
    if (h->barrier) {
        mcph_list_append(&h->held, &x->link);
        return 0;
    }
    mcph_list_append(&h->exchanges, &x->link);
    r = mcph_http_exchange_start(x);
    if (r < 0)
        goto fail;
    h->barrier = x->initialized;
    return 0;
fail:
    if (x)
        mcph_http_exchange_end(x);
    return r == MCPHOST_E_INVALID ? MCPHOST_E_NOMEM : r;
}

static struct exchange *
find_exchange(struct mcph_list *list, uint64_t stream)
{
    mcph_list_for_each_entry (x, list, struct exchange, link) {
        if (x->stream == stream)
            return x;
    }
    return NULL;
}

static void
http_close_stream(struct mcph_transport *t, uint64_t stream)
{
    struct http *h = http_of(t);
    struct exchange *x;

    if (stream == 0)
        return;
    x = find_exchange(&h->exchanges, stream);
    if (!x)
        x = find_exchange(&h->held, stream);
    if (x)
        mcph_http_exchange_end(x);
}

/* ---- the end ----------------------------------------------------------------------- */

static void
run_gone(struct mcph_job *job)
{
    struct http *h = MCPH_CONTAINER_OF(job, struct http, gone_job);

    h->posted = false;
    if (h->freed) {
        if (h->busy == 0)
            release_http(h);
        return;
    }
    mcph_transport_tell_gone(&h->base);
}

static void
post_gone(struct http *h)
{
    if (h->posted)
        return;
    h->posted = true;
    mcph_core_post(h->base.core, &h->gone_job);
}

static void
on_left(struct mcph_net_request *req, mcphost_error *error, void *arg)
{
    struct http *h = arg;

    (void)req;
    /* Ignore a failed DELETE (the transport failed, the time ran out, or the server
     * answered with a redirect), because the transport gives up the session in any case.
     * A refusal by status is no error here. */
    (void)error;
    h->leaving = NULL;
    post_gone(h);
}

/* Sends the DELETE that ends the session (MCP 2025-11-25, "Session Management").  Returns
 * false if no DELETE is sent.  Never ends a session that the configuration gave. */
static bool
leave_session(struct http *h)
{
    static const struct mcph_net_events events = {.done = on_left};
    struct mcph_net_header headers[HTTP_HEADERS_MAX];
    struct mcph_net_spec spec = {.site = &h->site,
                                 .method = "DELETE",
                                 .url = h->url,
                                 .headers = headers,
                                 .total_ms = h->leave_ms,
                                 .events = &events,
                                 .arg = h};
    struct exchange nothing = {.http = h};
    bool leaving;

    if (h->shake == SHAKE_NONE || h->old || !h->session ||
        mcph_streq(h->session, h->given_session))
        return false;
    mcph_list_init(&nothing.waiter.link);
    /* Send no DELETE if the credentials are not available now. */
    leaving = mcph_http_auth_attach(&nothing, "DELETE", h->url, NULL) == 0 &&
              mcph_http_headers_make(&nothing, "DELETE", headers, &spec.n_headers) == 0;
    if (leaving)
        mcph_http_trace_request(&nothing, "DELETE", h->url, headers, spec.n_headers);
    leaving = leaving && mcph_net_start(h->net, &spec, &h->leaving, NULL) == 0;
    mcph_http_auth_done(&nothing);
    return leaving;
}

void
mcph_http_lose(struct http *h, mcphost_error *error)
{
    h->busy++;
    end_all(h);
    mcph_transport_tell_closed(&h->base, 0, error);
    if (!h->freed)
        post_gone(h);
    if (--h->busy == 0 && h->freed && !h->posted)
        release_http(h);
}

static void
http_close(struct mcph_transport *t)
{
    struct http *h = http_of(t);

    if (h->leaving || h->posted)
        return;
    end_all(h);
    if (!leave_session(h))
        post_gone(h);
}

static void
http_kill(struct mcph_transport *t)
{
    struct http *h = http_of(t);

    end_all(h);
    h->leaving = mcph_net_cancel(h->leaving);
    post_gone(h);
}

static void
http_free(struct mcph_transport *t, int64_t wait_ms)
{
    struct http *h = http_of(t);

    (void)wait_ms;
    h->freed = true;
    end_all(h);
    h->leaving = mcph_net_cancel(h->leaving);
    mcph_net_forget(h->net, h->site.key);
    if (!h->posted && h->busy == 0)
        release_http(h);
}

static void
http_cover(struct mcph_transport *t, char *text, size_t len)
{
    struct http *h = http_of(t);

    mcph_list_for_each_entry (x, &h->exchanges, struct exchange, link)
        mcph_http_auth_cover(x, text, len);
    mcph_http_redact(h, text, len);
}

static const struct mcph_transport_ops http_ops = {
    .name = "http",
    .open = http_open,
    .begin = http_begin,
    .commit = http_commit,
    .close_stream = http_close_stream,
    .close = http_close,
    .kill = http_kill,
    .free = http_free,
    .cover = http_cover,
    .awaits_credentials = mcph_http_auth_awaited,
    .try_requests = mcph_http_try_requests,
};

/* ---- creating a transport ---------------------------------------------------------- */

static bool
copy_headers(struct http *h, const struct mcph_http_spec *spec)
{
    if (spec->n_headers == 0)
        return true;
    h->user = mcph_reallocarray(NULL, spec->n_headers, sizeof(*h->user));
    if (!h->user)
        return false;
    for (size_t i = 0; i < spec->n_headers; i++) {
        struct mcph_net_header *to = &h->user[h->n_user];

        if (mcph_http_is_reserved(spec->headers[i].name))
            continue;
        to->len = spec->headers[i].len;
        to->name = mcph_strdup(spec->headers[i].name);
        to->value = mcph_strndup(spec->headers[i].value, to->len);
        h->n_user++;
        if (!to->name || !to->value ||
            mcph_mask_add_header(h->base.mask, to->value, to->len) < 0)
            return false;
    }
    return true;
}

int
mcph_http_new(struct mcph_core *core, struct mcph_net *net,
              const struct mcph_http_spec *spec, const struct mcph_transport_owner *owner,
              void *owner_arg, struct mcph_transport **ret, mcphost_error **reterr)
{
    struct http *h = calloc(1, sizeof(*h));

    if (!h)
        return mcph_err_nomem(reterr);
    h->base.ops = &http_ops;
    h->base.core = mcph_core_ref(core);
    h->base.owner = owner;
    h->base.owner_arg = owner_arg;
    h->base.wants_headers = h->base.streams = true;
    mcph_buf_init(&h->given, HTTP_SECRETS_MAX);
    h->base.mask = spec->mask ? mcph_mask_ref(spec->mask) : mcph_mask_new();
    h->net = net;
    h->sse = spec->sse;
    h->queue_max = QUEUE_MAX;
    h->leave_ms = LEAVE_MS;
    h->gone_job.run = run_gone;
    mcph_list_init(&h->exchanges);
    mcph_list_init(&h->held);
    mcph_list_init(&h->answers);
    mcph_buf_init(&h->out, h->queue_max);
    mcph_err(&h->over, MCPHOST_E_PROTOCOL,
             "sent something that is not an answer to the request");
    if (!h->base.mask || !mcph_str_copy(spec->server, &h->server) ||
        !mcph_str_copy(spec->url, &h->url) ||
        !mcph_str_copy(spec->session_id, &h->given_session) ||
        mcph_net_site_copy(&spec->site, &h->site) < 0 || !copy_headers(h, spec)) {
        release_http(h);
        return mcph_err_nomem(reterr);
    }
    h->site.key = mcph_net_site_key();
    if (h->given_session) {
        mcph_http_set_session(h, h->given_session);
        h->shake = SHAKE_DONE;
        h->joining = true;
    }
    h->base.server = h->server;
    *ret = &h->base;
    return 0;
}

void
mcph_http_set_frame_limit(struct mcph_transport *t, size_t limit)
{
    http_of(t)->frame_limit = limit;
}

void
mcph_http_set_sink(struct mcph_transport *t, struct mcph_sink *sink,
                   struct mcph_ration *ration)
{
    struct mcph_ration *before = http_of(t)->ration;

    http_of(t)->sink = sink;
    http_of(t)->ration = mcph_ration_ref(ration);
    mcph_ration_unref(before);
}

void
mcph_http_set_auth(struct mcph_transport *t, struct mcph_net_auth *auth)
{
    http_of(t)->auth = auth;
}

void
mcph_http_set_leave(struct mcph_transport *t, int64_t ms)
{
    http_of(t)->leave_ms = ms > 0 ? ms : 1;
}

void
mcph_http_set_idle(struct mcph_transport *t, int64_t ms)
{
    http_of(t)->idle_ms = ms > 0 ? ms : 0;
}
