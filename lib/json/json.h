/* SPDX-License-Identifier: MIT
 *
 * json.h - interface of lib/json: JSON read as spans of raw bytes, and written.
 *
 * A value is a span: the bytes of the text as its author wrote them.  One pass checks a
 * text and finds the members that the caller wants.  After that, walkers step over
 * checked spans without checking again.  Scanning and walking never allocate and never
 * change a byte.  A text may contain a number beyond int64, `1e400`, `\u0000` or half a
 * surrogate pair.  These values affect only a caller that decodes them.
 *
 * tree.c reads documents that are interpreted as a whole, such as configurations of
 * providers, into jansson values instead.
 *
 * lib/json does not depend on JSON-RPC or MCP, does no I/O and keeps no state.
 */
#ifndef MCPH_JSON_H
#define MCPH_JSON_H

#include <string.h>

#include "base/base.h"

/* ---- spans ------------------------------------------------------------------------- */

/* Bytes that are stored elsewhere.  `p` is NULL if there is no value. */
struct mcph_span {
    const char *p;
    size_t len;
};

#define MCPH_SPAN_NONE ((struct mcph_span){NULL, 0})

static inline struct mcph_span
mcph_span(const char *p, size_t len)
{
    return (struct mcph_span){p, len};
}

/* Returns the bytes, and sets *ret_len to their length.  Public getters use this function
 * to return a text and its length.  `ret_len` may be NULL. */
static inline const char *
mcph_span_give(struct mcph_span span, size_t *ret_len)
{
    if (ret_len)
        *ret_len = span.len;
    return span.p;
}
/* Returns the span of a NUL-terminated string, or MCPH_SPAN_NONE if `str` is NULL. */
struct mcph_span mcph_span_str(const char *str);
bool mcph_span_eq(struct mcph_span a, struct mcph_span b); /* compares the bytes */
bool mcph_span_is(struct mcph_span span, const char *str); /* compares the bytes with
                                                            * `str` */

/* ---- checking (scan.c) --------------------------------------------------------------
 * The grammar is RFC 8259.  Strings must be UTF-8.  Containers may nest `depth` deep.  A
 * `depth` of 0 means MCPH_JSON_DEPTH.  The maximum is MCPH_JSON_DEPTH_MAX.  Numbers may
 * be of any size.  Escapes may be \u0000 or half a surrogate pair.  Duplicate names are
 * an error only for the members that the caller wants. */

#define MCPH_JSON_DEPTH     512
#define MCPH_JSON_DEPTH_MAX 4096

/* A fault in a text.  `at` is the fault's offset in the text.  `why` is a static English
 * phrase ("invalid UTF-8", "nesting is deeper than allowed"). */
struct mcph_json_fault {
    size_t at;
    const char *why;
    bool bad_utf8; /* the encoding of a string is wrong */
};

/* A wanted member of the outermost object.  `name` is plain text without quotes and
 * backslashes.  The name matches a name in the text, even if the text spells it with
 * escapes.  The scan sets `value`.  The p of `value` is NULL if the member is absent. */
struct mcph_json_want {
    const char *name;
    size_t name_len;
    struct mcph_span value;
};
#define MCPH_JSON_WANT(lit)   \
    {                         \
        lit, sizeof(lit) - 1, \
        {                     \
            NULL, 0           \
        }                     \
    }

/*
 * Checks in one pass that `text` is one JSON value.  White space around the value is
 * allowed.  If the value is an object, finds the wanted members in any order.
 *
 * *ret_value becomes the value without the white space around it.  `ret_value` and
 * `ret_fault` may be NULL.  `want` may be NULL if `n_want` is 0.  Returns 0,
 * MCPHOST_E_INVALID (not JSON, or a wanted member appears twice) or MCPHOST_E_LIMIT
 * (nesting).  On failure the wanted members found before the fault are set.
 */
int mcph_json_scan(struct mcph_span text, unsigned depth, struct mcph_json_want *want,
                   size_t n_want, struct mcph_span *ret_value,
                   struct mcph_json_fault *ret_fault);

/* Checks a text as mcph_json_scan() does, without wanted members. */
int mcph_json_check(struct mcph_span text, unsigned depth, struct mcph_span *ret_value,
                    struct mcph_json_fault *ret_fault);

