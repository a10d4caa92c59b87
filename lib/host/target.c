/* SPDX-License-Identifier: MIT
 *
 * target.c - the kinds of targets of calls, and the differences between the kinds.
 *
 * run.c carries out calls of all kinds: it looks for the server whose block offers the
 * target, leases an instance, and starts an operation.  Each kind of target has a row of
 * functions here.  These functions check the target, find the target again, name the
 * target on the wire, and check the result.
 */
#include <stdio.h>

#include "host/builtin.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/task.h"
#include "host/view.h"

/* ---- tools ------------------------------------------------------------------------- */

static bool
read_hint(struct mcph_span annotations, const char *name, bool fallback)
{
    (void)mcph_json_bool(mcph_json_get(annotations, name), &fallback);
    return fallback;
}

/* Checks that MCPHOST_OPT_DENIED of the tool's source does not deny the tool (MCP
 * 2025-11-25, "ToolAnnotations"). */
static int
check_denied(const mcphost_tool *tool, mcphost_error **reterr)
{
    unsigned denied = tool->block->denied;
    struct mcph_span annotations = mcph_tool_member(tool, "annotations");
    bool writes = !read_hint(annotations, "readOnlyHint", false);
    const char *what = NULL;

    if ((denied & MCPHOST_DENY_WRITING) && writes)
        what = "may change things";
    else if ((denied & MCPHOST_DENY_DESTRUCTIVE) && writes &&
             read_hint(annotations, "destructiveHint", true))
        what = "may destroy things";
    else if ((denied & MCPHOST_DENY_OPEN_WORLD) &&
             read_hint(annotations, "openWorldHint", true))
        what = "reaches beyond this machine";
    return what ? mcph_err(reterr, MCPHOST_E_DENIED,
                           "tool '%s' %s, which the policy of its source denies",
                           mcph_tool_name(tool), what)
                : 0;
}

/* Checks the grant before the policy.  The error for a tool that the policy denies says
 * what the tool can do.  A dialog must not learn this about a tool that its grant does
 * not give. */
static int
check_tool(mcphost_call *call, mcphost_error **reterr)
{
    mcphost_tool *tool = call->target.tool;
    int r = mcph_view_check(call->dialog, tool, reterr);

    return r < 0 || !tool->block->denied ? r : check_denied(tool, reterr);
}

/* Returns true if `block` has a tool with the original name and the input schema, byte
 * for byte, of the target's tool. */
static bool
tool_is_in(const struct mcph_target *target, const struct mcph_block *block)
{
    return mcph_block_successor(block, target->tool) != NULL;
}

static void
describe_tool(const struct mcph_target *target, char *text, size_t size)
{
    snprintf(text, size, "tool '%s'", mcph_tool_name(target->tool));
}

static void
describe_missing_tool(const struct mcph_target *target, const struct mcph_block *block,
                      char *text, size_t size)
{
    const char *name = mcph_tool_original(target->tool);
    bool changed = block && mcph_block_find_original(block, name);

    snprintf(text, size, "tool '%s' %s", name,
             changed ? "has another input schema now" : "is no longer offered");
}

/* Sets whether the operation asks the server to run the tool as a task.  The call's
 * choice stays, unless the tool must run as a task or cannot run as a task (MCP
 * 2025-11-25, "Tasks"). */
static inline void
aim_as_task(const struct mcph_listed *tool, struct mcph_operation *op)
{
    if (!tool)
        op->task_ttl_ms = 0;
    else if (tool->must_be_task && !op->task_ttl_ms)
        op->task_ttl_ms = MCPH_TASK_TTL_MS;
}

static void
aim_at_tool(const struct mcph_target *target, const struct mcph_spec *spec,
            struct mcph_operation *op)
{
    /* Use the original name, because the server does not know the transformed name
     * (R23). */
    op->name = mcph_span_str(mcph_tool_original(target->tool));
    op->name_token = mcph_tool_original_token(target->tool);
    aim_as_task(mcph_tool_as_task(target->tool), op);
    if (mcph_transport_kind(spec->transport)->has_headers)
        op->schema = mcph_tool_input_schema(target->tool);
}

