/* SPDX-License-Identifier: MIT
 *
 * absent.c - the HTTP transport in a build without HTTP (--disable-http).
 */
#include "transport/transport.h"

int
mcph_http_new(struct mcph_core *core, struct mcph_net *net,
              const struct mcph_http_spec *spec, const struct mcph_transport_owner *owner,
              void *owner_arg, struct mcph_transport **ret, mcphost_error **reterr)
{
    (void)core;
    (void)net;
    (void)spec;
    (void)owner;
    (void)owner_arg;
    (void)ret;
    return mcph_err_unsupported(reterr, "HTTP");
}

void
mcph_http_set_auth(struct mcph_transport *t, struct mcph_net_auth *auth)
{
    (void)t;
    (void)auth;
}

void
mcph_http_set_frame_limit(struct mcph_transport *t, size_t limit)
{
    (void)t;
    (void)limit;
}

void
mcph_http_set_idle(struct mcph_transport *t, int64_t ms)
{
    (void)t;
    (void)ms;
}

void
mcph_http_set_leave(struct mcph_transport *t, int64_t ms)
{
    (void)t;
    (void)ms;
}

void
mcph_http_set_sink(struct mcph_transport *t, struct mcph_sink *sink,
                   struct mcph_ration *ration)
{
    (void)t;
    (void)sink;
    (void)ration;
}

bool
mcph_http_is_reserved(const char *name)
{
    (void)name;
    return false;
}
