/* SPDX-License-Identifier: MIT
 *
 * test_catalog_more.c - prompts, resources and resource templates in listings, blocks and
 * catalogs.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "names/names.h"
#include "support/catalog.h"
#include "support/conf.h"
#include "support/runner.h"

static struct mcph_spec *spec;
static struct mcph_block *tools, *more[MCPH_LIST_KINDS];
static mcphost_catalog *catalog;

static void
set_spec(const char *keys)
{
    mcphost_config *config;
    char body[1024];

    snprintf(body, sizeof(body), "transport: stdio\ncommand: c\n%s", keys);
    config = conf_load_server(body);
    ck_assert_str_eq(conf_diags(config), "");
    spec = mcph_spec_ref(((struct mcph_config_server *)config->servers.items[0])->spec);
    mcph_config_unref(config);
}

static struct mcph_block *
block_under(struct mcph_spec *under, int kind, const char *items)
{
    struct mcph_frame *frame = mcph_frame_new(items, strlen(items));
    struct mcph_client_page page = {.frame = frame, .items = mcph_frame_span(frame)};
    struct mcph_listing *listing = NULL;
    struct mcph_block *block = NULL;

    ck_assert_int_eq(mcph_listing_new(kind, &page, 1, 0, 0, &listing, NULL), 0);
    ck_assert_int_eq(mcph_block_new_server(under, NULL, listing, &block, NULL), 0);
    mcph_listing_unref(listing);
    mcph_frame_unref(frame);
    return block;
}

/* Makes a catalog with one server `x`.  The server has the configuration keys `keys` and
 * offers `items` of one kind. */
static void
offer(const char *keys, int kind, const char *items)
{
    struct mcph_offer one = {.keeps_names = true};

    set_spec(keys);
    tools = block_under(spec, MCPH_LIST_TOOLS, "[]");
    more[kind] = block_under(spec, kind, items);
    one.block = tools;
    one.more[kind] = more[kind];
    ck_assert_int_eq(mcph_catalog_new(1, NULL, &one, 1, &catalog, NULL), 0);
}

static void
down(void)
{
    catalog = mcph_catalog_unref(catalog);
    tools = mcph_block_unref(tools);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        more[kind] = mcph_block_unref(more[kind]);
    spec = mcph_spec_unref(spec);
}

static const char *
uri_at(size_t i)
{
    return mcphost_resource_get_uri(mcphost_catalog_get_resource(catalog, i));
}

static const char *
id_at(size_t i)
{
    return mcphost_resource_get_id(mcphost_catalog_get_resource(catalog, i));
}

/* ---- resources --------------------------------------------------------------------- */

static const char two[] =
    "[{\"uri\":\"file:///a b#c\",\"name\":\"A b\",\"title\":\"T\",\"description\":\"D\","
    "\"mimeType\":\"text/plain\",\"size\":12,\"annotations\":{\"priority\":1},"
    "\"icons\":[],\"_meta\":{\"x\":1}},{\"uri\":\"x:\\u00e9\\/\",\"name\":\"\\u00e9\"}]";

START_TEST(a_resource_has_all_members_of_its_definition) /* R157 R158 */
{
    mcphost_resource *r;
    const char *json;
    size_t len = 0;

    offer("", MCPH_LIST_RESOURCES, two);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), 2);
    r = mcphost_resource_ref(
        mcphost_catalog_find_resource(catalog, "x", "file:///a b#c"));
    ck_assert_ptr_eq(r, mcphost_catalog_get_resource(catalog, 0));
    ck_assert_str_eq(mcphost_resource_get_uri(r), "file:///a b#c");
    ck_assert_str_eq(mcphost_resource_get_id(r), "A_b");
    ck_assert_str_eq(mcphost_resource_get_name(r, &len), "A b");
    ck_assert_str_eq(mcphost_resource_get_title(r, &len), "T");
    ck_assert_str_eq(mcphost_resource_get_description(r, &len), "D");
    ck_assert_str_eq(mcphost_resource_get_mime_type(r, &len), "text/plain");
    ck_assert_uint_eq(len, 10);
    ck_assert_int_eq(mcphost_resource_get_size(r), 12);
    ck_assert_str_eq(mcphost_resource_get_annotations(r, &len), "{\"priority\":1}");
    ck_assert_ptr_nonnull(strstr(mcphost_resource_get_definition(r, &len), "\"_meta\""));
    ck_assert_str_eq(mcphost_resource_get_id(r), "A_b");
    ck_assert_str_eq(mcphost_resource_get_server_id(r), "x");
    ck_assert_str_eq(mcphost_resource_get_toolset(r), "x");
    ck_assert_ptr_null(mcphost_resource_get_source_id(r));
    ck_assert_int_eq(mcphost_catalog_get_resources_json(catalog, "x", &json, &len, NULL),
                     0);
    ck_assert_str_eq(json, two);
    catalog = mcph_catalog_unref(catalog);
    ck_assert_str_eq(mcphost_resource_get_name(r, NULL), "A b");
    mcphost_resource_unref(r);
}
END_TEST

