/* SPDX-License-Identifier: MIT
 *
 * goclaw.h - workspaces of goclaw: servers and skills in plain files that an agent may
 * change with tools.
 *
 *     WORKSPACE/.goclaw/mcp.json                  the servers
 *     WORKSPACE/skills/ROLE/SKILL/SKILL.md        the skills
 *     WORKDIR/.goclaw/mcp.json                    the servers of one sub-agent
 *     WORKDIR/.goclaw/skills/SKILL/SKILL.md       the skills of one sub-agent
 *
 * mcphost-goclaw(7) describes the files and the tools.  Any thread may call these
 * functions.  Functions that read files block until the files are read.
 * <mcphost/mcphost.h> does not include this header.
 */
#ifndef MCPHOST_GOCLAW_H
#define MCPHOST_GOCLAW_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of the functions below.  Each function says which flags it takes.  Since: 0.1 */
enum mcphost_goclaw_flag {
    /* mcp_list shows the values of variables and headers, and whole URLs */
    MCPHOST_GOCLAW_SHOW_SECRETS = 1,
    MCPHOST_GOCLAW_ANY_VERSION = 2, /* a file of a version above 1 is read as version 1 */
    MCPHOST_GOCLAW_CONFINED = 4,    /* a sub-agent's file must be below the workspace */
    MCPHOST_GOCLAW_WITH_DISABLED = 8 /* disabled skills are listed, too */
};

/*
 * mcphost_goclaw_load - read the servers of a workspace as a configuration.
 *
 * If `file` is NULL, .goclaw/mcp.json of `workspace` is read.  A relative `file` is
 * resolved against `workspace`.  A file that is missing or empty has no servers.  `flags`
 * is 0 or MCPHOST_GOCLAW_ANY_VERSION.  Without the flag a file of a version above 1 is
 * rejected.  `transports` are MCPHOST_ALLOW_*, or'ed.  A server with another transport is
 * invalid.
 *
 * The function returns 0 also if the file is bad.  mcphost_config_get_status() and the
 * diagnostics report the fault.
 *
 * Errors: MCPHOST_E_INVALID (`workspace` or `file` is empty, `flags` has a bit that the
 *   function does not take, or `transports` is 0 or has an unknown bit), MCPHOST_E_IO
 *   (the current directory cannot be determined), MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED
 *   (the library was built without the profiles of other programs).
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
 * `file` and `flags` are as in mcphost_goclaw_load().  An error in the file is a problem
 * of the source.
 *
 * Three policies of the source have special defaults.  HTTP+SSE is allowed, too
 * (MCPHOST_OPT_TRANSPORTS).  A start, and the reading of a list, may take 10 seconds
 * (MCPHOST_OPT_START_TIMEOUT, MCPHOST_OPT_LIST_TIMEOUT).  A policy keeps its value if
 * it is set for the source, or if its value for the host is not the default.
 *
 * mcphost_source_set_server_enabled() edits the file only if `file` is NULL.  Otherwise
 * it returns MCPHOST_E_STATE.
 *
 * Errors: MCPHOST_E_INVALID (`workspace` or `file` is empty, or `flags` has a bit that
 *   the function does not take), MCPHOST_E_UNSUPPORTED (the library was built without the
 *   profiles of other programs), those of mcphost_source_follow_workspace().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_follow(mcphost_source *source, const char *workspace,
                      MCPHOST_NULLABLE const char *file, uint64_t flags,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_goclaw_load_subagent - give a source the servers of a sub-agent, once.
 *
 * The source gets the servers of exactly one file:
 *
 *     - `file`, if it is not NULL
 *     - otherwise .goclaw/mcp.json of `workdir`, if that is a regular file
 *     - otherwise .goclaw/mcp.json of `workspace`
 *
 * If the chosen file is missing, there are no servers.  A relative `file` is resolved
 * against `workspace`.  Relative paths in the file of `workdir` are resolved against
 * `workdir`, and relative paths in any other file against `workspace`.
 *
 * The function reads the file before it returns.  The file is never read again.  Edits of
 * the file, mcphost_source_reload(), mcphost_invalidate_agent() and
 * mcphost_invalidate_view() change nothing.  A bad file is a problem of the source.  A
 * source with a bad file has no servers.  mcphost_source_remove() ends the servers.
 *
 * `flags` may have MCPHOST_GOCLAW_ANY_VERSION and MCPHOST_GOCLAW_CONFINED.  With
 * MCPHOST_GOCLAW_CONFINED, `file` must lie below `workspace` (the paths are compared as
 * texts).  The function then follows no symbolic link below `workspace` or `workdir` on
 * the way to the file.  The policies have the defaults that mcphost_goclaw_follow() gives
 * them.
 *
 * Errors: MCPHOST_E_INVALID (`workspace`, `workdir` or `file` is empty, or `flags` has a
 *   bit that the function does not take), MCPHOST_E_DENIED (MCPHOST_GOCLAW_CONFINED
 *   forbids the file; the source does not change), MCPHOST_E_STATE (the source is
 *   loaded, or was removed), MCPHOST_E_IO (the current directory cannot be determined),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (the
 *   library was built without the profiles of other programs).
 * Since: 0.1
 */
