/* SPDX-License-Identifier: MIT
 *
 * subscription.h - be told when a resource changes.
 *
 * A subscription belongs to a dialog.  It is made at the client that carries out the
 * dialog's calls, and made again whenever another client takes its place: after a crash,
 * a reconnection, an edit of the configuration.
 */
#ifndef MCPHOST_SUBSCRIPTION_H
#define MCPHOST_SUBSCRIPTION_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_subscribe - tell the dialog when a resource changes.
 *
 * `server` is the server's id, as mcphost_catalog_find_server() takes it, in the view of
 * the dialog; `uri` goes to the server as it is, whether the server has listed it or not.
 * The server is started if need be, and a lease of the dialog that carries a subscription
 * is not given back for idleness.
 *
 * MCPHOST_EVENT_SUBSCRIPTION with state 1 says that the server tells of changes from now
 * on; MCPHOST_EVENT_UPDATED says that the resource has changed, or a part of it, and how
 * often since the last such event.  A change that may have been missed while the client
 * was replaced is told, too.  MCPHOST_EVENT_SUBSCRIPTION with state 0 says with its error
 * that the subscription is over: the server refused (MCPHOST_E_RPC), offers no
 * subscriptions (MCPHOST_E_NOTFOUND) or was removed (MCPHOST_E_GONE), the dialog's view
 * does not show it any more (MCPHOST_E_DENIED), its lease was given back
 * (MCPHOST_E_CANCELLED).  It ends without an event by mcphost_unsubscribe(), and when the
 * dialog or the host is closed.  MCP 2025-11-25, "Resources", `resources/subscribe`;
 * 2026-07-28, "Subscriptions".
 *
 * Any thread.  Returns 0, MCPHOST_E_INVALID (the URI is empty, not UTF-8, or has a
 * control character), MCPHOST_E_LIMIT (it has more than 65,536 bytes), MCPHOST_E_NOTFOUND
 * (the view shows no such server), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_subscribe(mcphost_dialog *dialog, const char *server,
                                  const char *uri,
                                  MCPHOST_OWNED mcphost_subscription **ret_subscription,
                                  MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_unsubscribe - end it.
 *
 * Any thread.  The host makes no more events about the subscription.  An event that was
 * made before and waits for dispatch is still delivered.  Idempotent.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_unsubscribe(mcphost_subscription *subscription);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_subscription *
mcphost_subscription_ref(MCPHOST_NULLABLE mcphost_subscription *subscription);

/* Drops a reference; does not end the subscription.  Returns NULL; NULL is allowed.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_subscription *
mcphost_subscription_unref(MCPHOST_NULLABLE mcphost_subscription *subscription);

/* The URI, as it was given.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_subscription_get_uri(const mcphost_subscription *subscription);

/* The id of the server's source; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_subscription_get_source_id(const mcphost_subscription *subscription);

/* The server's id and the dialog's.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_subscription_get_server_id(const mcphost_subscription *subscription);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_subscription_get_dialog_id(const mcphost_subscription *subscription);

/* Whether it is over.  Any thread.  Since: 0.1 */
MCPHOST_API int mcphost_subscription_is_ended(const mcphost_subscription *subscription);

#ifdef __cplusplus
}
#endif
#endif
