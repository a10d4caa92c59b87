/* SPDX-License-Identifier: MIT
 *
 * offering.c - the public functions of <mcphost/catalog.h> for prompts, resources and
 * resource templates.
 *
 * The functions read immutable objects.  Any thread may call the functions.
 */
#include <string.h>

#include "api/getter.h"
#include "catalog/catalog.h"
#include "config/config.h"

/* Returns the item at `index` of one list of the catalog, or NULL.  `kind` is MCPH_LIST_*
 * and selects the list. */
static mcphost_tool *
item_at(const mcphost_catalog *catalog, int kind, size_t index)
{
    return catalog ? mcph_catalog_item(catalog, kind, index) : NULL;
}

static int
give_json(mcphost_catalog *catalog, int kind, const char *toolset, const char **ret_json,
          size_t *ret_len, mcphost_error **reterr)
{
    if (!catalog || !ret_json || !ret_len)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_catalog_give_json(catalog, kind, MCPHOST_SHAPE_MCP, toolset, ret_json,
                                  ret_len, reterr);
}

static struct mcph_span
member_of(const mcphost_tool *item, const char *name, int type)
{
    struct mcph_span value =
        item ? mcph_json_get(mcph_tool_definition(item), name) : MCPH_SPAN_NONE;

    return mcph_json_type(value) == type ? value : MCPH_SPAN_NONE;
}

static const char *
give_text(const mcphost_tool *item, const char *name, size_t *ret_len)
{
    size_t len = 0;
    const char *text =
        item ? mcph_item_give_string(item, member_of(item, name, MCPH_JSON_STRING), &len)
             : NULL;

    if (ret_len)
        *ret_len = len;
    return text;
}

static int64_t
size_of(const mcphost_tool *item)
{
    struct mcph_span token = member_of(item, "size", MCPH_JSON_NUMBER);
    int64_t size;

    return token.p && mcph_json_int64(token, &size) == 0 && size >= 0 ? size : -1;
}

/* ---- prompts --------------------------------------------------------------------- */

MCPH_GETTER(size_t, mcphost_catalog_count_prompts, const mcphost_catalog *,
            mcph_catalog_count(self, MCPH_LIST_PROMPTS))

mcphost_prompt *
mcphost_catalog_get_prompt(const mcphost_catalog *catalog, size_t index)
{
    return (mcphost_prompt *)item_at(catalog, MCPH_LIST_PROMPTS, index);
}

mcphost_prompt *
mcphost_catalog_find_prompt(const mcphost_catalog *catalog, const char *name)
{
    return catalog && name ? (mcphost_prompt *)mcph_catalog_find_prompt(catalog, name)
                           : NULL;
}

int
mcphost_catalog_get_prompts_json(mcphost_catalog *catalog, const char *toolset,
                                 const char **ret_json, size_t *ret_len,
                                 mcphost_error **reterr)
{
    return give_json(catalog, MCPH_LIST_PROMPTS, toolset, ret_json, ret_len, reterr);
}

MCPH_GETTER(size_t, mcphost_server_count_prompts, const mcphost_server *,
            mcph_entry_count(self, MCPH_LIST_PROMPTS))

mcphost_prompt *
mcphost_server_get_prompt(const mcphost_server *server, size_t index)
{
    return server ? (mcphost_prompt *)mcph_entry_item(server, MCPH_LIST_PROMPTS, index)
                  : NULL;
}

mcphost_prompt *
mcphost_prompt_ref(mcphost_prompt *prompt)
{
    mcph_tool_ref((mcphost_tool *)prompt);
    return prompt;
}

mcphost_prompt *
mcphost_prompt_unref(mcphost_prompt *prompt)
{
    mcph_tool_unref((mcphost_tool *)prompt);
    return NULL;
}

MCPH_GETTER(const char *, mcphost_prompt_get_name, const mcphost_prompt *,
            mcph_tool_name(&self->item))
MCPH_GETTER(const char *, mcphost_prompt_get_original_name, const mcphost_prompt *,
            mcph_tool_original(&self->item))
MCPH_GETTER_PART(mcphost_prompt_get_title, const mcphost_prompt *, &self->item,
                 mcph_tool_title(&self->item))
