/* SPDX-License-Identifier: MIT
 *
 * test_host_lease.c - leases: the process that a dialog gets, the release of a lease, and
 * the death of the process.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/hostrig.h"

static struct hostrig hr;

#define SHARED "truely-stateless: true"
#define MORTAL "tool die\non call:die\n stderr last words\n exit 3\n"

static int
spawns(const char *id)
{
    char name[64];

    snprintf(name, sizeof(name), "%s.trace", id);
    return rig_workspace_count(&hr.ws, name, "spawn");
}

/* ---- shared and separate processes ------------------------------------------------- */

/* R75 R76 R77 R78 */
START_TEST(each_dialog_gets_a_process_of_its_own_and_keeps_it)
{
    mcphost_dialog *d, *e;
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_ne(hr_pid(&hr, e, "a_pid"), pid);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    ck_assert_str_eq(hr_say(&hr, d, "a_add", "{\"a\":1,\"b\":1}"), "2");
    ck_assert_int_eq(spawns("a"), 2);
    hr_down(&hr);
}
END_TEST

/* R75 R81 */
START_TEST(a_stateless_server_serves_all_dialogs_with_one_process)
{
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", SHARED, NULL);
    hr_load(&hr);
    pid = hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid");
    ck_assert_int_eq(hr_pid(&hr, hr_dialog(&hr, "e"), "a_pid"), pid);
    ck_assert_int_eq(hr_server_pid(&hr, "a"), pid);
    ck_assert_int_eq(spawns("a"), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, NULL, NULL, -1), 0);
    hr_down(&hr);
}
END_TEST

/* R76, C2: the lister is the instance that listed the server's tools.  The host leases
 * the lister to the first dialog.  No later dialog gets the lister. */
START_TEST(the_lister_is_leased_to_one_dialog_only)
{
    mcphost_dialog *d;
    int lister, pid;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    lister = (int)hr_server_pid(&hr, "a");
    ck_assert_int_gt(lister, 0);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), lister);
    ck_assert_int_eq(hr_server_pid(&hr, "a"), 0);
    mcphost_dialog_close(d);
    pid = hr_pid(&hr, hr_dialog(&hr, "e"), "a_pid");
    ck_assert_int_ne(pid, lister);
    hr_until(&hr, rig_is_dead(lister));
    hr_down(&hr);
}
END_TEST

/* B.12 */
START_TEST(a_lister_that_is_not_leased_in_time_ends)
{
    int lister;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 30);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "s", SHARED, NULL);
    hr_load(&hr);
    lister =
        (int)hr.events[hr_place(&hr, MCPHOST_EVENT_INSTANCE, "a", MCPHOST_INSTANCE_READY)]
            .pid;
    hr_until(&hr, rig_is_dead(lister));
    ck_assert_int_eq(hr_server_pid(&hr, "a"), 0);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    ck_assert_int_ne(hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid"), lister);
    /* The lister of a shared server does not end. */
    ck_assert_int_eq(hr_pid(&hr, hr.dialogs[0], "s_pid"), hr_server_pid(&hr, "s"));
    ck_assert_int_eq(spawns("s"), 1);
    hr_down(&hr);
}
END_TEST

/* B.12 */
START_TEST(concurrent_first_calls_share_one_start)
{
    mcphost_call *calls[5];
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    for (int i = 0; i < 5; i++)
        calls[i] = hr_start(&hr, d, "a_pid", NULL);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(hr_end(&hr, calls[i]), 0);
    ck_assert_int_eq(spawns("a"), 2);
    hr_down(&hr);
}
END_TEST

/* ---- the reminder ------------------------------------------------------------------ */

static int calls_done, done_at_reminder;

static void
note_reminder(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_REMINDER)
        done_at_reminder = calls_done;
}

static void
note_done(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    calls_done++;
}

