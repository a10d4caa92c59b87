/* SPDX-License-Identifier: MIT
 *
 * keeper_inner.h - the types and functions that the files of the keeper share.
 */
#ifndef MCPH_AUTH_KEEPER_INNER_H
#define MCPH_AUTH_KEEPER_INNER_H

#include <stdlib.h>
#include <string.h>

#include "auth/auth.h"
#include "auth/key.h"

#define LINES_MAX   (64u * 1024u)
#define TEXT_MAX    (64u * 1024u)
#define ENTRIES_MAX 256 /* limit on unused entries that are kept */
#define LINES_N     8   /* limit on the WWW-Authenticate headers that are read */
#define REFUSALS    2   /* limit on a request's refusals; one more fails the request */

struct mcph_entry {
    struct mcph_net_auth base;
    struct mcph_keeper *keeper;
    struct mcph_list link; /* in keeper->entries; the least recently used entry first */
    unsigned users;
    char *server, *url, *origin, *shown;
    struct mcph_asking *asking; /* the question or login under way, or NULL */
    struct mcph_list waiters;
    bool has_explained;     /* the token of a login was refused, and the error of the
                             * request has the reason */
    mcphost_error *refusal; /* the error for waiters that are resumed without
                             * credentials; else NULL */

    /* Logins (keeper_login.c). */
    struct mcph_login_way way;
    struct mcph_net_site site; /* the entry owns its texts */
    struct mcph_mask *mask;
    char *access;              /* the token of the last login, a secret */
    struct mcph_keypair *dpop; /* the key of the token, or NULL */
    char *nonce;               /* the server's last nonce for proofs, or NULL */
    char *metadata; /* the resource_metadata of the last challenge, for a login that
                     * begins without a challenge; or NULL */

    /* The core's lock guards the members from here on. */
    bool given;
    /* True if `lines` were dropped, and `access` must be forgotten, too. */
    bool is_dropped;
    struct mcph_buf lines;          /* the supplied headers */
    uint64_t mark;                  /* the mark of `lines`; new headers get a new mark */
    int64_t due;                    /* when `lines` expire, in ms of mcph_core_now();
                                     * INT64_MAX for never */
    int64_t early;                  /* from this time on, a login replaces `lines` */
    struct mcph_buf asked, granted; /* scopes, separated by blanks */
};

/* A question for credentials, or a login. */
struct mcph_asking {
    struct mcph_ask ask;
    struct mcph_entry *entry;
    struct mcph_timer timer;
    struct mcph_job job;      /* ends the question */
    struct mcph_login *login; /* NULL if the owner is asked for credentials */
    bool is_open;             /* the owner was asked, and has not answered */
    bool is_stale;            /* the login had other settings than the entry has now */
    bool is_abandoned;        /* the server does not need this entry any more */
    char *what, *params;      /* the refusal as a message and as a JSON object */
    struct mcph_buf wanted;   /* the scopes to ask for (want_scopes()) */
    int status;
};

struct mcph_keeper {
    struct mcph_core *core;
    const struct mcph_keeper_events *events;
    bool told_elsewhere; /* true once tell_elsewhere() has reported a header that is not
                          * sent; tell_elsewhere() then reports every attempt */
    void *arg;
    bool asks;         /* the keeper may ask the owner for credentials */
    bool asks_logins;  /* the keeper may pass the questions of logins to the owner */
    bool keeps_tokens; /* the tokens in the store outlive this host */
    int64_t ask_ms;
    int64_t fetch_ms;     /* limit on one request of a login; 0 for the default */
    struct mcph_net *net; /* borrowed */
    struct mcph_store *store;
    struct mcph_list entries;     /* guarded by the core's lock */
    struct mcph_list revocations; /* in flight (keeper_revoke.c) */
    struct mcph_fixed fixed;      /* guarded by the core's lock */
    struct mcph_job forgetting;   /* runs mcph_keeper_forget_dropped() */
    bool is_forgetting;           /* `forgetting` is posted; guarded by the core's lock */
};

