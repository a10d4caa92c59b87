/* SPDX-License-Identifier: MIT
 *
 * dispatch.c - the turn, and the ways to run turns: dispatch, wait, wait_until, and a
 * thread of the library.
 *
 *   idle --become the dispatcher--> jobs -> epoll -> sources -> timers
 *        -> deliveries (user code, no lock) --step down--> idle
 *
 * Only one thread at a time is the dispatcher.  While another thread is the dispatcher,
 * mcph_core_dispatch() returns MCPHOST_E_BUSY, and the waits sleep (sleep.c).  Before a
 * thread sleeps, it may make a visit: it runs the jobs for a dispatcher that sleeps in
 * epoll, or for a driver that polls the core's fd.  A visitor counts as the dispatcher.
 * No other thread becomes the dispatcher until the visit ends.
 */
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop/core.h"

#define EVENTS_PER_TURN 64
#define JOB_ROUNDS      4
#define JOBS_PER_ROUND  128

static void
read_eventfd_locked(struct mcph_core *core)
{
    uint64_t count;

    (void)!read(core->evfd, &count, sizeof(count));
    core->woken = false;
}

/* Keeps for the next turn the jobs that one round did not run.  Does not return them to
 * the mailbox, where other threads write the links of jobs, because the owners of jobs of
 * mcph_core_post_later() read these links without the lock.  A turn that ends while jobs
 * are left has set `more`. */
static void
leave_rest(struct mcph_core *core, struct mcph_list *batch)
{
    mcph_core_lock(core);
    mcph_list_splice(&core->left, batch);
    mcph_core_unlock(core);
    core->more = true;
}

/* Moves, to the front of the mailbox, the jobs that an earlier turn did not run.  The
 * caller takes them from the mailbox before it releases the lock. */
static void
take_left_locked(struct mcph_core *core)
{
    mcph_list_splice(&core->left, &core->jobs);
    mcph_list_splice(&core->jobs, &core->left);
}

/* Runs at most JOBS_PER_ROUND jobs in their order, and leaves further jobs to the next
 * turn, because threads that post without a pause must not make a turn long.  Returns
 * false if jobs are left. */
static bool
run_round(struct mcph_core *core, struct mcph_list *batch)
{
    struct mcph_list *item;
    int allowed = JOBS_PER_ROUND;

    core->did = core->in_jobs = true;
    core->round_now = -1;
    for (item = mcph_list_take_first(batch); item; item = mcph_list_take_first(batch)) {
        struct mcph_job *job = MCPH_LIST_ENTRY(item, struct mcph_job, link);

        job->run(job);
        if (--allowed == 0)
            break;
    }
    core->in_jobs = false;
    if (!item || mcph_list_empty(batch))
        return true;
    leave_rest(core, batch);
    return false;
}

/* Runs the jobs, and releases the lock.  A job may post another job (for example, to
 * flush a connection).  Therefore the function makes up to JOB_ROUNDS rounds.  Each round
 * runs the jobs that were posted before the round.  If `in_turn` is true, another round
 * follows only if the dispatcher itself has posted a job: looking for jobs of other
 * threads would take the lock once more in each turn. */
static void
run_jobs_locked(struct mcph_core *core, bool in_turn)
{
    if (!mcph_list_empty(&core->left))
        take_left_locked(core);
    for (int round = 0; round < JOB_ROUNDS; round++) {
        struct mcph_list batch;

        mcph_list_init(&batch);
        core->posted = false;
        if (round > 0)
            mcph_core_lock(core);
        /* In a visit, do not read the eventfd, because the wake-up must end the sleep
         * of the dispatcher. */
        if (core->woken && !core->visited)
            read_eventfd_locked(core);
        mcph_list_splice(&batch, &core->jobs);
        mcph_core_unlock(core);
        if (mcph_list_empty(&batch) || !run_round(core, &batch))
            return;
        if (in_turn && !core->posted)
            return;
    }
}

/* Moves the jobs that earlier turns posted by mcph_core_post_later() to the mailbox. */
static void
take_later_locked(struct mcph_core *core)
{
    if (!mcph_list_empty(&core->later))
        mcph_list_splice(&core->jobs, &core->later);
}

