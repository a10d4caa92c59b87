/* SPDX-License-Identifier: MIT
 *
 * test_host_publish.c - servers and built-in tools in one catalog: names, owners,
 * collisions, and changes of lists.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;

#define PLAIN "transform: []"

/* ---- built-in tools ---------------------------------------------------------------- */

static int answered;

static int
say_hello(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    char text[256];

    snprintf(text, sizeof(text), "%s %.*s", (const char *)arg, (int)len, arguments);
    answered = mcphost_call_answer(call, text, strlen(text), 0);
    return 0;
}

static int builtin_freed;

static void
on_builtin_free(void *arg)
{
    (void)arg;
    builtin_freed++;
}

static char hello[] = "hello";

static void
add_hello(const char *toolset, const char *name)
{
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), toolset,
                                              name, "says hello", "{\"type\":\"object\"}",
                                              say_hello, hello, on_builtin_free, NULL),
                     0);
}

/* R23 R46 */
START_TEST(a_call_sends_the_original_name_of_the_tool)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_add", "{\"a\":1,\"b\":2}"), "3");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"name\":\"add\""), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "a_add"), 0);
    hr_down(&hr);
}
END_TEST

/* R24, R25, R211: the catalog lists a built-in tool beside the tools of servers.  A
 * built-in tool has a toolset, but no server. */
START_TEST(a_builtin_tool_is_listed_found_and_called_like_a_servers_tool)
{
    mcphost_tool *tool;

    builtin_freed = 0;
    hr_up(&hr);
    add_hello("own", "hello");
    hr_server(&hr, "a", NULL, "no-tools\ntool one");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " hello a_one");
    ck_assert_str_eq(hr_toolset(&hr, "own"), "hello");
    tool = hr_tool(&hr, "hello");
    ck_assert_ptr_null(mcphost_tool_get_server_id(tool));
    mcphost_tool_unref(tool);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "hello", "{\"x\":1}"),
                     "hello {\"x\":1}");
    ck_assert_int_eq(answered, 0);
    hr_down(&hr);
    ck_assert_int_eq(builtin_freed, 1);
}
END_TEST

static void
list_of(const char *toolset, int shape, char *ret, size_t size)
{
    mcphost_catalog *catalog;
    const char *json;
    size_t len;

    mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog);
    ck_assert_int_eq(
        mcphost_catalog_get_tools_json(catalog, shape, toolset, &json, &len, NULL), 0);
    snprintf(ret, size, "%s", json);
    mcphost_catalog_unref(catalog);
}

static void
items_of(const char *tool, char *ret, size_t size)
{
    mcphost_call *call = hr_start(&hr, hr_dialog(&hr, tool), tool, NULL);
    mcphost_items *items = NULL;

    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_call_make_items(call, &items, NULL), 0);
    snprintf(ret, size, "%s", mcphost_items_get_json(items, NULL));
    mcphost_items_unref(items);
}

/* R24: a built-in tool and a server's tool with equal definitions have equal JSON.  Equal
 * answers give equal items. */
START_TEST(a_servers_tool_and_a_builtin_are_listed_and_recorded_alike)
{
    static const int shapes[] = {MCPHOST_SHAPE_OPENAI_CHAT,
                                 MCPHOST_SHAPE_OPENAI_RESPONSES, MCPHOST_SHAPE_ANTHROPIC,
                                 MCPHOST_SHAPE_GEMINI};
    char own[1024], servers[1024];

    hr_up(&hr);
    add_hello("own", "hello");
    hr_server(&hr, "a", PLAIN,
              "no-tools\ntool-json {\"name\":\"jello\",\"description\":\"says hello\","
              "\"inputSchema\":{\"type\":\"object\"}}\n"
              "on call:jello\n text hello {}");
    hr_load(&hr);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        list_of("own", shapes[i], own, sizeof(own));
        list_of("a", shapes[i], servers, sizeof(servers));
        ck_assert_ptr_nonnull(strstr(servers, "jello"));
        *strstr(servers, "jello") = 'h';
        ck_assert_str_eq(own, servers);
    }
    items_of("hello", own, sizeof(own));
    items_of("jello", servers, sizeof(servers));
    ck_assert_ptr_nonnull(strstr(own, "hello {}"));
    ck_assert_str_eq(own, servers);
    hr_down(&hr);
}
END_TEST

