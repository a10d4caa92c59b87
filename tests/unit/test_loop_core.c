/* SPDX-License-Identifier: MIT
 *
 * test_loop_core.c - the core: its lifetime, posted jobs, deliveries, wake-ups, close,
 * and the limits of a forked child.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

static bool
readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

/* A note has a job and a delivery.  The job and the delivery append the note's mark to
 * `order` when they run. */
static char order[64];
static size_t norder;

struct note {
    struct mcph_job job;
    struct mcph_delivery delivery;
    char mark;
    struct note *then; /* the note that the job posts, or NULL */
    bool again;        /* the job posts itself for the next turn */
    bool deliver;      /* the job delivers the note */
    struct note *next; /* the note that the delivery delivers, or NULL */
};

static void
run_delivery(struct mcph_delivery *delivery)
{
    struct note *n = MCPH_CONTAINER_OF(delivery, struct note, delivery);

    order[norder++] = n->mark;
    if (n->next)
        mcph_core_deliver(core, &n->next->delivery);
}

static void
run_note(struct mcph_job *job)
{
    struct note *n = MCPH_CONTAINER_OF(job, struct note, job);

    order[norder++] = n->mark;
    if (n->deliver)
        mcph_core_deliver(core, &n->delivery);
    if (n->then)
        mcph_core_post(core, &n->then->job);
    if (n->again)
        mcph_core_post_later(core, &n->job);
}

static struct note
note(char mark)
{
    return (struct note){
        .job.run = run_note, .delivery.deliver = run_delivery, .mark = mark};
}

static void
notes_up(void)
{
    norder = 0;
    up();
}

static void
ran(const char *want)
{
    order[norder] = '\0';
    ck_assert_str_eq(order, want);
}

START_TEST(the_fd_is_constant_and_close_on_exec)
{
    int fd = mcph_core_get_fd(core);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    mcph_core_dispatch(core);
    ck_assert_int_eq(mcph_core_get_fd(core), fd);
}
END_TEST

START_TEST(every_descriptor_of_the_core_is_close_on_exec_and_closed_with_it)
{
    int fds[3] = {core->epfd, core->evfd, core->timerfd};

    for (int i = 0; i < 3; i++)
        ck_assert_int_ne(fcntl(fds[i], F_GETFD) & FD_CLOEXEC, 0);
    mcph_core_ref(core);
    mcph_core_unref(core);
    ck_assert_int_ge(fcntl(fds[0], F_GETFD), 0);
    core = mcph_core_unref(core);
    for (int i = 0; i < 3; i++)
        ck_assert_int_lt(fcntl(fds[i], F_GETFD), 0);
}
END_TEST

/* A core needs three descriptors.  If fewer descriptors are free, mcph_core_new() fails
 * and leaves no descriptor open. */
START_TEST(without_enough_descriptors_a_new_core_fails_and_leaves_none_open)
{
    int next = fcntl(0, F_DUPFD_CLOEXEC, 3);

    ck_assert_int_ge(next, 0);
    close(next);
    for (int spare = 0; spare < 3; spare++) {
        struct rlimit old, low;
        struct mcph_core *none = NULL;
        mcphost_error *err = NULL;
        int r, again;

        ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
        low = old;
        low.rlim_cur = (rlim_t)(next + spare);
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
        r = mcph_core_new(&none, &err);
        setrlimit(RLIMIT_NOFILE, &old);
        ck_assert_int_eq(r, MCPHOST_E_LIMIT);
        ck_assert_ptr_null(none);
        ck_assert_int_eq(mcphost_error_get_errno(err), EMFILE);
        mcphost_error_unref(err);
        again = fcntl(0, F_DUPFD_CLOEXEC, 3);
        ck_assert_int_eq(again, next);
        close(again);
    }
}
END_TEST

START_TEST(the_descriptor_of_an_idle_core_is_not_readable)
{
    int fd = mcph_core_get_fd(core);

    while (mcph_core_dispatch(core) > 0)
        ;
    ck_assert(!readable(fd));
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
}
END_TEST

