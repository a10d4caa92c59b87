/* SPDX-License-Identifier: MIT
 *
 * lines.c - read and write messages over two descriptors, one message per line.
 */
#include "transport/lines.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOMEM_TRIES 8
#define NOMEM_MS    10
#define KEEP_MAX    (64u * 1024u) /* bytes; a larger empty output buffer is freed */

/* Releases a freed transport if nothing uses it.  If a job is still posted, the job
 * releases the transport when it runs. */
static void
release_unused(struct mcph_lines *l)
{
    if (!l->posted && !l->behind && l->busy == 0)
        l->ops->release(l);
}

void
mcph_lines_leave(struct mcph_lines *l)
{
    if (--l->busy == 0 && l->freed)
        release_unused(l);
}

void
mcph_lines_free(struct mcph_lines *l)
{
    l->freed = true;
    mcph_lines_stop_reading(l);
    mcph_source_remove(&l->outs);
    release_unused(l);
}

/* ---- reading ----------------------------------------------------------------------- */

void
mcph_lines_stop_reading(struct mcph_lines *l)
{
    mcph_timer_cancel(&l->retry);
    mcph_source_remove(&l->in);
    l->in_fd = -1;
}

/* Reports the frames that the framer holds, as far as the budget allows.  Returns
 * MCPH_LINES_*. */
static int
give_frames(struct mcph_lines *l, size_t *budget)
{
    struct mcph_frame *frame;
    int r;

    for (;;) {
        if (*budget == 0)
            return MCPH_LINES_BEHIND;
        r = mcph_framer_next(&l->framer, &frame);
        if (r < 0)
            return MCPH_LINES_NOMEM;
        if (r == 0 && !mcph_framer_is_behind(&l->framer))
            return MCPH_LINES_MORE;
        if (r == 0) {
            *budget -= *budget < MCPH_FRAMER_STEP ? *budget : MCPH_FRAMER_STEP;
            continue;
        }
        *budget -= *budget < MCPH_TURN_MESSAGE ? *budget : MCPH_TURN_MESSAGE;
        l->nomem = 0;
        if (frame->over && l->strict) {
            mcph_frame_unref(frame);
            return MCPH_LINES_OVER;
        }
        mcph_transport_tell_message(&l->base, 0, frame);
        mcph_frame_unref(frame);
        if (l->freed)
            return MCPH_LINES_MORE;
    }
}

