/* SPDX-License-Identifier: MIT
 *
 * server.c - one declared server: how a configured spec becomes an edition that works
 * (R100-R104, R110-R112).
 *
 *   STARTING --listed, published--> LOADED
 *      \______ down, refused ______> UNAVAILABLE --delay, or the next edit--> STARTING
 *
 * `wanted` is the spec that the configuration has now.  `spec`, `listing` and `block` are
 * the last good edition.  This edition is published, and calls go to it.  The lister is
 * the one instance that prepares the next edition.  When the lister has listed, its
 * edition replaces the good edition.  The clients of the replaced edition then drain.
 * The lister does not change the good edition before the lister has listed, or if the
 * lister fails.  If MCPHOST_LAST_GOOD_NONE is set, a failure of the lister discards a
 * good edition that differs from the configuration.
 *
 * After listing, the lister stays for a while as the spare.  If one instance serves all
 * dialogs, the spare fills the seat that they share.  Otherwise the spare fills the first
 * seat that a dialog asks for.  A spare fills only one seat.
 */
#include <stdlib.h>
#include <string.h>

#include "workspace/workspace.h"
#include "model/model.h"

#define RETRY_FIRST_MS 1000
#define RETRY_MAX_MS   60000
#define ASKED_MAX_MS   (60 * RETRY_MAX_MS)

static bool is_outdated(const struct mcph_server *server);
static void drop_good(struct mcph_server *server);

/* ---- state ------------------------------------------------------------------------- */

struct mcph_server *
mcph_server_find(struct mcphost_source *source, const char *id)
{
    return source->started ? mcph_map_get(&source->by_id, id, strlen(id)) : NULL;
}

void
mcph_server_set_state(struct mcph_server *server, int state, mcphost_error *error)
{
    struct mcphost_source *source = server->source;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_SERVER,
                                  .state = state,
                                  .source = source->id,
                                  .server = server->id,
                                  .error = error};
    mcphost_error *old;

    mcph_core_lock(source->core);
    old = server->error;
    server->state = state;
    server->error = mcphost_error_ref(error);
    mcph_core_unlock(source->core);
    mcphost_error_unref(old);
    mcph_emit(source->journal, &event);
    source->ws->ops->state_changed(source->ws->owner);
}

void
mcph_server_set_hold_up(struct mcphost_source *source, const char *id, const char *why)
{
    struct mcph_server *server = mcph_server_find(source, id);
    mcphost_error *err = NULL, *old;

    if (!server || server->state != MCPHOST_SERVER_STARTING)
        return;
    if (why) {
        mcph_err(&err, MCPHOST_E_AUTH, "%s", why);
        mcph_err_set_server(err, source->id, server->id);
    }
    mcph_core_lock(source->core);
    old = server->error;
    server->error = err;
    mcph_core_unlock(source->core);
    mcphost_error_unref(old);
}

void
mcph_server_set_pid(struct mcph_server *server, int64_t pid)
{
    mcph_core_lock(server->source->core);
    server->pid = pid;
    mcph_core_unlock(server->source->core);
}

void
mcph_server_set_containment(struct mcph_server *server, int containment)
{
    mcph_core_lock(server->source->core);
    server->containment = containment;
    mcph_core_unlock(server->source->core);
}

/* Returns the delay in ms that the server itself asked for, but at most ASKED_MAX_MS.
 * Returns 0 if the server asked for no delay. */
static int64_t
asked_delay(const mcphost_error *error)
{
    const char *after = mcphost_error_get_retry_after(error);
    int64_t ms = after ? mcph_model_read_after(after, mcph_clock_realtime_ms()) : 0;

    return ms < ASKED_MAX_MS ? ms : ASKED_MAX_MS;
}

/* Returns the delay in ms before the next attempt.  The delay doubles with each failure
 * up to RETRY_MAX_MS.  Up to a fifth of the delay is random, so that servers that failed
 * together do not all start again at the same time.  If the server asked for a longer
 * delay, returns that delay. */
static int64_t
retry_delay(const struct mcph_server *server, const mcphost_error *error)
{
    int64_t asked = asked_delay(error);
    unsigned shift = server->failures < 7 ? server->failures - 1 : 6;
    int64_t ms = (int64_t)RETRY_FIRST_MS << shift;
    uint32_t chance;

    if (ms > RETRY_MAX_MS)
        ms = RETRY_MAX_MS;
    if (mcph_random_bytes(&chance, sizeof(chance)) == 0)
        ms -= (int64_t)(chance % (uint32_t)(ms / 5 + 1));
    return asked > ms ? asked : ms;
}

