/* SPDX-License-Identifier: MIT
 *
 * ctlrun.c - runs mcphostctl in tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/runner.h"

enum { LINE_MS = 10000, MAX_ARGS = 32, ENVIRONMENT_MAX = 16 };

const char *
ctl_demo_server(void)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s/../examples/demo/demo-server", test_bindir());
    ck_assert_msg(access(path, X_OK) == 0, "'%s' is not built", path);
    return path;
}

void
ctl_place_up(struct ctl_place *place)
{
    memset(place, 0, sizeof(*place));
    /* Adopt processes that mcphostctl leaves behind, so that the census counts them. */
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    place->before = rig_census_take();
    rig_workspace_up(&place->ws,
                     "version: 1\n"
                     "servers:\n"
                     "  desk:\n"
                     "    transport: stdio\n"
                     "    command: '%s'\n"
                     "    args: [desk]\n"
                     "    tools: { blacklist: ['erase_*'] }\n"
                     "    transform: [{ prefix: 'desk_' }]\n"
                     "  board:\n"
                     "    truely-stateless: true\n"
                     "    transport: stdio\n"
                     "    command: '%s'\n"
                     "    args: [--modern, board]\n"
                     "    tools: { whitelist: [echo, count] }\n"
                     "    transform: [{ suffix: '_board' }]\n",
                     ctl_demo_server(), ctl_demo_server());
}

void
ctl_place_down(struct ctl_place *place)
{
    rig_census_check(&place->before, 2000);
    rig_workspace_down(&place->ws);
}

/* ---- starting mcphostctl ----------------------------------------------------------- */

/* Turns the child process into mcphostctl.  Passes only the variables in `environment`,
 * so that the environment of the tests does not affect mcphostctl. */
static void
become_ctl(const struct ctl_place *place, char **argv, int in, int out, int err)
{
    static char cache[1024], program[4096], preload[4096];
    char *environment[ENVIRONMENT_MAX] = {cache, "PATH=/usr/bin:/bin", "LC_ALL=C",
                                          "TERM=dumb"};
    int n = 4;

    if (place->path)
        environment[1] = place->path;
    snprintf(cache, sizeof(cache), "XDG_CACHE_HOME=%s/cache", place->ws.dir);
    snprintf(program, sizeof(program), "%s/mcphostctl", test_bindir());
    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s/%s", test_progdir(),
             place->preload ? place->preload : "");
    if (place->preload)
        environment[n++] = preload;
    if (place->variable)
        environment[n++] = place->variable;
    for (char **variable = place->variables; variable && *variable; variable++) {
        if (n == ENVIRONMENT_MAX - 1)
            _exit(126);
        environment[n++] = *variable;
    }
    /* Leave the terminal on which the tests run, because mcphostctl must not use it. */
    if (getsid(0) != getpid())
        (void)setsid();
    if (chdir(place->ws.dir) < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 ||
        dup2(err, 2) < 0)
        _exit(126);
    argv[0] = program;
    execve(program, argv, environment);
    _exit(127);
}

static pid_t
start(const struct ctl_place *place, char **argv, int in, int out, int err)
{
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        become_ctl(place, argv, in, out, err);
    return pid;
}

