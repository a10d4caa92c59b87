/* SPDX-License-Identifier: MIT
 *
 * host.h - the host: its life, its identity, its options, its configuration.
 *
 * A host owns servers, views, dialogs and calls.  Any release order of the
 * handles is legal: one that outlives its host answers MCPHOST_E_CLOSED.  All
 * functions may be called from any thread unless they say otherwise, callbacks
 * included, and none of them blocks or runs user code; in a forked child they
 * answer MCPHOST_E_FORKED.
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
MCPHOST_API int mcphost_new(mcphost **ret_host, mcphost_error **reterr);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API mcphost *mcphost_ref(mcphost *host);

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
MCPHOST_API mcphost *mcphost_unref(mcphost *host);

/*
 * mcphost_close - begin the orderly end.
 *
 * New calls are refused; outstanding ones complete with MCPHOST_E_CANCELLED;
 * servers are stopped by the ladder of mcphost(7).  The end is told by the event
 * MCPHOST_EVENT_CLOSED, and from then on mcphost_dispatch() answers
 * MCPHOST_E_CLOSED.  Idempotent.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.  (R107, R108)
 * Since: 0.1
 */
MCPHOST_API int mcphost_close(mcphost *host);

/*
 * mcphost_set_identity - how the host introduces itself to servers.
 *
 * `name` and `version` are MCP's clientInfo; `title` may be NULL.  Default
 * "libmcphost" and the library's version.  Before mcphost_load().
 *
 * Returns 0, MCPHOST_E_INVALID (NULL or not UTF-8), MCPHOST_E_STATE after
 * mcphost_load(), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_identity(mcphost *host, const char *name, const char *version,
                                     const char *title);

/*
 * mcphost_set_guard_path - the mcphost-guard program to run servers under.
 *
 * Default: the one that was installed with the library.  Before
 * mcphost_load().  Errors as mcphost_set_identity().
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_guard_path(mcphost *host, const char *path);

/*
 * mcphost_set_spool_dir - where messages go that are too large for memory.
 *
 * A message of more than MCPHOST_OPT_MESSAGE_BYTES is kept in a file without a name in
 * this directory, an absolute path, up to MCPHOST_OPT_SPOOL_BYTES, and its result is
 * mapped from there: it looks like any other.  Default: /var/tmp.  Where no file can
 * be made such a call fails with MCPHOST_E_LIMIT.  Before mcphost_load().  Errors as
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
 * never changed (R14).  Any time; later starts see it.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_environment(mcphost *host, const char *const *environment);

/*
 * mcphost_set_env - set one variable for servers; NULL: they do not see it.
 *
 * Over what mcphost_set_environment() or the process gives, and kept when that
 * changes; what MCPHOST_OPT_INHERIT_ENV holds back comes through when it is set here.
 * An entry's own `env` wins, and {env: NAME} reads it first.  The tools env_set and
 * env_unset of mcp_admin do the same.  `name` is [A-Za-z_][A-Za-z0-9_]*.  Any time;
 * later starts see it.  At most 1024 are set and 1024 hidden; what is beyond that or
 * 128 KiB is told by the log.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.  (B.14)
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_env(mcphost *host, const char *name, const char *value);

/*
 * mcphost_set_admin_env - which variables env_set and env_unset of mcp_admin may change.
 *
 * A model that has these tools may set what a server's entry names, in `env` or in
 * {env: NAME}, unless `refused` has it, and beyond that what `allowed` has.  Both are
 * NULL-terminated arrays of names, in which a `*` at the beginning or at the end stands
 * for any characters; upper and lower case are the same.  `refused` NULL: the library's
 * list of variables that make programs load code, start other programs, or trust and
 * contact somebody else (mcphost(7)).  `allowed` NULL: nothing beyond.  Copied.  Before
 * mcphost_load().
 *
 * Returns 0, MCPHOST_E_INVALID (no pattern of a name), MCPHOST_E_LIMIT (more than 4096),
 * MCPHOST_E_STATE after mcphost_load(), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_admin_env(mcphost *host, const char *const *refused,
                                      const char *const *allowed);

/*
 * mcphost_set_credential - a header for servers at URLs, such as Authorization.
 *
 * Sent with each request to `server` (its id; NULL: any) at `origin` (a URL of which
 * scheme, host and port count; NULL: any), and nowhere else; one of the two is needed.
 * What is set for both wins over what is set for the server, and that over what is set
 * for the origin; either over a header of the configuration with this name.  What is set
 * for a server alone goes to the origin that its configuration has then (before it is
 * loaded: at its first request) and to no other: when the configuration names another, it
 * must be set again, and a problem tells.  `value` NULL: no longer.  Headers of the
 * protocol cannot be set.  Any time; later requests have it.  At most 1024 are set.
 * Where the value changes from time to time, see MCPHOST_REQUEST_CREDENTIALS.
 *
 * Returns 0, MCPHOST_E_INVALID (an error says which part), MCPHOST_E_LIMIT,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_credential(mcphost *host, const char *server,
                                       const char *origin, const char *name,
                                       const char *value, mcphost_error **reterr);

/*
 * mcphost_drop_credentials - forget what was answered to MCPHOST_REQUEST_CREDENTIALS.
 *
 * For this server, or all (NULL): somebody logged out.  Later requests go without, and
 * a server that refuses them is asked for anew.  What mcphost_set_credential() set stays.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_drop_credentials(mcphost *host, const char *server);

/*
 * mcphost_load_workspace - follow DIR/.minds/mcp.yaml, or `file`.
 *
 * Reads the file, starts what it declares, and applies later edits to what runs
 * (MCPHOST_OPT_RELOAD; mcphost-reload(7)).  `file` NULL: DIR/.minds/mcp.yaml, which
 * may be missing.  Relative paths in it start at `dir`.  Returns at once: the file
 * is read from dispatch, and what is wrong with it becomes problems.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE when the host has a configuration,
 * MCPHOST_E_IO (the current directory cannot be told), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  (R1, R30, R88)
 * Since: 0.1
 */
