/* SPDX-License-Identifier: MIT
 *
 * fuzz_client_session.c - a whole connection, interleaved at random: bytes of the
 * server, calls of the host, steps of the clock.
 *
 * Byte 0 sets the client up.  After that one byte says what happens next and the
 * bytes behind it say how; see act().  Whatever comes, each call that was taken gets
 * exactly one answer unless it was taken back, nothing happens to a client that is
 * down, and nothing is lost.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CALLS 12

struct slot {
    struct mcph_client_call call;
    bool under_way, again;
};

static struct mcph_core *core;
static struct mcph_client *client;
static struct mcph_client_spec spec;
static struct mcph_transport *transport, *retired;
static struct slot slots[CALLS];
static size_t outstanding;
static bool down;
static int64_t now;
static const uint8_t *in, *end;

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static unsigned
next(void)
{
    return in < end ? *in++ : 0;
}

static int64_t
fuzz_clock(void *arg)
{
    (void)arg;
    return now;
}

/* ---- what the client tells ----------------------------------------------------------- */

static void free_client(void);

static void
alive(const struct mcph_client *c)
{
    must(c == client && !down);
}

static void
retire(void)
{
    mcph_transport_free(retired, 0);
    retired = transport;
    transport = NULL;
    if (retired)
        mcph_transport_close(retired);
}

static void
on_ready(struct mcph_client *c, void *arg)
{
    (void)arg;
    alive(c);
    must(mcph_client_get_info(c) != NULL);
}

static void
on_restart(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)arg;
    alive(c);
    must(reason != NULL);
    retire();
}

static void
on_down(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)arg;
    alive(c);
    must(reason != NULL && outstanding == 0);
    down = true;
    retire();
}

static void
on_listed(struct mcph_client *c, struct mcph_client_list *list, mcphost_error *error,
          void *arg)
{
    (void)arg;
    alive(c);
    must(!list != !error);
    for (size_t i = 0; list && i < list->n_pages; i++)
        must(mcph_json_type(list->pages[i].tools) == MCPH_JSON_ARRAY);
}

static void
on_changed(struct mcph_client *c, void *arg)
{
    (void)arg;
    alive(c);
    (void)mcph_client_list_tools(c);
}

static void
on_log(struct mcph_client *c, struct mcph_span level, struct mcph_span logger,
       struct mcph_span data, void *arg)
{
    (void)level;
    (void)logger;
    (void)data;
    (void)arg;
    alive(c);
}

static void
on_noise(struct mcph_client *c, const char *text, void *arg)
{
    (void)arg;
    alive(c);
    must(strlen(text) < 1000);
    if (*text == 'F')
        free_client();
}

static const struct mcph_client_events events = {
    .ready = on_ready,
    .restart = on_restart,
    .down = on_down,
    .listed = on_listed,
    .tools_changed = on_changed,
    .log = on_log,
    .noise = on_noise,
};

static void start_call(struct slot *slot, unsigned how);

static void
on_done(struct mcph_client_call *call, const struct mcph_client_answer *answer)
{
    struct slot *slot = MCPH_CONTAINER_OF(call, struct slot, call);

    must(slot->under_way && outstanding > 0);
    slot->under_way = false;
    outstanding--;
    must((answer->code == 0) == (answer->error == NULL));
    if (answer->code == 0)
        must(mcph_json_check(answer->result, 0, NULL, NULL) == 0);
    if (slot->again)
        start_call(slot, 0);
}

static void
on_progress(struct mcph_client_call *call, const struct mcph_client_progress *progress)
{
    must(MCPH_CONTAINER_OF(call, struct slot, call)->under_way);
    (void)progress;
}

/* ---- what happens ------------------------------------------------------------------------ */

static void
start_call(struct slot *slot, unsigned how)
{
    if (slot->under_way || !client)
        return;
    memset(slot, 0, sizeof(*slot));
    slot->call.tool = mcph_span_str("tool");
    slot->call.arguments = mcph_span_str(how & 1 ? "{\n}" : NULL);
    slot->call.meta = mcph_span_str(how & 2 ? "{\"a\":1}" : NULL);
    slot->call.timeout_ms = how & 4 ? 500 : -1;
    slot->call.max_ms = how & 8 ? 900 : -1;
    slot->call.progress_resets = how & 16;
    slot->call.progress = how & 32 ? on_progress : NULL;
    slot->again = how & 64;
    slot->call.done = on_done;
    if (mcph_client_call(client, &slot->call, NULL) == 0) {
        slot->under_way = true;
        outstanding++;
    }
}

static void
cancel_call(struct slot *slot)
{
    mcph_client_call_cancel(&slot->call, "why not");
    if (slot->under_way)
        outstanding--;
    slot->under_way = false;
}