START_TEST(jobs_run_in_the_order_of_their_posting)
{
    struct note a = note('a'), b = note('b'), c = note('c');

    mcph_core_post(core, &a.job);
    mcph_core_post(core, &b.job);
    mcph_core_post(core, &c.job);
    ran("");
    mcph_core_dispatch(core);
    ran("abc");
}
END_TEST

START_TEST(deliveries_run_after_the_jobs_that_made_them)
{
    struct note a = note('a'), b = note('b');

    a.deliver = true;
    mcph_core_post(core, &a.job);
    mcph_core_post(core, &b.job);
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
    ran("aba");
}
END_TEST

/* The first turn runs `a`, and then `b`, which `a` has made.  The first turn leaves
 * `c`, which `b` has made, to the next turn. */
START_TEST(a_delivery_that_a_turn_leaves_runs_before_later_ones_of_the_thread)
{
    struct note a = note('a'), b = note('b'), c = note('c'), d = note('d');

    a.next = &b;
    b.next = &c;
    mcph_core_deliver(core, &a.delivery);
    ck_assert_int_eq(mcph_core_dispatch(core), 1);
    ran("ab");
    mcph_core_deliver(core, &d.delivery);
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
    ran("abcd");
}
END_TEST

static void *
visit_and_deliver(void *arg)
{
    struct note *notes = arg;

    ck_assert_int_eq(mcph_core_enter(core), 0);
    mcph_core_submit_locked(core, &notes[0].job);
    mcph_core_leave(core);
    mcph_core_deliver(core, &notes[1].delivery);
    return NULL;
}

START_TEST(a_delivery_of_a_visit_runs_before_later_ones_of_the_visitor)
{
    struct note notes[] = {note('a'), note('b')};
    pthread_t thread;

    notes[0].deliver = true;
    ck_assert_int_eq(mcph_core_set_driven(core, true), 0);
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
    pthread_create(&thread, NULL, visit_and_deliver, notes);
    pthread_join(thread, NULL);
    ran("a"); /* the job has run */
    mcph_core_dispatch(core);
    ran("aab");
}
END_TEST

START_TEST(a_job_posted_by_a_job_runs_in_the_same_turn)
{
    struct note a = note('a'), b = note('b');

    a.then = &b;
    mcph_core_post(core, &a.job);
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
    ran("ab");
}
END_TEST

START_TEST(a_job_that_always_posts_itself_does_not_keep_a_turn_going)
{
    struct note a = note('a');
    int fd = mcph_core_get_fd(core);

    a.then = &a;
    mcph_core_post(core, &a.job);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert_uint_lt(norder, 10);
    ck_assert(readable(fd));
    a.then = NULL;
    while (mcph_core_dispatch(core) > 0)
        ;
    ck_assert(!readable(fd));
}
END_TEST

START_TEST(a_posted_job_that_is_removed_does_not_run)
{
    struct note a = note('a'), b = note('b');

    mcph_core_post(core, &a.job);
    mcph_core_post(core, &b.job);
    mcph_list_remove(&a.job.link);
    mcph_core_dispatch(core);
    ran("b");
}
END_TEST

START_TEST(a_drain_runs_posted_jobs_and_deliveries_without_a_dispatcher)
{
    struct note a = note('a'), b = note('b');

    a.deliver = true;
    a.then = &b;
    mcph_core_post(core, &a.job);
    mcph_core_drain(core);
    ran("aba");
}
END_TEST

START_TEST(a_job_for_later_runs_once_a_turn_and_keeps_the_loop_awake)
{
    struct note a = note('a'), b = note('b');

    a.again = true;
    a.then = &b;
    mcph_core_post(core, &a.job);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(mcph_core_dispatch(core), 1);
    ran("ababab");
    a.again = false;
    ck_assert_int_eq(mcph_core_dispatch(core), 0);
    ran("abababab");
}
END_TEST

START_TEST(a_drain_runs_a_job_for_later_once)
{
    struct note a = note('a');

    a.again = true;
    mcph_core_post(core, &a.job);
    mcph_core_drain(core);
    mcph_core_drain(core);
    ran("aa");
    mcph_core_unpost(core, &a.job);
    mcph_core_drain(core);
    ran("aa");
}
END_TEST

