/* SPDX-License-Identifier: MIT
 *
 * dialog.c - open, look up and close dialogs.
 *
 * The map of open dialogs borrows its dialogs.  A dialog is removed from the map when the
 * dialog is closed.  A job then ends the dialog's calls and leases.  The job holds a
 * reference to the dialog.
 */
#include <stdlib.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/leasing.h"
#include "host/subscription.h"
#include "host/turn.h"
#include "host/view.h"

static void run_close(struct mcph_job *job);

void
mcph_dialog_get(mcphost_dialog *dialog)
{
    mcph_refs_get(&dialog->refs);
}

void
mcph_dialog_put(mcphost_dialog *dialog)
{
    mcphost *host;

    if (!dialog || !mcph_refs_put(&dialog->refs))
        return;
    host = dialog->host;
    if (mcph_core_forked(host->core))
        return; /* in a forked child, leave the dialog unfreed */
    mcph_sight_done(&dialog->sight);
    mcph_view_put(dialog->view);
    mcph_artifacts_unref(dialog->artifacts);
    mcph_scope_unref(dialog->scope);
    mcph_scope_unref(dialog->agent);
    mcph_scope_unref(dialog->workspace);
    free(dialog->id);
    free(dialog->root_id);
    free(dialog->rejection);
    free(dialog->stop_reason);
    free(dialog);
    mcph_host_put_mem(host);
}

static mcphost_dialog *
make_dialog(mcphost_view *view, const char *id, const char *root_id)
{
    mcphost_dialog *dialog = calloc(1, sizeof(*dialog));

    if (!dialog)
        return NULL;
    mcph_refs_init(&dialog->users);
    mcph_refs_init(&dialog->refs);
    dialog->host = view->host;
    dialog->view = view;
    mcph_view_get(view);
    dialog->close_job.run = run_close;
    mcph_list_init(&dialog->close_job.link);
    mcph_list_init(&dialog->leases);
    mcph_list_init(&dialog->own);
    mcph_list_init(&dialog->own_link);
    mcph_list_init(&dialog->turns);
    mcph_host_get_mem(view->host);
    dialog->id = mcph_strdup(id);
    dialog->root_id = mcph_strdup(root_id ? root_id : id);
    dialog->scope = mcph_scope_new(MCPHOST_SCOPE_DIALOG, id);
    if (dialog->id && dialog->root_id && dialog->scope)
        return dialog;
    mcph_dialog_put(dialog);
    return NULL;
}

int
mcph_dialog_open(mcphost_view *view, const char *id, const char *root_id,
                 mcphost_dialog **ret, mcphost_error **reterr)
{
    mcphost *host = view->host;
    mcphost_dialog *dialog = make_dialog(view, id, root_id);
    int r;

    if (!dialog)
        return mcph_err_nomem(reterr);
    r = mcph_host_enter(host);
    if (r < 0) {
        mcph_err(reterr, r, "%s", mcphost_strerror(r));
        goto refuse;
    }
    if (mcph_map_get(&host->dialogs, id, strlen(id)))
        r = mcph_err(reterr, MCPHOST_E_EXISTS, "a dialog '%s' is open already", id);
    else if (mcph_map_put(&host->dialogs, dialog->id, strlen(id), dialog, NULL) < 0)
        r = mcph_err_nomem(reterr);
    mcph_core_leave(host->core);
    if (r < 0)
        goto refuse;
    *ret = dialog;
    return 0;

refuse:
    mcph_dialog_put(dialog);
    return r;
}

int
mcph_dialog_find_tool(mcphost_dialog *dialog, const char *name, size_t len,
                      mcphost_tool **ret)
{
    mcphost_catalog *catalog = NULL;
    int r = mcph_host_enter(dialog->host);

    if (r < 0)
        return r;
    if (dialog->closed)
        r = MCPHOST_E_CLOSED;
    else if (dialog->turn)
        catalog = dialog->turn->catalog;
    else if (!dialog->view->grant)
        catalog = dialog->catalog ? dialog->catalog : dialog->view->stack->catalog;
    if (catalog)
        *ret = mcph_tool_ref(mcph_catalog_find(catalog, name, len));
    mcph_core_leave(dialog->host->core);
    if (r < 0 || catalog)
        return r;
    /* Look without the lock, because the catalog of a view with a grant may have to be
     * made first. */
    r = mcph_view_look(dialog->view, dialog, &catalog);
    if (r < 0)
        return r;
    *ret = mcph_tool_ref(mcph_catalog_find(catalog, name, len));
    mcph_catalog_unref(catalog);
    return 0;
}

int
mcph_dialog_look(mcphost_dialog *dialog, mcphost_catalog **ret)
{
    mcphost_catalog *pinned = NULL;
    int r = mcph_host_enter(dialog->host);

    if (r < 0)
        return r;
    if (dialog->turn)
        pinned = mcph_catalog_ref(dialog->turn->catalog);
    mcph_core_leave(dialog->host->core);
    if (!pinned)
        return mcph_view_look(dialog->view, dialog, ret);
    *ret = pinned;
    return 0;
}