/* ---- tools that an app calls ------------------------------------------------------- */

/* Checks a tool of an app again, because the grant may have changed, or the server may
 * have hidden the tool from apps. */
static int
check_app_tool(mcphost_call *call, mcphost_error **reterr)
{
    mcphost_tool *tool = call->target.tool;
    const mcphost_server *entry;
    mcphost_catalog *catalog;
    int r = mcph_dialog_look(call->dialog, &catalog);

    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    entry = mcph_catalog_entry(catalog, tool->block);
    if (!entry || !mcph_entry_find_for_app(entry, mcph_tool_original(tool)))
        r = mcph_err(reterr, MCPHOST_E_DENIED,
                     "the view of '%s' does not give apps of server '%s' the tool '%s'",
                     call->dialog->id, tool->block->id, mcph_tool_original(tool));
    mcph_catalog_unref(catalog);
    return r < 0 || !tool->block->denied ? r : check_denied(tool, reterr);
}

static bool
app_tool_is_in(const struct mcph_target *target, const struct mcph_block *block)
{
    const mcphost_tool *next =
        mcph_block_find_for_app(block, mcph_tool_original(target->tool));

    return next && mcph_span_eq(mcph_tool_input_schema(next),
                                mcph_tool_input_schema(target->tool));
}

const struct mcph_target_kind mcph_target_app_tool = {
    .method = &mcph_methods[MCPH_METHOD_CALL_TOOL],
    .check = check_app_tool,
    .is_in = app_tool_is_in,
    .describe = describe_tool,
    .describe_missing = describe_missing_tool,
    .aim = aim_at_tool,
    .form = MCPH_RESULT_TOOL,
    .check_result = mcph_validate_result,
};

const struct mcph_target_kind mcph_target_tool = {
    .method = &mcph_methods[MCPH_METHOD_CALL_TOOL],
    .check = check_tool,
    .is_in = tool_is_in,
    .describe = describe_tool,
    .describe_missing = describe_missing_tool,
    .aim = aim_at_tool,
    .form = MCPH_RESULT_TOOL,
    .check_result = mcph_validate_result,
};

/* ---- resources, prompts, completions ----------------------------------------------- */

static int
check_server(mcphost_call *call, mcphost_error **reterr)
{
    mcphost_catalog *catalog;
    const mcphost_server *entry;
    int r = mcph_dialog_find_entry(call->dialog, call->target.block, &catalog, &entry,
                                   reterr);

    if (r == 0)
        mcph_catalog_unref(catalog);
    return r;
}

/* Checks that the view shows the prompt, whatever its name in the view is now. */
static int
check_prompt(mcphost_call *call, mcphost_error **reterr)
{
    struct mcph_span name = call->target.name;
    mcphost_catalog *catalog;
    const mcphost_server *entry;
    int r = mcph_dialog_find_entry(call->dialog, call->target.block, &catalog, &entry,
                                   reterr);
    bool found = false;

    if (r < 0)
        return r;
    for (size_t i = 0; i < entry->n_prompts && !found; i++)
        found = mcph_span_is(name, mcph_tool_original(entry->prompts[i]));
    if (!found)
        r = mcph_err(reterr, MCPHOST_E_GONE,
                     "prompt '%.*s' of server '%s' is no longer offered", (int)name.len,
                     name.p, entry->block->id);
    mcph_catalog_unref(catalog);
    return r;
}

/* Returns true, because a server need not list the target.  The URI of a resource may
 * come from a template, and no list has all URIs of a template. */
static bool
any_block_will_do(const struct mcph_target *target, const struct mcph_block *block)
{
    (void)target;
    (void)block;
    return true;
}

static void
describe_name(const struct mcph_target *target, char *text, size_t size)
{
    /* Do not show a task's id, because the id gives access to the task's result. */
    if (target->kind->method->task)
        snprintf(text, size, "%s", target->kind->method->what);
    else
        snprintf(text, size, "%s '%.*s'", target->kind->method->what,
                 target->name.len < 200 ? (int)target->name.len : 200, target->name.p);
}

