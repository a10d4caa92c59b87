/* SPDX-License-Identifier: MIT
 *
 * loop.h - interface of lib/loop: the core of a host (mutex, mailboxes, closed flag,
 * fork guard), its one epoll fd with sources and timers, wake-ups, the log queue,
 * writes that raise no SIGPIPE, and the watching of files.
 *
 * There are two kinds of state.  I/O state (sources, timers and everything attached to
 * them) belongs to the thread that dispatches.  This thread uses I/O state without the
 * mutex.  The mutex guards the mailboxes and published data.  A thread holds the mutex
 * only for short, bounded work.  No thread holds the mutex around user code, system calls
 * that may block, or allocations of unbounded size.
 *
 * In a turn the dispatcher runs the jobs, polls the sources, and runs ready sources and
 * due timers.  At the end the dispatcher runs the deliveries.  Deliveries call the
 * application's functions.
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
/* Drops a reference.  When the last reference is dropped, the core is freed.  All objects
 * that use the core must have been freed before.  In a forked child, the function frees
 * memory, descriptors and the argument of the log function, but calls no epoll_ctl() and
 * joins no thread.  Returns NULL. */
struct mcph_core *mcph_core_unref(struct mcph_core *core);

/* Checks for a fork, takes the lock, and checks whether the core is closed.  Returns 0
 * with the lock held, or MCPHOST_E_FORKED or MCPHOST_E_CLOSED without the lock. */

int mcph_core_enter(struct mcph_core *core);
/* Works like mcph_core_enter(), but also succeeds on a closed core, for functions that
 * still make sense on a closed core. */
int mcph_core_enter_closed(struct mcph_core *core);
/* Releases the lock, then passes the queued log lines to the application. */
void mcph_core_leave(struct mcph_core *core);
bool mcph_core_forked(const struct mcph_core *core);
/* Registers a descriptor of which a forked child must not keep a copy: a pipe or socket
 * whose other end would notice the copy, or a file whose lock the copy would keep.  The
 * child closes the copy in mcph_core_leave_parent().  Call mcph_core_drop_fd() before
 * closing a registered descriptor.  If memory is short, the descriptor may stay
 * unregistered, and then stays open in the child.  Only the dispatcher may call these
 * functions. */
void mcph_core_hold_fd(struct mcph_core *core, int fd);
void mcph_core_drop_fd(struct mcph_core *core, int fd);
/* Closes the registered descriptors and the core's own descriptors, in a forked child.
 * Reads no data that another thread of the parent may have been changing at the fork.
 * Frees nothing. */
void mcph_core_leave_parent(struct mcph_core *core);
/* Closes the core's own descriptors.  Call this when no thread dispatches any more.  The
 * core itself stays valid until its last reference is dropped. */
void mcph_core_close_fds(struct mcph_core *core);
/* These functions take and release the lock, without the checks of mcph_core_enter().  In
 * a forked child they do nothing.  The dispatcher holds the lock while it publishes
 * data. */
void mcph_core_lock(struct mcph_core *core);
void mcph_core_unlock(struct mcph_core *core);
/* Makes all later calls of mcph_core_enter() fail with MCPHOST_E_CLOSED.
 * mcph_core_dispatch() finishes the posted work and then fails with this code, too.  The
 * dispatcher calls this when the shutdown is done. */
void mcph_core_set_closed(struct mcph_core *core);
/* Ends all waits of the application with MCPHOST_E_CLOSED. */
void mcph_core_desert(struct mcph_core *core);
/* Returns true on the thread that dispatches now. */
bool mcph_core_is_dispatcher(struct mcph_core *core);

/* ---- mailboxes ----------------------------------------------------------------------
 * Jobs and deliveries are intrusive, so that posting cannot fail.  A job or delivery may
 * free itself in its function. */

/* Work for the dispatcher, posted by any thread.  Jobs run in the order in which they
 * were posted, usually at the beginning of the dispatcher's next turn.  A job that
 * another job posts may run in the same turn.  While the dispatcher sleeps,
 * mcph_core_submit_locked() can run jobs on the calling thread. */
struct mcph_job {
    struct mcph_list link;
    void (*run)(struct mcph_job *job);
};
void mcph_core_post_locked(struct mcph_core *core, struct mcph_job *job);
void mcph_core_post(struct mcph_core *core, struct mcph_job *job); /* takes the lock */
/* Posts a job for a caller that is about to wait.  If the library's thread dispatches for
 * the caller and sleeps, or if the application's loop is the driver and polls the core's
 * fd, the calling thread runs the jobs itself.  This saves one of the two switches
 * between threads.  The lock is released while jobs run, and held again when the function
 * returns.  No user code runs. */
