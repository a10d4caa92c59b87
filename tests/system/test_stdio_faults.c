/* SPDX-License-Identifier: MIT
 *
 * test_stdio_faults.c - a client with the stdio transport against servers that misbehave.
 *
 * Each test checks whether a fault ends nothing, its call, or the connection.  The error
 * of a fault names the server and the reason.  peer_down() checks that nothing is left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "support/runner.h"

/* ---- other text on stdout ---------------------------------------------------------- */

/* R21 */
START_TEST(banners_and_garbage_are_reported_once_and_skipped)
{
    peer_script("on spawn\n"
                "  line Welcome to the server!\n"
                "  line {\"not\":\"a message\"}\n"
                "  line \n"
                "on initialize\n"
                "  line [1,2\n"
                "  answer\n"
                "  line trailing words\n"
                "on call:echo\n"
                "  line about to answer\n"
                "  answer\n"
                "  line answered\n");
    peer_listed();
    peer_lives();
    ck_assert_int_eq(peer.noises, 1);
    ck_assert_ptr_nonnull(strstr(peer.noise, "Welcome"));
    ck_assert_uint_ge(peer_counters()->garbage, 3);
}
END_TEST

START_TEST(a_flood_of_garbage_is_reported_once_and_calls_succeed)
{
    long peak;

    peer_script("on call:echo\n"
                "  lines 100000 not a message at all\n"
                "  answer\n");
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_lives();
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * 1024);
    ck_assert_int_eq(peer.noises, 1);
    ck_assert_uint_ge(peer_counters()->garbage, 100000);
}
END_TEST

START_TEST(half_lines_are_joined)
{
    peer_script("on call:echo\n"
                "  raw {\"jsonrpc\":\"2.0\",\"id\"\n"
                "  delay 20\n"
                "  raw :%%i,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ali\n"
                "  delay 20\n"
                "  raw ve\"}]}}\n"
                "  delay 20\n"
                "  raw \\n\n");
    peer_script("era legacy\n");
    peer_listed();
    peer_lives();
}
END_TEST

START_TEST(a_server_that_writes_single_bytes_is_understood)
{
    struct peer_call call;

    peer_script("chunk 1\n");
    peer_listed();
    ck_assert_uint_eq(peer_count_tools(), 10);
    peer_call(&call, "count", "{\"n\":3,\"ms\":1}", 5000, 0);
    ck_assert_int_eq(call.progress, 3);
    peer_call_end(&call);
}
END_TEST

START_TEST(several_messages_in_one_write_are_split)
{
    struct peer_call a, b;

    peer_script("era legacy\n"
                "on call:slow\n"
                "on call:add\n"
                "  raw {\"jsonrpc\":\"2.0\",\"id\":%%i,\"result\":{\"content\":[]}}\\r\\n"
                "\\r\\n{\"jsonrpc\":\"2.0\",\"id\":9999,\"result\":{}}\\n\n");
    peer_listed();
    peer_call(&a, "add", "{}", 5000, 0);
    peer_call(&b, "add", "{}", 5000, 0);
    ck_assert_uint_eq(peer_counters()->unknown_ids, 2);
    peer_call_end(&a);
    peer_call_end(&b);
}
END_TEST

/* ---- stderr ------------------------------------------------------------------------ */

START_TEST(a_flood_of_stderr_is_drained_in_bounded_memory)
{
    struct peer_call call;
    long peak;

    peer_script("on call:add\n"
                "  stderr-fill 30M\n"
                "  answer\n");
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 20000, 0);
    ck_assert_ptr_nonnull(strstr(call.result, "\"3\""));
    peer_call_end(&call);
    ck_assert_int_gt(peer.stderr_lines, 0);
    ck_assert_int_lt(peer.stderr_lines, 10000);
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * 1024);
}
END_TEST

/* ---- large answers ----------------------------------------------------------------- */

#define MIB 1024

static void
large_answer(const char *order)
{
    struct peer_call call;
    long peak;

    peer_script("on call:big\n"
                "  %s\n"
                "  text-bytes 100M\n",
                order);
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_call(&call, "big", "{}", 30000, MCPHOST_E_LIMIT);
    peer_error_says(call.error, "limit", NULL);
    peer_call_end(&call);
    ck_assert_int_lt(rig_peak_kib() - peak, 160 * MIB);
    peer_lives();
}

/* The client discards the bytes of an answer over the limit and keeps only its id.  At
 * the end of the answer, the call with this id fails.  The connection stays. */
START_TEST(an_answer_of_100_mb_with_the_id_first_fails_only_its_call)
{
    large_answer("# id first");
}
END_TEST

START_TEST(an_answer_of_100_mb_with_the_id_last_fails_only_its_call)
{
    large_answer("id-last");
}
END_TEST

START_TEST(a_line_over_the_limit_is_read_in_constant_memory)
{
    struct peer_call call;
    long peak;

    peer.frame_limit = 1 << 20;
    peer_script("on call:big\n"
                "  id-last\n"
                "  text-bytes 50M\n");
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_call(&call, "big", "{}", 30000, MCPHOST_E_LIMIT);
    peer_call_end(&call);
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * MIB);
    peer_lives();
}
END_TEST

