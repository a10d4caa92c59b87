/* SPDX-License-Identifier: MIT
 *
 * test_ctl_sources.c - mcphostctl with --source: the source of a server in tables, JSON,
 * names, and lines of batch and watch.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_run run;
static struct ctl_session session;
static char plug[] = "plug=plug";

/* Writes the default source and a second source, the directory `plug`.  Each source has a
 * server `desk`. */
static void
up(void)
{
    ctl_place_up(&place);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n"
                       "  desk: {transport: stdio, command: '%s', args: [desk],\n"
                       "         tools: {whitelist: [echo]}}\n",
                       ctl_demo_server());
    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, "plug"), 0700), 0);
    rig_workspace_write(&place.ws, "plug/a.yaml",
                        "version: 1\nservers:\n"
                        "  desk: {transport: stdio, command: '%s', args: [plug],\n"
                        "         tools: {whitelist: [echo]},\n"
                        "         transform: [{prefix: p_}]}\n",
                        ctl_demo_server());
    rig_workspace_write(&place.ws, "plug/b.yaml",
                        "version: 1\nservers:\n"
                        "  off: {transport: stdio, command: x, enabled: false}\n");
    place.source = plug;
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

/* RUN and AGAIN run mcphostctl with --source plug and the given arguments.  AGAIN first
 * frees the output of the previous run. */
#define AGAIN(...) \
    (ctl_run_free(&run), ctl_run(&run, &place, "--source", plug, __VA_ARGS__, NULL))
#define RUN(...) ctl_run(&run, &place, "--source", plug, __VA_ARGS__, NULL)

/* ---- tables ------------------------------------------------------------------------ */

START_TEST(with_two_sources_tables_have_a_source_column) /* R3 */
{
    RUN("check");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "SOURCE  SERVER  TRANSPORT  STATE     LINE\n"
                              "-       desk    stdio      valid        3\n"
                              "plug    desk    stdio      valid        3\n"
                              "plug    off     stdio      disabled     3\n");
    AGAIN("tools");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(
        run.out, "SOURCE  NAME    ORIGINAL  SERVER  TOOLSET    DESCRIPTION\n"
                 "-       echo    -         desk    desk       Say the same again.\n"
                 "plug    p_echo  echo      desk    plug:desk  Say the same again.\n");
    AGAIN("servers");
    ctl_status_is(&run, 0);
    ck_assert_int_eq(strncmp(run.out, "SOURCE  SERVER  TRANSPORT ", 26), 0);
    test_has(run.out, "\n-       desk    stdio ");
    test_has(run.out, "\nplug    desk    stdio ");
    test_has(run.out, "\nplug    off     stdio ");
    AGAIN("problems");
    ctl_status_is(&run, 0);
    ck_assert_int_eq(strncmp(run.out, "SOURCE  SEVERITY  SERVER ", 25), 0);
    test_has(run.out, "\n-       warning   desk ");
    test_has(run.out, "\nplug    warning   desk ");
    AGAIN("tool", "p_echo");
    test_has(run.out, "\nsource: plug\nserver: desk\n");
}
END_TEST

START_TEST(with_one_source_tables_have_no_source_column)
{
    static char *const commands[] = {"check", "tools", "servers", "problems"};

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        ctl_run(&run, &place, commands[i], NULL);
        ctl_status_is(&run, 0);
        test_has_not(run.out, "SOURCE");
        if (i + 1 < sizeof(commands) / sizeof(commands[0]))
            ctl_run_free(&run);
    }
}
END_TEST

/* ---- JSON -------------------------------------------------------------------------- */

/* Checks that rows of `plug` have the member "source" right after the member `behind`,
 * and that rows of other sources have no member "source". */
static void
rows_are_told_apart(json_t *rows, const char *behind)
{
    json_t *row, *value;
    const char *key;
    int n_none = 0, n_plug = 0;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        const char *before = "", *follows = NULL;

        json_object_foreach(row, key, value)
        {
            if (strcmp(key, "source") == 0)
                follows = before;
            before = key;
        }
        if (follows) {
            ck_assert_str_eq(ctl_string(row, "source"), "plug");
            ck_assert_str_eq(follows, behind);
            n_plug++;
        } else {
            n_none++;
        }
    }
    ck_assert_int_gt(n_plug, 0);
    ck_assert_int_gt(n_none, 0);
}

