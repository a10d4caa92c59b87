/* SPDX-License-Identifier: MIT
 *
 * test_client_rounds.c - calls that a modern server answers with a request for input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define FORM                                                                       \
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\","         \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"user\":{\"type\":" \
    "\"string\"}}}}}"
#define META                                                                           \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","           \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"chost\",\"version\":\"0.3\"}," \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"roots\":{},\"elicitation\":{"   \
    "\"form\":{}}}"
#define CALL(id, more)                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{" \
    "\"name\":\"alpha\",\"arguments\":{\"x\":1}" more "," META "}}}"

static struct cr_call a, b;

static void
up(void)
{
    cr_up();
    cr_call_init(&a, 1, "alpha", "{\"x\":1}");
    cr_call_init(&b, 2, "beta", NULL);
    cr.spec.questions = MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_ROOTS;
}

static void
meet(void)
{
    cr.spec.era = MCPH_CLIENT_MODERN;
    cr_start();
    cr_sent();
    cr_say(CR_DISCOVERED("1"));
    ck_assert_int_eq(cr.ready, 1);
}

static void
start(struct cr_call *call)
{
    cr_call_go(call);
    cr_next();
}

/* Answers request `id`, as the server, with a request for input that has these
 * members. */
static void
asked(int id, const char *members)
{
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"resultType\":\"input_required\""
           "%s}}",
           id, members);
}

static void
finish(int id)
{
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"resultType\":\"complete\","
           "\"content\":[]}}",
           id);
}

/* ---- rounds ------------------------------------------------------------------------ */

/* MCP 2026-07-28, Multi round-trip requests. */
START_TEST(the_call_is_sent_again_with_answers_and_state_under_a_new_id)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"who\":" FORM "},\"requestState\":\"v1.opaque\"");
    ck_assert_int_eq(cr.asked, 1);
    ck_assert_ptr_eq(cr.questions[0]->op, &a.call);
    cr_expect_nothing();
    cr_question_answer(0, "{\"action\":\"accept\",\"content\":{\"user\":\"mina\"}}");
    cr_expect(CALL("2", ",\"inputResponses\":{\"who\":{\"action\":\"accept\",\"content\":"
                        "{\"user\":\"mina\"}}},\"requestState\":\"v1.opaque\""));
    finish(2);
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(cr.over, 0);
}
END_TEST

START_TEST(the_request_state_is_sent_back_byte_by_byte)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"\\u0077\":{\"method\":\"roots/list\"}},"
             "\"requestState\":\"\\u00e4ä\\/\\ud83d\\ude00\\u0000\\ud800\"");
    cr_question_answer(0, "{\"roots\":[]}");
    cr_expect(CALL("2", ",\"inputResponses\":{\"\\u0077\":{\"roots\":[]}},"
                        "\"requestState\":\"\\u00e4ä\\/\\ud83d\\ude00\\u0000\\ud800\""));
}
END_TEST

START_TEST(without_a_request_state_none_is_sent_back)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"r\":{\"method\":\"roots/list\",\"params\":{}}}");
    cr_question_answer(0, "{\"roots\":[]}");
    cr_expect(CALL("2", ",\"inputResponses\":{\"r\":{\"roots\":[]}}"));
}
END_TEST

START_TEST(answers_and_state_are_those_of_the_latest_round)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"r\":{\"method\":\"roots/list\"}},"
             "\"requestState\":\"one\"");
    cr_question_answer(0, "{\"roots\":[]}");
    cr_sent();
    asked(2, ",\"inputRequests\":{\"s\":" FORM "}");
    cr_question_answer(1, "{\"action\":\"decline\"}");
    cr_expect(CALL("3", ",\"inputResponses\":{\"s\":{\"action\":\"decline\"}}"));
    finish(3);
    ck_assert_int_eq(a.code, 0);
}
END_TEST

START_TEST(the_answers_to_several_questions_are_sent_together)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"r\":{\"method\":\"roots/list\"},\"s\":" FORM "}");
    ck_assert_int_eq(cr.asked, 2);
    cr_question_answer(1, "{\"action\":\"cancel\"}");
    cr_expect_nothing();
    cr_question_answer(0, "{\"roots\":[]}");
    cr_expect(CALL("2", ",\"inputResponses\":{\"r\":{\"roots\":[]},"
                        "\"s\":{\"action\":\"cancel\"}}"));
}
END_TEST

START_TEST(after_a_round_without_questions_the_call_is_sent_again_in_250_ms)
{
    meet();
    start(&a);
    asked(1, ",\"requestState\":\"s\"");
    cr_advance(249);
    cr_expect_nothing();
    cr_advance(1);
    cr_expect(CALL("2", ",\"requestState\":\"s\""));
    finish(2);
    ck_assert_int_eq(a.code, 0);
}
END_TEST

