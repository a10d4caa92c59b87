/* SPDX-License-Identifier: MIT
 *
 * test_loop_timer.c - timers: the heap of deadlines, the replaced clock, and the timerfd.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loop/core.h"
#include "support/runner.h"

static struct mcph_core *core;
static int64_t now;

static int64_t
fake_now(void *arg)
{
    return *(int64_t *)arg;
}

static void
fake_up(void)
{
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    now = 1000;
    mcph_core_set_clock(core, fake_now, &now);
}

static void
real_up(void)
{
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
}

static void
down(void)
{
    core = mcph_core_unref(core);
}

struct alarm {
    struct mcph_timer timer;
    int fired;
    int64_t at;
    int64_t again; /* the deadline that the handler sets; 0 means no deadline */
    struct alarm *cancels;
};

static void
fire(struct mcph_timer *timer)
{
    struct alarm *a = MCPH_CONTAINER_OF(timer, struct alarm, timer);

    ck_assert(!mcph_timer_is_set(timer));
    a->fired++;
    a->at = mcph_core_now(core);
    if (a->again)
        mcph_timer_set(timer, a->again);
    if (a->cancels)
        mcph_timer_cancel(&a->cancels->timer);
}

static void
alarm_up(struct alarm *a)
{
    memset(a, 0, sizeof(*a));
    ck_assert_int_eq(mcph_timer_init(&a->timer, core, fire), 0);
}

START_TEST(a_timer_fires_once_when_it_is_due_and_not_before)
{
    struct alarm a;

    alarm_up(&a);
    mcph_timer_set(&a.timer, 1010);
    ck_assert(mcph_timer_is_set(&a.timer));
    now = 1009;
    mcph_core_dispatch(core);
    ck_assert_int_eq(a.fired, 0);
    now = 1010;
    mcph_core_dispatch(core);
    mcph_core_dispatch(core);
    ck_assert_int_eq(a.fired, 1);
    ck_assert(!mcph_timer_is_set(&a.timer));
    mcph_timer_done(&a.timer);
}
END_TEST

START_TEST(a_timer_that_is_set_again_fires_at_the_last_deadline)
{
    struct alarm a, b;

    alarm_up(&a);
    alarm_up(&b);
    mcph_timer_set(&a.timer, 2000);
    mcph_timer_set(&a.timer, 1001);
    mcph_timer_set(&b.timer, 1001);
    mcph_timer_set(&b.timer, 2000);
    now = 1500;
    mcph_core_dispatch(core);
    ck_assert_int_eq(a.fired, 1);
    ck_assert_int_eq(b.fired, 0);
    mcph_timer_done(&a.timer);
    mcph_timer_done(&b.timer);
}
END_TEST

START_TEST(a_timer_can_cancel_another_timer_that_is_due)
{
    struct alarm a, b;

    alarm_up(&a);
    alarm_up(&b);
    a.cancels = &b;
    mcph_timer_set(&a.timer, 1001);
    mcph_timer_set(&b.timer, 1002);
    now = 1100;
    mcph_core_dispatch(core);
    ck_assert_int_eq(a.fired, 1);
    ck_assert_int_eq(b.fired, 0);
    mcph_timer_done(&a.timer);
    mcph_timer_done(&b.timer);
}
END_TEST

START_TEST(a_timer_that_sets_itself_to_the_past_fires_once_a_turn)
{
    struct alarm a;

    alarm_up(&a);
    a.again = 1;
    mcph_timer_set(&a.timer, 1);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert_int_eq(a.fired, 1);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert_int_eq(a.fired, 2);
    mcph_timer_done(&a.timer);
}
END_TEST

START_TEST(done_and_cancel_are_safe_on_zeroed_and_finished_timers)
{
    struct alarm a;

    memset(&a, 0, sizeof(a));
    mcph_timer_done(&a.timer);
    alarm_up(&a);
    mcph_timer_cancel(&a.timer);
    mcph_timer_set(&a.timer, 1001);
    mcph_timer_done(&a.timer);
    mcph_timer_done(&a.timer);
    now = 2000;
    mcph_core_dispatch(core);
    ck_assert_int_eq(a.fired, 0);
}
END_TEST

