/* SPDX-License-Identifier: MIT
 *
 * reading.h - how profiles read one server's entry: by the rows of config/key.c, each in
 * a dialect of its own.
 *
 * The rows say which keys there are and what may be in them.  A dialect says how a
 * profile's files write them.
 */
#ifndef MCPH_PROFILE_READING_H
#define MCPH_PROFILE_READING_H

#include "profile/profile.h"

struct dialect;

struct reading {
    struct mcph_check *check;
    struct mcph_spec *spec;
    const struct mcph_node *map; /* the entry */
    const struct dialect *dialect;
};

/* A key of the table, and how a dialect writes it: "timeouts.call", "callTimeout". */
struct spelling {
    const char *key, *spelled;
};

struct dialect {
    /* The keys that it has, ended by {NULL, NULL}; NULL: those of the table, as they are
     * named there.  The members of a map need the map's own row. */
    const struct spelling *spellings;
    /* More keys, ended by NULL; mcph_reading_keys() accepts them and reads none. */
    const char *const *others;
    /* Reads a key marked MCPH_KEY_OF_PROFILE; `node` is its value, or NULL. */
    void (*read)(struct reading *rd, const struct mcph_key *key, const char *spelled,
                 const struct mcph_node *node);
    /* Reads one value, which may come from the environment, and adds it by
     * mcph_reading_add_value(); the path is that of `node`. */
    void (*value)(struct reading *rd, const struct mcph_key *key, const char *name,
                  const struct mcph_node *node);
    /* Told of a key that nobody knows, in the entry or in a map of it that is not strict;
     * the path is that of its parent.  NULL: each is warned of. */
    void (*unknown)(struct reading *rd, const struct mcph_node *name);
    /* Looks at the name of a header; the path is that of `name`.  NULL: takes any. */
    void (*header)(struct reading *rd, const struct mcph_node *name);
};

/* Adds a server for each member of a map and has `read` look at it.  The path is that of
 * the map, then that of the entry.  0, MCPHOST_E_NOMEM. */
int mcph_reading_servers(struct mcph_check *check, const struct mcph_node *servers,
                         void (*read)(struct mcph_check *check,
                                      struct mcph_config_server *server,
                                      const struct mcph_node *key,
                                      struct mcph_node *node));
/* The spec of an entry to be read: its id, source and place.  NULL: no memory, which
 * `check` keeps. */
struct mcph_spec *mcph_reading_spec_new(struct mcph_check *check,
                                        const struct mcph_config_server *server,
                                        const struct mcph_node *key);
/* Seals what was read without an error, and makes it the server's; takes a reference. */
void mcph_reading_seal(struct mcph_check *check, struct mcph_config_server *server,
                       struct mcph_spec *spec);
/* Reads all keys of the entry into rd->spec, whose transport is set; with
 * MCPHOST_TRANSPORT_NONE those that any transport may have. */
void mcph_reading_keys(struct reading *rd);

/* The text of a string without the blanks around it. */
struct mcph_span mcph_reading_trim(const struct mcph_node *node);
void mcph_reading_keep_nomem(struct mcph_check *check, bool good);
/* Whether the node of the present path is a string that is not blank; else reported. */
bool mcph_reading_filled(struct mcph_check *check, const struct mcph_node *node);
/* Checks and adds a value; `env` NULL: a literal. */
void mcph_reading_add_value(struct reading *rd, const struct mcph_key *key,
                            const char *name, const struct mcph_node *node,
                            const char *text, const char *env);

#endif
