/* SPDX-License-Identifier: MIT
 *
 * test_loop_dispatch.c - turns of the dispatcher: their results, the sources that they
 * call, nested turns, waits, and a host with an edge-triggered poll.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/core.h"
#include "support/runner.h"

static struct mcph_core *core;
static int core_fd;

/* A pipe with a source on its read end. */
struct probe {
    struct mcph_source source;
    int fds[2];
    int ready;
    uint32_t events;
    struct probe *victim; /* the probe that this probe's handler removes, or NULL */
    bool free_victim;
    void (*also)(struct probe *probe);
};

static void
probe_ready(struct mcph_source *source, uint32_t events)
{
    struct probe *p = MCPH_CONTAINER_OF(source, struct probe, source);
    char c[16];

    p->ready++;
    p->events = events;
    if (events & EPOLLIN)
        (void)!read(source->fd, c, sizeof(c));
    if (p->victim) {
        mcph_source_remove(&p->victim->source);
        if (p->free_victim)
            free(p->victim);
        p->victim = NULL;
    }
    if (p->also)
        p->also(p);
}

static void
probe_up(struct probe *p)
{
    *p = (struct probe){0};
    ck_assert_int_eq(pipe2(p->fds, O_CLOEXEC | O_NONBLOCK), 0);
    mcph_source_init(&p->source, core, probe_ready);
    ck_assert_int_eq(mcph_source_add(&p->source, p->fds[0], EPOLLIN), 0);
}

static void
probe_down(struct probe *p)
{
    mcph_source_remove(&p->source);
    close(p->fds[0]);
    if (p->fds[1] >= 0)
        close(p->fds[1]);
}

static void
poke(struct probe *p)
{
    ck_assert_int_eq(write(p->fds[1], "x", 1), 1);
}

static struct probe a, b;

static void
up(void)
{
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    core_fd = mcph_core_get_fd(core);
    while (mcph_core_dispatch(core) > 0)
        ;
    probe_up(&a);
    probe_up(&b);
}

static void
down(void)
{
    probe_down(&a);
    probe_down(&b);
    core = mcph_core_unref(core);
}

