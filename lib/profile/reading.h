/* SPDX-License-Identifier: MIT
 *
 * reading.h - read one server's entry by the table of keys in config/key.c, in the
 * dialect of a profile.
 *
 * The table has a row for each key and says which values are valid.  A dialect says how
 * the files of a profile write these keys.
 */
#ifndef MCPH_PROFILE_READING_H
#define MCPH_PROFILE_READING_H

#include "profile/profile.h"

struct dialect;

struct reading {
    struct mcph_check *check;
    struct mcph_spec *spec;
    const struct mcph_node *map; /* the entry of the server */
    const struct dialect *dialect;
};

/* A key of the table, and how a dialect writes the key, for example "timeouts.call" and
 * "callTimeout". */
struct spelling {
    const char *key, *spelled;
};

struct dialect {
    /* The keys that the dialect has, ended by {NULL, NULL}.  If `spellings` is NULL, the
     * dialect has all keys of the table, as the table names them.  If the list has
     * members of a map, it must also have the map itself. */
    const struct spelling *spellings;
    /* More keys, ended by NULL.  mcph_reading_keys() accepts them, but does not read
     * them. */
    const char *const *others;
    /* Reads a key marked MCPH_KEY_OF_PROFILE.  `node` is the value of the key, or NULL if
     * the key is missing. */
    void (*read)(struct reading *rd, const struct mcph_key *key, const char *spelled,
                 const struct mcph_node *node);
    /* Reads one value and adds the value with mcph_reading_add_value().  The value may
     * come from the environment.  The current path is the path of `node`. */
    void (*value)(struct reading *rd, const struct mcph_key *key, const char *name,
                  const struct mcph_node *node);
    /* Handles an unknown key in the entry, or in a map of the entry that is not
     * MCPH_KEY_STRICT.  The current path is the path of the key's parent.  If `unknown`
     * is NULL, each unknown key gives a warning. */
    void (*unknown)(struct reading *rd, const struct mcph_node *name);
    /* Checks the name of a header by the rules of the dialect.  The current path is the
     * path of `name`.  `header` may be NULL. */
    void (*header)(struct reading *rd, const struct mcph_node *name);
};

/* Adds a server for each member of a map and calls `read` for the member.  The current
 * path is the path of the map.  During `read`, the current path is the path of the
 * member.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_reading_servers(struct mcph_check *check, const struct mcph_node *servers,
                         void (*read)(struct mcph_check *check,
                                      struct mcph_config_server *server,
                                      const struct mcph_node *key,
                                      struct mcph_node *node));
/* Makes the spec of an entry and sets its id, source and place in the file.  If there is
 * no memory, sets check->err and returns NULL. */
struct mcph_spec *mcph_reading_spec_new(struct mcph_check *check,
                                        const struct mcph_config_server *server,
                                        const struct mcph_node *key);
/* Seals `spec` and gives `server` a reference to `spec`.  Call this function only if the
 * entry had no error. */
void mcph_reading_seal(struct mcph_check *check, struct mcph_config_server *server,
                       struct mcph_spec *spec);
/* Reads all keys of the entry into rd->spec.  Before this call, set the transport of
 * rd->spec.  If the transport is MCPHOST_TRANSPORT_NONE, reads the keys that fit every
 * transport.  If the entry names no working directory, sets the workspace as
 * rd->spec->cwd. */
void mcph_reading_keys(struct reading *rd);

/* Returns the text of a string node without leading and trailing blanks. */
struct mcph_span mcph_reading_trim(const struct mcph_node *node);
void mcph_reading_keep_nomem(struct mcph_check *check, bool good);
/* Checks that `node`, the node at the current path, is a string that is not blank.
 * Otherwise reports an error and returns false. */
bool mcph_reading_filled(struct mcph_check *check, const struct mcph_node *node);
/* Checks a value and adds it to the field of `key`.  If `env` is NULL, `text` is the
 * literal value.  Otherwise `env` is the variable to read, and `text` goes in front of
 * the variable's value. */
void mcph_reading_add_value(struct reading *rd, const struct mcph_key *key,
                            const char *name, const struct mcph_node *node,
                            const char *text, const char *env);

#endif
