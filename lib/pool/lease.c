/* SPDX-License-Identifier: MIT
 *
 * lease.c - the seats, the instances that fill them, and the leases that hold them
 * (R75-R82).
 *
 * A seat outlives its instance.  After the instance has died, the next call fills the
 * seat again.  The new instance starts only when a delay has passed since the last start.
 * The delay doubles each time an instance dies soon after its start.
 */
#include <stdlib.h>

#include "pool/inner.h"

#define DELAY_MAX_MS 60000

/* ---- seats ------------------------------------------------------------------------- */

struct mcph_seat *
mcph_seat_find(struct mcph_pool *pool, const struct mcph_claim *claim)
{
    if (mcph_scope_kind(claim->scope) == MCPHOST_SCOPE_DIALOG)
        return NULL;
    mcph_list_for_each_entry (seat, &pool->seats, struct mcph_seat, link) {
        if (seat->owner == claim->owner && seat->edition == claim->edition &&
            seat->policy == claim->policy && mcph_scope_same(seat->scope, claim->scope))
            return seat;
    }
    return NULL;
}

static struct mcph_seat *
seat_new(const struct mcph_claim *claim)
{
    struct mcph_pool *pool = claim->realm->pool;
    struct mcph_seat *seat = calloc(1, sizeof(*seat));

    if (!seat)
        return NULL;
    mcph_list_init(&seat->leases);
    seat->pool = pool;
    seat->realm = claim->realm;
    seat->spec = mcph_spec_ref(claim->spec);
    seat->scope = mcph_scope_ref(claim->scope);
    seat->owner = claim->owner;
    seat->edition = claim->edition;
    seat->policy = claim->policy;
    seat->idle_since = mcph_core_now(pool->core);
    mcph_list_append(&pool->seats, &seat->link);
    return seat;
}

static void
seat_free(struct mcph_seat *seat)
{
    mcph_list_remove(&seat->link);
    mcph_spec_unref(seat->spec);
    mcph_scope_unref(seat->scope);
    free(seat);
}

int
mcph_seat_fill(struct mcph_seat *seat, struct mcph_instance *spare, int kind)
{
    struct mcph_core *core = seat->pool->core;
    struct mcph_instance *inst = spare;
    int64_t not_before = 0;
    int r;

    if (!inst) {
        if (seat->delay)
            not_before = seat->last_start + seat->delay;
        r = mcph_instance_new(seat->realm, seat->spec, kind, not_before, seat->owner,
                              &inst);
        if (r < 0)
            return r;
    }
    inst->scope = mcph_scope_ref(seat->scope);
    if (inst->scope && inst->scope->messages != MCPHOST_MESSAGES_UNASKED)
        mcph_instance_ask_messages(inst, inst->spec);
    inst->seat = seat;
    seat->instance = inst;
    seat->last_start = mcph_core_now(core);
    if (seat->last_start < not_before)
        seat->last_start = not_before;
    atomic_store(&seat->pid, (int)inst->pid);
    atomic_store(&seat->state, inst->state ? inst->state : MCPHOST_INSTANCE_STARTING);
    atomic_store(&seat->in_flight, inst->n_calls);
    return 0;
}

void
mcph_seat_lost(struct mcph_seat *seat, mcphost_error *reason)
{
    int64_t lived = mcph_core_now(seat->pool->core) - seat->last_start;
    bool young = lived < mcph_realm_policy(seat->realm, MCPHOST_OPT_CRASH_WINDOW);

    seat->instance = NULL;
    atomic_store(&seat->pid, 0);
    atomic_store(&seat->in_flight, 0);
    if (!reason)
        seat->delay = 0;
    else if (!seat->delay || !young)
        seat->delay = mcph_realm_policy(seat->realm, MCPHOST_OPT_RESTART_DELAY);
    else
        seat->delay = seat->delay * 2 < DELAY_MAX_MS ? seat->delay * 2 : DELAY_MAX_MS;
}

/* ---- leases ------------------------------------------------------------------------ */

static mcphost_lease *
make_lease(const struct mcph_claim *claim, const char *dialog)
{
    const char *source = claim->realm->name;
    mcphost_lease *lease = calloc(1, sizeof(*lease));

    if (!lease)
        return NULL;
    mcph_refs_init(&lease->refs);
    mcph_list_init(&lease->link);
    mcph_list_init(&lease->seat_link);
    mcph_list_init(&lease->holder_link);
    mcph_list_init(&lease->release_job.link);
    lease->core = mcph_core_ref(claim->realm->pool->core);
    lease->scope = mcph_scope_ref(claim->scope);
    lease->source = source ? mcph_strdup(source) : NULL;
    lease->server = mcph_strdup(claim->spec->id);
    lease->dialog = dialog ? mcph_strdup(dialog) : NULL;
    if (!lease->source == !source && lease->server && !lease->dialog == !dialog)
        return lease;
    mcph_lease_put(lease);
    return NULL;
}

int
mcph_lease_new(const struct mcph_claim *claim, const char *dialog, void *holder,
               mcphost_lease **ret)
{
    struct mcph_pool *pool = claim->realm->pool;
    mcphost_lease *lease = make_lease(claim, dialog);
    struct mcph_seat *seat;

    if (!lease)
        return MCPHOST_E_NOMEM;
    seat = mcph_seat_find(pool, claim);
    if (!seat)
        seat = seat_new(claim);
    if (!seat) {
        mcph_lease_put(lease);
        return MCPHOST_E_NOMEM;
    }
    lease->holder = holder;
    lease->since = mcph_clock_realtime_ms();
    lease->used = mcph_core_now(pool->core);
    mcph_list_append(&seat->leases, &lease->seat_link);
    mcph_core_lock(pool->core);
    lease->seat = seat;
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
    mcph_scope_unref(lease->scope);
    mcph_core_unref(lease->core);
    free(lease->source);
    free(lease->server);
    free(lease->dialog);
    free(lease);
}

bool
mcph_lease_is_last(const mcphost_lease *lease)
{
    const struct mcph_list *leases = &lease->seat->leases;

    return leases->next == &lease->seat_link && leases->prev == &lease->seat_link;
}

void
mcph_lease_end(mcphost_lease *lease, bool now)
{
    struct mcph_seat *seat = lease->seat;
    struct mcph_instance *inst;

    if (!seat)
        return;
    /* Take the lock, because another thread may read the lease through a handle of the
     * application. */
    mcph_core_lock(lease->core);
    mcph_list_remove(&lease->link);
    lease->listed = false;
    lease->seat = NULL;
    mcph_core_unlock(lease->core);
    mcph_list_remove(&lease->seat_link);
    mcph_list_remove(&lease->holder_link);
    mcph_lease_put(lease);
    if (!mcph_list_empty(&seat->leases))
        return;
    inst = seat->instance;
    seat_free(seat);
    if (inst) {
        /* Clear the pointer to the seat, because an instance that drains outlives the
         * seat. */
        inst->seat = NULL;
        if (!inst->pool->closed_told)
            mcph_instance_close(inst, now);
    }
}
