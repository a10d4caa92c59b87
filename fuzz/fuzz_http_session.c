/* SPDX-License-Identifier: MIT
 *
 * fuzz_http_session.c - runs a client over HTTP, with actions in random order, in both
 * eras.
 *
 * The input decides the heads and bytes of answers, the failures, the calls of the host
 * and the steps of the clock.  This file replaces lib/net.  The input gives each request
 * a status, headers, bytes and an end.  Byte 0 sets up the client (session.c).  Then one
 * byte selects an action of act().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "support/nonet.h"
#include "transport/transport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUESTS 64

struct mcph_net_request {
    const struct mcph_net_events *events;
    void *arg;
    bool headed;
    int status;
    const char *type, *session, *location;
    size_t max_body, got;
    struct mcph_buf body; /* the body that the client sent */
};

static struct mcph_net_request *requests[REQUESTS];

/* ---- the replacement of lib/net ---------------------------------------------------- */

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
    if (spec_->body) {
        req->body = *spec_->body;
        mcph_buf_init(spec_->body, 0);
    }
    requests[i] = *ret = req;
    return 0;
}

struct mcph_net_request *
mcph_net_cancel(struct mcph_net_request *req)
{
    for (size_t i = 0; req && i < REQUESTS; i++) {
        /* Ignore a request that finish() has removed, because finish() frees it. */
        if (requests[i] == req) {
            requests[i] = NULL;
            mcph_buf_done(&req->body);
            free(req);
        }
    }
    return NULL;
}

const struct mcph_buf *
mcph_net_get_body(const struct mcph_net_request *req)
{
    return &req->body;
}

void
mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret)
{
    *ret = req->body;
    mcph_buf_init(&req->body, 0);
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
mcph_net_set_max_body(struct mcph_net_request *req, size_t max)
{
    req->max_body = max;
}

/* ---- actions ----------------------------------------------------------------------- */

static void
connect_http(void)
{
    struct mcph_http_spec http = {.server = "s", .url = "http://localhost/mcp"};

    if (ses.odd)
        http.sse =
            ses.spec.era == MCPH_CLIENT_LEGACY ? MCPH_HTTP_SSE_YES : MCPH_HTTP_SSE_MAYBE;
    must(mcph_http_new(ses.core, NULL, &http, NULL, NULL, &ses.transport, NULL) == 0);
    mcph_http_set_frame_limit(ses.transport, 2000);
}

/* Returns the request with the number `n` modulo the number of requests.  Returns NULL if
 * there is no request. */
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
    req->type = types[how & 64 ? session_next() % 5 : how % 2];
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
    mcph_buf_done(&req->body);
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

#define FORM                                                                       \
    "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" \
    "\"a\":{\"type\":\"integer\",\"default\":3}}}}"

#define OFFERS                                                                       \
    "{\"tools\":{\"listChanged\":true},\"logging\":{},\"resources\":{\"subscribe\":" \
    "true},"                                                                         \
    "\"prompts\":{\"listChanged\":true}}"
#define UNDER "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:%u\"}"

static const char *const bodies[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{}}",
    "{\"result\":{\"resultType\":\"complete\",\"tools\":[{\"name\":\"tool\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
    "\"x-mcp-header\":\"A\"}}}}]},\"id\":%u}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"error\":{\"code\":-32601,\"message\":\"m\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"error\":{\"code\":-32020,\"message\":\"m\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"protocolVersion\":\"2025-06-18\","
    "\"capabilities\":" OFFERS "}}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%u\",\"result\":{\"supportedVersions\":["
    "\"2026-07-28\"],\"capabilities\":" OFFERS "}}",
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
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"resultType\":\"input_required\","
    "\"inputRequests\":{\"f\":{\"method\":\"elicitation/create\",\"params\":" FORM
    "}},\"requestState\":\"s\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"q-%u\",\"method\":\"elicitation/"
    "create\",\"params\":" FORM "}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"u-%u\",\"method\":\"elicitation/create\",\"params\":{"
    "\"mode\":\"url\",\"message\":\"m\",\"elicitationId\":\"e\",\"url\":\"https://x/\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"s-%u\",\"method\":\"sampling/"
    "createMessage\",\"params\":"
    "{\"messages\":[],\"maxTokens\":9}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
    "cancelled\",\"params\":{\"requestId\":"
    "\"q-%u\"}}",
    "id: %u\nretry: 30\ndata:",
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%u\",\"result\":{\"resultType\":\"complete\","
    "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":" OFFERS
    ",\"ttlMs\":9000,\"cacheScope\":\"public\"}}",
    "{\"result\":{\"resultType\":\"complete\",\"tools\":[{\"name\":\"tool\"}],\"ttlMs\":"
    "3000},\"id\":%u}",
    "\n\nevent: endpoint\ndata: /m?session=%u", /* an event of protocol 2024-11-05 */
    "\n\nevent: endpoint\ndata: http://elsewhere/%u",
    "{\"result\":{\"resultType\":\"complete\",\"prompts\":[],\"resources\":[],"
    "\"resourceTemplates\":[],\"ttlMs\":9000,\"cacheScope\":\"public\"},\"id\":%u}",
    "{\"result\":{\"prompts\":[],\"resources\":[],\"nextCursor\":\"c\"},\"id\":%u}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
    "updated\",\"params\":{\"uri\":"
    "\"a/b\"," UNDER "}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/"
    "list_changed\",\"params\":{" UNDER "}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
    "\"params\":{" UNDER
    ",\"notifications\":{\"resourceSubscriptions\":[\"a\",\"a/b\"]}}}",
};

/* Sends a whole message, as a document or as an event. */
static void
send_message(struct mcph_net_request *req)
{
    const char *format = bodies[session_next() % MCPH_ARRAY_SIZE(bodies)];
    unsigned n = session_next() % 32;
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
    size_t len = session_next();

    if (len > (size_t)(ses.end - ses.in))
        len = (size_t)(ses.end - ses.in);
    ses.in += len;
    if (len)
        body(req, (const char *)ses.in - len, len);
}

/* Sends a complete answer: head, message and end. */
static void
answer(struct mcph_net_request *req)
{
    head(req, session_next() & 49);
    if (is_there(req))
        send_message(req);
    if (is_there(req))
        finish(req, 0);
}

static void
act_on_net(unsigned what)
{
    static const int codes[] = {0, MCPHOST_E_TRANSPORT, MCPHOST_E_TIMEOUT,
                                MCPHOST_E_LIMIT, MCPHOST_E_NOMEM};
    struct mcph_net_request *req = pick(session_next());

    switch (what) {
    case 0:
        answer(req);
        break;
    case 1:
        head(req, session_next());
        break;
    case 2:
        send_message(req);
        break;
    case 3:
        say_bytes(req);
        break;
    default:
        finish(req, codes[session_next() % MCPH_ARRAY_SIZE(codes)]);
    }
}

static void
act(unsigned what)
{
    what %= 5 + SESSION_ACTS;
    if (what >= 5) {
        session_act(what - 5, session_next() & 1 ? "tool" : "n\xc3\xa4me with blanks ");
    } else {
        act_on_net(what);
        session_turn();
    }
    session_check();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    session_begin(data, size, connect_http);
    session_turn();
    while (ses.in < ses.end)
        act(session_next());
    session_end();
    for (size_t i = 0; i < REQUESTS; i++)
        must(requests[i] == NULL);
    mcph_core_drain(ses.core);
    mcph_core_unref(ses.core);
    return 0;
}
