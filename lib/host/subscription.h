/* SPDX-License-Identifier: MIT
 *
 * subscription.h - subscriptions of dialogs to changes of resources.
 */
#ifndef MCPH_HOST_SUBSCRIPTION_H
#define MCPH_HOST_SUBSCRIPTION_H

#include "catalog/catalog.h"
#include "loop/loop.h"
#include "pool/pool.h"

#include <mcphost/mcphost.h>

struct mcphost_subscription {
    struct mcph_refs refs;    /* references held by handles, by events, and by the host
                               * until the subscription ends */
    mcphost *host;            /* a reference to the host's memory */
    mcphost_dialog *dialog;   /* a reference */
    struct mcph_block *block; /* the server's block; a reference */
    struct mcph_job begin, end;
    atomic_bool ended; /* no further event about the subscription is made */

    /* The members down to `missed` are used by the dispatcher only. */
    struct mcph_list link;          /* in host->subscriptions, from the job `begin` to
                                     * the end of the subscription */
    struct mcph_instance *instance; /* the instance whose client has the subscription,
                                     * or NULL */
    bool told;                      /* the server has confirmed the subscription */
    bool missed;                    /* the confirmed subscription has lost its client,
                                     * so a change may have been missed */

    size_t uri_len;
    char uri[];
};

/* Make and cancel a subscription, as the public functions do.  Any thread may call these
 * functions. */
int mcph_subscribe(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
                   mcphost_subscription **ret, mcphost_error **reterr);
int mcph_subscription_cancel(mcphost_subscription *subscription);
void mcph_subscription_get(mcphost_subscription *subscription); /* may be NULL */
void mcph_subscription_put(mcphost_subscription *subscription); /* may be NULL */

/* ---- for the dispatcher ------------------------------------------------------------ */

/* Handle the events `subscribed` and `updated` of an instance's client
 * (client/client.h). */
void mcph_subscription_said(struct mcph_instance *inst, struct mcph_span uri,
                            mcphost_error *error, mcphost *host);
void mcph_subscription_updated(struct mcph_instance *inst, struct mcph_span uri,
                               uint64_t count, mcphost *host);
/* Detaches the subscriptions from an instance that has ended.  The subscriptions are
 * made again at the next instance. */
void mcph_subscriptions_lost(const struct mcph_instance *inst, mcphost *host);
/* Posts the job that moves each subscription to the instance where it belongs now.  Call
 * this when servers, editions or grants have changed. */
void mcph_subscriptions_look_soon(mcphost *host);
void mcph_subscriptions_look(struct mcph_job *job);
/* Detaches the holder's subscriptions from a lease that ends.  If `over` is true, the
 * subscriptions end, because the holder has released the lease.  Otherwise the
 * subscriptions are made again on the next lease. */
void mcph_subscriptions_leave(const mcphost_lease *lease, bool over);
/* Returns true if the holder of the lease has a subscription at the lease's instance. */
bool mcph_subscriptions_need(const mcphost_lease *lease);
/* Ends the subscriptions of a dialog or, if `dialog` is NULL, all subscriptions.  Emits
 * no event. */
void mcph_subscriptions_drop(mcphost *host, const mcphost_dialog *dialog);

#endif
