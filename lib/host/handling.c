/* SPDX-License-Identifier: MIT
 *
 * handling.c - calls of built-in tools, from the moment that the tool gets the call.
 *
 * The function of a tool of mcp_admin runs at once, on the dispatcher, and ends the call
 * itself (admin.c).  The function of any other tool runs by delivery.  The tool answers
 * at once or later, on any thread.  The tool may report progress, and may set an
 * mcphost_cancelled_fn, which runs if the call ends before the tool has answered.  A
 * thread that has the call may use the tool, because the call refers to the tool until
 * the call is freed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"

#define RESULT_MAX ((size_t)32 * 1024 * 1024)
#define REPORT_MAX ((size_t)64 * 1024)

/* The application's mcphost_cancelled_fn for a call, and the delivery that runs this
 * function. */
struct watch {
    struct mcph_delivery delivery;
    mcphost_call *call; /* a reference, while the delivery is queued */
    mcphost_cancelled_fn fn;
    void *arg;
    mcphost_free_fn free_arg;
};

struct mcph_handling {
    mcphost_call *call;        /* the call that the tool carries out */
    struct mcph_builtin *tool; /* a reference */
    int64_t timeout_ms, due;   /* INT64_MAX in `due` means no limit */
    bool refused;              /* the tool's function ended the call with an error */
    struct mcph_delivery run;
    struct mcph_job answer;

