/* SPDX-License-Identifier: MIT
 *
 * test_host_task.c - calls that become tasks of the server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "support/hostrig.h"
#include "support/tasks.h"

static struct hostrig hr;
static mcphost_dialog *d;
static mcphost_request *request;
static int n_asked, answers;
static char task_id[64];

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_TASK) {
        const mcphost_call *call = mcphost_event_get_call(event);

        snprintf(task_id, sizeof(task_id), "%s", mcphost_call_get_task_id(call));
        ck_assert_int_eq(mcphost_event_get_state(event),
                         mcphost_call_get_task_status(call));
    }
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_REQUEST ||
        mcphost_event_get_state(event) == 0)
        return;
    n_asked++;
    if (answers > 0)
        ck_assert_int_eq(mcphost_request_respond(mcphost_event_get_request(event),
                                                 "{\"user\":\"mina\"}", 15, NULL),
                         0);
    else if (answers < 0)
        ck_assert_int_eq(
            mcphost_request_reject(mcphost_event_get_request(event), -answers, NULL), 0);
    else if (!request)
        request = mcphost_request_ref(mcphost_event_get_request(event));
}

static void
prepare(const char *keys, const char *base, const char *script)
{
    char text[8192];

    n_asked = answers = 0;
    request = NULL;
    task_id[0] = '\0';
    snprintf(text, sizeof(text), "%s%s", base, script);
    hr_up(&hr);
    hr.on_event = on_event;
    hr_server(&hr, "a", keys, text);
}

static void
load_servers(void)
{
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static void
up(const char *base, const char *script)
{
    prepare(NULL, base, script);
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_SAMPLING);
    load_servers();
}

/* Starts a host whose server has one shared instance.  The host sends the calls to this
 * instance, and subscribes to the status of their tasks there. */
static void
up_shared(const char *base, const char *script)
{
    prepare("truely-stateless: true", base, script);
    load_servers();
}

static void
down(void)
{
    request = mcphost_request_unref(request);
    hr_down(&hr);
}

static int
count(const char *text)
{
    return rig_workspace_count(&hr.ws, "a.trace", text);
}

static const char *
build(void)
{
    return hr_say(&hr, d, "a_build", "{}");
}

static mcphost_call *
keep_call(mcphost_call *call)
{
    hr.calls[hr.n_calls++] = call;
    return call;
}

static mcphost_call *
resume(const char *id)
{
    mcphost_call *call;

    ck_assert_int_eq(mcphost_call_resume_task(d, "a", id, &call, NULL), 0);
    hr_go(keep_call(call));
    return call;
}

/* ---- a task is one call ------------------------------------------------------------ */

START_TEST(a_task_is_one_call_to_the_application)
{
    mcphost_call *call;

    up(MODERN, BEGUN "on tasks/get 1\n " NEW("working", "") "on tasks/get\n " NEW(
                   "completed", DONE("built")));
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_ptr_null(mcphost_call_get_task_id(call));
    ck_assert_int_eq(mcphost_call_get_task_status(call), MCPHOST_TASK_NONE);
    ck_assert_int_eq(mcphost_call_get_task_ttl(call), -1);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "built");
    ck_assert_int_eq(mcphost_result_is_error(mcphost_call_get_result(call)), 0);
    ck_assert_str_eq(mcphost_call_get_task_id(call), "t-1");
    ck_assert_int_eq(mcphost_call_get_task_status(call), MCPHOST_TASK_COMPLETED);
    ck_assert_int_eq(mcphost_call_get_task_ttl(call), 900000);
    ck_assert_int_eq(mcphost_call_get_task_interval(call), 60);
    /* The host sends one event for each new status. */
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_TASK, "a", "d", -1), 2);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_TASK, "a", "d", MCPHOST_TASK_WORKING),
                     1);
    ck_assert_str_eq(task_id, "t-1");
    ck_assert_int_eq(count("\"method\":\"tasks/get\",\"params\":{\"taskId\":\"t-1\""), 2);
    ck_assert_int_gt(count("\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}"), 2);
    down();
}
END_TEST

