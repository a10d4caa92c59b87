/* SPDX-License-Identifier: MIT
 *
 * test_connection_bad.c - clients that send invalid messages, send too much, or do not
 * read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servrig.h"
#include "support/runner.h"

#define ASK(id, method, params)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"
#define SLOW(id) ASK(id, "tools/call", "\"name\":\"slow\"")

static void
expect_over(int code, const char *part)
{
    ck_assert_int_eq(sv.overs, 1);
    ck_assert_int_eq(mcphost_error_get_code(sv.reason), code);
    test_has(mcphost_error_get_message(sv.reason), part);
}

static const struct {
    const char *line, *id;
    int code;
} bad_lines[] = {
    {"nonsense", "null", -32700},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", "null", -32700},
    {"\"a\xff\"", "null", -32700},
    {"7", "null", -32600},
    {"[]", "null", -32600},
    {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", "null", -32600},
    {"{\"id\":1,\"method\":\"ping\"}", "null", -32600},
    {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "null", -32600},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", "null", -32600},
    {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "null", -32600},
    {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", "null", -32600},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":7}", "\"x\"", -32600},
    {"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":7}", "5", -32600},
    {"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":[]}", "5", -32602},
    {"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"no/such\"}", "5", -32601},
    {"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"server/discover\"}", "5", -32601},
    {"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"subscriptions/listen\"}", "5", -32601},
    {ASK("5", "initialize", "\"protocolVersion\":\"2025-11-25\""), "5", -32600},
    {ASK("5", "tools/list", "\"cursor\":\"\""), "5", -32602},
    {ASK("5", "tools/list", "\"cursor\":7"), "5", -32602},
    {ASK("5", "tools/list",
         "\"cursor\":\"2000000000000000100000000000000010000000000000001\""),
     "5", -32602},
    {ASK("5", "tools/list",
         "\"cursor\":\"1000000000000000g00000000000000010000000000000001\""),
     "5", -32602},
    {ASK("5", "tools/call", ""), "5", -32602},
    {"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\"}", "5", -32602},
    {ASK("5", "tools/call", "\"name\":7"), "5", -32602},
    {ASK("5", "tools/call", "\"name\":\"none\""), "5", -32602},
    {ASK("5", "tools/call", "\"name\":\"e\\u0000\""), "5", -32602},
    {ASK("5", "tools/call", "\"name\":\"echo\",\"arguments\":[]"), "5", -32602},
    {ASK("5", "resources/read", "\"uri\":true"), "5", -32602},
    {ASK("5", "prompts/get", "\"name\":\"none\""), "5", -32602},
    {ASK("5", "prompts/get", "\"name\":\"greet\""), "5", -32602},
    {ASK("5", "prompts/get", "\"name\":\"greet\",\"arguments\":{\"who\":7}"), "5",
     -32602},
    {ASK("5", "completion/complete", ""), "5", -32602},
    {ASK("5", "completion/complete", "\"ref\":{\"type\":\"ref/tool\"}"), "5", -32602},
    {ASK("5", "completion/complete",
         "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"}"),
     "5", -32602},
    {ASK("5", "completion/complete",
         "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},\"argument\":{"
         "\"name\":\"who\"}"),
     "5", -32602},
    {ASK("5", "completion/complete",
         "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},\"argument\":{"
         "\"name\":\"who\",\"value\":\"\"},\"context\":7"),
     "5", -32602},
    {ASK("5", "completion/complete",
         "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"no://{x}\"},\"argument\":{"
         "\"name\":\"who\",\"value\":\"\"}"),
     "5", -32602},
    {ASK("5", "logging/setLevel", "\"level\":\"loud\""), "5", -32602},
    {ASK("5", "resources/subscribe", "\"uri\":\"\""), "5", -32602},
    {ASK("5", "resources/subscribe", ""), "5", -32602},
};

/* R172 */
START_TEST(an_invalid_message_is_answered_with_the_fitting_code)
{
    sv_legacy("2025-11-25", "{}");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad_lines); i++) {
        sv_say("%s", bad_lines[i].line);
        sv_error(bad_lines[i].id, bad_lines[i].code);
        sv_silence();
    }
    ck_assert_int_eq(sv.overs, 0);
    sv_say(ASK("9", "ping", ""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
}
END_TEST

START_TEST(notifications_and_responses_get_no_answer)
{
    static const char *const lines[] = {
        "",
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
        "\"requestId\":77}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":[1]}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
        "\"progressToken\":1,\"progress\":1}}",
        "{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{},\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":77,\"error\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}",
    };

    sv_legacy("2025-11-25", "{}");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(lines); i++) {
        sv_say("%s", lines[i]);
        sv_silence();
    }
    ck_assert_int_eq(sv.overs, 0);
}
END_TEST

