/* SPDX-License-Identifier: MIT
 *
 * secrettool.c - run the program secret-tool(1) once.
 *
 * A secret travels through pipes alone, because other users can read the arguments and
 * the user's programs can read the environment of a process.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"
#include "secrettool.h"

#define RUN_MS  5000              /* limit on the time of a run */
#define OUT_MAX ((size_t)1 << 20) /* limit on the output */

#define ADVICE "or keep tokens in a file with --token-store=file"

/* The descriptors of a run; -1 if not open. */
struct line {
    int in[2], out[2], err[2], end;
    pid_t pid;
};

static void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int
tool_fail(int code, const char *what, const char *why, mcphost_error **reterr)
{
    struct text t = {0};
    int r;

    text_printf(&t, "%s: %.*s", what, (int)strcspn(why, "\n"), why);
    r = mcphost_error_new(code, text_failed(&t) ? what : t.data, reterr);
    text_free(&t);
    return r;
}

static int
fail_start(int why, mcphost_error **reterr)
{
    if (why == ENOENT)
        return mcphost_error_new(MCPHOST_E_IO,
                                 "the program secret-tool is missing; install the "
                                 "package libsecret-tools, " ADVICE,
                                 reterr);
    return tool_fail(MCPHOST_E_IO, "cannot run secret-tool", strerror(why), reterr);
}

static int
set_streams(posix_spawn_file_actions_t *actions, const struct line *line)
{
    int e = posix_spawn_file_actions_adddup2(actions, line->in[0], 0);

    if (e == 0)
        e = posix_spawn_file_actions_adddup2(actions, line->out[1], 1);
    return e ? e : posix_spawn_file_actions_adddup2(actions, line->err[1], 2);
}

/* Puts the program into a group of its own, so that a Ctrl-C on the terminal does not
 * interrupt a write, and undoes what mcphostctl changes about signals. */
static int
set_attributes(posix_spawnattr_t *attr)
{
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    sigset_t none, standard;
    int e;

    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    e = posix_spawnattr_setsigmask(attr, &none);
    if (e == 0)
        e = posix_spawnattr_setsigdefault(attr, &standard);
    if (e == 0)
        e = posix_spawnattr_setpgroup(attr, 0);
    return e ? e : posix_spawnattr_setflags(attr, (short)flags);
}