/* R211 */
START_TEST(builtin_tools_are_in_the_catalog_before_a_load)
{
    hr_up(&hr);
    add_hello("own", "hello");
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " hello");
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "hello", NULL), "hello {}");
    hr_load(&hr);
    hr_down(&hr);
}
END_TEST

#define LARGE ((size_t)9 << 20) /* bytes, more than a definition may have */

START_TEST(a_builtin_that_cannot_be_added_is_refused)
{
    char *large;
    mcphost_error *err = NULL;
    int r;

    builtin_freed = 0;
    hr_up(&hr);
    add_hello("own", "hello");
    r = mcphost_view_add_builtin(mcphost_default_view(hr.host), "other", "hello", NULL,
                                 "{}", say_hello, hello, on_builtin_free, &err);
    ck_assert_int_eq(r, MCPHOST_E_EXISTS);
    ck_assert_int_eq(builtin_freed, 1);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "'hello'"));
    mcphost_error_unref(err);
    r = mcphost_view_add_builtin(mcphost_default_view(hr.host), "own", "bad name", NULL,
                                 "{}", say_hello, hello, NULL, NULL);
    ck_assert_int_eq(r, MCPHOST_E_INVALID);
    r = mcphost_view_add_builtin(mcphost_default_view(hr.host), "a\xff", "name", NULL,
                                 "{}", say_hello, hello, NULL, NULL);
    ck_assert_int_eq(r, MCPHOST_E_INVALID);
    r = mcphost_view_add_builtin(mcphost_default_view(hr.host), "own", "name", "a\xff",
                                 "{}", say_hello, hello, NULL, NULL);
    ck_assert_int_eq(r, MCPHOST_E_INVALID);
    large = malloc(LARGE + 1);
    memset(large, 'x', LARGE);
    large[LARGE] = '\0';
    r = mcphost_view_add_builtin(mcphost_default_view(hr.host), "own", "name", large,
                                 "{}", say_hello, hello, NULL, NULL);
    free(large);
    ck_assert_int_eq(r, MCPHOST_E_LIMIT);
    hr_load(&hr);
    r = mcphost_view_add_builtin(mcphost_default_view(hr.host), "own", "hello", NULL,
                                 "{}", say_hello, hello, NULL, NULL);
    ck_assert_int_eq(r, MCPHOST_E_EXISTS);
    hr_down(&hr);
}
END_TEST

static int
refuse_call(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)call;
    (void)arguments;
    (void)len;
    (void)arg;
    return MCPHOST_E_DENIED;
}

START_TEST(a_builtin_may_refuse_a_call)
{
    hr_up(&hr);
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "own", "no",
                                              NULL, "{}", refuse_call, NULL, NULL, NULL),
                     0);
    ck_assert_int_eq(hr_fail(&hr, hr_dialog(&hr, "d"), "no", NULL), MCPHOST_E_DENIED);
    hr_down(&hr);
}
END_TEST

static mcphost_call *kept;

static int
keep_call(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arguments;
    (void)len;
    (void)arg;
    kept = mcphost_call_ref(call);
    return 0;
}

/* A call of a built-in tool has a deadline, too.  The library refuses a late answer. */
START_TEST(a_builtin_that_does_not_answer_times_out)
{
    mcphost_call *call;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "own",
                                              "mute", NULL, "{}", keep_call, NULL, NULL,
                                              NULL),
                     0);
    call = hr_call(&hr, hr_dialog(&hr, "d"), "mute", NULL);
    ck_assert_int_eq(mcphost_call_set_timeout(call, 30, 0, -1), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'mute'"));
    ck_assert_int_eq(mcphost_call_answer(kept, "late", 4, 0), MCPHOST_E_STATE);
    mcphost_call_unref(kept);
    hr_down(&hr);
}
END_TEST