static void
beat_if_due(struct mcph_core *core)
{
    if (!core->beat_due)
        return;
    core->beat_due = false;
    mcph_core_beat(core);
}

static void
run_batch(struct mcph_core *core, struct mcph_list *batch)
{
    struct mcph_list *item;

    core->did = true;
    for (item = mcph_list_take_first(batch); item; item = mcph_list_take_first(batch)) {
        struct mcph_delivery *d = MCPH_LIST_ENTRY(item, struct mcph_delivery, link);

        d->deliver(d);
        /* Wake sleepers now, because the callback of the next delivery may take long. */
        if (!mcph_list_empty(batch))
            beat_if_due(core);
    }
}

static void
run_deliveries(struct mcph_core *core)
{
    struct mcph_list batch;

    mcph_list_init(&batch);
    /* Check `delivered` without the lock.  step_down_locked() finds a delivery that
     * arrives after this check. */
    if (atomic_load_explicit(&core->delivered, memory_order_relaxed)) {
        mcph_core_lock(core);
        mcph_list_splice(&batch, &core->deliveries);
        core->delivered = false;
        mcph_core_unlock(core);
    }
    mcph_list_splice(&batch, &core->own);
    if (mcph_list_empty(&batch))
        return;
    run_batch(core, &batch);
    /* Run the deliveries that this batch has caused, such as the completion of a call
     * that a function of the application has just answered.  Do this only once. */
    if (mcph_list_empty(&core->own))
        return;
    mcph_list_splice(&batch, &core->own);
    run_batch(core, &batch);
}

/* Moves the deliveries that this thread has made as the dispatcher, and that no turn has
 * run, to the mailbox.  Call this when the thread stops being the dispatcher.  Its later
 * deliveries go to the mailbox, too, and then run after the earlier ones. */
static void
hand_over_own_locked(struct mcph_core *core)
{
    if (mcph_list_empty(&core->own))
        return;
    mcph_list_splice(&core->deliveries, &core->own);
    core->delivered = true;
}

/* Returns how long epoll may sleep, in ms.  Epoll may sleep even if jobs have run: after
 * a job has written a call, the turn waits in epoll for the result. */
static int
sleep_ms(struct mcph_core *core, int64_t timeout_ms)
{
    int64_t due = mcph_core_next_due(core), left;

    if (timeout_ms == 0)
        return 0;
    if (due != INT64_MAX) {
        left = due - mcph_core_now(core);
        if (left < 0)
            left = 0;
        if (timeout_ms < 0 || left < timeout_ms)
            timeout_ms = left;
    }
    return timeout_ms > 3600000 ? 3600000 : (int)timeout_ms;
}

/* Waits until the visit ends.  The wait takes no longer than running the jobs in this
 * thread, because a visitor only runs jobs. */
static void
await_visitor_locked(struct mcph_core *core)
{
    unsigned seen;

    while (core->visited) {
        seen = atomic_load(&core->beat);
        (void)atomic_exchange(&core->sleepers, true);
        mcph_core_sleep_locked(core, seen, -1);
    }
}

static int
poll_events(struct mcph_core *core, struct epoll_event *events, int64_t timeout_ms)
{
    /* Do not sleep if there are deliveries to run in this turn. */
    int ms = mcph_list_empty(&core->own) ? sleep_ms(core, timeout_ms) : 0, n;

    if (ms != 0) {
        mcph_core_lock(core);
        /* If this turn did work and another thread waits in mcphost_wait(), do not sleep,
         * because only the end of this turn ends that wait. */
        if (!mcph_core_has_mail_locked(core) && !core->woken && !core->notified &&
            !core->closed && !(core->did && core->n_waits > 0))
            core->blocked = true;
        else
            ms = 0;
        mcph_core_unlock(core);
    }
    beat_if_due(core);
    n = epoll_wait(core->epfd, events, EVENTS_PER_TURN, ms);
    if (n < 0)
        n = errno == EINTR ? 0 : MCPHOST_E_IO;
    if (ms != 0) {
        mcph_core_lock(core);
        await_visitor_locked(core);
        core->blocked = false;
        mcph_core_unlock(core);
    }
    return n;
}

