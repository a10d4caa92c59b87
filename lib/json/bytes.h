/* SPDX-License-Identifier: MIT
 *
 * bytes.h - the searches over bytes that the scanner, the walkers and the writer
 * share: 16 bytes at a time with SSE2, 8 elsewhere.
 *
 * Private to the room `json`.  MCPH_JSON_PORTABLE forces the portable form, so that
 * a test can compare the two.
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

static inline bool
mcph_json_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *
mcph_json_skip_space(const char *p, const char *end)
{
    while (p < end && mcph_json_is_space(*p))
        p++;
    return p;
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

/* The first byte in [p, end) that ends a plain run of a string: a quote, a
 * backslash or a control character.  `high` becomes true when the run holds bytes
 * beyond ASCII. */
static inline const char *
mcph_json_run(const char *p, const char *end, bool *high)
{
#ifdef MCPH_JSON_SSE2
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i slash = _mm_set1_epi8('\\');
    const __m128i ctrl = _mm_set1_epi8(0x1f);

    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash));
        unsigned mask, above = (unsigned)_mm_movemask_epi8(v);

        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_min_epu8(v, ctrl), v));
        mask = (unsigned)_mm_movemask_epi8(hit);
        if (mask) {
            unsigned n = (unsigned)__builtin_ctz(mask);

            *high |= (above & ((1u << n) - 1)) != 0;
            return p + n;
        }
        *high |= above != 0;
    }
#else
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;

    for (; end - p >= 8; p += 8) {
        uint64_t v, q, s, hit;

        memcpy(&v, p, 8);
        /* A zero byte of x shows in (x - ones) & ~x & tops; what shows too much
         * only costs a look byte by byte. */
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

/* Past the closing quote of a string whose text begins at `p`, or `end`.  For
 * strings that were checked, or need not be. */
static inline const char *
mcph_json_skip_string(const char *p, const char *end)
{
    bool high = false;

    while (p < end) {
        p = mcph_json_run(p, end, &high);
        if (p >= end)
            break;
        if (*p == '"')
            return p + 1;
        p += *p == '\\' ? 2 : 1;
    }
    return end;
}

#endif
