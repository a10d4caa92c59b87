/* SPDX-License-Identifier: MIT
 *
 * subscription.h - subscriptions of dialogs to changes of resources.
 *
 * A subscription belongs to a dialog.  The host makes the subscription at the client (the
 * host's side of a connection to a server) that carries out the dialog's calls.  If
 * another client replaces this client after a crash, a reconnection or an edit of the
 * configuration, the host makes the subscription again at the new client.
 *
 * Any thread may call these functions.
 */
#ifndef MCPHOST_SUBSCRIPTION_H
#define MCPHOST_SUBSCRIPTION_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_subscribe - subscribe a dialog to the changes of a resource.
 *
 * `server` is the id of a server that the view of the dialog shows, as
 * mcphost_catalog_find_server() takes it.  `uri` goes to the server unchanged.  The
 * server need not have listed this URI.  The host starts the server if the server does
 * not run.  While the server is disabled, the subscription waits.  While a subscription
 * of a dialog needs a lease, the lease does not end for idleness.
 *
 * These events report on the subscription:
 *
 *     MCPHOST_EVENT_SUBSCRIPTION, state 1   the server has begun to announce changes
 *     MCPHOST_EVENT_UPDATED                 the resource or a part of it has changed, or
 *                                           may have changed while the client was
 *                                           replaced; the count says how often since the
 *                                           last event of this kind
 *     MCPHOST_EVENT_SUBSCRIPTION, state 0   the subscription is over; the event's error
 *                                           says why
 *
 * The subscription ends with one of these errors:
 *
 *     MCPHOST_E_RPC        the server refuses the subscription
 *     MCPHOST_E_NOTFOUND   the server offers no subscriptions, or does not acknowledge
 *                          this subscription
 *     MCPHOST_E_LIMIT      the client has too many subscriptions
 *     MCPHOST_E_GONE       the server is removed
 *     MCPHOST_E_DENIED     the view does not show the server any more, or shows only
 *                          single tools of the server
 *     MCPHOST_E_CANCELLED  the lease is released
 *
 * Other errors of a request to the server are possible, such as MCPHOST_E_TIMEOUT and
 * MCPHOST_E_TRANSPORT.
 *
 * The subscription ends without an event if mcphost_unsubscribe() ends it, or if the
 * dialog or the host is closed.  MCP 2025-11-25, "Resources", `resources/subscribe`;
 * 2026-07-28, "Subscriptions".
 *
 * Errors: MCPHOST_E_INVALID (the URI is empty, is not UTF-8, or has a control character),
 *   MCPHOST_E_LIMIT (the URI is longer than 65,536 bytes), MCPHOST_E_NOTFOUND (the view
 *   of the dialog does not show the server), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_subscribe(mcphost_dialog *dialog, const char *server,
                                  const char *uri,
                                  MCPHOST_OWNED mcphost_subscription **ret_subscription,
                                  MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_unsubscribe - end a subscription.
 *
 * The host makes no more events about the subscription.  An event that is already waiting
 * for dispatch is still delivered.  Ending a subscription that has ended has no effect.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_unsubscribe(mcphost_subscription *subscription);

/* Takes a reference to `subscription`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_subscription *
mcphost_subscription_ref(MCPHOST_NULLABLE mcphost_subscription *subscription);

/* Drops a reference to `subscription`, without ending the subscription.  Returns: NULL.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_subscription *
mcphost_subscription_unref(MCPHOST_NULLABLE mcphost_subscription *subscription);

/* Returns the URI that was passed to mcphost_subscribe().  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_subscription_get_uri(const mcphost_subscription *subscription);

/* Returns the id of the source of the subscription's server, or NULL for the default
 * source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_subscription_get_source_id(const mcphost_subscription *subscription);

/* Returns the id of the server that has the resource.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_subscription_get_server_id(const mcphost_subscription *subscription);

/* Returns the id of the dialog that the subscription belongs to.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_subscription_get_dialog_id(const mcphost_subscription *subscription);

/* Returns 1 if the subscription has ended, else 0.  Since: 0.1 */
MCPHOST_API int mcphost_subscription_is_ended(const mcphost_subscription *subscription);

#ifdef __cplusplus
}
#endif
#endif
