/* SPDX-License-Identifier: MIT
 *
 * lists.c - write lists as JSON arrays, and lists of tools in the shapes that models'
 * interfaces need.
 *
 * entry_list() writes the list of a server once for each shape.  The server's block keeps
 * the list, so that the next snapshot need not write the list again.  If the snapshot
 * shows only some tools of the server, because of a collision or a grant, the snapshot
 * keeps the list instead.  The list of a whole catalog joins the servers' lists.
 *
 * Any number of threads may request a list at the same time.  One atomic exchange puts a
 * text into an empty slot.  A full slot never changes.  If another thread has filled the
 * slot first, a thread frees its own text and uses the text in the slot.  Descriptions
 * and schemas are the server's own tokens: they are copied and never decoded.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"

/* Limit on the bytes of a tool's final name and fixed members, in any shape. */
#define SHAPE_EXTRA 192

static void
text_free(struct mcph_list_text *text)
{
    if (text)
        free(text->json);
    free(text);
}

void
mcph_list_slots_done(mcph_list_slot *slots, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_free(atomic_load_explicit(&slots[i], memory_order_acquire));
}

/* Makes a text from `buf` and puts it into the slot, unless another thread was faster.
 * Returns the text in the slot, or NULL if memory is short. */
static struct mcph_list_text *
publish_text(mcph_list_slot *slot, struct mcph_buf *buf)
{
    struct mcph_list_text *text = calloc(1, sizeof(*text)), *seen = NULL;

    if (!text)
        return NULL;
    text->json = mcph_buf_steal(buf, &text->len);
    if (!text->json) {
        text_free(text);
        return NULL;
    }
    if (atomic_compare_exchange_strong_explicit(slot, &seen, text, memory_order_acq_rel,
                                                memory_order_acquire))
        return text;
    text_free(text);
    return seen;
}

/* ---- one tool ---------------------------------------------------------------------- */

static struct mcph_span
description_token(const mcphost_tool *tool)
{
    const struct mcph_listing *listing = tool->block->listing;
    const struct mcph_listed *listed = &listing->items[tool->place];

    return mcph_listing_token(listing, listed, listed->description_token);
}

/* Adds the name as a string.  Names need no escapes, because names are valid. */
static void
add_name(struct mcph_buf *buf, const mcphost_tool *tool)
{
    mcph_buf_addc(buf, '"');
    mcph_buf_adds(buf, mcph_tool_name(tool));
    mcph_buf_addc(buf, '"');
}

/* Adds the definition.  If the item has a final name, this name replaces the original
 * name. */
static void
add_mcp(struct mcph_buf *buf, const mcphost_tool *tool)
{
    const struct mcph_listing *listing = tool->block->listing;
    const struct mcph_listed *listed = &listing->items[tool->place];
    struct mcph_span whole = mcph_tool_definition(tool);
    struct mcph_span name = mcph_listing_token(listing, listed, listed->name);

    if (mcph_list_kinds[listing->kind].is_keyed) {
        mcph_buf_add(buf, whole.p, whole.len);
        return;
    }
    mcph_buf_add(buf, whole.p, (size_t)(name.p - whole.p));
    add_name(buf, tool);
    mcph_buf_add(buf, name.p + name.len,
                 (size_t)(whole.p + whole.len - (name.p + name.len)));
}

/* Adds the members "name" and "description", then `schema_key` and the input schema,
 * without braces around the whole.  `schema_key` includes its punctuation: ,"parameters":
 * for example.  Leaves out "description" if the tool has no description. */
static void
add_function(struct mcph_buf *buf, const mcphost_tool *tool, const char *schema_key)
{
    struct mcph_span description = description_token(tool);
    struct mcph_span schema = mcph_tool_input_schema(tool);

    mcph_buf_adds(buf, "\"name\":");
    add_name(buf, tool);
    if (description.p) {
        mcph_buf_adds(buf, ",\"description\":");
        mcph_buf_add(buf, description.p, description.len);
    }
    mcph_buf_adds(buf, schema_key);
    mcph_buf_add(buf, schema.p, schema.len);
}

static void
add_tool(struct mcph_buf *buf, const mcphost_tool *tool, int shape)
{
    switch (shape) {
    case MCPHOST_SHAPE_OPENAI_CHAT:
        mcph_buf_adds(buf, "{\"type\":\"function\",\"function\":{");
        add_function(buf, tool, ",\"parameters\":");
        mcph_buf_adds(buf, "}}");
        break;
    case MCPHOST_SHAPE_OPENAI_RESPONSES:
        mcph_buf_adds(buf, "{\"type\":\"function\",");
        add_function(buf, tool, ",\"parameters\":");
        mcph_buf_addc(buf, '}');
        break;
    case MCPHOST_SHAPE_ANTHROPIC:
        mcph_buf_addc(buf, '{');
        add_function(buf, tool, ",\"input_schema\":");
        mcph_buf_addc(buf, '}');
        break;
    case MCPHOST_SHAPE_GEMINI:
        mcph_buf_addc(buf, '{');
        add_function(buf, tool, ",\"parametersJsonSchema\":");
        mcph_buf_addc(buf, '}');
        break;
    default:
        add_mcp(buf, tool);
        break;
    }
}

static size_t
tool_bound(const mcphost_tool *tool, int shape)
{
    if (shape == MCPHOST_SHAPE_MCP)
        return mcph_tool_definition(tool).len + SHAPE_EXTRA;
    return description_token(tool).len + mcph_tool_input_schema(tool).len + SHAPE_EXTRA;
}

/* ---- lists ------------------------------------------------------------------------- */