/* A program that only calls wait functions needs no system calls for wake-ups. */
START_TEST(without_a_poller_a_post_does_not_write_the_eventfd)
{
    struct note a = note('a'), b = note('b');

    mcph_core_post(core, &a.job);
    mcph_core_deliver(core, &b.delivery);
    ck_assert(!readable(core->evfd));
    ck_assert_int_eq(mcph_core_wait(core, 0), 1);
    ran("ab");
}
END_TEST

START_TEST(a_burst_of_posts_writes_the_eventfd_once)
{
    struct note notes[5];
    uint64_t count = 0;

    mcph_core_get_fd(core);
    while (mcph_core_dispatch(core) > 0)
        ;
    for (int i = 0; i < 5; i++) {
        notes[i] = note('x');
        mcph_core_post(core, &notes[i].job);
    }
    ck_assert(readable(mcph_core_get_fd(core)));
    ck_assert_int_eq(read(core->evfd, &count, sizeof(count)), sizeof(count));
    ck_assert_uint_eq(count, 1);
}
END_TEST

START_TEST(a_job_posted_before_get_fd_makes_the_descriptor_readable)
{
    struct note a = note('a');
    int fd;

    mcph_core_post(core, &a.job);
    fd = mcph_core_get_fd(core);
    ck_assert(readable(fd));
    while (mcph_core_dispatch(core) > 0)
        ;
    ran("a");
    ck_assert(!readable(fd));
}
END_TEST

START_TEST(a_delivery_outside_a_turn_makes_the_fd_readable)
{
    struct note a = note('a');
    int fd = mcph_core_get_fd(core);

    while (mcph_core_dispatch(core) > 0)
        ;
    mcph_core_deliver(core, &a.delivery);
    ck_assert(readable(fd));
    while (mcph_core_dispatch(core) > 0)
        ;
    ran("a");
}
END_TEST

START_TEST(enter_and_leave_hold_the_lock_between_them)
{
    ck_assert_int_eq(mcph_core_enter(core), 0);
    ck_assert_int_eq(pthread_mutex_trylock(&core->lock), EBUSY);
    mcph_core_leave(core);
    ck_assert_int_eq(pthread_mutex_trylock(&core->lock), 0);
    pthread_mutex_unlock(&core->lock);
}
END_TEST

/* ---- close ------------------------------------------------------------------------- */

START_TEST(functions_of_a_closed_core_return_e_closed)
{
    mcph_core_set_closed(core);
    ck_assert_int_eq(mcph_core_enter(core), MCPHOST_E_CLOSED);
    ck_assert_int_eq(pthread_mutex_trylock(&core->lock), 0);
    pthread_mutex_unlock(&core->lock);
    ck_assert_int_eq(mcph_core_enter_closed(core), 0);
    mcph_core_leave(core);
    ck_assert_int_eq(mcph_core_dispatch(core), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcph_core_wait(core, -1), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcph_core_thread_start(core), MCPHOST_E_CLOSED);
}
END_TEST

START_TEST(jobs_posted_before_the_close_still_run)
{
    struct note a = note('a');

    a.deliver = true;
    mcph_core_post(core, &a.job);
    mcph_core_set_closed(core);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ran("aa");
    ck_assert_int_eq(mcph_core_dispatch(core), MCPHOST_E_CLOSED);
}
END_TEST

static void
close_job(struct mcph_job *job)
{
    (void)job;
    mcph_core_set_closed(core);
}

/* The application's loop dispatches only when the descriptor is readable.  The
 * descriptor stays readable, because the loop must dispatch once more to get
 * MCPHOST_E_CLOSED. */