START_TEST(a_resource_is_found_by_its_decoded_uri) /* R156 */
{
    offer("", MCPH_LIST_RESOURCES, two);
    ck_assert_str_eq(uri_at(1), "x:\xc3\xa9/");
    ck_assert_ptr_eq(mcphost_catalog_find_resource(catalog, "x", "x:\xc3\xa9/"),
                     mcphost_catalog_get_resource(catalog, 1));
    ck_assert_ptr_null(mcphost_catalog_find_resource(catalog, "x", "x:\\u00e9\\/"));
    ck_assert_ptr_null(mcphost_catalog_find_resource(catalog, "y", "x:\xc3\xa9/"));
    ck_assert_str_eq(id_at(1), "resource");
    ck_assert_int_eq(mcphost_resource_get_size(mcphost_catalog_get_resource(catalog, 1)),
                     -1);
}
END_TEST

/* Each case has keys of the server's configuration, the resources that the server lists,
 * the URIs of the resources that the catalog keeps, and the findings. */
static const struct {
    const char *keys, *items, *left, *findings;
} cases[] = {
    {"", "[{\"uri\":\"file\",\"name\":\"a\"},{\"uri\":\"f:b\"}]", "f:b ",
     "mcp/server/x/resource_invalid_name/file\n"},
    {"",
     "[{\"uri\":\"f:\\u0000\"},{\"uri\":\"\"},{\"uri\":1},{\"name\":\"n\"},7,"
     "{\"uri\":\"f:x\",\"name\":2},{\"uri\":\"f:b\"}]",
     "f:b ",
     "mcp/server/x/resource_invalid_name/f: \n"
     "mcp/server/x/resource_invalid_name/\n"
     "mcp/server/x/resource_invalid/#3\n"
     "mcp/server/x/resource_invalid/n\n"
     "mcp/server/x/resource_invalid/#5\n"
     "mcp/server/x/resource_invalid/f:x\n"},
    {"", "[{\"uri\":\"f:a\",\"name\":\"1\"},{\"uri\":\"f:a\",\"name\":\"2\"}]", "f:a ",
     "mcp/server/x/resource_collision/f:a\n"},
    {"", "[{\"uri\":\"f:a\",\"name\":\"n\"},{\"uri\":\"f:b\",\"name\":\"n\"}]",
     "f:a f:b ", "mcp/server/x/resource_without_id/f:b\n"},
    {"resources: {blacklist: ['f:*b', n]}",
     "[{\"uri\":\"f:ab\"},{\"uri\":\"f:x\",\"name\":\"n\"},{\"uri\":\"f:c\"}]", "f:c ",
     "mcp/server/x/resource_blacklisted/f:ab\nmcp/server/x/resource_blacklisted/f:x\n"},
    {"resources: {whitelist: [n, 'f:d']}",
     "[{\"uri\":\"f:c\"},{\"uri\":\"f:x\",\"name\":\"n\"},{\"uri\":\"f:d\"}]", "f:x f:d ",
     "mcp/server/x/resource_not_whitelisted/f:c\n"},
    {"resources: {mimeTypes: [text/plain]}",
     "[{\"uri\":\"f:a\",\"mimeType\":\"text/plain\"},{\"uri\":\"f:b\",\"mimeType\":"
     "\"text/html\"},{\"uri\":\"f:c\"}]",
     "f:a ",
     "mcp/server/x/resource_type_not_wanted/f:b\n"
     "mcp/server/x/resource_type_not_wanted/f:c\n"},
};

