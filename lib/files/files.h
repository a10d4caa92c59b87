/* SPDX-License-Identifier: MIT
 *
 * files.h - the room `files`: the provider `files`, which offers what is below a base
 * directory as resources of MCP.
 *
 *   file://PATH         a regular file
 *   dir://PATH?after=N  the names in a directory, a page of them, as JSON
 *   dir://              the base directory
 *
 * A path is taken from its URI once (path.c), and what it names is opened below the base
 * directory without following a link (confine.c).  Nothing else in this room opens
 * anything that a URI names.  All of it belongs to the dispatcher; large files and
 * directories are read in steps.
 */
#ifndef MCPH_FILES_H
#define MCPH_FILES_H

#include "config/config.h"
#include "provide/provide.h"

/* Makes a new provider one of files.  Nothing is opened before its setup, which makes
 * the directory if it is missing.  `base_dir` is absolute; `extensions` (none: any) have
 * passed mcph_extension_check(); `max_bytes` 0: MCPH_FILES_BYTES.  All is copied.  0,
 * MCPHOST_E_NOMEM. */
int mcph_files_fill(mcphost_provider *provider, const char *base_dir,
                    const struct mcph_strings *extensions, size_t max_bytes,
                    mcphost_error **reterr);

/* The same with options as JSON: "base_dir", "allowed_extensions", "max_bytes".  0,
 * MCPHOST_E_INVALID with the name of the member, MCPHOST_E_NOMEM. */
int mcph_files_fill_json(mcphost_provider *provider, struct mcph_span options,
                         mcphost_error **reterr);

/* Whether the options are good, before anything is made. */
int mcph_files_check_json(struct mcph_span options, mcphost_error **reterr);

/* For tests, before the start: paths are walked as where the kernel has no openat2(). */
void mcph_files_set_by_steps(mcphost_provider *provider);

#endif
