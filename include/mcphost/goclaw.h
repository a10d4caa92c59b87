/* SPDX-License-Identifier: MIT
 *
 * goclaw.h - workspaces of goclaw: servers and skills as plain files, which an agent may
 * change by tools.
 *
 *     <workspace>/.goclaw/mcp.json                  the servers
 *     <workspace>/skills/<role>/<skill>/SKILL.md    the skills
 *     <workdir>/.goclaw/mcp.json                    those of a sub-agent alone
 *     <workdir>/.goclaw/skills/<skill>/SKILL.md
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

/* Flags of these functions; each function says which it takes.  Since: 0.1 */
enum mcphost_goclaw_flag {
    MCPHOST_GOCLAW_SHOW_SECRETS = 1, /* mcp_list shows values of variables and headers */
    MCPHOST_GOCLAW_ANY_VERSION = 2,  /* a file of a version above 1 is read as one of 1 */
    MCPHOST_GOCLAW_CONFINED = 4,     /* a sub-agent's file lies below the workspace */
    MCPHOST_GOCLAW_WITH_DISABLED = 8 /* disabled skills are listed, too */
};

/*
 * mcphost_goclaw_load - read the servers of a workspace as a configuration.
 *
 * `file` NULL: .goclaw/mcp.json of `workspace`.  A relative `file` starts at `workspace`.
 * A file that is missing or empty has no servers.  `flags`: 0 or
 * MCPHOST_GOCLAW_ANY_VERSION; without it a file of a version above 1 is rejected.
 * `transports` are MCPHOST_ALLOW_*, or'ed: a server with another transport is invalid.
 * *ret_config gets a reference for the caller.  Any thread; blocks for the file.
 *
 * Returns 0, also when the file is bad (see mcphost_config_get_status());
 * MCPHOST_E_INVALID for a bad argument; MCPHOST_E_IO when the current directory cannot be
 * told; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_load(const char *workspace, MCPHOST_NULLABLE const char *file,
                    uint64_t flags, unsigned transports,
                    MCPHOST_OWNED mcphost_config **ret_config,
                    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_goclaw_follow - have a source follow the servers of a workspace.
 *
 * `file` NULL: .goclaw/mcp.json of `workspace`.  A relative `file` starts at `workspace`.
 * A file that is missing or empty has no servers.  `flags`: 0 or
 * MCPHOST_GOCLAW_ANY_VERSION; without it a file of a version above 1 is rejected.
 *
 * Unless the policy was set for the source or the host, servers may use HTTP+SSE, too
 * (MCPHOST_OPT_TRANSPORTS), and starts and lists have 10 seconds
 * (MCPHOST_OPT_START_TIMEOUT, MCPHOST_OPT_LIST_TIMEOUT).
 *
 * Returns as mcphost_source_follow_workspace(), and MCPHOST_E_INVALID for other flags.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_follow(mcphost_source *source, const char *workspace,
                      MCPHOST_NULLABLE const char *file, uint64_t flags,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_goclaw_load_subagent - give a source the servers of a sub-agent, once.
 *
 * One file counts, as a whole: `file` if it is not NULL, which may be missing and then
 * has no servers; else .goclaw/mcp.json of `workdir` (may be NULL) if it is a regular
 * file; else .goclaw/mcp.json of `workspace`.  A relative `file` starts at `workspace`.
 * Relative paths in the file start at `workdir` if the file is that of `workdir`, else at
 * `workspace`.
 *
 * The file is read before the function returns, on the caller's thread, and never again:
 * edits, mcphost_source_reload(), mcphost_invalidate_agent() and
 * mcphost_invalidate_view() change nothing.  A file that is rejected is a problem of the
 * source, which has no servers then.  mcphost_source_remove() ends the servers.
 *
 * `flags`: MCPHOST_GOCLAW_ANY_VERSION, and MCPHOST_GOCLAW_CONFINED: `file` must lie below
 * `workspace`, as both are written, and no symbolic link below `workspace` or `workdir`
 * is followed to the file.  The policies are those of mcphost_goclaw_follow().
 *
 * Returns 0; MCPHOST_E_INVALID; MCPHOST_E_DENIED (by MCPHOST_GOCLAW_CONFINED; the source
 * stays as it is); MCPHOST_E_STATE (the source is loaded, or was removed); MCPHOST_E_IO
 * (the current directory cannot be told); MCPHOST_E_CLOSED; MCPHOST_E_FORKED;
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_load_subagent(mcphost_source *source, const char *workspace,
                             MCPHOST_NULLABLE const char *workdir,
                             MCPHOST_NULLABLE const char *file, uint64_t flags,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_goclaw_make_skills_json - the skills of an agent, as JSON.
 *
 * {"role":...,"base_dir":...,"skills":[...]}: the skills in the directory base_dir, in
 * the order of their names, each with the members that the tool skills_list gives.
 * base_dir is .goclaw/skills of `workdir` (NULL: not a sub-agent) if that directory
 * exists, else `skills_dir`/`role` of `workspace`.  NULL for these is "skills" and
 * "main".  A missing directory has no skills.  Disabled skills are left out, unless
 * `flags` is MCPHOST_GOCLAW_WITH_DISABLED.  Symbolic links are not followed.
 *
 * *ret_json is NUL-terminated, valid UTF-8 and the caller's: mcphost_free(); *ret_len
 * (may be NULL) is its length.  Any thread; blocks for the files.  Needs no host.
 *
 * Returns 0; MCPHOST_E_INVALID (an argument; a role that is no name); MCPHOST_E_NOTFOUND
 * (there is no such workspace); MCPHOST_E_DENIED (the directory is a symbolic link);
 * MCPHOST_E_LIMIT (it has more than 10,000 names); MCPHOST_E_IO; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_goclaw_make_skills_json(
    const char *workspace, MCPHOST_NULLABLE const char *workdir,
    MCPHOST_NULLABLE const char *skills_dir, MCPHOST_NULLABLE const char *role,
    uint64_t flags, MCPHOST_OWNED char **ret_json, MCPHOST_NULLABLE size_t *ret_len,
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
 * `skills_dir` (NULL: "skills") is relative to `workspace` and stays below it.  `flags`:
 * MCPHOST_GOCLAW_SHOW_SECRETS, without which mcp_list hides the values of variables and
 * headers, and userinfo and query of URLs; MCPHOST_GOCLAW_ANY_VERSION, without which the
 * tools do not change a file of a version above 1.  *ret_builtins gets a reference.
 *
 * Returns 0, MCPHOST_E_INVALID (an argument), MCPHOST_E_IO when the current directory
 * cannot be told, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_builtins_new(const char *workspace,
                            MCPHOST_NULLABLE const char *skills_dir, uint64_t flags,
                            MCPHOST_OWNED mcphost_builtins **ret_builtins,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif

#endif
