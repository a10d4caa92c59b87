/* SPDX-License-Identifier: MIT
 *
 * inside.c - connect an instance to a provider in this process, through memory.
 *
 *   client --transport-- joint --inner end-- connection --service-- provider
 *
 * The instance has the outer end of the joint as its transport.  The inner end and the
 * connection are freed at the connection's last event, or with the instance.
 *
 * Log messages do not go through the connection.  They are reported at once, before the
 * answer of the call that they belong to.
 */
#include <stdlib.h>

#include "files/files.h"
#include "pool/inner.h"
#include "provide/connection.h"

struct mcph_inside {
    struct mcph_instance *inst;
    struct mcph_transport *end;
    struct mcph_connection *connection;
    mcphost_provider *provider;    /* a reference */
    struct mcph_listener listener; /* receives the provider's log messages */
};

struct mcph_inside *
mcph_inside_free(struct mcph_inside *inside)
{
    if (!inside)
        return NULL;
    mcph_connection_free(inside->connection);
    mcph_transport_free(inside->end, 0);
    if (inside->provider)
        mcph_provider_unlisten(inside->provider, &inside->listener);
    mcph_provider_unref(inside->provider);
    free(inside);
    return NULL;
}

/* Frees `inside` and ends the instance, because the client or the provider has ended the
 * connection.  If the provider could not come up, `reason` says why. */
static void
on_over(struct mcph_connection *connection, mcphost_error *reason, void *arg)
{
    struct mcph_inside *inside = arg;
    struct mcph_instance *inst = inside->inst;
    mcphost_error *gone = NULL, *err = NULL;

    (void)connection;
    if (inst->inside == inside)
        inst->inside = NULL;
    /* Replace MCPHOST_E_CLOSED, because as the error of a call this code would mean that
     * the host is closed. */
    if (mcphost_error_get_code(reason) == MCPHOST_E_CLOSED)
        mcph_err(&gone, MCPHOST_E_GONE, "the provider was closed");
    mcph_err_copy(&err, gone ? gone : reason, inst->realm->name, inst->spec->id);
    mcphost_error_unref(gone);
    mcph_inside_free(inside);
    mcph_instance_die(inst, err);
    mcphost_error_unref(err);
}

static void
on_logged(struct mcph_listener *listener, int level, struct mcph_span logger,
          struct mcph_span data)
{
    struct mcph_inside *inside =
        MCPH_CONTAINER_OF(listener, struct mcph_inside, listener);
    struct mcph_instance *inst = inside->inst;
    int wanted = mcph_realm_messages(inst->realm, inst->spec);

    (void)logger;
    mcph_instance_logged(inst, mcphost_enum_get_name(MCPHOST_ENUM_MESSAGE_LEVEL, level),
                         data, wanted == MCPHOST_MESSAGES_UNASKED || level < wanted);
}

static const struct mcph_listener_ops listener_ops = {.logged = on_logged};

static const struct mcph_connection_events events = {.over = on_over};

static int
connect_inside(struct mcph_instance *inst, struct mcph_inside *inside)
{
    struct mcph_core *core = inst->pool->core;
    struct mcph_connection_spec spec;
    struct mcph_service *service = NULL;
    int r = mcph_provider_serve(inst->provider, &service);

    if (r < 0)
        return r;
    mcph_connection_spec_init(&spec);
    spec.name = inst->spec->id;
    r = mcph_connection_new(core, &spec, inside->end, service, &events, inside,
                            &inside->connection);
    if (r < 0)
        service->ops->free(service);
    return r;
}

/* Sets inst->provider if it is NULL.  Takes the application's provider if the spec names
 * a provider.  Otherwise makes a new provider of files for this instance alone. */
static int
make_provider(struct mcph_instance *inst, mcphost_error **reterr)
{
    const struct mcph_spec *spec = inst->spec;
    mcphost_provider *provider = NULL;
    int r;

    if (inst->provider)
        return 0;
    if (spec->native) {
        inst->provider = mcph_provider_ref(spec->native);
        return 0;
    }
    r = mcph_provider_new(inst->pool->core, spec->id, &provider, reterr);
    if (r == 0)
        r = mcph_files_fill(provider, spec->base_dir, &spec->allowed_extensions,
                            spec->max_bytes, reterr);
    if (r < 0) {
        mcph_provider_unref(provider);
        return r;
    }
    inst->provider = provider;
    inst->owns_provider = true;
    return 0;
}

int
mcph_instance_make_inside(struct mcph_instance *inst,
                          const struct mcph_transport_owner *owner,
                          struct mcph_transport **ret, mcphost_error **reterr)
{
    struct mcph_inside *inside = calloc(1, sizeof(*inside));
    struct mcph_transport *t = NULL;
    int r = 0;

    if (!inside)
        return mcph_err_nomem(reterr);
    inside->inst = inst;
    inside->listener.ops = &listener_ops;
    mcph_list_init(&inside->listener.link);
    r = make_provider(inst, reterr);
    if (r == 0)
        inside->provider = mcph_provider_ref(inst->provider);
    if (r == 0 &&
        mcph_joint_new(inst->pool->core, owner, inst, NULL, NULL, &t, &inside->end) < 0)
        r = mcph_err_nomem(reterr);
    if (r == 0)
        r = mcph_transport_open(inside->end, reterr);
    if (r == 0 && connect_inside(inst, inside) < 0)
        r = mcph_err_nomem(reterr);
    if (r < 0) {
        mcph_inside_free(inside);
        mcph_transport_free(t, 0);
        return r;
    }
    mcph_provider_listen(inst->provider, &inside->listener);
    inst->inside = inside;
    *ret = t;
    return 0;
}
