/* SPDX-License-Identifier: MIT
 *
 * stdio.c - a transport to a child process, one message per line.
 *
 * Reading and writing are in lines.c.
 *
 * The transport detects the end by an event of lib/proc (the server exited) or by end of
 * file.  After end of file, lib/proc usually reports the exit within a moment.  The
 * reason contains the exit status only if the exit was reported.  A grace timer limits
 * the wait for the exit.  After the exit, the transport reads the rest of the pipe up to
 * a limit, because a descendant may hold the other end for ever.
 *
 *   RUNNING --exit--> DRAINING --pipe empty--> ENDED
 *      |----eof, or no reader--> GRACE --exit, or time is up--> ENDED
 *
 * After ENDED, or after close, the transport reads and drops further output of the
 * server, because a server that blocks on a full pipe would not see the end of its input.
 */
#include "transport/lines.h"

#include <stdlib.h>
#include <sys/epoll.h>

struct stdio {
    struct mcph_lines lines;
    const struct mcph_proc_spec *spec; /* borrowed until open */
    struct mcph_proc *proc;
    struct mcph_timer grace;
    size_t drain_end; /* reading stops when lines.taken reaches this value */
    int si_code, si_status;
    bool exited, failed; /* `failed`: the program never ran */
};

static struct stdio *
stdio_of(const struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF(mcph_lines_of(t), struct stdio, lines);
}

static void
release_stdio(struct mcph_lines *l)
{
    struct stdio *s = MCPH_CONTAINER_OF(l, struct stdio, lines);

    mcph_timer_done(&s->grace);
    mcph_lines_done(l);
    free(s);
}

/* ---- the end ----------------------------------------------------------------------- */

static void
end_connection(struct stdio *s, mcphost_error *reason)
{
    if (s->lines.ended)
        return;
    s->lines.ended = true;
    mcph_timer_cancel(&s->grace);
    mcph_lines_stop_writing(&s->lines);
    mcph_transport_tell_closed(&s->lines.base, 0, reason);
    if (s->lines.freed || !s->proc)
        return;
    /* Stop the rest of the process tree now, without waiting for the owner to close. */
    if (!s->failed)
        mcph_proc_stop(s->proc);
}

static void
end_with(struct stdio *s, int code, const char *text, const char *more)
{
    mcphost_error *err = NULL;

    if (s->lines.ended)
        return;
    mcph_err(&err, code, "%s%s", text, more);
    mcph_proc_attach_tail(s->proc, s->lines.base.mask, err);
    end_connection(s, err);
    mcphost_error_unref(err);
}

static void
end_exited(struct stdio *s)
{
    char text[MCPH_PROC_EXIT_TEXT];

    mcph_proc_exit_text(s->si_code, s->si_status, text);
    end_with(s, MCPHOST_E_TRANSPORT, text,
             mcph_framer_pending(&s->lines.framer) ? " in the middle of a message" : "");
}

static void
on_grace(struct mcph_timer *timer)
{
    struct stdio *s = MCPH_CONTAINER_OF(timer, struct stdio, grace);

    mcph_lines_enter(&s->lines);
    end_with(s, MCPHOST_E_TRANSPORT,
             s->lines.eof ? "closed its standard output" : "closed its standard input",
             " but did not exit");
    mcph_lines_leave(&s->lines);
}

/* Waits for the exit after end of file or a failed write, because the exit gives the
 * reason. */
static void
await_exit(struct stdio *s)
{
    if (!s->lines.ended && !mcph_timer_is_set(&s->grace))
        mcph_timer_set(&s->grace,
                       mcph_core_now(s->lines.base.core) + MCPH_STDIO_GRACE_MS);
}

/* ---- results of reading and writing ------------------------------------------------ */

static int
out_fd(struct mcph_lines *l)
{
    return mcph_proc_stdin(MCPH_CONTAINER_OF(l, struct stdio, lines)->proc);
}

static void
was_read(struct mcph_lines *l, int how)
{
    struct stdio *s = MCPH_CONTAINER_OF(l, struct stdio, lines);

    if (how == MCPH_LINES_EOF && s->proc)
        mcph_proc_close_stdout(s->proc);
    if (!s->exited) {
        if (how == MCPH_LINES_EOF)
            await_exit(s);
    } else if (how == MCPH_LINES_EOF || how == MCPH_LINES_EMPTY ||
               l->taken >= s->drain_end) {
        end_exited(s);
    }
}

static void
end_starved(struct mcph_lines *l)
{
    end_with(MCPH_CONTAINER_OF(l, struct stdio, lines), MCPHOST_E_NOMEM,
             "out of memory while reading", "");
}

/* Waits for the exit, because the exit status says more than the errno of a write. */
static void
break_lines(struct mcph_lines *l, int fault)
{
    (void)fault;
    await_exit(MCPH_CONTAINER_OF(l, struct stdio, lines));
}

static const struct mcph_lines_ops lines_ops = {
    .out_fd = out_fd,
    .was_read = was_read,
    .starved = end_starved,
    .broken = break_lines,
    .release = release_stdio,
};

/* ---- the process ------------------------------------------------------------------- */

static void
on_started(struct mcph_proc *proc, pid_t pid, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    mcph_lines_enter(&s->lines);
    if (s->lines.base.owner && s->lines.base.owner->up)
        s->lines.base.owner->up(&s->lines.base, pid, s->lines.base.owner_arg);
    if (!s->lines.freed && s->lines.in.fd >= 0 &&
        mcph_source_set(&s->lines.in, EPOLLIN) < 0)
        end_with(s, MCPHOST_E_LIMIT, "cannot watch the server's standard output", "");
    mcph_lines_leave(&s->lines);
}

