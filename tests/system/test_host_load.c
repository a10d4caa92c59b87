/* SPDX-License-Identifier: MIT
 *
 * test_host_load.c - loading .minds/mcp.yaml and starting its servers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/httprig.h"

static struct hostrig hr;

static const char *
schema_of(const char *name)
{
    static char text[1024];
    mcphost_tool *tool = hr_tool(&hr, name);
    size_t len;
    const char *schema = mcphost_tool_get_input_schema(tool, &len);

    ck_assert_ptr_nonnull(tool);
    snprintf(text, sizeof(text), "%.*s", (int)len, schema);
    mcphost_tool_unref(tool);
    return text;
}

/* R1, R19, R30, K9: the host starts the servers when it loads the file.  The host is
 * ready when it has the list of tools with their schemas. */
START_TEST(a_workspace_is_ready_when_its_servers_have_listed_their_tools)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL,
              "no-tools\ntool-json "
              "{\"name\":\"one\",\"inputSchema\":{\"type\":\"object\",\"x\":"
              " 1e400 }}");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " a_one");
    ck_assert_str_eq(schema_of("a_one"), "{\"type\":\"object\",\"x\": 1e400 }");
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_READY, NULL, NULL, -1), 1);
    hr_down(&hr);
}
END_TEST

/* R2 */
START_TEST(a_workspace_without_the_file_has_no_servers_and_no_problem)
{
    mcphost_config *config;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(hr.host, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, -1), 0);
    hr_down(&hr);
}
END_TEST

/* R2: a missing directory has the same effect as a missing file. */
START_TEST(a_workspace_without_the_directory_is_no_error_either)
{
    mcphost_config *config;

    hr_up(&hr);
    ck_assert_int_eq(rmdir(rig_workspace_path(&hr.ws, ".minds")), 0);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(hr.host, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, -1), 0);
    hr_down(&hr);
}
END_TEST

/* R4 R114 R116 K20 */
START_TEST(a_file_of_another_version_starts_no_server_and_is_a_problem)
{
    mcphost_config *config;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    memcpy(hr.yaml, "version: 2", 10);
    rig_workspace_yaml(&hr.ws, "%s", hr.yaml);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(hr.host, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), 0);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN);
    ck_assert_ptr_nonnull(
        strstr(hr_problem(&hr, "mcp/workspace_config_error"), "version"));
    hr_down(&hr);
}
END_TEST

/* R5 */
START_TEST(without_cwd_a_server_runs_in_the_workspace)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_load(&hr);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_cwd", NULL), hr.ws.dir);
    hr_down(&hr);
}
END_TEST

/* R5 B.5 */
START_TEST(a_relative_cwd_starts_at_the_workspace)
{
    hr_up(&hr);
    hr_server(&hr, "a", "cwd: .minds", NULL);
    hr_load(&hr);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_cwd", NULL),
                     rig_workspace_path(&hr.ws, ".minds"));
    hr_down(&hr);
}
END_TEST

/* R6 */
START_TEST(a_misspelt_truely_stateless_shares_no_process)
{
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", "truly-stateless: true", NULL);
    hr_load(&hr);
    pid = hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid");
    ck_assert_int_ne(hr_pid(&hr, hr_dialog(&hr, "e"), "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* R7 R115 */
START_TEST(a_transport_that_is_not_allowed_makes_only_its_server_invalid)
{
    const char *why;

    hr_up(&hr);
    hr_entry(&hr, "bad: {transport: sse, url: 'http://127.0.0.1/'}");
    hr_server(&hr, "good", NULL, "no-tools\ntool one");
    hr_load(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "bad"), MCPHOST_SERVER_CONFIG_INVALID);
    why = hr_server_why(&hr, "bad");
    ck_assert_ptr_nonnull(strstr(why, "stdio"));
    ck_assert_ptr_nonnull(strstr(why, "streamable_http"));
    ck_assert_str_eq(hr_toolset(&hr, "good"), "good_one");
    hr_down(&hr);
}
END_TEST

/* R8 K8 */
START_TEST(an_invalid_value_is_reported_with_key_path_and_expected_type)
{
    hr_up(&hr);
    hr_entry(&hr, "bad: {transport: stdio, command: x, args: 5}");
    hr_load(&hr);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "bad"), "servers.bad.args"));
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "bad"), "list"));
    hr_down(&hr);
}
END_TEST

/* R9 R114 K14 */
START_TEST(a_duplicate_server_id_rejects_the_file)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN);
    ck_assert_int_eq(hr_severity(&hr, "mcp/workspace_config_error"),
                     MCPHOST_SEVERITY_ERROR);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), 0);
    hr_down(&hr);
}
END_TEST

