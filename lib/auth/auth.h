/* SPDX-License-Identifier: MIT
 *
 * auth.h - interface of lib/auth: the credentials that HTTP servers ask for.
 *
 * lib/auth parses challenges (RFC 9110, 11.6.1; RFC 6750).  It keeps fixed credentials,
 * and credentials that the keeper's owner (lib/host) supplied on request.  It makes the
 * requests of OAuth and reads their answers (oauth.h).  It keeps tokens between runs of
 * programs (store.h).  A secret leaves lib/auth only in requests to the secret's own
 * origin, and in a store.  No log line and no message may contain a secret.  Only the
 * question of a login may contain secrets: the URL of the page that the user opens, and
 * the code that the user enters there.
 *
 * Other folders of lib/ include only this header.
 */
#ifndef MCPH_AUTH_H
#define MCPH_AUTH_H

#include "auth/login.h"
#include "auth/oauth.h"
#include "auth/store.h"
#include "base/base.h"
#include "json/json.h"
#include "loop/loop.h"
#include "net/net.h"

/* False if the library was built without lib/auth. */
extern const bool mcph_auth_is_built;

/* ---- challenges (challenge.c) ------------------------------------------------------ */

/* One challenge of WWW-Authenticate: the first Bearer or DPoP challenge with
 * resource_metadata, else the first Bearer or DPoP challenge, else the first challenge.
 * The strings belong to this struct and are UTF-8 on one line.  A string is NULL if the
 * challenge lacks the parameter, or if the value of the parameter is too long. */
struct mcph_challenge {
    char *scheme; /* in the server's spelling, at most 64 bytes */
    char *realm, *scope, *error, *description, *metadata;
};

/* Parses the values of all WWW-Authenticate headers.  Returns 0, MCPHOST_E_NOTFOUND if
 * there is no readable challenge, or MCPHOST_E_NOMEM.  Call mcph_challenge_done() on *ret
 * in any case. */
int mcph_challenge_parse(const struct mcph_span *lines, size_t n_lines,
                         struct mcph_challenge *ret);
void mcph_challenge_done(struct mcph_challenge *challenge);
/* Appends a description of the challenge.  The description continues a sentence whose
 * subject is the server, for example with "asks for Bearer with scope ...". */
int mcph_challenge_describe(const struct mcph_challenge *challenge, struct mcph_buf *buf);

/* ---- fixed credentials (fixed.c) --------------------------------------------------- */

#define MCPH_FIXED_MAX 1024

/* A table of fixed credentials.  The lock of its owner guards the table. */
struct mcph_fixed {
    struct mcph_vec items;
    /* The number (mark) of the credential that was set or supplied last.  Each new
     * credential gets the next number. */
    uint64_t last_mark;
};

/* A header that is not sent, because its server has moved from the origin `bound` to
 * another origin. */
struct mcph_elsewhere {
    char name[80], bound[256]; /* both texts are empty if every header is sent */
};

/*
 * Sets the header `name` of requests to this server at this origin.  A NULL `server`
 * means any server.  A NULL `origin` means any origin.  Any other `origin` has the form
 * of mcph_net_url_origin().  If several headers of one name match, mcph_fixed_add()
 * prefers a header for server and origin, then a header for the server, then a header for
 * the origin.  A header for a server alone is bound to one origin: to `bound` or, if
 * `bound` is NULL, to the origin of the server's first request.  If `value` is NULL, the
 * function removes the header.  The caller has checked `name` and `value`.
 *
 * Returns 0, MCPHOST_E_INVALID if neither server nor origin is given, MCPHOST_E_LIMIT or
 * MCPHOST_E_NOMEM.
 */
int mcph_fixed_set(struct mcph_fixed *fixed, const char *server, const char *origin,
                   const char *name, const char *value, const char *bound);
/* The kinds of headers that mcph_fixed_add() has found. */
enum {
    MCPH_FIXED_NOTHING,
    MCPH_FIXED_BESIDE,    /* headers that may go beside a token */
    MCPH_FIXED_CREDENTIAL /* headers with Authorization, which replaces a token */
};

/* Appends the headers for this server and origin to `lines`, as name, NUL, value, NUL.
 * If `lines` is NULL, appends nothing.  Else reserves memory for `more` further bytes.
 * Returns MCPH_FIXED_*, MCPHOST_E_NOMEM or MCPHOST_E_LIMIT.  If there are headers, sets
 * *ret_mark to the mark of the header that was set last.  If headers are not sent
 * because they are bound to another origin, stores the first of them in *ret.  `ret` may
 * be NULL. */