static void
describe_missing_server(const struct mcph_target *target, const struct mcph_block *block,
                        char *text, size_t size)
{
    (void)block;
    snprintf(text, size, "server '%s' is no longer available", target->block->id);
}

static void
aim_at_name(const struct mcph_target *target, const struct mcph_spec *spec,
            struct mcph_operation *op)
{
    (void)spec;
    op->name = target->name;
}

int
mcph_target_refuse(const mcphost_call *call, const char *why, mcphost_error **reterr)
{
    const char *server = mcph_target_server_id(&call->target);
    int r = mcph_err(reterr, MCPHOST_E_PROTOCOL, "answered %s with %s",
                     call->target.kind->method->name, why);

    if (reterr)
        mcph_err_set_server(*reterr, mcph_target_source_id(&call->target), server);
    return r;
}

static bool
is_string_in(struct mcph_span object, const char *name)
{
    return mcph_json_type(mcph_json_get(object, name)) == MCPH_JSON_STRING;
}

/* Returns NULL if this element of `contents` is valid, else a text about its fault.  Does
 * not read values to their end, because a blob may be long. */
static const char *
contents_fault(struct mcph_json_iter *items, struct mcph_span item)
{
    bool has_uri = false, has_body = false;
    struct mcph_json_iter members;
    struct mcph_span key, value;

    if (mcph_json_type(item) != MCPH_JSON_OBJECT)
        return "contents without a string 'uri'";
    mcph_json_iter_init(&members, item);
    while (mcph_json_iter_open(&members, &key, &value)) {
        if (mcph_json_type(value) != MCPH_JSON_STRING)
            continue;
        has_uri = has_uri || mcph_json_string_is(key, "uri", 3);
        has_body = has_body || mcph_json_string_is(key, "text", 4) ||
                   mcph_json_string_is(key, "blob", 4);
    }
    (void)mcph_json_iter_past(items, &members);
    if (!has_uri)
        return "contents without a string 'uri'";
    return has_body ? NULL : "contents that have neither 'text' nor 'blob'";
}

static int
check_read(mcphost_call *call, struct mcph_span result, mcphost_error **reterr)
{
    const char *why = "no array 'contents'";
    struct mcph_json_iter members, items;
    struct mcph_span key, value, item;

    mcph_json_iter_init(&members, result);
    while (mcph_json_iter_open(&members, &key, &value)) {
        if (!mcph_json_string_is(key, "contents", 8))
            continue;
        if (mcph_json_type(value) != MCPH_JSON_ARRAY)
            break;
        why = NULL;
        mcph_json_iter_init(&items, value);
        while (!why && mcph_json_iter_open(&items, NULL, &item))
            why = contents_fault(&items, item);
        break;
    }
    return why ? mcph_target_refuse(call, why, reterr) : 0;
}

static int
check_messages(mcphost_call *call, struct mcph_span result, mcphost_error **reterr)
{
    struct mcph_span messages = mcph_json_get(result, "messages"), message;
    struct mcph_json_iter items;

    if (mcph_json_type(messages) != MCPH_JSON_ARRAY)
        return mcph_target_refuse(call, "no array 'messages'", reterr);
    mcph_json_iter_init(&items, messages);
    while (mcph_json_iter_next(&items, NULL, &message)) {
        if (mcph_json_type(message) != MCPH_JSON_OBJECT || !is_string_in(message, "role"))
            return mcph_target_refuse(call, "a message without a string 'role'", reterr);
        if (mcph_json_type(mcph_json_get(message, "content")) != MCPH_JSON_OBJECT)
            return mcph_target_refuse(call, "a message without an object 'content'",
                                      reterr);
    }
    return 0;
}

static int
check_completion(mcphost_call *call, struct mcph_span result, mcphost_error **reterr)
{
    struct mcph_span values =
        mcph_json_get(mcph_json_get(result, "completion"), "values");
    struct mcph_json_iter items;
    struct mcph_span value;

    if (mcph_json_type(values) != MCPH_JSON_ARRAY)
        return mcph_target_refuse(call, "no array 'values' in 'completion'", reterr);
    mcph_json_iter_init(&items, values);
    while (mcph_json_iter_next(&items, NULL, &value))
        if (mcph_json_type(value) != MCPH_JSON_STRING)
            return mcph_target_refuse(call, "a value that is not a string", reterr);
    return 0;
}

