/* SPDX-License-Identifier: MIT
 *
 * guard.c - the life of the guard.
 *
 *   set up -> run the server -> RUN -> TERM -> KILL -> end
 *
 * The lifeline is a socket between the host and the guard.  RUN lasts until the host
 * sends 'T' or 'K' on the lifeline, closes the lifeline or dies, or until SIGTERM
 * arrives.  In TERM, all processes of the tree get SIGTERM once.  Then the guard waits.
 * In KILL, the guard sends SIGKILL to its direct children until waitid() reports that
 * there are none.  When a parent is killed, its children become children of the guard.
 * The tree ends layer by layer.  ECHILD proves that the tree is empty, because every
 * process of the tree descends from a child of the guard.  If the tree becomes empty in
 * RUN or TERM, the guard ends without KILL.
 *
 * The guard has one thread.  It blocks all signals.  It allocates nothing.  In RUN, it
 * uses no timer.
 */
#include "guard.h"

#include <sys/prctl.h>

#define SPIN_ROUNDS 64 /* rounds of KILL without a pause, for trees that fork fast */
#define PAUSE_MS    2
#define LINGER_MS   200 /* ms between rounds after guard.kill_ms has passed */
#define DEEP_EVERY  16  /* each 16th round kills all descendants, not only children */
#define SWEEP_MAX   100

struct guard guard = {
    .lifeline = -1, .signals = -1, .hostfd = -1, .serverfd = -1, .cgroup = -1};

/* The state that the guard shares with the child that becomes the server. */
static struct launch {
    const char *program;
    char **argv;
    char **envp;
    guard_sigset mask;
    bool enter;     /* the child enters the control group itself */
    int err, stage; /* errno and stage, if the server did not start */
} launch;

static char launch_stack[16384] __attribute__((aligned(16)));

static void
send_record(const struct mcph_guard_record *record, int fd)
{
    struct iovec iov = {(void *)(uintptr_t)record, sizeof(*record)};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

    if (fd >= 0) {
        msg.msg_control = &control;
        msg.msg_controllen = sizeof(control.space);
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof(int));
        *(int *)(void *)CMSG_DATA(&control.head) = fd;
    }
    sys_sendmsg(guard.lifeline, &msg);
}

void
guard_send(uint32_t kind, int a, int b, int c, int d)
{
    struct mcph_guard_record record = {.kind = kind, .v = {a, b, c, d, 0}};

    send_record(&record, -1);
}

bool
guard_reap(void)
{
    siginfo_t info;

    for (;;) {
        long r = sys_child(P_ALL, 0, &info, WEXITED);

        if (r == -ECHILD)
            return true;
        if (r < 0 || info.si_pid == 0)
            return false;
        if (info.si_pid == guard.server && !guard.exited) {
            guard.exited = true;
            guard.end_code = info.si_code;
            guard.end_status = info.si_status;
            guard_send(MCPH_GUARD_EXITED, info.si_code, info.si_status, 0, 0);
        }
    }
}

/* Ends the guard with the server's status, in the form that a shell uses. */
_Noreturn static void
end_as_server(void)
{
    int status = guard.end_status;

    if (guard.end_code != CLD_EXITED)
        status += 128;
    /* Continue a stopped warden, so that the warden can end, too. */
    if (guard.partner && sys_getppid() == guard.partner)
        sys_kill(guard.partner, SIGCONT);
    sys_end(status);
}

/* Ends the guard when no child is left.  Without a subreaper, first kills the processes
 * that carry the cookie (the variable MCPHOST_SPAWN_ID), because descendants may have
 * become children of other processes. */
_Noreturn static void
finish_tree(void)
{
    if (!(guard.features & MCPH_GUARD_HAS_SUBREAPER))
        for (int i = 0, clean = 0; i < SWEEP_MAX && clean < 2; i++) {
            clean = tree_sweep() ? 0 : clean + 1;
            sys_poll(NULL, 0, PAUSE_MS);
        }
    cgroup_end();
    guard_send(MCPH_GUARD_EMPTY, guard.state, guard.rounds, guard.sent,
               guard.since ? (int)(sys_now_ms() - guard.since) : 0);
    end_as_server();
}

static int64_t
kill_pause(void)
{
    if (guard.left)
        return LINGER_MS;
    if (!(guard.features & MCPH_GUARD_HAS_PROC) && guard.rounds <= 3)
        return 3;
    return guard.rounds < SPIN_ROUNDS ? 0 : PAUSE_MS;
}

/* Kills the children until none is left, then ends the process.  The warden calls this
 * function, too.  The warden has no signalfd and does not need it: the signalfd only ends
 * a pause early when SIGCHLD arrives. */