/* B.8, B.19 */
START_TEST(a_bad_or_filtered_resource_does_not_affect_the_others) /* R156 R35 R36 */
{
    struct mcph_buf left;

    offer(cases[_i].keys, MCPH_LIST_RESOURCES, cases[_i].items);
    mcph_buf_init(&left, 4096);
    for (size_t i = 0; i < mcphost_catalog_count_resources(catalog); i++) {
        mcph_buf_adds(&left, uri_at(i));
        mcph_buf_addc(&left, ' ');
    }
    mcph_buf_addc(&left, '\0');
    ck_assert_str_eq(left.data, cases[_i].left);
    mcph_buf_done(&left);
    catrig_same(catrig_finding_ids(catalog), cases[_i].findings);
}
END_TEST

/* B.19 */
START_TEST(a_transform_changes_the_id_but_not_the_uri) /* R41 */
{
    offer("transform: [{prefix: t_}]\nresources: {transform: [{prefix: r.}]}",
          MCPH_LIST_RESOURCES,
          "[{\"uri\":\"f:///a.b\"},{\"uri\":\"f:b\",\"name\":\"n\"}]");
    ck_assert_str_eq(id_at(0), "r_f_a_b");
    ck_assert_str_eq(id_at(1), "r_n");
    ck_assert_str_eq(uri_at(0), "f:///a.b");
}
END_TEST

START_TEST(of_resources_with_equal_ids_only_the_first_has_an_id) /* R41 */
{
    offer("", MCPH_LIST_RESOURCES,
          "[{\"uri\":\"f:a\",\"name\":\"n n\"},{\"uri\":\"f:b\",\"name\":\"n.n\"},"
          "{\"uri\":\"f:c\",\"name\":\"n/n\"}]");
    ck_assert_str_eq(id_at(0), "n_n");
    ck_assert_ptr_null(id_at(1));
    ck_assert_ptr_null(id_at(2));
}
END_TEST

/* B.19 */
START_TEST(an_id_has_only_valid_characters_whatever_the_text)
{
    static const char *const pairs[][2] = {
        {"a", "a"},
        {"a b", "a_b"},
        {"--a..b--", "--a_b--"},
        {"_a_", "a"},
        {"", "resource"},
        {"._.", "resource"},
        {"a \xc3\xa9 b", "a_b"},
        {"a__b", "a__b"},
        {"\n", "resource"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(pairs); i++) {
        struct mcph_buf buf;

        mcph_buf_init(&buf, 64);
        mcph_buf_adds(&buf, "x");
        ck_assert_int_eq(mcph_name_add_id(pairs[i][0], strlen(pairs[i][0]), &buf), 0);
        mcph_buf_addc(&buf, '\0');
        ck_assert_str_eq(buf.data + 1, pairs[i][1]);
        mcph_buf_done(&buf);
    }
}
END_TEST

static char *
many(size_t n, size_t filler)
{
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, (size_t)64 * 1024 * 1024);
    for (size_t i = 0; i < n; i++) {
        mcph_buf_addf(&buf, "%c{\"uri\":\"file:///", i ? ',' : '[');
        for (size_t k = 0; k < filler; k++)
            mcph_buf_addc(&buf, 'u');
        mcph_buf_addf(&buf, "%zu\",\"name\":\"n%zu\"}", i, i);
    }
    mcph_buf_addc(&buf, ']');
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(text);
    return text;
}

START_TEST(ten_thousand_resources_are_found_and_are_built_in_steps) /* R156 */
{
    char *items = many(10000, 3), uri[64];
    struct mcph_block_build *build;
    struct mcph_block *stepped = NULL;
    size_t budget, steps = 0;
    int r;

    offer("", MCPH_LIST_RESOURCES, items);
    for (size_t i = 0; i < 10000; i++) {
        snprintf(uri, sizeof(uri), "file:///uuu%zu", i);
        ck_assert_ptr_eq(mcphost_catalog_find_resource(catalog, "x", uri),
                         mcphost_catalog_get_resource(catalog, i));
    }
    build = mcph_block_begin(spec, NULL, more[MCPH_LIST_RESOURCES]->listing);
    do {
        budget = 4096;
        r = mcph_block_step(build, &budget, &stepped);
        steps++;
    } while (r > 0);
    ck_assert_int_eq(r, 0);
    ck_assert_uint_gt(steps, 500);
    ck_assert_uint_eq(stepped->n_items, 10000);
    mcph_block_build_free(build);
    mcph_block_unref(stepped);
    free(items);
}
END_TEST

