/* SPDX-License-Identifier: MIT
 *
 * test_host_driver.c - mcphost_wake() ends waits, and a loop that is declared as the
 * driver (mcphost_set_driven()) dispatches for the waits of other threads.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hostrig.h"

#define PATIENCE 20000

static struct hostrig hr;
static mcphost_dialog *d;
static atomic_int handled, busy, on_other;
static atomic_bool stop;
static pthread_t driver;

static void
up(void)
{
    handled = busy = on_other = 0;
    stop = false;
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

/* ---- mcphost_wake(): R22 ----------------------------------------------------------- */

static void
wake_handler(int number)
{
    (void)number;
    atomic_fetch_add(&handled, 1);
    mcphost_wake(hr.host);
}

static void
idle_handler(int number)
{
    (void)number;
    atomic_fetch_add(&handled, 1);
}

/* Sets the handler of SIGALRM, and raises SIGALRM every 5 ms. */
static void
alarms(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    struct itimerval often = {.it_interval.tv_usec = 5000, .it_value.tv_usec = 5000};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void
no_alarms(void)
{
    struct itimerval never = {.it_value.tv_usec = 0};

    setitimer(ITIMER_REAL, &never, NULL);
}

/* Checks that a wake from the signal handler ends `wait`.  Then stops the alarms, so that
 * no wake disturbs the closing of the host. */
static void
check_wake(int (*wait)(void))
{
    int r;

    alarms(wake_handler);
    do {
        r = wait();
    } while (r == 1); /* the wait may do other work first */
    no_alarms();
    ck_assert_int_eq(r, MCPHOST_E_WOKEN);
    ck_assert_int_gt(handled, 0);
}

static mcphost_call *waited;

static int
wait_any(void)
{
    return mcphost_wait(hr.host, PATIENCE);
}

static int
wait_call(void)
{
    return mcphost_call_wait(waited, PATIENCE);
}

static int
wait_all(void)
{
    return mcphost_wait_ready(hr.host, PATIENCE);
}

START_TEST(a_wake_from_a_handler_ends_a_wait)
{
    up();
    check_wake(wait_any);
    hr_down(&hr);
}
END_TEST

START_TEST(a_wake_from_a_handler_ends_the_wait_for_a_call)
{
    up();
    waited = hr_start(&hr, d, "a_slow", "{\"ms\":60000}");
    check_wake(wait_call);
    mcphost_call_cancel(waited);
    hr_down(&hr);
}
END_TEST

START_TEST(a_wake_from_a_handler_ends_the_wait_for_servers)
{
    handled = 0;
    hr_up(&hr);
    hr_server(&hr, "a", NULL, "on list\n delay 60000\n answer");
    hr_load_only(&hr);
    check_wake(wait_all);
    hr_down(&hr);
}
END_TEST

/* The waiting thread sleeps while the library's thread dispatches. */
START_TEST(a_wake_from_a_handler_ends_a_wait_beside_the_librarys_thread)
{
    up();
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    waited = hr_start(&hr, d, "a_slow", "{\"ms\":60000}");
    check_wake(wait_call);
    mcphost_call_cancel(waited);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_until(&hr, mcphost_call_is_done(waited));
    hr_down(&hr);
}
END_TEST

START_TEST(a_wake_from_a_handler_ends_the_wait_for_servers_beside_the_librarys_thread)
{
    handled = 0;
    hr_up(&hr);
    hr_server(&hr, "a", NULL, "on list\n delay 60000\n answer");
    hr_load_only(&hr);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    check_wake(wait_all);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_down(&hr);
}
END_TEST

/* R22: this thread is the driver, because it has called mcphost_set_driven(). */
START_TEST(a_wake_from_a_handler_ends_each_wait_of_a_driver)
{
    int (*const waits[])(void) = {wait_any, wait_call, wait_all};

    handled = 0;
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    waited = hr_start(&hr, hr_dialog(&hr, "d"), "a_slow", "{\"ms\":60000}");
    hr_edit(&hr);
    hr_server(&hr, "b", NULL, "on list\n delay 60000\n answer");
    hr_load_only(&hr);
    ck_assert_int_eq(mcphost_set_driven(hr.host, 1), 0);
    check_wake(waits[_i]);
    ck_assert_int_eq(mcphost_set_driven(hr.host, 0), 0);
    mcphost_call_cancel(waited);
    hr_down(&hr);
}
END_TEST

static void *
wake_later(void *arg)
{
    (void)arg;
    rig_pause(30);
    mcphost_wake(hr.host);
    return NULL;
}

START_TEST(a_wake_from_another_thread_ends_a_wait_beside_the_librarys_thread)
{
    pthread_t thread;

    up();
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    waited = hr_start(&hr, d, "a_slow", "{\"ms\":60000}");
    ck_assert_int_eq(pthread_create(&thread, NULL, wake_later, NULL), 0);
    ck_assert_int_eq(mcphost_call_wait(waited, PATIENCE), MCPHOST_E_WOKEN);
    pthread_join(thread, NULL);
    mcphost_call_cancel(waited);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_wake_before_a_wait_ends_that_wait_and_no_other)
{
    up();
    hr_turn(&hr, 0);
    ck_assert_int_eq(mcphost_wake(hr.host), 0);
    ck_assert_int_eq(mcphost_wake(hr.host), 0);
    ck_assert_int_eq(mcphost_wait(hr.host, PATIENCE), MCPHOST_E_WOKEN);
    ck_assert_int_ne(mcphost_wait(hr.host, 5), MCPHOST_E_WOKEN);
    /* A wait whose condition holds returns 1 and leaves the wake to the next wait. */
    ck_assert_int_eq(mcphost_wake(hr.host), 0);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, PATIENCE), 1);
    ck_assert_int_eq(mcphost_wait(hr.host, PATIENCE), MCPHOST_E_WOKEN);
    ck_assert_int_eq(mcphost_wake(NULL), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

static void *
wait_for_call(void *arg)
{
    *(int *)arg = mcphost_call_wait(waited, PATIENCE);
    return NULL;
}

START_TEST(one_wake_ends_every_wait_that_is_under_way)
{
    pthread_t threads[3];
    int r[3];

    up();
    waited = hr_start(&hr, d, "a_slow", "{\"ms\":60000}");
    ck_assert_int_eq(mcphost_wake(hr.host), 0);
    ck_assert_int_eq(mcphost_call_wait(waited, PATIENCE), MCPHOST_E_WOKEN);
    for (int i = 0; i < 3; i++) {
        r[i] = -99;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_call, &r[i]), 0);
    }
    rig_pause(20);
    ck_assert_int_eq(mcphost_wake(hr.host), 0);
    /* Wake the host again every 2 s until the thread ends, because the thread may begin
     * its wait after the wake. */
    for (int i = 0; i < 3; i++) {
        struct timespec until;

        do {
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 2;
            if (pthread_timedjoin_np(threads[i], NULL, &until) == 0)
                break;
            mcphost_wake(hr.host);
        } while (true);
        ck_assert_int_eq(r[i], MCPHOST_E_WOKEN);
    }
    mcphost_call_cancel(waited);
    hr_down(&hr);
}
END_TEST

