/* SPDX-License-Identifier: MIT
 *
 * chatos_manifest.c - read plugin.json, the manifest of a plugin with its apps
 * (R120-R127, R141, B.20).
 *
 *   text --mcph_json_parse()--> tree --> plugin --> each app --> its `ai`
 *
 * The reader ignores unknown keys, because they belong to other programs.  ChatOS rejects
 * a plugin for any error in one of its apps.  In this library, an error in an app makes
 * only this app unusable.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "profile/reading.h"

#define SOURCE  "chatos"
#define VERSION "0.0.0"
#define ENTRY   "module" /* the only type of an app's entry */

/* ---- the objects ------------------------------------------------------------------- */

static struct mcph_chatos_app *
app_free(struct mcph_chatos_app *app)
{
    if (!app)
        return NULL;
    free(app->id);
    free(app->name);
    free(app->description);
    free(app->icon);
    free(app->entry);
    free(app->compact);
    mcph_chatos_ai_free(app->ai);
    free(app);
    return NULL;
}

static void
drop_apps(struct mcph_chatos_plugin *plugin)
{
    for (size_t i = 0; i < plugin->apps.n; i++)
        app_free(plugin->apps.items[i]);
    mcph_vec_done(&plugin->apps);
}

struct mcph_chatos_plugin *
mcph_chatos_plugin_free(struct mcph_chatos_plugin *plugin)
{
    if (!plugin)
        return NULL;
    drop_apps(plugin);
    mcph_config_unref(plugin->report);
    free(plugin->dir);
    free(plugin->id);
    free(plugin->name);
    free(plugin->version);
    free(plugin->description);
    free(plugin->provider);
    free(plugin->backend);
    free(plugin);
    return NULL;
}

static struct mcph_chatos_plugin *
plugin_new(const char *shown, const char *dir)
{
    struct mcph_chatos_plugin *plugin = calloc(1, sizeof(*plugin));

    if (!plugin)
        return NULL;
    plugin->report = mcph_config_new(SOURCE, NULL, shown, dir);
    plugin->dir = mcph_strdup(dir);
    if (!plugin->report || !plugin->dir)
        return mcph_chatos_plugin_free(plugin);
    return plugin;
}

/* ---- an app ------------------------------------------------------------------------ */

/* Checks the type of an entry.  If `optional` is true, the type may be absent. */
static void
read_type(struct chatos_reading *rd, const struct mcph_node *map, bool optional)
{
    const struct mcph_node *type =
        mcph_check_member(rd->check, map, "type", MCPH_NODE_STRING, "a string");
    size_t mark = mcph_check_enter(rd->check, "type");

    if (type && strcmp(type->text, ENTRY) != 0)
        mcph_check_error(rd->check, type, "expected '" ENTRY "', found another type");
    mcph_check_leave(rd->check, mark);
    if (!optional && !mcph_node_get(map, "type"))
        mcph_chatos_missing(rd, map, "type", "'" ENTRY "'");
}

/* Reads the entry for small windows.  If its path leads out of the plugin's directory,
 * the app stays valid without this entry. */
static void
read_compact(struct chatos_reading *rd, const struct mcph_node *entry,
             struct mcph_chatos_app *app)
{
    const struct mcph_node *map =
        mcph_check_member(rd->check, entry, "compact", MCPH_NODE_MAP, "a map");
    size_t mark;

    if (!map)
        return;
    mark = mcph_check_enter(rd->check, "compact");
    read_type(rd, map, true);
    if (mcph_node_get(map, "path"))
        app->compact = mcph_chatos_read_path_at(rd, map, "path", true);
    else
        mcph_chatos_missing(rd, map, "path", "a path");
    mcph_check_leave(rd->check, mark);
}

static void
read_entry(struct chatos_reading *rd, const struct mcph_node *map,
           struct mcph_chatos_app *app)
{
    const struct mcph_node *entry = mcph_node_get(map, "entry");
    size_t mark;

    if (!entry) {
        mcph_chatos_missing(rd, map, "entry", "a path, or a map with 'type' and 'path'");
        return;
    }
    mark = mcph_check_enter(rd->check, "entry");
    if (entry->kind == MCPH_NODE_STRING) {
        app->entry = mcph_chatos_read_path(rd, entry, false);
    } else if (mcph_check_kind(rd->check, entry, MCPH_NODE_MAP,
                               "a path, or a map with 'type' and 'path'")) {
        read_type(rd, entry, false);
        if (mcph_node_get(entry, "path"))
            app->entry = mcph_chatos_read_path_at(rd, entry, "path", false);
        else
            mcph_chatos_missing(rd, entry, "path", "a path");
        read_compact(rd, entry, app);
    }
    mcph_check_leave(rd->check, mark);
}

