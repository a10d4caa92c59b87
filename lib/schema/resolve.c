/* SPDX-License-Identifier: MIT
 *
 * resolve.c - resolve references, and name the place of a node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

#define URI_MAX    ((size_t)64 * 1024)
#define PATH_LIMIT ((size_t)64 * 1024)

/* ---- names of places --------------------------------------------------------------- */

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

/* Appends the path of a node.  The function calls itself for each parent.  The nesting
 * limit of the JSON check bounds the depth. */
static void
add_place(struct mcph_buf *buf, const struct mcph_schema_node *node)
{
    const struct mcph_document *document = node->resource->document;

    if (!node->parent) {
        if (!document->main)
            mcph_buf_add(buf, document->uri.p, document->uri.len);
        mcph_buf_addc(buf, '#');
        return;
    }
    add_place(buf, node->parent);
    if (node->keyword == KW_NONE) { /* `key` is a pointer from the parent */
        mcph_buf_add(buf, node->key.p, node->key.len);
        return;
    }
    mcph_buf_addc(buf, '/');
    mcph_buf_adds(buf, mcph_keyword_name(node->keyword));
    if (node->in_list)
        mcph_buf_addf(buf, "/%u", node->index);
    if (node->key.p) {
        mcph_buf_addc(buf, '/');
        add_token(buf, node->key);
    }
}

