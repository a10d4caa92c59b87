/* SPDX-License-Identifier: MIT
 *
 * review.c - which updates of servers may be published (R109, R112, R115).
 *
 * An update is a new list, or an edit of filters and names, of a server that has a last
 * good edition: one that the present catalog shows.  It is rejected as a whole
 *
 *  - by MCPHOST_COLLISION_REJECT, if the next catalog would leave the server out;
 *  - if a tool without a usable input schema is new in it, and the update came with an
 *    edit or a restart.  By a notice of the server's own (list_changed), as in the first
 *    list, that tool alone is left out.
 *
 * A rejected update leaves the last good edition in force; a problem tells, and the
 * update is tried again as any start that failed.  By MCPHOST_LAST_GOOD_NONE there is
 * nothing to fall back on, so nothing is rejected here.
 */
#include <string.h>

#include "host/host.h"

static const mcphost *
host_of(const struct mcph_server *server)
{
    return server->source->ws->owner;
}

/* What the present catalog shows of a server that is to show something else; NULL: there
 * is no update, or nothing good to go back to. */
static struct mcph_block *
good_block(const struct mcph_server *server)
{
    const mcphost_catalog *now = host_of(server)->view.catalog;
    const mcphost_server *entry =
        now ? mcph_map_get(&now->by_server, server->id, strlen(server->id)) : NULL;

    if (!server->dirty || !server->block || !entry || entry->rejected ||
        entry->block == server->block || entry->block->owner != server ||
        !entry->block->listing)
        return NULL;
    return entry->block;
}

static int
note_known(const struct mcph_block *good, struct mcph_map *known)
{
    for (size_t i = 0; i < good->findings.n; i++) {
        struct mcph_finding *finding = good->findings.items[i];

        if (finding->kind == MCPH_FINDING_INVALID_SCHEMA &&
            mcph_map_put(known, finding->tool, strlen(finding->tool), finding, NULL) < 0)
            return MCPHOST_E_NOMEM;
    }
    return 0;
}

/* A tool that has no usable schema, which is news; NULL: there is none.  Short of memory
 * all are news. */
static const struct mcph_finding *
find_bad_schema(const struct mcph_block *good, const struct mcph_block *block)
{
    const struct mcph_finding *found = NULL;
    struct mcph_map known = {0};

    note_known(good, &known);
    for (size_t i = 0; i < block->findings.n && !found; i++) {
        const struct mcph_finding *finding = block->findings.items[i];

        if (finding->kind == MCPH_FINDING_INVALID_SCHEMA &&
            !mcph_map_get(&known, finding->tool, strlen(finding->tool)))
            found = finding;
    }
    mcph_map_done(&known);
    return found;
}

static void
reject(struct mcph_server *server, struct mcph_block *good,
       const struct mcph_finding *finding)
{
    mcphost_error *err = NULL;
    struct mcph_buf text;

    mcph_buf_init(&text, 64 * 1024);
    mcph_buf_adds(&text, "its update is rejected, the last good edition stays: ");
    mcph_finding_add_message(&text, finding);
    mcph_buf_addc(&text, '\0');
    if (mcph_buf_ok(&text) == 0)
        mcph_err(&err, MCPHOST_E_EXISTS, "%s", text.data);
    else
        mcph_err_nomem(&err);
    mcph_err_set_server(err, server->id);
    mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id, "%s",
             mcphost_error_get_message(err));
    mcph_server_revert(server, good, err);
    mcphost_error_unref(err);
    mcph_buf_done(&text);
}

static void
review_schemas(mcphost *host)
{
    for (size_t i = 0; i < host->source->servers.n; i++) {
        struct mcph_server *server = host->source->servers.items[i];
        struct mcph_block *good = server->strict ? good_block(server) : NULL;
        const struct mcph_finding *finding =
            good ? find_bad_schema(good, server->block) : NULL;

        if (finding)
            reject(server, good, finding);
        server->strict = false;
    }
}

/* Rejects each update that `next` leaves out; true: there was one. */
static bool
reject_left_out(mcphost *host, const mcphost_catalog *next)
{
    bool any = false;

    for (size_t i = 0; i < host->source->servers.n; i++) {
        struct mcph_server *server = host->source->servers.items[i];
        struct mcph_block *good = good_block(server);
        const struct mcph_finding *finding =
            good ? mcph_publish_find_rejection(next, server->id) : NULL;

        if (!finding)
            continue;
        reject(server, good, finding);
        any = true;
    }
    return any;
}

void
mcph_review(mcphost *host)
{
    bool again = mcph_source_rejects_collisions(host->source);

    if (!mcph_source_keeps_last_good(host->source))
        return;
    review_schemas(host);
    /* An edition that is restored may collide with another update. */
    while (again) {
        mcphost_catalog *next;

        if (mcph_publish_build(host, NULL, &next) < 0)
            return;
        again = reject_left_out(host, next);
        mcph_catalog_unref(next);
    }
}
