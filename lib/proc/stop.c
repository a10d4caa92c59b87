/* SPDX-License-Identifier: MIT
 *
 * stop.c - stop a server by steps, from closing stdin to SIGKILL, driven by timers.
 *
 *   RUN -> EOF -> TERM -> KILL -> POKED -> CUT
 *
 * With a guard the host sends 'T' or 'K', and the guard performs the steps from TERM to
 * KILL.  POKED and CUT are the watchdog for a guard that does not answer.  The watchdog
 * waits longer than the guard can take, because a guard that is killed during its work
 * leaves processes behind.
 */
#include <signal.h>
#include <unistd.h>

#include "proc/internal.h"

/* The time in ms that the watchdog waits beyond the guard's own times, and the time from
 * POKED to CUT. */
#define WATCHDOG_MS 500
#define POLL_MS     20 /* interval of polling without pidfds */

static void
set_step(struct mcph_proc *proc, int64_t ms)
{
    mcph_timer_set(&proc->step, mcph_core_now(proc->core) + ms);
}

/* Finishes the stop of a dead server that had no guard.  The process group is signalled
 * while the server is a zombie of the host, because the group's number may be reused once
 * the server is reaped. */
static void
finish_direct(struct mcph_proc *proc)
{
    mcph_timer_cancel(&proc->step);
    mcph_proc_signal_group(proc, SIGKILL);
    mcph_proc_reap(proc);
    mcph_proc_sweep_start(proc);
}

static void
ask_term(struct mcph_proc *proc)
{
    proc->phase = MCPH_PHASE_TERM;
    if (proc->guarded) {
        mcph_proc_ask_guard(proc, MCPH_GUARD_STOP);
        set_step(proc, proc->stop_term_ms + MCPH_GUARD_KILL_MS + WATCHDOG_MS);
    } else if (proc->exited) {
        finish_direct(proc);
    } else {
        mcph_proc_signal_group(proc, SIGTERM);
        mcph_proc_signal_group(proc, SIGCONT);
        set_step(proc, proc->stop_term_ms);
    }
}

static void
ask_kill(struct mcph_proc *proc)
{
    proc->phase = MCPH_PHASE_KILL;
    if (proc->guarded) {
        mcph_proc_ask_guard(proc, MCPH_GUARD_KILL);
        set_step(proc, MCPH_GUARD_KILL_MS + WATCHDOG_MS);
    } else if (proc->exited) {
        finish_direct(proc);
    } else {
        mcph_proc_signal_group(proc, SIGKILL);
        set_step(proc, MCPH_GUARD_KILL_MS);
    }
}

void
mcph_proc_server_ended(struct mcph_proc *proc)
{
    if (proc->phase == MCPH_PHASE_RUN || proc->gone)
        return;
    if (!proc->guarded)
        finish_direct(proc);
    else if (proc->phase == MCPH_PHASE_EOF)
        ask_term(proc);
}

void
mcph_proc_stop(struct mcph_proc *proc)
{
    if (mcph_core_forked(proc->core) || proc->gone)
        return;
    mcph_proc_close_stdin(proc);
    if (proc->phase != MCPH_PHASE_RUN)
        return;
    proc->phase = MCPH_PHASE_EOF;
    if (proc->guarded && proc->lifeline_fd < 0)
        return; /* the guard is ending already */
    if (proc->exited)
        ask_term(proc);
    else
        set_step(proc, proc->stop_eof_ms);
}

void
mcph_proc_kill(struct mcph_proc *proc)
{
    if (mcph_core_forked(proc->core) || proc->gone)
        return;
    mcph_proc_close_stdin(proc);
    mcph_proc_close_stdout(proc);
    if (proc->phase >= MCPH_PHASE_KILL)
        return;
    if (proc->guarded && proc->lifeline_fd < 0)
        proc->phase = MCPH_PHASE_KILL;
    else
        ask_kill(proc);
}

