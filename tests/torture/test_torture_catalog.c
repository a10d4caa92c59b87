/* SPDX-License-Identifier: MIT
 *
 * test_torture_catalog.c - listings, blocks and catalogs made while memory runs out.
 *
 * Each listing, block or catalog is complete, or its function fails.  A complete result
 * has the same bytes as with enough memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "names/names.h"
#include "support/catalog.h"
#include "torture/torture.h"

static const char first_page[] =
    "[{\"name\":\"read\",\"title\":\"t\\u00edtle\",\"description\":\"reads \\\"it\\\"\","
    "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true}},"
    "{\"name\":\"read_secret\",\"inputSchema\":{}},7,{\"name\":\"no schema\"},"
    "{\"name\":\"bad name!\",\"inputSchema\":{}},{\"name\":\"write\",\"description\":"
    "\"writes\",\"inputSchema\":{\"x\":1e400}}]";
static const char second_page[] =
    "[{\"name\":\"list\",\"inputSchema\":{}},{\"inputSchema\":{}},{\"name\":\"read\","
    "\"inputSchema\":{}},{\"name\":\"twice\",\"name\":\"t\",\"inputSchema\":{}}]";
static const char other[] = "[{\"name\":\"s_read\",\"inputSchema\":{}},"
                            "{\"name\":\"own\",\"inputSchema\":{}}]";

static const char *const built_ins[] = {
    "{\"name\":\"s_write\",\"description\":\"ours\",\"inputSchema\":{}}",
    "{\"name\":\"release\",\"title\":\"Release \\\"it\\\"\",\"inputSchema\":{}}",
};
static const char *const built_in_names[] = {"s_write", "release"};
static const struct mcph_toolset_draft built_in_sets[] = {
    {"tools", "of ours", built_in_names, 2}, {"writers", NULL, built_in_names, 1}};

enum { BUILT_IN, FIRST, OTHER, CLASH, SILENT, NAMED, N_BLOCKS };

static struct mcph_spec *specs[N_BLOCKS];
static struct mcph_client_page pages[2], other_page;

/* `expected` is the output with enough memory.  `said` is the output of the latest
 * run. */
static char expected[16384], said[16384];
static size_t said_len;

static void
page_up(struct mcph_client_page *page, const char *text)
{
    page->frame = mcph_frame_new(text, strlen(text));
    ck_assert_ptr_nonnull(page->frame);
    ck_assert_int_eq(mcph_json_check(mcph_frame_span(page->frame), 0, &page->items, NULL),
                     0);
}

static void
up(void)
{
    specs[FIRST] = catrig_spec("first", "read* write list no* bad*", "*_secret", "s_");
    specs[OTHER] = catrig_spec("other", NULL, NULL, NULL);
    specs[CLASH] = catrig_spec("tools", NULL, NULL, NULL);
    specs[SILENT] = catrig_spec("silent", NULL, NULL, NULL);
    specs[NAMED] = catrig_spec("named", NULL, NULL, "n_");
    page_up(&pages[0], first_page);
    page_up(&pages[1], second_page);
    page_up(&other_page, other);
}

static void
down(void)
{
    for (size_t i = 0; i < N_BLOCKS; i++)
        specs[i] = mcph_spec_unref(specs[i]);
    pages[0].frame = mcph_frame_unref(pages[0].frame);
    pages[1].frame = mcph_frame_unref(pages[1].frame);
    other_page.frame = mcph_frame_unref(other_page.frame);
}

static void
add_output(const char *text, size_t len)
{
    torture_must(said_len + len < sizeof(said));
    if (said_len + len < sizeof(said)) {
        memcpy(said + said_len, text, len);
        said_len += len;
    }
}

/* ---- parts ------------------------------------------------------------------------- */

/* Makes the listing with a budget of 1 for each step. */
static int
list_in_steps(struct mcph_listing **ret, mcphost_error **reterr)
{
    struct mcph_listing_build *build =
        mcph_listing_begin(MCPH_LIST_TOOLS, pages, 2, 0, 40);
    int r = build ? 1 : mcph_err_nomem(reterr);

    while (r > 0) {
        size_t budget = 1;

        r = mcph_listing_step(build, &budget, ret, reterr);
    }
    mcph_listing_build_free(build);
    return r;
}

