/* SPDX-License-Identifier: MIT
 *
 * child.c - our own child, the guard or a server without one: its end, and
 * signals to it.
 *
 * A number is used for a signal only while something pins it: a pidfd that
 * says alive, or a zombie of ours.  The host may ignore SIGCHLD or reap
 * everything; then the status is unknown and no number is touched.
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

/* Asks about our child without reaping it: 1 dead and `info` says how, 0 alive,
 * -1 it is not ours any more. */
static int
look(const struct mcph_proc *proc, siginfo_t *info)
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
    /* Before Linux 6.9 by number, while that is the server's. */
    if (is_alive(fd) || (!proc->guarded && !proc->reaped && look(proc, &info) >= 0))
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
    else if (look(proc, &info) >= 0)
        kill(proc->child, sig);
}

void
mcph_proc_reap(struct mcph_proc *proc)
{
    siginfo_t info;
    int r;

    if (proc->reaped || look(proc, &info) == 0)
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

/* A server without a guard stays a zombie until the ladder has used its
 * group's number. */
static void
direct_ended(struct mcph_proc *proc)
{
    siginfo_t info;
    int r = look(proc, &info);

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
    /* What it said before is still to be read.  With a warden the one below
     * may go on; the lifeline tells. */
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
