/* SPDX-License-Identifier: MIT
 *
 * net.h - the room `net`: HTTP requests on one libcurl multi handle in the event loop.
 *
 * Many requests run at once, over connections that are reused.  Deadlines, limits and
 * redirects are handled here.  The room sends and reads nothing of MCP.  Only the words
 * in status.c say what a status of an MCP server means.
 *
 * Everything belongs to the thread that dispatches.  An event may be called from inside
 * libcurl, so it may call every function of this header but no function of libcurl.  This
 * room must never send a header to another origin than the one it was meant for, and must
 * never put a header, a userinfo or a query into a message.
 */
#ifndef MCPH_NET_H
#define MCPH_NET_H

#include "base/base.h"
#include "loop/loop.h"

struct sockaddr;
struct mcph_net;
struct mcph_net_request;

/* ---- life -------------------------------------------------------------------------- */

/* Sets up nothing of libcurl: mcph_net_prepare() does.  0, MCPHOST_E_NOMEM. */
int mcph_net_new(struct mcph_core *core, struct mcph_net **ret, mcphost_error **reterr);
/* Initialises libcurl for the rest of the process.  The first request does this if it was
 * not done.  0, MCPHOST_E_NOMEM, MCPHOST_E_STATE (libcurl is too old or does not
 * start). */
int mcph_net_prepare(struct mcph_net *net, mcphost_error **reterr);
/* Cancels all requests.  Must not be called from an event.  In a forked child it does not
 * touch libcurl, because the connections belong to the parent.  Returns NULL; NULL is
 * allowed. */
struct mcph_net *mcph_net_free(struct mcph_net *net);

/* ---- requests ---------------------------------------------------------------------- */

#define MCPH_NET_HEADERS_MAX   ((size_t)256 * 1024) /* bytes, of one response */
#define MCPH_NET_REDIRECTS_MAX 5
#define MCPH_NET_CONNECT_MS    10000

/* How to reach one server.  The caller owns the strings and must not change them while a
 * request uses them. */
struct mcph_net_site {
    /* From mcph_net_site_key().  Requests of the same key share handles, so a site that
     * changes needs a new key.  0: no handle is kept for this site. */
    uint64_t key;
    /* "": no proxy.  NULL: none for loopback, else libcurl takes the proxy from the
     * environment.  `no_proxy`: see mcph_net_is_exempt(). */
    const char *proxy, *no_proxy;
    const char *ca_file, *ca_dir; /* NULL: the system's */
    const char *client_cert, *client_key, *key_password;
    /* Refuses addresses of loopback, link-local and private networks unless the URL
     * itself contains an address: no name may lead there.  Not checked behind a proxy. */
    bool public_only;
    int64_t connect_ms; /* limit for name, connection and TLS; 0: MCPH_NET_CONNECT_MS */
};

uint64_t mcph_net_site_key(void);
/* Resets all idle handles of the site that had this key. */
void mcph_net_forget(struct mcph_net *net, uint64_t key);

/* A header to be sent; its value has no control characters but tabs. */
struct mcph_net_header {
    const char *name, *value;
    size_t len; /* length of the value */
};

/* All but `done` may be NULL.  The request may be cancelled in all but `moved`. */
struct mcph_net_events {
    /* A redirect leads to `url`.  The same headers are sent there unless `moved` replaces
     * them by mcph_net_set_headers().  False: the request ends without an error. */
    bool (*moved)(struct mcph_net_request *req, const char *url, void *arg);
    /* Status and headers of the response are known.  Not called for a redirect. */
    void (*head)(struct mcph_net_request *req, void *arg);
    /* Bytes of the body arrived. */
    void (*body)(struct mcph_net_request *req, const char *data, size_t len, void *arg);
    /* The request ended.  Called once, but not after a cancel.  `error` (borrowed) is
     * NULL if the response is complete.  Else it is MCPHOST_E_TRANSPORT, _TIMEOUT,
     * _LIMIT, _NOMEM or _PROTOCOL (a redirect that is not followed, a compressed body).
     * The request is freed afterwards. */
    void (*done)(struct mcph_net_request *req, mcphost_error *error, void *arg);
};

struct mcph_net_spec {
    const struct mcph_net_site *site; /* must outlive the request */
    const char *method;               /* "GET", "POST" or "DELETE"; a static string */
    const char *url;
    const struct mcph_net_header *headers;
    size_t n_headers;
    struct mcph_buf *body;     /* its bytes are taken over; NULL: none */
    int64_t total_ms, idle_ms; /* 0: no limit; idle_ms: without a byte received */
    size_t max_body;           /* bytes; 0: no limit */
    bool once;                 /* do not resend if a reused connection ends */
    const struct mcph_net_events *events;
    void *arg;
};

