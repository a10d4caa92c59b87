/* SPDX-License-Identifier: MIT
 *
 * test_host_many.c - many dialogs and servers at once, a process without free
 * descriptors, and a host that is killed after it forked.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hostrig.h"

static struct hostrig hr;

static void
limit_fds(rlim_t n)
{
    struct rlimit limit;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = n && n < limit.rlim_max ? n : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Lowers the limit of descriptors so that the process can open `n` more descriptors. */
static void
leave_fds(int n)
{
    int fds[16] = {0};

    for (int i = 0; i <= n; i++) {
        fds[i] = fcntl(0, F_DUPFD_CLOEXEC, 0);
        ck_assert_int_ge(fds[i], 0);
    }
    limit_fds((rlim_t)fds[n]);
    for (int i = 0; i <= n; i++)
        close(fds[i]);
}

#define DIALOGS 100
#define SERVERS 10

static mcphost_call *calls[DIALOGS * SERVERS];
static mcphost_dialog *dialogs[DIALOGS];

static void
open_dialogs(void)
{
    char id[16];

    for (int i = 0; i < DIALOGS; i++) {
        snprintf(id, sizeof(id), "d%d", i);
        ck_assert_int_eq(mcphost_dialog_new(mcphost_default_view(hr.host), id, NULL,
                                            &dialogs[i], NULL),
                         0);
    }
}

static void
use_every_server(void)
{
    char tool[16];

    for (int i = 0; i < DIALOGS * SERVERS; i++) {
        snprintf(tool, sizeof(tool), "s%d_pid", i % SERVERS);
        ck_assert_int_eq(
            mcphost_call_new(dialogs[i / SERVERS], tool, NULL, 0, &calls[i], NULL), 0);
        ck_assert_int_eq(mcphost_call_start(calls[i], NULL, NULL, NULL), 0);
    }
    for (int i = 0; i < DIALOGS * SERVERS; i++) {
        ck_assert_int_eq(mcphost_call_wait(calls[i], 60000), 1);
        ck_assert_msg(mcphost_call_get_result(calls[i]) != NULL, "call %d: %s", i,
                      hr_why(calls[i]));
    }
}

/* R78, R82: each dialog has a process of its own on each server.  Closing the dialogs and
 * the host ends all processes. */
START_TEST(a_hundred_dialogs_on_ten_servers_leave_nothing_behind)
{
    char id[16];
    int living = 0;

    limit_fds(16384);
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CONCURRENT_STARTS, 16);
    for (int i = 0; i < SERVERS; i++) {
        snprintf(id, sizeof(id), "s%d", i);
        hr_server(&hr, id, NULL, "no-tools\ntool pid");
    }
    hr_load(&hr);
    open_dialogs();
    use_every_server();
    ck_assert_uint_eq(hr_leases(&hr), DIALOGS * SERVERS);
    for (int i = 0; i < DIALOGS * SERVERS; i++)
        mcphost_call_unref(calls[i]);
    for (int i = 0; i < DIALOGS; i++) {
        ck_assert_int_eq(mcphost_dialog_close(dialogs[i]), 0);
        mcphost_dialog_unref(dialogs[i]);
    }
    hr_until(&hr, hr_leases(&hr) == 0);
    hr_close(&hr);
    for (int i = 0; i < SERVERS; i++) {
        snprintf(id, sizeof(id), "s%d.trace", i);
        living += rig_workspace_living(&hr.ws, id);
    }
    ck_assert_int_eq(living, 0);
    hr_clear(&hr);
}
END_TEST

/* The error names the server and RLIMIT_NOFILE.  The failed start leaves no descriptor
 * open.  A later call succeeds with enough free descriptors. */
START_TEST(a_call_without_free_descriptors_fails_and_names_the_limit)
{
    mcphost_dialog *d;
    mcphost_call *call;
    int before;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", NULL, "no-tools\ntool pid");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL,
                           MCPHOST_INSTANCE_DEAD) == 1);
    before = hr.before.fds + 3; /* the event loop has three descriptors */
    hr_until(&hr, rig_census_take().fds == before);
    for (int room = 0; room < 8; room++) {
        leave_fds(room);
        call = hr_start(&hr, d, "a_pid", NULL);
        ck_assert_msg(hr_end(&hr, call) == MCPHOST_E_LIMIT, "with %d left", room);
        ck_assert_ptr_nonnull(strstr(hr_why(call), "'a'"));
        ck_assert_msg(strstr(hr_why(call), "RLIMIT_NOFILE") != NULL, "%s", hr_why(call));
        limit_fds(0);
        hr_turn(&hr, 5);
        ck_assert_int_eq(rig_census_take().fds, before);
    }
    leave_fds(9);
    ck_assert_int_gt(hr_pid(&hr, d, "a_pid"), 0);
    limit_fds(0);
    hr_down(&hr);
}
END_TEST

