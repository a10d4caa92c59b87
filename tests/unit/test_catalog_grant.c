/* SPDX-License-Identifier: MIT
 *
 * test_catalog_grant.c - grants: the part of a catalog that a member of a team sees.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/catalog.h"
#include "support/runner.h"

static mcphost_catalog *base, *mine;
static struct mcphost_grant *grant;
static struct mcph_grant_world world;

/* Makes the base catalog.  ws_read and os are built in.  web, play and slow are servers.
 * slow has not sent a list yet. */
static void
up(void)
{
    base = catrig_catalog(catrig_builtin("ws_read", "read list"),
                          catrig_builtin("os", "run"),
                          catrig_server_named("web", "fetch get"),
                          catrig_server_named("play", "click open type"),
                          catrig_server("slow", NULL), NULL);
    grant = mcph_grant_new();
    mine = NULL;
    world = (struct mcph_grant_world){0};
}

static void
down(void)
{
    base = mcph_catalog_unref(base);
    mine = mcph_catalog_unref(mine);
    grant = mcph_grant_unref(grant);
}

static void
add_grants(enum mcph_grant_list list, const char *names)
{
    char *copy = mcph_strdup(names), *rest = copy, *name;

    for (name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        ck_assert_int_eq(mcph_grant_add(grant, list, name, 1, 2), 0);
    free(copy);
}

static void
resolve(void)
{
    mine = mcph_catalog_unref(mine);
    ck_assert_int_eq(mcph_catalog_new_granted(7, base, grant, &world, &mine, NULL), 0);
    ck_assert_uint_eq(mcphost_catalog_get_version(mine), 7);
}

/* Returns the granted tools as "toolset: tool tool; ...". */
static const char *
seen(void)
{
    static char text[1024];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < mcphost_catalog_count_toolsets(mine); i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s:", i ? "; " : "",
                                mcphost_catalog_get_toolset(mine, i));
        for (size_t k = 0; k < mcphost_catalog_count_toolset_tools(mine, i); k++)
            len += (size_t)snprintf(
                text + len, sizeof(text) - len, " %s",
                mcphost_tool_get_name(mcphost_catalog_get_toolset_tool(mine, i, k)));
    }
    return text;
}

/* Returns the granted names that give no tools, each with the reason, as
 * "name lack; tool name lack; ...".  "tool " precedes the name of a single tool. */
static const char *
lacks(void)
{
    static char text[1024];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < mine->n_missing; i++)
        len += (size_t)snprintf(
            text + len, sizeof(text) - len, "%s%s%s %s", i ? "; " : "",
            mine->missing[i].list == MCPH_GRANT_TOOLS ? "tool " : "",
            mine->missing[i].item->text,
            mcphost_enum_get_name(MCPHOST_ENUM_LACK, (int)mine->missing[i].lack));
    return text;
}

#define ALL "ws_read: read list; os: run; web: fetch get; play: click open type"

static const struct {
    const char *toolsets, *tools, *seen, *lacks;
} cases[] = {
    /* R83: a grant gives each toolset of the list, in the order of the list */
    {"ws_read play", "", "ws_read: read list; play: click open type", ""},
    {"play ws_read", "", "play: click open type; ws_read: read list", ""},
    {"", "", "", ""},
    /* B.18: "*" gives all toolsets */
    {"*", "", ALL, ""},
    {"web *", "", "web: fetch get; ws_read: read list; os: run; play: click open type",
     ""},
    {"* web", "", ALL, ""},
    {"* *", "", ALL, ""},
    /* B.18: an exclusion applies at any place in the list */
    {"* !os", "", "ws_read: read list; web: fetch get; play: click open type", ""},
    {"!os *", "", "ws_read: read list; web: fetch get; play: click open type", ""},
    {"web !web", "", "", ""},
    {"!web web play", "", "play: click open type", ""},
    {"* !none", "", ALL, ""},
    {"* !*", "", "", ""},
    {"web !*", "", "", ""},
    {"! web", "", "web: fetch get", ""},
    /* B.18: a name that is repeated keeps its first place */
    {"play web play", "", "play: click open type; web: fetch get", ""},
    /* B.18: single tools follow the toolsets; in each toolset, the order is that of the
     * server's list */
    {"web", "open", "web: fetch get; play: open", ""},
    {"", "type click run", "play: click type; os: run", ""},
    {"web", "get fetch", "web: fetch get", ""},
    {"!play", "open", "play: open", ""},
    {"", "open open", "play: open", ""},
    /* an exclusion can remove single tools from a toolset */
    {"play", "!open", "play: click type", ""},
    {"*", "!run", "ws_read: read list; os:; web: fetch get; play: click open type", ""},
    {"play", "open !open", "play: click type", ""},
    /* R85, R86: some names give no tools */
    {"web nope", "", "web: fetch get", "nope unknown"},
    {"nope web nope2", "", "web: fetch get", "nope unknown; nope2 unknown"},
    {"slow", "", "", "slow down"},
    {"web", "nope *", "web: fetch get", "tool nope unknown; tool * unknown"},
    {"Web", "", "", "Web unknown"},
    {"we*", "", "", "we* unknown"},
    {"!nope", "!nope", "", ""},
};

