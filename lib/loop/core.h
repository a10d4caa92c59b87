/* SPDX-License-Identifier: MIT
 *
 * core.h - the core's structure and functions, shared by the files of lib/loop.
 */
#ifndef MCPH_LOOP_CORE_H
#define MCPH_LOOP_CORE_H

#include "loop/loop.h"

struct mcph_core_slot {
    struct mcph_source *source; /* the source; NULL if the slot is free */
    uint32_t generation;        /* how many sources the slot has had;
                                 * mcph_core_run_source() discards events for an earlier
                                 * source */
    uint32_t next_free;
};

#define MCPH_HELD_WORDS 64

/* The descriptors that a forked child must close: one bit for each descriptor.  The
 * dispatcher writes the bits.  A forked child reads the bits.  No part of this
 * structure is moved or freed before the core is freed: a fork may happen in the middle
 * of a move, and the child's copy would then be inconsistent. */
struct mcph_core_held {
    _Atomic uint64_t words[MCPH_HELD_WORDS];
    struct mcph_core_held *_Atomic next; /* the bits of higher descriptors */
};

struct mcph_core {
    struct mcph_refs refs;
    pid_t owner;
    /* A page that the kernel zeroes in a forked child, so that the fork check costs no
     * system call.  If the kernel cannot zero the page, `here` is NULL.  In this case,
     * mcph_core_forked() compares getpid() with `owner`. */
    volatile const char *here;
    int64_t (*now_ms)(void *arg);
    void *now_arg;

    /* `lock` guards the members down to `interrupts_taken`, except where a comment says
     * otherwise */
    pthread_mutex_t lock;
    pthread_mutex_t gate;  /* mcph_core_lock_first() holds this until it has `lock` */
    atomic_bool gate_shut; /* true while mcph_core_lock_first() waits for `lock`; read
                            * without the lock */
    struct mcph_list jobs, deliveries;
    struct mcph_list left;  /* jobs over the limit of a round, which run before `jobs` */
    struct mcph_list later; /* jobs of the next turn; for the dispatcher only */
    pthread_t dispatcher;   /* the dispatcher; valid while `dispatching` is true */
    /* The dispatcher's thread, or 0.  A thread reads this member without the lock to
     * find out whether it is the dispatcher.  This is safe, because only the thread
     * itself stores its own value here.  At the end of a visit (dispatch.c), the visitor
     * stores the value of the sleeping dispatcher again, or 0 if no thread dispatches. */
    atomic_uintptr_t self;
    atomic_bool delivered; /* `deliveries` is not empty; read without the lock */
    bool dispatching;
    bool blocked; /* the dispatcher sleeps in epoll_wait */
    bool exposed; /* the application has the core's fd and may be polling it */
    bool woken;   /* mcph_core_wake_locked() has made the eventfd readable */
    bool refused; /* another thread could not become the dispatcher in this turn */
    bool closed;
    bool deserted; /* no wait may begin or continue */
    bool over;     /* no thread runs deliveries any more */
    bool notified; /* a predicate may have come true in this turn */
    bool visited;  /* another thread makes a visit (see dispatch.c) */
    /* `driven` is true if the application polls the core's fd and dispatches.  `driver`
     * is the thread that called mcph_core_dispatch() last or, before the first such call,
     * the thread that set `driven`. */
    bool driven;
    pthread_t driver;
    uint64_t active_turns; /* number of turns that did work */
    unsigned n_waits;      /* threads that sleep until a turn has done work */

    /* `beat` is the futex that sleepers wait on (sleep.c).  `sleepers` is true if a
     * thread may be sleeping on `beat`. */
    atomic_uint beat;
    atomic_bool sleepers;
    /* `interrupts` counts the calls of mcph_core_interrupt(), and one call of
     * mcph_core_desert().  `interrupts_taken` is the value that `interrupts` had when a
     * call last ended a wait.  `lock` guards `interrupts_taken`. */
    atomic_uint interrupts;
    unsigned interrupts_taken;

