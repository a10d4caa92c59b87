/* SPDX-License-Identifier: MIT
 *
 * normal.c - the normal form of a text in a tool's name (B.21): trimmed, in lower case,
 * with '_' for each run of characters other than letters, digits, '_' and '-'.
 *
 * The result must be equal, to the byte, to the result of trim(), toLowerCase() and
 * replace() of JavaScript, because JavaScript programs keep names of this form.
 */
#include <string.h>

#include "names/names.h"

/* ---- white space ------------------------------------------------------------------- */

/* Returns true for U+2000 to U+200A, U+2028, U+2029, U+202F and U+205F.  In UTF-8 the
 * first byte of these characters is E2.  `second` and `third` are the other two bytes. */
static bool
is_general_space(unsigned char second, unsigned char third)
{
    if (second == 0x80)
        return (third >= 0x80 && third <= 0x8a) || third == 0xa8 || third == 0xa9 ||
               third == 0xaf;
    return second == 0x81 && third == 0x9f;
}

size_t
mcph_name_space(const char *p, const char *end)
{
    const unsigned char *u = (const unsigned char *)p;

    if (*u < 0x80)
        return *u == ' ' || (*u >= '\t' && *u <= '\r') ? 1 : 0;
    if (end - p >= 2 && u[0] == 0xc2 && u[1] == 0xa0)
        return 2;
    if (end - p < 3)
        return 0;
    if (memcmp(p, "\xe1\x9a\x80", 3) == 0 || memcmp(p, "\xe3\x80\x80", 3) == 0 ||
        memcmp(p, "\xef\xbb\xbf", 3) == 0 ||
        (u[0] == 0xe2 && is_general_space(u[1], u[2])))
        return 3;
    return 0;
}

/* Returns the length of the white space character that ends at `end`, or 0. */
static size_t
space_before(const char *p, const char *end)
{
    for (size_t n = 1; n <= 3 && n <= (size_t)(end - p); n++) {
        if (mcph_name_space(end - n, end) == n)
            return n;
    }
    return 0;
}

struct mcph_span
mcph_name_trim(const char *text, size_t len)
{
    const char *end = text + len;
    size_t n;

    while (text < end) {
        n = mcph_name_space(text, end);
        if (n == 0)
            break;
        text += n;
    }
    while (text < end) {
        n = space_before(text, end);
        if (n == 0)
            break;
        end -= n;
    }
    return mcph_span(text, (size_t)(end - text));
}

/* ---- the normal form --------------------------------------------------------------- */

/* Lowers one of the two characters beyond ASCII that toLowerCase() turns into ASCII
 * letters: U+0130 becomes an i with a combining dot, and U+212A becomes a k.  If one of
 * these two characters is at `p`, sets the letter and returns how many bytes become the
 * letter.  Otherwise returns 0. */
static size_t
lowered_letter(const char *p, const char *end, char *ret_letter)
{
    if (end - p >= 2 && memcmp(p, "\xc4\xb0", 2) == 0) {
        *ret_letter = 'i';
        /* Take only the first byte.  The caller replaces the second byte by '_', as
         * JavaScript replaces the combining dot by '_'. */
        return 1;
    }
    if (end - p >= 3 && memcmp(p, "\xe2\x84\xaa", 3) == 0) {
        *ret_letter = 'k';
        return 3;
    }
    return 0;
}

static bool
is_legal(char c, bool dot)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (c == '.' && dot);
}

int
mcph_name_add_normal(const char *text, size_t len, bool dot, struct mcph_buf *buf)
{
    struct mcph_span trimmed = mcph_name_trim(text, len);
    const char *p = trimmed.p, *end = trimmed.p + trimmed.len;
    bool in_run = false; /* true inside a run of characters that '_' replaces */

    while (p < end) {
        char c = *p;
        size_t n = lowered_letter(p, end, &c);

        p += n ? n : 1;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (is_legal(c, dot))
            mcph_buf_addc(buf, c);
        else if (!in_run)
            mcph_buf_addc(buf, '_');
        in_run = !is_legal(c, dot);
    }
    return mcph_buf_ok(buf);
}

static int
add_part(const char *text, size_t len, const char *fallback, struct mcph_buf *buf)
{
    size_t before = buf->len;
    int r = mcph_name_add_normal(text, len, false, buf);

    return r == 0 && buf->len == before ? mcph_buf_adds(buf, fallback) : r;
}

int
mcph_name_add_full(const char *server, const char *name, size_t len, struct mcph_buf *buf)
{
    mcph_buf_adds(buf, "mcp_");
    add_part(server, strlen(server), "server", buf);
    mcph_buf_addc(buf, '_');
    return add_part(name, len, "tool", buf);
}
