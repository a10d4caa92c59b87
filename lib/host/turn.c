/* SPDX-License-Identifier: MIT
 *
 * turn.c - dialog turns, each of which pins the catalog that its dialog or view had when
 * the turn began (R96, R196-R198).
 *
 * Any number of turns may run at once, also of one dialog.  MCPHOST_OPT_REMOVED of a
 * source decides what happens to its servers that are removed or changed during a turn.
 * If the option is MCPHOST_REMOVED_SUCCESSOR, the pin has no effect on these servers.
 * If the option is MCPHOST_REMOVED_SERVE, an edition that a pinned catalog offers stays
 * in service for the dialogs of the turn: their leases do not end, and a dialog without
 * a lease gets a lease with the spec that the tool's block keeps.  The host's lease on
 * a seat that everyone shares does not end while any turn pins the edition of the seat.
 * A removed server stays in memory while any turn pins it.  The end of a turn ends the
 * leases and servers that no other turn keeps.
 *
 * An edition of a server is the result of one start of the server: the spec (the server's
 * configuration) and the lists that the server gave.
 */
#include <stdlib.h>
#include <string.h>

#include "host/dialog.h"
#include "host/host.h"
#include "host/turn.h"
#include "host/view.h"

/* ---- what turns keep --------------------------------------------------------------- */

/* Returns true if a source has MCPHOST_REMOVED_SERVE.  Call this under the lock. */
static bool
any_serves(const mcphost *host)
{
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link) {
        if (mcph_source_serves_removed(source))
            return true;
    }
    return false;
}

static bool
offers_edition(const mcphost_catalog *catalog, const void *owner, const unsigned *edition)
{
    for (size_t i = catalog->n_builtin; i < catalog->n_entries; i++) {
        const struct mcph_block *block = catalog->entries[i].block;

        if (block->owner == owner && (!edition || block->edition == *edition))
            return true;
    }
    return false;
}

/* Returns true if the turn belongs to the dialog, or to all dialogs of the dialog's view.
 * If `dialog` is NULL, returns true for any turn. */
static bool
is_of(const mcphost_turn *turn, const mcphost_dialog *dialog)
{
    if (!dialog)
        return true;
    return turn->dialog ? turn->dialog == dialog : turn->view == dialog->view;
}

/* Returns true if the source has MCPHOST_REMOVED_SERVE and a turn pins the server.  If
 * `dialog` is not NULL, considers only turns of this dialog and turns of its whole view.
 * If `edition` is not NULL, considers only pins of this edition of the server.  Returns
 * false if the host is closing or has ended. */
static bool
turn_pins(const struct mcph_server *server, const mcphost_dialog *dialog,
          const unsigned *edition)
{
    mcphost *host = server->source->ws->owner;
    bool kept = false;

    if (!mcph_source_serves_removed(server->source))
        return false;
    mcph_core_lock(host->core);
    if (!host->closing && !host->ended) {
        mcph_list_for_each_entry (turn, &host->turns, const mcphost_turn, link) {
            kept = kept || (is_of(turn, dialog) &&
                            offers_edition(turn->catalog, server, edition));
        }
    }
    mcph_core_unlock(host->core);
    return kept;
}

bool
mcph_turn_keeps_server(const struct mcph_server *server)
{
    return turn_pins(server, NULL, NULL);
}

bool
mcph_turn_keeps_lease(const struct mcph_server *server, const mcphost_lease *lease)
{
    return turn_pins(server, lease->holder, &lease->seat->edition);
}

/* Finds the server that made the block, among the declared and the removed servers.
 * Returns NULL if the server was freed.  A block can outlive its server. */
static struct mcph_server *
find_alive(const mcphost *host, const struct mcph_block *block)
{
    struct mcph_server *server;

    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link) {
        /* Search all sources, because a source that is leaving cannot be found by its id
         * any more. */
        server = mcph_server_find(source, block->id);
        if (server && server == block->owner)
            return server;
        mcph_list_for_each (item, &source->gone) {
            server = MCPH_LIST_ENTRY(item, struct mcph_server, gone_link);
            if (server == block->owner && strcmp(server->id, block->id) == 0)
                return server;
        }
    }
    return NULL;
}

