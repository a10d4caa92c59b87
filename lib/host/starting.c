/* SPDX-License-Identifier: MIT
 *
 * starting.c - calls of tools that a server may offer later (MCPHOST_OPT_WAIT_STARTING).
 *
 *   started --no such tool, a server is starting--> in host->waiting
 *                                                           |
 *   carried out <--tool found-------------------------------+
 *   refused <--no server is starting, or time is up---------'
 *
 * While calls wait, each change of a server's state posts a job.  The job looks for the
 * tools of all waiting calls again.
 */
#include <stdlib.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/view.h"
#include "schema/schema.h"

/* Finds, in the dialog's view, a server that is still starting, or returns NULL.  Sets
 * *ret_declared to true if the view shows a server.  Call this under the lock. */
static const struct mcph_server *
find_starting(const mcphost_dialog *dialog, bool *ret_declared)
{
    const struct mcph_stack *stack = dialog->view->stack;

    for (size_t i = 0; i < stack->layers.n; i++) {
        const struct mcph_layer *layer = stack->layers.items[i];

        for (size_t j = 0; j < layer->source->servers.n; j++) {
            const struct mcph_server *server = layer->source->servers.items[j];

            if (!mcph_layer_shows(layer, server->id))
                continue;
            *ret_declared = true;
            if (server->state == MCPHOST_SERVER_STARTING)
                return server;
        }
    }
    return NULL;
}

/* Makes the error for an unknown tool.  Returns MCPHOST_E_BUSY if a server is still
 * starting, or if the host is loaded but not ready yet and the view shows no server.
 * Otherwise returns MCPHOST_E_NOTFOUND, or the error of mcph_host_enter(). */
static int
refuse_unknown(const mcphost_dialog *dialog, const char *tool, mcphost_error **reterr)
{
    const struct mcph_server *server;
    mcphost *host = dialog->host;
    bool declared = false;
    int r = mcph_host_enter(host);

    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    server = find_starting(dialog, &declared);
    if (server)
        r = mcph_err(
            reterr, MCPHOST_E_BUSY,
            "there is no tool '%.64s' yet: the server '%s' is still starting%s%s", tool,
            server->id, server->error ? "; " : "",
            server->error ? mcphost_error_get_message(server->error) : "");
    else if (host->loaded && !host->was_ready && !declared)
        r = mcph_err(reterr, MCPHOST_E_BUSY,
                     "there is no tool '%.64s' yet: no server is started yet", tool);
    else
        r = mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no tool '%.64s'", tool);
    mcph_core_leave(host->core);
    return r;
}

int
mcph_call_find(mcphost_dialog *dialog, const char *name, bool waits, mcphost_tool **ret,
               mcphost_error **reterr)
{
    mcphost_tool *found;
    int r = mcph_dialog_find_tool(dialog, name, strlen(name), &found);

    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    if (found) {
        r = mcph_view_check(dialog, found, reterr);
        if (r < 0)
            mcph_tool_unref(found);
        else
            *ret = found;
        return r;
    }
    if (!mcph_view_has_grant(dialog->view))
        return refuse_unknown(dialog, name, reterr);
    if (waits && refuse_unknown(dialog, name, NULL) == MCPHOST_E_BUSY)
        return mcph_err(reterr, MCPHOST_E_BUSY, "%s", mcphost_strerror(MCPHOST_E_BUSY));
    return mcph_view_refuse(dialog->view, name, reterr);
}

int
mcph_call_make_waiting(mcphost_dialog *dialog, const char *name, const char *arguments,
                       size_t len, mcphost_call **ret, mcphost_error **reterr)
{
    char *wanted = mcph_strdup(name);
    int r;

    if (!wanted)
        return mcph_err_nomem(reterr);
    r = mcph_call_make(dialog, NULL, arguments, len, ret, reterr);
    if (r < 0)
        free(wanted);
    else
        (*ret)->wanted = wanted;
    return r;
}

mcphost_tool *
mcph_call_get_tool(const mcphost_call *call)
{
    mcphost_tool *tool;

    if (!call->wanted)
        return call->target.tool;
    if (mcph_core_enter_closed(call->host->core) < 0)
        return NULL;
    tool = call->target.tool;
    mcph_core_leave(call->host->core);
    return tool;
}

