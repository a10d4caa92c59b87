/* SPDX-License-Identifier: MIT
 *
 * tool.c - read one tool: its names from its block, all other facts from the server's own
 * bytes.
 *
 * Only functions with "give" in their names allocate memory and may fail.  Every result
 * lives as long as the tool's block.
 */
#include "catalog/catalog.h"
#include "config/config.h"

static const struct mcph_listed *
listed_of(const mcphost_tool *tool)
{
    return &tool->block->listing->items[tool->place];
}

mcphost_tool *
mcph_tool_ref(mcphost_tool *tool)
{
    if (tool)
        mcph_block_ref(tool->block);
    return tool;
}

mcphost_tool *
mcph_tool_unref(mcphost_tool *tool)
{
    if (tool)
        mcph_block_unref(tool->block);
    return NULL;
}

const char *
mcph_tool_give(const mcphost_tool *tool, struct mcph_span text)
{
    /* Cast `const` away.  The tool is immutable for readers, but keeps copies of texts
     * that were requested. */
    struct mcph_kept *kept = (struct mcph_kept *)(uintptr_t)&tool->kept;

    return mcph_kept_copy(kept, text.p, text.len);
}

const char *
mcph_item_give_string(const mcphost_tool *item, struct mcph_span token, size_t *ret_len)
{
    struct mcph_kept *kept = (struct mcph_kept *)(uintptr_t)&item->kept;
    const char *found = token.p ? mcph_kept_find(kept, token.p, ret_len) : NULL;
    struct mcph_span text = MCPH_SPAN_NONE;
    struct mcph_buf decoded;

    *ret_len = found ? *ret_len : 0;
    if (found || !token.p)
        return found;
    mcph_buf_init(&decoded, token.len);
    if (mcph_json_string_get(token, &decoded, &text) == 0 && text.p) {
        *ret_len = text.len;
        found = mcph_kept_add(kept, token.p, mcph_strndup(text.p, text.len), ret_len);
    }
    mcph_buf_done(&decoded);
    return found;
}

const char *
mcph_item_give_id(const mcphost_tool *item)
{
    struct mcph_kept *kept = (struct mcph_kept *)(uintptr_t)&item->kept;
    struct mcph_span whole = mcph_tool_definition(item);
    const char *key = whole.p + whole.len - 1, *found; /* the address of the last byte
                                                        * identifies the kept id; no
                                                        * other text begins at this
                                                        * byte */
    struct mcph_buf id;
    size_t len;

    found = mcph_kept_find(kept, key, &len);
    if (found)
        return found;
    mcph_buf_init(&id, UINT32_MAX);
    if (mcph_item_add_id(item, &id) == 0) {
        len = id.len;
        found = mcph_kept_add(kept, key, mcph_buf_steal(&id, NULL), &len);
    }
    mcph_buf_done(&id);
    return found;
}

const char *
mcph_tool_name(const mcphost_tool *tool)
{
    return tool->block->names + tool->name;
}

const char *
mcph_tool_original(const mcphost_tool *tool)
{
    return tool->block->names + tool->original;
}

struct mcph_span
mcph_tool_original_token(const mcphost_tool *tool)
{
    return mcph_listing_token(tool->block->listing, listed_of(tool),
                              listed_of(tool)->name);
}

const char *
mcph_tool_server_id(const mcphost_tool *tool)
{
    return tool->block->spec ? tool->block->spec->id : NULL;
}

const char *
mcph_tool_toolset(const mcphost_tool *tool)
{
    const struct mcph_block *block = tool->block;

    if (!mcph_block_is_builtin(block))
        return block->id;
    for (size_t i = 0; i < block->n_sets; i++)
        if (mcph_toolset_has(&block->sets[i], tool))
            return block->sets[i].name;
    return NULL;
}

struct mcph_span
mcph_tool_title(const mcphost_tool *tool)
{
    return mcph_listing_title(tool->block->listing, listed_of(tool));
}

struct mcph_span
mcph_tool_description(const mcphost_tool *tool)
{
    return mcph_listing_description(tool->block->listing, listed_of(tool));
}

struct mcph_span
mcph_tool_definition(const mcphost_tool *tool)
{
    return mcph_listing_token(tool->block->listing, listed_of(tool),
                              listed_of(tool)->whole);
}

struct mcph_span
mcph_tool_input_schema(const mcphost_tool *tool)
{
    return mcph_listing_token(tool->block->listing, listed_of(tool),
                              listed_of(tool)->subject);
}

struct mcph_span
mcph_tool_member(const mcphost_tool *tool, const char *name)
{
    struct mcph_span value = mcph_json_get(mcph_tool_definition(tool), name);

    return mcph_json_type(value) == MCPH_JSON_OBJECT ? value : MCPH_SPAN_NONE;
}