/* R79 B.13 */
START_TEST(a_new_lease_sends_one_reminder_before_its_first_call_ends)
{
    const struct hr_event *e;
    mcphost_call *call;
    mcphost_dialog *d;

    calls_done = done_at_reminder = 0;
    hr_up(&hr);
    hr.on_event = note_reminder;
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    call = hr_call(&hr, d, "a_pid", NULL);
    ck_assert_int_eq(mcphost_call_start(call, note_done, NULL, NULL), 0);
    hr_end(&hr, call);
    ck_assert_int_eq(calls_done, 1);
    ck_assert_int_eq(done_at_reminder, 0);
    hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "d", -1), 1);
    e = hr_last(&hr, MCPHOST_EVENT_REMINDER, "a");
    ck_assert_int_eq(e->state, 1);
    ck_assert_ptr_nonnull(strstr(e->text, "mcp_release({\"serverId\":\"a\"})"));
    hr_down(&hr);
}
END_TEST

/* B.13 */
START_TEST(a_lease_that_does_not_come_up_sends_no_reminder)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    rig_workspace_write(&hr.ws, "a.script", "on spawn\n exit 5\n");
    ck_assert_int_eq(hr_fail(&hr, hr_dialog(&hr, "d"), "a_pid", NULL),
                     MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, NULL, NULL, -1), 0);
    hr_down(&hr);
}
END_TEST

/* ---- release ----------------------------------------------------------------------- */

/* R79 R80 */
START_TEST(releasing_a_lease_ends_its_process_and_withdraws_its_reminder)
{
    mcphost_lease *lease;
    mcphost_dialog *d;
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(mcphost_dialog_get_lease(d, "a", &lease), 0);
    ck_assert_str_eq(mcphost_lease_get_server_id(lease), "a");
    ck_assert_str_eq(mcphost_lease_get_dialog_id(lease), "d");
    ck_assert_int_eq(mcphost_lease_release(lease), 0);
    ck_assert_int_eq(mcphost_lease_release(lease), 0);
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_int_eq(mcphost_lease_release(lease), 0);
    mcphost_lease_unref(lease);
    ck_assert_int_eq(mcphost_dialog_get_lease(d, "a", &lease), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "d", 0), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0), 1);
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "d", 1), 2);
    hr_down(&hr);
}
END_TEST

/* R80 B.14 */
START_TEST(mcp_release_ends_only_the_process_of_its_dialog)
{
    mcphost_dialog *d, *e;
    int pid, other;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    pid = hr_pid(&hr, d, "a_pid");
    other = hr_pid(&hr, e, "a_pid");
    ck_assert_str_eq(hr_say(&hr, d, "mcp_release", "{\"serverId\":\"a\"}"),
                     "ok: released a for dialog d");
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), other);
    hr_down(&hr);
}
END_TEST

static bool
release_fails(mcphost_dialog *d, const char *arguments)
{
    mcphost_call *call = hr_start(&hr, d, "mcp_release", arguments);

    ck_assert_int_eq(hr_end(&hr, call), 0);
    return mcphost_result_is_error(mcphost_call_get_result(call)) &&
           strncmp(hr_text(&hr, call), "error: ", 7) == 0;
}

/* R80 B.14 */
START_TEST(mcp_release_reports_missing_leases_and_unknown_servers)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "s", SHARED, NULL);
    hr_server(&hr, "bad", NULL, "on spawn\n exit 1");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    hr_pid(&hr, d, "s_pid");
    ck_assert_str_eq(hr_say(&hr, d, "mcp_release", "{\"serverId\":\"a\"}"),
                     "ok: no active lease for a (or server is truely-stateless)");
    ck_assert_str_eq(hr_say(&hr, d, "mcp_release", "{\"serverId\":\"s\"}"),
                     "ok: no active lease for s (or server is truely-stateless)");
    ck_assert(release_fails(d, "{\"serverId\":\"zz\"}"));
    ck_assert_str_eq(hr.say, "error: MCP server 'zz' is not loaded");
    ck_assert(release_fails(d, "{\"serverId\":\"bad\"}"));
    hr_down(&hr);
}
END_TEST

