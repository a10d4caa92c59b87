/* SPDX-License-Identifier: MIT
 *
 * serve.h - interface of lib/serve: serve a view to another MCP client.
 *
 *   descriptors --pair-- connection --service (offering.c, passing.c)-- dialog -- servers
 *
 * The client acts as a dialog of the view.  The client sees the servers and tools of the
 * view by their names in the view.  The dialog has leases of its own.  lib/serve passes
 * the client's requests on as calls of the dialog.  lib/serve passes on to the client the
 * questions that servers ask during these calls (asking.c).  The view, its grant and the
 * policies make all decisions.  lib/serve makes no decisions.
 *
 * The functions are called in the dispatcher only, except for the functions marked "any
 * thread".
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

/* False if the library was built without lib/serve. */
extern const bool mcph_serve_is_built;

struct mcphost_serving {
    struct mcph_refs refs;  /* references of the application, of the connection, of each
                             * request that is passed on, of the posted `close`, and of
                             * the serving itself until it is over and its transport is
                             * freed */
    mcphost *host;          /* a reference to the host's memory */
    mcphost_dialog *dialog; /* the reference of mcph_dialog_open() */
    int in, out;            /* duplicated descriptors; -1 once the transport is made */
    struct mcph_job begin, close;

    struct mcph_service service;
    struct mcph_tap tap;
    struct mcph_transport *transport;
    struct mcph_connection *connection;
    struct mcph_list passed;        /* list of struct mcph_passed */
    struct mcph_list subscriptions; /* list of struct watched */
    int level;                      /* the lowest MCPHOST_MESSAGES_* that the client
                                     * wants */
    mcphost_catalog *told;          /* the catalog last reported to the client, or NULL */
    struct mcph_buf instructions;   /* instructions for the client, as a JSON string */
    mcphost_catalog *listed;        /* the catalog from which `lists` were made, or
                                     * NULL */
    struct mcph_frame
        *lists[MCPH_PROVIDE_FEATURES]; /* lists for the client, made on demand */
    bool is_up; /* mcph_service_up() was called after the first load */
    bool is_over;
    atomic_bool closing; /* mcph_serving_close() was called; set under the lock */
};

/* These functions implement the public functions (serving.c).  Any thread may call these
 * functions. */
int mcph_serve_fd(mcphost_view *view, int in, int out, const char *dialog_id,
                  mcphost_serving **ret, mcphost_error **reterr);
int mcph_serving_close(mcphost_serving *serving);
mcphost_serving *mcph_serving_ref(mcphost_serving *serving);
/* Releases a reference and returns NULL. */
mcphost_serving *mcph_serving_unref(mcphost_serving *serving);

/* ---- shared by the files of lib/serve ---------------------------------------------- */

static inline mcphost_serving *
mcph_serving_of(struct mcph_service *service)
{
    return MCPH_CONTAINER_OF(service, mcphost_serving, service);
}

/* A request that is passed on as a call of the dialog. */
struct mcph_passed {
    struct mcph_list link;      /* link in serving->passed, until the answer */
    mcphost_serving *serving;   /* a reference */
    struct mcph_served *served; /* the request; NULL if the answer is not wanted */
    mcphost_call *call;         /* a reference */
    struct mcph_list asked;     /* open questions to the client (asking.c) */
};

/* These functions of struct mcph_service_ops begin and abandon a request (passing.c). */
int mcph_pass_begin(struct mcph_service *service, struct mcph_served *served,
                    mcphost_error **reterr);
void mcph_pass_abandon(struct mcph_service *service, struct mcph_served *served);
/* Returns the request that was passed on as `call`.  If `call` is NULL, returns the first
 * request.  Skips requests whose answer is not wanted.  Returns NULL if no request
 * matches. */
struct mcph_passed *mcph_pass_find(const mcphost_serving *serving,
                                   const mcphost_call *call);
#define MCPH_OFFER_ALL                                             \
    (1u << MCPHOST_FEATURE_TOOL | 1u << MCPHOST_FEATURE_RESOURCE | \
     1u << MCPHOST_FEATURE_TEMPLATE | 1u << MCPHOST_FEATURE_PROMPT)

/* These functions of struct mcph_service_ops make the instructions and the lists for the
 * client (offering.c). */
struct mcph_span mcph_offer_instructions(struct mcph_service *service);
int mcph_offer_list(struct mcph_service *service, int kind, struct mcph_frame **ret);
/* Returns the kinds, 1u << MCPHOST_FEATURE_*, whose lists differ for a client between the
 * two catalogs.  Returns all kinds if one catalog is NULL. */
unsigned mcph_offer_compare(mcphost_catalog *a, mcphost_catalog *b);
void mcph_offer_forget(mcphost_serving *serving); /* frees the lists */
/* Finds the template whose text, as its server lists it, is `template`.  The result is
 * borrowed, or NULL. */
mcphost_tool *mcph_offer_find_template(const mcphost_catalog *catalog,
                                       const char *template);
/* Finds the server that has a resource with this URI or a template that matches the
 * URI.  A NUL must follow the URI.  Adds the key of the server in the view, with a NUL,
 * to `buf`.  Returns 0, MCPHOST_E_NOTFOUND or MCPHOST_E_NOMEM. */
int mcph_offer_find_uri(const mcphost_catalog *catalog, struct mcph_span uri,
                        struct mcph_buf *buf);
/* These functions subscribe to a resource, unsubscribe from it, and end all subscriptions
 * (watching.c).  The first two functions belong to struct mcph_service_ops. */
int mcph_watch_subscribe(struct mcph_service *service, struct mcph_span uri);
void mcph_watch_unsubscribe(struct mcph_service *service, struct mcph_span uri);
void mcph_watch_done(mcphost_serving *serving);
/* Handles the event that a server asks a question during a call of the dialog, or
 * withdraws the question (asking.c).  Returns false if the event is about another
 * dialog. */
bool mcph_pass_question(mcphost_serving *serving, const struct mcphost_event *event);
/* Withdraws the question `request` from the client.  If `request` is NULL, withdraws all
 * questions of the passed request. */
void mcph_pass_unask(struct mcph_passed *passed, const mcphost_request *request);

#endif
