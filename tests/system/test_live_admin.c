/* SPDX-License-Identifier: MIT
 *
 * test_live_admin.c - the tools of mcp_admin: their effects and the texts of their
 * answers (B.14).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

#define A      "{\"serverId\":\"a\"}"
#define SHARED "truely-stateless: true"
#define OTHER  "truely-stateless: true\nenv: {EDITION: 'two'}"

static void
up(void)
{
    static const char *const nothing[] = {NULL}, *const all[] = {"*", NULL};

    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_admin_env(hr.host, nothing, all), 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
}

/* Starts a host that follows a file with server a.  Opens a dialog. */
static void
up_with(const char *keys, const char *script)
{
    up();
    hr_server(&hr, "a", keys, script);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
}

/* Calls a tool that must end with an error result.  Returns the text of the result. */
static const char *
error_text_of(const char *tool, const char *arguments)
{
    mcphost_call *call = hr_start(&hr, d, tool, arguments);

    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_result_is_error(mcphost_call_get_result(call)), 1);
    return hr_text(&hr, call);
}

static void
refuses_arguments(const char *tool, const char *arguments)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;

    ck_assert_int_eq(mcphost_call_new(d, tool, arguments, strlen(arguments), &call, &err),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), tool));
    mcphost_error_unref(err);
}

static const char *
text_of(const char *tool, const char *arguments)
{
    mcphost_call *call = hr_start(&hr, d, tool, arguments);

    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_text(&hr, call);
    ck_assert_msg(!mcphost_result_is_error(mcphost_call_get_result(call)), "%s", hr.say);
    return hr.say;
}

static void
read_file(char *text, size_t size)
{
    char path[4200];
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", hr.ws.dir);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    n = fread(text, 1, size - 1, f);
    text[n] = '\0';
    fclose(f);
}

/* ---- mcp_restart ------------------------------------------------------------------- */

/* B.14 R111 */
START_TEST(mcp_restart_answers_when_the_new_process_has_taken_over)
{
    int before;

    up_with(SHARED, NULL);
    before = hr_pid(&hr, d, "a_pid");
    ck_assert_str_eq(text_of("mcp_restart", A), "ok: restarted a");
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), before);
    hr_until(&hr, rig_is_dead(before));
    hr_down(&hr);
}
END_TEST

/* B.14: mcp_restart first reads the file again. */
START_TEST(mcp_restart_applies_an_edit_of_the_file)
{
    up_with(SHARED, NULL);
    hr_edit(&hr);
    hr_server(&hr, "a", OTHER, NULL);
    hr_save(&hr);
    ck_assert_str_eq(text_of("mcp_restart", A), "ok: restarted a");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"EDITION\"}"), "two");
    /* The edit and the restart together start only one new process. */
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), 2);
    hr_down(&hr);
}
END_TEST

/* B.14 R110 R111 */
START_TEST(mcp_restart_that_fails_says_why_and_the_old_process_stays)
{
    int before;

    up_with(SHARED, NULL);
    before = hr_pid(&hr, d, "a_pid");
    rig_workspace_write(&hr.ws, "a.script", "on spawn\n exit 3\n");
    ck_assert_ptr_nonnull(strstr(error_text_of("mcp_restart", A), "error: "));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), before);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/server_error"));
    hr_down(&hr);
}
END_TEST

/* B.14: mcp_restart writes `enabled: true` into the file and starts the disabled
 * server. */
START_TEST(mcp_restart_enables_a_disabled_server)
{
    char text[16384];

    up_with("enabled: false # for now", NULL);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_DISABLED);
    ck_assert_str_eq(text_of("mcp_restart", A), "ok: restarted a");
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    read_file(text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "enabled: true # for now\n"));
    hr_down(&hr);
}
END_TEST

/* B.14 */
START_TEST(mcp_restart_says_what_is_wrong_with_the_file)
{
    char path[4200];
    int before;

    up_with(SHARED, NULL);
    before = hr_pid(&hr, d, "a_pid");
    ck_assert_str_eq(error_text_of("mcp_restart", "{\"serverId\":\"b\"}"),
                     "error: MCP server 'b' is not configured");
    rig_workspace_yaml(&hr.ws, "version: 1\nservers: [\n");
    ck_assert_ptr_nonnull(strstr(error_text_of("mcp_restart", A), "error: "));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), before);
    rig_workspace_yaml(&hr.ws, "version: 1\nservers:\n  a: {transport: stdio}\n");
    ck_assert_ptr_nonnull(strstr(error_text_of("mcp_restart", A), "command"));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), before);
    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", hr.ws.dir);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_ptr_nonnull(strstr(error_text_of("mcp_restart", A), "does not exist"));
    hr_down(&hr);
}
END_TEST

