/* SPDX-License-Identifier: MIT
 *
 * test_client_ping.c - pings to a silent server, and the end of the connection if the
 * server does not answer the pings.
 */
#include <string.h>

#include "loop/core.h"
#include "protocol/clientrig.h"
#include "support/runner.h"

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\",\"params\":{}}"

static struct cr_call a;

static void
up(void)
{
    cr_up();
    cr.spec.ping_ms = 30000;
    cr.spec.ping_timeout_ms = 5000;
    cr_call_init(&a, 1, "alpha", NULL);
}

/* Expects no message until ping_ms (30000) has passed, and then the ping `line`. */
static void
expect_ping(const char *line)
{
    cr_advance(29999);
    cr_expect_nothing();
    cr_advance(1);
    cr_expect(line);
}

START_TEST(a_silent_server_is_pinged_repeatedly) /* MCP 2025-11-25, Ping */
{
    cr_legacy("2025-11-25");
    expect_ping(PING("2"));
    cr_advance(100);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    expect_ping(PING("3"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    cr_advance(1000);
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(a_server_that_does_not_answer_a_ping_is_lost) /* R109 */
{
    cr_legacy("2024-11-05");
    expect_ping(PING("2"));
    cr_advance(4999);
    ck_assert_int_eq(cr.downs, 0);
    cr_advance(1);
    ck_assert_int_eq(cr.downs, 1);
    ck_assert_int_eq(mcphost_error_get_code(cr.error), MCPHOST_E_TRANSPORT);
    ck_assert_str_eq(mcphost_error_get_server_id(cr.error), "srv");
    ck_assert_msg(strstr(mcphost_error_get_message(cr.error),
                         "did not answer a ping within 5000 ms") != NULL,
                  "%s", mcphost_error_get_message(cr.error));
    ck_assert_int_eq(mcph_core_next_due(cr.core) == INT64_MAX, 1);
}
END_TEST

START_TEST(an_error_answer_to_a_ping_is_a_sign_of_life)
{
    cr_legacy("2025-11-25");
    expect_ping(PING("2"));
    cr_say(CR_REFUSED("2"));
    cr_advance(5000);
    ck_assert_int_eq(cr.downs, 0);
    cr_advance(25000);
    cr_expect(PING("3"));
}
END_TEST

START_TEST(any_message_during_a_ping_is_a_sign_of_life)
{
    cr_legacy("2025-11-25");
    expect_ping(PING("2"));
    cr_advance(3000);
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
           "\"level\":\"info\",\"data\":1}}");
    cr_advance(2000);
    ck_assert_int_eq(cr.downs, 0);
    cr_next(); /* the client cancels the ping */
    expect_ping(PING("3"));
}
END_TEST

/* MCP 2025-11-25, "Timeouts" */
START_TEST(a_ping_that_times_out_is_cancelled)
{
    cr_legacy("2025-11-25");
    expect_ping(PING("2"));
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
           "\"level\":\"info\",\"data\":1}}");
    cr_advance(5000);
    cr_expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":2,\"reason\":\"timed out\"}}");
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(a_server_that_sends_messages_is_not_pinged)
{
    cr_legacy("2025-11-25");
    for (int i = 0; i < 4; i++) {
        cr_advance(29999);
        cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
               "\"level\":\"info\",\"data\":1}}");
    }
    cr_expect_nothing();
}
END_TEST

/* The client sends no ping during a call, because the server may be busy. */
START_TEST(a_server_with_an_open_call_is_not_pinged)
{
    cr_legacy("2025-11-25");
    a.call.timeout_ms = -1;
    cr_call_go(&a);
    test_has(cr_next(), "tools/call");
    cr_advance(300000);
    cr_expect_nothing();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}");
    ck_assert_int_eq(a.done, 1);
    cr_advance(30000); /* the answer came at the beginning of this period */
    cr_expect_nothing();
    cr_advance(30000);
    cr_expect(PING("3"));
}
END_TEST

START_TEST(calls_after_an_unanswered_ping_fail_with_its_error) /* R108 */
{
    cr_legacy("2025-11-25");
    expect_ping(PING("2"));
    ck_assert_int_eq(cr_call_start(&a), 0);
    cr_advance(5000);
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(a.code, MCPHOST_E_TRANSPORT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(a.error), "ping"));
    ck_assert_int_eq(cr.downs, 1);
}
END_TEST

START_TEST(an_owner_may_free_a_lost_client)
{
    cr_legacy("2025-11-25");
    expect_ping(PING("2"));
    cr.free_in_event = true;
    cr_advance(5000);
    ck_assert_int_eq(cr.downs, 1);
    cr.client = NULL;
}
END_TEST

START_TEST(with_ping_ms_0_nothing_is_sent_and_no_timer_runs)
{
    cr.spec.ping_ms = 0;
    cr_legacy("2025-11-25");
    ck_assert_int_eq(mcph_core_next_due(cr.core) == INT64_MAX, 1);
    cr_advance(86400000);
    cr_expect_nothing();
}
END_TEST

START_TEST(a_modern_server_is_never_pinged)
{
    cr_modern();
    ck_assert_int_eq(mcph_core_next_due(cr.core) == INT64_MAX, 1);
    cr_advance(86400000);
    cr_expect_nothing();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "ping");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, a_silent_server_is_pinged_repeatedly);
    tcase_add_test(tc, a_server_that_does_not_answer_a_ping_is_lost);
    tcase_add_test(tc, an_error_answer_to_a_ping_is_a_sign_of_life);
    tcase_add_test(tc, any_message_during_a_ping_is_a_sign_of_life);
    tcase_add_test(tc, a_ping_that_times_out_is_cancelled);
    tcase_add_test(tc, a_server_that_sends_messages_is_not_pinged);
    tcase_add_test(tc, a_server_with_an_open_call_is_not_pinged);
    tcase_add_test(tc, calls_after_an_unanswered_ping_fail_with_its_error);
    tcase_add_test(tc, an_owner_may_free_a_lost_client);
    tcase_add_test(tc, with_ping_ms_0_nothing_is_sent_and_no_timer_runs);
    tcase_add_test(tc, a_modern_server_is_never_pinged);
}

int
main(void)
{
    return test_main("client-ping", add);
}