/* R5 B.5 K9 */
START_TEST(a_disabled_server_is_not_started)
{
    hr_up(&hr);
    hr_server(&hr, "a", "enabled: false", NULL);
    hr_load(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_DISABLED);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), 0);
    hr_down(&hr);
}
END_TEST

/* ---- environment ------------------------------------------------------------------- */

static const char *const surroundings[] = {"PATH=/usr/bin:/bin", "OLD=from the host",
                                           "EMPTY=", NULL};

/* R12 R13 R14 */
START_TEST(variables_of_a_server_override_those_of_the_host)
{
    mcphost_dialog *d;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_environment(hr.host, surroundings), 0);
    hr_server(&hr, "a", "env: {LITERAL: 'a text', NEW: {env: OLD}, PATH: /nowhere}",
              NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"LITERAL\"}"), "a text");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"NEW\"}"), "from the host");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"OLD\"}"), "from the host");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"PATH\"}"), "/nowhere");
    hr_down(&hr);
}
END_TEST

/* R14 */
START_TEST(the_processs_environment_is_inherited_and_not_changed)
{
    const char *path = secure_getenv("PATH");
    char before[4096];

    snprintf(before, sizeof(before), "%s", path);
    hr_up(&hr);
    hr_server(&hr, "a", "env: {PATH: /nowhere, MCPHOST_TEST_NEW: x}", NULL);
    hr_server(&hr, "b", NULL, NULL);
    hr_load(&hr);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "b_env", "{\"name\":\"PATH\"}"),
                     before);
    ck_assert_str_eq(secure_getenv("PATH"), before);
    ck_assert_ptr_null(secure_getenv("MCPHOST_TEST_NEW"));
    hr_down(&hr);
}
END_TEST

/* R15 */
START_TEST(a_variable_of_the_set_environment_is_read_at_each_start)
{
    static const char *const later[] = {"OLD=later", NULL};

    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_environment(hr.host, surroundings), 0);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", "env: {NEW: {env: OLD}}", NULL);
    hr_load(&hr);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_env", "{\"name\":\"NEW\"}"),
                     "from the host");
    ck_assert_int_eq(mcphost_set_environment(hr.host, later), 0);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "e"), "a_env", "{\"name\":\"NEW\"}"),
                     "later");
    hr_down(&hr);
}
END_TEST

/* R15: the host uses the environment of the process if the application has set no
 * environment. */
START_TEST(a_variable_of_the_process_is_read_at_each_start)
{
    ck_assert_int_eq(setenv("MCPHOST_TEST_OLD", "first", 1), 0);
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", "env: {NEW: {env: MCPHOST_TEST_OLD}}", NULL);
    hr_load(&hr);
    ck_assert_int_eq(setenv("MCPHOST_TEST_OLD", "second", 1), 0);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_env", "{\"name\":\"NEW\"}"),
                     "second");
    hr_down(&hr);
}
END_TEST

/* R16 R115 */
START_TEST(a_missing_variable_fails_only_its_server_and_is_named)
{
    const char *why;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_environment(hr.host, surroundings), 0);
    hr_server(&hr, "bad", "env: {TARGET: {env: ABSENT}}", NULL);
    hr_server(&hr, "good", "env: {TARGET: {env: EMPTY}}", NULL);
    hr_load(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "bad"), MCPHOST_SERVER_UNAVAILABLE);
    why = hr_problem(&hr, "mcp/server/bad/server_error");
    ck_assert_ptr_nonnull(strstr(why, "bad"));
    ck_assert_ptr_nonnull(strstr(why, "ABSENT"));
    ck_assert_ptr_nonnull(strstr(why, "TARGET"));
    /* A variable that is set but empty is not missing. */
    ck_assert_str_eq(
        hr_say(&hr, hr_dialog(&hr, "d"), "good_env", "{\"name\":\"TARGET\"}"), "");
    hr_down(&hr);
}
END_TEST

/* R16, C2 */
START_TEST(a_variable_missing_at_a_later_start_fails_only_that_call)
{
    static const char *const later[] = {"OTHER=1", NULL};
    mcphost_call *call;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_environment(hr.host, surroundings), 0);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", "env: {NEW: {env: OLD}}", NULL);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_set_environment(hr.host, later), 0);
    call = hr_start(&hr, hr_dialog(&hr, "d"), "a_pid", NULL);
    ck_assert_int_lt(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "OLD"));
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    ck_assert_int_eq(mcphost_set_environment(hr.host, surroundings), 0);
    ck_assert_int_gt(hr_pid(&hr, hr.dialogs[0], "a_pid"), 0);
    hr_down(&hr);
}
END_TEST

