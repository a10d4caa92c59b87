/* SPDX-License-Identifier: MIT
 *
 * test_host_drain.c - calls in flight when their process is to end (R107, R108).
 */
#include <string.h>

#include "base/base.h"
#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

static void
up(int64_t drain, const char *script)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_DRAIN_TIMEOUT, drain);
    hr_server(&hr, "a", NULL, script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

/* Starts a call and dispatches until the server has received this call. */
static mcphost_call *
begin_call(const char *tool, const char *arguments)
{
    int before = rig_workspace_count(&hr.ws, "a.trace", "tools/call");
    mcphost_call *call = hr_start(&hr, d, tool, arguments);

    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "tools/call") > before);
    return call;
}

/* R107 */
START_TEST(a_released_process_lives_until_its_calls_are_done)
{
    mcphost_call *slow, *quick;
    int pid;

    up(MCPHOST_DRAIN_AUTO, NULL);
    pid = hr_pid(&hr, d, "a_pid");
    slow = begin_call("a_slow", "{\"ms\":150}");
    quick = begin_call("a_slow", "{\"ms\":40}");
    hr_release(d, "a");
    ck_assert_int_eq(hr_end(&hr, quick), 0);
    ck_assert_int_eq(
        hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", "d", MCPHOST_INSTANCE_CLOSING), 1);
    hr_turn(&hr, 10);
    ck_assert(!rig_is_dead(pid));
    ck_assert_int_eq(hr_end(&hr, slow), 0);
    ck_assert_str_eq(hr_text(&hr, slow), "slept 150 ms");
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

/* R107 */
START_TEST(a_new_call_does_not_go_to_a_process_that_is_closing)
{
    mcphost_call *slow;
    int pid, next;

    up(MCPHOST_DRAIN_AUTO, NULL);
    pid = hr_pid(&hr, d, "a_pid");
    slow = begin_call("a_slow", "{\"ms\":100}");
    hr_release(d, "a");
    next = hr_pid(&hr, d, "a_pid");
    ck_assert_int_ne(next, pid);
    ck_assert_int_eq(hr_end(&hr, slow), 0);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), next);
    hr_down(&hr);
}
END_TEST

#define HUNG "tool hang\non call:hang\n"

/* R108: by default a drain lasts until the latest deadline of the calls in flight. */
START_TEST(by_default_a_hung_call_has_until_its_own_deadline)
{
    mcphost_call *call;
    int64_t began = mcph_clock_monotonic_ms();

    up(MCPHOST_DRAIN_AUTO, HUNG);
    call = hr_call(&hr, d, "a_hang", NULL);
    ck_assert_int_eq(mcphost_call_set_timeout(call, 100, 0, -1), 0);
    hr_go(call);
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "tools/call") > 0);
    hr_release(d, "a");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_int_ge(mcph_clock_monotonic_ms() - began, 99);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL,
                           MCPHOST_INSTANCE_DEAD) == 1);
    hr_down(&hr);
}
END_TEST

/* R108, K12: the call fails after the drain timeout of 60 ms. */
START_TEST(after_a_drain_deadline_a_hung_call_ends_with_its_process)
{
    mcphost_call *call;
    int64_t began;
    int pid;

    up(60, HUNG);
    pid = hr_pid(&hr, d, "a_pid");
    call = hr_start(&hr, d, "a_hang", NULL);
    hr_turn(&hr, 10);
    hr_release(d, "a");
    began = mcph_clock_monotonic_ms();
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    ck_assert_int_ge(mcph_clock_monotonic_ms() - began, 59);
    ck_assert_int_lt(mcph_clock_monotonic_ms() - began, 2000);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'a'"));
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

/* R108 K12 */
START_TEST(with_a_drain_timeout_of_0_calls_end_at_once)
{
    mcphost_call *call;

    up(0, NULL);
    call = begin_call("a_slow", "{\"ms\":3000}");
    hr_release(d, "a");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

/* R108, K12: only deadlines of calls limit the drain.  This call has no deadline. */
START_TEST(with_an_infinite_drain_a_call_without_a_deadline_finishes)
{
    mcphost_call *call;

    up(MCPHOST_DRAIN_INFINITE, NULL);
    call = hr_call(&hr, d, "a_slow", "{\"ms\":120}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, -1, 0, -1), 0);
    hr_go(call);
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "tools/call") > 0);
    hr_release(d, "a");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(closing_the_host_waits_for_no_drain)
{
    mcphost_call *call;
    int64_t began;

    up(MCPHOST_DRAIN_INFINITE, HUNG);
    call = begin_call("a_hang", NULL);
    hr_release(d, "a");
    hr_turn(&hr, 10);
    began = mcph_clock_monotonic_ms();
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
    ck_assert_int_lt(mcph_clock_monotonic_ms() - began, 2000);
}
END_TEST

/* R80: closing a dialog does not wait for its calls. */
START_TEST(closing_a_dialog_cancels_its_calls_and_no_others)
{
    mcphost_call *call, *other;
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "s", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    call = begin_call("a_slow", "{\"ms\":3000}");
    other = hr_start(&hr, hr_dialog(&hr, "e"), "s_slow", "{\"ms\":80}");
    hr_start(&hr, d, "s_slow", "{\"ms\":3000}");
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    ck_assert_int_eq(hr_end(&hr, hr.calls[hr.n_calls - 1]), MCPHOST_E_CANCELLED);
    ck_assert_int_eq(hr_end(&hr, other), 0);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

START_TEST(closing_a_dialog_sends_no_queued_call)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CALLS_IN_FLIGHT, 2);
    hr_server(&hr, "s", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    for (int i = 0; i < 20; i++)
        call = hr_start(&hr, d, "s_slow", "{\"ms\":3000}");
    hr_until(&hr, rig_workspace_count(&hr.ws, "s.trace", "tools/call") == 2);
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "e"), "s_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "s.trace", "tools/call"), 3);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "s.trace", "notifications/cancelled"),
                     2);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "drain"), *end = test_case(suite, "end");

    tcase_add_test(tc, a_released_process_lives_until_its_calls_are_done);
    tcase_add_test(tc, a_new_call_does_not_go_to_a_process_that_is_closing);
    tcase_add_test(tc, by_default_a_hung_call_has_until_its_own_deadline);
    tcase_add_test(tc, after_a_drain_deadline_a_hung_call_ends_with_its_process);
    tcase_add_test(tc, with_a_drain_timeout_of_0_calls_end_at_once);
    tcase_add_test(tc, with_an_infinite_drain_a_call_without_a_deadline_finishes);

    tcase_add_test(end, closing_the_host_waits_for_no_drain);
    tcase_add_test(end, closing_a_dialog_cancels_its_calls_and_no_others);
    tcase_add_test(end, closing_a_dialog_sends_no_queued_call);
}

int
main(void)
{
    return test_main("host-drain", add);
}
