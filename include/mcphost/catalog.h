/* SPDX-License-Identifier: MIT
 *
 * catalog.h - the tools of a view, its prompts and resources, as an immutable snapshot.
 *
 * A catalog holds the toolsets and tools of a view as they were when it was
 * published: built-in tools first, then each server's in the order of the
 * configuration.  Tool names are unique within it.  A later reload publishes
 * another catalog and leaves this one as it is, so a turn that keeps a
 * reference sees one consistent list to its end.
 *
 * Everything here may be called from any thread, takes no lock and never
 * blocks.  What a getter returns is borrowed from the handle it was asked of
 * and lives as long as that handle.  Passing NULL for a handle is an error of
 * the caller: getters then answer NULL or 0.
 */
#ifndef MCPHOST_CATALOG_H
#define MCPHOST_CATALOG_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the catalog ------------------------------------------------------------------- */

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_catalog *
mcphost_catalog_ref(MCPHOST_NULLABLE mcphost_catalog *catalog);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_catalog *
mcphost_catalog_unref(MCPHOST_NULLABLE mcphost_catalog *catalog);

/*
 * mcphost_catalog_get_version - which snapshot of its view this is.
 *
 * Versions of a view only grow; the first is 1.  Catalogs that one dialog alone
 * sees are counted along with the view's.  Since: 0.1
 */
MCPHOST_API uint64_t mcphost_catalog_get_version(const mcphost_catalog *catalog);

/*
 * mcphost_catalog_find_tool - the tool of this name, as the model knows it.
 *
 * One hash lookup.  Returns a borrowed tool, or NULL when there is none: a
 * tool that was filtered out, has a bad name or lost its name to another is
 * not in the catalog at all.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_catalog_find_tool(const mcphost_catalog *catalog, const char *name);

/* The number of tools.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_tools(const mcphost_catalog *catalog);

/* The tool at `index`, counted from 0, borrowed; NULL past the end.  The order
 * is that of the toolsets and, within one, the server's own.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_catalog_get_tool(const mcphost_catalog *catalog, size_t index);

/* ---- toolsets ----------------------------------------------------------------
 *
 * A toolset is what one owner offers: a server's toolset has the server's id
 * as its name, or "SOURCE:SERVER" if an earlier layer of the view has a server of
 * this id; the owner of a built-in toolset is NULL.  Built-in ones stand
 * first, then the servers' in the order of the layers and of each configuration. */

/* The number of toolsets.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_toolsets(const mcphost_catalog *catalog);

/* The name of the toolset at `index`; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_catalog_get_toolset(const mcphost_catalog *catalog, size_t index);

/*
 * mcphost_catalog_find_toolset - the index of the toolset of this name.
 *
 * *ret_index (`ret_index` may be NULL) gets it.  Returns 0, MCPHOST_E_NOTFOUND,
 * MCPHOST_E_INVALID when another argument is NULL.  Since: 0.1
 */
MCPHOST_API int mcphost_catalog_find_toolset(const mcphost_catalog *catalog,
                                             const char *name,
                                             MCPHOST_NULLABLE size_t *ret_index);

/* The id of the server that owns the toolset at `index`; NULL for a built-in
 * one and past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_catalog_get_toolset_owner(const mcphost_catalog *catalog, size_t index);

/*
 * mcphost_catalog_get_toolset_description - what the toolset at `index` is for.
 *
 * Of a built-in toolset: what mcphost_view_set_toolset_description() set.  Of a
 * server's: mcphost_server_get_description() of it.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_catalog_get_toolset_description(const mcphost_catalog *catalog, size_t index,
                                        MCPHOST_NULLABLE size_t *ret_len);

/* The number of tools in the toolset at `index`.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_toolset_tools(const mcphost_catalog *catalog,
                                                       size_t index);

/* Tool `tool_index` of the toolset at `index`, borrowed; NULL past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_catalog_get_toolset_tool(const mcphost_catalog *catalog, size_t index,
                                 size_t tool_index);

/* ---- tool lists as JSON ------------------------------------------------------------ */

/* How a tool list is written.  In each the name is the one the model uses and
 * the input schema is the server's own bytes.  Since: 0.1 */
