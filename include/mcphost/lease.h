/* SPDX-License-Identifier: MIT
 *
 * lease.h - a dialog's hold on a client.
 *
 * A server that is not safe to share with everyone gets a client for each dialog, agent
 * or workspace that calls one of its tools, made at the first call.  Each
 * dialog that uses the client has a lease on it, which is given up by its handle, by
 * the built-in tool mcp_release, or by the end of the dialog.  When the last lease on a
 * client is given up, the client stops as soon as its calls are done.
 */
#ifndef MCPHOST_LEASE_H
#define MCPHOST_LEASE_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* States of an instance.  Since: 0.1 */
enum mcphost_instance_state {
    MCPHOST_INSTANCE_STARTING = 1, /* spawned, handshake not done */
    MCPHOST_INSTANCE_READY = 2,    /* takes calls */
    MCPHOST_INSTANCE_CLOSING = 3,  /* finishes its calls, then stops */
    MCPHOST_INSTANCE_DEAD = 4      /* its connection has ended; its process may yet take
                                    * MCPHOST_OPT_STOP_EOF and _STOP_TERM to do so */
};

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_lease *
mcphost_lease_ref(MCPHOST_NULLABLE mcphost_lease *lease);

/* Drops a reference; does not release the lease.  Returns NULL; NULL is
 * allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_lease *
mcphost_lease_unref(MCPHOST_NULLABLE mcphost_lease *lease);

/*
 * mcphost_lease_release - give the client back.
 *
 * Other dialogs that have a lease on the client keep it.  Behind the last one, calls in
 * flight are finished first (MCPHOST_OPT_DRAIN_TIMEOUT), and so are those that wait for
 * the client to come up; the next call of the dialog takes a new lease.
 * In a turn that keeps an older edition of the server (MCPHOST_REMOVED_SERVE) a dialog
 * may hold a client of that edition and one of the newer: both are given back.
 * Idempotent.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_lease_release(mcphost_lease *lease);

/* The id of the server's source; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_lease_get_source_id(const mcphost_lease *lease);

/* The server's id and the dialog's.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_lease_get_server_id(const mcphost_lease *lease);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_lease_get_dialog_id(const mcphost_lease *lease);

/* Which dialogs share the client: MCPHOST_SCOPE_*, -1 for NULL; and the key that they
 * share: the dialog's id, the agent or the workspace, NULL for
 * MCPHOST_SCOPE_EVERYONE.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_lease_get_scope(const mcphost_lease *lease);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_lease_get_scope_key(const mcphost_lease *lease);

#ifdef __cplusplus
}
#endif
#endif
