/* SPDX-License-Identifier: MIT
 *
 * test_catalog_view.c - catalogs made from the blocks of a view.
 *
 * A block has the tools of one server.  The tests check which server gets a contested
 * name, the owners of tools, and the influence of the previous catalog.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/catalog.h"
#include "support/runner.h"

static mcphost_catalog *catalog;

static void
down(void)
{
    catalog = mcphost_catalog_unref(catalog);
}

static const char *
owner_of(const char *tool)
{
    mcphost_tool *t = mcphost_catalog_find_tool(catalog, tool);

    ck_assert_msg(t != NULL, "no tool '%s'", tool);
    return mcphost_tool_get_server_id(t);
}

/* R26, R97 */
START_TEST(a_server_s_toolset_has_its_id_as_name_and_the_server_as_owner)
{
    size_t i = 9;

    catalog = catrig_catalog(catrig_server_named("play", "click open"), NULL);
    ck_assert_uint_eq(mcphost_catalog_count_toolsets(catalog), 1);
    ck_assert_int_eq(mcphost_catalog_find_toolset(catalog, "play", &i), 0);
    ck_assert_uint_eq(i, 0);
    ck_assert_str_eq(mcphost_catalog_get_toolset(catalog, 0), "play");
    ck_assert_str_eq(mcphost_catalog_get_toolset_owner(catalog, 0), "play");
    ck_assert_uint_eq(mcphost_catalog_count_toolset_tools(catalog, 0), 2);
    ck_assert_ptr_eq(mcphost_catalog_get_toolset_tool(catalog, 0, 1),
                     mcphost_catalog_find_tool(catalog, "open"));
    ck_assert_str_eq(owner_of("click"), "play");
    ck_assert_str_eq(
        mcphost_tool_get_toolset(mcphost_catalog_find_tool(catalog, "click")), "play");
    ck_assert_int_eq(mcphost_catalog_find_toolset(catalog, "mcp_play", &i),
                     MCPHOST_E_NOTFOUND);
}
END_TEST

/* R27, R28: each name belongs to one tool. */
START_TEST(a_name_goes_to_a_built_in_or_else_to_the_first_server)
{
    catalog = catrig_catalog(catrig_server_named("s1", "a b"), catrig_builtin("ws", "b"),
                             catrig_server_named("s2", "a b c"), NULL);
    catrig_same(catrig_tool_names(catalog), "b a c ");
    ck_assert_ptr_null(owner_of("b"));
    ck_assert_str_eq(owner_of("a"), "s1");
    ck_assert_str_eq(owner_of("c"), "s2");
    catrig_same(catrig_finding_ids(catalog), "mcp/server/s1/tool_collision/b\n"
                                             "mcp/server/s2/tool_collision/a\n"
                                             "mcp/server/s2/tool_collision/b\n");
}
END_TEST

/* R28, R118: the warning names the server, the tool and the holder of the name. */
START_TEST(a_collision_is_a_warning_that_names_both_sides)
{
    const struct mcph_finding *finding;
    struct mcph_buf buf;

    mcph_buf_init(&buf, 1024);
    catalog = catrig_catalog(catrig_builtin("ws", "x_a"),
                             catrig_server_under(catrig_spec("s", NULL, NULL, "x_"),
                                                 "[{\"name\":\"a\",\"inputSchema\":{}}]"),
                             NULL);
    ck_assert_uint_eq(catalog->findings.n, 1);
    finding = catalog->findings.items[0];
    ck_assert_int_eq(finding->severity, MCPHOST_SEVERITY_WARNING);
    mcph_finding_add_id(&buf, finding);
    mcph_buf_addc(&buf, '\n');
    mcph_finding_add_message(&buf, finding);
    mcph_buf_addc(&buf, '\n');
    mcph_finding_add_detail(&buf, finding);
    mcph_buf_addc(&buf, '\0');
    ck_assert_str_eq(buf.data,
                     "mcp/server/s/tool_collision/x_a\n"
                     "server 's': tool 'a' is left out: the name 'x_a' is taken by the "
                     "built-in toolset 'ws'\n"
                     "{\"serverId\":\"s\",\"toolName\":\"a\",\"finalName\":\"x_a\","
                     "\"builtinToolset\":\"ws\"}");
    mcph_buf_done(&buf);
}
END_TEST

