/* SPDX-License-Identifier: MIT
 *
 * plugins.h - load plugins: shared objects of a directory that add tools, resources,
 * prompts and a sampler to a host.
 *
 *   new -> set_config, set_reload -> scan -> (files are added, changed, removed) -> close
 *
 * The library loads plugins only if the application calls mcphost_plugins_scan(), because
 * a plugin is code that runs in this process.  Each file ID.so in the directory is a
 * plugin (plugin.h).  The plugin becomes a server of the source, with the id ID.  The
 * thread that dispatches loads the files one by one.  If a plugin fails, one problem
 * reports it.  The failure does not affect other plugins.  mcphost-plugins(7) says which
 * files are accepted.
 *
 * Any thread may call these functions.
 */
#ifndef MCPHOST_PLUGINS_H
#define MCPHOST_PLUGINS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcphost_plugins mcphost_plugins;
typedef struct mcphost_plugin_rows mcphost_plugin_rows;

/* The states of a plugin.  Since: 0.1 */
enum mcphost_plugin_state {
    MCPHOST_PLUGIN_STATE_LOADING = 1, /* the plugin waits to be loaded or set up */
    /* the features of the plugin can be used.  If the row has an error, the library has
     * refused a newer version of the file. */
    MCPHOST_PLUGIN_STATE_LOADED = 2,
    MCPHOST_PLUGIN_STATE_FAILED = 3,   /* the plugin is unusable; the error says why */
    MCPHOST_PLUGIN_STATE_DISABLED = 4, /* the configuration disables the plugin */
    MCPHOST_PLUGIN_STATE_ENDING = 5    /* the plugin finishes its calls */
};

/*
 * mcphost_plugins_new - create a handle for the plugins of a directory.
 *
 * `dir` is an absolute path.  The directory need not exist.  The plugins become servers
 * of `source`.  Nothing is read before mcphost_plugins_scan().
 *
 * Errors: MCPHOST_E_INVALID (the path is not absolute), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (the library was built
 *   without plugins).
 * Since: 0.1
 */
