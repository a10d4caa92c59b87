/* SPDX-License-Identifier: MIT
 *
 * ctlrun.h - runs mcphostctl in tests: to its end, line by line, or on a terminal.
 *
 * A place is a workspace with its own cache directory.  The mcp.yaml of the workspace
 * starts the demo server.  ctl_place_down() fails the test if a process, a descriptor or
 * a thread is left.  The test adopts the processes that mcphostctl leaves behind, so that
 * ctl_place_down() counts them.
 */
#ifndef TESTS_SUPPORT_CTLRUN_H
#define TESTS_SUPPORT_CTLRUN_H

#include <jansson.h>
#include <sys/types.h>

#include "support/rig.h"

struct ctl_place {
    struct rig_workspace ws;
    struct rig_census before;
    const char *input;   /* stdin of the next run; NULL means empty */
    const char *preload; /* library in test_progdir() to preload; may be NULL */
    char *variable;      /* "NAME=VALUE" added to the environment; may be NULL */
    char **variables;    /* more variables, ended by NULL; may be NULL */
    char *path;          /* "PATH=..." instead of the usual directories; may be NULL */
    char *source;        /* value of --source in sessions; may be NULL */
    char *argument;      /* argument of a session's command; may be NULL */
    int stdin_is_empty;  /* stdin is /dev/null even on a terminal */
};

/* Returns the path of this build's demo server. */
const char *ctl_demo_server(void);

/* Makes a workspace with the servers `desk` (leased, prefix desk_, a blacklist) and
 * `board` (shared, modern, suffix _board, a whitelist). */
void ctl_place_up(struct ctl_place *place);
void ctl_place_down(struct ctl_place *place);

/* ---- run to the end ---------------------------------------------------------------- */

struct ctl_run {
    int status; /* the exit status, or 128 + the signal */
    char *out, *err;
};

/* Runs mcphostctl to its end in the place's workspace.  The arguments end with NULL. */
void ctl_run(struct ctl_run *run, struct ctl_place *place, ...) __attribute__((sentinel));
void ctl_status_is(const struct ctl_run *run, int status);
void ctl_run_free(struct ctl_run *run);
/* Returns the stdout of the run as JSON.  The stdout must be one JSON document. */
json_t *ctl_run_json(const struct ctl_run *run);

/* ---- line by line: the command batch ----------------------------------------------- */

struct ctl_session {
    pid_t pid;
    int in, out;
    char *data; /* stdout that ctl_line() has not returned yet */
    size_t len;
};

void ctl_session_up(struct ctl_session *session, struct ctl_place *place);
/* Starts a session with any command that keeps running, e.g. watch, instead of batch. */
void ctl_session_up_as(struct ctl_session *session, struct ctl_place *place,
                       char *command);
/* Writes a line to the session's stdin. */
void ctl_send(struct ctl_session *session, const char *fmt, ...) RIG_PRINTF(2, 3);
/* Returns the next line, or NULL at the end of the output.  The test fails if there is no
 * new output for 10 s.  The caller frees the text. */
char *ctl_line(struct ctl_session *session);
/* Returns the next line, parsed as JSON, or NULL at the end of the output. */
json_t *ctl_next(struct ctl_session *session);
/* Returns the next answer with this `id`.  Skips other lines and all events. */
json_t *ctl_answer(struct ctl_session *session, const char *id);
/* Returns the next line whose `event` is `name`.  Skips other lines. */
json_t *ctl_event(struct ctl_session *session, const char *name);
/* Sends a command and returns the `result` of its answer.  The answer must have "ok":
 * true. */
json_t *ctl_ask(struct ctl_session *session, const char *id, const char *members);
/* Closes the input if it is open, reads to the end and returns the exit status. */
int ctl_session_down(struct ctl_session *session);

/* ---- on a terminal ----------------------------------------------------------------- */

struct ctl_terminal {
    pid_t pid;
    int fd;     /* the master side of the terminal */
    char *data; /* all output of the terminal so far */
    size_t len, seen;
};

/* Starts mcphostctl with these arguments.  The arguments end with NULL.  The stderr and,
 * unless place->stdin_is_empty is set, the stdin of mcphostctl are the terminal.  The
 * stdout is the file `stdout` of the workspace. */
void ctl_terminal_up(struct ctl_terminal *terminal, struct ctl_place *place, ...)
    __attribute__((sentinel));
/* Waits until `text` appears after the text that the last call found.  The test fails if
 * there is no new output for 10 s. */
void ctl_shows(struct ctl_terminal *terminal, const char *text);
void ctl_types(struct ctl_terminal *terminal, const char *text);
/* Waits for `prompt` and types `text`. */
void ctl_replies(struct ctl_terminal *terminal, const char *prompt, const char *text);
/* Waits for the end of mcphostctl.  Returns its exit status. */
int ctl_terminal_down(struct ctl_terminal *terminal);

/* ---- JSON -------------------------------------------------------------------------- */

const char *ctl_string(const json_t *object, const char *key); /* "" if not a string */
long long ctl_int(const json_t *object, const char *key);
/* Returns the element of an array whose member `key` is the string `value`.  The test
 * fails if the array has no element with this value. */
json_t *ctl_row(const json_t *array, const char *key, const char *value);
/* Returns the text of the first item of a tool's result. */
const char *ctl_said(const json_t *result);
/* Returns the process id that the demo server wrote into the text of a tool's result. */
long ctl_pid(const json_t *result);

#endif