/* R118 */
START_TEST(beyond_100_findings_collisions_are_only_counted)
{
    struct mcph_block *blocks[2];
    const struct mcph_finding *last;
    struct mcph_buf tools;

    mcph_buf_init(&tools, 1 << 20);
    mcph_buf_addc(&tools, '[');
    for (int i = 0; i < 150; i++)
        mcph_buf_addf(&tools, "%s{\"name\":\"t%d\",\"inputSchema\":{}}", i ? "," : "", i);
    mcph_buf_add(&tools, "]", 2);
    blocks[0] = catrig_server("s1", tools.data);
    blocks[1] = catrig_server("s2", tools.data);
    mcph_buf_done(&tools);
    catalog = catrig_catalog(blocks[0], blocks[1], NULL);
    ck_assert_uint_eq(mcphost_catalog_count_tools(catalog), 150);
    ck_assert_uint_eq(catalog->findings.n, MCPH_FINDINGS_MAX + 1);
    last = catalog->findings.items[MCPH_FINDINGS_MAX];
    ck_assert_int_eq(last->kind, MCPH_FINDING_MORE);
    ck_assert_uint_eq(last->more, 50);
    mcph_buf_init(&tools, 1024);
    mcph_finding_add_message(&tools, last);
    mcph_buf_addc(&tools, ' ');
    mcph_finding_add_detail(&tools, last);
    mcph_buf_addc(&tools, '\0');
    ck_assert_str_eq(tools.data, "server 's2': and 50 more tools are left out "
                                 "{\"serverId\":\"s2\",\"count\":50}");
    mcph_buf_done(&tools);
}
END_TEST

/* R29: by default, the catalog leaves out only the colliding tool.  The policy
 * MCPHOST_COLLISION_REJECT rejects the whole server. */
START_TEST(the_collision_policy_skips_the_tool_or_rejects_the_server)
{
    struct mcph_block *blocks[] = {catrig_server_named("s1", "a"),
                                   catrig_server_named("s2", "b a c"),
                                   catrig_server_named("s3", "b")};
    struct mcph_buf buf;

    mcph_buf_init(&buf, 1024);
    catalog = catrig_catalog_of(blocks, 3, RIG_SKIP);
    catrig_same(catrig_tool_names(catalog), "a b c ");
    catrig_same(catrig_finding_ids(catalog), "mcp/server/s2/tool_collision/a\n"
                                             "mcp/server/s3/tool_collision/b\n");
    mcphost_catalog_unref(catalog);

    catalog = catrig_catalog_of(blocks, 3, RIG_REJECT);
    catrig_same(catrig_tool_names(catalog), "a b ");
    ck_assert_str_eq(owner_of("b"), "s3"); /* a rejected server holds no name */
    catrig_same(catrig_finding_ids(catalog), "mcp/server/s2/server_error\n");
    ck_assert_int_eq(mcphost_catalog_find_toolset(catalog, "s2", NULL),
                     MCPHOST_E_NOTFOUND);
    mcph_finding_add_message(&buf, catalog->findings.items[0]);
    mcph_buf_addc(&buf, '\0');
    ck_assert_str_eq(buf.data, "server 's2' is left out: a tool's name is already taken: "
                               "the name 'a' is taken by server 's1'");
    mcph_buf_done(&buf);
    for (size_t i = 0; i < 3; i++)
        mcph_block_unref(blocks[i]);
}
END_TEST

START_TEST(the_reject_policy_rejects_a_server_with_duplicate_names)
{
    struct mcph_block *block = catrig_server_named("s", "a a");

    catalog = catrig_catalog_of(&block, 1, RIG_REJECT);
    ck_assert_uint_eq(mcphost_catalog_count_tools(catalog), 0);
    catrig_same(catrig_finding_ids(catalog), "mcp/server/s/server_error\n");
    mcph_block_unref(block);
}
END_TEST

/* R10, R98: a server named like a built-in toolset takes nothing from the toolset. */
START_TEST(a_server_named_like_a_built_in_toolset_is_left_out)
{
    mcphost_server *server;
    const struct mcph_finding *finding;

    catalog =
        catrig_catalog(catrig_builtin("ws", "read"), catrig_server_named("ws", "read x"),
                       catrig_server_named("other", "x"), NULL);
    catrig_same(catrig_tool_names(catalog), "read x ");
    ck_assert_ptr_null(owner_of("read"));
    ck_assert_str_eq(owner_of("x"), "other"); /* the server that was left out holds no
                                               * name */
    ck_assert_uint_eq(mcphost_catalog_count_toolsets(catalog), 2);
    ck_assert_ptr_null(mcphost_catalog_get_toolset_owner(catalog, 0));
    catrig_same(catrig_finding_ids(catalog), "mcp/server/ws/server_error\n");
    finding = catalog->findings.items[0];
    ck_assert_int_eq(finding->severity, MCPHOST_SEVERITY_ERROR);
    ck_assert_str_eq(finding->text, "a built-in toolset has this name");

    server = mcphost_catalog_find_server(catalog, "ws");
    ck_assert_str_eq(mcphost_server_get_id(server), "ws");
    ck_assert_ptr_null(mcphost_server_get_toolset(server));
    ck_assert_uint_eq(mcphost_server_count_tools(server), 0);
}
END_TEST

START_TEST(of_two_servers_of_one_name_the_first_is_kept)
{
    catalog =
        catrig_catalog(catrig_server("s", NULL), catrig_server_named("s", "a"), NULL);
    ck_assert_uint_eq(mcphost_catalog_count_tools(catalog), 0);
    catrig_same(catrig_finding_ids(catalog), "mcp/server/s/server_error\n");
    ck_assert_ptr_eq(mcphost_catalog_find_server(catalog, "s"),
                     mcphost_catalog_get_server(catalog, 0));
}
END_TEST

