/* SPDX-License-Identifier: MIT
 *
 * fuzz_http_session.c - a client over HTTP, interleaved at random: heads and bytes of
 * answers, failures, calls of the host, steps of the clock, in both eras.
 *
 * The room `net` is stood in for by what is below: a request is a slot that the input
 * gives a status, headers, bytes and an end.  Byte 0 sets the client up; after that one
 * byte says what happens next, see act().  Whatever comes, each call that was taken gets
 * exactly one answer unless it was taken back, and nothing happens to a client that is
 * down.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "net/net.h"
#include "transport/transport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CALLS    8
#define REQUESTS 64

struct mcph_net_request {
    const struct mcph_net_events *events;
    void *arg;
    bool headed;
    int status;
    const char *type, *session, *location;
    size_t max_body, got;
};

struct slot {
    struct mcph_client_call call;
    bool under_way;
};

static struct mcph_core *core;
static struct mcph_client *client;
static struct mcph_client_spec spec;
static struct mcph_transport *transport, *retired;
static struct mcph_net_request *requests[REQUESTS];
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

/* ---- the net room -------------------------------------------------------------------- */

int
mcph_net_new(struct mcph_core *c, struct mcph_net **ret, mcphost_error **reterr)
{
    (void)c;
    (void)ret;
    return mcph_err_nomem(reterr);
}

struct mcph_net *
mcph_net_free(struct mcph_net *net)
{
    must(net == NULL);
    return NULL;
}

int
mcph_net_start(struct mcph_net *net, const struct mcph_net_spec *spec_,
               struct mcph_net_request **ret, mcphost_error **reterr)
{
    struct mcph_net_request *req;
    size_t i = 0;

    (void)net;
    for (size_t h = 0; h < spec_->n_headers; h++)
        for (size_t k = 0; k < spec_->headers[h].len; k++)
            must((unsigned char)spec_->headers[h].value[k] >= 0x20 ||
                 spec_->headers[h].value[k] == '\t');
    while (i < REQUESTS && requests[i])
        i++;
    if (i == REQUESTS)
        return mcph_err_nomem(reterr);
    req = calloc(1, sizeof(*req));
    must(req != NULL);
    req->events = spec_->events;
    req->arg = spec_->arg;
    req->max_body = spec_->max_body;
    if (spec_->body)
        mcph_buf_done(spec_->body);
    requests[i] = *ret = req;
    return 0;
}

struct mcph_net_request *
mcph_net_cancel(struct mcph_net_request *req)
{
    for (size_t i = 0; req && i < REQUESTS; i++) {
        if (requests[i] == req) { /* else it is just being told its end */
            requests[i] = NULL;
            free(req);
        }
    }
    return NULL;
}

void
mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret)
{
    (void)req;
    (void)ret;
    abort(); /* nobody keeps credentials here */
}

int
mcph_net_get_status(const struct mcph_net_request *req)
{
    must(req->headed);
    return req->status;
}

const char *
mcph_net_get_header(struct mcph_net_request *req, const char *name, size_t index)
{
    must(req->headed);
    if (index > 0)
        return NULL;
    if (strcasecmp(name, "content-type") == 0)
        return req->type;
    if (strcasecmp(name, "mcp-session-id") == 0)
        return req->session;
    return strcasecmp(name, "location") == 0 ? req->location : NULL;
}

void
mcph_net_set_total(struct mcph_net_request *req, int64_t ms)
{
    must(req && ms >= 0);
}

void
mcph_net_set_idle(struct mcph_net_request *req, int64_t ms)
{
    must(req && ms >= 0);
}

void
mcph_net_set_max_body(struct mcph_net_request *req, size_t max)
{
    req->max_body = max;
}

/* ---- what the client tells ----------------------------------------------------------- */

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
}

static const struct mcph_client_events events = {
    .restart = on_restart,
    .down = on_down,
    .listed = on_listed,
};

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
}

/* ---- what happens ------------------------------------------------------------------------ */

