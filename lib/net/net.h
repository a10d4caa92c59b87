/* SPDX-License-Identifier: MIT
 *
 * net.h - the room `net`: HTTP requests on one libcurl multi handle that lives in
 * the loop.
 *
 * Many requests at once over connections that are used again; deadlines, limits and
 * redirects are handled here.  Knows nothing of MCP: what a status or a body means is
 * its user's business.
 *
 * Everything belongs to the thread that dispatches.  Events may come from inside
 * libcurl, so whoever gets one may call every function of this header but none of
 * libcurl.  This room must never send a header to another origin than the one it was
 * meant for, and must never put a header, a userinfo or a query into a message.
 */
#ifndef MCPH_NET_H
#define MCPH_NET_H

#include "base/base.h"
#include "loop/loop.h"

struct sockaddr;
struct mcph_net;
struct mcph_net_request;

/* ---- life -------------------------------------------------------------------------- */

/* Costs next to nothing until it is prepared.  0, MCPHOST_E_NOMEM. */
int mcph_net_new(struct mcph_core *core, struct mcph_net **ret, mcphost_error **reterr);
/* The first request does this, too: initialises libcurl, which stays so until the process
 * ends.  0, MCPHOST_E_NOMEM, MCPHOST_E_STATE (a libcurl that is too old). */
int mcph_net_prepare(struct mcph_net *net, mcphost_error **reterr);
/* Cancels what is left.  Not from an event.  In a forked child the connections are
 * the parent's and nothing of libcurl is touched.  Returns NULL; NULL is allowed. */
struct mcph_net *mcph_net_free(struct mcph_net *net);

/* ---- requests ---------------------------------------------------------------------- */

#define MCPH_NET_HEADERS_MAX   ((size_t)256 * 1024) /* of one answer */
#define MCPH_NET_REDIRECTS_MAX 5
#define MCPH_NET_CONNECT_MS    10000

/* How one server is reached.  The strings are the caller's and stay as they are
 * while a request uses them. */
struct mcph_net_site {
    /* Of mcph_net_site_key(), and of this site alone as long as it is as it is: what
     * was set up for one request serves the next.  0: nothing is kept. */
    uint64_t key;
    /* "" goes without one; NULL: none for loopback, else what libcurl finds in the
     * environment.  `no_proxy`: see mcph_net_is_exempt(). */
    const char *proxy, *no_proxy;
    const char *ca_file, *ca_dir; /* NULL: the system's */
    const char *client_cert, *client_key, *key_password;
    /* Refuses addresses of loopback, link-local and private networks, unless the URL
     * itself is written with one: a name must not lead there.  Says nothing of what
     * lies behind a proxy. */
    bool public_only;
    int64_t connect_ms; /* name, connection and TLS; 0: MCPH_NET_CONNECT_MS */
};

uint64_t mcph_net_site_key(void);
/* Nothing is kept any more of the site that had this key. */
void mcph_net_forget(struct mcph_net *net, uint64_t key);

/* A header to be sent; its value has no control characters but tabs. */
struct mcph_net_header {
    const char *name, *value;
    size_t len; /* of the value */
};

/* Each may be NULL but `done`.  In each but `moved` the request may be cancelled. */
struct mcph_net_events {
    /* A redirect leads to `url`, which gets the same headers unless `moved` sets others
     * by mcph_net_set_headers().  False: the request ends, without an error. */
    bool (*moved)(struct mcph_net_request *req, const char *url, void *arg);
    /* Status and headers of the answer are there; not of a redirect. */
    void (*head)(struct mcph_net_request *req, void *arg);
    /* Bytes of the body. */
    void (*body)(struct mcph_net_request *req, const char *data, size_t len, void *arg);
    /* The end, once, unless the request is cancelled; `error` (borrowed) is NULL when
     * the answer came whole, else MCPHOST_E_TRANSPORT, _TIMEOUT, _LIMIT, _NOMEM or, for
     * a redirect that is not followed and a body that is compressed, _PROTOCOL.  The
     * request is gone afterwards. */
    void (*done)(struct mcph_net_request *req, mcphost_error *error, void *arg);
};

