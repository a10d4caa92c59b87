/* SPDX-License-Identifier: MIT
 *
 * loop.h - the room `loop`: the core behind a host (mutex, mailboxes, closed
 * flag, fork guard), its one epoll fd with sources and timers, wake-ups, the
 * log queue, writes that raise no SIGPIPE, and the watch over files.
 *
 * Two kinds of state.  I/O state (sources, timers, everything that rooms hang
 * on them) belongs to the one thread that dispatches and is touched without
 * the mutex.  The mutex guards mailboxes and what rooms publish; it is held
 * for small bounded work and never around user code, system calls that may
 * block, or allocation of unbounded size.
 *
 * A turn: take the jobs, wait(0) for sources, run ready sources and due
 * timers, then run the deliveries (the only place where user code runs).
 */
#ifndef MCPH_LOOP_H
#define MCPH_LOOP_H

#include <pthread.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/base.h"
#include <mcphost/log.h>

struct mcph_core;

/* ---- life -------------------------------------------------------------------------- */

int mcph_core_new(struct mcph_core **ret, mcphost_error **reterr);
struct mcph_core *mcph_core_ref(struct mcph_core *core);
/* The last one frees; in a forked child only memory and fds, never epoll_ctl.
 * Whatever still hangs on the core must be gone by then. */
struct mcph_core *mcph_core_unref(struct mcph_core *core);

/* ---- public functions stand between enter and leave -------------------------------- */

/* Fork check, lock, closed check: 0, MCPHOST_E_FORKED, MCPHOST_E_CLOSED; the
 * lock is held only when it returns 0. */
int mcph_core_enter(struct mcph_core *core);
/* The same for functions that still make sense on a closed core. */
int mcph_core_enter_closed(struct mcph_core *core);
/* Unlocks, flushes log lines. */
void mcph_core_leave(struct mcph_core *core);
bool mcph_core_forked(const struct mcph_core *core);
/* The dispatcher's.  A pipe or socket whose other end would notice that a forked child
 * holds it, too: the child closes it in mcph_core_leave_parent().  Drop comes before its
 * close.  If memory is short a descriptor is not noted and stays open in the child. */
void mcph_core_hold_fd(struct mcph_core *core, int fd);
void mcph_core_drop_fd(struct mcph_core *core, int fd);
/* In a forked child: closes what is held and the core's own descriptors.  Reads nothing
 * that another thread of the parent may have been changing at the fork, and frees
 * nothing. */
void mcph_core_leave_parent(struct mcph_core *core);
/* Closes the core's own descriptors when nobody dispatches any more; the core stays for
 * those who still hold it. */
void mcph_core_close_fds(struct mcph_core *core);
/* For the dispatcher, around what it publishes. */
void mcph_core_lock(struct mcph_core *core);
void mcph_core_unlock(struct mcph_core *core);
/* Refuses all later enters with MCPHOST_E_CLOSED; dispatch finishes what is
 * posted and then answers MCPHOST_E_CLOSED too.  Called by the dispatcher when
 * the shutdown is done. */
void mcph_core_set_closed(struct mcph_core *core);
/* True on the thread that dispatches now. */
bool mcph_core_is_dispatcher(struct mcph_core *core);

/* ---- mailboxes ---------------------------------------------------------------
 * Both are intrusive: posting cannot fail.  A job or delivery may free itself
 * in its function. */

/* Work for the dispatcher, from any thread; runs in the next turn, in order. */
struct mcph_job {
    struct mcph_list link;
    void (*run)(struct mcph_job *job);
};
void mcph_core_post_locked(struct mcph_core *core, struct mcph_job *job);
void mcph_core_post(struct mcph_core *core, struct mcph_job *job); /* takes the lock */
/* For a caller that is going to wait: while the dispatcher sleeps, this thread runs the
 * jobs itself, which spares one of the two hand-overs between threads.  Gives up the lock
 * meanwhile; no user code runs. */
void mcph_core_submit_locked(struct mcph_core *core, struct mcph_job *job);
/* The dispatcher's: runs in the next turn, where a job that posts itself would run again
 * in this one.  A drain runs it once, however often it posts itself. */
void mcph_core_post_later(struct mcph_core *core, struct mcph_job *job);
/* It does not run any more; for the dispatcher, or when nobody dispatches. */
void mcph_core_unpost(struct mcph_core *core, struct mcph_job *job);

