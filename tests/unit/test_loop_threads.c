/* SPDX-License-Identifier: MIT
 *
 * test_loop_threads.c - waits of several threads at once, the core's own thread, and the
 * order in which threads get the core's lock.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "loop/core.h"
#include "support/runner.h"

static struct mcph_core *core;

static void
up(void)
{
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
}

static void
down(void)
{
    core = mcph_core_unref(core);
}

/* A flag that a thread sets under the lock. */
static bool flag;

static bool
flag_set(void *arg)
{
    return *(bool *)arg;
}

static void
set_flag(void)
{
    mcph_core_lock(core);
    flag = true;
    mcph_core_notify_locked(core);
    mcph_core_unlock(core);
}

static void
await(bool (*what)(void))
{
    for (int i = 0; i < 5000; i++) {
        bool yes;

        mcph_core_lock(core);
        yes = what();
        mcph_core_unlock(core);
        if (yes)
            return;
        usleep(1000);
    }
    ck_abort_msg("it did not happen within 5 s");
}

static bool
somebody_blocks(void)
{
    return core->blocked;
}

static bool
somebody_sleeps(void)
{
    return core->blocked && core->sleepers;
}

static bool
flag_is_set(void)
{
    return flag;
}

static void *
wait_for_flag(void *arg)
{
    *(int *)arg = mcph_core_wait_until(core, flag_set, &flag, 5000);
    return NULL;
}

static pthread_t
start(void *(*fn)(void *), void *arg)
{
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, fn, arg), 0);
    return thread;
}

/* The waiter is the dispatcher and sleeps in epoll.  A notify must end this sleep. */
START_TEST(a_notify_wakes_the_waiter_that_dispatches)
{
    int64_t begin = mcph_clock_monotonic_ms();
    pthread_t thread;
    int r = -99;

    flag = false;
    thread = start(wait_for_flag, &r);
    await(somebody_blocks);
    set_flag();
    pthread_join(thread, NULL);
    ck_assert_int_eq(r, 1);
    ck_assert(mcph_clock_monotonic_ms() - begin < 4000);
}
END_TEST

static int rounds_late;

static void *
notify_rounds(void *arg)
{
    int n = *(int *)arg;

    for (int i = 0; i < n; i++) {
        bool taken;

        set_flag();
        do {
            mcph_core_lock(core);
            taken = !flag;
            mcph_core_unlock(core);
        } while (!taken);
    }
    return NULL;
}

/* The notify may come at any moment between the waiter's check and its sleep. */
START_TEST(no_notify_is_lost_between_the_check_and_the_sleep)
{
    int n = 3000;
    pthread_t thread;

    flag = false;
    rounds_late = 0;
    thread = start(notify_rounds, &n);
    for (int i = 0; i < n; i++) {
        int r = mcph_core_wait_until(core, flag_set, &flag, 500);

        rounds_late += r != 1;
        if (r != 1)
            ck_assert_int_eq(mcph_core_wait_until(core, flag_set, &flag, 5000), 1);
        mcph_core_lock(core);
        flag = false;
        mcph_core_unlock(core);
    }
    pthread_join(thread, NULL);
    ck_assert_int_eq(rounds_late, 0);
}
END_TEST

static void
flag_job(struct mcph_job *job)
{
    (void)job;
    set_flag();
}

START_TEST(of_many_waiters_one_dispatches_and_all_return)
{
    struct mcph_job job = {.run = flag_job};
    pthread_t threads[4];
    int r[4];

    flag = false;
    for (int i = 0; i < 4; i++)
        threads[i] = start(wait_for_flag, &r[i]);
    await(somebody_sleeps);
    mcph_core_post(core, &job);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(r[i], 1);
    }
}
END_TEST

/* The flag that ends the wait of the first waiter, which dispatches. */
static bool first_flag;

static void *
wait_for_first(void *arg)
{
    *(int *)arg = mcph_core_wait_until(core, flag_set, &first_flag, 5000);
    return NULL;
}

static void
first_job(struct mcph_job *job)
{
    (void)job;
    mcph_core_lock(core);
    first_flag = true;
    mcph_core_notify_locked(core);
    mcph_core_unlock(core);
}

