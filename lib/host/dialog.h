/* SPDX-License-Identifier: MIT
 *
 * dialog.h - dialogs, the objects that a dialog holds, and lists that only one dialog
 * sees.
 */
#ifndef MCPH_HOST_DIALOG_H
#define MCPH_HOST_DIALOG_H

#include "catalog/catalog.h"
#include "host/view.h"
#include "loop/loop.h"
#include "result/result.h"
#include "workspace/workspace.h"

#include <mcphost/mcphost.h>

struct mcphost_turn;

/* ---- dialogs (dialog.c) ------------------------------------------------------------ */

struct mcphost_dialog {
    struct mcph_refs users; /* references of the application; when the last is dropped,
                             * the dialog is closed */
    struct mcph_refs refs;  /* references of the library; all of `users` count as one */
    mcphost *host;          /* a reference to the host's memory */
    mcphost_view *view;
    char *id, *root_id;
    void *_Atomic user_data;
    atomic_int run_state;     /* MCPHOST_RUN_*; set under the lock */
    char *stop_reason;        /* JSON, while the dialog is stopped; guarded by the lock */
    atomic_bool closed;       /* set under the lock */
    mcphost_catalog *catalog; /* the dialog's own catalog; NULL if the dialog uses the
                               * view's catalog; guarded by the lock */
    struct mcph_sight sight;  /* the part of the dialog's catalog that the view's grant
                               * gives; guarded by the lock */
    /* The turn of mcphost_dialog_begin_turn(), a reference, or NULL.  Guarded by the
     * lock. */
    mcphost_turn *turn;
    struct mcph_list turns;               /* linked by mcphost_turn.owner_link;
                                           * guarded by the lock */
    struct mcph_artifacts *artifacts;     /* the store of the dialog's artifacts, or
                                           * NULL; guarded by the lock */
    struct mcph_scope *scope;             /* the dialog's own scope; does not change */
    struct mcph_scope *agent, *workspace; /* set at most once, under the lock; or NULL */
    bool leased; /* the dialog has asked for a lease, so `agent` and `workspace` no longer
                  * change; guarded by the lock */
    struct mcph_job close_job;

    /* The members below are used by the dispatcher only. */
    char *rejection;           /* id of the problem about a model provider that
                                * rejected a request, or NULL */
    struct mcph_list leases;   /* linked by mcphost_lease.holder_link */
    struct mcph_list own;      /* the dialog's own lists (own.c), by struct own.link */
    struct mcph_list own_link; /* in host->own while `own` is not empty */
};

int mcph_dialog_open(mcphost_view *view, const char *id, const char *root_id,
                     mcphost_dialog **ret, mcphost_error **reterr);
/* Finds a tool in the catalog that mcph_dialog_look() gets.  *ret gets a reference, or
 * NULL if the catalog has no tool of this name.  Returns 0, MCPHOST_E_CLOSED (the host or
 * the dialog is closed), or another error of mcph_dialog_look(). */
int mcph_dialog_find_tool(mcphost_dialog *dialog, const char *name, size_t len,
                          mcphost_tool **ret);
int mcph_dialog_close(mcphost_dialog *dialog);
/* Gets the catalog of the turn in dialog->turn or, if dialog->turn is NULL, the catalog
 * that the dialog sees now.  Returns the codes of mcph_view_look(). */
int mcph_dialog_look(mcphost_dialog *dialog, mcphost_catalog **ret);
/* mcph_dialog_look_open() gets the catalog that mcph_dialog_look() gets, but fails if the
 * dialog is closed.  mcph_dialog_find_server() gets the block of the server with this id
 * or key in that catalog.  *ret gets a reference.  Both functions return 0,
 * MCPHOST_E_CLOSED (the host or the dialog is closed), MCPHOST_E_FORKED or
 * MCPHOST_E_NOMEM.  mcph_dialog_find_server() also returns MCPHOST_E_NOTFOUND, if the
 * catalog does not have the server. */
