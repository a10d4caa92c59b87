/* SPDX-License-Identifier: MIT
 *
 * format_net.c - the formats of JSON Schema for names, addresses and URIs.
 *
 * Only syntax is checked: RFC 3986 and 3987 (URIs), 5321 (mail), 1123 (host names), 4291
 * (IPv6), 6570 (templates).  The rules of IDNA are checked only where they need no large
 * table of characters.
 */
#include <string.h>

#include "schema/format.h"

#define ANY_UNICODE true

/* ---- addresses --------------------------------------------------------------------- */

bool
mcph_format_ipv4(const char *p, size_t len)
{
    const char *end = p + len;
    int parts, n, value;

    for (parts = 0; parts < 4; parts++) {
        if (parts > 0 && (p >= end || *p++ != '.'))
            return false;
        for (n = 0, value = 0; p < end && mcph_is_digit(*p) && n < 4; n++)
            value = value * 10 + (*p++ - '0');
        if (n == 0 || value > 255 || (n > 1 && p[-n] == '0'))
            return false;
    }
    return p == end;
}

/* Reads groups of one to four hex digits.  If `last` is true, the last two groups may be
 * written as an IPv4 address.  Stores the number of groups in *ret_n. */
static bool
read_groups(const char *p, size_t len, bool last, int *ret_n)
{
    const char *end = p + len;
    size_t n;

    *ret_n = 0;
    while (p < end) {
        const char *colon = memchr(p, ':', (size_t)(end - p));

        n = (size_t)((colon ? colon : end) - p);
        if (!colon && last && memchr(p, '.', n)) {
            *ret_n += 2;
            return mcph_format_ipv4(p, n);
        }
        if (n < 1 || n > 4)
            return false;
        for (; n > 0; n--, p++) {
            if (!mcph_is_hex(*p))
                return false;
        }
        ++*ret_n;
        if (!colon)
            return true;
        p = colon + 1;
        if (p == end)
            return false;
    }
    return true;
}

bool
mcph_format_ipv6(const char *p, size_t len)
{
    const char *gap = len >= 2 ? memmem(p, len, "::", 2) : NULL;
    int before, after;

    if (!gap)
        return read_groups(p, len, true, &before) && before == 8;
    if (!read_groups(p, (size_t)(gap - p), false, &before) ||
        !read_groups(gap + 2, (size_t)(p + len - gap - 2), true, &after))
        return false;
    return before + after <= 7;
}

/* ---- host names -------------------------------------------------------------------- */

/* Reads the character at *p of a UTF-8 text, and moves *p past it. */
static unsigned
next_char(const char **p, const char *end)
{
    unsigned char c = (unsigned char)*(*p)++;
    unsigned value = c;
    int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

    if (more > 0)
        value = c & (0x3fu >> more);
    for (; more > 0 && *p < end; more--)
        value = value << 6 | ((unsigned char)*(*p)++ & 0x3f);
    return value;
}

static bool
is_label(const char *p, size_t len)
{
    size_t i;

    if (len < 1 || len > 63 || p[0] == '-' || p[len - 1] == '-')
        return false;
    for (i = 0; i < len; i++) {
        if (!mcph_is_alpha(p[i]) && !mcph_is_digit(p[i]) && p[i] != '-')
            return false;
    }
    return true;
}

bool
mcph_format_hostname(const char *p, size_t len)
{
    const char *end = p + len;

    if (len < 1 || len > 253)
        return false;
    for (;;) {
        const char *dot = memchr(p, '.', (size_t)(end - p));

        if (!is_label(p, (size_t)((dot ? dot : end) - p)))
            return false;
        if (!dot)
            return true;
        p = dot + 1;
    }
}

/* Checks whether `c` is a character that no label may contain.  RFC 5892, section 2.6,
 * excludes the characters in `never`, although their classes are allowed. */
