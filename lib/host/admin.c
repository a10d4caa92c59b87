/* SPDX-License-Identifier: MIT
 *
 * admin.c - the built-in toolset mcp_admin: the library's own tools for a
 * model that manages its servers, its clients and their environment (R80, B.14).
 *
 * A restart is answered when the new edition is published or has failed; everything
 * else at once.  The environment tools change what servers started later get, never
 * the process's own.  A value is shown only where MCPHOST_OPT_SHOW_ENV allows it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/builtin.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/leasing.h"
#include "host/publish.h"

#define SERVER_ID                                        \
    "\"serverId\":{\"type\":\"string\",\"minLength\":1," \
    "\"description\":\"id of the MCP server, the name of its toolset\"}"
#define KEY                                     \
    "\"key\":{\"type\":\"string\",\"pattern\":" \
    "\"^[A-Za-z_][A-Za-z0-9_]*$\","             \
    "\"description\":\"name of the environment variable\"}"
#define OBJECT(properties, required)                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required \
    "],\"additionalProperties\":false}"

/* ---- arguments --------------------------------------------------------------------- */

/* The string members `names`, all of them and nothing else, each malloc'd; false:
 * answered already. */
static bool
take_strings(mcphost_call *call, const char *const *names, char **ret, size_t n)
{
    struct mcph_span args = mcph_span(call->arguments, call->arguments_len);
    size_t got = 0;

    while (got < n && mcph_json_count(args) == n) {
        struct mcph_span value = mcph_json_get(args, names[got]);

        if (mcph_json_type(value) != MCPH_JSON_STRING ||
            mcph_json_string_dup(value, &ret[got]) < 0)
            break;
        got++;
    }
    if (got == n)
        return true;
    while (got > 0)
        free(ret[--got]);
    if (n == 1)
        mcph_call_say(call, true,
                      "error: the arguments must be {\"%s\": \"...\"} and nothing else",
                      names[0]);
    else
        mcph_call_say(call, true,
                      "error: the arguments must be {\"%s\": \"...\", \"%s\": \"...\"} "
                      "and nothing else",
                      names[0], names[1]);
    return false;
}

/* The one argument of the server tools; NULL: answered already. */
static char *
server_id(mcphost_call *call)
{
    static const char *const names[] = {"serverId"};
    char *id;

    if (!take_strings(call, names, &id, 1))
        return NULL;
    if (id[strspn(id, " \t\r\n")] != '\0')
        return id;
    free(id);
    mcph_call_say(call, true, "error: serverId must not be blank");
    return NULL;
}

/* ---- servers ----------------------------------------------------------------------- */

/* Says why there is no such server. */
static void
say_undeclared(mcphost_call *call, const char *id)
{
    const struct mcph_config_reader *reader = call->host->source->reader;

    if (reader && reader->file && access(reader->file, F_OK) < 0)
        mcph_call_say(call, true,
                      "error: MCP server '%s' is not configured: '%s' does not exist", id,
                      reader->file);
    else
        mcph_call_say(call, true, "error: MCP server '%s' is not configured", id);
}

/* Reads the file, enables the entry.  The server that can be started, or NULL and
 * the call is answered. */
static struct mcph_server *
prepare_restart(mcphost_call *call, const char *id)
{
    struct mcphost_source *source = call->host->source;
    struct mcph_server *server;
    mcphost_error *err = NULL;
    int r = mcph_source_read(source, &err);

    server = mcph_server_find(source, id);
    if (r == 0 && server && server->entry->state == MCPHOST_CONFIG_SERVER_DISABLED) {
        r = mcph_source_set_enabled(source, id, true, &err);
        server = mcph_server_find(source, id);
    }
    if (r < 0) {
        mcph_call_say(call, true, "error: %s", mcphost_error_get_message(err));
        server = NULL;
    } else if (!server) {
        say_undeclared(call, id);
    } else if (server->entry->state != MCPHOST_CONFIG_SERVER_VALID) {
        mcph_call_say(call, true, "error: %s",
                      server->entry->error ? server->entry->error->message
                                           : "the server is disabled");
        server = NULL;
    }
    mcphost_error_unref(err);
    return server;
}

static void
on_restarted(struct mcph_restart *restart, const struct mcph_server *server,
             const char *why_not)
{
    mcphost_call *call = MCPH_CONTAINER_OF(restart, mcphost_call, wait);

    if (why_not)
        mcph_call_say(call, true, "error: %s", why_not);
    else
        mcph_call_say(call, false, "ok: restarted %s", server->id);
}

