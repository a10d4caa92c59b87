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
 * The layer comes after those that the view has.  Where two servers offer a tool of one
 * name, the earlier layer has it; within a layer the order of the configuration decides
 * (MCPHOST_OPT_HOLDERS).  A server whose id an earlier layer has goes by "SOURCE:SERVER".
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
                                        const char *const *servers, size_t n_servers);

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
 * They stand in front of all layers.  The default view shows them, a view of layers only
 * after this call.  Returns 0, MCPHOST_E_INVALID (also: a view with a grant on the
 * default view), MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
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
 * *ret_catalog gets a reference.  Never blocks.
 * That of a view with a grant is made at the first call after a change (R84).
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_get_catalog(mcphost_view *view,
                                         MCPHOST_OWNED mcphost_catalog **ret_catalog);

/*
 * mcphost_builtin_fn - carries out a call of a built-in tool.
 *
 * Runs from dispatch.  `arguments` is a JSON object, valid during this call.
 * It answers with mcphost_call_answer(), at once or later from any thread (it
 * then keeps a reference to `call`), or refuses by returning a negative code.
 * Since: 0.1
 */
typedef int (*mcphost_builtin_fn)(mcphost_call *call, const char *arguments,
                                  size_t arguments_len, void *arg);

/*
 * mcphost_view_add_builtin - add a tool of the application's own.
 *
 * It stands in the same catalog as the servers' tools, is found, listed and
 * called the same way, and wins every name (R27, R28, R211).  `description` may
 * be NULL; `input_schema` is a JSON object.  Takes over `arg` whatever it
 * returns: `free_arg` (may be NULL) runs once.  Before mcphost_load().
 *
 * Returns 0, MCPHOST_E_INVALID (bad name or schema), MCPHOST_E_EXISTS,
 * MCPHOST_E_STATE after mcphost_load(), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_view_add_builtin(mcphost_view *view, const char *toolset, const char *name,
                         MCPHOST_NULLABLE const char *description,
                         const char *input_schema, mcphost_builtin_fn fn,
                         MCPHOST_NULLABLE void *arg,
                         MCPHOST_NULLABLE mcphost_free_fn free_arg,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_set_toolset_description - say what a toolset of the application is for.
 *
 * The toolset has a tool already, see mcphost_view_add_builtin().  `description` is
 * UTF-8 text, which is copied; NULL or empty: the toolset has none any more.  It is
 * read back by mcphost_catalog_get_toolset_description().  Before mcphost_load().
 *
 * Returns 0, MCPHOST_E_INVALID (also: no UTF-8), MCPHOST_E_NOTFOUND (the application
 * has no such toolset), MCPHOST_E_STATE after mcphost_load(), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_set_toolset_description(
    mcphost_view *view, const char *toolset, MCPHOST_NULLABLE const char *description,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_view_new - a view of its own.
 *
 * It shows what `grant` gives of the default view, resolved anew for each catalog
 * (R84).  `name` stands in messages and problems.  *ret_view gets a reference; the
 * last one ends the view, and a dialog on it has one.  Any time.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_EXISTS (an open view has this name),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  (R83, R87)
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
 * a team's), MCPHOST_E_CLOSED, MCPHOST_E_FORKED.  (R87)
 * Since: 0.1
 */
MCPHOST_API int mcphost_view_set_grant(mcphost_view *view, mcphost_grant *grant);

#ifdef __cplusplus
}
#endif
#endif
