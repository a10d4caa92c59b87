/* SPDX-License-Identifier: MIT
 *
 * test_ctl_batch.c - mcphostctl batch: one host that reads operations and writes answers
 * and events, each a line of JSON.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mcphost/mcphost.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_session session;

static void
up(void)
{
    ctl_place_up(&place);
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "up", "\"op\":\"wait\",\"ms\":10000"));
}

static void
down(void)
{
    ck_assert_int_eq(ctl_session_down(&session), 0);
    ctl_place_down(&place);
}

/* Checks that the answer is a refusal with this code, and that its message contains
 * `what`.  Releases the answer. */
static void
refusal(json_t *answer, int code, const char *what)
{
    const json_t *error = json_object_get(answer, "error");

    ck_assert(json_is_false(json_object_get(answer, "ok")));
    ck_assert_int_eq(ctl_int(error, "code"), code);
    ck_assert_msg(strstr(ctl_string(error, "message"), what) != NULL, "%s",
                  ctl_string(error, "message"));
    json_decref(answer);
}

static long
pid_of_call(const char *id, const char *members)
{
    json_t *result = ctl_ask(&session, id, members);
    long pid = ctl_pid(result);

    json_decref(result);
    return pid;
}

/* ---- lines of the batch ------------------------------------------------------------ */

START_TEST(an_answer_has_the_id_as_it_was_written)
{
    json_t *line;

    ctl_send(&session, "{ \"op\" : \"leases\", \"id\" : {\"a\":[1.50,\"x\\\"}\"]} }");
    line = ctl_next(&session);
    while (!json_is_object(json_object_get(line, "id"))) {
        json_decref(line);
        line = ctl_next(&session);
    }
    ck_assert_int_eq(json_array_size(json_object_get(json_object_get(line, "id"), "a")),
                     2);
    json_decref(line);
}
END_TEST

START_TEST(a_wrong_line_is_refused_and_the_next_line_is_run)
{
    static const struct {
        const char *line, *message;
    } bad[] = {
        {"{\"id\":\"x\",\"op\":\"toolz\"}", "unknown op 'toolz'; did you mean 'tools'?"},
        {"{\"id\":\"x\"}", "'op' is missing"},
        {"{\"id\":\"x\",\"op\":7}", "'op' must be a non-empty string"},
        {"{\"id\":\"x\",\"op\":\"call\"}", "'tool' is missing"},
        {"{\"id\":\"x\",\"op\":\"wait\",\"ms\":-1}", "'ms' must be"},
        {"{\"id\":\"x\",\"op\":\"call\",\"tool\":\"desk_echo\",\"arguments\":[]}",
         "'arguments' must be an object"},
        {"{\"id\":\"x\",\"op\":\"call\",\"tol\":\"desk_echo\"}",
         "unknown member 'tol'; did you mean 'tool'?"},
        {"{\"id\":\"x\",\"op\":\"release\"}", "'server' is missing"},
        {"{\"id\":\"x\",\"op\":\"catalog\",\"shape\":\"round\"}", "'shape' must be"},
    };

    ctl_send(&session, "%s", bad[_i].line);
    refusal(ctl_answer(&session, "x"), -1, bad[_i].message);
    json_decref(ctl_ask(&session, "y", "\"op\":\"leases\""));
}
END_TEST

START_TEST(a_line_that_is_not_json_is_refused_with_a_null_id)
{
    json_t *line;

    ctl_send(&session, "{\"id\":1,");
    line = ctl_next(&session);
    ck_assert(json_is_null(json_object_get(line, "id")));
    refusal(line, -1, "not valid JSON");
}
END_TEST

START_TEST(blank_lines_are_ignored)
{
    ctl_send(&session, "\n  \r");
    json_decref(ctl_ask(&session, "x", "\"op\":\"leases\""));
}
END_TEST

/* ---- queries ----------------------------------------------------------------------- */

