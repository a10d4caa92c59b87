/* SPDX-License-Identifier: MIT
 *
 * approval.c - ask the application before a call is carried out.
 *
 *   asked --the function, or any thread later--> given --dispatch--> runs, or ends
 *     \___ over: cancelled, late, the dialog or the host was closed
 *
 * The application is asked once for each call of a tool: when the tool is known, and
 * before a server or a built-in tool gets the call.  Before the application is asked, the
 * application's mcphost_trace_context_fn runs.  This function runs for each call that a
 * server gets, also if the call is not a call of a tool.  The call's own timeout begins
 * after the application's answer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"

struct mcph_approval {
    mcphost_call *call;      /* the call that waits for approval */
    struct mcph_hook *hook;  /* the function to ask, a reference; NULL if no function
                              * is set or it has run */
    struct mcph_hook *trace; /* the function that gives a trace context, a reference;
                              * NULL if no function is set or it has run */
    struct mcph_delivery ask;
    struct mcph_job answer;
    bool granted; /* the call is allowed; used by the dispatcher only */

    /* The members below are guarded by the core's lock. */
    bool asked, given;
    mcphost_result *refusal; /* the result of a refused call, until the dispatcher
                              * takes it; NULL if the call is allowed */
};

static int
enter_host(void *host)
{
    return mcph_host_enter(host);
}

int
mcph_approval_set(mcphost *host, mcphost_before_call_fn fn, void *arg,
                  mcphost_free_fn free_arg)
{
    if (fn)
        atomic_store(&host->asks_before_calls, true);
    return mcph_hook_set(host->core, &host->before_call, (mcph_any_fn)fn, arg, free_arg,
                         enter_host, host);
}

int
mcph_approval_set_trace(mcphost *host, mcphost_trace_context_fn fn, void *arg,
                        mcphost_free_fn free_arg)
{
    if (fn)
        atomic_store(&host->asks_before_calls, true);
    return mcph_hook_set(host->core, &host->trace, (mcph_any_fn)fn, arg, free_arg,
                         enter_host, host);
}

void
mcph_approval_free(struct mcph_approval *approval)
{
    if (!approval)
        return;
    mcph_hook_unref(approval->hook);
    mcph_hook_unref(approval->trace);
    mcphost_result_unref(approval->refusal);
    free(approval);
}

/* ---- the answer -------------------------------------------------------------------- */

/* Stores the application's answer and posts the job that acts on the answer.  If
 * `refusal` is NULL, the call is allowed.  Otherwise takes over `refusal`.  Returns
 * MCPHOST_E_STATE if the call does not wait for an answer. */
static int
give_answer(mcphost_call *call, mcphost_result *refusal)
{
    int r = mcph_core_enter_closed(call->host->core);
    struct mcph_approval *approval;

    if (r == 0) {
        approval = call->approval;
        if (approval && approval->asked && !approval->given && !call->host->ended &&
            atomic_load(&call->state) == MCPH_CALL_STARTED) {
            approval->given = true;
            approval->refusal = refusal;
            refusal = NULL;
            mcph_refs_get(&call->refs);
            mcph_core_post_locked(call->host->core, &approval->answer);
        } else {
            r = MCPHOST_E_STATE;
        }
        mcph_core_leave(call->host->core);
    }
    mcphost_result_unref(refusal);
    return r;
}

int
mcph_approval_allow(mcphost_call *call)
{
    return give_answer(call, NULL);
}

int
mcph_approval_refuse(mcphost_call *call, const char *text, size_t len)
{
    mcphost_result *refusal;
    int r = mcph_result_new_text(text, len, true, &refusal);

    return r < 0 ? r : give_answer(call, refusal);
}

static void
run_answer(struct mcph_job *job)
{
    struct mcph_approval *approval = MCPH_CONTAINER_OF(job, struct mcph_approval, answer);
    mcphost_call *call = approval->call;
    mcphost_result *refusal;

    mcph_core_lock(call->host->core);
    refusal = approval->refusal;
    approval->refusal = NULL;
    mcph_core_unlock(call->host->core);
    if (refusal) {
        mcph_call_finish(call, 0, refusal, NULL);
    } else if (call->active) {
        approval->granted = true;
        mcph_timer_done(&call->deadline);
        mcph_call_run(&call->submit);
    }
    mcph_call_put(call);
}

/* Ends the call with an error that names no server, because no server is at fault. */
static void
fail_call(mcphost_call *call, int code, const char *text)
{
    mcphost_error *err = NULL;

    mcph_err(&err, code, "%s", text);
    mcph_call_finish(call, code, NULL, err);
    mcphost_error_unref(err);
}

/* ---- the question ------------------------------------------------------------------ */

