/* SPDX-License-Identifier: MIT
 *
 * internal.h - what the files of the room `net` share.
 */
#ifndef MCPH_NET_INTERNAL_H
#define MCPH_NET_INTERNAL_H

#include <curl/curl.h>

#include "net/net.h"

#define EASIES_KEPT 16

struct mcph_net {
    struct mcph_core *core; /* a reference */
    CURLM *multi;
    struct mcph_timer timer;   /* libcurl's */
    struct mcph_list requests; /* all */
    struct mcph_list todo;     /* requests that came or went while libcurl was running */
    struct mcph_list sockets;
    CURL *easies[EASIES_KEPT]; /* to be used again */
    size_t n_easies;
    bool in_curl;
    /* A socket could not be watched: all are looked at now and then. */
    bool blind;
    struct mcph_timer look;
};

struct mcph_net_request {
    struct mcph_net *net;
    struct mcph_list link; /* net->requests */
    struct mcph_list todo; /* net->todo */
    const struct mcph_net_site *site;
    const struct mcph_net_events *events;
    void *arg;
    const char *method;
    char *url;
    CURL *easy;
    struct curl_slist *headers;
    struct mcph_buf body;
    struct mcph_timer timer;
    int64_t total_ms, total_due, idle_ms, heard; /* total_due INT64_MAX: none */
    size_t max_body, n_body, n_head;
    mcphost_error *error; /* why we broke it off ourselves */
    int status;
    unsigned hops;
    bool added; /* to the multi handle */
    bool head_told, redirect, literal, cancelled;
    bool refused; /* an address was not allowed */
    char text[CURL_ERROR_SIZE];
};

/* multi.c: the multi handle; may be called from anywhere. */
int net_add(struct mcph_net_request *req); /* 0, MCPHOST_E_NOMEM */
void net_remove(struct mcph_net_request *req);
CURL *net_take_easy(struct mcph_net *net);
void net_give_easy(struct mcph_net *net, CURL *easy);

/* request.c: libcurl is done with it. */
void request_ended(struct mcph_net_request *req, CURLcode code);
void request_free(struct mcph_net_request *req);

/* fault.c: what a failed transfer means; the caller's reference in *reterr. */
void net_explain(const struct mcph_net_request *req, CURLcode code,
                 mcphost_error **reterr);

#endif
