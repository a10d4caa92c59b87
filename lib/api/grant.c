/* SPDX-License-Identifier: MIT
 *
 * grant.c - the public functions for grants, for views that have a grant, and for the
 * team.
 */
#include <stdlib.h>
#include <string.h>

#include "api/getter.h"
#include "host/host.h"
#include "host/team.h"
#include "host/view.h"
#include "profile/profile.h"

static bool
good_text(const char *text)
{
    return mcph_utf8_is_text(text) && !mcph_text_blank(text);
}

/* ---- grants ------------------------------------------------------------------------ */

int
mcphost_grant_new(mcphost_grant **ret_grant)
{
    mcphost_grant *grant;

    if (!ret_grant)
        return MCPHOST_E_INVALID;
    grant = mcph_grant_new();
    if (!grant)
        return MCPHOST_E_NOMEM;
    *ret_grant = grant;
    return 0;
}

mcphost_grant *
mcphost_grant_ref(mcphost_grant *grant)
{
    return mcph_grant_ref(grant);
}

mcphost_grant *
mcphost_grant_unref(mcphost_grant *grant)
{
    return mcph_grant_unref(grant);
}

int
mcphost_grant_add_toolset(mcphost_grant *grant, const char *text)
{
    if (!grant || !good_text(text))
        return MCPHOST_E_INVALID;
    return mcph_grant_add(grant, MCPH_GRANT_TOOLSETS, text, 0, 0);
}

int
mcphost_grant_add_tool(mcphost_grant *grant, const char *text)
{
    if (!grant || !good_text(text))
        return MCPHOST_E_INVALID;
    return mcph_grant_add(grant, MCPH_GRANT_TOOLS, text, 0, 0);
}

/* ---- granted, but missing in the catalog ------------------------------------------- */

MCPH_GETTER(size_t, mcphost_catalog_count_missing, const mcphost_catalog *,
            self->n_missing)

const char *
mcphost_catalog_get_missing(const mcphost_catalog *catalog, size_t index,
                            int *ret_is_tool, int *ret_lack)
{
    const struct mcph_missing *missing;

    if (!catalog || index >= catalog->n_missing)
        return NULL;
    missing = &catalog->missing[index];
    if (ret_is_tool)
        *ret_is_tool = missing->list == MCPH_GRANT_TOOLS;
    if (ret_lack)
        *ret_lack = (int)missing->lack;
    return missing->item->text;
}

/* ---- views ------------------------------------------------------------------------- */

int
mcphost_view_new(mcphost *host, const char *name, mcphost_grant *grant,
                 mcphost_view **ret_view, mcphost_error **reterr)
{
    if (!host || !grant || !ret_view)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (!good_text(name))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the view's name is blank or not UTF-8");
    return mcph_view_new(host, name, grant, false, ret_view, reterr);
}

mcphost_view *
mcphost_view_ref(mcphost_view *view)
{
    if (view)
        mcph_view_get(view);
    return view;
}

mcphost_view *
mcphost_view_unref(mcphost_view *view)
{
    mcph_view_put(view);
    return NULL;
}

int
mcphost_view_set_grant(mcphost_view *view, mcphost_grant *grant)
{
    if (!view || !grant)
        return MCPHOST_E_INVALID;
    return view->of_team ? MCPHOST_E_STATE : mcph_view_set_grant(view, grant);
}

int
mcphost_set_toolset_flags(mcphost *host, const char *toolset, uint64_t flags)
{
    const uint64_t known = MCPHOST_TOOLSET_NOT_ASSIGNABLE | MCPHOST_TOOLSET_NOT_BY_STAR;

    if (!host || !good_text(toolset) || (flags & ~known))
        return MCPHOST_E_INVALID;
    return mcph_view_set_flags(
        host, toolset,
        (flags & MCPHOST_TOOLSET_NOT_ASSIGNABLE ? MCPH_TOOLSET_NEVER_GIVEN : 0) |
            (flags & MCPHOST_TOOLSET_NOT_BY_STAR ? MCPH_TOOLSET_NOT_BY_STAR : 0));
}

/* ---- the team ---------------------------------------------------------------------- */

static int
find_workspace(mcphost *host, char **ret)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    if (!host->source->reader || !host->source->reader->workspace) {
        r = MCPHOST_E_STATE;
    } else {
        *ret = mcph_strdup(host->source->reader->workspace);
        r = *ret ? 0 : MCPHOST_E_NOMEM;
    }
    mcph_core_leave(host->core);
    return r;
}

int
mcphost_use_team(mcphost *host, const char *file, mcphost_error **reterr)
{
    struct mcph_team_source *source = NULL;
    char *workspace = NULL;
    int r = 0;

    if (!host || (file && !*file))
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    if (!file)
        r = find_workspace(host, &workspace);
    if (r < 0)
        return mcph_err(reterr, r, "%s",
                        r == MCPHOST_E_STATE ? "the host does not follow a workspace"
                                             : mcphost_strerror(r));
    r = mcph_team_source_new(file, workspace, &source, reterr);
    free(workspace);
    if (r < 0)
        return r;
    r = mcph_team_begin(host, source);
    if (r < 0) {
        source->free(source);
        mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    return r;
}

int
mcphost_get_team_view(mcphost *host, const char *member, mcphost_view **ret_view)
{
    if (!host || !member || !ret_view)
        return MCPHOST_E_INVALID;
    return mcph_team_get_view(host, member, ret_view);
}
