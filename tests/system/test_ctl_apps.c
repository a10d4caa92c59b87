/* SPDX-License-Identifier: MIT
 *
 * test_ctl_apps.c - mcphostctl with a folder of ChatOS plugins: their servers as a
 * source, the commands `apps` and `app`, and the batch operation `inject`.
 *
 * `inject` gives a dialog the apps that an agent selected.
 */
#include <stdlib.h>
#include <string.h>

#include "support/ctlrun.h"
#include "support/plugindirs.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_run run;
static struct ctl_session session;
static int n_asked;

/* Writes the plugin com.one with two apps.  App `a` has a server with the tool `tool`.
 * App `b` has a prompt, and a server whose URL scheme has no transport. */
static void
write_plugin(const char *tool)
{
    plugin_write(
        &place.ws, "one", "com.one",
        "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"cmd://%s -e no-tools -e "
                            "'tool %s' -e 'trace %s/a.trace'\"},\"mcpServers\":"
                            "[\"files\"]}},"
                            "{" PLUGIN_APP("b") ",\"ai\":{\"mcp\":{\"url\":"
                                                "\"ws://h/\"},\"mcpPrompt\":{"
                                                "\"zh\":{\"content\":\"zz\"}}}}",
        rig_fakeserver(), tool, place.ws.dir);
}

static void
up(void)
{
    ctl_place_up(&place);
    write_plugin("find");
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

#define RUN(...)                                    \
    (ctl_run_free(&run), run = (struct ctl_run){0}, \
     ctl_run(&run, &place, __VA_ARGS__, NULL))

/* ---- a source ---------------------------------------------------------------------- */

/* R3 R120 R134 */
START_TEST(a_folder_of_plugins_becomes_a_source)
{
    RUN("tools");
    ctl_status_is(&run, 3); /* com.one.b is invalid */
    test_has(run.out, "chatos  mcp_com_one_a_find");
    RUN("call", "mcp_com_one_a_find", "text=x");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "x\n");
    RUN("--profile", "chatos", "-C", place.ws.dir, "servers");
    test_has_all(run.out, "chatos  com.one.a  stdio |chatos  com.one.b  - ");
    RUN("check");
    ctl_status_is(&run, 3);
    test_has(run.out, "one/plugin.json:1:");
    test_has(run.out, "there is no transport for 'ws' URLs");
}
END_TEST

/* R3 */
START_TEST(a_manifest_of_another_program_is_not_read_as_a_plugin)
{
    plugin_file(&place.ws, "one", "plugin.json", "{\"name\":\"x\",\"version\":\"1\"}");
    rig_workspace_yaml(&place.ws, "version: 1\nservers: {}\n");
    RUN("tools");
    ctl_status_is(&run, 0);
    ck_assert_ptr_null(strstr(run.out, "chatos"));
    RUN("apps");
    ctl_status_is(&run, 2);
    test_has(run.err, "there are no ChatOS plugins here");
}
END_TEST

START_TEST(every_profile_found_in_a_directory_becomes_a_source) /* R3 */
{
    rig_workspace_yaml(
        &place.ws, "version: 1\nservers:\n  desk: {transport: stdio, command: '%s'}\n",
        rig_fakeserver());
    plugin_file(&place.ws, ".goclaw", "mcp.json",
                "{\"version\":1,\"servers\":{\"claw\":{\"enabled\":true,\"type\":"
                "\"stdio\",\"command\":\"%s\"}}}",
                rig_fakeserver());
    rig_workspace_write(&place.ws, ".mcp.json",
                        "{\"mcpServers\":{\"code\":{\"command\":\"%s\"}}}",
                        rig_fakeserver());
    RUN("servers");
    test_has_all(run.out,
                 "-           desk |goclaw      claw |mcpservers  code |chatos   "
                 "   com.one.a ");
}
END_TEST

/* ---- apps -------------------------------------------------------------------------- */

/* R126 R141 */
START_TEST(apps_are_listed_with_the_faults_of_plugins)
{
    plugin_file(&place.ws, "two", "plugin.json", "{\"apps\":[]}");
    RUN("apps");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "com.one  a    com.one.a |mcp_com_one_b |\n");
    test_has(run.out, "two/plugin.json:1:1");
    RUN("--json", "apps");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "{\"apps\":[{\"plugin\":\"com.one\"|\"mcpServers\":[\"files\"]|"
                          "\"exposedPrompts\":|two/plugin.json:1:1");
}
END_TEST

