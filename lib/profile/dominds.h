/* SPDX-License-Identifier: MIT
 *
 * dominds.h - declarations that dominds_server.c, dominds_value.c and dominds_manual.c
 * share.
 */
#ifndef MCPH_PROFILE_DOMINDS_H
#define MCPH_PROFILE_DOMINDS_H

#include "profile/reading.h"

/* These functions read a value, and check the name of a header (dominds_value.c). */
void mcph_dominds_value(struct reading *rd, const struct mcph_key *key, const char *name,
                        const struct mcph_node *node);
void mcph_dominds_header(struct reading *rd, const struct mcph_node *name);

/* Reads `manual` (dominds_manual.c).  Errors in the manual leave the server valid. */
void mcph_dominds_manual(struct reading *rd, const struct mcph_node *node);

#endif
