/* SPDX-License-Identifier: MIT
 *
 * status.h - what servers and leases are doing: a snapshot to look at.
 */
#ifndef MCPHOST_STATUS_H
#define MCPHOST_STATUS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcphost_status mcphost_status;

/* States of a declared server.  Since: 0.1 */
enum mcphost_server_state {
    MCPHOST_SERVER_STARTING = 1,       /* being started and listed */
    MCPHOST_SERVER_LOADED = 2,         /* its tools are in the catalog */
    MCPHOST_SERVER_UNAVAILABLE = 3,    /* did not come up, or is down now */
    MCPHOST_SERVER_CONFIG_INVALID = 4, /* its entry is not acceptable */
    MCPHOST_SERVER_DISABLED = 5        /* `enabled: false` */
};

/*
 * mcphost_get_status - take the snapshot.
 *
 * *ret_status gets a reference to an immutable object.  Any thread.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_get_status(mcphost *host,
                                   MCPHOST_OWNED mcphost_status **ret_status);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_status *
mcphost_status_ref(MCPHOST_NULLABLE mcphost_status *status);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_status *
mcphost_status_unref(MCPHOST_NULLABLE mcphost_status *status);

/*
 * mcphost_status_make_json - the whole snapshot as JSON.
 *
 * {"servers":[...],"leases":[...]}, an object for each row below, in this order;
 * mcphost_status(3) lists the members.  What is not known is null.  A row has a member
 * "source" if its source is not the default one.
 * *ret_json is NUL-terminated, valid UTF-8 and the caller's: mcphost_free(); *ret_len
 * (may be NULL) gets its bytes without the NUL.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID (NULL), MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (more than
 * 256 MiB).  Since: 0.1
 */
MCPHOST_API int mcphost_status_make_json(const mcphost_status *status,
                                         MCPHOST_OWNED char **ret_json,
                                         MCPHOST_NULLABLE size_t *ret_len);

/* ---- declared servers, in the order of the configuration --------------------------- */

/* How many.  Since: 0.1 */
MCPHOST_API size_t mcphost_status_count_servers(const mcphost_status *status);

/* The id of the server's source; NULL: the default source, or past the end.  Servers
 * stand in the order of their sources.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_server_get_source_id(const mcphost_status *status, size_t index);

/* The server's id; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_server_get_id(const mcphost_status *status, size_t index);

/* MCPHOST_TRANSPORT_*.  Since: 0.1 */
MCPHOST_API int mcphost_status_server_get_transport(const mcphost_status *status,
                                                    size_t index);

/* MCPHOST_SERVER_*; 0 past the end.  Since: 0.1 */
MCPHOST_API int mcphost_status_server_get_state(const mcphost_status *status,
                                                size_t index);

/* The era of the protocol version agreed on, MCPHOST_ERA_*; AUTO while unknown.
 * Since: 0.1 */
MCPHOST_API int mcphost_status_server_get_era(const mcphost_status *status, size_t index);

/* The protocol version agreed on, such as "2025-11-25"; NULL while unknown.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_server_get_version(const mcphost_status *status, size_t index);

/* The process that serves all dialogs, or that listed the tools and is still
 * there; 0 when there is none.  Since: 0.1 */
MCPHOST_API int64_t mcphost_status_server_get_pid(const mcphost_status *status,
                                                  size_t index);

/* The mode of containment of the instance that was started last, MCPHOST_CONTAINMENT_*;
 * AUTO: none was started, or the server is at a URL.  Since: 0.1 */
MCPHOST_API int mcphost_status_server_get_containment(const mcphost_status *status,
                                                      size_t index);

/* How many tools it has in the catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_status_server_count_tools(const mcphost_status *status,
                                                     size_t index);

/* Whether it offers tools at all: 1; 0: its capabilities do not name 'tools', so it has
 * none; -1 while unknown and past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_status_server_has_tools(const mcphost_status *status, size_t index);

/* How long start, handshake and list took, in ms; -1 while not done.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_status_server_get_start_ms(const mcphost_status *status, size_t index);

/* How long the server took to answer the last request of the handshake or the list, in
 * ms; -1 while there was none.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_status_server_get_latency_ms(const mcphost_status *status, size_t index);

/* Why it is not loaded, or NULL; borrowed.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_error *
mcphost_status_server_get_error(const mcphost_status *status, size_t index);

/*
 * mcphost_status_server_make_json - one server's row of mcphost_status_make_json().
 *
 * As that function; MCPHOST_E_INVALID also past the end.  Since: 0.1
 */
MCPHOST_API int mcphost_status_server_make_json(const mcphost_status *status,
                                                size_t index,
                                                MCPHOST_OWNED char **ret_json,
                                                MCPHOST_NULLABLE size_t *ret_len);

/* ---- leases, oldest first ---------------------------------------------------------- */

/* How many leases there are.  Since: 0.1 */
MCPHOST_API size_t mcphost_status_count_leases(const mcphost_status *status);

/* The id of the server's source; NULL: the default source, or past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_lease_get_source_id(const mcphost_status *status, size_t index);

/* The ids of the server and of the dialog that holds the client; NULL past the end.  A
 * client that serves everyone has a row of its own, whose dialog is NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_lease_get_server_id(const mcphost_status *status, size_t index);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_lease_get_dialog_id(const mcphost_status *status, size_t index);

/* As mcphost_lease_get_scope() and mcphost_lease_get_scope_key(); -1 and NULL past the
 * end.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_status_lease_get_scope(const mcphost_status *status, size_t index);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_status_lease_get_scope_key(const mcphost_status *status, size_t index);

/* The server process's pid, 0 while unknown; MCPHOST_INSTANCE_*; calls in
 * flight and queued, those of all dialogs that share the client; when it was leased, in
 * ms since the epoch.  Since: 0.1 */
MCPHOST_API int64_t mcphost_status_lease_get_pid(const mcphost_status *status,
                                                 size_t index);
MCPHOST_API int mcphost_status_lease_get_state(const mcphost_status *status,
                                               size_t index);
MCPHOST_API size_t mcphost_status_lease_count_in_flight(const mcphost_status *status,
                                                        size_t index);
MCPHOST_API int64_t mcphost_status_lease_get_since_ms(const mcphost_status *status,
                                                      size_t index);

#ifdef __cplusplus
}
#endif
#endif