static void
run_restart(mcphost_call *call)
{
    char *id = server_id(call);
    struct mcph_server *server;
    const struct mcph_instance *before;

    if (!id)
        return;
    server = mcph_server_find(call->host->source, id);
    before = server ? server->lister : NULL;
    server = prepare_restart(call, id);
    free(id);
    if (!server)
        return;
    mcph_server_resume(server);
    call->wait.answer = on_restarted;
    mcph_list_append(&server->restarts, &call->wait.link);
    /* What was read may have started it already; nothing that it said before counts. */
    mcph_pool_forget(call->host->pool, server->wanted);
    if (!server->lister || server->lister == before)
        mcph_server_launch(server);
}

static void
run_release(mcphost_call *call)
{
    char *id = server_id(call);
    struct mcph_server *server;

    if (!id)
        return;
    server = mcph_server_find(call->host->source, id);
    /* A turn may hold a client of what is no longer there. */
    if (mcph_leasing_end_all(call->dialog, id, NULL))
        mcph_call_say(call, false, "ok: released %s for dialog %s", id, call->dialog->id);
    else if (!server || !server->listing)
        mcph_call_say(call, true, "error: MCP server '%s' is not loaded", id);
    else
        mcph_call_say(call, false,
                      "ok: no active lease for %s (or server is truely-stateless)", id);
    free(id);
}

/* Whatever becomes of the file, the server is stopped: until the host is told to start
 * it, or its entry is edited. */
static void
stop_server(mcphost *host, struct mcph_server *server)
{
    mcph_server_hold(server);
    mcph_server_unwant(server);
    mcph_server_set_state(server, MCPHOST_SERVER_DISABLED, NULL);
    mcph_publish_now(host);
}

static void
run_disable(mcphost_call *call)
{
    mcphost *host = call->host;
    char *id = server_id(call);
    struct mcph_server *server;
    mcphost_error *err = NULL;
    int r;

    if (!id)
        return;
    server = mcph_server_find(host->source, id);
    if (server && server->state != MCPHOST_SERVER_DISABLED)
        stop_server(host, server);
    r = mcph_source_set_enabled(host->source, id, false, &err);
    /* It was in the file already: what runs follows it from now on. */
    if (r == 0)
        (void)mcph_source_read(host->source, NULL);
    if (r == MCPHOST_E_NOTFOUND && !server)
        say_undeclared(call, id);
    else if (r < 0 && server)
        mcph_call_say(call, true,
                      "error: %s; %s is stopped until it is restarted or its entry is "
                      "edited",
                      mcphost_error_get_message(err), id);
    else if (r < 0)
        mcph_call_say(call, true, "error: %s", mcphost_error_get_message(err));
    else
        mcph_call_say(call, false, "ok: disabled %s and set enabled=false", id);
    mcphost_error_unref(err);
    free(id);
}

/* ---- environment ------------------------------------------------------------------- */

static const char *
shown(const mcphost *host, const char *value)
{
    if (!value)
        return "(unset)";
    return host->options[MCPHOST_OPT_SHOW_ENV] ? value : "(set, not shown)";
}

static bool
good_key(mcphost_call *call, const char *key)
{
    if (mcph_pool_is_variable(key))
        return true;
    mcph_call_say(call, true, "error: key must match [A-Za-z_][A-Za-z0-9_]*");
    return false;
}

static bool
may_change(mcphost_call *call, const char *key)
{
    const char *why = mcph_settable_refuse(call->host, key);

    if (why)
        mcph_call_say(call, true, "error: %s must not be changed: %s", key, why);
    return !why;
}

static void
run_env_get(mcphost_call *call)
{
    static const char *const names[] = {"key"};
    char *key, *value = NULL;

    if (!take_strings(call, names, &key, 1))
        return;
    if (good_key(call, key)) {
        if (mcph_pool_get_variable(call->host->pool, key, &value) < 0)
            mcph_call_finish(call, MCPHOST_E_NOMEM, NULL, NULL);
        else
            mcph_call_say(call, false, "%s", shown(call->host, value));
    }
    free(value);
    free(key);
}

