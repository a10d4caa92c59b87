/* SPDX-License-Identifier: MIT
 *
 * test_torture_connection.c - a provider and a connection to the provider while memory
 * runs out, from setup to teardown.
 *
 * Each allocation fails once, or together with all later allocations.  Each request gets
 * an answer or the connection ends.  Each call of the provider ends.  Each setup has its
 * teardown.  The library frees the argument of each added feature.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provide/connection.h"
#include "support/memory.h"
#include "torture/torture.h"

#define TURNS 400

static struct mcph_core *core;
static mcphost_provider *provider;
static struct mcph_transport *transport;
static struct mcph_connection *connection;
static bool modern, slow_reader;
static int sent, answered, errors, overs, setups, teardowns, asked, freed, added;
static int64_t now;
static char state[64];
static mcphost_provider_call *slow;

static int64_t
clock_now(void *arg)
{
    (void)arg;
    return now;
}

static void
turn(void)
{
    for (int i = 0; i < TURNS && mcph_core_dispatch(core) > 0; i++)
        ;
}

/* ---- the client: its own allocations never fail ------------------------------------ */

#define META_WITH(more)                                                      \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{}}"       \
    ",\"progressToken\":\"t\",\"io.modelcontextprotocol/logLevel\":\"debug\"" more "}"
#define META META_WITH("")

static void
write_line(const char *text)
{
    failing_pause();
    (void)mcph_memory_peer_write(transport, text, strlen(text));
    (void)mcph_memory_peer_write(transport, "\n", 1);
    failing_resume();
}

static void
on_line(struct mcph_transport *t, struct mcph_span line, void *arg)
{
    char text[8192];
    const char *p;

    (void)t;
    (void)arg;
    snprintf(text, sizeof(text), "%.*s", (int)line.len, line.p);
    if (strstr(text, "\"method\":\"sampling/createMessage\"") && !modern) {
        write_line("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        return;
    }
    answered += !strstr(text, "\"method\":\"notifications") && strstr(text, "\"id\":");
    errors += strstr(text, "\"error\":{") != NULL;
    p = strstr(text, "\"requestState\":\"");
    if (p)
        snprintf(state, sizeof(state), "%.32s", p + 16);
}

static const struct mcph_memory_peer peer = {.received = on_line};

static void
send_request(int id, const char *method, const char *params)
{
    char text[2048];

    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s%s}}", id,
             method, params,
             !modern   ? ""
             : *params ? "," META
                       : META);
    sent++;
    write_line(text);
    turn();
    now += 20; /* the timer that sends messages to a slow client expires */
    turn();
}

/* ---- the provider ------------------------------------------------------------------ */

static int
on_setup(mcphost_provider *p, void *arg, mcphost_error **reterr)
{
    (void)p;
    (void)arg;
    (void)reterr;
    setups++;
    return 0;
}

static void
on_teardown(mcphost_provider *p, void *arg)
{
    (void)p;
    (void)arg;
    teardowns++;
}

static void
on_free(void *arg)
{
    (void)arg;
    freed++;
}

static int
answer(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    (void)mcph_providing_report(call, 1, 2, "half", 4);
    return mcph_providing_answer_text(call, mcph_span_str("text"), false);
}

static int
complete(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcph_providing_answer(call, mcph_span_str("{\"completion\":{\"values\":[]}}"),
                                 NULL);
}

static int
keep_call(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    mcph_providing_get_user(call);
    if (slow)
        mcph_providing_put_user(slow);
    slow = call;
    return 0;
}

static void
on_answered(mcphost_provider_call *call, int code, const char *json, size_t len,
            const mcphost_error *error, void *arg)
{
    (void)code;
    (void)json;
    (void)len;
    (void)error;
    (void)arg;
    asked++;
    (void)mcph_providing_answer_text(call, mcph_span_str("asked"), false);
}

static int
ask(mcphost_provider_call *call, void *arg)
{
    int r;

    (void)keep_call(call, arg);
    r = mcph_providing_ask(call, MCPHOST_REQUEST_SAMPLING,
                           mcph_span_str("{\"messages\":[],\"maxTokens\":1}"),
                           on_answered, NULL, NULL, NULL);
    return r;
}

static void
add_feature(int kind, const char *definition, mcphost_provide_fn fn)
{
    struct mcph_feature *feature = NULL;
    mcphost_error *err = NULL;
    int r = mcph_feature_new(kind, mcph_span_str(definition), fn, NULL, on_free, &feature,
                             &err);

    added++;
    if (torture_told(r, err))
        (void)torture_good(mcph_provider_add(provider, feature));
}

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"

static bool
make_provider(void)
{
    mcphost_error *err = NULL;
    int r = mcph_provider_new(core, "p", &provider, &err);

    if (!torture_told(r, err))
        return false;
    (void)torture_good(
        mcph_provider_set_life(provider, on_setup, on_teardown, NULL, NULL));
    add_feature(MCPHOST_FEATURE_TOOL, TOOL("answer"), answer);
    add_feature(MCPHOST_FEATURE_TOOL, TOOL("slow"), keep_call);
    add_feature(MCPHOST_FEATURE_TOOL, TOOL("ask"), ask);
    add_feature(MCPHOST_FEATURE_RESOURCE, "{\"uri\":\"a:1\",\"name\":\"a\"}", answer);
    add_feature(MCPHOST_FEATURE_TEMPLATE, "{\"uriTemplate\":\"b:{x}\",\"name\":\"b\"}",
                answer);
    add_feature(MCPHOST_FEATURE_PROMPT, "{\"name\":\"p\"}", answer);
    added++;
    (void)mcph_provider_set_completion(provider, MCPHOST_FEATURE_PROMPT,
                                       mcph_span_str("p"), complete, NULL, on_free);
    return true;
}

