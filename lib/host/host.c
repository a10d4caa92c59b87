/* SPDX-License-Identifier: MIT
 *
 * host.c - the life of a host.
 *
 *   open --close--> closing --no process left--> closed
 *      \___ last reference dropped, at any point ___> ended
 *
 * The dispatcher closes a host step by step.  The host is closed when no process is left
 * and all revocations of tokens have ended.  The function that drops the last reference
 * ends the host at once: calls end without their completions, processes are killed, and
 * the application's free functions run.
 */
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/leasing.h"
#include "host/logins.h"
#include "host/publish.h"
#include "host/request.h"
#include "host/subscription.h"
#include "host/task.h"
#include "host/team.h"
#include "host/turn.h"
#include "host/view.h"

/* the directory for large files that need not survive a restart of the machine */
#define SPOOL_DIR "/var/tmp"

void
mcph_host_get_mem(mcphost *host)
{
    mcph_refs_get(&host->mem);
}

void
mcph_host_put_mem(mcphost *host)
{
    if (!mcph_refs_put(&host->mem))
        return;
    mcph_map_done(&host->dialogs);
    for (size_t i = 0; i < host->toolset_flags.n; i++) {
        struct mcph_toolset_flags *flags = host->toolset_flags.items[i];

        free(flags->toolset);
        free(flags);
    }
    mcph_vec_done(&host->toolset_flags);
    mcph_events_done(&host->journal);
    mcph_source_unref(host->source);
    mcph_core_unref(host->core);
    free(host);
}

int
mcph_host_enter(mcphost *host)
{
    int r = mcph_core_enter(host->core);

    if (r == 0 && (host->closing || host->ended)) {
        mcph_core_leave(host->core);
        r = MCPHOST_E_CLOSED;
    }
    return r;
}

/* Returns true if the source was loaded but has not applied its first configuration, if
 * one of the servers of this configuration has neither come up nor failed, or if an
 * edition or list of one of these servers waits to be published.  Returns false if the
 * source is settled. */
static bool
is_in_first_load(const struct mcphost_source *source)
{
    if (source->settled)
        return false;
    if (source->loaded && !source->started)
        return true;
    for (size_t i = 0; i < source->servers.n; i++) {
        const struct mcph_server *server = source->servers.items[i];

        if (server->of_first_load &&
            (!server->attempted || server->committed || mcph_more_is_due(server)))
            return true;
    }
    return false;
}

/* Marks sources as settled.  All sources of the first load are marked at the same time.
 * Otherwise, a fast server could get and keep a tool name that belongs to a slower
 * server in an earlier layer. */
static void
check_settled(mcphost *host)
{
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link) {
        if (is_in_first_load(source))
            return;
    }
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link)
        source->settled |= source->first_load;
}

/* Returns false if the source was loaded but has not applied its first configuration, if
 * one of its servers has neither come up nor failed with the present configuration, or if
 * an edition or list of one of its servers is awaited or waits to be published.
 * Otherwise returns true. */
static bool
is_tried(const struct mcphost_source *source)
{
    if (source->loaded && !source->started)
        return false;
    for (size_t i = 0; i < source->servers.n; i++) {
        const struct mcph_server *server = source->servers.items[i];

        /* A failed server may start again later; do not wait for this retry. */
        if (!server->attempted || server->committed || mcph_more_is_due(server) ||
            (server->lister && !server->failures))
            return false;
    }
    return true;
}

void
mcph_host_check_ready(mcphost *host)
{
    struct mcphost_event settled = {.kind = MCPHOST_EVENT_SETTLED};
    bool first, is_settled, tried = host->loaded;

    check_settled(host);
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link)
        tried = tried && is_tried(source);
    if (!tried)
        return;
    mcph_core_lock(host->core);
    first = !host->was_ready && !host->orders;
    is_settled = !host->orders && !host->ready;
    settled.serial = host->order_serial;
    if (is_settled) {
        host->ready = host->was_ready = true;
        mcph_core_notify_locked(host->core);
    }
    mcph_core_unlock(host->core);
    if (first)
        mcph_emit(&host->journal, host->journal.ready);
    if (is_settled)
        mcph_emit(&host->journal, &settled);
}

/* ---- loading ----------------------------------------------------------------------- */