START_TEST(a_timer_takes_its_memory_when_it_is_initialised_not_when_set)
{
    enum { N = 100 };
    struct alarm alarms[N];

    for (int i = 0; i < N; i++)
        alarm_up(&alarms[i]);
    ck_assert_uint_ge(core->heap_cap, N);
    for (int i = 0; i < N; i++)
        mcph_timer_set(&alarms[i].timer, 1000 + N - i);
    now = 5000;
    mcph_core_dispatch(core);
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(alarms[i].fired, 1);
        mcph_timer_done(&alarms[i].timer);
    }
    ck_assert_uint_eq(core->ntimers, 0);
}
END_TEST

#define MANY 200

/* A plain array holds the expected deadlines.  Each due timer must fire once.
 * mcph_core_next_due() must return the earliest deadline of the array. */
START_TEST(the_heap_agrees_with_a_model_over_random_operations)
{
    struct alarm *alarms = calloc(MANY, sizeof(*alarms));
    unsigned seed = (unsigned)time(NULL);
    int64_t due[MANY]; /* the expected deadlines; -1 for a timer that is not set */

    printf("seed %u\n", seed);
    srandom(seed);
    for (int i = 0; i < MANY; i++) {
        alarm_up(&alarms[i]);
        due[i] = -1;
    }
    for (int step = 0; step < 10000; step++) {
        int i = (int)(random() % MANY);
        int64_t first = INT64_MAX;

        switch (random() % 4) {
        case 0:
            mcph_timer_cancel(&alarms[i].timer);
            due[i] = -1;
            break;
        case 1:
            now += random() % 20;
            while (mcph_core_dispatch(core) > 0)
                ;
            for (int k = 0; k < MANY; k++) {
                bool must = due[k] >= 0 && due[k] <= now;

                if (alarms[k].fired != must)
                    ck_abort_msg("step %d: timer %d fired %d times", step, k,
                                 alarms[k].fired);
                if (must)
                    due[k] = -1;
                alarms[k].fired = 0;
            }
            break;
        default:
            due[i] = now + random() % 200;
            mcph_timer_set(&alarms[i].timer, due[i]);
        }
        ck_assert_int_eq(mcph_timer_is_set(&alarms[i].timer), due[i] >= 0);
        for (int k = 0; k < MANY; k++)
            if (due[k] >= 0 && due[k] < first)
                first = due[k];
        ck_assert_int_eq(mcph_core_next_due(core), first);
    }
    for (int i = 0; i < MANY; i++)
        mcph_timer_done(&alarms[i].timer);
    free(alarms);
}
END_TEST

static int64_t last_due;
static bool in_order;

static void
fire_ordered(struct mcph_timer *timer)
{
    if (timer->due < last_due)
        in_order = false;
    last_due = timer->due;
}

START_TEST(timers_of_one_turn_fire_in_the_order_of_their_deadlines)
{
    struct mcph_timer timers[50];

    last_due = 0;
    in_order = true;
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(mcph_timer_init(&timers[i], core, fire_ordered), 0);
        mcph_timer_set(&timers[i], 1000 + (i * 37) % 50);
    }
    now = 2000;
    mcph_core_dispatch(core);
    ck_assert(in_order);
    ck_assert_int_eq(last_due, 1049);
    for (int i = 0; i < 50; i++)
        mcph_timer_done(&timers[i]);
}
END_TEST

/* ---- the timerfd, with the real clock ---------------------------------------------- */

static int
poll_fd(int ms)
{
    struct pollfd p = {.fd = mcph_core_get_fd(core), .events = POLLIN};

    return poll(&p, 1, ms);
}

START_TEST(a_due_timer_makes_the_fd_readable)
{
    int64_t start = mcph_core_now(core);
    struct alarm a;

    alarm_up(&a);
    mcph_core_get_fd(core);
    mcph_timer_set(&a.timer, start + 30);
    while (mcph_core_dispatch(core) > 0)
        ;
    ck_assert_int_eq(poll_fd(0), 0);
    ck_assert_int_eq(poll_fd(2000), 1);
    while (mcph_core_dispatch(core) > 0)
        ;
    ck_assert_int_eq(a.fired, 1);
    ck_assert(a.at >= start + 30);
    ck_assert_int_eq(poll_fd(0), 0);
    mcph_timer_done(&a.timer);
}
END_TEST

START_TEST(a_timer_set_before_get_fd_makes_the_descriptor_readable)
{
    struct alarm a;

    alarm_up(&a);
    mcph_timer_set(&a.timer, mcph_core_now(core) + 20);
    while (!a.fired) {
        ck_assert_int_eq(poll_fd(2000), 1);
        mcph_core_dispatch(core);
    }
    mcph_timer_done(&a.timer);
}
END_TEST

