/* SPDX-License-Identifier: MIT
 *
 * warden.c - the second process: parent of the guard, it sees to it that the
 * guard is neither stopped nor killed to any effect.
 *
 *   inner stopped          -> SIGCONT
 *   inner ended by itself  -> end with its status
 *   inner killed           -> everything of it comes to us: kill until empty
 *
 * When the warden dies instead, the inner goes on guarding.  Nobody can be put
 * above it then, but beside it: a process that waits for its end and kills
 * whoever carries the cookie.
 *
 * The two share their memory, for copying it would cost half a spawn: the
 * warden touches nothing of it before the inner is dead, and then finds there
 * how far it had come.  Descriptors are not shared.
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
take_over(pid_t self)
{
    guard.self = self;
    guard.partner = 0;
    guard.signals = guard.serverfd = -1;
    guard.state = MCPH_GUARD_IN_WARDEN;
    if (!guard.exited) {
        guard.end_code = CLD_KILLED;
        guard.end_status = SIGKILL;
    }
    tree_probe();
    guard_kill_all();
}

static char side_stack[16384] __attribute__((aligned(16)));

/* The tree does not come to us: where its parent died it went to the host or to
 * init.  After an orderly end the sweep finds nobody. */
static int
stand_by(void *arg)
{
    const int *partnerfd = arg;
    struct pollfd end = {*partnerfd, POLLIN, 0};

    for (int fd = 0; fd < 3; fd++) /* the server's, where the guard has them yet */
        if (fd != end.fd)
            sys_close(fd);
    SYS1(chdir, "/");
    sys_close(guard.lifeline); /* its end must be seen when the guard dies */
    sys_close(guard.signals);
    sys_close(guard.hostfd);
    sys_close(guard.serverfd);
    while (sys_poll(&end, 1, -1) < 0)
        ;
    guard.lifeline = -1;
    guard.features &= ~(unsigned)MCPH_GUARD_HAS_SUBREAPER;
    take_over(sys_getpid());
}

void
warden_replace(void)
{
    static int selffd;
    long pid;

    if (!(guard.features & MCPH_GUARD_HAS_WARDEN) || sys_getppid() == guard.partner)
        return;
    guard.features &= ~(unsigned)MCPH_GUARD_HAS_WARDEN; /* one stands in, no second */
    guard.partner = 0;
    selffd = -1;
    if (guard.features & MCPH_GUARD_HAS_PIDFD)
        selffd = (int)sys_pidfd_open(guard.self);
    if (selffd < 0)
        return;
    pid = guard_clone(GUARD_SIDE, stand_by, &selffd, side_stack + sizeof(side_stack));
    if (pid > 0)
        guard.partner = (pid_t)pid;
    sys_close(selffd);
}

static char inner_stack[16384] __attribute__((aligned(16)));

static int
live_inside(void *arg)
{
    const pid_t *warden = arg;

    guard.self = sys_getpid();
    guard.partner = *warden;
    guard.features |= MCPH_GUARD_HAS_WARDEN;
    if (!(guard.flags & MCPH_GUARD_NO_SUBREAPER))
        sys_prctl(PR_SET_CHILD_SUBREAPER, 1);
    sys_prctl(PR_SET_PDEATHSIG, WARDEN_DIED);
    warden_replace(); /* should it be dead already */
    guard_live();
}

void
warden_live(void)
{
    static pid_t self;
    long inner;

    self = guard.self;
    inner =
        guard_clone(GUARD_SHARE, live_inside, &self, inner_stack + sizeof(inner_stack));
    if (inner < 0)
        return; /* one guard is better than none: go on without */

    for (int fd = 0; fd < 3; fd++)
        sys_close(fd);
    sys_close(guard.hostfd); /* set before the clone, and not changed since */
    SYS1(chdir, "/");
    while (!look_at((pid_t)inner)) {
        long sig = sys_sigwait(WARDEN_SIGNALS);

        if (sig == SIGTERM)
            sys_kill((pid_t)inner, SIGTERM);
        else if (sig == SIGUSR1) /* the host: the inner guard does not answer */
            sys_kill((pid_t)inner, SIGKILL);
    }
    take_over(self);
}
