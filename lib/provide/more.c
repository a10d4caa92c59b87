/* SPDX-License-Identifier: MIT
 *
 * more.c - the extra state of a call: its progress, its questions, and the function that
 * is called when the call is cancelled.
 */
#include <stdlib.h>

#include "provide/more.h"

struct watch {
    struct mcph_delivery delivery;
    mcphost_provider_call *call; /* a reference while the watch is delivered */
    bool is_user;                /* the watch also holds a user reference, which is
                                  * needed to run `fn` */
    mcphost_unwanted_fn fn;
    void *arg;
    mcphost_free_fn free_arg;
};

struct mcph_providing_more {
    mcphost_provider_call *call; /* the call that owns this struct */
    struct watch *watch;
    struct mcph_reporter reporter;
    struct mcph_list asks; /* list of struct mcph_ask_out, linked by `link` */
    size_t n_asks;
};

static void
watch_free(struct watch *watch)
{
    if (!watch)
        return;
    if (watch->free_arg)
        watch->free_arg(watch->arg);
    free(watch);
}

void
mcph_more_free(struct mcph_providing_more *more)
{
    if (!more)
        return;
    watch_free(more->watch);
    free(more);
}

static void keep_call(struct mcph_reporter *reporter);
static void tell_progress(struct mcph_reporter *reporter, double progress, double total,
                          const char *text);

/* Returns the extra state of a call.  Makes the extra state if the call has none yet.
 * Call this function under the lock.  Returns NULL if memory is short. */
static struct mcph_providing_more *
get_more_locked(mcphost_provider_call *call)
{
    struct mcph_providing_more *more = call->more;

    if (more)
        return more;
    more = calloc(1, sizeof(*more));
    if (!more)
        return NULL;
    more->call = call;
    more->reporter = (struct mcph_reporter){
        .core = call->provider->core, .keep = keep_call, .tell = tell_progress};
    mcph_list_init(&more->asks);
    call->more = more;
    return more;
}

struct mcph_list *
mcph_more_asks_locked(mcphost_provider_call *call, size_t **ret_n)
{
    struct mcph_providing_more *more = get_more_locked(call);

    if (!more)
        return NULL;
    *ret_n = &more->n_asks;
    return &more->asks;
}

/* ---- progress ---------------------------------------------------------------------- */

static mcphost_provider_call *
call_of(struct mcph_reporter *reporter)
{
    return MCPH_CONTAINER_OF(reporter, struct mcph_providing_more, reporter)->call;
}

static void
keep_call(struct mcph_reporter *reporter)
{
    mcph_refs_get(&call_of(reporter)->refs);
}

static void
tell_progress(struct mcph_reporter *reporter, double progress, double total,
              const char *text)
{
    mcphost_provider_call *call = call_of(reporter);

    if (!mcph_list_empty(&call->link) && call->carrier->progress)
        call->carrier->progress(call, progress, total, text);
    mcph_providing_put(call);
}

int
mcph_more_report(mcphost_provider_call *call, double progress, double total,
                 const char *text, size_t len)
{
    struct mcph_provide_report *report =
        mcph_provide_report_new(progress, total, text, len);
    int r = report ? mcph_core_enter_closed(call->provider->core) : MCPHOST_E_NOMEM;

    if (r == 0) {
        if (!mcph_providing_is_open(call))
            r = MCPHOST_E_STATE;
        else if (!get_more_locked(call))
            r = MCPHOST_E_NOMEM;
        else
            report = mcph_provide_report_post_locked(&call->more->reporter, report);
        mcph_core_leave(call->provider->core);
    }
    mcph_provide_report_free(report);
    return r;
}

/* ---- cancellation ------------------------------------------------------------------ */

/* Calls the watch function of the application, if mcph_more_over() got a user
 * reference. */
static void
run_watch(struct mcph_delivery *delivery)
{
    struct watch *watch = MCPH_CONTAINER_OF(delivery, struct watch, delivery);
    mcphost_provider_call *call = watch->call;

    if (watch->is_user) {
        watch->fn(call, watch->arg);
        mcph_providing_put_user(call);
    }
    watch_free(watch);
    mcph_providing_put(call);
}

/* Takes a user reference.  Returns false if another thread has just dropped the last user
 * reference. */
static bool
try_get_user(mcphost_provider_call *call)
{
    unsigned n = atomic_load(&call->users.n);

    while (n > 0 && !atomic_compare_exchange_weak(&call->users.n, &n, n + 1))
        ;
    return n > 0;
}

int
mcph_providing_watch(mcphost_provider_call *call, mcphost_unwanted_fn fn, void *arg,
                     mcphost_free_fn free_arg)
{
    struct watch *watch = calloc(1, sizeof(*watch)), *other = watch;
    int r = watch ? mcph_core_enter_closed(call->provider->core) : MCPHOST_E_NOMEM;

    if (r < 0) {
        free(watch);
        if (free_arg)
            free_arg(arg);
        return r;
    }
    *watch = (struct watch){
        .delivery.deliver = run_watch, .fn = fn, .arg = arg, .free_arg = free_arg};
    mcph_list_init(&watch->delivery.link);
    if (!mcph_providing_is_open(call)) {
        r = MCPHOST_E_STATE;
    } else if (!get_more_locked(call)) {
        r = MCPHOST_E_NOMEM;
    } else {
        other = call->more->watch;
        call->more->watch = watch;
    }
    mcph_core_leave(call->provider->core);
    watch_free(other);
    return r;
}

void
mcph_more_over(mcphost_provider_call *call, bool unwanted)
{
    struct mcph_providing_more *more;
    struct watch *watch = NULL;

    mcph_core_lock(call->provider->core);
    more = call->more;
    if (more && unwanted) {
        watch = more->watch;
        more->watch = NULL;
    }
    mcph_core_unlock(call->provider->core);
    if (!more)
        return;
    mcph_asks_over(&more->asks);
    if (!watch)
        return;
    watch->call = call;
    watch->is_user = try_get_user(call);
    mcph_refs_get(&call->refs);
    mcph_core_deliver(call->provider->core, &watch->delivery);
}