START_TEST(control_characters_in_a_server_id_are_not_printed)
{
    plugin_file(
        &place.ws, ".goclaw", "mcp.json",
        "{\"version\":1,\"servers\":{\"a\\u001b[35m\":{\"enabled\":true,\"type\":"
        "\"stdio\",\"command\":\"%s\",\"args\":[\"-e\",\"on spawn\",\"-e\",\" stderr "
        "up\"]}}}",
        rig_fakeserver());
    RUN("-v", "--profile", "goclaw", "-C", place.ws.dir, "tools");
    test_has(run.err, "| up");
    ck_assert_ptr_null(strchr(run.err, '\033'));
}
END_TEST

/* R126 R142 */
START_TEST(an_app_is_found_by_each_form_of_its_name)
{
    static const char *const names[] = {"com.one:b", "com.one.b", "uiapp:com.one:b",
                                        "uiapp:com.one.b"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        RUN("app", names[i]);
        ctl_status_is(&run, 0);
        test_has_all(run.out, "com.one.b|ws://h/|mcp_com_one_b|zz");
    }
    RUN("--json", "app", "com.one:a");
    ctl_status_is(&run, 0);
    test_has(run.out, "\"mcpServers\":[\"files\"]");
    RUN("app", "com.one:c");
    ctl_status_is(&run, 2);
    test_has(run.err, "there is no app 'com.one:c'");
}
END_TEST

/* R127 R136 B.20 */
START_TEST(options_set_the_directories_of_chatos)
{
    plugin_write(&place.ws, "builtin/two", "com.two",
                 "{" PLUGIN_APP("c") ",\"ai\":{\"prompts\":true,\"mcp\":{\"url\":"
                                     "\"cmd://%s\"}}}",
                 rig_fakeserver());
    plugin_file(&place.ws, "defaults", "com.two__c.yaml", "prompts: [default]\n");
    RUN("--profile", "chatos", "-C", place.ws.dir, "--builtin-plugins",
        rig_workspace_path(&place.ws, "builtin"), "--defaults",
        rig_workspace_path(&place.ws, "defaults"), "--json", "apps");
    ctl_status_is(&run, 0);
    test_has(run.out, "\"exposedPrompts\":[\"default\"],\"builtin\":true");
    /* A server's environment holds the directory of --project-root. */
    RUN("--profile", "chatos", "-C", rig_workspace_path(&place.ws, "builtin"),
        "--project-root", "/p", "--session-root", "/s", "--state-dir", "/st", "call",
        "mcp_com_two_c_env", "name=MODEL_CLI_WORKSPACE_ROOT");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "/p\n");
}
END_TEST

/* ---- batch ------------------------------------------------------------------------- */

static json_t *
ask(const char *members)
{
    char id[16];

    snprintf(id, sizeof(id), "q%d", n_asked++);
    return ctl_ask(&session, id, members);
}

static void
refuses(const char *members, const char *message)
{
    json_t *json;
    char id[16];

    snprintf(id, sizeof(id), "q%d", n_asked++);
    ctl_send(&session, "{\"id\":\"%s\",%s}", id, members);
    json = ctl_answer(&session, id);
    ck_assert_msg(json_is_false(json_object_get(json, "ok")), "%s", members);
    test_has(ctl_string(json_object_get(json, "error"), "message"), message);
    json_decref(json);
}

static void
batch_up(void)
{
    up();
    n_asked = 0;
    ctl_session_up(&session, &place);
    json_decref(ask("\"op\":\"wait\""));
}

static void
batch_down(void)
{
    ck_assert_int_eq(ctl_session_down(&session), 0);
    down();
}

/* Returns the names of a dialog's tools, separated by blanks. */
static const char *
tools_of(const char *dialog)
{
    static char names[512];
    json_t *rows, *row;
    char line[64];
    size_t i, len = 0;

    snprintf(line, sizeof(line), "\"op\":\"tools\",\"dialog\":\"%s\"", dialog);
    rows = ask(line);
    names[0] = '\0';
    json_array_foreach(rows, i, row) len += (size_t)snprintf(
        names + len, sizeof(names) - len, "%s%s", i ? " " : "", ctl_string(row, "name"));
    json_decref(rows);
    return names;
}

