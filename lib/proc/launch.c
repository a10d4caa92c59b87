/* SPDX-License-Identifier: MIT
 *
 * launch.c - start a process: pipes, lifeline and posix_spawn().
 *
 * The child's state does not depend on the host's state: the child gets default signal
 * dispositions, an empty signal mask, and no descriptors but its own.  On failure
 * everything that was opened is closed again.
 *
 * In the child, the pipe ends are copied to the low descriptor numbers.  If a pipe end
 * had one of these numbers, an earlier copy could overwrite the end.  Therefore each end
 * is first moved above these numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/internal.h"

enum { CHILD_IN, CHILD_OUT, CHILD_ERR, CHILD_LIFELINE, CHILD_FDS };

struct launch {
    int fds[CHILD_FDS]; /* the child's ends, indexed by their numbers in the child */
    char **argv;        /* the server's arguments */
    char **envp;        /* the server's environment, with the cookie */
    char *cookie_var;
    char *file; /* the program's absolute path */
    const char *cwd;
    char *found_guard; /* the guard's path if the spec has none */
    const char *guard_path;
    unsigned guard_flags;
    bool guard_optional;
};

/* Makes an error about a shortage.  Names the limit if the errno tells it. */
static int
limit_error(mcphost_error **reterr, int e, const char *what, const char *command)
{
    struct rlimit limit;

    if (e == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0)
        return mcph_err_sys(reterr, MCPHOST_E_LIMIT, e,
                            "cannot make %s for '%s' (limit of open files, "
                            "RLIMIT_NOFILE, is %llu)",
                            what, command, (unsigned long long)limit.rlim_cur);
    if (e == ENFILE)
        return mcph_err_sys(reterr, MCPHOST_E_LIMIT, e,
                            "cannot make %s for '%s' (limit of open files of the "
                            "whole system, fs.file-max)",
                            what, command);
    if (e == EAGAIN)
        return mcph_err_sys(reterr, MCPHOST_E_LIMIT, e,
                            "cannot make %s for '%s' (limit of processes, "
                            "RLIMIT_NPROC or the control group's)",
                            what, command);
    return mcph_err_os(reterr, e, "cannot make %s for '%s'", what, command);
}

static void
close_at(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Makes one pipe.  `ours` is the host's end.  On failure, returns -1 and sets errno. */
static int
make_pipe(int *ours, int *childs, bool child_reads)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0)
        return -1;
    *ours = mcph_fd_high(fds[child_reads ? 1 : 0]);
    *childs = mcph_fd_lift(fds[child_reads ? 0 : 1], MCPH_GUARD_FD + 1);
    if (*ours < 0 || *childs < 0)
        return -1;
    /* Set O_NONBLOCK for the host's end only.  The server's end is another file
     * description. */
    return fcntl(*ours, F_SETFL, (child_reads ? O_WRONLY : O_RDONLY) | O_NONBLOCK);
}

static int
open_all(struct mcph_proc *proc, struct launch *launch, mcphost_error **reterr)
{
    int pair[2];

    if (make_pipe(&proc->in, &launch->fds[CHILD_IN], true) < 0 ||
        make_pipe(&proc->out, &launch->fds[CHILD_OUT], false) < 0 ||
        make_pipe(&proc->err.fd, &launch->fds[CHILD_ERR], false) < 0)
        return limit_error(reterr, errno, "pipes", proc->program);
    if (!proc->guarded)
        return 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return limit_error(reterr, errno, "a lifeline", proc->program);
    proc->lifeline_fd = mcph_fd_high(pair[0]);
    launch->fds[CHILD_LIFELINE] = mcph_fd_lift(pair[1], MCPH_GUARD_FD + 1);
    if (proc->lifeline_fd < 0 || launch->fds[CHILD_LIFELINE] < 0)
        return limit_error(reterr, errno, "a lifeline", proc->program);
    return 0;
}

