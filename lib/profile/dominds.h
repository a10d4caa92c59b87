/* SPDX-License-Identifier: MIT
 *
 * dominds.h - what the files share that read one server of a Dominds file.
 */
#ifndef MCPH_PROFILE_DOMINDS_H
#define MCPH_PROFILE_DOMINDS_H

#include "profile/reading.h"

/* dominds_value.c: parts of the dialect. */
void mcph_dominds_value(struct reading *rd, const struct mcph_key *key, const char *name,
                        const struct mcph_node *node);
void mcph_dominds_header(struct reading *rd, const struct mcph_node *name);

/* dominds_manual.c: `manual`; whatever is wrong in it, the server stays valid. */
void mcph_dominds_manual(struct reading *rd, const struct mcph_node *node);

#endif
