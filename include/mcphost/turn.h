/* SPDX-License-Identifier: MIT
 *
 * turn.h - dialog turns: one generation of a model, in which the tools stay as they are.
 *
 * A turn pins the catalog that its dialog or view has when the turn begins.  Any number
 * of turns may be under way at once, also of one dialog.  A turn that begins later sees
 * the changes that were published in the meantime.  The earlier turns do not see these
 * changes.
 *
 * A dialog that has one turn at a time may use mcphost_dialog_begin_turn() instead.
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
 * The turn belongs to the dialog's agent (mcphost_dialog_set_agent()), if the dialog has
 * an agent.  The turn may outlive the dialog.
 *
 * MCPHOST_OPT_REMOVED decides what happens to a server of the turn's catalog that is
 * removed or changed before the turn ends.  If MCPHOST_OPT_RELOAD is MCPHOST_RELOAD_TURN,
 * mcphost_dispatch() checks the followed files when a turn begins.  An edit that this
 * check finds is visible from the next turn on.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_turn_new(mcphost_dialog *dialog,
                                 MCPHOST_OWNED mcphost_turn **ret_turn);

/*
 * mcphost_turn_new_view - begin a turn of a view.
 *
 * The turn belongs to all dialogs of the view, and pins the catalog of the view.  `agent`
 * is the agent that the turn belongs to, or NULL.  In all other respects the turn is like
 * a turn of mcphost_turn_new().
 *
 * Errors: MCPHOST_E_INVALID (the agent is empty or not UTF-8), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_turn_new_view(mcphost_view *view,
                                      MCPHOST_NULLABLE const char *agent,
                                      MCPHOST_OWNED mcphost_turn **ret_turn);

/* Takes a reference to `turn`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_turn *
mcphost_turn_ref(MCPHOST_NULLABLE mcphost_turn *turn);

/* Drops a reference to `turn`.  Dropping the last reference ends the turn.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_turn *
mcphost_turn_unref(MCPHOST_NULLABLE mcphost_turn *turn);

/*
 * mcphost_turn_end - end the turn.
 *
 * Servers that only this turn kept are stopped when their calls are done.  The turn's
 * catalog can still be read.  Ending a turn again has no effect.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_turn_end(mcphost_turn *turn);

/*
 * mcphost_turn_get_catalog - get the catalog that the turn pins.
 *
 * The function works in a forked child, too.
 *
 * Errors: MCPHOST_E_INVALID.
 * Since: 0.1
 */
MCPHOST_API int mcphost_turn_get_catalog(mcphost_turn *turn,
                                         MCPHOST_OWNED mcphost_catalog **ret_catalog);

/*
 * mcphost_invalidate_agent - have the files read for the next turn of an agent.
 *
 * The turns of the agent that are under way become stale: mcphost_turn_is_stale() returns
 * 1 for these turns.  Stale turns keep their catalogs until they end.
 * mcphost_dialog_begin_turn() replaces a stale turn.
 *
 * Dispatch reads the followed files of all sources and the team file again, regardless of
 * MCPHOST_OPT_RELOAD.  A turn that begins after an edit was applied sees the edit.
 * mcphost_wait_ready() waits until the edits are applied.
 *
 * The agent need not have a turn.
 *
 * Errors: MCPHOST_E_INVALID (the agent is empty or not UTF-8), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_invalidate_agent(mcphost *host, const char *agent);

/*
 * mcphost_invalidate_view - have the files of a view read for the next turn.
 *
 * The turns of the view and of its dialogs that are under way become stale, as in
 * mcphost_invalidate_agent().  Dispatch reads the followed files of the view's sources,
 * and the team file.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_invalidate_view(mcphost_view *view);

/* Returns 1 if the turn is stale, or 0 if the turn is not stale or if the process is a
 * forked child.  Since: 0.1 */
MCPHOST_API int mcphost_turn_is_stale(mcphost_turn *turn);

#ifdef __cplusplus
}
#endif
#endif
