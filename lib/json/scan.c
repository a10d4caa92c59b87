/* SPDX-License-Identifier: MIT
 *
 * scan.c - the one pass that checks a JSON text and finds wanted members.
 *
 * A loop instead of recursion: `stack` holds one bit for each open container, so
 * that the nesting limit bounds memory and no text can exhaust the C stack.  A
 * value begins in scan_start(), its containers end in scan_climb().  Nothing is
 * allocated, nothing is decoded.
 */
#include "json/json.h"
#include "json/bytes.h"

struct scan {
    const char *begin, *p, *end;
    struct mcph_json_want *want, *now; /* `now`: the member whose value is being read */
    size_t n_want;
    unsigned level, max;
    bool in_object;
    const char *bad, *why;
    uint64_t stack[MCPH_JSON_DEPTH_MAX / 64]; /* bit n: container n is an object */
};

static int
fail(struct scan *s, const char *at, const char *why)
{
    s->bad = at;
    s->why = why;
    return MCPHOST_E_INVALID;
}

static int
fail_here(struct scan *s, const char *why)
{
    return fail(s, s->p, s->p < s->end ? why : "the text ends too early");
}

static inline void
skip_space(struct scan *s)
{
    if (s->p < s->end && (unsigned char)*s->p <= ' ')
        s->p = mcph_json_skip_space(s->p, s->end);
}

static int
scan_escape(struct scan *s)
{
    const char *at = s->p++;
    int i;

    if (s->p >= s->end)
        return fail_here(s, "");
    switch (*s->p++) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return 0;
    case 'u':
        break;
    default:
        return fail(s, at, "unknown escape in a string");
    }
    for (i = 0; i < 4; i++, s->p++) {
        unsigned char c;

        if (s->p >= s->end)
            return fail_here(s, "");
        c = (unsigned char)*s->p;
        if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f'))
            return fail(s, at, "'\\u' needs four hexadecimal digits");
    }
    return 0;
}

/* At the opening quote. */
static int
scan_string(struct scan *s)
{
    const char *text = ++s->p;
    bool high = false;
    size_t bad;

    for (;;) {
        s->p = mcph_json_run(s->p, s->end, &high);
        if (s->p >= s->end)
            return fail_here(s, "");
        if (*s->p == '"')
            break;
        if (*s->p != '\\')
            return fail_here(s, "control character in a string");
        if (scan_escape(s) < 0)
            return MCPHOST_E_INVALID;
    }
    if (high && !mcph_utf8_valid(text, (size_t)(s->p - text), &bad))
        return fail(s, text + bad, "invalid UTF-8");
    s->p++;
    return 0;
}

static const char *
skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static int
scan_number(struct scan *s)
{
    const char *p;

    if (*s->p == '-')
        s->p++;
    p = skip_digits(s->p, s->end);
    if (p == s->p)
        return fail_here(s, "a digit is missing");
    if (*s->p == '0' && p > s->p + 1)
        return fail_here(s, "a number begins with 0");
    s->p = p;
    if (p < s->end && *p == '.') {
        s->p++;
        p = skip_digits(s->p, s->end);
        if (p == s->p)
            return fail_here(s, "a digit is missing");
        s->p = p;
    }
    if (p < s->end && (*p == 'e' || *p == 'E')) {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
            s->p++;
        p = skip_digits(s->p, s->end);
        if (p == s->p)
            return fail_here(s, "a digit is missing");
        s->p = p;
    }
    return 0;
}

static int
scan_word(struct scan *s, const char *word, size_t len)
{
    size_t left = (size_t)(s->end - s->p);

    if (left < len && memcmp(s->p, word, left) == 0)
        s->p = s->end;
    else if (left >= len && memcmp(s->p, word, len) == 0) {
        s->p += len;
        return 0;
    }
    return fail_here(s, "unexpected character");
}

/* A key of the outermost object: is it one that the caller wants? */
static int
match_key(struct scan *s, const char *key, size_t len)
{
    bool escaped = memchr(key, '\\', len) != NULL;
    size_t i;

    for (i = 0; i < s->n_want; i++) {
        struct mcph_json_want *want = &s->want[i];

        if (!escaped) {
            if (len != want->name_len || memcmp(key, want->name, len) != 0)
                continue;
        } else if (!mcph_json_string_is(mcph_span(key - 1, len + 2), want->name,
                                        want->name_len)) {
            continue;
        }
        if (want->value.p)
            return fail(s, key - 1, "a member stands twice");
        s->now = want;
        break;
    }
    return 0;
}