MCPH_GETTER_PART(mcphost_prompt_get_description, const mcphost_prompt *, &self->item,
                 mcph_tool_description(&self->item))
MCPH_GETTER_PART(mcphost_prompt_get_arguments, const mcphost_prompt *, &self->item,
                 member_of(&self->item, "arguments", MCPH_JSON_ARRAY))
MCPH_GETTER_PART(mcphost_prompt_get_definition, const mcphost_prompt *, &self->item,
                 mcph_tool_definition(&self->item))
MCPH_GETTER(const char *, mcphost_prompt_get_source_id, const mcphost_prompt *,
            self->item.block->source)
MCPH_GETTER(const char *, mcphost_prompt_get_server_id, const mcphost_prompt *,
            mcph_tool_server_id(&self->item))
MCPH_GETTER(const char *, mcphost_prompt_get_toolset, const mcphost_prompt *,
            mcph_tool_toolset(&self->item))

/* ---- resources ------------------------------------------------------------------- */

MCPH_GETTER(size_t, mcphost_catalog_count_resources, const mcphost_catalog *,
            mcph_catalog_count(self, MCPH_LIST_RESOURCES))

mcphost_resource *
mcphost_catalog_get_resource(const mcphost_catalog *catalog, size_t index)
{
    return (mcphost_resource *)item_at(catalog, MCPH_LIST_RESOURCES, index);
}

mcphost_resource *
mcphost_catalog_find_resource(const mcphost_catalog *catalog, const char *server,
                              const char *uri)
{
    return (mcphost_resource *)mcph_catalog_find_uri(catalog, MCPH_LIST_RESOURCES, server,
                                                     uri);
}

int
mcphost_catalog_get_resources_json(mcphost_catalog *catalog, const char *toolset,
                                   const char **ret_json, size_t *ret_len,
                                   mcphost_error **reterr)
{
    return give_json(catalog, MCPH_LIST_RESOURCES, toolset, ret_json, ret_len, reterr);
}

MCPH_GETTER(size_t, mcphost_server_count_resources, const mcphost_server *,
            mcph_entry_count(self, MCPH_LIST_RESOURCES))

mcphost_resource *
mcphost_server_get_resource(const mcphost_server *server, size_t index)
{
    return server
               ? (mcphost_resource *)mcph_entry_item(server, MCPH_LIST_RESOURCES, index)
               : NULL;
}

mcphost_resource *
mcphost_resource_ref(mcphost_resource *resource)
{
    mcph_tool_ref((mcphost_tool *)resource);
    return resource;
}

mcphost_resource *
mcphost_resource_unref(mcphost_resource *resource)
{
    mcph_tool_unref((mcphost_tool *)resource);
    return NULL;
}

MCPH_GETTER(const char *, mcphost_resource_get_uri, const mcphost_resource *,
            mcph_tool_give(&self->item, mcph_item_uri(&self->item)))
MCPH_GETTER(const char *, mcphost_resource_get_id, const mcphost_resource *,
            mcph_item_give_id(&self->item))

const char *
mcphost_resource_get_name(const mcphost_resource *resource, size_t *ret_len)
{
    return give_text(resource ? &resource->item : NULL, "name", ret_len);
}

MCPH_GETTER_PART(mcphost_resource_get_title, const mcphost_resource *, &self->item,
                 mcph_tool_title(&self->item))
MCPH_GETTER_PART(mcphost_resource_get_description, const mcphost_resource *, &self->item,
                 mcph_tool_description(&self->item))

const char *
mcphost_resource_get_mime_type(const mcphost_resource *resource, size_t *ret_len)
{
    return give_text(resource ? &resource->item : NULL, "mimeType", ret_len);
}

int64_t
mcphost_resource_get_size(const mcphost_resource *resource)
{
    return resource ? size_of(&resource->item) : -1;
}

MCPH_GETTER_PART(mcphost_resource_get_annotations, const mcphost_resource *, &self->item,
                 member_of(&self->item, "annotations", MCPH_JSON_OBJECT))
MCPH_GETTER_PART(mcphost_resource_get_definition, const mcphost_resource *, &self->item,
                 mcph_tool_definition(&self->item))
MCPH_GETTER(const char *, mcphost_resource_get_source_id, const mcphost_resource *,
            self->item.block->source)
