/* SPDX-License-Identifier: MIT
 *
 * fake.h - declarations that the files of the fake server share.
 *
 * fakeserver.c describes the language of the server's script.
 */
#ifndef TESTS_SUPPORT_FAKESERVER_FAKE_H
#define TESTS_SUPPORT_FAKESERVER_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

struct fake_action {
    int verb;
    long n;     /* the number after the verb */
    char *text; /* the text after the verb and the number */
    struct fake_action *next;
};

struct fake_block {
    char *event;
    int nth; /* number of the occurrence that starts the block; 0 means any */
    struct fake_action *first, **last;
    struct fake_block *next;
};

struct fake_seen {
    char *event;
    int n;
    struct fake_seen *next;
};

enum {
    FAKE_TOOLS,
    FAKE_RESOURCES,
    FAKE_TEMPLATES,
    FAKE_PROMPTS,
    FAKE_SKILLS,
    FAKE_KINDS
};

struct fake_list {
    char **entries; /* the JSON of each entry */
    size_t n, cap;
};

struct fake_set {
    char *name;
    struct fake_list lists[FAKE_KINDS];
    struct fake_set *next;
};

/* The method that lists a kind of entries, the capability that the list needs, and the
 * array in the answer. */
struct fake_kind {
    const char *method, *capability, *array;
};

extern const struct fake_kind fake_kinds[FAKE_KINDS];

/* One execution of a block, for a message or for an event without a message.  `id` is
 * NULL unless the message is a request. */
struct fake_run {
    const struct fake_action *next;
    char *id, *token, *args, *method;
    char *awaits, *reply; /* `awaits`: the id of the server's request; `reply`: the
                           * client's answer */
    json_t *message;
    int nth, asked;
    bool modern, id_last, dropped;
    void *peer;              /* the exchange of the message; NULL over stdio */
    struct fake_action *own; /* actions that only this run has */
    int64_t due;
    struct fake_run *link;
};

struct fake;

/* A front is the set of functions of a server that carries messages in another way than
 * stdio (fakehttp.c). */
struct fake_front {
    /* These two functions send a whole message without its newline.  `run` is the run
     * that the message belongs to, or NULL. */
    void (*answer)(struct fake *fake, struct fake_run *run, const char *text, size_t len);
    void (*method)(struct fake *fake, struct fake_run *run, const char *text, size_t len);
    /* Sends a notification to every client stream that wants it.  `params` is an object
     * that begins with "{" and lacks its last "}".  `uri` is the changed resource, or
     * NULL.  A modern stream gets a change of a resource only if it has subscribed to the
     * resource. */
    void (*tell)(struct fake *fake, const char *method, const char *params,
                 const char *uri);
    void (*raw)(struct fake *fake, struct fake_run *run, const char *data, size_t len);
    /* Carries out an action that only this front has. */
    void (*act)(struct fake *fake, struct fake_run *run, const struct fake_action *action,
                char *text);
    /* Answers a call of a tool that only this front has.  Returns false if the tool is
     * unknown.  May be NULL. */
    bool (*call)(struct fake *fake, struct fake_run *run, const char *tool);
    /* Reads a directive that only this front has.  Returns false if the directive is
     * unknown. */
    bool (*directive)(struct fake *fake, const char *key, char *value);
    /* Returns true if a request id in a message from `peer` can mean this run.  Request
     * ids are unique only within a session. */
    bool (*knows)(struct fake *fake, const void *peer, const struct fake_run *run);
    /* Handles the end of a run, before run.c frees the run.  The run has carried out its
     * last action, or fake_drop_runs() drops the run. */
    void (*ended)(struct fake *fake, struct fake_run *run);
};

struct fake {
    const struct fake_front *front; /* NULL means stdio */
    void *front_data;
    struct fake_run *current; /* the run whose actions are being carried out */
    char *name, *version, *capabilities, *instructions, *trace, *hints;
    json_t *modern_versions;
    bool no_legacy, no_modern;
    bool ignore_eof, ignore_term, ignore_cancel;
    bool cursor_repeat, cursor_endless, cursor_empty;
    size_t page_size, chunk;
    struct fake_set *sets, *set; /* `set`: the set that the script lines describe; after
                                  * the script is read, the set in use */
    struct fake_block *blocks, *block;
    struct fake_seen *seen;

    bool eof, eof_told, initialized;
    char *listen_id;
    struct fake_run *runs; /* runs that wait to continue */
    int n_requests;        /* number of requests that the server has sent */
    long last_child;
};

