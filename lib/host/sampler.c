/* SPDX-License-Identifier: MIT
 *
 * sampler.c - the sampler: the function that answers all requests for sampling, in place
 * of the event function.
 *
 * The application or a plugin sets the sampler.
 */
#include <stdlib.h>

#include "host/host.h"
#include "host/request.h"

struct sampling {
    struct mcph_delivery delivery;
    mcphost_request *request; /* a reference, counted in `users` */
    struct mcph_hook *hook;   /* a reference */
};

/* ---- setting the sampler ----------------------------------------------------------- */

/* The arguments and results of enter_host() and enter_to_clear(). */
struct change {
    mcphost *host;
    mcphost_provider *of;     /* the plugin that sets the sampler; NULL if the
                               * application sets it */
    mcphost_provider *former; /* the plugin that had set the sampler, a reference to
                               * drop; or NULL */
    mcphost_error *error;
};

/* Fails if the host is loaded and does not answer requests for sampling.  When the host
 * is loaded, servers learn which requests the host answers.  Therefore sampling cannot be
 * added after the load. */
static int
check_locked(mcphost *host, mcphost_error **reterr)
{
    if (host->loaded && !(host->options[MCPHOST_OPT_REQUESTS] & MCPHOST_REQUEST_SAMPLING))
        return mcph_err(reterr, MCPHOST_E_STATE,
                        "servers were already told that sampling is not available");
    return 0;
}

static int
check_free_locked(mcphost *host, mcphost_error **reterr)
{
    if (!host->sampler)
        return 0;
    if (!host->sampler_of)
        return mcph_err(reterr, MCPHOST_E_EXISTS,
                        "the application has already set a sampler");
    return mcph_err(reterr, MCPHOST_E_EXISTS, "the plugin '%s' has already set a sampler",
                    host->sampler_of->id);
}

static int
enter_host(void *arg)
{
    struct change *change = arg;
    mcphost *host = change->host;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    if (change->of)
        r = change->of->closed ? MCPHOST_E_CLOSED
                               : check_free_locked(host, &change->error);
    if (r == 0)
        r = check_locked(host, &change->error);
    if (r < 0) {
        mcph_core_leave(host->core);
        return r;
    }
    change->former = host->sampler_of;
    host->sampler_of = mcph_provider_ref(change->of);
    host->options[MCPHOST_OPT_REQUESTS] |= MCPHOST_REQUEST_SAMPLING;
    return 0;
}

static int
enter_to_clear(void *arg)
{
    struct change *change = arg;
    mcphost *host = change->host;
    int r = mcph_host_enter(host);

    if (r == 0) {
        change->former = host->sampler_of;
        host->sampler_of = NULL;
    }
    return r;
}

int
mcph_sampler_set(mcphost *host, mcphost_sampler_fn fn, void *arg,
                 mcphost_free_fn free_arg)
{
    struct change change = {.host = host};
    int r = mcph_hook_set(host->core, &host->sampler, (mcph_any_fn)fn, arg, free_arg,
                          fn ? enter_host : enter_to_clear, &change);

    mcphost_error_unref(change.error);
    mcph_provider_unref(change.former);
    return r;
}

/* ---- samplers of plugins ----------------------------------------------------------- */

int
mcph_sampler_lend(mcphost *host, mcphost_provider *provider, mcphost_sampler_fn fn,
                  void *arg, mcphost_free_fn free_arg, mcphost_error **reterr)
{
    struct change change = {.host = host, .of = provider};
    int r = mcph_hook_set_code(host->core, &host->sampler, (mcph_any_fn)fn, arg, free_arg,
                               provider->code, enter_host, &change);

    if (r == 0)
        return 0;
    if (!change.error)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    if (reterr)
        *reterr = change.error;
    else
        mcphost_error_unref(change.error);
    return r;
}

/* Removes the plugin's sampler.  Does not use mcph_hook_set(), because mcph_hook_set()
 * fails if memory is short. */
void
mcph_sampler_return(mcphost *host, const mcphost_provider *provider)
{
    struct mcph_hook *hook = NULL;
    mcphost_provider *former = NULL;

    mcph_core_lock(host->core);
    if (host->sampler_of == provider) {
        hook = host->sampler;
        former = host->sampler_of;
        host->sampler = NULL;
        host->sampler_of = NULL;
    }
    mcph_core_unlock(host->core);
    if (hook)
        mcph_core_deliver(host->core, &hook->farewell);
    mcph_provider_unref(former);
}

/* ---- requests ---------------------------------------------------------------------- */

/* Runs the sampler (user code), unless the request is no longer open or the host has
 * ended. */
static void
deliver_request(struct mcph_delivery *delivery)
{
    struct sampling *s = MCPH_CONTAINER_OF(delivery, struct sampling, delivery);
    mcphost_request *request = s->request;

    if (!request->host->journal.silent && mcph_request_is_open(request))
        ((mcphost_sampler_fn)s->hook->fn)(request, s->hook->arg);
    mcph_hook_unref(s->hook);
    free(s);
    mcph_request_put_user(request);
}

bool
mcph_sampler_take(mcphost_request *request)
{
    mcphost *host = request->host;
    struct sampling *s;
    struct mcph_hook *hook;

    if (request->kind != MCPHOST_REQUEST_SAMPLING)
        return false;
    mcph_core_lock(host->core);
    hook = mcph_hook_ref(host->sampler);
    mcph_core_unlock(host->core);
    s = hook ? malloc(sizeof(*s)) : NULL;
    if (!s) {
        mcph_hook_unref(hook);
        return false;
    }
    if (request->asked)
        mcph_log(host->core, MCPHOST_LOG_WARNING, "host", request->server,
                 "a provider of this host sends a sampling request to the host's own "
                 "sampler, which is unusual");
    mcph_request_get_user(request);
    *s = (struct sampling){
        .delivery.deliver = deliver_request, .request = request, .hook = hook};
    mcph_list_init(&s->delivery.link);
    mcph_core_deliver(host->core, &s->delivery);
    return true;
}