/* Runs one turn.  Releases the lock.  Returns 0 or MCPHOST_E_IO. */
static int
turn_locked(struct mcph_core *core, int64_t timeout_ms)
{
    struct epoll_event events[EVENTS_PER_TURN];
    bool more = core->more;
    uint64_t count;
    int n;

    core->turns++;
    core->did = core->more = false;
    take_later_locked(core);
    run_jobs_locked(core, true);
    n = poll_events(core, events, more || core->more ? 0 : timeout_ms);
    if (n < 0)
        return n;
    if (n == EVENTS_PER_TURN)
        core->more = true;
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 == MCPH_TAG_EVENTFD) {
            mcph_core_lock(core);
            read_eventfd_locked(core); /* the next turn takes the posted work */
            mcph_core_unlock(core);
            continue;
        }
        if (events[i].data.u64 == MCPH_TAG_TIMERFD) {
            (void)!read(core->timerfd, &count, sizeof(count));
            core->armed = INT64_MAX;
            continue;
        }
        core->did = true;
        mcph_core_run_source(core, events[i].data.u64, events[i].events);
    }
    mcph_core_run_timers(core);
    run_deliveries(core);
    return 0;
}

/* Returns true if jobs or deliveries wait, including the jobs that a round has left.
 * Where `more` is checked, mcph_core_has_mail_locked() is enough. */
static bool
has_work_locked(const struct mcph_core *core)
{
    return !mcph_list_empty(&core->left) || mcph_core_has_mail_locked(core);
}

/* Makes this thread the dispatcher.  Returns 0, MCPHOST_E_BUSY or MCPHOST_E_CLOSED.  If a
 * notification comes after this call, the turn does not sleep.  No notification before
 * this call is missed, because the caller has held the lock since it checked its
 * predicate. */
static int
step_up_locked(struct mcph_core *core)
{
    await_visitor_locked(core);
    if (core->dispatching) {
        if (!pthread_equal(core->dispatcher, pthread_self()))
            core->refused = true;
        return MCPHOST_E_BUSY;
    }
    if (core->closed && !has_work_locked(core))
        return MCPHOST_E_CLOSED;
    core->dispatching = true;
    core->dispatcher = pthread_self();
    atomic_store_explicit(&core->self, (uintptr_t)core->dispatcher, memory_order_relaxed);
    core->notified = false;
    return 0;
}

static bool
is_own_thread_locked(const struct mcph_core *core)
{
    return core->thread_serves && pthread_equal(core->thread, pthread_self());
}

/* Ends the dispatching of this thread.  Returns true if there is more to do.  If the
 * application has the core's fd, this fd is then readable.  An unread wake-up of this
 * turn counts as more to do, because an application that polls edge-triggered would
 * miss the next wake-up.  The fd also becomes readable if another thread tried to
 * dispatch during this turn and was refused: the event that had woken this other thread
 * may need another turn. */
static bool
step_down_locked(struct mcph_core *core)
{
    bool more = core->more || core->closed || mcph_core_has_mail_locked(core);

    hand_over_own_locked(core);
    core->dispatching = false;
    atomic_store_explicit(&core->self, 0, memory_order_relaxed);
    if (more || core->refused)
        mcph_core_wake_locked(core);
    core->refused = false;
    core->active_turns += core->did;
    /* Wake sleepers, except in two cases.  The library's thread dispatches again at once,
     * and wakes sleepers only for a notification, or before it sleeps if a thread is in
     * mcphost_wait() and a turn did work.  A driver dispatches again, too, and an idle
     * turn has changed nothing for the sleepers.  If a driver's turn did work,
     * mcphost_wait() in another thread must notice the turn.  After a turn of any other
     * thread, a sleeper becomes the dispatcher. */
    if (is_own_thread_locked(core) ? core->did && core->n_waits > 0
                                   : core->did || !core->driven)
        core->beat_due = true;
    return more || core->woken;
}

/* Runs one turn, then ends the dispatching of this thread and wakes sleepers if this is
 * due.  *ret_did tells whether the turn did work.  Returns 1 if there is more to do, 0
 * if not, or an error. */
