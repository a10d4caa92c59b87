/* SPDX-License-Identifier: MIT
 *
 * catalog.h - a snapshot of the tools, prompts, resources and skills of a view.
 *
 * A catalog shows the toolsets and tools of a view (view.h) as they were when the catalog
 * was published.  Built-in tools come first.  The tools of the servers follow, in the
 * order of the view's layers and, within a layer, of the configuration.  No two tools of
 * a catalog have the same name.  A reload publishes another catalog and does not change
 * this catalog.  Therefore a turn (turn.h) sees one list to its end.
 *
 * Any thread may call these functions.  They take no lock and never block.  The value of
 * a getter is borrowed from the handle that the getter was given, and lives as long as
 * that handle.  The handle must not be NULL.  If it is NULL nevertheless, the getter
 * returns NULL or 0, and mcphost_resource_get_size() returns -1.
 */
#ifndef MCPHOST_CATALOG_H
#define MCPHOST_CATALOG_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the catalog ------------------------------------------------------------------- */

/* Takes a reference to `catalog`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_catalog *
mcphost_catalog_ref(MCPHOST_NULLABLE mcphost_catalog *catalog);

/* Drops a reference to `catalog`.  Dropping the last reference frees the catalog.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_catalog *
mcphost_catalog_unref(MCPHOST_NULLABLE mcphost_catalog *catalog);

/*
 * mcphost_catalog_get_version - get the version of this snapshot.
 *
 * The versions of a view's catalogs only grow.  They may have gaps, because the catalogs
 * of all views and dialogs of the host share one counter.
 *
 * Returns: the version, 1 or more.
 * Since: 0.1
 */
MCPHOST_API uint64_t mcphost_catalog_get_version(const mcphost_catalog *catalog);

/*
 * mcphost_catalog_find_tool - find a tool by the name that the model uses.
 *
 * The search is one hash lookup.  A tool is not in the catalog if a filter excludes it,
 * if its name is not valid, if another tool has its name, or if the model may not use it.
 *
 * Returns: the tool, or NULL if the catalog has no tool of this name.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_catalog_find_tool(const mcphost_catalog *catalog, const char *name);

/* Returns the number of tools in the catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_tools(const mcphost_catalog *catalog);

/* Returns the tool at `index`, or NULL if `index` is past the end.  Tools have the order
 * of their toolsets and, within a server, the order of the server's list.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_catalog_get_tool(const mcphost_catalog *catalog, size_t index);

/* ---- toolsets -------------------------------------------------------------------------
 *
 * A toolset is the set of tools of one server, or a named set of built-in tools.  A
 * server's toolset has the server's id as its name.  If an earlier layer of the view has
 * a server of the same id, the name is "SOURCE:SERVER", or "default:SERVER" for a server
 * of the default source.  Built-in toolsets come before the servers' toolsets, which have
 * the order of the layers and of the configurations.  A grant sets its own order.
 */

/* Returns the number of toolsets in the catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_toolsets(const mcphost_catalog *catalog);

/* Returns the name of the toolset at `index`, or NULL if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_catalog_get_toolset(const mcphost_catalog *catalog, size_t index);

/*
 * mcphost_catalog_find_toolset - find the index of a toolset by its name.
 *
 * Stores the index in *ret_index.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (no toolset has this name).
 * Since: 0.1
 */
MCPHOST_API int mcphost_catalog_find_toolset(const mcphost_catalog *catalog,
                                             const char *name,
                                             MCPHOST_NULLABLE size_t *ret_index);

