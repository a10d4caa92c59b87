/* SPDX-License-Identifier: MIT
 *
 * events.c - report each event to the owner, in order and only once.
 *
 *   [unguarded], started, exited, [left], gone
 *   failed, gone
 *
 * `left` may also come before `exited`, because the server itself may outlive SIGKILL.
 *
 * The owner may free the proc in each of its functions.  After each call of a function of
 * this file, check proc->dead.  If proc->dead is set, only the memory of the proc is
 * left.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "proc/internal.h"

void
mcph_proc_tell_started(struct mcph_proc *proc, pid_t pid)
{
    if (proc->started)
        return;
    proc->started = true;
    proc->pid = pid;
    if (proc->ops && proc->ops->on_started)
        proc->ops->on_started(proc, pid, proc->arg);
}

/* Reports the start of a server without a guard: on_unguarded if the guard could not be
 * used, then on_started.  This start is complete when spawn returns, but its events come
 * from dispatch. */
void
mcph_proc_announce(struct mcph_proc *proc)
{
    mcphost_error *err = proc->unguarded;

    if (proc->announced)
        return;
    proc->announced = true;
    proc->unguarded = NULL;
    if (err && proc->ops && proc->ops->on_unguarded)
        proc->ops->on_unguarded(proc, err, proc->arg);
    mcphost_error_unref(err);
    if (!proc->dead)
        mcph_proc_tell_started(proc, proc->child);
}

int
mcph_proc_no_cgroup(mcphost_error **reterr, const struct mcph_proc *proc, int sys_errno)
{
    return mcph_err_sys(reterr, MCPHOST_E_SPAWN, sys_errno,
                        "cannot make a control group for '%s' (containment: cgroup)",
                        proc->program);
}

static mcphost_error *
start_error(const struct mcph_proc *proc, int sys_errno, int stage)
{
    int code =
        sys_errno == EMFILE || sys_errno == ENFILE ? MCPHOST_E_LIMIT : MCPHOST_E_SPAWN;
    mcphost_error *err = NULL;

    if (!sys_errno)
        mcph_err(&err, MCPHOST_E_SPAWN, "the guard was killed before '%s' started",
                 proc->program);
    else if (stage == MCPH_GUARD_STAGE_SETUP)
        mcph_err_sys(&err, code, sys_errno, "the guard of '%s' cannot set itself up",
                     proc->program);
    else if (stage == MCPH_GUARD_STAGE_CLONE && sys_errno == EAGAIN)
        mcph_err_sys(&err, MCPHOST_E_LIMIT, sys_errno,
                     "cannot make a process for '%s' (limit of processes, RLIMIT_NPROC "
                     "or the control group's)",
                     proc->program);
    else if (stage == MCPH_GUARD_STAGE_CGROUP)
        mcph_proc_no_cgroup(&err, proc, sys_errno);
    else if (stage == MCPH_GUARD_STAGE_PID_NS)
        mcph_err_sys(&err, MCPHOST_E_SPAWN, sys_errno,
                     "cannot make a PID namespace for '%s' (containment: pid)",
                     proc->program);
    else if (stage == MCPH_GUARD_STAGE_EXEC && sys_errno == ENOEXEC)
        mcph_err_sys(
            &err, MCPHOST_E_SPAWN, sys_errno,
            "cannot execute '%s' (neither a program nor a script with a #! line)",
            proc->program);
    else if (stage == MCPH_GUARD_STAGE_EXEC && sys_errno == ENOENT)
        mcph_err_sys(&err, MCPHOST_E_SPAWN, sys_errno,
                     "cannot execute '%s' (or the interpreter that it names)",
                     proc->program);
    else
        mcph_err_sys(&err, code, sys_errno, "cannot execute '%s'", proc->program);
    return err;
}

void
mcph_proc_tell_failed(struct mcph_proc *proc, int sys_errno, int stage)
{
    mcphost_error *err;

    if (proc->failed || proc->started)
        return;
    proc->failed = true;
    if (!proc->ops || !proc->ops->on_exec_failed)
        return;
    err = start_error(proc, sys_errno, stage);
    proc->ops->on_exec_failed(proc, err, proc->arg);
    mcphost_error_unref(err);
}

void
mcph_proc_tell_exited(struct mcph_proc *proc, int code, int status)
{
    if (proc->exited || proc->failed)
        return;
    if (!proc->guarded)
        mcph_proc_announce(proc);
    if (!proc->dead)
        mcph_proc_stderr_drain(proc, true);
    if (proc->dead)
        return;
    proc->exited = true;
    if (proc->ops && proc->ops->on_exited)
        proc->ops->on_exited(proc, code, status, proc->arg);
    if (!proc->dead)
        mcph_proc_server_ended(proc);
}

void
mcph_proc_tell_left(struct mcph_proc *proc, int n)
{
    proc->left = true;
    mcph_log(proc->core, MCPHOST_LOG_ERROR, "proc", proc->server,
             "%d processes survived SIGKILL", n);
    if (proc->ops && proc->ops->on_left)
        proc->ops->on_left(proc, n, proc->arg);
}

void
mcph_proc_check_gone(struct mcph_proc *proc)
{
    if (proc->gone || !proc->empty || !proc->reaped || proc->sweeping ||
        proc->lifeline_fd >= 0)
        return;
    proc->gone = true;
    mcph_timer_cancel(&proc->step);
    mcph_timer_cancel(&proc->tick);
    if (!proc->started)
        mcph_proc_tell_failed(proc, 0, MCPH_GUARD_STAGE_SETUP);
    else
        mcph_proc_tell_exited(proc, 0, 0);
    if (!proc->dead)
        mcph_proc_stderr_drain(proc, true);
    if (!proc->dead && proc->ops && proc->ops->on_gone)
        proc->ops->on_gone(proc, proc->arg);
}

void
mcph_proc_exit_text(int code, int status, char ret_text[MCPH_PROC_EXIT_TEXT])
{
    const char *name;

    if (code == CLD_EXITED) {
        snprintf(ret_text, MCPH_PROC_EXIT_TEXT, "exited with status %d", status);
    } else if (code == CLD_KILLED || code == CLD_DUMPED) {
        name = sigdescr_np(status);
        snprintf(ret_text, MCPH_PROC_EXIT_TEXT, "killed by signal %d (%s)", status,
                 name ? name : "unnamed");
    } else {
        snprintf(ret_text, MCPH_PROC_EXIT_TEXT, "ended, status unknown");
    }
}
