/* SPDX-License-Identifier: MIT
 *
 * event.c - what happened, on its way to the application's one function.
 *
 * An event is a delivery with copies of its strings.  The function is looked
 * up when the event is delivered, so one that was replaced hears nothing more.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

struct mcph_event_sink {
    struct mcph_refs refs;
    mcphost_event_fn fn;
    void *arg;
    mcphost_free_fn free_arg;
};

static void
sink_put(struct mcph_event_sink *sink)
{
    if (!sink || !mcph_refs_put(&sink->refs))
        return;
    if (sink->free_arg)
        sink->free_arg(sink->arg);
    free(sink);
}

static struct mcph_event_sink *
sink_get(mcphost *host)
{
    struct mcph_event_sink *sink;

    mcph_core_lock(host->core);
    sink = host->sink;
    if (sink)
        mcph_refs_get(&sink->refs);
    mcph_core_unlock(host->core);
    return sink;
}

/* The last reference of a replaced sink is dropped from dispatch, and so is that of
 * one without a function, which was only an argument to be freed. */
struct farewell {
    struct mcph_delivery delivery;
    struct mcph_event_sink *sink, *never;
};

static void
say_farewell(struct mcph_delivery *delivery)
{
    struct farewell *f = MCPH_CONTAINER_OF(delivery, struct farewell, delivery);

    sink_put(f->sink);
    sink_put(f->never);
    free(f);
}

int
mcph_event_set_sink(mcphost *host, mcphost_event_fn fn, void *arg,
                    mcphost_free_fn free_arg)
{
    struct mcph_event_sink *sink = malloc(sizeof(*sink));
    struct farewell *f = malloc(sizeof(*f));
    int r;

    if (!f || !sink) {
        r = MCPHOST_E_NOMEM;
        goto refuse;
    }
    r = mcph_host_enter(host);
    if (r < 0)
        goto refuse;
    *sink = (struct mcph_event_sink){.fn = fn, .arg = arg, .free_arg = free_arg};
    mcph_refs_init(&sink->refs);
    *f = (struct farewell){.delivery.deliver = say_farewell, .sink = host->sink};
    if (!fn) {
        f->never = sink;
        sink = NULL;
    }
    host->sink = sink;
    mcph_core_leave(host->core);
    mcph_list_init(&f->delivery.link);
    mcph_core_deliver(host->core, &f->delivery);
    return 0;

refuse:
    free(f);
    free(sink);
    return r;
}

void
mcph_event_drop_sink(mcphost *host)
{
    sink_put(host->sink);
    host->sink = NULL;
}

static void
event_free(struct mcphost_event *event)
{
    free((char *)(uintptr_t)event->server);
    free((char *)(uintptr_t)event->dialog);
    free((char *)(uintptr_t)event->text);
    free((char *)(uintptr_t)event->level);
    free((char *)(uintptr_t)event->data);
    if (event->call)
        mcph_call_put(event->call);
    mcphost_problem_unref(event->problem);
    mcph_config_unref(event->config);
    mcph_request_put_user(event->request);
    mcphost_error_unref(event->error);
    free(event);
}

static void
deliver(struct mcph_delivery *delivery)
{
    struct mcphost_event *event =
        MCPH_CONTAINER_OF(delivery, struct mcphost_event, delivery);
    struct mcph_event_sink *sink;
    mcphost *host = event->host;

    if (event->kind == MCPHOST_EVENT_PROBLEM)
        mcph_problem_told(host, event);
    if (!host->silent) {
        sink = sink_get(host);
        if (sink)
            sink->fn(event, sink->arg);
        sink_put(sink);
    }
    if (event != &host->ready_event && event != &host->closed_event)
        event_free(event);
    mcph_host_put_mem(host);
}

static bool
copy_str(const char **field)
{
    if (*field)
        *field = mcph_strdup(*field);
    else
        return true;
    return *field != NULL;
}

static struct mcphost_event *
copy_event(mcphost *host, const struct mcphost_event *event)
{
    struct mcphost_event *copy = malloc(sizeof(*copy));
    bool ok = true;

    if (!copy)
        return NULL;
    *copy = *event;
    copy->host = host;
    /* All of them, so that none is left pointing to the caller's. */
    ok &= copy_str(&copy->server);
    ok &= copy_str(&copy->dialog);
    ok &= copy_str(&copy->text);
    ok &= copy_str(&copy->level);
    if (copy->data) {
        copy->data = mcph_strndup(copy->data, copy->data_len);
        ok &= copy->data != NULL;
    }
    if (copy->call)
        mcph_refs_get(&copy->call->refs);
    mcphost_problem_ref(copy->problem);
    mcph_config_ref(copy->config);
    mcph_request_get_user(copy->request);
    mcphost_error_ref(copy->error);
    if (ok)
        return copy;
    event_free(copy);
    return NULL;
}

struct mcphost_event *
mcph_emit(mcphost *host, const struct mcphost_event *event)
{
    struct mcphost_event *out = (struct mcphost_event *)(uintptr_t)event;
    bool wanted;

    mcph_core_lock(host->core);
    wanted = host->sink != NULL && !host->silent;
    mcph_core_unlock(host->core);
    if (!wanted)
        return NULL;
    if (event != &host->ready_event && event != &host->closed_event) {
        out = copy_event(host, event);
        if (!out) {
            mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
                     "an event of kind %d was lost: out of memory", event->kind);
            return NULL;
        }
    }
    out->delivery.deliver = deliver;
    mcph_list_init(&out->delivery.link);
    mcph_host_get_mem(host);
    mcph_core_deliver(host->core, &out->delivery);
    return out;
}
