/* SPDX-License-Identifier: MIT
 *
 * setup.c - make a provider of a module: set it up, show it as a server, and end it.
 *
 *   IDLE --begin--> SETUP --up--> UP --show--> SHOWN --end--> ENDING --torn down--> IDLE
 *                      \--refused-----------------------------> ENDING
 *                                  \--refused or ended------> ENDING
 *
 * A provider is set up before it becomes a server, so that a plugin whose setup fails
 * never becomes a server.  The provider calls free_life() after the teardown.  Then the
 * plugin has ended.
 */
#include <stdlib.h>

#include "plugins/plugins.h"

/* The argument of setup and teardown. */
struct life {
    struct mcph_plugin *plugin;
    mcphost_plugins *plugins; /* holds a reference */
    struct mcph_module *module;
    bool listens;
};

/* Calls the module's setup function.  The setup function is user code. */
static int
run_setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    const struct life *life = arg;

    return life->module->said.setup(provider, NULL, reterr);
}

/* Calls the module's teardown function, if the module has one.  The teardown function is
 * user code. */
static void
run_teardown(mcphost_provider *provider, void *arg)
{
    const struct life *life = arg;

    if (life->module->said.teardown)
        life->module->said.teardown(provider, NULL);
}

/* Frees the argument.  If the provider has accepted the argument, also releases the
 * provider and makes the plugin idle.  This function is called after the teardown, when
 * the provider is released before its setup, or when mcph_provider_set_life() fails. */
static void
free_life(void *arg)
{
    struct life *life = arg;
    struct mcph_plugin *plugin = life->plugin;

    if (life->listens) {
        mcph_sampler_return(life->plugins->host, plugin->provider);
        plugin->provider = mcph_provider_unref(plugin->provider);
        plugin->phase = MCPH_PLUGIN_IDLE;
        mcph_log(life->plugins->core, MCPHOST_LOG_INFO, "plugins", plugin->id,
                 "the plugin has ended");
        mcph_plugins_step_soon(life->plugins);
    }
    mcph_plugins_unref(life->plugins);
    free(life);
}

/* ---- the beginning ----------------------------------------------------------------- */

/* Ends a provider that is not a server.  Does not wait, because the provider has no
 * calls. */
static void
end_unshown(struct mcph_plugin *plugin)
{
    plugin->phase = MCPH_PLUGIN_ENDING;
    mcph_provider_unlisten(plugin->provider, &plugin->listener);
    mcph_sampler_return(plugin->plugins->host, plugin->provider);
    mcph_provider_close(plugin->provider, 0);
}

static void
on_up(struct mcph_listener *listener, mcphost_error *error)
{
    struct mcph_plugin *plugin =
        MCPH_CONTAINER_OF(listener, struct mcph_plugin, listener);

    if (error) {
        mcphost_error *refusal = NULL;

        mcph_err(&refusal, mcphost_error_get_code(error), "'%s' failed to start: %s",
                 plugin->file, mcphost_error_get_message(error));
        end_unshown(plugin);
        mcph_plugin_refuse(plugin, refusal);
    } else {
        mcph_provider_unlisten(plugin->provider, listener);
        plugin->phase = MCPH_PLUGIN_UP;
    }
    mcph_plugins_step_soon(plugin->plugins);
}

/* Marks the plugin as ending when the host closes during the setup. */
static void
on_closing(struct mcph_listener *listener)
{
    struct mcph_plugin *plugin =
        MCPH_CONTAINER_OF(listener, struct mcph_plugin, listener);

    plugin->phase = MCPH_PLUGIN_ENDING;
    mcph_provider_unlisten(plugin->provider, listener);
}

/* Checks whether another provider of the source has the plugin's id. */
static bool
is_taken(const struct mcph_plugin *plugin)
{
    const struct mcph_vec *provided = &plugin->plugins->source->provided;

    for (size_t i = 0; i < provided->n; i++) {
        const struct mcph_spec *spec = provided->items[i];

        if (spec->native != plugin->provider && strcmp(spec->id, plugin->id) == 0)
            return true;
    }
    return false;
}

static int
refuse_taken(const struct mcph_plugin *plugin, mcphost_error **reterr)
{
    return mcph_err(reterr, MCPHOST_E_EXISTS, "another provider has the id '%s'",
                    plugin->id);
}

