/* SPDX-License-Identifier: MIT
 *
 * test_connection_asks.c - questions of a provider to its client in the course of a call.
 *
 * A legacy client gets each question as a request.  A modern client gets the questions in
 * an answer.  Then the modern client sends the call again.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "servrig.h"
#include "support/runner.h"

#define ASK(id, method, params)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"
#define CALL(id)         ASK(id, "tools/call", "\"name\":\"ask\"")
#define ANSWER(id, what) "{\"jsonrpc\":\"2.0\",\"id\":" id "," what "}"
#define TEXT(id, text)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":" \
    "\"text\",\"text\":\"" text "\"}]}}"
#define SAMPLING "{\"messages\":[],\n \"maxTokens\":5}"

static void
wants(int kind, const char *params)
{
    sv.ask_kind = kind;
    sv.ask_params = params;
}

/* ---- legacy ------------------------------------------------------------------------ */

START_TEST(a_legacy_client_is_asked_by_a_request)
{
    static const struct {
        int kind;
        const char *params, *capabilities, *sent;
    } rows[] = {
        {MCPHOST_REQUEST_SAMPLING, SAMPLING, "{\"sampling\":{}}",
         "\"sampling/createMessage\",\"params\":{\"messages\":[],  \"maxTokens\":5}"},
        {MCPHOST_REQUEST_SAMPLING, "{\"maxTokens\":5,\"messages\":[],\"tools\":[]}",
         "{\"sampling\":{\"tools\":{}}}",
         "\"sampling/createMessage\",\"params\":{\"maxTokens\":5,\"messages\":[],"
         "\"tools\":[]}"},
        {MCPHOST_REQUEST_ROOTS, NULL, "{\"roots\":{\"listChanged\":true}}",
         "\"roots/list\",\"params\":{}"},
        {MCPHOST_REQUEST_FORM, "{ \"message\":\"m\",\"requestedSchema\":{} }",
         "{\"elicitation\":{}}",
         "\"elicitation/create\",\"params\":{\"message\":\"m\",\"requestedSchema\":{} }"},
        {MCPHOST_REQUEST_FORM, "{\"message\":\"m\"}", "{\"elicitation\":{\"form\":{}}}",
         "\"elicitation/create\",\"params\":{\"message\":\"m\"}"},
        {MCPHOST_REQUEST_URL, "{\"message\":\"m\",\"url\":\"https://x/\"}",
         "{\"elicitation\":{\"url\":{}}}",
         "\"elicitation/create\",\"params\":{\"mode\":\"url\",\"elicitationId\":"
         "\"url-1\",\"message\":\"m\",\"url\":\"https://x/\"}"},
        {MCPHOST_REQUEST_URL, "{\"mode\":\"url\",\"elicitationId\":\"e\"}",
         "{\"elicitation\":{\"form\":{},\"url\":{}}}",
         "\"elicitation/create\",\"params\":{\"mode\":\"url\",\"elicitationId\":\"e\"}"},
    };

    wants(rows[_i].kind, rows[_i].params);
    sv_legacy("2025-11-25", rows[_i].capabilities);
    sv_say(CALL("7"));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":%s}", rows[_i].sent);
    sv_say(ANSWER("1", "\"result\":{\"x\":[1]}"));
    ck_assert_int_eq(sv.asked, 1);
    ck_assert_int_eq(sv.ask_code, 0);
    ck_assert_str_eq(sv.answer, "{\"x\":[1]}");
    sv_expect(TEXT("7", "asked"));
}
END_TEST

START_TEST(a_question_that_the_client_has_not_declared_is_denied)
{
    static const struct {
        int kind;
        const char *params, *capabilities;
    } rows[] = {
        {MCPHOST_REQUEST_SAMPLING, SAMPLING, "{\"roots\":{},\"elicitation\":{}}"},
        {MCPHOST_REQUEST_SAMPLING, SAMPLING, "{\"sampling\":true}"},
        {MCPHOST_REQUEST_ROOTS, NULL, "{\"sampling\":{},\"elicitation\":{}}"},
        {MCPHOST_REQUEST_URL, "{}", "{\"elicitation\":{}}"},
        {MCPHOST_REQUEST_URL, "{}", "{\"elicitation\":{\"form\":{}}}"},
        {MCPHOST_REQUEST_FORM, "{}", "{\"elicitation\":{\"url\":{}}}"},
    };

    wants(rows[_i].kind, rows[_i].params);
    sv_legacy("2025-11-25", rows[_i].capabilities);
    sv_say(CALL("7"));
    ck_assert_int_eq(sv.ask_refused, MCPHOST_E_DENIED);
    test_has(sv_next(), "refused");
    sv_silence();
}
END_TEST

