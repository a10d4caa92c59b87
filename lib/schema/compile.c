/* SPDX-License-Identifier: MIT
 *
 * compile.c - compile the text of a schema into nodes.
 *
 * Subschemas are queued instead of compiled recursively, so that a deep schema needs no
 * stack.  When the queue is empty, all `$id`s and anchors of the loaded documents are
 * known.  Then references are resolved.  A reference that leads to a new place or a new
 * document adds work to the queue.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

/* The base URI of a schema without `$id`.  Relative references are resolved against this
 * URI. */
#define NAMELESS "schema:/"
#define URI_MAX  ((size_t)64 * 1024)
/* The costs of a compilation, in steps of mcph_schema_spend(). */
#define COST_OF_NODE 24
#define COST_OF_KEY  6

struct mcph_schema_node *
mcph_node_at(mcphost_schema *schema, struct mcph_span at)
{
    return mcph_map_get(&schema->nodes, (const char *)&at.p, sizeof(at.p));
}

static int
node_new(mcphost_schema *schema, struct mcph_span at, struct mcph_resource *resource,
         struct mcph_schema_node **ret_node)
{
    struct mcph_schema_node *node;

    if ((int64_t)schema->n_nodes >= schema->options[MCPHOST_SCHEMA_OPT_MAX_SUBSCHEMAS])
        return MCPHOST_E_LIMIT;
    node = mcph_arena_take(&schema->arena, 1, sizeof(*node));
    if (!node)
        return MCPHOST_E_NOMEM;
    node->at = at;
    node->resource = resource;
    if (mcph_map_put(&schema->nodes, (const char *)&node->at.p, sizeof(at.p), node,
                     NULL) < 0)
        return MCPHOST_E_NOMEM;
    schema->n_nodes++;
    if (schema->work)
        schema->work_last->work = node;
    else
        schema->work = node;
    schema->work_last = node;
    *ret_node = node;
    return 0;
}

int
mcph_node_make(mcphost_schema *schema, struct mcph_schema_node *parent, int keyword,
               struct mcph_span at, struct mcph_schema_node **ret_node)
{
    struct mcph_schema_node *node = mcph_node_at(schema, at);
    int r;

    if (!node) {
        r = node_new(schema, at, parent->resource, &node);
        if (r < 0)
            return r;
        node->parent = parent;
        node->keyword = (uint8_t)keyword;
    }
    *ret_node = node;
    return 0;
}

int
mcph_node_make_at(mcphost_schema *schema, struct mcph_resource *resource,
                  struct mcph_span at, struct mcph_schema_node *root,
                  struct mcph_span pointer, struct mcph_schema_node **ret_node)
{
    struct mcph_schema_node *node;
    int r = node_new(schema, at, resource, &node);

    if (r < 0)
        return r;
    node->parent = root;
    node->key = pointer;
    *ret_node = node;
    return 0;
}

int
mcph_schema_text(mcphost_schema *schema, struct mcph_span token,
                 struct mcph_span *ret_text)
{
    struct mcph_buf buf;
    struct mcph_span text;
    char *copy;
    int r;

    mcph_buf_init(&buf, token.len + 1);
    r = mcph_json_string_get(token, &buf, &text);
    if (r == 0 && buf.len > 0) {
        copy = mcph_arena_copy(&schema->arena, text.p, text.len);
        if (!copy)
            r = MCPHOST_E_NOMEM;
        text.p = copy;
    }
    if (r == 0)
        *ret_text = text;
    mcph_buf_done(&buf);
    return r;
}

/* ---- names ------------------------------------------------------------------------- */