static bool
readable(void)
{
    struct pollfd p = {.fd = core_fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

static int
dispatch_all(void)
{
    int n = 0, r;

    for (r = 1; r > 0; n++)
        r = mcph_core_dispatch(core);
    ck_assert_int_eq(r, 0);
    return n;
}

/* ---- sources ----------------------------------------------------------------------- */

START_TEST(a_ready_source_makes_the_fd_readable_and_runs_once)
{
    ck_assert(!readable());
    poke(&a);
    ck_assert(readable());
    dispatch_all();
    ck_assert_int_eq(a.ready, 1);
    ck_assert_int_eq(b.ready, 0);
    ck_assert_uint_eq(a.events, EPOLLIN);
    ck_assert(!readable());
}
END_TEST

START_TEST(dispatch_never_blocks)
{
    int64_t start = mcph_clock_monotonic_ms();

    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(mcph_core_dispatch(core), 0);
    ck_assert(mcph_clock_monotonic_ms() - start < 1000);
}
END_TEST

START_TEST(a_source_removed_by_anothers_handler_is_not_called)
{
    a.victim = &b;
    b.victim = &a;
    poke(&a);
    poke(&b);
    dispatch_all();
    ck_assert_int_eq(a.ready + b.ready, 1);
}
END_TEST

START_TEST(an_owner_freed_by_anothers_handler_is_not_touched)
{
    struct probe *dead = malloc(sizeof(*dead));
    int fds[2];

    probe_up(dead);
    fds[0] = dead->fds[0];
    fds[1] = dead->fds[1];
    /* The sources `a` and `dead` are ready in one batch.  The handler of `a` runs first,
     * because `a` was registered and ready first. */
    a.victim = dead;
    a.free_victim = true;
    poke(&a);
    poke(dead);
    dispatch_all();
    ck_assert_int_eq(a.ready, 1);
    close(fds[0]);
    close(fds[1]);
}
END_TEST

static void
remove_self(struct probe *p)
{
    mcph_source_remove(&p->source);
}

START_TEST(a_source_may_remove_itself)
{
    a.also = remove_self;
    poke(&a);
    dispatch_all();
    poke(&a);
    dispatch_all();
    ck_assert_int_eq(a.ready, 1);
    ck_assert_int_eq(a.source.fd, -1);
    mcph_source_remove(&a.source);
}
END_TEST

static struct probe late;

static void
add_late(struct probe *p)
{
    (void)p;
    probe_up(&late);
}

/* `late` gets the slot of the removed `b`.  The event for `b` must not reach `late`. */
START_TEST(a_stale_event_does_not_reach_the_next_source_in_the_slot)
{
    uint32_t slot = b.source.slot;

    a.victim = &b;
    a.also = add_late;
    poke(&a);
    poke(&b);
    dispatch_all();
    ck_assert_int_eq(a.ready, 1);
    ck_assert_int_eq(b.ready, 0);
    ck_assert_uint_eq(late.source.slot, slot);
    ck_assert_int_eq(late.ready, 0);
    a.also = NULL;
    poke(&late);
    dispatch_all();
    ck_assert_int_eq(late.ready, 1);
    probe_down(&late);
}
END_TEST

START_TEST(a_source_without_events_is_not_called_when_its_peer_hangs_up)
{
    poke(&a);
    ck_assert_int_eq(mcph_source_set(&a.source, 0), 0);
    close(a.fds[1]);
    a.fds[1] = -1;
    ck_assert(!readable());
    dispatch_all();
    ck_assert_int_eq(a.ready, 0);
    ck_assert_int_eq(mcph_source_set(&a.source, EPOLLIN), 0);
    dispatch_all();
    ck_assert_int_ge(a.ready, 1);
    ck_assert_int_eq(mcph_source_set(&a.source, 0), 0);
}
END_TEST

static void
silence_b(struct probe *p)
{
    (void)p;
    ck_assert_int_eq(mcph_source_set(&b.source, EPOLLOUT), 0);
}

START_TEST(a_source_is_not_called_for_events_it_no_longer_waits_for)
{
    a.also = silence_b;
    poke(&a);
    poke(&b);
    ck_assert_int_ge(mcph_core_dispatch(core), 0);
    ck_assert_int_eq(a.ready, 1);
    ck_assert_int_eq(b.ready, 0);
}
END_TEST

START_TEST(a_hang_up_is_reported_to_a_source_that_waits_for_input_only)
{
    close(a.fds[1]);
    a.fds[1] = -1;
    ck_assert_int_ge(mcph_core_dispatch(core), 0);
    ck_assert_uint_eq(a.events & EPOLLHUP, EPOLLHUP);
}
END_TEST

START_TEST(a_descriptor_that_epoll_refuses_is_an_error_and_takes_no_slot)
{
    struct mcph_source source;
    uint32_t free_slot = core->free_slot;

    mcph_source_init(&source, core, probe_ready);
    ck_assert_int_eq(mcph_source_add(&source, 10000, EPOLLIN), MCPHOST_E_IO);
    ck_assert_int_eq(source.fd, -1);
    ck_assert_uint_eq(core->free_slot, free_slot);
}
END_TEST

START_TEST(if_more_sources_are_ready_than_a_turn_takes_all_are_called)
{
    enum { N = 150 };
    struct probe *many = calloc(N, sizeof(*many));

    for (int i = 0; i < N; i++) {
        probe_up(&many[i]);
        poke(&many[i]);
    }
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert(readable());
    dispatch_all();
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(many[i].ready, 1);
        probe_down(&many[i]);
    }
    free(many);
}
END_TEST

/* ---- mcph_core_more() -------------------------------------------------------------- */

static int mores;

static void
ask_more(struct probe *p)
{
    (void)p;
    if (mores-- > 0)
        mcph_core_more(core);
}

START_TEST(a_source_that_asks_for_more_time_keeps_the_fd_readable)
{
    mores = 1;
    a.also = ask_more;
    poke(&a);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert(readable());
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
    ck_assert(!readable());
}
END_TEST

static void
more_job(struct mcph_job *job)
{
    (void)job;
    mcph_core_more(core);
}

START_TEST(a_job_that_has_more_to_do_keeps_the_fd_readable)
{
    struct mcph_job job = {.run = more_job};

    mcph_core_post(core, &job);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert(readable());
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
}
END_TEST

struct numbered {
    struct mcph_job job;
    int number;
    struct mcph_job *posts; /* the job that this job posts, or NULL */
};

static int next_number;

static void
run_numbered(struct mcph_job *job)
{
    struct numbered *n = MCPH_CONTAINER_OF(job, struct numbered, job);

    ck_assert_int_eq(n->number, next_number++);
    if (n->posts)
        mcph_core_post(core, n->posts);
}

/* The job that the first job posts runs after the jobs that the first turn leaves. */
START_TEST(a_turn_leaves_jobs_over_its_limit_to_the_next_turn_in_their_order)
{
    enum { N = 2000 };
    struct numbered *jobs = calloc(N + 1, sizeof(*jobs));

    next_number = 0;
    for (int i = 0; i <= N; i++)
        jobs[i] = (struct numbered){.job = {.run = run_numbered}, .number = i};
    jobs[0].posts = &jobs[N].job;
    for (int i = 0; i < N; i++)
        mcph_core_post(core, &jobs[i].job);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert_int_lt(next_number, N);
    ck_assert(readable());
    dispatch_all();
    ck_assert_int_eq(next_number, N + 1);
    free(jobs);
}
END_TEST

START_TEST(a_wait_does_not_sleep_after_a_job_has_asked_for_more_time)
{
    struct mcph_job job = {.run = more_job};
    int64_t start = mcph_clock_monotonic_ms();

    mcph_core_post(core, &job);
    ck_assert_int_eq(mcph_core_wait(core, 3000), 1);
    ck_assert_int_eq(mcph_core_wait(core, 40), 0);
    ck_assert(mcph_clock_monotonic_ms() - start < 1000);
}
END_TEST

#define WAIT_MS 1000

static void *
work_past_a_deadline(void *arg)
{
    sem_t *begun = arg;
    bool waits = false;

    ck_assert_int_eq(mcph_core_set_driven(core, true), 0);
    sem_post(begun);
    while (!waits) {
        usleep(1000);
        mcph_core_lock(core);
        waits = core->n_waits > 0;
        if (!waits)
            mcph_core_unlock(core);
    }
    usleep(WAIT_MS * 2 * 1000);
    core->active_turns++;
    mcph_core_unlock(core);
    return NULL;
}

/* The thread holds the lock while the time passes, as at the end of a turn that did
 * work. */
START_TEST(a_wait_whose_time_passes_as_a_turn_ends_reports_the_turn)
{
    pthread_t thread;
    sem_t begun;

    sem_init(&begun, 0, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, work_past_a_deadline, &begun), 0);
    while (sem_wait(&begun) < 0)
        ;
    ck_assert_int_eq(mcph_core_wait(core, WAIT_MS), 1);
    pthread_join(thread, NULL);
    sem_destroy(&begun);
}
END_TEST