START_TEST(rows_of_an_added_source_have_the_member_source)
{
    static const struct {
        char *command;
        const char *behind;
    } rows[] = {{"servers", "id"}, {"tools", "server"}, {"problems", "server"}};
    json_t *json;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        RUN(rows[i].command, "--json");
        ctl_status_is(&run, 0);
        json = ctl_run_json(&run);
        rows_are_told_apart(json, rows[i].behind);
        json_decref(json);
        ctl_run_free(&run);
    }
    RUN("check", "--json");
    json = ctl_run_json(&run);
    rows_are_told_apart(json_object_get(json, "servers"), "id");
    json_decref(json);
}
END_TEST

START_TEST(a_toolset_is_selected_by_its_name_in_the_view)
{
    json_t *json;

    RUN("tools", "--toolset", "plug:desk", "--json");
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_uint_eq(json_array_size(json), 1);
    ck_assert_str_eq(ctl_string(json_array_get(json, 0), "name"), "p_echo");
    ck_assert_str_eq(ctl_string(json_array_get(json, 0), "toolset"), "plug:desk");
    json_decref(json);
    AGAIN("tools", "--toolset", "desk");
    test_has_not(run.out, "p_echo");
    /* `tool` shows the toolset by the name that --toolset takes. */
    AGAIN("tool", "p_echo", "--json");
    json = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(json, "toolset"), "plug:desk");
    json_decref(json);
    AGAIN("tool", "p_echo");
    test_has(run.out, "\ntoolset: plug:desk\n");
}
END_TEST

/* ---- servers by name --------------------------------------------------------------- */

START_TEST(a_server_is_found_by_its_source_and_id)
{
    json_t *json;

    RUN("server", "plug:desk");
    ctl_status_is(&run, 0);
    test_has(run.out, "\nplug    desk ");
    test_has(run.out, "title: plug");
    test_has_not(run.out, "\n-  ");
    AGAIN("server", "desk");
    ctl_status_is(&run, 0);
    test_has(run.out, "title: desk");
    test_has_not(run.out, "\nplug ");
    AGAIN("restart", "plug:desk");
    ctl_status_is(&run, 0);
    test_has(run.out, "plug:desk came up with 1 tool in ");
    AGAIN("restart", "plug:desk", "--json");
    json = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(json, "file"),
                     rig_workspace_path(&place.ws, "plug/a.yaml"));
    ck_assert_str_eq(ctl_string(json_object_get(json, "server"), "source"), "plug");
    json_decref(json);
    AGAIN("server", "plug:dekc");
    ctl_status_is(&run, 2);
    test_has(run.err, "no server 'dekc' in plug; did you mean 'desk'?");
    AGAIN("server", "other:desk");
    ctl_status_is(&run, 2);
    test_has(run.err, "no server 'other:desk' in ");
}
END_TEST

/* B.14 */
START_TEST(enabling_writes_into_the_file_that_declares_the_server)
{
    json_t *json;

    RUN("disable", "plug:desk");
    ctl_status_is(&run, 0);
    test_has(run.out, "plug:desk is disabled in ");
    ck_assert_int_eq(rig_workspace_count(&place.ws, "plug/a.yaml", "enabled: false"), 1);
    ck_assert_int_eq(rig_workspace_count(&place.ws, ".minds/mcp.yaml", "enabled"), 0);
    AGAIN("enable", "plug:off", "--json");
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(json, "server"), "off");
    ck_assert_str_eq(ctl_string(json, "source"), "plug");
    ck_assert(json_is_true(json_object_get(json, "changed")));
    ck_assert_str_eq(ctl_string(json, "file"),
                     rig_workspace_path(&place.ws, "plug/b.yaml"));
    json_decref(json);
    /* With --url, the default source has no file.  The source `plug` still has files. */
    AGAIN("disable", "plug:off", "--url", "http://h/");
    ctl_status_is(&run, 0);
    AGAIN("disable", "url", "--url", "http://h/");
    ctl_status_is(&run, 2);
    test_has(run.err, "--url has none");
}
END_TEST

/* Writes a file with the server `s`.  The server lists its tool `find` after `ms`
 * milliseconds.  A call of `find` returns the text `says`. */