static void
read_app_keys(struct chatos_reading *rd, const struct mcph_node *map,
              struct mcph_chatos_app *app)
{
    const struct mcph_node *ai = mcph_node_get(map, "ai");
    size_t mark;

    app->line = map->line;
    app->column = map->column;
    app->name = mcph_chatos_read_text_at(rd, map, "name", CHATOS_NEEDED);
    app->description = mcph_chatos_read_text_or(rd, map, "description", "");
    app->icon = mcph_chatos_read_text_or(rd, map, "icon", "");
    read_entry(rd, map, app);
    if (!ai)
        return;
    mark = mcph_check_enter(rd->check, "ai");
    app->ai = mcph_chatos_read_ai(rd, ai, true);
    mcph_check_leave(rd->check, mark);
}

/* Notes the id of an app, even if the app is invalid, so that no later app can have this
 * id.  Returns false if the app has no valid id.  If an earlier app has the id, reports
 * an error and returns false. */
static bool
claim_id(struct chatos_reading *rd, const struct mcph_node *map, const char *id,
         struct mcph_map *seen)
{
    struct mcph_node *node = mcph_node_get(map, "id"), *first;
    struct mcph_span text;
    size_t mark;

    if (!id)
        return false;
    text = mcph_chatos_trim(node->text, node->len);
    first = mcph_map_get(seen, text.p, text.len);
    if (!first) {
        mcph_reading_keep_nomem(rd->check,
                                mcph_map_put(seen, text.p, text.len, node, NULL) == 0);
        return true;
    }
    mark = mcph_check_enter(rd->check, "id");
    mcph_check_error(rd->check, node,
                     "an app with this id is already on line %d, and that one is used",
                     first->line);
    mcph_check_leave(rd->check, mark);
    return false;
}

/* Reads one app.  Diagnostics about the app have the name of its server (R128). */
static void
read_app(struct chatos_reading *rd, struct mcph_chatos_plugin *plugin,
         const struct mcph_node *map, struct mcph_map *seen)
{
    struct mcph_check *check = rd->check;
    size_t errors = check->n_errors;
    struct mcph_chatos_app *app;
    char *server = NULL;

    if (!mcph_check_kind(check, map, MCPH_NODE_MAP, "a map"))
        return;
    app = calloc(1, sizeof(*app));
    mcph_reading_keep_nomem(check, app != NULL);
    if (!app)
        return;
    app->id = mcph_chatos_read_id_at(rd, map);
    if (app->id && plugin->id) {
        server = mcph_chatos_server_name(plugin->id, app->id);
        mcph_reading_keep_nomem(check, server != NULL);
    }
    check->server = server;
    if (claim_id(rd, map, app->id, seen))
        read_app_keys(rd, map, app);
    check->server = NULL;
    free(server);
    if (check->n_errors == errors && !check->err)
        mcph_reading_keep_nomem(check, mcph_vec_reserve(&plugin->apps, 1) == 0);
    if (check->n_errors == errors && !check->err)
        mcph_vec_add(&plugin->apps, app); /* cannot fail: space is reserved */
    else
        app_free(app);
}

/* ---- the plugin -------------------------------------------------------------------- */

static void
read_apps(struct chatos_reading *rd, struct mcph_chatos_plugin *plugin,
          const struct mcph_node *list)
{
    struct mcph_check *check = rd->check;
    size_t mark = mcph_check_enter(check, "apps");
    struct mcph_map seen = {0};

    for (size_t i = 0; i < list->n && !check->err; i++) {
        size_t inner = mcph_check_enter_index(check, i);

        if (check->n_errors < MCPH_CHATOS_ERRORS_MAX) {
            read_app(rd, plugin, list->items[i], &seen);
        } else {
            mcph_check_error(
                check, list->items[i],
                "more than %d errors: this app and the ones after it are left out",
                MCPH_CHATOS_ERRORS_MAX);
            i = list->n - 1;
        }
        mcph_check_leave(check, inner);
    }
    mcph_check_leave(check, mark);
    mcph_map_done(&seen);
}

