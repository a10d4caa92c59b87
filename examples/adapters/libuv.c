/* SPDX-License-Identifier: MIT
 *
 * libuv.c - a host in a loop of libuv.
 *
 *   libuv DIR TOOL ARGUMENTS
 *
 * The program calls a tool of the workspace DIR when all servers have started or failed,
 * prints the result and ends.  It sleeps only in the loop.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/adapters/libuv.h>

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
    struct mcphost_libuv *attached = NULL;
    uv_loop_t *loop = uv_default_loop();
    int r;

    if (argc != 4)
        return 2;
    r = open_host(argv);
    if (r == 0)
        r = mcphost_libuv_attach(host, loop, on_ended, NULL, &attached);
    if (r < 0)
        fprintf(stderr, "libuv: %s\n", mcphost_strerror(r));
    else
        uv_run(loop, UV_RUN_DEFAULT);
    mcphost_libuv_detach(attached);
    uv_run(loop, UV_RUN_DEFAULT); /* frees the detached adapter */
    uv_loop_close(loop);
    drop_host();
    return status;
}