static int
add_anchor(mcphost_schema *schema, struct mcph_schema_node *node, struct mcph_span name,
           bool dynamic, mcphost_error **reterr)
{
    struct mcph_resource *resource = node->resource;
    size_t len = resource->uri.len + 1 + name.len;
    struct mcph_dynamic *entry;
    char *key;
    void *old = NULL;
    int r;

    r = mcph_schema_spend(schema, len / 16, reterr);
    if (r < 0)
        return r;
    key = mcph_arena_take(&schema->arena, len + 1, 1);
    if (!key)
        return mcph_err_nomem(reterr);
    memcpy(key, resource->uri.p, resource->uri.len);
    key[resource->uri.len] = '#';
    memcpy(key + resource->uri.len + 1, name.p, name.len);
    if (mcph_map_put(&schema->anchors, key, len, node, &old) < 0)
        return mcph_err_nomem(reterr);
    if (old && old != node)
        return mcph_node_error(reterr, MCPHOST_E_INVALID, node, 0,
                               "the anchor '%.*s' already exists", (int)name.len, name.p);
    if (!dynamic)
        return 0;
    entry = mcph_arena_take(&schema->arena, 1, sizeof(*entry));
    if (!entry)
        return mcph_err_nomem(reterr);
    *entry = (struct mcph_dynamic){name, node, resource->dynamics};
    resource->dynamics = entry;
    return 0;
}

static int
add_resource(mcphost_schema *schema, struct mcph_schema_node *node, struct mcph_span id,
             mcphost_error **reterr)
{
    struct mcph_resource *resource, *outer = node->resource;
    struct mcph_buf buf;
    void *old = NULL;
    char *uri = NULL;
    int r;

    r = mcph_schema_spend(schema, (outer->uri.len + id.len) / 8, reterr);
    if (r < 0)
        return r;
    mcph_buf_init(&buf, URI_MAX);
    r = mcph_uri_resolve(&buf, outer->uri, id);
    resource = mcph_arena_take(&schema->arena, 1, sizeof(*resource));
    if (r == 0)
        uri = mcph_arena_copy(&schema->arena, buf.data, buf.len);
    if (r == 0 && (!uri || !resource))
        r = MCPHOST_E_NOMEM;
    if (r == 0) {
        *resource = *outer;
        resource->uri = mcph_span(uri, buf.len);
        resource->node = node;
        resource->dynamics = NULL;
        resource->recursive = false;
        node->resource = resource;
        r = mcph_map_put(&schema->resources, uri, buf.len, resource, &old);
    }
    mcph_buf_done(&buf);
    if (r < 0)
        return mcph_node_error(reterr, r, node, KW_ID, "the URI is too long");
    if (old && ((struct mcph_resource *)old)->node != node)
        return mcph_node_error(reterr, MCPHOST_E_INVALID, node, KW_ID,
                               "'%.*s' already exists", (int)resource->uri.len,
                               resource->uri.p);
    return 0;
}

