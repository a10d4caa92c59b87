/* SPDX-License-Identifier: MIT
 *
 * test_loop_watch.c - a watched file is changed in each way that editors use, and the
 * watch reports it by events, by polling, or by both.
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

START_TEST(events_alone_tell_each_kind_of_change_once_after_the_debounce) /* R89 R92 */
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

START_TEST(polling_alone_tells_each_kind_of_change_within_an_interval) /* R90 R91 */
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

START_TEST(both_together_tell_each_kind_of_change_once) /* R91 */
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

START_TEST(a_file_that_never_rests_is_told_of_all_the_same)
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

START_TEST(an_edit_that_ends_where_it_began_is_no_change)
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

START_TEST(files_beside_it_concern_nobody) /* R92: swap files */
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
    ck_assert_int_eq(mcph_core_next_due(core), 1000 + POLL); /* no debounce began */
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

/* ---- files and directories that appear and disappear ------------------------------- */

START_TEST(a_directory_that_goes_and_comes_stays_watched) /* R93 */
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

START_TEST(a_file_and_its_directory_may_come_later) /* R2 R88 */
{
    watch_clear(dir);
    watch_open_with(true, 0, file);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 0); /* there is still no file */
    watch_put("version: 1\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(even_the_workspace_may_come_later)
{
    char *path = mcph_strdup(watch_in(root, "ws/.minds/mcp.yaml"));

    watch_open_with(true, 0, path);
    ck_assert_int_eq(mkdir(watch_in(root, "ws"), 0700), 0);
    ck_assert_int_eq(mkdir(watch_in(root, "ws/.minds"), 0700), 0);
    watch_put_at(path, "version: 1\n");
    watch_pass(2000); /* no directory could be watched; tried again after 1500 ms */
    ck_assert_int_eq(n_changed, 1);
    watch_put_at(path, "version: 1\n#\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    free(path);
}
END_TEST

START_TEST(events_alone_cost_no_wake_up_while_nothing_happens)
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

START_TEST(what_a_link_leads_to_is_watched_too)
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

/* Configuration volumes are switched in this way: a directory in the path is a link,
 * too. */
START_TEST(a_link_in_the_middle_of_the_way_may_be_switched)
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

START_TEST(links_that_lead_in_a_circle_harm_nobody)
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
    tcase_add_loop_test(tc, events_alone_tell_each_kind_of_change_once_after_the_debounce,
                        0, n);
    tcase_add_loop_test(tc, polling_alone_tells_each_kind_of_change_within_an_interval, 0,
                        n);
    tcase_add_loop_test(tc, both_together_tell_each_kind_of_change_once, 0, n);
    tcase_add_loop_test(tc, a_file_system_without_events_is_polled, 0, n);

    tc = test_case(suite, "debounce");
    tcase_add_checked_fixture(tc, watch_up, watch_down);
    tcase_add_test(tc, five_writes_within_a_tenth_of_a_second_are_one_change);
    tcase_add_test(tc, a_file_that_never_rests_is_told_of_all_the_same);
    tcase_add_test(tc, an_edit_that_ends_where_it_began_is_no_change);
    tcase_add_test(tc, files_beside_it_concern_nobody);

    tc = test_case(suite, "places");
    tcase_add_checked_fixture(tc, watch_up, watch_down);
    tcase_add_test(tc, a_directory_that_goes_and_comes_stays_watched);
    tcase_add_test(tc, a_file_and_its_directory_may_come_later);
    tcase_add_test(tc, even_the_workspace_may_come_later);
    tcase_add_test(tc, events_alone_cost_no_wake_up_while_nothing_happens);
    tcase_add_test(tc, what_a_link_leads_to_is_watched_too);
    tcase_add_test(tc, a_link_in_the_middle_of_the_way_may_be_switched);
    tcase_add_test(tc, links_that_lead_in_a_circle_harm_nobody);
}

int
main(void)
{
    return test_main("loop-watch", add);
}
