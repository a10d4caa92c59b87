/* SPDX-License-Identifier: MIT
 *
 * sd-event.c - the tests of <mcphost/adapters/sd-event.h>.
 */
#include <mcphost/adapters/sd-event.h>

#include "suite.h"

static sd_event *event;
static struct mcphost_sd_event *attached[HOSTS];
static int is_over;
static void (*later)(void);

static void
loop_run(void)
{
    is_over = 0;
    while (!is_over)
        sd_event_run(event, UINT64_MAX);
}

static void
loop_quit(void)
{
    is_over = 1;
}

static int
call_later(sd_event_source *source, uint64_t usec, void *arg)
{
    (void)source;
    (void)usec;
    (void)arg;
    later();
    return 0;
}

static void
loop_later(void (*fn)(void))
{
    later = fn;
    sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, 20000, 0, call_later, NULL);
}

static int
loop_attach(mcphost *host, int i)
{
    return mcphost_sd_event_attach(host, event, on_ended, NULL, &attached[i]);
}

static void
loop_detach(int i)
{
    mcphost_sd_event_detach(attached[i]);
    attached[i] = NULL;
}

int
main(void)
{
    int status;

    sd_event_new(&event);
    status = run_suite();
    sd_event_unref(event);
    return status;
}