struct mcph_net_spec {
    const struct mcph_net_site *site; /* outlives the request */
    const char *method;               /* "GET", "POST", "DELETE"; static */
    const char *url;
    const struct mcph_net_header *headers;
    size_t n_headers;
    struct mcph_buf *body;     /* its bytes are taken over; NULL: none */
    int64_t total_ms, idle_ms; /* 0: none.  idle: no byte came */
    size_t max_body;           /* bytes; 0: no limit */
    bool once; /* not sent again when a connection that was open already ends under it */
    const struct mcph_net_events *events;
    void *arg;
};

/* Begins, in this turn or the next; no event comes from inside.  0, MCPHOST_E_NOMEM
 * (also an option that libcurl does not take), or an error of mcph_net_prepare(); on
 * failure the body is still the caller's. */
int mcph_net_start(struct mcph_net *net, const struct mcph_net_spec *spec,
                   struct mcph_net_request **ret, mcphost_error **reterr);
/* No event comes any more; takes no time, whatever the request waits for.  Returns
 * NULL; NULL is allowed. */
struct mcph_net_request *mcph_net_cancel(struct mcph_net_request *req);

/* What kind of thing went wrong. */
enum {
    MCPH_NET_FAULT_NONE,
    MCPH_NET_FAULT_NAME,     /* it has no address */
    MCPH_NET_FAULT_CONNECT,  /* nobody answers */
    MCPH_NET_FAULT_TLS,      /* no handshake, or no trust */
    MCPH_NET_FAULT_TALK,     /* a connection that ended, or spoke something else */
    MCPH_NET_FAULT_REDIRECT, /* that is not followed */
    MCPH_NET_FAULT_OTHER
};

/* In `done` alone. */
int mcph_net_get_fault(const struct mcph_net_request *req);
/* In `done` alone: a connection that was open before ended under the request, and `once`
 * kept the request from being sent again.  It may have reached the server. */
bool mcph_net_was_lost(const struct mcph_net_request *req);
/* What is sent, borrowed; empty for a request without a body. */
const struct mcph_buf *mcph_net_get_body(const struct mcph_net_request *req);
/* In `done` alone: the body that was sent, to be sent again; `ret` is overwritten. */
void mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret);

/* From head on. */
int mcph_net_get_status(const struct mcph_net_request *req);
/* The value of the answer's header, the `index`th of this name; NULL: there is none.
 * Valid until the next call for this request, or its end. */
const char *mcph_net_get_header(struct mcph_net_request *req, const char *name,
                                size_t index);
/* In `moved` alone: replaces all headers.  0, MCPHOST_E_NOMEM. */
int mcph_net_set_headers(struct mcph_net_request *req,
                         const struct mcph_net_header *headers, size_t n);
/* Anew, from now on; 0: none. */
void mcph_net_set_total(struct mcph_net_request *req, int64_t ms);
void mcph_net_set_idle(struct mcph_net_request *req, int64_t ms);
void mcph_net_set_max_body(struct mcph_net_request *req, size_t max);
/* What came in cost this much besides its bytes: the sooner bodies wait for the next
 * turn. */
void mcph_net_spend(struct mcph_net *net, size_t cost);

/* ---- credentials ---------------------------------------------------------------------
 * The seam between the requests of a server and the provider of its credentials, which
 * stands above this room.  The sender of a request shows each attempt to the provider,
 * and each answer; the provider adds headers, and says what a refusal leads to.  All on
 * the dispatcher. */

/* Told once when the credentials that it waits for are there; until then its link is in
 * a list of the provider's.  To wait no longer, take it out. */
struct mcph_net_waiter {
    struct mcph_list link;
    void (*ready)(struct mcph_net_waiter *waiter);
};

/* One sending of a request: the sender keeps it from attach() to answered().  To follow a
 * redirect is an attempt, and so is to send a request again after its connection was
 * lost. */
struct mcph_net_attempt {
    const char *method, *url; /* of this sending */
    unsigned number;          /* from 1 */
    unsigned refusals;        /* attempts before this one that were refused */
    bool is_resend;           /* a sending before this one got no answer */
    /* What attach() adds: headers, each as name, NUL, value, NUL.  `lines` are secrets;
     * `proof` is good for this attempt alone, and nothing sends it a second time. */
    struct mcph_buf lines, proof;
    /* The provider's own: which of its credentials these are; 0 before attach(). */
    uint64_t mark;
};