/* Checks an object of at most `max` members whose values are not containers.  The
 * arguments of most calls are objects of this kind.  Sets each member's name (the plain
 * text) and value (a token).  Returns the number of members.  Returns -1 for any other
 * text, for an invalid text, and if a name has escapes. */
struct mcph_json_member {
    struct mcph_span name, value;
};
int mcph_json_scan_flat(struct mcph_span text, struct mcph_json_member *members, int max,
                        struct mcph_span *ret_value);

/* Finds the line and the column (characters, not bytes) of the offset `at`.  Lines and
 * columns count from 1. */
void mcph_json_position(struct mcph_span text, size_t at, int *ret_line, int *ret_column);

/*
 * Checks JSON that comes from the application or a file, as mcph_json_check() does.  The
 * value must be of type `want_type`.  MCPH_JSON_ANY allows any type.  On failure returns
 * MCPHOST_E_INVALID or MCPHOST_E_LIMIT.  The error has the line and the column.  The
 * error's message begins with `what` ("arguments of tool 'x'").
 */
int mcph_json_check_input(struct mcph_span text, unsigned depth, int want_type,
                          const char *what, struct mcph_span *ret_value,
                          mcphost_error **reterr);

/* ---- walking over checked values (walk.c) -------------------------------------------
 * These functions take spans that a scan has accepted, or parts of these spans.  If the p
 * of a span is NULL, the value is absent.  All functions accept an absent value. */

enum {
    MCPH_JSON_ANY = 0, /* no value, or any type */
    MCPH_JSON_OBJECT,
    MCPH_JSON_ARRAY,
    MCPH_JSON_STRING,
    MCPH_JSON_NUMBER,
    MCPH_JSON_BOOL,
    MCPH_JSON_NULL
};

/* The type of a value, by the first byte of its text.  An entry of 0 means a number. */
extern const unsigned char mcph_json_type_of[256];
static inline int
mcph_json_type(struct mcph_span value) /* returns MCPH_JSON_ANY if p is NULL */
{
    unsigned char type;

    if (!value.p || value.len == 0)
        return MCPH_JSON_ANY;
    type = mcph_json_type_of[(unsigned char)*value.p];
    return type ? type : MCPH_JSON_NUMBER;
}
const char *mcph_json_type_name(int type); /* returns "object", ... for messages */

struct mcph_json_iter {
    const char *p, *end;
    bool object, open; /* `open`: the end of the value at p is not known yet */
};

/* Begins an iteration over an object or array.  Any other value gives no elements. */
void mcph_json_iter_init(struct mcph_json_iter *it, struct mcph_span container);
/* Sets *ret_value, and in an object *ret_key, to the next element or member.  Returns
 * false at the end.  A key is a string token with its quotes.  In arrays the key's p is
 * NULL.  `ret_key` may be NULL. */
bool mcph_json_iter_next(struct mcph_json_iter *it, struct mcph_span *ret_key,
                         struct mcph_span *ret_value);
/* Steps as mcph_json_iter_next() does, but does not search for the end of the value.
 * *ret_value therefore begins at the value, but ends behind it.  Pass this span only to
 * mcph_json_type() and mcph_json_iter_init().  mcph_json_iter_end() searches for the
 * end of the value.  When an iteration `inner` over the value has reached its end,
 * mcph_json_iter_past() moves `it` past the value without that search.
 * mcph_json_iter_end() and mcph_json_iter_past() return the value. */
bool mcph_json_iter_open(struct mcph_json_iter *it, struct mcph_span *ret_key,
                         struct mcph_span *ret_value);
struct mcph_span mcph_json_iter_end(struct mcph_json_iter *it);
struct mcph_span mcph_json_iter_past(struct mcph_json_iter *it,
                                     const struct mcph_json_iter *inner);

/* Returns the member `name` of an object, or the first member if several members have
 * this name.  If no member has this name, the p of the result is NULL. */
struct mcph_span mcph_json_get(struct mcph_span object, const char *name);
/* Finds several members in one pass.  Returns 0, or MCPHOST_E_INVALID if a wanted member
 * appears twice (`want` keeps the first value) or if `object` is not an object. */
