/* SPDX-License-Identifier: MIT
 *
 * view.h - views: the servers and built-in tools that a group of dialogs sees.
 *
 * A view shows built-in tools and an ordered list of layers.  A layer is a source, or
 * some of the servers of a source.  A catalog is a snapshot of the servers and tools that
 * a view shows.
 *
 * Each host has a default view.  The default view shows the host's built-in tools and the
 * default source.  mcphost_view_new_layered() makes a view with layers of its own.
 * mcphost_view_new() makes a view that shows a part of the default view.
 * mcphost_use_team() makes a view of this kind for each member of a team.  A grant
 * chooses the part (grant.h).
 */
#ifndef MCPHOST_VIEW_H
#define MCPHOST_VIEW_H

#include <mcphost/builtins.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_view_new_layered - make a view with layers of its own.
 *
 * The view shows nothing until the application adds a layer or a built-in tool.
 * Messages, problems and events contain `name`.  The view lives until its last reference
 * is dropped.  A dialog or a turn on the view has a reference.
 *
 * Errors: MCPHOST_E_INVALID (the name is empty or not UTF-8), MCPHOST_E_EXISTS (an open
 *   view has this name), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_new_layered(mcphost *host, const char *name,
                         MCPHOST_OWNED mcphost_view **ret_view,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_add_source - add a layer: a source, or some of its servers.
 *
 * The new layer comes after the layers that the view has.  `servers` are the `n_servers`
 * ids of the servers to show.  The function copies the ids.  The servers need not be
 * declared yet.  If `servers` is NULL, the layer has all servers of the source, including
 * servers that are added later.  `view` is the default view or a view with layers of its
 * own.
 *
 * If two servers offer a tool of the same name, the server of the earlier layer gets the
 * name.  Within a layer, the server that comes earlier in the configuration gets the
 * name.  Once the servers of a source have come up or failed, each server keeps the names
 * that it has, unless MCPHOST_OPT_HOLDERS says otherwise.
 *
 * If an earlier layer has a server of the same id, the server's toolset is named
 * "SOURCE:SERVER", or "default:SERVER" if the source is the default source.
 *
 * Errors: MCPHOST_E_INVALID (the view shows a part of the default view, an id in
 *   `servers` is NULL, or the source belongs to another host), MCPHOST_E_EXISTS (the view
 *   has a layer of this source), MCPHOST_E_STATE (the source was removed),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_add_source(mcphost_view *view, mcphost_source *source,
                                        MCPHOST_NULLABLE const char *const *servers,
                                        size_t n_servers);

/*
 * mcphost_view_remove_source - remove the layer of a source.
 *
 * The servers of the source keep running.
 *
 * Errors: MCPHOST_E_INVALID (the view shows a part of the default view),
 *   MCPHOST_E_NOTFOUND (the view has no layer of this source), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_remove_source(mcphost_view *view, mcphost_source *source);

/*
 * mcphost_view_show_builtins - show or hide the host's built-in tools.
 *
 * The host's built-in tools are the built-in tools of the default view.  If `on` is not
 * 0, the view shows these tools in front of its own built-in tools and its layers.  If
 * `on` is 0, the view hides these tools.  The default view shows the tools from the
 * start.  A view with layers of its own shows the tools only after this call.
 *
 * The next dispatch makes the view's new catalog.  Before the host has loaded its first
 * source, dispatch makes no catalog.
 *
 * Errors: MCPHOST_E_INVALID (the view shows a part of the default view), MCPHOST_E_EXISTS
 *   (one of the view's own blocks has a tool or toolset with the name of a tool or
 *   toolset of the host), MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_show_builtins(mcphost_view *view, int on);

/* Returns the host's default view, or NULL if `host` is NULL.  Without a reference of the
 * application (mcphost_view_ref()), the default view lives as long as the host.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_view *
mcphost_default_view(mcphost *host);

/*
 * mcphost_view_get_catalog - get the view's current catalog.
 *
 * Dispatch makes the catalogs of the default view and of views with layers of their own.
 * This function makes the catalog of a view with a grant.  The function waits for no
 * server and for no dispatch.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_get_catalog(mcphost_view *view,
                                         MCPHOST_OWNED mcphost_catalog **ret_catalog);

/*
 * mcphost_view_set_builtins - show a block of built-in tools.
 *
 * `builtins` is the block: the built-in tools of one owner (mcphost_builtins_new()).  The
 * block replaces the view's block of the same owner, at once and as a whole.  If the view
 * has no block of this owner, the new block comes after all other blocks.  On failure the
 * view stays unchanged.  The function freezes the block, even if the function fails
 * because a name is taken.
 *
 * A block that is given to the default view is one of the host's blocks.  Its tools are
 * shown by the default view, by each view with a grant that gives them, and by each view
 * with layers of its own for which mcphost_view_show_builtins() is on.  A block that is
 * given to a view with layers of its own is shown by that view only.
 *
 * Before the host is loaded for the first time, the default view has its new catalog when
 * this function returns.  Otherwise dispatch makes the new catalog.
 * MCPHOST_EVENT_CATALOG announces the new catalog.
 *
 * A call of a tool from an older catalog goes to the tool that has the same name in the
 * view now.  Both tools must have the same owner and, byte by byte, the same input
 * schema.  Otherwise the call fails with MCPHOST_E_GONE.  A replaced tool still answers
 * the calls that it got before the replacement.
 *
 * Errors: MCPHOST_E_INVALID (a tool of the block is in no toolset, or the view shows a
 *   part of the default view), MCPHOST_E_EXISTS (another block in the view, or in a view
 *   that would show this block, has a tool or toolset of the same name), MCPHOST_E_LIMIT
 *   (the definitions of the block's tools together are longer than 64 MiB),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_set_builtins(mcphost_view *view, mcphost_builtins *builtins,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_remove_builtins - remove the block of an owner.
 *
 * After the removal, calls of the block's tools fail with MCPHOST_E_GONE.  A call that a
 * tool got before the removal continues until the tool answers.
 *
 * Errors: MCPHOST_E_INVALID (the owner is empty, or the view shows a part of the default
 *   view), MCPHOST_E_NOTFOUND (the view has no block of this owner), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_remove_builtins(mcphost_view *view, const char *owner);

/*
 * mcphost_view_add_builtin - add one built-in tool, without making a block.
 *
 * The function adds the tool to the toolset `toolset`.  If there is no toolset of this
 * name, the function makes the toolset.  All tools that are added this way form one block
 * of the view.  The name of the block's owner is empty.  mcphost_view_set_builtins() says
 * which views show the block and when the new catalog is published.
 *
 * `name` has 1 to 64 ASCII letters, digits, "_" and "-".  If `description` is NULL, the
 * tool has no description.  `input_schema` is a JSON object.  The library takes ownership
 * of `arg`, as mcphost_builtins_add_tool() does.
 *
 * Errors: MCPHOST_E_INVALID (the tool's name is not allowed, the toolset's name is empty,
 *   a text is not UTF-8, the schema is no JSON object or does not compile, or the view
 *   shows a part of the default view), MCPHOST_E_EXISTS (a built-in tool of the same
 *   name, or another block with a toolset of the same name, is in the view or in a view
 *   that would show the tool), MCPHOST_E_LIMIT (the definition is longer than 4 MiB, or
 *   the schema is nested too deeply or takes too many steps to compile),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_add_builtin(mcphost_view *view, const char *toolset, const char *name,
                         MCPHOST_NULLABLE const char *description,
                         const char *input_schema, mcphost_builtin_fn fn,
                         MCPHOST_NULLABLE void *arg,
                         MCPHOST_NULLABLE mcphost_free_fn free_arg,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Built-in tools by which a model finds and reads resources and skills.
 * mcphost_view_add_resource_tools() describes these tools.  Since: 0.1 */
enum mcphost_resource_tool {
    MCPHOST_RESOURCE_TOOL_LIST = 1,        /* list_resources */
    MCPHOST_RESOURCE_TOOL_FETCH = 2,       /* fetch_resource */
    MCPHOST_RESOURCE_TOOL_LIST_SKILLS = 4, /* list_skills */
    MCPHOST_RESOURCE_TOOL_READ_SKILL = 8   /* read_skill */
};

/*
 * mcphost_view_add_resource_tools - let models find and read resources and skills.
 *
 * `which` is a combination of MCPHOST_RESOURCE_TOOL_*.  The tools for resources are in
 * the toolset `mcp_resources`, and the tools for skills are in `mcp_skills`.  The
 * function adds each tool as mcphost_view_add_builtin() does.  On failure no tool is
 * added.  The tools reach the servers that the view of the calling dialog shows as a
 * whole, but no server of which the view shows only single tools.  These are the tools:
 *
 *   list_resources {serverId?, query?, kind?}
 *       Answers with a JSON object.  `resources` is an array of {resourceId, kind,
 *       serverId, uri or uriTemplate, name, title, description, mimeType, size}.
 *       `resourceId` is the server's id, a colon, and the id of the resource or template.
 *       `kind` is "resource" or "template".  A list has at most 256 KiB.  `leftOut` is
 *       the number of elements that did not fit.  The member is missing if this number
 *       is 0.
 *   fetch_resource {resourceId, arguments?}
 *       Answers with the contents of a resource: items of kind
 *       MCPHOST_CONTENT_RESOURCE.  For a template, `arguments` must have a value that is
 *       not empty for each variable.  The resource is read on the lease of the calling
 *       dialog.
 *   list_skills {serverId?, query?}
 *       Answers with a JSON object.  `skills` is an array of {serverId, uri, name,
 *       description}.  `leftOut` is as in list_resources.
 *   read_skill {serverId, uri, file?}
 *       Answers with the contents of a file of a skill.  The library checks the file as
 *       mcphost_call_new_read_skill() does.  Without `file`, the file is SKILL.md.
 *
 * Errors: MCPHOST_E_INVALID (the argument `which` is 0 or has an unknown bit, or the view
 *   shows a part of the default view), MCPHOST_E_EXISTS (a built-in tool of the same
 *   name, or another block with a toolset of the same name, is in the view or in a view
 *   that would show the tool), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_add_resource_tools(mcphost_view *view, unsigned which,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_remove_builtin - remove a tool that mcphost_view_add_builtin() added.
 *
 * If the tool is the last tool of a toolset, the toolset is removed, too.  After the
 * removal, calls of the tool fail with MCPHOST_E_GONE.  A call that the tool got before
 * the removal continues until the tool answers.
 *
 * Errors: MCPHOST_E_INVALID (the view shows a part of the default view),
 *   MCPHOST_E_NOTFOUND (mcphost_view_add_builtin() has added no tool of this name),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_remove_builtin(mcphost_view *view, const char *name);

/*
 * mcphost_view_set_toolset_description - set the description of a toolset.
 *
 * `toolset` is the name of a toolset that mcphost_view_add_builtin() has made.
 * `description` is UTF-8 text.  The function copies this text.  NULL or an empty text
 * removes the description.  mcphost_catalog_get_toolset_description() reads the
 * description from a catalog.
 *
 * Errors: MCPHOST_E_INVALID (the description is not UTF-8, or the view shows a part of
 *   the default view), MCPHOST_E_NOTFOUND (mcphost_view_add_builtin() has made no
 *   toolset of this name), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_set_toolset_description(
    mcphost_view *view, const char *toolset, MCPHOST_NULLABLE const char *description,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_new - make a view that shows the part of the default view that a grant
 * gives.
 *
 * The function freezes the grant.  The view follows every reload, because it looks up the
 * names of the grant anew for each of its catalogs.  Messages, problems and events
 * contain `name`.  The view lives until its last reference is dropped.  A dialog or a
 * turn on the view has a reference.
 *
 * Errors: MCPHOST_E_INVALID (the name is blank or not UTF-8), MCPHOST_E_EXISTS (an open
 *   view has this name), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_new(mcphost *host, const char *name, mcphost_grant *grant,
                                 MCPHOST_OWNED mcphost_view **ret_view,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `view`.  A default view outlives its host if the application has a
 * reference to the view.  After the end of the host, the functions of the view fail with
 * MCPHOST_E_CLOSED.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_view *
mcphost_view_ref(MCPHOST_NULLABLE mcphost_view *view);

/* Drops a reference that mcphost_view_new(), mcphost_view_new_layered(),
 * mcphost_view_ref() or mcphost_get_team_view() gave.  Dropping the last reference ends
 * the view.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_view *
mcphost_view_unref(MCPHOST_NULLABLE mcphost_view *view);

/*
 * mcphost_view_set_grant - replace the view's grant.
 *
 * The function freezes the grant.  The view's next catalog shows the tools that the new
 * grant gives.  MCPHOST_EVENT_CATALOG announces this catalog, with the view's name as its
 * text.  This function can also give a grant to a view with layers of its own.  The view
 * then shows only the parts of its layers and built-in tools that the grant gives.
 *
 * A catalog that was taken before stays as it is.  But the library checks each call
 * against the present grant when the call is made, and again when the call starts.  A
 * call that is not granted fails with MCPHOST_E_DENIED.  The message does not reveal
 * whether the tool exists.
 *
 * Errors: MCPHOST_E_INVALID (the view is the default view), MCPHOST_E_STATE (the view
 *   belongs to a member of a team), MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_set_grant(mcphost_view *view, mcphost_grant *grant);

#ifdef __cplusplus
}
#endif
#endif
