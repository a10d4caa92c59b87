/* SPDX-License-Identifier: MIT
 *
 * leasing.c - leases: the instance that carries out a dialog's calls (R75-R82).
 *
 * An instance is one connection to a server, over stdio one process.  A seat is the place
 * of an instance.  After an instance has died, a new instance fills the seat.
 * An edition of a server is the result of one start of the server: the spec (the server's
 * configuration) and the lists that the server gave.
 *
 * The server's scope decides which dialogs share a seat: one dialog alone, the dialogs
 * of an agent or of a workspace, or all dialogs.  At its first call, a dialog takes a
 * lease on the seat.  If no dialog has used the instance that listed the tools, this
 * instance may become the instance of the first seat.  Concurrent first calls of a
 * dialog use the same lease.
 *
 * The host itself holds a lease on a seat that all dialogs share, until the seat's
 * edition ends.  A dialog takes a lease on this seat only if the configuration declares a
 * narrower scope and the server speaks MCP 2026-07-28 over HTTP.  One connection to this
 * server serves all dialogs.
 */
#include "host/dialog.h"
#include "host/host.h"
#include "host/leasing.h"
#include "host/subscription.h"
#include "host/task.h"
#include "host/view.h"

static struct mcphost_event
lease_event(const mcphost_lease *lease, bool began)
{
    return (struct mcphost_event){.kind = MCPHOST_EVENT_LEASE,
                                  .state = began,
                                  .source = lease->source,
                                  .server = lease->server,
                                  .dialog = lease->dialog,
                                  .pid = atomic_load(&lease->seat->pid)};
}

/* Returns true if the view of the lease's dialog gives the tool mcp_release. */
static bool
may_release(mcphost *host, const mcphost_lease *lease)
{
    mcphost_tool *tool = mcph_block_find_original(host->admin.block, "mcp_release");

    return tool && mcph_view_check(lease->holder, tool, NULL) == 0;
}

static void
add_description(struct mcph_buf *text, const mcphost_lease *lease)
{
    bool alone = lease->scope->kind == MCPHOST_SCOPE_DIALOG;

    mcph_buf_addf(text,
                  "%s of the MCP toolset '%s', because its server is not safe to share",
                  alone ? "has its own client" : "uses a client", lease->server);
    if (alone)
        mcph_buf_adds(text, "; other conversations get their own clients.");
    else
        mcph_buf_addf(
            text, " with every conversation; only those of the same %s use this client.",
            lease->scope->kind == MCPHOST_SCOPE_AGENT ? "agent" : "workspace");
}

static void
set_reminder(mcphost *host, mcphost_lease *lease, bool on)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_REMINDER,
                                  .state = on,
                                  .source = lease->source,
                                  .server = lease->server,
                                  .dialog = lease->dialog};
    struct mcph_buf text;

    if (!lease->scope || lease->reminded == on)
        return;
    mcph_buf_init(&text, 64 * 1024);
    if (on) {
        mcph_buf_adds(&text, "This conversation ");
        add_description(&text, lease);
        if (may_release(host, lease)) {
            mcph_buf_adds(&text, " When you are confident that its tools will not be "
                                 "needed soon, release it with mcp_release({");
            mcph_json_add_member(&text, "serverId", lease->server);
            mcph_buf_adds(&text, "}).");
        }
        event.text = mcph_buf_text(&text);
    }
    lease->reminded = on;
    mcph_emit(&host->journal, &event);
    mcph_buf_done(&text);
}

/* Returns true if `name` is the key "SOURCE:SERVER" of the lease's server.  For a server
 * of the default source, also returns true if `name` is the server's id. */
static bool
is_on(const mcphost_lease *lease, const char *name)
{
    const char *source = lease->source ? lease->source : MCPH_DEFAULT_SOURCE;
    size_t len = strlen(source);

    if (!lease->source && mcph_streq(lease->server, name))
        return true;
    return strncmp(name, source, len) == 0 && name[len] == ':' &&
           strcmp(name + len + 1, lease->server) == 0;
}

int
mcph_leasing_get(mcphost_dialog *dialog, const char *server, mcphost_lease **ret)
{
    mcphost *host = dialog->host;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = MCPHOST_E_NOTFOUND;
    mcph_list_for_each_entry (lease, mcph_pool_leases(host->pool), mcphost_lease, link) {
        if (lease->holder == dialog && is_on(lease, server)) {
            mcph_refs_get(&lease->refs);
            *ret = lease;
            r = 0;
            break;
        }
    }
    mcph_core_leave(host->core);
    return r;
}

/* Ends all leases of the dialog on the server.  In a turn that keeps an older edition,
 * the dialog may have two leases: a lease on the older edition and a lease on the newer
 * edition. */