/* A wait does not return EINTR.  It continues after the signal. */
START_TEST(a_signal_alone_ends_no_wait)
{
    mcphost_call *call;

    up();
    call = hr_start(&hr, d, "a_slow", "{\"ms\":40}");
    alarms(idle_handler);
    ck_assert_int_eq(mcphost_call_wait(call, PATIENCE), 1);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    call = hr_start(&hr, d, "a_slow", "{\"ms\":40}");
    ck_assert_int_eq(mcphost_call_wait(call, PATIENCE), 1);
    no_alarms();
    ck_assert_int_gt(handled, 1);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_wake_keeps_errno_and_makes_the_descriptor_readable)
{
    struct pollfd fd;

    up();
    fd = (struct pollfd){.fd = mcphost_get_fd(hr.host), .events = POLLIN};
    while (poll(&fd, 1, 0) > 0)
        mcphost_dispatch(hr.host);
    errno = ENOTTY;
    ck_assert_int_eq(mcphost_wake(hr.host), 0);
    ck_assert_int_eq(errno, ENOTTY);
    ck_assert_int_eq(poll(&fd, 1, 0), 1);
    for (int i = 0; i < 100 && poll(&fd, 1, 0) > 0; i++)
        mcphost_dispatch(hr.host);
    ck_assert_int_eq(poll(&fd, 1, 0), 0);
    /* mcphost_dispatch() is not a wait and leaves the wake to the next wait. */
    ck_assert_int_eq(mcphost_wait(hr.host, PATIENCE), MCPHOST_E_WOKEN);
    hr_down(&hr);
}
END_TEST

START_TEST(a_wake_in_a_forked_child_fails_and_ends_no_wait)
{
    int status = -1;
    pid_t pid;

    up();
    while (mcphost_wait(hr.host, 5) > 0)
        continue;
    pid = fork();
    if (pid == 0)
        _exit(mcphost_wake(hr.host) == MCPHOST_E_FORKED ? 0 : 1);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_ne(mcphost_wait(hr.host, 5), MCPHOST_E_WOKEN);
    hr_down(&hr);
}
END_TEST

/* ---- mcphost_set_driven(): R22 ----------------------------------------------------- */

static void *
drive(void *arg)
{
    struct pollfd fd = {.fd = mcphost_get_fd(hr.host), .events = POLLIN};
    int r;

    (void)arg;
    while (!stop) {
        poll(&fd, 1, 20);
        while ((r = mcphost_dispatch(hr.host)) > 0)
            continue;
        busy += r == MCPHOST_E_BUSY;
    }
    return NULL;
}

static void
on_done(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    on_other += !pthread_equal(pthread_self(), driver);
}

static void
driver_up(void)
{
    up();
    ck_assert_int_eq(mcphost_set_driven(hr.host, 1), 0);
    ck_assert_int_eq(pthread_create(&driver, NULL, drive, NULL), 0);
    /* Give the driver thread time to dispatch once.  Before that, this thread counts as
     * the driver. */
    rig_pause(50);
}

