/* SPDX-License-Identifier: MIT
 *
 * test_host_sources.c - several sources in one host, and views that layer them.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/hostrig.h"
#include "support/instrumented.h"

#define FAILS    "no-tools\ntool find\non call:find\n error -32000 no"
#define FIND     "no-tools\ntool find\ntool pid\non call:find\n text "
#define PLAIN    "transform: []"
#define SHARED   "truely-stateless: true\ntransform: []"
#define N_ROUNDS (INSTRUMENTED ? 1000 : 40)

static struct hostrig hr;

/* Returns a configuration of the added servers, and begins a new file. */
static mcphost_config *
config_of(void)
{
    mcphost_config *config;

    hr_save(&hr);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    hr_edit(&hr);
    return config;
}

static void
load_servers(mcphost_source *source)
{
    mcphost_config *config = config_of();

    ck_assert_int_eq(mcphost_source_load(source, config), 0);
    mcphost_config_unref(config);
}

static mcphost_source *
source_new(const char *id)
{
    mcphost_source *source;

    ck_assert_int_eq(mcphost_source_new(hr.host, id, &source, NULL), 0);
    return source;
}

static mcphost_view *
view_of(const char *name, mcphost_source *first, mcphost_source *second)
{
    mcphost_view *view;

    ck_assert_int_eq(mcphost_view_new_layered(hr.host, name, &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, first, NULL, 0), 0);
    if (second)
        ck_assert_int_eq(mcphost_view_add_source(view, second, NULL, 0), 0);
    return view;
}

static mcphost_dialog *
dialog_on(mcphost_view *view, const char *id)
{
    mcphost_dialog *dialog;

    ck_assert_int_eq(mcphost_dialog_new(view, id, NULL, &dialog, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = dialog;
    return dialog;
}

/* Starts a host with two sources.  Each source has a server `search` with tool `find`. */
static mcphost_source *
up_with_two_searches(const char *keys)
{
    mcphost_source *plug;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_server(&hr, "search", keys, FIND "main");
    load_servers(mcphost_default_source(hr.host));
    plug = source_new("plug");
    hr_entry(&hr, "other: {transport: stdio, command: x, enabled: false}");
    hr_server(&hr, "search", keys, FIND "plug");
    load_servers(plug);
    hr_ready(&hr);
    return plug;
}

static void
down(mcphost_source *source, mcphost_view *view)
{
    mcphost_view_unref(view);
    hr_close(&hr);
    mcphost_source_unref(source);
    hr_clear(&hr);
}

/* ---- two servers with one id ------------------------------------------------------- */

START_TEST(two_servers_with_one_id_are_distinguished_by_their_sources) /* R3 */
{
    mcphost_source *plug = up_with_two_searches(SHARED);
    mcphost_view *view = view_of("p", plug, NULL);
    mcphost_dialog *d = hr_dialog(&hr, "d"), *p = dialog_on(view, "p");
    mcphost_status *status;
    int pids[2];

    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    ck_assert_str_eq(hr_tools(&hr, d), "find pid");
    /* Each of the two servers runs in a process of its own. */
    pids[0] = hr_pid(&hr, d, "pid");
    pids[1] = hr_pid(&hr, p, "pid");
    ck_assert_int_ne(pids[0], pids[1]);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_uint_eq(mcphost_status_count_servers(status), 3);
    ck_assert_ptr_null(mcphost_status_server_get_source_id(status, 0));
    ck_assert_str_eq(mcphost_status_server_get_source_id(status, 2), "plug");
    ck_assert_str_eq(mcphost_status_server_get_id(status, 2), "search");
    ck_assert_int_eq((int)mcphost_status_server_get_pid(status, 0), pids[0]);
    ck_assert_uint_eq(mcphost_status_count_leases(status), 2);
    ck_assert_ptr_null(mcphost_status_lease_get_source_id(status, 0));
    ck_assert_str_eq(mcphost_status_lease_get_source_id(status, 1), "plug");
    ck_assert_int_eq((int)mcphost_status_server_get_pid(status, 2), pids[1]);
    mcphost_status_unref(status);
    down(plug, view);
}
END_TEST

START_TEST(a_lease_is_found_by_its_source_and_server) /* R82 */
{
    mcphost_source *plug = up_with_two_searches(PLAIN);
    mcphost_view *view = view_of("p", plug, NULL);
    mcphost_dialog *d = hr_dialog(&hr, "d"), *p = dialog_on(view, "p");
    mcphost_lease *lease;

    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    hr_pid(&hr, d, "pid");
    hr_pid(&hr, p, "pid");
    ck_assert_int_eq(mcphost_dialog_get_lease(p, "search", &lease), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_dialog_get_lease(p, "plug", &lease), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_dialog_get_lease(d, "plug:search", &lease),
                     MCPHOST_E_NOTFOUND);
    hr_release(d, "search");
    ck_assert_int_eq(mcphost_dialog_get_lease(p, "plug:search", &lease), 0);
    ck_assert_str_eq(mcphost_lease_get_source_id(lease), "plug");
    mcphost_lease_unref(lease);
    down(plug, view);
}
END_TEST

START_TEST(the_problem_of_a_server_names_its_source) /* R117 */
{
    mcphost_source *plug;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_entry(&hr, "broken: {transport: stdio, command: /nonexistent/one}");
    load_servers(mcphost_default_source(hr.host));
    plug = source_new("plug");
    hr_entry(&hr, "broken: {transport: stdio, command: /nonexistent/two}");
    load_servers(plug);
    hr_ready(&hr);
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "mcp/server/broken/server_error"), "/one"));
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "source/plug/mcp/server/broken/server_error"), "/two"));
    /* When a source is removed, its problems end.  Other problems stay. */
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    hr_until(&hr, !hr_problem(&hr, "source/plug/mcp/server/broken/server_error"));
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/broken/server_error"));
    down(plug, NULL);
}
END_TEST

