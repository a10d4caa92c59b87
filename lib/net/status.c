/* SPDX-License-Identifier: MIT
 *
 * status.c - the words for a failure over HTTP: the meaning of a status, and the likely
 * cause of a request without a response.
 *
 * Each row describes a status, a class of statuses, or a fault.  All folders of lib/ take
 * their words about an MCP server from this table, so that the same failure is described
 * in the same words.  lib/auth has words of its own for authorization servers.
 */
#include "net/net.h"

#define LOST           MCPHOST_E_TRANSPORT
#define SEE_LOG        "look into the log of the server"
#define NO_CREDENTIALS "credentials are missing or not accepted"
#define NO_ENDPOINT    "the path is not that of an MCP endpoint"

static const struct mcph_net_meaning statuses[] = {
    {200, 299, MCPHOST_E_PROTOCOL, ", but without a valid answer",
     "the failure has passed, or the server does not follow the protocol",
     "try again, then " SEE_LOG, NULL},
    {300, 399, LOST, ": a redirect that is not followed",
     "the server has moved, or asks the user to log in",
     "if the new URL is right, set 'url' to it", NULL},
    {401, 401, MCPHOST_E_AUTH, ": it wants credentials", NO_CREDENTIALS,
     "check 'headers'", NULL},
    {403, 403, MCPHOST_E_AUTH, ": access refused", NO_CREDENTIALS, "check 'headers'",
     NULL},
    {404, 404, LOST, ": nothing is at this url", NO_ENDPOINT, "check the path of 'url'",
     NULL},
    {405, 405, LOST,
     ": it does not accept POST; this is not an MCP endpoint, or one of version "
     "2024-11-05",
     NO_ENDPOINT, "check the path of 'url'", NULL},
    {407, 407, LOST, ": the proxy wants a login",
     "the login for the proxy is missing or wrong", "check 'proxy'", NULL},
    {429, 429, LOST, ": it limits the number of requests",
     "it limits the number of requests", "wait, then try again", NULL},
    {500, 999, LOST, "", "the server, or a proxy before it, fails", SEE_LOG,
     "the server runs, but its MCP endpoint fails"},
};

/* The meanings of MCPH_NET_FAULT_*.  MCPH_NET_FAULT_REDIRECT has the row of status
 * 302. */
static const struct mcph_net_meaning faults[] = {
    {MCPH_NET_FAULT_NAME, MCPH_NET_FAULT_NAME, LOST, "",
     "the host name is wrong, or name resolution does not work here",
     "check the host of 'url', and the network", NULL},
    {MCPH_NET_FAULT_CONNECT, MCPH_NET_FAULT_CONNECT, LOST, "",
     "the network is down, or nothing listens there",
     "check that the server runs, and host and port of 'url'", NULL},
    {MCPH_NET_FAULT_TLS, MCPH_NET_FAULT_TLS, LOST, "",
     "the server's certificate or its TLS version is not acceptable",
     "check that 'url' has the right host, port and scheme, then the server's "
     "certificate",
     NULL},
    {MCPH_NET_FAULT_TALK, MCPH_NET_FAULT_TALK, LOST, "",
     "the server is silent, or does not speak the protocol of 'url' (http, https)",
     "check scheme and port of 'url', then " SEE_LOG, NULL},
};

static const struct mcph_net_meaning *
find_meaning(const struct mcph_net_meaning *rows, size_t n, int value)
{
    static const struct mcph_net_meaning unknown = {
        0, 0, LOST, "", "not known", "ask the server by hand, e.g. with curl -v", NULL};

    for (size_t i = 0; i < n; i++) {
        if (value >= rows[i].first && value <= rows[i].last)
            return &rows[i];
    }
    return &unknown;
}

const struct mcph_net_meaning *
mcph_net_status_meaning(int status)
{
    return find_meaning(statuses, MCPH_ARRAY_SIZE(statuses), status);
}

const struct mcph_net_meaning *
mcph_net_fault_meaning(int fault)
{
    return fault == MCPH_NET_FAULT_REDIRECT
               ? mcph_net_status_meaning(302)
               : find_meaning(faults, MCPH_ARRAY_SIZE(faults), fault);
}
