/* SPDX-License-Identifier: MIT
 *
 * test_ctl_task.c - mcphostctl and the tasks of servers.
 */
#include <stdlib.h>
#include <string.h>

#include "support/ctlrun.h"
#include "support/runner.h"

#define TASKS                                                                  \
    "era modern\ncapabilities {\"tools\":{},\"extensions\":{\"io.modelcontext" \
    "protocol/tasks\":{}}}\n"                                                  \
    "on tasks/update\n result {}\non tasks/cancel\n result {}\n"
#define GET(status, more) \
    "on tasks/get\n result {\"taskId\":\"t-1\",\"status\":\"" status "\"" more "}\n"

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
    ctl_run_free(&run);
    ctl_place_down(&place);
}

static void
serve(const char *script)
{
    rig_workspace_write(&place.ws, "a", "%s%s", TASKS, script);
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n  a:\n    transport: stdio\n    command: %s\n"
        "    args: [-e, \"trace %s/a.trace\", %s/a]\n",
        rig_fakeserver(), place.ws.dir, place.ws.dir);
}

static int
count(const char *text)
{
    return rig_workspace_count(&place.ws, "a.trace", text);
}

START_TEST(task_get_prints_the_state_of_a_task)
{
    json_t *json;

    serve(GET("working", ",\"ttlMs\":5000,\"pollIntervalMs\":null"));
    ctl_run(&run, &place, "task", "t-1", "--server", "a", "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(json, "task"), "t-1");
    ck_assert_str_eq(ctl_string(json, "status"), "working");
    ck_assert_int_eq(ctl_int(json, "ttl"), 5000);
    ck_assert(json_is_null(json_object_get(json, "pollInterval")));
    json_decref(json);
    ctl_run_free(&run);
    /* The command needs no --server if the workspace has only one server. */
    ctl_run(&run, &place, "task", "get", "t-1", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "working\n");
}
END_TEST

START_TEST(a_task_is_updated_cancelled_and_waited_for)
{
    serve(GET("completed", ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
                           "\"built\"}]}"));
    ctl_run(&run, &place, "task", "update", "t-1", "{\"q\":{\"action\":\"decline\"}}",
            NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "completed\n");
    ck_assert_int_eq(count("\"inputResponses\":{\"q\":{\"action\":\"decline\"}}"), 1);
    ctl_run_free(&run);
    ctl_run(&run, &place, "task", "cancel", "t-1", NULL);
    ctl_status_is(&run, 0);
    ck_assert_int_eq(count("\"method\":\"tasks/cancel\""), 1);
    ctl_run_free(&run);
    ctl_run(&run, &place, "task", "wait", "t-1", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "built");
}
END_TEST

START_TEST(wrong_arguments_of_task_are_refused)
{
    serve("");
    ctl_run(&run, &place, "task", "stop", "t-1", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'task' needs get, update, cancel or wait, not 'stop'");
    ctl_run_free(&run);
    ctl_run(&run, &place, "task", "update", "t-1", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "needs the responses");
    ctl_run_free(&run);
    ctl_run(&run, &place, "task", "get", "t-1", "more", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'more' is one argument too many");
    ctl_run_free(&run);
    ctl_run(&run, &place, "task", "update", "t-1", "[]", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "task", "t-1", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "tasks/get");
}
END_TEST

START_TEST(batch_gets_updates_and_awaits_tasks)
{
    struct ctl_session session;
    json_t *json;

    serve(GET("completed", ",\"result\":{\"content\":[]}"));
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "w", "\"op\":\"wait\""));
    json = ctl_ask(&session, "1", "\"op\":\"task\",\"dialog\":\"d\",\"task\":\"t-1\"");
    ck_assert_str_eq(ctl_string(json, "status"), "completed");
    json_decref(json);
    json = ctl_ask(&session, "2",
                   "\"op\":\"task\",\"dialog\":\"d\",\"task\":\"t-1\",\"action\":"
                   "\"update\",\"responses\":{\"q\":1}");
    ck_assert(json_is_object(json));
    json_decref(json);
    ck_assert_int_eq(count("\"inputResponses\":{\"q\":1}"), 1);
    json = ctl_ask(&session, "3",
                   "\"op\":\"task\",\"dialog\":\"d\",\"task\":\"t-1\",\"action\":"
                   "\"wait\",\"server\":\"a\"");
    ck_assert(json_is_array(json_object_get(json, "content")));
    json_decref(json);
    ctl_send(&session, "{\"id\":\"4\",\"op\":\"task\",\"dialog\":\"d\",\"task\":\"t-1\","
                       "\"action\":\"stop\"}");
    json = ctl_answer(&session, "4");
    test_has(ctl_string(json_object_get(json, "error"), "message"), "unknown action");
    json_decref(json);
    ctl_session_down(&session);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "task");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, task_get_prints_the_state_of_a_task);
    tcase_add_test(tc, a_task_is_updated_cancelled_and_waited_for);
    tcase_add_test(tc, wrong_arguments_of_task_are_refused);
    tcase_add_test(tc, batch_gets_updates_and_awaits_tasks);
}

int
main(void)
{
    return test_main("ctl-task", add);
}
