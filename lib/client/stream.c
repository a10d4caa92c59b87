/* SPDX-License-Identifier: MIT
 *
 * stream.c - end requests when their HTTP streams end or get a status.
 *
 * If a stream ends without an answer, or with a status that does not mean success, the
 * request that was sent on the stream ends.  The body of a failed status may still be an
 * answer.  Some statuses say that the server does not know the client any more.  The
 * client then repeats the handshake over the same transport.  The client sends the
 * refused operation again, once, because the server has not carried out the operation.
 * Requests for lists, and legacy requests to subscribe or unsubscribe, do not fail in
 * this case, because the client makes these requests again after the handshake.
 *
 * MCP 2026-07-28, "Streamable HTTP"; 2025-11-25, "Session Management".
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "auth/auth.h"
#include "client/internal.h"

#define PREVIEW_MAX  280 /* limit on a body, URL or reason in an error text (B.15) */
#define LINES_MAX    8
#define SESSION_CODE (-32000)
#define HEADER_CODE  (-32020)
#define VERSION_CODE (-32022)

/* ---- error messages ---------------------------------------------------------------- */

static struct mcph_span
find_header(const struct mcph_transport_status *status, const char *name)
{
    for (size_t i = 0; i < status->n_headers; i++) {
        if (strcasecmp(status->headers[i].name, name) == 0)
            return status->headers[i].value;
    }
    return MCPH_SPAN_NONE;
}

static void
add_clean(struct mcph_buf *buf, struct mcph_span text, size_t max)
{
    mcph_utf8_add_clean(buf, text.p, text.len < max ? text.len : max, true);
    if (text.len > max)
        mcph_buf_adds(buf, "...");
}

static void
add_challenge(struct mcph_buf *buf, const struct mcph_transport_status *status)
{
    struct mcph_span lines[LINES_MAX];
    struct mcph_challenge challenge;
    size_t n_lines = 0;

    for (size_t i = 0; i < status->n_headers && n_lines < LINES_MAX; i++) {
        if (strcasecmp(status->headers[i].name, "www-authenticate") == 0)
            lines[n_lines++] = status->headers[i].value;
    }
    if (mcph_challenge_parse(lines, n_lines, &challenge) == 0) {
        mcph_buf_adds(buf, "; it ");
        mcph_challenge_describe(&challenge, buf);
    }
    mcph_challenge_done(&challenge);
}

/* Returns a pointer to the first character that is in `chars`, or the end of the text. */
static const char *
find_any(const char *p, const char *end, const char *chars)
{
    while (p < end && !strchr(chars, *p))
        p++;
    return p;
}

/* Adds the target of a redirect.  Omits its user info, query and fragment, because these
 * parts may hold secrets. */
static void
add_location(struct mcph_buf *buf, struct mcph_span to)
{
    const char *start = to.p, *end = find_any(start, start + to.len, "?#");
    const char *host = find_any(start, end, "/"), *at;

    /* Omit the user info of the host.  "//" begins a host, with or without a scheme
     * before the slashes. */
    if (end - host > 2 && host[1] == '/' && (host == start || host[-1] == ':')) {
        host += 2;
        mcph_utf8_add_clean(buf, start, (size_t)(host - start), true);
        at = memrchr(host, '@', (size_t)(find_any(host, end, "/") - host));
        start = at ? at + 1 : host;
    }
    add_clean(buf, mcph_span(start, (size_t)(end - start)), PREVIEW_MAX);
}

static void
add_redirect(struct mcph_buf *buf, const struct mcph_transport_status *status,
             const char *next)
{
    struct mcph_span to = find_header(status, "location");

    if (to.p) {
        mcph_buf_adds(buf, ", to ");
        add_location(buf, to);
    }
    mcph_buf_addf(buf, "; %s", next);
}

