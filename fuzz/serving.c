/* SPDX-License-Identifier: MIT
 *
 * serving.c - a server's connection in a fuzz target.
 */
#include "serving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provide/connection.h"
#include "session.h"

#define CALLS     8
#define LINE_MAX_ ((size_t)4096)
#define TURNS     5000

static struct {
    struct mcph_core *core;
    mcphost_provider *provider;
    struct mcph_transport *transport;
    struct mcph_connection *connection;
    mcphost_provider_call *calls[CALLS]; /* open calls, the oldest first */
    size_t n_calls;
    bool modern, over, late;
    int64_t now;
    unsigned asked, answered; /* the numbers of messages that may get an answer, and of
                               * answers */
    int setups, teardowns;
    char state[64], question[300]; /* the last requestState; the last request's id */
} srv;

static int64_t
clock_now(void *arg)
{
    (void)arg;
    return srv.now;
}

static void
turn(void)
{
    int r = 1;

    for (int i = 0; r > 0; i++) {
        must(i < TURNS);
        r = mcph_core_dispatch(srv.core);
    }
}

/* ---- the client -------------------------------------------------------------------- */

static void
on_line(struct mcph_transport *t, struct mcph_span line, void *arg)
{
    struct mcph_rpc_message msg;
    struct mcph_span state;

    (void)t;
    (void)arg;
    mcph_rpc_parse(line, 0, &msg);
    must(msg.kind != MCPH_RPC_GARBAGE && msg.kind != MCPH_RPC_BATCH);
    must(!memchr(line.p, '\n', line.len));
    if (msg.kind == MCPH_RPC_REQUEST) {
        must(msg.id.raw.len < sizeof(srv.question));
        snprintf(srv.question, sizeof(srv.question), "%.*s", (int)msg.id.raw.len,
                 msg.id.raw.p);
    }
    if (msg.kind == MCPH_RPC_RESULT || msg.kind == MCPH_RPC_ERROR) {
        srv.answered++;
        must(srv.answered <= srv.asked);
    }
    if (msg.kind != MCPH_RPC_RESULT)
        return;
    state = mcph_json_get(msg.result, "requestState");
    if (mcph_json_type(state) == MCPH_JSON_STRING)
        snprintf(srv.state, sizeof(srv.state), "%.*s", (int)state.len, state.p);
}

static const struct mcph_memory_peer peer = {.received = on_line};

#define META                                                                            \
    ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","           \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{},\"elicitation\":{" \
    "\"url\":{}}},\"io.modelcontextprotocol/logLevel\":\"info\",\"progressToken\":1}"
#define LEGACY_META ",\"_meta\":{\"progressToken\":\"t\"}"

/* Sends a line of the client.  Counts each '{' and ',' as a message, because the line may
 * be a batch and each message of a batch may get an answer. */
static void
send_text(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        srv.asked += text[i] == '{' || text[i] == ',';
    srv.asked++;
    (void)mcph_memory_peer_write(srv.transport, text, len);
    (void)mcph_memory_peer_write(srv.transport, "\n", 1);
}

static void
send_request(const char *id, const char *method, const char *members)
{
    char text[2 * LINE_MAX_];

    snprintf(
        text, sizeof(text),
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":{\"x\":0%s%s%s}}",
        id, method, *members ? "," : "", members, srv.modern ? META : LEGACY_META);
    send_text(text, strlen(text));
}

/* Sends the request of a line "7 tools/call MEMBERS". */
static void
make_request(char *line)
{
    char *method = strchr(line, ' '), *members;

    if (!method)
        return;
    *method++ = '\0';
    members = strchr(method, ' ');
    if (members)
        *members++ = '\0';
    send_request(line, method, members ? members : "");
}

static void
send_again(char *line)
{
    char *members = strchr(line, ' '), text[2 * LINE_MAX_];

    if (members)
        *members++ = '\0';
    snprintf(text, sizeof(text), "\"name\":\"ask\",\"requestState\":%s%s%s",
             *srv.state ? srv.state : "0", members ? "," : "", members ? members : "");
    send_request(line, "tools/call", text);
}

static void
send_answer(const char *what)
{
    char text[2 * LINE_MAX_];

    snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%s,%s}",
             *srv.question ? srv.question : "0", what);
    send_text(text, strlen(text));
}

/* ---- the provider ------------------------------------------------------------------ */

