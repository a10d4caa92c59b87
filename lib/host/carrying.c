/* SPDX-License-Identifier: MIT
 *
 * carrying.c - calls at a provider without messages: the host runs the provider's
 * function itself.
 *
 * The provider's instance is READY and counts the call, like the instance of any
 * server.  This file does a client's work for a call: it keeps the deadline, and
 * handles progress, cancellation and the questions that the provider asks during the
 * call.  This file carries out tool calls, reads and prompts.  The instance's client
 * carries out any other call, by messages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/request.h"

struct mcph_carried {
    mcphost_provider_call provided;
    mcphost_call *call; /* a reference, until `provided` is freed */
    struct mcph_buf variables;
    int64_t timeout_ms; /* the timeout, which progress may restart; -1 means no timeout */
    /* The times when the timeout ends, and when the limit of the whole call ends.
     * INT64_MAX means no limit. */
    int64_t soft_due, due;
    int64_t left;    /* rest of the timeout in ms while a question is open */
    unsigned n_asks; /* number of open questions; if not 0, the timeout does not run */
};

static struct mcph_carried *
carried_of(mcphost_provider_call *provided)
{
    return MCPH_CONTAINER_OF(provided, struct mcph_carried, provided);
}

/* ---- the carrier ------------------------------------------------------------------- */

/* Ends the call with the provider's answer.  If the answer is a failure, the call gets a
 * copy of the provider's error, or an error made from the code.  The call's error names
 * the source and the server, as a client's error does. */
static void
conclude_call(mcphost_call *call, mcphost_provider_call *provided)
{
    struct mcph_client_answer answer = {
        .code = provided->code, .result = provided->result, .frame = provided->frame};
    mcphost_error *err = NULL;

    if (answer.code < 0) {
        mcphost_error *plain = provided->error;

        if (!plain)
            mcph_err(&plain, answer.code, "%s", mcphost_strerror(answer.code));
        mcph_err_copy(&err, plain, mcph_target_source_id(&call->target),
                      mcph_target_server_id(&call->target));
        if (plain != provided->error)
            mcphost_error_unref(plain);
        answer.error = err;
    }
    mcph_call_conclude(call, &answer);
    mcphost_error_unref(err);
}

static void
on_answered(mcphost_provider_call *provided)
{
    mcphost_call *call = carried_of(provided)->call;

    call->carried = NULL;
    conclude_call(call, provided);
    mcph_providing_put(provided);
}

/* Sets the call's timer to the end of a timeout of `ms`, but not beyond the limit of the
 * whole call.  If `ms` is -1, only this limit applies. */
static void
set_deadline(mcphost_call *call, struct mcph_carried *carried, int64_t ms)
{
    int64_t at = carried->due;

    carried->soft_due = ms < 0 ? INT64_MAX : mcph_core_round_now(call->host->core) + ms;
    if (carried->soft_due < at)
        at = carried->soft_due;
    if (at < INT64_MAX)
        mcph_timer_set(&call->deadline, at);
    else
        mcph_timer_cancel(&call->deadline);
}

/* Stops the timeout while a question is open.  The limit of the whole call still runs. */
static void
pause_timeout(mcphost_call *call, struct mcph_carried *carried)
{
    int64_t left = -1;

    if (carried->soft_due < INT64_MAX) {
        left = carried->soft_due - mcph_core_round_now(call->host->core);
        left = left > 0 ? left : 0;
    }
    set_deadline(call, carried, -1);
    carried->left = left;
}

static void
on_progress(mcphost_provider_call *provided, double progress, double total,
            const char *text)
{
    mcphost_call *call = carried_of(provided)->call;

    if (call->progress_resets && carried_of(provided)->n_asks == 0)
        set_deadline(call, carried_of(provided), carried_of(provided)->timeout_ms);
    mcph_progress_tell(call, progress, total, text);
}