/* Returns the id of the server that has the toolset at `index`, or NULL if the toolset is
 * built in or `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_catalog_get_toolset_owner(const mcphost_catalog *catalog, size_t index);

/*
 * mcphost_catalog_get_toolset_description - get the description of a toolset.
 *
 * The application describes a built-in toolset by mcphost_builtins_add_toolset() or
 * mcphost_view_set_toolset_description().  For a server's toolset, this function returns
 * mcphost_server_get_description().
 *
 * Returns: the description, or NULL if the toolset has no description or `index` is
 *   past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_catalog_get_toolset_description(const mcphost_catalog *catalog, size_t index,
                                        MCPHOST_NULLABLE size_t *ret_len);

/* Returns the number of tools of the toolset at `index`, or 0 if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_toolset_tools(const mcphost_catalog *catalog,
                                                       size_t index);

/* Returns the tool at `tool_index` in the toolset at `index`, or NULL if one of the
 * indices is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_catalog_get_toolset_tool(const mcphost_catalog *catalog, size_t index,
                                 size_t tool_index);

/* ---- tool lists as JSON ------------------------------------------------------------ */

/* The forms of a tool list in JSON.  N is the name that the model uses, T the title, D
 * the description, and S the input schema, in the server's bytes.  Since: 0.1 */
enum mcphost_shape {
    /* [{"name":N,"title":T,"description":D,"inputSchema":S,...}]: the tool as its server
     * defined it, except that the name may differ */
    MCPHOST_SHAPE_MCP = 0,
    /* [{"type":"function","function":{"name":N,"description":D,"parameters":S}}] */
    MCPHOST_SHAPE_OPENAI_CHAT = 1,
    /* [{"type":"function","name":N,"description":D,"parameters":S}] */
    MCPHOST_SHAPE_OPENAI_RESPONSES = 2,
    /* [{"name":N,"description":D,"input_schema":S}] */
    MCPHOST_SHAPE_ANTHROPIC = 3,
    /* [{"name":N,"description":D,"parametersJsonSchema":S}] for `functionDeclarations` */
    MCPHOST_SHAPE_GEMINI = 4
};

/*
 * mcphost_catalog_get_tools_json - get the tools as a JSON array.
 *
 * `shape` is MCPHOST_SHAPE_*.  `toolset` selects the tools of one toolset, and NULL
 * selects all tools.  The object of a tool without a description has no member
 * `description`.  The same catalog gives the same bytes in every process.
 *
 * The first call writes the array, and the catalog keeps it.  Later catalogs can reuse
 * the text of a server whose tools have not changed.
 *
 * Errors: MCPHOST_E_INVALID (`shape` is not one of MCPHOST_SHAPE_*),
 *   MCPHOST_E_NOTFOUND (the catalog has no toolset of this name), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_catalog_get_tools_json(mcphost_catalog *catalog, int shape,
                               MCPHOST_NULLABLE const char *toolset,
                               MCPHOST_BORROWED const char **ret_json, size_t *ret_len,
                               MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- servers of a catalog -------------------------------------------------------------
 *
 * A catalog has an entry for each server that may have tools in the view, even if the
 * server has none (yet).  A server has no entry if it is disabled, or if its entry in the
 * configuration is invalid and never was valid.  A catalog does not say whether a server
 * runs.  mcphost_get_status() reports on all servers that are declared.
 */