/* User code to run at the end of this turn, without any lock; from the dispatcher,
 * which needs no lock for it either, or from any thread.  What one thread delivers
 * comes in order. */
struct mcph_delivery {
    struct mcph_list link;
    void (*deliver)(struct mcph_delivery *delivery);
};
void mcph_core_deliver(struct mcph_core *core, struct mcph_delivery *delivery);
/* The same; false: nobody will run deliveries of this core again. */
bool mcph_core_try_deliver(struct mcph_core *core, struct mcph_delivery *delivery);

/* Runs what is still in the mailboxes of a core that nobody will dispatch
 * again: jobs first, then deliveries.  The last unref of a host calls it.  Does
 * nothing in a forked child. */
void mcph_core_drain(struct mcph_core *core);
/* The last time. */
void mcph_core_drain_last(struct mcph_core *core);

/* ---- the application's functions (hook.c) ------------------------------------------ */

typedef void (*mcph_any_fn)(void);

/* Code that may be unloaded.  Each hook into it has a reference. */
struct mcph_code {
    struct mcph_refs refs;
    /* The last reference was dropped.  Functions of the code that have not returned yet
     * may still be running, so it must not be unloaded from here. */
    void (*unused)(struct mcph_code *code);
};
struct mcph_code *mcph_code_ref(struct mcph_code *code);   /* NULL is fine, and here: */
struct mcph_code *mcph_code_unref(struct mcph_code *code); /* returns NULL */

/* A function and its argument.  Whoever calls it has a reference, so that it may be
 * replaced meanwhile. */
struct mcph_hook {
    struct mcph_refs refs;
    struct mcph_code *code; /* a reference; NULL: the application's, which stays */
    struct mcph_delivery farewell;
    mcph_any_fn fn; /* cast to its type to be called */
    void *arg;
    mcphost_free_fn free_arg;
};

struct mcph_hook *mcph_hook_new(mcph_any_fn fn, void *arg, mcphost_free_fn free_arg);
struct mcph_hook *mcph_hook_ref(struct mcph_hook *hook);
/* The last one runs `free_arg`, so never under the lock.  NULL is fine. */
void mcph_hook_unref(struct mcph_hook *hook);
/* Puts one into *place, once `enter` has returned 0 with the core's lock held; NULL for
 * `fn` leaves none there.  What was there, and an `arg` without a function, is freed by a
 * delivery.  0, MCPHOST_E_NOMEM, or what `enter` returned: then `arg` is the caller's. */
int mcph_hook_set(struct mcph_core *core, struct mcph_hook **place, mcph_any_fn fn,
                  void *arg, mcphost_free_fn free_arg, int (*enter)(void *owner),
                  void *owner);
/* The same for a function of this code. */
int mcph_hook_set_code(struct mcph_core *core, struct mcph_hook **place, mcph_any_fn fn,
                       void *arg, mcphost_free_fn free_arg, struct mcph_code *code,
                       int (*enter)(void *owner), void *owner);

/* ---- sources (dispatcher only) ------------------------------------------------
 * A source is embedded in its owner.  After mcph_source_remove() its function
 * is not called again, not even for events already fetched. */

struct mcph_source {
    struct mcph_core *core;
    int fd;          /* -1: not added */
    uint32_t events; /* EPOLLIN, EPOLLOUT, ... */
    uint32_t slot;
    void (*on_ready)(struct mcph_source *source, uint32_t events);
};
void mcph_source_init(struct mcph_source *source, struct mcph_core *core,
                      void (*on_ready)(struct mcph_source *, uint32_t));
int mcph_source_add(struct mcph_source *source, int fd,
                    uint32_t events); /* does not take the fd */
int mcph_source_set(struct mcph_source *source,
                    uint32_t events); /* 0 keeps it registered, silent */
void
mcph_source_remove(struct mcph_source *source); /* before the fd is closed; idempotent */
/* A source that stopped at its budget of MCPH_TURN_BYTES says so, and whoever has
 * work left for the next turn that no descriptor tells of. */
#define MCPH_TURN_BYTES (256u * 1024u)
/* A message costs this much besides its bytes: tiny ones are work, too. */
#define MCPH_TURN_MESSAGE 256u
void mcph_core_more(struct mcph_core *core);