static int
watch_all(struct mcph_proc *proc, mcphost_error **reterr)
{
    int r = mcph_source_add(&proc->err.source, proc->err.fd, EPOLLIN);

    mcph_core_hold_fd(proc->core, proc->in);
    mcph_core_hold_fd(proc->core, proc->out);
    mcph_core_hold_fd(proc->core, proc->err.fd);
    mcph_core_hold_fd(proc->core, proc->lifeline_fd);

    if (r == 0 && proc->guarded)
        r = mcph_source_add(&proc->lifeline, proc->lifeline_fd, EPOLLIN);
    if (r < 0)
        return mcph_err(reterr, r, "cannot watch the pipes of '%s'", proc->program);
    return 0;
}

/* Checks the working directory before the start, because a failed posix_spawn() gives the
 * same errno for a bad directory and for a bad program. */
static int
check_cwd(const char *cwd, mcphost_error **reterr)
{
    struct stat st;
    int e = 0;

    if (!cwd)
        return 0;
    if (stat(cwd, &st) < 0)
        e = errno;
    else if (!S_ISDIR(st.st_mode))
        e = ENOTDIR;
    else if (faccessat(AT_FDCWD, cwd, X_OK, AT_EACCESS) < 0)
        e = errno;
    if (e)
        return mcph_err_sys(reterr, MCPHOST_E_SPAWN, e,
                            "cannot use '%s' as the working directory", cwd);
    return 0;
}

static const char *
path_of(char *const *envp)
{
    for (; envp && *envp; envp++)
        if (strncmp(*envp, "PATH=", 5) == 0)
            return *envp + 5;
    return NULL;
}

static int
make_env(struct mcph_proc *proc, struct launch *launch, char *const *envp,
         mcphost_error **reterr)
{
    static const char name[] = MCPH_GUARD_COOKIE "=";
    unsigned char token[(MCPH_COOKIE_HEX - 1) / 2];
    size_t n = 0, at = 0;

    if (mcph_random_bytes(token, sizeof(token)) < 0)
        return mcph_err(reterr, MCPHOST_E_IO, "cannot get random bytes");
    mcph_hex(token, sizeof(token), proc->cookie);
    while (envp && envp[n])
        n++;
    launch->cookie_var = mcph_asprintf("%s%s", name, proc->cookie);
    launch->envp = mcph_reallocarray(NULL, n + 2, sizeof(*launch->envp));
    if (!launch->cookie_var || !launch->envp)
        return mcph_err_nomem(reterr);
    for (size_t i = 0; i < n; i++)
        if (strncmp(envp[i], name, sizeof(name) - 1) != 0)
            launch->envp[at++] = envp[i];
    launch->envp[at++] = launch->cookie_var;
    launch->envp[at] = NULL;
    return 0;
}

static int
set_attributes(posix_spawnattr_t *attr, short group)
{
    sigset_t set;
    int e;

    sigfillset(&set);
    e = posix_spawnattr_setsigdefault(attr, &set);
    sigemptyset(&set);
    if (!e)
        e = posix_spawnattr_setsigmask(attr, &set);
    if (!e)
        e = posix_spawnattr_setflags(
            attr, (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group));
    return e;
}

static int
set_actions(posix_spawn_file_actions_t *actions, const struct launch *launch)
{
    int e = 0, n = 0;

    for (; n < CHILD_FDS && launch->fds[n] >= 0 && !e; n++)
        e = posix_spawn_file_actions_adddup2(actions, launch->fds[n], n);
    if (!e && launch->cwd)
        e = posix_spawn_file_actions_addchdir_np(actions, launch->cwd);
    if (!e)
        e = posix_spawn_file_actions_addclosefrom_np(actions, n);
    return e;
}

/* Starts `file`, the program of the guard or of the server, with posix_spawn().  Returns
 * 0 or an errno. */
static int
spawn_program(struct mcph_proc *proc, const struct launch *launch, const char *file,
              char **argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int e = posix_spawnattr_init(&attr);

    if (e)
        return e;
    e = posix_spawn_file_actions_init(&actions);
    if (e) {
        posix_spawnattr_destroy(&attr);
        return e;
    }
    e = set_attributes(&attr, proc->guarded ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP);
    if (!e)
        e = set_actions(&actions, launch);
    if (!e)
        e = posix_spawn(&proc->child, file, &actions, &attr, argv, launch->envp);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    if (e)
        proc->child = 0;
    return e;
}