/* ---- one dispatcher at a time ------------------------------------------------------ */

static int nested[4];

static bool
yes(void *arg)
{
    (void)arg;
    return true;
}

static bool
no(void *arg)
{
    (void)arg;
    return false;
}

static void
dispatch_nested(struct mcph_delivery *delivery)
{
    (void)delivery;
    nested[0] = mcph_core_dispatch(core);
    nested[1] = mcph_core_wait(core, 10);
    nested[2] = mcph_core_wait_until(core, no, NULL, 10);
    nested[3] = mcph_core_wait_until(core, yes, NULL, 10);
    ck_assert(mcph_core_is_dispatcher(core));
}

START_TEST(dispatching_inside_a_delivery_is_refused)
{
    struct mcph_delivery d = {.deliver = dispatch_nested};

    mcph_core_deliver(core, &d);
    ck_assert_int_ge(mcph_core_dispatch(core), 0);
    ck_assert_int_eq(nested[0], MCPHOST_E_BUSY);
    ck_assert_int_eq(nested[1], MCPHOST_E_BUSY);
    ck_assert_int_eq(nested[2], MCPHOST_E_BUSY);
    ck_assert_int_eq(nested[3], 1);
    ck_assert(!mcph_core_is_dispatcher(core));
    ck_assert_int_eq(dispatch_all() > 0, 1);
}
END_TEST

START_TEST(a_delivery_runs_without_the_lock)
{
    struct mcph_delivery d = {.deliver = dispatch_nested};

    mcph_core_deliver(core, &d);
    mcph_core_dispatch(core);
    /* The test would hang if the delivery ran with the lock held, because
     * dispatch_nested() takes the lock several times. */
    ck_assert_int_eq(nested[0], MCPHOST_E_BUSY);
}
END_TEST

