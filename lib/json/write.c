/* SPDX-License-Identifier: MIT
 *
 * write.c - append JSON to a buffer.
 *
 * Strings are copied in runs.  Only quotes, backslashes, control characters and invalid
 * UTF-8 are handled one by one.  The result is valid JSON for any input.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "json/bytes.h"

static int
add_escape(struct mcph_buf *buf, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};

    switch (c) {
    case '"':
    case '\\':
        text[1] = (char)c;
        break;
    case '\b':
        text[1] = 'b';
        break;
    case '\f':
        text[1] = 'f';
        break;
    case '\n':
        text[1] = 'n';
        break;
    case '\r':
        text[1] = 'r';
        break;
    case '\t':
        text[1] = 't';
        break;
    default:
        return mcph_buf_add(buf, text, 6);
    }
    return mcph_buf_add(buf, text, 2);
}

static int
add_escaped(struct mcph_buf *buf, const char *text, size_t len)
{
    const char *p = text, *end = text + len, *stop;
    bool high = false;
    int r;

    for (;;) {
        high = false;
        stop = mcph_json_run(text, p, end, &high);
        if (high && !mcph_utf8_valid(p, (size_t)(stop - p), NULL))
            r = mcph_utf8_add_clean(buf, p, (size_t)(stop - p), false);
        else
            r = mcph_buf_add(buf, p, (size_t)(stop - p));
        if (r < 0 || stop >= end)
            return r;
        r = add_escape(buf, (unsigned char)*stop);
        if (r < 0)
            return r;
        p = stop + 1;
    }
}

int
mcph_json_add_part(struct mcph_buf *buf, const char *text, size_t len)
{
    return len > 0 ? add_escaped(buf, text, len) : mcph_buf_ok(buf);
}

int
mcph_json_add_string(struct mcph_buf *buf, const char *text, size_t len)
{
    int r;

    r = mcph_buf_addc(buf, '"');
    if (r == 0 && len > 0)
        r = add_escaped(buf, text, len);
    return r < 0 ? r : mcph_buf_addc(buf, '"');
}

int
mcph_json_add_str(struct mcph_buf *buf, const char *str)
{
    return str ? mcph_json_add_string(buf, str, strlen(str)) : mcph_buf_adds(buf, "null");
}

int
mcph_json_add_bool(struct mcph_buf *buf, bool b)
{
    return mcph_buf_adds(buf, b ? "true" : "false");
}

int
mcph_json_add_double(struct mcph_buf *buf, double d)
{
    locale_t c_locale, before;
    char text[40];
    int digits;

    if (!isfinite(d))
        return mcph_buf_adds(buf, "null");
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a static object; nothing is
                                                          * allocated */
    if (!c_locale)
        return MCPHOST_E_NOMEM;
    before = uselocale(c_locale); /* for this thread only */
    for (digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
    uselocale(before);
    freelocale(c_locale);
    return mcph_buf_adds(buf, text);
}

int
mcph_json_add_span(struct mcph_buf *buf, struct mcph_span value)
{
    return value.p ? mcph_buf_add(buf, value.p, value.len) : mcph_buf_adds(buf, "null");
}

int
mcph_json_add_comma(struct mcph_buf *buf)
{
    if (buf->len == 0)
        return mcph_buf_ok(buf);
    switch (buf->data[buf->len - 1]) {
    case '{':
    case '[':
    case ',':
    case ':':
        return mcph_buf_ok(buf);
    default:
        return mcph_buf_addc(buf, ',');
    }
}

int
mcph_json_add_key(struct mcph_buf *buf, const char *name)
{
    int r;

    r = mcph_json_add_comma(buf);
    if (r == 0)
        r = mcph_json_add_str(buf, name);
    return r < 0 ? r : mcph_buf_addc(buf, ':');
}

int
mcph_json_add_member(struct mcph_buf *buf, const char *name, const char *str)
{
    int r = mcph_json_add_key(buf, name);

    return r < 0 ? r : mcph_json_add_str(buf, str);
}