START_TEST(the_fd_stays_readable_until_a_dispatch_has_returned_e_closed)
{
    struct mcph_job job = {.run = close_job};
    int fd = mcph_core_get_fd(core);

    while (mcph_core_dispatch(core) > 0)
        ;
    mcph_core_post(core, &job);
    ck_assert_int_gt(mcph_core_dispatch(core), 0);
    ck_assert(readable(fd));
    ck_assert_int_eq(mcph_core_dispatch(core), MCPHOST_E_CLOSED);
}
END_TEST

START_TEST(a_wait_on_a_closed_core_with_posted_jobs_does_not_sleep)
{
    struct note a = note('a');
    int64_t start = mcph_clock_monotonic_ms();

    mcph_core_post(core, &a.job);
    mcph_core_set_closed(core);
    ck_assert_int_eq(mcph_core_wait(core, 3000), 1);
    ck_assert_int_eq(mcph_core_wait(core, 3000), MCPHOST_E_CLOSED);
    ck_assert(mcph_clock_monotonic_ms() - start < 1000);
}
END_TEST

/* ---- fork -------------------------------------------------------------------------- */

static bool
never(void *arg)
{
    (void)arg;
    return false;
}

static void
ignore_ready(struct mcph_source *source, uint32_t events)
{
    (void)source;
    (void)events;
}

/* Calls the functions of the core in a forked child.  Returns the number of the first
 * function with a wrong result, or 0. */
static int
child_answers(struct mcph_source *source, int spare_fd)
{
    struct mcph_source other;

    mcph_source_init(&other, core, ignore_ready);
    if (mcph_core_get_fd(core) != MCPHOST_E_FORKED)
        return 1;
    if (mcph_core_dispatch(core) != MCPHOST_E_FORKED)
        return 2;
    if (mcph_core_wait(core, 0) != MCPHOST_E_FORKED)
        return 3;
    if (mcph_core_wait_until(core, never, NULL, 0) != MCPHOST_E_FORKED)
        return 4;
    if (mcph_core_thread_start(core) != MCPHOST_E_FORKED)
        return 5;
    if (mcph_core_thread_stop(core) != MCPHOST_E_FORKED)
        return 6;
    if (mcph_core_enter(core) != MCPHOST_E_FORKED)
        return 7;
    if (mcph_core_enter_closed(core) != MCPHOST_E_FORKED)
        return 8;
    if (mcph_core_set_log(core, MCPHOST_LOG_DEBUG, NULL, NULL, NULL) != MCPHOST_E_FORKED)
        return 9;
    if (mcph_source_add(&other, spare_fd, EPOLLIN) != MCPHOST_E_FORKED)
        return 10;
    if (mcph_source_set(source, EPOLLOUT) != MCPHOST_E_FORKED)
        return 11;
    if (mcph_core_is_dispatcher(core))
        return 12;
    mcph_core_drain(core);
    mcph_source_remove(source);
    mcph_core_unref(core);
    return 0;
}

static int ready_count;

static void
count_ready(struct mcph_source *source, uint32_t events)
{
    char c;

    (void)events;
    ready_count++;
    ck_assert_int_eq(read(source->fd, &c, 1), 1);
}

