/* SPDX-License-Identifier: MIT
 *
 * scan.c - the one pass that checks a JSON text and finds wanted members.
 *
 * A loop instead of recursion: `stack` holds one bit for each open container, so
 * that the nesting limit bounds memory and no text can exhaust the C stack.
 *
 * Each step takes the place it stands at and returns the place behind what it read,
 * or NULL after fail(): so the place stays in a register.  Nothing is allocated,
 * nothing is decoded.
 */
#include "json/json.h"
#include "json/bytes.h"

struct scan {
    const char *begin, *end;
    struct mcph_json_want *want, *now; /* `now`: the member whose value is being read */
    size_t n_want;
    unsigned level, max;
    bool in_object;
    const char *bad, *why; /* the fault */
    int code;
    uint64_t stack[MCPH_JSON_DEPTH_MAX / 64]; /* bit n: container n is an object */
};

static const char *
fail(struct scan *s, const char *at, const char *why)
{
    s->bad = at;
    s->why = at < s->end ? why : "the text ends too early";
    s->code = MCPHOST_E_INVALID;
    return NULL;
}

static inline const char *
skip_space(const char *p, const char *end)
{
    /* Most texts have none. */
    return p < end && (unsigned char)*p <= ' ' ? mcph_json_skip_space(p, end) : p;
}

/* At the backslash. */
static const char *
scan_escape(struct scan *s, const char *p)
{
    const char *at = p++;
    int i;

    if (p >= s->end)
        return fail(s, p, "");
    switch (*p++) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return p;
    case 'u':
        break;
    default:
        return fail(s, at, "unknown escape in a string");
    }
    for (i = 0; i < 4; i++, p++) {
        unsigned char c = p < s->end ? (unsigned char)*p : 0;

        if (p >= s->end)
            return fail(s, p, "");
        if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f'))
            return fail(s, at, "'\\u' needs four hexadecimal digits");
    }
    return p;
}

/* A string that is long, or escaped, or not ASCII, or not right; `p`: behind its
 * opening quote. */
static const char *
scan_long_string(struct scan *s, const char *p, bool *ret_escaped)
{
    const char *text = p, *end = s->end;
    bool high = false;
    size_t bad;

    for (;;) {
        p = mcph_json_run(s->begin, p, end, &high);
        if (p < end && *p == '"')
            break;
        if (p >= end || *p != '\\')
            return fail(s, p, "control character in a string");
        *ret_escaped = true;
        p = scan_escape(s, p);
        if (!p)
            return NULL;
    }
    if (high && !mcph_utf8_valid(text, (size_t)(p - text), &bad))
        return fail(s, text + bad, "invalid UTF-8");
    return p + 1;
}

/* At the opening quote. */
static inline const char *
scan_string(struct scan *s, const char *p, bool *ret_escaped)
{
    const char *behind = mcph_json_short_string(p + 1, s->end);

    *ret_escaped = false;
    return behind ? behind : scan_long_string(s, p + 1, ret_escaped);
}

static inline const char *
skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static inline const char *
scan_number(struct scan *s, const char *p)
{
    const char *end = s->end, *digits;

    if (*p == '-')
        p++;
    digits = p;
    p = skip_digits(p, end);
    if (p == digits)
        return fail(s, p, "a digit is missing");
    if (*digits == '0' && p > digits + 1)
        return fail(s, digits, "a number begins with 0");
    if (p < end && *p == '.') {
        digits = ++p;
        p = skip_digits(p, end);
        if (p == digits)
            return fail(s, p, "a digit is missing");
    }
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        digits = p;
        p = skip_digits(p, end);
        if (p == digits)
            return fail(s, p, "a digit is missing");
    }
    return p;
}

static const char *
scan_word(struct scan *s, const char *p, const char *word, size_t len)
{
    size_t left = (size_t)(s->end - p);

    if (left >= len && memcmp(p, word, len) == 0)
        return p + len;
    return fail(s, left < len && memcmp(p, word, left) == 0 ? s->end : p,
                "unexpected character");
}

/* A key of the outermost object: is it one that the caller wants?  False: for the
 * second time. */
static bool
match_key(struct scan *s, const char *key, size_t len, bool escaped)
{
    size_t i;

    for (i = 0; i < s->n_want; i++) {
        struct mcph_json_want *want = &s->want[i];

        if (!escaped) {
            if (len != want->name_len || (len > 0 && *key != *want->name) ||
                memcmp(key, want->name, len) != 0)
                continue;
        } else if (!mcph_json_string_is(mcph_span(key - 1, len + 2), want->name,
                                        want->name_len)) {
            continue;
        }
        s->now = want;
        return !want->value.p;
    }
    return true;
}

