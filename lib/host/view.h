/* SPDX-License-Identifier: MIT
 *
 * view.h - views: the layers that a view is made of, and the part that a grant gives.
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
    bool chosen;                   /* it shows only these servers of the source: */
    struct mcph_vec servers;       /* char * */
};

/* The configurations of all sources of a stack at one moment.  Immutable. */
struct mcph_declared {
    struct mcph_refs refs;
    bool rejected; /* the last configuration of a source was rejected as a whole */
    size_t n;
    mcphost_config *configs[]; /* references */
};

/* What a view shows before its grant: built-in tools and layers.  Guarded by the core's
 * lock. */
struct mcph_stack {
    mcphost *host;
    const char *name;       /* name of the view; NULL: the default view */
    bool builtins;          /* the host's built-in tools are shown in front of `shown` */
    struct mcph_vec shown;  /* struct mcph_shown *; of the default view: the host's
                             * blocks */
    bool dirty;             /* `catalog` does not show the present layers and built-ins */
    struct mcph_vec layers; /* struct mcph_layer * */
    mcphost_catalog *catalog;
    struct mcph_declared *declared; /* made last by mcph_stack_declared_locked(), or
                                     * NULL */
};

struct mcph_offers {
    struct mcph_offer *items; /* each has references to its blocks */
    size_t n;
};

/* `servers` NULL: all of the source.  0, MCPHOST_E_EXISTS (the stack has a layer of this
 * source), MCPHOST_E_NOMEM. */
int mcph_stack_add_locked(struct mcph_stack *stack, struct mcphost_source *source,
                          const char *const *servers, size_t n);
/* Returns the removed layer, which the caller frees without the lock; NULL: the stack has
 * no layer of this source. */
struct mcph_layer *mcph_stack_remove_locked(struct mcph_stack *stack,
                                            const struct mcphost_source *source);
void mcph_layer_free(struct mcph_layer *layer);
bool mcph_layer_shows(const struct mcph_layer *layer, const char *server);
void mcph_stack_done(struct mcph_stack *stack);
/* Both run on the dispatcher, or before the load.  mcph_stack_shows_change() says whether
 * the stack's catalog must be made again.  mcph_stack_offer_locked() collects the blocks
 * for it, as `dialog` sees them (NULL: as the view does).  0, MCPHOST_E_NOMEM. */
bool mcph_stack_shows_change(const struct mcph_stack *stack);
int mcph_stack_offer_locked(const struct mcph_stack *stack, const mcphost_dialog *dialog,
                            struct mcph_offers *offers);
void mcph_offers_done(struct mcph_offers *offers);
/* Finds the server that has this id in the view, or the key "SOURCE:SERVER".  Returns its
 * source, a reference; *ret_server points into `id`.  An id that is not declared belongs
 * to the default source, if that has a layer which may show it.  NULL: the view has no
 * such server.  Dispatcher only, under the lock. */
struct mcphost_source *mcph_stack_find_server(const struct mcph_stack *stack,
                                              const char *id, const char **ret_server);
/* Borrowed; NULL: no memory. */
struct mcph_declared *mcph_stack_declared_locked(struct mcph_stack *stack);
struct mcph_declared *mcph_declared_ref(struct mcph_declared *declared);
/* Returns NULL; NULL is fine. */
struct mcph_declared *mcph_declared_unref(struct mcph_declared *declared);
/* The first entry with this id; NULL: there is none. */
const struct mcph_config_server *mcph_declared_find(const struct mcph_declared *declared,
                                                    const char *id);

/* ---- views (view.c) ---------------------------------------------------------------- */

/* A catalog under a grant, and what it was made from. */
struct mcph_sight {
    mcphost_catalog *base, *shown; /* references; NULL until they are first asked for */
    struct mcphost_grant *grant;
    struct mcph_declared *declared;
    uint64_t granted;
};

struct mcphost_view {
    struct mcph_refs refs; /* not used in the default view, which lives with the host */
    mcphost *host;         /* a reference to the host's memory */
    char *name;            /* NULL: the default view */
    struct mcph_list link; /* in host->views, under the lock */
    struct mcph_stack own, *stack; /* `stack` points to `own` or to the default view's
                                    * stack */
    bool of_team, in_team; /* guarded by the lock: the team decides its grant; the team
                            * has this member now, and the host holds a reference */
    /* guarded by the core's lock */
    struct mcphost_grant *grant; /* NULL: the view shows all of its stack */
    uint64_t granted;            /* host->version when the view got its grant */
    uint64_t told;               /* the last grant version that was announced */
    struct mcph_sight sight;
    struct mcph_list turns; /* mcphost_turn.owner_link: turns of the view, not of a
                             * dialog */
};

struct mcph_toolset_flags {
    char *toolset;
    unsigned flags; /* MCPH_TOOLSET_* */
};

/* Any thread.  Freezes the grant.  `grant` NULL: the view gets layers of its own, of
 * which it has none yet.  `of_team`: the view is of a member of the team. */
int mcph_view_new(mcphost *host, const char *name, struct mcphost_grant *grant,
                  bool of_team, mcphost_view **ret, mcphost_error **reterr);
/* Any thread.  0, a code of the stack's functions, MCPHOST_E_INVALID (a source of another
 * host, or a view without layers of its own), MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
int mcph_view_add_source(mcphost_view *view, struct mcphost_source *source,
                         const char *const *servers, size_t n);
int mcph_view_remove_source(mcphost_view *view, const struct mcphost_source *source);
int mcph_view_show_builtins(mcphost_view *view, bool on);
/* Whether the application may change its layers and built-ins. */
static inline bool
mcph_view_is_layered(const mcphost_view *view)
{
    return view->stack == &view->own;
}
/* Adds references to all views except the default one; with `layered`, to those with
 * layers of their own only.  False: memory is short, and `views` has none. */
bool mcph_views_collect(mcphost *host, bool layered, struct mcph_vec *views);
void mcph_views_release(struct mcph_vec *views);
void mcph_view_get(mcphost_view *view);
void mcph_view_put(mcphost_view *view);
int mcph_view_set_grant(mcphost_view *view, struct mcphost_grant *grant);
/* The open view of this name, or NULL; under the lock. */
mcphost_view *mcph_view_find_locked(mcphost *host, const char *name);
/* The catalog that the view shows now, or that a dialog of it sees (NULL: the view's).
 * *ret gets a reference.  0, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_view_look(mcphost_view *view, mcphost_dialog *dialog, mcphost_catalog **ret);
/* 0 if the dialog's view gives the tool, MCPHOST_E_DENIED, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_view_check(mcphost_dialog *dialog, mcphost_tool *tool, mcphost_error **reterr);
/* False: the view shows all of its stack.  Any thread. */
bool mcph_view_has_grant(const mcphost_view *view);
/* Makes the refusal of a tool and returns MCPHOST_E_DENIED.  The words do not depend on
 * whether the tool exists. */
int mcph_view_refuse(const mcphost_view *view, const char *tool, mcphost_error **reterr);
void mcph_sight_done(struct mcph_sight *sight);
/* Posts the job that raises a problem for each granted name that is missing.
 * `mcph_views_recheck_locked`: under the lock. */
void mcph_views_recheck(mcphost *host);
void mcph_views_recheck_locked(mcphost *host);
void mcph_views_report(struct mcph_job *job);
int mcph_view_set_flags(mcphost *host, const char *toolset, unsigned flags);
void mcph_views_done(mcphost *host);

#endif