void mcph_core_submit_locked(struct mcph_core *core, struct mcph_job *job);
/* Posts a job for the next turn, whereas a job of mcph_core_post() may still run in this
 * turn if this turn's jobs are running.  mcph_core_drain() runs the job once, even if
 * the job posts itself again.  Only the dispatcher may call this. */
void mcph_core_post_later(struct mcph_core *core, struct mcph_job *job);
/* Removes a posted job.  Takes the lock.  Only the dispatcher may call this, unless no
 * thread dispatches. */
void mcph_core_unpost(struct mcph_core *core, struct mcph_job *job);

/* User code that runs at the end of a turn, without any lock.  Any thread may call
 * mcph_core_deliver().  On the dispatcher, this call takes no lock.  The deliveries of
 * one thread run in the order in which the thread made them. */
struct mcph_delivery {
    struct mcph_list link;
    void (*deliver)(struct mcph_delivery *delivery);
};
void mcph_core_deliver(struct mcph_core *core, struct mcph_delivery *delivery);
/* Works like mcph_core_deliver(), but returns false if no thread will run deliveries of
 * this core any more. */
bool mcph_core_try_deliver(struct mcph_core *core, struct mcph_delivery *delivery);

/* Runs the jobs, then the deliveries, that are still in the mailboxes of a core that no
 * thread will dispatch again.  The end of a host calls this.  Does nothing in a forked
 * child. */
void mcph_core_drain(struct mcph_core *core);
/* Works like mcph_core_drain(), but also makes all later calls of mcph_core_try_deliver()
 * return false. */
void mcph_core_drain_last(struct mcph_core *core);

/* ---- the application's functions (hook.c) ------------------------------------------ */

typedef void (*mcph_any_fn)(void);

/* Code that may be unloaded, such as a plugin.  Each hook into the code holds a reference
 * to this structure. */
struct mcph_code {
    struct mcph_refs refs;
    /* mcph_code_unref() calls this function when it has dropped the last reference.  The
     * function must not unload the code, because functions of the code may still be
     * running. */
    void (*unused)(struct mcph_code *code);
};
struct mcph_code *mcph_code_ref(struct mcph_code *code);   /* `code` may be NULL */
struct mcph_code *mcph_code_unref(struct mcph_code *code); /* returns NULL; `code` may
                                                            * be NULL */

/* A function of the application and its argument.  A caller holds a reference during the
 * call, so that the hook may be replaced in the meantime. */
struct mcph_hook {
    struct mcph_refs refs;
    struct mcph_code *code; /* a reference; NULL if `fn` is in the application */
    struct mcph_delivery farewell;
    mcph_any_fn fn; /* to be cast to its real type for a call */
    void *arg;
    mcphost_free_fn free_arg;
};

struct mcph_hook *mcph_hook_new(mcph_any_fn fn, void *arg, mcphost_free_fn free_arg);
struct mcph_hook *mcph_hook_ref(struct mcph_hook *hook);
/* Drops a reference.  `hook` may be NULL.  Do not call this under the lock: when the
 * last reference is dropped, `free_arg` runs, and it is user code. */
void mcph_hook_unref(struct mcph_hook *hook);
/* Sets *place to a new hook or, if `fn` is NULL, to NULL.  Calls `enter` first.  `enter`
 * takes the core's lock and returns 0, or returns an error.  mcph_hook_set() releases the
 * lock.  A delivery drops the reference to the old hook and, if `fn` is NULL, frees
 * `arg`.  Returns 0, MCPHOST_E_NOMEM, or the error of `enter`.  On failure the caller
 * keeps `arg`. */
int mcph_hook_set(struct mcph_core *core, struct mcph_hook **place, mcph_any_fn fn,
                  void *arg, mcphost_free_fn free_arg, int (*enter)(void *owner),
                  void *owner);
/* Works like mcph_hook_set(), for a function in `code`.  The hook holds a reference to
 * `code`. */
int mcph_hook_set_code(struct mcph_core *core, struct mcph_hook **place, mcph_any_fn fn,
                       void *arg, mcphost_free_fn free_arg, struct mcph_code *code,
                       int (*enter)(void *owner), void *owner);

/* ---- sources (dispatcher only) ------------------------------------------------------
 * A source is embedded in its owner.  After mcph_source_remove(), on_ready is not called
 * again, not even for events that were already fetched. */

