/* SPDX-License-Identifier: MIT
 *
 * dialog.h - one conversation, which calls tools and holds leases on clients.
 */
#ifndef MCPHOST_DIALOG_H
#define MCPHOST_DIALOG_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_dialog_new - open a dialog on a view.
 *
 * `id` is the application's own name for it, unique among the host's open
 * dialogs; `root_id` names the conversation it belongs to (NULL: itself).
 * *ret_dialog gets a reference.
 *
 * Returns 0, MCPHOST_E_INVALID (NULL, empty or not UTF-8), MCPHOST_E_EXISTS,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_new(mcphost_view *view, const char *id,
                                   MCPHOST_NULLABLE const char *root_id,
                                   MCPHOST_OWNED mcphost_dialog **ret_dialog,
                                   MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_dialog *
mcphost_dialog_ref(MCPHOST_NULLABLE mcphost_dialog *dialog);

/* Drops a reference; the last one closes the dialog.  Returns NULL; NULL is
 * allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_dialog *
mcphost_dialog_unref(MCPHOST_NULLABLE mcphost_dialog *dialog);

/*
 * mcphost_dialog_close - end the dialog.
 *
 * Its calls complete with MCPHOST_E_CANCELLED, its leases are released, its id is
 * free again.  Idempotent.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_close(mcphost_dialog *dialog);

/* The id and the root id.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_dialog_get_id(const mcphost_dialog *dialog);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_dialog_get_root_id(const mcphost_dialog *dialog);

/*
 * mcphost_dialog_set_agent, mcphost_dialog_set_workspace - what the dialog belongs to.
 *
 * Dialogs with the same agent share the clients of servers whose scope is `agent`, those
 * with the same workspace share the clients of servers whose scope is `workspace`; the
 * text is the application's own, is copied, and means nothing else to the library.
 * A dialog without one gets clients of its own of these servers.  Each may be set once,
 * before the dialog's first lease.
 *
 * Return 0, MCPHOST_E_INVALID (NULL, empty or not UTF-8), MCPHOST_E_STATE (it is set, or
 * the dialog has had a lease), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_set_agent(mcphost_dialog *dialog, const char *agent);
MCPHOST_API int mcphost_dialog_set_workspace(mcphost_dialog *dialog,
                                             const char *workspace);

/* The same; NULL while none is set.  Live as long as the dialog.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_dialog_get_agent(mcphost_dialog *dialog);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_dialog_get_workspace(mcphost_dialog *dialog);

/*
 * mcphost_dialog_get_catalog - the tools that this dialog may call now.
 *
 * The view's current catalog; if a client of the dialog's own announced that its tools
 * have changed, a copy with that server's new list, until the client ends; during a turn,
 * the catalog from the turn's start.  *ret_catalog gets a reference.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_get_catalog(mcphost_dialog *dialog,
                                           MCPHOST_OWNED mcphost_catalog **ret_catalog);

/*
 * mcphost_dialog_begin_turn, mcphost_dialog_end_turn - one generation of the model.
 *
 * The short way to one turn at a time, see mcphost_turn_new().  From begin to end
 * mcphost_dialog_get_catalog() gives the catalog of the beginning; calls are still
 * checked against the present grant.  Both are idempotent, but to begin when the
 * turn is stale (mcphost_invalidate_agent()) ends it and begins another.  Closing a
 * dialog ends this turn.
 *
 * Return 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM; begin also
 * MCPHOST_E_CLOSED.  Since: 0.1
 */
MCPHOST_API int mcphost_dialog_begin_turn(mcphost_dialog *dialog);
MCPHOST_API int mcphost_dialog_end_turn(mcphost_dialog *dialog);

/* A pointer of the application's, not touched by the library.  Since: 0.1 */
MCPHOST_API void mcphost_dialog_set_user_data(mcphost_dialog *dialog,
                                              MCPHOST_NULLABLE void *data);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE void *
mcphost_dialog_get_user_data(const mcphost_dialog *dialog);

/*
 * mcphost_dialog_set_artifact_dir - where a dialog's artifacts are kept.
 *
 * `dir` is an absolute path (NULL, the default: no directory; what would be an artifact
 * is left out of the answer's items, with a line that says so).  It is made when it is
 * first needed; the directory above it must exist.  `quota` limits the bytes
 * of all artifacts in it, those of earlier runs included; 0: no limit.
 * MCPHOST_OPT_ARTIFACT_FILES limits their number.  Items that are made from now on use
 * it.
 *
 * Returns 0, MCPHOST_E_INVALID (not absolute, too long), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Any thread.  Since: 0.1
 */
MCPHOST_API int
mcphost_dialog_set_artifact_dir(mcphost_dialog *dialog, MCPHOST_NULLABLE const char *dir,
                                uint64_t quota,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_dialog_get_lease - the dialog's lease on a server.
 *
 * `server_id` is "SOURCE:SERVER" for a server of another source than the default one.
 * *ret_lease gets a reference.  Returns 0, MCPHOST_E_NOTFOUND when it has none,
 * MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.  Since: 0.1
 */
MCPHOST_API int mcphost_dialog_get_lease(mcphost_dialog *dialog, const char *server_id,
                                         MCPHOST_OWNED mcphost_lease **ret_lease);

/* ---- dialogs that stop ------------------------------------------------------------- */

/* Run states of a dialog.  Since: 0.1 */
enum mcphost_run_state {
    MCPHOST_RUN_RUNNING = 0,
    MCPHOST_RUN_STOPPED = 1 /* by a rejection, until a person resumes it */
};

/*
 * mcphost_dialog_report_rejection - a provider refused this dialog's request.
 *
 * The dialog's run state becomes STOPPED, and a problem
 * `llm/provider_rejected/DIALOG` is raised with provider, dialog, error text and, as
 * far as the text lets it be known, the tool whose schema was refused: by its name, by
 * the name that a projection of the dialog's catalog gave it, or by its place in the
 * list of the projection that was made last.
 * No timer, reload or retry changes the state again: mcphost_dialog_resume() and
 * mcphost_dialog_report_success() do; closing the dialog resolves the problem.  The
 * library does nothing different for a stopped dialog; the application decides what such
 * a dialog may not do.
 *
 * Returns 0, MCPHOST_E_INVALID (NULL, no UTF-8), MCPHOST_E_CLOSED (the dialog or its
 * host), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Any thread.  Since: 0.1
 */
MCPHOST_API int mcphost_dialog_report_rejection(mcphost_dialog *dialog,
                                                const char *provider, const char *text,
                                                size_t len);

/* A person says that the dialog may go on: it is RUNNING again, and the problem is
 * resolved.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.  Any thread.  Since: 0.1 */
MCPHOST_API int mcphost_dialog_resume(mcphost_dialog *dialog);

/* A provider answered: the same.  Costs next to nothing when there is nothing to
 * resolve.  Since: 0.1 */
MCPHOST_API int mcphost_dialog_report_success(mcphost_dialog *dialog);

/* MCPHOST_RUN_*.  Any thread.  Since: 0.1 */
MCPHOST_API int mcphost_dialog_get_run_state(const mcphost_dialog *dialog);

/*
 * mcphost_dialog_get_stop_reason - why a dialog is STOPPED.
 *
 * At once, while the problem follows from dispatch: the problem's detail, a JSON object
 * with `provider`, `dialogId`, `errorText` and, where it is known, `tool`.
 * *ret_json is the caller's: mcphost_free().
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (it is RUNNING), MCPHOST_E_CLOSED (its
 * host), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Any thread.  Since: 0.1
 */
MCPHOST_API int mcphost_dialog_get_stop_reason(mcphost_dialog *dialog,
                                               MCPHOST_OWNED char **ret_json,
                                               MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