/* What one source has cost in this turn, of MCPH_TURN_BYTES.  All zeros: nothing. */
struct mcph_meter {
    uint64_t turn;
    size_t spent;
};
/* What is left for this turn; 0: the rest waits for the next turn. */
size_t mcph_meter_left(struct mcph_meter *meter, const struct mcph_core *core);
/* Behind a look at what is left. */
static inline void
mcph_meter_spend(struct mcph_meter *meter, size_t cost)
{
    meter->spent += cost;
}

/* ---- timers (dispatcher only) ---------------------------------------------------
 * Initialising reserves the heap's room, so that setting cannot fail. */

struct mcph_timer {
    struct mcph_core *core;
    int64_t due;  /* absolute, mcph_core_now() */
    size_t index; /* in the heap; SIZE_MAX: not set */
    void (*on_due)(struct mcph_timer *timer);
};
int mcph_timer_init(struct mcph_timer *timer, struct mcph_core *core,
                    void (*on_due)(struct mcph_timer *)); /* 0 or MCPHOST_E_NOMEM */
void mcph_timer_done(struct mcph_timer *timer); /* cancels; safe on zeroed memory */
void mcph_timer_set(struct mcph_timer *timer, int64_t due);
void mcph_timer_cancel(struct mcph_timer *timer);
static inline bool
mcph_timer_is_set(const struct mcph_timer *timer)
{
    return timer->index != SIZE_MAX;
}
int64_t mcph_core_now(const struct mcph_core *core); /* monotonic ms, any thread */
/* The same for the dispatcher, looked at once for all jobs of a round. */
int64_t mcph_core_round_now(struct mcph_core *core);
/* Tests put a clock of their own here before anything else happens. */
void mcph_core_set_clock(struct mcph_core *core, int64_t (*now_ms)(void *arg), void *arg);

/* ---- dispatch ---------------------------------------------------------------------- */

int mcph_core_get_fd(struct mcph_core *core);
/* One turn: >0 more to do, 0 idle, MCPHOST_E_BUSY, _FORKED, _CLOSED, _IO. */
int mcph_core_dispatch(struct mcph_core *core);
/* Turns until one did something or `timeout_ms` passed (-1: no limit):
 * 1 something, 0 timed out, MCPHOST_E_WOKEN, or negative as dispatch. */
int mcph_core_wait(struct mcph_core *core, int64_t timeout_ms);
/* Turns until `pred` holds: 1, or 0 timed out, MCPHOST_E_WOKEN, or negative.  From many
 * threads at once: one of them dispatches, the others sleep.  `pred` is called with
 * the mutex held.  MCPHOST_E_BUSY when called inside a delivery. */
int mcph_core_wait_until(struct mcph_core *core, bool (*pred)(void *arg), void *arg,
                         int64_t timeout_ms);
/* Whoever makes a predicate true calls this (lock held) to wake sleepers. */
void mcph_core_notify_locked(struct mcph_core *core);
/* The same out of a delivery, without the lock, for what is atomic.  Sleepers are woken
 * when the dispatcher has nothing else to do: sooner, they would contend with it. */
void mcph_core_notify_delivered(struct mcph_core *core);
/* Somebody polls our fd: the thread that dispatches is the driver, and until one does the
 * caller.  All other threads sleep in the waits.  0, MCPHOST_E_STATE beside a thread of
 * our own, MCPHOST_E_FORKED. */
int mcph_core_set_driven(struct mcph_core *core, bool driven);
/* Ends the waits under way with MCPHOST_E_WOKEN, or else the next one.  Async-signal-
 * safe.  0, MCPHOST_E_FORKED. */
int mcph_core_interrupt(struct mcph_core *core);
/* A thread of our own that dispatches, all signals blocked. */
int mcph_core_thread_start(struct mcph_core *core);
int
mcph_core_thread_stop(struct mcph_core *core); /* joins; MCPHOST_E_BUSY on that thread */

/* ---- log ------------------------------------------------------------------------------
 * Lines are queued (bounded, losses counted) and handed over when no lock is
 * held.  Any thread, with or without the lock.  Line ends and what is no UTF-8
 * are made harmless. */

void mcph_log(struct mcph_core *core, int level, const char *room, const char *server,
              const char *fmt, ...) MCPHOST_PRINTF(5, 6);
bool mcph_log_wants(const struct mcph_core *core, int level);
/* 0, MCPHOST_E_NOMEM, MCPHOST_E_FORKED; on failure `arg` stays the caller's. */
int mcph_core_set_log(struct mcph_core *core, int level, mcphost_log_fn fn, void *arg,
                      mcphost_free_fn free_arg);

