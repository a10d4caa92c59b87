/* SPDX-License-Identifier: MIT
 *
 * connection.c - the life of a connection, from the wait for its service to its end.
 *
 *   WAITING --service is up--> OPEN --close--> CLOSING --no request is left--> OVER
 *      \______\___ the client has ended, or exceeded a limit ___/
 *
 * A connection ends in two steps.  First, sending and receiving stop at once.  Then a job
 * abandons the open requests, frees the service and reports the end to the owner.  The
 * second step is a job, because functions of lib/provide may still use a request when
 * the connection ends.
 *
 * A "work" is one request that the service carries out (inbound.c).
 */
#include <stdlib.h>
#include <string.h>

#include "provide/engine.h"

#define MIB ((size_t)1024 * 1024)

void
mcph_connection_spec_init(struct mcph_connection_spec *spec)
{
    *spec = (struct mcph_connection_spec){
        .name = "",
        .max_requests = 256,
        .max_bytes = 64 * MIB,
        .max_result = 48 * MIB,
        .request_ms = (int64_t)60 * 60 * 1000,
        .ask_ms = (int64_t)10 * 60 * 1000,
        .finish_ms = 60000,
        .start_ms = 60000,
        .max_garbage = 100,
        .max_queued = 8 * MIB,
        .stall_ms = 60000,
        .page_items = 1000,
        .page_bytes = MIB,
        .max_subscribed = 1024,
        .max_listens = 16,
    };
}

/* ---- the end of a connection ------------------------------------------------------- */

static void
free_connection(struct mcph_connection *c)
{
    mcph_rpc_done(&c->rpc);
    mcph_conn_receive_done(c);
    mcph_outbox_done(c);
    mcph_conn_pages_done(c);
    mcph_map_done(&c->topics);
    mcph_map_done(&c->by_id);
    mcph_timer_done(&c->start_timer);
    mcph_timer_done(&c->drain_timer);
    mcphost_error_unref(c->broken);
    mcphost_error_unref(c->reason);
    mcphost_error_unref(c->deaf);
    free((char *)c->spec.name);
    mcph_core_unref(c->core);
    free(c);
}

static void
post_end(struct mcph_connection *c)
{
    if (c->end_posted)
        return;
    c->end_posted = true;
    mcph_core_post(c->core, &c->end_job);
}

static void
run_end(struct mcph_job *job)
{
    struct mcph_connection *c = MCPH_CONTAINER_OF(job, struct mcph_connection, end_job);

    c->end_posted = false;
    if (c->service) {
        mcph_inbound_abandon_all(c);
        mcph_topics_end(c);
        c->service->connection = NULL;
        c->service->ops->free(c->service);
        c->service = NULL;
        if (!c->freed)
            c->events->over(c, c->reason, c->arg);
    }
    if (c->freed && !c->end_posted)
        free_connection(c);
}

void
mcph_conn_end_with(struct mcph_connection *c, mcphost_error *reason)
{
    if (conn_is_over(c)) {
        mcphost_error_unref(reason);
        return;
    }
    c->state = CONN_OVER;
    c->reason = reason;
    if (!c->freed)
        mcph_log(c->core, MCPHOST_LOG_INFO, "provide", c->spec.name,
                 "the connection has ended: %s", mcphost_error_get_message(reason));
    mcph_transport_set_user(c->transport, NULL, NULL);
    c->transport = NULL;
    mcph_timer_cancel(&c->start_timer);
    mcph_timer_cancel(&c->drain_timer);
    mcph_timer_cancel(&c->outbox.timer);
    post_end(c);
}

void
mcph_conn_end(struct mcph_connection *c, int code, const char *why)
{
    mcphost_error *error = NULL;

    mcph_err(&error, code, "%s", why);
    mcph_conn_end_with(c, error);
}

/* Returns true if the work waits for the client, so that the connection need not wait for
 * the work.  A parked work waits for the client if the service has answered the work.  If
 * the client sends nothing more, every work that is parked or has open questions counts
 * as waiting for the client. */
static bool
waits_for_client(const struct mcph_connection *c, const struct work *work)
{
    return work->answered || (c->deaf && (work->parked || work->n_asks > 0));
}

/* Returns true if the connection must not end yet, because the outbox holds messages, or
 * a work is open for which waits_for_client() returns false.  If the client sends nothing
 * more, the connection also waits until the service is up and the inbox is empty. */
static bool
is_busy(const struct mcph_connection *c)
{
    mcph_list_for_each_entry (in, &c->inbound, const struct inbound, link) {
        if (in->kind == INBOUND_WORK &&
            !waits_for_client(c, MCPH_CONTAINER_OF(in, struct work, in)))
            return true;
    }
    return c->outbox.n > 0 || (c->deaf && (c->n_inbox > 0 || !c->is_up));
}

