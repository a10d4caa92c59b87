/* SPDX-License-Identifier: MIT
 *
 * pool.c - the pool's life: settings, closing, freeing.
 */
#include <stdlib.h>

#include "pool/inner.h"

int
mcph_pool_new(struct mcph_core *core, const _Atomic int64_t *options,
              const struct mcph_pool_ops *ops, void *arg, struct mcph_pool **ret)
{
    struct mcph_pool *pool = calloc(1, sizeof(*pool));

    if (!pool)
        return MCPHOST_E_NOMEM;
    pool->core = mcph_core_ref(core);
    pool->options = options;
    pool->ops = ops;
    pool->arg = arg;
    mcph_env_init(&pool->set);
    mcph_env_init(&pool->hidden);
    mcph_list_init(&pool->instances);
    mcph_list_init(&pool->queue);
    mcph_list_init(&pool->seats);
    mcph_list_init(&pool->leases);
    *ret = pool;
    return 0;
}

void
mcph_pool_set_limits(struct mcph_pool *pool, struct mcph_sink *sink,
                     struct mcph_ration *ration)
{
    pool->sink = sink;
    pool->ration = ration;
}

static int
replace_text(char **field, const char *value)
{
    char *copy = NULL;

    if (value) {
        copy = mcph_strdup(value);
        if (!copy)
            return MCPHOST_E_NOMEM;
    }
    free(*field);
    *field = copy;
    return 0;
}

int
mcph_pool_set_identity(struct mcph_pool *pool, const char *name, const char *version,
                       const char *title)
{
    int r = replace_text(&pool->name, name);

    if (r == 0)
        r = replace_text(&pool->version, version);
    if (r == 0)
        r = replace_text(&pool->title, title);
    return r;
}

int
mcph_pool_add_identity(const struct mcph_pool *pool, struct mcph_buf *buf)
{
    return mcph_rpc_add_identity(buf, pool->name, pool->version, pool->title);
}

int
mcph_pool_set_guard_path(struct mcph_pool *pool, const char *path)
{
    return replace_text(&pool->guard_path, path);
}

void
mcph_pool_set_net(struct mcph_pool *pool, struct mcph_net *net)
{
    pool->net = net;
}

void
mcph_pool_set_keeper(struct mcph_pool *pool, struct mcph_keeper *keeper)
{
    pool->keeper = keeper;
}

void
mcph_pool_roots_changed(struct mcph_pool *pool)
{
    mcph_list_for_each_entry (inst, &pool->instances, struct mcph_instance, link) {
        if (inst->client)
            mcph_client_roots_changed(inst->client);
    }
}

bool
mcph_pool_owns(const struct mcph_pool *pool, const void *owner)
{
    mcph_list_for_each_entry (inst, &pool->instances, struct mcph_instance, link) {
        if (inst->owner == owner)
            return true;
    }
    return false;
}

struct mcph_list *
mcph_pool_leases(struct mcph_pool *pool)
{
    return &pool->leases;
}

void
mcph_pool_check_closed(struct mcph_pool *pool)
{
    if (!pool->closing || pool->closed_told || !mcph_list_empty(&pool->instances))
        return;
    pool->closed_told = true;
    pool->ops->closed(pool->arg);
}

void
mcph_pool_close(struct mcph_pool *pool)
{
    pool->closing = true;
    mcph_list_for_each_entry (inst, &pool->instances, struct mcph_instance, link)
        mcph_instance_close(inst, true);
    mcph_pool_check_closed(pool);
}

void
mcph_pool_kill(struct mcph_pool *pool)
{
    mcph_list_for_each_entry (inst, &pool->instances, struct mcph_instance, link) {
        if (inst->transport)
            mcph_transport_kill(inst->transport);
        if (inst->old)
            mcph_transport_kill(inst->old);
    }
}

void
mcph_pool_halt(struct mcph_pool *pool)
{
    if (pool)
        pool->closing = pool->closed_told = true;
}

void
mcph_pool_free(struct mcph_pool *pool, int64_t wait_ms)
{
    int64_t deadline = mcph_clock_monotonic_ms() + wait_ms;

    if (!pool)
        return;
    mcph_pool_halt(pool);
    while (!mcph_list_empty(&pool->leases))
        mcph_lease_end(MCPH_LIST_ENTRY(pool->leases.next, mcphost_lease, link), true);
    mcph_pool_kill(pool);
    while (!mcph_list_empty(&pool->instances)) {
        struct mcph_list *item = mcph_list_take_first(&pool->instances);
        int64_t left = deadline - mcph_clock_monotonic_ms();

        mcph_instance_free(MCPH_LIST_ENTRY(item, struct mcph_instance, link),
                           left > 0 ? left : 0);
    }
    mcph_client_cache_free(pool->cache);
    mcph_verdicts_done(pool);
    pool->environment = mcph_env_free(pool->environment);
    mcph_env_done(&pool->set);
    mcph_env_done(&pool->hidden);
    free(pool->name);
    free(pool->version);
    free(pool->title);
    free(pool->guard_path);
    free(pool->cgroup_dir);
    mcph_core_unref(pool->core);
    free(pool);
}
