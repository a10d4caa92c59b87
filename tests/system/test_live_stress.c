/* SPDX-License-Identifier: MIT
 *
 * test_live_stress.c - runs tests/stress for a short time with fixed seeds, and tests
 * each race that longer runs have found.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "support/catalog.h"
#include "support/hostrig.h"

static struct hostrig hr;

/* ---- random edits ------------------------------------------------------------------ */

static void
run_stress(char *seed, char *steps, char *mode, char *policy, char *flag)
{
    char path[4200];
    char *argv[] = {path, "-s", seed, "-n", steps, "-m", mode, "-p", policy, flag, NULL};
    pid_t pid;
    int status;

    snprintf(path, sizeof(path), "%s/stress", test_progdir());
    ck_assert_int_eq(posix_spawn(&pid, path, NULL, NULL, argv, environ), 0);
    while (waitpid(pid, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    ck_assert_int_eq(status, 0);
}

static char *const policies[] = {"successor", "serve"};

/* R95, R96, R97, R100-R106: after each edit the catalog must equal the catalog of a
 * model. */
START_TEST(random_edits_give_the_catalog_that_the_model_predicts)
{
    run_stress("1", "60", "explicit", policies[_i], NULL);
}
END_TEST

static char *const modes[] = {"watch", "poll", "turn"};

/* R30, R89, R91: the host itself notices that the file was edited. */
START_TEST(random_edits_are_noticed_by_watch_poll_and_turn)
{
    run_stress("2", _i ? "30" : "12", modes[_i], policies[1], NULL);
}
END_TEST

START_TEST(random_edits_give_the_right_catalog_while_a_thread_dispatches)
{
    run_stress("3", "30", "explicit", policies[_i], "-t");
}
END_TEST

/* ---- races that were found --------------------------------------------------------- */

/* R106: a call that waits for the start of its server's process is in flight, too. */
START_TEST(a_call_whose_client_is_starting_outlives_the_removal_of_its_server)
{
    mcphost_dialog *d;
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", NULL, "on initialize\n delay 200\n answer\nera legacy");
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    call = hr_start(&hr, d, "a_echo", "{\"text\":\"hi\"}");
    hr_turn(&hr, 1);
    hr_edit(&hr);
    hr_server(&hr, "b", "truely-stateless: true", NULL);
    hr_reload(&hr);
    ck_assert(!mcphost_call_is_done(call));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "hi");
    hr_until(&hr, rig_workspace_living(&hr.ws, "a.trace") == 0);
    hr_down(&hr);
}
END_TEST

static struct {
    struct mcph_job job;
    struct mcph_listing *listing;
} relist;

static void
run_relist(struct mcph_job *job)
{
    (void)job;
    mcph_server_relisted(mcph_server_find(hr.host->source, "a"), relist.listing, false);
}

/* R95: the host publishes a new list before the host checks the next call against the
 * catalog. */
START_TEST(a_call_started_after_a_new_list_arrived_is_checked_against_it)
{
    mcphost_call *call;
    int catalogs;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_follow(&hr);
    call = hr_call(&hr, hr_dialog(&hr, "d"), "a_echo", NULL);
    catalogs = hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1);
    relist.listing = catrig_listing("[{\"name\":\"other\",\"inputSchema\":{}}]");
    relist.job.run = run_relist;
    mcph_list_init(&relist.job.link);
    mcph_core_post(hr.host->core, &relist.job);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "a_other");
    hr_turn(&hr, 20);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1), catalogs + 1);
    mcph_listing_unref(relist.listing);
    hr_down(&hr);
}
END_TEST

static void
run_late_list(struct mcph_job *job)
{
    static struct mcph_client_list nothing;
    struct mcph_server *server = mcph_server_find(hr.host->source, "a");

    (void)job;
    mcph_server_commit(server, relist.listing);
    mcph_report_ops.listed(server->shared->instance, MCPH_LIST_TOOLS, &nothing, NULL,
                           hr.host);
}

/* R112: each good change of a server makes a new edition of the server.  A late list of
 * the previous edition must not replace the tools of the new edition. */
START_TEST(a_late_list_of_the_previous_edition_is_ignored)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_follow(&hr);
    hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid");
    relist.listing = catrig_listing("[{\"name\":\"other\",\"inputSchema\":{}}]");
    relist.job.run = run_late_list;
    mcph_list_init(&relist.job.link);
    mcph_core_post(hr.host->core, &relist.job);
    hr_turn(&hr, 20);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "a_other");
    mcph_listing_unref(relist.listing);
    hr_down(&hr);
}
END_TEST

