/* SPDX-License-Identifier: MIT
 *
 * host.h - the host: its life, its identity, its options, its configuration.
 *
 * A host owns servers, views, dialogs and calls.  Any release order of the
 * handles is legal: one that outlives its host answers MCPHOST_E_CLOSED.  All
 * functions may be called from any thread unless they say otherwise, callbacks
 * included.  None of them blocks or runs user code, except the last mcphost_unref().  In
 * a forked child they answer MCPHOST_E_FORKED.
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
 * It starts nothing until mcphost_load().  *ret_host gets a reference.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (file
 * descriptors), MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_new(MCPHOST_OWNED mcphost **ret_host,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost *
mcphost_ref(MCPHOST_NULLABLE mcphost *host);

/*
 * mcphost_unref - drop a reference.
 *
 * The last one ends a host that was not closed: every server's tree is killed
 * at once and waited for, together at most one second; outstanding calls do
 * not complete, but each `free_arg` runs.  A host with a thread of its own
 * (mcphost_thread_start()) is first stopped.  Dialogs, calls and other handles may
 * live on; they hold no descriptor.  In a forked child it closes what the host had open
 * and frees nothing: another thread may have dispatched at the fork.  Returns NULL;
 * NULL is allowed.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_NULLABLE mcphost *mcphost_unref(MCPHOST_NULLABLE mcphost *host);

/*
 * mcphost_close - begin the orderly end.
 *
 * New calls are refused; outstanding ones complete with MCPHOST_E_CANCELLED;
 * servers are stopped as mcphost(7) describes ("The end").  When all is done the event
 * MCPHOST_EVENT_CLOSED comes, and from then on mcphost_dispatch() answers
 * MCPHOST_E_CLOSED.  Idempotent.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_close(mcphost *host);

/*
 * mcphost_close_within - the same with a deadline.
 *
 * The trees of servers that have not ended after `timeout_ms` milliseconds are killed,
 * and sessions over HTTP are given up; then MCPHOST_EVENT_CLOSED comes as ever.  0: at
 * once; -1: no deadline, as mcphost_close().  It may be called while the host is closing:
 * the earliest deadline holds.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_close_within(mcphost *host, int64_t timeout_ms);

/*
 * mcphost_set_identity - how the host introduces itself.
 *
 * `name` and `version` are MCP's clientInfo to servers, and its serverInfo to clients of
 * mcphost_serve_fd(); `title` may be NULL.  Default "libmcphost" and the library's
 * version.  Before mcphost_load().
 *
 * Returns 0, MCPHOST_E_INVALID (NULL or not UTF-8), MCPHOST_E_STATE after
 * mcphost_load(), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_identity(mcphost *host, const char *name, const char *version,
                                     MCPHOST_NULLABLE const char *title);

/*
 * mcphost_set_guard_path - the mcphost-guard program to run servers under.
 *
 * An absolute path.  Default: mcphost-guard in the libexecdir that the library was
 * configured with, without the DESTDIR of the installation; mcphost_new(3).  Before
 * mcphost_load().  Errors as mcphost_set_identity().
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_guard_path(mcphost *host, const char *path);

/*
 * mcphost_set_spool_dir - the directory for messages that are too large for memory.
 *
 * A message of more than MCPHOST_OPT_MESSAGE_BYTES is kept in a file without a name in
 * this directory, an absolute path, up to MCPHOST_OPT_SPOOL_BYTES, and its result is
 * mapped from there: it looks like any other.  Default: /var/tmp.  If no file can be
 * made, the call fails with MCPHOST_E_LIMIT.  Before mcphost_load().  Errors as
 * mcphost_set_identity().  Since: 0.1
 */
MCPHOST_API int mcphost_set_spool_dir(mcphost *host, const char *dir);

