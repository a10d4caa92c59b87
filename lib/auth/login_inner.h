/* SPDX-License-Identifier: MIT
 *
 * login_inner.h - the types and functions that the files of a login share.
 *
 *   discover -> look up -> refresh ------------------------.
 *                  |  `-> ask the user -> redeem the code --+-> write -> done
 *                  `----> request without a user ----------'
 *
 * A revocation is a login with other steps: find the issuer -> revoke -> done.
 *
 * A login is a row of steps.  A step that must wait names the step that follows it
 * (`next`), and returns.  Each step either starts the next step, fails the login, or
 * waits.
 */
#ifndef MCPH_AUTH_LOGIN_INNER_H
#define MCPH_AUTH_LOGIN_INNER_H

#include <stdlib.h>
#include <string.h>

#include "auth/key.h"
#include "auth/login.h"
#include "door/door.h"
#include "json/json.h"

/* ---- records (login_record.c) ------------------------------------------------------ */

/* The tokens that a store keeps.  `access`, `refresh`, `client.secret` and `dpop_key` are
 * secrets. */
struct mcph_login_record {
    char *access, *refresh;
    char *scope;
    int64_t expires_at;              /* seconds since 1970; -1 if unknown */
    struct mcph_oauth_client client; /* the registered client; if none, its id is NULL */
    char *dpop_key;                  /* PEM, or NULL */
    char *reason; /* why the issuer refused the last refresh token, or NULL; a record with
                   * a reason has no tokens, but may have a client */
};

/* Reads a record.  Returns 0, MCPHOST_E_PROTOCOL or MCPHOST_E_LIMIT if the record is
 * damaged, or MCPHOST_E_NOMEM. */
int mcph_login_record_read(const char *text, size_t len, struct mcph_login_record *ret,
                           mcphost_error **reterr);
/* Appends the record as a JSON object.  The caller wipes the buffer.  The buffer must be
 * large enough before the call, because a buffer that grows leaves copies of the tokens
 * behind. */
int mcph_login_record_add(const struct mcph_login_record *record, struct mcph_buf *buf);
void mcph_login_record_done(struct mcph_login_record *record); /* wipes the record */

/* ---- the login --------------------------------------------------------------------- */

#define MCPH_LOGIN_CLAIM_MS 60000 /* limit on the wait for another process's refresh */
#define MCPH_LOGIN_POLL_MS  100   /* the pause before the next attempt to use the store */

/* The reason that ends a question after the user has logged in. */
#define MCPH_LOGIN_ANSWERED "the user has logged in"

typedef void (*mcph_login_step)(struct mcph_login *login);

struct mcph_login {
    struct mcph_login_means means;
    const struct mcph_login_way *way; /* the caller's way; in a revocation, &held */
    const struct mcph_login_events *events;
    void *arg;
    char *url;
    bool revokes;               /* the login is a revocation (login_revoke.c) */
    struct mcph_login_way held; /* in a revocation: a copy of the caller's way; lacks the
                                 * client if the record has another client */
    struct mcph_oauth_server server;
    struct {
        int status;
        char *hint, *scope, *held, *refused;
        bool wants_dpop, lacks_scope, is_old_hint;
    } cause;

    mcph_login_step next; /* the step after the present wait */
    struct mcph_job job;  /* runs `next` */
    struct mcph_timer timer;
    int64_t deadline;   /* when the wait for a claim, the question or the revocation
                         * ends */
    int64_t busy_until; /* when the wait for a busy store ends; 0 if it is not busy */
    mcphost_error *error;
    bool is_unmasked; /* a secret is not in the mask, because memory was short; the login
                       * must not send a secret any more */

    /* The present or last request (login_fetch.c). */
    struct {
        struct mcph_net_request *request;
        struct mcph_net_site site;
        char *url;
        const char *step; /* the name of the request in messages */
        struct mcph_buf body;
        int status; /* 0 if the request failed or ended with a redirect */
        bool is_post;
        bool is_moved;   /* the server answered with a redirect that is not followed */
        char *nonce;     /* the last DPoP nonce; may come from an earlier request */
        char *nonce_url; /* the URL that gave `nonce` */
        int64_t retry_s; /* Retry-After in seconds; 0 if absent */
        int64_t skew_s;  /* how far the server's clock is ahead; 0 if unknown */
        mcphost_error *error; /* why the request failed */
    } fetch;

    /* Discovery (login_discover.c). */
    struct mcph_oauth_places places;
    size_t place;
    bool is_legacy;  /* no issuer is named or configured (MCP 2025-03-26) */
    bool is_guessed; /* the issuer has no metadata: use default endpoints */
    struct mcph_oauth_resource resource;
    struct mcph_oauth_issuer issuer;
    mcphost_error *fault; /* the error to report if no place has a good document */

