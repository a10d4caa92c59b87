/* SPDX-License-Identifier: MIT
 *
 * mcpservers.h - the JSON file of many programs with the object `mcpServers`.
 *
 * Claude Desktop, Claude Code, Cursor, llama.cpp and other programs name their MCP
 * servers in a file of this form.  mcphost-mcpservers(5) describes the form.
 * <mcphost/mcphost.h> does not include this header.
 */
#ifndef MCPHOST_MCPSERVERS_H
#define MCPHOST_MCPSERVERS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_mcpservers_load - read a file with `mcpServers`, or its text, as a
 * configuration.
 *
 * If `data` is not NULL, its `len` bytes are the text.  `file` is then the name that
 * diagnostics show, or NULL for "<memory>".  If `data` is NULL, the function reads
 * `file`.  If `data` and `file` are NULL, the function reads .mcp.json of `workspace`.
 * That file may be missing.
 *
 * A relative `file` is resolved against the current directory.  Relative paths in the
 * text are resolved against `workspace`, or against the current directory if `workspace`
 * is NULL.  `transports` are MCPHOST_ALLOW_*, or'ed.  A server with another transport is
 * invalid.  The host replaces variables such as ${HOME} at each start of a server.
 *
 * The function returns 0 also if the text or the file is bad.
 * mcphost_config_get_status() and the diagnostics report the fault.
 *
 * Errors: MCPHOST_E_INVALID (`transports` is 0 or has an unknown bit; or `data` is NULL
 *   and `len` is above 0, `file` is empty or `workspace` is empty), MCPHOST_E_IO (the
 *   current directory cannot be determined), MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (the
 *   library was built without the profiles of other programs).
 * Since: 0.1
 */
MCPHOST_API int
mcphost_mcpservers_load(MCPHOST_NULLABLE const char *data, size_t len,
                        MCPHOST_NULLABLE const char *file,
                        MCPHOST_NULLABLE const char *workspace, unsigned transports,
                        MCPHOST_OWNED mcphost_config **ret_config,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_mcpservers_follow - have a source follow a file with `mcpServers`.
 *
 * If `file` is NULL, the source follows .mcp.json of `workspace`.  That file may be
 * missing.  A relative `file` is resolved against the current directory.  Edits of the
 * file are applied to the servers that run, as with mcphost_source_follow_workspace().
 * An error in the file is a problem of the source.
 *
 * HTTP+SSE is allowed, too, unless MCPHOST_OPT_TRANSPORTS is set for the source, or the
 * value of this option for the host is not the default.
 * mcphost_source_set_server_enabled() returns MCPHOST_E_STATE, because it cannot edit
 * this file.
 *
 * Errors: MCPHOST_E_INVALID (`workspace` or `file` is empty), MCPHOST_E_UNSUPPORTED (the
 *   library was built without the profiles of other programs), those of
 *   mcphost_source_follow_workspace().
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