static bool
is_disallowed(unsigned c)
{
    static const unsigned never[] = {0x0640, 0x07fa, 0x302e, 0x302f, 0x3031,
                                     0x3032, 0x3033, 0x3034, 0x3035, 0x303b};
    size_t i;

    for (i = 0; i < MCPH_ARRAY_SIZE(never); i++) {
        if (c == never[i])
            return true;
    }
    /* Exclude ASCII other than letters, digits and the hyphen, Latin-1 below the middle
     * dot, the ideographic space, and general punctuation other than the joiners. */
    if (c < 0x80)
        return !(mcph_is_alpha((char)c) || mcph_is_digit((char)c) || c == '-');
    return c < 0xb7 || c == 0x3000 ||
           (c >= 0x2000 && c <= 0x206f && c != 0x200c && c != 0x200d);
}

static bool
is_combining(unsigned c)
{
    return (c >= 0x300 && c <= 0x36f) || (c >= 0x483 && c <= 0x489) ||
           (c >= 0x591 && c <= 0x5bd) || (c >= 0x610 && c <= 0x61a) ||
           (c >= 0x64b && c <= 0x65f) || (c >= 0x900 && c <= 0x903) ||
           (c >= 0x93e && c <= 0x94d) || (c >= 0x1ab0 && c <= 0x1aff) ||
           (c >= 0x1dc0 && c <= 0x1dff) || (c >= 0x20d0 && c <= 0x20ff) || c == 0x302e ||
           c == 0x302f || (c >= 0xfe20 && c <= 0xfe2f);
}

/* Checks whether `c` is allowed between its neighbours.  RFC 5892, appendix A, allows
 * some characters only beside certain other characters.  A ZWNJ (0x200c) always fits,
 * because it may join Arabic letters. */
static bool
fits_context(unsigned before, unsigned c, unsigned after)
{
    switch (c) {
    case 0xb7: /* a middle dot must be between two "l" */
        return before == 'l' && after == 'l';
    case 0x375: /* a keraia must precede a Greek letter */
        return (after >= 0x370 && after <= 0x3ff) || (after >= 0x1f00 && after <= 0x1fff);
    case 0x5f3: /* geresh and gershayim must follow a Hebrew letter */
    case 0x5f4:
        return before >= 0x590 && before <= 0x5ff;
    case 0x200d: /* a ZWJ must follow a virama */
        return before == 0x94d || before == 0x9cd || before == 0xccd || before == 0xd4d ||
               before == 0xdca;
    default:
        return true;
    }
}

static bool
is_japanese(unsigned c)
{
    return (c >= 0x3041 && c <= 0x309f) || (c >= 0x30a1 && c <= 0x30fa) ||
           (c >= 0x30fc && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) ||
           (c >= 0x20000 && c <= 0x3ffff);
}

/* Decodes Punycode (RFC 3492), the part of a label after "xn--".  Returns the number of
 * characters, or 0 if the code is invalid. */
static size_t
decode_puny(const char *p, size_t len, unsigned out[64])
{
    const char *dash = len ? memrchr(p, '-', len) : NULL, *end = p + len;
    unsigned n = 128, i = 0, bias = 72, weight, k, t, digit, old;
    size_t count = 0;

    for (; dash && p < dash; p++)
        out[count++] = (unsigned char)*p;
    p += dash != NULL;
    while (p < end) {
        for (old = i, weight = 1, k = 36;; k += 36) {
            if (p >= end)
                return 0;
            digit = mcph_is_digit(*p)   ? (unsigned)(*p - '0') + 26
                    : mcph_is_alpha(*p) ? (unsigned)((*p | 0x20) - 'a')
                                        : 99;
            p++;
            t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
            if (digit > 35 || __builtin_mul_overflow(digit, weight, &digit) ||
                __builtin_add_overflow(i, digit, &i))
                return 0;
            if (digit / weight < t)
                break;
            if (__builtin_mul_overflow(weight, 36 - t, &weight))
                return 0;
        }
        count++;
        /* Adapt the bias to the size of the last step. */
        t = old == 0 ? (i - old) / 700 : (i - old) / 2;
        t += t / (unsigned)count;
        for (k = 0; t > 455; k += 36)
            t /= 35;
        bias = k + 36 * t / (t + 38);
        n += i / (unsigned)count;
        i %= (unsigned)count;
        if (n > 0x10ffff || count > 63)
            return 0;
        memmove(out + i + 1, out + i, (count - 1 - i) * sizeof(out[0]));
        out[i++] = n;
    }
    return count;
}