struct mcph_source {
    struct mcph_core *core;
    int fd;          /* the descriptor; -1 if the source is not added */
    uint32_t events; /* EPOLLIN, EPOLLOUT, ... */
    uint32_t slot;
    void (*on_ready)(struct mcph_source *source, uint32_t events);
};
void mcph_source_init(struct mcph_source *source, struct mcph_core *core,
                      void (*on_ready)(struct mcph_source *, uint32_t));
/* Adds the source to the epoll set.  The caller keeps `fd` and closes it.  Returns 0,
 * MCPHOST_E_NOMEM, MCPHOST_E_LIMIT, MCPHOST_E_IO, or MCPHOST_E_FORKED in a forked
 * child. */
int mcph_source_add(struct mcph_source *source, int fd, uint32_t events);
/* Changes the events of interest.  With 0 the source stays added, but its fd leaves the
 * epoll set, so that on_ready is not called.  Returns 0 or an error of
 * mcph_source_add(). */
int mcph_source_set(struct mcph_source *source, uint32_t events);
/* Removes the source.  Call this before closing the fd.  A second call does nothing. */
void mcph_source_remove(struct mcph_source *source);
/* The maximum number of bytes that a source may handle in one turn. */
#define MCPH_TURN_BYTES (256u * 1024u)
/* The cost in bytes of each message, added to its length, because many tiny messages
 * are work, too. */
#define MCPH_TURN_MESSAGE 256u
/* Requests another turn.  A source calls this if it stopped at its budget.  Other code
 * calls this if it has work for the next turn that no descriptor announces. */
void mcph_core_more(struct mcph_core *core);

/* The bytes of MCPH_TURN_BYTES that a source has already spent in this turn.  In a
 * zeroed meter, nothing is spent. */
struct mcph_meter {
    uint64_t turn;
    size_t spent;
};
/* Returns the budget left in this turn.  At 0 the source waits for the next turn. */
size_t mcph_meter_left(struct mcph_meter *meter, const struct mcph_core *core);
/* Subtracts `cost` from the budget.  Call this after mcph_meter_left(), in the same
 * turn. */
static inline void
mcph_meter_spend(struct mcph_meter *meter, size_t cost)
{
    meter->spent += cost;
}

/* ---- timers (dispatcher only) -------------------------------------------------------
 * mcph_timer_init() reserves a place in the heap, so that mcph_timer_set() cannot
 * fail. */

struct mcph_timer {
    struct mcph_core *core;
    int64_t due;  /* a time of mcph_core_now() */
    size_t index; /* the place in the heap; SIZE_MAX if the timer is not set */
    void (*on_due)(struct mcph_timer *timer);
};
/* Initialises a timer that is not set.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_timer_init(struct mcph_timer *timer, struct mcph_core *core,
                    void (*on_due)(struct mcph_timer *));
void mcph_timer_done(struct mcph_timer *timer); /* cancels the timer; may be called on
                                                 * zeroed memory */
void mcph_timer_set(struct mcph_timer *timer, int64_t due);
void mcph_timer_cancel(struct mcph_timer *timer);
static inline bool
mcph_timer_is_set(const struct mcph_timer *timer)
{
    return timer->index != SIZE_MAX;
}
int64_t mcph_core_now(const struct mcph_core *core); /* monotonic ms, any thread */
/* Returns the time of mcph_core_now(), but reads the clock only once for all jobs of a
 * round.  Only the dispatcher may call this. */
int64_t mcph_core_round_now(struct mcph_core *core);
/* Replaces the clock, for tests.  Call this before any other use of the core. */
void mcph_core_set_clock(struct mcph_core *core, int64_t (*now_ms)(void *arg), void *arg);

/* ---- dispatch ---------------------------------------------------------------------- */

int mcph_core_get_fd(struct mcph_core *core);
/* Makes this thread the driver, and runs one turn.  Returns 1 if there is more to do, 0
 * if there is nothing to do, or MCPHOST_E_BUSY, MCPHOST_E_FORKED, MCPHOST_E_CLOSED or
 * MCPHOST_E_IO. */
int mcph_core_dispatch(struct mcph_core *core);
/* Runs turns until a turn has done work or `timeout_ms` has passed.  If `timeout_ms` is
 * -1, there is no time limit.  Sleeps while another thread dispatches, and then returns
 * after a turn of that thread that did work.  After a turn of the library's own thread,
 * this function wakes before that thread sleeps again.  Returns 1 if a turn did work, 0
 * if the time is up, MCPHOST_E_WOKEN, or an error of mcph_core_dispatch().
 * MCPHOST_E_BUSY means that the caller is inside a delivery. */