static int
read_string(mcphost_schema *schema, struct mcph_schema_node *node, int keyword,
            struct mcph_span token, struct mcph_span *ret_text, mcphost_error **reterr)
{
    int r;

    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return mcph_node_error(reterr, MCPHOST_E_INVALID, node, keyword,
                               "expected a string");
    r = mcph_schema_text(schema, token, ret_text);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

static int
read_ids(mcphost_schema *schema, struct mcph_schema_node *node,
         const struct mcph_span kw[KW_COUNT], mcphost_error **reterr)
{
    static const int anchors[] = {KW_ANCHOR, KW_DYNAMIC_ANCHOR};
    int keyword = kw[KW_ID].p ? KW_ID : KW_ID_4, r;
    struct mcph_span text, fragment;
    bool recursive = false;
    size_t i;

    if (kw[keyword].p) {
        r = read_string(schema, node, keyword, kw[keyword], &text, reterr);
        if (r < 0)
            return r;
        text = mcph_uri_split(text, &fragment);
        if (fragment.len > 0 && node->resource->dialect.draft > MCPHOST_SCHEMA_DRAFT_7)
            return mcph_node_error(reterr, MCPHOST_E_INVALID, node, keyword,
                                   "expected a URI without fragment");
        if (text.len > 0 || !fragment.p) {
            r = add_resource(schema, node, text, reterr);
            if (r < 0)
                return r;
        }
        if (fragment.len > 0 && *fragment.p != '/') {
            r = add_anchor(schema, node, fragment, false, reterr);
            if (r < 0)
                return r;
        }
    }
    for (i = 0; i < MCPH_ARRAY_SIZE(anchors); i++) {
        if (!kw[anchors[i]].p)
            continue;
        r = read_string(schema, node, anchors[i], kw[anchors[i]], &text, reterr);
        if (r == 0)
            r = add_anchor(schema, node, text, i == 1, reterr);
        if (r < 0)
            return r;
    }
    if (node->resource->node == node &&
        mcph_json_bool(kw[KW_RECURSIVE_ANCHOR], &recursive) == 0)
        node->resource->recursive = recursive;
    return 0;
}

/* ---- dialects ---------------------------------------------------------------------- */

/* Sets the dialect of the node's resource: the draft that `$schema` names, directly or
 * through at most 7 meta-schemas that are not built in, and the vocabularies of the first
 * of these meta-schemas that has `$vocabulary`. */
static int
find_dialect(mcphost_schema *schema, struct mcph_schema_node *node,
             struct mcph_span token, mcphost_error **reterr)
{
    struct mcph_dialect *dialect = &node->resource->dialect;
    struct mcph_span uri, name, fragment, vocabulary = MCPH_SPAN_NONE;
    struct mcph_document *document;
    int hops, draft, r;

    *dialect = (struct mcph_dialect){.vocab = VOCAB_ALL};
    r = read_string(schema, node, KW_SCHEMA, token, &uri, reterr);
    if (r < 0)
        return r;
    for (hops = 0; hops < 8; hops++) {
        draft = mcph_draft_find(uri);
        name = mcph_uri_split(uri, &fragment);
        if (draft)
            break;
        document = mcph_schema_document(schema, name, &r, reterr);
        if (!document && r != MCPHOST_E_NOTFOUND)
            return r;
        if (!document)
            break;
        r = mcph_schema_spend(schema, document->root.len / 32, reterr);
        if (r < 0)
            return r;
        if (!vocabulary.p)
            vocabulary = mcph_json_get(document->root, "$vocabulary");
        token = mcph_json_get(document->root, "$schema");
        if (mcph_json_type(token) != MCPH_JSON_STRING)
            break;
        r = read_string(schema, node, KW_SCHEMA, token, &uri, reterr);
        if (r < 0)
            return r;
        draft = 0;
    }
    if (!draft)
        return mcph_node_error(reterr, MCPHOST_E_INVALID, node, KW_SCHEMA,
                               "'%.*s' is not a supported draft of JSON Schema",
                               (int)uri.len, uri.p);
    dialect->draft = draft;
    if (vocabulary.p && draft > MCPHOST_SCHEMA_DRAFT_7 &&
        mcph_dialect_vocabulary(vocabulary, &dialect->vocab) < 0)
        return mcph_node_error(reterr, MCPHOST_E_INVALID, node, KW_SCHEMA,
                               "'%.*s' requires a vocabulary that is not supported",
                               (int)uri.len, uri.p);
    return 0;
}

static int
pick_keywords(mcphost_schema *schema, const struct mcph_schema_node *node,
              struct mcph_span kw[KW_COUNT], mcphost_error **reterr)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    int r = 0;

    memset(kw, 0, KW_COUNT * sizeof(kw[0]));
    mcph_json_iter_init(&it, node->at);
    while (r == 0 && mcph_json_iter_next(&it, &key, &value)) {
        r = mcph_schema_spend(schema, COST_OF_KEY, reterr);
        kw[mcph_keyword_find(key, &node->resource->dialect)] = value;
    }
    /* Up to draft 7, `$ref` overrides its siblings.  Only `definitions` stays, because
     * references may lead into it. */
    if (kw[KW_REF].p && node->resource->dialect.draft <= MCPHOST_SCHEMA_DRAFT_7) {
        struct mcph_span ref = kw[KW_REF], defs = kw[KW_DEFINITIONS];

        memset(kw, 0, KW_COUNT * sizeof(kw[0]));
        kw[KW_REF] = ref;
        kw[KW_DEFINITIONS] = defs;
    }
    return r;
}

