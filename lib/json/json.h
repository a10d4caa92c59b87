/* SPDX-License-Identifier: MIT
 *
 * json.h - the room `json`: JSON read as spans of raw bytes, and written.
 *
 * A value is a span: the bytes of the text as its author wrote them.  One pass
 * checks a text and finds the members that the caller wants; after that, walkers
 * step over checked spans without checking again.  Reading never allocates and
 * never changes a byte, so a number beyond int64, `1e400`, `\u0000` or half a
 * surrogate pair inside a value hurts nobody who does not ask for that value.
 *
 * Documents that are interpreted as a whole, such as configurations, are read into
 * jansson values instead (tree.c).
 *
 * This room knows nothing of JSON-RPC or MCP, does no I/O and keeps no state.
 */
#ifndef MCPH_JSON_H
#define MCPH_JSON_H

#include <string.h>

#include "base/base.h"

/* ---- spans ------------------------------------------------------------------------- */

/* Bytes that live elsewhere.  `p` NULL: there is no such value. */
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

/* For a getter: where it is, and its length. */
static inline const char *
mcph_span_give(struct mcph_span span, size_t *ret_len)
{
    if (ret_len)
        *ret_len = span.len;
    return span.p;
}
/* Of a NUL-terminated string; NULL gives MCPH_SPAN_NONE. */
struct mcph_span mcph_span_str(const char *str);
bool mcph_span_eq(struct mcph_span a, struct mcph_span b); /* same bytes */
bool mcph_span_is(struct mcph_span span, const char *str); /* exactly these bytes */

/* ---- checking (scan.c) -------------------------------------------------------
 * The grammar is RFC 8259; strings must be UTF-8; containers may nest `depth`
 * deep (0: MCPH_JSON_DEPTH; more than MCPH_JSON_DEPTH_MAX is cut to it).
 * Numbers may be of any size, escapes may be \u0000 or half a surrogate pair.
 * Duplicate names are an error only for the members asked for. */

#define MCPH_JSON_DEPTH     512
#define MCPH_JSON_DEPTH_MAX 4096

/* What is wrong and where: `at` is an offset into the text, `why` a static
 * English phrase ("invalid UTF-8", "nesting is deeper than allowed"). */
struct mcph_json_fault {
    size_t at;
    const char *why;
    bool bad_utf8; /* what is wrong is the encoding of a string */
};

/* A member of the outermost object that the caller wants.  `name` is plain text
 * without quotes and backslashes (it matches however the text spells it, escapes
 * included); `value` is set by the scan, p NULL when the member is absent. */
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
 * Checks that `text` is one JSON value (white space around it is fine) and, when
 * that is an object, finds the wanted members, whatever their order: one pass.
 *
 * `ret_value` gets the value without the white space; it and `ret_fault` may be
 * NULL, `want` too when `n_want` is 0.  Returns 0, MCPHOST_E_INVALID (not JSON,
 * or a wanted member stands twice) or MCPHOST_E_LIMIT (nesting).  On failure the
 * wanted members found before the fault are set.
 */
int mcph_json_scan(struct mcph_span text, unsigned depth, struct mcph_json_want *want,
                   size_t n_want, struct mcph_span *ret_value,
                   struct mcph_json_fault *ret_fault);

/* The same without wishes. */
int mcph_json_check(struct mcph_span text, unsigned depth, struct mcph_span *ret_value,
                    struct mcph_json_fault *ret_fault);

/* The same for what most arguments are, an object of at most `max` members that are no
 * containers: their number, and each name (what it says) and value (a token).  -1: it is
 * something else, or not right, or a name is spelled with escapes. */
struct mcph_json_member {
    struct mcph_span name, value;
};
int mcph_json_scan_flat(struct mcph_span text, struct mcph_json_member *members, int max,
                        struct mcph_span *ret_value);

/* Line and column (characters, not bytes) of an offset, both counted from 1. */
void mcph_json_position(struct mcph_span text, size_t at, int *ret_line, int *ret_column);

/*
 * For JSON that comes from the application or a file: as mcph_json_check(), and
 * the value must be of type `want_type` (MCPH_JSON_ANY: no matter).  A refusal is
 * MCPHOST_E_INVALID or MCPHOST_E_LIMIT with line and column in the error, the
 * message opens with `what` ("arguments of tool 'x'").
 */
