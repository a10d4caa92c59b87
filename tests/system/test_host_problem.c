/* SPDX-License-Identifier: MIT
 *
 * test_host_problem.c - errors that affect only their own file, server or tool, and their
 * reports as problems and log lines (R114-R118, B.17).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "support/hostrig.h"

static struct hostrig hr;

static mcphost_problems *
snapshot(void)
{
    mcphost_problems *problems;

    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    return problems;
}

/* Checks kind, severity, detail and times of the problem with this id. */
static void
check_problem(const char *id, const char *kind, int severity, const char *detail)
{
    mcphost_problems *problems = snapshot();
    const mcphost_problem *problem = mcphost_problems_find(problems, id);

    ck_assert_msg(problem != NULL, "no problem '%s'", id);
    ck_assert_str_eq(mcphost_problem_get_id(problem), id);
    ck_assert_str_eq(mcphost_problem_get_kind(problem), kind);
    ck_assert_int_eq(mcphost_problem_get_severity(problem), severity);
    if (!strstr(mcphost_problem_get_detail(problem, NULL), detail))
        ck_abort_msg("'%s' is not in %s", detail,
                     mcphost_problem_get_detail(problem, NULL));
    ck_assert_int_gt(mcphost_problem_get_first_seen_ms(problem), 0);
    ck_assert_int_ge(mcphost_problem_get_last_seen_ms(problem),
                     mcphost_problem_get_first_seen_ms(problem));
    mcphost_problems_unref(problems);
}

/* ---- the workspace ----------------------------------------------------------------- */

static void
load_text(const char *yaml)
{
    mcphost_config *config;

    hr_up(&hr);
    rig_workspace_yaml(&hr.ws, "%s", yaml);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_lt(mcphost_config_get_status(config), 0);
    ck_assert_int_eq(mcphost_load(hr.host, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
}

/* R114: the message has no line and no column. */
START_TEST(a_directory_in_place_of_the_file_is_a_problem_without_a_line)
{
    mcphost_config *config;
    char path[512];

    hr_up(&hr);
    snprintf(path, sizeof(path), "%s/.minds", hr.ws.dir);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", hr.ws.dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(hr.host, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "mcp/workspace_config_error"), "mcp.yaml: '"));
    ck_assert_ptr_null(strstr(hr_problem(&hr, "mcp/workspace_config_error"), ":0"));
    hr_down(&hr);
}
END_TEST

/* R114 R116 */
START_TEST(invalid_yaml_is_a_workspace_problem_with_its_line)
{
    load_text("version: 1\nservers: {a: [}\n");
    check_problem("mcp/workspace_config_error", "mcp_workspace_config_error",
                  MCPHOST_SEVERITY_ERROR, "\"filePath\":\"");
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, "mcp/workspace_config_error"), ":2:"));
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN);
    hr_down(&hr);
}
END_TEST

/* R114 */
START_TEST(a_missing_version_rejects_the_whole_file)
{
    load_text("servers: {a: {transport: stdio, command: x}}\n");
    check_problem("mcp/workspace_config_error", "mcp_workspace_config_error",
                  MCPHOST_SEVERITY_ERROR, "errorText");
    hr_down(&hr);
}
END_TEST

/* R6, R118: the problem suggests the key that the user probably meant. */
START_TEST(an_unknown_key_is_a_warning)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truly-stateless: true", "no-tools");
    hr_load(&hr);
    check_problem("mcp/config_warning/servers.a.truly-stateless", "generic_problem",
                  MCPHOST_SEVERITY_WARNING, "\"text\":");
    ck_assert_ptr_nonnull(strstr(
        hr_problem(&hr, "mcp/config_warning/servers.a.truly-stateless"), "did you mean"));
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

/* ---- one server -------------------------------------------------------------------- */

