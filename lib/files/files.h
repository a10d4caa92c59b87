/* SPDX-License-Identifier: MIT
 *
 * files.h - interface of lib/files: the provider `files`.
 *
 * The provider offers the files below a base directory as MCP resources:
 *
 *   file://PATH         a regular file
 *   dir://PATH?after=N  a page of the names in a directory, as JSON
 *   dir://              the base directory
 *
 * path.c decodes a URI into a path once.  confine.c opens the path below the base
 * directory without following links.  No other file of lib/files opens a path from a URI,
 * but watching.c gives the path to mcph_watch_new_beneath(), which follows no links
 * either.  The dispatcher carries out all requests.  Large files and directories are read
 * in steps.
 */
#ifndef MCPH_FILES_H
#define MCPH_FILES_H

#include "config/config.h"
#include "provide/provide.h"

/* Turns a new provider into a provider that offers files.  The provider's setup opens
 * the base directory, and makes the directory if it is missing.  `base_dir` is
 * absolute.  Each of the `extensions` must have passed mcph_extension_check().  Without
 * extensions, every file is offered.  If `max_bytes` is 0, MCPH_FILES_BYTES applies.
 * Copies all arguments.  Returns 0, MCPHOST_E_NOMEM, or an error of mcph_provider_add()
 * or mcph_provider_set_life(). */
int mcph_files_fill(mcphost_provider *provider, const char *base_dir,
                    const struct mcph_strings *extensions, size_t max_bytes,
                    mcphost_error **reterr);

/* Works like mcph_files_fill(), but reads the options from JSON: "base_dir",
 * "allowed_extensions", "max_bytes".  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT (the
 * JSON is nested too deep), or an error of mcph_files_fill().  If a member is wrong, the
 * error names the member. */
int mcph_files_fill_json(mcphost_provider *provider, struct mcph_span options,
                         mcphost_error **reterr);

/* Checks the options of mcph_files_fill_json().  Makes no provider. */
int mcph_files_check_json(struct mcph_span options, mcphost_error **reterr);

/* Makes the provider open paths step by step, as on a kernel without openat2().  This
 * function is for tests.  Call it before the start. */
void mcph_files_set_by_steps(mcphost_provider *provider);

#endif