START_TEST(a_builtin_may_answer_later_and_with_a_failure)
{
    mcphost_call *call;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "own",
                                              "later", NULL, "{}", keep_call, NULL, NULL,
                                              NULL),
                     0);
    kept = NULL;
    call = hr_start(&hr, hr_dialog(&hr, "d"), "later", NULL);
    hr_until(&hr, kept != NULL);
    ck_assert_int_eq(mcphost_call_answer(kept, "no \"luck\"", 9, 1), 0);
    ck_assert_int_eq(mcphost_call_answer(kept, "again", 5, 0), MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "no \"luck\"");
    ck_assert(mcphost_result_is_error(mcphost_call_get_result(call)));
    mcphost_call_unref(kept);
    hr_down(&hr);
}
END_TEST

/* If MCPHOST_OPT_ADMIN_TOOLS is 0, the host removes the admin tools.  The host denies
 * calls of an admin tool of an earlier catalog. */
START_TEST(the_admin_tools_can_be_left_out)
{
    mcphost_tool *release;
    mcphost_call *call;

    hr_up(&hr);
    release = hr_tool(&hr, "mcp_release");
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_server(&hr, "a", NULL, "no-tools\ntool one");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), "a_one");
    ck_assert_int_eq(
        mcphost_call_new_tool(hr_dialog(&hr, "d"), release, NULL, 0, &call, NULL),
        MCPHOST_E_DENIED);
    mcphost_tool_unref(release);
    hr_down(&hr);
}
END_TEST

/* ---- servers ----------------------------------------------------------------------- */

/* R26 */
START_TEST(a_servers_toolset_has_the_servers_id)
{
    hr_up(&hr);
    hr_server(&hr, "my.server", PLAIN, "no-tools\ntool one\ntool two");
    hr_load(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "my.server"), "one two");
    ck_assert_ptr_null(hr_toolset(&hr, "mcp_my.server"));
    hr_down(&hr);
}
END_TEST

/* R27, R28: server `slow` is the first server of the file, and has the name although
 * server `fast` lists its tools earlier. */
START_TEST(the_earlier_server_of_the_file_has_the_name)
{
    mcphost_tool *tool;

    hr_up(&hr);
    hr_server(&hr, "slow", PLAIN, "no-tools\ntool one\non list\n delay 80\n answer");
    hr_server(&hr, "fast", PLAIN, "no-tools\ntool one\ntool two");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " one two");
    tool = hr_tool(&hr, "one");
    ck_assert_str_eq(mcphost_tool_get_server_id(tool), "slow");
    mcphost_tool_unref(tool);
    ck_assert_str_eq(hr_toolset(&hr, "fast"), "two");
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "mcp/server/fast/tool_collision/one"), "fast"));
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/fast/tool_collision/one"),
                     MCPHOST_SEVERITY_WARNING);
    hr_down(&hr);
}
END_TEST

/* R27 R28 */
START_TEST(a_builtin_keeps_its_name_against_every_server)
{
    mcphost_tool *tool;

    hr_up(&hr);
    add_hello("own", "one");
    hr_server(&hr, "a", PLAIN, "no-tools\ntool one\ntool two");
    hr_load(&hr);
    tool = hr_tool(&hr, "one");
    ck_assert_ptr_null(mcphost_tool_get_server_id(tool));
    mcphost_tool_unref(tool);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "two");
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/tool_collision/one"));
    hr_down(&hr);
}
END_TEST

/* R28 */
START_TEST(of_two_tools_of_one_server_the_first_has_the_name)
{
    hr_up(&hr);
    hr_server(&hr, "a", "transform: [{prefix: {remove: x_, add: ''}}]",
              "no-tools\ntool x_one first\ntool one second");
    hr_load(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "one");
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/tool_collision/one"));
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "one", NULL), "{}");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"name\":\"x_one\""), 1);
    hr_down(&hr);
}
END_TEST

