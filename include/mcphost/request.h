/* SPDX-License-Identifier: MIT
 *
 * request.h - requests of servers that the application answers.
 *
 * While a server carries out a call, it may need the help of the application.  It may ask
 * for a form that the user fills in, or for the user's consent to open a page.  It may
 * also ask for a text of the application's model, or for the directories that the server
 * may work in.  A server at a URL may need credentials.  MCPHOST_OPT_REQUESTS says which
 * kinds of requests the application answers.  The host does not offer the remaining kinds
 * to servers.
 *
 * MCPHOST_EVENT_REQUEST delivers a request.  The application answers the request at once,
 * or later from any thread.  Until the answer, the call waits.  The timeout of the call
 * does not run during this wait.
 *
 * Trust no text of a request: the server wrote it.  Any thread may call these functions.
 */
#ifndef MCPHOST_REQUEST_H
#define MCPHOST_REQUEST_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of requests.  MCPHOST_OPT_REQUESTS is the sum of some of these constants.  The
 * words in parentheses name the getters that give a value for the kind:
 * mcphost_request_get_message(), mcphost_request_get_schema(), mcphost_request_get_url()
 * and mcphost_request_get_params().  Since: 0.1 */
enum mcphost_request_kind {
    /* elicitation: the user fills in a form (message, schema).  The answer is an
     * object. */
    MCPHOST_REQUEST_FORM = 1,
    /* elicitation: the user opens a page (message, url).  The answer is consent.  A
     * server may also refuse a call until the user has opened a page.  After the consent,
     * the host sends this call again. */
    MCPHOST_REQUEST_URL = 2,
    /* the application's model continues a conversation (params: messages, maxTokens and
     * more).  The answer is a message of the model. */
    MCPHOST_REQUEST_SAMPLING = 4,
    /* the server asks which directories it may work in.  The answer is a list of
     * roots. */
    MCPHOST_REQUEST_ROOTS = 8,
    /* a flag for MCPHOST_OPT_REQUESTS; no request has this kind.  Together with
     * MCPHOST_REQUEST_SAMPLING, the flag allows servers to offer tools to the model. */
    MCPHOST_REQUEST_SAMPLING_TOOLS = 16,
    /* a server at a URL refuses requests without credentials, or with the credentials
     * that it got (message, url, params).  The answer is headers.  The request belongs to
     * no dialog and no call.  The answer serves all dialogs and calls. */
    MCPHOST_REQUEST_CREDENTIALS = 32,
    /* a server at a URL needs a login by OAuth (message, url, params).  The user opens
     * the page.  The request ends by itself when the user has logged in.  An answer is
     * needed only if the browser cannot reach this machine.  The library opens no page.
     * Since: 0.3 */
    MCPHOST_REQUEST_AUTHORIZE = 64
};

/* Ways to reject a request.  Since: 0.1 */
enum mcphost_rejection {
    MCPHOST_REJECT_DECLINE = 1, /* the user said no */
    MCPHOST_REJECT_CANCEL = 2,  /* the user left without an answer */
    MCPHOST_REJECT_ERROR = 3    /* the request cannot be answered */
};

/* Takes a reference to `request`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_request *
mcphost_request_ref(MCPHOST_NULLABLE mcphost_request *request);

/*
 * mcphost_request_unref - drop a reference.
 *
 * If the last reference to a request without an answer is dropped, the request is
 * rejected with MCPHOST_REJECT_ERROR.  A MCPHOST_REQUEST_AUTHORIZE stays open, because
 * the user may log in without an answer of the application.
 *
 * Returns: NULL.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_NULLABLE mcphost_request *
mcphost_request_unref(MCPHOST_NULLABLE mcphost_request *request);

/* Returns the kind of the request, MCPHOST_REQUEST_*.  Since: 0.1 */
MCPHOST_API int mcphost_request_get_kind(const mcphost_request *request);