START_TEST(an_unknown_tool_in_a_layered_view_is_not_found_and_not_denied) /* R79 */
{
    mcphost_source *plug = up_with_two_searches(SHARED);
    mcphost_view *view = view_of("p", plug, NULL);
    mcphost_dialog *p = dialog_on(view, "p");
    mcphost_error *err = NULL;
    mcphost_call *call;

    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    ck_assert_int_eq(mcphost_call_new(p, "none", NULL, 0, &call, &err),
                     MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(mcphost_error_get_message(err), "there is no tool 'none'");
    mcphost_error_unref(err);
    down(plug, view);
}
END_TEST

START_TEST(a_failed_call_is_a_problem_of_its_own_source) /* R117 B.17 */
{
    mcphost_dialog *d, *p;
    mcphost_source *plug;
    mcphost_view *view;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_server(&hr, "search", SHARED, FAILS);
    load_servers(mcphost_default_source(hr.host));
    hr_ready(&hr);
    plug = source_new("plug");
    hr_server(&hr, "search", SHARED, "no-tools\ntool find");
    load_servers(plug);
    hr_ready(&hr);
    view = view_of("p", plug, NULL);
    d = hr_dialog(&hr, "d");
    p = dialog_on(view, "p");
    hr_until(&hr, strcmp(hr_tools(&hr, p), "find") == 0);
    ck_assert_int_eq(hr_fail(&hr, d, "find", "{}"), MCPHOST_E_RPC);
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/tool_call_error/search"));
    ck_assert_ptr_null(hr_problem(&hr, "source/plug/mcp/tool_call_error/search"));
    /* A successful call of the other server does not clear this problem. */
    hr_say(&hr, p, "find", "{}");
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/tool_call_error/search"));
    down(plug, view);
}
END_TEST

START_TEST(the_problem_of_a_failed_call_names_the_source_and_ends_with_it)
{ /* R117 B.17 */
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_dialog *p;

    hr_up(&hr);
    plug = source_new("plug");
    hr_server(&hr, "search", SHARED, FAILS);
    load_servers(plug);
    hr_ready(&hr);
    view = view_of("p", plug, NULL);
    p = dialog_on(view, "p");
    hr_until(&hr, strcmp(hr_tools(&hr, p), "find") == 0);
    ck_assert_int_eq(hr_fail(&hr, p, "find", "{}"), MCPHOST_E_RPC);
    ck_assert_ptr_nonnull(hr_problem(&hr, "source/plug/mcp/tool_call_error/search"));
    ck_assert_ptr_null(hr_problem(&hr, "mcp/tool_call_error/search"));
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    hr_until(&hr, !hr_problem(&hr, "source/plug/mcp/tool_call_error/search"));
    down(plug, view);
}
END_TEST

START_TEST(removing_one_source_disturbs_no_call_in_the_other) /* R106 R107 */
{
    mcphost_source *plug = up_with_two_searches(SHARED);
    mcphost_view *view = view_of("p", plug, NULL);
    mcphost_dialog *d = hr_dialog(&hr, "d"), *p = dialog_on(view, "p");
    int pids[2];

    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    pids[0] = hr_pid(&hr, d, "pid");
    pids[1] = hr_pid(&hr, p, "pid");
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    hr_until(&hr, rig_is_dead(pids[1]));
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) == 1);
    ck_assert_str_eq(hr_tools(&hr, p), "");
    ck_assert_int_eq(hr_pid(&hr, d, "pid"), pids[0]);
    ck_assert_int_eq(mcphost_source_reload(plug), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_view_add_source(view, plug, NULL, 0), MCPHOST_E_STATE);
    down(plug, view);
}
END_TEST

