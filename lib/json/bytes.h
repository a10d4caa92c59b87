/* SPDX-License-Identifier: MIT
 *
 * bytes.h - searches over bytes, shared by the scanner, the walkers and the writer: 16
 * bytes at a time with SSE2, and 8 bytes at a time without SSE2.
 *
 * This header is private to lib/json.  MCPH_JSON_PORTABLE forces the portable form, so
 * that a test can compare the two forms.
 */
#ifndef MCPH_JSON_BYTES_H
#define MCPH_JSON_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(MCPH_JSON_PORTABLE)
#define MCPH_JSON_SSE2 1
#include <emmintrin.h>
#endif

/* Descriptions of the faults in a text (scan.c). */
extern const char mcph_json_bad_utf8[], mcph_json_too_short[], mcph_json_too_deep[],
    mcph_json_unexpected[], mcph_json_no_name[], mcph_json_no_colon[],
    mcph_json_no_comma[], mcph_json_twice[], mcph_json_trailing[];

/* Skips members and elements that are valid and complete within [p, end), for the
 * checker in strict.c.  `p` is before a member or an element.  Also skips the brackets
 * of containers that begin or end in this part.  Returns the place behind the skipped
 * part.  The function is in scan.c. */
struct mcph_json_strict;
const char *mcph_json_scan_members(struct mcph_json_strict *s, const char *p,
                                   const char *end);

static inline bool
mcph_json_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *
mcph_json_skip_spaces(const char *p, const char *end)
{
    while (p < end && mcph_json_is_space(*p))
        p++;
    return p;
}

/* Skips white space.  Usually needs only one comparison, because most calls find no white
 * space. */
static inline const char *
mcph_json_skip_space(const char *p, const char *end)
{
    return p < end && (unsigned char)*p <= ' ' ? mcph_json_skip_spaces(p, end) : p;
}

static inline const char *
mcph_json_run_bytewise(const char *p, const char *end, bool *high)
{
    for (; p < end; p++) {
        unsigned char c = (unsigned char)*p;

        if (c == '"' || c == '\\' || c < 0x20)
            break;
        if (c >= 0x80)
            *high = true;
    }
    return p;
}

#ifdef MCPH_JSON_SSE2
/* Returns a mask of the first 16 bytes at `p`: a bit is set if its byte ends a plain run
 * (see mcph_json_run()).  *ret_high has a bit for each byte beyond ASCII. */
static inline unsigned
mcph_json_run_stops(const char *p, unsigned *ret_high)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                               _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));

    hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v));
    *ret_high = (unsigned)_mm_movemask_epi8(v);
    return (unsigned)_mm_movemask_epi8(hit);
}

/* Returns a mask of the bytes that end a plain run or are beyond ASCII.  Takes one
 * instruction fewer than mcph_json_run_stops(): as signed numbers, bytes beyond ASCII are
 * less than a space. */
static inline __attribute__((always_inline)) __m128i
mcph_json_odd_bytes(const char *p)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i odd = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                               _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));

    return _mm_or_si128(odd, _mm_cmplt_epi8(v, _mm_set1_epi8(' ')));
}

static inline unsigned
mcph_json_odd(const char *p)
{
    return (unsigned)_mm_movemask_epi8(mcph_json_odd_bytes(p));
}

/* Skips plain ASCII, 64 bytes at a time. */
static inline const char *
mcph_json_skip_plain(const char *p, const char *end)
{
    for (; end - p >= 64; p += 64) {
        __m128i odd = _mm_or_si128(
            _mm_or_si128(mcph_json_odd_bytes(p), mcph_json_odd_bytes(p + 16)),
            _mm_or_si128(mcph_json_odd_bytes(p + 32), mcph_json_odd_bytes(p + 48)));

        if (_mm_movemask_epi8(odd))
            break;
    }
    return p;
}
#endif

/* Returns the first byte in [p, end) that ends a plain run of a string: a quote, a
 * backslash or a control character.  Returns `end` if no byte ends the run.  *high
 * becomes true if the run has bytes beyond ASCII.  `begin` is the start of the text that
 * contains the run, or `p` itself.  The function may read the bytes between `begin` and
 * `p`, to examine the last bytes of a text 16 at a time. */
static inline const char *
mcph_json_run(const char *begin, const char *p, const char *end, bool *high)
{
#ifdef MCPH_JSON_SSE2
    unsigned stops, above, before;

    for (p = mcph_json_skip_plain(p, end); end - p >= 16; p += 16) {
        stops = mcph_json_run_stops(p, &above);
        if (stops) {
            *high |= (above & (stops - 1) & ~stops) != 0;
            return p + __builtin_ctz(stops);
        }
        *high |= above != 0;
    }
    if (end - begin >= 16) {
        before = 16 - (unsigned)(end - p);
        stops = (mcph_json_run_stops(end - 16, &above) | 1u << 16) >> before;
        *high |= (above >> before & (stops - 1) & ~stops) != 0;
        return p + __builtin_ctz(stops);
    }
#else
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;

    (void)begin;
    for (; end - p >= 8; p += 8) {
        uint64_t v, q, s, hit;

        memcpy(&v, p, 8);
        /* Set the top bit of each byte that may end the run.  For any word x, (x - ones)
         * & ~x & tops has the top bit of each zero byte of x.  If a top bit is set
         * wrongly, the only cost is a search byte by byte. */
        q = v ^ (ones * '"');
        s = v ^ (ones * '\\');
        hit = ((q - ones) & ~q) | ((s - ones) & ~s) | ((v - ones * 0x20) & ~v);
        if (hit & tops)
            break;
        *high |= (v & tops) != 0;
    }
    while (end - p >= 8) {
        const char *stop = mcph_json_run_bytewise(p, p + 8, high);

        if (stop < p + 8)
            return stop;
        p = stop;
    }
#endif
    return mcph_json_run_bytewise(p, end, high);
}

/* Returns the place behind the closing quote of a string whose text begins at `p`, if the
 * string is ASCII without escapes and the quote is within 16 bytes.  Otherwise returns
 * NULL.  Most keys and values are within this limit.  Also returns NULL if [begin, end)
 * has fewer than 16 bytes.  The portable form always returns NULL.  `begin` is the same
 * as for mcph_json_run(). */
static inline const char *
mcph_json_short_string(const char *begin, const char *p, const char *end)
{
#ifdef MCPH_JSON_SSE2
    unsigned odd = 0;

    if (end - p >= 16)
        odd = mcph_json_odd(p);
    else if (end - begin >= 16)
        odd = mcph_json_odd(end - 16) >> (16 - (unsigned)(end - p));
    if (odd && p[__builtin_ctz(odd)] == '"')
        return p + __builtin_ctz(odd) + 1;
#else
    (void)begin;
    (void)p;
    (void)end;
#endif
    return NULL;
}

/* Returns the place behind the closing quote of a string whose text begins at `p`, or
 * `end` if the closing quote is missing.  Does not check the string. */
static inline const char *
mcph_json_skip_string(const char *p, const char *end)
{
    const char *behind = mcph_json_short_string(p, p, end);
    bool high = false;

    if (behind)
        return behind;
    while (p < end) {
        p = mcph_json_run(p, p, end, &high);
        if (p >= end)
            break;
        if (*p == '"')
            return p + 1;
        p += *p == '\\' ? 2 : 1;
    }
    return end;
}

#endif
