/* SPDX-License-Identifier: MIT
 *
 * warden.c - the warden, the parent process of the guard.
 *
 * The warden makes it useless to stop or kill the guard:
 *
 *   inner guard stopped          -> the warden sends SIGCONT
 *   inner guard ended by itself  -> the warden ends with the inner guard's status
 *   inner guard killed           -> the warden inherits the tree and kills all of it
 *
 * If the warden dies, the inner guard continues.  No new parent can be put above the
 * inner guard.  Instead, the inner guard once starts a replacement process beside itself,
 * if the kernel has pidfds.  The replacement waits for the end of the inner guard and
 * then kills all processes that carry the cookie (the variable MCPHOST_SPAWN_ID).  An
 * inner guard in a PID namespace starts no replacement, because the namespace ends with
 * the inner guard.
 *
 * The warden and the inner guard have separate sessions, so that no signal to a process
 * group reaches both processes.  If the server gets a PID namespace, the inner guard is
 * process 1 of the namespace.
 *
 * The warden and the inner guard share their memory, because a copy would cost half as
 * much as starting a process.  The warden does not change the memory before the inner
 * guard is dead.  Then it reads from the memory how far the inner guard had come.  The
 * two processes do not share descriptors.
 */
#include "guard.h"

#include <sys/prctl.h>

#define WARDEN_SIGNALS (GUARD_SIG(SIGCHLD) | GUARD_SIG(SIGTERM) | GUARD_SIG(SIGUSR1))

/* Examines the inner guard.  If the inner guard was stopped, continues it.  If the inner
 * guard exited, ends the warden with the status of the inner guard.  Returns true if the
 * inner guard was killed. */
static bool
check_inner(pid_t inner)
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
    if (guard.features & MCPH_GUARD_HAS_PID_NS) { /* the namespace has ended with the
                                                   * inner guard */
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

/* Runs as the replacement of the warden: waits for the end of the guard, then calls
 * take_over().  take_over() finds the tree by the cookie, because the tree goes to the
 * host or to init when the guard dies.  After an orderly end, take_over() finds no
 * process. */
static int
run_replacement(void *arg)
{
    const int *partnerfd = arg;
    struct pollfd end = {*partnerfd, POLLIN, 0};

    for (int fd = 0; fd < 3; fd++) /* the server's descriptors, if still open */
        if (fd != end.fd)
            sys_close(fd);
    SYS0(setsid);
    SYS1(chdir, "/");
    sys_close(guard.lifeline); /* so that the lifeline ends when the guard dies */
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
    guard.features &= ~(unsigned)MCPH_GUARD_HAS_WARDEN; /* replace the warden only once */
    guard.partner = 0;
    selffd = -1;
    if (guard.features & MCPH_GUARD_HAS_PIDFD)
        selffd = (int)sys_pidfd_open(guard.self);
    if (selffd < 0)
        return;
    pid = guard_clone(GUARD_SIDE, run_replacement, &selffd,
                      side_stack + sizeof(side_stack));
    if (pid > 0)
        guard.partner = (pid_t)pid;
    sys_close(selffd);
}

static char inner_stack[16384] __attribute__((aligned(16)));

static struct inner {
    pid_t warden;
    bool user_ns; /* the inner guard's namespaces belong to a user namespace */
    long uid, gid;
} inner_arg;

static int
run_inner(void *arg)
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
    warden_replace(); /* in case the warden is dead already */
    guard_live();
}

static long
clone_inner(unsigned long namespaces)
{
    return guard_clone(GUARD_SHARE | namespaces, run_inner, &inner_arg,
                       inner_stack + sizeof(inner_stack));
}

/* Starts the inner guard and returns its pid.  Returns 0 if the clone fails and no PID
 * namespace is requested.  Calls guard_fail() if a PID namespace cannot be made. */
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
        return; /* run as a guard without a warden */

    /* Have the kernel send SIGCONT when the host dies, because the host may die while the
     * warden is stopped. */
    sys_prctl(PR_SET_PDEATHSIG, SIGCONT);
    for (int fd = 0; fd < 3; fd++)
        sys_close(fd);
    /* guard.hostfd still has the number of the warden's descriptor, because the inner
     * guard never changes this member of the shared memory. */
    sys_close(guard.hostfd);
    SYS1(chdir, "/");
    while (!check_inner(inner)) {
        long sig = sys_sigwait(WARDEN_SIGNALS);

        if (sig == SIGTERM)
            sys_kill(inner, SIGTERM);
        else if (sig == SIGUSR1) /* the host sends SIGUSR1 if the inner guard hangs */
            sys_kill(inner, SIGKILL);
    }
    take_over(self);
}