enum mcphost_shape {
    /* [{"name":N,"title":T,"description":D,"inputSchema":S,...}]: the tool as
     * the server defined it, every other member byte for byte in its place */
    MCPHOST_SHAPE_MCP = 0,
    /* [{"type":"function","function":{"name":N,"description":D,"parameters":S}}] */
    MCPHOST_SHAPE_OPENAI_CHAT = 1,
    /* [{"type":"function","name":N,"description":D,"parameters":S}] */
    MCPHOST_SHAPE_OPENAI_RESPONSES = 2,
    /* [{"name":N,"description":D,"input_schema":S}] */
    MCPHOST_SHAPE_ANTHROPIC = 3,
    /* [{"name":N,"description":D,"parametersJsonSchema":S}]: functionDeclarations */
    MCPHOST_SHAPE_GEMINI = 4
};

/*
 * mcphost_catalog_get_tools_json - the tools as a JSON array.
 *
 * `shape` is one of MCPHOST_SHAPE_*; `toolset` names one toolset, or is NULL
 * for the whole catalog.  The list is written once and kept: asking again costs
 * nothing, and a server that did not change since the last snapshot is not written
 * again.  The same catalog gives the same bytes in
 * every process.  A tool without a description has no such member.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND when there is no such
 * toolset, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_catalog_get_tools_json(mcphost_catalog *catalog, int shape,
                               MCPHOST_NULLABLE const char *toolset,
                               MCPHOST_BORROWED const char **ret_json, size_t *ret_len,
                               MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- servers of a catalog --------------------------------------------------------
 *
 * One entry for each server that may have tools in the view, also when it has none
 * (yet): not for one that is disabled, nor for one whose entry is invalid and never
 * was good.  Whether a server runs is not a catalog's business; mcphost_get_status()
 * tells of all that are declared. */

/* The number of servers.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_servers(const mcphost_catalog *catalog);

/* The server at `index` in the order of the configuration, borrowed; NULL past
 * the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_server *
mcphost_catalog_get_server(const mcphost_catalog *catalog, size_t index);

/* The first server with this id, or the server that "SOURCE:SERVER" or "default:SERVER"
 * names; borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_server *
mcphost_catalog_find_server(const mcphost_catalog *catalog, const char *id);

/* Takes a reference (it keeps the whole catalog).  Returns its argument; NULL
 * is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_server *
mcphost_server_ref(MCPHOST_NULLABLE mcphost_server *server);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_server *
mcphost_server_unref(MCPHOST_NULLABLE mcphost_server *server);

/* The id of the server's source; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_source_id(const mcphost_server *server);

/* The server's id.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_id(const mcphost_server *server);

/* The name of its toolset, or NULL while it has none: its tools were never
 * listed, or the view left it out because the name is taken.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_toolset(const mcphost_server *server);

/*
 * mcphost_server_get_title, mcphost_server_get_description,
 * mcphost_server_get_instructions - what the server says about itself.
 *
 * A text is cut with a mark beyond MCPHOST_OPT_TOOL_TEXT bytes.  Title and description
 * are those of the server's serverInfo; a server without a title is called by its name
 * there.  The instructions are meant for the model.  There are none of them while the
 * tools were never listed.  All come from the server and are to be trusted no more than
 * it is: an application that shows instructions to a model lets the server speak to the
 * model. Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_title(const mcphost_server *server, MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_description(const mcphost_server *server,
                               MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_instructions(const mcphost_server *server,
                                MCPHOST_NULLABLE size_t *ret_len);

/* Its icons, a JSON array of {src, mimeType, sizes, theme}, as its serverInfo has them:
 * URLs and data to be trusted no more than the server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_icons(const mcphost_server *server, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_server_get_manual - what the configuration says about it: its key `manual`.
 *
 * Content, file and sections as one text, a section's title as "## TITLE" in front of
 * it; 25,000 characters and a mark at most.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_manual(const mcphost_server *server, MCPHOST_NULLABLE size_t *ret_len);

/* The number of its tools in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_tools(const mcphost_server *server);

/* Its tool at `index`, borrowed; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_server_get_tool(const mcphost_server *server, size_t index);

/* The tool of a server that the server itself calls `name`, whatever it is called in the
 * catalog; NULL when the catalog does not show it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_server_find_tool(const mcphost_server *server, const char *name);

/*
 * mcphost_server_count_app_tools, mcphost_server_get_app_tool - the tools that apps of
 * this server may call and the model may not, and those that neither may
 * (mcphost_tool_get_visibility() is 0).
 *
 * They are in no list of tools, and their names are those of the server: a transform does
 * not hold, a filter does.  mcphost_call_new_app_tool() calls one.  A catalog whose grant
 * gives single tools of the server alone has none.  NULL past the end.
 * Since: 0.1
 */