/* Starts the guard with the arguments LIFELINE HOSTPID TERM_MS KILL_MS FLAGS CGROUP
 * /abs/program argv0 ...  Returns 0 or an errno. */
static int
spawn_guard(struct mcph_proc *proc, const struct launch *launch)
{
    char numbers[5][16];
    size_t n = 0;
    char **argv;
    int e;

    while (launch->argv[n])
        n++;
    argv = mcph_reallocarray(NULL, n + 9, sizeof(*argv));
    if (!argv)
        return ENOMEM;
    snprintf(numbers[0], sizeof(numbers[0]), "%d", MCPH_GUARD_FD);
    snprintf(numbers[1], sizeof(numbers[1]), "%d", (int)getpid());
    snprintf(numbers[2], sizeof(numbers[2]), "%d", (int)proc->stop_term_ms);
    snprintf(numbers[3], sizeof(numbers[3]), "%d", MCPH_GUARD_KILL_MS);
    snprintf(numbers[4], sizeof(numbers[4]), "%u", launch->guard_flags);
    argv[0] = (char *)"mcphost-guard";
    for (int i = 0; i < 5; i++)
        argv[1 + i] = numbers[i];
    argv[6] = proc->cgroup ? proc->cgroup : (char *)"-";
    argv[7] = launch->file;
    memcpy(argv + 8, launch->argv, (n + 1) * sizeof(*argv));
    e = spawn_program(proc, launch, launch->guard_path, argv);
    free(argv);
    return e;
}

/* Returns true if the errno `e` means that the guard cannot be executed.  Then the
 * failure is not the server's fault. */
static bool
is_guards_fault(int e)
{
    return e == ENOENT || e == EACCES || e == EPERM || e == ENOEXEC || e == ENOTDIR ||
           e == ELIBBAD || e == ELOOP;
}

static void
do_without_guard(struct mcph_proc *proc, struct launch *launch, int e)
{
    mcph_err_sys(&proc->unguarded, MCPHOST_E_SPAWN, e,
                 "servers are not guarded: cannot execute '%s'", launch->guard_path);
    proc->guarded = false;
    mcph_proc_close_lifeline(proc);
    close_at(&launch->fds[CHILD_LIFELINE]);
}

static int
spawn_either(struct mcph_proc *proc, struct launch *launch, mcphost_error **reterr)
{
    int e = 0;

    if (proc->guarded) {
        /* Check the guard's file first, because posix_spawn() cannot report a failed exec
         * everywhere. */
        if (faccessat(AT_FDCWD, launch->guard_path, X_OK, AT_EACCESS) < 0)
            e = errno;
        else
            e = spawn_guard(proc, launch);
        if (is_guards_fault(e) && !launch->guard_optional)
            return mcph_err_sys(reterr, MCPHOST_E_SPAWN, e,
                                "cannot start '%s': cannot execute its guard, '%s'",
                                proc->program, launch->guard_path);
        if (is_guards_fault(e))
            do_without_guard(proc, launch, e);
    }
    if (!proc->guarded)
        e = spawn_program(proc, launch, launch->file, launch->argv);
    if (!e)
        return 0;
    if (e == EMFILE || e == ENFILE || e == EAGAIN || e == ENOMEM)
        return limit_error(reterr, e, "a process", proc->program);
    return mcph_err_sys(reterr, MCPHOST_E_SPAWN, e, "cannot start '%s'", proc->program);
}

/* Opens and watches the pidfd of the host's child.  If there are no pidfds (an old
 * kernel, a seccomp filter), the child's end is detected by polling.  The child is then
 * reaped by number while it is a zombie of the host.  ESRCH means that another part of
 * the process has reaped the child already. */