/* R18 K13 */
START_TEST(secrets_appear_in_no_log_problem_event_or_error)
{
    static const char *const secret[] = {"TOKEN=hush-4711", NULL};
    mcphost_problems *problems;

    hr_up(&hr);
    hr_keep_log(&hr, MCPHOST_LOG_DEBUG);
    ck_assert_int_eq(mcphost_set_environment(hr.host, secret), 0);
    hr_server(&hr, "a", "env: {A: {env: TOKEN}, B: hush-4711}",
              "era legacy\non initialize\n exit 3");
    hr_server(&hr, "b", "env: {A: {env: TOKEN}}", NULL);
    hr_load(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_int_gt((int)strlen(hr.log), 0);
    ck_assert_ptr_null(strstr(hr.log, "hush"));
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "a"), "hush"));
    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    for (size_t i = 0; i < mcphost_problems_count(problems); i++) {
        const mcphost_problem *problem = mcphost_problems_get(problems, i);

        ck_assert_ptr_null(strstr(mcphost_problem_get_message(problem), "hush"));
        ck_assert_ptr_null(strstr(mcphost_problem_get_detail(problem, NULL), "hush"));
    }
    mcphost_problems_unref(problems);
    for (int i = 0; i < hr.n_events; i++)
        ck_assert_ptr_null(strstr(hr.events[i].text, "hush"));
    hr_down(&hr);
}
END_TEST

/* R109, R117: the log line has the server's id and the message of the problem. */
START_TEST(a_fault_is_both_a_problem_and_a_log_line)
{
    char line[256];

    hr_up(&hr);
    hr_keep_log(&hr, MCPHOST_LOG_WARNING);
    hr_server(&hr, "a", "tools: {blacklist: [rm]}", "no-tools\ntool rm\ntool ls");
    hr_load(&hr);
    snprintf(line, sizeof(line), "host [a] %s\n",
             hr_problem(&hr, "mcp/server/a/tool_blacklisted/rm"));
    ck_assert_ptr_nonnull(strstr(line, "'rm'"));
    ck_assert_ptr_nonnull(strstr(hr.log, line));
    hr_down(&hr);
}
END_TEST

/* R14: with MCPHOST_ENV_NONE, a server inherits no variable of the host.  The key `env`
 * can still read a variable of the host. */
START_TEST(without_inheritance_a_server_gets_only_its_own_variables)
{
    mcphost_dialog *d;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_environment(hr.host, surroundings), 0);
    hr_option(&hr, MCPHOST_OPT_INHERIT_ENV, MCPHOST_ENV_NONE);
    hr_server(&hr, "a", "env: {NEW: {env: OLD}}", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"NEW\"}"), "from the host");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"OLD\"}"), "not set");
    hr_down(&hr);
}
END_TEST

/* ---- starting servers -------------------------------------------------------------- */

/* R109: the error names the server and the reason. */
START_TEST(the_error_names_a_program_that_does_not_exist)
{
    hr_up(&hr);
    hr_entry(&hr, "bad: {transport: stdio, command: no-such-program-4711}");
    hr_load(&hr);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "bad"), "'bad'"));
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "bad"), "no-such-program-4711"));
    ck_assert_int_eq(hr_last(&hr, MCPHOST_EVENT_SERVER, "bad")->code, MCPHOST_E_SPAWN);
    hr_down(&hr);
}
END_TEST

/* R20 B.15 */
START_TEST(a_refused_connection_is_reported_with_a_likely_cause)
{
    hr_up(&hr);
    hr_entry(&hr, "web: {transport: streamable_http, url: 'http://127.0.0.1:1/'}");
    hr_load(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "web"), MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_ptr_nonnull(
        strstr(hr_server_why(&hr, "web"), "cannot connect to '127.0.0.1:1'"));
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "web"), "; likely cause: "));
    hr_down(&hr);
}
END_TEST

/* B.15: if a server at a URL does not come up, the host sends two more requests to the
 * server.  The answers may explain the error.  If MCPHOST_OPT_HTTP_DIAGNOSIS is 0, the
 * host does not send these requests. */
START_TEST(a_failed_http_server_gets_diagnostic_requests_with_the_option)
{
    struct httprig web = {0};

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_option(&hr, MCPHOST_OPT_HTTP_DIAGNOSIS, _i);
    hr_http(&hr, &web, "web", NULL, "on discover\n status 503\n body broken");
    hr_load(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "web"), MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "web"), "HTTP status 503"));
    ck_assert_int_eq(strstr(hr_server_why(&hr, "web"), "; likely cause: ") != NULL, _i);
    ck_assert_int_eq(hr_traced(&hr, "web", "GET /health"), _i);
    ck_assert_int_eq(hr_traced(&hr, "web", "\"initialize\""), _i);
    hr_down(&hr);
}
END_TEST

