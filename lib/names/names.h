/* SPDX-License-Identifier: MIT
 *
 * names.h - interface of lib/names: decide which tools are offered, and under which
 * names.
 *
 * lib/names has the validity of tool names (R47), wildcard patterns (B.7), filters
 * (R31-R40), transforms (R41-R46), the decision for one tool (B.8, steps 1 to 4) and the
 * "did you mean" helper.  The functions work on strings: they read no files, know nothing
 * of servers, and do not log.  The only user code that they call is the application's
 * name function.  lib/catalog handles collisions (B.8, steps 5 and 6), because a
 * collision depends on the other tools.
 *
 * mcphost_filter and mcphost_transform are public handles.  One thread builds and then
 * freezes a handle.  A frozen handle is immutable.  Any thread may read a frozen handle.
 */
#ifndef MCPH_NAMES_H
#define MCPH_NAMES_H

#include "base/base.h"
#include "json/json.h"

#include <mcphost/filter.h>
#include <mcphost/source.h>
#include <mcphost/transform.h>

/* ---- validity (valid.c) ------------------------------------------------------------ */

/* Limits in bytes, except MCPH_NAME_LIST_MAX, which counts the entries of a list. */
#define MCPH_NAME_MAX       64   /* limit on the bytes of a valid tool name */
#define MCPH_NAME_TEXT_MAX  1024 /* bytes of a pattern, transform text or original name */
#define MCPH_NAME_LIST_MAX  1024 /* patterns of a list, or steps of a transform */
#define MCPH_NAME_SHOWN_MAX 192  /* bytes of a bad name or reason kept for messages */

/* The rules that a name may break.  For an original name that a map can make valid,
 * MCPH_NAME_RULE_LENGTH means more than MCPH_NAME_TEXT_MAX bytes, and
 * MCPH_NAME_RULE_CHARACTER means a byte that is not printable ASCII. */
enum {
    MCPH_NAME_RULE_NONE = 0, /* the name is valid */
    MCPH_NAME_RULE_EMPTY,
    MCPH_NAME_RULE_LENGTH,    /* the name has more than MCPH_NAME_MAX bytes */
    MCPH_NAME_RULE_CHARACTER, /* a character is not an ASCII letter, a digit, '_' or
                               * '-' */
    MCPH_NAME_RULE_LINE       /* the original name has a control character or more than
                         * MCPH_NAME_TEXT_MAX bytes; checked if the name policy
                         * accepts otherwise invalid names */
};

/* Returns the rule that a name breaks, or MCPH_NAME_RULE_NONE.  All `len` bytes are part
 * of the name, even NULs. */
int mcph_name_check(const char *name, size_t len);

/* Returns true if a tool name may have this character. */
bool mcph_name_has_char(char c);

/* Appends the id of a resource, made from `text` (id.c).  Each run of characters that a
 * tool name may not have becomes one '_'.  Then '_' at both ends is removed.  An empty id
 * becomes "resource".  Returns 0, MCPHOST_E_NOMEM, or the buffer's MCPHOST_E_LIMIT. */
int mcph_name_add_id(const char *text, size_t len, struct mcph_buf *buf);

/* Returns a static text that describes a broken rule for messages.  In a message the text
 * follows the quoted name, for example "is longer than 64 characters". */
const char *mcph_name_rule_text(int rule);

/* ---- the normal form (normal.c) ---------------------------------------------------- */

/* Returns the length of the white space character at `p`, or 0.  White space is defined
 * as in JavaScript: the white space of ASCII, U+FEFF, U+2028, U+2029, and the spaces of
 * Unicode. */
size_t mcph_name_space(const char *p, const char *end);
/* Returns the text without the white space around it. */
struct mcph_span mcph_name_trim(const char *text, size_t len);
/* Appends the text trimmed and in lower case, with '_' for each run of characters outside
 * [a-z0-9_-].  If `dot` is true, keeps '.' as well.  Keeps a '_' at either end.  Returns
 * 0, MCPHOST_E_NOMEM, or the buffer's MCPHOST_E_LIMIT. */
