/* SPDX-License-Identifier: MIT
 *
 * test_live_recovery.c - what the host ends by itself: leases that nobody uses, servers
 * that do not answer pings.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;

static bool
is_dead(int pid)
{
    return kill(pid, 0) < 0;
}

/* R79, R80 */
START_TEST(an_idle_lease_ends_and_its_reminder_is_withdrawn)
{
    mcphost_dialog *d;
    int pid;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LEASE_IDLE, 40);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0) == 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "d", 0), 1);
    ck_assert_uint_eq(hr_leases(&hr), 0);
    hr_until(&hr, is_dead(pid));
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0) == 2);
    hr_down(&hr);
}
END_TEST

START_TEST(a_lease_with_a_call_is_not_idle)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LEASE_IDLE, 20);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "a_slow", "{\"ms\":150}"), "slept 150 ms");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 1), 1);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0) == 1);
    hr_down(&hr);
}
END_TEST

/* R81 */
START_TEST(the_process_of_a_stateless_server_is_never_idle)
{
    mcphost_dialog *d;
    int pid;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LEASE_IDLE, 10);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_server(&hr, "b", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    hr_say(&hr, d, "b_echo", NULL);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "b", "d", 0) == 1);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

START_TEST(leases_stay_where_no_time_is_set)
{
    mcphost_dialog *d;
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    hr_turn(&hr, 50);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* ---- pings ------------------------------------------------------------------------ */

/* R109 */
START_TEST(a_hung_server_that_is_idle_is_lost_and_replaced_at_the_next_call)
{
    mcphost_dialog *d;
    int pid;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_PING, 30);
    hr_option(&hr, MCPHOST_OPT_PING_TIMEOUT, 200);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", NULL, "era legacy\non ping 2\n hang");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", "d", MCPHOST_INSTANCE_DEAD) == 1);
    ck_assert_ptr_nonnull(strstr(hr_last(&hr, MCPHOST_EVENT_INSTANCE, "a")->text,
                                 "did not answer a ping within 200 ms"));
    hr_until(&hr, is_dead(pid));
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

START_TEST(a_server_that_answers_pings_lives_on)
{
    mcphost_dialog *d;
    int pid;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_PING, 10);
    hr_server(&hr, "a", NULL, "era legacy");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "\"ping\"") >= 2);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *idle = test_case(suite, "idle");
    TCase *ping = test_case(suite, "ping");

    tcase_add_test(idle, an_idle_lease_ends_and_its_reminder_is_withdrawn);
    tcase_add_test(idle, a_lease_with_a_call_is_not_idle);
    tcase_add_test(idle, the_process_of_a_stateless_server_is_never_idle);
    tcase_add_test(idle, leases_stay_where_no_time_is_set);
    tcase_add_test(ping,
                   a_hung_server_that_is_idle_is_lost_and_replaced_at_the_next_call);
    tcase_add_test(ping, a_server_that_answers_pings_lives_on);
}

int
main(void)
{
    return test_main("live-recovery", add);
}
