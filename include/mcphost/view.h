/* SPDX-License-Identifier: MIT
 *
 * view.h - sets of servers and built-in tools that dialogs may see.
 *
 * A view is built-in tools and an ordered list of layers, each of which is a source or
 * some of its servers; a catalog is a snapshot of it.  A host has a default view, which
 * shows its default source.  mcphost_view_new_layered() makes others; those of grant.h
 * show a part of the default view.
 */
#ifndef MCPHOST_VIEW_H
#define MCPHOST_VIEW_H

#include <mcphost/builtins.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_view_new_layered - a view of layers of its own.
 *
 * It shows nothing until layers are added.  `name` stands in messages and problems.
 * *ret_view gets a reference; the last one ends the view, and a dialog on it has one.
 * Any time, any thread.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_EXISTS (an open view has this name),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_new_layered(mcphost *host, const char *name,
                         MCPHOST_OWNED mcphost_view **ret_view,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_add_source - show a source, or some of its servers.
 *
 * The layer comes after those that the view has.  If two servers offer a tool of one
 * name, the earlier layer gets the name, and within a layer the earlier server of the
 * configuration; once the servers of a source have come up or failed, each keeps the
 * names that it has (MCPHOST_OPT_HOLDERS).  If an earlier layer has a server of the same
 * id, the server's toolset is named "SOURCE:SERVER", or "default:SERVER".
 * `servers` are `n_servers` ids, which are copied and need not be declared yet; NULL: all
 * servers of the source, those that it gets later too.  For a view of layers, and for the
 * default view.  Any time, any thread.
 *
 * Returns 0, MCPHOST_E_INVALID (also: a view with a grant on the default view, a source
 * of another host), MCPHOST_E_EXISTS (the view has a layer of this source),
 * MCPHOST_E_STATE (the source was removed), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_add_source(mcphost_view *view, mcphost_source *source,
                                        MCPHOST_NULLABLE const char *const *servers,
                                        size_t n_servers);

/*
 * mcphost_view_remove_source - show a source no more.
 *
 * Its servers go on.  Returns as mcphost_view_add_source(), and MCPHOST_E_NOTFOUND (the
 * view has no layer of this source).
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_remove_source(mcphost_view *view, mcphost_source *source);

/*
 * mcphost_view_show_builtins - show the host's built-in tools, or do not.
 *
 * They are the blocks of the default view, and stand in front of the view's own.  The
 * default view shows them, a view of layers only after this call; the next dispatch makes
 * its catalog, but none before the host has loaded its first source.
 *
 * Returns 0, MCPHOST_E_INVALID (also: a view with a grant on the default view),
 * MCPHOST_E_EXISTS (a block of the view's own has one of their names), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_show_builtins(mcphost_view *view, int on);

/* The host's default view, borrowed from the host.  NULL for NULL.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_view *
mcphost_default_view(mcphost *host);

/*
 * mcphost_view_get_catalog - the view's current catalog.
 *
 * *ret_catalog gets a reference.  Never blocks.  Dispatch makes the catalogs of the
 * default view and of views of layers, this function that of a view with a grant.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_get_catalog(mcphost_view *view,
                                         MCPHOST_OWNED mcphost_catalog **ret_catalog);

/*
 * mcphost_view_set_builtins - show a block of built-in tools.
 *
 * It takes the place of the view's block of the same owner, at once and as a whole, or
 * stands behind all others.  A block of the default view is the host's: views with a
 * grant that gives its tools show it, and so do views of layers for which
 * mcphost_view_show_builtins() is on.  Other blocks stand only in the views of layers
 * that they were given to.
 *
 * Any time, any thread.  Before the host is loaded for the first time the default view
 * has a new catalog when this returns; otherwise dispatch makes one.
 * MCPHOST_EVENT_CATALOG tells of it.  A call of a tool of an older catalog goes to the
 * tool that has its name in the view now, if the owner is the same and the input schema
 * is, byte by byte; else the call fails with MCPHOST_E_GONE.  A replaced tool still
 * answers the calls that it was given before.
 *
 * Returns 0, MCPHOST_E_INVALID (also: a tool stands in no toolset, or a view with a grant
 * on the default view), MCPHOST_E_EXISTS (another block that the view shows, or a view
 * that shows this one, has a tool or toolset of the same name), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  On failure the view shows what it did before.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_set_builtins(mcphost_view *view, mcphost_builtins *builtins,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_remove_builtins - show an owner's built-in tools no more.
 *
 * From now on their calls fail with MCPHOST_E_GONE.  Calls that a tool was given before
 * go on until it answers.  Any time, any thread.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the view has no block of this owner),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_remove_builtins(mcphost_view *view, const char *owner);

/*
 * mcphost_view_add_builtin - the short way: add one built-in tool.
 *
 * What is added this way is one block of the view, whose owner has no name.
 * `description` may be NULL; `input_schema` is a JSON object.  Takes over `arg` as
 * mcphost_builtins_add_tool() does.  The rest is as mcphost_view_set_builtins().
 *
 * Returns as that, and MCPHOST_E_LIMIT (the schema is too expensive).
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_add_builtin(mcphost_view *view, const char *toolset, const char *name,
                         MCPHOST_NULLABLE const char *description,
                         const char *input_schema, mcphost_builtin_fn fn,
                         MCPHOST_NULLABLE void *arg,
                         MCPHOST_NULLABLE mcphost_free_fn free_arg,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Built-in tools by which a model gets at resources and skills.  Since: 0.1 */
enum mcphost_resource_tool {
    MCPHOST_RESOURCE_TOOL_LIST = 1,        /* list_resources */
    MCPHOST_RESOURCE_TOOL_FETCH = 2,       /* fetch_resource */
    MCPHOST_RESOURCE_TOOL_LIST_SKILLS = 4, /* list_skills */
    MCPHOST_RESOURCE_TOOL_READ_SKILL = 8   /* read_skill */
};

/*
 * mcphost_view_add_resource_tools - let models look through resources and skills, and
 * read them.
 *
 * `which` is MCPHOST_RESOURCE_TOOL_*, or'ed.  Those for resources stand in the toolset
 * `mcp_resources`, those for skills in `mcp_skills`.  They are tools of the short way
 * (mcphost_view_add_builtin()), and reach what the view of the calling dialog shows of
 * servers that it shows whole:
 *
 *   list_resources {serverId?, query?, kind?}
 *       A JSON object: `resources` is an array of {resourceId, kind, serverId, uri or
 *       uriTemplate, name, title, description, mimeType, size}; `leftOut` is how many
 *       more there are, for which a list of 256 KiB has no room.  `kind` is "resource" or
 *       "template"; `resourceId` is the server's id, a colon and the id of the resource or
 *       template.
 *   fetch_resource {resourceId, arguments?}
 *       The contents of a resource, as items of kind MCPHOST_CONTENT_RESOURCE.  Of a
 *       template each variable must have a value in `arguments` that is not empty.  It is
 *       read on the lease of the calling dialog.
 *   list_skills {serverId?, query?}
 *       A JSON object: `skills` is an array of {serverId, uri, name, description};
 *       `leftOut` is as above.
 *   read_skill {serverId, uri, file?}
 *       The contents of a file of a skill that is listed, checked as
 *       mcphost_call_new_read_skill() checks them; without `file`, SKILL.md.
 *
 * Returns as mcphost_view_add_builtin(); MCPHOST_E_INVALID also for 0 and unknown bits.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_add_resource_tools(mcphost_view *view, unsigned which,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_remove_builtin - remove a tool that mcphost_view_add_builtin() added.
 *
 * A toolset is removed with its last tool.  Returns as mcphost_view_remove_builtins().
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_remove_builtin(mcphost_view *view, const char *name);

/*
 * mcphost_view_set_toolset_description - say what a toolset of the short way is for.
 *
 * The toolset has a tool already, see mcphost_view_add_builtin().  `description` is
 * UTF-8 text, which is copied; NULL or empty: the toolset has none any more.  It is
 * read back by mcphost_catalog_get_toolset_description().  Any time, any thread.
 *
 * Returns 0, MCPHOST_E_INVALID (also: no UTF-8), MCPHOST_E_NOTFOUND (there is no such
 * toolset), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_set_toolset_description(
    mcphost_view *view, const char *toolset, MCPHOST_NULLABLE const char *description,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_new - a view of its own.
 *
 * It shows what `grant` gives of the default view, resolved anew for each
 * catalog.  `name` stands in messages and problems.  *ret_view gets a reference; the
 * last one ends the view, and a dialog on it has one.  Any time.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_EXISTS (an open view has this name),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_new(mcphost *host, const char *name, mcphost_grant *grant,
                                 MCPHOST_OWNED mcphost_view **ret_view,
                                 MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference, also to a default view, which then outlives its host (and
 * answers MCPHOST_E_CLOSED).  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_view *
mcphost_view_ref(MCPHOST_NULLABLE mcphost_view *view);

/* Drops a reference that mcphost_view_new(), mcphost_view_ref() or
 * mcphost_get_team_view() gave.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_view *
mcphost_view_unref(MCPHOST_NULLABLE mcphost_view *view);

/*
 * mcphost_view_set_grant - replace the view's grant.
 *
 * From the next catalog on.  A catalog that was taken before stays as it is, but each
 * call is checked against the present grant when it is made and again when it starts; the
 * refusal is MCPHOST_E_DENIED, in the same words whether there is such a tool or not.
 * MCPHOST_EVENT_CATALOG comes, with the view's name as its text.
 *
 * Returns 0, MCPHOST_E_INVALID (also for a default view), MCPHOST_E_STATE (the view is
 * a team's), MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_set_grant(mcphost_view *view, mcphost_grant *grant);

#ifdef __cplusplus
}
#endif
#endif
