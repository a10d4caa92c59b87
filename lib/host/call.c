/* SPDX-License-Identifier: MIT
 *
 * call.c - calls, as the application's threads see them.
 *
 *   NEW --start--> STARTED --answered, on the dispatcher--> ENDED --done ran--> DONE
 *
 * The application may drop its reference right after the start, because the host owns a
 * reference from STARTED to DONE.  Between STARTED and ENDED only the dispatcher changes
 * a call (run.c), except for members that are atomic or that the lock guards.  Other
 * threads post jobs.  No user code runs here, except functions that free an argument.
 */
#include <stdlib.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/task.h"
#include "schema/schema.h"

/* Returns true if the call has one of the parts that free_parts() frees.  One test checks
 * all parts, because most calls have none of these parts. */
static inline bool
has_parts(const mcphost_call *call)
{
    return ((uintptr_t)call->wanted | (uintptr_t)call->handling |
            (uintptr_t)call->approval | (uintptr_t)call->task | (uintptr_t)call->error |
            (uintptr_t)call->meta | (uintptr_t)call->trace) != 0;
}

static void
free_parts(mcphost_call *call)
{
    if (call->wanted) {
        free(call->wanted);
        free(call->completed);
    }
    mcph_handling_free(call->handling);
    if (call->approval)
        mcph_approval_free(call->approval);
    if (call->task)
        mcph_task_free(call->task);
    mcphost_error_unref(call->error);
    free(call->meta);
    free(call->trace);
}

void
mcph_call_put(mcphost_call *call)
{
    bool own;

    if (!call || !mcph_refs_put(&call->refs))
        return;
    own = call->result == &call->answer_room;
    if (call->progress)
        mcph_progress_done(call);  /* the call was never started, because a completed
                                    * call has freed `progress` */
    mcph_dialog_put(call->dialog); /* may free the host's memory */
    if (call->target.tool)
        mcph_tool_unref(call->target.tool);
    else
        mcph_block_unref(call->target.block);
    if (has_parts(call))
        free_parts(call);
    mcphost_result_unref(call->result);
    if (!own)
        free(call);
}

static void
release_answer(mcphost_result *result)
{
    free(MCPH_CONTAINER_OF(result, mcphost_call, answer_room));
}

mcphost_result *
mcph_call_take_answer(mcphost_call *call, struct mcph_frame *frame, struct mcph_span json)
{
    mcph_result_init(&call->answer_room, frame, json, release_answer);
    return &call->answer_room;
}

static inline mcphost_call *
call_alloc(mcphost_dialog *dialog, struct mcph_span arguments, size_t more)
{
    mcphost_call *call = mcph_zalloc(sizeof(*call), arguments.len + 1 + more);
    char *copy;

    if (!call)
        return NULL;
    call->host = dialog->host;
    call->dialog = dialog;
    call->timeout_ms = -2;
    call->max_ms = -1;
    call->submit.run = mcph_call_run;
    call->cancel.run = mcph_call_run_cancel;
    call->delivery.deliver = mcph_call_deliver;
    mcph_refs_init(&call->refs);
    mcph_dialog_get(dialog);
    atomic_init(&call->state, MCPH_CALL_NEW);
    mcph_list_init(&call->link);
    mcph_list_init(&call->wait.link);
    copy = (char *)(call + 1);
    memcpy(copy, arguments.p, arguments.len);
    call->arguments = copy;
    call->arguments_len = arguments.len;
    copy[arguments.len] = '\0';
    return call;
}

mcphost_call *
mcph_call_alloc(mcphost_dialog *dialog, struct mcph_span arguments, size_t more)
{
    return call_alloc(dialog, arguments, more);
}

int
mcph_call_make(mcphost_dialog *dialog, mcphost_tool *tool, const char *arguments,
               size_t len, mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_span json = arguments ? mcph_span(arguments, len) : mcph_span("{}", 2);
    mcphost_schema_report *holds = NULL; /* has the arguments if defaults were added */
    mcphost_call *call;
    int r = mcph_validate_arguments(dialog->host, tool, &json, &holds, reterr);

    if (r < 0)
        goto refuse;
    call = call_alloc(dialog, json, 0);
    if (!call) {
        r = mcph_err_nomem(reterr);
        goto refuse;
    }
    mcph_target_set_tool(&call->target, tool);
    mcph_schema_report_unref(holds);
    *ret = call;
    return 0;

refuse:
    mcph_schema_report_unref(holds);
    mcph_tool_unref(tool);
    return r;
}

