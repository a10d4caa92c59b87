/* SPDX-License-Identifier: MIT
 *
 * text.c - growing text, UTF-8, and JSON written into text.
 *
 * JSON from servers is passed on as it is (put_raw()), because jansson would reject or
 * change some numbers and strings.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static int
reserve(struct text *t, size_t more)
{
    size_t cap = t->cap ? t->cap : 256;
    char *data;

    if (t->failed || more >= TEXT_MAX - t->len) {
        t->failed = 1;
        return 0;
    }
    if (t->len + more < t->cap)
        return 1;
    while (cap <= t->len + more)
        cap *= 2;
    data = realloc(t->data, cap);
    if (!data) {
        t->failed = 1;
        return 0;
    }
    t->data = data;
    t->cap = cap;
    return 1;
}

void
text_add(struct text *t, const char *data, size_t len)
{
    if (!reserve(t, len))
        return;
    memcpy(t->data + t->len, data, len);
    t->len += len;
    t->data[t->len] = '\0';
}

void
text_puts(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void
text_printf(struct text *t, const char *fmt, ...)
{
    char small[512];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(small, sizeof(small), fmt, ap);
    va_end(ap);
    if (n < 0) {
        t->failed = 1;
    } else if ((size_t)n < sizeof(small)) {
        text_add(t, small, (size_t)n);
    } else if (reserve(t, (size_t)n)) {
        va_start(ap, fmt);
        vsnprintf(t->data + t->len, (size_t)n + 1, fmt, ap);
        va_end(ap);
        t->len += (size_t)n;
    }
}

void
text_consume(struct text *t, size_t len)
{
    if (len == 0)
        return;
    memmove(t->data, t->data + len, t->len - len);
    t->len -= len;
    t->data[t->len] = '\0';
}

int
text_failed(const struct text *t)
{
    return t->failed;
}

void
text_free(struct text *t)
{
    free(t->data);
    memset(t, 0, sizeof(*t));
}

/* ---- UTF-8 ------------------------------------------------------------------------- */

int32_t
utf8_next(const char *s, size_t len, size_t *ret_len)
{
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)s;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    int32_t cp;

    *ret_len = 1;
    if (n == 1)
        return p[0];
    if (n == 0 || p[0] > 0xf4 || n > len)
        return -1;
    cp = p[0] & (0x7f >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return -1;
        cp = cp << 6 | (p[i] & 0x3f);
    }
    if (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
        return -1;
    *ret_len = n;
    return cp;
}

int
text_is_harmful(int32_t cp)
{
    static const struct {
        int32_t from, to;
    } ranges[] = {
        {-1, 0x1f},       {0x7f, 0x9f},       {0x61c, 0x61c},   /* controls */
        {0x200e, 0x200f}, {0x2028, 0x202e},   {0x2066, 0x2069}, /* lines, directions */
        {0xfff9, 0xfffb}, {0xe0000, 0xe007f},                   /* annotations, tags */
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (cp >= ranges[i].from && cp <= ranges[i].to)
            return 1;
    }
    return 0;
}

/* ---- JSON -------------------------------------------------------------------------- */

/* Adds a comma if the last byte of the text is the end of a value. */
static void
add_comma(struct text *t)
{
    char last = t->len ? t->data[t->len - 1] : '\n';

    if (last != '{' && last != '[' && last != ':' && last != '\n' && last != ',')
        text_add(t, ",", 1);
}

void
put_begin(struct text *t, char bracket)
{
    add_comma(t);
    text_add(t, &bracket, 1);
}

void
put_end(struct text *t, char bracket)
{
    text_add(t, &bracket, 1);
}

/* Writes a character as \uXXXX, or as two of these escapes if it is beyond U+FFFF. */
static void
put_code(struct text *t, int32_t cp)
{
    if (cp >= 0x10000)
        text_printf(t, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (cp >> 10)),
                    (unsigned)(0xdc00 + (cp & 0x3ff)));
    else
        text_printf(t, "\\u%04x", (unsigned)cp);
}

void
put_text(struct text *t, const char *s, size_t len)
{
    add_comma(t);
    if (!s) {
        text_add(t, "null", 4);
        return;
    }
    text_add(t, "\"", 1);
    for (size_t i = 0, n; i < len; i += n) {
        int32_t cp = utf8_next(s + i, len - i, &n);

        if (cp < 0)
            text_puts(t, "\\ufffd");
        else if (cp == '"' || cp == '\\')
            text_printf(t, "\\%c", (char)cp);
        else if (cp == '\n')
            text_puts(t, "\\n");
        else if (text_is_harmful(cp))
            put_code(t, cp);
        else
            text_add(t, s + i, n);
    }
    text_add(t, "\"", 1);
}

