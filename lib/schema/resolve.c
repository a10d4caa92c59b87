/* SPDX-License-Identifier: MIT
 *
 * resolve.c - where a reference leads, and what a place in a schema is called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

#define URI_MAX    ((size_t)64 * 1024)
#define PATH_LIMIT ((size_t)64 * 1024)

/* ---- what a place is called -------------------------------------------------------- */

static void
add_token(struct mcph_buf *buf, struct mcph_span token)
{
    size_t i;

    for (i = 0; i < token.len; i++) {
        if (token.p[i] == '~')
            mcph_buf_adds(buf, "~0");
        else if (token.p[i] == '/')
            mcph_buf_adds(buf, "~1");
        else if ((unsigned char)token.p[i] < 0x20)
            mcph_buf_addc(buf, '?');
        else
            mcph_buf_addc(buf, token.p[i]);
    }
}

int
mcph_node_path(struct mcph_buf *buf, const struct mcph_node *node, int keyword)
{
    const struct mcph_node *up;
    size_t depth = 0, i, n;

    for (up = node; up->parent; up = up->parent)
        depth++;
    if (!up->resource->document->main)
        mcph_buf_add(buf, up->resource->document->uri.p, up->resource->document->uri.len);
    mcph_buf_addc(buf, '#');
    mcph_buf_add(buf, up->key.p, up->key.len);
    for (i = depth; i > 0; i--) {
        for (up = node, n = 1; n < i; n++)
            up = up->parent;
        mcph_buf_addc(buf, '/');
        mcph_buf_adds(buf, mcph_keyword_name(up->keyword));
        if (up->in_list)
            mcph_buf_addf(buf, "/%u", up->index);
        if (up->key.p) {
            mcph_buf_addc(buf, '/');
            add_token(buf, up->key);
        }
    }
    if (keyword) {
        mcph_buf_addc(buf, '/');
        mcph_buf_adds(buf, mcph_keyword_name((enum mcph_keyword)keyword));
    }
    return mcph_buf_ok(buf);
}

static int
error_of(mcphost_error **reterr, int code, const char *path, const char *fmt, va_list ap)
{
    struct mcph_buf line;
    char *what = NULL;
    int r;

    /* Words of schemas and values, cut somewhere, become one line of UTF-8. */
    mcph_buf_init(&line, PATH_LIMIT);
    if (vasprintf(&what, fmt, ap) < 0)
        return mcph_err_nomem(reterr);
    if (path) {
        mcph_buf_adds(&line, "schema at '");
        mcph_utf8_add_clean(&line, path, strlen(path), true);
        mcph_buf_adds(&line, "': ");
    }
    mcph_utf8_add_clean(&line, what, strlen(what), true);
    r = mcph_buf_addc(&line, '\0');
    if (r == 0)
        r = mcph_err(reterr, code, "%s", line.data);
    else if (r == MCPHOST_E_LIMIT)
        r = mcph_err(reterr, code, "the schema is unfit, far down in it");
    else
        r = mcph_err_nomem(reterr);
    free(what);
    mcph_buf_done(&line);
    return r;
}

int
mcph_schema_error(mcphost_error **reterr, int code, const char *fmt, ...)
{
    va_list ap;
    int r;

    va_start(ap, fmt);
    r = error_of(reterr, code, NULL, fmt, ap);
    va_end(ap);
    return r;
}

