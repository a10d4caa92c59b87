/* SPDX-License-Identifier: MIT
 *
 * stdio.c - a child process, one message a line.
 *
 * Reading: straight into the framer's buffer, at most MCPH_TURN_BYTES a turn, of which
 * each message takes its share; messages that are left go on by a job in the next turn.
 * Writing: messages gather in one buffer, a job writes it once all jobs of the turn
 * have had their say; only while the pipe is full does the write end stand in epoll.
 * The two never wait for each other, so a server that blocks on its output while we
 * block on its input cannot happen.
 *
 * The end comes as news from lib/proc (the server exited) or as end of file.  End of
 * file alone says little: the news of the exit usually follows within a moment, and
 * then the reason can tell the exit status; a grace timer bounds that wait.  After
 * the exit what is left in the pipe is read, up to a limit, for a descendant may hold
 * the other end for ever.
 *
 *   RUNNING --exit--> DRAINING --pipe empty--> ENDED
 *      |----eof, or no reader--> GRACE --exit, or time is up--> ENDED
 *
 * After ENDED, or after close, what the server still writes is read and dropped: one
 * that blocks on a full pipe would not see the end of its input.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "transport/transport.h"

#define NOMEM_TRIES 8
#define NOMEM_MS    10
#define KEEP_MAX    (64u * 1024u) /* of an output buffer that is empty */

struct stdio {
    struct mcph_transport base;
    const struct mcph_proc_spec *spec; /* until open */
    struct mcph_proc *proc;
    struct mcph_framer framer;
    struct mcph_buf out;
    size_t committed; /* of out; behind it a message is being built */
    size_t written;   /* of out */
    struct mcph_source in, outs;
    struct mcph_job flush, ahead;
    struct mcph_meter meter; /* of what is read */
    struct mcph_timer grace, retry;
    unsigned nomem; /* tries in a row that found no memory */
    size_t drained;
    bool left; /* the framer may hold frames that were not given */
    int si_code, si_status;
    bool eof;            /* of stdout */
    bool broken;         /* stdin has no reader */
    bool exited, failed; /* failed: the program never ran */
    bool ended;          /* the user was told, or nobody wants to know any more */
    unsigned busy;       /* inside a call to somebody else */
    bool posted, freed;  /* posted: `flush` */
    bool behind;         /* `ahead` is posted: frames were left for the next turn */
};

static struct stdio *
stdio_of(const struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF((struct mcph_transport *)(uintptr_t)t, struct stdio, base);
}

static void
release(struct stdio *s)
{
    mcph_framer_done(&s->framer);
    mcph_buf_done(&s->out);
    mcph_timer_done(&s->grace);
    mcph_timer_done(&s->retry);
    mcph_core_unref(s->base.core);
    free(s);
}

static void
enter(struct stdio *s)
{
    s->busy++;
}

/* False: it was freed meanwhile, do not touch it again. */
static bool
leave(struct stdio *s)
{
    if (--s->busy > 0 || !s->freed)
        return !s->freed;
    if (!s->posted && !s->behind)
        release(s);
    return false;
}

/* ---- the end ----------------------------------------------------------------------- */

static void
stop_writing(struct stdio *s)
{
    mcph_source_remove(&s->outs);
    mcph_buf_done(&s->out);
    s->committed = s->written = 0;
}

static void
end(struct stdio *s, mcphost_error *reason)
{
    if (s->ended)
        return;
    s->ended = true;
    mcph_timer_cancel(&s->grace);
    stop_writing(s);
    mcph_transport_tell_closed(&s->base, 0, reason);
    if (s->freed || !s->proc)
        return;
    /* Whatever the server left behind goes now, the owner need not be asked. */
    if (!s->failed)
        mcph_proc_stop(s->proc);
}

static void
end_with(struct stdio *s, int code, const char *text, const char *more)
{
    mcphost_error *err = NULL;

    if (s->ended)
        return;
    mcph_err(&err, code, "%s%s", text, more);
    mcph_proc_attach_tail(s->proc, s->base.mask, err);
    end(s, err);
    mcphost_error_unref(err);
}