/* R115 R116 */
START_TEST(an_invalid_entry_affects_only_its_server)
{
    hr_up(&hr);
    hr_entry(&hr, "bad: {transport: stdio}");
    hr_server(&hr, "good", NULL, "no-tools\ntool one");
    hr_load(&hr);
    check_problem("mcp/server/bad/server_error", "mcp_server_error",
                  MCPHOST_SEVERITY_ERROR, "\"serverId\":\"bad\"");
    ck_assert_str_eq(hr_toolset(&hr, "good"), "good_one");
    ck_assert_int_eq(hr_server_state(&hr, "bad"), MCPHOST_SERVER_CONFIG_INVALID);
    hr_down(&hr);
}
END_TEST

/* R116 */
START_TEST(a_hanging_server_delays_no_other_server)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_START_TIMEOUT, 400);
    hr_server(&hr, "mute", "era: legacy", "on initialize");
    hr_server(&hr, "good", NULL, "no-tools\ntool pid");
    hr_load_only(&hr);
    hr_turn(&hr, 1);
    hr_until(&hr, hr_server_state(&hr, "good") == MCPHOST_SERVER_LOADED);
    ck_assert_int_eq(hr_server_state(&hr, "mute"), MCPHOST_SERVER_STARTING);
    ck_assert_int_gt(hr_pid(&hr, hr_dialog(&hr, "d"), "good_pid"), 0);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_READY, NULL, NULL, -1), 0);
    hr_ready(&hr);
    ck_assert_int_eq(hr_last(&hr, MCPHOST_EVENT_SERVER, "mute")->code, MCPHOST_E_TIMEOUT);
    check_problem("mcp/server/mute/server_error", "mcp_server_error",
                  MCPHOST_SEVERITY_ERROR, "errorText");
    hr_down(&hr);
}
END_TEST

/* R116: the host loads a good server even after failing servers have taken all slots for
 * concurrent starts. */
START_TEST(servers_that_fail_free_their_start_slots_for_others)
{
    char id[8];

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CONCURRENT_STARTS, 2);
    for (int i = 0; i < 6; i++) {
        snprintf(id, sizeof(id), "bad%d", i);
        hr_server(&hr, id, NULL, "on spawn\n exit 1");
    }
    hr_server(&hr, "good", NULL, "no-tools\ntool one");
    hr_load(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "good"), "good_one");
    ck_assert_int_eq(hr_server_state(&hr, "bad5"), MCPHOST_SERVER_UNAVAILABLE);
    hr_down(&hr);
}
END_TEST

/* R116: server `spawn` ends at its start, `shake` in the handshake, and `list` when the
 * host asks for the list.  Server `error` refuses the list.  The status says why each
 * of these servers is unavailable. */
START_TEST(a_server_that_ends_while_it_is_loaded_is_unavailable)
{
    hr_up(&hr);
    hr_server(&hr, "spawn", NULL, "on spawn\n stderr no licence\n exit 7");
    hr_server(&hr, "shake", "era: legacy", "on initialize\n crash 11");
    hr_server(&hr, "list", NULL, "on list\n exit 2");
    hr_server(&hr, "error", NULL, "on list\n error -32603 out of order");
    hr_server(&hr, "good", NULL, "no-tools\ntool one");
    hr_load(&hr);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "spawn"), "status 7"));
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "shake"), "signal 11"));
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "list"), "status 2"));
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "error"), "out of order"));
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " good_one");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_READY, NULL, NULL, -1), 1);
    hr_down(&hr);
}
END_TEST

/* R110 */
START_TEST(a_server_that_cannot_be_listed_is_stopped)
{
    int pid;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LIST_TIMEOUT, 60);
    hr_server(&hr, "a", NULL, "on list");
    hr_load(&hr);
    pid = (int)hr_last(&hr, MCPHOST_EVENT_INSTANCE, "a")->pid;
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_UNAVAILABLE);
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_int_eq(hr_server_pid(&hr, "a"), 0);
    hr_down(&hr);
}
END_TEST

/* ---- one tool: R118 ---------------------------------------------------------------- */

/* R37, R50, R118 and B.17: checks the ids, kinds, severities and details of the
 * problems. */