int mcph_json_pick(struct mcph_span object, struct mcph_json_want *want, size_t n_want);
/* Finds members as mcph_json_pick() does, but only among the members that an iteration
 * over an object has not reached yet.  After this call, the iteration is at its end. */
int mcph_json_pick_members(struct mcph_json_iter *it, struct mcph_json_want *want,
                           size_t n_want);
size_t mcph_json_count(struct mcph_span container); /* counts elements or members */
/* Returns true if a checked text has no line end and no tab. */
bool mcph_json_is_tight(struct mcph_span text);

/* Returns the place behind the string token that begins at `p`. */
const char *mcph_json_string_end(const char *p, const char *end);

/* Returns true if a string token decodes to exactly `text`, in any spelling.
 * mcph_json_string_is() is inline because the length or the first byte nearly always
 * determines the result. */
bool mcph_json_string_is_spelled(struct mcph_span token, const char *text, size_t len);
static inline bool
mcph_json_string_is(struct mcph_span token, const char *text, size_t len)
{
    /* Reject a token that is too short for the plain spelling, which is the shortest
     * spelling. */
    if (!token.p || token.len < len + 2 || *token.p != '"')
        return false;
    if (token.len == len + 2)
        return memcmp(token.p + 1, text, len) == 0 && !memchr(text, '\\', len);
    if (len > 0 && token.p[1] != text[0] && token.p[1] != '\\')
        return false;
    return mcph_json_string_is_spelled(token, text, len);
}
/* Returns true if two string tokens decode to the same text. */
bool mcph_json_string_eq(struct mcph_span a, struct mcph_span b);
/*
 * Decodes a string token.  Without escapes the result is a part of the token itself.
 * With escapes the decoded UTF-8 is added to `buf`.  The decoded result is valid until
 * `buf` changes.  Half a surrogate pair becomes U+FFFD.  \u0000 becomes a NUL byte.
 * Returns 0, MCPHOST_E_INVALID if the token is not a string, or the buffer's error.
 */
int mcph_json_string_get(struct mcph_span token, struct mcph_buf *buf,
                         struct mcph_span *ret_text);
/* Decodes a string token in steps into `room`.  `room` must have at least 4 bytes.
 * mcph_json_text_next() returns the number of bytes of the next step, or 0 after the
 * last step.  A step may end within a character.  A token that is not a string gives no
 * bytes. */
struct mcph_json_text {
    const char *p, *end;
};
void mcph_json_text_init(struct mcph_json_text *text, struct mcph_span token);
size_t mcph_json_text_next(struct mcph_json_text *text, char *room, size_t len);
/* Decodes a string token into a new C string.  The caller frees the string with free().
 * Returns 0, MCPHOST_E_INVALID (not a string, or a string with a NUL in it) or
 * MCPHOST_E_NOMEM. */
int mcph_json_string_dup(struct mcph_span token, char **ret_str);
/* Decodes a string token for display.  Works like mcph_json_string_dup(), but each NUL
 * becomes a space, so that the whole text is shown. */
int mcph_json_string_show(struct mcph_span token, char **ret_str);

/* These functions read a value of one type.  mcph_json_int64() reads a plain integer
 * within int64 (no fraction, no exponent).  mcph_json_double() reads any number of at
 * most 255 characters that is finite as a double.  Any other token gives
 * MCPHOST_E_INVALID.  The locale has no influence. */
int mcph_json_int64(struct mcph_span token, int64_t *ret_n);
int mcph_json_double(struct mcph_span token, double *ret_d);
int mcph_json_bool(struct mcph_span token, bool *ret_b);
static inline bool
mcph_json_is_null(struct mcph_span token)
{
    return token.p && *token.p == 'n';
}

/* ---- a text that comes in pieces (strict.c, stream.c) -------------------------------
 * These functions accept the texts that mcph_json_scan() accepts, but need only constant
 * memory and take the text piece by piece.  The work for a piece depends only on its
 * length. */

/* The state of the check of one value.  The `depth` of mcph_json_strict_begin() is the
 * nesting limit, from 1 to MCPH_JSON_DEPTH_MAX.  Unlike mcph_json_scan(),
 * mcph_json_strict_begin() has no default for 0. */