START_TEST(a_declared_server_has_an_entry_before_it_has_tools)
{
    mcphost_server *server;

    catalog = catrig_catalog(catrig_server("new", NULL), catrig_server_named("empty", ""),
                             NULL);
    ck_assert_uint_eq(mcphost_catalog_count_servers(catalog), 2);
    server = mcphost_catalog_get_server(catalog, 0);
    ck_assert_str_eq(mcphost_server_get_id(server), "new");
    ck_assert_ptr_null(mcphost_server_get_toolset(server));
    server = mcphost_catalog_get_server(catalog, 1);
    ck_assert_str_eq(mcphost_server_get_toolset(server), "empty");
    ck_assert_uint_eq(mcphost_server_count_tools(server), 0);
    ck_assert_uint_eq(mcphost_catalog_count_toolsets(catalog), 1);
}
END_TEST

/* R97 */
START_TEST(the_entry_of_a_server_lists_only_the_tools_that_it_owns)
{
    mcphost_server *server;

    catalog =
        catrig_catalog(catrig_builtin("ws", "a"), catrig_server_named("s1", "a b c"),
                       catrig_server_named("s2", "c d"), NULL);
    server = mcphost_catalog_find_server(catalog, "s1");
    ck_assert_uint_eq(mcphost_server_count_tools(server), 2);
    ck_assert_str_eq(mcphost_tool_get_name(mcphost_server_get_tool(server, 0)), "b");
    ck_assert_str_eq(mcphost_tool_get_name(mcphost_server_get_tool(server, 1)), "c");
    ck_assert_ptr_null(mcphost_server_get_tool(server, 2));
    server = mcphost_catalog_find_server(catalog, "s2");
    ck_assert_uint_eq(mcphost_server_count_tools(server), 1);
    ck_assert_ptr_null(mcphost_catalog_find_server(catalog, "ws"));
    ck_assert_uint_eq(mcphost_catalog_count_servers(catalog), 2);
}
END_TEST

/* R31, R50 */
START_TEST(a_tool_that_was_left_out_is_neither_found_nor_listed)
{
    const char *tools = "[{\"name\":\"rm\",\"inputSchema\":{}},"
                        "{\"name\":\"a.b\",\"inputSchema\":{}},"
                        "{\"name\":\"ls\",\"inputSchema\":{}}]";

    catalog = catrig_catalog(
        catrig_server_under(catrig_spec("s", NULL, "rm", NULL), tools), NULL);
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "rm"));
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "a.b"));
    catrig_same(catrig_tool_names(catalog), "ls ");
    ck_assert_uint_eq(mcphost_catalog_count_toolset_tools(catalog, 0), 1);
    for (int shape = 0; shape < MCPH_N_SHAPES; shape++) {
        ck_assert_ptr_null(strstr(catrig_json(catalog, shape, NULL), "\"rm\""));
        ck_assert_ptr_null(strstr(catrig_json(catalog, shape, "s"), "a.b"));
    }
}
END_TEST

/* R211: built-in tools and tools of servers share one registry, one lookup and one
 * list. */
START_TEST(built_ins_and_servers_tools_are_found_and_listed_alike)
{
    const mcphost_tool *builtin, *tool;

    catalog = catrig_catalog(catrig_builtin("ws", "read"), catrig_server_named("s", "go"),
                             NULL);
    builtin = mcphost_catalog_find_tool(catalog, "read");
    tool = mcphost_catalog_find_tool(catalog, "go");
    ck_assert_ptr_eq(mcphost_catalog_get_tool(catalog, 0), builtin);
    ck_assert_ptr_eq(mcphost_catalog_get_tool(catalog, 1), tool);
    ck_assert_str_eq(mcphost_tool_get_toolset(builtin), "ws");
    ck_assert_ptr_null(mcphost_tool_get_server_id(builtin));
    ck_assert_str_eq(mcphost_tool_get_server_id(tool), "s");
    ck_assert_str_eq(
        catrig_json(catalog, MCPHOST_SHAPE_ANTHROPIC, NULL),
        "[{\"name\":\"read\",\"description\":\"built in\",\"input_schema\":"
        "{\"type\":\"object\"}},{\"name\":\"go\",\"description\":\"does go\","
        "\"input_schema\":{\"type\":\"object\"}}]");
}
END_TEST

