/* SPDX-License-Identifier: MIT
 *
 * catalog.h - listings, blocks and catalogs made from texts, for tests.
 *
 * Each function ends the test when it fails.
 */
#ifndef TESTS_SUPPORT_CATALOG_H
#define TESTS_SUPPORT_CATALOG_H

#include "catalog/catalog.h"
#include "config/config.h"

/* A listing of tools, in one page or in `n`.  A page is a JSON array of tools. */
struct mcph_listing *catrig_listing(const char *tools);
struct mcph_listing *catrig_pages(const char *const *tools, size_t n);

/* A JSON array of plain tools.  `names` are separated by spaces.  free() it. */
char *catrig_tools(const char *names);

/* A sealed spec.  The patterns of a list are separated by spaces.  `prefix` becomes a
 * transform that prepends it to the tools' names.  Each of the three may be NULL. */
struct mcph_spec *catrig_spec(const char *id, const char *whitelist,
                              const char *blacklist, const char *prefix);

/* A block of a server without filters, from the JSON array `tools`.  NULL: a server that
 * was never listed.  catrig_server_under() takes over the reference to `spec`. */
struct mcph_block *catrig_server(const char *id, const char *tools);
struct mcph_block *catrig_server_under(struct mcph_spec *spec, const char *tools);
/* The same, with plain tools of these names. */
struct mcph_block *catrig_server_named(const char *id, const char *names);
/* A block of built-in tools with these names.  `toolset` is both their toolset and their
 * owner. */
struct mcph_block *catrig_builtin(const char *toolset, const char *names);
/* The same with these toolsets. */
struct mcph_block *catrig_builtins(const char *owner, const char *names,
                                   const struct mcph_toolset_draft *sets, size_t n_sets);

/* Whether a tool whose name is taken is left out alone, or its whole server is. */
enum catrig_collision { RIG_SKIP, RIG_REJECT };

/* Version 1 of a catalog of these blocks, which end with NULL.  Takes over the references
 * to the blocks. */
mcphost_catalog *catrig_catalog(struct mcph_block *first, ...);
mcphost_catalog *
catrig_catalog_of(struct mcph_block *const *blocks, size_t n,
                  enum catrig_collision policy); /* takes no references over */
/* The same, built as the successor of the catalog `before`. */
mcphost_catalog *catrig_catalog_after(const mcphost_catalog *before,
                                      struct mcph_block *const *blocks, size_t n,
                                      enum catrig_collision policy);

/* The ids of all findings, each followed by a newline.  free() it. */
char *catrig_finding_ids(const mcphost_catalog *catalog);
/* The names of all tools, each followed by a space.  free() it. */
char *catrig_tool_names(const mcphost_catalog *catalog);
/* The list of tools as JSON in this shape.  Borrowed. */
const char *catrig_json(mcphost_catalog *catalog, int shape, const char *toolset);

/* Checks that `text` equals `want`, then frees `text`:
 * catrig_same(catrig_tool_names(c), "a b "). */
void catrig_same(char *text, const char *want);

#endif