int mcph_core_wait(struct mcph_core *core, int64_t timeout_ms);
/* Runs turns until `pred` returns true.  Returns 1 if `pred` has returned true, 0 if the
 * time is up, MCPHOST_E_WOKEN, or another error.  Many threads may call this at once: one
 * thread dispatches, and the other threads sleep.  The function calls `pred` with the
 * mutex held.  Inside a delivery the function calls `pred` once.  If `pred` returns false
 * there, the function returns MCPHOST_E_BUSY. */
int mcph_core_wait_until(struct mcph_core *core, bool (*pred)(void *arg), void *arg,
                         int64_t timeout_ms);
/* Wakes the sleepers, and the dispatcher if it sleeps.  Call this, with the lock held,
 * after making a predicate true. */
void mcph_core_notify_locked(struct mcph_core *core);
/* Works like mcph_core_notify_locked(), for a delivery that changed an atomic variable
 * without the lock.  The dispatcher wakes the sleepers before the next delivery of this
 * turn or, if there is none, when it polls or stops dispatching.  Sleepers that wake
 * earlier would contend with the dispatcher for the lock. */
void mcph_core_notify_delivered(struct mcph_core *core);
/* Sets whether the application polls the core's fd.  If `driven` becomes true, the caller
 * is the first driver.  Later the driver is the thread that called mcph_core_dispatch()
 * last.  Other threads sleep in the wait functions.  Returns 0, MCPHOST_E_STATE if
 * `driven` is true and the library's thread runs or was not joined yet, or
 * MCPHOST_E_FORKED. */
int mcph_core_set_driven(struct mcph_core *core, bool driven);
/* Ends the waits in progress with MCPHOST_E_WOKEN or, if no wait is in progress, the next
 * wait.  The function is async-signal-safe.  Returns 0 or MCPHOST_E_FORKED. */
int mcph_core_interrupt(struct mcph_core *core);
/* Starts a thread of the library that dispatches.  All signals are blocked in this
 * thread.  Returns 0, MCPHOST_E_STATE if the library's thread runs already or the
 * application drives the core, MCPHOST_E_LIMIT, or an error of mcph_core_enter(). */
int mcph_core_thread_start(struct mcph_core *core);
/* Ends and joins the library's thread.  Returns 0, MCPHOST_E_BUSY if that thread itself
 * calls this function, MCPHOST_E_STATE if there is no thread to end or another call ends
 * it already, or MCPHOST_E_FORKED. */
int mcph_core_thread_stop(struct mcph_core *core);
/* Returns true if the library's thread calls this function.  Returns false in a forked
 * child. */
bool mcph_core_thread_is_current(struct mcph_core *core);

/* ---- log ----------------------------------------------------------------------------
 * The queue keeps log lines until no lock is held.  Then the lines are passed to the
 * application.  The queue is bounded and counts the lines that are lost.  Any thread may
 * log, with or without the lock.  Line ends become spaces.  mcph_log() replaces invalid
 * UTF-8, and cuts a line after 2047 bytes. */

void mcph_log(struct mcph_core *core, int level, const char *room, const char *server,
              const char *fmt, ...) MCPHOST_PRINTF(5, 6);
bool mcph_log_wants(const struct mcph_core *core, int level);
/* Sets the application's log function, and the level up to which lines are passed to this
 * function.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_FORKED.  On failure the caller keeps
 * `arg`. */
int mcph_core_set_log(struct mcph_core *core, int level, mcphost_log_fn fn, void *arg,
                      mcphost_free_fn free_arg);

/* ---- writing without SIGPIPE ------------------------------------------------------- */

/* Writes like write(2), but reports a closed reader by EPIPE alone, without SIGPIPE.  The
 * process's signal handling does not change. */
ssize_t mcph_write_nosig(int fd, const void *data, size_t len);

/* Encloses calls into a library that may write to closed sockets or start threads.
 * mcph_sigguard_enter() blocks all signals in this thread, so that new threads inherit a
 * full mask.  If the library caused a SIGPIPE, mcph_sigguard_leave() removes the signal
 * before it restores the old mask.  If the old mask blocks SIGPIPE, the signal stays
 * pending. */