START_TEST(garbage_without_a_newline_is_read_in_constant_memory)
{
    struct peer_call call;
    long peak;

    peer.frame_limit = 1 << 20;
    peer_script("on call:add\n"
                "  fill 50M z\n"
                "  raw \\n\n"
                "  answer\n");
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 30000, 0);
    peer_call_end(&call);
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * MIB);
    peer_lives();
}
END_TEST

START_TEST(an_answer_just_under_the_limit_arrives_whole)
{
    struct peer_call call;

    peer_listed();
    peer_call(&call, "big", "{\"bytes\":8000000}", 20000, 0);
    ck_assert_uint_ge(strlen(call.result), 8000000);
    peer_call_end(&call);
}
END_TEST

/* ---- answers with wrong ids -------------------------------------------------------- */

static void
answer_to_nobody(const char *action)
{
    struct peer_call call;

    peer_script("on call:add\n  %s\n  answer\n", action);
    peer_listed();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 300, MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "add", NULL);
    peer_call_end(&call);
    ck_assert_uint_ge(peer_counters()->unknown_ids, 1);
    peer_lives();
}

START_TEST(an_answer_with_a_wrong_id_is_counted_and_dropped)
{
    answer_to_nobody("id 123456");
}
END_TEST

START_TEST(an_id_that_comes_back_as_a_string_is_accepted)
{
    struct peer_call call;

    peer_script("on call:add\n  id-string\n  answer\n");
    peer_listed();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 5000, 0);
    peer_call_end(&call);
    peer_lives();
}
END_TEST

START_TEST(a_second_answer_is_counted_and_dropped)
{
    peer_script("on call:echo\n  answer\n  answer\n");
    peer_listed();
    peer_lives();
    peer_lives();
    ck_assert_uint_ge(peer_counters()->double_answers, 1);
}
END_TEST

START_TEST(a_call_without_an_answer_times_out_and_is_cancelled)
{
    struct peer_call call;

    peer_script("on call:add\n");
    peer_listed();
    peer_call(&call, "add", "{}", 200, MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "add", NULL);
    peer_call_end(&call);
    ck_assert(peer_traced("notifications/cancelled"));
    peer_lives();
}
END_TEST

START_TEST(an_answer_after_the_deadline_is_dropped)
{
    struct peer_call call;

    peer_script("ignore cancel\n"
                "on call:add\n  delay 300\n  answer\n");
    peer_listed();
    peer_call(&call, "add", "{}", 100, MCPHOST_E_TIMEOUT);
    peer_wait(300);
    ck_assert_int_eq(call.done, 1);
    peer_call_end(&call);
    peer_lives();
    ck_assert_uint_eq(peer_counters()->late_answers, 1);
}
END_TEST

/* ---- bytes that are no JSON -------------------------------------------------------- */

/* Sends a result that the client cannot parse.  The call fails at once if the client
 * can read the id of the answer, or else at the call's deadline.  The connection
 * stays. */
static void
broken_result(const char *line)
{
    struct peer_call call;

    peer_script("on call:add\n  line {\"jsonrpc\":\"2.0\",\"id\":%%i,\"result\":%s}\n",
                line);
    peer_listed();
    peer_call_start(&call, "add", "{}", 1000);
    peer_until(&call.done, 3000);
    ck_assert(call.code == MCPHOST_E_PROTOCOL || call.code == MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "add", NULL);
    peer_call_end(&call);
    peer_lives();
}

START_TEST(invalid_utf8_in_a_result_is_replaced)
{
    struct peer_call call;

    peer_script("on call:add\n  line {\"jsonrpc\":\"2.0\",\"id\":%%i,\"result\":"
                "{\"content\":[{\"type\":\"text\",\"text\":\"a\\xff\\xfe\"}]}}\n");
    peer_listed();
    peer_call(&call, "add", "{}", 1000, 0);
    ck_assert_str_eq(call.result, "{\"content\":[{\"type\":\"text\",\"text\":"
                                  "\"a\xef\xbf\xbd\xef\xbf\xbd\"}]}");
    peer_call_end(&call);
    peer_lives();
}
END_TEST

START_TEST(an_answer_that_ends_too_early_fails_its_call_with_a_reason)
{
    struct peer_call call;

    peer_script("on call:add\n  line {\"jsonrpc\":\"2.0\",\"id\":%%i,\"result\":{\n");
    peer_listed();
    peer_call(&call, "add", "{}", 1000, MCPHOST_E_PROTOCOL);
    peer_error_says(call.error,
                    "sent a broken answer to the call of 'add': the text ends too early",
                    NULL);
    peer_call_end(&call);
}
END_TEST

/* The error of the call names the fault of the message that was meant as the call's
 * answer. */