int mcph_json_check_input(struct mcph_span text, unsigned depth, int want_type,
                          const char *what, struct mcph_span *ret_value,
                          mcphost_error **reterr);

/* ---- walking over what was checked (walk.c) ----------------------------------
 * Everything here takes spans that a scan has accepted, or parts of them; a span
 * with p NULL is a value that is not there, which all of these tolerate. */

enum {
    MCPH_JSON_ANY = 0, /* no value, or no demand */
    MCPH_JSON_OBJECT,
    MCPH_JSON_ARRAY,
    MCPH_JSON_STRING,
    MCPH_JSON_NUMBER,
    MCPH_JSON_BOOL,
    MCPH_JSON_NULL
};

extern const unsigned char mcph_json_type_of[256]; /* by the first byte; 0: a number */
static inline int
mcph_json_type(struct mcph_span value) /* MCPH_JSON_ANY when p is NULL */
{
    unsigned char type;

    if (!value.p || value.len == 0)
        return MCPH_JSON_ANY;
    type = mcph_json_type_of[(unsigned char)*value.p];
    return type ? type : MCPH_JSON_NUMBER;
}
const char *mcph_json_type_name(int type); /* "object", ... for messages */

struct mcph_json_iter {
    const char *p, *end;
    bool object, open; /* open: p is at a value whose end was not looked for */
};

/* A value of another type than object or array has nothing to iterate over. */
void mcph_json_iter_init(struct mcph_json_iter *it, struct mcph_span container);
/* The next element of an array or member of an object; false at the end.  A key
 * is a string token, quotes included; it has p NULL in arrays.  `ret_key` may be
 * NULL. */
bool mcph_json_iter_next(struct mcph_json_iter *it, struct mcph_span *ret_key,
                         struct mcph_span *ret_value);
/* The same, but the value's end is not looked for: *ret_value begins with it and
 * reaches too far.  It is good for mcph_json_type() and mcph_json_iter_init(); after
 * an `inner` iteration to its end mcph_json_iter_past() spares `it` the same way and
 * returns the value as it is. */
bool mcph_json_iter_open(struct mcph_json_iter *it, struct mcph_span *ret_key,
                         struct mcph_span *ret_value);
struct mcph_span mcph_json_iter_end(struct mcph_json_iter *it); /* looks for it */
struct mcph_span mcph_json_iter_past(struct mcph_json_iter *it,
                                     const struct mcph_json_iter *inner);

/* The member `name` of an object; the first, should there be several. */
struct mcph_span mcph_json_get(struct mcph_span object, const char *name);
/* Several at once, in one pass.  Returns 0, or MCPHOST_E_INVALID when a wanted
 * one stands twice (the first is kept) or when `object` is not an object. */
int mcph_json_pick(struct mcph_span object, struct mcph_json_want *want, size_t n_want);
/* The same for the members that an iteration over an object has before it; it is at
 * its end then. */
int mcph_json_pick_members(struct mcph_json_iter *it, struct mcph_json_want *want,
                           size_t n_want);
size_t mcph_json_count(struct mcph_span container); /* elements or members */
/* Whether nothing of a checked text is a line end or a tab. */
bool mcph_json_is_tight(struct mcph_span text);

/* Past the string token that begins at `p`. */
const char *mcph_json_string_end(const char *p, const char *end);

/* A string token that says exactly `text`, however it is spelled.  Inline, because
 * next to always a look at the length or the first byte decides. */
bool mcph_json_string_is_spelled(struct mcph_span token, const char *text, size_t len);
static inline bool
mcph_json_string_is(struct mcph_span token, const char *text, size_t len)
{
    /* The shortest spelling is the plain one. */
    if (!token.p || token.len < len + 2 || *token.p != '"')
        return false;
    if (token.len == len + 2)
        return memcmp(token.p + 1, text, len) == 0 && !memchr(text, '\\', len);
    if (len > 0 && token.p[1] != text[0] && token.p[1] != '\\')
        return false;
    return mcph_json_string_is_spelled(token, text, len);
}
/* Two string tokens that say the same. */
bool mcph_json_string_eq(struct mcph_span a, struct mcph_span b);
/*
 * What a string token says.  Without escapes that is a part of the token itself;
 * with escapes the decoded UTF-8 is added to `buf` and borrowed from there (valid
 * until `buf` changes).  Half a surrogate pair becomes U+FFFD; \u0000 is a NUL
 * byte.  Returns 0, MCPHOST_E_INVALID when it is no string, or what the buffer
 * said.
 */