START_TEST(without_a_poller_the_timerfd_is_not_armed)
{
    struct alarm a;

    alarm_up(&a);
    mcph_timer_set(&a.timer, mcph_core_now(core) + 10);
    ck_assert_int_eq(mcph_core_wait(core, 2000), 1);
    ck_assert_int_eq(a.fired, 1);
    ck_assert_int_eq(core->armed, INT64_MAX);
    mcph_timer_done(&a.timer);
}
END_TEST

/* Setting a later deadline costs no system call.  The expiry of the old deadline causes
 * an empty turn. */
START_TEST(the_timerfd_is_not_armed_again_for_a_later_deadline)
{
    int64_t start = mcph_core_now(core), armed;
    struct alarm a;

    alarm_up(&a);
    mcph_core_get_fd(core);
    mcph_timer_set(&a.timer, start + 20);
    while (mcph_core_dispatch(core) > 0)
        ;
    armed = core->armed;
    mcph_timer_set(&a.timer, start + 60);
    while (mcph_core_dispatch(core) > 0)
        ;
    ck_assert_int_eq(core->armed, armed);
    ck_assert_int_eq(poll_fd(2000), 1);
    while (mcph_core_dispatch(core) > 0)
        ;
    while (!a.fired) {
        ck_assert_int_eq(poll_fd(2000), 1);
        mcph_core_dispatch(core);
    }
    ck_assert(a.at >= start + 60);
    mcph_timer_done(&a.timer);
}
END_TEST

static struct alarm shared;

static void
shorten(struct mcph_job *job)
{
    (void)job;
    mcph_timer_set(&shared.timer, mcph_core_now(core) + 10);
}

static struct mcph_job shorten_job = {.run = shorten};

static void *
dispatch_shorter(void *arg)
{
    (void)arg;
    mcph_core_post(core, &shorten_job);
    while (mcph_core_dispatch(core) > 0)
        ;
    return NULL;
}

/* Another thread dispatches the change.  The polling thread must still wake at the new
 * time. */
START_TEST(a_timer_shortened_by_another_thread_wakes_a_poller)
{
    int64_t start = mcph_core_now(core);
    pthread_t thread;

    alarm_up(&shared);
    mcph_core_get_fd(core);
    mcph_timer_set(&shared.timer, start + 60000);
    while (mcph_core_dispatch(core) > 0)
        ;
    ck_assert_int_eq(pthread_create(&thread, NULL, dispatch_shorter, NULL), 0);
    while (!shared.fired) {
        ck_assert_int_eq(poll_fd(3000), 1);
        mcph_core_dispatch(core);
    }
    pthread_join(thread, NULL);
    ck_assert(mcph_core_now(core) - start < 3000);
    mcph_timer_done(&shared.timer);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "heap");

    tcase_add_checked_fixture(tc, fake_up, down);
    tcase_add_test(tc, a_timer_fires_once_when_it_is_due_and_not_before);
    tcase_add_test(tc, a_timer_that_is_set_again_fires_at_the_last_deadline);
    tcase_add_test(tc, a_timer_can_cancel_another_timer_that_is_due);
    tcase_add_test(tc, a_timer_that_sets_itself_to_the_past_fires_once_a_turn);
    tcase_add_test(tc, done_and_cancel_are_safe_on_zeroed_and_finished_timers);
    tcase_add_test(tc, a_timer_takes_its_memory_when_it_is_initialised_not_when_set);
    tcase_add_test(tc, the_heap_agrees_with_a_model_over_random_operations);
    tcase_add_test(tc, timers_of_one_turn_fire_in_the_order_of_their_deadlines);
    tc = test_case(suite, "timerfd");
    tcase_add_checked_fixture(tc, real_up, down);
    tcase_add_test(tc, a_due_timer_makes_the_fd_readable);
    tcase_add_test(tc, a_timer_set_before_get_fd_makes_the_descriptor_readable);
    tcase_add_test(tc, without_a_poller_the_timerfd_is_not_armed);
    tcase_add_test(tc, the_timerfd_is_not_armed_again_for_a_later_deadline);
    tcase_add_test(tc, a_timer_shortened_by_another_thread_wakes_a_poller);
}

int
main(void)
{
    return test_main("loop-timer", add);
}