START_TEST(a_removed_source_ends_after_its_calls_in_flight) /* R107 */
{
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    plug = source_new("plug");
    hr_server(&hr, "slow", SHARED,
              "no-tools\ntool wait\non call:wait\n delay 300\n text late");
    load_servers(plug);
    view = view_of("p", plug, NULL);
    hr_ready(&hr);
    ck_assert_str_eq(hr_tools(&hr, dialog_on(view, "first")), "wait");
    call = hr_start(&hr, dialog_on(view, "p"), "wait", "{}");
    hr_turn(&hr, 20);
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "late");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) == 1);
    down(plug, view);
}
END_TEST

static char seen_source[32];

static void
see(struct hostrig *rig, const mcphost_event *event)
{
    const char *source = mcphost_event_get_source_id(event);
    mcphost_problem *problem = mcphost_event_get_problem(event);
    mcphost_request *request = mcphost_event_get_request(event);

    (void)rig;
    if (problem)
        ck_assert_ptr_nonnull(mcphost_problem_get_source_id(problem));
    if (request)
        ck_assert_str_eq(mcphost_request_get_source_id(request), "plug");
    if (source)
        snprintf(seen_source, sizeof(seen_source), "%s", source);
}

START_TEST(events_problems_and_requests_name_the_source) /* R117 */
{
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    seen_source[0] = '\0';
    hr.on_event = see;
    plug = source_new("plug");
    hr_server(&hr, "asks", SHARED,
              "era legacy\nno-tools\ntool ask\non call:ask\n ask elicitation/create "
              "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","
              "\"properties\":{}}}\n text done");
    hr_entry(&hr, "broken: {transport: stdio, command: /nonexistent/one}");
    load_servers(plug);
    view = view_of("v", plug, NULL);
    hr_ready(&hr);
    ck_assert_str_eq(hr_tools(&hr, dialog_on(view, "first")), "ask");
    ck_assert_str_eq(seen_source, "plug");
    call = hr_start(&hr, dialog_on(view, "p"), "ask", "{}");
    hr_end(&hr, call); /* the host refuses a request that nobody answers */
    ck_assert_int_ge(hr_count(&hr, MCPHOST_EVENT_REQUEST, "asks", NULL, 1), 1);
    down(plug, view);
}
END_TEST

START_TEST(restart_and_enable_of_a_source_reach_its_own_servers) /* R30 B.14 */
{
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_catalog *catalog;
    mcphost_dialog *p;
    int pid;

    hr_up(&hr);
    plug = source_new("plug");
    hr_server(&hr, "a", SHARED, FIND "x");
    hr_save(&hr);
    ck_assert_int_eq(mcphost_source_follow_workspace(plug, hr.ws.dir, NULL, NULL), 0);
    view = view_of("v", plug, NULL);
    hr_ready(&hr);
    p = dialog_on(view, "p");
    pid = hr_pid(&hr, p, "pid");
    ck_assert_ptr_null(mcphost_lease_get_source_id(NULL));
    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), 0);
    ck_assert_str_eq(
        mcphost_server_get_source_id(mcphost_catalog_find_server(catalog, "plug:a")),
        "plug");
    mcphost_catalog_unref(catalog);
    ck_assert_int_eq(mcphost_source_restart_server(plug, "b"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_source_restart_server(plug, "a"), 0);
    hr_until(&hr, hr_pid(&hr, p, "pid") != pid);
    ck_assert_int_eq(mcphost_source_set_server_enabled(plug, "a", 0), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "") == 0);
    ck_assert_int_eq(mcphost_source_set_server_enabled(plug, "a", 1), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), MCPHOST_E_NOTFOUND);
    down(plug, view);
}
END_TEST

/* ---- layers ------------------------------------------------------------------------ */

