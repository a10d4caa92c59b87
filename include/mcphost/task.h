/* SPDX-License-Identifier: MIT
 *
 * task.h - tasks: calls that a server continues after its first answer.
 */
#ifndef MCPHOST_TASK_H
#define MCPHOST_TASK_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A server may answer the call of a tool with a task.  The server then continues the
 * work.  The host asks for the status until the task has a result (MCP 2026-07-28,
 * extension `io.modelcontextprotocol/tasks`; MCP 2025-11-25, "Tasks").  For the
 * application, the task is a part of the call.  A task outlives the connection: the host
 * may connect to the server again, or restart the server, before the task ends.
 * MCPHOST_EVENT_TASK reports each new status.
 *
 * MCPHOST_OPT_TASK_TIMEOUT, or `max_ms` of mcphost_call_set_timeout(), limits how long a
 * call with a task may take.  The call also ends with MCPHOST_E_TIMEOUT when the time for
 * which the server keeps the task is over.  The call's own timeout counts only until the
 * server's first answer.  No progress messages come after this answer.  A question of the
 * task is a request (MCPHOST_EVENT_REQUEST), as in any call.
 *
 * mcphost_call_cancel() cancels the task.  The host also cancels the task if a limit of
 * time ends the call, or if a server of MCP 2026-07-28 gets no answer to a request for
 * sampling or roots.  If a form or a page gets no answer, the host answers `cancel`, and
 * the task continues.  Closing the dialog or the host does not cancel the task: the task
 * can be resumed later by its id, also in another process.
 */

/* The status of a task.  Since: 0.1 */
enum mcphost_task_status {
    MCPHOST_TASK_NONE = 0,    /* no task, or a task whose status is not known yet */
    MCPHOST_TASK_WORKING = 1, /* the server works on the task */
    MCPHOST_TASK_INPUT_REQUIRED = 2, /* the task waits for an answer of the application */
    MCPHOST_TASK_COMPLETED = 3,      /* the task has a result */
    MCPHOST_TASK_FAILED = 4,         /* the task ended with an error */
    MCPHOST_TASK_CANCELLED = 5       /* the task was cancelled */
};

/*
 * mcphost_call_set_task - ask the server to run the call as a task.
 *
 * The function affects only servers of revision 2025-11-25.  Servers of revision
 * 2026-07-28 choose the calls that run as tasks.  `ttl_ms` is the time for which the
 * server should keep the task, in ms.  A value above 4294967295 counts as 4294967295.  A
 * tool that must run as a task needs no call of this function: for this tool the function
 * only sets the time.  A tool that never runs as a task is called as usual.
 *
 * Errors: MCPHOST_E_INVALID (`ttl_ms` is below 1), MCPHOST_E_STATE (the call has been
 *   started).
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_task(mcphost_call *call, int64_t ttl_ms);

/*
 * mcphost_call_resume_task - create a call that waits for an existing task.
 *
 * `server` is as in mcphost_call_new_read().  `task_id` is the id that
 * mcphost_call_get_task_id() gave, in this process or an earlier process.  The call ends
 * as the call of the tool would have ended.  `timeout_ms` of mcphost_call_set_timeout()
 * limits the whole wait for the task.  The result is not checked against the tool's
 * output schema, because the tool is not known.  The function of
 * mcphost_set_before_call() does not run.
 *
 * The call ends with MCPHOST_E_NOTFOUND if the server offers no tasks, with MCPHOST_E_RPC
 * if the server does not know the task, and for the reasons of mcphost_call_new_read().
 *
 * Errors: MCPHOST_E_INVALID (the id is empty or not UTF-8), MCPHOST_E_LIMIT (the id is
 *   longer than 65,536 bytes), MCPHOST_E_NOTFOUND (the view of the dialog shows no
 *   server of this id), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_resume_task(mcphost_dialog *dialog, const char *server, const char *task_id,
                         MCPHOST_OWNED mcphost_call **ret_call,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_get_task - create a call that asks once for the status of a task
 * (`tasks/get`).
 *
 * When the call has ended, mcphost_call_get_task_status(), mcphost_call_get_task_ttl()
 * and mcphost_call_get_task_interval() give the values of the answer.  The result has no
 * items: mcphost_result_get_json() gives the task as the server sent it.  The call ends
 * for the reasons of mcphost_call_resume_task(), and with MCPHOST_E_PROTOCOL if the
 * answer is not a valid task or describes another task.
 *
 * Errors: those of mcphost_call_resume_task().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_get_task(mcphost_dialog *dialog, const char *server, const char *task_id,
                          MCPHOST_OWNED mcphost_call **ret_call,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_update_task - create a call that answers questions of a task
 * (`tasks/update`).
 *
 * Use this function for tasks that no call waits for.  The function is only for servers
 * of revision 2026-07-28.  `responses` is a JSON object of `len` bytes with the answer to
 * each question under the question's name, like `inputResponses` of MCP.  The result has
 * no items.  The call ends for the reasons of mcphost_call_resume_task().
 *
 * Errors: MCPHOST_E_INVALID (the id is empty or not UTF-8, or the responses are not a
 *   JSON object), MCPHOST_E_LIMIT (the id is longer than 65,536 bytes, or the responses
 *   are nested deeper than 512 levels), those of mcphost_call_resume_task().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_update_task(mcphost_dialog *dialog, const char *server,
                             const char *task_id, const char *responses, size_t len,
                             MCPHOST_OWNED mcphost_call **ret_call,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_cancel_task - create a call that cancels a task (`tasks/cancel`).
 *
 * Use this function for tasks that no call waits for.  If a call waits for the task, use
 * mcphost_call_cancel().  The server may continue the task nevertheless.  The result has
 * no items.  The call ends for the reasons of mcphost_call_resume_task().
 *
 * Errors: those of mcphost_call_resume_task().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_cancel_task(mcphost_dialog *dialog, const char *server,
                             const char *task_id, MCPHOST_OWNED mcphost_call **ret_call,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Returns the id that the server gave the task, or NULL if the call has no task (yet).
 * A call that was made for an existing task has the id from the beginning.
 * Keep the id secret, because with this id anyone can ask the server for the result.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_call_get_task_id(const mcphost_call *call);

/* Returns the last status that the server reported, one of MCPHOST_TASK_*.  Since: 0.1 */
MCPHOST_API int mcphost_call_get_task_status(const mcphost_call *call);

/* Returns how long the server keeps the task, counted from the beginning of the task, in
 * ms, or -1 if the server did not send this time.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_call_get_task_ttl(const mcphost_call *call);

/* Returns the time that the server wants between two requests for the status of the task,
 * in ms, or -1 if the server did not send this time.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_call_get_task_interval(const mcphost_call *call);

#ifdef __cplusplus
}
#endif
#endif