START_TEST(a_legacy_tool_that_requires_a_task_runs_as_a_task)
{
    mcphost_call *call;

    up(LEGACY, OLD_BEGUN "on tasks/get 1\n result {" OLD(
                   "working") "}\n"
                              "on tasks/get\n result {" OLD(
                                  "completed") "}\n"
                                               "on tasks/result\n text built\n");
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "built");
    ck_assert_int_eq(mcphost_call_get_task_ttl(call), 900000);
    ck_assert_int_eq(mcphost_call_get_task_interval(call), 60);
    ck_assert_int_eq(count("\"arguments\":{},\"task\":{\"ttl\":3600000}"), 1);
    ck_assert_int_eq(count("tasks/get"), 2);
    ck_assert_int_eq(count("tasks/result"), 1);
    down();
}
END_TEST

START_TEST(a_legacy_tool_with_optional_tasks_runs_as_a_task_only_on_request)
{
    mcphost_call *call;

    up(LEGACY "tool-json {\"name\":\"free\",\"inputSchema\":{\"type\":\"object\"},"
              "\"execution\":{\"taskSupport\":\"optional\"}}\ntool never\n",
       "on call:free\n text at once\non call:never\n text now\n");
    ck_assert_str_eq(hr_say(&hr, d, "a_free", "{}"), "at once");
    ck_assert_int_eq(count("\"task\":"), 0);
    call = hr_call(&hr, d, "a_free", "{}");
    ck_assert_int_eq(mcphost_call_set_task(call, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_set_task(NULL, 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_set_task(call, 5000), 0);
    hr_go(call);
    ck_assert_int_eq(mcphost_call_set_task(call, 5000), MCPHOST_E_STATE);
    /* A server may answer without creating a task. */
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "at once");
    ck_assert_ptr_null(mcphost_call_get_task_id(call));
    ck_assert_int_eq(count("\"task\":{\"ttl\":5000}"), 1);
    /* The host asks for no task if the tool does not support tasks. */
    call = hr_call(&hr, d, "a_never", "{}");
    ck_assert_int_eq(mcphost_call_set_task(call, 5000), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(count("\"task\":{\"ttl\":"), 1);
    down();
}
END_TEST

START_TEST(a_legacy_server_without_tasks_is_asked_for_no_task)
{
    up("era legacy\n"
       "tool-json {\"name\":\"build\",\"inputSchema\":{\"type\":\"object\"},"
       "\"execution\":{\"taskSupport\":\"required\"}}\n",
       "on call:build\n text plain\n");
    ck_assert_str_eq(build(), "plain");
    ck_assert_int_eq(count("\"task\":"), 0);
    down();
}
END_TEST

/* ---- the end of a task ------------------------------------------------------------- */

START_TEST(a_task_that_fails_ends_the_call_with_its_error)
{
    mcphost_call *call;

    up(MODERN, BEGUN "on tasks/get\n " NEW(
                   "failed", ",\"error\":{\"code\":-32050,\"message\":\"no disk\","
                             "\"data\":{\"free\":0}}"));
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "no disk"));
    ck_assert_int_eq(mcphost_error_get_rpc_code(mcphost_call_get_error(call)), -32050);
    ck_assert_str_eq(mcphost_error_get_server_id(mcphost_call_get_error(call)), "a");
    ck_assert_int_eq(mcphost_call_get_task_status(call), MCPHOST_TASK_FAILED);
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/tool_call_error/a"));
    down();
}
END_TEST

START_TEST(a_task_result_with_is_error_ends_the_call_with_a_result)
{
    mcphost_call *call;

    up(MODERN, BEGUN "on tasks/get\n " NEW(
                   "completed", ",\"result\":{\"content\":[],\"isError\":true}"));
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_result_is_error(mcphost_call_get_result(call)), 1);
    down();
}
END_TEST

