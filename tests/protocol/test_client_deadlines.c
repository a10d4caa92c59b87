/* SPDX-License-Identifier: MIT
 *
 * test_client_deadlines.c - calls that are cancelled, time out, wait in the queue, or are
 * lost with their server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

static struct cr_call a, b, c;

static void
up(void)
{
    cr_up();
    cr_call_init(&a, 1, "alpha", NULL);
    cr_call_init(&b, 2, "beta", NULL);
    cr_call_init(&c, 3, "gamma", NULL);
}

/* ---- cancellation and deadlines ---------------------------------------------------- */

START_TEST(a_cancelled_call_tells_the_server_and_drops_the_late_answer)
{
    char line[256];
    int id = _i == 0 ? 2 : 1;

    if (_i == 0)
        cr_legacy("2025-11-25");
    else
        cr_modern();
    cr_call_go(&a);
    cr_sent();
    mcph_operation_cancel(&a.call, "the \"user\" left");
    mcph_operation_cancel(&a.call, "again");
    cr_turn();
    snprintf(line, sizeof(line),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
             "{\"requestId\":%d,\"reason\":\"the \\\"user\\\" left\"}}",
             id);
    cr_expect(line);
    cr_expect_nothing();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}", id);
    ck_assert_int_eq(a.done, 0);
    ck_assert_uint_eq(cr_counters()->late_answers, 1);
    ck_assert_uint_eq(cr_counters()->unknown_ids, 0);
}
END_TEST

START_TEST(a_call_past_its_timeout_fails_and_is_cancelled)
{
    cr_legacy("2025-11-25");
    a.call.timeout_ms = 1000;
    cr_call_go(&a);
    cr_sent();
    cr_advance(999);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "1000 ms");
    test_has(cr_next(), "\"requestId\":2");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(a_call_without_a_timeout_waits_for_a_day)
{
    cr_legacy("2025-11-25");
    a.call.timeout_ms = -1;
    cr_call_go(&a);
    cr_advance(86400000);
    ck_assert_int_eq(a.done, 0);
}
END_TEST

static void
say_progress(int token, double progress)
{
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
           "\"progressToken\":%d,\"progress\":%g,\"total\":8,\"message\":\"m\"}}",
           token, progress);
}

START_TEST(progress_resets_the_deadline_only_of_calls_that_ask_for_it)
{
    cr_legacy("2025-11-25");
    cr_call_progress(&a);
    cr_call_progress(&b);
    a.call.timeout_ms = b.call.timeout_ms = 1000;
    a.call.progress_resets = true;
    cr_call_go(&a);
    cr_call_go(&b);
    cr_advance(900);
    say_progress(2, 1);
    say_progress(3, 1);
    cr_advance(900);
    ck_assert_int_eq(a.done, 0);
    ck_assert_int_eq(b.done, 1); /* b does not set progress_resets */
    cr_advance(100);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "alpha");
}
END_TEST

START_TEST(progress_does_not_move_the_hard_deadline)
{
    cr_legacy("2025-11-25");
    a.call.progress_resets = true;
    a.call.timeout_ms = 1000;
    a.call.max_ms = 2500;
    cr_call_go(&a);
    for (int i = 1; i <= 2; i++) {
        cr_advance(900);
        say_progress(2, i);
    }
    cr_advance(699);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "2500 ms");
}
END_TEST

START_TEST(progress_is_reported_before_the_result_and_never_after)
{
    cr_legacy("2025-11-25");
    cr_call_progress(&a);
    cr_call_go(&a);
    cr_put("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
           "\"progressToken\":2,\"progress\":0.5,\"total\":8}}");
    cr_put("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    cr_put("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
           "\"progressToken\":2,\"progress\":1}}");
    cr_turn();
    ck_assert_str_eq(cr.story, "ready progress:1 done:1 ");
    ck_assert(a.progress > 0.49 && a.progress < 0.51 && a.total > 7.9);
}
END_TEST

START_TEST(invalid_or_unrequested_progress_is_ignored)
{
    cr_legacy("2025-11-25");
    cr_call_progress(&a);
    cr_call_go(&a);
    cr_call_go(&b); /* b has no progress function */
    say_progress(9, 1);
    say_progress(3, 1);
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
           "\"progressToken\":\"two\",\"progress\":1}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
           "\"progressToken\":2,\"progress\":\"half\"}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":[]}");
    ck_assert_int_eq(a.progressed, 0);
    ck_assert_int_eq(a.done, 0);
}
END_TEST