static void
apply_options(mcphost *host)
{
    const _Atomic int64_t *o = host->options;

    mcph_pool_set_limits(host->pool, &host->spool.sink, host->held);
    host->spool.max = (uint64_t)o[MCPHOST_OPT_SPOOL_BYTES];
    host->held->max = (size_t)o[MCPHOST_OPT_HELD_BYTES];
    mcph_keeper_set_asking(host->keeper,
                           o[MCPHOST_OPT_REQUESTS] & MCPHOST_REQUEST_CREDENTIALS,
                           o[MCPHOST_OPT_REQUEST_TIMEOUT]);
    mcph_keeper_set_logins(host->keeper,
                           o[MCPHOST_OPT_REQUESTS] & MCPHOST_REQUEST_AUTHORIZE);
}

int
mcph_host_set_loaded_locked(mcphost *host)
{
    host->loaded = true;
    apply_options(host);
    return 0;
}

int
mcph_host_load_locked(struct mcphost_source *source, mcphost_config *config)
{
    mcphost *host = source->ws->owner;
    int r = host->loaded ? 0 : mcph_host_set_loaded_locked(host);

    return r < 0 ? r : mcph_source_apply_locked(source, config);
}

int
mcph_host_load(struct mcphost_source *source, mcphost_config *config)
{
    mcphost *host = source->ws->owner;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = mcph_host_load_locked(source, config);
    mcph_core_leave(host->core);
    return r;
}

int
mcph_host_follow(struct mcphost_source *source, struct mcph_config_reader *reader)
{
    mcphost *host = source->ws->owner;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = source->loaded || source->leaving ? MCPHOST_E_STATE : 0;
    if (r == 0 && !host->loaded)
        r = mcph_host_set_loaded_locked(host);
    if (r == 0)
        r = mcph_source_follow_locked(source, reader);
    if (r == 0)
        host->ready = false;
    mcph_core_leave(host->core);
    return r;
}

int
mcph_host_follow_reader(struct mcphost_source *source, struct mcph_config_reader *reader,
                        mcphost_error **reterr)
{
    int r = mcph_host_follow(source, reader);

    if (r < 0) {
        reader->free(reader);
        mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    return r;
}

/* ---- orders ------------------------------------------------------------------------ */

int
mcph_host_order(struct mcphost_source *source, enum mcph_order what, const char *server)
{
    mcphost *host = source->ws->owner;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = mcph_source_order_locked(source, what, server);
    mcph_core_leave(host->core);
    return r;
}

static void
on_ordered(mcphost *host)
{
    host->orders++;
    host->order_serial++;
    host->ready = false;
}

static void
on_carried_out(mcphost *host)
{
    mcph_core_lock(host->core);
    host->orders--;
    mcph_core_unlock(host->core);
    if (!mcph_workspace_is_closing(&host->workspace))
        mcph_host_check_ready(host);
}

static void
run_team_order(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, team_order);
    bool only_if_changed;

    mcph_core_lock(host->core);
    only_if_changed = host->team_order_checks;
    host->team_order_checks = true;
    host->team_ordered = false;
    mcph_core_unlock(host->core);
    if (!mcph_workspace_is_closing(&host->workspace))
        mcph_team_reload(host, only_if_changed);
    on_carried_out(host);
}

/* Posts an order to read the team file.  Call this under the lock. */
static void
post_team_order(mcphost *host, bool only_if_changed)
{
    host->team_order_checks &= only_if_changed;
    if (host->team_ordered)
        return;
    host->team_ordered = true;
    on_ordered(host);
    mcph_core_post_locked(host->core, &host->team_order);
}

int
mcph_host_reload(mcphost *host)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = host->source->reader || host->team_source ? 0 : MCPHOST_E_STATE;
    if (r == 0 && host->source->reader)
        r = mcph_source_order_locked(host->source, MCPH_ORDER_RELOAD, NULL);
    if (r == 0 && host->team_source)
        post_team_order(host, false);
    mcph_core_leave(host->core);
    return r;
}

/* Orders the source to read its files.  If `anew` is true, the source always reads the
 * files.  Otherwise the source reads the files only if its reload mode is
 * MCPHOST_RELOAD_TURN and the files have changed. */
static int
order_reading(struct mcphost_source *source, bool anew)
{
    if (source->leaving || !source->reader ||
        (!anew && mcph_source_policy(source, MCPHOST_OPT_RELOAD) != MCPHOST_RELOAD_TURN))
        return 0;
    return mcph_source_order_locked(source, anew ? MCPH_ORDER_RELOAD : MCPH_ORDER_CHECK,
                                    NULL);
}

