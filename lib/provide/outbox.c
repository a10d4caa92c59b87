/* SPDX-License-Identifier: MIT
 *
 * outbox.c - messages for a client that reads slowly.
 *
 *   message --the client reads fast enough--> transport
 *      \___ the client reads too slowly ___> outbox --> transport
 *
 * While messages wait in the outbox, the connection handles no message of the client.
 * The client therefore gets answers only as fast as it reads.  A timer polls the
 * transport, because the transport does not report when it can take more messages.  The
 * connection ends if the client reads nothing for spec.stall_ms.
 */
#include <stdlib.h>

#include "provide/engine.h"

#define LOOK_MS 10

struct outbox_item {
    struct mcph_list link;
    struct mcph_frame *frame;
    int kind;
    uint64_t stream;
};

static void
drop_first(struct outbox *out)
{
    struct outbox_item *item = MCPH_LIST_ENTRY(out->items.next, struct outbox_item, link);

    mcph_list_remove(&item->link);
    out->n--;
    out->bytes -= item->frame->len;
    mcph_frame_unref(item->frame);
    free(item);
}

/* Moves messages to the transport while the transport's queue is at most half full. */
static void
flush_outbox(struct mcph_connection *c)
{
    struct outbox *out = &c->outbox;
    int r;

    while (out->n > 0 &&
           mcph_transport_get_queued(c->transport) <= c->spec.max_queued / 2) {
        const struct outbox_item *item =
            MCPH_LIST_ENTRY(out->items.next, struct outbox_item, link);

        r = mcph_transport_send(c->transport, mcph_frame_span(item->frame), NULL, 0,
                                item->kind, item->stream);
        if (r < 0) {
            if (r != MCPHOST_E_TRANSPORT)
                mcph_conn_end(c, r, "the client does not read the messages sent to it");
            return;
        }
        drop_first(out);
    }
}

static void
on_due(struct mcph_timer *timer)
{
    struct mcph_connection *c =
        MCPH_CONTAINER_OF(timer, struct mcph_connection, outbox.timer);
    struct outbox *out = &c->outbox;
    size_t queued = mcph_transport_get_queued(c->transport);
    int64_t now = mcph_core_now(c->core);

    if (queued < out->queued)
        out->moved = now;
    flush_outbox(c);
    if (conn_is_over(c))
        return;
    out->queued = mcph_transport_get_queued(c->transport);
    if (out->n == 0) {
        mcph_conn_receive_go_on(c);
        mcph_conn_check_drain(c);
    } else if (now - out->moved >= c->spec.stall_ms) {
        mcph_conn_end(c, MCPHOST_E_LIMIT,
                      "the client does not read the messages sent to it");
    } else {
        mcph_timer_set(&out->timer, now + LOOK_MS);
    }
}

int
mcph_outbox_init(struct mcph_connection *c)
{
    mcph_buf_init(&c->outbox.buf, c->spec.max_bytes);
    return mcph_timer_init(&c->outbox.timer, c->core, on_due);
}

void
mcph_outbox_done(struct mcph_connection *c)
{
    while (c->outbox.n > 0)
        drop_first(&c->outbox);
    mcph_buf_done(&c->outbox.buf);
    mcph_timer_done(&c->outbox.timer);
}

bool
mcph_outbox_is_due(const struct mcph_connection *c)
{
    return c->outbox.n > 0 ||
           mcph_transport_get_queued(c->transport) > c->spec.max_queued;
}

struct mcph_buf *
mcph_outbox_begin(struct mcph_connection *c)
{
    struct mcph_buf *buf = &c->outbox.buf;

    mcph_buf_clear(buf); /* drops what is left of a failed message */
    buf->max = c->spec.max_bytes - c->outbox.bytes;
    return buf;
}

int
mcph_outbox_commit(struct mcph_connection *c, int kind, uint64_t stream)
{
    struct outbox *out = &c->outbox;
    struct outbox_item *item = malloc(sizeof(*item));
    struct mcph_frame *frame = NULL;

    if (item)
        frame = mcph_frame_new(out->buf.data, out->buf.len);
    mcph_buf_done(&out->buf);
    if (!frame) {
        free(item);
        return MCPHOST_E_NOMEM;
    }
    item->frame = frame;
    item->kind = kind;
    item->stream = stream;
    mcph_list_append(&out->items, &item->link);
    out->bytes += frame->len;
    if (out->n++ == 0) {
        out->queued = mcph_transport_get_queued(c->transport);
        out->moved = mcph_core_now(c->core);
        mcph_timer_set(&out->timer, out->moved + LOOK_MS);
    }
    return 0;
}
