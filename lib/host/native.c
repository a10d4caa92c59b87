/* SPDX-License-Identifier: MIT
 *
 * native.c - providers of the application: made on a source or for a view, shown, and
 * withdrawn.
 */
#include <stdlib.h>

#include "host/native.h"
#include "host/view.h"

/* What a provider of the application has besides: references. */
struct place {
    struct mcphost_source *source;
    mcphost_view *view; /* that alone shows it; NULL: whoever shows the source */
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
release(mcphost_provider *provider)
{
    struct place *place = provider->owner;

    mcph_native_drop_source(place->source);
    if (place->view)
        mcph_view_put(place->view);
    free(place);
}

/* ---- making ------------------------------------------------------------------------ */

int
mcph_native_new(struct mcphost_source *source, const char *id, mcphost_provider **ret,
                mcphost_error **reterr)
{
    struct place *place = calloc(1, sizeof(*place));
    int r = place ? mcph_host_enter(source->ws->owner) : MCPHOST_E_NOMEM;

    if (r == 0) {
        if (source->leaving)
            r = MCPHOST_E_CLOSED;
        mcph_core_leave(source->core);
    }
    if (r < 0) {
        free(place);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    r = mcph_provider_new(source->core, id, ret, reterr);
    if (r < 0) {
        free(place);
        return r;
    }
    mcph_native_keep_source(source);
    place->source = source;
    (*ret)->owner = place;
    (*ret)->release = release;
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
order(struct mcphost_source *source, enum mcph_order what, mcphost_provider *provider)
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

/* False: it was started, or closed. */
static int
claim(mcphost_provider *provider)
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

int
mcph_native_start(mcphost_provider *provider)
{
    struct place *place = provider->owner;
    int r = claim(provider);

    if (r == 0 && place->view)
        r = mcph_view_add_source(place->view, place->source, NULL, 0);
    if (r == 0)
        r = order(place->source, MCPH_ORDER_PROVIDE, provider);
    return r;
}

int
mcph_native_withdraw(mcphost_provider *provider)
{
    struct place *place = provider->owner;

    return order(place->source, MCPH_ORDER_WITHDRAW, provider);
}

int
mcph_native_close(mcphost_provider *provider)
{
    struct place *place = provider->owner;
    bool first, started;
    int r = mcph_core_enter_closed(provider->core);

    if (r < 0)
        return r;
    first = !provider->closed;
    started = provider->started;
    provider->closed = true;
    mcph_core_leave(provider->core);
    if (!first || !started)
        return 0;
    /* A host that is closing closes it, too. */
    if (place->view)
        (void)mcph_host_remove_source(place->source);
    else
        (void)mcph_native_withdraw(provider);
    return 0;
}

mcphost *
mcph_native_host(const mcphost_provider *provider)
{
    const struct place *place = provider->owner;

    return place->source->ws->owner;
}
