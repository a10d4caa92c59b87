/* SPDX-License-Identifier: MIT
 *
 * libevent.h - a host in an event base of libevent 2.
 *
 * adapter.h describes attached hosts and how they end.  Compile with the flags of
 * pkg-config libevent_core.
 */
#ifndef MCPHOST_ADAPTERS_LIBEVENT_H
#define MCPHOST_ADAPTERS_LIBEVENT_H

#include <event2/event.h>
#include <stdlib.h>

#include <mcphost/adapters/adapter.h>

struct mcphost_libevent {
    struct mcphost_adapter adapter;
    struct event *event;
};

static inline void
mcphost_libevent_stop(struct mcphost_libevent *attached)
{
    if (attached->event)
        event_free(attached->event);
    attached->event = NULL;
}

static inline void
mcphost_libevent_ready(evutil_socket_t fd, short what, void *arg)
{
    struct mcphost_libevent *attached = (struct mcphost_libevent *)arg;
    int next = mcphost_adapter_turn(&attached->adapter);

    (void)fd;
    (void)what;
    if (next == MCPHOST_ADAPTER_RELEASE)
        free(attached);
    else if (next == MCPHOST_ADAPTER_STOP)
        mcphost_libevent_stop(attached);
    else if (next == MCPHOST_ADAPTER_AGAIN)
        event_active(attached->event, EV_READ, 1); /* an EV_ET event does not repeat */
}

/*
 * mcphost_libevent_attach - attach a host to an event base.
 *
 * `flags` is 0, or EV_ET for an edge-triggered event.  Pass EV_ET only if the base has
 * this feature.  `ended` may be NULL.
 *
 * Returns: 0 and *ret_attached, or an error code of mcphost_get_fd() or
 *   mcphost_set_driven(), or MCPHOST_E_NOMEM, or MCPHOST_E_IO if libevent refuses the
 *   descriptor.
 */
static inline int
mcphost_libevent_attach(mcphost *host, struct event_base *base, short flags,
                        mcphost_ended_fn ended, void *arg,
                        struct mcphost_libevent **ret_attached)
{
    struct mcphost_libevent *attached =
        (struct mcphost_libevent *)calloc(1, sizeof(struct mcphost_libevent));
    int fd = attached ? mcphost_adapter_begin(&attached->adapter, host, ended, arg)
                      : MCPHOST_E_NOMEM;

    if (fd < 0) {
        free(attached);
        return fd;
    }
    attached->event = event_new(base, fd, (short)(EV_READ | EV_PERSIST | flags),
                                mcphost_libevent_ready, attached);
    if (!attached->event || event_add(attached->event, NULL) < 0) {
        mcphost_libevent_stop(attached);
        mcphost_adapter_end(&attached->adapter);
        free(attached);
        return MCPHOST_E_IO;
    }
    *ret_attached = attached;
    return 0;
}

/* mcphost_libevent_detach - detach a host.  NULL is ignored. */
static inline void
mcphost_libevent_detach(struct mcphost_libevent *attached)
{
    if (!attached)
        return;
    mcphost_libevent_stop(attached);
    if (mcphost_adapter_detach(&attached->adapter))
        free(attached);
}

#endif