/* Returns the number of servers in the catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_servers(const mcphost_catalog *catalog);

/* Returns the server at `index`, or NULL if `index` is past the end.  The order follows
 * the view's layers and, within a layer, the configuration.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_server *
mcphost_catalog_get_server(const mcphost_catalog *catalog, size_t index);

/*
 * mcphost_catalog_find_server - find a server by its id.
 *
 * `id` is the id of a server, "SOURCE:SERVER", or "default:SERVER" for a server of the
 * default source.  If several servers of the view have the same id, the id alone finds
 * the first of them.
 *
 * Returns: the server, or NULL if the catalog has no server of this id.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_server *
mcphost_catalog_find_server(const mcphost_catalog *catalog, const char *id);

/* Takes a reference to `server`.  The reference keeps the whole catalog.  Returns: the
 * argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_server *
mcphost_server_ref(MCPHOST_NULLABLE mcphost_server *server);

/* Drops a reference to `server`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_server *
mcphost_server_unref(MCPHOST_NULLABLE mcphost_server *server);

/* Returns the id of the server's source, or NULL for the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_source_id(const mcphost_server *server);

/* Returns the server's id.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_id(const mcphost_server *server);

/* Returns the name of the server's toolset, or NULL if the server's tools were never
 * listed, or if the view left the server out because a name is taken.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_toolset(const mcphost_server *server);

/*
 * mcphost_server_get_title, mcphost_server_get_description,
 * mcphost_server_get_instructions - get the texts in which the server describes itself.
 *
 * Title and description come from the server's serverInfo.  If serverInfo has no title,
 * its name is the title.  The instructions are meant for the model.  A text longer than
 * MCPHOST_OPT_TOOL_TEXT bytes is cut, and ends with a mark.
 *
 * Trust these texts no more than you trust the server.  An application that shows
 * instructions to a model lets the server speak to the model.
 *
 * Returns: the title, the description or the instructions, or NULL if the server did
 *   not send this text or if the server's tools were never listed.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_title(const mcphost_server *server, MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_description(const mcphost_server *server,
                               MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_instructions(const mcphost_server *server,
                                MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_server_get_icons - get the icons of the server's serverInfo.
 *
 * The icons are a JSON array of {src, mimeType, sizes, theme}, as the server sent it.
 * Trust the URLs and images in the array no more than you trust the server.
 *
 * Returns: the icons as a JSON array, or NULL if the server sent no icons, if the array
 *   has more than 256 KiB, or if the server's tools were never listed.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_icons(const mcphost_server *server, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_server_get_manual - get the configuration's manual of the server.
 *
 * The configuration key `manual` has a content, a file and sections.  This function
 * returns all of them as one text.  A section that has a title begins with "## TITLE".  A
 * text of more than 25,000 characters is cut, and ends with a mark.
 *
 * Returns: the manual, or NULL if the configuration has no manual of the server.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_server_get_manual(const mcphost_server *server, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the number of the server's tools in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_tools(const mcphost_server *server);

/* Returns the server's tool at `index`, or NULL if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_server_get_tool(const mcphost_server *server, size_t index);

/*
 * mcphost_server_find_tool - find a tool by the name that the server gave it.
 *
 * The tool may have another name in the catalog.
 *
 * Returns: the tool, or NULL if the catalog does not show the tool.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_server_find_tool(const mcphost_server *server, const char *name);

/*
 * mcphost_server_count_app_tools - count the server's tools that the model may not call.
 *
 * Apps of this server may call some of these tools (mcphost_call_new_app_tool()).  Nobody
 * may call the remaining tools, for which mcphost_tool_get_visibility() returns 0.  No
 * list of tools contains the counted tools.  They keep the names that the server gave
 * them.  The configuration's filters apply to them, but its transforms do not.  A catalog
 * whose grant gives only single tools of the server has none of the counted tools.
 *
 * Returns: the number of the server's tools that the model may not call.
 * Since: 0.1
 */
MCPHOST_API size_t mcphost_server_count_app_tools(const mcphost_server *server);

/* Returns the tool at `index` among the tools that mcphost_server_count_app_tools()
 * counts, or NULL if `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_server_get_app_tool(const mcphost_server *server, size_t index);

/* ---- tools ----------------------------------------------------------------------------
 *
 * A tool outlives its catalog if the application holds a reference to the tool.  The
 * reference keeps the list of tools from the server in memory, but not the whole catalog.
 */