static int
on_setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    (void)provider;
    (void)arg;
    (void)reterr;
    srv.setups++;
    return 0;
}

static void
on_teardown(mcphost_provider *provider, void *arg)
{
    (void)provider;
    (void)arg;
    srv.teardowns++;
}

static int
keep_call(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    if (srv.n_calls == CALLS)
        return MCPHOST_E_LIMIT;
    mcph_providing_get_user(call);
    srv.calls[srv.n_calls++] = call;
    return 0;
}

static int
answer(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcph_providing_answer_text(call, mcph_span_str("text"), false);
}

static void
on_answered(mcphost_provider_call *call, int code, const char *json, size_t len,
            const mcphost_error *error, void *arg)
{
    (void)call;
    (void)len;
    (void)arg;
    must((code == 0) == (json != NULL) && (code == 0) == (error == NULL));
}

static void
ask_one(mcphost_provider_call *call)
{
    static const struct {
        int kind;
        const char *params;
    } asks[] = {{MCPHOST_REQUEST_SAMPLING, "{\"messages\":[],\"maxTokens\":1}"},
                {MCPHOST_REQUEST_URL, "{ }"},
                {MCPHOST_REQUEST_ROOTS, NULL}};
    size_t i = (size_t)(srv.now / 1000) % MCPH_ARRAY_SIZE(asks);

    (void)mcph_providing_ask(call, asks[i].kind, mcph_span_str(asks[i].params),
                             on_answered, NULL, NULL, NULL);
}

static int
ask_and_keep(mcphost_provider_call *call, void *arg)
{
    ask_one(call);
    return keep_call(call, arg);
}

static void
drop_call(void)
{
    mcph_providing_put_user(srv.calls[0]);
    memmove(srv.calls, srv.calls + 1, --srv.n_calls * sizeof(srv.calls[0]));
}

static void
act_on_call(char what)
{
    mcphost_provider_call *call = srv.n_calls > 0 ? srv.calls[0] : NULL;

    if (!call)
        return;
    if (what == '+')
        (void)answer(call, NULL);
    else if (what == '!')
        (void)mcph_providing_fail(call, -32603, "no", mcph_span_str("{\"d\":\n1}"));
    else if (what == 'p')
        (void)mcph_providing_report(call, (double)srv.now, 1e300, "\"on\"", 4);
    else
        ask_one(call);
    if (what == '+' || what == '!')
        drop_call();
}

static void
add_feature(int kind, const char *definition, mcphost_provide_fn fn)
{
    struct mcph_feature *feature;

    must(mcph_feature_new(kind, mcph_span_str(definition), fn, NULL, NULL, &feature,
                          NULL) == 0);
    (void)mcph_provider_add(srv.provider, feature);
}

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"

static void
change_tools(void)
{
    if (srv.late)
        (void)mcph_provider_remove(srv.provider, MCPHOST_FEATURE_TOOL,
                                   mcph_span_str("late"));
    else
        add_feature(MCPHOST_FEATURE_TOOL, TOOL("late"), answer);
    srv.late = !srv.late;
}

static void
provider_up(void)
{
    must(mcph_provider_new(srv.core, "p", &srv.provider, NULL) == 0);
    must(mcph_provider_set_life(srv.provider, on_setup, on_teardown, NULL, NULL) == 0);
    add_feature(MCPHOST_FEATURE_TOOL,
                "{\"name\":\"slow\",\"inputSchema\":{\"properties\":{\"n\":{\"type\":"
                "\"integer\"}}}}",
                keep_call);
    add_feature(MCPHOST_FEATURE_TOOL, TOOL("ask"), ask_and_keep);
    add_feature(MCPHOST_FEATURE_TOOL, TOOL("now"), answer);
    add_feature(MCPHOST_FEATURE_RESOURCE, "{\"uri\":\"a:1\",\"name\":\"a\"}", answer);
    add_feature(MCPHOST_FEATURE_TEMPLATE, "{\"uriTemplate\":\"b:{x}\",\"name\":\"b\"}",
                answer);
    add_feature(MCPHOST_FEATURE_PROMPT, "{\"name\":\"p\"}", answer);
}

/* ---- the connection ---------------------------------------------------------------- */

