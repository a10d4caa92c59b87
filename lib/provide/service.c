/* SPDX-License-Identifier: MIT
 *
 * service.c - the service of a connection that serves a provider.
 *
 * The service is a listener of the provider and the carrier of its calls.  A request of
 * the client becomes a call of the provider.  The service sends a question of the
 * provider's function to the client.
 */
#include <stdlib.h>
#include <string.h>

#include "provide/connection.h"

struct provider_service {
    struct mcph_service base;
    struct mcph_listener listener;
    mcphost_provider *provider; /* a reference */
};

static struct provider_service *
service_of(struct mcph_service *service)
{
    return MCPH_CONTAINER_OF(service, struct provider_service, base);
}

/* ---- calls ------------------------------------------------------------------------- */

struct carried_call {
    mcphost_provider_call call;
    struct mcph_served *served; /* the request; NULL after it was answered or abandoned */
    unsigned asks;              /* MCPHOST_REQUEST_* that the client answers */
    char texts[];
};

struct carried_ask {
    struct mcph_served_ask base;
    struct mcph_ask_out *ask;
};

static struct carried_call *
carried_of(mcphost_provider_call *call)
{
    return MCPH_CONTAINER_OF(call, struct carried_call, call);
}

static void
on_answered(mcphost_provider_call *call)
{
    struct carried_call *carried = carried_of(call);
    struct mcph_served *served = carried->served;

    carried->served = NULL;
    if (call->code == 0)
        mcph_served_answer(served, call->frame, call->result);
    else
        mcph_served_fail(served, call->code, call->error);
    mcph_providing_put(call);
}

static void
on_progress(mcphost_provider_call *call, double progress, double total, const char *text)
{
    mcph_served_report(carried_of(call)->served, progress, total, text);
}

static bool
on_asks(const mcphost_provider_call *call, int kind)
{
    const struct carried_call *carried =
        MCPH_CONTAINER_OF(call, const struct carried_call, call);

    return (carried->asks & (unsigned)kind) != 0;
}

static void
on_ask_answered(struct mcph_served_ask *base, int code, struct mcph_span result,
                mcphost_error *error)
{
    struct carried_ask *carried = MCPH_CONTAINER_OF(base, struct carried_ask, base);
    struct mcph_ask_out *ask = carried->ask;

    ask->carried = NULL;
    mcph_ask_out_answer(ask, code, result, error);
    free(carried);
}

static void
on_ask(mcphost_provider_call *call, struct mcph_ask_out *ask)
{
    struct carried_ask *carried = calloc(1, sizeof(*carried));
    int r = MCPHOST_E_NOMEM;

    if (carried) {
        carried->ask = ask;
        carried->base.kind = ask->kind;
        carried->base.params = mcph_span(ask->params, ask->params_len);
        carried->base.answered = on_ask_answered;
        r = mcph_served_ask(carried_of(call)->served, &carried->base);
    }
    ask->carried = carried;
    if (r == 0)
        return;
    ask->carried = NULL;
    free(carried);
    mcph_ask_out_answer(ask, r, MCPH_SPAN_NONE, NULL);
}

static void
on_unask(mcphost_provider_call *call, struct mcph_ask_out *ask)
{
    struct carried_ask *carried = ask->carried;

    (void)call;
    if (!carried)
        return;
    ask->carried = NULL;
    mcph_served_unask(&carried->base);
    free(carried);
}

static void
on_free(mcphost_provider_call *call)
{
    free(carried_of(call));
}

static const struct mcph_carrier carrier = {
    .answered = on_answered,
    .progress = on_progress,
    .asks = on_asks,
    .ask = on_ask,
    .unask = on_unask,
    .free = on_free,
};

/* ---- starting a call --------------------------------------------------------------- */

/* Copies a text to *at, adds a NUL, and moves *at past the NUL. */
static struct mcph_span
put_text(char **at, struct mcph_span text)
{
    struct mcph_span copy = mcph_span(*at, text.len);

    if (!text.p)
        return MCPH_SPAN_NONE;
    memcpy(*at, text.p, text.len);
    (*at)[text.len] = '\0';
    *at += text.len + 1;
    return copy;
}

