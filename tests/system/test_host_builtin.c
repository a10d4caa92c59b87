/* SPDX-License-Identifier: MIT
 *
 * test_host_builtin.c - definitions of blocks of built-in tools, and changes of a view's
 * blocks while the host runs.
 */
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

#define PLAIN "transform: []"

static struct hostrig hr;
static int freed;

/* Answers the call with the text `arg`. */
static int
answer_text(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arguments;
    (void)len;
    return mcphost_call_answer(call, arg, strlen(arg), 0);
}

static void
count_free(void *arg)
{
    (void)arg;
    freed++;
}

static mcphost_builtins *
block_new(const char *owner)
{
    mcphost_builtins *block = NULL;

    ck_assert_int_eq(mcphost_builtins_new(owner, &block, NULL), 0);
    return block;
}

/* Adds a tool that answers with `text`.  Its input schema has one property, with the name
 * `property`. */
static void
add_tool(mcphost_builtins *block, const char *name, const char *property, char *text)
{
    mcphost_error *err = NULL;
    char json[256];

    snprintf(json, sizeof(json),
             "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
             "\"%s\":{\"type\":\"string\"}}}}",
             name, property);
    if (mcphost_builtins_add_tool(block, json, strlen(json), answer_text, text,
                                  count_free, &err) < 0)
        ck_abort_msg("tool '%s': %s", name, mcphost_error_get_message(err));
}

/* Adds a toolset.  Blanks separate the `names` of its tools. */
static void
add_set(mcphost_builtins *block, const char *toolset, const char *names)
{
    const char *tools[8];
    char copy[256], *rest = copy, *name;
    size_t n = 0;

    snprintf(copy, sizeof(copy), "%s", names);
    for (name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        tools[n++] = name;
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, toolset, NULL, tools, n, NULL),
                     0);
}

/* Makes a block of one tool in one toolset. */
static mcphost_builtins *
block_of(const char *owner, const char *toolset, const char *tool, char *text)
{
    mcphost_builtins *block = block_new(owner);

    add_tool(block, tool, "x", text);
    add_set(block, toolset, tool);
    return block;
}

/* Gives the block to the view and drops the caller's reference.  If the view refuses the
 * block, the error message must contain `says`. */
static int
try_show(mcphost_view *view, mcphost_builtins *block, const char *says)
{
    mcphost_error *err = NULL;
    int r = mcphost_view_set_builtins(view, block, &err);

    if (r < 0)
        ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), says));
    mcphost_error_unref(err);
    mcphost_builtins_unref(block);
    return r;
}

static mcphost_view *
base(void)
{
    return mcphost_default_view(hr.host);
}

static void
show(mcphost_builtins *block)
{
    ck_assert_int_eq(try_show(base(), block, ""), 0);
}

static mcphost_view *
layered(const char *name)
{
    mcphost_view *view = NULL;

    ck_assert_int_eq(mcphost_view_new_layered(hr.host, name, &view, NULL), 0);
    return view;
}

/* Returns the names of the view's tools, such as "read write". */
static const char *
tools_of(mcphost_view *view)
{
    static char text[1024];
    mcphost_catalog *catalog;
    size_t len = 0;

    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), 0);
    text[0] = '\0';
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "",
                             mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, i)));
    mcphost_catalog_unref(catalog);
    return text;
}

static bool
shows(mcphost_view *view, const char *tools)
{
    return strcmp(tools_of(view), tools) == 0;
}

/* Starts a host without mcp_admin and loads one server. */
static void
up(void)
{
    freed = 0;
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_server(&hr, "a", PLAIN, "no-tools\ntool one\ntool two");
    hr_load(&hr);
}

/* ---- blocks ------------------------------------------------------------------------ */

static int
add_definition(mcphost_builtins *block, const char *json, const char *says)
{
    mcphost_error *err = NULL;
    int r = mcphost_builtins_add_tool(block, json, strlen(json), answer_text, "",
                                      count_free, &err);

    if (r < 0)
        ck_assert_msg(strstr(mcphost_error_get_message(err), says), "%s",
                      mcphost_error_get_message(err));
    mcphost_error_unref(err);
    return r;
}

