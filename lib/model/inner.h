/* SPDX-License-Identifier: MIT
 *
 * inner.h - declarations for the files that rewrite tool schemas for a provider.
 *
 * The rewrite walks once through the server's bytes, from the root of the schema
 * downwards, and writes the result during this walk.  Each place in the schema has a
 * *node*: the schema objects that apply to the place together, each as a span.  These
 * objects are the schema at the place, the target of its $ref, and the members of its
 * allOf.  Numbers and texts are copied unchanged.
 */
#ifndef MCPH_MODEL_INNER_H
#define MCPH_MODEL_INNER_H

#include "model/model.h"

/* The keywords that the rewrite handles.  The rewrite drops all other keywords. */
enum mcph_model_keyword {
    MCPH_KW_REF,
    MCPH_KW_ALL_OF,
    MCPH_KW_ANY_OF,
    MCPH_KW_ONE_OF,
    MCPH_KW_TYPE,
    MCPH_KW_NULLABLE,
    MCPH_KW_DESCRIPTION,
    MCPH_KW_TITLE,
    MCPH_KW_ENUM,
    MCPH_KW_CONST,
    MCPH_KW_DEFAULT,
    MCPH_KW_EXAMPLES,
    MCPH_KW_MIN_LENGTH,
    MCPH_KW_MAX_LENGTH,
    MCPH_KW_PATTERN,
    MCPH_KW_FORMAT,
    MCPH_KW_MINIMUM,
    MCPH_KW_MAXIMUM,
    MCPH_KW_ABOVE,
    MCPH_KW_BELOW,
    MCPH_KW_MULTIPLE_OF,
    MCPH_KW_ITEMS,
    MCPH_KW_PREFIX_ITEMS,
    MCPH_KW_ADDITIONAL_ITEMS,
    MCPH_KW_MIN_ITEMS,
    MCPH_KW_MAX_ITEMS,
    MCPH_KW_UNIQUE_ITEMS,
    MCPH_KW_PROPERTIES,
    MCPH_KW_REQUIRED,
    MCPH_KW_ADDITIONAL,
    MCPH_KW_MIN_PROPERTIES,
    MCPH_KW_MAX_PROPERTIES,
    MCPH_KW_WORDS, /* this keyword and all that follow become notes for every provider */
    MCPH_KW_NOT = MCPH_KW_WORDS,
    MCPH_KW_IF,
    MCPH_KW_THEN,
    MCPH_KW_ELSE,
    MCPH_KW_PATTERN_PROPERTIES,
    MCPH_KW_PROPERTY_NAMES,
    MCPH_KW_DEPENDENT_REQUIRED,
    MCPH_KW_DEPENDENT_SCHEMAS,
    MCPH_KW_DEPENDENCIES,
    MCPH_KW_CONTAINS,
    MCPH_KW_MIN_CONTAINS,
    MCPH_KW_MAX_CONTAINS,
    MCPH_KW_DYNAMIC_REF,
    MCPH_KW_CONTENT_ENCODING,
    MCPH_KW_CONTENT_MEDIA_TYPE,
    MCPH_KW_EXAMPLE,
    MCPH_N_KW
};

#define MCPH_KW_BIT(kw) (UINT64_C(1) << (kw))

extern const char *const mcph_keyword_names[MCPH_N_KW];
int mcph_keyword_of(struct mcph_span key); /* returns -1 if `key` is no keyword */

/* Types as bits.  The type "number" in a schema sets the bits of number and integer,
 * because a number may be an integer. */
enum {
    MCPH_T_NULL = 1,
    MCPH_T_BOOLEAN = 2,
    MCPH_T_OBJECT = 4,
    MCPH_T_ARRAY = 8,
    MCPH_T_STRING = 16,
    MCPH_T_INTEGER = 32,
    MCPH_T_NUMBER = 64,
    MCPH_T_ANY = 127
};

/* The flags of struct mcph_profile.  Each comment describes the provider. */
enum {
    MCPH_P_TYPE_LIST = 1,      /* accepts a list as "type" */
    MCPH_P_ONE_OF = 2,         /* accepts oneOf */
    MCPH_P_TUPLES = 4,         /* accepts prefixItems */
    MCPH_P_VALUES = 8,         /* accepts objects and lists in enum */
    MCPH_P_STRICT = 16,        /* requires that "required" names every property, and
                                * allows no additional properties */
    MCPH_P_GEMINI = 32,        /* requires types in capitals, "nullable" instead of the
                                * type null, and enums of strings */
    MCPH_P_ADDITIONAL = 64,    /* accepts additionalProperties */
    MCPH_P_NAMES_AT_ROOT = 128 /* checks only the names of the root's parameters */
};

struct mcph_known_format {
    const char *name; /* NULL ends the list */
    unsigned types;
};

