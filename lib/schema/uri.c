/* SPDX-License-Identifier: MIT
 *
 * uri.c - resolve references (RFC 3986, section 5.2).
 *
 * The URIs only name schemas.  The library fetches no URI.  The only normalisation
 * removes the segments "." and ".." from the path of a reference that has neither a
 * scheme nor an authority.  The caller splits off fragments first.
 */
#include <string.h>

#include "schema/inner.h"

/* The parts of a URI.  Scheme, authority and query include their delimiters: "http:",
 * "//host", "?query".  The `p` of an absent scheme, authority or query is NULL. */
struct parts {
    struct mcph_span scheme, authority, path, query;
};

static size_t
scheme_len(struct mcph_span uri)
{
    size_t i;

    for (i = 0; i < uri.len; i++) {
        char c = uri.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool more = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';

        if (c == ':')
            return i > 0 ? i + 1 : 0;
        if (!letter && (i == 0 || !more))
            return 0;
    }
    return 0;
}

bool
mcph_uri_is_absolute(struct mcph_span uri)
{
    return scheme_len(uri) > 0;
}

struct mcph_span
mcph_uri_split(struct mcph_span uri, struct mcph_span *ret_fragment)
{
    const char *hash = uri.len ? memchr(uri.p, '#', uri.len) : NULL;
    size_t len = hash ? (size_t)(hash - uri.p) : uri.len;

    *ret_fragment = hash ? mcph_span(hash + 1, uri.len - len - 1) : MCPH_SPAN_NONE;
    return mcph_span(uri.p, len);
}

static struct parts
split_uri(struct mcph_span uri)
{
    struct parts parts = {{0}, {0}, {0}, {0}};
    size_t n = scheme_len(uri);
    const char *p = uri.p, *end = uri.p + uri.len, *q;

    if (n > 0) {
        parts.scheme = mcph_span(p, n);
        p += n;
    }
    if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
        for (q = p + 2; q < end && *q != '/' && *q != '?'; q++)
            ;
        parts.authority = mcph_span(p, (size_t)(q - p));
        p = q;
    }
    q = p < end ? memchr(p, '?', (size_t)(end - p)) : NULL;
    parts.path = mcph_span(p, (size_t)((q ? q : end) - p));
    if (q)
        parts.query = mcph_span(q, (size_t)(end - q));
    return parts;
}

/* Removes "." and ".." from the path that begins at `from`. */
static void
remove_dots(struct mcph_buf *buf, size_t from)
{
    char *out = buf->data + from, *begin = out;
    const char *p = out, *end = buf->data + buf->len;

    while (p < end) {
        const char *slash = memchr(p + 1, '/', (size_t)(end - p - 1)), *name = p;
        size_t len;

        if (*name == '/')
            name++;
        if (!slash)
            slash = end;
        len = (size_t)(slash - name);
        if (len <= 2 && memcmp(name, "..", len) == 0 && len > 0) {
            if (len == 2) {
                while (out > begin && *--out != '/')
                    ;
            }
            if (slash == end && (out == begin || out[-1] != '/'))
                *out++ = '/';
        } else {
            memmove(out, p, (size_t)(slash - p));
            out += slash - p;
        }
        p = slash;
    }
    buf->len = (size_t)(out - buf->data);
}

static void
add_path(struct mcph_buf *buf, const struct parts *base, struct mcph_span path)
{
    size_t from = buf->len, n = base->path.len;

    if (path.len == 0 || *path.p != '/') {
        if (base->authority.p && n == 0) {
            mcph_buf_addc(buf, '/');
        } else {
            while (n > 0 && base->path.p[n - 1] != '/')
                n--;
            mcph_buf_add(buf, base->path.p, n);
        }
    }
    if (mcph_buf_add(buf, path.p, path.len) == 0 && buf->len > from)
        remove_dots(buf, from);
}

int
mcph_uri_resolve(struct mcph_buf *buf, struct mcph_span base, struct mcph_span ref)
{
    struct parts b = split_uri(base), r = split_uri(ref);

    if (r.scheme.p)
        return mcph_buf_add(buf, ref.p, ref.len);
    mcph_buf_add(buf, b.scheme.p, b.scheme.len);
    if (r.authority.p) {
        mcph_buf_add(buf, ref.p, ref.len);
        return mcph_buf_ok(buf);
    }
    mcph_buf_add(buf, b.authority.p, b.authority.len);
    if (r.path.len == 0) {
        mcph_buf_add(buf, b.path.p, b.path.len);
        if (!r.query.p)
            r.query = b.query;
    } else {
        add_path(buf, &b, r.path);
    }
    mcph_buf_add(buf, r.query.p, r.query.len);
    return mcph_buf_ok(buf);
}
