/* SPDX-License-Identifier: MIT
 *
 * test_loop_watch.c - the watch of a file reports each kind of change that editors make,
 * by events and by polling.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/runner.h"
#include "support/watchrig.h"

/* ---- each kind of change, by events and by polling --------------------------------- */

static void
edit_in_place(void)
{
    watch_put("version: 1\n# more\n");
}

static void
edit_same_size(void)
{
    watch_put("VERSION: 2\n");
}

static void
edit_by_rename(void)
{
    watch_put_at(watch_in(dir, ".mcp.yaml.tmp"), "version: 1\n# by rename\n");
    ck_assert_int_eq(rename(watch_in(dir, ".mcp.yaml.tmp"), file), 0);
}

static void
edit_with_backup(void)
{
    ck_assert_int_eq(rename(file, watch_in(dir, "mcp.yaml~")), 0);
    watch_put("version: 1\n# backed up\n");
}

static void
edit_by_truncation(void)
{
    int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);

    ck_assert_int_eq((int)write(fd, "version: 1\n#\n", 13), 13);
    ck_assert_int_eq(close(fd), 0);
}

static void
edit_by_removal(void)
{
    ck_assert_int_eq(unlink(file), 0);
}

static void
edit_whole_directory(void)
{
    watch_clear(dir);
}

static void
edit_directory_moved(void)
{
    ck_assert_int_eq(rename(dir, watch_in(root, "away")), 0);
}

static void
edit_directory_replaced(void)
{
    ck_assert_int_eq(rename(dir, watch_in(root, "away")), 0);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    watch_put("version: 1\n# another directory\n");
}

static void
edit_mode(void)
{
    ck_assert_int_eq(chmod(file, 0), 0);
}

static void
edit_to_link(void)
{
    ck_assert_int_eq(rename(file, watch_in(root, "elsewhere.yaml")), 0);
    watch_put_at(watch_in(root, "elsewhere.yaml"), "version: 1\n# behind a link\n");
    ck_assert_int_eq(symlink("../elsewhere.yaml", file), 0);
}

static const struct {
    void (*edit)(void);
} edits[] = {
    {edit_in_place},
    {edit_same_size},
    {edit_by_rename},
    {edit_with_backup},
    {edit_by_truncation},
    {edit_by_removal},
    {edit_whole_directory},
    {edit_directory_moved},
    {edit_directory_replaced},
    {edit_mode},
    {edit_to_link},
};

