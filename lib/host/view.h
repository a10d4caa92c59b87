/* SPDX-License-Identifier: MIT
 *
 * view.h - views: the layers that a view has, and the part of them that a grant gives.
 */
#ifndef MCPH_HOST_VIEW_H
#define MCPH_HOST_VIEW_H

#include "catalog/catalog.h"
#include "config/config.h"
#include "workspace/workspace.h"

#include <mcphost/mcphost.h>

struct mcphost_dialog;

/* ---- stacks (stack.c) -------------------------------------------------------------- */

/* One source in a view. */
struct mcph_layer {
    struct mcphost_source *source; /* a reference */
    bool chosen;                   /* the layer shows only `servers`, not all of the
                                    * source */
    struct mcph_vec servers;       /* holds char *, the ids of servers */
};

/* The configurations of all sources of a stack at one moment.  The list never changes. */
struct mcph_declared {
    struct mcph_refs refs;
    bool rejected; /* the last configuration of a source was rejected as a whole */
    size_t n;
    mcphost_config *configs[]; /* references */
};

/* The built-in tools and layers that a view shows before its grant applies.  The core's
 * lock guards the stack. */
struct mcph_stack {
    mcphost *host;
    const char *name;       /* name of the view; NULL for the default view */
    bool builtins;          /* the host's built-in tools are shown in front of `shown` */
    struct mcph_vec shown;  /* struct mcph_shown *; in the default view, the host's
                             * blocks */
    bool dirty;             /* `catalog` does not show the present layers and built-ins */
    struct mcph_vec layers; /* holds struct mcph_layer * */
    mcphost_catalog *catalog;
    struct mcph_declared *declared; /* the last result of mcph_stack_declared_locked(),
                                     * or NULL */
};

struct mcph_offers {
    struct mcph_offer *items; /* each offer has references to its blocks */
    size_t n;
};

/* Adds a layer that shows these servers of the source.  If `servers` is NULL, the layer
 * shows all servers of the source.  Returns 0, MCPHOST_E_EXISTS (the stack has a layer of
 * this source) or MCPHOST_E_NOMEM. */
int mcph_stack_add_locked(struct mcph_stack *stack, struct mcphost_source *source,
                          const char *const *servers, size_t n);
/* Removes the layer of the source from the stack.  Returns the layer, or NULL if the
 * stack has no layer of this source.  The caller frees the layer without the lock. */
struct mcph_layer *mcph_stack_remove_locked(struct mcph_stack *stack,
                                            const struct mcphost_source *source);
void mcph_layer_free(struct mcph_layer *layer);
bool mcph_layer_shows(const struct mcph_layer *layer, const char *server);
void mcph_stack_done(struct mcph_stack *stack);
/* mcph_stack_shows_change() returns true if the stack's catalog must be made again.
 * mcph_stack_offer_locked() collects the blocks for the catalog, as `dialog` sees them,
 * or as the view shows them if `dialog` is NULL.  mcph_stack_offer_locked() returns 0 or
 * MCPHOST_E_NOMEM.  Call both functions on the dispatcher, or before the load. */
bool mcph_stack_shows_change(const struct mcph_stack *stack);
int mcph_stack_offer_locked(const struct mcph_stack *stack, const mcphost_dialog *dialog,
                            struct mcph_offers *offers);
void mcph_offers_done(struct mcph_offers *offers);
/* Finds the server whose id or key ("SOURCE:SERVER") in the view is `id`.  Returns the
 * server's source, a reference.  *ret_server points into `id`.  The server need not be
 * declared.  If no layer has a declared server with this id, the source that a key names
 * is returned, if its layer does not exclude SERVER.  Otherwise the default source is
 * returned, if the view has a layer of the default source that does not exclude the id.
 * In any other case the function returns NULL.  Call this on the dispatcher, under the
 * lock. */
struct mcphost_source *mcph_stack_find_server(const struct mcph_stack *stack,
                                              const char *id, const char **ret_server);
/* Returns the present configurations of the stack's sources, or NULL if memory is short.
 * The stack owns the result. */
struct mcph_declared *mcph_stack_declared_locked(struct mcph_stack *stack);
struct mcph_declared *mcph_declared_ref(struct mcph_declared *declared);
/* Drops a reference.  Returns NULL.  `declared` may be NULL. */
struct mcph_declared *mcph_declared_unref(struct mcph_declared *declared);
/* Returns the first entry with this id, or NULL if no configuration has an entry with
 * this id. */
const struct mcph_config_server *mcph_declared_find(const struct mcph_declared *declared,
                                                    const char *id);

/* ---- views (view.c) ---------------------------------------------------------------- */

/* A catalog under a grant, with the inputs from which it was made. */
struct mcph_sight {
    mcphost_catalog *base, *shown; /* references; NULL until the catalog is first
                                    * needed */
    struct mcphost_grant *grant;
    struct mcph_declared *declared;
    uint64_t granted;
    struct mcph_block *apart; /* the block of mcp_admin if `base` lacks the block, else
                               * NULL; lives as long as the host */
};

