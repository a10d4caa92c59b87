/* SPDX-License-Identifier: MIT
 *
 * inner.h - the rewriting of tool schemas for a provider: what its files share.
 *
 * A schema is rewritten in one descent over the server's bytes, from which the result
 * is written at once.  At each place stands a *node*: the schema objects that hold
 * there together (the one that is written there, what its $ref names, the members of
 * its allOf), each a span.  Numbers and texts are copied and never computed with.
 */
#ifndef MCPH_MODEL_INNER_H
#define MCPH_MODEL_INNER_H

#include "model/model.h"

/* The keywords that mean something here; others are left out. */
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
    MCPH_KW_WORDS, /* from here on: put into words for everyone */
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
int mcph_keyword_of(struct mcph_span key); /* -1: none of them */

/* Types, as bits.  A number may be an integer, so "number" is both bits. */
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

enum {
    MCPH_P_TYPE_LIST = 1,      /* "type" may be a list */
    MCPH_P_ONE_OF = 2,         /* knows oneOf */
    MCPH_P_TUPLES = 4,         /* knows prefixItems */
    MCPH_P_VALUES = 8,         /* enum may hold objects and lists */
    MCPH_P_STRICT = 16,        /* all required, nothing else allowed */
    MCPH_P_GEMINI = 32,        /* types in capitals, "nullable", enums are strings */
    MCPH_P_ADDITIONAL = 64,    /* knows additionalProperties */
    MCPH_P_NAMES_AT_ROOT = 128 /* looks at the names of the root's parameters alone */
};

struct mcph_known_format {
    const char *name; /* NULL: the end */
    unsigned types;
};

struct mcph_profile {
    unsigned flags;
    uint64_t keep;                           /* constraints that it knows */
    const struct mcph_known_format *formats; /* NULL: all */
    size_t enum_max, enum_chars_max, properties_max, out_max;
    unsigned objects_max; /* nesting of objects */
    bool (*property_ok)(struct mcph_span name);
    bool (*name_ok)(const char *name, size_t len);
    size_t name_max;
    size_t description_max; /* characters of a tool's; 0: no limit is known */
};

const struct mcph_profile *mcph_profile_of(int profile); /* NULL: none */

/* ---- a place in a schema (node.c) -------------------------------------------------- */

#define MCPH_PARTS_MAX 24
#define MCPH_REFS_MAX  48
#define MCPH_NOTES_MAX 4000

struct mcph_part {
    struct mcph_span schema;
    uint64_t skip; /* keywords that were dealt with */
    struct mcph_span properties, required;
};

struct mcph_model_node {
    struct mcph_part parts[MCPH_PARTS_MAX];
    size_t n;
    struct mcph_span kw[MCPH_N_KW];
    uint8_t from[MCPH_N_KW];
    unsigned types; /* MCPH_T_ANY: any, or not said */
    bool never;     /* nothing is allowed here */
    bool cut;       /* a cycle, or a reference to nowhere */
    struct mcph_buf notes;
    struct mcph_buf made; /* what kw[] has that no server wrote */
};

/* What is being rewritten. */
struct mcph_projecting {
    const struct mcph_profile *profile;
    struct mcph_span root;
    struct mcph_buf *out;
    const char *refs[MCPH_REFS_MAX]; /* what is being put in the place of references */
    size_t n_refs;
    unsigned depth, objects;
    size_t nodes, work, properties, enums;
    bool empty;
    struct mcph_rename_key *keys; /* all keys of `root` (rename.c) */
    size_t n_keys;
    bool has_keys;
    char *why; /* MCPH_PROJECT_WHY bytes */
};

/* Returns MCPHOST_E_LIMIT after noting why. */
int mcph_project_fail(struct mcph_projecting *p, const char *why);
/* What is said of a place: "name: value" in the notes. */
void mcph_node_note(struct mcph_model_node *node, const char *name,
                    struct mcph_span value);
/* Fills `ret` from parts; mcph_node_done() also after a failure. */
int mcph_node_gather(struct mcph_projecting *p, const struct mcph_part *parts, size_t n,
                     struct mcph_model_node *ret);
void mcph_node_done(struct mcph_model_node *node);
/* The type of a value, one bit. */
unsigned mcph_value_type(struct mcph_span value);

/* ---- names of parameters (rename.c) ------------------------------------------------ */

/* Adds the name, a string token, that the provider takes for `key`: the key itself, or
 * another by which mcph_is_named() knows it.  `root`: it is a parameter of the tool
 * itself, not of an object below.  Return 0 or MCPHOST_E_NOMEM; the second 1 if `used` is
 * the name of `key`, else 0. */
int mcph_add_name(struct mcph_projecting *p, struct mcph_span key, bool root,
                  struct mcph_buf *out);
int mcph_is_named(struct mcph_projecting *p, struct mcph_span key, bool root,
                  struct mcph_span used);
void mcph_renames_done(struct mcph_projecting *p);

/* ---- written out (emit.c, emit_object.c) ------------------------------------------- */

enum {
    MCPH_EMIT_ROOT = 1,
    MCPH_EMIT_NULL = 2 /* null is allowed too */
};

/* Returns 1, 0 when nothing is allowed there and nothing was written, or an error. */
int mcph_write_schema(struct mcph_projecting *p, const struct mcph_part *parts, size_t n,
                      unsigned flags);
int mcph_write_one(struct mcph_projecting *p, struct mcph_span schema, unsigned flags);
/* One of several, each once. */
int mcph_write_union(struct mcph_projecting *p, const struct mcph_span *schemas, size_t n,
                     unsigned flags);
int mcph_write_object(struct mcph_projecting *p, struct mcph_model_node *node,
                      unsigned flags);

#endif
