/* SPDX-License-Identifier: MIT
 *
 * child.c - the host's child (the warden, the guard if there is no warden, or a server
 * without a guard): detect its end, and signal it.
 *
 * A process is signalled by its number only while the number cannot be reused: a pidfd
 * says that the process is alive, or the process is a child of the host that was not
 * reaped.  The application may ignore SIGCHLD or reap all children.  Then the status of a
 * child that ends is unknown, and no signal is sent to its number any more.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/internal.h"

#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1u << 2)
#endif

static int
pidfd_signal(int fd, int sig, unsigned flags)
{
    return (int)syscall(SYS_pidfd_send_signal, fd, sig, NULL, flags);
}

/* Examines the host's child without reaping it.  Returns 1 if the child is dead, and sets
 * *info to its status.  Returns 0 if the child is alive, or -1 if the process is not the
 * host's child any more. */
static int
peek_child(const struct mcph_proc *proc, siginfo_t *info)
{
    int r;

    info->si_pid = 0;
    do
        r = proc->childfd >= 0
                ? waitid(P_PIDFD, (id_t)proc->childfd, info, WEXITED | WNOHANG | WNOWAIT)
                : waitid(P_PID, (id_t)proc->child, info, WEXITED | WNOHANG | WNOWAIT);
    while (r < 0 && errno == EINTR);
    if (r < 0)
        return -1;
    return info->si_pid != 0;
}

static bool
is_alive(int pidfd)
{
    struct pollfd fd = {.fd = pidfd, .events = POLLIN};

    return pidfd >= 0 && poll(&fd, 1, 0) == 0;
}

void
mcph_proc_signal_group(struct mcph_proc *proc, int sig)
{
    int fd = proc->guarded ? proc->serverfd : proc->childfd;
    siginfo_t info;

    if (proc->pid <= 1)
        return;
    if (fd >= 0 &&
        (pidfd_signal(fd, sig, PIDFD_SIGNAL_PROCESS_GROUP) == 0 || errno == ESRCH))
        return;
    /* Signal the group by number while the number is still the server's, because before
     * Linux 6.9 a pidfd cannot signal a group. */
    if (is_alive(fd) || (!proc->guarded && !proc->reaped && peek_child(proc, &info) >= 0))
        kill(-proc->pid, sig);
}

void
mcph_proc_signal_guard(struct mcph_proc *proc, int sig)
{
    siginfo_t info;

    if (!proc->guarded || proc->reaped)
        return;
    if (proc->childfd >= 0)
        pidfd_signal(proc->childfd, sig, 0);
    else if (peek_child(proc, &info) >= 0)
        kill(proc->child, sig);
}

void
mcph_proc_reap(struct mcph_proc *proc)
{
    siginfo_t info;
    int r;

    if (proc->reaped || peek_child(proc, &info) == 0)
        return;
    do
        r = proc->childfd >= 0
                ? waitid(P_PIDFD, (id_t)proc->childfd, &info, WEXITED | WNOHANG)
                : waitid(P_PID, (id_t)proc->child, &info, WEXITED | WNOHANG);
    while (r < 0 && errno == EINTR);
    proc->reaped = true;
    mcph_source_remove(&proc->child_source);
    if (proc->childfd >= 0)
        close(proc->childfd);
    proc->childfd = -1;
}

/* Reports the end of a server without a guard, but does not reap the server.  The server
 * stays a zombie until the stop has signalled the server's process group.  The zombie
 * keeps the number of the group valid. */
static void
direct_ended(struct mcph_proc *proc)
{
    siginfo_t info;
    int r = peek_child(proc, &info);

    if (r == 0)
        return;
    mcph_source_remove(&proc->child_source);
    if (r > 0) {
        mcph_proc_tell_exited(proc, info.si_code, info.si_status);
    } else {
        proc->reaped = true;
        mcph_proc_tell_exited(proc, 0, 0);
    }
}

static void
guard_ended(struct mcph_proc *proc)
{
    mcph_proc_reap(proc);
    if (!proc->reaped)
        return;
    /* Read the records that the host's child sent before its end.  If the child was the
     * warden (the process that watches the guard), the guard may still run.  The lifeline
     * ends when neither the warden nor the guard is left. */
    if (proc->lifeline_fd >= 0)
        mcph_proc_on_lifeline(&proc->lifeline, 0);
    if (!proc->dead)
        mcph_proc_check_gone(proc);
}

void
mcph_proc_on_child(struct mcph_source *source, uint32_t events)
{
    struct mcph_proc *proc = MCPH_CONTAINER_OF(source, struct mcph_proc, child_source);

    (void)events;
    mcph_proc_enter(proc);
    if (proc->guarded)
        guard_ended(proc);
    else
        direct_ended(proc);
    mcph_proc_leave(proc);
}
