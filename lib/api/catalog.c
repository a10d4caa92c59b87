/* SPDX-License-Identifier: MIT
 *
 * catalog.c - the public functions of <mcphost/catalog.h> for catalogs, toolsets, servers
 * and tools.
 *
 * The functions read immutable objects.  They may be called from any thread, also after
 * the host is closed and in a forked child.
 */
#include <string.h>

#include "api/getter.h"
#include "catalog/catalog.h"
#include "config/config.h"

/* ---- the catalog ------------------------------------------------------------------- */

mcphost_catalog *
mcphost_catalog_ref(mcphost_catalog *catalog)
{
    return mcph_catalog_ref(catalog);
}

mcphost_catalog *
mcphost_catalog_unref(mcphost_catalog *catalog)
{
    return mcph_catalog_unref(catalog);
}

MCPH_GETTER(uint64_t, mcphost_catalog_get_version, const mcphost_catalog *, self->version)

mcphost_tool *
mcphost_catalog_find_tool(const mcphost_catalog *catalog, const char *name)
{
    return catalog && name ? mcph_catalog_find(catalog, name, strlen(name)) : NULL;
}

MCPH_GETTER(size_t, mcphost_catalog_count_tools, const mcphost_catalog *, self->n_tools)
MCPH_GETTER_AT(mcphost_tool *, mcphost_catalog_get_tool, const mcphost_catalog *,
               self->n_tools, self->tools[index])

/* ---- toolsets ---------------------------------------------------------------------- */

static mcphost_server *
toolset_at(const mcphost_catalog *catalog, size_t index)
{
    return catalog && index < catalog->n_toolsets ? catalog->toolsets[index] : NULL;
}

MCPH_GETTER(size_t, mcphost_catalog_count_toolsets, const mcphost_catalog *,
            self->n_toolsets)

const char *
mcphost_catalog_get_toolset(const mcphost_catalog *catalog, size_t index)
{
    const mcphost_server *entry = toolset_at(catalog, index);

    return entry ? entry->name : NULL;
}

int
mcphost_catalog_find_toolset(const mcphost_catalog *catalog, const char *name,
                             size_t *ret_index)
{
    const mcphost_server *entry;

    if (!catalog || !name)
        return MCPHOST_E_INVALID;
    entry = mcph_map_get(&catalog->by_toolset, name, strlen(name));
    if (!entry)
        return MCPHOST_E_NOTFOUND;
    if (ret_index)
        *ret_index = entry->toolset;
    return 0;
}

const char *
mcphost_catalog_get_toolset_owner(const mcphost_catalog *catalog, size_t index)
{
    const mcphost_server *entry = toolset_at(catalog, index);

    return entry && entry->block->spec ? entry->block->spec->id : NULL;
}

const char *
mcphost_catalog_get_toolset_description(const mcphost_catalog *catalog, size_t index,
                                        size_t *ret_len)
{
    const mcphost_server *entry = toolset_at(catalog, index);

    return mcph_span_give(entry ? mcph_entry_description(entry) : MCPH_SPAN_NONE,
                          ret_len);
}

size_t
mcphost_catalog_count_toolset_tools(const mcphost_catalog *catalog, size_t index)
{
    const mcphost_server *entry = toolset_at(catalog, index);

    return entry ? entry->n_tools : 0;
}

mcphost_tool *
mcphost_catalog_get_toolset_tool(const mcphost_catalog *catalog, size_t index,
                                 size_t tool_index)
{
    return mcphost_server_get_tool(toolset_at(catalog, index), tool_index);
}

int
mcphost_catalog_get_tools_json(mcphost_catalog *catalog, int shape, const char *toolset,
                               const char **ret_json, size_t *ret_len,
                               mcphost_error **reterr)
{
    if (!catalog || !ret_json || !ret_len)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (shape < 0 || shape >= MCPH_N_SHAPES)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the shape %d does not exist", shape);
    return mcph_catalog_give_json(catalog, MCPH_LIST_TOOLS, shape, toolset, ret_json,
                                  ret_len, reterr);
}

/* ---- servers ----------------------------------------------------------------------- */

MCPH_GETTER(size_t, mcphost_catalog_count_servers, const mcphost_catalog *,
            self->n_entries - self->n_builtin)

mcphost_server *
mcphost_catalog_get_server(const mcphost_catalog *catalog, size_t index)
{
    if (index >= mcphost_catalog_count_servers(catalog))
        return NULL;
    return &catalog->entries[catalog->n_builtin + index];
}

mcphost_server *
mcphost_catalog_find_server(const mcphost_catalog *catalog, const char *id)
{
    return catalog && id ? mcph_map_get(&catalog->by_server, id, strlen(id)) : NULL;
}

mcphost_server *
mcphost_server_ref(mcphost_server *server)
{
    if (server)
        mcph_catalog_ref(server->catalog);
    return server;
}

mcphost_server *
mcphost_server_unref(mcphost_server *server)
{
    if (server)
        mcph_catalog_unref(server->catalog);
    return NULL;
}

