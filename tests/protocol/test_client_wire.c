/* SPDX-License-Identifier: MIT
 *
 * test_client_wire.c - messages of a server besides answers: requests, batches, log
 * messages, noise, and messages in pieces.
 */
#include <stdio.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

static struct cr_call a;

static void
up(void)
{
    cr_up();
    cr_call_init(&a, 1, "alpha", NULL);
}

static void
start(void)
{
    cr_call_go(&a);
    test_has(cr_next(), "alpha");
}

/* ---- requests of the server -------------------------------------------------------- */

START_TEST(a_ping_is_answered_with_its_own_id)
{
    cr_legacy("2025-11-25");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":90,\"method\":\"ping\"}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":90,\"result\":{}}");
    cr_say("{\"id\":\"a\\u0062\",\"method\":\"ping\",\"params\":{},\"jsonrpc\":\"2.0\"}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"result\":{}}");
}
END_TEST

START_TEST(a_ping_during_initialize_is_answered)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_expect(CR_INIT("1"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    ck_assert_int_eq(cr.ready, 0); /* the ping has the same id, but is no answer */
    cr_say(CR_INIT_RESULT("1", "2025-11-25"));
    ck_assert_int_eq(cr.ready, 1);
}
END_TEST

START_TEST(an_answer_with_an_unknown_id_is_reported_once)
{
    static const char *const ids[] = {"77", "\"req-1\"", "1"};
    static struct cr_call call;

    cr_legacy("2025-06-18");
    cr_call_init(&call, 1, "alpha", NULL);
    cr_call_go(&call);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", ids[_i]);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", ids[_i]);
    ck_assert_int_eq(cr.odds, 1);
    test_has(cr.odd, "foreign_id: answered with the id ");
    test_has(cr.odd, ids[_i]);
    ck_assert_int_eq(call.done, 0);
}
END_TEST

START_TEST(a_request_that_is_not_handled_is_refused)
{
    static const char *const methods[] = {"roots/list", "sampling/createMessage",
                                          "elicitation/create", "tasks/list", "no/such"};

    cr_legacy("2025-11-25");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"%s\",\"params\":{}}",
           methods[_i]);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"error\":{\"code\":-32601,"
              "\"message\":\"method not found\"}}");
    cr_expect_nothing();
}
END_TEST

START_TEST(a_request_of_a_modern_server_is_not_answered)
{
    cr_modern();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"roots/list\"}");
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(three_hundred_pings_do_not_hold_up_a_call)
{
    cr_legacy("2025-11-25");
    start();
    for (int i = 0; i < 300; i++)
        cr_put("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", i);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
    for (int i = 0; i < 300; i++)
        cr_next();
    cr_expect_nothing();
}
END_TEST

START_TEST(unknown_notifications_are_ignored)
{
    cr_legacy("2025-11-25");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no/such\",\"params\":{}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
           "\"requestId\":2}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}");
    cr_expect_nothing();
    ck_assert_str_eq(cr.story, "ready ");
}
END_TEST

/* ---- batches ----------------------------------------------------------------------- */

#define BATCH                                                                   \
    "[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"},"                      \
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"n\":1}},"                      \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}," \
    "17,"                                                                       \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}]"

START_TEST(batches_are_accepted_in_2025_03_26)
{
    cr_legacy("2025-03-26");
    start();
    cr_say(BATCH);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_str_eq(a.result, "{\"n\":1}");
    cr_advance(100);
    ck_assert_str_eq(cr.story, "ready done:1 log noise changed ");
}
END_TEST

START_TEST(batches_count_as_noise_in_other_versions)
{
    static const char *const versions[] = {"2024-11-05", "2025-06-18", "2025-11-25"};

    cr_legacy(versions[_i]);
    start();
    cr_say(BATCH);
    cr_expect_nothing();
    ck_assert_int_eq(a.done, 0);
    ck_assert_int_eq(cr.noises, 1);
}
END_TEST

START_TEST(the_rest_of_a_batch_is_dropped_after_the_client_was_freed)
{
    cr_legacy("2025-03-26");
    a.free_client = true;
    start();
    cr_say(BATCH);
    ck_assert_int_eq(a.done, 1);
    cr_advance(100);
    ck_assert_int_eq(cr.changed + cr.logs + cr.noises, 0);
}
END_TEST

/* ---- noise ------------------------------------------------------------------------- */

