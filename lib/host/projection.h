/* SPDX-License-Identifier: MIT
 *
 * projection.h - projections: the tools of a catalog, in the form that a model provider
 * accepts.
 */
#ifndef MCPH_HOST_PROJECTION_H
#define MCPH_HOST_PROJECTION_H

#include "catalog/catalog.h"

#include <mcphost/mcphost.h>

/* ---- projections (projection.c) ---------------------------------------------------- */

/* One tool of a catalog under a profile. */
struct mcph_projected {
    mcphost_tool *tool;
    const char *name; /* the tool's own name, or `made`; NULL if the tool is left out */
    char *made;
};

/* A catalog owns its projections.  A reference to a projection is a reference to its
 * catalog. */
struct mcphost_projection {
    struct mcph_catalog_kept kept;
    mcphost_catalog *catalog;
    int shape, profile;
    size_t name_max;
    struct mcph_span json; /* the catalog's own list for MCPHOST_PROFILE_IDENTITY, else
                            * `made` */
    char *made;
    struct mcph_projected *tools; /* in the catalog's order; NULL for
                                   * MCPHOST_PROFILE_IDENTITY */
    struct mcph_map by_name;      /* map from name in the list to struct mcph_projected */
    struct mcph_map by_own;       /* map from name in the catalog to struct
                                   * mcph_projected */
    struct mcph_vec problems;     /* mcphost_problem * */
};

/* Finds the projection of a catalog with these settings, or makes the projection.  The
 * caller has checked the arguments.  The catalog owns *ret.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_project(mcphost_catalog *catalog, int shape, int profile, size_t name_max,
                 mcphost_projection **ret);
/* mcph_projection_last() returns the catalog's newest projection, or NULL if the catalog
 * has no projection.  mcph_projection_before() returns the projection that was made
 * before the given projection, or NULL if the given projection is the first.  The catalog
 * owns the results. */
const mcphost_projection *mcph_projection_last(mcphost_catalog *catalog);
const mcphost_projection *mcph_projection_before(const mcphost_projection *projection);

#endif