struct mcph_json_strict {
    uint64_t path; /* a bit for each open container, set if the container is an object;
                    * the lowest bit is for the innermost container; `stack` has the bits
                    * of the outer containers if there are more than 64 */
    unsigned level, max, n, n_tail;
    int place, code;
    bool is_key, bad_utf8;
    char tail[4];     /* a character cut by the end of the last piece */
    const char *word; /* the rest of "true", "false" or "null" */
    const char *why;  /* a fault, or NULL */
    const char *bad;  /* the place of the fault in the piece */
    uint64_t stack[MCPH_JSON_DEPTH_MAX / 64 - 1];
};

void mcph_json_strict_begin(struct mcph_json_strict *s, unsigned depth);
/* Checks a piece.  Returns the place behind the value, `end` if the value may continue,
 * or NULL after a fault. */
const char *mcph_json_strict_feed(struct mcph_json_strict *s, const char *p,
                                  const char *end);
/* Returns true if the end of the value is known.  The end of a number is known only after
 * the byte behind it. */
bool mcph_json_strict_done(const struct mcph_json_strict *s);
/* Ends the check at the end of the text.  Returns false after a fault.  An unfinished
 * value is a fault, too. */
bool mcph_json_strict_end(struct mcph_json_strict *s);
bool mcph_json_strict_in_string(const struct mcph_json_strict *s, bool *ret_escaped);

/* A wanted member of the outermost object of a text that mcph_json_stream_feed() checks.
 * After a fault the stream still follows strings and brackets without checking, so that
 * a wanted member is found even in a text that is rejected. */
struct mcph_json_catch {
    const char *name;
    size_t name_len;
    char *value; /* gets the value's first `size` bytes */
    size_t size;
    size_t len;       /* bytes kept so far */
    uint64_t at, end; /* the value's offsets in the text; equal if the member was not
                       * found */
    bool cut;         /* the value was longer than `size` */
};

#define MCPH_JSON_STREAM_KEY 64

struct mcph_json_stream {
    struct mcph_json_catch *catches, *now;
    size_t n_catches;
    uint64_t offset, depth; /* `offset`: bytes of the text in earlier pieces; `depth`:
                             * number of open containers inside the member's value,
                             * counted only after a fault */
    uint64_t at, end;       /* offsets of the whole value, without white space around
                             * it */
    int state;
    bool in_string, escaped;
    bool twice;     /* a wanted key appears a second time */
    size_t key_len; /* bytes in `key`; SIZE_MAX if the key is longer than `key` */
    char key[MCPH_JSON_STREAM_KEY];
    struct mcph_json_strict strict;
};

/* Begins to check a text.  `catches` are borrowed and must outlive the stream.  The
 * nesting limit is MCPH_JSON_DEPTH. */
void mcph_json_stream_init(struct mcph_json_stream *stream,
                           struct mcph_json_catch *catches, size_t n_catches);
void mcph_json_stream_feed(struct mcph_json_stream *stream, const char *data, size_t len);
/* Ends the check at the end of the text.  Returns true if the text is one object and the
 * stream has followed the object to its end. */
bool mcph_json_stream_end(struct mcph_json_stream *stream);
/* Returns the code that mcph_json_scan() would return for the text.  Call this function
 * after the end of the text.  `ret_fault` may be NULL.  The `at` of *ret_fault is not
 * set. */
int mcph_json_stream_verdict(struct mcph_json_stream *stream,
                             struct mcph_json_fault *ret_fault);

/* ---- writing (write.c) --------------------------------------------------------------
 * These functions add to a buffer and return 0 or the buffer's error.  After several
 * calls one mcph_buf_ok() at the end suffices. */

/* Adds a string with its quotes.  Writes invalid UTF-8 as U+FFFD, so that the result is
 * always valid JSON. */
int mcph_json_add_string(struct mcph_buf *buf, const char *text, size_t len);
/* Adds a part of a string, without quotes.  The part must end with a whole character. */
int mcph_json_add_part(struct mcph_buf *buf, const char *text, size_t len);
int mcph_json_add_str(struct mcph_buf *buf, const char *str); /* adds null for NULL */
int mcph_json_add_bool(struct mcph_buf *buf, bool b);
/* Adds `d` with 15, 16 or 17 significant digits, without zeros at the end: the least
 * number of digits that reads back as `d`.  If `d` is not finite, adds null. */
