/* SPDX-License-Identifier: MIT
 *
 * test_client_operations.c - operations of every method.
 *
 * Most tests run for tool calls, reads, prompts, completions and tasks.  They test
 * progress, cancellation, deadlines, questions of the server, multi round-trip requests,
 * and requests that are sent again.
 */
#include <stdio.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define CAPABILITIES                                                                     \
    "\"capabilities\":{\"tools\":{},\"resources\":{},\"prompts\":{},\"completions\":{}," \
    "\"tasks\":{}}"

static const struct {
    int method;
    const char *name, *arguments;
    const char *sent; /* the request, from the method's name to the last param */
    const char *header;
    const char *what; /* the operation's name in error messages */
    const char *capability;
    bool once, asks, progress;
} rows[] = {
    {MCPH_METHOD_CALL_TOOL, "find", "{\"x\":1}",
     "\"tools/call\",\"params\":{\"name\":\"find\",\"arguments\":{\"x\":1}",
     "Mcp-Method=tools/call Mcp-Name=find", "the call of 'find'", "tools", true, true,
     true},
    {MCPH_METHOD_READ_RESOURCE, "file:///a\"b", NULL,
     "\"resources/read\",\"params\":{\"uri\":\"file:///a\\\"b\"",
     "Mcp-Method=resources/read Mcp-Name=file:///a\"b", "the read of 'file:///a\"b'",
     "resources", false, true, true},
    {MCPH_METHOD_GET_PROMPT, "greet", "{\"who\":\"Ada\"}",
     "\"prompts/get\",\"params\":{\"name\":\"greet\",\"arguments\":{\"who\":\"Ada\"}",
     "Mcp-Method=prompts/get Mcp-Name=greet", "the request for the prompt 'greet'",
     "prompts", false, true, true},
    {MCPH_METHOD_GET_PROMPT, "bare", NULL,
     "\"prompts/get\",\"params\":{\"name\":\"bare\"",
     "Mcp-Method=prompts/get Mcp-Name=bare", "the request for the prompt 'bare'",
     "prompts", false, true, true},
    {MCPH_METHOD_COMPLETE, "greet",
     "{ \"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},\n\"argument\":{\"name\":"
     "\"who\",\"value\":\"A\"} }",
     "\"completion/complete\",\"params\":{\"ref\":{\"type\":\"ref/prompt\",\"name\":"
     "\"greet\"}, \"argument\":{\"name\":\"who\",\"value\":\"A\"} ",
     "Mcp-Method=completion/complete", "the completion for 'greet'", "completions", false,
     false, true},
    {MCPH_METHOD_GET_TASK, "t-8f", NULL, "\"tasks/get\",\"params\":{\"taskId\":\"t-8f\"",
     "Mcp-Method=tasks/get Mcp-Name=t-8f", "the request for the task", "tasks", false,
     false, false},
    {MCPH_METHOD_TASK_RESULT, "t-8f", NULL,
     "\"tasks/result\",\"params\":{\"taskId\":\"t-8f\"",
     "Mcp-Method=tasks/result Mcp-Name=t-8f", "the request for the result of the task",
     "tasks", false, false, true},
};

#define ROWS   ((int)MCPH_ARRAY_SIZE(rows))
#define BOTH   (2 * ROWS) /* all rows in the legacy era, then in the modern era */
#define ROW    rows[_i % ROWS]
#define MODERN (_i >= ROWS)

static struct cr_call a, b;

static void
init(struct cr_call *op, int number, int row)
{
    cr_call_init(op, number, rows[row].name, rows[row].arguments);
    op->call.method = &mcph_methods[rows[row].method];
}

static void
up(void)
{
    cr_up();
    cr.spec.questions = MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_ROOTS;
}

static void
up_web(void)
{
    up();
    cr.web = true;
}

/* Starts a client and answers its handshake with this version and these members of the
 * result. */
static void
meet_with(bool modern, const char *version, const char *members)
{
    const char *id = modern ? "\"probe-1\"" : "1";
    char result[512];

    snprintf(result, sizeof(result),
             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\","
             "\"supportedVersions\":[\"2026-07-28\"],\"protocolVersion\":\"%s\",%s}}",
             id, version, members);
    cr.spec.era = modern ? MCPH_CLIENT_MODERN : MCPH_CLIENT_LEGACY;
    cr_start();
    cr_next();
    if (cr.web)
        cr_answer(cr_stream(), "%s", result);
    else
        cr_say("%s", result);
    if (!modern)
        cr_expect(CR_INITIALIZED);
    ck_assert_int_eq(cr.ready, 1);
}

