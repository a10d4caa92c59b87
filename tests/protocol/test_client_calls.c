/* SPDX-License-Identifier: MIT
 *
 * test_client_calls.c - tool calls: their messages, many calls at once, and the results
 * of both eras.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

static struct cr_call a, b;

static void
up(void)
{
    cr_up();
    cr_call_init(&a, 1, "alpha", NULL);
    cr_call_init(&b, 2, "beta", NULL);
}

/* ---- on the wire ------------------------------------------------------------------- */

/* R23 */
START_TEST(a_call_carries_the_original_name_and_the_arguments_as_given)
{
    cr_legacy("2025-11-25");
    a.call.name = mcph_span_str("find \"rows\"\tÄ");
    a.call.arguments = mcph_span_str("{ \"n\":1e400,\n \"s\":\"\\u0000\" }");
    cr_call_go(&a);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"find \\\"rows\\\"\\tÄ\",\"arguments\":{ \"n\":1e400,  "
              "\"s\":\"\\u0000\" }}}");
    cr_expect_nothing();
}
END_TEST

START_TEST(a_name_given_as_json_is_sent_unchanged)
{
    cr_legacy("2025-11-25");
    a.call.name = mcph_span_str("find");
    a.call.name_token = mcph_span_str("\"\\u0066ind\"");
    cr_call_go(&a);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"\\u0066ind\",\"arguments\":{}}}");
}
END_TEST

START_TEST(a_call_without_arguments_sends_an_empty_object)
{
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"alpha\",\"arguments\":{}}}");
}
END_TEST

START_TEST(a_legacy_call_sends_the_meta_that_was_set)
{
    cr_legacy("2025-11-25");
    a.call.meta = mcph_span_str("{ \"com.example/trace\": \"x\" }");
    cr_call_progress(&a);
    b.call.meta = mcph_span_str("{ }");
    cr_call_go(&a);
    cr_call_go(&b);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"alpha\",\"arguments\":{},\"_meta\":{\"progressToken\":2,"
              "\"com.example/trace\": \"x\" }}}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"beta\",\"arguments\":{}}}");
}
END_TEST

START_TEST(a_modern_call_sends_all_protocol_members_in_meta)
{
    cr_modern();
    a.call.meta = mcph_span_str("{\"traceparent\":\"00\"}");
    cr_call_progress(&a);
    cr_call_go(&a);
    cr_call_go(&b);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"alpha\",\"arguments\":{}," CR_META
              ",\"progressToken\":1,\"traceparent\":\"00\"}}}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"beta\",\"arguments\":{}," CR_META "}}}");
}
END_TEST

START_TEST(a_modern_call_sends_the_log_level_if_one_is_set)
{
    cr.spec.log_level = "info";
    cr.spec.era = MCPH_CLIENT_MODERN;
    cr_start();
    cr_sent();
    cr_say(CR_DISCOVERED("1"));
    cr_call_go(&a);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"alpha\",\"arguments\":{}," CR_META
              ",\"io.modelcontextprotocol/logLevel\":\"info\"}}}");
}
END_TEST

static char headers[512];

static void
on_headers(const struct mcph_header *list, size_t n, int kind, void *arg)
{
    (void)arg;
    snprintf(headers, sizeof(headers), "%d", kind);
    for (size_t i = 0; i < n; i++)
        snprintf(headers + strlen(headers), sizeof(headers) - strlen(headers), " %s=%.*s",
                 list[i].name, (int)list[i].value.len, list[i].value.p);
}

START_TEST(a_transport_that_wants_headers_gets_version_method_and_name)
{
    cr_modern();
    mcph_memory_watch_headers(cr.transport, on_headers, NULL);
    cr_call_go(&a);
    ck_assert_str_eq(headers, "5 MCP-Protocol-Version=2026-07-28 Mcp-Method=tools/call "
                              "Mcp-Name=alpha");
}
END_TEST

/* ---- answers ----------------------------------------------------------------------- */

START_TEST(a_result_is_passed_on_byte_by_byte)
{
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"result\": { \"content\" :[], \"big\":123456789012345678"
        "90, \"e\":1e400,\"z\":\"\\u0000\\ud800\"} ,\"id\":2}");
    ck_assert_int_eq(a.code, 0);
    ck_assert_str_eq(a.result, "{ \"content\" :[], \"big\":12345678901234567890, "
                               "\"e\":1e400,\"z\":\"\\u0000\\ud800\"}");
}
END_TEST

START_TEST(a_result_with_is_error_ends_the_call_with_code_0)
{
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"isError\":true,\"content\":[]}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(a.code, 0);
}
END_TEST

