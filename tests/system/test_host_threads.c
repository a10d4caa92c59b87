/* SPDX-License-Identifier: MIT
 *
 * test_host_threads.c - many threads that use one host: dispatch, wait, cancel and close.
 *
 * The suite's build with ThreadSanitizer looks for data races in these tests.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hostrig.h"

#define THREADS 4
#define ROUNDS  30

static struct hostrig hr;
static mcphost_dialog *d;

/* Threads count failures here, because Check's assertions are not made for threads. */
static atomic_int bad, n_started, n_done, n_freed, n_ok;
static atomic_bool stop;

static void
expect(bool good)
{
    if (!good)
        atomic_fetch_add(&bad, 1);
}

static void
on_done(mcphost_call *call, void *arg)
{
    (void)arg;
    atomic_fetch_add(&n_done, 1);
    if (mcphost_call_get_result(call))
        atomic_fetch_add(&n_ok, 1);
}

static void
on_free(void *arg)
{
    (void)arg;
    atomic_fetch_add(&n_freed, 1);
}

static void
up(const char *keys, const char *script)
{
    bad = n_started = n_done = n_freed = n_ok = 0;
    stop = false;
    hr_up(&hr);
    hr_server(&hr, "a", keys, script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static mcphost_call *
start(const char *tool, const char *arguments)
{
    mcphost_call *call = NULL;

    expect(mcphost_call_new(d, tool, arguments, strlen(arguments), &call, NULL) == 0);
    expect(mcphost_call_start(call, on_done, NULL, on_free) == 0);
    atomic_fetch_add(&n_started, 1);
    return call;
}

/* Starts many calls in one thread.  The thread waits for some calls, cancels some
 * calls, and does not wait for the other calls. */
static void *
work(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    mcphost_status *status;
    mcphost_call *call;

    for (int i = 0; i < ROUNDS; i++) {
        switch (rand_r(&seed) % 4) {
        case 0:
            call = start("a_echo", "{\"text\":\"x\"}");
            expect(mcphost_call_wait(call, 20000) == 1);
            expect(mcphost_call_get_result(call) != NULL);
            break;
        case 1:
            call = start("a_slow", "{\"ms\":2000}");
            expect(mcphost_call_cancel(call) == 0);
            expect(mcphost_call_wait(call, 20000) == 1);
            expect(mcphost_call_get_error(call) != NULL);
            break;
        case 2:
            call = start("a_slow", "{\"ms\":1}");
            expect(mcphost_call_cancel(call) == 0);
            break;
        default:
            call = start("a_add", "{\"a\":1,\"b\":2}");
            expect(mcphost_get_status(hr.host, &status) == 0);
            mcphost_status_unref(status);
        }
        mcphost_call_unref(call);
    }
    return NULL;
}

static void
spawn_threads(pthread_t *threads, void *(*fn)(void *))
{
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, fn, (void *)(i + 1)), 0);
}

