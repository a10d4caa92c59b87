/* SPDX-License-Identifier: MIT
 *
 * net.h - interface of lib/net: HTTP requests on one libcurl multi handle in the event
 * loop.
 *
 * Many requests run at once, over connections that are reused.  lib/net handles
 * deadlines, limits and redirects.  lib/net makes and parses no MCP message.  Only
 * status.c explains the statuses of an MCP server.
 *
 * All objects belong to the thread that dispatches.  An event may call every function of
 * this header except mcph_net_free(), but no function of libcurl, because the event may
 * run inside libcurl.
 * lib/net must never send a header to an origin that the header is not meant for.
 * lib/net must never put a header, a userinfo or a query into a message.
 */
#ifndef MCPH_NET_H
#define MCPH_NET_H

#include "base/base.h"
#include "loop/loop.h"

struct sockaddr;
struct mcph_net;
struct mcph_net_request;

/* False if the library was built without HTTP.  Then mcph_net_new() sets *ret to NULL and
 * returns 0, mcph_net_prepare() fails, and lib/net has only the functions of absent.c and
 * status.c. */
extern const bool mcph_net_is_built;

/* ---- life -------------------------------------------------------------------------- */

/* Makes the object, but does not set up libcurl.  mcph_net_prepare() sets up libcurl.
 * Returns 0 or MCPHOST_E_NOMEM. */
int mcph_net_new(struct mcph_core *core, struct mcph_net **ret, mcphost_error **reterr);
/* Initialises libcurl for the rest of the process, and makes the multi handle.  Does
 * nothing if the multi handle exists.  mcph_net_start() calls this function.  Returns 0,
 * MCPHOST_E_NOMEM, or MCPHOST_E_STATE if libcurl is too old or does not start. */
int mcph_net_prepare(struct mcph_net *net, mcphost_error **reterr);
/* Cancels all requests and frees the object.  Must not be called from an event.  In a
 * forked child the function leaks the requests and does not touch libcurl, because the
 * connections belong to the parent.  `net` may be NULL.  Returns NULL. */
struct mcph_net *mcph_net_free(struct mcph_net *net);

/* ---- requests ---------------------------------------------------------------------- */

/* Limit on the bytes of one response's headers. */
#define MCPH_NET_HEADERS_MAX   ((size_t)256 * 1024)
#define MCPH_NET_REDIRECTS_MAX 5
#define MCPH_NET_CONNECT_MS    10000

/* How to reach one server.  The caller owns the strings and must not change them while a
 * request uses them. */
struct mcph_net_site {
    /* A key from mcph_net_site_key().  A site that changes needs a new key, because
     * requests of the same key share handles.  If the key is 0, no handle is kept for
     * this site. */
    uint64_t key;
    /* The proxy's URL.  "" means no proxy.  NULL means no proxy for loopback, and the
     * proxy of the environment for other hosts.  mcph_net_is_exempt() describes
     * `no_proxy`. */
    const char *proxy, *no_proxy;
    const char *ca_file, *ca_dir; /* if both are NULL, the system's certificates are
                                   * used */
    const char *client_cert, *client_key, *key_password;
    /* If true, lib/net refuses a host name that leads to an address outside the public
     * internet.  An address or "localhost" in the URL itself is permitted.  If the
     * request uses the proxy of this site, lib/net checks no addresses.  If the request
     * uses the proxy of the environment, lib/net checks the address of the proxy. */
    bool public_only;
    int64_t connect_ms; /* limit in ms for name lookup, connection and TLS; 0 means
                         * MCPH_NET_CONNECT_MS */
};

uint64_t mcph_net_site_key(void);
/* Resets all idle handles of the site that had this key. */
void mcph_net_forget(struct mcph_net *net, uint64_t key);

/* Copies a site with its texts (site.c).  The copy has the same key.  Returns 0, or
 * MCPHOST_E_NOMEM with an empty *ret. */
int mcph_net_site_copy(const struct mcph_net_site *site, struct mcph_net_site *ret);
/* Wipes and frees the texts of a copy.  A zeroed site is allowed. */
void mcph_net_site_done(struct mcph_net_site *site);

/* A header to be sent.  Its value has no control characters but tabs. */
struct mcph_net_header {
    const char *name, *value;
    size_t len; /* length of the value */
};

/* Functions that report the events of a request.  Every function except `done` may be
 * NULL.  Inside every function except `moved`, the request may be cancelled. */
