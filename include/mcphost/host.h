/* SPDX-License-Identifier: MIT
 *
 * host.h - the host: its life, its identity, its configuration.
 *
 * A host owns servers, views, dialogs and calls.  Handles may be released in any order.
 * If a handle outlives its host, functions that need the host return MCPHOST_E_CLOSED.
 *
 * Any thread may call these functions, also from a callback.  Only the log function must
 * not drop the last reference to the host (log.h).  The last mcphost_unref() waits and
 * runs functions of the application.  All other functions of this header return at once.
 * Like any function of the library, they may call the log function (mcphost_set_log()).
 * In a forked child, each of these functions that takes a host and returns a code returns
 * MCPHOST_E_FORKED.
 */
#ifndef MCPHOST_HOST_H
#define MCPHOST_HOST_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_new - make a host.
 *
 * The host starts no server before the application loads a source, for example with
 * mcphost_load() or mcphost_load_workspace().
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (no file descriptor is
 *   left), MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_new(MCPHOST_OWNED mcphost **ret_host,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `host`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost *
mcphost_ref(MCPHOST_NULLABLE mcphost *host);

/*
 * mcphost_unref - drop a reference to the host.
 *
 * Dropping the last reference ends a host that was not closed.  The function stops the
 * thread of mcphost_thread_start() and waits for it, unless that thread itself is the
 * caller.  It kills the processes of all servers at once and waits at most one second for
 * all of them together.  Outstanding calls do not complete.  Each `free_arg` that has not
 * run yet runs.  Each function of a provider that is still due, such as a teardown, runs,
 * too.
 *
 * If other threads wait (mcphost_call_wait()), their waits end with MCPHOST_E_CLOSED.
 * The last of these threads then ends the host in place of this function.
 *
 * Dialogs, calls and other handles may live on.  They hold no descriptor.
 *
 * In a forked child, dropping the last reference closes the descriptors of the host.  It
 * frees no memory, because another thread may have been dispatching at the fork.
 *
 * Returns: NULL.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_NULLABLE mcphost *mcphost_unref(MCPHOST_NULLABLE mcphost *host);

/*
 * mcphost_close - begin to end the host in good order.
 *
 * The host refuses new calls.  Outstanding calls complete with MCPHOST_E_CANCELLED.
 * Servers are stopped as mcphost(7) describes ("The end").  The application continues to
 * dispatch until MCPHOST_EVENT_CLOSED, the last event.  After this event
 * mcphost_dispatch() returns MCPHOST_E_CLOSED.  A second call changes nothing.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_close(mcphost *host);

/*
 * mcphost_close_within - end the host in good order, with a deadline.
 *
 * The function works like mcphost_close().  After `timeout_ms` milliseconds the host
 * kills the processes of servers that have not ended, and stops waiting for sessions over
 * HTTP to end.  Then MCPHOST_EVENT_CLOSED comes.  `timeout_ms` 0 kills at once.
 * `timeout_ms` -1 sets no deadline.  The function may be called while the host is
 * closing.  The earliest deadline holds.
 *
 * Errors: MCPHOST_E_INVALID (`timeout_ms` is below -1), MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_close_within(mcphost *host, int64_t timeout_ms);

/*
 * mcphost_set_identity - set the name by which the host introduces itself.
 *
 * Servers get `name`, `version` and `title` as MCP's clientInfo.  Clients of
 * mcphost_serve_fd() get these texts as serverInfo.  `title` is the name to show to
 * people.  By default, the name is "libmcphost", the version is the version of the
 * library, and there is no title.
 *
 * Errors: MCPHOST_E_INVALID (a text is empty or not UTF-8), MCPHOST_E_STATE (the host is
 *   loaded already), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_identity(mcphost *host, const char *name, const char *version,
                                     MCPHOST_NULLABLE const char *title);

/*
 * mcphost_set_guard_path - set the path of mcphost-guard, under which servers run.
 *
 * `path` is absolute.  By default, the library uses mcphost-guard in the libexecdir that
 * it was configured with.  If that file does not exist, the library looks for the guard
 * near its own file.  mcphost_new(3) describes the order.
 *
 * Errors: MCPHOST_E_INVALID (the path is not absolute), those of mcphost_set_identity().
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_guard_path(mcphost *host, const char *path);

/*
 * mcphost_set_spool_dir - set the directory for messages that are too large for memory.
 *
 * A message of more than MCPHOST_OPT_MESSAGE_BYTES is kept in a file without a name in
 * this directory, up to MCPHOST_OPT_SPOOL_BYTES.  The result is mapped from the file and
 * looks like any other result.  If the file cannot be made, the call fails with
 * MCPHOST_E_LIMIT.  `dir` is absolute.  The default is /var/tmp.
 *
 * Errors: MCPHOST_E_INVALID (the path is not absolute), those of mcphost_set_identity().
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_spool_dir(mcphost *host, const char *dir);

/*
 * mcphost_set_environment - replace the environment that servers inherit.
 *
 * `environment` is an array of texts "NAME=value" that ends with NULL.  The function
 * copies the array.  If `environment` is NULL, the default, servers inherit the
 * environment of the process.  The host reads that environment anew at each start of a
 * server.  {env: NAME} in a configuration also reads the environment that servers
 * inherit.  Servers that start later see the change.  The library never changes the
 * environment of the process.
 *
 * Errors: MCPHOST_E_INVALID (a text does not have the form "NAME=value"),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_environment(mcphost *host,
                                        MCPHOST_NULLABLE const char *const *environment);

/*
 * mcphost_set_env - set one variable for servers, or hide it.
 *
 * If `value` is NULL, servers do not see the variable.  This setting overrides
 * mcphost_set_environment() and the environment of the process.  This setting stays when
 * either environment changes.  It holds for each value of MCPHOST_OPT_INHERIT_ENV.  The
 * `env` of a server's entry overrides this setting.  {env: NAME} in a configuration reads
 * this setting first.  The tools env_set and env_unset of the toolset mcp_admin have the
 * effect of this function.
 *
 * `name` begins with a letter or `_` and consists of letters, digits and `_`.  Servers
 * that start later see the change.  The host sets at most 1024 variables and hides at
 * most 1024 variables.  The name and the value of a variable together have at most
 * 130,816 bytes.  The host ignores a change beyond these limits and writes a line to the
 * log.
 *
 * Errors: MCPHOST_E_INVALID (`name` is not the name of a variable), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_env(mcphost *host, const char *name,
                                MCPHOST_NULLABLE const char *value);

/*
 * mcphost_set_admin_env - decide which variables a model may change.
 *
 * A model needs the tools env_set and env_unset of the toolset mcp_admin to change
 * variables.  The model may change each variable that a server's entry names in `env` or
 * in {env: NAME}, unless a name in `refused` matches the variable.  The model may also
 * change every variable that a name in `allowed` matches, even if a name in `refused`
 * matches the variable, too.
 *
 * `refused` and `allowed` are arrays of names that end with NULL.  The function copies
 * the arrays.  A `*` at the beginning or at the end of a name matches any characters.
 * Case does not matter.  If `refused` is NULL, the library's list is used: variables that
 * make programs load code, start other programs, or trust and contact other machines
 * (mcphost(7)).  If `allowed` is NULL, the model may change no other variable.
 *
 * Errors: MCPHOST_E_INVALID (an entry is not the pattern of a name), MCPHOST_E_LIMIT (an
 *   array has more than 4096 entries), MCPHOST_E_STATE (the host is loaded already),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_admin_env(mcphost *host,
                                      MCPHOST_NULLABLE const char *const *refused,
                                      MCPHOST_NULLABLE const char *const *allowed);

/*
 * mcphost_set_credential - set a header for servers at URLs, such as Authorization.
 *
 * The header goes with each request to `server` at `origin`, and to no other place.
 * `server` is the id of a server, or "SOURCE:SERVER" for a server of another source than
 * the default source, or NULL for any server.  `origin` is a URL, or NULL for any origin.
 * Only the scheme, the host and the port of the URL matter.  At least one of `server` and
 * `origin` is needed.  If `value` is NULL, the header is removed.  The change applies to
 * later requests.
 *
 * If several headers have the same name, the first of these is sent: the header that is
 * set for the server and the origin, the header for the server alone, the header for the
 * origin alone, the header of the configuration.
 *
 * A header for a server alone is bound to the origin that the server's configuration has
 * at this moment.  If the server has no configuration, or its URL has variables, the
 * header is bound to the origin of the server's first request.  If the configuration
 * moves the server to another origin, the host does not send the header until the header
 * is set again or the configuration moves the server back.  A problem reports the
 * withheld header.
 *
 * If a header Authorization is set for a server, the host neither logs in at this server
 * nor asks for credentials.  Other headers are sent in addition to the credentials.
 *
 * For a value that changes from time to time see MCPHOST_REQUEST_CREDENTIALS.
 *
 * Errors: MCPHOST_E_INVALID (`server` and `origin` are NULL, `origin` is not an http or
 *   https URL, `name` is not the name of a header or is a header of the protocol, or
 *   `value` has control characters or more than 32 KiB), MCPHOST_E_LIMIT (1024 headers
 *   are set), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED
 *   (the library was built without credentials).
 * Since: 0.1
 */
MCPHOST_API int
mcphost_set_credential(mcphost *host, MCPHOST_NULLABLE const char *server,
                       MCPHOST_NULLABLE const char *origin, const char *name,
                       MCPHOST_NULLABLE const char *value,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_forget_credentials - forget the answers to MCPHOST_REQUEST_CREDENTIALS.
 *
 * Call this function when the user logs out.  `server` is as in mcphost_set_credential(),
 * or NULL for all servers.  The host forgets the scopes that were granted, too.  Later
 * requests go without the credentials.  If the server refuses a request, the host asks
 * the application again.  Headers of mcphost_set_credential() stay.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_forget_credentials(mcphost *host,
                                           MCPHOST_NULLABLE const char *server);

/*
 * mcphost_load_workspace - follow the configuration file of a workspace.
 *
 * The file is DIR/.minds/mcp.yaml, or `file` if it is not NULL.  If `file` is NULL and
 * the file is missing, the configuration is empty.  If `file` is NULL and `dir` is
 * missing, or if `file` names a missing file, the configuration is rejected.  The host
 * starts the servers that the file declares and applies later edits to the servers that
 * run (MCPHOST_OPT_RELOAD; mcphost-reload(7)).  Relative paths in the file are resolved
 * against `dir`.
 *
 * The function returns at once.  A thread that dispatches reads the file.  Errors in the
 * file become problems.
 *
 * Errors: MCPHOST_E_INVALID (`dir` is empty), MCPHOST_E_STATE (the host has a
 *   configuration already), MCPHOST_E_IO (the current directory cannot be determined),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_load_workspace(mcphost *host, const char *dir, MCPHOST_NULLABLE const char *file,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_load - start the servers that a configuration declares.
 *
 * Use this function in an application that reads configurations itself.  The host keeps a
 * reference to `config`.  The function returns at once.  A thread that dispatches starts
 * the servers, and publishes the tools of each server when that server has come up.
 *
 * A later call applies the new configuration to the servers that run.  A server that did
 * not change keeps its process.  A changed server is replaced when its new process has
 * come up.  A removed server is stopped when its calls are done.
 *
 * A configuration whose status is not 0 starts nothing.  The diagnostics of the
 * configuration become problems.  If a later call gives a configuration whose status is
 * not 0, nothing changes, unless MCPHOST_OPT_LAST_GOOD is MCPHOST_LAST_GOOD_NONE.  In
 * that case the call ends all servers.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the host follows a file), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_load(mcphost *host, mcphost_config *config);

/*
 * mcphost_reload - read again the files that the host follows.
 *
 * These are the files that the default source follows, for example the file of
 * mcphost_load_workspace(), and the file of mcphost_use_team().  A thread that dispatches
 * reads the files, without the delay of MCPHOST_OPT_RELOAD_DEBOUNCE.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the host follows no file),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_reload(mcphost *host);

/*
 * mcphost_restart_server - start a server anew although its configuration has not
 * changed.
 *
 * Use this function for a server whose program has changed.  The new instance takes over
 * when it has come up and has listed its tools.  Until then, and if the new instance
 * fails, the old instance carries out the calls.  MCPHOST_EVENT_SERVER and problems
 * report the outcome.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the configuration that was applied last
 *   declares no server with this id), MCPHOST_E_STATE (the entry of the server is invalid
 *   or disabled), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_restart_server(mcphost *host, const char *server_id);

/*
 * mcphost_set_server_enabled - write `enabled` of a server into the file that is
 * followed.
 *
 * No other byte of the file changes.  A thread that dispatches writes the file and
 * applies the edit at once.  If the file cannot be written, a line in the log says why.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the configuration that was applied last
 *   declares no server with this id), MCPHOST_E_STATE (the host follows no file that can
 *   be edited), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_server_enabled(mcphost *host, const char *server_id,
                                           int enabled);

/*
 * mcphost_get_order_serial - get the serial of the last order.
 *
 * Each accepted load, reload, restart, edit of a server's `enabled` and removal of a
 * source is an order, of the host or of one of its sources.  Orders are counted from 1.
 * Right after a function has given an order, mcphost_get_order_serial() returns the
 * serial of that order, or a later serial if another thread has given an order in the
 * meantime.
 *
 * MCPHOST_EVENT_SETTLED with this serial or a later serial says that the order was
 * carried out and that each server that it started has come up or failed.  Problems
 * report the failures.
 *
 * Returns: the serial of the last order, or 0 if the host has accepted no order yet, if
 *   `host` is NULL, or if the process is a forked child.
 * Since: 0.1
 */
MCPHOST_API uint64_t mcphost_get_order_serial(mcphost *host);

/*
 * A verdict says which era of the protocol a server speaks: 2026-07-28 or an earlier
 * version.  If the host has a verdict on a server, it need not find out the era at the
 * next start of the server.  The library learns verdicts and keeps them in memory.  An
 * application may store them between runs.  The keys of the verdicts are hashed with
 * `salt`, so that the stored text reveals no secret.  Keep the salt beside the verdicts.
 */

/*
 * mcphost_set_verdicts - give the host verdicts of an earlier run.
 *
 * `json` is the text of mcphost_get_verdicts() with the same salt.  If an earlier call
 * had another salt, the verdicts of that call are dropped.  Of two verdicts with the same
 * key, the newer one is kept.  The function ignores verdicts for the legacy era that are
 * older than 7 days, and entries that cannot be read.
 *
 * Errors: MCPHOST_E_INVALID (`json` is not JSON, or the salt is shorter than 16 bytes),
 *   MCPHOST_E_STATE (the host is loaded already), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_verdicts(mcphost *host, const void *salt, size_t salt_len,
                                     const char *json, size_t len);

/*
 * mcphost_get_verdicts - get the verdicts on servers as JSON.
 *
 * Verdicts that mcphost_set_verdicts() has set with the same salt are included, even if
 * their servers did not run.
 *
 * Errors: MCPHOST_E_INVALID (the salt is shorter than 16 bytes), MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_verdicts(mcphost *host, const void *salt, size_t salt_len,
                                     MCPHOST_OWNED char **ret_json, size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
