/* SPDX-License-Identifier: MIT
 *
 * utf8.c - strict UTF-8: no overlong forms, no surrogates, nothing above
 * U+10FFFF (RFC 3629).
 */
#include <string.h>

#include "base/base.h"

#define TOPS 0x8080808080808080ULL /* the top bit of each byte, which is 0 in ASCII */

/* Returns the length of the valid character at p, or 0. */
static size_t
char_len(const unsigned char *p, size_t left)
{
    unsigned char lo = 0x80, hi = 0xbf;
    size_t n;

    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xc2 && p[0] <= 0xdf) {
        n = 2;
    } else if (p[0] >= 0xe0 && p[0] <= 0xef) {
        n = 3;
        if (p[0] == 0xe0)
            lo = 0xa0; /* lower values are overlong */
        else if (p[0] == 0xed)
            hi = 0x9f; /* higher values are surrogates */
    } else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
        n = 4;
        if (p[0] == 0xf0)
            lo = 0x90;
        else if (p[0] == 0xf4)
            hi = 0x8f;
    } else {
        return 0;
    }
    if (left < n || p[1] < lo || p[1] > hi)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

bool
mcph_utf8_valid(const char *data, size_t len, size_t *ret_bad)
{
    const unsigned char *p = (const unsigned char *)data;
    size_t i = 0, n;

    while (i < len) {
        uint64_t words[4];

        /* Check 32 or 8 bytes at once for ASCII, because most text is ASCII. */
        if (len - i >= 32) {
            memcpy(words, p + i, 32);
            if (!((words[0] | words[1] | words[2] | words[3]) & TOPS)) {
                i += 32;
                continue;
            }
        }
        if (len - i >= 8) {
            memcpy(words, p + i, 8);
            if (!(words[0] & TOPS)) {
                i += 8;
                continue;
            }
        }
        n = char_len(p + i, len - i);
        if (!n) {
            if (ret_bad)
                *ret_bad = i;
            return false;
        }
        i += n;
    }
    return true;
}

bool
mcph_utf8_is_text(const char *str)
{
    return str && mcph_utf8_valid(str, strlen(str), NULL);
}

/* Returns true if the valid character at `p` controls how a text is shown: C0, DEL, C1,
 * or an override of the direction.  Some terminals obey C1, too (U+009B starts a
 * sequence).  An override (U+202A to U+202E, U+2066 to U+2069) changes the order in which
 * other characters are shown. */
static bool
is_control(const unsigned char *p)
{
    if (p[0] < 0x80)
        return p[0] < 0x20 || p[0] == 0x7f;
    if (p[0] == 0xc2)
        return p[1] < 0xa0;
    return p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
                            (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

bool
mcph_utf8_is_plain(const char *data, size_t len)
{
    const unsigned char *p = (const unsigned char *)data;
    size_t n;

    for (size_t i = 0; i < len; i += n) {
        n = char_len(p + i, len - i);
        if (!n || is_control(p + i))
            return false;
    }
    return true;
}

int
mcph_utf8_add_clean(struct mcph_buf *buf, const char *data, size_t len, bool oneline)
{
    const unsigned char *p = (const unsigned char *)data;
    size_t i = 0, n;

    while (i < len) {
        n = char_len(p + i, len - i);
        if (!n) {
            mcph_buf_add(buf, "\xef\xbf\xbd", 3);
            n = 1;
        } else if (p[i] == 0 || (oneline && is_control(p + i))) {
            mcph_buf_addc(buf, ' ');
        } else {
            mcph_buf_add(buf, p + i, n);
        }
        i += n;
    }
    return mcph_buf_ok(buf);
}