_Noreturn void
guard_kill_all(void)
{
    struct pollfd fds = {guard.signals, POLLIN, 0};
    int64_t began = sys_now_ms();
    int n;

    if (guard.state != MCPH_GUARD_IN_WARDEN)
        guard.state = MCPH_GUARD_IN_KILL;
    if (!guard.since)
        guard.since = began;
    cgroup_kill();
    tree_signal_group(SIGKILL);
    while (!guard_reap()) {
        struct signalfd_siginfo info;

        guard.rounds++;
        n = tree_kill_children();
        if (guard.rounds % DEEP_EVERY == 0) {
            cgroup_kill();
            tree_signal_deep(SIGKILL, false);
        }
        if (guard_reap())
            break;
        if (!guard.left && sys_now_ms() - began > guard.kill_ms) {
            guard.left = true;
            guard_send(MCPH_GUARD_LEFT, n, 0, 0, 0);
        }
        while (guard.signals >= 0 && sys_read(guard.signals, &info, sizeof(info)) > 0)
            ;
        sys_poll(&fds, 1, kill_pause());
    }
    finish_tree();
}

static int
death_ms(void)
{
    return guard.term_ms < MCPH_GUARD_DEATH_MS ? guard.term_ms : MCPH_GUARD_DEATH_MS;
}

static void
begin_term(int ms)
{
    int64_t now = sys_now_ms();

    if (guard.state == MCPH_GUARD_IN_TERM) { /* only shorten a TERM that has begun */
        if (now + ms < guard.due)
            guard.due = now + ms;
        return;
    }
    guard.state = MCPH_GUARD_IN_TERM;
    guard.since = now;
    guard.due = now + ms;
    if (guard_reap())
        finish_tree();
    tree_signal_group(SIGTERM);
    tree_signal_group(SIGCONT);
    tree_signal_deep(SIGTERM, true);
}

/* Reads and carries out the host's request, 'T' or 'K'.  If the lifeline has ended,
 * begins TERM with death_ms(), or shortens a TERM that has begun.  If the lifeline ends
 * before a request, the host has died, has closed the lifeline, or has executed another
 * program.  Only the lifeline reports an execve() of the host.  The host's pidfd does
 * not. */
static void
read_lifeline(struct pollfd *fd)
{
    char byte;
    long n = sys_recv(guard.lifeline, &byte, 1);

    /* Continue after ECONNRESET.  The kernel reports ECONNRESET once, if the host ended
     * without reading all records.  The next read can still return a byte of the host. */
    if (n == -EAGAIN || n == -EINTR || n == -ECONNRESET)
        return;
    if (n == 1 && byte == MCPH_GUARD_KILL)
        guard_kill_all();
    if (n != 1)
        fd->fd = -1;
    if (n != 1 || guard.state == MCPH_GUARD_IN_RUN)
        begin_term(n == 1 ? guard.term_ms : death_ms());
}

static void
read_signals(void)
{
    struct signalfd_siginfo info;

    while (sys_read(guard.signals, &info, sizeof(info)) == (long)sizeof(info))
        if (info.ssi_signo == WARDEN_DIED)
            warden_replace();
        else if (info.ssi_signo == SIGTERM && guard.state == MCPH_GUARD_IN_RUN)
            begin_term(guard.term_ms);
}

_Noreturn static void
run_server_loop(void)
{
    struct pollfd fds[3] = {{guard.lifeline, POLLIN, 0},
                            {guard.signals, POLLIN, 0},
                            {guard.hostfd, POLLIN, 0}};

    guard.state = MCPH_GUARD_IN_RUN;
    while (!guard_reap()) {
        int64_t wait = -1;

        if (guard.state == MCPH_GUARD_IN_TERM) {
            wait = guard.due - sys_now_ms();
            if (wait <= 0)
                guard_kill_all();
        }
        if (sys_poll(fds, 3, wait) < 0)
            continue;
        /* Replace a dead warden before acting on the host's death.  The server may notice
         * the host's death as early as the guard, and may try to kill the guard. */
        if (fds[1].revents)
            read_signals();
        if (fds[2].revents) {
            fds[2].fd = -1;
            begin_term(death_ms());
        }
        if (fds[0].revents)
            read_lifeline(&fds[0]);
    }
    finish_tree();
}

/* Executes the server's program in the child.  Only system calls are allowed, because the
 * child shares the guard's memory. */
static int
become_server(void *arg)
{
    struct launch *what = arg;

    SYS2(setpgid, 0, 0);
    sys_prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (sys_getppid() != guard.self)
        return 127;
    what->stage = MCPH_GUARD_STAGE_CGROUP;
    what->err = what->enter ? cgroup_enter() : 0;
    if (what->err)
        return 127;
    sys_sigmask(SIG_SETMASK, &what->mask, NULL);
    what->stage = MCPH_GUARD_STAGE_EXEC;
    what->err = (int)-SYS3(execve, what->program, what->argv, what->envp);
    return 127;
}

_Noreturn void
guard_fail(int err, int stage)
{
    cgroup_end();
    guard_send(MCPH_GUARD_EXECFAIL, err, stage, 0, 0);
    guard.end_code = CLD_EXITED;
    guard.end_status = 127;
    end_as_server();
}

/* Clones the process that becomes the server.  If the server has a control group and the
 * kernel can clone a process into the group, the child starts inside the group.  If the
 * kernel cannot do this, the child enters the group itself, at a higher cost for the
 * kernel. */
