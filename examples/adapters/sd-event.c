/* SPDX-License-Identifier: MIT
 *
 * sd-event.c - a host in an event loop of libsystemd.
 *
 *   sd-event DIR TOOL ARGUMENTS
 *
 * The program calls a tool of the workspace DIR when all servers have started or failed,
 * prints the result and ends.  It sleeps only in the loop.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/adapters/sd-event.h>

#include "one_call.h"

static void
on_ended(mcphost *ended, int code, void *arg)
{
    (void)ended;
    (void)code; /* MCPHOST_E_CLOSED, or an error of mcphost_dispatch() */
    sd_event_exit((sd_event *)arg, 0);
}

int
main(int argc, char **argv)
{
    struct mcphost_sd_event *attached = NULL;
    sd_event *event = NULL;
    int r;

    if (argc != 4)
        return 2;
    if (sd_event_default(&event) < 0)
        return 1;
    r = open_host(argv);
    if (r == 0)
        r = mcphost_sd_event_attach(host, event, on_ended, event, &attached);
    if (r < 0)
        fprintf(stderr, "sd-event: %s\n", mcphost_strerror(r));
    else
        sd_event_loop(event);
    mcphost_sd_event_detach(attached);
    sd_event_unref(event);
    drop_host();
    return status;
}
