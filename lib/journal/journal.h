/* SPDX-License-Identifier: MIT
 *
 * journal.h - interface of lib/journal: events for the application, and problems that the
 * application can list.
 *
 * A journal belongs to one host and lives as long as the host.  The other folders
 * of lib/ write into the journal.  The journal knows no servers, sources or dialogs, only
 * their ids.  The journal runs user code only in deliveries.
 *
 * Threads: any thread may emit an event.  Only the dispatcher changes active problems,
 * under the core's lock.  The dispatcher reads active problems without the lock, because
 * no other thread changes them.
 */
#ifndef MCPH_JOURNAL_H
#define MCPH_JOURNAL_H

#include <mcphost/event.h>
#include <mcphost/problem.h>

#include "base/base.h"
#include "loop/loop.h"

/* ---- events (event.c) -------------------------------------------------------------- */

struct mcphost_event {
    struct mcph_refs refs; /* held by the delivery and by the application */
    struct mcph_delivery delivery;
    struct mcph_journal *journal;
    int kind, state;
    int64_t pid;
    uint64_t version, serial, count;
    const char *source; /* NULL for the default source, or if the event has no source */
    const char *server, *dialog, *uri, *text, *level, *data;
    size_t data_len;
    double progress, total;
    mcphost_call *call;
    mcphost_problem *problem;
    mcphost_config *config;
    mcphost_request *request;
    mcphost_subscription *subscription;
    mcphost_error *error;
    bool aside; /* only taps get the event, because the application has not asked for
                 * it */
};

/* The functions that a journal calls.  The owner of the journal sets these functions.
 * `owner` is the owner of the journal. */
struct mcph_journal_ops {
    /* Begins a call from the application, like mcph_core_enter(): takes the core's lock
     * and returns 0, or returns an error. */
    int (*enter)(void *owner);
    /* Add and drop a reference to the owner.  The owner's memory must exist as long as an
     * event exists. */
    void (*keep)(void *owner);
    void (*drop)(void *owner);
    /* Add and drop the event's references to its call, config, request and subscription.
     * Each of these handles may be NULL. */
    void (*keep_handles)(const struct mcphost_event *event);
    void (*drop_handles)(const struct mcphost_event *event);
};

/* ---- problems (problem.c) ---------------------------------------------------------- */

/* A sweep: the problems that one check raises, for example one reading of a file.  `n`
 * counts the calls of mcph_problem_sweep_begin().  The code that raises the problems
 * owns the sweep. */
struct mcph_sweep {
    unsigned n;
};

struct mcphost_problem {
    struct mcph_refs refs;
    char *id, *kind, *message, *detail;
    char *source, *server; /* `source` is NULL for the default source; `server` may be
                            * NULL */
    int severity;
    int64_t first;
    _Atomic int64_t last;
    int64_t resolved;               /* when the problem was resolved (realtime in ms);
                                     * -1 while it is active */
    const struct mcph_sweep *sweep; /* the sweep to which the problem belongs, or NULL */
    unsigned sweep_n;               /* `n` of the sweep when the problem was last
                                     * raised */
    size_t place;                   /* the problem's index in the store's items, while
                                     * the problem is active */
};

#define MCPH_PROBLEM_HISTORY 256

struct mcph_problem_store { /* guarded by the core's lock, except `untold` */
    struct mcph_vec items;  /* active struct mcphost_problem *, in no order; only the
                             * dispatcher changes them */
    struct mcph_map by_id;  /* the problems of `items`, by id */
    uint64_t version;
    struct mcph_vec history; /* resolved problems, the latest last */
    struct mcph_map untold;  /* map from a problem's id to its event that is not
                              * delivered yet; for the dispatcher only */
};

/* ---- taps ------------------------------------------------------------------------- */

/* A part of the library that gets each event of the dispatcher before the application
 * does.  Events that other threads emit do not reach taps.  Taps belong to the
 * dispatcher. */
struct mcph_tap {
    struct mcph_list link; /* in journal->taps */
    /* Handles an event.  Returns true if the event was for this tap.  In this case,
     * neither later taps nor the application get the event.  This function may remove its
     * own tap. */
    bool (*heard)(struct mcph_tap *tap, const struct mcphost_event *event);
    /* Handles the closing of the host.  mcph_taps_close() calls this function after it
     * has removed the tap. */
    void (*closing)(struct mcph_tap *tap);
};

/* ---- the journal ------------------------------------------------------------------- */

struct mcph_journal {
    struct mcph_core *core;
    const struct mcph_journal_ops *ops;
    void *owner;
    struct mcph_hook *sink; /* the application's mcphost_event_fn; guarded by the
                             * lock */
    bool silent;            /* if set, the application gets no events; set under the
                             * lock */
    struct mcph_list taps;  /* for the dispatcher only */
    atomic_uint n_taps;     /* length of `taps`; any thread may read it */
    bool over;              /* MCPHOST_EVENT_CLOSED was delivered; for the dispatcher
                             * only */
    struct mcph_problem_store problems;
    struct mcphost_event *ready, *closed; /* made in advance, so that these events are
                                           * not lost */
};

/* Makes the events `ready` and `closed`.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_events_reserve(struct mcph_journal *journal);
/* Frees the events `ready` and `closed` if they were not queued. */
void mcph_events_done(struct mcph_journal *journal);
/* Drops a reference to the event.  When the last reference is dropped, the event is
 * freed.  Any thread may call this function. */
void mcph_event_put(struct mcphost_event *event);

