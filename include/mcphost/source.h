/* SPDX-License-Identifier: MIT
 *
 * source.h - sources: sets of servers that a running host can gain and lose.
 *
 * A source is a set of servers with an id, policies and problems of its own.  It either
 * follows files (one file, several files, or a directory), or takes configurations from
 * the application.  Each host has a default source.  mcphost_load() and
 * mcphost_load_workspace() fill the default source.
 *
 * Server ids are unique within a source.  In texts, "SOURCE:SERVER" names a server of a
 * source other than the default source.  If the id of a server of the default source
 * could be mistaken for a name of this form, the text has "default:SERVER".  No other
 * source can have the id "default".
 *
 * The servers of a source are started when the source is loaded.  Views decide which
 * dialogs see their tools.  The default view shows the default source.
 * mcphost_view_add_source() adds any other source to a view.
 */
#ifndef MCPHOST_SOURCE_H
#define MCPHOST_SOURCE_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the default source of the host, or NULL if `host` is NULL.  The source belongs
 * to the host.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_source *
mcphost_default_source(MCPHOST_NULLABLE mcphost *host);

/*
 * mcphost_source_new - add a source to a host.
 *
 * The host keeps the source until mcphost_source_remove().
 *
 * Errors: MCPHOST_E_INVALID (`id` does not consist of 1 to 64 ASCII letters, digits, '_',
 *   '-' and '.'), MCPHOST_E_EXISTS (the host has a source of this id, or the id is
 *   "default"), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_new(mcphost *host, const char *id,
                                   MCPHOST_OWNED mcphost_source **ret_source,
                                   MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `source`.  If the application holds a reference to the default
 * source, this source outlives its host.  Functions that need the host then fail with
 * MCPHOST_E_CLOSED.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_source *
mcphost_source_ref(MCPHOST_NULLABLE mcphost_source *source);

/* Drops a reference that mcphost_source_new() or mcphost_source_ref() gave.  The source
 * stays in its host.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_source *
mcphost_source_unref(MCPHOST_NULLABLE mcphost_source *source);

/* Returns the id of the source, or NULL for the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_source_get_id(const mcphost_source *source);

/*
 * mcphost_source_set_policy - set a policy of this source alone.
 *
 * `policy` is one of the options MCPHOST_OPT_* that a source can have for itself:
 * policy.h says of each option whether a source can have its own value.  A source without
 * a value of its own has the value of the host's option.
 *
 * Errors: MCPHOST_E_INVALID (`policy` is not a policy of sources, or the value is not
 *   allowed; *reterr names the allowed values), MCPHOST_E_STATE (the source is loaded, a
 *   provider of the source was started, or the source was removed), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_source_set_policy(mcphost_source *source, int policy, int64_t value,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_source_get_policy - get the value of a policy that is in force for this source.
 *
 * The function gives the source's own value, or else the value of the host's option.
 *
 * Errors: MCPHOST_E_INVALID (`policy` is not a policy of sources), MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_get_policy(mcphost_source *source, int policy,
                                          int64_t *ret_value);

/*
 * mcphost_name_fn - make the name of a tool or prompt.
 *
 * `server_id` is the id of the server.  `name` is the name that the server gives, as the
 * transforms of the server have changed it.  The two texts are UTF-8.  They are valid
 * only while the function runs.  The function is not called for names that the server's
 * filter rejects.
 *
 * Write the name into `buffer`.  `buffer` has `size` bytes, at least 256, and holds ""
 * at first.  To refuse the name, write the reason into `buffer`, or nothing.  A tool or
 * prompt whose name is refused is left out.  A problem (mcp_tool_name_refused for a
 * tool) gives the reason.
 *
 * The host calls the function with no lock held, whenever the host reads a list of tools
 * or prompts from a server of the source, or the configuration of a server is edited.
 * The host may call the function several times for one tool.  The function must give the
 * same name for the same server and name each time.  The function must not wait.
 *
 * Returns: 0, or MCPHOST_E_DENIED or any other number if it refuses the name.
 * Thread: the thread that dispatches.
 * Since: 0.1
 */
