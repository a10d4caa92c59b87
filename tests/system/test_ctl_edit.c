/* SPDX-License-Identifier: MIT
 *
 * test_ctl_edit.c - mcphostctl and its configuration file: the commands `diff`, `enable`,
 * `disable`, `reload` and `restart`, and the operations of batch that change running
 * servers.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/runner.h"

#define FILE_NAME ".minds/mcp.yaml"

static struct ctl_place place;
static struct ctl_run run;

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_place_down(&place);
}

/* Writes a copy of FILE_NAME as `name`, with the first `old` replaced by `new`. */
static void
write_edited(const char *name, const char *old, const char *new)
{
    char *text = rig_workspace_read(&place.ws, FILE_NAME), *at = strstr(text, old);
    char edited[8192];

    ck_assert_ptr_nonnull(at);
    snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - text), text, new,
             at + strlen(old));
    rig_workspace_write(&place.ws, name, "%s", edited);
    free(text);
}

/* ---- diff -------------------------------------------------------------------------- */

static void
diff(const char *old, const char *new, const char *line)
{
    write_edited("new.yaml", old, new);
    ctl_run(&run, &place, "diff", "new.yaml", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, line);
    ctl_run_free(&run);
}

START_TEST(diff_prints_the_change_of_each_server) /* R99 */
{
    diff("[desk]", "[desk]", "desk    kept    -\nboard   kept    -\n");
    diff("[desk]", "[other]\n    env: {TOKEN: geheim}",
         "desk    restart  args, env.TOKEN\nboard   kept     -\n");
    diff("'desk_'", "'d_'", "desk    view    transform\n");
    diff("  desk:\n", "  desk:\n    enabled: false\n", "desk    disabled  -\n");
    diff("  board:\n", "  shelf:\n", "shelf   added    -\nboard   removed  -\n");
}
END_TEST

START_TEST(diff_shows_no_values) /* R18 */
{
    write_edited("new.yaml", "[desk]", "[desk]\n    env: {TOKEN: geheim}");
    ctl_run(&run, &place, "diff", "new.yaml", "--json", NULL);
    test_has(run.out, "env.TOKEN");
    test_has_not(run.out, "geheim");
    ctl_run_free(&run);
}
END_TEST

START_TEST(diff_as_json_reports_an_invalid_server)
{
    json_t *json;

    write_edited("new.yaml", "args: [desk]", "args: {}");
    ctl_run(&run, &place, "--json", "diff", "new.yaml", NULL);
    ctl_status_is(&run, 3);
    json = ctl_run_json(&run);
    ck_assert(json_is_false(json_object_get(json, "valid")));
    ck_assert_str_eq(
        ctl_string(ctl_row(json_object_get(json, "changes"), "server", "desk"), "change"),
        "invalid");
    test_has(run.err, "servers.desk.args");
    json_decref(json);
    ctl_run_free(&run);
}
END_TEST

START_TEST(diff_with_a_file_that_is_rejected_or_missing_is_status_3)
{
    rig_workspace_write(&place.ws, "new.yaml", "servers: [");
    ctl_run(&run, &place, "diff", "new.yaml", NULL);
    ctl_status_is(&run, 3);
    ck_assert_str_eq(run.out, "rejected: nothing would change\n");
    ctl_run_free(&run);
    ctl_run(&run, &place, "diff", "none.yaml", NULL);
    ctl_status_is(&run, 3);
    ctl_run_free(&run);
}
END_TEST

/* ---- enable, disable --------------------------------------------------------------- */

static const char commented[] = "# The office.\nversion: 1\n\nservers:\n"
                                "  # Do not touch.\n  desk:   # mine\n"
                                "      transport: stdio # as ever\n"
                                "      command: 'x'\t\n"
                                "  \"board\": { command: y, transport: stdio }  # flow\n";

static void
set(const char *command, const char *server, const char *says)
{
    ctl_run(&run, &place, command, server, NULL);
    ctl_status_is(&run, 0);
    ck_assert_msg(strncmp(run.out, says, strlen(says)) == 0, "%s", run.out);
    ctl_run_free(&run);
}