/* Returns true if the catalog has this very block.  A newer block of the same edition may
 * lack a tool that a filter has removed. */
static bool
shows_block(const mcphost_catalog *catalog, const struct mcph_block *block)
{
    for (size_t i = catalog->n_builtin; i < catalog->n_entries; i++) {
        if (catalog->entries[i].block == block)
            return true;
    }
    return false;
}

/* Returns the catalog of a turn that pins the block, or NULL.  The dialog's turns come
 * before the turns of its view.  Call this under the lock. */
static mcphost_catalog *
find_kept(const mcphost_dialog *dialog, const struct mcph_block *block)
{
    const struct mcph_list *const lists[] = {&dialog->turns, &dialog->view->turns};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(lists); i++) {
        mcph_list_for_each_entry (turn, lists[i], const mcphost_turn, owner_link) {
            if (shows_block(turn->catalog, block))
                return turn->catalog;
        }
    }
    return NULL;
}

mcphost_catalog *
mcph_turn_kept(mcphost_dialog *dialog, const struct mcph_block *block)
{
    mcphost_catalog *catalog = NULL;
    mcphost *host = dialog->host;

    if (!block->serves_on)
        return NULL;
    mcph_core_lock(host->core);
    if (!host->closing && !host->ended)
        catalog = mcph_catalog_ref(find_kept(dialog, block));
    mcph_core_unlock(host->core);
    return catalog;
}

struct mcph_server *
mcph_turn_server(mcphost_dialog *dialog, const struct mcph_block *block)
{
    mcphost_catalog *kept = mcph_turn_kept(dialog, block);

    if (!kept)
        return NULL;
    mcph_catalog_unref(kept);
    return find_alive(dialog->host, block);
}

/* ---- life -------------------------------------------------------------------------- */

static void
turn_free(mcphost_turn *turn)
{
    mcphost *host = turn->host;

    mcph_catalog_unref(turn->catalog);
    mcph_scope_unref(turn->agent);
    mcph_dialog_put(turn->dialog);
    mcph_view_put(turn->view);
    free(turn);
    mcph_host_put_mem(host);
}

static mcphost_turn *
make_turn(mcphost_view *view, mcphost_dialog *dialog)
{
    mcphost_turn *turn = calloc(1, sizeof(*turn));

    if (!turn)
        return NULL;
    mcph_refs_init(&turn->refs);
    mcph_list_init(&turn->link);
    mcph_list_init(&turn->owner_link);
    turn->host = view->host;
    mcph_host_get_mem(view->host);
    turn->view = view;
    mcph_view_get(view);
    turn->dialog = dialog;
    if (dialog)
        mcph_dialog_get(dialog);
    return turn;
}

/* Adds the turn to the lists of running turns, and sets the agent of a dialog's turn.
 * Call this under the lock. */
static void
begin_turn(mcphost_turn *turn)
{
    mcphost_dialog *dialog = turn->dialog;

    if (dialog && dialog->agent)
        turn->agent = mcph_scope_ref(dialog->agent);
    mcph_list_append(&turn->host->turns, &turn->link);
    mcph_list_append(dialog ? &dialog->turns : &turn->view->turns, &turn->owner_link);
}

/* Removes the turn from the lists of running turns.  If a source has
 * MCPHOST_REMOVED_SERVE, posts the job that ends the leases and servers that no turn
 * keeps any more.  Call this under the lock. */
static void
end_turn(mcphost_turn *turn)
{
    mcphost *host = turn->host;

    if (mcph_list_empty(&turn->link))
        return;
    mcph_list_remove(&turn->link);
    mcph_list_remove(&turn->owner_link);
    if (host->turns_posted || host->ended || !any_serves(host))
        return;
    host->turns_posted = true;
    mcph_core_post_locked(host->core, &host->turns_job);
}

