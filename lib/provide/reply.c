/* SPDX-License-Identifier: MIT
 *
 * reply.c - messages to the client, written into the buffer of the transport or of the
 * outbox.
 *
 * A result is passed on as the service wrote it, but on one line.  If the service left
 * out members that MCP 2026-07-28 requires in the result, add_result() adds them at the
 * beginning of the result.
 *
 * If memory is short or the client does not read, an answer cannot be sent.  Then the
 * connection ends, because an answer must not get lost silently.
 */
#include <stdio.h>
#include <string.h>

#include "provide/engine.h"

/* ---- building and sending ---------------------------------------------------------- */

static void
cannot_send(struct mcph_connection *c, int code)
{
    if (code == MCPHOST_E_LIMIT)
        mcph_conn_end(c, code, "the client does not read the messages sent to it");
    else if (code != MCPHOST_E_TRANSPORT) /* the transport itself reports that it ended */
        mcph_conn_end(c, code, "an answer cannot be sent");
}

bool
mcph_reply_begin(struct mcph_connection *c, struct mcph_buf **ret_buf)
{
    int r;

    if (!c->transport)
        return false;
    if (mcph_outbox_is_due(c)) {
        *ret_buf = mcph_outbox_begin(c);
        c->sending_from = 0;
        return true;
    }
    r = mcph_transport_begin(c->transport, ret_buf);
    if (r < 0)
        cannot_send(c, r);
    else
        c->sending_from = (*ret_buf)->len;
    return r == 0;
}

void
mcph_reply_commit(struct mcph_connection *c, struct mcph_buf *buf, int r, int kind,
                  uint64_t stream)
{
    size_t len = buf->len - c->sending_from;

    if (r == 0)
        r = mcph_buf_ok(buf);
    if (r == 0 && buf == &c->outbox.buf)
        r = mcph_outbox_commit(c, kind, stream);
    else if (r == 0)
        r = mcph_transport_commit(c->transport, NULL, 0, kind, stream);
    if (r == 0)
        mcph_meter_spend(&c->meter, len);
    else
        cannot_send(c, r);
}

/* ---- results ----------------------------------------------------------------------- */

void
mcph_reply_open(struct mcph_buf *buf, struct mcph_span id, bool modern)
{
    mcph_buf_adds(buf, "{\"jsonrpc\":\"2.0\",\"id\":");
    mcph_buf_add(buf, id.p, id.len);
    mcph_buf_adds(buf, ",\"result\":{");
    if (modern)
        mcph_buf_adds(buf, "\"resultType\":\"complete\"");
}

void
mcph_reply_add_cache(struct mcph_buf *buf, int64_t ttl)
{
    mcph_json_add_key(buf, "ttlMs");
    mcph_buf_addi(buf, ttl);
    mcph_json_add_member(buf, "cacheScope", "private");
}

/* Adds the required members that the result lacks, then the members of the result. */
static int
add_result(struct mcph_buf *buf, struct mcph_span result, bool modern, bool cacheable)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("resultType"), MCPH_JSON_WANT("ttlMs"),
                                    MCPH_JSON_WANT("cacheScope")};
    size_t i = 1;

    mcph_buf_addc(buf, '{');
    if (modern) {
        (void)mcph_json_pick(result, want, MCPH_ARRAY_SIZE(want));
        if (!want[0].value.p)
            mcph_json_add_member(buf, "resultType", "complete");
        if (cacheable && !want[1].value.p) {
            mcph_json_add_key(buf, "ttlMs");
            mcph_buf_addc(buf, '0');
        }
        if (cacheable && !want[2].value.p)
            mcph_json_add_member(buf, "cacheScope", "private");
    }
    while (strchr(" \t\r\n", result.p[i]))
        i++;
    if (result.p[i] != '}')
        mcph_json_add_comma(buf);
    return mcph_rpc_add_oneline(buf, mcph_span(result.p + i, result.len - i));
}

/* Returns true if resultType is missing or "complete".  A service must not give another
 * type. */
static bool
is_complete(struct mcph_span result)
{
    struct mcph_span type = mcph_json_get(result, "resultType");

    return !type.p || mcph_json_string_is(type, "complete", 8);
}