struct mcph_net_events {
    /* Called when a redirect leads to `url`.  The same headers are sent to `url` unless
     * `moved` replaces them by mcph_net_set_headers().  If `moved` returns false, the
     * request ends without an error. */
    bool (*moved)(struct mcph_net_request *req, const char *url, void *arg);
    /* Called when status and headers of the response are known.  Not called for a
     * redirect. */
    void (*head)(struct mcph_net_request *req, void *arg);
    /* Called when bytes of the body arrive. */
    void (*body)(struct mcph_net_request *req, const char *data, size_t len, void *arg);
    /* Called once when the request ended, but not after a cancel.  `error` (borrowed) is
     * NULL if the response is complete or `moved` returned false.  Else its code is
     * MCPHOST_E_TRANSPORT, _TIMEOUT, _LIMIT, _NOMEM or _PROTOCOL (a redirect that is not
     * followed, a compressed body).  The request is freed after this function returns. */
    void (*done)(struct mcph_net_request *req, mcphost_error *error, void *arg);
};

struct mcph_net_spec {
    const struct mcph_net_site *site; /* must outlive the request */
    const char *method;               /* "GET", "POST" or "DELETE"; a static string */
    const char *url;
    const struct mcph_net_header *headers;
    size_t n_headers;
    struct mcph_buf *body;     /* bytes that the request takes over; NULL for no body */
    int64_t total_ms, idle_ms; /* limits in ms, where 0 means no limit; idle_ms is the
                                * time without a byte */
    size_t max_body;           /* limit in bytes; 0 means no limit */
    bool once;                 /* do not resend if a reused connection ends */
    const struct mcph_net_events *events;
    void *arg;
};

/* Starts a request.  The request begins in this turn of the dispatcher or the next.  No
 * event is called from inside this function.  Returns 0, MCPHOST_E_NOMEM (also for an
 * option that libcurl rejects), or an error of mcph_net_prepare().  On failure the caller
 * keeps the body. */
int mcph_net_start(struct mcph_net *net, const struct mcph_net_spec *spec,
                   struct mcph_net_request **ret, mcphost_error **reterr);
/* Cancels a request.  After this call, no event of the request is called.  Never blocks,
 * whatever the request waits for.  `req` may be NULL.  Returns NULL. */
struct mcph_net_request *mcph_net_cancel(struct mcph_net_request *req);

/* The reasons why a request failed. */
enum {
    MCPH_NET_FAULT_NONE,
    MCPH_NET_FAULT_NAME,     /* the name cannot be resolved */
    MCPH_NET_FAULT_CONNECT,  /* no connection was made */
    MCPH_NET_FAULT_TLS,      /* the TLS handshake failed, or the peer is not trusted */
    MCPH_NET_FAULT_TALK,     /* the connection ended, or the peer is silent or does not
                              * speak HTTP */
    MCPH_NET_FAULT_REDIRECT, /* there was a redirect that is not followed */
    MCPH_NET_FAULT_OTHER
};

/* Returns why the request failed: MCPH_NET_FAULT_*.  Call this in `done` only. */
int mcph_net_get_fault(const struct mcph_net_request *req);
/* Returns true if a reused connection ended during the request, and `once` kept the
 * request from being sent again.  The request may have reached the server.  Call this in
 * `done` only. */
bool mcph_net_was_lost(const struct mcph_net_request *req);
/* Returns the body to send, borrowed.  The body is empty if the request has none. */
const struct mcph_buf *mcph_net_get_body(const struct mcph_net_request *req);
/* Moves the sent body to `ret`, so that it can be sent again.  The old content of `ret`
 * is overwritten, not freed.  Call this in `done` only. */
void mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret);

/* Returns the status of the response.  The status is known from `head` on. */
int mcph_net_get_status(const struct mcph_net_request *req);
/* Returns the value of the response's `index`th header of this name, or NULL if there is
 * none.  The value is valid until the next call for this request, or until the request
 * ends. */
const char *mcph_net_get_header(struct mcph_net_request *req, const char *name,
                                size_t index);
/* Returns the value of a header Date in seconds since 1970, or -1 if it is no date. */
int64_t mcph_net_read_date(const char *value);
/* Replaces all headers.  Call this in `moved` only.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_net_set_headers(struct mcph_net_request *req,
                         const struct mcph_net_header *headers, size_t n);
/* These functions set a new limit, where 0 means no limit.  A limit in ms counts from the
 * call. */
void mcph_net_set_total(struct mcph_net_request *req, int64_t ms);
void mcph_net_set_idle(struct mcph_net_request *req, int64_t ms);
void mcph_net_set_max_body(struct mcph_net_request *req, size_t max);
/* Adds `cost` to the budget that this turn has spent, for work besides the bytes
 * received.  Bodies wait for the next turn when the budget is spent. */