static int
look_at_layers(const struct mcph_stack *stack, bool anew)
{
    int r = 0;

    for (size_t i = 0; i < stack->layers.n && r == 0; i++) {
        const struct mcph_layer *layer = stack->layers.items[i];

        r = order_reading(layer->source, anew);
    }
    return r;
}

int
mcph_host_look(mcphost *host, mcphost_view *view, bool anew)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    if (view) {
        r = look_at_layers(view->stack, anew);
    } else {
        mcph_list_for_each (item, &host->workspace.sources) {
            if (r == 0)
                r = order_reading(MCPH_LIST_ENTRY(item, struct mcphost_source, link),
                                  anew);
        }
    }
    if (r == 0 && host->team_source &&
        (anew ||
         mcph_source_policy(host->source, MCPHOST_OPT_RELOAD) == MCPHOST_RELOAD_TURN))
        post_team_order(host, !anew);
    mcph_core_leave(host->core);
    return r;
}

struct mcph_server *
mcph_host_find_server(const mcphost *host, const struct mcph_block *block)
{
    const char *id = block->source;
    struct mcphost_source *source =
        id ? mcph_workspace_find(&host->workspace, id, strlen(id)) : host->source;

    return source ? mcph_server_find(source, block->id) : NULL;
}

/* ---- closing ----------------------------------------------------------------------- */

/* Ends the calls, the newest call first.  In this order, the calls that wait in an
 * instance's queue end before the older calls that are in flight.  Therefore the end of
 * an older call sends no queued call.  The end of one call may end other calls, too. */
void
mcph_calls_cancel(struct mcph_list *calls, const char *text)
{
    while (!mcph_list_empty(calls))
        mcph_call_fail(MCPH_LIST_ENTRY(calls->prev, mcphost_call, link),
                       MCPHOST_E_CANCELLED, text);
}

static void
on_close_due(struct mcph_timer *timer)
{
    mcphost *host = MCPH_CONTAINER_OF(timer, mcphost, close_due);

    mcph_pool_kill(host->pool);
    mcph_keeper_end_revocations(host->keeper);
    mcph_host_revoked(host);
}

/* Closes the host.  The job runs again if a deadline is set or made shorter while the
 * host is closing, and then only sets the timer of the deadline. */
static void
run_close(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, close_job);
    struct mcph_list *leases = mcph_pool_leases(host->pool);
    int64_t due;
    bool begun;

    mcph_core_lock(host->core);
    due = host->close_by;
    begun = host->close_begun;
    host->close_begun = true;
    host->close_posted = false;
    mcph_core_unlock(host->core);
    if (due >= 0)
        mcph_timer_set(&host->close_due, due);
    if (begun)
        return;
    mcph_taps_close(&host->journal);
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link)
        mcph_source_close(source);
    mcph_follow_end(&host->team_follow);
    mcph_timer_cancel(&host->idle);
    mcph_calls_cancel(&host->calls, "the host is closing");
    mcph_subscriptions_drop(host, NULL);
    /* Walk the table of leases without the lock, because only the dispatcher changes the
     * table. */
    mcph_list_for_each_safe (item, leases) {
        mcph_leasing_end(MCPH_LIST_ENTRY(item, mcphost_lease, link), true);
    }
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link)
        mcph_provided_close(source, true);
    mcph_pool_close(host->pool);
    mcph_keeper_close(host->keeper, "the host is closing");
}

int
mcph_host_begin_close(mcphost *host, int64_t within_ms)
{
    int64_t due = within_ms < 0 || within_ms > INT64_MAX / 2
                      ? -1
                      : mcph_core_now(host->core) + within_ms;
    bool sooner;
    int r = mcph_core_enter_closed(host->core);

    if (r < 0)
        return r;
    sooner = due >= 0 && (host->close_by < 0 || due < host->close_by);
    if (sooner)
        host->close_by = due;
    if (!host->ended && (sooner || !host->closing)) {
        host->closing = host->workspace.closing = true;
        if (!host->close_posted)
            mcph_core_post_locked(host->core, &host->close_job);
        host->close_posted = true;
        mcph_core_notify_locked(host->core);
    }
    mcph_core_leave(host->core);
    return 0;
}

/* ---- ending ------------------------------------------------------------------------ */

