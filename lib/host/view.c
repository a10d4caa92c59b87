/* SPDX-License-Identifier: MIT
 *
 * view.c - views: the default view, views with a grant that show a part of the default
 * view, and views of layers (R83-R87).
 *
 * mcph_view_look() makes the catalog of a view with a grant on first use.  The inputs
 * are the stack's present catalog, the present grant and the present configuration.
 * The view keeps its catalog until one of these three inputs changes.  This catalog is
 * made without the lock.  The default view has no grant.  A view of layers has a grant
 * only if mcphost_view_set_grant() has set a grant.  A view without a grant shows all
 * of its stack.
 *
 * mcph_view_check() checks a call against the present grant.  The called tool may be from
 * any catalog.
 */
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/publish.h"
#include "host/subscription.h"
#include "host/turn.h"
#include "host/view.h"

static bool
is_default(const mcphost_view *view)
{
    return view == &view->host->view;
}

/* ---- life -------------------------------------------------------------------------- */

/* Adds a reference.  The default view has no count of its own, because it lives as long
 * as its host's memory. */
void
mcph_view_get(mcphost_view *view)
{
    if (is_default(view))
        mcph_host_get_mem(view->host);
    else
        mcph_refs_get(&view->refs);
}

static void
view_free(mcphost_view *view)
{
    mcphost *host = view->host;

    mcph_sight_done(&view->sight);
    mcph_stack_done(&view->own);
    mcph_grant_unref(view->grant);
    free(view->name);
    free(view);
    mcph_host_put_mem(host);
}

void
mcph_view_put(mcphost_view *view)
{
    mcphost *host;
    bool last;

    if (!view)
        return;
    host = view->host;
    if (is_default(view)) {
        mcph_host_put_mem(host);
        return;
    }
    if (mcph_core_enter_closed(host->core) < 0)
        return; /* in a forked child, leave the view and the host unfreed */
    last = mcph_refs_put(&view->refs);
    if (last) {
        mcph_list_remove(&view->link);
        mcph_views_recheck_locked(host);
    }
    mcph_core_leave(host->core);
    if (last)
        view_free(view);
}

mcphost_view *
mcph_view_find_locked(mcphost *host, const char *name)
{
    mcph_list_for_each_entry (view, &host->views, mcphost_view, link) {
        if (strcmp(view->name, name) == 0)
            return view;
    }
    return NULL;
}

/* Sets the grant of the view.  Call this under the lock. */
static void
take_grant(mcphost_view *view, struct mcphost_grant *grant)
{
    mcphost *host = view->host;

    if (grant)
        atomic_store(&grant->frozen, true);
    view->grant = mcph_grant_ref(grant);
    view->granted = ++host->version;
    mcph_views_recheck_locked(host);
}

/* Makes an empty catalog, so that the view always has a catalog.  Call this under the
 * lock. */
static int
start_empty(mcphost_view *view)
{
    int r =
        mcph_catalog_new(++view->host->version, NULL, NULL, 0, &view->own.catalog, NULL);

    if (r < 0)
        mcph_list_remove(&view->link);
    return r;
}

int
mcph_view_new(mcphost *host, const char *name, struct mcphost_grant *grant, bool of_team,
              mcphost_view **ret, mcphost_error **reterr)
{
    mcphost_view *view = calloc(1, sizeof(*view));
    int r;

    if (!view)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&view->refs);
    mcph_list_init(&view->link);
    mcph_list_init(&view->turns);
    view->of_team = of_team;
    view->host = view->own.host = host;
    view->stack = grant ? &host->view.own : &view->own;
    mcph_host_get_mem(host);
    view->name = mcph_strdup(name);
    if (!view->name) {
        view_free(view);
        return mcph_err_nomem(reterr);
    }
    r = mcph_host_enter(host);
    if (r < 0) {
        view_free(view);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    if (mcph_view_find_locked(host, name)) {
        r = mcph_err(reterr, MCPHOST_E_EXISTS, "a view '%.64s' is open already", name);
    } else {
        host->flags_used = true;
        view->own.name = view->name;
        view->own.dirty = !grant;
        mcph_list_append(&host->views, &view->link);
        take_grant(view, grant);
        view->told = view->granted; /* the first grant needs no event */
        if (!grant && start_empty(view) < 0)
            r = mcph_err_nomem(reterr);
    }
    mcph_core_leave(host->core);
    if (r < 0)
        view_free(view);
    else
        *ret = view;
    return r;
}

