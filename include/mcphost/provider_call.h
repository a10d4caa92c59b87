/* SPDX-License-Identifier: MIT
 *
 * provider_call.h - one request that a provider carries out.
 *
 * A provider (provider.h) offers features: tools, resources, resource templates and
 * prompts.  The function of a feature (mcphost_provide_fn) gets a call, and answers the
 * call once: with a result, a text or a failure.  Before the answer, the function may
 * report progress and ask the client side questions.  A call fails if its last reference
 * is dropped before the call is answered.
 *
 * A thread may use a call as long as the thread has a reference to the call.
 */
#ifndef MCPHOST_PROVIDER_CALL_H
#define MCPHOST_PROVIDER_CALL_H

#include <mcphost/provider.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes a reference to `call`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_provider_call *
mcphost_provider_call_ref(MCPHOST_NULLABLE mcphost_provider_call *call);

/* Drops a reference to `call`.  If the last reference is dropped before the call was
 * answered, the call fails with MCPHOST_E_RPC.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_provider_call *
mcphost_provider_call_unref(MCPHOST_NULLABLE mcphost_provider_call *call);

/* Returns the provider that carries out the call, or NULL if `call` is NULL.  The
 * provider lives as long as the call.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_provider *
mcphost_provider_call_get_provider(const mcphost_provider_call *call);

/* Gets the kind of the feature that is called, read or completed.  Returns: the kind, one
 * of MCPHOST_FEATURE_*, or 0 if `call` is NULL.  Since: 0.1 */
MCPHOST_API int mcphost_provider_call_get_feature(const mcphost_provider_call *call);

/* Returns the name of the tool or prompt, or the URI that is to be read.  For a
 * completion, the function returns the name of the prompt, or the URI template.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_name(const mcphost_provider_call *call,
                               MCPHOST_NULLABLE size_t *ret_len);

/* Returns a JSON object with the arguments of the tool or prompt, or with the variables
 * that the resource template has in the URI.  The arguments of a tool fit its input
 * schema.  For a completion, the object has the values of the other arguments.  The
 * object is "{}" if there are no values.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_arguments(const mcphost_provider_call *call,
                                    MCPHOST_NULLABLE size_t *ret_len);

/* Returns the name of the argument or variable that is completed, or NULL if the call is
 * not a completion.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_argument(const mcphost_provider_call *call,
                                   MCPHOST_NULLABLE size_t *ret_len);

/* Returns the beginning of the value that is completed, or NULL if the call is not a
 * completion.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_value(const mcphost_provider_call *call,
                                MCPHOST_NULLABLE size_t *ret_len);

/* Returns the `_meta` of the request as a JSON object, or NULL if the request has no
 * `_meta`.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_meta(const mcphost_provider_call *call,
                               MCPHOST_NULLABLE size_t *ret_len);

/* Returns the id of the dialog that makes the call, or NULL if the id is not known, as
 * for a completion.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_dialog_id(const mcphost_provider_call *call);

/*
 * mcphost_provider_call_answer - answer with a whole result.
 *
 * `json` is an object of `len` bytes: MCP's CallToolResult, ReadResourceResult,
 * GetPromptResult or CompleteResult.  The function copies the object and checks its form.
 * If a tool has an output schema, the structured content of its result must fit the
 * schema, unless the result says that the tool has failed.  If the result is wrong, the
 * call stays open.
 *
 * Errors: MCPHOST_E_INVALID (the result is wrong; the error names the place),
 *   MCPHOST_E_STATE (the call has been answered, or is over), MCPHOST_E_LIMIT (the result
 *   is larger than 32 MiB or nested deeper than 512 levels, or takes too many steps to
 *   check), MCPHOST_E_TIMEOUT (the check against the output schema takes too long),
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_call_answer(mcphost_provider_call *call, const char *json, size_t len,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_call_answer_text - answer with one text.
 *
 * `text` is UTF-8 of `len` bytes.  It becomes a text item of the tool's result, the
 * contents of the resource, or the only message of the prompt, with the role "user".  If
 * `is_error` is not 0, the text tells the model how the tool has failed.  Resources and
 * prompts must have `is_error` 0.
 *
 * Errors: MCPHOST_E_INVALID (the text is not UTF-8, the call is a completion, `is_error`
 *   is 0 for a tool that has an output schema, or `is_error` is not 0 for a resource or a
 *   prompt), MCPHOST_E_STATE (the call has been answered, or is over), MCPHOST_E_LIMIT
 *   (the text is longer than 32 MiB), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_call_answer_text(mcphost_provider_call *call,
                                                  const char *text, size_t len,
                                                  int is_error);

/*
 * mcphost_provider_call_fail - answer with a JSON-RPC error.
 *
 * `code` is the code of the error, such as -32602 for wrong parameters.  `message` is
 * UTF-8.  `data` is a JSON value of `len` bytes, or NULL.  The caller's call ends with
 * MCPHOST_E_RPC.
 *
 * Errors: MCPHOST_E_INVALID (the message is not UTF-8, or `data` is not JSON or is nested
 *   deeper than 512 levels), MCPHOST_E_STATE (the call has been answered, or is over),
 *   MCPHOST_E_LIMIT (the message or `data` is longer than 64 KiB), MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_call_fail(mcphost_provider_call *call, int64_t code,
                                           const char *message,
                                           MCPHOST_NULLABLE const char *data, size_t len);

/*
 * mcphost_provider_call_report - report progress.
 *
 * `total` is NaN if it is not known.  `text` is UTF-8 of `len` bytes, or NULL.  The next
 * report replaces a report that was not passed on yet.
 *
 * Returns: 0 (also if the caller does not want progress).
 * Errors: MCPHOST_E_INVALID (`progress` is not a finite number, `total` is infinite, or
 *   the text is not UTF-8), MCPHOST_E_STATE (the call has been answered, or is over),
 *   MCPHOST_E_LIMIT (the text is longer than 64 KiB), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_call_report(mcphost_provider_call *call, double progress,
                                             double total,
                                             MCPHOST_NULLABLE const char *text,
                                             size_t len);

/* Returns 1 if the answer is no longer wanted, else 0.  An answer is no longer wanted if
 * the call was cancelled, its time is over, its dialog or the host was closed, or the
 * provider was closed and its time to finish is over.  Since: 0.1 */
