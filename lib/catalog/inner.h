/* SPDX-License-Identifier: MIT
 *
 * inner.h - how a block is built: what block.c and keyed.c share.
 */
#ifndef MCPH_CATALOG_INNER_H
#define MCPH_CATALOG_INNER_H

#include "catalog/catalog.h"
#include "names/names.h"

struct mcph_block_build {
    struct mcph_block *block;
    size_t counted, decided; /* elements; counted: only where a step maps names */
    struct mcph_name_rules rules;
    struct mcph_buf names;   /* of named ones reserved whole: map keys point into it */
    struct mcph_buf decoded; /* an original name, or a URI, that had escapes */
    struct mcph_map taken;   /* final name -> tool */
    struct mcph_buf finals;  /* where a step maps: the names that are made, */
    struct mcph_map made;    /* and whether once or twice; of keyed ones: an id, ids */
    struct mcph_buf label;   /* of keyed ones: a name that had escapes */
    uint64_t *ids;           /* hashes, which are the keys of `made` */
};

/* Adds a finding for the element at `place`; `name` is what the server calls it. */
int mcph_block_lose(struct mcph_block_build *b, enum mcph_finding_kind kind,
                    struct mcph_span name, size_t place, const char *renamed,
                    const char *text);
/* What is wrong with an element that cannot be used. */
const char *mcph_block_fault_text(const struct mcph_listing *listing,
                                  const struct mcph_listed *item);

/* Of blocks of resources and templates (keyed.c). */
int mcph_keyed_reserve(struct mcph_block_build *b);
int mcph_keyed_decide(struct mcph_block_build *b, size_t place);
void mcph_keyed_done(struct mcph_block_build *b);

#endif
