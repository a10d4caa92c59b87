/* SPDX-License-Identifier: MIT
 *
 * task.h - calls that their servers go on with as tasks.
 */
#ifndef MCPHOST_TASK_H
#define MCPHOST_TASK_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A server may answer a tool call with a task: it goes on with the work, and the host asks
 * it how far it is, until it has the result (MCP 2026-07-28, extension
 * `io.modelcontextprotocol/tasks`; 2025-11-25, "Tasks").  To the application it stays one
 * call.  It outlives the connection: the server may be reconnected or started anew in
 * between.  MCPHOST_EVENT_TASK tells of each new status.
 *
 * MCPHOST_OPT_TASK_TIMEOUT, or the `max_ms` of mcphost_call_set_timeout(), says how long
 * such a call may take; the call's timeout ends with the first answer.  What the task asks
 * comes as a request (MCPHOST_EVENT_REQUEST), as in any call.  mcphost_call_cancel()
 * cancels the task; a dialog or a host that is closed leaves it alone, and its id can be
 * taken up later, also by another process.
 */

/* How a task is.  Since: 0.1 */
enum mcphost_task_status {
    MCPHOST_TASK_NONE = 0, /* the call is no task, or the server has not said yet */
    MCPHOST_TASK_WORKING = 1,
    MCPHOST_TASK_INPUT_REQUIRED = 2, /* it asks the application something */
    MCPHOST_TASK_COMPLETED = 3,
    MCPHOST_TASK_FAILED = 4,
    MCPHOST_TASK_CANCELLED = 5
};

/*
 * mcphost_call_set_task - ask for a task where the application is to say that it wants one.
 *
 * That is so with servers of 2025-11-25 which offer it; those of 2026-07-28 decide
 * themselves.  A tool whose server requires it is asked for as a task anyway.  `ttl_ms` is
 * how long the server is asked to keep the task, in ms.
 *
 * Returns 0, MCPHOST_E_INVALID (also: `ttl_ms` below 1), MCPHOST_E_STATE when started.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_task(mcphost_call *call, int64_t ttl_ms);

/*
 * mcphost_call_resume_task - prepare to wait for a task that is there already.
 *
 * `server` is as in mcphost_call_new_read(), `task_id` what mcphost_call_get_task_id()
 * gave, in this process or an earlier one.  The call ends as the call of the tool would
 * have ended; its result is not checked against the tool's output schema, which is not
 * known.  mcphost_set_before_call() is not asked.
 *
 * Returns 0, MCPHOST_E_INVALID (an id that is empty or not UTF-8), MCPHOST_E_LIMIT (it has
 * more than 65,536 bytes), MCPHOST_E_NOTFOUND (the view shows no such server),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * The call ends with MCPHOST_E_NOTFOUND if the server offers no tasks, with MCPHOST_E_RPC
 * if it does not know this one, and for the reasons that mcphost_call_new_read() names.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_resume_task(mcphost_dialog *dialog, const char *server, const char *task_id,
                         MCPHOST_OWNED mcphost_call **ret_call,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_get_task - prepare to ask once how a task is (`tasks/get`).
 *
 * When it has ended, mcphost_call_get_task_status(), _get_task_ttl() and
 * _get_task_interval() tell what the server said.  The result has no items;
 * mcphost_result_get_json() is the task as the server gives it.  The rest is as in
 * mcphost_call_resume_task(); MCPHOST_E_PROTOCOL if the answer is no task, or another
 * one.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_get_task(mcphost_dialog *dialog, const char *server, const char *task_id,
                          MCPHOST_OWNED mcphost_call **ret_call,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_update_task - prepare to answer what a task asks (`tasks/update`).
 *
 * For tasks that no call waits for, of servers of 2026-07-28.  `responses` is a JSON object
 * of `len` bytes: under the name of each question the answer, as MCP's `inputResponses`.
 * The result has no items.  The rest is as in mcphost_call_resume_task();
 * MCPHOST_E_INVALID also for responses that are no object.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_update_task(mcphost_dialog *dialog, const char *server,
                             const char *task_id, const char *responses, size_t len,
                             MCPHOST_OWNED mcphost_call **ret_call,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_cancel_task - prepare to cancel a task (`tasks/cancel`).
 *
 * For tasks that no call waits for; a call that waits for one ends by
 * mcphost_call_cancel().  The server may go on all the same.  The result has no items.
 * The rest is as in mcphost_call_resume_task().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_cancel_task(mcphost_dialog *dialog, const char *server,
                             const char *task_id, MCPHOST_OWNED mcphost_call **ret_call,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_get_task_id - the id of the task that the server goes on with.
 *
 * NULL: there is none, or not yet.  Calls that were made for a task have it from the
 * beginning.  It lives as long as the call.  Who has it can ask the
 * server for the result: keep it as a secret.  Any thread.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_call_get_task_id(const mcphost_call *call);

/* MCPHOST_TASK_*: what the server said last.  Any thread.  Since: 0.1 */
MCPHOST_API int mcphost_call_get_task_status(const mcphost_call *call);

/* How long the server keeps the task, counted from its beginning, and how often it wants to
 * be asked, in ms; -1: it did not say.  Any thread.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_call_get_task_ttl(const mcphost_call *call);
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_call_get_task_interval(const mcphost_call *call);

#ifdef __cplusplus
}
#endif
#endif