START_TEST(a_call_without_an_answer_says_what_came_instead)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"{\"id\":%i,\"result\":{}}", "\"jsonrpc\":\"2.0\" is missing"},
        {"[{\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{}}]", "a batch"},
        {"{\"jsonrpc\":\"2.0\",\"id\":%ie0,\"result\":{}}", "the id is neither"},
    };
    struct peer_call call;

    peer_script("on call:add\n  line %s\n", cases[_i].line);
    peer_listed();
    peer_call(&call, "add", "{}", 300, MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "did not answer the call of 'add' in time",
                    "wrote something that is not a JSON-RPC message", cases[_i].says,
                    NULL);
    peer_call_end(&call);
}
END_TEST

START_TEST(a_nul_byte_in_a_result_fails_only_its_call)
{
    broken_result("{\"content\":[{\"type\":\"text\",\"text\":\"a\\0b\"}]}");
}
END_TEST

START_TEST(a_result_that_is_no_object_fails_only_its_call)
{
    broken_result("[1,2,3]");
}
END_TEST

START_TEST(deeply_nested_json_fails_only_its_call)
{
    struct peer_call call;

    peer_script("on call:add\n  deep 1000000\n");
    peer_listed();
    peer_call_start(&call, "add", "{}", 1000);
    peer_until(&call.done, 3000);
    ck_assert(call.code == MCPHOST_E_PROTOCOL || call.code == MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "add", NULL);
    peer_call_end(&call);
    peer_lives();
}
END_TEST

/* The client passes on the values inside a result unchanged, even if another parser would
 * refuse the values. */
START_TEST(odd_numbers_and_escapes_in_a_result_are_passed_on_unchanged)
{
    static const char odd[] = "{\"content\":[],\"structuredContent\":{\"n\":"
                              "18446744073709551616,\"f\":1e400,\"z\":\"\\u0000\","
                              "\"s\":\"\\ud800\"}}";
    struct peer_call call;

    peer_script("era legacy\non call:add\n  result %s\n", odd);
    peer_listed();
    peer_call(&call, "add", "{}", 2000, 0);
    ck_assert_str_eq(call.result, odd);
    peer_call_end(&call);
}
END_TEST

static void
add_stdout(Suite *suite)
{
    TCase *tc = peer_case(suite, "stdout", 20);

    tcase_add_test(tc, banners_and_garbage_are_reported_once_and_skipped);
    tcase_add_test(tc, a_flood_of_garbage_is_reported_once_and_calls_succeed);
    tcase_add_test(tc, half_lines_are_joined);
    tcase_add_test(tc, a_server_that_writes_single_bytes_is_understood);
    tcase_add_test(tc, several_messages_in_one_write_are_split);
}

static void
add_stderr(Suite *suite)
{
    TCase *tc = peer_case(suite, "stderr", 20);

    tcase_add_test(tc, a_flood_of_stderr_is_drained_in_bounded_memory);
}

static void
add_large(Suite *suite)
{
    TCase *tc = peer_case(suite, "large", 40);

    tcase_add_test(tc, an_answer_of_100_mb_with_the_id_first_fails_only_its_call);
    tcase_add_test(tc, an_answer_of_100_mb_with_the_id_last_fails_only_its_call);
    tcase_add_test(tc, a_line_over_the_limit_is_read_in_constant_memory);
    tcase_add_test(tc, garbage_without_a_newline_is_read_in_constant_memory);
    tcase_add_test(tc, an_answer_just_under_the_limit_arrives_whole);
}

static void
add_answers(Suite *suite)
{
    TCase *tc = peer_case(suite, "answers", 20);

    tcase_add_test(tc, an_answer_with_a_wrong_id_is_counted_and_dropped);
    tcase_add_test(tc, an_id_that_comes_back_as_a_string_is_accepted);
    tcase_add_test(tc, a_second_answer_is_counted_and_dropped);
    tcase_add_test(tc, a_call_without_an_answer_times_out_and_is_cancelled);
    tcase_add_test(tc, an_answer_after_the_deadline_is_dropped);
}

static void
add_bytes(Suite *suite)
{
    TCase *tc = peer_case(suite, "bytes", 20);

    tcase_add_test(tc, invalid_utf8_in_a_result_is_replaced);
    tcase_add_test(tc, an_answer_that_ends_too_early_fails_its_call_with_a_reason);
    tcase_add_loop_test(tc, a_call_without_an_answer_says_what_came_instead, 0, 3);
    tcase_add_test(tc, a_nul_byte_in_a_result_fails_only_its_call);
    tcase_add_test(tc, a_result_that_is_no_object_fails_only_its_call);
    tcase_add_test(tc, deeply_nested_json_fails_only_its_call);
    tcase_add_test(tc, odd_numbers_and_escapes_in_a_result_are_passed_on_unchanged);
}

static void
add(Suite *suite)
{
    add_stdout(suite);
    add_stderr(suite);
    add_large(suite);
    add_answers(suite);
    add_bytes(suite);
}

int
main(void)
{
    return test_main("stdio-faults", add);
}
