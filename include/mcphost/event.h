/* SPDX-License-Identifier: MIT
 *
 * event.h - one function of the application receives the events of a host.
 */
#ifndef MCPHOST_EVENT_H
#define MCPHOST_EVENT_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of events.  Later versions may add kinds: ignore a kind that you do not know.
 *
 * The comment of a kind names the getters that have a value for this kind, without
 * mcphost_event_get_ in front.  All other getters return NULL or 0.  Since: 0.1 */
enum mcphost_event_kind {
    /* All servers of all sources have come up or failed.  This event comes once in the
     * life of a host.  No getter has a value. */
    MCPHOST_EVENT_READY = 1,
    /* A view has a new catalog, or one dialog alone sees another catalog now.  These
     * getters have a value: version, text (for a view: the view's name, or NULL for the
     * default view), dialog_id (for one dialog). */
    MCPHOST_EVENT_CATALOG = 2,
    /* A server has a new state or a new error.  These getters have a value: source_id,
     * server_id, state (MCPHOST_SERVER_*, or 0 if the server was removed), error (the
     * reason, or NULL). */
    MCPHOST_EVENT_SERVER = 3,
    /* An instance (one connection to a server) was started, is ready, is closing or has
     * ended.  These getters have a value: source_id, server_id, state
     * (MCPHOST_INSTANCE_*), dialog_id (NULL if the instance can serve several dialogs or
     * lists tools), pid (0 if the instance has no process), error (why the instance
     * ended, or NULL if it was stopped). */
    MCPHOST_EVENT_INSTANCE = 4,
    /* A lease began (state 1) or ended (state 0).  These getters have a value: source_id,
     * server_id, state, pid, dialog_id (NULL for the host's own lease on an instance that
     * serves all dialogs). */
    MCPHOST_EVENT_LEASE = 5,
    /* State 1 asks the application to keep a text in the context of a dialog while a
     * lease lasts.  State 0 asks the application to remove that text.  These getters
     * have a value: source_id, server_id, dialog_id, state, text (with state 1). */
    MCPHOST_EVENT_REMINDER = 6,
    /* A problem began or changed (state 1), or was resolved (state 0).  These getters
     * have a value: source_id, server_id, state, problem. */
    MCPHOST_EVENT_PROBLEM = 7,
    /* A server wrote a line to stderr, or sent a log message of the protocol.  These
     * getters have a value: source_id, server_id, pid, dialog_id (NULL if the instance
     * can serve several dialogs or lists tools), text (the line), or level and data (the
     * message). */
    MCPHOST_EVENT_LOG = 8,
    /* A call made progress.  The event comes before the call completes.  These getters
     * have a value: source_id, server_id (NULL for a built-in tool), dialog_id, call,
     * progress, total, text (the message, or NULL). */
    MCPHOST_EVENT_PROGRESS = 9,
    /* The host has ended.  This event is the last event of the host.  No getter has a
     * value. */
    MCPHOST_EVENT_CLOSED = 10,
    /* A configuration was read, and is not applied yet.  These getters have a value:
     * source_id, config, state (0 if the configuration is acceptable, below 0 if it is
     * rejected as a whole), text (why the configuration was read).  The text is "loaded"
     * (for the first time, or by mcphost_load()), "changed" (the file has changed),
     * "reload" (by mcphost_reload(), mcphost_source_reload() or a tool of mcp_admin),
     * "edited" (the host itself has edited the file), "removed" (the source was removed,
     * and this configuration is empty) or "tried again" (memory was short the last
     * time). */
    MCPHOST_EVENT_CONFIG = 11,
    /* All orders (loads, reloads, restarts: see mcphost_get_order_serial()) up to the
     * event's serial were carried out, and each server that they started has come up or
     * failed.  mcphost_wait_ready() waits for this state.  The getter `serial` has a
     * value. */
    MCPHOST_EVENT_SETTLED = 14,
    /* A source was removed, and its last server has ended.  The getter source_id has a
     * value. */
    MCPHOST_EVENT_SOURCE = 13,
    /* A server has begun to report changes of a resource (state 1), or the subscription
     * is over (state 0).  These getters have a value: source_id, server_id, dialog_id,
     * uri, subscription, state, error (with state 0). */
    MCPHOST_EVENT_SUBSCRIPTION = 15,
    /* A resource has changed.  These getters have a value: source_id, server_id,
     * dialog_id, uri, subscription, count (how often since the last event of this
     * kind). */
    MCPHOST_EVENT_UPDATED = 16,
    /* A server continues a call as a task, or the status of the task has changed.  These
     * getters have a value: source_id, server_id, dialog_id, call, state
     * (MCPHOST_TASK_*), text (the server's message, at most 4 KiB, or NULL). */
    MCPHOST_EVENT_TASK = 17,
    /* A client of a view that is served has introduced itself (state 1), or the serving
     * is over (state 0).  These getters have a value: dialog_id, state, error (with state
     * 0; NULL if mcphost_serving_close() ended the serving). */
    MCPHOST_EVENT_SERVING = 18,
    /* Each file of a directory of plugins was loaded or refused, and no plugin is ending.
     * mcphost_plugins_wait() waits for this state.  The getter source_id has a value. */
    MCPHOST_EVENT_PLUGINS = 19,
    /* A server or, for credentials, the host itself requests an answer from the
     * application (state 1), or the request needs no answer any more (state 0).  These
     * getters have a value: source_id, server_id, request, state, dialog_id and call (as
     * far as they are known), text (the reason, with state 0). */
    MCPHOST_EVENT_REQUEST = 12
};