START_TEST(two_built_ins_of_one_name_are_refused)
{
    struct mcph_block *blocks[] = {catrig_builtin("t1", "a"), catrig_builtin("t2", "b a"),
                                   catrig_builtin("t1", "c")};
    struct mcph_offer offers[] = {{.block = blocks[0]}, {.block = blocks[1]}};
    mcphost_error *err = NULL;

    offers[1].block = blocks[1];
    ck_assert_int_eq(mcph_catalog_new(1, NULL, offers, 2, &catalog, &err),
                     MCPHOST_E_EXISTS);
    ck_assert_ptr_null(catalog);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "toolsets 't1' and 't2' both have a tool 'a'");
    err = mcphost_error_unref(err);
    blocks[1] = mcph_block_unref(blocks[1]);
    blocks[1] = blocks[2];
    offers[1].block = blocks[1];
    ck_assert_int_eq(mcph_catalog_new(1, NULL, offers, 2, &catalog, &err),
                     MCPHOST_E_EXISTS);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "two built-in toolsets are named 't1'");
    mcphost_error_unref(err);
    mcph_block_unref(blocks[0]);
    mcph_block_unref(blocks[1]);
}
END_TEST

START_TEST(a_referenced_tool_keeps_its_block_but_not_its_catalog)
{
    struct mcph_block *block = catrig_server_named("s", "a"), *other;
    mcphost_tool *tool;

    other = mcph_block_ref(catrig_server_named("o", "b"));
    catalog = catrig_catalog(block, other, NULL);
    tool = mcphost_tool_ref(mcphost_catalog_find_tool(catalog, "a"));
    catalog = mcphost_catalog_unref(catalog);
    ck_assert_uint_eq(atomic_load(&other->refs.n), 1); /* only this test holds `other` */
    mcph_block_unref(other);
    ck_assert_str_eq(mcphost_tool_get_name(tool), "a");
    ck_assert_str_eq(mcphost_tool_get_server_id(tool), "s");
    ck_assert_ptr_null(mcphost_tool_unref(tool));
}
END_TEST

START_TEST(a_referenced_server_entry_keeps_its_catalog)
{
    mcphost_server *server;

    catalog = catrig_catalog(catrig_server_named("s", "a"), NULL);
    server = mcphost_server_ref(mcphost_catalog_get_server(catalog, 0));
    catalog = mcphost_catalog_unref(catalog);
    ck_assert_str_eq(mcphost_tool_get_name(mcphost_server_get_tool(server, 0)), "a");
    ck_assert_ptr_null(mcphost_server_unref(server));
}
END_TEST

START_TEST(an_empty_view_gives_an_empty_catalog)
{
    size_t n = 0;

    catalog = catrig_catalog_of(NULL, 0, RIG_SKIP);
    ck_assert_uint_eq(mcphost_catalog_get_version(catalog), 1);
    ck_assert_uint_eq(mcphost_catalog_count_tools(catalog), n);
    ck_assert_str_eq(catrig_json(catalog, MCPHOST_SHAPE_MCP, NULL), "[]");
}
END_TEST

/* ---- the previous catalog ---------------------------------------------------------- */

/* Makes the next catalog from the blocks in the arguments.  NULL ends the arguments.
 * Takes over the references to the blocks. */
static void
make_next(enum catrig_collision policy, struct mcph_block *first, ...)
{
    struct mcph_block *blocks[8], *block = first;
    mcphost_catalog *before = catalog;
    size_t n = 0;
    va_list ap;

    va_start(ap, first);
    for (; block; block = va_arg(ap, struct mcph_block *))
        blocks[n++] = block;
    va_end(ap);
    catalog = catrig_catalog_after(before, blocks, n, policy);
    mcphost_catalog_unref(before);
    while (n)
        mcph_block_unref(blocks[--n]);
}

/* R28 */
START_TEST(a_server_keeps_a_name_when_an_earlier_server_begins_to_offer_it)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 1024);
    catalog =
        catrig_catalog(catrig_server("a", NULL), catrig_server_named("b", "x y"), NULL);
    make_next(RIG_SKIP, catrig_server_named("a", "z x"), catrig_server_named("b", "y x"),
              NULL);
    ck_assert_str_eq(owner_of("x"), "b");
    catrig_same(catrig_tool_names(catalog), "z y x ");
    catrig_same(catrig_finding_ids(catalog), "mcp/server/a/tool_collision/x\n");
    mcph_finding_add_message(&buf, catalog->findings.items[0]);
    mcph_buf_addc(&buf, '\0');
    ck_assert_str_eq(buf.data, "server 'a': tool 'x' is left out: the name 'x' is taken "
                               "by server 'b', which had it first");
    mcph_buf_done(&buf);
}
END_TEST

/* R28 */
START_TEST(a_name_that_its_server_no_longer_offers_goes_by_file_order_again)
{
    catalog = catrig_catalog(catrig_server_named("c", "x"), NULL);
    make_next(RIG_SKIP, catrig_server_named("a", "x"), catrig_server_named("b", "x"),
              catrig_server_named("c", "x"), NULL);
    ck_assert_str_eq(owner_of("x"), "c");
    make_next(RIG_SKIP, catrig_server_named("a", "x"), catrig_server_named("b", "x"),
              catrig_server_named("c", "y"), NULL);
    ck_assert_str_eq(owner_of("x"), "a");
    /* The name stays with the server a, because the server c had stopped offering the
     * name. */
    make_next(RIG_SKIP, catrig_server_named("c", "x"), catrig_server_named("a", "x"),
              NULL);
    ck_assert_str_eq(owner_of("x"), "a");
    make_next(RIG_SKIP, catrig_server_named("b", "x"), catrig_server_named("c", "x"),
              NULL);
    ck_assert_str_eq(owner_of("x"), "b");
}
END_TEST