int mcph_json_string_get(struct mcph_span token, struct mcph_buf *buf,
                         struct mcph_span *ret_text);
/* The same in steps, in the caller's own `room` (4 bytes at least): the bytes of the
 * next step, 0 after the last.  A step may end within a character.  What is no string
 * says nothing. */
struct mcph_json_text {
    const char *p, *end;
};
void mcph_json_text_init(struct mcph_json_text *text, struct mcph_span token);
size_t mcph_json_text_next(struct mcph_json_text *text, char *room, size_t len);
/* The same as a C string of the caller's own (free()); a string with a NUL in it
 * is MCPHOST_E_INVALID. */
int mcph_json_string_dup(struct mcph_span token, char **ret_str);
/* The same for people, who are shown all of it: a NUL becomes a blank. */
int mcph_json_string_show(struct mcph_span token, char **ret_str);

/* Numbers: a plain integer within int64 (no fraction, no exponent), or any number
 * that is finite as a double.  Otherwise MCPHOST_E_INVALID.  Locale-free. */
int mcph_json_int64(struct mcph_span token, int64_t *ret_n);
int mcph_json_double(struct mcph_span token, double *ret_d);
int mcph_json_bool(struct mcph_span token, bool *ret_b);
static inline bool
mcph_json_is_null(struct mcph_span token)
{
    return token.p && *token.p == 'n';
}

/* ---- a text that comes in pieces (strict.c, stream.c) --------------------------------
 * Checked as by mcph_json_scan(), in constant memory and piece by piece, so that no
 * piece costs more than its own bytes. */

/* One value.  `depth` as for the scan, but not 0. */
struct mcph_json_strict {
    uint64_t path; /* a bit for each open container, the lowest for the innermost */
    unsigned level, max, n, n_tail;
    int place, code;
    bool is_key, bad_utf8;
    char tail[4];     /* a character that the last piece ended in */
    const char *word; /* what must come of "true", "false" or "null" */
    const char *why;  /* a fault, or NULL */
    const char *bad;  /* where in the piece it was found */
    uint64_t stack[MCPH_JSON_DEPTH_MAX / 64 - 1];
};

void mcph_json_strict_begin(struct mcph_json_strict *s, unsigned depth);
/* The place behind the value, or `end` where it may go on; NULL: a fault. */
const char *mcph_json_strict_feed(struct mcph_json_strict *s, const char *p,
                                  const char *end);
/* The value's end is known: of a number it is only with the byte behind it. */
bool mcph_json_strict_done(const struct mcph_json_strict *s);
/* At the end of the text: false after a fault, which an unfinished value is, too. */
bool mcph_json_strict_end(struct mcph_json_strict *s);
bool mcph_json_strict_in_string(const struct mcph_json_strict *s, bool *ret_escaped);

/* A whole text, of which members of the outermost object are wanted.  After a fault
 * the stream still follows strings and brackets, without checking, so that an id is
 * found in a text that is refused, too. */
struct mcph_json_catch {
    const char *name;
    size_t name_len;
    char *value; /* where the value's first `size` bytes are kept */
    size_t size;
    size_t len;       /* kept so far */
    uint64_t at, end; /* the value's offsets in the text; at == end: not seen */
    bool cut;         /* the value was longer than `size` */
};

#define MCPH_JSON_STREAM_KEY 64

struct mcph_json_stream {
    struct mcph_json_catch *catches, *now;
    size_t n_catches;
    uint64_t offset, depth; /* `depth`: open containers within the member's value */
    uint64_t at, end;       /* of the whole value, without white space around it */
    int state;
    bool in_string, escaped;
    bool twice;     /* a wanted key stands a second time */
    size_t key_len; /* SIZE_MAX: too long to be one of ours */
    char key[MCPH_JSON_STREAM_KEY];
    struct mcph_json_strict strict;
};

/* `catches` stays the caller's and must outlive the stream.  The depth is
 * MCPH_JSON_DEPTH. */
void mcph_json_stream_init(struct mcph_json_stream *stream,
                           struct mcph_json_catch *catches, size_t n_catches);
