/* SPDX-License-Identifier: MIT
 *
 * loop.h - driving a host: from the application's event loop, without one, or
 * from a thread.
 *
 * One descriptor, one function.  mcphost_get_fd() never changes; poll it for
 * input and call mcphost_dispatch().  User code (events, completions, built-in
 * tools, free functions) runs only inside dispatch and its relatives below, with
 * no lock held.
 */
#ifndef MCPHOST_LOOP_H
#define MCPHOST_LOOP_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_get_fd - the descriptor to poll for input.
 *
 * Constant for the host's life, close-on-exec, level-triggered, readable
 * whenever dispatch may have something to do.  Do not read, write or close it.
 * An edge-triggered loop must dispatch until 0 before it waits again.
 *
 * Returns the descriptor, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_fd(mcphost *host);

/*
 * mcphost_dispatch - do what there is to do, without blocking.
 *
 * One turn: submitted work, ready descriptors, due timers, then callbacks.
 * Exactly one thread dispatches at a time.  A loop goes on polling after
 * MCPHOST_E_BUSY: another thread dispatches inside one of the waits below, which
 * mcphost_set_driven() prevents.
 *
 * Returns >0 when there is more to do at once, 0 when idle; MCPHOST_E_BUSY when
 * another thread dispatches or this is called from a callback, MCPHOST_E_CLOSED
 * when the host is closed and everything is delivered, MCPHOST_E_INVALID,
 * MCPHOST_E_FORKED, MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_dispatch(mcphost *host);

/*
 * mcphost_wait - sleep until there is something to do, and do it.
 *
 * For programs without a loop.  `timeout_ms` -1: no limit.  Beside a declared driver
 * (mcphost_set_driven()) it sleeps until a turn of the driver has done something.
 *
 * A signal does not end this or another wait (mcphost_wait_ready(),
 * mcphost_call_wait()): after its handler the wait goes on with the time that is left.
 * A handler that wants to end it calls mcphost_wake().
 *
 * Returns 1 when something was done, 0 when the time passed, MCPHOST_E_WOKEN, or as
 * mcphost_dispatch().
 * Since: 0.1
 */
MCPHOST_API int mcphost_wait(mcphost *host, int64_t timeout_ms);

/*
 * mcphost_wait_ready - dispatch until every server of all sources came up or failed.
 *
 * Loads, reloads, restarts, edits and removals of sources that were ordered before are
 * carried out first, and the servers that they start come up or fail.  An
 * application that reads the file before each turn calls mcphost_reload(), this, and
 * mcphost_dialog_begin_turn().
 *
 * From many threads at once: one of them dispatches, the others sleep.
 * Returns 1 when all had their attempt, 0 when the time passed; MCPHOST_E_WOKEN,
 * MCPHOST_E_STATE before mcphost_load(), MCPHOST_E_BUSY inside a callback,
 * MCPHOST_E_CLOSED, MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_wait_ready(mcphost *host, int64_t timeout_ms);

/*
 * mcphost_wake - end a wait.
 *
 * Every wait that is under way (mcphost_wait(), mcphost_wait_ready(),
 * mcphost_call_wait()) ends with MCPHOST_E_WOKEN, unless what it waits for happened.  If
 * none is under way, the next one ends at once: a wake from a signal handler is never
 * too early.  Several of them before that count once.  The descriptor of
 * mcphost_get_fd() becomes readable; mcphost_dispatch() is no wait and leaves the wake to
 * the next one.  Async-signal-safe: for signal handlers; `errno` stays.  The caller
 * must hold a reference to the host.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_wake(mcphost *host);

/*
 * mcphost_set_driven - declare that a loop polls the descriptor.
 *
 * `driven` 1: a loop polls mcphost_get_fd() and calls mcphost_dispatch().  From now on
 * the waits of all other threads sleep and leave dispatching to it.  So callbacks run
 * on the loop's thread alone, and the descriptor is not readable for work that another
 * thread is about to do.  0, the default: a waiting thread dispatches itself.
 *
 * The driver is the thread that called mcphost_dispatch() last, and before the first
 * such call the caller of this function; its own waits dispatch, because nobody else
 * would.  mcphost_wait() makes no thread the driver.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (mcphost_thread_start() runs one),
 * MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_driven(mcphost *host, int driven);

/*
 * mcphost_thread_start - let a thread of the library dispatch.
 *
 * Callbacks then run on that thread, which has all signals blocked.
 *
 * Returns 0, MCPHOST_E_STATE when it runs or a driver is declared, MCPHOST_E_LIMIT when
 * no thread can be made, MCPHOST_E_CLOSED, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_thread_start(mcphost *host);

/*
 * mcphost_thread_stop - end that thread and wait for it.
 *
 * Returns 0, MCPHOST_E_STATE when none runs, MCPHOST_E_BUSY on that thread
 * itself, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_thread_stop(mcphost *host);

#ifdef __cplusplus
}
#endif
#endif
