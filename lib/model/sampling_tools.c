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
    for (size_t i = 0; i < s->n_tools; i++) {
        free(s->tools[i].own);
        free(s->tools[i].name);
    }
    mcph_map_done(&s->by_own);
    mcph_map_done(&s->by_name);
    free(s->tools);
    free(s->tools_text);
}

/* ---- reading ----------------------------------------------------------------------- */

static int
read_tool(mcphost_sampling *s, struct mcph_span value, mcphost_error **reterr)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("name"),
                                    MCPH_JSON_WANT("inputSchema")};
    struct mcph_sampling_tool *tool = &s->tools[s->n_tools];
    int r;

    if (mcph_json_pick(value, want, MCPH_ARRAY_SIZE(want)) < 0 ||
        want[0].value.len <= 2 || mcph_json_type(want[1].value) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "params.tools[%zu]: a tool needs a name and an inputSchema",
                        s->n_tools);
    r = mcph_json_string_dup(want[0].value, &tool->own);
    if (r == MCPHOST_E_INVALID)
        return mcph_err(reterr, r, "params.tools[%zu]: the name is no text", s->n_tools);
    if (r < 0)
        return mcph_err_nomem(reterr);
    tool->value = value;
    tool->schema = want[1].value;
    s->n_tools++;
    if (mcph_map_get(&s->by_own, tool->own, strlen(tool->own)))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "params.tools[%zu]: another tool has this name", s->n_tools - 1);
    r = mcph_map_put(&s->by_own, tool->own, strlen(tool->own), tool, NULL);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

/* Gives a tool its name.  Unchanged names come first (`change` false for all tools), so
 * that no changed name takes one of them. */
static int
name_tool(mcphost_sampling *s, struct mcph_sampling_tool *tool, bool change)
{
    char name[MCPH_PROJECTED_NAME];
    int r = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        if (s->profile != MCPHOST_PROFILE_IDENTITY)
            r = mcph_model_tool_name(s->profile, 0, tool->own, round, name);
        if (r < 0)
            return r;
        if (r != change)
            return 0;
        if (r && (mcph_map_get(&s->by_name, name, strlen(name)) ||
                  mcph_map_get(&s->by_own, name, strlen(name))))
            continue;
        tool->name = mcph_strdup(r ? name : tool->own);
        return tool->name
                   ? mcph_map_put(&s->by_name, tool->name, strlen(tool->name), tool, NULL)
                   : MCPHOST_E_NOMEM;
    }
    return 0;
}

int
mcph_sampling_read_tools(mcphost_sampling *s, struct mcph_span tools,
                         mcphost_error **reterr)
{
    struct mcph_json_iter it;
    struct mcph_span value;
    int r = 0;

    if (!tools.p)
        return 0;
    if (mcph_json_type(tools) != MCPH_JSON_ARRAY)
        return mcph_err(reterr, MCPHOST_E_INVALID, "params.tools: not an array");
    s->tools_text = mcph_memdup(tools.p, tools.len);
    s->tools = calloc(mcph_json_count(tools) + 1, sizeof(*s->tools));
    if (!s->tools_text || !s->tools)
        return mcph_err_nomem(reterr);
    mcph_json_iter_init(&it, mcph_span(s->tools_text, tools.len));
    while (mcph_json_iter_next(&it, NULL, &value)) {
        r = read_tool(s, value, reterr);
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < 2 * s->n_tools && r == 0; i++)
        r = name_tool(s, &s->tools[i % s->n_tools], i >= s->n_tools);
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
    return mcph_model_tool_name(s->profile, 0, own, 0, made) < 0 ? NULL : made;
}

/* ---- writing ----------------------------------------------------------------------- */

struct texts {
    struct mcph_buf title, description;
};

static int
take_text(struct mcph_span tool, const char *name, struct mcph_buf *buf,
          struct mcph_span *ret)
{
    struct mcph_span token = mcph_json_get(tool, name);
    int r = mcph_json_string_get(token, buf, ret);

    if (r == MCPHOST_E_INVALID)
        *ret = MCPH_SPAN_NONE;
    return r == MCPHOST_E_INVALID ? 0 : r;
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
add_tool(mcphost_sampling *s, struct mcph_sampling_tool *tool, struct texts *texts,
         struct mcph_buf *schema, struct mcph_buf *buf)
{
    struct mcph_function function = {
        .shape = s->shape, .profile = s->profile, .name = tool->name};
    char why[MCPH_PROJECT_WHY];
    size_t max;
    int r = take_text(tool->value, "title", &texts->title, &function.title);

    if (r == 0)
        r = take_text(tool->value, "description", &texts->description,
                      &function.description);
    if (r < 0)
        return r;
    function.schema = tool->schema;
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
    struct texts texts;
    size_t n = 0;
    int r = 0;

    mcph_buf_init(&schema, MCPH_SAMPLING_MAX);
    mcph_buf_init(&texts.title, MCPH_SAMPLING_MAX);
    mcph_buf_init(&texts.description, MCPH_SAMPLING_MAX);
    for (size_t i = 0; i < s->n_tools && r >= 0; i++) {
        struct mcph_sampling_tool *tool = &s->tools[i];

        mcph_buf_clear(&schema);
        mcph_buf_clear(&texts.title);
        mcph_buf_clear(&texts.description);
        if (tool->name)
            r = add_tool(s, tool, &texts, &schema, buf);
        else
            r = mcph_sampling_note(s,
                                   "tool '%s' left out: every name that would do is "
                                   "taken",
                                   tool->own);
        n += r > 0;
    }
    mcph_buf_done(&schema);
    mcph_buf_done(&texts.title);
    mcph_buf_done(&texts.description);
    *ret_n = n;
    return r < 0 ? r : 0;
}
