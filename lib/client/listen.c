/* SPDX-License-Identifier: MIT
 *
 * listen.c - the one subscription of a modern connection (MCP 2026-07-28,
 * "Subscriptions"): change notices of the tool list.
 *
 * The request stays open for as long as the connection; only its acknowledgment has
 * a deadline.  On stdio everything comes over one pipe, so a notice is ours only when
 * it carries the id of our request.  However the subscription ends, the connection
 * goes on without notices.
 */
#include "client/internal.h"

#define LISTEN_ID "listen:1"
#define ACK_MS    60000

static void
note(const struct mcph_client *c, const char *text)
{
    mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server, "%s", text);
}

static void
on_listen_end(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(call, struct mcph_client, listen.call);

    if (answer->code == MCPHOST_E_TIMEOUT) {
        send_cancel(c, call, "not acknowledged");
        note(c, "subscriptions/listen was not acknowledged; list changes go unnoticed");
    } else if (answer->code < 0) {
        note(c, "subscriptions/listen was refused; list changes go unnoticed");
    } else {
        note(c, "the server ended the subscription; list changes go unnoticed");
    }
}

void
listen_start(struct mcph_client *c)
{
    struct mcph_rpc_call *call = &c->listen.call;

    c->listen.acknowledged = false;
    call->on_answer = on_listen_end;
    call->timeout_ms = ACK_MS;
    call->max_ms = -1;
    if (mcph_rpc_start_named(&c->rpc, call, LISTEN_ID) < 0 ||
        send_request(c, call, "subscriptions/listen",
                     mcph_span_str("\"notifications\":{\"toolsListChanged\":true}")) <
            0) {
        mcph_rpc_abandon(call);
        note(c, "subscriptions/listen could not be sent; list changes go unnoticed");
    }
}

void
listen_stop(struct mcph_client *c)
{
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
           mcph_json_string_is(id, LISTEN_ID, sizeof(LISTEN_ID) - 1);
}

void
listen_acknowledged(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_span honoured;
    bool on = false;

    if (!listen_owns(c, msg) || c->listen.acknowledged)
        return;
    c->listen.acknowledged = true;
    mcph_rpc_call_set_timeout(&c->listen.call, -1);
    honoured = mcph_json_get(msg->params, "notifications");
    if (mcph_json_bool(mcph_json_get(honoured, "toolsListChanged"), &on) < 0 || !on)
        note(c, "the server will not tell of list changes");
}

void
listen_cancelled(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_span id = mcph_json_get(msg->params, "requestId");

    if (!mcph_rpc_call_waits(&c->listen.call) || mcph_json_type(id) != MCPH_JSON_STRING ||
        !mcph_json_string_is(id, LISTEN_ID, sizeof(LISTEN_ID) - 1))
        return;
    mcph_rpc_abandon(&c->listen.call);
    note(c, "the server ended the subscription; list changes go unnoticed");
}