/* A parsed refusal. */
struct mcph_refusal {
    int status;           /* the HTTP status; 0 if no request was refused */
    bool is_invalid;      /* the server does not accept the credential any more: 401, or
                           * 403 with the error invalid_token after a request that had
                           * a supplied credential */
    char *lines[LINES_N]; /* with secrets masked */
    size_t n;
    struct mcph_challenge challenge; /* as the server has sent it, for logins */
    struct mcph_challenge shown;     /* with secrets masked, for texts */
};

/* Ends the login of a question, because the settings of the login change.  The question
 * ends soon, and its waiters try again. */
void mcph_asking_expire(struct mcph_asking *asking);
/* Asks the owner for credentials.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_asking_open(struct mcph_asking *asking);
/* Ends a question, and resumes all waiters.  They try again with the credentials that the
 * entry has. */
void mcph_asking_drop(struct mcph_asking *asking);
/* Ends a question without credentials: all waiters fail with `error`, which the function
 * takes over.  If `error` is NULL, they fail with MCPHOST_E_NOMEM. */
void mcph_asking_fail(struct mcph_asking *asking, mcphost_error *error);

/* ---- refusals (keeper_refusal.c) --------------------------------------------------- */

/* Reads a refusal.  `had_token` says whether the request had a supplied credential.
 * Copies the header values, because a value is valid only until the next lookup.  Returns
 * 0 or MCPHOST_E_NOMEM. */
int mcph_refusal_read(const struct mcph_net_answer *answer, bool had_token,
                      struct mcph_refusal *ret);
void mcph_refusal_done(struct mcph_refusal *refusal);
/* Makes the params of a question, or returns NULL if there is no memory.  The caller
 * holds the core's lock. */
char *mcph_refusal_params(const struct mcph_asking *asking,
                          const struct mcph_refusal *refusal);
/* Makes the message of a question, or returns NULL if there is no memory. */
char *mcph_refusal_message(const struct mcph_refusal *refusal);

/* ---- logins (keeper_login.c) ------------------------------------------------------- */

/* Copies the part of the connection settings that counts for authorization servers. */
int mcph_entry_copy_site(const struct mcph_net_site *site, struct mcph_net_site *ret);
/* Returns true if this server gets its credentials by a login. */
bool mcph_entry_logs_in(const struct mcph_entry *e);
/* Returns true if a refusal asks for no credentials.  A 403 without a challenge asks for
 * none.  If the request had a supplied credential and this server has logins, a 403 asks
 * for another login only if it names a scope, says that a scope is missing, or says that
 * the token is not valid.  For any other 403, another token would not help. */
bool mcph_entry_is_denied(const struct mcph_entry *e, bool had_token,
                          const struct mcph_refusal *refusal);
/* Starts a login because of `refusal`.  The scopes to request are asking->wanted.
 * Returns 0 or MCPHOST_E_NOMEM. */
int mcph_entry_log_in(struct mcph_asking *asking, const struct mcph_refusal *refusal);
/* Appends a DPoP proof to the headers of an attempt, if the token is bound to a key. */
int mcph_entry_add_proof(struct mcph_entry *e, struct mcph_net_attempt *attempt,
                         mcphost_error **reterr);
/* Keeps the DPoP nonce of an answer.  Returns true if the server refused the attempt only
 * because the proof lacked this nonce. */
bool mcph_entry_take_nonce(struct mcph_entry *e, const struct mcph_net_answer *answer);
/* Forgets the tokens of the entries whose credentials were dropped.  Another thread may
 * drop credentials, but the tokens belong to the dispatcher. */
void mcph_keeper_forget_dropped(struct mcph_job *job);
/* Returns the ms before the next login, after a login has failed with `why` while the old
 * token is valid: the pause that the server asks for, at least 10 s, at most an hour. */
int64_t mcph_login_pause_ms(const mcphost_error *why);
void mcph_entry_login_done(struct mcph_entry *e); /* frees the members of logins */

#endif