int mcph_dialog_look_open(mcphost_dialog *dialog, mcphost_catalog **ret,
                          mcphost_error **reterr);
int mcph_dialog_find_server(mcphost_dialog *dialog, const char *server,
                            struct mcph_block **ret, mcphost_error **reterr);
/* Finds the entry of a block's server in the catalog that mcph_dialog_look() gets.
 * *ret_catalog gets a reference.  *ret lives as long as this catalog.  Returns 0,
 * MCPHOST_E_DENIED (the view does not show the server, or shows only single tools of it),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED or MCPHOST_E_NOMEM. */
int mcph_dialog_find_entry(mcphost_dialog *dialog, const struct mcph_block *block,
                           mcphost_catalog **ret_catalog, const mcphost_server **ret,
                           mcphost_error **reterr);
/* mcph_dialog_set_key() sets the key of the dialog's agent or workspace, and
 * mcph_dialog_get_key() returns it.  `kind` is MCPHOST_SCOPE_AGENT or
 * MCPHOST_SCOPE_WORKSPACE. */
int mcph_dialog_set_key(mcphost_dialog *dialog, int kind, const char *key);
const char *mcph_dialog_get_key(mcphost_dialog *dialog, int kind);
void mcph_dialog_get(mcphost_dialog *dialog);
void mcph_dialog_put(mcphost_dialog *dialog);

/* ---- reports about a dialog's model provider (provider.c), any thread -------------- */

int mcph_dialog_rejected(mcphost_dialog *dialog, const char *provider, const char *text,
                         size_t len);
int mcph_dialog_goes_on(mcphost_dialog *dialog);
/* Gets the reason why the dialog is stopped, as JSON.  *ret_json gets a copy.  Returns
 * MCPHOST_E_NOTFOUND if the dialog is not stopped. */
int mcph_dialog_stop_reason(mcphost_dialog *dialog, char **ret_json);
/* Resolves the problem about a model provider that rejected a request of the dialog.
 * Only the dispatcher may call this. */
void mcph_dialog_forget_rejection(mcphost_dialog *dialog);

/* ---- items of a conversation (items.c) --------------------------------------------- */

/* Sets the directory and the quota of the dialog's artifacts.  If `dir` is NULL, the
 * dialog stores no artifacts. */
int mcph_dialog_set_artifacts(mcphost_dialog *dialog, const char *dir, uint64_t quota,
                              mcphost_error **reterr);
/* Makes the items of a call for the conversation.  The call must have a result. */
int mcph_call_items(mcphost_call *call, mcphost_items **ret, mcphost_error **reterr);

/* ---- lists of a dialog's own clients (own.c) --------------------------------------- */

/* Shows a new list of the seat's client to the dialogs that hold leases on the seat.
 * made->kind is the kind of the list. */
void mcph_own_listed(struct mcph_server *server, struct mcph_seat *seat,
                     const struct mcph_made *made);
/* Shows the dialog of a new lease the lists that the other holders of the seat see. */
void mcph_own_join(struct mcph_server *server, mcphost_lease *lease);
/* Drops the dialog's own lists of this server, because the lease or its client ends.  The
 * dialog sees the view's lists again. */
void mcph_own_drop(struct mcph_server *server, mcphost_lease *lease);
/* These functions return a block of the server with a list of this kind.
 * mcph_own_block() returns the block that the dialog sees in place of the view's block.
 * mcph_own_block_of() returns the block that all holders of the seat see.  NULL means the
 * view's block. */
struct mcph_block *mcph_own_block(const mcphost_dialog *dialog,
                                  const struct mcph_server *server, int kind);
struct mcph_block *mcph_own_block_of(const struct mcph_seat *seat,
                                     const struct mcph_server *server, int kind);
/* Makes the dialogs' own blocks again after the filters or names of the server
 * changed. */
void mcph_own_refresh(struct mcph_server *server);
/* Makes the dialogs' own catalogs again after a new catalog of the default view or of a
 * layered view was published. */
void mcph_own_republish(mcphost *host);
void mcph_own_done(mcphost *host);

#endif
