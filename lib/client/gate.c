/* SPDX-License-Identifier: MIT
 *
 * gate.c - limit the operations that several clients together run at one server.
 *
 * The gate has a limited number of places.  An operation takes a place when it is sent,
 * and releases the place when it ends.  If no place is free, a client queues its
 * operation and waits at the gate.  The waiting clients take turns.  In its turn a
 * client may send one operation, so that each waiting client can send.  A job of the
 * event loop gives the turns, because the function that ends one operation must not start
 * another operation.  The client's own requests, such as pings, do not need a place.
 */
#include <stdlib.h>

#include "client/internal.h"

struct mcph_client_gate {
    unsigned refs;
    struct mcph_core *core; /* reference to the core */
    size_t n, max;
    struct mcph_list waiting; /* list of struct mcph_client, linked by gate_link */
    struct mcph_job job;
    bool posted;
};

static void
post_turns(struct mcph_client_gate *gate)
{
    if (gate->posted || gate->n >= gate->max || mcph_list_empty(&gate->waiting))
        return;
    gate->posted = true;
    mcph_core_post(gate->core, &gate->job);
}

static void
give_turns(struct mcph_job *job)
{
    struct mcph_client_gate *gate = MCPH_CONTAINER_OF(job, struct mcph_client_gate, job);

    gate->posted = false;
    mcph_client_gate_ref(gate);
    while (gate->n < gate->max) {
        struct mcph_list *first = mcph_list_take_first(&gate->waiting);

        if (!first)
            break;
        mcph_operations_turn(MCPH_LIST_ENTRY(first, struct mcph_client, gate_link));
    }
    mcph_client_gate_unref(gate);
}

struct mcph_client_gate *
mcph_client_gate_new(struct mcph_core *core, size_t max)
{
    struct mcph_client_gate *gate = calloc(1, sizeof(*gate));

    if (!gate)
        return NULL;
    gate->refs = 1;
    gate->core = mcph_core_ref(core);
    gate->max = max;
    gate->job.run = give_turns;
    mcph_list_init(&gate->job.link);
    mcph_list_init(&gate->waiting);
    return gate;
}

struct mcph_client_gate *
mcph_client_gate_ref(struct mcph_client_gate *gate)
{
    if (gate)
        gate->refs++;
    return gate;
}

struct mcph_client_gate *
mcph_client_gate_unref(struct mcph_client_gate *gate)
{
    if (!gate || --gate->refs > 0)
        return NULL;
    mcph_core_lock(gate->core);
    mcph_list_remove(&gate->job.link);
    mcph_core_unlock(gate->core);
    mcph_core_unref(gate->core);
    free(gate);
    return NULL;
}

void
mcph_client_gate_set_max(struct mcph_client_gate *gate, size_t max)
{
    gate->max = max;
    post_turns(gate);
}

struct mcph_client_gate *
mcph_client_get_gate(const struct mcph_client *c)
{
    return c->gate;
}

void
mcph_client_set_gate(struct mcph_client *c, struct mcph_client_gate *gate)
{
    c->gate = mcph_client_gate_ref(gate);
    if (!gate)
        return;
    gate->n += c->n_in_flight;
    if (c->n_queued > 0)
        mcph_gate_wait(c);
}

void
mcph_gate_drop(struct mcph_client *c)
{
    mcph_list_remove(&c->gate_link);
    c->gate = mcph_client_gate_unref(c->gate);
}

void
mcph_gate_enter(struct mcph_client *c)
{
    c->n_in_flight++;
    if (c->gate)
        c->gate->n++;
}

void
mcph_gate_leave(struct mcph_client *c)
{
    c->n_in_flight--;
    if (!c->gate)
        return;
    c->gate->n--;
    post_turns(c->gate);
}

bool
mcph_gate_is_open(const struct mcph_client *c)
{
    return c->gate->n < c->gate->max && mcph_list_empty(&c->gate->waiting);
}

void
mcph_gate_wait(struct mcph_client *c)
{
    if (!c->gate)
        return;
    if (mcph_list_empty(&c->gate_link))
        mcph_list_append(&c->gate->waiting, &c->gate_link);
    post_turns(c->gate);
}
