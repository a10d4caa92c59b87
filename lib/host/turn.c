/* SPDX-License-Identifier: MIT
 *
 * turn.c - the turns of dialogs, each of which pins the catalog it began with
 * (R96, architecture, "Two lifetime mechanisms").
 *
 * What a pin means for servers that are removed or changed meanwhile is a policy.
 * By `successor` it means nothing.  By `serve` an edition that a pinned catalog offers
 * goes on for the dialog whose turn it is: its lease is not retired, and one that it
 * has not yet is started from the spec that the tool's block keeps.  A lease that is
 * everybody's goes on while any turn pins its edition, and a removed server stays in
 * memory while any does.  The end of a turn lets go what nothing keeps any more.
 */
#include <string.h>

#include "host/host.h"

/* ---- keeping ----------------------------------------------------------------------- */

/* Under the lock.  Whether a source has it that removed servers serve on. */
static bool
any_serves_locked(const mcphost *host)
{
    mcph_list_for_each (item, &host->workspace.sources) {
        if (mcph_source_serves_removed(
                MCPH_LIST_ENTRY(item, struct mcphost_source, link)))
            return true;
    }
    return false;
}

static bool
offers(const mcphost_catalog *catalog, const void *owner, const unsigned *edition)
{
    for (size_t i = catalog->n_builtin; i < catalog->n_entries; i++) {
        const struct mcph_block *block = catalog->entries[i].block;

        if (block->owner == owner && (!edition || block->edition == *edition))
            return true;
    }
    return false;
}

/* In a turn of this dialog, or with NULL of any; under the lock. */
static bool
keeps_locked(const mcphost *host, const mcphost_dialog *dialog, const void *owner,
             const unsigned *edition)
{
    mcph_list_for_each (item, &host->turns) {
        const mcphost_dialog *other = MCPH_LIST_ENTRY(item, mcphost_dialog, turn_link);

        if ((!dialog || dialog == other) && offers(other->pinned, owner, edition))
            return true;
    }
    return false;
}

static bool
keeps(const struct mcph_server *server, const mcphost_dialog *dialog,
      const unsigned *edition)
{
    mcphost *host = server->source->ws->owner;
    bool r;

    if (!mcph_source_serves_removed(server->source))
        return false;
    mcph_core_lock(host->core);
    r = !host->closing && !host->ended && keeps_locked(host, dialog, server, edition);
    mcph_core_unlock(host->core);
    return r;
}

bool
mcph_turn_keeps_server(const struct mcph_server *server)
{
    return keeps(server, NULL, NULL);
}

bool
mcph_turn_keeps_lease(const struct mcph_server *server, const mcphost_lease *lease)
{
    return keeps(server, lease->holder, &lease->seat->edition);
}

/* A block may be older than its server's end: then it is among neither. */
static struct mcph_server *
find_alive(const mcphost *host, const struct mcph_block *block)
{
    struct mcph_server *server = mcph_host_find_server(host, block);

    if (server && server == block->owner)
        return server;
    mcph_list_for_each (place, &host->workspace.sources) {
        const struct mcphost_source *source =
            MCPH_LIST_ENTRY(place, struct mcphost_source, link);

        mcph_list_for_each (item, &source->gone) {
            server = MCPH_LIST_ENTRY(item, struct mcph_server, gone_link);
            if (server == block->owner && strcmp(server->id, block->toolset) == 0)
                return server;
        }
    }
    return NULL;
}

/* Whether the turn's catalog is where the tool comes from: one of an older catalog may
 * have been filtered out since, though its edition is the same. */
static bool
shows_locked(const mcphost_dialog *dialog, const struct mcph_block *block)
{
    const mcphost_catalog *catalog = dialog->pinned;

    for (size_t i = catalog ? catalog->n_builtin : 0; catalog && i < catalog->n_entries;
         i++) {
        if (catalog->entries[i].block == block)
            return true;
    }
    return false;
}

bool
mcph_turn_keeps(mcphost_dialog *dialog, const struct mcph_block *block)
{
    mcphost *host = dialog->host;
    bool shown;

    if (!block->serves_on)
        return false;
    mcph_core_lock(host->core);
    shown = !host->closing && !host->ended && shows_locked(dialog, block);
    mcph_core_unlock(host->core);
    return shown;
}

struct mcph_server *
mcph_turn_server(mcphost_dialog *dialog, const struct mcph_block *block)
{
    return mcph_turn_keeps(dialog, block) ? find_alive(dialog->host, block) : NULL;
}

/* ---- beginning and end ------------------------------------------------------------- */

int
mcph_turn_begin(mcphost_dialog *dialog)
{
    mcphost *host = dialog->host;
    mcphost_catalog *catalog;
    bool look = false;
    int r = mcph_view_look(dialog->view, dialog, &catalog);

    if (r < 0)
        return r;
    r = mcph_host_enter(host);
    if (r == 0) {
        if (dialog->closed) {
            r = MCPHOST_E_CLOSED;
        } else if (!dialog->pinned) {
            dialog->pinned = catalog;
            catalog = NULL;
            mcph_list_append(&host->turns, &dialog->turn_link);
            look = true;
        }
        mcph_core_leave(host->core);
    }
    mcph_catalog_unref(catalog);
    if (look)
        r = mcph_host_look(dialog->view);
    if (look && r < 0)
        mcph_turn_end(dialog);
    return r;
}

void
mcph_turn_forget_locked(mcphost_dialog *dialog, mcphost_catalog **ret_pinned)
{
    mcphost *host = dialog->host;

    *ret_pinned = dialog->pinned;
    if (!dialog->pinned)
        return;
    dialog->pinned = NULL;
    mcph_list_remove(&dialog->turn_link);
    if (host->turns_posted || host->ended || !any_serves_locked(host))
        return;
    host->turns_posted = true;
    mcph_core_post_locked(host->core, &host->turns_job);
}

int
mcph_turn_end(mcphost_dialog *dialog)
{
    mcphost_catalog *pinned;
    int r = mcph_core_enter_closed(dialog->host->core);

    if (r < 0)
        return r;
    mcph_turn_forget_locked(dialog, &pinned);
    mcph_core_leave(dialog->host->core);
    mcph_catalog_unref(pinned);
    return 0;
}

static void
sweep(struct mcphost_source *source)
{
    mcph_source_ref(source); /* it may leave with its last server */
    for (size_t i = 0; i < source->servers.n; i++)
        mcph_server_retire(source->servers.items[i]);
    mcph_list_for_each_safe (item, &source->gone) {
        struct mcph_server *server = MCPH_LIST_ENTRY(item, struct mcph_server, gone_link);

        mcph_server_retire(server);
        mcph_server_let_go(server);
    }
    mcph_source_unref(source);
}

void
mcph_turn_sweep(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, turns_job);
    bool over;

    mcph_core_lock(host->core);
    host->turns_posted = false;
    over = host->closing || host->ended;
    mcph_core_unlock(host->core);
    if (over)
        return;
    mcph_list_for_each_safe (item, &host->workspace.sources) {
        sweep(MCPH_LIST_ENTRY(item, struct mcphost_source, link));
    }
}