/* ---- the queue --------------------------------------------------------------------- */

START_TEST(calls_before_ready_are_sent_at_ready)
{
    cr_start();
    cr_call_go(&a);
    cr_call_go(&b);
    cr_sent();
    cr_expect_nothing();
    cr_say(CR_DISCOVERED("1"));
    test_has(cr_next(), "alpha");
    test_has(cr_next(), "beta");
    cr_expect_nothing();
}
END_TEST

START_TEST(the_deadline_of_a_call_runs_while_it_waits_for_ready)
{
    cr_start();
    a.call.timeout_ms = 1000;
    b.call.timeout_ms = 3000;
    c.call.max_ms = 500;
    cr_call_go(&a);
    cr_call_go(&b);
    cr_call_go(&c);
    cr_advance(500);
    cr_call_failed(&c, MCPHOST_E_TIMEOUT, "was not ready in time");
    cr_advance(500);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "was not ready in time");
    cr_say(CR_DISCOVERED("1"));
    cr_advance(1999);
    ck_assert_int_eq(b.done, 0);
    cr_advance(1);
    cr_call_failed(&b, MCPHOST_E_TIMEOUT, "beta");
}
END_TEST

START_TEST(progress_gives_a_call_that_waited_its_full_timeout_again)
{
    cr_start();
    a.call.timeout_ms = 1000;
    a.call.progress_resets = true;
    cr_call_go(&a);
    cr_advance(800);
    cr_say(CR_DISCOVERED("1"));
    cr_advance(100);
    say_progress(1, 1);
    cr_advance(999);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    ck_assert_int_eq(a.done, 1);
}
END_TEST

/* The server has lost the session, so that the client begins another session and sends
 * the call again.  The limit passes before (_i is 0) or after (_i is 1) the call is sent
 * again. */
START_TEST(max_ms_of_a_call_that_is_sent_again_runs_from_its_start)
{
    cr.web = true;
    cr.spec.era = MCPH_CLIENT_LEGACY;
    a.call.timeout_ms = -1;
    a.call.max_ms = 1000;
    cr_start();
    cr_next();
    cr_answer(cr_stream(), CR_INIT_RESULT("1", "2025-06-18"));
    cr_next();
    cr_call_go(&a);
    cr_next();
    cr_advance(600);
    cr_status(cr_stream(), 404, NULL, NULL);
    cr_expect(CR_INIT("3"));
    if (_i == 1) {
        cr_answer(cr_stream(), CR_INIT_RESULT("3", "2025-06-18"));
        cr_next();
        test_has(cr_next(), "alpha");
    }
    cr_advance(399);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "alpha");
}
END_TEST

START_TEST(calls_over_max_in_flight_wait_and_over_max_queued_are_refused)
{
    cr.spec.max_in_flight = 1;
    cr.spec.max_queued = 1;
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_call_go(&b);
    ck_assert_int_eq(cr_call_start(&c), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(c.error), "server 'srv'"));
    test_has(cr_next(), "alpha");
    cr_expect_nothing();
    ck_assert_uint_eq(cr_open(), 2);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
    test_has(cr_next(), "beta");
}
END_TEST

START_TEST(cancelling_a_waiting_call_sends_nothing)
{
    cr.spec.max_in_flight = 1;
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_call_go(&b);
    cr_call_go(&c);
    cr_sent();
    mcph_operation_cancel(&b.call, "no");
    cr_turn();
    cr_expect_nothing();
    mcph_operation_cancel(&a.call, NULL); /* makes room for c */
    cr_turn();
    cr_expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":2}}");
    test_has(cr_next(), "gamma");
}
END_TEST

START_TEST(a_call_that_does_not_fit_into_the_send_queue_is_refused)
{
    static char args[3000];

    snprintf(args, sizeof(args), "{\"t\":\"%02900d\"}", 0);
    cr_legacy("2025-11-25");
    mcph_memory_set_queue_max(cr.transport, 4000);
    mcph_memory_peer_stall(cr.transport, true);
    a.call.arguments = b.call.arguments = mcph_span_str(args);
    cr_call_go(&a);
    ck_assert_int_eq(cr_call_start(&b), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(b.error), "does not read"));
    cr_call_go(&c); /* c fits into the queue */
    mcph_memory_peer_stall(cr.transport, false);
    cr_turn();
    test_has(cr_next(), "alpha");
    test_has(cr_next(), "gamma");
    cr_expect_nothing();
}
END_TEST

/* ---- the end of the connection ----------------------------------------------------- */

