/* SPDX-License-Identifier: MIT
 *
 * inner.h - declarations shared by the files of lib/schema.
 *
 *   document   a JSON text with a URI: the schema, an added text, or a built-in text
 *   resource   a schema with its own URI: a document's root, or a subschema with `$id`
 *   node       a compiled subschema, whose rules come from its keywords
 *   tape       a JSON text parsed once into items that are fast to walk
 */
#ifndef MCPH_SCHEMA_INNER_H
#define MCPH_SCHEMA_INNER_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "schema/schema.h"

/* ---- memory of one schema (arena.c) ------------------------------------------------ */

struct mcph_arena {
    struct mcph_arena_chunk *chunks;
    char *p;
    size_t left;
};

/* Returns zeroed memory, or NULL if memory is short. */
void *mcph_arena_take(struct mcph_arena *arena, size_t n, size_t size);
/* Copies `data` and appends a NUL.  Returns NULL if memory is short. */
char *mcph_arena_copy(struct mcph_arena *arena, const char *data, size_t len);
void mcph_arena_done(struct mcph_arena *arena);

/* ---- work budget (budget.c) -------------------------------------------------------- */

struct mcph_budget {
    uint64_t steps, max;
    uint64_t look;     /* step count at which limit and clock are next checked */
    int64_t ms, until; /* `ms`: limit in ms, negative for no limit; `until`:
                        * deadline; both in CPU time of the thread */
    int err;           /* MCPHOST_E_LIMIT or MCPHOST_E_TIMEOUT once the budget is spent */
};

void mcph_budget_init(struct mcph_budget *budget, const mcphost_schema *schema);
int mcph_budget_look(struct mcph_budget *budget);

/* Charges `steps` to the budget.  Returns 0, or an error code if the budget is spent.
 * Every later call then returns the same code. */
static inline int
mcph_budget_spend(struct mcph_budget *budget, uint64_t steps)
{
    budget->steps += steps;
    return budget->steps < budget->look ? 0 : mcph_budget_look(budget);
}

/* ---- exact numbers (number.c) ------------------------------------------------------ */

/* The number 0.ddd times 10^`magnitude`.  `digits` points into the JSON token and
 * excludes leading and trailing zeros.  The decimal point may be among the digits. */
struct mcph_number {
    const char *digits;
    size_t len;        /* bytes at `digits`, including a decimal point among them */
    size_t n;          /* number of digits; 0 if the number is zero */
    int64_t magnitude; /* clamped to +-10^15 */
    bool negative;
};

struct mcph_number mcph_number(struct mcph_span token);
int mcph_number_compare(const struct mcph_number *a, const struct mcph_number *b);
bool mcph_number_is_integer(const struct mcph_number *a);
uint64_t mcph_number_hash(const struct mcph_number *a);
/* Reads a count.  Returns false if the number is negative or not an integer.  A number
 * that is too large gives SIZE_MAX. */
bool mcph_number_size(const struct mcph_number *a, size_t *ret_size);

#define MCPH_DIVISOR_DIGITS 1024
/* Checks whether `a` is an integer multiple of `b`.  `b` must be positive and have at
 * most MCPH_DIVISOR_DIGITS digits.  Stores the cost in steps in *ret_steps. */
bool mcph_number_is_multiple(const struct mcph_number *a, const struct mcph_number *b,
                             uint64_t *ret_steps);

/* ---- tapes (tape.c, equal.c, same.c) ----------------------------------------------- */

/* One item of a tape: a value, or the name of a member.  The contents of a container
 * follow its item.  An object's contents are alternately names (strings) and values.
 * `next` is the index of the first item after the contents. */
struct mcph_schema_value {
    const char *p; /* the decoded text of a string, else the token */
    size_t len;
    uint32_t next;
    uint32_t n; /* number of elements or members */
    uint8_t type;
};

#define MCPH_TAPE_ROOM 40
struct mcph_tape {
    struct mcph_schema_value *at;
    uint32_t n, cap, max;
    char *text; /* decoded texts of strings with escapes */
    size_t text_len;
    struct mcph_span twice; /* a name that an object has twice */
    struct mcph_schema_value room[MCPH_TAPE_ROOM];
};