START_TEST(servers_tools_problems_and_catalog_are_answered)
{
    json_t *servers = ctl_ask(&session, "1", "\"op\":\"servers\"");
    json_t *tools = ctl_ask(&session, "2", "\"op\":\"tools\",\"toolset\":\"board\"");
    json_t *problems = ctl_ask(&session, "3", "\"op\":\"problems\"");
    json_t *catalog = ctl_ask(&session, "4",
                              "\"op\":\"catalog\",\"shape\":\"openai_chat\","
                              "\"toolset\":\"board\"");
    const json_t *sets = json_object_get(catalog, "toolsets");

    ck_assert_str_eq(ctl_string(ctl_row(servers, "id", "board"), "state"), "loaded");
    ck_assert_int_eq(json_array_size(tools), 2);
    ctl_row(tools, "name", "echo_board");
    ctl_row(problems, "kind", "mcp_tool_invalid_name");
    ck_assert_int_gt(ctl_int(catalog, "version"), 0);
    ck_assert_int_eq(ctl_int(ctl_row(sets, "name", "desk"), "tools"), 4);
    ck_assert_int_eq(json_array_size(json_object_get(catalog, "tools")), 2);
    ctl_row(json_object_get(catalog, "tools"), "type", "function");
    json_decref(servers);
    json_decref(tools);
    json_decref(problems);
    json_decref(catalog);
}
END_TEST

START_TEST(an_unknown_toolset_is_refused)
{
    ctl_send(&session, "{\"id\":\"x\",\"op\":\"tools\",\"toolset\":\"none\"}");
    refusal(ctl_answer(&session, "x"), -6, "toolset");
}
END_TEST

/* ---- calls ------------------------------------------------------------------------- */

START_TEST(calls_run_side_by_side_and_are_answered_when_ready) /* R22 */
{
    json_t *line;

    ctl_send(&session, "{\"id\":\"slow\",\"op\":\"call\",\"tool\":\"desk_count\","
                       "\"arguments\":{\"to\":5,\"step_ms\":50}}");
    ctl_send(&session, "{\"id\":\"quick\",\"op\":\"call\",\"tool\":\"desk_echo\","
                       "\"arguments\":{\"text\":\"x\"}}");
    for (line = ctl_next(&session); !json_object_get(line, "ok");
         line = ctl_next(&session))
        json_decref(line);
    ck_assert_str_eq(ctl_string(line, "id"), "quick");
    json_decref(line);
    json_decref(ctl_answer(&session, "slow"));
}
END_TEST

START_TEST(progress_comes_before_the_answer_and_names_the_call)
{
    ctl_send(&session, "{\"id\":\"c\",\"op\":\"call\",\"dialog\":\"A\",\"tool\":"
                       "\"desk_count\",\"arguments\":{\"to\":3,\"step_ms\":10}}");
    for (int i = 1; i <= 3; i++) {
        json_t *event = ctl_event(&session, "progress");

        ck_assert_str_eq(ctl_string(event, "id"), "c");
        ck_assert_str_eq(ctl_string(event, "dialog"), "A");
        ck_assert_str_eq(ctl_string(event, "tool"), "desk_count");
        ck_assert_int_eq(ctl_int(event, "progress"), i);
        ck_assert_int_eq(ctl_int(event, "total"), 3);
        json_decref(event);
    }
    json_decref(ctl_answer(&session, "c"));
}
END_TEST

START_TEST(a_failed_tool_is_answered_with_an_error_result)
{
    json_t *result = ctl_ask(&session, "x", "\"op\":\"call\",\"tool\":\"desk_echo\"");

    ck_assert(json_is_true(json_object_get(result, "isError")));
    json_decref(result);
}
END_TEST

START_TEST(an_unknown_tool_is_refused)
{
    ctl_send(&session, "{\"id\":\"x\",\"op\":\"call\",\"tool\":\"desk_ecco\"}");
    refusal(ctl_answer(&session, "x"), -6, "desk_ecco");
}
END_TEST

START_TEST(a_call_ends_after_the_time_limit_of_its_line)
{
    ctl_send(&session, "{\"id\":\"x\",\"op\":\"call\",\"tool\":\"desk_count\",\"ms\":100,"
                       "\"arguments\":{\"to\":1000}}");
    refusal(ctl_answer(&session, "x"), -40, "desk");
}
END_TEST

/* R107: `cancel` names a call by the id of the line that started it. */
START_TEST(a_call_can_be_cancelled_by_its_id)
{
    json_t *answer;

    ctl_send(&session, "{\"id\":\"x\",\"op\":\"call\",\"tool\":\"desk_count\","
                       "\"arguments\":{\"to\":50,\"step_ms\":1000}}");
    json_decref(ctl_event(&session, "progress"));
    answer = ctl_ask(&session, "no", "\"op\":\"cancel\",\"call\":\"y\"");
    ck_assert(json_is_false(json_object_get(answer, "cancelled")));
    json_decref(answer);
    answer = ctl_ask(&session, "c", "\"op\":\"cancel\",\"call\":\"x\"");
    ck_assert(json_is_true(json_object_get(answer, "cancelled")));
    json_decref(answer);
    refusal(ctl_answer(&session, "x"), MCPHOST_E_CANCELLED, "");
    ctl_send(&session, "{\"id\":\"z\",\"op\":\"cancel\"}");
    refusal(ctl_answer(&session, "z"), MCPHOST_E_INVALID, "'call' is missing");
}
END_TEST