/*
 * mcphost_set_environment - what servers inherit instead of the process's
 * environment.
 *
 * `environment` is a NULL-terminated array of "NAME=value", copied; NULL goes
 * back to the process's own, which is read anew at each start of a server.
 * {env: NAME} in a configuration reads it too.  The process's environment is
 * never changed.  Any time; later starts see it.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_environment(mcphost *host,
                                        MCPHOST_NULLABLE const char *const *environment);

/*
 * mcphost_set_env - set one variable for servers; NULL: they do not see it.
 *
 * It wins over mcphost_set_environment() and the process's environment, and stays when
 * those change.  A variable set here reaches servers whatever MCPHOST_OPT_INHERIT_ENV is.
 * An entry's own `env` wins, and {env: NAME} reads it first.  The tools env_set and
 * env_unset of mcp_admin do the same.  `name` is [A-Za-z_][A-Za-z0-9_]*.  Any time;
 * later starts see it.  At most 1024 variables are set and 1024 hidden, and one has less
 * than 128 KiB; one beyond that is ignored, with a line in the log.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_env(mcphost *host, const char *name,
                                MCPHOST_NULLABLE const char *value);

/*
 * mcphost_set_admin_env - which variables env_set and env_unset of mcp_admin may change.
 *
 * A model that has these tools may set what a server's entry names, in `env` or in
 * {env: NAME}, unless `refused` has it, and beyond that what `allowed` has.  Both are
 * NULL-terminated arrays of names, in which a `*` at the beginning or at the end stands
 * for any characters; upper and lower case are the same.  `refused` NULL: the library's
 * list of variables that make programs load code, start other programs, or trust and
 * contact other machines (mcphost(7)).  `allowed` NULL: no other variable.  The arrays
 * are copied.  Before mcphost_load().
 *
 * Returns 0, MCPHOST_E_INVALID (not the pattern of a name), MCPHOST_E_LIMIT (over 4096),
 * MCPHOST_E_STATE after mcphost_load(), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_admin_env(mcphost *host,
                                      MCPHOST_NULLABLE const char *const *refused,
                                      MCPHOST_NULLABLE const char *const *allowed);

/*
 * mcphost_set_credential - a header for servers at URLs, such as Authorization.
 *
 * Sent with each request to `server` (its id; NULL: any) at `origin` (a URL of which
 * scheme, host and port count; NULL: any), and nowhere else; one of the two is needed.
 * A header set for both wins over one set for the server, that over one set for the
 * origin, and each over a header of the configuration with this name.  A header set for a
 * server alone is bound to the origin that the server's configuration has at that moment
 * (before it is loaded: at its first request); if the configuration names another origin
 * later, the header is not sent until it is set again, and a problem says so.  `value`
 * NULL takes the header back.  Headers of the protocol cannot be set.  Any time; later
 * requests have it.  At most 1024 are set.  For a value that changes from time to time,
 * see MCPHOST_REQUEST_CREDENTIALS.
 *
 * Returns 0, MCPHOST_E_INVALID (an error says which part), MCPHOST_E_LIMIT,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
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
 * For this server, or for all (NULL), when the user logs out.  Later requests go without;
 * if the server refuses them, the application is asked anew.  Headers of
 * mcphost_set_credential() stay.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_forget_credentials(mcphost *host,
                                           MCPHOST_NULLABLE const char *server);

/*
 * mcphost_load_workspace - follow DIR/.minds/mcp.yaml, or `file`.
 *
 * Reads the file, starts what it declares, and applies later edits to what runs
 * (MCPHOST_OPT_RELOAD; mcphost-reload(7)).  `file` NULL: DIR/.minds/mcp.yaml, which
 * may be missing.  Relative paths in it start at `dir`.  Returns at once: the file
 * is read from dispatch, and its errors become problems.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE when the host has a configuration,
 * MCPHOST_E_IO (the current directory cannot be told), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_load_workspace(mcphost *host, const char *dir, MCPHOST_NULLABLE const char *file,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_load - start what a configuration declares.
 *
 * For applications that read configurations themselves.  Keeps a reference to
 * `config`.  Returns at once; servers are started from dispatch, each published as
 * it comes up.  Called again it applies the new configuration to
 * what runs: a server that did not change keeps its process, a changed server is
 * replaced when its new process has come up, a removed one is stopped when its calls
 * are done.  A configuration whose status is not 0 starts nothing and, later,
 * changes nothing; its diagnostics become problems.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE after mcphost_load_workspace(),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_load(mcphost *host, mcphost_config *config);

/*
 * mcphost_reload - read the file of mcphost_load_workspace() again, now.
 *
 * From dispatch; the debounce is not waited for.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE when no file is followed,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_reload(mcphost *host);

/*
 * mcphost_restart_server - start a server anew though its configuration is the same.
 *
 * For a server whose program has changed.  The new instance takes over when it has
 * come up and listed its tools; until then, and if it does not, the old one
 * serves.  MCPHOST_EVENT_SERVER and problems tell the outcome.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (not declared), MCPHOST_E_STATE
 * (invalid or disabled), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_restart_server(mcphost *host, const char *server_id);

/*
 * mcphost_set_server_enabled - write `enabled` into the file that is followed.
 *
 * No other byte of it changes; the edit is applied at once.  The file is written from
 * dispatch; if that fails, a line in the log says why.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (not declared), MCPHOST_E_STATE
 * (no file is followed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_server_enabled(mcphost *host, const char *server_id,
                                           int enabled);

/*
 * mcphost_get_order_serial - the serial of the last order.
 *
 * Each load, reload, restart and edit of a server's `enabled` that is accepted, of the
 * host or of one of its sources, and each removal of a source, is an order with the next
 * serial, counted from 1.  Asked right after such a function it tells the order's own
 * serial, or a later one if another thread has ordered something meanwhile.
 * MCPHOST_EVENT_SETTLED with this serial or a later one says that the order was carried
 * out, and that each server that it started has come up or failed; problems tell what
 * went wrong.  0: nothing was ordered.
 *
 * Any thread; 0 for NULL and in a forked child.
 * Since: 0.1
 */
MCPHOST_API uint64_t mcphost_get_order_serial(mcphost *host);

/*
 * Verdicts on a server's era (2026-07-28 or before it) spare a probe at the next
 * start.  The library learns and uses them in memory; an application may keep
 * them between runs.  The key is keyed with `salt`, so that what is stored gives
 * no secret away: keep the salt with the verdicts.
 */

/*
 * mcphost_set_verdicts - hand in verdicts that were kept.
 *
 * `json` is what mcphost_get_verdicts() gave with the same salt; legacy verdicts older
 * than 7 days and entries that cannot be read are ignored.  Before mcphost_load().
 *
 * Returns 0, MCPHOST_E_INVALID (not JSON, salt shorter than 16 bytes),
 * MCPHOST_E_STATE, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_verdicts(mcphost *host, const void *salt, size_t salt_len,
                                     const char *json, size_t len);

/*
 * mcphost_get_verdicts - what is known of the servers' eras, as JSON.
 *
 * *ret_json is the caller's: mcphost_free().  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_verdicts(mcphost *host, const void *salt, size_t salt_len,
                                     MCPHOST_OWNED char **ret_json, size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
