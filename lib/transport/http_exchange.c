/* SPDX-License-Identifier: MIT
 *
 * http_exchange.c - one message: its POST, the response, and the end of its stream.
 *
 *   POST --2xx JSON--> one message --> closed
 *        --2xx SSE---> messages ----> answered, then read to its end --> closed
 *        |                  `-------> broken off: resumed, or closed
 *        --else------> status ------> closed
 *
 * The transport reports nothing for a notification or a response that the server accepts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define LINGER_MS       5000  /* limit in ms on the rest of a stream after its answer */
#define SHAKE_MS        10000 /* limit in ms for notifications/initialized */
#define ACCEPT_MS       60000 /* limit in ms for other notifications and for responses */
#define IDLE_MS         300000
#define SESSION_IDLE_MS (INT64_C(3600) * 1000)
#define PAGE_MS         10000 /* limit in ms for a body that is an error or is skipped */
#define PAGE_MAX        ((size_t)1024 * 1024)
#define HEADERS_LEN     ((size_t)1024 * 1024)

struct exchange *
mcph_http_exchange_new(struct http *h, int kind, uint64_t stream)
{
    struct exchange *x = calloc(1, sizeof(*x));

    if (!x)
        return NULL;
    x->http = h;
    x->kind = kind;
    x->stream = stream;
    mcph_list_init(&x->link);
    mcph_list_init(&x->waiter.link);
    mcph_buf_init(&x->lines, HEADERS_LEN);
    mcph_buf_init(&x->body, HTTP_BODY_MAX);
    return x;
}

void
mcph_http_exchange_free(struct exchange *x)
{
    if (x->framer)
        mcph_framer_done(x->framer);
    free(x->framer);
    if (x->sse)
        mcph_sse_done(x->sse);
    free(x->sse);
    mcph_timer_done(&x->timer);
    mcphost_error_unref(x->failed);
    mcph_http_refusal_free(x->refusal);
    mcph_http_auth_done(x);
    mcph_buf_done(&x->lines);
    mcph_buf_done(&x->body);
    free(x);
}

void
mcph_http_exchange_close(struct exchange *x, mcphost_error *reason)
{
    struct http *h = x->http;
    bool told = x->kind != KIND_LISTENER;

    mcph_http_enter(x);
    if (x->initialized)
        mcph_http_lift_barrier(h, false);
    if (told && !x->dead)
        mcph_transport_tell_closed(&h->base, x->stream, reason);
    if (!x->dead)
        mcph_http_exchange_end(x);
    mcph_http_leave(x);
}

static void
close_with(struct exchange *x, int code, const char *text)
{
    mcphost_error *error = NULL;

    mcph_err(&error, code, "%s", text);
    mcph_http_exchange_close(x, error);
    mcphost_error_unref(error);
}

/* ---- messages ---------------------------------------------------------------------- */

static bool
is_request(const struct exchange *x)
{
    return x->kind == MCPH_SEND_REQUEST || x->kind == MCPH_SEND_CALL ||
           x->kind == MCPH_SEND_LISTEN || x->kind == MCPH_SEND_INITIALIZE;
}

/* Returns true if a message is the response to another request.  This response does not
 * end the stream. */
static bool
is_for_another(const struct exchange *x, const struct mcph_rpc_message *msg)
{
    return (msg->kind == MCPH_RPC_RESULT || msg->kind == MCPH_RPC_ERROR) &&
           msg->id.kind != MCPH_RPC_ID_NONE && x->id.kind != MCPH_RPC_ID_NONE &&
           !mcph_rpc_id_answers(&x->id, &msg->id);
}

static bool
is_answer(const struct exchange *x, const struct mcph_rpc_message *msg)
{
    if (msg->kind != MCPH_RPC_RESULT && msg->kind != MCPH_RPC_ERROR && !msg->is_answer)
        return false;
    return !is_for_another(x, msg);
}