int
mcph_turn_new(mcphost_view *view, mcphost_dialog *dialog, const char *agent,
              mcphost_turn **ret)
{
    mcphost *host = view->host;
    mcphost_turn *turn = make_turn(view, dialog);
    int r;

    if (!turn)
        return MCPHOST_E_NOMEM;
    if (agent)
        turn->agent = mcph_scope_new(MCPHOST_SCOPE_AGENT, agent);
    r = agent && !turn->agent ? MCPHOST_E_NOMEM
                              : mcph_view_look(view, dialog, &turn->catalog);
    if (r == 0)
        r = mcph_host_enter(host);
    if (r == 0) {
        if (dialog && dialog->closed)
            r = MCPHOST_E_CLOSED;
        else
            begin_turn(turn);
        mcph_core_leave(host->core);
    }
    if (r == 0)
        r = mcph_host_look(host, view, false);
    if (r < 0)
        mcph_turn_put(turn);
    else
        *ret = turn;
    return r;
}

int
mcph_turn_end(mcphost_turn *turn)
{
    int r = mcph_core_enter_closed(turn->host->core);

    if (r < 0)
        return r;
    end_turn(turn);
    mcph_core_leave(turn->host->core);
    return 0;
}

void
mcph_turn_put(mcphost_turn *turn)
{
    if (!turn || !mcph_refs_put(&turn->refs))
        return;
    if (mcph_turn_end(turn) == 0) /* in a forked child, leave the turn unfreed */
        turn_free(turn);
}

/* ---- the one turn of mcph_dialog_begin_turn() -------------------------------------- */

/* Removes the dialog's own turn and returns the turn, or NULL if the dialog has none.
 * The caller drops the turn.  Call this under the lock. */
static mcphost_turn *
take_turn(mcphost_dialog *dialog)
{
    mcphost_turn *turn = dialog->turn;

    dialog->turn = NULL;
    return turn;
}

/* Begins the dialog's turn.  A turn that is running already continues, unless it is
 * stale. */
int
mcph_dialog_begin_turn(mcphost_dialog *dialog)
{
    mcphost_turn *turn = NULL, *old = NULL;
    int r = mcph_host_enter(dialog->host);
    bool on;

    if (r < 0)
        return r;
    on = dialog->turn && !dialog->turn->stale;
    mcph_core_leave(dialog->host->core);
    if (on)
        return 0;
    r = mcph_turn_new(dialog->view, dialog, NULL, &turn);
    if (r < 0)
        return r;
    r = mcph_host_enter(dialog->host);
    if (r == 0) {
        if (dialog->closed) {
            r = MCPHOST_E_CLOSED;
        } else if (!dialog->turn || dialog->turn->stale) {
            old = take_turn(dialog);
            dialog->turn = turn;
            turn = NULL;
        }
        mcph_core_leave(dialog->host->core);
    }
    mcph_turn_put(old);
    mcph_turn_put(turn);
    return r;
}

int
mcph_dialog_end_turn(mcphost_dialog *dialog)
{
    mcphost_turn *turn;
    int r = mcph_core_enter_closed(dialog->host->core);

    if (r < 0)
        return r;
    turn = take_turn(dialog);
    mcph_core_leave(dialog->host->core);
    mcph_turn_put(turn);
    return 0;
}

/* ---- invalidation ------------------------------------------------------------------ */

int
mcph_turns_invalidate(mcphost *host, mcphost_view *view, const char *agent)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    mcph_list_for_each_entry (turn, &host->turns, mcphost_turn, link) {
        if (view ? turn->view == view
                 : turn->agent && strcmp(turn->agent->key, agent) == 0)
            turn->stale = true;
    }
    mcph_core_leave(host->core);
    return mcph_host_look(host, view, true);
}

int
mcph_turn_is_stale(mcphost_turn *turn)
{
    bool stale;

    if (mcph_core_enter_closed(turn->host->core) < 0)
        return 0;
    stale = turn->stale;
    mcph_core_leave(turn->host->core);
    return stale;
}

/* ---- ending leases and servers that no turn keeps ---------------------------------- */

static void
sweep_servers(struct mcphost_source *source)
{
    /* Hold a reference, because the end of the last server may free the source. */
    mcph_source_ref(source);
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
        struct mcphost_source *source =
            MCPH_LIST_ENTRY(item, struct mcphost_source, link);

        if (mcph_source_serves_removed(source))
            sweep_servers(source);
    }
}
