/* SPDX-License-Identifier: MIT
 *
 * adapter.h - the part that all adapters to event loops share.
 *
 * Include the header of a loop: glib.h, libuv.h, libevent.h, sd-event.h or qt.h.  Each
 * has one function that attaches a host to a loop, and one that detaches it.
 *
 * While a host is attached, the loop polls mcphost_get_fd() and dispatches.  The adapter
 * holds a reference to the host and declares the loop as its driver
 * (mcphost_set_driven()), so functions of the application run on the loop's thread alone.
 * Attach and detach on this thread.
 *
 * When the host is closed and everything was delivered, the adapter stops polling and
 * calls `ended` once, with MCPHOST_E_CLOSED.  `ended` gets another code if dispatching
 * fails.  The attachment stays until it is detached.  Any function of the application may
 * close the host or detach it, also while the host dispatches.
 */
#ifndef MCPHOST_ADAPTERS_ADAPTER_H
#define MCPHOST_ADAPTERS_ADAPTER_H

#include <mcphost/error.h>
#include <mcphost/host.h>
#include <mcphost/loop.h>

/* mcphost_ended_fn - learn that an attached host does nothing any more.  `code` is
 * MCPHOST_E_CLOSED, or the error with which mcphost_dispatch() failed. */
typedef void (*mcphost_ended_fn)(mcphost *host, int code, void *arg);

/* What a loop does next. */
enum mcphost_adapter_next {
    MCPHOST_ADAPTER_POLL = 0,    /* wait for the descriptor */
    MCPHOST_ADAPTER_AGAIN = 1,   /* dispatch again, after the loop's other work */
    MCPHOST_ADAPTER_STOP = 2,    /* poll no more */
    MCPHOST_ADAPTER_RELEASE = 3, /* the host was detached meanwhile: free the adapter */
    MCPHOST_ADAPTER_NOTHING = 4  /* the host dispatches further up, or is detached */
};

/* Turns before the loop may do other work.  Each turn is short. */
#define MCPHOST_ADAPTER_TURNS 32

struct mcphost_adapter {
    mcphost *host;
    mcphost_ended_fn ended;
    void *arg;
    int inside;   /* the host dispatches */
    int detached; /* while it did */
    int over;     /* `ended` was called */
};

/* Returns the descriptor to poll, or a negative error code. */
static inline int
mcphost_adapter_begin(struct mcphost_adapter *adapter, mcphost *host,
                      mcphost_ended_fn ended, void *arg)
{
    int fd = mcphost_get_fd(host);
    int r = fd < 0 ? fd : mcphost_set_driven(host, 1);

    adapter->host = r < 0 ? (mcphost *)0 : mcphost_ref(host);
    adapter->ended = ended;
    adapter->arg = arg;
    adapter->inside = 0;
    adapter->detached = 0;
    adapter->over = 0;
    return r < 0 ? r : fd;
}

/* Drops the host.  The host may end here, which takes a moment. */
static inline void
mcphost_adapter_end(struct mcphost_adapter *adapter)
{
    if (adapter->host)
        mcphost_set_driven(adapter->host, 0);
    adapter->host = mcphost_unref(adapter->host);
}

/* Returns 1 if the adapter may be freed now, or 0 if its turn will do that. */
static inline int
mcphost_adapter_detach(struct mcphost_adapter *adapter)
{
    adapter->detached = 1;
    if (adapter->inside)
        return 0;
    mcphost_adapter_end(adapter);
    return 1;
}

/* Dispatches until nothing is left, or the loop should do other work.  Returns what to do
 * next, one of MCPHOST_ADAPTER_*. */
static inline int
mcphost_adapter_turn(struct mcphost_adapter *adapter)
{
    int r = 1, n;

    if (adapter->inside || adapter->detached)
        return MCPHOST_ADAPTER_NOTHING;
    if (adapter->over)
        return MCPHOST_ADAPTER_STOP;
    adapter->inside = 1;
    for (n = 0; n < MCPHOST_ADAPTER_TURNS && r > 0 && !adapter->detached; n++)
        r = mcphost_dispatch(adapter->host);
    /* Another thread that is inside a wait dispatches until the wait ends. */
    if (r < 0 && r != MCPHOST_E_BUSY && !adapter->detached) {
        adapter->over = 1;
        if (adapter->ended)
            adapter->ended(adapter->host, r, adapter->arg);
    }
    adapter->inside = 0;
    if (adapter->detached) {
        mcphost_adapter_end(adapter);
        return MCPHOST_ADAPTER_RELEASE;
    }
    if (adapter->over)
        return MCPHOST_ADAPTER_STOP;
    return r == 0 ? MCPHOST_ADAPTER_POLL : MCPHOST_ADAPTER_AGAIN;
}

#endif