static void
free_client(void)
{
    client = mcph_client_free(client);
    for (size_t i = 0; i < CALLS; i++)
        slots[i].under_way = false;
    outstanding = 0;
    retire();
}

static void
connect_client(void)
{
    if (transport || !client || down)
        return;
    transport = mcph_memory_new(core, NULL, NULL, NULL, NULL);
    must(transport != NULL);
    mcph_memory_set_frame_limit(transport, 2000);
    mcph_memory_set_queue_max(transport, 4000);
    must(mcph_transport_open(transport, NULL) == 0);
    if (mcph_client_start(client, transport, NULL) < 0)
        retire();
}

static void
new_client(void)
{
    free_client();
    down = false;
    must(mcph_client_new(core, &spec, &events, NULL, &client, NULL) == 0);
    connect_client();
}

static const char *const lines[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{}}\n",
    "{\"result\":{\"resultType\":\"complete\",\"tools\":[1]},\"id\":%u}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"error\":{\"code\":-32601,\"message\":\"m\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"protocolVersion\":\"2025-03-26\","
    "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}}}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"tools\":[],\"nextCursor\":\"c\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%u\",\"result\":{\"supportedVersions\":["
    "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}}}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%u\",\"error\":{\"code\":-32601,"
    "\"message\":\"m\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%u\",\"error\":{\"code\":-32022,\"message\":"
    "\"m\",\"data\":{\"supported\":[\"2026-07-28\"]}}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"ping\"}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
    "\"progressToken\":%u,\"progress\":1,\"total\":2}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{"
    "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:%u\"}}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:%u\"}}}"
    "\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
    "\"requestId\":\"listen:%u\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":"
    "\"info\",\"data\":%u}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":%u,\"message\":\"m\"}}\n",
    "[{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{}},7,{\"method\":\"ping\",\"id\":1}]\n",
    "{\"id\":%u,\"result\":{\"resultType\":\"input_required\"}}\n",
    "Free %u\n",
};

static void
say_line(void)
{
    char text[512];
    const char *line = lines[next() % MCPH_ARRAY_SIZE(lines)];
    unsigned n = next();

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof(text), line, n);
#pragma GCC diagnostic pop
    if (transport)
        (void)mcph_memory_peer_write(transport, text, strlen(text));
}

static void
say_bytes(void)
{
    size_t len = next();

    if (len > (size_t)(end - in))
        len = (size_t)(end - in);
    if (transport)
        (void)mcph_memory_peer_write(transport, (const char *)in, len);
    in += len;
}

static void
turn(void)
{
    for (int i = 0; i < 100 && mcph_core_dispatch(core) > 0; i++)
        ;
}

static void
act(unsigned what)
{
    switch (what % 12) {
    case 0:
        say_line();
        break;
    case 1:
        say_bytes();
        break;
    case 2:
        start_call(&slots[next() % CALLS], next());
        break;
    case 3:
        cancel_call(&slots[next() % CALLS]);
        break;
    case 4:
        if (client)
            (void)mcph_client_list_tools(client);
        break;
    case 5:
        now += (int64_t)next() * 40;
        break;
    case 6:
        if (transport)
            mcph_memory_peer_close(transport, NULL);
        break;
    case 7:
        connect_client();
        break;
    case 8:
        if (client)
            mcph_client_stop(client, MCPHOST_E_CANCELLED, NULL);
        down = down || client;
        break;
    case 9:
        new_client();
        break;
    case 10:
        if (transport)
            mcph_memory_peer_stall(transport, next() & 1);
        break;
    default:
        turn();
    }
    if (client)
        must(mcph_client_in_flight(client) == outstanding);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned how;

    in = data;
    end = data + size;
    how = next();
    now = 1000;
    must(mcph_core_new(&core, NULL) == 0);
    mcph_core_set_clock(core, fuzz_clock, NULL);
    mcph_client_spec_init(&spec);
    spec.server = "s";
    spec.name = "n";
    spec.version = "v";
    spec.era = (int)(how & 3) % 3;
    spec.cached_era = (int)(how >> 2 & 3) % 3;
    spec.log_level = how & 16 ? "info" : NULL;
    spec.auto_list = how & 32;
    spec.max_in_flight = 4;
    spec.max_queued = 4;
    spec.max_pages = 3;
    memset(slots, 0, sizeof(slots));
    outstanding = 0;
    down = false;
    new_client();
    while (in < end)
        act(next());
    turn();
    free_client();
    retired = mcph_transport_free(retired, 0);
    mcph_core_drain(core);
    mcph_core_unref(core);
    return 0;
}
