/* SPDX-License-Identifier: MIT
 *
 * walk.c - step over JSON that a scan has accepted: members, elements, types.
 *
 * These functions rely on the scan: brackets match, and strings end.  They still check
 * bounds.  A span that was never checked gives wrong results, but no access outside of
 * the span.
 */
#include "json/json.h"
#include "json/bytes.h"

struct mcph_span
mcph_span_str(const char *str)
{
    return str ? mcph_span(str, strlen(str)) : MCPH_SPAN_NONE;
}

bool
mcph_span_eq(struct mcph_span a, struct mcph_span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

bool
mcph_span_is(struct mcph_span span, const char *str)
{
    return mcph_span_eq(span, mcph_span_str(str));
}

const unsigned char mcph_json_type_of[256] = {
    ['{'] = MCPH_JSON_OBJECT, ['['] = MCPH_JSON_ARRAY, ['"'] = MCPH_JSON_STRING,
    ['t'] = MCPH_JSON_BOOL,   ['f'] = MCPH_JSON_BOOL,  ['n'] = MCPH_JSON_NULL,
};

const char *
mcph_json_type_name(int type)
{
    static const char *const names[] = {
        [MCPH_JSON_ANY] = "nothing",   [MCPH_JSON_OBJECT] = "object",
        [MCPH_JSON_ARRAY] = "array",   [MCPH_JSON_STRING] = "string",
        [MCPH_JSON_NUMBER] = "number", [MCPH_JSON_BOOL] = "boolean",
        [MCPH_JSON_NULL] = "null",
    };

    return type >= 0 && (size_t)type < MCPH_ARRAY_SIZE(names) ? names[type] : "value";
}

const char *
mcph_json_string_end(const char *p, const char *end)
{
    return mcph_json_skip_string(p + 1, end);
}

#ifdef MCPH_JSON_SSE2

/* The positions of characters in 64 bytes: bit n is for byte n. */
struct block {
    uint64_t quote, slash, bracket;
};

static inline struct block
find_marks(const char *p)
{
    struct block b = {0};
    int i;

    for (i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        /* Set the bits in which the four brackets differ, so that all brackets become
         * equal.  Other characters also become equal to brackets ('Y', '_', 'y', DEL),
         * but a valid text has these characters only in strings. */
        __m128i w = _mm_or_si128(v, _mm_set1_epi8('{' ^ '}' ^ ('{' ^ '[')));
        __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
        __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
        __m128i bracket = _mm_cmpeq_epi8(w, _mm_set1_epi8('{' | '}'));

        b.quote |= (uint64_t)(unsigned)_mm_movemask_epi8(quote) << i;
        b.slash |= (uint64_t)(unsigned)_mm_movemask_epi8(slash) << i;
        b.bracket |= (uint64_t)(unsigned)_mm_movemask_epi8(bracket) << i;
    }
    return b;
}

/* Returns a mask of the escaped bytes of a block.  Before the call,
 * *carry is 1 if a backslash at the end of the previous block escapes the first byte of
 * this block.  After the call, *carry has this meaning for the next block. */
static inline uint64_t
escaped_bytes(uint64_t slash, uint64_t *carry)
{
    uint64_t escaped = *carry;

    slash &= ~escaped; /* an escaped backslash escapes nothing */
    *carry = 0;
    while (slash) {
        uint64_t lowest = slash & -slash;

        if (lowest >> 63)
            *carry = 1;
        escaped |= lowest << 1;
        slash &= ~(lowest | lowest << 1);
    }
    return escaped;
}

/* Returns a mask of the bytes inside strings: bit n is set if bytes 0 to n have an odd
 * number of quotes. */
static inline uint64_t
quoted_bytes(uint64_t quote)
{
    int shift;

    for (shift = 1; shift < 64; shift *= 2)
        quote ^= quote << shift;
    return quote;
}

/* Returns the offset behind the bracket that brings *level to zero, or -1 if *level does
 * not become zero. */
static inline int
find_closing(const char *p, uint64_t brackets, size_t *level)
{
    while (brackets) {
        int at = __builtin_ctzll(brackets);

        brackets &= brackets - 1;
        /* Add 1 for an opening bracket, which has bit 1 set, or -1 for a closing
         * bracket. */
        *level += (size_t)(p[at] & 2) - 1;
        if (*level == 0)
            return at + 1;
    }
    return -1;
}

/* Skips the container that begins at `p`, 64 bytes at a time, with bit operations. */
static const char *
skip_container(const char *p, const char *end)
{
    uint64_t carry = 0, in_string = 0, text;
    const char *bytes;
    char tail[64];
    size_t level = 0;
    struct block b;
    int at;

    while (p < end) {
        size_t n = end - p < 64 ? (size_t)(end - p) : 64;

        bytes = p;
        if (n < 64) {
            memset(tail, ' ', sizeof(tail));
            memcpy(tail, p, n);
            bytes = tail;
        }
        b = find_marks(bytes);
        if (b.slash | carry)
            b.quote &= ~escaped_bytes(b.slash, &carry);
        text = quoted_bytes(b.quote) ^ in_string;
        in_string = 0 - (text >> 63);
        at = find_closing(bytes, b.bracket & ~text, &level);
        if (at >= 0)
            return p + at;
        p += n;
    }
    return end;
}

#else

/* Skips the container that begins at `p`. */
static const char *
skip_container(const char *p, const char *end)
{
    size_t level = 0;

    while (p < end) {
        switch (*p++) {
        case '"':
            p = mcph_json_skip_string(p, end);
            break;
        case '{':
        case '[':
            level++;
            break;
        case '}':
        case ']':
            if (--level == 0)
                return p;
            break;
        default:
            break;
        }
    }
    return end;
}

#endif

/* Returns the end of the value that begins at `p`. */
static const char *
skip_value(const char *p, const char *end)
{
    if (p >= end)
        return end;
    if (*p == '"')
        return mcph_json_skip_string(p + 1, end);
    if (*p == '{' || *p == '[')
        return skip_container(p, end);
    while (p < end && *p != ',' && *p != '}' && *p != ']' && !mcph_json_is_space(*p))
        p++;
    return p;
}

void
mcph_json_iter_init(struct mcph_json_iter *it, struct mcph_span container)
{
    int type = mcph_json_type(container);

    *it = (struct mcph_json_iter){.object = type == MCPH_JSON_OBJECT};
    if ((it->object || type == MCPH_JSON_ARRAY) && container.len >= 2) {
        it->p = container.p + 1;
        it->end = container.p + container.len - 1;
    }
}

bool
mcph_json_iter_open(struct mcph_json_iter *it, struct mcph_span *ret_key,
                    struct mcph_span *ret_value)
{
    const char *p = it->open ? skip_value(it->p, it->end) : it->p, *key = NULL;
    size_t key_len = 0;

    it->open = false;
    p = mcph_json_skip_space(p, it->end);
    if (p < it->end && *p == ',')
        p = mcph_json_skip_space(p + 1, it->end);
    it->p = p;
    if (p >= it->end || *p == '}' || *p == ']')
        return false;
    if (it->object) {
        key = p;
        p = mcph_json_skip_string(p + 1, it->end);
        key_len = (size_t)(p - key);
        p = mcph_json_skip_space(p, it->end);
        if (p < it->end && *p == ':')
            p = mcph_json_skip_space(p + 1, it->end);
    }
    it->p = p;
    it->open = true;
    if (ret_key)
        *ret_key = mcph_span(key, key_len);
    *ret_value = mcph_span(p, (size_t)(it->end - p));
    return true;
}

struct mcph_span
mcph_json_iter_end(struct mcph_json_iter *it)
{
    const char *from = it->p;

    it->p = skip_value(from, it->end);
    it->open = false;
    return mcph_span(from, (size_t)(it->p - from));
}

struct mcph_span
mcph_json_iter_past(struct mcph_json_iter *it, const struct mcph_json_iter *inner)
{
    const char *from = it->p;

    it->p = inner->p && inner->p < it->end ? inner->p + 1 : it->end;
    it->open = false;
    return mcph_span(from, (size_t)(it->p - from));
}

bool
mcph_json_iter_next(struct mcph_json_iter *it, struct mcph_span *ret_key,
                    struct mcph_span *ret_value)
{
    if (!mcph_json_iter_open(it, ret_key, ret_value))
        return false;
    *ret_value = mcph_json_iter_end(it);
    return true;
}

struct mcph_span
mcph_json_get(struct mcph_span object, const char *name)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    size_t len = strlen(name);

    mcph_json_iter_init(&it, object);
    if (!it.object)
        return MCPH_SPAN_NONE;
    while (mcph_json_iter_next(&it, &key, &value)) {
        if (mcph_json_string_is(key, name, len))
            return value;
    }
    return MCPH_SPAN_NONE;
}