/* Returns true if one of the messages in a batch is the answer (MCP 2025-03-26). */
static bool
holds_answer(const struct exchange *x, struct mcph_span batch)
{
    struct mcph_rpc_message msg;
    struct mcph_json_iter it;
    struct mcph_span value;

    mcph_json_iter_init(&it, batch);
    while (mcph_json_iter_next(&it, NULL, &value)) {
        mcph_rpc_parse_element(value, &msg);
        if (is_answer(x, &msg))
            return true;
    }
    return false;
}

/* Sets x->answered if this message is the answer to the stream's request.  If the message
 * is the result of initialize, also advances the handshake to ANSWERED. */
static void
note_answer(struct exchange *x, const struct mcph_rpc_message *msg)
{
    x->answered =
        msg->kind == MCPH_RPC_BATCH ? holds_answer(x, msg->whole) : is_answer(x, msg);
    if (x->answered && x->kind == MCPH_SEND_INITIALIZE && msg->kind == MCPH_RPC_RESULT)
        x->http->shake = SHAKE_ANSWERED;
}

/* Advances the handshake to ANSWERED by the result of initialize on the stream of
 * HTTP+SSE.  Later messages then wait until the server accepts notifications/initialized,
 * as with Streamable HTTP. */
static void
note_handshake(struct exchange *x, const struct mcph_rpc_message *msg)
{
    if (msg->kind == MCPH_RPC_RESULT)
        x->http->shake = SHAKE_ANSWERED;
}

/* Reports a message.  Parses only a message that may be an awaited answer.  Returns false
 * if the exchange has ended. */
static bool
tell_frame(struct exchange *x, struct mcph_frame *frame)
{
    bool awaits_answer = is_request(x) && !x->answered;
    bool awaits_handshake =
        x->kind == KIND_LISTENER && x->http->old && x->http->shake == SHAKE_ASKED;
    struct mcph_rpc_message msg;

    mcph_http_enter(x);
    if (frame->over && awaits_answer)
        x->answered = frame->over->has_result || frame->over->has_error;
    if (!frame->over && (awaits_answer || awaits_handshake)) {
        mcph_rpc_parse_frame(frame, 0, &msg);
        if (awaits_answer)
            note_answer(x, &msg);
        else
            note_handshake(x, &msg);
        mcph_transport_tell_parsed(&x->http->base, x->stream, &msg);
    } else {
        mcph_transport_tell_message(&x->http->base, x->stream, frame);
    }
    return mcph_http_leave(x);
}

/* Reads a part of a JSON body.  Replaces newlines by blanks, because the framer needs one
 * line. */
static void
take_json(struct exchange *x, const char *data, size_t len)
{
    struct mcph_frame *frame;
    const char *end;
    size_t n;
    int r = 0;

    while (len > 0 && r == 0) {
        end = memchr(data, '\n', len);
        n = end ? (size_t)(end - data) : len;
        if (n > 0)
            r = mcph_framer_put(x->framer, data, n);
        if (end && r == 0)
            r = mcph_framer_put(x->framer, " ", 1);
        if (r == 0)
            r = mcph_framer_next(x->framer, &frame);
        n += end != NULL;
        data += n;
        len -= n;
    }
    if (r < 0)
        close_with(x, MCPHOST_E_NOMEM, "out of memory while reading");
}

static void
end_json(struct exchange *x)
{
    struct mcph_frame *frame = NULL;
    int r = mcph_framer_put(x->framer, "\n", 1);

    if (r == 0)
        r = mcph_framer_next(x->framer, &frame);
    if (r < 0) {
        close_with(x, MCPHOST_E_NOMEM, "out of memory while reading");
        return;
    }
    if (r == 0) {
        close_with(x, MCPHOST_E_PROTOCOL, "answered with an empty body");
        return;
    }
    if (tell_frame(x, frame))
        mcph_http_exchange_close(x, x->http->over);
    mcph_frame_unref(frame);
}

/* Handles an event.  Returns false if the exchange has ended. */
static bool
take_event(struct exchange *x, const char *type, struct mcph_frame *frame)
{
    bool before = x->answered;

    if (x->kind == KIND_LISTENER && x->http->old) {
        mcph_http_enter(x);
        if (!mcph_http_sse_take(x, type, frame))
            return mcph_http_leave(x);
        mcph_http_leave(x);
        return tell_frame(x, frame);
    }
    if (!frame || strcmp(type, "message") != 0)
        return true;
    if (!tell_frame(x, frame))
        return false;
    /* Read the rest of the stream for at most LINGER_MS, so that the connection can be
     * reused. */
    if (x->answered && !before)
        mcph_net_set_total(x->req, LINGER_MS);
    return true;
}

