/* SPDX-License-Identifier: MIT
 *
 * internal.h - what the files of the room `net` share.
 */
#ifndef MCPH_NET_INTERNAL_H
#define MCPH_NET_INTERNAL_H

#include <curl/curl.h>

#include "net/net.h"

/* Handles kept to be used again, and from how many on one that was set up for another
 * server is rather set up anew than kept beside a new one. */
#define HANDLES_KEPT 64
#define HANDLES_WIDE 16

/* An easy handle, and for what it is set up: what requests of one kind have in common
 * is said to libcurl once. */
struct net_handle {
    CURL *easy;
    struct mcph_net_request *req; /* NULL: idle */
    uint64_t site;                /* the key of the site; 0: not set up */
    const char *method;
    char *url;
    CURLU *parsed; /* the same, or NULL */
    bool proxied;  /* by the site's own proxy */
    bool literal;  /* the host is written as an address, or a proxy goes there */
    struct curl_slist *lines; /* the headers of the request, and behind them their text */
    size_t n_lines, lines_used, lines_size; /* the latter two in bytes, with the text */
    char text[CURL_ERROR_SIZE];
};

struct mcph_net {
    struct mcph_core *core; /* a reference */
    CURLM *multi;
    struct mcph_job job;     /* requests are to be added */
    bool posted;             /* the above */
    struct mcph_timer timer; /* libcurl's, or now: sockets are ready */
    int64_t due; /* when libcurl wants to be called; 0: at once; INT64_MAX: never */
    struct mcph_list requests; /* all */
    struct mcph_list fresh;    /* requests to be added */
    struct mcph_list over;     /* requests that ended or were cancelled inside libcurl */
    struct mcph_list sockets;  /* all but those in `ready` */
    struct mcph_list ready;    /* sockets of which libcurl is to be told */
    struct mcph_list paused;   /* requests whose bodies wait for the next turn */
    struct mcph_meter meter;   /* of all bodies */
    struct net_handle *idle[HANDLES_KEPT]; /* the one used last comes last */
    size_t n_idle;
    bool renews; /* no easy handle makes two transfers: see handle.c */
    bool in_curl;
    /* A socket could not be watched: all are looked at now and then. */
    bool blind;
    struct mcph_timer look;
};

struct mcph_net_request {
    struct mcph_net *net;
    struct mcph_list link; /* net->requests */
    struct mcph_list todo; /* net->fresh or net->over */
    struct mcph_list rest; /* net->paused */
    const struct mcph_net_site *site;
    const struct mcph_net_events *events;
    void *arg;
    struct net_handle *handle;
    struct mcph_buf body;
    struct mcph_timer timer;
    int64_t total_ms, total_due, idle_ms, heard; /* total_due INT64_MAX: none */
    size_t max_body, n_body, n_head;
    unsigned n_lines;     /* of the head */
    mcphost_error *error; /* why we broke it off ourselves */
    CURLcode code;        /* in net->over */
    int status, fault;    /* MCPH_NET_FAULT_* */
    unsigned hops;
    bool added; /* to the multi handle */
    bool head_told, redirect, cancelled;
    bool refused; /* an address was not allowed */
    bool once;    /* see mcph_net_spec */
    bool lost;    /* it was sent, and the connection ended before an answer */
    bool coded;   /* the body is compressed, which was not asked for */
    bool good;    /* nothing of it is left in the handle */
};

/* multi.c: the multi handle; may be called from anywhere. */
void mcph_net_add(struct mcph_net_request *req); /* in this turn or the next */
void mcph_net_remove(struct mcph_net_request *req);
/* True: this turn has read enough, and the body goes on in the next one. */
bool mcph_net_pause(struct mcph_net_request *req);
curl_socket_t mcph_net_open_socket(struct mcph_net *net,
                                   const struct curl_sockaddr *addr);
int mcph_net_close_socket(void *net, curl_socket_t fd);

/* handle.c: handles, what they are set up for, and the headers that they send. */

/* One that is set up for this, or NULL: no memory, or libcurl does not take it. */
struct net_handle *mcph_net_handle_take(struct mcph_net *net,
                                        const struct mcph_net_spec *spec);
/* `good`: as it is, it may be used for the like again. */
void mcph_net_handle_give(struct mcph_net *net, struct net_handle *handle, bool good);
/* What differs from request to request: false as above. */
bool mcph_net_handle_aim(struct net_handle *handle, struct mcph_net_request *req,
                         const struct mcph_net_spec *spec);
/* Where a redirect leads; takes over `url`. */
bool mcph_net_handle_move(struct net_handle *handle, char *url);
/* Other headers than those that it was aimed with. */
bool mcph_net_handle_head(struct net_handle *handle,
                          const struct mcph_net_header *headers, size_t n);
void mcph_net_handles_free(struct mcph_net *net);

/* request.c: libcurl is done with it; and what it is told meanwhile. */
void mcph_net_request_ended(struct mcph_net_request *req, CURLcode code);
void mcph_net_request_free(struct mcph_net_request *req);
size_t mcph_net_request_header(char *data, size_t size, size_t n, void *handle);
size_t mcph_net_request_body(char *data, size_t size, size_t n, void *handle);
curl_socket_t mcph_net_request_socket(void *handle, curlsocktype purpose,
                                      struct curl_sockaddr *addr);
int mcph_net_request_allowed(void *handle, char *ip, char *local_ip, int port,
                             int local_port);

/* fault.c: what a failed transfer means; the caller's reference in *reterr. */
void mcph_net_explain(const struct mcph_net_request *req, CURLcode code,
                      mcphost_error **reterr);
int mcph_net_fault_of(const struct mcph_net_request *req, CURLcode code);

#endif