START_TEST(mcp_restart_works_for_a_configuration_from_the_application)
{
    int before;

    up();
    hr_server(&hr, "a", SHARED, NULL);
    hr_server(&hr, "b", "enabled: false", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    before = hr_pid(&hr, d, "a_pid");
    ck_assert_str_eq(text_of("mcp_restart", A), "ok: restarted a");
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), before);
    ck_assert_ptr_nonnull(
        strstr(error_text_of("mcp_restart", "{\"serverId\":\"b\"}"), "error: "));
    hr_down(&hr);
}
END_TEST

START_TEST(mcp_restart_ends_on_cancel_timeout_or_removal_of_its_server)
{
    mcphost_call *call;

    up_with(SHARED, NULL);
    rig_workspace_write(&hr.ws, "a.script", "on spawn\n sleep 3000\n");
    call = hr_start(&hr, d, "mcp_restart", A);
    hr_turn(&hr, 10);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    call = hr_call(&hr, d, "mcp_restart", A);
    ck_assert_int_eq(mcphost_call_set_timeout(call, 30, 0, -1), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    call = hr_start(&hr, d, "mcp_restart", A);
    hr_turn(&hr, 10);
    hr_edit(&hr);
    hr_server(&hr, "b", NULL, NULL);
    hr_reload(&hr);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "error: the server is disabled or removed");
    hr_down(&hr);
}
END_TEST

START_TEST(an_unrelated_edit_does_not_end_a_restart)
{
    mcphost_call *call;

    up_with(SHARED, NULL);
    rig_workspace_write(&hr.ws, "a.script", "on spawn\n sleep 100\n");
    call = hr_start(&hr, d, "mcp_restart", A);
    hr_turn(&hr, 10);
    rig_workspace_write(&hr.ws, "b.script", "\n");
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "ok: restarted a");
    hr_down(&hr);
}
END_TEST

/* ---- mcp_disable ------------------------------------------------------------------- */

/* B.14 */
START_TEST(mcp_disable_stops_the_server_and_writes_the_file)
{
    char text[16384];
    int pid;

    up_with(SHARED, NULL);
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_str_eq(text_of("mcp_disable", A), "ok: disabled a and set enabled=false");
    ck_assert_str_eq(hr_tools(&hr, d), HR_ADMIN);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_DISABLED);
    hr_until(&hr, rig_is_dead(pid));
    read_file(text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "enabled: false"));
    ck_assert_str_eq(text_of("mcp_restart", A), "ok: restarted a");
    ck_assert_ptr_nonnull(strstr(hr_tools(&hr, d), "a_pid"));
    hr_down(&hr);
}
END_TEST

/* B.14: mcp_disable first stops the server and then writes the file. */
START_TEST(mcp_disable_stops_the_server_even_if_the_file_cannot_be_edited)
{
    int pid;

    up();
    hr_server(&hr, "a", SHARED, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_ptr_nonnull(strstr(error_text_of("mcp_disable", A), "error: "));
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_DISABLED);
    ck_assert_str_eq(hr_tools(&hr, d), HR_ADMIN);
    hr_down(&hr);
}
END_TEST

static void
load_again(const char *keys)
{
    hr.yaml_len = strlen("version: 1\nservers:\n");
    hr.yaml[hr.yaml_len] = '\0';
    hr_server(&hr, "a", keys, NULL);
    hr_load_only(&hr);
    hr_turn(&hr, 0);
}

/* B.14: reading the same configuration again does not start a stopped server.  A
 * restart or an edit of the server's entry starts the server. */
START_TEST(a_stopped_server_stays_stopped_until_a_restart_or_an_edit)
{
    up();
    hr_server(&hr, "a", SHARED, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_ptr_nonnull(
        strstr(error_text_of("mcp_disable", A), "; a is stopped until"));
    for (int i = 0; i < 2; i++) {
        load_again(SHARED);
        ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_DISABLED);
        ck_assert_str_eq(hr_tools(&hr, d), HR_ADMIN);
    }
    if (_i == 0)
        ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    else if (_i == 1)
        ck_assert_str_eq(text_of("mcp_restart", A), "ok: restarted a");
    else
        load_again(OTHER);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_LOADED);
    ck_assert_int_gt(hr_pid(&hr, d, "a_pid"), 0);
    load_again(_i == 2 ? OTHER : SHARED);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

