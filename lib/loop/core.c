/* SPDX-License-Identifier: MIT
 *
 * core.c - creation and end of the core, its lock, its mailboxes and its wake-ups.
 *
 * mcph_core_wake_locked() writes the eventfd only if a thread may be sleeping on it:
 * when the application polls the core's fd, or when a wait function of the library
 * sleeps in epoll.  If a program with one thread, which has not fetched the core's fd,
 * starts a call and then waits for the call in a wait function, there is no write.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "loop/core.h"

static int64_t
real_now(void *arg)
{
    (void)arg;
    return mcph_clock_monotonic_ms();
}

static int
add_to_epoll(int epfd, int fd, uint64_t tag)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.u64 = tag};

    return epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &ev);
}

static int
open_fds(struct mcph_core *core, mcphost_error **reterr)
{
    core->epfd = mcph_fd_high(epoll_create1(EPOLL_CLOEXEC));
    if (core->epfd < 0)
        return mcph_err_os(reterr, errno, "cannot create an epoll instance");
    core->evfd = mcph_fd_high(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (core->evfd < 0)
        return mcph_err_os(reterr, errno, "cannot create an eventfd");
    core->timerfd =
        mcph_fd_high(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (core->timerfd < 0)
        return mcph_err_os(reterr, errno, "cannot create a timerfd");
    if (add_to_epoll(core->epfd, core->evfd, MCPH_TAG_EVENTFD) < 0 ||
        add_to_epoll(core->epfd, core->timerfd, MCPH_TAG_TIMERFD) < 0)
        return mcph_err_os(reterr, errno, "cannot watch the loop's own descriptors");
    return 0;
}

static void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void
mcph_core_close_fds(struct mcph_core *core)
{
    mcph_core_lock(core);
    close_fd(&core->epfd);
    close_fd(&core->evfd);
    close_fd(&core->timerfd);
    mcph_core_unlock(core);
}

/* ---- descriptors that a forked child closes ---------------------------------------- */

#define HELD_BITS (MCPH_HELD_WORDS * 64)

static struct mcph_core_held *
next_held(struct mcph_core_held *held)
{
    struct mcph_core_held *next = atomic_load(&held->next);

    if (!next) {
        next = calloc(1, sizeof(*next));
        atomic_store(&held->next, next);
    }
    return next;
}

static void
set_held(struct mcph_core *core, int fd, bool on)
{
    struct mcph_core_held *held = &core->held;
    _Atomic uint64_t *word;
    uint64_t bit;
    int at = fd;

    for (; fd >= 0 && held && at >= HELD_BITS; at -= HELD_BITS)
        held = on ? next_held(held) : atomic_load(&held->next);
    if (fd < 0 || !held)
        return;
    word = &held->words[at / 64];
    bit = UINT64_C(1) << at % 64;
    atomic_store(word, on ? atomic_load(word) | bit : atomic_load(word) & ~bit);
}

void
mcph_core_hold_fd(struct mcph_core *core, int fd)
{
    set_held(core, fd, true);
}

void
mcph_core_drop_fd(struct mcph_core *core, int fd)
{
    set_held(core, fd, false);
}

void
mcph_core_leave_parent(struct mcph_core *core)
{
    struct mcph_core_held *held = &core->held;

    for (int base = 0; held; base += HELD_BITS, held = atomic_load(&held->next))
        for (int at = 0; at < HELD_BITS; at++)
            if (atomic_load(&held->words[at / 64]) & UINT64_C(1) << at % 64)
                close(base + at);
    mcph_core_close_fds(core);
}

static void
free_held(struct mcph_core *core)
{
    struct mcph_core_held *held = atomic_load(&core->held.next), *next;

    for (; held; held = next) {
        next = atomic_load(&held->next);
        free(held);
    }
}

static int
init_locks(struct mcph_core *core)
{
    if (pthread_mutex_init(&core->lock, NULL))
        return -1;
    if (pthread_mutex_init(&core->gate, NULL))
        goto no_gate;
    if (pthread_mutex_init(&core->log_lock, NULL))
        goto no_log_lock;
    return 0;
no_log_lock:
    pthread_mutex_destroy(&core->gate);
no_gate:
    pthread_mutex_destroy(&core->lock);
    return -1;
}

static void
destroy_locks(struct mcph_core *core)
{
    pthread_mutex_destroy(&core->log_lock);
    pthread_mutex_destroy(&core->gate);
    pthread_mutex_destroy(&core->lock);
}

static void
mark_process(struct mcph_core *core)
{
    char *page =
        mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    core->owner = getpid();
    if (page == MAP_FAILED)
        return;
    if (madvise(page, 1, MADV_WIPEONFORK) < 0) {
        munmap(page, 1);
        return;
    }
    *page = 1;
    core->here = page;
}