/* A key and its colon. */
static int
scan_key(struct scan *s)
{
    const char *key;
    size_t len;

    skip_space(s);
    if (s->p >= s->end || *s->p != '"')
        return fail_here(s, "a member name is missing");
    key = s->p + 1;
    if (scan_string(s) < 0)
        return MCPHOST_E_INVALID;
    len = (size_t)(s->p - 1 - key);
    skip_space(s);
    if (s->p >= s->end || *s->p != ':')
        return fail_here(s, "a colon is missing");
    s->p++;
    return s->level == 1 && s->n_want > 0 ? match_key(s, key, len) : 0;
}

static int
open_container(struct scan *s, bool object)
{
    uint64_t bit = (uint64_t)1 << (s->level % 64);

    if (s->level >= s->max) {
        (void)fail(s, s->p, "nesting is deeper than allowed");
        return MCPHOST_E_LIMIT;
    }
    if (object)
        s->stack[s->level / 64] |= bit;
    else
        s->stack[s->level / 64] &= ~bit;
    s->level++;
    s->in_object = object;
    s->p++;
    return 0;
}

static void
close_container(struct scan *s)
{
    unsigned up = --s->level - 1; /* not used when level became 0 */

    s->p++;
    s->in_object = s->level > 0 && (s->stack[up / 64] >> (up % 64) & 1);
}

/* 1: the container was empty, 0: its first value comes next. */
static int
scan_open(struct scan *s)
{
    bool object = *s->p == '{';
    int r = open_container(s, object);

    if (r < 0)
        return r;
    skip_space(s);
    if (s->p < s->end && *s->p == (object ? '}' : ']')) {
        close_container(s);
        return 1;
    }
    return object ? scan_key(s) : 0;
}

/* 1: a value is complete, 0: a container was opened and its first value comes next. */
static int
scan_start(struct scan *s)
{
    int r;

    skip_space(s);
    if (s->level == 1 && s->now)
        s->now->value.p = s->p;
    if (s->p >= s->end)
        return fail_here(s, "");
    switch (*s->p) {
    case '{':
    case '[':
        return scan_open(s);
    case '"':
        r = scan_string(s);
        break;
    case 't':
        r = scan_word(s, "true", 4);
        break;
    case 'f':
        r = scan_word(s, "false", 5);
        break;
    case 'n':
        r = scan_word(s, "null", 4);
        break;
    case '-':
    case '0' ... '9':
        r = scan_number(s);
        break;
    default:
        r = fail_here(s, "unexpected character");
    }
    return r < 0 ? r : 1;
}

/* After a value: 1: it was the outermost, 0: another one comes next. */
static int
scan_climb(struct scan *s)
{
    while (s->level > 0) {
        if (s->level == 1 && s->now) {
            s->now->value.len = (size_t)(s->p - s->now->value.p);
            s->now = NULL;
        }
        skip_space(s);
        if (s->p >= s->end)
            return fail_here(s, "");
        if (*s->p == ',') {
            s->p++;
            return s->in_object ? scan_key(s) : 0;
        }
        if (*s->p != (s->in_object ? '}' : ']'))
            return fail_here(s, "a comma or closing bracket is missing");
        close_container(s);
    }
    return 1;
}

static int
scan_text(struct scan *s, struct mcph_span *ret_value)
{
    const char *value;
    int r;

    skip_space(s);
    value = s->p;
    do {
        r = scan_start(s);
        if (r > 0)
            r = scan_climb(s);
    } while (r == 0);
    if (r < 0)
        return r;
    *ret_value = mcph_span(value, (size_t)(s->p - value));
    skip_space(s);
    return s->p < s->end ? fail(s, s->p, "something stands after the value") : 0;
}

int
mcph_json_scan(struct mcph_span text, unsigned depth, struct mcph_json_want *want,
               size_t n_want, struct mcph_span *ret_value,
               struct mcph_json_fault *ret_fault)
{
    struct mcph_span value = MCPH_SPAN_NONE;
    struct scan s; /* the stack stays unset: a bit is written before it is read */
    size_t i;
    int r;

    s.begin = s.p = text.p ? text.p : "";
    s.end = s.begin + (text.p ? text.len : 0);
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

    r = scan_text(&s, &value);
    if (r < 0) {
        if (s.now)
            s.now->value = MCPH_SPAN_NONE;
        if (ret_fault)
            *ret_fault = (struct mcph_json_fault){(size_t)(s.bad - s.begin), s.why};
        return r;
    }
    if (ret_value)
        *ret_value = value;
    return 0;
}

int
mcph_json_check(struct mcph_span text, unsigned depth, struct mcph_span *ret_value,
                struct mcph_json_fault *ret_fault)
{
    return mcph_json_scan(text, depth, NULL, 0, ret_value, ret_fault);
}
