/* SPDX-License-Identifier: MIT
 *
 * sources.c - add and remove sources other than the default source, and set the function
 * that names the tools of a source.
 */
#include <string.h>

#include "host/host.h"
#include "host/publish.h"
#include "host/view.h"

#define ID_MAX 64

static bool
is_id(const char *id)
{
    size_t len = strlen(id);

    return len > 0 && len <= ID_MAX &&
           strspn(id,
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
               len;
}

int
mcph_host_add_source(mcphost *host, const char *id, struct mcphost_source **ret,
                     mcphost_error **reterr)
{
    struct mcph_workspace *ws = &host->workspace;
    struct mcphost_source *source;
    int r;

    if (!is_id(id))
        return mcph_err(
            reterr, MCPHOST_E_INVALID,
            "the id of a source must have 1 to %d letters, digits, '_', '-' or '.'",
            ID_MAX);
    if (mcph_source_new(ws, id, &source) < 0)
        return mcph_err_nomem(reterr);
    r = mcph_host_enter(host);
    if (r < 0) {
        mcph_err(reterr, r, "%s", mcphost_strerror(r));
    } else {
        r = strcmp(id, MCPH_DEFAULT_SOURCE) == 0 ? MCPHOST_E_EXISTS
                                                 : mcph_workspace_add_locked(ws, source);
        if (r < 0)
            mcph_err(reterr, r, "there is a source '%s' already", id);
        mcph_core_leave(host->core);
    }
    if (r < 0) {
        mcph_source_end(source);
        mcph_source_unref(source);
        return r;
    }
    *ret = source;
    return 0;
}

/* ---- names ------------------------------------------------------------------------- */

struct naming {
    struct mcphost_source *source;
    int64_t policy;
};

static int
enter_naming(void *arg)
{
    struct naming *naming = arg;
    struct mcphost_source *source = naming->source;
    int r = mcph_host_enter(source->ws->owner);

    if (r < 0)
        return r;
    if (source->frozen || source->leaving) {
        mcph_core_leave(source->core);
        return MCPHOST_E_STATE;
    }
    source->realm.policies[MCPHOST_OPT_NAMES] = naming->policy;
    return 0;
}

int
mcph_host_set_namer(struct mcphost_source *source, mcphost_name_fn fn, void *arg,
                    mcphost_free_fn free_arg)
{
    struct naming naming = {.source = source,
                            .policy = fn ? MCPHOST_NAMES_CALLBACK : MCPH_POLICY_UNSET};

    return mcph_hook_set(source->core, &source->namer, (mcph_any_fn)fn, arg, free_arg,
                         enter_naming, &naming);
}

/* ---- removal ----------------------------------------------------------------------- */

/* Removes a layer of this source from one of the views.  Returns the layer, or NULL if no
 * view has a layer of this source. */
static struct mcph_layer *
take_layer(mcphost *host, const struct mcphost_source *source)
{
    struct mcph_layer *layer;

    mcph_core_lock(host->core);
    layer = mcph_stack_remove_locked(&host->view.own, source);
    mcph_list_for_each_entry (view, &host->views, mcphost_view, link) {
        if (!layer)
            layer = mcph_stack_remove_locked(&view->own, source);
    }
    mcph_core_unlock(host->core);
    return layer;
}

/* Removes a source from the host and from all views.  Runs when the source's last server
 * has ended. */
static void
run_left(struct mcph_job *job)
{
    struct mcphost_source *source = MCPH_CONTAINER_OF(job, struct mcphost_source, leave);
    mcphost *host = source->ws->owner;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_SOURCE, .source = source->id};
    struct mcph_layer *layer = take_layer(host, source);

    while (layer) {
        mcph_layer_free(layer);
        layer = take_layer(host, source);
    }
    mcph_core_lock(host->core);
    mcph_list_remove(&source->link);
    mcph_core_unlock(host->core);
    /* Emit nothing while the host is closing, because no event may follow
     * MCPHOST_EVENT_CLOSED. */
    if (!mcph_workspace_is_closing(source->ws))
        mcph_emit(&host->journal, &event);
    mcph_source_end(source);
    mcph_source_unref(source); /* drops the reference of the list */
    mcph_source_unref(source); /* drops the reference of the job */
    mcph_host_check_ready(host);
}

void
mcph_source_left(struct mcphost_source *source, mcphost *host)
{
    source->leave.run = run_left;
    mcph_core_post(host->core, &source->leave);
}

static void
run_leave(struct mcph_job *job)
{
    struct mcphost_source *source = MCPH_CONTAINER_OF(job, struct mcphost_source, leave);

    /* If the host is closing, do not drop the job's reference here: the end of the host
     * drops it.  Otherwise, run_left() drops this reference. */
    if (mcph_workspace_is_closing(source->ws))
        return;
    if (mcph_source_open(source) < 0) {
        mcph_core_post_later(source->core, job);
        return;
    }
    mcph_source_leave(source);
}

int
mcph_host_remove_source(struct mcphost_source *source)
{
    mcphost *host = source->ws->owner;
    int r;

    if (!source->id)
        return MCPHOST_E_INVALID;
    r = mcph_host_enter(host);
    if (r < 0)
        return r;
    if (!source->leaving) {
        source->withdrawing = true;
        source->leaving = true;
        source->leave.run = run_leave;
        mcph_source_ref(source);
        source->ws->ops->ordered(host);
        mcph_core_post_locked(host->core, &source->leave);
    }
    mcph_core_leave(host->core);
    return 0;
}
