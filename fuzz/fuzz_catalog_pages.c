/* SPDX-License-Identifier: MIT
 *
 * fuzz_catalog_pages.c - makes blocks, a catalog and its lists from pages of tools/list.
 *
 * Each line of the input that is a JSON array is a page.  Two servers get the pages.  For
 * any input, two tools must not have the same name.  Every list in every shape must be
 * JSON, with one element for each tool, under the tool's name.  Every element of the
 * pages must be a tool or have a finding.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "client/client.h"
#include "config/config.h"

#define PAGES_MAX 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int holds)
{
    if (!holds)
        abort();
}

static size_t
cut_pages(const char *data, size_t size, struct mcph_client_page *pages)
{
    size_t n = 0;

    while (size && n < PAGES_MAX) {
        const char *end = memchr(data, '\n', size);
        size_t len = end ? (size_t)(end - data) : size;
        struct mcph_frame *frame = mcph_frame_new(data, len);

        must(frame != NULL);
        if (mcph_json_check(mcph_frame_span(frame), 0, &pages[n].items, NULL) == 0 &&
            mcph_json_type(pages[n].items) == MCPH_JSON_ARRAY)
            pages[n++].frame = frame;
        else
            mcph_frame_unref(frame);
        len += end != NULL;
        data += len;
        size -= len;
    }
    return n;
}

static struct mcph_block *
publish(struct mcph_listing *listing, const char *id, const char *prefix,
        const char *blacklist)
{
    struct mcph_spec *spec = mcph_spec_new(id, "fuzz");
    struct mcph_block *block = NULL;

    must(spec != NULL);
    spec->command = mcph_strdup("true");
    spec->cwd = mcph_strdup("/");
    spec->filter = mcph_filter_new();
    spec->transform = mcph_transform_new();
    must(mcph_filter_add(spec->filter, MCPH_FILTER_BLACKLIST, blacklist,
                         strlen(blacklist)) == 0);
    must(mcph_transform_add(spec->transform, MCPH_TRANSFORM_PREFIX, prefix,
                            strlen(prefix), NULL, 0) == 0);
    must(mcph_spec_seal(spec) == 0);
    must(mcph_block_new_server(spec, NULL, listing, &block, NULL) == 0);
    mcph_spec_unref(spec);
    return block;
}

static void
check_list(mcphost_catalog *catalog, int shape)
{
    struct mcph_json_iter it;
    struct mcph_span value, name;
    const char *json;
    size_t len, i = 0;

    must(mcphost_catalog_get_tools_json(catalog, shape, NULL, &json, &len, NULL) == 0);
    must(mcph_json_check(mcph_span(json, len), 0, NULL, NULL) == 0);
    mcph_json_iter_init(&it, mcph_span(json, len));
    for (; mcph_json_iter_next(&it, NULL, &value); i++) {
        mcphost_tool *tool = mcphost_catalog_get_tool(catalog, i);

        must(tool != NULL);
        if (shape == MCPHOST_SHAPE_OPENAI_CHAT)
            value = mcph_json_get(value, "function");
        name = mcph_json_get(value, "name");
        must(mcph_json_string_is(name, mcphost_tool_get_name(tool),
                                 strlen(mcphost_tool_get_name(tool))));
    }
    must(i == mcphost_catalog_count_tools(catalog));
}

static void
check_findings(const mcphost_catalog *catalog)
{
    struct mcph_buf buf;

    for (size_t i = 0; i < catalog->findings.n; i++) {
        mcph_buf_init(&buf, 1 << 16);
        must(mcph_finding_add_detail(&buf, catalog->findings.items[i]) == 0);
        must(mcph_json_check(mcph_span(buf.data, buf.len), 0, NULL, NULL) == 0);
        mcph_buf_clear(&buf);
        must(mcph_finding_add_id(&buf, catalog->findings.items[i]) == 0);
        must(mcph_utf8_valid(buf.data, buf.len, NULL));
        mcph_buf_clear(&buf);
        must(mcph_finding_add_message(&buf, catalog->findings.items[i]) == 0);
        must(memchr(buf.data, '\n', buf.len) == NULL);
        mcph_buf_done(&buf);
    }
}

/* Counts the tools that are missing according to the findings. */
static size_t
count_lost(const mcphost_catalog *catalog)
{
    size_t n = 0;

    for (size_t i = 0; i < catalog->findings.n; i++) {
        const struct mcph_finding *finding = catalog->findings.items[i];

        n += finding->kind == MCPH_FINDING_MORE ? finding->more
                                                : finding->kind != MCPH_FINDING_CUT;
    }
    return n;
}

static void
check_catalog(struct mcph_listing *listing)
{
    struct mcph_block *blocks[2] = {publish(listing, "one", "", "x*"),
                                    publish(listing, "two", "p_", "y*")};
    struct mcph_offer offers[2] = {{.block = blocks[0]}, {.block = blocks[1]}};
    mcphost_catalog *catalog = NULL;

    must(mcph_catalog_new(1, NULL, offers, 2, &catalog, NULL) == 0);
    must(mcphost_catalog_count_tools(catalog) + count_lost(catalog) == 2 * listing->n);
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++) {
        mcphost_tool *tool = mcphost_catalog_get_tool(catalog, i);
        size_t len;

        must(mcphost_catalog_find_tool(catalog, mcphost_tool_get_name(tool)) == tool);
        must(*mcphost_tool_get_input_schema(tool, &len) == '{');
        mcphost_tool_get_description(tool, &len);
        mcphost_tool_get_title(tool, &len);
        mcphost_tool_get_annotations(tool, &len);
    }
    for (int shape = 0; shape < MCPH_N_SHAPES; shape++)
        check_list(catalog, shape);
    check_findings(catalog);
    mcphost_catalog_unref(catalog);
    mcph_block_unref(blocks[0]);
    mcph_block_unref(blocks[1]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcph_client_page pages[PAGES_MAX] = {{0}};
    size_t n = cut_pages((const char *)data, size, pages);
    struct mcph_listing *listing = NULL, *again = NULL;

    if (mcph_listing_new(MCPH_LIST_TOOLS, pages, n, 2000, 100, &listing, NULL) == 0) {
        must(mcph_listing_new(MCPH_LIST_TOOLS, pages, n, 2000, 100, &again, NULL) == 0);
        must(mcph_listing_equal(listing, again));
        check_catalog(listing);
    }
    mcph_listing_unref(listing);
    mcph_listing_unref(again);
    for (size_t i = 0; i < n; i++)
        mcph_frame_unref(pages[i].frame);
    return 0;
}