MCPHOST_API size_t mcphost_server_count_app_tools(const mcphost_server *server);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_server_get_app_tool(const mcphost_server *server, size_t index);

/* ---- tools -------------------------------------------------------------------------
 *
 * A tool outlives its catalog when a reference is held; it keeps what its
 * server listed then, not the whole snapshot. */

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_tool *
mcphost_tool_ref(MCPHOST_NULLABLE mcphost_tool *tool);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_tool *
mcphost_tool_unref(MCPHOST_NULLABLE mcphost_tool *tool);

/* The name that the model uses: 1-64 of A-Z a-z 0-9 _ -.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_name(const mcphost_tool *tool);

/* The name that the server knows it by.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_original_name(const mcphost_tool *tool);

/* The id of the source of its server; NULL: the default source, or a built-in tool.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_source_id(const mcphost_tool *tool);

/* The id of the server it belongs to; NULL for a built-in tool.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_server_id(const mcphost_tool *tool);

/* The id of its server, or the first toolset that a built-in tool's block puts it in: the
 * same in all catalogs.  Where an earlier layer of a view has a server of this id, the
 * view's catalogs name the toolset "SOURCE:SERVER" or "default:SERVER", which
 * mcphost_catalog_get_toolset() tells.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_toolset(const mcphost_tool *tool);

/*
 * mcphost_tool_get_title, mcphost_tool_get_description - texts for people and
 * for the model.
 *
 * They may hold anything the server wrote, newlines and NULs included.  The title is
 * that of the tool or, failing that, of its annotations.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_title(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_description(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_tool_get_input_schema - the JSON Schema of its arguments.
 *
 * The server's own bytes, a JSON object.  Those of many tools at once cost less memory
 * as mcphost_catalog_get_tools_json().  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_input_schema(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/* The JSON Schema of its structured results.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_output_schema(const mcphost_tool *tool,
                               MCPHOST_NULLABLE size_t *ret_len);

/* Its annotations, a JSON object of hints by the server, which may be false.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_annotations(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/* Its whole definition as the server sent it, a JSON object under the original
 * name.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_definition(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/* Who may call a tool.  Since: 0.1 */
enum mcphost_visibility { MCPHOST_VISIBLE_TO_MODEL = 1, MCPHOST_VISIBLE_TO_APPS = 2 };

/*
 * mcphost_tool_get_visibility - who may call it: MCPHOST_VISIBLE_TO_*, or'ed.
 *
 * Both, if the server says nothing.  A tool in a list of tools is always visible to the
 * model; mcphost_server_get_app_tool() has the others.  A built-in tool is visible to
 * the model.  MCP Apps 2026-01-26, "Visibility".  Since: 0.1
 */
MCPHOST_API int mcphost_tool_get_visibility(const mcphost_tool *tool);

/*
 * mcphost_tool_get_app_uri - the app that shows the tool's results: a resource of its
 * server, whose URI begins with "ui://".
 *
 * mcphost_call_new_read() reads it, whether the server lists it or not: HTML of the media
 * type "text/html;profile=mcp-app", made by the server, for a sandbox.  NULL: the tool
 * has none.  MCP Apps 2026-01-26, "Resource Discovery".  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_app_uri(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/* ---- prompts -------------------------------------------------------------------------
 * Prompts are for people to pick.  Their names are a name space of their own, apart from
 * that of tools, with the same rules: a prompt is left out that has a bad name, that a
 * filter takes away, or whose name another prompt has.  A grant gives the prompts of each
 * toolset that it gives whole.  A prompt outlives its catalog when a reference is
 * held. */