/* R28: a server with a new id counts as another server, because the id identifies a
 * server. */
START_TEST(a_renamed_server_loses_the_names_of_its_tools)
{
    catalog = catrig_catalog(catrig_server_named("b", "x"), NULL);
    make_next(RIG_SKIP, catrig_server_named("a", "x"), catrig_server_named("b2", "x"),
              NULL);
    ck_assert_str_eq(owner_of("x"), "a");
}
END_TEST

/* R27 */
START_TEST(a_built_in_gets_its_name_even_if_a_server_had_it)
{
    catalog = catrig_catalog(catrig_server_named("a", "x y"), NULL);
    make_next(RIG_SKIP, catrig_builtin("ws", "x"), catrig_server_named("a", "x y"), NULL);
    ck_assert_ptr_null(owner_of("x"));
    ck_assert_str_eq(owner_of("y"), "a");
}
END_TEST

/* R29 */
START_TEST(the_reject_policy_leaves_out_the_newcomer_and_not_the_earlier_holder)
{
    catalog =
        catrig_catalog(catrig_server("a", NULL), catrig_server_named("b", "x"), NULL);
    make_next(RIG_REJECT, catrig_server_named("a", "z x"), catrig_server_named("b", "x"),
              catrig_server_named("c", "z"), NULL);
    catrig_same(catrig_tool_names(catalog), "x z ");
    ck_assert_str_eq(owner_of("x"), "b");
    ck_assert_str_eq(owner_of("z"), "c");
    catrig_same(catrig_finding_ids(catalog), "mcp/server/a/server_error\n");
}
END_TEST

/* R29: lookups find no tool of a rejected server. */
START_TEST(a_rejected_server_loses_the_names_of_its_tools)
{
    catalog = catrig_catalog(catrig_server_named("a", "x"), catrig_server_named("b", "y"),
                             NULL);
    make_next(RIG_REJECT, catrig_server_named("a", "x"), catrig_server_named("b", "y x"),
              NULL);
    catrig_same(catrig_tool_names(catalog), "x ");
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "y"));
    ck_assert_ptr_nonnull(
        mcph_entry_find_for_app(mcphost_catalog_find_server(catalog, "a"), "x"));
    ck_assert_ptr_null(
        mcph_entry_find_for_app(mcphost_catalog_find_server(catalog, "b"), "y"));
    ck_assert_uint_eq(
        mcphost_server_count_app_tools(mcphost_catalog_find_server(catalog, "b")), 0);
}
END_TEST

/* ---- random histories -------------------------------------------------------------- */

#define SERVERS 6
#define STEPS   60

static uint64_t seed;

static uint32_t
draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* Makes the block of a server.  The tools depend on `server` and `which` alone.  Some
 * tools have the names of other servers' tools.  Returns NULL if `which` is 0. */
static struct mcph_block *
variant(size_t server, uint32_t which)
{
    char id[16], names[64];

    if (which == 0)
        return NULL; /* the server has no list yet */
    snprintf(id, sizeof(id), "s%zu", server);
    snprintf(names, sizeof(names), "t%u t%zu own%zu t%u own%zu", which, server, server,
             which + 3, server);
    return catrig_server_named(id, names);
}

static struct mcph_block *
unlisted(size_t server)
{
    char id[16];

    snprintf(id, sizeof(id), "s%zu", server);
    return catrig_server(id, NULL);
}

/* Returns the lists, toolsets and findings of a catalog as one text. */
static char *
portrait(mcphost_catalog *c)
{
    char *ids = catrig_finding_ids(c), *text;
    struct mcph_buf buf;

    mcph_buf_init(&buf, 1 << 20);
    for (int shape = 0; shape < MCPH_N_SHAPES; shape++)
        mcph_buf_addf(&buf, "%s\n", catrig_json(c, shape, NULL));
    for (size_t i = 0; i < mcphost_catalog_count_toolsets(c); i++)
        mcph_buf_addf(&buf, "%s %zu\n", mcphost_catalog_get_toolset(c, i),
                      mcphost_catalog_count_toolset_tools(c, i));
    mcph_buf_adds(&buf, ids);
    free(ids);
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(text);
    return text;
}

/* R27, R28, R97: servers appear, change and disappear at random.  After each change, the
 * test makes a catalog without a previous catalog.  The bytes of this catalog depend on
 * the current lists alone. */