/* Parses `value` into a tape.  `value` must have passed mcph_json_check().  Returns 0,
 * MCPHOST_E_INVALID if an object has a name twice, MCPHOST_E_LIMIT if `value` has more
 * than `max` items, or MCPHOST_E_NOMEM.  After MCPHOST_E_INVALID, tape->twice is the
 * name.  Call mcph_tape_done() after an error too. */
int mcph_tape_init(struct mcph_tape *tape, struct mcph_span value, uint32_t max);
void mcph_tape_done(struct mcph_tape *tape);

#define MCPH_TAPE_NONE UINT32_MAX
/* Returns the index of a member's value, or MCPH_TAPE_NONE if the object has no member
 * `name`. */
uint32_t mcph_tape_member(const struct mcph_schema_value *tape, uint32_t object,
                          const char *name, size_t len);
/* Orders two string items for qsort() of pointers to items.  A shorter string precedes a
 * longer string. */
int mcph_tape_by_text(const void *x, const void *y);
/* Checks whether two values are equal.  Also returns false if the budget is spent. */
bool mcph_tape_equal(const struct mcph_schema_value *a, uint32_t ia,
                     const struct mcph_schema_value *b, uint32_t ib,
                     struct mcph_budget *budget);
/* Looks for two equal elements of an array.  Returns 1 and the indices of the elements, 0
 * if no elements are equal or the budget is spent, or MCPHOST_E_NOMEM. */
int mcph_tape_twins(const struct mcph_schema_value *tape, uint32_t array,
                    size_t *ret_first, size_t *ret_second, struct mcph_budget *budget);
size_t mcph_text_length(const char *p, size_t len); /* length in characters */

/* ---- URIs (uri.c) ------------------------------------------------------------------ */

/* Appends `ref` (without fragment), resolved against `base`, to `buf` without a NUL. */
int mcph_uri_resolve(struct mcph_buf *buf, struct mcph_span base, struct mcph_span ref);
bool mcph_uri_is_absolute(struct mcph_span uri);
/* Splits `uri` at the '#', and returns the part before the '#'.  If `uri` has no '#', the
 * fragment's `p` is NULL. */
struct mcph_span mcph_uri_split(struct mcph_span uri, struct mcph_span *ret_fragment);

/* ---- drafts and keywords (dialect.c) ----------------------------------------------- */

enum mcph_keyword {
    KW_NONE,
#define KEYWORD(id, name, first, last, vocabulary) id,
#include "schema/keywords.h"
#undef KEYWORD
    KW_COUNT
};

enum {
    VOCAB_CORE = 1,
    VOCAB_APPLICATOR = 2,
    VOCAB_UNEVALUATED = 4,
    VOCAB_VALIDATION = 8,
    VOCAB_FORMAT = 16,
    VOCAB_FORMAT_ASSERTION = 32,
    VOCAB_ALL = 31
};

struct mcph_dialect {
    int draft;    /* one of MCPHOST_SCHEMA_DRAFT_* */
    int vocab;    /* set of VOCAB_* */
    bool assumed; /* accepts forms that only older drafts allow, because the schema has no
                   * `$schema` */
};

enum mcph_keyword mcph_keyword_find(struct mcph_span token,
                                    const struct mcph_dialect *dialect);
const char *mcph_keyword_name(enum mcph_keyword keyword);
/* Finds a draft by the URI of its meta-schema.  Returns 0 if the URI names no known
 * draft. */
int mcph_draft_find(struct mcph_span uri);
/* Reads `$vocabulary` into a set of VOCAB_*.  Returns MCPHOST_E_INVALID if an unknown
 * vocabulary is required. */
int mcph_dialect_vocabulary(struct mcph_span vocabulary, int *ret_vocab);
/* Returns the text of a built-in meta-schema (meta.c).  Returns MCPH_SPAN_NONE if `uri`
 * names no meta-schema. */
struct mcph_span mcph_meta_schema(struct mcph_span uri);

/* ---- compiled schemas -------------------------------------------------------------- */

struct mcph_schema_node;

struct mcph_document {
    struct mcph_span uri, root;
    struct mcph_schema_node *node; /* the root; NULL before mcph_schema_open() */
    bool main;
};

/* A subschema with `$dynamicAnchor`, to which a `$dynamicRef` may lead. */
struct mcph_dynamic {
    struct mcph_span name;
    struct mcph_schema_node *node;
    struct mcph_dynamic *next;
};

