/* SPDX-License-Identifier: MIT
 *
 * offering.c - the lists that the client of a serving sees: the items of the dialog's
 * catalog, under the names that the view gives them.
 *
 * Definitions are passed on as the server wrote them, except for names.  A list is made
 * once for each catalog, so that reading the list again or page by page is cheap.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"
#include "uri/uri.h"

/* Limit on the bytes of all servers' instructions together. */
#define INSTRUCTIONS_MAX ((size_t)512 * 1024)

static const int list_of[MCPH_PROVIDE_FEATURES] = {
    [MCPHOST_FEATURE_TOOL] = MCPH_LIST_TOOLS,
    [MCPHOST_FEATURE_RESOURCE] = MCPH_LIST_RESOURCES,
    [MCPHOST_FEATURE_TEMPLATE] = MCPH_LIST_TEMPLATES,
    [MCPHOST_FEATURE_PROMPT] = MCPH_LIST_PROMPTS,
};

/* Adds the definition of an item, with the item's name in the view. */
static void
add_renamed(struct mcph_buf *buf, const mcphost_tool *item)
{
    struct mcph_span key, value;
    struct mcph_json_iter members;

    mcph_buf_addc(buf, '{');
    mcph_json_iter_init(&members, mcph_tool_definition(item));
    while (mcph_json_iter_next(&members, &key, &value)) {
        mcph_json_add_comma(buf);
        mcph_buf_add(buf, key.p, key.len);
        mcph_buf_addc(buf, ':');
        if (mcph_json_string_is(key, "name", 4))
            mcph_json_add_str(buf, mcph_tool_name(item));
        else
            mcph_rpc_add_oneline(buf, value);
    }
    mcph_buf_addc(buf, '}');
}

/* Returns the resource or template with this URI from the first server that lists it, or
 * NULL. */
static mcphost_tool *
find_by_uri(const mcphost_catalog *catalog, int kind, const char *uri)
{
    mcphost_tool *found = NULL;

    for (size_t i = 0; i < catalog->n_toolsets && !found; i++) {
        const struct mcph_block *block = catalog->toolsets[i]->more[kind];

        found = block ? mcph_block_find_uri(block, uri) : NULL;
    }
    return found;
}

/* Returns true if no earlier server lists the URI of this item.  The client can reach
 * only the first item with a URI, because the client names resources by URI only. */
static bool
is_first(const mcphost_catalog *catalog, int kind, mcphost_tool *item)
{
    struct mcph_span uri = mcph_item_uri(item);
    char *text = mcph_strndup(uri.p, uri.len);
    bool first = text && find_by_uri(catalog, kind, text) == item;

    free(text);
    return first;
}

static void
add_all(struct mcph_buf *buf, mcphost_catalog *catalog, int kind)
{
    size_t n = mcph_catalog_count(catalog, kind);

    for (size_t i = 0; i < n; i++) {
        mcphost_tool *item = mcph_catalog_item(catalog, kind, i);

        if (mcph_list_kinds[kind].is_keyed) {
            if (!is_first(catalog, kind, item))
                continue;
            mcph_json_add_comma(buf);
            mcph_rpc_add_oneline(buf, mcph_tool_definition(item));
        } else {
            mcph_json_add_comma(buf);
            add_renamed(buf, item);
        }
    }
}

static struct mcph_frame *
make_list(mcphost_catalog *catalog, int kind)
{
    struct mcph_frame *list;
    struct mcph_buf buf;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_buf_addc(&buf, '[');
    add_all(&buf, catalog, list_of[kind]);
    mcph_buf_addc(&buf, ']');
    list = mcph_buf_ok(&buf) < 0 ? NULL : mcph_frame_new(buf.data, buf.len);
    mcph_buf_done(&buf);
    return list;
}

void
mcph_offer_forget(mcphost_serving *serving)
{
    for (int kind = 0; kind < MCPH_PROVIDE_FEATURES; kind++)
        serving->lists[kind] = mcph_frame_unref(serving->lists[kind]);
    serving->listed = mcph_catalog_unref(serving->listed);
}

int
mcph_offer_list(struct mcph_service *service, int kind, struct mcph_frame **ret)
{
    mcphost_serving *serving = mcph_serving_of(service);
    mcphost_catalog *catalog;
    int r = mcph_dialog_look(serving->dialog, &catalog);

    if (r < 0)
        return r;
    if (catalog != serving->listed) {
        mcph_offer_forget(serving);
        serving->listed = mcph_catalog_ref(catalog);
    }
    if (!serving->lists[kind])
        serving->lists[kind] = make_list(catalog, kind);
    mcph_catalog_unref(catalog);
    if (!serving->lists[kind])
        return MCPHOST_E_NOMEM;
    *ret = mcph_frame_ref(serving->lists[kind]);
    return 0;
}

