/* SPDX-License-Identifier: MIT
 *
 * transport.c - the common part of all transports: states, events, and the checks before
 * the implementation's functions.
 *
 *   NEW --open--> OPEN --lost, or close--> CLOSED --nothing left--> GONE
 *
 * An implementation need not check whether there still is a receiver, because the
 * functions mcph_transport_tell_*() report nothing without a receiver, and report to the
 * user only in OPEN.
 */
#include "transport/transport.h"

int
mcph_transport_open(struct mcph_transport *t, mcphost_error **reterr)
{
    int r;

    if (t->state != MCPH_TRANSPORT_NEW)
        return mcph_err(reterr, MCPHOST_E_STATE, "the transport was opened before");
    r = t->ops->open(t, reterr);
    if (r < 0)
        return r;
    t->state = MCPH_TRANSPORT_OPEN;
    return 0;
}

void
mcph_transport_set_trace(struct mcph_transport *t, const char *server,
                         struct mcph_mask *mask)
{
    t->server = server;
    mcph_mask_unref(t->mask);
    t->mask = mcph_mask_ref(mask);
}

void
mcph_transport_set_user(struct mcph_transport *t, const struct mcph_transport_user *user,
                        void *arg)
{
    t->user = user;
    t->user_arg = arg;
}

int
mcph_transport_begin(struct mcph_transport *t, struct mcph_buf **ret_buf)
{
    int r;

    if (t->state != MCPH_TRANSPORT_OPEN)
        return MCPHOST_E_TRANSPORT;
    r = t->ops->begin(t, ret_buf);
    t->building = NULL;
    if (r == 0 && mcph_trace_wanted(t)) {
        t->building = *ret_buf;
        t->built = t->building->len;
    }
    return r;
}

int
mcph_transport_commit(struct mcph_transport *t, const struct mcph_header *headers,
                      size_t n_headers, int kind, uint64_t stream)
{
    if (t->building && mcph_buf_ok(t->building) == 0)
        mcph_trace(t, ">", "",
                   mcph_span(t->building->data + t->built, t->building->len - t->built));
    t->building = NULL;
    return t->ops->commit(t, headers, n_headers, kind, stream);
}

int
mcph_transport_send(struct mcph_transport *t, struct mcph_span message,
                    const struct mcph_header *headers, size_t n_headers, int kind,
                    uint64_t stream)
{
    struct mcph_buf *buf;
    int r = mcph_transport_begin(t, &buf);

    if (r < 0)
        return r;
    r = mcph_buf_add(buf, message.p, message.len);
    if (r < 0)
        return r;
    return mcph_transport_commit(t, headers, n_headers, kind, stream);
}

size_t
mcph_transport_get_queued(const struct mcph_transport *t)
{
    return t->ops->get_queued ? t->ops->get_queued(t) : 0;
}

void
mcph_transport_close_stream(struct mcph_transport *t, uint64_t stream)
{
    if (t->state == MCPH_TRANSPORT_OPEN && t->ops->close_stream)
        t->ops->close_stream(t, stream);
}

void
mcph_transport_close(struct mcph_transport *t)
{
    if (t->state != MCPH_TRANSPORT_OPEN && t->state != MCPH_TRANSPORT_CLOSED)
        return;
    t->state = MCPH_TRANSPORT_CLOSED;
    t->ops->close(t);
}

void
mcph_transport_kill(struct mcph_transport *t)
{
    if (t->state != MCPH_TRANSPORT_OPEN && t->state != MCPH_TRANSPORT_CLOSED)
        return;
    t->state = MCPH_TRANSPORT_CLOSED;
    if (t->ops->kill)
        t->ops->kill(t);
    else
        t->ops->close(t);
}

struct mcph_transport *
mcph_transport_free(struct mcph_transport *t, int64_t wait_ms)
{
    if (t) {
        t->mask = mcph_mask_unref(t->mask);
        t->user = NULL;
        t->owner = NULL;
        t->state = MCPH_TRANSPORT_GONE;
        t->ops->free(t, wait_ms);
    }
    return NULL;
}

void
mcph_transport_attach_tail(struct mcph_transport *t, mcphost_error *err)
{
    if (t->ops->attach_tail)
        t->ops->attach_tail(t, err);
}

bool
mcph_transport_awaits_credentials(struct mcph_transport *t)
{
    return t->ops->awaits_credentials && t->ops->awaits_credentials(t);
}

int
mcph_transport_get_containment(const struct mcph_transport *t)
{
    return t->ops->get_containment ? t->ops->get_containment(t)
                                   : MCPHOST_CONTAINMENT_AUTO;
}

int
mcph_transport_try_requests(struct mcph_transport *t, struct mcph_span message,
                            int64_t wait_ms, mcph_tried_fn done, void *arg)
{
    return t->ops->try_requests ? t->ops->try_requests(t, message, wait_ms, done, arg)
                                : MCPHOST_E_STATE;
}

/* Traces a message before the message is reported.  Returns false if the transport is not
 * open or has no user. */
static bool
trace_message(struct mcph_transport *t, const struct mcph_frame *frame)
{
    if (t->state != MCPH_TRANSPORT_OPEN || !t->user)
        return false;
    if (mcph_trace_wanted(t))
        mcph_trace(t, "<", "",
                   frame->over ? mcph_span_str("(a message over the size limit)")
                               : mcph_frame_span(frame));
    return true;
}

void
mcph_transport_tell_message(struct mcph_transport *t, uint64_t stream,
                            struct mcph_frame *frame)
{
    if (trace_message(t, frame))
        t->user->message(t, stream, frame, t->user_arg);
}

void
mcph_transport_tell_parsed(struct mcph_transport *t, uint64_t stream,
                           const struct mcph_rpc_message *msg)
{
    if (!trace_message(t, msg->frame))
        return;
    if (t->user->parsed)
        t->user->parsed(t, stream, msg, t->user_arg);
    else
        t->user->message(t, stream, msg->frame, t->user_arg);
}

void
mcph_transport_tell_status(struct mcph_transport *t, uint64_t stream,
                           const struct mcph_transport_status *status)
{
    if (t->state != MCPH_TRANSPORT_OPEN || !t->user || !t->user->status)
        return;
    if (mcph_trace_wanted(t) && status->body.len > 0)
        mcph_trace(t, "<", "", status->body);
    t->user->status(t, stream, status, t->user_arg);
}

void
mcph_transport_tell_missed(struct mcph_transport *t)
{
    if (t->state == MCPH_TRANSPORT_OPEN && t->user && t->user->missed)
        t->user->missed(t, t->user_arg);
}

bool
mcph_transport_tell_half_closed(struct mcph_transport *t, mcphost_error *reason)
{
    if (t->state != MCPH_TRANSPORT_OPEN || !t->user || !t->user->half_closed)
        return false;
    t->user->half_closed(t, reason, t->user_arg);
    return true;
}

void
mcph_transport_tell_closed(struct mcph_transport *t, uint64_t stream,
                           mcphost_error *reason)
{
    if (t->state != MCPH_TRANSPORT_OPEN)
        return;
    if (stream == 0)
        t->state = MCPH_TRANSPORT_CLOSED;
    if (t->user)
        t->user->closed(t, stream, reason, t->user_arg);
}

void
mcph_transport_tell_gone(struct mcph_transport *t)
{
    if (t->state != MCPH_TRANSPORT_CLOSED)
        return;
    t->state = MCPH_TRANSPORT_GONE;
    if (t->owner && t->owner->gone)
        t->owner->gone(t, t->owner_arg);
}
