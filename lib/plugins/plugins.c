/* SPDX-License-Identifier: MIT
 *
 * plugins.c - decide the next step for the plugins of a directory: one step in each turn
 * of the dispatcher.
 *
 *   list the directory -> load each new file -> end plugins whose files were removed or
 *   replaced -> set up, in the order of kinds and ids -> show -> settled
 *
 * If the directory changes during the work, the next step handles the change.  A changed
 * file is loaded and checked before the running module is ended.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugins/plugins.h"

const bool mcph_plugins_is_built = true;

/* ---- life -------------------------------------------------------------------------- */

mcphost_plugins *
mcph_plugins_ref(mcphost_plugins *plugins)
{
    if (plugins)
        mcph_refs_get(&plugins->refs);
    return plugins;
}

mcphost_plugins *
mcph_plugins_unref(mcphost_plugins *plugins)
{
    if (!plugins || !mcph_refs_put(&plugins->refs) || mcph_core_forked(plugins->core))
        return NULL;
    for (size_t i = 0; i < plugins->items.n; i++)
        mcph_plugin_free(plugins->items.items[i]);
    mcph_vec_done(&plugins->items);
    mcph_copy_end(&plugins->copy);
    mcph_json_drop(plugins->config);
    free(plugins->only);
    free(plugins->dir);
    mcph_core_unref(plugins->core);
    mcph_native_drop_source(plugins->source);
    free(plugins);
    return NULL;
}

static void
set_busy(mcphost_plugins *plugins, bool busy)
{
    mcph_core_lock(plugins->core);
    plugins->busy = busy;
    mcph_core_notify_locked(plugins->core);
    mcph_core_unlock(plugins->core);
}

void
mcph_plugins_step_soon(mcphost_plugins *plugins)
{
    if (plugins->stepping || plugins->over)
        return;
    plugins->stepping = true;
    mcph_plugins_ref(plugins);
    mcph_core_post_later(plugins->core, &plugins->step);
}

/* Ends the work of `plugins`, and drops the tap's reference.  After this call, `plugins`
 * sends no event and begins no step. */
static void
end_work(mcphost_plugins *plugins)
{
    mcph_plugins_unfollow(plugins);
    mcph_timer_done(&plugins->again);
    mcph_tap_remove(&plugins->host->journal, &plugins->tap);
    plugins->over = true;
    if (mcph_list_empty(&plugins->load.link)) /* if queued, run_load() ends the copy */
        mcph_copy_end(&plugins->copy);
    set_busy(plugins, false);
    mcph_plugins_unref(plugins); /* drops the reference of the tap */
}

/* ---- loading ----------------------------------------------------------------------- */

static void
set_kind(struct mcph_plugin *plugin, int kind)
{
    mcph_core_lock(plugin->plugins->core);
    plugin->kind = kind;
    mcph_core_unlock(plugin->plugins->core);
}

static void
take_module(struct mcph_plugin *plugin, struct mcph_module *module)
{
    mcph_module_unref(plugin->next);
    plugin->next = module;
    set_kind(plugin, module->said.kind);
}

/* Loads the module that was copied, and posts the next step.  The load runs user code. */
static void
run_load(struct mcph_delivery *delivery)
{
    mcphost_plugins *plugins = MCPH_CONTAINER_OF(delivery, mcphost_plugins, load);
    struct mcph_plugin *plugin = plugins->loading;
    struct mcph_module *module = NULL;
    mcphost_error *err = NULL;

    plugins->loading = NULL;
    plugins->stepping = false;
    if (!plugins->over && plugin->found) {
        if (mcph_module_load(plugins->core, plugins->copy.to, plugin->file, &module,
                             &err) < 0)
            mcph_plugin_refuse(plugin, err);
        else
            take_module(plugin, module);
    }
    mcph_copy_end(&plugins->copy);
    mcph_plugins_step_soon(plugins);
    mcph_plugins_unref(plugins);
}

static void
refuse_copy(mcphost_plugins *plugins, struct mcph_plugin *plugin, mcphost_error *err)
{
    mcph_copy_end(&plugins->copy);
    plugins->loading = NULL;
    mcph_plugin_refuse(plugin, err);
    mcph_plugins_step_soon(plugins);
}

static void
begin_loading(mcphost_plugins *plugins, struct mcph_plugin *plugin)
{
    mcphost_error *err = NULL;
    int dir, r;

    plugin->stale = false;
    mcph_file_sign(plugin->path, &plugin->sig);
    r = mcph_plugins_open_dir(plugins->dir, &dir, &err);
    if (r == 0) {
        r = mcph_copy_begin(&plugins->copy, dir, plugin->file, &err);
        close(dir);
    }
    if (r < 0) {
        refuse_copy(plugins, plugin, err);
        return;
    }
    plugins->loading = plugin;
    mcph_plugins_step_soon(plugins);
}

