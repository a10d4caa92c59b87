/* SPDX-License-Identifier: MIT
 *
 * batch.h - what the parts of the command batch share.
 *
 *   a line of input -> an operation -> an answer, at once or when it is ready
 *   an event of the host -> a line of output
 */
#ifndef CTL_BATCH_H
#define CTL_BATCH_H

#include <jansson.h>

#include "ctl.h"

/* A command as it was read.  Everything is borrowed from the line. */
struct command_line {
    const char *line;
    size_t len;
    json_t *root;
    const char *id; /* as it was written; NULL: none */
    size_t id_len;
};

/* An answer that is still to come. */
struct pending {
    int due;
    char *id;
    size_t id_len;
};

struct open_dialog {
    struct open_dialog *next;
    mcphost_dialog *dialog;
    char *member;            /* of the team; NULL: nobody */
    mcphost_chatos_run *run; /* what was injected into its own view; NULL: nothing */
    mcphost_source *source;  /* a sub-agent's own; or NULL */
};

struct open_turn {
    struct open_turn *next;
    mcphost_turn *turn;
    char *dialog; /* whose it is; NULL: of a view */
    char id[];
};

struct batch {
    struct ctl *ctl;
    struct text in, out;
    size_t scanned; /* of `in`: no line break before it */
    size_t written; /* of `out` */
    int skipping;   /* inside a line that is too long */
    int eof;        /* of the input */
    int broken;     /* nobody reads what we write */
    int ending;     /* the host was told to close */
    struct pending wait, reload, quit;
    int64_t wait_end; /* -1: none */
    int64_t reload_end;
    struct source *reload_of; /* NULL: the default one */
    size_t n_calls;           /* not answered yet */
    struct call_id *calls;
    size_t lost; /* events left out since the last that was not */
    struct open_dialog *dialogs;
    struct open_turn *turns; /* the newest first */
    int has_team;
    struct open_request *requests; /* of servers, to be answered by lines */
    int64_t last_request;          /* the number of the newest */
};

/* What a call carries with it; those that are not over are in batch.calls. */
struct call_id {
    struct batch *batch;
    int what; /* of batch_calls.c */
    struct call_id *next;
    mcphost_call *call;     /* a reference */
    mcphost_dialog *dialog; /* likewise, with `save` */
    char *save;             /* the directory of its files, or NULL */
    size_t len;
    char id[];
};

/* ---- answers ----------------------------------------------------------------------- */

/* A result is JSON; a refusal is an error of the library's, or else a code and a
 * message (NULL: the code's own). */
void batch_answer(struct batch *b, const char *id, size_t id_len, const char *result,
                  size_t len);
void batch_refuse(struct batch *b, const char *id, size_t id_len, int code,
                  const char *message);
void batch_refuse_error(struct batch *b, const char *id, size_t id_len, int code,
                        const mcphost_error *err);

/* Whether output has piled up so that events which can be spared are left out. */
int batch_is_flooded(const struct batch *b);

/* ---- the parts --------------------------------------------------------------------- */

/* batch_line.c: carries out one line. */
void batch_line(struct batch *b, const char *data, size_t len);

/* batch_ops.c: what a line can ask for; the last has no name. */
struct batch_operation {
    const char *name;
    void (*run)(struct batch *b, const struct command_line *line);
};
extern const struct batch_operation batch_operations[];
/* Of a line: a string, or NULL; milliseconds, or -1. */
const char *batch_get_string(const struct command_line *line, const char *key);
int64_t batch_get_ms(const struct command_line *line);
/* Refuses a line; answers it with what was written into `t`, which is freed; or with
 * {KEY: true or false}. */
void batch_refuse_line(struct batch *b, const struct command_line *line, int code,
                       const char *message);
void batch_answer_text(struct batch *b, const struct command_line *line, struct text *t);
void batch_answer_flag(struct batch *b, const struct command_line *line, const char *key,
                       int value);
/* Answers the operation wait when it is time.  Returns the ms until then, -1: none. */
int64_t batch_check_wait(struct batch *b);
/* Keeps the id of a line that is answered later. */
void batch_put_off(struct batch *b, const struct command_line *line,
                   struct pending *pending);

