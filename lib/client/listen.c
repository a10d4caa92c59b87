/* SPDX-License-Identifier: MIT
 *
 * listen.c - the one subscription of a modern connection (MCP 2026-07-28,
 * "Subscriptions"): notices that lists have changed, of the kinds that the server tells of
 * and the owner wants.
 *
 *   sent --acknowledged--> open --lost--> waiting --delay--> sent
 *     \__ refused, not acknowledged: none, for as long as the connection
 *
 * The request stays open for as long as the connection; only its acknowledgment has
 * a deadline.  On stdio everything comes over one pipe, so a notice is ours only when
 * it carries the id of our request.  Where it has a stream of its own, that may break
 * or be ended while the server lives on: then it is sent again, after a delay that
 * grows, and what changed in between is asked for.  Without a subscription the
 * connection goes on without notices.
 */
#include <stdio.h>
#include <string.h>

#include "client/internal.h"

#define PARAMS_MAX 256
#define ACK_MS     60000
#define FIRST_MS   1000
#define LONGEST_MS 60000 /* and one that was open so long was no failure */

static void
note(const struct mcph_client *c, const char *text)
{
    mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server, "%s", text);
}

/* Lost, not refused: by its stream, or by a server that is busy or goes away, whatever
 * it says with that. */
static bool
may_come_back(const struct mcph_client *c, const struct mcph_rpc_answer *answer)
{
    int status = answer->status;

    if (!c->transport || !c->transport->streams || c->state != MCPH_CLIENT_READY ||
        answer->code == MCPHOST_E_TIMEOUT)
        return false;
    if (status >= 400)
        return status >= 500 || status == 408 || status == 429;
    return answer->code != MCPHOST_E_RPC;
}

/* 1u << MCPH_LIST_* of the kinds whose changes are asked for. */
static unsigned
wanted_kinds(const struct mcph_client *c)
{
    return c->spec.listen & c->info.list_changed;
}

static void
wait_for_next(struct mcph_client *c)
{
    struct listen *listen = &c->listen;
    int64_t now = mcph_core_now(c->core);

    if (listen->acknowledged && now - listen->since >= LONGEST_MS)
        listen->delay = 0;
    listen->delay = listen->delay ? listen->delay * 2 : FIRST_MS;
    if (listen->delay > LONGEST_MS)
        listen->delay = LONGEST_MS;
    listen->lost = true;
    /* What changes from now on is not heard of. */
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        if (wanted_kinds(c) & 1u << kind)
            cache_forget_list(c, kind);
    }
    mcph_timer_set(&listen->timer, now + listen->delay);
}

static void
on_listen_end(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(call, struct mcph_client, listen.call);

    if (may_come_back(c, answer)) {
        wait_for_next(c);
    } else if (answer->code == MCPHOST_E_TIMEOUT) {
        send_cancel(c, call, "not acknowledged");
        note(c, "subscriptions/listen was not acknowledged; list changes go unnoticed");
    } else if (answer->code < 0) {
        note(c, "subscriptions/listen was refused; list changes go unnoticed");
    } else {
        note(c, "the server ended the subscription; list changes go unnoticed");
    }
}

static int
add_filter(const struct mcph_client *c, struct mcph_buf *buf)
{
    mcph_buf_adds(buf, "\"notifications\":{");
    for (size_t i = 0; i < LIST_NOTICES; i++) {
        if (!(list_notices[i].kinds & wanted_kinds(c)))
            continue;
        mcph_json_add_comma(buf);
        mcph_buf_addf(buf, "\"%s\":true", list_notices[i].flag);
    }
    return mcph_buf_addc(buf, '}');
}

static int
send(struct mcph_client *c)
{
    struct mcph_rpc_call *call = &c->listen.call;
    struct mcph_buf params;
    int r;

    mcph_buf_init(&params, PARAMS_MAX);
    r = add_filter(c, &params);
    if (r == 0)
        r = mcph_rpc_start_named(&c->rpc, call, c->listen.id);
    if (r == 0)
        r = send_request(c, call, MCPH_METHOD_LISTEN, mcph_span(params.data, params.len));
    if (r < 0)
        mcph_rpc_abandon(call);
    mcph_buf_done(&params);
    return r;
}

void
listen_start(struct mcph_client *c)
{
    struct listen *listen = &c->listen;
    struct mcph_rpc_call *call = &listen->call;

    if (!wanted_kinds(c))
        return;

    listen->acknowledged = false;
    snprintf(listen->id, sizeof(listen->id), "listen:%u", ++listen->n);
    call->on_answer = on_listen_end;
    call->timeout_ms = ACK_MS;
    call->max_ms = -1;
    if (send(c) < 0)
        note(c, "subscriptions/listen could not be sent; list changes go unnoticed");
}

static void
on_due(struct mcph_timer *timer)
{
    listen_start(MCPH_CONTAINER_OF(timer, struct mcph_client, listen.timer));
}

int
listen_init(struct mcph_client *c)
{
    return mcph_timer_init(&c->listen.timer, c->core, on_due);
}

void
listen_stop(struct mcph_client *c)
{
    mcph_timer_cancel(&c->listen.timer);
    mcph_rpc_abandon(&c->listen.call);
}

bool
listen_owns(const struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_span meta = mcph_json_get(msg->params, "_meta"), id;

    if (!mcph_rpc_call_waits(&c->listen.call))
        return false;
    id = mcph_json_get(meta, "io.modelcontextprotocol/subscriptionId");
    return mcph_json_type(id) == MCPH_JSON_STRING &&
           mcph_json_string_is(id, c->listen.id, strlen(c->listen.id));
}

/* The server acknowledges what it will tell of. */
static void
check_flag(const struct mcph_client *c, const struct list_notice *notice,
           struct mcph_span honoured)
{
    bool on = false;

    if (!(notice->kinds & wanted_kinds(c)) ||
        (mcph_json_bool(mcph_json_get(honoured, notice->flag), &on) == 0 && on))
        return;
    mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server,
             "the server does not tell when its %s change", notice->capability);
}

void
listen_acknowledged(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_span honoured;

    if (!listen_owns(c, msg) || c->listen.acknowledged)
        return;
    c->listen.acknowledged = true;
    c->listen.since = mcph_core_now(c->core);
    mcph_rpc_call_set_timeout(&c->listen.call, -1);
    honoured = mcph_json_get(msg->params, "notifications");
    for (size_t i = 0; i < LIST_NOTICES; i++)
        check_flag(c, &list_notices[i], honoured);
    if (c->listen.lost)
        lists_changed(c, wanted_kinds(c));
    c->listen.lost = false;
}

void
listen_cancelled(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_span id = mcph_json_get(msg->params, "requestId");

    if (!mcph_rpc_call_waits(&c->listen.call) || mcph_json_type(id) != MCPH_JSON_STRING ||
        !mcph_json_string_is(id, c->listen.id, strlen(c->listen.id)))
        return;
    mcph_rpc_abandon(&c->listen.call);
    note(c, "the server ended the subscription; list changes go unnoticed");
}