static void
continue_loading(mcphost_plugins *plugins)
{
    struct mcph_plugin *plugin = plugins->loading;
    mcphost_error *err = NULL;
    int r = mcph_copy_step(&plugins->copy, plugin->file, &err);

    if (r < 0) {
        refuse_copy(plugins, plugin, err);
    } else if (r > 0) {
        mcph_plugins_step_soon(plugins);
    } else {
        plugins->stepping = true;
        mcph_plugins_ref(plugins);
        mcph_core_deliver(plugins->core, &plugins->load);
    }
}

/* ---- the next step ----------------------------------------------------------------- */

static struct mcph_plugin *
next_stale(const mcphost_plugins *plugins)
{
    for (size_t i = 0; i < plugins->items.n; i++) {
        struct mcph_plugin *plugin = plugins->items.items[i];

        if (plugin->stale)
            return plugin;
    }
    return NULL;
}

/* Finds the next plugin to set up.  Plugins are set up in the order of the kinds'
 * numbers.  Plugins of one kind are set up in the order of their ids. */
static struct mcph_plugin *
next_to_set_up(const mcphost_plugins *plugins)
{
    struct mcph_plugin *first = NULL;

    for (size_t i = 0; i < plugins->items.n; i++) {
        struct mcph_plugin *plugin = plugins->items.items[i];

        if (plugin->next && plugin->phase == MCPH_PLUGIN_IDLE &&
            (!first || plugin->next->said.kind < first->next->said.kind))
            first = plugin;
    }
    return first;
}

static bool
any_in(const mcphost_plugins *plugins, int phase)
{
    for (size_t i = 0; i < plugins->items.n; i++) {
        const struct mcph_plugin *plugin = plugins->items.items[i];

        if (plugin->phase == phase)
            return true;
    }
    return false;
}

static void
remove_at(mcphost_plugins *plugins, size_t place)
{
    struct mcph_plugin *plugin = plugins->items.items[place];

    mcph_core_lock(plugins->core);
    mcph_vec_remove(&plugins->items, place);
    mcph_core_unlock(plugins->core);
    mcph_plugin_tell(plugin, NULL);
    mcph_plugin_free(plugin);
}

/* Ends plugins whose files were removed, and plugins whose replacements are loaded. */
static void
end_some(mcphost_plugins *plugins)
{
    for (size_t i = plugins->items.n; i-- > 0;) {
        struct mcph_plugin *plugin = plugins->items.items[i];

        if (plugin->found && !plugin->next)
            continue;
        if (!plugin->found)
            plugin->next = mcph_module_unref(plugin->next);
        if (plugin->phase == MCPH_PLUGIN_UP || plugin->phase == MCPH_PLUGIN_SHOWN)
            mcph_plugin_end(plugin);
        if (!plugin->found && plugin->phase == MCPH_PLUGIN_IDLE)
            remove_at(plugins, i);
    }
}

static void
show_all(mcphost_plugins *plugins)
{
    for (int kind = MCPHOST_PLUGIN_RESOURCE; kind <= MCPHOST_PLUGIN_SAMPLING; kind++) {
        for (size_t i = 0; i < plugins->items.n; i++) {
            struct mcph_plugin *plugin = plugins->items.items[i];

            if (plugin->phase == MCPH_PLUGIN_UP && plugin->provider->plugin == kind)
                mcph_plugin_show(plugin);
        }
    }
}

static void
report_settled(mcphost_plugins *plugins)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_PLUGINS,
                                  .source = plugins->source->id};
    bool was_busy, again;

    if (any_in(plugins, MCPH_PLUGIN_ENDING) || plugins->stepping)
        return;
    mcph_core_lock(plugins->core);
    was_busy = plugins->busy;
    again = plugins->scan_due;
    mcph_core_unlock(plugins->core);
    if (again) /* the posted order continues the work */
        return;
    if (was_busy)
        mcph_emit(&plugins->host->journal, &event);
    if (plugins->closed)
        end_work(plugins);
    else
        set_busy(plugins, false);
}

/* Marks all plugins as removed, as if the directory had become empty, and stops following
 * the directory.  The next steps end the plugins. */
static void
end_all(mcphost_plugins *plugins)
{
    mcph_plugins_unfollow(plugins);
    plugins->list_due = false;
    for (size_t i = 0; i < plugins->items.n; i++) {
        struct mcph_plugin *plugin = plugins->items.items[i];

        plugin->found = plugin->stale = false;
    }
}

