/* SPDX-License-Identifier: MIT
 *
 * instance.c - the life of an instance, until the last of its processes has ended.
 *
 * An instance owns its client and its transports.  DEAD means that the connection has
 * ended.  The memory is freed when no call is left and the transports report that no
 * process is left.  The settle job does the work that is not allowed inside an event of
 * the client, in the same turn.
 */
#include <stdlib.h>

#include "pool/inner.h"
#include <mcphost/policy.h>

#define DRAIN_MAX_MS   60000
#define DRAIN_SLACK_MS 10 /* ms by which the drain outlasts the last call's deadline */

static void on_settle(struct mcph_job *job);
static void on_delay(struct mcph_timer *timer);
static void on_drain(struct mcph_timer *timer);

static void
settle_instance(struct mcph_instance *inst)
{
    if (inst->settling)
        return;
    inst->settling = true;
    mcph_core_post(inst->pool->core, &inst->settle);
}

static void
set_state(struct mcph_instance *inst, int state, mcphost_error *reason)
{
    inst->state = state;
    if (inst->seat) {
        atomic_store(&inst->seat->state, state);
        atomic_store(&inst->seat->pid, (int)inst->pid);
    }
    inst->pool->ops->state(inst, reason, inst->pool->arg);
}

/* ---- starting ---------------------------------------------------------------------- */

static void
start_queued(struct mcph_pool *pool)
{
    while (!pool->closing &&
           (int64_t)pool->n_starting < pool->options[MCPHOST_OPT_CONCURRENT_STARTS]) {
        struct mcph_list *item = mcph_list_take_first(&pool->queue);
        struct mcph_instance *inst;
        mcphost_error *err = NULL;

        if (!item)
            return;
        inst = MCPH_LIST_ENTRY(item, struct mcph_instance, queue_link);
        inst->has_slot = true;
        pool->n_starting++;
        inst->started = mcph_core_now(pool->core);
        if (inst->state != MCPHOST_INSTANCE_CLOSING)
            inst->state = MCPHOST_INSTANCE_STARTING;
        if (mcph_instance_connect(inst, &err) < 0) {
            mcph_err_set_server(err, inst->realm->name, inst->spec->id);
            mcph_instance_die(inst, err);
            mcphost_error_unref(err);
        }
    }
}

static void
release_slot(struct mcph_instance *inst)
{
    mcph_list_remove(&inst->queue_link);
    if (!inst->has_slot)
        return;
    inst->has_slot = false;
    inst->pool->n_starting--;
    settle_instance(inst); /* the settle job starts the next instance */
}

static void
on_delay(struct mcph_timer *timer)
{
    struct mcph_instance *inst = MCPH_CONTAINER_OF(timer, struct mcph_instance, delay);

    mcph_list_append(&inst->pool->queue, &inst->queue_link);
    settle_instance(inst);
}

/* ---- limits on calls in flight ----------------------------------------------------- */

static struct mcph_client_gate *
find_gate(const struct mcph_realm *realm, const char *id)
{
    mcph_list_for_each_entry (inst, &realm->pool->instances, const struct mcph_instance,
                              link) {
        if (inst->client && inst->realm == realm && mcph_streq(inst->spec->id, id) &&
            mcph_client_get_gate(inst->client))
            return mcph_client_get_gate(inst->client);
    }
    return NULL;
}

/* Finds or makes the gate that limits the server's calls.  *ret gets a reference to the
 * gate, or NULL if there is no limit.  Returns 0 or MCPHOST_E_NOMEM. */
static int
take_gate(struct mcph_realm *realm, const struct mcph_spec *spec,
          struct mcph_client_gate **ret)
{
    *ret = mcph_client_gate_ref(find_gate(realm, spec->id));
    if (*ret || spec->calls_in_flight == 0)
        return 0;
    *ret = mcph_client_gate_new(realm->pool->core, spec->calls_in_flight);
    return *ret ? 0 : MCPHOST_E_NOMEM;
}

static int
give_gate(struct mcph_instance *inst)
{
    struct mcph_client_gate *gate;
    int r = take_gate(inst->realm, inst->spec, &gate);

    if (r == 0)
        mcph_client_set_gate(inst->client, gate);
    mcph_client_gate_unref(gate);
    return r;
}

