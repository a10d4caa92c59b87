/* SPDX-License-Identifier: MIT
 *
 * glib.c - a host in a main loop of GLib.
 *
 *   glib DIR TOOL ARGUMENTS
 *
 * The program calls a tool of the workspace DIR when all servers have started or failed,
 * prints the result and ends.  It sleeps only in the loop.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/adapters/glib.h>

#include "one_call.h"

static void
on_ended(mcphost *ended, int code, void *arg)
{
    (void)ended;
    (void)code; /* MCPHOST_E_CLOSED, or an error of mcphost_dispatch() */
    g_main_loop_quit((GMainLoop *)arg);
}

int
main(int argc, char **argv)
{
    struct mcphost_glib *attached = NULL;
    GMainLoop *loop;
    int r;

    if (argc != 4)
        return 2;
    loop = g_main_loop_new(NULL, FALSE);
    r = open_host(argv);
    if (r == 0)
        r = mcphost_glib_attach(host, NULL, on_ended, loop, &attached);
    if (r < 0)
        fprintf(stderr, "glib: %s\n", mcphost_strerror(r));
    else
        g_main_loop_run(loop);
    mcphost_glib_detach(attached);
    g_main_loop_unref(loop);
    drop_host();
    return status;
}