/* The number of prompts.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_prompts(const mcphost_catalog *catalog);

/* The prompt at `index`, borrowed; NULL past the end.  The order is that of the
 * toolsets and, within one, the server's own.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_prompt *
mcphost_catalog_get_prompt(const mcphost_catalog *catalog, size_t index);

/* The prompt of this name, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_prompt *
mcphost_catalog_find_prompt(const mcphost_catalog *catalog, const char *name);

/*
 * mcphost_catalog_get_prompts_json - the prompts as a JSON array.
 *
 * The definitions as the servers sent them, under the names that the catalog gives them,
 * in the order of mcphost_catalog_get_prompt(); those of one toolset, or with NULL all.
 * Written once and kept.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND when there is
 * no such toolset, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_catalog_get_prompts_json(mcphost_catalog *catalog,
                                 MCPHOST_NULLABLE const char *toolset,
                                 MCPHOST_BORROWED const char **ret_json, size_t *ret_len,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* The number of the server's prompts in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_prompts(const mcphost_server *server);

/* Its prompt at `index`, borrowed; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_prompt *
mcphost_server_get_prompt(const mcphost_server *server, size_t index);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_prompt *
mcphost_prompt_ref(MCPHOST_NULLABLE mcphost_prompt *prompt);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_prompt *
mcphost_prompt_unref(MCPHOST_NULLABLE mcphost_prompt *prompt);

/* The name under which it is shown: 1-64 of A-Z a-z 0-9 _ -.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_name(const mcphost_prompt *prompt);

/* The name that the server knows it by.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_original_name(const mcphost_prompt *prompt);

/* The title for people, or failing that, of its annotations.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_title(const mcphost_prompt *prompt, MCPHOST_NULLABLE size_t *ret_len);

/* What it is for.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_description(const mcphost_prompt *prompt,
                               MCPHOST_NULLABLE size_t *ret_len);

/* The arguments that it takes: a JSON array of {name, title, description,
 * required}.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_arguments(const mcphost_prompt *prompt,
                             MCPHOST_NULLABLE size_t *ret_len);

/* Its whole definition as the server sent it, a JSON object: icons and _meta,
 * too.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_definition(const mcphost_prompt *prompt,
                              MCPHOST_NULLABLE size_t *ret_len);

/* The id of the source of its server; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_source_id(const mcphost_prompt *prompt);

/* The id of the server that lists it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_server_id(const mcphost_prompt *prompt);

/* The name of the toolset of its server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_toolset(const mcphost_prompt *prompt);

/* ---- resources -----------------------------------------------------------------------
 * A resource is told apart by its server and its URI.  Two servers may list one URI; of
 * one server the first counts.  Nothing is renamed on the wire: a transform changes the
 * id alone.  A grant gives the resources of each toolset that it gives whole.  A resource
 * outlives its catalog when a reference is held. */