START_TEST(garbage_beyond_max_garbage_ends_the_connection)
{
    sv.spec.max_garbage = 3;
    sv_legacy("2025-11-25", "{}");
    for (int i = 0; i < 3; i++) {
        sv_say("garbage");
        sv_error("null", -32700);
    }
    ck_assert_int_eq(sv.overs, 0);
    sv_say("garbage");
    sv_silence();
    expect_over(MCPHOST_E_PROTOCOL, "not protocol messages");
    ck_assert_int_eq(sv.peer_closed, 1);
}
END_TEST

START_TEST(a_second_request_with_an_id_in_flight_is_refused)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("\"7\""));
    sv_say(SLOW("7"));
    sv_silence();
    sv_say(SLOW("7"));
    sv_error("7", -32600);
    sv_say(ASK("\"\\u0037\"", "ping", ""));
    sv_error("\"\\u0037\"", -32600);
    ck_assert_uint_eq(sv.n_calls, 2);
    sv_answer(1, "done");
    test_has(sv_next(), "\"id\":7,");
    sv_say(SLOW("7")); /* the id may be used again */
    sv_silence();
    ck_assert_uint_eq(sv.n_calls, 3);
}
END_TEST

START_TEST(an_id_of_256_bytes_is_echoed_and_a_longer_id_is_refused)
{
    char id[300];

    sv_legacy("2025-11-25", "{}");
    memset(id, 'x', sizeof(id));
    id[0] = id[255] = '"';
    id[256] = '\0';
    sv_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{"
           "\"name\":\"slow\"}}",
           id);
    sv_answer(0, "x");
    test_has(sv_next(), id);
    id[255] = 'x';
    id[256] = '"';
    id[257] = '\0';
    sv_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", id);
    sv_error("null", -32600);
}
END_TEST

START_TEST(requests_over_max_requests_are_refused_except_ping)
{
    sv.spec.max_requests = 2;
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    sv_say(SLOW("2"));
    sv_say(SLOW("3"));
    sv_error("3", -32000);
    sv_say(ASK("4", "ping", ""));
    (void)sv_next();
    sv_answer(0, "x");
    (void)sv_next();
    sv_say(SLOW("5"));
    sv_silence();
}
END_TEST

START_TEST(requests_over_max_bytes_are_refused)
{
    char big[3000];

    sv.spec.max_bytes = 8000;
    sv_legacy("2025-11-25", "{}");
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    sv_say(ASK("1", "tools/call", "\"name\":\"slow\",\"arguments\":{\"a\":\"%s\"}"), big);
    sv_say(ASK("2", "tools/call", "\"name\":\"slow\",\"arguments\":{\"a\":\"%s\"}"), big);
    sv_say(ASK("3", "tools/call", "\"name\":\"slow\",\"arguments\":{\"a\":\"%s\"}"), big);
    sv_error("3", -32000);
    ck_assert_uint_eq(sv.n_calls, 2);
}
END_TEST

START_TEST(a_request_past_request_ms_fails_and_its_answer_is_dropped)
{
    sv.spec.request_ms = 1000;
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    sv_advance(999);
    sv_silence();
    sv_advance(1);
    sv_error("1", -32001);
    ck_assert_int_eq(sv.unwanted, 1);
    sv_answer(0, "late");
    sv_silence();
}
END_TEST

START_TEST(a_client_that_fills_the_send_queue_is_disconnected)
{
    sv_legacy("2025-11-25", "{}");
    mcph_memory_set_queue_max(sv.transport, 4096);
    mcph_memory_peer_stall(sv.transport, true);
    for (int i = 0; i < 200 && sv.overs == 0; i++)
        sv_say(ASK("1", "tools/list", ""));
    expect_over(MCPHOST_E_LIMIT, "does not read");
    ck_assert_int_eq(sv.overs, 1);
}
END_TEST

START_TEST(a_message_over_the_frame_limit_is_refused_under_its_id)
{
    char big[3000];

    sv_legacy("2025-11-25", "{}");
    mcph_memory_set_frame_limit(sv.transport, 1000);
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    sv_say(ASK("\"big\"", "tools/call", "\"name\":\"%s\""), big);
    sv_error("\"big\"", -32600);
    sv_say(ASK("2", "ping", ""));
    (void)sv_next();
    ck_assert_int_eq(sv.overs, 0);
}
END_TEST

