/* SPDX-License-Identifier: MIT
 *
 * method.c - the table of the methods that a client can call, one row for each method.
 *
 * A row says how the method is sent, which capability of the server the method needs,
 * which params an operation has, and which answers are allowed.  No other file of
 * lib/client compares the names of these methods.
 *
 * MCP 2025-11-25 and 2026-07-28, "Tools", "Resources", "Prompts", "Completion", "Tasks".
 */
#include "client/internal.h"

/* ---- the table --------------------------------------------------------------------- */

#define SPAN(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }
#define KEY(name) SPAN("\"" name "\":")
#define ARGUMENTS SPAN(",\"arguments\":")

const struct mcph_method mcph_methods[MCPH_METHODS] = {
    [MCPH_METHOD_INITIALIZE] = {.name = "initialize", .kind = MCPH_SEND_INITIALIZE},
    [MCPH_METHOD_DISCOVER] = {.name = "server/discover", .kind = MCPH_SEND_REQUEST},
    [MCPH_METHOD_PING] = {.name = "ping", .kind = MCPH_SEND_REQUEST},
    [MCPH_METHOD_SET_LEVEL] = {.name = "logging/setLevel",
                               .kind = MCPH_SEND_REQUEST,
                               .needs = MCPH_OFFERS_LOGGING},
    [MCPH_METHOD_LISTEN] = {.name = "subscriptions/listen", .kind = MCPH_SEND_LISTEN},
    [MCPH_METHOD_LIST_TOOLS] = {.name = "tools/list",
                                .kind = MCPH_SEND_REQUEST,
                                .needs = MCPH_OFFERS_TOOLS},
    [MCPH_METHOD_LIST_RESOURCES] = {.name = "resources/list",
                                    .kind = MCPH_SEND_REQUEST,
                                    .needs = MCPH_OFFERS_RESOURCES},
    [MCPH_METHOD_LIST_TEMPLATES] = {.name = "resources/templates/list",
                                    .kind = MCPH_SEND_REQUEST,
                                    .needs = MCPH_OFFERS_RESOURCES},
    [MCPH_METHOD_LIST_PROMPTS] = {.name = "prompts/list",
                                  .kind = MCPH_SEND_REQUEST,
                                  .needs = MCPH_OFFERS_PROMPTS},
    [MCPH_METHOD_LIST_SKILLS] = {.name = "skills/list",
                                 .kind = MCPH_SEND_REQUEST,
                                 .needs = MCPH_OFFERS_SKILLS},
    [MCPH_METHOD_SUBSCRIBE] = {.name = "resources/subscribe",
                               .kind = MCPH_SEND_REQUEST,
                               .needs = MCPH_OFFERS_RESOURCES},
    [MCPH_METHOD_UNSUBSCRIBE] = {.name = "resources/unsubscribe",
                                 .kind = MCPH_SEND_REQUEST,
                                 .needs = MCPH_OFFERS_RESOURCES},
    [MCPH_METHOD_CALL_TOOL] = {.name = "tools/call",
                               .kind = MCPH_SEND_CALL,
                               .needs = MCPH_OFFERS_TOOLS,
                               .what = "call of",
                               .key = KEY("name"),
                               .no_arguments = SPAN("{}"),
                               .arguments = ARGUMENTS,
                               .named = true,
                               .params = true,
                               .asks = true,
                               .starts = true,
                               .progress = true},
    [MCPH_METHOD_READ_RESOURCE] = {.name = "resources/read",
                                   .kind = MCPH_SEND_REQUEST,
                                   .needs = MCPH_OFFERS_RESOURCES,
                                   .what = "read of",
                                   .key = KEY("uri"),
                                   .named = true,
                                   .asks = true,
                                   .progress = true},
    [MCPH_METHOD_GET_PROMPT] = {.name = "prompts/get",
                                .kind = MCPH_SEND_REQUEST,
                                .needs = MCPH_OFFERS_PROMPTS,
                                .what = "request for the prompt",
                                .key = KEY("name"),
                                .arguments = ARGUMENTS,
                                .named = true,
                                .asks = true,
                                .progress = true},
    [MCPH_METHOD_COMPLETE] = {.name = "completion/complete",
                              .kind = MCPH_SEND_REQUEST,
                              .needs = MCPH_OFFERS_COMPLETIONS,
                              .what = "completion for",
                              .progress = true},
    [MCPH_METHOD_GET_TASK] = {.name = "tasks/get",
                              .kind = MCPH_SEND_REQUEST,
                              .needs = MCPH_OFFERS_TASKS,
                              .what = "request for the task",
                              .key = KEY("taskId"),
                              .named = true,
                              .task = true},
    [MCPH_METHOD_UPDATE_TASK] = {.name = "tasks/update",
                                 .kind = MCPH_SEND_CALL, /* a lost request is not
                                                          * sent again */
                                 .needs = MCPH_OFFERS_TASKS,
                                 .what = "answers to the task",
                                 .key = KEY("taskId"),
                                 .arguments = SPAN(",\"inputResponses\":"),
                                 .named = true,
                                 .task = true},
    [MCPH_METHOD_CANCEL_TASK] = {.name = "tasks/cancel",
                                 .kind = MCPH_SEND_REQUEST,
                                 .needs = MCPH_OFFERS_TASKS,
                                 .what = "cancellation of the task",
                                 .key = KEY("taskId"),
                                 .named = true,
                                 .task = true},
    [MCPH_METHOD_TASK_RESULT] = {.name = "tasks/result",
                                 .kind = MCPH_SEND_REQUEST,
                                 .needs = MCPH_OFFERS_TASKS,
                                 .what = "request for the result of the task",
                                 .key = KEY("taskId"),
                                 .named = true,
                                 .progress = true},
    [MCPH_METHOD_GET_SKILL] = {.name = "skills/get",
                               .kind = MCPH_SEND_REQUEST,
                               .needs = MCPH_OFFERS_SKILLS,
                               .what = "request for the skill",
                               .key = KEY("uri")},
    [MCPH_METHOD_READ_DIRECTORY] = {.name = "resources/directory/read",
                                    .kind = MCPH_SEND_REQUEST,
                                    .needs = MCPH_OFFERS_DIRECTORIES,
                                    .what = "read of the directory"},
};