/* The number of resources.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_resources(const mcphost_catalog *catalog);

/* The resource at `index`, borrowed; NULL past the end.  The order is that of the
 * toolsets and, within one, the server's own.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource *
mcphost_catalog_get_resource(const mcphost_catalog *catalog, size_t index);

/* The resource that this server lists under this URI, byte for byte, borrowed, or
 * NULL.  `server` is an id, or "SOURCE:SERVER".  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource *
mcphost_catalog_find_resource(const mcphost_catalog *catalog, const char *server,
                              const char *uri);

/*
 * mcphost_catalog_get_resources_json - the resources as a JSON array.
 *
 * The definitions as the servers sent them, in the order of
 * mcphost_catalog_get_resource(); those of one toolset, or with NULL all.
 * Written once and kept.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND when there is
 * no such toolset, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_catalog_get_resources_json(
    mcphost_catalog *catalog, MCPHOST_NULLABLE const char *toolset,
    MCPHOST_BORROWED const char **ret_json, size_t *ret_len,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* The number of the server's resources in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_resources(const mcphost_server *server);

/* Its resource at `index`, borrowed; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource *
mcphost_server_get_resource(const mcphost_server *server, size_t index);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_resource *
mcphost_resource_ref(MCPHOST_NULLABLE mcphost_resource *resource);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_resource *
mcphost_resource_unref(MCPHOST_NULLABLE mcphost_resource *resource);

/* The URI, as the server wrote it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_uri(const mcphost_resource *resource);

/*
 * mcphost_resource_get_id - a short name for it: A-Z a-z 0-9 _ -.
 *
 * Made of its name, or of its URI where it has no name, by the transform of the
 * configuration: each run of other characters becomes one "_", and those at the ends fall
 * away.  NULL: an earlier one of the server has the id, which is a problem; or no memory.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_id(const mcphost_resource *resource);

/* The name that the server gave it; NULL: none.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_name(const mcphost_resource *resource,
                          MCPHOST_NULLABLE size_t *ret_len);

/* The title for people, or failing that, of its annotations.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_title(const mcphost_resource *resource,
                           MCPHOST_NULLABLE size_t *ret_len);

/* What it is for.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_description(const mcphost_resource *resource,
                                 MCPHOST_NULLABLE size_t *ret_len);

/* Its media type, as the server says.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_mime_type(const mcphost_resource *resource,
                               MCPHOST_NULLABLE size_t *ret_len);

/* Its size in bytes, as the server says; -1: it does not.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_resource_get_size(const mcphost_resource *resource);

/* Its annotations, a JSON object: audience, priority, lastModified.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_annotations(const mcphost_resource *resource,
                                 MCPHOST_NULLABLE size_t *ret_len);

/* Its whole definition as the server sent it, a JSON object: icons and _meta,
 * too.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_definition(const mcphost_resource *resource,
                                MCPHOST_NULLABLE size_t *ret_len);

/* The id of the source of its server; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_source_id(const mcphost_resource *resource);

/* The id of the server that lists it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_server_id(const mcphost_resource *resource);

/* The name of the toolset of its server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_toolset(const mcphost_resource *resource);

/* ---- templates of resources ----------------------------------------------------------
 *
 * A template makes URIs of resources out of values.  Apart from that it is listed,
 * filtered and told apart as a resource is, by its server and its text. */

/* The number of resource templates.  Since: 0.1 */
MCPHOST_API size_t
mcphost_catalog_count_resource_templates(const mcphost_catalog *catalog);