START_TEST(sampling_with_tools_needs_the_capability_sampling_tools)
{
    wants(MCPHOST_REQUEST_SAMPLING, "{\"messages\":[],\"maxTokens\":1,\"tools\":[]}");
    sv_legacy("2025-11-25", "{\"sampling\":{}}");
    sv_say(CALL("7"));
    ck_assert_int_eq(sv.asked, 1);
    ck_assert_int_eq(sv.ask_code, MCPHOST_E_DENIED);
    sv_expect(TEXT("7", "asked"));
}
END_TEST

/* R172 */
START_TEST(a_refused_question_fails_with_the_clients_message)
{
    wants(MCPHOST_REQUEST_SAMPLING, SAMPLING);
    sv_legacy("2025-11-25", "{\"sampling\":{}}");
    sv_say(CALL("7"));
    (void)sv_next();
    sv_say(ANSWER("1", "\"error\":{\"code\":-1,\"message\":\"the user said no\"}"));
    ck_assert_int_eq(sv.ask_code, MCPHOST_E_RPC);
    test_has(sv.ask_error, "the user said no");
    sv_say(ANSWER("1", "\"result\":{}")); /* dropped, because the question has ended */
    sv_expect(TEXT("7", "asked"));
    sv_silence();
}
END_TEST

START_TEST(an_invalid_answer_fails_the_question)
{
    wants(MCPHOST_REQUEST_SAMPLING, SAMPLING);
    sv_legacy("2025-11-25", "{\"sampling\":{}}");
    sv_say(CALL("7"));
    (void)sv_next();
    sv_say(ANSWER("1", "%s"), _i == 0 ? "\"result\":7" : "\"error\":7");
    ck_assert_int_eq(sv.ask_code, MCPHOST_E_PROTOCOL);
    sv_expect(TEXT("7", "asked"));
}
END_TEST

START_TEST(a_question_times_out_after_ask_ms_and_stops_the_clock_of_its_call)
{
    sv.spec.ask_ms = 5000;
    sv.spec.request_ms = 1000;
    wants(MCPHOST_REQUEST_SAMPLING, SAMPLING);
    sv_legacy("2025-11-25", "{\"sampling\":{}}");
    sv_say(ASK("7", "tools/call", "\"name\":\"ask\""));
    (void)sv_next();
    sv_advance(4999);
    sv_silence();
    sv_advance(1);
    sv_expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":1,\"reason\":\"timed out\"}}");
    ck_assert_int_eq(sv.ask_code, MCPHOST_E_TIMEOUT);
    sv_expect(TEXT("7", "asked"));
}
END_TEST

START_TEST(the_end_of_a_call_cancels_its_questions)
{
    wants(MCPHOST_REQUEST_SAMPLING, SAMPLING);
    sv_legacy("2025-11-25", "{\"sampling\":{}}");
    sv_say(CALL("7"));
    (void)sv_next();
    if (_i == 0) {
        sv_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
               "\"requestId\":7}}");
    } else {
        sv_answer(0, "enough");
    }
    test_has(sv_next(), "\"notifications/cancelled\",\"params\":{\"requestId\":1,");
    if (_i == 1)
        sv_expect(TEXT("7", "enough"));
    sv_silence();
    ck_assert_int_eq(sv.ask_code, MCPHOST_E_CANCELLED);
    sv_say(ANSWER("1", "\"result\":{}"));
    sv_silence();
}
END_TEST

/* ---- modern ------------------------------------------------------------------------ */

#define META                  SV_META_WITH("{\"sampling\":{}}", "")
#define MODERN_CALL(id, more) ASK(id, "tools/call", "\"name\":\"ask\"," more META)
#define DONE(id, text)                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"resultType\":\"complete\"," \
    "\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}"

static char state[64];

