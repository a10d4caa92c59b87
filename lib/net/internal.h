/* SPDX-License-Identifier: MIT
 *
 * internal.h - declarations that the files of lib/net share.
 */
#ifndef MCPH_NET_INTERNAL_H
#define MCPH_NET_INTERNAL_H

#include <curl/curl.h>

#include "net/net.h"

/* At most HANDLES_KEPT idle handles are kept.  A request prefers an idle handle that is
 * set up for the request, and otherwise takes an idle handle that is not set up.  If
 * there is no such handle, the request creates a handle while fewer than HANDLES_WIDE
 * handles are idle.  Otherwise the request resets the handle that has been idle for
 * longest. */
#define HANDLES_KEPT 64
#define HANDLES_WIDE 16

/* An easy handle, and the options that it is set up for: site, method and URL. */
struct net_handle {
    CURL *easy;
    struct mcph_net_request *req; /* the request; NULL if the handle is idle */
    uint64_t site;                /* the key of the site; 0 if the handle is not set up */
    const char *method;
    char *url;
    CURLU *parsed; /* `url` parsed, or NULL */
    bool proxied;  /* the site's own proxy is used */
    bool literal;  /* the URL's host is an address or localhost, or `proxied` is true */
    struct curl_slist *lines; /* the headers of the request: list nodes, then texts */
    size_t n_lines, lines_used, lines_size; /* `n_lines`: number of headers in `lines`;
                                             * `lines_used`, `lines_size`: bytes of
                                             * `lines` used and allocated, for nodes
                                             * and text */
    char text[CURL_ERROR_SIZE];
};

struct mcph_net {
    struct mcph_core *core; /* a reference */
    CURLM *multi;
    struct mcph_job job;     /* drives libcurl */
    bool posted;             /* `job` is posted */
    struct mcph_timer timer; /* runs at `due`, or at once if sockets are ready */
    int64_t due; /* when libcurl wants to be called; 0 for at once, INT64_MAX for never */
    struct mcph_list requests; /* all requests */
    struct mcph_list fresh;    /* requests to be added to `multi` */
    struct mcph_list over;     /* requests that ended or were cancelled inside libcurl */
    struct mcph_list sockets;  /* all sockets that are not in `ready` */
    struct mcph_list ready;    /* ready sockets that were not yet reported to libcurl */
    struct mcph_list paused;   /* requests whose bodies wait for the next turn */
    struct mcph_meter meter;   /* the budget that all requests have spent in this turn */
    struct net_handle *idle[HANDLES_KEPT]; /* in the order of last use, oldest first */
    size_t n_idle;
    bool renews; /* each transfer needs a new easy handle: see handle.c */
    bool in_curl;
    /* `blind` is true if a socket cannot be watched.  Then `look` tries all transfers
     * every LOOK_MS. */
    bool blind;
    struct mcph_timer look;
};

struct mcph_net_request {
    struct mcph_net *net;
    struct mcph_list link; /* in net->requests */
    struct mcph_list todo; /* link in net->fresh or net->over */
    struct mcph_list rest; /* in net->paused */
    const struct mcph_net_site *site;
    const struct mcph_net_events *events;
    void *arg;
    struct net_handle *handle;
    struct mcph_buf body;
    struct mcph_timer timer;
    int64_t total_ms, total_due, idle_ms, heard; /* `total_ms`: limit on the request;
                                                  * `total_due`: its deadline, or
                                                  * INT64_MAX; `idle_ms`: limit on
                                                  * silence; `heard`: time of the
                                                  * last byte */
    size_t max_body, n_body, n_head;
    unsigned n_lines;     /* header lines of the response */
    mcphost_error *error; /* the reason why lib/net ended the transfer, or NULL */
    CURLcode code;        /* libcurl's result; set while the request is in net->over */
    int status, fault;    /* `status`: HTTP status; `fault`: MCPH_NET_FAULT_* */
    unsigned hops;
    bool added; /* the multi handle has the request */
    bool head_told, redirect, cancelled;
    bool refused; /* an address was not allowed */
    bool once;    /* do not resend: see mcph_net_spec */
    bool lost;    /* the connection ended after sending, before a response */
    bool coded;   /* the body is compressed, although the request did not allow it */
    bool good;    /* the handle can be reused as it is */
};

/* multi.c: the multi handle.  Requests may be added at any time, but must not be removed
 * inside libcurl's callbacks. */
void mcph_net_add(struct mcph_net_request *req); /* starts the request in this turn of
                                                  * the event loop or the next */
void mcph_net_remove(struct mcph_net_request *req);
/* Pauses the body if this turn has read its budget.  The body continues in the next turn.
 * Returns true if the body is paused. */
bool mcph_net_pause(struct mcph_net_request *req);
curl_socket_t mcph_net_open_socket(struct mcph_net *net,
                                   const struct curl_sockaddr *addr);
int mcph_net_close_socket(void *net, curl_socket_t fd);

/* handle.c: easy handles, their options, and the headers that they send. */

/* Takes a handle that is set up for `spec`.  Returns NULL if there is no memory or
 * libcurl rejects an option. */
struct net_handle *mcph_net_handle_take(struct mcph_net *net,
                                        const struct mcph_net_spec *spec);
/* Gives the handle back.  If `good` is true, its options stay for the next request with
 * this site, method and URL. */
void mcph_net_handle_give(struct mcph_net *net, struct net_handle *handle, bool good);
/* Sets the options that differ between requests.  Returns false if there is no memory or
 * libcurl rejects an option. */
bool mcph_net_handle_aim(struct net_handle *handle, struct mcph_net_request *req,
                         const struct mcph_net_spec *spec);
/* Follows a redirect to `url`.  Takes over `url`.  Returns false if there is no memory or
 * libcurl rejects an option. */
bool mcph_net_handle_move(struct net_handle *handle, char *url);
/* Replaces the headers that mcph_net_handle_aim() set.  Returns false if there is no
 * memory or libcurl rejects an option. */
bool mcph_net_handle_head(struct net_handle *handle,
                          const struct mcph_net_header *headers, size_t n);
void mcph_net_handles_free(struct mcph_net *net);

/* request.c: the end of a transfer, the end of a request, and libcurl's callbacks. */
void mcph_net_request_ended(struct mcph_net_request *req, CURLcode code);
void mcph_net_request_free(struct mcph_net_request *req);
size_t mcph_net_request_header(char *data, size_t size, size_t n, void *handle);
size_t mcph_net_request_body(char *data, size_t size, size_t n, void *handle);
curl_socket_t mcph_net_request_socket(void *handle, curlsocktype purpose,
                                      struct curl_sockaddr *addr);
int mcph_net_request_allowed(void *handle, char *ip, char *local_ip, int port,
                             int local_port);

/* fault.c: the reason why a transfer failed.  The caller of mcph_net_explain() owns the
 * error in *reterr. */
void mcph_net_explain(const struct mcph_net_request *req, CURLcode code,
                      mcphost_error **reterr);
int mcph_net_fault_of(const struct mcph_net_request *req, CURLcode code);

#endif
