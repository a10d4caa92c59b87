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
 * They stand in sessions of their own, so that no signal to a process group reaches
 * both.  Where the server gets a PID namespace the inner guard is its process 1.
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
    if (guard.features & MCPH_GUARD_HAS_PID_NS) { /* it ended with the inner guard */
        guard.features &= ~(unsigned)MCPH_GUARD_HAS_PID_NS;
        guard.server = 0;
    }
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
    SYS0(setsid);
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

    if (!(guard.features & MCPH_GUARD_HAS_WARDEN) || namespace_is_ours() ||
        sys_getppid() == guard.partner)
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

static struct inner {
    pid_t warden;
    bool user_ns; /* its namespaces are a user namespace's */
    long uid, gid;
} inner_arg;

static int
live_inside(void *arg)
{
    const struct inner *inner = arg;
    int err;

    SYS0(setsid);
    guard.self = sys_getpid();
    guard.partner = inner->warden;
    guard.features |= MCPH_GUARD_HAS_WARDEN;
    if (guard.flags & MCPH_GUARD_PID_NS)
        guard.features |= MCPH_GUARD_HAS_PID_NS | MCPH_GUARD_HAS_SUBREAPER;
    err = inner->user_ns ? namespace_map(inner->uid, inner->gid) : 0;
    if (err)
        guard_fail(err, MCPH_GUARD_STAGE_PID_NS);
    if (!(guard.flags & MCPH_GUARD_NO_SUBREAPER))
        sys_prctl(PR_SET_CHILD_SUBREAPER, 1);
    sys_prctl(PR_SET_PDEATHSIG, WARDEN_DIED);
    warden_replace(); /* should it be dead already */
    guard_live();
}

static long
clone_inner(unsigned long namespaces)
{
    return guard_clone(GUARD_SHARE | namespaces, live_inside, &inner_arg,
                       inner_stack + sizeof(inner_stack));
}

/* The inner guard's pid; 0: none, and a guard alone is enough. */
static pid_t
start_inner(pid_t self)
{
    bool ns = guard.flags & MCPH_GUARD_PID_NS;
    long inner;

    inner_arg.warden = self;
    if (!ns) {
        inner = clone_inner(0);
        return inner > 0 ? (pid_t)inner : 0;
    }
    inner = clone_inner(GUARD_NEWPID);
    if (inner == -EPERM) {
        inner_arg.user_ns = true;
        inner_arg.uid = SYS0(geteuid);
        inner_arg.gid = SYS0(getegid);
        inner = clone_inner(GUARD_NEWPID | GUARD_NEWUSER);
    }
    if (inner < 0)
        guard_fail((int)-inner, MCPH_GUARD_STAGE_PID_NS);
    return (pid_t)inner;
}

void
warden_live(void)
{
    pid_t self = guard.self, inner = start_inner(self);

    if (!inner)
        return; /* one guard is better than none: go on without */

    /* Stopped by somebody, it wakes up when the host dies. */
    sys_prctl(PR_SET_PDEATHSIG, SIGCONT);
    for (int fd = 0; fd < 3; fd++)
        sys_close(fd);
    sys_close(guard.hostfd); /* set before the clone, and not changed since */
    SYS1(chdir, "/");
    while (!look_at(inner)) {
        long sig = sys_sigwait(WARDEN_SIGNALS);

        if (sig == SIGTERM)
            sys_kill(inner, SIGTERM);
        else if (sig == SIGUSR1) /* the host: the inner guard does not answer */
            sys_kill(inner, SIGKILL);
    }
    take_over(self);
}