int mcph_name_add_normal(const char *text, size_t len, bool dot, struct mcph_buf *buf);
/* Appends "mcp_SERVER_NAME", with both parts in normal form.  An empty part becomes
 * "server" or "tool".  Returns 0, MCPHOST_E_NOMEM, or the buffer's MCPHOST_E_LIMIT. */
int mcph_name_add_full(const char *server, const char *name, size_t len,
                       struct mcph_buf *buf);

/* ---- patterns and filters (filter.c) ----------------------------------------------- */

/* Returns true if the pattern matches the whole name, case-sensitively.  `*` matches any
 * run of bytes, even an empty run.  Any other byte matches itself.  The time grows at
 * most with len * pattern_len. */
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
    struct mcph_patterns lists[2]; /* indexed by MCPH_FILTER_WHITELIST and
                                    * MCPH_FILTER_BLACKLIST */
    char *whitelist_text;          /* all whitelist patterns, joined by ", ", or NULL */
};

/* Makes an empty filter.  An empty filter passes all names.  Returns NULL if memory is
 * short. */
mcphost_filter *mcph_filter_new(void);
/* Releases a reference and returns NULL. */
mcphost_filter *mcph_filter_unref(mcphost_filter *filter);
/* Makes the filter immutable. */
void mcph_filter_freeze(mcphost_filter *filter);

/* Adds a pattern to the list MCPH_FILTER_WHITELIST or MCPH_FILTER_BLACKLIST.  A blank
 * pattern is ignored (B.3).  Returns 0, MCPHOST_E_STATE if the filter is frozen,
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_filter_add(mcphost_filter *filter, int list, const char *pattern, size_t len);

/* Applies a filter to a name.  Returns MCPHOST_FILTER_PASSED, _BLACKLISTED or
 * _NOT_WHITELISTED.  A NULL filter passes all names.  *ret_pattern becomes the pattern
 * that decided, borrowed from the filter (see mcphost_filter_match()).  `ret_pattern` may
 * be NULL. */
int mcph_filter_decide(const mcphost_filter *filter, const char *name, size_t len,
                       const char **ret_pattern);

/* Applies a filter to an item with two names.  A pattern matches the item if the pattern
 * matches either name.  If `other` is NULL, the item has only one name.  The result and
 * *ret_pattern have the same meaning as in mcph_filter_decide(). */
int mcph_filter_decide_either(const mcphost_filter *filter, const char *name, size_t len,
                              const char *other, size_t other_len,
                              const char **ret_pattern);

/* ---- transforms (transform.c) ------------------------------------------------------ */

enum {
    MCPH_TRANSFORM_PREFIX, /* remove `remove` from the beginning, then prepend `add` */
    MCPH_TRANSFORM_SUFFIX, /* append `add` */
    MCPH_TRANSFORM_MAP     /* put `add` in place of each character that a name may not
                            * have */
};

struct mcph_transform_step {
    int kind;
    char *add, *remove; /* `remove` is "" if the step only adds */
    size_t add_len, remove_len;
};

struct mcphost_transform {
    struct mcph_refs refs;
    atomic_bool frozen;
    struct mcph_transform_step *steps;
    size_t n;
};

/* Makes a transform without steps.  A transform without steps changes no names.  Returns
 * NULL if memory is short. */
mcphost_transform *mcph_transform_new(void);
mcphost_transform *mcph_transform_unref(mcphost_transform *transform);
void mcph_transform_freeze(mcphost_transform *transform);

/* Appends a step.  `remove` may be NULL.  Returns 0, MCPHOST_E_STATE if the transform is
 * frozen, MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_transform_add(mcphost_transform *transform, int kind, const char *add,
                       size_t add_len, const char *remove, size_t remove_len);

/* Appends the transformed name to `buf`.  A NULL transform changes nothing.  A map adds a
 * hash to each name that it cuts and, if `hashed` is true, to each name that it changes.
 * The hash distinguishes names that the map would otherwise make equal.  Returns 0,
 * MCPHOST_E_NOMEM, or the buffer's MCPHOST_E_LIMIT. */