START_TEST(a_task_that_the_server_cancels_ends_the_call)
{
    static const char *const scripts[] = {
        OLD_BEGUN "on tasks/get\n result {" OLD("cancelled") "}\n",
        BEGUN "on tasks/get\n " NEW("cancelled", "")};

    up(_i ? MODERN : LEGACY, scripts[_i]);
    ck_assert_int_eq(hr_fail(&hr, d, "a_build", "{}"), MCPHOST_E_CANCELLED);
    ck_assert_int_eq(count("tasks/cancel"), 0);
    down();
}
END_TEST

START_TEST(a_call_that_is_cancelled_cancels_its_task)
{
    static const char *const scripts[] = {
        OLD_BEGUN "on tasks/get\n result {" OLD(
            "working") "}\n"
                       "on tasks/cancel\n result {" OLD("cancelled") "}\n",
        BEGUN "on tasks/get\n " NEW(
            "working", "") "on tasks/cancel\n result {\"resultType\":\"complete\"}\n"};
    mcphost_call *call;

    up(_i ? MODERN : LEGACY, scripts[_i]);
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, mcphost_call_get_task_id(call));
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, count("tasks/cancel") == 1);
    ck_assert_int_eq(count("notifications/cancelled"), 0);
    down();
}
END_TEST

/* A request during tasks/cancel has no call, because no call waits for the answer to
 * tasks/cancel. */
START_TEST(a_request_during_tasks_cancel_belongs_to_no_call)
{
    mcphost_call *call;

    up(LEGACY,
       OLD_BEGUN "on tasks/get\n result {" OLD(
           "working") "}\n"
                      "on tasks/cancel\n ask elicitation/create {\"message\":\"Who?\","
                      "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}\n "
                      "result {}\n");
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, mcphost_call_get_task_id(call));
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, n_asked == 1);
    ck_assert_ptr_null(mcphost_request_get_call(request));
    down();
}
END_TEST

/* The host does not cancel the task, because the application can later resume the task by
 * its id. */
START_TEST(closing_a_dialog_does_not_cancel_its_task)
{
    mcphost_call *call;

    up(MODERN, BEGUN "on tasks/get\n " NEW("working", ""));
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, mcphost_call_get_task_id(call));
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_turn(&hr, 100);
    ck_assert_int_eq(count("tasks/cancel"), 0);
    down();
}
END_TEST

/* ---- limits ------------------------------------------------------------------------ */

START_TEST(a_task_that_exceeds_the_maximum_time_of_its_call_is_cancelled)
{
    mcphost_call *call;

    up(MODERN,
       BEGUN "on tasks/get\n " NEW("working", "") "on tasks/cancel\n result {}\n");
    call = hr_call(&hr, d, "a_build", "{}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 50, 0, 300), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "its task has not ended in time"));
    hr_until(&hr, count("tasks/cancel") == 1);
    down();
}
END_TEST

START_TEST(a_call_times_out_when_the_ttl_of_its_task_is_over)
{
    mcphost_call *call;

    up(MODERN, "on call:build\n result {\"resultType\":\"task\",\"taskId\":\"t-1\","
               "\"status\":\"working\",\"ttlMs\":10,\"pollIntervalMs\":60}\n"
               "on tasks/get\n result {\"taskId\":\"t-1\",\"status\":\"working\","
               "\"ttlMs\":10,\"pollIntervalMs\":60}\n"
               "on tasks/cancel\n result {}\n");
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    down();
}
END_TEST

START_TEST(with_task_timeout_0_tasks_are_not_offered)
{
    mcphost_call *call;

    prepare(NULL, MODERN, BEGUN);
    hr_option(&hr, MCPHOST_OPT_TASK_TIMEOUT, 0);
    load_servers();
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_PROTOCOL);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "did not offer"));
    ck_assert_int_eq(count("extensions\":{\"io"), 0);
    down();
}
END_TEST

/* ---- questions of a task ----------------------------------------------------------- */