/*
 * mcphost_event_fn - receive an event.
 *
 * The function runs on the thread that dispatches, with no lock of the library held.  The
 * function may call the library.  The event lives until the function returns.  A
 * reference of mcphost_event_ref() keeps the event longer.
 *
 * Since: 0.1
 */
typedef void (*mcphost_event_fn)(const mcphost_event *event, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_event - set the function that receives the events of a host.
 *
 * If `fn` is NULL, no function receives events.  The host makes no events while there is
 * no function.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once, after the last call of `fn`: on the thread that dispatches, in the last
 * mcphost_unref() of the host, or before this function returns if it fails.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_event(mcphost *host, MCPHOST_NULLABLE mcphost_event_fn fn,
                                  MCPHOST_NULLABLE void *arg,
                                  MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_event_ref - take a reference to an event.
 *
 * A reference keeps the event, and the objects that its getters return, beyond the call
 * of mcphost_event_fn.  Any thread may use the getters.
 *
 * Returns: the argument.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_event *
mcphost_event_ref(MCPHOST_NULLABLE const mcphost_event *event);

/* Drops a reference that mcphost_event_ref() took.  The reference may be dropped after
 * the host has ended.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_event *
mcphost_event_unref(MCPHOST_NULLABLE mcphost_event *event);

/* Returns the kind of the event, one of MCPHOST_EVENT_*.  Since: 0.1 */
MCPHOST_API int mcphost_event_get_kind(const mcphost_event *event);

/* Returns the id of the source that the event or the event's server belongs to, or NULL
 * if the event belongs to the default source or to no source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_source_id(const mcphost_event *event);

/* Returns the id of the server that the event is about, or NULL if the event is about no
 * server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_server_id(const mcphost_event *event);

/* Returns the id of the dialog that the event is about, or NULL if the event is about no
 * single dialog.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_dialog_id(const mcphost_event *event);

/* Returns the state that the event reports.  The kind of the event decides whether the
 * state is one of MCPHOST_SERVER_*, MCPHOST_INSTANCE_* or MCPHOST_TASK_*, 1 or 0, or an
 * error code.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_event_get_state(const mcphost_event *event);

/* Returns the pid of the server's process, or 0 if the event is about no process.
 * Since: 0.1 */
MCPHOST_API int64_t mcphost_event_get_pid(const mcphost_event *event);

/* Returns the version of the new catalog, or 0 if the event is not about a catalog.
 * Since: 0.1 */
MCPHOST_API uint64_t mcphost_event_get_version(const mcphost_event *event);

/* Returns the serial of the last order that is settled, or 0 for other kinds of events.
 * See mcphost_get_order_serial().  Since: 0.1 */
MCPHOST_API uint64_t mcphost_event_get_serial(const mcphost_event *event);

/* Returns the call that the event is about, or NULL if the event is about no call.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_call *
mcphost_event_get_call(const mcphost_event *event);

/* Returns the problem that the event is about, or NULL for other kinds of events.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_problem *
mcphost_event_get_problem(const mcphost_event *event);

/* Returns the configuration that the event is about, or NULL for other kinds of events.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_config *
mcphost_event_get_config(const mcphost_event *event);

/* Returns the request that the event is about, or NULL for other kinds of events.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_request *
mcphost_event_get_request(const mcphost_event *event);

/* Returns the subscription that the event is about, or NULL for other kinds of events.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_subscription *
mcphost_event_get_subscription(const mcphost_event *event);

/* Returns the URI of the resource of the subscription, or NULL if the event is not about
 * a subscription.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_uri(const mcphost_event *event);

/* Returns the number of changes of the resource since the last event of this kind for the
 * subscription, or 0 for other kinds of events.  Since: 0.1 */
MCPHOST_API uint64_t mcphost_event_get_count(const mcphost_event *event);

/* Returns the error that the event reports, or NULL if the event reports no error.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_error *
mcphost_event_get_error(const mcphost_event *event);

/* Returns the text of the event, or NULL if the event has no text.  The meaning of the
 * text depends on the kind of the event.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_text(const mcphost_event *event);

/* Returns the level of a log message of the protocol, such as "info", or NULL if the
 * event is not about a log message of the protocol.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_level(const mcphost_event *event);

/*
 * mcphost_event_get_data - get the data of a log message of the protocol.
 *
 * Returns: the data of a log message of the protocol as JSON of *ret_len bytes, or NULL
 *   if the event is not about a log message of the protocol.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_event_get_data(const mcphost_event *event, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the progress of the call so far, in a unit that the server chooses, or 0 for
 * other kinds of events.  Since: 0.1 */
MCPHOST_API double mcphost_event_get_progress(const mcphost_event *event);

/* Returns the total in the unit of mcphost_event_get_progress(), or NaN if the server did
 * not send a total, or 0 for other kinds of events.  Since: 0.1 */
MCPHOST_API double mcphost_event_get_total(const mcphost_event *event);

#ifdef __cplusplus
}
#endif
#endif
