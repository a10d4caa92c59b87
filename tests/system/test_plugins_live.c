/* SPDX-License-Identifier: MIT
 *
 * test_plugins_live.c - plugins that are replaced, corrupted or deleted during calls,
 * and hosts that end meanwhile (R167, R171, B.30).
 */
#include <pthread.h>
#include <sys/stat.h>

#include "support/plugrig.h"

static struct hostrig hr;
static mcphost_plugins *plugins;
static mcphost_dialog *dialog;
static char dir[128], trace[160];

static void
up(void)
{
    hr_up(&hr);
    snprintf(dir, sizeof(dir), "%s/plugins", hr.ws.dir);
    snprintf(trace, sizeof(trace), "%s/trace", hr.ws.dir);
    ck_assert_int_eq(mkdir(dir, 0755), 0);
    ck_assert_int_eq(setenv("PLUGIN_TRACE", trace, 1), 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
    hr_option(&hr, MCPHOST_OPT_RELOAD_POLL, 100);
    ck_assert_int_eq(
        mcphost_plugins_new(mcphost_default_source(hr.host), dir, &plugins, NULL), 0);
    dialog = hr_dialog(&hr, "d");
}

static void
down(void)
{
    plugins = mcphost_plugins_unref(plugins);
    hr_down(&hr);
}

static void
scan(void)
{
    ck_assert_int_eq(mcphost_plugins_scan(plugins), 0);
    ck_assert_int_eq(mcphost_plugins_wait(plugins, 10000), 1);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 10000), 1);
}

/* Sets the reload policy, so that only scan() looks for changes. */
static void
reload_explicitly(void)
{
    ck_assert_int_eq(mcphost_plugins_set_reload(plugins, MCPHOST_RELOAD_EXPLICIT), 0);
}

static int
n_traced(const char *line)
{
    return rig_workspace_count(&hr.ws, "trace", line);
}

/* Returns the state of the only plugin, or 0 if no plugin is left.  Sets *ret_error to
 * true if the plugin's row has an error. */
static int
state(bool *ret_error)
{
    mcphost_plugin_rows *rows;
    int now;

    ck_assert_int_eq(mcphost_plugins_get_rows(plugins, &rows), 0);
    now = mcphost_plugin_rows_get_state(rows, 0);
    if (ret_error)
        *ret_error = mcphost_plugin_rows_get_error(rows, 0) != NULL;
    mcphost_plugin_rows_unref(rows);
    return now;
}

static void
turn_once(void)
{
    rig_workspace_write(&hr.ws, "trace.go", "go");
}

static void
remove_file(const char *file)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    ck_assert_int_eq(unlink(path), 0);
}

/* ---- replacing --------------------------------------------------------------------- */

/* R167 B.30 */
START_TEST(a_changed_file_is_loaded_again_and_a_deleted_file_is_unloaded)
{
    ck_assert_int_eq(mcphost_plugins_set_reload(plugins, _i ? MCPHOST_RELOAD_POLL
                                                            : MCPHOST_RELOAD_WATCH),
                     0);
    plug_make(dir, "a.so", "tool", "one");
    scan();
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "one");
    plug_make(dir, "a.so", "tool", "two");
    hr_until(&hr, n_traced("unload one") == 1);
    hr_until(&hr, hr_has(&hr, "a_say"));
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "two");
    ck_assert_int_eq(n_traced("teardown a"), 1);
    /* The host notices a deletion, too. */
    remove_file("a.so");
    hr_until(&hr, n_traced("unload two") == 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, 1), 0);
    ck_assert(!hr_has(&hr, "a_say"));
    hr_until(&hr, state(NULL) == 0);
    ck_assert_int_eq(mcphost_plugins_wait(plugins, 1000), 1);
}
END_TEST

START_TEST(a_successor_is_set_up_when_the_old_plugin_has_ended)
{
    char *all;
    const char *at;

    plug_make(dir, "a.so", "tool", "one");
    scan();
    plug_make(dir, "a.so", "tool", "two");
    hr_until(&hr, n_traced("setup a") == 2);
    all = rig_workspace_read(&hr.ws, "trace");
    at = strstr(all, "entry two");
    ck_assert_ptr_nonnull(at);
    at = strstr(at, "teardown a");
    ck_assert_ptr_nonnull(at);
    ck_assert_ptr_nonnull(strstr(at, "setup a"));
    free(all);
}
END_TEST