START_TEST(events_alone_report_each_kind_of_change_once_after_the_debounce) /* R89 R92 */
{
    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, 0, file);
    edits[_i].edit();
    watch_pass(DEBOUNCE - 1);
    ck_assert_int_eq(n_changed, 0);
    watch_pass(1);
    ck_assert_int_eq(n_changed, 1);
    watch_pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(polling_alone_reports_each_kind_of_change_within_an_interval) /* R90 R91 */
{
    watch_put("version: 1\n");
    watch_age();
    watch_open_with(false, POLL, file);
    ck_assert_int_eq(fake.n_init, 0);
    watch_pass(POLL / 2);
    edits[_i].edit();
    watch_pass(POLL - POLL / 2 - 1);
    ck_assert_int_eq(n_changed, 0);
    watch_pass(1);
    ck_assert_int_eq(n_changed, 1);
    watch_age();
    watch_pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(events_and_polling_together_report_each_kind_of_change_once) /* R91 */
{
    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, POLL, file);
    edits[_i].edit();
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    watch_age();
    watch_pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(a_file_system_without_events_is_polled) /* R90 R91 */
{
    watch_put("version: 1\n");
    watch_age();
    fake.deaf = true;
    watch_open_with(true, POLL, file);
    edits[_i].edit();
    watch_pass(POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

/* ---- debounce ---------------------------------------------------------------------- */

START_TEST(five_writes_within_a_tenth_of_a_second_are_one_change) /* R92 */
{
    char text[] = "version: 1\n# 0\n";

    watch_put("version: 1\n");
    watch_open_with(true, POLL, file);
    for (int i = 0; i < 5; i++) {
        text[13] = (char)('0' + i);
        watch_put(text);
        watch_pass(20);
    }
    watch_pass(DEBOUNCE - 21);
    ck_assert_int_eq(n_changed, 0);
    watch_pass(1);
    ck_assert_int_eq(n_changed, 1);
    watch_age();
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(a_file_that_changes_all_the_time_is_reported_in_spite_of_the_debounce)
{
    watch_put("version: 1\n");
    watch_open_with(true, 0, file);
    for (int i = 0; i < 30; i++) {
        FILE *f = fopen(file, "ae");

        fputs("# log\n", f);
        fclose(f);
        watch_pass(100);
    }
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(a_rename_and_back_is_one_change_and_a_close_without_a_write_is_none)
{
    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, POLL, file);
    ck_assert_int_eq(rename(file, watch_in(dir, "x")), 0);
    ck_assert_int_eq(rename(watch_in(dir, "x"), file), 0);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1); /* the changed ctime counts as a change */
    ck_assert_int_eq(close(open(file, O_WRONLY | O_CLOEXEC)), 0);
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(changes_of_other_files_in_the_directory_are_ignored) /* R92: swap files */
{
    static const char *const names[] = {
        ".mcp.yaml.swp", ".mcp.yaml.swx", "4913", "mcp.yaml~", "#mcp.yaml#",
        ".#mcp.yaml",    "mcp.yaml.bak",  "mcp",  "mcp.yam",
    };

    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, POLL, file);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        watch_put_at(watch_in(dir, names[i]), "x");
        watch_put_at(watch_in(root, names[i]), "x");
        ck_assert_int_eq(unlink(watch_in(dir, names[i])), 0);
    }
    watch_turn();
    ck_assert_int_eq(mcph_core_next_due(core), 1000 + POLL); /* no debounce is running */
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

/* ---- files and directories that appear and disappear ------------------------------- */

START_TEST(a_directory_that_is_removed_and_made_again_stays_watched) /* R93 */
{
    watch_put("version: 1\n");
    watch_open_with(true, 0, file);
    for (int i = 1; i <= 6; i += 2) {
        watch_clear(dir);
        watch_pass(DEBOUNCE);
        ck_assert_int_eq(n_changed, i);
        ck_assert_int_eq(mkdir(dir, 0700), 0);
        watch_turn();
        watch_put("version: 1\n");
        watch_pass(DEBOUNCE);
        ck_assert_int_eq(n_changed, i + 1);
        watch_age();
    }
}
END_TEST

START_TEST(a_file_is_watched_before_it_and_its_directory_exist) /* R2 R88 */
{
    watch_clear(dir);
    watch_open_with(true, 0, file);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 0); /* the file does not exist yet */
    watch_put("version: 1\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_file_is_watched_before_its_workspace_exists)
{
    char *path = mcph_strdup(watch_in(root, "ws/.minds/mcp.yaml"));

    watch_open_with(true, 0, path);
    ck_assert_int_eq(mkdir(watch_in(root, "ws"), 0700), 0);
    ck_assert_int_eq(mkdir(watch_in(root, "ws/.minds"), 0700), 0);
    watch_put_at(path, "version: 1\n");
    watch_pass(2000); /* the watch tries again 1500 ms after it found no directory */
    ck_assert_int_eq(n_changed, 1);
    watch_put_at(path, "version: 1\n#\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    free(path);
}
END_TEST

START_TEST(events_alone_cause_no_wake_up_while_nothing_changes)
{
    watch_put("version: 1\n");
    watch_open_with(true, 0, file);
    watch_turn();
    ck_assert_int_eq(mcph_core_next_due(core), INT64_MAX);
    watch_clear(dir);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(mcph_core_next_due(core), INT64_MAX);
}
END_TEST

/* ---- symbolic links ---------------------------------------------------------------- */

START_TEST(the_targets_of_symbolic_links_are_watched_too)
{
    watch_put_at(watch_in(root, "real.yaml"), "version: 1\n");
    ck_assert_int_eq(mkdir(watch_in(root, "a"), 0700), 0);
    ck_assert_int_eq(symlink("../real.yaml", watch_in(root, "a/middle.yaml")), 0);
    ck_assert_int_eq(symlink(watch_in(root, "a/middle.yaml"), file), 0);
    watch_open_with(true, 0, file);
    watch_put_at(watch_in(root, "real.yaml"), "version: 1\n# edited\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    watch_put_at(watch_in(root, "other.yaml"), "version: 1\n# other\n");
    ck_assert_int_eq(unlink(watch_in(root, "a/middle.yaml")), 0);
    ck_assert_int_eq(symlink("../other.yaml", watch_in(root, "a/middle.yaml")), 0);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    watch_put_at(watch_in(root, "other.yaml"), "version: 1\n# other edited\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 3);
    watch_put_at(watch_in(root, "real.yaml"), "no longer ours\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 3);
}
END_TEST

/* Some systems publish a configuration through two links.  The file is a link to a path
 * in a directory, and the directory is itself a link.  To publish new files, such a
 * system replaces only the link of the directory. */
START_TEST(a_link_that_is_switched_in_the_middle_of_the_path_is_reported)
{
    ck_assert_int_eq(mkdir(watch_in(dir, "v1"), 0700), 0);
    ck_assert_int_eq(mkdir(watch_in(dir, "v2"), 0700), 0);
    watch_put_at(watch_in(dir, "v1/mcp.yaml"), "version: 1\n");
    watch_put_at(watch_in(dir, "v2/mcp.yaml"), "version: 1\n# two\n");
    ck_assert_int_eq(symlink("v1", watch_in(dir, "data")), 0);
    ck_assert_int_eq(symlink("data/mcp.yaml", file), 0);
    watch_open_with(true, 0, file);
    ck_assert_int_eq(symlink("v2", watch_in(dir, "next")), 0);
    ck_assert_int_eq(rename(watch_in(dir, "next"), watch_in(dir, "data")), 0);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    watch_put_at(watch_in(dir, "v2/mcp.yaml"), "version: 1\n# two and a bit\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(a_file_that_replaces_a_circle_of_links_is_reported)
{
    ck_assert_int_eq(symlink("b.yaml", watch_in(dir, "a.yaml")), 0);
    ck_assert_int_eq(symlink("a.yaml", watch_in(dir, "b.yaml")), 0);
    ck_assert_int_eq(symlink("a.yaml", file), 0);
    watch_open_with(true, POLL, file);
    ck_assert_int_eq(unlink(file), 0);
    watch_put("version: 1\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "changes");
    int n = (int)MCPH_ARRAY_SIZE(edits);

    tcase_add_checked_fixture(tc, watch_up, watch_down);
    tcase_add_loop_test(
        tc, events_alone_report_each_kind_of_change_once_after_the_debounce, 0, n);
    tcase_add_loop_test(tc, polling_alone_reports_each_kind_of_change_within_an_interval,
                        0, n);
    tcase_add_loop_test(tc, events_and_polling_together_report_each_kind_of_change_once,
                        0, n);
    tcase_add_loop_test(tc, a_file_system_without_events_is_polled, 0, n);

    tc = test_case(suite, "debounce");
    tcase_add_checked_fixture(tc, watch_up, watch_down);
    tcase_add_test(tc, five_writes_within_a_tenth_of_a_second_are_one_change);
    tcase_add_test(tc,
                   a_file_that_changes_all_the_time_is_reported_in_spite_of_the_debounce);
    tcase_add_test(tc,
                   a_rename_and_back_is_one_change_and_a_close_without_a_write_is_none);
    tcase_add_test(tc, changes_of_other_files_in_the_directory_are_ignored);

    tc = test_case(suite, "places");
    tcase_add_checked_fixture(tc, watch_up, watch_down);
    tcase_add_test(tc, a_directory_that_is_removed_and_made_again_stays_watched);
    tcase_add_test(tc, a_file_is_watched_before_it_and_its_directory_exist);
    tcase_add_test(tc, a_file_is_watched_before_its_workspace_exists);
    tcase_add_test(tc, events_alone_cause_no_wake_up_while_nothing_changes);
    tcase_add_test(tc, the_targets_of_symbolic_links_are_watched_too);
    tcase_add_test(tc, a_link_that_is_switched_in_the_middle_of_the_path_is_reported);
    tcase_add_test(tc, a_file_that_replaces_a_circle_of_links_is_reported);
}

int
main(void)
{
    return test_main("loop-watch", add);
}
