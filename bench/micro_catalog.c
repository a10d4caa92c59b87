/* SPDX-License-Identifier: MIT
 *
 * micro_catalog.c - measures a catalog: making it from pages, looking up names, and
 * listing tools.
 *
 *     build/bench/micro_catalog [--json]
 *
 * A tool has about 500 bytes, a common size of real tools.  A page has at most 1,000
 * tools.  A time is the best of several runs.  The memory figure is the growth of the
 * memory that malloc has in use, including the pages.  The goals are 20 ms for a catalog
 * of 10,000 tools, a growth of 1.6 times the JSON, and 0.1 us for a lookup, both among
 * 100 tools and among 10,000 tools.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "catalog/catalog.h"
#include "client/client.h"
#include "config/config.h"

#define PAGE    1000
#define PAGES   10
#define RUNS    15
#define LOOKUPS 2000000

struct rig {
    struct mcph_client_page pages[PAGES];
    size_t n_pages, bytes;
    struct mcph_spec *spec;
};

struct cost {
    double listing_ms, block_ms, catalog_ms, list_ms[MCPH_N_SHAPES], lookup_ns;
    size_t memory;
};

static void *
must(void *p)
{
    if (!p) {
        fputs("micro_catalog: out of memory\n", stderr);
        abort();
    }
    return p;
}

static double
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void
best(double *ms, double since)
{
    double took = now_ms() - since;

    if (*ms == 0 || took < *ms)
        *ms = took;
}

static size_t
in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static struct mcph_frame *
make_page(int first, int n)
{
    struct mcph_frame *frame;
    struct mcph_buf buf;

    mcph_buf_init(&buf, (size_t)16 << 20);
    mcph_buf_addc(&buf, '[');
    for (int i = first; i < first + n; i++)
        mcph_buf_addf(
            &buf,
            "%s{\"name\":\"group_%d_tool_%05d\",\"title\":\"Tool %d\",\"description\":"
            "\"Does the thing of number %d.\\nTakes a path and a count; returns what it "
            "found as text.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
            "\"path\":{\"type\":\"string\",\"description\":\"Where to look, relative to "
            "the workspace\"},\"count\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":"
            "100,\"default\":10,\"description\":\"How many to return\"}},\"required\":["
            "\"path\"],\"additionalProperties\":false},\"annotations\":{\"readOnlyHint\":"
            "true,\"openWorldHint\":false}}",
            i > first ? "," : "", i % 17, i, i, i);
    mcph_buf_addc(&buf, ']');
    frame = must(buf.err ? NULL : mcph_frame_new(buf.data, buf.len));
    mcph_buf_done(&buf);
    return frame;
}

static void
rig_up(struct rig *rig, int tools)
{
    *rig = (struct rig){.spec = must(mcph_spec_new("bench", "bench"))};
    for (int first = 0; first < tools; first += PAGE) {
        struct mcph_client_page *page = &rig->pages[rig->n_pages++];

        page->frame = make_page(first, tools - first < PAGE ? tools - first : PAGE);
        page->items = mcph_frame_span(page->frame);
        rig->bytes += page->frame->len;
    }
    rig->spec->command = must(mcph_strdup("true"));
    rig->spec->cwd = must(mcph_strdup("/"));
    rig->spec->filter = must(mcph_filter_new());
    rig->spec->transform = must(mcph_transform_new());
    mcph_filter_add(rig->spec->filter, MCPH_FILTER_BLACKLIST, "*_unsafe", 8);
    mcph_transform_add(rig->spec->transform, MCPH_TRANSFORM_PREFIX, "bench_", 6, NULL, 0);
    if (mcph_spec_seal(rig->spec) < 0)
        must(NULL);
}

static void
rig_down(struct rig *rig)
{
    for (size_t i = 0; i < rig->n_pages; i++)
        mcph_frame_unref(rig->pages[i].frame);
    mcph_spec_unref(rig->spec);
}

static mcphost_catalog *
publish(const struct rig *rig, struct cost *cost)
{
    struct mcph_listing *listing = NULL;
    struct mcph_block *block = NULL;
    mcphost_catalog *catalog = NULL;
    double since = now_ms();

    mcph_listing_new(MCPH_LIST_TOOLS, rig->pages, rig->n_pages, 0, 0, &listing, NULL);
    must(listing);
    best(&cost->listing_ms, since);
    since = now_ms();
    mcph_block_new_server(rig->spec, NULL, listing, &block, NULL);
    must(block);
    best(&cost->block_ms, since);
    since = now_ms();
    mcph_catalog_new(1, NULL, &(struct mcph_offer){.block = block}, 1, &catalog, NULL);
    must(catalog);
    best(&cost->catalog_ms, since);
    mcph_listing_unref(listing);
    mcph_block_unref(block);
    return catalog;
}

/* Returns the time of one lookup.  Looks up every name, in an order that the processor
 * cannot predict.  The names to look up are consecutive in memory, so that only the
 * lookup itself causes cache misses. */
