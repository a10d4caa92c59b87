/* SPDX-License-Identifier: MIT
 *
 * journal.h - the room `journal`: events, which tell the application what happens, and
 * problems, which it may look up.
 *
 * A journal belongs to one host and has its lifetime.  The rooms above write into it.  It
 * knows no servers, sources or dialogs, only their ids.  It runs user code only in
 * deliveries.
 *
 * Threads: an event may be emitted from any thread.  Only the dispatcher changes active
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
    struct mcph_refs refs; /* the delivery's, and the application's */
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
    bool aside; /* only taps get it: the application has not asked for it */
};

/* What the owner of a journal does for it.  `owner` is the journal's. */
struct mcph_journal_ops {
    /* As mcph_core_enter(), for a call from the application. */
    int (*enter)(void *owner);
    /* An event keeps the memory of the owner. */
    void (*keep)(void *owner);
    void (*drop)(void *owner);
    /* An event keeps its call, config, request and subscription, each of which may be
     * NULL. */
    void (*keep_handles)(const struct mcphost_event *event);
    void (*drop_handles)(const struct mcphost_event *event);
};

/* ---- problems (problem.c) ---------------------------------------------------------- */

/* A set of problems that are raised anew together, for example by each reading of a file.
 * The room that raises the problems owns it. */
struct mcph_sweep {
    unsigned n;
};

struct mcphost_problem {
    struct mcph_refs refs;
    char *id, *kind, *message, *detail;
    char *source, *server; /* `source` NULL: the default source; `server` NULL: none */
    int severity;
    int64_t first;
    _Atomic int64_t last;
    int64_t resolved;               /* when it was resolved; -1: it is active */
    const struct mcph_sweep *sweep; /* NULL: it is cleared by its id */
    unsigned sweep_n;               /* `n` of the sweep when it was raised last */
    size_t place;                   /* its index in the store's items, while it is
                                     * active */
};

#define MCPH_PROBLEM_HISTORY 256

struct mcph_problem_store { /* under the core's lock */
    struct mcph_vec items;  /* struct mcphost_problem *, changed by the dispatcher; in
                             * no order, but each has its `place` */
    struct mcph_map by_id;  /* the same by their ids, changed likewise */
    uint64_t version;
    struct mcph_vec history; /* resolved problems, the latest last */
    struct mcph_map untold;  /* the dispatcher's: problem id -> event in the queue */
};

/* ---- taps ------------------------------------------------------------------------- */

/* A part of the library that gets each event before the application does.  On the
 * dispatcher. */
struct mcph_tap {
    struct mcph_list link; /* in journal->taps */
    /* True: the event was for this tap, and the application does not get it.  May remove
     * its own tap. */
    bool (*heard)(struct mcph_tap *tap, const struct mcphost_event *event);
    /* The host is closing, and this tap was removed. */
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
    atomic_uint n_taps;     /* how many taps there are */
    bool over;              /* the dispatcher's: MCPHOST_EVENT_CLOSED was delivered */
    struct mcph_problem_store problems;
    struct mcphost_event *ready, *closed; /* made in advance, so that they are not lost */
};

/* Makes the events `ready` and `closed`.  0, MCPHOST_E_NOMEM. */
int mcph_events_reserve(struct mcph_journal *journal);
/* Frees those of the two that were never emitted. */
void mcph_events_done(struct mcph_journal *journal);
/* Drops a reference; the last one frees the event.  Any thread. */
void mcph_event_put(struct mcphost_event *event);

/* Taps, on the dispatcher. */
void mcph_tap_add(struct mcph_journal *journal, struct mcph_tap *tap);
void mcph_tap_remove(struct mcph_journal *journal,
                     struct mcph_tap *tap); /* twice is allowed */
void mcph_taps_close(struct mcph_journal *journal);

/* Queues a copy of `event`: strings are copied, handles are kept.  An event that cannot
 * be allocated is lost, which is logged.  Returns the queued event, which may be changed
 * until it is delivered, or NULL. */