START_TEST(the_same_lists_give_the_same_bytes_whatever_the_history)
{
    struct mcph_block *now[SERVERS + 1];
    uint32_t which[SERVERS] = {0};
    mcphost_catalog *fresh;
    char *seen, *want;

    now[SERVERS] = catrig_builtin("ws", "t2 own3");
    for (size_t i = 0; i < SERVERS; i++)
        now[i] = unlisted(i);
    for (int step = 0; step < STEPS; step++) {
        size_t i = draw(SERVERS);
        struct mcph_block *next;

        which[i] = draw(5);
        next = variant(i, which[i]);
        mcph_block_unref(now[i]);
        now[i] = next ? next : unlisted(i);
        mcphost_catalog_unref(catalog);
        catalog = catrig_catalog_of(now, SERVERS + 1, RIG_SKIP);
        seen = portrait(catalog);

        for (size_t j = 0; j < SERVERS; j++) {
            struct mcph_block *again = variant(j, which[j]);

            mcph_block_unref(now[j]);
            now[j] = again ? again : unlisted(j);
        }
        fresh = catrig_catalog_of(now, SERVERS + 1, RIG_SKIP);
        want = portrait(fresh);
        ck_assert_msg(strcmp(seen, want) == 0, "step %d:\n%s\nis not\n%s", step, seen,
                      want);
        mcphost_catalog_unref(fresh);
        free(seen);
        free(want);
    }
    for (size_t i = 0; i <= SERVERS; i++)
        mcph_block_unref(now[i]);
}
END_TEST

#define NAMES 5

/* A model of the servers.  `offers` has the names that each server offers (bits, or -1 if
 * the server is not declared).  `order` is the order of the file.  `holder` has the
 * server that holds each name (-1 for a name without a holder).  `builtin` marks the
 * names of built-ins. */
struct names_model {
    int offers[SERVERS], order[SERVERS], holder[NAMES];
    bool builtin[NAMES];
};

static void
change(struct names_model *m)
{
    size_t i = draw(SERVERS), j = draw(SERVERS);
    int other = m->order[i];

    switch (draw(4)) {
    case 0:
        m->order[i] = m->order[j];
        m->order[j] = other;
        break;
    case 1:
        m->offers[i] = -1;
        break;
    default:
        m->offers[i] = (int)draw(1 << NAMES);
        break;
    }
}

static bool
offers(const struct names_model *m, int server, int name)
{
    return server >= 0 && m->offers[server] >= 0 && (m->offers[server] & 1 << name);
}

/* Applies the rule to each name.  The holder of a name keeps the name while the holder
 * offers the name.  Otherwise the name goes to the first server of the file that offers
 * the name.  No server gets the name of a built-in. */
static void
apply_rule(struct names_model *m)
{
    for (int name = 0; name < NAMES; name++) {
        if (offers(m, m->holder[name], name) && !m->builtin[name])
            continue;
        m->holder[name] = -1;
        for (int i = SERVERS; i-- && !m->builtin[name];)
            if (offers(m, m->order[i], name))
                m->holder[name] = m->order[i];
    }
}

static size_t
blocks_of(const struct names_model *m, struct mcph_block **blocks)
{
    size_t n = 0;

    blocks[n++] = catrig_builtin("ws", "n0");
    for (size_t i = 0; i < SERVERS; i++) {
        char id[16], names[64] = "";
        int server = m->order[i];

        snprintf(id, sizeof(id), "s%d", server);
        if (m->offers[server] < 0)
            continue;
        for (int name = 0; name < NAMES; name++) {
            size_t len = strlen(names);

            if (offers(m, server, name))
                snprintf(names + len, sizeof(names) - len, "n%d ", name);
        }
        blocks[n++] = catrig_server_named(id, names);
    }
    return n;
}

static void
compare(const struct names_model *m, int step)
{
    for (int name = 0; name < NAMES; name++) {
        char text[16], want[16] = "";
        const mcphost_tool *tool;
        const char *has;

        snprintf(text, sizeof(text), "n%d", name);
        if (m->holder[name] >= 0)
            snprintf(want, sizeof(want), "s%d", m->holder[name]);
        tool = mcphost_catalog_find_tool(catalog, text);
        has = tool && !m->builtin[name] ? mcphost_tool_get_server_id(tool) : "";
        ck_assert_msg(has && strcmp(has, want) == 0, "step %d: '%s' is of '%s', not '%s'",
                      step, text, has ? has : "a built-in", want);
        ck_assert(tool || !want[0]);
    }
}

/* R27, R28: a server keeps a name as long as it offers the name.  Equal histories give
 * equal bytes. */
START_TEST(in_random_histories_a_server_keeps_the_names_that_it_offers)
{
    struct names_model m = {.builtin = {true}};

    for (int i = 0; i < SERVERS; i++) {
        m.offers[i] = (int)draw(1 << NAMES);
        m.order[i] = i;
    }
    memset(m.holder, -1, sizeof(m.holder));
    for (int step = 0; step < 400; step++) {
        struct mcph_block *blocks[SERVERS + 1];
        mcphost_catalog *before = catalog, *again;
        size_t n = blocks_of(&m, blocks);
        char *seen, *want;

        apply_rule(&m);
        catalog = catrig_catalog_after(before, blocks, n, RIG_SKIP);
        compare(&m, step);
        again = catrig_catalog_after(before, blocks, n, RIG_SKIP);
        seen = portrait(catalog);
        want = portrait(again);
        ck_assert_str_eq(seen, want);
        free(seen);
        free(want);
        mcphost_catalog_unref(again);
        mcphost_catalog_unref(before);
        while (n)
            mcph_block_unref(blocks[--n]);
        change(&m);
    }
}
END_TEST