/* R27 */
START_TEST(an_invalid_tool_definition_is_refused)
{
    static const struct {
        const char *definition, *says;
        int code;
    } bad[] = {
        {"", "definition of a tool", MCPHOST_E_INVALID},
        {"[]", "definition of a tool", MCPHOST_E_INVALID},
        {"{\"inputSchema\":{}}", "name", MCPHOST_E_INVALID},
        {"{\"name\":\"\",\"inputSchema\":{}}", "name", MCPHOST_E_INVALID},
        {"{\"name\":\"a b\",\"inputSchema\":{}}", "'a b'", MCPHOST_E_INVALID},
        {"{\"name\":\"t\"}", "inputSchema", MCPHOST_E_INVALID},
        {"{\"name\":\"t\",\"inputSchema\":[]}", "inputSchema", MCPHOST_E_INVALID},
        {"{\"name\":\"t\",\"inputSchema\":{\"type\":\"thing\"}}", "type",
         MCPHOST_E_INVALID},
        {"{\"name\":\"t\",\"inputSchema\":{},\"outputSchema\":{\"minLength\":\"x\"}}",
         "minLength", MCPHOST_E_INVALID},
        {"{\"name\":\"there\",\"inputSchema\":{}}", "'there'", MCPHOST_E_EXISTS},
    };
    mcphost_builtins *block = block_new("me");

    freed = 0;
    add_tool(block, "there", "x", "");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int r = add_definition(block, bad[i].definition, bad[i].says);

        ck_assert_msg(r == bad[i].code, "%s: %d", bad[i].definition, r);
        ck_assert_int_eq(freed, (int)i + 1);
    }
    mcphost_builtins_unref(block);
    ck_assert_int_eq(freed, (int)(sizeof(bad) / sizeof(bad[0])) + 1);
}
END_TEST

START_TEST(a_tool_definition_over_4_mib_is_refused)
{
    static char json[4 * 1024 * 1024 + 64];
    mcphost_builtins *block = block_new("me");
    int n = snprintf(json, sizeof(json), "{\"name\":\"t\",\"inputSchema\":{}");

    memset(json + n, ' ', sizeof(json) - 1 - (size_t)n);
    json[sizeof(json) - 2] = '}';
    freed = 0;
    ck_assert_int_eq(mcphost_builtins_add_tool(block, json, sizeof(json) - 1, answer_text,
                                               NULL, count_free, NULL),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(freed, 1);
    mcphost_builtins_unref(block);
}
END_TEST

/* R27 */
START_TEST(an_invalid_toolset_is_refused)
{
    static const char *const tools[] = {"t", "t"}, *const other[] = {"u"},
                             *const none[] = {NULL};
    mcphost_builtins *block = block_of("me", "own", "t", "");

    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "", NULL, tools, 1, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "\xff", NULL, tools, 1, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", "\xff", tools, 1, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", NULL, tools, 2, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", NULL, none, 1, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", NULL, NULL, 1, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", NULL, other, 1, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "own", NULL, tools, 1, NULL),
                     MCPHOST_E_EXISTS);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", "d", tools, 1, NULL), 0);
    mcphost_builtins_unref(block);
}
END_TEST