/* When the wait of the dispatching thread ends, another waiting thread must dispatch. */
START_TEST(a_sleeper_takes_over_when_the_dispatcher_leaves)
{
    struct mcph_job one = {.run = first_job}, two = {.run = flag_job};
    pthread_t first, second;
    int r1 = -99, r2 = -99;

    flag = first_flag = false;
    first = start(wait_for_first, &r1);
    await(somebody_blocks);
    second = start(wait_for_flag, &r2);
    await(somebody_sleeps);
    mcph_core_post(core, &one);
    pthread_join(first, NULL);
    ck_assert_int_eq(r1, 1);
    await(somebody_blocks);
    mcph_core_post(core, &two);
    pthread_join(second, NULL);
    ck_assert_int_eq(r2, 1);
}
END_TEST

START_TEST(a_sleeper_keeps_its_own_deadline)
{
    pthread_t thread;
    int r = -99;

    flag = first_flag = false;
    thread = start(wait_for_flag, &r);
    await(somebody_blocks);
    ck_assert_int_eq(mcph_core_wait_until(core, flag_set, &first_flag, 30), 0);
    ck_assert_int_eq(mcph_core_wait_until(core, flag_set, &first_flag, 0), 0);
    set_flag();
    pthread_join(thread, NULL);
    ck_assert_int_eq(r, 1);
}
END_TEST

START_TEST(a_close_ends_every_wait)
{
    pthread_t threads[3];
    int r[3];

    flag = false;
    for (int i = 0; i < 3; i++)
        threads[i] = start(wait_for_flag, &r[i]);
    await(somebody_sleeps);
    mcph_core_set_closed(core);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(r[i], MCPHOST_E_CLOSED);
    }
}
END_TEST

/* ---- the core's own thread --------------------------------------------------------- */

static pthread_t ran_on;
static sigset_t ran_mask;

static void
where_job(struct mcph_job *job)
{
    (void)job;
    ran_on = pthread_self();
    pthread_sigmask(SIG_SETMASK, NULL, &ran_mask);
    set_flag();
}

START_TEST(the_thread_dispatches_with_all_signals_blocked)
{
    struct mcph_job job = {.run = where_job};

    flag = false;
    ck_assert_int_eq(mcph_core_thread_start(core), 0);
    ck_assert_int_eq(mcph_core_thread_start(core), MCPHOST_E_STATE);
    await(somebody_blocks);
    mcph_core_post(core, &job);
    await(flag_is_set); /* await() itself does not dispatch */
    ck_assert_int_eq(mcph_core_thread_stop(core), 0);
    ck_assert(!pthread_equal(ran_on, pthread_self()));
    ck_assert_int_eq(sigismember(&ran_mask, SIGTERM), 1);
    ck_assert_int_eq(sigismember(&ran_mask, SIGINT), 1);
    ck_assert_int_eq(sigismember(&ran_mask, SIGCHLD), 1);
    ck_assert_int_eq(mcph_core_thread_stop(core), MCPHOST_E_STATE);
}
END_TEST

/* The stop may come at any moment of the thread's loop. */
START_TEST(a_thread_can_be_stopped_at_any_moment)
{
    int64_t begin = mcph_clock_monotonic_ms();

    for (int i = 0; i < 500; i++) {
        ck_assert_int_eq(mcph_core_thread_start(core), 0);
        for (volatile int k = 0; k < (i % 50) * 200; k++)
            ;
        ck_assert_int_eq(mcph_core_thread_stop(core), 0);
    }
    ck_assert(mcph_clock_monotonic_ms() - begin < 15000);
}
END_TEST

static int stopped;

static void
stop_delivery(struct mcph_delivery *delivery)
{
    (void)delivery;
    stopped = mcph_core_thread_stop(core);
    set_flag();
}

START_TEST(the_thread_cannot_stop_itself)
{
    struct mcph_delivery d = {.deliver = stop_delivery};

    flag = false;
    ck_assert_int_eq(mcph_core_thread_start(core), 0);
    await(somebody_blocks);
    mcph_core_deliver(core, &d);
    await(flag_is_set); /* await() itself does not dispatch */
    ck_assert_int_eq(stopped, MCPHOST_E_BUSY);
    ck_assert_int_eq(mcph_core_thread_stop(core), 0);
}
END_TEST

