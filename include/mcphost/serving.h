/* SPDX-License-Identifier: MIT
 *
 * serving.h - serve a view to another MCP client.
 *
 * A program that is an MCP host can also be a server for another MCP client.  The client
 * sees and can use the tools, resources, resource templates and prompts of a view, under
 * the names that the view gives them.  The client is a dialog of the view and has its own
 * leases.
 *
 * Any thread may call these functions.
 */
#ifndef MCPHOST_SERVING_H
#define MCPHOST_SERVING_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_serve_fd - serve a view to a client over two descriptors.
 *
 * The library reads the messages of the client from `in` and writes messages to `out`,
 * one JSON-RPC message a line.  The descriptors may be pipes, a terminal, files, or a
 * socket that is both `in` and `out`.  The library uses duplicates of the descriptors.
 * The caller may close its descriptors at once.
 *
 * The client is a dialog of the view with the id `dialog_id`, like a dialog of
 * mcphost_dialog_new().  The client has its own leases.  The function of
 * mcphost_set_before_call() decides whether a tool call of the client may run.
 *
 * The client may use either era of the protocol (enum mcphost_era), unless
 * MCPHOST_OPT_SERVED_ERA names an era.  The host answers the client's first request when
 * the first load of the host is over.  If the load takes more than 60 s, the serving ends
 * with MCPHOST_E_TIMEOUT.
 *
 * If a server asks a question during a call of the client, the question goes to the
 * client, not to the application.  The question is rejected if MCPHOST_OPT_REQUESTS does
 * not allow its kind, or the client does not answer this kind.
 *
 * MCPHOST_EVENT_SERVING with state 1 reports that the client has introduced itself.  With
 * state 0 the event reports that the serving is over.  The event's error is the reason.
 * The serving continues even if the caller drops its reference.
 *
 * Errors: MCPHOST_E_INVALID (a descriptor is not open, or `dialog_id` is empty or not
 *   UTF-8), MCPHOST_E_EXISTS (an open dialog of the host has this id), MCPHOST_E_LIMIT
 *   (no descriptor is left), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM,
 *   MCPHOST_E_UNSUPPORTED (the library was built without serving).
 * Since: 0.1
 */
MCPHOST_API int mcphost_serve_fd(mcphost_view *view, int in, int out,
                                 const char *dialog_id,
                                 MCPHOST_OWNED mcphost_serving **ret_serving,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_serving_close - end a serving.
 *
 * The calls of the client are cancelled.  The dialog of the client is closed.  The
 * function returns at once.  MCPHOST_EVENT_SERVING with state 0 and without an error
 * follows.
 *
 * Returns: 0 (also if the serving is over).
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_serving_close(mcphost_serving *serving);

/* Returns the id of the client's dialog, or NULL if `serving` is NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_serving_get_dialog_id(MCPHOST_NULLABLE const mcphost_serving *serving);

/* Takes a reference to `serving`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_serving *
mcphost_serving_ref(MCPHOST_NULLABLE mcphost_serving *serving);

/* Drops a reference to `serving`, without ending the serving.  Returns: NULL.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_serving *
mcphost_serving_unref(MCPHOST_NULLABLE mcphost_serving *serving);

#ifdef __cplusplus
}
#endif
#endif