/* Takes a reference to `tool`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_tool *
mcphost_tool_ref(MCPHOST_NULLABLE mcphost_tool *tool);

/* Drops a reference to `tool`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_tool *
mcphost_tool_unref(MCPHOST_NULLABLE mcphost_tool *tool);

/*
 * mcphost_tool_get_name - get the name of a tool in the catalog.
 *
 * The model uses this name.  It has 1 to 64 of the characters A-Z a-z 0-9 _ and -.  A
 * tool that the model may not call has the name that the server gave it.
 *
 * Returns: the tool's name in the catalog.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_name(const mcphost_tool *tool);

/* Returns the name that the server gave the tool.  Calls send this name.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_original_name(const mcphost_tool *tool);

/* Returns the id of the source of the tool's server, or NULL for the default source and
 * for a built-in tool.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_source_id(const mcphost_tool *tool);

/* Returns the id of the tool's server, or NULL for a built-in tool.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_server_id(const mcphost_tool *tool);

/*
 * mcphost_tool_get_toolset - get the name of the tool's toolset.
 *
 * This name is the same in all catalogs.  If several servers of a view have the same id,
 * a catalog of the view may name the toolset "SOURCE:SERVER" or "default:SERVER" instead.
 * mcphost_catalog_get_toolset() returns that name.
 *
 * Returns: the id of the tool's server, or, for a built-in tool, the name of the first
 *   toolset that has the tool.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_toolset(const mcphost_tool *tool);

/*
 * mcphost_tool_get_title, mcphost_tool_get_description - get a text about the tool.
 *
 * The title is for people.  The description is for the model.  If the tool has no title,
 * the title in its annotations is used.  The texts may contain all characters that the
 * server wrote, newlines and NULs included.
 *
 * Returns: the title or the description, or NULL if the tool does not have this text.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_title(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_description(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_tool_get_input_schema - get the JSON Schema of the tool's arguments.
 *
 * The schema is a JSON object, byte for byte as the server sent it.  If an application
 * needs the schemas of many tools, mcphost_catalog_get_tools_json() takes less memory.
 *
 * Returns: the schema of the tool's arguments.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_input_schema(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the JSON Schema of the tool's structured results, or NULL if the tool has no
 * output schema.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_output_schema(const mcphost_tool *tool,
                               MCPHOST_NULLABLE size_t *ret_len);

/* Returns the tool's annotations, a JSON object, or NULL if the tool has no
 * annotations.  Annotations are hints of the server and may be false.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_annotations(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_tool_get_definition - get the definition of a tool.
 *
 * The definition is the JSON object that the server sent, with the server's name for the
 * tool.  A title or a description of more than MCPHOST_OPT_TOOL_TEXT bytes is cut.
 *
 * Returns: the definition of the tool.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_definition(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/* The callers of a tool, as flags.  Since: 0.1 */
enum mcphost_visibility {
    MCPHOST_VISIBLE_TO_MODEL = 1, /* the model may call the tool */
    MCPHOST_VISIBLE_TO_APPS = 2   /* apps of the tool's server may call the tool */
};

/*
 * mcphost_tool_get_visibility - get the callers that may call the tool.
 *
 * If the server does not state the callers, both the model and apps may call the tool.
 * The lists of tools contain only tools that the model may call.
 * mcphost_server_get_app_tool() returns the tools that the model may not call.  Only the
 * model may call a built-in tool.  MCP Apps 2026-01-26, "Visibility".
 *
 * Returns: a combination of MCPHOST_VISIBLE_TO_*, or 0 if neither the model nor apps may
 *   call the tool.  Since: 0.1 */
MCPHOST_API int mcphost_tool_get_visibility(const mcphost_tool *tool);

/*
 * mcphost_tool_get_app_uri - get the URI of the app that shows the tool's results.
 *
 * The app is a resource of the tool's server.  Its URI begins with "ui://".
 * mcphost_call_new_read() reads the app, whether the server lists it or not.  The app is
 * HTML of the media type "text/html;profile=mcp-app".  Show it in a sandbox, because it
 * comes from the server.  MCP Apps 2026-01-26, "Resource Discovery".
 *
 * Returns: the URI of the app, or NULL if the tool has no app.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_tool_get_app_uri(const mcphost_tool *tool, MCPHOST_NULLABLE size_t *ret_len);

/* ---- prompts --------------------------------------------------------------------------
 *
 * A prompt is a template of messages that a person picks.  The names of prompts are
 * separate from the names of tools, and follow the same rules.  A prompt is left out if
 * its name is not valid, if a filter excludes it, or if another prompt has its name.  A
 * grant gives the prompts of a toolset only if it gives the whole toolset.  A prompt
 * outlives its catalog if the application holds a reference to the prompt.
 */