int
mcph_view_set_grant(mcphost_view *view, struct mcphost_grant *grant)
{
    struct mcphost_grant *old;
    int r;

    if (is_default(view))
        return MCPHOST_E_INVALID;
    r = mcph_host_enter(view->host);
    if (r < 0)
        return r;
    old = view->grant;
    take_grant(view, grant);
    mcph_core_leave(view->host->core);
    mcph_grant_unref(old);
    return 0;
}

/* Drops the host's references to the views of team members. */
void
mcph_views_done(mcphost *host)
{
    mcph_list_for_each_safe (item, &host->views) {
        mcphost_view *view = MCPH_LIST_ENTRY(item, mcphost_view, link);

        if (view->in_team) {
            view->in_team = false;
            mcph_view_put(view);
        }
    }
}

/* ---- layers ------------------------------------------------------------------------ */

int
mcph_view_add_source(mcphost_view *view, struct mcphost_source *source,
                     const char *const *servers, size_t n)
{
    mcphost *host = view->host;
    int r;

    if (!mcph_view_is_layered(view) || source->ws != &host->workspace)
        return MCPHOST_E_INVALID;
    r = mcph_host_enter(host);
    if (r < 0)
        return r;
    r = source->leaving ? MCPHOST_E_STATE
                        : mcph_stack_add_locked(view->stack, source, servers, n);
    if (r == 0)
        mcph_publish_soon_locked(host);
    mcph_core_leave(host->core);
    return r;
}

int
mcph_view_remove_source(mcphost_view *view, const struct mcphost_source *source)
{
    mcphost *host = view->host;
    struct mcph_layer *layer;
    int r;

    if (!mcph_view_is_layered(view))
        return MCPHOST_E_INVALID;
    r = mcph_host_enter(host);
    if (r < 0)
        return r;
    layer = mcph_stack_remove_locked(view->stack, source);
    r = layer ? 0 : MCPHOST_E_NOTFOUND;
    if (layer)
        mcph_publish_soon_locked(host);
    mcph_core_leave(host->core);
    mcph_layer_free(layer);
    return r;
}

int
mcph_view_show_builtins(mcphost_view *view, bool on)
{
    mcphost *host = view->host;
    int r;

    if (!mcph_view_is_layered(view))
        return MCPHOST_E_INVALID;
    r = mcph_host_enter(host);
    if (r < 0)
        return r;
    if (on)
        r = mcph_shown_check_locked(view->stack);
    if (r == 0) {
        view->stack->dirty |= view->stack->builtins != on;
        view->stack->builtins = on;
        mcph_publish_soon_locked(host);
    }
    mcph_core_leave(host->core);
    return r;
}

/* ---- flags of toolsets ------------------------------------------------------------- */

static struct mcph_toolset_flags *
find_flags(const mcphost *host, const char *toolset)
{
    for (size_t i = 0; i < host->toolset_flags.n; i++) {
        struct mcph_toolset_flags *flags = host->toolset_flags.items[i];

        if (strcmp(flags->toolset, toolset) == 0)
            return flags;
    }
    return NULL;
}

static int
add_flags(mcphost *host, const char *toolset, unsigned flags)
{
    struct mcph_toolset_flags *entry = calloc(1, sizeof(*entry));

    if (!entry)
        return MCPHOST_E_NOMEM;
    entry->flags = flags;
    entry->toolset = mcph_strdup(toolset);
    if (entry->toolset && mcph_vec_add(&host->toolset_flags, entry) == 0)
        return 0;
    free(entry->toolset);
    free(entry);
    return MCPHOST_E_NOMEM;
}

int
mcph_view_set_flags(mcphost *host, const char *toolset, unsigned flags)
{
    struct mcph_toolset_flags *entry;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    entry = find_flags(host, toolset);
    if (host->loaded || host->flags_used)
        r = MCPHOST_E_STATE;
    else if (entry)
        entry->flags = flags;
    else
        r = add_flags(host, toolset, flags);
    mcph_core_leave(host->core);
    return r;
}

/* ---- what a view shows ------------------------------------------------------------- */

struct world {
    const mcphost *host;
    const struct mcph_declared *declared;
};

