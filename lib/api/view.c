/* SPDX-License-Identifier: MIT
 *
 * view.c - the public functions of <mcphost/view.h>, <mcphost/dialog.h> and
 * <mcphost/lease.h>.  Views with a grant are in grant.c.  The artifact directory of a
 * dialog is in items.c.  Reports about a dialog's model provider are in retry.c.
 */
#include <string.h>

#include "api/getter.h"
#include "host/builtin.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/leasing.h"
#include "host/turn.h"
#include "host/view.h"

/* ---- views ------------------------------------------------------------------------- */

MCPH_GETTER(mcphost_view *, mcphost_default_view, mcphost *, &self->view)

int
mcphost_view_new_layered(mcphost *host, const char *name, mcphost_view **ret_view,
                         mcphost_error **reterr)
{
    if (!host || !name || !ret_view)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (!*name || !mcph_utf8_is_text(name))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the view's name is empty or not UTF-8");
    return mcph_view_new(host, name, NULL, false, ret_view, reterr);
}

int
mcphost_view_add_source(mcphost_view *view, mcphost_source *source,
                        const char *const *servers, size_t n_servers)
{
    if (!view || !source)
        return MCPHOST_E_INVALID;
    for (size_t i = 0; servers && i < n_servers; i++)
        if (!servers[i])
            return MCPHOST_E_INVALID;
    return mcph_view_add_source(view, source, servers, n_servers);
}

int
mcphost_view_remove_source(mcphost_view *view, mcphost_source *source)
{
    return view && source ? mcph_view_remove_source(view, source) : MCPHOST_E_INVALID;
}

int
mcphost_view_show_builtins(mcphost_view *view, int on)
{
    return view ? mcph_view_show_builtins(view, on != 0) : MCPHOST_E_INVALID;
}

static int
check_layered(const mcphost_view *view, mcphost_error **reterr)
{
    if (!view)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_view_is_layered(view)
               ? 0
               : mcph_err(reterr, MCPHOST_E_INVALID,
                          "the view only has a grant on the default view; use "
                          "mcphost_view_new_layered()");
}

int
mcphost_view_get_catalog(mcphost_view *view, mcphost_catalog **ret_catalog)
{
    if (!view || !ret_catalog)
        return MCPHOST_E_INVALID;
    return mcph_view_look(view, NULL, ret_catalog);
}

/* ---- built-ins --------------------------------------------------------------------- */

int
mcphost_view_set_builtins(mcphost_view *view, mcphost_builtins *builtins,
                          mcphost_error **reterr)
{
    int r = check_layered(view, reterr);

    if (r == 0 && !builtins)
        r = mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return r < 0 ? r : mcph_shown_set(view->stack, builtins, reterr);
}

int
mcphost_view_remove_builtins(mcphost_view *view, const char *owner)
{
    /* Refuse the empty owner, because the tools of mcphost_view_add_builtin() have this
     * owner.  mcphost_view_remove_builtin() removes these tools one by one. */
    if (check_layered(view, NULL) < 0 || !owner || !*owner)
        return MCPHOST_E_INVALID;
    return mcph_shown_remove(view->stack, owner, NULL);
}

int
mcphost_view_add_builtin(mcphost_view *view, const char *toolset, const char *name,
                         const char *description, const char *input_schema,
                         mcphost_builtin_fn fn, void *arg, mcphost_free_fn free_arg,
                         mcphost_error **reterr)
{
    const struct mcph_builtin how = {.fn = fn, .arg = arg, .free_arg = free_arg};
    const struct mcph_builtin_draft draft = {
        .name = name, .description = description, .schema = input_schema};
    struct mcph_builtin *tool = NULL;
    int r = check_layered(view, reterr);

    if (r == 0 && (!toolset || !name || !input_schema || !fn))
        r = mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (r == 0 && !mcph_utf8_is_text(toolset))
        r = mcph_err(reterr, MCPHOST_E_INVALID,
                     "the name of the toolset is not valid UTF-8");
    if (r == 0 && description && !mcph_utf8_is_text(description))
        r = mcph_err(reterr, MCPHOST_E_INVALID,
                     "the description of tool '%.64s' is not valid UTF-8", name);
    if (r < 0) {
        if (free_arg)
            free_arg(arg);
        return r;
    }
    r = mcph_builtin_new_draft(&draft, &how, &tool, reterr);
    if (r == 0)
        r = mcph_shown_add_tool(view->stack, toolset, tool, reterr);
    mcph_builtin_unref(tool);
    return r;
}

int
mcphost_view_add_resource_tools(mcphost_view *view, unsigned which,
                                mcphost_error **reterr)
{
    const unsigned all = MCPHOST_RESOURCE_TOOL_LIST | MCPHOST_RESOURCE_TOOL_FETCH |
                         MCPHOST_RESOURCE_TOOL_LIST_SKILLS |
                         MCPHOST_RESOURCE_TOOL_READ_SKILL;
    int r = check_layered(view, reterr);

    if (r == 0 && (which == 0 || (which & ~all)))
        r = mcph_err(reterr, MCPHOST_E_INVALID,
                     "one of the tools does not exist, or none is given");
    return r < 0 ? r : mcph_resources_offer(view->stack, which, reterr);
}

