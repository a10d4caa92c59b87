/* SPDX-License-Identifier: MIT
 *
 * stop.c - the ladder from a closed stdin to SIGKILL, as timers.
 *
 *   RUN -> EOF -> TERM -> KILL -> POKED -> CUT
 *
 * With a guard the host sends 'T' or 'K' and the guard does the rest, TERM to
 * KILL included; POKED and CUT are the watchdog for a guard that does not
 * answer.  It is longer than all that the guard may take: a guard killed in the
 * middle of its work would leave what it was about to end.
 */
#include <signal.h>
#include <unistd.h>

#include "proc/internal.h"

#define WATCHDOG_MS 500 /* beyond the guard's own times, and between its steps */
#define POLL_MS     20  /* where there are no pidfds */

static void
step_in(struct mcph_proc *proc, int64_t ms)
{
    mcph_timer_set(&proc->step, mcph_core_now(proc->core) + ms);
}

/* The server without a guard is dead: its group keeps its number while the
 * leader is our zombie, then nothing of it may be signalled by number. */
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
        step_in(proc, proc->stop_term_ms + MCPH_GUARD_KILL_MS + WATCHDOG_MS);
    } else if (proc->exited) {
        finish_direct(proc);
    } else {
        mcph_proc_signal_group(proc, SIGTERM);
        mcph_proc_signal_group(proc, SIGCONT);
        step_in(proc, proc->stop_term_ms);
    }
}

static void
ask_kill(struct mcph_proc *proc)
{
    proc->phase = MCPH_PHASE_KILL;
    if (proc->guarded) {
        mcph_proc_ask_guard(proc, MCPH_GUARD_KILL);
        step_in(proc, MCPH_GUARD_KILL_MS + WATCHDOG_MS);
    } else if (proc->exited) {
        finish_direct(proc);
    } else {
        mcph_proc_signal_group(proc, SIGKILL);
        step_in(proc, MCPH_GUARD_KILL_MS);
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
        return; /* on its way out already */
    if (proc->exited)
        ask_term(proc);
    else
        step_in(proc, proc->stop_eof_ms);
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

/* Somebody stopped the guard, or it hangs: wake it up, tell it to hurry, and
 * have the warden take over if it is there. */
static void
poke(struct mcph_proc *proc)
{
    proc->phase = MCPH_PHASE_POKED;
    mcph_log(proc->core, MCPHOST_LOG_WARNING, "proc", proc->server,
             "the guard does not answer");
    mcph_proc_ask_guard(proc, MCPH_GUARD_KILL);
    mcph_proc_signal_guard(proc, SIGUSR1);
    mcph_proc_signal_guard(proc, SIGCONT);
    step_in(proc, WATCHDOG_MS);
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
        /* The tree is empty, our child still there: stopped by somebody. */
        mcph_proc_signal_guard(proc, SIGKILL);
        return;
    }
    if (proc->left)
        return; /* it does answer: it cannot do more, and nor could we */
    switch (proc->phase) {
    case MCPH_PHASE_EOF:
        ask_term(proc);
        break;
    case MCPH_PHASE_TERM:
    case MCPH_PHASE_KILL:
        poke(proc);
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

/* Whether our child's end is found by asking. */
static bool
polls_child(const struct mcph_proc *proc)
{
    if (proc->childfd >= 0 || proc->dead)
        return false;
    return proc->guarded ? proc->lifeline_fd < 0 && !proc->reaped : !proc->exited;
}

/* Where no pidfd tells of our child's end. */
static void
poll_child(struct mcph_proc *proc)
{
    if (!polls_child(proc))
        return;
    if (!proc->reaped)
        mcph_proc_on_child(&proc->child_source, 0);
    else
        mcph_proc_tell_exited(proc, 0, 0); /* somebody was faster */
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