bool
mcph_leasing_end_all(mcphost_dialog *dialog, const char *server,
                     const struct mcph_realm *realm)
{
    bool ended = false;

    mcph_list_for_each_safe (item, &dialog->leases) {
        mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, holder_link);

        if (!mcph_streq(lease->server, server) || lease->seat->realm != realm)
            continue;
        mcph_subscriptions_leave(lease, true);
        mcph_leasing_end(lease, false);
        ended = true;
    }
    return ended;
}

/* Ends the dialog's leases on the server of the released lease.  The application
 * gets only leases of dialogs, never leases of the host itself. */
static void
run_release(struct mcph_job *job)
{
    mcphost_lease *lease = MCPH_CONTAINER_OF(job, mcphost_lease, release_job);

    if (lease->seat && lease->holder)
        mcph_leasing_end_all(lease->holder, lease->server, lease->seat->realm);
    mcph_lease_put(lease);
}

/* Posts a job that releases the lease, unless a job was posted before or the lease has
 * left the pool's table.  The host of a lease in the table has not ended. */
int
mcph_leasing_release(mcphost_lease *lease)
{
    int r = mcph_core_enter_closed(lease->core);

    if (r < 0)
        return r;
    if (lease->listed && !atomic_exchange(&lease->releasing, true)) {
        mcph_refs_get(&lease->refs);
        lease->release_job.run = run_release;
        mcph_core_post_locked(lease->core, &lease->release_job);
    }
    mcph_core_leave(lease->core);
    return 0;
}

static int64_t
idle_limit(const struct mcph_server *server)
{
    return mcph_source_policy(server->source, MCPHOST_OPT_LEASE_IDLE);
}

/* Returns the time at which the lease ends because it is idle.  The idle time counts from
 * the start of the lease's last call.  If no other lease holds the seat and the seat's
 * last call ended later, the idle time counts from the end of that call.  A lease does
 * not end while it has a subscription or a task, or while any call is in flight on the
 * seat.  The host's own leases never time out, and no lease does if the limit is 0. */
static int64_t
idle_due(const mcphost_lease *lease, int64_t now)
{
    const struct mcph_seat *seat = lease->seat;
    int64_t since = lease->used, limit = idle_limit(seat->owner);

    if (!lease->holder || !limit)
        return INT64_MAX;
    if (mcph_subscriptions_need(lease) || mcph_tasks_need(lease) ||
        (seat->instance && seat->instance->n_calls > 0))
        since = now;
    else if (mcph_lease_is_last(lease) && seat->idle_since > since)
        since = seat->idle_since;
    return since + limit;
}

static void
set_idle_timer(mcphost *host, int64_t due)
{
    host->idle_set = true;
    mcph_timer_set(&host->idle, due);
}

void
mcph_leasing_sweep(struct mcph_timer *timer)
{
    mcphost *host = MCPH_CONTAINER_OF(timer, mcphost, idle);
    int64_t now = mcph_core_now(host->core), next = INT64_MAX;

    host->idle_set = false;
    mcph_list_for_each_safe (item, mcph_pool_leases(host->pool)) {
        mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, link);
        int64_t due = idle_due(lease, now);

        if (due <= now)
            mcph_leasing_end(lease, false);
        else if (due < next)
            next = due;
    }
    if (next != INT64_MAX)
        set_idle_timer(host, next);
}

/* ---- taking leases ----------------------------------------------------------------- */

static mcphost_lease *
find_held(const mcphost_dialog *dialog, const struct mcph_server *server,
          unsigned edition, int policy)
{
    mcph_list_for_each_entry (lease, &dialog->leases, mcphost_lease, holder_link) {
        const struct mcph_seat *seat = lease->seat;

        if (seat->owner == server && seat->edition == edition && seat->policy == policy)
            return lease;
    }
    return NULL;
}

/* Returns the scope of the dialog's seat, or NULL if all dialogs share the seat.  If
 * the policy is one instance for each agent or workspace, and the dialog has no agent
 * or workspace, the dialog gets an instance of its own.  `holds` says whether the dialog
 * takes a lease on the seat. */
static struct mcph_scope *
scope_of(mcphost_dialog *dialog, int policy, bool holds)
{
    struct mcph_scope *scope = NULL;

    /* Forbid changes of the dialog's agent and workspace.  Also forbid them if all
     * dialogs share the seat, because the dialog has a lease. */
    if (holds) {
        mcph_core_lock(dialog->host->core);
        dialog->leased = true;
        mcph_core_unlock(dialog->host->core);
    }
    if (policy == MCPHOST_SCOPE_EVERYONE)
        return NULL;
    if (policy == MCPHOST_SCOPE_AGENT)
        scope = dialog->agent;
    else if (policy == MCPHOST_SCOPE_WORKSPACE)
        scope = dialog->workspace;
    return scope ? scope : dialog->scope;
}