/* Returns the number of prompts in the catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_prompts(const mcphost_catalog *catalog);

/* Returns the prompt at `index`, or NULL past the end.  The order follows the toolsets
 * and, within a toolset, the server's list.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_prompt *
mcphost_catalog_get_prompt(const mcphost_catalog *catalog, size_t index);

/* Returns the prompt of this name, or NULL if no prompt has this name.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_prompt *
mcphost_catalog_find_prompt(const mcphost_catalog *catalog, const char *name);

/*
 * mcphost_catalog_get_prompts_json - get the prompts as a JSON array.
 *
 * The array has the definitions as the servers sent them, with the names that the catalog
 * gives the prompts, in the order of mcphost_catalog_get_prompt().  `toolset` selects the
 * prompts of one toolset.  NULL selects all prompts.  The array is written once and kept.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (no toolset has this name),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_catalog_get_prompts_json(mcphost_catalog *catalog,
                                 MCPHOST_NULLABLE const char *toolset,
                                 MCPHOST_BORROWED const char **ret_json, size_t *ret_len,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Returns the number of the server's prompts in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_prompts(const mcphost_server *server);

/* Returns the server's prompt at `index`, or NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_prompt *
mcphost_server_get_prompt(const mcphost_server *server, size_t index);

/* Takes a reference to `prompt`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_prompt *
mcphost_prompt_ref(MCPHOST_NULLABLE mcphost_prompt *prompt);

/* Drops a reference to `prompt`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_prompt *
mcphost_prompt_unref(MCPHOST_NULLABLE mcphost_prompt *prompt);

/* Returns the prompt's name in the catalog.  The name has 1 to 64 of the characters A-Z
 * a-z 0-9 _ and -.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_name(const mcphost_prompt *prompt);

/* Returns the name that the server gave the prompt.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_original_name(const mcphost_prompt *prompt);

/* Returns the title of the prompt, or the title in its annotations if the prompt has no
 * title, or NULL if both are missing.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_title(const mcphost_prompt *prompt, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the description, or NULL if the prompt has no description.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_description(const mcphost_prompt *prompt,
                               MCPHOST_NULLABLE size_t *ret_len);

/* Returns the arguments that the prompt takes, a JSON array of {name, title, description,
 * required}, or NULL if the server lists no arguments.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_arguments(const mcphost_prompt *prompt,
                             MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_prompt_get_definition - get the definition of a prompt.
 *
 * The definition is the JSON object that the server sent, with icons and `_meta`.  A
 * title or a description of more than MCPHOST_OPT_TOOL_TEXT bytes is cut.
 *
 * Returns: the definition as JSON.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_definition(const mcphost_prompt *prompt,
                              MCPHOST_NULLABLE size_t *ret_len);

/* Returns the id of the prompt's source, or NULL for the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_source_id(const mcphost_prompt *prompt);

/* Returns the id of the prompt's server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_server_id(const mcphost_prompt *prompt);

/* Returns the name of the prompt's toolset.  The name is the server's id, even if the
 * catalog gives the toolset another name: see mcphost_tool_get_toolset().  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_prompt_get_toolset(const mcphost_prompt *prompt);

/* ---- resources ------------------------------------------------------------------------
 *
 * A resource is identified by its server and its URI.  Two servers may list the same URI.
 * If one server lists a URI twice, the first entry counts.  The library sends the URI to
 * the server unchanged.  A transform of the configuration changes only the id.  A grant
 * gives the resources of a toolset only if it gives the whole toolset.  A resource
 * outlives its catalog if the application holds a reference to the resource.
 */