/* Returns the id of the source of the server that asks, or NULL for the default source.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_source_id(const mcphost_request *request);

/* Returns the id of the server that asks.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_server_id(const mcphost_request *request);

/* Returns the id of the dialog that the request belongs to, or NULL if the request
 * belongs to no dialog or the dialog is not known.  A server that several dialogs share
 * does not always name the dialog.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_dialog_id(const mcphost_request *request);

/* Returns the call that the request belongs to, or NULL if the request belongs to no call
 * or the call is not known.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_call *
mcphost_request_get_call(const mcphost_request *request);

/*
 * mcphost_request_get_message - get a text for the user.
 *
 * For elicitation, the server wrote the text.  For MCPHOST_REQUEST_CREDENTIALS, the text
 * says which credentials the server wants.  For MCPHOST_REQUEST_AUTHORIZE, the text tells
 * the user how to log in.
 *
 * Returns: the text for the user, or NULL for a kind of request without a text for the
 *   user.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_message(const mcphost_request *request);

/*
 * mcphost_request_get_url - get the page to open, or the server's URL.
 *
 * For MCPHOST_REQUEST_URL, the URL is the page: an https URL, or an http URL of this
 * machine.  The URL has no user name in front of the host, because a user name can look
 * like a host.  Show the whole URL, and open it only with the user's consent.
 *
 * For MCPHOST_REQUEST_CREDENTIALS, the URL is the server's own URL without the query.
 *
 * For MCPHOST_REQUEST_AUTHORIZE, the URL is the page on which the user logs in.  The URL
 * has a secret in its query: show it to the user, but do not log it.
 *
 * Returns: the URL, or NULL for a kind of request without a URL.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_url(const mcphost_request *request);

/*
 * mcphost_request_get_schema, mcphost_request_get_defaults - get the form of a
 * MCPHOST_REQUEST_FORM.
 *
 * The form is a JSON Schema of an object.  Its properties are strings, numbers, booleans
 * and choices.  The defaults are an object with the properties that have a default.
 *
 * Returns: the schema or the defaults, a JSON object, or NULL if the request is not for a
 *   form.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_schema(const mcphost_request *request,
                           MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_defaults(const mcphost_request *request,
                             MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_request_get_params - get the params of a request.
 *
 * The params are the JSON object that the server sent.  For MCPHOST_REQUEST_CREDENTIALS,
 * the host makes the object.  The object always has `origin` and `challenges`.  It has
 * the other members if they are known:
 *
 *     origin            scheme, host and port of the server
 *     challenges        an array of the values of WWW-Authenticate
 *     status            the HTTP status
 *     scheme, realm, scope, error, errorDescription, resourceMetadata
 *                       parts of the challenge
 *     grantedScope      the scopes that were granted before
 *     wantedScope       `scope`, and all scopes that were granted or asked for before
 *
 * For MCPHOST_REQUEST_AUTHORIZE, the host makes the object, too.  It always has `flow`
 * and `issuer`.  It has the other members if they are known:
 *
 *     flow              "browser" or "device"
 *     issuer            the authorization server
 *     resource          the URL that names the MCP server to the authorization server
 *     account           the configured label of the account
 *     scope             the scopes that the user grants, separated by blanks
 *     redirectUri       where the browser returns: the first part of the URL to paste
 *     userCode          the code that the user enters at the page (device)
 *     verificationUri, verificationUriComplete
 *                       the page without and with the code (device)
 *     reason            why an earlier login is no longer valid
 *     expiresInMs       how long the request stays open
 *
 * Returns: the params as a JSON object, or NULL if the server sent no params.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_params(const mcphost_request *request,
                           MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_request_get_param - get one member of the params as a text.
 *
 * The function spares the application a parser of JSON for the params that a user sees,
 * for example `userCode` of a MCPHOST_REQUEST_AUTHORIZE.
 *
 * Returns: the decoded text of a member that is a string, the JSON of a member of another
 *   type, or NULL if the params have no member `name`, the string has a NUL, or memory is
 *   short.
 * Since: 0.3
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_request_get_param(const mcphost_request *request, const char *name);

/* Returns 1 if the request waits for an answer, else 0.  Since: 0.1 */
MCPHOST_API int mcphost_request_is_open(const mcphost_request *request);