START_TEST(the_earlier_layer_has_the_tool_and_toolset_names) /* R28 */
{
    mcphost_source *plug = up_with_two_searches(SHARED);
    mcphost_view *view = view_of("both", plug, mcphost_default_source(hr.host));
    mcphost_dialog *p = dialog_on(view, "p");
    mcphost_catalog *catalog;
    mcphost_tool *tool;

    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), 0);
    tool = mcphost_catalog_find_tool(catalog, "find");
    ck_assert_str_eq(mcphost_tool_get_source_id(tool), "plug");
    ck_assert_str_eq(mcphost_catalog_get_toolset(catalog, 0), "search");
    ck_assert_str_eq(mcphost_catalog_get_toolset(catalog, 1), "default:search");
    ck_assert_ptr_null(mcphost_server_get_source_id(
        mcphost_catalog_find_server(catalog, "default:search")));
    mcphost_catalog_unref(catalog);
    mcphost_view_unref(view);

    view = view_of("again", mcphost_default_source(hr.host), plug);
    p = dialog_on(view, "q");
    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), 0);
    ck_assert_ptr_null(
        mcphost_tool_get_source_id(mcphost_catalog_find_tool(catalog, "find")));
    ck_assert_str_eq(mcphost_catalog_get_toolset(catalog, 0), "search");
    ck_assert_str_eq(mcphost_catalog_get_toolset(catalog, 1), "plug:search");
    mcphost_catalog_unref(catalog);
    ck_assert_ptr_nonnull(strstr(
        hr_problem(&hr, "source/plug/view/again/mcp/server/search/tool_collision/find"),
        "is taken by server 'search' of the default source"));
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/search/tool_collision/find"));
    down(plug, view);
}
END_TEST

START_TEST(a_slow_server_of_an_earlier_layer_gets_the_name) /* R28 */
{
    static const char slow[] = FIND "main\non list\n delay 40\n answer";
    mcphost_source *plug;
    mcphost_dialog *d;
    mcphost_tool *tool;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_server(&hr, "slow", SHARED, slow);
    load_servers(mcphost_default_source(hr.host));
    plug = source_new("plug");
    hr_server(&hr, "quick", SHARED, FIND "plug");
    load_servers(plug);
    ck_assert_int_eq(
        mcphost_view_add_source(mcphost_default_view(hr.host), plug, NULL, 0), 0);
    hr_ready(&hr);
    d = hr_dialog(&hr, "d");
    hr_until(&hr, strcmp(hr_tools(&hr, d), "find pid") == 0);
    tool = hr_tool(&hr, "find");
    ck_assert_ptr_null(mcphost_tool_get_source_id(tool));
    mcphost_tool_unref(tool);
    down(plug, NULL);
}
END_TEST

START_TEST(a_collision_names_the_source_of_the_server_that_has_the_name) /* R117 */
{
    mcphost_source *plug;
    mcphost_view *view;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_server(&hr, "b", SHARED, FIND "main");
    load_servers(mcphost_default_source(hr.host));
    plug = source_new("plug");
    hr_server(&hr, "a", SHARED, FIND "plug");
    load_servers(plug);
    view = view_of("v", plug, mcphost_default_source(hr.host));
    hr_ready(&hr);
    hr_until(&hr, hr_problem(&hr, "view/v/mcp/server/b/tool_collision/find") != NULL);
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "view/v/mcp/server/b/tool_collision/find"),
               "is taken by server 'plug:a'"));
    down(plug, view);
}
END_TEST

START_TEST(a_view_may_show_some_servers_of_a_source)
{
    static const char *const some[] = {"b"};
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_dialog *p;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    plug = source_new("plug");
    hr_server(&hr, "a", NULL, "no-tools\ntool x");
    hr_server(&hr, "b", NULL, "no-tools\ntool x");
    load_servers(plug);
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "v", &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, plug, some, 1), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, plug, NULL, 0), MCPHOST_E_EXISTS);
    p = dialog_on(view, "p");
    hr_ready(&hr);
    ck_assert_str_eq(hr_tools(&hr, p), "b_x");
    ck_assert_int_eq(mcphost_view_remove_source(view, plug), 0);
    ck_assert_int_eq(mcphost_view_remove_source(view, plug), MCPHOST_E_NOTFOUND);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "") == 0);
    down(plug, view);
}
END_TEST