START_TEST(functions_of_blocks_refuse_null)
{
    static const char json[] = "{\"name\":\"t\",\"inputSchema\":{}}";
    mcphost_builtins *block = NULL;

    freed = 0;
    ck_assert_int_eq(mcphost_builtins_new(NULL, &block, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_new("me", NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_new("", &block, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_new("\xff", &block, NULL), MCPHOST_E_INVALID);
    ck_assert_ptr_null(block);
    block = block_new("me");
    ck_assert_str_eq(mcphost_builtins_get_owner(block), "me");
    ck_assert_ptr_null(mcphost_builtins_get_owner(NULL));
    ck_assert_int_eq(mcphost_builtins_add_tool(NULL, json, sizeof(json) - 1, answer_text,
                                               NULL, count_free, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_builtins_add_tool(block, json, sizeof(json) - 1, NULL, NULL,
                                               count_free, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(freed, 2);
    ck_assert_int_eq(mcphost_builtins_add_toolset(NULL, "s", NULL, NULL, 0, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_eq(mcphost_builtins_ref(block), block);
    ck_assert_ptr_null(mcphost_builtins_unref(block));
    ck_assert_ptr_null(mcphost_builtins_unref(block));
    ck_assert_ptr_null(mcphost_builtins_ref(NULL));
    ck_assert_ptr_null(mcphost_builtins_unref(NULL));
    up();
    ck_assert_int_eq(mcphost_view_set_builtins(base(), NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_set_builtins(NULL, NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_remove_builtins(NULL, "me"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_remove_builtin(base(), NULL), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

START_TEST(a_block_cannot_be_changed_once_a_view_has_it)
{
    static const char *const tools[] = {"t"};
    mcphost_builtins *block = block_of("me", "own", "t", "");

    up();
    show(mcphost_builtins_ref(block));
    ck_assert_int_eq(add_definition(block, "{\"name\":\"u\",\"inputSchema\":{}}", "'me'"),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", NULL, tools, 1, NULL),
                     MCPHOST_E_STATE);
    mcphost_builtins_unref(block);
    hr_down(&hr);
}
END_TEST

START_TEST(a_block_with_a_tool_in_no_toolset_is_refused)
{
    mcphost_builtins *block = block_of("me", "own", "t", "");

    up();
    add_tool(block, "lost", "x", "");
    ck_assert_int_eq(try_show(base(), block, "'lost'"), MCPHOST_E_INVALID);
    ck_assert_int_eq(freed, 2);
    hr_down(&hr);
}
END_TEST

/* ---- toolsets ---------------------------------------------------------------------- */

/* Returns a block with read_file in two toolsets and write_file in one toolset. */
static mcphost_builtins *
files_block(void)
{
    mcphost_builtins *block = block_new("files");

    add_tool(block, "read_file", "x", "read");
    add_tool(block, "write_file", "x", "written");
    add_set(block, "ws_read", "read_file");
    add_set(block, "ws_mod", "write_file read_file");
    return block;
}

static int
count(const char *text, const char *needle)
{
    int n = 0;

    for (text = strstr(text, needle); text; text = strstr(text + 1, needle))
        n++;
    return n;
}

/* R27 R211 */
START_TEST(a_tool_in_two_toolsets_is_found_in_each_and_listed_once)
{
    mcphost_catalog *catalog;
    mcphost_tool *tool;
    const char *json;
    size_t len;

    up();
    show(files_block());
    hr_until(&hr, shows(base(), "read_file write_file one two"));
    ck_assert_str_eq(hr_toolset(&hr, "ws_read"), "read_file");
    ck_assert_str_eq(hr_toolset(&hr, "ws_mod"), "write_file read_file");
    tool = hr_tool(&hr, "read_file");
    ck_assert_str_eq(mcphost_tool_get_toolset(tool), "ws_read");
    ck_assert_ptr_null(mcphost_tool_get_server_id(tool));
    mcphost_tool_unref(tool);
    ck_assert_int_eq(mcphost_view_get_catalog(base(), &catalog), 0);
    ck_assert_int_eq(mcphost_catalog_get_tools_json(catalog, MCPHOST_SHAPE_MCP, NULL,
                                                    &json, &len, NULL),
                     0);
    ck_assert_int_eq(count(json, "\"read_file\""), 1);
    ck_assert_int_eq(count(json, "\"write_file\""), 1);
    ck_assert_int_eq(mcphost_catalog_get_tools_json(catalog, MCPHOST_SHAPE_MCP, "ws_mod",
                                                    &json, &len, NULL),
                     0);
    ck_assert_int_eq(count(json, "_file\""), 2);
    mcphost_catalog_unref(catalog);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "read_file", "{}"), "read");
    hr_down(&hr);
}
END_TEST

/* R84 R211 */
START_TEST(a_grant_of_either_toolset_gives_a_shared_tool)
{
    static const struct {
        const char *toolsets, *tools, *shown;
    } grants[] = {
        {"ws_read", "", "read_file"},
        {"ws_mod", "", "write_file read_file"},
        {"* !ws_read", "", "write_file read_file one two"},
        {"* !ws_mod", "", "read_file one two"},
        {"ws_mod", "!read_file", "write_file"},
        {"", "read_file", "read_file"},
        {"!ws_read", "read_file", "read_file"},
    };
    char name[16];

    up();
    show(files_block());
    hr_until(&hr, hr_has(&hr, "read_file"));
    for (size_t i = 0; i < sizeof(grants) / sizeof(grants[0]); i++) {
        mcphost_grant *grant = hr_grant(grants[i].toolsets, grants[i].tools);
        mcphost_dialog *dialog = NULL;
        mcphost_view *view = NULL;

        snprintf(name, sizeof(name), "v%zu", i);
        ck_assert_int_eq(mcphost_view_new(hr.host, name, grant, &view, NULL), 0);
        ck_assert_msg(shows(view, grants[i].shown), "'%s' '%s': %s", grants[i].toolsets,
                      grants[i].tools, tools_of(view));
        ck_assert_int_eq(mcphost_dialog_new(view, name, NULL, &dialog, NULL), 0);
        hr.dialogs[hr.n_dialogs++] = dialog;
        if (strstr(grants[i].shown, "read_file"))
            ck_assert_str_eq(hr_say(&hr, dialog, "read_file", "{}"), "read");
        mcphost_grant_unref(grant);
        mcphost_view_unref(view);
    }
    hr_down(&hr);
}
END_TEST

/* ---- views ------------------------------------------------------------------------- */

/* R211 */
START_TEST(blocks_can_be_added_replaced_and_removed_after_the_load)
{
    int told;

    up();
    told = hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1);
    show(block_of("p", "p", "p_one", "1"));
    hr_until(&hr, shows(base(), "p_one one two"));
    show(block_of("q", "q", "q_one", "2"));
    hr_until(&hr, shows(base(), "p_one q_one one two"));
    show(block_of("p", "p", "p_two", "3"));
    hr_until(&hr, shows(base(), "p_two q_one one two"));
    ck_assert_int_eq(freed, 1);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "p_two", "{}"), "3");
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), "p"), 0);
    hr_until(&hr, shows(base(), "q_one one two"));
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), "p"), MCPHOST_E_NOTFOUND);
    ck_assert_int_ge(hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1), told + 4);
    hr_down(&hr);
    ck_assert_int_eq(freed, 3);
}
END_TEST

START_TEST(before_the_load_the_default_view_shows_blocks_at_once)
{
    hr_up(&hr);
    show(block_of("p", "p", "p_one", "1"));
    ck_assert_str_eq(tools_of(base()), HR_ADMIN " p_one");
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), "p"), 0);
    ck_assert_str_eq(tools_of(base()), HR_ADMIN);
    hr_down(&hr);
}
END_TEST