struct mcphost_event *mcph_emit(struct mcph_journal *journal,
                                const struct mcphost_event *event);
/* Sends events to `fn` (NULL: nowhere) from now on, and takes `arg` over, if it returns
 * 0.  The free function of the earlier `arg` runs from dispatch.  0, MCPHOST_E_NOMEM, or
 * the error of `enter`. */
int mcph_event_set_sink(struct mcph_journal *journal, mcphost_event_fn fn, void *arg,
                        mcphost_free_fn free_arg);

void mcph_event_drop_sink(struct mcph_journal *journal);

/* The content of a problem; strings are copied.  `detail` is a JSON object; NULL: an
 * object that has the message as its text.  Outside the default source, "source/<source's
 * id>/" is put before the problem's id. */
struct mcph_problem_draft {
    const char *id, *kind, *source, *server, *message, *detail;
    int severity;
    const struct mcph_sweep *sweep;
};

/* Makes a problem that is in no store.  NULL: no memory. */
mcphost_problem *mcph_problem_new(const struct mcph_problem_draft *draft);
/* Raises a problem, or changes the problem with this id.  A problem that is new or looks
 * different is reported and logged.  If memory is short, which a missing id or message
 * also means, it is only logged. */
void mcph_problem_raise(struct mcph_journal *journal,
                        const struct mcph_problem_draft *draft);
/* Clears a problem.  `id` NULL: there was no memory for the id, and the problem stays. */
void mcph_problem_clear(struct mcph_journal *journal, const char *source, const char *id);
/* The problems of this sweep that are not raised between these two calls are cleared. */
void mcph_problem_sweep_begin(struct mcph_journal *journal, struct mcph_sweep *sweep);
void mcph_problem_sweep_end(struct mcph_journal *journal, struct mcph_sweep *sweep);
/* Clears all problems of a server that is no longer declared; `server` NULL: all problems
 * of the source. */
void mcph_problem_forget_server(struct mcph_journal *journal, const char *source,
                                const char *server);
/* {KEY: VALUE, "errorText": TEXT}; `value` NULL: without KEY.  Returns NULL: no
 * memory. */
char *mcph_problem_detail(const char *key, const char *value, const char *error_text);
/* Removes a resolved problem (NULL: all of them) from the history.  Any thread. */
int mcph_problem_forget(struct mcph_journal *journal, const char *id);
void mcph_problems_done(struct mcph_journal *journal);
/* This event is delivered now: the next change of its problem needs a new event. */
void mcph_problem_told(struct mcph_journal *journal, const struct mcphost_event *event);

/* ---- problems of a server (server_problem.c) --------------------------------------- */

/* Raise and clear mcp/tool_call_error/<id>. */
void mcph_problem_call(struct mcph_journal *journal, const char *source,
                       const char *server, const char *error_text);
void mcph_problem_call_clear(struct mcph_journal *journal, const char *source,
                             const char *server);
/* Raises a problem: the last answer of a tool does not fit its output schema.  `text`
 * NULL: clears it. */
void mcph_problem_result(struct mcph_journal *journal, const char *source,
                         const char *server, const char *tool, const char *text);
/* Raises mcp/server/<id>/server_error. */
void mcph_problem_server(struct mcph_journal *journal, const char *source,
                         const char *server, int severity, mcphost_error *error);
/* Raises mcp/server/<id>/<what>, a warning.  `text` is a phrase that continues "server
 * 'id': ".  NULL: there was no memory for the text, which is logged. */
void mcph_problem_odd(struct mcph_journal *journal, const char *source,
                      const char *server, const char *what, const char *text);
/* Clears mcp/server/<id>/<what>. */
void mcph_problem_clear_server(struct mcph_journal *journal, const char *source,
                               const char *server, const char *what);
/* Raises mcp/server/<id>/start_failed: a client that a dialog needs did not come up.
 * `error` NULL: clears it. */
void mcph_problem_client(struct mcph_journal *journal, const char *source,
                         const char *server, const mcphost_error *error);

#endif
