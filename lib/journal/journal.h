/* SPDX-License-Identifier: MIT
 *
 * journal.h - the room `journal`: what the application is told, as events, and what it
 * may look up, as problems.
 *
 * A journal belongs to one host and has its lifetime.  Rooms above write into it; it
 * knows no servers, sources or dialogs, only their ids.  It runs user code only by
 * deliveries.
 *
 * Threads: an event may be emitted from any thread.  The dispatcher alone changes active
 * problems, under the core's lock, so it reads them without the lock.
 */
#ifndef MCPH_JOURNAL_H
#define MCPH_JOURNAL_H

#include <mcphost/event.h>
#include <mcphost/problem.h>

#include "base/base.h"
#include "loop/loop.h"

/* ---- events (event.c) -------------------------------------------------------------- */

struct mcphost_event {
    struct mcph_refs refs; /* its delivery's, and the application's */
    struct mcph_delivery delivery;
    struct mcph_journal *journal;
    int kind, state;
    int64_t pid;
    uint64_t version, serial, count;
    const char *source; /* NULL: the default source, or none */
    const char *server, *dialog, *uri, *text, *level, *data;
    size_t data_len;
    double progress, total;
    mcphost_call *call;
    mcphost_problem *problem;
    mcphost_config *config;
    mcphost_request *request;
    mcphost_subscription *subscription;
    mcphost_error *error;
    bool aside; /* for taps alone: the application has not asked for it */
};

/* What the owner of a journal does for it.  `owner` is the journal's. */
struct mcph_journal_ops {
    /* As mcph_core_enter(), for a function of the application's. */
    int (*enter)(void *owner);
    /* An event keeps the owner's memory. */
    void (*keep)(void *owner);
    void (*drop)(void *owner);
    /* An event keeps these handles; all of them may be NULL. */
    void (*keep_handles)(const struct mcphost_event *event);
    void (*drop_handles)(const struct mcphost_event *event);
};

/* ---- problems (problem.c) ---------------------------------------------------------- */

/* Problems that are raised anew as a whole, by each reading of a file, say.  Lives with
 * whoever raises them. */
struct mcph_sweep {
    unsigned n;
};

struct mcphost_problem {
    struct mcph_refs refs;
    char *id, *kind, *message, *detail;
    char *source, *server; /* NULL: the default source; none */
    int severity;
    int64_t first;
    _Atomic int64_t last;
    int64_t resolved;               /* when; -1: it is active */
    const struct mcph_sweep *sweep; /* NULL: whoever raised it clears it */
    unsigned sweep_n;               /* in which of them it was raised last */
    size_t place;                   /* in the store's items, while it is active */
};

#define MCPH_PROBLEM_HISTORY 256

struct mcph_problem_store { /* under the core's lock */
    struct mcph_vec items;  /* struct mcphost_problem *, changed by the dispatcher; in no
                             * order: each knows its place */
    struct mcph_map by_id;  /* likewise */
    uint64_t version;
    struct mcph_vec history; /* resolved ones, the latest last */
    struct mcph_map untold;  /* the dispatcher's: problem id -> event on its way */
};

/* ---- taps ------------------------------------------------------------------------- */

/* A part of the library that hears the events before the application does; the
 * dispatcher's. */
struct mcph_tap {
    struct mcph_list link; /* in the journal's */
    /* True: the event was for it, and the application is not told.  May take its own tap
     * out. */
    bool (*heard)(struct mcph_tap *tap, const struct mcphost_event *event);
    /* The host closes: takes its tap out. */
    void (*closing)(struct mcph_tap *tap);
};

/* ---- the journal ------------------------------------------------------------------- */

struct mcph_journal {
    struct mcph_core *core;
    const struct mcph_journal_ops *ops;
    void *owner;
    struct mcph_hook *sink; /* mcphost_event_fn; under the lock */
    bool silent;            /* likewise: no event is made or delivered any more */
    struct mcph_list taps;  /* the dispatcher's */
    atomic_uint n_taps;     /* of these */
    bool over;              /* the dispatcher's: MCPHOST_EVENT_CLOSED is the last one */
    struct mcph_problem_store problems;
    struct mcphost_event *ready, *closed; /* made beforehand: these must not be lost */
};

/* Makes the two.  0, MCPHOST_E_NOMEM. */
int mcph_events_reserve(struct mcph_journal *journal);
/* Those that were never told. */
void mcph_events_done(struct mcph_journal *journal);
/* Any thread; the last one frees. */
void mcph_event_put(struct mcphost_event *event);

