/* SPDX-License-Identifier: MIT
 *
 * test_http_task.c - tasks of HTTP servers in both eras.
 *
 * Each test with a modern server also tests the header Mcp-Name, because the fake server
 * refuses a modern request for a task if Mcp-Name is not the task's id.
 */
#include <stdio.h>
#include <string.h>

#include "support/httprig.h"
#include "support/tasks.h"

static struct hostrig hr, later;
static struct httprig web;
static mcphost_dialog *d;
static int n_asked;

#define SHARED     "truely-stateless: true"
#define LOOK       "on tasks/get"
#define IS(status) "\n result {" OLD(status) "}\n"

/* Scripts for a legacy server and for a modern server, in this order. */
static const char *const begun[] = {LEGACY OLD_BEGUN, MODERN BEGUN};
static const char *const working[] = {"\n result {" OLD("working") "}\n",
                                      "\n " NEW("working", "")};
static const char *const done[] = {
    "\n result {" OLD("completed") "}\non tasks/result\n text built\n",
    "\n " NEW("completed", DONE("built"))};

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_REQUEST ||
        mcphost_event_get_state(event) == 0)
        return;
    n_asked++;
    ck_assert_int_eq(mcphost_request_respond(mcphost_event_get_request(event),
                                             "{\"user\":\"mina\"}", 15, NULL),
                     0);
}

static void
up(const char *keys, const char *script)
{
    n_asked = 0;
    hr_up(&hr);
    hr.on_event = on_event;
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM);
    hr_http(&hr, &web, "a", keys, script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

/* Starts a host.  `first` and `second` are the server's answers to the first two
 * tasks/get.  After these answers the task is completed. */
static void
up_with_polls(int era, const char *keys, const char *first, const char *second)
{
    char script[4096];

    snprintf(script, sizeof(script), "%s" LOOK " 1%s" LOOK " 2%s" LOOK "%s", begun[era],
             first, second, done[era]);
    up(keys, script);
}

/* Counts requests of this method by their bodies, because modern headers repeat the
 * method. */
static int
sent(const char *method)
{
    char text[64];

    snprintf(text, sizeof(text), "\"method\":\"%s\"", method);
    return hr_traced(&hr, "a", text);
}

static mcphost_call *
resume(struct hostrig *rig, mcphost_dialog *dialog)
{
    mcphost_call *call;

    ck_assert_int_eq(mcphost_call_resume_task(dialog, "a", "t-1", &call, NULL), 0);
    rig->calls[rig->n_calls++] = call;
    hr_go(call);
    return call;
}

START_TEST(modern_requests_for_a_task_have_its_id_in_mcp_name)
{
    up_with_polls(_i, _i ? SHARED : NULL, working[_i], working[_i]);
    ck_assert_str_eq(hr_say(&hr, d, "a_build", "{}"), "built");
    ck_assert_int_eq(sent("tasks/get"), 3);
    ck_assert_int_eq(sent("tasks/result"), _i ? 0 : 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "h mcp-method: tasks/get"), _i ? 3 : 0);
    ck_assert_int_eq(hr_traced(&hr, "a", "h mcp-name: t-1"), _i ? 3 : 0);
    ck_assert_int_eq(hr_traced(&hr, "a", "refused Mcp-"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(the_answer_to_a_modern_tasks_request_has_the_task_id_in_mcp_name)
{
    up_with_polls(1, SHARED, "\n " NEW("input_required", ASK),
                  "\n " NEW("working", "") "on tasks/update\n result {\"resultType\":"
                                           "\"complete\"}\n");
    ck_assert_str_eq(hr_say(&hr, d, "a_build", "{}"), "built");
    ck_assert_int_eq(n_asked, 1);
    ck_assert_int_eq(sent("tasks/update"), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "\"who\":{\"action\":\"accept\""), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "h mcp-name: t-1"), 4);
    hr_down(&hr);
}
END_TEST

/* The request arrives on the stream that also carries the answer to tasks/result. */
START_TEST(a_request_on_the_stream_of_tasks_result_is_answered)
{
    up(NULL, LEGACY OLD_BEGUN LOOK IS(
                 "input_required") "on tasks/result\n"
                                   " ask elicitation/create "
                                   "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":"
                                   "\"object\",\"properties\":{\"user\":{\"type\":"
                                   "\"string\"}}}}\n text %r\n");
    test_has(hr_say(&hr, d, "a_build", "{}"), "mina");
    ck_assert_int_eq(n_asked, 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_call_that_is_cancelled_cancels_its_task)
{
    mcphost_call *call;
    char script[2048];

    snprintf(script, sizeof(script),
             "%s" LOOK "%son tasks/cancel\n result {\"resultType\":\"complete\"," OLD(
                 "cancelled") "}\n",
             begun[_i], working[_i]);
    up(_i ? SHARED : NULL, script);
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, mcphost_call_get_task_id(call));
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, sent("tasks/cancel") == 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "refused Mcp-"), 0);
    hr_down(&hr);
}
END_TEST

/* ---- status notices ---------------------------------------------------------------- */

#define SELDOM                                                               \
    "\"taskId\":\"t-1\",\"status\":\"working\",\"ttl\":null,\"ttlMs\":null," \
    "\"pollInterval\":3600000,\"pollIntervalMs\":3600000"

