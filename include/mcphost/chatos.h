/* SPDX-License-Identifier: MIT
 *
 * chatos.h - servers and prompts that the apps of ChatOS plugins contribute.
 *
 *     FOLDER/PLUGIN/plugin.json      a plugin and its apps
 *
 * An app may have an MCP server and a prompt of its own, and may expose servers and
 * prompts of the application.  A registry scans two folders of plugins for apps.
 * mcphost_chatos_follow() gives the apps' own servers to a source.
 * mcphost_chatos_inject() gives a view the servers and prompts that an agent has
 * selected, for one run.  mcphost-chatos(7) describes the files.
 *
 * Lists and records are JSON texts, the form in which ChatOS stores them.  Any thread may
 * call these functions.  <mcphost/mcphost.h> does not include this header.
 */
#ifndef MCPHOST_CHATOS_H
#define MCPHOST_CHATOS_H

#include <mcphost/chatos_run.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A registry of apps.  Since: 0.1 */
typedef struct mcphost_chatos mcphost_chatos;

/* The directories of a registry.  Since: 0.1 */
enum mcphost_chatos_dir {
    /* the folder of the user's plugins, by default ui_apps/plugins in the state
     * directory */
    MCPHOST_CHATOS_PLUGINS = 0,
    /* the folder of built-in plugins, by default ui_apps/plugins in the project
     * directory.  A plugin of the user replaces a built-in plugin with the same id. */
    MCPHOST_CHATOS_BUILTIN_PLUGINS = 1,
    /* the directory of default lists.  The file PLUGIN__APP.yaml, PLUGIN__APP.yml or
     * PLUGIN__APP.json completes the description of an app (mcphost-chatos(7)). */
    MCPHOST_CHATOS_DEFAULTS = 2,
    /* the state directory.  Its subdirectory ui_apps/data/PLUGIN is the data directory of
     * a plugin. */
    MCPHOST_CHATOS_STATE = 3,
    MCPHOST_CHATOS_PROJECT = 4, /* the project directory; servers get it as projectRoot */
    MCPHOST_CHATOS_SESSION = 5  /* the session directory; servers get it as sessionRoot */
};

/* Flags of mcphost_chatos_set_flags().  Since: 0.1 */
enum mcphost_chatos_flag {
    /* the library replaces a variable such as $dataDir anywhere in a string of
     * `callMeta`, and removes a variable that has no value.  Without this flag, the
     * library replaces a variable only if the variable is the whole string and has a
     * value. */
    MCPHOST_CHATOS_SUBSTITUTE = 1,
    /* `callMeta` may replace the members that the library sets in `chatos.uiApp` of a
     * call's `_meta` */
    MCPHOST_CHATOS_IDENTITY = 2,
    /* the library does not add `workdir`, `sessionRoot` and `projectRoot` to the `_meta`
     * of a call.  `callMeta` may still have these members. */
    MCPHOST_CHATOS_BARE = 4,
    /* an agent may select servers and prompts that the app does not expose */
    MCPHOST_CHATOS_ANY_ID = 8
};

/* The kind of agent that uses a server or prompt.  Since: 0.1 */
enum mcphost_chatos_flow {
    MCPHOST_CHATOS_MAIN = 0, /* the agent that talks to the user (key `allowMain`) */
    MCPHOST_CHATOS_SUB = 1   /* a sub-agent (key `allowSub`) */
};