/* Expects one answer to the request `id`.  The answer asks `n` questions, numbered from
 * `from`.  Keeps the requestState of the answer in `state`. */
static void
asked_for(const char *id, int from, int n)
{
    char start[1024];
    const char *line = sv_next();
    size_t len;

    len = (size_t)snprintf(start, sizeof(start),
                           "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":"
                           "\"input_required\",\"inputRequests\":{",
                           id);
    for (int i = 0; i < n; i++)
        len += (size_t)snprintf(
            start + len, sizeof(start) - len,
            "%s\"ask-%d\":{\"method\":\"sampling/createMessage\",\"params\":{"
            "\"messages\":[],  \"maxTokens\":5}}",
            i > 0 ? "," : "", from + i);
    len += (size_t)snprintf(start + len, sizeof(start) - len, "},\"requestState\":\"");
    ck_assert_msg(strncmp(line, start, len) == 0, "%s", line);
    ck_assert_uint_eq(strlen(line), len + 32 + 3);
    snprintf(state, sizeof(state), "%.32s", line + len);
}

static void
modern_up(void)
{
    sv_up();
    wants(MCPHOST_REQUEST_SAMPLING, SAMPLING);
}

START_TEST(a_modern_client_is_asked_in_the_answer_and_sends_the_call_again)
{
    sv.questions = 2;
    sv_start();
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 2);
    ck_assert_int_eq(sv.asked, 0);
    sv_say(MODERN_CALL("8",
                       "\"inputResponses\":{\"ask-2\":{\"b\":2},\"ask-1\":{\"a\":1}},"
                       "\"requestState\":\"%s\","),
           state);
    ck_assert_int_eq(sv.asked, 2);
    ck_assert_int_eq(sv.ask_code, 0);
    ck_assert_str_eq(sv.answer, "{\"a\":1}{\"b\":2}");
    sv_expect(DONE("8", "asked"));
    sv_silence();
}
END_TEST

START_TEST(a_call_may_ask_in_several_rounds)
{
    sv_start();
    sv.questions = 1;
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 1);
    sv.questions = 2; /* "ask" now needs two answers to end the call */
    sv_say(MODERN_CALL("8", "\"inputResponses\":{\"ask-1\":{}},\"requestState\":\"%s\","),
           state);
    ck_assert_int_eq(sv.asked, 1);
    sv_silence();
    sv_ask_again(0);
    asked_for("8", 2, 1);
    sv_say(MODERN_CALL("9", "\"inputResponses\":{\"ask-2\":{}},\"requestState\":\"%s\","),
           state);
    sv_expect(DONE("9", "asked"));
}
END_TEST

START_TEST(a_request_state_is_valid_once_and_only_for_the_same_request)
{
    char first[64];

    sv_start();
    sv_say(
        ASK("7", "tools/call", "\"name\":\"ask\",\"arguments\":{\"a\":1,\"b\":2}," META));
    asked_for("7", 1, 1);
    sv_say(MODERN_CALL("8", "\"requestState\":\"0123456789abcdef0123456789abcdef\","));
    sv_error("8", -32602);
    sv_say(MODERN_CALL("8", "\"requestState\":7,"));
    sv_error("8", -32602);
    sv_say(MODERN_CALL("8", "\"requestState\":\"%s\","), state); /* other arguments */
    sv_error("8", -32602);
    sv_say(ASK("8", "tools/call",
               "\"name\":\"slow\",\"arguments\":{\"a\":1,\"b\":2},\"requestState\":\"%"
               "s\"," META),
           state);
    sv_error("8", -32602);
    sv_say(ASK("8", "prompts/get",
               "\"name\":\"ask\",\"arguments\":{\"a\":1,\"b\":2},\"requestState\":\"%"
               "s\"," META),
           state);
    sv_error("8", -32602);
    ck_assert_int_eq(sv.asked, 0);
    memcpy(first, state, sizeof(first));
    sv_say(
        ASK("8", "tools/call",
            "\"arguments\":{ \"b\":2,\"a\":1},\"name\":\"\\u0061sk\",\"inputResponses\":{"
            "\"ask-1\":{}},\"requestState\":\"%s\"," META),
        first);
    sv_expect(DONE("8", "asked"));
    sv_say(ASK("9", "tools/call",
               "\"name\":\"ask\",\"arguments\":{\"a\":1,\"b\":2},\"requestState\":\"%"
               "s\"," META),
           first);
    sv_error("9", -32602);
}
END_TEST