static void
end_exited(struct stdio *s)
{
    char text[MCPH_PROC_EXIT_TEXT];

    mcph_proc_exit_text(s->si_code, s->si_status, text);
    end_with(s, MCPHOST_E_TRANSPORT, text,
             mcph_framer_pending(&s->framer) ? " in the middle of a message" : "");
}

static void
on_grace(struct mcph_timer *timer)
{
    struct stdio *s = MCPH_CONTAINER_OF(timer, struct stdio, grace);

    enter(s);
    end_with(s, MCPHOST_E_TRANSPORT,
             s->eof ? "closed its standard output" : "closed its standard input",
             " but did not exit");
    leave(s);
}

/* The connection is over; only the reason is still to come. */
static void
await_exit(struct stdio *s)
{
    if (!s->ended && !mcph_timer_is_set(&s->grace))
        mcph_timer_set(&s->grace, mcph_core_now(s->base.core) + MCPH_STDIO_GRACE_MS);
}

/* ---- reading ----------------------------------------------------------------------- */

/* BEHIND: the framer holds more than this turn may take. */
enum { READ_MORE, READ_EMPTY, READ_EOF, READ_NOMEM, READ_BEHIND };

/* The frames that the framer holds, as far as the budget goes. */
static int
give_frames(struct stdio *s, size_t *budget)
{
    struct mcph_frame *frame;
    int r;

    for (;;) {
        if (*budget == 0)
            return READ_BEHIND;
        r = mcph_framer_next(&s->framer, &frame);
        if (r < 0)
            return READ_NOMEM;
        if (r == 0 && !mcph_framer_is_behind(&s->framer))
            return READ_MORE;
        if (r == 0) {
            *budget -= *budget < MCPH_FRAMER_STEP ? *budget : MCPH_FRAMER_STEP;
            continue;
        }
        *budget -= *budget < MCPH_TURN_MESSAGE ? *budget : MCPH_TURN_MESSAGE;
        s->nomem = 0;
        mcph_transport_tell_message(&s->base, 0, frame);
        mcph_frame_unref(frame);
        if (s->freed)
            return READ_MORE;
    }
}