START_TEST(a_change_outside_of_a_view_publishes_no_catalog_for_it)
{ /* R94 R113 */
    mcphost_source *plug = up_with_two_searches(SHARED);
    mcphost_view *view = view_of("p", plug, NULL);
    mcphost_dialog *p = dialog_on(view, "p");
    mcphost_catalog *before, *after;
    uint64_t version;

    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    ck_assert_int_eq(mcphost_view_get_catalog(view, &before), 0);
    version = hr_version(&hr);
    hr_server(&hr, "search", SHARED, FIND "main");
    hr_server(&hr, "more", NULL, "no-tools\ntool y");
    load_servers(mcphost_default_source(hr.host));
    hr_ready(&hr);
    ck_assert_uint_gt(hr_version(&hr), version);
    ck_assert_int_eq(mcphost_view_get_catalog(view, &after), 0);
    ck_assert_ptr_eq(before, after);
    mcphost_catalog_unref(before);
    mcphost_catalog_unref(after);
    down(plug, view);
}
END_TEST

START_TEST(servers_of_a_temporary_source_are_seen_in_its_view_only) /* R3 R96 */
{
    mcphost_source *plug = up_with_two_searches(SHARED), *run;
    mcphost_view *view = view_of("run", mcphost_default_source(hr.host), NULL);
    mcphost_dialog *d = hr_dialog(&hr, "d"), *p = dialog_on(view, "p");
    int pid;

    run = source_new("run-1");
    hr_server(&hr, "extra", NULL, "no-tools\ntool pid");
    load_servers(run);
    ck_assert_int_eq(mcphost_view_add_source(view, run, NULL, 0), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid extra_pid") == 0);
    ck_assert_str_eq(hr_tools(&hr, d), "find pid");
    pid = hr_pid(&hr, p, "extra_pid");
    ck_assert_int_eq(mcphost_source_remove(run), 0);
    mcphost_source_unref(run);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    hr_until(&hr, rig_is_dead(pid));
    /* Another source can have the id of a removed source. */
    run = source_new("run-1");
    mcphost_source_unref(run);
    down(plug, view);
}
END_TEST

START_TEST(the_admin_tools_reach_the_servers_of_the_dialogs_view) /* R80 B.14 */
{
    mcphost_source *plug;
    mcphost_view *both, *one;
    mcphost_dialog *b, *p, *d;
    int pids[2];

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 1);
    hr_server(&hr, "search", "env: {HERE: x}", FIND "main");
    load_servers(mcphost_default_source(hr.host));
    plug = source_new("plug");
    hr_server(&hr, "search", "env: {THERE: x}\ntransform: [{prefix: p_}]", FIND "plug");
    load_servers(plug);
    hr_ready(&hr);
    both = view_of("both", mcphost_default_source(hr.host), plug);
    one = view_of("one", plug, NULL);
    ck_assert_int_eq(mcphost_view_show_builtins(both, 1), 0);
    ck_assert_int_eq(mcphost_view_show_builtins(one, 1), 0);
    b = dialog_on(both, "b");
    p = dialog_on(one, "p");
    d = hr_dialog(&hr, "d");
    hr_until(&hr, strstr(hr_tools(&hr, p), "find"));
    pids[0] = hr_pid(&hr, b, "search_pid");
    pids[1] = hr_pid(&hr, b, "p_pid");

    /* A release ends only this server's lease.  The lease of plug's server stays. */
    ck_assert_str_eq(hr_say(&hr, b, "mcp_release", "{\"serverId\":\"search\"}"),
                     "ok: released search for dialog b");
    ck_assert_int_eq(hr_pid(&hr, b, "p_pid"), pids[1]);
    ck_assert_int_ne(hr_pid(&hr, b, "search_pid"), pids[0]);
    ck_assert_str_eq(hr_say(&hr, b, "mcp_release", "{\"serverId\":\"plug:search\"}"),
                     "ok: released plug:search for dialog b");
    ck_assert_int_ne(hr_pid(&hr, b, "p_pid"), pids[1]);

    ck_assert_str_eq(hr_say(&hr, b, "mcp_restart", "{\"serverId\":\"plug:search\"}"),
                     "ok: restarted plug:search");
    ck_assert_str_eq(hr_say(&hr, b, "mcp_restart", "{\"serverId\":\"search\"}"),
                     "ok: restarted search");
    ck_assert_str_eq(hr_say(&hr, p, "mcp_restart", "{\"serverId\":\"search\"}"),
                     "ok: restarted plug:search");
    /* The admin tools do not reach servers that the dialog's view does not show. */
    ck_assert_str_eq(hr_say(&hr, d, "mcp_restart", "{\"serverId\":\"plug:search\"}"),
                     "error: MCP server 'plug:search' is not configured");
    ck_assert_str_eq(
        hr_say(&hr, d, "env_set", "{\"key\":\"THERE\",\"value\":\"y\"}"),
        "error: THERE must not be changed: no server's configuration names it");
    ck_assert_ptr_nonnull(
        strstr(hr_say(&hr, p, "env_set", "{\"key\":\"THERE\",\"value\":\"y\"}"), "ok: "));
    mcphost_view_unref(both);
    down(plug, one);
}
END_TEST