static void
join_threads(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

static void
check_counts(void)
{
    hr_until(&hr, n_freed == n_started);
    ck_assert_int_eq(bad, 0);
    ck_assert_int_eq(n_done, n_started);
    ck_assert_int_gt(n_ok, 0);
}

/* ---- calls from many threads ------------------------------------------------------- */

START_TEST(four_threads_submit_wait_and_cancel_while_the_librarys_thread_dispatches)
{
    pthread_t threads[THREADS];

    up("truely-stateless: true", NULL);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    spawn_threads(threads, work);
    join_threads(threads);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    check_counts();
    hr_down(&hr);
}
END_TEST

START_TEST(four_threads_submit_wait_and_cancel_while_the_tests_thread_dispatches)
{
    pthread_t threads[THREADS];

    up("truely-stateless: true", NULL);
    spawn_threads(threads, work);
    for (int i = 0; i < 20000 && n_freed < THREADS * ROUNDS; i++)
        ck_assert_int_ge(mcphost_wait(hr.host, 1), 0);
    join_threads(threads);
    check_counts();
    hr_down(&hr);
}
END_TEST

/* One of the waiting threads dispatches.  The other threads sleep. */
START_TEST(threads_that_wait_dispatch_for_themselves)
{
    pthread_t threads[THREADS];

    up(NULL, NULL);
    spawn_threads(threads, work);
    join_threads(threads);
    check_counts();
    hr_down(&hr);
}
END_TEST

static void *
wait_ready(void *arg)
{
    (void)arg;
    expect(mcphost_wait_ready(hr.host, 20000) == 1);
    return NULL;
}

START_TEST(many_threads_may_wait_until_the_host_is_ready)
{
    pthread_t threads[THREADS];

    bad = 0;
    hr_up(&hr);
    hr_server(&hr, "a", NULL, "on list\n delay 40\n answer");
    hr_load_only(&hr);
    spawn_threads(threads, wait_ready);
    join_threads(threads);
    ck_assert_int_eq(bad, 0);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

/* Opens a dialog, makes a call, releases the lease that the call began, and closes the
 * dialog. */
static void *
lease(void *arg)
{
    char id[] = {'t', (char)('0' + (uintptr_t)arg), '\0'};
    mcphost_dialog *mine;
    mcphost_lease *held;
    mcphost_call *call;

    for (int i = 0; i < 3; i++) {
        expect(mcphost_dialog_new(mcphost_default_view(hr.host), id, NULL, &mine, NULL) ==
               0);
        expect(mcphost_call_new(mine, "a_pid", NULL, 0, &call, NULL) == 0);
        expect(mcphost_call_start(call, NULL, NULL, NULL) == 0);
        expect(mcphost_call_wait(call, 20000) == 1);
        expect(mcphost_call_get_result(call) != NULL);
        mcphost_call_unref(call);
        expect(mcphost_dialog_get_lease(mine, "a", &held) == 0);
        expect(mcphost_lease_release(held) == 0);
        expect(mcphost_dialog_close(mine) == 0);
        mcphost_lease_unref(held);
        mcphost_dialog_unref(mine);
    }
    return NULL;
}

START_TEST(threads_may_lease_and_release_at_the_same_time)
{
    pthread_t threads[THREADS];

    up(NULL, NULL);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    spawn_threads(threads, lease);
    join_threads(threads);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    ck_assert_int_eq(bad, 0);
    hr_until(&hr, hr_leases(&hr) == 0);
    hr_down(&hr);
}
END_TEST

/* Reads the status, problems, catalog and verdicts until `stop` is set. */
static void *
read_state(void *arg)
{
    static const char salt[16] = "0123456789abcdef";
    mcphost_problems *problems;
    mcphost_catalog *catalog;
    mcphost_status *status;
    const char *json;
    char *own;
    size_t len;

    (void)arg;
    while (!stop) {
        expect(mcphost_get_status(hr.host, &status) == 0);
        mcphost_status_unref(status);
        expect(mcphost_get_problems(hr.host, &problems) == 0);
        mcphost_problems_unref(problems);
        expect(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog) == 0);
        expect(mcphost_catalog_get_tools_json(catalog, MCPHOST_SHAPE_ANTHROPIC, NULL,
                                              &json, &len, NULL) == 0);
        mcphost_catalog_unref(catalog);
        expect(mcphost_get_verdicts(hr.host, salt, 16, &own, &len) == 0);
        mcphost_free(own);
    }
    return NULL;
}

START_TEST(threads_may_read_status_and_catalog_during_a_load)
{
    pthread_t threads[THREADS];

    bad = 0;
    stop = false;
    hr_up(&hr);
    for (int i = 0; i < 6; i++)
        hr_server(&hr, (const char *[]){"a", "b", "c", "e", "f", "g"}[i],
                  "tools: {blacklist: ['ec*']}", NULL);
    hr_entry(&hr, "bad: {transport: stdio}");
    hr_load_only(&hr);
    spawn_threads(threads, read_state);
    hr_ready(&hr);
    stop = true;
    join_threads(threads);
    ck_assert_int_eq(bad, 0);
    hr_down(&hr);
}
END_TEST

/* ---- start and stop of the library's thread ---------------------------------------- */

static void
stop_inside(mcphost_call *call, void *arg)
{
    (void)call;
    *(int *)arg = mcphost_thread_stop(hr.host);
    atomic_fetch_add(&n_done, 1);
}

START_TEST(a_second_start_or_stop_of_the_librarys_thread_is_refused)
{
    mcphost_call *call;
    int r = 0;

    up(NULL, NULL);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    ck_assert_int_eq(mcphost_thread_start(hr.host), MCPHOST_E_STATE);
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, stop_inside, &r, NULL), 0);
    ck_assert_int_eq(mcphost_call_wait(call, 10000), 1);
    ck_assert_int_eq(r, MCPHOST_E_BUSY);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    hr_end(&hr, hr_start(&hr, d, "a_echo", NULL));
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_down(&hr);
}
END_TEST

