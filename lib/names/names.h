/* SPDX-License-Identifier: MIT
 *
 * names.h - the room `names`: which tools pass, and what they are called.
 *
 * Validity of tool names (R47), wildcard patterns (B.7), filters (R31-R40),
 * transforms (R41-R46), the order in which one tool is decided (B.8, steps 1
 * to 4) and the "did you mean" helper.  Pure functions over strings: nothing
 * here reads files, knows servers, or logs, and no user code is called but the
 * application's name function.  Collisions (B.8, steps 5 and 6) need the
 * neighbours and belong to `catalog`.
 *
 * The structures below are the public handles mcphost_filter and
 * mcphost_transform.  They are built by one thread, then frozen; frozen ones
 * are immutable and may be read by any thread.
 */
#ifndef MCPH_NAMES_H
#define MCPH_NAMES_H

#include "base/base.h"
#include "json/json.h"

#include <mcphost/filter.h>
#include <mcphost/source.h>
#include <mcphost/transform.h>

/* ---- validity (valid.c) ------------------------------------------------------------ */

#define MCPH_NAME_MAX       64   /* bytes of a valid tool name */
#define MCPH_NAME_TEXT_MAX  1024 /* bytes of a pattern or of a transform's text */
#define MCPH_NAME_LIST_MAX  1024 /* patterns of a list, steps of a transform */
#define MCPH_NAME_SHOWN_MAX 192  /* bytes of a bad name kept for messages */

/* The rule that a name breaks. */
enum {
    MCPH_NAME_RULE_NONE = 0, /* valid */
    MCPH_NAME_RULE_EMPTY,
    MCPH_NAME_RULE_LENGTH,    /* more than MCPH_NAME_MAX bytes */
    MCPH_NAME_RULE_CHARACTER, /* a character beside ASCII letters, digits, '_' and '-' */
    MCPH_NAME_RULE_LINE /* of an original that need not be valid: a control character, or
                         * more than MCPH_NAME_TEXT_MAX bytes */
};

/* `len` bytes, which may hold NULs; the end of the bytes is the end of the name. */
int mcph_name_check(const char *name, size_t len);

/* Whether a name may have this character. */
bool mcph_name_has_char(char c);

/* Appends the id of a resource made of `text` (id.c): each run of other characters is one
 * '_', those at both ends fall away, and of nothing "resource" is made.  0,
 * MCPHOST_E_NOMEM, MCPHOST_E_LIMIT of the buffer. */
int mcph_name_add_id(const char *text, size_t len, struct mcph_buf *buf);

/* What the rule demands, as a static text for problems, e.g. "is longer than
 * 64 characters"; follows the quoted name. */
const char *mcph_name_rule_text(int rule);

/* ---- the normal form (normal.c) ---------------------------------------------------- */

/* The length of the white space of JavaScript at `p`, or 0: that of ASCII, U+FEFF, and
 * the spaces of Unicode. */
size_t mcph_name_space(const char *p, const char *end);
/* The text without the white space around it. */
struct mcph_span mcph_name_trim(const char *text, size_t len);
/* Appends the text trimmed, in lower case, each run of characters outside of [a-z0-9_-]
 * as one '_'; with `dot` a '.' is kept, too.  A '_' at an end stays.
 * 0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT of the buffer. */
int mcph_name_add_normal(const char *text, size_t len, bool dot, struct mcph_buf *buf);
/* Appends "mcp_SERVER_NAME", both parts in normal form.  An empty part becomes "server" or
 * "tool".  Returns likewise. */
int mcph_name_add_full(const char *server, const char *name, size_t len,
                       struct mcph_buf *buf);

/* ---- patterns and filters (filter.c) ----------------------------------------------- */

/* `*` is any run of bytes, also none; everything else is itself; the pattern
 * covers the whole name.  Case-sensitive.  Linear in len * number of stars. */
bool mcph_name_match(const char *pattern, size_t pattern_len, const char *name,
                     size_t len);

enum { MCPH_FILTER_WHITELIST, MCPH_FILTER_BLACKLIST };

struct mcph_pattern {
    char *text;
    size_t len;
};

struct mcph_patterns {
    struct mcph_pattern *items;
    size_t n;
};

struct mcphost_filter {
    struct mcph_refs refs;
    atomic_bool frozen;
    struct mcph_patterns lists[2]; /* MCPH_FILTER_WHITELIST, MCPH_FILTER_BLACKLIST */
    char *whitelist_text;          /* all whitelist patterns, joined by ", "; or NULL */
};

mcphost_filter *mcph_filter_new(void); /* NULL: out of memory; an empty one passes all */
mcphost_filter *mcph_filter_unref(mcphost_filter *filter); /* returns NULL */
void mcph_filter_freeze(mcphost_filter *filter);           /* from now on immutable */

/* Adds a pattern; a blank one is dropped (B.3).  0, MCPHOST_E_STATE when
 * frozen, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_filter_add(mcphost_filter *filter, int list, const char *pattern, size_t len);

/* MCPHOST_FILTER_PASSED, _BLACKLISTED or _NOT_WHITELISTED; `filter` may be NULL
 * (all pass).  *ret_pattern (may be NULL) gets what decided, borrowed from the
 * filter: see mcphost_filter_match(). */