/* Returns the number of resources in the catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_resources(const mcphost_catalog *catalog);

/* Returns the resource at `index`, or NULL past the end.  The order follows the toolsets
 * and, within a toolset, the server's list.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource *
mcphost_catalog_get_resource(const mcphost_catalog *catalog, size_t index);

/*
 * mcphost_catalog_find_resource - find a resource by its server and its URI.
 *
 * `server` names the server, as in mcphost_catalog_find_server().  The URI is compared
 * byte for byte.
 *
 * Returns: the resource, or NULL if the catalog has no resource with this server and URI.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource *
mcphost_catalog_find_resource(const mcphost_catalog *catalog, const char *server,
                              const char *uri);

/*
 * mcphost_catalog_get_resources_json - get the resources as a JSON array.
 *
 * The array has the definitions as the servers sent them, in the order of
 * mcphost_catalog_get_resource().  `toolset` selects the resources of one toolset, and
 * NULL selects all resources.  The array is written once and kept.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (no toolset has this name),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_catalog_get_resources_json(
    mcphost_catalog *catalog, MCPHOST_NULLABLE const char *toolset,
    MCPHOST_BORROWED const char **ret_json, size_t *ret_len,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Returns the number of the server's resources in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_resources(const mcphost_server *server);

/* Returns the server's resource at `index`, or NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource *
mcphost_server_get_resource(const mcphost_server *server, size_t index);

/* Takes a reference to `resource`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_resource *
mcphost_resource_ref(MCPHOST_NULLABLE mcphost_resource *resource);

/* Drops a reference to `resource`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_resource *
mcphost_resource_unref(MCPHOST_NULLABLE mcphost_resource *resource);

/* Returns the URI of the resource as the server wrote it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_uri(const mcphost_resource *resource);

/*
 * mcphost_resource_get_id - get a short id of the resource.
 *
 * The id consists of the characters A-Z a-z 0-9 _ and -.  It is made from the resource's
 * name, or from the URI if there is no name.  First the transform of the configuration is
 * applied.  Then each run of other characters becomes one "_", and each "_" at either end
 * is removed.  If nothing is left, the id is "resource".
 *
 * Returns: the id, or NULL if an earlier resource of the server has the same id, if the
 *   id would be too long, or if memory is short.  A problem reports the first two cases.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_id(const mcphost_resource *resource);

/* Returns the server's name for the resource, or NULL if the resource has no name.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_name(const mcphost_resource *resource,
                          MCPHOST_NULLABLE size_t *ret_len);

/* Returns the title of the resource, or the title in its annotations if the resource has
 * no title, or NULL if both are missing.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_title(const mcphost_resource *resource,
                           MCPHOST_NULLABLE size_t *ret_len);

/* Returns the description of the resource, or NULL if the resource has no description.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_description(const mcphost_resource *resource,
                                 MCPHOST_NULLABLE size_t *ret_len);

/* Returns the media type that the server states for the resource, or NULL if the server
 * states no media type.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_mime_type(const mcphost_resource *resource,
                               MCPHOST_NULLABLE size_t *ret_len);

/* Returns the resource's size in bytes, or -1 if the size is unknown.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_resource_get_size(const mcphost_resource *resource);

/* Returns the annotations of the resource, a JSON object with audience, priority and
 * lastModified, or NULL if the resource has no annotations.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_annotations(const mcphost_resource *resource,
                                 MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_resource_get_definition - get the definition of a resource.
 *
 * The definition is the JSON object that the server sent, with icons and `_meta`.  A
 * title or a description of more than MCPHOST_OPT_TOOL_TEXT bytes is cut.
 *
 * Returns: the definition as JSON.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_definition(const mcphost_resource *resource,
                                MCPHOST_NULLABLE size_t *ret_len);

/* Returns the id of the resource's source, or NULL for the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_source_id(const mcphost_resource *resource);

/* Returns the id of the resource's server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_server_id(const mcphost_resource *resource);

/* Returns the name of the resource's toolset.  The name is the id of the resource's
 * server, even if the catalog gives the toolset another name: see
 * mcphost_tool_get_toolset().  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_get_toolset(const mcphost_resource *resource);

/* ---- resource templates ---------------------------------------------------------------
 *
 * A resource template makes URIs of resources from values.  The library lists and filters
 * a template like a resource.  A template is identified by its server and its text.
 */

