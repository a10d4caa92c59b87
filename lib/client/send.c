/* SPDX-License-Identifier: MIT
 *
 * send.c - build and send messages: requests with their _meta, notifications, answers.
 *
 * This file builds messages in the transport's own buffer.  Every modern request carries
 * the protocol version, and the identity and capabilities of the client, in _meta (MCP
 * 2026-07-28, "Requests").  The client makes the text of these members once, because all
 * requests of a connection have the same text.  A legacy request has a _meta only if
 * there is something to put into _meta.
 */
#include "client/internal.h"

#define META_MAX  (64u * 1024u)
#define KEY(name) "\"io.modelcontextprotocol/" name "\":"

int
mcph_client_add_identity(const struct mcph_client *c, struct mcph_buf *buf)
{
    return mcph_rpc_add_identity(buf, c->spec.name, c->spec.version, c->spec.title);
}

int
mcph_client_make_meta(struct mcph_client *c, const char *version)
{
    struct mcph_buf meta, *buf = &meta;
    int r;

    mcph_buf_init(buf, META_MAX);
    mcph_buf_adds(buf, KEY("protocolVersion") "\"");
    mcph_buf_adds(buf, version);
    mcph_buf_adds(buf, "\"," KEY("clientInfo"));
    mcph_client_add_identity(c, buf);
    mcph_buf_adds(buf, "," KEY("clientCapabilities"));
    mcph_question_add_capabilities(c, buf, false);
    if (c->spec.log_level) {
        mcph_buf_adds(buf, "," KEY("logLevel"));
        mcph_json_add_str(buf, c->spec.log_level);
    }
    r = mcph_buf_ok(buf);
    if (r < 0) {
        mcph_buf_done(buf);
        return r;
    }
    mcph_buf_done(&c->meta);
    c->meta = meta;
    c->meta_version = version;
    return 0;
}

int
mcph_client_send_begin(struct mcph_client *c, const struct mcph_rpc_call *call,
                       const struct mcph_method *method, size_t more,
                       struct mcph_buf **ret_buf)
{
    int r;

    if (!c->transport)
        return MCPHOST_E_TRANSPORT;
    r = mcph_transport_begin(c->transport, ret_buf);
    if (r < 0)
        return r;
    return mcph_rpc_open_call(*ret_buf, call, method->name, more + c->meta.len + 64);
}

/* Returns the members of an object, without its braces and leading white space. */
static struct mcph_span
inner_members(struct mcph_span object)
{
    const char *p = object.p, *end;

    if (!p || object.len < 2)
        return MCPH_SPAN_NONE;
    end = p + object.len - 1;
    p++;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p < end ? mcph_span(p, (size_t)(end - p)) : MCPH_SPAN_NONE;
}

int
mcph_client_send_members(struct mcph_buf *buf, struct mcph_span object)
{
    struct mcph_span members = inner_members(object);

    return members.p ? mcph_rpc_add_oneline(buf, members) : mcph_buf_ok(buf);
}

/* Returns a part of the operation's trace context.  The part's p is NULL if the
 * operation's own _meta has this member, because the member in _meta takes precedence. */
static struct mcph_span
trace_part(const struct mcph_operation *op, size_t i)
{
    struct mcph_span part = op->trace->parts[i];

    return part.p && op->meta.p && mcph_json_get(op->meta, mcph_trace_names[i]).p
               ? MCPH_SPAN_NONE
               : part;
}

static void
add_trace(struct mcph_buf *buf, const struct mcph_operation *op)
{
    for (size_t i = 0; i < MCPH_TRACES; i++) {
        struct mcph_span part = trace_part(op, i);

        if (!part.p)
            continue;
        mcph_json_add_key(buf, mcph_trace_names[i]);
        mcph_json_add_string(buf, part.p, part.len);
    }
}

static size_t
trace_headers(const struct mcph_operation *op, struct mcph_header *ret)
{
    size_t n = 0;

    for (size_t i = 0; i < MCPH_TRACES; i++) {
        struct mcph_span part = trace_part(op, i);

        if (part.p)
            ret[n++] = (struct mcph_header){mcph_trace_names[i], part};
    }
    return n;
}

int
mcph_client_send_meta(const struct mcph_client *c, struct mcph_buf *buf,
                      const struct mcph_rpc_call *call, const struct mcph_operation *op)
{
    bool modern = c->meta.len > 0, progress = call->on_progress != NULL;
    struct mcph_span extra = op ? inner_members(op->meta) : MCPH_SPAN_NONE;
    int r;

    if (!modern && !progress && !extra.p && !(op && op->trace))
        return mcph_buf_ok(buf);
    mcph_json_add_comma(buf);
    mcph_buf_adds(buf, "\"_meta\":{");
    if (modern)
        mcph_buf_add(buf, c->meta.data, c->meta.len);
    if (modern && op && op->log_level && !c->spec.log_level) {
        mcph_buf_adds(buf, "," KEY("logLevel"));
        mcph_json_add_str(
            buf, mcphost_enum_get_name(MCPHOST_ENUM_MESSAGE_LEVEL, op->log_level));
    }
    if (progress) {
        mcph_json_add_comma(buf);
        mcph_buf_adds(buf, "\"progressToken\":");
        mcph_buf_addi(buf, call->id);
    }
    if (op && op->trace)
        add_trace(buf, op);
    if (extra.p) {
        mcph_json_add_comma(buf);
        r = mcph_rpc_add_oneline(buf, extra);
        if (r < 0)
            return r;
    }
    return mcph_buf_addc(buf, '}');
}