/* R29, K5: MCPHOST_COLLISION_REJECT is the alternative to the default policy. */
START_TEST(with_collision_reject_a_server_that_collides_is_not_loaded)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_COLLISION, MCPHOST_COLLISION_REJECT);
    hr_server(&hr, "a", PLAIN, "no-tools\ntool one");
    hr_server(&hr, "b", PLAIN, "no-tools\ntool one\ntool two");
    hr_server(&hr, "c", PLAIN, "no-tools\ntool three");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " one three");
    ck_assert_int_eq(hr_server_state(&hr, "b"), MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "b"), "name"));
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/b/server_error"),
                     MCPHOST_SEVERITY_ERROR);
    hr_down(&hr);
}
END_TEST

/* R10, R98: the built-in toolset stays.  The host does not start the server. */
START_TEST(a_server_cannot_take_the_name_of_a_builtin_toolset)
{
    hr_up(&hr);
    add_hello("own", "hello");
    hr_server(&hr, "own", NULL, "no-tools\ntool one");
    hr_server(&hr, "b", NULL, "no-tools\ntool two");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " hello b_two");
    ck_assert_str_eq(hr_toolset(&hr, "own"), "hello");
    ck_assert_int_eq(hr_server_state(&hr, "own"), MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/own/server_error"),
                     MCPHOST_SEVERITY_ERROR);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "own.trace", "spawn"), 0);
    hr_down(&hr);
}
END_TEST

/* R97 */
START_TEST(every_tool_and_toolset_names_its_server)
{
    mcphost_catalog *catalog;
    mcphost_server *server;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, "no-tools\ntool one");
    hr_server(&hr, "b", NULL, "no-tools\ntool two");
    hr_load(&hr);
    mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog);
    ck_assert_uint_eq(mcphost_catalog_count_toolsets(catalog), 3);
    ck_assert_ptr_null(mcphost_catalog_get_toolset_owner(catalog, 0));
    ck_assert_str_eq(mcphost_catalog_get_toolset_owner(catalog, 1), "a");
    ck_assert_str_eq(mcphost_catalog_get_toolset_owner(catalog, 2), "b");
    server = mcphost_catalog_find_server(catalog, "b");
    ck_assert_uint_eq(mcphost_server_count_tools(server), 1);
    ck_assert_str_eq(mcphost_tool_get_server_id(mcphost_server_get_tool(server, 0)), "b");
    mcphost_catalog_unref(catalog);
    hr_down(&hr);
}
END_TEST

static void
hash_of(const char *keys, int which, char *ret_hex)
{
    static const char salt[16] = "0123456789abcdef";
    char yaml[512];
    mcphost_config *config;

    snprintf(yaml, sizeof(yaml),
             "version: 1\nservers: {a: {transport: stdio, command: x, %s}}\n", keys);
    ck_assert_int_eq(
        mcphost_config_load_memory(yaml, strlen(yaml), NULL, "/", &config, NULL), 0);
    ck_assert_int_eq(
        mcphost_config_server_get_hash(config, 0, which, salt, sizeof(salt), ret_hex), 0);
    mcphost_config_unref(config);
}

/* R99 */
START_TEST(config_hashes_ignore_unrelated_keys_and_the_order_of_maps)
{
    char a[MCPHOST_CONFIG_HASH_SIZE], b[MCPHOST_CONFIG_HASH_SIZE];

    hash_of("env: {A: x, B: {env: Y}}", MCPHOST_CONFIG_HASH_LAUNCH, a);
    hash_of("env: {B: {env: Y}, A: x}", MCPHOST_CONFIG_HASH_LAUNCH, b);
    ck_assert_str_eq(a, b);
    hash_of("env: {B: {env: Y}, A: z}", MCPHOST_CONFIG_HASH_LAUNCH, b);
    ck_assert_str_ne(a, b);
    hash_of("args: [p]", MCPHOST_CONFIG_HASH_VIEW, a);
    hash_of("args: [q]", MCPHOST_CONFIG_HASH_VIEW, b);
    ck_assert_str_eq(a, b);
    hash_of("args: [p], tools: {blacklist: [x]}", MCPHOST_CONFIG_HASH_VIEW, b);
    ck_assert_str_ne(a, b);
}
END_TEST