static void
do_nothing(struct mcph_job *job)
{
    (void)job;
}

static bool
somebody_waits(void)
{
    return core->n_waits > 0;
}

static void *
wait_for_turn(void *arg)
{
    int *ret = arg;

    *ret = mcph_core_wait(core, 10000);
    return NULL;
}

START_TEST(a_wait_beside_the_cores_thread_ends_when_a_turn_has_done_work)
{
    struct mcph_job job = {.run = do_nothing};
    pthread_t waiter;
    int r = -99;

    ck_assert_int_eq(mcph_core_thread_start(core), 0);
    await(somebody_blocks);
    waiter = start(wait_for_turn, &r);
    await(somebody_waits);
    mcph_core_post(core, &job);
    pthread_join(waiter, NULL);
    ck_assert_int_eq(r, 1);
    ck_assert_int_eq(mcph_core_thread_stop(core), 0);
}
END_TEST

START_TEST(a_thread_that_sleeps_while_a_waiter_dispatches_can_be_stopped)
{
    pthread_t waiter;
    int r = -99;

    flag = false;
    waiter = start(wait_for_flag, &r);
    await(somebody_blocks);
    ck_assert_int_eq(mcph_core_thread_start(core), 0);
    await(somebody_sleeps);
    ck_assert_int_eq(mcph_core_thread_stop(core), 0);
    set_flag();
    pthread_join(waiter, NULL);
    ck_assert_int_eq(r, 1);
}
END_TEST

START_TEST(after_a_close_the_thread_ends_and_the_last_owner_frees_the_core)
{
    ck_assert_int_eq(mcph_core_thread_start(core), 0);
    mcph_core_set_closed(core);
    /* Either the thread or down() drops the last reference and frees the core.
     * Sanitizers would report a core that is not freed. */
}
END_TEST

/* ---- four threads submit and wait at once ------------------------------------------ */

#define SUBMITTERS 4
#define PER_THREAD 500

struct request {
    struct mcph_job job;
    struct mcph_delivery delivery;
    bool done;
};

static void
finish(struct mcph_delivery *delivery)
{
    struct request *r = MCPH_CONTAINER_OF(delivery, struct request, delivery);

    mcph_core_lock(core);
    r->done = true;
    mcph_core_notify_locked(core);
    mcph_core_unlock(core);
}

static void
work(struct mcph_job *job)
{
    struct request *r = MCPH_CONTAINER_OF(job, struct request, job);

    mcph_core_deliver(core, &r->delivery);
}

static void *
submit_and_wait(void *arg)
{
    int *bad = arg;

    for (int i = 0; i < PER_THREAD; i++) {
        struct request r = {.job.run = work, .delivery.deliver = finish};

        mcph_core_post(core, &r.job);
        *bad += mcph_core_wait_until(core, flag_set, &r.done, 5000) != 1;
    }
    return NULL;
}

static void
submit_from_four(void)
{
    pthread_t threads[SUBMITTERS];
    int bad[SUBMITTERS] = {0};

    for (int i = 0; i < SUBMITTERS; i++)
        threads[i] = start(submit_and_wait, &bad[i]);
    for (int i = 0; i < SUBMITTERS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(bad[i], 0);
    }
}

START_TEST(with_the_cores_thread_four_threads_can_submit_and_wait)
{
    ck_assert_int_eq(mcph_core_thread_start(core), 0);
    submit_from_four();
    ck_assert_int_eq(mcph_core_thread_stop(core), 0);
}
END_TEST

START_TEST(without_the_cores_thread_four_threads_can_submit_and_wait)
{
    submit_from_four();
}
END_TEST

/* ---- the dispatcher takes the lock first ------------------------------------------- */

static atomic_bool locks_in_job; /* the job has begun */
static atomic_bool lock_held;    /* the main thread holds the lock */
static bool job_locked;          /* the job has had the lock */