START_TEST(a_uri_may_have_64_kib) /* R156 */
{
    char *items = many(3, (size_t)64 * 1024);

    offer("", MCPH_LIST_RESOURCES, items);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), 3);
    ck_assert_uint_eq(strlen(uri_at(2)), 8 + 64 * 1024 + 1);
    ck_assert_ptr_eq(mcphost_catalog_find_resource(catalog, "x", uri_at(2)),
                     mcphost_catalog_get_resource(catalog, 2));
    free(items);
}
END_TEST

/* ---- templates --------------------------------------------------------------------- */

START_TEST(a_template_is_identified_by_its_text) /* R156 */
{
    mcphost_resource_template *t;
    const char *json;
    size_t len;

    offer(
        "resources: {mimeTypes: [text/plain]}", MCPH_LIST_TEMPLATES,
        "[{\"uriTemplate\":\"{+u}\",\"name\":\"u\",\"title\":\"T\",\"description\":\"D\","
        "\"annotations\":{}},{\"uriTemplate\":\"f:{x}\",\"mimeType\":\"text/html\"},"
        "{\"uriTemplate\":\"f:{y}\",\"mimeType\":\"text/plain\"}]");
    ck_assert_uint_eq(mcphost_catalog_count_resource_templates(catalog), 2);
    t = mcphost_resource_template_ref(
        mcphost_catalog_find_resource_template(catalog, "x", "{+u}"));
    ck_assert_ptr_eq(t, mcphost_catalog_get_resource_template(catalog, 0));
    ck_assert_str_eq(mcphost_resource_template_get_uri_template(t), "{+u}");
    ck_assert_str_eq(mcphost_resource_template_get_id(t), "u");
    ck_assert_str_eq(mcphost_resource_template_get_name(t, &len), "u");
    ck_assert_str_eq(mcphost_resource_template_get_title(t, &len), "T");
    ck_assert_str_eq(mcphost_resource_template_get_description(t, &len), "D");
    ck_assert_ptr_null(mcphost_resource_template_get_mime_type(t, &len));
    ck_assert_str_eq(mcphost_resource_template_get_annotations(t, &len), "{}");
    ck_assert_ptr_nonnull(mcphost_resource_template_get_definition(t, &len));
    ck_assert_str_eq(mcphost_resource_template_get_server_id(t), "x");
    ck_assert_str_eq(mcphost_resource_template_get_toolset(t), "x");
    ck_assert_ptr_null(mcphost_resource_template_get_source_id(t));
    mcphost_resource_template_unref(t);
    ck_assert_int_eq(
        mcphost_catalog_get_resource_templates_json(catalog, NULL, &json, &len, NULL), 0);
    ck_assert_ptr_nonnull(strstr(json, "f:{y}"));
    ck_assert_ptr_null(strstr(json, "f:{x}"));
    catrig_same(catrig_finding_ids(catalog),
                "mcp/server/x/resource_template_type_not_wanted/f:{x}\n");
}
END_TEST

/* B.19, RFC 6570 */
START_TEST(an_invalid_template_does_not_affect_the_others) /* R156 */
{
    struct mcph_buf message;

    offer("", MCPH_LIST_TEMPLATES,
          "[{\"uriTemplate\":\"f:{x\",\"name\":\"open\"},{\"uriTemplate\":\"f:{y}\"},"
          "{\"uriTemplate\":\"f:{=z}\"},{\"uriTemplate\":\"f:{v:10000}\"}]");
    ck_assert_uint_eq(mcphost_catalog_count_resource_templates(catalog), 1);
    ck_assert_ptr_nonnull(mcphost_catalog_find_resource_template(catalog, "x", "f:{y}"));
    catrig_same(catrig_finding_ids(catalog),
                "mcp/server/x/resource_template_invalid/f:{x\n"
                "mcp/server/x/resource_template_invalid/f:{=z}\n"
                "mcp/server/x/resource_template_invalid/f:{v:10000}\n");
    mcph_buf_init(&message, 4096);
    mcph_finding_add_message(&message, catalog->findings.items[0]);
    test_has(mcph_buf_text(&message), "resource template 'f:{x'");
    test_has(mcph_buf_text(&message), "line 1, column 5: ");
    mcph_buf_done(&message);
}
END_TEST