const struct mcph_target_kind mcph_target_read = {
    .method = &mcph_methods[MCPH_METHOD_READ_RESOURCE],
    .check = check_server,
    .is_in = any_block_will_do,
    .describe = describe_name,
    .describe_missing = describe_missing_server,
    .aim = aim_at_name,
    .form = MCPH_RESULT_READ,
    .folder = "resources",
    .check_result = check_read,
};

const struct mcph_target_kind mcph_target_prompt = {
    .method = &mcph_methods[MCPH_METHOD_GET_PROMPT],
    .check = check_prompt,
    .is_in = any_block_will_do,
    .describe = describe_name,
    .describe_missing = describe_missing_server,
    .aim = aim_at_name,
    .form = MCPH_RESULT_PROMPT,
    .folder = "prompts",
    .check_result = check_messages,
};

const struct mcph_target_kind mcph_target_completion = {
    .method = &mcph_methods[MCPH_METHOD_COMPLETE],
    .check = check_server,
    .is_in = any_block_will_do,
    .describe = describe_name,
    .describe_missing = describe_missing_server,
    .aim = aim_at_name,
    .form = MCPH_RESULT_COMPLETION,
    .folder = "completions",
    .check_result = check_completion,
};

/* ---- tasks ------------------------------------------------------------------------- */

static int
check_outcome(mcphost_call *call, struct mcph_span result, mcphost_error **reterr)
{
    if (mcph_json_type(mcph_json_get(result, "content")) != MCPH_JSON_ARRAY)
        return mcph_target_refuse(call, "a result without an array 'content'", reterr);
    return 0;
}

static int
check_nothing(mcphost_call *call, struct mcph_span result, mcphost_error **reterr)
{
    (void)call;
    (void)result;
    (void)reterr;
    return 0;
}

/* Stores the task's status from the answer, so that the application can read the status
 * from the call. */
static int
check_seen(mcphost_call *call, struct mcph_span result, mcphost_error **reterr)
{
    const char *why = mcph_task_see(call, result);

    return why ? mcph_target_refuse(call, why, reterr) : 0;
}

#define KIND(method_, form_, folder_, check_)                            \
    {                                                                    \
        .method = &mcph_methods[method_], .check = check_server,         \
        .is_in = any_block_will_do, .describe = describe_name,           \
        .describe_missing = describe_missing_server, .aim = aim_at_name, \
        .form = (form_), .folder = (folder_), .check_result = (check_),  \
    }

const struct mcph_target_kind
    mcph_target_task =
        KIND(MCPH_METHOD_GET_TASK, MCPH_RESULT_TOOL, "tasks", check_outcome),
    mcph_target_get_task =
        KIND(MCPH_METHOD_GET_TASK, MCPH_RESULT_PLAIN, "tasks", check_seen),
    mcph_target_update_task =
        KIND(MCPH_METHOD_UPDATE_TASK, MCPH_RESULT_PLAIN, "tasks", check_nothing),
    mcph_target_cancel_task =
        KIND(MCPH_METHOD_CANCEL_TASK, MCPH_RESULT_PLAIN, "tasks", check_nothing);

/* ---- skills (skill.c) -------------------------------------------------------------- */

const struct mcph_target_kind mcph_target_get_skill =
                                  KIND(MCPH_METHOD_GET_SKILL, MCPH_RESULT_PLAIN, "skills",
                                       mcph_skill_check_entry),
                              mcph_target_skill_file =
                                  KIND(MCPH_METHOD_READ_RESOURCE, MCPH_RESULT_READ,
                                       "skills", mcph_skill_check_file),
                              mcph_target_directory =
                                  KIND(MCPH_METHOD_READ_DIRECTORY, MCPH_RESULT_PLAIN,
                                       "skills", mcph_skill_check_directory);
