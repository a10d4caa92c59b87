/* SPDX-License-Identifier: MIT
 *
 * scan.c - the one pass that checks a JSON text and finds wanted members.
 *
 * The pass is a loop, not a recursion, so that no text can exhaust the C stack.  The pass
 * keeps one bit for each open container, so that the nesting limit bounds memory.  The
 * pass compares only the names of members of the outermost object, because no other
 * member can be wanted.
 *
 * Each scan_*() function takes the present place in the text as an argument.  The
 * function returns the place behind the part that it has read, or NULL on failure.
 * Most functions pass the place by value, so that the compiler can keep it in a
 * register.  No function allocates memory.  Only find_want() decodes text: a key with
 * escapes.
 */
#include "json/json.h"
#include "json/bytes.h"

struct scan {
    const char *begin, *end;
    struct mcph_json_want *want;
    size_t n_want;
    unsigned max;
    const char *bad, *why; /* the fault: its place and its description */
    int code;
    uint64_t *stack; /* the outer bits of `path`, see scan_from() */
};

/* A place before a member or an element, or before a value at level 0. */
struct stand {
    const char *p;
    uint64_t path;
    unsigned level;
};

const char mcph_json_bad_utf8[] = "invalid UTF-8";
const char mcph_json_too_short[] = "the text ends too early";
const char mcph_json_too_deep[] = "nesting is deeper than allowed";
const char mcph_json_unexpected[] = "unexpected character";
const char mcph_json_no_name[] = "a member name is missing";
const char mcph_json_no_colon[] = "a colon is missing";
const char mcph_json_no_comma[] = "a comma or closing bracket is missing";
const char mcph_json_twice[] = "a member occurs twice";
const char mcph_json_trailing[] = "there is more text after the value";

static const char *
fail_scan(struct scan *s, const char *at, const char *why)
{
    s->bad = at;
    s->why = at < s->end ? why : mcph_json_too_short;
    s->code = MCPHOST_E_INVALID;
    return NULL;
}

/* Checks the escape whose backslash is at `p`. */
static const char *
scan_escape(struct scan *s, const char *p)
{
    const char *at = p++;
    int i;

    if (p >= s->end)
        return fail_scan(s, p, "");
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
        return fail_scan(s, at, "unknown escape in a string");
    }
    for (i = 0; i < 4; i++, p++) {
        unsigned char c = p < s->end ? (unsigned char)*p : 0;

        if (p >= s->end)
            return fail_scan(s, p, "");
        if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f'))
            return fail_scan(s, at, "'\\u' needs four hexadecimal digits");
    }
    return p;
}

/* Checks a string that is long, escaped, not ASCII, or invalid.  `p` is behind the
 * string's opening quote. */
static const char *
scan_long_string(struct scan *s, const char *p)
{
    const char *text = p, *end = s->end;
    bool high = false;
    size_t bad;

    for (;;) {
        p = mcph_json_run(s->begin, p, end, &high);
        if (p < end && *p == '"')
            break;
        if (p >= end || *p != '\\')
            return fail_scan(s, p, "control character in a string");
        p = scan_escape(s, p);
        if (!p)
            return NULL;
    }
    if (high && !mcph_utf8_valid(text, (size_t)(p - text), &bad))
        return fail_scan(s, text + bad, mcph_json_bad_utf8);
    return p + 1;
}

/* Checks the string whose opening quote is at `p`. */
static inline __attribute__((always_inline)) const char *
scan_string(struct scan *s, const char *p)
{
    const char *behind = mcph_json_short_string(s->begin, p + 1, s->end);

    return behind ? behind : scan_long_string(s, p + 1);
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
        return fail_scan(s, p, "a digit is missing");
    if (*digits == '0' && p > digits + 1)
        return fail_scan(s, digits, "a number begins with 0");
    if (p < end && *p == '.') {
        digits = ++p;
        p = skip_digits(p, end);
        if (p == digits)
            return fail_scan(s, p, "a digit is missing");
    }
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        digits = p;
        p = skip_digits(p, end);
        if (p == digits)
            return fail_scan(s, p, "a digit is missing");
    }
    return p;
}

static const char *
scan_word(struct scan *s, const char *p, const char *word, size_t len)
{
    size_t left = (size_t)(s->end - p);

    if (left >= len && memcmp(p, word, len) == 0)
        return p + len;
    return fail_scan(s, left < len && memcmp(p, word, left) == 0 ? s->end : p,
                     mcph_json_unexpected);
}

/* Skips white space and the character `c`.  If the next character is not `c`, fails with
 * the text `missing`. */
static inline __attribute__((always_inline)) const char *
scan_mark(struct scan *s, const char *p, char c, const char *missing)
{
    if (p < s->end && *p == c)
        return p + 1;
    p = mcph_json_skip_space(p, s->end);
    return p < s->end && *p == c ? p + 1 : fail_scan(s, p, missing);
}

