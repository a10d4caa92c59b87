/* SPDX-License-Identifier: MIT
 *
 * libevent.c - the tests of <mcphost/adapters/libevent.h>, which run with level-triggered
 * events and again with edge-triggered events.
 */
#include <mcphost/adapters/libevent.h>

#include "suite.h"

static struct event_base *base;
static struct mcphost_libevent *attached[HOSTS];
static short flags;
static void (*later)(void);

static void
loop_run(void)
{
    event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY);
}

static void
loop_quit(void)
{
    event_base_loopbreak(base);
}

static void
call_later(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    later();
}

static void
loop_later(void (*fn)(void))
{
    struct timeval time = {0, 20000};

    later = fn;
    event_base_once(base, -1, EV_TIMEOUT, call_later, NULL, &time);
}

static int
loop_attach(mcphost *host, int i)
{
    return mcphost_libevent_attach(host, base, flags, on_ended, NULL, &attached[i]);
}

static void
loop_detach(int i)
{
    mcphost_libevent_detach(attached[i]);
    attached[i] = NULL;
}

int
main(void)
{
    int status;

    base = event_base_new();
    status = run_suite();
    flags = EV_ET;
    puts("edge-triggered:");
    status = run_suite() || status;
    event_base_free(base);
    return status;
}