static void
choose_seed(void)
{
    const char *text = secure_getenv("MCPHOST_TEST_SEED");

    if (text)
        seed = strtoull(text, NULL, 0);
    else
        ck_assert_int_eq(mcph_random_bytes(&seed, sizeof(seed)), 0);
    printf("MCPHOST_TEST_SEED=%" PRIu64 "\n", seed);
    fflush(stdout);
}

/* ---- the public functions ---------------------------------------------------------- */

START_TEST(getters_accept_null)
{
    size_t n = 7;

    ck_assert_ptr_null(mcphost_catalog_ref(NULL));
    ck_assert_ptr_null(mcphost_catalog_unref(NULL));
    ck_assert_uint_eq(mcphost_catalog_get_version(NULL), 0);
    ck_assert_ptr_null(mcphost_catalog_find_tool(NULL, "a"));
    ck_assert_uint_eq(mcphost_catalog_count_tools(NULL), 0);
    ck_assert_ptr_null(mcphost_catalog_get_tool(NULL, 0));
    ck_assert_uint_eq(mcphost_catalog_count_toolsets(NULL), 0);
    ck_assert_ptr_null(mcphost_catalog_get_toolset(NULL, 0));
    ck_assert_int_eq(mcphost_catalog_find_toolset(NULL, "a", &n), MCPHOST_E_INVALID);
    ck_assert_ptr_null(mcphost_catalog_get_toolset_owner(NULL, 0));
    ck_assert_uint_eq(mcphost_catalog_count_toolset_tools(NULL, 0), 0);
    ck_assert_ptr_null(mcphost_catalog_get_toolset_tool(NULL, 0, 0));
    ck_assert_uint_eq(mcphost_catalog_count_servers(NULL), 0);
    ck_assert_ptr_null(mcphost_catalog_get_server(NULL, 0));
    ck_assert_ptr_null(mcphost_catalog_find_server(NULL, "a"));
    ck_assert_ptr_null(mcphost_server_ref(NULL));
    ck_assert_ptr_null(mcphost_server_unref(NULL));
    ck_assert_ptr_null(mcphost_server_get_id(NULL));
    ck_assert_ptr_null(mcphost_server_get_toolset(NULL));
    ck_assert_uint_eq(mcphost_server_count_tools(NULL), 0);
    ck_assert_ptr_null(mcphost_server_get_tool(NULL, 0));
    ck_assert_ptr_null(mcphost_tool_ref(NULL));
    ck_assert_ptr_null(mcphost_tool_unref(NULL));
    ck_assert_ptr_null(mcphost_tool_get_name(NULL));
    ck_assert_ptr_null(mcphost_tool_get_original_name(NULL));
    ck_assert_ptr_null(mcphost_tool_get_server_id(NULL));
    ck_assert_ptr_null(mcphost_tool_get_toolset(NULL));
    ck_assert_ptr_null(mcphost_tool_get_title(NULL, &n));
    ck_assert_uint_eq(n, 0);
    ck_assert_ptr_null(mcphost_tool_get_description(NULL, NULL));
    ck_assert_ptr_null(mcphost_tool_get_input_schema(NULL, NULL));
    ck_assert_ptr_null(mcphost_tool_get_output_schema(NULL, NULL));
    ck_assert_ptr_null(mcphost_tool_get_annotations(NULL, NULL));
    ck_assert_ptr_null(mcphost_tool_get_definition(NULL, NULL));
    ck_assert_int_eq(mcphost_catalog_get_tools_json(NULL, 0, NULL, NULL, NULL, NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

START_TEST(an_index_past_the_end_finds_nothing)
{
    catalog = catrig_catalog(catrig_server_named("s", "a"), NULL);
    ck_assert_ptr_null(mcphost_catalog_get_tool(catalog, 1));
    ck_assert_ptr_null(mcphost_catalog_get_toolset(catalog, 1));
    ck_assert_ptr_null(mcphost_catalog_get_toolset_owner(catalog, 1));
    ck_assert_uint_eq(mcphost_catalog_count_toolset_tools(catalog, 1), 0);
    ck_assert_ptr_null(mcphost_catalog_get_toolset_tool(catalog, 0, 1));
    ck_assert_ptr_null(mcphost_catalog_get_server(catalog, 1));
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, NULL));
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, ""));
}
END_TEST