/* Returns the flags of a toolset.  Needs no lock, because the flags no longer change. */
static unsigned
flags_of(const char *toolset, void *arg)
{
    const struct world *world = arg;
    const struct mcph_toolset_flags *entry = find_flags(world->host, toolset);
    unsigned flags = entry ? entry->flags : 0;

    if (world->host->options[MCPHOST_OPT_ADMIN_TOOLS] &&
        strcmp(toolset, MCPH_ADMIN_TOOLSET) == 0)
        flags |= MCPH_TOOLSET_NOT_BY_STAR;
    return flags;
}

/* Returns the block of mcp_admin if the view does not show this block before its grant
 * applies: only a grant that names this toolset then gives the block.  Otherwise returns
 * NULL. */
static struct mcph_block *
apart_of(const mcphost_view *view)
{
    const mcphost *host = view->host;
    bool shown = host->options[MCPHOST_OPT_ADMIN_TOOLS] && view->stack->builtins;

    return shown ? NULL : host->admin.block;
}

static enum mcphost_lack
lack_of(const char *toolset, void *arg)
{
    const struct world *world = arg;
    const struct mcph_config_server *entry = mcph_declared_find(world->declared, toolset);

    if (!entry)
        return MCPHOST_LACK_UNKNOWN;
    if (entry->state == MCPHOST_CONFIG_SERVER_INVALID)
        return MCPHOST_LACK_INVALID;
    return entry->state == MCPHOST_CONFIG_SERVER_DISABLED ? MCPHOST_LACK_DISABLED
                                                          : MCPHOST_LACK_DOWN;
}

void
mcph_sight_done(struct mcph_sight *sight)
{
    mcph_catalog_unref(sight->base);
    mcph_catalog_unref(sight->shown);
    mcph_grant_unref(sight->grant);
    mcph_declared_unref(sight->declared);
    *sight = (struct mcph_sight){0};
}

/* Returns the present inputs of the catalog that the view or the dialog shows, without
 * references.  Call this under the lock. */
static struct mcph_sight
present_inputs(const mcphost_view *view, const mcphost_dialog *dialog)
{
    return (struct mcph_sight){
        .base = dialog && dialog->catalog ? dialog->catalog : view->stack->catalog,
        .grant = view->grant,
        .declared = view->grant && view->stack->catalog
                        ? mcph_stack_declared_locked(view->stack)
                        : NULL,
        .granted = view->granted,
        .apart = apart_of(view),
    };
}

static bool
same_inputs(const struct mcph_sight *a, const struct mcph_sight *b)
{
    return a->base == b->base && a->grant == b->grant && a->declared == b->declared;
}

/* Returns the struct that keeps the catalog of the view or the dialog.  Call this under
 * the lock. */
static struct mcph_sight *
sight_slot(mcphost_view *view, mcphost_dialog *dialog)
{
    return dialog && dialog->catalog ? &dialog->sight : &view->sight;
}

/* Makes the catalog sight->shown from the inputs in `sight`.  Runs without the lock. */
static int
make_shown(const mcphost *host, struct mcph_sight *sight)
{
    struct world about = {host, sight->declared};
    const struct mcph_grant_world world = {.flags = flags_of,
                                           .lack = lack_of,
                                           .config_rejected = sight->declared &&
                                                              sight->declared->rejected,
                                           .apart = sight->apart,
                                           .arg = &about};
    uint64_t version = sight->base->version;

    if (version < sight->granted)
        version = sight->granted;
    return mcph_catalog_new_granted(version, sight->base, sight->grant, &world,
                                    &sight->shown, NULL);
}

/* Keeps the new catalog, unless an input has changed meanwhile.  If the new catalog is
 * equal to the kept catalog, the kept catalog stays in use with its version. */
static void
keep_sight(mcphost_view *view, mcphost_dialog *dialog, struct mcph_sight *made)
{
    struct mcph_sight now, *kept, old;

    mcph_core_lock(view->host->core);
    now = present_inputs(view, dialog);
    kept = sight_slot(view, dialog);
    if (kept->shown && mcph_catalog_same(kept->shown, made->shown)) {
        mcph_catalog_unref(made->shown);
        made->shown = mcph_catalog_ref(kept->shown);
    } else if (kept->shown && made->shown->version <= kept->shown->version) {
        /* Give the new catalog a newer version, because the set of granted names that the
         * catalog lacks has changed.  The base is the same. */
        made->shown->version = ++view->host->version;
    }
    if (same_inputs(&now, made)) {
        old = *kept;
        *kept = *made;
        made->shown = mcph_catalog_ref(made->shown);
        old.shown = mcph_catalog_unref(old.shown);
        made->base = old.base;
        made->grant = old.grant;
        made->declared = old.declared;
    }
    mcph_core_unlock(view->host->core);
}