    /* The members below are guarded by the core's lock. */
    bool is_answered;
    mcphost_result *answered; /* the answer, until the dispatcher takes it */
    struct watch *watch;
    struct mcph_reporter reporter;
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
mcph_handling_free(struct mcph_handling *h)
{
    if (!h)
        return;
    mcph_builtin_unref(h->tool);
    mcphost_result_unref(h->answered);
    watch_free(h->watch);
    free(h);
}

/* ---- the function ------------------------------------------------------------------ */

/* Runs the tool's function (user code). */
static void
run_function(struct mcph_delivery *delivery)
{
    struct mcph_handling *h = MCPH_CONTAINER_OF(delivery, struct mcph_handling, run);
    mcphost_call *call = h->call;
    int r;

    if (!call->host->journal.silent && call->active) {
        r = h->tool->fn(call, call->arguments, call->arguments_len, h->tool->arg);
        h->refused = r < 0;
        if (r < 0)
            mcph_call_finish(call, r, NULL, NULL);
    }
    mcph_call_put(call);
}

static void
run_answer(struct mcph_job *job)
{
    struct mcph_handling *h = MCPH_CONTAINER_OF(job, struct mcph_handling, answer);
    mcphost_call *call = h->call;
    mcphost_result *result;

    mcph_core_lock(call->host->core);
    result = h->answered;
    h->answered = NULL;
    mcph_core_unlock(call->host->core);
    mcph_call_finish(call, 0, result, NULL);
    mcph_call_put(call);
}

static void
on_deadline(struct mcph_timer *timer)
{
    mcphost_call *call = MCPH_CONTAINER_OF(timer, mcphost_call, deadline);
    char what[128], text[192];

    call->target.kind->describe(&call->target, what, sizeof(what));
    snprintf(text, sizeof(text), "the built-in %s did not answer in time", what);
    mcph_call_fail(call, MCPHOST_E_TIMEOUT, text);
}

/* Restarts the call's timer with the call's timeout, but not beyond the limit of the
 * whole call. */
static void
set_deadline(mcphost_call *call, const struct mcph_handling *h)
{
    int64_t at = h->due;

    if (h->timeout_ms >= 0)
        at = mcph_core_now(call->host->core) + h->timeout_ms;
    if (at < INT64_MAX)
        mcph_timer_set(&call->deadline, at < h->due ? at : h->due);
}

static void keep_reporter(struct mcph_reporter *reporter);
static void tell_progress(struct mcph_reporter *reporter, double progress, double total,
                          const char *text);

static struct mcph_handling *
handling_new(mcphost_call *call, struct mcph_builtin *tool, int64_t timeout_ms)
{
    struct mcph_handling *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->call = call;
    h->reporter = (struct mcph_reporter){
        .core = call->host->core, .keep = keep_reporter, .tell = tell_progress};
    h->tool = tool;
    h->timeout_ms = timeout_ms;
    h->due = INT64_MAX;
    if (call->max_ms >= 0)
        h->due = mcph_core_now(call->host->core) + call->max_ms;
    h->run.deliver = run_function;
    h->answer.run = run_answer;
    mcph_list_init(&h->run.link);
    return h;
}

void
mcph_handling_begin(mcphost_call *call, struct mcph_builtin *tool, int64_t timeout_ms)
{
    struct mcph_handling *h = handling_new(call, tool, timeout_ms);

    if (!h || mcph_timer_init(&call->deadline, call->host->core, on_deadline) < 0) {
        free(h);
        mcph_builtin_unref(tool);
        mcph_call_finish(call, MCPHOST_E_NOMEM, NULL, NULL);
        return;
    }
    mcph_core_lock(call->host->core);
    call->handling = h;
    mcph_core_unlock(call->host->core);
    set_deadline(call, h);
    if (tool->own) {
        tool->own(call);
        return;
    }
    mcph_refs_get(&call->refs);
    mcph_core_deliver(call->host->core, &h->run);
}

/* ---- answers ----------------------------------------------------------------------- */

/* Returns true while the tool can still answer the call.  Call this under the lock. */
static bool
is_open(const mcphost_call *call)
{
    const struct mcph_handling *h = call->handling;

    return h && h->tool->fn && !h->is_answered && !call->host->ended &&
           atomic_load(&call->state) == MCPH_CALL_STARTED;
}

/* Stores `result` as the tool's answer, and posts the job that ends the call.  Takes over
 * `result`.  Returns MCPHOST_E_STATE if the tool can no longer answer. */
static int
answer_call(mcphost_call *call, mcphost_result *result)
{
    struct mcph_handling *h;
    int r = mcph_core_enter_closed(call->host->core);

    if (r == 0) {
        if (is_open(call)) {
            h = call->handling;
            h->is_answered = true;
            h->answered = result;
            result = NULL;
            mcph_refs_get(&call->refs);
            mcph_core_post_locked(call->host->core, &h->answer);
        } else {
            r = MCPHOST_E_STATE;
        }
        mcph_core_leave(call->host->core);
    }
    mcphost_result_unref(result);
    return r;
}

/* Gets the tool of a call that the tool can still answer.  Returns MCPHOST_E_STATE if the
 * tool can no longer answer.  *ret lives as long as the call. */
static int
find_tool(mcphost_call *call, const mcphost_tool **ret)
{
    int r = mcph_core_enter_closed(call->host->core);

    if (r < 0)
        return r;
    r = is_open(call) ? 0 : MCPHOST_E_STATE;
    *ret = call->target.tool;
    mcph_core_leave(call->host->core);
    return r;
}

int
mcph_handling_answer(mcphost_call *call, const char *text, size_t len, bool is_error)
{
    const mcphost_tool *tool = NULL;
    mcphost_result *result;
    int r = find_tool(call, &tool);

    /* Refuse a text if the tool has an output schema, because a text has no structured
     * content that could fit the schema. */
    if (r == 0 && !is_error && mcph_tool_member(tool, "outputSchema").p)
        r = MCPHOST_E_INVALID;
    if (r == 0)
        r = mcph_result_new_text(text, len, is_error, &result);
    return r < 0 ? r : answer_call(call, result);
}

int
mcph_handling_answer_result(mcphost_call *call, const char *json, size_t len,
                            mcphost_error **reterr)
{
    const mcphost_tool *tool = NULL;
    struct mcph_span object;
    mcphost_result *result;
    int r = find_tool(call, &tool);

    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    if (len > RESULT_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "the result is larger than %zu bytes",
                        RESULT_MAX);
    r = mcph_provide_check_result(MCPH_PROVIDE_CALL, mcph_span(json, len), &object,
                                  reterr);
    if (r == 0)
        r = mcph_validate_answer(call->host, tool, object, reterr);
    if (r < 0)
        return r;
    if (mcph_result_new_copy(object, &result) < 0)
        return mcph_err_nomem(reterr);
    r = answer_call(call, result);
    return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r)) : 0;
}

