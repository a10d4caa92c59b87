/* SPDX-License-Identifier: MIT
 *
 * inner.h - what the files of the room `schema` share.
 *
 *   document   a text with a name: what was added, compiled, or built in
 *   resource   a schema with a URI of its own: a document's root, or an `$id` in it
 *   node       a subschema; its rules are what its keywords ask for
 *   tape       a JSON text taken apart, once, so that it can be walked often
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

void *mcph_arena_take(struct mcph_arena *arena, size_t n, size_t size); /* zeroed */
char *mcph_arena_copy(struct mcph_arena *arena, const char *data, size_t len); /* + NUL */
void mcph_arena_done(struct mcph_arena *arena);

/* ---- what work may cost (budget.c) ------------------------------------------------- */

struct mcph_budget {
    uint64_t steps, max;
    uint64_t look;     /* the steps at which limits and clock are looked at again */
    int64_t ms, until; /* of this thread's processor time; ms below 0: no limit */
    int err;           /* MCPHOST_E_LIMIT or MCPHOST_E_TIMEOUT once it is spent */
};

void mcph_budget_init(struct mcph_budget *budget, const mcphost_schema *schema);
int mcph_budget_look(struct mcph_budget *budget);

/* Returns 0, or for good the code that ends the work. */
static inline int
mcph_budget_spend(struct mcph_budget *budget, uint64_t steps)
{
    budget->steps += steps;
    return budget->steps < budget->look ? 0 : mcph_budget_look(budget);
}

/* ---- exact numbers (number.c) ------------------------------------------------------ */

/* 0.ddd times ten to the `magnitude`: the digits of a JSON number without the zeros
 * at both ends.  Between them the token may have its point. */
struct mcph_number {
    const char *digits;
    size_t len;        /* of the text that holds them */
    size_t n;          /* of the digits; 0: the number is zero */
    int64_t magnitude; /* saturated: nobody writes out 10^15 digits */
    bool negative;
};

struct mcph_number mcph_number(struct mcph_span token);
int mcph_number_compare(const struct mcph_number *a, const struct mcph_number *b);
bool mcph_number_is_integer(const struct mcph_number *a);
uint64_t mcph_number_hash(const struct mcph_number *a);
/* A count: false when it is negative or no integer; too large ones are SIZE_MAX. */
bool mcph_number_size(const struct mcph_number *a, size_t *ret_size);

#define MCPH_DIVISOR_DIGITS 1024
/* Whether `a` is an integer times `b`, which is positive and has at most
 * MCPH_DIVISOR_DIGITS digits.  *ret_steps: what it cost. */
bool mcph_number_is_multiple(const struct mcph_number *a, const struct mcph_number *b,
                             uint64_t *ret_steps);

/* ---- instances (tape.c, equal.c, same.c) ------------------------------------------- */

/* A value.  Containers are followed by what they hold, objects by a name (a string)
 * and a value in turn; `next` is the first item behind all that. */
struct mcph_schema_value {
    const char *p; /* a string: what it says; else the token */
    size_t len;
    uint32_t next;
    uint32_t n; /* elements or members */
    uint8_t type;
};

#define MCPH_TAPE_ROOM 40
struct mcph_tape {
    struct mcph_schema_value *at;
    uint32_t n, cap, max;
    char *text; /* strings that had escapes, decoded */
    size_t text_len;
    struct mcph_span twice; /* the name that a text has twice */
    struct mcph_schema_value room[MCPH_TAPE_ROOM];
};

/* `value` was checked.  Returns 0, MCPHOST_E_INVALID (`twice` says why),
 * MCPHOST_E_LIMIT (more than `max` items), MCPHOST_E_NOMEM. */
int mcph_tape_init(struct mcph_tape *tape, struct mcph_span value, uint32_t max);
void mcph_tape_done(struct mcph_tape *tape);

#define MCPH_TAPE_NONE UINT32_MAX
/* The value of a member, or MCPH_TAPE_NONE. */
uint32_t mcph_tape_member(const struct mcph_schema_value *tape, uint32_t object,
                          const char *name, size_t len);
/* Of two `const struct mcph_schema_value *`, strings, for qsort(): the shorter first. */
int mcph_tape_by_text(const void *x, const void *y);
/* False too when the budget is spent. */
bool mcph_tape_equal(const struct mcph_schema_value *a, uint32_t ia,
                     const struct mcph_schema_value *b, uint32_t ib,
                     struct mcph_budget *budget);