#define SHARED "truely-stateless: true"
#define FEW    "no-tools\ntool echo\ntool pid\n"

static void
up(int policy, const char *script)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_REMOVED, policy);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, script);
    hr_follow(&hr);
}

/* R96: the host does not reuse the process of a turn for a later configuration of the
 * server. */
START_TEST(a_disabled_servers_process_that_a_turn_kept_ends_with_the_turn)
{
    mcphost_dialog *d;
    int pid;

    up(MCPHOST_REMOVED_SERVE, FEW);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    pid = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nenabled: false", FEW);
    hr_reload(&hr);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_DISABLED);
    hr_edit(&hr);
    hr_entry(&hr, "a: {transport: stdio, command: /no/such, truely-stateless: true}");
    hr_reload(&hr);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    ck_assert_int_eq(mcphost_dialog_end_turn(d), 0);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

/* R111, R119: the running process can still change its list.  The entry stays invalid. */
START_TEST(a_list_change_under_an_invalid_entry_is_shown_and_the_state_stays)
{
    static const char script[] =
        "no-tools\ntool turn\nset next\nno-tools\ntool other\nset main\n"
        "on call:turn\n use next\n changed\n text done";

    up(MCPHOST_REMOVED_SUCCESSOR, script);
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\ncwd: [7]", script);
    hr_reload(&hr);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_CONFIG_INVALID);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_turn", "{}");
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "a_other") == 0);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_CONFIG_INVALID);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "a"), "cwd"));
    hr_down(&hr);
}
END_TEST

/* R96: a call in a turn can use only the tools in the turn's catalog, not all tools of
 * the turn's processes. */
START_TEST(a_tool_filtered_out_before_the_turn_is_gone_by_either_policy)
{
    mcphost_dialog *d;
    mcphost_tool *tool;
    mcphost_call *call;

    up(_i, FEW);
    d = hr_dialog(&hr, "d");
    tool = hr_tool(&hr, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\ntools: {blacklist: [pid]}", FEW);
    hr_reload(&hr);
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "a_echo") == 0);
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    ck_assert_int_eq(mcphost_call_new_tool(d, tool, "{}", 2, &call, NULL), 0);
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    mcphost_tool_unref(tool);
    hr_down(&hr);
}
END_TEST

/* R104 R119 */
START_TEST(the_status_names_the_process_that_took_over)
{
    mcphost_dialog *d;
    int first, second;

    up(MCPHOST_REMOVED_SUCCESSOR, FEW);
    d = hr_dialog(&hr, "d");
    first = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr_server_pid(&hr, "a"), first);
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nenv: {GENERATION: \"2\"}", FEW "tool more\n");
    hr_reload(&hr);
    hr_until(&hr, strcmp(hr_toolset(&hr, "a"), "a_echo a_pid a_more") == 0);
    second = (int)hr_server_pid(&hr, "a");
    ck_assert_int_ne(second, first);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), second);
    hr_until(&hr, rig_is_dead(first));
    ck_assert_int_eq(hr_server_pid(&hr, "a"), second);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "found");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc,
                   a_call_whose_client_is_starting_outlives_the_removal_of_its_server);
    tcase_add_test(tc, a_call_started_after_a_new_list_arrived_is_checked_against_it);
    tcase_add_test(tc, a_late_list_of_the_previous_edition_is_ignored);
    tcase_add_test(tc, a_disabled_servers_process_that_a_turn_kept_ends_with_the_turn);
    tcase_add_test(tc, a_list_change_under_an_invalid_entry_is_shown_and_the_state_stays);
    tcase_add_test(tc, the_status_names_the_process_that_took_over);
    tcase_add_loop_test(tc, a_tool_filtered_out_before_the_turn_is_gone_by_either_policy,
                        MCPHOST_REMOVED_SUCCESSOR, MCPHOST_REMOVED_SERVE + 1);
    tc = test_case(suite, "random");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, random_edits_give_the_catalog_that_the_model_predicts, 0, 2);
    tcase_add_loop_test(tc, random_edits_are_noticed_by_watch_poll_and_turn, 0, 3);
    tcase_add_loop_test(tc, random_edits_give_the_right_catalog_while_a_thread_dispatches,
                        0, 2);
}

int
main(void)
{
    return test_main("live-stress", add);
}