/* Marks the attempt as failed.  Discards the last good edition if MCPHOST_LAST_GOOD_NONE
 * is set and the edition differs from the configuration.  Keeps the edition if memory was
 * short. */
void
mcph_server_unavailable(struct mcph_server *server, mcphost_error *error)
{
    struct mcphost_source *source = server->source;
    bool works;

    if (is_outdated(server) && mcphost_error_get_code(error) != MCPHOST_E_NOMEM)
        drop_good(server);
    works = server->listing != NULL;
    server->complained = true;
    mcph_problem_server(source->journal, source->id, server->id, MCPHOST_SEVERITY_ERROR,
                        error);
    mcph_server_set_state(
        server, works ? MCPHOST_SERVER_LOADED : MCPHOST_SERVER_UNAVAILABLE, error);
    server->attempted = true;
    server->failures++;
    if (mcph_source_policy(source, MCPHOST_OPT_RETRY) && server->wanted)
        mcph_timer_set(&server->retry,
                       mcph_core_now(source->core) + retry_delay(server, error));
    mcph_server_answer(server, mcphost_error_get_message(error));
    source->ws->ops->tried(source->ws->owner);
}

void
mcph_server_clear_complaint(struct mcph_server *server)
{
    if (server->complained)
        mcph_problem_clear_server(server->source->journal, server->source->id, server->id,
                                  "server_error");
    server->complained = false;
}

void
mcph_server_answer(struct mcph_server *server, const char *why_not)
{
    while (!mcph_list_empty(&server->restarts)) {
        struct mcph_restart *restart = MCPH_LIST_ENTRY(
            mcph_list_take_first(&server->restarts), struct mcph_restart, link);

        restart->answer(restart, server, why_not);
    }
}

static void
on_retry(struct mcph_timer *timer)
{
    mcph_server_launch(MCPH_CONTAINER_OF(timer, struct mcph_server, retry));
}

/* ---- the spare --------------------------------------------------------------------- */

struct mcph_instance *
mcph_server_take_spare(struct mcph_server *server)
{
    struct mcph_instance *spare = server->spare;

    server->spare = NULL;
    mcph_timer_cancel(&server->spare_timer);
    if (spare && !mcph_server_shares(server, server->spec))
        mcph_server_set_pid(server, 0);
    return spare && mcph_instance_usable(spare) ? spare : NULL;
}

static void
drop_spare(struct mcph_server *server)
{
    struct mcph_instance *spare = mcph_server_take_spare(server);

    if (spare)
        mcph_instance_close(spare, false);
}

static void
on_spare_timer(struct mcph_timer *timer)
{
    drop_spare(MCPH_CONTAINER_OF(timer, struct mcph_server, spare_timer));
}

/* Sets `keeps_nothing`.  A server that speaks MCP 2026-07-28 over HTTP cannot keep state
 * for one dialog, because this version has no sessions. */
void
mcph_server_met(struct mcph_server *server, const struct mcph_instance *inst)
{
    const struct mcph_client_info *info =
        inst && inst->client ? mcph_client_get_info(inst->client) : NULL;

    server->keeps_nothing = info && info->era == MCPH_CLIENT_MODERN &&
                            !mcph_transport_kind(inst->spec->transport)->keeps_state;
}

/* Sets the spare's timer anew.  If the spare may fill the seat that all dialogs share,
 * or while the lists of the spare are awaited, cancels the timer and does nothing more.
 * If MCPHOST_OPT_FIRST_LEASE_WAIT is 0, drops the spare instead. */
void
mcph_server_time_spare(struct mcph_server *server)
{
    struct mcphost_source *source = server->source;
    int64_t wait = mcph_source_policy(source, MCPHOST_OPT_FIRST_LEASE_WAIT);

    mcph_timer_cancel(&server->spare_timer);
    if (!server->spare || server->spare == server->awaits ||
        mcph_server_shares(server, server->spec))
        return;
    if (wait == 0)
        drop_spare(server);
    else
        mcph_timer_set(&server->spare_timer, mcph_core_now(source->core) + wait);
}

/* ---- the way to the next edition --------------------------------------------------- */

void
mcph_server_launch(struct mcph_server *server)
{
    mcphost_error *err = NULL;
    int r;

    mcph_server_stop_lister(server);
    mcph_timer_cancel(&server->retry);
    server->load_began = mcph_core_now(server->source->core);
    r = mcph_instance_new(&server->source->realm, server->wanted, MCPH_INSTANCE_LISTING,
                          0, server, &server->lister);
    mcph_more_await(server, server->lister);
    if (r == MCPHOST_E_CLOSED)
        return;
    if (!server->listing)
        mcph_server_set_state(server, MCPHOST_SERVER_STARTING, NULL);
    if (r == 0)
        return;
    mcph_err_nomem(&err);
    mcph_server_unavailable(server, err);
    mcphost_error_unref(err);
}