static int
refuse_app_tool(const mcphost_server *entry, const char *name, mcphost_error **reterr)
{
    const struct mcph_block *block = entry->block;
    bool listed = false;

    for (size_t i = 0; i < block->n_items + block->n_apart && !listed; i++)
        listed = mcph_streq(mcph_tool_original(&block->items[i]), name);
    return listed
               ? mcph_err(reterr, MCPHOST_E_DENIED,
                          "apps of server '%.64s' may not call its tool '%.64s'",
                          entry->block->id, name)
               : mcph_err(reterr, MCPHOST_E_NOTFOUND,
                          "server '%.64s' has no tool '%.64s'", entry->block->id, name);
}

int
mcph_call_make_app_tool(mcphost_dialog *dialog, const char *server, const char *name,
                        const char *arguments, size_t len, mcphost_call **ret,
                        mcphost_error **reterr)
{
    mcphost_catalog *catalog;
    const mcphost_server *entry;
    mcphost_tool *tool = NULL;
    int r = mcph_dialog_look_open(dialog, &catalog, reterr);

    if (r < 0)
        return r;
    entry = mcph_catalog_server(catalog, server);
    if (entry)
        tool = mcph_tool_ref(mcph_entry_find_for_app(entry, name));
    if (tool)
        r = mcph_call_make(dialog, tool, arguments, len, ret, reterr);
    else if (entry)
        r = refuse_app_tool(entry, name, reterr);
    else
        r = mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no server '%.64s'", server);
    if (r == 0)
        (*ret)->target.kind = &mcph_target_app_tool;
    mcph_catalog_unref(catalog);
    return r;
}

int
mcph_call_set_trace(mcphost_call *call, const char *const *parts, mcphost_error **reterr)
{
    struct mcph_trace *trace = NULL;
    int r = mcph_trace_new(parts, &trace, reterr);

    if (r < 0)
        return r;
    r = mcph_core_enter_closed(call->host->core);
    if (r < 0) {
        free(trace);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    if (atomic_load(&call->state) == MCPH_CALL_NEW || call->tracing) {
        free(call->trace);
        call->trace = trace;
        trace = NULL;
    }
    mcph_core_leave(call->host->core);
    if (!trace)
        return 0;
    free(trace);
    return mcph_err(reterr, MCPHOST_E_STATE, "the call was started");
}

int
mcph_call_set_meta(mcphost_call *call, const char *json, size_t len,
                   mcphost_error **reterr)
{
    struct mcph_span meta;
    char *copy;
    int r;

    r = mcph_json_check_input(mcph_span(json, len), 0, MCPH_JSON_OBJECT, "_meta", &meta,
                              reterr);
    if (r < 0)
        return r;
    r = mcph_meta_check_free(meta, reterr);
    if (r < 0)
        return r;
    copy = mcph_strndup(meta.p, meta.len);
    if (!copy)
        return mcph_err_nomem(reterr);
    free(call->meta);
    call->meta = copy;
    call->meta_len = meta.len;
    return 0;
}

int
mcph_call_submit(mcphost_call *call, mcphost_done_fn done, void *arg,
                 mcphost_free_fn free_arg)
{
    int r = mcph_host_enter(call->host), expected = MCPH_CALL_NEW;

    if (r < 0)
        return r;
    if (call->dialog->closed) {
        r = MCPHOST_E_CLOSED;
    } else if (!atomic_compare_exchange_strong(&call->state, &expected,
                                               MCPH_CALL_STARTED)) {
        r = MCPHOST_E_STATE;
    } else {
        call->done = done;
        call->arg = arg;
        call->free_arg = free_arg;
        mcph_refs_get(&call->refs);
        if (done)
            mcph_core_post_locked(call->host->core, &call->submit);
        else
            mcph_core_submit_locked(call->host->core, &call->submit);
    }
    mcph_core_leave(call->host->core);
    return r;
}

int
mcph_call_request_cancel(mcphost_call *call)
{
    int r = mcph_core_enter_closed(call->host->core);

    if (r < 0)
        return r;
    if (atomic_load(&call->state) == MCPH_CALL_NEW) {
        r = MCPHOST_E_STATE;
    } else if (!call->cancelled && !call->host->ended &&
               atomic_load(&call->state) == MCPH_CALL_STARTED) {
        call->cancelled = true;
        mcph_refs_get(&call->refs);
        mcph_core_post_locked(call->host->core, &call->cancel);
    }
    mcph_core_leave(call->host->core);
    return r;
}
