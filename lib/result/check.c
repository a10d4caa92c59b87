/* SPDX-License-Identifier: MIT
 *
 * check.c - a whole result of a built-in tool.
 *
 * Results of servers are taken as they are.  The author of a built-in tool can mend a
 * wrong result, so it is checked against MCP 2025-11-25, "CallToolResult".
 */
#include <stdio.h>
#include <string.h>

#include "result/result.h"

struct member {
    const char *kind; /* of the item; NULL: of the result itself */
    const char *name;
    int type; /* MCPH_JSON_* */
    bool needed;
};

static const struct member members[] = {
    {NULL, "content", MCPH_JSON_ARRAY, true},
    {NULL, "structuredContent", MCPH_JSON_OBJECT, false},
    {NULL, "isError", MCPH_JSON_BOOL, false},
    {NULL, "_meta", MCPH_JSON_OBJECT, false},
    {"text", "text", MCPH_JSON_STRING, true},
    {"image", "data", MCPH_JSON_STRING, true},
    {"image", "mimeType", MCPH_JSON_STRING, true},
    {"audio", "data", MCPH_JSON_STRING, true},
    {"audio", "mimeType", MCPH_JSON_STRING, true},
    {"resource", "resource", MCPH_JSON_OBJECT, true},
    {"resource_link", "uri", MCPH_JSON_STRING, true},
    {"resource_link", "name", MCPH_JSON_STRING, true},
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

/* `where` is how messages begin. */
static int
check_members(struct mcph_span object, struct mcph_span kind, const char *where,
              mcphost_error **reterr)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(members); i++) {
        const struct member *member = &members[i];
        struct mcph_span value;

        if (kind.p ? !member->kind ||
                         !mcph_json_string_is(kind, member->kind, strlen(member->kind))
                   : member->kind != NULL)
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

static int
check_item(struct mcph_span item, size_t place, mcphost_error **reterr)
{
    struct mcph_span kind = mcph_json_get(item, "type");
    char where[64];

    snprintf(where, sizeof(where), "the result's item %zu", place);
    if (mcph_json_type(item) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s is not an object", where);
    if (mcph_json_type(kind) != MCPH_JSON_STRING)
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s has no 'type'", where);
    return check_members(item, kind, where, reterr);
}

int
mcph_result_check(struct mcph_span json, struct mcph_span *ret_object,
                  mcphost_error **reterr)
{
    struct mcph_json_iter items;
    struct mcph_span object, item;
    size_t place = 0;
    int r = mcph_json_check_input(json, 0, MCPH_JSON_OBJECT, "result", &object, reterr);

    if (r == 0)
        r = check_members(object, MCPH_SPAN_NONE, "the result", reterr);
    if (r < 0)
        return r;
    mcph_json_iter_init(&items, mcph_json_get(object, "content"));
    while (r == 0 && mcph_json_iter_next(&items, NULL, &item))
        r = check_item(item, place++, reterr);
    if (r == 0)
        *ret_object = object;
    return r;
}
