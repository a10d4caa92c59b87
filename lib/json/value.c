/* SPDX-License-Identifier: MIT
 *
 * value.c - decode checked scalar tokens: strings, numbers, booleans.
 *
 * The functions decode strings in pieces.  A piece is a run of plain characters, or one
 * escaped character.  Therefore a comparison needs no memory, and decoding needs only the
 * memory of the result.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "json/json.h"
#include "json/bytes.h"

/* Finds the text between the quotes of a string token.  Returns false if the token is
 * not a string. */
static bool
string_inside(struct mcph_span token, const char **ret_p, const char **ret_end)
{
    if (mcph_json_type(token) != MCPH_JSON_STRING || token.len < 2)
        return false;
    *ret_p = token.p + 1;
    *ret_end = token.p + token.len - 1;
    return true;
}

static unsigned
hex4(const char *p)
{
    unsigned n = 0;
    int i;

    for (i = 0; i < 4; i++) {
        unsigned c = (unsigned char)p[i];

        n = n << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return n;
}

static size_t
put_utf8(unsigned c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* Decodes the \uXXXX at `p`, and the second half of a surrogate pair if it follows.
 * Returns the place behind the decoded text. */
static const char *
decode_u(const char *p, const char *end, unsigned *ret_c)
{
    unsigned c, low;

    if (end - p < 6) {
        *ret_c = 0xfffd;
        return end;
    }
    c = hex4(p + 2);
    p += 6;
    if (c >= 0xd800 && c <= 0xdbff && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
        low = hex4(p + 2);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *ret_c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            return p + 6;
        }
    }
    *ret_c = c >= 0xd800 && c <= 0xdfff ? 0xfffd : c;
    return p;
}

/* Returns the next piece of a string's text: a run of the text itself, or one decoded
 * character in `tmp`.  At the end of the text, `p` of the piece is NULL. */
static struct mcph_span
next_piece(const char **p, const char *end, char tmp[4])
{
    const char *from = *p;
    unsigned c;
    bool high = false;

    if (from >= end)
        return MCPH_SPAN_NONE;
    if (*from != '\\') {
        /* Skip the first byte unexamined.  In a checked string, this byte cannot end the
         * run.  In any other text, the skip makes sure that the caller's loop ends. */
        *p = mcph_json_run(from, from + 1, end, &high);
        return mcph_span(from, (size_t)(*p - from));
    }
    *p = from + 2 <= end ? from + 2 : end;
    switch (from + 1 < end ? from[1] : '\\') {
    case 'b':
        c = '\b';
        break;
    case 'f':
        c = '\f';
        break;
    case 'n':
        c = '\n';
        break;
    case 'r':
        c = '\r';
        break;
    case 't':
        c = '\t';
        break;
    case 'u':
        *p = decode_u(from, end, &c);
        break;
    default:
        c = (unsigned char)*(*p - 1); /* a quote, slash or backslash */
    }
    return mcph_span(tmp, put_utf8(c, tmp));
}

bool
mcph_json_string_is_spelled(struct mcph_span token, const char *text, size_t len)
{
    struct mcph_span piece;
    const char *p, *end;
    char tmp[4];

    if (!string_inside(token, &p, &end))
        return false;
    for (;;) {
        piece = next_piece(&p, end, tmp);
        if (!piece.p)
            return len == 0;
        if (piece.len > len || memcmp(piece.p, text, piece.len) != 0)
            return false;
        text += piece.len;
        len -= piece.len;
    }
}

bool
mcph_json_string_eq(struct mcph_span a, struct mcph_span b)
{
    struct mcph_span x = MCPH_SPAN_NONE, y = MCPH_SPAN_NONE;
    const char *pa, *ea, *pb, *eb;
    char ta[4], tb[4];
    size_t n;

    if (!string_inside(a, &pa, &ea) || !string_inside(b, &pb, &eb))
        return false;
    for (;;) {
        if (x.len == 0)
            x = next_piece(&pa, ea, ta);
        if (y.len == 0)
            y = next_piece(&pb, eb, tb);
        if (!x.p || !y.p)
            return !x.p && !y.p;
        n = x.len < y.len ? x.len : y.len;
        if (memcmp(x.p, y.p, n) != 0)
            return false;
        x = mcph_span(x.p + n, x.len - n);
        y = mcph_span(y.p + n, y.len - n);
    }
}

int
mcph_json_string_get(struct mcph_span token, struct mcph_buf *buf,
                     struct mcph_span *ret_text)
{
    struct mcph_span piece;
    const char *p, *end;
    size_t from;
    char tmp[4];
    int r;

    if (!string_inside(token, &p, &end))
        return MCPHOST_E_INVALID;
    if (!memchr(p, '\\', (size_t)(end - p))) {
        *ret_text = mcph_span(p, (size_t)(end - p));
        return 0;
    }
    /* Reserve once, then fill: decoding never makes a string longer. */
    r = mcph_buf_reserve(buf, (size_t)(end - p));
    if (r < 0)
        return r;
    from = buf->len;
    for (piece = next_piece(&p, end, tmp); piece.p; piece = next_piece(&p, end, tmp)) {
        memcpy(buf->data + buf->len, piece.p, piece.len);
        buf->len += piece.len;
    }
    *ret_text = mcph_span(buf->data + from, buf->len - from);
    return 0;
}

void
mcph_json_text_init(struct mcph_json_text *text, struct mcph_span token)
{
    if (!string_inside(token, &text->p, &text->end))
        text->p = text->end = NULL;
}

size_t
mcph_json_text_next(struct mcph_json_text *text, char *room, size_t len)
{
    struct mcph_span piece;
    size_t n = 0;
    char tmp[4];

    /* Stop when a decoded escape could be too long for the rest of `room`. */
    while (len - n >= sizeof(tmp)) {
        piece = next_piece(&text->p, text->end, tmp);
        if (!piece.p)
            break;
        if (piece.len > len - n) { /* only a run of plain characters can be longer than
                                    * the rest of `room` */
            piece.len = len - n;
            text->p = piece.p + piece.len;
        }
        memcpy(room + n, piece.p, piece.len);
        n += piece.len;
    }
    return n;
}

/* Decodes a string token into a new C string.  Each NUL in the text becomes `nul`.  If
 * `nul` is NUL itself, rejects a text with a NUL. */
static int
string_copy(struct mcph_span token, char nul, char **ret_str)
{
    struct mcph_span piece;
    const char *p, *end;
    char tmp[4], *str, *out;

    if (!string_inside(token, &p, &end))
        return MCPHOST_E_INVALID;
    str = out = malloc((size_t)(end - p) + 1);
    if (!str)
        return MCPHOST_E_NOMEM;
    for (piece = next_piece(&p, end, tmp); piece.p; piece = next_piece(&p, end, tmp)) {
        if (!nul && memchr(piece.p, '\0', piece.len)) {
            explicit_bzero(str, (size_t)(out - str)); /* the text may be a secret */
            free(str);
            return MCPHOST_E_INVALID;
        }
        for (size_t i = 0; i < piece.len; i++)
            *out++ = piece.p[i] ? piece.p[i] : nul;
    }
    *out = '\0';
    *ret_str = str;
    return 0;
}

int
mcph_json_string_dup(struct mcph_span token, char **ret_str)
{
    return string_copy(token, '\0', ret_str);
}

int
mcph_json_string_show(struct mcph_span token, char **ret_str)
{
    return string_copy(token, ' ', ret_str);
}

int
mcph_json_int64(struct mcph_span token, int64_t *ret_n)
{
    bool negative = token.p && token.len > 0 && *token.p == '-';
    size_t i = negative;
    int64_t n = 0;

    if (!token.p || i >= token.len)
        return MCPHOST_E_INVALID;
    /* Compute the negative of the number, because the range of negative numbers is
     * larger: it includes INT64_MIN.  The first 18 characters cannot overflow. */
    for (; i < token.len; i++) {
        int digit = token.p[i] - '0';

        if (digit < 0 || digit > 9)
            return MCPHOST_E_INVALID;
        if (i < 18)
            n = n * 10 - digit;
        else if (__builtin_mul_overflow(n, 10, &n) ||
                 __builtin_sub_overflow(n, digit, &n))
            return MCPHOST_E_INVALID;
    }
    if (!negative && n == INT64_MIN)
        return MCPHOST_E_INVALID;
    *ret_n = negative ? n : -n;
    return 0;
}

int
mcph_json_double(struct mcph_span token, double *ret_d)
{
    char text[256]; /* longer numbers are rejected */
    locale_t c_locale;
    double d;

    if (mcph_json_type(token) != MCPH_JSON_NUMBER || token.len >= sizeof(text))
        return MCPHOST_E_INVALID;
    memcpy(text, token.p, token.len);
    text[token.len] = '\0';
    /* This call allocates nothing, because the object of the C locale is static. */
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return MCPHOST_E_NOMEM;
    d = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    if (!isfinite(d))
        return MCPHOST_E_INVALID;
    *ret_d = d;
    return 0;
}

int
mcph_json_bool(struct mcph_span token, bool *ret_b)
{
    if (mcph_json_type(token) != MCPH_JSON_BOOL)
        return MCPHOST_E_INVALID;
    *ret_b = *token.p == 't';
    return 0;
}