START_TEST(a_status_notice_on_the_sessions_stream_ends_the_wait_early)
{
    up(NULL, LEGACY
       "on call:build\n result {\"task\":{" SELDOM "}}\n"
       "on tasks/get\n result {" OLD(
           "completed") "}\n"
                        "on tasks/result\n text built\n"
                        "on get\n stream\n delay 300\n notify notifications/tasks/status "
                        "{\"taskId\":\"t-1\"}\n");
    ck_assert_str_eq(hr_say(&hr, d, "a_build", "{}"), "built");
    ck_assert_int_eq(sent("tasks/get"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_status_notice_on_a_subscription_ends_the_wait_early)
{
    up(SHARED, MODERN
       "on call:build\n result {\"resultType\":\"task\"," SELDOM "}\n" LOOK "\n " NEW(
           "completed", DONE("built")) "on subscriptions/listen 2\n answer\n delay 50\n "
                                       "notify notifications/tasks "
                                       "{\"_meta\":{\"io.modelcontextprotocol/"
                                       "subscriptionId\":\"listen:2\"},"
                                       "\"taskId\":\"t-1\",\"status\":\"completed\"}\n");
    ck_assert_str_eq(hr_say(&hr, d, "a_build", "{}"), "built");
    ck_assert_int_eq(hr_traced(&hr, "a", "\"taskIds\":[\"t-1\"]"), 1);
    ck_assert_int_eq(sent("tasks/get"), 1);
    hr_down(&hr);
}
END_TEST

/* ---- tasks that outlive a connection ----------------------------------------------- */

START_TEST(a_task_outlives_its_host)
{
    mcphost_call *call;

    up_with_polls(_i, _i ? SHARED : NULL, working[_i], working[_i]);
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, mcphost_call_get_task_id(call));
    hr_close(&hr);
    ck_assert_int_eq(sent("tasks/cancel"), 0);
    hr_up(&later);
    hr_url(&later, "a", web.url, _i ? SHARED : NULL);
    hr_load(&later);
    call = resume(&later, hr_dialog(&later, "other"));
    ck_assert_msg(hr_end(&later, call) == 0, "%s", hr_why(call));
    ck_assert_str_eq(hr_text(&later, call), "built");
    ck_assert_int_eq(sent("tools/call"), 1);
    hr_down(&later);
    hr_clear(&hr);
}
END_TEST

START_TEST(a_task_outlives_its_session)
{
    up_with_polls(0, NULL, "\n forget\n status 404\n body gone", working[0]);
    ck_assert_str_eq(hr_say(&hr, d, "a_build", "{}"), "built");
    ck_assert_int_eq(sent("tools/call"), 1);
    ck_assert_int_ge(sent("initialize"), 2);
    hr_down(&hr);
}
END_TEST

/* The host sends tasks/get again, because tasks/get has no effects. */
START_TEST(a_tasks_get_that_fails_is_sent_again)
{
    static const char *const ends[] = {"\n reset\n", "\n status 503\n body busy\n"};

    up_with_polls(_i / 2, _i / 2 ? SHARED : NULL, ends[_i % 2], ends[_i % 2]);
    ck_assert_str_eq(hr_say(&hr, d, "a_build", "{}"), "built");
    ck_assert_int_eq(sent("tools/call"), 1);
    ck_assert_int_ge(sent("tasks/get"), 3);
    hr_down(&hr);
}
END_TEST

START_TEST(a_task_outlives_its_web_server)
{
    mcphost_call *call;

    up_with_polls(_i, _i ? SHARED : NULL, working[_i], working[_i]);
    call = hr_start(&hr, d, "a_build", "{}");
    hr_until(&hr, sent("tasks/get") > 0);
    http_again(&web);
    ck_assert_msg(hr_end(&hr, call) == 0, "%s", hr_why(call));
    ck_assert_str_eq(hr_text(&hr, call), "built");
    ck_assert_int_eq(sent("tools/call"), 1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "requests");

    tcase_add_loop_test(tc, modern_requests_for_a_task_have_its_id_in_mcp_name, 0, 2);
    tcase_add_test(tc, the_answer_to_a_modern_tasks_request_has_the_task_id_in_mcp_name);
    tcase_add_test(tc, a_request_on_the_stream_of_tasks_result_is_answered);
    tcase_add_loop_test(tc, a_call_that_is_cancelled_cancels_its_task, 0, 2);
    tc = test_case(suite, "notices");
    tcase_add_test(tc, a_status_notice_on_the_sessions_stream_ends_the_wait_early);
    tcase_add_test(tc, a_status_notice_on_a_subscription_ends_the_wait_early);
    tc = test_case(suite, "outlives");
    tcase_add_loop_test(tc, a_task_outlives_its_host, 0, 2);
    tcase_add_test(tc, a_task_outlives_its_session);
    tcase_add_loop_test(tc, a_tasks_get_that_fails_is_sent_again, 0, 4);
    tcase_add_loop_test(tc, a_task_outlives_its_web_server, 0, 2);
    tcase_set_timeout(tc, 30);
}

int
main(void)
{
    return test_main("http-task", add);
}