/* Adds the text of the error for a failed status.  Returns the error's code. */
static int
add_text(struct mcph_buf *buf, const struct mcph_transport_status *status)
{
    const struct mcph_net_meaning *meaning = mcph_net_status_meaning(status->code);
    struct mcph_span type = find_header(status, "content-type"), pause;

    mcph_buf_addf(buf, "answered with HTTP status %d%s", status->code, meaning->words);
    if (meaning->code == MCPHOST_E_AUTH)
        add_challenge(buf, status);
    if (status->code >= 300 && status->code < 400)
        add_redirect(buf, status, meaning->next);
    if (status->unhelped) {
        mcph_buf_adds(buf, "; ");
        add_clean(buf, mcph_span_str(status->unhelped), PREVIEW_MAX);
    }
    pause = find_header(status, "retry-after");
    if (pause.p) {
        mcph_buf_adds(buf, "; it asks to wait: ");
        add_clean(buf, pause, 40);
    }
    if (type.p && status->body.len > 0) {
        mcph_buf_adds(buf, " (");
        add_clean(buf, type, 80);
        mcph_buf_adds(buf, ": ");
        add_clean(buf, status->body, PREVIEW_MAX);
        mcph_buf_adds(buf, ")");
    }
    return meaning->code;
}

/* Returns a hint for the error of a server that may speak only another era, or "". */
static const char *
session_hint(const struct mcph_client *c, const struct mcph_rpc_call *call, int status)
{
    if (call == &c->probe && status >= 500 && c->spec.era == MCPH_CLIENT_AUTO)
        return CLIENT_ERA_HINT;
    if (call == &c->init && status >= 400 && c->spec.era == MCPH_CLIENT_LEGACY)
        return "; 'era' or the transport allows no other handshake than initialize";
    return "";
}

static mcphost_error *
make_error(struct mcph_client *c, const struct mcph_rpc_call *call,
           const struct mcph_transport_status *status)
{
    struct mcph_span pause = find_header(status, "retry-after");
    mcphost_error *error = NULL;
    struct mcph_buf buf;
    int code;

    mcph_buf_init(&buf, 64 * 1024);
    code = add_text(&buf, status);
    mcph_buf_adds(&buf, session_hint(c, call, status->code));
    if (mcph_buf_text(&buf))
        mcph_client_error(c, &error, code, "%s", buf.data);
    else
        mcph_client_error(c, &error, code, "answered with HTTP status %d", status->code);
    mcph_buf_done(&buf);
    mcph_err_set_http(error, status->code, pause.p, pause.len);
    return error;
}

/* ---- the meaning of a refusal ------------------------------------------------------ */

static bool
text_mentions(struct mcph_span message, const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i + len <= message.len; i++) {
        if (strncasecmp(message.p + i, text, len) == 0)
            return true;
    }
    return false;
}

/* Returns true if the answer says that the session is unknown.  The standard status for
 * an unknown session is 404 (MCP 2025-11-25, "Session Management").  Some servers answer
 * with status 400 and an error that mentions the session. */
bool
mcph_stream_session_is_unknown(const struct mcph_rpc_answer *answer)
{
    struct mcph_span message, data;
    int64_t code;

    if (answer->status != 400 || answer->code != MCPHOST_E_RPC)
        return answer->status == 404;
    mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    return code == SESSION_CODE && (text_mentions(message, "session") ||
                                    text_mentions(message, "not initialized"));
}

/* Returns true if a cached answer to the probe seems to be outdated.  Two conditions must
 * hold: the client took the server for modern because of the cached answer, and `code` is
 * an error that a legacy server sends for a request before initialize. */
static bool
is_unproven(const struct mcph_client *c, int64_t code)
{
    return c->unproven && code <= -32600 && code >= -32602;
}

int
mcph_stream_refusal(const struct mcph_client *c, const struct mcph_rpc_answer *answer)
{
    struct mcph_span message, data;
    int64_t code = 0;

    if (answer->code == MCPHOST_E_RPC)
        mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    if (!c->transport || !c->transport->streams)
        return is_unproven(c, code) ? REFUSAL_STRANGER : REFUSAL_NONE;
    if (c->info.era == MCPH_CLIENT_LEGACY)
        return mcph_stream_session_is_unknown(answer) ? REFUSAL_STRANGER : REFUSAL_NONE;
    if (code == HEADER_CODE)
        return REFUSAL_HEADERS;
    if (c->n_again >= AGAIN_MAX)
        return REFUSAL_NONE; /* the refusal is the answer, because the handshake was
                              * repeated often enough */
    if (code == VERSION_CODE || (answer->status == 400 && code == SESSION_CODE) ||
        (answer->status == 404 && answer->code != MCPHOST_E_RPC))
        return REFUSAL_STRANGER;
    return REFUSAL_NONE;
}