int mcph_fixed_add(struct mcph_fixed *fixed, const char *server, const char *origin,
                   size_t more, struct mcph_buf *lines, uint64_t *ret_mark,
                   struct mcph_elsewhere *ret);
void mcph_fixed_done(struct mcph_fixed *fixed);

/* ---- scopes (scope.c) --------------------------------------------------------------
 * Scopes are separated by blanks (RFC 6749, section 3.3). */

#define MCPH_SCOPES_MAX ((size_t)8 * 1024)

/* Appends the scopes of `more` (may be NULL) that `scopes` does not have yet.  `scopes`
 * has no NUL at its end.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_LIMIT.  On failure
 * `scopes` is unchanged. */
int mcph_scopes_add(struct mcph_buf *scopes, const char *more, size_t len);
/* Returns true if `scopes` contains each of `others`. */
bool mcph_scopes_have(const struct mcph_buf *scopes, const char *others, size_t len);

/* ---- the keeper (keeper.c, keeper_login.c) --------------------------------------------
 * The keeper holds the credentials of a host, with one struct mcph_net_auth for each
 * server and URL.  If a server refuses a request (401, or 403 with a challenge), the
 * keeper begins a login, or asks the owner, once for all requests that wait.  The keeper
 * uses the supplied credential until the server refuses it, it expires, or it is dropped.
 * Until a credential is dropped, the keeper remembers the scopes that were asked for or
 * granted.  A later question can then ask for all of these scopes.  Only the dispatcher
 * (the thread that dispatches) may call these functions, unless the comment of a function
 * says otherwise. */

struct mcph_keeper;

/* A question for credentials.  The keeper owns the question.  The question is valid from
 * the event `ask` until the owner answers or refuses the question, or until the event
 * `over`. */
struct mcph_ask {
    const char *server; /* the server's id */
    const char *url; /* the part of the server's URL that may be shown; for a login, the
                         * page that the user opens */
    const char *message; /* a description of the question for people */
    const char *params;  /* a description for programs: a JSON object */
    /* For a login: the values that a pasted answer must match.  NULL if the owner is
     * asked for headers. */
    const struct mcph_oauth_awaited *awaited;
    void *owner; /* for the use of the keeper's owner */
};

struct mcph_keeper_events {
    int (*ask)(struct mcph_ask *ask, void *arg); /* asks the owner; returns 0 or
                                                  * MCPHOST_E_NOMEM */
    /* Reports that a question has ended without an answer of the owner.  The owner must
     * not use the question any more. */
    void (*over)(struct mcph_ask *ask, const char *why, void *arg);
    /* Reports that a fixed header is not sent to this origin of the server, because the
     * header is bound to another origin.  If `header` is NULL, every header is sent.  The
     * member may be NULL. */
    void (*elsewhere)(const char *server, const char *origin,
                      const struct mcph_elsewhere *header, void *arg);
    /* Reports that a request waits for the answer to a question.  The keeper may have
     * asked the question long before.  The member may be NULL. */
    void (*waits)(const struct mcph_ask *ask, void *arg);
    /* Reports why the login at a server is delayed.  `why` is NULL when the delay has
     * ended.  The member may be NULL. */
    void (*delayed)(const char *server, const char *why, void *arg);
    /* Reports that the last revocation in flight has ended.  The member may be NULL. */
    void (*revoked)(void *arg);
};

/* Makes a keeper.  `events` must outlive the keeper.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_keeper_new(struct mcph_core *core, const struct mcph_keeper_events *events,
                    void *arg, struct mcph_keeper **ret);
/* Ends all questions with the reason `why`.  After this call, the keeper asks no
 * question. */
void mcph_keeper_close(struct mcph_keeper *keeper, const char *why);
/* Frees the keeper, and reports no event.  First, return all results of mcph_keeper_get()
 * with mcph_keeper_put().  `keeper` may be NULL. */
void mcph_keeper_free(struct mcph_keeper *keeper);
/* Sets whether the keeper asks the owner, and how long in ms a question stays open.  -1
 * means no limit.  Any thread may call this function before the host is loaded, with the
 * core's lock held. */
void mcph_keeper_set_asking(struct mcph_keeper *keeper, bool asking, int64_t ms);

/* Sets the HTTP engine of logins.  The engine is borrowed.  Without an engine or a store
 * there are no logins. */
void mcph_keeper_set_net(struct mcph_keeper *keeper, struct mcph_net *net);
/* Sets the store of tokens.  The keeper takes over the reference.  `keeps_tokens` says
 * whether the store keeps the tokens after the end of the host.  Returns the store that
 * was set before, or NULL.  The caller drops the reference to this store without the
 * lock, because the store may run the application's code. */