void mcph_net_spend(struct mcph_net *net, size_t cost);

/* ---- words for failures (status.c) ------------------------------------------------- */

/* The meaning of an HTTP status of a server, or of an MCPH_NET_FAULT_*. */
struct mcph_net_meaning {
    int first, last;   /* the statuses, or the fault, that have this meaning */
    int code;          /* MCPHOST_E_* of the failure */
    const char *words; /* text that continues "answered with HTTP status %d"; may be "" */
    /* The likely cause of the failure, and what the user should do next. */
    const char *cause, *next;
    /* The likely cause if the server answers other requests.  NULL means that `cause`
     * applies. */
    const char *cause_if_up;
};

const struct mcph_net_meaning *mcph_net_status_meaning(int status);
const struct mcph_net_meaning *mcph_net_fault_meaning(int fault); /* MCPH_NET_FAULT_* */

/* ---- credentials ---------------------------------------------------------------------
 * The interface between the sender of a request and the provider of the credentials.  The
 * provider is in lib/auth.  The sender shows each attempt and each response to the
 * provider.  The provider adds headers, and decides what happens after a refusal.  All
 * calls are made on the dispatcher. */

/* A sender that waits for credentials.  The provider calls ready() once, when the
 * credentials are available, or when the provider has given up: then the next attach()
 * fails or adds no credentials.  Until then `link` is in a list of the provider.  To stop
 * waiting, remove `link` from the list. */
struct mcph_net_waiter {
    struct mcph_list link;
    void (*ready)(struct mcph_net_waiter *waiter);
};

/* One sending of a request.  The sender keeps the attempt from attach() to answered().  A
 * new attempt also starts when the request follows a redirect, or when the sender repeats
 * the request after a lost connection. */
struct mcph_net_attempt {
    const char *method, *url; /* method and URL of this attempt */
    unsigned number;          /* number of this attempt, from 1 */
    unsigned refusals;        /* number of earlier attempts that were refused */
    bool is_resend;           /* an earlier attempt got no response */
    bool is_quiet; /* attach() begins no login, asks no question, never returns 1 */
    /* The headers that attach() adds, each as name, NUL, value, NUL.  `lines` are
     * secrets.  `proof` is valid for this attempt only and is never sent again. */
    struct mcph_buf lines, proof;
    /* The provider gives each set of credentials a mark, and stores here the mark of the
     * set that it used.  Before attach(), the mark is 0. */
    uint64_t mark;
};

#define MCPH_NET_AUTH_BODY ((size_t)64 * 1024)

/* A response, borrowed.  The secrets that the sender knows are masked in the body, but
 * not in the headers, because the mask could damage a URL or a scope that contains the
 * same characters as a secret. */
struct mcph_net_answer {
    int status;
    const char *body; /* the first MCPH_NET_AUTH_BODY bytes of the body; empty for a
                       * successful response */
    size_t body_len;
    bool is_cut; /* the whole body is longer than `body` */
    /* Returns the value of the `index`th header of this name, valid until the next call.
     * Returns NULL if the header does not exist or there is no memory. */
    const char *(*header)(const struct mcph_net_answer *answer, const char *name,
                          size_t index);
    /* Masks the secrets that the sender knows.  Call this function before you show
     * text of a header. */
    void (*cover)(const struct mcph_net_answer *answer, char *text, size_t len);
};

/* The actions of the sender after a response. */
enum {
    MCPH_NET_AUTH_PASS,  /* accepts the response */
    MCPH_NET_AUTH_RETRY, /* sends the request again at once, with a new attach() */
    MCPH_NET_AUTH_WAIT,  /* sends the request again after the waiter's ready() */
    MCPH_NET_AUTH_FAIL   /* accepts the response; *reterr says why credentials do not
                          * help */
};

