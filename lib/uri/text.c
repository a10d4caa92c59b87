/* SPDX-License-Identifier: MIT
 *
 * text.c - classify, escape and decode the characters of URIs.
 */
#include "uri/inner.h"

bool
mcph_uri_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '.' || c == '_' || c == '~';
}

bool
mcph_uri_reserved(char c)
{
    return c && strchr(":/?#[]@!$&'()*+,;=", c);
}

static int
hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool
mcph_uri_escape(const char *p, const char *end)
{
    return end - p >= 3 && *p == '%' && hex_value(p[1]) >= 0 && hex_value(p[2]) >= 0;
}

static char
escaped_byte(const char *p)
{
    return (char)(hex_value(p[1]) << 4 | hex_value(p[2]));
}

/* Returns the length of the UTF-8 character that begins with `lead`.  Returns 1 for a
 * byte that only continues a character. */
static size_t
utf8_len(char lead)
{
    unsigned char c = (unsigned char)lead;

    return c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
}

size_t
mcph_uri_escaped(const char *p, const char *end, bool *ret_utf8)
{
    char bytes[4];
    size_t n = 0, want = 1;

    *ret_utf8 = false;
    if (!mcph_uri_escape(p, end))
        return 0;
    for (; n < want && mcph_uri_escape(p + 3 * n, end); n++) {
        bytes[n] = escaped_byte(p + 3 * n);
        if (n == 0)
            want = utf8_len(bytes[0]);
    }
    *ret_utf8 = n == want && mcph_utf8_valid(bytes, n, NULL);
    return *ret_utf8 ? 3 * n : 3;
}

static void
add_escape(struct mcph_buf *buf, char c)
{
    static const char digits[] = "0123456789ABCDEF";
    unsigned char byte = (unsigned char)c;

    mcph_buf_addc(buf, '%');
    mcph_buf_addc(buf, digits[byte >> 4]);
    mcph_buf_addc(buf, digits[byte & 15]);
}

int
mcph_uri_add(struct mcph_buf *buf, struct mcph_span text, bool reserved, size_t max)
{
    const char *p = text.p, *end = p + text.len;
    size_t n, i, done = 0;
    bool utf8;

    for (; p < end && (max == 0 || done < max); p += n, done++) {
        n = reserved ? mcph_uri_escaped(p, end, &utf8) : 0;
        if (n > 0) {
            mcph_buf_add(buf, p, n);
            continue;
        }
        n = utf8_len(*p);
        if (mcph_uri_unreserved(*p) || (reserved && mcph_uri_reserved(*p))) {
            mcph_buf_addc(buf, *p);
            continue;
        }
        for (i = 0; i < n && p + i < end; i++)
            add_escape(buf, p[i]);
    }
    return mcph_buf_ok(buf);
}

int
mcph_uri_add_normal(struct mcph_buf *buf, struct mcph_span uri)
{
    const char *p = uri.p, *end = p ? p + uri.len : p;

    while (p < end) {
        bool escape = mcph_uri_escape(p, end);
        char c = escape ? escaped_byte(p) : *p;

        if (mcph_uri_unreserved(c) || (!escape && mcph_uri_reserved(c)))
            mcph_buf_addc(buf, c);
        else
            add_escape(buf, c);
        p += escape ? 3 : 1;
    }
    return mcph_buf_ok(buf);
}

int
mcph_uri_add_decoded(struct mcph_buf *buf, struct mcph_span part, bool reserved)
{
    const char *p = part.p, *end = p + part.len;
    size_t n, i;

    for (; p < end; p += n) {
        bool utf8;
        char c;

        n = mcph_uri_escaped(p, end, &utf8);
        c = n > 0 ? escaped_byte(p) : *p;
        if (n == 0 || (reserved && (!utf8 || mcph_uri_reserved(c) || c == '%'))) {
            n = n > 0 ? n : 1;
            mcph_buf_add(buf, p, n);
            continue;
        }
        for (i = 0; i < n; i += 3)
            mcph_buf_addc(buf, escaped_byte(p + i));
    }
    return mcph_buf_ok(buf);
}

int
mcph_uri_check(struct mcph_span uri, mcphost_error **reterr)
{
    if (!mcph_utf8_valid(uri.p, uri.len, NULL))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the URI is not UTF-8");
    if (uri.len > MCPH_URI_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "the URI has more than %d bytes",
                        MCPH_URI_MAX);
    if (!uri.len)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the URI is empty");
    for (size_t i = 0; i < uri.len; i++)
        if ((unsigned char)uri.p[i] < 0x20 || uri.p[i] == 0x7f)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "the URI has a control character at byte %zu", i + 1);
    return 0;
}