static void
on_over(struct mcph_connection *c, mcphost_error *reason, void *arg)
{
    (void)arg;
    must(c == srv.connection && !srv.over);
    must(mcphost_error_get_code(reason) < 0);
    srv.over = true;
    mcph_transport_close(srv.transport);
}

static const struct mcph_connection_events events = {.over = on_over};

static void
connect_client(void)
{
    struct mcph_connection_spec spec;
    struct mcph_service *service;

    mcph_connection_spec_init(&spec);
    spec.max_requests = 4;
    spec.max_bytes = 8000;
    spec.request_ms = 20000;
    spec.ask_ms = 40000;
    spec.max_garbage = 10;
    spec.max_queued = 600;
    spec.stall_ms = 30000;
    spec.page_items = 2;
    spec.max_subscribed = 3;
    spec.max_listens = 2;
    srv.asked = srv.answered = 0;
    srv.over = false;
    srv.transport = mcph_memory_new(srv.core, NULL, NULL, &peer, NULL);
    must(srv.transport != NULL);
    mcph_memory_set_frame_limit(srv.transport, 3000);
    mcph_memory_set_queue_max(srv.transport, 9000);
    must(mcph_transport_open(srv.transport, NULL) == 0);
    must(mcph_provider_serve(srv.provider, &service) == 0);
    must(mcph_connection_new(srv.core, &spec, srv.transport, service, &events, NULL,
                             &srv.connection) == 0);
    if (!srv.modern)
        send_request("0", "initialize",
                     "\"protocolVersion\":\"2025-03-26\",\"capabilities\":{\"sampling\":"
                     "{},\"elicitation\":{\"url\":{}},\"roots\":{}}");
}

static void
disconnect(void)
{
    srv.connection = mcph_connection_free(srv.connection);
    srv.transport = mcph_transport_free(srv.transport, 0);
}

/* ---- an input ---------------------------------------------------------------------- */

static void
act(char *line, size_t len)
{
    int64_t n;

    switch (*line) {
    case '<':
        send_text(line + 1, len - 1);
        break;
    case 'm':
        make_request(line + 1);
        break;
    case 'r':
        send_again(line + 1);
        break;
    case 'a':
        send_answer(line + 1);
        break;
    case 'u':
        (void)mcph_provider_updated(srv.provider, mcph_span_str("a:1"));
        break;
    case 'l':
        (void)mcph_provider_log(srv.provider, MCPHOST_MESSAGES_ERROR,
                                mcph_span_str("\"l\""), mcph_span_str("[\n]"));
        break;
    case 'c':
        change_tools();
        break;
    case 't':
        n = line[1] & 0x3f;
        srv.now += n * n * 1000;
        break;
    case 's':
    case 'S':
        mcph_memory_peer_stall(srv.transport, *line == 's');
        break;
    case 'x':
        mcph_connection_close(srv.connection, 1000);
        break;
    case 'e':
        mcph_memory_peer_close(srv.transport, NULL);
        break;
    case 'f':
        disconnect();
        connect_client();
        break;
    default:
        act_on_call(*line);
        return;
    }
    if (line[len - 1] != ';') /* after `;` the next line runs before the loop */
        turn();
}

static void
down(void)
{
    disconnect();
    turn();
    mcph_provider_close(srv.provider, 0);
    turn();
    while (srv.n_calls > 0)
        drop_call();
    turn();
    must(mcph_list_empty(&srv.provider->calls));
    must(srv.setups == srv.teardowns);
    mcph_provider_unref(srv.provider);
    mcph_core_drain(srv.core);
    mcph_core_unref(srv.core);
}

void
serving_run(const uint8_t *data, size_t size, bool modern)
{
    const char *p = (const char *)data, *end = p + size, *nl;
    char line[LINE_MAX_];

    memset(&srv, 0, sizeof(srv));
    srv.modern = modern;
    srv.now = 1000000;
    must(mcph_core_new(&srv.core, NULL) == 0);
    mcph_core_set_clock(srv.core, clock_now, NULL);
    provider_up();
    connect_client();
    turn();
    for (; p < end; p = nl + 1) {
        size_t len;

        nl = memchr(p, '\n', (size_t)(end - p));
        if (!nl)
            nl = end;
        len = (size_t)(nl - p);
        if (len == 0 || len >= sizeof(line))
            continue;
        memcpy(line, p, len);
        line[len] = '\0';
        act(line, len);
    }
    turn();
    down();
}
