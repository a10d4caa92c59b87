/* SPDX-License-Identifier: MIT
 *
 * status.c - the public functions of <mcphost/status.h>: snapshots of servers and leases.
 *
 * The snapshot does not copy ids.  Therefore it keeps references to the sources, the
 * configurations and the leases, to which the ids belong.
 */
#include <stdlib.h>

#include "api/getter.h"
#include "client/client.h"
#include "host/host.h"

struct server_row {
    struct mcphost_source *source; /* referenced; NULL for the default source */
    mcphost_config *config;        /* referenced; owns `id` */
    const char *id, *version;
    int transport, state, containment, has_tools;
    int64_t pid, start_ms, latency_ms;
    size_t tools;
    mcphost_error *error;
};

struct lease_row {
    mcphost_lease *lease;
    int64_t pid;
    int state;
    size_t in_flight;
};

struct mcphost_status {
    struct mcph_refs refs;
    struct server_row *servers;
    struct lease_row *leases;
    size_t n_servers, n_leases;
};

static size_t
count_servers(const mcphost *host)
{
    size_t n = 0;

    mcph_list_for_each_entry (source, &host->workspace.sources, const mcphost_source,
                              link)
        n += source->servers.n;
    return n;
}

static void
fill_servers(struct mcphost_source *source, mcphost_status *status)
{
    for (size_t i = 0; i < source->servers.n; i++) {
        const struct mcph_server *server = source->servers.items[i];

        status->servers[status->n_servers++] = (struct server_row){
            .source = source->id ? mcph_source_ref(source) : NULL,
            .config = mcph_config_ref(source->config),
            .id = server->entry->id, /* borrowed from `config` */
            .transport = server->entry->transport,
            .version = server->version,
            .state = server->state,
            .pid = server->pid,
            .containment = server->containment,
            .tools = server->tools,
            .has_tools = server->has_tools,
            .start_ms = server->start_ms,
            .latency_ms = server->latency_ms,
            .error = mcphost_error_ref(server->error),
        };
    }
}

static void
fill_leases(mcphost *host, mcphost_status *status)
{
    mcph_list_for_each (item, mcph_pool_leases(host->pool)) {
        mcphost_lease *lease = MCPH_LIST_ENTRY(item, mcphost_lease, link);

        mcph_refs_get(&lease->refs);
        status->leases[status->n_leases++] = (struct lease_row){
            .lease = lease,
            .pid = atomic_load(&lease->seat->pid),
            .state = atomic_load(&lease->seat->state),
            .in_flight = atomic_load(&lease->seat->in_flight),
        };
    }
}

/* Fills the snapshot and returns true.  If the host has more than *servers servers or
 * *leases leases, stores in both the numbers of rows to allocate, and returns false.  If
 * the host has ended, leaves the snapshot empty and returns true.  The caller holds the
 * lock. */
static bool
fill_status(mcphost *host, mcphost_status *status, size_t *servers, size_t *leases)
{
    size_t n = 0;

    if (host->ended)
        return true;
    mcph_list_for_each (item, mcph_pool_leases(host->pool))
        n++;
    if (count_servers(host) > *servers || n > *leases) {
        *servers = count_servers(host);
        *leases = n + 8;
        return false;
    }
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link)
        fill_servers(source, status);
    fill_leases(host, status);
    return true;
}

static int
try_fill(mcphost *host, mcphost_status *status, size_t *servers, size_t *leases)
{
    bool done;
    int r;

    free(status->servers);
    free(status->leases);
    status->servers = calloc(*servers + 1, sizeof(*status->servers));
    status->leases = calloc(*leases + 1, sizeof(*status->leases));
    if (!status->servers || !status->leases)
        return MCPHOST_E_NOMEM;
    r = mcph_core_enter_closed(host->core);
    if (r < 0)
        return r;
    done = fill_status(host, status, servers, leases);
    mcph_core_leave(host->core);
    return done;
}

int
mcphost_get_status(mcphost *host, mcphost_status **ret_status)
{
    size_t servers = 0, leases = 0;
    mcphost_status *status;
    int r;

    if (!host || !ret_status)
        return MCPHOST_E_INVALID;
    status = calloc(1, sizeof(*status));
    if (!status)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&status->refs);
    do
        r = try_fill(host, status, &servers, &leases);
    while (r == 0);
    if (r < 0) {
        mcphost_status_unref(status);
        return r;
    }
    *ret_status = status;
    return 0;
}