int mcph_transform_apply(const mcphost_transform *transform, const char *name, size_t len,
                         bool hashed, struct mcph_buf *buf);
/* Returns true if the transform has a map.  A map can make invalid original names
 * valid. */
bool mcph_transform_maps(const mcphost_transform *transform);

/* ---- the decision for one tool (decide.c) ------------------------------------------ */

/* The policies for making the final name from the original name. */
enum {
    /* Apply the transforms.  The original must be valid, unless there is a map. */
    MCPH_NAME_POLICY_TRANSFORMS = 0,
    /* Put "<server>__" before the transformed name. */
    MCPH_NAME_POLICY_SERVER = 1,
    /* Make "mcp_<server>_<transformed name>", with both parts in normal form.  The
     * original need not be valid. */
    MCPH_NAME_POLICY_FULL = 2,
    /* Pass the transformed name to the application's function.  The original need not be
     * valid. */
    MCPH_NAME_POLICY_CALLBACK = 3
};

struct mcph_naming {
    int policy; /* one of MCPH_NAME_POLICY_* */
    /* The application's name function and its argument, for MCPH_NAME_POLICY_CALLBACK.
     * If `fn` is NULL, every name is refused. */
    mcphost_name_fn fn;
    void *arg;
};

/* Returns true if an original name need not be valid.  A name that need not be valid may
 * have up to MCPH_NAME_TEXT_MAX bytes. */
bool mcph_naming_takes_any(const struct mcph_naming *naming);

#define MCPH_NAME_ROOM 256 /* limit on the bytes that the application's function writes */

struct mcph_name_rules {
    struct mcph_naming naming;
    const mcphost_filter *filter;       /* the filter; NULL passes all names */
    const mcphost_transform *transform; /* the transform; NULL changes no names */
    bool hashed;                        /* if true, the map adds a hash, because
                                         * another tool would get the same name */
    const char *server; /* the server's id; MCPH_NAME_POLICY_TRANSFORMS ignores it */
};

/* The verdicts, in the order of the checks (B.8).  The first check that fails decides. */
enum {
    MCPH_NAME_ACCEPTED = 0,
    MCPH_NAME_INVALID, /* the original name breaks a rule */
    MCPH_NAME_BLACKLISTED,
    MCPH_NAME_NOT_WHITELISTED,
    MCPH_NAME_REFUSED,            /* the application's function refused the name */
    MCPH_NAME_INVALID_TRANSFORMED /* the final name breaks a rule */
};

struct mcph_name_decision {
    int verdict; /* MCPH_NAME_ACCEPTED or another verdict above */
    int rule;    /* MCPH_NAME_RULE_* for the invalid verdicts; 0 for other verdicts */
    /* For MCPH_NAME_BLACKLISTED, the first blacklist pattern that matched.  For
     * MCPH_NAME_NOT_WHITELISTED, all whitelist patterns joined by ", ".  Both texts are
     * borrowed from the filter.  For other verdicts, NULL. */
    const char *pattern;
    /* For ACCEPTED, the final name.  For INVALID_TRANSFORMED, the beginning of the final
     * name, cleaned for messages (one line, valid UTF-8).  For REFUSED, the beginning of
     * the reason, also cleaned.  For other verdicts, "". */
    char name[MCPH_NAME_SHOWN_MAX + 1];
    size_t len;
};

/* Decides on one tool by its original name.  Returns 0 or MCPHOST_E_NOMEM.  Any other
 * outcome is a verdict. */
int mcph_name_decide(const struct mcph_name_rules *rules, const char *name, size_t len,
                     struct mcph_name_decision *ret_decision);

/* ---- did you mean (nearest.c) ------------------------------------------------------ */

/* Returns the entry of `known` that is nearest to `word`.  If several entries are equally
 * near, returns the first.  Returns NULL if no entry is near enough.  Words of more than
 * 64 bytes are not compared.  The distance counts insertions, deletions, replacements and
 * swaps of neighbours.  A distance of 1, or of up to a third of the word's length, is
 * near enough. */
const char *mcph_name_nearest(const char *word, size_t len, const char *const *known,
                              size_t n);

#endif