struct mcph_resource {
    struct mcph_span uri;
    struct mcph_document *document;
    struct mcph_schema_node *node;
    struct mcph_dialect dialect;
    struct mcph_dynamic *dynamics;
    bool recursive; /* `$recursiveAnchor` is true */
};

struct mcph_ref {
    struct mcph_schema_node *target;
    struct mcph_span text;
    struct mcph_span dynamic; /* anchor to look for in the dynamic scope, or p is NULL */
    bool recursive;
    enum mcph_keyword keyword;
    struct mcph_schema_node *from;
    struct mcph_ref *next; /* next unresolved reference */
};

struct mcph_name {
    struct mcph_span text;
    struct mcph_schema_node *node; /* schema in `properties`, or NULL */
    uint32_t required;             /* position among the required names, from 1; 0 if
                                    * optional */
};

/* The ways in which the cost of a match is charged to the budget. */
enum {
    PATTERN_COUNTED, /* a callout before each item of the pattern charges the work */
    PATTERN_SIMPLE,  /* PCRE2's match limit bounds the work; see choose_charge() */
    PATTERN_LARGE    /* too large for callouts; the match limit is charged in advance */
};

struct mcph_schema_pattern {
    struct mcph_span text;
    pcre2_code *code;
    struct mcph_schema_node *node;
    size_t reach; /* bytes that one item of the pattern may examine before it fails */
    int how;      /* one of PATTERN_* */
};

/* The rules of `properties`, `patternProperties`, `additionalProperties` and `required`.
 * One pass checks all four. */
struct mcph_members {
    struct mcph_name *names;
    struct mcph_map map; /* finds `names` by text; empty if the names are few */
    struct mcph_schema_pattern *patterns;
    struct mcph_schema_node *rest; /* schema of all other members, or NULL */
    uint32_t n_names, n_patterns, n_required;
};

struct mcph_depends {
    struct mcph_span name;
    struct mcph_schema_node *node; /* schema that the object must fit, or NULL */
    struct mcph_span *names;       /* if `node` is NULL, the n names that the object
                                    * must have */
    size_t n;
};

typedef bool (*mcph_format_fn)(const char *p, size_t len);

enum mcph_rule_kind {
    RULE_REF,
    RULE_ALL_OF,
    RULE_ANY_OF,
    RULE_ONE_OF,
    RULE_NOT,
    RULE_IF,
    RULE_CONST,
    RULE_ENUM,
    RULE_MULTIPLE,
    RULE_BOUND,
    RULE_MIN_LENGTH,
    RULE_MAX_LENGTH,
    RULE_PATTERN,
    RULE_FORMAT,
    RULE_MIN_COUNT,
    RULE_MAX_COUNT,
    RULE_UNIQUE,
    RULE_ITEMS,
    RULE_CONTAINS,
    RULE_MEMBERS,
    RULE_NAMES,
    RULE_DEPENDS,
    RULE_LAST_ITEMS,
    RULE_LAST_MEMBERS,
    RULE_COUNT
};

#define TYPE_BIT(type) (1u << (type))
#define TYPE_INTEGER   TYPE_BIT(7)
#define TYPE_EVERY     0x7eu /* all types; includes integers as numbers */

struct mcph_rule {
    uint8_t kind;    /* enum mcph_rule_kind */
    uint8_t applies; /* TYPE_BIT()s of the values that the rule applies to */
    uint8_t keyword; /* enum mcph_keyword */
    union {
        struct mcph_ref *ref;
        struct mcph_schema_node *node;
        struct {
            struct mcph_schema_node **nodes;
            size_t n;
        } list;
        struct {
            struct mcph_schema_node *condition, *then, *otherwise;
        } branch;
        struct {
            struct mcph_schema_value *tape; /* the constant, or the array of `enum` */
            struct mcph_span text;
        } constant;
        struct {
            struct mcph_number number;
            struct mcph_span text;
            int sign;  /* -1 for a minimum, 1 for a maximum */
            bool open; /* exclusive: a value equal to the bound fails */
        } bound;
        size_t limit;
        struct mcph_schema_pattern pattern;
        struct {
            mcph_format_fn check;
            struct mcph_span name;
        } format;
        struct {
            struct mcph_schema_node **first; /* schemas of the first n items */
            struct mcph_schema_node *rest;   /* schema of all other items, or NULL */
            uint32_t n;
        } items;
        struct {
            struct mcph_schema_node *node;
            size_t min, max;
            bool marks; /* matching items count as evaluated */
        } contains;
        struct mcph_members *members;
        struct {
            struct mcph_depends *list;
            size_t n;
        } depends;
    };
};

