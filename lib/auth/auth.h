/* SPDX-License-Identifier: MIT
 *
 * auth.h - the room `auth`: the credentials that HTTP servers ask for.
 *
 * It parses challenges (RFC 9110, 11.6.1; RFC 6750), and keeps two kinds of credentials:
 * fixed ones, and those that the owner supplied on request.  A secret leaves this room
 * only in the headers of a request to the origin that it is for.  No log line, no message
 * and no question may contain a secret.
 */
#ifndef MCPH_AUTH_H
#define MCPH_AUTH_H

#include "base/base.h"
#include "json/json.h"
#include "loop/loop.h"
#include "net/net.h"

/* ---- challenges (challenge.c) ------------------------------------------------------ */

/* The first Bearer or DPoP challenge of WWW-Authenticate, or else the first challenge.
 * The strings are ours, UTF-8 on one line; NULL: missing in the challenge. */
struct mcph_challenge {
    char *scheme; /* in the server's spelling */
    char *realm, *scope, *error, *description, *metadata;
};

/* `lines`: the values of all these headers.  0; MCPHOST_E_NOTFOUND: no readable
 * challenge; MCPHOST_E_NOMEM.  Call mcph_challenge_done() on *ret in any case. */
int mcph_challenge_parse(const struct mcph_span *lines, size_t n_lines,
                         struct mcph_challenge *ret);
void mcph_challenge_done(struct mcph_challenge *challenge);
/* Appends a description that continues "it ": "asks for Bearer with scope ...". */
int mcph_challenge_describe(const struct mcph_challenge *challenge, struct mcph_buf *buf);

/* ---- fixed credentials (fixed.c) --------------------------------------------------- */

#define MCPH_FIXED_MAX 1024

/* A table of fixed credentials.  Its owner's lock guards it. */
struct mcph_fixed {
    struct mcph_vec items;
    uint64_t last_mark; /* grows with each credential, fixed or supplied */
};

/* A header that is not sent, because its server has moved from the origin `bound` to
 * another. */
struct mcph_elsewhere {
    char name[80], bound[256]; /* both empty: there is no such header */
};

/*
 * Sets the header `name` of requests to this server (NULL: any) at this origin (in the
 * form of mcph_net_url_origin(); NULL: any).  If several headers match, one for server
 * and origin is preferred to one for the server, and that to one for the origin.  A
 * header for a server alone is valid for one origin, too: for `bound`, or (NULL) for the
 * origin of the first request.  `value` NULL removes the header.  The caller has checked
 * name and value.
 *
 * 0, MCPHOST_E_INVALID (neither server nor origin), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM.
 */
int mcph_fixed_set(struct mcph_fixed *fixed, const char *server, const char *origin,
                   const char *name, const char *value, const char *bound);
/* Appends the headers for this server and origin to `lines`, as name, NUL, value, NUL;
 * with `lines` NULL it only counts them.  Returns their number, MCPHOST_E_NOMEM or
 * MCPHOST_E_LIMIT.  *ret_mark: the mark of the header that was set last, if there are
 * any.  *ret: a header that is not sent because of its origin; `ret` may be NULL. */
int mcph_fixed_add(struct mcph_fixed *fixed, const char *server, const char *origin,
                   struct mcph_buf *lines, uint64_t *ret_mark,
                   struct mcph_elsewhere *ret);
void mcph_fixed_done(struct mcph_fixed *fixed);

/* ---- scopes (scope.c) --------------------------------------------------------------
 * Scopes are separated by blanks (RFC 6749, section 3.3). */

#define MCPH_SCOPES_MAX ((size_t)8 * 1024)

/* Appends the scopes of `more` (NULL: none) that `scopes` does not have yet.  `scopes`
 * has no NUL at its end.  0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT; on failure `scopes` is
 * unchanged. */
int mcph_scopes_add(struct mcph_buf *scopes, const char *more, size_t len);
/* True if `scopes` contains each of `others`. */
bool mcph_scopes_have(const struct mcph_buf *scopes, const char *others, size_t len);

/* ---- the keeper (keeper.c) ------------------------------------------------------------
 * The keeper holds the credentials of a host, with one struct mcph_net_auth for each
 * server and origin.  If a server refuses a request (401, or 403 with a challenge), the
 * owner is asked, once for all requests that wait.  The supplied credential is used until
 * the server refuses it, it expires, or it is dropped.  Scopes that were asked for or
 * granted are kept until the credential is dropped, so that a later question can ask for
 * all of them.  All functions belong to the dispatcher unless their comment says
 * otherwise. */

struct mcph_keeper;

/* A question for credentials.  The keeper owns it, and it is valid from the event `ask`
 * until it is answered, refused or over. */
struct mcph_ask {
    const char *server, *url; /* `url`: only the part that may be shown */
    const char *message;      /* what the server wants, for people */
    const char *params;       /* the same for programs: a JSON object */
    void *owner;              /* for the keeper's owner */
};

struct mcph_keeper_events {
    int (*ask)(struct mcph_ask *ask, void *arg); /* 0, MCPHOST_E_NOMEM */
    /* The question ended without an answer, which is not needed any more. */
    void (*over)(struct mcph_ask *ask, const char *why, void *arg);
    /* A fixed header is not sent, because its server had another origin when it was set.
     * `header` NULL: there is no such header any more.  May be NULL. */
    void (*elsewhere)(const char *server, const char *origin,
                      const struct mcph_elsewhere *header, void *arg);
    /* Another request waits for the answer.  The question may be old already.  May be
     * NULL. */
    void (*waits)(const struct mcph_ask *ask, void *arg);
};

/* `events` must outlive the keeper.  0, MCPHOST_E_NOMEM. */
int mcph_keeper_new(struct mcph_core *core, const struct mcph_keeper_events *events,
                    void *arg, struct mcph_keeper **ret);
/* Ends all questions with the reason `why`.  No question is asked afterwards. */
void mcph_keeper_close(struct mcph_keeper *keeper, const char *why);
/* Reports no event.  Everything from mcph_keeper_get() must be put back before.  NULL is
 * allowed. */
void mcph_keeper_free(struct mcph_keeper *keeper);
/* Sets whether the owner is asked, and how long a question stays open (-1: no limit). */
void mcph_keeper_set_asking(struct mcph_keeper *keeper, bool asking, int64_t ms);

/* Gets the credentials for requests to a server at this URL.  NULL: no memory.  The
 * caller must put the result back. */
struct mcph_net_auth *mcph_keeper_get(struct mcph_keeper *keeper, const char *server,
                                      const char *url);
void mcph_keeper_put(struct mcph_net_auth *auth); /* NULL is allowed */

/* Like mcph_fixed_set().  Any thread, with the core's lock held. */
int mcph_keeper_set_fixed_locked(struct mcph_keeper *keeper, const char *server,
                                 const char *origin, const char *name, const char *value,
                                 const char *bound);
/* Drops the supplied credentials of this server (NULL: of all), but no fixed ones.  Any
 * thread, with the core's lock held. */
void mcph_keeper_drop_locked(struct mcph_keeper *keeper, const char *server);

/* Answers a question.  `lines`: headers as name, NUL, value, NUL, which are copied.  They
 * are valid for `ms` (-1: no limit).  `scope`: the granted scopes; NULL: those that were
 * asked for. */
void mcph_ask_answer(struct mcph_ask *ask, const char *lines, size_t len, int64_t ms,
                     const char *scope);
/* Ends a question without credentials, with the reason `why`. */
void mcph_ask_refuse(struct mcph_ask *ask, const char *why);

#endif