MCPHOST_API int mcphost_provider_call_is_cancelled(const mcphost_provider_call *call);

/*
 * mcphost_unwanted_fn - stop the work on an answer that is not wanted any more.
 *
 * The function runs at most once, on the thread that dispatches or in the last
 * mcphost_unref() of the host.
 * Since: 0.1
 */
typedef void (*mcphost_unwanted_fn)(mcphost_provider_call *call,
                                    MCPHOST_NULLABLE void *arg);

/*
 * mcphost_provider_call_set_cancelled - set a function that runs when the answer is not
 * wanted any more.
 *
 * A later call of this function replaces the function that was set before.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: after `fn`, when another function replaces `fn`, or when the call is freed and
 * `fn` has not run.  If this function fails, it calls `free_arg` before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the call has been answered, or is over),
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_call_set_cancelled(mcphost_provider_call *call, mcphost_unwanted_fn fn,
                                    MCPHOST_NULLABLE void *arg,
                                    MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_provider_call_ask - ask the client side a question during a call.
 *
 * `kind` is MCPHOST_REQUEST_FORM, MCPHOST_REQUEST_URL, MCPHOST_REQUEST_SAMPLING or
 * MCPHOST_REQUEST_ROOTS.  `params` is an object of `len` bytes with MCP's parameters of
 * the method, or NULL for no parameters.  The function copies the object.  If the
 * parameters of a MCPHOST_REQUEST_URL lack `mode`, the library adds it.  The client side
 * is the application, or the MCP client for which the host makes the call
 * (mcphost_serve_fd()).
 *
 * `fn` gets the answer.  If the call ends first, `fn` gets MCPHOST_E_CANCELLED.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: after `fn`, or, if this function fails, before it returns.
 *
 * Errors: MCPHOST_E_INVALID (a provider cannot make a request of this kind, or `params`
 *   is not a JSON object), MCPHOST_E_DENIED (the client side does not answer requests of
 *   this kind), MCPHOST_E_STATE (the call has been answered, or is over), MCPHOST_E_LIMIT
 *   (16 requests of the call are open, or `params` is longer than 16 MiB or nested deeper
 *   than 512 levels), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_call_ask(mcphost_provider_call *call, int kind,
                          MCPHOST_NULLABLE const char *params, size_t len,
                          mcphost_answered_fn fn, MCPHOST_NULLABLE void *arg,
                          MCPHOST_NULLABLE mcphost_free_fn free_arg,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
