/* SPDX-License-Identifier: MIT
 *
 * admin.c - the built-in toolset mcp_admin: the library's own tools for a model that
 * manages its servers, its clients and their environment (R80, B.14).
 *
 * A call of mcp_restart gets its answer when the new edition of the server (workspace.h)
 * is published or has failed, or at once if the server cannot be started.  A call of any
 * other tool gets its answer at once.  The tools for the environment change only the
 * environment of servers that are started later, and not the environment of the process.
 * These tools show the value of a variable only if MCPHOST_OPT_SHOW_ENV is set.
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

/* Copies the argument of this name.  The schema requires the argument.  On failure,
 * answers the call and returns NULL. */
static char *
take_argument(mcphost_call *call, const char *name)
{
    struct mcph_span args = mcph_span(call->arguments, call->arguments_len);
    char *text = NULL;
    int r = mcph_json_string_dup(mcph_json_get(args, name), &text);

    if (r == MCPHOST_E_NOMEM)
        mcph_call_finish(call, r, NULL, NULL);
    else if (r < 0)
        mcph_call_say(call, true, "error: %s must not hold a NUL character", name);
    return text;
}

/* ---- servers ----------------------------------------------------------------------- */

/* The server that a call is about, in the dialog's view. */
struct subject {
    char *id; /* the server's id, as the model wrote it */
    struct mcphost_source *source;
    const char *server; /* the server's id in its source; points into `id` */
};

static void
subject_done(struct subject *subject)
{
    mcph_source_unref(subject->source);
    free(subject->id);
}

/* Answers that the server is not configured.  If the configuration file is missing, the
 * answer names the file. */
static void
say_undeclared(mcphost_call *call, const struct subject *subject)
{
    const struct mcph_config_reader *reader =
        subject->source ? subject->source->reader : NULL;

    if (reader && reader->file && access(reader->file, F_OK) < 0)
        mcph_call_say(call, true,
                      "error: MCP server '%s' is not configured: '%s' does not exist",
                      subject->id, reader->file);
    else
        mcph_call_say(call, true, "error: MCP server '%s' is not configured",
                      subject->id);
}

/* Finds the server that the call names.  On failure, answers the call and returns
 * false. */
static bool
take_subject(mcphost_call *call, struct subject *ret)
{
    *ret = (struct subject){.id = take_argument(call, "serverId")};
    if (!ret->id)
        return false;
    mcph_core_lock(call->host->core);
    ret->source =
        mcph_stack_find_server(call->dialog->view->stack, ret->id, &ret->server);
    mcph_core_unlock(call->host->core);
    if (ret->source)
        return true;
    say_undeclared(call, ret);
    subject_done(ret);
    return false;
}

static struct mcph_server *
find_server(const struct subject *subject)
{
    return mcph_server_find(subject->source, subject->server);
}

/* Reads the source's file again and enables a disabled entry.  Returns a server that can
 * be started.  On failure, answers the call and returns NULL. */