static void
meet(bool modern)
{
    meet_with(modern, "2025-11-25", CAPABILITIES);
}

/* Fails unless the next line is the request of this row with this id.  `more` holds
 * further members of the params. */
static void
expect(int row, bool modern, int id, const char *more)
{
    char line[1024];

    if (modern) {
        snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":%s%s,",
                 id, rows[row].sent, more);
        test_has(cr_next(), line);
        test_has(cr.lines[cr.at - 1], "\"_meta\":{\"io.modelcontextprotocol/");
    } else {
        snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":%s%s}}",
                 id, rows[row].sent, more);
        cr_expect(line);
    }
}

/* Returns the id of the first request after the handshake. */
static int
first_id(bool modern)
{
    return modern ? 1 : 2;
}

static void
answer(int id)
{
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"resultType\":\"complete\","
           "\"good\":1}}",
           id);
}

static void
answered_well(const struct cr_call *op)
{
    ck_assert_int_eq(op->done, 1);
    ck_assert_int_eq(op->code, 0);
    test_has(op->result, "\"good\":1");
}

/* ---- on the wire ------------------------------------------------------------------- */

/* R23 */
START_TEST(each_method_sends_its_params_and_gets_its_result)
{
    init(&a, 1, _i % ROWS);
    meet(MODERN);
    cr_call_go(&a);
    expect(_i % ROWS, MODERN, first_id(MODERN), "");
    answer(first_id(MODERN));
    answered_well(&a);
}
END_TEST

/* R20: MCP 2026-07-28, Streamable HTTP. */
START_TEST(named_methods_send_the_name_in_mcp_name)
{
    char headers[256];

    init(&a, 1, _i);
    meet(true);
    cr_call_go(&a);
    cr_next();
    snprintf(headers, sizeof(headers), "MCP-Protocol-Version=2026-07-28 %s", ROW.header);
    ck_assert_str_eq(cr_headers(), headers);
    ck_assert_int_eq(cr_kind(), ROW.once ? MCPH_SEND_CALL : MCPH_SEND_REQUEST);
}
END_TEST

/* R107 */
START_TEST(progress_is_requested_and_reported_if_the_method_has_it)
{
    int id = first_id(MODERN);
    char token[64];

    init(&a, 1, _i % ROWS);
    cr_call_progress(&a);
    meet(MODERN);
    cr_call_go(&a);
    snprintf(token, sizeof(token), "\"progressToken\":%d", id);
    if (!ROW.progress) {
        test_has_not(cr_next(), "progressToken");
        return;
    }
    test_has(cr_next(), token);
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
           "\"progressToken\":%d,\"progress\":3,\"total\":4}}",
           id);
    answer(id);
    answered_well(&a);
    ck_assert_int_eq(a.progressed, 1);
    ck_assert_double_eq(a.progress, 3);
}
END_TEST

/* ---- ends -------------------------------------------------------------------------- */

/* R107 */
START_TEST(a_cancelled_operation_tells_the_server_and_drops_the_late_answer)
{
    int id = first_id(MODERN);
    char line[160];

    init(&a, 1, _i % ROWS);
    meet(MODERN);
    cr_call_go(&a);
    cr_next();
    mcph_operation_cancel(&a.call, "enough");
    cr_turn();
    snprintf(line, sizeof(line),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
             "\"requestId\":%d,\"reason\":\"enough\"}}",
             id);
    cr_expect(line);
    answer(id);
    ck_assert_int_eq(a.done, 0);
    ck_assert_int_eq(cr.odds, 0);
}
END_TEST

/* R108 */
START_TEST(an_operation_past_its_timeout_is_cancelled_and_named)
{
    char text[160];

    init(&a, 1, _i % ROWS);
    meet(MODERN);
    cr_call_go(&a);
    cr_next();
    cr_advance(59999);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    snprintf(text, sizeof(text), "did not answer %s in time (60000 ms)", ROW.what);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, text);
    test_has(cr_next(), "notifications/cancelled");
}
END_TEST