/* R21 */
START_TEST(lines_that_are_no_messages_are_reported_once_and_skipped)
{
    static const char *const lines[] = {
        "Server listening on stdio",
        "{\"half\":",
        "{}",
        "[]",
        "null",
        "42",
        "\"text\"",
        "{\"jsonrpc\":\"2.0\"}",
        "\xff\xfe",
        "{\"jsonrpc\":\"2.0\",\"id\":2}",
    };
    char first[64];

    cr_legacy("2025-11-25");
    snprintf(first, sizeof(first), "%s", lines[_i]);
    start();
    cr_say("%s", lines[_i]);
    cr_say("more noise");
    cr_say("\n\n   \n");
    if (_i < 9) {
        ck_assert_int_eq(cr.noises, 1);
        ck_assert_uint_ge(cr_counters()->garbage, 2);
        ck_assert_str_eq(cr.noise, _i == 8 ? "\xef\xbf\xbd\xef\xbf\xbd" : first);
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\r");
        ck_assert_int_eq(a.code, 0);
    } else { /* an invalid answer ends its call */
        ck_assert_int_eq(a.code, MCPHOST_E_PROTOCOL);
    }
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

/* R21 */
START_TEST(a_banner_before_the_handshake_is_skipped)
{
    cr_start();
    cr_sent();
    cr_say("Welcome to \x1b[1mserver\x1b[0m\t1.0");
    ck_assert_int_eq(cr.noises, 1);
    ck_assert_str_eq(cr.noise, "Welcome to  [1mserver [0m 1.0");
    cr_say(CR_DISCOVERED("1"));
    ck_assert_int_eq(cr.ready, 1);
}
END_TEST

START_TEST(noise_is_shortened)
{
    cr_legacy("2025-11-25");
    cr_say("%0500d", 0);
    ck_assert_uint_lt(strlen(cr.noise), 200);
}
END_TEST

START_TEST(a_noise_function_may_free_the_client)
{
    cr_legacy("2025-11-25");
    start();
    cr.free_in_event = true;
    cr_put("noise");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.done, 0);
}
END_TEST

START_TEST(an_error_without_an_id_after_the_handshake_ends_no_call)
{
    cr_legacy("2025-11-25");
    start();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":"
           "\"m\"}}");
    ck_assert_int_eq(a.done, 0);
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

/* ---- bytes ------------------------------------------------------------------------- */

static void
say_split(const char *text, size_t step)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i += step) {
        cr_bytes(text + i, len - i < step ? len - i : step);
        if (i % 3 == 0)
            cr_turn();
    }
    cr_turn();
}

START_TEST(messages_may_come_in_pieces_of_any_size)
{
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":"
        "\"info\",\"logger\":\"l\\u00e9\",\"data\":{\"k\":[1,2]}}}\r\n"
        "not json at all\n"
        "{\"jsonrpc\":\"2.0\",\"result\":{\"t\":\"\xc3\xa9\\n\"},\"id\":2}\n";

    cr_legacy("2025-11-25");
    start();
    say_split(text, (size_t)_i);
    ck_assert_str_eq(cr.story, "ready log noise done:1 ");
    ck_assert_str_eq(cr.log, "\"info\" \"l\\u00e9\" {\"k\":[1,2]}");
    ck_assert_str_eq(a.result, "{\"t\":\"\xc3\xa9\\n\"}");
}
END_TEST

/* ---- log messages ------------------------------------------------------------------ */

START_TEST(a_configured_log_level_is_sent_at_ready)
{
    cr.spec.log_level = "warning";
    cr_legacy("2025-11-25");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"logging/setLevel\","
              "\"params\":{\"level\":\"warning\"}}");
    if (_i == 0)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    else if (_i == 1)
        cr_say(CR_REFUSED("2"));
    else
        cr_advance(15000);
    /* MCP 2025-11-25, "Timeouts": the client cancels a request that has timed out. */
    if (_i == 2)
        cr_expect(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
            "\"requestId\":2,\"reason\":\"timed out\"}}");
    cr_expect_nothing();
    ck_assert_str_eq(cr.story, "ready ");
}
END_TEST

START_TEST(log_messages_need_params_but_no_level_or_logger)
{
    cr_legacy("2025-11-25");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
           "\"level\":7,\"data\":\"x\"}}");
    ck_assert_str_eq(cr.log, "  \"x\"");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":[]}");
    ck_assert_int_eq(cr.logs, 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "questions");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, a_ping_is_answered_with_its_own_id);
    tcase_add_test(tc, a_ping_during_initialize_is_answered);
    tcase_add_loop_test(tc, an_answer_with_an_unknown_id_is_reported_once, 0, 3);
    tcase_add_loop_test(tc, a_request_that_is_not_handled_is_refused, 0, 5);
    tcase_add_test(tc, a_request_of_a_modern_server_is_not_answered);
    tcase_add_test(tc, three_hundred_pings_do_not_hold_up_a_call);
    tcase_add_test(tc, unknown_notifications_are_ignored);

    tc = test_case(suite, "batches");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, batches_are_accepted_in_2025_03_26);
    tcase_add_loop_test(tc, batches_count_as_noise_in_other_versions, 0, 3);
    tcase_add_test(tc, the_rest_of_a_batch_is_dropped_after_the_client_was_freed);

    tc = test_case(suite, "noise");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, lines_that_are_no_messages_are_reported_once_and_skipped, 0,
                        10);
    tcase_add_test(tc, a_banner_before_the_handshake_is_skipped);
    tcase_add_test(tc, noise_is_shortened);
    tcase_add_test(tc, a_noise_function_may_free_the_client);
    tcase_add_test(tc, an_error_without_an_id_after_the_handshake_ends_no_call);

    tc = test_case(suite, "bytes");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, messages_may_come_in_pieces_of_any_size, 1, 40);

    tc = test_case(suite, "log messages");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, a_configured_log_level_is_sent_at_ready, 0, 3);
    tcase_add_test(tc, log_messages_need_params_but_no_level_or_logger);
}

int
main(void)
{
    return test_main("client-wire", add);
}
