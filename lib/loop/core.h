/* SPDX-License-Identifier: MIT
 *
 * core.h - what the files of this room share: the core itself.
 */
#ifndef MCPH_LOOP_CORE_H
#define MCPH_LOOP_CORE_H

#include "loop/loop.h"

struct mcph_core_slot {
    struct mcph_source *source; /* NULL: free */
    uint32_t generation;        /* tells a stale event from one for the new owner */
    uint32_t next_free;
};

#define MCPH_HELD_WORDS 64

/* Which descriptors a forked child closes: one bit each.  The dispatcher writes, and a
 * child, whose copy may stem from the middle of any change, reads: so nothing in it is
 * ever moved or freed before the core. */
struct mcph_core_held {
    _Atomic uint64_t words[MCPH_HELD_WORDS];
    struct mcph_core_held *_Atomic next; /* of the descriptors that follow */
};

struct mcph_core {
    struct mcph_refs refs;
    pid_t owner;
    /* A page that the kernel empties in a forked child: telling where we are
     * costs no system call.  NULL where it cannot (then the pid is asked). */
    volatile const char *here;
    int64_t (*now_ms)(void *arg);
    void *now_arg;

    /* under the lock */
    pthread_mutex_t lock;
    struct mcph_list jobs, deliveries;
    struct mcph_list later; /* jobs of the next turn; the dispatcher's */
    pthread_t dispatcher;   /* valid while dispatching */
    /* The same, or 0, for a thread to see without the lock that it is the dispatcher:
     * nobody else writes its name here. */
    atomic_uintptr_t self;
    atomic_bool delivered; /* `deliveries` is not empty; looked at without the lock */
    bool dispatching;
    bool blocked; /* the dispatcher sleeps in epoll_wait */
    bool exposed; /* the application has our fd and may be polling it */
    bool woken;   /* the eventfd is readable */
    bool refused; /* a thread could not become the dispatcher in this turn */
    bool closed;
    bool over;     /* nobody runs deliveries any more */
    bool notified; /* a predicate may have come true in this turn */
    bool visited;  /* another thread acts for the dispatcher, which sleeps */
    /* Somebody polls our fd and dispatches: `driver`, the thread that dispatched last. */
    bool driven;
    pthread_t driver;
    uint64_t active_turns; /* those that did something */

    /* sleep.c: what sleepers sleep on, and whether there may be one */
    atomic_uint beat;
    atomic_bool sleepers;
    /* mcphost_wake(): how often, and how many of them have ended a wait (the lock) */
    atomic_uint interrupts;
    unsigned interrupts_taken;

    /* the dispatcher's own */
    struct mcph_list own; /* deliveries that it made itself */
    int epfd, evfd, timerfd;
    struct mcph_core_held held;
    struct mcph_core_slot *slots;
    uint32_t nslots, free_slot; /* UINT32_MAX: none free */
    struct mcph_timer **heap;
    size_t nheap, heap_cap, ntimers; /* set, room, initialised */
    int64_t armed;                   /* what the timerfd waits for; INT64_MAX: nothing */
    bool in_jobs;
    bool posted;       /* by the dispatcher, since the last round of jobs began */
    uint64_t turns;    /* that were begun */
    int64_t round_now; /* in_jobs: the time of this round; -1: nobody asked yet */
    bool more;
    bool did;      /* this turn did something */
    bool beat_due; /* sleepers are to be woken before this thread sleeps or goes */

    /* a thread of our own, under the lock */
    pthread_t thread;
    bool thread_running; /* until joined */
    bool thread_serves;  /* until it has ended */
    bool thread_stop;

    /* the log queue, under its own lock, which is taken last */
    pthread_mutex_t log_lock;
    struct mcph_hook *sink; /* mcphost_log_fn */
    struct mcph_list lines;
    unsigned nlines, lost;
    atomic_int log_level;
    int log_least; /* what LIBMCPHOST_DEBUG asks for; constant */
};

/* What LIBMCPHOST_DEBUG says (logq.c). */
int mcph_log_level_asked(void);

static inline bool
mcph_core_is_me(struct mcph_core *core)
{
    return atomic_load_explicit(&core->self, memory_order_relaxed) ==
           (uintptr_t)pthread_self();
}

static inline bool
mcph_core_has_mail_locked(const struct mcph_core *core)
{
    return !mcph_list_empty(&core->jobs) || !mcph_list_empty(&core->deliveries) ||
           !mcph_list_empty(&core->own);
}

/* Wakes all sleepers, if there are any; any thread. */
void mcph_core_beat(struct mcph_core *core);
void mcph_core_wake_sleepers(struct mcph_core *core); /* the half of it that costs */
/* Sleeps without the lock until a beat after `seen`; false when the time is up.  The
 * caller has set `sleepers`, and then looked at what it waits for. */
bool mcph_core_sleep_locked(struct mcph_core *core, unsigned seen, int64_t deadline);
/* Whether mcphost_wake() ends a wait that began when so many had been taken. */
bool mcph_core_interrupted_locked(struct mcph_core *core, unsigned begun);
/* Writes the eventfd unless that is of no use to anybody. */
void mcph_core_wake_locked(struct mcph_core *core);
void mcph_core_run_timers(struct mcph_core *core);
void mcph_core_arm(struct mcph_core *core);
int64_t mcph_core_next_due(const struct mcph_core *core); /* INT64_MAX: none */
void mcph_core_run_source(struct mcph_core *core, uint64_t tag, uint32_t events);
/* Whether there may be lines to flush. */
static inline bool
mcph_core_logs(const struct mcph_core *core)
{
    return atomic_load_explicit(&core->log_level, memory_order_relaxed) !=
           MCPHOST_LOG_NONE;
}
void mcph_core_flush_log(struct mcph_core *core);
void mcph_core_log_done(struct mcph_core *core);

/* epoll tags of the core's own fds; those of sources have a slot + 1 below. */
#define MCPH_TAG_EVENTFD UINT64_C(0)
#define MCPH_TAG_TIMERFD (UINT64_C(1) << 63)

#endif