/* batch_calls.c: operations. */
void batch_call(struct batch *b, const struct command_line *line);
void batch_read(struct batch *b, const struct command_line *line);
void batch_prompt(struct batch *b, const struct command_line *line);
void batch_complete(struct batch *b, const struct command_line *line);
void batch_task(struct batch *b, const struct command_line *line);
void batch_subscribe(struct batch *b, const struct command_line *line);
void batch_cancel(struct batch *b, const struct command_line *line);

/* batch_dialogs.c: where the dialog of a line is, or is to be; the dialog itself, opened
 * if it is not; the catalog that the line means.  `ret_message` gets better words for
 * the code, if there are any. */
struct open_dialog **batch_find_dialog(struct batch *b, const struct command_line *line);
int batch_open_dialog(struct batch *b, const struct command_line *line,
                      mcphost_dialog **ret_dialog, const char **ret_message,
                      mcphost_error **reterr);
int batch_get_catalog(struct batch *b, const struct command_line *line,
                      mcphost_catalog **ret_catalog, const char **ret_message);
/* Keeps a dialog that is open, and what its view has for it alone: a run, or a source,
 * which is removed with it (each may be NULL).  All are taken over.  0 or
 * MCPHOST_E_NOMEM. */
int batch_keep_dialog(struct batch *b, mcphost_dialog *dialog, mcphost_chatos_run *run,
                      mcphost_source *source);
void batch_drop_dialog(struct batch *b, struct open_dialog **at);
void batch_free_dialogs(struct batch *b);
void batch_team(struct batch *b, const struct command_line *line);
/* What was granted and is not there, as an array. */
void batch_put_missing(struct text *t, const mcphost_catalog *catalog);

/* The view of a member of the team; NULL: the host's own. */
int batch_get_view(struct batch *b, const char *member, mcphost_view **ret_view,
                   const char **ret_message);

/* batch_turns.c: operations.  batch_find_turn() gives the turn that a line names or, if
 * it names no turn, the newest turn of its dialog; *ret NULL: the dialog has no turn.  It
 * returns 0 or MCPHOST_E_NOTFOUND.  batch_get_dialog() gives the dialog that a line names
 * or that of --dialog.  batch_end_turns() ends the turns of a dialog; NULL: all turns. */
void batch_turn_begin(struct batch *b, const struct command_line *line);
void batch_turn_end(struct batch *b, const struct command_line *line);
void batch_invalidate(struct batch *b, const struct command_line *line);
int batch_find_turn(struct batch *b, const struct command_line *line,
                    struct open_turn **ret, const char **ret_message);
const char *batch_get_dialog(struct batch *b, const struct command_line *line);
void batch_end_turns(struct batch *b, const char *dialog);
/* The call of a tool of the turn's catalog. */
int batch_call_in_turn(const struct open_turn *turn, mcphost_dialog *dialog,
                       const char *tool, const char *arguments, size_t len,
                       mcphost_call **ret, const char **ret_message,
                       mcphost_error **reterr);

/* batch_sources.c: operations. */
void batch_source_add(struct batch *b, const struct command_line *line);
void batch_source_remove(struct batch *b, const struct command_line *line);

/* batch_apps.c: operations. */
void batch_apps(struct batch *b, const struct command_line *line);
void batch_inject(struct batch *b, const struct command_line *line);

/* batch_subagent.c: an operation. */
void batch_subagent(struct batch *b, const struct command_line *line);

/* batch_live.c: operations, the deadline of what reads the file (as
 * batch_check_wait()), the members that tell what a reading changed, and the answer
 * that waited for it. */
void batch_reload(struct batch *b, const struct command_line *line);
void batch_restart(struct batch *b, const struct command_line *line);
void batch_enable(struct batch *b, const struct command_line *line);
void batch_disable(struct batch *b, const struct command_line *line);
int64_t batch_check_reload(struct batch *b);
void batch_put_reading(struct batch *b, struct text *t, const mcphost_event *event);
void batch_answer_reload(struct batch *b, const mcphost_event *event);

/* batch_requests.c: what servers ask: the event, the operation, the end of all.  Whether
 * a line is an answer, which need not wait for what holds back the others. */
void batch_request(struct batch *b, const mcphost_event *event);
void batch_answer_request(struct batch *b, const struct command_line *line);
void batch_cancel_requests(struct batch *b);
int batch_is_answer(const char *line, size_t len);

/* batch_events.c: writes an event as a line. */
void batch_event(struct ctl *ctl, const mcphost_event *event);

#endif
