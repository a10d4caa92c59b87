/* SPDX-License-Identifier: MIT
 *
 * app.c - apps of servers (MCP extension io.modelcontextprotocol/ui): the callers that
 * may use a tool, and the resource that shows its results.
 *
 * Servers put the callers and the resource into the `_meta` of a tool.  If the model
 * may not call a tool, no catalog gives the tool a name.  This rule also holds if
 * the host shows no apps, because servers send the `_meta` to every client.
 */
#include <string.h>

#include "catalog/catalog.h"

#define EITHER (MCPHOST_VISIBLE_TO_MODEL | MCPHOST_VISIBLE_TO_APPS)

static struct mcph_span
ui_of(struct mcph_span meta)
{
    struct mcph_span ui = MCPH_SPAN_NONE;

    if (mcph_json_type(meta) == MCPH_JSON_OBJECT)
        ui = mcph_json_get(meta, "ui");
    return mcph_json_type(ui) == MCPH_JSON_OBJECT ? ui : MCPH_SPAN_NONE;
}

unsigned
mcph_app_visibility(struct mcph_span meta)
{
    struct mcph_span ui = ui_of(meta), list = MCPH_SPAN_NONE, word;
    struct mcph_json_iter words;
    unsigned seen_by = 0;

    if (ui.p)
        list = mcph_json_get(ui, "visibility");
    if (mcph_json_type(list) != MCPH_JSON_ARRAY)
        return EITHER;
    mcph_json_iter_init(&words, list);
    while (seen_by != EITHER && mcph_json_iter_next(&words, NULL, &word)) {
        if (mcph_json_string_is(word, "model", 5))
            seen_by |= MCPHOST_VISIBLE_TO_MODEL;
        else if (mcph_json_string_is(word, "app", 3))
            seen_by |= MCPHOST_VISIBLE_TO_APPS;
    }
    return seen_by;
}

static const struct mcph_listed *
listed_of(const mcphost_tool *tool)
{
    return &tool->block->listing->items[tool->place];
}

unsigned
mcph_tool_visibility(const mcphost_tool *tool)
{
    if (!tool->block->spec)
        return MCPHOST_VISIBLE_TO_MODEL;
    return (listed_of(tool)->no_model ? 0u : (unsigned)MCPHOST_VISIBLE_TO_MODEL) |
           (listed_of(tool)->no_app ? 0u : (unsigned)MCPHOST_VISIBLE_TO_APPS);
}

/* Returns the decoded text of the token, and its length in *ret_len.  The tool keeps the
 * text.  Returns NULL if the token is not a string, if the text is not a URI of an app,
 * or if memory is short. */
static const char *
give_uri(const mcphost_tool *tool, struct mcph_span token, size_t *ret_len)
{
    const char *uri = NULL;

    if (mcph_json_type(token) == MCPH_JSON_STRING)
        uri = mcph_item_give_string(tool, token, ret_len);
    return uri && *ret_len > 5 && memcmp(uri, "ui://", 5) == 0 ? uri : NULL;
}

const char *
mcph_tool_give_app_uri(const mcphost_tool *tool, size_t *ret_len)
{
    struct mcph_span meta = mcph_tool_member(tool, "_meta"), ui = ui_of(meta);
    const char *uri = NULL;

    if (ui.p)
        uri = give_uri(tool, mcph_json_get(ui, "resourceUri"), ret_len);
    /* Look for the name "ui/resourceUri", too.  Servers that are older than the
     * extension's first release use this name. */
    if (!uri && meta.p)
        uri = give_uri(tool, mcph_json_get(meta, "ui/resourceUri"), ret_len);
    if (!uri)
        *ret_len = 0;
    return uri;
}

static bool
is_for_app(const mcphost_tool *tool, const char *name)
{
    return !listed_of(tool)->no_app && mcph_streq(mcph_tool_original(tool), name);
}

mcphost_tool *
mcph_block_find_for_app(const struct mcph_block *block, const char *name)
{
    for (size_t i = 0; i < block->n_items + block->n_apart; i++)
        if (is_for_app(&block->items[i], name))
            return &block->items[i];
    return NULL;
}

mcphost_tool *
mcph_entry_find_for_app(const mcphost_server *entry, const char *name)
{
    if (entry->rejected)
        return NULL;
    if (!entry->partial)
        return mcph_block_find_for_app(entry->block, name);
    for (size_t i = 0; i < entry->n_tools; i++)
        if (is_for_app(entry->tools[i], name))
            return entry->tools[i];
    return NULL;
}