/* Gets the catalog if it need not be made.  Returns 0 if *ret is the catalog.  Returns 1
 * if the catalog must be made from the inputs in *ret_made.  In this case, *ret_made has
 * references to the inputs.  Otherwise returns an error code.  Call this under the
 * lock. */
static int
look_locked(mcphost_view *view, mcphost_dialog *dialog, mcphost_catalog **ret,
            struct mcph_sight *ret_made)
{
    struct mcph_sight now = present_inputs(view, dialog);
    const struct mcph_sight *kept = sight_slot(view, dialog);

    if (!now.base || (dialog && dialog->closed))
        return MCPHOST_E_CLOSED;
    if (!now.grant) {
        *ret = mcph_catalog_ref(now.base);
        return 0;
    }
    if (kept->shown && same_inputs(&now, kept)) {
        *ret = mcph_catalog_ref(kept->shown);
        return 0;
    }
    *ret_made = now;
    mcph_catalog_ref(now.base);
    mcph_grant_ref(now.grant);
    mcph_declared_ref(now.declared);
    return 1;
}

int
mcph_view_look(mcphost_view *view, mcphost_dialog *dialog, mcphost_catalog **ret)
{
    mcphost *host = view->host;
    struct mcph_sight made = {0};
    int r = dialog ? mcph_host_enter(host) : mcph_core_enter_closed(host->core);

    if (r < 0)
        return r;
    r = look_locked(view, dialog, ret, &made);
    mcph_core_leave(host->core);
    if (r != 1)
        return r;
    r = make_shown(host, &made);
    if (r == 0) {
        keep_sight(view, dialog, &made);
        *ret = made.shown;
        made.shown = NULL;
    }
    mcph_sight_done(&made);
    return r;
}

bool
mcph_view_has_grant(const mcphost_view *view)
{
    bool has;

    mcph_core_lock(view->host->core);
    has = view->of_team || view->grant;
    mcph_core_unlock(view->host->core);
    return has;
}

/* ---- calls ------------------------------------------------------------------------- */

int
mcph_view_refuse(const mcphost_view *view, const char *tool, mcphost_error **reterr)
{
    if (!view->name)
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "tool '%.64s' is not offered without a grant", tool);
    return mcph_err(reterr, MCPHOST_E_DENIED, "tool '%.64s' is not granted to '%.64s'",
                    tool, view->name);
}

/* Returns the successor of a tool from an older catalog: the tool that now carries out
 * calls of the older tool.  Returns NULL if the older tool has no successor. */
static const mcphost_tool *
find_successor(const mcphost_catalog *base, mcphost_tool *tool)
{
    const mcphost_server *entry =
        tool->block->spec ? mcph_catalog_entry(base, tool->block) : NULL;

    return entry ? mcph_block_successor(entry->block, tool) : NULL;
}

/* Returns true if the present grant gives the tool and its successor.  The grant's
 * names refer to tools of now->base.  If `kept` is true, a turn of the dialog keeps the
 * tool, and a successor does not matter. */
static bool
gives_tool(const mcphost *host, const struct mcph_sight *now, mcphost_tool *tool,
           bool kept)
{
    struct world about = {host, now->declared};
    const struct mcph_grant_world world = {
        .flags = flags_of, .apart = now->apart, .arg = &about};
    const mcphost_tool *next = kept ? NULL : find_successor(now->base, tool);

    return mcph_grant_gives(now->grant, now->base, &world, tool) &&
           (!next || mcph_grant_gives(now->grant, now->base, &world, next));
}