/* ---- nodes ------------------------------------------------------------------------- */

static int
make_map(mcphost_schema *schema, struct mcph_schema_node *parent, int keyword,
         struct mcph_span map)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    struct mcph_schema_node *node;
    int r = 0;

    mcph_json_iter_init(&it, map);
    while (r == 0 && mcph_json_iter_next(&it, &key, &value)) {
        r = mcph_node_make(schema, parent, keyword, value, &node);
        if (r == 0)
            r = mcph_schema_text(schema, key, &node->key);
    }
    return r;
}

/* Makes nodes for the subschemas that a reference can name even if no rule of this node
 * uses them. */
static int
make_places(mcphost_schema *schema, struct mcph_schema_node *node,
            const struct mcph_span kw[KW_COUNT], mcphost_error **reterr)
{
    static const int maps[] = {KW_DEFS, KW_DEFINITIONS};
    static const int singles[] = {KW_IF, KW_THEN, KW_ELSE, KW_CONTENT_SCHEMA,
                                  KW_ADDITIONAL_ITEMS};
    struct mcph_schema_node *made;
    size_t i;
    int r;

    for (i = 0; i < MCPH_ARRAY_SIZE(maps); i++) {
        if (!kw[maps[i]].p)
            continue;
        if (mcph_json_type(kw[maps[i]]) != MCPH_JSON_OBJECT)
            return mcph_node_error(reterr, MCPHOST_E_INVALID, node, maps[i],
                                   "expected an object");
        r = make_map(schema, node, maps[i], kw[maps[i]]);
        if (r < 0)
            return mcph_node_error(reterr, r, node, maps[i], "too many subschemas");
    }
    for (i = 0; i < MCPH_ARRAY_SIZE(singles); i++) {
        r = kw[singles[i]].p
                ? mcph_node_make(schema, node, singles[i], kw[singles[i]], &made)
                : 0;
        if (r < 0)
            return mcph_node_error(reterr, r, node, singles[i], "too many subschemas");
    }
    return 0;
}

static int
compile_node(mcphost_schema *schema, struct mcph_schema_node *node,
             mcphost_error **reterr)
{
    struct mcph_span kw[KW_COUNT], *dialect = &kw[KW_SCHEMA];
    bool root = node->resource->node == node;
    int r;

    /* Charge for the schema's text, because this node and its parents read the text
     * several times. */
    r = mcph_schema_spend(schema, COST_OF_NODE + node->at.len / 32, reterr);
    if (r < 0)
        return r;
    if (mcph_json_type(node->at) == MCPH_JSON_BOOL) {
        node->never = *node->at.p == 'f';
        return 0;
    }
    if (mcph_json_type(node->at) != MCPH_JSON_OBJECT)
        return mcph_node_error(reterr, MCPHOST_E_INVALID, node, 0,
                               "expected a schema, which is an object or a boolean, "
                               "found %s",
                               mcph_json_type_name(mcph_json_type(node->at)));
    r = pick_keywords(schema, node, kw, reterr);
    if (r == 0 && root && dialect->p) {
        r = find_dialect(schema, node, *dialect, reterr);
        if (r == 0)
            r = pick_keywords(schema, node, kw, reterr);
    }
    if (r == 0)
        r = read_ids(schema, node, kw, reterr);
    if (r == 0 && !root && dialect->p && node->resource->node == node) {
        r = find_dialect(schema, node, *dialect, reterr);
        if (r == 0)
            r = pick_keywords(schema, node, kw, reterr);
    }
    if (r < 0)
        return r;
    node->dflt = kw[KW_DEFAULT];
    r = mcph_node_rules(schema, node, kw, reterr);
    return r < 0 ? r : make_places(schema, node, kw, reterr);
}

