/* SPDX-License-Identifier: MIT
 *
 * turn.h - turns, each of which pins a catalog.
 */
#ifndef MCPH_HOST_TURN_H
#define MCPH_HOST_TURN_H

#include "catalog/catalog.h"
#include "loop/loop.h"

#include <mcphost/mcphost.h>

struct mcph_server;
struct mcph_seat;

/* ---- turns (turn.c) ---------------------------------------------------------------- */

struct mcphost_turn {
    struct mcph_refs refs;
    mcphost *host;            /* its memory */
    mcphost_view *view;       /* a reference */
    mcphost_dialog *dialog;   /* likewise; NULL: of all dialogs of the view */
    struct mcph_scope *agent; /* likewise, or NULL */
    mcphost_catalog *catalog; /* likewise */

    /* under the lock */
    struct mcph_list link;       /* in host->turns until it ends */
    struct mcph_list owner_link; /* in the turns of its dialog or view until then */
    bool stale;
};

/* Any thread.  `dialog` NULL: of the view, for this agent (NULL: for none).  0,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_turn_new(mcphost_view *view, mcphost_dialog *dialog, const char *agent,
                  mcphost_turn **ret);
int mcph_turn_end(mcphost_turn *turn);
void mcph_turn_put(mcphost_turn *turn); /* the last one ends it; NULL is fine */
int mcph_turn_is_stale(mcphost_turn *turn);
int mcph_dialog_begin_turn(mcphost_dialog *dialog);
int mcph_dialog_end_turn(mcphost_dialog *dialog);
/* The turns of a view or, with NULL, of an agent. */
int mcph_turns_invalidate(mcphost *host, mcphost_view *view, const char *agent);
/* The dispatcher's.  Whether a turn keeps the server as such, or the lease. */
bool mcph_turn_keeps_server(const struct mcph_server *server);
bool mcph_turn_keeps_lease(const struct mcph_server *server, const mcphost_lease *lease);
/* The catalog of a turn of this dialog that keeps what a block offers as it is, or NULL:
 * a reference.  Any thread. */
mcphost_catalog *mcph_turn_kept(mcphost_dialog *dialog, const struct mcph_block *block);
/* The server that carries out what the block offers, because a turn of the dialog keeps
 * it, or NULL. */
struct mcph_server *mcph_turn_server(mcphost_dialog *dialog,
                                     const struct mcph_block *block);
void mcph_turn_sweep(struct mcph_job *job);

#endif