void
mcph_server_close(struct mcph_server *server)
{
    mcph_timer_cancel(&server->retry);
    mcph_timer_cancel(&server->spare_timer);
    mcph_timer_cancel(&server->calm);
}

/* Stops the server's lister, if there is one.  The lister's edition is no longer
 * wanted. */
void
mcph_server_stop_lister(struct mcph_server *server)
{
    struct mcph_instance *lister = server->lister;

    server->lister = NULL;
    if (!lister)
        return;
    mcph_more_forget_next(server);
    mcph_more_lost(server, lister);
    mcph_instance_close(lister, true);
}

void
mcph_server_schedule(struct mcph_server *server)
{
    struct mcph_workspace *ws = server->source->ws;

    server->dirty = true;
    ws->ops->publish_soon(ws->owner);
}

static void
take_spec(struct mcph_server *server, struct mcph_spec *spec)
{
    struct mcph_spec *old = server->spec;

    server->spec = mcph_spec_ref(spec);
    mcph_spec_unref(old);
    if (mcph_realm_limit_calls(&server->source->realm, server->spec) < 0)
        mcph_log(server->source->core, MCPHOST_LOG_ERROR, "host", server->spec->id,
                 "out of memory: the limit on its calls stays as it was");
    mcph_realm_ask_messages(&server->source->realm, server->spec);
}

/* Makes the lister's edition the last good edition.  Unless mcph_review() returns the
 * server to the earlier edition, the publish job publishes this edition, and then ends
 * the leases of the earlier edition. */
void
mcph_server_commit(struct mcph_server *server, struct mcph_listing *listing)
{
    struct mcph_instance *inst = server->lister;

    mcph_timer_cancel(&server->retry);
    mcph_crash_forget(server);
    drop_spare(server);
    take_spec(server, server->wanted);
    mcph_listing_unref(server->listing);
    server->listing = mcph_listing_ref(listing);
    mcph_more_commit(server);
    server->edition = ++server->source->ws->editions;
    server->committed = server->strict = true;
    server->lister = NULL;
    server->spare = inst;
    server->kept_nothing = server->keeps_nothing;
    mcph_server_met(server, inst);
    mcph_server_time_spare(server);
    mcph_server_schedule(server);
}

void
mcph_server_relisted(struct mcph_server *server, struct mcph_listing *listing,
                     bool restarted)
{
    if (server->listing && mcph_listing_equal(server->listing, listing))
        return;
    mcph_listing_unref(server->listing);
    server->listing = mcph_listing_ref(listing);
    server->strict |= restarted;
    mcph_server_schedule(server);
}

/* Replaces the spec after a change of filters, names or timeouts.  This change needs no
 * new process.  The leases stay. */
static void
change_view(struct mcph_server *server, struct mcph_spec *spec)
{
    struct mcphost_source *source = server->source;

    take_spec(server, spec);
    mcph_list_for_each (item, mcph_pool_leases(source->pool)) {
        struct mcph_seat *seat = MCPH_LIST_ENTRY(item, mcphost_lease, link)->seat;

        if (seat->owner == server && seat->edition == server->edition) {
            mcph_spec_unref(seat->spec);
            seat->spec = mcph_spec_ref(server->spec);
        }
    }
    mcph_server_time_spare(server);
}

void
mcph_server_revert(struct mcph_server *server, const mcphost_server *entry,
                   mcphost_error *error)
{
    struct mcph_block *good = entry->block;

    if (server->edition != good->edition) {
        drop_spare(server);
        server->edition = good->edition;
        server->keeps_nothing = server->kept_nothing;
        mcph_server_set_pid(server, server->shared && server->shared->instance
                                        ? server->shared->instance->pid
                                        : 0);
    }
    change_view(server, good->spec);
    mcph_listing_unref(server->listing);
    server->listing = mcph_listing_ref(good->listing);
    mcph_block_unref(server->block);
    server->block = mcph_block_ref(good);
    mcph_more_restore(server, entry->more);
    server->source->ws->ops->own_refresh(server);
    server->committed = false;
    mcph_server_unavailable(server, error);
}

static bool
same_launch(const struct mcph_spec *a, const struct mcph_spec *b)
{
    return memcmp(a->launch_hash, b->launch_hash, MCPH_DIGEST_LEN) == 0;
}