#define COMPLETE(id, ref, argument, more)                         \
    ASK(id, "completion/complete",                                \
        "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"" ref \
        "},\"argument\":{\"name\":\"" argument "\",\"value\":\"?\"}," more META)
#define STATE "\"inputResponses\":{\"ask-1\":{}},\"requestState\":\"%s\","

START_TEST(a_request_state_of_a_completion_is_valid_only_for_the_same_completion)
{
    sv_start();
    sv_say(COMPLETE("7", "", "who", ""));
    asked_for("7", 1, 1);
    sv_say(COMPLETE("8", "", "whom", STATE), state);
    sv_error("8", -32602);
    sv_say(COMPLETE("8", ",\"title\":\"t\"", "who", STATE), state);
    sv_error("8", -32602);
    sv_say(COMPLETE("8", "", "who", "\"context\":{}," STATE), state);
    sv_error("8", -32602);
    ck_assert_int_eq(sv.asked, 0);
    sv_say(COMPLETE("8", "", "who", STATE), state);
    ck_assert_int_eq(sv.asked, 1);
}
END_TEST

START_TEST(a_question_with_a_missing_or_invalid_response_fails)
{
    static const char *const responses[] = {
        "", "\"inputResponses\":{},", "\"inputResponses\":7,",
        "\"inputResponses\":{\"ask-2\":{}},", "\"inputResponses\":{\"ask-1\":7},"};

    sv_start();
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 1);
    sv_say(MODERN_CALL("8", "%s\"requestState\":\"%s\","), responses[_i], state);
    ck_assert_int_eq(sv.asked, 1);
    ck_assert_int_eq(sv.ask_code, _i == 4 ? MCPHOST_E_PROTOCOL : MCPHOST_E_CANCELLED);
    sv_expect(DONE("8", "asked"));
}
END_TEST

START_TEST(a_call_that_is_parked_for_ask_ms_is_abandoned)
{
    sv.spec.ask_ms = 5000;
    sv.spec.request_ms = 1000;
    sv_start();
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 1);
    sv_advance(4999);
    ck_assert_int_eq(sv.asked, 0);
    sv_advance(1);
    ck_assert_int_eq(sv.ask_code, MCPHOST_E_CANCELLED);
    sv_say(MODERN_CALL("8", "\"requestState\":\"%s\","), state);
    sv_error("8", -32602);
    sv_silence();
}
END_TEST

START_TEST(an_answer_to_a_parked_call_waits_for_the_next_request)
{
    sv_start();
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 1);
    sv_answer(0, "meanwhile");
    sv_silence();
    sv_say(MODERN_CALL("8", "\"inputResponses\":{\"ask-1\":{}},\"requestState\":\"%s\","),
           state);
    sv_expect(DONE("8", "meanwhile"));
    sv_silence();
}
END_TEST

START_TEST(the_clock_of_a_call_stands_still_while_it_is_parked)
{
    sv.spec.request_ms = 1000;
    sv.questions = 1;
    sv_start();
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 1);
    sv_advance(100000);
    sv.questions = 2;
    sv_say(MODERN_CALL("8", "\"inputResponses\":{\"ask-1\":{}},\"requestState\":\"%s\","),
           state);
    sv_advance(999);
    sv_silence();
    sv_advance(1);
    sv_error("8", -32001);
}
END_TEST

START_TEST(an_id_may_be_used_again_while_its_call_is_parked)
{
    sv_start();
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 1);
    sv_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
           "\"requestId\":7}}");
    ck_assert_int_eq(sv.asked, 0);
    sv_say(MODERN_CALL("7", "\"inputResponses\":{\"ask-1\":{}},\"requestState\":\"%s\","),
           state);
    sv_expect(DONE("7", "asked"));
}
END_TEST