typedef int (*mcphost_name_fn)(const char *server_id, const char *name, char *buffer,
                               size_t size, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_source_set_name_fn - have a function make the names of the tools and prompts of
 * this source.
 *
 * The policy MCPHOST_OPT_NAMES of the source becomes MCPHOST_NAMES_CALLBACK.  If `fn` is
 * NULL, the source loses the function and its own value of the policy.
 *
 * The name that the function gives must be valid, and no other tool of the server may
 * have it.  Otherwise the tool is left out, as if a transform had made the name.  If the
 * policy of a source is MCPHOST_NAMES_CALLBACK and there is no function, all its tools
 * and prompts are left out.  A problem reports each of them.
 *
 * The host takes ownership of `arg`, even if this function fails.  `free_arg` runs once:
 * from dispatch when another function has replaced `fn`, or when the source was removed
 * and its last server has ended.  `free_arg` also runs when the host ends.  If this
 * function fails, it calls `free_arg` before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the source is loaded, a provider of the
 *   source was started, or the source was removed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_set_name_fn(mcphost_source *source,
                                           MCPHOST_NULLABLE mcphost_name_fn fn,
                                           MCPHOST_NULLABLE void *arg,
                                           MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_source_load - start the servers that a configuration declares.
 *
 * The function works like mcphost_load(), but for this source.  A second call applies the
 * new configuration to the servers that run.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the source follows files, or was removed),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_load(mcphost_source *source, mcphost_config *config);

/*
 * mcphost_source_follow_workspace - follow the file DIR/.minds/mcp.yaml, or `file`.
 *
 * The function works like mcphost_load_workspace(), but for this source.  If `file` is
 * NULL, the file is DIR/.minds/mcp.yaml.  That file may be missing.
 *
 * Errors: MCPHOST_E_INVALID (`dir` or `file` is empty), MCPHOST_E_STATE (the source is
 *   loaded, or was removed), MCPHOST_E_IO (the current directory cannot be determined),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_source_follow_workspace(mcphost_source *source, const char *dir,
                                MCPHOST_NULLABLE const char *file,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_source_follow_files - follow several files as one configuration.
 *
 * `files` has 1 to 1,000 paths of files that have the form of .minds/mcp.yaml.  Relative
 * paths in `files` are resolved against the current directory.  Relative paths in the
 * files themselves are resolved against `workspace`.  The servers come in the order of
 * the files.
 *
 * A file that is bad or missing is a problem of its own.  It does not affect the servers
 * of other files.  The servers of a bad or missing file stay as they were when the file
 * was good, if MCPHOST_OPT_LAST_GOOD is MCPHOST_LAST_GOOD_KEEP.  If two files declare a
 * server of the same id, the source gets the server of the first file.  The other file
 * has a problem.
 *
 * Errors: MCPHOST_E_INVALID (`workspace` is empty, `n_files` is 0, or a path is NULL,
 *   empty or named twice), MCPHOST_E_LIMIT (`n_files` is larger than 1,000), those of
 *   mcphost_source_follow_workspace().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_source_follow_files(mcphost_source *source, const char *workspace,
                            const char *const *files, size_t n_files,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_source_follow_dir - follow the files of a directory as one configuration.
 *
 * The files are all NAME.yaml and NAME.yml of `dir`, in the order of the bytes of their
 * names.  The source ignores names that begin with a dot, and files of directories in
 * `dir`.  The source handles the files as mcphost_source_follow_files() describes.
 *
 * If a file is added, its servers are started.  If a file is removed, its servers end.
 * An empty directory declares no servers.  A directory that is missing, or has more than
 * 1,000 files of these names, is rejected as a whole, as a bad file is.
 *
 * Errors: MCPHOST_E_INVALID (`workspace` or `dir` is empty), those of
 *   mcphost_source_follow_workspace().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_source_follow_dir(mcphost_source *source, const char *workspace, const char *dir,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_source_reload - read the files of this source again, now.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the source follows no files, or was
 *   removed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_reload(mcphost_source *source);

/*
 * mcphost_source_restart_server - restart a server of this source.
 *
 * The function works like mcphost_restart_server(), but for this source.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the source declares no server with this
 *   id), MCPHOST_E_STATE (the entry of the server is invalid or disabled, or the source
 *   was removed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_restart_server(mcphost_source *source,
                                              const char *server_id);

/*
 * mcphost_source_set_server_enabled - write `enabled` of a server into the file that
 * declares it.
 *
 * The function works like mcphost_set_server_enabled(), but for this source.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the source declares no server with this
 *   id), MCPHOST_E_STATE (the source follows no files that the host can edit, or was
 *   removed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_set_server_enabled(mcphost_source *source,
                                                  const char *server_id, int enabled);

/*
 * mcphost_source_remove - remove a source from its host.
 *
 * The servers of the source end as after an edit that removes them: they finish their
 * calls in flight, then their processes are stopped.  The removal is an order
 * (mcphost_get_order_serial()).  Once the order is carried out, no catalog of a view has
 * the tools of the source.  If memory is short, the host tries again, and the order is
 * carried out later.
 *
 * MCPHOST_EVENT_SOURCE reports that the last server has ended.  The application may give
 * the id to a new source at once.  Removing a source again has no effect.
 *
 * Errors: MCPHOST_E_INVALID (the source is the default source), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_source_remove(mcphost_source *source);

#ifdef __cplusplus
}
#endif
#endif
