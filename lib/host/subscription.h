/* SPDX-License-Identifier: MIT
 *
 * subscription.h - resources whose changes dialogs want to hear of.
 */
#ifndef MCPH_HOST_SUBSCRIPTION_H
#define MCPH_HOST_SUBSCRIPTION_H

#include "catalog/catalog.h"
#include "loop/loop.h"
#include "pool/pool.h"

#include <mcphost/mcphost.h>

struct mcphost_subscription {
    struct mcph_refs refs; /* handles, events, and the host's until it ends */
    mcphost *host;         /* its memory */
    mcphost_dialog *dialog;
    struct mcph_block *block; /* of the server; a reference, and so is the dialog */
    struct mcph_job begin, end;
    atomic_bool ended; /* nothing is told of it any more */

    /* the dispatcher's */
    struct mcph_list link;          /* in the host's list, from `begin` to the end */
    struct mcph_instance *instance; /* whose client has it; NULL: none */
    bool told;                      /* that the server tells of changes */
    bool missed;                    /* it did, and then could not for a while */

    size_t uri_len;
    char uri[];
};

/* Any thread.  As the public functions. */
int mcph_subscribe(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
                   mcphost_subscription **ret, mcphost_error **reterr);
int mcph_subscription_cancel(mcphost_subscription *subscription);
void mcph_subscription_get(mcphost_subscription *subscription); /* NULL is fine */
void mcph_subscription_put(mcphost_subscription *subscription); /* NULL is fine */

/* ---- from dispatch ----------------------------------------------------------------- */

/* What the client of an instance said, as in client/client.h. */
void mcph_subscription_said(struct mcph_instance *inst, struct mcph_span uri,
                            mcphost_error *error, mcphost *host);
void mcph_subscription_updated(struct mcph_instance *inst, struct mcph_span uri,
                               uint64_t count, mcphost *host);
/* The instance has ended: they are made again at the next one. */
void mcph_subscriptions_lost(const struct mcph_instance *inst, mcphost *host);
/* Servers, editions or grants have changed: each is made where it belongs now, by a
 * job. */
void mcph_subscriptions_look_soon(mcphost *host);
void mcph_subscriptions_look(struct mcph_job *job);
/* The holder of the lease does not hold it any more; `over`: nor does he want to. */
void mcph_subscriptions_leave(const mcphost_lease *lease, bool over);
/* Whether the holder of the lease has one there. */
bool mcph_subscriptions_need(const mcphost_lease *lease);
/* Ends those of a dialog, or (NULL) all; nothing is told. */
void mcph_subscriptions_drop(mcphost *host, const mcphost_dialog *dialog);

#endif