/* ---- progress ---------------------------------------------------------------------- */

static mcphost_call *
call_of(struct mcph_reporter *reporter)
{
    return MCPH_CONTAINER_OF(reporter, struct mcph_handling, reporter)->call;
}

static void
keep_reporter(struct mcph_reporter *reporter)
{
    mcph_refs_get(&call_of(reporter)->refs);
}

static void
tell_progress(struct mcph_reporter *reporter, double progress, double total,
              const char *text)
{
    mcphost_call *call = call_of(reporter);

    if (call->active) {
        if (call->progress_resets)
            set_deadline(call, call->handling);
        mcph_progress_tell(call, progress, total, text);
    }
    mcph_call_put(call);
}

int
mcph_handling_report(mcphost_call *call, double progress, double total, const char *text,
                     size_t len)
{
    struct mcph_provide_report *report;
    int r;

    if (len > REPORT_MAX)
        return MCPHOST_E_LIMIT;
    report = mcph_provide_report_new(progress, total, text, len);
    r = report ? mcph_core_enter_closed(call->host->core) : MCPHOST_E_NOMEM;
    if (r == 0) {
        if (!is_open(call))
            r = MCPHOST_E_STATE;
        else if (call->progress_wanted || call->progress_resets)
            report = mcph_provide_report_post_locked(&call->handling->reporter, report);
        mcph_core_leave(call->host->core);
    }
    mcph_provide_report_free(report);
    return r;
}

/* ---- cancellation ------------------------------------------------------------------ */

bool
mcph_handling_is_cancelled(mcphost_call *call)
{
    const mcphost *host = call->host;
    bool over;

    if (mcph_core_enter_closed(host->core) < 0)
        return true;
    if (atomic_load(&call->state) >= MCPH_CALL_ENDED)
        over = !call->result;
    else
        over = call->cancelled || host->closing || host->ended || call->dialog->closed;
    mcph_core_leave(host->core);
    return over;
}

int
mcph_handling_set_cancelled(mcphost_call *call, mcphost_cancelled_fn fn, void *arg,
                            mcphost_free_fn free_arg)
{
    struct watch *watch = calloc(1, sizeof(*watch)), *old = NULL;
    int r;

    if (!watch)
        return MCPHOST_E_NOMEM;
    watch->fn = fn;
    watch->arg = arg;
    watch->free_arg = free_arg;
    r = mcph_core_enter_closed(call->host->core);
    if (r == 0) {
        r = is_open(call) ? 0 : MCPHOST_E_STATE;
        if (r == 0) {
            old = call->handling->watch;
            call->handling->watch = watch;
        }
        mcph_core_leave(call->host->core);
    }
    if (r < 0)
        free(watch);
    watch_free(old);
    return r;
}

/* Runs the mcphost_cancelled_fn (user code), unless the tool itself ended the call.
 * Frees the function's `arg` in either case. */
static void
run_cancelled(struct mcph_delivery *delivery)
{
    struct watch *watch = MCPH_CONTAINER_OF(delivery, struct watch, delivery);
    mcphost_call *call = watch->call;

    if (watch->fn && !call->host->journal.silent)
        watch->fn(call, watch->arg);
    watch_free(watch);
    mcph_call_put(call);
}

void
mcph_handling_ended(mcphost_call *call)
{
    struct mcph_handling *h = call->handling;
    struct watch *watch;

    mcph_core_lock(call->host->core);
    watch = h->watch;
    h->watch = NULL;
    if (watch && (h->is_answered || h->refused))
        watch->fn = NULL;
    mcph_core_unlock(call->host->core);
    if (!watch)
        return;
    watch->call = call;
    watch->delivery.deliver = run_cancelled;
    mcph_refs_get(&call->refs);
    mcph_list_init(&watch->delivery.link);
    mcph_core_deliver(call->host->core, &watch->delivery);
}
