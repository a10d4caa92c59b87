/* SPDX-License-Identifier: MIT
 *
 * lifeline.c - the host's end of the guard's socket.
 *
 * The warden is the process that watches the guard.  End of file means that neither the
 * guard nor the warden is left.  If the warden dies, the guard may start another process
 * in place of the warden.  This process does not hold the lifeline.
 *
 * End of file after EMPTY or EXECFAIL is the normal end.  End of file before EMPTY or
 * EXECFAIL means that the guard was killed.  Then the host must end the tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc/internal.h"

#define EMPTY_GUARD_MS 500 /* limit in ms on the time from EMPTY to the guard's end */

void
mcph_proc_close_lifeline(struct mcph_proc *proc)
{
    if (proc->lifeline_fd < 0)
        return;
    mcph_source_remove(&proc->lifeline);
    mcph_core_drop_fd(proc->core, proc->lifeline_fd);
    close(proc->lifeline_fd);
    proc->lifeline_fd = -1;
}

void
mcph_proc_ask_guard(struct mcph_proc *proc, char what)
{
    if (proc->lifeline_fd >= 0)
        (void)!send(proc->lifeline_fd, &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Receives one record.  Returns 1 for a record, 0 at end of file or if receiving fails,
 * or -1 if there is no record yet.  The server's pidfd is lost if the host's descriptor
 * table is full.  The guard still has its own pidfd. */
static int
receive_record(int fd, struct mcph_guard_record *ret, int *ret_pidfd)
{
    struct iovec iov = {ret, sizeof(*ret)};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr msg = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control.space),
    };
    struct cmsghdr *cmsg;
    ssize_t n;

    /* Receive again after ECONNRESET, because the guard's records follow.  ECONNRESET
     * comes once if the guard ended before it read all bytes from the host. */
    do
        n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (n < 0 && (errno == EINTR || errno == ECONNRESET));
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return -1;
    if (n != (ssize_t)sizeof(*ret))
        return 0;
    cmsg = CMSG_FIRSTHDR(&msg);
    if (cmsg && cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SCM_RIGHTS &&
        cmsg->cmsg_len == CMSG_LEN(sizeof(int)))
        *ret_pidfd = mcph_fd_high(*(int *)(void *)CMSG_DATA(cmsg));
    return 1;
}

/* Returns the number, in the host's PID namespace, of a process of another namespace.
 * Returns 0 if the number is unknown. */
static pid_t
pid_of(int pidfd)
{
    char path[64], text[512];
    const char *line;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    line = strstr(text, "\nPid:");
    return line ? (pid_t)strtol(line + 5, NULL, 10) : 0;
}

static void
on_record(struct mcph_proc *proc, const struct mcph_guard_record *record)
{
    switch (record->kind) {
    case MCPH_GUARD_STARTED:
        if (!(record->v[1] & MCPH_GUARD_HAS_SUBREAPER))
            mcph_log(proc->core, MCPHOST_LOG_WARNING, "proc", proc->server,
                     "subreapers are not available here: a descendant that changes its "
                     "environment may escape the guard");
        proc->features = (unsigned)record->v[1];
        mcph_proc_tell_started(proc, proc->features & MCPH_GUARD_HAS_PID_NS
                                         ? pid_of(proc->serverfd)
                                         : record->v[0]);
        break;
    case MCPH_GUARD_EXECFAIL:
        proc->empty = true;
        mcph_proc_tell_failed(proc, record->v[0], record->v[1]);
        break;
    case MCPH_GUARD_EXITED:
        mcph_proc_tell_exited(proc, record->v[0], record->v[1]);
        break;
    case MCPH_GUARD_EMPTY:
        proc->empty = true;
        mcph_log(proc->core, MCPHOST_LOG_DEBUG, "proc", proc->server,
                 "tree is empty (state %d, %d rounds, %d signals, %d ms)", record->v[0],
                 record->v[1], record->v[2], record->v[3]);
        break;
    case MCPH_GUARD_LEFT:
        mcph_proc_tell_left(proc, record->v[0]);
        break;
    default:
        break;
    }
}

void
mcph_proc_guard_lost(struct mcph_proc *proc)
{
    mcph_log(proc->core, MCPHOST_LOG_WARNING, "proc", proc->server,
             "the guard is dead or does not answer: the remaining processes of the "
             "server are killed");
    mcph_proc_close_lifeline(proc);
    mcph_proc_signal_group(proc, SIGKILL);
    /* Kill the host's child.  If this child was the warden, the guard may outlive it.
     * The sweep then finds the guard, because the guard's environment has the cookie. */
    mcph_proc_signal_guard(proc, SIGKILL);
    mcph_proc_sweep_start(proc);
}

static void
lifeline_ended(struct mcph_proc *proc)
{
    if (!proc->empty) {
        mcph_proc_guard_lost(proc);
        return;
    }
    mcph_proc_close_lifeline(proc);
    /* Give the guard time to end.  After this time the step timer kills the host's child,
     * because a child that was stopped by a signal does not end by itself. */
    mcph_timer_set(&proc->step, mcph_core_now(proc->core) + EMPTY_GUARD_MS);
    if (proc->childfd < 0 && !proc->reaped)
        mcph_timer_set(&proc->tick, mcph_core_now(proc->core));
    mcph_proc_check_gone(proc);
}

void
mcph_proc_on_lifeline(struct mcph_source *source, uint32_t events)
{
    struct mcph_proc *proc = MCPH_CONTAINER_OF(source, struct mcph_proc, lifeline);

    (void)events;
    mcph_proc_enter(proc);
    while (!proc->dead && proc->lifeline_fd >= 0) {
        struct mcph_guard_record record;
        int pidfd = -1, r = receive_record(proc->lifeline_fd, &record, &pidfd);

        if (pidfd >= 0) {
            if (proc->serverfd >= 0)
                close(proc->serverfd);
            proc->serverfd = pidfd;
        }
        if (r < 0)
            break;
        if (r == 0)
            lifeline_ended(proc);
        else
            on_record(proc, &record);
    }
    mcph_proc_leave(proc);
}