/* script.c: the script */
void fake_script_init(struct fake *fake);
void fake_script_file(struct fake *fake, const char *path);
void fake_script_line(struct fake *fake, const char *line, const char *file, int n);
bool fake_has_block(const struct fake *fake, const char *event);
const struct fake_block *fake_find_block(const struct fake *fake, const char *event,
                                         int nth);
struct fake_set *fake_find_set(struct fake *fake, const char *name);
/* Makes actions from lines that are separated by newlines. */
struct fake_action *fake_parse_actions(const char *lines);
void fake_free_actions(struct fake_action *action);

enum fake_verb {
    V_ANSWER,
    V_RESULT,
    V_ERROR,
    V_TEXT,
    V_TEXT_BYTES,
    V_DEEP,
    V_ID,
    V_ID_STRING,
    V_ID_LAST,
    V_RAW,
    V_LINE,
    V_FILL,
    V_LINES,
    V_STDERR,
    V_STDERR_FILL,
    V_PROGRESS,
    V_NOTIFY,
    V_REQUEST,
    V_LOG,
    V_USE,
    V_CHANGED,
    V_UPDATED,
    V_UPDATES,
    V_DELAY,
    V_SLEEP,
    V_CLOSE,
    V_CHILD,
    V_DAEMON,
    V_ONCE,
    V_EXIT,
    V_CRASH,
    V_HANG,
    V_ASK,
    V_FRONT, /* the front (fakehttp.c) carries out the verbs below */
    V_STATUS = V_FRONT,
    V_HEADER,
    V_HEADER_FILL,
    V_BODY,
    V_FILE,
    V_LENGTH,
    V_WIRE,
    V_STREAM,
    V_EVENT,
    V_COMMENT,
    V_ENDLESS,
    V_END,
    V_CUT,
    V_RESET,
    V_TO,
    V_FORGET
};

/* run.c: events and actions */
void fake_receive(struct fake *fake, char *line, size_t len);
/* Handles a message as fake_receive() does.  Makes `peer` the peer of the message's
 * run. */
void fake_receive_from(struct fake *fake, char *line, size_t len, void *peer);
void fake_event(struct fake *fake, const char *event, json_t *message);
void fake_event_from(struct fake *fake, const char *event, json_t *message, void *peer);
/* Starts a run of `peer` that carries out these lines. */
void fake_act_from(struct fake *fake, const char *lines, void *peer);
/* Continues the runs whose delay is over.  Returns the milliseconds until the next delay
 * is over, or -1 if no run is delayed. */
int64_t fake_run_due(struct fake *fake);
/* Drops the runs that the request id `id` in a message from `peer` can mean.  If `id` is
 * NULL, any id matches.  If `peer` is NULL, the runs of all peers match. */
void fake_drop_runs(struct fake *fake, const char *id, const void *peer);
void fake_drop_runs_of(struct fake *fake, const void *peer);

/* answers.c: the default answers */
void fake_answer(struct fake *fake, struct fake_run *run);

/* wire.c: bytes */
void *fake_alloc(void *old, size_t size); /* exits if there is no memory */
void fake_write(struct fake *fake, const char *data, size_t len);
void fake_fill(struct fake *fake, int fd, size_t n, const char *pattern);
void fake_trace(const struct fake *fake, const char *what, const char *text);
/* Returns the text with %i and the other percent escapes replaced.  The caller frees the
 * result. */
char *fake_expand(const struct fake *fake, const struct fake_run *run, const char *text);
char *fake_unescape(char *text, size_t *ret_len); /* decodes the escapes in place */
void fake_quote(FILE *out, const char *text);
/* Sends {"jsonrpc":"2.0","id":ID,KEY:BODY} and a newline.  With `id-last` in the script,
 * the id is the last member.  Sends nothing if the run has no id. */
void fake_send_answer(struct fake *fake, struct fake_run *run, const char *key,
                      const char *body);
void fake_send_text(struct fake *fake, struct fake_run *run, const char *text,
                    bool is_error);
void fake_send_text_bytes(struct fake *fake, struct fake_run *run, size_t n);
void fake_send_error(struct fake *fake, struct fake_run *run, long code,
                     const char *message);
/* Sends a notification, or a request if `id` is not NULL.  `params` is JSON, or NULL. */
void fake_send_method(struct fake *fake, const char *id, const char *method,
                      const char *params);

#endif
