/* SPDX-License-Identifier: MIT
 *
 * watching.c - keep the subscriptions that the client of a serving has to resources.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"

struct watched {
    struct mcph_list link;
    mcphost_subscription *subscription; /* a reference */
};

static struct watched *
watched_of(struct mcph_list *link)
{
    return MCPH_LIST_ENTRY(link, struct watched, link);
}

static void
drop_watched(struct watched *watched)
{
    mcph_list_remove(&watched->link);
    (void)mcph_subscription_cancel(watched->subscription);
    mcph_subscription_put(watched->subscription);
    free(watched);
}

int
mcph_watch_subscribe(struct mcph_service *service, struct mcph_span uri)
{
    mcphost_serving *serving = mcph_serving_of(service);
    struct watched *watched = calloc(1, sizeof(*watched));
    mcphost_catalog *catalog = NULL;
    struct mcph_buf server;
    int r = watched ? mcph_dialog_look(serving->dialog, &catalog) : MCPHOST_E_NOMEM;

    mcph_buf_init(&server, SIZE_MAX / 4);
    if (r == 0)
        r = mcph_offer_find_uri(catalog, uri, &server);
    if (r == 0)
        r = mcph_subscribe(serving->dialog, server.data, uri, &watched->subscription,
                           NULL);
    mcph_buf_done(&server);
    mcph_catalog_unref(catalog);
    if (r < 0) {
        free(watched);
        return r;
    }
    mcph_list_append(&serving->subscriptions, &watched->link);
    return 0;
}

void
mcph_watch_unsubscribe(struct mcph_service *service, struct mcph_span uri)
{
    mcphost_serving *serving = mcph_serving_of(service);

    mcph_list_for_each_safe (it, &serving->subscriptions) {
        const mcphost_subscription *sub = watched_of(it)->subscription;

        if (mcph_span_eq(mcph_span(sub->uri, sub->uri_len), uri))
            drop_watched(watched_of(it));
    }
}

void
mcph_watch_done(mcphost_serving *serving)
{
    while (!mcph_list_empty(&serving->subscriptions))
        drop_watched(watched_of(serving->subscriptions.next));
}