static void
block(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    atomic_fetch_add(&n_done, 1);
    while (!stop)
        rig_pause(1);
}

static int is_current, is_current_of_other, is_current_in_child;

static void
ask_which_thread(mcphost_call *call, void *other)
{
    pid_t child;

    (void)call;
    is_current = mcphost_thread_is_current(hr.host);
    is_current_of_other = mcphost_thread_is_current(other);
    child = fork();
    if (child == 0)
        _exit(mcphost_thread_is_current(hr.host));
    waitpid(child, &is_current_in_child, 0);
}

START_TEST(a_callback_knows_whether_it_runs_on_the_librarys_thread)
{
    mcphost *other;
    mcphost_call *call;

    up(NULL, NULL);
    ck_assert_int_eq(mcphost_new(&other, NULL), 0);
    ck_assert_int_eq(mcphost_thread_start(other), 0);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    ck_assert_int_eq(mcphost_thread_is_current(hr.host), 0);
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, ask_which_thread, other, NULL), 0);
    ck_assert_int_eq(mcphost_call_wait(call, 10000), 1);
    ck_assert_int_eq(is_current, 1);
    ck_assert_int_eq(is_current_of_other, 0);
    ck_assert_int_eq(is_current_in_child, 0);

    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, ask_which_thread, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_wait(call, 10000), 1);
    ck_assert_int_eq(is_current, 0);
    ck_assert_int_eq(mcphost_thread_is_current(NULL), 0);
    mcphost_unref(other);
    hr_down(&hr);
}
END_TEST

/* Only one thread can dispatch at a time. */
START_TEST(a_second_thread_that_dispatches_is_refused_with_e_busy)
{
    mcphost_call *call;

    up(NULL, NULL);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, block, NULL, NULL), 0);
    while (!n_done)
        rig_pause(1);
    ck_assert_int_eq(mcphost_dispatch(hr.host), MCPHOST_E_BUSY);
    ck_assert_int_eq(mcphost_wait(hr.host, 10), 0);
    ck_assert_int_eq(mcphost_call_wait(call, 10), 0);
    stop = true;
    ck_assert_int_eq(mcphost_call_wait(call, 10000), 1);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_down(&hr);
}
END_TEST

static sigset_t mask_seen;

static void
look_at_mask(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    pthread_sigmask(SIG_SETMASK, NULL, &mask_seen);
}

START_TEST(the_librarys_thread_blocks_signals)
{
    mcphost_call *call;

    up(NULL, NULL);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, look_at_mask, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_wait(call, 10000), 1);
    ck_assert(sigismember(&mask_seen, SIGINT) && sigismember(&mask_seen, SIGALRM));
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_down(&hr);
}
END_TEST

/* ---- the end of a host ------------------------------------------------------------- */

START_TEST(the_last_reference_stops_a_thread_of_the_library)
{
    mcphost_call *call;

    up(NULL, NULL);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    call = start("a_slow", "{\"ms\":5000}");
    hr.host = mcphost_unref(hr.host);
    ck_assert_int_eq(n_done, 0);
    ck_assert_int_eq(n_freed, 1);
    mcphost_call_unref(call);
    hr_down_ended(&hr);
}
END_TEST

static atomic_bool gone;