struct mcph_net_auth {
    /* Adds headers to the attempt.  Returns 0, or 1 if the headers are not known yet.
     * After a result of 1 the provider calls ready() of `waiter`.  If the result is
     * negative, the request fails with *reterr. */
    int (*attach)(struct mcph_net_auth *auth, struct mcph_net_attempt *attempt,
                  struct mcph_net_waiter *waiter, mcphost_error **reterr);
    /* Decides what the sender does after a response, and returns MCPH_NET_AUTH_*.  Called
     * after the headers of a successful response, or at the end of any other response.
     * If `waiter` is NULL, the response is accepted whatever this function returns. */
    int (*answered)(struct mcph_net_auth *auth, const struct mcph_net_attempt *attempt,
                    const struct mcph_net_answer *answer, struct mcph_net_waiter *waiter,
                    mcphost_error **reterr);
    /* Returns true while the provider asks for credentials or logs in, or if the error of
     * the request already says why there are no credentials.  In both cases the sender
     * need not look for the reason of a refusal.  May be NULL. */
    bool (*is_asking)(struct mcph_net_auth *auth);
    /* Appends the present credentials, as bytes that identify the user of the server.
     * The bytes differ for users with different credentials.  A new token of the same
     * user also gives other bytes.  The bytes do not contain the `proof` of an attempt.
     * They are secrets.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_LIMIT. */
    int (*identify)(struct mcph_net_auth *auth, struct mcph_buf *who);
};

/* ---- URLs and addresses (url.c, proxy.c, address.c) -------------------------------- */

/* Returns the part of a URL that may be shown: scheme, host, port and path.  Returns "(a
 * URL)" if the text is not a URL, and NULL if there is no memory. */
char *mcph_net_url_shown(const char *url);
/* Returns the "host:port" of a URL, for messages.  Returns "(a URL)" if the text is not a
 * URL, and NULL if there is no memory. */
char *mcph_net_url_place(const char *url);
/* Returns "scheme://host:port" in lower case, for comparisons.  Returns NULL if there is
 * no memory or the text is not an http or https URL. */
char *mcph_net_url_origin(const char *url);
/* Resolves `reference` relative to `base`.  Returns NULL if there is no memory or one of
 * the texts is not a URL. */
char *mcph_net_url_resolve(const char *base, const char *reference);
/* Returns the URL of `path` at the origin of `base`.  Leaves out userinfo and query,
 * because they may be secrets.  Returns NULL if there is no memory or `base` is not a
 * URL. */
char *mcph_net_url_at(const char *base, const char *path);
/* Returns 1 if two URLs have the same scheme, host and port, 0 if not or if a text is not
 * a URL, or MCPHOST_E_NOMEM. */
int mcph_net_url_compare_origins(const char *a, const char *b);
/* Returns true if mcph_net_url_compare_origins() returns 1. */
bool mcph_net_url_same_origin(const char *a, const char *b);
/* Returns the URL for the next request when `from` redirects to `to`.  Both URLs must
 * have the same origin, or the redirect must lead from http to https on the same host,
 * with default ports.  If `to` has no userinfo, the result has the userinfo of `from`.
 * A different userinfo in `to` is not allowed.  Returns NULL if the redirect is not
 * allowed or there is no memory. */
char *mcph_net_url_follow(const char *from, const char *to);
/* Where the host of a URL is, as far as the URL itself tells. */
enum mcph_net_where {
    MCPH_NET_WHERE_NAME,    /* a name: only the name service knows the address */
    MCPH_NET_WHERE_PUBLIC,  /* an address on the public internet */
    MCPH_NET_WHERE_PRIVATE, /* any other address */
    MCPH_NET_WHERE_LOOPBACK /* this machine: a loopback address, or localhost */
};

/* Sets *ret to the place of the URL's host.  Returns 0, MCPHOST_E_INVALID if the text is
 * not a URL, or MCPHOST_E_NOMEM. */
int mcph_net_url_locate(const char *url, enum mcph_net_where *ret);
/* The next two functions return false if the text is not a URL or there is no memory.
 * mcph_net_url_is_literal() returns true if the host is written as an address, or is
 * localhost. */
bool mcph_net_url_is_literal(const char *url);
bool mcph_net_url_is_loopback(const char *url);

/* Returns true if `no_proxy` contains the URL's host.  `no_proxy` is "*" or a list of
 * names (each includes its subdomains), addresses and networks ("10.0.0.0/8"), separated
 * by commas or blanks.  If `no_proxy` is NULL, returns false. */
bool mcph_net_is_exempt(const char *no_proxy, const char *url);
/* Returns the host of a proxy, with ":" and the port if the URL has a port, for messages.
 * Returns "(a proxy)" if the text is not a URL, and NULL if there is no memory. */
char *mcph_net_proxy_place(const char *proxy);

/* Returns true if the address is not on the public internet: loopback, link-local,
 * private, shared, reserved, unspecified, multicast, or an IPv6 address that contains one
 * of these addresses. */
bool mcph_net_address_is_private(const struct sockaddr *addr);
bool mcph_net_text_is_private(const char *address); /* for an address as text; also
                                                     * returns true if the text is not
                                                     * an address */

#endif
