/* SPDX-License-Identifier: MIT
 *
 * auth.h - the room `auth`: what servers want to see before they answer.
 *
 * Reads challenges (RFC 9110, 11.6.1; RFC 6750), and keeps credentials: those that are
 * fixed, and those that somebody gave when he was asked.  A secret goes out of here into
 * the headers of a request to the origin that it is for and nowhere else: no log line,
 * no message and no question may hold one.
 */
#ifndef MCPH_AUTH_H
#define MCPH_AUTH_H

#include "base/base.h"
#include "json/json.h"
#include "loop/loop.h"
#include "net/net.h"

/* ---- challenges (challenge.c) ------------------------------------------------------ */

/* The first challenge of WWW-Authenticate that we know what to do about: Bearer or
 * DPoP, else the first of all.  Strings are ours, UTF-8 on one line; NULL: not said. */
struct mcph_challenge {
    char *scheme; /* as it was spelled */
    char *realm, *scope, *error, *description, *metadata;
};

/* `lines`: the values of all such headers.  0; MCPHOST_E_NOTFOUND: there is none that
 * can be read; MCPHOST_E_NOMEM.  *ret is to be given to done in any case. */
int mcph_challenge_parse(const struct mcph_span *lines, size_t n_lines,
                         struct mcph_challenge *ret);
void mcph_challenge_done(struct mcph_challenge *challenge);
/* What it asks for, as words behind "it ": "asks for Bearer with scope ...". */
int mcph_challenge_describe(const struct mcph_challenge *challenge, struct mcph_buf *buf);

/* ---- credentials that do not change (fixed.c) -------------------------------------- */

#define MCPH_FIXED_MAX 1024

/* A table; guarded by its owner's lock. */
struct mcph_fixed {
    struct mcph_vec items;
    uint64_t last_mark; /* grows with each credential that is set or given */
};

/* A header that is not sent because its server has gone to another origin. */
struct mcph_elsewhere {
    char name[80], bound[256]; /* empty: there is none */
};

/*
 * The header `name` of requests to this server (NULL: any) at this origin (as
 * mcph_net_url_origin() makes it, NULL: any); what is said for both wins over what is
 * said for one, and the server over the origin.  What is said for a server alone is for
 * one origin, too: `bound`, or (NULL) that of the first request.  `value` NULL: no
 * longer.  The name and the value were checked.
 *
 * 0, MCPHOST_E_INVALID (neither), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM.
 */
int mcph_fixed_set(struct mcph_fixed *fixed, const char *server, const char *origin,
                   const char *name, const char *value, const char *bound);
/* Adds the headers for them as name, NUL, value, NUL, to `lines` (NULL: only counts):
 * how many, or MCPHOST_E_NOMEM, MCPHOST_E_LIMIT.  *ret_mark, if there are any: the mark
 * of the one that was set last.  `ret` may be NULL. */
int mcph_fixed_add(struct mcph_fixed *fixed, const char *server, const char *origin,
                   struct mcph_buf *lines, uint64_t *ret_mark,
                   struct mcph_elsewhere *ret);
void mcph_fixed_done(struct mcph_fixed *fixed);

/* ---- scopes (scope.c) --------------------------------------------------------------
 * Parted by blanks (RFC 6749, section 3.3). */

#define MCPH_SCOPES_MAX ((size_t)8 * 1024)

/* Adds to `scopes`, which has no NUL, those of `more` (NULL: none) that it lacks: 0,
 * MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (`scopes` stays as it was). */
int mcph_scopes_add(struct mcph_buf *scopes, const char *more, size_t len);
/* Whether `scopes` has all of `others`. */
bool mcph_scopes_have(const struct mcph_buf *scopes, const char *others, size_t len);

/* ---- the keeper (keeper.c) ------------------------------------------------------------
 * The credentials of a host, one struct mcph_net_auth for each server and origin.  If a
 * server refuses a request (401, or 403 with a challenge), the owner is asked, once for
 * all requests that wait.  The answer serves until the server refuses it, it expires, or
 * it is dropped.  Scopes that were asked for or granted are kept until it is dropped, so
 * that a later question can ask for all of them.  The dispatcher's, but where it says
 * otherwise. */

struct mcph_keeper;

/* What somebody is asked for; the keeper's, from the event `ask` until it is answered,
 * refused or over. */
struct mcph_ask {
    const char *server, *url; /* the latter as it may be shown */
    const char *message;      /* what it wants to see, for people */
    const char *params;       /* a JSON object, for programs */
    void *owner;              /* the owner's own */
};

struct mcph_keeper_events {
    int (*ask)(struct mcph_ask *ask, void *arg); /* 0, MCPHOST_E_NOMEM */
    /* It need not be answered any more. */
    void (*over)(struct mcph_ask *ask, const char *why, void *arg);
    /* A fixed header is not sent, as its server had another origin when it was set; NULL:
     * there is no such header any more.  May be NULL. */
    void (*elsewhere)(const char *server, const char *origin,
                      const struct mcph_elsewhere *header, void *arg);
    /* One more request waits for the answer, which may have been asked for long ago.
     * May be NULL. */
    void (*waits)(const struct mcph_ask *ask, void *arg);
};

/* `events` must outlive it.  0, MCPHOST_E_NOMEM. */
int mcph_keeper_new(struct mcph_core *core, const struct mcph_keeper_events *events,
                    void *arg, struct mcph_keeper **ret);
/* What is asked for is over, because `why`; nobody is asked any more. */
void mcph_keeper_close(struct mcph_keeper *keeper, const char *why);
/* Says nothing any more; whatever it gave out must be gone.  NULL is fine. */
void mcph_keeper_free(struct mcph_keeper *keeper);
/* Whether the owner is asked at all, and how long (-1: no limit). */
void mcph_keeper_set_asking(struct mcph_keeper *keeper, bool asking, int64_t ms);

/* For the requests to a server at this URL; NULL: no memory.  To be put back when it
 * is not used any more. */
struct mcph_net_auth *mcph_keeper_get(struct mcph_keeper *keeper, const char *server,
                                      const char *url);
void mcph_keeper_put(struct mcph_net_auth *auth); /* NULL is fine */

/* Under the core's lock, any thread: as mcph_fixed_set(). */
int mcph_keeper_set_fixed_locked(struct mcph_keeper *keeper, const char *server,
                                 const char *origin, const char *name, const char *value,
                                 const char *bound);
/* Likewise: forgets what was given for this server (NULL: all), but what is fixed. */
void mcph_keeper_drop_locked(struct mcph_keeper *keeper, const char *server);

/* Headers as name, NUL, value, NUL, copied; they are good for `ms` (-1: no limit).
 * `scope`: what was granted; NULL: what was asked for. */
void mcph_ask_answer(struct mcph_ask *ask, const char *lines, size_t len, int64_t ms,
                     const char *scope);
/* There will be none, because `why`. */
void mcph_ask_refuse(struct mcph_ask *ask, const char *why);

#endif