    /* the members from here to `beat_due` are for the dispatcher only, except that any
     * thread may use `epfd` and `evfd` */
    struct mcph_list own; /* deliveries that the dispatcher made itself */
    int epfd, evfd, timerfd;
    struct mcph_core_held held;
    struct mcph_core_slot *slots;
    uint32_t nslots, free_slot; /* nslots: the number of slots; free_slot: the first
                                 * free slot, or UINT32_MAX */
    struct mcph_timer **heap;
    size_t nheap, heap_cap, ntimers; /* nheap: timers that are set; heap_cap: size of
                                      * `heap`; ntimers: timers that are initialised */
    int64_t armed;                   /* the time at which the timerfd fires; INT64_MAX
                                      * for never */
    bool in_jobs;
    bool posted;       /* the dispatcher posted a job in this round */
    uint64_t turns;    /* number of turns begun */
    int64_t round_now; /* the time of this round of jobs; -1 until it is read */
    bool more;
    bool did;      /* this turn did work */
    bool beat_due; /* the dispatcher must wake sleepers before it sleeps or leaves */

    /* the library's own thread; `lock` guards the next four members */
    pthread_t thread;
    bool thread_running; /* true until the thread is joined */
    bool thread_serves;  /* true until the thread has ended */
    bool thread_stop;

    /* the log queue, which `log_lock` guards.  `log_lock` is always taken last. */
    pthread_mutex_t log_lock;
    struct mcph_hook *sink; /* the application's function, an mcphost_log_fn */
    struct mcph_list lines;
    unsigned nlines, lost;
    atomic_int log_level;
    int log_least; /* the level that LIBMCPHOST_DEBUG requests; constant */
};

/* Returns the level that LIBMCPHOST_DEBUG requests (logq.c). */
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

/* Takes the core's lock ahead of each thread that begins to wait for the lock later.
 * If another thread holds the lock, the dispatcher and a thread that begins to dispatch
 * call this function, because a mutex is not fair: threads that call the library
 * without a pause could keep the dispatcher waiting for minutes.  Do not call this in a
 * forked child. */
void mcph_core_lock_first(struct mcph_core *core);
/* Wakes all sleepers, if there are any.  Any thread may call this. */
void mcph_core_beat(struct mcph_core *core);
void mcph_core_wake_sleepers(struct mcph_core *core); /* wakes all sleepers and does
                                                       * not check `sleepers` */
/* Sleeps, with the lock released, until the beat is no longer `seen`.  A signal may end
 * the sleep earlier.  Returns false if the deadline has passed.  If `deadline` is -1,
 * there is no deadline.  Before this call, set `sleepers` and then check the awaited
 * condition again. */
bool mcph_core_sleep_locked(struct mcph_core *core, unsigned seen, int64_t deadline);
/* Returns true if mcph_core_interrupt() or mcph_core_desert() ends a wait that began when
 * interrupts_taken was `begun`.  If the result is true, all earlier calls of
 * mcph_core_interrupt() count as taken, unless the core is deserted. */
bool mcph_core_interrupted_locked(struct mcph_core *core, unsigned begun);
/* Writes the eventfd if a thread may be sleeping on it. */
void mcph_core_wake_locked(struct mcph_core *core);
void mcph_core_run_timers(struct mcph_core *core);
void mcph_core_arm(struct mcph_core *core);
int64_t mcph_core_next_due(const struct mcph_core *core); /* the earliest deadline;
                                                           * INT64_MAX if no timer is
                                                           * set */
void mcph_core_run_source(struct mcph_core *core, uint64_t tag, uint32_t events);
/* Returns true if there may be log lines to flush. */
static inline bool
mcph_core_logs(const struct mcph_core *core)
{
    return atomic_load_explicit(&core->log_level, memory_order_relaxed) !=
           MCPHOST_LOG_NONE;
}
void mcph_core_flush_log(struct mcph_core *core);
void mcph_core_log_done(struct mcph_core *core);

/* epoll tags of the core's own descriptors.  The tag of a source has its slot number + 1
 * in the low 32 bits. */
#define MCPH_TAG_EVENTFD UINT64_C(0)
#define MCPH_TAG_TIMERFD (UINT64_C(1) << 63)

#endif