static void
end_sources(mcphost *host)
{
    struct mcph_list *sources = &host->workspace.sources;

    mcph_list_splice(sources, &host->workspace.coming);
    while (!mcph_list_empty(sources)) {
        struct mcphost_source *source =
            MCPH_LIST_ENTRY(mcph_list_take_first(sources), struct mcphost_source, link);

        mcph_source_end(source);
        if (source->leaving)
            mcph_source_unref(source); /* drops the reference of the removal job, which
                                        * did not finish */
        if (source != host->source)
            mcph_source_unref(source);
    }
}

static void
free_rest(mcphost *host)
{
    struct mcph_stack stack;

    mcph_timer_done(&host->idle);
    mcph_timer_done(&host->close_due);
    mcph_team_done(host);
    mcph_own_done(host);
    end_sources(host);
    mcph_shown_drop_all(host);
    mcph_settable_done(host);
    mcph_problems_done(&host->journal);
    mcph_spool_sink_done(&host->spool);
    host->held = mcph_ration_unref(host->held);
    mcph_logins_drop(host);
    if (host->keeper)
        mcph_keeper_end_revocations(host->keeper);
    host->net = mcph_net_free(host->net);
    mcph_keeper_free(host->keeper);
    host->keeper = NULL;
    mcph_event_drop_sink(&host->journal);
    mcph_hook_unref(host->before_call);
    mcph_hook_unref(host->trace);
    mcph_hook_unref(host->sampler);
    mcph_provider_unref(host->sampler_of);
    host->sampler_of = NULL;
    host->before_call = host->trace = host->sampler = NULL;
    /* Take the lock, because a dialog's handle may read the stack on another thread. */
    mcph_core_lock(host->core);
    stack = host->view.own;
    host->view.own = (struct mcph_stack){.host = host};
    mcph_core_unlock(host->core);
    mcph_stack_done(&stack);
    mcph_views_done(host);
}

/* Ends the host.  A forked child only closes descriptors, and leaks all memory of the
 * host.  At the time of the fork, another thread of the parent may have been
 * dispatching.  The memory of the host may therefore be inconsistent in the child. */
static void
end_host(mcphost *host)
{
    if (mcph_core_forked(host->core)) {
        mcph_core_leave_parent(host->core);
        return;
    }
    mcph_core_thread_stop(host->core);
    mcph_core_lock(host->core);
    host->ended = host->journal.silent = true;
    host->workspace.closing = host->workspace.ended = true;
    mcph_core_unlock(host->core);
    mcph_pool_halt(host->pool);
    mcph_taps_close(&host->journal);
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link)
        mcph_making_done(source);
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link)
        mcph_provided_close(source, true);
    /* Drain the core, to refuse the calls that were submitted but have not begun.  Then
     * end the calls under way. */
    mcph_core_drain(host->core);
    mcph_calls_cancel(&host->calls, "the host is closing");
    mcph_subscriptions_drop(host, NULL);
    mcph_core_drain(host->core);
    mcph_pool_free(host->pool, 1000);
    mcph_tasks_done(host);
    /* End the questions of logins before mcph_requests_done() frees the requests that
     * ask these questions. */
    if (host->keeper)
        mcph_keeper_close(host->keeper, "the host is closing");
    mcph_requests_done(host);
    mcph_core_drain(host->core);
    mcph_core_set_closed(host->core);
    free_rest(host);
    /* When the last references to providers were dropped, deliveries were posted that
     * unload plugins.  Run these deliveries now. */
    mcph_core_drain_last(host->core);
    mcph_core_set_log(host->core, MCPHOST_LOG_NONE, NULL, NULL, NULL);
    /* Close the descriptors, although handles may still exist.  The functions of handles
     * return MCPHOST_E_CLOSED and need no descriptor. */
    mcph_core_close_fds(host->core);
    host->pool = NULL;
    mcph_host_put_mem(host);
}