static bool is_idn_label(const char *p, size_t len);

/* Checks whether an "xn--" label decodes to a valid label with a non-ASCII character. */
static bool
is_coded_label(const char *p, size_t len)
{
    unsigned chars[64];
    char text[64 * 4];
    size_t i, n, at = 0;
    bool ascii = true;

    if (len > 63)
        return false;
    n = decode_puny(p + 4, len - 4, chars);
    for (i = 0; i < n; i++) {
        unsigned c = chars[i];

        ascii &= c < 0x80;
        if (c < 0x80) {
            text[at++] = (char)c;
        } else if (c < 0x800) {
            text[at++] = (char)(0xc0 | c >> 6);
            text[at++] = (char)(0x80 | (c & 0x3f));
        } else {
            if (c >= 0x10000) {
                text[at++] = (char)(0xf0 | c >> 18);
                text[at++] = (char)(0x80 | (c >> 12 & 0x3f));
            } else {
                text[at++] = (char)(0xe0 | c >> 12);
            }
            text[at++] = (char)(0x80 | (c >> 6 & 0x3f));
            text[at++] = (char)(0x80 | (c & 0x3f));
        }
    }
    return !ascii && is_idn_label(text, at);
}

static bool
is_idn_label(const char *p, size_t len)
{
    const char *end = p + len, *from = p;
    unsigned before = 0, c, after;
    bool ascii = true, middle_dot = false, japanese = false, indic = false,
         eastern = false;

    while (p < end) {
        const char *look;

        c = next_char(&p, end);
        look = p;
        after = look < end ? next_char(&look, end) : 0;
        if (is_disallowed(c) || (before == 0 && is_combining(c)) ||
            !fits_context(before, c, after))
            return false;
        ascii &= c < 0x80;
        middle_dot |= c == 0x30fb;
        japanese |= is_japanese(c);
        indic |= c >= 0x660 && c <= 0x669;
        eastern |= c >= 0x6f0 && c <= 0x6f9;
        before = c;
    }
    if (ascii)
        return is_label(from, len) && (len < 4 || strncasecmp(from, "xn--", 4) != 0 ||
                                       is_coded_label(from, len));
    if (*from == '-' || end[-1] == '-' || len > 4 * 63)
        return false;
    if (len >= 4 && from[2] == '-' && from[3] == '-')
        return false;
    return !(middle_dot && !japanese) && !(indic && eastern);
}

/* Finds the next character that IDNA treats as a dot.  Stores the place after the dot in
 * *ret_next.  Returns NULL if the text has no dot. */
static const char *
find_dot(const char *p, const char *end, const char **ret_next)
{
    while (p < end) {
        const char *at = p;
        unsigned c = next_char(&p, end);

        if (c == '.' || c == 0x3002 || c == 0xff0e || c == 0xff61) {
            *ret_next = p;
            return at;
        }
    }
    return NULL;
}

bool
mcph_format_idn_hostname(const char *p, size_t len)
{
    const char *end = p + len, *next = NULL;

    if (len < 1 || len > 4 * 253)
        return false;
    for (;;) {
        const char *dot = find_dot(p, end, &next);
        size_t n = (size_t)((dot ? dot : end) - p);

        /* Refuse more than 63 characters, because an encoded label has at most 63 bytes,
         * and at least one byte for each character. */
        if (n < 1 || !is_idn_label(p, n) || mcph_text_length(p, n) > 63)
            return false;
        if (!dot)
            return true;
        p = next;
    }
}

/* ---- mail -------------------------------------------------------------------------- */