/* R69, R70: the member `dir` of the result and the member `relPath` of the picture's
 * artifact lead to the file that was written. */
START_TEST(a_call_with_save_writes_the_items_of_its_result)
{
    json_t *result, *item;
    char path[4300];

    result = ctl_ask(&session, "s",
                     "\"op\":\"call\",\"tool\":\"desk_picture\",\"save\":\"kept\"");
    ck_assert(json_is_false(json_object_get(result, "isError")));
    item = json_array_get(json_object_get(result, "items"), 0);
    while (strcmp(ctl_string(item, "type"), "input_image") != 0) {
        ck_assert_int_eq(json_array_remove(json_object_get(result, "items"), 0), 0);
        item = json_array_get(json_object_get(result, "items"), 0);
    }
    snprintf(path, sizeof(path), "%s/%s", ctl_string(result, "dir"),
             ctl_string(json_object_get(item, "artifact"), "relPath"));
    ck_assert_int_eq(access(path, R_OK), 0);
    ck_assert_int_eq(mcphost_artifact_delete_all(ctl_string(result, "dir"), NULL), 0);
    ck_assert_int_eq(rmdir(ctl_string(result, "dir")), 0);
    json_decref(result);
}
END_TEST

START_TEST(wait_holds_back_the_lines_after_it)
{
    json_t *waited;

    ctl_send(&session, "{\"id\":\"c\",\"op\":\"call\",\"tool\":\"desk_count\","
                       "\"arguments\":{\"to\":3,\"step_ms\":20}}\n"
                       "{\"id\":\"w\",\"op\":\"wait\"}\n"
                       "{\"id\":\"l\",\"op\":\"leases\"}");
    json_decref(ctl_answer(&session, "c"));
    waited = ctl_answer(&session, "w");
    ck_assert_int_eq(ctl_int(json_object_get(waited, "result"), "calls"), 0);
    json_decref(waited);
    json_decref(ctl_answer(&session, "l"));
}
END_TEST

START_TEST(wait_waits_for_a_server_that_the_line_before_enabled)
{
    json_t *rows;

    json_decref(ctl_ask(&session, "d", "\"op\":\"disable\",\"server\":\"desk\""));
    ctl_send(&session, "{\"id\":\"e\",\"op\":\"enable\",\"server\":\"desk\"}\n"
                       "{\"id\":\"w\",\"op\":\"wait\",\"ms\":10000}");
    json_decref(ctl_answer(&session, "e"));
    rows = ctl_ask(&session, "s", "\"op\":\"servers\"");
    ck_assert_str_eq(ctl_string(ctl_row(rows, "id", "desk"), "state"), "loaded");
    json_decref(rows);
}
END_TEST

START_TEST(wait_ends_after_its_time_limit)
{
    json_t *waited;

    ctl_send(&session, "{\"id\":\"c\",\"op\":\"call\",\"tool\":\"desk_count\","
                       "\"arguments\":{\"to\":10,\"step_ms\":50}}\n"
                       "{\"id\":\"w\",\"op\":\"wait\",\"ms\":30}");
    waited = ctl_answer(&session, "w");
    ck_assert_int_eq(ctl_int(json_object_get(waited, "result"), "calls"), 1);
    json_decref(waited);
    json_decref(ctl_answer(&session, "c"));
}
END_TEST

/* ---- dialogs and leases ------------------------------------------------------------ */

/* R76 R77 R78 */
START_TEST(each_dialog_has_its_own_process_and_keeps_it)
{
    long a = pid_of_call("1", "\"op\":\"call\",\"dialog\":\"A\",\"tool\":\"desk_tally\"");
    long b = pid_of_call("2", "\"op\":\"call\",\"dialog\":\"B\",\"tool\":\"desk_tally\"");
    json_t *leases = ctl_ask(&session, "3", "\"op\":\"leases\"");
    json_t *row = ctl_row(leases, "dialog", "A");

    ck_assert_int_ne(a, b);
    ck_assert_int_eq(
        pid_of_call("4", "\"op\":\"call\",\"dialog\":\"A\",\"tool\":\"desk_tally\""), a);
    ck_assert_int_eq(json_object_size(row), 8);
    ck_assert_str_eq(ctl_string(row, "server"), "desk");
    ck_assert_str_eq(ctl_string(row, "scope"), "dialog");
    ck_assert_str_eq(ctl_string(row, "scope_key"), "A");
    ck_assert_int_eq(ctl_int(row, "pid"), a);
    ck_assert_str_eq(ctl_string(row, "state"), "ready");
    ck_assert_int_eq(ctl_int(row, "in_flight"), 0);
    ck_assert_int_gt(ctl_int(row, "since_ms"), 1600000000000LL);
    json_decref(leases);
}
END_TEST

