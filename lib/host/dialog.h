/* SPDX-License-Identifier: MIT
 *
 * dialog.h - dialogs, what they hold, and lists that only one dialog sees.
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
    struct mcph_refs users; /* references of the application; the last one closes the
                             * dialog */
    struct mcph_refs refs;  /* references of the library; all of `users` count as one */
    mcphost *host;          /* a reference to the host's memory */
    mcphost_view *view;
    char *id, *root_id;
    void *_Atomic user_data;
    atomic_int run_state;     /* MCPHOST_RUN_*; set under the lock */
    char *stop_reason;        /* JSON, while the dialog is stopped; guarded by the lock */
    atomic_bool closed;       /* set under the lock */
    mcphost_catalog *catalog; /* its own; NULL: it has the view's; guarded by the lock */
    struct mcph_sight sight;  /* `catalog` under the view's grant; guarded by the lock */
    mcphost_turn
        *turn; /* of mcphost_dialog_begin_turn(), a reference, or NULL; guarded by the
                * lock */
    struct mcph_list turns;               /* mcphost_turn.owner_link; guarded by the
                                           * lock */
    struct mcph_artifacts *artifacts;     /* where its artifacts go, or NULL; guarded
                                           * by the lock */
    struct mcph_scope *scope;             /* the dialog's own scope; does not change */
    struct mcph_scope *agent, *workspace; /* set once, under the lock; NULL: none */
    bool leased; /* it has had a lease, so `agent` and `workspace` no longer change;
                  * guarded by the lock */
    struct mcph_job close_job;

    /* used by the dispatcher only */
    char *rejection;           /* id of the problem about a provider's rejection, or
                                * NULL */
    struct mcph_list leases;   /* mcphost_lease.holder_link */
    struct mcph_list own;      /* struct own.link: its own lists (own.c) */
    struct mcph_list own_link; /* in host->own while `own` is not empty */
};

int mcph_dialog_open(mcphost_view *view, const char *id, const char *root_id,
                     mcphost_dialog **ret, mcphost_error **reterr);
/* Finds a tool of the dialog's present catalog.  *ret gets a reference; NULL: no such
 * tool. */
int mcph_dialog_find_tool(mcphost_dialog *dialog, const char *name, size_t len,
                          mcphost_tool **ret);
int mcph_dialog_close(mcphost_dialog *dialog);
/* The catalog of the turn that mcph_dialog_begin_turn() began; without such a turn, what
 * the dialog sees now.  Returns as mcph_view_look(). */
int mcph_dialog_look(mcphost_dialog *dialog, mcphost_catalog **ret);
/* mcph_dialog_look_open() is as mcph_dialog_look(), but refuses a closed dialog.
 * mcph_dialog_find_server() looks in that catalog for the server with this id or key, and
 * returns its block.  The results are references.  0, MCPHOST_E_CLOSED (also: the dialog
 * is closed), MCPHOST_E_FORKED, MCPHOST_E_NOTFOUND (no such server), MCPHOST_E_NOMEM. */
int mcph_dialog_look_open(mcphost_dialog *dialog, mcphost_catalog **ret,
                          mcphost_error **reterr);
int mcph_dialog_find_server(mcphost_dialog *dialog, const char *server,
                            struct mcph_block **ret, mcphost_error **reterr);
/* The entry of a block's server in the catalog that the dialog sees now.  *ret_catalog
 * gets a reference, and *ret is borrowed from it.  0, MCPHOST_E_DENIED (the view does not
 * show the server, or shows single tools of it only), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM. */
int mcph_dialog_find_entry(mcphost_dialog *dialog, const struct mcph_block *block,
                           mcphost_catalog **ret_catalog, const mcphost_server **ret,
                           mcphost_error **reterr);
/* `kind`: MCPHOST_SCOPE_AGENT or _WORKSPACE. */
int mcph_dialog_set_key(mcphost_dialog *dialog, int kind, const char *key);
const char *mcph_dialog_get_key(mcphost_dialog *dialog, int kind);
void mcph_dialog_get(mcphost_dialog *dialog);
void mcph_dialog_put(mcphost_dialog *dialog);

/* ---- reports about a dialog's model provider (provider.c); any thread -------------- */

int mcph_dialog_rejected(mcphost_dialog *dialog, const char *provider, const char *text,
                         size_t len);
int mcph_dialog_goes_on(mcphost_dialog *dialog);
/* *ret_json gets a copy.  MCPHOST_E_NOTFOUND: the dialog is not stopped. */
int mcph_dialog_stop_reason(mcphost_dialog *dialog, char **ret_json);
/* Resolves the problem about a rejection.  Dispatcher only. */
void mcph_dialog_forget_rejection(mcphost_dialog *dialog);

/* ---- items of a conversation (items.c) --------------------------------------------- */

/* `dir` NULL: artifacts are kept nowhere. */
int mcph_dialog_set_artifacts(mcphost_dialog *dialog, const char *dir, uint64_t quota,
                              mcphost_error **reterr);
/* The call must have a result. */
int mcph_call_items(mcphost_call *call, mcphost_items **ret, mcphost_error **reterr);

/* ---- lists of a dialog's own clients (own.c) --------------------------------------- */

/* The client of a seat has listed its elements of the kind made->kind again. */
void mcph_own_listed(struct mcph_server *server, struct mcph_seat *seat,
                     const struct mcph_made *made);
/* Call this for a new lease: its dialog then sees what the other holders of the seat
 * see. */
void mcph_own_join(struct mcph_server *server, mcphost_lease *lease);
/* The lease or its client ends: the dialog sees the server as the view shows it again. */
void mcph_own_drop(struct mcph_server *server, mcphost_lease *lease);
/* The block of this server that the dialog, or the holders of the seat, see in place of
 * the view's block; NULL: they see the view's. */
struct mcph_block *mcph_own_block(const mcphost_dialog *dialog,
                                  const struct mcph_server *server, int kind);
struct mcph_block *mcph_own_block_of(const struct mcph_seat *seat,
                                     const struct mcph_server *server, int kind);
/* Filters or names of the server have changed: makes the dialogs' own blocks again. */
void mcph_own_refresh(struct mcph_server *server);
/* The default view or a layered view has a new catalog: makes the dialogs' own catalogs
 * again. */
void mcph_own_republish(mcphost *host);
void mcph_own_done(mcphost *host);

#endif