/*
 * mcphost_chatos_new - make a registry without apps.
 *
 * The registry ends when its last reference is dropped.  Sources that follow the registry
 * keep the servers that they have.  Once the host is closed, the functions of the
 * registry fail with MCPHOST_E_CLOSED.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM,
 *   MCPHOST_E_UNSUPPORTED (the library was built without the profiles of other programs).
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_new(mcphost *host,
                                   MCPHOST_OWNED mcphost_chatos **ret_chatos,
                                   MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);
/* Takes a reference to `chatos`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_chatos *
mcphost_chatos_ref(MCPHOST_NULLABLE mcphost_chatos *chatos);
/* Drops a reference to `chatos`.  Dropping the last reference ends the registry.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_chatos *
mcphost_chatos_unref(MCPHOST_NULLABLE mcphost_chatos *chatos);

/*
 * mcphost_chatos_set_dir - set a directory of the registry.
 *
 * `dir` is a constant of enum mcphost_chatos_dir.  If `path` is NULL, the registry uses
 * the default of that directory, or no directory if there is no default.  The registry
 * copies `path`.  A relative `path` is resolved against the current directory.  The
 * directory need not exist.  Scans that begin later use it.
 *
 * Errors: MCPHOST_E_INVALID (`dir` is not a constant of enum mcphost_chatos_dir, or
 *   `path` is empty), MCPHOST_E_IO (the current directory cannot be determined),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_set_dir(mcphost_chatos *chatos, int dir, MCPHOST_NULLABLE const char *path,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_set_flags - set the flags of the registry.
 *
 * `flags` are constants of enum mcphost_chatos_flag, or'ed.  At first the flags are 0.
 * `flags` replace the earlier flags, and apply to configurations and runs that are made
 * later.
 *
 * Errors: MCPHOST_E_INVALID (`flags` has an unknown bit), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_set_flags(mcphost_chatos *chatos, uint64_t flags);

/*
 * mcphost_chatos_set_admin - set the application's own list of servers and prompts.
 *
 * `json` is an object of `len` bytes.  Either key may be missing, or both:
 *
 *     {"mcpServers": [{"id": "7", "name": "files", "allowMain": true}],
 *      "prompts": [{"id": "3", "name": "mcp_files", "content": "Use the files."}]}
 *
 * The list replaces the earlier list.  A server of the list is the server with the same
 * name in the host's default source (capitals and small letters are alike).  `id` is by
 * default the name.  `allowSub` is by default true.  `allowMain` is by default true for
 * a prompt, and for the servers subagent_router, task_manager and project_files.  For
 * any other server it is by default false.  A server of the default source that is not
 * in the list has these defaults, too.  A server or a prompt of the list may have
 * further members.  The registry keeps these members, because mcphost_chatos_sync()
 * compares them.
 *
 * Errors: MCPHOST_E_CONFIG (`json` is not a list of servers and prompts; the error has
 *   line, column and key), MCPHOST_E_LIMIT (`json` has more than 16 MiB),
 *   MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_set_admin(mcphost_chatos *chatos, const char *json, size_t len,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Handles the end of a scan.  Runs in mcphost_dispatch(), with no lock held.  Thread: the
 * thread that dispatches.  Since: 0.1 */
typedef void (*mcphost_chatos_scan_fn)(mcphost_chatos *chatos,
                                       MCPHOST_NULLABLE void *arg);

