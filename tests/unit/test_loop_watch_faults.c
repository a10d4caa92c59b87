/* SPDX-License-Identifier: MIT
 *
 * test_loop_watch_faults.c - file watches with inotify at its limits, lost events,
 * changed clocks, the library's own writes, and forks.
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

/* ---- lost events ------------------------------------------------------------------- */

START_TEST(an_inotify_that_cannot_be_opened_is_logged_once_and_polling_goes_on) /* R91 */
{
    static const int errors[] = {EMFILE, ENFILE, ENOMEM};

    watch_put("version: 1\n");
    watch_age();
    fake.init_errno = errors[_i];
    watch_open_with(true, POLL, file);
    ck_assert_int_eq(mcph_watcher_fault(watcher), errors[_i]);
    watch_turn(); /* flushes the log */
    ck_assert_ptr_nonnull(strstr(said, "files cannot be watched for changes, they are "
                                       "polled: "));
    watch_put("version: 1\n# edited\n");
    watch_pass(POLL);
    ck_assert_int_eq(n_changed, 1);
    watch_pass(5 * POLL);
    watch_turn();
    ck_assert_ptr_null(strstr(strchr(said, '\n'), "watched"));

    fake.init_errno = 0; /* inotify can be opened again */
    watch_pass(POLL);
    ck_assert_int_eq(mcph_watcher_fault(watcher), 0);
    watch_put("version: 1\n# edited again\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(too_many_inotify_watches_are_logged_once_and_polling_goes_on) /* R91 */
{
    watch_put("version: 1\n");
    watch_age();
    fake.add_errno = ENOSPC;
    watch_open_with(true, POLL, file);
    watch_pass(5 * POLL);
    ck_assert_int_eq(mcph_watcher_fault(watcher), ENOSPC);
    watch_put("version: 1\n# edited\n");
    watch_pass(POLL);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_ptr_nonnull(strchr(said, '\n'));
    ck_assert_str_eq(strchr(said, '\n'), "\n");
    fake.add_errno = 0;
    watch_pass(POLL);
    watch_put("version: 1\n# edited again\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(without_a_poll_inotify_is_tried_again_and_missed_changes_are_reported)
{
    watch_put("version: 1\n");
    watch_age();
    fake.add_errno = ENOSPC;
    watch_open_with(true, 0, file);
    watch_pass(1000);
    watch_put("version: 1\n# while nobody listened\n");
    ck_assert_str_eq(strchr(said, ':') + 1, " No space left on device\n");
    fake.add_errno = 0;
    watch_pass(1500 + DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_int_eq(mcph_core_next_due(core), INT64_MAX);
}
END_TEST

START_TEST(an_overflow_of_events_counts_as_a_change) /* B.16 */
{
    FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
    int max = 0;

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%d", &max), 1);
    fclose(f);
    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, 0, file);
    if (max > 40000)
        return; /* the queue would take too long to fill */
    for (int i = 0; i <= max / 2; i++) {
        int fd = open(watch_in(dir, "noise"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

        ck_assert_int_ge(fd, 0);
        close(fd);
        ck_assert_int_eq(unlink(watch_in(dir, "noise")), 0);
    }
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    watch_put("version: 1\n# and then\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(an_inotify_descriptor_that_fails_is_opened_again) /* B.1 */
{
    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, _i ? POLL : 0, file);
    fake.read_errno = EIO;
    watch_put("version: 1\n# edited\n");
    watch_turn();
    ck_assert_int_eq(mcph_watcher_fault(watcher), EIO);
    watch_pass(1500 + DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_int_eq(fake.n_init, 2);
    watch_put("version: 1\n# edited again\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    ck_assert_int_eq(mcph_watcher_fault(watcher), 0);
}
END_TEST

/* Some programs close every descriptor that they find.  Another file can then get the
 * number of the inotify descriptor. */
START_TEST(an_inotify_descriptor_that_was_replaced_is_opened_again_by_the_poll) /* B.1 */
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, POLL, file);
    ck_assert_int_eq(dup3(null, fake.fd, O_CLOEXEC), fake.fd);
    close(null);
    watch_put("version: 1\n# edited\n");
    watch_pass(POLL);
    ck_assert_int_eq(n_changed, 1);
    watch_pass(POLL);
    ck_assert_int_eq(fake.n_init, 2);
    watch_put("version: 1\n# edited again\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

/* ---- clocks and the library's own writes ------------------------------------------- */

START_TEST(a_file_time_in_the_past_or_future_hides_no_change) /* B.16 */
{
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

    watch_put("version: 1\n");
    watch_age();
    watch_open_with(false, POLL, file);
    watch_put("VERSION: 1\n");
    /* Give the second text a time that is older than the time of the first text. */
    ck_assert_int_eq(utimensat(AT_FDCWD, file, times, 0), 0);
    watch_pass(POLL);
    ck_assert_int_eq(n_changed, 1);
    watch_put("version: 3\n");
    times[0].tv_sec = times[1].tv_sec = INT32_MAX; /* a time in the future */
    ck_assert_int_eq(utimensat(AT_FDCWD, file, times, 0), 0);
    watch_pass(POLL);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(edits_within_one_tick_of_the_clock_are_all_reported) /* R90 */
{
    watch_put("version: 0\n");
    watch_open_with(false, 0, file);
    for (int i = 0; i < 200; i++) {
        char text[] = "version: 0\n";

        text[9] = (char)('1' + i % 2);
        watch_put(text);
        ck_assert(mcph_watch_check(watch));
        ck_assert(!mcph_watch_check(watch));
    }
    watch_age();
    ck_assert(!mcph_watch_check(watch));
    ck_assert(!mcph_watch_check(watch));
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

START_TEST(a_check_by_the_caller_replaces_the_event) /* R30 */
{
    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, POLL, file);
    ck_assert(!mcph_watch_check(watch));
    watch_put("version: 1\n# edited\n");
    watch_turn();
    ck_assert(mcph_watch_check(watch));
    ck_assert(!mcph_watch_check(watch));
    watch_age();
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

static void
own(const char *text, const struct mcph_file_sig *before)
{
    struct mcph_file_sig after;

    ck_assert_int_eq(mcph_file_replace(file, text, strlen(text), before, &after, NULL),
                     0);
    mcph_watch_own_write(watch, before, &after);
}

START_TEST(a_write_of_our_own_is_not_reported) /* B.14 */
{
    struct mcph_file_sig before;

    watch_put("version: 1\n");
    if (_i)
        watch_age();
    watch_open_with(true, POLL, file);
    for (int i = 0; i < 3; i++) {
        mcph_file_sign(file, &before);
        own("version: 1\n# own\n", &before);
        watch_pass(DEBOUNCE);
    }
    watch_age();
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
    watch_put("version: 1\n# theirs\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(a_write_of_our_own_hides_no_edit_before_or_after_it)
{
    struct mcph_file_sig before;

    watch_put("version: 1\n");
    watch_age();
    watch_open_with(true, POLL, file);
    watch_put("version: 1\n# theirs\n");
    mcph_file_sign(file, &before);
    own("version: 1\n# theirs and own\n", &before);
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    watch_age();
    mcph_file_sign(file, &before);
    own("version: 1\n# own\n", &before);
    /* Another program writes within one tick of the clock after the library's write. */
    watch_put("version: 1\n# it\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

/* ---- handles ----------------------------------------------------------------------- */

static struct mcph_watch *others[3];

static void
changed_all(struct mcph_watch *w, void *arg)
{
    (void)w;
    (void)arg;
    n_changed++;
    for (size_t i = 0; i < 3; i++)
        others[i] = mcph_watch_free(others[i]);
}

START_TEST(the_callback_may_free_any_watch)
{
    struct mcph_watch_options options = {true, POLL, DEBOUNCE};

    watch_put("version: 1\n");
    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(
            mcph_watch_new(watcher, file, changed_all, NULL, &others[i], NULL), 0);
    watch_put("version: 1\n# edited\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    watch_pass(5 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(watches_of_two_files_in_one_directory_are_independent)
{
    struct mcph_watch_options options = {true, 0, DEBOUNCE};
    struct mcph_watch *team;
    int n_team = 0;

    watch_put("version: 1\n");
    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    ck_assert_int_eq(mcph_watch_new(watcher, watch_in(dir, "team.yaml"), watch_changed,
                                    &n_team, &team, NULL),
                     0);
    ck_assert_int_eq(
        mcph_watch_new(watcher, file, watch_changed, &n_changed, &watch, NULL), 0);
    watch_put("version: 1\n# edited\n");
    watch_pass(DEBOUNCE); /* watch_changed() checks that `watch` is reported */
    ck_assert_int_eq(n_changed, 1);
    mcph_watch_free(team); /* `watch` must still get events */
    watch_put("version: 1\n# edited again\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(a_path_that_is_relative_or_too_long_is_refused)
{
    struct mcph_watch_options options = {true, POLL, DEBOUNCE};
    mcphost_error *err = NULL;
    char path[PATH_MAX + 2];

    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    ck_assert_int_eq(
        mcph_watch_new(watcher, "mcp.yaml", watch_changed, NULL, &watch, &err),
        MCPHOST_E_INVALID);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "'mcp.yaml' cannot be watched: not an absolute path");
    mcphost_error_unref(err);
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    path[PATH_MAX] = '\0';
    ck_assert_int_eq(mcph_watch_new(watcher, path, watch_changed, NULL, &watch, NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

START_TEST(freeing_a_watch_in_a_forked_child_does_not_affect_the_parent)
{
    pid_t pid;
    int status;

    watch_put("version: 1\n");
    watch_open_with(true, 0, file);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        mcph_watch_free(watch);
        mcph_watcher_free(watcher);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    watch_put("version: 1\n# edited\n");
    watch_pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "losses");
    tcase_add_checked_fixture(tc, watch_up, watch_down);
    tcase_set_timeout(tc, 30); /* 30 s for thousands of files on a busy disk */
    tcase_add_loop_test(
        tc, an_inotify_that_cannot_be_opened_is_logged_once_and_polling_goes_on, 0, 3);
    tcase_add_test(tc, too_many_inotify_watches_are_logged_once_and_polling_goes_on);
    tcase_add_test(tc,
                   without_a_poll_inotify_is_tried_again_and_missed_changes_are_reported);
    tcase_add_test(tc, an_overflow_of_events_counts_as_a_change);
    tcase_add_loop_test(tc, an_inotify_descriptor_that_fails_is_opened_again, 0, 2);
    tcase_add_test(tc,
                   an_inotify_descriptor_that_was_replaced_is_opened_again_by_the_poll);

    tc = test_case(suite, "clocks and writers");
    tcase_add_checked_fixture(tc, watch_up, watch_down);
    tcase_add_test(tc, a_file_time_in_the_past_or_future_hides_no_change);
    tcase_add_test(tc, edits_within_one_tick_of_the_clock_are_all_reported);
    tcase_add_test(tc, a_check_by_the_caller_replaces_the_event);
    tcase_add_loop_test(tc, a_write_of_our_own_is_not_reported, 0, 2);
    tcase_add_test(tc, a_write_of_our_own_hides_no_edit_before_or_after_it);

    tc = test_case(suite, "handles");
    tcase_add_checked_fixture(tc, watch_up, watch_down);
    tcase_add_test(tc, the_callback_may_free_any_watch);
    tcase_add_test(tc, watches_of_two_files_in_one_directory_are_independent);
    tcase_add_test(tc, a_path_that_is_relative_or_too_long_is_refused);
    tcase_add_test(tc, freeing_a_watch_in_a_forked_child_does_not_affect_the_parent);
}

int
main(void)
{
    return test_main("loop-watch-faults", add);
}