/* One last finding has the number of the findings beyond the limit. */
START_TEST(beyond_the_limit_of_findings_bad_templates_are_only_counted) /* R156 */
{
    struct mcph_buf items;

    mcph_buf_init(&items, 64 * 1024);
    for (int i = 0; i < MCPH_FINDINGS_MAX + 50; i++)
        mcph_buf_addf(&items, "%s{\"uriTemplate\":\"f:%d{\"}", i ? "," : "[", i);
    mcph_buf_adds(&items, "]");
    offer("", MCPH_LIST_TEMPLATES, mcph_buf_text(&items));
    ck_assert_uint_eq(mcphost_catalog_count_resource_templates(catalog), 0);
    ck_assert_uint_eq(catalog->findings.n, MCPH_FINDINGS_MAX + 1);
    mcph_buf_done(&items);
}
END_TEST

/* ---- prompts ----------------------------------------------------------------------- */

START_TEST(prompts_are_named_and_filtered_like_tools) /* R166 R41 R47 */
{
    mcphost_prompt *p;
    const char *json;
    size_t len;

    offer("prompts: {blacklist: [b], transform: [{prefix: p_}]}", MCPH_LIST_PROMPTS,
          "[{\"name\":\"a\",\"title\":\"T\",\"description\":\"D\",\"arguments\":"
          "[{\"name\":\"x\"}]},{\"name\":\"b\"},{\"name\":\"c d\"},{\"name\":\"a\"},"
          "{\"name\":\"e\",\"arguments\":{}},{},{\"name\":\"f\"}]");
    ck_assert_uint_eq(mcphost_catalog_count_prompts(catalog), 2);
    p = mcphost_prompt_ref(mcphost_catalog_find_prompt(catalog, "p_a"));
    ck_assert_ptr_eq(p, mcphost_catalog_get_prompt(catalog, 0));
    ck_assert_str_eq(mcphost_prompt_get_name(p), "p_a");
    ck_assert_str_eq(mcphost_prompt_get_original_name(p), "a");
    ck_assert_str_eq(mcphost_prompt_get_title(p, &len), "T");
    ck_assert_str_eq(mcphost_prompt_get_description(p, &len), "D");
    ck_assert_str_eq(mcphost_prompt_get_arguments(p, &len), "[{\"name\":\"x\"}]");
    ck_assert_ptr_nonnull(mcphost_prompt_get_definition(p, &len));
    ck_assert_str_eq(mcphost_prompt_get_server_id(p), "x");
    ck_assert_str_eq(mcphost_prompt_get_toolset(p), "x");
    ck_assert_ptr_null(mcphost_prompt_get_source_id(p));
    mcphost_prompt_unref(p);
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "p_a"));
    ck_assert_int_eq(mcphost_catalog_get_prompts_json(catalog, NULL, &json, &len, NULL),
                     0);
    ck_assert_str_eq(json, "[{\"name\":\"p_a\",\"title\":\"T\",\"description\":\"D\","
                           "\"arguments\":[{\"name\":\"x\"}]},{\"name\":\"p_f\"}]");
    catrig_same(catrig_finding_ids(catalog), "mcp/server/x/prompt_blacklisted/b\n"
                                             "mcp/server/x/prompt_invalid_name/c d\n"
                                             "mcp/server/x/prompt_collision/p_a\n"
                                             "mcp/server/x/prompt_invalid/e\n"
                                             "mcp/server/x/prompt_invalid/#6\n");
}
END_TEST

static struct mcph_offer
make_offer(const char *id, const char *names, const char *prompts)
{
    struct mcph_spec *own = catrig_spec(id, NULL, NULL, NULL);
    struct mcph_offer one = {.block = catrig_server_named(id, names),
                             .keeps_names = true};

    one.more[MCPH_LIST_PROMPTS] = block_under(own, MCPH_LIST_PROMPTS, prompts);
    mcph_spec_unref(own);
    return one;
}

static void
free_offer(struct mcph_offer *one)
{
    mcph_block_unref(one->block);
    mcph_block_unref(one->more[MCPH_LIST_PROMPTS]);
}