START_TEST(a_batch_is_answered_in_2025_03_26)
{
    sv_legacy("2025-03-26", "{}");
    sv_say("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},7,"
           "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"},8]");
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    sv_error("null", -32600);
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    sv_error("null", -32600);
}
END_TEST

START_TEST(requests_of_a_batch_whose_answers_are_too_large_are_refused)
{
    static const char *const tools[] = {"echo", "slow", "ask"};
    size_t len = 1200000;
    char *text = malloc(len + 100), batch[1024] = "[";
    int n = snprintf(text, 100, "{\"name\":\"a\",\"inputSchema\":{},\"title\":\"");

    memset(text + n, 'x', len);
    memcpy(text + n + len, "\"}", 3);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tools); i++)
        ck_assert_int_eq(mcph_provider_remove(sv.provider, MCPHOST_FEATURE_TOOL,
                                              mcph_span_str(tools[i])),
                         0);
    sv_add(MCPHOST_FEATURE_TOOL, text, sv_slow);
    free(text);
    sv_legacy("2025-03-26", "{}");
    for (int i = 1; i <= 8; i++)
        snprintf(batch + strlen(batch), sizeof(batch) - strlen(batch),
                 "%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"}",
                 i > 1 ? "," : "", i);
    sv_say("%s]", batch);
    for (int i = 1; i <= 3; i++)
        test_has(sv_next(), "\"result\"");
    sv_error("4", -32000);
    sv_error("5", -32000);
    sv_error("6", -32000);
    sv_error("7", -32000);
    sv_error("8", -32000);
    sv_say(ASK("9", "tools/list", ""));
    test_has(sv_next(), "\"id\":9,\"result\"");
}
END_TEST

START_TEST(a_flood_is_answered_over_several_turns)
{
    enum { N = 3000 };
    static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    size_t len = strlen(line), turns = 0;
    char *flood = malloc(N * len + 1);

    sv_legacy("2025-11-25", "{}");
    for (int i = 0; i < N; i++)
        memcpy(flood + (size_t)i * len, line, len + 1);
    ck_assert_int_eq(mcph_memory_peer_write(sv.transport, flood, N * len), 0);
    free(flood);
    while (mcph_core_dispatch(sv.core) > 0)
        turns++;
    ck_assert_uint_ge(turns, 3);
    ck_assert_uint_eq(sv.n_lines, N + 1);
}
END_TEST

START_TEST(a_flood_before_the_service_is_up_ends_the_connection)
{
    enum { N = 5000 };
    static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    size_t len = strlen(line);
    char *flood = malloc(N * len + 1);

    sv_start_idle();
    for (int i = 0; i < N; i++)
        memcpy(flood + (size_t)i * len, line, len + 1);
    ck_assert_int_eq(mcph_memory_peer_write(sv.transport, flood, N * len), 0);
    free(flood);
    sv_turn();
    expect_over(MCPHOST_E_LIMIT, "faster than its messages can be handled");
}
END_TEST

/* Sends `n` requests as a client that reads nothing.  Fails if 2000 bytes or more wait in
 * the transport's queue. */
static void
say_without_reading(int n)
{
    sv.spec.max_queued = 1000;
    sv_legacy("2025-11-25", "{}");
    mcph_memory_peer_stall(sv.transport, true);
    for (int i = 1; i <= n; i++)
        sv_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"}", i);
    ck_assert_uint_lt(mcph_transport_get_queued(sv.transport), 2000);
    sv_silence();
    ck_assert_int_eq(sv.overs, 0);
}

START_TEST(a_client_that_reads_slowly_is_answered_as_it_reads)
{
    char id[32];

    say_without_reading(30);
    sv_advance(59000);
    ck_assert_int_eq(sv.overs, 0);
    mcph_memory_peer_stall(sv.transport, false);
    for (int i = 0; i < 20; i++)
        sv_advance(10);
    for (int i = 1; i <= 30; i++) {
        snprintf(id, sizeof(id), "\"id\":%d,\"result\"", i);
        test_has(sv_next(), id);
    }
    sv_silence();
    ck_assert_int_eq(sv.overs, 0);
}
END_TEST

START_TEST(a_client_that_reads_nothing_for_60_s_is_disconnected)
{
    say_without_reading(30);
    sv_advance(59999);
    ck_assert_int_eq(sv.overs, 0);
    sv_advance(10);
    expect_over(MCPHOST_E_LIMIT, "does not read");
}
END_TEST