/*
 * mcphost_chatos_scan - read the folders of plugins again.
 *
 * The function returns at once.  The folders are read in mcphost_dispatch(), in short
 * steps.  The earlier apps stay until all folders are read.  If a plugin or app cannot be
 * used, mcphost_chatos_list_apps() reports it in a row with an error.  All other plugins
 * and apps stay usable.  If a scan fails for a reason outside of the plugins, such as too
 * many open files, the earlier apps stay.  The first scan always gives the apps that it
 * has found.
 *
 * `done` is called once, when a scan that began after this call is over.  If the host is
 * closed before, `done` is not called.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: after `done`, when the host is closed, or, if this function fails, before it
 * returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_scan(mcphost_chatos *chatos,
                                    MCPHOST_NULLABLE mcphost_chatos_scan_fn done,
                                    MCPHOST_NULLABLE void *arg,
                                    MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_chatos_wait - dispatch until no scan is under way.
 *
 * If `timeout_ms` is below 0, there is no limit.  Many threads may wait at once: one
 * thread dispatches, and the other threads sleep.
 *
 * Returns: 1 if no scan is under way, 0 if the time has passed.
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_BUSY (a callback called the function while a scan
 *   is under way), MCPHOST_E_WOKEN, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_wait(mcphost_chatos *chatos, int64_t timeout_ms);

/*
 * mcphost_chatos_list_apps - list the apps and the errors of the last scan.
 *
 * *ret_json gets an array.  The caller frees it with mcphost_free().  The array has a row
 * for each app:
 *
 *     {"plugin": "com.example.tools", "app": "db", "name": "Database",
 *      "server": "com.example.tools.db", "url": "cmd://node /p/db/server.mjs",
 *      "prompts": ["mcp_com_example_tools_db"], "mcpServers": true,
 *      "exposedPrompts": ["default"], "builtin": false, "dir": "/p", "error": null}
 *
 * `server` is null if the app has no server of its own.  `url` is null in this case, and
 * also if the entry of the server leads out of the plugin's directory, or if the command
 * line is too long.  The userinfo and the query of a URL that is no command line are
 * hidden.  `mcpServers` and `exposedPrompts` are true (all), a list of names, or null
 * (none).
 *
 * Rows with an `error` follow.  Each of these rows reports a plugin or app that cannot be
 * used, or a part of an app that is left out.  In a row with an error, an unknown id is
 * null.  Beyond 20 errors of one plugin, or 1,000 errors in all, one row says that
 * further errors are left out.  If the last scan failed for a reason outside of the
 * plugins, the rows have the apps of an earlier scan and the errors of the last scan.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_LIMIT (the text would have more than 64 MiB),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_list_apps(mcphost_chatos *chatos, MCPHOST_OWNED char **ret_json,
                         MCPHOST_NULLABLE size_t *ret_len,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_get_contribution - get everything that one app contributes.
 *
 * *ret_json gets this object:
 *
 *     {"pluginId": ..., "appId": ..., "name": ...,
 *      "mcp": {"name", "url", "description", "tags", "enabled", "allowMain", "allowSub",
 *              "callMeta"},
 *      "mcpPrompt": {"title", "zh": {"name", "text"}, "en": {"name", "text"}},
 *      "agent": {"name", "description", "modelId"},
 *      "mcpServers": ..., "prompts": ..., "errors": [...]}
 *
 * A part that the app does not have is null.  `mcp` is null also where
 * mcphost_chatos_list_apps() gives no URL.  A text that the app does not give, such as a
 * description, is empty.  `errors` are texts that describe the errors of the app.  The
 * function reads the files of the prompts.  The URL is complete and may have secrets.
 * The caller frees *ret_json with mcphost_free().
 *
 * Errors: MCPHOST_E_NOTFOUND (the registry has no app of these ids), those of
 *   mcphost_chatos_list_apps().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_get_contribution(mcphost_chatos *chatos, const char *plugin,
                                const char *app, MCPHOST_OWNED char **ret_json,
                                MCPHOST_NULLABLE size_t *ret_len,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_get_config - get the apps' own servers as a configuration.
 *
 * The configuration has the servers of the last scan that agents of `flow` may have.  A
 * server has the id "PLUGIN.APP".  The errors of the scan and of the servers are
 * diagnostics of the configuration.
 *
 * Errors: MCPHOST_E_INVALID (`flow` is neither MCPHOST_CHATOS_MAIN nor
 *   MCPHOST_CHATOS_SUB), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_IO (no project
 *   directory is set, and the current directory cannot be determined), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_get_config(mcphost_chatos *chatos, int flow,
                          MCPHOST_OWNED mcphost_config **ret_config,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_follow - have a source follow the apps' own servers.
 *
 * The source belongs to the registry's host.  After each scan the source gets the
 * configuration that mcphost_chatos_get_config() makes, unless the registry keeps the
 * apps of an earlier scan.  If a scan is over already, the source also gets the
 * configuration now.  If a scan no longer finds a server, the server ends as if an edit
 * had removed it.
 *
 * Policies that are not set for the source get the values of ChatOS.  With these values,
 * the name of a tool is mcp_SERVER_TOOL, HTTP+SSE is allowed, and a call may take 10
 * minutes.  Dialogs of one workspace share one connection to a server.  A dialog turn
 * keeps the servers that it began with.
 *
 * Errors: MCPHOST_E_INVALID (`flow` is neither MCPHOST_CHATOS_MAIN nor
 *   MCPHOST_CHATOS_SUB, or the source is from another host), MCPHOST_E_EXISTS (the source
 *   follows this registry already), MCPHOST_E_STATE (the source was removed, or a scan is
 *   over and the source follows files), those of mcphost_chatos_get_config().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_follow(mcphost_chatos *chatos, mcphost_source *source, int flow,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- one run of an agent ----------------------------------------------------------- */