/* Returns the stream number of the next message, or 0 on a transport without streams. */
static uint64_t
next_stream(struct mcph_client *c)
{
    return c->transport->streams ? ++c->streams : 0;
}

/* Stores the version header in *ret if the transport wants headers and the version is
 * known.  Over HTTP, each message after the negotiation of the version needs this header
 * (MCP 2025-06-18, "Protocol Version Header"; 2026-07-28, "Streamable HTTP").  Returns
 * the number of stored headers, 0 or 1. */
static size_t
version_header(const struct mcph_client *c, struct mcph_header *ret)
{
    const char *version = c->meta.len > 0 ? c->meta_version : c->info.version;

    /* Omit the header in a resumed session, because the version of this session is not
     * known. */
    if (!c->transport->wants_headers || !version || c->info.taken_up)
        return 0;
    *ret = (struct mcph_header){"MCP-Protocol-Version", mcph_span_str(version)};
    return 1;
}

int
mcph_client_send_commit(struct mcph_client *c, struct mcph_rpc_call *call,
                        struct mcph_buf *buf, const struct mcph_method *method,
                        const struct mcph_operation *op, struct params *params)
{
    struct mcph_header own[PARAMS_FIRST + MCPH_TRACES],
        *headers = params ? params->items : own;
    size_t n = 0;

    mcph_buf_adds(buf, "}}");
    if (mcph_buf_ok(buf) < 0)
        return mcph_buf_ok(buf);
    if (method->kind != MCPH_SEND_INITIALIZE)
        n = version_header(c, headers);
    /* Add the headers that MCP 2026-07-28, "Streamable HTTP", requires.  A proxy can
     * route a request by these headers. */
    if (c->transport->wants_headers && c->meta.len > 0) {
        headers[n++] = (struct mcph_header){"Mcp-Method", mcph_span_str(method->name)};
        if (method->named)
            headers[n++] = (struct mcph_header){"Mcp-Name", op->name};
        if (params)
            n += params->n; /* the params follow the PARAMS_FIRST headers; all of these
                             * headers are set */
    }
    if (op && op->trace && c->transport->wants_headers)
        n += trace_headers(op, headers + n);
    call->stream = next_stream(c);
    return mcph_transport_commit(c->transport, headers, n, method->kind, call->stream);
}

int
mcph_client_send_request(struct mcph_client *c, struct mcph_rpc_call *call, int which,
                         struct mcph_span params)
{
    const struct mcph_method *method = &mcph_methods[which];
    struct mcph_buf *buf;
    int r;

    r = mcph_client_send_begin(c, call, method, params.len, &buf);
    if (r < 0)
        return r;
    if (params.p)
        mcph_buf_add(buf, params.p, params.len);
    r = mcph_client_send_meta(c, buf, call, NULL);
    if (r < 0)
        return r;
    return mcph_client_send_commit(c, call, buf, method, NULL, NULL);
}

/* Sends a notification or an answer that the caller has built. */
static int
commit_other(struct mcph_client *c, int kind)
{
    struct mcph_header h;
    size_t n = version_header(c, &h);

    return mcph_transport_commit(c->transport, &h, n, kind, next_stream(c));
}

int
mcph_client_send_notification(struct mcph_client *c, const char *method)
{
    struct mcph_buf *buf;
    int r;

    r = mcph_transport_begin(c->transport, &buf);
    if (r < 0)
        return r;
    r = mcph_rpc_add_notification(buf, method, MCPH_SPAN_NONE);
    return r < 0 ? r : commit_other(c, MCPH_SEND_NOTIFICATION);
}

/* Cancels a request.  Over HTTP a modern client cancels only by closing the stream (MCP
 * 2026-07-28, "Cancellation"). */
void
mcph_client_send_cancel(struct mcph_client *c, const struct mcph_rpc_call *call,
                        const char *reason)
{
    bool streams = c->transport && c->transport->streams;
    struct mcph_buf *buf;

    if (c->transport && !(streams && c->meta.len > 0) &&
        mcph_transport_begin(c->transport, &buf) == 0 &&
        mcph_rpc_add_cancel(buf, call, reason) == 0)
        (void)commit_other(c, MCPH_SEND_NOTIFICATION);
    if (streams && call->stream)
        mcph_transport_close_stream(c->transport, call->stream);
}

void
mcph_client_send_result(struct mcph_client *c, struct mcph_span id,
                        struct mcph_span result)
{
    struct mcph_buf *buf;

    if (c->transport && mcph_transport_begin(c->transport, &buf) == 0 &&
        mcph_rpc_add_result(buf, id, result) == 0)
        (void)commit_other(c, MCPH_SEND_RESPONSE);
}

void
mcph_client_send_refusal(struct mcph_client *c, struct mcph_span id, int64_t code,
                         const char *message)
{
    struct mcph_buf *buf;

    if (c->transport && mcph_transport_begin(c->transport, &buf) == 0 &&
        mcph_rpc_add_error(buf, id, code, message, MCPH_SPAN_NONE) == 0)
        (void)commit_other(c, MCPH_SEND_RESPONSE);
}
