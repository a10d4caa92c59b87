/* SPDX-License-Identifier: MIT
 *
 * joint.c - two transports joined in memory.
 *
 *   commit on one end --frame--> queue of the other --job--> reported there
 *
 * Each end has a queue of frames and a job that reports the frames, so that no event is
 * reported from inside a commit.  A large message is not copied: the frame takes over its
 * memory.  An end that is not open reports nothing.  When the queue of an end is full,
 * the other end cannot send.
 *
 * An end does not own the other end.  When an end is freed, the other end loses its
 * pointer to the freed end.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/transport.h"

#define KEEP_MAX ((size_t)4 * MCPH_FRAME_COPY) /* a larger buffer is not reused */

struct item {
    struct mcph_list link;
    struct mcph_frame *frame;
};

struct joint {
    struct mcph_transport base;
    struct joint *other; /* the other end; NULL if it is freed */
    struct mcph_buf buf; /* the message being built */
    struct mcph_list in; /* list of struct item: the frames to be reported on this end */
    size_t queued;       /* the cost of `in`; see cost_of() */
    bool opened;         /* events may be reported */
    bool ended;          /* the other end was closed or freed */
    bool closed;         /* this end was closed */
    bool posted, busy, freed;
    struct mcph_meter meter;
    struct mcph_job job;
};

static struct joint *
joint_of(struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF(t, struct joint, base);
}

static size_t
cost_of(const struct mcph_frame *frame)
{
    return frame->len + MCPH_TURN_MESSAGE;
}

static void
post_job(struct joint *j)
{
    if (j->posted || !j->opened)
        return;
    j->posted = true;
    mcph_core_post(j->base.core, &j->job);
}

static void
drop_queue(struct joint *j)
{
    mcph_list_for_each_safe (it, &j->in) {
        struct item *item = MCPH_LIST_ENTRY(it, struct item, link);

        mcph_frame_unref(item->frame);
        free(item);
    }
    mcph_list_init(&j->in);
    j->queued = 0;
}

static void
release_joint(struct joint *j)
{
    drop_queue(j);
    mcph_buf_done(&j->buf);
    mcph_core_unref(j->base.core);
    free(j);
}

/* ---- receiving --------------------------------------------------------------------- */

/* Checks a large frame piece by piece, as a framer does while it reads.  Returns false if
 * the check continues in the next turn. */
static bool
is_checked(struct joint *j, struct mcph_frame *frame)
{
    struct mcph_envelope *e = frame->envelope;
    size_t left = mcph_meter_left(&j->meter, j->base.core), n;

    if (frame->len <= MCPH_FRAMER_LONG)
        return true;
    if (!e) {
        e = malloc(sizeof(*e));
        if (!e)
            return true; /* the parser checks the frame instead */
        mcph_envelope_begin(e);
        frame->envelope = e;
    }
    n = frame->len - (size_t)e->fed;
    if (n > left)
        n = left;
    mcph_envelope_feed(e, frame->data + e->fed, n);
    mcph_meter_spend(&j->meter, n);
    if (e->fed < frame->len)
        return false;
    mcph_envelope_end(e);
    return true;
}

/* Reports the frames in the queue.  Returns false if frames are left for the next
 * turn. */
static bool
tell_queue(struct joint *j)
{
    while (!j->freed && !j->closed && !mcph_list_empty(&j->in)) {
        struct item *item = MCPH_LIST_ENTRY(j->in.next, struct item, link);
        struct mcph_frame *frame = item->frame;
        size_t cost = cost_of(frame);

        if (mcph_meter_left(&j->meter, j->base.core) == 0 || !is_checked(j, frame))
            return false;
        mcph_meter_spend(&j->meter, frame->envelope ? MCPH_TURN_MESSAGE : cost);
        mcph_list_remove(&item->link);
        free(item);
        j->queued -= cost;
        mcph_transport_tell_message(&j->base, 0, frame);
        mcph_frame_unref(frame);
    }
    return true;
}

static void
tell_end(struct joint *j)
{
    mcphost_error *err = NULL;

    mcph_err(&err, MCPHOST_E_TRANSPORT, "closed the connection");
    mcph_transport_tell_closed(&j->base, 0, err);
    mcphost_error_unref(err);
    if (!j->freed)
        mcph_transport_tell_gone(&j->base);
}

static void
run_queue(struct joint *j)
{
    if (!tell_queue(j)) {
        j->posted = true;
        mcph_core_post_later(j->base.core, &j->job);
    } else if (j->freed) {
        return;
    } else if (j->closed) {
        drop_queue(j);
        mcph_transport_tell_gone(&j->base);
    } else if (j->ended && j->base.state == MCPH_TRANSPORT_OPEN) {
        tell_end(j);
    }
}