static void
driver_down(void)
{
    stop = true;
    ck_assert_int_eq(pthread_join(driver, NULL), 0);
    ck_assert_int_eq(mcphost_set_driven(hr.host, 0), 0);
    hr_down(&hr);
}

static void *
call_often(void *arg)
{
    int bad = 0;

    for (int i = 0; i < 50; i++) {
        mcphost_call *call;

        bad += mcphost_call_new(d, "a_echo", "{\"text\":\"x\"}", 12, &call, NULL) != 0;
        bad += mcphost_call_start(call, i % 2 ? on_done : NULL, NULL, NULL) != 0;
        bad += mcphost_call_wait(call, PATIENCE) != 1;
        mcphost_call_unref(call);
    }
    *(int *)arg = bad;
    return NULL;
}

START_TEST(beside_a_driver_other_threads_sleep_and_run_no_callbacks)
{
    pthread_t threads[4];
    int bad[4];

    driver_up();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, &bad[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(bad[i], 0);
    }
    ck_assert_int_eq(mcphost_wait_ready(hr.host, PATIENCE), 1);
    ck_assert_int_eq(on_other, 0);
    /* The driver never gets MCPHOST_E_BUSY, because no other thread dispatches. */
    ck_assert_int_eq(busy, 0);
    driver_down();
}
END_TEST

START_TEST(beside_a_driver_a_wait_sleeps_until_a_turn_has_done_something)
{
    mcphost_call *call;
    int r;

    driver_up();
    ck_assert_int_eq(mcphost_call_new(d, "a_slow", "{\"ms\":20}", 9, &call, NULL), 0);
    ck_assert_int_eq(mcphost_call_start(call, on_done, NULL, NULL), 0);
    do {
        r = mcphost_wait(hr.host, PATIENCE);
        ck_assert_int_eq(r, 1);
    } while (!mcphost_call_is_done(call));
    ck_assert_int_eq(mcphost_call_wait(call, PATIENCE), 1);
    ck_assert_int_eq(mcphost_wait(hr.host, 0), 0);
    ck_assert_int_eq(on_other, 0);
    mcphost_call_unref(call);
    driver_down();
}
END_TEST

/* The driver must dispatch while it waits, because no other thread dispatches for it. */
START_TEST(a_driver_that_waits_dispatches_itself)
{
    up();
    ck_assert_int_eq(mcphost_set_driven(hr.host, 1), 0);
    ck_assert_int_eq(mcphost_set_driven(hr.host, 1), 0);
    waited = hr_start(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_wait(waited, PATIENCE), 1);
    ck_assert_int_eq(mcphost_thread_start(hr.host), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_set_driven(hr.host, 0), 0);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    ck_assert_int_eq(mcphost_set_driven(hr.host, 1), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    ck_assert_int_eq(mcphost_set_driven(NULL, 1), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

START_TEST(when_the_driver_is_withdrawn_a_sleeping_wait_dispatches)
{
    pthread_t thread;
    int r = -99;

    driver_up();
    stop = true;
    ck_assert_int_eq(pthread_join(driver, NULL), 0);
    waited = hr_start(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_call, &r), 0);
    rig_pause(5);
    ck_assert_int_eq(mcphost_set_driven(hr.host, 0), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(r, 1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "wake");

    tcase_add_test(tc, a_wake_from_a_handler_ends_a_wait);
    tcase_add_test(tc, a_wake_from_a_handler_ends_the_wait_for_a_call);
    tcase_add_test(tc, a_wake_from_a_handler_ends_the_wait_for_servers);
    tcase_add_test(tc, a_wake_from_a_handler_ends_a_wait_beside_the_librarys_thread);
    tcase_add_test(
        tc, a_wake_from_a_handler_ends_the_wait_for_servers_beside_the_librarys_thread);
    tcase_add_loop_test(tc, a_wake_from_a_handler_ends_each_wait_of_a_driver, 0, 3);
    tcase_add_test(tc, a_wake_from_another_thread_ends_a_wait_beside_the_librarys_thread);
    tcase_add_test(tc, a_wake_before_a_wait_ends_that_wait_and_no_other);
    tcase_add_test(tc, one_wake_ends_every_wait_that_is_under_way);
    tcase_add_test(tc, a_signal_alone_ends_no_wait);
    tcase_add_test(tc, a_wake_keeps_errno_and_makes_the_descriptor_readable);
    tcase_add_test(tc, a_wake_in_a_forked_child_fails_and_ends_no_wait);

    tc = test_case(suite, "driven");
    tcase_add_test(tc, beside_a_driver_other_threads_sleep_and_run_no_callbacks);
    tcase_add_test(tc, beside_a_driver_a_wait_sleeps_until_a_turn_has_done_something);
    tcase_add_test(tc, a_driver_that_waits_dispatches_itself);
    tcase_add_test(tc, when_the_driver_is_withdrawn_a_sleeping_wait_dispatches);
}

int
main(void)
{
    return test_main("host-driver", add);
}