/* R22 */
START_TEST(max_in_flight_counts_operations_of_all_methods)
{
    cr.spec.max_in_flight = 1;
    init(&a, 1, 1);
    init(&b, 2, _i);
    meet(true);
    cr_call_go(&a);
    cr_call_go(&b);
    expect(1, true, 1, "");
    cr_expect_nothing();
    answer(1);
    expect(_i, true, 2, "");
    answer(2);
    answered_well(&b);
}
END_TEST

/* ---- capabilities ------------------------------------------------------------------ */

static void
not_offered(const char *capability, char *text, size_t size)
{
    snprintf(text, size, "offers no %s: its capabilities do not name '%s'", capability,
             capability);
}

START_TEST(an_operation_that_the_server_does_not_offer_is_not_sent)
{
    char text[128];

    init(&a, 1, _i % ROWS);
    meet_with(MODERN, "2025-11-25", "\"capabilities\":{\"logging\":{}}");
    ck_assert_int_eq(cr_call_start(&a), MCPHOST_E_NOTFOUND);
    not_offered(ROW.capability, text, sizeof(text));
    test_has(mcphost_error_get_message(a.error), text);
    cr_turn();
    cr_expect_nothing();
    ck_assert_int_eq(a.done, 0);
    ck_assert_uint_eq(cr_open(), 0);
}
END_TEST

START_TEST(a_waiting_operation_that_is_not_offered_fails_at_ready)
{
    char text[128];

    init(&a, 1, _i);
    cr.spec.era = MCPH_CLIENT_MODERN;
    cr_start();
    cr_next();
    cr_call_go(&a);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"resultType\":"
           "\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}}");
    not_offered(ROW.capability, text, sizeof(text));
    cr_call_failed(&a, MCPHOST_E_NOTFOUND, text);
    cr_expect_nothing();
}
END_TEST

/* Protocol version 2024-11-05 has completion, but no capability for it. */
START_TEST(completion_needs_no_capability_in_2024_11_05)
{
    init(&a, 1, 4);
    meet_with(false, "2024-11-05", "\"capabilities\":{}");
    cr_call_go(&a);
    expect(4, false, 2, "");
}
END_TEST

/* MCP 2026-07-28: tasks are an extension. */
START_TEST(tasks_may_be_offered_as_an_extension)
{
    init(&a, 1, 5);
    meet_with(true, "2026-07-28",
              "\"capabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}");
    cr_call_go(&a);
    expect(5, true, 1, "");
}
END_TEST

/* ---- results ----------------------------------------------------------------------- */

/* MCP 2026-07-28, Multi round-trip requests: R162. */
START_TEST(only_methods_that_may_ask_are_sent_again_with_answers)
{
    init(&a, 1, _i);
    meet(true);
    cr_call_go(&a);
    cr_next();
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\","
        "\"inputRequests\":{\"r\":{\"method\":\"roots/list\"}},\"requestState\":\"s\"}}");
    if (!ROW.asks) {
        cr_call_failed(&a, MCPHOST_E_PROTOCOL, "a request for input, which this method");
        test_has(mcphost_error_get_message(a.error), ROW.what);
        return;
    }
    ck_assert_int_eq(cr.asked, 1);
    ck_assert_ptr_eq(cr.questions[0]->op, &a.call);
    cr_question_answer(0, "{\"roots\":[]}");
    expect(_i, true, 2,
           ",\"inputResponses\":{\"r\":{\"roots\":[]}},\"requestState\":\"s\"");
    answer(2);
    answered_well(&a);
}
END_TEST

START_TEST(only_tasks_get_may_be_answered_with_a_task)
{
    bool task = ROW.method == MCPH_METHOD_GET_TASK;

    init(&a, 1, _i);
    init(&b, 2, _i);
    meet(true);
    cr_call_go(&a);
    cr_call_go(&b);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"task\","
           "\"taskId\":\"t-8f\",\"good\":1}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"taskId\":\"t-8f\",\"good\":1}}");
    if (task) {
        answered_well(&a);
        answered_well(&b);
        return;
    }
    cr_call_failed(&a, MCPHOST_E_PROTOCOL,
                   "a task, which the host did not offer to accept");
    cr_call_failed(&b, MCPHOST_E_PROTOCOL, "an unfinished result");
}
END_TEST

/* ---- questions --------------------------------------------------------------------- */

#define ASKS                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\",\"params\":{" \
    "\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}"

