/* SPDX-License-Identifier: MIT
 *
 * test_host_apps.c - apps of servers (MCP Apps): tools that the host hides from the
 * model, and tools that an app may call.
 */
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

#define TOOL(name, meta) \
    "tool-json {\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}" meta "}\n"
#define UI(members) ",\"_meta\":{\"ui\":{" members "}}"
#define DONE        "on call\n text done\n"

/* The tools have different visibilities.  The model and apps see "both" and "plain". */
#define TOOLS                                                                 \
    "no-tools\n" TOOL("refresh", UI("\"visibility\":[\"app\"]"))              \
        TOOL("both", UI("\"resourceUri\":\"ui://a/view\""))                   \
            TOOL("think", UI("\"visibility\":[\"model\"]")) TOOL("plain", "") \
                TOOL("nobody", UI("\"visibility\":[]"))                       \
                    TOOL("submit", UI("\"visibility\":[\"app\"]")) DONE

static const char *const eras[] = {"", "era modern\n"};

static struct hostrig hr;
static mcphost_dialog *d;
static mcphost_catalog *catalog;

static void
look_at_tools(void)
{
    mcphost_catalog_unref(catalog);
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
}

static void
up(const char *era, const char *keys, const char *tools)
{
    char text[8192];

    snprintf(text, sizeof(text), "%s%s", era, tools);
    hr_up(&hr);
    hr_server(&hr, "a", keys, text);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    look_at_tools();
}

static void
down(void)
{
    catalog = mcphost_catalog_unref(catalog);
    hr_down(&hr);
}

static char names[512];

static void
add_name(const mcphost_tool *tool)
{
    size_t n = strlen(names);

    snprintf(names + n, sizeof(names) - n, "%s ", mcphost_tool_get_name(tool));
}

static const char *
tools_of(void)
{
    names[0] = '\0';
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++) {
        mcphost_tool *tool = mcphost_catalog_get_tool(catalog, i);

        if (mcphost_tool_get_server_id(tool))
            add_name(tool);
    }
    return names;
}

static const char *
app_tools(void)
{
    const mcphost_server *server = mcphost_catalog_find_server(catalog, "a");
    size_t n = mcphost_server_count_app_tools(server);

    names[0] = '\0';
    for (size_t i = 0; i < n; i++)
        add_name(mcphost_server_get_app_tool(server, i));
    ck_assert_ptr_null(mcphost_server_get_app_tool(server, n));
    return names;
}

/* Makes an app's call of `tool`, starts the call and waits for its end.  A result must
 * have the text "done".  Returns 0 or the error code of the step that failed.  *ret_why
 * gets the message if the call could not be made. */
static int
call(const char *tool, const char **ret_why)
{
    static char why[256];
    mcphost_call *made = NULL;
    mcphost_error *err = NULL;
    int r = mcphost_call_new_app_tool(d, "a", tool, "{}", 2, &made, &err);

    why[0] = '\0';
    *ret_why = why;
    if (r < 0) {
        snprintf(why, sizeof(why), "%s", mcphost_error_get_message(err));
        mcphost_error_unref(err);
        return r;
    }
    hr.calls[hr.n_calls++] = made;
    hr_go(made);
    r = hr_end(&hr, made);
    if (r == 0)
        ck_assert_str_eq(hr_text(&hr, made), "done");
    return r;
}

/* ---- the tools that the model sees ------------------------------------------------- */

START_TEST(a_tool_for_apps_only_is_in_no_list_for_the_model)
{
    mcphost_call *made;
    const char *json;
    size_t len;

    up(eras[_i], NULL, TOOLS);
    ck_assert_str_eq(tools_of(), "a_both a_think a_plain ");
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "refresh"));
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "a_refresh"));
    ck_assert_int_eq(mcphost_catalog_get_tools_json(catalog, MCPHOST_SHAPE_MCP, NULL,
                                                    &json, &len, NULL),
                     0);
    ck_assert_ptr_null(strstr(json, "refresh"));
    ck_assert_ptr_nonnull(strstr(json, "think"));
    ck_assert_int_eq(mcphost_call_new(d, "a_refresh", "{}", 2, &made, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(app_tools(), "refresh nobody submit ");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, "a", NULL, 1), 0);
    down();
}
END_TEST

