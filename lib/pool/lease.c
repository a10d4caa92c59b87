/* SPDX-License-Identifier: MIT
 *
 * lease.c - who holds which instance (R75-R82).
 *
 * A lease outlives its instance: after a death the next call attaches a new
 * one, no sooner after the last start than the delay, which doubles while
 * instances die young.
 */
#include <stdlib.h>

#include "pool/inner.h"

#define DELAY_MAX_MS 60000

int
mcph_lease_new(struct mcph_realm *realm, struct mcph_spec *spec, const char *dialog,
               void *scope, mcphost_lease **ret)
{
    struct mcph_pool *pool = realm->pool;
    mcphost_lease *lease = calloc(1, sizeof(*lease));

    if (!lease)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&lease->refs);
    mcph_list_init(&lease->link);
    mcph_list_init(&lease->scope_link);
    mcph_list_init(&lease->release_job.link);
    lease->server = mcph_strdup(spec->id);
    lease->dialog = dialog ? mcph_strdup(dialog) : NULL;
    if (!lease->server || (dialog && !lease->dialog)) {
        free(lease->server);
        free(lease->dialog);
        free(lease);
        return MCPHOST_E_NOMEM;
    }
    lease->core = mcph_core_ref(pool->core);
    lease->spec = mcph_spec_ref(spec);
    lease->pool = pool;
    lease->realm = realm;
    lease->scope = scope;
    lease->since = mcph_clock_realtime_ms();
    lease->idle_since = mcph_core_now(pool->core);
    mcph_core_lock(pool->core);
    mcph_list_append(&pool->leases, &lease->link);
    lease->listed = true;
    mcph_core_unlock(pool->core);
    *ret = lease;
    return 0;
}

void
mcph_lease_put(mcphost_lease *lease)
{
    if (!lease || !mcph_refs_put(&lease->refs))
        return;
    mcph_spec_unref(lease->spec);
    mcph_core_unref(lease->core);
    free(lease->server);
    free(lease->dialog);
    free(lease);
}

int
mcph_lease_attach(mcphost_lease *lease, struct mcph_instance *spare, int kind,
                  void *owner)
{
    struct mcph_instance *inst = spare;
    char *dialog = lease->dialog ? mcph_strdup(lease->dialog) : NULL;
    int64_t not_before = 0;
    int r;

    if (lease->dialog && !dialog)
        return MCPHOST_E_NOMEM;
    if (!inst) {
        if (lease->delay)
            not_before = lease->last_start + lease->delay;
        r = mcph_instance_new(lease->realm, lease->spec, kind, not_before, owner, &inst);
        if (r < 0) {
            free(dialog);
            return r;
        }
    }
    inst->dialog = dialog;
    inst->lease = lease;
    lease->instance = inst;
    lease->last_start = mcph_core_now(lease->core);
    if (lease->last_start < not_before)
        lease->last_start = not_before;
    atomic_store(&lease->pid, (int)inst->pid);
    atomic_store(&lease->state, inst->state ? inst->state : MCPHOST_INSTANCE_STARTING);
    atomic_store(&lease->in_flight, inst->n_calls);
    return 0;
}

void
mcph_lease_lost(mcphost_lease *lease, mcphost_error *reason)
{
    int64_t lived = mcph_core_now(lease->core) - lease->last_start;
    bool young = lease->pool && lived < lease->realm->young_ms;

    lease->instance = NULL;
    atomic_store(&lease->pid, 0);
    atomic_store(&lease->in_flight, 0);
    if (!reason)
        lease->delay = 0;
    else if (!lease->delay || !young)
        lease->delay = lease->pool ? lease->realm->restart_delay_ms : 0;
    else
        lease->delay = lease->delay * 2 < DELAY_MAX_MS ? lease->delay * 2 : DELAY_MAX_MS;
}

void
mcph_lease_end(mcphost_lease *lease, bool now)
{
    struct mcph_instance *inst = lease->instance;

    if (!lease->pool)
        return;
    mcph_core_lock(lease->core);
    mcph_list_remove(&lease->link);
    lease->listed = false;
    mcph_core_unlock(lease->core);
    mcph_list_remove(&lease->scope_link);
    lease->pool = NULL;
    lease->instance = NULL;
    if (inst) {
        /* The instance may still drain: its state is no longer this lease's. */
        inst->lease = NULL;
        atomic_store(&lease->state, MCPHOST_INSTANCE_CLOSING);
        mcph_instance_close(inst, now);
    }
    mcph_lease_put(lease);
}