static void
write_finder(const char *file, const char *says, int ms)
{
    rig_workspace_write(&place.ws, file,
                        "version: 1\nservers:\n"
                        "  s: {transport: stdio, command: '%s', transform: [],\n"
                        "      args: [-e, no-tools, -e, tool find, -e, on list,\n"
                        "             -e, ' delay %d', -e, ' answer',\n"
                        "             -e, 'on call:find', -e, ' text %s']}\n",
                        rig_fakeserver(), ms, says);
}

/* R28 */
START_TEST(a_call_waits_for_the_earlier_source_that_may_have_the_name)
{
    write_finder(".minds/mcp.yaml", "main", 50);
    write_finder("plug/a.yaml", "plug", 0);
    RUN("call", "find");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "main\n");
}
END_TEST

/* ---- errors ------------------------------------------------------------------------ */

START_TEST(a_bad_file_of_a_source_is_a_configuration_error) /* R114 */
{
    rig_workspace_write(&place.ws, "plug/c.yaml", "version: 2\n");
    RUN("check");
    ctl_status_is(&run, 0);
    test_has(run.out, "plug/c.yaml:1:10: error: version: ");
    test_has(run.out, "\nplug    desk ");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--source", "x=none.yaml", "servers", NULL);
    ctl_status_is(&run, 3);
    test_has(run.err, "none.yaml: error: cannot open ");
    test_has(run.out, "desk");
    AGAIN("--source", "e=.minds", "--source", "two=plug/b.yaml", "check");
    test_has(run.out, "\ne       desk ");
    test_has(run.out, "\ntwo     off ");
}
END_TEST

static void
refused(const char *what, char *source, char *command)
{
    ctl_run(&run, &place, "--source", source, "--source", plug, command, "x", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, what);
    ck_assert_str_eq(run.out, "");
    ctl_run_free(&run);
}

START_TEST(wrong_source_options_are_refused)
{
    char *const long_id = "12345678901234567890123456789012345678901234567890123456789012"
                          "345=x";

    refused("--source must be ID=PATH, not 'plug'", "plug", "server");
    refused("--source must be ID=PATH, not 'a='", "a=", "server");
    refused("the id of a source must have 1 to 64 letters", "=x", "server");
    refused("the id of a source must have 1 to 64 letters", "a:b=x", "server");
    refused("the id of a source must have 1 to 64 letters", long_id, "server");
    refused("there are two sources 'plug'", "plug=x", "server");
    refused("--source cannot be used with the command 'diff'", "a=b", "diff");
    ctl_run(&run, &place, "reload", "--source", plug, NULL);
    ctl_status_is(&run, 2);
}
END_TEST

/* ---- batch ------------------------------------------------------------------------- */

/* Waits for the next event of this name and source, and returns the event. */
static json_t *
event_of(const char *name, const char *source)
{
    for (;;) {
        json_t *json = ctl_event(&session, name);

        if (strcmp(ctl_string(json, "source"), source) == 0)
            return json;
        json_decref(json);
    }
}

static const char *
message_of(const json_t *answer)
{
    return ctl_string(json_object_get(answer, "error"), "message");
}

