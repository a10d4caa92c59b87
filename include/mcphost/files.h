/* SPDX-License-Identifier: MIT
 *
 * files.h - the provider `files`: files and directories below a base directory as
 * resources of a server in process.
 *
 *   file://PATH  a file        dir://PATH  a directory        dir://  the base directory
 *
 * All functions may be called from any thread.
 */
#ifndef MCPHOST_FILES_H
#define MCPHOST_FILES_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_files_new - a provider of files that will be a server of a source.
 *
 * As mcphost_provider_new(), with all that the provider offers; mcphost_provider_start()
 * shows it, and mcphost_provider_close() withdraws it.  `options` is a JSON object of
 * `len` bytes:
 *
 *   "base_dir"            absolute; made, for its owner alone, if it is missing
 *   "allowed_extensions"  an array of strings such as ".md"; empty or absent: any file
 *   "max_bytes"           of a file, from 1 to 20971520; absent: 10485760
 *
 * Nothing is opened before the start.  If the directory cannot be opened, the server
 * fails to start, and its state tells why.
 *
 * Returns 0, MCPHOST_E_INVALID (the id, or an option, which the error names),
 * MCPHOST_E_EXISTS (the source has a provider of this id), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_files_new(mcphost_source *source, const char *id,
                                  const char *options, size_t len,
                                  MCPHOST_OWNED mcphost_provider **ret_provider,
                                  MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_files_new_in_view - a provider of files that one view shows, and no other.
 *
 * The same as mcphost_provider_new_in_view().
 *
 * Returns 0, MCPHOST_E_INVALID (also a view without layers of its own, and an id that no
 * source can have), MCPHOST_E_EXISTS (there is a source of this id), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_files_new_in_view(mcphost_view *view, const char *id, const char *options,
                          size_t len, MCPHOST_OWNED mcphost_provider **ret_provider,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
