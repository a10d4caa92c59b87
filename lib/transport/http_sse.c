/* SPDX-License-Identifier: MIT
 *
 * http_sse.c - HTTP+SSE of MCP 2024-11-05 ("HTTP with SSE"): one stream of events for all
 * messages from the server, and another URL for all messages to the server.
 *
 *   INITIALIZE --GET--> stream --event `endpoint`--> POST of held messages --> ...
 *                                                 stream ends: the connection is lost
 *
 * The transport uses HTTP+SSE if the owner says that the server speaks it.  If the owner
 * says that the server may speak HTTP+SSE, the transport tries HTTP+SSE when the server
 * refuses initialize with 400, 404 or 405 (MCP 2025-11-25, "Backwards Compatibility"),
 * unless the body is an error that only modern servers send.  The endpoint must have the
 * stream's origin.  The endpoint is a secret, because it names the session.  The stream
 * is never resumed, and no DELETE is sent at the end, because the stream is the session.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define ENDPOINT_MAX 8192
#define FIRST_MODERN (-32020)
#define LAST_MODERN  (-32022)

/* ---- a stream that cannot be opened ------------------------------------------------ */

/* Ends the exchange of the stream and closes all held messages, because there is no
 * session.  If `error` is NULL, reports the server's refusal of the GET.  If a POST of a
 * message was refused before, reports that refusal for this message. */
static void
close_held(struct exchange *x, mcphost_error *error)
{
    struct http *h = x->http;
    struct refusal *own = error ? NULL : mcph_http_refusal_new(x);
    mcphost_error *why = mcphost_error_ref(error);
    struct mcph_list *item;

    if (!own && !why)
        mcph_err_nomem(&why);
    mcph_http_enter(x);
    h->barrier = h->old = false;
    mcph_http_exchange_end(x);
    for (item = mcph_list_take_first(&h->held); item;
         item = mcph_list_take_first(&h->held)) {
        struct exchange *it = MCPH_LIST_ENTRY(item, struct exchange, link);

        mcph_list_append(&h->exchanges, item);
        if (it->refusal)
            mcph_http_refusal_tell(it, it->refusal);
        else if (own)
            mcph_http_refusal_tell(it, own);
        else
            mcph_http_exchange_close(it, why);
    }
    mcph_http_refusal_free(own);
    mcphost_error_unref(why);
    mcph_http_leave(x);
}

static void
give_up_with(struct exchange *x, int code, const char *text)
{
    mcphost_error *error = NULL;

    mcph_err(&error, code, "%s", text);
    close_held(x, error);
    mcphost_error_unref(error);
}

static void
on_due(struct mcph_timer *timer)
{
    give_up_with(
        MCPH_CONTAINER_OF(timer, struct exchange, timer), MCPHOST_E_TRANSPORT,
        "opened an event stream, but did not send the session's endpoint in time");
}

/* ---- the endpoint ------------------------------------------------------------------ */

/* Resolves an endpoint relative to the server's URL.  Returns NULL if the endpoint is
 * empty, is too long, is not one line of visible characters or is not a URL, or if there
 * is no memory. */
static char *
resolve_endpoint(const struct http *h, struct mcph_span text)
{
    char *reference, *url = NULL;

    while (text.len > 0 && text.p[text.len - 1] == ' ')
        text.len--;
    if (text.len == 0 || text.len > ENDPOINT_MAX)
        return NULL;
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.p[i] <= 0x20 || text.p[i] == 0x7f)
            return NULL;
    }
    reference = mcph_strndup(text.p, text.len);
    if (reference)
        url = mcph_net_url_resolve(h->url, reference);
    free(reference);
    return url;
}

static void
take_endpoint(struct exchange *x, const struct mcph_frame *frame)
{
    struct http *h = x->http;
    char *url =
        frame && !frame->over ? resolve_endpoint(h, mcph_frame_span(frame)) : NULL;

    if (!url || !mcph_net_url_same_origin(h->url, url)) {
        give_up_with(x, MCPHOST_E_PROTOCOL,
                     url ? "sent a session endpoint of another origin, which is not used"
                         : "sent a session endpoint that is not a URL");
        mcph_str_wipe(url);
        return;
    }
    mcph_timer_cancel(&x->timer);
    h->endpoint = url;
    mcph_http_lift_barrier(h, false);
}

/* ---- the stream -------------------------------------------------------------------- */

