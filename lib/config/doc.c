/* SPDX-License-Identifier: MIT
 *
 * doc.c - a document as a tree of nodes with line and column, for YAML and JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

/* The bytes of text that weigh as much as one node.  A long text weighs more than one
 * node, because otherwise a few aliases to a long text could expand to gigabytes. */
#define BYTES_PER_WEIGHT 100

int
mcph_doc_add(struct mcph_doc *doc, int kind, int line, int column,
             struct mcph_node **ret_node)
{
    struct mcph_node *node = calloc(1, sizeof(*node));

    if (!node)
        return MCPHOST_E_NOMEM;
    if (mcph_vec_add(&doc->nodes, node) < 0) {
        free(node);
        return MCPHOST_E_NOMEM;
    }
    node->kind = kind;
    node->line = line;
    node->column = column;
    node->weight = 1;
    node->height = 1;
    *ret_node = node;
    return 0;
}

int
mcph_node_set_text(struct mcph_node *node, struct mcph_span text)
{
    char *copy = mcph_strndup(text.p, text.len);

    if (!copy)
        return MCPHOST_E_NOMEM;
    mcph_str_wipe(node->text);
    node->text = copy;
    node->len = text.len;
    node->weight += text.len / BYTES_PER_WEIGHT;
    return 0;
}

int
mcph_node_add(struct mcph_node *node, struct mcph_node *key, struct mcph_node *item)
{
    /* Double the capacity at each power of two. */
    if ((node->n & (node->n - 1)) == 0) {
        size_t cap = node->n ? node->n * 2 : 1;
        struct mcph_node **items;

        items = mcph_reallocarray(node->items, cap, sizeof(struct mcph_node *));
        if (!items)
            return MCPHOST_E_NOMEM;
        node->items = items;
        if (key) {
            items = mcph_reallocarray(node->keys, cap, sizeof(struct mcph_node *));
            if (!items)
                return MCPHOST_E_NOMEM;
            node->keys = items;
        }
    }
    if (key)
        node->keys[node->n] = key;
    node->items[node->n++] = item;
    node->weight += item->weight + (key ? 1 : 0);
    if (node->height <= item->height)
        node->height = item->height + 1;
    return 0;
}

/* Frees a document.  Wipes the texts, because the texts may be secrets. */
struct mcph_doc *
mcph_doc_free(struct mcph_doc *doc)
{
    if (!doc)
        return NULL;
    for (size_t i = 0; i < doc->nodes.n; i++) {
        struct mcph_node *node = doc->nodes.items[i];

        if (node->text)
            explicit_bzero(node->text, node->len);
        free(node->text);
        free(node->items);
        free(node->keys);
        free(node);
    }
    mcph_vec_done(&doc->nodes);
    free(doc);
    return NULL;
}

struct mcph_node *
mcph_node_get(const struct mcph_node *map, const char *key)
{
    size_t len = strlen(key);

    for (size_t i = 0; i < map->n; i++) {
        if (map->keys[i]->len == len && memcmp(map->keys[i]->text, key, len) == 0)
            return map->items[i];
    }
    return NULL;
}
