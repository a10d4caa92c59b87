/* SPDX-License-Identifier: MIT
 *
 * scan.c - list and follow the directory of plugins, and raise problems about it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugins/plugins.h"

#define AGAIN_MS 1000
#define SOON_MS  20
#define SUFFIX   ".so"

/* ---- rows and problems ------------------------------------------------------------- */

void
mcph_plugin_set_state(struct mcph_plugin *plugin, int state, mcphost_error *error)
{
    struct mcph_core *core = plugin->plugins->core;
    mcphost_error *old;

    mcph_core_lock(core);
    old = plugin->error;
    plugin->state = state;
    plugin->error = mcphost_error_ref(error);
    mcph_core_unlock(core);
    mcphost_error_unref(old);
}

static void
raise_problem(const mcphost_plugins *plugins, const char *id, const char *plugin,
              const char *text, int severity)
{
    char *detail = mcph_problem_detail(plugin ? "pluginId" : "directory",
                                       plugin ? plugin : plugins->dir, text);
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .source = plugins->source->id,
                                       .message = text,
                                       .detail = detail,
                                       .severity = severity};

    mcph_problem_raise(&plugins->host->journal, &draft);
    free(detail);
}

void
mcph_plugin_tell(struct mcph_plugin *plugin, mcphost_error *error)
{
    const mcphost_plugins *plugins = plugin->plugins;
    char *id = mcph_asprintf("plugins/plugin/%s", plugin->id);
    char *text;

    if (!error) {
        mcph_problem_clear(&plugins->host->journal, plugins->source->id, id);
    } else {
        text = mcph_asprintf("plugin '%s': %s", plugin->id,
                             mcphost_error_get_message(error));
        raise_problem(plugins, id, plugin->id, text, MCPHOST_SEVERITY_ERROR);
        free(text);
    }
    free(id);
}

void
mcph_plugin_refuse(struct mcph_plugin *plugin, mcphost_error *error)
{
    bool lives = plugin->phase == MCPH_PLUGIN_SHOWN;

    mcph_plugin_set_state(
        plugin, lives ? MCPHOST_PLUGIN_STATE_LOADED : MCPHOST_PLUGIN_STATE_FAILED, error);
    mcph_plugin_tell(plugin, error);
    mcphost_error_unref(error);
}

/* Raises the problem of the directory.  If `error` is NULL, clears the problem. */
static void
report_dir(mcphost_plugins *plugins, const mcphost_error *error)
{
    char *id = mcph_asprintf("plugins/directory%s", plugins->dir);

    if (error)
        raise_problem(plugins, id, NULL, mcphost_error_get_message(error),
                      mcphost_error_get_code(error) == MCPHOST_E_NOTFOUND
                          ? MCPHOST_SEVERITY_WARNING
                          : MCPHOST_SEVERITY_ERROR);
    else if (plugins->complained)
        mcph_problem_clear(&plugins->host->journal, plugins->source->id, id);
    plugins->complained = error != NULL;
    free(id);
}

/* ---- following --------------------------------------------------------------------- */

static bool
is_module_name(const char *name)
{
    size_t len = strlen(name), suffix = strlen(SUFFIX);

    return len > suffix && *name != '.' && strncmp(name, "__", 2) != 0 &&
           strcmp(name + len - suffix, SUFFIX) == 0;
}

static void
on_dir_changed(struct mcph_watch *watch, void *arg)
{
    mcphost_plugins *plugins = arg;

    (void)watch;
    plugins->list_due = true;
    mcph_plugins_step_soon(plugins);
}

static void
on_file_changed(struct mcph_watch *watch, void *arg)
{
    struct mcph_plugin *plugin = arg;

    (void)watch;
    plugin->stale = plugin->found && plugin->wanted;
    /* Also list the directory, because the change may be the removal of the file. */
    plugin->plugins->list_due = true;
    mcph_plugins_step_soon(plugin->plugins);
}

