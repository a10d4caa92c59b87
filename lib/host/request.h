/* SPDX-License-Identifier: MIT
 *
 * request.h - requests of servers to the application, and credentials.
 */
#ifndef MCPH_HOST_REQUEST_H
#define MCPH_HOST_REQUEST_H

#include "auth/auth.h"
#include "client/client.h"
#include "loop/loop.h"
#include "workspace/workspace.h"

#include <mcphost/mcphost.h>

/* ---- requests of servers (request.c) ----------------------------------------------- */

struct mcphost_request {
    struct mcph_refs users; /* references of the application, of undelivered events, and
                             * of the delivery to the sampler */
    struct mcph_refs refs;  /* all references, including `users` */
    mcphost *host;          /* a reference to the host's memory */
    int kind;
    struct mcphost_source *source;         /* a reference */
    char *server, *dialog, *message, *url; /* `server` is never NULL; `dialog`,
                                            * `message` and `url` may be NULL */
    mcphost_call *call;                    /* a reference, or NULL */
    struct mcph_frame *frame;
    struct mcph_span params, schema;   /* in `frame` */
    unsigned depth;                    /* the number of sampling requests around this
                                        * sampling request */
    struct mcph_oauth_awaited awaited; /* for a login: the values that an answer must
                                        * match; the request owns the texts */
    struct mcph_kept kept;             /* texts that the application asked for */
    char *defaults;
    size_t defaults_len;
    bool sampled; /* the sampler has the request; dispatcher only */
    /* The members from `settled` to `code` are guarded by the lock. */
    bool settled; /* the request was answered, or needs no answer any more */
    char *answer; /* the answer, of `answer_len` bytes; NULL after a refusal with
                   * `code` and `why` */
    size_t answer_len;
    char *why;    /* the reason of a refusal, or the granted scope of credentials; or
                   * NULL */
    int64_t code; /* the JSON-RPC code of a refusal, or the ms for which credentials
                   * are valid */
    struct mcph_job job;

    /* The members below are used by the dispatcher only.  At most one of `question`,
     * `ask` and `asked` is not NULL. */
    struct mcph_client_question *question; /* the question of a server's client */
    struct mcph_ask *ask;                  /* the question of the keeper of credentials */
    struct mcph_ask_out *asked;            /* the question of a provider */
    struct mcph_timer timer;               /* gives up the question of a provider */
    struct mcph_list link;                 /* in host->requests while `question`, `ask`
                                            * or `asked` is not NULL */
};

/* mcph_request_ask() turns a server's question into a request for the application.
 * mcph_request_over() ends the request when the question needs no answer any more.  Only
 * the dispatcher may call these functions. */
void mcph_request_ask(struct mcph_instance *inst, struct mcph_client_question *question,
                      mcphost *host);
void mcph_request_over(struct mcph_client_question *question, const char *why);
/* Work like mcph_request_ask() and mcph_request_over(), for a question of the provider
 * that carries out the call.  mcph_carrying_answer() gets the answer. */
void mcph_request_ask_for(mcphost_call *call, struct mcph_ask_out *asked);
void mcph_request_forget(struct mcph_ask_out *asked);
/* Sets the host's sampler as mcphost_set_sampler() does, but on failure the caller keeps
 * `arg` (sampler.c). */
int mcph_sampler_set(mcphost *host, mcphost_sampler_fn fn, void *arg,
                     mcphost_free_fn free_arg);
/* Sets the sampler for a plugin, unless the host has a sampler already.  `provider` has
 * the kind SAMPLING.  Returns 0, MCPHOST_E_EXISTS, MCPHOST_E_STATE, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  On failure the caller keeps `arg`. */
int mcph_sampler_lend(mcphost *host, mcphost_provider *provider, mcphost_sampler_fn fn,
                      void *arg, mcphost_free_fn free_arg, mcphost_error **reterr);
/* Removes the sampler that the plugin of `provider` has set.  Call this function when the
 * plugin ends.  Changes nothing if another plugin, or the application, has set the
 * present sampler.  Only the dispatcher may call this function. */
void mcph_sampler_return(mcphost *host, const mcphost_provider *provider);
/* Passes the request to the sampler.  Returns true if the sampler takes the request.  In
 * that case, no event is emitted for the request.  Only the dispatcher may call this
 * function. */
bool mcph_sampler_take(mcphost_request *request);
/* Take and drop a reference of the application.  `request` may be NULL.  Any thread may
 * call these functions. */
void mcph_request_get_user(mcphost_request *request);
void mcph_request_put_user(mcphost_request *request);
int mcph_request_check(const mcphost_request *request, const char *json, size_t len,
                       mcphost_error **reterr);
int mcph_request_respond(mcphost_request *request, const char *json, size_t len,
                         mcphost_error **reterr);
int mcph_request_reject(mcphost_request *request, int how, const char *message);
bool mcph_request_is_open(mcphost_request *request);
/* Drops the open requests when the host ends.  Call this after the pool is freed. */
void mcph_requests_done(mcphost *host);
/* Functions for requests of all kinds.  mcph_request_new() makes a request, or returns
 * NULL if memory is short.  mcph_request_tell() links the request, passes it to the
 * sampler or to the application, and drops the caller's user reference. */
mcphost_request *mcph_request_new(mcphost *host, int kind, struct mcphost_source *source,
                                  const char *server);
void mcph_request_tell(mcphost_request *request);
/* Ends a request that needs no answer any more, and drops the reference that its question
 * holds. */
void mcph_request_end(mcphost_request *request, const char *why);
/* Reads an answer with credentials into the form that the keeper takes (credential.c).
 * `lines` gets the headers.  *ret_good_ms gets the ms for which the headers are valid, or
 * -1 if the answer names no time.  *ret_scope gets the granted scope. */
int mcph_credential_read(struct mcph_span json, struct mcph_buf *lines,
                         int64_t *ret_good_ms, char **ret_scope, mcphost_error **reterr);
extern const struct mcph_keeper_events mcph_credential_events;
/* Copies the values that an answer to a login must match into the request
 * (authorize.c).  `awaited` may be NULL.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_authorize_keep(mcphost_request *request,
                        const struct mcph_oauth_awaited *awaited);
void mcph_authorize_done(mcphost_request *request);
/* Reads an answer to MCPHOST_REQUEST_AUTHORIZE, and appends the text that the user
 * pasted. */
int mcph_authorize_read(const mcphost_request *request, struct mcph_span json,
                        struct mcph_buf *text, mcphost_error **reterr);
/* Set and drop the credentials of a server.  mcph_credential_set() has the arguments of
 * mcphost_set_credential().  Any thread may call these functions. */
int mcph_credential_set(mcphost *host, const char *server, const char *origin,
                        const char *name, const char *value, mcphost_error **reterr);
int mcph_credential_drop(mcphost *host, const char *server);
int mcph_roots_post(mcphost *host);
void mcph_roots_run(struct mcph_job *job);

#endif