/* Takes a lease on the claim's seat for `dialog` or, if `dialog` is NULL, for the
 * host. */
static int
take_lease(struct mcph_server *server, const struct mcph_claim *claim,
           mcphost_dialog *dialog, struct mcph_seat **ret)
{
    mcphost *host = server->source->ws->owner;
    int64_t limit = idle_limit(server);
    struct mcphost_event event;
    mcphost_lease *lease;
    int r = mcph_lease_new(claim, dialog ? dialog->id : NULL, dialog, &lease);

    if (r < 0)
        return r;
    lease->host = host;
    if (!dialog && claim->edition == server->edition)
        server->shared = lease->seat;
    if (dialog)
        mcph_list_append(&dialog->leases, &lease->holder_link);
    if (dialog && limit && (!host->idle_set || lease->used + limit < host->idle.due))
        set_idle_timer(host, lease->used + limit);
    event = lease_event(lease, true);
    mcph_emit(&host->journal, &event);
    mcph_own_join(server, lease);
    if (lease->seat->instance && lease->seat->instance->state == MCPHOST_INSTANCE_READY)
        set_reminder(host, lease, true);
    *ret = lease->seat;
    return 0;
}

/* Finds or makes the seat for a first call.  If `holds` is true, the dialog takes a
 * lease on the seat. */
static int
take_seat(struct mcph_server *server, const struct mcph_claim *claim,
          mcphost_dialog *dialog, bool holds, struct mcph_seat **ret)
{
    int r = 0;

    *ret = mcph_seat_find(claim->realm->pool, claim);
    if (!*ret && claim->policy == MCPHOST_SCOPE_EVERYONE)
        r = take_lease(server, claim, NULL, ret);
    if (r == 0 && holds)
        r = take_lease(server, claim, dialog, ret);
    return r;
}

static int
fill_seat(struct mcph_server *server, struct mcph_seat *seat)
{
    bool present = server->spec && seat->edition == server->edition;
    struct mcph_instance *spare = present ? mcph_server_take_spare(server) : NULL;
    /* If the seat belongs to the server's present edition and all dialogs share the seat,
     * the new instance lists its tools again, because its program may have changed. */
    int kind = present && !seat->scope ? MCPH_INSTANCE_LISTING : MCPH_INSTANCE_PLAIN;
    int r = mcph_seat_fill(seat, spare, kind);

    if (r < 0 && spare)
        mcph_instance_close(spare, true);
    else if (r == 0 && spare)
        mcph_leasing_ready(seat);
    return r;
}

int
mcph_leasing_instance(struct mcph_server *server, unsigned edition,
                      struct mcph_spec *spec, mcphost_dialog *dialog,
                      struct mcph_instance **ret)
{
    int declared = mcph_server_declared_scope(server, spec);
    int policy = mcph_server_scope(server, declared);
    bool holds = declared != MCPHOST_SCOPE_EVERYONE;
    struct mcph_seat *seat = NULL;
    mcphost_lease *lease;
    int r;

    if (holds) {
        lease = find_held(dialog, server, edition, policy);
        if (lease) {
            lease->used = mcph_core_round_now(server->source->core);
            seat = lease->seat;
        }
    } else if (server->shared && server->shared->edition == edition) {
        seat = server->shared;
    }
    if (!seat) {
        const struct mcph_claim claim = {.realm = &server->source->realm,
                                         .spec = spec,
                                         .owner = server,
                                         .edition = edition,
                                         .policy = policy,
                                         .scope = scope_of(dialog, policy, holds)};

        r = take_seat(server, &claim, dialog, holds, &seat);
        if (r < 0)
            return r;
    }
    r = seat->instance ? 0 : fill_seat(server, seat);
    if (r < 0)
        return r;
    *ret = seat->instance;
    return 0;
}

void
mcph_leasing_ready(struct mcph_seat *seat)
{
    mcph_list_for_each_entry (lease, &seat->leases, mcphost_lease, seat_link)
        set_reminder(lease->host, lease, true);
}

void
mcph_leasing_end(mcphost_lease *lease, bool now)
{
    struct mcph_server *server = lease->seat->owner;
    struct mcphost_event event;
    mcphost *host = lease->host;

    mcph_refs_get(&lease->refs);
    set_reminder(host, lease, false);
    mcph_subscriptions_leave(lease, false);
    mcph_own_drop(server, lease);
    event = lease_event(lease, false);
    if (server->shared == lease->seat && mcph_lease_is_last(lease))
        server->shared = NULL;
    mcph_lease_end(lease, now);
    mcph_emit(&host->journal, &event);
    mcph_lease_put(lease);
}