int
mcphost_view_remove_builtin(mcphost_view *view, const char *name)
{
    if (check_layered(view, NULL) < 0 || !name)
        return MCPHOST_E_INVALID;
    return mcph_shown_remove_tool(view->stack, name, NULL);
}

int
mcphost_view_set_toolset_description(mcphost_view *view, const char *toolset,
                                     const char *description, mcphost_error **reterr)
{
    int r = check_layered(view, reterr);

    if (r < 0)
        return r;
    if (!toolset)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (description && !mcph_utf8_is_text(description))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the description is not UTF-8");
    return mcph_shown_describe(view->stack, toolset,
                               description && *description ? description : NULL, reterr);
}

/* ---- dialogs ----------------------------------------------------------------------- */

int
mcphost_dialog_new(mcphost_view *view, const char *id, const char *root_id,
                   mcphost_dialog **ret_dialog, mcphost_error **reterr)
{
    if (!view || !id || !*id || !ret_dialog)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    if (!mcph_utf8_is_text(id) || (root_id && !mcph_utf8_is_text(root_id)))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the dialog's id is not UTF-8");
    return mcph_dialog_open(view, id, root_id, ret_dialog, reterr);
}

mcphost_dialog *
mcphost_dialog_ref(mcphost_dialog *dialog)
{
    if (dialog)
        mcph_refs_get(&dialog->users);
    return dialog;
}

mcphost_dialog *
mcphost_dialog_unref(mcphost_dialog *dialog)
{
    if (dialog && mcph_refs_put(&dialog->users)) {
        mcph_dialog_close(dialog);
        mcph_dialog_put(dialog);
    }
    return NULL;
}

int
mcphost_dialog_close(mcphost_dialog *dialog)
{
    return dialog ? mcph_dialog_close(dialog) : MCPHOST_E_INVALID;
}

MCPH_GETTER(const char *, mcphost_dialog_get_id, const mcphost_dialog *, self->id)
MCPH_GETTER(const char *, mcphost_dialog_get_root_id, const mcphost_dialog *,
            self->root_id)

int
mcphost_dialog_set_agent(mcphost_dialog *dialog, const char *agent)
{
    return dialog ? mcph_dialog_set_key(dialog, MCPHOST_SCOPE_AGENT, agent)
                  : MCPHOST_E_INVALID;
}

int
mcphost_dialog_set_workspace(mcphost_dialog *dialog, const char *workspace)
{
    return dialog ? mcph_dialog_set_key(dialog, MCPHOST_SCOPE_WORKSPACE, workspace)
                  : MCPHOST_E_INVALID;
}

MCPH_GETTER(const char *, mcphost_dialog_get_agent, mcphost_dialog *,
            mcph_dialog_get_key(self, MCPHOST_SCOPE_AGENT))
MCPH_GETTER(const char *, mcphost_dialog_get_workspace, mcphost_dialog *,
            mcph_dialog_get_key(self, MCPHOST_SCOPE_WORKSPACE))

int
mcphost_dialog_get_catalog(mcphost_dialog *dialog, mcphost_catalog **ret_catalog)
{
    if (!dialog || !ret_catalog)
        return MCPHOST_E_INVALID;
    return mcph_dialog_look(dialog, ret_catalog);
}

int
mcphost_dialog_begin_turn(mcphost_dialog *dialog)
{
    return dialog ? mcph_dialog_begin_turn(dialog) : MCPHOST_E_INVALID;
}

int
mcphost_dialog_end_turn(mcphost_dialog *dialog)
{
    return dialog ? mcph_dialog_end_turn(dialog) : MCPHOST_E_INVALID;
}

void
mcphost_dialog_set_user_data(mcphost_dialog *dialog, void *data)
{
    if (dialog)
        atomic_store(&dialog->user_data, data);
}

MCPH_GETTER(void *, mcphost_dialog_get_user_data, const mcphost_dialog *,
            atomic_load(&self->user_data))

/* ---- leases ------------------------------------------------------------------------ */

int
mcphost_dialog_get_lease(mcphost_dialog *dialog, const char *server_id,
                         mcphost_lease **ret_lease)
{
    if (!dialog || !server_id || !ret_lease)
        return MCPHOST_E_INVALID;
    return mcph_leasing_get(dialog, server_id, ret_lease);
}

mcphost_lease *
mcphost_lease_ref(mcphost_lease *lease)
{
    if (lease)
        mcph_refs_get(&lease->refs);
    return lease;
}

mcphost_lease *
mcphost_lease_unref(mcphost_lease *lease)
{
    mcph_lease_put(lease);
    return NULL;
}

int
mcphost_lease_release(mcphost_lease *lease)
{
    return lease ? mcph_leasing_release(lease) : MCPHOST_E_INVALID;
}

MCPH_GETTER(const char *, mcphost_lease_get_source_id, const mcphost_lease *,
            self->source)
MCPH_GETTER(const char *, mcphost_lease_get_server_id, const mcphost_lease *,
            self->server)
MCPH_GETTER(const char *, mcphost_lease_get_dialog_id, const mcphost_lease *,
            self->dialog)

int
mcphost_lease_get_scope(const mcphost_lease *lease)
{
    return lease ? mcph_scope_kind(lease->scope) : -1;
}

const char *
mcphost_lease_get_scope_key(const mcphost_lease *lease)
{
    return lease && lease->scope ? lease->scope->key : NULL;
}
