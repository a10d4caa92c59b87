/* SPDX-License-Identifier: MIT
 *
 * plugins.h - a directory of shared objects that add tools, resources, prompts and a
 * sampler to a host.
 *
 *   new -> set_config, set_reload -> scan -> (files come, change, go) -> close
 *
 * Plugins are code that runs in this process: nothing loads any unless the application
 * asks for it.  Each file NAME.so of the directory is a plugin (plugin.h) with the id
 * NAME, and becomes a server of this id in the source.  Files are loaded one by one from
 * dispatch; a plugin that fails costs that plugin and is one problem.
 * mcphost-plugins(7) says which files are accepted.
 *
 * All functions may be called from any thread.
 */
#ifndef MCPHOST_PLUGINS_H
#define MCPHOST_PLUGINS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcphost_plugins mcphost_plugins;
typedef struct mcphost_plugin_rows mcphost_plugin_rows;

/* States of a plugin.  Since: 0.1 */
enum mcphost_plugin_state {
    MCPHOST_PLUGIN_STATE_LOADING = 1,  /* its turn is to come */
    MCPHOST_PLUGIN_STATE_LOADED = 2,   /* what it adds can be used.  With an error: the
                                        * file has changed, and the new one is refused */
    MCPHOST_PLUGIN_STATE_FAILED = 3,   /* the error says why */
    MCPHOST_PLUGIN_STATE_DISABLED = 4, /* the configuration names it */
    MCPHOST_PLUGIN_STATE_ENDING = 5    /* it finishes the calls that it has */
};

/*
 * mcphost_plugins_new - the plugins of a directory, for a source.
 *
 * `dir` is an absolute path.  It need not exist.  Nothing is read before
 * mcphost_plugins_scan().
 *
 * Returns 0, MCPHOST_E_INVALID (also a path that is not absolute), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_plugins_new(mcphost_source *source, const char *dir,
                    MCPHOST_OWNED mcphost_plugins **ret_plugins,
                    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_plugins *
mcphost_plugins_ref(MCPHOST_NULLABLE mcphost_plugins *plugins);

/* Drops a reference.  Plugins that were scanned live on until mcphost_plugins_close(), or
 * until the host ends.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_plugins *
mcphost_plugins_unref(MCPHOST_NULLABLE mcphost_plugins *plugins);

/*
 * mcphost_plugins_set_config - which plugins are wanted, and their settings.
 *
 * `json` is an object of `len` bytes, such as
 *
 *     {"plugins": {"disabled": ["ID"]}, "tool_configs": {"ID": {"key": "value"}}}
 *
 * The object under its id is a plugin's configuration, of whatever kind it is, over the
 * defaults that the plugin has set (mcphost_provider_set_defaults()).  A string "${VAR}"
 * that is the value of a member, at any depth but not within an array, stands for the
 * variable of the environment that servers inherit, and for "" if there is none.  Other
 * members are ignored.  A second one replaces the first.  Before the scan.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT (more than 1 MiB), MCPHOST_E_STATE
 * (mcphost_plugins_scan() was called), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_plugins_set_config(mcphost_plugins *plugins, const char *json, size_t len,
                           MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_plugins_set_only - leave all plugins but one out.
 *
 * The others are neither loaded nor shown as rows.  NULL: all are wanted.  Before the
 * scan.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_set_only(mcphost_plugins *plugins,
                                         MCPHOST_NULLABLE const char *id);

/*
 * mcphost_plugins_set_reload - how changes of the directory are noticed.
 *
 * `mode` is MCPHOST_RELOAD_WATCH, which is the default, MCPHOST_RELOAD_POLL, or
 * MCPHOST_RELOAD_EXPLICIT: by further calls of mcphost_plugins_scan() alone.  The
 * intervals are those of the source, MCPHOST_OPT_RELOAD_POLL and
 * MCPHOST_OPT_RELOAD_DEBOUNCE.  Before the scan.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_set_reload(mcphost_plugins *plugins, int mode);

/*
 * mcphost_plugins_scan - load what is there, and follow the directory from now on.
 *
 * Returns at once; dispatch does the rest, and MCPHOST_EVENT_PLUGINS tells when each file
 * has had its attempt.  Plugins are set up in the order resources, prompts, tools,
 * sampling, those of one kind in the order of their ids; all that have succeeded then
 * become servers.  From there on the host's options are fixed as after a load.  A host
 * that is to be loaded afterwards has its sampler by then.  Called again, it looks at the
 * directory again.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (closed), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_scan(mcphost_plugins *plugins);

/*
 * mcphost_plugins_wait - dispatch until nothing is to be done.
 *
 * That is, each file that was seen has had its attempt, and no plugin is about to end.
 * `timeout_ms` -1: no limit.  As mcphost_wait_ready(): from many threads at once, not
 * from a callback.
 *
 * Returns 1, 0 when the time is over, MCPHOST_E_WOKEN (mcphost_wake()), MCPHOST_E_BUSY
 * (from a callback), MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_wait(mcphost_plugins *plugins, int64_t timeout_ms);

/*
 * mcphost_plugins_close - end all of them.
 *
 * As if the directory had become empty: each plugin finishes the calls that it has
 * (mcphost_provider_close()), is torn down, and unloaded.  The directory is followed no
 * more.  Closing the host or removing the source does the same.  Returns at once.
 *
 * Returns 0 (also if it was closed before), MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_close(mcphost_plugins *plugins);

/* ---- what has become of the files -------------------------------------------------- */

/*
 * mcphost_plugins_get_rows - a snapshot: a row for each plugin, in the order of the ids.
 *
 * *ret_rows gets a reference to an immutable object.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugins_get_rows(mcphost_plugins *plugins,
                                         MCPHOST_OWNED mcphost_plugin_rows **ret_rows);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_plugin_rows *
mcphost_plugin_rows_ref(MCPHOST_NULLABLE mcphost_plugin_rows *rows);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_plugin_rows *
mcphost_plugin_rows_unref(MCPHOST_NULLABLE mcphost_plugin_rows *rows);

/* How many.  Since: 0.1 */
MCPHOST_API size_t mcphost_plugin_rows_count(const mcphost_plugin_rows *rows);

/* The plugin's id, which is that of its server; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_plugin_rows_get_id(const mcphost_plugin_rows *rows, size_t index);

/* MCPHOST_PLUGIN_*; 0: not known yet, or past the end.  Since: 0.1 */
MCPHOST_API int mcphost_plugin_rows_get_kind(const mcphost_plugin_rows *rows,
                                             size_t index);

/* The path of its file, which may be no UTF-8; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_plugin_rows_get_file(const mcphost_plugin_rows *rows, size_t index);

/* MCPHOST_PLUGIN_STATE_*; 0 past the end.  Since: 0.1 */
MCPHOST_API int mcphost_plugin_rows_get_state(const mcphost_plugin_rows *rows,
                                              size_t index);

/* Why its file was refused, borrowed; NULL: it was not.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_error *
mcphost_plugin_rows_get_error(const mcphost_plugin_rows *rows, size_t index);

/*
 * mcphost_plugin_rows_make_json - all rows as JSON.
 *
 * An array of {"id":...,"kind":...,"file":...,"state":...,"error":...}: kind and state
 * are the names of the constants; kind is null while it is not known; error is null or
 * mcphost_error_make_json().  *ret_json is the caller's: mcphost_free(); *ret_len (may be
 * NULL) gets its bytes without the NUL.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (more than 256 MiB).
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugin_rows_make_json(const mcphost_plugin_rows *rows,
                                              MCPHOST_OWNED char **ret_json,
                                              MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