/* ---- changes ----------------------------------------------------------------------- */

#define GROWING                                        \
    "no-tools\ntool grow\ntool pid\ntool old\n"        \
    "on call:grow\n use more\n changed\n text grown\n" \
    "set more\ntool grow\ntool pid\ntool extra\n"

/* R96, R113: a captured catalog stays as it was. */
START_TEST(a_changed_list_of_a_shared_server_publishes_a_new_catalog)
{
    mcphost_catalog *before, *after;
    mcphost_view *view;

    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", GROWING);
    hr_server(&hr, "b", "tools: {blacklist: [rm]}", "no-tools\ntool rm");
    hr_load(&hr);
    view = mcphost_default_view(hr.host);
    mcphost_view_get_catalog(view, &before);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_grow", NULL), "grown");
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "a_grow a_pid a_extra") == 0);
    mcphost_view_get_catalog(view, &after);
    ck_assert_uint_gt(mcphost_catalog_get_version(after),
                      mcphost_catalog_get_version(before));
    ck_assert_ptr_nonnull(mcphost_catalog_find_tool(before, "a_old"));
    ck_assert_ptr_null(mcphost_catalog_find_tool(after, "a_old"));
    ck_assert_uint_eq(hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL)->version,
                      mcphost_catalog_get_version(after));
    /* R117: the host reports a lasting problem only once. */
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, "b", NULL, -1), 1);
    mcphost_catalog_unref(before);
    mcphost_catalog_unref(after);
    hr_down(&hr);
}
END_TEST

/* The host looks for the original name of a captured tool in the server's list. */
START_TEST(a_captured_tool_can_be_called_while_its_server_still_lists_it)
{
    mcphost_tool *pid, *old;
    mcphost_call *call;
    mcphost_dialog *d;

    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", GROWING);
    hr_load(&hr);
    pid = hr_tool(&hr, "a_pid");
    old = hr_tool(&hr, "a_old");
    d = hr_dialog(&hr, "d");
    hr_say(&hr, d, "a_grow", NULL);
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "a_grow a_pid a_extra") == 0);
    ck_assert_int_eq(mcphost_call_new_tool(d, pid, NULL, 0, &call, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    mcphost_call_unref(call);
    ck_assert_int_eq(mcphost_call_new_tool(d, old, NULL, 0, &call, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'a'"));
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'old'"));
    mcphost_call_unref(call);
    mcphost_tool_unref(pid);
    mcphost_tool_unref(old);
    hr_down(&hr);
}
END_TEST

START_TEST(a_list_that_did_not_change_publishes_nothing)
{
    int n;

    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true",
              "no-tools\ntool same\non call:same\n changed\n text said");
    hr_load(&hr);
    n = hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_same", NULL);
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "tools/list") == 2);
    hr_turn(&hr, 20);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1), n);
    hr_down(&hr);
}
END_TEST

/* R94 */
START_TEST(the_removal_of_a_source_with_several_servers_publishes_once)
{
    mcphost_source *source;
    mcphost_config *config;
    mcphost_view *view;
    int n;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    view = mcphost_default_view(hr.host);
    ck_assert_int_eq(mcphost_source_new(hr.host, "more", &source, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, source, NULL, 0), 0);
    hr_server(&hr, "a", "truely-stateless: true", "no-tools\ntool x");
    hr_server(&hr, "b", NULL, "no-tools\ntool x");
    hr_server(&hr, "c", NULL, "no-tools\ntool x");
    hr_save(&hr);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_source_load(source, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), "a_x b_x c_x");
    n = hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1);
    ck_assert_int_eq(mcphost_source_remove(source), 0);
    mcphost_source_unref(source);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) == 1);
    hr_turn(&hr, 50);
    ck_assert_str_eq(hr_tools(&hr, NULL), "");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1), n + 1);
    hr_down(&hr);
}
END_TEST