/*
 * mcphost_request_respond - answer a request.
 *
 * `json` is a text of `len` bytes, or NULL.  The kind of the request, MCPHOST_REQUEST_*,
 * decides which form `json` must have:
 *
 *     FORM         an object with properties of the form, or NULL.  Properties that are
 *                  left out get their defaults.  NULL leaves out all properties.
 *     URL          NULL; it says that the user has opened the page
 *     SAMPLING     an object with role, content and model, as
 *                  mcphost_sampling_make_result() makes it
 *     ROOTS        an array of objects with a `uri` that begins with file://
 *     CREDENTIALS  {"headers": {NAME: VALUE, ...}, "expiresInMs": N, "scope": TEXT};
 *                  expiresInMs is optional; scope is optional if it is wantedScope
 *     AUTHORIZE    {"redirect": TEXT}: the URL to which the browser was redirected, or
 *                  the code alone; not allowed for the flow "device"
 *
 * The function checks the answer.  If the answer does not fit, the request stays open.
 * The error gives the reason.  Dispatch sends the answer.
 *
 * Errors: MCPHOST_E_INVALID (the answer does not fit the request; the error says why),
 *   MCPHOST_E_STATE (the request was answered, or is over), MCPHOST_E_FORKED,
 *   MCPHOST_E_LIMIT (the answer is larger than 32 MiB or nested deeper than 512 levels,
 *   or credentials have more than 32 headers or a scope of more than 8 KiB),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_request_respond(mcphost_request *request, MCPHOST_NULLABLE const char *json,
                        size_t len,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_request_check - check an answer without sending it.
 *
 * The function makes the checks of mcphost_request_respond(), with one exception:
 * properties of a form may be missing, even required properties.  Therefore an
 * application can check each field as soon as the user has filled in the field: it passes
 * an object with this property alone.  The request need not be open.
 *
 * Errors: MCPHOST_E_INVALID (the answer does not fit the request; the error says why),
 *   MCPHOST_E_LIMIT (the answer is larger than 32 MiB or nested deeper than 512 levels,
 *   or credentials have more than 32 headers or a scope of more than 8 KiB),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_request_check(const mcphost_request *request, MCPHOST_NULLABLE const char *json,
                      size_t len, MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_request_reject - refuse to answer a request.
 *
 * `how` is MCPHOST_REJECT_*.  For a form or a page, DECLINE and CANCEL are answers that
 * the server gets.  But if the server has refused a call until the page is opened, the
 * call ends with MCPHOST_E_DENIED.
 *
 * For ERROR, and for a request for sampling or roots, the server gets a JSON-RPC error
 * with `message`.  From revision 2026-07-28 on, the protocol allows no error in place of
 * an answer.  The call then ends with MCPHOST_E_DENIED.  If credentials or a login are
 * rejected, the server gets nothing, and the requests that wait for the credentials fail
 * with MCPHOST_E_AUTH.
 *
 * Errors: MCPHOST_E_INVALID (`how` is not one of MCPHOST_REJECT_*, or the message is not
 *   UTF-8), MCPHOST_E_STATE (the request was answered, or is over), MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_request_reject(mcphost_request *request, int how,
                                       MCPHOST_NULLABLE const char *message);

/*
 * mcphost_sampler_fn - answer a sampling request.
 *
 * The function runs on the thread that dispatches, with no lock of the library held.  It
 * answers the request with mcphost_request_respond() or mcphost_request_reject().  To
 * answer later, from any thread, the function takes a reference to the request.  If the
 * function neither answers nor takes a reference, the request is rejected.
 * Since: 0.1
 */
typedef void (*mcphost_sampler_fn)(mcphost_request *request, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_sampler - set one function that answers all sampling requests.
 *
 * While a function is set, MCPHOST_EVENT_REQUEST reports neither the beginning nor the
 * end of sampling requests.  If `fn` is NULL, the function is removed.
 * MCPHOST_EVENT_REQUEST then reports sampling requests again.
 *
 * Setting a function adds the bit MCPHOST_REQUEST_SAMPLING to MCPHOST_OPT_REQUESTS.  This
 * option cannot change after the load.  Therefore set the first function before the load,
 * unless the option has the bit already.  MCPHOST_OPT_SAMPLING_OPEN,
 * MCPHOST_OPT_SAMPLING_RATE and MCPHOST_OPT_SAMPLING_DEPTH limit the requests.
 *
 * The function also answers a provider of this host that calls
 * mcphost_provider_request_sampling().  The log then has a warning, because sampling
 * requests of providers are unusual.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: after the last call of `fn`, or, if this function fails, before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the host was loaded while
 *   MCPHOST_OPT_REQUESTS did not allow sampling; servers know that the host offers no
 *   sampling), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_sampler(mcphost *host, MCPHOST_NULLABLE mcphost_sampler_fn fn,
                                    MCPHOST_NULLABLE void *arg,
                                    MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_roots_changed - report that the roots have changed.
 *
 * The host notifies the servers that speak a revision of the protocol before 2026-07-28.
 * These servers may ask for the roots again.  Later revisions do not have this
 * notification.  If MCPHOST_OPT_REQUESTS lacks MCPHOST_REQUEST_ROOTS, the function has no
 * effect.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_roots_changed(mcphost *host);

#ifdef __cplusplus
}
#endif
#endif
