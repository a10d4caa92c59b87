/* SPDX-License-Identifier: MIT
 *
 * dialog.h - dialogs: conversations that see the tools of a view, call them, and hold
 * leases on clients.  A client is one connection to a server, with the server's process
 * if there is one (lease.h).
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
 * `id` is a name that the application chooses, unique among the host's open dialogs.
 * `root_id` names the conversation that the dialog belongs to.  If `root_id` is NULL, the
 * dialog is a conversation of its own.
 *
 * Errors: MCPHOST_E_INVALID (an id is not UTF-8, or `id` is empty), MCPHOST_E_EXISTS (a
 *   dialog of this id is open), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_new(mcphost_view *view, const char *id,
                                   MCPHOST_NULLABLE const char *root_id,
                                   MCPHOST_OWNED mcphost_dialog **ret_dialog,
                                   MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `dialog`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_dialog *
mcphost_dialog_ref(MCPHOST_NULLABLE mcphost_dialog *dialog);

/* Drops a reference to `dialog`.  Dropping the last reference closes the dialog.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_dialog *
mcphost_dialog_unref(MCPHOST_NULLABLE mcphost_dialog *dialog);

/*
 * mcphost_dialog_close - end the dialog.
 *
 * The turn of mcphost_dialog_begin_turn() ends.  The dialog's calls complete with
 * MCPHOST_E_CANCELLED.  The leases of the dialog are released.  The id of the dialog may
 * be used again.  Closing a dialog again has no effect.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_close(mcphost_dialog *dialog);

/* Returns the dialog's id.  The text lives as long as the dialog.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_dialog_get_id(const mcphost_dialog *dialog);

/* Returns the `root_id` of mcphost_dialog_new(), or the dialog's own id if `root_id` was
 * NULL.  The text lives as long as the dialog.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_dialog_get_root_id(const mcphost_dialog *dialog);

/*
 * mcphost_dialog_set_agent, mcphost_dialog_set_workspace - set the agent, or the
 * workspace, of the dialog.
 *
 * Dialogs with the same agent share the clients of servers whose scope is `agent`.
 * Dialogs with the same workspace share the clients of servers whose scope is
 * `workspace`.  A dialog without an agent, or without a workspace, gets clients of its
 * own from these servers.
 *
 * The application chooses `agent` and `workspace`.  The functions copy these strings.
 * The library only compares them with the strings of other dialogs.  The agent and the
 * workspace may be set once each, before the dialog's first lease.
 *
 * Errors: MCPHOST_E_INVALID (the text is empty or not UTF-8), MCPHOST_E_STATE (an
 *   earlier call of the function has set the value, or the dialog has had a lease),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_set_agent(mcphost_dialog *dialog, const char *agent);
MCPHOST_API int mcphost_dialog_set_workspace(mcphost_dialog *dialog,
                                             const char *workspace);

/* Returns the dialog's agent, or NULL if no agent is set or the process is a forked
 * child.  The text lives as long as the dialog.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_dialog_get_agent(mcphost_dialog *dialog);

/* Returns the dialog's workspace, or NULL if no workspace is set or the process is a
 * forked child.  The text lives as long as the dialog.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_dialog_get_workspace(mcphost_dialog *dialog);

/*
 * mcphost_dialog_get_catalog - get the catalog of the tools that this dialog may call
 * now.
 *
 * The function gives the view's current catalog.  A server may announce, over a client on
 * which the dialog has a lease, that its tools have changed.  The function then gives a
 * copy of the view's catalog with the server's new list, until the lease or the client
 * ends or the list equals the view's list again.  Between mcphost_dialog_begin_turn() and
 * mcphost_dialog_end_turn(), the function gives the catalog from the turn's start.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_get_catalog(mcphost_dialog *dialog,
                                           MCPHOST_OWNED mcphost_catalog **ret_catalog);

/*
 * mcphost_dialog_begin_turn - begin a turn of a dialog that has one turn at a time.
 *
 * In a turn, a model generates one answer.  Until the turn ends,
 * mcphost_dialog_get_catalog() gives the catalog from the turn's start.  Calls are still
 * checked against the present grant.  The turn also ends when the dialog is closed.
 *
 * If a turn is under way and stale (mcphost_invalidate_agent()), the function ends this
 * turn and begins a new turn.  If a turn is under way and not stale, nothing changes.
 * For turns that overlap or nest, use mcphost_turn_new().
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_begin_turn(mcphost_dialog *dialog);

/*
 * mcphost_dialog_end_turn - end the turn that mcphost_dialog_begin_turn() began.
 *
 * If the dialog is not in a turn of that function, nothing changes.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_end_turn(mcphost_dialog *dialog);

/* Keeps a pointer of the application with the dialog.  The library does not use the
 * pointer.  Since: 0.1 */