START_TEST(a_question_of_a_task_is_raised_and_answered_once)
{
    up(MODERN,
       BEGUN "on tasks/get 1\n " NEW("input_required", ASK) "on tasks/get 2\n " NEW(
           "input_required",
           ASK) "on tasks/get 3\n " NEW("working",
                                        "") "on tasks/get\n " NEW("completed",
                                                                  DONE(
                                                                      "for mina")) "on "
                                                                                   "tasks"
                                                                                   "/upda"
                                                                                   "te\n "
                                                                                   "resul"
                                                                                   "t "
                                                                                   "{\"re"
                                                                                   "sultT"
                                                                                   "ype\""
                                                                                   ":\"co"
                                                                                   "mplet"
                                                                                   "e\"}"
                                                                                   "\n");
    answers = 1;
    ck_assert_str_eq(build(), "for mina");
    ck_assert_int_eq(n_asked, 1);
    ck_assert_int_eq(count("\"method\":\"tasks/update\",\"params\":{\"taskId\":\"t-1\","
                           "\"inputResponses\":{\"who\":{\"action\":\"accept\","
                           "\"content\":{\"user\":\"mina\"}}}"),
                     1);
    ck_assert_int_eq(
        hr_count(&hr, MCPHOST_EVENT_TASK, "a", "d", MCPHOST_TASK_INPUT_REQUIRED), 1);
    down();
}
END_TEST

START_TEST(a_legacy_task_can_send_a_request_during_tasks_result)
{
    up(LEGACY,
       OLD_BEGUN "on tasks/get\n result {" OLD(
           "input_required") "}\n"
                             "on tasks/result\n ask elicitation/create "
                             "{\"message\":\"Who?\","
                             "\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
                             "\"user\":{\"type\":\"string\"}}}}\n text %r\n");
    answers = 1;
    ck_assert_ptr_nonnull(strstr(build(), "mina"));
    ck_assert_int_eq(n_asked, 1);
    down();
}
END_TEST

/* MCP 2026-07-28: a client can refuse a sampling request only by cancelling the task. */
START_TEST(a_task_whose_question_is_refused_is_cancelled)
{
    up(MODERN, BEGUN "on tasks/get\n " NEW("input_required",
                                           ASK_MODEL) "on tasks/cancel\n result {}\n");
    answers = -MCPHOST_REJECT_DECLINE;
    ck_assert_int_eq(hr_fail(&hr, d, "a_build", "{}"), MCPHOST_E_DENIED);
    hr_until(&hr, count("tasks/cancel") == 1);
    down();
}
END_TEST

/* ---- tasks that outlive connections ------------------------------------------------ */

START_TEST(a_task_outlives_its_server_process)
{
    up(MODERN, BEGUN " crash 9\non tasks/get\n " NEW("completed", DONE("built")));
    ck_assert_str_eq(build(), "built");
    ck_assert_int_eq(count(" spawn"), 2);
    down();
}
END_TEST

/* The server crashes at least twice, each time during tasks/get.  The host sends the
 * request again, because tasks/get has no side effects. */
START_TEST(a_lost_tasks_get_does_not_end_the_call)
{
    mcphost_call *call;

    prepare(NULL, MODERN, BEGUN "on tasks/get\n crash 9\n");
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 10);
    load_servers();
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, count(" spawn") >= 3);
    rig_workspace_write(&hr.ws, "a.script", "trace %s/a.trace\n%son tasks/get\n %s",
                        hr.ws.dir, MODERN, NEW("completed", DONE("built")));
    ck_assert_msg(hr_end(&hr, call) == 0, "%s", hr_why(call));
    ck_assert_str_eq(hr_text(&hr, call), "built");
    down();
}
END_TEST

START_TEST(an_unfinished_task_does_not_hold_a_drain)
{
    /* In the second case a question is open.  The host asks the next instance for the
     * status again. */
    static const char *const states[] = {NEW("working", ""), NEW("input_required", ASK)};
    char script[4096];
    mcphost_call *call;
    int64_t pid;

    snprintf(script, sizeof(script), "%son tasks/get\n %s", BEGUN, states[_i]);
    prepare("truely-stateless: true", MODERN, script);
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM);
    hr_option(&hr, MCPHOST_OPT_DRAIN_TIMEOUT, 60000);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, count("tasks/get") >= 1 && n_asked == _i);
    if (_i)
        hr_until(&hr, mcphost_call_get_task_status(call) == MCPHOST_TASK_INPUT_REQUIRED);
    pid = hr_server_pid(&hr, "a");
    hr_edit(&hr);
    snprintf(script, sizeof(script), "%s%son tasks/get\n %s", MODERN, BEGUN,
             NEW("completed", DONE("built")));
    hr_server(&hr, "a", "truely-stateless: true\nenv: {X: y}", script);
    hr_reload(&hr);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "built");
    hr_until(&hr, hr_server_pid(&hr, "a") != pid);
    hr_until(&hr, count("eof") + count("term") > 0);
    down();
}
END_TEST

