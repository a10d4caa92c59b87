/* SPDX-License-Identifier: MIT
 *
 * test_ctl_files.c - mcphostctl and the provider `files` (R156-R160, R173).
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_run run;

static void
up(void)
{
    ctl_place_up(&place);
    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, "docs"), 0700), 0);
    rig_workspace_write(&place.ws, "docs/a.md", "# a\n");
    rig_workspace_yaml(&place.ws, "version: 1\nservers:\n  docs:\n    provider: files\n"
                                  "    options: {base_dir: docs}\n");
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

static void
free_run(void)
{
    ctl_run_free(&run);
}

START_TEST(a_valid_entry_passes_check_and_is_listed)
{
    ctl_run(&run, &place, "check", NULL);
    ctl_status_is(&run, 0);
    free_run();
    ctl_run(&run, &place, "servers", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "docs");
    test_has(run.out, "in_process");
    free_run();
    ctl_run(&run, &place, "resources", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "dir://");
    test_has(run.out, "inode/directory");
}
END_TEST

START_TEST(a_wrong_entry_is_reported_with_its_place)
{
    rig_workspace_yaml(&place.ws, "version: 1\nservers:\n  docs:\n    provider: files\n"
                                  "    options: {base_dir: docs, max_bytes: many}\n");
    ctl_run(&run, &place, "check", NULL);
    ctl_status_is(&run, 3);
    test_has(run.out, "mcp.yaml:5:42: error: servers.docs.options.max_bytes: expected");
}
END_TEST

START_TEST(files_and_directories_are_read)
{
    ctl_run(&run, &place, "read", "file://a.md", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "# a\n");
    free_run();
    ctl_run(&run, &place, "read", "dir://", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "{\"name\":\"a.md\",\"uri\":\"file://a.md\"}");
    free_run();
    ctl_run(&run, &place, "read", "file://../secret", NULL);
    ck_assert_int_ne(run.status, 0);
    test_has(run.err, "'..' in the path");
}
END_TEST

/* R173 */
START_TEST(subscribe_prints_changes_of_a_file)
{
    char uri[] = "file://a.md", command[] = "subscribe";
    struct ctl_session session;
    char *line = NULL;

    place.argument = uri;
    ctl_session_up_as(&session, &place, command);
    /* Write until the command prints a change, because no output says when the
     * subscription is active. */
    for (int i = 0; i < 100 && !line; i++) {
        rig_workspace_write(&place.ws, "docs/a.md", "# %d\n", i);
        rig_pause(40);
        if (poll(&(struct pollfd){.fd = session.out, .events = POLLIN}, 1, 0) > 0)
            line = ctl_line(&session);
    }
    ck_assert_ptr_nonnull(line);
    test_has(line, "docs file://a.md");
    free(line);
    ck_assert_int_eq(kill(session.pid, SIGTERM), 0);
    ck_assert_int_eq(ctl_session_down(&session), 128 + SIGTERM);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "files");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_valid_entry_passes_check_and_is_listed);
    tcase_add_test(tc, a_wrong_entry_is_reported_with_its_place);
    tcase_add_test(tc, files_and_directories_are_read);
    tcase_add_test(tc, subscribe_prints_changes_of_a_file);
}

int
main(void)
{
    return test_main("ctl-files", add_tests);
}
