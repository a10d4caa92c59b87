/* SPDX-License-Identifier: MIT
 *
 * stream.c - end requests by the events of their streams (HTTP).
 *
 * If a stream ends without an answer, or with a status that is no success, the request
 * that was sent on it ends.  The body of a failed status may still be an answer.  Some
 * statuses say that the server does not know the client any more.  Then the handshake is
 * repeated over the same transport.  The refused request is sent again, once, because the
 * server has not carried it out.
 *
 * MCP 2026-07-28, "Streamable HTTP"; 2025-11-25, "Session Management".
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "auth/auth.h"
#include "client/internal.h"

#define PREVIEW_MAX  280 /* bytes of a body or URL in a message (B.15) */
#define LINES_MAX    8
#define SESSION_CODE (-32000)
#define HEADER_CODE  (-32020)
#define VERSION_CODE (-32022)

/* ---- error messages ---------------------------------------------------------------- */

static struct mcph_span
header(const struct mcph_header *headers, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(headers[i].name, name) == 0)
            return headers[i].value;
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
add_challenge(struct mcph_buf *buf, const struct mcph_header *headers, size_t n)
{
    struct mcph_span lines[LINES_MAX];
    struct mcph_challenge challenge;
    size_t n_lines = 0;

    for (size_t i = 0; i < n && n_lines < LINES_MAX; i++) {
        if (strcasecmp(headers[i].name, "www-authenticate") == 0)
            lines[n_lines++] = headers[i].value;
    }
    if (mcph_challenge_parse(lines, n_lines, &challenge) == 0) {
        mcph_buf_adds(buf, "; it ");
        mcph_challenge_describe(&challenge, buf);
    }
    mcph_challenge_done(&challenge);
}

/* Returns the first of these characters, or the end. */
static const char *
find_any(const char *p, const char *end, const char *chars)
{
    while (p < end && !strchr(chars, *p))
        p++;
    return p;
}

/* Adds the target of a redirect, without its user info, query and fragment, which may
 * hold secrets. */
static void
add_location(struct mcph_buf *buf, struct mcph_span to)
{
    const char *start = to.p, *end = find_any(start, start + to.len, "?#");
    const char *host = find_any(start, end, "/"), *at;

    /* "//" at the place of the path begins a host, with or without a scheme before it. */
    if (end - host > 2 && host[1] == '/' && (host == start || host[-1] == ':')) {
        host += 2;
        mcph_utf8_add_clean(buf, start, (size_t)(host - start), true);
        at = memrchr(host, '@', (size_t)(find_any(host, end, "/") - host));
        start = at ? at + 1 : host;
    }
    add_clean(buf, mcph_span(start, (size_t)(end - start)), PREVIEW_MAX);
}

static int
words(struct mcph_buf *buf, int status, const struct mcph_header *headers, size_t n,
      struct mcph_span body)
{
    struct mcph_span type = header(headers, n, "content-type"), value;
    int code = MCPHOST_E_TRANSPORT;

    mcph_buf_addf(buf, "answered with HTTP status %d", status);
    if (status == 401 || status == 403) {
        code = MCPHOST_E_AUTH;
        mcph_buf_adds(buf, status == 401 ? ": it wants credentials" : ": access refused");
        add_challenge(buf, headers, n);
    } else if (status >= 300 && status < 400) {
        mcph_buf_adds(buf, ": a redirect that is not followed");
        value = header(headers, n, "location");
        if (value.p) {
            mcph_buf_adds(buf, ", to ");
            add_location(buf, value);
        }
        mcph_buf_adds(buf, "; if that is right, let 'url' say so");
    } else if (status == 404) {
        mcph_buf_adds(buf, ": nothing is at this url");
    } else if (status == 405) {
        mcph_buf_adds(buf, ": it takes no POST; this is no MCP endpoint, or one of "
                           "version 2024-11-05");
    } else if (status == 429) {
        mcph_buf_adds(buf, ": it gets more requests than it wants");
    } else if (status == 407) {
        mcph_buf_adds(buf, ": it is the proxy's, which wants a login");
    } else if (status >= 200 && status < 300) {
        code = MCPHOST_E_PROTOCOL;
        mcph_buf_adds(buf, " and nothing that is an answer");
    }
    value = header(headers, n, "retry-after");
    if (value.p) {
        mcph_buf_adds(buf, "; it asks to wait: ");
        add_clean(buf, value, 40);
    }
    if (type.p && body.len > 0) {
        mcph_buf_adds(buf, " (");
        add_clean(buf, type, 80);
        mcph_buf_adds(buf, ": ");
        add_clean(buf, body, PREVIEW_MAX);
        mcph_buf_adds(buf, ")");
    }
    return code;
}