static double
lookup_ns(const mcphost_catalog *catalog)
{
    size_t n = mcphost_catalog_count_tools(catalog), at = 0, found = 0, passes;
    char(*names)[48] = must(calloc(n, sizeof(*names)));
    double ms = 0, since;

    for (size_t i = 0; i < n; i++, at = (at + 7919) % n)
        snprintf(names[i], sizeof(names[i]), "%s",
                 mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, at)));
    passes = LOOKUPS / n / RUNS;
    for (int run = 0; run < RUNS; run++) {
        since = now_ms();
        for (size_t pass = 0; pass < passes; pass++)
            for (size_t i = 0; i < n; i++)
                found += mcphost_catalog_find_tool(catalog, names[i]) != NULL;
        best(&ms, since);
    }
    if (found != passes * n * RUNS)
        abort();
    free(names);
    return ms * 1e6 / (double)(passes * n);
}

static struct cost
measure(int tools, size_t *ret_bytes)
{
    size_t before = in_use(), len;
    struct cost cost = {0};
    mcphost_catalog *catalog;
    const char *json;
    struct rig rig;
    double since;

    rig_up(&rig, tools);
    *ret_bytes = rig.bytes;
    catalog = publish(&rig, &cost);
    cost.memory = in_use() - before;
    cost.lookup_ns = lookup_ns(catalog);
    for (int run = 0; run < RUNS; run++) {
        mcphost_catalog_unref(catalog);
        catalog = publish(&rig, &cost);
        for (int shape = 0; shape < MCPH_N_SHAPES; shape++) {
            since = now_ms();
            if (mcphost_catalog_get_tools_json(catalog, shape, NULL, &json, &len, NULL))
                must(NULL);
            best(&cost.list_ms[shape], since);
        }
    }
    mcphost_catalog_unref(catalog);
    rig_down(&rig);
    return cost;
}

int
main(int argc, char **argv)
{
    static const int sizes[] = {100, 1000, 10000};
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    size_t bytes;

    /* Discard the first result, because libraries allocate some memory only once. */
    measure(1, &bytes);
    if (!json)
        printf("%6s %9s %8s %8s %8s %8s %8s %9s %9s\n", "tools", "JSON", "listing",
               "block", "catalog", "total", "memory", "lookup", "list");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(sizes); i++) {
        struct cost c = measure(sizes[i], &bytes);
        double total = c.listing_ms + c.block_ms + c.catalog_ms;

        printf(json
                   ? "{\"tools\":%d,\"bytes\":%zu,\"listing_ms\":%.3f,\"block_ms\":%.3f,"
                     "\"catalog_ms\":%.3f,\"total_ms\":%.3f,\"memory_ratio\":%.2f,"
                     "\"lookup_ns\":%.1f,\"openai_list_ms\":%.3f}\n"
                   : "%6d %8zuB %6.2fms %6.2fms %6.2fms %6.2fms %7.2fx %7.1fns %7.2fms\n",
               sizes[i], bytes, c.listing_ms, c.block_ms, c.catalog_ms, total,
               (double)c.memory / (double)bytes, c.lookup_ns,
               c.list_ms[MCPHOST_SHAPE_OPENAI_CHAT]);
    }
    return 0;
}