static void
drop_host(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    hr.host = mcphost_unref(hr.host);
    gone = true;
}

START_TEST(the_last_reference_may_be_dropped_on_the_librarys_thread)
{
    mcphost_call *call;

    up(NULL, NULL);
    gone = false;
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    call = hr_call(&hr, d, "a_echo", NULL);
    mcphost_call_unref(start("a_slow", "{\"ms\":5000}"));
    ck_assert_int_eq(mcphost_call_start(call, drop_host, NULL, NULL), 0);
    while (!gone)
        rig_pause(1);
    hr_down_ended(&hr);
    ck_assert_int_eq(n_freed, 1);
}
END_TEST

static void *
wait_for_it(void *arg)
{
    int r = mcphost_call_wait(arg, 20000);

    expect(r == 1 || r == MCPHOST_E_CLOSED);
    mcphost_call_unref(arg);
    return NULL;
}

static void *
wait_without_limit(void *arg)
{
    expect(mcphost_call_wait(arg, -1) == MCPHOST_E_CLOSED);
    mcphost_call_unref(arg);
    return NULL;
}

/* Each call takes an hour, but the test ends at once, because the end of the host ends
 * the calls and their server.  One of the threads dispatches.  The other threads
 * sleep. */
START_TEST(the_last_reference_ends_the_waits_of_other_threads)
{
    pthread_t threads[THREADS];

    up("truely-stateless: true", NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_without_limit,
                                        start("a_slow", "{\"ms\":3600000}")),
                         0);
    rig_pause(20);
    hr.host = mcphost_unref(hr.host);
    join_threads(threads);
    ck_assert_int_eq(bad, 0);
    ck_assert_int_eq(n_freed, THREADS);
    hr_down_ended(&hr);
}
END_TEST

static void
drop_own_host(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    hr.host = mcphost_unref(hr.host);
}

/* The callback runs inside mcphost_call_wait() and drops the last reference to the host.
 * Therefore this wait ends. */
