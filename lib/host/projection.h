/* SPDX-License-Identifier: MIT
 *
 * projection.h - a catalog under the profile of a provider.
 */
#ifndef MCPH_HOST_PROJECTION_H
#define MCPH_HOST_PROJECTION_H

#include "catalog/catalog.h"

#include <mcphost/mcphost.h>

/* ---- projections (projection.c) ---------------------------------------------------- */

/* One tool of a catalog under a profile. */
struct mcph_projected {
    mcphost_tool *tool;
    const char *name; /* the tool's own, or `made`; NULL: it is left out */
    char *made;
};

/* Kept with its catalog: a reference to it is one to the catalog. */
struct mcphost_projection {
    struct mcph_catalog_kept kept;
    mcphost_catalog *catalog;
    int shape, profile;
    size_t name_max;
    struct mcph_span json; /* the catalog's own for the identity, else `made` */
    char *made;
    struct mcph_projected *tools; /* in the catalog's order; NULL for the identity */
    struct mcph_map by_name;      /* in the list -> struct mcph_projected */
    struct mcph_map by_own;       /* the catalog's name -> struct mcph_projected */
    struct mcph_vec problems;     /* mcphost_problem * */
};

/* Arguments were checked.  *ret is borrowed from the catalog.  0 or MCPHOST_E_NOMEM. */
int mcph_project(mcphost_catalog *catalog, int shape, int profile, size_t name_max,
                 mcphost_projection **ret);
/* Of those that a catalog has, the one made last, and the one made before another.
 * Borrowed from the catalog; NULL: there is none. */
const mcphost_projection *mcph_projection_last(mcphost_catalog *catalog);
const mcphost_projection *mcph_projection_before(const mcphost_projection *projection);

#endif
