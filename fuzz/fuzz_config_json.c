/* SPDX-License-Identifier: MIT
 *
 * fuzz_config_json.c - reads any bytes as a JSON document, with and without comments.
 *
 * The reader must read a text, or refuse the text with exactly one report.  If the reader
 * accepts a text with comments forbidden, it must give an equal document with comments
 * allowed.  No map may have a key twice.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static int
count_errors(int severity, const char *key, int line, int column, const char *text,
             void *arg)
{
    int *n = arg;

    must(severity == MCPHOST_DIAGNOSTIC_ERROR);
    must(key && text && *text && line >= 1 && column >= 1);
    ++*n;
    return 0;
}

static bool
is_container(const struct mcph_node *node)
{
    return node->kind == MCPH_NODE_LIST || node->kind == MCPH_NODE_MAP;
}

static void
walk(const struct mcph_node *node, int depth)
{
    must(depth <= MCPH_DOC_DEPTH_MAX && node->line >= 1 && node->column >= 1);
    must(is_container(node) == !node->text);
    if (node->text) {
        must(strlen(node->text) == node->len && node->n == 0);
        must(mcph_utf8_valid(node->text, node->len, NULL));
    }
    for (size_t i = 0; i < node->n; i++) {
        if (node->kind == MCPH_NODE_MAP)
            must(mcph_node_get(node, node->keys[i]->text) == node->items[i]);
        walk(node->items[i], depth + 1);
    }
}

static void
same(const struct mcph_node *a, const struct mcph_node *b)
{
    must(a->kind == b->kind && a->line == b->line && a->column == b->column);
    must(a->n == b->n && a->len == b->len);
    must(!a->text || memcmp(a->text, b->text, a->len) == 0);
    for (size_t i = 0; i < a->n; i++)
        same(a->items[i], b->items[i]);
}

static struct mcph_doc *
parse(const uint8_t *data, size_t size, unsigned flags)
{
    struct mcph_doc *doc = NULL;
    int n_errors = 0;
    int r = mcph_json_parse((const char *)data, size, MCPH_JSON_DOC_SIZE, flags,
                            count_errors, &n_errors, &doc);

    must((r == 0) == (doc != NULL) && n_errors == (r == 0 ? 0 : 1));
    if (doc)
        walk(doc->root, 1);
    return doc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcph_doc *strict = parse(data, size, 0);
    struct mcph_doc *relaxed = parse(data, size, MCPH_JSON_DOC_RELAXED);

    must(!strict || relaxed);
    if (strict)
        same(strict->root, relaxed->root);
    mcph_doc_free(strict);
    mcph_doc_free(relaxed);
    return 0;
}
