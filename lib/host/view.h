/* SPDX-License-Identifier: MIT
 *
 * view.h - what a view shows: a stack of layers, and what a grant gives of it.
 */
#ifndef MCPH_HOST_VIEW_H
#define MCPH_HOST_VIEW_H

#include "catalog/catalog.h"
#include "config/config.h"
#include "workspace/workspace.h"

#include <mcphost/mcphost.h>

struct mcphost_dialog;

/* ---- stacks (stack.c) -------------------------------------------------------------- */

/* A source in a view. */
struct mcph_layer {
    struct mcphost_source *source; /* a reference */
    bool chosen;                   /* only these servers of it: */
    struct mcph_vec servers;       /* char * */
};

/* The configurations of a stack, as they were together.  Immutable. */
struct mcph_declared {
    struct mcph_refs refs;
    bool rejected; /* the last one of a source was, as a whole */
    size_t n;
    mcphost_config *configs[]; /* references */
};

/* What a view shows before its grant.  Under the lock. */
struct mcph_stack {
    mcphost *host;
    const char *name;       /* of its view; NULL: the default one */
    bool builtins;          /* the host's built-in tools are in it, in front of: */
    struct mcph_vec shown;  /* struct mcph_shown *; of the default view: the host's */
    bool dirty;             /* its layers are not those of its catalog */
    struct mcph_vec layers; /* struct mcph_layer * */
    mcphost_catalog *catalog;
    struct mcph_declared *declared; /* of the last time, or NULL */
};

struct mcph_offers {
    struct mcph_offer *items; /* with references to their blocks */
    size_t n;
};

/* `servers` NULL: all of the source.  0, MCPHOST_E_EXISTS (it has a layer), _NOMEM. */
int mcph_stack_add_locked(struct mcph_stack *stack, struct mcphost_source *source,
                          const char *const *servers, size_t n);
/* The layer, which is to be freed without the lock; NULL: the source has none. */
struct mcph_layer *mcph_stack_remove_locked(struct mcph_stack *stack,
                                            const struct mcphost_source *source);
void mcph_layer_free(struct mcph_layer *layer);
bool mcph_layer_shows(const struct mcph_layer *layer, const char *server);
void mcph_stack_done(struct mcph_stack *stack);
/* From dispatch, or before load: whether its catalog is to be made anew; what that is
 * made of, as `dialog` is to see it (NULL: anybody).  0, MCPHOST_E_NOMEM. */
bool mcph_stack_shows_change(const struct mcph_stack *stack);
int mcph_stack_offer_locked(const struct mcph_stack *stack, const mcphost_dialog *dialog,
                            struct mcph_offers *offers);
void mcph_offers_done(struct mcph_offers *offers);
/* The source of the server that goes by this id in the view, or by "SOURCE:SERVER"; of one
 * that is not declared, the default source if it has a layer.  NULL: the view has no such
 * server.  A reference; *ret_server points into `id`.  From dispatch, under the lock. */
struct mcphost_source *mcph_stack_find_server(const struct mcph_stack *stack,
                                              const char *id, const char **ret_server);
/* Borrowed; NULL: no memory. */
struct mcph_declared *mcph_stack_declared_locked(struct mcph_stack *stack);
struct mcph_declared *mcph_declared_ref(struct mcph_declared *declared);
struct mcph_declared *mcph_declared_unref(struct mcph_declared *declared); /* NULL */
/* The first entry of this id. */
const struct mcph_config_server *mcph_declared_find(const struct mcph_declared *declared,
                                                    const char *id);

/* ---- views (view.c) ---------------------------------------------------------------- */

/* A catalog as a grant shows it, and what it was made of. */
struct mcph_sight {
    mcphost_catalog *base, *shown; /* references; NULL: nothing was asked for yet */
    struct mcphost_grant *grant;
    struct mcph_declared *declared;
    uint64_t granted;
};

struct mcphost_view {
    struct mcph_refs refs; /* of the default view: not used, it lives with the host */
    mcphost *host;         /* its memory */
    char *name;            /* NULL: the default view */
    struct mcph_list link; /* in host->views, under the lock */
    struct mcph_stack own, *stack; /* `own`, or the default view's */
    bool of_team, in_team; /* under the lock: the team decides its grant; it is in it
                            * now, and the host has a reference */
    /* under the lock */
    struct mcphost_grant *grant; /* NULL: everything in its stack */
    uint64_t granted;            /* the host's version when it got the grant */
    uint64_t told;               /* the like of which an event has told */
    struct mcph_sight sight;
    struct mcph_list turns; /* of no dialog: mcphost_turn.owner_link */
};

struct mcph_toolset_flags {
    char *toolset;
    unsigned flags; /* MCPH_TOOLSET_* */
};

/* Any thread.  The grant is frozen; NULL: a view of its own layers, which has none yet.
 * A view of the team has `of_team`. */
int mcph_view_new(mcphost *host, const char *name, struct mcphost_grant *grant,
                  bool of_team, mcphost_view **ret, mcphost_error **reterr);
/* Any thread; 0 or what the stack says, MCPHOST_E_INVALID (a source of another host, or a
 * view without layers of its own), MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
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
/* References to all views but the default one, or to those with layers of their own;
 * false: no memory, and no view. */
bool mcph_views_collect(mcphost *host, bool layered, struct mcph_vec *views);
void mcph_views_release(struct mcph_vec *views);
void mcph_view_get(mcphost_view *view);
void mcph_view_put(mcphost_view *view);
int mcph_view_set_grant(mcphost_view *view, struct mcphost_grant *grant);
/* The open view of this name, or NULL; under the lock. */
mcphost_view *mcph_view_find_locked(mcphost *host, const char *name);
/* What the view shows now, or a dialog of it (NULL: none).  *ret gets a reference.
 * 0, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_view_look(mcphost_view *view, mcphost_dialog *dialog, mcphost_catalog **ret);
/* 0 when the dialog's view gives the tool, MCPHOST_E_DENIED, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_view_check(mcphost_dialog *dialog, mcphost_tool *tool, mcphost_error **reterr);
/* False: nothing that its stack has is kept from it.  Any thread. */
bool mcph_view_has_grant(const mcphost_view *view);
/* The refusal, in the same words whatever there is. */
int mcph_view_refuse(const mcphost_view *view, const char *tool, mcphost_error **reterr);
void mcph_sight_done(struct mcph_sight *sight);
/* What the views miss is to be told anew; `_locked`: under the lock. */
void mcph_views_recheck(mcphost *host);
void mcph_views_recheck_locked(mcphost *host);
void mcph_views_report(struct mcph_job *job);
int mcph_view_set_flags(mcphost *host, const char *toolset, unsigned flags);
void mcph_views_done(mcphost *host);

#endif