/* Two equal elements: 1 and where they are; 0 when there are none or the budget is
 * spent, or NOMEM. */
int mcph_tape_twins(const struct mcph_schema_value *tape, uint32_t array,
                    size_t *ret_first, size_t *ret_second, struct mcph_budget *budget);
size_t mcph_text_length(const char *p, size_t len); /* characters */

/* ---- URIs (uri.c) ------------------------------------------------------------------ */

/* `ref` (without fragment) seen from `base`; to the buffer, without a NUL. */
int mcph_uri_resolve(struct mcph_buf *buf, struct mcph_span base, struct mcph_span ref);
bool mcph_uri_is_absolute(struct mcph_span uri);
/* Splits at the '#'; the fragment's p is NULL when there is none. */
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
    int draft;    /* MCPHOST_SCHEMA_DRAFT_* */
    int vocab;    /* VOCAB_* */
    bool assumed; /* no `$schema` said so: what older drafts wrote is understood */
};

enum mcph_keyword mcph_keyword_find(struct mcph_span token,
                                    const struct mcph_dialect *dialect);
const char *mcph_keyword_name(enum mcph_keyword keyword);
/* By the URI of its meta-schema; 0 when it is none of ours. */
int mcph_draft_find(struct mcph_span uri);
/* Reads `$vocabulary`: MCPHOST_E_INVALID for one that is required and not known. */
int mcph_dialect_vocabulary(struct mcph_span vocabulary, int *ret_vocab);
/* The text of a meta-schema (meta.c); p NULL when it is none of ours. */
struct mcph_span mcph_meta_schema(struct mcph_span uri);

/* ---- compiled schemas -------------------------------------------------------------- */

struct mcph_schema_node;

struct mcph_document {
    struct mcph_span uri, root;
    struct mcph_schema_node *node; /* NULL: nobody has referred to it */
    bool main;
};

/* A schema that a `$dynamicRef` may end at. */
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
    struct mcph_span dynamic; /* the anchor to look for; p NULL: none */
    bool recursive;
    enum mcph_keyword keyword;
    struct mcph_schema_node *from;
    struct mcph_ref *next; /* to be resolved */
};

struct mcph_name {
    struct mcph_span text;
    struct mcph_schema_node *node; /* of `properties`, or NULL */
    uint32_t required;             /* counted from 1; 0: it is not */
};

/* How a match is kept within the budget. */
enum {
    PATTERN_COUNTED, /* callouts before each item count what is done */
    PATTERN_SIMPLE,  /* one start, one run: a limit on PCRE2's calls is enough */
    PATTERN_LARGE    /* too large for callouts: the limit, and the worst case is paid */
};

struct mcph_schema_pattern {
    struct mcph_span text;
    pcre2_code *code;
    struct mcph_schema_node *node;
    size_t reach; /* bytes that one item may look at in vain */
    int how;      /* PATTERN_* */
};

/* `properties`, `patternProperties`, `additionalProperties` and `required` at once. */
struct mcph_members {
    struct mcph_name *names;
    struct mcph_map map; /* when they are many */
    struct mcph_schema_pattern *patterns;
    struct mcph_schema_node *rest; /* NULL: anything */
    uint32_t n_names, n_patterns, n_required;
};

struct mcph_depends {
    struct mcph_span name;
    struct mcph_schema_node *node; /* or */
    struct mcph_span *names;       /* n of them */
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
#define TYPE_EVERY     0x7eu /* every type of a value; integers are numbers */

struct mcph_rule {
    uint8_t kind;    /* enum mcph_rule_kind */
    uint8_t applies; /* TYPE_BIT()s of the instances that it speaks of */
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
            struct mcph_schema_value *tape; /* its root is the constant, or the array */
            struct mcph_span text;
        } constant;
        struct {
            struct mcph_number number;
            struct mcph_span text;
            int sign;  /* of instance against bound, which is an error */
            bool open; /* equal is an error too */
        } bound;
        size_t limit;
        struct mcph_schema_pattern pattern;
        struct {
            mcph_format_fn check;
            struct mcph_span name;
        } format;
        struct {
            struct mcph_schema_node **first; /* n of them, then */
            struct mcph_schema_node *rest;   /* or NULL */
            uint32_t n;
            uint8_t rest_keyword;
        } items;
        struct {
            struct mcph_schema_node *node;
            size_t min, max;
            bool marks; /* what it holds is evaluated */
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
    struct mcph_schema_node
        *parent;          /* NULL: `key` is a pointer from the document's root */
    struct mcph_span key; /* a name within `keyword`, or p NULL */
    uint32_t index;       /* in a list */
    uint8_t keyword;      /* of the parent */
    bool in_list;
    bool never, last; /* the schema `false`; there are unevaluated* rules */
    bool queued;
    uint8_t types; /* 0: any */
    uint16_t n_rules;
    struct mcph_rule *rules;
    struct mcph_span dflt;
    struct mcph_schema_node *work; /* to be compiled */
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