#define MCPH_NET_AUTH_BODY ((size_t)64 * 1024)

/* Borrowed; what the sender knows to be secret is covered. */
struct mcph_net_answer {
    int status;
    const char *body; /* its first MCPH_NET_AUTH_BODY bytes; of a success none */
    size_t body_len;
    bool is_cut; /* the body had more */
    /* The value of the `index`th header of this name, valid until the next call; NULL:
     * there is none, or no memory. */
    const char *(*header)(const struct mcph_net_answer *answer, const char *name,
                          size_t index);
};

/* What an answer means. */
enum {
    MCPH_NET_AUTH_PASS,  /* it stands */
    MCPH_NET_AUTH_RETRY, /* the request is sent again at once: attach() is called anew */
    MCPH_NET_AUTH_WAIT,  /* likewise, when the waiter is told */
    MCPH_NET_AUTH_FAIL   /* it stands, and *reterr says why credentials do not help */
};

struct mcph_net_auth {
    /* 0; 1: the headers are not known yet, `waiter` will be told; or negative, with the
     * reason, and the request fails. */
    int (*attach)(struct mcph_net_auth *auth, struct mcph_net_attempt *attempt,
                  struct mcph_net_waiter *waiter, mcphost_error **reterr);
    /* Told of each answer: of a success at its headers, of any other at its end.  If
     * `waiter` is NULL, the answer stands whatever this returns.  MCPH_NET_AUTH_*. */
    int (*answered)(struct mcph_net_auth *auth, const struct mcph_net_attempt *attempt,
                    const struct mcph_net_answer *answer, struct mcph_net_waiter *waiter,
                    mcphost_error **reterr);
    /* Whether somebody is asked and has not answered; may be NULL. */
    bool (*is_asking)(struct mcph_net_auth *auth);
    /* Adds what tells one user of the server from another: the same bytes for the same
     * user, without proofs.  Secrets.  0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT. */
    int (*identify)(struct mcph_net_auth *auth, struct mcph_buf *who);
};

/* ---- URLs and addresses (url.c, proxy.c, address.c) -------------------------------- */

/* Scheme, host, port and path: what may be shown of a URL.  NULL: no memory. */
char *mcph_net_url_shown(const char *url);
/* "host:port", for messages.  NULL: no memory. */
char *mcph_net_url_place(const char *url);
/* "scheme://host:port" in small letters, to be compared.  NULL: no memory, or no URL of
 * http or https. */
char *mcph_net_url_origin(const char *url);
/* `reference` as seen from `base`; NULL: no memory, or no URL. */
char *mcph_net_url_resolve(const char *base, const char *reference);
/* Another path of the same origin, without userinfo and query, which are secrets; NULL:
 * no memory, or no URL. */
char *mcph_net_url_at(const char *base, const char *path);
/* Same scheme, host and port. */
bool mcph_net_url_same_origin(const char *a, const char *b);
/* The URL to go on with when `from` redirects to `to`: when both are of one origin (or
 * http becomes https on the same host, both on their default ports) and no other
 * userinfo is asked for.  NULL: not allowed, or no memory. */
char *mcph_net_url_follow(const char *from, const char *to);
/* The host is written as an address, or is localhost. */
bool mcph_net_url_is_literal(const char *url);
bool mcph_net_url_is_loopback(const char *url);

/* Whether a list of names (with all below them), addresses and networks ("10.0.0.0/8"),
 * parted by commas or blanks, or "*", has the URL's host.  NULL: no. */
bool mcph_net_is_exempt(const char *no_proxy, const char *url);
/* "host:port" of a proxy, for messages.  NULL: no memory. */
char *mcph_net_proxy_place(const char *proxy);

/* Not on the public internet: loopback, link-local, private, shared, unspecified,
 * multicast, also inside an IPv6 address. */
bool mcph_net_address_is_private(const struct sockaddr *addr);
bool mcph_net_text_is_private(const char *address); /* the same, written */

#endif