static int
exit_status(pid_t pid)
{
    int status;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* The child must not use EPOLL_CTL_DEL, because that operation would end the parent's
 * watch of the descriptor. */
START_TEST(in_a_forked_child_functions_return_e_forked_and_the_parent_is_unharmed)
{
    struct mcph_source source;
    int fds[2];
    pid_t pid;

    ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
    mcph_source_init(&source, core, count_ready);
    ck_assert_int_eq(mcph_source_add(&source, fds[0], EPOLLIN), 0);
    /* The parent forks with the lock held, as if another thread of the parent held the
     * lock.  The child must not wait for the lock. */
    mcph_core_lock(core);
    pid = fork();
    if (pid == 0)
        _exit(child_answers(&source, fds[1]));
    mcph_core_unlock(core);
    ck_assert_int_eq(exit_status(pid), 0);
    ready_count = 0;
    ck_assert_int_eq(write(fds[1], "x", 1), 1);
    ck_assert_int_eq(mcph_core_wait(core, 2000), 1);
    ck_assert_int_eq(ready_count, 1);
    mcph_source_remove(&source);
    close(fds[0]);
    close(fds[1]);
}
END_TEST

static bool
is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

START_TEST(a_forked_child_closes_the_core_and_the_held_descriptors_only)
{
    int fds[2], far, near_end, loop = mcph_core_get_fd(core);
    pid_t pid;

    ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
    far = fcntl(fds[0], F_DUPFD_CLOEXEC, 5000); /* a high number, in another part of
                                                 * the core's table */
    near_end = fcntl(fds[0], F_DUPFD_CLOEXEC, 3);
    ck_assert_int_ge(near_end, 3);
    mcph_core_hold_fd(core, fds[0]);
    mcph_core_hold_fd(core, fds[1]);
    mcph_core_hold_fd(core, far);
    mcph_core_hold_fd(core, -1);
    mcph_core_drop_fd(core, fds[1]);
    pid = fork();
    if (pid == 0) {
        mcph_core_leave_parent(core);
        _exit(is_open(fds[0]) + 2 * is_open(loop) + 4 * is_open(far) +
              8 * !is_open(fds[1]) + 16 * !is_open(near_end));
    }
    ck_assert_int_eq(exit_status(pid), 0);
    for (int i = 0; i < 2; i++)
        close(fds[i]);
    close(near_end);
    if (far >= 0)
        close(far);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "core");

    tcase_add_checked_fixture(tc, notes_up, down);
    tcase_add_test(tc, the_fd_is_constant_and_close_on_exec);
    tcase_add_test(tc, every_descriptor_of_the_core_is_close_on_exec_and_closed_with_it);
    tcase_add_test(tc, without_enough_descriptors_a_new_core_fails_and_leaves_none_open);
    tcase_add_test(tc, the_descriptor_of_an_idle_core_is_not_readable);
    tcase_add_test(tc, jobs_run_in_the_order_of_their_posting);
    tcase_add_test(tc, deliveries_run_after_the_jobs_that_made_them);
    tcase_add_test(tc,
                   a_delivery_that_a_turn_leaves_runs_before_later_ones_of_the_thread);
    tcase_add_test(tc, a_delivery_of_a_visit_runs_before_later_ones_of_the_visitor);
    tcase_add_test(tc, a_job_posted_by_a_job_runs_in_the_same_turn);
    tcase_add_test(tc, a_job_that_always_posts_itself_does_not_keep_a_turn_going);
    tcase_add_test(tc, a_posted_job_that_is_removed_does_not_run);
    tcase_add_test(tc, a_drain_runs_posted_jobs_and_deliveries_without_a_dispatcher);
    tcase_add_test(tc, a_job_for_later_runs_once_a_turn_and_keeps_the_loop_awake);
    tcase_add_test(tc, a_drain_runs_a_job_for_later_once);
    tcase_add_test(tc, without_a_poller_a_post_does_not_write_the_eventfd);
    tcase_add_test(tc, a_burst_of_posts_writes_the_eventfd_once);
    tcase_add_test(tc, a_job_posted_before_get_fd_makes_the_descriptor_readable);
    tcase_add_test(tc, a_delivery_outside_a_turn_makes_the_fd_readable);
    tcase_add_test(tc, enter_and_leave_hold_the_lock_between_them);
    tc = test_case(suite, "close");
    tcase_add_checked_fixture(tc, notes_up, down);
    tcase_add_test(tc, functions_of_a_closed_core_return_e_closed);
    tcase_add_test(tc, jobs_posted_before_the_close_still_run);
    tcase_add_test(tc, the_fd_stays_readable_until_a_dispatch_has_returned_e_closed);
    tcase_add_test(tc, a_wait_on_a_closed_core_with_posted_jobs_does_not_sleep);
    tc = test_case(suite, "fork");
    tcase_add_checked_fixture(tc, notes_up, down);
    tcase_add_test(
        tc, in_a_forked_child_functions_return_e_forked_and_the_parent_is_unharmed);
    tcase_add_test(tc, a_forked_child_closes_the_core_and_the_held_descriptors_only);
}

int
main(void)
{
    return test_main("loop-core", add);
}
