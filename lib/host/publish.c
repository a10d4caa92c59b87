/* SPDX-License-Identifier: MIT
 *
 * publish.c - the next catalog of the view, built beside the present one and
 * swapped in by one pointer (R95, R97, R113).
 *
 * Several lists that come in within one turn make one catalog.  What is not in
 * it and why becomes problems (R118); those that no longer hold are cleared.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "names/names.h"

static int
collect(mcphost *host, const mcphost_dialog *dialog, struct mcph_vec *blocks)
{
    const struct mcphost_source *source = host->source;
    int r = mcph_vec_reserve(blocks, host->builtin_blocks.n + source->servers.n);

    if (r < 0)
        return r;
    for (size_t i = 0; i < host->builtin_blocks.n; i++)
        mcph_vec_add(blocks, host->builtin_blocks.items[i]);
    for (size_t i = 0; i < source->servers.n; i++) {
        struct mcph_server *server = source->servers.items[i];
        struct mcph_block *own = dialog ? mcph_own_block(dialog, server) : NULL;

        if (own || server->block)
            mcph_vec_add(blocks, own ? own : server->block);
    }
    return 0;
}

/* The snapshot whose names stay with their servers.  A dialog with lists of its own has
 * a history of its own, from the view's on. */
static const mcphost_catalog *
before(const mcphost *host, const mcphost_dialog *dialog)
{
    if (!mcph_source_keeps_names(host->source))
        return NULL;
    return dialog && dialog->catalog ? dialog->catalog : host->view.catalog;
}

int
mcph_publish_build(mcphost *host, mcphost_dialog *dialog, mcphost_catalog **ret)
{
    enum mcph_collision policy = mcph_source_rejects_collisions(host->source)
                                     ? MCPH_COLLISION_REJECT
                                     : MCPH_COLLISION_SKIP;
    struct mcph_vec blocks = {0};
    int r = collect(host, dialog, &blocks);

    if (r == 0)
        r = mcph_catalog_new(host->view.version + 1, before(host, dialog),
                             (struct mcph_block **)blocks.items, blocks.n, policy, ret,
                             NULL);
    mcph_vec_done(&blocks);
    return r;
}

/* What servers named, without the secrets of either. */
static char *
masked(mcphost *host, const struct mcph_finding *finding, const char *text)
{
    char *copy =
        text ? mcph_mask_copy(mcph_realm_get_mask(&host->source->realm, finding->server),
                              text)
             : NULL;

    if (copy && finding->owner && !finding->owner_builtin)
        mcph_mask_text(mcph_realm_get_mask(&host->source->realm, finding->owner), copy,
                       strlen(copy));
    return copy;
}

static void
raise_finding(mcphost *host, const struct mcph_finding *told)
{
    char *tool = masked(host, told, told->tool);
    char *renamed = masked(host, told, told->renamed);
    struct mcph_finding shown = *told, *finding = &shown;
    struct mcph_problem_draft draft = {.kind = mcph_finding_kind_name(finding),
                                       .server = finding->server,
                                       .severity = finding->severity,
                                       .sweep = &host->catalog_sweep};
    struct mcph_buf id, message, detail;

    shown.tool = tool;
    shown.renamed = renamed;
    mcph_buf_init(&id, 64 * 1024);
    mcph_buf_init(&message, 64 * 1024);
    mcph_buf_init(&detail, 256 * 1024);
    if ((told->tool && !tool) || (told->renamed && !renamed))
        goto out;
    mcph_finding_add_id(&id, finding);
    mcph_finding_add_message(&message, finding);
    mcph_finding_add_detail(&detail, finding);
    mcph_buf_addc(&id, '\0');
    mcph_buf_addc(&message, '\0');
    mcph_buf_addc(&detail, '\0');
    /* Without an id or a message it is logged as lost. */
    draft.id = mcph_buf_ok(&id) == 0 ? id.data : NULL;
    draft.message = mcph_buf_ok(&message) == 0 ? message.data : NULL;
    draft.detail = mcph_buf_ok(&detail) == 0 ? detail.data : NULL;
out:
    mcph_problem_raise(&host->journal, &draft);
    mcph_buf_done(&id);
    mcph_buf_done(&message);
    mcph_buf_done(&detail);
    free(tool);
    free(renamed);
}

static void
raise_findings(mcphost *host, const mcphost_catalog *catalog)
{
    mcph_problem_sweep_begin(&host->journal, &host->catalog_sweep);
    for (size_t i = 0; i < catalog->findings.n; i++)
        raise_finding(host, catalog->findings.items[i]);
    mcph_problem_sweep_end(&host->journal, &host->catalog_sweep);
}

static void
count_tools(mcphost *host, const mcphost_catalog *catalog)
{
    const struct mcphost_source *source = host->source;

    for (size_t i = 0; i < source->servers.n; i++) {
        struct mcph_server *server = source->servers.items[i];
        const char *id = server->id;
        const mcphost_server *entry = mcph_map_get(&catalog->by_server, id, strlen(id));
        size_t n = entry ? entry->n_tools : 0;

        mcph_core_lock(host->core);
        server->tools = n;
        mcph_core_unlock(host->core);
    }
}

/* Under the lock; returns the one before. */
static mcphost_catalog *
swap(mcphost *host, mcphost_catalog *catalog)
{
    mcphost_catalog *old = host->view.catalog;

    host->view.catalog = catalog;
    host->view.version++;
    return old;
}

int
mcph_publish_locked(mcphost *host, mcphost_catalog **ret_old)
{
    mcphost_catalog *catalog;
    int r = mcph_publish_build(host, NULL, &catalog);

    if (r == 0)
        *ret_old = swap(host, catalog);
    return r;
}

