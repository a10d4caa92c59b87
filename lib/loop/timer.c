/* SPDX-License-Identifier: MIT
 *
 * timer.c - a heap of deadlines, and the timerfd that fires at the earliest deadline.
 *
 * mcph_core_arm() arms the timerfd for an application that polls the core's fd, and for a
 * dispatcher that sleeps while another thread runs the dispatcher's jobs.
 * mcph_core_arm() arms the timerfd again only for an earlier deadline.  If the timerfd
 * fires for a deadline that was moved, an empty turn runs.  An empty turn costs less than
 * arming the timerfd for each call.
 */
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "loop/core.h"

static void
place_timer(struct mcph_core *core, size_t i, struct mcph_timer *timer)
{
    core->heap[i] = timer;
    timer->index = i;
}

static void
sift_up(struct mcph_core *core, size_t i, struct mcph_timer *timer)
{
    while (i > 0) {
        size_t parent = (i - 1) / 2;

        if (core->heap[parent]->due <= timer->due)
            break;
        place_timer(core, i, core->heap[parent]);
        i = parent;
    }
    place_timer(core, i, timer);
}

static void
sift_down(struct mcph_core *core, size_t i, struct mcph_timer *timer)
{
    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= core->nheap)
            break;
        if (child + 1 < core->nheap &&
            core->heap[child + 1]->due < core->heap[child]->due)
            child++;
        if (timer->due <= core->heap[child]->due)
            break;
        place_timer(core, i, core->heap[child]);
        i = child;
    }
    place_timer(core, i, timer);
}

int
mcph_timer_init(struct mcph_timer *timer, struct mcph_core *core,
                void (*on_due)(struct mcph_timer *))
{
    if (core->ntimers == core->heap_cap) {
        size_t cap = core->heap_cap ? core->heap_cap * 2 : 16;
        struct mcph_timer **heap = mcph_reallocarray(core->heap, cap, sizeof(*heap));

        if (!heap)
            return MCPHOST_E_NOMEM;
        core->heap = heap;
        core->heap_cap = cap;
    }
    core->ntimers++;
    *timer = (struct mcph_timer){.core = core, .index = SIZE_MAX, .on_due = on_due};
    return 0;
}

void
mcph_timer_done(struct mcph_timer *timer)
{
    if (!timer->core)
        return;
    mcph_timer_cancel(timer);
    timer->core->ntimers--;
    timer->core = NULL;
}

void
mcph_timer_set(struct mcph_timer *timer, int64_t due)
{
    struct mcph_core *core = timer->core;
    size_t i = timer->index;
    bool later;

    if (i == SIZE_MAX) {
        timer->due = due;
        sift_up(core, core->nheap++, timer);
        return;
    }
    later = due > timer->due;
    timer->due = due;
    if (later)
        sift_down(core, i, timer);
    else
        sift_up(core, i, timer);
}

void
mcph_timer_cancel(struct mcph_timer *timer)
{
    struct mcph_core *core = timer->core;
    size_t i = timer->index;
    struct mcph_timer *last;

    if (!core || i == SIZE_MAX)
        return;
    timer->index = SIZE_MAX;
    last = core->heap[--core->nheap];
    if (last == timer)
        return;
    if (i > 0 && core->heap[(i - 1) / 2]->due > last->due)
        sift_up(core, i, last);
    else
        sift_down(core, i, last);
}

int64_t
mcph_core_next_due(const struct mcph_core *core)
{
    return core->nheap ? core->heap[0]->due : INT64_MAX;
}

void
mcph_core_run_timers(struct mcph_core *core)
{
    size_t budget = core->nheap;
    int64_t now;

    if (!budget)
        return;
    now = mcph_core_now(core);
    while (core->nheap && core->heap[0]->due <= now) {
        struct mcph_timer *timer = core->heap[0];

        /* Leave the other due timers to the next turn, because a timer that sets itself
         * to the past would prolong this turn without end. */
        if (budget-- == 0) {
            core->more = true;
            return;
        }
        mcph_timer_cancel(timer);
        core->did = true;
        timer->on_due(timer);
    }
}

void
mcph_core_arm(struct mcph_core *core)
{
    int64_t due = mcph_core_next_due(core), left;
    struct itimerspec spec = {0};

    if (due >= core->armed)
        return;
    left = due - mcph_core_now(core);
    if (left <= 0) {
        spec.it_value.tv_nsec = 1;
    } else {
        spec.it_value.tv_sec = (time_t)(left / 1000);
        /* Fire after the deadline, not before: the clock rounds down to milliseconds. */
        spec.it_value.tv_nsec = (long)(left % 1000) * 1000000 + 1;
    }
    if (timerfd_settime(core->timerfd, 0, &spec, NULL) == 0)
        core->armed = due;
}