/* ---- writing without SIGPIPE ------------------------------------------------------- */

/* write(2) that answers EPIPE by errno alone and leaves the process's signal
 * handling as it was. */
ssize_t mcph_write_nosig(int fd, const void *data, size_t len);

/* Around calls into a library that may write to closed sockets or start threads: all
 * signals are blocked in this thread, so that such threads inherit a full mask; a
 * SIGPIPE that was caused is taken away before the mask is as it was. */
struct mcph_sigguard {
    unsigned long old[128 / sizeof(unsigned long)]; /* a sigset_t */
};
void mcph_sigguard_enter(struct mcph_sigguard *guard);
void mcph_sigguard_leave(const struct mcph_sigguard *guard);

/* ---- watching files (watch.c; dispatcher only) ----------------------------------------
 * Tells that a file may have changed: its bytes, its being there, where a symbolic
 * link to it leads, the coming and going of its directory; or the names in a directory.
 * Two ways, either of which suffices: events of the kernel (inotify), settled by a
 * debounce, and a comparison of signatures at intervals.  Neither reads the clock of the
 * wall to decide when. */

struct mcph_watcher; /* the way: one inotify descriptor and one poll timer */
struct mcph_watch;   /* one file or directory */

struct mcph_watch_options {
    bool events;         /* use inotify */
    int64_t poll_ms;     /* compare every so often; 0: never */
    int64_t debounce_ms; /* an event is told when no other has followed for so long */
};

/* A watcher that cannot have inotify (its limits are reached) lives on by polling
 * alone, says so in the log once, and tries again at each poll.  0, MCPHOST_E_NOMEM. */
int mcph_watcher_new(struct mcph_core *core, const struct mcph_watch_options *options,
                     struct mcph_watcher **ret, mcphost_error **reterr);
struct mcph_watcher *
mcph_watcher_free(struct mcph_watcher *watcher); /* no file is left */
/* Why events are missing though they were asked for, as an errno (EMFILE, ENOSPC,
 * ...); 0: they are not. */
int mcph_watcher_fault(const struct mcph_watcher *watcher);

/* Watches `path`, absolute, which need not exist.  What counts as seen is the state
 * of now: read the file after this, not before.  `changed` runs on the dispatcher,
 * outside the lock, and may free any watch; it is not told what changed, and
 * sometimes nothing has.  0, MCPHOST_E_INVALID (not absolute, too long),
 * MCPHOST_E_NOMEM. */
int mcph_watch_new(struct mcph_watcher *watcher, const char *path,
                   void (*changed)(struct mcph_watch *watch, void *arg), void *arg,
                   struct mcph_watch **ret, mcphost_error **reterr);
/* The same of a directory, which need not exist either: tells that a name which `counts`
 * accepts came or went.  Changes inside the files are not told.
 * `counts` NULL: a file, as above. */
int mcph_watch_new_dir(struct mcph_watcher *watcher, const char *path,
                       bool (*counts)(const char *name),
                       void (*changed)(struct mcph_watch *watch, void *arg), void *arg,
                       struct mcph_watch **ret, mcphost_error **reterr);
/* The same of what is below the directory `root`, which is open and outlives the watch;
 * `path` is relative to it, "" itself.  No symbolic link is followed, so what stands
 * outside is never looked at.  `is_dir`: names in the directory are watched. */
int mcph_watch_new_beneath(struct mcph_watcher *watcher, int root, const char *path,
                           bool is_dir,
                           void (*changed)(struct mcph_watch *watch, void *arg),
                           void *arg, struct mcph_watch **ret, mcphost_error **reterr);
struct mcph_watch *mcph_watch_free(struct mcph_watch *watch); /* returns NULL */
const char *mcph_watch_path(const struct mcph_watch *watch);

/* Looks now: true when the file is not what was seen last.  The present state then
 * counts as seen, and an event that waits for its debounce is not told any more. */
bool mcph_watch_check(struct mcph_watch *watch);
/* The caller has replaced `before` by `after` (mcph_file_replace()): if `before` was
 * the state seen last, `after` is now, and the caller's own write is no change.  If
 * it was not, another's change is still to be told, and will be. */
void mcph_watch_own_write(struct mcph_watch *watch, const struct mcph_file_sig *before,
                          const struct mcph_file_sig *after);

#endif
