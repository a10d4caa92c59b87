/* SPDX-License-Identifier: MIT
 *
 * mcpservers.h - the JSON file of servers that Claude Desktop, Claude Code, Cursor,
 * llama.cpp and other programs share, with its object `mcpServers`.
 *
 * mcphost-mcpservers(5) describes the file.  This header is not part of
 * <mcphost/mcphost.h>.
 */
#ifndef MCPHOST_MCPSERVERS_H
#define MCPHOST_MCPSERVERS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_mcpservers_load - read such a file, or such a text, as a configuration.
 *
 * If `data` is not NULL, its `len` bytes are parsed and `file` is their name in
 * diagnostics; NULL: "<memory>".  Otherwise `file` is read; if `file` is NULL too,
 * .mcp.json of `workspace`, which may be absent.  Relative paths in the file start at
 * `workspace`; NULL: the current directory.  `transports` are MCPHOST_ALLOW_*, or'ed: a
 * server with another transport is invalid.  *ret_config gets a reference for the caller.
 * Any thread; blocks for the file.
 *
 * Variables such as ${HOME} are replaced when a server is started, not here.
 *
 * Returns 0, also when the content or the file is bad (see
 * mcphost_config_get_status()); MCPHOST_E_INVALID for a bad argument; MCPHOST_E_IO when
 * the current directory cannot be told; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_mcpservers_load(MCPHOST_NULLABLE const char *data, size_t len,
                        MCPHOST_NULLABLE const char *file,
                        MCPHOST_NULLABLE const char *workspace, unsigned transports,
                        MCPHOST_OWNED mcphost_config **ret_config,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_mcpservers_follow - have a source follow such a file.
 *
 * `file` NULL: .mcp.json of `workspace`, which may be absent.  Edits are applied as
 * mcphost_source_follow_workspace() does it.  Unless MCPHOST_OPT_TRANSPORTS was set for
 * the source or the host, servers may use HTTP+SSE, too.  A server is enabled and
 * disabled in the file only: mcphost_source_set_server_enabled() returns MCPHOST_E_STATE.
 *
 * Returns as mcphost_source_follow_workspace().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_mcpservers_follow(mcphost_source *source, const char *workspace,
                          MCPHOST_NULLABLE const char *file,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif

#endif