struct mcph_schema_node {
    struct mcph_span at;
    struct mcph_resource *resource;
    struct mcph_schema_node *parent; /* NULL at the root of a document */
    /* The name of the member that holds this schema, if `keyword` has an object of named
     * schemas (as in `properties`).  If `keyword` is KW_NONE, `key` is a JSON pointer
     * from `parent`. */
    struct mcph_span key;
    uint32_t index;  /* position in a list of schemas */
    uint8_t keyword; /* keyword of the parent that holds this schema */
    bool in_list;
    bool never, last; /* `never`: the schema is `false`; `last`: the schema has
                       * unevaluated* rules */
    uint8_t types;    /* TYPE_BIT()s of `type`; 0 means any type */
    uint16_t n_rules;
    struct mcph_rule *rules;
    struct mcph_span dflt;
    struct mcph_schema_node *work; /* next node to compile */
};

enum { SCHEMA_NEW, SCHEMA_COMPILING, SCHEMA_READY, SCHEMA_BROKEN };

struct mcphost_schema {
    struct mcph_refs refs;
    int state;
    int64_t options[MCPHOST_SCHEMA_OPT_MAX_VALUES + 1];
    struct mcph_arena arena;
    mcphost_schema_document_fn fn;
    void *arg;
    mcphost_free_fn free_arg;

    struct mcph_map documents; /* keyed by URI */
    size_t size;               /* bytes of all documents */
    struct mcph_vec codes;     /* holds pcre2_code * */
    struct mcph_vec maps;      /* holds struct mcph_map * in the arena */
    struct mcph_schema_node *root;

    /* The following members are used only while the schema is compiled. */
    struct mcph_map resources; /* keyed by URI */
    struct mcph_map anchors;   /* keyed by URI#name */
    struct mcph_map nodes;     /* keyed by the address of their text */
    struct mcph_map targets;   /* nodes, keyed by resource and text of a reference */
    struct mcph_map members;   /* values, keyed by address of the container and name */
    struct mcph_budget budget;
    size_t n_nodes;
    struct mcph_schema_node *work, *work_last;
    struct mcph_ref *unresolved, *unresolved_last;
};

/* ---- compiling (compile.c, rules.c, resolve.c, pattern.c) -------------------------- */

/* Drops the application's function that supplies documents, and frees that function's
 * argument (schema.c). */
void mcph_schema_drop_function(mcphost_schema *schema);
/* Checks a text and copies it into the schema (schema.c).  *ret_document is in no map
 * yet.  Error messages about the text begin with `what`. */
int mcph_schema_take_text(mcphost_schema *schema, const char *what, struct mcph_span json,
                          struct mcph_document **ret_document, mcphost_error **reterr);
struct mcph_document *mcph_schema_document(mcphost_schema *schema, struct mcph_span uri,
                                           int *ret_err, mcphost_error **reterr);
/* Decodes a string token.  *ret_text lives as long as the schema. */
int mcph_schema_text(mcphost_schema *schema, struct mcph_span token,
                     struct mcph_span *ret_text);
struct mcph_schema_node *mcph_node_at(mcphost_schema *schema, struct mcph_span at);
/* Finds the node of the subschema `at`, or makes and queues the node. */
int mcph_node_make(mcphost_schema *schema, struct mcph_schema_node *parent, int keyword,
                   struct mcph_span at, struct mcph_schema_node **ret_node);
/* Makes the node of a subschema that no keyword holds.  `pointer` leads from `root` to
 * the subschema. */
int mcph_node_make_at(mcphost_schema *schema, struct mcph_resource *resource,
                      struct mcph_span at, struct mcph_schema_node *root,
                      struct mcph_span pointer, struct mcph_schema_node **ret_node);
int mcph_schema_open(mcphost_schema *schema, struct mcph_document *document,
                     mcphost_error **reterr);
int mcph_node_rules(mcphost_schema *schema, struct mcph_schema_node *node,
                    const struct mcph_span kw[KW_COUNT], mcphost_error **reterr);
