/* SPDX-License-Identifier: MIT
 *
 * absent.c - functions in place of lib/net, for a build with --disable-http.
 *
 * A build without HTTP compiles only this file and status.c of lib/net.
 */
#include "net/net.h"

const bool mcph_net_is_built = false;

int
mcph_net_new(struct mcph_core *core, struct mcph_net **ret, mcphost_error **reterr)
{
    (void)core;
    (void)reterr;
    *ret = NULL;
    return 0;
}

int
mcph_net_prepare(struct mcph_net *net, mcphost_error **reterr)
{
    (void)net;
    return mcph_err_unsupported(reterr, "HTTP");
}

struct mcph_net *
mcph_net_free(struct mcph_net *net)
{
    (void)net;
    return NULL;
}

bool
mcph_net_url_is_loopback(const char *url)
{
    (void)url;
    return false;
}

char *
mcph_net_url_origin(const char *url)
{
    (void)url;
    return NULL;
}

int
mcph_net_url_compare_origins(const char *a, const char *b)
{
    (void)a;
    (void)b;
    return 0;
}

bool
mcph_net_url_same_origin(const char *a, const char *b)
{
    (void)a;
    (void)b;
    return false;
}

char *
mcph_net_url_shown(const char *url)
{
    (void)url;
    return NULL;
}