int
mcph_realm_limit_calls(struct mcph_realm *realm, const struct mcph_spec *spec)
{
    struct mcph_client_gate *gate;
    int r = take_gate(realm, spec, &gate);

    if (r < 0 || !gate)
        return r;
    mcph_client_gate_set_max(gate,
                             spec->calls_in_flight ? spec->calls_in_flight : SIZE_MAX);
    mcph_list_for_each_entry (inst, &realm->pool->instances, struct mcph_instance, link) {
        if (inst->client && inst->realm == realm &&
            mcph_streq(inst->spec->id, spec->id) && !mcph_client_get_gate(inst->client))
            mcph_client_set_gate(inst->client, gate);
    }
    mcph_client_gate_unref(gate);
    return 0;
}

void
mcph_instance_logged(struct mcph_instance *inst, const char *level, struct mcph_span data,
                     bool aside)
{
    char *shown = data.p ? mcph_strndup(data.p, data.len) : NULL;

    if (!shown) {
        mcph_log(inst->pool->core, MCPHOST_LOG_WARNING, "pool", inst->spec->id,
                 "a log message was left out");
        return;
    }
    mcph_mask_json(inst->mask, shown, data.len);
    inst->pool->ops->log(inst, level, mcph_span(shown, data.len), aside, inst->pool->arg);
    free(shown);
}

int
mcph_realm_messages(const struct mcph_realm *realm, const struct mcph_spec *spec)
{
    return (int)mcph_realm_choose(realm, spec->log_level, MCPHOST_OPT_MESSAGES);
}

/* Returns the level of log messages that the scope of this instance wants from a legacy
 * server.  A modern server gets the level with each request (host/run.c).  If the spec
 * names a level, the scope's level does not count.  Returns MCPHOST_MESSAGES_UNASKED if
 * no level is wanted. */
static int
scope_level(const struct mcph_instance *inst, const struct mcph_spec *spec)
{
    const struct mcph_client_info *info =
        inst->scope && inst->client ? mcph_client_get_info(inst->client) : NULL;

    return info && info->era == MCPH_CLIENT_LEGACY && spec->log_level < 0
               ? inst->scope->messages
               : MCPHOST_MESSAGES_UNASKED;
}

const char *
mcph_instance_level(const struct mcph_instance *inst, const struct mcph_spec *spec)
{
    int level = mcph_realm_messages(inst->realm, spec);
    int wanted = scope_level(inst, spec);

    if (level == MCPHOST_MESSAGES_UNASKED ||
        (wanted != MCPHOST_MESSAGES_UNASKED && wanted < level))
        level = wanted;
    return level == MCPHOST_MESSAGES_UNASKED
               ? NULL
               : mcphost_enum_get_name(MCPHOST_ENUM_MESSAGE_LEVEL, level);
}

void
mcph_instance_ask_messages(struct mcph_instance *inst, const struct mcph_spec *spec)
{
    if (inst->client && !inst->provider &&
        mcph_client_set_log_level(inst->client, mcph_instance_level(inst, spec)) < 0)
        mcph_log(inst->pool->core, MCPHOST_LOG_ERROR, "pool", spec->id,
                 "out of memory: the level of its log messages stays as it was");
}

void
mcph_realm_ask_messages(struct mcph_realm *realm, const struct mcph_spec *spec)
{
    mcph_list_for_each_entry (inst, &realm->pool->instances, struct mcph_instance, link) {
        if (inst->realm == realm && mcph_streq(inst->spec->id, spec->id))
            mcph_instance_ask_messages(inst, spec);
    }
}