int mcph_ref_resolve(mcphost_schema *schema, struct mcph_ref *ref,
                     mcphost_error **reterr);
/* Charges steps to the budget of the compilation.  If the budget is spent, returns an
 * error with a message. */
int mcph_schema_spend(mcphost_schema *schema, uint64_t steps, mcphost_error **reterr);
/* Appends the path of a node, for example "#/properties/a", and then "/keyword" unless
 * `keyword` is 0. */
int mcph_node_path(struct mcph_buf *buf, const struct mcph_schema_node *node,
                   int keyword);
/* Makes an error.  The message is one line of valid UTF-8, whatever bytes the arguments
 * hold. */
int mcph_schema_error(mcphost_error **reterr, int code, const char *fmt, ...)
    MCPHOST_PRINTF(3, 4);
int mcph_node_error(mcphost_error **reterr, int code, const struct mcph_schema_node *node,
                    int keyword, const char *fmt, ...) MCPHOST_PRINTF(5, 6);
/* Compiles pattern->text, a regular expression of ECMA-262.  Returns 0, MCPHOST_E_INVALID
 * with the reason in `why_room`, MCPHOST_E_NOMEM, or the error of the spent budget. */
int mcph_pattern_compile(mcphost_schema *schema, struct mcph_schema_pattern *pattern,
                         char *why_room, size_t why_size);
/* Translates a regular expression of ECMA-262 for PCRE2.  `strict` rejects constructs
 * that ECMA-262 does not have.  If the function returns MCPHOST_E_INVALID, *ret_why is a
 * static text. */
int mcph_pattern_translate(struct mcph_span text, bool strict, struct mcph_buf *buf,
                           const char **ret_why);
mcph_format_fn mcph_format_find(struct mcph_span name);
/* Returns the cost in steps of checking `len` bytes. */
uint64_t mcph_format_cost(mcph_format_fn check, size_t len);

/* ---- checking (check.c, check_array.c, check_object.c) ----------------------------- */

struct mcph_schema_scope {
    const struct mcph_resource *resource;
    const struct mcph_schema_scope *outer;
};

/* The path to a value: member names and element indices, linked from the innermost to the
 * outermost. */
struct mcph_way {
    const struct mcph_way *up;
    const struct mcph_schema_value *name; /* NULL for an array element */
    size_t index;
};

/* The record of evaluated elements or members: one byte each in the check's `marks`, from
 * offset `at` on. */
struct mcph_marks {
    size_t at, n;
};

struct mcph_schema_check {
    const mcphost_schema *schema;
    const struct mcph_schema_value *tape;
    const struct mcph_schema_scope *scope;
    const struct mcph_way *way;
    mcphost_schema_report *report; /* if NULL, the check stops at the first error */
    unsigned quiet;                /* above 0: failures are allowed and not reported */
    unsigned depth;
    struct mcph_budget *budget;
    int err;         /* code of the error that ended the check */
    const char *why; /* static message of the error, or NULL */
    const struct mcph_schema_node *where;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    const struct mcph_schema_pattern *matching; /* the pattern that is being matched */
    size_t matched_to;                          /* position of the last callout */
    unsigned char *marks;
    size_t marks_len, marks_cap;
};

typedef bool (*mcph_rule_fn)(struct mcph_schema_check *c,
                             const struct mcph_schema_node *node,
                             const struct mcph_rule *rule, uint32_t at,
                             struct mcph_marks *marks);

/* Checks the item at `at` against a node.  Returns false if the item does not fit or the
 * check has ended (`err`). */
bool mcph_check_node(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                     uint32_t at, struct mcph_marks *marks);
/* Ends the check with an error.  `why` is static.  Always returns false. */
bool mcph_check_stop(struct mcph_schema_check *c, int err, const char *why);
/* Ends the check because its budget is spent.  Always returns false. */
bool mcph_check_spent(struct mcph_schema_check *c);
/* Adds an error to the report if errors are being collected.  Always returns false. */
bool mcph_check_fail(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                     int keyword, uint32_t at, const char *fmt, ...) MCPHOST_PRINTF(5, 6);
/* Works like mcph_check_fail(), but the caller describes the value in `found`. */
bool mcph_check_fail_found(struct mcph_schema_check *c,
                           const struct mcph_schema_node *node, int keyword,
                           const char *found, const char *fmt, ...) MCPHOST_PRINTF(5, 6);
