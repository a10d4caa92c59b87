/* SPDX-License-Identifier: MIT
 *
 * review.c - decide which updates of servers may be published (R109, R112, R115).
 *
 * An update is a new list, or an edit of filters and names, of a server that has a last
 * good edition: the edition that the present catalog shows.  An edition is the result of
 * one start of the server: the server's configuration and lists.  An update is rejected
 * as a whole
 *  - with MCPHOST_COLLISION_REJECT, if the next catalog would leave the server out;
 *  - if the update adds a tool without a usable input schema, and came with an edit or a
 *    restart.  If the update came with the server's own notice (list_changed), only that
 *    tool is left out, as in the first list.
 *
 * After a rejection, the last good edition stays in force, and a problem is raised.
 * The server is started again later, as after a failed start.  With
 * MCPHOST_LAST_GOOD_NONE no update is rejected here, because there is no edition to
 * fall back on.
 */
#include <string.h>

#include "host/host.h"
#include "host/publish.h"
#include "host/view.h"

/* Finds the entry of the last good edition in a catalog.  Returns NULL if the server has
 * no update, or the catalog has no good edition of the server. */
static const mcphost_server *
good_in(const mcphost_catalog *now, const struct mcph_server *server)
{
    const mcphost_server *entry =
        now && server->block ? mcph_catalog_entry(now, server->block) : NULL;

    if (!server->dirty || !entry || entry->rejected || entry->block == server->block ||
        entry->block->owner != server || !entry->block->listing)
        return NULL;
    return entry;
}

/* Finds the entry of the last good edition in the default view's catalog or, if this
 * catalog lacks the entry, in the catalogs of `views`.  Returns NULL if no catalog has
 * this entry, or if the server has no update. */
static const mcphost_server *
good_entry(mcphost *host, const struct mcph_vec *views, const struct mcph_server *server)
{
    const mcphost_server *good = good_in(host->view.own.catalog, server);

    for (size_t i = 0; i < views->n && !good; i++) {
        const mcphost_view *view = views->items[i];

        good = good_in(view->own.catalog, server);
    }
    return good;
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

/* Returns the first finding of `block` about a tool without a usable schema.  Skips the
 * tools that have no usable schema in `good` either.  Returns NULL if no finding is left.
 * If memory is short, the function may return a finding that `good` has, too. */
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
reject_server(struct mcph_server *server, const mcphost_server *good,
              const struct mcph_finding *finding)
{
    mcphost_error *err = NULL;
    struct mcph_buf text;

    mcph_buf_init(&text, 64 * 1024);
    mcph_buf_adds(&text, "its update is rejected, the last good edition stays: ");
    mcph_finding_add_message(&text, finding);
    if (mcph_buf_text(&text))
        mcph_err(&err, MCPHOST_E_EXISTS, "%s", text.data);
    else
        mcph_err_nomem(&err);
    mcph_err_set_server(err, server->source->id, server->id);
    mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id, "%s",
             mcphost_error_get_message(err));
    mcph_server_revert(server, good, err);
    mcphost_error_unref(err);
    mcph_buf_done(&text);
}

static void
review_schemas(mcphost *host, const struct mcph_vec *views,
               const struct mcphost_source *source)
{
    for (size_t i = 0; i < source->servers.n; i++) {
        struct mcph_server *server = source->servers.items[i];
        const mcphost_server *good =
            server->strict ? good_entry(host, views, server) : NULL;
        const struct mcph_finding *finding =
            good ? find_bad_schema(good->block, server->block) : NULL;

        if (finding)
            reject_server(server, good, finding);
        server->strict = false;
    }
}

/* Rejects each update of the source that makes the stack's next catalog leave the updated
 * server out.  Returns true if an update was rejected. */
static bool
reject_left_out(const struct mcph_stack *stack, const struct mcphost_source *source,
                const mcphost_catalog *next)
{
    bool any = false;

    for (size_t i = 0; i < source->servers.n; i++) {
        struct mcph_server *server = source->servers.items[i];
        const mcphost_server *good = good_in(stack->catalog, server);
        const struct mcph_finding *finding =
            good ? mcph_publish_find_rejection(next, server) : NULL;

        if (!finding)
            continue;
        reject_server(server, good, finding);
        any = true;
    }
    return any;
}

static bool
reviews_collisions(const struct mcphost_source *source)
{
    return source->changed && mcph_source_rejects_collisions(source) &&
           mcph_source_keeps_last_good(source);
}

/* Reviews the next catalog of a stack.  If this catalog would leave an updated server
 * out, rejects the update, for all views.  Returns true if an update was rejected. */
static bool
review_stack(mcphost *host, struct mcph_stack *stack)
{
    mcphost_catalog *next = NULL;
    bool any = false;

    mcph_list_for_each_entry (source, &host->workspace.sources, const mcphost_source,
                              link) {
        if (!reviews_collisions(source))
            continue;
        if (!next && mcph_publish_build(stack, NULL, &next) < 0)
            return false;
        any |= reject_left_out(stack, source, next);
    }
    mcph_catalog_unref(next);
    return any;
}

void
mcph_review(mcphost *host, const struct mcph_vec *views)
{
    bool again = true;

    mcph_list_for_each_entry (source, &host->workspace.sources, const mcphost_source,
                              link) {
        if (source->changed && mcph_source_keeps_last_good(source))
            review_schemas(host, views, source);
    }
    /* Repeat the review, because an edition that was restored may collide with another
     * update. */
    while (again) {
        again = review_stack(host, &host->view.own);
        for (size_t i = 0; i < views->n; i++) {
            mcphost_view *view = views->items[i];

            again |= review_stack(host, &view->own);
        }
    }
}