START_TEST(a_call_fails_after_ten_rounds)
{
    meet();
    start(&a);
    for (int id = 1; id <= 10; id++) {
        asked(id, ",\"requestState\":\"s\"");
        cr_advance(250);
        cr_next();
    }
    ck_assert_int_eq(a.done, 0);
    asked(11, ",\"requestState\":\"s\"");
    cr_call_failed(&a, MCPHOST_E_LIMIT, "too many times");
    cr_advance(1000);
    cr_expect_nothing();
}
END_TEST

START_TEST(each_round_has_the_meta_and_a_progress_token)
{
    a.call.meta = mcph_span_str("{\"k\":1}");
    cr_call_progress(&a);
    meet();
    start(&a);
    asked(1, ",\"requestState\":\"s\"");
    cr_advance(250);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"alpha\",\"arguments\":{\"x\":1},\"requestState\":\"s\"," META
              ",\"progressToken\":2,\"k\":1}}}");
}
END_TEST

START_TEST(other_calls_run_while_a_question_is_open)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"s\":" FORM "}");
    start(&b);
    finish(2);
    ck_assert_int_eq(b.done, 1);
    ck_assert_int_eq(a.done, 0);
}
END_TEST

/* Each of 64 calls waits for an elicitation.  Then the test answers all elicitations. */
START_TEST(many_calls_may_wait_for_answers_at_once)
{
    static struct cr_call many[64];

    meet();
    for (int i = 0; i < 64; i++) {
        cr_call_init(&many[i], i, "t", NULL);
        start(&many[i]);
    }
    for (int i = 0; i < 64; i++)
        asked(i + 1, ",\"inputRequests\":{\"s\":" FORM "}");
    ck_assert_int_eq(cr.asked, 64);
    for (int i = 63; i >= 0; i--) {
        cr_question_answer(i, "{\"action\":\"decline\"}");
        cr_next();
    }
    for (int i = 0; i < 64; i++)
        finish(65 + i);
    for (int i = 0; i < 64; i++) {
        ck_assert_int_eq(many[i].done, 1);
        ck_assert_int_eq(many[i].code, 0);
        cr_call_done(&many[i]);
    }
}
END_TEST

/* ---- invalid requests for input ---------------------------------------------------- */

static const char *const bad[] = {
    "",
    ",\"inputRequests\":[]",
    ",\"inputRequests\":{\"r\":1}",
    ",\"inputRequests\":{\"r\":{\"method\":\"sampling/createMessage\",\"params\":"
    "{\"messages\":[],\"maxTokens\":1}}}",
    ",\"inputRequests\":{\"r\":{\"method\":\"tools/call\",\"params\":{}}}",
    ",\"inputRequests\":{\"s\":" FORM ",\"r\":{\"method\":\"elicitation/create\","
    "\"params\":{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x.example/\"}}}",
    ",\"requestState\":1",
};

START_TEST(an_invalid_request_for_input_fails_the_call)
{
    meet();
    start(&a);
    asked(1, bad[_i]);
    cr_call_failed(&a, MCPHOST_E_PROTOCOL, "asked for input during the call of 'alpha'");
    ck_assert_int_eq(cr.asked, 0);
    cr_advance(1000);
    cr_expect_nothing();
}
END_TEST

START_TEST(a_request_for_input_in_answer_to_a_list_fails_the_list)
{
    meet();
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    asked(1, ",\"requestState\":\"s\"");
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(cr.list_error), "this method does not allow"));
}
END_TEST

START_TEST(a_refused_question_for_roots_fails_the_call)
{
    struct mcph_client_question *q;

    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"r\":{\"method\":\"roots/list\"},\"s\":" FORM "}");
    q = cr.questions[0];
    cr.questions[0] = NULL;
    mcph_client_question_refuse(q, -1, "the user said no");
    cr_call_failed(&a, MCPHOST_E_DENIED, "the user said no");
    ck_assert_int_eq(cr.over, 1); /* the question "s" is over */
    ck_assert_ptr_null(cr.questions[1]);
    cr_advance(1000);
    cr_expect_nothing();
}
END_TEST

/* ---- time -------------------------------------------------------------------------- */

START_TEST(an_open_question_stops_the_clock_of_its_call)
{
    meet();
    start(&a); /* the timeout of `a` is 60 s */
    cr_advance(50000);
    asked(1, ",\"inputRequests\":{\"s\":" FORM "}");
    cr_advance(500000);
    ck_assert_int_eq(a.done, 0);
    cr_question_answer(0, "{\"action\":\"decline\"}");
    cr_advance(9999);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "in time");
}
END_TEST