START_TEST(each_tool_that_is_left_out_is_a_problem_with_its_reason)
{
    hr_up(&hr);
    hr_server(&hr, "a", "tools: {blacklist: ['b*', '*k']}\ntransform: [{prefix: x_}]",
              "no-tools\ntool bk\ntool a.b\n"
              "tool ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\n"
              "tool good\ntool-json {\"name\":\"odd\",\"inputSchema\":5}");
    hr_server(&hr, "b", "tools: {whitelist: [one, two]}\ntransform: [{prefix: x_}]",
              "no-tools\ntool one\ntool good");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " x_good x_one");
    check_problem("mcp/server/a/tool_blacklisted/bk", "mcp_tool_blacklisted",
                  MCPHOST_SEVERITY_WARNING, "\"pattern\":\"b*\"");
    check_problem("mcp/server/a/tool_invalid_name/a.b", "mcp_tool_invalid_name",
                  MCPHOST_SEVERITY_WARNING, "\"rule\":");
    test_has(hr_problem(&hr, "mcp/server/a/tool_invalid_name/a.b"),
             "a character other than ASCII letters, digits, '_' and '-' (the step {map: "
             "_} of 'transform' would make it valid)");
    check_problem("mcp/server/a/tool_invalid_name/"
                  "ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
                  "/transformed",
                  "mcp_tool_invalid_name", MCPHOST_SEVERITY_WARNING, "\"rule\":");
    check_problem("mcp/server/b/tool_not_whitelisted/good", "mcp_tool_not_whitelisted",
                  MCPHOST_SEVERITY_WARNING, "\"pattern\":\"one, two\"");
    hr_down(&hr);
}
END_TEST

/* R118: the model gets the beginning of the description.  A mark in the description
 * shows the cut.  A problem reports the cut. */
START_TEST(a_description_over_the_limit_is_cut_and_reported)
{
    struct mcph_buf script;
    const char *text;
    size_t len;

    mcph_buf_init(&script, 1 << 20);
    mcph_buf_adds(&script, "no-tools\ntool-json {\"name\":\"long\",\"description\":\"");
    for (int i = 0; i < 5000; i++)
        mcph_buf_adds(&script, "0123456789");
    mcph_buf_adds(&script, "\",\"inputSchema\":{}}\n");
    mcph_buf_add(&script, "", 1);
    for (int raised = 0; raised < 2; raised++) {
        mcphost_catalog *catalog;

        hr_up(&hr);
        if (raised)
            hr_option(&hr, MCPHOST_OPT_TOOL_TEXT, 60000);
        hr_server(&hr, "a", "transform: []", script.data);
        hr_load(&hr);
        ck_assert_int_eq(
            mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog), 0);
        text = mcphost_tool_get_description(mcphost_catalog_find_tool(catalog, "long"),
                                            &len);
        ck_assert_uint_eq(len, raised ? 50000 : 32768 + 35);
        if (raised)
            ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/tool_cut/long"));
        else
            check_problem("mcp/server/a/tool_cut/long", "mcp_tool_cut",
                          MCPHOST_SEVERITY_WARNING, "\"toolName\":\"long\"");
        ck_assert_int_eq(!!memmem(text, len, "[... cut here: 50000 bytes in all]", 34),
                         !raised);
        mcphost_catalog_unref(catalog);
        hr_down(&hr);
    }
    mcph_buf_done(&script);
}
END_TEST

/* R118: each of the first hundred tools that are left out has a problem of its own.  A
 * summary counts the other tools that are left out. */
START_TEST(at_most_a_hundred_left_out_tools_are_named_and_the_others_counted)
{
    struct mcph_buf script;
    mcphost_problems *all;
    size_t n = 0;

    mcph_buf_init(&script, 1 << 20);
    mcph_buf_adds(&script, "no-tools\ntool good\n");
    for (int i = 0; i < 350; i++)
        mcph_buf_addf(&script, "tool a.%d\n", i);
    mcph_buf_add(&script, "", 1);
    hr_up(&hr);
    hr_server(&hr, "a", "transform: []", script.data);
    hr_server(&hr, "b", "transform: []", "no-tools\ntool b.c\n");
    hr_load(&hr);
    mcph_buf_done(&script);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "good");
    all = snapshot();
    for (size_t i = 0; i < mcphost_problems_count(all); i++)
        n += mcph_streq(mcphost_problem_get_server_id(mcphost_problems_get(all, i)), "a");
    ck_assert_uint_eq(n, 101);
    mcphost_problems_unref(all);
    check_problem("mcp/server/a/tools_left_out", "mcp_tools_left_out",
                  MCPHOST_SEVERITY_WARNING, "\"count\":250");
    check_problem("mcp/server/b/tool_invalid_name/b.c", "mcp_tool_invalid_name",
                  MCPHOST_SEVERITY_WARNING, "\"rule\":");
    hr_down(&hr);
}
END_TEST

