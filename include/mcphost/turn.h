/* SPDX-License-Identifier: MIT
 *
 * turn.h - one generation of a model, in which the tools stay as they are.
 *
 * A turn pins the catalog that its dialog or view has when the turn begins.  Any
 * number of turns go on at once, also of one dialog: one that begins later sees what
 * has changed meanwhile, the others do not.  mcphost_dialog_begin_turn() is the short
 * way for a dialog that has one turn at a time.
 */
#ifndef MCPHOST_TURN_H
#define MCPHOST_TURN_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_turn_new - begin a turn of a dialog.
 *
 * MCPHOST_OPT_REMOVED decides what happens to a server of its catalog that is removed
 * or changed before the turn ends.  With MCPHOST_RELOAD_TURN the host also looks at the
 * followed files, from dispatch; an edit that it finds counts from the next turn on.
 * The turn belongs to the dialog's agent (mcphost_dialog_set_agent()), if it has one.
 * It outlives the dialog.  *ret_turn gets a reference.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED (the host or the dialog),
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_turn_new(mcphost_dialog *dialog,
                                 MCPHOST_OWNED mcphost_turn **ret_turn);

/*
 * mcphost_turn_new_view - begin a turn of a view.
 *
 * It is a turn of all dialogs of the view, and pins what the view shows.  `agent` is the
 * agent that it belongs to, UTF-8, not empty; NULL: none.
 *
 * Returns as mcphost_turn_new().  Since: 0.1
 */
MCPHOST_API int mcphost_turn_new_view(mcphost_view *view,
                                      MCPHOST_NULLABLE const char *agent,
                                      MCPHOST_OWNED mcphost_turn **ret_turn);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_turn *
mcphost_turn_ref(MCPHOST_NULLABLE mcphost_turn *turn);

/* Drops a reference; the last one ends the turn.  Returns NULL; NULL is allowed.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_turn *
mcphost_turn_unref(MCPHOST_NULLABLE mcphost_turn *turn);

/*
 * mcphost_turn_end - end the turn.
 *
 * Servers that only this turn kept are stopped, when their calls are done.  Its catalog
 * can still be read.  Idempotent.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_turn_end(mcphost_turn *turn);

/* The catalog that the turn pins.  *ret_catalog gets a reference.  Returns 0,
 * MCPHOST_E_INVALID.  Since: 0.1 */
MCPHOST_API int mcphost_turn_get_catalog(mcphost_turn *turn,
                                         MCPHOST_OWNED mcphost_catalog **ret_catalog);

/*
 * mcphost_invalidate_agent, mcphost_invalidate_view - have the next turn read anew.
 *
 * The turns of the agent, or of the view and its dialogs, that go on become stale:
 * they keep their catalogs until they end.  The host reads the followed files again,
 * those of the view or all, whatever MCPHOST_OPT_RELOAD says, from dispatch.  An edit
 * that it finds counts for turns that begin after it is applied (mcphost_wait_ready()).
 * mcphost_dialog_begin_turn() replaces a turn that is stale.  An agent that has no turn
 * is no error.
 *
 * Return 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_invalidate_agent(mcphost *host, const char *agent);
MCPHOST_API int mcphost_invalidate_view(mcphost_view *view);

/* Whether the turn was invalidated after it began: 1 or 0.  Since: 0.1 */
MCPHOST_API int mcphost_turn_is_stale(mcphost_turn *turn);

#ifdef __cplusplus
}
#endif
#endif