static bool
same_view(const struct mcph_spec *a, const struct mcph_spec *b)
{
    return memcmp(a->view_hash, b->view_hash, MCPH_DIGEST_LEN) == 0;
}

bool
mcph_server_same_spec(const struct mcph_spec *a, const struct mcph_spec *b)
{
    return a == b || (same_launch(a, b) && same_view(a, b));
}

/* Makes `wanted` the present spec, because no edition works yet.  Sets `start` unless a
 * lister with the same launch hash runs. */
static void
want_first(struct mcph_server *server)
{
    take_spec(server, server->wanted);
    server->dirty = true;
    server->failures = 0;
    if (server->lister && same_launch(server->lister->spec, server->wanted))
        return;
    mcph_server_stop_lister(server);
    server->start = true;
}

void
mcph_server_want(struct mcph_server *server, struct mcph_spec *spec)
{
    struct mcph_spec *old = server->wanted;

    if (old && !same_launch(old, spec))
        mcph_crash_forget(server);
    server->wanted = mcph_spec_ref(spec);
    mcph_spec_unref(old);
    if (!server->listing) {
        want_first(server);
        return;
    }
    server->failures = 0;
    if (!same_launch(spec, server->spec)) {
        if (!server->lister || !same_launch(server->lister->spec, spec))
            server->start = true;
        return;
    }
    /* Keep the edition that already works, because the configuration wants this edition.
     * A lister that restarts the edition keeps running. */
    if (server->lister && !same_launch(server->lister->spec, spec)) {
        mcph_server_stop_lister(server);
        mcph_server_answer(server,
                           "the configuration is again the one that already runs");
    }
    mcph_timer_cancel(&server->retry);
    if (!same_view(spec, server->spec)) {
        change_view(server, spec);
        server->strict = true;
        mcph_server_schedule(server);
    }
    if (server->state != MCPHOST_SERVER_LOADED || server->error)
        mcph_server_set_state(server, MCPHOST_SERVER_LOADED, NULL);
    mcph_server_clear_complaint(server);
}

/* Returns whether MCPHOST_LAST_GOOD_NONE is set and the last good edition differs from
 * the configuration. */
static bool
is_outdated(const struct mcph_server *server)
{
    return mcph_source_policy(server->source, MCPHOST_OPT_LAST_GOOD) ==
               MCPHOST_LAST_GOOD_NONE &&
           server->listing && server->wanted &&
           !same_launch(server->wanted, server->spec);
}

/* Discards the last good edition.  Its leases end with the next publication. */
static void
drop_good(struct mcph_server *server)
{
    drop_spare(server);
    take_spec(server, server->wanted);
    mcph_listing_unref(server->listing);
    server->listing = NULL;
    mcph_more_drop(server);
    server->edition = 0;
    mcph_server_set_pid(server, 0);
    mcph_server_schedule(server);
}

/* ---- the end of an edition --------------------------------------------------------- */

/* Returns whether the edition of the lease is not the server's present edition, or the
 * scope of the lease differs from the scope that the server has now. */
static bool
is_old(const struct mcph_server *server, const mcphost_lease *lease)
{
    const struct mcph_seat *seat = lease->seat;
    int declared;

    if (!server->spec || seat->edition != server->edition)
        return true;
    declared = mcph_server_declared_scope(server, server->spec);
    return seat->policy != mcph_server_scope(server, declared) ||
           (lease->holder && declared == MCPHOST_SCOPE_EVERYONE);
}

void
mcph_server_retire(struct mcph_server *server)
{
    const struct mcph_workspace_ops *ops = server->source->ws->ops;

    mcph_list_for_each_safe (item, mcph_pool_leases(server->source->pool)) {
        mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, link);

        if (lease->seat->owner != server || !is_old(server, lease))
            continue;
        if (!ops->keeps_lease(server, lease))
            ops->end_lease(lease, false);
        else
            ops->own_drop(server, lease);
    }
}

/* Discards the spec and the editions of a server that is no longer wanted.  The server
 * has no tools after the next publication. */