void mcph_json_stream_feed(struct mcph_json_stream *stream, const char *data, size_t len);
/* At the end of the text: true when it was one object, all of it seen. */
bool mcph_json_stream_end(struct mcph_json_stream *stream);
/* At the end of the text, what mcph_json_scan() would return; `ret_fault` may be NULL,
 * its `at` is not set. */
int mcph_json_stream_verdict(struct mcph_json_stream *stream,
                             struct mcph_json_fault *ret_fault);

/* ---- writing (write.c) ---------------------------------------------------------
 * All of these add to a buffer and return what the buffer said; mcph_buf_ok() once
 * at the end will do. */

/* A string with its quotes.  What is not UTF-8 is written as U+FFFD: the result
 * is always valid JSON. */
int mcph_json_add_string(struct mcph_buf *buf, const char *text, size_t len);
/* A part of a string, without the quotes around it; it ends with a whole character. */
int mcph_json_add_part(struct mcph_buf *buf, const char *text, size_t len);
int mcph_json_add_str(struct mcph_buf *buf, const char *str); /* NULL: null */
int mcph_json_add_bool(struct mcph_buf *buf, bool b);
int mcph_json_add_double(struct mcph_buf *buf,
                         double d); /* shortest that reads back; not finite: null */
int mcph_json_add_span(struct mcph_buf *buf,
                       struct mcph_span value); /* as it is; p NULL: null */
/* A comma, unless the last byte is one of `{ [ , :` or the buffer is empty. */
int mcph_json_add_comma(struct mcph_buf *buf);
/* The comma when one is due, the name as a string, and the colon. */
int mcph_json_add_key(struct mcph_buf *buf, const char *name);
/* That, and a string as the value; NULL: null. */
int mcph_json_add_member(struct mcph_buf *buf, const char *name, const char *str);
/* A checked value in canonical form: no white space, names sorted by their bytes,
 * strings spelled in one way, numbers as they were.  Equal values of equal
 * spelling of numbers give equal bytes. */
int mcph_json_add_canonical(struct mcph_buf *buf, struct mcph_span value);

/* ---- jansson values (tree.c) ---------------------------------------------------------
 * For documents that are interpreted as a whole, off the hot path.  Files that use them
 * include <jansson.h>, too.
 *
 * A member whose name begins with MCPH_JSON_RAW holds its value's JSON text, as a string.
 * It is read and written without a change of a byte, so numbers of any size and spelling
 * pass through.  No text has such a name, because the prefix is not UTF-8. */

#define MCPH_JSON_RAW "\xff"

/* A value may cost jansson 100 times the bytes of its text.  Raw text counts as one. */
#define MCPH_JSON_TREE_VALUES (1024 * 1024)

struct json_t;

enum {
    MCPH_TREE_UNIQUE = 1, /* refuse two members of one name; else the last counts */
    /* Take what jansson cannot hold instead of refusing it: a number beyond int64 or
     * double becomes null, a NUL in a name a blank. */
    MCPH_TREE_LENIENT = 2
};

/*
 * Makes *ret_object, for json_decref(), of a JSON object, which is checked as by
 * mcph_json_check_input().  `raw` are names, with their prefix, of members at any depth
 * that are to be raw; NULL ends the list; NULL: none.  `flags` are MCPH_TREE_*.  Half a
 * surrogate pair becomes U+FFFD.
 *
 * Returns 0; MCPHOST_E_INVALID with line and column; MCPHOST_E_LIMIT, also for more than
 * MCPH_JSON_TREE_VALUES values; MCPHOST_E_NOMEM.
 */
int mcph_json_load(struct mcph_span text, unsigned depth, const char *what,
                   const char *const *raw, unsigned flags, struct json_t **ret_object,
                   mcphost_error **reterr);
/* Drops a reference, for files that need no more of jansson; NULL is allowed. */
void mcph_json_drop(struct json_t *value);
/* Adds a value to a buffer, and returns what the buffer said.  A real is spelled with as
 * few digits as read back. */
int mcph_json_add_tree(struct mcph_buf *buf, const struct json_t *value);

/* ---- merging (merge.c) --------------------------------------------------------------
 * Adds the members of two objects in canonical form as one, which is canonical.  Where
 * both have an object under one name, these are merged likewise; any other value of
 * `over` takes the place of that of `under`.  No name stands twice in an object. */
int mcph_json_add_merged(struct mcph_buf *buf, struct mcph_span under,
                         struct mcph_span over);

#endif