void
mcph_plugins_follow(mcphost_plugins *plugins)
{
    const struct mcphost_source *source = plugins->source;
    struct mcph_watch_options options = {
        .events = plugins->reload == MCPHOST_RELOAD_WATCH,
        .poll_ms = mcph_source_policy(source, MCPHOST_OPT_RELOAD_POLL),
        .debounce_ms = mcph_source_policy(source, MCPHOST_OPT_RELOAD_DEBOUNCE)};
    mcphost_error *err = NULL;
    int r = 0;

    if (plugins->reload == MCPHOST_RELOAD_EXPLICIT || plugins->watch)
        return;
    if (!plugins->watcher)
        r = mcph_watcher_new(plugins->core, &options, &plugins->watcher, &err);
    if (r == 0)
        r = mcph_watch_new_dir(plugins->watcher, plugins->dir, is_module_name,
                               on_dir_changed, plugins, &plugins->watch, &err);
    if (r < 0)
        mcph_log(plugins->core, MCPHOST_LOG_ERROR, "plugins", NULL,
                 "changes of '%s' will not be noticed: %s", plugins->dir,
                 mcphost_error_get_message(err));
    mcphost_error_unref(err);
}

void
mcph_plugins_unfollow(mcphost_plugins *plugins)
{
    mcph_timer_cancel(&plugins->again);
    for (size_t i = 0; i < plugins->items.n; i++) {
        struct mcph_plugin *plugin = plugins->items.items[i];

        plugin->watch = mcph_watch_free(plugin->watch);
    }
    plugins->watch = mcph_watch_free(plugins->watch);
    plugins->watcher = mcph_watcher_free(plugins->watcher);
}

/* Watches the file of a plugin.  If the watch fails, only a listing notices changes of
 * the file. */
static void
watch_file(struct mcph_plugin *plugin)
{
    mcphost_plugins *plugins = plugin->plugins;

    if (plugins->watch && !plugin->watch &&
        mcph_watch_new(plugins->watcher, plugin->path, on_file_changed, plugin,
                       &plugin->watch, NULL) < 0)
        mcph_log(plugins->core, MCPHOST_LOG_ERROR, "plugins", plugin->id,
                 "changes of '%s' will not be noticed", plugin->file);
}

/* ---- the listing ------------------------------------------------------------------- */

void
mcph_plugin_free(struct mcph_plugin *plugin)
{
    mcph_watch_free(plugin->watch);
    mcph_module_unref(plugin->next);
    mcphost_error_unref(plugin->error);
    free(plugin->id);
    free(plugin->file);
    free(plugin->path);
    free(plugin);
}

static struct mcph_plugin *
find_plugin(const mcphost_plugins *plugins, const char *file)
{
    for (size_t i = 0; i < plugins->items.n; i++) {
        struct mcph_plugin *plugin = plugins->items.items[i];

        if (strcmp(plugin->file, file) == 0)
            return plugin;
    }
    return NULL;
}

static struct mcph_plugin *
plugin_new(mcphost_plugins *plugins, const char *file)
{
    struct mcph_plugin *plugin = calloc(1, sizeof(*plugin));

    if (!plugin)
        return NULL;
    plugin->plugins = plugins;
    plugin->id = mcph_strndup(file, strlen(file) - strlen(SUFFIX));
    plugin->file = mcph_strdup(file);
    plugin->path = mcph_asprintf("%s/%s", plugins->dir, file);
    if (!plugin->id || !plugin->file || !plugin->path) {
        mcph_plugin_free(plugin);
        return NULL;
    }
    plugin->state = MCPHOST_PLUGIN_STATE_LOADING;
    plugin->wanted = !mcph_plugins_is_disabled(plugins->config, plugin->id);
    if (!plugin->wanted)
        plugin->state = MCPHOST_PLUGIN_STATE_DISABLED;
    return plugin;
}