int
mcph_node_path(struct mcph_buf *buf, const struct mcph_schema_node *node, int keyword)
{
    add_place(buf, node);
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

    /* Make one line of valid UTF-8, because texts from schemas and values may be cut
     * inside a character. */
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
        r = mcph_err(reterr, code, "the schema is invalid at a deeply nested place");
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
mcph_node_error(mcphost_error **reterr, int code, const struct mcph_schema_node *node,
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
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

/* Decodes the next token of a JSON pointer in a fragment into `token`, and advances
 * `pointer`.  Returns false if no token follows. */
static bool
next_token(struct mcph_span *pointer, struct mcph_buf *token)
{
    const char *p = pointer->p, *end = p + pointer->len;

    mcph_buf_clear(token);
    if (p == end || *p != '/')
        return false;
    for (p++; p < end && *p != '/'; p++) {
        char c = *p;

        if (c == '%' && end - p >= 3 && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
            c = (char)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
            p += 2;
        } else if (c == '~' && end - p >= 2 && (p[1] == '0' || p[1] == '1')) {
            c = *++p == '0' ? '~' : '/';
        }
        mcph_buf_addc(token, c);
    }
    *pointer = mcph_span(p, (size_t)(end - p));
    return true;
}

/* Makes the key of a member in schema->members: the container's address, '/' and the
 * name.  An entry whose key is the address alone marks that all members of the container
 * are indexed. */
static char *
member_key(mcphost_schema *schema, const char *at, struct mcph_span name, size_t *ret_len)
{
    char *key = mcph_arena_take(&schema->arena, sizeof(at) + 1 + name.len, 1);

    if (key) {
        memcpy(key, &at, sizeof(at));
        key[sizeof(at)] = '/';
        if (name.len)
            memcpy(key + sizeof(at) + 1, name.p, name.len);
    }
    *ret_len = sizeof(at) + 1 + name.len;
    return key;
}

/* Indexes all members of a container by their names.  Without the index, each reference
 * into the container would search the container again. */
static int
index_members(mcphost_schema *schema, struct mcph_span value)
{
    bool object = mcph_json_type(value) == MCPH_JSON_OBJECT;
    struct mcph_json_iter it;
    struct mcph_span key, child, *at;
    char number[24], *text;
    size_t i, len;
    int r = mcph_budget_spend(&schema->budget, value.len / 32);

    mcph_json_iter_init(&it, value);
    for (i = 0; r == 0 && mcph_json_iter_next(&it, &key, &child); i++) {
        if (object)
            r = mcph_schema_text(schema, key, &key);
        else
            key = mcph_span(number, (size_t)snprintf(number, sizeof(number), "%zu", i));
        if (r == 0)
            r = mcph_budget_spend(&schema->budget, 12 + key.len / 16);
        if (r < 0)
            break;
        at = mcph_arena_take(&schema->arena, 1, sizeof(*at));
        text = member_key(schema, value.p, key, &len);
        if (!at || !text)
            return MCPHOST_E_NOMEM;
        *at = child;
        r = mcph_map_put(&schema->members, text, len, at, NULL);
    }
    if (r < 0)
        return r;
    text = member_key(schema, value.p, mcph_span("", 0), &len);
    return text ? mcph_map_put(&schema->members, text, len - 1, schema, NULL)
                : MCPHOST_E_NOMEM;
}

/* Checks whether the token is an array index of at most nine digits.  Strips leading
 * zeros, because the keys in schema->members have no leading zeros. */
static bool
is_index(struct mcph_span *token)
{
    size_t i;

    for (i = 0; i < token->len; i++) {
        if (token->p[i] < '0' || token->p[i] > '9' || i > 8)
            return false;
    }
    for (; token->len > 1 && *token->p == '0'; token->p++)
        token->len--;
    return token->len > 0;
}

/* Finds the member or element of `value` that the token names.  Sets ret_child->p to NULL
 * if `value` has no member or element of this name. */
static int
find_child(mcphost_schema *schema, struct mcph_span value, struct mcph_span token,
           struct mcph_span *ret_child)
{
    int type = mcph_json_type(value), r = 0;
    struct mcph_span *child = NULL;
    struct mcph_buf key;

    *ret_child = MCPH_SPAN_NONE;
    if (type != MCPH_JSON_OBJECT && (type != MCPH_JSON_ARRAY || !is_index(&token)))
        return 0;
    mcph_buf_init(&key, sizeof(value.p) + 1 + token.len);
    r = mcph_buf_add(&key, (const char *)&value.p, sizeof(value.p));
    if (r == 0 && !mcph_map_get(&schema->members, key.data, key.len))
        r = index_members(schema, value);
    mcph_buf_addc(&key, '/');
    if (r == 0)
        r = mcph_buf_add(&key, token.p, token.len);
    if (r == 0)
        child = mcph_map_get(&schema->members, key.data, key.len);
    if (child)
        *ret_child = *child;
    mcph_buf_done(&key);
    return r;
}

/* Finds the node at a JSON pointer in a resource.  Makes the node if the place has no
 * node yet. */
static int
follow_pointer(mcphost_schema *schema, struct mcph_resource *resource,
               struct mcph_span pointer, struct mcph_schema_node **ret_node)
{
    struct mcph_schema_node *root = resource->node, *node = root;
    struct mcph_span at = root->at, rest = pointer;
    struct mcph_buf token;
    int r = 0;

    mcph_buf_init(&token, pointer.len + 1);
    while (r == 0 && at.p && next_token(&rest, &token)) {
        r = mcph_buf_ok(&token);
        if (r == 0)
            r = find_child(schema, at, mcph_span(token.data ? token.data : "", token.len),
                           &at);
        if (r < 0)
            break;
        node = at.p ? mcph_node_at(schema, at) : NULL;
        if (node)
            resource = node->resource;
    }
    mcph_buf_done(&token);
    if (r == 0 && (!at.p || rest.len > 0))
        r = MCPHOST_E_NOTFOUND;
    if (r == 0 && !node)
        r = mcph_node_make_at(schema, resource, at, root, pointer, &node);
    if (r == 0)
        *ret_node = node;
    return r;
}

static struct mcph_schema_node *
find_anchor(mcphost_schema *schema, const struct mcph_resource *resource,
            struct mcph_span name, int *ret_err)
{
    struct mcph_schema_node *node = NULL;
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

/* Finds the resource of a URI.  Returns 0 on success, 1 if the document of that resource
 * was just opened and must be compiled first, or an error. */
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
        /* Use the resource of the root node.  If a document has another `$id` than its
         * URI, the anchors of the document are stored under that `$id`. */
        *ret_resource = (*ret_resource)->node->resource;
        goto out;
    }
    document = mcph_schema_document(schema, mcph_span(buf.data, buf.len), &r, reterr);
    if (document && !document->node) {
        r = mcph_schema_open(schema, document, reterr);
        r = r < 0 ? r : 1;
    } else if (r == MCPHOST_E_NOTFOUND) {
        r = mcph_node_error(reterr, r, ref->from, (int)ref->keyword,
                            "the schema '%.*s' is not known, and schemas are not fetched",
                            (int)buf.len, buf.data);
    }
out:
    mcph_buf_done(&buf);
    return r;
}

static bool
is_dynamic(mcphost_schema *schema, const struct mcph_schema_node *node,
           struct mcph_span name)
{
    const struct mcph_dynamic *d;

    for (d = node->resource->dynamics; d; d = d->next) {
        if (d->node == node && mcph_span_eq(d->name, name))
            return true;
        if (mcph_budget_spend(&schema->budget, 1) < 0)
            return false;
    }
    return false;
}

/* Finds the target of a reference.  Returns 0 on success, 1 if the target's document must
 * be compiled first, or an error. */
static int
find_target(mcphost_schema *schema, const struct mcph_ref *ref,
            struct mcph_schema_node **ret, mcphost_error **reterr)
{
    struct mcph_span fragment, uri = mcph_uri_split(ref->text, &fragment);
    struct mcph_resource *resource = NULL;
    struct mcph_schema_node *node = NULL;
    int r;

    r = mcph_schema_spend(
        schema, uri.len ? (ref->from->resource->uri.len + uri.len) / 8 : 0, reterr);
    if (r == 0)
        r = find_resource(schema, ref, uri, &resource, reterr);
    if (r != 0)
        return r;
    if (fragment.len == 0)
        node = resource->node;
    else if (*fragment.p == '/')
        r = follow_pointer(schema, resource, fragment, &node);
    else
        node = find_anchor(schema, resource, fragment, &r);
    if (r < 0 && schema->budget.err)
        return mcph_schema_spend(schema, 0, reterr);
    if (r < 0)
        return mcph_node_error(reterr, r, ref->from, (int)ref->keyword,
                               "'%.*s' does not lead to a schema", (int)ref->text.len,
                               ref->text.p);
    *ret = node;
    return 0;
}

/* Finds the target of a reference like find_target(), but looks up each reference text
 * only once per resource. */
static int
recall_target(mcphost_schema *schema, const struct mcph_ref *ref,
              struct mcph_schema_node **ret, mcphost_error **reterr)
{
    const struct mcph_resource *resource = ref->from->resource;
    size_t len = sizeof(resource) + ref->text.len;
    struct mcph_schema_node *node;
    char *key;
    int r;

    r = mcph_schema_spend(schema, 16 + len / 16, reterr);
    if (r < 0)
        return r;
    key = mcph_arena_take(&schema->arena, len, 1);
    if (!key)
        return mcph_err_nomem(reterr);
    memcpy(key, &resource, sizeof(resource));
    memcpy(key + sizeof(resource), ref->text.p, ref->text.len);
    node = mcph_map_get(&schema->targets, key, len);
    if (node) {
        *ret = node;
        return 0;
    }
    r = find_target(schema, ref, &node, reterr);
    if (r != 0)
        return r;
    *ret = node;
    r = mcph_map_put(&schema->targets, key, len, node, NULL);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

int
mcph_ref_resolve(mcphost_schema *schema, struct mcph_ref *ref, mcphost_error **reterr)
{
    struct mcph_span fragment;
    struct mcph_schema_node *node = NULL;
    int r = recall_target(schema, ref, &node, reterr);

    if (r != 0)
        return r;
    mcph_uri_split(ref->text, &fragment);
    ref->target = node;
    if (ref->keyword == KW_DYNAMIC_REF && fragment.len > 0 &&
        is_dynamic(schema, node, fragment))
        ref->dynamic = fragment;
    ref->recursive = ref->keyword == KW_RECURSIVE_REF && node->resource->recursive;
    return mcph_schema_spend(schema, 0, reterr);
}

const struct mcph_schema_node *
mcph_ref_target(struct mcph_schema_check *c, const struct mcph_ref *ref)
{
    const struct mcph_schema_node *target = ref->target;
    const struct mcph_schema_scope *scope;
    const struct mcph_dynamic *d;

    if (!ref->dynamic.p && !ref->recursive)
        return target;
    /* Keep the last match on the way out, because the outermost scope has priority. */
    for (scope = c->scope; scope; scope = scope->outer) {
        if (!mcph_check_spend(c, 1))
            return NULL;
        if (ref->recursive && scope->resource->recursive)
            target = scope->resource->node;
        for (d = ref->recursive ? NULL : scope->resource->dynamics; d; d = d->next) {
            if (!mcph_check_spend(c, 1))
                return NULL;
            if (mcph_span_eq(d->name, ref->dynamic))
                target = d->node;
        }
    }
    return target;
}