static void
catalog_json(int shape, char *ret, size_t size)
{
    mcphost_catalog *catalog;
    const char *json;
    size_t len;

    mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog);
    ck_assert_int_eq(
        mcphost_catalog_get_tools_json(catalog, shape, NULL, &json, &len, NULL), 0);
    snprintf(ret, size, "%s", json);
    mcphost_catalog_unref(catalog);
}

static void
load_two(const char *slow)
{
    static const char delayed[] = "no-tools\ntool one\non list\n delay 60\n answer";
    static const char prompt[] = "no-tools\ntool one";

    hr_up(&hr);
    hr_server(&hr, "a", NULL, strcmp(slow, "a") == 0 ? delayed : prompt);
    hr_server(&hr, "b", NULL, strcmp(slow, "b") == 0 ? delayed : prompt);
    hr_load(&hr);
}

/* R113 */
START_TEST(the_catalogs_json_does_not_depend_on_the_order_of_starts)
{
    static char first[65536], second[65536];

    load_two("a");
    catalog_json(MCPHOST_SHAPE_ANTHROPIC, first, sizeof(first));
    hr_down(&hr);
    load_two("b");
    catalog_json(MCPHOST_SHAPE_ANTHROPIC, second, sizeof(second));
    hr_down(&hr);
    ck_assert_str_eq(first, second);
}
END_TEST

/* ---- titles, descriptions, instructions and manuals of servers --------------------- */

/* Returns the text that `get` finds for server `a` in the current catalog, or NULL if
 * there is no text. */
static const char *
about(const char *(*get)(const mcphost_server *server, size_t *ret_len))
{
    static char text[65536];
    mcphost_catalog *catalog;
    const char *bytes;
    size_t len = 1;

    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog),
                     0);
    bytes = get(mcphost_catalog_find_server(catalog, "a"), &len);
    ck_assert_int_eq(!bytes, len == 0);
    ck_assert_uint_lt(len, sizeof(text));
    if (bytes)
        memcpy(text, bytes, len);
    text[len] = '\0';
    mcphost_catalog_unref(catalog);
    return bytes ? text : NULL;
}

#define DISCOVERED                                                                     \
    " result {\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}," \
    "\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{"   \
    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"n\",\"version\":\"1\","        \
    "\"title\":\"T \\u00e4\",\"description\":\"all of it\"}}}\n"

START_TEST(instructions_of_both_eras_and_the_name_are_readable)
{
    static const char *const eras[] = {"legacy", "modern"};

    for (int i = 0; i < 2; i++) {
        char script[128];

        snprintf(script, sizeof(script), "era %s\nname desk\ninstructions Ask \"first\".",
                 eras[i]);
        hr_up(&hr);
        hr_server(&hr, "a", NULL, script);
        hr_load(&hr);
        ck_assert_str_eq(about(mcphost_server_get_instructions), "Ask \"first\".");
        ck_assert_str_eq(about(mcphost_server_get_title), "desk");
        ck_assert_ptr_null(about(mcphost_server_get_description));
        ck_assert_ptr_null(about(mcphost_server_get_manual));
        hr_down(&hr);
    }
    ck_assert_ptr_null(mcphost_server_get_title(NULL, NULL));
    ck_assert_ptr_null(mcphost_server_get_description(NULL, NULL));
    ck_assert_ptr_null(mcphost_server_get_instructions(NULL, NULL));
    ck_assert_ptr_null(mcphost_server_get_manual(NULL, NULL));
}
END_TEST

START_TEST(a_servers_title_is_preferred_to_its_name)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, "on discover\n" DISCOVERED);
    hr_load(&hr);
    ck_assert_str_eq(about(mcphost_server_get_title), "T \xc3\xa4");
    ck_assert_str_eq(about(mcphost_server_get_description), "all of it");
    ck_assert_ptr_null(about(mcphost_server_get_instructions));
    hr_down(&hr);
}
END_TEST

#define MISTYPED                                                                       \
    " result {\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}," \
    "\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{"   \
    "\"io.modelcontextprotocol/serverInfo\":{\"name\":[\"n\"],\"version\":\"1\","      \
    "\"description\":[1],\"icons\":\"text\"}}}\n"