/* `value` NULL: unset it. */
static void
change(mcphost_call *call, const char *key, const char *value)
{
    mcphost *host = call->host;
    char *before = NULL;
    int r;

    if (!good_key(call, key) || !may_change(call, key))
        return;
    r = mcph_pool_get_variable(host->pool, key, &before);
    if (r == 0)
        r = mcph_pool_set_variable(host->pool, key, value);
    if (r == MCPHOST_E_LIMIT)
        mcph_call_say(call, true, "error: the value is too long or there are too many");
    else if (r < 0)
        mcph_call_finish(call, r, NULL, NULL);
    else
        mcph_call_say(call, false, "ok: %s\nprev: %s\nnext: %s", key, shown(host, before),
                      shown(host, value));
    free(before);
}

static void
run_env_set(mcphost_call *call)
{
    static const char *const names[] = {"key", "value"};
    char *args[2];

    if (!take_strings(call, names, args, 2))
        return;
    change(call, args[0], args[1]);
    free(args[0]);
    free(args[1]);
}

static void
run_env_unset(mcphost_call *call)
{
    static const char *const names[] = {"key"};
    char *key;

    if (!take_strings(call, names, &key, 1))
        return;
    change(call, key, NULL);
    free(key);
}

/* ---- the toolset ------------------------------------------------------------------- */

/* MCP 2025-06-18, "ToolAnnotations". */
#define HINTS(reads, destroys, repeats, world)                  \
    "{\"readOnlyHint\":" reads ",\"destructiveHint\":" destroys \
    ",\"idempotentHint\":" repeats ",\"openWorldHint\":" world "}"

#define TOOL(tool, text, takes, hints)                                  \
    {                                                                   \
        .name = (tool), .description = (text), .input_schema = (takes), \
        .annotations = (hints),                                         \
    }

static const struct mcph_builtin tools[] = {
    TOOL("mcp_restart",
         "Read the configuration again and start an MCP server anew; an entry that is "
         "disabled is enabled first. The new process takes over when it has come up; if "
         "it does not, the old one stays.",
         OBJECT(SERVER_ID, "\"serverId\""), HINTS("false", "true", "false", "true")),
    TOOL("mcp_release",
         "Give back this conversation's own client of an MCP server when its tools are "
         "not needed for now. The next call of one of them starts a new client.",
         OBJECT(SERVER_ID, "\"serverId\""), HINTS("false", "true", "true", "false")),
    TOOL("mcp_disable",
         "Stop an MCP server and write enabled: false into its entry of the "
         "configuration. mcp_restart brings it back.",
         OBJECT(SERVER_ID, "\"serverId\""), HINTS("false", "true", "true", "false")),
    TOOL("env_get",
         "Tell whether an environment variable is set for MCP servers, and its value "
         "where that may be shown.",
         OBJECT(KEY, "\"key\""), HINTS("true", "false", "true", "false")),
    TOOL("env_set",
         "Set an environment variable for MCP servers that are started from now on; "
         "mcp_restart applies it to one that runs. Variables that no configuration "
         "names, and those that make programs load code, cannot be set.",
         OBJECT(KEY ",\"value\":{\"type\":\"string\"}", "\"key\",\"value\""),
         HINTS("false", "true", "true", "true")),
    TOOL("env_unset",
         "Remove an environment variable from MCP servers that are started from now on. "
         "The limits of env_set hold here, too.",
         OBJECT(KEY, "\"key\""), HINTS("false", "true", "true", "true")),
};

/* What carries them out, in the same order. */
static const struct mcph_builtin_def defs[] = {
    {.own = run_restart}, {.own = run_release}, {.own = run_disable},
    {.own = run_env_get}, {.own = run_env_set}, {.own = run_env_unset},
};

_Static_assert(MCPH_ARRAY_SIZE(tools) == MCPH_ARRAY_SIZE(defs), "one for each tool");

int
mcph_admin_new_block(mcphost *host, struct mcph_block **ret)
{
    struct mcph_builtin items[MCPH_ARRAY_SIZE(tools)];
    struct mcph_block *block = NULL;
    int r;

    memcpy(items, tools, sizeof(items));
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(items); i++)
        items[i].handler = &defs[i];
    r = mcph_block_new_builtin(MCPH_ADMIN_TOOLSET, items, MCPH_ARRAY_SIZE(items), &block,
                               NULL);
    if (r == 0)
        r = mcph_block_describe(block, "Restart, release and disable MCP servers, and "
                                       "set environment variables for them.");
    if (r < 0) {
        mcph_block_unref(block);
        return r;
    }
    block->realm = host;
    *ret = block;
    return 0;
}
