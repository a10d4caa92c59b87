/* SPDX-License-Identifier: MIT
 *
 * sampler.c - the function of the application that answers all requests for sampling, in
 * place of the event function.
 */
#include <stdlib.h>

#include "host/host.h"
#include "host/request.h"

struct sampling {
    struct mcph_delivery delivery;
    mcphost_request *request; /* a user's reference */
    struct mcph_hook *hook;   /* a reference */
};

/* Servers that run were told already what may be asked. */
static int
enter(void *owner)
{
    mcphost *host = owner;
    int r = mcph_host_enter(host);

    if (r == 0 && host->loaded &&
        !(host->options[MCPHOST_OPT_REQUESTS] & MCPHOST_REQUEST_SAMPLING)) {
        mcph_core_leave(host->core);
        return MCPHOST_E_STATE;
    }
    if (r == 0)
        host->options[MCPHOST_OPT_REQUESTS] |= MCPHOST_REQUEST_SAMPLING;
    return r;
}

static int
enter_to_clear(void *owner)
{
    return mcph_host_enter(owner);
}

int
mcph_sampler_set(mcphost *host, mcphost_sampler_fn fn, void *arg,
                 mcphost_free_fn free_arg)
{
    return mcph_hook_set(host->core, &host->sampler, (mcph_any_fn)fn, arg, free_arg,
                         fn ? enter : enter_to_clear, host);
}

/* User code. */
static void
deliver(struct mcph_delivery *delivery)
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
                 "a provider of this host asks the host's own sampler, which is not the "
                 "usual way");
    mcph_request_get_user(request);
    *s = (struct sampling){.delivery.deliver = deliver, .request = request, .hook = hook};
    mcph_list_init(&s->delivery.link);
    mcph_core_deliver(host->core, &s->delivery);
    return true;
}
