/* SPDX-License-Identifier: MIT
 *
 * libuv.c - the tests of <mcphost/adapters/libuv.h>.
 */
#include <mcphost/adapters/libuv.h>

#include "suite.h"

static uv_loop_t loop;
static struct mcphost_libuv *attached[HOSTS];
static uv_timer_t timer;
static void (*later)(void);

static void
loop_run(void)
{
    uv_run(&loop, UV_RUN_DEFAULT);
}

static void
loop_quit(void)
{
    uv_stop(&loop);
}

static void
call_later(uv_timer_t *handle)
{
    (void)handle;
    later();
}

static void
loop_later(void (*fn)(void))
{
    later = fn;
    uv_timer_start(&timer, call_later, 20, 0);
}

static int
loop_attach(mcphost *host, int i)
{
    return mcphost_libuv_attach(host, &loop, on_ended, NULL, &attached[i]);
}

static void
loop_detach(int i)
{
    mcphost_libuv_detach(attached[i]);
    attached[i] = NULL;
}

int
main(void)
{
    int status;

    uv_loop_init(&loop);
    uv_timer_init(&loop, &timer);
    status = run_suite();
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop) != 0 || status;
}