int
mcph_node_error(mcphost_error **reterr, int code, const struct mcph_node *node,
                int keyword, const char *fmt, ...)
{
    struct mcph_buf path;
    va_list ap;
    int r;

    if (code == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (!reterr)
        return code;
    mcph_buf_init(&path, PATH_LIMIT);
    mcph_node_path(&path, node, keyword);
    mcph_buf_addc(&path, '\0');
    if (mcph_buf_ok(&path) == MCPHOST_E_NOMEM) {
        r = mcph_err_nomem(reterr);
    } else {
        va_start(ap, fmt);
        r = error_of(reterr, code, mcph_buf_ok(&path) < 0 ? "..." : path.data, fmt, ap);
        va_end(ap);
    }
    mcph_buf_done(&path);
    return r;
}

/* ---- references -------------------------------------------------------------------- */

static int
hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

/* The next token of a pointer in a fragment, decoded into `token`. */
static bool
next_token(struct mcph_span *pointer, struct mcph_buf *token)
{
    const char *p = pointer->p, *end = p + pointer->len;

    mcph_buf_clear(token);
    if (p == end || *p != '/')
        return false;
    for (p++; p < end && *p != '/'; p++) {
        char c = *p;

        if (c == '%' && end - p >= 3 && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
            c = (char)(hex(p[1]) * 16 + hex(p[2]));
            p += 2;
        } else if (c == '~' && end - p >= 2 && (p[1] == '0' || p[1] == '1')) {
            c = *++p == '0' ? '~' : '/';
        }
        mcph_buf_addc(token, c);
    }
    *pointer = mcph_span(p, (size_t)(end - p));
    return true;
}

static struct mcph_span
step(struct mcph_span value, const struct mcph_buf *token)
{
    bool object = mcph_json_type(value) == MCPH_JSON_OBJECT;
    struct mcph_json_iter it;
    struct mcph_span key, child;
    size_t i, index = 0;

    for (i = 0; i < token->len && !object; i++) {
        unsigned digit = (unsigned char)token->data[i] - '0';

        if (digit > 9 || i > 8)
            return MCPH_SPAN_NONE;
        index = index * 10 + digit;
    }
    mcph_json_iter_init(&it, value);
    for (i = 0; mcph_json_iter_next(&it, &key, &child); i++) {
        if (object ? mcph_json_string_is(key, token->data ? token->data : "", token->len)
                   : i == index && token->len > 0)
            return child;
    }
    return MCPH_SPAN_NONE;
}

/* A place in a resource by a JSON pointer. */
static int
follow(mcphost_schema *schema, struct mcph_resource *resource, struct mcph_span pointer,
       struct mcph_node **ret_node)
{
    struct mcph_span at = resource->node->at, rest = pointer;
    struct mcph_node *node = resource->node;
    struct mcph_buf token;
    int r = 0;

    mcph_buf_init(&token, pointer.len + 1);
    while (r == 0 && at.p && next_token(&rest, &token)) {
        r = mcph_buf_ok(&token);
        at = step(at, &token);
        node = at.p ? mcph_node_at(schema, at) : NULL;
        if (node)
            resource = node->resource;
    }
    mcph_buf_done(&token);
    if (r == 0 && (!at.p || rest.len > 0))
        r = MCPHOST_E_NOTFOUND;
    if (r == 0 && !node)
        r = mcph_node_make_at(schema, resource, at, pointer, &node);
    if (r == 0)
        *ret_node = node;
    return r;
}

static struct mcph_node *
find_anchor(mcphost_schema *schema, const struct mcph_resource *resource,
            struct mcph_span name, int *ret_err)
{
    struct mcph_node *node = NULL;
    struct mcph_buf key;

    mcph_buf_init(&key, URI_MAX);
    mcph_buf_add(&key, resource->uri.p, resource->uri.len);
    mcph_buf_addc(&key, '#');
    *ret_err = mcph_buf_add(&key, name.p, name.len);
    if (*ret_err == 0)
        node = mcph_map_get(&schema->anchors, key.data, key.len);
    if (*ret_err == 0 && !node)
        *ret_err = MCPHOST_E_NOTFOUND;
    mcph_buf_done(&key);
    return node;
}

/* The resource of a URI; 1 when it will be there later. */
static int
find_resource(mcphost_schema *schema, const struct mcph_ref *ref, struct mcph_span uri,
              struct mcph_resource **ret_resource, mcphost_error **reterr)
{
    struct mcph_document *document;
    struct mcph_buf buf;
    int r;

    if (uri.len == 0) {
        *ret_resource = ref->from->resource;
        return 0;
    }
    mcph_buf_init(&buf, URI_MAX);
    r = mcph_uri_resolve(&buf, ref->from->resource->uri, uri);
    if (r < 0) {
        r = mcph_node_error(reterr, r, ref->from, (int)ref->keyword,
                            "the URI is too long");
        goto out;
    }
    *ret_resource = mcph_map_get(&schema->resources, buf.data, buf.len);
    if (*ret_resource) {
        /* A document that calls itself otherwise keeps its anchors under that name. */
        *ret_resource = (*ret_resource)->node->resource;
        goto out;
    }
    document = mcph_schema_document(schema, mcph_span(buf.data, buf.len), &r, reterr);
    if (document && !document->node) {
        r = mcph_schema_open(schema, document, reterr);
        r = r < 0 ? r : 1;
    } else if (r == MCPHOST_E_NOTFOUND) {
        r = mcph_node_error(reterr, r, ref->from, (int)ref->keyword,
                            "there is no schema '%.*s' here, and none is fetched",
                            (int)buf.len, buf.data);
    }
out:
    mcph_buf_done(&buf);
    return r;
}

static bool
is_dynamic(const struct mcph_node *node, struct mcph_span name)
{
    const struct mcph_dynamic *d;

    for (d = node->resource->dynamics; d; d = d->next) {
        if (d->node == node && mcph_span_eq(d->name, name))
            return true;
    }
    return false;
}

int
mcph_ref_resolve(mcphost_schema *schema, struct mcph_ref *ref, mcphost_error **reterr)
{
    struct mcph_span fragment, uri = mcph_uri_split(ref->text, &fragment);
    struct mcph_resource *resource = NULL;
    struct mcph_node *node = NULL;
    int r = find_resource(schema, ref, uri, &resource, reterr);

    if (r != 0)
        return r;
    if (fragment.len == 0)
        node = resource->node;
    else if (*fragment.p == '/')
        r = follow(schema, resource, fragment, &node);
    else
        node = find_anchor(schema, resource, fragment, &r);
    if (r < 0)
        return mcph_node_error(reterr, r, ref->from, (int)ref->keyword,
                               "'%.*s' leads nowhere", (int)ref->text.len, ref->text.p);
    ref->target = node;
    if (ref->keyword == KW_DYNAMIC_REF && fragment.len > 0 && is_dynamic(node, fragment))
        ref->dynamic = fragment;
    ref->recursive = ref->keyword == KW_RECURSIVE_REF && node->resource->recursive;
    return 0;
}

const struct mcph_node *
mcph_ref_target(const struct mcph_check *c, const struct mcph_ref *ref)
{
    const struct mcph_node *target = ref->target;
    const struct mcph_scope *scope;
    const struct mcph_dynamic *d;

    if (!ref->dynamic.p && !ref->recursive)
        return target;
    /* The outermost one counts, so the last one found on the way out. */
    for (scope = c->scope; scope; scope = scope->outer) {
        if (ref->recursive && scope->resource->recursive)
            target = scope->resource->node;
        for (d = ref->recursive ? NULL : scope->resource->dynamics; d; d = d->next) {
            if (mcph_span_eq(d->name, ref->dynamic))
                target = d->node;
        }
    }
    return target;
}