    /* The store (login_store.c). */
    struct mcph_store_key key;
    struct mcph_login_record record; /* the record that was read; empty if none */
    char version[MCPH_DIGEST_HEX];   /* version of `record`; "" if there is no record */
    unsigned conflicts;              /* number of writes that failed with a conflict */
    const struct mcph_store_key *claim_key;
    struct mcph_token_claim *claim; /* held during a refresh or a question */
    mcph_login_step then;           /* the step after a read or a claim */
    char
        *pinned; /* the issuer that an earlier login used with the same client, or NULL */

    /* The token request (login_token.c). */
    int grant;
    struct mcph_login_record made; /* the record to be written */
    struct mcph_keypair *dpop, *signer;
    bool has_repeated; /* the request was repeated with a nonce */
    bool has_retried;  /* the request was repeated after a fault */
    char *scope;       /* the requested scopes, or NULL */
    char *code;
    char *jag; /* the ID-JAG, an assertion that an identity provider gave */

    /* The question (login_ask.c). */
    struct mcph_door *door;
    struct mcph_pkce pkce;
    char state[MCPH_TOKEN_SIZE];
    char *redirect_uri;
    struct mcph_oauth_client client; /* newly registered, or a copy of record.client */
    bool is_reused;                  /* `client` was registered for an earlier login */
    struct mcph_oauth_device device;
    int64_t interval_s;
    mcph_login_step after_client; /* the step after a client is registered or reused */
    struct mcph_store_key question_key;
    char asked_at[MCPH_DIGEST_HEX]; /* the version of the record before the claim */
    struct mcph_login_question question;
    bool is_taken;    /* the redirect has come, or was pasted */
    bool is_answered; /* the browser has got its page, or the redirect was pasted */
    int64_t taken_at; /* when the redirect came */
    bool is_open;     /* the question is open */
};

/* Returns the text number `text` (MCPH_WAY_*) of the login's way, or NULL. */
static inline const char *
mcph_login_text(const struct mcph_login *login, int text)
{
    return login->way->texts[text];
}

/* ---- waits and ends (login.c, login_store.c) --------------------------------------- */

/* Runs a step from the loop, after the caller has returned to the loop. */
void mcph_login_continue(struct mcph_login *login, mcph_login_step next);
/* Runs a step after `ms`. */
void mcph_login_wait(struct mcph_login *login, int64_t ms, mcph_login_step next);
/* Ends the login with `error`, and takes over `error`.  NULL means MCPHOST_E_NOMEM. */
void mcph_login_fail(struct mcph_login *login, mcphost_error *error);
/* Frees the question, so that another question can begin. */
void mcph_login_reset_question(struct mcph_login *login);
/* Returns true, and runs `next` later, if the redirect has come, the browser has not got
 * its page yet, and less than a second has passed since the redirect. */
bool mcph_login_lingers(struct mcph_login *login, mcph_login_step next);
/* Releases the claim, if there is one. */
void mcph_login_release(struct mcph_login *login);
/* Ends the login with the token of this record. */
void mcph_login_finish(struct mcph_login *login, const struct mcph_login_record *record);
/* Logs a message about this login. */
void mcph_login_say(struct mcph_login *login, int level, mcphost_error *error);
/* Returns the advice for a failure that may be temporary.  For a revocation, returns
 * the advice to end the login at the authorization server's page, because a logout
 * cannot be repeated.  For any other login, returns `advice`. */
const char *mcph_login_advice(const struct mcph_login *login, const char *advice);
/* Adds a secret to the mask.  If memory is short, the login fails before its next request
 * or question, because a server may repeat a secret that it gets. */
void mcph_login_hide(struct mcph_login *login, const char *secret);

/* ---- requests (login_fetch.c) ------------------------------------------------------ */

struct mcph_login_request {
    const char *step, *url;
    struct mcph_buf *body;     /* the request takes over the bytes; NULL for a GET */
    const char *type;          /* the body's content type */
    const char *authorization; /* a header value, a secret; or NULL */
    const char *dpop;          /* a proof, a secret; or NULL */
};

/* Starts a request, and runs `next` when it has ended.  Fails the login only if memory is
 * short, the URL is refused, or libcurl does not start. */
void mcph_login_fetch(struct mcph_login *login, const struct mcph_login_request *request,
                      mcph_login_step next);
/* Makes the error of a request that failed or ended with a redirect.  Returns 0 if the
 * server has answered. */
int mcph_login_fetch_check(struct mcph_login *login, mcphost_error **reterr);
void mcph_login_fetch_done(struct mcph_login *login);

/* ---- the steps --------------------------------------------------------------------- */