START_TEST(a_free_ends_a_parked_call_and_a_close_waits_for_it)
{
    sv_start();
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 1);
    if (_i == 0)
        sv.connection = mcph_connection_free(sv.connection);
    else
        mcph_connection_close(sv.connection, 1000);
    sv_turn();
    ck_assert_int_eq(sv.asked, _i == 0);
    if (_i == 1) {
        sv_say(MODERN_CALL("8", "")); /* the server refuses only new calls */
        sv_error("8", -32000);
        sv_say(MODERN_CALL("8",
                           "\"inputResponses\":{\"ask-1\":{}},\"requestState\":\"%s\","),
               state);
        sv_expect(DONE("8", "asked"));
        ck_assert_int_eq(sv.overs, 1);
    }
}
END_TEST

START_TEST(a_close_does_not_wait_for_a_parked_call_that_is_answered)
{
    sv_start();
    sv_say(MODERN_CALL("7", ""));
    asked_for("7", 1, 1);
    if (_i == 0)
        sv_answer(0, "meanwhile");
    mcph_connection_close(sv.connection, -1);
    sv_turn();
    ck_assert_int_eq(sv.overs, _i == 0);
    if (_i == 1)
        sv_answer(0, "meanwhile");
    ck_assert_int_eq(sv.overs, 1);
}
END_TEST

START_TEST(progress_goes_to_the_token_of_the_latest_request)
{
    sv.questions = 1;
    sv_start();
    sv_say(ASK("7", "tools/call",
               "\"name\":\"ask\"," SV_META_WITH("{\"sampling\":{}}",
                                                ",\"progressToken\":\"one\"")));
    asked_for("7", 1, 1);
    ck_assert_int_eq(mcph_providing_report(sv.calls[0], 5, 10, NULL, 0), 0);
    sv_turn();
    sv_silence();
    sv.questions = 2;
    sv_say(ASK("8", "tools/call",
               "\"name\":\"ask\",\"inputResponses\":{\"ask-1\":{}},\"requestState\":\"%"
               "s\"," SV_META_WITH("{\"sampling\":{}}", ",\"progressToken\":2")),
           state);
    ck_assert_int_eq(mcph_providing_report(sv.calls[0], 6, NAN, "six", 3), 0);
    sv_turn();
    sv_expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
              "\"progressToken\":2,\"progress\":6,\"message\":\"six\"}}");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "legacy");

    tcase_add_checked_fixture(tc, sv_up, sv_down);
    tcase_add_loop_test(tc, a_legacy_client_is_asked_by_a_request, 0, 7);
    tcase_add_loop_test(tc, a_question_that_the_client_has_not_declared_is_denied, 0, 6);
    tcase_add_test(tc, sampling_with_tools_needs_the_capability_sampling_tools);
    tcase_add_test(tc, a_refused_question_fails_with_the_clients_message);
    tcase_add_loop_test(tc, an_invalid_answer_fails_the_question, 0, 2);
    tcase_add_test(tc, a_question_times_out_after_ask_ms_and_stops_the_clock_of_its_call);
    tcase_add_loop_test(tc, the_end_of_a_call_cancels_its_questions, 0, 2);

    tc = test_case(suite, "modern");
    tcase_add_checked_fixture(tc, modern_up, sv_down);
    tcase_add_test(tc, a_modern_client_is_asked_in_the_answer_and_sends_the_call_again);
    tcase_add_test(tc, a_call_may_ask_in_several_rounds);
    tcase_add_test(tc, a_request_state_is_valid_once_and_only_for_the_same_request);
    tcase_add_test(tc,
                   a_request_state_of_a_completion_is_valid_only_for_the_same_completion);
    tcase_add_loop_test(tc, a_question_with_a_missing_or_invalid_response_fails, 0, 5);
    tcase_add_test(tc, a_call_that_is_parked_for_ask_ms_is_abandoned);
    tcase_add_test(tc, an_answer_to_a_parked_call_waits_for_the_next_request);
    tcase_add_test(tc, the_clock_of_a_call_stands_still_while_it_is_parked);
    tcase_add_test(tc, an_id_may_be_used_again_while_its_call_is_parked);
    tcase_add_loop_test(tc, a_free_ends_a_parked_call_and_a_close_waits_for_it, 0, 2);
    tcase_add_loop_test(tc, a_close_does_not_wait_for_a_parked_call_that_is_answered, 0,
                        2);
    tcase_add_test(tc, progress_goes_to_the_token_of_the_latest_request);
}

int
main(void)
{
    return test_main("connection-asks", add);
}