/* Inserts a plugin in the order of the ids. */
static int
insert_plugin(mcphost_plugins *plugins, struct mcph_plugin *plugin)
{
    struct mcph_vec *items = &plugins->items;
    int r;

    mcph_core_lock(plugins->core);
    r = mcph_vec_add(items, plugin);
    for (size_t i = items->n - 1; r == 0 && i > 0; i--) {
        struct mcph_plugin *before = items->items[i - 1];

        if (strcmp(before->id, plugin->id) < 0)
            break;
        items->items[i] = before;
        items->items[i - 1] = plugin;
    }
    mcph_core_unlock(plugins->core);
    return r;
}

static int
list_file(mcphost_plugins *plugins, const char *file)
{
    struct mcph_plugin *plugin = find_plugin(plugins, file);
    struct mcph_file_sig sig;

    if (!plugin) {
        plugin = plugin_new(plugins, file);
        if (!plugin)
            return MCPHOST_E_NOMEM;
        if (insert_plugin(plugins, plugin) < 0) {
            mcph_plugin_free(plugin);
            return MCPHOST_E_NOMEM;
        }
    }
    if (plugin->wanted) {
        watch_file(plugin);
        mcph_file_sign(plugin->path, &sig);
        plugin->stale |= !plugin->found || !mcph_file_sig_equal(&sig, &plugin->sig);
    }
    plugin->found = true;
    return 0;
}

static bool
is_only(const mcphost_plugins *plugins, const char *file)
{
    size_t len = plugins->only ? strlen(plugins->only) : 0;

    return !plugins->only ||
           (strncmp(file, plugins->only, len) == 0 && strcmp(file + len, SUFFIX) == 0);
}

/* Adds or updates a plugin for each name.  If there is no memory, the next listing
 * handles the remaining names. */
static int
list_all_files(mcphost_plugins *plugins, const struct mcph_vec *names)
{
    int r = 0;

    for (size_t i = 0; i < names->n && r == 0; i++) {
        const char *file = names->items[i];

        if (!is_only(plugins, file))
            continue;
        if (mcph_utf8_is_text(file))
            r = list_file(plugins, file);
        else
            mcph_log(plugins->core, MCPHOST_LOG_WARNING, "plugins", NULL,
                     "the name '%s' is not UTF-8: it is skipped", file);
    }
    return r;
}

static bool
has_name(const struct mcph_vec *names, const char *file)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->items[i], file) == 0)
            return true;
    return false;
}

static void
drop_missing(mcphost_plugins *plugins, const struct mcph_vec *names)
{
    for (size_t i = 0; i < plugins->items.n; i++) {
        struct mcph_plugin *plugin = plugins->items.items[i];

        if (plugin->found && !has_name(names, plugin->file))
            plugin->found = plugin->stale = false;
    }
}

static int
read_dir(mcphost_plugins *plugins, struct mcph_vec *ret, mcphost_error **reterr)
{
    int fd, r = mcph_plugins_open_dir(plugins->dir, &fd, reterr);

    if (r < 0)
        return r;
    close(fd);
    return mcph_dir_list(plugins->dir, is_module_name, MCPH_PLUGINS_MAX, ret, reterr);
}

static void
list_later(mcphost_plugins *plugins, int64_t ms)
{
    mcph_timer_set(&plugins->again, mcph_core_now(plugins->core) + ms);
}

void
mcph_plugins_list(mcphost_plugins *plugins)
{
    struct mcph_vec names = {0};
    mcphost_error *err = NULL;
    int r = read_dir(plugins, &names, &err);

    plugins->list_due = false;
    report_dir(plugins, err);
    mcphost_error_unref(err);
    if (r == 0 || r == MCPHOST_E_NOTFOUND) {
        drop_missing(plugins, &names);
        r = list_all_files(plugins, &names);
    }
    mcph_dir_list_done(&names);
    if (r == MCPHOST_E_NOMEM)
        list_later(plugins, SOON_MS);
    /* List the directory again later, because the watch does not report that the
     * directory has become safe. */
    else if (r < 0 && plugins->reload != MCPHOST_RELOAD_EXPLICIT)
        list_later(plugins, AGAIN_MS);
}