START_TEST(a_layered_view_shows_a_block_from_before_the_load_after_it)
{
    mcphost_view *view;

    hr_up(&hr);
    view = layered("v");
    ck_assert_int_eq(try_show(view, block_of("p", "p", "p_one", "1"), ""), 0);
    hr_load(&hr);
    hr_until(&hr, shows(view, "p_one"));
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

/* R27, R28: a built-in tool takes a name from a server's tool.  When the built-in tool is
 * removed, the server's tool has the name again. */
START_TEST(a_built_in_tool_added_later_takes_a_server_tools_name)
{
    mcphost_dialog *d;

    up();
    d = hr_dialog(&hr, "d");
    show(block_of("p", "p", "one", "ours"));
    hr_until(&hr, hr_toolset(&hr, "p") != NULL);
    ck_assert_str_eq(tools_of(base()), "one two");
    ck_assert_str_eq(hr_say(&hr, d, "one", "{}"), "ours");
    ck_assert_str_eq(hr_toolset(&hr, "a"), "two");
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), "p"), 0);
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "one two") == 0);
    hr_down(&hr);
}
END_TEST

/* R27 */
START_TEST(a_block_with_a_name_of_another_block_is_refused)
{
    mcphost_view *view;

    up();
    show(block_of("p", "p", "p_one", ""));
    ck_assert_int_eq(try_show(base(), block_of("q", "q", "p_one", ""), "tool 'p_one'"),
                     MCPHOST_E_EXISTS);
    ck_assert_int_eq(try_show(base(), block_of("q", "p", "q_one", ""), "toolset 'p'"),
                     MCPHOST_E_EXISTS);
    ck_assert_int_eq(freed, 2);
    show(block_of("p", "p", "p_one", "")); /* a block may have the names of the block
                                            * that it replaces */
    hr_until(&hr, shows(base(), "p_one one two"));

    view = layered("v");
    ck_assert_int_eq(try_show(view, block_of("q", "q", "p_one", ""), ""), 0);
    ck_assert_int_eq(mcphost_view_show_builtins(view, 1), MCPHOST_E_EXISTS);
    hr_until(&hr, shows(view, "p_one"));
    ck_assert_int_eq(try_show(view, block_of("q", "q", "q_one", ""), ""), 0);
    ck_assert_int_eq(mcphost_view_show_builtins(view, 1), 0);
    hr_until(&hr, shows(view, "p_one q_one"));
    /* The layered view also shows the default view's blocks.  Therefore each of the two
     * views refuses a block with which the layered view would show a name twice. */
    ck_assert_int_eq(try_show(base(), block_of("r", "r", "q_one", ""), "tool 'q_one'"),
                     MCPHOST_E_EXISTS);
    ck_assert_int_eq(try_show(view, block_of("q", "q", "p_one", ""), "tool 'p_one'"),
                     MCPHOST_E_EXISTS);
    hr_turn(&hr, 5);
    ck_assert_str_eq(tools_of(view), "p_one q_one");
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

START_TEST(a_layered_view_has_its_own_blocks)
{
    mcphost_view *view, *other;
    mcphost_builtins *block;
    mcphost_dialog *dialog;

    up();
    view = layered("v");
    other = layered("w");
    block = block_of("p", "p", "p_one", "1");
    ck_assert_int_eq(try_show(view, mcphost_builtins_ref(block), ""), 0);
    hr_until(&hr, shows(view, "p_one"));
    ck_assert_str_eq(tools_of(other), "");
    ck_assert_str_eq(tools_of(base()), "one two");
    ck_assert_int_eq(mcphost_view_remove_builtins(other, "p"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(try_show(other, block, ""), 0); /* a block may be in many views */
    hr_until(&hr, shows(other, "p_one"));
    ck_assert_int_eq(mcphost_view_remove_builtins(view, "p"), 0);
    ck_assert_int_eq(freed, 0);
    ck_assert_int_eq(mcphost_dialog_new(other, "d", NULL, &dialog, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = dialog;
    ck_assert_str_eq(hr_say(&hr, dialog, "p_one", "{}"), "1");
    hr_until(&hr, shows(view, ""));
    mcphost_view_unref(view);
    mcphost_view_unref(other);
    hr_down(&hr);
    ck_assert_int_eq(freed, 1);
}
END_TEST

START_TEST(a_granted_view_refuses_blocks_and_shows_those_of_the_default_view)
{
    mcphost_grant *grant;
    mcphost_view *view;

    up();
    grant = hr_grant("*", "");
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", grant, &view, NULL), 0);
    ck_assert_int_eq(try_show(view, block_of("p", "p", "p_one", "1"), "grant"),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_remove_builtins(view, "p"), MCPHOST_E_INVALID);
    show(block_of("p", "p", "p_one", "1"));
    hr_until(&hr, shows(view, "p_one one two"));
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), "p"), 0);
    hr_until(&hr, shows(view, "one two"));
    mcphost_grant_unref(grant);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

/* The host reserves the names of mcp_admin and its tools only while it offers these
 * tools.  Otherwise the application can use the names for its own tools. */
START_TEST(names_of_mcp_admin_are_free_while_its_tools_are_not_offered)
{
    mcphost_grant *grant;
    mcphost_view *view;

    hr_up(&hr);
    ck_assert_int_eq(try_show(base(), block_of("p", "mcp_admin", "t", ""), "mcp_admin"),
                     MCPHOST_E_EXISTS);
    ck_assert_int_eq(try_show(base(), block_of("p", "p", "env_get", ""), "env_get"),
                     MCPHOST_E_EXISTS);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    show(block_of("p", "mcp_admin", "env_get", "ours"));
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_ADMIN_TOOLS, 1),
                     MCPHOST_E_EXISTS);
    hr_server(&hr, "a", PLAIN,
              "no-tools\ntool mcp_restart\non call:mcp_restart\n text a");
    hr_load(&hr);
    ck_assert_str_eq(tools_of(base()), "env_get mcp_restart");
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "env_get", "{}"), "ours");
    /* While the host offers no admin tools, a grant of mcp_admin gives the application's
     * toolset mcp_admin. */
    grant = hr_grant("mcp_admin", "");
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", grant, &view, NULL), 0);
    ck_assert_str_eq(tools_of(view), "env_get");
    mcphost_grant_unref(grant);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

