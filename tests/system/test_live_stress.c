/* SPDX-License-Identifier: MIT
 *
 * test_live_stress.c - a short run of tests/stress with seeds that do not change, and
 * the races that longer runs of it have found, one by one.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.h"
#include "support/catalog.h"
#include "support/hostrig.h"

static struct hostrig hr;

/* ---- the program ---- */

static void
run_stress(const char *seed, const char *steps, const char *flag)
{
    char path[4200];
    char *argv[] = {path, "-s", (char *)seed, "-n", (char *)steps, (char *)flag, NULL};
    pid_t pid;
    int status;

    snprintf(path, sizeof(path), "%s/stress", test_progdir());
    ck_assert_int_eq(posix_spawn(&pid, path, NULL, NULL, argv, environ), 0);
    while (waitpid(pid, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    ck_assert_int_eq(status, 0);
}

/* R95, R97, R100-R106: what is published is a function of the edits. */
START_TEST(edits_at_random_are_what_the_model_says)
{
    run_stress("1", "60", NULL);
}
END_TEST

/* R89: the same, noticed by the host itself. */
START_TEST(edits_at_random_are_noticed)
{
    run_stress("2", "12", "-w");
}
END_TEST

START_TEST(edits_at_random_beside_a_thread_that_dispatches)
{
    run_stress("3", "40", "-t");
}
END_TEST

/* ---- what it found ---- */

/* R106: a call that waits for its client to come up is in flight too. */
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
    mcph_server_relisted(mcph_server_find(hr.host, "a"), relist.listing);
}

/* R95: between a list that comes in and its publication no call takes the new
 * edition for the old. */
START_TEST(a_call_behind_a_new_list_finds_it_published)
{
    mcphost_call *call;
    int catalogs;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_follow(&hr);
    call = hr_call(&hr, hr_dialog(&hr, "d"), "a_echo", NULL);
    catalogs = hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1);
    relist.listing = rig_listing("[{\"name\":\"other\",\"inputSchema\":{}}]");
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
    struct mcph_server *server = mcph_server_find(hr.host, "a");

    (void)job;
    mcph_server_commit(server, relist.listing);
    mcph_report_ops.listed(server->shared->instance, &nothing, NULL, hr.host);
}

/* R112: the new edition's tools are not lost to a list of the one before. */
START_TEST(a_list_of_an_edition_that_is_over_changes_nothing)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_follow(&hr);
    hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid");
    relist.listing = rig_listing("[{\"name\":\"other\",\"inputSchema\":{}}]");
    relist.job.run = run_late_list;
    mcph_list_init(&relist.job.link);
    mcph_core_post(hr.host->core, &relist.job);
    hr_turn(&hr, 20);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "a_other");
    mcph_listing_unref(relist.listing);
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
    tcase_add_test(tc, a_call_behind_a_new_list_finds_it_published);
    tcase_add_test(tc, a_list_of_an_edition_that_is_over_changes_nothing);
    tc = test_case(suite, "random");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, edits_at_random_are_what_the_model_says);
    tcase_add_test(tc, edits_at_random_are_noticed);
    tcase_add_test(tc, edits_at_random_beside_a_thread_that_dispatches);
}

int
main(void)
{
    return test_main("live-stress", add);
}