/* Checks that the file equals the text `commented` with `new` in place of `old`. */
static void
differs_by(const char *old, const char *new)
{
    const char *at = strstr(commented, old);
    char *text = rig_workspace_read(&place.ws, FILE_NAME);
    char wanted[1024];

    ck_assert_ptr_nonnull(at);
    snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)(at - commented), commented, new,
             at + strlen(old));
    ck_assert_str_eq(text, wanted);
    free(text);
}

START_TEST(disabling_and_enabling_change_no_other_byte) /* B.14 */
{
    rig_workspace_write(&place.ws, FILE_NAME, commented);
    set("disable", "desk", "desk is disabled in ");
    differs_by("# mine\n", "# mine\n      enabled: false\n");
    set("disable", "desk", "desk is already disabled in ");
    set("enable", "desk", "desk is enabled in ");
    differs_by("# mine\n", "# mine\n      enabled: true\n");
    rig_workspace_write(&place.ws, FILE_NAME, commented);
    set("disable", "board", "board is disabled in ");
    differs_by("{ command", "{ enabled: false, command");
    set("enable", "desk", "desk is already enabled in ");
    differs_by("{ command", "{ enabled: false, command");
}
END_TEST

START_TEST(an_unknown_server_is_refused_with_a_suggestion)
{
    ctl_run(&run, &place, "disable", "dsk", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "did you mean 'desk'?");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--stdio", "x", "disable", "stdio", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
}
END_TEST

START_TEST(an_entry_that_cannot_be_edited_is_reported_with_its_line)
{
    static const char alias[] = "version: 1\nservers:\n"
                                "  a: &a {transport: stdio, command: x}\n  b: *a\n";
    char *text;

    rig_workspace_write(&place.ws, FILE_NAME, alias);
    ctl_run(&run, &place, "disable", "b", NULL);
    ctl_status_is(&run, 3);
    ck_assert_msg(strstr(run.err, "mcp.yaml:4:") != NULL, "%s", run.err);
    ctl_run_free(&run);
    text = rig_workspace_read(&place.ws, FILE_NAME);
    ck_assert_str_eq(text, alias);
    free(text);
}
END_TEST

/* ---- reload, restart --------------------------------------------------------------- */

static struct timespec
mtime(void)
{
    struct stat st;

    ck_assert_int_eq(stat(rig_workspace_path(&place.ws, FILE_NAME), &st), 0);
    return st.st_mtim;
}

static void
make_old(void)
{
    static const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

    ck_assert_int_eq(
        utimensat(AT_FDCWD, rig_workspace_path(&place.ws, FILE_NAME), old, 0), 0);
}

