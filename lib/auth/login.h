/* SPDX-License-Identifier: MIT
 *
 * login.h - logins: the tokens of OAuth for one server at a URL.
 *
 * A login finds the authorization server of an MCP server, and gets a token from it.  If
 * the store has a token that the MCP server is likely to accept, the login takes this
 * token.  If the store has a refresh token, the login gets a new token with it.
 * Otherwise the login asks the user, unless the flow needs no user.  Processes that use
 * one file store refresh a token once, and ask one question at a time for each
 * authorization server.  For other stores, this holds only for the logins of one host.
 *
 * Each step has a deadline.  Only the dispatcher (the thread that dispatches) may call
 * these functions, except that any thread may call mcph_login_summarize() and
 * mcph_login_serves().  No function of this header calls an event, except that
 * mcph_login_paste() may call `over`.
 */
#ifndef MCPH_AUTH_LOGIN_H
#define MCPH_AUTH_LOGIN_H

#include "auth/oauth.h"
#include "auth/store.h"
#include "loop/loop.h"
#include "net/net.h"
#include <mcphost/logins.h>

/* ---- ways (login_way.c) --------------------------------------------------------------
 * A way is the configuration of the logins of one server. */

/* The texts of a way.  The comments say which texts are secrets. */
enum {
    MCPH_WAY_CLIENT_ID,
    MCPH_WAY_CLIENT_SECRET,   /* a secret */
    MCPH_WAY_CLIENT_KEY,      /* a secret: the client's private key, as PEM */
    MCPH_WAY_CLIENT_DOCUMENT, /* the URL of the client ID metadata document */
    MCPH_WAY_CLIENT_NAME,     /* shown to the user by an issuer that registers clients */
    MCPH_WAY_ISSUER,          /* the only issuer that may be used */
    MCPH_WAY_METADATA_URL,    /* the only URL to get the issuer's metadata from */
    MCPH_WAY_SCOPES,
    MCPH_WAY_AUDIENCE,
    MCPH_WAY_ACCOUNT,   /* a label that keeps the tokens of several accounts apart */
    MCPH_WAY_ASSERTION, /* a secret: the assertion of JWT_BEARER, or the identity token of
                         * TOKEN_EXCHANGE */
    MCPH_WAY_IDP_URL,   /* the token endpoint of the identity provider */
    MCPH_WAY_IDP_CLIENT_ID,
    MCPH_WAY_IDP_CLIENT_SECRET, /* a secret */
    MCPH_WAY_TEXTS
};

struct mcph_login_way {
    int mode; /* MCPHOST_AUTH_* */
    int flow; /* MCPHOST_FLOW_* */
    bool takes_private, takes_no_pkce;
    char *texts[MCPH_WAY_TEXTS]; /* absent texts are NULL */
};

/* Copies a way.  Returns 0, or MCPHOST_E_NOMEM with an empty *ret. */
int mcph_login_way_copy(const struct mcph_login_way *way, struct mcph_login_way *ret);
bool mcph_login_way_equal(const struct mcph_login_way *a, const struct mcph_login_way *b);
/* Wipes and frees the texts.  A zeroed way is allowed. */
void mcph_login_way_done(struct mcph_login_way *way);

/* ---- records (login_record.c) ------------------------------------------------------ */

/* The part of a record that may be shown. */
struct mcph_login_summary {
    char *scope;        /* the granted scopes, or NULL */
    int64_t expires_at; /* seconds since 1970; -1 if unknown */
    bool can_refresh;
    bool is_refused; /* the issuer has refused the refresh token, and the record has no
                      * tokens */
};

/* Reads the record that the store has for `key`.  Returns a code of mcph_store_read() or,
 * if the record is damaged, MCPHOST_E_PROTOCOL or MCPHOST_E_LIMIT.  The caller frees
 * ret->scope. */
int mcph_login_summarize(struct mcph_store *store, const struct mcph_store_key *key,
                         struct mcph_login_summary *ret, mcphost_error **reterr);
/* Returns 1 if tokens for `resource` are valid for the MCP server at `url`: `resource` is
 * `url`, or has the same origin and the path of a directory above `url`.  Otherwise
 * returns 0 or MCPHOST_E_NOMEM. */
int mcph_login_serves(const char *resource, const char *url);

/* ---- logins (login.c, login_ask.c, login_revoke.c) --------------------------------- */

struct mcph_login;

#define MCPH_LOGIN_REVOKE_MS 5000 /* limit on a revocation with all of its requests */

