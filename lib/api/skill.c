/* SPDX-License-Identifier: MIT
 *
 * skill.c - the public functions of <mcphost/skill.h>, and the functions for skills of
 * <mcphost/catalog.h> and <mcphost/call.h>.
 */
#include <string.h>

#include "api/getter.h"
#include "catalog/catalog.h"
#include "host/call.h"

/* ---- in catalogs ------------------------------------------------------------------- */

MCPH_GETTER(size_t, mcphost_catalog_count_skills, const mcphost_catalog *,
            mcph_catalog_count(self, MCPH_LIST_SKILLS))

mcphost_skill *
mcphost_catalog_get_skill(const mcphost_catalog *catalog, size_t index)
{
    return catalog ? (mcphost_skill *)mcph_catalog_item(catalog, MCPH_LIST_SKILLS, index)
                   : NULL;
}

mcphost_skill *
mcphost_catalog_find_skill(const mcphost_catalog *catalog, const char *server,
                           const char *uri)
{
    if (!catalog || !server || !uri)
        return NULL;
    return (mcphost_skill *)mcph_catalog_find_uri(catalog, MCPH_LIST_SKILLS, server, uri);
}

MCPH_GETTER(size_t, mcphost_server_count_skills, const mcphost_server *,
            mcph_entry_count(self, MCPH_LIST_SKILLS))

mcphost_skill *
mcphost_server_get_skill(const mcphost_server *server, size_t index)
{
    return server ? (mcphost_skill *)mcph_entry_item(server, MCPH_LIST_SKILLS, index)
                  : NULL;
}

/* ---- one skill --------------------------------------------------------------------- */

mcphost_skill *
mcphost_skill_ref(mcphost_skill *skill)
{
    mcph_tool_ref((mcphost_tool *)skill);
    return skill;
}

mcphost_skill *
mcphost_skill_unref(mcphost_skill *skill)
{
    mcph_tool_unref((mcphost_tool *)skill);
    return NULL;
}

MCPH_GETTER(const char *, mcphost_skill_get_uri, const mcphost_skill *,
            mcph_tool_give(&self->item, mcph_item_uri(&self->item)))

static struct mcph_span
frontmatter_of(const mcphost_skill *skill)
{
    return mcph_tool_member(&skill->item, "frontmatter");
}

static const char *
give_text(const mcphost_skill *skill, const char *name, size_t *ret_len)
{
    struct mcph_span token;
    const char *text = NULL;
    size_t len = 0;

    if (skill) {
        token = mcph_json_get(frontmatter_of(skill), name);
        text = mcph_item_give_string(&skill->item, token, &len);
    }
    if (ret_len)
        *ret_len = len;
    return text;
}

const char *
mcphost_skill_get_name(const mcphost_skill *skill, size_t *ret_len)
{
    return give_text(skill, "name", ret_len);
}

const char *
mcphost_skill_get_description(const mcphost_skill *skill, size_t *ret_len)
{
    return give_text(skill, "description", ret_len);
}

static const char *
give_json(const mcphost_skill *skill, struct mcph_span json, size_t *ret_len)
{
    if (ret_len)
        *ret_len = json.len;
    return json.p ? mcph_tool_give(&skill->item, json) : NULL;
}

const char *
mcphost_skill_get_frontmatter(const mcphost_skill *skill, size_t *ret_len)
{
    return give_json(skill, skill ? frontmatter_of(skill) : MCPH_SPAN_NONE, ret_len);
}

const char *
mcphost_skill_get_entry(const mcphost_skill *skill, size_t *ret_len)
{
    return give_json(skill, skill ? mcph_tool_definition(&skill->item) : MCPH_SPAN_NONE,
                     ret_len);
}

MCPH_GETTER(const char *, mcphost_skill_get_source_id, const mcphost_skill *,
            self->item.block->source)
MCPH_GETTER(const char *, mcphost_skill_get_server_id, const mcphost_skill *,
            mcph_tool_server_id(&self->item))

/* ---- calls ------------------------------------------------------------------------- */

int
mcphost_call_new_get_skill(mcphost_dialog *dialog, const char *server, const char *uri,
                           mcphost_call **ret_call, mcphost_error **reterr)
{
    if (!dialog || !server || !uri || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_make_get_skill(dialog, server, mcph_span_str(uri), ret_call, reterr);
}

int
mcphost_call_new_read_skill(mcphost_dialog *dialog, const char *server, const char *entry,
                            size_t len, const char *file, mcphost_call **ret_call,
                            mcphost_error **reterr)
{
    if (!dialog || !server || !entry || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_make_skill_file(dialog, server, mcph_span(entry, len), file,
                                     ret_call, reterr);
}

int
mcphost_call_new_read_directory(mcphost_dialog *dialog, const char *server,
                                const char *uri, const char *cursor,
                                mcphost_call **ret_call, mcphost_error **reterr)
{
    if (!dialog || !server || !uri || !ret_call)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_call_make_directory(dialog, server, mcph_span_str(uri), cursor, ret_call,
                                    reterr);
}