/* R162.  The client assigns a question during tasks/get to no operation, because a server
 * asks no questions while it answers tasks/get. */
START_TEST(a_question_in_the_course_of_an_operation_stops_its_clock)
{
    if (ROW.method == MCPH_METHOD_GET_TASK) {
        init(&a, 1, _i);
        meet(false);
        cr_call_go(&a);
        cr_next();
        cr_say(ASKS);
        ck_assert_ptr_null(cr.questions[0]->op);
        return;
    }
    init(&a, 1, _i);
    meet(false);
    cr_call_go(&a);
    cr_next();
    cr_say(ASKS);
    ck_assert_ptr_eq(cr.questions[0]->op, &a.call);
    cr_advance(100000);
    ck_assert_int_eq(a.done, 0);
    cr_question_answer(0, "{\"action\":\"cancel\"}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"action\":\"cancel\"}}");
    answer(2);
    answered_well(&a);
}
END_TEST

/* MCP 2025-11-25, URL Elicitation Required Error: R162. */
START_TEST(after_a_page_was_opened_the_refused_operation_is_sent_again)
{
    cr.spec.questions |= MCPHOST_REQUEST_URL;
    init(&a, 1, _i);
    meet(false);
    cr_call_go(&a);
    cr_next();
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32042,\"message\":\"first\","
        "\"data\":{\"elicitations\":[{\"mode\":\"url\",\"elicitationId\":\"p\",\"url\":"
        "\"https://h/p\",\"message\":\"Look\"}]}}}");
    ck_assert_int_eq(cr.asked, ROW.method != MCPH_METHOD_GET_TASK);
    if (!cr.asked)
        return; /* tasks/get cannot ask the user */
    cr_question_answer(0, "{\"action\":\"accept\"}");
    expect(_i, false, 3, "");
    answer(3);
    answered_well(&a);
}
END_TEST

/* ---- operations that are sent again ------------------------------------------------ */

/* The client does not send a tool call again, because the call may have had effects. */
START_TEST(an_operation_without_effects_is_sent_again_when_its_connection_ends)
{
    int id = first_id(MODERN);

    init(&a, 1, _i % ROWS);
    meet(MODERN);
    cr_call_go(&a);
    cr_next();
    cr_advance(10000);
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "the connection was reset");
    if (ROW.once) {
        cr_call_failed(&a, MCPHOST_E_TRANSPORT, "the connection was reset");
        cr_expect_nothing();
        return;
    }
    expect(_i % ROWS, MODERN, id + 1, "");
    ck_assert_int_eq(a.done, 0);
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"resultType\":"
              "\"complete\",\"good\":1}}",
              id + 1);
    answered_well(&a);
    ck_assert_uint_eq(cr_open(), 0);
}
END_TEST

START_TEST(an_operation_is_sent_again_once_and_keeps_its_deadline)
{
    init(&a, 1, 1);
    init(&b, 2, 1);
    meet(true);
    cr_call_go(&a);
    cr_call_go(&b);
    cr_next();
    cr_advance(50000);
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset");
    cr_next();
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset");
    expect(1, true, 3, "");
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset once more");
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "reset once more");
    cr_advance(9999);
    ck_assert_int_eq(b.done, 0);
    cr_advance(1);
    cr_call_failed(&b, MCPHOST_E_TIMEOUT, "in time (60000 ms)");
}
END_TEST

/* R162 */
START_TEST(a_question_ends_with_the_connection_of_its_operation)
{
    init(&a, 1, 1);
    meet(false);
    cr_call_go(&a);
    cr_next();
    cr_say_on(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}");
    ck_assert_ptr_eq(cr.questions[0]->op, &a.call);
    cr.free_in_event = _i == 1;
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset");
    ck_assert_int_eq(cr.over, 1);
    ck_assert_str_eq(cr.over_why, "its connection has ended");
    if (_i == 1) {
        cr_expect_nothing();
        return;
    }
    expect(1, false, 3, "");
    cr_advance(60000); /* the clock of the operation runs again */
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "did not answer the read of");
}
END_TEST

/* The client does not repeat the request, because an HTTP status is an answer of the
 * server. */
START_TEST(an_operation_that_is_refused_by_a_status_is_not_repeated)
{
    init(&a, 1, _i);
    meet(true);
    cr_call_go(&a);
    cr_next();
    cr_status(cr_stream(), 503, "retry-after: 9", NULL);
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "HTTP status 503");
    cr_expect_nothing();
}
END_TEST