/* An instance takes six descriptors and closes all six. */
START_TEST(an_instance_holds_six_descriptors)
{
    int before;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", NULL, "no-tools\ntool pid");
    hr_load(&hr);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL,
                           MCPHOST_INSTANCE_DEAD) == 1);
    before = hr.before.fds + 3; /* the event loop has three descriptors */
    hr_until(&hr, rig_census_take().fds == before);
    hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid");
    ck_assert_int_eq(rig_census_take().fds, before + 6);
    mcphost_dialog_close(hr.dialogs[0]);
    hr_until(&hr, rig_census_take().fds == before);
    hr_down(&hr);
}
END_TEST

/* mcphost_new() reports the limit and an errno. */
START_TEST(a_new_host_without_free_descriptors_is_refused_with_e_limit)
{
    struct rig_census before = rig_census_take();
    mcphost_error *err = NULL;
    mcphost *host = NULL;

    for (int room = 0; room < 3; room++) {
        leave_fds(room);
        ck_assert_int_eq(mcphost_new(&host, &err), MCPHOST_E_LIMIT);
        limit_fds(0);
        ck_assert_ptr_null(host);
        ck_assert_int_ne(mcphost_error_get_errno(err), 0);
        err = mcphost_error_unref(err);
    }
    rig_census_check(&before, 0);
}
END_TEST

/* ---- a host that forked ------------------------------------------------------------ */

/* Loads the workspace and forks a child that holds all descriptors open until the pipe
 * `hold` is closed.  Then writes a byte to `told` and dispatches until the test kills
 * this process. */
static void
be_the_host(int told, int hold)
{
    mcphost_config *config;
    char byte;

    if (mcphost_config_load_workspace(hr.ws.dir, &config, NULL) < 0 ||
        mcphost_load(hr.host, config) < 0 || mcphost_wait_ready(hr.host, 10000) != 1)
        _exit(1);
    if (fork() == 0) {
        (void)!read(hold, &byte, 1);
        _exit(0);
    }
    (void)!write(told, "x", 1);
    for (;;)
        mcphost_wait(hr.host, 1000);
}

/* The guard must notice the host's death although the forked child keeps the channel to
 * the guard open. */
START_TEST(a_killed_host_whose_fork_lives_on_leaves_no_server)
{
    int told[2], hold[2], living;
    pid_t host;
    char byte;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, "ignore eof\nignore term");
    hr_server(&hr, "s", "truely-stateless: true", NULL);
    rig_workspace_yaml(&hr.ws, "%s", hr.yaml);
    ck_assert_int_eq(pipe(told), 0);
    ck_assert_int_eq(pipe(hold), 0);
    host = fork();
    if (host == 0) {
        char guard[4200];

        snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
        close(hold[1]);
        if (mcphost_new(&hr.host, NULL) < 0 || mcphost_set_guard_path(hr.host, guard) < 0)
            _exit(1);
        be_the_host(told[1], hold[0]);
    }
    close(hold[0]);
    ck_assert_int_eq(read(told[0], &byte, 1), 1);
    ck_assert_int_eq(rig_workspace_living(&hr.ws, "a.trace") +
                         rig_workspace_living(&hr.ws, "s.trace"),
                     2);
    ck_assert_int_eq(kill(host, SIGKILL), 0);
    ck_assert_int_eq(waitpid(host, NULL, 0), host);
    for (int i = 0; i < 200; i++) {
        living = rig_workspace_living(&hr.ws, "a.trace") +
                 rig_workspace_living(&hr.ws, "s.trace");
        if (!living)
            break;
        rig_pause(10);
    }
    ck_assert_int_eq(living, 0);
    close(hold[1]);
    close(told[0]);
    close(told[1]);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *many = test_case(suite, "many"), *fds = test_case(suite, "descriptors");
    TCase *fork_case = test_case(suite, "fork");

    tcase_set_timeout(many, 60);
    tcase_add_test(many, a_hundred_dialogs_on_ten_servers_leave_nothing_behind);

    tcase_set_timeout(fds, 10);
    tcase_add_test(fds, a_call_without_free_descriptors_fails_and_names_the_limit);
    tcase_add_test(fds, an_instance_holds_six_descriptors);
    tcase_add_test(fds, a_new_host_without_free_descriptors_is_refused_with_e_limit);

    tcase_set_timeout(fork_case, 10);
    tcase_add_test(fork_case, a_killed_host_whose_fork_lives_on_leaves_no_server);
}

int
main(void)
{
    return test_main("host-many", add);
}
