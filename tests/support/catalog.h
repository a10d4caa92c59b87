/* SPDX-License-Identifier: MIT
 *
 * catalog.h - listings, blocks and catalogs made of texts, for tests.
 *
 * Everything ends the test when it fails.
 */
#ifndef TESTS_SUPPORT_CATALOG_H
#define TESTS_SUPPORT_CATALOG_H

#include "catalog/catalog.h"
#include "config/config.h"

/* The tools in one page, or in several: JSON arrays. */
struct mcph_listing *catrig_listing(const char *tools);
struct mcph_listing *catrig_pages(const char *const *tools, size_t n);

/* A JSON array of plain tools with these names, separated by spaces; free(). */
char *catrig_tools(const char *names);

/* A sealed spec.  Patterns are separated by spaces, `prefix` is prepended; each
 * may be NULL. */
struct mcph_spec *catrig_spec(const char *id, const char *whitelist,
                              const char *blacklist, const char *prefix);

/* A block of a server without filters, from the JSON array `tools`; NULL: never
 * listed. */
struct mcph_block *catrig_server(const char *id, const char *tools);
struct mcph_block *catrig_server_under(struct mcph_spec *spec, const char *tools);
/* The same with plain tools of these names. */
struct mcph_block *catrig_server_named(const char *id, const char *names);
/* A toolset of built-ins with these names; its handlers are `toolset` itself. */
struct mcph_block *catrig_builtin(const char *toolset, const char *names);
/* The same with toolsets of its own. */
struct mcph_block *catrig_builtins(const char *owner, const char *names,
                                   const struct mcph_toolset_draft *sets, size_t n_sets);

/* Whether a name that is taken costs its tool, or the whole server. */
enum catrig_collision { RIG_SKIP, RIG_REJECT };

/* Version 1 of the blocks up to a NULL, whose references it takes over. */
mcphost_catalog *catrig_catalog(struct mcph_block *first, ...);
mcphost_catalog *
catrig_catalog_of(struct mcph_block *const *blocks, size_t n,
                  enum catrig_collision policy); /* takes no references over */
/* The same as the snapshot that follows `before`. */
mcphost_catalog *catrig_catalog_after(const mcphost_catalog *before,
                                      struct mcph_block *const *blocks, size_t n,
                                      enum catrig_collision policy);

/* The ids of all findings, each with a newline; free(). */
char *catrig_finding_ids(const mcphost_catalog *catalog);
/* The names of all tools, each with a space; free(). */
char *catrig_tool_names(const mcphost_catalog *catalog);
/* The list in this shape; borrowed. */
const char *catrig_json(mcphost_catalog *catalog, int shape, const char *toolset);

/* What a text that is freed says: catrig_same(catrig_tool_names(c), "a b "). */
void catrig_same(char *text, const char *want);

#endif