/* Returns a hint for the error of a server that may speak only the other era. */
static const char *
hint(const struct mcph_client *c, const struct mcph_rpc_call *call, int status)
{
    if (call == &c->probe && status >= 500 && c->spec.era == MCPH_CLIENT_AUTO)
        return CLIENT_ERA_HINT;
    if (call == &c->init && status >= 400 && c->spec.era == MCPH_CLIENT_LEGACY)
        return "; 'era' or the transport leaves no other way in than initialize";
    return "";
}

static mcphost_error *
make_error(struct mcph_client *c, const struct mcph_rpc_call *call, int status,
           const struct mcph_header *headers, size_t n, struct mcph_span body)
{
    mcphost_error *error = NULL;
    struct mcph_span retry;
    struct mcph_buf buf;
    int code;

    mcph_buf_init(&buf, 64 * 1024);
    code = words(&buf, status, headers, n, body);
    mcph_buf_adds(&buf, hint(c, call, status));
    if (mcph_buf_text(&buf))
        mcph_client_error(c, &error, code, "%s", buf.data);
    else
        mcph_client_error(c, &error, code, "answered with HTTP status %d", status);
    mcph_buf_done(&buf);
    retry = header(headers, n, "retry-after");
    mcph_err_set_http(error, status, retry.p, retry.len);
    return error;
}

/* ---- the meaning of a refusal ------------------------------------------------------ */

static bool
speaks_of(struct mcph_span message, const char *words)
{
    size_t len = strlen(words);

    for (size_t i = 0; i + len <= message.len; i++) {
        if (strncasecmp(message.p + i, words, len) == 0)
            return true;
    }
    return false;
}

/* MCP 2025-11-25, "Session Management": status 404.  Some servers answer with status 400
 * and an error that mentions the session. */
bool
mcph_stream_session_is_unknown(const struct mcph_rpc_answer *answer)
{
    struct mcph_span message, data;
    int64_t code;

    if (answer->status != 400 || answer->code != MCPHOST_E_RPC)
        return answer->status == 404;
    mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    return code == SESSION_CODE &&
           (speaks_of(message, "session") || speaks_of(message, "not initialized"));
}

/* True if the server was taken for modern by a cached answer, and refuses the first
 * request as a legacy server refuses a request before initialize. */
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
        return REFUSAL_NONE; /* the server knows the new session: this is its answer */
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
settle(struct mcph_client *c, struct mcph_rpc_call *call, struct mcph_rpc_answer *answer)
{
    bool stranger = c->state == MCPH_CLIENT_READY && !mcph_client_listen_own(call) &&
                    !mcph_stream_is_old(c, call->stream) &&
                    mcph_stream_refusal(c, answer) == REFUSAL_STRANGER;

    /* Send no operation until the handshake is repeated. */
    c->holding |= stranger;
    /* Lists and subscriptions begin again after the handshake, so they need no answer. */
    if (!stranger ||
        !(mcph_client_lists_own(call) || mcph_client_subscriptions_own(call)))
        mcph_rpc_settle(call, answer);
    if (stranger && !c->freed && c->state == MCPH_CLIENT_READY)
        mcph_negotiate_again(c);
}

void
mcph_stream_status(struct mcph_client *c, uint64_t stream, int status,
                   const struct mcph_header *headers, size_t n_headers,
                   struct mcph_span body)
{
    struct mcph_rpc_call *call = mcph_rpc_find_stream(&c->rpc, stream);
    struct mcph_rpc_answer answer = {.status = status};
    struct mcph_rpc_message msg = {0};
    struct mcph_frame *frame = NULL;

    if (!call && status == 202)
        return; /* the answer came before the status */
    if (!call) {
        mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server,
                 "a message without an answer was refused with HTTP status %d", status);
        if (status == 404 && c->state == MCPH_CLIENT_READY &&
            c->info.era == MCPH_CLIENT_LEGACY && !mcph_stream_is_old(c, stream))
            mcph_negotiate_again(c);
        return;
    }
    if (status == 202 && c->talking_legacy) {
        call->stream = 0; /* the answer comes on the common stream */
        return;
    }
    if (body.len > 0)
        frame = mcph_frame_new(body.p, body.len);
    if (frame) {
        mcph_rpc_parse_frame(frame, c->spec.depth, &msg);
        msg.frame = frame;
    }
    /* The headers, not the body, of 401 and 403 say what the server wants. */
    if (frame && status != 401 && status != 403 && is_ours(call, &msg)) {
        answer.code = MCPHOST_E_RPC;
        answer.msg = &msg;
        answer.frame = frame;
        answer.retry_after = header(headers, n_headers, "retry-after");
    } else {
        answer.error = make_error(c, call, status, headers, n_headers, body);
        answer.code = mcphost_error_get_code(answer.error);
    }
    settle(c, call, &answer);
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