START_TEST(
    a_grant_gives_the_named_toolsets_and_tools_of_the_catalog) /* R83 R84 R85 R86 B.18 */
{
    add_grants(MCPH_GRANT_TOOLSETS, cases[_i].toolsets);
    add_grants(MCPH_GRANT_TOOLS, cases[_i].tools);
    resolve();
    ck_assert_str_eq(seen(), cases[_i].seen);
    ck_assert_str_eq(lacks(), cases[_i].lacks);
}
END_TEST

START_TEST(ungranted_servers_toolsets_and_tools_are_not_in_the_catalog) /* R87 */
{
    const char *json;
    size_t len;

    add_grants(MCPH_GRANT_TOOLSETS, "web");
    add_grants(MCPH_GRANT_TOOLS, "open");
    resolve();
    ck_assert_ptr_nonnull(mcphost_catalog_find_tool(mine, "fetch"));
    ck_assert_ptr_nonnull(mcphost_catalog_find_tool(mine, "open"));
    ck_assert_ptr_null(mcphost_catalog_find_tool(mine, "click"));
    ck_assert_ptr_null(mcphost_catalog_find_tool(mine, "run"));
    ck_assert_int_eq(mcphost_catalog_find_toolset(mine, "os", NULL), MCPHOST_E_NOTFOUND);
    ck_assert_ptr_null(mcphost_catalog_find_server(mine, "slow"));
    ck_assert_uint_eq(mcphost_catalog_count_servers(mine), 2);
    ck_assert_uint_eq(mcphost_catalog_count_tools(mine), 3);
    for (int shape = MCPHOST_SHAPE_MCP; shape <= MCPHOST_SHAPE_ANTHROPIC; shape++) {
        ck_assert_int_eq(
            mcphost_catalog_get_tools_json(mine, shape, NULL, &json, &len, NULL), 0);
        ck_assert_ptr_nonnull(strstr(json, "\"open\""));
        ck_assert_ptr_null(strstr(json, "\"click\""));
        ck_assert_ptr_null(strstr(json, "\"run\""));
    }
    ck_assert_int_eq(mcphost_catalog_get_tools_json(mine, 0, "os", &json, &len, NULL),
                     MCPHOST_E_NOTFOUND);
    /* Check that the base catalog is unchanged. */
    ck_assert_uint_eq(mcphost_catalog_count_tools(base), 8);
}
END_TEST

/* The app-only tools of a server belong to its toolset. */
START_TEST(a_grant_of_all_tools_by_name_differs_from_a_grant_of_their_toolset)
{
    mcphost_catalog *whole, *again;

    add_grants(MCPH_GRANT_TOOLSETS, "web");
    resolve();
    whole = mcph_catalog_ref(mine);
    resolve();
    again = mcph_catalog_ref(mine);
    ck_assert(mcph_catalog_same(whole, again));
    mcph_grant_unref(grant);
    grant = mcph_grant_new();
    add_grants(MCPH_GRANT_TOOLS, "fetch get");
    resolve();
    ck_assert_str_eq(seen(), "web: fetch get");
    ck_assert(!mcph_catalog_same(whole, mine));
    mcph_catalog_unref(whole);
    mcph_catalog_unref(again);
}
END_TEST

START_TEST(granted_catalogs_share_the_tool_objects_of_the_base) /* R211 */
{
    add_grants(MCPH_GRANT_TOOLSETS, "*");
    resolve();
    ck_assert_ptr_eq(mcphost_catalog_find_tool(mine, "click"),
                     mcphost_catalog_find_tool(base, "click"));
    ck_assert_ptr_eq(mcphost_catalog_find_tool(mine, "run"),
                     mcphost_catalog_find_tool(base, "run"));
    base = mcph_catalog_unref(base); /* the tools outlive the base */
    ck_assert_str_eq(mcphost_tool_get_name(mcphost_catalog_find_tool(mine, "click")),
                     "click");
}
END_TEST