bool
mcph_host_try_get(mcphost *host)
{
    unsigned n = atomic_load_explicit(&host->refs.n, memory_order_relaxed);

    while (n)
        if (atomic_compare_exchange_weak_explicit(
                &host->refs.n, &n, n + 1, memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

void
mcph_host_put(mcphost *host)
{
    if (mcph_refs_put(&host->refs))
        end_host(host);
}

void
mcph_host_own(mcphost *host)
{
    mcph_refs_get(&host->refs);
    mcph_refs_get(&host->owners);
}

void
mcph_host_disown(mcphost *host)
{
    if (mcph_refs_put(&host->owners))
        mcph_core_desert(host->core);
    mcph_host_put(host);
}

/* ---- the journal ------------------------------------------------------------------- */

static int
journal_enter(void *owner)
{
    return mcph_host_enter(owner);
}

static void
journal_keep(void *owner)
{
    mcph_host_get_mem(owner);
}

static void
journal_drop(void *owner)
{
    mcph_host_put_mem(owner);
}

static void
keep_handles(const struct mcphost_event *event)
{
    if (event->call)
        mcph_refs_get(&event->call->refs);
    mcph_config_ref(event->config);
    mcph_request_get_user(event->request);
    mcph_subscription_get(event->subscription);
}

static void
drop_handles(const struct mcphost_event *event)
{
    if (event->call)
        mcph_call_put(event->call);
    mcph_config_unref(event->config);
    mcph_request_put_user(event->request);
    mcph_subscription_put(event->subscription);
}

static int
init_journal(mcphost *host)
{
    static const struct mcph_journal_ops ops = {.enter = journal_enter,
                                                .keep = journal_keep,
                                                .drop = journal_drop,
                                                .keep_handles = keep_handles,
                                                .drop_handles = drop_handles};

    host->journal = (struct mcph_journal){.core = host->core, .ops = &ops, .owner = host};
    mcph_list_init(&host->journal.taps);
    return mcph_events_reserve(&host->journal);
}

/* ---- the sources ------------------------------------------------------------------- */

static void
on_config_changed(mcphost *host)
{
    mcph_core_lock(host->core);
    host->ready = false;
    mcph_core_unlock(host->core);
    mcph_views_recheck(host);
}

static void
on_removed(struct mcph_server *server, mcphost *host)
{
    if (host->recent == server)
        host->recent = NULL;
}

/* Ends the close after the last server and the last revocation have ended. */
static void
finish_close(mcphost *host)
{
    /* Free libcurl's descriptors now, because handles may keep a closed host for a long
     * time. */
    mcph_pool_set_net(host->pool, NULL);
    mcph_keeper_set_net(host->keeper, NULL);
    host->net = mcph_net_free(host->net);
    mcph_emit(&host->journal, host->journal.closed);
    mcph_core_set_closed(host->core);
}

static void
on_closed(mcphost *host)
{
    bool is_late;

    mcph_core_lock(host->core);
    is_late = host->close_by >= 0 && host->close_by <= mcph_core_now(host->core);
    mcph_core_unlock(host->core);
    if (is_late)
        mcph_logins_drop(host);
    mcph_logins_revoke(host);
    host->awaits_revocations = mcph_keeper_is_revoking(host->keeper);
    if (!host->awaits_revocations)
        finish_close(host);
}

void
mcph_host_revoked(mcphost *host)
{
    bool awaits = host->awaits_revocations;

    host->awaits_revocations = false;
    if (awaits)
        finish_close(host);
}

static void
on_instance_dead(const struct mcph_instance *inst, mcphost *host)
{
    mcph_carrying_lost(inst, host);
    mcph_subscriptions_lost(inst, host);
}

static const struct mcph_workspace_ops workspace_ops = {
    .ordered = on_ordered,
    .carried_out = on_carried_out,
    .tried = mcph_host_check_ready,
    .state_changed = mcph_calls_wake,
    .config_changed = on_config_changed,
    .left = mcph_source_left,
    .publish = mcph_publish_now,
    .publish_soon = mcph_publish_soon,
    .removed = on_removed,
    .keeps_server = mcph_turn_keeps_server,
    .keeps_lease = mcph_turn_keeps_lease,
    .end_lease = mcph_leasing_end,
    .seat_ready = mcph_leasing_ready,
    .instance_dead = on_instance_dead,
    .subscribed = mcph_subscription_said,
    .updated = mcph_subscription_updated,
    .instance_closing = mcph_tasks_leave,
    .task = mcph_task_notified,
    .own_listed = mcph_own_listed,
    .own_drop = mcph_own_drop,
    .own_block = mcph_own_block_of,
    .own_refresh = mcph_own_refresh,
    .question = mcph_request_ask,
    .question_over = mcph_request_over,
    .closed = on_closed,
};

static int
make_source(mcphost *host)
{
    struct mcph_workspace *ws = &host->workspace;
    int r;

    ws->core = host->core;
    ws->pool = host->pool;
    ws->journal = &host->journal;
    ws->ops = &workspace_ops;
    ws->owner = host;
    r = mcph_source_new(ws, NULL, &host->source);
    if (r == 0)
        r = mcph_source_open(host->source);
    if (r < 0)
        return r;
    return mcph_stack_add_locked(&host->view.own, host->source, NULL, 0);
}

/* ---- making ------------------------------------------------------------------------ */

static void
init_lists(mcphost *host)
{
    mcph_list_init(&host->calls);
    mcph_list_init(&host->waiting);
    mcph_list_init(&host->subscriptions);
    mcph_list_init(&host->subscriptions_job.link);
    mcph_list_init(&host->quits);
    host->subscriptions_job.run = mcph_subscriptions_look;
    mcph_list_init(&host->look_job.link);
    host->look_job.run = mcph_calls_look;
    mcph_list_init(&host->own);
    mcph_list_init(&host->requests);
    host->roots_job.run = mcph_roots_run;
    mcph_list_init(&host->workspace.sources);
    mcph_list_init(&host->workspace.coming);
    mcph_list_init(&host->team_order.link);
    host->team_order.run = run_team_order;
    host->team_order_checks = true;
    mcph_list_init(&host->views);
    mcph_list_init(&host->views_job.link);
    mcph_list_init(&host->turns);
    mcph_list_init(&host->turns_job.link);
    host->turns_job.run = mcph_turn_sweep;
    host->views_job.run = mcph_views_report;
    mcph_list_init(&host->close_job.link);
    mcph_list_init(&host->logouts);
    mcph_list_init(&host->logouts_job.link);
    host->logouts_job.run = mcph_logins_revoke_job;
    mcph_list_init(&host->publish_job.link);
    host->close_job.run = run_close;
    host->close_by = -1;
    host->publish_job.run = mcph_publish_job;
}

static void
init_refs(mcphost *host)
{
    mcph_refs_init(&host->owners);
    mcph_refs_init(&host->refs);
    mcph_refs_init(&host->mem);
}

static int
init_keeper(mcphost *host)
{
    struct mcph_store *tokens = NULL;
    int r = mcph_keeper_new(host->core, &mcph_credential_events, host, &host->keeper);

    if (r == 0)
        r = mcph_net_new(host->core, &host->net, NULL);
    if (r == 0)
        r = mcph_store_memory_new(&tokens);
    if (r < 0)
        return r;
    mcph_keeper_set_net(host->keeper, host->net);
    host->tokens = tokens;
    (void)mcph_keeper_set_store(host->keeper, tokens, false);
    mcph_pool_set_net(host->pool, host->net);
    mcph_pool_set_keeper(host->pool, host->keeper);
    return 0;
}

int
mcph_host_new(mcphost **ret, mcphost_error **reterr)
{
    const struct mcph_option *option;
    mcphost *host = calloc(1, sizeof(*host));
    mcphost_catalog *none;
    int r;

    if (!host)
        return mcph_err_nomem(reterr);
    init_refs(host);
    r = mcph_core_new(&host->core, reterr);
    if (r < 0) {
        free(host);
        return r;
    }
    for (size_t i = 0; (option = mcph_option_at(i)); i++)
        host->options[option->number] = option->fallback;
    host->view.host = host->view.own.host = host;
    mcph_list_init(&host->view.turns);
    host->view.stack = &host->view.own;
    host->view.own.builtins = true;
    init_lists(host);
    r = init_journal(host);
    if (r == 0)
        r = mcph_timer_init(&host->idle, host->core, mcph_leasing_sweep);
    if (r == 0)
        r = mcph_timer_init(&host->close_due, host->core, on_close_due);
    if (r == 0)
        r = mcph_team_init(host);
    if (r == 0)
        r = mcph_spool_sink_init(&host->spool, host->core, SPOOL_DIR, 0);
    if (r == 0) {
        host->held = mcph_ration_new(NULL);
        r = host->held ? 0 : MCPHOST_E_NOMEM;
    }
    if (r == 0)
        r = mcph_pool_new(host->core, host->options, &mcph_report_ops, &host->workspace,
                          &host->pool);
    if (r == 0)
        r = init_keeper(host);
    if (r == 0)
        r = mcph_pool_set_identity(host->pool, "libmcphost", MCPHOST_VERSION_STRING,
                                   NULL);
    if (r == 0)
        r = make_source(host);
    if (r == 0)
        r = mcph_admin_init(host);
    if (r == 0)
        r = mcph_publish_locked(host, &none);
    if (r < 0) {
        mcph_host_put(host);
        return mcph_err_nomem(reterr);
    }
    *ret = host;
    return 0;
}