/* Makes the provider of a plugin.  Takes `module` over as the `code` of the provider. */
static int
make_provider(struct mcph_plugin *plugin, struct mcph_module *module,
              mcphost_provider **ret, mcphost_error **reterr)
{
    mcphost_plugins *plugins = plugin->plugins;
    int r = mcph_native_new(plugins->source, plugin->id, ret, reterr);

    if (r < 0) {
        mcph_module_unref(module);
        return r;
    }
    (*ret)->plugin = module->said.kind;
    (*ret)->code = &module->code;
    return 0;
}

static int
set_settings(struct mcph_plugin *plugin, mcphost_provider *provider,
             mcphost_error **reterr)
{
    mcphost_plugins *plugins = plugin->plugins;
    int r = mcph_plugins_settings(plugins->host, plugins->config, plugin->id,
                                  &provider->config, &provider->config_shown);

    return r < 0 ? mcph_err(reterr, r, "its settings: %s", mcphost_strerror(r)) : 0;
}

static int
give_life(struct mcph_plugin *plugin, struct mcph_module *module,
          mcphost_provider *provider)
{
    struct life *life = malloc(sizeof(*life));
    int r;

    if (!life)
        return MCPHOST_E_NOMEM;
    *life = (struct life){
        .plugin = plugin, .plugins = mcph_plugins_ref(plugin->plugins), .module = module};
    /* On failure, this call frees `life`. */
    r = mcph_provider_set_life(provider, run_setup, run_teardown, life, free_life);
    if (r == 0)
        life->listens = true;
    return r;
}

void
mcph_plugin_begin(struct mcph_plugin *plugin)
{
    static const struct mcph_listener_ops ops = {.up = on_up, .closing = on_closing};
    struct mcph_module *module = plugin->next;
    mcphost_provider *provider = NULL;
    mcphost_error *err = NULL;
    int r = 0;

    plugin->next = NULL;
    if (is_taken(plugin)) {
        mcph_module_unref(module);
        r = refuse_taken(plugin, &err);
    } else {
        r = make_provider(plugin, module, &provider, &err);
    }
    if (r == 0)
        r = set_settings(plugin, provider, &err);
    if (r == 0) {
        r = give_life(plugin, module, provider);
        if (r < 0)
            mcph_err(&err, r, "%s", mcphost_strerror(r));
    }
    if (r < 0) {
        mcph_provider_unref(provider);
        mcph_plugin_refuse(plugin, err);
        mcph_plugins_step_soon(plugin->plugins);
        return;
    }
    plugin->provider = provider;
    plugin->phase = MCPH_PLUGIN_SETUP;
    plugin->listener = (struct mcph_listener){.ops = &ops};
    mcph_list_init(&plugin->listener.link);
    mcph_provider_listen(provider, &plugin->listener);
}

/* ---- showing ----------------------------------------------------------------------- */

void
mcph_plugin_show(struct mcph_plugin *plugin)
{
    mcphost_error *err = NULL;
    int r = is_taken(plugin) ? refuse_taken(plugin, &err)
                             : mcph_native_start(plugin->provider);

    if (r < 0) {
        if (!err)
            mcph_err(&err, r, "%s", mcphost_strerror(r));
        end_unshown(plugin);
        mcph_plugin_refuse(plugin, err);
        return;
    }
    plugin->phase = MCPH_PLUGIN_SHOWN;
    mcph_plugin_set_state(plugin, MCPHOST_PLUGIN_STATE_LOADED, NULL);
    mcph_plugin_tell(plugin, NULL);
    mcph_log(plugin->plugins->core, MCPHOST_LOG_INFO, "plugins", plugin->id,
             "'%s' is loaded, a plugin of the kind '%s'", plugin->file,
             mcphost_enum_get_name(MCPHOST_ENUM_PLUGIN_KIND, plugin->provider->plugin));
}

/* ---- the end ----------------------------------------------------------------------- */

void
mcph_plugin_end(struct mcph_plugin *plugin)
{
    if (plugin->phase == MCPH_PLUGIN_UP) {
        end_unshown(plugin);
    } else if (plugin->phase == MCPH_PLUGIN_SHOWN) {
        if (mcph_native_withdraw(plugin->provider) == MCPHOST_E_NOMEM) {
            mcph_plugins_step_soon(plugin->plugins);
            return;
        }
        plugin->phase = MCPH_PLUGIN_ENDING;
        mcph_sampler_return(plugin->plugins->host, plugin->provider);
    }
    if (plugin->phase == MCPH_PLUGIN_ENDING)
        mcph_plugin_set_state(plugin, MCPHOST_PLUGIN_STATE_ENDING, NULL);
}