static void
unmark_process(struct mcph_core *core)
{
    if (core->here)
        munmap((void *)(uintptr_t)core->here, 1);
}

int
mcph_core_new(struct mcph_core **ret, mcphost_error **reterr)
{
    struct mcph_core *core = calloc(1, sizeof(*core));
    int r;

    if (!core)
        return mcph_err_nomem(reterr);
    if (init_locks(core) < 0) {
        free(core);
        return mcph_err_nomem(reterr);
    }
    mcph_refs_init(&core->refs);
    mark_process(core);
    core->now_ms = real_now;
    core->log_least = mcph_log_level_asked();
    mcph_list_init(&core->jobs);
    mcph_list_init(&core->left);
    mcph_list_init(&core->later);
    mcph_list_init(&core->deliveries);
    mcph_list_init(&core->own);
    mcph_list_init(&core->lines);
    core->epfd = core->evfd = core->timerfd = -1;
    core->free_slot = UINT32_MAX;
    core->armed = INT64_MAX;
    r = open_fds(core, reterr);
    if (r < 0) {
        mcph_core_unref(core);
        return r;
    }
    *ret = core;
    return 0;
}

struct mcph_core *
mcph_core_ref(struct mcph_core *core)
{
    mcph_refs_get(&core->refs);
    return core;
}

/* Joins the library's own thread if no function has joined it yet.  The thread may end by
 * itself when the core is closed.  If this function runs on that thread, detaches the
 * thread instead. */
static void
join_thread(struct mcph_core *core)
{
    if (!core->thread_running)
        return;
    if (pthread_equal(core->thread, pthread_self()))
        pthread_detach(core->thread);
    else
        pthread_join(core->thread, NULL);
}

struct mcph_core *
mcph_core_unref(struct mcph_core *core)
{
    if (!core || !mcph_refs_put(&core->refs))
        return NULL;
    mcph_core_log_done(core);
    mcph_core_close_fds(core);
    free_held(core);
    /* Do not destroy the locks in a forked child, because another thread may have held a
     * lock at fork(). */
    if (!mcph_core_forked(core)) {
        join_thread(core);
        destroy_locks(core);
    }
    unmark_process(core);
    free(core->slots);
    free(core->heap);
    free(core);
    return NULL;
}

bool
mcph_core_forked(const struct mcph_core *core)
{
    return core->here ? !*core->here : core->owner != getpid();
}

void
mcph_core_lock_first(struct mcph_core *core)
{
    pthread_mutex_lock(&core->gate);
    atomic_store_explicit(&core->gate_shut, true, memory_order_relaxed);
    pthread_mutex_lock(&core->lock);
    atomic_store_explicit(&core->gate_shut, false, memory_order_relaxed);
    pthread_mutex_unlock(&core->gate);
}

/* Takes core->lock, which another thread holds, or for which mcph_core_lock_first()
 * waits.  The function is not inlined, because an inlined copy would make the fast path
 * of the caller save registers. */
__attribute__((noinline)) static void
wait_for_lock(struct mcph_core *core)
{
    if (mcph_core_is_me(core)) {
        mcph_core_lock_first(core);
        return;
    }
    if (atomic_load_explicit(&core->gate_shut, memory_order_relaxed)) {
        pthread_mutex_lock(&core->gate);
        pthread_mutex_unlock(&core->gate);
    }
    pthread_mutex_lock(&core->lock);
}

/* Takes the lock.  Does nothing in a forked child: the child has no other threads, and
 * a thread of the parent may have held the lock at the fork, so that no thread would
 * release it.  No thread forks while it holds the lock itself. */
void
mcph_core_lock(struct mcph_core *core)
{
    if (mcph_core_forked(core))
        return;
    if (atomic_load_explicit(&core->gate_shut, memory_order_relaxed) ||
        pthread_mutex_trylock(&core->lock) != 0)
        wait_for_lock(core);
}

void
mcph_core_unlock(struct mcph_core *core)
{
    if (!mcph_core_forked(core))
        pthread_mutex_unlock(&core->lock);
}

int
mcph_core_enter_closed(struct mcph_core *core)
{
    if (mcph_core_forked(core))
        return MCPHOST_E_FORKED;
    mcph_core_lock(core);
    return 0;
}

int
mcph_core_enter(struct mcph_core *core)
{
    int r = mcph_core_enter_closed(core);

    if (r < 0)
        return r;
    if (core->closed) {
        mcph_core_unlock(core);
        return MCPHOST_E_CLOSED;
    }
    return 0;
}

void
mcph_core_leave(struct mcph_core *core)
{
    mcph_core_unlock(core);
    mcph_core_flush_log(core);
}

