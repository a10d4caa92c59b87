/* SPDX-License-Identifier: MIT
 *
 * test_host_moments.c - hosts that are closed, leases that are released and processes
 * that are killed, between any two turns of the dispatcher and in random order.
 *
 * Every call ends once.  Every argument is freed once.  No descriptor, child or thread is
 * left.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/httprig.h"

static struct hostrig hr;
static int n_started, n_done, n_freed, n_ok;

static void
on_done(mcphost_call *call, void *arg)
{
    (void)arg;
    ck_assert((mcphost_call_get_error(call) == NULL) !=
              (mcphost_call_get_result(call) == NULL));
    n_done++;
    n_ok += mcphost_call_get_result(call) != NULL;
}

static void
on_free(void *arg)
{
    (void)arg;
    n_freed++;
}

static void
start(mcphost_dialog *dialog, const char *tool, const char *arguments)
{
    mcphost_call *call;

    if (mcphost_call_new(dialog, tool, arguments, strlen(arguments), &call, NULL) < 0)
        return;
    ck_assert_int_eq(mcphost_call_set_timeout(call, 3000, 0, -1), 0);
    ck_assert_int_eq(mcphost_call_start(call, on_done, NULL, on_free), 0);
    n_started++;
    mcphost_call_unref(call);
}

static void
turn(void)
{
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
}

static void
some_turns(int n)
{
    for (int i = 0; i < n; i++) {
        turn();
        if (i % 4 == 3)
            rig_pause(1);
    }
}

/* ---- between any two turns --------------------------------------------------------- */

#define MOMENTS 15

/* Makes a host with two servers.  Server `a` exits when it gets the probe
 * server/discover.  After the next start this server lists its tools and can be leased.
 * All dialogs share server `s`. */
static void
up(void)
{
    n_started = n_done = n_freed = n_ok = 0;
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", NULL, "era legacy\non discover\n exit 1");
    hr_server(&hr, "s", "truely-stateless: true", NULL);
}

static void
check_calls(void)
{
    ck_assert_int_eq(n_done, n_started);
    ck_assert_int_eq(n_freed, n_started);
}

START_TEST(a_host_may_be_closed_between_any_two_turns_of_a_start)
{
    up();
    hr_load_only(&hr);
    some_turns(_i);
    hr_down(&hr);
}
END_TEST

START_TEST(a_host_may_be_dropped_between_any_two_turns_of_a_start)
{
    up();
    hr_load_only(&hr);
    some_turns(_i);
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(a_dialog_may_be_closed_between_any_two_turns_of_its_first_calls)
{
    mcphost_dialog *d;

    up();
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    start(d, "a_pid", "{}");
    start(d, "a_pid", "{}");
    start(d, "s_pid", "{}");
    some_turns(_i);
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    hr_until(&hr, n_freed == n_started);
    check_calls();
    hr_until(&hr, hr_leases(&hr) <= 1); /* the shared lease may stay */
    hr_down(&hr);
}
END_TEST

/* R107: calls that wait for the start of the released lease succeed, too. */
START_TEST(a_lease_may_be_released_between_any_two_turns_of_its_start)
{
    mcphost_lease *lease;
    mcphost_dialog *d;

    up();
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    start(d, "a_pid", "{}");
    some_turns(_i + 1);
    if (mcphost_dialog_get_lease(d, "a", &lease) == 0) {
        ck_assert_int_eq(mcphost_lease_release(lease), 0);
        mcphost_lease_unref(lease);
    }
    start(d, "a_pid", "{}");
    hr_until(&hr, n_freed == 2);
    check_calls();
    ck_assert_int_eq(n_ok, 2);
    ck_assert_int_gt(hr_pid(&hr, d, "a_pid"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_host_may_be_dropped_between_any_two_turns_of_a_call)
{
    mcphost_dialog *d;

    up();
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    start(d, "a_pid", "{}");
    start(d, "s_slow", "{\"ms\":5}");
    start(d, "mcp_release", "{\"serverId\":\"a\"}");
    some_turns(_i);
    hr.host = mcphost_unref(hr.host);
    ck_assert_int_eq(n_freed, n_started);
    hr_down_ended(&hr);
}
END_TEST

/* ---- random operations ------------------------------------------------------------- */

#define N_DIALOGS 3

static unsigned seed;
static mcphost_dialog *dialogs[N_DIALOGS];
static mcphost_call *held[8];

static int
dice(int n)
{
    return (int)((unsigned)rand_r(&seed) % (unsigned)n);
}

static void
reopen(int i)
{
    char id[16];

    snprintf(id, sizeof(id), "d%d", i);
    mcphost_dialog_close(dialogs[i]);
    mcphost_dialog_unref(dialogs[i]);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(hr.host), id, NULL, &dialogs[i], NULL),
        0);
}

static void
throw_call(mcphost_dialog *dialog)
{
    static const char *const tools[] = {"echo", "pid", "slow", "count",
                                        "grow", "die", "extra"};
    static const char *const servers[] = {"a", "b", "s"};
    char name[16], arguments[32];
    mcphost_call *call;
    int slot = dice(8);

    snprintf(name, sizeof(name), "%s_%s", servers[dice(3)], tools[dice(7)]);
    snprintf(arguments, sizeof(arguments), "{\"ms\":%d,\"n\":2}", dice(12));
    if (mcphost_call_new(dialog, name, arguments, strlen(arguments), &call, NULL) < 0)
        return;
    ck_assert_int_eq(mcphost_call_set_timeout(call, 5 + dice(200), dice(2), -1), 0);
    if (dice(2))
        ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_start(call, on_done, NULL, on_free), 0);
    n_started++;
    mcphost_call_unref(held[slot]);
    held[slot] = call;
}