/* One read; what nobody wants any more goes to the stack. */
static int
read_once(struct stdio *s, size_t *budget)
{
    char waste[4096], *space = waste;
    size_t size = sizeof(waste);
    bool wanted = s->base.state == MCPH_TRANSPORT_OPEN;
    ssize_t n;
    int r;

    if (wanted) {
        space = mcph_framer_space(&s->framer, &size);
        if (!space)
            return READ_NOMEM;
    }
    if (size > *budget)
        size = *budget;
    do
        n = read(s->in.fd, space, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN ? READ_EMPTY : READ_EOF;
    if (n == 0)
        return READ_EOF;
    s->drained += (size_t)n;
    *budget -= (size_t)n;
    if (wanted) {
        mcph_framer_commit(&s->framer, (size_t)n);
        r = give_frames(s, budget);
        if (r != READ_MORE)
            return r;
    }
    /* A pipe gives what it has: less than asked for means empty. */
    return (size_t)n < size ? READ_EMPTY : READ_MORE;
}

static int
read_some(struct stdio *s, size_t budget)
{
    int r = READ_MORE;

    if (s->in.fd < 0)
        return READ_EOF;
    if (s->base.state == MCPH_TRANSPORT_OPEN && s->left)
        r = give_frames(s, &budget);
    while (r == READ_MORE && !s->freed && budget > 0)
        r = read_once(s, &budget);
    s->left = r == READ_NOMEM || r == READ_BEHIND;
    return r;
}

/* Reading goes on in a moment, or never. */
static void
short_of_memory(struct stdio *s)
{
    if (++s->nomem >= NOMEM_TRIES) {
        end_with(s, MCPHOST_E_NOMEM, "out of memory while reading", "");
        return;
    }
    mcph_source_set(&s->in, 0);
    mcph_timer_set(&s->retry, mcph_core_now(s->base.core) + NOMEM_MS);
}

/* No descriptor tells of what the framer holds. */
static void
go_on_later(struct stdio *s)
{
    if (s->behind)
        return;
    s->behind = true;
    mcph_core_post_later(s->base.core, &s->ahead);
}

static void
read_turn(struct stdio *s)
{
    size_t budget = mcph_meter_left(&s->meter, s->base.core);
    bool over = false;
    int r;

    if (budget == 0) {
        go_on_later(s);
        return;
    }
    mcph_meter_spend(&s->meter, budget);
    r = read_some(s, budget);
    if (s->freed)
        return;
    switch (r) {
    case READ_EOF:
        s->eof = over = true;
        mcph_source_remove(&s->in);
        if (s->proc)
            mcph_proc_close_stdout(s->proc);
        break;
    case READ_NOMEM:
        short_of_memory(s);
        return;
    case READ_BEHIND:
        go_on_later(s);
        break;
    case READ_MORE:
        mcph_core_more(s->base.core);
        break;
    }
    if (s->exited) {
        over = over || r == READ_EMPTY || s->drained >= MCPH_STDIO_DRAIN_MAX;
        if (over)
            end_exited(s);
    } else if (over) {
        await_exit(s);
    }
}

static void
run_ahead(struct mcph_job *job)
{
    struct stdio *s = MCPH_CONTAINER_OF(job, struct stdio, ahead);

    s->behind = false;
    if (s->freed) {
        if (!s->posted && s->busy == 0)
            release(s);
        return;
    }
    enter(s);
    if (s->in.fd >= 0 && !mcph_timer_is_set(&s->retry))
        read_turn(s);
    leave(s);
}

static void
on_stdout(struct mcph_source *source, uint32_t events)
{
    struct stdio *s = MCPH_CONTAINER_OF(source, struct stdio, in);

    (void)events;
    enter(s);
    read_turn(s);
    leave(s);
}

static void
on_retry(struct mcph_timer *timer)
{
    struct stdio *s = MCPH_CONTAINER_OF(timer, struct stdio, retry);

    enter(s);
    /* The set wants memory too. */
    if (s->in.fd >= 0 && mcph_source_set(&s->in, EPOLLIN) < 0)
        short_of_memory(s);
    else
        read_turn(s);
    leave(s);
}

/* ---- writing ----------------------------------------------------------------------- */

static void
write_out(struct stdio *s)
{
    size_t budget = MCPH_TURN_BYTES, size;
    ssize_t n = 0;

    while (s->written < s->committed && budget > 0) {
        size = s->committed - s->written;
        if (size > budget)
            size = budget;
        n = mcph_write_nosig(mcph_proc_stdin(s->proc), s->out.data + s->written, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        s->written += (size_t)n;
        budget -= (size_t)n;
        if ((size_t)n < size)
            break;
    }
    if (n < 0 && errno != EAGAIN) {
        s->broken = true;
        stop_writing(s);
        await_exit(s);
        return;
    }
    if (s->written == s->committed) {
        s->out.len = s->committed = s->written = 0;
        if (s->out.cap > KEEP_MAX)
            mcph_buf_done(&s->out);
        mcph_source_remove(&s->outs);
        return;
    }
    if (s->written >= s->committed / 2) {
        mcph_buf_consume(&s->out, s->written);
        s->committed -= s->written;
        s->written = 0;
    }
    if (s->outs.fd < 0 &&
        mcph_source_add(&s->outs, mcph_proc_stdin(s->proc), EPOLLOUT) < 0) {
        s->broken = true;
        stop_writing(s);
        await_exit(s);
    }
}

static void
on_stdin(struct mcph_source *source, uint32_t events)
{
    struct stdio *s = MCPH_CONTAINER_OF(source, struct stdio, outs);

    (void)events;
    write_out(s);
}

static void
run_flush(struct mcph_job *job)
{
    struct stdio *s = MCPH_CONTAINER_OF(job, struct stdio, flush);

    s->posted = false;
    if (s->freed && s->busy == 0 && !s->behind)
        release(s);
    else if (!s->freed && s->base.state == MCPH_TRANSPORT_OPEN && !s->broken &&
             s->outs.fd < 0)
        write_out(s);
}

static int
stdio_begin(struct mcph_transport *t, struct mcph_buf **ret_buf)
{
    struct stdio *s = stdio_of(t);

    if (s->broken || s->ended || s->eof)
        return MCPHOST_E_TRANSPORT;
    s->out.len = s->committed; /* whatever a failed build left behind */
    s->out.err = 0;
    *ret_buf = &s->out;
    return 0;
}

static int
stdio_commit(struct mcph_transport *t, const struct mcph_header *headers,
             size_t n_headers, int kind, uint64_t stream)
{
    struct stdio *s = stdio_of(t);
    int r = mcph_buf_addc(&s->out, '\n');

    (void)headers;
    (void)n_headers;
    (void)kind;
    (void)stream;
    if (r < 0)
        return r;
    s->committed = s->out.len;
    if (!s->posted && s->outs.fd < 0) {
        s->posted = true;
        mcph_core_post(t->core, &s->flush);
    }
    return 0;
}

/* ---- the process ------------------------------------------------------------------- */

static void
on_started(struct mcph_proc *proc, pid_t pid, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    enter(s);
    if (s->base.owner && s->base.owner->up)
        s->base.owner->up(&s->base, pid, s->base.owner_arg);
    if (!s->freed && s->in.fd >= 0 && mcph_source_set(&s->in, EPOLLIN) < 0)
        end_with(s, MCPHOST_E_LIMIT, "cannot watch the server's standard output", "");
    leave(s);
}

static void
on_exec_failed(struct mcph_proc *proc, mcphost_error *err, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    enter(s);
    s->failed = true;
    end(s, err);
    leave(s);
}

static void
on_exited(struct mcph_proc *proc, int si_code, int si_status, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    enter(s);
    s->exited = true;
    s->si_code = si_code;
    s->si_status = si_status;
    s->drained = 0;
    mcph_timer_cancel(&s->grace);
    if (s->ended || s->base.state != MCPH_TRANSPORT_OPEN)
        mcph_proc_stop(s->proc);
    else
        read_turn(s);
    leave(s);
}

static void
on_gone(struct mcph_proc *proc, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    enter(s);
    mcph_source_remove(&s->outs);
    /* Without news of the exit: then this is it, and nobody writes any more. */
    if (!s->ended && s->base.state == MCPH_TRANSPORT_OPEN) {
        read_some(s, MCPH_STDIO_DRAIN_MAX);
        if (!s->freed)
            end_exited(s);
    }
    if (!s->freed) {
        mcph_source_remove(&s->in);
        mcph_transport_tell_gone(&s->base);
    }
    leave(s);
}

static void
on_left(struct mcph_proc *proc, int n, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    enter(s);
    if (s->base.owner && s->base.owner->left)
        s->base.owner->left(&s->base, n, s->base.owner_arg);
    leave(s);
}

static void
on_stderr(struct mcph_proc *proc, const char *line, size_t len, uint64_t lost, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    enter(s);
    if (s->base.owner && s->base.owner->stderr_line)
        s->base.owner->stderr_line(&s->base, line, len, lost, s->base.owner_arg);
    leave(s);
}

static void
on_unguarded(struct mcph_proc *proc, mcphost_error *err, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    enter(s);
    if (s->base.owner && s->base.owner->unguarded)
        s->base.owner->unguarded(&s->base, err, s->base.owner_arg);
    leave(s);
}

static const struct mcph_proc_ops proc_ops = {
    .on_started = on_started,
    .on_exec_failed = on_exec_failed,
    .on_exited = on_exited,
    .on_gone = on_gone,
    .on_left = on_left,
    .on_stderr = on_stderr,
    .on_unguarded = on_unguarded,
};

/* ---- the transport's functions ----------------------------------------------------- */

static int
stdio_open(struct mcph_transport *t, mcphost_error **reterr)
{
    struct stdio *s = stdio_of(t);
    int r;

    r = mcph_proc_spawn(t->core, s->spec, &proc_ops, s, &s->proc, reterr);
    s->spec = NULL;
    if (r < 0)
        return r;
    /* Silent until the news that the program runs: those come first. */
    r = mcph_source_add(&s->in, mcph_proc_stdout(s->proc), 0);
    if (r < 0) {
        /* It runs: no event will say when it has ended, so it has to end here. */
        s->proc = mcph_proc_free(s->proc, 1000);
        return mcph_err(reterr, r, "cannot watch the server's standard output");
    }
    return 0;
}

static void
stdio_close(struct mcph_transport *t)
{
    struct stdio *s = stdio_of(t);

    if (!s->broken && !s->ended && s->outs.fd < 0 && s->committed > s->written)
        write_out(s);
    s->ended = true;
    mcph_timer_cancel(&s->grace);
    stop_writing(s);
    mcph_proc_stop(s->proc);
}

static void
stdio_kill(struct mcph_transport *t)
{
    struct stdio *s = stdio_of(t);

    s->ended = true;
    mcph_timer_cancel(&s->grace);
    mcph_timer_cancel(&s->retry);
    stop_writing(s);
    mcph_source_remove(&s->in);
    mcph_proc_kill(s->proc);
}

static void
stdio_free(struct mcph_transport *t, int64_t wait_ms)
{
    struct stdio *s = stdio_of(t);

    s->freed = true;
    mcph_source_remove(&s->in);
    mcph_source_remove(&s->outs);
    s->proc = mcph_proc_free(s->proc, wait_ms);
    if (!s->posted && !s->behind && s->busy == 0)
        release(s);
}

static void
stdio_attach_tail(struct mcph_transport *t, mcphost_error *err)
{
    struct stdio *s = stdio_of(t);

    if (s->proc)
        mcph_proc_attach_tail(s->proc, s->base.mask, err);
}

static int
stdio_get_containment(const struct mcph_transport *t)
{
    const struct stdio *s = stdio_of(t);

    return s->proc ? mcph_proc_containment(s->proc) : MCPHOST_CONTAINMENT_AUTO;
}

static const struct mcph_transport_ops stdio_ops = {
    .name = "stdio",
    .open = stdio_open,
    .begin = stdio_begin,
    .commit = stdio_commit,
    .close = stdio_close,
    .kill = stdio_kill,
    .free = stdio_free,
    .attach_tail = stdio_attach_tail,
    .get_containment = stdio_get_containment,
};

int
mcph_stdio_new(struct mcph_core *core, const struct mcph_proc_spec *spec,
               const struct mcph_transport_owner *owner, void *owner_arg,
               struct mcph_transport **ret, mcphost_error **reterr)
{
    struct stdio *s = calloc(1, sizeof(*s));

    if (!s)
        return mcph_err_nomem(reterr);
    s->base.ops = &stdio_ops;
    s->base.core = mcph_core_ref(core);
    s->base.owner = owner;
    s->base.owner_arg = owner_arg;
    s->spec = spec;
    mcph_framer_init(&s->framer, 0);
    mcph_buf_init(&s->out, MCPH_STDIO_QUEUE_MAX);
    mcph_source_init(&s->in, core, on_stdout);
    mcph_source_init(&s->outs, core, on_stdin);
    s->flush.run = run_flush;
    s->ahead.run = run_ahead;
    if (mcph_timer_init(&s->grace, core, on_grace) < 0 ||
        mcph_timer_init(&s->retry, core, on_retry) < 0) {
        release(s);
        return mcph_err_nomem(reterr);
    }
    *ret = &s->base;
    return 0;
}

void
mcph_stdio_set_queue_max(struct mcph_transport *t, size_t max)
{
    stdio_of(t)->out.max = max ? max : MCPH_STDIO_QUEUE_MAX;
}

void
mcph_stdio_set_frame_limit(struct mcph_transport *t, size_t limit)
{
    mcph_framer_set_limit(&stdio_of(t)->framer, limit);
}

void
mcph_stdio_set_sink(struct mcph_transport *t, struct mcph_sink *sink,
                    struct mcph_ration *ration)
{
    mcph_framer_set_sink(&stdio_of(t)->framer, sink);
    mcph_framer_set_ration(&stdio_of(t)->framer, ration);
}

pid_t
mcph_stdio_pid(const struct mcph_transport *t)
{
    const struct stdio *s = stdio_of(t);

    return s->proc ? mcph_proc_pid(s->proc) : 0;
}