START_TEST(a_hundred_replacements_each_run_their_own_code)
{
    char say[16], unloaded[32];

    reload_explicitly();
    for (int i = 0; i < 100; i++) {
        snprintf(say, sizeof(say), "edition-%d", i);
        plug_make(dir, "a.so", "tool", say);
        scan();
        ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), say);
        if (i == 0)
            continue;
        snprintf(unloaded, sizeof(unloaded), "unload edition-%d\n", i - 1);
        hr_until(&hr, n_traced(unloaded) == 1);
    }
    ck_assert_int_eq(n_traced("teardown a"), 99);
}
END_TEST

/* The dynamic linker cannot unload this plugin.  For the next file, the linker must not
 * reuse the module that is still loaded. */
START_TEST(a_plugin_after_a_plugin_that_stays_loaded_runs_its_own_code)
{
    reload_explicitly();
    for (int i = 0; i < 10; i++) {
        plug_copy(dir, "a.so", "stays");
        scan();
        ck_assert_str_eq(hr_say(&hr, dialog, "count", "{}"), "1");
    }
}
END_TEST

/* R171 */
START_TEST(a_new_file_that_is_refused_leaves_the_old_plugin_running)
{
    bool error;

    reload_explicitly();
    plug_make(dir, "a.so", "tool", "one");
    scan();
    if (_i)
        plug_make(dir, "a.so", "abi", "two");
    else
        plug_put(dir, "a.so", "no code", 7);
    scan();
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "one");
    ck_assert_int_eq(n_traced("teardown"), 0);
    ck_assert_int_eq(state(&error), MCPHOST_PLUGIN_STATE_LOADED);
    ck_assert(error);
    ck_assert_ptr_nonnull(hr_problem(&hr, "plugins/plugin/a"));
    plug_make(dir, "a.so", "tool", "three");
    scan();
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "three");
    ck_assert_int_eq(state(&error), MCPHOST_PLUGIN_STATE_LOADED);
    ck_assert(!error);
    ck_assert_ptr_null(hr_problem(&hr, "plugins/plugin/a"));
}
END_TEST

START_TEST(after_a_failed_setup_a_good_file_is_loaded)
{
    reload_explicitly();
    plug_make(dir, "a.so", "tool", "one");
    scan();
    plug_make(dir, "a.so", "refuse", "two");
    scan();
    ck_assert_int_eq(state(NULL), MCPHOST_PLUGIN_STATE_FAILED);
    ck_assert(!hr_has(&hr, "a_say"));
    plug_make(dir, "a.so", "tool", "three");
    scan();
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "three");
}
END_TEST

START_TEST(an_unchanged_file_is_not_loaded_again)
{
    plug_make(dir, "a.so", "tool", "one");
    scan();
    plug_make(dir, "b.so", "no-teardown", "two");
    scan();
    scan();
    ck_assert_int_eq(n_traced("setup a"), 1);
    ck_assert_int_eq(n_traced("setup b"), 1);
}
END_TEST

/* Adds 3 MiB of zeros behind the code.  The dynamic linker ignores the zeros. */
static void
put_large(const char *say)
{
    size_t len;
    char *data = plug_bytes("tool", say, &len);

    memset(data + len, 0, (size_t)3 << 20);
    plug_put(dir, "a.so", data, len + ((size_t)3 << 20));
    free(data);
}

/* The host reads a large file in parts, so that each turn of the dispatcher is short. */
START_TEST(a_large_file_is_read_in_many_turns)
{
    int turns = 0;

    reload_explicitly();
    put_large("large");
    ck_assert_int_eq(mcphost_plugins_scan(plugins), 0);
    while (n_traced("entry") == 0 && turns < 1000) {
        ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
        turns++;
    }
    ck_assert_int_ge(turns, 12);
    ck_assert_int_lt(turns, 1000);
    scan();
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "large");
}
END_TEST

