/* SPDX-License-Identifier: MIT
 *
 * path.c - convert a URI to a path below the base directory, and back.
 *
 * Percent escapes are decoded exactly once.  Then each name of the path is checked.  A
 * name is a string of bytes: a backslash, a letter that resembles a dot, or an overlong
 * encoding of a dot has no special meaning.
 */
#include <string.h>

#include "files/inner.h"

/* ---- decoding percent escapes ------------------------------------------------------ */

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes the text into `room`, with a NUL at its end.  Returns NULL, or a text that
 * describes the error. */
static const char *
decode_percent(const char *p, const char *end, char *room, size_t size, size_t *ret_len)
{
    size_t n = 0;

    while (p < end) {
        char c = *p++;

        if (c == '%') {
            int high = end - p >= 2 ? hex_digit(p[0]) : -1;
            int low = end - p >= 2 ? hex_digit(p[1]) : -1;

            if (high < 0 || low < 0)
                return "a percent sign without two hexadecimal digits after it";
            c = (char)(high * 16 + low);
            p += 2;
        }
        if (!c)
            return "a NUL in the path";
        if (n + 1 >= size)
            return "the path is too long";
        room[n++] = c;
    }
    room[n] = '\0';
    *ret_len = n;
    return NULL;
}

/* ---- checking names ---------------------------------------------------------------- */

static const char *
check_name(const char *name, size_t len)
{
    if (len == 0)
        return "an empty name in the path";
    if (len == 1 && name[0] == '.')
        return "'.' in the path";
    if (len == 2 && name[0] == '.' && name[1] == '.')
        return "'..' in the path";
    return len > NAME_MAX ? "a name in the path is too long" : NULL;
}

static const char *
check_path(const char *path)
{
    const char *why = path[0] == '/' ? "the path is absolute" : NULL;

    while (!why) {
        size_t len = strcspn(path, "/");

        why = check_name(path, len);
        if (!path[len])
            break;
        path += len + 1;
    }
    return why;
}

/* ---- parsing URIs ------------------------------------------------------------------ */

static bool
has_scheme(struct mcph_span uri, const char *scheme)
{
    size_t len = strlen(scheme);

    return uri.len >= len && memcmp(uri.p, scheme, len) == 0;
}

static const char *
parse_query(const char *p, const char *end, struct files_place *ret)
{
    static const char key[] = "after=";
    size_t len = 0;
    const char *why;

    if ((size_t)(end - p) < sizeof(key) - 1 || memcmp(p, key, sizeof(key) - 1) != 0)
        return "a query other than 'after'";
    why = decode_percent(p + sizeof(key) - 1, end, ret->after, sizeof(ret->after), &len);
    if (!why && strchr(ret->after, '/'))
        why = "a slash in the name of a page";
    return why;
}

const char *
mcph_files_place_parse(struct mcph_span uri, struct files_place *ret)
{
    const char *p, *end = uri.p + uri.len, *query = NULL, *why;

    ret->after[0] = '\0';
    ret->is_dir = has_scheme(uri, "dir://");
    if (!ret->is_dir && !has_scheme(uri, "file://"))
        return "neither a file:// nor a dir:// URI";
    p = uri.p + (ret->is_dir ? 6 : 7);
    if (ret->is_dir)
        query = memchr(p, '?', (size_t)(end - p));
    why = decode_percent(p, query ? query : end, ret->path, sizeof(ret->path), &ret->len);
    if (!why && query)
        why = parse_query(query + 1, end, ret);
    if (!why && (ret->len > 0 || !ret->is_dir))
        why = check_path(ret->path);
    return why;
}

/* ---- encoding paths ---------------------------------------------------------------- */

static void
encode_percent(struct mcph_buf *buf, const char *text, const char *plain)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            strchr(plain, c))
            mcph_buf_addc(buf, (char)c);
        else
            mcph_buf_addf(buf, "%%%02X", c);
    }
}

/* Appends a URI.  The characters in `plain` need no escape in a path (RFC 3986, section
 * 3.3). */
void
mcph_files_add_uri(struct mcph_buf *buf, bool is_dir, const char *dir, const char *name)
{
    static const char plain[] = "-._~/!$&'()*+,;=:@";

    mcph_buf_adds(buf, is_dir ? "dir://" : "file://");
    encode_percent(buf, dir, plain);
    if (name && *dir)
        mcph_buf_addc(buf, '/');
    if (name)
        encode_percent(buf, name, plain);
}

void
mcph_files_add_query(struct mcph_buf *buf, const char *text)
{
    encode_percent(buf, text, "-._~");
}
