/* SPDX-License-Identifier: MIT
 *
 * sampling_tools.c - the tools that a server offers to the model in a sampling request.
 */
#include <stdlib.h>
#include <string.h>

#include "model/sampling.h"

#define ROUNDS 10

void
mcph_sampling_tools_done(mcphost_sampling *s)
{
    for (size_t i = 0; i < s->n_tools; i++)
        free(s->tools[i].name);
    mcph_map_done(&s->by_own);
    mcph_map_done(&s->by_name);
    free(s->tools);
    json_decref(s->offered);
}

/* ---- reading ----------------------------------------------------------------------- */

static int
read_tool(mcphost_sampling *s, json_t *value, mcphost_error **reterr)
{
    struct mcph_sampling_tool *tool = &s->tools[s->n_tools];

    tool->value = value;
    tool->own = mcph_sampling_plain(value, "name");
    tool->schema = mcph_sampling_raw(value, MCPH_JSON_RAW "inputSchema");
    if (!tool->own || mcph_json_type(tool->schema) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "params.tools[%zu]: a tool needs a name and an inputSchema",
                        s->n_tools);
    if (mcph_map_get(&s->by_own, tool->own, strlen(tool->own)))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "params.tools[%zu]: another tool has this name", s->n_tools);
    s->n_tools++;
    return mcph_map_put(&s->by_own, tool->own, strlen(tool->own), tool, NULL) < 0
               ? mcph_err_nomem(reterr)
               : 0;
}

/* Gives a tool its name.  The first pass (`change` is false) gives names to all tools
 * that keep their names, so that no changed name takes an unchanged name. */
static int
name_tool(mcphost_sampling *s, struct mcph_sampling_tool *tool, bool change)
{
    char name[MCPH_PROJECTED_NAME];
    bool changed;

    for (unsigned round = 0; round < ROUNDS; round++) {
        changed = s->profile != MCPHOST_PROFILE_IDENTITY &&
                  mcph_model_tool_name(s->profile, 0, tool->own, round, name);
        if (changed != change)
            return 0;
        if (changed && (mcph_map_get(&s->by_name, name, strlen(name)) ||
                        mcph_map_get(&s->by_own, name, strlen(name))))
            continue;
        tool->name = mcph_strdup(changed ? name : tool->own);
        return tool->name
                   ? mcph_map_put(&s->by_name, tool->name, strlen(tool->name), tool, NULL)
                   : MCPHOST_E_NOMEM;
    }
    return 0;
}

int
mcph_sampling_read_tools(mcphost_sampling *s, json_t *tools, mcphost_error **reterr)
{
    size_t n = json_array_size(tools);
    int r = 0;

    if (!tools)
        return 0;
    if (!json_is_array(tools))
        return mcph_err(reterr, MCPHOST_E_INVALID, "params.tools: not an array");
    s->offered = json_incref(tools);
    s->tools = calloc(n + 1, sizeof(*s->tools));
    if (!s->tools)
        return mcph_err_nomem(reterr);
    for (size_t i = 0; i < n; i++) {
        r = read_tool(s, json_array_get(tools, i), reterr);
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < 2 * n && r == 0; i++)
        r = name_tool(s, &s->tools[i % n], i >= n);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

const char *
mcph_sampling_name(const mcphost_sampling *s, const char *own,
                   char made[MCPH_PROJECTED_NAME])
{
    const struct mcph_sampling_tool *tool = mcph_map_get(&s->by_own, own, strlen(own));

    if (tool && tool->name)
        return tool->name;
    if (s->profile == MCPHOST_PROFILE_IDENTITY)
        return own;
    (void)mcph_model_tool_name(s->profile, 0, own, 0, made);
    return made;
}

/* ---- writing ----------------------------------------------------------------------- */

static struct mcph_span
text_of(const json_t *tool, const char *name)
{
    const json_t *text = json_object_get(tool, name);

    return mcph_span(json_string_value(text), json_string_length(text));
}

static int
leave_out(mcphost_sampling *s, struct mcph_sampling_tool *tool, const char *why)
{
    (void)mcph_map_remove(&s->by_name, tool->name, strlen(tool->name));
    free(tool->name);
    tool->name = NULL;
    return mcph_sampling_note(s, "tool '%s' left out: %s", tool->own, why);
}

static int
add_tool(mcphost_sampling *s, struct mcph_sampling_tool *tool, struct mcph_buf *schema,
         struct mcph_buf *buf)
{
    struct mcph_function function = {.shape = s->shape,
                                     .profile = s->profile,
                                     .name = tool->name,
                                     .title = text_of(tool->value, "title"),
                                     .description = text_of(tool->value, "description"),
                                     .schema = tool->schema};
    char why[MCPH_PROJECT_WHY];
    size_t max;
    int r = 0;

    if (s->profile != MCPHOST_PROFILE_IDENTITY) {
        r = mcph_model_project(s->profile, tool->schema, schema, &function.flags, why);
        if (r == MCPHOST_E_LIMIT)
            return leave_out(s, tool, why);
        function.schema = mcph_span(schema->data, schema->len);
    }
    if (r < 0)
        return r;
    r = mcph_model_add_function(&function, buf, &max);
    if (r > 0)
        r = mcph_sampling_note(s, "tool '%s': its description is cut to %zu characters",
                               tool->own, max);
    if (r == 0 && function.flags & MCPH_PROJECT_LOOSE)
        r = mcph_sampling_note(s, "tool '%s' is not sent as strict: %s", tool->own, why);
    return r < 0 ? r : 1;
}

int
mcph_sampling_add_tools(mcphost_sampling *s, struct mcph_buf *buf, size_t *ret_n)
{
    struct mcph_buf schema;
    size_t n = 0;
    int r = 0;

    mcph_buf_init(&schema, MCPH_SAMPLING_MAX);
    for (size_t i = 0; i < s->n_tools && r >= 0; i++) {
        struct mcph_sampling_tool *tool = &s->tools[i];

        mcph_buf_clear(&schema);
        if (tool->name)
            r = add_tool(s, tool, &schema, buf);
        else
            r = mcph_sampling_note(
                s, "tool '%s' left out: every usable name is already taken", tool->own);
        n += r > 0;
    }
    mcph_buf_done(&schema);
    *ret_n = n;
    return r < 0 ? r : 0;
}
