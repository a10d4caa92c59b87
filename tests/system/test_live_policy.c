/* SPDX-License-Identifier: MIT
 *
 * test_live_policy.c - options that decide the effect of an edit, mostly at values other
 * than the default.
 *
 * MCPHOST_OPT_RELOAD decides when the host reads the file.  MCPHOST_OPT_LAST_GOOD
 * decides what happens after a bad edit.  MCPHOST_OPT_DRAIN_TIMEOUT decides how long a
 * replaced process may run on.  MCPHOST_OPT_REMOVED decides what happens to a server
 * that is removed during a turn.  Other files test more values of these options.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "pool/inner.h"
#include "support/hostrig.h"

#define SHARED "truely-stateless: true"

static struct hostrig hr;
static mcphost_dialog *d;

/* Starts a host that reads its file again only on mcphost_reload().  Dialog `d` calls
 * the leased server `a` and the shared server `b`.  Stores the process ids of the
 * servers in *ret_a and *ret_b. */
static void
up(int last_good, int *ret_a, int *ret_b)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_option(&hr, MCPHOST_OPT_LAST_GOOD, last_good);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "b", SHARED, NULL);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    *ret_a = hr_pid(&hr, d, "a_pid");
    *ret_b = hr_pid(&hr, d, "b_pid");
}

static void
good(void)
{
    hr_edit(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "b", SHARED, NULL);
    hr_reload(&hr);
}

/* Waits until the tool is removed and the process has ended. */
static void
wait_until_gone(const char *id, const char *tool, int pid)
{
    hr_until(&hr, !hr_has(&hr, tool));
    hr_until(&hr, rig_is_dead(pid));
    hr_until(&hr, hr_server_pid(&hr, id) == 0);
}

/* ---- after a bad edit -------------------------------------------------------------- */

/* R114 K10 */
START_TEST(last_good_none_a_rejected_file_ends_all_servers)
{
    int a, b;

    up(MCPHOST_LAST_GOOD_NONE, &a, &b);
    rig_workspace_yaml(&hr.ws, "version: 1\nservers: [\n");
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_until(&hr, !hr_has(&hr, "a_echo") && !hr_has(&hr, "b_echo"));
    hr_until(&hr, rig_is_dead(a) && rig_is_dead(b));
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/workspace_config_error"));
    ck_assert_uint_eq(hr_leases(&hr), 0);
    good();
    hr_until(&hr, hr_has(&hr, "a_echo") && hr_has(&hr, "b_echo"));
    ck_assert_ptr_null(hr_problem(&hr, "mcp/workspace_config_error"));
    hr_pid(&hr, d, "a_pid");
    hr_down(&hr);
}
END_TEST

/* R115 K10 */
START_TEST(last_good_none_a_rejected_entry_ends_its_server)
{
    int a, b;

    up(MCPHOST_LAST_GOOD_NONE, &a, &b);
    hr_edit(&hr);
    hr_entry(&hr, "a: {transport: stdio, command: 7}");
    hr_server(&hr, "b", SHARED, NULL);
    hr_reload(&hr);
    wait_until_gone("a", "a_echo", a);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_CONFIG_INVALID);
    ck_assert_int_eq(hr_pid(&hr, d, "b_pid"), b);
    good();
    hr_until(&hr, hr_has(&hr, "a_echo"));
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

/* R110, K10: tests a leased server and a shared server. */
START_TEST(last_good_none_a_change_that_fails_ends_the_old_process)
{
    const char *id = _i ? "b" : "a";
    int pids[2];

    up(MCPHOST_LAST_GOOD_NONE, &pids[0], &pids[1]);
    hr_edit(&hr);
    for (int i = 0; i < 2; i++) {
        if (i == _i)
            hr_entry(&hr, i ? "b: {transport: stdio, command: /no/such/program}"
                            : "a: {transport: stdio, command: /no/such/program}");
        else
            hr_server(&hr, i ? "b" : "a", i ? SHARED : NULL, NULL);
    }
    hr_reload(&hr);
    wait_until_gone(id, _i ? "b_echo" : "a_echo", pids[_i]);
    ck_assert_int_eq(hr_server_state(&hr, id), MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_int_eq(hr_pid(&hr, d, _i ? "a_pid" : "b_pid"), pids[!_i]);
    good();
    hr_until(&hr, hr_has(&hr, "a_echo") && hr_has(&hr, "b_echo"));
    ck_assert_int_ne(hr_pid(&hr, d, _i ? "b_pid" : "a_pid"), pids[_i]);
    hr_down(&hr);
}
END_TEST

/* R111: a good change starts the new process before the old process ends, also with
 * MCPHOST_LAST_GOOD_NONE.  Therefore no server becomes unavailable. */
START_TEST(last_good_none_a_good_change_starts_the_new_process_first)
{
    int a, b;

    up(MCPHOST_LAST_GOOD_NONE, &a, &b);
    hr_edit(&hr);
    hr_server(&hr, "a", NULL, "name other\non initialize\n delay 50\n answer");
    hr_server(&hr, "b", SHARED "\nenv: {X: '1'}", NULL);
    hr_reload(&hr);
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_SERVER, "b", NULL, MCPHOST_SERVER_LOADED) == 2);
    ck_assert_int_ne(hr_pid(&hr, d, "b_pid"), b);
    for (int i = 0; i < hr.n_events; i++)
        ck_assert(hr.events[i].kind != MCPHOST_EVENT_SERVER ||
                  hr.events[i].state == MCPHOST_SERVER_LOADED ||
                  hr.events[i].state == MCPHOST_SERVER_STARTING);
    hr_down(&hr);
}
END_TEST