static void
set_tracing(mcphost_call *call, bool tracing)
{
    mcph_core_lock(call->host->core);
    call->tracing = tracing;
    mcph_core_unlock(call->host->core);
}

/* Runs the application's function that gives a trace context (user code). */
static void
run_trace(struct mcph_approval *approval)
{
    mcphost_trace_context_fn fn = (mcphost_trace_context_fn)approval->trace->fn;

    set_tracing(approval->call, true);
    fn(approval->call, approval->trace->arg);
    set_tracing(approval->call, false);
    mcph_hook_unref(approval->trace);
    approval->trace = NULL;
}

/* Runs the application's function that allows or refuses the call (user code). */
static int
run_question(struct mcph_approval *approval)
{
    mcphost_before_call_fn fn = (mcphost_before_call_fn)approval->hook->fn;
    int r = fn(approval->call, approval->hook->arg);

    mcph_hook_unref(approval->hook);
    approval->hook = NULL;
    return r;
}

static void
run_function(struct mcph_delivery *delivery)
{
    struct mcph_approval *approval =
        MCPH_CONTAINER_OF(delivery, struct mcph_approval, ask);
    mcphost_call *call = approval->call;
    char text[80];
    int r;

    if (!call->host->journal.silent && call->active) {
        if (approval->trace)
            run_trace(approval);
        mcph_core_lock(call->host->core);
        approval->asked = true;
        mcph_core_unlock(call->host->core);
        r = approval->hook ? run_question(approval) : MCPHOST_BEFORE_CALL_GO;
        if (r == MCPHOST_BEFORE_CALL_GO) {
            (void)give_answer(call,
                              NULL); /* give_answer() has no effect if the function has
                                      * refused the call */
        } else if (r < 0) {
            mcph_call_finish(call, r, NULL, NULL);
        } else if (r != MCPHOST_BEFORE_CALL_LATER) {
            snprintf(text, sizeof(text), "mcphost_before_call_fn returned %d", r);
            fail_call(call, MCPHOST_E_DENIED, text);
        }
    }
    mcph_call_put(call);
}

static void
on_late(struct mcph_timer *timer)
{
    mcphost_call *call = MCPH_CONTAINER_OF(timer, mcphost_call, deadline);
    char what[128], text[192];

    call->target.kind->describe(&call->target, what, sizeof(what));
    snprintf(text, sizeof(text),
             "the application neither allowed nor refused the call of %s in time", what);
    fail_call(call, MCPHOST_E_TIMEOUT, text);
}

static struct mcph_approval *
approval_new(mcphost_call *call, struct mcph_hook *hook, struct mcph_hook *trace)
{
    struct mcph_approval *approval = calloc(1, sizeof(*approval));

    if (!approval)
        return NULL;
    approval->call = call;
    approval->hook = mcph_hook_ref(hook);
    approval->trace = mcph_hook_ref(trace);
    approval->ask.deliver = run_function;
    approval->answer.run = run_answer;
    mcph_list_init(&approval->ask.link);
    return approval;
}

/* Starts to ask the application.  Returns false if memory is short. */
static bool
ask_application(mcphost_call *call, struct mcph_hook *hook, struct mcph_hook *trace)
{
    int64_t ms = call->host->options[MCPHOST_OPT_REQUEST_TIMEOUT];
    struct mcph_approval *approval = approval_new(call, hook, trace);
    struct mcph_core *core = call->host->core;

    if (!approval || mcph_timer_init(&call->deadline, core, on_late) < 0) {
        mcph_approval_free(approval);
        return false;
    }
    mcph_core_lock(core);
    call->approval = approval;
    mcph_core_unlock(core);
    if (ms >= 0)
        mcph_timer_set(&call->deadline, mcph_core_now(core) + ms);
    mcph_refs_get(&call->refs);
    mcph_core_deliver(core, &approval->ask);
    return true;
}

bool
mcph_approval_awaits(mcphost_call *call)
{
    struct mcph_core *core = call->host->core;
    struct mcph_hook *hook = NULL, *trace = NULL;

    if (call->approval)
        return !call->approval->granted;
    if (!atomic_load_explicit(&call->host->asks_before_calls, memory_order_acquire))
        return false;
    mcph_core_lock(core);
    if (call->target.tool)
        hook = mcph_hook_ref(call->host->before_call);
    if (!mcph_block_is_builtin(call->target.block))
        trace = mcph_hook_ref(call->host->trace);
    mcph_core_unlock(core);
    if (!hook && !trace)
        return false;
    if (!ask_application(call, hook, trace))
        mcph_call_finish(call, MCPHOST_E_NOMEM, NULL, NULL);
    mcph_hook_unref(hook);
    mcph_hook_unref(trace);
    return true;
}