MCPH_GETTER(const char *, mcphost_resource_get_server_id, const mcphost_resource *,
            mcph_tool_server_id(&self->item))
MCPH_GETTER(const char *, mcphost_resource_get_toolset, const mcphost_resource *,
            mcph_tool_toolset(&self->item))

/* ---- resource templates ---------------------------------------------------------- */

MCPH_GETTER(size_t, mcphost_catalog_count_resource_templates, const mcphost_catalog *,
            mcph_catalog_count(self, MCPH_LIST_TEMPLATES))

mcphost_resource_template *
mcphost_catalog_get_resource_template(const mcphost_catalog *catalog, size_t index)
{
    return (mcphost_resource_template *)item_at(catalog, MCPH_LIST_TEMPLATES, index);
}

mcphost_resource_template *
mcphost_catalog_find_resource_template(const mcphost_catalog *catalog, const char *server,
                                       const char *uri_template)
{
    return (mcphost_resource_template *)mcph_catalog_find_uri(
        catalog, MCPH_LIST_TEMPLATES, server, uri_template);
}

int
mcphost_catalog_get_resource_templates_json(mcphost_catalog *catalog, const char *toolset,
                                            const char **ret_json, size_t *ret_len,
                                            mcphost_error **reterr)
{
    return give_json(catalog, MCPH_LIST_TEMPLATES, toolset, ret_json, ret_len, reterr);
}

MCPH_GETTER(size_t, mcphost_server_count_resource_templates, const mcphost_server *,
            mcph_entry_count(self, MCPH_LIST_TEMPLATES))

mcphost_resource_template *
mcphost_server_get_resource_template(const mcphost_server *server, size_t index)
{
    return server ? (mcphost_resource_template *)mcph_entry_item(
                        server, MCPH_LIST_TEMPLATES, index)
                  : NULL;
}

mcphost_resource_template *
mcphost_resource_template_ref(mcphost_resource_template *resource_template)
{
    mcph_tool_ref((mcphost_tool *)resource_template);
    return resource_template;
}

mcphost_resource_template *
mcphost_resource_template_unref(mcphost_resource_template *resource_template)
{
    mcph_tool_unref((mcphost_tool *)resource_template);
    return NULL;
}

MCPH_GETTER(const char *, mcphost_resource_template_get_uri_template,
            const mcphost_resource_template *,
            mcph_tool_give(&self->item, mcph_item_uri(&self->item)))
MCPH_GETTER(const char *, mcphost_resource_template_get_id,
            const mcphost_resource_template *, mcph_item_give_id(&self->item))

const char *
mcphost_resource_template_get_name(const mcphost_resource_template *resource_template,
                                   size_t *ret_len)
{
    return give_text(resource_template ? &resource_template->item : NULL, "name",
                     ret_len);
}

MCPH_GETTER_PART(mcphost_resource_template_get_title, const mcphost_resource_template *,
                 &self->item, mcph_tool_title(&self->item))
MCPH_GETTER_PART(mcphost_resource_template_get_description,
                 const mcphost_resource_template *, &self->item,
                 mcph_tool_description(&self->item))

const char *
mcphost_resource_template_get_mime_type(
    const mcphost_resource_template *resource_template, size_t *ret_len)
{
    return give_text(resource_template ? &resource_template->item : NULL, "mimeType",
                     ret_len);
}

MCPH_GETTER_PART(mcphost_resource_template_get_annotations,
                 const mcphost_resource_template *, &self->item,
                 member_of(&self->item, "annotations", MCPH_JSON_OBJECT))
MCPH_GETTER_PART(mcphost_resource_template_get_definition,
                 const mcphost_resource_template *, &self->item,
                 mcph_tool_definition(&self->item))
MCPH_GETTER(const char *, mcphost_resource_template_get_source_id,
            const mcphost_resource_template *, self->item.block->source)
MCPH_GETTER(const char *, mcphost_resource_template_get_server_id,
            const mcphost_resource_template *, mcph_tool_server_id(&self->item))
MCPH_GETTER(const char *, mcphost_resource_template_get_toolset,
            const mcphost_resource_template *, mcph_tool_toolset(&self->item))