bool
mcph_stream_is_lost(const struct mcph_client *c, const struct mcph_rpc_answer *answer)
{
    return c->transport && c->transport->streams && answer->status == 0 &&
           answer->code == MCPHOST_E_TRANSPORT;
}

/* ---- ends of streams --------------------------------------------------------------- */

static bool
is_ours(const struct mcph_rpc_call *call, const struct mcph_rpc_message *msg)
{
    int64_t n;

    if (msg->kind != MCPH_RPC_ERROR)
        return false;
    if (msg->id.kind == MCPH_RPC_ID_NONE)
        return true;
    if (call->name)
        return msg->id.kind == MCPH_RPC_ID_STRING &&
               mcph_json_string_is(msg->id.raw, call->name, strlen(call->name));
    return mcph_rpc_id_number(&msg->id, &n) && n == call->id;
}

bool
mcph_stream_is_old(const struct mcph_client *c, uint64_t stream)
{
    return stream > 0 && stream <= c->old_streams;
}

static void
settle_call(struct mcph_client *c, struct mcph_rpc_call *call,
            struct mcph_rpc_answer *answer)
{
    bool stranger = c->state == MCPH_CLIENT_READY && !mcph_client_listen_own(call) &&
                    !mcph_stream_is_old(c, call->stream) &&
                    mcph_stream_refusal(c, answer) == REFUSAL_STRANGER;

    /* Send no operation until the handshake is repeated. */
    c->holding |= stranger;
    /* If the server does not know the session, or refuses the version, do not end the
     * requests for lists and the legacy requests to subscribe or unsubscribe, because the
     * client makes these requests again after the handshake. */
    if (!stranger ||
        !(mcph_client_lists_own(call) || mcph_client_subscriptions_own(call)))
        mcph_rpc_settle(call, answer);
    if (stranger && !c->freed && c->state == MCPH_CLIENT_READY)
        mcph_negotiate_again(c);
}

/* Handles a status on a stream that no request waits for. */
static void
handle_stray_status(struct mcph_client *c, uint64_t stream, int status)
{
    if (status == 202)
        return; /* the message needs no answer, or its answer came before */
    mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server,
             "a message that needs no answer was refused with HTTP status %d", status);
    if (status == 404 && c->state == MCPH_CLIENT_READY &&
        c->info.era == MCPH_CLIENT_LEGACY && !mcph_stream_is_old(c, stream))
        mcph_negotiate_again(c);
}

void
mcph_stream_status(struct mcph_client *c, uint64_t stream,
                   const struct mcph_transport_status *status)
{
    struct mcph_rpc_call *call = mcph_rpc_find_stream(&c->rpc, stream);
    struct mcph_rpc_answer answer = {.status = status->code};
    struct mcph_rpc_message msg = {0};
    struct mcph_frame *frame = NULL;

    if (!call) {
        handle_stray_status(c, stream, status->code);
        return;
    }
    if (status->code == 202 && c->talking_legacy) {
        call->stream = 0; /* the answer comes on the common stream */
        return;
    }
    if (status->body.len > 0)
        frame = mcph_frame_new(status->body.p, status->body.len);
    if (frame) {
        mcph_rpc_parse_frame(frame, c->spec.depth, &msg);
        msg.frame = frame;
    }
    /* Ignore the body of 401 and 403, because the headers name the credentials that the
     * server wants. */
    if (frame && status->code != 401 && status->code != 403 && is_ours(call, &msg)) {
        answer.code = MCPHOST_E_RPC;
        answer.msg = &msg;
        answer.frame = frame;
        answer.retry_after = find_header(status, "retry-after");
    } else {
        answer.error = make_error(c, call, status);
        answer.code = mcphost_error_get_code(answer.error);
    }
    settle_call(c, call, &answer);
    mcphost_error_unref(answer.error);
    mcph_frame_unref(frame);
}

void
mcph_stream_closed(struct mcph_client *c, uint64_t stream, mcphost_error *reason)
{
    struct mcph_rpc_call *call = mcph_rpc_find_stream(&c->rpc, stream);
    struct mcph_rpc_answer answer = {0};

    if (!call)
        return;
    mcph_err_copy(&answer.error, reason, c->spec.source, c->spec.server);
    answer.code = mcphost_error_get_code(answer.error);
    mcph_rpc_settle(call, &answer);
    mcphost_error_unref(answer.error);
}