START_TEST(getters_return_a_tools_visibility_and_app_uri)
{
    const mcphost_server *server;
    size_t len = 9;

    up(eras[_i], NULL, TOOLS);
    server = mcphost_catalog_find_server(catalog, "a");
    ck_assert_int_eq(
        mcphost_tool_get_visibility(mcphost_catalog_find_tool(catalog, "a_both")),
        MCPHOST_VISIBLE_TO_MODEL | MCPHOST_VISIBLE_TO_APPS);
    ck_assert_int_eq(
        mcphost_tool_get_visibility(mcphost_catalog_find_tool(catalog, "a_think")),
        MCPHOST_VISIBLE_TO_MODEL);
    ck_assert_int_eq(mcphost_tool_get_visibility(mcphost_server_get_app_tool(server, 0)),
                     MCPHOST_VISIBLE_TO_APPS);
    ck_assert_int_eq(mcphost_tool_get_visibility(mcphost_server_get_app_tool(server, 1)),
                     0);
    ck_assert_int_eq(mcphost_tool_get_visibility(NULL), 0);
    ck_assert_str_eq(
        mcphost_tool_get_app_uri(mcphost_catalog_find_tool(catalog, "a_both"), &len),
        "ui://a/view");
    ck_assert_uint_eq(len, 11);
    ck_assert_ptr_null(
        mcphost_tool_get_app_uri(mcphost_catalog_find_tool(catalog, "a_plain"), &len));
    ck_assert_uint_eq(len, 0);
    ck_assert_ptr_null(mcphost_tool_get_app_uri(NULL, NULL));
    ck_assert_uint_eq(mcphost_server_count_app_tools(NULL), 0);
    down();
}
END_TEST

/* Each row has an odd `_meta` of a tool, and the visibility and the URI that the library
 * reads from this `_meta`.  The library ignores values of a wrong type, unknown words in
 * a list, and invalid URIs. */
static const struct {
    const char *meta;
    int visibility;
    const char *uri;
} odd[] = {
    {",\"_meta\":{\"ui\":{\"visibility\":\"app\"}}", 3, NULL},
    {",\"_meta\":{\"ui\":[]}", 3, NULL},
    {",\"_meta\":7", 3, NULL},
    {",\"_meta\":{\"ui\":{\"visibility\":[\"model\",\"app\",\"moon\"]}}", 3, NULL},
    {",\"_meta\":{\"ui\":{\"visibility\":[7,\"model\"]}}", 1, NULL},
    {",\"_meta\":{\"ui\":{\"visibility\":[\"\\u006dodel\"]}}", 1, NULL},
    {",\"_meta\":{\"ui/resourceUri\":\"ui://old\"}", 3, "ui://old"},
    {",\"_meta\":{\"ui\":{\"resourceUri\":\"ui:\\/\\/a\"}}", 3, "ui://a"},
    {",\"_meta\":{\"ui\":{\"resourceUri\":\"https://a\"},\"ui/resourceUri\":\"ui://b\"}",
     3, "ui://b"},
    {",\"_meta\":{\"ui\":{\"resourceUri\":\"https://a\"}}", 3, NULL},
    {",\"_meta\":{\"ui\":{\"resourceUri\":\"ui://\"}}", 3, NULL},
};

START_TEST(malformed_or_unknown_ui_metadata_is_ignored)
{
    char text[1024];
    mcphost_tool *tool;
    const char *uri;

    snprintf(text, sizeof(text), "tool-json {\"name\":\"t\",\"inputSchema\":{}%s}\n",
             odd[_i].meta);
    up("", NULL, text);
    tool = mcphost_catalog_find_tool(catalog, "a_t");
    ck_assert_ptr_nonnull(tool);
    ck_assert_int_eq(mcphost_tool_get_visibility(tool), odd[_i].visibility);
    uri = mcphost_tool_get_app_uri(tool, NULL);
    if (odd[_i].uri)
        ck_assert_str_eq(uri, odd[_i].uri);
    else
        ck_assert_ptr_null(uri);
    down();
}
END_TEST

/* ---- names ------------------------------------------------------------------------- */