static void
run_job(struct mcph_job *job)
{
    struct joint *j = MCPH_CONTAINER_OF(job, struct joint, job);

    j->posted = false;
    if (!j->freed) {
        j->busy = true;
        run_queue(j);
        j->busy = false;
    }
    if (j->freed && !j->posted)
        release_joint(j);
}

/* ---- sending ----------------------------------------------------------------------- */

static int
joint_open(struct mcph_transport *t, mcphost_error **reterr)
{
    struct joint *j = joint_of(t);

    (void)reterr;
    j->opened = true;
    post_job(j);
    return 0;
}

static int
joint_begin(struct mcph_transport *t, struct mcph_buf **ret_buf)
{
    struct joint *j = joint_of(t);

    if (!j->other || j->ended || j->other->closed)
        return MCPHOST_E_TRANSPORT;
    if (j->other->queued >= MCPH_JOINT_QUEUE_MAX)
        return MCPHOST_E_LIMIT;
    mcph_buf_clear(&j->buf); /* removes an incomplete message */
    if (j->buf.cap > KEEP_MAX)
        mcph_buf_done(&j->buf);
    j->buf.max = MCPH_JOINT_QUEUE_MAX - j->other->queued;
    *ret_buf = &j->buf;
    return 0;
}

/* Makes a frame of the built message.  A small message is copied.  A large message gives
 * its memory to the frame. */
static struct mcph_frame *
take_frame(struct joint *j)
{
    struct mcph_frame *frame = NULL;
    size_t len = 0;
    char *data;

    if (j->buf.len <= MCPH_FRAME_COPY)
        return mcph_frame_new(j->buf.data, j->buf.len);
    data = mcph_buf_steal(&j->buf, &len);
    if (data)
        frame = mcph_frame_take(data, data, len);
    if (!frame)
        free(data);
    return frame;
}

static int
joint_commit(struct mcph_transport *t, const struct mcph_header *headers,
             size_t n_headers, int kind, uint64_t stream)
{
    struct joint *j = joint_of(t), *other = j->other;
    struct item *item;

    (void)headers;
    (void)n_headers;
    (void)kind;
    (void)stream;
    if (mcph_buf_ok(&j->buf) < 0)
        return mcph_buf_ok(&j->buf);
    item = malloc(sizeof(*item));
    if (!item)
        return MCPHOST_E_NOMEM;
    item->frame = take_frame(j);
    if (!item->frame) {
        free(item);
        return MCPHOST_E_NOMEM;
    }
    mcph_list_append(&other->in, &item->link);
    other->queued += cost_of(item->frame);
    post_job(other);
    return 0;
}

static void
end_other(struct joint *j)
{
    if (!j->other)
        return;
    j->other->ended = true;
    post_job(j->other);
}

static void
joint_close(struct mcph_transport *t)
{
    struct joint *j = joint_of(t);

    j->closed = true;
    end_other(j);
    post_job(j);
}

static void
joint_free(struct mcph_transport *t, int64_t wait_ms)
{
    struct joint *j = joint_of(t);

    (void)wait_ms;
    end_other(j);
    if (j->other)
        j->other->other = NULL;
    j->other = NULL;
    j->freed = true;
    if (!j->posted && !j->busy)
        release_joint(j);
}

static size_t
joint_get_queued(const struct mcph_transport *t)
{
    const struct joint *other = MCPH_CONTAINER_OF(t, const struct joint, base)->other;

    return other ? other->queued : 0;
}

static const struct mcph_transport_ops joint_ops = {
    .name = "joint",
    .open = joint_open,
    .begin = joint_begin,
    .commit = joint_commit,
    .close = joint_close,
    .free = joint_free,
    .get_queued = joint_get_queued,
};

static struct joint *
end_new(struct mcph_core *core, const struct mcph_transport_owner *owner, void *arg)
{
    struct joint *j = calloc(1, sizeof(*j));

    if (!j)
        return NULL;
    j->base.ops = &joint_ops;
    j->base.core = mcph_core_ref(core);
    j->base.owner = owner;
    j->base.owner_arg = arg;
    j->job.run = run_job;
    mcph_list_init(&j->in);
    mcph_buf_init(&j->buf, MCPH_JOINT_QUEUE_MAX);
    return j;
}

int
mcph_joint_new(struct mcph_core *core, const struct mcph_transport_owner *owner_a,
               void *arg_a, const struct mcph_transport_owner *owner_b, void *arg_b,
               struct mcph_transport **ret_a, struct mcph_transport **ret_b)
{
    struct joint *a = end_new(core, owner_a, arg_a);
    struct joint *b = end_new(core, owner_b, arg_b);

    if (!a || !b) {
        if (a)
            release_joint(a);
        if (b)
            release_joint(b);
        return MCPHOST_E_NOMEM;
    }
    a->other = b;
    b->other = a;
    *ret_a = &a->base;
    *ret_b = &b->base;
    return 0;
}