START_TEST(an_error_answer_sets_code_message_and_data)
{
    size_t len;

    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":"
           "\"no \\\"such\\\" tool\",\"data\":{ \"k\":[1]}}}");
    cr_call_failed(&a, MCPHOST_E_RPC, "no \"such\" tool");
    ck_assert_int_eq(mcphost_error_get_rpc_code(a.error), -32602);
    ck_assert_str_eq(mcphost_error_get_rpc_data(a.error, &len), "{ \"k\":[1]}");
}
END_TEST

START_TEST(a_result_that_is_no_object_fails_the_call)
{
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[]}");
    cr_call_failed(&a, MCPHOST_E_PROTOCOL, "'alpha'");
}
END_TEST

START_TEST(an_answer_over_the_limit_fails_only_its_call)
{
    static char big[5000];

    cr_legacy("2025-11-25");
    mcph_memory_set_frame_limit(cr.transport, 1000);
    memset(big, 'x', sizeof(big) - 1);
    cr_call_go(&a);
    cr_call_go(&b);
    if (_i == 0)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"t\":\"%s\"}}", big);
    else
        cr_say("{\"jsonrpc\":\"2.0\",\"result\":{\"t\":\"%s\"},\"id\":2}", big);
    cr_call_failed(&a, MCPHOST_E_LIMIT, "limit");
    ck_assert_ptr_nonnull(a.frame);
    ck_assert_ptr_nonnull(a.frame->over);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    ck_assert_int_eq(b.done, 1);
    ck_assert_int_eq(b.code, 0);
}
END_TEST

