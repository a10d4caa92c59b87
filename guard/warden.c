/* SPDX-License-Identifier: MIT
 *
 * warden.c - the second process: parent of the guard, it sees to it that the
 * guard is neither stopped nor killed to any effect.
 *
 *   inner stopped          -> SIGCONT
 *   inner ended by itself  -> end with its status
 *   inner killed           -> everything of it comes to us: kill until empty
 *
 * When the warden dies instead, the inner goes on guarding.
 */
#include "guard.h"

#include <sys/prctl.h>

#define WARDEN_SIGNALS (GUARD_SIG(SIGCHLD) | GUARD_SIG(SIGTERM) | GUARD_SIG(SIGUSR1))

/* True when the inner guard is dead before its time. */
static bool
look_at(pid_t inner)
{
    siginfo_t info;

    for (;;) {
        if (sys_child(P_PID, inner, &info, WEXITED | WSTOPPED) < 0)
            return true;
        if (info.si_pid == 0)
            return false;
        if (info.si_code == CLD_EXITED)
            sys_end(info.si_status);
        if (info.si_code != CLD_STOPPED)
            return true;
        sys_kill(inner, SIGCONT);
    }
}

_Noreturn static void
watch(pid_t inner)
{
    guard.self = sys_getpid();
    for (int fd = 0; fd < 3; fd++)
        sys_close(fd);
    if (guard.hostfd >= 0)
        sys_close(guard.hostfd);
    SYS1(chdir, "/");

    while (!look_at(inner)) {
        long sig = sys_sigwait(WARDEN_SIGNALS);

        if (sig == SIGTERM)
            sys_kill(inner, SIGTERM);
        else if (sig == SIGUSR1) /* the host: the inner guard does not answer */
            sys_kill(inner, SIGKILL);
    }
    tree_probe();
    guard.state = MCPH_GUARD_IN_WARDEN;
    guard.end_code = CLD_KILLED;
    guard.end_status = SIGKILL;
    guard_kill_all();
}

void
warden_fork(void)
{
    pid_t warden = guard.self, inner = sys_fork();

    if (inner < 0)
        return; /* one guard is better than none: go on without */
    if (inner > 0)
        watch(inner);
    guard.self = sys_getpid();
    guard.partner = warden;
    guard.features |= MCPH_GUARD_HAS_WARDEN;
    if (!(guard.flags & MCPH_GUARD_NO_SUBREAPER))
        sys_prctl(PR_SET_CHILD_SUBREAPER, 1);
}
