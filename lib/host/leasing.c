/* SPDX-License-Identifier: MIT
 *
 * leasing.c - which instance carries out a dialog's call (R75-R82).
 *
 * A stateless server has one lease that is everybody's.  Any other gets a
 * lease per dialog at the first call; the instance that listed the tools may
 * become the first of them, if nobody has used it.  Concurrent first calls
 * find the lease that the first of them made.  Of a server that keeps nothing for
 * anybody (MCP 2026-07-28 over HTTP) a dialog has a lease as a record only, beside the
 * one that is everybody's.
 */
#include "host/host.h"

static const char *
source_of(const mcphost_lease *lease)
{
    const struct mcph_server *server = lease->owner;

    return server->source->id;
}

static void
tell_lease(mcphost *host, const mcphost_lease *lease, bool began)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_LEASE,
                                  .state = began,
                                  .source = source_of(lease),
                                  .server = lease->server,
                                  .dialog = lease->dialog,
                                  .pid = atomic_load(&lease->pid)};

    mcph_emit(&host->journal, &event);
}

/* Whether the dialog's model has the tool that gives a client back. */
static bool
may_release(mcphost *host, const mcphost_lease *lease)
{
    mcphost_tool *tool = mcph_block_find_original(host->admin, "mcp_release");

    return tool && mcph_view_check(lease->scope, tool, NULL) == 0;
}

static void
remind(mcphost *host, mcphost_lease *lease, bool on)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_REMINDER,
                                  .state = on,
                                  .source = source_of(lease),
                                  .server = lease->server,
                                  .dialog = lease->dialog};
    struct mcph_buf text;

    if (!lease->dialog || lease->reminded == on)
        return;
    mcph_buf_init(&text, 64 * 1024);
    if (on) {
        mcph_buf_addf(&text,
                      "This conversation holds a client of its own of the MCP toolset "
                      "'%s', because its server is not safe to share; other "
                      "conversations get theirs.",
                      lease->server);
        if (may_release(host, lease)) {
            mcph_buf_adds(&text,
                          " When you are confident that its tools will not be needed "
                          "soon, give it back with mcp_release({");
            mcph_json_add_key(&text, "serverId");
            mcph_json_add_str(&text, lease->server);
            mcph_buf_adds(&text, "}).");
        }
        mcph_buf_addc(&text, '\0');
        event.text = mcph_buf_ok(&text) == 0 ? text.data : NULL;
    }
    lease->reminded = on;
    mcph_emit(&host->journal, &event);
    mcph_buf_done(&text);
}

int
mcph_leasing_get(mcphost_dialog *dialog, const char *server, mcphost_lease **ret)
{
    mcphost *host = dialog->host;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = MCPHOST_E_NOTFOUND;
    mcph_list_for_each (item, mcph_pool_leases(host->pool)) {
        mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, link);

        if (lease->scope == dialog && mcph_streq(lease->server, server)) {
            mcph_refs_get(&lease->refs);
            *ret = lease;
            r = 0;
            break;
        }
    }
    mcph_core_leave(host->core);
    return r;
}

/* In a turn that keeps an edition there may be one of that and one of the next. */
bool
mcph_leasing_end_all(mcphost_dialog *dialog, const char *server)
{
    bool ended = false;

    mcph_list_for_each_safe (item, &dialog->leases) {
        mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, scope_link);

        if (!mcph_streq(lease->server, server))
            continue;
        mcph_leasing_end(lease, false);
        ended = true;
    }
    return ended;
}

static void
run_release(struct mcph_job *job)
{
    mcphost_lease *lease = MCPH_CONTAINER_OF(job, mcphost_lease, release_job);

    if (lease->pool && lease->scope)
        mcph_leasing_end_all(lease->scope, lease->server);
    else if (lease->pool)
        mcph_leasing_end(lease, false);
    mcph_lease_put(lease);
}

/* A lease that is still in the table belongs to a host that is still there. */
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

/* When this lease has been idle for long enough; a busy one may be so at the
 * earliest. */
