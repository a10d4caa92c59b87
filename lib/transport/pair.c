/* SPDX-License-Identifier: MIT
 *
 * pair.c - a transport over descriptors that the caller has opened, one message per line.
 *
 *   OPEN --end of file--> HALF --no reader, a limit, close--> FLUSHING --> GONE
 *
 * HALF is skipped if the user does not support it.  FLUSHING ends with an empty queue, a
 * failed write, or after 1 s.
 *
 * The transport avoids O_NONBLOCK on the caller's descriptors, because the flag belongs
 * to an open file description that other processes may share: the shell that started the
 * process, the other half of a terminal, the client.  If the flag were set, the reads and
 * writes of these processes would fail.  The transport handles each kind of descriptor in
 * a way of its own:
 *
 *   a socket              each call says that it must not block
 *   a pipe, a terminal    is opened again through /proc, which gives a description of
 *                         its own
 *   other files, and      get the flag while the transport is open.  At its end the
 *   pipes and terminals   transport clears the flag, unless the flag was set before.
 *   not opened again
 *
 * A named pipe is not opened again, because the new description would never show end of
 * file if the writers of the pipe have ended.  The master of a terminal is not opened
 * again, because opening the master would make another terminal.
 *
 * After close, the transport reads and drops further output of the peer, because a peer
 * that blocks on its output would not read the messages that are flushed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/lines.h"

/* A descriptor that the transport owns. */
struct end {
    int fd;
    bool is_own; /* the transport also owns the file description */
    bool is_socket;
    bool is_marked; /* the transport has set O_NONBLOCK */
};

struct pair {
    struct mcph_lines lines;
    struct end in, out;
    struct mcph_source reader;  /* in HALF: detects that the peer stops reading */
    int reader_fd;              /* duplicate of out.fd, because `lines` may watch
                                 * out.fd itself; or -1 */
    struct mcph_timer deadline; /* ends FLUSHING */
    struct mcph_job check;
    bool is_checking; /* `check` is posted */
    bool is_full;     /* a message did not fit in the queue while the peer was slow */
    bool is_flushing;
};

static struct pair *
pair_of(const struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF(mcph_lines_of(t), struct pair, lines);
}

/* ---- descriptors ------------------------------------------------------------------- */

/* Returns true if opening `path` opens this pipe or terminal again and has no other
 * effect. */
static bool
can_reopen(int fd, const char *path)
{
    static const char pipe_name[] = "pipe:[";
    char target[sizeof(pipe_name)];
    unsigned number;

    if (isatty(fd))
        return ioctl(fd, TIOCGPTN, &number) < 0;
    return readlink(path, target, sizeof(target)) == sizeof(target) &&
           memcmp(target, pipe_name, sizeof(pipe_name) - 1) == 0;
}