/* Answers the request with an error in place of a result that exceeds `max_result`.  To
 * send this result would end the connection. */
static void
refuse_large(struct mcph_connection *c, const struct inbound *in, size_t len)
{
    char why[96];

    snprintf(why, sizeof(why), "the result has %zu bytes, more than the limit of %zu",
             len, c->spec.max_result);
    mcph_reply_error_on(c, inbound_id(in), MCPH_RPC_INTERNAL_ERROR, why, MCPH_SPAN_NONE,
                        in->stream);
}

void
mcph_reply_result(struct mcph_connection *c, const struct inbound *in, bool modern,
                  bool cacheable, struct mcph_span result)
{
    struct mcph_buf *buf;
    int r;

    if (result.len > c->spec.max_result) {
        refuse_large(c, in, result.len);
        return;
    }
    if (modern && !is_complete(result)) {
        mcph_reply_error_on(c, inbound_id(in), MCPH_RPC_INTERNAL_ERROR,
                            "the result has a type that was not asked for",
                            MCPH_SPAN_NONE, in->stream);
        return;
    }
    if (!mcph_reply_begin(c, &buf))
        return;
    (void)mcph_buf_reserve(buf, result.len + in->id_len + 128);
    mcph_buf_adds(buf, "{\"jsonrpc\":\"2.0\",\"id\":");
    mcph_buf_add(buf, in->id, in->id_len);
    mcph_buf_adds(buf, ",\"result\":");
    r = add_result(buf, result, modern, cacheable);
    mcph_buf_addc(buf, '}');
    mcph_reply_commit(c, buf, r, MCPH_SEND_RESPONSE, in->stream);
}

void
mcph_reply_nothing(struct mcph_connection *c, const struct request *req)
{
    struct mcph_buf *buf;

    if (!mcph_reply_begin(c, &buf))
        return;
    mcph_reply_open(buf, req->msg->id.raw, req->modern);
    mcph_buf_adds(buf, "}}");
    mcph_reply_commit(c, buf, 0, MCPH_SEND_RESPONSE, c->stream);
}

/* ---- errors ------------------------------------------------------------------------ */

void
mcph_reply_error_on(struct mcph_connection *c, struct mcph_span id, int64_t code,
                    const char *message, struct mcph_span data, uint64_t stream)
{
    struct mcph_buf *buf;
    int r;

    if (!mcph_reply_begin(c, &buf))
        return;
    r = mcph_rpc_add_error(buf, id, code, message, data);
    mcph_reply_commit(c, buf, r, MCPH_SEND_RESPONSE, stream);
}

void
mcph_reply_refuse(struct mcph_connection *c, const struct request *req, int64_t code,
                  const char *message)
{
    mcph_reply_error_on(c, req->msg->id.raw, code, message, MCPH_SPAN_NONE, c->stream);
}

/* ---- notifications ----------------------------------------------------------------- */

void
mcph_reply_notify(struct mcph_connection *c, const char *method, struct mcph_span params,
                  struct mcph_span tag, uint64_t stream)
{
    struct mcph_buf *buf;

    if (!mcph_reply_begin(c, &buf))
        return;
    mcph_buf_adds(buf, "{\"jsonrpc\":\"2.0\",\"method\":\"");
    mcph_buf_adds(buf, method);
    mcph_buf_addc(buf, '"');
    if (params.p || tag.p)
        mcph_buf_adds(buf, ",\"params\":{");
    if (tag.p) {
        mcph_buf_adds(buf, "\"_meta\":{\"" CONN_META("subscriptionId") "\":");
        mcph_buf_add(buf, tag.p, tag.len);
        mcph_buf_addc(buf, '}');
    }
    if (params.p && params.len > 0) {
        mcph_json_add_comma(buf);
        mcph_buf_add(buf, params.p, params.len);
    }
    if (params.p || tag.p)
        mcph_buf_addc(buf, '}');
    mcph_buf_addc(buf, '}');
    mcph_reply_commit(c, buf, 0, MCPH_SEND_NOTIFICATION, stream);
}