START_TEST(filters_apply_to_app_tools_and_transforms_do_not)
{
    const char *why;

    up("", "tools: {blacklist: [submit]}\ntransform: [{prefix: x_}]", TOOLS);
    ck_assert_str_eq(tools_of(), "x_both x_think x_plain ");
    ck_assert_str_eq(app_tools(), "refresh nobody ");
    ck_assert_int_eq(call("refresh", &why), 0);
    ck_assert_int_eq(call("both", &why), 0);
    ck_assert_int_eq(call("x_both", &why), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(call("submit", &why), MCPHOST_E_NOTFOUND);
    down();
}
END_TEST

START_TEST(an_app_tool_takes_no_name_from_another_tool)
{
    const char *why;

    up("", "transform: [{prefix: x_}]",
       "no-tools\n" TOOL("x_go", UI("\"visibility\":[\"app\"]")) TOOL("go", "") DONE);
    ck_assert_str_eq(tools_of(), "x_go ");
    ck_assert_str_eq(app_tools(), "x_go ");
    ck_assert_str_eq(
        mcphost_tool_get_original_name(mcphost_catalog_find_tool(catalog, "x_go")), "go");
    ck_assert_int_eq(call("x_go", &why), 0);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"name\":\"x_go\""), 1);
    down();
}
END_TEST

/* ---- calls ------------------------------------------------------------------------- */

