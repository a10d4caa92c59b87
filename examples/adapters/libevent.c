/* SPDX-License-Identifier: MIT
 *
 * libevent.c - a host in an event base of libevent.
 *
 *   libevent DIR TOOL ARGUMENTS
 *
 * The program calls a tool of the workspace DIR when all servers have started or failed,
 * prints the result and ends.  It sleeps only in the loop.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/adapters/libevent.h>

#include "one_call.h"

static void
on_ended(mcphost *ended, int code, void *arg)
{
    (void)ended;
    (void)code; /* MCPHOST_E_CLOSED, or an error of mcphost_dispatch() */
    (void)arg;
    /* Do not stop the loop: it ends, because nothing is left in it. */
}

int
main(int argc, char **argv)
{
    struct mcphost_libevent *attached = NULL;
    struct event_base *base;
    int r;

    if (argc != 4)
        return 2;
    base = event_base_new();
    r = open_host(argv);
    if (r == 0)
        r = mcphost_libevent_attach(host, base, 0, on_ended, NULL, &attached);
    if (r < 0)
        fprintf(stderr, "libevent: %s\n", mcphost_strerror(r));
    else
        event_base_dispatch(base);
    mcphost_libevent_detach(attached);
    event_base_free(base);
    drop_host();
    return status;
}
