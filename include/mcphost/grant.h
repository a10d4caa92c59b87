/* SPDX-License-Identifier: MIT
 *
 * grant.h - grants: which tools of a host a dialog may see and call.
 *
 * A grant is a list of names of toolsets and tools.  mcphost_view_new() makes a view that
 * has a grant (view.h).  The names refer to toolsets and tools in the present catalog of
 * the default view.  The view with the grant shows only these tools, and its dialogs can
 * call no other tools.
 *
 * A team file gives each member of a team a grant and a view.
 *
 * A grant needs no host.  One thread builds the grant.  The first use freezes it.  After
 * that, any number of views and threads may use it.
 */
#ifndef MCPHOST_GRANT_H
#define MCPHOST_GRANT_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_grant_new - make an empty grant.
 *
 * An empty grant gives no toolset and no tool.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_grant_new(MCPHOST_OWNED mcphost_grant **ret_grant);

/* Takes a reference to `grant`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_grant *
mcphost_grant_ref(MCPHOST_NULLABLE mcphost_grant *grant);

/* Drops a reference to `grant`.  Dropping the last reference frees the grant.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_grant *
mcphost_grant_unref(MCPHOST_NULLABLE mcphost_grant *grant);

/*
 * mcphost_grant_add_toolset - give or exclude toolsets.
 *
 *   "name"   gives this toolset.
 *   "*"      gives all toolsets, in their order, except mcp_admin and toolsets with a
 *            flag MCPHOST_TOOLSET_*.
 *   "!name"  excludes this toolset, even if "name" or "*" precedes or follows it.
 *   "!*"     excludes all toolsets.
 *
 * A lone "!" is ignored.  A tool that mcphost_grant_add_tool() gives is given even if its
 * toolset is excluded.
 *
 * Errors: MCPHOST_E_INVALID (the text is blank or not UTF-8), MCPHOST_E_LIMIT (the list
 *   holds 1024 names), MCPHOST_E_STATE (a view has used the grant), MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_grant_add_toolset(mcphost_grant *grant, const char *text);

/*
 * mcphost_grant_add_tool - give or exclude a single tool.
 *
 *   "name"   gives this tool.  It comes after the tools of the toolsets.
 *   "!name"  excludes this tool, even if its toolset is given.
 *
 * A lone "!" is ignored.
 *
 * Errors: those of mcphost_grant_add_toolset().
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_grant_add_tool(mcphost_grant *grant, const char *text);

/* Flags of a toolset: restrictions on how grants may give the toolset.  Since: 0.1 */
enum mcphost_toolset_flag {
    MCPHOST_TOOLSET_NOT_ASSIGNABLE = 1, /* no grant gives the toolset or its tools */
    MCPHOST_TOOLSET_NOT_BY_STAR = 2     /* only its name gives the toolset, not "*" */
};

/*
 * mcphost_set_toolset_flags - set how grants may give a toolset.
 *
 * `flags` is a combination of MCPHOST_TOOLSET_*.  The function replaces the flags that
 * the toolset has.  The toolset need not exist yet.  While MCPHOST_OPT_ADMIN_TOOLS is
 * set, "*" does not give mcp_admin, whatever the flags of mcp_admin are.  Call this
 * function before the host loads its first source, before the first view is made, and
 * before mcphost_use_team().
 *
 * Errors: MCPHOST_E_INVALID (the name is blank or not UTF-8, or a flag is unknown),
 *   MCPHOST_E_STATE (the application has loaded the host, made a view or called
 *   mcphost_use_team()), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_toolset_flags(mcphost *host, const char *toolset,
                                          uint64_t flags);

/*
 * mcphost_use_team - follow a team file.
 *
 * For each member of the team, the lists members.ID.toolsets and members.ID.tools of the
 * file are a grant.  If `file` is NULL, the team file is .minds/team.yaml of the
 * workspace that mcphost_load_workspace() got.  That file may be missing.
 *
 * The thread that dispatches reads, watches and reloads the file by the policies of the
 * default source.  If the file is rejected as a whole, all grants stay as they are.  If
 * the entry of a member is invalid or missing, the member's grant gives nothing.  Errors
 * in the file become problems.
 *
 * Call this function once for a host, after its options are set.
 *
 * Errors: MCPHOST_E_INVALID (the file's name is empty), MCPHOST_E_STATE (the host follows
 *   a team file already, or `file` is NULL and the host follows no workspace),
 *   MCPHOST_E_IO (the current directory cannot be determined), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_use_team(mcphost *host, MCPHOST_NULLABLE const char *file,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_get_team_view - get the view of a member of the team.
 *
 * The member keeps this view across edits of the file, as long as a reference to the view
 * is held.  If mcphost_use_team() was called before mcphost_wait_ready(), the file has
 * been read when mcphost_wait_ready() returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the team has no member of this id, or
 *   the host has not read the team file yet), MCPHOST_E_EXISTS (the application has an
 *   open view of this name), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_team_view(mcphost *host, const char *member,
                                      MCPHOST_OWNED mcphost_view **ret_view);

#ifdef __cplusplus
}
#endif
#endif
