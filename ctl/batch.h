/* SPDX-License-Identifier: MIT
 *
 * batch.h - the interfaces between the parts of the command `batch`.
 *
 *   a line of input -> an operation -> an answer, at once or later
 *   an event of the host -> a line of output
 */
#ifndef CTL_BATCH_H
#define CTL_BATCH_H

#include <jansson.h>

#include "ctl.h"

/* A parsed command.  Its memory lives only until the operation returns. */
struct command_line {
    const char *line;
    size_t len;
    json_t *root;
    const char *id; /* the id as written in the line, or NULL */
    size_t id_len;
};

/* The answer to a line, if the answer is sent later.  `due` is true until it is sent. */
struct pending {
    int due;
    char *id;
    size_t id_len;
};

struct open_dialog {
    struct open_dialog *next;
    mcphost_dialog *dialog;
    char *member;            /* the member of the team that has the dialog, or NULL */
    mcphost_chatos_run *run; /* the ChatOS run in the dialog's own view, or NULL */
    mcphost_source *source;  /* a sub-agent's own source, or NULL */
};

struct open_turn {
    struct open_turn *next;
    mcphost_turn *turn;
    char *dialog; /* NULL if the turn belongs to a view */
    char id[];
};

struct batch {
    struct ctl *ctl;
    struct text in, out;
    size_t scanned; /* number of bytes of `in` that were searched and hold no line
                     * break */
    size_t written; /* number of bytes of `out` that were written */
    int skipping;   /* a line that is too long has begun and not ended */
    int eof;        /* the input has ended */
    int broken;     /* stdout cannot be written, or memory is short */
    int ending;     /* the host is being closed */
    struct pending wait, reload, quit;
    int64_t wait_end; /* the deadline of `wait` in ms, or -1 for none */
    int64_t reload_end;
    struct source *reload_of; /* the source to read again; NULL: the default source */
    size_t n_calls;           /* calls that are not answered yet */
    struct call_id *calls;
    size_t lost; /* the number of events left out since the last log event */
    struct open_dialog *dialogs;
    struct open_turn *turns; /* the open turns, newest first */
    int has_team;
    struct open_request *requests; /* requests that lines of the input can answer */
    int64_t last_request;          /* the number of the newest request */
};

/* The context of a call.  Calls that are not over yet are in batch.calls. */
struct call_id {
    struct batch *batch;
    int what; /* the kind of the call: A_* of batch_calls.c */
    struct call_id *next;
    mcphost_call *call;     /* a reference */
    mcphost_dialog *dialog; /* a reference if `save` is set, else NULL */
    char *save;             /* the directory for the call's files, or NULL */
    size_t len;
    char id[];
};

/* ---- answers ----------------------------------------------------------------------- */

/* Queue an answer.  `result` is JSON.  A refusal has a code and a message, or an error
 * object of the library.  If the message is NULL, mcphost_strerror() gives the
 * message. */
void batch_answer(struct batch *b, const char *id, size_t id_len, const char *result,
                  size_t len);
void batch_refuse(struct batch *b, const char *id, size_t id_len, int code,
                  const char *message);
void batch_refuse_error(struct batch *b, const char *id, size_t id_len, int code,
                        const mcphost_error *err);

/* Returns true if so much output is queued that log and progress events are left out. */
int batch_is_flooded(const struct batch *b);

/* ---- the parts --------------------------------------------------------------------- */

/* Carries out one line (batch_line.c). */
void batch_line(struct batch *b, const char *data, size_t len);

/* An operation that a line can name (batch_ops.c).  The last row of the table has no
 * name. */
struct batch_operation {
    const char *name;
    void (*run)(struct batch *b, const struct command_line *line);
};
extern const struct batch_operation batch_operations[];
/* batch_get_string() returns a member of a line, or NULL if the line lacks the member.
 * batch_get_ms() returns the member `ms` of a line, or -1. */
const char *batch_get_string(const struct command_line *line, const char *key);
int64_t batch_get_ms(const struct command_line *line);
/* Answer a line.  batch_refuse_line() sends a refusal, batch_answer_text() sends the
 * result in `t`, and batch_answer_flag() sends {KEY: true or false}.  batch_answer_text()
 * frees the contents of `t`. */
void batch_refuse_line(struct batch *b, const struct command_line *line, int code,
                       const char *message);
void batch_answer_text(struct batch *b, const struct command_line *line, struct text *t);
void batch_answer_flag(struct batch *b, const struct command_line *line, const char *key,
                       int value);
/* Answers the operation `wait` if the servers that it waits for are ready and the calls
 * have ended, if its time is over, or if the batch is ending.  Returns the ms after which
 * the loop must call batch_check_wait() again, 0 if it has answered the operation, or -1
 * if the operation is not due or has no deadline. */
int64_t batch_check_wait(struct batch *b);
/* Stores the id of a line that is answered later. */
void batch_put_off(struct batch *b, const struct command_line *line,
                   struct pending *pending);

/* Carry out the operations that make or cancel calls, and the operation `subscribe`
 * (batch_calls.c). */
void batch_call(struct batch *b, const struct command_line *line);
void batch_read(struct batch *b, const struct command_line *line);
void batch_prompt(struct batch *b, const struct command_line *line);
void batch_complete(struct batch *b, const struct command_line *line);
void batch_task(struct batch *b, const struct command_line *line);
void batch_subscribe(struct batch *b, const struct command_line *line);
void batch_cancel(struct batch *b, const struct command_line *line);