START_TEST(a_task_is_resumed_by_its_id)
{
    static const char *const scripts[] = {
        "on tasks/get\n result {" OLD("completed") "}\non tasks/result\n text built\n",
        "on tasks/get\n " NEW("completed", DONE("built"))};
    mcphost_call *call;

    up(_i ? MODERN : LEGACY, scripts[_i]);
    call = resume("t-1");
    ck_assert_str_eq(mcphost_call_get_task_id(call), "t-1");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "built");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_TASK, "a", "d", MCPHOST_TASK_COMPLETED),
                     1);
    ck_assert_ptr_null(mcphost_call_get_tool(call));
    down();
}
END_TEST

START_TEST(an_invalid_resume_of_a_task_is_refused)
{
    mcphost_error *err = NULL;
    mcphost_call *call;

    up(MODERN, "on tasks/get\n error -32602 Unknown task\n");
    ck_assert_int_eq(hr_end(&hr, resume("t-0")), MCPHOST_E_RPC);
    ck_assert_int_eq(mcphost_call_resume_task(d, "a", "", &call, &err),
                     MCPHOST_E_INVALID);
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_call_resume_task(d, "a", "\xff", &call, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_resume_task(d, "b", "t", &call, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_call_resume_task(NULL, "a", "t", &call, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_new_update_task(d, "a", "t", "[]", 2, &call, NULL),
                     MCPHOST_E_INVALID);
    down();
    up("era modern\n", "");
    ck_assert_int_eq(hr_end(&hr, resume("t-1")), MCPHOST_E_NOTFOUND);
    down();
}
END_TEST

/* ---- notifications ----------------------------------------------------------------- */

#define SLOWLY(status, more)                                                      \
    "result {\"resultType\":\"complete\",\"taskId\":\"t-1\",\"status\":\"" status \
    "\",\"ttlMs\":null,\"pollIntervalMs\":3600000" more "}\n"

START_TEST(a_notification_makes_the_host_read_the_task_early)
{
    up_shared(
        MODERN,
        "on call:build\n result {\"resultType\":\"task\",\"taskId\":\"t-1\","
        "\"status\":\"working\",\"ttlMs\":null,\"pollIntervalMs\":3600000}\n"
        "on subscriptions/listen 2\n answer\n delay 50\n notify notifications/tasks "
        "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:2\"},"
        "\"taskId\":\"t-1\",\"status\":\"completed\"}\n"
        "on tasks/get\n " SLOWLY("completed", DONE("built")));
    ck_assert_str_eq(build(), "built");
    ck_assert_int_eq(count("\"taskIds\":[\"t-1\"]"), 1);
    down();
}
END_TEST

START_TEST(a_legacy_notification_makes_the_host_read_the_task_early)
{
    up(LEGACY,
       "on call:build\n result {\"task\":{\"taskId\":\"t-1\",\"status\":\"working\","
       "\"ttl\":null,\"pollInterval\":3600000}}\n delay 50\n"
       " notify notifications/tasks/status {\"taskId\":\"other\"}\n"
       " notify notifications/tasks/status {\"taskId\":\"t-1\"}\n"
       "on tasks/get\n result {" OLD("completed") "}\non tasks/result\n text built\n");
    ck_assert_str_eq(build(), "built");
    down();
}
END_TEST

#define TICK  " delay 30\n notify notifications/tasks/status {\"taskId\":\"t-1\"}\n"
#define TICKS TICK TICK TICK TICK TICK TICK

START_TEST(many_notifications_do_not_delay_the_next_tasks_get)
{
    mcphost_call *call;

    up(LEGACY, "on call:build\n result {\"task\":{\"taskId\":\"t-1\",\"status\":"
               "\"working\",\"ttl\":null,\"pollInterval\":3600000}}\n" TICKS
               "on tasks/get\n result {\"taskId\":\"t-1\",\"status\":\"working\","
               "\"ttl\":null,\"pollInterval\":3600000}\n");
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, mcphost_call_get_task_id(call));
    for (int i = 0; i < 19; i++) { /* notifications arrive for 180 ms */
        usleep(10000);
        hr_turn(&hr, 0);
    }
    ck_assert_int_ge(count("tasks/get"), 1);
    down();
}
END_TEST

/* The host keeps the id of a task secret, because the id gives access to the task's
 * result. */
START_TEST(the_id_of_a_task_is_in_no_error_and_no_log_line)
{
    mcphost_call *call;

    prepare(NULL, MODERN,
            BEGUN "on tasks/get 1\n " NEW("working", "") "on tasks/get 2\n result {}\n"
                                                         "on tasks/get\n stderr no\n");
    hr_keep_log(&hr, MCPHOST_LOG_DEBUG);
    load_servers();
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_PROTOCOL);
    ck_assert_ptr_null(strstr(hr_why(call), "t-1"));
    ck_assert_int_eq(mcphost_call_new_get_task(d, "a", "t-1", &call, NULL), 0);
    ck_assert_int_eq(mcphost_call_set_timeout(call, 50, 0, -1), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    test_has(hr_why(call), "request for the task");
    ck_assert_ptr_null(strstr(hr_why(call), "t-1"));
    ck_assert_ptr_null(strstr(hr.log, "t-1"));
    down();
}
END_TEST

START_TEST(a_server_that_refuses_to_announce_tasks_is_polled)
{
    up_shared(MODERN,
              "on call:build\n result {\"resultType\":\"task\",\"taskId\":\"t-1\","
              "\"status\":\"working\",\"pollIntervalMs\":1000}\n"
              "on subscriptions/listen 2\n error -32602 no such filter\n"
              "on tasks/get\n " NEW("completed", DONE("built")));
    ck_assert_str_eq(build(), "built");
    ck_assert_int_le(count("subscriptions/listen"), 3);
    ck_assert_int_eq(count("taskIds"), 1);
    down();
}
END_TEST

/* ---- servers that break the protocol ----------------------------------------------- */

START_TEST(an_invalid_task_in_the_first_answer_fails_the_call)
{
    static const char *const answers_of[][2] = {
        {"result {\"resultType\":\"task\"}", "without a taskId"},
        {"result {\"resultType\":\"task\",\"taskId\":\"\",\"status\":\"working\"}",
         "without a taskId"},
        {"result {\"resultType\":\"task\",\"taskId\":7,\"status\":\"working\"}",
         "without a taskId"},
        {"result {\"resultType\":\"task\",\"taskId\":\"t\",\"status\":\"sleeping\"}",
         "with an unknown status"},
        {"result {\"resultType\":\"task\",\"taskId\":\"t\",\"status\":\"working\","
         "\"status\":\"working\"}",
         "occurs twice"},
        {"result {\"resultType\":\"task\",\"taskId\":\"a\\u0000b\",\"status\":"
         "\"working\"}",
         "has a NUL"},
    };
    mcphost_call *call;
    char script[1024];

    snprintf(script, sizeof(script), "on call:build\n %s\n", answers_of[_i][0]);
    up(MODERN, script);
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_PROTOCOL);
    ck_assert_msg(strstr(hr_why(call), answers_of[_i][1]), "%s", hr_why(call));
    ck_assert_ptr_null(mcphost_call_get_task_id(call));
    down();
}
END_TEST

