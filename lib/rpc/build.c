/* SPDX-License-Identifier: MIT
 *
 * build.c - build outgoing JSON-RPC messages.
 *
 * A message is added whole or not at all.  A buffer that cannot take a message is left as
 * it was and can still be used.
 */
#include <string.h>

#include "rpc/rpc.h"

#define HEAD "{\"jsonrpc\":\"2.0\""

/* Ends a message that began at offset `from`.  On failure removes the message from the
 * buffer and returns the buffer's error code. */
static int
finish_message(struct mcph_buf *buf, size_t from)
{
    int r = mcph_buf_ok(buf);

    if (r < 0) {
        buf->len = from;
        buf->err = 0;
    }
    return r;
}

static void
add_member(struct mcph_buf *buf, const char *head, struct mcph_span value)
{
    if (value.p) {
        mcph_buf_adds(buf, head);
        mcph_buf_add(buf, value.p, value.len);
    }
}

/* Lets the buffer grow once for the whole message. */
static void
reserve_message(struct mcph_buf *buf, size_t len)
{
    (void)mcph_buf_reserve(buf, sizeof(HEAD) + 64 + len);
}

int
mcph_rpc_open_call(struct mcph_buf *buf, const struct mcph_rpc_call *call,
                   const char *method, size_t more)
{
    size_t from = buf->len, len = strlen(method);

    reserve_message(buf, len + more);
    mcph_buf_adds(buf, HEAD ",\"id\":");
    if (call->name)
        mcph_json_add_str(buf, call->name);
    else
        mcph_buf_addi(buf, call->id);
    mcph_buf_adds(buf, ",\"method\":\"");
    mcph_buf_add(buf, method, len);
    mcph_buf_adds(buf, "\",\"params\":{");
    return finish_message(buf, from);
}

int
mcph_rpc_add_notification(struct mcph_buf *buf, const char *method,
                          struct mcph_span params)
{
    size_t from = buf->len;

    reserve_message(buf, strlen(method) + params.len);
    mcph_buf_adds(buf, HEAD ",\"method\":\"");
    mcph_buf_adds(buf, method);
    mcph_buf_addc(buf, '"');
    add_member(buf, ",\"params\":", params);
    mcph_buf_addc(buf, '}');
    return finish_message(buf, from);
}

int
mcph_rpc_add_cancel(struct mcph_buf *buf, const struct mcph_rpc_call *call,
                    const char *reason)
{
    size_t from = buf->len;

    mcph_buf_adds(buf, HEAD ",\"method\":\"notifications/cancelled\","
                            "\"params\":{\"requestId\":");
    if (call->name)
        mcph_json_add_str(buf, call->name);
    else
        mcph_buf_addi(buf, call->id);
    if (reason)
        mcph_json_add_member(buf, "reason", reason);
    mcph_buf_adds(buf, "}}");
    return finish_message(buf, from);
}

int
mcph_rpc_add_result(struct mcph_buf *buf, struct mcph_span id, struct mcph_span result)
{
    size_t from = buf->len;

    reserve_message(buf, id.len + result.len);
    mcph_buf_adds(buf, HEAD ",\"id\":");
    mcph_json_add_span(buf, id);
    mcph_buf_adds(buf, ",\"result\":");
    mcph_json_add_span(buf, result);
    mcph_buf_addc(buf, '}');
    return finish_message(buf, from);
}

int
mcph_rpc_add_error(struct mcph_buf *buf, struct mcph_span id, int64_t code,
                   const char *message, struct mcph_span data)
{
    size_t from = buf->len;

    reserve_message(buf, id.len + strlen(message) + data.len);
    mcph_buf_adds(buf, HEAD ",\"id\":");
    mcph_json_add_span(buf, id);
    mcph_buf_adds(buf, ",\"error\":{\"code\":");
    mcph_buf_addi(buf, code);
    mcph_buf_adds(buf, ",\"message\":");
    mcph_json_add_str(buf, message);
    add_member(buf, ",\"data\":", data);
    mcph_buf_adds(buf, "}}");
    return finish_message(buf, from);
}

static void
blank_char(char *p, const char *end, char c)
{
    for (;;) {
        p = memchr(p, c, (size_t)(end - p));
        if (!p)
            return;
        *p++ = ' ';
    }
}

int
mcph_rpc_add_identity(struct mcph_buf *buf, const char *name, const char *version,
                      const char *title)
{
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "name", name);
    mcph_json_add_member(buf, "version", version);
    if (title)
        mcph_json_add_member(buf, "title", title);
    return mcph_buf_addc(buf, '}');
}

int
mcph_rpc_add_oneline(struct mcph_buf *buf, struct mcph_span value)
{
    size_t from = buf->len;

    if (mcph_buf_add(buf, value.p, value.len) < 0)
        return finish_message(buf, from);
    if (mcph_json_is_tight(value))
        return 0;
    /* Replace line ends by blanks.  In checked JSON a line end stands only between
     * tokens. */
    blank_char(buf->data + from, buf->data + buf->len, '\n');
    blank_char(buf->data + from, buf->data + buf->len, '\r');
    return 0;
}
