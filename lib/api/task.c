/* SPDX-License-Identifier: MIT
 *
 * task.c - the public functions of <mcphost/task.h>.
 */
#include "host/call.h"
#include "host/host.h"
#include "host/task.h"

int
mcphost_call_set_task(mcphost_call *call, int64_t ttl_ms)
{
    if (!call || ttl_ms < 1)
        return MCPHOST_E_INVALID;
    if (atomic_load(&call->state) != MCPH_CALL_NEW)
        return MCPHOST_E_STATE;
    call->op.task_ttl_ms = ttl_ms < UINT32_MAX ? (uint32_t)ttl_ms : UINT32_MAX;
    return 0;
}

static int
make_resuming_call(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
                   const char *server, const char *task_id, struct mcph_span responses,
                   mcphost_call **ret_call, mcphost_error **reterr)
{
    if (!dialog || !server || !task_id || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_make_for_task(dialog, kind, server, task_id, responses, ret_call,
                                   reterr);
}

int
mcphost_call_resume_task(mcphost_dialog *dialog, const char *server, const char *task_id,
                         mcphost_call **ret_call, mcphost_error **reterr)
{
    return make_resuming_call(dialog, &mcph_target_task, server, task_id, MCPH_SPAN_NONE,
                              ret_call, reterr);
}

int
mcphost_call_new_get_task(mcphost_dialog *dialog, const char *server, const char *task_id,
                          mcphost_call **ret_call, mcphost_error **reterr)
{
    return make_resuming_call(dialog, &mcph_target_get_task, server, task_id,
                              MCPH_SPAN_NONE, ret_call, reterr);
}

int
mcphost_call_new_update_task(mcphost_dialog *dialog, const char *server,
                             const char *task_id, const char *responses, size_t len,
                             mcphost_call **ret_call, mcphost_error **reterr)
{
    if (!responses)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return make_resuming_call(dialog, &mcph_target_update_task, server, task_id,
                              mcph_span(responses, len), ret_call, reterr);
}

int
mcphost_call_new_cancel_task(mcphost_dialog *dialog, const char *server,
                             const char *task_id, mcphost_call **ret_call,
                             mcphost_error **reterr)
{
    return make_resuming_call(dialog, &mcph_target_cancel_task, server, task_id,
                              MCPH_SPAN_NONE, ret_call, reterr);
}

/* ---- the task of a call ------------------------------------------------------------ */

/* Returns the task of the call, or NULL.  The task of a call is set at most once.  The
 * task lives as long as the call. */
static const struct mcph_task *
task_of(const mcphost_call *call)
{
    const struct mcph_task *task;

    if (!call || mcph_core_enter_closed(call->host->core) < 0)
        return NULL;
    task = call->task;
    mcph_core_leave(call->host->core);
    return task;
}

const char *
mcphost_call_get_task_id(const mcphost_call *call)
{
    const struct mcph_task *task = task_of(call);

    return task ? task->id : NULL;
}

int
mcphost_call_get_task_status(const mcphost_call *call)
{
    const struct mcph_task *task = task_of(call);

    return task ? atomic_load(&task->status) : MCPHOST_TASK_NONE;
}

int64_t
mcphost_call_get_task_ttl(const mcphost_call *call)
{
    const struct mcph_task *task = task_of(call);

    return task ? atomic_load(&task->ttl_ms) : -1;
}

int64_t
mcphost_call_get_task_interval(const mcphost_call *call)
{
    const struct mcph_task *task = task_of(call);

    return task ? atomic_load(&task->interval_ms) : -1;
}