MCPHOST_API int
mcphost_plugins_new(mcphost_source *source, const char *dir,
                    MCPHOST_OWNED mcphost_plugins **ret_plugins,
                    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `plugins`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_plugins *
mcphost_plugins_ref(MCPHOST_NULLABLE mcphost_plugins *plugins);

/* Drops a reference to `plugins`.  Plugins that were scanned stay until
 * mcphost_plugins_close(), the removal of the source, or the end of the host.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_plugins *
mcphost_plugins_unref(MCPHOST_NULLABLE mcphost_plugins *plugins);

/*
 * mcphost_plugins_set_config - set which plugins are disabled, and their settings.
 *
 * `json` is an object of `len` bytes.  The function copies the object.  An example is
 *
 *     {"plugins": {"disabled": ["ID"]}, "tool_configs": {"ID": {"key": "value"}}}
 *
 * The function ignores other members.  The object replaces the object that was set
 * before.
 *
 * The object under the id of a plugin of any kind is the configuration of that plugin.
 * The configuration is merged over the defaults that the plugin sets
 * (mcphost_provider_set_defaults()).  A member at any depth, but not in an array, may
 * have a string "${VAR}" as its value.  The library replaces this string by the variable
 * VAR of the environment that servers inherit, or by "" if the variable is not set.
 *
 * Errors: MCPHOST_E_INVALID (the text is not a JSON object, or a member has the wrong
 *   type; the error names the place), MCPHOST_E_LIMIT (the text is longer than 1 MiB, or
 *   nested deeper than 64 levels), MCPHOST_E_STATE (the application has called
 *   mcphost_plugins_scan() or mcphost_plugins_close()), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_plugins_set_config(mcphost_plugins *plugins, const char *json, size_t len,
                           MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_plugins_set_only - use one plugin of the directory, and ignore all other
 * plugins.
 *
 * `id` is the id of the plugin.  NULL, the default, means all plugins.  A plugin that is
 * ignored is not loaded and has no row.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the application has called
 *   mcphost_plugins_scan() or mcphost_plugins_close()), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_set_only(mcphost_plugins *plugins,
                                         MCPHOST_NULLABLE const char *id);

/*
 * mcphost_plugins_set_reload - set how the library notices changes of the directory.
 *
 * In the mode MCPHOST_RELOAD_WATCH, the default, the kernel reports changes, and the
 * library also checks the directory at intervals.  In the mode MCPHOST_RELOAD_POLL the
 * library only checks the directory at intervals.  In the mode MCPHOST_RELOAD_EXPLICIT
 * the library reads the directory only when mcphost_plugins_scan() is called again.  The
 * policy MCPHOST_OPT_RELOAD_POLL of the source sets the interval.  The policy
 * MCPHOST_OPT_RELOAD_DEBOUNCE sets how long the library waits after a change that the
 * kernel reports.
 *
 * Errors: MCPHOST_E_INVALID (`mode` is not MCPHOST_RELOAD_WATCH, MCPHOST_RELOAD_POLL or
 *   MCPHOST_RELOAD_EXPLICIT), MCPHOST_E_STATE (the application has called
 *   mcphost_plugins_scan() or mcphost_plugins_close()), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_set_reload(mcphost_plugins *plugins, int mode);

/*
 * mcphost_plugins_scan - load the plugins of the directory, and begin to follow the
 * directory.
 *
 * The function returns at once.  The thread that dispatches does the work.
 * MCPHOST_EVENT_PLUGINS reports that each file was loaded or refused.  If the function is
 * called again, the directory is read again.
 *
 * Plugins are set up in the order resources, prompts, tools, sampling, and in the order
 * of their ids within a kind.  Then all plugins whose setup has succeeded become servers.
 * After that, the options of the host are fixed, as after a load.
 *
 * To use a sampling plugin, wait for the plugins (mcphost_plugins_wait()) before the host
 * is loaded: servers learn at their start whether the host answers sampling requests.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the plugins are closed, or the source is
 *   removed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_scan(mcphost_plugins *plugins);

/*
 * mcphost_plugins_wait - dispatch until there is nothing left to do for the plugins.
 *
 * Nothing is left to do when each file was loaded or refused, and no plugin is ending.
 * `timeout_ms` -1 means no limit.  Several threads may wait at once.  The function must
 * not be called from a callback.
 *
 * Returns: 1 if each file was loaded or refused and no plugin is ending, 0 if
 *   `timeout_ms` milliseconds have passed.
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_WOKEN, MCPHOST_E_BUSY (a callback called
 *   mcphost_plugins_wait()), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_wait(mcphost_plugins *plugins, int64_t timeout_ms);

/*
 * mcphost_plugins_close - end all plugins.
 *
 * The plugins end as if the directory had become empty.  Each plugin finishes the calls
 * that it has, as after mcphost_provider_close().  Then it is torn down and unloaded.
 * The directory is not followed any more.  The function returns at once.
 *
 * Removing the source, or closing the host, ends the plugins, too.
 *
 * Returns: 0 (also if the plugins were closed before).
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_close(mcphost_plugins *plugins);

/* ---- rows -------------------------------------------------------------------------- */

/*
 * mcphost_plugins_get_rows - get a snapshot of the plugins.
 *
 * The snapshot has one row for each plugin, in the order of the ids.  The snapshot does
 * not change.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_get_rows(mcphost_plugins *plugins,
                                         MCPHOST_OWNED mcphost_plugin_rows **ret_rows);

/* Takes a reference to `rows`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_plugin_rows *
mcphost_plugin_rows_ref(MCPHOST_NULLABLE mcphost_plugin_rows *rows);

/* Drops a reference to `rows`.  Dropping the last reference frees the rows.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_plugin_rows *
mcphost_plugin_rows_unref(MCPHOST_NULLABLE mcphost_plugin_rows *rows);

/* Returns the number of rows, one for each plugin.  Since: 0.1 */
MCPHOST_API size_t mcphost_plugin_rows_count(const mcphost_plugin_rows *rows);

/* Returns the id of the plugin and of its server, or NULL if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_plugin_rows_get_id(const mcphost_plugin_rows *rows, size_t index);

/* Returns the kind of the plugin, MCPHOST_PLUGIN_*, or 0 if the file was never loaded or
 * if `index` is past the end.  Since: 0.1 */
MCPHOST_API int mcphost_plugin_rows_get_kind(const mcphost_plugin_rows *rows,
                                             size_t index);

/* Returns the path of the plugin's file, or NULL if `index` is past the end.  The path
 * need not be UTF-8.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_plugin_rows_get_file(const mcphost_plugin_rows *rows, size_t index);

/* Returns the state of the plugin, one of MCPHOST_PLUGIN_STATE_*, or 0 if `index` is past
 * the end.  Since: 0.1 */
MCPHOST_API int mcphost_plugin_rows_get_state(const mcphost_plugin_rows *rows,
                                              size_t index);

/* Returns the error that explains why the library refused the plugin's file or why the
 * plugin's setup failed, or NULL if the plugin has no error or if `index` is past the
 * end.  The error belongs to the rows.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_error *
mcphost_plugin_rows_get_error(const mcphost_plugin_rows *rows, size_t index);

/*
 * mcphost_plugin_rows_make_json - get all rows as JSON.
 *
 * *ret_json gets an array with one object for each row:
 *
 *     {"id": ..., "kind": ..., "file": ..., "state": ..., "error": ...}
 *
 * `kind` and `state` are the names of the constants (mcphost_enum_get_name()).  `kind` is
 * null while the kind is not known.  `error` is null, or an object as
 * mcphost_error_make_json() makes it.  The caller frees the text with mcphost_free().
 * *ret_len gets the number of its bytes without the NUL.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_LIMIT (the text is longer than 256 MiB),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugin_rows_make_json(const mcphost_plugin_rows *rows,
                                              MCPHOST_OWNED char **ret_json,
                                              MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