int
mcph_schema_open(mcphost_schema *schema, struct mcph_document *document,
                 mcphost_error **reterr)
{
    struct mcph_resource *resource =
        mcph_arena_take(&schema->arena, 1, sizeof(*resource));
    int draft = (int)schema->options[MCPHOST_SCHEMA_OPT_DRAFT], r;

    if (!resource)
        return mcph_err_nomem(reterr);
    *resource = (struct mcph_resource){
        .uri = document->uri,
        .document = document,
        .dialect = {.draft = draft, .vocab = VOCAB_ALL, .assumed = true}};
    r = node_new(schema, document->root, resource, &document->node);
    if (r == 0) {
        resource->node = document->node;
        r = mcph_map_put(&schema->resources, document->uri.p, document->uri.len, resource,
                         NULL);
    }
    if (r == MCPHOST_E_LIMIT)
        return mcph_err(reterr, r, "too many subschemas");
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

struct mcph_document *
mcph_schema_document(mcphost_schema *schema, struct mcph_span uri, int *ret_err,
                     mcphost_error **reterr)
{
    struct mcph_document *document;
    struct mcph_span text;
    char *name;

    *ret_err = MCPHOST_E_NOTFOUND;
    document = mcph_map_get(&schema->documents, uri.p, uri.len);
    if (document)
        return document;
    name = mcph_strndup(uri.p, uri.len);
    if (!name) {
        *ret_err = mcph_err_nomem(reterr);
        return NULL;
    }
    text = mcph_meta_schema(uri);
    if (text.p) {
        int r = mcph_schema_add_document(schema, name, text, reterr);

        if (r < 0)
            *ret_err = r;
    } else if (schema->fn) {
        schema->fn(schema, name, schema->arg);
    }
    free(name);
    return mcph_map_get(&schema->documents, uri.p, uri.len);
}

static int
compile_queue(mcphost_schema *schema, mcphost_error **reterr)
{
    int r = 0;

    while (r >= 0 && (schema->work || schema->unresolved)) {
        while (schema->work && r >= 0) {
            struct mcph_schema_node *node = schema->work;

            schema->work = node->work;
            r = compile_node(schema, node, reterr);
        }
        /* Stop when resolving a reference has queued a node.  Queued nodes are compiled
         * before the next reference is resolved. */
        while (r == 0 && schema->unresolved && !schema->work) {
            r = mcph_ref_resolve(schema, schema->unresolved, reterr);
            if (r == 0)
                schema->unresolved = schema->unresolved->next;
        }
        r = r < 0 ? r : 0;
    }
    return r;
}

int
mcph_schema_compile(mcphost_schema *schema, struct mcph_span json, mcphost_error **reterr)
{
    struct mcph_document *document;
    int r;

    if (schema->state != SCHEMA_NEW)
        return mcph_err(reterr, MCPHOST_E_STATE, "the schema is already compiled");
    schema->state = SCHEMA_COMPILING;
    mcph_budget_init(&schema->budget, schema);
    r = mcph_schema_take_text(schema, "the schema", json, &document, reterr);
    if (r == 0) {
        document->uri = mcph_span(NAMELESS, sizeof(NAMELESS) - 1);
        document->main = true;
        r = mcph_schema_open(schema, document, reterr);
    }
    if (r == 0) {
        schema->root = document->node;
        r = compile_queue(schema, reterr);
    }
    mcph_map_done(&schema->resources);
    mcph_map_done(&schema->anchors);
    mcph_map_done(&schema->nodes);
    mcph_map_done(&schema->targets);
    mcph_map_done(&schema->members);
    schema->state = r < 0 ? SCHEMA_BROKEN : SCHEMA_READY;
    mcph_schema_drop_function(schema);
    return r;
}