static struct carried_call *
carried_new(struct mcph_served *served, struct mcph_span arguments)
{
    const struct mcph_span texts[] = {served->name, arguments, served->meta,
                                      served->argument, served->value};
    struct carried_call *carried;
    size_t size = 0;
    char *at;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++)
        size += texts[i].len + 1;
    carried = mcph_zalloc(sizeof(*carried), size);
    if (!carried)
        return NULL;
    at = carried->texts;
    carried->served = served;
    carried->call.carrier = &carrier;
    carried->call.method = served->method;
    carried->call.wants_progress = served->wants_progress;
    carried->call.name = put_text(&at, served->name);
    carried->call.arguments = put_text(&at, arguments);
    carried->call.meta = put_text(&at, served->meta);
    carried->call.argument = put_text(&at, served->argument);
    carried->call.value = put_text(&at, served->value);
    carried->asks = mcph_served_asks(served);
    return carried;
}

static void
not_found(const struct mcph_served *served, mcphost_error **reterr)
{
    static const char *const what[] = {
        [MCPH_PROVIDE_CALL] = "tool",
        [MCPH_PROVIDE_READ] = "resource",
        [MCPH_PROVIDE_GET] = "prompt",
        [MCPH_PROVIDE_COMPLETE] = "prompt or template",
    };

    mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no %s '%.200s'", what[served->method],
             served->name.p);
}

static int
begin_target(struct provider_service *s, struct mcph_served *served,
             struct mcph_provide_target *target, mcphost_error **reterr)
{
    struct mcph_span arguments = served->arguments;
    struct carried_call *carried;
    int r = 0;

    if (served->method == MCPH_PROVIDE_CALL)
        r = mcph_feature_check_arguments(target->feature, arguments, reterr);
    else if (served->method == MCPH_PROVIDE_GET)
        r = mcph_feature_check_prompt(target->feature, arguments, reterr);
    if (r < 0)
        return r;
    if (target->variables.len > 0)
        arguments = mcph_span(target->variables.data, target->variables.len);
    carried = carried_new(served, arguments);
    if (!carried)
        return mcph_err_nomem(reterr);
    r = mcph_provider_begin(s->provider, &carried->call, target);
    if (r < 0) {
        free(carried);
        return mcph_err(reterr, r, "the provider accepts no more calls");
    }
    served->carried = carried;
    return 0;
}

static int
service_begin(struct mcph_service *service, struct mcph_served *served,
              mcphost_error **reterr)
{
    struct provider_service *s = service_of(service);
    struct mcph_provide_target target = {0};
    int r = mcph_provider_find(s->provider, served->method, served->kind, served->name,
                               &target);

    if (r == 0)
        r = begin_target(s, served, &target, reterr);
    else if (r == MCPHOST_E_NOTFOUND)
        not_found(served, reterr);
    else
        mcph_err(reterr, r, "%s", mcphost_strerror(r));
    mcph_provide_target_done(&target);
    return r;
}

static void
service_abandon(struct mcph_service *service, struct mcph_served *served)
{
    struct carried_call *carried = served->carried;

    (void)service;
    carried->served = NULL;
    mcph_providing_abandon(&carried->call);
}

/* ---- offers and lists -------------------------------------------------------------- */

/* Gets the kinds of features and the capabilities.  A provider without features offers
 * tools, because it may add tools later. */
static void
service_get_offer(struct mcph_service *service, struct mcph_service_offer *ret)
{
    mcphost_provider *provider = service_of(service)->provider;

    ret->kinds = mcph_provider_kinds(provider);
    if (ret->kinds == 0)
        ret->kinds = 1u << MCPHOST_FEATURE_TOOL;
    ret->completion = mcph_provider_completes(provider);
    ret->subscribe = ret->logging = true;
}

static struct mcph_span
about_of(struct mcph_service *service)
{
    return mcph_span_str(service_of(service)->provider->about);
}

