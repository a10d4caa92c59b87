/* SPDX-License-Identifier: MIT
 *
 * chatos.h - apps of ChatOS plugins: the servers and prompts that they bring along.
 *
 *     <plugins>/<plugin>/plugin.json      a plugin with its apps
 *
 * A registry scans folders of plugins.  Its apps' servers become the servers of a source
 * (mcphost_chatos_follow()), or are injected into a view for one run of an agent
 * (mcphost_chatos_inject()).  mcphost-chatos(7) describes the files.
 *
 * Lists cross this interface as JSON, in which ChatOS keeps its own records.  All
 * functions may be called from any thread.  This header is not part of
 * <mcphost/mcphost.h>.
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

/* The directories that a registry knows.  Since: 0.1 */
enum mcphost_chatos_dir {
    MCPHOST_CHATOS_PLUGINS = 0, /* plugins of the user; STATE/ui_apps/plugins, unless it
                                 * is set */
    MCPHOST_CHATOS_BUILTIN_PLUGINS = 1, /* plugins that a plugin of the user with the
                                         * same id replaces; PROJECT/ui_apps/plugins,
                                         * unless it is set */
    MCPHOST_CHATOS_DEFAULTS = 2,        /* default lists: PLUGIN__APP.yaml, .yml, .json */
    MCPHOST_CHATOS_STATE = 3,           /* an app's data directory is
                                  * STATE/ui_apps/data/PLUGIN */
    MCPHOST_CHATOS_PROJECT = 4,
    MCPHOST_CHATOS_SESSION = 5
};

/* Flags of mcphost_chatos_set_flags().  Since: 0.1 */
enum mcphost_chatos_flag {
    MCPHOST_CHATOS_SUBSTITUTE = 1, /* callMeta: `$dataDir` and its like are replaced
                                    * anywhere in a text, and by nothing where they have
                                    * no value; else only if they are the whole text */
    MCPHOST_CHATOS_IDENTITY = 2,   /* callMeta may replace what the host says of an app in
                                    * chatos.uiApp */
    MCPHOST_CHATOS_BARE = 4,  /* no default `workdir`, `sessionRoot`, `projectRoot` */
    MCPHOST_CHATOS_ANY_ID = 8 /* an agent may select servers and prompts that the app
                                    * does not expose */
};

/* Whose servers are meant: `allowMain` and `allowSub` decide.  Since: 0.1 */
enum mcphost_chatos_flow {
    MCPHOST_CHATOS_MAIN = 0, /* the agent that talks to the user */
    MCPHOST_CHATOS_SUB = 1   /* a sub-agent */
};

/*
 * mcphost_chatos_new - a registry without apps.
 *
 * *ret_chatos gets a reference.  The registry ends with its last reference, and does
 * nothing any more once its host is closed.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_new(mcphost *host,
                                   MCPHOST_OWNED mcphost_chatos **ret_chatos,
                                   MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);
/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_chatos *
mcphost_chatos_ref(MCPHOST_NULLABLE mcphost_chatos *chatos);
/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_chatos *
mcphost_chatos_unref(MCPHOST_NULLABLE mcphost_chatos *chatos);

/*
 * mcphost_chatos_set_dir - name a directory.
 *
 * `dir`: MCPHOST_CHATOS_PLUGINS and the like.  `path` is copied; a relative one starts at
 * the current directory; NULL: there is none.  It need not exist.  It counts for scans
 * that begin later.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_IO (no current directory), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_set_dir(mcphost_chatos *chatos, int dir, MCPHOST_NULLABLE const char *path,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* `flags`: MCPHOST_CHATOS_SUBSTITUTE and the like, or'ed; 0 at first.  They count for
 * what is made from now on.  Returns 0, MCPHOST_E_INVALID (unknown flags),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED.  Since: 0.1 */
MCPHOST_API int mcphost_chatos_set_flags(mcphost_chatos *chatos, uint64_t flags);