int
mcph_json_pick_members(struct mcph_json_iter *it, struct mcph_json_want *want,
                       size_t n_want)
{
    struct mcph_span key, value;
    size_t i;
    int r = 0;

    for (i = 0; i < n_want; i++)
        want[i].value = MCPH_SPAN_NONE;
    while (mcph_json_iter_next(it, &key, &value)) {
        for (i = 0; i < n_want; i++) {
            if (!mcph_json_string_is(key, want[i].name, want[i].name_len))
                continue;
            if (want[i].value.p)
                r = MCPHOST_E_INVALID;
            else
                want[i].value = value;
            break;
        }
    }
    return r;
}

int
mcph_json_pick(struct mcph_span object, struct mcph_json_want *want, size_t n_want)
{
    struct mcph_json_iter it;
    int r;

    mcph_json_iter_init(&it, object);
    r = mcph_json_pick_members(&it, want, n_want);
    return it.object ? r : MCPHOST_E_INVALID;
}

size_t
mcph_json_count(struct mcph_span container)
{
    struct mcph_json_iter it;
    struct mcph_span value;
    size_t n = 0;

    mcph_json_iter_init(&it, container);
    while (mcph_json_iter_next(&it, NULL, &value))
        n++;
    return n;
}

bool
mcph_json_is_tight(struct mcph_span text)
{
    const char *p = text.p, *end = p + text.len;

#ifdef MCPH_JSON_SSE2
    const __m128i last = _mm_set1_epi8(0x1f);

    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

        if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, last), v)))
            return false;
    }
#endif
    for (; p < end; p++) {
        if ((unsigned char)*p < 0x20)
            return false;
    }
    return true;
}