/* R118 */
START_TEST(a_problem_of_a_tool_ends_when_its_reason_ends)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true\ntools: {blacklist: [bad]}",
              "no-tools\ntool bad\ntool grow\non call:grow\n use more\n changed\n"
              " text grown\nset more\ntool grow");
    hr_load(&hr);
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/tool_blacklisted/bad"));
    hr_say(&hr, hr_dialog(&hr, "d"), "a_grow", NULL);
    hr_until(&hr, !hr_problem(&hr, "mcp/server/a/tool_blacklisted/bad"));
    ck_assert_int_eq(hr_last(&hr, MCPHOST_EVENT_PROBLEM, "a")->state, 0);
    ck_assert_str_eq(hr_last(&hr, MCPHOST_EVENT_PROBLEM, "a")->problem,
                     "mcp/server/a/tool_blacklisted/bad");
    hr_down(&hr);
}
END_TEST

/* ---- the store of problems --------------------------------------------------------- */

/* B.17 */
START_TEST(an_equal_problem_raised_again_changes_no_version_and_sends_no_event)
{
    mcphost_problems *before, *after;
    int n;

    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true\ntools: {blacklist: [bad]}",
              "no-tools\ntool bad\ntool grow\non call:grow\n use more\n changed\n"
              " text grown\nset more\ntool bad\ntool grow\ntool extra");
    hr_load(&hr);
    before = snapshot();
    n = hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, -1);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_grow", NULL);
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "a_grow a_extra") == 0);
    after = snapshot();
    ck_assert_uint_eq(mcphost_problems_get_version(before),
                      mcphost_problems_get_version(after));
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, -1), n);
    mcphost_problems_unref(before);
    mcphost_problems_unref(after);
    hr_down(&hr);
}
END_TEST

/* B.17 */
START_TEST(a_snapshot_lists_errors_before_warnings)
{
    mcphost_problems *problems;

    hr_up(&hr);
    hr_server(&hr, "a", "tools: {whitelist: [one]}", "no-tools\ntool two\ntool x.y");
    hr_entry(&hr, "bad: {transport: stdio}");
    hr_load(&hr);
    problems = snapshot();
    ck_assert_uint_eq(mcphost_problems_count(problems), 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(mcphost_problem_get_severity(mcphost_problems_get(problems, i)),
                         i == 0 ? MCPHOST_SEVERITY_ERROR : MCPHOST_SEVERITY_WARNING);
    ck_assert_ptr_null(mcphost_problems_get(problems, 3));
    ck_assert_str_eq(mcphost_problem_get_server_id(mcphost_problems_get(problems, 0)),
                     "bad");
    mcphost_problems_unref(problems);
    hr_down(&hr);
}
END_TEST

static char logged[65536];
static int logged_level;

static void
on_log(int level, const char *room, const char *server, const char *message, void *arg)
{
    size_t len = strlen(logged);

    (void)arg;
    (void)room;
    if (server && strcmp(server, "bad") == 0)
        logged_level = level;
    snprintf(logged + len, sizeof(logged) - len, "%s\n", message);
}

/* R117 */
START_TEST(every_problem_is_logged_too)
{
    mcphost_problems *problems;

    logged[0] = '\0';
    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_log(hr.host, MCPHOST_LOG_INFO, on_log, NULL, NULL), 0);
    hr_server(&hr, "a", "tools: {blacklist: [two]}", "no-tools\ntool two\ntool x.y");
    hr_entry(&hr, "bad: {transport: stdio}");
    hr_load(&hr);
    problems = snapshot();
    ck_assert_uint_eq(mcphost_problems_count(problems), 3);
    for (size_t i = 0; i < mcphost_problems_count(problems); i++)
        ck_assert_ptr_nonnull(strstr(
            logged, mcphost_problem_get_message(mcphost_problems_get(problems, i))));
    ck_assert_int_eq(logged_level, MCPHOST_LOG_ERROR);
    mcphost_problems_unref(problems);
    hr_down(&hr);
}
END_TEST

