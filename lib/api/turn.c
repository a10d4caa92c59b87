/* SPDX-License-Identifier: MIT
 *
 * turn.c - the public functions of <mcphost/turn.h>, and mcphost_call_new_in_turn().
 */
#include <string.h>

#include "api/getter.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/turn.h"
#include "host/view.h"

static bool
is_agent(const char *agent)
{
    return agent && *agent && mcph_utf8_is_text(agent);
}

int
mcphost_turn_new(mcphost_dialog *dialog, mcphost_turn **ret_turn)
{
    if (!dialog || !ret_turn)
        return MCPHOST_E_INVALID;
    return mcph_turn_new(dialog->view, dialog, NULL, ret_turn);
}

int
mcphost_turn_new_view(mcphost_view *view, const char *agent, mcphost_turn **ret_turn)
{
    if (!view || !ret_turn || (agent && !is_agent(agent)))
        return MCPHOST_E_INVALID;
    return mcph_turn_new(view, NULL, agent, ret_turn);
}

mcphost_turn *
mcphost_turn_ref(mcphost_turn *turn)
{
    if (turn)
        mcph_refs_get(&turn->refs);
    return turn;
}

mcphost_turn *
mcphost_turn_unref(mcphost_turn *turn)
{
    mcph_turn_put(turn);
    return NULL;
}

int
mcphost_turn_end(mcphost_turn *turn)
{
    return turn ? mcph_turn_end(turn) : MCPHOST_E_INVALID;
}

int
mcphost_turn_get_catalog(mcphost_turn *turn, mcphost_catalog **ret_catalog)
{
    if (!turn || !ret_catalog)
        return MCPHOST_E_INVALID;
    *ret_catalog = mcph_catalog_ref(turn->catalog);
    return 0;
}

MCPH_GETTER(int, mcphost_turn_is_stale, mcphost_turn *, mcph_turn_is_stale(self))

int
mcphost_call_new_in_turn(mcphost_dialog *dialog, mcphost_turn *turn, const char *tool,
                         const char *arguments, size_t len, mcphost_call **ret_call,
                         mcphost_error **reterr)
{
    mcphost_tool *found;

    if (!dialog || !turn || !tool || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (turn->dialog ? turn->dialog != dialog : turn->view != dialog->view)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the turn belongs to another dialog");
    found = mcph_catalog_find(turn->catalog, tool, strlen(tool));
    if (!found)
        return mcph_err(reterr, MCPHOST_E_NOTFOUND,
                        "there is no tool '%.64s' in this turn", tool);
    return mcphost_call_new_tool(dialog, found, arguments, len, ret_call, reterr);
}

int
mcphost_invalidate_agent(mcphost *host, const char *agent)
{
    return host && is_agent(agent) ? mcph_turns_invalidate(host, NULL, agent)
                                   : MCPHOST_E_INVALID;
}

int
mcphost_invalidate_view(mcphost_view *view)
{
    return view ? mcph_turns_invalidate(view->host, view, NULL) : MCPHOST_E_INVALID;
}
