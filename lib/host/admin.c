/* SPDX-License-Identifier: MIT
 *
 * admin.c - the built-in toolset mcp_admin: the library's own tools for a
 * model that manages its clients (R80, B.14).
 */
#include <string.h>

#include <stdlib.h>

#include "host/host.h"

static const char server_id_schema[] =
    "{\"type\":\"object\",\"properties\":{\"serverId\":{\"type\":\"string\","
    "\"description\":\"id of the MCP server, the name of its toolset\"}},"
    "\"required\":[\"serverId\"],\"additionalProperties\":false}";

/* The one argument of these tools, malloc'd; NULL: answered already. */
static char *
server_id(mcphost_call *call)
{
    struct mcph_span args = mcph_span(call->arguments, call->arguments_len), id;
    char *text;

    id = mcph_json_get(args, "serverId");
    if (mcph_json_count(args) != 1 || mcph_json_type(id) != MCPH_JSON_STRING ||
        mcph_json_string_dup(id, &text) < 0) {
        mcph_call_say(
            call, true,
            "error: the arguments must be {\"serverId\": \"...\"} and nothing else");
        return NULL;
    }
    if (text[strspn(text, " \t\r\n")] == '\0') {
        free(text);
        mcph_call_say(call, true, "error: serverId must not be blank");
        return NULL;
    }
    return text;
}

static void
run_release(mcphost_call *call)
{
    char *id = server_id(call);
    struct mcph_server *server;
    mcphost_lease *lease;

    if (!id)
        return;
    server = mcph_server_find(call->host, id);
    lease = mcph_leasing_find(call->dialog, id);
    if (!server || !server->listing) {
        mcph_call_say(call, true, "error: MCP server '%s' is not loaded", id);
    } else if (!lease) {
        mcph_call_say(call, false,
                      "ok: no active lease for %s (or server is truely-stateless)", id);
    } else {
        mcph_leasing_end(call->host, lease, false);
        mcph_call_say(call, false, "ok: released %s for dialog %s", id, call->dialog->id);
    }
    free(id);
}

int
mcph_admin_declare(mcphost *host)
{
    const struct mcph_builtin_def release = {.own = run_release};

    return mcph_builtin_declare(
        host, "mcp_admin", "mcp_release",
        "Give back this conversation's own client of an MCP server "
        "when its tools are not needed for now. The next call of one "
        "of them starts a new client.",
        server_id_schema, &release, NULL);
}
