/* SPDX-License-Identifier: MIT
 *
 * catalog.h - listings, blocks and catalogs (lib/catalog/catalog.h) made from texts, for
 * tests.
 *
 * If a function fails, the test fails, too.
 */
#ifndef TESTS_SUPPORT_CATALOG_H
#define TESTS_SUPPORT_CATALOG_H

#include "catalog/catalog.h"
#include "config/config.h"

/* These functions make a listing of tools from one page or from `n` pages.  A page is a
 * JSON array of tools. */
struct mcph_listing *catrig_listing(const char *tools);
struct mcph_listing *catrig_pages(const char *const *tools, size_t n);

/* Makes a JSON array of plain tools: each tool has a name, a description and the input
 * schema {"type":"object"}.  Spaces separate the names in `names`.  The caller frees the
 * text. */
char *catrig_tools(const char *names);

/* Makes the sealed spec of a server.  Spaces separate the patterns of a list.  `prefix`
 * becomes a transform that prepends the prefix to the tools' names.  Each of the last
 * three arguments may be NULL. */
struct mcph_spec *catrig_spec(const char *id, const char *whitelist,
                              const char *blacklist, const char *prefix);

/* These functions make a block of a server from the JSON array `tools`.  If `tools` is
 * NULL, the block belongs to a server whose tools were never listed.  catrig_server()
 * makes a server without filters.  catrig_server_under() takes over the reference to
 * `spec`. */
struct mcph_block *catrig_server(const char *id, const char *tools);
struct mcph_block *catrig_server_under(struct mcph_spec *spec, const char *tools);
/* Makes a block of a server without filters that has plain tools of these names. */
struct mcph_block *catrig_server_named(const char *id, const char *names);
/* Makes a block of built-in tools with these names.  `toolset` is the name of their
 * toolset and of their owner. */
struct mcph_block *catrig_builtin(const char *toolset, const char *names);
/* Makes a block of built-in tools with these names, in the toolsets `sets`. */
struct mcph_block *catrig_builtins(const char *owner, const char *names,
                                   const struct mcph_toolset_draft *sets, size_t n_sets);

/* If a tool's name is taken, RIG_SKIP leaves out the tool, and RIG_REJECT leaves out the
 * tool's whole server. */
enum catrig_collision { RIG_SKIP, RIG_REJECT };

/* These functions make version 1 of a catalog of these blocks.  catrig_catalog() takes
 * blocks that end with NULL, and takes over the references to the blocks. */
mcphost_catalog *catrig_catalog(struct mcph_block *first, ...);
mcphost_catalog *
catrig_catalog_of(struct mcph_block *const *blocks, size_t n,
                  enum catrig_collision policy); /* takes over no references */
/* Makes a catalog of these blocks as the successor of the catalog `before`. */
mcphost_catalog *catrig_catalog_after(const mcphost_catalog *before,
                                      struct mcph_block *const *blocks, size_t n,
                                      enum catrig_collision policy);

/* Returns the ids of all findings, each followed by a newline.  The caller frees the
 * text. */
char *catrig_finding_ids(const mcphost_catalog *catalog);
/* Returns the names of all tools, each followed by a space.  The caller frees the
 * text. */
char *catrig_tool_names(const mcphost_catalog *catalog);
/* Returns the tools of `toolset`, or all tools if `toolset` is NULL, as a JSON list in
 * this shape (MCPHOST_SHAPE_*).  The catalog owns the text. */
const char *catrig_json(mcphost_catalog *catalog, int shape, const char *toolset);

/* Checks that `text` equals `want`, then frees `text`:
 * catrig_same(catrig_tool_names(c), "a b "). */
void catrig_same(char *text, const char *want);

#endif