/* The request begins in this turn of the dispatcher or the next; no event is called from
 * inside this function.  0, MCPHOST_E_NOMEM (also for an option that libcurl rejects), or
 * an error of mcph_net_prepare().  On failure the caller keeps the body. */
int mcph_net_start(struct mcph_net *net, const struct mcph_net_spec *spec,
                   struct mcph_net_request **ret, mcphost_error **reterr);
/* No event is called afterwards.  Never blocks, whatever the request waits for.  Returns
 * NULL; NULL is allowed. */
struct mcph_net_request *mcph_net_cancel(struct mcph_net_request *req);

/* Why a request failed. */
enum {
    MCPH_NET_FAULT_NONE,
    MCPH_NET_FAULT_NAME,     /* the name cannot be resolved */
    MCPH_NET_FAULT_CONNECT,  /* no connection */
    MCPH_NET_FAULT_TLS,      /* the TLS handshake failed, or no trust */
    MCPH_NET_FAULT_TALK,     /* the connection ended, or the peer does not speak HTTP */
    MCPH_NET_FAULT_REDIRECT, /* a redirect that is not followed */
    MCPH_NET_FAULT_OTHER
};

/* To be called in `done` only. */
int mcph_net_get_fault(const struct mcph_net_request *req);
/* To be called in `done` only.  True: a reused connection ended during the request, and
 * `once` kept the request from being sent again.  It may have reached the server. */
bool mcph_net_was_lost(const struct mcph_net_request *req);
/* The body to send, borrowed; empty if the request has none. */
const struct mcph_buf *mcph_net_get_body(const struct mcph_net_request *req);
/* To be called in `done` only: moves the sent body to `ret`, so that it can be sent
 * again.  The former content of `ret` is overwritten, not freed. */
void mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret);

/* Known from `head` on. */
int mcph_net_get_status(const struct mcph_net_request *req);
/* The value of the response's `index`th header of this name; NULL: there is none.  Valid
 * until the next call for this request, or its end. */
const char *mcph_net_get_header(struct mcph_net_request *req, const char *name,
                                size_t index);
/* To be called in `moved` only: replaces all headers.  0, MCPHOST_E_NOMEM. */
int mcph_net_set_headers(struct mcph_net_request *req,
                         const struct mcph_net_header *headers, size_t n);
/* Set a new limit.  Time counts from this call.  0: no limit. */
void mcph_net_set_total(struct mcph_net_request *req, int64_t ms);
void mcph_net_set_idle(struct mcph_net_request *req, int64_t ms);
void mcph_net_set_max_body(struct mcph_net_request *req, size_t max);
/* Adds `cost` to the budget that this turn has spent, for work besides the bytes
 * received.  Bodies wait for the next turn when the budget is spent. */
void mcph_net_spend(struct mcph_net *net, size_t cost);

/* ---- words for failures (status.c) ------------------------------------------------- */

/* The meaning of an HTTP status of a server, or of a fault. */
struct mcph_net_meaning {
    int first, last;   /* the statuses, or the fault, that have this meaning */
    int code;          /* MCPHOST_E_* of the failure */
    const char *words; /* continue "answered with HTTP status %d"; may be "" */
    /* The likely cause of the failure, and what the user should do next. */
    const char *cause, *next;
    /* The likely cause if the server answers other requests; NULL: `cause`. */
    const char *cause_if_up;
};

const struct mcph_net_meaning *mcph_net_status_meaning(int status);
const struct mcph_net_meaning *mcph_net_fault_meaning(int fault); /* MCPH_NET_FAULT_* */

/* ---- credentials ---------------------------------------------------------------------
 * The interface between the requests to a server and the provider of its credentials,
 * which is above this room.  The sender of a request shows each attempt and each response
 * to the provider.  The provider adds headers, and decides what happens after a refusal.
 * All calls are made on the dispatcher. */

/* A sender that waits for credentials.  ready() is called once, when they are available.
 * Until then `link` is in a list of the provider; remove it there to stop waiting. */
struct mcph_net_waiter {
    struct mcph_list link;
    void (*ready)(struct mcph_net_waiter *waiter);
};

/* One sending of a request.  The sender keeps it from attach() to answered().  Following
 * a redirect is a new attempt, and sending a request again after a lost connection is
 * too. */