START_TEST(a_shared_server_has_one_process_for_all_dialogs) /* R81 */
{
    static const char call[] =
        "\"op\":\"call\",\"dialog\":\"%s\",\"tool\":\"echo_board\","
        "\"arguments\":{\"text\":\"x\"}";
    char a[128], b[128];

    snprintf(a, sizeof(a), call, "A");
    snprintf(b, sizeof(b), call, "B");
    ck_assert_int_eq(pid_of_call("1", a), pid_of_call("2", b));
}
END_TEST

/* R79 R80 */
START_TEST(a_release_ends_the_process_and_withdraws_the_reminder)
{
    static const char call[] = "\"op\":\"call\",\"dialog\":\"A\",\"tool\":\"desk_tally\"";
    json_t *event, *result;
    long pid;

    ctl_send(&session, "{\"id\":\"1\",%s}", call);
    event = ctl_event(&session, "reminder");
    ck_assert_str_eq(ctl_string(event, "server"), "desk");
    ck_assert_str_eq(ctl_string(event, "dialog"), "A");
    ck_assert(json_is_true(json_object_get(event, "active")));
    ck_assert_ptr_nonnull(strstr(ctl_string(event, "text"), "mcp_release"));
    json_decref(event);
    event = ctl_answer(&session, "1");
    pid = ctl_pid(json_object_get(event, "result"));
    json_decref(event);

    result =
        ctl_ask(&session, "2", "\"op\":\"release\",\"dialog\":\"A\",\"server\":\"desk\"");
    ck_assert(json_is_true(json_object_get(result, "released")));
    json_decref(result);
    event = ctl_event(&session, "reminder");
    ck_assert(json_is_false(json_object_get(event, "active")));
    json_decref(event);
    ck_assert_int_ne(pid_of_call("3", call), pid);
}
END_TEST

START_TEST(a_release_without_a_lease_answers_false)
{
    json_t *result =
        ctl_ask(&session, "1", "\"op\":\"release\",\"dialog\":\"A\",\"server\":\"desk\"");

    ck_assert(json_is_false(json_object_get(result, "released")));
    json_decref(result);
    ctl_send(&session, "{\"id\":\"2\",\"op\":\"release\",\"server\":\"dekc\"}");
    refusal(ctl_answer(&session, "2"), -6, "server");
}
END_TEST

START_TEST(closing_a_dialog_ends_its_process)
{
    long pid =
        pid_of_call("1", "\"op\":\"call\",\"dialog\":\"A\",\"tool\":\"desk_tally\"");
    json_t *event, *result;

    result = ctl_ask(&session, "2", "\"op\":\"close_dialog\",\"dialog\":\"A\"");
    ck_assert(json_is_true(json_object_get(result, "closed")));
    json_decref(result);
    for (event = ctl_event(&session, "instance");
         strcmp(ctl_string(event, "state"), "dead") != 0;
         event = ctl_event(&session, "instance"))
        json_decref(event);
    ck_assert_int_eq(ctl_int(event, "pid"), pid);
    json_decref(event);
    result = ctl_ask(&session, "3", "\"op\":\"close_dialog\",\"dialog\":\"A\"");
    ck_assert(json_is_false(json_object_get(result, "closed")));
    json_decref(result);
}
END_TEST

/* ---- the end ----------------------------------------------------------------------- */

START_TEST(the_answer_to_quit_is_the_last_line)
{
    json_t *line;

    json_decref(ctl_ask(&session, "1", "\"op\":\"call\",\"tool\":\"desk_tally\""));
    ctl_send(&session, "{\"id\":\"q\",\"op\":\"quit\"}");
    json_decref(ctl_answer(&session, "q"));
    line = ctl_next(&session);
    ck_assert_ptr_null(line);
}
END_TEST