START_TEST(a_layered_view_shows_builtin_tools_only_on_request)
{
    mcphost_view *view;
    mcphost_dialog *p;

    hr_up(&hr);
    hr_load_only(&hr);
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "v", &view, NULL), 0);
    p = dialog_on(view, "p");
    ck_assert_str_eq(hr_tools(&hr, p), "");
    ck_assert_int_eq(mcphost_view_show_builtins(view, 1), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, p), HR_ADMIN) == 0);
    ck_assert_int_eq(mcphost_view_show_builtins(view, 0), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "") == 0);
    down(NULL, view);
}
END_TEST

/* ---- files and policies of each source --------------------------------------------- */

START_TEST(a_followed_file_and_given_configurations_work_side_by_side)
{ /* R3 R30 */
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_dialog *p;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    plug = source_new("plug");
    hr_server(&hr, "b", NULL, "no-tools\ntool x");
    load_servers(plug);
    hr_server(&hr, "a", NULL, "no-tools\ntool x");
    hr_follow(&hr);
    view = view_of("v", mcphost_default_source(hr.host), plug);
    p = dialog_on(view, "p");
    hr_until(&hr, strcmp(hr_tools(&hr, p), "a_x b_x") == 0);
    hr_edit(&hr);
    hr_server(&hr, "c", NULL, "no-tools\ntool x");
    hr_reload(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "c_x b_x") == 0);
    /* A source to which the application gives configurations cannot follow a file. */
    ck_assert_int_eq(mcphost_source_follow_workspace(plug, hr.ws.dir, NULL, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_source_reload(plug), MCPHOST_E_STATE);
    down(plug, view);
}
END_TEST

START_TEST(a_policy_of_a_source_applies_to_that_source_only)
{
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_dialog *p;
    mcphost_error *err = NULL;
    int64_t value;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    plug = source_new("plug");
    ck_assert_int_eq(mcphost_source_get_policy(plug, MCPHOST_OPT_NAMES, &value), 0);
    ck_assert_int_eq((int)value, MCPHOST_NAMES_TRANSFORMS);
    ck_assert_int_eq(
        mcphost_source_set_policy(plug, MCPHOST_OPT_NAMES, MCPHOST_NAMES_SERVER, NULL),
        0);
    ck_assert_int_eq(mcphost_source_set_policy(plug, MCPHOST_OPT_NAMES, 7, &err),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "names"));
    err = mcphost_error_unref(err);
    ck_assert_int_eq(
        mcphost_source_set_policy(plug, MCPHOST_OPT_MESSAGE_BYTES, 4096, &err),
        MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "not a policy"));
    mcphost_error_unref(err);
    hr_server(&hr, "a", PLAIN, "no-tools\ntool x");
    load_servers(plug);
    hr_server(&hr, "a", PLAIN, "no-tools\ntool x");
    load_servers(mcphost_default_source(hr.host));
    view = view_of("v", mcphost_default_source(hr.host), plug);
    p = dialog_on(view, "p");
    hr_until(&hr, strcmp(hr_tools(&hr, p), "x a__x") == 0);
    ck_assert_int_eq(mcphost_source_set_policy(plug, MCPHOST_OPT_NAMES, 0, NULL),
                     MCPHOST_E_STATE);
    down(plug, view);
}
END_TEST