static int
cannot(struct mcph_config_reader *source, const char *id, bool enabled,
       struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    (void)source;
    (void)id;
    (void)enabled;
    (void)ret_edit;
    return mcph_err(reterr, MCPHOST_E_IO, "the disk is full");
}

/* B.14 */
START_TEST(enabling_a_server_after_a_failed_write_of_disable_starts_it)
{
    struct mcph_config_reader *source;
    struct mcph_config_reader before;

    up_with(SHARED, NULL);
    source = hr.host->source->reader;
    before = *source;
    source->set_enabled = cannot;
    ck_assert_str_eq(error_text_of("mcp_disable", A),
                     "error: the disk is full; a is stopped until it is restarted or its "
                     "entry is edited");
    source->set_enabled = before.set_enabled;
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_turn(&hr, 0);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_DISABLED);
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "a", 1), 0);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_LOADED);
    ck_assert_int_gt(hr_pid(&hr, d, "a_pid"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(mcp_disable_of_an_unknown_server_is_an_error)
{
    up_with(SHARED, NULL);
    ck_assert_ptr_nonnull(
        strstr(error_text_of("mcp_disable", "{\"serverId\":\"b\"}"), "error: "));
    ck_assert_ptr_nonnull(strstr(hr_tools(&hr, d), "a_pid"));
    hr_down(&hr);
}
END_TEST

/* ---- the environment --------------------------------------------------------------- */

/* B.14 R14 */
START_TEST(env_set_changes_the_environment_of_later_servers_only)
{
    up_with(SHARED "\nenv: {SEEN: {env: MCPT_VAR}, EDITION: 'x'}", NULL);
    /* The server does not start, because {env:} names a variable that is not set. */
    ck_assert_int_ne(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    ck_assert_str_eq(text_of("env_set", "{\"key\":\"MCPT_VAR\",\"value\":\"v 1\"}"),
                     "ok: MCPT_VAR\nprev: (unset)\nnext: (set, not shown)");
    ck_assert_ptr_null(getenv("MCPT_VAR"));
    text_of("mcp_restart", A);
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"MCPT_VAR\"}"), "v 1");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"SEEN\"}"), "v 1");
    ck_assert_str_eq(text_of("env_get", "{\"key\":\"MCPT_VAR\"}"), "(set, not shown)");
    ck_assert_str_eq(text_of("env_unset", "{\"key\":\"MCPT_VAR\"}"),
                     "ok: MCPT_VAR\nprev: (set, not shown)\nnext: (unset)");
    ck_assert_str_eq(text_of("env_get", "{\"key\":\"MCPT_VAR\"}"), "(unset)");
    ck_assert_ptr_nonnull(strstr(error_text_of("mcp_restart", A), "MCPT_VAR"));
    hr_down(&hr);
}
END_TEST

/* R18 K13 */
START_TEST(env_values_are_shown_if_the_option_allows_it)
{
    up();
    hr_option(&hr, MCPHOST_OPT_SHOW_ENV, 1);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(text_of("env_set", "{\"key\":\"MCPT_VAR\",\"value\":\"one\"}"),
                     "ok: MCPT_VAR\nprev: (unset)\nnext: one");
    ck_assert_str_eq(text_of("env_set", "{\"value\":\"\",\"key\":\"MCPT_VAR\"}"),
                     "ok: MCPT_VAR\nprev: one\nnext: ");
    ck_assert_str_eq(text_of("env_get", "{\"key\":\"MCPT_VAR\"}"), "");
    ck_assert_str_eq(text_of("env_get", "{\"key\":\"PATH\"}"), getenv("PATH"));
    hr_down(&hr);
}
END_TEST

START_TEST(env_unset_hides_a_variable_of_the_process_from_servers)
{
    up_with(NULL, NULL);
    ck_assert_ptr_nonnull(getenv("PATH"));
    text_of("env_set", "{\"key\":\"MCPT_VAR\",\"value\":\"v\"}");
    text_of("env_unset", "{\"key\":\"HOME\"}");
    text_of("mcp_restart", A);
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"MCPT_VAR\"}"), "v");
    {
        mcphost_call *call = hr_start(&hr, d, "a_env", "{\"name\":\"HOME\"}");

        ck_assert_int_eq(hr_end(&hr, call), 0);
        ck_assert_int_eq(mcphost_result_is_error(mcphost_call_get_result(call)), 1);
    }
    hr_down(&hr);
}
END_TEST