/* Returns the number of resource templates in the catalog.  Since: 0.1 */
MCPHOST_API size_t
mcphost_catalog_count_resource_templates(const mcphost_catalog *catalog);

/* Returns the resource template at `index`, or NULL past the end.  The order follows the
 * toolsets and, within a toolset, the server's list.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource_template *
mcphost_catalog_get_resource_template(const mcphost_catalog *catalog, size_t index);

/*
 * mcphost_catalog_find_resource_template - find a resource template by server and text.
 *
 * `server` names the server, as in mcphost_catalog_find_server().  `uri_template` is
 * compared byte for byte with the texts of the templates.
 *
 * Returns: the template, or NULL if the catalog has no template of this server and text.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource_template *
mcphost_catalog_find_resource_template(const mcphost_catalog *catalog, const char *server,
                                       const char *uri_template);

/*
 * mcphost_catalog_get_resource_templates_json - get the templates as a JSON array.
 *
 * The array has the definitions as the servers sent them, in the order of
 * mcphost_catalog_get_resource_template().  `toolset` selects the resource templates of
 * one toolset, and NULL selects all templates.  The array is written once and kept.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (no toolset has this name),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_catalog_get_resource_templates_json(
    mcphost_catalog *catalog, MCPHOST_NULLABLE const char *toolset,
    MCPHOST_BORROWED const char **ret_json, size_t *ret_len,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Returns the number of the server's resource templates in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_resource_templates(const mcphost_server *server);

/* Returns the server's resource template at `index`, or NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_resource_template *
mcphost_server_get_resource_template(const mcphost_server *server, size_t index);

/* Takes a reference to `resource_template`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_resource_template *
mcphost_resource_template_ref(
    MCPHOST_NULLABLE mcphost_resource_template *resource_template);

/* Drops a reference to `resource_template`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_resource_template *mcphost_resource_template_unref(
    MCPHOST_NULLABLE mcphost_resource_template *resource_template);

/* Returns the text of the template (RFC 6570) as the server wrote it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_uri_template(
    const mcphost_resource_template *resource_template);

/*
 * mcphost_resource_template_get_id - get a short id of the resource template.
 *
 * The library makes the id from the template's name, or from the template's text if there
 * is no name, as in mcphost_resource_get_id().
 *
 * Returns: the id, or NULL if an earlier template of the server has the same id, if the
 *   id would be too long, or if memory is short.  A problem reports the first two cases.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_id(const mcphost_resource_template *resource_template);

/* Returns the server's name for the template, or NULL if the template has no name.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_name(const mcphost_resource_template *resource_template,
                                   MCPHOST_NULLABLE size_t *ret_len);

/* Returns the title of the resource template, or the title in its annotations if the
 * template has no title, or NULL if both are missing.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_title(const mcphost_resource_template *resource_template,
                                    MCPHOST_NULLABLE size_t *ret_len);

/* Returns the description of the template, or NULL if the template has no description.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_description(
    const mcphost_resource_template *resource_template, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the media type that the server states for the resource template, or NULL if the
 * server states no media type.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_mime_type(
    const mcphost_resource_template *resource_template, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the annotations of the resource template, a JSON object with audience, priority
 * and lastModified, or NULL if the resource template has no annotations.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_annotations(
    const mcphost_resource_template *resource_template, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_resource_template_get_definition - get the definition of a resource
 * template.
 *
 * The definition is the JSON object that the server sent, with icons and `_meta`.  A
 * title or a description of more than MCPHOST_OPT_TOOL_TEXT bytes is cut.
 *
 * Returns: the definition as JSON.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_definition(
    const mcphost_resource_template *resource_template, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the id of the template's source, or NULL for the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_source_id(
    const mcphost_resource_template *resource_template);

/* Returns the id of the template's server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_server_id(
    const mcphost_resource_template *resource_template);

/* Returns the name of the template's toolset.  The name is the id of the template's
 * server, even if the catalog gives the toolset another name: see
 * mcphost_tool_get_toolset().  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_resource_template_get_toolset(const mcphost_resource_template *resource_template);

/* The reasons why a name in a grant gives nothing.  Since: 0.1 */
enum mcphost_lack {
    MCPHOST_LACK_UNKNOWN = 1,        /* no server or built-in tool has this name */
    MCPHOST_LACK_DOWN = 2,           /* the server is declared, but has not come up */
    MCPHOST_LACK_DISABLED = 3,       /* the server is declared, but disabled */
    MCPHOST_LACK_INVALID = 4,        /* the server's declaration is invalid */
    MCPHOST_LACK_CONFIG_INVALID = 5, /* the name is unknown, but a configuration that
                                      * is rejected may declare it */
    MCPHOST_LACK_NOT_ASSIGNABLE = 6  /* the toolset has MCPHOST_TOOLSET_NOT_ASSIGNABLE */
};

