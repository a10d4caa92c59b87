/* SPDX-License-Identifier: MIT
 *
 * dominds.h - what the files share that read one server of a Dominds file.
 */
#ifndef MCPH_PROFILE_DOMINDS_H
#define MCPH_PROFILE_DOMINDS_H

#include "profile/profile.h"

struct reading {
    struct mcph_check *check;
    struct mcph_spec *spec;
    const struct mcph_node *map; /* the server */
};

/* dominds_value.c */
void dominds_keep_nomem(struct mcph_check *check, bool good);
void dominds_missing(struct reading *rd, const char *key, const char *expected);
/* A string that is there and not blank, or NULL after a report. */
const struct mcph_node *
dominds_filled_string(struct reading *rd, const struct mcph_node *map, const char *key);
/* A map of values: `env` or `headers`. */
void dominds_values(struct reading *rd, const char *key, struct mcph_values *values);
/* One value: `key`, a node of `map`, becomes `values` under this name. */
void dominds_value(struct reading *rd, const struct mcph_node *map, const char *key,
                   const char *name, struct mcph_values *values);

/* dominds_http.c: the keys of a streamable HTTP server. */
void dominds_http(struct reading *rd);

/* dominds_manual.c: `manual`; whatever is wrong in it, the server stays valid. */
void dominds_manual(struct reading *rd);

#endif