void mcph_login_discover(struct mcph_login *login);    /* finds resource and issuer */
void mcph_login_find_issuer(struct mcph_login *login); /* finds metadata of key.issuer */
/* Checks that the issuer may get the configured client secret, reads the record, and runs
 * mcph_login_decide(). */
void mcph_login_look_up(struct mcph_login *login);
/* Stores in *ret the scopes that mcph_oauth_select_scopes() selects, or NULL if it
 * selects none.  The caller frees the text. */
int mcph_login_join_scopes(const struct mcph_oauth_scoping *scoping, char **ret,
                           mcphost_error **reterr);
/* Decides by the record that was read: takes its token, refreshes its token, asks as
 * mcph_login_ask() does, or fails the login. */
void mcph_login_decide(struct mcph_login *login);
/* Returns the client, borrowed: the configured client, the client's metadata document, or
 * the client that the issuer has registered. */
struct mcph_oauth_client mcph_login_get_client(const struct mcph_login *login);
/* Requests a token with the grant `login->grant`. */
void mcph_login_redeem(struct mcph_login *login);
/* Requests the revocation of the record's refresh token, else of its access token, and
 * runs `next` with the answer. */
void mcph_login_request_revocation(struct mcph_login *login, mcph_login_step next);
/* Continues the revocation, after the issuer was found. */
void mcph_login_revoke(struct mcph_login *login);
/* Requests a device code, and runs `next` with the answer. */
void mcph_login_request_device(struct mcph_login *login, mcph_login_step next);
/* Waits before the next request with the device code. */
void mcph_login_poll_device(struct mcph_login *login,
                            const struct mcph_oauth_refusal *refusal);
/* Checks that an access token is for this resource, if the token is a JWT that names its
 * audience.  Returns 0, MCPHOST_E_DENIED or MCPHOST_E_NOMEM. */
int mcph_login_check_audience(const struct mcph_login *login, const char *access,
                              mcphost_error **reterr);
/* Checks that a configured assertion may be sent to the issuer: the issuer is configured,
 * or the assertion is a JWT whose audience is the issuer or its token endpoint.  Without
 * this check, the MCP server could name another issuer, which gets the assertion.  Does
 * nothing if the flow sends no configured assertion to the issuer.  Returns 0,
 * MCPHOST_E_DENIED, MCPHOST_E_CONFIG if neither an issuer nor an assertion is configured,
 * or MCPHOST_E_NOMEM. */
int mcph_login_check_assertion(const struct mcph_login *login, mcphost_error **reterr);
/* Asks the user.  If the flow needs no user, requests a token instead. */
void mcph_login_ask(struct mcph_login *login);
/* Asks the user once more, with a new registration, because the issuer does not accept
 * the client that was registered for an earlier login.  Then takes over the issuer's
 * `error`, and returns true.  Returns false and does nothing if `why` is not
 * MCPH_OAUTH_WHY_CLIENT, or if the client was not registered for an earlier login. */
bool mcph_login_ask_again(struct mcph_login *login, int why, mcphost_error *error);
/* Marks the record's client as doubted, and runs `after_client`.  If the question leads
 * to a token, the new record has the client without the mark.  Otherwise the next login
 * registers a client: an issuer shows an error page for a client that it has forgotten,
 * and the login cannot see this page. */
void mcph_login_doubt(struct mcph_login *login);
/* Writes `login->made` to the store, and finishes, even if the store cannot keep the
 * record.  Fails the login if the record was removed during a refresh. */
void mcph_login_write(struct mcph_login *login);
/* Replaces the tokens by the reason of the refusal, which `login->made` has, and looks
 * the record up again.  If another process has written the record since it was read,
 * keeps the new record.  If the store cannot be written, asks the user. */
void mcph_login_forget(struct mcph_login *login);
/* Claims `claim_key`, and runs `next` when the claim is made.  If the store cannot make
 * the claim, runs `next` without a claim.  Fails the login if memory is short, or if
 * another process holds the claim for longer than `ms`; -1 keeps the limit of an earlier
 * attempt. */
void mcph_login_claim(struct mcph_login *login, int64_t ms, mcph_login_step next);
/* Returns true if `r` is MCPHOST_E_BUSY and the store has been busy for less than five
 * seconds.  In this case, takes over `error`, and runs `again` later. */
bool mcph_login_is_busy(struct mcph_login *login, int r, mcphost_error *error,
                        mcph_login_step again);
/* Reads the record, and runs `next`. */
void mcph_login_read(struct mcph_login *login, mcph_login_step next);
/* Returns true if the flow needs no user. */
bool mcph_login_is_alone(const struct mcph_login *login);
/* Ends the question, if it is open. */
void mcph_login_close_question(struct mcph_login *login, const char *why);

#endif