/*
 * mcphost_catalog_count_missing - count the names in the view's grant that gave nothing.
 *
 * A problem reports each of these names: a warning with the id
 * "team/member/VIEW/toolset/NAME" or "team/member/VIEW/tool/NAME".  The problem stays
 * until the name gives a toolset or tool, or is no longer granted.
 *
 * Returns: the number of names in the grant that were missing when the host made the
 *   catalog, or 0 if the view has no grant.
 * Since: 0.1
 */
MCPHOST_API size_t mcphost_catalog_count_missing(const mcphost_catalog *catalog);

/*
 * mcphost_catalog_get_missing - get a name in the view's grant that gave nothing.
 *
 * Stores 1 in *ret_is_tool if a single tool of this name was granted, or 0 if a toolset
 * was granted.  Stores the reason, MCPHOST_LACK_*, in *ret_lack.
 *
 * Returns: the missing name at `index`, or NULL past the end.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_catalog_get_missing(const mcphost_catalog *catalog, size_t index,
                            MCPHOST_NULLABLE int *ret_is_tool,
                            MCPHOST_NULLABLE int *ret_lack);

/*
 * mcphost_catalog_find_projected - find a tool by its name in a projection.
 *
 * The function works like mcphost_projection_find_tool(), with the projection for this
 * profile and limit.  If the projection does not exist yet, the function makes it.
 *
 * Returns: the tool, or NULL if the projection has no tool of this name, if `profile` is
 *   unknown, if `name_max` is out of range, or if memory is short.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_catalog_find_projected(mcphost_catalog *catalog, int profile, size_t name_max,
                               const char *name);

/* ---- skills (skill.h) -------------------------------------------------------------- */

/* Returns the number of skills in the catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_catalog_count_skills(const mcphost_catalog *catalog);

/* Returns the skill at `index`, or NULL past the end.  The order follows the toolsets
 * and, within a toolset, the server's list.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_skill *
mcphost_catalog_get_skill(const mcphost_catalog *catalog, size_t index);

/*
 * mcphost_catalog_find_skill - find a skill by its server and its URI.
 *
 * `server` names the server, as in mcphost_catalog_find_server().
 *
 * Returns: the skill, or NULL if the catalog has no skill with this server and URI.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_skill *
mcphost_catalog_find_skill(const mcphost_catalog *catalog, const char *server,
                           const char *uri);

/* Returns the number of the server's skills in this catalog.  Since: 0.1 */
MCPHOST_API size_t mcphost_server_count_skills(const mcphost_server *server);

/* Returns the server's skill at `index`, or NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_skill *
mcphost_server_get_skill(const mcphost_server *server, size_t index);

#ifdef __cplusplus
}
#endif
#endif
