/* SPDX-License-Identifier: MIT
 *
 * procrig.c - one server process under test.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/procrig.h"
#include "support/runner.h"

static void
on_started(struct mcph_proc *proc, pid_t pid, void *arg)
{
    struct rig *rig = arg;

    ck_assert_ptr_eq(proc, rig->proc);
    rig->started++;
    rig->pid = pid;
}

static void
on_exec_failed(struct mcph_proc *proc, mcphost_error *err, void *arg)
{
    struct rig *rig = arg;

    (void)proc;
    rig->failed++;
    rig->fail_code = mcphost_error_get_code(err);
    rig->fail_errno = mcphost_error_get_errno(err);
    snprintf(rig->message, sizeof(rig->message), "%s", mcphost_error_get_message(err));
}

static void
on_exited(struct mcph_proc *proc, int code, int status, void *arg)
{
    struct rig *rig = arg;

    (void)proc;
    rig->exited++;
    rig->code = code;
    rig->status = status;
}

static void
on_gone(struct mcph_proc *proc, void *arg)
{
    struct rig *rig = arg;

    (void)proc;
    rig->gone++;
}

static void
on_left(struct mcph_proc *proc, int n, void *arg)
{
    struct rig *rig = arg;

    (void)proc;
    rig->left += n;
}

static void
on_stderr(struct mcph_proc *proc, const char *line, size_t len, uint64_t lost, void *arg)
{
    struct rig *rig = arg;

    (void)proc;
    ck_assert_uint_le(len, MCPH_PROC_LINE_MAX);
    ck_assert_uint_eq(strlen(line), len);
    rig->lines++;
    rig->lost += lost;
    rig->line_len = len;
    memcpy(rig->line, line, len + 1);
    if (rig->on_line)
        rig->on_line(rig);
}

static void
on_unguarded(struct mcph_proc *proc, mcphost_error *err, void *arg)
{
    struct rig *rig = arg;

    (void)proc;
    ck_assert_int_eq(rig->started, 0);
    rig->unguarded++;
    snprintf(rig->message, sizeof(rig->message), "%s", mcphost_error_get_message(err));
}

void
procrig_up(struct rig *rig)
{
    static char guard[512];
    static char path[] = "PATH=/usr/bin:/bin";

    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    memset(rig, 0, sizeof(*rig));
    rig->fds_before = procrig_count_fds();
    ck_assert_int_eq(mcph_core_new(&rig->core, NULL), 0);
    mcph_proc_spec_init(&rig->spec);
    rig->spec.server = "rig";
    rig->spec.guard_path = guard;
    rig->spec.stop_eof_ms = rig->spec.stop_term_ms = 200;
    rig->env[0] = path;
    rig->ops = (struct mcph_proc_ops){
        .on_started = on_started,
        .on_exec_failed = on_exec_failed,
        .on_exited = on_exited,
        .on_gone = on_gone,
        .on_left = on_left,
        .on_stderr = on_stderr,
        .on_unguarded = on_unguarded,
    };
}

void
procrig_end(struct rig *rig)
{
    rig->proc = mcph_proc_free(rig->proc, 1000);
    rig->started = rig->failed = rig->exited = rig->gone = rig->left = rig->unguarded = 0;
    rig->lines = 0;
    rig->out_len = 0;
}

void
procrig_down(struct rig *rig)
{
    mcph_proc_free(rig->proc, 1000);
    mcph_core_unref(rig->core);
    procrig_no_children();
    ck_assert_int_eq(procrig_count_fds(), rig->fds_before);
}

void
procrig_set_env(struct rig *rig, char **env)
{
    size_t n = 0;

    for (; env[n]; n++)
        rig->env[n] = env[n];
    rig->env[n] = NULL;
}

int
procrig_try(struct rig *rig, mcphost_error **reterr)
{
    rig->spec.command = rig->argv[0];
    rig->spec.argv = rig->argv;
    rig->spec.envp = rig->env;
    return mcph_proc_spawn(rig->core, &rig->spec, &rig->ops, rig, &rig->proc, reterr);
}

void
procrig_start(struct rig *rig, char **argv)
{
    mcphost_error *err = NULL;

    rig->argv = argv;
    if (procrig_try(rig, &err) < 0)
        ck_abort_msg("spawn: %s", mcphost_error_get_message(err));
}

bool
procrig_until(struct rig *rig, const int *flag, int ms)
{
    int64_t end = mcph_clock_monotonic_ms() + ms;

    while (!*flag && mcph_clock_monotonic_ms() < end)
        ck_assert_int_ge(mcph_core_wait(rig->core, 20), 0);
    return *flag != 0;
}

char *
procrig_read_line(struct rig *rig, int ms)
{
    static char line[4096];
    int64_t end = mcph_clock_monotonic_ms() + ms;

    for (;;) {
        char *newline = memchr(rig->out, '\n', rig->out_len);
        struct pollfd fd = {.fd = mcph_proc_stdout(rig->proc), .events = POLLIN};
        size_t len = newline ? (size_t)(newline - rig->out) : rig->out_len;
        ssize_t n;

        if (newline) {
            memcpy(line, rig->out, len);
            line[len] = '\0';
            rig->out_len -= len + 1;
            memmove(rig->out, newline + 1, rig->out_len);
            return line;
        }
        ck_assert_msg(len < sizeof(rig->out), "the line is too long for this function");
        if (mcph_clock_monotonic_ms() > end)
            ck_abort_msg("no line on stdout");
        if (poll(&fd, 1, 20) <= 0)
            continue;
        n = read(fd.fd, rig->out + rig->out_len, sizeof(rig->out) - rig->out_len);
        ck_assert_int_ge(n, 0);
        if (n == 0) {
            line[0] = 0;
            return line;
        }
        rig->out_len += (size_t)n;
    }
}

void
procrig_read_all(struct rig *rig, char *ret, size_t size)
{
    size_t len = 0;
    ssize_t n;

    do {
        n = read(mcph_proc_stdout(rig->proc), ret + len, size - 1 - len);
        if (n > 0)
            len += (size_t)n;
    } while (n > 0);
    ret[len] = '\0';
}

void
procrig_life_up(struct procrig_life *life)
{
    snprintf(life->dir, sizeof(life->dir), "/tmp/mcph-life-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(life->dir));
    ck_assert_int_eq(chmod(life->dir, 0711), 0);
    snprintf(life->fifo, sizeof(life->fifo), "%s/life", life->dir);
    snprintf(life->var, sizeof(life->var), "LIFE=%s", life->fifo);
    ck_assert_int_eq(mkfifo(life->fifo, 0622), 0);
    ck_assert_int_eq(chmod(life->fifo, 0622), 0);
    life->fd = open(life->fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ck_assert_int_ge(life->fd, 0);
}

void
procrig_life_down(struct procrig_life *life)
{
    close(life->fd);
    unlink(life->fifo);
    rmdir(life->dir);
}

bool
procrig_life_ended(const struct procrig_life *life, int ms)
{
    struct pollfd fd = {.fd = life->fd, .events = POLLIN};

    return poll(&fd, 1, ms) > 0 && (fd.revents & POLLHUP);
}

/* Counts the open descriptors below 1024.  Tries each number, because a test may have
 * removed /proc. */
int
procrig_count_fds(void)
{
    int n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

void
procrig_no_children(void)
{
    siginfo_t info = {0};
    idtype_t any = P_ALL;

    if (waitid(any, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        ck_abort_msg("a child is left: %d (%s)", (int)info.si_pid,
                     info.si_pid ? "dead" : "alive");
    ck_assert_int_eq(errno, ECHILD);
}

void
procrig_sleep(int ms)
{
    struct timespec time = {.tv_nsec = ms * 1000000L};

    nanosleep(&time, NULL);
}