/* Starts the program.  Returns 0 or an errno. */
static int
spawn(struct line *line, const char *const *argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int e = posix_spawn_file_actions_init(&actions);

    if (e)
        return e;
    e = posix_spawnattr_init(&attr);
    if (e == 0) {
        e = set_streams(&actions, line);
        if (e == 0)
            e = set_attributes(&attr);
        if (e == 0)
            e = posix_spawnp(&line->pid, argv[0], &actions, &attr,
                             (char *const *)(uintptr_t)argv, environ);
        posix_spawnattr_destroy(&attr);
    }
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

/* Makes the pipes and starts the program.  Returns 0 or an errno. */
static int
start(struct line *line, const char *const *argv)
{
    int e;

    if (pipe2(line->in, O_CLOEXEC) < 0 || pipe2(line->out, O_CLOEXEC) < 0 ||
        pipe2(line->err, O_CLOEXEC) < 0 || fcntl(line->in[1], F_SETFL, O_NONBLOCK) < 0 ||
        fcntl(line->out[0], F_SETFL, O_NONBLOCK) < 0 ||
        fcntl(line->err[0], F_SETFL, O_NONBLOCK) < 0)
        return errno;
    line->pid = -1;
    e = spawn(line, argv);
    if (e)
        return e;
    close_fd(&line->in[0]);
    close_fd(&line->out[1]);
    close_fd(&line->err[1]);
    line->end = (int)syscall(SYS_pidfd_open, line->pid, 0);
    return line->end < 0 ? errno : 0;
}

/* Writes as much of the input as the pipe takes.  If the program has closed its stdin,
 * the write fails, and no signal ends mcphostctl, because mcphostctl ignores SIGPIPE. */
static void
feed(struct line *line, const char **input)
{
    ssize_t n = write(line->in[1], *input, strlen(*input));

    if (n > 0)
        *input += n;
    if ((n < 0 && errno != EAGAIN && errno != EINTR) || !**input)
        close_fd(&line->in[1]);
}

/* Reads the output that is available.  Returns 0, or -1 if the output exceeds OUT_MAX
 * bytes. */
static int
drain(int *fd, char *to, size_t *len)
{
    ssize_t n = 1;

    while (*fd >= 0 && n > 0) {
        n = read(*fd, to + *len, OUT_MAX + 1 - *len);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            close_fd(fd);
        if (n > 0)
            *len += (size_t)n;
        if (*len > OUT_MAX)
            return -1;
    }
    return 0;
}

/* Writes the input to the program, and reads the program's output until the program ends.
 * Returns 0, or an error code without a message. */
static int
talk(struct line *line, const char *input, struct tool_run *run)
{
    int64_t end = now_ms() + RUN_MS, left;
    int ended = 0;

    if (!*input)
        close_fd(&line->in[1]);
    while (!ended) {
        struct pollfd fds[] = {{.fd = line->in[1], .events = POLLOUT},
                               {.fd = line->out[0], .events = POLLIN},
                               {.fd = line->err[0], .events = POLLIN},
                               {.fd = line->end, .events = POLLIN}};

        left = end - now_ms();
        if (left <= 0)
            return MCPHOST_E_TIMEOUT;
        if (poll(fds, 4, (int)left) < 0) {
            if (errno == EINTR)
                continue;
            return MCPHOST_E_IO;
        }
        ended = fds[3].revents != 0;
        if (fds[0].revents)
            feed(line, &input);
        if (drain(&line->out[0], run->out, &run->out_len) < 0 ||
            drain(&line->err[0], run->err, &run->err_len) < 0)
            return MCPHOST_E_LIMIT;
    }
    return 0;
}

/* Reaps the program, if it was started, and closes the pipes.  If `r` is < 0, first kills
 * the program's group.  Returns the program's exit status, or -1 if there is none. */
static int
finish(struct line *line, int r)
{
    int status = -1;

    if (line->pid > 0) {
        if (r < 0)
            kill(-line->pid, SIGKILL);
        while (waitpid(line->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    for (int i = 0; i < 2; i++) {
        close_fd(&line->in[i]);
        close_fd(&line->out[i]);
        close_fd(&line->err[i]);
    }
    close_fd(&line->end);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int
tool_run(struct tool_run *run, const char *const *argv, const char *input,
         mcphost_error **reterr)
{
    struct line line = {{-1, -1}, {-1, -1}, {-1, -1}, -1, -1};
    int e, r = 0;

    *run =
        (struct tool_run){.out = calloc(1, OUT_MAX + 2), .err = calloc(1, OUT_MAX + 2)};
    if (!run->out || !run->err)
        return mcphost_error_new(MCPHOST_E_NOMEM, "out of memory", reterr);
    e = start(&line, argv);
    if (e == 0)
        r = talk(&line, input ? input : "", run);
    run->status = finish(&line, e ? MCPHOST_E_IO : r);
    if (e)
        return fail_start(e, reterr);
    if (r == MCPHOST_E_TIMEOUT)
        return mcphost_error_new(r,
                                 "secret-tool did not end within 5 s; unlock the keyring "
                                 "of the desktop, " ADVICE,
                                 reterr);
    if (r == MCPHOST_E_LIMIT)
        return mcphost_error_new(r, "secret-tool wrote more than 1 MiB", reterr);
    return r < 0 ? mcphost_error_new(r, "cannot wait for secret-tool", reterr) : 0;
}

void
tool_done(struct tool_run *run)
{
    if (run->out)
        explicit_bzero(run->out, run->out_len);
    if (run->err)
        explicit_bzero(run->err, run->err_len);
    free(run->out);
    free(run->err);
    *run = (struct tool_run){0};
}