/* Closes the plugins after their source was removed.  The next steps end the plugins. */
static void
leave_source(mcphost_plugins *plugins)
{
    mcph_core_lock(plugins->core);
    plugins->closed = true;
    mcph_core_unlock(plugins->core);
    end_all(plugins);
}

static void
do_next_step(mcphost_plugins *plugins)
{
    struct mcph_plugin *plugin;

    if (plugins->source->leaving && !plugins->closed)
        leave_source(plugins);
    if (plugins->loading) {
        continue_loading(plugins);
        return;
    }
    if (plugins->list_due)
        mcph_plugins_list(plugins);
    plugin = next_stale(plugins);
    if (plugin) {
        begin_loading(plugins, plugin);
        return;
    }
    end_some(plugins);
    if (any_in(plugins, MCPH_PLUGIN_SETUP))
        return;
    plugin = next_to_set_up(plugins);
    if (plugin) {
        mcph_plugin_begin(plugin);
        return;
    }
    show_all(plugins);
    report_settled(plugins);
}

static void
run_step(struct mcph_job *job)
{
    mcphost_plugins *plugins = MCPH_CONTAINER_OF(job, mcphost_plugins, step);

    plugins->stepping = false;
    if (!plugins->over) {
        if (plugins->list_due || next_stale(plugins))
            set_busy(plugins, true);
        do_next_step(plugins);
    }
    mcph_plugins_unref(plugins);
}

static void
on_again(struct mcph_timer *timer)
{
    mcphost_plugins *plugins = MCPH_CONTAINER_OF(timer, mcphost_plugins, again);

    plugins->list_due = true;
    mcph_plugins_step_soon(plugins);
}

/* ---- orders ------------------------------------------------------------------------ */

static void
apply_order(mcphost_plugins *plugins)
{
    bool closed;

    mcph_core_lock(plugins->core);
    plugins->scan_due = false;
    closed = plugins->closed;
    mcph_core_unlock(plugins->core);
    if (closed) {
        end_all(plugins);
    } else {
        mcph_plugins_follow(plugins);
        plugins->list_due = true;
    }
    mcph_plugins_step_soon(plugins);
}

static void
run_order(struct mcph_job *job)
{
    mcphost_plugins *plugins = MCPH_CONTAINER_OF(job, mcphost_plugins, order);
    mcphost *host = plugins->host;

    if (host->closing || host->ended || plugins->over) {
        set_busy(plugins, false);
    } else if (!plugins->begun &&
               mcph_timer_init(&plugins->again, plugins->core, on_again) < 0) {
        mcph_core_post_later(plugins->core, job);
        return;
    } else {
        if (!plugins->begun) {
            plugins->begun = true;
            mcph_plugins_ref(plugins); /* for the tap */
            mcph_tap_add(&host->journal, &plugins->tap);
        }
        apply_order(plugins);
    }
    mcph_plugins_unref(plugins); /* drops the reference that post_order() took */
}

static bool
on_heard(struct mcph_tap *tap, const struct mcphost_event *event)
{
    (void)tap;
    (void)event;
    return false;
}

/* Ends all plugins when the host closes.  The host itself closes providers that are
 * servers.  This function closes the other providers. */
static void
on_closing(struct mcph_tap *tap)
{
    mcphost_plugins *plugins = MCPH_CONTAINER_OF(tap, mcphost_plugins, tap);

    mcph_plugins_ref(plugins);
    end_all(plugins);
    for (size_t i = 0; i < plugins->items.n; i++) {
        struct mcph_plugin *plugin = plugins->items.items[i];

        plugin->next = mcph_module_unref(plugin->next);
        if (plugin->phase == MCPH_PLUGIN_UP)
            mcph_plugin_end(plugin);
        else if (plugin->phase == MCPH_PLUGIN_SETUP)
            mcph_provider_close(plugin->provider, 0);
        else if (plugin->phase == MCPH_PLUGIN_SHOWN)
            mcph_sampler_return(plugins->host, plugin->provider);
    }
    end_work(plugins);
    mcph_plugins_unref(plugins);
}

/* ---- the public functions ---------------------------------------------------------- */

