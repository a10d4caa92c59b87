/* SPDX-License-Identifier: MIT
 *
 * libuv.h - a host in a loop of libuv.
 *
 * adapter.h describes attached hosts and how they end.  Compile with the flags of
 * pkg-config libuv.  In an addon of Node.js, compile with the headers of Node.js instead.
 *
 * The handle of an attached host is active until the adapter stops polling.  Until
 * then, uv_run() in the mode UV_RUN_DEFAULT returns only if uv_stop() is called.
 */
#ifndef MCPHOST_ADAPTERS_LIBUV_H
#define MCPHOST_ADAPTERS_LIBUV_H

#include <stdlib.h>
#include <uv.h>

#include <mcphost/adapters/adapter.h>

struct mcphost_libuv {
    struct mcphost_adapter adapter;
    uv_poll_t poll;
};

static inline void
mcphost_libuv_free(uv_handle_t *handle)
{
    free(handle->data);
}

static inline void
mcphost_libuv_ready(uv_poll_t *poll, int status, int events)
{
    struct mcphost_libuv *attached = (struct mcphost_libuv *)poll->data;

    (void)status;
    (void)events;
    /* Stop polling if the host has ended.  The other actions need no code here: the
     * descriptor stays readable while there is work, and mcphost_libuv_free() frees a
     * detached adapter. */
    if (mcphost_adapter_turn(&attached->adapter) == MCPHOST_ADAPTER_STOP)
        uv_poll_stop(poll);
}

/*
 * mcphost_libuv_attach - attach a host to a loop.
 *
 * `ended` may be NULL.
 *
 * Returns: 0 and *ret_attached, or an error code of mcphost_get_fd() or
 *   mcphost_set_driven(), or MCPHOST_E_NOMEM, or MCPHOST_E_IO if libuv refuses the
 *   descriptor.
 */
static inline int
mcphost_libuv_attach(mcphost *host, uv_loop_t *loop, mcphost_ended_fn ended, void *arg,
                     struct mcphost_libuv **ret_attached)
{
    struct mcphost_libuv *attached =
        (struct mcphost_libuv *)calloc(1, sizeof(struct mcphost_libuv));
    int fd = attached ? mcphost_adapter_begin(&attached->adapter, host, ended, arg)
                      : MCPHOST_E_NOMEM;

    if (fd < 0) {
        free(attached);
        return fd;
    }
    if (uv_poll_init(loop, &attached->poll, fd) < 0) {
        mcphost_adapter_end(&attached->adapter);
        free(attached);
        return MCPHOST_E_IO;
    }
    attached->poll.data = attached;
    if (uv_poll_start(&attached->poll, UV_READABLE, mcphost_libuv_ready) < 0) {
        mcphost_adapter_end(&attached->adapter);
        uv_close((uv_handle_t *)&attached->poll, mcphost_libuv_free);
        return MCPHOST_E_IO;
    }
    *ret_attached = attached;
    return 0;
}

/* mcphost_libuv_detach - detach a host.  NULL is ignored.  The loop frees `attached` in
 * its next iteration, when it closes the handle. */
static inline void
mcphost_libuv_detach(struct mcphost_libuv *attached)
{
    if (!attached || uv_is_closing((uv_handle_t *)&attached->poll))
        return;
    uv_close((uv_handle_t *)&attached->poll, mcphost_libuv_free);
    mcphost_adapter_detach(&attached->adapter);
}

#endif