int
mcph_instance_new(struct mcph_realm *realm, struct mcph_spec *spec, int kind,
                  int64_t not_before, void *owner, struct mcph_instance **ret)
{
    struct mcph_pool *pool = realm->pool;
    struct mcph_instance *inst;
    int r;

    if (pool->closing)
        return MCPHOST_E_CLOSED;
    inst = calloc(1, sizeof(*inst));
    if (!inst)
        return MCPHOST_E_NOMEM;
    inst->pool = pool;
    inst->realm = realm;
    inst->spec = mcph_spec_ref(spec);
    inst->owner = owner;
    inst->lists = kind == MCPH_INSTANCE_LISTING;
    inst->settle.run = on_settle;
    mcph_list_init(&inst->settle.link);
    mcph_list_init(&inst->queue_link);
    mcph_list_append(&pool->instances, &inst->link);
    r = mcph_timer_init(&inst->delay, pool->core, on_delay);
    if (r == 0)
        r = mcph_timer_init(&inst->drain, pool->core, on_drain);
    if (r == 0)
        r = mcph_pool_join_server(inst);
    if (r == 0)
        r = mcph_instance_make_client(inst);
    if (r == 0)
        r = give_gate(inst);
    if (r < 0) {
        mcph_list_remove(&inst->link);
        mcph_instance_free(inst, 0);
        return r;
    }
    if (not_before > mcph_core_now(pool->core))
        mcph_timer_set(&inst->delay, not_before);
    else
        on_delay(&inst->delay);
    *ret = inst;
    return 0;
}

void
mcph_instance_up(struct mcph_instance *inst, pid_t pid)
{
    inst->pid = pid;
    if (inst->state == MCPHOST_INSTANCE_DEAD)
        return;
    set_state(inst, inst->state, NULL);
}

void
mcph_instance_ready(struct mcph_instance *inst)
{
    const struct mcph_client_info *info = mcph_client_get_info(inst->client);

    inst->came_up = true;
    if (inst->scope && inst->scope->messages != MCPHOST_MESSAGES_UNASKED)
        mcph_instance_ask_messages(inst, inst->spec);
    release_slot(inst);
    if (inst->spec->era == MCPH_CLIENT_AUTO &&
        !mcph_transport_kind(inst->spec->transport)->is_legacy)
        mcph_verdict_learn(inst->pool, inst->spec, info->era, info->version);
    if (inst->state != MCPHOST_INSTANCE_CLOSING)
        set_state(inst, MCPHOST_INSTANCE_READY, NULL);
}

/* ---- ending ------------------------------------------------------------------------ */

/* Ends the instance.  The secrets in `reason` must be masked, because the application can
 * show `reason`.  If `reason` is NULL, the instance was stopped. */
static void
end_instance(struct mcph_instance *inst, mcphost_error *reason)
{
    struct mcph_seat *seat;

    if (reason)
        mcph_pool_forget(inst->pool, inst->spec);
    release_slot(inst);
    mcph_timer_cancel(&inst->delay);
    mcph_timer_cancel(&inst->drain);
    /* End the calls that are still queued.  If the client has reported `down`, no calls
     * are left. */
    mcph_client_stop(inst->client,
                     reason ? mcphost_error_get_code(reason) : MCPHOST_E_CANCELLED,
                     reason);
    inst->client = mcph_client_free(inst->client);
    set_state(inst, MCPHOST_INSTANCE_DEAD, reason);
    seat = inst->seat;
    inst->seat = NULL;
    if (seat)
        mcph_seat_lost(seat, reason);
    if (inst->transport)
        mcph_transport_close(inst->transport);
    settle_instance(inst);
}

void
mcph_instance_die(struct mcph_instance *inst, mcphost_error *reason)
{
    mcphost_error *shown;

    if (inst->state == MCPHOST_INSTANCE_DEAD)
        return;
    shown = mcph_err_masked(reason, inst->mask);
    end_instance(inst, shown);
    mcphost_error_unref(shown);
}

static void
stop_calls(struct mcph_instance *inst, const char *why)
{
    mcphost_error *err = NULL;

    mcph_err(&err, MCPHOST_E_CANCELLED, "%s", why);
    mcph_err_set_server(err, inst->realm->name, inst->spec->id);
    mcph_client_stop(inst->client, MCPHOST_E_CANCELLED, err);
    mcphost_error_unref(err);
    mcph_instance_die(inst, NULL);
}

static void
on_drain(struct mcph_timer *timer)
{
    stop_calls(MCPH_CONTAINER_OF(timer, struct mcph_instance, drain),
               "the client was stopped before the call ended");
}

static void
set_drain_timer(struct mcph_instance *inst)
{
    int64_t now = mcph_core_now(inst->pool->core), due,
            ms = mcph_realm_policy(inst->realm, MCPHOST_OPT_DRAIN_TIMEOUT);

    if (ms == MCPHOST_DRAIN_INFINITE)
        return;
    due = now + (ms == MCPHOST_DRAIN_AUTO ? DRAIN_MAX_MS : ms);
    if (ms == MCPHOST_DRAIN_AUTO && inst->latest_due < due)
        due = inst->latest_due + DRAIN_SLACK_MS;
    mcph_timer_set(&inst->drain, due);
}

