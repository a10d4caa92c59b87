/* SPDX-License-Identifier: MIT
 *
 * call.c - the public functions of <mcphost/call.h>, except the functions for items
 * (items.c), skills (skill.c) and dialog turns (turn.c).
 */
#include <math.h>
#include <string.h>

#include "api/getter.h"
#include "host/call.h"
#include "host/request.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/view.h"

/* Looks up the tool for mcphost_call_new() once more, after the tool was not found in the
 * catalog, or the view did not allow it, or the lookup failed.  If the tool is there now,
 * creates the call.  If MCPHOST_OPT_WAIT_STARTING is set and a starting server may offer
 * the tool, creates a call that waits for the tool.  Otherwise, stores and returns the
 * error. */
static int
new_otherwise(mcphost_dialog *dialog, const char *tool, const char *arguments, size_t len,
              mcphost_call **ret_call, mcphost_error **reterr)
{
    bool waits = dialog->host->options[MCPHOST_OPT_WAIT_STARTING] > 0;
    mcphost_error *err = NULL;
    mcphost_tool *found;
    int r = mcph_call_find(dialog, tool, waits, &found, reterr ? &err : NULL);

    if (r == 0)
        return mcph_call_make(dialog, found, arguments, len, ret_call, reterr);
    if (r == MCPHOST_E_BUSY && waits) {
        mcphost_error_unref(err);
        return mcph_call_make_waiting(dialog, tool, arguments, len, ret_call, reterr);
    }
    if (reterr)
        *reterr = err;
    return r;
}