/* ---- a session --------------------------------------------------------------------- */

static void
on_over(struct mcph_connection *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)arg;
    overs++;
    torture_must(mcphost_error_get_message(reason) != NULL);
    torture_must(mcphost_error_get_code(reason) == MCPHOST_E_NOMEM);
}

static const struct mcph_connection_events events = {.over = on_over};

static bool
connect(void)
{
    struct mcph_connection_spec spec;
    struct mcph_service *service = NULL;
    int r;

    mcph_connection_spec_init(&spec);
    spec.page_items = 2;
    if (slow_reader)
        spec.max_queued = 0;
    failing_pause();
    transport = mcph_memory_new(core, NULL, NULL, &peer, NULL);
    (void)mcph_transport_open(transport, NULL);
    failing_resume();
    if (!torture_good(mcph_provider_serve(provider, &service)))
        return false;
    r = mcph_connection_new(core, &spec, transport, service, &events, NULL, &connection);
    if (r < 0)
        service->ops->free(service);
    return torture_good(r);
}

static void
ask_rounds(void)
{
    char params[256];

    state[0] = '\0';
    send_request(20, "tools/call", "\"name\":\"ask\"");
    if (!state[0])
        return;
    snprintf(params, sizeof(params),
             "\"name\":\"ask\",\"inputResponses\":{\"ask-1\":{}},\"requestState\":\"%s\"",
             state);
    send_request(21, "tools/call", params);
}

static void
tell_news(void)
{
    (void)torture_good(mcph_provider_updated(provider, mcph_span_str("a:1")));
    (void)torture_good(mcph_provider_log(provider, MCPHOST_MESSAGES_ERROR,
                                         mcph_span_str("l"), mcph_span_str("{}")));
    add_feature(MCPHOST_FEATURE_TOOL, TOOL("late"), answer);
    turn();
}

static void
talk(void)
{
    if (modern) {
        send_request(0, "server/discover", "");
        send_request(
            1, "subscriptions/listen",
            "\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":["
            "\"a:1\",\"a:2\"]}");
        sent--; /* do not count a message that gets no result */
        answered -= errors;
    } else {
        send_request(
            0, "initialize",
            "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"sampling\":{}}");
        write_line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        send_request(1, "resources/subscribe", "\"uri\":\"a:1\"");
        send_request(2, "logging/setLevel", "\"level\":\"debug\"");
    }
    send_request(3, "tools/list", "");
    send_request(4, "resources/templates/list", "");
    send_request(5, "tools/call", "\"name\":\"answer\",\"arguments\":{}");
    send_request(6, "resources/read", "\"uri\":\"b:1\"");
    send_request(7, "prompts/get", "\"name\":\"p\"");
    send_request(
        8, "completion/complete",
        "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":\"x\","
        "\"value\":\"y\"}");
    ask_rounds();
    send_request(9, "tools/call", "\"name\":\"slow\"");
    tell_news();
    write_line("garbage");
    turn();
    answered -= overs == 0; /* do not count the error that answers "garbage" */
    /* Set the clock forward, so that requests in flight time out. */
    now += 10 * 3600 * 1000;
    turn();
    for (int i = 0; i < 10; i++) {
        now += 20;
        turn();
    }
}

static int
session(void)
{
    sent = answered = errors = overs = setups = teardowns = asked = freed = added = 0;
    now = 1000000;
    failing_pause();
    torture_must(mcph_core_new(&core, NULL) == 0);
    mcph_core_set_clock(core, clock_now, NULL);
    failing_resume();
    if (make_provider() && connect()) {
        talk();
        torture_must(overs <= 1);
        torture_must(overs == 1 || answered == sent);
    }
    if (overs > 0 || errors > 2)
        (void)torture_good(MCPHOST_E_NOMEM);
    if (slow)
        mcph_providing_put_user(slow);
    slow = NULL;
    connection = mcph_connection_free(connection);
    turn();
    transport = mcph_transport_free(transport, 0);
    if (provider)
        mcph_provider_close(provider, 0);
    turn();
    torture_must(teardowns == setups);
    provider = mcph_provider_unref(provider);
    mcph_core_drain(core);
    core = mcph_core_unref(core);
    torture_must(freed == added);
    return torture_code();
}

START_TEST(if_allocations_fail_each_request_is_answered_or_the_connection_ends)
{
    static const int modes[] = {FAIL_ONCE, FAIL_FROM_THEN_ON};

    modern = _i & 1;
    slow_reader = _i & 2;
    torture_run(&(struct torture){.run = session, .least = 100}, modes[_i / 4]);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "connection");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, if_allocations_fail_each_request_is_answered_or_the_connection_ends, 0, 8);
}

int
main(void)
{
    return torture_main("torture-connection", add);
}