START_TEST(the_hard_deadline_counts_over_all_rounds)
{
    a.call.max_ms = 70000;
    meet();
    start(&a);
    cr_advance(50000);
    asked(1, ",\"inputRequests\":{\"s\":" FORM "}");
    cr_advance(19999);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "the application did not answer in time");
    ck_assert_int_eq(cr.over, 1);
}
END_TEST

START_TEST(an_unanswered_form_is_cancelled_at_its_deadline)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"s\":" FORM "}");
    cr_advance(600000);
    ck_assert_int_eq(cr.over, 1);
    cr_expect(CALL("2", ",\"inputResponses\":{\"s\":{\"action\":\"cancel\"}}"));
}
END_TEST

START_TEST(an_unanswered_question_for_roots_fails_the_call)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"r\":{\"method\":\"roots/list\"}}");
    cr_advance(600000);
    cr_call_failed(&a, MCPHOST_E_DENIED, "the application did not answer in time");
}
END_TEST

START_TEST(pauses_between_rounds_count_toward_the_timeout)
{
    a.call.timeout_ms = 600;
    meet();
    start(&a);
    asked(1, ",\"requestState\":\"s\"");
    cr_advance(250);
    asked(2, ",\"requestState\":\"s\"");
    cr_advance(250);
    cr_advance(99);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "in time");
}
END_TEST

/* ---- questions of a task ----------------------------------------------------------- */

/* Starts tasks/get as `call`, and answers the request with this id as a task that asks
 * these questions. */
static void
task_asks(struct cr_call *call, struct mcph_vec *answered, int id, const char *questions)
{
    cr_call_init(call, id, "t-1", NULL);
    call->call.method = &mcph_methods[MCPH_METHOD_GET_TASK];
    call->call.answered = answered;
    start(call);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"resultType\":\"complete\","
           "\"taskId\":\"t-1\",\"status\":\"input_required\",\"inputRequests\":{%s}}}",
           id, questions);
}

/* The names of two questions may begin with the same bytes before a NUL.  JSON may spell
 * one name in several ways. */
START_TEST(a_task_is_answered_once_under_each_name)
{
    static struct cr_call first, second, third;
    struct mcph_vec answered = {0};

    cr_meet(true, "{\"tools\":{},\"tasks\":{}}");
    task_asks(&first, &answered, 1, "\"a\\u0000b\":" FORM);
    ck_assert_int_eq(cr.asked, 1);
    cr_question_answer(0, "{\"action\":\"decline\"}");
    test_has(cr_next(), "\"inputResponses\":{\"a\\u0000b\":{\"action\":\"decline\"}}");
    finish(2);
    ck_assert_int_eq(first.done, 1);
    ck_assert_int_eq(first.code, 0);
    task_asks(&second, &answered, 3, "\"\\u0061\\u0000b\":" FORM ",\"a\":" FORM);
    ck_assert_int_eq(cr.asked, 2);
    cr_question_answer(1, "{\"action\":\"cancel\"}");
    test_has(cr_next(), "\"inputResponses\":{\"a\":{\"action\":\"cancel\"}}");
    finish(4);
    ck_assert_int_eq(second.done, 1);
    task_asks(&third, &answered, 5, "\"a\":" FORM ",\"a\\u0000b\":" FORM);
    ck_assert_int_eq(cr.asked, 2);
    ck_assert_int_eq(third.done, 1);
    cr_expect_nothing();
    for (size_t i = 0; i < answered.n; i++)
        free(answered.items[i]);
    mcph_vec_done(&answered);
}
END_TEST

/* ---- the end of calls -------------------------------------------------------------- */

/* Answers the first question with a text that does not fit into the send queue. */
static void
answer_too_much(void)
{
    static char text[3000];

    snprintf(text, sizeof(text),
             "{\"action\":\"accept\",\"content\":{\"user\":\"%02900d\"}}", 0);
    mcph_memory_set_queue_max(cr.transport, 2000);
    cr_question_answer(0, text);
}

START_TEST(a_call_that_cannot_be_sent_again_makes_room_for_the_next)
{
    const char *line;

    cr.spec.max_in_flight = 1;
    meet();
    start(&a);
    ck_assert_int_eq(cr_call_start(&b), 0);
    asked(1, ",\"inputRequests\":{\"s\":" FORM "}");
    cr_expect_nothing();
    answer_too_much();
    cr_call_failed(&a, MCPHOST_E_LIMIT, "does not read");
    line = cr_sent();
    ck_assert_ptr_nonnull(line);
    ck_assert_ptr_nonnull(strstr(line, "beta"));
}
END_TEST