START_TEST(a_call_has_the_timeout_and_the_argument_checks_of_its_source)
{ /* R54 K17 */
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_dialog *p;
    mcphost_call *call;

    hr_up(&hr);
    plug = source_new("plug");
    ck_assert_int_eq(mcphost_source_set_policy(plug, MCPHOST_OPT_CALL_TIMEOUT, 40, NULL),
                     0);
    ck_assert_int_eq(mcphost_source_set_policy(plug, MCPHOST_OPT_ARGUMENTS,
                                               MCPHOST_ARGUMENTS_FULL, NULL),
                     0);
    hr_server(
        &hr, "a", SHARED,
        "no-tools\ntool-json {\"name\":\"hang\",\"inputSchema\":{\"type\":\"object\","
        "\"required\":[\"x\"]}}\non call:hang\n hang");
    load_servers(plug);
    view = view_of("v", plug, NULL);
    hr_ready(&hr);
    p = dialog_on(view, "p");
    ck_assert_int_eq(mcphost_call_new(p, "hang", "{}", 2, &call, NULL),
                     MCPHOST_E_INVALID);
    call = hr_start(&hr, p, "hang", "{\"x\":1}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    down(plug, view);
}
END_TEST

START_TEST(a_removed_server_serves_an_open_turn_by_its_sources_policy) /* R96 */
{
    static const char off[] = "off: {transport: stdio, command: x, enabled: false}";
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_dialog *p;
    int gone, kept;

    hr_up(&hr);
    plug = source_new("plug");
    ck_assert_int_eq(
        mcphost_source_set_policy(plug, MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE, NULL),
        0);
    hr_server(&hr, "a", SHARED, "no-tools\ntool pid");
    load_servers(mcphost_default_source(hr.host));
    hr_server(&hr, "b", "truely-stateless: true\ntransform: [{prefix: b_}]",
              "no-tools\ntool pid");
    load_servers(plug);
    hr_ready(&hr);
    view = view_of("v", mcphost_default_source(hr.host), plug);
    p = dialog_on(view, "p");
    hr_until(&hr, strcmp(hr_tools(&hr, p), "pid b_pid") == 0);
    ck_assert_int_eq(mcphost_dialog_begin_turn(p), 0);
    gone = hr_pid(&hr, p, "pid");
    kept = hr_pid(&hr, p, "b_pid");
    hr_entry(&hr, off);
    load_servers(mcphost_default_source(hr.host));
    hr_entry(&hr, off);
    load_servers(plug);
    hr_until(&hr, rig_is_dead(gone));
    ck_assert_int_eq(hr_fail(&hr, p, "pid", NULL), MCPHOST_E_GONE);
    ck_assert_int_eq(hr_pid(&hr, p, "b_pid"), kept);
    ck_assert_int_eq(mcphost_dialog_end_turn(p), 0);
    hr_until(&hr, rig_is_dead(kept));
    down(plug, view);
}
END_TEST

/* ---- sources that are added and removed -------------------------------------------- */

START_TEST(adding_and_removing_sources_does_not_disturb_another_server)
{
    mcphost_source *plug = up_with_two_searches(SHARED), *source;
    mcphost_view *view = view_of("p", plug, NULL);
    mcphost_dialog *d = hr_dialog(&hr, "d");
    int pid = hr_pid(&hr, d, "pid");

    for (int i = 0; i < N_ROUNDS; i++) {
        source = source_new("passing");
        if (i % 4 != 3) {
            hr_server(&hr, "search", i & 1 ? SHARED : PLAIN, FIND "passing");
            load_servers(source);
        }
        ck_assert_int_eq(mcphost_view_add_source(view, source, NULL, 0), 0);
        if (i % 3)
            hr_turn(&hr, i % 10);
        ck_assert_int_eq(hr_pid(&hr, d, "pid"), pid);
        ck_assert_int_eq(mcphost_source_remove(source), 0);
        mcphost_source_unref(source);
    }
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) == N_ROUNDS);
    ck_assert_int_eq(hr_pid(&hr, d, "pid"), pid);
    down(plug, view);
}
END_TEST

START_TEST(a_source_may_be_removed_at_any_moment_of_its_start)
{
    for (int i = 0; i < 12; i++) {
        mcphost_source *plug;

        hr_up(&hr);
        plug = source_new("plug");
        hr_server(&hr, "a", i & 1 ? SHARED : NULL, FIND "x");
        load_servers(plug);
        hr_turn(&hr, i);
        ck_assert_int_eq(mcphost_source_remove(plug), 0);
        if (i % 3)
            hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) == 1);
        down(plug, NULL);
    }
}
END_TEST

START_TEST(a_host_may_close_while_a_source_is_removed)
{
    mcphost_source *plug;

    hr_up(&hr);
    plug = source_new("plug");
    hr_server(&hr, "a", SHARED, "no-tools\ntool x\nignore eof");
    load_servers(plug);
    hr_ready(&hr);
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1), 0);
    down(plug, NULL); /* MCPHOST_EVENT_CLOSED must be the last event */
}
END_TEST