/* Opens the file of `fd` again.  Returns a negative number on failure. */
static int
reopen(int fd, int access)
{
    char path[32];
    int own, high;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (!can_reopen(fd, path))
        return -1;
    own = open(path, access | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (own < 0 || own > 2)
        return own;
    high = fcntl(own, F_DUPFD_CLOEXEC, 3);
    close(own);
    return high;
}

static int
end_take(struct pair *p, struct end *end, int fd, int access, mcphost_error **reterr)
{
    const char *what = access == O_RDONLY ? "reading" : "writing";
    int flags = fcntl(fd, F_GETFL);
    struct stat st;

    if (flags < 0 || fstat(fd, &st) < 0)
        return mcph_err_sys(reterr, MCPHOST_E_INVALID, errno,
                            "cannot use descriptor %d for %s", fd, what);
    if ((flags & O_ACCMODE) != O_RDWR && (flags & O_ACCMODE) != access)
        return mcph_err(reterr, MCPHOST_E_INVALID, "descriptor %d is not open for %s", fd,
                        what);
    end->is_socket = S_ISSOCK(st.st_mode);
    end->fd = end->is_socket ? -1 : reopen(fd, access);
    end->is_own = end->fd >= 0;
    if (!end->is_own)
        end->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (end->fd < 0)
        return mcph_err_os(reterr, errno, "cannot duplicate descriptor %d", fd);
    mcph_core_hold_fd(p->lines.base.core, end->fd);
    return 0;
}

static void
end_mark(struct end *end)
{
    int flags = end->is_own || end->is_socket ? -1 : fcntl(end->fd, F_GETFL);

    if (flags >= 0 && !(flags & O_NONBLOCK))
        end->is_marked = fcntl(end->fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

/* Closes a descriptor, and clears O_NONBLOCK if the transport has set the flag.  A forked
 * child does not clear the flag, because the flag belongs to the parent. */
static void
end_close(struct pair *p, struct end *end)
{
    int flags;

    if (end->fd < 0)
        return;
    if (end->is_marked && !mcph_core_forked(p->lines.base.core)) {
        flags = fcntl(end->fd, F_GETFL);
        if (flags >= 0)
            fcntl(end->fd, F_SETFL, flags & ~O_NONBLOCK);
    }
    mcph_core_drop_fd(p->lines.base.core, end->fd);
    close(end->fd);
    end->fd = -1;
}

static void
stop_watching_reader(struct pair *p)
{
    if (p->reader_fd < 0)
        return;
    mcph_source_remove(&p->reader);
    close(p->reader_fd);
    p->reader_fd = -1;
}

static void
close_ends(struct pair *p)
{
    stop_watching_reader(p);
    mcph_lines_stop_reading(&p->lines);
    mcph_lines_stop_writing(&p->lines);
    end_close(p, &p->in);
    end_close(p, &p->out);
}

/* ---- the end ----------------------------------------------------------------------- */

static void
tell_gone(struct pair *p)
{
    mcph_lines_enter(&p->lines);
    mcph_timer_cancel(&p->deadline);
    close_ends(p);
    mcph_transport_tell_gone(&p->lines.base);
    mcph_lines_leave(&p->lines);
}

/* Begins FLUSHING and posts a flush.  gone() is reported when a flush has emptied the
 * queue, even if nothing was queued.  This function itself never reports gone(). */
static void
begin_flushing(struct pair *p)
{
    if (!p->is_flushing)
        mcph_timer_set(&p->deadline,
                       mcph_core_now(p->lines.base.core) + MCPH_PAIR_FLUSH_MS);
    p->is_flushing = true;
    mcph_lines_post_flush(&p->lines);
}

static void
on_deadline(struct mcph_timer *timer)
{
    tell_gone(MCPH_CONTAINER_OF(timer, struct pair, deadline));
}

/* Ends the connection with the reason `err`.  Takes over the caller's reference to
 * `err`. */
static void
end_connection(struct pair *p, mcphost_error *err)
{
    struct mcph_lines *l = &p->lines;

    mcph_lines_enter(l);
    if (!l->ended) {
        l->ended = true;
        stop_watching_reader(p);
        mcph_lines_stop_reading(l);
        mcph_transport_tell_closed(&l->base, 0, err);
        if (!l->freed)
            begin_flushing(p);
    }
    mcph_lines_leave(l);
    mcphost_error_unref(err);
}

/* Ends the connection when the peer stops reading.  epoll reports errors and hang-ups
 * even if they are not requested. */
static void
on_reader(struct mcph_source *source, uint32_t events)
{
    mcphost_error *err = NULL;

    (void)events;
    mcph_err(&err, MCPHOST_E_TRANSPORT, "closed the connection");
    end_connection(MCPH_CONTAINER_OF(source, struct pair, reader), err);
}

/* Watches whether the peer stops reading.  Does not watch a regular file, because the
 * file never loses its reader.  Returns false on failure. */
static bool
watch_reader(struct pair *p)
{
    p->reader_fd = fcntl(p->out.fd, F_DUPFD_CLOEXEC, 3);
    if (p->reader_fd < 0)
        return false;
    if (p->lines.out_file || mcph_source_add(&p->reader, p->reader_fd, EPOLLERR) == 0)
        return true;
    stop_watching_reader(p);
    return false;
}

static bool
enter_half(struct pair *p, mcphost_error *err)
{
    struct mcph_lines *l = &p->lines;
    bool is_half;

    if (l->ended || l->freed || !watch_reader(p))
        return false;
    mcph_lines_enter(l);
    l->half = true;
    is_half = mcph_transport_tell_half_closed(&l->base, err);
    l->half = is_half;
    if (!is_half)
        stop_watching_reader(p);
    mcph_lines_leave(l);
    return is_half;
}

static void
end_of_input(struct pair *p)
{
    const struct mcph_lines *l = &p->lines;
    bool in_the_middle = mcph_framer_pending(&l->framer) > 0;
    mcphost_error *err = NULL;

    if (l->fault)
        mcph_err_sys(&err, MCPHOST_E_TRANSPORT, l->fault, "the input cannot be read");
    else
        mcph_err(&err, MCPHOST_E_TRANSPORT, "closed the connection%s",
                 in_the_middle ? " in the middle of a message" : "");
    if (l->fault || in_the_middle || !enter_half(p, err))
        end_connection(p, err);
    else
        mcphost_error_unref(err);
}

/* ---- results of reading and writing ------------------------------------------------ */

static int
out_fd(struct mcph_lines *l)
{
    return MCPH_CONTAINER_OF(l, struct pair, lines)->out.fd;
}

/* Handles the end of a turn of reading.  Also checks the framer, because a line may
 * exceed the limit before the line is complete. */
static void
was_read(struct mcph_lines *l, int how)
{
    struct pair *p = MCPH_CONTAINER_OF(l, struct pair, lines);
    mcphost_error *err = NULL;

    if (how == MCPH_LINES_OVER || l->framer.over) {
        mcph_err(&err, MCPHOST_E_LIMIT, "sent a message of more than %zu bytes",
                 l->framer.limit);
        end_connection(p, err);
    } else if (how == MCPH_LINES_EOF) {
        end_of_input(p);
    }
}

static void
end_starved(struct mcph_lines *l)
{
    mcphost_error *err = NULL;

    mcph_err_nomem(&err);
    end_connection(MCPH_CONTAINER_OF(l, struct pair, lines), err);
}

static void
break_pair(struct mcph_lines *l, int fault)
{
    struct pair *p = MCPH_CONTAINER_OF(l, struct pair, lines);
    mcphost_error *err = NULL;

    if (p->is_flushing) {
        tell_gone(p);
        return;
    }
    mcph_err_sys(&err, MCPHOST_E_TRANSPORT, fault, "accepts no more messages");
    end_connection(p, err);
}

static void
close_drained(struct mcph_lines *l)
{
    struct pair *p = MCPH_CONTAINER_OF(l, struct pair, lines);

    if (p->is_flushing)
        tell_gone(p);
}

static void
release_pair(struct mcph_lines *l)
{
    struct pair *p = MCPH_CONTAINER_OF(l, struct pair, lines);

    close_ends(p);
    mcph_timer_done(&p->deadline);
    mcph_lines_done(l);
    free(p);
}

static const struct mcph_lines_ops lines_ops = {
    .out_fd = out_fd,
    .was_read = was_read,
    .starved = end_starved,
    .broken = break_pair,
    .drained = close_drained,
    .release = release_pair,
};

/* ---- a peer that does not read ----------------------------------------------------- */

/* Returns true if a message was too large for the rest of the queue while the peer was
 * slow. */
static bool
is_full(struct pair *p)
{
    const struct mcph_lines *l = &p->lines;

    if (l->outs.fd >= 0 && l->out.err == MCPHOST_E_LIMIT)
        p->is_full = true;
    return p->is_full;
}

static void
run_check(struct mcph_job *job)
{
    struct pair *p = MCPH_CONTAINER_OF(job, struct pair, check);
    size_t waiting = p->lines.committed - p->lines.written;
    mcphost_error *err = NULL;

    p->is_checking = false;
    if (p->lines.ended || !is_full(p))
        return;
    mcph_lines_stop_writing(&p->lines);
    mcph_err(&err, MCPHOST_E_LIMIT, "does not read: %zu bytes are waiting to be sent",
             waiting);
    end_connection(p, err);
}

static int
pair_begin(struct mcph_transport *t, struct mcph_buf **ret_buf)
{
    struct pair *p = pair_of(t);

    if (is_full(p))
        return MCPHOST_E_LIMIT;
    if (p->lines.outs.fd >= 0 && !p->is_checking) {
        p->is_checking = true;
        mcph_core_post(t->core, &p->check);
    }
    return mcph_lines_begin(t, ret_buf);
}

/* ---- the transport's functions ----------------------------------------------------- */

/* Adds a descriptor to the epoll set.  Returns 1 for a file that epoll does not support,
 * because the file is always ready. */
static int
watch_fd(struct mcph_source *source, int fd, uint32_t events, mcphost_error **reterr)
{
    int r = mcph_source_add(source, fd, events);

    if (r == MCPHOST_E_IO && errno == EPERM)
        return 1;
    return r < 0 ? mcph_err(reterr, r, "cannot watch descriptor %d", fd) : 0;
}

static int
pair_open(struct mcph_transport *t, mcphost_error **reterr)
{
    struct pair *p = pair_of(t);
    struct mcph_lines *l = &p->lines;
    int r;

    r = watch_fd(&l->outs, p->out.fd, EPOLLOUT, reterr);
    if (r < 0)
        return r;
    l->out_file = r > 0;
    mcph_source_remove(&l->outs);
    r = watch_fd(&l->in, p->in.fd, EPOLLIN, reterr);
    if (r < 0)
        return r;
    l->in_file = r > 0;
    l->in_fd = p->in.fd;
    end_mark(&p->in);
    end_mark(&p->out);
    if (l->in_file)
        mcph_lines_read_later(l);
    return 0;
}

static void
pair_close(struct mcph_transport *t)
{
    struct pair *p = pair_of(t);

    p->lines.ended = true;
    begin_flushing(p);
}

static void
pair_kill(struct mcph_transport *t)
{
    struct pair *p = pair_of(t);

    mcph_lines_stop_reading(&p->lines);
    mcph_lines_stop_writing(&p->lines);
    pair_close(t);
}

static void
pair_free(struct mcph_transport *t, int64_t wait_ms)
{
    struct pair *p = pair_of(t);

    (void)wait_ms;
    if (p->is_checking)
        mcph_core_unpost(t->core, &p->check);
    mcph_timer_cancel(&p->deadline);
    close_ends(p);
    mcph_lines_free(&p->lines);
}

static const struct mcph_transport_ops pair_ops = {
    .name = "pair",
    .open = pair_open,
    .begin = pair_begin,
    .commit = mcph_lines_commit,
    .get_queued = mcph_lines_get_queued,
    .close = pair_close,
    .kill = pair_kill,
    .free = pair_free,
};

static int
prepare_pair(struct pair *p, struct mcph_core *core, int in, int out,
             mcphost_error **reterr)
{
    struct mcph_lines *l = &p->lines;
    int r;

    if (mcph_lines_init(l, core, &lines_ops, MCPH_PAIR_QUEUE_MAX) < 0 ||
        mcph_timer_init(&p->deadline, core, on_deadline) < 0)
        return mcph_err_nomem(reterr);
    r = end_take(p, &p->in, in, O_RDONLY, reterr);
    if (r == 0)
        r = end_take(p, &p->out, out, O_WRONLY, reterr);
    l->strict = true;
    l->in_socket = p->in.is_socket;
    l->out_socket = p->out.is_socket;
    return r;
}

int
mcph_pair_new(struct mcph_core *core, int in, int out,
              const struct mcph_transport_owner *owner, void *owner_arg,
              struct mcph_transport **ret, mcphost_error **reterr)
{
    struct pair *p = calloc(1, sizeof(*p));
    int r;

    if (!p)
        return mcph_err_nomem(reterr);
    p->lines.base.ops = &pair_ops;
    p->lines.base.owner = owner;
    p->lines.base.owner_arg = owner_arg;
    p->in.fd = p->out.fd = p->reader_fd = -1;
    p->check.run = run_check;
    mcph_source_init(&p->reader, core, on_reader);
    r = prepare_pair(p, core, in, out, reterr);
    if (r < 0) {
        release_pair(&p->lines);
        return r;
    }
    *ret = &p->lines.base;
    return 0;
}

void
mcph_pair_set_queue_max(struct mcph_transport *t, size_t max)
{
    pair_of(t)->lines.out.max = max ? max : MCPH_PAIR_QUEUE_MAX;
}

void
mcph_pair_set_frame_limit(struct mcph_transport *t, size_t limit)
{
    mcph_framer_set_limit(&pair_of(t)->lines.framer, limit);
}
