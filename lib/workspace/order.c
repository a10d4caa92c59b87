/* SPDX-License-Identifier: MIT
 *
 * order.c - carry out the application's orders to a source, on the dispatcher: apply a
 * configuration, read the files again, restart, enable or disable a server, add or remove
 * a provider.
 */
#include <stdlib.h>

#include "workspace/workspace.h"

struct order {
    struct mcph_job job;
    struct mcphost_source *source; /* a reference */
    enum mcph_order what;
    char *server;               /* the server's id, or NULL */
    mcphost_config *config;     /* a reference, or NULL */
    mcphost_provider *provider; /* a reference, or NULL */
};

static void
restart_server(struct mcphost_source *source, const char *id)
{
    struct mcph_server *server = mcph_server_find(source, id);

    if (server)
        mcph_server_resume(server);
    if (server && server->wanted) {
        mcph_pool_forget(source->pool, server->wanted);
        mcph_server_launch(server);
    }
}

/* Applies a configuration that the application has loaded. */
static void
apply_loaded(struct mcphost_source *source, mcphost_config *config)
{
    mcph_apply_now(source, config, "loaded");
    mcph_core_lock(source->core);
    if (source->loading == config)
        source->loading = mcph_config_unref(config);
    mcph_core_unlock(source->core);
}

static void
carry_out(const struct order *order)
{
    struct mcphost_source *source = order->source;

    switch (order->what) {
    case MCPH_ORDER_APPLY:
        apply_loaded(source, order->config);
        break;
    case MCPH_ORDER_RELOAD:
        (void)mcph_source_read(source, NULL);
        break;
    case MCPH_ORDER_CHECK:
        mcph_source_check(source);
        break;
    case MCPH_ORDER_RESTART:
        restart_server(source, order->server);
        break;
    case MCPH_ORDER_ENABLE:
    case MCPH_ORDER_DISABLE:
        mcph_source_set_enabled(source, order->server, order->what == MCPH_ORDER_ENABLE,
                                NULL);
        break;
    case MCPH_ORDER_PROVIDE:
        mcph_provided_add(source, order->provider);
        break;
    case MCPH_ORDER_WITHDRAW:
        mcph_provided_remove(source, order->provider);
        break;
    }
}

static void
run_orders(struct mcph_job *job)
{
    struct order *order = MCPH_CONTAINER_OF(job, struct order, job);
    struct mcph_workspace *ws = order->source->ws;
    bool over = order->source->leaving || mcph_workspace_is_closing(ws);

    if (!over && mcph_source_open(order->source) < 0) {
        mcph_core_post_later(ws->core, job);
        return;
    }
    if (!over)
        carry_out(order);
    else if (order->provider)
        mcph_provider_close(order->provider, 0);
    ws->ops->carried_out(ws->owner);
    mcph_source_unref(order->source);
    mcph_config_unref(order->config);
    mcph_provider_unref(order->provider);
    free(order->server);
    free(order);
}

static int
post_order(struct mcphost_source *source, enum mcph_order what, const char *server,
           mcphost_config *config, mcphost_provider *provider)
{
    struct order *order = calloc(1, sizeof(*order));

    if (!order)
        return MCPHOST_E_NOMEM;
    order->server = server ? mcph_strdup(server) : NULL;
    if (server && !order->server) {
        free(order);
        return MCPHOST_E_NOMEM;
    }
    order->job.run = run_orders;
    mcph_list_init(&order->job.link);
    order->source = mcph_source_ref(source);
    order->what = what;
    if (config)
        order->config = mcph_config_ref(config);
    order->provider = mcph_provider_ref(provider);
    source->ws->ops->ordered(source->ws->owner);
    mcph_core_post_locked(source->core, &order->job);
    return 0;
}

/* Checks whether this order may be given for this server.  Returns 0, MCPHOST_E_NOTFOUND
 * or MCPHOST_E_STATE. */
static int
check_server(const struct mcphost_source *source, enum mcph_order what, const char *id)
{
    const struct mcph_config_server *entry =
        source->config ? mcph_config_find(source->config, id) : NULL;

    if (!entry)
        return MCPHOST_E_NOTFOUND;
    return what == MCPH_ORDER_RESTART && entry->state != MCPHOST_CONFIG_SERVER_VALID
               ? MCPHOST_E_STATE
               : 0;
}

int
mcph_source_order_locked(struct mcphost_source *source, enum mcph_order what,
                         const char *server)
{
    int r = 0;

    if (source->leaving)
        return MCPHOST_E_STATE;
    if (what == MCPH_ORDER_ENABLE || what == MCPH_ORDER_DISABLE)
        r = source->reader && source->reader->set_enabled ? 0 : MCPHOST_E_STATE;
    if (what == MCPH_ORDER_RELOAD || what == MCPH_ORDER_CHECK)
        r = source->reader ? 0 : MCPHOST_E_STATE;
    if (r == 0 && server)
        r = check_server(source, what, server);
    return r < 0 ? r : post_order(source, what, server, NULL, NULL);
}

int
mcph_source_apply_locked(struct mcphost_source *source, mcphost_config *config)
{
    int r;

    /* First check `leaving`, because the dispatcher frees the reader of a leaving source
     * and does not take the lock. */
    if (source->leaving || source->reader)
        return MCPHOST_E_STATE;
    r = post_order(source, MCPH_ORDER_APPLY, NULL, config, NULL);
    if (r == 0) {
        mcph_config_unref(source->loading);
        source->loading = mcph_config_ref(config);
        source->frozen = true;
        source->loaded = true;
    }
    return r;
}

/* Posts an order about a provider.  The order PROVIDE freezes the policies, as a load
 * does, but the source does not count as loaded. */
int
mcph_source_order_provider_locked(struct mcphost_source *source, enum mcph_order what,
                                  mcphost_provider *provider)
{
    int r;

    if (source->leaving)
        return MCPHOST_E_STATE;
    r = post_order(source, what, NULL, NULL, provider);
    if (r == 0 && what == MCPH_ORDER_PROVIDE)
        source->frozen = true;
    return r;
}