static sem_t inside, go_on;

static void
linger(struct probe *p)
{
    (void)p;
    sem_post(&inside);
    sem_wait(&go_on);
}

static void *
dispatch_once(void *arg)
{
    *(int *)arg = mcph_core_dispatch(core);
    return NULL;
}

/* The event that the first dispatcher handles also woke the refused thread.  The core
 * must wake that thread again when the first turn ends.  Otherwise the thread would wait
 * for an edge for ever. */
START_TEST(a_second_dispatcher_is_refused_and_woken_when_the_first_is_done)
{
    pthread_t thread;
    int first = -99;

    sem_init(&inside, 0, 0);
    sem_init(&go_on, 0, 0);
    a.also = linger;
    poke(&a);
    ck_assert_int_eq(pthread_create(&thread, NULL, dispatch_once, &first), 0);
    sem_wait(&inside);
    ck_assert_int_eq(mcph_core_dispatch(core), MCPHOST_E_BUSY);
    ck_assert_int_eq(mcph_core_wait(core, 0), 0);
    ck_assert(!mcph_core_is_dispatcher(core));
    ck_assert(!readable());
    sem_post(&go_on);
    pthread_join(thread, NULL);
    ck_assert_int_ge(first, 0);
    ck_assert(readable());
    dispatch_all();
    ck_assert(!readable());
}
END_TEST

static void
nothing(struct mcph_delivery *delivery)
{
    (void)delivery;
}

static struct mcph_delivery outside = {.deliver = nothing};

static void *
deliver_from_outside(void *arg)
{
    (void)arg;
    mcph_core_deliver(core, &outside);
    return NULL;
}

static void
deliver_by_thread(struct probe *p)
{
    pthread_t thread;

    (void)p;
    ck_assert_int_eq(pthread_create(&thread, NULL, deliver_from_outside, NULL), 0);
    pthread_join(thread, NULL);
}

/* The turn runs the delivery but does not read the wake-up.  If the turn returned 0
 * (idle), the next post would not write the eventfd.  An edge-triggered poll would then
 * see no edge. */
START_TEST(a_turn_that_leaves_a_wake_up_unread_does_not_return_0)
{
    a.also = deliver_by_thread;
    poke(&a);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert(readable());
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
    ck_assert(!readable());
}
END_TEST

/* ---- wait -------------------------------------------------------------------------- */

START_TEST(wait_returns_when_a_source_ran)
{
    poke(&a);
    ck_assert_int_eq(mcph_core_wait(core, -1), 1);
    ck_assert_int_eq(a.ready, 1);
}
END_TEST

START_TEST(wait_times_out)
{
    int64_t start = mcph_clock_monotonic_ms();

    ck_assert_int_eq(mcph_core_wait(core, 30), 0);
    ck_assert(mcph_clock_monotonic_ms() - start >= 29);
    ck_assert_int_eq(mcph_core_wait(core, 0), 0);
}
END_TEST

START_TEST(the_longest_wait_does_not_overflow)
{
    poke(&a);
    ck_assert_int_eq(mcph_core_wait(core, INT64_MAX), 1);
    ck_assert_int_eq(mcph_core_wait_until(core, yes, NULL, INT64_MAX), 1);
}
END_TEST

START_TEST(wait_until_checks_its_condition_before_it_dispatches)
{
    poke(&a);
    ck_assert_int_eq(mcph_core_wait_until(core, yes, NULL, -1), 1);
    ck_assert_int_eq(a.ready, 0);
}
END_TEST

START_TEST(wait_until_times_out_and_dispatches_meanwhile)
{
    poke(&a);
    ck_assert_int_eq(mcph_core_wait_until(core, no, NULL, 20), 0);
    ck_assert_int_eq(a.ready, 1);
    ck_assert_int_eq(mcph_core_wait_until(core, no, NULL, 0), 0);
}
END_TEST

/* ---- a host with an edge-triggered poll -------------------------------------------- */

#define POSTERS    4
#define PER_POSTER 2000

static int seen;

struct counted {
    struct mcph_job job;
    struct mcph_delivery delivery;
};

static void
count_delivery(struct mcph_delivery *delivery)
{
    (void)delivery;
    seen++;
}