struct mcph_net_attempt {
    const char *method, *url; /* of this attempt */
    unsigned number;          /* counts from 1 */
    unsigned refusals;        /* earlier attempts that were refused */
    bool is_resend;           /* an earlier attempt got no response */
    /* The headers that attach() adds, each as name, NUL, value, NUL.  `lines` are
     * secrets.  `proof` is valid for this attempt only and is never sent again. */
    struct mcph_buf lines, proof;
    /* For the provider: the number of the credentials it used; 0 before attach(). */
    uint64_t mark;
};

#define MCPH_NET_AUTH_BODY ((size_t)64 * 1024)

/* A response, borrowed.  The secrets that the sender knows are masked in it. */
struct mcph_net_answer {
    int status;
    const char *body; /* its first MCPH_NET_AUTH_BODY bytes; none if successful */
    size_t body_len;
    bool is_cut; /* the body was longer */
    /* The value of the `index`th header of this name, valid until the next call.  NULL:
     * there is none, or no memory. */
    const char *(*header)(const struct mcph_net_answer *answer, const char *name,
                          size_t index);
};

/* What the sender does after a response. */
enum {
    MCPH_NET_AUTH_PASS,  /* accepts the response */
    MCPH_NET_AUTH_RETRY, /* sends the request again at once, with a new attach() */
    MCPH_NET_AUTH_WAIT,  /* likewise, after the waiter's ready() */
    MCPH_NET_AUTH_FAIL   /* accepts it; *reterr says why credentials do not help */
};

struct mcph_net_auth {
    /* Returns 0, or 1 if the headers are not known yet: ready() of `waiter` will be
     * called.  Negative: the request fails with *reterr. */
    int (*attach)(struct mcph_net_auth *auth, struct mcph_net_attempt *attempt,
                  struct mcph_net_waiter *waiter, mcphost_error **reterr);
    /* Called for each response: after its headers if it is successful, else at its end.
     * If `waiter` is NULL, the response is accepted whatever this returns.  Returns
     * MCPH_NET_AUTH_*. */
    int (*answered)(struct mcph_net_auth *auth, const struct mcph_net_attempt *attempt,
                    const struct mcph_net_answer *answer, struct mcph_net_waiter *waiter,
                    mcphost_error **reterr);
    /* Whether the application was asked for credentials and has not answered.  May be
     * NULL. */
    bool (*is_asking)(struct mcph_net_auth *auth);
    /* Appends bytes that distinguish the users of the server: the same bytes for the same
     * user, without proofs.  They are secrets.  0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT. */
    int (*identify)(struct mcph_net_auth *auth, struct mcph_buf *who);
};

/* ---- URLs and addresses (url.c, proxy.c, address.c) -------------------------------- */

/* The part of a URL that may be shown: scheme, host, port and path.  NULL: no memory. */
char *mcph_net_url_shown(const char *url);
/* "host:port", for messages.  NULL: no memory. */
char *mcph_net_url_place(const char *url);
/* "scheme://host:port" in lower case, for comparisons.  NULL: no memory, or not an http
 * or https URL. */
char *mcph_net_url_origin(const char *url);
/* Resolves `reference` relative to `base`.  NULL: no memory, or not a URL. */
char *mcph_net_url_resolve(const char *base, const char *reference);
/* The URL of `path` at the origin of `base`.  Userinfo and query may be secrets and are
 * left out.  NULL: no memory, or not a URL. */
char *mcph_net_url_at(const char *base, const char *path);
/* True if scheme, host and port are the same. */
bool mcph_net_url_same_origin(const char *a, const char *b);
/* The URL for the next request when `from` redirects to `to`.  Both must have the same
 * origin, or http becomes https on the same host with default ports.  The userinfo must
 * not change.  NULL: the redirect is not allowed, or no memory. */
char *mcph_net_url_follow(const char *from, const char *to);
/* True if the host is written as an address, or is localhost. */
bool mcph_net_url_is_literal(const char *url);
bool mcph_net_url_is_loopback(const char *url);

/* True if `no_proxy` contains the URL's host.  `no_proxy` is "*" or a list of names (each
 * includes its subdomains), addresses and networks ("10.0.0.0/8"), separated by commas or
 * blanks.  NULL: false. */
bool mcph_net_is_exempt(const char *no_proxy, const char *url);
/* "host:port" of a proxy, for messages.  NULL: no memory. */
char *mcph_net_proxy_place(const char *proxy);

/* True if the address is not on the public internet: loopback, link-local, private,
 * shared, unspecified, multicast, or an IPv6 address that contains one of these. */
bool mcph_net_address_is_private(const struct sockaddr *addr);
bool mcph_net_text_is_private(const char *address); /* the same for text */

#endif
