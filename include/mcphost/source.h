/* SPDX-License-Identifier: MIT
 *
 * source.h - sets of servers that come and go while a host runs.
 *
 * A source is one set of servers with an id, policies and problems of its own: it follows
 * a file, several files or a directory, or is given configurations.  A host has a default
 * source from the beginning, which mcphost_load() and mcphost_load_workspace() fill.
 * Server ids are unique within a source.  Where a text names a server of another source
 * than the default one, it is "SOURCE:SERVER".  Where a server of the default source must
 * be told apart, it is "default:SERVER", so no other source may have the id "default".
 *
 * What a source declares is started as soon as it is loaded.  Who sees its tools is
 * decided by views: the default view shows the default source, any other source is shown
 * where mcphost_view_add_source() puts it.
 */
#ifndef MCPHOST_SOURCE_H
#define MCPHOST_SOURCE_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host's default source, borrowed from the host.  NULL for NULL.  Any thread.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_source *
mcphost_default_source(mcphost *host);

/*
 * mcphost_source_new - add a source to a host.
 *
 * `id` has 1 to 64 letters, digits, '_', '-' or '.'.  *ret_source gets a reference; the
 * host keeps another until mcphost_source_remove().  Any time, any thread.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_EXISTS (the host has a source of this id,
 * or it is "default"),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_new(mcphost *host, const char *id,
                                   MCPHOST_OWNED mcphost_source **ret_source,
                                   MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference, also to a default source, which then outlives its host (and answers
 * MCPHOST_E_CLOSED).  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_source *
mcphost_source_ref(MCPHOST_NULLABLE mcphost_source *source);

/* Drops a reference that mcphost_source_new() or mcphost_source_ref() gave; the source
 * stays in its host.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_source *
mcphost_source_unref(MCPHOST_NULLABLE mcphost_source *source);

/* Its id, borrowed from the source; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_source_get_id(const mcphost_source *source);

/*
 * mcphost_source_set_policy - set a policy of this source alone.
 *
 * `policy` is one of the MCPHOST_OPT_* that are policies of sources, see
 * mcphost_set_option(3).  Where a source has none of its own the host's option holds.
 * Before the source is loaded.
 *
 * Returns 0, MCPHOST_E_INVALID (no policy of sources, or a value out of range; *reterr
 * says which values there are), MCPHOST_E_STATE (the source is loaded),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_source_set_policy(mcphost_source *source, int policy, int64_t value,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_source_get_policy - what holds for this source.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_get_policy(mcphost_source *source, int policy,
                                          int64_t *ret_value);

/*
 * Makes the name of a tool or prompt.
 *
 * `server_id` is the id of its server, `name` what the transforms have made of the name
 * that the server gives; the server's filter has passed it.  Both are valid UTF-8, and
 * last as long as the function runs.  It writes into `buffer`, which has `size` bytes,
 * 256 at least, and holds "" before: the name, and returns 0; or why it refuses, a text
 * that may stay empty, and returns MCPHOST_E_DENIED or any other number.  A tool that is
 * refused is left out, and a problem (mcp_tool_name_refused) has the reason.
 *
 * It is called in mcphost_dispatch() with no lock held, whenever a list of the source's
 * servers is read or their configuration is edited: several times for one tool.  For the
 * same server and name it must give the same name each time, and it must not wait.
 * Since: 0.1
 */
typedef int (*mcphost_name_fn)(const char *server_id, const char *name, char *buffer,
                               size_t size, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_source_set_name_fn - name the tools and prompts of this source by a function.
 *
 * Sets the policy MCPHOST_OPT_NAMES of the source, too, to MCPHOST_NAMES_CALLBACK.  `fn`
 * NULL takes the function away, and the policy that the source has of its own.  Before
 * the source is loaded.
 *
 * Takes over `arg` whatever it returns: `free_arg` (may be NULL) runs once, from dispatch
 * when another function has taken its place or the source was removed and its last server
 * has ended, when the host ends, or before this returns if it fails.  Any thread.
 *
 * The name that comes out must be valid, and two tools must not have the same one; else
 * the tool is left out as if transforms had made the name.  A source whose policy is
 * MCPHOST_NAMES_CALLBACK and that has no function leaves out all tools and prompts, with
 * a problem for each.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (the source is loaded),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_set_name_fn(mcphost_source *source,
                                           MCPHOST_NULLABLE mcphost_name_fn fn,
                                           MCPHOST_NULLABLE void *arg,
                                           MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_source_load - start what a configuration declares.
 *
 * As mcphost_load() does it for the default source: also again and again.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (the source follows files, or was
 * removed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_load(mcphost_source *source, mcphost_config *config);

/*
 * mcphost_source_follow_workspace - follow DIR/.minds/mcp.yaml, or `file`.
 *
 * As mcphost_load_workspace() does it for the default source.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (the source is loaded, or was removed),
 * MCPHOST_E_IO, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_source_follow_workspace(mcphost_source *source, const char *dir,
                                MCPHOST_NULLABLE const char *file,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_source_follow_files - follow several files.
 *
 * `files` has 1 to 1,000 paths, each of a file of the form of .minds/mcp.yaml; a relative
 * one starts from the current directory.  Relative paths in the files start from
 * `workspace`.  The servers come in the order of the files.  A file that is bad or
 * missing is a problem of its own and costs no server of the others; its own servers stay
 * as they were when it was good, if MCPHOST_OPT_LAST_GOOD says so.  A server id that an
 * earlier file declares stays with that file; the later file has the problem.
 *
 * Returns as mcphost_source_follow_workspace(); MCPHOST_E_INVALID also for a path that is
 * NULL, empty or named twice, MCPHOST_E_LIMIT for more than 1,000.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_source_follow_files(mcphost_source *source, const char *workspace,
                            const char *const *files, size_t n_files,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_source_follow_dir - follow the files of a directory.
 *
 * As mcphost_source_follow_files() with the files NAME.yaml and NAME.yml of `dir`, in the
 * order of the bytes of their names.  Names that begin with a dot are passed over, and
 * directories in `dir` are not entered.  A file that is added starts its servers; a file
 * that is removed ends them.  An empty directory declares no servers.  A directory that
 * is missing, or has more than 1,000 files, is rejected as a whole, as a single file is.
 *
 * Returns as mcphost_source_follow_workspace().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_source_follow_dir(mcphost_source *source, const char *workspace, const char *dir,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_source_reload - read the files of this source again, now.
 *
 * Returns as mcphost_reload().
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_reload(mcphost_source *source);

/*
 * mcphost_source_restart_server, mcphost_source_set_server_enabled - of this source.
 *
 * They do and return what mcphost_restart_server() and mcphost_set_server_enabled() do
 * for the default source.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_restart_server(mcphost_source *source,
                                              const char *server_id);
MCPHOST_API int mcphost_source_set_server_enabled(mcphost_source *source,
                                                  const char *server_id, int enabled);

/*
 * mcphost_source_remove - take a source out of its host.
 *
 * Its servers end as those that an edit takes out: calls in flight are carried to their
 * end, then the processes are stopped.  The removal is an order
 * (mcphost_get_order_serial()): once it is carried out, the tools are in no catalog of a
 * view.  Short of memory the host tries again, and carries the order out then.
 * MCPHOST_EVENT_SOURCE tells when the last server has ended.  The id is free again at
 * once.  Removing twice changes nothing.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID (also: the default source), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_remove(mcphost_source *source);

#ifdef __cplusplus
}
#endif
#endif