START_TEST(prompts_collide_only_with_prompts_and_the_holder_keeps_the_name) /* R166 R28 */
{
    struct mcph_offer offers[] = {
        make_offer("one", "n", "[{\"name\":\"n\"}]"),
        make_offer("two", "m", "[{\"name\":\"n\"},{\"name\":\"m\"}]")};
    mcphost_catalog *next = NULL;

    ck_assert_int_eq(mcph_catalog_new(1, NULL, &offers[1], 1, &catalog, NULL), 0);
    ck_assert_int_eq(mcph_catalog_new(2, catalog, offers, 2, &next, NULL), 0);
    ck_assert_uint_eq(mcphost_catalog_count_prompts(next), 2);
    ck_assert_str_eq(mcphost_prompt_get_server_id(mcphost_catalog_find_prompt(next, "n")),
                     "two");
    ck_assert_uint_eq(mcphost_catalog_count_tools(next), 2);
    ck_assert_uint_eq(
        mcphost_server_count_prompts(mcphost_catalog_find_server(next, "one")), 0);
    ck_assert_ptr_eq(
        mcphost_server_get_prompt(mcphost_catalog_find_server(next, "two"), 1),
        mcphost_catalog_find_prompt(next, "m"));
    catrig_same(catrig_finding_ids(next), "mcp/server/one/prompt_collision/n\n");
    mcph_catalog_unref(next);
    free_offer(&offers[0]);
    free_offer(&offers[1]);
}
END_TEST

/* ---- grants ------------------------------------------------------------------------ */

START_TEST(
    a_granted_toolset_includes_its_prompts_but_a_granted_tool_does_not) /* R83 R84 */
{
    static const struct {
        enum mcph_grant_list list;
        const char *text;
        size_t prompts;
    } grants[] = {{MCPH_GRANT_TOOLSETS, "one", 1},
                  {MCPH_GRANT_TOOLS, "n", 0},
                  {MCPH_GRANT_TOOLSETS, "*", 1}};
    struct mcph_offer one = make_offer("one", "n", "[{\"name\":\"p\"}]");

    ck_assert_int_eq(mcph_catalog_new(1, NULL, &one, 1, &catalog, NULL), 0);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(grants); i++) {
        struct mcphost_grant *grant = mcph_grant_new();
        mcphost_catalog *seen = NULL;

        ck_assert_int_eq(mcph_grant_add(grant, grants[i].list, grants[i].text, 0, 0), 0);
        ck_assert_int_eq(mcph_catalog_new_granted(1, catalog, grant, NULL, &seen, NULL),
                         0);
        ck_assert_uint_eq(mcphost_catalog_count_tools(seen), 1);
        ck_assert_uint_eq(mcphost_catalog_count_prompts(seen), grants[i].prompts);
        mcph_catalog_unref(seen);
        mcph_grant_unref(grant);
    }
    free_offer(&one);
}
END_TEST

START_TEST(getters_accept_null)
{
    ck_assert_uint_eq(mcphost_catalog_count_prompts(NULL), 0);
    ck_assert_uint_eq(mcphost_server_count_resources(NULL), 0);
    ck_assert_uint_eq(mcphost_server_count_resource_templates(NULL), 0);
    ck_assert_ptr_null(mcphost_server_get_resource(NULL, 0));
    ck_assert_ptr_null(mcphost_server_get_resource_template(NULL, 0));
    ck_assert_ptr_null(mcphost_resource_get_uri(NULL));
    ck_assert_ptr_null(mcphost_server_get_icons(NULL, NULL));
    ck_assert_int_eq(mcphost_resource_get_size(NULL), -1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "more");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_resource_has_all_members_of_its_definition);
    tcase_add_test(tc, a_resource_is_found_by_its_decoded_uri);
    tcase_add_loop_test(tc, a_bad_or_filtered_resource_does_not_affect_the_others, 0,
                        (int)MCPH_ARRAY_SIZE(cases));
    tcase_add_test(tc, a_transform_changes_the_id_but_not_the_uri);
    tcase_add_test(tc, of_resources_with_equal_ids_only_the_first_has_an_id);
    tcase_add_test(tc, an_id_has_only_valid_characters_whatever_the_text);
    tcase_add_test(tc, ten_thousand_resources_are_found_and_are_built_in_steps);
    tcase_add_test(tc, a_uri_may_have_64_kib);
    tcase_add_test(tc, a_template_is_identified_by_its_text);
    tcase_add_test(tc, an_invalid_template_does_not_affect_the_others);
    tcase_add_test(tc, beyond_the_limit_of_findings_bad_templates_are_only_counted);
    tcase_add_test(tc, prompts_are_named_and_filtered_like_tools);
    tcase_add_test(tc, prompts_collide_only_with_prompts_and_the_holder_keeps_the_name);
    tcase_add_test(tc,
                   a_granted_toolset_includes_its_prompts_but_a_granted_tool_does_not);
    tcase_add_test(tc, getters_accept_null);
}

int
main(void)
{
    return test_main("catalog-more", add);
}