START_TEST(an_app_can_call_only_tools_that_are_visible_to_apps)
{
    const char *why;

    up(eras[_i], NULL, TOOLS);
    ck_assert_int_eq(call("refresh", &why), 0);
    ck_assert_int_eq(call("submit", &why), 0);
    ck_assert_int_eq(call("both", &why), 0);
    ck_assert_int_eq(call("plain", &why), 0);
    ck_assert_int_eq(call("think", &why), MCPHOST_E_DENIED);
    ck_assert_str_eq(why, "apps of server 'a' may not call its tool 'think'");
    ck_assert_int_eq(call("nobody", &why), MCPHOST_E_DENIED);
    ck_assert_int_eq(call("moon", &why), MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(why, "server 'a' has no tool 'moon'");
    down();
}
END_TEST

START_TEST(an_app_cannot_call_tools_of_another_server)
{
    mcphost_call *made = NULL;
    const char *why;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, "tools mine\n");
    hr_server(&hr, "b", NULL, "tools theirs\n");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(call("theirs", &why), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_call_new_app_tool(d, "c", "mine", NULL, 0, &made, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_call_new_app_tool(d, NULL, "mine", NULL, 0, &made, NULL),
                     MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

START_TEST(a_model_call_with_an_app_tools_handle_is_denied)
{
    mcphost_call *made = NULL;
    mcphost_error *err = NULL;
    mcphost_tool *tool;

    up("", NULL, TOOLS);
    tool = mcphost_server_get_app_tool(mcphost_catalog_find_server(catalog, "a"), 0);
    ck_assert_int_eq(mcphost_call_new_tool(d, tool, NULL, 0, &made, &err),
                     MCPHOST_E_DENIED);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "only apps may call the tool 'refresh' of server 'a'");
    mcphost_error_unref(err);
    down();
}
END_TEST

START_TEST(an_app_call_with_arguments_that_are_no_object_is_refused)
{
    mcphost_call *made = NULL;

    up("", NULL, TOOLS);
    ck_assert_int_eq(mcphost_call_new_app_tool(d, "a", "refresh", "[1]", 3, &made, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(made);
    down();
}
END_TEST

/* ---- grants ------------------------------------------------------------------------ */

static void
use_grant(const char *toolsets, const char *tools)
{
    mcphost_grant *grant = hr_grant(toolsets, tools);
    mcphost_view *view;

    ck_assert_int_eq(mcphost_view_new(hr.host, "v", grant, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "granted", NULL, &d, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = d;
    mcphost_view_unref(view);
    mcphost_grant_unref(grant);
    look_at_tools();
}

START_TEST(a_grant_of_a_toolset_includes_its_app_tools)
{
    const char *why;

    up("", NULL, TOOLS);
    use_grant("a", "");
    ck_assert_str_eq(app_tools(), "refresh nobody submit ");
    ck_assert_int_eq(call("refresh", &why), 0);
    down();
}
END_TEST

START_TEST(a_grant_of_single_tools_gives_apps_only_these_tools)
{
    const char *why;

    up("", NULL, TOOLS);
    use_grant("", "a_both a_think");
    ck_assert_str_eq(app_tools(), "");
    ck_assert_int_eq(call("both", &why), 0);
    ck_assert_int_eq(call("refresh", &why), MCPHOST_E_DENIED);
    ck_assert_int_eq(call("plain", &why), MCPHOST_E_DENIED);
    ck_assert_int_eq(call("think", &why), MCPHOST_E_DENIED);
    ck_assert_int_eq(call("moon", &why), MCPHOST_E_NOTFOUND);
    down();
}
END_TEST

/* ---- changes ----------------------------------------------------------------------- */

START_TEST(a_tool_that_becomes_app_only_leaves_the_models_list)
{
    mcphost_tool *tool;
    mcphost_call *made;
    const char *why;
    uint64_t version;

    up(eras[_i], "truely-stateless: true",
       "no-tools\n" TOOL(
           "t", "") "tool hide\non call:hide\n use hidden\n changed\n text done\n"
                    "set hidden\nno-tools\n" TOOL("t", UI("\"visibility\":[\"app\"]"))
                        DONE);
    tool = mcphost_tool_ref(mcphost_catalog_find_tool(catalog, "a_t"));
    ck_assert_ptr_nonnull(tool);
    version = hr_version(&hr);
    hr_say(&hr, d, "a_hide", "{}");
    while (hr_version(&hr) == version)
        hr_turn(&hr, 100);
    look_at_tools();
    ck_assert_str_eq(tools_of(), "");
    ck_assert_str_eq(app_tools(), "t ");
    ck_assert_int_eq(call("t", &why), 0);
    ck_assert_int_eq(mcphost_call_new_tool(d, tool, "{}", 2, &made, NULL), 0);
    hr.calls[hr.n_calls++] = made;
    hr_go(made);
    ck_assert_int_eq(hr_end(&hr, made), MCPHOST_E_GONE);
    mcphost_tool_unref(tool);
    down();
}
END_TEST

/* ---- the announcement of apps to servers ------------------------------------------- */

START_TEST(apps_are_announced_to_servers_only_with_the_option)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_APPS, _i / 2);
    hr_server(&hr, "a", NULL, eras[_i % 2]);
    hr_load(&hr);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace",
                                         "\"io.modelcontextprotocol/ui\":{\"mimeTypes\":["
                                         "\"text/html;profile=mcp-app\"]}") > 0,
                     _i / 2);
    hr_down(&hr);
}
END_TEST

START_TEST(an_app_call_succeeds_after_its_tool_has_become_app_only)
{
    mcphost_call *made;
    uint64_t version;

    up(eras[_i], "truely-stateless: true",
       "no-tools\n" TOOL("t", "") "tool hide\non call:hide\n use hidden\n changed\n "
                                  "text done\nset hidden\nno-tools\n" TOOL(
                                      "t", UI("\"visibility\":[\"app\"]")) DONE);
    ck_assert_int_eq(mcphost_call_new_app_tool(d, "a", "t", "{}", 2, &made, NULL), 0);
    hr.calls[hr.n_calls++] = made;
    version = hr_version(&hr);
    hr_say(&hr, d, "a_hide", "{}");
    while (hr_version(&hr) == version)
        hr_turn(&hr, 100);
    hr_go(made);
    ck_assert_int_eq(hr_end(&hr, made), 0);
    ck_assert_str_eq(mcphost_tool_get_name(mcphost_call_get_tool(made)), "a_t");
    ck_assert_str_eq(mcphost_call_get_arguments(made, NULL), "{}");
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "shown");

    tcase_add_loop_test(tc, a_tool_for_apps_only_is_in_no_list_for_the_model, 0, 2);
    tcase_add_loop_test(tc, getters_return_a_tools_visibility_and_app_uri, 0, 2);
    tcase_add_loop_test(tc, malformed_or_unknown_ui_metadata_is_ignored, 0,
                        (int)(sizeof(odd) / sizeof(odd[0])));
    tcase_add_test(tc, filters_apply_to_app_tools_and_transforms_do_not);
    tcase_add_test(tc, an_app_tool_takes_no_name_from_another_tool);
    tcase_add_loop_test(tc, a_tool_that_becomes_app_only_leaves_the_models_list, 0, 2);
    tcase_add_loop_test(tc, apps_are_announced_to_servers_only_with_the_option, 0, 4);
    tc = test_case(suite, "call");
    tcase_add_loop_test(tc, an_app_can_call_only_tools_that_are_visible_to_apps, 0, 2);
    tcase_add_loop_test(tc, an_app_call_succeeds_after_its_tool_has_become_app_only, 0,
                        2);
    tcase_add_test(tc, an_app_cannot_call_tools_of_another_server);
    tcase_add_test(tc, a_model_call_with_an_app_tools_handle_is_denied);
    tcase_add_test(tc, an_app_call_with_arguments_that_are_no_object_is_refused);
    tcase_add_test(tc, a_grant_of_a_toolset_includes_its_app_tools);
    tcase_add_test(tc, a_grant_of_single_tools_gives_apps_only_these_tools);
}

int
main(void)
{
    return test_main("host-apps", add);
}