int
mcph_http_sse_begin(struct http *h)
{
    struct exchange *x;
    int r = 0;

    mcph_http_listener_stop(h);
    mcph_str_wipe(h->endpoint);
    h->endpoint = NULL;
    h->old = true;
    x = mcph_http_exchange_new(h, KIND_LISTENER, 0);
    if (!x || mcph_timer_init(&x->timer, h->base.core, on_due) < 0)
        r = MCPHOST_E_NOMEM;
    if (r == 0) {
        mcph_list_append(&h->exchanges, &x->link);
        h->listener = x;
        r = mcph_http_exchange_start(x);
    }
    if (r < 0 && x)
        mcph_http_exchange_end(x);
    h->old = h->barrier = r == 0;
    return r;
}

void
mcph_http_sse_opened(struct exchange *x)
{
    mcph_timer_set(&x->timer, mcph_core_now(x->http->base.core) + SSE_ENDPOINT_MS);
}

bool
mcph_http_sse_take(struct exchange *x, const char *type, struct mcph_frame *frame)
{
    if (!x->http->endpoint) {
        if (strcmp(type, "endpoint") == 0)
            take_endpoint(x, frame);
        return false;
    }
    return frame && strcmp(type, "message") == 0;
}

static void
lose_connection(struct http *h, int code, const char *text)
{
    mcphost_error *error = NULL;

    mcph_err(&error, code, "%s", text);
    mcph_http_lose(h, error);
    mcphost_error_unref(error);
}

void
mcph_http_sse_ended(struct exchange *x, mcphost_error *error)
{
    if (x->http->endpoint && error)
        mcph_http_lose(x->http, error);
    else if (x->http->endpoint)
        lose_connection(x->http, MCPHOST_E_TRANSPORT,
                        "ended the event stream of the session");
    else if (error)
        close_held(x, error);
    else if (x->mode == BODY_ERROR && x->status >= 300)
        close_held(x, NULL);
    else if (x->mode == BODY_SSE)
        give_up_with(x, MCPHOST_E_PROTOCOL,
                     "ended the event stream before it sent the session's endpoint");
    else
        give_up_with(x, MCPHOST_E_PROTOCOL,
                     "answered GET with something other than an event stream");
}

/* ---- responses to a POST ----------------------------------------------------------- */

static bool
is_modern_error(const struct exchange *x)
{
    struct mcph_rpc_message msg;
    struct mcph_span message, data;
    int64_t code = 0;

    if (x->body.len == 0)
        return false;
    mcph_rpc_parse(mcph_span(x->body.data, x->body.len), 0, &msg);
    if (msg.kind == MCPH_RPC_ERROR)
        mcph_rpc_error_read(msg.error, &code, &message, &data);
    return code <= FIRST_MODERN && code >= LAST_MODERN;
}

bool
mcph_http_sse_try(struct exchange *x)
{
    struct http *h = x->http;

    if (h->sse != MCPH_HTTP_SSE_MAYBE || h->old || x->kind != MCPH_SEND_INITIALIZE ||
        (x->status != 400 && x->status != 404 && x->status != 405) || is_modern_error(x))
        return false;
    x->refusal = mcph_http_refusal_new(x);
    if (!x->refusal)
        return false;
    if (mcph_http_sse_begin(h) < 0) {
        mcph_http_refusal_tell(x, x->refusal);
        return true;
    }
    mcph_log(h->base.core, MCPHOST_LOG_INFO, "http", h->server,
             "refused initialize with HTTP status %d; trying HTTP+SSE of 2024-11-05",
             x->status);
    mcph_buf_done(&x->body);
    mcph_net_take_body(x->req, &x->body);
    x->req = NULL;
    mcph_list_remove(&x->link);
    mcph_list_append(&h->held, &x->link);
    return true;
}

/* Reports that the server accepted the request, and ends the exchange.  The answer comes
 * on the stream. */
void
mcph_http_sse_accepted(struct exchange *x)
{
    static const struct mcph_transport_status status = {.code = 202};

    mcph_http_enter(x);
    mcph_transport_tell_status(&x->http->base, x->stream, &status);
    if (mcph_http_leave(x))
        mcph_http_exchange_end(x);
}

bool
mcph_http_sse_lost(struct exchange *x)
{
    if (!x->http->endpoint || (x->status != 404 && x->status != 410) ||
        x->kind == KIND_LISTENER)
        return false;
    lose_connection(x->http, MCPHOST_E_TRANSPORT, "does not know its session any more");
    return true;
}