bool
mcph_core_is_dispatcher(struct mcph_core *core)
{
    bool is;

    if (mcph_core_forked(core))
        return false;
    mcph_core_lock(core);
    is = core->dispatching && pthread_equal(core->dispatcher, pthread_self());
    mcph_core_unlock(core);
    return is;
}

void
mcph_core_set_closed(struct mcph_core *core)
{
    mcph_core_lock(core);
    core->closed = true;
    mcph_core_notify_locked(core);
    mcph_core_wake_locked(core);
    mcph_core_unlock(core);
}

void
mcph_core_desert(struct mcph_core *core)
{
    mcph_core_lock(core);
    core->deserted = true;
    atomic_fetch_add(&core->interrupts, 1);
    mcph_core_notify_locked(core);
    mcph_core_unlock(core);
}

void
mcph_core_wake_locked(struct mcph_core *core)
{
    static const uint64_t one = 1;

    if (core->woken || !(core->exposed || core->blocked))
        return;
    core->woken = true;
    /* Ignore the result.  The eventfd cannot be full, because the dispatcher reads it
     * before the next write. */
    (void)!write(core->evfd, &one, sizeof(one));
}

void
mcph_core_notify_locked(struct mcph_core *core)
{
    core->notified = true;
    mcph_core_beat(core);
    /* Wake a dispatcher that sleeps, too, because it may be waiting for this change. */
    if (core->blocked)
        mcph_core_wake_locked(core);
}

void
mcph_core_notify_delivered(struct mcph_core *core)
{
    core->beat_due = true;
}

void
mcph_core_post_locked(struct mcph_core *core, struct mcph_job *job)
{
    mcph_list_append(&core->jobs, &job->link);
    if (core->dispatching && pthread_equal(core->dispatcher, pthread_self()))
        core->posted = true;
    else
        mcph_core_wake_locked(core);
}

void
mcph_core_post(struct mcph_core *core, struct mcph_job *job)
{
    mcph_core_lock(core);
    mcph_core_post_locked(core, job);
    mcph_core_unlock(core);
}

void
mcph_core_post_later(struct mcph_core *core, struct mcph_job *job)
{
    mcph_list_append(&core->later, &job->link);
    core->more = true;
}

void
mcph_core_unpost(struct mcph_core *core, struct mcph_job *job)
{
    mcph_core_lock(core);
    mcph_list_remove(&job->link);
    mcph_core_unlock(core);
}

static void
append_delivery_locked(struct mcph_core *core, struct mcph_delivery *delivery)
{
    mcph_list_append(&core->deliveries, &delivery->link);
    core->delivered = true;
    mcph_core_wake_locked(core);
}

void
mcph_core_deliver(struct mcph_core *core, struct mcph_delivery *delivery)
{
    if (mcph_core_is_me(core)) {
        mcph_list_append(&core->own, &delivery->link);
        return;
    }
    mcph_core_lock(core);
    append_delivery_locked(core, delivery);
    mcph_core_unlock(core);
}

bool
mcph_core_try_deliver(struct mcph_core *core, struct mcph_delivery *delivery)
{
    bool over;

    if (mcph_core_is_me(core)) {
        mcph_list_append(&core->own, &delivery->link);
        return true;
    }
    mcph_core_lock(core);
    over = core->over;
    if (!over)
        append_delivery_locked(core, delivery);
    mcph_core_unlock(core);
    return !over;
}

int64_t
mcph_core_now(const struct mcph_core *core)
{
    return core->now_ms(core->now_arg);
}

int64_t
mcph_core_round_now(struct mcph_core *core)
{
    if (!core->in_jobs)
        return mcph_core_now(core);
    if (core->round_now < 0)
        core->round_now = mcph_core_now(core);
    return core->round_now;
}

void
mcph_core_set_clock(struct mcph_core *core, int64_t (*now_ms)(void *arg), void *arg)
{
    core->now_ms = now_ms;
    core->now_arg = arg;
}

void
mcph_core_more(struct mcph_core *core)
{
    core->more = true;
}

size_t
mcph_meter_left(struct mcph_meter *meter, const struct mcph_core *core)
{
    if (meter->turn != core->turns)
        *meter = (struct mcph_meter){.turn = core->turns};
    return meter->spent < MCPH_TURN_BYTES ? MCPH_TURN_BYTES - meter->spent : 0;
}

int
mcph_core_get_fd(struct mcph_core *core)
{
    int r = mcph_core_enter_closed(core);

    if (r < 0)
        return r;
    if (!core->exposed) {
        core->exposed = true;
        /* Make the fd readable now, because work may be waiting already. */
        mcph_core_wake_locked(core);
    }
    mcph_core_unlock(core);
    return core->epfd;
}
