/* SPDX-License-Identifier: MIT
 *
 * lease.h - leases: a dialog's right to a client of a server.
 *
 * A client, also called an instance, is one connection of the host to a server.  For a
 * stdio server, the client includes the process.  A server that is not safe to share with
 * everyone gets a client for each dialog, agent or workspace that uses the server.  The
 * client is made at the first use, for example a call of a tool.  Each dialog that uses
 * the client has a lease on the client.
 *
 * mcphost_lease_release() and the built-in tool mcp_release end a lease.  A lease also
 * ends when it was idle for the time of MCPHOST_OPT_LEASE_IDLE, or when its dialog is
 * closed.  When the last lease on a client has ended, the client finishes its calls and
 * stops.
 */
#ifndef MCPHOST_LEASE_H
#define MCPHOST_LEASE_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* States of an instance (one connection to a server).  Since: 0.1 */
enum mcphost_instance_state {
    MCPHOST_INSTANCE_STARTING = 1, /* the handshake is not done yet */
    MCPHOST_INSTANCE_READY = 2,    /* the instance takes calls */
    MCPHOST_INSTANCE_CLOSING = 3,  /* the instance finishes its calls, then stops */
    MCPHOST_INSTANCE_DEAD = 4      /* the connection has ended; the process may still
                                    * need up to MCPHOST_OPT_STOP_EOF and
                                    * MCPHOST_OPT_STOP_TERM to end */
};

/* Takes a reference to `lease`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_lease *
mcphost_lease_ref(MCPHOST_NULLABLE mcphost_lease *lease);

/* Drops a reference to `lease`, without releasing the lease itself.  Returns: NULL.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_lease *
mcphost_lease_unref(MCPHOST_NULLABLE mcphost_lease *lease);

/*
 * mcphost_lease_release - end a lease.
 *
 * The thread that dispatches carries out the release.  Other dialogs that have a lease on
 * the client keep their lease.  When the last lease has ended, the client first finishes
 * its calls, also calls that wait for the client to come up.  MCPHOST_OPT_DRAIN_TIMEOUT
 * limits the time for these calls.  Then the client stops.  The dialog's next call takes
 * a new lease.
 *
 * A turn may keep an older edition of the server (MCPHOST_REMOVED_SERVE).  In this turn,
 * a dialog may have a lease on a client of the older edition and another lease on a
 * client of the newer edition.  The function releases both leases.
 *
 * Releasing a lease again has no effect.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_lease_release(mcphost_lease *lease);

/* Returns the id of the server's source, or NULL for the default source.  The text lives
 * as long as the lease.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_lease_get_source_id(const mcphost_lease *lease);

/* Returns the id of the server.  The text lives as long as the lease.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_lease_get_server_id(const mcphost_lease *lease);

/* Returns the id of the dialog.  The text lives as long as the lease.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_lease_get_dialog_id(const mcphost_lease *lease);

/* Finds out which dialogs share the client.  Returns: the scope, one of MCPHOST_SCOPE_*,
 * or -1 if `lease` is NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_lease_get_scope(const mcphost_lease *lease);

/* Gets the dialog, agent or workspace that the client serves.  Returns: the dialog's id,
 * the agent or the workspace, or NULL for MCPHOST_SCOPE_EVERYONE.  The text lives as long
 * as the lease.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_lease_get_scope_key(const mcphost_lease *lease);

#ifdef __cplusplus
}
#endif
#endif