struct mcph_span
mcph_call_get_arguments(const mcphost_call *call)
{
    struct mcph_span arguments;

    if (!call->wanted)
        return mcph_span(call->arguments, call->arguments_len);
    if (mcph_core_enter_closed(call->host->core) < 0)
        return MCPH_SPAN_NONE;
    arguments = mcph_span(call->arguments, call->arguments_len);
    mcph_core_leave(call->host->core);
    return arguments;
}

/* ---- the wait, on the dispatcher --------------------------------------------------- */

/* Checks the arguments against the tool that was found, and makes the tool the call's
 * target.  Takes over the reference to `tool`. */
static int
take_tool(mcphost_call *call, mcphost_tool *tool, mcphost_error **reterr)
{
    struct mcph_span json = mcph_span(call->arguments, call->arguments_len);
    mcphost_schema_report *holds = NULL;
    int r = mcph_validate_arguments(call->host, tool, &json, &holds, reterr);

    if (r == 0 && holds) {
        call->completed = mcph_strndup(json.p, json.len);
        if (!call->completed)
            r = mcph_err_nomem(reterr);
    }
    mcph_schema_report_unref(holds);
    if (r < 0) {
        mcph_tool_unref(tool);
        return r;
    }
    mcph_core_lock(call->host->core);
    if (call->completed) {
        call->arguments = call->completed;
        call->arguments_len = json.len;
    }
    mcph_target_set_tool(&call->target, tool);
    mcph_core_unlock(call->host->core);
    return 0;
}

/* Returns how much of the time limit `ms` is left after the wait.  If `ms` is negative
 * (no limit, or the default), returns `ms`. */
static int64_t
left_of(const mcphost_call *call, int64_t ms)
{
    int64_t left = ms - (mcph_core_now(call->host->core) - call->waits_since);

    if (ms < 0)
        return ms;
    return left > 0 ? left : 0;
}

/* Looks for the call's tool, and runs the call if the tool is found.  If a server may
 * still offer the tool and `last` is false, the call keeps waiting.  Otherwise the call
 * fails. */
static void
look_for_tool(mcphost_call *call, bool last)
{
    mcphost_error *err = NULL;
    mcphost_tool *tool;
    int r = mcph_call_find(call->dialog, call->wanted, !last, &tool, &err);

    if (r == MCPHOST_E_BUSY && !last) {
        mcphost_error_unref(err);
        return;
    }
    mcph_list_remove(&call->wait.link);
    mcph_timer_done(&call->deadline);
    if (r == 0)
        r = take_tool(call, tool, &err);
    if (r == 0) {
        call->timeout_ms = left_of(call, call->timeout_ms);
        call->max_ms = left_of(call, call->max_ms);
        mcph_call_run(&call->submit);
    } else {
        mcph_call_finish(call, r, NULL, err);
    }
    mcphost_error_unref(err);
}

static void
on_late(struct mcph_timer *timer)
{
    look_for_tool(MCPH_CONTAINER_OF(timer, mcphost_call, deadline), true);
}

void
mcph_call_await_target(mcphost_call *call)
{
    mcphost *host = call->host;
    int64_t ms = host->options[MCPHOST_OPT_WAIT_STARTING];

    if (mcph_timer_init(&call->deadline, host->core, on_late) < 0) {
        mcph_call_finish(call, MCPHOST_E_NOMEM, NULL, NULL);
        return;
    }
    if (call->timeout_ms >= 0 && call->timeout_ms < ms)
        ms = call->timeout_ms;
    call->waits_since = mcph_core_now(host->core);
    mcph_timer_set(&call->deadline, call->waits_since + ms);
    mcph_list_append(&host->waiting, &call->wait.link);
    look_for_tool(call, false);
}

void
mcph_calls_wake(mcphost *host)
{
    if (mcph_list_empty(&host->waiting))
        return;
    mcph_core_unpost(host->core, &host->look_job);
    mcph_core_post(host->core, &host->look_job);
}

void
mcph_calls_look(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, look_job);
    struct mcph_list calls, *item;

    mcph_list_init(&calls);
    mcph_list_splice(&calls, &host->waiting);
    for (item = mcph_list_take_first(&calls); item; item = mcph_list_take_first(&calls)) {
        mcph_list_append(&host->waiting, item);
        look_for_tool(MCPH_LIST_ENTRY(item, mcphost_call, wait.link), false);
    }
}