static int64_t
idle_due(const mcphost_lease *lease, int64_t now, int64_t limit)
{
    bool busy = lease->instance && lease->instance->n_calls > 0;

    return (busy ? now : lease->idle_since) + limit;
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
    int64_t limit = host->options[MCPHOST_OPT_LEASE_IDLE];
    int64_t now = mcph_core_now(host->core), next = INT64_MAX;

    host->idle_set = false;
    mcph_list_for_each_safe (item, mcph_pool_leases(host->pool)) {
        mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, link);
        int64_t due = idle_due(lease, now, limit);

        /* Everybody's is nobody's to give back. */
        if (!lease->scope)
            continue;
        if (due <= now)
            mcph_leasing_end(lease, false);
        else if (due < next)
            next = due;
    }
    if (next != INT64_MAX)
        set_idle_timer(host, next);
}

static mcphost_lease *
find_edition(const struct mcph_server *server, unsigned edition,
             const mcphost_dialog *scope)
{
    if (!scope && server->shared && server->shared->edition == edition)
        return server->shared;
    if (scope) {
        mcph_list_for_each (item, &scope->leases) {
            mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, scope_link);

            if (lease->owner == server && lease->edition == edition)
                return lease;
        }
        return NULL;
    }
    mcph_list_for_each (item, mcph_pool_leases(server->source->pool)) {
        mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, link);

        if (lease->owner == server && lease->edition == edition && !lease->scope)
            return lease;
    }
    return NULL;
}

static int
find_or_make(struct mcph_server *server, unsigned edition, struct mcph_spec *spec,
             mcphost_dialog *scope, mcphost_lease **ret)
{
    mcphost *host = server->source->ws->owner;
    mcphost_lease *lease;
    int r;

    lease = find_edition(server, edition, scope);
    if (!lease) {
        r = mcph_lease_new(&server->source->realm, spec, scope ? scope->id : NULL, scope,
                           &lease);
        if (r < 0)
            return r;
        lease->host = host;
        lease->owner = server;
        lease->edition = edition;
        if (!scope && edition == server->edition)
            server->shared = lease;
        if (scope)
            mcph_list_append(&scope->leases, &lease->scope_link);
        if (scope && host->options[MCPHOST_OPT_LEASE_IDLE] && !host->idle_set)
            set_idle_timer(host,
                           lease->idle_since + host->options[MCPHOST_OPT_LEASE_IDLE]);
        tell_lease(host, lease, true);
    }
    *ret = lease;
    return 0;
}

/* A lease that holds nothing: it says who uses the server, and since when. */
static int
record(struct mcph_server *server, unsigned edition, struct mcph_spec *spec,
       mcphost_dialog *dialog)
{
    mcphost_lease *lease;
    int r = find_or_make(server, edition, spec, dialog, &lease);

    if (r < 0)
        return r;
    lease->idle_since = mcph_core_now(server->source->core);
    if (!lease->instance)
        atomic_store(&lease->state, MCPHOST_INSTANCE_READY);
    return 0;
}

int
mcph_leasing_instance(struct mcph_server *server, unsigned edition,
                      struct mcph_spec *spec, mcphost_dialog *dialog,
                      struct mcph_instance **ret)
{
    bool present = server->spec && edition == server->edition;
    bool shares = mcph_server_shares(server, spec);
    struct mcph_instance *spare;
    mcphost_lease *lease;
    int r = 0;

    if (shares && !spec->stateless)
        r = record(server, edition, spec, dialog);
    if (r == 0)
        r = find_or_make(server, edition, spec, shares ? NULL : dialog, &lease);
    if (r < 0)
        return r;
    if (!lease->instance) {
        spare = present ? mcph_server_take_spare(server) : NULL;
        /* A shared one that comes back lists again: its program may have changed. */
        r = mcph_lease_attach(
            lease, spare, present && shares ? MCPH_INSTANCE_LISTING : MCPH_INSTANCE_PLAIN,
            server);
        if (r < 0) {
            if (spare)
                mcph_instance_close(spare, true);
            return r;
        }
        if (spare)
            mcph_leasing_ready(lease);
    }
    *ret = lease->instance;
    return 0;
}

void
mcph_leasing_ready(mcphost_lease *lease)
{
    remind(lease->host, lease, true);
}

void
mcph_leasing_end(mcphost_lease *lease, bool now)
{
    struct mcph_server *server = lease->owner;
    mcphost *host = lease->host;

    mcph_refs_get(&lease->refs);
    remind(host, lease, false);
    if (lease->scope)
        mcph_own_drop(server, lease);
    if (server->shared == lease)
        server->shared = NULL;
    mcph_lease_end(lease, now);
    tell_lease(host, lease, false);
    mcph_lease_put(lease);
}
