/* SPDX-License-Identifier: MIT
 *
 * fuzz_frontmatter.c - reads the front matter of any bytes as a SKILL.md.
 *
 * Reading the bytes twice must give the same front matter.  Text after the front matter
 * must not change the result.
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

static bool
same(const struct mcph_node *a, const struct mcph_node *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->n != b->n || a->len != b->len || a->line != b->line)
        return false;
    return a->n > 0 || !a->text || memcmp(a->text, b->text, a->len) == 0;
}

/* Appends bytes that are not YAML, and checks that the front matter does not change. */
static void
add_text(const char *text, size_t len, const struct mcph_doc *doc)
{
    static const char more[] = "\n\xff---\n: - [\n---\n";
    struct mcph_doc *longer = NULL;
    struct mcph_buf buf;
    int line;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_buf_add(&buf, text, len);
    mcph_buf_add(&buf, more, sizeof(more) - 1);
    must(mcph_buf_ok(&buf) == 0);
    must(mcph_front_parse(mcph_span(buf.data, buf.len), &longer, &line) == 0);
    must(same(doc->root, longer->root));
    mcph_doc_free(longer);
    mcph_buf_done(&buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = size ? (const char *)data : "";
    struct mcph_doc *doc = NULL, *again = NULL;
    int line = -1, second = -1, r;

    r = mcph_front_parse(mcph_span(text, size), &doc, &line);
    must((r == 0) == (doc != NULL));
    must(r == 0 || r == MCPHOST_E_NOTFOUND || r == MCPHOST_E_LIMIT ||
         r == MCPHOST_E_CONFIG);
    must(r != MCPHOST_E_CONFIG || (line >= 0 && (size_t)line <= size + 1));
    must(mcph_front_parse(mcph_span(text, size), &again, &second) == r);
    must(line == second);
    if (r == 0) {
        must(same(doc->root, again->root));
        add_text(text, size, doc);
    }
    mcph_doc_free(doc);
    mcph_doc_free(again);
    return 0;
}