static void
on_exec_failed(struct mcph_proc *proc, mcphost_error *err, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    mcph_lines_enter(&s->lines);
    s->failed = true;
    end_connection(s, err);
    mcph_lines_leave(&s->lines);
}

static void
on_exited(struct mcph_proc *proc, int si_code, int si_status, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    mcph_lines_enter(&s->lines);
    s->exited = true;
    s->si_code = si_code;
    s->si_status = si_status;
    s->drain_end = s->lines.taken + MCPH_STDIO_DRAIN_MAX;
    mcph_timer_cancel(&s->grace);
    if (s->lines.ended || s->lines.base.state != MCPH_TRANSPORT_OPEN)
        mcph_proc_stop(s->proc);
    else
        mcph_lines_read_turn(&s->lines);
    mcph_lines_leave(&s->lines);
}

static void
on_gone(struct mcph_proc *proc, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    mcph_lines_enter(&s->lines);
    mcph_source_remove(&s->lines.outs);
    /* End the connection if on_exited() has not ended it.  First read the rest of the
     * pipe.  No process writes to the pipe any more. */
    if (!s->lines.ended && s->lines.base.state == MCPH_TRANSPORT_OPEN) {
        mcph_lines_read(&s->lines, MCPH_STDIO_DRAIN_MAX);
        if (!s->lines.freed)
            end_exited(s);
    }
    if (!s->lines.freed) {
        mcph_lines_stop_reading(&s->lines);
        mcph_transport_tell_gone(&s->lines.base);
    }
    mcph_lines_leave(&s->lines);
}

static void
on_left(struct mcph_proc *proc, int n, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    mcph_lines_enter(&s->lines);
    if (s->lines.base.owner && s->lines.base.owner->left)
        s->lines.base.owner->left(&s->lines.base, n, s->lines.base.owner_arg);
    mcph_lines_leave(&s->lines);
}

static void
on_stderr(struct mcph_proc *proc, const char *line, size_t len, uint64_t lost, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    mcph_lines_enter(&s->lines);
    if (s->lines.base.owner && s->lines.base.owner->stderr_line)
        s->lines.base.owner->stderr_line(&s->lines.base, line, len, lost,
                                         s->lines.base.owner_arg);
    mcph_lines_leave(&s->lines);
}

static void
on_unguarded(struct mcph_proc *proc, mcphost_error *err, void *arg)
{
    struct stdio *s = arg;

    (void)proc;
    mcph_lines_enter(&s->lines);
    if (s->lines.base.owner && s->lines.base.owner->unguarded)
        s->lines.base.owner->unguarded(&s->lines.base, err, s->lines.base.owner_arg);
    mcph_lines_leave(&s->lines);
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
    /* Add the source without events.  on_started() enables them, so that up() comes
     * before messages. */
    r = mcph_source_add(&s->lines.in, mcph_proc_stdout(s->proc), 0);
    if (r < 0) {
        /* End the process here, because no event would report the end of the process. */
        s->proc = mcph_proc_free(s->proc, 1000);
        return mcph_err(reterr, r, "cannot watch the server's standard output");
    }
    s->lines.in_fd = mcph_proc_stdout(s->proc);
    return 0;
}

static void
stdio_close(struct mcph_transport *t)
{
    struct stdio *s = stdio_of(t);

    if (!s->lines.broken && !s->lines.ended && s->lines.outs.fd < 0 &&
        s->lines.committed > s->lines.written)
        mcph_lines_write(&s->lines);
    s->lines.ended = true;
    mcph_timer_cancel(&s->grace);
    mcph_lines_stop_writing(&s->lines);
    mcph_proc_stop(s->proc);
}

static void
stdio_kill(struct mcph_transport *t)
{
    struct stdio *s = stdio_of(t);

    s->lines.ended = true;
    mcph_timer_cancel(&s->grace);
    mcph_lines_stop_writing(&s->lines);
    mcph_lines_stop_reading(&s->lines);
    mcph_proc_kill(s->proc);
}

static void
stdio_free(struct mcph_transport *t, int64_t wait_ms)
{
    struct stdio *s = stdio_of(t);

    mcph_lines_stop_reading(&s->lines);
    mcph_source_remove(&s->lines.outs);
    s->proc = mcph_proc_free(s->proc, wait_ms);
    mcph_lines_free(&s->lines);
}

static void
stdio_attach_tail(struct mcph_transport *t, mcphost_error *err)
{
    struct stdio *s = stdio_of(t);

    if (s->proc)
        mcph_proc_attach_tail(s->proc, s->lines.base.mask, err);
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
    .begin = mcph_lines_begin,
    .commit = mcph_lines_commit,
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
    s->lines.base.ops = &stdio_ops;
    s->lines.base.owner = owner;
    s->lines.base.owner_arg = owner_arg;
    s->spec = spec;
    if (mcph_lines_init(&s->lines, core, &lines_ops, MCPH_STDIO_QUEUE_MAX) < 0 ||
        mcph_timer_init(&s->grace, core, on_grace) < 0) {
        release_stdio(&s->lines);
        return mcph_err_nomem(reterr);
    }
    *ret = &s->lines.base;
    return 0;
}

void
mcph_stdio_set_queue_max(struct mcph_transport *t, size_t max)
{
    stdio_of(t)->lines.out.max = max ? max : MCPH_STDIO_QUEUE_MAX;
}

void
mcph_stdio_set_frame_limit(struct mcph_transport *t, size_t limit)
{
    mcph_framer_set_limit(&stdio_of(t)->lines.framer, limit);
}

void
mcph_stdio_set_sink(struct mcph_transport *t, struct mcph_sink *sink,
                    struct mcph_ration *ration)
{
    mcph_framer_set_sink(&stdio_of(t)->lines.framer, sink);
    mcph_framer_set_ration(&stdio_of(t)->lines.framer, ration);
}
