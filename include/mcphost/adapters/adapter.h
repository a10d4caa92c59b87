/* SPDX-License-Identifier: MIT
 *
 * adapter.h - the part that all adapters to event loops share.
 *
 * Include the header of a loop: glib.h, libuv.h, libevent.h, sd-event.h or qt.h.  Each
 * header has one function that attaches a host to a loop, and one function that detaches
 * the host.
 *
 * While a host is attached, the loop polls the descriptor of mcphost_get_fd() and
 * dispatches.  The adapter holds a reference to the host.  The adapter also declares the
 * loop as the driver of the host: mcphost_set_driven() describes the effect on threads.
 * Attach and detach the host on the loop's thread.
 *
 * When the host has ended, the adapter stops polling and calls `ended` once, with
 * MCPHOST_E_CLOSED.  If mcphost_dispatch() fails with an error other than
 * MCPHOST_E_BUSY, `ended` gets this error.  The host stays attached until the application
 * detaches it.  Any function of the application may close the host or detach it, also
 * while the host dispatches.
 */
#ifndef MCPHOST_ADAPTERS_ADAPTER_H
#define MCPHOST_ADAPTERS_ADAPTER_H

#include <mcphost/error.h>
#include <mcphost/host.h>
#include <mcphost/loop.h>

/* mcphost_ended_fn - handle the end of the dispatching of an attached host.  `code` is
 * MCPHOST_E_CLOSED, or the error with which mcphost_dispatch() failed. */
typedef void (*mcphost_ended_fn)(mcphost *host, int code, void *arg);

/* The next action of a loop. */
enum mcphost_adapter_next {
    MCPHOST_ADAPTER_POLL = 0,    /* wait for the descriptor */
    MCPHOST_ADAPTER_AGAIN = 1,   /* dispatch again, after the loop's other work */
    MCPHOST_ADAPTER_STOP = 2,    /* stop polling */
    MCPHOST_ADAPTER_RELEASE = 3, /* free the adapter: the turn detached the host */
    MCPHOST_ADAPTER_NOTHING = 4  /* do nothing: a turn runs, or the host is detached */
};

/* The limit on turns of the dispatcher in a row.  After these turns, the loop does other
 * work.  Each turn is short. */
#define MCPHOST_ADAPTER_TURNS 32

struct mcphost_adapter {
    mcphost *host;
    mcphost_ended_fn ended;
    void *arg;
    int inside;   /* 1 while mcphost_adapter_turn() runs */
    int detached; /* 1 after the host was detached */
    int over;     /* 1 after the dispatching has ended */
};

/* Takes a reference to the host and declares the loop as the driver of the host.  Returns
 * the descriptor to poll, or a negative error code. */
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

/* Declares that the loop no longer drives the host, and drops the adapter's reference to
 * the host.  If this reference is the last, the host ends here, and this function waits
 * for the end. */
static inline void
mcphost_adapter_end(struct mcphost_adapter *adapter)
{
    if (adapter->host)
        mcphost_set_driven(adapter->host, 0);
    adapter->host = mcphost_unref(adapter->host);
}

/* Detaches the host.  Returns 1 if the adapter may be freed now, or 0 if a running
 * mcphost_adapter_turn() still uses the adapter. */
static inline int
mcphost_adapter_detach(struct mcphost_adapter *adapter)
{
    adapter->detached = 1;
    if (adapter->inside)
        return 0;
    mcphost_adapter_end(adapter);
    return 1;
}

/* Dispatches until no work is left, or until the loop should do other work.  Returns the
 * next action of the loop, MCPHOST_ADAPTER_*. */
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
    /* Ignore MCPHOST_E_BUSY: another thread that is inside a wait dispatches until the
     * wait ends. */
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