START_TEST(an_invalid_task_in_an_answer_to_tasks_get_fails_the_call)
{
    static const char *const answers_of[][2] = {
        {"result {\"taskId\":\"t-2\",\"status\":\"working\"}", "a different task"},
        {"result {\"taskId\":\"t-1\"}", "with an unknown status"},
        {"result {\"taskId\":\"t-1\",\"status\":\"completed\"}", "has no result"},
        {"result {\"taskId\":\"t-1\",\"status\":\"failed\"}", "has no error"},
        {"result {\"taskId\":\"t-1\",\"status\":\"input_required\",\"inputRequests\":"
         "[]}",
         "the request is malformed"},
    };
    mcphost_call *call;
    char script[2048];

    snprintf(script, sizeof(script), "%son tasks/get\n %s\n", BEGUN, answers_of[_i][0]);
    up(MODERN, script);
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_PROTOCOL);
    ck_assert_msg(strstr(hr_why(call), answers_of[_i][1]), "%s", hr_why(call));
    down();
}
END_TEST

#define ENDED "\"taskId\":\"t-1\",\"status\":\"completed\""

/* The server sends a second answer.  The server also reports the end of the task
 * again. */
START_TEST(a_task_that_ends_twice_ends_its_call_once)
{
    static const char *const scripts[] = {
        OLD_BEGUN "on tasks/get\n result {" OLD(
            "completed") "}\n"
                         "on tasks/result\n notify notifications/tasks/status {" ENDED
                         "}\n"
                         " text built\n text again\n"
                         " notify notifications/tasks/status {" ENDED "}\n",
        BEGUN "on tasks/get\n " NEW("completed", DONE("built")) " " NEW(
            "completed", DONE("again")) " notify notifications/tasks {" ENDED "}\n"};
    mcphost_call *call;

    up(_i ? MODERN : LEGACY, scripts[_i]);
    call = hr_start(&hr, d, "a_build", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_turn(&hr, 100);
    ck_assert_str_eq(hr_text(&hr, call), "built");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_TASK, "a", "d", MCPHOST_TASK_COMPLETED),
                     1);
    ck_assert_int_eq(count("\"method\":\"tasks/get\""), 1);
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