/* The dispatcher's. */
void mcph_tap_add(struct mcph_journal *journal, struct mcph_tap *tap);
void mcph_tap_remove(struct mcph_journal *journal,
                     struct mcph_tap *tap); /* twice is fine */
void mcph_taps_close(struct mcph_journal *journal);

/* Queues a copy of `event`, whose strings are copied and whose handles are kept.  One
 * that cannot be allocated is lost and logged.  Returns what was queued, which may be
 * changed until it is delivered, or NULL. */
struct mcphost_event *mcph_emit(struct mcph_journal *journal,
                                const struct mcphost_event *event);
/* Takes `arg` over when it returns 0: events go to `fn` (NULL: nowhere) from now on, and
 * the free function of the one before runs from dispatch.  0, MCPHOST_E_NOMEM, or what
 * `enter` answered. */
int mcph_event_set_sink(struct mcph_journal *journal, mcphost_event_fn fn, void *arg,
                        mcphost_free_fn free_arg);

void mcph_event_drop_sink(struct mcph_journal *journal);

/* What a problem is made of; strings are copied.  `detail` is a JSON object; NULL
 * stands for one with the message as its text.  A problem of another source than the
 * default one has "source/<its id>/" before its id. */
struct mcph_problem_draft {
    const char *id, *kind, *source, *server, *message, *detail;
    int severity;
    const struct mcph_sweep *sweep;
};

/* One that is in no store; NULL: no memory. */
mcphost_problem *mcph_problem_new(const struct mcph_problem_draft *draft);
/* Raises it, or changes the one with this id.  Tells and logs when it is new or
 * looks different.  Short of memory, which a missing id or message means too: logged
 * only. */
void mcph_problem_raise(struct mcph_journal *journal,
                        const struct mcph_problem_draft *draft);
/* `id` NULL: there was no memory for it, and the problem stays. */
void mcph_problem_clear(struct mcph_journal *journal, const char *source, const char *id);
/* Problems of this sweep that are not raised between the two are cleared. */
void mcph_problem_sweep_begin(struct mcph_journal *journal, struct mcph_sweep *sweep);
void mcph_problem_sweep_end(struct mcph_journal *journal, struct mcph_sweep *sweep);
/* All of a server that is no longer declared; `server` NULL: all of the source. */
void mcph_problem_forget_server(struct mcph_journal *journal, const char *source,
                                const char *server);
/* {KEY: VALUE, "errorText": TEXT}, with a NULL value only the text; NULL: no memory. */
char *mcph_problem_detail(const char *key, const char *value, const char *error_text);
/* Removes a resolved one (NULL: all of them) from the history; any thread. */
int mcph_problem_forget(struct mcph_journal *journal, const char *id);
void mcph_problems_done(struct mcph_journal *journal);
/* The application hears of this event now: what comes later is another one. */
void mcph_problem_told(struct mcph_journal *journal, const struct mcphost_event *event);

/* ---- problems of a server (server_problem.c) --------------------------------------- */

/* mcp/tool_call_error/<id>, raised and cleared. */
void mcph_problem_call(struct mcph_journal *journal, const char *source,
                       const char *server, const char *error_text);
void mcph_problem_call_clear(struct mcph_journal *journal, const char *source,
                             const char *server);
/* The last answer of a tool does not fit its output schema; NULL: it does. */
void mcph_problem_result(struct mcph_journal *journal, const char *source,
                         const char *server, const char *tool, const char *text);
/* mcp/server/<id>/server_error. */
void mcph_problem_server(struct mcph_journal *journal, const char *source,
                         const char *server, int severity, mcphost_error *error);
/* mcp/server/<id>/<what>, a warning; `text` is a phrase that goes on after
 * "server 'id': "; NULL: there was no memory for it, which is logged. */
void mcph_problem_odd(struct mcph_journal *journal, const char *source,
                      const char *server, const char *what, const char *text);
/* Clears mcp/server/<id>/<what>. */
void mcph_problem_clear_server(struct mcph_journal *journal, const char *source,
                               const char *server, const char *what);
/* mcp/server/<id>/start_failed: a client of its own for a dialog did not come up; NULL:
 * one did. */
void mcph_problem_client(struct mcph_journal *journal, const char *source,
                         const char *server, const mcphost_error *error);

#endif