static struct mcph_server *
prepare_restart(mcphost_call *call, const struct subject *subject)
{
    struct mcph_server *server;
    mcphost_error *err = NULL;
    int r = mcph_source_read(subject->source, &err);

    server = find_server(subject);
    if (r == 0 && server && server->entry->state == MCPHOST_CONFIG_SERVER_DISABLED) {
        r = mcph_source_set_enabled(subject->source, subject->server, true, &err);
        server = find_server(subject);
    }
    if (r < 0) {
        mcph_call_say(call, true, "error: %s", mcphost_error_get_message(err));
        server = NULL;
    } else if (!server) {
        say_undeclared(call, subject);
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
    const char *source = server ? server->source->id : NULL;

    if (why_not)
        mcph_call_say(call, true, "error: %s", why_not);
    else
        mcph_call_say(call, false, "ok: restarted %s%s%s", source ? source : "",
                      source ? ":" : "", server->id);
}

static void
restart_server(mcphost_call *call, const struct subject *subject)
{
    struct mcph_server *server = find_server(subject);
    const struct mcph_instance *before = server ? server->lister : NULL;

    server = prepare_restart(call, subject);
    if (!server)
        return;
    mcph_server_resume(server);
    call->wait.answer = on_restarted;
    mcph_list_append(&server->restarts, &call->wait.link);
    /* Drop the cached answers of the server.  Start the server, unless reading the file
     * has started it already. */
    mcph_pool_forget(call->host->pool, server->wanted);
    if (!server->lister || server->lister == before)
        mcph_server_launch(server);
}

static void
run_restart(mcphost_call *call)
{
    struct subject subject;

    if (!take_subject(call, &subject))
        return;
    restart_server(call, &subject);
    subject_done(&subject);
}

static void
run_release(mcphost_call *call)
{
    struct mcph_server *server;
    struct subject subject;

    if (!take_subject(call, &subject))
        return;
    server = find_server(&subject);
    /* End the leases even if the server is no longer declared, because a turn may still
     * hold a client of the server. */
    if (mcph_leasing_end_all(call->dialog, subject.server, &subject.source->realm))
        mcph_call_say(call, false, "ok: released %s for dialog %s", subject.id,
                      call->dialog->id);
    else if (!server || !server->listing)
        mcph_call_say(call, true, "error: MCP server '%s' is not loaded", subject.id);
    else
        mcph_call_say(call, false,
                      "ok: no active lease for %s (or server is truely-stateless)",
                      subject.id);
    subject_done(&subject);
}

/* Stops the server, even if its file cannot be changed.  The server stays stopped until
 * the application or the model starts it, or its entry is edited. */
static void
stop_server(mcphost *host, struct mcph_server *server)
{
    mcph_server_hold(server);
    mcph_server_unwant(server);
    mcph_server_set_state(server, MCPHOST_SERVER_DISABLED, NULL);
    (void)mcph_publish_now(host);
}

static void
disable_server(mcphost_call *call, const struct subject *subject)
{
    struct mcph_server *server = find_server(subject);
    mcphost_error *err = NULL;
    int r;

    if (server && server->state != MCPHOST_SERVER_DISABLED)
        stop_server(call->host, server);
    r = mcph_source_set_enabled(subject->source, subject->server, false, &err);
    /* Read the file again.  If the entry was disabled in the file already,
     * mcph_source_set_enabled() changed nothing and did not read the file. */
    if (r == 0)
        (void)mcph_source_read(subject->source, NULL);
    if (r == MCPHOST_E_NOTFOUND && !server)
        say_undeclared(call, subject);
    else if (r < 0 && server)
        mcph_call_say(call, true,
                      "error: %s; %s is stopped until it is restarted or its entry is "
                      "edited",
                      mcphost_error_get_message(err), subject->id);
    else if (r < 0)
        mcph_call_say(call, true, "error: %s", mcphost_error_get_message(err));
    else
        mcph_call_say(call, false, "ok: disabled %s and set enabled=false", subject->id);
    mcphost_error_unref(err);
}

static void
run_disable(mcphost_call *call)
{
    struct subject subject;

    if (!take_subject(call, &subject))
        return;
    disable_server(call, &subject);
    subject_done(&subject);
}

/* ---- environment ------------------------------------------------------------------- */

static const char *
shown_value(const mcphost *host, const char *value)
{
    if (!value)
        return "(unset)";
    return host->options[MCPHOST_OPT_SHOW_ENV] ? value : "(set, not shown)";
}

static bool
may_change(mcphost_call *call, const char *key)
{
    const char *why = mcph_settable_refuse(call->dialog, key);

    if (why)
        mcph_call_say(call, true, "error: %s must not be changed: %s", key, why);
    return !why;
}

static void
run_env_get(mcphost_call *call)
{
    char *key = take_argument(call, "key"), *value = NULL;

    if (!key)
        return;
    if (mcph_pool_get_variable(call->host->pool, key, &value) < 0)
        mcph_call_finish(call, MCPHOST_E_NOMEM, NULL, NULL);
    else
        mcph_call_say(call, false, "%s", shown_value(call->host, value));
    free(value);
    free(key);
}

/* Sets the variable or, if `value` is NULL, unsets it. */
static void
change_key(mcphost_call *call, const char *key, const char *value)
{
    mcphost *host = call->host;
    char *before = NULL;
    int r;

    if (!may_change(call, key))
        return;
    r = mcph_pool_get_variable(host->pool, key, &before);
    if (r == 0)
        r = mcph_pool_set_variable(host->pool, key, value);
    if (r == MCPHOST_E_LIMIT)
        mcph_call_say(call, true, "error: the value is too long or there are too many");
    else if (r < 0)
        mcph_call_finish(call, r, NULL, NULL);
    else
        mcph_call_say(call, false, "ok: %s\nprev: %s\nnext: %s", key,
                      shown_value(host, before), shown_value(host, value));
    free(before);
}

static void
run_env_set(mcphost_call *call)
{
    char *key = take_argument(call, "key"),
         *value = key ? take_argument(call, "value") : NULL;

    if (value)
        change_key(call, key, value);
    free(key);
    free(value);
}

static void
run_env_unset(mcphost_call *call)
{
    char *key = take_argument(call, "key");

    if (key)
        change_key(call, key, NULL);
    free(key);
}

/* ---- the toolset ------------------------------------------------------------------- */

#define OBJECT(properties, required)                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required \
    "],\"additionalProperties\":false}"
#define SERVER                                                                      \
    OBJECT("\"serverId\":{\"type\":\"string\",\"pattern\":\"[^ \\\\t\\\\r\\\\n]\"," \
           "\"description\":\"id of the MCP server, the name of its toolset\"}",    \
           "\"serverId\"")
#define KEY                                     \
    "\"key\":{\"type\":\"string\",\"pattern\":" \
    "\"^[A-Za-z_][A-Za-z0-9_]*$\","             \
    "\"description\":\"name of the environment variable\"}"

/* The JSON text of a tool's ToolAnnotations (MCP 2025-06-18). */
#define HINTS(reads, destroys, repeats, world)                  \
    "{\"readOnlyHint\":" reads ",\"destructiveHint\":" destroys \
    ",\"idempotentHint\":" repeats ",\"openWorldHint\":" world "}"

static const struct {
    struct mcph_builtin_draft draft; /* name, description, schema, annotations */
    void (*run)(mcphost_call *call);
} tools[] = {
    {{"mcp_restart",
      "Read the configuration again and restart an MCP server. A disabled entry is "
      "enabled first. The new process replaces the old one when it is ready; if it "
      "fails, the old one stays.",
      SERVER, HINTS("false", "true", "false", "true")},
     run_restart},
    {{"mcp_release",
      "Release this conversation's own client of an MCP server when its tools are not "
      "needed for now. The next call of one of its tools starts a new client.",
      SERVER, HINTS("false", "true", "true", "false")},
     run_release},
    {{"mcp_disable",
      "Stop an MCP server and write enabled: false into its configuration entry. "
      "mcp_restart enables and starts it again.",
      SERVER, HINTS("false", "true", "true", "false")},
     run_disable},
    {{"env_get",
      "Tell whether an environment variable is set for MCP servers, and its value if it "
      "may be shown.",
      OBJECT(KEY, "\"key\""), HINTS("true", "false", "true", "false")},
     run_env_get},
    {{"env_set",
      "Set an environment variable for MCP servers that start from now on; mcp_restart "
      "applies it to a running server. Variables that no server's configuration names, "
      "and variables that make programs load code, cannot be set.",
      OBJECT(KEY ",\"value\":{\"type\":\"string\"}", "\"key\",\"value\""),
      HINTS("false", "true", "true", "true")},
     run_env_set},
    {{"env_unset",
      "Remove an environment variable from MCP servers that start from now on. The "
      "limits of env_set apply here, too.",
      OBJECT(KEY, "\"key\""), HINTS("false", "true", "true", "true")},
     run_env_unset},
};

static int
add_tool(mcphost_builtins *builtins, size_t i)
{
    const struct mcph_builtin how = {.own = tools[i].run};
    struct mcph_builtin *tool = NULL;
    int r = mcph_builtin_new_draft(&tools[i].draft, &how, &tool, NULL);

    if (r == 0)
        r = mcph_builtins_add(builtins, tool, NULL);
    mcph_builtin_unref(tool);
    return r;
}

int
mcph_admin_init(mcphost *host)
{
    static const char about[] = "Restart, release and disable MCP servers, and set "
                                "environment variables for them.";
    const char *names[MCPH_ARRAY_SIZE(tools)];
    mcphost_builtins *builtins = NULL;
    int r = mcph_builtins_new(MCPH_ADMIN_TOOLSET, &builtins);

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tools) && r == 0; i++) {
        names[i] = tools[i].draft.name;
        r = add_tool(builtins, i);
    }
    if (r == 0)
        r = mcph_builtins_add_set(builtins, MCPH_ADMIN_TOOLSET, about, names,
                                  MCPH_ARRAY_SIZE(tools), NULL);
    if (r == 0)
        r = mcph_builtins_make_block(builtins, host, &host->admin.block, NULL);
    if (r < 0)
        mcph_builtins_unref(builtins);
    else
        host->admin.builtins = builtins;
    return r;
}