mcphost_status *
mcphost_status_ref(mcphost_status *status)
{
    if (status)
        mcph_refs_get(&status->refs);
    return status;
}

mcphost_status *
mcphost_status_unref(mcphost_status *status)
{
    if (!status || !mcph_refs_put(&status->refs))
        return NULL;
    for (size_t i = 0; i < status->n_servers; i++) {
        mcphost_error_unref(status->servers[i].error);
        mcph_config_unref(status->servers[i].config);
        mcph_source_unref(status->servers[i].source);
    }
    for (size_t i = 0; i < status->n_leases; i++)
        mcph_lease_put(status->leases[i].lease);
    free(status->servers);
    free(status->leases);
    free(status);
    return NULL;
}

/* The rows whose values getters return if the index is past the end or the status is
 * NULL. */
static const struct server_row no_server = {
    .start_ms = -1, .latency_ms = -1, .has_tools = -1};
static const struct lease_row no_lease;

static const struct server_row *
server_at(const mcphost_status *status, size_t index)
{
    return status && index < status->n_servers ? &status->servers[index] : &no_server;
}

static const struct lease_row *
lease_at(const mcphost_status *status, size_t index)
{
    return status && index < status->n_leases ? &status->leases[index] : &no_lease;
}

MCPH_GETTER(size_t, mcphost_status_count_servers, const mcphost_status *, self->n_servers)

const char *
mcphost_status_server_get_source_id(const mcphost_status *status, size_t index)
{
    const struct server_row *row = server_at(status, index);

    return row->source ? row->source->id : NULL;
}

const char *
mcphost_status_server_get_id(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->id;
}

int
mcphost_status_server_get_transport(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->transport;
}

int
mcphost_status_server_get_state(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->state;
}

int
mcphost_status_server_get_era(const mcphost_status *status, size_t index)
{
    return mcph_client_era(server_at(status, index)->version);
}

const char *
mcphost_status_server_get_version(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->version;
}

int64_t
mcphost_status_server_get_pid(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->pid;
}

int
mcphost_status_server_get_containment(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->containment;
}

size_t
mcphost_status_server_count_tools(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->tools;
}

int
mcphost_status_server_has_tools(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->has_tools;
}

int64_t
mcphost_status_server_get_start_ms(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->start_ms;
}

int64_t
mcphost_status_server_get_latency_ms(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->latency_ms;
}

mcphost_error *
mcphost_status_server_get_error(const mcphost_status *status, size_t index)
{
    return server_at(status, index)->error;
}

MCPH_GETTER(size_t, mcphost_status_count_leases, const mcphost_status *, self->n_leases)

const char *
mcphost_status_lease_get_source_id(const mcphost_status *status, size_t index)
{
    return mcphost_lease_get_source_id(lease_at(status, index)->lease);
}

const char *
mcphost_status_lease_get_server_id(const mcphost_status *status, size_t index)
{
    return mcphost_lease_get_server_id(lease_at(status, index)->lease);
}

const char *
mcphost_status_lease_get_dialog_id(const mcphost_status *status, size_t index)
{
    return mcphost_lease_get_dialog_id(lease_at(status, index)->lease);
}

int
mcphost_status_lease_get_scope(const mcphost_status *status, size_t index)
{
    return mcphost_lease_get_scope(lease_at(status, index)->lease);
}

const char *
mcphost_status_lease_get_scope_key(const mcphost_status *status, size_t index)
{
    return mcphost_lease_get_scope_key(lease_at(status, index)->lease);
}

int64_t
mcphost_status_lease_get_pid(const mcphost_status *status, size_t index)
{
    return lease_at(status, index)->pid;
}

int
mcphost_status_lease_get_state(const mcphost_status *status, size_t index)
{
    return lease_at(status, index)->state;
}

size_t
mcphost_status_lease_count_in_flight(const mcphost_status *status, size_t index)
{
    return lease_at(status, index)->in_flight;
}

int64_t
mcphost_status_lease_get_since_ms(const mcphost_status *status, size_t index)
{
    const struct lease_row *row = lease_at(status, index);

    return row->lease ? row->lease->since : 0;
}
