/* SPDX-License-Identifier: MIT
 *
 * check.c - checks of an application's results and of the arguments of requests.
 *
 * The library checks the results of providers and of built-in tools, because their
 * authors can correct a wrong result.  The checks follow MCP 2025-11-25 and 2026-07-28:
 * CallToolResult, ReadResourceResult, GetPromptResult, CompleteResult.  This file does
 * not check the results of servers.
 */
#include <stdio.h>
#include <string.h>

#include "provide/provide.h"

struct member {
    const char *kind; /* type of the item; NULL means any type */
    const char *name;
    int type; /* type of the member, MCPH_JSON_* */
    bool needed;
};

static const struct member tool_members[] = {
    {NULL, "content", MCPH_JSON_ARRAY, true},
    {NULL, "structuredContent", MCPH_JSON_OBJECT, false},
    {NULL, "isError", MCPH_JSON_BOOL, false},
    {NULL, "_meta", MCPH_JSON_OBJECT, false},
};

static const struct member item_members[] = {
    {"text", "text", MCPH_JSON_STRING, true},
    {"image", "data", MCPH_JSON_STRING, true},
    {"image", "mimeType", MCPH_JSON_STRING, true},
    {"audio", "data", MCPH_JSON_STRING, true},
    {"audio", "mimeType", MCPH_JSON_STRING, true},
    {"resource", "resource", MCPH_JSON_OBJECT, true},
    {"resource_link", "uri", MCPH_JSON_STRING, true},
    {"resource_link", "name", MCPH_JSON_STRING, true},
};

static const struct member contents_members[] = {
    {NULL, "uri", MCPH_JSON_STRING, true},
    {NULL, "text", MCPH_JSON_STRING, false},
    {NULL, "blob", MCPH_JSON_STRING, false},
    {NULL, "mimeType", MCPH_JSON_STRING, false},
};

static const struct member message_members[] = {
    {NULL, "role", MCPH_JSON_STRING, true},
    {NULL, "content", MCPH_JSON_OBJECT, true},
};

static const char *
type_name(int type)
{
    switch (type) {
    case MCPH_JSON_ARRAY:
        return "an array";
    case MCPH_JSON_OBJECT:
        return "an object";
    case MCPH_JSON_BOOL:
        return "true or false";
    default:
        return "a string";
    }
}

/* Checks the members of an object against a table.  `where` begins the error messages.
 * `kind` is the "type" of the item.  The p of `kind` is NULL if the item has no type. */
static int
check_members(const struct member *members, size_t n, struct mcph_span object,
              struct mcph_span kind, const char *where, mcphost_error **reterr)
{
    for (size_t i = 0; i < n; i++) {
        const struct member *member = &members[i];
        struct mcph_span value;

        if (member->kind &&
            !mcph_json_string_is(kind, member->kind, strlen(member->kind)))
            continue;
        value = mcph_json_get(object, member->name);
        if (!value.p && member->needed)
            return mcph_err(reterr, MCPHOST_E_INVALID, "%s has no '%s'", where,
                            member->name);
        if (value.p && mcph_json_type(value) != member->type)
            return mcph_err(reterr, MCPHOST_E_INVALID, "%s: '%s' is not %s", where,
                            member->name, type_name(member->type));
    }
    return 0;
}

#define CHECK(table, object, kind, where) \
    check_members(table, MCPH_ARRAY_SIZE(table), object, kind, where, reterr)