struct mcph_sigguard {
    unsigned long old[128 / sizeof(unsigned long)]; /* the mask before, a sigset_t */
};
void mcph_sigguard_enter(struct mcph_sigguard *guard);
void mcph_sigguard_leave(const struct mcph_sigguard *guard);

/* ---- watching files (watch.c, dispatcher only) --------------------------------------
 * A watch reports that a file may have changed: its contents, its existence, the target
 * of a symbolic link to it, or the existence of its directory.  A watch of a directory
 * reports that the names in it may have changed.  There are two ways to notice a change:
 * inotify events, which are reported after a debounce, and a comparison of signatures at
 * intervals.  Either way suffices.  The debounce and the intervals do not depend on the
 * wall clock.  Only the age of a signature does (mcph_file_sig_young()). */

struct mcph_watcher; /* one inotify descriptor and one poll timer */
struct mcph_watch;   /* one file or directory */

struct mcph_watch_options {
    bool events;         /* use inotify */
    int64_t poll_ms;     /* interval of the comparisons; 0 for none */
    int64_t debounce_ms; /* a change is reported after this time without another event */
};

/* Makes a watcher without watches.  If inotify is not available (a limit is reached), the
 * watcher uses polling alone and logs this fact once for each reason.  The watcher tries
 * inotify again at each poll or, if `poll_ms` is 0, at intervals.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_watcher_new(struct mcph_core *core, const struct mcph_watch_options *options,
                     struct mcph_watcher **ret, mcphost_error **reterr);
/* Frees the watcher.  All watches of the watcher must have been freed before.  Returns
 * NULL. */
struct mcph_watcher *mcph_watcher_free(struct mcph_watcher *watcher);
/* Returns an errno (EMFILE, ENOSPC, ...) if events were requested but are not available,
 * else 0. */
int mcph_watcher_fault(const struct mcph_watcher *watcher);

/* Watches `path`.  The path must be absolute but need not exist.  Read the file after
 * this call, not before, because the present state counts as seen.  `changed` runs on
 * the dispatcher, outside the lock, and may free any watch.  `changed` may also run
 * when nothing has changed.  Returns 0, MCPHOST_E_INVALID if the path is not absolute
 * or too long, or MCPHOST_E_NOMEM. */
int mcph_watch_new(struct mcph_watcher *watcher, const char *path,
                   void (*changed)(struct mcph_watch *watch, void *arg), void *arg,
                   struct mcph_watch **ret, mcphost_error **reterr);
/* Works like mcph_watch_new(), for a directory.  The directory need not exist.  `changed`
 * runs when a name that `counts` accepts was added or removed.  Changes inside the files
 * are not reported.  If `counts` is NULL, `path` is a file, as for mcph_watch_new(). */
int mcph_watch_new_dir(struct mcph_watcher *watcher, const char *path,
                       bool (*counts)(const char *name),
                       void (*changed)(struct mcph_watch *watch, void *arg), void *arg,
                       struct mcph_watch **ret, mcphost_error **reterr);
/* Works like mcph_watch_new(), for a path below the directory `root`.  `root` must stay
 * open as long as the watch.  `path` is relative to `root`.  "" is `root` itself.  The
 * watch follows no symbolic link, so that nothing outside `root` is examined.  If
 * `is_dir` is true, the names in the directory are watched. */
int mcph_watch_new_beneath(struct mcph_watcher *watcher, int root, const char *path,
                           bool is_dir,
                           void (*changed)(struct mcph_watch *watch, void *arg),
                           void *arg, struct mcph_watch **ret, mcphost_error **reterr);
struct mcph_watch *mcph_watch_free(struct mcph_watch *watch); /* returns NULL */
const char *mcph_watch_path(const struct mcph_watch *watch);

/* Checks the file now.  Returns true if the file's state differs from the state seen
 * last, if there was an event that is reported even without a difference (watch.c), or if
 * the poll has found a difference that was not reported yet.  After the check, the
 * present state counts as seen.  An event that waits for its debounce is not reported any
 * more. */
bool mcph_watch_check(struct mcph_watch *watch);
/* Hides the caller's own write.  Call this after the write has replaced the file `before`
 * by the file `after`.  If `before` is the state seen last, the write is not reported,
 * and `after` becomes the state seen last.  A change by another process after the write
 * is still reported.  If `before` is not the state seen last, a change came before the
 * write.  In this case, the change is still reported. */
void mcph_watch_own_write(struct mcph_watch *watch, const struct mcph_file_sig *before,
                          const struct mcph_file_sig *after);

#endif