int
mcph_view_check(mcphost_dialog *dialog, mcphost_tool *tool, mcphost_error **reterr)
{
    mcphost_view *view = dialog->view;
    struct mcph_sight now;
    mcphost_catalog *kept;
    bool given;
    int r;

    if (is_default(view))
        return tool->block == apart_of(view)
                   ? mcph_view_refuse(view, mcph_tool_name(tool), reterr)
                   : 0;
    kept = mcph_turn_kept(dialog, tool->block);
    r = mcph_core_enter_closed(view->host->core);
    if (r == 0) {
        now = present_inputs(view, dialog);
        if (kept)
            now.base = kept;
        r = now.base ? 0 : MCPHOST_E_CLOSED;
        mcph_catalog_ref(now.base);
        mcph_grant_ref(now.grant);
        now.declared = NULL;
        mcph_core_leave(view->host->core);
    }
    if (r < 0) {
        mcph_catalog_unref(kept);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    given = now.grant ? gives_tool(view->host, &now, tool, kept != NULL)
                      : tool->block != now.apart;
    mcph_sight_done(&now);
    mcph_catalog_unref(kept);
    return given ? 0 : mcph_view_refuse(view, mcph_tool_name(tool), reterr);
}

/* ---- granted names that are missing ------------------------------------------------ */

void
mcph_views_recheck_locked(mcphost *host)
{
    if (host->views_posted || host->ended)
        return;
    host->views_posted = true;
    mcph_core_post_locked(host->core, &host->views_job);
}

void
mcph_views_recheck(mcphost *host)
{
    mcph_core_lock(host->core);
    if (!mcph_list_empty(&host->views))
        mcph_views_recheck_locked(host);
    mcph_core_unlock(host->core);
}

static void
raise_missing(mcphost_view *view, const struct mcph_missing *missing)
{
    struct mcph_buf id, message, detail;
    struct mcph_problem_draft draft = {.kind = "team_workspace_config_error",
                                       .severity = MCPHOST_SEVERITY_WARNING,
                                       .sweep = &view->host->grant_sweep};

    mcph_buf_init(&id, 64 * 1024);
    mcph_buf_init(&message, 64 * 1024);
    mcph_buf_init(&detail, 64 * 1024);
    mcph_missing_add_id(&id, view->name, missing);
    mcph_missing_add_message(&message, view->name, missing);
    mcph_buf_addc(&detail, '{');
    mcph_json_add_member(&detail, "member", view->name);
    mcph_json_add_member(&detail, missing->list == MCPH_GRANT_TOOLS ? "tool" : "toolset",
                         missing->item->text);
    mcph_json_add_member(&detail, "reason",
                         mcphost_enum_get_name(MCPHOST_ENUM_LACK, (int)missing->lack));
    mcph_buf_addc(&detail, '}');
    draft.id = mcph_buf_text(&id);
    draft.message = mcph_buf_text(&message);
    draft.detail = mcph_buf_text(&detail);
    mcph_problem_raise(&view->host->journal, &draft);
    mcph_buf_done(&id);
    mcph_buf_done(&message);
    mcph_buf_done(&detail);
}

static void
report_change(mcphost_view *view)
{
    mcphost *host = view->host;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CATALOG, .text = view->name};
    mcphost_catalog *catalog;
    bool told;

    if (mcph_view_look(view, NULL, &catalog) < 0)
        return;
    for (size_t i = 0; i < catalog->n_missing; i++)
        raise_missing(view, &catalog->missing[i]);
    mcph_core_lock(host->core);
    told = view->told == view->granted;
    view->told = view->granted;
    mcph_core_unlock(host->core);
    event.version = catalog->version;
    if (!told)
        mcph_emit(&host->journal, &event);
    mcph_catalog_unref(catalog);
}

bool
mcph_views_collect(mcphost *host, bool layered, struct mcph_vec *views)
{
    size_t n = 0;
    int r;

    mcph_core_lock(host->core);
    mcph_list_for_each (item, &host->views)
        n++;
    r = host->ended ? 0 : mcph_vec_reserve(views, n);
    if (!host->ended && r == 0) {
        mcph_list_for_each_entry (view, &host->views, mcphost_view, link) {
            if (layered && view->stack != &view->own)
                continue;
            mcph_view_get(view);
            mcph_vec_add(views, view);
        }
    }
    mcph_core_unlock(host->core);
    return r == 0;
}

void
mcph_views_release(struct mcph_vec *views)
{
    for (size_t i = 0; i < views->n; i++)
        mcph_view_put(views->items[i]);
    mcph_vec_done(views);
}

void
mcph_views_report(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, views_job);
    struct mcph_vec views = {0};

    mcph_core_lock(host->core);
    host->views_posted = false;
    mcph_core_unlock(host->core);
    (void)mcph_views_collect(host, false, &views);
    mcph_problem_sweep_begin(&host->journal, &host->grant_sweep);
    for (size_t i = 0; i < views.n; i++)
        report_change(views.items[i]);
    mcph_problem_sweep_end(&host->journal, &host->grant_sweep);
    mcph_views_release(&views);
    mcph_subscriptions_look_soon(host);
}
