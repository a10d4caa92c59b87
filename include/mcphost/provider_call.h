/* SPDX-License-Identifier: MIT
 *
 * provider_call.h - one request that a provider carries out.
 *
 * A function of a provider is given a call.  It answers once: with a result, a text, or a
 * failure.  Until then it may report progress, log, and ask the client side.  A call that
 * nobody refers to any more, and that was not answered, fails.
 *
 * All functions may be called from any thread that has a reference.
 */
#ifndef MCPHOST_PROVIDER_CALL_H
#define MCPHOST_PROVIDER_CALL_H

#include <mcphost/provider.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_provider_call *
mcphost_provider_call_ref(MCPHOST_NULLABLE mcphost_provider_call *call);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_provider_call *
mcphost_provider_call_unref(MCPHOST_NULLABLE mcphost_provider_call *call);

/* The provider, borrowed from the call.  NULL for NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_provider *
mcphost_provider_call_get_provider(const mcphost_provider_call *call);

/* MCPHOST_FEATURE_*: what is called, read or completed.  Since: 0.1 */
MCPHOST_API int mcphost_provider_call_get_feature(const mcphost_provider_call *call);

/* The name of the tool or prompt; the URI that is to be read; of a completion the name of
 * the prompt or the template.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_name(const mcphost_provider_call *call,
                               MCPHOST_NULLABLE size_t *ret_len);

/* A JSON object: the arguments of the tool, which fit its schema, or of the prompt; the
 * variables of the template, as its URI has them; of a completion the values of the other
 * arguments.  "{}" where there are none.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_arguments(const mcphost_provider_call *call,
                                    MCPHOST_NULLABLE size_t *ret_len);

/* Of a completion: the argument, and how its value begins.  NULL of any other call.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_argument(const mcphost_provider_call *call,
                                   MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_value(const mcphost_provider_call *call,
                                MCPHOST_NULLABLE size_t *ret_len);

/* The `_meta` of the request, a JSON object; NULL: none.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_meta(const mcphost_provider_call *call,
                               MCPHOST_NULLABLE size_t *ret_len);

/* The id of the dialog whose call it is.  NULL: the request did not come from a dialog of
 * this host.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_call_get_dialog_id(const mcphost_provider_call *call);

/*
 * mcphost_provider_call_answer - answer with a whole result.
 *
 * `json` is an object of `len` bytes, which is copied: MCP's CallToolResult,
 * ReadResourceResult, GetPromptResult or CompleteResult.  It is checked; that of a tool
 * with an output schema against that schema, too.
 *
 * Returns 0, MCPHOST_E_INVALID (the result is wrong: the call stays open),
 * MCPHOST_E_STATE (it was answered, or is over), MCPHOST_E_LIMIT (more than 32 MiB),
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_call_answer(mcphost_provider_call *call, const char *json, size_t len,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_call_answer_text - answer with one text.
 *
 * `text` is UTF-8 of `len` bytes: a text item of a tool, the contents of a resource, or a
 * prompt's one message, of the user.  `is_error` is of tools: the text says what went
 * wrong, for the model.
 *
 * Returns 0, MCPHOST_E_INVALID (not UTF-8; a completion; a tool that has an output
 * schema, unless `is_error`), MCPHOST_E_STATE, MCPHOST_E_LIMIT, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_call_answer_text(mcphost_provider_call *call,
                                                  const char *text, size_t len,
                                                  int is_error);

/*
 * mcphost_provider_call_fail - answer with an error of JSON-RPC.
 *
 * `code` is the error's, such as -32602 for wrong parameters; `message` is UTF-8; `data`
 * is a JSON value of `len` bytes, NULL: none.  The caller's call fails with
 * MCPHOST_E_RPC.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE, MCPHOST_E_LIMIT (more than 64 KiB),
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_call_fail(mcphost_provider_call *call, int64_t code,
                                           const char *message,
                                           MCPHOST_NULLABLE const char *data, size_t len);

/*
 * mcphost_provider_call_report - report progress.
 *
 * `total` NaN: not known.  `text` is UTF-8 of `len` bytes; NULL: none.  A report that
 * was not told yet is replaced by the next.
 *
 * Returns 0 (also if nobody wants to know), MCPHOST_E_INVALID, MCPHOST_E_STATE,
 * MCPHOST_E_LIMIT (more than 64 KiB), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_call_report(mcphost_provider_call *call, double progress,
                                             double total,
                                             MCPHOST_NULLABLE const char *text,
                                             size_t len);

/* Whether the answer is not wanted any more: the call was cancelled, ran out of time, or
 * lost its caller.  Since: 0.1 */
MCPHOST_API int mcphost_provider_call_is_cancelled(const mcphost_provider_call *call);

/*
 * mcphost_unwanted_fn - the answer is not wanted any more.
 *
 * Runs from dispatch, at most once.
 * Since: 0.1
 */
typedef void (*mcphost_unwanted_fn)(mcphost_provider_call *call,
                                    MCPHOST_NULLABLE void *arg);

/*
 * mcphost_provider_call_set_cancelled - hear of it.
 *
 * One function a call; a second one takes the place of the first.  Takes over `arg` if it
 * returns 0: `free_arg` (may be NULL) runs once, after `fn`; if `fn` does not
 * run, when the call is freed.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (the call was answered or is over),
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_call_set_cancelled(mcphost_provider_call *call, mcphost_unwanted_fn fn,
                                    MCPHOST_NULLABLE void *arg,
                                    MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_provider_call_ask - ask the client side in the course of a call.
 *
 * `kind` is MCPHOST_REQUEST_FORM, URL, SAMPLING or ROOTS; `params` an object of `len`
 * bytes, as MCP has it for the method (NULL: none).  As
 * mcphost_provider_request_sampling(), which is this function for SAMPLING.
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
