/* SPDX-License-Identifier: MIT
 *
 * subscription.c - the public functions of <mcphost/subscription.h>.
 */
#include "api/getter.h"
#include "host/dialog.h"
#include "host/subscription.h"

int
mcphost_subscribe(mcphost_dialog *dialog, const char *server, const char *uri,
                  mcphost_subscription **ret_subscription, mcphost_error **reterr)
{
    if (!dialog || !server || !uri || !ret_subscription)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_subscribe(dialog, server, mcph_span_str(uri), ret_subscription, reterr);
}

int
mcphost_unsubscribe(mcphost_subscription *subscription)
{
    return subscription ? mcph_subscription_cancel(subscription) : MCPHOST_E_INVALID;
}

mcphost_subscription *
mcphost_subscription_ref(mcphost_subscription *subscription)
{
    mcph_subscription_get(subscription);
    return subscription;
}

mcphost_subscription *
mcphost_subscription_unref(mcphost_subscription *subscription)
{
    mcph_subscription_put(subscription);
    return NULL;
}

MCPH_GETTER(const char *, mcphost_subscription_get_uri, const mcphost_subscription *,
            self->uri)
MCPH_GETTER(const char *, mcphost_subscription_get_source_id,
            const mcphost_subscription *, self->block->source)
MCPH_GETTER(const char *, mcphost_subscription_get_server_id,
            const mcphost_subscription *, self->block->id)
MCPH_GETTER(const char *, mcphost_subscription_get_dialog_id,
            const mcphost_subscription *, self->dialog->id)

int
mcphost_subscription_is_ended(const mcphost_subscription *subscription)
{
    return subscription ? subscription->ended : 1;
}
