/* SPDX-License-Identifier: MIT
 *
 * call.h - calls of tools, and the other requests that a dialog makes to servers.
 *
 * A call goes through these steps:
 *
 *   create -> set up -> start -> [progress]* -> done -> free_arg
 *
 * A call ends exactly once, with a result or with an error.  Any thread may use a call.
 * Dropping the last reference does not cancel the call.
 */
#ifndef MCPHOST_CALL_H
#define MCPHOST_CALL_H

#include <mcphost/task.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_done_fn - handle the end of a call.
 *
 * Runs once, on the thread that dispatches, with no library lock held.
 * mcphost_call_get_result() or mcphost_call_get_error() says how the call ended.
 * Since: 0.1
 */
typedef void (*mcphost_done_fn)(mcphost_call *call, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_call_new - create a call of a tool in the dialog's catalog.
 *
 * `tool` is the name that the catalog shows to the model.  `arguments` is a JSON object
 * of `len` bytes, or NULL for an empty object.  The function copies it.
 *
 * If the catalog does not have the tool yet and a server is still starting, the function
 * fails with MCPHOST_E_BUSY.  If MCPHOST_OPT_WAIT_STARTING is set, the function creates
 * the call nevertheless.  The started call waits for the tool.
 *
 * Errors: MCPHOST_E_INVALID (the arguments are not acceptable; the error says where),
 *   MCPHOST_E_NOTFOUND (the catalog has no tool of this name), MCPHOST_E_BUSY (the
 *   catalog has no tool of this name yet, and a server is still starting or the host has
 *   not started the first server yet; the message names a starting server, if any),
 *   MCPHOST_E_DENIED (the view of the dialog has a grant that does not give the tool),
 *   those of mcphost_call_new_tool().
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_new(mcphost_dialog *dialog, const char *tool,
                                 MCPHOST_NULLABLE const char *arguments, size_t len,
                                 MCPHOST_OWNED mcphost_call **ret_call,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_tool - create a call of a tool from an earlier catalog.
 *
 * If the tool's server has changed since that catalog was made, the present edition of
 * the server carries out the call.  The server must offer a tool with the same original
 * name and the same bytes of input schema.  Otherwise the call ends with MCPHOST_E_GONE.
 * `arguments` and `len` are as in mcphost_call_new().
 *
 * Errors: MCPHOST_E_INVALID (the tool is from another host; the schema of the tool cannot
 *   be compiled; or the arguments are not acceptable, and the error says where),
 *   MCPHOST_E_DENIED (the view of the dialog has a grant that does not give the tool, the
 *   model may not call the tool, or the tool belongs to mcp_admin and the dialog does not
 *   have this toolset), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_LIMIT (the
 *   arguments, or the arguments with their defaults, are larger than 32 MiB; the
 *   arguments are nested deeper than 512 levels; or the arguments or the schema take too
 *   many steps to check), MCPHOST_E_TIMEOUT (the check of the arguments takes too long),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_tool(mcphost_dialog *dialog, mcphost_tool *tool,
                      MCPHOST_NULLABLE const char *arguments, size_t len,
                      MCPHOST_OWNED mcphost_call **ret_call,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_app_tool - create a call that an app of a server asks for.
 *
 * `server` is the id of the server that the app belongs to, as
 * mcphost_catalog_find_server() takes it.  The view of the dialog must show this server.
 * `tool` is the tool's original name, because apps know this name.  Apps can call only
 * tools of their own server, and only tools that are visible to apps.  The function of
 * mcphost_set_before_call() decides about this call, too.  `arguments` and `len` are as
 * in mcphost_call_new().
 *
 * The call ends with MCPHOST_E_DENIED if the tool is no longer visible to apps when the
 * call is carried out.  MCP Apps 2026-01-26, "Visibility".
 *
 * Errors: MCPHOST_E_INVALID (the tool's arguments are not acceptable; the error says
 *   where), MCPHOST_E_NOTFOUND (the view of the dialog shows no server of this id, or
 *   the server has no tool of this name), MCPHOST_E_DENIED (the tool is not visible to
 *   apps, or the view's grant does not give the tool), those of mcphost_call_new_tool().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_app_tool(mcphost_dialog *dialog, const char *server, const char *tool,
                          MCPHOST_NULLABLE const char *arguments, size_t len,
                          MCPHOST_OWNED mcphost_call **ret_call,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_read - create a call that reads a resource (`resources/read`).
 *
 * `server` is the id of a server that the view of the dialog shows, as
 * mcphost_catalog_find_server() takes it.  `uri` goes to the server unchanged.  The
 * server need not have listed the URI.
 *
 * The call uses the dialog's lease, as a call of a tool does.  It waits for a server that
 * is still starting.  Timeouts, progress and cancelling work as for a call of a tool.
 * The function of mcphost_set_before_call() does not run.
 *
 * The items of the result are the contents of the resource, all of the kind
 * MCPHOST_CONTENT_RESOURCE.  mcphost_result_item_get_uri(),
 * mcphost_result_item_get_mime_type() and, for a text, mcphost_result_item_get_text()
 * read these items.
 *
 * The call ends with MCPHOST_E_NOTFOUND if the server offers no resources.  It ends with
 * MCPHOST_E_RPC if the server answers with an error.  For an unknown URI the error is
 * -32002, or -32602 in the modern era.  The call ends with MCPHOST_E_DENIED if the
 * dialog's catalog no longer shows the server, or the view's grant gives only single
 * tools of the server.  It ends with MCPHOST_E_GONE if the server was removed, but the
 * dialog's catalog still shows it, as in a turn.  MCP 2025-11-25 and 2026-07-28,
 * "Resources".
 *
 * Errors: MCPHOST_E_INVALID (the URI is empty, is not UTF-8, or has a control character),
 *   MCPHOST_E_LIMIT (the URI is longer than 65,536 bytes), MCPHOST_E_NOTFOUND (the view
 *   of the dialog shows no server of this id), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_read(mcphost_dialog *dialog, const char *server, const char *uri,
                      MCPHOST_OWNED mcphost_call **ret_call,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_prompt - create a call that gets a prompt (`prompts/get`).
 *
 * `name` is the name under which the view of the dialog shows the prompt
 * (mcphost_catalog_get_prompt()).  `arguments` is a JSON object of `len` bytes whose
 * values are strings, or NULL.  All texts are copied.
 *
 * The items of the result are the contents of the prompt's messages, in order.
 * mcphost_result_item_get_role() gives the role of the message that an item belongs to.
 *
 * The call ends with MCPHOST_E_RPC if the server answers with an error.  It ends with
 * MCPHOST_E_DENIED if the dialog's catalog no longer shows the server, or the view's
 * grant gives only single tools of the server.  It ends with MCPHOST_E_GONE if the
 * dialog's catalog no longer has the prompt, or if the server was removed, but the
 * dialog's catalog still shows it, as in a turn.  MCP 2025-11-25 and 2026-07-28,
 * "Prompts".
 *
 * Errors: MCPHOST_E_INVALID (the arguments are not an object of strings, or lack an
 *   argument that the prompt requires; the error gives the reason), MCPHOST_E_NOTFOUND
 *   (the view of the dialog shows no prompt of this name), MCPHOST_E_LIMIT (the
 *   arguments are nested deeper than 512 levels), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_prompt(mcphost_dialog *dialog, const char *name,
                        MCPHOST_NULLABLE const char *arguments, size_t len,
                        MCPHOST_OWNED mcphost_call **ret_call,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_complete_template - create a call that asks for values of a variable
 * in a URI template (`completion/complete`).
 *
 * `server` is as in mcphost_call_new_read().  `uri_template` is the template.  The
 * server's list need not have it.  `argument` is the name of the variable.  `value` is
 * the text typed so far, or "".  `context` is NULL, or a JSON object of `context_len`
 * bytes with the values of other variables, as strings.  All texts are copied.
 *
 * mcphost_result_count_values() and mcphost_result_get_value() give the values that the
 * server proposes.  The call ends for the reasons of mcphost_call_new_read(), and with
 * MCPHOST_E_NOTFOUND if the server offers no completions.  MCP 2025-11-25 and 2026-07-28,
 * "Completion".
 *
 * Errors: MCPHOST_E_INVALID (the template is empty or has a control character, a text is
 *   not UTF-8, or the context is not an object of strings), MCPHOST_E_LIMIT (the
 *   template, the name or the value is longer than 65,536 bytes, or the context is nested
 *   deeper than 512 levels), those of mcphost_call_new_read().
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_new_complete_template(
    mcphost_dialog *dialog, const char *server, const char *uri_template,
    const char *argument, const char *value, MCPHOST_NULLABLE const char *context,
    size_t context_len, MCPHOST_OWNED mcphost_call **ret_call,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_complete_prompt - create a call that asks for values of an argument of
 * a prompt (`completion/complete`).
 *
 * `name` is the name of the prompt, as in mcphost_call_new_prompt().  `argument` is the
 * name of the prompt's argument.  `context` has values of the prompt's other arguments.
 * The form of `value` and `context`, the result, and the reasons for which the call ends
 * are as in mcphost_call_new_complete_template().
 *
 * Errors: MCPHOST_E_INVALID (a text is not UTF-8, or the context is not an object of
 *   strings), MCPHOST_E_LIMIT (the name of the argument or the value is longer than
 *   65,536 bytes, or the context is nested deeper than 512 levels), MCPHOST_E_NOTFOUND
 *   (the view of the dialog shows no prompt of this name), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_complete_prompt(mcphost_dialog *dialog, const char *name,
                                 const char *argument, const char *value,
                                 MCPHOST_NULLABLE const char *context, size_t context_len,
                                 MCPHOST_OWNED mcphost_call **ret_call,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `call`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_call *
mcphost_call_ref(MCPHOST_NULLABLE mcphost_call *call);

/* Drops a reference to `call`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_call *
mcphost_call_unref(MCPHOST_NULLABLE mcphost_call *call);

/*
 * mcphost_call_set_timeout - limit how long the call may take.
 *
 * All times are in ms.  -1 means no limit.  `timeout_ms` counts from
 * mcphost_call_start(), or from mcphost_call_allow() if the call waited for approval.
 * This time includes the start of a server.  If `reset_on_progress` is not 0, each
 * progress message starts this time anew.  `max_ms` limits the whole call, regardless of
 * the other two arguments.  The same rules apply to built-in tools.  Without this
 * function the limit is the server's `timeouts.call`, or else MCPHOST_OPT_CALL_TIMEOUT.
 *
 * Errors: MCPHOST_E_INVALID (a time is below -1), MCPHOST_E_STATE (the call has been
 *   started).
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_timeout(mcphost_call *call, int64_t timeout_ms,
                                         int reset_on_progress, int64_t max_ms);

/*
 * mcphost_progress_fn - handle a progress message of a call.
 *
 * Runs any number of times before the call's mcphost_done_fn.  Runs on the thread that
 * dispatches, with no library lock held.  `total` is NaN if the server did not send it.
 * `message` is NULL, or `message_len` bytes of text, valid while the function runs.
 * Since: 0.1
 */
typedef void (*mcphost_progress_fn)(mcphost_call *call, double progress, double total,
                                    MCPHOST_NULLABLE const char *message,
                                    size_t message_len, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_call_set_progress - ask the server for progress messages.
 *
 * `fn` runs for each progress message.  MCPHOST_EVENT_PROGRESS also reports each message.
 * If `fn` is NULL, only the event reports the messages.  A call gets progress messages
 * only if this function was called, or if `reset_on_progress` of
 * mcphost_call_set_timeout() is not 0.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: after the call's mcphost_done_fn, when another function is set, when the last
 * reference to a call that was never started is dropped, or, if this function fails,
 * before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the call has been started),
 *   MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_progress(mcphost_call *call,
                                          MCPHOST_NULLABLE mcphost_progress_fn fn,
                                          MCPHOST_NULLABLE void *arg,
                                          MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_set_request - state that the call helps to answer a sampling request.
 *
 * The library needs `request` to apply MCPHOST_OPT_SAMPLING_DEPTH, the limit of nesting.
 * Sampling requests are nested if the application's model calls tools to answer a
 * request, and the servers of these tools also ask for sampling.  `request` may have been
 * answered already.  The call keeps no reference to `request`.
 *
 * Errors: MCPHOST_E_INVALID (the request is not for sampling, or is from another host),
 *   MCPHOST_E_STATE (the call has been started).
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_request(mcphost_call *call,
                                         const mcphost_request *request);

/*
 * mcphost_call_set_meta - set members of the request's `_meta`.
 *
 * `json` is an object of `len` bytes.  A copy of it replaces the object that was set
 * before.  `progressToken` and the names that begin with `io.modelcontextprotocol/`
 * belong to the protocol: the object must not have them.
 *
 * Errors: MCPHOST_E_INVALID (the text is not a JSON object, or has a member that belongs
 *   to the protocol; the error says where), MCPHOST_E_LIMIT (the object is nested deeper
 *   than 512 levels), MCPHOST_E_STATE (the call has been started), MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_set_meta(mcphost_call *call, const char *json, size_t len,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_set_user_data, mcphost_call_get_user_data - keep a pointer of the
 * application with the call.
 *
 * The library does not use the pointer.  The application may set it at any time.
 *
 * Returns: the pointer that was set last, or NULL.
 * Since: 0.1
 */
MCPHOST_API void mcphost_call_set_user_data(mcphost_call *call,
                                            MCPHOST_NULLABLE void *data);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE void *
mcphost_call_get_user_data(const mcphost_call *call);

/*
 * mcphost_call_start - start the call.
 *
 * `done` runs from dispatch when the call has ended, never from this function.  `done`
 * may be NULL if the application waits for the call (mcphost_call_wait()).  In this case,
 * if the library's thread or a declared driver sleeps, this function sends the request
 * itself.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: after `done`, or, if this function fails, before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the call has been started),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_start(mcphost_call *call,
                                   MCPHOST_NULLABLE mcphost_done_fn done,
                                   MCPHOST_NULLABLE void *arg,
                                   MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_cancel - cancel a call.
 *
 * The call ends with MCPHOST_E_CANCELLED at the next dispatch, without waiting for the
 * server, unless the server's answer came earlier.  The call's mcphost_done_fn runs from
 * dispatch, never from this function.  The host informs the server, and discards a later
 * answer.  Cancelling a call again, or after it has ended, has no effect.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the call has not been started),
 *   MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_cancel(mcphost_call *call);

/*
 * mcphost_call_wait - dispatch until the call has ended.
 *
 * `timeout_ms` -1 means no limit.  If several threads wait, at most one of these threads
 * dispatches.  The other threads sleep.
 *
 * Returns: 1 if the call has ended and its mcphost_done_fn has run, 0 if the time has
 *   passed.
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the call has not been started),
 *   MCPHOST_E_BUSY (a callback called the function), MCPHOST_E_CLOSED (the host ended
 *   before the call ended), MCPHOST_E_FORKED, MCPHOST_E_IO, MCPHOST_E_WOKEN.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_wait(mcphost_call *call, int64_t timeout_ms);

/* Returns 1 if the call has ended, else 0.  While mcphost_done_fn runs, the call has
 * ended already.  Since: 0.1 */
MCPHOST_API int mcphost_call_is_done(const mcphost_call *call);

/* Returns the result of the call, or NULL if the call has not ended or has failed.  If
 * the tool itself reports a failure (mcphost_result_is_error()), the call has a result.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_result *
mcphost_call_get_result(const mcphost_call *call);

/* Returns the error with which the call ended, or NULL if the call has not ended or has a
 * result.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_error *
mcphost_call_get_error(const mcphost_call *call);

/* Returns the tool that is called, or NULL if the call still waits for the tool
 * (MCPHOST_OPT_WAIT_STARTING) or is not a call of a tool.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_call_get_tool(const mcphost_call *call);

/* Returns the id of the dialog that the call belongs to.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_call_get_dialog_id(const mcphost_call *call);

/* Returns the arguments as the tool gets them, a JSON object, or NULL if the call is not
 * a call of a tool.  With MCPHOST_ARGUMENTS_COMPLETE the arguments include the defaults
 * of the tool's schema, once the tool is known.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_call_get_arguments(const mcphost_call *call, MCPHOST_NULLABLE size_t *ret_len);

/* The decisions of mcphost_before_call_fn.  Since: 0.1 */
enum mcphost_before_call {
    MCPHOST_BEFORE_CALL_GO = 0, /* carry out the call */
    /* wait for mcphost_call_allow() or mcphost_call_refuse() */
    MCPHOST_BEFORE_CALL_LATER = 1
};

/*
 * mcphost_before_call_fn - decide whether a call of a tool may be carried out.
 *
 * Runs once for each call, on the thread that dispatches, with no library lock held.  The
 * call's tool is already known.  Neither a server nor a built-in tool has received the
 * call.  mcphost_call_get_tool() gives the tool with its annotations, and
 * mcphost_call_get_arguments() gives the arguments.  Do not trust the annotations of
 * servers (MCP, "Tools").
 *
 * The function may call mcphost_call_allow() or mcphost_call_refuse() itself, for example
 * to refuse the call with a text.  That decision holds if the function then returns
 * MCPHOST_BEFORE_CALL_GO or MCPHOST_BEFORE_CALL_LATER.
 *
 * Returns: MCPHOST_BEFORE_CALL_GO, MCPHOST_BEFORE_CALL_LATER, or a negative MCPHOST_E_*
 *   with which the call ends.  Any other value ends the call with MCPHOST_E_DENIED.
 * Since: 0.1
 */
typedef int (*mcphost_before_call_fn)(mcphost_call *call, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_before_call - set the function that decides about calls of tools.
 *
 * `fn` runs for all calls of tools, including built-in tools and tools of mcp_admin.  If
 * `fn` is NULL, which is the default, all calls are carried out.  The application may set
 * `fn` at any time.  A new `fn` also runs for calls that were started before but are not
 * carried out yet.  It does not run for a call that already waits for a decision: this
 * call continues to wait.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once, after the last call of `fn`: from dispatch, from the last unref of the host or of
 * a call, or, if this function fails, before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_before_call(mcphost *host,
                                        MCPHOST_NULLABLE mcphost_before_call_fn fn,
                                        MCPHOST_NULLABLE void *arg,
                                        MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_set_trace_context - set the trace context of a call.
 *
 * The texts have the formats of W3C Trace Context and W3C Baggage.  `traceparent` has
 * version 00.  `tracestate` needs a `traceparent`.  Each text may be NULL.  Copies of the
 * texts replace the earlier texts.
 *
 * The server gets the texts as members of the request's `_meta` and, over HTTP, as
 * headers of the same names.  If mcphost_call_set_meta() has set a member of the same
 * name, that member is sent in place of the text.
 *
 * Call the function before the call is started, or in mcphost_trace_context_fn.  If this
 * function fails, the call keeps the trace context that it had.
 *
 * Errors: MCPHOST_E_INVALID (a text has a wrong format; the error names this text),
 *   MCPHOST_E_LIMIT (a text is longer than 8192 bytes), MCPHOST_E_STATE (the call has
 *   been started, and no mcphost_trace_context_fn is running for the call),
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_trace_context(
    mcphost_call *call, MCPHOST_NULLABLE const char *traceparent,
    MCPHOST_NULLABLE const char *tracestate, MCPHOST_NULLABLE const char *baggage,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_trace_context_fn - give a call its trace context before the call is sent.
 *
 * Runs once for each call that a server carries out, before mcphost_before_call_fn.  Runs
 * on the thread that dispatches, with no library lock held.  The tool or the resource of
 * the call is already known.  The function may call mcphost_call_set_trace_context().
 * Since: 0.1
 */
typedef void (*mcphost_trace_context_fn)(mcphost_call *call, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_trace_context - set the function that gives calls their trace context.
 *
 * `fn` runs for all calls of the host that servers carry out.  If `fn` is NULL, which is
 * the default, each call has the trace context that was set before its start, or none.
 * The application may set `fn` at any time.  `fn` runs for calls that are not sent yet.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once, as in mcphost_set_before_call().
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_trace_context(mcphost *host,
                                          MCPHOST_NULLABLE mcphost_trace_context_fn fn,
                                          MCPHOST_NULLABLE void *arg,
                                          MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_allow - carry out a call that waits for the application's decision.
 *
 * The call waits because mcphost_before_call_fn has returned MCPHOST_BEFORE_CALL_LATER.
 * mcphost_before_call_fn may also call mcphost_call_allow() itself.  The timeout of the
 * call begins when the call is allowed.  The call ends with MCPHOST_E_GONE if its tool is
 * no longer offered, and with MCPHOST_E_DENIED if the grant of its view no longer gives
 * the tool.
 *
 * A call that is neither allowed nor refused within MCPHOST_OPT_REQUEST_TIMEOUT ends with
 * MCPHOST_E_TIMEOUT.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (no mcphost_before_call_fn has run for the
 *   call, or the call was allowed, was refused or has ended), MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_allow(mcphost_call *call);

/*
 * mcphost_call_refuse - end a call that waits for the application's decision.
 *
 * The call gets a result for which mcphost_result_is_error() is true.  The result's only
 * item is `text`, `len` bytes of UTF-8, so that the model learns the reason.
 *
 * Errors: MCPHOST_E_INVALID (the text is not UTF-8), MCPHOST_E_NOMEM, those of
 *   mcphost_call_allow().
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_refuse(mcphost_call *call, const char *text, size_t len);

/*
 * mcphost_call_answer - end a call of a built-in tool with a text.
 *
 * Call this function in mcphost_builtin_fn, or later on any thread.  `text`, `len` bytes
 * of UTF-8, becomes the only item of the result.  If `is_error` is not 0, the text
 * reports a failure that the model should see.  If the function fails with another code
 * than MCPHOST_E_STATE, the call stays open for another answer.
 *
 * Errors: MCPHOST_E_INVALID (the text is not UTF-8, or `is_error` is 0 although the tool
 *   has an output schema), MCPHOST_E_STATE (the call is not a call of a built-in tool of
 *   the application, the tool has not received the call yet, or the call was answered or
 *   has ended), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_answer(mcphost_call *call, const char *text, size_t len,
                                    int is_error);

/*
 * mcphost_call_answer_result - end a call of a built-in tool with a whole result.
 *
 * `json` is a CallToolResult of MCP, an object of `len` bytes.  The function copies it.
 * The object has an array "content" of items with the members of their types, and may
 * have "structuredContent" (an object), "isError" and "_meta".  Unless "isError" is true,
 * the structured content must fit the tool's output schema, if the tool has one.  If the
 * function fails with another code than MCPHOST_E_STATE, the call stays open for another
 * answer.
 *
 * Errors: MCPHOST_E_INVALID (the result is not a CallToolResult, or does not fit the
 *   tool's output schema; the error says where), MCPHOST_E_LIMIT (the result is larger
 *   than 32 MiB, is nested deeper than 512 levels, or takes too many steps to check),
 *   MCPHOST_E_TIMEOUT (the check of the result takes too long), those of
 *   mcphost_call_answer().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_answer_result(mcphost_call *call, const char *json, size_t len,
                           MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_report_progress - report the progress of a call of a built-in tool.
 *
 * `progress` should grow.  `total` is NaN if it is not known.  `message` is UTF-8 of
 * `len` bytes without a NUL, or NULL for none.  If mcphost_call_set_progress() was used
 * for the call, or mcphost_call_set_timeout() with `reset_on_progress`, the report has
 * the effect of a server's progress message.  Otherwise it has no effect.  The next
 * report replaces a report that dispatch has not taken.
 *
 * Errors: MCPHOST_E_INVALID (the progress is not a finite number, the total is infinite,
 *   or the message is not UTF-8 or has a NUL), MCPHOST_E_STATE (the call is not a call of
 *   a built-in tool of the application, the tool has not received the call yet, or the
 *   call was answered or has ended), MCPHOST_E_LIMIT (the message is longer than 64 KiB),
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_report_progress(mcphost_call *call, double progress,
                                             double total,
                                             MCPHOST_NULLABLE const char *message,
                                             size_t len);

/*
 * mcphost_call_is_cancelled - find out whether a built-in tool should stop its work.
 *
 * Returns: 1 if the work for the call should stop, else 0.  The work should stop in these
 *   cases: the call has ended without a result, the call was cancelled, the dialog or the
 *   host of the call is closed, the process is a forked child, or `call` is NULL.
 * Since: 0.1 */
MCPHOST_API int mcphost_call_is_cancelled(mcphost_call *call);

/*
 * mcphost_cancelled_fn - handle the end of a call that the tool has not answered.
 *
 * Runs once, before mcphost_done_fn.  Runs on the thread that dispatches, with no library
 * lock held.
 * Since: 0.1
 */
typedef void (*mcphost_cancelled_fn)(mcphost_call *call, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_call_set_cancelled - set a function that runs if a tool's call is cancelled.
 *
 * Call this function in mcphost_builtin_fn, or later on any thread.  `fn` runs if the
 * call ends before the tool answers.  The call ends early if it is cancelled, if its time
 * is over, or if its dialog or host is closed.  `fn` does not run if mcphost_builtin_fn
 * ends the call with an error.  If the call has ended already, this function fails, and
 * `fn` does not run.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: when the call has ended, when another function is set, or, if this function
 * fails, before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the call is not a call of a built-in tool
 *   of the application, the tool has not received the call yet, or the call was answered
 *   or has ended), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_cancelled(mcphost_call *call, mcphost_cancelled_fn fn,
                                           MCPHOST_NULLABLE void *arg,
                                           MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_make_items - make the items of a conversation from a call's result.
 *
 * Each content item of the server becomes one item, in the same order:
 *
 *     text, a resource's text    {"type":"input_text","text":...}
 *     image, a blob image/...    {"type":"input_image","mimeType":...,"byteLength":...,
 *                                 "artifact":{"rootId":...,"selfId":...,"relPath":...}}
 *     audio, a blob audio/...    like an image, with the type "input_audio"
 *     any other blob             like an image, with the type "input_file"; or input_text
 *                                if its media type is a text type and its bytes are UTF-8
 *     resource_link, others      the server's own JSON; or input_text with this JSON, if
 *                                the JSON has one of the four types above or is too long
 *
 * With MCPHOST_ITEMS_TEXT_IMAGE, the default of MCPHOST_OPT_ITEM_TYPES, only input_text
 * and input_image are made.  A sound or another file is kept.  Its item is a text that
 * names the file.  The item of any other content is a text with the server's JSON.
 *
 * An item that was made from an embedded resource also has the "uri" of the resource.  If
 * the bytes of a file show that it is a picture, the bytes decide the item's type.
 *
 * Files are written below the dialog's directory (mcphost_dialog_set_artifact_dir()), on
 * the caller's thread.  Call the function once for each result, because each call writes
 * the files again.  If data cannot be kept, the item is a text with the reason.  Possible
 * reasons are that the dialog has no directory, the disk or the quota is full, or the
 * base64 is wrong.
 *
 * A text longer than MCPHOST_OPT_TEXT_SPILL becomes a file, too.  If the tool names a
 * number of characters as `_meta["anthropic/maxResultSizeChars"]`, this number is the
 * limit instead.  No text of up to 8192 bytes is cut.  The item's "text" is the head and
 * the tail.  "byteLength", "lineCount", "sha256" and "artifact" describe the whole text.
 *
 * If the content is missing, is empty or consists of blank texts, one more text has the
 * structured content.  If the content is missing and there is no structured content, the
 * text has the JSON of the result.  After a failure, files of earlier items may remain.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the call has no result, because it has not
 *   ended or has failed), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_make_items(mcphost_call *call, MCPHOST_OWNED mcphost_items **ret_items,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_in_turn - create a call of a tool in the catalog of a turn.
 *
 * The function works like mcphost_call_new(), but uses the catalog of `turn`.  `turn` is
 * a turn of the dialog or of its view, and may have ended.  The call does not wait for a
 * tool that the catalog lacks.  mcphost_call_new_tool() also takes tools of that catalog.
 *
 * Errors: MCPHOST_E_INVALID (the turn belongs to another dialog or another view, or the
 *   arguments are not acceptable, and the error gives the reason), MCPHOST_E_NOTFOUND
 *   (the catalog of the turn has no tool of this name), those of mcphost_call_new_tool().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_in_turn(mcphost_dialog *dialog, mcphost_turn *turn, const char *tool,
                         MCPHOST_NULLABLE const char *arguments, size_t len,
                         MCPHOST_OWNED mcphost_call **ret_call,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- skills (skill.h) -------------------------------------------------------------- */

/*
 * mcphost_call_new_get_skill - create a call that gets the entry of a skill
 * (`skills/get`).
 *
 * Use this call for skills that the server does not list, or to see whether a skill has
 * changed.  `server` is as in mcphost_call_new_read().  `uri` is the URI of the skill's
 * SKILL.md.  The result has no items: mcphost_result_get_json() gives an object whose
 * member `skill` is the entry.
 *
 * The call ends for the reasons of mcphost_call_new_read(), with MCPHOST_E_NOTFOUND if
 * the server offers no skills, and with MCPHOST_E_PROTOCOL if the answer is not the entry
 * of this skill.
 *
 * Errors: those of mcphost_call_new_read().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_get_skill(mcphost_dialog *dialog, const char *server, const char *uri,
                           MCPHOST_OWNED mcphost_call **ret_call,
                           MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_read_skill - create a call that reads a file of a skill.
 *
 * `entry` is the entry of the skill, `len` bytes of JSON, from mcphost_skill_get_entry()
 * or from the result of mcphost_call_new_get_skill().  The function copies it.  `file` is
 * the path of the file in the directory of the skill, or its URI.  NULL means SKILL.md.
 *
 * The call works like a call of mcphost_call_new_read().  The file's length and digest,
 * and the front matter of SKILL.md, must match the entry.  Otherwise the call ends with
 * MCPHOST_E_PROTOCOL and has no result.  For a dynamic skill only the front matter is
 * checked, because the entry has no lengths and digests of files.
 *
 * While a model acts on a skill, pass the same entry for each file: the entry with which
 * the model began.  If the skill changes, its changed files do not match this entry, and
 * their calls fail.  The user may have to approve the changed skill.
 *
 * Errors: MCPHOST_E_INVALID (`entry` is not the entry of a skill, or the URI of the file
 *   is not UTF-8 or has a control character; the error gives the reason),
 *   MCPHOST_E_NOTFOUND (the entry does not list the file, or the view of the dialog does
 *   not show the server), MCPHOST_E_LIMIT (the URI of the file is longer than 65,536
 *   bytes, or the entry is nested deeper than 512 levels), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_read_skill(mcphost_dialog *dialog, const char *server, const char *entry,
                            size_t len, MCPHOST_NULLABLE const char *file,
                            MCPHOST_OWNED mcphost_call **ret_call,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_read_directory - create a call that lists a directory
 * (`resources/directory/read`).
 *
 * `server` is as in mcphost_call_new_read().  `uri` is the URI of the directory.
 * `cursor` is the `nextCursor` of an earlier result, or NULL for the beginning.  The
 * result has no items: mcphost_result_get_json() gives an object with an array
 * `resources` of the directory's contents and, if there is more, `nextCursor`.
 *
 * The call ends for the reasons of mcphost_call_new_read(), and with MCPHOST_E_NOTFOUND
 * if the server does not offer this method.
 *
 * Errors: MCPHOST_E_INVALID (the URI is empty or has a control character, or a text is
 *   not UTF-8), MCPHOST_E_LIMIT (the URI or the cursor is longer than 65,536 bytes),
 *   those of mcphost_call_new_read().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_read_directory(mcphost_dialog *dialog, const char *server,
                                const char *uri, MCPHOST_NULLABLE const char *cursor,
                                MCPHOST_OWNED mcphost_call **ret_call,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
