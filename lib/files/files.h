/* SPDX-License-Identifier: MIT
 *
 * files.h - interface of lib/files: the provider `files`, which offers the files below a
 * base directory as MCP resources.
 *
 *   file://PATH         a regular file
 *   dir://PATH?after=N  the names in a directory, a page of them, as JSON
 *   dir://              the base directory
 *
 * A URI is decoded into a path once (path.c).  The path is opened below the base
 * directory without following links (confine.c).  Nothing else in lib/files opens a path
 * from a URI.  Only the dispatcher uses this code.  It reads large files and directories
 * in steps.
 */
#ifndef MCPH_FILES_H
#define MCPH_FILES_H

#include "config/config.h"
#include "provide/provide.h"

/* Turns a new provider into one that offers files.  Its setup opens the base directory,
 * and makes it if it is missing.  `base_dir` is absolute.  `extensions` have passed
 * mcph_extension_check(); if there are none, any file is offered.  If `max_bytes` is 0,
 * MCPH_FILES_BYTES applies.  Copies all arguments.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_files_fill(mcphost_provider *provider, const char *base_dir,
                    const struct mcph_strings *extensions, size_t max_bytes,
                    mcphost_error **reterr);

/* The same with options as JSON: "base_dir", "allowed_extensions", "max_bytes".  Returns
 * 0, MCPHOST_E_INVALID (the error names the member) or MCPHOST_E_NOMEM. */
int mcph_files_fill_json(mcphost_provider *provider, struct mcph_span options,
                         mcphost_error **reterr);

/* Checks the options without making anything. */
int mcph_files_check_json(struct mcph_span options, mcphost_error **reterr);

/* For tests, before the start: opens paths step by step, as on a kernel without
 * openat2(). */
void mcph_files_set_by_steps(mcphost_provider *provider);

#endif
