/* SPDX-License-Identifier: MIT
 *
 * proc.c - the object of one process: create it, query it, free it.
 *
 * mcph_proc_free() ends a tree that is not empty, and waits for the end without the loop.
 * In a forked child of the host mcph_proc_free() only releases memory and descriptors.
 */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "proc/internal.h"

#define WAIT_STEP_MS 50

void
mcph_proc_spec_init(struct mcph_proc_spec *spec)
{
    *spec = (struct mcph_proc_spec){
        .use_guard = true,
        .warden = true,
        .stop_eof_ms = 2000,
        .stop_term_ms = 2000,
    };
}

static void
close_fd(struct mcph_proc *proc, int *fd)
{
    mcph_core_drop_fd(proc->core, *fd);
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Releases everything but the memory itself, because running handlers may still read the
 * memory. */
static void
release_all(struct mcph_proc *proc)
{
    mcph_timer_done(&proc->step);
    mcph_timer_done(&proc->tick);
    proc->step.core = proc->tick.core = NULL;
    mcph_proc_close_lifeline(proc);
    mcph_source_remove(&proc->child_source);
    close_fd(proc, &proc->childfd);
    close_fd(proc, &proc->serverfd);
    close_fd(proc, &proc->in);
    close_fd(proc, &proc->out);
    mcph_proc_stderr_done(proc);
    mcph_proc_sweep_done(proc);
    proc->unguarded = mcphost_error_unref(proc->unguarded);
}

static void
free_memory(struct mcph_proc *proc)
{
    free(proc->server);
    free(proc->program);
    free(proc->cgroup);
    free(proc);
}

void
mcph_proc_enter(struct mcph_proc *proc)
{
    proc->depth++;
}

void
mcph_proc_leave(struct mcph_proc *proc)
{
    if (--proc->depth == 0 && proc->dead)
        free_memory(proc);
}

static struct mcph_proc *
proc_new(struct mcph_core *core, const struct mcph_proc_spec *spec)
{
    struct mcph_proc *proc = calloc(1, sizeof(*proc));

    if (!proc)
        return NULL;
    proc->core = core;
    proc->in = proc->out = proc->lifeline_fd = proc->childfd = proc->serverfd = -1;
    proc->guarded = spec->use_guard;
    proc->containment = spec->containment;
    proc->stop_eof_ms = spec->stop_eof_ms;
    proc->stop_term_ms = spec->stop_term_ms;
    mcph_source_init(&proc->lifeline, core, mcph_proc_on_lifeline);
    mcph_source_init(&proc->child_source, core, mcph_proc_on_child);
    mcph_proc_stderr_init(proc);
    proc->server = spec->server ? mcph_strdup(spec->server) : NULL;
    proc->program = mcph_strdup(spec->command);
    if (!proc->program || (spec->server && !proc->server) ||
        mcph_timer_init(&proc->step, core, mcph_proc_on_step) < 0 ||
        mcph_timer_init(&proc->tick, core, mcph_proc_on_tick) < 0) {
        release_all(proc);
        free_memory(proc);
        return NULL;
    }
    return proc;
}

#define STOP_MAX_MS 86400000

int
mcph_proc_spawn(struct mcph_core *core, const struct mcph_proc_spec *spec,
                const struct mcph_proc_ops *ops, void *arg, struct mcph_proc **ret,
                mcphost_error **reterr)
{
    struct mcph_proc *proc;
    int r;

    if (mcph_core_forked(core))
        return mcph_err(reterr, MCPHOST_E_FORKED,
                        "the host belongs to the parent process");
    if (!spec->command || !spec->argv || !spec->argv[0])
        return mcph_err(reterr, MCPHOST_E_INVALID, "no command");
    if (spec->stop_eof_ms < 0 || spec->stop_eof_ms > STOP_MAX_MS ||
        spec->stop_term_ms < 0 || spec->stop_term_ms > STOP_MAX_MS)
        return mcph_err(reterr, MCPHOST_E_INVALID, "stop times must be 0 to %d ms",
                        STOP_MAX_MS);
    proc = proc_new(core, spec);
    if (!proc)
        return mcph_err_nomem(reterr);
    r = mcph_proc_launch(proc, spec, reterr);
    if (r < 0) {
        if (!proc->child) /* no process was started */
            proc->gone = true;
        mcph_proc_free(proc, 1000);
        return r;
    }
    if (!proc->guarded)
        proc->pid = proc->child;
    if (!proc->guarded || proc->childfd < 0)
        mcph_timer_set(&proc->tick, mcph_core_now(core));
    proc->ops = ops;
    proc->arg = arg;
    *ret = proc;
    return 0;
}

int
mcph_proc_stdin(const struct mcph_proc *proc)
{
    return proc->in;
}

int
mcph_proc_stdout(const struct mcph_proc *proc)
{
    return proc->out;
}

void
mcph_proc_close_stdin(struct mcph_proc *proc)
{
    close_fd(proc, &proc->in);
}

void
mcph_proc_close_stdout(struct mcph_proc *proc)
{
    close_fd(proc, &proc->out);
}

pid_t
mcph_proc_pid(const struct mcph_proc *proc)
{
    return proc->started ? proc->pid : 0;
}

bool
mcph_proc_guarded(const struct mcph_proc *proc)
{
    return proc->guarded;
}

int
mcph_proc_containment(const struct mcph_proc *proc)
{
    if (!proc->guarded)
        return MCPHOST_CONTAINMENT_GROUP;
    if (proc->features & MCPH_GUARD_HAS_PID_NS)
        return MCPHOST_CONTAINMENT_PID;
    return proc->features & MCPH_GUARD_HAS_CGROUP ? MCPHOST_CONTAINMENT_CGROUP
                                                  : MCPHOST_CONTAINMENT_TREE;
}

/* Waits up to `ms` for events of this process, and handles the events without the event
 * loop.  Reports nothing to the owner. */
static void
wait_once(struct mcph_proc *proc, int ms)
{
    struct pollfd fds[2] = {
        {.fd = proc->lifeline_fd, .events = POLLIN},
        {.fd = proc->childfd, .events = POLLIN},
    };

    if (poll(fds, 2, ms) < 0)
        return;
    if (fds[0].revents)
        mcph_proc_on_lifeline(&proc->lifeline, 0);
    if (fds[1].revents && !proc->gone)
        mcph_proc_on_child(&proc->child_source, 0);
    if (!proc->gone && (proc->sweeping || proc->childfd < 0))
        mcph_proc_on_tick(&proc->tick);
}

static void
kill_and_wait(struct mcph_proc *proc, int64_t wait_ms)
{
    int64_t now = mcph_clock_monotonic_ms();
    int64_t end = now + wait_ms, cut = now + wait_ms * 6 / 10;

    mcph_proc_kill(proc);
    while (!proc->gone && now < end) {
        int64_t left = end - now;

        if (proc->sweeping || proc->childfd < 0)
            left = left < 2 ? left : 2;
        else if (left > WAIT_STEP_MS)
            left = WAIT_STEP_MS;
        wait_once(proc, (int)left);
        now = mcph_clock_monotonic_ms();
        if (!proc->gone && now >= cut && proc->guarded && proc->lifeline_fd >= 0 &&
            !proc->left && proc->phase < MCPH_PHASE_CUT)
            mcph_proc_cut(proc);
    }
}

struct mcph_proc *
mcph_proc_free(struct mcph_proc *proc, int64_t wait_ms)
{
    if (!proc || proc->dead)
        return NULL;
    proc->ops = NULL;
    if (!proc->gone && !mcph_core_forked(proc->core)) {
        proc->depth++;
        kill_and_wait(proc, wait_ms);
        proc->depth--;
    }
    release_all(proc);
    proc->gone = true;
    if (proc->depth)
        proc->dead = true; /* mcph_proc_leave() frees the memory */
    else
        free_memory(proc);
    return NULL;
}