static bool
may_ask(const mcphost_provider_call *provided, int kind)
{
    const struct mcph_carried *carried =
        MCPH_CONTAINER_OF(provided, const struct mcph_carried, provided);

    return (carried->call->host->options[MCPHOST_OPT_REQUESTS] & kind) != 0;
}

static void
on_ask(mcphost_provider_call *provided, struct mcph_ask_out *ask)
{
    struct mcph_carried *carried = carried_of(provided);

    if (carried->n_asks++ == 0)
        pause_timeout(carried->call, carried);
    mcph_request_ask_for(carried->call, ask);
}

static void
on_unask(mcphost_provider_call *provided, struct mcph_ask_out *ask)
{
    carried_of(provided)->n_asks--;
    mcph_request_forget(ask);
}

void
mcph_carrying_answer(mcphost_call *call, struct mcph_ask_out *asked, int code,
                     struct mcph_span result, mcphost_error *error)
{
    struct mcph_carried *carried = call->carried;

    if (--carried->n_asks == 0)
        set_deadline(call, carried, carried->left);
    mcph_ask_out_answer(asked, code, result, error);
}

static void
free_carried(mcphost_provider_call *provided)
{
    struct mcph_carried *carried = carried_of(provided);
    mcphost_call *call = carried->call;

    if (carried->variables.data)
        mcph_buf_done(&carried->variables);
    free(carried);
    mcph_call_put(call);
}

static const struct mcph_carrier carrier = {
    .answered = on_answered,
    .progress = on_progress,
    .asks = may_ask,
    .ask = on_ask,
    .unask = on_unask,
    .free = free_carried,
};

/* ---- the call ---------------------------------------------------------------------- */

static void
on_deadline(struct mcph_timer *timer)
{
    mcphost_call *call = MCPH_CONTAINER_OF(timer, mcphost_call, deadline);
    char what[128], text[192];

    call->target.kind->describe(&call->target, what, sizeof(what));
    snprintf(text, sizeof(text), "%s did not answer in time", what);
    mcph_call_fail(call, MCPHOST_E_TIMEOUT, text);
}

/* Returns the provider's method for the call.  *ret_name gets the name of the call's
 * target.  Returns -1 if the call must go through the instance's client. */
static int
method_of(const mcphost_call *call, struct mcph_span *ret_name)
{
    const struct mcph_target_kind *kind = call->target.kind;

    *ret_name = call->target.name;
    if (kind == &mcph_target_read)
        return MCPH_PROVIDE_READ;
    if (kind == &mcph_target_prompt)
        return MCPH_PROVIDE_GET;
    if (kind != &mcph_target_tool && kind != &mcph_target_app_tool)
        return -1;
    *ret_name = mcph_span_str(mcph_tool_original(call->target.tool));
    return MCPH_PROVIDE_CALL;
}

static struct mcph_carried *
carried_new(mcphost_call *call, int method, struct mcph_span name, int64_t timeout_ms)
{
    struct mcph_carried *carried = mcph_zalloc(sizeof(*carried), 0);
    mcphost_provider_call *provided;

    if (!carried)
        return NULL;
    provided = &carried->provided;
    provided->carrier = &carrier;
    provided->method = method;
    provided->name = name;
    provided->arguments = call->arguments_len
                              ? mcph_span(call->arguments, call->arguments_len)
                              : mcph_span("{}", 2);
    provided->meta = call->meta ? mcph_span(call->meta, call->meta_len) : MCPH_SPAN_NONE;
    provided->dialog = call->dialog->id;
    provided->wants_progress = call->progress_wanted || call->progress_resets;
    carried->call = call;
    carried->timeout_ms = timeout_ms;
    carried->due = INT64_MAX;
    if (call->max_ms >= 0)
        carried->due = mcph_core_round_now(call->host->core) + call->max_ms;
    return carried;
}

/* Ends a call that the provider cannot carry out.  `r` is the reason.  For
 * MCPHOST_E_NOTFOUND, makes the error that a call at a server would get. */