#define RECORD(app) \
    "\"record\":{\"uiApps\":[{\"pluginId\":\"com.one\",\"appId\":\"" app "\"}]}"

/* R142, R144, B.28: the test injects an app with its own server into dialog `one`, and
 * another app into dialog `two`.  Dialog `two` does not see the server of `one`.  When
 * `one` closes, the host removes the source of `one`. */
START_TEST(an_injected_app_ends_with_its_dialog)
{
    json_t *json;

    json = ask("\"op\":\"inject\",\"dialog\":\"one\"," RECORD("a"));
    ck_assert_str_eq(ctl_string(json, "source"), "uiapp");
    json_decref(json);
    json = ask("\"op\":\"inject\",\"dialog\":\"two\",\"language\":\"en\"," RECORD("b"));
    ck_assert_str_eq(
        ctl_string(json_array_get(json_object_get(json, "prompts"), 0), "text"), "zz");
    json_decref(json);
    json_decref(ask("\"op\":\"wait\""));
    ck_assert_str_eq(tools_of("one"), "mcp_com_one_a_find");
    ck_assert_str_eq(tools_of("two"), "");
    json = ask("\"op\":\"call\",\"dialog\":\"one\",\"tool\":\"mcp_com_one_a_find\","
               "\"arguments\":{\"text\":\"x\"}");
    ck_assert_str_eq(ctl_said(json), "x");
    json_decref(json);
    json_decref(ask("\"op\":\"close_dialog\",\"dialog\":\"one\""));
    /* The host removes the source of the dialog.  The source of the workspace keeps its
     * server. */
    json_decref(ctl_event(&session, "source"));
    ck_assert_int_eq(rig_workspace_living(&place.ws, "a.trace"), 1);
}
END_TEST

START_TEST(a_reload_reads_changed_plugins) /* R141 K1 */
{
    json_t *json;

    write_plugin("look");
    json_decref(ask("\"op\":\"reload\",\"source\":\"chatos\""));
    json_decref(ask("\"op\":\"wait\""));
    test_has(tools_of("d"), "mcp_com_one_a_look");
    json = ask("\"op\":\"apps\"");
    ck_assert_uint_eq(json_array_size(json), 2);
    json_decref(json);
}
END_TEST

START_TEST(wrong_injections_are_refused) /* R144 */
{
    refuses("\"op\":\"inject\",\"dialog\":\"d\"", "'record' is missing");
    refuses("\"op\":\"inject\",\"dialog\":\"d\",\"flow\":\"x\"," RECORD("a"), "'flow'");
    refuses("\"op\":\"inject\",\"dialog\":\"d\",\"record\":{\"uiApps\":[{}]}",
            "pluginId");
    refuses("\"op\":\"inject\",\"dialog\":\"d\",\"source\":\"x\"," RECORD("a"),
            "no source of ChatOS plugins");
    json_decref(ask("\"op\":\"inject\",\"dialog\":\"d\"," RECORD("b")));
    refuses("\"op\":\"inject\",\"dialog\":\"d\"," RECORD("b"),
            "the dialog is already open");
    refuses("\"op\":\"apps\",\"source\":\"x\"", "no source of ChatOS plugins");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc;

    tc = test_case(suite, "a source");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_folder_of_plugins_becomes_a_source);
    tcase_add_test(tc, a_manifest_of_another_program_is_not_read_as_a_plugin);
    tcase_add_test(tc, every_profile_found_in_a_directory_becomes_a_source);

    tc = test_case(suite, "apps");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, apps_are_listed_with_the_faults_of_plugins);
    tcase_add_test(tc, control_characters_in_a_server_id_are_not_printed);
    tcase_add_test(tc, an_app_is_found_by_each_form_of_its_name);
    tcase_add_test(tc, options_set_the_directories_of_chatos);

    tc = test_case(suite, "batch");
    tcase_add_checked_fixture(tc, batch_up, batch_down);
    tcase_add_test(tc, an_injected_app_ends_with_its_dialog);
    tcase_add_test(tc, a_reload_reads_changed_plugins);
    tcase_add_test(tc, wrong_injections_are_refused);
}

int
main(void)
{
    return test_main("ctl-apps", add);
}
