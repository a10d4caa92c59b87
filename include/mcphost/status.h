/* SPDX-License-Identifier: MIT
 *
 * status.h - the state of servers and leases, as a snapshot.
 *
 * A snapshot has a row for each declared server and for each lease.  A snapshot never
 * changes.  Any thread may call these functions.
 */
#ifndef MCPHOST_STATUS_H
#define MCPHOST_STATUS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcphost_status mcphost_status;

/* The states of a declared server.  Since: 0.1 */
enum mcphost_server_state {
    /* the server is being started, and its tools are being listed; the catalog does not
     * have the tools yet */
    MCPHOST_SERVER_STARTING = 1,
    /* the server's tools are in the catalog */
    MCPHOST_SERVER_LOADED = 2,
    /* the server did not come up, is down, or has names that collide
     * (MCPHOST_COLLISION_REJECT) */
    MCPHOST_SERVER_UNAVAILABLE = 3,
    /* the server's entry is not acceptable.  If MCPHOST_OPT_LAST_GOOD is
     * MCPHOST_LAST_GOOD_KEEP, the server's last good tools stay. */
    MCPHOST_SERVER_CONFIG_INVALID = 4,
    /* the server's entry has `enabled: false`, or the tool mcp_disable has stopped the
     * server */
    MCPHOST_SERVER_DISABLED = 5
};

/*
 * mcphost_get_status - take a snapshot of the servers and leases of a host.
 *
 * The snapshot of a host that has ended has no rows.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_status(mcphost *host,
                                   MCPHOST_OWNED mcphost_status **ret_status);

/* Takes a reference to `status`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_status *
mcphost_status_ref(MCPHOST_NULLABLE mcphost_status *status);

/* Drops a reference to `status`.  Dropping the last reference frees the snapshot.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_status *
mcphost_status_unref(MCPHOST_NULLABLE mcphost_status *status);

/*
 * mcphost_status_make_json - write a snapshot as JSON.
 *
 * The JSON is {"servers":[...],"leases":[...]}, with an object for each row, in the order
 * of the rows.  mcphost_status(3) lists the members.  A value that is not known is null.
 * A row has the member "source" unless the server belongs to the default source.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (the text would be longer
 *   than 256 MiB).
 * Since: 0.1
 */
MCPHOST_API int mcphost_status_make_json(const mcphost_status *status,
                                         MCPHOST_OWNED char **ret_json,
                                         MCPHOST_NULLABLE size_t *ret_len);

/* ---- declared servers, in the order of the configuration --------------------------- */

/* Returns the number of rows of servers.  Since: 0.1 */
MCPHOST_API size_t mcphost_status_count_servers(const mcphost_status *status);

/* Returns the id of the source of the server in the row at `index`, or NULL for the
 * default source or if `index` is past the end.  The rows are in the order of the
 * sources.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_server_get_source_id(const mcphost_status *status, size_t index);

/* Returns the id of the server in the row at `index`, or NULL if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_server_get_id(const mcphost_status *status, size_t index);

/* Returns the transport of the server, MCPHOST_TRANSPORT_*, or 0 if `index` is past the
 * end.  Since: 0.1 */
MCPHOST_API int mcphost_status_server_get_transport(const mcphost_status *status,
                                                    size_t index);

/* Returns the state of the server, MCPHOST_SERVER_*, or 0 if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API int mcphost_status_server_get_state(const mcphost_status *status,
                                                size_t index);

/* Returns the era of the protocol version that the host and the server have agreed on,
 * MCPHOST_ERA_*, or MCPHOST_ERA_AUTO if the version is not known yet or `index` is past
 * the end.  Since: 0.1 */
MCPHOST_API int mcphost_status_server_get_era(const mcphost_status *status, size_t index);

/* Returns the protocol version that the host and the server have agreed on, such as
 * "2025-11-25", or NULL if the version is not known yet or `index` is past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_server_get_version(const mcphost_status *status, size_t index);

/* Returns the pid of the process that serves all dialogs, or of the process that listed
 * the tools and that no dialog uses yet, or 0 if neither process exists or `index` is
 * past the end.  Since: 0.1 */
MCPHOST_API int64_t mcphost_status_server_get_pid(const mcphost_status *status,
                                                  size_t index);

/* Returns the mode of containment of the server process that the host has started last,
 * MCPHOST_CONTAINMENT_*, or MCPHOST_CONTAINMENT_AUTO if the host has started no process,
 * the server is disabled or at a URL, or `index` is past the end.  Since: 0.1 */