START_TEST(a_wait_whose_callback_drops_the_last_reference_ends)
{
    mcphost_call *slow, *quick;

    up("truely-stateless: true", NULL);
    slow = start("a_slow", "{\"ms\":3600000}");
    quick = hr_call(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(mcphost_call_start(quick, drop_own_host, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_wait(slow, -1), MCPHOST_E_CLOSED);
    mcphost_call_unref(slow);
    ck_assert_int_eq(n_freed, 1);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(closing_a_host_ends_the_waits_of_all_threads)
{
    pthread_t threads[THREADS];
    int r;

    up("truely-stateless: true", NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_it,
                                        start("a_slow", "{\"ms\":5000}")),
                         0);
    rig_pause(20);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    join_threads(threads);
    ck_assert_int_eq(bad, 0);
    do
        r = mcphost_wait(hr.host, 100);
    while (r >= 0);
    ck_assert_int_eq(r, MCPHOST_E_CLOSED);
    ck_assert_int_eq(n_done, THREADS);
    hr_down(&hr);
}
END_TEST

static atomic_int n_closed;

static void
count_closed(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_CLOSED)
        atomic_fetch_add(&n_closed, 1);
}

/* Dispatches until the host has ended, as a program with an event loop does. */
static void *
dispatch_to_the_end(void *arg)
{
    struct pollfd fd = {.fd = mcphost_get_fd(hr.host), .events = POLLIN};
    int r;

    (void)arg;
    do {
        poll(&fd, 1, 20);
        r = mcphost_dispatch(hr.host);
    } while (r >= 0 || r == MCPHOST_E_BUSY);
    expect(r == MCPHOST_E_CLOSED);
    return NULL;
}

/* Waits without a limit until the host has ended. */
static void *
wait_to_the_end(void *arg)
{
    int r;

    (void)arg;
    do
        r = mcphost_wait(hr.host, -1);
    while (r >= 0);
    expect(r == MCPHOST_E_CLOSED);
    expect(atomic_load(&n_closed) == 1);
    return NULL;
}

enum { BY_WAITS, BY_LIBRARY, BY_LOOP, BY_DRIVER, N_WAYS };

/* With BY_WAITS, only mcphost_wait() dispatches, in one thread at a time.  With
 * BY_LIBRARY and BY_DRIVER, mcphost_wait() does not dispatch.  With BY_LOOP, both the
 * loop and mcphost_wait() may dispatch, one at a time. */
START_TEST(waits_without_a_limit_last_until_the_host_has_ended)
{
    pthread_t threads[THREADS], loop;

    up("truely-stateless: true", NULL);
    n_closed = 0;
    hr.on_event = count_closed;
    if (_i == BY_LIBRARY)
        ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    if (_i == BY_DRIVER)
        ck_assert_int_eq(mcphost_set_driven(hr.host, 1), 0);
    if (_i == BY_LOOP || _i == BY_DRIVER)
        ck_assert_int_eq(pthread_create(&loop, NULL, dispatch_to_the_end, NULL), 0);
    spawn_threads(threads, wait_to_the_end);
    mcphost_call_unref(start("a_slow", "{\"ms\":5}"));
    while (!n_done)
        rig_pause(1);
    mcphost_call_unref(start("a_slow", "{\"ms\":5000}"));
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    join_threads(threads);
    if (_i == BY_LOOP || _i == BY_DRIVER)
        pthread_join(loop, NULL);
    ck_assert_int_eq(bad, 0);
    ck_assert_int_eq(n_done, 2);
    hr_down(&hr);
}
END_TEST

/* The process forks while other threads run inside the library. */
START_TEST(a_child_forked_beside_a_busy_thread_is_refused_without_waiting)
{
    pthread_t threads[THREADS];
    int status;
    pid_t child;

    bad = 0;
    stop = false;
    up(NULL, NULL);
    spawn_threads(threads, read_state);
    for (int i = 0; i < 20; i++) {
        child = fork();
        if (child == 0) {
            alarm(5);
            if (mcphost_dispatch(hr.host) != MCPHOST_E_FORKED)
                _exit(1);
            mcphost_dialog_unref(d);
            mcphost_unref(hr.host);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    stop = true;
    join_threads(threads);
    ck_assert_int_eq(bad, 0);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *work_case = test_case(suite, "work"), *own = test_case(suite, "own");
    TCase *ends = test_case(suite, "ends");

    tcase_set_timeout(work_case, 20);
    tcase_add_test(
        work_case,
        four_threads_submit_wait_and_cancel_while_the_librarys_thread_dispatches);
    tcase_add_test(work_case,
                   four_threads_submit_wait_and_cancel_while_the_tests_thread_dispatches);
    tcase_add_test(work_case, threads_that_wait_dispatch_for_themselves);
    tcase_add_test(work_case, many_threads_may_wait_until_the_host_is_ready);
    tcase_add_test(work_case, threads_may_lease_and_release_at_the_same_time);
    tcase_add_test(work_case, threads_may_read_status_and_catalog_during_a_load);

    tcase_add_test(own, a_second_start_or_stop_of_the_librarys_thread_is_refused);
    tcase_add_test(own, a_callback_knows_whether_it_runs_on_the_librarys_thread);
    tcase_add_test(own, a_second_thread_that_dispatches_is_refused_with_e_busy);
    tcase_add_test(own, the_librarys_thread_blocks_signals);

    tcase_add_test(ends, the_last_reference_stops_a_thread_of_the_library);
    tcase_add_test(ends, the_last_reference_may_be_dropped_on_the_librarys_thread);
    tcase_add_test(ends, the_last_reference_ends_the_waits_of_other_threads);
    tcase_add_test(ends, a_wait_whose_callback_drops_the_last_reference_ends);
    tcase_add_test(ends, closing_a_host_ends_the_waits_of_all_threads);
    tcase_add_loop_test(ends, waits_without_a_limit_last_until_the_host_has_ended, 0,
                        N_WAYS);
    tcase_add_test(ends, a_child_forked_beside_a_busy_thread_is_refused_without_waiting);
}

int
main(void)
{
    return test_main("host-threads", add);
}