/* R80 */
START_TEST(closing_a_dialog_ends_its_process_and_frees_its_id)
{
    mcphost_dialog *d;
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_uint_eq(hr_leases(&hr), 0);
    /* A new dialog can use the id of the closed dialog. */
    ck_assert_int_ne(hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* ---- R82: leases in the status ----------------------------------------------------- */

START_TEST(the_status_lists_every_lease_with_its_process)
{
    mcphost_status *status;
    mcphost_call *call;
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "s", SHARED, NULL);
    hr_load(&hr);
    pid = hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid");
    call = hr_start(&hr, hr.dialogs[0], "s_slow", "{\"ms\":60}");
    hr_turn(&hr, 20);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_uint_eq(mcphost_status_count_leases(status), 2);
    ck_assert_str_eq(mcphost_status_lease_get_server_id(status, 0), "a");
    ck_assert_str_eq(mcphost_status_lease_get_dialog_id(status, 0), "d");
    ck_assert_int_eq(mcphost_status_lease_get_pid(status, 0), pid);
    ck_assert_int_eq(mcphost_status_lease_get_state(status, 0), MCPHOST_INSTANCE_READY);
    ck_assert_uint_eq(mcphost_status_lease_count_in_flight(status, 0), 0);
    ck_assert_int_gt(mcphost_status_lease_get_since_ms(status, 0), 0);
    ck_assert_str_eq(mcphost_status_lease_get_server_id(status, 1), "s");
    ck_assert_ptr_null(mcphost_status_lease_get_dialog_id(status, 1));
    ck_assert_uint_eq(mcphost_status_lease_count_in_flight(status, 1), 1);
    mcphost_status_unref(status);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 1), 1);
    hr_down(&hr);
}
END_TEST

/* ---- processes that die ------------------------------------------------------------ */

/* B.12: the host notices the death at once.  The error has the reason and the end of
 * stderr. */
START_TEST(calls_to_a_process_that_dies_fail_with_its_status_and_stderr)
{
    mcphost_call *slow, *die;
    mcphost_error *err;
    mcphost_dialog *d;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, MORTAL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    slow = hr_start(&hr, d, "a_slow", "{\"ms\":5000}");
    die = hr_start(&hr, d, "a_die", NULL);
    ck_assert_int_eq(hr_end(&hr, die), MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(hr_end(&hr, slow), MCPHOST_E_TRANSPORT);
    err = mcphost_call_get_error(slow);
    ck_assert_str_eq(mcphost_error_get_server_id(err), "a");
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "status 3"));
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_stderr_tail(err), "last words"));
    ck_assert_int_eq(hr_last(&hr, MCPHOST_EVENT_INSTANCE, "a")->state,
                     MCPHOST_INSTANCE_DEAD);
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_death_the_next_call_starts_a_new_process)
{
    mcphost_status *status;
    mcphost_dialog *d, *e;
    int pid, other, next;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    pid = hr_pid(&hr, d, "a_pid");
    other = hr_pid(&hr, e, "a_pid");
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", "d", MCPHOST_INSTANCE_DEAD) == 1);
    next = hr_pid(&hr, d, "a_pid");
    ck_assert_int_ne(next, pid);
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), other);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_int_eq(mcphost_status_lease_get_pid(status, 0), next);
    mcphost_status_unref(status);
    /* There is one lease event and one reminder, because the lease stays the same. */
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", -1), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "d", -1), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(the_next_call_restarts_a_shared_process_that_died)
{
    mcphost_dialog *d;
    int pid, next;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", SHARED, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    hr_until(&hr, hr_server_pid(&hr, "a") == 0);
    next = hr_pid(&hr, d, "a_pid");
    ck_assert_int_ne(next, pid);
    ck_assert_int_eq(hr_server_pid(&hr, "a"), next);
    ck_assert_int_eq(hr_pid(&hr, hr_dialog(&hr, "e"), "a_pid"), next);
    hr_down(&hr);
}
END_TEST

/* The host lists the tools again, because the program may have changed. */
START_TEST(a_restarted_shared_process_lists_its_tools_again)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", SHARED, "no-tools\ntool pid");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(kill(hr_pid(&hr, d, "a_pid"), SIGKILL), 0);
    hr_until(&hr, hr_server_pid(&hr, "a") == 0);
    rig_workspace_write(&hr.ws, "a.script", "no-tools\ntool pid\ntool more\n");
    hr_pid(&hr, d, "a_pid");
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "a_pid a_more") == 0);
    hr_down(&hr);
}
END_TEST

/* The lister dies before the host leases it to a dialog.  The first dialog gets another
 * instance. */