static void
read_version(struct chatos_reading *rd, const struct mcph_node *root)
{
    const struct mcph_node *node = mcph_node_get(root, "manifestVersion");
    bool number = node && (node->kind == MCPH_NODE_INT || node->kind == MCPH_NODE_FLOAT);
    size_t mark;

    if (!node || (number && node->number >= 1 && node->number <= 1))
        return;
    mark = mcph_check_enter(rd->check, "manifestVersion");
    mcph_check_error(rd->check, node, "expected the number 1, found %s",
                     number ? "another number" : mcph_node_kind_text(node));
    mcph_check_leave(rd->check, mark);
}

static void
read_provider(struct chatos_reading *rd, const struct mcph_node *root,
              struct mcph_chatos_plugin *plugin)
{
    char *provider = mcph_chatos_read_text_at(rd, root, "providerAppId", CHATOS_ANY);

    if (provider && !*provider) {
        free(provider);
        provider = NULL;
    }
    if (!provider && plugin->id) {
        provider = mcph_strdup(plugin->id);
        mcph_reading_keep_nomem(rd->check, provider != NULL);
    }
    plugin->provider = provider;
}

/* Reads `backend`.  The library checks the member, but never runs a backend. */
static void
read_backend(struct chatos_reading *rd, const struct mcph_node *root,
             struct mcph_chatos_plugin *plugin)
{
    const struct mcph_node *map =
        mcph_check_member(rd->check, root, "backend", MCPH_NODE_MAP, "a map");
    size_t mark;

    if (!map)
        return;
    mark = mcph_check_enter(rd->check, "backend");
    if (mcph_node_get(map, "entry"))
        plugin->backend = mcph_chatos_read_path_at(rd, map, "entry", true);
    else
        mcph_chatos_missing(rd, map, "entry", "a path");
    mcph_check_leave(rd->check, mark);
}

/* Reads the plugin.  Reads the apps even if other keys have errors, so that the report
 * has all errors. */
static void
read_plugin(struct chatos_reading *rd, struct mcph_chatos_plugin *plugin,
            const struct mcph_node *root)
{
    static const char *const known[] = {
        "manifestVersion", "id",      "providerAppId", "name",
        "version",         "backend", "description",   "apps",
    };
    struct mcph_check *check = rd->check;
    const struct mcph_node *apps;
    size_t own;

    if (!mcph_check_kind(check, root, MCPH_NODE_MAP, "a map with 'id', 'name', 'apps'")) {
        plugin->report->status = MCPHOST_E_CONFIG;
        return;
    }
    mcph_chatos_warn_misspelt(rd, root, known, MCPH_ARRAY_SIZE(known));
    read_version(rd, root);
    plugin->id = mcph_chatos_read_id_at(rd, root);
    plugin->name = mcph_chatos_read_text_at(rd, root, "name", CHATOS_NEEDED);
    plugin->version = mcph_chatos_read_text_or(rd, root, "version", VERSION);
    plugin->description = mcph_chatos_read_text_or(rd, root, "description", "");
    read_provider(rd, root, plugin);
    read_backend(rd, root, plugin);
    apps = mcph_check_member(check, root, "apps", MCPH_NODE_LIST, "a list of apps");
    own = check->n_errors;
    if (apps)
        read_apps(rd, plugin, apps);
    if (own == 0)
        return;
    plugin->report->status = MCPHOST_E_CONFIG;
    drop_apps(plugin);
}

int
mcph_chatos_manifest_parse(const char *data, size_t len, const char *shown,
                           const char *dir, struct mcph_chatos_plugin **ret_plugin)
{
    struct mcph_chatos_plugin *plugin = plugin_new(shown, dir);
    struct chatos_reading rd = {.dir = dir};
    struct mcph_doc *doc = NULL;
    struct mcph_check check;
    int r;

    if (!plugin)
        return MCPHOST_E_NOMEM;
    r = mcph_json_parse(data, len, MCPH_CHATOS_MANIFEST_MAX, 0, mcph_profile_report,
                        plugin->report, &doc);
    if (r == 0) {
        mcph_check_init(&check, plugin->report);
        rd.check = &check;
        read_plugin(&rd, plugin, doc->root);
        r = check.err;
        mcph_check_done(&check);
    } else if (r != MCPHOST_E_NOMEM) {
        plugin->report->status = r;
        r = 0;
    }
    mcph_doc_free(doc);
    if (r == 0)
        r = mcph_config_finish(plugin->report);
    if (r < 0) {
        mcph_chatos_plugin_free(plugin);
        return r;
    }
    *ret_plugin = plugin;
    return 0;
}