static void
take_events(struct exchange *x, const char *data, size_t len)
{
    struct mcph_span bytes = mcph_span(data, len);
    struct mcph_frame *frame;
    const char *type;
    uint64_t before;
    bool alive;
    int r;

    for (;;) {
        mcph_net_spend(x->http->net, MCPH_TURN_MESSAGE);
        before = x->sse->n_events;
        r = mcph_sse_next(x->sse, &bytes, &type, &frame);
        if (x->sse->n_events != before)
            x->attempts = 0;
        if (r <= 0)
            break;
        alive = take_event(x, type, frame);
        mcph_frame_unref(frame);
        if (!alive)
            return;
    }
    if (r < 0)
        close_with(x, MCPHOST_E_NOMEM, "out of memory while reading");
}

/* ---- the head of the response ------------------------------------------------------ */

static int
begin_json(struct exchange *x)
{
    x->framer = calloc(1, sizeof(*x->framer));
    if (!x->framer)
        return MCPHOST_E_NOMEM;
    mcph_framer_init(x->framer, x->http->frame_limit);
    mcph_framer_set_sink(x->framer, x->http->sink);
    mcph_framer_set_ration(x->framer, x->http->ration);
    x->mode = BODY_JSON;
    return 0;
}

/* Returns the idle limit of a stream that stays open.  The limit is short, because the
 * stream can be opened again.  The limit for the stream of HTTP+SSE is long, because this
 * stream is the session. */
static int64_t
idle_of(const struct http *h)
{
    if (h->idle_ms > 0)
        return h->idle_ms;
    return h->old ? SESSION_IDLE_MS : IDLE_MS;
}

static void
note_id(struct exchange *x)
{
    const struct mcph_buf *body = mcph_net_get_body(x->req);
    struct mcph_span id = body->len > 0
                              ? mcph_json_get(mcph_span(body->data, body->len), "id")
                              : MCPH_SPAN_NONE;

    if (id.p && id.len <= sizeof(x->id_text)) {
        memcpy(x->id_text, id.p, id.len);
        (void)mcph_rpc_id_parse(mcph_span(x->id_text, id.len), &x->id);
    }
}

static int
begin_sse(struct exchange *x)
{
    if (x->sse) {
        mcph_sse_restart(x->sse);
    } else {
        x->sse = malloc(sizeof(*x->sse));
        if (!x->sse)
            return MCPHOST_E_NOMEM;
        mcph_sse_init(x->sse, x->http->frame_limit);
        mcph_framer_set_sink(&x->sse->framer, x->http->sink);
        mcph_framer_set_ration(&x->sse->framer, x->http->ration);
        note_id(x);
    }
    x->mode = BODY_SSE;
    if (x->kind == MCPH_SEND_LISTEN || x->kind == KIND_LISTENER)
        mcph_net_set_idle(x->req, idle_of(x->http));
    if (x->kind == KIND_LISTENER && x->http->old)
        mcph_http_sse_opened(x);
    return 0;
}

/* Takes the session from the response to initialize.  No other response names a session
 * (MCP 2025-11-25, "Session Management"). */
static void
take_session(struct exchange *x)
{
    const char *session = mcph_net_get_header(x->req, "mcp-session-id", 0);

    if (session && !mcph_http_session_is_valid(session)) {
        mcph_log(x->http->base.core, MCPHOST_LOG_WARNING, "http", x->http->server,
                 "the server's Mcp-Session-Id is not valid and is ignored");
        session = NULL;
    }
    if (session)
        mcph_http_set_session(x->http, session);
}

/* Logs the status and the content type.  Masks the type only if the line is written,
 * because this function runs for each response. */