static int
turn_and_step_down_locked(struct mcph_core *core, int64_t timeout_ms, bool *ret_did)
{
    bool more;
    int r = turn_locked(core, timeout_ms);

    mcph_core_lock(core);
    if (core->exposed && r == 0)
        mcph_core_arm(core);
    *ret_did = core->did;
    more = step_down_locked(core);
    if (core->beat_due && !is_own_thread_locked(core)) {
        core->beat_due = false;
        /* Release the lock before sleepers wake, because otherwise each sleeper would
         * at once wait for the lock. */
        if (atomic_exchange(&core->sleepers, false)) {
            mcph_core_unlock(core);
            mcph_core_wake_sleepers(core);
            mcph_core_lock(core);
        }
    }
    return r < 0 ? r : more;
}

/* Takes the lock for a thread that is about to dispatch.  Returns 0 or
 * MCPHOST_E_FORKED. */
static int
enter_first(struct mcph_core *core)
{
    if (mcph_core_forked(core))
        return MCPHOST_E_FORKED;
    if (pthread_mutex_trylock(&core->lock) != 0)
        mcph_core_lock_first(core);
    return 0;
}

int
mcph_core_dispatch(struct mcph_core *core)
{
    bool did;
    int r = enter_first(core);

    if (r < 0)
        return r;
    core->driver = pthread_self();
    r = step_up_locked(core);
    if (r == 0)
        r = turn_and_step_down_locked(core, 0, &did);
    mcph_core_leave(core);
    return r;
}

/* Returns the time left until `deadline` in ms, or -1 if `deadline` is -1 (no limit). */
static int64_t
time_left(int64_t deadline)
{
    int64_t left;

    if (deadline < 0)
        return -1;
    left = deadline - mcph_clock_monotonic_ms();
    return left > 0 ? left : 0;
}

/* Returns the deadline of a timeout, or -1 (no limit) if the timeout is negative or so
 * long that the clock never reaches the deadline. */
static int64_t
deadline_of(int64_t timeout_ms)
{
    if (timeout_ms < 0 || timeout_ms > INT64_MAX / 2)
        return -1;
    return mcph_clock_monotonic_ms() + timeout_ms;
}

static bool
is_dispatcher_locked(const struct mcph_core *core)
{
    return core->dispatching && pthread_equal(core->dispatcher, pthread_self());
}

/* Returns true if another thread dispatches for this thread.  While the library's own
 * thread runs, the library's thread dispatches.  Otherwise, if the application drives the
 * core, the driver dispatches.  All other threads only wait. */
static inline bool
is_served_locked(const struct mcph_core *core)
{
    return (core->thread_serves && !is_own_thread_locked(core)) ||
           (core->driven && !pthread_equal(core->driver, pthread_self()));
}

/* Returns true if this thread, which waits, leaves the next turn to another thread. */
static inline bool
must_sleep_locked(const struct mcph_core *core)
{
    return !is_dispatcher_locked(core) && (core->dispatching || is_served_locked(core));
}

/* The state of a waiting thread.  `deadline` is a time of the monotonic clock in ms.
 * `left` is the time until the deadline in ms.  In both, -1 means no limit.  `again` is
 * true from the second check on.  `last` is true when the time is up. */
struct wait {
    int64_t deadline, left;
    unsigned begun; /* the value of core->interrupts_taken when the wait began */
    bool wakeable;
    bool again, last;
};

static struct wait
begin_wait_locked(const struct mcph_core *core, int64_t timeout_ms, bool wakeable)
{
    int64_t deadline = deadline_of(timeout_ms);

    return (struct wait){.deadline = deadline,
                         .left = deadline < 0 ? -1 : timeout_ms,
                         .begun = core->interrupts_taken,
                         .wakeable = wakeable};
}

/* Returns true if the wait ends without success.  *ret is then the result of the wait. */
static inline bool
is_over_locked(struct mcph_core *core, struct wait *w, int *ret)
{
    if (w->wakeable && mcph_core_interrupted_locked(core, w->begun)) {
        *ret = core->deserted ? MCPHOST_E_CLOSED : MCPHOST_E_WOKEN;
        return true;
    }
    /* Do not read the clock at the first check, because this check does not need the
     * time. */
    if (w->again) {
        w->left = time_left(w->deadline);
        w->last = w->last || w->left == 0;
    }
    w->again = true;
    *ret = 0;
    return w->last;
}