START_TEST(batch_names_servers_with_their_sources) /* R82 */
{
    json_t *json;

    ctl_session_up(&session, &place);
    json = event_of("config", "plug");
    ck_assert_str_eq(ctl_string(json, "why"), "loaded");
    json_decref(json);
    json_decref(event_of("server", "plug"));
    json_decref(ctl_ask(&session, "wait", "\"op\":\"wait\""));
    json = ctl_ask(&session, "call",
                   "\"op\":\"call\",\"tool\":\"p_echo\",\"arguments\":{\"text\":\"x\"}");
    ck_assert_int_gt(ctl_pid(json), 0);
    json_decref(json);
    json = ctl_ask(&session, "leases", "\"op\":\"leases\"");
    ck_assert_str_eq(ctl_string(json_array_get(json, 0), "source"), "plug");
    json_decref(json);
    json = ctl_ask(&session, "none", "\"op\":\"release\",\"server\":\"desk\"");
    ck_assert(json_is_false(json_object_get(json, "released")));
    json_decref(json);
    json = ctl_ask(&session, "release", "\"op\":\"release\",\"server\":\"plug:desk\"");
    ck_assert(json_is_true(json_object_get(json, "released")));
    json_decref(json);
    json_decref(
        ctl_ask(&session, "restart", "\"op\":\"restart\",\"server\":\"plug:desk\""));
    ctl_send(&session, "{\"id\":\"x\",\"op\":\"restart\",\"server\":\"plug:x\"}");
    json = ctl_answer(&session, "x");
    ck_assert_str_eq(message_of(json), "no such server");
    json_decref(json);
    ctl_send(&session, "{\"id\":\"y\",\"op\":\"release\",\"server\":\"plug:x\"}");
    json = ctl_answer(&session, "y");
    ck_assert_str_eq(message_of(json), "no such server");
    json_decref(json);
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

START_TEST(batch_edits_and_reloads_the_named_source) /* B.14 R94 */
{
    json_t *json, *change;

    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "wait", "\"op\":\"wait\""));
    json = ctl_ask(&session, "off", "\"op\":\"disable\",\"server\":\"plug:desk\"");
    ck_assert_str_eq(ctl_string(json, "source"), "plug");
    change = json_array_get(json_object_get(json, "changes"), 0);
    ck_assert_str_eq(ctl_string(change, "server"), "desk");
    ck_assert_str_eq(ctl_string(change, "change"), "disabled");
    json_decref(json);
    ck_assert_int_eq(rig_workspace_count(&place.ws, "plug/a.yaml", "enabled: false"), 1);
    ck_assert_int_eq(rig_workspace_count(&place.ws, ".minds/mcp.yaml", "enabled"), 0);
    json = ctl_ask(&session, "reload", "\"op\":\"reload\"");
    ck_assert_ptr_null(json_object_get(json, "source"));
    json_decref(json);
    json = ctl_ask(&session, "again", "\"op\":\"reload\",\"source\":\"plug\"");
    ck_assert_str_eq(ctl_string(json, "source"), "plug");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "changes")), 0);
    json_decref(json);
    ctl_send(&session, "{\"id\":\"x\",\"op\":\"reload\",\"source\":\"x\"}");
    json = ctl_answer(&session, "x");
    ck_assert_str_eq(message_of(json), "no such source");
    json_decref(json);
    ctl_send(&session, "{\"id\":\"y\",\"op\":\"enable\",\"server\":\"plug:x\"}");
    json = ctl_answer(&session, "y");
    ck_assert_str_eq(message_of(json), "no such server");
    json_decref(json);
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

/* ---- watch ------------------------------------------------------------------------- */

static void
says(const char *wanted)
{
    for (;;) {
        char *line = ctl_line(&session);
        int found;

        ck_assert_msg(line != NULL, "the end before '%s'", wanted);
        found = strcmp(line, wanted) == 0;
        free(line);
        if (found)
            return;
    }
}

START_TEST(watch_names_the_source_of_each_event) /* R88 */
{
    ctl_session_up_as(&session, &place, "watch");
    says("config loaded: added desk");
    says("config plug loaded: added desk");
    says("server plug:desk: starting");
    says("ready");
    rig_workspace_write(&place.ws, "plug/b.yaml", "version: 1\n");
    says("config plug changed: removed off");
    says("server plug:off: removed");
    rig_workspace_write(&place.ws, "plug/c.yaml", "version: 1\nservers: [\n");
    says("config plug changed: no change");
    kill(session.pid, SIGINT);
    ck_assert_int_eq(ctl_session_down(&session), 130);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "runs");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, with_two_sources_tables_have_a_source_column);
    tcase_add_test(tc, with_one_source_tables_have_no_source_column);
    tcase_add_test(tc, rows_of_an_added_source_have_the_member_source);
    tcase_add_test(tc, a_toolset_is_selected_by_its_name_in_the_view);
    tcase_add_test(tc, a_server_is_found_by_its_source_and_id);
    tcase_add_test(tc, enabling_writes_into_the_file_that_declares_the_server);
    tcase_add_test(tc, a_call_waits_for_the_earlier_source_that_may_have_the_name);
    tcase_add_test(tc, a_bad_file_of_a_source_is_a_configuration_error);
    tcase_add_test(tc, wrong_source_options_are_refused);

    tc = test_case(suite, "sessions");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, batch_names_servers_with_their_sources);
    tcase_add_test(tc, batch_edits_and_reloads_the_named_source);
    tcase_add_test(tc, watch_names_the_source_of_each_event);
}

int
main(void)
{
    return test_main("ctl-sources", add);
}