bool mcph_check_pattern(struct mcph_schema_check *c,
                        const struct mcph_schema_pattern *pattern,
                        const struct mcph_schema_value *text);
/* Checks whether errors are collected. */
bool mcph_check_loud(const struct mcph_schema_check *c);
/* Checks whether the report is full.  A full report only counts further errors. */
bool mcph_check_full(const struct mcph_schema_check *c);
bool mcph_marks_open(struct mcph_schema_check *c, size_t n, struct mcph_marks *ret_marks);
void mcph_marks_close(struct mcph_schema_check *c, const struct mcph_marks *marks);

bool mcph_check_items(struct mcph_schema_check *, const struct mcph_schema_node *,
                      const struct mcph_rule *, uint32_t, struct mcph_marks *);
bool mcph_check_contains(struct mcph_schema_check *, const struct mcph_schema_node *,
                         const struct mcph_rule *, uint32_t, struct mcph_marks *);
bool mcph_check_unique(struct mcph_schema_check *, const struct mcph_schema_node *,
                       const struct mcph_rule *, uint32_t, struct mcph_marks *);
bool mcph_check_last_items(struct mcph_schema_check *, const struct mcph_schema_node *,
                           const struct mcph_rule *, uint32_t, struct mcph_marks *);
bool mcph_check_members(struct mcph_schema_check *, const struct mcph_schema_node *,
                        const struct mcph_rule *, uint32_t, struct mcph_marks *);
bool mcph_check_names(struct mcph_schema_check *, const struct mcph_schema_node *,
                      const struct mcph_rule *, uint32_t, struct mcph_marks *);
bool mcph_check_depends(struct mcph_schema_check *, const struct mcph_schema_node *,
                        const struct mcph_rule *, uint32_t, struct mcph_marks *);
bool mcph_check_last_members(struct mcph_schema_check *, const struct mcph_schema_node *,
                             const struct mcph_rule *, uint32_t, struct mcph_marks *);
/* Checks whether a number is written with digits alone and an optional minus sign. */
static inline bool
mcph_is_written_integer(const char *p, size_t len)
{
    size_t i;

    for (i = *p == '-'; i < len && p[i] >= '0' && p[i] <= '9'; i++)
        ;
    return i == len;
}
/* Returns the entry of a name, or NULL if neither `properties` nor `required` has it. */
const struct mcph_name *mcph_members_find(const struct mcph_members *members,
                                          struct mcph_span name);
/* Returns the target of a reference in the current dynamic scope, or NULL if the check
 * ended. */
const struct mcph_schema_node *mcph_ref_target(struct mcph_schema_check *c,
                                               const struct mcph_ref *ref);

/* Charges steps to the budget of the check.  If the budget is spent, ends the check and
 * returns false. */
static inline bool
mcph_check_spend(struct mcph_schema_check *c, uint64_t steps)
{
    return mcph_budget_spend(c->budget, steps) == 0 || mcph_check_spent(c);
}

/* ---- defaults (defaults.c) and reports (report.c) ---------------------------------- */

/* Appends the value with its missing defaults to `buf`.  If no member was added,
 * *ret_changed is false and `buf` stays empty. */
int mcph_schema_complete(const mcphost_schema *schema, const struct mcph_tape *tape,
                         struct mcph_span value, struct mcph_budget *budget,
                         struct mcph_buf *buf, bool *ret_changed);

struct mcphost_schema_report {
    struct mcph_refs refs;
    size_t n, max, more; /* `more` counts errors that did not fit */
    size_t *texts;       /* MCPH_SCHEMA_N_TEXTS offsets into `buf` for each error */
    struct mcph_buf buf; /* NUL-terminated texts */
    struct mcph_buf line, json, instance;
    bool completed;
};

int mcph_report_new(size_t max, mcphost_schema_report **ret_report);
int mcph_report_add(mcphost_schema_report *report, const struct mcph_way *way,
                    const struct mcph_schema_node *node, int keyword,
                    const char *expected, const char *found);
int mcph_report_finish(mcphost_schema_report *report);
/* Describes a value in a few words, for example `string "abc"`. */
void mcph_report_value(const struct mcph_schema_value *item, char *room, size_t size);

#endif