START_TEST(parts_of_server_info_with_a_wrong_type_are_ignored)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, "on discover\n" MISTYPED);
    hr_load(&hr);
    ck_assert_ptr_null(about(mcphost_server_get_title));
    ck_assert_ptr_null(about(mcphost_server_get_description));
    ck_assert_ptr_null(about(mcphost_server_get_icons));
    hr_down(&hr);
}
END_TEST

/* Returns the description of a toolset, or "" if the toolset has no description.  The
 * text lives until the next call. */
static const char *
toolset_description(const char *toolset)
{
    static char text[64];
    mcphost_catalog *catalog;
    const char *description;
    size_t index = 0, len = 1;

    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog),
                     0);
    ck_assert_int_eq(mcphost_catalog_find_toolset(catalog, toolset, &index), 0);
    description = mcphost_catalog_get_toolset_description(catalog, index, &len);
    if (!description)
        ck_assert_uint_eq(len, 0);
    snprintf(text, sizeof(text), "%.*s", (int)len, description ? description : "");
    mcphost_catalog_unref(catalog);
    return text;
}

static int
describe(const char *toolset, const char *description)
{
    return mcphost_view_set_toolset_description(mcphost_default_view(hr.host), toolset,
                                                description, NULL);
}

/* R24 R211 */
START_TEST(a_toolset_of_the_application_has_the_description_that_was_set)
{
    hr_up(&hr);
    ck_assert_int_eq(describe("own", "too early"), MCPHOST_E_NOTFOUND);
    add_hello("own", "hello");
    add_hello("other", "bye");
    ck_assert_str_eq(toolset_description("own"), "");
    ck_assert_int_eq(describe("own", "Says \"hello\" \xc3\xa4."), 0);
    ck_assert_str_eq(toolset_description("own"), "Says \"hello\" \xc3\xa4.");
    ck_assert_int_eq(describe("own", "\xff"), MCPHOST_E_INVALID);
    add_hello("own", "hello_again");
    ck_assert_str_eq(toolset_description("own"), "Says \"hello\" \xc3\xa4.");
    ck_assert_str_eq(toolset_description("other"), "");
    ck_assert_int_eq(describe("own", ""), 0);
    ck_assert_str_eq(toolset_description("own"), "");
    ck_assert_int_eq(describe("other", "Says bye."), 0);
    hr_server(&hr, "desk", NULL, "on discover\n" DISCOVERED);
    hr_load(&hr);
    ck_assert_str_eq(toolset_description("other"), "Says bye.");
    ck_assert_str_eq(toolset_description("desk"), "all of it");
    ck_assert_int_eq(describe("own", "late"), 0);
    hr_until(&hr, strcmp(toolset_description("own"), "late") == 0);
    ck_assert_ptr_null(mcphost_catalog_get_toolset_description(NULL, 0, NULL));
    hr_down(&hr);
}
END_TEST

START_TEST(the_admin_toolset_has_a_description)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 1);
    ck_assert_ptr_nonnull(strstr(toolset_description("mcp_admin"), "MCP servers"));
    ck_assert_int_eq(describe("mcp_admin", "mine"), MCPHOST_E_NOTFOUND);
    hr_down(&hr);
}
END_TEST

START_TEST(instructions_over_the_limit_are_cut_between_characters)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_TOOL_TEXT, 64);
    hr_server(&hr, "a", NULL,
              "instructions "
              "0123456789012345678901234567890123456789012345678901234567890123\xc3\xa4");
    hr_load(&hr);
    ck_assert_str_eq(about(mcphost_server_get_instructions),
                     "0123456789012345678901234567890123456789012345678901234567890123"
                     " [... cut here: 66 bytes in all]");
    hr_down(&hr);
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_TOOL_TEXT, 64);
    hr_server(&hr, "a", NULL,
              "instructions "
              "012345678901234567890123456789012345678901234567890123456789012\xc3\xa4");
    hr_load(&hr);
    ck_assert_str_eq(about(mcphost_server_get_instructions),
                     "012345678901234567890123456789012345678901234567890123456789012"
                     " [... cut here: 65 bytes in all]");
    hr_down(&hr);
}
END_TEST