int
mcph_publish(mcphost *host)
{
    mcphost_catalog *catalog, *old;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CATALOG};
    int r = mcph_publish_build(host, NULL, &catalog);

    if (r < 0) {
        mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "the catalog stays as it is: %s", mcphost_strerror(r));
        return r;
    }
    count_tools(host, catalog);
    if (host->view.catalog && mcph_catalog_same(host->view.catalog, catalog)) {
        raise_findings(host, catalog);
        mcph_catalog_unref(catalog);
        return 0;
    }
    mcph_core_lock(host->core);
    old = swap(host, catalog);
    event.version = host->view.version;
    mcph_core_unlock(host->core);
    mcph_catalog_unref(old);
    mcph_emit(&host->journal, &event);
    /* Whoever replaces the catalog is this thread: ours still stands. */
    raise_findings(host, catalog);
    mcph_own_republish(host);
    mcph_views_recheck(host);
    return 0;
}

/* ---- what it means for the servers ------------------------------------------------- */

const struct mcph_finding *
mcph_publish_find_rejection(const mcphost_catalog *catalog, const char *server)
{
    for (size_t i = 0; i < catalog->findings.n; i++) {
        const struct mcph_finding *finding = catalog->findings.items[i];

        if (finding->kind == MCPH_FINDING_SERVER && mcph_streq(finding->server, server))
            return finding;
    }
    return NULL;
}

/* Whether the catalog leaves the server out. */
static bool
is_rejected(const mcphost_catalog *catalog, const struct mcph_server *server)
{
    const mcphost_server *entry =
        mcph_map_get(&catalog->by_server, server->id, strlen(server->id));

    return entry && entry->rejected;
}

/* It is told why. */
static void
reject(struct mcph_server *server, const mcphost_catalog *catalog)
{
    const struct mcph_finding *finding;
    mcphost_error *err = NULL;
    struct mcph_buf text;

    server->attempted = true;
    if (server->state == MCPHOST_SERVER_UNAVAILABLE)
        return;
    mcph_buf_init(&text, 64 * 1024);
    finding = mcph_publish_find_rejection(catalog, server->id);
    if (finding)
        mcph_finding_add_message(&text, finding);
    mcph_buf_addc(&text, '\0');
    mcph_err(&err, MCPHOST_E_EXISTS, "%s", mcph_buf_ok(&text) == 0 ? text.data : "");
    mcph_server_set_state(server, MCPHOST_SERVER_UNAVAILABLE, err);
    mcphost_error_unref(err);
    mcph_buf_done(&text);
}

static void
loaded(struct mcph_server *server)
{
    struct mcph_core *core = server->source->core;
    int64_t took = mcph_core_now(core) - server->load_began;

    if (server->state == MCPHOST_SERVER_LOADED && !server->committed)
        return;
    mcph_core_lock(core);
    if (server->start_ms < 0)
        server->start_ms = took;
    mcph_core_unlock(core);
    mcph_server_set_state(server, MCPHOST_SERVER_LOADED, NULL);
    server->attempted = true;
}

/* Short of memory: what it had stays; one that had nothing has failed.  A list that
 * changes while the entry is invalid leaves the state at that. */
static void
unpublished(struct mcph_server *server)
{
    mcphost_error *err = NULL;

    if (server->state == MCPHOST_SERVER_LOADED ||
        server->entry->state != MCPHOST_CONFIG_SERVER_VALID)
        return;
    mcph_err_nomem(&err);
    mcph_server_unavailable(server, err);
    mcphost_error_unref(err);
}

/* Whether the block says what the last good edition says. */
static bool
is_fresh(const struct mcph_server *server)
{
    return server->listing && server->block &&
           server->block->listing == server->listing &&
           server->entry->state == MCPHOST_CONFIG_SERVER_VALID;
}

/* Whoever asked for a restart hears what became of it. */
static void
answer(struct mcph_server *server, bool published)
{
    if (!published || server->block->listing != server->listing)
        mcph_server_answer(server, "out of memory");
    else if (server->rejected)
        mcph_server_answer(server, mcphost_error_get_message(server->error));
    else
        mcph_server_answer(server, NULL);
}

/* `r`: whether there is a new catalog. */
static void
tell(struct mcph_server *server, const mcphost_catalog *catalog, int r)
{
    server->rejected = is_rejected(catalog, server);
    /* What one server lists may free or take a name of another's. */
    if (server->rejected && (server->start || (r == 0 && is_fresh(server))))
        reject(server, catalog);
    else if (r == 0 && is_fresh(server))
        loaded(server);
    else if (server->dirty && server->listing)
        unpublished(server);
    if (server->dirty && r == 0)
        mcph_server_retire(server);
    if (server->committed)
        server->failures = 0;
    if (server->committed && server->listing)
        answer(server, r == 0 && server->block);
    server->dirty = server->committed = false;
}

void
mcph_publish_now(mcphost *host)
{
    struct mcphost_source *source = host->source;
    int r;

    mcph_blocks_refresh(source);
    mcph_review(host);
    r = mcph_publish(host);
    for (size_t i = 0; i < source->servers.n; i++)
        tell(source->servers.items[i], host->view.catalog, r);
    mcph_host_check_ready(host);
}

void
mcph_publish_soon(mcphost *host)
{
    if (host->publishing)
        return;
    host->publishing = true;
    mcph_core_post(host->core, &host->publish_job);
}

/* Somebody may have been faster, who could not wait for the job. */
void
mcph_publish_job(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, publish_job);
    const struct mcphost_source *source = host->source;

    host->publishing = false;
    for (size_t i = 0; i < source->servers.n; i++) {
        const struct mcph_server *server = source->servers.items[i];

        if (server->dirty) {
            mcph_publish_now(host);
            break;
        }
    }
}
