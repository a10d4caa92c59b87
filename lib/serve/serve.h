/* SPDX-License-Identifier: MIT
 *
 * serve.h - the room `serve`: a view served to another MCP client.
 *
 *   descriptors --pair-- connection --service (offering.c, passing.c)-- dialog -- servers
 *
 * The client is a dialog of the view: it sees what the view shows, by the names of the
 * view, and has its own leases.  The room passes requests on as calls of the dialog, and
 * what servers ask in their course (asking.c) on to the client.  It decides nothing that
 * the view, its grant or the policies decide.
 *
 * Everything is the dispatcher's but what is marked.
 */
#ifndef MCPH_SERVE_H
#define MCPH_SERVE_H

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/request.h"
#include "host/subscription.h"
#include "provide/connection.h"

#include <mcphost/mcphost.h>

struct mcphost_serving {
    struct mcph_refs refs;  /* the application's, and ours until it is over */
    mcphost *host;          /* its memory */
    mcphost_dialog *dialog; /* a user's reference */
    int in, out;            /* duplicates, until it begins; -1 */
    struct mcph_job begin, close;

    struct mcph_service service;
    struct mcph_tap tap;
    struct mcph_transport *transport;
    struct mcph_connection *connection;
    struct mcph_list passed;        /* struct mcph_passed.link */
    struct mcph_list subscriptions; /* struct watched.link */
    int level;                      /* MCPHOST_MESSAGES_* that the client wants, from */
    bool is_up; /* the first load is over, and the connection was told */
    bool is_over;
    atomic_bool closing; /* under the lock: close was called */
};

/* serving.c; any thread, as the public functions. */
int mcph_serve_fd(mcphost_view *view, int in, int out, const char *dialog_id,
                  mcphost_serving **ret, mcphost_error **reterr);
int mcph_serving_close(mcphost_serving *serving);
mcphost_serving *mcph_serving_ref(mcphost_serving *serving);
mcphost_serving *mcph_serving_unref(mcphost_serving *serving); /* returns NULL */

/* ---- shared by the files of the room ----------------------------------------------- */

static inline mcphost_serving *
mcph_serving_of(struct mcph_service *service)
{
    return MCPH_CONTAINER_OF(service, mcphost_serving, service);
}

/* A request on its way through the host. */
struct mcph_passed {
    struct mcph_list link;      /* in the serving's, until it is answered */
    mcphost_serving *serving;   /* a reference */
    struct mcph_served *served; /* NULL: not wanted any more */
    mcphost_call *call;         /* a reference */
    struct mcph_list asked;     /* what its server asks the client (asking.c) */
};

/* passing.c: as in struct mcph_service_ops. */
int mcph_pass_begin(struct mcph_service *service, struct mcph_served *served,
                    mcphost_error **reterr);
void mcph_pass_abandon(struct mcph_service *service, struct mcph_served *served);
/* The request whose call this is (NULL: the first one); NULL: none. */
struct mcph_passed *mcph_pass_find(const mcphost_serving *serving,
                                   const mcphost_call *call);
/* offering.c: likewise. */
int mcph_offer_list(struct mcph_service *service, int kind, struct mcph_frame **ret);
/* As a server lists it; borrowed, or NULL. */
mcphost_tool *mcph_offer_find_template(const mcphost_catalog *catalog,
                                       const char *template);
/* The server that has a resource of this URI, or a template that it fits, by the key that
 * the view has for it: in `buf`.  0, MCPHOST_E_NOTFOUND, MCPHOST_E_NOMEM. */
int mcph_offer_find_uri(const mcphost_catalog *catalog, struct mcph_span uri,
                        struct mcph_buf *buf);
/* watching.c: likewise. */
int mcph_watch_subscribe(struct mcph_service *service, struct mcph_span uri);
void mcph_watch_unsubscribe(struct mcph_service *service, struct mcph_span uri);
void mcph_watch_done(mcphost_serving *serving);
/* asking.c: a server asks in the course of a call of the dialog.  False: not ours. */
bool mcph_pass_question(mcphost_serving *serving, const struct mcphost_event *event);
/* The request has ended: the connection has forgotten what was asked in its course. */
void mcph_pass_drop_questions(struct mcph_passed *passed);

#endif