static bool
is_local_part(const char *p, size_t len, bool unicode)
{
    size_t i;

    if (len >= 2 && *p == '"' && p[len - 1] == '"') {
        for (i = 1; i + 1 < len; i++) {
            if (p[i] == '"' || (unsigned char)p[i] < 0x20)
                return false;
            if (p[i] == '\\' && ++i + 1 >= len)
                return false;
        }
        return true;
    }
    if (len < 1 || *p == '.' || p[len - 1] == '.')
        return false;
    for (i = 0; i < len; i++) {
        if (p[i] == '.' && p[i - 1] == '.')
            return false;
        if ((unsigned char)p[i] >= 0x80 ? !unicode
                                        : !(mcph_is_alpha(p[i]) || mcph_is_digit(p[i]) ||
                                            memchr("!#$%&'*+-/=?^_`{|}~.", p[i], 20)))
            return false;
    }
    return true;
}

static bool
is_mail(const char *p, size_t len, bool unicode)
{
    const char *at = len ? memrchr(p, '@', len) : NULL;
    size_t local = at ? (size_t)(at - p) : 0, rest = len - local - 1;

    if (!at || !is_local_part(p, local, unicode))
        return false;
    p = at + 1;
    if (rest > 2 && *p == '[' && p[rest - 1] == ']') {
        if (rest > 7 && memcmp(p, "[IPv6:", 6) == 0)
            return mcph_format_ipv6(p + 6, rest - 7);
        return mcph_format_ipv4(p + 1, rest - 2);
    }
    return unicode ? mcph_format_idn_hostname(p, rest) : mcph_format_hostname(p, rest);
}

bool
mcph_format_email(const char *p, size_t len)
{
    return is_mail(p, len, !ANY_UNICODE);
}

bool
mcph_format_idn_email(const char *p, size_t len)
{
    return is_mail(p, len, ANY_UNICODE);
}

/* ---- URIs -------------------------------------------------------------------------- */

/* Checks whether all characters are unreserved, sub-delims, in `more`, or %XX.  `unicode`
 * allows non-ASCII characters too. */
static bool
is_made_of(const char *p, size_t len, const char *more, bool unicode)
{
    size_t i, n_more = strlen(more);

    for (i = 0; i < len; i++) {
        char c = p[i];

        if (c == '%') {
            if (len - i < 3 || !mcph_is_hex(p[i + 1]) || !mcph_is_hex(p[i + 2]))
                return false;
            i += 2;
        } else if ((unsigned char)c >= 0x80) {
            if (!unicode)
                return false;
        } else if (!mcph_is_alpha(c) && !mcph_is_digit(c) &&
                   !memchr("-._~!$&'()*+,;=", c, 15) && !memchr(more, c, n_more)) {
            return false;
        }
    }
    return true;
}

static bool
is_authority(const char *p, size_t len, bool unicode)
{
    const char *at = len ? memrchr(p, '@', len) : NULL, *end = p + len, *close;

    if (at) {
        if (!is_made_of(p, (size_t)(at - p), ":", unicode))
            return false;
        p = at + 1;
    }
    if (p < end && *p == '[') {
        close = memchr(p, ']', (size_t)(end - p));
        if (!close || !mcph_format_ipv6(p + 1, (size_t)(close - p - 1)))
            return false;
        p = close + 1;
        if (p < end && *p != ':')
            return false;
    } else {
        close = memchr(p, ':', (size_t)(end - p));
        if (!close)
            close = end;
        if (!is_made_of(p, (size_t)(close - p), "", unicode))
            return false;
        p = close;
    }
    if (p < end)
        p++;
    while (p < end && mcph_is_digit(*p))
        p++;
    return p == end;
}

