/* SPDX-License-Identifier: MIT
 *
 * lists.c - tool lists as JSON arrays, in the shapes that models' interfaces
 * want.
 *
 * A server's list is written once for each shape and kept with its block, so
 * that the next snapshot has it already; only where the server lost tools to
 * a collision the list is the snapshot's own.  A whole catalog's list is those
 * lists joined.
 *
 * Any number of threads may ask at once.  Each slot goes from empty to one text
 * by one atomic exchange and never changes again; a thread that comes second
 * throws its own text away.  Descriptions and schemas are the server's own
 * tokens, copied and never decoded.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"

/* Final name and fixed members of one tool, in any shape. */
#define SHAPE_EXTRA 192

static void
text_free(struct mcph_list_text *text)
{
    if (text)
        free(text->json);
    free(text);
}

void
mcph_list_slots_done(mcph_list_slot slots[MCPH_N_SHAPES])
{
    for (int i = 0; i < MCPH_N_SHAPES; i++)
        text_free(atomic_load_explicit(&slots[i], memory_order_acquire));
}

/* Makes a text of what `buf` holds and puts it into the slot, unless another
 * thread was faster.  NULL: no memory. */
static struct mcph_list_text *
publish(mcph_list_slot *slot, struct mcph_buf *buf)
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
    const struct mcph_listed *listed = &listing->tools[tool->place];

    return mcph_listing_token(listing, listed, listed->description_token);
}

/* Names are valid, so nothing in them needs an escape. */
static void
add_name(struct mcph_buf *buf, const mcphost_tool *tool)
{
    mcph_buf_addc(buf, '"');
    mcph_buf_adds(buf, mcph_tool_name(tool));
    mcph_buf_addc(buf, '"');
}

/* The definition with another name in the place of the name. */
static void
add_mcp(struct mcph_buf *buf, const mcphost_tool *tool)
{
    const struct mcph_listing *listing = tool->block->listing;
    const struct mcph_listed *listed = &listing->tools[tool->place];
    struct mcph_span whole = mcph_tool_definition(tool);
    struct mcph_span name = mcph_listing_token(listing, listed, listed->name);

    mcph_buf_add(buf, whole.p, (size_t)(name.p - whole.p));
    add_name(buf, tool);
    mcph_buf_add(buf, name.p + name.len,
                 (size_t)(whole.p + whole.len - (name.p + name.len)));
}

/* NAME,"description":D,"<schema_key>":S without the brackets around. */
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

/* What the block offers whole is kept with the block. */
static mcph_list_slot *
slot_of(mcphost_server *entry, int shape)
{
    struct mcph_toolset *set = entry->set;

    if (entry->n_tools < (set ? set->n_tools : entry->block->n_tools))
        return &entry->lists[shape];
    return set ? &set->lists[shape] : &entry->block->lists[shape];
}

static struct mcph_list_text *
entry_list(mcphost_server *entry, int shape)
{
    mcph_list_slot *slot = slot_of(entry, shape);
    struct mcph_list_text *text = atomic_load_explicit(slot, memory_order_acquire);
    struct mcph_buf buf;
    size_t bound = 2;

    if (text)
        return text;
    for (size_t i = 0; i < entry->n_tools; i++)
        bound += tool_bound(entry->tools[i], shape) + 1;
    mcph_buf_init(&buf, bound);
    mcph_buf_reserve(&buf, bound); /* a failure is remembered */
    mcph_buf_addc(&buf, '[');
    for (size_t i = 0; i < entry->n_tools; i++) {
        if (i)
            mcph_buf_addc(&buf, ',');
        add_tool(&buf, entry->tools[i], shape);
    }
    mcph_buf_addc(&buf, ']');
    text = publish(slot, &buf);
    mcph_buf_done(&buf);
    return text;
}

/* Those of its tools that stand in no toolset before; one list where they are all. */
static void
add_listed(struct mcph_buf *buf, mcphost_server *entry, int shape)
{
    const struct mcph_list_text *text;

    if (!entry->n_listed)
        return;
    if (buf->len > 1)
        mcph_buf_addc(buf, ',');
    if (entry->n_listed == entry->n_tools) {
        text = entry_list(entry, shape); /* made before */
        mcph_buf_add(buf, text->json + 1, text->len - 2);
        return;
    }
    for (size_t i = 0; i < entry->n_listed; i++) {
        if (i)
            mcph_buf_addc(buf, ',');
        add_tool(buf, entry->listed[i], shape);
    }
}

/* Joins the lists of all toolsets that have tools. */
static struct mcph_list_text *
join(mcphost_catalog *catalog, int shape)
{
    struct mcph_list_text *text = NULL;
    struct mcph_buf buf;
    size_t bound = 2;

    for (size_t i = 0; i < catalog->n_toolsets; i++) {
        text = entry_list(catalog->toolsets[i], shape);
        if (!text)
            return NULL;
        bound += text->len;
    }
    mcph_buf_init(&buf, bound);
    mcph_buf_reserve(&buf, bound);
    mcph_buf_addc(&buf, '[');
    for (size_t i = 0; i < catalog->n_toolsets; i++)
        add_listed(&buf, catalog->toolsets[i], shape);
    mcph_buf_addc(&buf, ']');
    text = publish(&catalog->lists[shape], &buf);
    mcph_buf_done(&buf);
    return text;
}

/* The only entry with tools: its list is the catalog's. */
static mcphost_server *
sole_entry(const mcphost_catalog *catalog)
{
    mcphost_server *found = NULL;

    for (size_t i = 0; i < catalog->n_toolsets; i++) {
        if (!catalog->toolsets[i]->n_tools)
            continue;
        if (found)
            return NULL;
        found = catalog->toolsets[i];
    }
    return found;
}

int
mcph_catalog_tools_json(mcphost_catalog *catalog, int shape, mcphost_server *entry,
                        struct mcph_span *ret_json)
{
    struct mcph_list_text *text;

    if (!entry) {
        text = atomic_load_explicit(&catalog->lists[shape], memory_order_acquire);
        if (text)
            goto found;
        entry = sole_entry(catalog);
    }
    text = entry ? entry_list(entry, shape) : join(catalog, shape);
    if (!text)
        return MCPHOST_E_NOMEM;
found:
    *ret_json = mcph_span(text->json, text->len);
    return 0;
}