START_TEST(a_task_with_an_interval_of_0_is_polled_with_pauses)
{
    static const char *const scripts[] = {
        "on call:build\n result {\"task\":{\"taskId\":\"t-1\",\"status\":\"working\","
        "\"ttl\":null,\"pollInterval\":0}}\non tasks/get\n result {\"taskId\":\"t-1\","
        "\"status\":\"working\",\"ttl\":null,\"pollInterval\":0}\n"
        "on tasks/cancel\n result {}\n",
        "on call:build\n result {\"resultType\":\"task\",\"taskId\":\"t-1\","
        "\"status\":\"working\",\"ttlMs\":null,\"pollIntervalMs\":0}\n"
        "on tasks/get\n result {\"resultType\":\"complete\",\"taskId\":\"t-1\","
        "\"status\":\"working\",\"ttlMs\":null,\"pollIntervalMs\":0}\n"
        "on tasks/cancel\n result {}\n"};
    mcphost_call *call;
    int64_t begun;

    up(_i ? MODERN : LEGACY, scripts[_i]);
    begun = mcph_clock_monotonic_ms();
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, count("\"method\":\"tasks/get\"") >= 5);
    ck_assert_int_ge(mcph_clock_monotonic_ms() - begun, 200);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    down();
}
END_TEST

/* ---- single requests --------------------------------------------------------------- */

