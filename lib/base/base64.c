/* SPDX-License-Identifier: MIT
 *
 * base64.c - decode base64 in pieces, and encode it in one call.
 *
 * The decoder accepts every form that servers send: both alphabets of RFC 4648, even
 * mixed, white space anywhere, and texts with or without padding.  The decoder rejects
 * any other character and reports the index of the character.
 *
 * If the next eight characters are digits, the decoder decodes these digits, two groups
 * of four, in one step.  Each of the four places in a group has a table.  The table
 * gives the bits of a digit, shifted to their place in the group.  Three ORs then join
 * the bits of a group.  One test of the result finds any character that is not a digit.
 */
#include <endian.h>

#include "base/base.h"

#define BAD 0x80000000u /* a bit that no digit sets */

#define DIGIT(c)                                 \
    ((c) >= 'A' && (c) <= 'Z'   ? (c) - 'A'      \
     : (c) >= 'a' && (c) <= 'z' ? (c) - 'a' + 26 \
     : (c) >= '0' && (c) <= '9' ? (c) - '0' + 52 \
     : (c) == '+' || (c) == '-' ? 62             \
     : (c) == '/' || (c) == '_' ? 63             \
                                : -1)
#define V(c, shift)  (DIGIT(c) < 0 ? BAD : (uint32_t)DIGIT(c) << (shift))
#define V4(c, shift) V(c, shift), V((c) + 1, shift), V((c) + 2, shift), V((c) + 3, shift)
#define V16(c, shift) \
    V4(c, shift), V4((c) + 4, shift), V4((c) + 8, shift), V4((c) + 12, shift)
#define V64(c, shift) \
    V16(c, shift), V16((c) + 16, shift), V16((c) + 32, shift), V16((c) + 48, shift)
#define TABLE(shift)                                                    \
    {                                                                   \
        V64(0, shift), V64(64, shift), V64(128, shift), V64(192, shift) \
    }

static const uint32_t places[4][256] = {TABLE(18), TABLE(12), TABLE(6), TABLE(0)};

static inline uint32_t
group_bits(const unsigned char *p)
{
    return places[0][p[0]] | places[1][p[1]] | places[2][p[2]] | places[3][p[3]];
}

/* Decodes two groups at a time, up to a character that is not a digit.  Returns the
 * number of characters decoded.  May write two bytes past the decoded bytes. */
static size_t
decode_groups(const unsigned char *p, size_t len, unsigned char *out)
{
    const unsigned char *start = p, *end = p + len;

    while (end - p >= 8) {
        uint32_t a = group_bits(p), b = group_bits(p + 4);
        uint64_t bytes;

        if ((a | b) & BAD)
            break;
        bytes = htobe64((uint64_t)a << 40 | (uint64_t)b << 16);
        memcpy(out, &bytes, sizeof(bytes));
        out += 6;
        p += 8;
    }
    return (size_t)(p - start);
}

void
mcph_base64_init(struct mcph_base64 *b64)
{
    *b64 = (struct mcph_base64){.n = 0};
}

/* Decodes one character: a digit, padding or white space.  Returns the number of bytes
 * written (0 or 3), or MCPHOST_E_INVALID. */
static int
decode_one(struct mcph_base64 *b64, unsigned char c, unsigned char *out)
{
    uint32_t digit = places[3][c];

    if (c == ' ' || (c >= '\t' && c <= '\r'))
        return 0;
    if (c == '=') {
        /* Accept padding only after two or three digits: "xy==" or "xyz=". */
        if (b64->n + b64->padding < 2 || b64->n + b64->padding > 3)
            return MCPHOST_E_INVALID;
        b64->padding++;
        return 0;
    }
    if (digit == BAD || b64->padding)
        return MCPHOST_E_INVALID;
    b64->bits = b64->bits << 6 | digit;
    if (++b64->n < 4)
        return 0;
    b64->n = 0;
    out[0] = (unsigned char)(b64->bits >> 16);
    out[1] = (unsigned char)(b64->bits >> 8);
    out[2] = (unsigned char)b64->bits;
    return 3;
}

int
mcph_base64_feed(struct mcph_base64 *b64, const char *text, size_t len,
                 unsigned char *out, size_t *ret_len)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0, n = 0;

    while (i < len) {
        size_t whole =
            b64->n || b64->padding ? 0 : decode_groups(p + i, len - i, out + n);
        int r;

        i += whole;
        n += whole / 4 * 3;
        if (i == len)
            break;
        r = decode_one(b64, p[i], out + n);
        if (r < 0) {
            b64->at += i;
            return r;
        }
        n += (size_t)r;
        i++;
    }
    b64->at += len;
    *ret_len = n;
    return 0;
}

int
mcph_base64_end(struct mcph_base64 *b64, unsigned char *out, size_t *ret_len)
{
    if (b64->n == 1 || (b64->padding && b64->n + b64->padding != 4))
        return MCPHOST_E_INVALID;
    *ret_len = b64->n ? b64->n - 1 : 0;
    if (b64->n == 2) {
        out[0] = (unsigned char)(b64->bits >> 4);
    } else if (b64->n == 3) {
        out[0] = (unsigned char)(b64->bits >> 10);
        out[1] = (unsigned char)(b64->bits >> 2);
    }
    return 0;
}

static const char digits_for_all[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char digits_for_urls[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Appends the data in base64, with the 64 digits in `digits` and without padding. */
static int
add_digits(struct mcph_buf *buf, const unsigned char *p, size_t len, const char *digits)
{
    int r = mcph_buf_reserve(buf, len / 3 * 4 + 4);
    char *out;

    if (r < 0)
        return r;
    for (out = buf->data + buf->len; len >= 3; len -= 3, p += 3, out += 4) {
        uint32_t x = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

        out[0] = digits[x >> 18];
        out[1] = digits[x >> 12 & 63];
        out[2] = digits[x >> 6 & 63];
        out[3] = digits[x & 63];
    }
    if (len) {
        uint32_t x = (uint32_t)p[0] << 16 | (len > 1 ? (uint32_t)p[1] << 8 : 0);

        *out++ = digits[x >> 18];
        *out++ = digits[x >> 12 & 63];
        if (len > 1)
            *out++ = digits[x >> 6 & 63];
    }
    buf->len = (size_t)(out - buf->data);
    return 0;
}

int
mcph_base64_add(struct mcph_buf *buf, const void *data, size_t len)
{
    int r = add_digits(buf, data, len, digits_for_all);

    if (r < 0)
        return r;
    return len % 3 ? mcph_buf_add(buf, "==", 3 - len % 3) : 0;
}

int
mcph_base64url_add(struct mcph_buf *buf, const void *data, size_t len)
{
    return add_digits(buf, data, len, digits_for_urls);
}