static int
check_item(struct mcph_span item, const char *where, mcphost_error **reterr)
{
    struct mcph_span kind = mcph_json_get(item, "type");

    if (mcph_json_type(item) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s is not an object", where);
    if (mcph_json_type(kind) != MCPH_JSON_STRING)
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s has no 'type'", where);
    return CHECK(item_members, item, kind, where);
}

static int
check_contents(struct mcph_span item, const char *where, mcphost_error **reterr)
{
    int r;

    if (mcph_json_type(item) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s is not an object", where);
    r = CHECK(contents_members, item, MCPH_SPAN_NONE, where);
    if (r == 0 && !mcph_json_get(item, "text").p && !mcph_json_get(item, "blob").p)
        r = mcph_err(reterr, MCPHOST_E_INVALID, "%s has neither 'text' nor 'blob'",
                     where);
    return r;
}

static int
check_message(struct mcph_span item, const char *where, mcphost_error **reterr)
{
    char content[96];
    int r;

    if (mcph_json_type(item) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s is not an object", where);
    r = CHECK(message_members, item, MCPH_SPAN_NONE, where);
    if (r < 0)
        return r;
    snprintf(content, sizeof(content), "the content of %s", where);
    return check_item(mcph_json_get(item, "content"), content, reterr);
}

static int
check_value(struct mcph_span item, const char *where, mcphost_error **reterr)
{
    if (mcph_json_type(item) == MCPH_JSON_STRING)
        return 0;
    return mcph_err(reterr, MCPHOST_E_INVALID, "%s is not a string", where);
}

static const struct {
    const char *array, *noun;
    int (*check)(struct mcph_span item, const char *where, mcphost_error **reterr);
} methods[MCPH_PROVIDE_METHODS] = {
    [MCPH_PROVIDE_CALL] = {"content", "item", check_item},
    [MCPH_PROVIDE_READ] = {"contents", "contents", check_contents},
    [MCPH_PROVIDE_GET] = {"messages", "message", check_message},
    [MCPH_PROVIDE_COMPLETE] = {"values", "value", check_value},
};

int
mcph_provide_check_result(int method, struct mcph_span json, struct mcph_span *ret_object,
                          mcphost_error **reterr)
{
    struct mcph_span object, holder, array, item;
    struct mcph_json_iter items;
    char where[64];
    size_t place = 0;
    int r = mcph_json_check_input(json, 0, MCPH_JSON_OBJECT, "result", &object, reterr);

    if (r == 0 && method == MCPH_PROVIDE_CALL)
        r = CHECK(tool_members, object, MCPH_SPAN_NONE, "the result");
    if (r < 0)
        return r;
    holder =
        method == MCPH_PROVIDE_COMPLETE ? mcph_json_get(object, "completion") : object;
    if (mcph_json_type(holder) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the result has no object 'completion'");
    array = mcph_json_get(holder, methods[method].array);
    if (mcph_json_type(array) != MCPH_JSON_ARRAY)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the result has no array '%s'",
                        methods[method].array);
    mcph_json_iter_init(&items, array);
    while (r == 0 && mcph_json_iter_next(&items, NULL, &item)) {
        snprintf(where, sizeof(where), "the result's %s %zu", methods[method].noun,
                 place++);
        r = methods[method].check(item, where, reterr);
    }
    if (r == 0)
        *ret_object = object;
    return r;
}

/* ---- arguments and structured content ---------------------------------------------- */

static int
check_schema(mcphost_schema *schema, struct mcph_span json, const char *what,
             const char *tool, mcphost_error **reterr)
{
    mcphost_schema_report *report = NULL;
    mcphost_error *err = NULL;
    int r = mcph_schema_validate(schema, json, 0, NULL, &err);

    /* Make the report in a second run, and only after a failure, because most runs
     * succeed and need no report. */
    if (r == MCPHOST_SCHEMA_INVALID)
        r = mcph_schema_validate(schema, json, 0, &report, &err);
    if (r == MCPHOST_SCHEMA_INVALID)
        r = mcph_err(reterr, MCPHOST_E_INVALID, "%s of tool '%s': %s", what, tool,
                     mcph_schema_report_line(report).p);
    else if (r == MCPHOST_E_NOMEM)
        r = mcph_err_nomem(reterr);
    else if (r != MCPHOST_SCHEMA_VALID)
        r = mcph_err(reterr, r < 0 ? r : MCPHOST_E_LIMIT, "%s of tool '%s': %s", what,
                     tool,
                     err ? mcphost_error_get_message(err) : "checking took too long");
    mcphost_error_unref(err);
    mcph_schema_report_unref(report);
    return r;
}

int
mcph_feature_check_arguments(const struct mcph_feature *tool, struct mcph_span arguments,
                             mcphost_error **reterr)
{
    return check_schema(tool->input, arguments, "arguments", tool->name, reterr);
}

int
mcph_feature_check_output(const struct mcph_feature *tool, struct mcph_span result,
                          mcphost_error **reterr)
{
    struct mcph_span content = mcph_json_get(result, "structuredContent");
    bool is_error = false;

    mcph_json_bool(mcph_json_get(result, "isError"), &is_error);
    /* Accept every result that is an error, because the output schema describes
     * successful results only. */
    if (!tool->output || is_error)
        return 0;
    if (!content.p)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "tool '%s' has an output schema, but its result has no "
                        "structured content",
                        tool->name);
    return check_schema(tool->output, content, "structured content", tool->name, reterr);
}

/* Returns the value of the member with this name.  `name` is a JSON string in quotes.
 * The p of the value is NULL if there is no member. */
static struct mcph_span
find_member(struct mcph_span object, struct mcph_span name)
{
    struct mcph_json_iter members;
    struct mcph_span key, value;

    mcph_json_iter_init(&members, object);
    while (mcph_json_iter_next(&members, &key, &value))
        if (mcph_json_string_eq(key, name))
            return value;
    return MCPH_SPAN_NONE;
}

int
mcph_feature_check_prompt(const struct mcph_feature *prompt, struct mcph_span arguments,
                          mcphost_error **reterr)
{
    struct mcph_span definition = mcph_span(prompt->definition, prompt->definition_len);
    struct mcph_span item, key, value;
    struct mcph_json_iter items;

    mcph_json_iter_init(&items, arguments);
    while (mcph_json_iter_next(&items, &key, &value))
        if (mcph_json_type(value) != MCPH_JSON_STRING)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "arguments of prompt '%s': %.*s is not a string",
                            prompt->name, key.len < 100 ? (int)key.len : 100, key.p);
    mcph_json_iter_init(&items, mcph_json_get(definition, "arguments"));
    while (mcph_json_iter_next(&items, NULL, &item)) {
        struct mcph_span name = mcph_json_get(item, "name");
        bool required = false;

        mcph_json_bool(mcph_json_get(item, "required"), &required);
        if (required && !find_member(arguments, name).p)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "arguments of prompt '%s': %.*s is missing", prompt->name,
                            name.len < 100 ? (int)name.len : 100, name.p);
    }
    return 0;
}