static void
refuse_call(mcphost_call *call, int r)
{
    static const char text[] = "the provider has no such resource";
    mcphost_error *err = NULL;
    char what[200];

    if (r != MCPHOST_E_NOTFOUND) {
        mcph_call_finish(call, r, NULL, NULL);
    } else if (call->target.kind == &mcph_target_read) {
        mcph_err_rpc(&err, -32002, text, sizeof(text) - 1, NULL, 0);
        mcph_err_set_server(err, mcph_target_source_id(&call->target),
                            mcph_target_server_id(&call->target));
        mcph_call_finish(call, MCPHOST_E_RPC, NULL, err);
        mcphost_error_unref(err);
    } else {
        call->target.kind->describe_missing(&call->target, NULL, what, sizeof(what));
        mcph_call_fail(call, MCPHOST_E_GONE, what);
    }
}

/* Checks the arguments of a prompt, and ends the call if they are invalid.  The arguments
 * of a tool were checked when the call was made. */
static int
check_arguments(mcphost_call *call, const struct mcph_feature *feature, int method)
{
    mcphost_error *err = NULL;
    int r = 0;

    if (method == MCPH_PROVIDE_GET)
        r = mcph_feature_check_prompt(
            feature, mcph_span(call->arguments, call->arguments_len), &err);
    if (r < 0)
        mcph_call_finish(call, r, NULL, err);
    mcphost_error_unref(err);
    return r;
}

static void
begin_call(mcphost_call *call, mcphost_provider *provider, int method,
           struct mcph_span name, int64_t timeout_ms)
{
    struct mcph_provide_target target;
    struct mcph_carried *carried = NULL;
    int r = mcph_provider_find(provider, method, 0, name, &target);

    if (r < 0) {
        refuse_call(call, r);
        goto out;
    }
    if (check_arguments(call, target.feature, method) < 0)
        goto out;
    carried = carried_new(call, method, name, timeout_ms);
    if (!carried || mcph_timer_init(&call->deadline, call->host->core, on_deadline) < 0) {
        refuse_call(call, MCPHOST_E_NOMEM);
        goto out;
    }
    if (target.variables.len > 0) {
        size_t len = target.variables.len;

        carried->variables = target.variables;
        mcph_buf_init(&target.variables, 0);
        carried->provided.arguments = mcph_span(mcph_buf_text(&carried->variables), len);
        if (!carried->provided.arguments.p) {
            refuse_call(call, MCPHOST_E_NOMEM);
            goto out;
        }
    }
    r = mcph_provider_begin(provider, &carried->provided, &target);
    if (r < 0) {
        refuse_call(call, MCPHOST_E_NOTFOUND);
        goto out;
    }
    mcph_refs_get(&call->refs);
    call->carried = carried;
    set_deadline(call, carried, timeout_ms);
    carried = NULL;
out:
    if (carried)
        mcph_buf_done(&carried->variables);
    free(carried);
    mcph_provide_target_done(&target);
}

bool
mcph_carrying_begin(mcphost_call *call, struct mcph_instance *inst, int64_t timeout_ms)
{
    struct mcph_span name;
    int method;

    if (inst->state != MCPHOST_INSTANCE_READY ||
        inst->provider->state != MCPH_PROVIDER_UP)
        return false;
    method = method_of(call, &name);
    if (method >= 0)
        begin_call(call, inst->provider, method, name, timeout_ms);
    return method >= 0;
}

void
mcph_carrying_ended(mcphost_call *call)
{
    struct mcph_carried *carried = call->carried;

    call->carried = NULL;
    mcph_providing_abandon(&carried->provided);
}

void
mcph_carrying_lost(const struct mcph_instance *inst, mcphost *host)
{
    if (!inst->provider)
        return;
    mcph_list_for_each_safe (item, &host->calls) {
        mcphost_call *call = MCPH_LIST_ENTRY(item, mcphost_call, link);

        if (call->carried && call->instance == inst)
            mcph_call_fail(call, MCPHOST_E_CANCELLED,
                           "the client was stopped before the call ended");
    }
}