static void
start_call(struct slot *slot, unsigned how)
{
    if (slot->under_way || !client)
        return;
    memset(slot, 0, sizeof(*slot));
    slot->call.tool = mcph_span_str(how & 1 ? "tool" : "n\xc3\xa4me with blanks ");
    slot->call.timeout_ms = how & 2 ? 500 : -1;
    slot->call.max_ms = how & 4 ? 900 : -1;
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
connect_client(void)
{
    struct mcph_http_spec http = {.server = "s", .url = "http://localhost/mcp"};

    if (transport || !client || down)
        return;
    must(mcph_http_new(core, NULL, &http, NULL, NULL, &transport, NULL) == 0);
    mcph_http_set_frame_limit(transport, 2000);
    must(mcph_transport_open(transport, NULL) == 0);
    if (mcph_client_start(client, transport, NULL) < 0)
        retire();
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
new_client(void)
{
    free_client();
    down = false;
    must(mcph_client_new(core, &spec, &events, NULL, &client, NULL) == 0);
    connect_client();
}

/* The nth of those under way, counted round; NULL: there is none. */
static struct mcph_net_request *
pick(unsigned n)
{
    struct mcph_net_request *found[REQUESTS];
    unsigned count = 0;

    for (size_t i = 0; i < REQUESTS; i++)
        if (requests[i])
            found[count++] = requests[i];
    return count ? found[n % count] : NULL;
}

static bool
is_there(const struct mcph_net_request *req)
{
    for (size_t i = 0; i < REQUESTS; i++)
        if (req && requests[i] == req)
            return true;
    return false;
}

static void
head(struct mcph_net_request *req, unsigned how)
{
    static const int statuses[] = {200, 202, 400, 401, 403, 404, 405, 429, 500, 503};
    static const char *const types[] = {"application/json", "text/event-stream",
                                        "Application/JSON; charset=utf-8", "text/html",
                                        NULL};

    if (!req || req->headed)
        return;
    req->headed = true;
    req->status = how & 64 ? statuses[how % MCPH_ARRAY_SIZE(statuses)] : 200;
    req->type = types[how & 64 ? next() % 5 : how % 2];
    req->session = how & 32 ? "abc" : how & 16 ? "bad id" : NULL;
    req->location = how & 8 ? "http://elsewhere/" : NULL;
    if (req->events->head)
        req->events->head(req, req->arg);
}

static void
finish(struct mcph_net_request *req, int code)
{
    mcphost_error *error = NULL;

    if (!req)
        return;
    if (code)
        mcph_err(&error, code, "it failed");
    for (size_t i = 0; i < REQUESTS; i++)
        if (requests[i] == req)
            requests[i] = NULL;
    req->headed = true;
    req->events->done(req, error, req->arg);
    free(req);
    mcphost_error_unref(error);
}

static void
body(struct mcph_net_request *req, const char *data, size_t len)
{
    if (!is_there(req) || !req->headed)
        return;
    req->got += len;
    if (req->max_body && req->got > req->max_body)
        finish(req, MCPHOST_E_LIMIT);
    else if (req->events->body)
        req->events->body(req, data, len, req->arg);
}

static const char *const bodies[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{}}",
    "{\"result\":{\"resultType\":\"complete\",\"tools\":[{\"name\":\"tool\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
    "\"x-mcp-header\":\"A\"}}}}]},\"id\":%u}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"error\":{\"code\":-32601,\"message\":\"m\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"error\":{\"code\":-32020,\"message\":\"m\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"protocolVersion\":\"2025-06-18\","
    "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%u\",\"result\":{\"supportedVersions\":["
    "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%u\",\"error\":{\"code\":-32022,\"message\":"
    "\"m\",\"data\":{\"supported\":[\"2026-07-28\"]}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"%u\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"resultType\":\"input_required\","
    "\"inputRequests\":{\"k\":{\"method\":\"roots/list\"}},\"requestState\":\"s\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"resultType\":\"input_required\","
    "\"requestState\":\"s\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"s-%u\",\"method\":\"roots/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"ping\"}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{"
    "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:%u\"}}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:%u\"}}}",
    "id: %u\nretry: 30\ndata:",
};

/* A whole message, as a document or as an event. */
static void
say(struct mcph_net_request *req)
{
    const char *format = bodies[next() % MCPH_ARRAY_SIZE(bodies)];
    unsigned n = next() % 32;
    char text[600];
    size_t len;

    if (!req || !req->headed)
        return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (req->type && strcmp(req->type, "text/event-stream") == 0) {
        len = (size_t)snprintf(text, sizeof(text), "data: ");
        len += (size_t)snprintf(text + len, sizeof(text) - len, format, n);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "\n\n");
    } else {
        len = (size_t)snprintf(text, sizeof(text), format, n);
    }
#pragma GCC diagnostic pop
    body(req, text, len);
}

static void
say_bytes(struct mcph_net_request *req)
{
    size_t len = next();

    if (len > (size_t)(end - in))
        len = (size_t)(end - in);
    in += len;
    if (len)
        body(req, (const char *)in - len, len);
}

/* The usual: head, message, end. */
static void
answer(struct mcph_net_request *req)
{
    head(req, next() & 49);
    if (is_there(req))
        say(req);
    if (is_there(req))
        finish(req, 0);
}

static void
turn(void)
{
    for (int i = 0; i < 100 && mcph_core_dispatch(core) > 0; i++)
        ;
}

static void
act_on_net(unsigned what)
{
    static const int codes[] = {0, MCPHOST_E_TRANSPORT, MCPHOST_E_TIMEOUT,
                                MCPHOST_E_LIMIT, MCPHOST_E_NOMEM};
    struct mcph_net_request *req = pick(next());

    switch (what) {
    case 0:
        answer(req);
        break;
    case 1:
        head(req, next());
        break;
    case 2:
        say(req);
        break;
    case 3:
        say_bytes(req);
        break;
    default:
        finish(req, codes[next() % MCPH_ARRAY_SIZE(codes)]);
    }
}

static void
act(unsigned what)
{
    switch (what % 13) {
    case 5:
        start_call(&slots[next() % CALLS], next());
        break;
    case 6:
        cancel_call(&slots[next() % CALLS]);
        break;
    case 7:
        if (client)
            (void)mcph_client_list_tools(client);
        break;
    case 8:
        now += (int64_t)next() * 40;
        break;
    case 9:
        connect_client();
        break;
    case 10:
        if (client)
            mcph_client_stop(client, MCPHOST_E_CANCELLED, NULL);
        down = down || client;
        break;
    case 11:
        new_client();
        break;
    case 12:
        turn();
        break;
    default:
        act_on_net(what % 13);
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
    spec.auto_list = how & 32;
    spec.max_in_flight = 4;
    spec.max_queued = 4;
    spec.max_pages = 3;
    memset(slots, 0, sizeof(slots));
    outstanding = 0;
    down = false;
    new_client();
    turn();
    while (in < end)
        act(next());
    turn();
    free_client();
    retired = mcph_transport_free(retired, 0);
    for (size_t i = 0; i < REQUESTS; i++)
        must(requests[i] == NULL);
    mcph_core_drain(core);
    mcph_core_unref(core);
    return 0;
}
