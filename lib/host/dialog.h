/* SPDX-License-Identifier: MIT
 *
 * dialog.h - dialogs, what they hold, and what their clients list.
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
    struct mcph_refs users; /* the application's: the last one closes */
    struct mcph_refs refs;  /* ours, and all of those as one */
    mcphost *host;          /* its memory */
    mcphost_view *view;
    char *id, *root_id;
    void *_Atomic user_data;
    atomic_int run_state;     /* MCPHOST_RUN_*, set under the lock */
    char *stop_reason;        /* while it is stopped, JSON; likewise */
    atomic_bool closed;       /* set under the lock */
    mcphost_catalog *catalog; /* its own, or NULL: the view's; under the lock */
    struct mcph_sight sight;  /* of its own, as the view's grant shows it; likewise */
    mcphost_turn
        *turn; /* of mcphost_dialog_begin_turn(), or NULL; likewise, a reference */
    struct mcph_list turns;               /* mcphost_turn.owner_link; likewise */
    struct mcph_artifacts *artifacts;     /* where they are kept, or NULL; likewise */
    struct mcph_scope *scope;             /* its own; does not change */
    struct mcph_scope *agent, *workspace; /* or NULL; set once, under the lock */
    bool leased; /* it has had a lease, so the two above do not change; likewise */
    struct mcph_job close_job;

    /* the dispatcher's */
    char *rejection;           /* the problem that tells of one, or NULL */
    struct mcph_list leases;   /* mcphost_lease.holder_link */
    struct mcph_list own;      /* see own.c */
    struct mcph_list own_link; /* in the host's list of dialogs with such */
};

int mcph_dialog_open(mcphost_view *view, const char *id, const char *root_id,
                     mcphost_dialog **ret, mcphost_error **reterr);
/* A tool of the dialog's present catalog; the caller's reference, NULL: none. */
int mcph_dialog_find_tool(mcphost_dialog *dialog, const char *name, size_t len,
                          mcphost_tool **ret);
int mcph_dialog_close(mcphost_dialog *dialog);
/* The catalog of the dialog's own turn, or what it sees now.  As mcph_view_look(). */
int mcph_dialog_look(mcphost_dialog *dialog, mcphost_catalog **ret);
/* The same of a dialog that is not closed, and the block of a server in it by the name
 * that the application has for it; references.  MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOTFOUND, MCPHOST_E_NOMEM. */
int mcph_dialog_look_open(mcphost_dialog *dialog, mcphost_catalog **ret,
                          mcphost_error **reterr);
int mcph_dialog_find_server(mcphost_dialog *dialog, const char *server,
                            struct mcph_block **ret, mcphost_error **reterr);
/* What the dialog's view shows now of the server of a block, which it must show whole;
 * the catalog that has it is the caller's.  0, MCPHOST_E_DENIED, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_dialog_find_entry(mcphost_dialog *dialog, const struct mcph_block *block,
                           mcphost_catalog **ret_catalog, const mcphost_server **ret,
                           mcphost_error **reterr);
/* `kind`: MCPHOST_SCOPE_AGENT or _WORKSPACE. */
int mcph_dialog_set_key(mcphost_dialog *dialog, int kind, const char *key);
const char *mcph_dialog_get_key(mcphost_dialog *dialog, int kind);
void mcph_dialog_get(mcphost_dialog *dialog);
void mcph_dialog_put(mcphost_dialog *dialog);

/* ---- what a dialog's provider said (provider.c); any thread ------------------------ */

int mcph_dialog_rejected(mcphost_dialog *dialog, const char *provider, const char *text,
                         size_t len);
int mcph_dialog_goes_on(mcphost_dialog *dialog);
/* A copy; MCPHOST_E_NOTFOUND: it is not stopped. */
int mcph_dialog_stop_reason(mcphost_dialog *dialog, char **ret_json);
/* It is closed, and nobody will say that it goes on; from dispatch. */
void mcph_dialog_forget_rejection(mcphost_dialog *dialog);

/* ---- items of a conversation (items.c) --------------------------------------------- */

/* `dir` NULL: nowhere. */
int mcph_dialog_set_artifacts(mcphost_dialog *dialog, const char *dir, uint64_t quota,
                              mcphost_error **reterr);
/* Of a call that has a result. */
int mcph_call_items(mcphost_call *call, mcphost_items **ret, mcphost_error **reterr);

/* ---- what a dialog's own clients list (own.c) -------------------------------------- */

/* The client of a seat listed its tools. */
void mcph_own_listed(struct mcph_server *server, struct mcph_seat *seat,
                     const struct mcph_made *made);
/* The lease is new: its dialog sees what the other holders of the seat see. */
void mcph_own_join(struct mcph_server *server, mcphost_lease *lease);
/* The client is gone: the dialog sees what the view shows of this server. */
void mcph_own_drop(struct mcph_server *server, mcphost_lease *lease);
/* What the dialog sees of this server instead of the view's block, or NULL. */
struct mcph_block *mcph_own_block(const mcphost_dialog *dialog,
                                  const struct mcph_server *server, int kind);
struct mcph_block *mcph_own_block_of(const struct mcph_seat *seat,
                                     const struct mcph_server *server, int kind);
/* Filters or names have changed: what the dialogs' clients list is seen through them. */
void mcph_own_refresh(struct mcph_server *server);
/* The view has changed: so do the catalogs made from it. */
void mcph_own_republish(mcphost *host);
void mcph_own_done(mcphost *host);

#endif