/* Why a login starts. */
struct mcph_login_cause {
    int status;          /* the HTTP status of the refusal, where 401 also stands for a
                          * 403 with invalid_token; 0 if no request was refused */
    const char *hint;    /* the resource_metadata of a challenge, or NULL */
    bool is_old_hint;    /* `hint` is of an earlier challenge; the present challenge has
                          * no hint */
    const char *scope;   /* the challenge's scope, or NULL */
    const char *held;    /* scopes asked for or granted before, or NULL */
    const char *refused; /* the access token that was refused, has expired, or expires
                          * soon; a secret; or NULL */
    bool lacks_scope;    /* `refused` lacks a scope that the challenge does not name */
    bool wants_dpop;     /* the challenge's scheme is DPoP */
};

/* A question to the user.  The texts are valid until the question is over. */
struct mcph_login_question {
    const char *url;     /* the page that the user opens */
    const char *message; /* for people */
    const char *params;  /* a JSON object for programs */
    /* The values that a pasted answer must match.  `state` is NULL if the question takes
     * no answer, because the issuer itself learns the user's decision (device codes). */
    struct mcph_oauth_awaited awaited;
};

/* The result of a login. */
struct mcph_login_token {
    const char *access; /* a secret, valid during the event */
    const char *scope;  /* the granted scopes, or NULL */
    int64_t ms;         /* the time before the token expires; -1 if unknown */
    int64_t early_ms;   /* after this time, a login can get the next token without asking
                         * the user; -1 for never */
    const char *dpop_key; /* PEM, a secret, valid during the event; NULL for Bearer */
};

struct mcph_login_events {
    /* Asks the user.  The event may keep `question` until the question is over.
     * Returns 0 or MCPHOST_E_NOMEM. */
    int (*ask)(const struct mcph_login_question *question, void *arg);
    /* Reports that the question needs no answer any more.  `why` is for people. */
    void (*over)(const char *why, void *arg);
    /* Reports the reason of a delay, or NULL when the delay has ended. */
    void (*waits)(const char *why, void *arg);
    /* Reports the end.  `token` is NULL after a failure.  At the end of a login,
     * MCPHOST_E_UNSUPPORTED says that the server seems to want another kind of
     * credential.  The login is freed after this function returns. */
    void (*done)(const struct mcph_login_token *token, const mcphost_error *error,
                 void *arg);
};

/* How to reach servers, and where tokens are kept.  The objects to which the members
 * point must outlive the login. */
struct mcph_login_means {
    struct mcph_core *core;
    struct mcph_net *net;
    const struct mcph_net_site *site; /* the proxy and the certificates */
    struct mcph_store *store;
    struct mcph_mask *mask; /* gets every secret of the login; may be NULL */
    bool asks;              /* the user can be asked */
    int64_t ask_ms;         /* limit in ms on the time that a question stays open; even
                             * if `ask_ms` is -1, for no limit, a question stays open for
                             * at most a day */
    int64_t fetch_ms;       /* limit in ms on one request; 0 means 30 s */
};

/* Starts a login for the MCP server at `url`.  Copies `cause`, in which an empty `held`
 * counts as absent.  `way` and `events` must outlive the login.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_login_start(const struct mcph_login_means *means, const char *url,
                     const struct mcph_login_way *way,
                     const struct mcph_login_cause *cause,
                     const struct mcph_login_events *events, void *arg,
                     struct mcph_login **ret);
/* Starts the revocation (RFC 7009) of the tokens of a record that was removed from the
 * store.  The revocation is a login that only finds the issuer of `key` and sends one
 * request.  It ends within MCPH_LOGIN_REVOKE_MS.  Its only event is `done`, without a
 * token, and without an error if the issuer has revoked the token.  Copies `way`, `key`
 * and the record.  The means need no store.  Returns 0, MCPHOST_E_NOTFOUND if the record
 * has no token, the codes of a record that cannot be read, or MCPHOST_E_NOMEM. */
int mcph_login_start_revocation(const struct mcph_login_means *means, const char *url,
                                const struct mcph_login_way *way,
                                const struct mcph_store_key *key,
                                const struct mcph_store_record *record,
                                const struct mcph_login_events *events, void *arg,
                                struct mcph_login **ret);
/* Takes the text that the user pasted: the URL of the redirect, its query, or the code.
 * Call this function while the question is open.  If the text is of another login, the
 * login fails. */
void mcph_login_paste(struct mcph_login *login, const char *text, size_t len);
/* Ends the question because the user refused.  The login fails with the reason `why`. */
void mcph_login_decline(struct mcph_login *login, const char *why);
/* Ends the login without events.  `login` may be NULL.  Returns NULL. */
struct mcph_login *mcph_login_cancel(struct mcph_login *login);

#endif