/* R21 R117 */
START_TEST(noise_on_stdout_is_a_problem_but_the_server_is_loaded)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, "no-tools\ntool one\non spawn\n line Starting up...");
    hr_load(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "a_one");
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "mcp/server/a/stdout_noise"), "Starting up..."));
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/a/stdout_noise"),
                     MCPHOST_SEVERITY_WARNING);
    hr_down(&hr);
}
END_TEST

/* R21, R117: U+FFFD replaces the invalid bytes.  The call succeeds. */
START_TEST(bytes_that_are_not_utf8_are_replaced_and_reported)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL,
              "on call:echo\n line {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":"
              "{\"content\":[{\"type\":\"text\",\"text\":\"a\\xff\"}]}}");
    hr_load(&hr);
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/invalid_utf8"));
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_echo", "{}"), "a\xef\xbf\xbd");
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "mcp/server/a/invalid_utf8"), "not valid UTF-8"));
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/a/invalid_utf8"),
                     MCPHOST_SEVERITY_WARNING);
    hr_down(&hr);
}
END_TEST

/* The host publishes the pages of a list up to the limit and raises a problem. */
START_TEST(a_list_that_was_cut_is_loaded_with_a_warning)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LIST_PAGES, 2);
    hr_server(&hr, "a", NULL, "no-tools\ngenerate 10 t\npage-size 2");
    hr_load(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "a_t0 a_t1 a_t2 a_t3");
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/a/server_error"),
                     MCPHOST_SEVERITY_WARNING);
    hr_down(&hr);
}
END_TEST

START_TEST(the_problem_of_a_cut_list_ends_when_the_list_is_whole)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LIST_PAGES, 2);
    hr_server(&hr, "a", "truely-stateless: true",
              "no-tools\ntool grow\ngenerate 9 t\npage-size 2\n"
              "on call:grow\n use more\n changed\n text grown\n"
              "set more\ntool grow\ntool whole");
    hr_load(&hr);
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/server_error"));
    hr_say(&hr, hr_dialog(&hr, "d"), "a_grow", NULL);
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "a_grow a_whole") == 0);
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/server_error"));
    ck_assert_int_eq(hr_last(&hr, MCPHOST_EVENT_PROBLEM, "a")->state, 0);
    hr_down(&hr);
}
END_TEST

/* R110 */
START_TEST(a_later_list_that_fails_changes_nothing)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true",
              "no-tools\ntool one\non call:one\n changed\n text said\n"
              "on list 2\n error -32603 out of order");
    hr_load(&hr);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_one", NULL);
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "tools/list") == 2);
    hr_turn(&hr, 30);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "a_one");
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

static int
containment_of(const char *id)
{
    mcphost_status *status = NULL;
    int containment = -1;

    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
        if (strcmp(mcphost_status_server_get_id(status, i), id) == 0)
            containment = mcphost_status_server_get_containment(status, i);
    mcphost_status_unref(status);
    return containment;
}

START_TEST(without_an_optional_guard_servers_run_and_one_problem_is_raised)
{
    hr_up(&hr);
    ck_assert_int_eq(
        mcphost_set_option(hr.host, MCPHOST_OPT_GUARD, MCPHOST_GUARD_OPTIONAL), 0);
    ck_assert_int_eq(mcphost_set_guard_path(hr.host, "/no/such/guard"), 0);
    hr_server(&hr, "a", NULL, "no-tools\ntool pid");
    hr_server(&hr, "b", NULL, "no-tools\ntool pid");
    hr_load(&hr);
    ck_assert_int_gt(hr_pid(&hr, hr_dialog(&hr, "d"), "b_pid"), 0);
    ck_assert_int_eq(hr_severity(&hr, "mcp/unguarded"), MCPHOST_SEVERITY_WARNING);
    ck_assert_int_eq(containment_of("b"), MCPHOST_CONTAINMENT_GROUP);
    hr_down(&hr);
}
END_TEST