static int
decide_in_steps(struct mcph_listing *listing, struct mcph_block **ret,
                mcphost_error **reterr)
{
    struct mcph_block_build *build = mcph_block_begin(specs[FIRST], NULL, listing);
    int r = build ? 1 : MCPHOST_E_NOMEM;

    while (r > 0) {
        size_t budget = 1;

        r = mcph_block_step(build, &budget, ret);
    }
    mcph_block_build_free(build);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

static int
on_name(const char *server, const char *name, char *buffer, size_t size, void *arg)
{
    (void)arg;
    if (strcmp(name, "n_own") == 0) {
        snprintf(buffer, size, "there is one");
        return MCPHOST_E_DENIED;
    }
    snprintf(buffer, size, "%s_%s", server, name);
    return 0;
}

static int
make_blocks(struct mcph_block **blocks, struct mcph_listing *listing,
            struct mcph_listing *second)
{
    const struct mcph_naming naming = {MCPH_NAME_POLICY_CALLBACK, on_name, NULL};
    struct mcph_span definitions[MCPH_ARRAY_SIZE(built_ins)];
    mcphost_error *error = NULL;
    int r;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(built_ins); i++)
        definitions[i] = mcph_span_str(built_ins[i]);
    r = mcph_block_new_builtin("us", definitions, MCPH_ARRAY_SIZE(built_ins),
                               built_in_sets, MCPH_ARRAY_SIZE(built_in_sets),
                               &blocks[BUILT_IN], &error);
    if (r == 0)
        r = decide_in_steps(listing, &blocks[FIRST], &error);
    if (r == 0)
        r = mcph_block_new_server(specs[OTHER], NULL, second, &blocks[OTHER], &error);
    if (r == 0)
        r = mcph_block_new_server(specs[CLASH], NULL, second, &blocks[CLASH], &error);
    if (r == 0)
        r = mcph_block_new_server(specs[SILENT], NULL, NULL, &blocks[SILENT], &error);
    if (r == 0)
        r = mcph_block_new_server(specs[NAMED], &naming, second, &blocks[NAMED], &error);
    torture_must((r < 0) == (error != NULL));
    mcphost_error_unref(error);
    return r;
}

static int
make_all(struct mcph_block **blocks)
{
    struct mcph_listing *listing = NULL, *second = NULL;
    mcphost_error *error = NULL;
    int r;

    r = list_in_steps(&listing, &error);
    if (r == 0)
        r = mcph_listing_new(MCPH_LIST_TOOLS, &other_page, 1, 0, 0, &second, &error);
    torture_must((r < 0) == (error != NULL));
    mcphost_error_unref(error);
    if (r == 0)
        r = make_blocks(blocks, listing, second);
    mcph_listing_unref(listing);
    mcph_listing_unref(second);
    return r;
}

/* Appends the tool list of a toolset in one shape to the output.  If `toolset` is NULL,
 * appends the list of all tools. */
static int
say_list(mcphost_catalog *catalog, int shape, const char *toolset)
{
    mcphost_error *error = NULL;
    const char *json = NULL;
    size_t len = 0;
    int r;

    r = mcphost_catalog_get_tools_json(catalog, shape, toolset, &json, &len, &error);
    torture_must((r < 0) == (error != NULL) && (r < 0) == !json);
    if (r == 0)
        add_output(json, len);
    mcphost_error_unref(error);
    return r;
}

static int
say_lists(mcphost_catalog *catalog)
{
    int r = 0;

    for (int shape = 0; r == 0 && shape < MCPH_N_SHAPES; shape++) {
        r = say_list(catalog, shape, NULL);
        for (size_t i = 0; r == 0 && i < mcphost_catalog_count_toolsets(catalog); i++)
            r = say_list(catalog, shape, mcphost_catalog_get_toolset(catalog, i));
    }
    return r;
}

static int
say_findings(const mcphost_catalog *catalog)
{
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, 65536);
    for (size_t i = 0; i < catalog->findings.n; i++) {
        mcph_finding_add_id(&buf, catalog->findings.items[i]);
        mcph_finding_add_detail(&buf, catalog->findings.items[i]);
        mcph_finding_add_message(&buf, catalog->findings.items[i]);
    }
    r = mcph_buf_ok(&buf);
    if (r == 0)
        add_output(buf.data, buf.len);
    mcph_buf_done(&buf);
    return r;
}

/* Appends the texts of a tool to the output.  A getter allocates a copy of its text at
 * its first call. */