int mcph_filter_decide(const mcphost_filter *filter, const char *name, size_t len,
                       const char **ret_pattern);

/* The same for what has two names, of which a pattern fits either; `other` NULL: it
 * has one. */
int mcph_filter_decide_either(const mcphost_filter *filter, const char *name, size_t len,
                              const char *other, size_t other_len,
                              const char **ret_pattern);

/* ---- transforms (transform.c) ------------------------------------------------------ */

enum {
    MCPH_TRANSFORM_PREFIX, /* strip `remove` where it leads, then prepend `add` */
    MCPH_TRANSFORM_SUFFIX, /* append `add` */
    MCPH_TRANSFORM_MAP     /* put `add` for each character that a name may not have */
};

struct mcph_transform_step {
    int kind;
    char *add, *remove; /* remove: "" for a plain prefix and for a suffix */
    size_t add_len, remove_len;
};

struct mcphost_transform {
    struct mcph_refs refs;
    atomic_bool frozen;
    struct mcph_transform_step *steps;
    size_t n;
};

mcphost_transform *mcph_transform_new(void); /* NULL: out of memory; empty: identity */
mcphost_transform *mcph_transform_unref(mcphost_transform *transform);
void mcph_transform_freeze(mcphost_transform *transform);

/* Adds a step at the end; remove may be NULL.  0, MCPHOST_E_STATE when frozen,
 * MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_transform_add(mcphost_transform *transform, int kind, const char *add,
                       size_t add_len, const char *remove, size_t remove_len);

/* Appends the transformed name to `buf`; `transform` may be NULL (identity).  With
 * `hashed` a map tells apart names that it would make the same.
 * 0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT of the buffer. */
int mcph_transform_apply(const mcphost_transform *transform, const char *name, size_t len,
                         bool hashed, struct mcph_buf *buf);
/* Whether a step of it maps: bad original names are no obstacle then. */
bool mcph_transform_maps(const mcphost_transform *transform);

/* ---- the decision for one tool (decide.c) ------------------------------------------ */

/* How a name is made out of the original one (architecture.md section 5). */
enum {
    MCPH_NAME_POLICY_TRANSFORMS =
        0, /* the configured transforms; the original must be valid, unless one maps */
    MCPH_NAME_POLICY_SERVER = 1, /* "<server>__" before what those make of it */
    MCPH_NAME_POLICY_FULL = 2, /* "mcp_<server>_<that>", each in normal form; the original
                                * need not be valid */
    MCPH_NAME_POLICY_CALLBACK = 3 /* what the application's function makes of that; the
                                   * original need not be valid */
};

struct mcph_naming {
    int policy; /* MCPH_NAME_POLICY_* */
    /* of MCPH_NAME_POLICY_CALLBACK; NULL: every name is refused */
    mcphost_name_fn fn;
    void *arg;
};

/* Whether an original name need not be valid, so that it may be long. */
bool mcph_naming_takes_any(const struct mcph_naming *naming);

#define MCPH_NAME_ROOM 256 /* bytes that the application's function may write */

struct mcph_name_rules {
    struct mcph_naming naming;
    const mcphost_filter *filter;       /* NULL: all pass */
    const mcphost_transform *transform; /* NULL: as it is */
    bool hashed;        /* another name of the list is mapped to the same */
    const char *server; /* its id; MCPH_NAME_POLICY_TRANSFORMS needs none */
};

/* In the order in which they are decided (B.8): the first that holds. */
enum {
    MCPH_NAME_ACCEPTED = 0,
    MCPH_NAME_INVALID, /* the original name breaks a rule */
    MCPH_NAME_BLACKLISTED,
    MCPH_NAME_NOT_WHITELISTED,
    MCPH_NAME_REFUSED,            /* by the application's function */
    MCPH_NAME_INVALID_TRANSFORMED /* the name that comes out breaks a rule */
};

struct mcph_name_decision {
    int verdict; /* MCPH_NAME_* */
    int rule;    /* MCPH_NAME_RULE_* of the invalid verdicts, else 0 */
    /* Of the filter's verdicts: the first blacklist pattern that matched, or
     * all whitelist patterns joined by ", ".  Borrowed from the filter. */
    const char *pattern;
    /* ACCEPTED: the final name.  INVALID_TRANSFORMED: its beginning, cleaned
     * for messages (one line, valid UTF-8).  REFUSED: the beginning of the
     * reason, likewise.  Else "". */
    char name[MCPH_NAME_SHOWN_MAX + 1];
    size_t len;
};

/* Decides one tool from its original name.  0; MCPHOST_E_NOMEM; any other
 * outcome is a verdict. */
int mcph_name_decide(const struct mcph_name_rules *rules, const char *name, size_t len,
                     struct mcph_name_decision *ret_decision);

/* ---- did you mean (nearest.c) ------------------------------------------------------ */

/* The entry of `known` that is so near to `word` that it was probably meant
 * (insertions, deletions, replacements and swaps of neighbours; at most a
 * third of the word), or NULL.  Ties: the first. */
const char *mcph_name_nearest(const char *word, size_t len, const char *const *known,
                              size_t n);

#endif
