/* SPDX-License-Identifier: MIT
 *
 * catalog.c - listings, blocks and catalogs made from texts, for tests.
 */
#include "support/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "support/runner.h"

#define PAGES_MAX 64

struct mcph_listing *
catrig_pages(const char *const *tools, size_t n)
{
    struct mcph_client_page pages[PAGES_MAX] = {0};
    struct mcph_listing *listing = NULL;

    ck_assert_uint_le(n, PAGES_MAX);
    for (size_t i = 0; i < n; i++) {
        pages[i].frame = mcph_frame_new(tools[i], strlen(tools[i]));
        ck_assert_ptr_nonnull(pages[i].frame);
        ck_assert_int_eq(
            mcph_json_check(mcph_frame_span(pages[i].frame), 0, &pages[i].items, NULL),
            0);
    }
    ck_assert_int_eq(mcph_listing_new(MCPH_LIST_TOOLS, pages, n, 0, 0, &listing, NULL),
                     0);
    for (size_t i = 0; i < n; i++)
        mcph_frame_unref(pages[i].frame);
    return listing;
}

struct mcph_listing *
catrig_listing(const char *tools)
{
    return catrig_pages(&tools, 1);
}

/* Calls `each` with each word of a text. */
static void
words(const char *text, void (*each)(const char *word, size_t len, void *arg), void *arg)
{
    while (text && *text) {
        size_t len = strcspn(text, " ");

        if (len)
            each(text, len, arg);
        text += len + (text[len] == ' ');
    }
}

static void
add_tool(const char *word, size_t len, void *arg)
{
    struct mcph_buf *buf = arg;

    mcph_json_add_comma(buf);
    mcph_buf_addf(buf,
                  "{\"name\":\"%.*s\",\"description\":\"does %.*s\","
                  "\"inputSchema\":{\"type\":\"object\"}}",
                  (int)len, word, (int)len, word);
}

char *
catrig_tools(const char *names)
{
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, 1 << 20);
    mcph_buf_addc(&buf, '[');
    words(names, add_tool, &buf);
    mcph_buf_addc(&buf, ']');
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(text);
    return text;
}

struct patterns {
    mcphost_filter *filter;
    int list;
};

static void
add_pattern(const char *word, size_t len, void *arg)
{
    struct patterns *patterns = arg;

    ck_assert_int_eq(mcph_filter_add(patterns->filter, patterns->list, word, len), 0);
}

struct mcph_spec *
catrig_spec(const char *id, const char *whitelist, const char *blacklist,
            const char *prefix)
{
    struct mcph_spec *spec = mcph_spec_new(id, "test");
    struct patterns patterns = {.list = MCPH_FILTER_WHITELIST};

    ck_assert_ptr_nonnull(spec);
    spec->command = mcph_strdup("true");
    spec->cwd = mcph_strdup("/");
    spec->filter = patterns.filter = mcph_filter_new();
    words(whitelist, add_pattern, &patterns);
    patterns.list = MCPH_FILTER_BLACKLIST;
    words(blacklist, add_pattern, &patterns);
    spec->transform = mcph_transform_new();
    if (prefix)
        ck_assert_int_eq(mcph_transform_add(spec->transform, MCPH_TRANSFORM_PREFIX,
                                            prefix, strlen(prefix), NULL, 0),
                         0);
    ck_assert_int_eq(mcph_spec_seal(spec), 0);
    return spec;
}

struct mcph_block *
catrig_server_under(struct mcph_spec *spec, const char *tools)
{
    struct mcph_listing *listing = tools ? catrig_listing(tools) : NULL;
    struct mcph_block *block = NULL;

    ck_assert_int_eq(mcph_block_new_server(spec, NULL, listing, &block, NULL), 0);
    mcph_listing_unref(listing);
    mcph_spec_unref(spec);
    return block;
}

struct mcph_block *
catrig_server(const char *id, const char *tools)
{
    return catrig_server_under(catrig_spec(id, NULL, NULL, NULL), tools);
}

struct mcph_block *
catrig_server_named(const char *id, const char *names)
{
    char *tools = catrig_tools(names);
    struct mcph_block *block = catrig_server(id, tools);

    free(tools);
    return block;
}

#define BUILTINS_MAX 16

