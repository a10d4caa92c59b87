/* SPDX-License-Identifier: MIT
 *
 * glib.h - a host in a main loop of GLib.
 *
 * adapter.h describes attached hosts and how they end.  Compile with the flags of
 * pkg-config glib-2.0.
 */
#ifndef MCPHOST_ADAPTERS_GLIB_H
#define MCPHOST_ADAPTERS_GLIB_H

#include <glib.h>
#include <glib-unix.h>
#include <stdlib.h>

#include <mcphost/adapters/adapter.h>

struct mcphost_glib {
    struct mcphost_adapter adapter;
    GSource *source;
};

static inline void
mcphost_glib_stop(struct mcphost_glib *attached)
{
    if (!attached->source)
        return;
    g_source_destroy(attached->source);
    g_source_unref(attached->source);
    attached->source = NULL;
}

static inline gboolean
mcphost_glib_ready(gint fd, GIOCondition condition, gpointer arg)
{
    struct mcphost_glib *attached = (struct mcphost_glib *)arg;
    int next = mcphost_adapter_turn(&attached->adapter);

    (void)fd;
    (void)condition;
    if (next == MCPHOST_ADAPTER_RELEASE) {
        free(attached);
        return G_SOURCE_REMOVE;
    }
    if (next == MCPHOST_ADAPTER_STOP) {
        mcphost_glib_stop(attached);
        return G_SOURCE_REMOVE;
    }
    return G_SOURCE_CONTINUE; /* the source fires again while there is work */
}

/*
 * mcphost_glib_attach - attach a host to a main context.
 *
 * `context` NULL is the default context.  `ended` may be NULL.
 *
 * Returns: 0 and *ret_attached, or an error code of mcphost_get_fd() or
 *   mcphost_set_driven(), or MCPHOST_E_NOMEM.
 */
static inline int
mcphost_glib_attach(mcphost *host, GMainContext *context, mcphost_ended_fn ended,
                    void *arg, struct mcphost_glib **ret_attached)
{
    struct mcphost_glib *attached =
        (struct mcphost_glib *)calloc(1, sizeof(struct mcphost_glib));
    int fd = attached ? mcphost_adapter_begin(&attached->adapter, host, ended, arg)
                      : MCPHOST_E_NOMEM;

    if (fd < 0) {
        free(attached);
        return fd;
    }
    attached->source = g_unix_fd_source_new(fd, G_IO_IN);
    g_source_set_callback(attached->source,
                          (GSourceFunc)(void (*)(void))mcphost_glib_ready, attached,
                          NULL);
    g_source_attach(attached->source, context);
    *ret_attached = attached;
    return 0;
}

/* mcphost_glib_detach - detach a host.  NULL is ignored. */
static inline void
mcphost_glib_detach(struct mcphost_glib *attached)
{
    if (!attached)
        return;
    mcphost_glib_stop(attached);
    if (mcphost_adapter_detach(&attached->adapter))
        free(attached);
}

#endif
