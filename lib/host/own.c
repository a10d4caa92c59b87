/* SPDX-License-Identifier: MIT
 *
 * own.c - lists that a dialog's own client has received and that differ from the view's
 * lists.  (A client is one connection to a server.)
 *
 * A server may announce a changed list to a client that only some dialogs use.  The host
 * then reads the lists again through this client.  Only the dialogs that hold the
 * client's seat see the new list.  Each of these dialogs gets a catalog of the view's
 * blocks in which the block of the client's server is replaced.  This catalog is made
 * again whenever the view's catalog changes.  When the client or the dialog's lease ends,
 * the dialog sees the view's block of this server again.
 *
 * A block is a server's list under the filters and names of the server's configuration.
 * A seat is the place of one client.  A dialog holds a seat by a lease.
 */
#include <stdlib.h>

#include "host/dialog.h"
#include "host/host.h"
#include "host/publish.h"
#include "host/view.h"

struct own {
    struct mcph_list link; /* in mcphost_dialog.own */
    const struct mcph_server *server;
    struct mcph_block *blocks[MCPH_LIST_KINDS]; /* references; NULL if the dialog sees
                                                 * the server's block */
};

static struct own *
find_own(const mcphost_dialog *dialog, const struct mcph_server *server)
{
    mcph_list_for_each_entry (own, &dialog->own, struct own, link) {
        if (own->server == server)
            return own;
    }
    return NULL;
}

struct mcph_block *
mcph_own_block(const mcphost_dialog *dialog, const struct mcph_server *server, int kind)
{
    const struct own *own = find_own(dialog, server);

    return own ? own->blocks[kind] : NULL;
}

/* Returns the first block that a holder of the seat has in place of the server's block of
 * this kind.  Returns NULL if all holders have the server's block. */
struct mcph_block *
mcph_own_block_of(const struct mcph_seat *seat, const struct mcph_server *server,
                  int kind)
{
    mcph_list_for_each_entry (lease, &seat->leases, const mcphost_lease, seat_link) {
        const struct own *own = lease->holder ? find_own(lease->holder, server) : NULL;

        if (own && own->blocks[kind])
            return own->blocks[kind];
    }
    return NULL;
}

static void
own_free(struct own *own)
{
    mcph_list_remove(&own->link);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        mcph_block_unref(own->blocks[kind]);
    free(own);
}

/* Gives the dialog this catalog or, if `catalog` is NULL, the view's catalog.  Emits
 * MCPHOST_EVENT_CATALOG. */
static void
swap_catalog(mcphost_dialog *dialog, mcphost_catalog *catalog)
{
    mcphost *host = dialog->host;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CATALOG, .dialog = dialog->id};
    mcphost_catalog *old;
    struct mcph_sight sight;

    mcph_core_lock(host->core);
    old = dialog->catalog;
    dialog->catalog = catalog;
    sight = dialog->sight;
    dialog->sight = (struct mcph_sight){0};
    if (catalog)
        catalog->version = ++host->version;
    event.version = catalog ? catalog->version : dialog->view->stack->catalog->version;
    mcph_core_unlock(host->core);
    mcph_catalog_unref(old);
    mcph_sight_done(&sight);
    mcph_emit(&host->journal, &event);
}

/* Makes the dialog's catalog.  Publishes the catalog, unless the dialog's present catalog
 * is the same.  Returns false, and publishes nothing, if MCPHOST_COLLISION_REJECT would
 * leave `server` out of the catalog.  If `server` is NULL, does not check for a
 * collision.  If memory is short, logs the failure and returns true. */
static bool
publish_own(mcphost_dialog *dialog, const struct mcph_server *server)
{
    mcphost_catalog *catalog = NULL;
    int r = mcph_publish_build(dialog->view->stack, dialog, &catalog);

    if (r == 0 && server && mcph_publish_find_rejection(catalog, server)) {
        mcph_catalog_unref(catalog);
        return false;
    }
    if (r == 0 && dialog->catalog && mcph_catalog_same(dialog->catalog, catalog))
        mcph_catalog_unref(catalog);
    else if (r == 0)
        swap_catalog(dialog, catalog);
    else
        mcph_log(dialog->host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "the catalog of dialog '%s' stays as it is: %s", dialog->id,
                 mcphost_strerror(r));
    return true;
}

/* Returns the block of a list under the server's present spec: made->block, or a new
 * block if made->block is NULL or has another spec.  On failure, logs the error and
 * returns NULL. */
static struct mcph_block *
make_block(struct mcph_server *server, const struct mcph_made *made)
{
    struct mcph_block *block = mcph_block_ref(made->block);
    mcphost_error *err = NULL;

    if (block && block->spec != server->spec)
        block = mcph_block_unref(block);
    if (!block) {
        mcph_block_of(server, made->listing, &block, &err);
    } else if (mcph_block_sign(server, block) < 0) {
        block = mcph_block_unref(block);
        (void)mcph_err_nomem(&err);
    }
    if (!block) {
        mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id,
                 "a changed list of tools is ignored: %s",
                 mcphost_error_get_message(err));
    }
    mcphost_error_unref(err);
    return block;
}

/* Returns true if `own` replaces no block. */
static bool
is_empty(const struct own *own)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        if (own->blocks[kind])
            return false;
    }
    return true;
}

/* Frees `own`.  If the dialog has no other lists of its own, removes the dialog from the
 * host's list of dialogs with own lists, and returns true. */
static bool
forget_own(mcphost_dialog *dialog, struct own *own)
{
    own_free(own);
    if (!mcph_list_empty(&dialog->own))
        return false;
    mcph_list_remove(&dialog->own_link);
    return true;
}