/* Handle dialogs (batch_dialogs.c).  batch_find_dialog() returns the link to the dialog
 * of a line, or the link at the end of the list.  batch_open_dialog() opens the dialog of
 * a line if the dialog is not open.  batch_get_catalog() gives the catalog that a line
 * refers to.  On failure, batch_open_dialog() and batch_get_catalog() set *ret_message if
 * they have a better message than mcphost_strerror() gives. */
struct open_dialog **batch_find_dialog(struct batch *b, const struct command_line *line);
int batch_open_dialog(struct batch *b, const struct command_line *line,
                      mcphost_dialog **ret_dialog, const char **ret_message,
                      mcphost_error **reterr);
int batch_get_catalog(struct batch *b, const struct command_line *line,
                      mcphost_catalog **ret_catalog, const char **ret_message);
/* Stores an open dialog together with a run or a source that belongs to the dialog's view
 * alone.  `run` and `source` may be NULL.  The source is removed when the dialog is
 * closed.  Takes over all references, also on failure.  Returns 0 or MCPHOST_E_NOMEM. */
int batch_keep_dialog(struct batch *b, mcphost_dialog *dialog, mcphost_chatos_run *run,
                      mcphost_source *source);
void batch_drop_dialog(struct batch *b, struct open_dialog **at);
void batch_free_dialogs(struct batch *b);
void batch_team(struct batch *b, const struct command_line *line);
/* Answers a line that has requested a reading of the team file.  The answer has the
 * problems of this file. */
void batch_answer_team(struct batch *b, const struct command_line *line);
/* Writes an array of the toolsets and tools that are granted but not in the catalog. */
void batch_put_missing(struct text *t, const mcphost_catalog *catalog);

/* Gives the view of a member of the team, or the default view if `member` is NULL. */
int batch_get_view(struct batch *b, const char *member, mcphost_view **ret_view,
                   const char **ret_message);

/* Carry out the operations on turns, and find turns (batch_turns.c).  batch_find_turn()
 * gives the turn that a line names or, if the line names no turn, the newest turn of the
 * line's dialog.  *ret is NULL if the dialog has no turn.  batch_find_turn() returns 0 or
 * MCPHOST_E_NOTFOUND.  batch_get_dialog() returns the dialog that a line names, the
 * dialog of the line's turn, or the dialog of --dialog.  batch_end_turns() ends the turns
 * of a dialog, or all turns if `dialog` is NULL. */
void batch_turn_begin(struct batch *b, const struct command_line *line);
void batch_turn_end(struct batch *b, const struct command_line *line);
void batch_invalidate(struct batch *b, const struct command_line *line);
int batch_find_turn(struct batch *b, const struct command_line *line,
                    struct open_turn **ret, const char **ret_message);
const char *batch_get_dialog(struct batch *b, const struct command_line *line);
void batch_end_turns(struct batch *b, const char *dialog);
/* Makes a call of a tool of the turn's catalog. */
int batch_call_in_turn(const struct open_turn *turn, mcphost_dialog *dialog,
                       const char *tool, const char *arguments, size_t len,
                       mcphost_call **ret, const char **ret_message,
                       mcphost_error **reterr);

/* Carry out the operations that add and remove sources (batch_sources.c). */
void batch_source_add(struct batch *b, const struct command_line *line);
void batch_source_remove(struct batch *b, const struct command_line *line);

/* Carry out the operations on apps of ChatOS plugins (batch_apps.c). */
void batch_apps(struct batch *b, const struct command_line *line);
void batch_inject(struct batch *b, const struct command_line *line);

/* Carries out the operation that opens a sub-agent's dialog (batch_subagent.c). */
void batch_subagent(struct batch *b, const struct command_line *line);

/* Carry out the operations that change which servers run (batch_live.c).
 * A reading is the host's next reading of its file, which the operation has requested.
 * batch_check_reload() refuses the operation that waits for a reading if the reading
 * takes too long or the batch is ending.  batch_check_reload() returns the ms after which
 * the loop must call it again, 0 if it has refused the operation, or -1 if no operation
 * waits for a reading.  batch_put_reading() writes the members that report the changes of
 * a reading.  batch_answer_reload() answers the operation that waits for the reading. */
void batch_reload(struct batch *b, const struct command_line *line);
void batch_restart(struct batch *b, const struct command_line *line);
void batch_enable(struct batch *b, const struct command_line *line);
void batch_disable(struct batch *b, const struct command_line *line);
int64_t batch_check_reload(struct batch *b);
void batch_put_reading(struct batch *b, struct text *t, const mcphost_event *event);
void batch_answer_reload(struct batch *b, const mcphost_event *event);

/* Handle requests of servers (batch_requests.c).  batch_request() handles the event of a
 * request.  batch_answer_request() is the operation that answers a request.
 * batch_cancel_requests() cancels all requests.  batch_is_answer() returns true for a
 * line with the operation `answer`.  `wait` does not hold back these lines. */
void batch_request(struct batch *b, const mcphost_event *event);
void batch_answer_request(struct batch *b, const struct command_line *line);
void batch_cancel_requests(struct batch *b);
int batch_is_answer(const char *line, size_t len);

/* Writes an event as a line (batch_events.c). */
void batch_event(struct ctl *ctl, const mcphost_event *event);

#endif