START_TEST(the_servers_death_fails_all_calls_with_reason_and_stderr)
{
    cr.spec.max_in_flight = 1;
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_call_go(&b);
    cr_die("killed by signal 11 (Segmentation fault)", "assertion failed\n");
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "server 'srv': killed by signal 11");
    cr_call_failed(&b, MCPHOST_E_TRANSPORT, "killed by signal 11");
    ck_assert_str_eq(mcphost_error_get_stderr_tail(a.error), "assertion failed\n");
    ck_assert_str_eq(cr.story, "ready done:1 done:2 down ");
    ck_assert_int_eq(cr_call_start(&c), MCPHOST_E_TRANSPORT);
}
END_TEST

START_TEST(answers_before_the_end_of_the_server_are_delivered)
{
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_call_go(&b);
    cr_put("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    cr_die("exited with status 0", NULL);
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(b.code, MCPHOST_E_TRANSPORT);
}
END_TEST

START_TEST(a_call_to_a_server_that_has_just_ended_fails_with_its_reason)
{
    mcphost_error *err = NULL;

    cr_legacy("2025-11-25");
    mcph_err(&err, MCPHOST_E_TRANSPORT, "exited with status 9");
    mcph_memory_peer_close(cr.transport, err);
    mcphost_error_unref(err);
    cr_call_go(&a); /* the call waits, because the end is not reported yet */
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "exited with status 9");
}
END_TEST

START_TEST(when_the_server_ends_a_done_function_may_start_a_call_or_free_the_client)
{
    cr_legacy("2025-11-25");
    a.next = &c;
    b.free_client = true;
    cr_call_go(&a);
    cr_call_go(&b);
    cr_die("exited with status 0", NULL);
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(c.code, MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(b.done, 1);
    ck_assert_int_eq(cr.downs, 0); /* the client was freed before `down` */
}
END_TEST

START_TEST(stop_ends_all_calls_with_the_given_error)
{
    mcphost_error *error = NULL;

    cr.spec.max_in_flight = 1;
    cr_legacy("2025-11-25");
    cr_call_go(&a);
    cr_call_go(&b);
    mcph_err(&error, MCPHOST_E_CANCELLED, "the dialog was closed");
    mcph_client_stop(cr.client, MCPHOST_E_CANCELLED, error);
    mcphost_error_unref(error);
    cr_call_failed(&a, MCPHOST_E_CANCELLED, "the dialog was closed");
    cr_call_failed(&b, MCPHOST_E_CANCELLED, "the dialog was closed");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(cr.downs, 0);
    ck_assert_int_eq(cr_state(), MCPH_CLIENT_DOWN);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "cancellation and deadlines");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, a_cancelled_call_tells_the_server_and_drops_the_late_answer,
                        0, 2);
    tcase_add_test(tc, a_call_past_its_timeout_fails_and_is_cancelled);
    tcase_add_test(tc, a_call_without_a_timeout_waits_for_a_day);
    tcase_add_test(tc, progress_resets_the_deadline_only_of_calls_that_ask_for_it);
    tcase_add_test(tc, progress_does_not_move_the_hard_deadline);
    tcase_add_test(tc, progress_is_reported_before_the_result_and_never_after);
    tcase_add_test(tc, invalid_or_unrequested_progress_is_ignored);

    tc = test_case(suite, "queue");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, calls_before_ready_are_sent_at_ready);
    tcase_add_test(tc, the_deadline_of_a_call_runs_while_it_waits_for_ready);
    tcase_add_test(tc, progress_gives_a_call_that_waited_its_full_timeout_again);
    tcase_add_loop_test(tc, max_ms_of_a_call_that_is_sent_again_runs_from_its_start, 0,
                        2);
    tcase_add_test(tc, calls_over_max_in_flight_wait_and_over_max_queued_are_refused);
    tcase_add_test(tc, cancelling_a_waiting_call_sends_nothing);
    tcase_add_test(tc, a_call_that_does_not_fit_into_the_send_queue_is_refused);

    tc = test_case(suite, "end");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, the_servers_death_fails_all_calls_with_reason_and_stderr);
    tcase_add_test(tc, answers_before_the_end_of_the_server_are_delivered);
    tcase_add_test(tc, a_call_to_a_server_that_has_just_ended_fails_with_its_reason);
    tcase_add_test(
        tc, when_the_server_ends_a_done_function_may_start_a_call_or_free_the_client);
    tcase_add_test(tc, stop_ends_all_calls_with_the_given_error);
}

int
main(void)
{
    return test_main("client-deadlines", add);
}