static ssize_t
take_bytes(struct mcph_lines *l, char *space, size_t size)
{
    ssize_t n;

    do
        n = l->in_socket ? recv(l->in_fd, space, size, MSG_DONTWAIT)
                         : read(l->in_fd, space, size);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Reads once.  If the transport is not open any more, discards the bytes.
 * Returns MCPH_LINES_*. */
static int
read_once(struct mcph_lines *l, size_t *budget)
{
    char waste[4096], *space = waste;
    size_t size = sizeof(waste);
    bool wanted = l->base.state == MCPH_TRANSPORT_OPEN;
    ssize_t n;
    int r;

    if (wanted) {
        space = mcph_framer_space(&l->framer, &size);
        if (!space)
            return MCPH_LINES_NOMEM;
    }
    if (size > *budget)
        size = *budget;
    n = take_bytes(l, space, size);
    if (n < 0 && errno == EAGAIN)
        return MCPH_LINES_EMPTY;
    if (n <= 0) {
        l->fault = n < 0 ? errno : 0;
        return MCPH_LINES_EOF;
    }
    l->taken += (size_t)n;
    *budget -= (size_t)n;
    if (wanted) {
        mcph_framer_commit(&l->framer, (size_t)n);
        r = give_frames(l, budget);
        if (r != MCPH_LINES_MORE)
            return r;
    }
    /* Treat a short read as the end of the available bytes, because pipes and sockets
     * return all available bytes.  epoll reports bytes that are left or arrive later. */
    return (size_t)n < size && !l->in_file ? MCPH_LINES_EMPTY : MCPH_LINES_MORE;
}

int
mcph_lines_read(struct mcph_lines *l, size_t budget)
{
    int r = MCPH_LINES_MORE;

    if (l->in_fd < 0)
        return MCPH_LINES_EOF;
    if (l->base.state == MCPH_TRANSPORT_OPEN && l->left)
        r = give_frames(l, &budget);
    /* Check in_fd again, because the receiver of a message may have stopped the
     * reading. */
    while (r == MCPH_LINES_MORE && l->in_fd >= 0 && budget > 0)
        r = read_once(l, &budget);
    l->left = r == MCPH_LINES_NOMEM || r == MCPH_LINES_BEHIND;
    return r;
}

/* Arranges to read again after NOMEM_MS.  After NOMEM_TRIES tries in a row, calls
 * starved() instead. */
static void
short_of_memory(struct mcph_lines *l)
{
    if (++l->nomem >= NOMEM_TRIES) {
        l->ops->starved(l);
        return;
    }
    mcph_source_set(&l->in, 0);
    mcph_timer_set(&l->retry, mcph_core_now(l->base.core) + NOMEM_MS);
}

/* Posts a job that continues reading in the next turn, because epoll does not report
 * frames that the framer holds. */
void
mcph_lines_read_later(struct mcph_lines *l)
{
    if (l->behind)
        return;
    l->behind = true;
    mcph_core_post_later(l->base.core, &l->ahead);
}

void
mcph_lines_read_turn(struct mcph_lines *l)
{
    size_t budget = mcph_meter_left(&l->meter, l->base.core);
    int r;

    if (budget == 0) {
        mcph_lines_read_later(l);
        return;
    }
    mcph_meter_spend(&l->meter, budget);
    r = mcph_lines_read(l, budget);
    if (l->freed)
        return;
    switch (r) {
    case MCPH_LINES_EOF:
        l->eof = true;
        mcph_lines_stop_reading(l);
        break;
    case MCPH_LINES_NOMEM:
        short_of_memory(l);
        return;
    case MCPH_LINES_BEHIND:
        mcph_lines_read_later(l);
        break;
    case MCPH_LINES_MORE:
        if (l->in_file)
            mcph_lines_read_later(l);
        else
            mcph_core_more(l->base.core);
        break;
    }
    l->ops->was_read(l, r);
}

static void
run_ahead(struct mcph_job *job)
{
    struct mcph_lines *l = MCPH_CONTAINER_OF(job, struct mcph_lines, ahead);

    l->behind = false;
    mcph_lines_enter(l);
    if (l->in_fd >= 0 && !mcph_timer_is_set(&l->retry))
        mcph_lines_read_turn(l);
    mcph_lines_leave(l);
}

static void
on_in(struct mcph_source *source, uint32_t events)
{
    struct mcph_lines *l = MCPH_CONTAINER_OF(source, struct mcph_lines, in);

    (void)events;
    mcph_lines_enter(l);
    mcph_lines_read_turn(l);
    mcph_lines_leave(l);
}

static void
on_retry(struct mcph_timer *timer)
{
    struct mcph_lines *l = MCPH_CONTAINER_OF(timer, struct mcph_lines, retry);

    mcph_lines_enter(l);
    /* Wait again after a failure, because setting the source also needs memory. */
    if (l->in_fd >= 0 && !l->in_file && mcph_source_set(&l->in, EPOLLIN) < 0)
        short_of_memory(l);
    else
        mcph_lines_read_turn(l);
    mcph_lines_leave(l);
}

/* ---- writing ----------------------------------------------------------------------- */

void
mcph_lines_stop_writing(struct mcph_lines *l)
{
    mcph_source_remove(&l->outs);
    mcph_buf_done(&l->out);
    l->committed = l->written = 0;
}

static void
break_off(struct mcph_lines *l, int fault)
{
    l->broken = true;
    mcph_lines_stop_writing(l);
    l->ops->broken(l, fault);
}

static ssize_t
give_bytes(struct mcph_lines *l, const char *data, size_t size)
{
    int fd = l->ops->out_fd(l);
    ssize_t n;

    do
        n = l->out_socket ? send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL)
                          : mcph_write_nosig(fd, data, size);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Arranges that the rest of the queue is written when the peer accepts more bytes. */
static void
write_later(struct mcph_lines *l)
{
    if (l->written >= l->committed / 2) {
        mcph_buf_consume(&l->out, l->written);
        l->committed -= l->written;
        l->written = 0;
    }
    if (l->out_file) {
        if (!l->posted)
            mcph_core_post_later(l->base.core, &l->flush);
        l->posted = true;
    } else if (l->outs.fd < 0 &&
               mcph_source_add(&l->outs, l->ops->out_fd(l), EPOLLOUT) < 0) {
        break_off(l, ENOMEM);
    }
}

void
mcph_lines_write(struct mcph_lines *l)
{
    size_t budget = MCPH_TURN_BYTES, size;
    ssize_t n = 0;

    while (l->written < l->committed && budget > 0) {
        size = l->committed - l->written;
        if (size > budget)
            size = budget;
        n = give_bytes(l, l->out.data + l->written, size);
        if (n < 0)
            break;
        l->written += (size_t)n;
        budget -= (size_t)n;
        if ((size_t)n < size)
            break;
    }
    if (n < 0 && errno != EAGAIN) {
        break_off(l, errno);
        return;
    }
    if (l->written < l->committed) {
        write_later(l);
        return;
    }
    l->out.len = l->committed = l->written = 0;
    if (l->out.cap > KEEP_MAX)
        mcph_buf_done(&l->out);
    mcph_source_remove(&l->outs);
    if (l->ops->drained)
        l->ops->drained(l);
}

static void
on_out(struct mcph_source *source, uint32_t events)
{
    (void)events;
    mcph_lines_write(MCPH_CONTAINER_OF(source, struct mcph_lines, outs));
}

static void
run_flush(struct mcph_job *job)
{
    struct mcph_lines *l = MCPH_CONTAINER_OF(job, struct mcph_lines, flush);

    l->posted = false;
    if (l->freed)
        release_unused(l);
    else if (l->outs.fd < 0)
        mcph_lines_write(l);
}

void
mcph_lines_post_flush(struct mcph_lines *l)
{
    if (l->posted || l->outs.fd >= 0)
        return;
    l->posted = true;
    mcph_core_post(l->base.core, &l->flush);
}

int
mcph_lines_begin(struct mcph_transport *t, struct mcph_buf **ret_buf)
{
    struct mcph_lines *l = mcph_lines_of(t);

    if (l->broken || l->ended || (l->eof && !l->half))
        return MCPHOST_E_TRANSPORT;
    l->out.len = l->committed; /* removes an incomplete message */
    l->out.err = 0;
    *ret_buf = &l->out;
    return 0;
}

int
mcph_lines_commit(struct mcph_transport *t, const struct mcph_header *headers,
                  size_t n_headers, int kind, uint64_t stream)
{
    struct mcph_lines *l = mcph_lines_of(t);
    int r = mcph_buf_addc(&l->out, '\n');

    (void)headers;
    (void)n_headers;
    (void)kind;
    (void)stream;
    if (r < 0)
        return r;
    l->committed = l->out.len;
    if (!l->posted)
        mcph_lines_post_flush(l);
    return 0;
}

size_t
mcph_lines_get_queued(const struct mcph_transport *t)
{
    const struct mcph_lines *l = MCPH_CONTAINER_OF(t, const struct mcph_lines, base);

    return l->committed - l->written;
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_lines_init(struct mcph_lines *l, struct mcph_core *core,
                const struct mcph_lines_ops *ops, size_t queue_max)
{
    l->base.core = mcph_core_ref(core);
    l->ops = ops;
    l->in_fd = -1;
    mcph_framer_init(&l->framer, 0);
    mcph_buf_init(&l->out, queue_max);
    mcph_source_init(&l->in, core, on_in);
    mcph_source_init(&l->outs, core, on_out);
    l->flush.run = run_flush;
    l->ahead.run = run_ahead;
    return mcph_timer_init(&l->retry, core, on_retry);
}

void
mcph_lines_done(struct mcph_lines *l)
{
    mcph_framer_done(&l->framer);
    mcph_buf_done(&l->out);
    mcph_timer_done(&l->retry);
    mcph_core_unref(l->base.core);
}
