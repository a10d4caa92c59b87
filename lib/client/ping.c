/* SPDX-License-Identifier: MIT
 *
 * ping.c - find out whether a silent server still answers (MCP 2025-11-25, "Ping").
 *
 * The client sends a ping only while no operation is in flight or queued and no list is
 * read: an open call has a deadline of its own, and a server that works on a call need
 * not answer a ping.  Every message of the server, even an error, proves that the server
 * is alive.  The client gives up a server only after a ping and a whole deadline of
 * silence, or if the pipe to the server is too full for the ping.  No timer runs for
 * versions from 2026-07-28 on, because these versions have no ping.
 */
#include "client/internal.h"

static void
wait_for_silence(struct mcph_client *c)
{
    c->ping.heard = c->rpc.counters.messages;
    mcph_timer_set(&c->ping.timer, mcph_core_now(c->core) + c->spec.ping_ms);
}

/* Ends the connection to a server that does not answer the ping, or does not read it.
 * Operations that were sent after the ping end with the same error.  No earlier operation
 * is open, because on_due() sends no ping while an operation is in flight. */
static void
give_up_server(struct mcph_client *c, const char *how)
{
    mcphost_error *error = NULL;

    mcph_client_error(c, &error, MCPHOST_E_TRANSPORT,
                      "is considered lost: it %s a ping within %lld ms", how,
                      (long long)c->spec.ping_timeout_ms);
    if (c->transport)
        mcph_transport_attach_tail(c->transport, error);
    mcph_client_go_down(c, error);
}

static void
on_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(call, struct mcph_client, ping.call);

    mcph_client_measure(c, call, answer);
    if (answer->code == MCPHOST_E_TIMEOUT && c->rpc.counters.messages == c->ping.heard)
        give_up_server(c, "did not answer");
    else
        wait_for_silence(c);
    /* Cancel the ping that timed out, as MCP 2025-11-25, "Timeouts", requires. */
    if (answer->code == MCPHOST_E_TIMEOUT && c->state == MCPH_CLIENT_READY)
        mcph_client_send_cancel(c, call, "timed out");
}

static void
send_ping(struct mcph_client *c)
{
    struct mcph_rpc_call *call = &c->ping.call;
    int r;

    call->on_answer = on_answer;
    call->timeout_ms = c->spec.ping_timeout_ms;
    call->max_ms = -1;
    r = mcph_rpc_start(&c->rpc, call);
    if (r == 0)
        r = mcph_client_send_request(c, call, MCPH_METHOD_PING, MCPH_SPAN_NONE);
    if (r == 0 || mcph_client_is_losing(c, r))
        return;
    mcph_rpc_abandon(call);
    /* Give up the server, because it has stopped reading: the pipe to the server is full,
     * although no operation waits for an answer. */
    if (r == MCPHOST_E_LIMIT)
        give_up_server(c, "did not even read");
    else
        wait_for_silence(c);
}

static void
on_due(struct mcph_timer *timer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(timer, struct mcph_client, ping.timer);

    if (c->rpc.counters.messages != c->ping.heard || c->n_in_flight || c->n_queued ||
        mcph_client_lists_are_running(c))
        wait_for_silence(c);
    else
        send_ping(c);
}

int
mcph_client_ping_init(struct mcph_client *c)
{
    return c->spec.ping_ms > 0 ? mcph_timer_init(&c->ping.timer, c->core, on_due) : 0;
}

void
mcph_client_ping_start(struct mcph_client *c)
{
    if (c->spec.ping_ms > 0)
        wait_for_silence(c);
}

void
mcph_client_ping_stop(struct mcph_client *c)
{
    mcph_timer_cancel(&c->ping.timer);
    mcph_rpc_abandon(&c->ping.call);
}