struct mcph_store *mcph_keeper_set_store(struct mcph_keeper *keeper,
                                         struct mcph_store *store, bool keeps_tokens);
/* Sets the time limit of one request of a login in ms, for tests. */
void mcph_keeper_set_fetch_ms(struct mcph_keeper *keeper, int64_t ms);
/* Sets whether the keeper sends the owner the requests that a login needs, for example
 * the request to open a URL.  Any thread may call this function before the host is
 * loaded, with the core's lock held. */
void mcph_keeper_set_logins(struct mcph_keeper *keeper, bool asks);

/* Gets the credentials for requests to a server at this URL.  Ends the questions for the
 * server at other URLs, as mcph_keeper_abandon() does.  Returns NULL if there is no
 * memory, or if `url` is not an http or https URL.  The caller must return the result
 * with mcph_keeper_put(). */
struct mcph_net_auth *mcph_keeper_get(struct mcph_keeper *keeper, const char *server,
                                      const char *url);
void mcph_keeper_put(struct mcph_net_auth *auth); /* releases a result of
                                                   * mcph_keeper_get(); `auth` may be
                                                   * NULL */
/* Ends the questions for a server at all URLs except `url`, because the server is not
 * needed at those URLs any more.  `url` may be NULL.  While a connection still uses the
 * credentials at a URL, the question for this URL stays open. */
void mcph_keeper_abandon(struct mcph_keeper *keeper, const char *server, const char *url);
/* Sets how the host gets tokens for the server (`way`), and how it reaches authorization
 * servers (`site`).  Copies `way`, and of `site` the proxy, the certificate authorities
 * and `public_only`.  Takes a reference to `mask`, which may be NULL.  If a login with an
 * equal way is running, the function changes nothing.  If a login with another way is
 * running, the function cancels the login.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_keeper_set_way(struct mcph_net_auth *auth, const struct mcph_login_way *way,
                        const struct mcph_net_site *site, struct mcph_mask *mask);

/* ---- revocations (keeper_revoke.c) ---- */

/* A logout.  The record of the login was already removed from the store. */
struct mcph_logout {
    const char *server; /* the server's id */
    const char *url;
    struct mcph_store_key key;
    struct mcph_store_record record; /* the record before its removal */
};

/* Revokes the tokens of a logout at their authorization server.  Copies `way`, `site` and
 * the logout.  `net` is borrowed until the revocation has ended.  `mask` has the secrets
 * of the configuration, and gets the secrets of the logout.  A line of the log says how
 * the revocation has ended, or why the tokens cannot be revoked.  If the record has no
 * token, the function does nothing. */
void mcph_keeper_revoke(struct mcph_keeper *keeper, struct mcph_net *net,
                        const struct mcph_logout *logout,
                        const struct mcph_login_way *way,
                        const struct mcph_net_site *site, struct mcph_mask *mask);
/* Logs why the tokens of a logout were not revoked.  A NULL `why` stands for
 * MCPHOST_E_NOMEM. */
void mcph_logout_tell(struct mcph_core *core, const struct mcph_logout *logout,
                      const mcphost_error *why);
bool mcph_keeper_is_revoking(const struct mcph_keeper *keeper);
/* Ends the revocations in flight, because the host ends. */
void mcph_keeper_end_revocations(struct mcph_keeper *keeper);

/* ---- credentials and answers (keeper.c, keeper_login.c) ---- */

/* Calls mcph_fixed_set() for the keeper's fixed credentials.  Any thread may call this
 * function, with the core's lock held. */
int mcph_keeper_set_fixed_locked(struct mcph_keeper *keeper, const char *server,
                                 const char *origin, const char *name, const char *value,
                                 const char *bound);
/* Drops the supplied credentials of this server or, if `server` is NULL, of all servers.
 * Fixed credentials stay.  Any thread may call this function, with the core's lock
 * held. */
void mcph_keeper_drop_locked(struct mcph_keeper *keeper, const char *server);

/* Answers a question with a copy of the headers in `lines` (name, NUL, value, NUL).
 * The headers are valid for `ms` milliseconds.  If `ms` is -1, the headers do not
 * expire.  `scope` holds the granted scopes, separated by blanks.  If `scope` is NULL,
 * the scopes that the question named count as granted. */
void mcph_ask_answer(struct mcph_ask *ask, const char *lines, size_t len, int64_t ms,
                     const char *scope);
/* Answers the question of a login with the text that the user pasted.  The text fits
 * ask->awaited. */
void mcph_ask_paste(struct mcph_ask *ask, const char *text, size_t len);
/* Ends a question without credentials, with the reason `why`. */
void mcph_ask_refuse(struct mcph_ask *ask, const char *why);

#endif