static void
log_head(const struct exchange *x, const char *type)
{
    struct mcph_core *core = x->http->base.core;
    char shown[256];

    if (!mcph_log_wants(core, MCPHOST_LOG_DEBUG))
        return;
    snprintf(shown, sizeof(shown), "%s", type ? type : "no content type");
    mcph_http_exchange_redact(x, shown, strlen(shown));
    mcph_log(core, MCPHOST_LOG_DEBUG, "http", x->http->server,
             "stream %llu: HTTP %d, %.60s", (unsigned long long)x->stream, x->status,
             shown);
}

static void
read_head(struct exchange *x, struct mcph_net_request *req)
{
    const char *type = mcph_net_get_header(req, "content-type", 0);
    bool good, missed = false, get = x->kind == KIND_LISTENER || x->resumed;
    int r = 0;

    x->status = mcph_net_get_status(req);
    good = x->status >= 200 && x->status < 300;
    log_head(x, type);
    if (good)
        mcph_http_auth_note(x, req);
    if (good && x->kind == MCPH_SEND_INITIALIZE && !get)
        take_session(x);
    if (good && x->initialized)
        mcph_http_lift_barrier(x->http, true);
    if (good && x->http->joining) {
        x->http->joining = false;
        mcph_http_listener_start(x->http);
    }
    if (good && !get && (!is_request(x) || x->http->endpoint))
        x->mode = BODY_SKIP;
    else if (good && mcph_http_type_is(type, "text/event-stream") && x->status != 202)
        r = begin_sse(x);
    else if (good && !get && mcph_http_type_is(type, "application/json") &&
             x->status != 202)
        r = begin_json(x);
    else
        x->mode = BODY_ERROR;
    if (r < 0) {
        close_with(x, r, "out of memory while reading");
        return;
    }
    if (x->mode == BODY_SSE) {
        /* Report missed messages if the listener had a stream before and has no event id.
         * Without event ids, the server cannot repeat messages of the time between the
         * streams. */
        missed = x->kind == KIND_LISTENER && x->lived && !x->sse->id[0];
        x->lived = true;
        x->since = mcph_core_now(x->http->base.core);
    } else if (x->mode != BODY_JSON) {
        mcph_net_set_max_body(req, PAGE_MAX);
        mcph_net_set_total(req, PAGE_MS);
    }
    if (missed)
        mcph_transport_tell_missed(&x->http->base);
}

static void
on_head(struct mcph_net_request *req, void *arg)
{
    struct exchange *x = arg;

    mcph_http_enter(x);
    mcph_http_trace_answer(x, req);
    read_head(x, req);
    mcph_http_leave(x);
}

static void
on_body(struct mcph_net_request *req, const char *data, size_t len, void *arg)
{
    struct exchange *x = arg;
    size_t room;

    (void)req;
    mcph_http_enter(x);
    switch (x->mode) {
    case BODY_JSON:
        take_json(x, data, len);
        break;
    case BODY_SSE:
        take_events(x, data, len);
        break;
    case BODY_ERROR:
        room = HTTP_BODY_MAX - x->body.len;
        x->is_cut = x->is_cut || len > room;
        (void)mcph_buf_add(&x->body, data, len < room ? len : room);
        break;
    }
    mcph_http_leave(x);
}

/* ---- the end ----------------------------------------------------------------------- */

static void
end_events(struct exchange *x, mcphost_error *error)
{
    if (x->answered) {
        mcph_http_exchange_close(x, x->http->over);
    } else if (mcph_http_resume_later(x)) {
        return;
    } else if (error) {
        mcph_http_exchange_close(x, error);
    } else {
        close_with(x, MCPHOST_E_TRANSPORT, "ended the stream before the answer came");
    }
}