static int
add_own(struct mcph_server *server, mcphost_dialog *dialog, struct mcph_block *block)
{
    struct own *own = calloc(1, sizeof(*own));

    if (!own)
        return MCPHOST_E_NOMEM;
    own->server = server;
    own->blocks[block->listing->kind] = mcph_block_ref(block);
    if (mcph_list_empty(&dialog->own))
        mcph_list_append(&dialog->host->own, &dialog->own_link);
    mcph_list_append(&dialog->own, &own->link);
    return 0;
}

static void
replace_block(struct mcph_server *server, mcphost_dialog *dialog,
              struct mcph_block *block)
{
    struct own *own = find_own(dialog, server);
    int kind = block->listing->kind;
    struct mcph_block *old = own ? own->blocks[kind] : NULL;

    if (own) {
        own->blocks[kind] = mcph_block_ref(block);
    } else if (add_own(server, dialog, block) < 0) {
        mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id,
                 "a changed list of tools is ignored: out of memory");
        return;
    }
    if (!publish_own(dialog, server)) {
        mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id,
                 "a changed list of tools is ignored: a tool's name is already taken");
        own = find_own(dialog, server);
        mcph_block_unref(own->blocks[kind]);
        own->blocks[kind] = old ? mcph_block_ref(old) : NULL;
        if (is_empty(own))
            forget_own(dialog, own);
    }
    mcph_block_unref(old);
}

/* Shows the view's list of this kind to the holder of the lease again, in place of the
 * list that the holder's client received. */
static void
drop_kind(struct mcph_server *server, mcphost_lease *lease, int kind)
{
    mcphost_dialog *dialog = lease->holder;
    struct own *own = dialog ? find_own(dialog, server) : NULL;

    if (!own || !own->blocks[kind])
        return;
    own->blocks[kind] = mcph_block_unref(own->blocks[kind]);
    if (is_empty(own) && forget_own(dialog, own))
        swap_catalog(dialog, NULL);
    else
        publish_own(dialog, NULL);
}

static void
drop_all(struct mcph_server *server, struct mcph_seat *seat, int kind)
{
    mcph_list_for_each_entry (lease, &seat->leases, mcphost_lease, seat_link)
        drop_kind(server, lease, kind);
}

void
mcph_own_listed(struct mcph_server *server, struct mcph_seat *seat,
                const struct mcph_made *made)
{
    struct mcph_block *block = mcph_own_block_of(seat, server, made->kind);
    const struct mcph_listing *good = made->kind == MCPH_LIST_TOOLS
                                          ? server->listing
                                          : server->more[made->kind].listing;

    if (good && mcph_listing_equal(good, made->listing)) {
        drop_all(server, seat, made->kind);
        return;
    }
    if (block && mcph_listing_equal(block->listing, made->listing))
        return;
    block = make_block(server, made);
    if (!block)
        return;
    mcph_list_for_each_entry (lease, &seat->leases, mcphost_lease, seat_link)
        replace_block(server, lease->holder, block);
    mcph_block_unref(block);
}

void
mcph_own_join(struct mcph_server *server, mcphost_lease *lease)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        struct mcph_block *block = mcph_own_block_of(lease->seat, server, kind);

        if (block && lease->holder && !mcph_own_block(lease->holder, server, kind))
            replace_block(server, lease->holder, block);
    }
}

void
mcph_own_drop(struct mcph_server *server, mcphost_lease *lease)
{
    mcphost_dialog *dialog = lease->holder;
    struct own *own = dialog ? find_own(dialog, server) : NULL;

    if (!own)
        return;
    if (forget_own(dialog, own))
        swap_catalog(dialog, NULL);
    else
        publish_own(dialog, NULL);
}

/* Makes the blocks again under the server's new spec.  If memory is short, the dialog
 * gets the view's block instead, because the old block could show a tool that a filter
 * of the new spec leaves out. */
static void
refresh_own(struct mcph_server *server, struct own *own)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        struct mcph_block *old = own->blocks[kind], *block = NULL;

        if (!old || old->spec == server->spec || old->edition != server->edition)
            continue;
        if (mcph_block_of(server, old->listing, &block, NULL) < 0)
            block = mcph_block_ref(kind == MCPH_LIST_TOOLS ? server->block
                                                           : server->more[kind].block);
        mcph_block_unref(old);
        own->blocks[kind] = block;
    }
}

void
mcph_own_refresh(struct mcph_server *server)
{
    mcph_list_for_each (it, &server->source->ws->owner->own) {
        struct own *own = find_own(MCPH_LIST_ENTRY(it, mcphost_dialog, own_link), server);

        if (own)
            refresh_own(server, own);
    }
}

void
mcph_own_republish(mcphost *host)
{
    mcph_list_for_each_entry (dialog, &host->own, mcphost_dialog, own_link)
        publish_own(dialog, NULL);
}

void
mcph_own_done(mcphost *host)
{
    while (!mcph_list_empty(&host->own)) {
        mcphost_dialog *dialog =
            MCPH_LIST_ENTRY(host->own.next, mcphost_dialog, own_link);
        mcphost_catalog *old;

        mcph_list_remove(&dialog->own_link);
        while (!mcph_list_empty(&dialog->own))
            own_free(MCPH_LIST_ENTRY(dialog->own.next, struct own, link));
        mcph_core_lock(host->core);
        old = dialog->catalog;
        dialog->catalog = NULL;
        mcph_core_unlock(host->core);
        mcph_catalog_unref(old);
    }
}