START_TEST(the_tool_lists_have_the_order_of_the_grant)
{
    add_grants(MCPH_GRANT_TOOLSETS, "play os web");
    resolve();
    catrig_same(catrig_tool_names(mine), "click open type run fetch get ");
    ck_assert_ptr_nonnull(
        strstr(catrig_json(mine, MCPHOST_SHAPE_MCP, NULL), "\"click\""));
    ck_assert(strstr(catrig_json(mine, MCPHOST_SHAPE_MCP, NULL), "\"type\"") <
              strstr(catrig_json(mine, MCPHOST_SHAPE_MCP, NULL), "\"run\""));
    ck_assert_str_eq(mcphost_server_get_id(mcphost_catalog_get_server(mine, 0)), "web");
    ck_assert_ptr_null(mcphost_catalog_get_toolset_owner(mine, 1));
    ck_assert_str_eq(mcphost_catalog_get_toolset_owner(mine, 2), "web");
}
END_TEST

START_TEST(a_grant_is_resolved_against_the_current_base_each_time) /* R84 R96 */
{
    add_grants(MCPH_GRANT_TOOLSETS, "*");
    resolve();
    mcph_catalog_unref(base);
    base = catrig_catalog(catrig_builtin("os", "run"), catrig_server_named("new", "x"),
                          NULL);
    ck_assert_str_eq(seen(), ALL); /* the granted catalog is unchanged until resolve() */
    resolve();
    ck_assert_str_eq(seen(), "os: run; new: x");
}
END_TEST

START_TEST(a_server_without_a_list_is_present_without_a_toolset)
{
    const char *grants[] = {"slow", "*"};

    add_grants(MCPH_GRANT_TOOLSETS, grants[_i]);
    resolve();
    ck_assert_ptr_nonnull(mcphost_catalog_find_server(mine, "slow"));
    ck_assert_ptr_null(
        mcphost_server_get_toolset(mcphost_catalog_find_server(mine, "slow")));
    /* "*" does not report that slow has no list, because "*" names no particular
     * server. */
    ck_assert_str_eq(lacks(), _i ? "" : "slow down");
}
END_TEST

/* ---- facts from outside the catalog ------------------------------------------------ */

static unsigned
flags(const char *toolset, void *arg)
{
    ck_assert_ptr_eq(arg, &world);
    return strcmp(toolset, "os") == 0    ? MCPH_TOOLSET_NOT_BY_STAR
           : strcmp(toolset, "web") == 0 ? MCPH_TOOLSET_NEVER_GIVEN
                                         : 0;
}

static enum mcphost_lack
lack(const char *toolset, void *arg)
{
    ck_assert_ptr_eq(arg, &world);
    return strcmp(toolset, "bad") == 0    ? MCPHOST_LACK_INVALID
           : strcmp(toolset, "off") == 0  ? MCPHOST_LACK_DISABLED
           : strcmp(toolset, "slow") == 0 ? MCPHOST_LACK_DOWN
                                          : MCPHOST_LACK_UNKNOWN;
}

START_TEST(flags_keep_a_toolset_from_the_star_or_from_all_grants) /* B.18 */
{
    world.flags = flags;
    world.arg = &world;
    add_grants(MCPH_GRANT_TOOLSETS, "*");
    resolve();
    ck_assert_str_eq(seen(), "ws_read: read list; play: click open type");
    ck_assert_str_eq(lacks(), "");
    add_grants(MCPH_GRANT_TOOLSETS, "os web");
    add_grants(MCPH_GRANT_TOOLS, "fetch");
    resolve();
    ck_assert_str_eq(seen(), "ws_read: read list; play: click open type; os: run");
    ck_assert_str_eq(lacks(), "web not_assignable; tool fetch not_assignable");
    ck_assert_ptr_null(mcphost_catalog_find_tool(mine, "fetch"));
}
END_TEST

START_TEST(the_reason_for_a_missing_toolset_is_given) /* R86 B.18 */
{
    world.lack = lack;
    world.arg = &world;
    add_grants(MCPH_GRANT_TOOLSETS, "nope bad off slow web");
    resolve();
    ck_assert_str_eq(seen(), "web: fetch get");
    ck_assert_str_eq(lacks(), "nope unknown; bad invalid; off disabled; slow down");
    /* The reason `unknown` changes to config_invalid, because a rejected file does not
     * show which names are configured. */
    world.config_rejected = true;
    add_grants(MCPH_GRANT_TOOLS, "gone");
    resolve();
    ck_assert_str_eq(seen(), "web: fetch get"); /* the base still has web */
    ck_assert_str_eq(lacks(),
                     "nope config_invalid; bad invalid; off disabled; slow down; "
                     "tool gone config_invalid");
}
END_TEST