void
mcph_instance_close(struct mcph_instance *inst, bool now)
{
    if (inst->state == MCPHOST_INSTANCE_DEAD)
        return;
    if (inst->state == MCPHOST_INSTANCE_CLOSING && !now)
        return;
    /* Stop the instance at once if it need not drain.  If calls wait for an instance that
     * is not READY yet, the instance still comes up and drains. */
    if (now || mcph_realm_policy(inst->realm, MCPHOST_OPT_DRAIN_TIMEOUT) == 0 ||
        (inst->state != MCPHOST_INSTANCE_READY && !inst->n_calls)) {
        stop_calls(inst, "the client was stopped");
        return;
    }
    set_state(inst, MCPHOST_INSTANCE_CLOSING, NULL);
    set_drain_timer(inst);
    settle_instance(inst);
}

void
mcph_instance_transport_gone(struct mcph_instance *inst, struct mcph_transport *t)
{
    inst->n_transports--;
    if (t == inst->old)
        inst->old = NULL;
    else
        inst->transport = NULL;
    mcph_transport_free(t, 0);
    settle_instance(inst);
}

static void
on_settle(struct mcph_job *job)
{
    struct mcph_instance *inst = MCPH_CONTAINER_OF(job, struct mcph_instance, settle);
    struct mcph_pool *pool = inst->pool;
    void *owner;

    inst->settling = false;
    start_queued(pool);
    if (inst->state == MCPHOST_INSTANCE_CLOSING && !inst->n_calls)
        mcph_instance_die(inst, NULL);
    if (inst->state != MCPHOST_INSTANCE_DEAD || inst->n_transports || inst->n_calls ||
        inst->settling)
        return;
    mcph_list_remove(&inst->link);
    owner = inst->owner;
    mcph_instance_free(inst, 0);
    pool->ops->freed(owner, pool->arg);
    mcph_pool_check_closed(pool);
}

void
mcph_instance_free(struct mcph_instance *inst, int64_t wait_ms)
{
    struct mcph_core *core = inst->pool->core;
    int64_t end = mcph_clock_monotonic_ms() + wait_ms, left;

    mcph_list_remove(&inst->queue_link);
    mcph_core_lock(core);
    mcph_list_remove(&inst->settle.link);
    mcph_core_unlock(core);
    mcph_client_free(inst->client);
    mcph_inside_free(inst->inside);
    if (inst->owns_provider)
        mcph_provider_withdraw(inst->provider);
    mcph_provider_unref(inst->provider);
    mcph_transport_free(inst->transport, wait_ms);
    left = end - mcph_clock_monotonic_ms();
    mcph_transport_free(inst->old, left > 0 ? left : 0);
    mcphost_error_unref(inst->undiagnosed);
    mcph_keeper_put(inst->auth);
    mcph_mask_unref(inst->mask);
    mcph_ration_unref(inst->ration);
    mcph_timer_done(&inst->delay);
    mcph_timer_done(&inst->drain);
    mcph_spec_unref(inst->spec);
    mcph_scope_unref(inst->scope);
    free(inst);
}

/* ---- calls ------------------------------------------------------------------------- */

void
mcph_instance_call_began(struct mcph_instance *inst, int64_t due)
{
    inst->n_calls++;
    if (due > inst->latest_due)
        inst->latest_due = due;
    if (inst->seat)
        atomic_store_explicit(&inst->seat->in_flight, inst->n_calls,
                              memory_order_relaxed);
}

void
mcph_instance_call_ended(struct mcph_instance *inst)
{
    inst->n_calls--;
    if (inst->seat)
        atomic_store_explicit(&inst->seat->in_flight, inst->n_calls,
                              memory_order_relaxed);
    if (!inst->n_calls) {
        inst->latest_due = 0;
        if (inst->seat)
            inst->seat->idle_since = mcph_core_now(inst->pool->core);
        if (!mcph_instance_usable(inst))
            settle_instance(inst);
    }
}
