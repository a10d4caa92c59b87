/* SPDX-License-Identifier: MIT
 *
 * test_loop_watch_dir.c - the watch of a directory reports changes of the names in it, by
 * events and by polling.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/runner.h"
#include "support/watchrig.h"

static bool
is_yaml(const char *name)
{
    size_t len = strlen(name);

    return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".yaml") == 0;
}

/* Watches the names in `dir`.  up() has put a.yaml and b.yaml into `dir`. */
static void
open_dir(bool events, int64_t poll_ms)
{
    struct mcph_watch_options options = {
        .events = events, .poll_ms = poll_ms, .debounce_ms = DEBOUNCE};

    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    ck_assert_int_eq(mcph_watch_new_dir(watcher, dir, is_yaml, watch_changed, &n_changed,
                                        &watch, NULL),
                     0);
}

static void
put_file(const char *name)
{
    watch_put_at(watch_in(dir, name), "version: 1\n");
}

static void
up(void)
{
    watch_up();
    put_file("a.yaml");
    put_file("b.yaml");
}

/* ---- each kind of change, by events and by polling --------------------------------- */

static void
add(void)
{
    put_file("c.yaml");
}

static void
rename_into(void)
{
    put_file(".c.yaml.tmp");
    ck_assert_int_eq(rename(watch_in(dir, ".c.yaml.tmp"), watch_in(dir, "c.yaml")), 0);
}

static void
unlink_one(void)
{
    ck_assert_int_eq(unlink(watch_in(dir, "a.yaml")), 0);
}

static void
rename_one(void)
{
    ck_assert_int_eq(rename(watch_in(dir, "a.yaml"), watch_in(dir, "aa.yaml")), 0);
}

static void
rename_away(void)
{
    ck_assert_int_eq(rename(watch_in(dir, "a.yaml"), watch_in(dir, "a.off")), 0);
}

static void
link_one(void)
{
    ck_assert_int_eq(symlink("nowhere", watch_in(dir, "l.yaml")), 0);
}

static void
remove_directory(void)
{
    watch_clear(dir);
}

static void
move_directory(void)
{
    ck_assert_int_eq(rename(dir, watch_in(root, "away")), 0);
}

static void
replace_directory(void)
{
    ck_assert_int_eq(rename(dir, watch_in(root, "away")), 0);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    put_file("a.yaml");
}

static void
replace_by_link(void)
{
    ck_assert_int_eq(rename(dir, watch_in(root, "away")), 0);
    ck_assert_int_eq(unlink(watch_in(root, "away/a.yaml")), 0);
    ck_assert_int_eq(symlink("away", dir), 0);
}

static void (*const changes[])(void) = {
    add,      rename_into,      unlink_one,     rename_one,        rename_away,
    link_one, remove_directory, move_directory, replace_directory, replace_by_link,
};