/* B.14 */
START_TEST(last_good_none_a_failed_restart_keeps_the_old_process)
{
    int b;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_option(&hr, MCPHOST_OPT_LAST_GOOD, MCPHOST_LAST_GOOD_NONE);
    hr_server(&hr, "b", SHARED "\nenv: {GOOD: {env: GOOD}}", NULL);
    ck_assert_int_eq(mcphost_set_env(hr.host, "GOOD", "1"), 0);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    b = hr_pid(&hr, d, "b_pid");
    ck_assert_int_eq(mcphost_set_env(hr.host, "GOOD", NULL), 0);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "b"), 0);
    hr_until(&hr, hr_problem(&hr, "mcp/server/b/server_error") != NULL);
    ck_assert_int_eq(hr_pid(&hr, d, "b_pid"), b);
    ck_assert_int_eq(hr_server_state(&hr, "b"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

/* R110 R112 K10 */
START_TEST(by_default_failed_edits_keep_the_old_processes)
{
    int64_t value = -1;
    int a, b;

    up(MCPHOST_LAST_GOOD_KEEP, &a, &b);
    ck_assert_int_eq(mcphost_get_option(hr.host, MCPHOST_OPT_LAST_GOOD, &value), 0);
    ck_assert_int_eq(value, MCPHOST_LAST_GOOD_KEEP);
    hr_edit(&hr);
    hr_entry(&hr, "a: {transport: stdio, command: 7}");
    hr_entry(&hr, "b: {transport: stdio, command: /no/such/program}");
    hr_reload(&hr);
    hr_until(&hr, hr_problem(&hr, "mcp/server/b/server_error") != NULL);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), a);
    ck_assert_int_eq(hr_pid(&hr, d, "b_pid"), b);
    hr_down(&hr);
}
END_TEST

/* ---- when the file is read --------------------------------------------------------- */

/* R88 K1 */
START_TEST(an_explicit_host_reads_the_file_only_on_mcphost_reload)
{
    int a, b;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_RELOAD_POLL, 10);
    hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
    hr_server(&hr, "a", NULL, NULL);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    a = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "b", SHARED, NULL);
    hr_save(&hr);
    /* The host has no watcher.  Neither the host itself nor a turn reads the file. */
    ck_assert_ptr_null(hr.host->source->follow.watcher);
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    hr_turn(&hr, 50);
    ck_assert_int_eq(mcphost_dialog_end_turn(d), 0);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_CONFIG, NULL, NULL, -1), 1);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), a);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_until(&hr, hr_has(&hr, "b_echo") && !hr_has(&hr, "a_echo"));
    b = hr_pid(&hr, d, "b_pid");
    ck_assert_int_gt(b, 0);
    hr_down(&hr);
}
END_TEST

/* ---- how long a replaced process may run on ---------------------------------------- */

#define HUNG "tool hang\non call:hang\n"

/* Replaces `a` by an edit while a call of `a` hangs.  Returns the call. */
static mcphost_call *
replace_hung(int64_t drain, int64_t call_ms)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_DRAIN_TIMEOUT, drain);
    hr_server(&hr, "a", SHARED, HUNG);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    call = hr_call(&hr, d, "a_hang", NULL);
    ck_assert_int_eq(mcphost_call_set_timeout(call, call_ms, 0, -1), 0);
    hr_go(call);
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "tools/call") > 0);
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nenv: {X: '1'}", HUNG);
    hr_reload(&hr);
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_SERVER, "a", NULL, MCPHOST_SERVER_LOADED) == 2);
    return call;
}

/* Returns the time in ms until the host ends the replaced instance, or -1 if no replaced
 * instance has a timer. */