START_TEST(notices_over_max_bytes_disconnect_a_client_that_does_not_read)
{
    sv.spec.max_bytes = 2000;
    say_without_reading(2);
    for (int i = 0; i < 20 && sv.overs == 0; i++) {
        ck_assert_int_eq(mcph_provider_updated(sv.provider, mcph_span_str("mem://a")), 0);
        sv_add(MCPHOST_FEATURE_TOOL, "{\"name\":\"x\",\"inputSchema\":{}}", sv_slow);
        sv_turn();
    }
    ck_assert_int_eq(sv.overs, 0);
    for (int i = 0; i < 40; i++) {
        sv_add(MCPHOST_FEATURE_TOOL, "{\"name\":\"x\",\"inputSchema\":{}}", sv_slow);
        sv_turn();
    }
    expect_over(MCPHOST_E_LIMIT, "does not read");
}
END_TEST

static void
log_and_report(double progress)
{
    static const char data[] = "\"0123456789012345678901234567890123456789\"";

    ck_assert_int_eq(mcph_provider_log(sv.provider, MCPHOST_MESSAGES_ERROR,
                                       MCPH_SPAN_NONE, mcph_span_str(data)),
                     0);
    ck_assert_int_eq(mcph_providing_report(sv.calls[0], progress, 100, data, 42), 0);
    sv_turn();
}

/* A client that reads slowly keeps its connection, even if the server sends messages
 * without end. */
START_TEST(messages_and_progress_are_dropped_while_a_client_does_not_read)
{
    sv.spec.max_queued = 1000;
    sv.spec.max_bytes = 4000;
    sv_legacy("2025-11-25", "{}");
    sv_say(ASK("1", "logging/setLevel", "\"level\":\"debug\""));
    (void)sv_next();
    sv_say(
        ASK("2", "tools/call", "\"name\":\"slow\",\"_meta\":{\"progressToken\":\"p\"}"));
    mcph_memory_peer_stall(sv.transport, true);
    for (int i = 1; i <= 100; i++)
        log_and_report(i);
    ck_assert_int_eq(sv.overs, 0);
    mcph_memory_peer_stall(sv.transport, false);
    sv_advance(20);
    ck_assert_uint_lt(sv.n_lines, 20);
    sv.at = sv.n_lines;
    log_and_report(101);
    test_has(sv_next(), "notifications/message");
    test_has(sv_next(), "\"progress\":101");
    sv_answer(0, "done");
    test_has(sv_next(), "\"id\":2,\"result\"");
}
END_TEST

START_TEST(a_close_waits_until_the_client_has_read_its_answers)
{
    say_without_reading(10);
    mcph_connection_close(sv.connection, -1);
    sv_advance(10);
    ck_assert_int_eq(sv.overs, 0);
    mcph_memory_peer_stall(sv.transport, false);
    for (int i = 0; i < 20; i++)
        sv_advance(10);
    ck_assert_int_eq(sv.overs, 1);
    ck_assert_int_eq(mcphost_error_get_code(sv.reason), MCPHOST_E_CLOSED);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "bad");

    tcase_add_checked_fixture(tc, sv_up, sv_down);
    tcase_add_test(tc, an_invalid_message_is_answered_with_the_fitting_code);
    tcase_add_test(tc, notifications_and_responses_get_no_answer);
    tcase_add_test(tc, garbage_beyond_max_garbage_ends_the_connection);
    tcase_add_test(tc, a_second_request_with_an_id_in_flight_is_refused);
    tcase_add_test(tc, an_id_of_256_bytes_is_echoed_and_a_longer_id_is_refused);
    tcase_add_test(tc, requests_over_max_requests_are_refused_except_ping);
    tcase_add_test(tc, requests_over_max_bytes_are_refused);
    tcase_add_test(tc, a_request_past_request_ms_fails_and_its_answer_is_dropped);
    tcase_add_test(tc, a_client_that_fills_the_send_queue_is_disconnected);
    tcase_add_test(tc, a_message_over_the_frame_limit_is_refused_under_its_id);
    tcase_add_test(tc, a_batch_is_answered_in_2025_03_26);
    tcase_add_test(tc, requests_of_a_batch_whose_answers_are_too_large_are_refused);
    tcase_add_test(tc, a_flood_is_answered_over_several_turns);
    tcase_add_test(tc, a_flood_before_the_service_is_up_ends_the_connection);
    tcase_add_test(tc, a_client_that_reads_slowly_is_answered_as_it_reads);
    tcase_add_test(tc, a_client_that_reads_nothing_for_60_s_is_disconnected);
    tcase_add_test(tc, notices_over_max_bytes_disconnect_a_client_that_does_not_read);
    tcase_add_test(tc, messages_and_progress_are_dropped_while_a_client_does_not_read);
    tcase_add_test(tc, a_close_waits_until_the_client_has_read_its_answers);
}

int
main(void)
{
    return test_main("connection-bad", add);
}
