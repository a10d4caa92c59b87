/* SPDX-License-Identifier: MIT
 *
 * call.h - one call, from creation to its single completion: of a tool, of a resource
 * that is read, of a value that is completed.
 *
 *   create -> setters -> start -> [progress events]* -> done -> free_arg
 *
 * A call may be used from any thread.  Dropping the last reference does not
 * cancel it.
 */
#ifndef MCPHOST_CALL_H
#define MCPHOST_CALL_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_done_fn - learns that a call has ended.
 *
 * Runs once, from dispatch, with no library lock held.  The call holds the
 * outcome: mcphost_call_get_result() or mcphost_call_get_error().
 * Since: 0.1
 */
typedef void (*mcphost_done_fn)(mcphost_call *call, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_call_new - prepare a call of a tool of the dialog's catalog.
 *
 * `tool` is the name that the model uses.  `arguments` is a JSON object of
 * `len` bytes, copied; NULL stands for {}.  *ret_call gets a reference.
 *
 * Returns 0, MCPHOST_E_INVALID (also arguments that are not acceptable: the
 * error has line and column), MCPHOST_E_NOTFOUND (no such tool), MCPHOST_E_BUSY (no such
 * tool yet: a server is still starting, which the message names; with
 * MCPHOST_OPT_WAIT_STARTING the call is made, and waits for the tool once it is started),
 * MCPHOST_E_DENIED (the dialog's view has a grant that does not give the tool),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_new(mcphost_dialog *dialog, const char *tool,
                                 MCPHOST_NULLABLE const char *arguments, size_t len,
                                 MCPHOST_OWNED mcphost_call **ret_call,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_tool - the same for a tool from a catalog that was kept.
 *
 * If its server has changed since, the newest instance carries the call out if it offers
 * a tool of the same original name with the same bytes of the input schema.  Else the
 * call ends with MCPHOST_E_GONE.
 * A tool of another host is refused with MCPHOST_E_INVALID, one that apps alone may call
 * with MCPHOST_E_DENIED.  The rest is as mcphost_call_new().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_tool(mcphost_dialog *dialog, mcphost_tool *tool,
                      MCPHOST_NULLABLE const char *arguments, size_t len,
                      MCPHOST_OWNED mcphost_call **ret_call,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_app_tool - prepare a call that an app of a server asks for.
 *
 * `server` is the server whose app it is, as mcphost_catalog_find_server() takes it, in
 * the view of the dialog; `tool` is the tool's original name, as apps know it.  Only
 * tools of that server are found, and only those that are visible to apps.  The rest is
 * as in mcphost_call_new(), and mcphost_set_before_call() is asked.
 * MCP Apps 2026-01-26, "Visibility".
 *
 * Returns 0, MCPHOST_E_INVALID (also arguments that are not acceptable),
 * MCPHOST_E_NOTFOUND (the view shows no such server, or the server has no such tool),
 * MCPHOST_E_DENIED (the tool is not visible to apps, or the grant does not give it),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_app_tool(mcphost_dialog *dialog, const char *server, const char *tool,
                          MCPHOST_NULLABLE const char *arguments, size_t len,
                          MCPHOST_OWNED mcphost_call **ret_call,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_read - prepare to read a resource (`resources/read`).
 *
 * `server` is the server's id, as mcphost_catalog_find_server() takes it, in the view of
 * the dialog; `uri` goes to the server as it is, whether the server has listed it or not.
 * The resource is read by the dialog's lease, as a tool is called; timeouts, progress and
 * cancelling are those of any call, mcphost_set_before_call() is not asked.  A server
 * that is still starting is waited for.  The result's items are the resource's contents,
 * of kind MCPHOST_CONTENT_RESOURCE: mcphost_result_item_get_uri(), _get_mime_type() and,
 * of those that are text, _get_text().  MCP 2025-11-25 and 2026-07-28, "Resources".
 *
 * Returns 0, MCPHOST_E_INVALID (the URI is empty, not UTF-8, or has a control character),
 * MCPHOST_E_LIMIT (it has more than 65,536 bytes), MCPHOST_E_NOTFOUND (the view shows no
 * such server), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * The call ends with MCPHOST_E_NOTFOUND if the server offers no resources, with
 * MCPHOST_E_RPC if it refuses (an unknown URI is error -32002, in the modern era -32602),
 * with MCPHOST_E_GONE if it was removed meanwhile, with MCPHOST_E_DENIED if the view
 * shows none of it, or by a grant single tools alone.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_read(mcphost_dialog *dialog, const char *server, const char *uri,
                      MCPHOST_OWNED mcphost_call **ret_call,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_prompt - prepare to ask for a prompt (`prompts/get`).
 *
 * `name` is the name under which the dialog's view shows it
 * (mcphost_catalog_get_prompt()).  `arguments` is a JSON object of `len` bytes whose
 * values are strings; NULL: none.
 * Everything is copied.  The result's items are the contents of the prompt's messages, in
 * order; mcphost_result_item_get_role() says whose each of them is.  The rest is as in
 * mcphost_call_new_read().  MCP 2025-11-25 and 2026-07-28, "Prompts".
 *
 * Returns 0, MCPHOST_E_INVALID (arguments that are no object of strings, or an argument
 * that the prompt requires is not among them: the error names it), MCPHOST_E_NOTFOUND
 * (the view shows no such prompt), MCPHOST_E_LIMIT, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * The call ends with MCPHOST_E_GONE if the server no longer offers the prompt, with
 * MCPHOST_E_DENIED if the view no longer shows the server.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_prompt(mcphost_dialog *dialog, const char *name,
                        MCPHOST_NULLABLE const char *arguments, size_t len,
                        MCPHOST_OWNED mcphost_call **ret_call,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_complete_template - prepare to ask for values of a URI template's
 * variable (`completion/complete`).
 *
 * `server` is as in mcphost_call_new_read(), `uri_template` the template as the server
 * listed it, `argument` the name of the variable, `value` what was typed of it so far (""
 * for nothing).  `context` is a JSON object of `context_len` bytes with the values of
 * other variables, all strings; NULL: none.  Everything is copied.
 * mcphost_result_count_values() and _get_value() give what the server proposes.  MCP
 * 2025-11-25 and 2026-07-28, "Completion".
 *
 * Returns as mcphost_call_new_read(); MCPHOST_E_INVALID also for a context that is
 * not acceptable, and MCPHOST_E_LIMIT for any text of more than 65,536 bytes.  The call
 * ends with MCPHOST_E_NOTFOUND if the server offers no completions.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_new_complete_template(
    mcphost_dialog *dialog, const char *server, const char *uri_template,
    const char *argument, const char *value, MCPHOST_NULLABLE const char *context,
    size_t context_len, MCPHOST_OWNED mcphost_call **ret_call,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_complete_prompt - prepare to ask for values of a prompt's argument.
 *
 * `name` is as in mcphost_call_new_prompt(), `argument` the name of the argument, and
 * `context` has values of the others.  The rest is as in
 * mcphost_call_new_complete_template(), but MCPHOST_E_NOTFOUND says that the view shows
 * no such prompt.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_complete_prompt(mcphost_dialog *dialog, const char *name,
                                 const char *argument, const char *value,
                                 MCPHOST_NULLABLE const char *context, size_t context_len,
                                 MCPHOST_OWNED mcphost_call **ret_call,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_call *
mcphost_call_ref(MCPHOST_NULLABLE mcphost_call *call);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_call *
mcphost_call_unref(MCPHOST_NULLABLE mcphost_call *call);

/*
 * mcphost_call_set_timeout - how long the call may take, in ms; -1: no limit.
 *
 * Counted from mcphost_call_start(); it includes the start of a server.  Default: the
 * server's `timeouts.call`, else MCPHOST_OPT_CALL_TIMEOUT.  `reset_on_progress` not 0: a
 * progress message starts the time anew.  `max_ms` is the limit in all, whatever the rest
 * says (-1: none).  Built-in tools and servers' have the same rules.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE when started.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_timeout(mcphost_call *call, int64_t timeout_ms,
                                         int reset_on_progress, int64_t max_ms);

/*
 * mcphost_progress_fn - learns how far a call is.
 *
 * Runs from dispatch with no library lock held, any number of times and always before
 * `done`.  `total` is NaN when none was named.  `message` is NULL, or a text of
 * `message_len` bytes, valid during this call.
 * Since: 0.1
 */
typedef void (*mcphost_progress_fn)(mcphost_call *call, double progress, double total,
                                    MCPHOST_NULLABLE const char *message,
                                    size_t message_len, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_call_set_progress - ask for the call's progress.
 *
 * `fn` is told of it; NULL: only events are.  MCPHOST_EVENT_PROGRESS comes in either
 * case, for those who watch all calls.  A call that does not ask is told nothing.  Takes
 * over `arg` whatever it returns: `free_arg` (may be NULL) runs once, after `done`, when
 * another function is set, with the last reference to a call that was never started, or
 * before this returns if it fails.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE when started, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_progress(mcphost_call *call,
                                          MCPHOST_NULLABLE mcphost_progress_fn fn,
                                          MCPHOST_NULLABLE void *arg,
                                          MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_set_request - say that the call is made in order to answer a request.
 *
 * `request` is a sampling request, open or not.  If the application's model calls tools
 * before it answers the server, their servers may ask for sampling in turn;
 * MCPHOST_OPT_SAMPLING_DEPTH limits how deep that goes.  Nothing is kept of the request.
 *
 * Returns 0, MCPHOST_E_INVALID (also a request of another kind or host),
 * MCPHOST_E_STATE when started.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_request(mcphost_call *call,
                                         const mcphost_request *request);

/*
 * mcphost_call_set_meta - members for the request's `_meta`.
 *
 * `json` is an object of `len` bytes; members that the protocol needs win
 * over it.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE when started, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_set_meta(mcphost_call *call, const char *json, size_t len,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* A pointer of the application's, not touched by the library.  Since: 0.1 */
MCPHOST_API void mcphost_call_set_user_data(mcphost_call *call,
                                            MCPHOST_NULLABLE void *data);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE void *
mcphost_call_get_user_data(const mcphost_call *call);

/*
 * mcphost_call_start - send the request; `done` learns of the outcome.
 *
 * Takes over `arg` whatever it returns: `free_arg` (may be NULL) runs once,
 * after `done`, or before this returns if it fails.  `done` may be NULL for a
 * call that is waited for: while the library's thread or a declared driver sleeps, this
 * function then sends the request itself.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE if already started,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_start(mcphost_call *call,
                                   MCPHOST_NULLABLE mcphost_done_fn done,
                                   MCPHOST_NULLABLE void *arg,
                                   MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_cancel - stop waiting for the outcome.
 *
 * The server is told, the call ends at once with MCPHOST_E_CANCELLED (reported
 * from dispatch, never from here), a late answer is dropped.  Idempotent; no
 * effect on one that has ended.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE before start, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_cancel(mcphost_call *call);

/*
 * mcphost_call_wait - dispatch until the call has ended.
 *
 * From many threads at once: one of them dispatches, the others sleep.  When it
 * returns 1, `done` has run.  Returns 1, 0 when the time passed, MCPHOST_E_WOKEN
 * (mcphost_wake()), MCPHOST_E_STATE before start, MCPHOST_E_BUSY inside a callback,
 * MCPHOST_E_CLOSED when the host ended without it, MCPHOST_E_INVALID, MCPHOST_E_FORKED,
 * MCPHOST_E_IO.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_wait(mcphost_call *call, int64_t timeout_ms);

/* Whether it has ended; inside `done` it has.  Since: 0.1 */
MCPHOST_API int mcphost_call_is_done(const mcphost_call *call);

/* The result, borrowed from the call; NULL before the end and when it failed.
 * A result with mcphost_result_is_error() is a result.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_result *
mcphost_call_get_result(const mcphost_call *call);

/* Why it failed, borrowed from the call; NULL before the end and when there is
 * a result.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_error *
mcphost_call_get_error(const mcphost_call *call);

/* The tool called, borrowed (NULL while the call waits for it, see
 * MCPHOST_OPT_WAIT_STARTING); and the dialog's id.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_call_get_tool(const mcphost_call *call);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_call_get_dialog_id(const mcphost_call *call);

/*
 * mcphost_call_get_arguments - what the tool is given, a JSON object.
 *
 * NULL: the call is not of a tool.  With MCPHOST_ARGUMENTS_COMPLETE the schema's defaults
 * are in it, once the tool is known.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_call_get_arguments(const mcphost_call *call, MCPHOST_NULLABLE size_t *ret_len);

/* What mcphost_before_call_fn returns.  Since: 0.1 */
enum mcphost_before_call {
    MCPHOST_BEFORE_CALL_GO = 0,   /* the call is carried out */
    MCPHOST_BEFORE_CALL_LATER = 1 /* mcphost_call_allow() or mcphost_call_refuse() says */
};

/*
 * mcphost_before_call_fn - is asked before a call is carried out.
 *
 * Runs once for each call, from dispatch with no library lock held, when its tool is
 * known and before a server or a built-in tool gets it: mcphost_call_get_tool() has the
 * tool with its annotations, mcphost_call_get_arguments() the arguments.  What servers
 * say in annotations is not to be trusted (MCP, "Tools").
 *
 * Returns MCPHOST_BEFORE_CALL_GO, MCPHOST_BEFORE_CALL_LATER, or a negative MCPHOST_E_*
 * that the call ends with; any other value ends it with MCPHOST_E_DENIED.  To refuse the
 * call with a text, call mcphost_call_refuse() and return either of the two: an answer
 * given within the function holds, unless the function returns an error.
 * Since: 0.1
 */
typedef int (*mcphost_before_call_fn)(mcphost_call *call, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_before_call - be asked before calls; NULL: they are carried out unasked.
 *
 * For all calls of tools, those of built-in and admin tools included.  Any time; it
 * holds for calls that are not carried out yet and that no function was asked about, and
 * a call that waits for an answer goes on waiting.  Takes over `arg` whatever it returns:
 * `free_arg` (may be NULL) runs once, after the function's last call: from dispatch, from
 * the last unref of the host or of a call, or before this returns if it fails.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_before_call(mcphost *host,
                                        MCPHOST_NULLABLE mcphost_before_call_fn fn,
                                        MCPHOST_NULLABLE void *arg,
                                        MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_set_trace_context - the trace that a call belongs to.
 *
 * As W3C Trace Context and Baggage have them: `traceparent` of version 00, `tracestate`
 * (not without it) and `baggage`, each NULL for none, and copied.  They become members of
 * the request's `_meta`, and over HTTP headers of the same names.  What
 * mcphost_call_set_meta() gave under such a name stays, and then that one is not sent
 * from here.  For a call that is not started, and within mcphost_trace_context_fn; it
 * replaces what was set before.
 *
 * Returns 0, MCPHOST_E_INVALID (the call is NULL, or the error names the member whose
 * format is wrong), MCPHOST_E_LIMIT (more than 8192 bytes), MCPHOST_E_STATE,
 * MCPHOST_E_NOMEM; then the call is as it was.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_trace_context(
    mcphost_call *call, MCPHOST_NULLABLE const char *traceparent,
    MCPHOST_NULLABLE const char *tracestate, MCPHOST_NULLABLE const char *baggage,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_trace_context_fn - gives a call its trace context before it is sent.
 *
 * Runs once for each call that a server carries out, from dispatch with no library lock
 * held, when what the call is for is known, and before mcphost_before_call_fn.  It calls
 * mcphost_call_set_trace_context(), or does not; the call goes on in either case.
 * Since: 0.1
 */
typedef void (*mcphost_trace_context_fn)(mcphost_call *call, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_trace_context - give calls a trace context; NULL: none but their own.
 *
 * For all calls of the host.  Any time; it holds for the calls that are not yet sent.
 * Takes over `arg` whatever it returns: `free_arg` (may be NULL) runs once, after the
 * function's last call, as with mcphost_set_before_call().
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_trace_context(mcphost *host,
                                          MCPHOST_NULLABLE mcphost_trace_context_fn fn,
                                          MCPHOST_NULLABLE void *arg,
                                          MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_allow - have a call that waits for the answer carried out.
 *
 * After MCPHOST_BEFORE_CALL_LATER, from any thread; also within mcphost_before_call_fn.
 * The call's timeout begins now.  If its tool is no longer offered, the call ends with
 * MCPHOST_E_GONE, and if the grant of its view no longer gives the tool, with
 * MCPHOST_E_DENIED.  A call that is neither allowed nor refused within
 * MCPHOST_OPT_REQUEST_TIMEOUT ends with MCPHOST_E_TIMEOUT.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (no function was asked, it was answered,
 * or the call has ended), MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_allow(mcphost_call *call);

/*
 * mcphost_call_refuse - end such a call with a text instead.
 *
 * The call gets a result with mcphost_result_is_error() and `text` (`len` bytes of UTF-8)
 * as its one item, so that the model learns why.
 *
 * Returns as mcphost_call_allow(), and MCPHOST_E_INVALID (also: not UTF-8),
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_refuse(mcphost_call *call, const char *text, size_t len);

/*
 * mcphost_call_answer - end a call of a built-in tool with a text.
 *
 * For mcphost_builtin_fn, then or later, from any thread.  `text` (`len` bytes of UTF-8)
 * becomes the one text item of the result; `is_error` marks a failure that the model
 * should see.
 *
 * Returns 0, MCPHOST_E_INVALID (also: the tool has an output schema, and this is no
 * failure), MCPHOST_E_STATE (the call is not a built-in's, its tool was not given it yet,
 * or it was answered or has ended), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_answer(mcphost_call *call, const char *text, size_t len,
                                    int is_error);

/*
 * mcphost_call_answer_result - end a call of a built-in tool with a whole result.
 *
 * `json` is an object of `len` bytes as MCP's CallToolResult, which is copied: an array
 * "content" of items with the members of their types, and as the tool likes
 * "structuredContent" (an object), "isError" and "_meta".  Unless "isError" is true, the
 * structured content must fit the tool's output schema, if it has one.
 *
 * Returns as mcphost_call_answer(), and MCPHOST_E_LIMIT (more than 32 MiB).  What is
 * refused has not ended the call: another answer may.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_answer_result(mcphost_call *call, const char *json, size_t len,
                           MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_report_progress - say how far a call of a built-in tool is.
 *
 * From any thread.  `progress` should grow; `total` is NaN when it is not known.
 * `message` is NULL, or UTF-8 text of `len` bytes without NUL (64 KiB at most).  The
 * caller learns of it as of a server's progress, if it has asked
 * (mcphost_call_set_progress()).  A report that dispatch has not yet taken is replaced by
 * the next.
 *
 * Returns 0, MCPHOST_E_INVALID (also: `progress` is no finite number), MCPHOST_E_STATE
 * (as mcphost_call_answer()), MCPHOST_E_LIMIT, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_report_progress(mcphost_call *call, double progress,
                                             double total,
                                             MCPHOST_NULLABLE const char *message,
                                             size_t len);

/*
 * mcphost_call_is_cancelled - whether nobody waits for the call's answer any more.
 *
 * For the thread that works for a built-in tool.  1: the call was cancelled, its time is
 * over, or its dialog or host is closed; 0: it goes on, or has a result.  1 for NULL.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_is_cancelled(mcphost_call *call);

/*
 * mcphost_cancelled_fn - learns that a call has ended before its tool answered.
 *
 * Runs once, from dispatch, with no library lock held, before the call's completion.
 * Since: 0.1
 */
typedef void (*mcphost_cancelled_fn)(mcphost_call *call, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_call_set_cancelled - ask to be told when a built-in's call is cancelled.
 *
 * For mcphost_builtin_fn, then or later, from any thread.  `fn` runs if the call ends by
 * anything but the tool itself.  Takes over `arg` whatever it returns: `free_arg` (may be
 * NULL) runs once, when the call has ended, when another function is set, or before this
 * returns if it fails.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (as mcphost_call_answer(): if the call
 * has ended, `fn` does not run), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_call_set_cancelled(mcphost_call *call, mcphost_cancelled_fn fn,
                                           MCPHOST_NULLABLE void *arg,
                                           MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_call_make_items - the items of a call's result.
 *
 * Each content item of the server becomes one, in the same order:
 *
 *     text, a resource's text    {"type":"input_text","text":...}
 *     image, a blob image/...    {"type":"input_image","mimeType":...,"byteLength":...,
 *                                 "artifact":{"rootId":...,"selfId":...,"relPath":...}}
 *     audio, a blob audio/...    the same with "input_audio"
 *     any other blob             the same with "input_file"; as input_text, if its type
 *                                is one of texts and its bytes are UTF-8
 *     resource_link, others      the server's own JSON; as a text, should its type be
 *                                one of the above, or the whole be too long
 *
 * Of these types input_text and input_image alone are made unless
 * MCPHOST_OPT_ITEM_TYPES is MCPHOST_ITEMS_ALL: a sound or another file is kept and
 * its item is a text that names it, anything else is its JSON as a text.
 *
 * An item made from an embedded resource also has its "uri".  The dialog must have a
 * directory (mcphost_dialog_set_artifact_dir()); files are written by this call, on
 * the caller's thread, so make items once for each result.  What cannot be kept, for
 * want of a directory, room, quota or sound base64, becomes a text item that says
 * so: the conversation goes on.  A picture's type is what its bytes say where they
 * say it.
 *
 * A text longer than MCPHOST_OPT_TEXT_SPILL becomes a file too; where the tool's own
 * `_meta["anthropic/maxResultSizeChars"]` names a number of characters, that counts
 * instead, be it more or less, but no text of up to 8192 bytes is cut.  Its item has
 * the head and the tail as "text", "byteLength", "lineCount", "sha256" and "artifact".
 * A result whose content says nothing (there is none, or blank texts alone) gives its
 * structuredContent, if there is one, as a text.
 *
 * *ret_items gets a reference.  A failure may leave files of earlier items behind.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (the
 * call has no result), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_call_make_items(mcphost_call *call, MCPHOST_OWNED mcphost_items **ret_items,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_in_turn - prepare a call of a tool of a turn's catalog.
 *
 * As mcphost_call_new(), but `tool` is looked up in the turn's catalog, and no call waits
 * for a tool that is not there yet.  The turn is one of the dialog or of its view;
 * mcphost_call_new_tool() does the same with a tool of that catalog.
 *
 * Returns 0, MCPHOST_E_INVALID (also: the turn is not of this dialog, or arguments that
 * are not acceptable), MCPHOST_E_NOTFOUND, MCPHOST_E_DENIED, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_in_turn(mcphost_dialog *dialog, mcphost_turn *turn, const char *tool,
                         MCPHOST_NULLABLE const char *arguments, size_t len,
                         MCPHOST_OWNED mcphost_call **ret_call,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- skills (skill.h) -------------------------------------------------------------- */

/*
 * mcphost_call_new_get_skill - prepare to ask for the entry of a skill (`skills/get`).
 *
 * For skills that the server does not list, and to learn whether one has changed.
 * `server` is as in mcphost_call_new_read(), `uri` that of the skill's SKILL.md.  The
 * result has no items; mcphost_result_get_json() is an object whose member `skill` is the
 * entry.  The rest is as in mcphost_call_new_read(); the call ends with
 * MCPHOST_E_NOTFOUND if the server offers no skills, with MCPHOST_E_PROTOCOL if what it
 * answers is no entry of a skill, or that of another one.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_get_skill(mcphost_dialog *dialog, const char *server, const char *uri,
                           MCPHOST_OWNED mcphost_call **ret_call,
                           MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_read_skill - prepare to read a file of a skill.
 *
 * `entry` is the skill's entry, `len` bytes of JSON, which is copied:
 * mcphost_skill_get_entry(), or the result of mcphost_call_new_get_skill().  `file` is
 * the path of the file in the skill's directory, or its URI; NULL: its SKILL.md.  The
 * file is read as mcphost_call_new_read() reads one.  Its length and its digest must be
 * those of the entry, and the front matter of SKILL.md must be that of the entry;
 * otherwise the call ends with MCPHOST_E_PROTOCOL, and nobody sees the file.  As long as
 * a model acts on a skill, read by the entry that it began with: if the skill changes,
 * its files no longer fit, and the user may have to be asked anew.
 *
 * Returns 0, MCPHOST_E_INVALID (the entry is none; the error says why),
 * MCPHOST_E_NOTFOUND (the entry does not list the file, or the view does not show the
 * server), or as mcphost_call_new_read().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_read_skill(mcphost_dialog *dialog, const char *server, const char *entry,
                            size_t len, MCPHOST_NULLABLE const char *file,
                            MCPHOST_OWNED mcphost_call **ret_call,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_call_new_read_directory - prepare to ask what is in a directory
 * (`resources/directory/read`).
 *
 * `uri` is that of a directory; `cursor` is the `nextCursor` of an earlier result, NULL
 * for the beginning.  The result has no items; mcphost_result_get_json() is an object
 * with an array `resources` of what is in the directory, and perhaps `nextCursor`.  The
 * rest is as in mcphost_call_new_read(); the call ends with MCPHOST_E_NOTFOUND if the
 * server does not offer this.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_call_new_read_directory(mcphost_dialog *dialog, const char *server,
                                const char *uri, MCPHOST_NULLABLE const char *cursor,
                                MCPHOST_OWNED mcphost_call **ret_call,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- tasks ------------------------------------------------------------------------- */

/*
 * A server may answer a tool call with a task: it goes on with the work, and the host
 * asks it how far it is, until it has the result (MCP 2026-07-28, extension
 * `io.modelcontextprotocol/tasks`; 2025-11-25, "Tasks").  To the application it stays one
 * call.  It outlives the connection: the server may be reconnected or started anew in
 * between.  MCPHOST_EVENT_TASK tells of each new status.
 *
 * MCPHOST_OPT_TASK_TIMEOUT, or the `max_ms` of mcphost_call_set_timeout(), says how long
 * such a call may take; the call's timeout ends with the first answer, and progress is
 * not told of from then on.  What the task asks comes as a request
 * (MCPHOST_EVENT_REQUEST), as in any call.  mcphost_call_cancel() cancels the task; a
 * dialog or a host that is closed leaves it alone, and its id can be taken up later, also
 * by another process.
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
 * mcphost_call_set_task - ask for a task where the application is to say that it wants
 * one.
 *
 * That is so with servers of 2025-11-25, for tools that may run as a task or without;
 * those of 2026-07-28 decide themselves.  A tool that must run as a task does so anyway,
 * and one that never does is called as always.  `ttl_ms` is how long the server is asked
 * to keep the task, in ms.
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
 * Returns 0, MCPHOST_E_INVALID (an id that is empty or not UTF-8), MCPHOST_E_LIMIT (it
 * has more than 65,536 bytes), MCPHOST_E_NOTFOUND (the view shows no such server),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * The call ends with
 * MCPHOST_E_NOTFOUND if the server offers no tasks, with MCPHOST_E_RPC if it does not
 * know this one, and for the reasons that mcphost_call_new_read() names.
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
 * For tasks that no call waits for, of servers of 2026-07-28.  `responses` is a JSON
 * object of `len` bytes: under the name of each question the answer, as MCP's
 * `inputResponses`. The result has no items.  The rest is as in
 * mcphost_call_resume_task(); MCPHOST_E_INVALID also for responses that are no object.
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
 * beginning.  It lives as long as the call.  Who has it can ask the server for the
 * result: keep it as a secret.  Any thread.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_call_get_task_id(const mcphost_call *call);

/* MCPHOST_TASK_*: what the server said last.  Any thread.  Since: 0.1 */
MCPHOST_API int mcphost_call_get_task_status(const mcphost_call *call);

/* How long the server keeps the task, counted from its beginning, and how often it wants
 * to be asked, in ms; -1: it did not say.  Any thread.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_call_get_task_ttl(const mcphost_call *call);
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_call_get_task_interval(const mcphost_call *call);

#ifdef __cplusplus
}
#endif
#endif