static void
count_job(struct mcph_job *job)
{
    struct counted *c = MCPH_CONTAINER_OF(job, struct counted, job);

    mcph_core_deliver(core, &c->delivery);
}

static void *
post_many(void *arg)
{
    struct counted *all = arg;

    for (int i = 0; i < PER_POSTER; i++) {
        if (i % 2)
            mcph_core_post(core, &all[i].job);
        else
            mcph_core_deliver(core, &all[i].delivery);
        if (i % 64 == 0)
            usleep(50);
    }
    return NULL;
}

/* Four threads submit while one thread dispatches.  After each edge, the dispatcher need
 * only dispatch until the result is 0. */
START_TEST(an_edge_triggered_host_gets_all_jobs_and_deliveries_of_four_threads)
{
    struct counted *all = calloc(POSTERS * PER_POSTER, sizeof(*all));
    struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
    int outer = epoll_create1(EPOLL_CLOEXEC);
    pthread_t threads[POSTERS];

    seen = 0;
    for (int i = 0; i < POSTERS * PER_POSTER; i++)
        all[i] =
            (struct counted){.job.run = count_job, .delivery.deliver = count_delivery};
    ck_assert_int_eq(epoll_ctl(outer, EPOLL_CTL_ADD, core_fd, &ev), 0);
    for (int i = 0; i < POSTERS; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, post_many, all + i * PER_POSTER), 0);
    while (seen < POSTERS * PER_POSTER) {
        int r;

        ck_assert_msg(epoll_wait(outer, &ev, 1, 3000) == 1, "stalled at %d", seen);
        do
            r = mcph_core_dispatch(core);
        while (r > 0);
        ck_assert_int_eq(r, 0);
    }
    for (int i = 0; i < POSTERS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(seen, POSTERS * PER_POSTER);
    close(outer);
    free(all);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "sources");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_ready_source_makes_the_fd_readable_and_runs_once);
    tcase_add_test(tc, dispatch_never_blocks);
    tcase_add_test(tc, a_source_removed_by_anothers_handler_is_not_called);
    tcase_add_test(tc, an_owner_freed_by_anothers_handler_is_not_touched);
    tcase_add_test(tc, a_source_may_remove_itself);
    tcase_add_test(tc, a_stale_event_does_not_reach_the_next_source_in_the_slot);
    tcase_add_test(tc, a_source_without_events_is_not_called_when_its_peer_hangs_up);
    tcase_add_test(tc, a_source_is_not_called_for_events_it_no_longer_waits_for);
    tcase_add_test(tc, a_hang_up_is_reported_to_a_source_that_waits_for_input_only);
    tcase_add_test(tc, a_descriptor_that_epoll_refuses_is_an_error_and_takes_no_slot);
    tcase_add_test(tc, if_more_sources_are_ready_than_a_turn_takes_all_are_called);
    tc = test_case(suite, "more");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_source_that_asks_for_more_time_keeps_the_fd_readable);
    tcase_add_test(tc, a_job_that_has_more_to_do_keeps_the_fd_readable);
    tcase_add_test(tc, a_turn_leaves_jobs_over_its_limit_to_the_next_turn_in_their_order);
    tcase_add_test(tc, a_wait_does_not_sleep_after_a_job_has_asked_for_more_time);
    tcase_add_test(tc, a_wait_whose_time_passes_as_a_turn_ends_reports_the_turn);
    tc = test_case(suite, "dispatcher");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, dispatching_inside_a_delivery_is_refused);
    tcase_add_test(tc, a_delivery_runs_without_the_lock);
    tcase_add_test(tc, a_second_dispatcher_is_refused_and_woken_when_the_first_is_done);
    tcase_add_test(tc, a_turn_that_leaves_a_wake_up_unread_does_not_return_0);
    tc = test_case(suite, "wait");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, wait_returns_when_a_source_ran);
    tcase_add_test(tc, wait_times_out);
    tcase_add_test(tc, the_longest_wait_does_not_overflow);
    tcase_add_test(tc, wait_until_checks_its_condition_before_it_dispatches);
    tcase_add_test(tc, wait_until_times_out_and_dispatches_meanwhile);
    tc = test_case(suite, "edges");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc,
                   an_edge_triggered_host_gets_all_jobs_and_deliveries_of_four_threads);
}

int
main(void)
{
    return test_main("loop-dispatch", add);
}