struct mcph_profile {
    unsigned flags;
    uint64_t keep;                           /* MCPH_KW_BIT()s of the accepted keywords */
    const struct mcph_known_format *formats; /* the accepted formats; NULL accepts all */
    size_t enum_max, enum_chars_max, properties_max, out_max;
    unsigned objects_max; /* limit on the nesting of objects */
    bool (*property_ok)(struct mcph_span name);
    bool (*name_ok)(const char *name, size_t len);
    size_t name_max;
    size_t description_max; /* limit on the characters of a tool's description; 0 if no
                             * limit is known */
};

const struct mcph_profile *mcph_profile_of(int profile); /* returns NULL if unknown */

/* ---- a place in a schema (node.c) -------------------------------------------------- */

#define MCPH_PARTS_MAX 24
#define MCPH_REFS_MAX  48
#define MCPH_NOTES_MAX 4000

struct mcph_part {
    struct mcph_span schema;
    uint64_t skip;  /* MCPH_KW_BIT()s of keywords that are already handled */
    uint8_t parent; /* index of the part that refers to this part; its own index if no
                     * part refers to it */
    struct mcph_span properties, required;
};

struct mcph_model_node {
    struct mcph_part parts[MCPH_PARTS_MAX];
    size_t n;
    struct mcph_span kw[MCPH_N_KW];
    uint8_t from[MCPH_N_KW];
    unsigned types; /* MCPH_T_* of the allowed types; MCPH_T_ANY if the schema names no
                     * type */
    bool never;     /* no value is allowed at this place */
    bool cut;       /* a reference was not followed (see node.c) */
    struct mcph_buf notes;
    struct mcph_buf made; /* memory of a value in kw[] that is not in the
                           * server's bytes */
};

/* The state of one rewrite. */
struct mcph_projecting {
    const struct mcph_profile *profile;
    struct mcph_span root;
    struct mcph_buf *out;
    const char *refs[MCPH_REFS_MAX]; /* targets of the references being followed */
    size_t n_refs;
    unsigned depth, objects;
    size_t nodes, work, properties, enums;
    bool empty;
    struct mcph_rename_key *keys; /* digests of all keys in `root` (rename.c) */
    size_t n_keys;
    bool has_keys;
    char *why; /* buffer of MCPH_PROJECT_WHY bytes */
};

/* Stores the reason in p->why, unless p->why has a reason already.  Returns
 * MCPHOST_E_LIMIT. */
int mcph_project_fail(struct mcph_projecting *p, const char *why);
/* Adds "name: value" to the notes of a place, unless the notes are full.  The notes
 * become part of the place's description. */
void mcph_node_note(struct mcph_model_node *node, const char *name,
                    struct mcph_span value);
/* Fills `ret` from the parts, their references and their allOf.  Call mcph_node_done()
 * after a failure too. */
int mcph_node_gather(struct mcph_projecting *p, const struct mcph_part *parts, size_t n,
                     struct mcph_model_node *ret);
void mcph_node_done(struct mcph_model_node *node);
/* Returns the type of a value as one bit. */
unsigned mcph_value_type(struct mcph_span value);

/* ---- names of parameters (rename.c) ------------------------------------------------ */

/* mcph_add_name() appends the name of `key` for the provider, as a string token: the key
 * itself, or another name if the provider does not accept the key.  mcph_add_name()
 * returns 0 or MCPHOST_E_NOMEM.  mcph_is_named() returns 1 if mcph_add_name() would
 * append `used`, 0 if it would append another name, or MCPHOST_E_NOMEM.  `root` is true
 * if the key is a parameter of the tool itself, not of an object below. */
int mcph_add_name(struct mcph_projecting *p, struct mcph_span key, bool root,
                  struct mcph_buf *out);
int mcph_is_named(struct mcph_projecting *p, struct mcph_span key, bool root,
                  struct mcph_span used);
void mcph_renames_done(struct mcph_projecting *p);

/* ---- writing (emit.c, emit_object.c) ----------------------------------------------- */

enum {
    MCPH_EMIT_ROOT = 1,
    MCPH_EMIT_NULL = 2 /* the schema must allow null as well */
};

/* The functions mcph_write_*(), except mcph_write_object(), write a schema.  They return
 * 1, or an error.  If no value is allowed at the place, they write nothing and return
 * 0. */
int mcph_write_schema(struct mcph_projecting *p, const struct mcph_part *parts, size_t n,
                      unsigned flags);
int mcph_write_one(struct mcph_projecting *p, struct mcph_span schema, unsigned flags);
/* Writes an "anyOf" that contains each different schema once.  If all schemas are equal,
 * writes the schema alone. */
int mcph_write_union(struct mcph_projecting *p, const struct mcph_span *schemas, size_t n,
                     unsigned flags);
/* Writes the members of a schema that describe an object: "properties", "required" and
 * "additionalProperties".  Returns 1, or an error. */
int mcph_write_object(struct mcph_projecting *p, struct mcph_model_node *node,
                      unsigned flags);

#endif