static bool
looks_the_same(mcphost_tool *a, mcphost_tool *b)
{
    return a == b || (strcmp(mcph_tool_name(a), mcph_tool_name(b)) == 0 &&
                      mcph_span_eq(mcph_tool_definition(a), mcph_tool_definition(b)));
}

unsigned
mcph_offer_compare(mcphost_catalog *a, mcphost_catalog *b)
{
    unsigned changed = 0;

    if (a == b && a)
        return 0;
    if (!a || !b)
        return MCPH_OFFER_ALL;
    for (unsigned kind = 1; kind < MCPH_PROVIDE_FEATURES; kind++) {
        size_t n = mcph_catalog_count(a, list_of[kind]), i = 0;

        if (mcph_catalog_count(b, list_of[kind]) == n)
            while (i < n && looks_the_same(mcph_catalog_item(a, list_of[kind], i),
                                           mcph_catalog_item(b, list_of[kind], i)))
                i++;
        else
            i = SIZE_MAX;
        if (i != n)
            changed |= 1u << kind;
    }
    return changed;
}

/* ---- instructions ------------------------------------------------------------------ */

static struct mcph_span
instructions_of(const mcphost_server *entry)
{
    const struct mcph_listing *listing = entry->block->listing;

    return listing ? mcph_about_text(listing->about, MCPH_ABOUT_INSTRUCTIONS)
                   : MCPH_SPAN_NONE;
}

/* Adds the instructions of the servers.  If several servers have instructions, each text
 * gets the server's name as a heading. */
static void
add_instructions(struct mcph_buf *text, const mcphost_catalog *catalog)
{
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_entries; i++)
        n += instructions_of(&catalog->entries[i]).p != NULL;
    for (size_t i = 0; i < catalog->n_entries; i++) {
        struct mcph_span said = instructions_of(&catalog->entries[i]);

        if (!said.p)
            continue;
        if (n > 1)
            mcph_buf_addf(text, "%s# %s\n\n", text->len > 0 ? "\n\n" : "",
                          catalog->entries[i].name);
        mcph_buf_add(text, said.p, said.len);
    }
}

struct mcph_span
mcph_offer_instructions(struct mcph_service *service)
{
    mcphost_serving *serving = mcph_serving_of(service);
    struct mcph_buf *json = &serving->instructions, text;
    mcphost_catalog *catalog;

    mcph_buf_clear(json);
    if (mcph_dialog_look(serving->dialog, &catalog) < 0)
        return MCPH_SPAN_NONE;
    mcph_buf_init(&text, INSTRUCTIONS_MAX);
    add_instructions(&text, catalog);
    if (text.len > 0 && mcph_buf_ok(&text) == 0)
        mcph_json_add_string(json, text.data, text.len);
    mcph_buf_done(&text);
    mcph_catalog_unref(catalog);
    return json->len > 0 && mcph_buf_ok(json) == 0 ? mcph_span(json->data, json->len)
                                                   : MCPH_SPAN_NONE;
}

/* ---- the server that has a URI ----------------------------------------------------- */

static const char *
key_of(const mcphost_tool *item)
{
    return mcph_block_key(item->block);
}

static bool
template_fits(mcphost_tool *item, struct mcph_span uri)
{
    struct mcph_template *template = NULL;
    struct mcph_buf variables;
    bool fit = false;

    if (mcph_template_parse(mcph_item_uri(item), &template, NULL) < 0)
        return false;
    mcph_buf_init(&variables, SIZE_MAX / 4);
    fit = mcph_template_match(template, uri, &variables, NULL) == 0;
    mcph_buf_done(&variables);
    mcph_template_free(template);
    return fit;
}

mcphost_tool *
mcph_offer_find_template(const mcphost_catalog *catalog, const char *template)
{
    return find_by_uri(catalog, MCPH_LIST_TEMPLATES, template);
}

int
mcph_offer_find_uri(const mcphost_catalog *catalog, struct mcph_span uri,
                    struct mcph_buf *buf)
{
    const char *text = uri.p; /* the text ends with a NUL */
    mcphost_tool *item = find_by_uri(catalog, MCPH_LIST_RESOURCES, text);
    size_t n = item ? 0 : mcph_catalog_count(catalog, MCPH_LIST_TEMPLATES);

    for (size_t i = 0; i < n && !item; i++) {
        mcphost_tool *template = mcph_catalog_item(catalog, MCPH_LIST_TEMPLATES, i);

        if (template_fits(template, uri))
            item = template;
    }
    if (!item)
        return MCPHOST_E_NOTFOUND;
    mcph_buf_adds(buf, key_of(item));
    return mcph_buf_addc(buf, '\0');
}
