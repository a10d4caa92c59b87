/* SPDX-License-Identifier: MIT
 *
 * more.c - progress of a call, and the news that its answer is not wanted any more.
 */
#include <stdlib.h>

#include "provide/more.h"

struct watch {
    struct mcph_delivery delivery;
    mcphost_provider_call *call; /* a reference, on its way */
    bool is_user;                /* and one of a user: somebody wants to know */
    mcphost_unwanted_fn fn;
    void *arg;
    mcphost_free_fn free_arg;
};

/* On its way to the dispatcher. */
struct report {
    struct mcph_job job;
    mcphost_provider_call *call; /* a reference */
    double progress, total;
    char *text; /* or NULL */
};

struct mcph_providing_more {
    struct watch *watch;
    struct report *report; /* which a newer one replaces, or NULL */
    struct mcph_list asks; /* mcph_ask_out.link */
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

static void
report_free(struct report *report)
{
    if (report)
        free(report->text);
    free(report);
}

void
mcph_more_free(struct mcph_providing_more *more)
{
    if (!more)
        return;
    watch_free(more->watch);
    free(more);
}

/* Under the lock. */
static struct mcph_providing_more *
get_locked(mcphost_provider_call *call)
{
    if (!call->more) {
        call->more = calloc(1, sizeof(*call->more));
        if (call->more)
            mcph_list_init(&call->more->asks);
    }
    return call->more;
}

struct mcph_list *
mcph_more_asks_locked(mcphost_provider_call *call, size_t **ret_n)
{
    struct mcph_providing_more *more = get_locked(call);

    if (!more)
        return NULL;
    *ret_n = &more->n_asks;
    return &more->asks;
}

/* ---- progress ---------------------------------------------------------------------- */

static void
run_report(struct mcph_job *job)
{
    struct report *report = MCPH_CONTAINER_OF(job, struct report, job);
    mcphost_provider_call *call = report->call;

    mcph_core_lock(call->provider->core);
    call->more->report = NULL;
    mcph_core_unlock(call->provider->core);
    if (!mcph_list_empty(&call->link) && call->carrier->progress)
        call->carrier->progress(call, report->progress, report->total, report->text);
    report_free(report);
    mcph_providing_put(call);
}

static struct report *
report_new(mcphost_provider_call *call, double progress, double total, const char *text,
           size_t len)
{
    struct report *report = calloc(1, sizeof(*report));

    if (!report)
        return NULL;
    report->job.run = run_report;
    report->call = call;
    report->progress = progress;
    report->total = total;
    report->text = text ? mcph_strndup(text, len) : NULL;
    if (!text || report->text)
        return report;
    free(report);
    return NULL;
}

/* Under the lock.  The one that is on its way already says what the new one says, so a
 * function cannot fill the memory.  NULL: it was taken over. */
static struct report *
post_locked(mcphost_provider_call *call, struct report *report)
{
    struct report *posted = call->more->report;
    char *text;

    if (!posted) {
        call->more->report = report;
        mcph_refs_get(&call->refs);
        mcph_core_post_locked(call->provider->core, &report->job);
        return NULL;
    }
    posted->progress = report->progress;
    posted->total = report->total;
    text = posted->text;
    posted->text = report->text;
    report->text = text;
    return report;
}

int
mcph_more_report(mcphost_provider_call *call, double progress, double total,
                 const char *text, size_t len)
{
    struct report *report = report_new(call, progress, total, text, len);
    int r = report ? mcph_core_enter_closed(call->provider->core) : MCPHOST_E_NOMEM;

    if (r == 0) {
        if (!mcph_providing_is_open(call))
            r = MCPHOST_E_STATE;
        else if (!get_locked(call))
            r = MCPHOST_E_NOMEM;
        else
            report = post_locked(call, report);
        mcph_core_leave(call->provider->core);
    }
    report_free(report);
    return r;
}

/* ---- not wanted any more ----------------------------------------------------------- */

/* User code. */
static void
tell(struct mcph_delivery *delivery)
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

/* False: the last user has just gone. */
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
        return r;
    }
    *watch = (struct watch){.delivery.deliver = tell, .fn = fn};
    mcph_list_init(&watch->delivery.link);
    if (!mcph_providing_is_open(call)) {
        r = MCPHOST_E_STATE;
    } else if (!get_locked(call)) {
        r = MCPHOST_E_NOMEM;
    } else {
        watch->arg = arg;
        watch->free_arg = free_arg;
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