static int
service_add_info(struct mcph_service *service, struct mcph_buf *buf)
{
    struct mcph_span about = about_of(service), key, value;
    struct mcph_json_iter it;

    mcph_buf_addc(buf, '{');
    if (!mcph_json_get(about, "name").p)
        mcph_json_add_member(buf, "name", service_of(service)->provider->id);
    if (!mcph_json_get(about, "version").p)
        mcph_json_add_member(buf, "version", "0");
    mcph_json_iter_init(&it, about);
    while (mcph_json_iter_next(&it, &key, &value)) {
        if (mcph_json_string_is(key, "instructions", 12))
            continue;
        mcph_json_add_comma(buf);
        mcph_json_add_span(buf, key);
        mcph_buf_addc(buf, ':');
        mcph_rpc_add_oneline(buf, value);
    }
    return mcph_buf_addc(buf, '}');
}

static struct mcph_span
service_get_instructions(struct mcph_service *service)
{
    return mcph_json_get(about_of(service), "instructions");
}

static int
service_list(struct mcph_service *service, int kind, struct mcph_frame **ret)
{
    return mcph_provider_list(service_of(service)->provider, kind, ret);
}

static int
service_subscribe(struct mcph_service *service, struct mcph_span uri)
{
    struct mcph_topics *topics = service_of(service)->provider->topics;

    return topics ? topics->subscribe(topics, uri) : 0;
}

static void
service_unsubscribe(struct mcph_service *service, struct mcph_span uri)
{
    struct mcph_topics *topics = service_of(service)->provider->topics;

    if (topics)
        topics->unsubscribe(topics, uri);
}

/* ---- events of the provider -------------------------------------------------------- */

static struct mcph_service *
listening(struct mcph_listener *listener)
{
    return &MCPH_CONTAINER_OF(listener, struct provider_service, listener)->base;
}

static void
on_up(struct mcph_listener *listener, mcphost_error *error)
{
    mcph_service_up(listening(listener), error);
}

static void
on_changed(struct mcph_listener *listener, unsigned features)
{
    mcph_service_changed(listening(listener), features);
}

static void
on_updated(struct mcph_listener *listener, struct mcph_span uri)
{
    mcph_service_updated(listening(listener), uri);
}

static void
on_logged(struct mcph_listener *listener, int level, struct mcph_span logger,
          struct mcph_span data)
{
    mcph_service_logged(listening(listener), level, logger, data);
}

static void
on_closing(struct mcph_listener *listener)
{
    mcph_service_closing(listening(listener));
}

static const struct mcph_listener_ops listener_ops = {
    .up = on_up,
    .changed = on_changed,
    .updated = on_updated,
    .logged = on_logged,
    .closing = on_closing,
};

/* ---- life -------------------------------------------------------------------------- */

static void
service_start(struct mcph_service *service)
{
    struct provider_service *s = service_of(service);

    mcph_provider_listen(s->provider, &s->listener);
}

static void
service_free(struct mcph_service *service)
{
    struct provider_service *s = service_of(service);

    mcph_provider_unlisten(s->provider, &s->listener);
    mcph_provider_unref(s->provider);
    free(s);
}

static const struct mcph_service_ops service_ops = {
    .start = service_start,
    .free = service_free,
    .get_offer = service_get_offer,
    .add_info = service_add_info,
    .get_instructions = service_get_instructions,
    .list = service_list,
    .begin = service_begin,
    .abandon = service_abandon,
    .subscribe = service_subscribe,
    .unsubscribe = service_unsubscribe,
};

int
mcph_provider_serve(mcphost_provider *provider, struct mcph_service **ret)
{
    struct provider_service *s = calloc(1, sizeof(*s));

    if (!s)
        return MCPHOST_E_NOMEM;
    s->base.ops = &service_ops;
    s->listener.ops = &listener_ops;
    mcph_list_init(&s->listener.link);
    s->provider = mcph_provider_ref(provider);
    *ret = &s->base;
    return 0;
}
