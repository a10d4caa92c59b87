/* SPDX-License-Identifier: MIT
 *
 * sweep.c - send SIGKILL to all processes that have a spawn's cookie in their
 * environment.
 *
 * The sweep is the last resort when no guard can say which processes belong to a server.
 *
 * The pidfd of a process is opened before the environment of the process is read.  If the
 * process number is reused in between, the new process gets no signal.  A pass over /proc
 * is done in slices, because the dispatcher has other work.  Passes are repeated until
 * they find no process.
 *
 * A server may be a chain of processes, each of which forks its successor and ends at
 * once.  Before the pass reaches a process of the chain, this process has ended, and
 * its successor has the newest process number.  Therefore the newest process numbers
 * are examined many times after a pass.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/internal.h"

#define SLICE    256
#define PAUSE_MS 5    /* ms between passes, so that killed processes can end */
#define GIVE_UP  2000 /* ms for the whole sweep */
/* The sweep ends after CLEAN passes in a row that find no process.  If the server had no
 * guard, one of these passes is enough. */
#define CLEAN 2
/* After a pass, the newest process numbers are examined CHASES times: each time the next
 * free number and the CHASE_BACK numbers below it. */
#define CHASES     64
#define CHASE_BACK 16

/* Checks whether /proc belongs to the host's PID namespace.  The numbers of another
 * namespace mean other processes. */
static bool
procfs_is_ours(void)
{
    char link[16], own[16];
    ssize_t n = readlink("/proc/self", link, sizeof(link) - 1);

    if (n < 0)
        return false;
    link[n] = '\0';
    snprintf(own, sizeof(own), "%d", (int)getpid());
    return strcmp(link, own) == 0;
}

static bool
has_cookie(int dirfd, const char *number, const char *var, size_t var_len)
{
    char path[32], chunk[4096];
    size_t match = 0; /* bytes that match so far; SIZE_MAX if this string differs */
    bool found = false;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "%.15s/environ", number);
    fd = mcph_fd_high(openat(dirfd, path, O_RDONLY | O_CLOEXEC));
    if (fd < 0)
        return false;
    do {
        n = read(fd, chunk, sizeof(chunk));
        for (ssize_t i = 0; i < n && !found; i++) {
            if (match != SIZE_MAX && match <= var_len && chunk[i] == var[match])
                found = match++ == var_len; /* the NUL at the end must match as well */
            else
                match = SIZE_MAX;
            if (chunk[i] == '\0')
                match = 0;
        }
    } while (n > 0 && !found);
    close(fd);
    return found;
}

static void
kill_if_ours(struct mcph_proc *proc, const char *number)
{
    char var[sizeof(MCPH_GUARD_COOKIE) + MCPH_COOKIE_HEX];
    pid_t pid = (pid_t)strtol(number, NULL, 10);
    int fd, len;

    if (pid <= 1 || pid == getpid())
        return;
    fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return;
    len = snprintf(var, sizeof(var), MCPH_GUARD_COOKIE "=%s", proc->cookie);
    if (has_cookie(dirfd(proc->procfs), number, var, (size_t)len) &&
        syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0)
        proc->swept++;
    close(fd);
}

void
mcph_proc_sweep_start(struct mcph_proc *proc)
{
    if (proc->sweeping || proc->empty)
        return;
    proc->sweeping = true;
    proc->clean = 0;
    proc->sweep_end = mcph_clock_monotonic_ms() + GIVE_UP;
    mcph_timer_set(&proc->tick, mcph_core_now(proc->core));
}

void
mcph_proc_sweep_done(struct mcph_proc *proc)
{
    if (proc->procfs)
        closedir(proc->procfs);
    proc->procfs = NULL;
    proc->sweeping = false;
}

/* Returns the newest process number: the last field of /proc/loadavg ("0.1 0.2 0.3 1/234
 * 5678").  Returns 0 if the number cannot be read. */
static pid_t
newest_pid(int fd)
{
    char text[128], *last;
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

    if (n <= 0)
        return 0;
    text[n] = '\0';
    last = strrchr(text, ' ');
    return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

static void
chase_newest(struct mcph_proc *proc)
{
    int fd = mcph_fd_high(openat(dirfd(proc->procfs), "loadavg", O_RDONLY | O_CLOEXEC));

    if (fd < 0)
        return;
    for (int i = 0; i < CHASES; i++) {
        pid_t last = newest_pid(fd);

        for (pid_t pid = last + 1; pid > 1 && pid > last - CHASE_BACK; pid--) {
            char number[16];

            snprintf(number, sizeof(number), "%d", (int)pid);
            kill_if_ours(proc, number);
        }
    }
    close(fd);
}

static bool
is_late(const struct mcph_proc *proc)
{
    return mcph_clock_monotonic_ms() > proc->sweep_end;
}

/* Kills the processes of the control group and removes the group.  Returns true if the
 * server has no group or mcph_cgroup_end() returns true. */
static bool
end_cgroup(const struct mcph_proc *proc)
{
    return !proc->cgroup || mcph_cgroup_end(proc->cgroup);
}

/* Ends a pass.  Returns true if no other pass is needed, or if the time for the sweep is
 * over. */
static bool
pass_done(struct mcph_proc *proc)
{
    /* Do not chase the newest processes if the server has no guard and the pass found no
     * process of the server.  One pass is enough for this server, because its process
     * group got SIGKILL. */
    if (proc->guarded || proc->swept)
        chase_newest(proc);
    if (!end_cgroup(proc))
        proc->swept++;
    proc->clean = proc->swept ? 0 : proc->clean + 1;
    closedir(proc->procfs);
    proc->procfs = NULL;
    mcph_timer_set(&proc->tick, mcph_core_now(proc->core) + PAUSE_MS);
    return proc->clean >= (proc->guarded ? CLEAN : 1) || is_late(proc);
}

/* Ends only the control group, because the sweep cannot find processes without /proc.
 * Returns true if the sweep is finished. */
static bool
without_proc(struct mcph_proc *proc)
{
    if (end_cgroup(proc) || is_late(proc))
        return true;
    mcph_timer_set(&proc->tick, mcph_core_now(proc->core) + PAUSE_MS);
    return false;
}

static DIR *
open_procfs(void)
{
    int fd = mcph_fd_high(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (!dir && fd >= 0)
        close(fd);
    return dir;
}

bool
mcph_proc_sweep_slice(struct mcph_proc *proc)
{
    if (!proc->procfs) {
        proc->swept = 0;
        proc->procfs = procfs_is_ours() ? open_procfs() : NULL;
        if (!proc->procfs)
            return without_proc(proc);
    }
    for (int i = 0; i < SLICE; i++) {
        const struct dirent *entry = readdir(proc->procfs);

        if (!entry)
            return pass_done(proc);
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            kill_if_ours(proc, entry->d_name);
    }
    mcph_timer_set(&proc->tick, mcph_core_now(proc->core));
    return false;
}