/* Reads a key and its colon.  *ret_key becomes the key's token. */
static inline __attribute__((always_inline)) const char *
scan_key(struct scan *s, const char *p, struct mcph_span *ret_key)
{
    const char *key;

    p = scan_mark(s, p, '"', mcph_json_no_name);
    if (!p)
        return NULL;
    key = p - 1;
    p = scan_string(s, key);
    if (!p)
        return NULL;
    *ret_key = mcph_span(key, (size_t)(p - key));
    return scan_mark(s, p, ':', mcph_json_no_colon);
}

static inline __attribute__((always_inline)) const char *
scan_scalar(struct scan *s, const char *p)
{
    switch (*p) {
    case '"':
        return scan_string(s, p);
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
        return fail_scan(s, p, mcph_json_unexpected);
    }
}

static const char *
fail_depth(struct scan *s, const char *p)
{
    (void)fail_scan(s, p, mcph_json_too_deep);
    s->code = MCPHOST_E_LIMIT;
    return NULL;
}

/* Skips the opening bracket at `p`, and also the closing bracket if the container is
 * empty.  Sets *ret_empty to true if the container is empty, else to false. */
static inline const char *
scan_open(struct scan *s, const char *p, bool *ret_empty)
{
    char close = *p == '{' ? '}' : ']';

    p = mcph_json_skip_space(p + 1, s->end);
    *ret_empty = p < s->end && *p == close;
    return *ret_empty ? p + 1 : p;
}

/* Scans to the end of the outermost value.  `at` is the beginning of the value,
 * possibly with white space before it, or a place inside the value.  Containers may be
 * nested up to `max` levels.  After a fault, `at` is the beginning of the member or
 * element with the fault.
 *
 * The lowest bit of `path` is 1 if the innermost container is an object.  The next bit is
 * for the container around it, and so on.  If there are more than 64 containers, the bits
 * of the outer containers are in s->stack. */
static inline __attribute__((always_inline)) const char *
scan_from(struct scan *s, struct stand *at, unsigned max)
{
    const char *end = s->end, *p = at->p;
    unsigned level = at->level;
    uint64_t path = at->path;
    struct mcph_span key;
    bool empty, object;
    char close;

    for (;;) {
        *at = (struct stand){p, path, level};
        if (path & 1) {
            p = scan_key(s, p, &key);
            if (!p)
                return NULL;
        }
        p = mcph_json_skip_space(p, end);
        if (p >= end)
            return fail_scan(s, p, "");
        object = *p == '{';
        if (object || *p == '[') {
            if (level >= max)
                return fail_depth(s, p);
            p = scan_open(s, p, &empty);
            if (!empty && p >= end)
                return fail_scan(s, p, "");
            if (!empty) {
                if (level > 0 && level % 64 == 0)
                    s->stack[level / 64 - 1] = path;
                path = path << 1 | object;
                level++;
                continue;
            }
        } else {
            p = scan_scalar(s, p);
            if (!p)
                return NULL;
        }
        /* After a value, leave all containers that end here. */
        for (; level > 0; p++) {
            close = path & 1 ? '}' : ']';
            if (p >= end || (*p != ',' && *p != close)) {
                p = mcph_json_skip_space(p, end);
                if (p >= end || (*p != ',' && *p != close))
                    return fail_scan(s, p, mcph_json_no_comma);
            }
            if (*p == ',')
                break;
            level--;
            path >>= 1;
            if (level > 0 && level % 64 == 0)
                path = s->stack[level / 64 - 1];
        }
        if (level == 0)
            return p;
        p++;
    }
}

static const char *
scan_value(struct scan *s, const char *p, unsigned max)
{
    struct stand at = {.p = p};

    return scan_from(s, &at, max);
}

const char *
mcph_json_scan_members(struct mcph_json_strict *strict, const char *p, const char *end)
{
    struct scan s = {.begin = p, .end = end, .stack = strict->stack};
    struct stand at = {p, strict->path, strict->level};

    p = scan_from(&s, &at, strict->max);
    strict->path = at.path;
    strict->level = p ? 0 : at.level;
    return p ? p : at.p;
}

/* Returns the wanted member that has this key, or NULL. */
static struct mcph_json_want *
find_want(struct scan *s, struct mcph_span key)
{
    for (size_t i = 0; i < s->n_want; i++) {
        struct mcph_json_want *want = &s->want[i];
        size_t len = want->name_len;

        if (key.len == len + 2 ? memcmp(key.p + 1, want->name, len) == 0
                               : mcph_json_string_is(key, want->name, len))
            return want;
    }
    return NULL;
}