/* The resource template at `index`, borrowed; NULL past the end.  The order is that of
 * the toolsets and, within one, the server's own.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource_template *
mcphost_catalog_get_resource_template(const mcphost_catalog *catalog, size_t index);

/* The resource template that this server lists under this text, byte for byte, borrowed,
 * or NULL.  `server` is an id, or "SOURCE:SERVER".  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource_template *
mcphost_catalog_find_resource_template(const mcphost_catalog *catalog, const char *server,
                                       const char *uri_template);

/*
 * mcphost_catalog_get_resource_templates_json - the resource templates as a JSON array.
 *
 * The definitions as the servers sent them, in the order of
 * mcphost_catalog_get_resource_template(); those of one toolset, or with NULL all.
 * Written once and kept.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND when there is
 * no such toolset, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_catalog_get_resource_templates_json(
    mcphost_catalog *catalog, MCPHOST_NULLABLE const char *toolset,
    MCPHOST_BORROWED const char **ret_json, size_t *ret_len,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* The number of the server's resource templates in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_resource_templates(const mcphost_server *server);

/* Its resource template at `index`, borrowed; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource_template *
mcphost_server_get_resource_template(const mcphost_server *server, size_t index);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_resource_template *
mcphost_resource_template_ref(
    MCPHOST_NULLABLE mcphost_resource_template *resource_template);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_resource_template *mcphost_resource_template_unref(
    MCPHOST_NULLABLE mcphost_resource_template *resource_template);

/* The template (RFC 6570), as the server wrote it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_uri_template(
    const mcphost_resource_template *resource_template);

/*
 * mcphost_resource_template_get_id - a short name for it: A-Z a-z 0-9 _ -.
 *
 * Made of its name, or of its URI where it has no name, by the transform of the
 * configuration: each run of other characters becomes one "_", and those at the ends fall
 * away.  NULL: an earlier one of the server has the id, which is a problem; or no memory.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_id(const mcphost_resource_template *resource_template);

/* The name that the server gave it; NULL: none.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_name(const mcphost_resource_template *resource_template,
                                   MCPHOST_NULLABLE size_t *ret_len);

/* The title for people, or failing that, of its annotations.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_title(const mcphost_resource_template *resource_template,
                                    MCPHOST_NULLABLE size_t *ret_len);

/* What it is for.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_description(
    const mcphost_resource_template *resource_template, MCPHOST_NULLABLE size_t *ret_len);

/* Its media type, as the server says.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_mime_type(
    const mcphost_resource_template *resource_template, MCPHOST_NULLABLE size_t *ret_len);

/* Its annotations, a JSON object: audience, priority, lastModified.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_annotations(
    const mcphost_resource_template *resource_template, MCPHOST_NULLABLE size_t *ret_len);

/* Its whole definition as the server sent it, a JSON object: icons and _meta,
 * too.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_definition(
    const mcphost_resource_template *resource_template, MCPHOST_NULLABLE size_t *ret_len);

/* The id of the source of its server; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_source_id(
    const mcphost_resource_template *resource_template);

/* The id of the server that lists it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_server_id(
    const mcphost_resource_template *resource_template);

/* The name of the toolset of its server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_toolset(const mcphost_resource_template *resource_template);

/* Why a name of a grant gives nothing.  Since: 0.1 */
enum mcphost_lack {
    MCPHOST_LACK_UNKNOWN = 1,        /* no server or built-in declares it */
    MCPHOST_LACK_DOWN = 2,           /* declared, and its server has not come up */
    MCPHOST_LACK_DISABLED = 3,       /* declared and switched off */
    MCPHOST_LACK_INVALID = 4,        /* declared, and the declaration is invalid */
    MCPHOST_LACK_CONFIG_INVALID = 5, /* unknown, while the whole file is rejected */
    MCPHOST_LACK_NOT_ASSIGNABLE = 6  /* MCPHOST_TOOLSET_NOT_ASSIGNABLE */
};

/*
 * How many names of the view's grant gave nothing when this catalog was made; 0 without a
 * grant.  Each is also a problem, a warning with the id "team/member/VIEW/toolset/NAME"
 * (or tool), until it is there.
 * Since: 0.1
 */
MCPHOST_API size_t mcphost_catalog_count_missing(const mcphost_catalog *catalog);

/* The name, borrowed from the catalog, or NULL past the end.  *ret_is_tool: it was
 * granted as a single tool; *ret_lack: MCPHOST_LACK_*; each may be NULL.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_catalog_get_missing(const mcphost_catalog *catalog, size_t index,
                            MCPHOST_NULLABLE int *ret_is_tool,
                            MCPHOST_NULLABLE int *ret_lack);

/*
 * mcphost_catalog_find_projected - the way back from a name that a model used.
 *
 * As mcphost_projection_find_tool() of the projection with this profile and limit, which
 * is made when there is none yet.  Borrowed from the catalog; NULL: there is no such
 * tool, no such profile, or no memory.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_catalog_find_projected(mcphost_catalog *catalog, int profile, size_t name_max,
                               const char *name);

/* ---- skills (skill.h) -------------------------------------------------------------- */

/* The number of skills that servers list.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_skills(const mcphost_catalog *catalog);

/* The skill at `index`, borrowed, those of one server after those of another; NULL past
 * the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_skill *
mcphost_catalog_get_skill(const mcphost_catalog *catalog, size_t index);

/* The skill of a server with the URI, borrowed, or NULL; `server` is as
 * mcphost_catalog_find_server() takes it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_skill *
mcphost_catalog_find_skill(const mcphost_catalog *catalog, const char *server,
                           const char *uri);

/* The number of the server's skills in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_skills(const mcphost_server *server);

/* Its skill at `index`, borrowed; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_skill *
mcphost_server_get_skill(const mcphost_server *server, size_t index);

#ifdef __cplusplus
}
#endif
#endif