static void
throw_release(mcphost_dialog *dialog)
{
    mcphost_lease *lease;

    if (dice(2))
        start(dialog, "mcp_release",
              dice(2) ? "{\"serverId\":\"a\"}" : "{\"serverId\":\"b\"}");
    else if (mcphost_dialog_get_lease(dialog, dice(2) ? "a" : "b", &lease) == 0) {
        ck_assert_int_eq(mcphost_lease_release(lease), 0);
        mcphost_lease_unref(lease);
    }
}

static void
throw_kill(void)
{
    mcphost_status *status;
    size_t n;
    pid_t pid;

    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    n = mcphost_status_count_leases(status);
    pid = n ? (pid_t)mcphost_status_lease_get_pid(status, (size_t)dice((int)n)) : 0;
    if (pid > 0)
        kill(pid, dice(2) ? SIGKILL : SIGTERM);
    mcphost_status_unref(status);
}

static void
throw_once(void)
{
    mcphost_dialog *dialog = dialogs[dice(N_DIALOGS)];
    mcphost_catalog *catalog;

    switch (dice(16)) {
    case 0:
        throw_release(dialog);
        break;
    case 1:
        if (dice(2))
            throw_kill();
        break;
    case 2:
        if (held[0])
            ck_assert_int_eq(mcphost_call_cancel(held[0]), 0);
        break;
    case 3:
        if (dice(3) == 0)
            reopen(dice(N_DIALOGS));
        break;
    case 4:
        ck_assert_int_eq(mcphost_dialog_get_catalog(dialog, &catalog), 0);
        mcphost_catalog_unref(catalog);
        break;
    case 5:
    case 6:
    case 7:
        throw_call(dialog);
        break;
    default:
        some_turns(1 + dice(6));
    }
}

#define CHANGEABLE                                            \
    "era legacy\ntool grow\ntool die\non call:die\n exit 3\n" \
    "on call:grow\n use more\n changed\n text grown\n"        \
    "set more\ntool grow\ntool extra\ntool pid"

START_TEST(random_operations_end_each_call_once_and_leave_nothing_behind)
{
    seed = (unsigned)_i + 1;
    up();
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 5);
    hr_option(&hr, MCPHOST_OPT_CALLS_IN_FLIGHT, 3);
    hr_option(&hr, MCPHOST_OPT_QUEUED_CALLS, 8);
    hr_option(&hr, MCPHOST_OPT_DRAIN_TIMEOUT, dice(2) ? MCPHOST_DRAIN_AUTO : 20);
    hr.yaml_len = strlen("version: 1\nservers:\n");
    hr_server(&hr, "a", NULL, CHANGEABLE);
    hr_server(&hr, "b", NULL, "era legacy\non discover\n exit 1");
    hr_server(&hr, "s", "truely-stateless: true", CHANGEABLE);
    hr_load(&hr);
    for (int i = 0; i < N_DIALOGS; i++)
        reopen(i);
    for (int i = 0; i < 400; i++)
        throw_once();
    if (_i % 3 == 0) {
        hr.host = mcphost_unref(hr.host);
        ck_assert_int_eq(n_freed, n_started);
    }
    for (int i = 0; i < N_DIALOGS; i++)
        dialogs[i] = mcphost_dialog_unref(dialogs[i]);
    for (int i = 0; i < 8; i++)
        held[i] = mcphost_call_unref(held[i]);
    if (!hr.host) {
        hr_down_ended(&hr);
        return;
    }
    hr_until(&hr, n_freed == n_started);
    hr_down(&hr);
    check_calls();
}
END_TEST

/* ---- in the middle of a flood ------------------------------------------------------ */

/* R108: input that a turn leaves for the next turn does not delay the end of the host. */
START_TEST(a_host_may_be_dropped_while_a_server_floods_it)
{
    struct httprig web;
    mcphost_dialog *dialog;

    hr_up(&hr);
    if (_i % 2 == 0)
        hr_server(&hr, "a", "truely-stateless: true",
                  "on call:slow\n lines 1M {\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
    else
        hr_http(&hr, &web, "a", "truely-stateless: true",
                "reply json\non call:slow\n text-bytes 40M");
    hr_load(&hr);
    dialog = hr_dialog(&hr, "d");
    hr_start(&hr, dialog, "a_slow", "{}");
    for (int i = 0; i < 10; i++)
        ck_assert_int_ge(mcphost_wait(hr.host, 5000), 0);
    rig_pause(20); /* the pipe is full again after this pause */
    turn();
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *turns = test_case(suite, "turns"), *throws = test_case(suite, "dice");

    tcase_set_timeout(turns, 15);
    tcase_add_loop_test(turns, a_host_may_be_closed_between_any_two_turns_of_a_start, 0,
                        MOMENTS);
    tcase_add_loop_test(turns, a_host_may_be_dropped_between_any_two_turns_of_a_start, 0,
                        MOMENTS);
    tcase_add_loop_test(turns,
                        a_dialog_may_be_closed_between_any_two_turns_of_its_first_calls,
                        0, MOMENTS);
    tcase_add_loop_test(turns, a_lease_may_be_released_between_any_two_turns_of_its_start,
                        0, MOMENTS);
    tcase_add_loop_test(turns, a_host_may_be_dropped_between_any_two_turns_of_a_call, 0,
                        MOMENTS);

    tcase_add_loop_test(turns, a_host_may_be_dropped_while_a_server_floods_it, 0, 4);

    tcase_set_timeout(throws, 15);
    tcase_add_loop_test(
        throws, random_operations_end_each_call_once_and_leave_nothing_behind, 0, 12);
}

int
main(void)
{
    return test_main("host-moments", add);
}
