/* SPDX-License-Identifier: MIT
 *
 * offered.c - the built-in tools for resources and skills that an application may add to
 * a view.
 */
#include "host/builtin.h"
#include "host/view.h"
#include "host/walk.h"

#define ANNOTATIONS                                     \
    "{\"readOnlyHint\":true,\"destructiveHint\":false," \
    "\"idempotentHint\":true,\"openWorldHint\":true}"

static const struct {
    unsigned bit; /* MCPHOST_RESOURCE_TOOL_* */
    const char *toolset;
    struct mcph_builtin_draft draft;
    mcphost_builtin_fn fn;
} tools[] = {
    {MCPHOST_RESOURCE_TOOL_LIST,
     "mcp_resources",
     {"list_resources",
      "List the resources of MCP servers, and the templates from which URIs of resources "
      "are made, with their resourceId.",
      "{\"type\":\"object\",\"properties\":{\"serverId\":{\"type\":\"string\","
      "\"description\":\"list only those of this "
      "server\"},\"query\":{\"type\":\"string\",\"description\":\"list only those with "
      "this text in their id, URI, name, title or "
      "description\"},\"kind\":{\"enum\":[\"resource\",\"template\"]}},"
      "\"additionalProperties\":false}",
      ANNOTATIONS},
     mcph_tool_list_resources},
    {MCPHOST_RESOURCE_TOOL_FETCH,
     "mcp_resources",
     {"fetch_resource",
      "Read a resource of an MCP server. A template needs arguments, a value for each of "
      "its variables.",
      "{\"type\":\"object\",\"properties\":{\"resourceId\":{\"type\":\"string\","
      "\"description\":\"the resourceId from "
      "list_resources\"},\"arguments\":{\"type\":\"object\",\"description\":\"values of "
      "the template's "
      "variables\"}},\"required\":[\"resourceId\"],\"additionalProperties\":false}",
      ANNOTATIONS},
     mcph_tool_fetch_resource},
    {MCPHOST_RESOURCE_TOOL_LIST_SKILLS,
     "mcp_skills",
     {"list_skills",
      "List the skills of MCP servers: instructions for a kind of work, with the files "
      "that belong to them.",
      "{\"type\":\"object\",\"properties\":{\"serverId\":{\"type\":\"string\","
      "\"description\":\"list only those of this "
      "server\"},\"query\":{\"type\":\"string\",\"description\":\"list only those with "
      "this text in their URI, name or description\"}},\"additionalProperties\":false}",
      ANNOTATIONS},
     mcph_tool_list_skills},
    {MCPHOST_RESOURCE_TOOL_READ_SKILL,
     "mcp_skills",
     {"read_skill",
      "Read a file of a skill. Read its SKILL.md before you do work that the skill is "
      "for.",
      "{\"type\":\"object\",\"properties\":{\"serverId\":{\"type\":\"string\","
      "\"description\":\"the serverId from "
      "list_skills\"},\"uri\":{\"type\":\"string\",\"description\":\"the skill's uri "
      "from list_skills\"},\"file\":{\"type\":\"string\",\"description\":\"path of the "
      "file in the skill; without it, "
      "SKILL.md\"}},\"required\":[\"serverId\",\"uri\"],\"additionalProperties\":false}",
      ANNOTATIONS},
     mcph_tool_read_skill},
};

static int
add_offered(struct mcph_stack *stack, size_t place, mcphost_error **reterr)
{
    const struct mcph_builtin how = {.fn = tools[place].fn};
    struct mcph_builtin *tool = NULL;
    int r = mcph_builtin_new_draft(&tools[place].draft, &how, &tool, reterr);

    if (r == 0)
        r = mcph_shown_add_tool(stack, tools[place].toolset, tool, reterr);
    mcph_builtin_unref(tool);
    return r;
}

int
mcph_resources_offer(struct mcph_stack *stack, unsigned which, mcphost_error **reterr)
{
    unsigned added = 0;
    int r = 0;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tools) && r == 0; i++) {
        if (!(which & tools[i].bit))
            continue;
        r = add_offered(stack, i, reterr);
        if (r == 0)
            added |= tools[i].bit;
    }
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tools) && r < 0; i++) {
        if (added & tools[i].bit)
            (void)mcph_shown_remove_tool(stack, tools[i].draft.name, NULL);
    }
    return r;
}