struct builtins {
    char *names[BUILTINS_MAX], *texts[BUILTINS_MAX];
    struct mcph_span definitions[BUILTINS_MAX];
    size_t n;
};

static void
add_builtin(const char *word, size_t len, void *arg)
{
    struct builtins *b = arg;
    size_t i = b->n++;

    ck_assert_uint_lt(i, BUILTINS_MAX);
    b->names[i] = mcph_strndup(word, len);
    b->texts[i] = mcph_asprintf("{\"name\":\"%s\",\"description\":\"built in\","
                                "\"inputSchema\":{\"type\":\"object\"}}",
                                b->names[i]);
    b->definitions[i] = mcph_span_str(b->texts[i]);
}

struct mcph_block *
catrig_builtins(const char *owner, const char *names,
                const struct mcph_toolset_draft *sets, size_t n_sets)
{
    struct builtins b = {.n = 0};
    struct mcph_block *block = NULL;

    words(names, add_builtin, &b);
    ck_assert_int_eq(
        mcph_block_new_builtin(owner, b.definitions, b.n, sets, n_sets, &block, NULL), 0);
    for (size_t i = 0; i < b.n; i++) {
        free(b.names[i]);
        free(b.texts[i]);
    }
    return block;
}

struct mcph_block *
catrig_builtin(const char *toolset, const char *names)
{
    struct builtins b = {.n = 0};
    struct mcph_toolset_draft set = {.name = toolset};
    struct mcph_block *block;

    words(names, add_builtin, &b);
    set.tools = (const char *const *)b.names;
    set.n_tools = b.n;
    block = catrig_builtins(toolset, names, &set, 1);
    for (size_t i = 0; i < b.n; i++) {
        free(b.names[i]);
        free(b.texts[i]);
    }
    return block;
}

mcphost_catalog *
catrig_catalog_after(const mcphost_catalog *before, struct mcph_block *const *blocks,
                     size_t n, enum catrig_collision policy)
{
    struct mcph_offer offers[32];
    mcphost_catalog *catalog = NULL;

    ck_assert_uint_le(n, 32);
    for (size_t i = 0; i < n; i++)
        offers[i] = (struct mcph_offer){
            .block = blocks[i], .keeps_names = true, .whole = policy == RIG_REJECT};
    ck_assert_int_eq(mcph_catalog_new(1, before, offers, n, &catalog, NULL), 0);
    return catalog;
}

mcphost_catalog *
catrig_catalog_of(struct mcph_block *const *blocks, size_t n,
                  enum catrig_collision policy)
{
    return catrig_catalog_after(NULL, blocks, n, policy);
}

mcphost_catalog *
catrig_catalog(struct mcph_block *first, ...)
{
    struct mcph_block *blocks[16] = {NULL}, *block = first;
    mcphost_catalog *catalog;
    size_t n = 0;
    va_list ap;

    va_start(ap, first);
    for (; block; block = va_arg(ap, struct mcph_block *)) {
        ck_assert_uint_lt(n, MCPH_ARRAY_SIZE(blocks));
        blocks[n++] = block;
    }
    va_end(ap);
    catalog = catrig_catalog_of(blocks, n, RIG_SKIP);
    while (n)
        mcph_block_unref(blocks[--n]);
    return catalog;
}

char *
catrig_finding_ids(const mcphost_catalog *catalog)
{
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < catalog->findings.n; i++) {
        mcph_finding_add_id(&buf, catalog->findings.items[i]);
        mcph_buf_addc(&buf, '\n');
    }
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(text);
    return text;
}

char *
catrig_tool_names(const mcphost_catalog *catalog)
{
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++)
        mcph_buf_addf(&buf, "%s ",
                      mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, i)));
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(text);
    return text;
}

const char *
catrig_json(mcphost_catalog *catalog, int shape, const char *toolset)
{
    const char *json = NULL;
    size_t len = 0;

    ck_assert_int_eq(
        mcphost_catalog_get_tools_json(catalog, shape, toolset, &json, &len, NULL), 0);
    ck_assert_uint_eq(strlen(json), len);
    return json;
}

void
catrig_same(char *text, const char *want)
{
    ck_assert_str_eq(text, want);
    free(text);
}