/* ---- older catalogs ---------------------------------------------------------------- */

static int
call_kept(mcphost_dialog *dialog, mcphost_tool *tool, const char *text)
{
    mcphost_call *call = NULL;
    int r = mcphost_call_new_tool(dialog, tool, "{}", 2, &call, NULL);

    if (r < 0)
        return r;
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    r = hr_end(&hr, call);
    if (r == 0)
        ck_assert_str_eq(hr_text(&hr, call), text);
    return r;
}

START_TEST(a_kept_tool_runs_in_its_owners_new_block_if_the_schema_matches)
{
    mcphost_builtins *block;
    mcphost_dialog *d;
    mcphost_tool *tool;

    up();
    d = hr_dialog(&hr, "d");
    show(block_of("p", "p", "t", "first"));
    hr_until(&hr, hr_has(&hr, "t"));
    tool = hr_tool(&hr, "t");
    ck_assert_int_eq(call_kept(d, tool, "first"), 0);
    show(block_of("p", "elsewhere", "t", "second")); /* the tool has the same name and
                                                      * schema as before */
    ck_assert_int_eq(call_kept(d, tool, "second"), 0);
    block = block_new("p");
    add_tool(block, "t", "another", "third");
    add_set(block, "p", "t");
    show(block);
    ck_assert_int_eq(call_kept(d, tool, ""), MCPHOST_E_GONE);
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), "p"), 0);
    ck_assert_int_eq(call_kept(d, tool, ""), MCPHOST_E_GONE);
    show(block_of("q", "p", "t", "another owner's"));
    ck_assert_int_eq(call_kept(d, tool, ""), MCPHOST_E_GONE);
    mcphost_tool_unref(tool);
    hr_down(&hr);
}
END_TEST