/*
 * mcphost_chatos_set_admin - the application's own list of servers and prompts.
 *
 * `json` is an object; both keys may be absent:
 *
 *     {"mcpServers": [{"id": "7", "name": "files", "allowMain": true}],
 *      "prompts": [{"id": "3", "name": "mcp_files", "content": "Use the files."}]}
 *
 * It replaces the list of before.  A server with this name is looked for in the host's
 * default source.  `id` is the name where it is absent; `allowMain` absent is false, but
 * true for servers named subagent_router, task_manager and project_files; `allowSub`
 * absent is true.  Further members are kept for mcphost_chatos_sync(), which compares
 * with them.
 *
 * Returns 0, MCPHOST_E_CONFIG (the text, with its line and column), MCPHOST_E_LIMIT (16
 * MiB), MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_set_admin(mcphost_chatos *chatos, const char *json, size_t len,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* A scan is over.  Called from dispatch, without any lock.  Since: 0.1 */
typedef void (*mcphost_chatos_scan_fn)(mcphost_chatos *chatos,
                                       MCPHOST_NULLABLE void *arg);

/*
 * mcphost_chatos_scan - read the folders of plugins anew.
 *
 * They are read from dispatch, in steps.  What was found before stays until all of them
 * are read.  A plugin or an app that cannot be used costs no other one, and is a row with
 * an error in mcphost_chatos_list_apps().  A scan that fails for a reason of the host's,
 * such as too many open files, takes nothing away.
 *
 * `done` (NULL: nothing) is called when a scan is over that began after this call; not if
 * the host is closed before.  `free_arg` (may be NULL) is called once for `arg` if 0 is
 * returned.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_scan(mcphost_chatos *chatos,
                                    MCPHOST_NULLABLE mcphost_chatos_scan_fn done,
                                    MCPHOST_NULLABLE void *arg,
                                    MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_chatos_wait - wait until no scan is under way.
 *
 * As mcphost_wait(), which it calls meanwhile.  `timeout_ms` below 0: without end.
 *
 * Returns 1 (no scan is under way), 0 (the time is up), MCPHOST_E_BUSY (it would have to
 * wait, in a function that dispatch has called), MCPHOST_E_WOKEN, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_INVALID.
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_wait(mcphost_chatos *chatos, int64_t timeout_ms);

/*
 * mcphost_chatos_list_apps - the apps of the last scan, and what was wrong.
 *
 * *ret_json is an array, which is the caller's: mcphost_free().  Its rows:
 *
 *     {"plugin": "com.example.tools", "app": "db", "name": "Database",
 *      "server": "com.example.tools.db", "url": "cmd://node /p/db/server.mjs",
 *      "prompts": ["mcp_com_example_tools_db"], "mcpServers": true,
 *      "exposedPrompts": ["default"], "builtin": false, "dir": "/p", "error": null}
 *
 * `server` and `url` are null if the app has no server of its own; userinfo and query of
 * the URL are hidden.  `mcpServers` and `exposedPrompts` are true (all), a list, or null
 * (none).  A row with an `error` is a plugin or an app that cannot be used, or a part of
 * an app that was left out; ids that are not known are null.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM,
 * MCPHOST_E_LIMIT (64 MiB).
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_list_apps(mcphost_chatos *chatos, MCPHOST_OWNED char **ret_json,
                         MCPHOST_NULLABLE size_t *ret_len,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_get_contribution - what one app contributes, with texts.
 *
 *     {"pluginId": ..., "appId": ..., "name": ...,
 *      "mcp": {"name", "url", "description", "tags", "enabled", "allowMain", "allowSub",
 *              "callMeta"},
 *      "mcpPrompt": {"title", "zh": {"name", "text"}, "en": {"name", "text"}},
 *      "agent": {"name", "description", "modelId"},
 *      "mcpServers": ..., "prompts": ..., "errors": [...]}
 *
 * Members that the app does not have are null; `mcp` is null also if there is no way to
 * its server, and `errors` says why.  The files of prompts are read now.  The URL has its
 * secrets.  *ret_json is the caller's: mcphost_free().
 *
 * Returns as mcphost_chatos_list_apps(), and MCPHOST_E_NOTFOUND.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_get_contribution(mcphost_chatos *chatos, const char *plugin,
                                const char *app, MCPHOST_OWNED char **ret_json,
                                MCPHOST_NULLABLE size_t *ret_len,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_get_config - the apps' own servers as a configuration.
 *
 * Those of the last scan that `flow` (MCPHOST_CHATOS_MAIN, MCPHOST_CHATOS_SUB) may have,
 * each named "PLUGIN.APP".  *ret_config gets a reference.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_IO,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_get_config(mcphost_chatos *chatos, int flow,
                          MCPHOST_OWNED mcphost_config **ret_config,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_follow - have a source follow the apps' own servers.
 *
 * The source gets the configuration of mcphost_chatos_get_config() now, if there was a
 * scan, and after each scan.  Options that nobody has set for it get ChatOS' values:
 * tools are called mcp_<server>_<tool>, HTTP+SSE is allowed, a call may take 10 minutes,
 * dialogs of one workspace share a client, and a turn keeps the servers that it began
 * with.  Apps whose server is removed from a scan lose it as after any edit.
 *
 * Returns as mcphost_source_load(), and MCPHOST_E_EXISTS (the registry has this source).
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_follow(mcphost_chatos *chatos, mcphost_source *source, int flow,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- one run of an agent ----------------------------------------------------------- */