static long
clone_server(void)
{
    bool grouped = guard.features & MCPH_GUARD_HAS_CGROUP;
    long pid = -ENOSYS;

    launch.err = 0;
    launch.enter = false;
    if (grouped)
        pid = guard_clone_into(guard.cgroup, become_server, &launch, launch_stack,
                               sizeof(launch_stack));
    if (pid > 0)
        return pid;
    launch.enter = grouped;
    return guard_clone(GUARD_VFORK, become_server, &launch,
                       launch_stack + sizeof(launch_stack));
}

/* Starts the server and returns its pid.  If the control group cannot be entered, the
 * server runs without a control group, unless MCPH_GUARD_NEED_CGROUP is set. */
static pid_t
launch_server(void)
{
    siginfo_t info;

    for (;;) {
        long pid = clone_server();

        if (pid < 0)
            guard_fail((int)-pid, MCPH_GUARD_STAGE_CLONE);
        if (!launch.err)
            return (pid_t)pid;
        SYS5(waitid, P_PID, pid, &info, WEXITED | __WALL, 0);
        if (launch.stage != MCPH_GUARD_STAGE_CGROUP ||
            (guard.flags & MCPH_GUARD_NEED_CGROUP))
            guard_fail(launch.err, launch.stage);
        cgroup_end();
    }
}

static void
start_server(void)
{
    struct mcph_guard_record started = {.kind = MCPH_GUARD_STARTED};
    long fd;

    guard.server = launch_server();
    if (guard.features & MCPH_GUARD_HAS_PIDFD) {
        fd = sys_pidfd_open(guard.server);
        if (fd >= 0)
            guard.serverfd = (int)fd;
    }
    /* Close the guard's copies of the server's stdin, stdout and stderr, so that a pipe
     * ends when the server closes it. */
    for (int i = 0; i < 3; i++)
        sys_close(i);
    SYS1(chdir, "/");
    tree_probe(); /* in parallel with the server's start */
    started.v[0] = guard.server;
    started.v[1] = (int)guard.features;
    send_record(&started, guard.serverfd);
}

static int
parse_decimal(const char *str)
{
    int num = 0;

    while (*str >= '0' && *str <= '9' && num < 100000000)
        num = num * 10 + (*str++ - '0');
    return num;
}

/* Reads the arguments and sets up the guard.  Returns false if the lifeline is not open
 * or the host is not the parent any more.  Opens the host's pidfd before it calls
 * getppid().  If the host is still the parent at that call, the pidfd belongs to the host
 * and not to a later process with the same number. */
static bool
set_up(char **argv, char **envp)
{
    guard_sigset all = ~(guard_sigset)0;
    int host = parse_decimal(argv[2]);
    long fd;

    sys_sigmask(SIG_SETMASK, &all, &launch.mask);
    guard.lifeline = parse_decimal(argv[1]);
    guard.term_ms = parse_decimal(argv[3]);
    guard.kill_ms = parse_decimal(argv[4]);
    guard.flags = (unsigned)parse_decimal(argv[5]);
    guard.envp = envp;
    guard.self = sys_getpid();
    launch.program = argv[7];
    launch.argv = argv + 8;
    launch.envp = envp;

    if (SYS3(fcntl, guard.lifeline, F_SETFD, FD_CLOEXEC) < 0)
        return false;
    if (!(guard.flags & MCPH_GUARD_NO_SUBREAPER) &&
        sys_prctl(PR_SET_CHILD_SUBREAPER, 1) == 0)
        guard.features |= MCPH_GUARD_HAS_SUBREAPER;
    if (!(guard.flags & MCPH_GUARD_NO_PIDFD)) {
        fd = sys_pidfd_open(host);
        if (fd >= 0) {
            guard.hostfd = (int)fd;
            guard.features |= MCPH_GUARD_HAS_PIDFD;
        }
    }
    return sys_getppid() == host;
}

_Noreturn void
guard_live(void)
{
    long fd =
        sys_signalfd(GUARD_SIG(SIGCHLD) | GUARD_SIG(SIGTERM) | GUARD_SIG(WARDEN_DIED));

    if (fd < 0)
        guard_fail((int)-fd, MCPH_GUARD_STAGE_SETUP);
    guard.signals = (int)fd;
    start_server();
    run_server_loop();
}

/* Makes the control group, if a path is given.  Calls guard_fail() if the group cannot be
 * made and MCPH_GUARD_NEED_CGROUP is set.  Also calls guard_fail() if a PID namespace is
 * requested without a warden, because only the warden makes a PID namespace. */
static void
contain(const char *path)
{
    int err = path[0] == '/' ? cgroup_make(path) : 0;

    if (err && (guard.flags & MCPH_GUARD_NEED_CGROUP))
        guard_fail(err, MCPH_GUARD_STAGE_CGROUP);
    if ((guard.flags & MCPH_GUARD_PID_NS) && !(guard.flags & MCPH_GUARD_WARDEN))
        guard_fail(EINVAL, MCPH_GUARD_STAGE_PID_NS);
}

int
guard_main(int argc, char **argv, char **envp)
{
    if (argc < 9 || !set_up(argv, envp))
        return 125;
    contain(argv[6]);
    if (guard.flags & MCPH_GUARD_WARDEN)
        warden_live();
    guard_live();
}
