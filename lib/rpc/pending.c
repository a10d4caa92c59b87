/* SPDX-License-Identifier: MIT
 *
 * pending.c - the requests that wait for their answer.
 *
 * Nearly all ids are numbers that only grow.  The table hashes these numbers by a
 * multiplication and uses open addressing with linear steps.  The table is at most half
 * full.  A removal closes the gap.  `calls` lists all requests in the order of their
 * start.  Requests with string ids are few and are only in `calls`.
 *
 * The endpoint remembers the ids that were abandoned, settled or timed out last, to tell
 * a late answer from a second answer to one request.  A late answer is normal.  A second
 * answer is a mistake of the server.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"
#include "rpc/pending.h"

#define SLOTS_MIN 16
#define ABANDONED 64 /* number of abandoned ids that are remembered; a power of two */

/* Returns the slot where the search for an id begins, by Fibonacci hashing.  Without the
 * hashing, consecutive ids would form one long run, and every removal would walk to the
 * end of the run. */
static size_t
home_slot(const struct mcph_rpc *rpc, int64_t id)
{
    return (size_t)(((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (rpc->cap - 1);
}

static void
insert_call(struct mcph_rpc *rpc, struct mcph_rpc_call *call)
{
    size_t i = home_slot(rpc, call->id);

    while (rpc->slots[i])
        i = (i + 1) & (rpc->cap - 1);
    rpc->slots[i] = call;
}

static int
make_room(struct mcph_rpc *rpc)
{
    struct mcph_rpc_call **slots, **old = rpc->slots;
    size_t i, old_cap = rpc->cap, cap = old_cap ? old_cap * 2 : SLOTS_MIN;

    if ((rpc->n_calls + 1) * 2 <= old_cap)
        return 0;
    slots = calloc(cap, sizeof(struct mcph_rpc_call *));
    if (!slots)
        return MCPHOST_E_NOMEM;
    rpc->slots = slots;
    rpc->cap = cap;
    for (i = 0; i < old_cap; i++) {
        if (old[i])
            insert_call(rpc, old[i]);
    }
    free(old);
    return 0;
}

static struct mcph_rpc_call *
find_number(struct mcph_rpc *rpc, int64_t id)
{
    size_t i;

    if (rpc->n_calls == 0)
        return NULL;
    for (i = home_slot(rpc, id); rpc->slots[i]; i = (i + 1) & (rpc->cap - 1)) {
        if (rpc->slots[i]->id == id)
            return rpc->slots[i];
    }
    return NULL;
}

static void
erase_call(struct mcph_rpc *rpc, const struct mcph_rpc_call *call)
{
    size_t mask = rpc->cap - 1, i = home_slot(rpc, call->id), next;

    while (rpc->slots[i] != call)
        i = (i + 1) & mask;
    /* Move each later entry of the run into the gap, unless the entry would then be
     * before its home slot. */
    for (next = (i + 1) & mask; rpc->slots[next]; next = (next + 1) & mask) {
        size_t from_home = (next - home_slot(rpc, rpc->slots[next]->id)) & mask;

        if (from_home >= ((next - i) & mask)) {
            rpc->slots[i] = rpc->slots[next];
            i = next;
        }
    }
    rpc->slots[i] = NULL;
}

struct mcph_rpc_call *
mcph_rpc_pending_find(struct mcph_rpc *rpc, const struct mcph_rpc_id *id)
{
    int64_t n;

    if (id->kind == MCPH_RPC_ID_INT)
        return find_number(rpc, id->n);
    if (id->kind != MCPH_RPC_ID_STRING)
        return NULL;
    mcph_list_for_each (it, &rpc->calls) {
        struct mcph_rpc_call *call = MCPH_LIST_ENTRY(it, struct mcph_rpc_call, link);

        if (call->name && mcph_json_string_is(id->raw, call->name, strlen(call->name)))
            return call;
    }
    /* Take "7" for the number 7, because none of the library's string ids is a number. */
    return mcph_rpc_id_number(id, &n) ? find_number(rpc, n) : NULL;
}

/* ---- abandoned ids ----------------------------------------------------------------- */

/* Returns the number by which an abandoned string id is remembered: its hash, made
 * negative.  The library's number ids are positive. */
static int64_t
name_mark(const char *name, size_t len)
{
    return (int64_t)(mcph_hash64(name, len) | (uint64_t)1 << 63);
}

static void
remember_abandoned(struct mcph_rpc *rpc, const struct mcph_rpc_call *call)
{
    if (!rpc->abandoned)
        rpc->abandoned = calloc(ABANDONED, sizeof(*rpc->abandoned));
    if (rpc->abandoned) /* if NULL, no answer counts as late */
        rpc->abandoned[rpc->abandoned_at++ & (ABANDONED - 1)] =
            call->name ? name_mark(call->name, strlen(call->name)) : call->id;
}

bool
mcph_rpc_pending_miss(struct mcph_rpc *rpc, const struct mcph_rpc_id *id)
{
    int64_t mark;
    bool number = mcph_rpc_id_number(id, &mark);
    size_t i;

    if (number && (mark < 1 || mark >= rpc->next_id)) {
        rpc->counters.unknown_ids++;
        return false;
    }
    if (!number)
        mark = name_mark(id->raw.p + 1, id->raw.len - 2);
    for (i = 0; rpc->abandoned && i < ABANDONED; i++) {
        if (rpc->abandoned[i] == mark) {
            rpc->abandoned[i] = 0;
            rpc->counters.late_answers++;
            return true;
        }
    }
    if (number)
        rpc->counters.double_answers++;
    else
        rpc->counters.unknown_ids++;
    return false;
}

/* ---- deadlines --------------------------------------------------------------------- */

static int64_t
due_after(int64_t now, int64_t ms)
{
    return ms < 0 || ms > INT64_MAX - now ? INT64_MAX : now + ms;
}

static void
arm_at(struct mcph_rpc_call *call, int64_t soft_due)
{
    int64_t due = soft_due < call->hard_due ? soft_due : call->hard_due;

    call->soft_due = soft_due;
    if (due == INT64_MAX)
        mcph_timer_cancel(&call->timer);
    else
        mcph_timer_set(&call->timer, due);
}

/* Starts the clock of timeout_ms now or, if the call is paused, when the pause ends. */
static void
arm_timeout(struct mcph_rpc_call *call, int64_t now)
{
    if (call->paused)
        call->left = call->timeout_ms;
    else
        arm_at(call, due_after(now, call->timeout_ms));
}

void
mcph_rpc_pending_progress(struct mcph_rpc_call *call)
{
    if (call->progress_resets)
        arm_timeout(call, mcph_core_now(call->rpc->core));
}

void
mcph_rpc_call_set_timeout(struct mcph_rpc_call *call, int64_t timeout_ms)
{
    call->timeout_ms = timeout_ms;
    if (call->rpc)
        arm_timeout(call, mcph_core_now(call->rpc->core));
}

int64_t
mcph_rpc_call_left(const struct mcph_rpc_call *call, int64_t now)
{
    if (call->timeout_ms < 0)
        return -1;
    if (call->paused)
        return call->left;
    return call->soft_due > now ? call->soft_due - now : 0;
}

void
mcph_rpc_call_pause(struct mcph_rpc_call *call)
{
    if (!call->rpc)
        return;
    if (!call->paused) {
        call->left = mcph_rpc_call_left(call, mcph_core_now(call->rpc->core));
        arm_at(call, INT64_MAX);
    }
    call->paused++;
}

void
mcph_rpc_call_resume(struct mcph_rpc_call *call)
{
    if (call->rpc && call->paused && --call->paused == 0)
        arm_at(call, due_after(mcph_core_now(call->rpc->core), call->left));
}

/* ---- a call's life ----------------------------------------------------------------- */

static void
remove_call(struct mcph_rpc_call *call)
{
    struct mcph_rpc *rpc = call->rpc;

    if (!call->name)
        erase_call(rpc, call);
    mcph_list_remove(&call->link);
    mcph_timer_done(&call->timer);
    rpc->n_calls--;
    call->rpc = NULL;
}

void
mcph_rpc_pending_finish(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    remove_call(call);
    call->on_answer(call, answer);
}

static void
on_due(struct mcph_timer *timer)
{
    struct mcph_rpc_call *call = MCPH_CONTAINER_OF(timer, struct mcph_rpc_call, timer);
    struct mcph_rpc_answer answer = {.code = MCPHOST_E_TIMEOUT,
                                     .why = "no answer in time"};

    remember_abandoned(call->rpc, call);
    mcph_rpc_pending_finish(call, &answer);
}

static int
start_call(struct mcph_rpc *rpc, struct mcph_rpc_call *call, const char *name)
{
    int64_t now;
    int r;

    if (rpc->n_calls >= rpc->max_pending)
        return MCPHOST_E_LIMIT;
    r = make_room(rpc);
    if (r == 0)
        r = mcph_timer_init(&call->timer, rpc->core, on_due);
    if (r < 0)
        return r;
    call->rpc = rpc;
    call->name = name;
    call->id = name ? 0 : rpc->next_id++;
    mcph_list_append(&rpc->calls, &call->link);
    if (!name)
        insert_call(rpc, call);
    rpc->n_calls++;
    now = mcph_core_round_now(rpc->core);
    call->started = now;
    call->hard_due = due_after(now, call->max_ms);
    call->paused = 0;
    call->stream = 0;
    arm_timeout(call, now);
    return 0;
}

int
mcph_rpc_start(struct mcph_rpc *rpc, struct mcph_rpc_call *call)
{
    return start_call(rpc, call, NULL);
}

int
mcph_rpc_start_named(struct mcph_rpc *rpc, struct mcph_rpc_call *call, const char *name)
{
    mcph_list_for_each (it, &rpc->calls) {
        if (mcph_streq(MCPH_LIST_ENTRY(it, struct mcph_rpc_call, link)->name, name))
            return MCPHOST_E_EXISTS;
    }
    return start_call(rpc, call, name);
}

void
mcph_rpc_abandon(struct mcph_rpc_call *call)
{
    if (!call->rpc)
        return;
    remember_abandoned(call->rpc, call);
    remove_call(call);
}

struct mcph_rpc_call *
mcph_rpc_find_stream(struct mcph_rpc *rpc, uint64_t stream)
{
    mcph_list_for_each (it, &rpc->calls) {
        struct mcph_rpc_call *call = MCPH_LIST_ENTRY(it, struct mcph_rpc_call, link);

        if (call->stream == stream && stream)
            return call;
    }
    return NULL;
}

void
mcph_rpc_settle(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    if (!call->rpc)
        return;
    remember_abandoned(call->rpc, call);
    mcph_rpc_pending_finish(call, answer);
}

void
mcph_rpc_init(struct mcph_rpc *rpc, struct mcph_core *core,
              const struct mcph_rpc_ops *ops)
{
    *rpc = (struct mcph_rpc){
        .core = core, .ops = ops, .max_pending = MCPH_RPC_MAX_PENDING, .next_id = 1};
    mcph_list_init(&rpc->calls);
}

void
mcph_rpc_done(struct mcph_rpc *rpc)
{
    if (!rpc->core)
        return;
    while (!mcph_list_empty(&rpc->calls))
        remove_call(MCPH_LIST_ENTRY(rpc->calls.next, struct mcph_rpc_call, link));
    free(rpc->slots);
    free(rpc->abandoned);
    *rpc = (struct mcph_rpc){0};
}
