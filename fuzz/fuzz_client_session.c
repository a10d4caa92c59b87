/* SPDX-License-Identifier: MIT
 *
 * fuzz_client_session.c - runs a client over a transport in memory, with actions in
 * random order.
 *
 * The input decides the bytes of the server, the calls of the host and the steps of the
 * clock.  Byte 0 sets up the client (session.c).  Then one byte selects an action of
 * act().  The next bytes are the parameters of the action.
 */
#include <stdio.h>
#include <string.h>

#include "session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
connect_memory(void)
{
    ses.transport = mcph_memory_new(ses.core, NULL, NULL, NULL, NULL);
    must(ses.transport != NULL);
    mcph_memory_set_frame_limit(ses.transport, 2000);
    mcph_memory_set_queue_max(ses.transport, 4000);
}

#define OFFERS                                                                        \
    "{\"tools\":{\"listChanged\":true},\"logging\":{},\"resources\":{"                \
    "\"listChanged\":true,\"subscribe\":true},\"prompts\":{\"listChanged\":true},"    \
    "\"extensions\":{\"io.modelcontextprotocol/tasks\":{},\"io.modelcontextprotocol/" \
    "skills\":{}}}"
#define UNDER "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:%u\"}"

static const char *const lines[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{}}\n",
    "{\"result\":{\"resultType\":\"complete\",\"tools\":[1]},\"id\":%u}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"error\":{\"code\":-32601,\"message\":\"m\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"protocolVersion\":\"2025-03-26\","
    "\"capabilities\":" OFFERS "}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"tools\":[],\"nextCursor\":\"c\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%u\",\"result\":{\"supportedVersions\":["
    "\"2026-07-28\"],\"capabilities\":" OFFERS "}}\n",
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
    "{\"id\":%u,\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s\","
    "\"inputRequests\":{\"a\":{\"method\":\"roots/list\"},\"b\":{\"method\":"
    "\"sampling/createMessage\",\"params\":{\"messages\":[],\"maxTokens\":9}}}}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"q-%u\",\"method\":\"elicitation/create\",\"params\":{"
    "\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
    "\"requestId\":\"q-%u\"}}\n",
    "Free %u\n",
    "{\"result\":{\"resultType\":\"complete\",\"resources\":[{}],\"nextCursor\":\"d\"},"
    "\"id\":%u}\n",
    "{\"result\":{\"resultType\":\"complete\",\"resourceTemplates\":[]},\"id\":%u}\n",
    "{\"result\":{\"resultType\":\"complete\",\"prompts\":[],\"resources\":[],\"tools\":["
    "],\"resourceTemplates\":[],\"ttlMs\":9000,\"cacheScope\":\"public\"},\"id\":%u}\n",
    "{\"result\":{\"prompts\":[],\"resources\":[],\"resourceTemplates\":[],"
    "\"nextCursor\":"
    "\"\"},\"id\":%u}\n",
    "{\"id\":%u,\"error\":{\"code\":-32602,\"message\":\"cursor\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
    "list_changed\",\"params\":{" UNDER "}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/"
    "list_changed\",\"params\":{" UNDER "}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
    "updated\",\"params\":{\"uri\":\"a\"," UNDER "}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
    "updated\",\"params\":{\"uri\":\"a/b/c\"," UNDER "}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
    "updated\",\"params\":{\"uri\":"
    "\"\\u00e9\\n\"," UNDER "}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
    "\"params\":{" UNDER ",\"notifications\":{\"resourcesListChanged\":true,"
    "\"resourceSubscriptions\":[\"a\",\"\\u00e9\\n\",7,\"a\"]}}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"listen:%u\",\"error\":{\"code\":-1,\"message\":\"m\"}}"
    "\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"listen:%u\",\"result\":{\"resultType\":\"complete\"}}"
    "\n",
    "{\"id\":%u,\"result\":{\"resultType\":\"task\",\"taskId\":\"t\",\"status\":"
    "\"working\"}}\n",
    "{\"id\":%u,\"result\":{\"task\":{\"taskId\":\"t\",\"status\":\"working\"}}}\n",
    "{\"id\":%u,\"result\":{\"taskId\":\"t\",\"status\":\"input_required\","
    "\"inputRequests\":{\"a\":{\"method\":\"roots/list\"},\"\\u0000\":{\"method\":"
    "\"sampling/createMessage\",\"params\":{\"messages\":[],\"maxTokens\":9}}}}}\n",
    "{\"id\":%u,\"result\":{\"taskId\":\"t\",\"status\":\"input_required\","
    "\"inputRequests\":[]}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
    "tasks\",\"params\":{\"taskId\":\"t\"," UNDER "}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks/status\",\"params\":{"
    "\"taskId\":%u}}\n",
    "{\"id\":%u,\"result\":{\"skills\":[{}],\"nextCursor\":\"s\"}}\n",
    "{\"id\":%u,\"error\":{\"code\":-32042,\"message\":\"m\",\"data\":{\"elicitations\":["
    "{\"mode\":\"url\",\"url\":\"https://a/\",\"elicitationId\":\"e\",\"message\":"
    "\"m\"}]}}}\n",
};

static void
say_line(void)
{
    char text[512];
    const char *line = lines[session_next() % MCPH_ARRAY_SIZE(lines)];
    unsigned n = session_next();

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof(text), line, n);
#pragma GCC diagnostic pop
    if (ses.transport)
        (void)mcph_memory_peer_write(ses.transport, text, strlen(text));
}

static void
say_bytes(void)
{
    size_t len = session_next();

    if (len > (size_t)(ses.end - ses.in))
        len = (size_t)(ses.end - ses.in);
    if (ses.transport)
        (void)mcph_memory_peer_write(ses.transport, (const char *)ses.in, len);
    ses.in += len;
}

/* Marks an action of this file.  Other numbers are actions of session_act(). */
#define OWN 255
static const unsigned char acts[] = {OWN, OWN, 0,   1, 2, 3, OWN, 4,
                                     5,   6,   OWN, 7, 8, 9, 10,  11};

static void
act(unsigned what)
{
    what %= MCPH_ARRAY_SIZE(acts);
    if (acts[what] < SESSION_ACTS)
        session_act(acts[what], "tool");
    else if (what == 0)
        say_line();
    else if (what == 1)
        say_bytes();
    else if (what == 6 && ses.transport)
        mcph_memory_peer_close(ses.transport, NULL);
    else if (what == 10 && ses.transport)
        mcph_memory_peer_stall(ses.transport, session_next() & 1);
    session_check();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    session_begin(data, size, connect_memory);
    while (ses.in < ses.end)
        act(session_next());
    session_end();
    mcph_core_drain(ses.core);
    mcph_core_unref(ses.core);
    return 0;
}