START_TEST(a_file_that_changes_while_it_is_read_is_refused_and_read_again)
{
    char path[200];
    bool error;

    reload_explicitly();
    put_large("large");
    ck_assert_int_eq(mcphost_plugins_scan(plugins), 0);
    for (int i = 0; i < 6; i++)
        ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    snprintf(path, sizeof(path), "%s/a.so", dir);
    plug_write_all(path, "more", 4, O_APPEND, 0644);
    ck_assert_int_eq(mcphost_plugins_wait(plugins, 10000), 1);
    ck_assert_int_eq(state(&error), MCPHOST_PLUGIN_STATE_FAILED);
    test_has(hr_problem(&hr, "plugins/plugin/a"), "changed while it was read");
    ck_assert_int_eq(n_traced("entry"), 0);
    scan();
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "large");
}
END_TEST

/* ---- calls during a change --------------------------------------------------------- */

START_TEST(a_call_in_flight_is_finished_by_the_old_code)
{
    mcphost_call *call;

    plug_make(dir, "a.so", "tool", "one");
    scan();
    call = hr_start(&hr, dialog, "a_wait", "{}");
    hr_turn(&hr, 20);
    plug_make(dir, "a.so", "tool", "two");
    hr_until(&hr, n_traced("entry two") == 1);
    hr_until(&hr, state(NULL) == MCPHOST_PLUGIN_STATE_ENDING);
    hr_turn(&hr, 30);
    ck_assert_int_eq(n_traced("teardown a"), 0);
    ck_assert_int_eq(n_traced("setup a"), 1);
    turn_once();
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "one");
    hr_until(&hr, hr_has(&hr, "a_say"));
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "two");
}
END_TEST

START_TEST(a_call_in_flight_is_finished_when_the_file_is_deleted)
{
    mcphost_call *call;

    plug_make(dir, "a.so", "tool", "one");
    scan();
    call = hr_start(&hr, dialog, "a_wait", "{}");
    hr_turn(&hr, 20);
    remove_file("a.so");
    hr_until(&hr, !hr_has(&hr, "a_say"));
    turn_once();
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "one");
    hr_until(&hr, n_traced("unload one") == 1);
}
END_TEST

/* A plugin that never answers delays its successor until the drain deadline. */
START_TEST(a_call_that_is_never_answered_is_cancelled_at_the_drain_deadline)
{
    mcphost_call *call;

    hr_option(&hr, MCPHOST_OPT_DRAIN_TIMEOUT, 50);
    plug_make(dir, "a.so", "tool", "one");
    scan();
    call = hr_start(&hr, dialog, "a_wait", "{}");
    hr_turn(&hr, 20);
    plug_make(dir, "a.so", "tool", "two");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    hr_until(&hr, hr_has(&hr, "a_say") && n_traced("setup a") == 2);
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "two");
    hr_until(&hr, n_traced("unload one") == 1);
}
END_TEST

START_TEST(overwriting_a_file_in_place_does_not_change_the_running_code)
{
    mcphost_call *call;
    char path[200];
    size_t len;
    char *data = plug_bytes("tool", "two", &len);

    reload_explicitly();
    plug_make(dir, "a.so", "tool", "one");
    scan();
    call = hr_start(&hr, dialog, "a_wait", "{}");
    hr_turn(&hr, 20);
    snprintf(path, sizeof(path), "%s/a.so", dir);
    plug_write_all(path, "", 0, O_TRUNC, 0644);
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "one");
    memset(data, 0xcc, len);
    plug_write_all(path, data, len, 0, 0644);
    ck_assert_str_eq(hr_say(&hr, dialog, "a_config", "{}"),
                     "{\"limit\":1,\"name\":\"none\",\"api_key\":\"x\"}");
    turn_once();
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "one");
    free(data);
}
END_TEST

/* Counts ended calls.  Each call during a replacement must end exactly once, with any
 * result. */
static void
count_done(mcphost_call *call, void *arg)
{
    (void)call;
    ++*(int *)arg;
}