void
mcph_server_unwant(struct mcph_server *server)
{
    mcph_server_stop_lister(server);
    mcph_realm_abandon_server(&server->source->realm, server->id);
    mcph_server_answer(server, "the server is disabled or removed");
    mcph_timer_cancel(&server->retry);
    mcph_crash_forget(server);
    if (server->spec)
        drop_spare(server);
    server->dirty = server->block != NULL;
    mcph_spec_unref(server->wanted);
    mcph_spec_unref(server->spec);
    mcph_listing_unref(server->listing);
    mcph_block_unref(server->block);
    server->made = mcph_block_unref(server->made);
    mcph_more_drop(server);
    server->wanted = server->spec = NULL;
    if (server->call_failed)
        mcph_problem_call_clear(server->source->journal, server->source->id, server->id);
    server->call_failed = false;
    server->listing = NULL;
    server->block = NULL;
    /* Change the edition's number although the server has no edition now, because a turn
     * may keep a lease of the discarded edition, and no later code may take this lease
     * for a current lease. */
    server->edition = ++server->source->ws->editions;
    server->failures = 0;
    server->start = false;
    server->attempted = true;
    mcph_core_lock(server->source->core);
    server->version = NULL;
    server->tools = 0;
    server->start_ms = server->latency_ms = server->has_tools = -1;
    server->pid = 0;
    server->containment = MCPHOST_CONTAINMENT_AUTO;
    mcph_core_unlock(server->source->core);
}

/* ---- stopped by order -------------------------------------------------------------- */

static void
drop_held(struct mcph_server *server)
{
    mcph_spec_unref(server->held);
    server->held = NULL;
}

void
mcph_server_hold(struct mcph_server *server)
{
    struct mcph_spec *spec = server->entry->spec;

    drop_held(server);
    server->held = spec ? mcph_spec_ref(spec) : NULL;
}

bool
mcph_server_is_held(struct mcph_server *server)
{
    const struct mcph_spec *spec = server->entry->spec;

    if (!server->held)
        return false;
    if (spec && mcph_server_same_spec(spec, server->held))
        return true;
    drop_held(server);
    return false;
}

void
mcph_server_resume(struct mcph_server *server)
{
    if (!mcph_server_is_held(server))
        return;
    drop_held(server);
    mcph_server_want(server, server->entry->spec);
    server->start = false;
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_server_new(struct mcphost_source *source, const char *id, struct mcph_server **ret)
{
    struct mcph_server *server = calloc(1, sizeof(*server));

    if (!server)
        return MCPHOST_E_NOMEM;
    server->source = source;
    server->start_ms = server->latency_ms = server->has_tools = -1;
    server->state = MCPHOST_SERVER_STARTING;
    mcph_list_init(&server->gone_link);
    mcph_list_init(&server->restarts);
    server->id = mcph_strdup(id);
    if (!server->id ||
        mcph_timer_init(&server->spare_timer, source->core, on_spare_timer) < 0 ||
        mcph_timer_init(&server->retry, source->core, on_retry) < 0 ||
        mcph_timer_init(&server->calm, source->core, mcph_crash_calm) < 0) {
        mcph_server_free(server);
        return MCPHOST_E_NOMEM;
    }
    *ret = server;
    return 0;
}

void
mcph_server_free(struct mcph_server *server)
{
    mcph_list_remove(&server->gone_link);
    mcph_timer_done(&server->spare_timer);
    mcph_timer_done(&server->retry);
    mcph_timer_done(&server->calm);
    mcph_block_unref(server->block);
    mcph_block_unref(server->made);
    mcph_listing_unref(server->listing);
    mcph_more_drop(server);
    mcph_spec_unref(server->wanted);
    mcph_spec_unref(server->spec);
    mcph_spec_unref(server->held);
    mcphost_error_unref(server->error);
    free(server->id);
    free(server);
}

/* Frees a removed server once its last instance is freed and no dialog turn keeps it.
 * Called when the server is removed, when an instance is freed, and when a turn ends. */
void
mcph_server_let_go(struct mcph_server *server)
{
    struct mcphost_source *source = server->source;

    if (!server->removed || mcph_pool_owns(source->pool, server) ||
        source->ws->ops->keeps_server(server))
        return;
    /* End the leases that a turn kept.  These leases still exist if the last instance was
     * freed before the turn ended. */
    mcph_server_retire(server);
    /* Keep the mask if a server was declared again under this id, because that server
     * uses the mask. */
    if (!mcph_server_find(source, server->id))
        mcph_realm_drop_server(&source->realm, server->id);
    mcph_server_free(server);
    mcph_source_check_left(source);
}

void
mcph_server_remove(struct mcph_server *server)
{
    struct mcphost_source *source = server->source;
    struct mcphost_event event = {
        .kind = MCPHOST_EVENT_SERVER, .source = source->id, .server = server->id};

    mcph_server_unwant(server);
    mcph_server_retire(server);
    mcph_problem_forget_server(source->journal, source->id, server->id);
    mcph_emit(source->journal, &event);
    server->removed = true;
    source->ws->ops->removed(server, source->ws->owner);
    mcph_list_append(&source->gone, &server->gone_link);
    mcph_server_let_go(server);
}