/* The inheritance policy does not apply to variables that the application sets. */
START_TEST(mcphost_set_env_reaches_servers_that_inherit_nothing)
{
    up();
    hr_option(&hr, MCPHOST_OPT_INHERIT_ENV, MCPHOST_ENV_NONE);
    ck_assert_int_eq(mcphost_set_env(hr.host, "MCPT_VAR", "v"), 0);
    ck_assert_int_eq(mcphost_set_env(hr.host, "MCPT_GONE", "v"), 0);
    ck_assert_int_eq(mcphost_set_env(hr.host, "MCPT_GONE", NULL), 0);
    ck_assert_int_eq(mcphost_set_env(hr.host, "1X", "v"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_env(hr.host, "A=B", "v"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_env(hr.host, NULL, "v"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_env(NULL, "A", "v"), MCPHOST_E_INVALID);
    hr_server(&hr, "a", SHARED, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"MCPT_VAR\"}"), "v");
    ck_assert_str_eq(text_of("env_get", "{\"key\":\"MCPT_GONE\"}"), "(unset)");
    hr_down(&hr);
}
END_TEST

/* ---- arguments --------------------------------------------------------------------- */

/* B.14: the library checks the arguments of mcp_admin's tools against exact schemas. */
START_TEST(arguments_that_do_not_match_the_schema_are_refused)
{
    static const char *const bad[][2] = {
        {"mcp_restart", "{}"},
        {"mcp_restart", "{\"serverId\":\" \"}"},
        {"mcp_restart", "{\"serverId\":1}"},
        {"mcp_disable", "{\"serverId\":\"a\",\"more\":1}"},
        {"mcp_release", "{}"},
        {"mcp_release", "{\"serverId\":5}"},
        {"mcp_release", "{\"serverId\":\" \"}"},
        {"mcp_release", "{\"serverId\":\"a\",\"x\":1}"},
        {"env_get", "{\"key\":\"1A\"}"},
        {"env_get", "{\"key\":\"\"}"},
        {"env_get", "{\"key\":\"A\",\"x\":1}"},
        {"env_set", "{\"key\":\"A\"}"},
        {"env_set", "{\"key\":\"A\",\"value\":1}"},
        {"env_set", "{\"key\":\"A-B\",\"value\":\"\"}"},
        {"env_unset", "{\"value\":\"A\"}"},
    };

    up_with(SHARED, NULL);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refuses_arguments(bad[i][0], bad[i][1]);
    ck_assert_str_eq(error_text_of("env_set", "{\"key\":\"A\",\"value\":\"x\\u0000y\"}"),
                     "error: value must not hold a NUL character");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), 1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *restart = test_case(suite, "restart");
    TCase *disable = test_case(suite, "disable");
    TCase *env = test_case(suite, "environment");
    TCase *arguments = test_case(suite, "arguments");

    tcase_add_test(restart, mcp_restart_answers_when_the_new_process_has_taken_over);
    tcase_add_test(restart, mcp_restart_applies_an_edit_of_the_file);
    tcase_add_test(restart, mcp_restart_that_fails_says_why_and_the_old_process_stays);
    tcase_add_test(restart, mcp_restart_enables_a_disabled_server);
    tcase_add_test(restart, mcp_restart_says_what_is_wrong_with_the_file);
    tcase_add_test(restart, mcp_restart_works_for_a_configuration_from_the_application);
    tcase_add_test(restart, mcp_restart_ends_on_cancel_timeout_or_removal_of_its_server);
    tcase_add_test(restart, an_unrelated_edit_does_not_end_a_restart);

    tcase_add_test(disable, mcp_disable_stops_the_server_and_writes_the_file);
    tcase_add_test(disable,
                   mcp_disable_stops_the_server_even_if_the_file_cannot_be_edited);
    tcase_add_loop_test(disable,
                        a_stopped_server_stays_stopped_until_a_restart_or_an_edit, 0, 3);
    tcase_add_test(disable, enabling_a_server_after_a_failed_write_of_disable_starts_it);
    tcase_add_test(disable, mcp_disable_of_an_unknown_server_is_an_error);

    tcase_add_test(env, env_set_changes_the_environment_of_later_servers_only);
    tcase_add_test(env, env_values_are_shown_if_the_option_allows_it);
    tcase_add_test(env, env_unset_hides_a_variable_of_the_process_from_servers);
    tcase_add_test(env, mcphost_set_env_reaches_servers_that_inherit_nothing);

    tcase_add_test(arguments, arguments_that_do_not_match_the_schema_are_refused);
}

int
main(void)
{
    return test_main("live-admin", add);
}