START_TEST(quit_cancels_calls) /* R107 */
{
    ctl_send(&session, "{\"id\":\"c\",\"op\":\"call\",\"tool\":\"desk_count\","
                       "\"arguments\":{\"to\":1000,\"step_ms\":20}}");
    json_decref(ctl_event(&session, "progress"));
    ctl_send(&session, "{\"id\":\"q\",\"op\":\"quit\"}");
    refusal(ctl_answer(&session, "c"), -41, "");
    json_decref(ctl_answer(&session, "q"));
}
END_TEST

START_TEST(the_end_of_the_input_lets_calls_finish)
{
    json_t *answer;

    ctl_send(&session, "{\"id\":\"c\",\"op\":\"call\",\"tool\":\"desk_count\","
                       "\"arguments\":{\"to\":3,\"step_ms\":30}}");
    close(session.in);
    session.in = -1;
    answer = ctl_answer(&session, "c");
    ck_assert(json_is_true(json_object_get(answer, "ok")));
    json_decref(answer);
}
END_TEST

START_TEST(a_last_line_without_a_line_break_is_run)
{
    json_t *answer;

    ck_assert_int_gt(dprintf(session.in, "{\"id\":\"l\",\"op\":\"leases\"}"), 0);
    close(session.in);
    session.in = -1;
    answer = ctl_answer(&session, "l");
    ck_assert(json_is_true(json_object_get(answer, "ok")));
    json_decref(answer);
}
END_TEST

static void
down_by_signal(void)
{
    ctl_place_down(&place);
}

START_TEST(a_signal_ends_batch_with_128_plus_its_number)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    json_decref(ctl_ask(&session, "1", "\"op\":\"call\",\"tool\":\"desk_tally\""));
    ck_assert_int_eq(kill(session.pid, signals[_i]), 0);
    ck_assert_int_eq(ctl_session_down(&session), 128 + signals[_i]);
}
END_TEST

START_TEST(a_closed_output_ends_batch_with_status_4)
{
    json_decref(ctl_ask(&session, "1", "\"op\":\"call\",\"tool\":\"desk_tally\""));
    close(session.out);
    session.out = dup(STDIN_FILENO);
    ctl_send(&session, "{\"op\":\"servers\"}");
    ck_assert_int_eq(ctl_session_down(&session), 4);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "batch");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, an_answer_has_the_id_as_it_was_written);
    tcase_add_loop_test(tc, a_wrong_line_is_refused_and_the_next_line_is_run, 0, 9);
    tcase_add_test(tc, a_line_that_is_not_json_is_refused_with_a_null_id);
    tcase_add_test(tc, blank_lines_are_ignored);
    tcase_add_test(tc, servers_tools_problems_and_catalog_are_answered);
    tcase_add_test(tc, an_unknown_toolset_is_refused);
    tcase_add_test(tc, calls_run_side_by_side_and_are_answered_when_ready);
    tcase_add_test(tc, progress_comes_before_the_answer_and_names_the_call);
    tcase_add_test(tc, a_failed_tool_is_answered_with_an_error_result);
    tcase_add_test(tc, an_unknown_tool_is_refused);
    tcase_add_test(tc, a_call_ends_after_the_time_limit_of_its_line);
    tcase_add_test(tc, a_call_can_be_cancelled_by_its_id);
    tcase_add_test(tc, a_call_with_save_writes_the_items_of_its_result);
    tcase_add_test(tc, wait_holds_back_the_lines_after_it);
    tcase_add_test(tc, wait_waits_for_a_server_that_the_line_before_enabled);
    tcase_add_test(tc, wait_ends_after_its_time_limit);
    tcase_add_test(tc, each_dialog_has_its_own_process_and_keeps_it);
    tcase_add_test(tc, a_shared_server_has_one_process_for_all_dialogs);
    tcase_add_test(tc, a_release_ends_the_process_and_withdraws_the_reminder);
    tcase_add_test(tc, a_release_without_a_lease_answers_false);
    tcase_add_test(tc, closing_a_dialog_ends_its_process);
    tcase_add_test(tc, the_answer_to_quit_is_the_last_line);
    tcase_add_test(tc, quit_cancels_calls);
    tcase_add_test(tc, the_end_of_the_input_lets_calls_finish);
    tcase_add_test(tc, a_last_line_without_a_line_break_is_run);

    tc = test_case(suite, "cut short");
    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down_by_signal);
    tcase_add_loop_test(tc, a_signal_ends_batch_with_128_plus_its_number, 0, 3);
    tcase_add_test(tc, a_closed_output_ends_batch_with_status_4);
}

int
main(void)
{
    return test_main("ctl-batch", add);
}
