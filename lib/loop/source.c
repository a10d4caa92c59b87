/* SPDX-License-Identifier: MIT
 *
 * source.c - file descriptors in the epoll set.
 *
 * Events carry the number and the generation of a slot, not a pointer.  If an event was
 * fetched before its source was removed, the slot is empty or has a new generation.
 * mcph_core_run_source() discards this event.  Therefore an owner may remove its source
 * and free itself at any time.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "loop/core.h"

#define NO_SLOT UINT32_MAX

void
mcph_source_init(struct mcph_source *source, struct mcph_core *core,
                 void (*on_ready)(struct mcph_source *, uint32_t))
{
    *source = (struct mcph_source){
        .core = core, .fd = -1, .slot = NO_SLOT, .on_ready = on_ready};
}

static int
take_slot(struct mcph_core *core, struct mcph_source *source)
{
    uint32_t slot = core->free_slot;

    if (slot == NO_SLOT) {
        uint32_t n = core->nslots ? core->nslots * 2 : 16;
        struct mcph_core_slot *slots = mcph_reallocarray(core->slots, n, sizeof(*slots));

        if (!slots)
            return MCPHOST_E_NOMEM;
        for (uint32_t i = core->nslots; i < n; i++)
            slots[i] = (struct mcph_core_slot){.next_free = i + 1 < n ? i + 1 : NO_SLOT};
        slot = core->nslots;
        core->slots = slots;
        core->nslots = n;
    }
    core->free_slot = core->slots[slot].next_free;
    core->slots[slot].source = source;
    core->slots[slot].generation = (core->slots[slot].generation + 1) & 0x7fffffff;
    source->slot = slot;
    return 0;
}

static void
give_slot(struct mcph_core *core, struct mcph_source *source)
{
    struct mcph_core_slot *slot = &core->slots[source->slot];

    slot->source = NULL;
    slot->next_free = core->free_slot;
    core->free_slot = source->slot;
    source->slot = NO_SLOT;
}

static int
control_epoll(struct mcph_source *source, int op, uint32_t events)
{
    const struct mcph_core_slot *slot = &source->core->slots[source->slot];
    struct epoll_event ev = {
        .events = events,
        .data.u64 = (uint64_t)slot->generation << 32 | (source->slot + 1),
    };

    /* Do not change the epoll set in a forked child, because the set belongs to the
     * parent. */
    if (mcph_core_forked(source->core))
        return MCPHOST_E_FORKED;
    if (epoll_ctl(source->core->epfd, op, source->fd, &ev) < 0)
        return errno == ENOMEM || errno == ENOSPC ? MCPHOST_E_LIMIT : MCPHOST_E_IO;
    return 0;
}

int
mcph_source_add(struct mcph_source *source, int fd, uint32_t events)
{
    int r = take_slot(source->core, source);

    if (r < 0)
        return r;
    source->fd = fd;
    source->events = 0;
    r = mcph_source_set(source, events);
    if (r < 0) {
        give_slot(source->core, source);
        source->fd = -1;
    }
    return r;
}

/* Sets the events.  Without events the fd leaves the epoll set, because epoll would still
 * report hang-ups. */
int
mcph_source_set(struct mcph_source *source, uint32_t events)
{
    int r;

    if (events == source->events)
        return 0;
    if (!events)
        r = control_epoll(source, EPOLL_CTL_DEL, 0);
    else
        r = control_epoll(source, source->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, events);
    if (r == 0)
        source->events = events;
    return r;
}

void
mcph_source_remove(struct mcph_source *source)
{
    if (source->fd < 0)
        return;
    mcph_source_set(source, 0);
    give_slot(source->core, source);
    source->events = 0;
    source->fd = -1;
}

void
mcph_core_run_source(struct mcph_core *core, uint64_t tag, uint32_t events)
{
    uint32_t slot = (uint32_t)tag - 1;
    struct mcph_source *source;

    if (slot >= core->nslots || core->slots[slot].generation != (uint32_t)(tag >> 32))
        return;
    source = core->slots[slot].source;
    if (!source)
        return;
    /* Ignore events that the source does not wait for any more.  epoll may have fetched
     * them before the source changed its events. */
    events &= source->events ? source->events | EPOLLERR | EPOLLHUP : 0;
    if (events)
        source->on_ready(source, events);
}