/*
 * mcphost_chatos_check_record - whether a text is a record of an agent.
 *
 *     {"uiApps": [{"pluginId": "com.example.tools", "appId": "db", "mcp": true,
 *                  "prompt": true, "mcpServerIds": ["7"], "promptIds": []}]}
 *
 * `pluginId` and `appId` are needed; the flags are true where they are absent.  Other
 * members are ignored.
 *
 * Returns 0; MCPHOST_E_CONFIG with line, column and key of the first error;
 * MCPHOST_E_LIMIT (1 MiB, 1,000 apps), MCPHOST_E_INVALID, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_check_record(const char *json, size_t len,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_chatos_inject - give a view what an agent has selected, for one run.
 *
 * For each app of the record, in its order.  If `mcp` is true, the first of these that
 * there is: the servers of `mcpServerIds` that the application has and the app exposes;
 * the application's server that is called "PLUGIN.APP", in any case of its letters; the
 * app's own server, which starts for this run.  If `prompt` is true, likewise: the
 * prompts of `promptIds`; the application's prompt for the app; the app's own text.
 * Servers that `flow` may not have are left out.  `language`: "en", or anything else (NULL
 * included) for "zh"; a text of the other language is taken where there is none.
 *
 * `view` is a view of layers.  The application's servers become a layer with the chosen
 * servers of its default source, the apps' own servers a layer with a source of their
 * own, which no other view sees.  *ret_run, see <mcphost/chatos_run.h>, gets a reference.
 * Servers start now; the tools of those that are slow come later (mcphost_wait_ready()).
 *
 * Returns 0, MCPHOST_E_CONFIG and MCPHOST_E_LIMIT as mcphost_chatos_check_record(),
 * MCPHOST_E_EXISTS (the view has a layer of the default source), MCPHOST_E_INVALID (also:
 * a view without layers of its own, or of another host), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_IO, MCPHOST_E_NOMEM; and then the view is as before.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_chatos_inject(mcphost_chatos *chatos, mcphost_view *view, const char *record,
                      size_t len, int flow, MCPHOST_NULLABLE const char *language,
                      MCPHOST_OWNED mcphost_chatos_run **ret_run,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- the application's own storage ------------------------------------------------- */

/* What a record is.  Since: 0.1 */
enum mcphost_chatos_kind {
    MCPHOST_CHATOS_SERVER = 1, /* {"name", "url", "description", "tags", "enabled",
                                * "allowMain", "allowSub", "callMeta", "auth", "uiApp"} */
    MCPHOST_CHATOS_PROMPT = 2  /* {"name", "title", "type", "content", "allowMain",
                                * "allowSub", "uiApp"} */
};

/* Stores a record under its name, and replaces the record that had this name.  `json` is
 * `len` bytes and a NUL, borrowed; it may have secrets.  Below 0: it could not, and
 * mcphost_chatos_sync() returns that.  Since: 0.1 */
typedef int (*mcphost_chatos_put_fn)(int kind, const char *name, const char *json,
                                     size_t len, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_chatos_sync - have the application store what the apps contribute.
 *
 * `put` is called, on this thread and unlocked, for each server and prompt of the last
 * scan that the application's list (mcphost_chatos_set_admin()) lacks or has with other
 * values.  A record of the list whose member `uiApp` is not the app's is the
 * application's own, or another app's, and is left alone.  The list has what was stored
 * from then on, so that a second call stores nothing.  Records of apps that are no longer
 * there stay.
 *
 * Returns the number of records that were stored; MCPHOST_E_INVALID, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM, or what `put` returned.
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