START_TEST(every_call_during_a_replacement_ends_once)
{
    int started = 0, done = 0, good = 0;
    char say[16];

    for (int i = 0; i < 10; i++) {
        snprintf(say, sizeof(say), "n%d", i);
        plug_make(dir, "a.so", "tool", say);
        if (i == 0)
            scan();
        for (int64_t end = hr_deadline(); n_traced("setup a") < i + 1;) {
            mcphost_call *call = NULL;

            ck_assert(hr_in_time(end));
            if (mcphost_call_new(dialog, "a_say", "{}", 2, &call, NULL) == 0) {
                ck_assert_int_eq(mcphost_call_start(call, count_done, &done, NULL), 0);
                started++;
                good++;
                mcphost_call_unref(call);
            }
            hr_turn(&hr, 5);
        }
    }
    hr_until(&hr, done == started);
    ck_assert_int_gt(good, 0);
}
END_TEST

/* ---- the end ----------------------------------------------------------------------- */

START_TEST(a_close_ends_all_plugins_and_the_host_goes_on)
{
    plug_make(dir, "a.so", "tool", "one");
    plug_make(dir, "r.so", "resource", "two");
    scan();
    ck_assert_int_eq(mcphost_plugins_close(plugins), 0);
    ck_assert_int_eq(mcphost_plugins_close(plugins), 0);
    ck_assert_int_eq(mcphost_plugins_wait(plugins, 10000), 1);
    ck_assert_int_eq(n_traced("teardown"), 2);
    ck_assert_int_eq(state(NULL), 0);
    hr_until(&hr, n_traced("unload") == 2);
    ck_assert(!hr_has(&hr, "a_say"));
    ck_assert_int_eq(mcphost_plugins_scan(plugins), MCPHOST_E_STATE);
    /* A new mcphost_plugins object can use the directory again. */
    mcphost_plugins_unref(plugins);
    ck_assert_int_eq(
        mcphost_plugins_new(mcphost_default_source(hr.host), dir, &plugins, NULL), 0);
    scan();
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "one");
}
END_TEST

START_TEST(plugins_end_with_their_source)
{
    mcphost_source *source;
    mcphost_plugins *own;

    ck_assert_int_eq(mcphost_source_new(hr.host, "s", &source, NULL), 0);
    ck_assert_int_eq(mcphost_plugins_new(source, dir, &own, NULL), 0);
    plug_make(dir, "a.so", "tool", "one");
    ck_assert_int_eq(mcphost_plugins_scan(own), 0);
    ck_assert_int_eq(mcphost_plugins_wait(own, 10000), 1);
    hr_turn(&hr, 20);
    ck_assert_int_eq(mcphost_source_remove(source), 0);
    hr_until(&hr, n_traced("unload one") == 1);
    ck_assert_int_eq(n_traced("teardown a"), 1);
    ck_assert_int_eq(mcphost_plugins_wait(own, 10000), 1);
    ck_assert_int_eq(mcphost_plugins_scan(own), MCPHOST_E_STATE);
    mcphost_plugins_unref(own);
    mcphost_source_unref(source);
}
END_TEST