START_TEST(without_a_required_guard_a_server_does_not_start)
{
    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_guard_path(hr.host, "/no/such/guard"), 0);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_RETRY, 0), 0);
    hr_server(&hr, "a", NULL, "no-tools\ntool pid");
    hr_load(&hr);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_int_eq(hr_severity(&hr, "mcp/unguarded"), 0);
    ck_assert_int_eq(containment_of("a"), MCPHOST_CONTAINMENT_AUTO);
    hr_down(&hr);
}
END_TEST

/* Server `a` has the mode from its key `containment`.  Server `b` has the default
 * mode. */
START_TEST(the_status_reports_the_containment_mode_in_force)
{
    hr_up(&hr);
    hr_server(&hr, "a", "containment: tree", "no-tools\ntool pid");
    hr_server(&hr, "b", NULL, "no-tools\ntool pid");
    hr_load(&hr);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_LOADED &&
                      hr_server_state(&hr, "b") == MCPHOST_SERVER_LOADED);
    ck_assert_int_eq(containment_of("a"), MCPHOST_CONTAINMENT_TREE);
    /* The default mode never chooses a PID namespace. */
    ck_assert(containment_of("b") == MCPHOST_CONTAINMENT_TREE ||
              containment_of("b") == MCPHOST_CONTAINMENT_CGROUP);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *ws = test_case(suite, "workspace"), *server = test_case(suite, "server");
    TCase *tool = test_case(suite, "tool"), *store = test_case(suite, "store");

    tcase_add_test(ws, a_directory_in_place_of_the_file_is_a_problem_without_a_line);
    tcase_add_test(ws, invalid_yaml_is_a_workspace_problem_with_its_line);
    tcase_add_test(ws, a_missing_version_rejects_the_whole_file);
    tcase_add_test(ws, an_unknown_key_is_a_warning);

    tcase_add_test(server, an_invalid_entry_affects_only_its_server);
    tcase_add_test(server, a_hanging_server_delays_no_other_server);
    tcase_add_test(server, servers_that_fail_free_their_start_slots_for_others);
    tcase_add_test(server, a_server_that_ends_while_it_is_loaded_is_unavailable);
    tcase_add_test(server, a_server_that_cannot_be_listed_is_stopped);
    tcase_add_test(server, noise_on_stdout_is_a_problem_but_the_server_is_loaded);
    tcase_add_test(server, bytes_that_are_not_utf8_are_replaced_and_reported);
    tcase_add_test(server, a_list_that_was_cut_is_loaded_with_a_warning);
    tcase_add_test(server, the_problem_of_a_cut_list_ends_when_the_list_is_whole);
    tcase_add_test(server, a_later_list_that_fails_changes_nothing);
    tcase_add_test(server,
                   without_an_optional_guard_servers_run_and_one_problem_is_raised);
    tcase_add_test(server, without_a_required_guard_a_server_does_not_start);
    tcase_add_test(server, the_status_reports_the_containment_mode_in_force);

    tcase_add_test(tool, each_tool_that_is_left_out_is_a_problem_with_its_reason);
    tcase_add_test(tool, a_description_over_the_limit_is_cut_and_reported);
    tcase_add_test(tool,
                   at_most_a_hundred_left_out_tools_are_named_and_the_others_counted);
    tcase_add_test(tool, a_problem_of_a_tool_ends_when_its_reason_ends);

    tcase_add_test(store,
                   an_equal_problem_raised_again_changes_no_version_and_sends_no_event);
    tcase_add_test(store, a_snapshot_lists_errors_before_warnings);
    tcase_add_test(store, every_problem_is_logged_too);
}

int
main(void)
{
    return test_main("host-problem", add);
}