/* Wakes a guard that hangs or was stopped by a signal, and asks the guard to kill the
 * tree.  If there is a warden, the warden takes over. */
static void
wake_guard(struct mcph_proc *proc)
{
    proc->phase = MCPH_PHASE_POKED;
    mcph_log(proc->core, MCPHOST_LOG_WARNING, "proc", proc->server,
             "the guard does not answer");
    mcph_proc_ask_guard(proc, MCPH_GUARD_KILL);
    mcph_proc_signal_guard(proc, SIGUSR1);
    mcph_proc_signal_guard(proc, SIGCONT);
    set_step(proc, WATCHDOG_MS);
}

void
mcph_proc_cut(struct mcph_proc *proc)
{
    proc->phase = MCPH_PHASE_CUT;
    mcph_proc_guard_lost(proc);
}

static void
next_guarded(struct mcph_proc *proc)
{
    if (proc->lifeline_fd < 0) {
        /* Kill the host's child, because it has not ended although the tree is empty.  A
         * signal has stopped the child. */
        mcph_proc_signal_guard(proc, SIGKILL);
        return;
    }
    if (proc->left)
        return; /* the guard answers and continues to kill */
    switch (proc->phase) {
    case MCPH_PHASE_EOF:
        ask_term(proc);
        break;
    case MCPH_PHASE_TERM:
    case MCPH_PHASE_KILL:
        wake_guard(proc);
        break;
    case MCPH_PHASE_POKED:
        mcph_proc_cut(proc);
        break;
    case MCPH_PHASE_CUT:
    case MCPH_PHASE_RUN:
        break;
    }
}

static void
next_direct(struct mcph_proc *proc)
{
    switch (proc->phase) {
    case MCPH_PHASE_EOF:
        ask_term(proc);
        break;
    case MCPH_PHASE_TERM:
        ask_kill(proc);
        break;
    case MCPH_PHASE_KILL:
        mcph_proc_tell_left(proc, 1);
        break;
    default:
        break;
    }
}

void
mcph_proc_on_step(struct mcph_timer *timer)
{
    struct mcph_proc *proc = MCPH_CONTAINER_OF(timer, struct mcph_proc, step);

    mcph_proc_enter(proc);
    if (proc->guarded)
        next_guarded(proc);
    else
        next_direct(proc);
    mcph_proc_leave(proc);
}

/* Returns true if the end of the host's child must be detected by polling. */
static bool
polls_child(const struct mcph_proc *proc)
{
    if (proc->childfd >= 0 || proc->dead)
        return false;
    return proc->guarded ? proc->lifeline_fd < 0 && !proc->reaped : !proc->exited;
}

/* If the host's child has no pidfd, checks whether the child has ended. */
static void
poll_child(struct mcph_proc *proc)
{
    if (!polls_child(proc))
        return;
    if (!proc->reaped)
        mcph_proc_on_child(&proc->child_source, 0);
    else
        mcph_proc_tell_exited(proc, 0, 0); /* another part of the process has reaped the
                                            * child */
}

void
mcph_proc_on_tick(struct mcph_timer *timer)
{
    struct mcph_proc *proc = MCPH_CONTAINER_OF(timer, struct mcph_proc, tick);

    mcph_proc_enter(proc);
    if (!proc->guarded)
        mcph_proc_announce(proc);
    if (!proc->dead)
        poll_child(proc);
    if (!proc->dead && proc->sweeping && mcph_proc_sweep_slice(proc)) {
        mcph_proc_sweep_done(proc);
        proc->empty = true;
        if (!proc->reaped)
            mcph_proc_reap(proc);
    }
    if (polls_child(proc) && !proc->sweeping)
        mcph_timer_set(&proc->tick, mcph_core_now(proc->core) + POLL_MS);
    if (!proc->dead)
        mcph_proc_check_gone(proc);
    mcph_proc_leave(proc);
}