static int
watch_child(struct mcph_proc *proc, mcphost_error **reterr)
{
    int r;

    proc->childfd = mcph_fd_high((int)syscall(SYS_pidfd_open, proc->child, 0));
    if (proc->childfd < 0) {
        if (errno == ESRCH)
            proc->reaped = true;
        else if (errno == EMFILE || errno == ENFILE)
            return limit_error(reterr, errno, "a pidfd", proc->program);
        return 0;
    }
    r = mcph_source_add(&proc->child_source, proc->childfd, EPOLLIN);
    if (r < 0)
        return mcph_err(reterr, r, "cannot watch the process of '%s'", proc->program);
    return 0;
}

/* Adds to the flags of the guard and makes the name of the control group, as the
 * configured containment requires.  Fails if the containment `cgroup` or `pid` has no
 * guard, or if the host cannot make the control group of `cgroup`. */
static int
choose_containment(struct mcph_proc *proc, const struct mcph_proc_spec *spec,
                   struct launch *launch, mcphost_error **reterr)
{
    bool need = proc->containment == MCPHOST_CONTAINMENT_CGROUP;
    bool pid = proc->containment == MCPHOST_CONTAINMENT_PID;

    if ((need || pid) && !proc->guarded)
        return mcph_err_sys(reterr, MCPHOST_E_SPAWN, ENOTSUP,
                            "cannot start '%s' (containment: %s) without a guard",
                            proc->program, need ? "cgroup" : "pid");
    launch->guard_optional = spec->guard_optional && !need && !pid;
    if (need && !spec->cgroup_dir)
        return mcph_proc_no_cgroup(reterr, proc, spec->cgroup_errno);
    if (need)
        launch->guard_flags |= MCPH_GUARD_NEED_CGROUP;
    if (pid)
        launch->guard_flags |= MCPH_GUARD_PID_NS | MCPH_GUARD_WARDEN;
    if (!proc->guarded || !spec->cgroup_dir ||
        (!need && proc->containment != MCPHOST_CONTAINMENT_AUTO))
        return 0;
    proc->cgroup =
        mcph_asprintf("%s/" MCPH_CGROUP_PREFIX "%s", spec->cgroup_dir, proc->cookie);
    return proc->cgroup ? 0 : mcph_err_nomem(reterr);
}

static int
prepare_launch(struct mcph_proc *proc, const struct mcph_proc_spec *spec,
               struct launch *launch, mcphost_error **reterr)
{
    int r = check_cwd(spec->cwd, reterr);

    if (r < 0)
        return r;
    r = mcph_proc_resolve(spec->command, path_of(spec->envp), spec->cwd, &launch->file,
                          reterr);
    if (r < 0)
        return r;
    r = make_env(proc, launch, spec->envp, reterr);
    if (r < 0)
        return r;
    launch->argv = (char **)(uintptr_t)spec->argv;
    launch->cwd = spec->cwd;
    if (spec->use_guard && !spec->guard_path &&
        mcph_guard_find(NULL, &launch->found_guard) < 0)
        return mcph_err_nomem(reterr);
    launch->guard_path = spec->guard_path ? spec->guard_path : launch->found_guard;
    launch->guard_flags = spec->guard_flags | (spec->warden ? MCPH_GUARD_WARDEN : 0);
    return choose_containment(proc, spec, launch, reterr);
}

int
mcph_proc_launch(struct mcph_proc *proc, const struct mcph_proc_spec *spec,
                 mcphost_error **reterr)
{
    struct launch launch = {.fds = {-1, -1, -1, -1}};
    int r = prepare_launch(proc, spec, &launch, reterr);

    if (r == 0)
        r = open_all(proc, &launch, reterr);
    if (r == 0)
        r = watch_all(proc, reterr);
    if (r == 0)
        r = spawn_either(proc, &launch, reterr);
    for (int i = 0; i < CHILD_FDS; i++)
        close_at(&launch.fds[i]);
    if (r == 0)
        r = watch_child(proc, reterr);
    free(launch.file);
    free(launch.found_guard);
    free(launch.envp);
    free(launch.cookie_var);
    return r;
}