/* Scans the outermost object, whose bracket is at `p`. */
static const char *
scan_members(struct scan *s, const char *p)
{
    struct mcph_json_want *want;
    struct mcph_span key;
    const char *value;
    bool empty;

    p = scan_open(s, p, &empty);
    while (!empty) {
        p = scan_key(s, p, &key);
        if (!p)
            return NULL;
        want = find_want(s, key);
        if (want && want->value.p)
            return fail_scan(s, key.p, mcph_json_twice);
        value = mcph_json_skip_space(p, s->end);
        p = scan_value(s, value, s->max - 1);
        if (!p)
            return NULL;
        if (want)
            want->value = mcph_span(value, (size_t)(p - value));
        p = mcph_json_skip_space(p, s->end);
        if (p >= s->end || (*p != ',' && *p != '}'))
            return fail_scan(s, p, mcph_json_no_comma);
        empty = *p++ == '}';
    }
    return p;
}

int
mcph_json_scan(struct mcph_span text, unsigned depth, struct mcph_json_want *want,
               size_t n_want, struct mcph_span *ret_value,
               struct mcph_json_fault *ret_fault)
{
    const char *begin = text.p ? text.p : "", *value, *p, *stop;
    uint64_t stack[MCPH_JSON_DEPTH_MAX / 64 - 1]; /* not initialised, because
                                                   * scan_from() writes each word before
                                                   * it reads the word */
    struct scan s;
    size_t i;

    s.begin = begin;
    s.end = begin + (text.p ? text.len : 0);
    s.stack = stack;
    s.want = want;
    s.n_want = n_want;
    s.max = depth == 0 ? MCPH_JSON_DEPTH : depth;
    if (s.max > MCPH_JSON_DEPTH_MAX)
        s.max = MCPH_JSON_DEPTH_MAX;
    for (i = 0; i < n_want; i++)
        want[i].value = MCPH_SPAN_NONE;

    value = mcph_json_skip_space(begin, s.end);
    if (n_want > 0 && value < s.end && *value == '{')
        p = scan_members(&s, value);
    else
        p = scan_value(&s, value, s.max);
    stop = p;
    if (p && mcph_json_skip_space(p, s.end) < s.end)
        p = fail_scan(&s, mcph_json_skip_space(p, s.end), mcph_json_trailing);
    if (p) {
        if (ret_value)
            *ret_value = mcph_span(value, (size_t)(stop - value));
        return 0;
    }
    if (ret_fault)
        *ret_fault = (struct mcph_json_fault){(size_t)(s.bad - begin), s.why,
                                              s.why == mcph_json_bad_utf8};
    return s.code;
}

int
mcph_json_check(struct mcph_span text, unsigned depth, struct mcph_span *ret_value,
                struct mcph_json_fault *ret_fault)
{
    return mcph_json_scan(text, depth, NULL, 0, ret_value, ret_fault);
}

/* Checks the name whose opening quote is at `p`.  Returns NULL if the name is invalid or
 * has escapes. */
static inline const char *
scan_plain_name(struct scan *s, const char *p)
{
    const char *behind = mcph_json_short_string(s->begin, p + 1, s->end);

    if (behind)
        return behind;
    behind = scan_long_string(s, p + 1);
    return behind && !memchr(p, '\\', (size_t)(behind - p)) ? behind : NULL;
}

int
mcph_json_scan_flat(struct mcph_span text, struct mcph_json_member *members, int max,
                    struct mcph_span *ret_value)
{
    struct scan s = {.begin = text.p, .end = text.p + text.len};
    const char *p = mcph_json_skip_space(s.begin, s.end), *value = p, *key;
    bool empty;
    int n;

    if (p >= s.end || *p != '{')
        return -1;
    p = scan_open(&s, p, &empty);
    for (n = 0; !empty; n++) {
        p = mcph_json_skip_space(p, s.end);
        if (n == max || p >= s.end || *p != '"')
            return -1;
        key = p;
        p = scan_plain_name(&s, key);
        if (!p)
            return -1;
        members[n].name = mcph_span(key + 1, (size_t)(p - key) - 2);
        p = scan_mark(&s, p, ':', mcph_json_no_colon);
        if (!p)
            return -1;
        p = mcph_json_skip_space(p, s.end);
        if (p >= s.end)
            return -1;
        members[n].value.p = p;
        p = scan_scalar(&s, p);
        if (!p)
            return -1;
        members[n].value.len = (size_t)(p - members[n].value.p);
        p = mcph_json_skip_space(p, s.end);
        if (p >= s.end || (*p != ',' && *p != '}'))
            return -1;
        empty = *p++ == '}';
    }
    if (mcph_json_skip_space(p, s.end) < s.end)
        return -1;
    *ret_value = mcph_span(value, (size_t)(p - value));
    return n;
}
