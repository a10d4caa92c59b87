/* SPDX-License-Identifier: MIT
 *
 * event.c - the public functions of <mcphost/event.h>.
 */
#include "api/getter.h"
#include "host/call.h"
#include "host/host.h"
#include "host/request.h"

int
mcphost_set_event(mcphost *host, mcphost_event_fn fn, void *arg, mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (host)
        r = mcph_event_set_sink(&host->journal, fn, arg, free_arg);
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

mcphost_event *
mcphost_event_ref(const mcphost_event *event)
{
    mcphost_event *own = (mcphost_event *)(uintptr_t)event;

    if (own)
        mcph_refs_get(&own->refs);
    return own;
}

mcphost_event *
mcphost_event_unref(mcphost_event *event)
{
    if (event)
        mcph_event_put(event);
    return NULL;
}

MCPH_GETTER(int, mcphost_event_get_kind, const mcphost_event *, self->kind)
MCPH_GETTER(const char *, mcphost_event_get_source_id, const mcphost_event *,
            self->source)
MCPH_GETTER(const char *, mcphost_event_get_server_id, const mcphost_event *,
            self->server)
MCPH_GETTER(const char *, mcphost_event_get_dialog_id, const mcphost_event *,
            self->dialog)
MCPH_GETTER(int, mcphost_event_get_state, const mcphost_event *, self->state)
MCPH_GETTER(int64_t, mcphost_event_get_pid, const mcphost_event *, self->pid)
MCPH_GETTER(uint64_t, mcphost_event_get_version, const mcphost_event *, self->version)
MCPH_GETTER(uint64_t, mcphost_event_get_serial, const mcphost_event *, self->serial)
MCPH_GETTER(mcphost_call *, mcphost_event_get_call, const mcphost_event *, self->call)
MCPH_GETTER(mcphost_problem *, mcphost_event_get_problem, const mcphost_event *,
            self->problem)
MCPH_GETTER(mcphost_config *, mcphost_event_get_config, const mcphost_event *,
            self->config)
MCPH_GETTER(mcphost_subscription *, mcphost_event_get_subscription, const mcphost_event *,
            self->subscription)
MCPH_GETTER(const char *, mcphost_event_get_uri, const mcphost_event *, self->uri)
MCPH_GETTER(uint64_t, mcphost_event_get_count, const mcphost_event *, self->count)
MCPH_GETTER(mcphost_request *, mcphost_event_get_request, const mcphost_event *,
            self->request)
MCPH_GETTER(mcphost_error *, mcphost_event_get_error, const mcphost_event *, self->error)
MCPH_GETTER(const char *, mcphost_event_get_text, const mcphost_event *, self->text)
MCPH_GETTER(const char *, mcphost_event_get_level, const mcphost_event *, self->level)

const char *
mcphost_event_get_data(const mcphost_event *event, size_t *ret_len)
{
    if (ret_len)
        *ret_len = event && event->data ? event->data_len : 0;
    return event ? event->data : NULL;
}

MCPH_GETTER(double, mcphost_event_get_progress, const mcphost_event *, self->progress)
MCPH_GETTER(double, mcphost_event_get_total, const mcphost_event *, self->total)