START_TEST(a_lister_that_died_is_not_leased)
{
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    pid = (int)hr_server_pid(&hr, "a");
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    hr_until(&hr, hr_server_pid(&hr, "a") == 0);
    ck_assert_int_ne(hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* MCPHOST_OPT_RESTART_DELAY is the least time between two starts for one lease.  The
 * delay doubles while the process dies early. */
START_TEST(restarts_of_a_lease_that_keeps_dying_are_delayed)
{
    int64_t first, second, third;
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 80);
    hr_server(&hr, "a", NULL, MORTAL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    first = mcph_clock_monotonic_ms();
    ck_assert_int_eq(hr_fail(&hr, d, "a_die", NULL), MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(hr_fail(&hr, d, "a_die", NULL), MCPHOST_E_TRANSPORT);
    second = mcph_clock_monotonic_ms();
    ck_assert_int_ge(second - first, 79);
    ck_assert_int_eq(hr_fail(&hr, d, "a_die", NULL), MCPHOST_E_TRANSPORT);
    third = mcph_clock_monotonic_ms();
    ck_assert_int_ge(third - first, 80 + 160 - 1);
    ck_assert_int_eq(spawns("a"), 3);
    hr_down(&hr);
}
END_TEST

/* Dialog e gets a process at once, although dialog d would have to wait 3 s for a
 * restart. */
START_TEST(the_restart_delay_of_a_lease_does_not_delay_other_leases)
{
    int64_t began;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 3000);
    hr_server(&hr, "a", NULL, MORTAL);
    hr_load(&hr);
    hr_fail(&hr, hr_dialog(&hr, "d"), "a_die", NULL);
    began = mcph_clock_monotonic_ms();
    hr_pid(&hr, hr_dialog(&hr, "e"), "a_pid");
    ck_assert_int_lt(mcph_clock_monotonic_ms() - began, 1500);
    hr_down(&hr);
}
END_TEST

START_TEST(a_call_that_waits_for_a_start_keeps_its_deadline)
{
    mcphost_call *call;
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 3000);
    hr_server(&hr, "a", NULL, MORTAL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    hr_fail(&hr, d, "a_die", NULL);
    call = hr_call(&hr, d, "a_pid", NULL);
    ck_assert_int_eq(mcphost_call_set_timeout(call, 40, 0, -1), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "was not ready in time"));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *whose = test_case(suite, "whose"), *reminder = test_case(suite, "reminder");
    TCase *release = test_case(suite, "release"), *death = test_case(suite, "death");

    tcase_add_test(whose, each_dialog_gets_a_process_of_its_own_and_keeps_it);
    tcase_add_test(whose, a_stateless_server_serves_all_dialogs_with_one_process);
    tcase_add_test(whose, the_lister_is_leased_to_one_dialog_only);
    tcase_add_test(whose, a_lister_that_is_not_leased_in_time_ends);
    tcase_add_test(whose, concurrent_first_calls_share_one_start);
    tcase_add_test(whose, the_status_lists_every_lease_with_its_process);

    tcase_add_test(reminder, a_new_lease_sends_one_reminder_before_its_first_call_ends);
    tcase_add_test(reminder, a_lease_that_does_not_come_up_sends_no_reminder);

    tcase_add_test(release,
                   releasing_a_lease_ends_its_process_and_withdraws_its_reminder);
    tcase_add_test(release, mcp_release_ends_only_the_process_of_its_dialog);
    tcase_add_test(release, mcp_release_reports_missing_leases_and_unknown_servers);
    tcase_add_test(release, closing_a_dialog_ends_its_process_and_frees_its_id);

    tcase_add_test(death, calls_to_a_process_that_dies_fail_with_its_status_and_stderr);
    tcase_add_test(death, after_a_death_the_next_call_starts_a_new_process);
    tcase_add_test(death, the_next_call_restarts_a_shared_process_that_died);
    tcase_add_test(death, a_restarted_shared_process_lists_its_tools_again);
    tcase_add_test(death, a_lister_that_died_is_not_leased);
    tcase_add_test(death, restarts_of_a_lease_that_keeps_dying_are_delayed);
    tcase_add_test(death, the_restart_delay_of_a_lease_does_not_delay_other_leases);
    tcase_add_test(death, a_call_that_waits_for_a_start_keeps_its_deadline);
}

int
main(void)
{
    return test_main("host-lease", add);
}
