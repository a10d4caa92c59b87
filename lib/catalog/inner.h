/* SPDX-License-Identifier: MIT
 *
 * inner.h - the build of a block, which block.c and keyed.c share.
 */
#ifndef MCPH_CATALOG_INNER_H
#define MCPH_CATALOG_INNER_H

#include "catalog/catalog.h"
#include "names/names.h"

/* The build of a block.  A named kind of list identifies an element by its name, and a
 * keyed kind by its URI or URI template (`is_keyed` in catalog.h). */
struct mcph_block_build {
    struct mcph_block *block;
    size_t counted, decided; /* numbers of elements: `counted` is how many elements were
                              * counted (used only if a transform maps names), `decided`
                              * how many were decided */
    struct mcph_name_rules rules;
    struct mcph_buf names;   /* names of elements; for named kinds, all memory is
                              * reserved at once, because map keys point into the
                              * buffer */
    struct mcph_buf decoded; /* a decoded original name or URI */
    struct mcph_map taken;   /* final name -> tool */
    struct mcph_buf finals;  /* for named kinds, the final names if a transform maps
                              * names; for keyed kinds, an id */
    struct mcph_map made;    /* in named kinds, the final name -> `once` if one tool
                              * would get the name, `twice` if several tools would get
                              * it; in keyed kinds, the hash of an id -> the item with
                              * this id */
    struct mcph_buf label;   /* a decoded name, for keyed kinds */
    uint64_t *ids; /* in keyed kinds, the hashes of the ids; the keys of `made` point into
                    * this array */
};

/* Adds a finding for the element at `place`.  If the block has MCPH_FINDINGS_MAX
 * findings, only counts the element, and counts it only if it is left out.  `name` is the
 * server's name or URI for the element.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_block_lose(struct mcph_block_build *b, enum mcph_finding_kind kind,
                    struct mcph_span name, size_t place, const char *renamed,
                    const char *text);
/* Returns a text that names the fault of an element that cannot be used. */
const char *mcph_block_fault_text(const struct mcph_listing *listing,
                                  const struct mcph_listed *item);

/* Do the steps of the build for kinds whose elements are identified by URIs (keyed.c). */
int mcph_keyed_reserve(struct mcph_block_build *b);
int mcph_keyed_decide(struct mcph_block_build *b, size_t place);
void mcph_keyed_done(struct mcph_block_build *b);

#endif