/* The servers start in the order of the file. */
START_TEST(with_one_concurrent_start_servers_start_one_after_another)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CONCURRENT_STARTS, 1);
    for (int i = 0; i < 3; i++)
        hr_server(&hr, (const char *[]){"a", "b", "c"}[i], NULL,
                  "on initialize\n delay 30\n answer");
    hr_load(&hr);
    ck_assert_int_gt(
        hr_place(&hr, MCPHOST_EVENT_INSTANCE, "b", MCPHOST_INSTANCE_STARTING),
        hr_place(&hr, MCPHOST_EVENT_INSTANCE, "a", MCPHOST_INSTANCE_READY));
    ck_assert_int_gt(
        hr_place(&hr, MCPHOST_EVENT_INSTANCE, "c", MCPHOST_INSTANCE_STARTING),
        hr_place(&hr, MCPHOST_EVENT_INSTANCE, "b", MCPHOST_INSTANCE_READY));
    hr_down(&hr);
}
END_TEST

/* R19: the status has the protocol version of each server. */
START_TEST(servers_of_both_eras_come_up_with_their_versions)
{
    mcphost_status *status;

    hr_up(&hr);
    hr_server(&hr, "old", NULL, "era legacy\nversion 2024-11-05");
    hr_server(&hr, "new", NULL, "era modern");
    hr_load(&hr);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_str_eq(mcphost_status_server_get_version(status, 0), "2024-11-05");
    ck_assert_str_eq(mcphost_status_server_get_version(status, 1), "2026-07-28");
    ck_assert_int_ge(mcphost_status_server_get_start_ms(status, 0), 0);
    ck_assert_int_ge(mcphost_status_server_get_latency_ms(status, 0), 0);
    ck_assert_int_ge(mcphost_status_server_get_latency_ms(status, 1), 0);
    ck_assert_int_eq(mcphost_status_server_get_latency_ms(status, 2), -1);
    ck_assert_uint_eq(mcphost_status_server_count_tools(status, 1), 10);
    ck_assert_int_eq(mcphost_status_server_get_transport(status, 1),
                     MCPHOST_TRANSPORT_STDIO);
    mcphost_status_unref(status);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *file = test_case(suite, "file"), *env = test_case(suite, "environment");
    TCase *start = test_case(suite, "start");

    tcase_add_test(file, a_workspace_is_ready_when_its_servers_have_listed_their_tools);
    tcase_add_test(file, a_workspace_without_the_file_has_no_servers_and_no_problem);
    tcase_add_test(file, a_workspace_without_the_directory_is_no_error_either);
    tcase_add_test(file, a_file_of_another_version_starts_no_server_and_is_a_problem);
    tcase_add_test(file, without_cwd_a_server_runs_in_the_workspace);
    tcase_add_test(file, a_relative_cwd_starts_at_the_workspace);
    tcase_add_test(file, a_misspelt_truely_stateless_shares_no_process);
    tcase_add_test(file, a_transport_that_is_not_allowed_makes_only_its_server_invalid);
    tcase_add_test(file, an_invalid_value_is_reported_with_key_path_and_expected_type);
    tcase_add_test(file, a_duplicate_server_id_rejects_the_file);
    tcase_add_test(file, a_disabled_server_is_not_started);

    tcase_add_test(env, variables_of_a_server_override_those_of_the_host);
    tcase_add_test(env, the_processs_environment_is_inherited_and_not_changed);
    tcase_add_test(env, a_variable_of_the_set_environment_is_read_at_each_start);
    tcase_add_test(env, a_variable_of_the_process_is_read_at_each_start);
    tcase_add_test(env, a_missing_variable_fails_only_its_server_and_is_named);
    tcase_add_test(env, a_variable_missing_at_a_later_start_fails_only_that_call);
    tcase_add_test(env, secrets_appear_in_no_log_problem_event_or_error);
    tcase_add_test(env, a_fault_is_both_a_problem_and_a_log_line);
    tcase_add_test(env, without_inheritance_a_server_gets_only_its_own_variables);

    tcase_add_test(start, the_error_names_a_program_that_does_not_exist);
    tcase_add_loop_test(
        start, a_failed_http_server_gets_diagnostic_requests_with_the_option, 0, 2);
    tcase_add_test(start, a_refused_connection_is_reported_with_a_likely_cause);
    tcase_add_test(start, with_one_concurrent_start_servers_start_one_after_another);
    tcase_add_test(start, servers_of_both_eras_come_up_with_their_versions);
}

int
main(void)
{
    return test_main("host-load", add);
}