static int64_t
drain_due(void)
{
    mcph_list_for_each (item, &hr.host->pool->instances) {
        struct mcph_instance *inst = MCPH_LIST_ENTRY(item, struct mcph_instance, link);

        if (inst->state == MCPHOST_INSTANCE_CLOSING && mcph_timer_is_set(&inst->drain))
            return inst->drain.due - mcph_core_now(hr.host->core);
    }
    return -1;
}

START_TEST(drain_auto_waits_at_most_60_seconds) /* R108 K12 */
{
    mcphost_call *call = replace_hung(MCPHOST_DRAIN_AUTO, -1);

    ck_assert_int_le(drain_due(), 60000);
    ck_assert_int_gt(drain_due(), 30000);
    mcphost_call_cancel(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

/* R108 */
START_TEST(drain_auto_waits_for_the_time_that_the_calls_have_left)
{
    mcphost_call *call = replace_hung(MCPHOST_DRAIN_AUTO, 20000);

    ck_assert_int_le(drain_due(), 20100);
    ck_assert_int_gt(drain_due(), 0);
    mcphost_call_cancel(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

START_TEST(drain_with_a_time_cancels_a_hung_call) /* R108 K12 */
{
    mcphost_call *call = replace_hung(20, -1);

    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

/* R108 R111 K12 */
START_TEST(drain_zero_cancels_calls_as_soon_as_the_new_process_is_up)
{
    mcphost_call *call = replace_hung(0, -1);

    ck_assert_int_eq(drain_due(), -1);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

START_TEST(drain_infinite_sets_no_timer) /* R108 K12 */
{
    mcphost_call *call = replace_hung(MCPHOST_DRAIN_INFINITE, -1);

    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL,
                           MCPHOST_INSTANCE_CLOSING) == 1);
    ck_assert_int_eq(drain_due(), -1);
    mcphost_call_cancel(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

/* ---- leases that a turn keeps ------------------------------------------------------ */

/* R96 */
START_TEST(leases_that_a_turn_kept_end_with_the_removed_server)
{
    struct mcph_server *server;
    mcphost *host;
    int pid;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE);
    hr_server(&hr, "a", SHARED, NULL);
    hr_load(&hr);
    host = hr.host;
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    pid = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_entry(&hr, "off: {transport: stdio, command: x, enabled: false}");
    hr_load_only(&hr);
    hr_until(&hr, !mcph_list_empty(&host->source->gone));
    server = MCPH_LIST_ENTRY(host->source->gone.next, struct mcph_server, gone_link);
    /* After the kill, the turn keeps a lease without an instance. */
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    hr_until(&hr, !mcph_pool_owns(host->pool, server));
    ck_assert(!mcph_list_empty(mcph_pool_leases(host->pool)));

    /* The end of the turn posts a job that frees the server.  The test calls
     * mcph_server_let_go() before this job runs, as the host does if the last instance is
     * freed at this moment. */
    ck_assert_int_eq(mcphost_dialog_end_turn(d), 0);
    mcph_server_let_go(server);
    ck_assert(mcph_list_empty(&host->source->gone));
    ck_assert(mcph_list_empty(mcph_pool_leases(host->pool)));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *good_case = test_case(suite, "last good");
    TCase *when = test_case(suite, "when"), *drain = test_case(suite, "drain");

    tcase_set_timeout(good_case, 30);
    tcase_add_test(good_case, last_good_none_a_rejected_file_ends_all_servers);
    tcase_add_test(good_case, last_good_none_a_rejected_entry_ends_its_server);
    tcase_add_loop_test(good_case,
                        last_good_none_a_change_that_fails_ends_the_old_process, 0, 2);
    tcase_add_test(good_case, last_good_none_a_good_change_starts_the_new_process_first);
    tcase_add_test(good_case, last_good_none_a_failed_restart_keeps_the_old_process);
    tcase_add_test(good_case, by_default_failed_edits_keep_the_old_processes);
    tcase_set_timeout(when, 30);
    tcase_add_test(when, an_explicit_host_reads_the_file_only_on_mcphost_reload);
    tcase_add_test(when, leases_that_a_turn_kept_end_with_the_removed_server);
    tcase_set_timeout(drain, 30);
    tcase_add_test(drain, drain_auto_waits_at_most_60_seconds);
    tcase_add_test(drain, drain_auto_waits_for_the_time_that_the_calls_have_left);
    tcase_add_test(drain, drain_with_a_time_cancels_a_hung_call);
    tcase_add_test(drain, drain_zero_cancels_calls_as_soon_as_the_new_process_is_up);
    tcase_add_test(drain, drain_infinite_sets_no_timer);
}

int
main(void)
{
    return test_main("live-policy", add);
}