START_TEST(events_alone_report_changed_names_once_after_the_debounce) /* R89 R92 */
{
    open_dir(true, 0);
    changes[_i]();
    watch_pass(DEBOUNCE - 1);
    ck_assert_int_eq(n_changed, 0);
    watch_pass(1);
    ck_assert_int_eq(n_changed, 1);
    watch_pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(polling_alone_reports_changed_names_within_an_interval) /* R90 R91 */
{
    open_dir(false, POLL);
    ck_assert_int_eq(fake.n_init, 0);
    watch_pass(POLL / 2);
    changes[_i]();
    watch_pass(POLL - POLL / 2 - 1);
    ck_assert_int_eq(n_changed, 0);
    watch_pass(1);
    ck_assert_int_eq(n_changed, 1);
    watch_pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(without_events_of_the_kernel_a_directory_is_polled) /* R90 R91 */
{
    fake.deaf = true;
    open_dir(true, POLL);
    changes[_i]();
    watch_pass(POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

/* ---- changes that do not count ----------------------------------------------------- */

START_TEST(names_that_the_filter_refuses_start_no_debounce) /* R92: swap files */
{
    static const char *const names[] = {".a.yaml.swp", "4913",  "a.yaml~",
                                        "#a.yaml#",    ".yaml", "a.yaml.bak"};

    open_dir(true, POLL);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        put_file(names[i]);
        watch_put_at(watch_in(root, names[i]), "x");
    }
    watch_turn();
    ck_assert_int_eq(mcph_core_next_due(core), 1000 + POLL);
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

START_TEST(new_contents_of_files_are_not_a_change_of_the_directory)
{
    open_dir(true, POLL);
    watch_put_at(watch_in(dir, "a.yaml"), "version: 1\n# more\n");
    put_file(".b.yaml.tmp");
    ck_assert_int_eq(rename(watch_in(dir, ".b.yaml.tmp"), watch_in(dir, "b.yaml")), 0);
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

START_TEST(many_new_files_at_once_are_one_change) /* R92 */
{
    char name[32];

    open_dir(true, 0);
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof(name), "n%d.yaml", i);
        put_file(name);
    }
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

/* ---- directories that appear and disappear ----------------------------------------- */

START_TEST(a_directory_is_watched_before_it_exists) /* R88 R93 */
{
    watch_clear(dir);
    open_dir(true, _i ? POLL : 0);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1); /* a new empty directory counts as a change */
    put_file("a.yaml");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    watch_clear(dir);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 3);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    put_file("a.yaml");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 4);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(changes_in_the_target_of_a_linked_directory_are_reported)
{
    ck_assert_int_eq(rename(dir, watch_in(root, "one")), 0);
    ck_assert_int_eq(mkdir(watch_in(root, "two"), 0700), 0);
    ck_assert_int_eq(symlink("one", dir), 0);
    open_dir(true, 0);
    put_file("c.yaml");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_int_eq(symlink("two", watch_in(root, "next")), 0);
    ck_assert_int_eq(rename(watch_in(root, "next"), dir), 0);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    put_file("d.yaml");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 3);
}
END_TEST

START_TEST(a_directory_and_a_file_in_it_are_watched_at_the_same_time)
{
    struct mcph_watch *of_dir, *of_file;

    open_dir(true, 0);
    of_dir = watch;
    ck_assert_int_eq(mcph_watch_new(watcher, watch_in(dir, "a.yaml"), watch_changed,
                                    &n_changed, &of_file, NULL),
                     0);
    watch_age();
    watch = of_file;
    watch_put_at(watch_in(dir, "a.yaml"), "version: 1\n# more\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    mcph_watch_free(of_file);
    watch = of_dir; /* the watch of the directory must still get events */
    put_file("c.yaml");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(when_inotify_is_at_its_limit_the_directory_is_still_polled) /* R91 */
{
    fake.add_errno = ENOSPC;
    open_dir(true, _i ? POLL : 0);
    put_file("c.yaml");
    watch_pass(10 * POLL);
    ck_assert_int_eq(n_changed, _i);
    ck_assert_ptr_nonnull(strstr(said, "files cannot be watched for changes"));
    fake.add_errno = 0; /* without polling, the watcher tries inotify every 1500 ms */
    watch_pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
    put_file("d.yaml");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

/* ---- mcph_dir_list() --------------------------------------------------------------- */

START_TEST(names_are_listed_in_byte_order_up_to_a_limit)
{
    struct mcph_vec names;
    mcphost_error *err = NULL;

    put_file("B.yaml");
    put_file("a-.yaml");
    put_file("\303\244.yaml");
    put_file("none.txt");
    ck_assert_int_eq(mcph_dir_list(dir, is_yaml, 5, &names, NULL), 0);
    ck_assert_uint_eq(names.n, 5);
    ck_assert_str_eq(names.items[0], "B.yaml");
    ck_assert_str_eq(names.items[1], "a-.yaml");
    ck_assert_str_eq(names.items[2], "a.yaml");
    ck_assert_str_eq(names.items[3], "b.yaml");
    ck_assert_str_eq(names.items[4], "\303\244.yaml");
    mcph_dir_list_done(&names);
    ck_assert_int_eq(mcph_dir_list(dir, is_yaml, 4, &names, &err), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "more than 4 files"));
    mcphost_error_unref(err);
    ck_assert_int_eq(mcph_dir_list(watch_in(dir, "x"), is_yaml, 4, &names, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcph_dir_list(watch_in(dir, "a.yaml"), is_yaml, 4, &names, NULL),
                     MCPHOST_E_NOTFOUND);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "changes");
    int n = (int)MCPH_ARRAY_SIZE(changes);

    tcase_add_checked_fixture(tc, up, watch_down);
    tcase_add_loop_test(tc, events_alone_report_changed_names_once_after_the_debounce, 0,
                        n);
    tcase_add_loop_test(tc, polling_alone_reports_changed_names_within_an_interval, 0, n);
    tcase_add_loop_test(tc, without_events_of_the_kernel_a_directory_is_polled, 0, n);

    tc = test_case(suite, "noise");
    tcase_add_checked_fixture(tc, up, watch_down);
    tcase_add_test(tc, names_that_the_filter_refuses_start_no_debounce);
    tcase_add_test(tc, new_contents_of_files_are_not_a_change_of_the_directory);
    tcase_add_test(tc, many_new_files_at_once_are_one_change);

    tc = test_case(suite, "places");
    tcase_add_checked_fixture(tc, up, watch_down);
    tcase_add_loop_test(tc, a_directory_is_watched_before_it_exists, 0, 2);
    tcase_add_test(tc, changes_in_the_target_of_a_linked_directory_are_reported);
    tcase_add_test(tc, a_directory_and_a_file_in_it_are_watched_at_the_same_time);
    tcase_add_loop_test(tc, when_inotify_is_at_its_limit_the_directory_is_still_polled, 0,
                        2);

    tc = test_case(suite, "list");
    tcase_add_checked_fixture(tc, up, watch_down);
    tcase_add_test(tc, names_are_listed_in_byte_order_up_to_a_limit);
}

int
main(void)
{
    return test_main("loop-watch-dir", add_tests);
}