START_TEST(handles_of_sources_may_outlive_their_host)
{
    mcphost_source *plug, *none = NULL;

    hr_up(&hr);
    plug = mcphost_source_ref(source_new("plug"));
    none = mcphost_source_ref(mcphost_default_source(hr.host));
    hr_load(&hr);
    hr_close(&hr);
    ck_assert_str_eq(mcphost_source_get_id(plug), "plug");
    ck_assert_ptr_null(mcphost_source_get_id(none));
    ck_assert_int_eq(mcphost_source_remove(plug), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcphost_source_reload(none), MCPHOST_E_CLOSED);
    mcphost_source_unref(plug);
    mcphost_source_unref(plug);
    mcphost_source_unref(none);
    hr_clear(&hr);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    static const char *const ids[] = {"", "a:b", "a b", "\xc3\xa4"};
    mcphost_source *source = NULL;
    mcphost_error *err = NULL;
    mcphost_view *view;
    mcphost *other;

    hr_up(&hr);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        ck_assert_int_eq(mcphost_source_new(hr.host, ids[i], &source, NULL),
                         MCPHOST_E_INVALID);
    source = source_new("a");
    ck_assert_int_eq(mcphost_source_new(hr.host, "a", &source, &err), MCPHOST_E_EXISTS);
    ck_assert_str_eq(mcphost_error_get_message(err), "there is a source 'a' already");
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_source_remove(mcphost_default_source(hr.host)),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_source_load(source, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_new(&other, NULL), 0);
    ck_assert_int_eq(mcphost_view_new_layered(other, "v", &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, source, NULL, 0), MCPHOST_E_INVALID);
    mcphost_view_unref(view);
    mcphost_unref(other);
    ck_assert_ptr_null(mcphost_default_source(NULL));
    ck_assert_int_eq(mcphost_source_new(NULL, "x", &source, NULL), MCPHOST_E_INVALID);
    down(source, NULL);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *names = test_case(suite, "names"), *layers = test_case(suite, "layers");
    TCase *each = test_case(suite, "each"), *passing = test_case(suite, "passing");

    tcase_set_timeout(names, 30);
    tcase_add_test(names, two_servers_with_one_id_are_distinguished_by_their_sources);
    tcase_add_test(names, a_lease_is_found_by_its_source_and_server);
    tcase_add_test(names, the_problem_of_a_server_names_its_source);
    tcase_add_test(names, removing_one_source_disturbs_no_call_in_the_other);
    tcase_add_test(names, a_removed_source_ends_after_its_calls_in_flight);
    tcase_add_test(names, events_problems_and_requests_name_the_source);
    tcase_add_test(names, restart_and_enable_of_a_source_reach_its_own_servers);
    tcase_set_timeout(layers, 30);
    tcase_add_test(layers, an_unknown_tool_in_a_layered_view_is_not_found_and_not_denied);
    tcase_add_test(layers, a_failed_call_is_a_problem_of_its_own_source);
    tcase_add_test(layers,
                   the_problem_of_a_failed_call_names_the_source_and_ends_with_it);
    tcase_add_test(layers, the_earlier_layer_has_the_tool_and_toolset_names);
    tcase_add_test(layers, a_slow_server_of_an_earlier_layer_gets_the_name);
    tcase_add_test(layers, a_collision_names_the_source_of_the_server_that_has_the_name);
    tcase_add_test(layers, a_view_may_show_some_servers_of_a_source);
    tcase_add_test(layers, a_change_outside_of_a_view_publishes_no_catalog_for_it);
    tcase_add_test(layers, servers_of_a_temporary_source_are_seen_in_its_view_only);
    tcase_add_test(layers, the_admin_tools_reach_the_servers_of_the_dialogs_view);
    tcase_add_test(layers, a_layered_view_shows_builtin_tools_only_on_request);
    tcase_set_timeout(each, 30);
    tcase_add_test(each, a_followed_file_and_given_configurations_work_side_by_side);
    tcase_add_test(each, a_policy_of_a_source_applies_to_that_source_only);
    tcase_add_test(each, a_call_has_the_timeout_and_the_argument_checks_of_its_source);
    tcase_add_test(each, a_removed_server_serves_an_open_turn_by_its_sources_policy);
    tcase_set_timeout(passing, 120);
    tcase_add_test(passing, adding_and_removing_sources_does_not_disturb_another_server);
    tcase_add_test(passing, a_source_may_be_removed_at_any_moment_of_its_start);
    tcase_add_test(passing, a_host_may_close_while_a_source_is_removed);
    tcase_add_test(passing, handles_of_sources_may_outlive_their_host);
    tcase_add_test(passing, bad_arguments_are_refused);
}

int
main(void)
{
    return test_main("host-sources", add);
}
