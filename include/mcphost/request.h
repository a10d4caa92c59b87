/* SPDX-License-Identifier: MIT
 *
 * request.h - what servers ask of the application in the course of a call.
 *
 * A server may want its user to fill in a form or to open a page, a text from the
 * application's model, or the directories that it may work in.  MCPHOST_OPT_REQUESTS says
 * which of these the application answers; the others are not offered to servers.  A
 * request comes as MCPHOST_EVENT_REQUEST and may be answered later, from any thread;
 * until then the call waits and its deadline stands still.
 */
#ifndef MCPHOST_REQUEST_H
#define MCPHOST_REQUEST_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of requests, and the bits of MCPHOST_OPT_REQUESTS.  Since: 0.1 */
enum mcphost_request_kind {
    MCPHOST_REQUEST_FORM = 1,     /* elicitation: message, schema; wants an object */
    MCPHOST_REQUEST_URL = 2,      /* elicitation: message, url; wants consent to open it.
                               * Also of a call that a server refuses until its user
                               * has been there, and that is sent again afterwards */
    MCPHOST_REQUEST_SAMPLING = 4, /* params: messages, maxTokens, ...; wants a message of
                                   * the model */
    MCPHOST_REQUEST_ROOTS = 8,    /* wants the list of roots */
    /* In MCPHOST_OPT_REQUESTS only, with SAMPLING: the model may be given tools. */
    MCPHOST_REQUEST_SAMPLING_TOOLS = 16,
    /* A server at a URL refuses requests without credentials, or those that it got:
     * message, url; wants headers.  No dialog, no call: one answer serves all. */
    MCPHOST_REQUEST_CREDENTIALS = 32
};

/* How a request is rejected.  Since: 0.1 */
enum mcphost_rejection {
    MCPHOST_REJECT_DECLINE = 1, /* the user said no */
    MCPHOST_REJECT_CANCEL = 2,  /* the user went away without an answer */
    MCPHOST_REJECT_ERROR = 3    /* it cannot be answered */
};

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_request *
mcphost_request_ref(MCPHOST_NULLABLE mcphost_request *request);

/*
 * mcphost_request_unref - drop a reference.
 *
 * Dropping the last reference to a request that is not answered rejects it with
 * MCPHOST_REJECT_ERROR.  Returns NULL; NULL is allowed.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_NULLABLE mcphost_request *
mcphost_request_unref(MCPHOST_NULLABLE mcphost_request *request);

/* MCPHOST_REQUEST_*.  Since: 0.1 */
MCPHOST_API int mcphost_request_get_kind(const mcphost_request *request);

/* The id of the source of the server that asks; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_source_id(const mcphost_request *request);

/* Which server asks.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_server_id(const mcphost_request *request);

/* The id of the dialog it concerns; NULL: not known, as a server that several dialogs
 * share did not say.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_dialog_id(const mcphost_request *request);

/* The call in whose course the server asks, borrowed; NULL: the server did not say.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_call *
mcphost_request_get_call(const mcphost_request *request);

/* For elicitation, the server's text to the user; for credentials, what the server wants
 * to see; else NULL.  Not to be trusted.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_message(const mcphost_request *request);

/* For MCPHOST_REQUEST_URL the page to open: https, or http to this machine, and without
 * a user in front of the host, which would look like another host.  Show it whole, and
 * open it only with the user's consent.  For MCPHOST_REQUEST_CREDENTIALS the server's own
 * URL without its query.  Else NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_url(const mcphost_request *request);

/*
 * mcphost_request_get_schema, mcphost_request_get_defaults - the form.
 *
 * The requested JSON Schema: an object of strings, numbers, booleans and choices.
 * The defaults are an object with those of its fields that have one.  NULL for other
 * kinds.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_schema(const mcphost_request *request,
                           MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_defaults(const mcphost_request *request,
                             MCPHOST_NULLABLE size_t *ret_len);

/* All that the server sent, as JSON; NULL when it sent nothing.  For credentials an
 * object with origin, challenges (the values of WWW-Authenticate) and, as far as known,
 * status, scheme, realm, scope, grantedScope, wantedScope (scope, and all that was
 * granted or asked for before), error, errorDescription and resourceMetadata.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_params(const mcphost_request *request,
                           MCPHOST_NULLABLE size_t *ret_len);

/* Whether it still waits for an answer.  Since: 0.1 */
MCPHOST_API int mcphost_request_is_open(const mcphost_request *request);