/* Returns the slot for the list of an entry.  If the entry shows all items of its block
 * or toolset, returns the slot of the block or toolset.  Otherwise returns the entry's
 * own slot. */
static mcph_list_slot *
slot_of(mcphost_server *entry, int kind, int shape)
{
    struct mcph_toolset *set = entry->set;
    struct mcph_block *block = kind == MCPH_LIST_TOOLS ? entry->block : entry->more[kind];
    size_t all = set ? set->n_tools : block->n_items;

    if (mcph_entry_count(entry, kind) < all)
        return kind == MCPH_LIST_TOOLS ? &entry->lists[shape] : &entry->prompts_list;
    return set ? &set->lists[shape] : &block->lists[shape];
}

static const struct mcph_list_text *
entry_list(mcphost_server *entry, int kind, int shape)
{
    static char empty[] = "[]";
    static const struct mcph_list_text none = {.json = empty, .len = 2};
    size_t n = mcph_entry_count(entry, kind), bound = 2;
    const struct mcph_list_text *text;
    mcph_list_slot *slot;
    struct mcph_buf buf;

    if (n == 0)
        return &none;
    slot = slot_of(entry, kind, shape);
    text = atomic_load_explicit(slot, memory_order_acquire);
    if (text)
        return text;
    for (size_t i = 0; i < n; i++)
        bound += tool_bound(mcph_entry_item(entry, kind, i), shape) + 1;
    mcph_buf_init(&buf, bound);
    mcph_buf_reserve(&buf, bound); /* an error is kept in `buf` */
    mcph_buf_addc(&buf, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            mcph_buf_addc(&buf, ',');
        add_tool(&buf, mcph_entry_item(entry, kind, i), shape);
    }
    mcph_buf_addc(&buf, ']');
    text = publish_text(slot, &buf);
    mcph_buf_done(&buf);
    return text;
}

/* Adds the entry's items of one kind, but no tools that are in an earlier toolset.  If no
 * tool is left out, copies the entry's list. */
static void
add_listed(struct mcph_buf *buf, mcphost_server *entry, int kind, int shape)
{
    size_t n = mcph_entry_count(entry, kind);
    size_t listed = kind == MCPH_LIST_TOOLS ? entry->n_listed : n;
    const struct mcph_list_text *text;

    if (!listed)
        return;
    if (buf->len > 1)
        mcph_buf_addc(buf, ',');
    if (listed == n) {
        text = entry_list(entry, kind, shape); /* cannot fail, because join_lists() has
                                                * already made this list */
        mcph_buf_add(buf, text->json + 1, text->len - 2);
        return;
    }
    for (size_t i = 0; i < listed; i++) {
        if (i)
            mcph_buf_addc(buf, ',');
        add_tool(buf, entry->listed[i], shape);
    }
}

static mcph_list_slot *
whole_slot(mcphost_catalog *catalog, int kind, int shape)
{
    return kind == MCPH_LIST_TOOLS ? &catalog->lists[shape] : &catalog->more_lists[kind];
}

/* Joins the lists of all toolsets that have items of this kind. */
static const struct mcph_list_text *
join_lists(mcphost_catalog *catalog, int kind, int shape)
{
    const struct mcph_list_text *text = NULL;
    struct mcph_buf buf;
    size_t bound = 2;

    for (size_t i = 0; i < catalog->n_toolsets; i++) {
        text = entry_list(catalog->toolsets[i], kind, shape);
        if (!text)
            return NULL;
        bound += text->len;
    }
    mcph_buf_init(&buf, bound);
    mcph_buf_reserve(&buf, bound);
    mcph_buf_addc(&buf, '[');
    for (size_t i = 0; i < catalog->n_toolsets; i++)
        add_listed(&buf, catalog->toolsets[i], kind, shape);
    mcph_buf_addc(&buf, ']');
    text = publish_text(whole_slot(catalog, kind, shape), &buf);
    mcph_buf_done(&buf);
    return text;
}

/* Returns the only entry with items of this kind.  The list of this entry is the
 * catalog's list.  Returns NULL if no entry or several entries have items of this
 * kind. */
static mcphost_server *
sole_entry(const mcphost_catalog *catalog, int kind)
{
    mcphost_server *found = NULL;

    for (size_t i = 0; i < catalog->n_toolsets; i++) {
        if (!mcph_entry_count(catalog->toolsets[i], kind))
            continue;
        if (found)
            return NULL;
        found = catalog->toolsets[i];
    }
    return found;
}

int
mcph_catalog_json(mcphost_catalog *catalog, int kind, int shape, mcphost_server *entry,
                  struct mcph_span *ret_json)
{
    const struct mcph_list_text *text;

    if (!entry) {
        text =
            atomic_load_explicit(whole_slot(catalog, kind, shape), memory_order_acquire);
        if (text)
            goto found;
        entry = sole_entry(catalog, kind);
    }
    text = entry ? entry_list(entry, kind, shape) : join_lists(catalog, kind, shape);
    if (!text)
        return MCPHOST_E_NOMEM;
found:
    *ret_json = mcph_span(text->json, text->len);
    return 0;
}

int
mcph_catalog_give_json(mcphost_catalog *catalog, int kind, int shape, const char *toolset,
                       const char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    mcphost_server *entry = NULL;
    struct mcph_span json;

    if (toolset) {
        entry = mcph_map_get(&catalog->by_toolset, toolset, strlen(toolset));
        if (!entry)
            return mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no toolset '%s'",
                            toolset);
    }
    if (mcph_catalog_json(catalog, kind, shape, entry, &json) < 0)
        return mcph_err_nomem(reterr);
    *ret_json = json.p;
    *ret_len = json.len;
    return 0;
}