MCPHOST_API void mcphost_dialog_set_user_data(mcphost_dialog *dialog,
                                              MCPHOST_NULLABLE void *data);

/* Returns the pointer that mcphost_dialog_set_user_data() has set last, or NULL.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE void *
mcphost_dialog_get_user_data(const mcphost_dialog *dialog);

/*
 * mcphost_dialog_set_artifact_dir - set the directory for the dialog's artifacts.
 *
 * `dir` is an absolute path.  The library makes the directory when the first artifact
 * needs it.  The directory above `dir` must exist.  If `dir` is NULL, the default, there
 * is no directory.  Without a directory, the items of an answer leave out data that would
 * become an artifact.  A line in place of the data reports the omission.
 *
 * `quota` limits the bytes of all artifacts in the directory, including artifacts of
 * earlier runs.  The quota 0 means no limit.  MCPHOST_OPT_ARTIFACT_FILES limits the
 * number of artifacts.  The setting applies to items that are made later.
 *
 * Errors: MCPHOST_E_INVALID (the path is not absolute, or longer than 4095 bytes),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_dialog_set_artifact_dir(mcphost_dialog *dialog, MCPHOST_NULLABLE const char *dir,
                                uint64_t quota,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_dialog_get_lease - find the dialog's lease on a server.
 *
 * `server_id` is the id of a server of the default source, "default:SERVER", or
 * "SOURCE:SERVER" for a server of another source.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the dialog has no lease on this server),
 *   MCPHOST_E_CLOSED (the host is closed), MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_get_lease(mcphost_dialog *dialog, const char *server_id,
                                         MCPHOST_OWNED mcphost_lease **ret_lease);

/* ---- dialogs that stop ------------------------------------------------------------- */

/* Run states of a dialog.  Since: 0.1 */
enum mcphost_run_state {
    MCPHOST_RUN_RUNNING = 0, /* nothing has stopped the dialog */
    MCPHOST_RUN_STOPPED = 1  /* a rejection has stopped the dialog */
};

/*
 * mcphost_dialog_report_rejection - report that a provider refused a request of the
 * dialog.
 *
 * The dialog's run state becomes MCPHOST_RUN_STOPPED.  The provider is the service that
 * runs the dialog's model, not a provider of provider.h.  The library raises the problem
 * `llm/provider_rejected/DIALOG`.  The problem names the provider, the dialog, the
 * provider's error text (the first 10000 bytes of `text`) and, if the text reveals the
 * tool, the tool whose schema was refused.  The text may refer to the tool by its name,
 * or by the name that a projection of the dialog's catalog gave it.  It may also give the
 * tool's place in the list of the projection that was made last.
 *
 * Only mcphost_dialog_resume() and mcphost_dialog_report_success() change the state back.
 * No timer, reload or retry changes the state.  Closing the dialog resolves the problem,
 * too.  The library treats a stopped dialog like any other dialog.  The application
 * decides which actions the dialog may not do.
 *
 * Errors: MCPHOST_E_INVALID (`provider` or `text` is not UTF-8), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_report_rejection(mcphost_dialog *dialog,
                                                const char *provider, const char *text,
                                                size_t len);

/*
 * mcphost_dialog_resume - resume a stopped dialog after the decision of a person.
 *
 * The run state becomes MCPHOST_RUN_RUNNING.  The problem of
 * mcphost_dialog_report_rejection() is resolved.  If the dialog runs, nothing changes.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_resume(mcphost_dialog *dialog);

/*
 * mcphost_dialog_report_success - report that a provider answered the dialog.
 *
 * The function works like mcphost_dialog_resume().  It may be called after each answer,
 * because it costs next to nothing while the dialog runs.
 *
 * Errors: those of mcphost_dialog_resume().
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_report_success(mcphost_dialog *dialog);

/* Returns the dialog's run state, MCPHOST_RUN_*.  Since: 0.1 */
MCPHOST_API int mcphost_dialog_get_run_state(const mcphost_dialog *dialog);

/*
 * mcphost_dialog_get_stop_reason - get the reason why a dialog is stopped.
 *
 * *ret_json gets the detail of the problem: a JSON object with `provider`, `dialogId`,
 * `errorText` and, if the tool is known, `tool`.  This detail is available at once.  The
 * thread that dispatches raises the problem later.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the dialog is not stopped),
 *   MCPHOST_E_CLOSED (the host is closed), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dialog_get_stop_reason(mcphost_dialog *dialog,
                                               MCPHOST_OWNED char **ret_json,
                                               MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