struct mcphost_view {
    struct mcph_refs refs; /* not used in the default view, which lives with the host */
    mcphost *host;         /* a reference to the host's memory */
    char *name;            /* NULL for the default view */
    struct mcph_list link; /* link in host->views; the core's lock guards the list */
    struct mcph_stack own, *stack; /* `stack` points to `own` or to the default view's
                                    * stack */
    /* The members below are guarded by the core's lock. */
    bool of_team; /* the team file decides the view's grant */
    bool in_team; /* the team file has the view's name; the host then holds a reference to
                   * the view */
    struct mcphost_grant *grant; /* NULL if the view shows all of its stack */
    uint64_t granted;            /* host->version when the view got its grant */
    uint64_t told;               /* the value of `granted` that was announced last */
    struct mcph_sight sight;
    struct mcph_list turns; /* turns of the whole view, not of one dialog; linked by
                             * mcphost_turn.owner_link */
};

struct mcph_toolset_flags {
    char *toolset;
    unsigned flags; /* MCPH_TOOLSET_* */
};

/* Makes a view with this grant.  Freezes the grant.  If `grant` is NULL, the view has no
 * grant, and can have layers of its own, but has none at first.  `of_team` says that the
 * view belongs to a member of the team.  Any thread may call this. */
int mcph_view_new(mcphost *host, const char *name, struct mcphost_grant *grant,
                  bool of_team, mcphost_view **ret, mcphost_error **reterr);
/* Add and remove the layer of a source.  Both functions return 0, MCPHOST_E_INVALID (a
 * view without layers of its own), MCPHOST_E_CLOSED or MCPHOST_E_FORKED.
 * mcph_view_add_source() may also return MCPHOST_E_INVALID (a source of another host),
 * MCPHOST_E_STATE (the source is leaving the host) or an error of
 * mcph_stack_add_locked().  mcph_view_remove_source() may also return MCPHOST_E_NOTFOUND
 * (the view has no layer of the source).  Any thread may call these functions. */
int mcph_view_add_source(mcphost_view *view, struct mcphost_source *source,
                         const char *const *servers, size_t n);
int mcph_view_remove_source(mcphost_view *view, const struct mcphost_source *source);
int mcph_view_show_builtins(mcphost_view *view, bool on);
/* Returns true if the application may change the view's layers and built-ins. */
static inline bool
mcph_view_is_layered(const mcphost_view *view)
{
    return view->stack == &view->own;
}
/* Adds references to all views except the default view to the vector `views`.  If
 * `layered` is true, leaves out the views that have no layers of their own.  If the host
 * has ended, adds nothing and returns true.  If memory is short, returns false and leaves
 * `views` empty. */
bool mcph_views_collect(mcphost *host, bool layered, struct mcph_vec *views);
void mcph_views_release(struct mcph_vec *views);
void mcph_view_get(mcphost_view *view);
void mcph_view_put(mcphost_view *view);
int mcph_view_set_grant(mcphost_view *view, struct mcphost_grant *grant);
/* Returns the open view of this name, or NULL if no view has this name.  Call this under
 * the lock. */
mcphost_view *mcph_view_find_locked(mcphost *host, const char *name);
/* Gets the catalog that the view shows now or, if `dialog` is not NULL, that this dialog
 * of the view sees.  *ret gets a reference.  Returns 0, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_view_look(mcphost_view *view, mcphost_dialog *dialog, mcphost_catalog **ret);
/* Checks that the dialog's view gives the tool.  Returns 0, MCPHOST_E_DENIED,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
int mcph_view_check(mcphost_dialog *dialog, mcphost_tool *tool, mcphost_error **reterr);
/* Returns true if the view has a grant, or belongs to a member of the team.  A view
 * without a grant shows all tools of its stack.  Any thread may call this. */
bool mcph_view_has_grant(const mcphost_view *view);
/* Makes the error for a refused tool, and returns MCPHOST_E_DENIED.  The error's text
 * does not depend on whether the tool exists. */
int mcph_view_refuse(const mcphost_view *view, const char *tool, mcphost_error **reterr);
void mcph_sight_done(struct mcph_sight *sight);
/* Post the job that raises a problem for each granted name that is missing, and emits
 * MCPHOST_EVENT_CATALOG for each view whose grant has changed.  Call
 * mcph_views_recheck_locked() under the lock.  Call mcph_views_recheck() without the
 * lock.  mcph_views_recheck() does nothing if there is only the default view. */
void mcph_views_recheck(mcphost *host);
void mcph_views_recheck_locked(mcphost *host);
void mcph_views_report(struct mcph_job *job);
int mcph_view_set_flags(mcphost *host, const char *toolset, unsigned flags);
void mcph_views_done(mcphost *host);

#endif