MCPHOST_API int mcphost_load_workspace(mcphost *host, const char *dir, const char *file,
                                       mcphost_error **reterr);

/*
 * mcphost_load - start what a configuration declares.
 *
 * For applications that read configurations themselves.  Keeps a reference to
 * `config`.  Returns at once; servers are started from dispatch, each published as
 * it comes up (R30(a), R116).  Called again it applies the new configuration to
 * what runs: servers that did not change keep their processes, a changed one is
 * replaced when its successor has come up, one that is gone is stopped when its
 * calls are done.  A configuration whose status is not 0 starts nothing and, later,
 * changes nothing; its diagnostics become problems (R114).
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
 * serves.  What becomes of it is told by MCPHOST_EVENT_SERVER.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (not declared), MCPHOST_E_STATE
 * (invalid or disabled), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_restart_server(mcphost *host, const char *server_id);

/*
 * mcphost_set_server_enabled - write `enabled` into the file that is followed.
 *
 * No other byte of it changes; the edit is applied at once.  Done from dispatch:
 * a file that cannot be edited is told by the log.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (not declared), MCPHOST_E_STATE
 * (no file is followed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_server_enabled(mcphost *host, const char *server_id,
                                           int enabled);

/*
 * Verdicts on a server's era (2026-07-28 or before it) spare a probe at the next
 * start.  The library learns and uses them in memory; an application may keep
 * them between runs.  The key is keyed with `salt`, so that what is stored gives
 * no secret away: keep the salt with the verdicts.
 */

/*
 * mcphost_set_verdicts - hand in verdicts that were kept.
 *
 * `json` is what mcphost_get_verdicts() gave with the same salt; verdicts too
 * old to be trusted (legacy ones after 7 days) are passed over, and so is
 * what cannot be read.  Before mcphost_load().
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
 * *ret_json gets bytes that belong to the host and live until the next call of
 * this function or the end of the host; use it from one thread.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_verdicts(mcphost *host, const void *salt, size_t salt_len,
                                     const char **ret_json, size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
