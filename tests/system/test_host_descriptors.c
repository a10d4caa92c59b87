/* SPDX-License-Identifier: MIT
 *
 * test_host_descriptors.c - which descriptors a host opens, and when it closes them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "support/hostrig.h"
#include "support/httprig.h"

static struct hostrig hr;
static struct httprig web;

static void
up(void)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_http(&hr, &web, "web", NULL, "era legacy\nreply sse");
}

/* ---- descriptors above 2 ----------------------------------------------------------- */

static bool
is_closed(int fd)
{
    return fcntl(fd, F_GETFD) < 0 && errno == EBADF;
}

/* Calls a tool of a host that was made while descriptors 0, 1 and 2 were closed.  Returns
 * 0 if the call has a result, and -1 if the call fails. */
static int
call_one(mcphost *host, const char *tool)
{
    mcphost_dialog *dialog;
    mcphost_call *call;
    int r;

    if (mcphost_dialog_new(mcphost_default_view(host), tool, NULL, &dialog, NULL) < 0 ||
        mcphost_call_new(dialog, tool, "{}", 2, &call, NULL) < 0 ||
        mcphost_call_start(call, NULL, NULL, NULL) < 0)
        return -1;
    r = mcphost_call_wait(call, 10000) == 1 && mcphost_call_get_result(call) ? 0 : -1;
    mcphost_call_unref(call);
    mcphost_dialog_unref(dialog);
    return r;
}

static int
live_without_standard_descriptors(void)
{
    char guard[4200];
    mcphost *host;

    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    if (mcphost_new(&host, NULL) < 0 || mcphost_set_guard_path(host, guard) < 0 ||
        mcphost_load_workspace(host, hr.ws.dir, NULL, NULL) < 0 ||
        mcphost_wait_ready(host, 10000) != 1)
        return 1;
    if (call_one(host, "a_echo") < 0 || call_one(host, "web_echo") < 0)
        return 2;
    if (!is_closed(0) || !is_closed(1) || !is_closed(2))
        return 3;
    mcphost_unref(host);
    return 0;
}

/* All descriptors of a host are above 2, even if 0, 1 and 2 are free. */
START_TEST(a_host_does_not_reuse_closed_standard_descriptors)
{
    int status;
    pid_t child;

    up();
    hr_save(&hr);
    child = fork();
    if (child == 0)
        _exit(live_without_standard_descriptors());
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    hr_down(&hr);
}
END_TEST

START_TEST(lifting_a_low_descriptor_closes_it_and_sets_close_on_exec)
{
    int fds[2], high;

    ck_assert_int_eq(mcph_fd_lift(-1, 10), -1);
    ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
    high = mcph_fd_lift(fds[0], 200);
    ck_assert_int_ge(high, 200);
    ck_assert(is_closed(fds[0]));
    ck_assert_int_eq(fcntl(high, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(mcph_fd_lift(high, 200), high);
    close(high);
    close(fds[1]);
}
END_TEST

/* ---- descriptors of a closed host -------------------------------------------------- */

static void
close_host(void)
{
    int r;

    ck_assert_int_eq(mcphost_close(hr.host), 0);
    while ((r = mcphost_wait(hr.host, 100)) >= 0)
        ;
    ck_assert_int_eq(r, MCPHOST_E_CLOSED);
}

START_TEST(handles_that_outlive_a_closed_host_hold_no_descriptor)
{
    mcphost_catalog *catalog;
    mcphost_dialog *dialog;
    mcphost_lease *lease;

    up();
    hr_load(&hr);
    dialog = hr_dialog(&hr, "d");
    hr_say(&hr, dialog, "a_echo", "{}");
    hr_say(&hr, dialog, "web_echo", "{}");
    ck_assert_int_eq(mcphost_dialog_get_catalog(dialog, &catalog), 0);
    ck_assert_int_eq(mcphost_dialog_get_lease(dialog, "a", &lease), 0);
    close_host();
    hr.host = mcphost_unref(hr.host);
    rig_census_check(&hr.before, 2000);
    ck_assert_int_eq(mcphost_dialog_close(dialog), 0);
    ck_assert_int_eq(mcphost_lease_release(lease), 0);
    mcphost_lease_unref(lease);
    mcphost_catalog_unref(catalog);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(a_closed_host_that_is_kept_holds_its_three_descriptors_only)
{
    struct rig_census closed;

    up();
    hr_load(&hr);
    hr_say(&hr, hr_dialog(&hr, "d"), "web_echo", "{}");
    close_host();
    closed = rig_census_take();
    ck_assert_int_eq(closed.fds, hr.before.fds + 3);
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "low");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_host_does_not_reuse_closed_standard_descriptors);
    tcase_add_test(tc, lifting_a_low_descriptor_closes_it_and_sets_close_on_exec);

    tc = test_case(suite, "end");
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, handles_that_outlive_a_closed_host_hold_no_descriptor);
    tcase_add_test(tc, a_closed_host_that_is_kept_holds_its_three_descriptors_only);
}

int
main(void)
{
    return test_main("host-descriptors", add);
}
