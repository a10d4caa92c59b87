/* SPDX-License-Identifier: MIT
 *
 * test_live_recovery.c - how a host ends unused leases and servers that do not answer
 * pings, and how it reports servers that keep crashing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/dialog.h"
#include "host/host.h"
#include "support/hostrig.h"

static struct hostrig hr;

/* R79 R80 */
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
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0) == 2);
    hr_down(&hr);
}
END_TEST

START_TEST(a_lease_with_a_call_is_not_idle)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LEASE_IDLE, 50);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "a_slow", "{\"ms\":150}"), "slept 150 ms");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 1), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0) == 1);
    hr_down(&hr);
}
END_TEST

/* R81 */
START_TEST(the_lease_of_a_stateless_server_never_times_out)
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

START_TEST(by_default_idle_leases_do_not_end)
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

/* ---- pings ------------------------------------------------------------------------- */

/* R109 */
START_TEST(a_hung_idle_server_is_ended_and_replaced_at_the_next_call)
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
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

START_TEST(a_server_that_answers_pings_keeps_its_process)
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

/* ---- crashes ----------------------------------------------------------------------- */

#define MORTAL "tool die\non call:die\n crash 9"
#define LOOP   "mcp/server/a/crash_loop"

static mcphost_dialog *
mortal_up(void)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", NULL, MORTAL);
    hr_load(&hr);
    return hr_dialog(&hr, "d");
}

static void
die(mcphost_dialog *d, int times)
{
    for (int i = 0; i < times; i++)
        ck_assert_int_eq(hr_fail(&hr, d, "a_die", NULL), MCPHOST_E_TRANSPORT);
}

static void
loop_detail(char *detail, size_t size)
{
    mcphost_problems *problems;
    const mcphost_problem *problem;

    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    problem = mcphost_problems_find(problems, LOOP);
    ck_assert_ptr_nonnull(problem);
    ck_assert_str_eq(mcphost_problem_get_kind(problem), "mcp_server_crash_loop");
    snprintf(detail, size, "%s", mcphost_problem_get_detail(problem, NULL));
    mcphost_problems_unref(problems);
}

/* R109 R117 B.17 */
START_TEST(the_third_crash_in_a_row_raises_a_problem_with_count_and_reason)
{
    mcphost_dialog *d = mortal_up();
    char detail[1024];

    die(d, 2);
    ck_assert_ptr_null(hr_problem(&hr, LOOP));
    die(d, 1);
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, LOOP), "3 times in a row"));
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, LOOP), "signal 9"));
    ck_assert_int_eq(hr_severity(&hr, LOOP), MCPHOST_SEVERITY_ERROR);
    /* Crashes in calls of other dialogs count, too. */
    die(hr_dialog(&hr, "e"), 1);
    loop_detail(detail, sizeof(detail));
    ck_assert_ptr_nonnull(strstr(detail, "{\"serverId\":\"a\",\"crashes\":4,"));
    ck_assert_ptr_nonnull(strstr(detail, "signal 9"));
    hr_down(&hr);
}
END_TEST

/* R114 */
START_TEST(a_crash_loop_is_resolved_when_the_server_has_worked_for_the_window)
{
    mcphost_dialog *d = mortal_up();

    die(d, 3);
    hr_pid(&hr, d, "a_pid");
    /* One success does not resolve the problem. */
    ck_assert_ptr_nonnull(hr_problem(&hr, LOOP));
    die(d, 1);
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, LOOP), "4 times"));
    hr.host->options[MCPHOST_OPT_CRASH_WINDOW] = 1;
    hr_pid(&hr, d, "a_pid");
    hr_until(&hr, !hr_problem(&hr, LOOP));
    /* The count of later crashes begins at one again. */
    hr.host->options[MCPHOST_OPT_CRASH_WINDOW] = 60000;
    die(d, 2);
    ck_assert_ptr_null(hr_problem(&hr, LOOP));
    hr_down(&hr);
}
END_TEST

START_TEST(a_crash_after_a_long_life_does_not_count)
{
    mcphost_dialog *d = mortal_up();

    hr.host->options[MCPHOST_OPT_CRASH_WINDOW] = 0;
    die(d, 4);
    ck_assert_ptr_null(hr_problem(&hr, LOOP));
    hr_down(&hr);
}
END_TEST

static void
save_a(const char *keys, const char *script)
{
    hr_edit(&hr);
    hr_server(&hr, "a", keys, script);
    hr_reload(&hr);
}

/* R109 R110 */
START_TEST(a_server_that_never_starts_is_a_crash_loop_until_a_good_edit)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", NULL, "on spawn\n exit 3");
    hr_follow(&hr);
    for (int i = 2; i <= 3; i++) {
        ck_assert_ptr_null(hr_problem(&hr, LOOP));
        ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
        hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL,
                               MCPHOST_INSTANCE_DEAD) == i);
    }
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, LOOP), "3 times in a row"));
    save_a(NULL, NULL);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_LOADED);
    ck_assert_ptr_null(hr_problem(&hr, LOOP));
    hr_down(&hr);
}
END_TEST

START_TEST(disabling_a_server_resolves_its_crash_loop)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", NULL, MORTAL);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    die(d, 3);
    ck_assert_ptr_nonnull(hr_problem(&hr, LOOP));
    save_a("enabled: false", MORTAL);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_DISABLED);
    ck_assert_ptr_null(hr_problem(&hr, LOOP));
    hr_down(&hr);
}
END_TEST

/* mcp_release makes the instance drain before the instance crashes. */
START_TEST(the_crash_of_a_draining_instance_does_not_count)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", NULL, "tool late\non call:late\n delay 30\n crash 9\n" MORTAL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    die(d, 2);
    hr_start(&hr, d, "a_late", NULL);
    hr_until(&hr, hr_leases(&hr) == 1 && hr_pid(&hr, d, "a_pid") > 0);
    ck_assert_str_eq(hr_say(&hr, d, "mcp_release", "{\"serverId\":\"a\"}"),
                     "ok: released a for dialog d");
    ck_assert_int_eq(hr_end(&hr, hr.calls[hr.n_calls - 3]), MCPHOST_E_TRANSPORT);
    ck_assert_ptr_null(hr_problem(&hr, LOOP));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *crash = test_case(suite, "crash");
    TCase *idle = test_case(suite, "idle");
    TCase *ping = test_case(suite, "ping");

    tcase_add_test(idle, an_idle_lease_ends_and_its_reminder_is_withdrawn);
    tcase_add_test(idle, a_lease_with_a_call_is_not_idle);
    tcase_add_test(idle, the_lease_of_a_stateless_server_never_times_out);
    tcase_add_test(idle, by_default_idle_leases_do_not_end);
    tcase_add_test(ping, a_hung_idle_server_is_ended_and_replaced_at_the_next_call);
    tcase_add_test(ping, a_server_that_answers_pings_keeps_its_process);
    tcase_add_test(crash,
                   the_third_crash_in_a_row_raises_a_problem_with_count_and_reason);
    tcase_add_test(crash,
                   a_crash_loop_is_resolved_when_the_server_has_worked_for_the_window);
    tcase_add_test(crash, a_crash_after_a_long_life_does_not_count);
    tcase_add_test(crash, a_server_that_never_starts_is_a_crash_loop_until_a_good_edit);
    tcase_add_test(crash, disabling_a_server_resolves_its_crash_loop);
    tcase_add_test(crash, the_crash_of_a_draining_instance_does_not_count);
}

int
main(void)
{
    return test_main("live-recovery", add);
}