/* The release of the host does not wait for the open call. */
START_TEST(the_last_reference_to_the_host_unloads_the_plugins)
{
    mcphost_call *call;

    plug_make(dir, "a.so", "tool", "one");
    plug_make(dir, "s.so", "sampling", "two");
    plug_make(dir, "x.so", "silent", "three");
    scan();
    call = hr_start(&hr, dialog, "a_wait", "{}");
    hr_turn(&hr, 20);
    (void)call;
    plugins = mcphost_plugins_unref(plugins);
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

/* The host ends after `_i` / 2 turns of a scan.  The test releases the host if `_i` is
 * odd, and closes the host if `_i` is even. */
START_TEST(a_host_can_end_at_any_moment_of_a_scan)
{
    plug_make(dir, "a.so", "tool", "one");
    plug_make(dir, "r.so", "resource", "two");
    plug_make(dir, "s.so", "sampling", "three");
    ck_assert_int_eq(mcphost_plugins_scan(plugins), 0);
    for (int i = 0; i < _i / 2; i++)
        ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    if (_i % 2) {
        plugins = mcphost_plugins_unref(plugins);
        hr.host = mcphost_unref(hr.host);
        hr_down_ended(&hr);
    } else {
        hr_close(&hr);
        ck_assert_int_eq(mcphost_plugins_wait(plugins, 0), 1);
        plugins = mcphost_plugins_unref(plugins);
        hr_clear(&hr);
    }
}
END_TEST

/* The host ends after `_i` / 2 turns of a scan that replaces two plugins. */
START_TEST(a_host_can_end_at_any_moment_of_a_replacement)
{
    reload_explicitly();
    plug_make(dir, "a.so", "tool", "one");
    plug_make(dir, "s.so", "sampling", "three");
    scan();
    plug_make(dir, "a.so", "tool", "two");
    plug_make(dir, "s.so", "sampling", "four");
    ck_assert_int_eq(mcphost_plugins_scan(plugins), 0);
    for (int i = 0; i < _i / 2; i++)
        ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    if (_i % 2) {
        plugins = mcphost_plugins_unref(plugins);
        hr.host = mcphost_unref(hr.host);
        hr_down_ended(&hr);
    } else {
        down();
    }
}
END_TEST

/* Waits in another thread while the test's own thread dispatches. */
static void *
wait_elsewhere(void *arg)
{
    (void)arg;
    return mcphost_plugins_wait(plugins, 10000) == 1 ? plugins : NULL;
}

START_TEST(another_thread_can_wait_for_a_scan)
{
    pthread_t thread;
    void *r;

    plug_make(dir, "a.so", "tool", "one");
    ck_assert_int_eq(mcphost_plugins_scan(plugins), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_elsewhere, NULL), 0);
    ck_assert_int_eq(mcphost_plugins_wait(plugins, 10000), 1);
    pthread_join(thread, &r);
    ck_assert_ptr_nonnull(r);
    hr_until(&hr, hr_has(&hr, "a_say"));
}
END_TEST

static TCase *
with_dir(Suite *suite, const char *name)
{
    TCase *tc = test_case(suite, name);

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 20);
    return tc;
}

static void
add(Suite *suite)
{
    TCase *replacing = with_dir(suite, "replacing"), *calls = with_dir(suite, "calls");
    TCase *closing = with_dir(suite, "closing"), *ends = test_case(suite, "ends");

    tcase_add_loop_test(
        replacing, a_changed_file_is_loaded_again_and_a_deleted_file_is_unloaded, 0, 2);
    tcase_add_test(replacing, a_successor_is_set_up_when_the_old_plugin_has_ended);
    tcase_add_test(replacing, a_hundred_replacements_each_run_their_own_code);
    tcase_add_test(replacing,
                   a_plugin_after_a_plugin_that_stays_loaded_runs_its_own_code);
    tcase_add_loop_test(replacing,
                        a_new_file_that_is_refused_leaves_the_old_plugin_running, 0, 2);
    tcase_add_test(replacing, after_a_failed_setup_a_good_file_is_loaded);
    tcase_add_test(replacing, an_unchanged_file_is_not_loaded_again);
    tcase_add_test(replacing, a_large_file_is_read_in_many_turns);
    tcase_add_test(replacing,
                   a_file_that_changes_while_it_is_read_is_refused_and_read_again);
    tcase_add_test(replacing, another_thread_can_wait_for_a_scan);
    tcase_add_test(calls, a_call_in_flight_is_finished_by_the_old_code);
    tcase_add_test(calls, a_call_in_flight_is_finished_when_the_file_is_deleted);
    tcase_add_test(calls,
                   a_call_that_is_never_answered_is_cancelled_at_the_drain_deadline);
    tcase_add_test(calls, overwriting_a_file_in_place_does_not_change_the_running_code);
    tcase_add_test(calls, every_call_during_a_replacement_ends_once);
    tcase_add_test(closing, a_close_ends_all_plugins_and_the_host_goes_on);
    tcase_add_test(closing, plugins_end_with_their_source);
    tcase_add_checked_fixture(ends, up, NULL);
    tcase_add_test(ends, the_last_reference_to_the_host_unloads_the_plugins);
    tcase_add_loop_test(ends, a_host_can_end_at_any_moment_of_a_scan, 0, 60);
    tcase_add_loop_test(ends, a_host_can_end_at_any_moment_of_a_replacement, 0, 60);
}

int
main(void)
{
    return test_main("plugins-live", add);
}