static void
part_is(const char *(*get)(const mcphost_tool *, size_t *), const mcphost_tool *tool,
        const char *want)
{
    size_t len = 99;
    const char *got = get(tool, &len);

    if (!want) {
        ck_assert_ptr_null(got);
        ck_assert_uint_eq(len, 0);
        return;
    }
    ck_assert_uint_eq(len, strlen(want));
    ck_assert_mem_eq(got, want, len);
}

/* R51, R52 */
START_TEST(a_tool_has_the_bytes_that_its_server_sent)
{
    const char *schema = "{\"type\":[\"object\"],\"$ref\":\"#\",\"oneOf\":[{\"const\": "
                         "1e400}],\"patternProperties\":{\"^x\":true}}";
    char *definition =
        mcph_asprintf("{\"outputSchema\":{ "
                      "},\"inputSchema\":%s,\"description\":\"d\\n\",\"title\":\"T\","
                      "\"x\":[],\"annotations\":{\"readOnlyHint\":true},\"name\":\"a\"}",
                      schema);
    char *tools =
        mcph_asprintf("[ %s , {\"name\":\"b\",\"inputSchema\":{}}]", definition);
    const mcphost_tool *tool;

    catalog = catrig_catalog(
        catrig_server_under(catrig_spec("s", NULL, NULL, "p_"), tools), NULL);
    tool = mcphost_catalog_find_tool(catalog, "p_a");
    ck_assert_str_eq(mcphost_tool_get_name(tool), "p_a");
    ck_assert_str_eq(mcphost_tool_get_original_name(tool), "a");
    part_is(mcphost_tool_get_title, tool, "T");
    part_is(mcphost_tool_get_description, tool, "d\n");
    part_is(mcphost_tool_get_input_schema, tool, schema);
    part_is(mcphost_tool_get_output_schema, tool, "{ }");
    part_is(mcphost_tool_get_annotations, tool, "{\"readOnlyHint\":true}");
    part_is(mcphost_tool_get_definition, tool, definition);
    tool = mcphost_catalog_find_tool(catalog, "p_b");
    part_is(mcphost_tool_get_title, tool, NULL);
    part_is(mcphost_tool_get_description, tool, NULL);
    part_is(mcphost_tool_get_output_schema, tool, NULL);
    part_is(mcphost_tool_get_annotations, tool, NULL);
    free(definition);
    free(tools);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "names");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_server_s_toolset_has_its_id_as_name_and_the_server_as_owner);
    tcase_add_test(tc, a_name_goes_to_a_built_in_or_else_to_the_first_server);
    tcase_add_test(tc, a_collision_is_a_warning_that_names_both_sides);
    tcase_add_test(tc, beyond_100_findings_collisions_are_only_counted);
    tcase_add_test(tc, the_collision_policy_skips_the_tool_or_rejects_the_server);
    tcase_add_test(tc, the_reject_policy_rejects_a_server_with_duplicate_names);
    tcase_add_test(tc, a_server_named_like_a_built_in_toolset_is_left_out);
    tcase_add_test(tc, of_two_servers_of_one_name_the_first_is_kept);
    tcase_add_test(tc, a_declared_server_has_an_entry_before_it_has_tools);
    tcase_add_test(tc, the_entry_of_a_server_lists_only_the_tools_that_it_owns);
    tcase_add_test(tc, a_tool_that_was_left_out_is_neither_found_nor_listed);
    tcase_add_test(tc, built_ins_and_servers_tools_are_found_and_listed_alike);
    tcase_add_test(tc, two_built_ins_of_one_name_are_refused);
    tcase_add_test(tc, an_empty_view_gives_an_empty_catalog);

    tc = test_case(suite, "references");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_referenced_tool_keeps_its_block_but_not_its_catalog);
    tcase_add_test(tc, a_referenced_server_entry_keeps_its_catalog);

    tc = test_case(suite, "holders");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_server_keeps_a_name_when_an_earlier_server_begins_to_offer_it);
    tcase_add_test(tc, a_name_that_its_server_no_longer_offers_goes_by_file_order_again);
    tcase_add_test(tc, a_renamed_server_loses_the_names_of_its_tools);
    tcase_add_test(tc, a_built_in_gets_its_name_even_if_a_server_had_it);
    tcase_add_test(tc,
                   the_reject_policy_leaves_out_the_newcomer_and_not_the_earlier_holder);
    tcase_add_test(tc, a_rejected_server_loses_the_names_of_its_tools);

    tc = test_case(suite, "history");
    tcase_add_checked_fixture(tc, choose_seed, down);
    tcase_add_test(tc, the_same_lists_give_the_same_bytes_whatever_the_history);
    tcase_add_test(tc, in_random_histories_a_server_keeps_the_names_that_it_offers);
    tcase_set_timeout(tc, 60);

    tc = test_case(suite, "interface");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, getters_accept_null);
    tcase_add_test(tc, an_index_past_the_end_finds_nothing);
    tcase_add_test(tc, a_tool_has_the_bytes_that_its_server_sent);
}

int
main(void)
{
    return test_main("catalog-view", add);
}