void
mcph_conn_check_drain(struct mcph_connection *c)
{
    if (conn_is_over(c) || (c->state != CONN_CLOSING && !c->deaf) || is_busy(c))
        return;
    if (c->deaf)
        mcph_conn_end_with(c, mcphost_error_ref(c->deaf));
    else
        mcph_conn_end(c, MCPHOST_E_CLOSED, "it was closed");
}

void
mcph_conn_half_closed(struct mcph_connection *c, mcphost_error *reason)
{
    c->deaf = mcphost_error_ref(reason);
    if (c->state != CONN_CLOSING)
        mcph_timer_set(&c->drain_timer, mcph_core_now(c->core) + c->spec.finish_ms);
    mcph_conn_check_drain(c);
}

static void
on_drain_due(struct mcph_timer *timer)
{
    struct mcph_connection *c =
        MCPH_CONTAINER_OF(timer, struct mcph_connection, drain_timer);

    if (c->deaf)
        mcph_conn_end_with(c, mcphost_error_ref(c->deaf));
    else
        mcph_conn_end(c, MCPHOST_E_CLOSED,
                      "it was closed before all requests were answered");
}

void
mcph_connection_close(struct mcph_connection *c, int64_t drain_ms)
{
    if (conn_is_over(c))
        return;
    c->state = CONN_CLOSING;
    mcph_conn_listen_finish_all(c);
    if (conn_is_over(c))
        return;
    if (drain_ms >= 0)
        mcph_timer_set(&c->drain_timer, mcph_core_now(c->core) + drain_ms);
    mcph_conn_check_drain(c);
}

struct mcph_connection *
mcph_connection_free(struct mcph_connection *c)
{
    if (c) {
        c->freed = true;
        mcph_conn_end_with(c, NULL);
        post_end(c);
    }
    return NULL;
}

/* ---- the beginning of a connection ------------------------------------------------- */

void
mcph_service_up(struct mcph_service *service, mcphost_error *error)
{
    struct mcph_connection *c = service->connection;

    if (!c || c->state == CONN_OVER || c->is_up)
        return;
    c->is_up = true;
    c->broken = mcphost_error_ref(error);
    mcph_timer_cancel(&c->start_timer);
    if (c->state == CONN_WAITING)
        c->state = CONN_OPEN;
    mcph_conn_receive_go_on(c);
}

static void
on_start_due(struct mcph_timer *timer)
{
    struct mcph_connection *c =
        MCPH_CONTAINER_OF(timer, struct mcph_connection, start_timer);
    mcphost_error *error = NULL;

    mcph_err(&error, MCPHOST_E_TIMEOUT, "the service was not ready in time");
    mcph_service_up(c->service, error);
    mcphost_error_unref(error);
}

void
mcph_conn_ready(struct mcph_connection *c)
{
    if (!conn_is_over(c) && c->events->ready)
        c->events->ready(c, c->arg);
}

static int
init_connection(struct mcph_connection *c)
{
    int r = MCPHOST_E_NOMEM;

    c->spec.name = mcph_strdup(c->spec.name ? c->spec.name : "");
    if (c->spec.name)
        r = mcph_timer_init(&c->start_timer, c->core, on_start_due);
    if (r == 0)
        r = mcph_timer_init(&c->drain_timer, c->core, on_drain_due);
    if (r == 0)
        r = mcph_outbox_init(c);
    return r;
}

int
mcph_connection_new(struct mcph_core *core, const struct mcph_connection_spec *spec,
                    struct mcph_transport *transport, struct mcph_service *service,
                    const struct mcph_connection_events *events, void *arg,
                    struct mcph_connection **ret)
{
    struct mcph_connection *c = calloc(1, sizeof(*c));

    if (!c)
        return MCPHOST_E_NOMEM;
    c->core = mcph_core_ref(core);
    c->spec = *spec;
    c->events = events;
    c->arg = arg;
    c->end_job.run = run_end;
    c->level = c->told_level = CONN_LEVEL_NONE;
    mcph_list_init(&c->inbound);
    mcph_list_init(&c->parked);
    mcph_list_init(&c->outbox.items);
    mcph_list_init(&c->all_topics);
    mcph_conn_receive_init(c);
    if (init_connection(c) < 0) {
        free_connection(c);
        return MCPHOST_E_NOMEM;
    }
    c->transport = transport;
    c->service = service;
    service->connection = c;
    mcph_transport_set_user(transport, &mcph_conn_receive_user, c);
    mcph_timer_set(&c->start_timer, mcph_core_now(core) + c->spec.start_ms);
    *ret = c;
    service->ops->start(service);
    return 0;
}