/* B.5 */
START_TEST(an_edited_manual_is_published_and_restarts_nothing)
{
    int64_t pid;

    hr_up(&hr);
    rig_workspace_write(&hr.ws, "how.md", "From a file.");
    hr_server(&hr, "a", "truely-stateless: true\nmanual: {contentFile: how.md}", NULL);
    hr_load(&hr);
    ck_assert_str_eq(about(mcphost_server_get_manual), "From a file.");
    pid = hr_server_pid(&hr, "a");
    hr_edit(&hr);
    hr_server(&hr, "a", "truely-stateless: true\nmanual: another", NULL);
    hr_load_only(&hr);
    hr_until(&hr, strcmp(about(mcphost_server_get_manual), "another") == 0);
    ck_assert_int_eq(hr_server_pid(&hr, "a"), pid);
    hr_edit(&hr);
    hr_server(&hr, "a", "truely-stateless: true\nmanual: {contentFile: none.md}", NULL);
    hr_load_only(&hr);
    hr_until(&hr, !about(mcphost_server_get_manual));
    ck_assert_ptr_nonnull(
        hr_problem(&hr, "mcp/config_warning/servers.a.manual.contentFile"));
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *own = test_case(suite, "builtin"), *servers = test_case(suite, "servers");
    TCase *changes = test_case(suite, "changes");

    tcase_add_test(own, a_builtin_tool_is_listed_found_and_called_like_a_servers_tool);
    tcase_add_test(own, a_servers_tool_and_a_builtin_are_listed_and_recorded_alike);
    tcase_add_test(own, builtin_tools_are_in_the_catalog_before_a_load);
    tcase_add_test(own, a_builtin_that_cannot_be_added_is_refused);
    tcase_add_test(own, a_toolset_of_the_application_has_the_description_that_was_set);
    tcase_add_test(own, the_admin_toolset_has_a_description);
    tcase_add_test(own, a_builtin_may_refuse_a_call);
    tcase_add_test(own, a_builtin_that_does_not_answer_times_out);
    tcase_add_test(own, a_builtin_may_answer_later_and_with_a_failure);
    tcase_add_test(own, the_admin_tools_can_be_left_out);

    tcase_add_test(servers, a_call_sends_the_original_name_of_the_tool);
    tcase_add_test(servers, a_servers_toolset_has_the_servers_id);
    tcase_add_test(servers, the_earlier_server_of_the_file_has_the_name);
    tcase_add_test(servers, a_builtin_keeps_its_name_against_every_server);
    tcase_add_test(servers, of_two_tools_of_one_server_the_first_has_the_name);
    tcase_add_test(servers, with_collision_reject_a_server_that_collides_is_not_loaded);
    tcase_add_test(servers, a_server_cannot_take_the_name_of_a_builtin_toolset);
    tcase_add_test(servers, every_tool_and_toolset_names_its_server);
    tcase_add_test(servers, instructions_of_both_eras_and_the_name_are_readable);
    tcase_add_test(servers, parts_of_server_info_with_a_wrong_type_are_ignored);
    tcase_add_test(servers, a_servers_title_is_preferred_to_its_name);
    tcase_add_test(servers, instructions_over_the_limit_are_cut_between_characters);
    tcase_add_test(servers, config_hashes_ignore_unrelated_keys_and_the_order_of_maps);

    tcase_add_test(changes, a_changed_list_of_a_shared_server_publishes_a_new_catalog);
    tcase_add_test(changes,
                   a_captured_tool_can_be_called_while_its_server_still_lists_it);
    tcase_add_test(changes, a_list_that_did_not_change_publishes_nothing);
    tcase_add_test(changes, the_removal_of_a_source_with_several_servers_publishes_once);
    tcase_add_test(changes, the_catalogs_json_does_not_depend_on_the_order_of_starts);
    tcase_add_test(changes, an_edited_manual_is_published_and_restarts_nothing);
}

int
main(void)
{
    return test_main("host-publish", add);
}
