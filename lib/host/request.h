/* SPDX-License-Identifier: MIT
 *
 * request.h - what servers ask the application, and credentials.
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
    struct mcph_refs users; /* the application's, and of events on their way */
    struct mcph_refs refs;  /* those and ours */
    mcphost *host;          /* its memory */
    int kind;
    struct mcphost_source *source;         /* a reference */
    char *server, *dialog, *message, *url; /* NULL: none, but `server` */
    mcphost_call *call;                    /* a reference, or NULL */
    struct mcph_frame *frame;
    struct mcph_span params, schema; /* in it */
    unsigned depth;                  /* of sampling: that of its call */
    struct mcph_kept kept;           /* those that were asked for */
    char *defaults;
    size_t defaults_len;
    bool sampled; /* the sampler was given it; the dispatcher's */
    bool settled; /* answered, or over; under the lock, and so are the next three */
    char *answer; /* a result of this length, or NULL: refused, with `code` and `why` */
    size_t answer_len;
    char *why;    /* of a refusal; of credentials: the scope that was granted, or NULL */
    int64_t code; /* of a refusal; of credentials: how long they are good */
    struct mcph_job job;

    /* the dispatcher's */
    struct mcph_client_question *question; /* NULL: it is over, or ... */
    struct mcph_ask *ask;                  /* ... one for credentials, ... */
    struct mcph_ask_out *asked;            /* ... or a provider's; NULL likewise */
    struct mcph_list link;                 /* in host->requests until then */
};

/* The dispatcher's: a server asks, or needs no answer any more. */
void mcph_request_ask(struct mcph_instance *inst, struct mcph_client_question *question,
                      mcphost *host);
void mcph_request_over(struct mcph_client_question *question, const char *why);
/* The same for a provider that carries the call out, which mcph_carrying_answer()
 * answers.  Forget: it needs no answer any more. */
void mcph_request_ask_for(mcphost_call *call, struct mcph_ask_out *asked);
void mcph_request_forget(struct mcph_ask_out *asked);
/* sampler.c.  As the public function, but on failure `arg` stays the caller's. */
int mcph_sampler_set(mcphost *host, mcphost_sampler_fn fn, void *arg,
                     mcphost_free_fn free_arg);
/* Likewise, for a plugin: takes the place of no other.  `provider` is of the kind
 * SAMPLING.  0, MCPHOST_E_EXISTS, MCPHOST_E_STATE, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM. */
int mcph_sampler_lend(mcphost *host, mcphost_provider *provider, mcphost_sampler_fn fn,
                      void *arg, mcphost_free_fn free_arg, mcphost_error **reterr);
/* The dispatcher's: the plugin ends; nothing if the sampler is not its. */
void mcph_sampler_return(mcphost *host, const mcphost_provider *provider);
/* The dispatcher's: true: the sampler is given the request, and no event tells of it. */
bool mcph_sampler_take(mcphost_request *request);
/* Any thread; NULL is fine. */
void mcph_request_get_user(mcphost_request *request);
void mcph_request_put_user(mcphost_request *request);
int mcph_request_check(const mcphost_request *request, const char *json, size_t len,
                       mcphost_error **reterr);
int mcph_request_respond(mcphost_request *request, const char *json, size_t len,
                         mcphost_error **reterr);
int mcph_request_reject(mcphost_request *request, int how, const char *message);
bool mcph_request_is_open(mcphost_request *request);
void mcph_requests_done(mcphost *host); /* their questions are gone */
/* What its kinds have in common: makes it (NULL: no memory), links it, tells of it, and
 * lets go of it. */
mcphost_request *mcph_request_new(mcphost *host, int kind, struct mcphost_source *source,
                                  const char *server);
void mcph_request_tell(mcphost_request *request);
/* It needs no answer any more: the reference of its question is dropped. */
void mcph_request_end(mcphost_request *request, const char *why);
/* credential.c: the answer of the application as the keeper takes it. */
int mcph_credential_read(struct mcph_span json, struct mcph_buf *lines,
                         int64_t *ret_good_ms, char **ret_scope, mcphost_error **reterr);
extern const struct mcph_keeper_events mcph_credential_events;
/* Any thread; arguments as of mcphost_set_credential(). */
int mcph_credential_set(mcphost *host, const char *server, const char *origin,
                        const char *name, const char *value, mcphost_error **reterr);
int mcph_credential_drop(mcphost *host, const char *server);
int mcph_roots_post(mcphost *host);
void mcph_roots_run(struct mcph_job *job);

#endif