MCPHOST_API int mcphost_status_server_get_containment(const mcphost_status *status,
                                                      size_t index);

/* Returns the number of the server's tools in the catalog, or 0 if `index` is past the
 * end.  If several views show the server, the function returns the largest number in a
 * catalog of these views.  Since: 0.1 */
MCPHOST_API size_t mcphost_status_server_count_tools(const mcphost_status *status,
                                                     size_t index);

/*
 * mcphost_status_server_has_tools - find out whether the server offers tools at all.
 *
 * Returns: 1 if the server offers tools, 0 if its capabilities do not name "tools", or -1
 *   if the capabilities are not known yet or if `index` is past the end.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_status_server_has_tools(const mcphost_status *status, size_t index);

/* Returns the milliseconds that the first successful start, the handshake and the first
 * list took together, or -1 if the first list is not complete yet or `index` is past the
 * end.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_status_server_get_start_ms(const mcphost_status *status, size_t index);

/* Returns the milliseconds that the server took to answer the last request of the
 * handshake or of a list, or -1 if the server has answered no request yet or `index` is
 * past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_status_server_get_latency_ms(const mcphost_status *status, size_t index);

/*
 * mcphost_status_server_get_error - get the reason for the state.
 *
 * For a server that is not loaded, the error is the reason.  A loaded server has an error
 * if its last update or restart failed and its last good tools stay.  A starting server
 * has an error while it waits for credentials.
 *
 * Returns: the error of the server, or NULL if the server has no error or `index` is
 *   past the end.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_error *
mcphost_status_server_get_error(const mcphost_status *status, size_t index);

/*
 * mcphost_status_server_make_json - write the row of one server as JSON.
 *
 * The object is an element of the array "servers" of mcphost_status_make_json().
 *
 * Errors: MCPHOST_E_INVALID (`index` is past the end), those of
 *   mcphost_status_make_json().
 * Since: 0.1
 */
MCPHOST_API int mcphost_status_server_make_json(const mcphost_status *status,
                                                size_t index,
                                                MCPHOST_OWNED char **ret_json,
                                                MCPHOST_NULLABLE size_t *ret_len);

/* ---- leases, oldest first -------------------------------------------------------------
 *
 * As in MCP, a client is the host's side of a connection to a server.  A lease is a right
 * to use a client (lease.h).
 */

/* Returns the number of rows of leases.  Since: 0.1 */
MCPHOST_API size_t mcphost_status_count_leases(const mcphost_status *status);

/* Returns the id of the source of the server in the row at `index`, or NULL for the
 * default source or if `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_lease_get_source_id(const mcphost_status *status, size_t index);

/* Returns the id of the server in the row at `index`, or NULL if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_lease_get_server_id(const mcphost_status *status, size_t index);

/* Returns the id of the dialog that has the lease, or NULL if the host itself has the
 * lease, on a client for all dialogs, or if `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_lease_get_dialog_id(const mcphost_status *status, size_t index);

/* Returns the scope of the client, as mcphost_lease_get_scope() returns it, or -1 if
 * `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_status_lease_get_scope(const mcphost_status *status, size_t index);

/* Returns the key of the scope, as mcphost_lease_get_scope_key() returns it, or NULL if
 * `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_lease_get_scope_key(const mcphost_status *status, size_t index);

/* Returns the pid of the server process that the client talks to, or 0 if the server has
 * no process, the pid is not known, or `index` is past the end.  Since: 0.1 */
MCPHOST_API int64_t mcphost_status_lease_get_pid(const mcphost_status *status,
                                                 size_t index);

/* Returns the state of the client, MCPHOST_INSTANCE_*, or 0 if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API int mcphost_status_lease_get_state(const mcphost_status *status,
                                               size_t index);

/* Returns the number of the client's calls, including calls that wait and calls of other
 * dialogs, or 0 if `index` is past the end.  Since: 0.1 */
MCPHOST_API size_t mcphost_status_lease_count_in_flight(const mcphost_status *status,
                                                        size_t index);

/* Returns the time when the lease began, in milliseconds since 1970, or 0 if `index` is
 * past the end.  Since: 0.1 */
MCPHOST_API int64_t mcphost_status_lease_get_since_ms(const mcphost_status *status,
                                                      size_t index);

#ifdef __cplusplus
}
#endif
#endif
