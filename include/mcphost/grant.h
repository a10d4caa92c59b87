/* SPDX-License-Identifier: MIT
 *
 * grant.h - which tools a dialog may see and call: grants, views that have one, and the
 * team of a workspace.
 *
 * A grant is a list of names; a view with a grant shows and calls what they stand
 * for in the default view's present catalog, and nothing else.
 */
#ifndef MCPHOST_GRANT_H
#define MCPHOST_GRANT_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_grant_new - an empty grant, which gives nothing.
 *
 * It is filled by one thread; its first use freezes it, and from then on it may be
 * used by any number of threads.  *ret_grant gets a reference.  Needs no host.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_grant_new(MCPHOST_OWNED mcphost_grant **ret_grant);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_grant *
mcphost_grant_ref(MCPHOST_NULLABLE mcphost_grant *grant);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_grant *
mcphost_grant_unref(MCPHOST_NULLABLE mcphost_grant *grant);

/*
 * mcphost_grant_add_toolset - add to what is given.
 *
 * "name": that toolset.  "*": all toolsets in their order, without mcp_admin and those
 * with MCPHOST_TOOLSET_NOT_BY_STAR.  "!name": not this toolset, wherever that stands in
 * the list, and even if the toolset is named.  "!*": none.  A lone "!" is ignored.
 *
 * Returns 0, MCPHOST_E_INVALID (blank, not UTF-8), MCPHOST_E_LIMIT (1024 of a kind),
 * MCPHOST_E_STATE (the grant was used), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_grant_add_toolset(mcphost_grant *grant, const char *text);

/*
 * mcphost_grant_add_tool - the same for a single tool.
 *
 * "name": that tool, after those of the toolsets.  "!name": not this one, even if its
 * toolset is given.  Returns as mcphost_grant_add_toolset().
 * Since: 0.1
 */
MCPHOST_API int mcphost_grant_add_tool(mcphost_grant *grant, const char *text);

/* Flags of toolsets.  Since: 0.1 */
enum mcphost_toolset_flag {
    MCPHOST_TOOLSET_NOT_ASSIGNABLE = 1, /* by no grant, also not tool by tool */
    MCPHOST_TOOLSET_NOT_BY_STAR = 2     /* by its name only, not by "*" */
};

/*
 * mcphost_set_toolset_flags - how a toolset, which need not exist yet, may be given.
 *
 * Before mcphost_load(), the first view with a grant, and mcphost_use_team().
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_toolset_flags(mcphost *host, const char *toolset,
                                          uint64_t flags);

/*
 * mcphost_use_team - follow a team file, whose members.ID.toolsets and .tools are
 * grants.
 *
 * `file` NULL: .minds/team.yaml of the workspace that mcphost_load_workspace() was
 * given; it may be missing.  Read from dispatch, watched and reloaded as the
 * configuration of the default source is, by its policies.  A file that is rejected
 * leaves all grants as they were; a member whose entry is invalid or missing is given
 * nothing from then on.  What is wrong becomes problems.  Once for a host, after its
 * options are set.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (called before; NULL without a
 * workspace), MCPHOST_E_IO (the current directory cannot be told), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_use_team(mcphost *host, MCPHOST_NULLABLE const char *file,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_get_team_view - the view of a member of the team.
 *
 * *ret_view gets a reference.  While it is held, the member keeps this view, also across
 * edits of the file.  The file has been read when mcphost_wait_ready() returns, if
 * mcphost_use_team() was called before it.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (no such member),
 * MCPHOST_E_EXISTS (the application has a view of this name), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_team_view(mcphost *host, const char *member,
                                      MCPHOST_OWNED mcphost_view **ret_view);

#ifdef __cplusplus
}
#endif
#endif