void
put_str(struct text *t, const char *s)
{
    put_text(t, s, s ? strlen(s) : 0);
}

void
put_key(struct text *t, const char *key)
{
    put_str(t, key);
    text_add(t, ":", 1);
}

void
put_int(struct text *t, int64_t n)
{
    add_comma(t);
    text_printf(t, "%lld", (long long)n);
}

void
put_num(struct text *t, double n)
{
    char exact[40];

    add_comma(t);
    if (!isfinite(n)) {
        text_puts(t, "null");
        return;
    }
    /* Use 15 digits, or more if 15 do not read back as the same number. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(exact, sizeof(exact), "%.*g", digits, n);
        if (strtod(exact, NULL) == n)
            break;
    }
    text_puts(t, exact);
}

void
put_flag(struct text *t, int value)
{
    add_comma(t);
    text_puts(t, value ? "true" : "false");
}

void
put_value(struct text *t, const json_t *value)
{
    const json_t *item;
    const char *key;
    size_t i;

    if (json_is_object(value)) {
        put_begin(t, '{');
        json_object_foreach((json_t *)(uintptr_t)value, key, item)
        {
            put_key(t, key);
            put_value(t, item);
        }
        put_end(t, '}');
    } else if (json_is_array(value)) {
        put_begin(t, '[');
        json_array_foreach(value, i, item) put_value(t, item);
        put_end(t, ']');
    } else if (json_is_string(value)) {
        put_text(t, json_string_value(value), json_string_length(value));
    } else if (json_is_integer(value)) {
        put_int(t, json_integer_value(value));
    } else if (json_is_real(value)) {
        put_num(t, json_real_value(value));
    } else if (json_is_boolean(value)) {
        put_flag(t, json_is_true(value));
    } else {
        put_raw(t, NULL, 0);
    }
}

void
put_raw(struct text *t, const char *s, size_t len)
{
    add_comma(t);
    if (!s || len == 0) {
        text_puts(t, "null");
        return;
    }
    /* Replace line breaks and tabs by blanks: in JSON, all of these are white space
     * between values.  Escape other harmful characters: these only occur in strings,
     * where an escape has the same meaning. */
    for (size_t i = 0, from = 0, n; i <= len; i += n) {
        int32_t cp = i < len ? utf8_next(s + i, len - i, &n) : 0;
        int blank = cp == '\n' || cp == '\r' || cp == '\t';

        if (i < len && !text_is_harmful(cp))
            continue;
        text_add(t, s + from, i - from);
        if (i == len)
            break;
        from = i + n;
        if (blank)
            text_add(t, " ", 1);
        else if (cp < 0)
            text_puts(t, "\\ufffd");
        else
            put_code(t, cp);
    }
}

static int
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns the end of the value that begins at `s`. */
static const char *
skip_value(const char *s, const char *end)
{
    int depth = 0, quoted = 0;

    for (; s < end; s++) {
        if (quoted) {
            if (*s == '\\')
                s++;
            else if (*s == '"')
                quoted = 0;
        } else if (*s == '"') {
            quoted = 1;
        } else if (*s == '{' || *s == '[') {
            depth++;
        } else if (depth == 0 && (*s == ',' || *s == '}' || *s == ']')) {
            return s;
        } else if (*s == '}' || *s == ']') {
            depth--;
        }
    }
    return s;
}

const char *
find_member(const char *s, size_t len, const char *key, size_t *ret_len)
{
    const char *end = s + len;
    size_t key_len = strlen(key);

    while (s < end && *s != '{')
        s++;
    for (s++; s < end; s++) {
        const char *name, *value, *stop;

        name = memchr(s, '"', (size_t)(end - s));
        if (!name)
            return NULL;
        for (stop = ++name; stop < end && *stop != '"'; stop++) {
            if (*stop == '\\')
                stop++;
        }
        if (stop >= end)
            return NULL;
        value = memchr(stop, ':', (size_t)(end - stop));
        if (!value)
            return NULL;
        do {
            value++;
        } while (value < end && is_blank(*value));
        s = skip_value(value, end);
        if ((size_t)(stop - name) != key_len || memcmp(name, key, key_len) != 0)
            continue;
        while (s > value && is_blank(s[-1]))
            s--;
        *ret_len = (size_t)(s - value);
        return value;
    }
    return NULL;
}
