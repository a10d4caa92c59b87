/* SPDX-License-Identifier: MIT
 *
 * test_http_limit.c - `callsInFlight`, the limit of a server's concurrent calls.
 *
 * The calls of all dialogs count together.  Messages that are not calls do not wait
 * for the limit.
 */
#include <stdio.h>
#include <string.h>

#include "support/httprig.h"

#define HANG "on call:add\n stream\n"

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *one, *two, *three;

static void
up_with(const char *keys, const char *script)
{
    hr_up(&hr);
    hr_http(&hr, &web, "web", keys, script);
    hr_load(&hr);
    hr_loaded(&hr, "web");
    one = hr_dialog(&hr, "one");
    two = hr_dialog(&hr, "two");
    three = hr_dialog(&hr, "three");
}

static int
arrived(void)
{
    return hr_traced(&hr, "web", "\"name\":\"add\"");
}

static void
use(mcphost_dialog *d)
{
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
}

static const char *const eras[] = {"era legacy\n" HANG, "era modern\n" HANG};

START_TEST(the_limit_holds_for_all_dialogs_together)
{
    mcphost_dialog *dialogs[3];
    mcphost_call *calls[6];

    up_with("callsInFlight: 2", eras[_i]);
    dialogs[0] = one, dialogs[1] = two, dialogs[2] = three;
    for (int i = 0; i < 3; i++) /* each dialog has a session in the legacy era */
        use(dialogs[i]);
    for (int i = 0; i < 6; i++)
        calls[i] = hr_start(&hr, dialogs[i % 3], "web_add", "{}");
    for (int sent = 2; sent <= 6; sent++) {
        hr_until(&hr, arrived() == sent);
        hr_turn(&hr, 30);
        ck_assert_int_eq(arrived(), sent);
        /* When a call ends, the host sends the next call.  The host sends the calls in
         * the order of their start. */
        ck_assert_int_eq(mcphost_call_cancel(calls[sent - 2]), 0);
        ck_assert_int_eq(hr_end(&hr, calls[sent - 2]), MCPHOST_E_CANCELLED);
    }
    hr_turn(&hr, 30);
    ck_assert_int_eq(arrived(), 6);
    ck_assert_int_eq(mcphost_call_cancel(calls[5]), 0);
    ck_assert_int_eq(hr_end(&hr, calls[5]), MCPHOST_E_CANCELLED);
    use(three);
    hr_down(&hr);
}
END_TEST