static int freed;

static void
free_call(struct mcph_operation *call, const struct mcph_client_answer *answer)
{
    ck_assert_int_eq(answer->code, MCPHOST_E_LIMIT);
    freed++;
    free(call);
}

/* The sanitizers report any use of the freed call by the client. */
START_TEST(a_call_that_cannot_be_sent_again_may_be_freed)
{
    struct mcph_operation *call = calloc(1, sizeof(*call));

    ck_assert_ptr_nonnull(call);
    *call = a.call;
    call->done = free_call;
    freed = 0;
    meet();
    ck_assert_int_eq(mcph_operation_start(cr.client, call, NULL), 0);
    cr_turn();
    asked(1, ",\"inputRequests\":{\"s\":" FORM "}");
    answer_too_much();
    ck_assert_int_eq(freed, 1);
}
END_TEST

START_TEST(a_cancelled_call_sends_nothing_more)
{
    meet();
    start(&a);
    asked(1, _i == 0 ? ",\"inputRequests\":{\"s\":" FORM "}" : ",\"requestState\":\"s\"");
    mcph_operation_cancel(&a.call, NULL);
    ck_assert_int_eq(cr.over, _i == 0);
    cr_advance(1000);
    cr_expect_nothing();
    ck_assert_uint_eq(cr_open(), 0);
}
END_TEST

START_TEST(the_end_of_the_connection_ends_the_call_and_its_questions)
{
    meet();
    start(&a);
    asked(1, ",\"inputRequests\":{\"s\":" FORM ",\"r\":{\"method\":\"roots/list\"}}");
    cr_die("gone", NULL);
    ck_assert_str_eq(cr.story, "ready asked asked over over done:1 down ");
    ck_assert_int_eq(a.code, MCPHOST_E_TRANSPORT);
}
END_TEST

START_TEST(the_client_may_be_freed_when_a_round_begins_or_ends)
{
    meet();
    start(&a);
    cr.free_in_event = _i == 0;
    asked(1, ",\"inputRequests\":{\"s\":" FORM ",\"r\":{\"method\":\"roots/list\"}}");
    cr.free_in_event = true;
    if (_i == 1)
        mcph_operation_cancel(&a.call, NULL);
    if (_i == 2)
        cr_advance(600000);
    if (_i == 3)
        cr_die("gone", NULL);
    ck_assert_ptr_null(cr.client);
    ck_assert_int_eq(a.done, 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "rounds");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, the_call_is_sent_again_with_answers_and_state_under_a_new_id);
    tcase_add_test(tc, the_request_state_is_sent_back_byte_by_byte);
    tcase_add_test(tc, without_a_request_state_none_is_sent_back);
    tcase_add_test(tc, answers_and_state_are_those_of_the_latest_round);
    tcase_add_test(tc, the_answers_to_several_questions_are_sent_together);
    tcase_add_test(tc, after_a_round_without_questions_the_call_is_sent_again_in_250_ms);
    tcase_add_test(tc, a_call_fails_after_ten_rounds);
    tcase_add_test(tc, each_round_has_the_meta_and_a_progress_token);
    tcase_add_test(tc, other_calls_run_while_a_question_is_open);
    tcase_add_test(tc, many_calls_may_wait_for_answers_at_once);
    tcase_add_loop_test(tc, an_invalid_request_for_input_fails_the_call, 0,
                        (int)MCPH_ARRAY_SIZE(bad));
    tcase_add_test(tc, a_request_for_input_in_answer_to_a_list_fails_the_list);
    tcase_add_test(tc, a_refused_question_for_roots_fails_the_call);
    tcase_add_test(tc, an_open_question_stops_the_clock_of_its_call);
    tcase_add_test(tc, the_hard_deadline_counts_over_all_rounds);
    tcase_add_test(tc, an_unanswered_form_is_cancelled_at_its_deadline);
    tcase_add_test(tc, an_unanswered_question_for_roots_fails_the_call);
    tcase_add_test(tc, pauses_between_rounds_count_toward_the_timeout);
    tcase_add_test(tc, a_task_is_answered_once_under_each_name);
    tcase_add_test(tc, a_call_that_cannot_be_sent_again_makes_room_for_the_next);
    tcase_add_test(tc, a_call_that_cannot_be_sent_again_may_be_freed);
    tcase_add_loop_test(tc, a_cancelled_call_sends_nothing_more, 0, 2);
    tcase_add_test(tc, the_end_of_the_connection_ends_the_call_and_its_questions);
    tcase_add_loop_test(tc, the_client_may_be_freed_when_a_round_begins_or_ends, 0, 4);
}

int
main(void)
{
    return test_main("client-rounds", add);
}