int
mcph_plugins_new(struct mcphost_source *source, const char *dir, mcphost_plugins **ret,
                 mcphost_error **reterr)
{
    mcphost_plugins *plugins;
    size_t len = strlen(dir);
    int r;

    if (*dir != '/')
        return mcph_err(reterr, MCPHOST_E_INVALID, "'%s' is not an absolute path", dir);
    plugins = calloc(1, sizeof(*plugins));
    if (!plugins)
        return mcph_err_nomem(reterr);
    while (len > 1 && dir[len - 1] == '/')
        len--;
    r = mcph_host_enter(source->ws->owner);
    if (r == 0)
        mcph_core_leave(source->core);
    plugins->dir = r == 0 ? mcph_strndup(dir, len) : NULL;
    if (!plugins->dir) {
        free(plugins);
        return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r))
                     : mcph_err_nomem(reterr);
    }
    mcph_refs_init(&plugins->refs);
    plugins->source = source;
    mcph_native_keep_source(source);
    plugins->host = source->ws->owner;
    plugins->core = mcph_core_ref(source->core);
    plugins->reload = MCPHOST_RELOAD_WATCH;
    plugins->copy = (struct mcph_copy){.from = -1, .to = -1};
    plugins->order.run = run_order;
    plugins->step.run = run_step;
    plugins->load.deliver = run_load;
    plugins->tap.heard = on_heard;
    plugins->tap.closing = on_closing;
    mcph_list_init(&plugins->order.link);
    mcph_list_init(&plugins->step.link);
    mcph_list_init(&plugins->load.link);
    mcph_list_init(&plugins->tap.link);
    *ret = plugins;
    return 0;
}

/* Enters the host.  Returns 0, MCPHOST_E_STATE if the plugins were scanned or closed, or
 * the error of mcph_host_enter().  On success the lock is held. */
static int
enter_new(mcphost_plugins *plugins)
{
    int r = mcph_host_enter(plugins->host);

    if (r == 0 && (plugins->scanned || plugins->closed)) {
        mcph_core_leave(plugins->core);
        r = MCPHOST_E_STATE;
    }
    return r;
}

int
mcph_plugins_set_config(mcphost_plugins *plugins, struct mcph_span json,
                        mcphost_error **reterr)
{
    struct json_t *config, *old;
    int r = mcph_plugins_load_config(json, &config, reterr);

    if (r < 0)
        return r;
    r = enter_new(plugins);
    if (r < 0) {
        mcph_json_drop(config);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    old = plugins->config;
    plugins->config = config;
    mcph_core_leave(plugins->core);
    mcph_json_drop(old);
    return 0;
}

int
mcph_plugins_set_only(mcphost_plugins *plugins, const char *id)
{
    char *copy = id ? mcph_strdup(id) : NULL, *old = copy;
    int r = id && !copy ? MCPHOST_E_NOMEM : enter_new(plugins);

    if (r == 0) {
        old = plugins->only;
        plugins->only = copy;
        mcph_core_leave(plugins->core);
    }
    free(old);
    return r;
}

int
mcph_plugins_set_reload(mcphost_plugins *plugins, int mode)
{
    int r;

    if (mode != MCPHOST_RELOAD_WATCH && mode != MCPHOST_RELOAD_POLL &&
        mode != MCPHOST_RELOAD_EXPLICIT)
        return MCPHOST_E_INVALID;
    r = enter_new(plugins);
    if (r < 0)
        return r;
    plugins->reload = mode;
    mcph_core_leave(plugins->core);
    return 0;
}

/* Posts the order to scan or to close.  Call this function under the lock. */
static void
post_order(mcphost_plugins *plugins)
{
    plugins->busy = true;
    plugins->scan_due = true;
    if (!mcph_list_empty(&plugins->order.link))
        return;
    mcph_plugins_ref(plugins);
    mcph_core_post_locked(plugins->core, &plugins->order);
}

int
mcph_plugins_scan(mcphost_plugins *plugins)
{
    int r = mcph_host_enter(plugins->host);

    if (r < 0)
        return r;
    r = plugins->closed || plugins->source->leaving ? MCPHOST_E_STATE : 0;
    if (r == 0) {
        plugins->scanned = true;
        post_order(plugins);
    }
    mcph_core_leave(plugins->core);
    return r;
}

int
mcph_plugins_close(mcphost_plugins *plugins)
{
    int r = mcph_core_enter_closed(plugins->core);

    if (r < 0)
        return r;
    if (!plugins->closed) {
        plugins->closed = true;
        if (plugins->scanned && !plugins->host->closing && !plugins->host->ended)
            post_order(plugins);
    }
    mcph_core_leave(plugins->core);
    return 0;
}

static bool
is_settled(void *arg)
{
    const mcphost_plugins *plugins = arg;

    return !plugins->busy;
}

int
mcph_plugins_wait(mcphost_plugins *plugins, int64_t timeout_ms)
{
    mcphost *host = plugins->host;
    /* Hold a reference to the host, because a callback may drop the application's last
     * reference.  If no reference can be taken, the host has ended.  Then the wait needs
     * no reference. */
    bool is_held = mcph_host_try_get(host);
    int r = mcph_core_wait_until(plugins->core, is_settled, plugins, timeout_ms);

    if (is_held)
        mcph_host_put(host);
    return r;
}