/* Runs on the dispatcher.  Waits until the main thread holds the lock.  Then waits for
 * the lock, takes it and releases it. */
static void
lock_job(struct mcph_job *job)
{
    (void)job;
    atomic_store(&locks_in_job, true);
    while (!atomic_load(&lock_held))
        usleep(100);
    mcph_core_lock(core);
    job_locked = true;
    mcph_core_unlock(core);
}

static void *
dispatch_once(void *arg)
{
    ck_assert_int_ge(mcph_core_dispatch(core), 0);
    return arg;
}

/* The caller holds the lock.  Waits until the dispatcher waits for the lock, then
 * releases the lock and takes it again without a pause. */
static void
take_again(void)
{
    for (int i = 0; i < 5000 && !atomic_load(&core->gate_shut); i++)
        usleep(1000);
    ck_assert(atomic_load(&core->gate_shut));
    usleep(20000); /* the dispatcher goes to sleep in the kernel */
    mcph_core_unlock(core);
    mcph_core_lock(core);
}

/* A dispatcher that waits for the lock gets the lock before a thread that comes later.
 * This holds even if that thread has just released the lock and is running. */
START_TEST(a_dispatcher_gets_the_lock_before_a_thread_that_comes_later)
{
    struct mcph_job job = {.run = lock_job};

    /* Try more than once, because the kernel may stop this thread between
     * mcph_core_unlock() and mcph_core_lock().  While this thread is stopped, the
     * dispatcher gets the lock with any kind of mutex, and the try proves nothing. */
    for (int i = 0; i < 5; i++) {
        pthread_t thread;

        locks_in_job = lock_held = job_locked = false;
        mcph_core_post(core, &job);
        ck_assert_int_eq(pthread_create(&thread, NULL, dispatch_once, NULL), 0);
        while (!atomic_load(&locks_in_job))
            usleep(100);
        mcph_core_lock(core);
        atomic_store(&lock_held, true);
        take_again();
        ck_assert(job_locked);
        mcph_core_unlock(core);
        pthread_join(thread, NULL);
    }
}
END_TEST

START_TEST(a_thread_that_begins_to_dispatch_gets_the_lock_before_later_threads)
{
    pthread_t thread;

    mcph_core_lock(core);
    ck_assert_int_eq(pthread_create(&thread, NULL, dispatch_once, NULL), 0);
    take_again();
    ck_assert(core->dispatching || core->turns == 1);
    mcph_core_unlock(core);
    pthread_join(thread, NULL);
    ck_assert(!atomic_load(&core->gate_shut));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "wait-until");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_notify_wakes_the_waiter_that_dispatches);
    tcase_add_test(tc, no_notify_is_lost_between_the_check_and_the_sleep);
    tcase_add_test(tc, of_many_waiters_one_dispatches_and_all_return);
    tcase_add_test(tc, a_sleeper_takes_over_when_the_dispatcher_leaves);
    tcase_add_test(tc, a_sleeper_keeps_its_own_deadline);
    tcase_add_test(tc, a_close_ends_every_wait);
    tc = test_case(suite, "thread");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, the_thread_dispatches_with_all_signals_blocked);
    tcase_add_test(tc, a_thread_can_be_stopped_at_any_moment);
    tcase_add_test(tc, the_thread_cannot_stop_itself);
    tcase_add_test(tc, a_wait_beside_the_cores_thread_ends_when_a_turn_has_done_work);
    tcase_add_test(tc, a_thread_that_sleeps_while_a_waiter_dispatches_can_be_stopped);
    tcase_add_test(tc, after_a_close_the_thread_ends_and_the_last_owner_frees_the_core);
    tcase_add_test(tc, with_the_cores_thread_four_threads_can_submit_and_wait);
    tcase_add_test(tc, without_the_cores_thread_four_threads_can_submit_and_wait);
    tcase_add_test(tc, a_dispatcher_gets_the_lock_before_a_thread_that_comes_later);
    tcase_add_test(tc,
                   a_thread_that_begins_to_dispatch_gets_the_lock_before_later_threads);
}

int
main(void)
{
    return test_main("loop-threads", add);
}
