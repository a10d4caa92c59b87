/* SPDX-License-Identifier: MIT
 *
 * native.c - providers of the application: making them on a source or for a view, showing
 * and withdrawing them.
 */
#include <stdlib.h>
#include <string.h>

#include "host/native.h"
#include "host/view.h"

/* The host's data about a provider of the application. */
struct place {
    struct mcph_list link;         /* in source->made; changed under the lock */
    mcphost_provider *provider;    /* the provider that the data is about */
    struct mcphost_source *source; /* a reference */
    mcphost_view *view; /* a reference to the only view that shows the provider; NULL
                         * if any view may show the provider */
    bool is_in_view;    /* the view has the source in its layers */
};

void
mcph_native_keep_source(struct mcphost_source *source)
{
    if (source->id)
        mcph_source_ref(source);
    else
        mcph_host_get_mem(source->ws->owner);
}

void
mcph_native_drop_source(struct mcphost_source *source)
{
    if (source->id)
        mcph_source_unref(source);
    else
        mcph_host_put_mem(source->ws->owner);
}

static void
release_provider(mcphost_provider *provider)
{
    struct place *place = provider->owner;

    mcph_core_lock(provider->core);
    mcph_list_remove(&place->link);
    mcph_core_unlock(provider->core);
    /* If the source was made only for this provider, remove the source.  If the
     * provider was started, mcph_native_close() or the end of the host has removed the
     * source already. */
    if (place->view && !provider->started)
        (void)mcph_host_remove_source(place->source);
    mcph_native_drop_source(place->source);
    if (place->view)
        mcph_view_put(place->view);
    free(place);
}

/* ---- making ------------------------------------------------------------------------ */

/* Returns true if an open provider of the source has this id.  The id of a provider that
 * was closed, has failed or has ended is free.  Call this under the lock. */
static bool
is_taken(struct mcphost_source *source, const char *id)
{
    mcph_list_for_each_entry (place, &source->made, struct place, link) {
        const mcphost_provider *provider = place->provider;

        if (!provider->closed && provider->state < MCPH_PROVIDER_FAILED &&
            strcmp(provider->id, id) == 0)
            return true;
    }
    return false;
}

static int
put_in(struct mcphost_source *source, struct place *place)
{
    int r = mcph_host_enter(source->ws->owner);

    if (r < 0)
        return r;
    if (source->leaving)
        r = MCPHOST_E_CLOSED;
    else if (is_taken(source, place->provider->id))
        r = MCPHOST_E_EXISTS;
    else
        mcph_list_append(&source->made, &place->link);
    mcph_core_leave(source->core);
    return r;
}

int
mcph_native_new(struct mcphost_source *source, const char *id, mcphost_provider **ret,
                mcphost_error **reterr)
{
    struct place *place = calloc(1, sizeof(*place));
    int r = place ? mcph_provider_new(source->core, id, &place->provider, reterr)
                  : mcph_err_nomem(reterr);

    if (r < 0) {
        free(place);
        return r;
    }
    r = put_in(source, place);
    if (r < 0) {
        mcph_provider_unref(place->provider);
        free(place);
        return r == MCPHOST_E_EXISTS
                   ? mcph_err(reterr, r, "another provider has the id '%s'", id)
                   : mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    mcph_native_keep_source(source);
    place->source = source;
    place->provider->owner = place;
    place->provider->release = release_provider;
    *ret = place->provider;
    return 0;
}

int
mcph_native_new_in_view(mcphost_view *view, const char *id, mcphost_provider **ret,
                        mcphost_error **reterr)
{
    struct mcphost_source *source;
    int r = mcph_host_add_source(view->host, id, &source, reterr);

    if (r < 0)
        return r;
    r = mcph_native_new(source, id, ret, reterr);
    if (r < 0) {
        mcph_host_remove_source(source);
    } else {
        mcph_view_get(view);
        ((struct place *)(*ret)->owner)->view = view;
    }
    mcph_source_unref(source);
    return r;
}

/* ---- showing and withdrawing ------------------------------------------------------- */

static int
order_server(struct mcphost_source *source, enum mcph_order what,
             mcphost_provider *provider)
{
    int r = mcph_host_enter(source->ws->owner);

    if (r < 0)
        return r;
    r = mcph_source_order_provider_locked(source, what, provider);
    if (r == 0)
        r = mcph_host_set_loaded_locked(source->ws->owner);
    mcph_core_leave(source->core);
    return r == MCPHOST_E_STATE ? MCPHOST_E_CLOSED : r;
}

/* Marks the provider as started.  Returns MCPHOST_E_STATE if the provider was started or
 * closed before. */
static int
claim_provider(mcphost_provider *provider)
{
    int r = mcph_core_enter(provider->core);

    if (r < 0)
        return r;
    if (provider->started || provider->closed)
        r = MCPHOST_E_STATE;
    else
        provider->started = true;
    mcph_core_leave(provider->core);
    return r;
}

/* Undoes claim_provider(), so that the application can start the provider again. */
static void
unclaim_provider(mcphost_provider *provider)
{
    mcph_core_lock(provider->core);
    provider->started = false;
    mcph_core_unlock(provider->core);
}

int
mcph_native_start(mcphost_provider *provider)
{
    struct place *place = provider->owner;
    int r = claim_provider(provider);

    if (r < 0)
        return r;
    /* The application has no handle of a source that was made for one view.  Therefore
     * the view has no layer of the source yet, and MCPHOST_E_EXISTS is impossible.  Only
     * mcphost_provider_close() removes the source, and MCPHOST_E_STATE means that another
     * thread has closed the provider. */
    if (place->view && !place->is_in_view) {
        r = mcph_view_add_source(place->view, place->source, NULL, 0);
        place->is_in_view = r == 0;
    }
    if (r == 0)
        r = order_server(place->source, MCPH_ORDER_PROVIDE, provider);
    if (r < 0)
        unclaim_provider(provider);
    return r;
}

int
mcph_native_withdraw(mcphost_provider *provider)
{
    struct place *place = provider->owner;

    return order_server(place->source, MCPH_ORDER_WITHDRAW, provider);
}

int
mcph_native_close(mcphost_provider *provider)
{
    struct place *place = provider->owner;
    struct mcphost_source *source = place->source;
    int r = mcph_host_enter(source->ws->owner);
    bool open = r == 0, withdraws;

    if (r == MCPHOST_E_CLOSED)
        r = mcph_core_enter_closed(provider->core);
    if (r < 0)
        return r;
    withdraws = provider->started && !provider->closed;
    /* Withdraw the provider.  If the host is closing, do nothing here, because a closing
     * host ends the provider itself.  If only one view shows the provider, the source of
     * the provider is removed below. */
    if (withdraws && open && !place->view)
        r = mcph_source_order_provider_locked(source, MCPH_ORDER_WITHDRAW, provider);
    provider->closed |= r != MCPHOST_E_NOMEM;
    mcph_core_leave(provider->core);
    if (r == MCPHOST_E_NOMEM)
        return r;
    if (withdraws && place->view)
        (void)mcph_host_remove_source(source);
    return 0;
}

mcphost *
mcph_native_host(const mcphost_provider *provider)
{
    const struct place *place = provider->owner;

    return place->source->ws->owner;
}
