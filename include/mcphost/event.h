/* SPDX-License-Identifier: MIT
 *
 * event.h - what happened, told to one function of the application.
 */
#ifndef MCPHOST_EVENT_H
#define MCPHOST_EVENT_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of events.  Skip those you do not know: there will be more.
 * Since: 0.1 */
enum mcphost_event_kind {
    MCPHOST_EVENT_READY = 1,    /* all servers of all sources came up or failed: once in
                                 * a host's life */
    MCPHOST_EVENT_CATALOG = 2,  /* a view has a new catalog: version, text (the name of a
                                 * view other than the default view, NULL for that); with
                                 * a dialog: that dialog alone sees another catalog now */
    MCPHOST_EVENT_SERVER = 3,   /* a server's state changed: server, state (0: it was
                                 * removed), error */
    MCPHOST_EVENT_INSTANCE = 4, /* an instance started, is ready, or ended: server, dialog
                                 * (NULL: shared or listing), pid, state, error */
    MCPHOST_EVENT_LEASE = 5,    /* a lease began or ended: server, dialog (NULL: shared),
                                 * state 1 or 0 */
    MCPHOST_EVENT_REMINDER =
        6, /* to be kept in the dialog's context while the lease lasts:
                                 * server, dialog, text; state 0 withdraws it */
    MCPHOST_EVENT_PROBLEM =
        7,                 /* a problem began, changed or ended: problem, state 1 or 0 */
    MCPHOST_EVENT_LOG = 8, /* a server's log line: server, text (a line of stderr), or
                                 * level and data (a log message of the protocol) */
    MCPHOST_EVENT_PROGRESS = 9, /* call, progress, total, text */
    MCPHOST_EVENT_CLOSED = 10,  /* the host has ended: the last event */
    MCPHOST_EVENT_CONFIG = 11, /* a configuration was read: config; state 0: it is applied
                                * now, below 0: rejected as a whole; text: why it was
                                * read, "loaded", "changed", "reload", "edited" (by
                                * the host itself) or "removed" (with its source) */
    MCPHOST_EVENT_SETTLED = 14, /* everything that was ordered up to serial has had its
                                 * attempt: what mcphost_wait_ready() waits for */
    MCPHOST_EVENT_SOURCE = 13,  /* a source was removed and its last server has ended */
    MCPHOST_EVENT_SUBSCRIPTION = 15, /* a server tells of the changes of a resource from
                                      * now on: subscription, uri, server, dialog, state
                                      * 1; or the subscription is over: state 0, error */
    MCPHOST_EVENT_UPDATED = 16,      /* a resource has changed: subscription, uri, server,
                                 * dialog, count */
    MCPHOST_EVENT_TASK =
        17, /* a server goes on with a call as a task, or the task's status
                              * is another one: call, server, dialog, state
                              * (MCPHOST_TASK_*), text: what the server says of it */
    MCPHOST_EVENT_SERVING = 18, /* a client of a view that is served: dialog, state 1: it
                                 * has introduced itself, 0: it is gone, error */
    MCPHOST_EVENT_PLUGINS = 19, /* what mcphost_plugins_wait() waits for */
    MCPHOST_EVENT_REQUEST = 12  /* a server asks: request, server, dialog, call, state 1;
                                * it need not be answered any more: state 0, text: why */
};

/*
 * mcphost_event_fn - receives every event.
 *
 * Runs from dispatch with no library lock held and may call the library.  The
 * event is valid during the call, and longer if mcphost_event_ref() takes a
 * reference.  Since: 0.1
 */
typedef void (*mcphost_event_fn)(const mcphost_event *event, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_event - set the function; NULL: none.
 *
 * Takes over `arg` whatever it returns: `free_arg` (may be NULL) runs once, from
 * dispatch or the last unref, after the function's last call.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_event(mcphost *host, MCPHOST_NULLABLE mcphost_event_fn fn,
                                  MCPHOST_NULLABLE void *arg,
                                  MCPHOST_NULLABLE mcphost_free_fn free_arg);

/* Takes a reference: the event, and what it names, outlives its function and may be
 * looked at on any thread.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_event *
mcphost_event_ref(MCPHOST_NULLABLE const mcphost_event *event);

/* Drops such a reference.  Returns NULL; NULL is allowed.  Any thread, also when the host
 * has ended.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_event *
mcphost_event_unref(MCPHOST_NULLABLE mcphost_event *event);

/* MCPHOST_EVENT_*.  Since: 0.1 */
MCPHOST_API int mcphost_event_get_kind(const mcphost_event *event);

/* The id of the source that it concerns, or whose server; NULL: the default source, or
 * none.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_source_id(const mcphost_event *event);

/* The server's id, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_server_id(const mcphost_event *event);

/* The dialog's id, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_dialog_id(const mcphost_event *event);

/* A state: MCPHOST_SERVER_*, MCPHOST_INSTANCE_*, MCPHOST_TASK_*, or 1 and 0; see the
 * kinds.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_event_get_state(const mcphost_event *event);

/* The server process's pid, or 0.  Since: 0.1 */
MCPHOST_API int64_t mcphost_event_get_pid(const mcphost_event *event);

/* The catalog's version, or 0.  Since: 0.1 */
MCPHOST_API uint64_t mcphost_event_get_version(const mcphost_event *event);

/* The serial of the last order that is settled, or 0: see mcphost_get_order_serial().
 * Since: 0.1 */
MCPHOST_API uint64_t mcphost_event_get_serial(const mcphost_event *event);

/* The call, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_call *
mcphost_event_get_call(const mcphost_event *event);

/* The problem, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_problem *
mcphost_event_get_problem(const mcphost_event *event);

/* The configuration, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_config *
mcphost_event_get_config(const mcphost_event *event);

/* The request, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_request *
mcphost_event_get_request(const mcphost_event *event);

/* The subscription, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_subscription *
mcphost_event_get_subscription(const mcphost_event *event);

/* The URI of a resource that was subscribed to, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_uri(const mcphost_event *event);

/* How often it happened since the last such event, at least 1; 0: the kind does not
 * count.  Since: 0.1 */
MCPHOST_API uint64_t mcphost_event_get_count(const mcphost_event *event);

/* The error, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_error *
mcphost_event_get_error(const mcphost_event *event);

/* A text, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_text(const mcphost_event *event);

/* The level of a log message ("info", ...), or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_level(const mcphost_event *event);

/* The data of a log message as JSON, or NULL; *ret_len gets its length.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_data(const mcphost_event *event, MCPHOST_NULLABLE size_t *ret_len);

/* Progress so far, and the total (NaN when the server named none).
 * Since: 0.1 */
MCPHOST_API double mcphost_event_get_progress(const mcphost_event *event);
MCPHOST_API double mcphost_event_get_total(const mcphost_event *event);

#ifdef __cplusplus
}
#endif
#endif