static void
request_ended(struct exchange *x, mcphost_error *error)
{
    if (mcph_http_auth_again(x, error))
        return;
    if (x->failed)
        mcph_http_exchange_close(x, x->failed);
    else if (x->kind == KIND_LISTENER && x->http->old) {
        mcph_http_sse_ended(x, error);
    } else if (x->kind == KIND_LISTENER) {
        mcph_http_listener_ended(x);
    } else if (x->mode == BODY_SSE) {
        end_events(x, error);
    } else if (x->mode == BODY_ERROR) {
        if (x->resumed)
            mcph_http_resume_refused(x);
        else if (!mcph_http_sse_lost(x) && !mcph_http_sse_try(x))
            mcph_http_exchange_refused(x);
    } else if (error && x->resumed && mcph_http_resume_later(x)) {
        return;
    } else if (x->mode == BODY_SKIP && is_request(x)) {
        mcph_http_sse_accepted(x);
    } else if (x->mode == BODY_SKIP) {
        mcph_http_exchange_end(x); /* the message was accepted, even if the body failed */
    } else if (error) {
        mcph_http_exchange_close(x, error);
    } else if (x->mode == BODY_JSON) {
        end_json(x);
    } else {
        close_with(x, MCPHOST_E_PROTOCOL, "ended without an answer");
    }
}

static void
on_done(struct mcph_net_request *req, mcphost_error *error, void *arg)
{
    struct exchange *x = arg;

    (void)req;
    mcph_http_enter(x);
    mcph_http_trace_end(x, error);
    request_ended(x, error);
    if (!x->dead)
        x->req = x->req == req ? NULL : x->req;
    mcph_http_leave(x);
}

static bool
on_moved(struct mcph_net_request *req, const char *url, void *arg)
{
    return mcph_http_auth_moved(arg, req, url);
}

static const struct mcph_net_events net_events = {
    .moved = on_moved, .head = on_head, .body = on_body, .done = on_done};

/* ---- sending ----------------------------------------------------------------------- */

static int
start_request(struct exchange *x, mcphost_error **reterr)
{
    struct mcph_net_header headers[HTTP_HEADERS_MAX];
    struct http *h = x->http;
    bool get = x->kind == KIND_LISTENER || x->resumed;
    struct mcph_net_spec spec = {.site = &h->site,
                                 .method = get ? "GET" : "POST",
                                 .url = h->endpoint && !get ? h->endpoint : h->url,
                                 .headers = headers,
                                 .body = get ? NULL : &x->body,
                                 .events = &net_events,
                                 .arg = x};
    int r = mcph_http_auth_attach(x, spec.method, spec.url, reterr);

    if (r != 0)
        return r < 0 ? r : 0;
    spec.once = (!get && x->kind == MCPH_SEND_CALL) || x->attempt.proof.len > 0;
    r = mcph_http_headers_make(x, spec.method, headers, &spec.n_headers);
    if (r < 0)
        return mcph_err(reterr, r, "the request would have more than %d headers",
                        HTTP_HEADERS_MAX);
    if (!get && !is_request(x))
        spec.total_ms = x->initialized ? SHAKE_MS : ACCEPT_MS;
    else if (x->kind == KIND_LISTENER && h->old)
        spec.idle_ms = SSE_ENDPOINT_MS;
    x->mode = BODY_NONE;
    x->status = 0;
    x->is_cut = false;
    if (!x->resumed)
        x->session_no = h->session_no;
    mcph_http_trace_request(x, spec.method, spec.url, headers, spec.n_headers);
    return mcph_net_start(h->net, &spec, &x->req, reterr);
}

int
mcph_http_exchange_start(struct exchange *x)
{
    mcphost_error *error = NULL;
    int r = start_request(x, &error);

    /* With a provider of credentials, do not return the error: the stream closes with the
     * error later.  Return only a lack of memory. */
    if (r < 0 && x->http->auth && r != MCPHOST_E_NOMEM)
        r = mcph_http_fail_later(x, error);
    mcphost_error_unref(error);
    return r;
}

void
mcph_http_exchange_start_or_close(struct exchange *x)
{
    mcphost_error *error = NULL;

    if (start_request(x, &error) < 0)
        mcph_http_exchange_close(x, error);
    mcphost_error_unref(error);
}

void
mcph_http_exchange_start_or_fail(struct exchange *x)
{
    mcphost_error *error = NULL;

    if (start_request(x, &error) < 0)
        (void)mcph_http_fail_later(x, error); /* if memory is short, the sender's
                                               * deadline ends the request */
    mcphost_error_unref(error);
}