START_TEST(reload_checks_the_file_and_touches_it) /* R88 R94 */
{
    char *before = rig_workspace_read(&place.ws, FILE_NAME), *after;

    make_old();
    ctl_run(&run, &place, "reload", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "mcp.yaml: 2 servers; hosts that follow the "
                      "file read it again\n");
    ctl_run_free(&run);
    ck_assert_int_gt(mtime().tv_sec, 1000);
    after = rig_workspace_read(&place.ws, FILE_NAME);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

START_TEST(reload_does_not_touch_a_rejected_file) /* R114 */
{
    rig_workspace_write(&place.ws, FILE_NAME, "servers: [");
    make_old();
    ctl_run(&run, &place, "reload", NULL);
    ctl_status_is(&run, 3);
    ck_assert_str_eq(run.out, "");
    test_has(run.err, "mcp.yaml:");
    ctl_run_free(&run);
    ck_assert_int_eq(mtime().tv_sec, 1000);
}
END_TEST

START_TEST(reload_reports_a_bad_entry_and_reloads_the_others) /* R115 */
{
    json_t *json;

    write_edited(FILE_NAME, "args: [desk]", "args: {}");
    make_old();
    ctl_run(&run, &place, "reload", "--json", NULL);
    ctl_status_is(&run, 3);
    test_has(run.err, "servers.desk.args");
    json = ctl_run_json(&run);
    ck_assert(json_is_false(json_object_get(json, "valid")));
    ck_assert_int_eq(ctl_int(json, "servers"), 2);
    json_decref(json);
    ctl_run_free(&run);
    ck_assert_int_gt(mtime().tv_sec, 1000);
}
END_TEST

START_TEST(reload_without_a_file_is_status_3)
{
    ck_assert_int_eq(unlink(rig_workspace_path(&place.ws, FILE_NAME)), 0);
    ctl_run(&run, &place, "reload", NULL);
    ctl_status_is(&run, 3);
    test_has(run.err, "No such file");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--stdio", ctl_demo_server(), "reload", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
}
END_TEST

/* R110 */
START_TEST(restart_starts_only_one_server_and_counts_its_tools)
{
    json_t *json;

    ctl_run(&run, &place, "restart", "board", NULL);
    ctl_status_is(&run, 0);
    ck_assert_msg(strncmp(run.out, "board came up with 2 tools in ", 30) == 0, "%s",
                  run.out);
    ctl_run_free(&run);
    /* `board` starts although `desk` cannot start. */
    write_edited(FILE_NAME, "args: [desk]", "env: {X: {env: NOT_THERE}}");
    ctl_run(&run, &place, "--json", "restart", "board", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert(json_is_false(json_object_get(json, "changed")));
    ck_assert_int_eq(ctl_int(json_object_get(json, "server"), "tools"), 2);
    ck_assert_str_eq(ctl_string(json_object_get(json, "server"), "id"), "board");
    json_decref(json);
    ctl_run_free(&run);
    ctl_run(&run, &place, "restart", "desk", NULL);
    ctl_status_is(&run, 4);
    ck_assert_str_eq(run.out, "");
    test_has(run.err, "NOT_THERE");
    ctl_run_free(&run);
}
END_TEST

/* B.14 */
START_TEST(restart_enables_a_server_and_changes_no_other_byte)
{
    char *before = rig_workspace_read(&place.ws, FILE_NAME), *after;

    write_edited(FILE_NAME, "  desk:\n",
                 "  desk: # mine\n    enabled: false # for now\n");
    ctl_run(&run, &place, "restart", "desk", NULL);
    ctl_status_is(&run, 0);
    test_has(run.err, "'enabled: true' is written");
    test_has(run.out, "desk came up with ");
    ctl_run_free(&run);
    free(before);
    before = rig_workspace_read(&place.ws, FILE_NAME);
    ck_assert_ptr_nonnull(
        strstr(before, "  desk: # mine\n    enabled: true # for now\n    transport:"));
    /* `restart` does not write the file again, because the server is already enabled. */
    ctl_run(&run, &place, "restart", "desk", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.err, "");
    ctl_run_free(&run);
    after = rig_workspace_read(&place.ws, FILE_NAME);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

START_TEST(restart_reports_why_a_server_cannot_start)
{
    ctl_run(&run, &place, "restart", "dask", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "did you mean 'desk'?");
    ctl_run_free(&run);
    write_edited(FILE_NAME, "args: [desk]", "args: {}");
    ctl_run(&run, &place, "restart", "desk", NULL);
    ctl_status_is(&run, 3);
    test_has(run.err, "servers.desk.args");
    ctl_run_free(&run);
    rig_workspace_write(&place.ws, FILE_NAME, "servers: [");
    ctl_run(&run, &place, "restart", "desk", NULL);
    ctl_status_is(&run, 3);
    ctl_run_free(&run);
}
END_TEST

/* ---- batch ------------------------------------------------------------------------- */

static struct ctl_session session;

static void
batch_up(void)
{
    ctl_place_up(&place);
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "up", "\"op\":\"wait\",\"ms\":10000"));
}

static void
batch_down(void)
{
    ck_assert_int_eq(ctl_session_down(&session), 0);
    ctl_place_down(&place);
}

/* Checks that the answer reports this change and no other, and releases the answer. */
static void
changed(json_t *result, const char *server, const char *change, const char *keys)
{
    const json_t *changes = json_object_get(result, "changes");
    const json_t *row = ctl_row(changes, "server", server);

    ck_assert_uint_eq(json_array_size(changes), 1);
    ck_assert_str_eq(ctl_string(row, "change"), change);
    ck_assert_str_eq(ctl_string(row, "keys"), keys);
    json_decref(result);
}

static void
refused(const char *members, int code)
{
    json_t *answer;

    ctl_send(&session, "{\"id\":\"x\",%s}", members);
    answer = ctl_answer(&session, "x");
    ck_assert_int_eq(ctl_int(json_object_get(answer, "error"), "code"), code);
    json_decref(answer);
}

/* R94 */
START_TEST(reload_reads_the_file_and_answers_with_what_changed)
{
    write_edited(FILE_NAME, "'desk_'", "'d_'");
    changed(ctl_ask(&session, "r", "\"op\":\"reload\""), "desk", "view", "transform");
    write_edited(FILE_NAME, "[desk]", "[other]");
    changed(ctl_ask(&session, "r", "\"op\":\"reload\""), "desk", "restart", "args");
}
END_TEST

START_TEST(batch_reads_an_edited_file_by_itself) /* R88 */
{
    json_t *event;

    write_edited(FILE_NAME, "'desk_'", "'d_'");
    event = ctl_event(&session, "config");
    ck_assert_str_eq(ctl_string(event, "why"), "changed");
    changed(event, "desk", "view", "transform");
    json_decref(ctl_ask(&session, "c",
                        "\"op\":\"call\",\"tool\":\"d_echo\","
                        "\"arguments\":{\"text\":\"x\"}"));
}
END_TEST

START_TEST(disable_and_enable_write_the_file_and_apply_it) /* B.14 */
{
    json_t *event;

    changed(ctl_ask(&session, "d", "\"op\":\"disable\",\"server\":\"desk\""), "desk",
            "disabled", "");
    refused("\"op\":\"call\",\"tool\":\"desk_echo\"", -6);
    refused("\"op\":\"restart\",\"server\":\"desk\"", -2);
    changed(ctl_ask(&session, "e", "\"op\":\"enable\",\"server\":\"desk\""), "desk",
            "enabled", "");
    for (event = ctl_event(&session, "server");
         strcmp(ctl_string(event, "state"), "loaded") != 0;
         event = ctl_event(&session, "server"))
        json_decref(event);
    json_decref(event);
}
END_TEST

START_TEST(restart_starts_a_new_process) /* B.14 */
{
    json_t *result = ctl_ask(&session, "1",
                             "\"op\":\"call\",\"tool\":\"echo_board\","
                             "\"arguments\":{\"text\":\"x\"}");
    long before = ctl_pid(result);
    json_t *event;

    json_decref(result);
    json_decref(ctl_ask(&session, "r", "\"op\":\"restart\",\"server\":\"board\""));
    event = ctl_event(&session, "server");
    ck_assert_str_eq(ctl_string(event, "server"), "board");
    ck_assert_str_eq(ctl_string(event, "state"), "loaded");
    json_decref(event);
    result = ctl_ask(&session, "2",
                     "\"op\":\"call\",\"tool\":\"echo_board\","
                     "\"arguments\":{\"text\":\"x\"}");
    ck_assert_int_ne(ctl_pid(result), before);
    json_decref(result);
}
END_TEST

/* The command `reload` makes a running host read the file again. */
START_TEST(a_running_host_reads_a_touched_file_again)
{
    struct ctl_run touch;
    json_t *event;

    ctl_run(&touch, &place, "reload", NULL);
    ck_assert_int_eq(touch.status, 0);
    ctl_run_free(&touch);
    event = ctl_event(&session, "config");
    ck_assert_str_eq(ctl_string(event, "why"), "changed");
    ck_assert_uint_eq(json_array_size(json_object_get(event, "changes")), 0);
    json_decref(event);
}
END_TEST

START_TEST(operations_on_unknown_servers_are_refused)
{
    refused("\"op\":\"restart\",\"server\":\"none\"", -6);
    refused("\"op\":\"disable\",\"server\":\"none\"", -6);
    refused("\"op\":\"restart\"", -1);
    refused("\"op\":\"enable\"", -1);
}
END_TEST

START_TEST(without_a_file_reload_and_disable_are_refused)
{
    place.input = "{\"id\":\"r\",\"op\":\"reload\"}\n"
                  "{\"id\":\"d\",\"op\":\"disable\",\"server\":\"stdio\"}\n";
    ctl_run(&run, &place, "--stdio", ctl_demo_server(), "batch", NULL);
    test_has(run.out, "\"r\",\"ok\":false");
    test_has(run.out, "\"d\",\"ok\":false");
    test_has(run.out, "no file is followed");
    ctl_run_free(&run);
}
END_TEST

START_TEST(a_reload_of_a_team_file_alone_is_answered_at_once)
{
    rig_workspace_write(&place.ws, "crew.yaml", "members: [%d]\n", 1);
    place.input = "{\"id\":\"t\",\"op\":\"team\",\"file\":\"crew.yaml\"}\n"
                  "{\"id\":\"r\",\"op\":\"reload\"}\n";
    ctl_run(&run, &place, "--stdio", ctl_demo_server(), "batch", NULL);
    test_has(run.out, "\"r\",\"ok\":true,\"result\":{\"problems\":[{");
    ctl_run_free(&run);
}
END_TEST

START_TEST(a_file_with_a_relative_path_is_followed)
{
    place.input =
        "{\"op\":\"wait\"}\n{\"id\":\"d\",\"op\":\"disable\",\"server\":\"desk\"}\n";
    ctl_run(&run, &place, "--config", FILE_NAME, "batch", NULL);
    ck_assert_msg(strstr(run.out, "\"change\":\"disabled\"") != NULL, "%s", run.out);
    test_has_not(run.err, "will not be noticed");
    ctl_run_free(&run);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "file");

    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, diff_prints_the_change_of_each_server);
    tcase_add_test(tc, diff_shows_no_values);
    tcase_add_test(tc, diff_as_json_reports_an_invalid_server);
    tcase_add_test(tc, diff_with_a_file_that_is_rejected_or_missing_is_status_3);
    tcase_add_test(tc, disabling_and_enabling_change_no_other_byte);
    tcase_add_test(tc, an_unknown_server_is_refused_with_a_suggestion);
    tcase_add_test(tc, an_entry_that_cannot_be_edited_is_reported_with_its_line);
    tcase_add_test(tc, reload_checks_the_file_and_touches_it);
    tcase_add_test(tc, reload_does_not_touch_a_rejected_file);
    tcase_add_test(tc, reload_reports_a_bad_entry_and_reloads_the_others);
    tcase_add_test(tc, reload_without_a_file_is_status_3);
    tcase_add_test(tc, restart_starts_only_one_server_and_counts_its_tools);
    tcase_add_test(tc, restart_enables_a_server_and_changes_no_other_byte);
    tcase_add_test(tc, restart_reports_why_a_server_cannot_start);
    tcase_add_test(tc, without_a_file_reload_and_disable_are_refused);
    tcase_add_test(tc, a_reload_of_a_team_file_alone_is_answered_at_once);
    tcase_add_test(tc, a_file_with_a_relative_path_is_followed);
    tc = test_case(suite, "batch");
    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, batch_up, batch_down);
    tcase_add_test(tc, reload_reads_the_file_and_answers_with_what_changed);
    tcase_add_test(tc, batch_reads_an_edited_file_by_itself);
    tcase_add_test(tc, disable_and_enable_write_the_file_and_apply_it);
    tcase_add_test(tc, restart_starts_a_new_process);
    tcase_add_test(tc, a_running_host_reads_a_touched_file_again);
    tcase_add_test(tc, operations_on_unknown_servers_are_refused);
}

int
main(void)
{
    return test_main("ctl-edit", add);
}