static int
say_tool(const mcphost_tool *tool)
{
    static const char *(*const getters[])(const mcphost_tool *tool, size_t *ret_len) = {
        mcphost_tool_get_title, mcphost_tool_get_description,
        mcphost_tool_get_input_schema, mcphost_tool_get_annotations,
        mcphost_tool_get_definition};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(getters); i++) {
        size_t len = 0;
        const char *text = getters[i](tool, &len);

        torture_must(!text || text[len] == '\0');
        if (!text && len > 0)
            return MCPHOST_E_NOMEM;
        if (text)
            add_output(text, len);
    }
    return 0;
}

static int
build_catalogs(struct mcph_block **blocks, enum catrig_collision policy)
{
    struct mcph_offer offers[N_BLOCKS];
    mcphost_catalog *before = NULL, *catalog = NULL;
    mcphost_error *error = NULL;
    int r;

    for (size_t i = 0; i < N_BLOCKS; i++)
        offers[i] = (struct mcph_offer){
            .block = blocks[i], .keeps_names = true, .whole = policy == RIG_REJECT};
    r = mcph_catalog_new(1, NULL, offers, N_BLOCKS, &before, NULL);
    if (r == 0)
        r = mcph_catalog_new(2, before, offers, N_BLOCKS, &catalog, &error);
    torture_must((r < 0) == (error != NULL || !before) && (r < 0) == !catalog);
    mcphost_error_unref(error);
    mcph_catalog_unref(before);
    if (r == 0) {
        torture_must(mcphost_catalog_find_tool(catalog, "s_read") != NULL);
        r = say_lists(catalog);
    }
    if (r == 0)
        r = say_findings(catalog);
    if (r == 0)
        r = say_tool(mcphost_catalog_find_tool(catalog, "s_read"));
    mcph_catalog_unref(catalog);
    return r;
}

static int
publish(void)
{
    struct mcph_block *blocks[N_BLOCKS] = {NULL};
    int r;

    said_len = 0;
    r = make_all(blocks);
    if (r == 0)
        r = build_catalogs(blocks, RIG_SKIP);
    if (r == 0)
        r = build_catalogs(blocks, RIG_REJECT);
    said[said_len] = '\0';
    if (r == 0 && expected[0])
        torture_must(strcmp(said, expected) == 0);
    for (size_t i = 0; i < N_BLOCKS; i++)
        mcph_block_unref(blocks[i]);
    return r;
}

START_TEST(a_catalog_is_built_completely_or_fails_with_e_nomem) /* R26, R28 */
{
    expected[0] = '\0';
    ck_assert_int_eq(publish(), 0);
    memcpy(expected, said, sizeof(expected));
    ck_assert_ptr_nonnull(strstr(expected, "tool_collision"));
    ck_assert_ptr_nonnull(strstr(expected, "named_n_s_read"));
    ck_assert_ptr_nonnull(strstr(expected, "there is one"));
    torture_run(&(struct torture){.run = publish, .least = 100},
                _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

/* ---- a list of tools that is written again after a failure ------------------------- */

static mcphost_catalog *catalog;

static int
list_again(void)
{
    struct mcph_block *blocks[2];
    int r;

    failing_pause();
    blocks[0] = catrig_server_named("a", "one two");
    blocks[1] = catrig_server_named("b", "two three");
    catalog = catrig_catalog_of(blocks, 2, RIG_SKIP);
    mcph_block_unref(blocks[0]);
    mcph_block_unref(blocks[1]);
    failing_resume();
    said_len = 0;
    for (int i = 0; i < MCPH_N_SHAPES; i++) {
        r = say_list(catalog, i, NULL);
        if (r == MCPHOST_E_NOMEM)
            r = say_list(catalog, i, NULL);
        torture_must(r == 0);
    }
    said[said_len] = '\0';
    if (expected[0])
        torture_must(strcmp(said, expected) == 0);
    catalog = mcphost_catalog_unref(catalog);
    return 0;
}

START_TEST(a_tool_list_that_failed_without_memory_succeeds_at_the_next_call)
{
    expected[0] = '\0';
    (void)list_again();
    memcpy(expected, said, sizeof(expected));
    torture_run(&(struct torture){.run = list_again, .least = 10, .recovers = true},
                FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "views");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_catalog_is_built_completely_or_fails_with_e_nomem, 0, 2);
    tcase_add_test(tc, a_tool_list_that_failed_without_memory_succeeds_at_the_next_call);
}

int
main(void)
{
    return torture_main("torture-catalog", add);
}