static void
shuffle(unsigned *order, unsigned n, unsigned seed)
{
    for (unsigned i = 0; i < n; i++)
        order[i] = i;
    for (unsigned i = n - 1; i > 0; i--) {
        unsigned j, t;

        seed = seed * 1103515245 + 12345;
        j = (seed >> 16) % (i + 1);
        t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

/* R22 */
START_TEST(fifty_calls_at_once_get_their_own_answers_in_any_order)
{
    static struct cr_call calls[50];
    unsigned order[50];
    char want[32];

    cr_legacy("2025-11-25");
    for (unsigned i = 0; i < 50; i++) {
        cr_call_init(&calls[i], 100 + (int)i, "echo", NULL);
        ck_assert_int_eq(cr_call_start(&calls[i]), 0);
    }
    cr_turn();
    shuffle(order, 50, 12345 + (unsigned)_i);
    for (unsigned i = 0; i < 50; i++)
        cr_put("{\"jsonrpc\":\"2.0\",\"result\":{\"n\":%u},\"id\":%u}", order[i],
               2 + order[i]);
    cr_turn();
    for (unsigned i = 0; i < 50; i++) {
        ck_assert_int_eq(calls[i].done, 1);
        snprintf(want, sizeof(want), "{\"n\":%u}", i);
        ck_assert_str_eq(calls[i].result, want);
        cr_call_done(&calls[i]);
    }
    ck_assert_uint_eq(cr_open(), 0);
}
END_TEST

START_TEST(an_answer_with_another_id_ends_no_call)
{
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":\"2 \",\"result\":{}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2.5,\"result\":{}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}");
    ck_assert_int_eq(a.done, 0);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
}
END_TEST

START_TEST(a_second_answer_is_dropped)
{
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_put("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"n\":1}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"n\":2}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_str_eq(a.result, "{\"n\":1}");
    ck_assert_uint_eq(cr_counters()->double_answers, 1);
}
END_TEST

/* The server accepts the call with status 202, and may answer on the common stream of the
 * session.  The session is lost before the server answers. */
START_TEST(an_accepted_call_fails_when_its_session_is_lost)
{
    cr.web = true;
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_sent();
    cr_answer(cr_stream(), CR_INIT_RESULT("1", "2025-06-18"));
    cr_expect(CR_INITIALIZED);
    cr_call_go(&a);
    cr_sent();
    cr_status(cr_stream(), 202, NULL, NULL);
    cr_call_go(&b);
    cr_sent();
    a.free_client = _i == 1;
    cr_status(cr_stream(), 404, NULL, NULL);
    cr_call_failed(
        &a, MCPHOST_E_TRANSPORT,
        "received the call of 'alpha': its session ended before the answer came");
    ck_assert_int_eq(b.done, 0); /* b is sent again */
    test_has(cr_next(), "\"initialize\"");
}
END_TEST

START_TEST(a_done_function_may_start_the_next_call)
{
    cr_legacy("2025-11-25");
    a.next = &b;
    cr_call_go(&a);
    cr_sent();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    test_has(cr_next(), "beta");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    ck_assert_str_eq(cr.story, "ready done:1 done:2 ");
}
END_TEST

START_TEST(a_done_function_may_free_the_client)
{
    cr_legacy("2025-11-25");
    a.free_client = true;
    cr_call_go(&a);
    cr_call_go(&b);
    cr_put("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(b.done, 0); /* freeing the client drops b */
}
END_TEST

/* ---- modern results ---------------------------------------------------------------- */

static const struct {
    const char *result, *part;
} modern_results[] = {
    {"{\"content\":[],\"resultType\":\"complete\"}", NULL},
    {"{\"resultType\":\"compl\\u0065te\"}", NULL},
    {"{\"content\":[]}", NULL}, /* without a resultType, a result is complete */
    {"{\"resultType\":\"input_required\"}", "asked for input"},
    {"{\"resultType\":\"task\",\"taskId\":\"1\"}", "task"},
    {"{\"resultType\":\"partial\"}", "resultType"},
    {"{\"resultType\":1}", "resultType"},
    {"{\"resultType\":null}", "resultType"},
    {"{\"inputRequests\":{}}", "unfinished"},
    {"{\"requestState\":\"x\"}", "unfinished"},
    {"{\"taskId\":\"x\"}", "unfinished"},
};

START_TEST(an_incomplete_modern_result_fails_the_call)
{
    cr_modern();
    cr_call_go(&a);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}", modern_results[_i].result);
    if (!modern_results[_i].part) {
        ck_assert_int_eq(a.done, 1);
        ck_assert_int_eq(a.code, 0);
        ck_assert_str_eq(a.result, modern_results[_i].result);
    } else {
        cr_call_failed(&a, MCPHOST_E_PROTOCOL, modern_results[_i].part);
    }
    cr_sent();
    cr_expect_nothing(); /* the call is not sent again */
}
END_TEST

START_TEST(the_result_type_of_a_legacy_result_is_ignored)
{
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"task\"}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(a.code, 0);
}
END_TEST

static char log_lines[1024];

static void
keep_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    (void)level;
    (void)arg;
    snprintf(log_lines + strlen(log_lines), sizeof(log_lines) - strlen(log_lines),
             "%s %s %s|", room, server, line);
}

START_TEST(a_missing_result_type_is_logged_once)
{
    mcph_core_set_log(cr.core, MCPHOST_LOG_WARNING, keep_log, NULL, NULL);
    cr_modern();
    cr_call_go(&a);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    cr_call_go(&b);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_str_eq(log_lines, "client srv answers tools/call without a resultType|");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "wire");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, a_call_carries_the_original_name_and_the_arguments_as_given);
    tcase_add_test(tc, a_name_given_as_json_is_sent_unchanged);
    tcase_add_test(tc, a_call_without_arguments_sends_an_empty_object);
    tcase_add_test(tc, a_legacy_call_sends_the_meta_that_was_set);
    tcase_add_test(tc, a_modern_call_sends_all_protocol_members_in_meta);
    tcase_add_test(tc, a_modern_call_sends_the_log_level_if_one_is_set);
    tcase_add_test(tc, a_transport_that_wants_headers_gets_version_method_and_name);

    tc = test_case(suite, "answers");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, a_result_is_passed_on_byte_by_byte);
    tcase_add_test(tc, a_result_with_is_error_ends_the_call_with_code_0);
    tcase_add_test(tc, an_error_answer_sets_code_message_and_data);
    tcase_add_test(tc, a_result_that_is_no_object_fails_the_call);
    tcase_add_loop_test(tc, an_answer_over_the_limit_fails_only_its_call, 0, 2);
    tcase_add_loop_test(tc, fifty_calls_at_once_get_their_own_answers_in_any_order, 0, 3);
    tcase_add_test(tc, an_answer_with_another_id_ends_no_call);
    tcase_add_test(tc, a_second_answer_is_dropped);
    tcase_add_loop_test(tc, an_accepted_call_fails_when_its_session_is_lost, 0, 2);
    tcase_add_test(tc, a_done_function_may_start_the_next_call);
    tcase_add_test(tc, a_done_function_may_free_the_client);

    tc = test_case(suite, "modern results");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, an_incomplete_modern_result_fails_the_call, 0,
                        (int)MCPH_ARRAY_SIZE(modern_results));
    tcase_add_test(tc, the_result_type_of_a_legacy_result_is_ignored);
    tcase_add_test(tc, a_missing_result_type_is_logged_once);
}

int
main(void)
{
    return test_main("client-calls", add);
}
