/* SPDX-License-Identifier: MIT
 *
 * files.h - a provider that offers the files and directories below a base directory as
 * resources.
 *
 *   file://PATH  a file        dir://PATH  a directory        dir://  the base directory
 *
 * Any thread may call these functions.
 */
#ifndef MCPHOST_FILES_H
#define MCPHOST_FILES_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_files_new - create a provider of files that will be a server of a source.
 *
 * The provider works like a provider of mcphost_provider_new(): mcphost_provider_start()
 * shows it, and mcphost_provider_close() withdraws it.  Do not call
 * mcphost_provider_set_life() for the provider, because its setup and teardown belong to
 * the library.  `options` is a JSON object of `len` bytes with these members:
 *
 *     "base_dir"            the absolute path of the base directory; required
 *     "allowed_extensions"  an array such as [".md"]; [], the default, means all files
 *     "max_bytes"           the largest file in bytes, 1 to 20971520; default 10485760
 *
 * The provider opens the base directory when it starts.  If the directory is missing, the
 * provider makes the directory and its missing parents, with the mode 0700.  If the
 * provider cannot open the directory, the server fails to start.  The error of the server
 * gives the reason.
 *
 * Errors: MCPHOST_E_INVALID (the id is empty or not UTF-8, or an option is wrong,
 *   unknown, missing or given twice; the error names the option), MCPHOST_E_LIMIT (the
 *   options are nested deeper than 512 levels), those of mcphost_provider_new().
 * Since: 0.1
 */
MCPHOST_API int mcphost_files_new(mcphost_source *source, const char *id,
                                  const char *options, size_t len,
                                  MCPHOST_OWNED mcphost_provider **ret_provider,
                                  MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_files_new_in_view - create a provider of files that only one view shows.
 *
 * This function makes the same provider as mcphost_files_new(), but in a view.  See
 * mcphost_provider_new_in_view().
 *
 * Errors: MCPHOST_E_INVALID (the view has no layers of its own, the id does not consist
 *   of 1 to 64 ASCII letters, digits, '_', '-' and '.', or an option is wrong, unknown,
 *   missing or given twice; the error names the option), MCPHOST_E_LIMIT (the options
 *   are nested deeper than 512 levels), those of mcphost_provider_new_in_view().
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