/*
 * mcphost_request_respond - answer it.
 *
 * `json` has `len` bytes; NULL: none.  By kind of request it is
 *
 *     FORM         an object of the form's fields; those left out take their defaults
 *     URL          none
 *     SAMPLING     the model's result, an object with role, content and model:
 *                  mcphost_sampling_make_result()
 *     ROOTS        an array of roots, each with a file:// uri
 *     CREDENTIALS  {"headers": {NAME: VALUE, ...}, "expiresInMs": N, "scope": TEXT};
 *                  expiresInMs may be left out, and scope, if it is wantedScope
 *
 * It is checked now, and sent from dispatch.
 *
 * Returns 0, MCPHOST_E_INVALID (also an answer that does not fit: the error says
 * which field, and the request stays open), MCPHOST_E_STATE (answered, or over),
 * MCPHOST_E_FORKED, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_request_respond(mcphost_request *request, MCPHOST_NULLABLE const char *json,
                        size_t len,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_request_check - check an answer without giving it.
 *
 * As mcphost_request_respond() checks it, but fields of a form may be missing, also
 * required ones.  So an application can check each field as soon as the user has filled
 * it in: an object with that field alone.
 *
 * Returns 0, MCPHOST_E_INVALID with what does not fit, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM;
 * it does not matter whether the request is still open.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_request_check(const mcphost_request *request, MCPHOST_NULLABLE const char *json,
                      size_t len, MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_request_reject - refuse to answer it.
 *
 * `how` is one of MCPHOST_REJECT_*.  DECLINE and CANCEL are answers to elicitation.
 * Where the protocol has no such answer, the server gets an error, or the call ends
 * with MCPHOST_E_DENIED.  `message` (may be NULL) says why, to the server.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (answered, or over),
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_request_reject(mcphost_request *request, int how,
                                       MCPHOST_NULLABLE const char *message);

/*
 * mcphost_sampler_fn - answers a request for sampling.
 *
 * Runs from dispatch.  `request` is borrowed; the function answers it with
 * mcphost_request_respond() or mcphost_request_reject(), at once, or later from any
 * thread if it keeps a reference.  A request that nobody answers is refused.
 * Since: 0.1
 */
typedef void (*mcphost_sampler_fn)(mcphost_request *request, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_sampler - have one function answer all requests for sampling.
 *
 * In place of MCPHOST_EVENT_REQUEST, which tells of the other kinds alone then; NULL: it
 * tells of all again.  Sets MCPHOST_REQUEST_SAMPLING in MCPHOST_OPT_REQUESTS, so the
 * first one is set before the load, unless the option has that bit.  The limits of
 * MCPHOST_OPT_SAMPLING_OPEN, _RATE and _DEPTH hold.  A provider of this host that asks
 * (mcphost_provider_request_sampling()) is answered by the same function, and a warning
 * in the log says so, for it is not the usual way.  Takes over `arg` whatever it returns:
 * `free_arg` (may be NULL) runs once, after the function's last call, or before this
 * returns if it fails.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (the load was before, and servers were
 * told that nobody samples), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM. Since:
 * 0.1
 */
MCPHOST_API int mcphost_set_sampler(mcphost *host, MCPHOST_NULLABLE mcphost_sampler_fn fn,
                                    MCPHOST_NULLABLE void *arg,
                                    MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_roots_changed - tell servers that the roots are others now.
 *
 * Those that want to know ask again.  Without MCPHOST_REQUEST_ROOTS nothing happens.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_roots_changed(mcphost *host);

#ifdef __cplusplus
}
#endif
#endif
