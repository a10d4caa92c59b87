/* SPDX-License-Identifier: MIT
 *
 * ctlrun.h - mcphostctl under test: run to its end, or talked to line by line.
 *
 * A place is a workspace whose mcp.yaml starts the demo server, with a cache of its own.
 * ctl_place_down() fails the test when a process is left: the test adopts what
 * mcphostctl leaves behind.
 */
#ifndef TESTS_SUPPORT_CTLRUN_H
#define TESTS_SUPPORT_CTLRUN_H

#include <jansson.h>
#include <sys/types.h>

#include "support/rig.h"

struct ctl_place {
    struct rig_workspace ws;
    struct rig_census before;
    const char *input;   /* of the next run; NULL: none */
    const char *preload; /* a library of the build's tests to preload; NULL: none */
    char *variable;      /* of the environment, "NAME=VALUE"; NULL: none */
    char *source;        /* --source of sessions; NULL: none */
    char *argument;      /* of a session's command; NULL: none */
    int stdin_is_empty;  /* on a terminal: stdin is none */
};

/* The demo server of this build. */
const char *ctl_demo_server(void);

/* With servers `desk` (leased, prefix desk_) and `board` (shared, modern, suffix _board,
 * a whitelist). */
void ctl_place_up(struct ctl_place *place);
void ctl_place_down(struct ctl_place *place);

/* ---- to its end -------------------------------------------------------------------- */

struct ctl_run {
    int status; /* of its exit, or 128 + the signal */
    char *out, *err;
};

/* Runs it with the arguments, ended by NULL, in the place's workspace. */
void ctl_run(struct ctl_run *run, struct ctl_place *place, ...) __attribute__((sentinel));
void ctl_status_is(const struct ctl_run *run, int status);
void ctl_run_free(struct ctl_run *run);
/* What it wrote to stdout, as the one JSON document that it has to be. */
json_t *ctl_run_json(const struct ctl_run *run);

/* ---- line by line: the command batch ----------------------------------------------- */

struct ctl_session {
    pid_t pid;
    int in, out;
    char *data; /* read and not used */
    size_t len;
};

void ctl_session_up(struct ctl_session *session, struct ctl_place *place);
/* The same with another command that goes on, such as watch. */
void ctl_session_up_as(struct ctl_session *session, struct ctl_place *place,
                       char *command);
/* Writes a line. */
void ctl_send(struct ctl_session *session, const char *fmt, ...) RIG_PRINTF(2, 3);
/* The next line, read in 10 s at most, for free(); NULL at the end. */
char *ctl_line(struct ctl_session *session);
/* The same as JSON. */
json_t *ctl_next(struct ctl_session *session);
/* The next line that has this string as its `id`; others are passed over. */
json_t *ctl_answer(struct ctl_session *session, const char *id);
/* The next line whose `event` is this. */
json_t *ctl_event(struct ctl_session *session, const char *name);
/* Sends a command and gives its `result`; it must be ok. */
json_t *ctl_ask(struct ctl_session *session, const char *id, const char *members);
/* Closes the input if it is open, reads to the end, gives the exit status. */
int ctl_session_down(struct ctl_session *session);

/* ---- on a terminal ----------------------------------------------------------------- */

struct ctl_terminal {
    pid_t pid;
    int fd;     /* the end that is ours */
    char *data; /* all that it showed */
    size_t len, seen;
};

/* Runs it with the arguments, ended by NULL; its stdin and stderr are a terminal, its
 * stdout is the file `stdout` of the workspace. */
void ctl_terminal_up(struct ctl_terminal *terminal, struct ctl_place *place, ...)
    __attribute__((sentinel));
/* Waits, 10 s at most, until it shows this text behind what was waited for before. */
void ctl_shows(struct ctl_terminal *terminal, const char *text);
void ctl_types(struct ctl_terminal *terminal, const char *text);
/* Waits for `prompt` and types `text`. */
void ctl_replies(struct ctl_terminal *terminal, const char *prompt, const char *text);
/* Waits for its end.  Returns the exit status. */
int ctl_terminal_down(struct ctl_terminal *terminal);

/* ---- JSON -------------------------------------------------------------------------- */

const char *ctl_string(const json_t *object, const char *key); /* "" for null */
long long ctl_int(const json_t *object, const char *key);
/* The element of an array whose member `key` is this string; it must be there. */
json_t *ctl_row(const json_t *array, const char *key, const char *value);
/* The text of a result's first item. */
const char *ctl_said(const json_t *result);
/* The process that said it. */
long ctl_pid(const json_t *result);

#endif
