/* SPDX-License-Identifier: MIT
 *
 * scan.c - does the minimum that a client must do with a message.
 *
 * The scanner checks once that the message is JSON, and finds the id and the result at
 * any position.  It shares no code with the library, because it is the reference for the
 * library's own scanner.  It reports no error messages.  It accepts a depth of at most
 * 64.
 */
#include <stdint.h>
#include <string.h>

#include "common.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define DEPTH_MAX 64

static const char *skip_value(const char *p, const char *end, int depth);

static const char *
skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p;
}

/* Skips one character beyond ASCII.  Returns the end of the character, or NULL if it is
 * not valid UTF-8. */
static const char *
skip_utf8(const char *p, const char *end)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t n, left = (size_t)(end - p);

    if (u[0] >= 0xc2 && u[0] <= 0xdf)
        n = 2;
    else if ((u[0] & 0xf0) == 0xe0)
        n = 3;
    else if (u[0] >= 0xf0 && u[0] <= 0xf4)
        n = 4;
    else
        return NULL;
    if (left < n)
        return NULL;
    for (size_t i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80)
            return NULL;
    if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
        (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
        return NULL;
    return p + n;
}

static const char *
skip_escape(const char *p, const char *end)
{
    if (end - p < 2)
        return NULL;
    if (p[1] != 'u')
        return p[1] && strchr("\"\\/bfnrt", p[1]) ? p + 2 : NULL;
    if (end - p < 6)
        return NULL;
    for (int i = 2; i < 6; i++)
        if (!((p[i] >= '0' && p[i] <= '9') || ((p[i] | 32) >= 'a' && (p[i] | 32) <= 'f')))
            return NULL;
    return p + 6;
}

/* Skips the ASCII characters that stand for themselves in a JSON string: all except the
 * quote, the backslash and control characters.  Skips 16 at a time if the machine has
 * SSE2. */
static const char *
skip_plain(const char *p, const char *end)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'),
                  space = _mm_set1_epi8(0x20);

    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* The comparison with a space finds the control characters and the bytes beyond
         * ASCII.  It is signed, so that bytes beyond ASCII are less than a space. */
        __m128i stop = _mm_or_si128(
            _mm_cmplt_epi8(v, space),
            _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)));
        unsigned mask = (unsigned)_mm_movemask_epi8(stop);

        if (mask)
            return p + __builtin_ctz(mask);
    }
#endif
    while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 &&
           *p != '"' && *p != '\\')
        p++;
    return p;
}

/* Skips a string from the byte after the opening quote.  Returns the byte after the
 * closing quote, or NULL if the string is not valid. */
static const char *
skip_string(const char *p, const char *end)
{
    while (p) {
        p = skip_plain(p, end);
        if (p >= end)
            return NULL;
        if (*p == '"')
            return p + 1;
        if (*p == '\\')
            p = skip_escape(p, end);
        else if ((unsigned char)*p >= 0x80)
            p = skip_utf8(p, end);
        else
            return NULL;
    }
    return NULL;
}

static const char *
skip_digits(const char *p, const char *end)
{
    const char *from = p;

    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p > from ? p : NULL;
}

static const char *
skip_number(const char *p, const char *end)
{
    const char *from;

    if (*p == '-')
        p++;
    from = p;
    p = skip_digits(p, end);
    if (!p || (*from == '0' && p > from + 1))
        return NULL;
    if (p < end && *p == '.')
        p = skip_digits(p + 1, end);
    if (p && p < end && (*p | 32) == 'e') {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        p = skip_digits(p, end);
    }
    return p;
}

static const char *
skip_word(const char *p, const char *end, const char *word, size_t len)
{
    return (size_t)(end - p) >= len && memcmp(p, word, len) == 0 ? p + len : NULL;
}

/* Skips a member's name and colon.  Sets *ret_key and *ret_len to the name. */
static const char *
skip_key(const char *p, const char *end, const char **ret_key, size_t *ret_len)
{
    p = skip_space(p, end);
    if (p >= end || *p != '"')
        return NULL;
    *ret_key = p + 1;
    p = skip_string(p + 1, end);
    if (!p)
        return NULL;
    *ret_len = (size_t)(p - 1 - *ret_key);
    p = skip_space(p, end);
    return p < end && *p == ':' ? skip_space(p + 1, end) : NULL;
}

static const char *
skip_container(const char *p, const char *end, int depth)
{
    char close = *p == '{' ? '}' : ']';
    const char *key;
    size_t len;

    p = skip_space(p + 1, end);
    if (p < end && *p == close)
        return p + 1;
    while (p) {
        if (close == '}')
            p = skip_key(p, end, &key, &len);
        if (p)
            p = skip_value(p, end, depth + 1);
        if (!p)
            return NULL;
        p = skip_space(p, end);
        if (p >= end || (*p != ',' && *p != close))
            return NULL;
        if (*p++ == close)
            return p;
    }
    return NULL;
}

static const char *
skip_value(const char *p, const char *end, int depth)
{
    p = skip_space(p, end);
    if (p >= end || depth > DEPTH_MAX)
        return NULL;
    switch (*p) {
    case '"':
        return skip_string(p + 1, end);
    case '{':
    case '[':
        return skip_container(p, end, depth);
    case 't':
        return skip_word(p, end, "true", 4);
    case 'f':
        return skip_word(p, end, "false", 5);
    case 'n':
        return skip_word(p, end, "null", 4);
    default:
        return skip_number(p, end);
    }
}

static long
number_of(const char *p, const char *end)
{
    long n = 0;

    if (p == end || end - p > 18)
        return -1;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9')
            return -1;
        n = n * 10 + (*p - '0');
    }
    return n;
}

bool
bench_scan(const char *p, size_t len, struct bench_answer *ret)
{
    const char *end = p + len, *key, *value;
    size_t key_len;

    *ret = (struct bench_answer){.id = -1};
    p = skip_space(p, end);
    if (p >= end || *p != '{')
        return false;
    do {
        value = skip_key(p + 1, end, &key, &key_len);
        p = value ? skip_value(value, end, 1) : NULL;
        if (!p)
            return false;
        if (key_len == 2 && memcmp(key, "id", 2) == 0) {
            ret->id = number_of(value, p);
        } else if (key_len == 6 && memcmp(key, "result", 6) == 0) {
            ret->result = value;
            ret->result_len = (size_t)(p - value);
        }
        p = skip_space(p, end);
    } while (p < end && *p == ',');
    return p < end && *p == '}' && skip_space(p + 1, end) == end;
}