    struct mcph_map documents; /* by URI */
    size_t size;               /* of their texts */
    struct mcph_vec codes;     /* pcre2_code * */
    struct mcph_vec maps;      /* struct mcph_map * in the arena */
    struct mcph_schema_node *root;
    bool unevaluated; /* some node has such rules */

    /* While it is compiled. */
    struct mcph_map resources; /* by URI */
    struct mcph_map anchors;   /* by URI#name */
    struct mcph_map nodes;     /* by the place of their text */
    struct mcph_map targets;   /* nodes by the resource and the text of a reference */
    struct mcph_map members;   /* values by the place of a container and a name in it */
    struct mcph_budget budget;
    size_t n_nodes;
    struct mcph_schema_node *work, *work_last;
    struct mcph_ref *unresolved, *unresolved_last;
};

/* ---- compiling (compile.c, rules.c, resolve.c, pattern.c) -------------------------- */

/* schema.c */
void mcph_schema_drop_function(mcphost_schema *schema);
/* Takes a text in; *ret_document is in no map yet.  `what` opens the messages. */
int mcph_schema_take_text(mcphost_schema *schema, const char *what, struct mcph_span json,
                          struct mcph_document **ret_document, mcphost_error **reterr);
struct mcph_document *mcph_schema_document(mcphost_schema *schema, struct mcph_span uri,
                                           int *ret_err, mcphost_error **reterr);
/* What a string token says, for as long as the schema lives. */
int mcph_schema_text(mcphost_schema *schema, struct mcph_span token,
                     struct mcph_span *ret_text);
struct mcph_schema_node *mcph_node_at(mcphost_schema *schema, struct mcph_span at);
/* The node for the subschema `at`, made and queued unless it is there. */
int mcph_node_make(mcphost_schema *schema, struct mcph_schema_node *parent, int keyword,
                   struct mcph_span at, struct mcph_schema_node **ret_node);
int mcph_node_make_at(mcphost_schema *schema, struct mcph_resource *resource,
                      struct mcph_span at, struct mcph_span pointer,
                      struct mcph_schema_node **ret_node);
int mcph_schema_open(mcphost_schema *schema, struct mcph_document *document,
                     mcphost_error **reterr);
int mcph_node_rules(mcphost_schema *schema, struct mcph_schema_node *node,
                    const struct mcph_span kw[KW_COUNT], mcphost_error **reterr);
int mcph_ref_resolve(mcphost_schema *schema, struct mcph_ref *ref,
                     mcphost_error **reterr);
/* Spends of the compile's budget; the error has its message. */
int mcph_schema_spend(mcphost_schema *schema, uint64_t steps, mcphost_error **reterr);
/* "#/properties/a" and, unless it is 0, "/keyword". */
int mcph_node_path(struct mcph_buf *buf, const struct mcph_schema_node *node,
                   int keyword);
/* The message is one line of UTF-8, whatever is put into it. */
int mcph_schema_error(mcphost_error **reterr, int code, const char *fmt, ...)
    MCPHOST_PRINTF(3, 4);
int mcph_node_error(mcphost_error **reterr, int code, const struct mcph_schema_node *node,
                    int keyword, const char *fmt, ...) MCPHOST_PRINTF(5, 6);
/* Compiles what ECMA-262 calls a pattern, pattern->text.  Besides E_INVALID, with the
 * reason in `why_room`, E_NOMEM and what ends the compile's budget. */
int mcph_pattern_compile(mcphost_schema *schema, struct mcph_schema_pattern *pattern,
                         char *why_room, size_t why_size);
/* The same text for PCRE2; MCPHOST_E_INVALID with a static reason. */
int mcph_pattern_translate(struct mcph_span text, bool strict, struct mcph_buf *buf,
                           const char **ret_why);
mcph_format_fn mcph_format_find(struct mcph_span name);
/* The steps that a look at `len` bytes takes. */
uint64_t mcph_format_cost(mcph_format_fn check, size_t len);

/* ---- checking (check.c, check_array.c, check_object.c) ----------------------------- */

struct mcph_schema_scope {
    const struct mcph_resource *resource;
    const struct mcph_schema_scope *outer;
};

/* The way to a value: names of members, numbers of elements. */
struct mcph_way {
    const struct mcph_way *up;
    const struct mcph_schema_value *name; /* NULL: an element */
    size_t index;
};

/* Which elements or members were evaluated; a byte each in the check's `marks`. */
struct mcph_marks {
    size_t at, n;
};

struct mcph_schema_check {
    const mcphost_schema *schema;
    const struct mcph_schema_value *tape;
    const struct mcph_schema_scope *scope;
    const struct mcph_way *way;
    mcphost_schema_report *report; /* NULL: the first error ends it */
    unsigned quiet;                /* within something that may fail */
    unsigned depth;
    struct mcph_budget *budget;
    int err; /* what ended it, with the message */
    const char *why;
    const struct mcph_schema_node *where;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    const struct mcph_schema_pattern *matching; /* and where the last callout was */
    size_t matched_to;
    unsigned char *marks;
    size_t marks_len, marks_cap;
};

typedef bool (*mcph_rule_fn)(struct mcph_schema_check *c,
                             const struct mcph_schema_node *node,
                             const struct mcph_rule *rule, uint32_t at,
                             struct mcph_marks *marks);

/* Whether the item fits; false also when the check has ended (`err`). */
bool mcph_check_node(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                     uint32_t at, struct mcph_marks *marks);
bool mcph_check_stop(struct mcph_schema_check *c, int err, const char *why); /* false */
bool mcph_check_spent(struct mcph_schema_check *c); /* stops it; false */
/* An error: to the report, unless it is no business of anybody's.  Always false. */
bool mcph_check_fail(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                     int keyword, uint32_t at, const char *fmt, ...) MCPHOST_PRINTF(5, 6);
/* The same with words of its own for what was found. */
bool mcph_check_fail_found(struct mcph_schema_check *c,
                           const struct mcph_schema_node *node, int keyword,
                           const char *found, const char *fmt, ...) MCPHOST_PRINTF(5, 6);
bool mcph_check_pattern(struct mcph_schema_check *c,
                        const struct mcph_schema_pattern *pattern,
                        const struct mcph_schema_value *text);
bool mcph_check_loud(const struct mcph_schema_check *c); /* errors are collected here */
/* True if the report is full: further errors are only counted. */
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
/* Whether a number is written as an integer, with digits alone. */
static inline bool
mcph_is_written_integer(const char *p, size_t len)
{
    size_t i;

    for (i = *p == '-'; i < len && p[i] >= '0' && p[i] <= '9'; i++)
        ;
    return i == len;
}
/* What is said of a name; NULL: nothing. */
const struct mcph_name *mcph_members_find(const struct mcph_members *members,
                                          struct mcph_span name);
/* Where a reference leads, in this dynamic scope. */
const struct mcph_schema_node *mcph_ref_target(struct mcph_schema_check *c,
                                               const struct mcph_ref *ref);

/* False when the budget is spent; the check has ended then. */
static inline bool
mcph_check_spend(struct mcph_schema_check *c, uint64_t steps)
{
    return mcph_budget_spend(c->budget, steps) == 0 || mcph_check_spent(c);
}

/* ---- defaults (defaults.c) and reports (report.c) ---------------------------------- */

/* Adds the completed value to `buf`; *ret_changed: something was put in. */
int mcph_schema_complete(const mcphost_schema *schema, const struct mcph_tape *tape,
                         struct mcph_span value, struct mcph_budget *budget,
                         struct mcph_buf *buf, bool *ret_changed);

struct mcphost_schema_report {
    struct mcph_refs refs;
    size_t n, max, more; /* errors here; that did not fit */
    size_t *texts;       /* MCPH_SCHEMA_N_TEXTS offsets each */
    struct mcph_buf buf; /* of NUL-terminated texts */
    struct mcph_buf line, json, instance;
    bool completed;
};

int mcph_report_new(size_t max, mcphost_schema_report **ret_report);
int mcph_report_add(mcphost_schema_report *report, const struct mcph_way *way,
                    const struct mcph_schema_node *node, int keyword,
                    const char *expected, const char *found);
int mcph_report_finish(mcphost_schema_report *report);
/* What a value is, in a few words: `string "abc"`. */
void mcph_report_value(const struct mcph_schema_value *item, char *room, size_t size);

#endif
