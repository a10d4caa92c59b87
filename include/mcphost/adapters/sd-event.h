/* SPDX-License-Identifier: MIT
 *
 * sd-event.h - a host in an event loop of libsystemd.
 *
 * adapter.h describes attached hosts and how they end.  Compile with the flags of
 * pkg-config libsystemd.
 */
#ifndef MCPHOST_ADAPTERS_SD_EVENT_H
#define MCPHOST_ADAPTERS_SD_EVENT_H

#include <stdlib.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>

#include <mcphost/adapters/adapter.h>

struct mcphost_sd_event {
    struct mcphost_adapter adapter;
    sd_event_source *source;
};

static inline void
mcphost_sd_event_stop(struct mcphost_sd_event *attached)
{
    if (attached->source)
        sd_event_source_set_enabled(attached->source, SD_EVENT_OFF);
    attached->source = sd_event_source_unref(attached->source);
}

static inline int
mcphost_sd_event_ready(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
    struct mcphost_sd_event *attached = (struct mcphost_sd_event *)arg;
    int next = mcphost_adapter_turn(&attached->adapter);

    (void)source;
    (void)fd;
    (void)revents;
    if (next == MCPHOST_ADAPTER_RELEASE)
        free(attached);
    else if (next == MCPHOST_ADAPTER_STOP)
        mcphost_sd_event_stop(attached);
    return 0; /* the source fires again while there is work */
}

/*
 * mcphost_sd_event_attach - attach a host to an event loop.
 *
 * `ended` may be NULL.
 *
 * Returns: 0 and *ret_attached, or an error code of mcphost_get_fd() or
 *   mcphost_set_driven(), or MCPHOST_E_NOMEM, or MCPHOST_E_IO if libsystemd refuses the
 *   descriptor.
 */
static inline int
mcphost_sd_event_attach(mcphost *host, sd_event *event, mcphost_ended_fn ended, void *arg,
                        struct mcphost_sd_event **ret_attached)
{
    struct mcphost_sd_event *attached =
        (struct mcphost_sd_event *)calloc(1, sizeof(struct mcphost_sd_event));
    int fd = attached ? mcphost_adapter_begin(&attached->adapter, host, ended, arg)
                      : MCPHOST_E_NOMEM;

    if (fd < 0) {
        free(attached);
        return fd;
    }
    if (sd_event_add_io(event, &attached->source, fd, EPOLLIN, mcphost_sd_event_ready,
                        attached) < 0) {
        mcphost_adapter_end(&attached->adapter);
        free(attached);
        return MCPHOST_E_IO;
    }
    *ret_attached = attached;
    return 0;
}

/* mcphost_sd_event_detach - detach a host.  NULL is ignored. */
static inline void
mcphost_sd_event_detach(struct mcphost_sd_event *attached)
{
    if (!attached)
        return;
    mcphost_sd_event_stop(attached);
    if (mcphost_adapter_detach(&attached->adapter))
        free(attached);
}

#endif