/* MCP 2025-11-25, Session Management. */
START_TEST(an_accepted_operation_without_effects_is_sent_again_in_a_new_session)
{
    char text[160];

    init(&a, 1, _i);
    init(&b, 2, 0);
    meet(false);
    cr_call_go(&a);
    cr_next();
    cr_status(cr_stream(), 202, NULL, NULL);
    cr_call_go(&b);
    cr_next();
    cr_status(cr_stream(), 404, NULL, NULL);
    test_has(cr_next(), "\"initialize\"");
    if (ROW.once) {
        snprintf(text, sizeof(text), "received %s: its session ended before", ROW.what);
        cr_call_failed(&a, MCPHOST_E_TRANSPORT, text);
        return;
    }
    ck_assert_int_eq(a.done, 0);
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":"
              "\"2025-11-25\"," CAPABILITIES "}}");
    cr_expect(CR_INITIALIZED);
    expect(_i, false, 5, "");
    expect(0, false, 6, "");
}
END_TEST

/* The client reads the list of tools again only for a tool call, because a new list
 * corrects only headers that a tool's schema asks for. */
START_TEST(a_header_mismatch_leads_to_a_list_only_for_tool_calls)
{
    init(&a, 1, _i);
    meet(true);
    cr_call_go(&a);
    cr_next();
    cr_status(cr_stream(), 400, NULL,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32020,\"message\":"
              "\"no\"}}");
    if (ROW.method == MCPH_METHOD_CALL_TOOL) {
        test_has(cr_next(), "\"tools/list\"");
        return;
    }
    cr_call_failed(&a, MCPHOST_E_RPC, "did not get the headers");
    cr_expect_nothing();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "each");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, each_method_sends_its_params_and_gets_its_result, 0, BOTH);
    tcase_add_loop_test(tc, progress_is_requested_and_reported_if_the_method_has_it, 0,
                        BOTH);
    tcase_add_loop_test(
        tc, a_cancelled_operation_tells_the_server_and_drops_the_late_answer, 0, BOTH);
    tcase_add_loop_test(tc, an_operation_past_its_timeout_is_cancelled_and_named, 0,
                        BOTH);
    tcase_add_loop_test(tc, max_in_flight_counts_operations_of_all_methods, 0, ROWS);
    tcase_add_loop_test(tc, an_operation_that_the_server_does_not_offer_is_not_sent, 0,
                        BOTH);
    tcase_add_loop_test(tc, a_waiting_operation_that_is_not_offered_fails_at_ready, 0,
                        ROWS);
    tcase_add_test(tc, completion_needs_no_capability_in_2024_11_05);
    tcase_add_test(tc, tasks_may_be_offered_as_an_extension);
    tcase_add_loop_test(tc, only_methods_that_may_ask_are_sent_again_with_answers, 0,
                        ROWS);
    tcase_add_loop_test(tc, only_tasks_get_may_be_answered_with_a_task, 0, ROWS);
    tcase_add_loop_test(tc, a_question_in_the_course_of_an_operation_stops_its_clock, 0,
                        ROWS);
    tcase_add_loop_test(tc, after_a_page_was_opened_the_refused_operation_is_sent_again,
                        0, ROWS);

    tc = test_case(suite, "on the web");
    tcase_add_checked_fixture(tc, up_web, cr_down);
    tcase_add_loop_test(tc, named_methods_send_the_name_in_mcp_name, 0, ROWS);
    tcase_add_loop_test(
        tc, an_operation_without_effects_is_sent_again_when_its_connection_ends, 0, BOTH);
    tcase_add_test(tc, an_operation_is_sent_again_once_and_keeps_its_deadline);
    tcase_add_loop_test(tc, a_question_ends_with_the_connection_of_its_operation, 0, 2);
    tcase_add_loop_test(tc, an_operation_that_is_refused_by_a_status_is_not_repeated, 0,
                        ROWS);
    tcase_add_loop_test(
        tc, an_accepted_operation_without_effects_is_sent_again_in_a_new_session, 0,
        ROWS);
    tcase_add_loop_test(tc, a_header_mismatch_leads_to_a_list_only_for_tool_calls, 0,
                        ROWS);
}

int
main(void)
{
    return test_main("client-operations", add);
}