/* ---- capabilities ------------------------------------------------------------------ */

/* The names of MCPH_OFFERS_*, by their bits.  Only the first CAPABILITIES names are
 * members of the capabilities object. */
static const char *const offers[] = {"tools",
                                     "resources",
                                     "prompts",
                                     "completions",
                                     "tasks",
                                     "logging",
                                     "tasks.requests.tools.call",
                                     "skills",
                                     "directoryRead"};
#define CAPABILITIES 6

#define EXTENSION(name) "io.modelcontextprotocol/" name

/* Returns true if a legacy server offers tasks.requests.tools.call (MCP 2025-11-25,
 * "Tasks"). */
static bool
task_calls(struct mcph_span capabilities)
{
    static const char *const way[] = {"tasks", "requests", "tools", "call"};
    struct mcph_span at = capabilities;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(way); i++) {
        if (mcph_json_type(at) != MCPH_JSON_OBJECT)
            return false;
        at = mcph_json_get(at, way[i]);
    }
    return mcph_json_type(at) == MCPH_JSON_OBJECT;
}

static unsigned
extensions_of(struct mcph_span extensions)
{
    struct mcph_span tasks = mcph_json_get(extensions, EXTENSION("tasks"));
    struct mcph_span skills = mcph_json_get(extensions, EXTENSION("skills"));
    unsigned found = 0;
    bool on = false;

    if (mcph_json_type(tasks) == MCPH_JSON_OBJECT)
        found |= MCPH_OFFERS_TASKS;
    if (mcph_json_type(skills) != MCPH_JSON_OBJECT)
        return found;
    if (mcph_json_bool(mcph_json_get(skills, "directoryRead"), &on) == 0 && on)
        found |= MCPH_OFFERS_DIRECTORIES;
    return found | MCPH_OFFERS_SKILLS;
}

