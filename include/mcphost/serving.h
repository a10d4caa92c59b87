/* SPDX-License-Identifier: MIT
 *
 * serving.h - a view served to another MCP client.
 *
 * A program that is an MCP host can be a server for another one: the client sees the
 * tools, resources, templates and prompts of a view, by the names of the view, and calls
 * them.  The client is a dialog of the view, with leases of its own.
 */
#ifndef MCPHOST_SERVING_H
#define MCPHOST_SERVING_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_serve_fd - serve a view over two descriptors.
 *
 * The client's messages are read from `in`, and ours are written to `out`, one JSON-RPC
 * message a line: pipes, a terminal, or a socket, which may be both.  The library uses
 * duplicates; the descriptors stay the caller's, who may close them at once.
 * `dialog_id` is the id of the dialog that the client is, as in mcphost_dialog_new().
 *
 * The client's first request is answered when the first load is over.  Either era of the
 * protocol will do, unless MCPHOST_OPT_SERVED_ERA names one.  What servers ask in the
 * course of the client's calls goes to the client, not to the application, as far as
 * MCPHOST_OPT_REQUESTS has it.  Calls, leases and approvals (mcphost_set_before_call())
 * are those of a dialog.
 *
 * MCPHOST_EVENT_SERVING with state 1 tells that the client has introduced itself, and
 * with state 0 that the serving is over, with the reason as its error.  *ret_serving gets
 * a reference; the serving goes on without one.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID (also a descriptor that is not open), MCPHOST_E_EXISTS (an
 * open dialog of the view has this id), MCPHOST_E_LIMIT (no more descriptors),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_serve_fd(mcphost_view *view, int in, int out,
                                 const char *dialog_id,
                                 MCPHOST_OWNED mcphost_serving **ret_serving,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_serving_close - end a serving.
 *
 * Its calls are cancelled and its dialog is closed.  Returns at once; the event follows.
 * Any thread.
 *
 * Returns 0 (also if it is over), MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_serving_close(mcphost_serving *serving);

/* The id of its dialog.  NULL for NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_serving_get_dialog_id(MCPHOST_NULLABLE const mcphost_serving *serving);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_serving *
mcphost_serving_ref(MCPHOST_NULLABLE mcphost_serving *serving);

/* Drops a reference, which does not end the serving.  Returns NULL; NULL is allowed.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_serving *
mcphost_serving_unref(MCPHOST_NULLABLE mcphost_serving *serving);

#ifdef __cplusplus
}
#endif
#endif
