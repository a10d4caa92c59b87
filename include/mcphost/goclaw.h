/* SPDX-License-Identifier: MIT
 *
 * goclaw.h - workspaces of goclaw: servers and skills as plain files, which an agent may
 * change by tools.
 *
 *     <workspace>/.goclaw/mcp.json                  the servers
 *     <workspace>/skills/<role>/<skill>/SKILL.md    the skills
 *
 * mcphost-goclaw(7) describes the files and the tools.  This header is not part of
 * <mcphost/mcphost.h>.
 */
#ifndef MCPHOST_GOCLAW_H
#define MCPHOST_GOCLAW_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_goclaw_load - read the servers of a workspace as a configuration.
 *
 * `file` NULL: .goclaw/mcp.json of `workspace`.  A relative `file` starts at `workspace`.
 * A file that is missing or empty has no servers.  `transports` are MCPHOST_ALLOW_*,
 * or'ed: a server with another transport is invalid.  *ret_config gets a reference for
 * the caller.  Any thread; blocks for the file.
 *
 * Returns 0, also when the file is bad (see mcphost_config_get_status());
 * MCPHOST_E_INVALID for a bad argument; MCPHOST_E_IO when the current directory cannot be
 * told; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_load(const char *workspace, MCPHOST_NULLABLE const char *file,
                    unsigned transports, MCPHOST_OWNED mcphost_config **ret_config,
                    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_goclaw_follow - have a source follow the servers of a workspace.
 *
 * `file` NULL: .goclaw/mcp.json of `workspace`.  A relative `file` starts at `workspace`.
 * A file that is missing or empty has no servers.  Unless MCPHOST_OPT_TRANSPORTS was set
 * for the source or the host, servers may use HTTP+SSE, too.
 *
 * Returns as mcphost_source_follow_workspace().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_follow(mcphost_source *source, const char *workspace,
                      MCPHOST_NULLABLE const char *file,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_goclaw_builtins_new - the tools by which an agent keeps servers and skills.
 *
 * A block of built-in tools of the owner "goclaw" for mcphost_view_set_builtins(), with
 * two toolsets: mcp_admin (mcp_list, mcp_put_server, mcp_delete_server, mcp_set_enabled,
 * runtime_reload) and skills_admin (skills_list, skills_get, skills_put, skills_delete,
 * skills_set_enabled).  Grants decide which dialogs have the tools.  The tools read and
 * write files below `workspace`, from dispatch, and follow no symbolic link there.  A
 * write ends with mcphost_invalidate_agent() for the agent of the call's dialog, or for
 * "default".
 *
 * `skills_dir` (NULL: "skills") is relative to `workspace` and stays below it.  Unless
 * `show_secrets` is not 0, mcp_list hides the values of `env` and `headers`, and userinfo
 * and query of URLs.  *ret_builtins gets a reference.
 *
 * Returns 0, MCPHOST_E_INVALID (an argument), MCPHOST_E_IO when the current directory
 * cannot be told, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_builtins_new(const char *workspace,
                            MCPHOST_NULLABLE const char *skills_dir, int show_secrets,
                            MCPHOST_OWNED mcphost_builtins **ret_builtins,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif

#endif
