/* SPDX-License-Identifier: MIT
 *
 * grant.h - what one reader of a host is given: PROPOSAL, nothing is declared yet.
 *
 * A grant is a list of names; a view with a grant shows and calls what they stand
 * for in the default view's present catalog, and nothing else.
 *
 *   mcphost_grant *                          reference-counted, frozen by its first use
 *   mcphost_grant_new(&grant)                an empty one gives nothing
 *   mcphost_grant_add_toolset(grant, text)   "name", "*", "!name", "!*"
 *   mcphost_grant_add_tool(grant, text)      "name", "!name"
 *   mcphost_grant_ref, mcphost_grant_unref
 *       0, MCPHOST_E_INVALID (not UTF-8, blank), MCPHOST_E_LIMIT, MCPHOST_E_STATE
 *       (frozen), MCPHOST_E_NOMEM.
 *
 *   mcphost_view_new(host, name, grant, &view, &err)
 *       A view of its own; `name` stands in messages ("member 'ann': ...").  Any time.
 *       MCPHOST_E_EXISTS when an open view has the name.
 *   mcphost_view_set_grant(view, grant, &err)
 *       From the next catalog on; a catalog already taken stays as it is, but a call
 *       is checked against the view's present grant when it starts:
 *       MCPHOST_E_DENIED, in the same words whether the tool exists or not.
 *   mcphost_view_ref, mcphost_view_unref
 *       Today's borrowed mcphost_default_view() stays borrowed.
 *   mcphost_view_get_catalog(view, &catalog)
 *       As now.  A view with a grant resolves lazily: when its base has another
 *       version than the last time.  Its versions only grow, and only when what it
 *       shows differs.
 *   mcphost_view_count_missing(view), mcphost_view_get_missing(view, i, &name,
 *       &is_tool, &lack)
 *       What is granted by name and gives nothing, with MCPHOST_LACK_UNKNOWN, _DOWN,
 *       _DISABLED, _INVALID, _CONFIG or _NOT_ASSIGNABLE; also as warnings in the
 *       problem store, kind "team_workspace_config_error", id
 *       "team/member/<name>/toolset/<toolset>", cleared when it is there.
 *
 *   mcphost_set_toolset_flags(host, toolset, flags)
 *       MCPHOST_TOOLSET_NOT_ASSIGNABLE: by no grant.  MCPHOST_TOOLSET_NOT_BY_STAR: by
 *       name only (a good default for mcp_admin).  Before mcphost_load().
 *
 *   mcphost_use_team(host, file, &err)
 *       Watches and reads team.yaml as the configuration is (NULL: the workspace's).
 *   mcphost_team_get_view(host, member, &view)
 *       The member's view, made on demand; of nobody in the team: MCPHOST_E_NOTFOUND.
 *       A rejected team.yaml leaves all grants as they were; a member whose entry is
 *       invalid, or gone, is given nothing from then on.
 */
#ifndef MCPHOST_GRANT_H
#define MCPHOST_GRANT_H

#include <mcphost/types.h>

#endif