START_TEST(a_missing_name_has_a_message_and_an_id) /* R86 */
{
    static const char *const said[] = {
        "member 'ann': toolset 'nope' is not known",
        "member 'ann': toolset 'bad' is declared, but its server's configuration is "
        "invalid",
        "member 'ann': toolset 'off' is declared, but its server is disabled",
        "member 'ann': toolset 'slow' is declared, but its server is not running",
    };
    struct mcph_buf text;

    world.lack = lack;
    world.arg = &world;
    add_grants(MCPH_GRANT_TOOLSETS, "nope bad off slow");
    add_grants(MCPH_GRANT_TOOLS, "x");
    resolve();
    ck_assert_uint_eq(mine->n_missing, 5);
    mcph_buf_init(&text, 4096);
    for (size_t i = 0; i < 4; i++) {
        mcph_buf_clear(&text);
        ck_assert_int_eq(mcph_missing_add_message(&text, "ann", &mine->missing[i]), 0);
        mcph_buf_addc(&text, '\0');
        ck_assert_str_eq(text.data, said[i]);
        ck_assert_int_eq(mine->missing[i].item->line, 1);
        ck_assert_int_eq(mine->missing[i].item->column, 2);
    }
    mcph_buf_clear(&text);
    ck_assert_int_eq(mcph_missing_add_id(&text, "ann", &mine->missing[0]), 0);
    mcph_buf_addc(&text, ' ');
    ck_assert_int_eq(mcph_missing_add_id(&text, "ann", &mine->missing[4]), 0);
    mcph_buf_addc(&text, '\0');
    ck_assert_str_eq(text.data, "team/member/ann/toolset/nope team/member/ann/tool/x");
    mcph_buf_done(&text);
}
END_TEST

START_TEST(long_names_with_control_characters_are_cleaned_in_messages)
{
    char name[1000];
    struct mcph_buf text;

    memset(name, 'x', sizeof(name));
    memcpy(name, "a\nb\x1b[31m", 9);
    name[sizeof(name) - 1] = '\0';
    ck_assert_int_eq(mcph_grant_add(grant, MCPH_GRANT_TOOLSETS, name, 0, 0), 0);
    resolve();
    mcph_buf_init(&text, 4096);
    ck_assert_int_eq(mcph_missing_add_message(&text, name, &mine->missing[0]), 0);
    ck_assert_uint_lt(text.len, 500);
    ck_assert_ptr_null(memchr(text.data, '\n', text.len));
    ck_assert_ptr_null(memchr(text.data, '\x1b', text.len));
    mcph_buf_done(&text);
}
END_TEST

START_TEST(a_grant_has_at_most_1024_items_and_can_be_cleared)
{
    for (int i = 0; i < MCPH_GRANT_ITEMS_MAX; i++)
        ck_assert_int_eq(mcph_grant_add(grant, MCPH_GRANT_TOOLSETS, "web", 0, 0), 0);
    ck_assert_int_eq(mcph_grant_add(grant, MCPH_GRANT_TOOLSETS, "web", 0, 0),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_grant_add(grant, MCPH_GRANT_TOOLSETS, " ", 0, 0), 0);
    resolve();
    ck_assert_str_eq(seen(), "web: fetch get");
    mcph_grant_clear(grant);
    resolve();
    ck_assert_str_eq(seen(), "");
}
END_TEST

START_TEST(a_grant_on_an_empty_base_gives_nothing)
{
    mcph_catalog_unref(base);
    base = catrig_catalog(NULL);
    add_grants(MCPH_GRANT_TOOLSETS, "* a");
    add_grants(MCPH_GRANT_TOOLS, "b");
    ck_assert_int_eq(mcph_catalog_new_granted(1, base, grant, NULL, &mine, NULL), 0);
    ck_assert_str_eq(seen(), "");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "grants");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_grant_gives_the_named_toolsets_and_tools_of_the_catalog, 0,
                        (int)MCPH_ARRAY_SIZE(cases));
    tcase_add_test(tc, ungranted_servers_toolsets_and_tools_are_not_in_the_catalog);
    tcase_add_test(tc,
                   a_grant_of_all_tools_by_name_differs_from_a_grant_of_their_toolset);
    tcase_add_test(tc, granted_catalogs_share_the_tool_objects_of_the_base);
    tcase_add_test(tc, the_tool_lists_have_the_order_of_the_grant);
    tcase_add_test(tc, a_grant_is_resolved_against_the_current_base_each_time);
    tcase_add_loop_test(tc, a_server_without_a_list_is_present_without_a_toolset, 0, 2);

    tc = test_case(suite, "lacks");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, flags_keep_a_toolset_from_the_star_or_from_all_grants);
    tcase_add_test(tc, the_reason_for_a_missing_toolset_is_given);
    tcase_add_test(tc, a_missing_name_has_a_message_and_an_id);
    tcase_add_test(tc, long_names_with_control_characters_are_cleaned_in_messages);
    tcase_add_test(tc, a_grant_has_at_most_1024_items_and_can_be_cleared);
    tcase_add_test(tc, a_grant_on_an_empty_base_gives_nothing);
}

int
main(void)
{
    return test_main("catalog-grant", add);
}