MCPHOST_API int
mcphost_goclaw_load_subagent(mcphost_source *source, const char *workspace,
                             MCPHOST_NULLABLE const char *workdir,
                             MCPHOST_NULLABLE const char *file, uint64_t flags,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_goclaw_make_skills_json - list the skills of an agent as JSON.
 *
 * The text is an object {"role":...,"base_dir":...,"skills":[...]}.  `skills` are the
 * skills in the directory base_dir, in the order of their names, each with the members
 * that the tool skills_list gives.
 *
 * If `workdir` is NULL, the agent is no sub-agent.  base_dir is .goclaw/skills of
 * `workdir`, if that directory exists.  Otherwise base_dir is `skills_dir`/`role` below
 * `workspace`.  `skills_dir` NULL means "skills".  `role` NULL means "main".  If base_dir
 * is missing, there are no skills.  `flags` is 0 or MCPHOST_GOCLAW_WITH_DISABLED.
 * Without the flag, disabled skills are left out.  Symbolic links below `workspace` and
 * `workdir` are not followed.
 *
 * The caller frees *ret_json with mcphost_free().  The function needs no host.
 *
 * Errors: MCPHOST_E_INVALID (`workspace`, `workdir` or `role` is empty, `skills_dir` is
 *   not below the workspace, `role` is not a valid name, or `flags` has a bit that the
 *   function does not take), MCPHOST_E_NOTFOUND (the workspace does not exist),
 *   MCPHOST_E_DENIED (a part of the path of the directory of the skills is a symbolic
 *   link), MCPHOST_E_LIMIT (the directory of the skills has more than 10,000 names, or
 *   the process has too many open files), MCPHOST_E_IO (the directory of the skills
 *   cannot be read, or the current directory cannot be determined), MCPHOST_E_NOMEM,
 *   MCPHOST_E_UNSUPPORTED (the library was built without the profiles of other programs).
 * Since: 0.1
 */
MCPHOST_API int mcphost_goclaw_make_skills_json(
    const char *workspace, MCPHOST_NULLABLE const char *workdir,
    MCPHOST_NULLABLE const char *skills_dir, MCPHOST_NULLABLE const char *role,
    uint64_t flags, MCPHOST_OWNED char **ret_json, MCPHOST_NULLABLE size_t *ret_len,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_goclaw_builtins_new - make the tools with which an agent manages its servers
 * and skills.
 *
 * The result is a block of built-in tools of the owner "goclaw", for
 * mcphost_view_set_builtins().  It has two toolsets: mcp_admin (mcp_list, mcp_put_server,
 * mcp_delete_server, mcp_set_enabled, runtime_reload) and skills_admin (skills_list,
 * skills_get, skills_put, skills_delete, skills_set_enabled).  Grants decide which
 * dialogs have the tools.
 *
 * The tools read and write files below `workspace`, in mcphost_dispatch().  The tools
 * follow no symbolic link below `workspace`.  A tool that changes files and succeeds
 * calls mcphost_invalidate_agent() at its end, for the agent of the call's dialog, or for
 * "default" if the dialog has no agent.  The tool runtime_reload calls this function,
 * too, but for the agent that its argument agent_id names, if the call has this argument.
 *
 * `skills_dir` is relative to `workspace` and below it.  NULL means "skills".  `flags`
 * may have MCPHOST_GOCLAW_SHOW_SECRETS and MCPHOST_GOCLAW_ANY_VERSION.  Without the first
 * flag, mcp_list hides the values of variables and headers, and the userinfo and the
 * query of URLs.  Without the second flag, the tools do not change a file of a version
 * above 1.
 *
 * Errors: MCPHOST_E_INVALID (`workspace` is empty, `skills_dir` is not below the
 *   workspace, or `flags` has a bit that the function does not take), MCPHOST_E_IO (the
 *   current directory cannot be determined), MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (the
 *   library was built without the profiles of other programs).
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