unsigned
mcph_method_offers(struct mcph_span capabilities)
{
    struct mcph_span extensions = mcph_json_get(capabilities, "extensions");
    unsigned found = 0;

    for (size_t i = 0; i < CAPABILITIES; i++) {
        if (mcph_json_type(mcph_json_get(capabilities, offers[i])) == MCPH_JSON_OBJECT)
            found |= 1u << i;
    }
    if (mcph_json_type(extensions) == MCPH_JSON_OBJECT)
        found |= extensions_of(extensions);
    if (task_calls(capabilities))
        found |= MCPH_OFFERS_TASK_CALLS;
    return found;
}

int
mcph_method_not_offered(const struct mcph_client *c, const struct mcph_method *method,
                        mcphost_error **reterr)
{
    const char *name = "";

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(offers); i++) {
        if (method->needs & 1u << i)
            name = offers[i];
    }
    return mcph_client_error(c, reterr, MCPHOST_E_NOTFOUND,
                             "offers no %s: its capabilities do not name '%s'", name,
                             name);
}

/* ---- results ----------------------------------------------------------------------- */

/* Returns true if the result has members that only an unfinished result has. */
static bool
is_unfinished(struct mcph_span result)
{
    struct mcph_json_want odd[] = {MCPH_JSON_WANT("inputRequests"),
                                   MCPH_JSON_WANT("requestState"),
                                   MCPH_JSON_WANT("taskId")};

    (void)mcph_json_pick(result, odd, MCPH_ARRAY_SIZE(odd));
    return odd[0].value.p || odd[1].value.p || odd[2].value.p;
}

/* Checks resultType (MCP 2026-07-28, "Results").  A result without resultType counts as
 * "complete", because some modern servers omit resultType.  Refuses a result that has
 * members of an unfinished result but no resultType.  For a method about tasks, accepts
 * these members, because they may describe the task. */
static int
check_type(struct mcph_client *c, const struct mcph_method *method,
           struct mcph_span result, const char **ret_why)
{
    struct mcph_span type = mcph_json_get(result, "resultType");

    if (mcph_json_type(type) == MCPH_JSON_STRING &&
        mcph_json_string_is(type, "complete", 8))
        return 0;
    if (!type.p) {
        if (!method->task && is_unfinished(result)) {
            *ret_why = "an unfinished result that has no resultType";
            return MCPHOST_E_PROTOCOL;
        }
        if (!c->told_no_type)
            mcph_log(c->core, MCPHOST_LOG_WARNING, "client", c->spec.server,
                     "answers %s without a resultType", method->name);
        c->told_no_type = true;
        return 0;
    }
    if (mcph_json_type(type) != MCPH_JSON_STRING)
        *ret_why = "a resultType that is not a string";
    else if (mcph_json_string_is(type, "input_required", 14) && method->asks)
        return METHOD_ASKS;
    else if (mcph_json_string_is(type, "input_required", 14))
        *ret_why = "a request for input, which this method does not allow";
    else if (mcph_json_string_is(type, "task", 4) && method->task)
        return 0;
    else if (mcph_json_string_is(type, "task", 4) && method->starts && c->spec.tasks)
        return METHOD_TASK;
    else if (mcph_json_string_is(type, "task", 4))
        *ret_why = "a task, which the host did not offer to accept";
    else
        *ret_why = "an unknown resultType";
    return MCPHOST_E_PROTOCOL;
}

/* Returns true if the task waits for answers to questions (MCP 2026-07-28, tasks
 * extension). */
static bool
needs_input(struct mcph_span task)
{
    struct mcph_span status = mcph_json_get(task, "status");

    return mcph_json_type(status) == MCPH_JSON_STRING &&
           mcph_json_string_is(status, "input_required", 14) &&
           mcph_json_get(task, "inputRequests").p;
}

int
mcph_method_check_result(struct mcph_client *c, const struct mcph_method *method,
                         struct mcph_span result, const char **ret_why)
{
    *ret_why = NULL;
    if (mcph_json_type(result) != MCPH_JSON_OBJECT) {
        *ret_why = "a result that is not an object";
        return MCPHOST_E_PROTOCOL;
    }
    if (c->info.era != MCPH_CLIENT_MODERN)
        return 0;
    if (method == &mcph_methods[MCPH_METHOD_GET_TASK] && needs_input(result))
        return METHOD_ASKS;
    return check_type(c, method, result, ret_why);
}