static bool
is_reference(const char *p, size_t len, bool unicode)
{
    const char *end = p + len, *q = len ? memchr(p, '#', len) : NULL;

    if (q) {
        if (!is_made_of(q + 1, (size_t)(end - q - 1), ":@/?", unicode))
            return false;
        end = q;
    }
    q = end > p ? memchr(p, '?', (size_t)(end - p)) : NULL;
    if (q) {
        if (!is_made_of(q + 1, (size_t)(end - q - 1), ":@/?", unicode))
            return false;
        end = q;
    }
    if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
        for (q = p + 2; q < end && *q != '/'; q++)
            ;
        if (!is_authority(p + 2, (size_t)(q - p - 2), unicode))
            return false;
        p = q;
    }
    return is_made_of(p, (size_t)(end - p), ":@/", unicode);
}

static size_t
scheme_len(const char *p, size_t len)
{
    size_t i;

    for (i = 0; i < len && p[i] != ':'; i++) {
        if (!mcph_is_alpha(p[i]) &&
            (i == 0 || (!mcph_is_digit(p[i]) && !memchr("+-.", p[i], 3))))
            return 0;
    }
    return i < len ? i : 0;
}

static bool
is_absolute(const char *p, size_t len, bool unicode)
{
    size_t n = scheme_len(p, len);

    return n > 0 && is_reference(p + n + 1, len - n - 1, unicode);
}

/* Checks whether a text is a reference without a scheme.  The first segment must not
 * contain a colon. */
static bool
is_relative(const char *p, size_t len, bool unicode)
{
    size_t i;

    for (i = 0; i < len && !memchr("/?#", p[i], 3); i++) {
        if (p[i] == ':')
            return false;
    }
    return is_reference(p, len, unicode);
}

bool
mcph_format_uri(const char *p, size_t len)
{
    return is_absolute(p, len, !ANY_UNICODE);
}

bool
mcph_format_uri_reference(const char *p, size_t len)
{
    return is_absolute(p, len, !ANY_UNICODE) || is_relative(p, len, !ANY_UNICODE);
}

bool
mcph_format_iri(const char *p, size_t len)
{
    return is_absolute(p, len, ANY_UNICODE);
}

bool
mcph_format_iri_reference(const char *p, size_t len)
{
    return is_absolute(p, len, ANY_UNICODE) || is_relative(p, len, ANY_UNICODE);
}

/* ---- templates --------------------------------------------------------------------- */

static bool
is_variable(const char *p, size_t len)
{
    size_t i, n;

    if (len > 0 && p[len - 1] == '*')
        len--;
    for (i = 0; i < len && p[i] != ':'; i++) {
        if (p[i] == '%') {
            if (len - i < 3 || !mcph_is_hex(p[i + 1]) || !mcph_is_hex(p[i + 2]))
                return false;
            i += 2;
        } else if (!mcph_is_alpha(p[i]) && !mcph_is_digit(p[i]) && p[i] != '_' &&
                   (p[i] != '.' || i == 0)) {
            return false;
        }
    }
    if (i == 0)
        return false;
    if (i == len)
        return true;
    n = len - i - 1; /* number of digits after the colon */
    if (n < 1 || n > 4)
        return false;
    for (i++; i < len; i++) {
        if (!mcph_is_digit(p[i]))
            return false;
    }
    return true;
}

static bool
is_expression(const char *p, size_t len)
{
    const char *end = p + len, *comma;

    if (p < end && memchr("+#./;?&=,!@|", *p, 12))
        p++;
    do {
        comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;
        if (!is_variable(p, (size_t)((comma ? comma : end) - p)))
            return false;
        p = comma ? comma + 1 : end;
    } while (comma);
    return true;
}

bool
mcph_format_uri_template(const char *p, size_t len)
{
    const char *end = p + len, *close;

    for (; p < end; p++) {
        if (*p == '{') {
            close = memchr(p, '}', (size_t)(end - p));
            if (!close || !is_expression(p + 1, (size_t)(close - p - 1)))
                return false;
            p = close;
        } else if (*p == '%') {
            if (end - p < 3 || !mcph_is_hex(p[1]) || !mcph_is_hex(p[2]))
                return false;
        } else if ((unsigned char)*p <= 0x20 || memchr("\"'<>\\^`|}", *p, 9)) {
            return false;
        }
    }
    return true;
}