static int
exit_status(pid_t pid)
{
    int status;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- run to the end ---------------------------------------------------------------- */

static int
open_file(const struct ctl_place *place, const char *name)
{
    int fd = open(rig_workspace_path(&place->ws, name),
                  O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    ck_assert_int_ge(fd, 0);
    return fd;
}

void
ctl_run(struct ctl_run *run, struct ctl_place *place, ...)
{
    int in = open_file(place, "stdin");
    int out = open_file(place, "stdout");
    int err = open_file(place, "stderr");
    char *argv[MAX_ARGS] = {NULL};
    int n = 1;
    va_list ap;

    va_start(ap, place);
    for (char *arg = va_arg(ap, char *); arg; arg = va_arg(ap, char *)) {
        ck_assert_int_lt(n, MAX_ARGS - 1);
        argv[n++] = arg;
    }
    va_end(ap);
    if (place->input)
        dprintf(in, "%s", place->input);
    place->input = NULL;
    lseek(in, 0, SEEK_SET);
    run->status = exit_status(start(place, argv, in, out, err));
    close(in);
    close(out);
    close(err);
    run->out = rig_workspace_read(&place->ws, "stdout");
    run->err = rig_workspace_read(&place->ws, "stderr");
}

void
ctl_status_is(const struct ctl_run *run, int status)
{
    ck_assert_msg(run->status == status, "exit status %d, stderr: %s", run->status,
                  run->err);
}

void
ctl_run_free(struct ctl_run *run)
{
    free(run->out);
    free(run->err);
}

json_t *
ctl_run_json(const struct ctl_run *run)
{
    json_error_t error;
    json_t *json = json_loads(run->out, JSON_REJECT_DUPLICATES, &error);

    ck_assert_msg(json != NULL, "%s in: %s", error.text, run->out);
    return json;
}

/* ---- line by line ------------------------------------------------------------------ */

void
ctl_session_up(struct ctl_session *session, struct ctl_place *place)
{
    ctl_session_up_as(session, place, "batch");
}

void
ctl_session_up_as(struct ctl_session *session, struct ctl_place *place, char *command)
{
    char admin[] = "--admin", source[] = "--source";
    char *argv[] = {NULL, admin, command, NULL, NULL, NULL, NULL};
    int in[2], out[2], n = 3, err = open_file(place, "stderr");

    if (place->argument)
        argv[n++] = place->argument;
    if (place->source) {
        argv[n++] = source;
        argv[n++] = place->source;
    }
    memset(session, 0, sizeof(*session));
    ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    session->pid = start(place, argv, in[0], out[1], err);
    close(in[0]);
    close(out[1]);
    close(err);
    session->in = in[1];
    session->out = out[0];
}

void
ctl_send(struct ctl_session *session, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ck_assert_int_ge(vdprintf(session->in, fmt, ap), 0);
    va_end(ap);
    ck_assert_int_eq(write(session->in, "\n", 1), 1);
}

/* Reads more of stdout.  Returns 0 at the end of the output. */
static int
read_more(struct ctl_session *session)
{
    struct pollfd pfd = {.fd = session->out, .events = POLLIN};
    ssize_t n;

    ck_assert_msg(poll(&pfd, 1, LINE_MS) == 1, "no line in %d ms; there is: %.*s",
                  LINE_MS, (int)session->len, session->data ? session->data : "");
    session->data = realloc(session->data, session->len + 65536);
    ck_assert_ptr_nonnull(session->data);
    n = read(session->out, session->data + session->len, 65536);
    ck_assert_int_ge(n, 0);
    session->len += (size_t)n;
    return n > 0;
}

char *
ctl_line(struct ctl_session *session)
{
    char *newline, *line;
    size_t len;

    for (;;) {
        newline = session->len ? memchr(session->data, '\n', session->len) : NULL;
        if (newline)
            break;
        if (!read_more(session)) {
            ck_assert_msg(session->len == 0, "half a line at the end");
            return NULL;
        }
    }
    len = (size_t)(newline - session->data);
    line = strndup(session->data, len);
    ck_assert_ptr_nonnull(line);
    session->len -= len + 1;
    memmove(session->data, newline + 1, session->len);
    return line;
}

json_t *
ctl_next(struct ctl_session *session)
{
    char *line = ctl_line(session);
    json_error_t error;
    json_t *json;

    if (!line)
        return NULL;
    json = json_loads(line, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    ck_assert_msg(json != NULL, "%s in: %s", error.text, line);
    free(line);
    return json;
}

static json_t *
next_with(struct ctl_session *session, const char *key, const char *value)
{
    for (;;) {
        json_t *json = ctl_next(session);

        ck_assert_msg(json != NULL, "the end before \"%s\":\"%s\"", key, value);
        if (strcmp(ctl_string(json, key), value) == 0)
            return json;
        json_decref(json);
    }
}

json_t *
ctl_answer(struct ctl_session *session, const char *id)
{
    json_t *json;

    /* Skip progress events, because they have the id of their call, too. */
    for (json = next_with(session, "id", id); json_object_get(json, "event");
         json = next_with(session, "id", id))
        json_decref(json);
    return json;
}

json_t *
ctl_event(struct ctl_session *session, const char *name)
{
    return next_with(session, "event", name);
}

json_t *
ctl_ask(struct ctl_session *session, const char *id, const char *members)
{
    json_t *answer, *result;

    ctl_send(session, "{\"id\":\"%s\",%s}", id, members);
    answer = ctl_answer(session, id);
    ck_assert_msg(json_is_true(json_object_get(answer, "ok")), "%s: %s", members,
                  ctl_string(json_object_get(answer, "error"), "message"));
    result = json_incref(json_object_get(answer, "result"));
    json_decref(answer);
    return result;
}

int
ctl_session_down(struct ctl_session *session)
{
    int status;

    if (session->in >= 0)
        close(session->in);
    for (char *line = ctl_line(session); line; line = ctl_line(session))
        free(line);
    close(session->out);
    status = exit_status(session->pid);
    free(session->data);
    memset(session, 0, sizeof(*session));
    return status;
}

/* ---- on a terminal ----------------------------------------------------------------- */

void
ctl_terminal_up(struct ctl_terminal *terminal, struct ctl_place *place, ...)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC),
        out = open_file(place, "stdout");
    char *argv[MAX_ARGS] = {NULL};
    int n = 1, theirs;
    va_list ap;

    va_start(ap, place);
    for (char *arg = va_arg(ap, char *); arg; arg = va_arg(ap, char *)) {
        ck_assert_int_lt(n, MAX_ARGS - 1);
        argv[n++] = arg;
    }
    va_end(ap);
    memset(terminal, 0, sizeof(*terminal));
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(grantpt(fd) | unlockpt(fd), 0);
    theirs = open(ptsname(fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert_int_ge(theirs, 0);
    terminal->pid = fork();
    ck_assert_int_ge(terminal->pid, 0);
    if (terminal->pid == 0) {
        if (setsid() < 0 || ioctl(theirs, TIOCSCTTY, 0) < 0)
            _exit(126);
        become_ctl(place, argv,
                   place->stdin_is_empty ? open("/dev/null", O_RDONLY) : theirs, out,
                   theirs);
    }
    close(theirs);
    close(out);
    terminal->fd = fd;
}

/* Reads more output.  Fails the test, with `wanted` in the message, if no output comes
 * within LINE_MS.  Returns 0 if no process has the slave side of the terminal open. */
static int
read_terminal(struct ctl_terminal *terminal, const char *wanted)
{
    struct pollfd pfd = {.fd = terminal->fd, .events = POLLIN};
    ssize_t n;

    ck_assert_msg(poll(&pfd, 1, LINE_MS) == 1, "'%s' is not shown; there is: %s", wanted,
                  terminal->data ? terminal->data : "");
    terminal->data = realloc(terminal->data, terminal->len + 65537);
    ck_assert_ptr_nonnull(terminal->data);
    n = read(terminal->fd, terminal->data + terminal->len, 65536);
    if (n > 0)
        terminal->len += (size_t)n;
    terminal->data[terminal->len] = '\0';
    return n > 0;
}

void
ctl_shows(struct ctl_terminal *terminal, const char *text)
{
    char *at = NULL;

    for (;;) {
        if (terminal->data)
            at = strstr(terminal->data + terminal->seen, text);
        if (at)
            break;
        ck_assert_msg(read_terminal(terminal, text), "the end before '%s': %s", text,
                      terminal->data);
    }
    terminal->seen = (size_t)(at - terminal->data) + strlen(text);
}

void
ctl_types(struct ctl_terminal *terminal, const char *text)
{
    ck_assert_int_eq(write(terminal->fd, text, strlen(text)), strlen(text));
}

void
ctl_replies(struct ctl_terminal *terminal, const char *prompt, const char *text)
{
    ctl_shows(terminal, prompt);
    ctl_types(terminal, text);
}

int
ctl_terminal_down(struct ctl_terminal *terminal)
{
    int status;

    while (read_terminal(terminal, "the end"))
        ;
    status = exit_status(terminal->pid);
    close(terminal->fd);
    free(terminal->data);
    memset(terminal, 0, sizeof(*terminal));
    return status;
}

/* ---- JSON -------------------------------------------------------------------------- */

const char *
ctl_string(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));

    return s ? s : "";
}

long long
ctl_int(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    ck_assert_msg(json_is_integer(value), "'%s' is no whole number", key);
    return json_integer_value(value);
}

json_t *
ctl_row(const json_t *array, const char *key, const char *value)
{
    json_t *row;
    size_t i;

    json_array_foreach(array, i, row)
    {
        if (strcmp(ctl_string(row, key), value) == 0)
            return row;
    }
    ck_abort_msg("no row with \"%s\":\"%s\"", key, value);
    return NULL;
}

const char *
ctl_said(const json_t *result)
{
    return ctl_string(json_array_get(json_object_get(result, "content"), 0), "text");
}

long
ctl_pid(const json_t *result)
{
    const char *at = strstr(ctl_said(result), "(process ");

    ck_assert_msg(at != NULL, "no process in '%s'", ctl_said(result));
    return strtol(at + strlen("(process "), NULL, 10);
}