int mcph_json_add_double(struct mcph_buf *buf, double d);
/* Adds a value unchanged.  If the value is absent, adds null. */
int mcph_json_add_span(struct mcph_buf *buf, struct mcph_span value);
/* Adds a comma, unless the buffer is empty or its last byte is one of `{ [ , :`. */
int mcph_json_add_comma(struct mcph_buf *buf);
/* Adds a comma as mcph_json_add_comma() does, then the name as a string and a colon. */
int mcph_json_add_key(struct mcph_buf *buf, const char *name);
/* Adds a key and a string value.  If `str` is NULL, the value is null. */
int mcph_json_add_member(struct mcph_buf *buf, const char *name, const char *str);
/* Adds a checked value in canonical form: without white space, with one spelling for
 * strings, with names sorted by the bytes of this spelling (with the quotes), and with
 * numbers unchanged.  Equal values give equal bytes if their numbers are spelled
 * equally. */
int mcph_json_add_canonical(struct mcph_buf *buf, struct mcph_span value);

/* ---- jansson values (tree.c) ---------------------------------------------------------
 * These functions read documents that are interpreted as a whole, such as
 * configurations.  The speed of reading these documents matters little.  A file that
 * uses these functions includes <jansson.h>, too.
 *
 * A member whose name begins with MCPH_JSON_RAW holds its value's JSON text as a string.
 * The functions read and write this text unchanged, so that numbers of any size and
 * spelling pass through.  A JSON document cannot contain a name with this prefix, because
 * a document is UTF-8 and the prefix is not. */

#define MCPH_JSON_RAW "\xff"

/* Limit on the number of values in a document.  There is a limit because jansson may need
 * 100 times the bytes of a value's text.  Raw text counts as one value. */
#define MCPH_JSON_TREE_VALUES (1024 * 1024)

struct json_t;

enum {
    MCPH_TREE_UNIQUE = 1, /* reject two members of one name; without this flag the last
                           * member counts */
    /* Change values that jansson cannot hold instead of rejecting them: a number beyond
     * int64 or double becomes null, and a NUL in a name becomes a blank. */
    MCPH_TREE_LENIENT = 2
};

/*
 * Checks a JSON object as mcph_json_check_input() does, and builds *ret_object.  The
 * caller frees the new reference with json_decref().  `raw` (may be NULL) is a
 * NULL-terminated list of member names, each with the prefix MCPH_JSON_RAW.  At any
 * depth, members of these names are kept as raw text.  `flags` are MCPH_TREE_*.  Half a
 * surrogate pair becomes U+FFFD.  Raw texts may be secret: on failure the function wipes
 * their copies.
 *
 * Returns 0, MCPHOST_E_INVALID (the error has the line and the column), MCPHOST_E_LIMIT
 * (nesting, or more than MCPH_JSON_TREE_VALUES values) or MCPHOST_E_NOMEM.
 */
int mcph_json_load(struct mcph_span text, unsigned depth, const char *what,
                   const char *const *raw, unsigned flags, struct json_t **ret_object,
                   mcphost_error **reterr);
/* Drops a reference to a jansson value.  Files that need no other function of jansson
 * use this function.  `value` may be NULL. */
void mcph_json_drop(struct json_t *value);
/* Wipes the raw texts in a value, at any depth, and drops the reference.  Nobody else
 * may use the value.  `value` may be NULL. */
void mcph_json_wipe(struct json_t *value);
/* Adds a value to a buffer.  A real gets the digits of mcph_json_add_double(), and ".0"
 * if these digits read as an integer.  Returns 0 or the buffer's error. */
int mcph_json_add_tree(struct mcph_buf *buf, const struct json_t *value);

/* ---- merging (merge.c) --------------------------------------------------------------
 * Merges two objects in canonical form and adds the result.  The result is canonical,
 * too.  If both objects have an object under the same name, these two objects are merged
 * by the same rules.  Any other value in `over` replaces the value in `under`.  A name
 * must not appear twice in an object. */
int mcph_json_add_merged(struct mcph_buf *buf, struct mcph_span under,
                         struct mcph_span over);

#endif