/* A key and its colon. */
static inline const char *
scan_key(struct scan *s, const char *p)
{
    const char *key;
    size_t len;
    bool escaped;

    if (p >= s->end || *p != '"') {
        p = skip_space(p, s->end);
        if (p >= s->end || *p != '"')
            return fail(s, p, "a member name is missing");
    }
    key = p + 1;
    p = scan_string(s, p, &escaped);
    if (!p)
        return NULL;
    len = (size_t)(p - 1 - key);
    if (p >= s->end || *p != ':') {
        p = skip_space(p, s->end);
        if (p >= s->end || *p != ':')
            return fail(s, p, "a colon is missing");
    }
    if (s->level == 1 && s->n_want > 0 && !match_key(s, key, len, escaped)) {
        s->now = NULL;
        return fail(s, key - 1, "a member stands twice");
    }
    return p + 1;
}

static inline void
close_container(struct scan *s)
{
    unsigned up = --s->level - 1; /* not used when level became 0 */

    s->in_object = s->level > 0 && (s->stack[up / 64] >> (up % 64) & 1);
}

/* At an opening bracket.  When the closing one follows, past both and level is as it
 * was: `ret_empty`. */
static inline const char *
scan_open(struct scan *s, const char *p, bool *ret_empty)
{
    uint64_t bit = (uint64_t)1 << (s->level % 64), *word = &s->stack[s->level / 64];
    bool object = *p == '{';

    if (s->level >= s->max) {
        (void)fail(s, p, "nesting is deeper than allowed");
        s->code = MCPHOST_E_LIMIT;
        return NULL;
    }
    p = skip_space(p + 1, s->end);
    *ret_empty = p < s->end && *p == (object ? '}' : ']');
    if (*ret_empty)
        return p + 1;
    *word = object ? *word | bit : *word & ~bit;
    s->level++;
    s->in_object = object;
    return p;
}

static inline const char *
scan_scalar(struct scan *s, const char *p)
{
    bool escaped;

    switch (*p) {
    case '"':
        return scan_string(s, p, &escaped);
    case 't':
        return scan_word(s, p, "true", 4);
    case 'f':
        return scan_word(s, p, "false", 5);
    case 'n':
        return scan_word(s, p, "null", 4);
    case '-':
    case '0' ... '9':
        return scan_number(s, p);
    default:
        return fail(s, p, "unexpected character");
    }
}

/* After a value: past the comma behind it, or past the bracket of the outermost
 * container (level 0). */
static inline const char *
scan_climb(struct scan *s, const char *p)
{
    while (s->level > 0) {
        if (s->now && s->level == 1) {
            s->now->value.len = (size_t)(p - s->now->value.p);
            s->now = NULL;
        }
        p = skip_space(p, s->end);
        if (p < s->end && *p == ',')
            return p + 1;
        if (p >= s->end || *p != (s->in_object ? '}' : ']'))
            return fail(s, p, "a comma or closing bracket is missing");
        p++;
        close_container(s);
    }
    return p;
}

/* One value, from its first byte. */
static const char *
scan_value(struct scan *s, const char *p)
{
    bool empty;

    for (;;) {
        if (s->in_object) {
            p = scan_key(s, p);
            if (!p)
                return NULL;
        }
        p = skip_space(p, s->end);
        if (p >= s->end)
            return fail(s, p, "");
        if (s->now && s->level == 1)
            s->now->value.p = p;
        if (*p == '{' || *p == '[') {
            p = scan_open(s, p, &empty);
            if (p && !empty)
                continue;
        } else {
            p = scan_scalar(s, p);
        }
        if (p)
            p = scan_climb(s, p);
        if (!p || s->level == 0)
            return p;
    }
}

int
mcph_json_scan(struct mcph_span text, unsigned depth, struct mcph_json_want *want,
               size_t n_want, struct mcph_span *ret_value,
               struct mcph_json_fault *ret_fault)
{
    const char *begin = text.p ? text.p : "", *value, *p, *stop;
    struct scan s; /* the stack stays unset: a bit is written before it is read */
    size_t i;

    s.begin = begin;
    s.end = begin + (text.p ? text.len : 0);
    s.want = want;
    s.now = NULL;
    s.n_want = n_want;
    s.level = 0;
    s.max = depth == 0 ? MCPH_JSON_DEPTH : depth;
    if (s.max > MCPH_JSON_DEPTH_MAX)
        s.max = MCPH_JSON_DEPTH_MAX;
    s.in_object = false;
    for (i = 0; i < n_want; i++)
        want[i].value = MCPH_SPAN_NONE;

    value = skip_space(begin, s.end);
    p = scan_value(&s, value);
    stop = p;
    if (p && skip_space(p, s.end) < s.end)
        p = fail(&s, skip_space(p, s.end), "something stands after the value");
    if (p) {
        if (ret_value)
            *ret_value = mcph_span(value, (size_t)(stop - value));
        return 0;
    }
    if (s.now)
        s.now->value = MCPH_SPAN_NONE;
    if (ret_fault)
        *ret_fault = (struct mcph_json_fault){(size_t)(s.bad - begin), s.why};
    return s.code;
}

int
mcph_json_check(struct mcph_span text, unsigned depth, struct mcph_span *ret_value,
                struct mcph_json_fault *ret_fault)
{
    return mcph_json_scan(text, depth, NULL, 0, ret_value, ret_fault);
}