START_TEST(a_call_that_waits_keeps_its_deadline)
{
    mcphost_call *first, *second;

    up_with("callsInFlight: 1", eras[_i]);
    use(one);
    first = hr_start(&hr, one, "web_add", "{}");
    second = hr_call(&hr, two, "web_echo", "{}");
    ck_assert_int_eq(mcphost_call_set_timeout(second, 300, 0, 300), 0);
    hr_go(second);
    ck_assert_int_eq(hr_end(&hr, second), MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(mcphost_call_cancel(first), 0);
    ck_assert_int_eq(hr_end(&hr, first), MCPHOST_E_CANCELLED);
    use(two);
    hr_down(&hr);
}
END_TEST

/* ---- messages without a limit ------------------------------------------------------ */

START_TEST(a_handshake_and_the_end_of_a_session_do_not_wait_for_calls)
{
    mcphost_call *call, *other;
    int begun, ended;

    up_with("callsInFlight: 1", eras[0]);
    use(one);
    begun = hr_traced(&hr, "web", "\"method\":\"initialize\"");
    ended = hr_traced(&hr, "web", "http DELETE");
    call = hr_start(&hr, one, "web_add", "{}");
    hr_until(&hr, arrived() == 1);
    other = hr_start(&hr, two, "web_echo", "{}");
    hr_until(&hr, hr_traced(&hr, "web", "\"method\":\"initialize\"") == begun + 1);
    hr_until(&hr, hr_traced(&hr, "web", "\"method\":\"notifications/initialized\"") ==
                      begun + 1);
    hr_turn(&hr, 30);
    ck_assert_int_eq(hr_traced(&hr, "web", "\"name\":\"echo\""), 1);
    ck_assert_int_eq(mcphost_dialog_close(two), 0);
    ck_assert_int_lt(hr_end(&hr, other), 0);
    hr_until(&hr, hr_traced(&hr, "web", "http DELETE") == ended + 1);
    ck_assert_int_eq(arrived(), 1);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

START_TEST(a_cancellation_does_not_wait_for_calls)
{
    mcphost_call *call;

    up_with("callsInFlight: 1", eras[_i]);
    use(one);
    call = hr_start(&hr, one, "web_add", "{}");
    hr_until(&hr, arrived() == 1);
    hr_start(&hr, one, "web_add", "{}");
    hr_turn(&hr, 20);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    if (_i == 0)
        hr_until(&hr, hr_traced(&hr, "web", "notifications/cancelled") == 1);
    else
        hr_until(&hr, hr_traced(&hr, "web", "gone /mcp") >= 1);
    hr_until(&hr, arrived() == 2);
    hr_down(&hr);
}
END_TEST

START_TEST(an_answer_to_the_server_does_not_wait_for_calls)
{
    mcphost_call *call, *other;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_ROOTS);
    hr_http(&hr, &web, "web", "callsInFlight: 1",
            "era legacy\non call:add\n ask roots/list {}\n text answered");
    hr_load(&hr);
    one = hr_dialog(&hr, "one");
    use(one);
    call = hr_start(&hr, one, "web_add", "{}");
    other = hr_start(&hr, one, "web_echo", "{\"text\":\"x\"}");
    ck_assert_msg(hr_end(&hr, call) == 0, "%s", hr_why(call));
    ck_assert_str_eq(hr_text(&hr, call), "answered");
    ck_assert_int_eq(hr_end(&hr, other), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_ping_of_the_server_does_not_wait_for_calls)
{
    mcphost_call *call;

    up_with("callsInFlight: 1", "era legacy\non call:add\n request ping\n");
    use(one);
    call = hr_start(&hr, one, "web_add", "{}");
    hr_start(&hr, two, "web_echo", "{}");
    hr_until(&hr, hr_traced(&hr, "web", "\"result\":{}") == 1);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

/* ---- changes of the limit ---------------------------------------------------------- */

static void
edit(const char *keys)
{
    hr_edit(&hr);
    hr_url(&hr, "web", web.url, keys);
    hr_save(&hr);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
}

/* R99 */
START_TEST(a_changed_limit_applies_at_once_without_a_new_session)
{
    int begun;

    hr_up(&hr);
    hr_http(&hr, &web, "web", "callsInFlight: 1", eras[0]);
    hr_follow(&hr);
    hr_ready(&hr);
    one = hr_dialog(&hr, "one");
    use(one);
    begun = hr_traced(&hr, "web", "\"method\":\"initialize\"");
    for (int i = 0; i < 8; i++)
        hr_start(&hr, one, "web_add", "{}");
    hr_until(&hr, arrived() == 1);
    edit("callsInFlight: 3");
    hr_until(&hr, arrived() == 3);
    hr_turn(&hr, 30);
    ck_assert_int_eq(arrived(), 3);
    edit("callsInFlight: 2");
    hr_turn(&hr, 100);
    ck_assert_int_eq(arrived(), 3);
    edit(NULL);
    hr_until(&hr, arrived() == 8);
    ck_assert_int_eq(hr_traced(&hr, "web", "\"method\":\"initialize\""), begun);
    hr_down(&hr);
}
END_TEST

START_TEST(a_new_limit_counts_the_calls_already_in_flight)
{
    mcphost_call *calls[3];

    hr_up(&hr);
    hr_http(&hr, &web, "web", NULL, eras[0]);
    hr_follow(&hr);
    hr_ready(&hr);
    one = hr_dialog(&hr, "one");
    for (int i = 0; i < 3; i++)
        calls[i] = hr_start(&hr, one, "web_add", "{}");
    hr_until(&hr, arrived() == 3);
    edit("callsInFlight: 2");
    hr_turn(&hr, 100);
    hr_start(&hr, one, "web_add", "{}");
    ck_assert_int_eq(mcphost_call_cancel(calls[0]), 0);
    ck_assert_int_eq(hr_end(&hr, calls[0]), MCPHOST_E_CANCELLED);
    hr_turn(&hr, 50);
    ck_assert_int_eq(arrived(), 3); /* the limit also counts calls that were sent before
                                     * the edit */
    ck_assert_int_eq(mcphost_call_cancel(calls[1]), 0);
    hr_until(&hr, arrived() == 4);
    hr_down(&hr);
}
END_TEST

/* The limits that libcurl has by default do not apply. */
START_TEST(without_a_limit_150_calls_are_in_flight_at_once)
{
    up_with("truely-stateless: true", eras[_i]);
    use(one);
    for (int i = 0; i < 150; i++)
        hr_start(&hr, i % 2 ? one : two, "web_add", "{}");
    hr_until(&hr, arrived() == 150);
    use(three);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "limit");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, the_limit_holds_for_all_dialogs_together, 0, 2);
    tcase_add_loop_test(tc, a_call_that_waits_keeps_its_deadline, 0, 2);
    tcase_add_test(tc, a_changed_limit_applies_at_once_without_a_new_session);
    tcase_add_test(tc, a_new_limit_counts_the_calls_already_in_flight);
    tcase_add_loop_test(tc, without_a_limit_150_calls_are_in_flight_at_once, 0, 2);
    tc = test_case(suite, "not counted");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_handshake_and_the_end_of_a_session_do_not_wait_for_calls);
    tcase_add_loop_test(tc, a_cancellation_does_not_wait_for_calls, 0, 2);
    tcase_add_test(tc, an_answer_to_the_server_does_not_wait_for_calls);
    tcase_add_test(tc, a_ping_of_the_server_does_not_wait_for_calls);
}

int
main(void)
{
    return test_main("http-limit", add);
}