static int
whole_turn_locked(struct mcph_core *core, int64_t timeout_ms, bool *ret_did)
{
    int r = step_up_locked(core);

    if (r < 0)
        return r;
    r = turn_and_step_down_locked(core, timeout_ms, ret_did);
    if (mcph_core_logs(core)) {
        mcph_core_leave(core);
        mcph_core_lock(core);
    }
    return r;
}

int
mcph_core_wait(struct mcph_core *core, int64_t timeout_ms)
{
    struct wait w;
    uint64_t active;
    unsigned seen;
    bool did = false;
    int r = enter_first(core);

    if (r < 0)
        return r;
    w = begin_wait_locked(core, timeout_ms, true);
    active = core->active_turns;
    for (;;) {
        seen = atomic_load(&core->beat);
        if (is_over_locked(core, &w, &r))
            break;
        if (must_sleep_locked(core)) {
            (void)atomic_exchange(&core->sleepers, true);
            /* Do not report a closed core while a thread dispatches, because the last
             * delivery may be under way. */
            r = core->closed && !core->dispatching ? MCPHOST_E_CLOSED
                                                   : core->active_turns != active;
            if (r != 0)
                break;
            core->n_waits++;
            w.last = !mcph_core_sleep_locked(core, seen, w.deadline);
            core->n_waits--;
            continue;
        }
        r = whole_turn_locked(core, w.left, &did);
        if (r < 0 || did) {
            r = r < 0 ? r : 1;
            break;
        }
    }
    /* The time may run out in the same sleep in which another thread's turn did
     * work. */
    if (r == 0 && core->active_turns != active)
        r = 1;
    mcph_core_unlock(core);
    return r;
}

static int
wait_until(struct mcph_core *core, bool (*pred)(void *arg), void *arg, int64_t timeout_ms,
           bool wakeable)
{
    struct wait w;
    unsigned seen;
    bool did;
    int r = enter_first(core);

    if (r < 0)
        return r;
    w = begin_wait_locked(core, timeout_ms, wakeable);
    for (;;) {
        seen = atomic_load(&core->beat);
        if (pred(arg)) {
            r = 1;
            break;
        }
        if (is_over_locked(core, &w, &r))
            break;
        if (is_dispatcher_locked(core)) {
            r = MCPHOST_E_BUSY;
            break;
        }
        if (must_sleep_locked(core)) {
            /* Set `sleepers`, then check the predicate.  Another thread changes the
             * state, then checks `sleepers`.  At least one of the two threads sees the
             * other thread's change, because both threads exchange `sleepers`
             * atomically. */
            (void)atomic_exchange(&core->sleepers, true);
            if (!pred(arg))
                w.last = !mcph_core_sleep_locked(core, seen, w.deadline);
            continue;
        }
        r = whole_turn_locked(core, w.left, &did);
        if (r < 0)
            break;
    }
    mcph_core_leave(core);
    return r;
}

int
mcph_core_wait_until(struct mcph_core *core, bool (*pred)(void *arg), void *arg,
                     int64_t timeout_ms)
{
    return wait_until(core, pred, arg, timeout_ms, true);
}

/* ---- running jobs for a dispatcher that sleeps ------------------------------------- */

/* Runs the jobs in place of the dispatcher.  Then sets the timerfd, wakes the dispatcher
 * if work is left for the next turn, and wakes the sleepers. */
static void
visit_locked(struct mcph_core *core)
{
    bool was = core->dispatching;
    pthread_t dispatcher = core->dispatcher;

    core->visited = core->dispatching = true;
    core->blocked = false;
    core->dispatcher = pthread_self();
    atomic_store_explicit(&core->self, (uintptr_t)core->dispatcher, memory_order_relaxed);
    run_jobs_locked(core, true);
    mcph_core_arm(core);
    mcph_core_lock(core);
    hand_over_own_locked(core);
    core->visited = false;
    core->dispatching = core->blocked = was;
    core->dispatcher = dispatcher;
    atomic_store_explicit(&core->self, was ? (uintptr_t)dispatcher : 0,
                          memory_order_relaxed);
    if (core->more || mcph_core_has_mail_locked(core))
        mcph_core_wake_locked(core);
    mcph_core_beat(core);
}