START_TEST(a_single_tasks_get_shows_a_question_without_raising_it)
{
    mcphost_call *call;

    up(MODERN, "on tasks/get\n " NEW("input_required", ASK));
    ck_assert_int_eq(mcphost_call_new_get_task(d, "a", "t-1", &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_call_get_task_status(call), MCPHOST_TASK_INPUT_REQUIRED);
    ck_assert_ptr_nonnull(
        strstr(mcphost_result_get_json(mcphost_call_get_result(call), NULL), "\"who\""));
    ck_assert_int_eq(n_asked, 0);
    down();
}
END_TEST

START_TEST(a_task_can_be_read_updated_and_cancelled_by_single_calls)
{
    mcphost_result *result;
    mcphost_call *call;

    up(MODERN,
       "on tasks/get\n " NEW(
           "working", "") "\non tasks/update\n result {}\non tasks/cancel\n result {}\n");
    ck_assert_int_eq(mcphost_call_new_get_task(d, "a", "t-1", &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    result = mcphost_call_get_result(call);
    ck_assert_uint_eq(mcphost_result_count_items(result), 0);
    ck_assert_ptr_nonnull(strstr(mcphost_result_get_json(result, NULL), "\"working\""));
    ck_assert_int_eq(mcphost_call_get_task_status(call), MCPHOST_TASK_WORKING);
    ck_assert_int_eq(mcphost_call_get_task_interval(call), 60);
    ck_assert_int_eq(
        mcphost_call_new_update_task(d, "a", "t-1", " {\"q\":{}} ", 10, &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(count("\"taskId\":\"t-1\",\"inputResponses\":{\"q\":{}}"), 1);
    ck_assert_int_eq(mcphost_call_new_cancel_task(d, "a", "t-1", &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(count("tasks/cancel"), 1);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "task");

    tcase_add_test(tc, a_task_is_one_call_to_the_application);
    tcase_add_test(tc, a_legacy_tool_that_requires_a_task_runs_as_a_task);
    tcase_add_test(tc, a_legacy_tool_with_optional_tasks_runs_as_a_task_only_on_request);
    tcase_add_test(tc, a_legacy_server_without_tasks_is_asked_for_no_task);
    tcase_add_test(tc, a_task_that_fails_ends_the_call_with_its_error);
    tcase_add_test(tc, a_task_result_with_is_error_ends_the_call_with_a_result);
    tcase_add_loop_test(tc, a_task_that_the_server_cancels_ends_the_call, 0, 2);
    tcase_add_loop_test(tc, a_call_that_is_cancelled_cancels_its_task, 0, 2);
    tcase_add_test(tc, a_request_during_tasks_cancel_belongs_to_no_call);
    tcase_add_test(tc, closing_a_dialog_does_not_cancel_its_task);
    tcase_add_test(tc, a_task_that_exceeds_the_maximum_time_of_its_call_is_cancelled);
    tcase_add_test(tc, a_call_times_out_when_the_ttl_of_its_task_is_over);
    tcase_add_test(tc, with_task_timeout_0_tasks_are_not_offered);
    tcase_add_test(tc, a_question_of_a_task_is_raised_and_answered_once);
    tcase_add_test(tc, a_legacy_task_can_send_a_request_during_tasks_result);
    tcase_add_test(tc, a_task_whose_question_is_refused_is_cancelled);
    tcase_add_test(tc, a_task_outlives_its_server_process);
    tcase_add_test(tc, a_lost_tasks_get_does_not_end_the_call);
    tcase_add_loop_test(tc, an_unfinished_task_does_not_hold_a_drain, 0, 2);
    tcase_add_loop_test(tc, a_task_is_resumed_by_its_id, 0, 2);
    tcase_add_test(tc, an_invalid_resume_of_a_task_is_refused);
    tcase_add_test(tc, a_notification_makes_the_host_read_the_task_early);
    tcase_add_test(tc, a_legacy_notification_makes_the_host_read_the_task_early);
    tcase_add_test(tc, many_notifications_do_not_delay_the_next_tasks_get);
    tcase_add_test(tc, the_id_of_a_task_is_in_no_error_and_no_log_line);
    tcase_add_test(tc, a_server_that_refuses_to_announce_tasks_is_polled);
    tcase_add_loop_test(tc, an_invalid_task_in_the_first_answer_fails_the_call, 0, 6);
    tcase_add_loop_test(tc, an_invalid_task_in_an_answer_to_tasks_get_fails_the_call, 0,
                        5);
    tcase_add_loop_test(tc, a_task_that_ends_twice_ends_its_call_once, 0, 2);
    tcase_add_loop_test(tc, a_task_with_an_interval_of_0_is_polled_with_pauses, 0, 2);
    tcase_add_test(tc, a_single_tasks_get_shows_a_question_without_raising_it);
    tcase_add_test(tc, a_task_can_be_read_updated_and_cancelled_by_single_calls);
}

int
main(void)
{
    return test_main("host-task", add);
}
