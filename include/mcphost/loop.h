/* SPDX-License-Identifier: MIT
 *
 * loop.h - drive a host: from the application's event loop, without a loop, or from a
 * thread of the library.
 *
 * A host does its work while a thread dispatches: inside mcphost_dispatch(), inside one
 * of the waits below, or on the thread of mcphost_thread_start().  The functions of the
 * application (events, completions, built-in tools) run on the thread that dispatches,
 * with no lock held.  log.h and types.h say where log functions and free functions run.
 *
 * A loop needs one descriptor and one function: it polls mcphost_get_fd() for input and
 * then calls mcphost_dispatch().
 *
 * Any thread may call these functions.  The waits and mcphost_thread_stop() block.
 */
#ifndef MCPHOST_LOOP_H
#define MCPHOST_LOOP_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_get_fd - get the descriptor to poll for input.
 *
 * The descriptor is the same for the whole life of the host.  It is close-on-exec.  Poll
 * the descriptor level-triggered.  The descriptor is readable whenever mcphost_dispatch()
 * may have work to do, also when a timer is due.  An edge-triggered loop must dispatch
 * until mcphost_dispatch() returns 0 before it waits again.  Do not read, write or close
 * the descriptor.
 *
 * Returns: the descriptor to poll.
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_fd(mcphost *host);

/*
 * mcphost_dispatch - carry out the work that is due, without blocking.
 *
 * The function makes one turn of the dispatcher: it handles submitted work, ready
 * descriptors and due timers, and then runs functions of the application.  One thread
 * dispatches at a time.  After MCPHOST_E_BUSY, poll again, because another thread is
 * dispatching inside a wait.  mcphost_set_driven() keeps waits from dispatching.
 *
 * Returns: a positive number if the host has more to do at once, 0 if the host has
 *   nothing to do at once.
 * Errors: MCPHOST_E_BUSY (another thread is dispatching, or a callback made the call),
 *   MCPHOST_E_CLOSED (the host is closed and has nothing left to deliver),
 *   MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dispatch(mcphost *host);

/*
 * mcphost_wait - sleep until work is due, and carry it out.
 *
 * Use this function in a program without a loop.  If `timeout_ms` is -1, there is no
 * limit.  While another thread dispatches, or is the declared driver
 * (mcphost_set_driven()), or the thread of mcphost_thread_start() runs, this function
 * does not dispatch: it sleeps until a turn of another thread has done work.
 *
 * While this thread sleeps, a function that another thread calls may carry out work
 * itself.  This work does not end the wait.
 *
 * A signal does not end this or another wait (mcphost_wait_ready(), mcphost_call_wait()).
 * After the signal's handler the wait continues with the time that is left.  To end the
 * wait, call mcphost_wake() in the handler.
 *
 * Returns: 1 if the host has done work, 0 if the time has passed.
 * Errors: MCPHOST_E_WOKEN, MCPHOST_E_BUSY (a callback made the call), MCPHOST_E_CLOSED
 *   (the host is closed and has nothing left to deliver), MCPHOST_E_INVALID,
 *   MCPHOST_E_FORKED, MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_wait(mcphost *host, int64_t timeout_ms);

/*
 * mcphost_wait_ready - dispatch until every server of all sources has come up or failed.
 *
 * Loads, reloads, restarts, edits and removals of sources that were ordered before this
 * call are carried out first.  The wait includes the servers that these orders start.
 * To read the file before each dialog turn, call mcphost_reload(), this function, and
 * mcphost_dialog_begin_turn().
 *
 * Many threads may call this function at once.  One of the threads dispatches.  The other
 * threads sleep.  If `timeout_ms` is -1, there is no limit.
 *
 * Returns: 1 if every server has come up or failed, 0 if the time has passed.
 * Errors: MCPHOST_E_WOKEN, MCPHOST_E_STATE (the application has loaded nothing),
 *   MCPHOST_E_BUSY (a callback made the call, and the call had to wait),
 *   MCPHOST_E_CLOSED (the host is closed or closing), MCPHOST_E_INVALID,
 *   MCPHOST_E_FORKED, MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_wait_ready(mcphost *host, int64_t timeout_ms);

/*
 * mcphost_wake - end a wait.
 *
 * Every wait that is under way (mcphost_wait(), mcphost_wait_ready(),
 * mcphost_call_wait()) ends with MCPHOST_E_WOKEN, unless its condition has become true.
 * If no wait is under way, the next wait ends at once.  A wake from a signal handler is
 * therefore never too early.  Several wakes before that wait count once.
 *
 * The descriptor of mcphost_get_fd() becomes readable.  mcphost_dispatch() leaves the
 * wake to the next wait, because it is not a wait itself.
 *
 * Signal handlers may call this function, because it is async-signal-safe.  The function
 * preserves `errno`.  The caller must hold a reference to the host.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_wake(mcphost *host);

/*
 * mcphost_set_driven - declare that a loop polls the descriptor.
 *
 * `driven` 1 means that a loop polls mcphost_get_fd() and calls mcphost_dispatch().  The
 * waits of all other threads then sleep and leave dispatching to the loop.  Functions of
 * the application then run on the loop's thread alone.  A function that another thread
 * calls may carry out work itself.  The descriptor does not become readable for this
 * work.  `driven` 0, the default, means that a waiting thread dispatches itself.
 *
 * At first, the driver is the caller of this function.  Each call of mcphost_dispatch()
 * makes the thread that calls it the driver.  The driver's own waits dispatch, because
 * no other thread would.  mcphost_wait() makes no thread the driver.  When the loop
 * ends, declare `driven` 0.  Otherwise a wait of another thread, also a wait for the
 * end of the host, sleeps until its time has passed.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the thread of mcphost_thread_start() runs),
 *   MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_driven(mcphost *host, int driven);

/*
 * mcphost_thread_start - let a thread of the library dispatch.
 *
 * The functions of the application then run on that thread.  All signals are blocked on
 * the thread.
 *
 * Errors: MCPHOST_E_STATE (the thread runs already, or a driver is declared),
 *   MCPHOST_E_LIMIT (the library cannot make a thread), MCPHOST_E_CLOSED,
 *   MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_thread_start(mcphost *host);

/*
 * mcphost_thread_stop - end the thread of mcphost_thread_start() and wait for it.
 *
 * Errors: MCPHOST_E_STATE (the thread of mcphost_thread_start() does not run, or another
 *   caller is stopping the thread), MCPHOST_E_BUSY (a callback on the thread of
 *   mcphost_thread_start() made the call), MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_thread_stop(mcphost *host);

/*
 * mcphost_thread_is_current - say whether the thread of mcphost_thread_start() makes the
 * call.
 *
 * A function of the application finds out this way whether it runs on that thread.
 *
 * Returns: 1 if the thread of `host` makes the call, 0 if another thread makes the call,
 *   if `host` is NULL, or if the process is a forked child.
 * Since: 0.2
 */
MCPHOST_API int mcphost_thread_is_current(mcphost *host);

#ifdef __cplusplus
}
#endif
#endif