void
mcph_core_submit_locked(struct mcph_core *core, struct mcph_job *job)
{
    bool asleep = core->dispatching ? core->blocked : core->driven;

    if (!asleep || core->visited || core->woken || !is_served_locked(core)) {
        mcph_core_post_locked(core, job);
        return;
    }
    mcph_list_append(&core->jobs, &job->link);
    visit_locked(core);
}

int
mcph_core_set_driven(struct mcph_core *core, bool driven)
{
    int r = mcph_core_enter_closed(core);

    if (r < 0)
        return r;
    if (driven && core->thread_running) {
        r = MCPHOST_E_STATE;
    } else {
        if (driven && !core->driven)
            core->driver = pthread_self();
        core->driven = driven;
        mcph_core_notify_locked(core);
    }
    mcph_core_leave(core);
    return r;
}

static void
drain_mailboxes(struct mcph_core *core, bool last)
{
    bool mail;

    if (mcph_core_forked(core))
        return;
    mcph_core_lock(core);
    take_later_locked(core);
    do {
        run_jobs_locked(core, false);
        run_deliveries(core);
        mcph_core_lock(core);
        mail = has_work_locked(core);
        core->over |= last && !mail;
    } while (mail);
    mcph_core_unlock(core);
    mcph_core_flush_log(core);
}

void
mcph_core_drain(struct mcph_core *core)
{
    drain_mailboxes(core, false);
}

void
mcph_core_drain_last(struct mcph_core *core)
{
    drain_mailboxes(core, true);
}

/* ---- the library's own thread ------------------------------------------------------ */

static bool
must_stop(void *arg)
{
    const struct mcph_core *core = arg;

    return core->thread_stop;
}

/* Runs turns until the thread must stop, the core is closed or epoll fails.  Sleeps while
 * another thread dispatches. */
static void *
thread_main(void *arg)
{
    struct mcph_core *core = arg;

    wait_until(core, must_stop, core, -1, false);
    mcph_core_lock(core);
    core->thread_serves = false;
    mcph_core_notify_locked(core);
    mcph_core_unlock(core);
    mcph_core_unref(core);
    return NULL;
}

int
mcph_core_thread_start(struct mcph_core *core)
{
    sigset_t all, old;
    int r = mcph_core_enter(core), e;

    if (r < 0)
        return r;
    if (core->thread_running || core->driven) {
        mcph_core_leave(core);
        return MCPHOST_E_STATE;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    mcph_core_ref(core);
    core->thread_stop = false;
    e = pthread_create(&core->thread, NULL, thread_main, core);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    core->thread_running = core->thread_serves = e == 0;
    mcph_core_leave(core);
    if (e) {
        mcph_core_unref(core);
        return MCPHOST_E_LIMIT;
    }
    return 0;
}

int
mcph_core_thread_stop(struct mcph_core *core)
{
    int r = mcph_core_enter_closed(core);

    if (r < 0)
        return r;
    if (!core->thread_running || core->thread_stop) {
        r = MCPHOST_E_STATE;
    } else if (pthread_equal(core->thread, pthread_self())) {
        r = MCPHOST_E_BUSY;
    } else {
        core->thread_stop = true;
        mcph_core_notify_locked(core);
    }
    mcph_core_leave(core);
    if (r < 0)
        return r;
    pthread_join(core->thread, NULL);
    /* Allow mcph_core_thread_start() to start another thread. */
    mcph_core_lock(core);
    core->thread_running = false;
    mcph_core_unlock(core);
    return 0;
}

bool
mcph_core_thread_is_current(struct mcph_core *core)
{
    bool is;

    if (mcph_core_enter_closed(core) < 0)
        return false;
    is = is_own_thread_locked(core);
    mcph_core_unlock(core);
    return is;
}