/*
 * mcphost_chatos_check_record - check an agent's record of the apps that the agent has
 * selected.
 *
 * `json` is an object of `len` bytes:
 *
 *     {"uiApps": [{"pluginId": "com.example.tools", "appId": "db", "mcp": true,
 *                  "prompt": true, "mcpServerIds": ["7"], "promptIds": []}]}
 *
 * `pluginId` and `appId` are needed.  `mcp` and `prompt` are by default true.  Other
 * members are ignored.
 *
 * Errors: MCPHOST_E_CONFIG (`json` does not have the form of a record, or selects more
 *   than 1,000 apps; the error has line, column and key), MCPHOST_E_LIMIT (the record
 *   has more than 1 MiB), MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (the
 *   library was built without the profiles of other programs).
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_check_record(const char *json, size_t len,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_inject - give a view the servers and prompts that an agent has selected,
 * for one run.
 *
 * `record` has `len` bytes and the form that mcphost_chatos_check_record() checks.  The
 * apps of the record are handled in their order.
 *
 * If `mcp` is true, the first of these that exists is selected:
 *
 *     - the servers of `mcpServerIds` that the application has and the app exposes (a
 *       server with the name "PLUGIN.APP" counts as exposed); the ids "PLUGIN.APP" and
 *       "uiapp:PLUGIN.APP" also mean the app's own server
 *     - the application's server with the name "PLUGIN.APP", in upper or lower case
 *     - the app's own server, which starts for this run
 *
 * If `prompt` is true, the first of these that exists is selected:
 *
 *     - the prompts of `promptIds` that the application has and the app exposes
 *     - the application's prompt for the app
 *     - the app's own text
 *
 * `language` is "en" for English.  Any other value, also NULL, means Chinese.  If there
 * is no text in this language, the run gets a text in the other language.  If `language`
 * is "en", the application's Chinese prompt for the app comes before the app's own
 * English text.  If `language` means Chinese, the text in the other language can only be
 * the app's own English text: the run does not get the application's English prompt for
 * the app.
 *
 * Selected servers and prompts that agents of `flow` may not have are left out.
 *
 * `view` is the default view, or a view that mcphost_view_new_layered() has made.  The
 * servers of the application become a layer of the host's default source.  The apps' own
 * servers become a layer of a source that is made for this run and that no other view
 * shows.  The apps' own servers start at once.  mcphost_wait_ready() waits for their
 * tools.  The run ends with mcphost_chatos_run_end().  If this function fails, the view
 * does not change.
 *
 * Errors: MCPHOST_E_INVALID (`flow` is neither MCPHOST_CHATOS_MAIN nor
 *   MCPHOST_CHATOS_SUB, the view has no layers of its own, or the view belongs to
 *   another host), MCPHOST_E_CONFIG (`record` does not have the form of a record, or
 *   selects more than 1,000 apps; the error has line, column and key), MCPHOST_E_LIMIT
 *   (the record has more than 1 MiB, or the texts of the run have more than 16 MiB),
 *   MCPHOST_E_EXISTS (the run gets servers of the application, and the view already has a
 *   layer of the default source), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_IO (no
 *   project directory is set, and the current directory cannot be determined),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_inject(mcphost_chatos *chatos, mcphost_view *view, const char *record,
                      size_t len, int flow, MCPHOST_NULLABLE const char *language,
                      MCPHOST_OWNED mcphost_chatos_run **ret_run,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- the application's own storage ------------------------------------------------- */

/* The kind of a record that the application stores.  Since: 0.1 */
enum mcphost_chatos_kind {
    /* a server: {"name", "url", "description", "tags", "enabled", "allowMain",
     * "allowSub", "callMeta", "auth", "uiApp"} */
    MCPHOST_CHATOS_SERVER = 1,
    /* a prompt: {"name", "title", "type", "content", "allowMain", "allowSub", "uiApp"} */
    MCPHOST_CHATOS_PROMPT = 2
};

/*
 * Stores a record under its name.  If a record has this name already, the new record
 * replaces it.
 *
 * `kind` is MCPHOST_CHATOS_SERVER or MCPHOST_CHATOS_PROMPT.  `json` has `len` bytes, and
 * is valid only while the function runs.  `json` may have secrets.
 *
 * Returns: 0 or more if the record is stored, or a number below 0 that
 *   mcphost_chatos_sync() returns.
 * Thread: the thread that calls mcphost_chatos_sync().
 * Since: 0.1
 */
typedef int (*mcphost_chatos_put_fn)(int kind, const char *name, const char *json,
                                     size_t len, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_chatos_sync - have the application store the servers and prompts of the apps.
 *
 * The function calls `put`, with no lock held, for each server and prompt of the last
 * scan that the application's list (mcphost_chatos_set_admin()) does not have, or has
 * with other values.  If the member `uiApp` of a record of the list is missing or names
 * another app, the function does not replace this record.  The function skips a server
 * whose entry leads out of the plugin's directory or whose command line has more than
 * 1 MiB, and a prompt whose file cannot be read.  A second call stores nothing unless the
 * apps or the list have changed, because the list gets the records that were stored.
 * Records of apps that no longer exist stay.
 *
 * If `put` returns a number below 0, the function stops and returns that number.  The
 * list keeps the records that were stored before.
 *
 * Returns: the number of records that `put` stored.
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_LIMIT (a record would have more than 8 MiB, or the
 *   list more than 16 MiB), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_sync(mcphost_chatos *chatos, mcphost_chatos_put_fn put,
                    MCPHOST_NULLABLE void *arg,
                    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif

#endif