/* R88: a turn keeps its catalog.  A call of a built-in tool in this catalog runs the
 * function of the present block.  The call fails while no block has the tool. */
START_TEST(a_turn_keeps_its_catalog_when_a_block_is_removed)
{
    mcphost_dialog *d;

    up();
    d = hr_dialog(&hr, "d");
    show(block_of("p", "p", "t", "text"));
    hr_until(&hr, hr_has(&hr, "t"));
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), "p"), 0);
    hr_until(&hr, !hr_has(&hr, "t"));
    ck_assert_str_eq(hr_tools(&hr, d), "t one two");
    ck_assert_int_eq(hr_fail(&hr, d, "t", "{}"), MCPHOST_E_GONE);
    show(block_of("p", "p", "t", "again"));
    ck_assert_str_eq(hr_say(&hr, d, "t", "{}"), "again");
    ck_assert_int_eq(mcphost_dialog_end_turn(d), 0);
    hr_down(&hr);
}
END_TEST

/* ---- single tools without a block -------------------------------------------------- */

static int
add_short(const char *toolset, const char *name, char *text)
{
    return mcphost_view_add_builtin(base(), toolset, name, NULL, "{\"type\":\"object\"}",
                                    answer_text, text, count_free, NULL);
}

START_TEST(single_tools_can_be_added_and_removed_after_the_load)
{
    mcphost_dialog *d;

    up();
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(add_short("s", "t", "1"), 0);
    ck_assert_int_eq(add_short("s", "u", "2"), 0);
    hr_until(&hr, shows(base(), "t u one two"));
    ck_assert_str_eq(hr_say(&hr, d, "u", "{}"), "2");
    ck_assert_int_eq(mcphost_view_remove_builtin(base(), "t"), 0);
    ck_assert_int_eq(freed, 1);
    hr_until(&hr, shows(base(), "u one two"));
    ck_assert_int_eq(mcphost_view_remove_builtin(base(), "t"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), ""), MCPHOST_E_INVALID);
    ck_assert_str_eq(hr_say(&hr, d, "u", "{}"), "2");
    ck_assert_int_eq(mcphost_view_remove_builtin(base(), "u"), 0);
    hr_until(&hr, shows(base(), "one two"));
    ck_assert_ptr_null(hr_toolset(&hr, "s"));
    ck_assert_int_eq(mcphost_view_remove_builtin(base(), "u"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(add_short("s", "t", "3"), 0);
    hr_until(&hr, shows(base(), "t one two"));
    hr_down(&hr);
    ck_assert_int_eq(freed, 3);
}
END_TEST

/* ---- closing the host -------------------------------------------------------------- */

START_TEST(a_closed_host_refuses_blocks_and_frees_those_it_has)
{
    mcphost_builtins *block = block_of("q", "q", "q_one", "");
    mcphost_view *view;

    up();
    view = layered("v");
    show(block_of("p", "p", "p_one", ""));
    ck_assert_int_eq(try_show(view, block_of("p", "p", "p_one", ""), ""), 0);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(mcphost_view_set_builtins(base(), block, NULL), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcphost_view_remove_builtins(base(), "p"), MCPHOST_E_CLOSED);
    ck_assert_int_eq(add_short("s", "t", ""), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcphost_view_remove_builtin(base(), "t"), MCPHOST_E_CLOSED);
    ck_assert_int_eq(freed, 1);
    hr_down(&hr);
    ck_assert_int_eq(freed, 3);
    ck_assert_int_eq(mcphost_view_set_builtins(view, block, NULL), MCPHOST_E_CLOSED);
    mcphost_view_unref(view);
    mcphost_builtins_unref(block);
    ck_assert_int_eq(freed, 4);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *blocks = test_case(suite, "blocks"), *toolsets = test_case(suite, "toolsets");
    TCase *views = test_case(suite, "views"), *kept = test_case(suite, "kept");

    tcase_add_test(blocks, an_invalid_tool_definition_is_refused);
    tcase_add_test(blocks, a_tool_definition_over_4_mib_is_refused);
    tcase_add_test(blocks, an_invalid_toolset_is_refused);
    tcase_add_test(blocks, functions_of_blocks_refuse_null);
    tcase_add_test(blocks, a_block_cannot_be_changed_once_a_view_has_it);
    tcase_add_test(blocks, a_block_with_a_tool_in_no_toolset_is_refused);

    tcase_add_test(toolsets, a_tool_in_two_toolsets_is_found_in_each_and_listed_once);
    tcase_add_test(toolsets, a_grant_of_either_toolset_gives_a_shared_tool);

    tcase_add_test(views, blocks_can_be_added_replaced_and_removed_after_the_load);
    tcase_add_test(views, before_the_load_the_default_view_shows_blocks_at_once);
    tcase_add_test(views, a_layered_view_shows_a_block_from_before_the_load_after_it);
    tcase_add_test(views, a_built_in_tool_added_later_takes_a_server_tools_name);
    tcase_add_test(views, a_block_with_a_name_of_another_block_is_refused);
    tcase_add_test(views, a_layered_view_has_its_own_blocks);
    tcase_add_test(views,
                   a_granted_view_refuses_blocks_and_shows_those_of_the_default_view);
    tcase_add_test(views, names_of_mcp_admin_are_free_while_its_tools_are_not_offered);
    tcase_add_test(views, single_tools_can_be_added_and_removed_after_the_load);
    tcase_add_test(views, a_closed_host_refuses_blocks_and_frees_those_it_has);

    tcase_add_test(kept, a_kept_tool_runs_in_its_owners_new_block_if_the_schema_matches);
    tcase_add_test(kept, a_turn_keeps_its_catalog_when_a_block_is_removed);
}

int
main(void)
{
    return test_main("host-builtin", add);
}
