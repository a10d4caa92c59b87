/* SPDX-License-Identifier: MIT
 *
 * nonet.h - functions that replace functions of lib/net and do not use the network.
 *
 * A program that replaces lib/net includes this file once.  The program itself defines
 * the functions of lib/net that start, answer and cancel requests.
 */
#ifndef TESTS_SUPPORT_NONET_H
#define TESTS_SUPPORT_NONET_H

#include "net/net.h"

int
mcph_net_new(struct mcph_core *core, struct mcph_net **ret, mcphost_error **reterr)
{
    (void)core;
    (void)ret;
    return mcph_err_nomem(reterr);
}

struct mcph_net *
mcph_net_free(struct mcph_net *net)
{
    (void)net;
    return NULL;
}

int
mcph_net_prepare(struct mcph_net *net, mcphost_error **reterr)
{
    (void)net;
    (void)reterr;
    return 0;
}

uint64_t
mcph_net_site_key(void)
{
    return 1;
}

void
mcph_net_forget(struct mcph_net *net, uint64_t key)
{
    (void)net;
    (void)key;
}

void
mcph_net_spend(struct mcph_net *net, size_t cost)
{
    (void)net;
    (void)cost;
}

bool
mcph_net_was_lost(const struct mcph_net_request *req)
{
    (void)req;
    return false;
}

int
mcph_net_get_fault(const struct mcph_net_request *req)
{
    (void)req;
    return MCPH_NET_FAULT_TALK;
}

int
mcph_net_set_headers(struct mcph_net_request *req, const struct mcph_net_header *headers,
                     size_t n)
{
    (void)req;
    (void)headers;
    (void)n;
    return 0;
}

void
mcph_net_set_total(struct mcph_net_request *req, int64_t ms)
{
    (void)req;
    (void)ms;
}

void
mcph_net_set_idle(struct mcph_net_request *req, int64_t ms)
{
    (void)req;
    (void)ms;
}

#endif