/* Add and remove taps.  mcph_taps_close() removes all taps and calls their `closing`.
 * Call these functions on the dispatcher. */
void mcph_tap_add(struct mcph_journal *journal, struct mcph_tap *tap);
void mcph_tap_remove(struct mcph_journal *journal,
                     struct mcph_tap *tap); /* may be called twice */
void mcph_taps_close(struct mcph_journal *journal);

/* Offers `event` to the taps, then queues a copy of it for the application.  The events
 * `ready` and `closed` are queued without a copy.  Nothing is queued if a tap takes the
 * event, if `aside` is set, or if no function gets events.  The copy has its own strings
 * and references to the handles.  If memory is short, the function drops the event and
 * logs the loss.  Returns the queued event, or NULL.  The caller may change the queued
 * event until it is delivered. */
struct mcphost_event *mcph_emit(struct mcph_journal *journal,
                                const struct mcphost_event *event);
/* Makes `fn` the function that gets the events.  `fn` gets all events that are
 * delivered from now on, including events that are queued already.  If `fn` is NULL, no
 * function gets events.  Takes ownership of `arg` on success only.  The free function
 * of the earlier `arg` runs from dispatch.  Returns 0, MCPHOST_E_NOMEM, or the error of
 * `enter`. */
int mcph_event_set_sink(struct mcph_journal *journal, mcphost_event_fn fn, void *arg,
                        mcphost_free_fn free_arg);

void mcph_event_drop_sink(struct mcph_journal *journal);

/* The content of a new problem.  Strings are copied.  `detail` is a JSON object.  If
 * `detail` is NULL, the problem gets an object whose member "text" is the message.  If
 * `source` is not NULL, "source/<source>/" is put before the problem's id. */
struct mcph_problem_draft {
    const char *id, *kind, *source, *server, *message, *detail;
    int severity;
    const struct mcph_sweep *sweep;
};

/* Makes a problem that is in no store.  Returns NULL if memory is short, or if the draft
 * has no id or message. */
mcphost_problem *mcph_problem_new(const struct mcph_problem_draft *draft);
/* Raises a problem, in place of the active problem with the same id.  If the problem is
 * new or has changed, reports and logs the problem.  If memory is short, only logs the
 * problem.  A draft without id or message counts as a lack of memory. */
void mcph_problem_raise(struct mcph_journal *journal,
                        const struct mcph_problem_draft *draft);
/* Resolves the active problem with this id, if the store has this problem.  A NULL `id`
 * means that there was no memory for the id.  In this case, the problem stays. */
void mcph_problem_clear(struct mcph_journal *journal, const char *source, const char *id);
/* Begin and end a sweep.  mcph_problem_sweep_end() clears the problems of the sweep that
 * were not raised since mcph_problem_sweep_begin(). */
void mcph_problem_sweep_begin(struct mcph_journal *journal, struct mcph_sweep *sweep);
void mcph_problem_sweep_end(struct mcph_journal *journal, struct mcph_sweep *sweep);
/* Clears all problems of a server that is no longer declared.  If `server` is NULL,
 * clears all problems of the source. */
void mcph_problem_forget_server(struct mcph_journal *journal, const char *source,
                                const char *server);
/* Makes the JSON object {KEY: VALUE, "errorText": TEXT}, without KEY if `value` is NULL.
 * Returns NULL if memory is short. */
char *mcph_problem_detail(const char *key, const char *value, const char *error_text);
/* Removes a resolved problem from the history or, if `id` is NULL, all resolved problems.
 * Any thread may call this function.  Returns 0, MCPHOST_E_STATE if the problem is active
 * and not in the history, MCPHOST_E_NOTFOUND, or the error of
 * mcph_core_enter_closed(). */
int mcph_problem_forget(struct mcph_journal *journal, const char *id);
void mcph_problems_done(struct mcph_journal *journal);
/* Records that this event is being delivered.  The next change of its problem then
 * makes a new event. */
void mcph_problem_told(struct mcph_journal *journal, const struct mcphost_event *event);

/* ---- problems of a server (server_problem.c) --------------------------------------- */

/* Raise and clear mcp/tool_call_error/<id>, the problem that a call to the server
 * failed. */
void mcph_problem_call(struct mcph_journal *journal, const char *source,
                       const char *server, const char *error_text);
void mcph_problem_call_clear(struct mcph_journal *journal, const char *source,
                             const char *server);
/* Raises the problem that the last answer of a tool does not fit the tool's output
 * schema.  If `text` is NULL, clears the problem. */
void mcph_problem_result(struct mcph_journal *journal, const char *source,
                         const char *server, const char *tool, const char *text);
/* Raises mcp/server/<id>/server_error with the text of `error`. */
void mcph_problem_server(struct mcph_journal *journal, const char *source,
                         const char *server, int severity, mcphost_error *error);
/* Raises mcp/server/<id>/<what>, a warning.  `text` is a phrase that continues "server
 * 'id': ".  A NULL `text` means that there was no memory for the text.  In this case, the
 * function only logs the lack of memory. */
void mcph_problem_odd(struct mcph_journal *journal, const char *source,
                      const char *server, const char *what, const char *text);
/* Clears mcp/server/<id>/<what>. */
void mcph_problem_clear_server(struct mcph_journal *journal, const char *source,
                               const char *server, const char *what);
/* Raises mcp/server/<id>/start_failed: a client that a dialog needs did not start.  If
 * `error` is NULL, clears the problem. */
void mcph_problem_client(struct mcph_journal *journal, const char *source,
                         const char *server, const mcphost_error *error);

#endif