int
mcphost_call_new(mcphost_dialog *dialog, const char *tool, const char *arguments,
                 size_t len, mcphost_call **ret_call, mcphost_error **reterr)
{
    mcphost_tool *found;
    int r;

    if (!dialog || !tool || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    /* Handle the common case first: the tool is in the catalog, and the view allows the
     * tool. */
    r = mcph_dialog_find_tool(dialog, tool, strlen(tool), &found);
    if (r == 0 && found && mcph_view_check(dialog, found, NULL) == 0)
        return mcph_call_make(dialog, found, arguments, len, ret_call, reterr);
    if (r == 0)
        mcphost_tool_unref(found);
    return new_otherwise(dialog, tool, arguments, len, ret_call, reterr);
}

int
mcphost_call_new_tool(mcphost_dialog *dialog, mcphost_tool *tool, const char *arguments,
                      size_t len, mcphost_call **ret_call, mcphost_error **reterr)
{
    int r;

    if (!dialog || !tool || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    r = mcph_host_enter(dialog->host);
    if (r == 0) {
        r = dialog->closed ? MCPHOST_E_CLOSED : 0;
        mcph_core_leave(dialog->host->core);
    }
    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    if (tool->block->realm != dialog->host)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the tool '%s' belongs to another host", mcph_tool_name(tool));
    if (!(mcph_tool_visibility(tool) & MCPHOST_VISIBLE_TO_MODEL))
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "only apps may call the tool '%s' of server '%s'",
                        mcph_tool_name(tool), tool->block->id);
    r = mcph_view_check(dialog, tool, reterr);
    if (r < 0)
        return r;
    return mcph_call_make(dialog, mcphost_tool_ref(tool), arguments, len, ret_call,
                          reterr);
}

int
mcphost_call_new_app_tool(mcphost_dialog *dialog, const char *server, const char *tool,
                          const char *arguments, size_t len, mcphost_call **ret_call,
                          mcphost_error **reterr)
{
    if (!dialog || !server || !tool || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_make_app_tool(dialog, server, tool, arguments, len, ret_call,
                                   reterr);
}

int
mcphost_call_new_read(mcphost_dialog *dialog, const char *server, const char *uri,
                      mcphost_call **ret_call, mcphost_error **reterr)
{
    if (!dialog || !server || !uri || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_make_read(dialog, server, mcph_span_str(uri), ret_call, reterr);
}

int
mcphost_call_new_prompt(mcphost_dialog *dialog, const char *name, const char *arguments,
                        size_t len, mcphost_call **ret_call, mcphost_error **reterr)
{
    if (!dialog || !name || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_make_prompt(dialog, name,
                                 arguments ? mcph_span(arguments, len) : MCPH_SPAN_NONE,
                                 ret_call, reterr);
}

static struct mcph_completion
completion_of(const char *argument, const char *value, const char *context, size_t len)
{
    return (struct mcph_completion){mcph_span_str(argument), mcph_span_str(value),
                                    context ? mcph_span(context, len) : MCPH_SPAN_NONE};
}

int
mcphost_call_new_complete_template(mcphost_dialog *dialog, const char *server,
                                   const char *uri_template, const char *argument,
                                   const char *value, const char *context,
                                   size_t context_len, mcphost_call **ret_call,
                                   mcphost_error **reterr)
{
    if (!dialog || !server || !uri_template || !argument || !value || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_complete_template(
        dialog, server, mcph_span_str(uri_template),
        completion_of(argument, value, context, context_len), ret_call, reterr);
}

int
mcphost_call_new_complete_prompt(mcphost_dialog *dialog, const char *name,
                                 const char *argument, const char *value,
                                 const char *context, size_t context_len,
                                 mcphost_call **ret_call, mcphost_error **reterr)
{
    if (!dialog || !name || !argument || !value || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_complete_prompt(dialog, name,
                                     completion_of(argument, value, context, context_len),
                                     ret_call, reterr);
}

mcphost_call *
mcphost_call_ref(mcphost_call *call)
{
    if (call)
        mcph_refs_get(&call->refs);
    return call;
}

mcphost_call *
mcphost_call_unref(mcphost_call *call)
{
    mcph_call_put(call);
    return NULL;
}

/* Limits a time in ms, so that the sum of the time and a clock value cannot overflow. */
static int64_t
bounded_ms(int64_t ms)
{
    return ms < INT64_MAX / 4 ? ms : INT64_MAX / 4;
}

/* Returns true if the call has not been started.  Setters need no lock, because only the
 * maker of the call uses the call before the start. */
static bool
is_new(const mcphost_call *call)
{
    return atomic_load(&call->state) == MCPH_CALL_NEW;
}

int
mcphost_call_set_timeout(mcphost_call *call, int64_t timeout_ms, int reset_on_progress,
                         int64_t max_ms)
{
    if (!call || timeout_ms < -1 || max_ms < -1)
        return MCPHOST_E_INVALID;
    if (!is_new(call))
        return MCPHOST_E_STATE;
    call->timeout_ms = bounded_ms(timeout_ms);
    call->progress_resets = reset_on_progress;
    call->max_ms = bounded_ms(max_ms);
    return 0;
}

int
mcphost_call_set_progress(mcphost_call *call, mcphost_progress_fn fn, void *arg,
                          mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (call)
        r = is_new(call) ? mcph_progress_set(call, fn, arg, free_arg) : MCPHOST_E_STATE;
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

int
mcphost_call_set_request(mcphost_call *call, const mcphost_request *request)
{
    if (!call || !request || request->kind != MCPHOST_REQUEST_SAMPLING ||
        request->host != call->host)
        return MCPHOST_E_INVALID;
    if (!is_new(call))
        return MCPHOST_E_STATE;
    call->depth = request->depth + 1;
    return 0;
}

int
mcphost_call_set_meta(mcphost_call *call, const char *json, size_t len,
                      mcphost_error **reterr)
{
    if (!call || !json)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (!is_new(call))
        return mcph_err(reterr, MCPHOST_E_STATE, "the call was started");
    return mcph_call_set_meta(call, json, len, reterr);
}

void
mcphost_call_set_user_data(mcphost_call *call, void *data)
{
    if (call)
        atomic_store(&call->user_data, data);
}

MCPH_GETTER(void *, mcphost_call_get_user_data, const mcphost_call *,
            atomic_load(&self->user_data))

int
mcphost_call_start(mcphost_call *call, mcphost_done_fn done, void *arg,
                   mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (call)
        r = mcph_call_submit(call, done, arg, free_arg);
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

int
mcphost_call_cancel(mcphost_call *call)
{
    return call ? mcph_call_request_cancel(call) : MCPHOST_E_INVALID;
}

/* Returns true if the `done` function of the call has run. */
static bool
is_delivered(const mcphost_call *call)
{
    return atomic_load_explicit(&call->state, memory_order_acquire) == MCPH_CALL_DONE;
}

static bool
is_over(void *arg)
{
    const mcphost_call *call = arg;

    return is_delivered(call) || call->host->ended;
}

int
mcphost_call_wait(mcphost_call *call, int64_t timeout_ms)
{
    mcphost *host;
    int r;

    if (!call)
        return MCPHOST_E_INVALID;
    if (is_new(call))
        return MCPHOST_E_STATE;
    host = call->host;
    if (is_delivered(call))
        return mcph_core_forked(host->core) ? MCPHOST_E_FORKED : 1;
    if (!mcph_host_try_get(host))
        return MCPHOST_E_CLOSED;
    r = mcph_core_wait_until(host->core, is_over, call, timeout_ms);
    mcph_host_put(host);
    if (r == 1 && !is_delivered(call))
        r = MCPHOST_E_CLOSED;
    return r;
}

/* Returns true if the call has ended.  A call has no result and no error before it
 * ends. */
static bool
has_ended(const mcphost_call *call)
{
    return call &&
           atomic_load_explicit(&call->state, memory_order_acquire) >= MCPH_CALL_ENDED;
}

int
mcphost_call_is_done(const mcphost_call *call)
{
    return has_ended(call);
}

mcphost_result *
mcphost_call_get_result(const mcphost_call *call)
{
    return has_ended(call) ? call->result : NULL;
}

mcphost_error *
mcphost_call_get_error(const mcphost_call *call)
{
    return has_ended(call) ? call->error : NULL;
}

MCPH_GETTER(mcphost_tool *, mcphost_call_get_tool, const mcphost_call *,
            mcph_call_get_tool(self))

const char *
mcphost_call_get_arguments(const mcphost_call *call, size_t *ret_len)
{
    struct mcph_span arguments = MCPH_SPAN_NONE;

    if (call && call->target.kind->method == &mcph_methods[MCPH_METHOD_CALL_TOOL])
        arguments = mcph_call_get_arguments(call);
    return mcph_span_give(arguments, ret_len);
}

MCPH_GETTER(const char *, mcphost_call_get_dialog_id, const mcphost_call *,
            self->dialog->id)

int
mcphost_set_before_call(mcphost *host, mcphost_before_call_fn fn, void *arg,
                        mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (host)
        r = mcph_approval_set(host, fn, arg, free_arg);
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

int
mcphost_set_trace_context(mcphost *host, mcphost_trace_context_fn fn, void *arg,
                          mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (host)
        r = mcph_approval_set_trace(host, fn, arg, free_arg);
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

int
mcphost_call_set_trace_context(mcphost_call *call, const char *traceparent,
                               const char *tracestate, const char *baggage,
                               mcphost_error **reterr)
{
    const char *const parts[MCPH_TRACES] = {traceparent, tracestate, baggage};

    if (!call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_set_trace(call, parts, reterr);
}

int
mcphost_call_allow(mcphost_call *call)
{
    return call ? mcph_approval_allow(call) : MCPHOST_E_INVALID;
}

int
mcphost_call_refuse(mcphost_call *call, const char *text, size_t len)
{
    if (!call || !text || !mcph_utf8_valid(text, len, NULL))
        return MCPHOST_E_INVALID;
    return mcph_approval_refuse(call, text, len);
}

/* ---- for built-in tools ------------------------------------------------------------ */

int
mcphost_call_answer(mcphost_call *call, const char *text, size_t len, int is_error)
{
    if (!call || !text || !mcph_utf8_valid(text, len, NULL))
        return MCPHOST_E_INVALID;
    return mcph_handling_answer(call, text, len, is_error);
}

int
mcphost_call_answer_result(mcphost_call *call, const char *json, size_t len,
                           mcphost_error **reterr)
{
    if (!call || !json)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_handling_answer_result(call, json, len, reterr);
}

int
mcphost_call_report_progress(mcphost_call *call, double progress, double total,
                             const char *message, size_t len)
{
    if (!call || !isfinite(progress) || isinf(total) ||
        (message && (!mcph_utf8_valid(message, len, NULL) || memchr(message, '\0', len))))
        return MCPHOST_E_INVALID;
    return mcph_handling_report(call, progress, total, message, message ? len : 0);
}

int
mcphost_call_is_cancelled(mcphost_call *call)
{
    return !call || mcph_handling_is_cancelled(call);
}

int
mcphost_call_set_cancelled(mcphost_call *call, mcphost_cancelled_fn fn, void *arg,
                           mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (call && fn)
        r = mcph_handling_set_cancelled(call, fn, arg, free_arg);
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}
