/* SPDX-License-Identifier: MIT
 *
 * turn.h - dialog turns, each of which pins a catalog.
 */
#ifndef MCPH_HOST_TURN_H
#define MCPH_HOST_TURN_H

#include "catalog/catalog.h"
#include "loop/loop.h"

#include <mcphost/mcphost.h>

struct mcph_server;
struct mcph_seat;

/* ---- dialog turns (turn.c) --------------------------------------------------------- */

struct mcphost_turn {
    struct mcph_refs refs;
    mcphost *host;            /* a reference to the host's memory */
    mcphost_view *view;       /* a reference */
    mcphost_dialog *dialog;   /* a reference; NULL for a turn of all dialogs of the
                               * view */
    struct mcph_scope *agent; /* a reference; NULL if the turn has no agent */
    mcphost_catalog *catalog; /* the pinned catalog, a reference */

    /* The members below are guarded by the core's lock. */
    struct mcph_list link;       /* in host->turns until the turn ends */
    struct mcph_list owner_link; /* in the list of its dialog or view until the turn
                                  * ends */
    bool stale;
};

/* Begins a turn of `dialog` or, if `dialog` is NULL, of the view.  `agent` (may be NULL)
 * is the agent of a view's turn.  For a dialog's turn, which gets the dialog's agent,
 * `agent` must be NULL.  Any thread may call this.  Returns 0, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED or MCPHOST_E_NOMEM. */
int mcph_turn_new(mcphost_view *view, mcphost_dialog *dialog, const char *agent,
                  mcphost_turn **ret);
int mcph_turn_end(mcphost_turn *turn);
void mcph_turn_put(mcphost_turn *turn); /* `turn` may be NULL; dropping the last
                                         * reference ends the turn */
int mcph_turn_is_stale(mcphost_turn *turn);
int mcph_dialog_begin_turn(mcphost_dialog *dialog);
int mcph_dialog_end_turn(mcphost_dialog *dialog);
/* Marks the turns of `view` and of its dialogs as stale or, if `view` is NULL, the turns
 * of `agent`.  Then makes the host read files again: the team file, and the files of the
 * view's sources or, if `view` is NULL, of all sources. */
int mcph_turns_invalidate(mcphost *host, mcphost_view *view, const char *agent);
/* mcph_turn_keeps_server() returns true if the server must not end, because a running
 * turn uses it.  mcph_turn_keeps_lease() returns true if this lease on the server must
 * not end for the same reason.  Only the dispatcher may call these functions. */
bool mcph_turn_keeps_server(const struct mcph_server *server);
bool mcph_turn_keeps_lease(const struct mcph_server *server, const mcphost_lease *lease);
/* Returns the catalog of a running turn of this dialog or of its view, if this catalog
 * pins the block and the block's server still serves turns (MCPHOST_REMOVED_SERVE).  The
 * result is a reference, or NULL if no turn pins the block.  Any thread may call this. */
mcphost_catalog *mcph_turn_kept(mcphost_dialog *dialog, const struct mcph_block *block);
/* Returns the server of the block, if a turn of the dialog or of its view keeps the
 * server for calls of this block.  Otherwise returns NULL.  Only the dispatcher may call
 * this. */
struct mcph_server *mcph_turn_server(mcphost_dialog *dialog,
                                     const struct mcph_block *block);
void mcph_turn_sweep(struct mcph_job *job);

#endif