int
mcph_dialog_look_open(mcphost_dialog *dialog, mcphost_catalog **ret,
                      mcphost_error **reterr)
{
    int r = mcph_host_enter(dialog->host);

    if (r == 0) {
        r = dialog->closed ? MCPHOST_E_CLOSED : 0;
        mcph_core_leave(dialog->host->core);
    }
    if (r == 0)
        r = mcph_dialog_look(dialog, ret);
    return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r)) : 0;
}

int
mcph_dialog_find_server(mcphost_dialog *dialog, const char *server,
                        struct mcph_block **ret, mcphost_error **reterr)
{
    mcphost_catalog *catalog;
    mcphost_server *entry;
    int r = mcph_dialog_look_open(dialog, &catalog, reterr);

    if (r < 0)
        return r;
    entry = mcph_catalog_server(catalog, server);
    if (entry)
        *ret = mcph_block_ref(entry->block);
    else
        r = mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no server '%.64s'", server);
    mcph_catalog_unref(catalog);
    return r;
}

int
mcph_dialog_find_entry(mcphost_dialog *dialog, const struct mcph_block *block,
                       mcphost_catalog **ret_catalog, const mcphost_server **ret,
                       mcphost_error **reterr)
{
    int r = mcph_dialog_look(dialog, ret_catalog);

    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    *ret = mcph_catalog_entry(*ret_catalog, block);
    if (*ret && !(*ret)->partial)
        return 0;
    r = mcph_err(reterr, MCPHOST_E_DENIED,
                 *ret ? "the view of '%s' shows only single tools of server '%s'"
                      : "the view of '%s' does not show server '%s'",
                 dialog->id, block->id);
    mcph_catalog_unref(*ret_catalog);
    return r;
}

/* ---- agent and workspace ----------------------------------------------------------- */

static struct mcph_scope **
key_of(mcphost_dialog *dialog, int kind)
{
    return kind == MCPHOST_SCOPE_AGENT ? &dialog->agent : &dialog->workspace;
}

int
mcph_dialog_set_key(mcphost_dialog *dialog, int kind, const char *key)
{
    struct mcph_scope *scope, **place = key_of(dialog, kind);
    int r;

    if (!mcph_utf8_is_text(key) || !*key)
        return MCPHOST_E_INVALID;
    scope = mcph_scope_new(kind, key);
    if (!scope)
        return MCPHOST_E_NOMEM;
    r = mcph_host_enter(dialog->host);
    if (r == 0) {
        if (dialog->closed)
            r = MCPHOST_E_CLOSED;
        else if (dialog->leased || *place)
            r = MCPHOST_E_STATE;
        else
            *place = scope;
        mcph_core_leave(dialog->host->core);
    }
    if (r < 0)
        mcph_scope_unref(scope);
    return r;
}

const char *
mcph_dialog_get_key(mcphost_dialog *dialog, int kind)
{
    const struct mcph_scope *scope;

    if (mcph_core_enter_closed(dialog->host->core) < 0)
        return NULL;
    scope = *key_of(dialog, kind);
    mcph_core_leave(dialog->host->core);
    return scope ? scope->key : NULL;
}

/* ---- the end ----------------------------------------------------------------------- */

/* Ends the calls, subscriptions and leases of a closed dialog.  Runs on the
 * dispatcher. */
static void
run_close(struct mcph_job *job)
{
    mcphost_dialog *dialog = MCPH_CONTAINER_OF(job, mcphost_dialog, close_job);
    mcphost *host = dialog->host;
    struct mcph_list calls;

    mcph_list_init(&calls);
    mcph_list_for_each_safe (item, &host->calls) {
        if (MCPH_LIST_ENTRY(item, mcphost_call, link)->dialog == dialog) {
            mcph_list_remove(item);
            mcph_list_append(&calls, item);
        }
    }
    mcph_calls_cancel(&calls, "the dialog was closed");
    mcph_dialog_forget_rejection(dialog);
    mcph_subscriptions_drop(host, dialog);
    mcph_list_for_each_safe (item, &dialog->leases) {
        mcph_leasing_end(MCPH_LIST_ENTRY(item, mcphost_lease, holder_link), true);
    }
    mcph_dialog_put(dialog);
}

int
mcph_dialog_close(mcphost_dialog *dialog)
{
    mcphost *host = dialog->host;
    mcphost_turn *turn = NULL;
    bool post;
    int r = mcph_core_enter_closed(host->core);

    if (r < 0)
        return r;
    post = !dialog->closed;
    if (post) {
        dialog->closed = true;
        mcph_map_remove(&host->dialogs, dialog->id, strlen(dialog->id));
        turn = dialog->turn;
        dialog->turn = NULL;
    }
    if (post && !host->ended) {
        mcph_dialog_get(dialog);
        mcph_core_post_locked(host->core, &dialog->close_job);
    }
    mcph_core_leave(host->core);
    mcph_turn_put(turn);
    return 0;
}