MCPH_GETTER(const char *, mcphost_server_get_source_id, const mcphost_server *,
            self->block->source)
MCPH_GETTER(const char *, mcphost_server_get_id, const mcphost_server *, self->block->id)

const char *
mcphost_server_get_toolset(const mcphost_server *server)
{
    return server && server->toolset != SIZE_MAX ? server->name : NULL;
}

static const char *
give_about(const mcphost_server *server, int part, size_t *ret_len)
{
    const struct mcph_listing *listing = server ? server->block->listing : NULL;

    return mcph_span_give(
        listing ? mcph_about_text(listing->about, part) : MCPH_SPAN_NONE, ret_len);
}

const char *
mcphost_server_get_title(const mcphost_server *server, size_t *ret_len)
{
    return give_about(server, MCPH_ABOUT_TITLE, ret_len);
}

MCPH_GETTER_TEXT(mcphost_server_get_description, const mcphost_server *,
                 mcph_entry_description(self))

const char *
mcphost_server_get_instructions(const mcphost_server *server, size_t *ret_len)
{
    return give_about(server, MCPH_ABOUT_INSTRUCTIONS, ret_len);
}

const char *
mcphost_server_get_icons(const mcphost_server *server, size_t *ret_len)
{
    return give_about(server, MCPH_ABOUT_ICONS, ret_len);
}

const char *
mcphost_server_get_manual(const mcphost_server *server, size_t *ret_len)
{
    const char *manual = server ? server->block->spec->manual : NULL;

    return mcph_span_give(manual ? mcph_span(manual, strlen(manual)) : MCPH_SPAN_NONE,
                          ret_len);
}

MCPH_GETTER(size_t, mcphost_server_count_tools, const mcphost_server *, self->n_tools)
MCPH_GETTER_AT(mcphost_tool *, mcphost_server_get_tool, const mcphost_server *,
               self->n_tools, self->tools[index])

mcphost_tool *
mcphost_server_find_tool(const mcphost_server *server, const char *name)
{
    mcphost_tool *tool =
        server && name ? mcph_block_find_original(server->block, name) : NULL;
    const char *shown = tool ? mcph_tool_name(tool) : "";

    /* Return the tool only if the catalog shows the tool.  The catalog may lack the tool
     * because of a grant or a clash of names. */
    return tool && mcph_catalog_find(server->catalog, shown, strlen(shown)) == tool
               ? tool
               : NULL;
}

size_t
mcphost_server_count_app_tools(const mcphost_server *server)
{
    return server && !server->partial && !server->rejected ? server->block->n_apart : 0;
}

mcphost_tool *
mcphost_server_get_app_tool(const mcphost_server *server, size_t index)
{
    return index < mcphost_server_count_app_tools(server)
               ? &server->block->items[server->block->n_items + index]
               : NULL;
}

/* ---- tools ------------------------------------------------------------------------- */

mcphost_tool *
mcphost_tool_ref(mcphost_tool *tool)
{
    return mcph_tool_ref(tool);
}

mcphost_tool *
mcphost_tool_unref(mcphost_tool *tool)
{
    return mcph_tool_unref(tool);
}

MCPH_GETTER(const char *, mcphost_tool_get_name, const mcphost_tool *,
            mcph_tool_name(self))
MCPH_GETTER(const char *, mcphost_tool_get_original_name, const mcphost_tool *,
            mcph_tool_original(self))
MCPH_GETTER(const char *, mcphost_tool_get_source_id, const mcphost_tool *,
            self->block->source)
MCPH_GETTER(const char *, mcphost_tool_get_server_id, const mcphost_tool *,
            mcph_tool_server_id(self))
MCPH_GETTER(const char *, mcphost_tool_get_toolset, const mcphost_tool *,
            mcph_tool_toolset(self))

MCPH_GETTER_PART(mcphost_tool_get_title, const mcphost_tool *, self,
                 mcph_tool_title(self))
MCPH_GETTER_PART(mcphost_tool_get_description, const mcphost_tool *, self,
                 mcph_tool_description(self))
MCPH_GETTER_PART(mcphost_tool_get_input_schema, const mcphost_tool *, self,
                 mcph_tool_input_schema(self))
MCPH_GETTER_PART(mcphost_tool_get_output_schema, const mcphost_tool *, self,
                 mcph_tool_member(self, "outputSchema"))
MCPH_GETTER_PART(mcphost_tool_get_annotations, const mcphost_tool *, self,
                 mcph_tool_member(self, "annotations"))
MCPH_GETTER_PART(mcphost_tool_get_definition, const mcphost_tool *, self,
                 mcph_tool_definition(self))
MCPH_GETTER(int, mcphost_tool_get_visibility, const mcphost_tool *,
            (int)mcph_tool_visibility(self))

const char *
mcphost_tool_get_app_uri(const mcphost_tool *tool, size_t *ret_len)
{
    size_t len = 0;
    const char *uri = tool ? mcph_tool_give_app_uri(tool, &len) : NULL;

    if (ret_len)
        *ret_len = len;
    return uri;
}
