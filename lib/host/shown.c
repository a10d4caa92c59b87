/* SPDX-License-Identifier: MIT
 *
 * shown.c - the blocks of built-in tools that views show (R27, R28, R211).
 *
 * A block has the built-in tools and toolsets of one owner.  The owner is a word that the
 * application chooses.  A stack has the blocks of one view (stack.c).
 *
 * Blocks are added, replaced and removed at any time, on any thread.  The lock guards the
 * blocks of a stack.  The dispatcher makes catalogs of the blocks.  Before the host is
 * loaded, the default view's catalog is made at once.  A removed block gets no more
 * calls, because each call goes to a block that the stack shows when the call runs.
 *
 * The toolset mcp_admin comes before the other blocks while MCPHOST_OPT_ADMIN_TOOLS is
 * set.  While the option is not set, the toolset is only in the catalogs of views whose
 * grant names the toolset, and other tools may have the names of its tools.
 */
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/host.h"
#include "host/publish.h"
#include "host/view.h"

/* One change of the blocks that a stack shows. */
struct change {
    struct mcph_stack *stack;
    struct mcph_shown *in;  /* the new block, or NULL */
    struct mcph_shown *out; /* the block to remove, or NULL */
    mcphost_catalog *old;   /* the old catalog, if the change replaced it before the
                             * load; else NULL */
};

/* Frees a block.  Never call this under the lock, because freeing may run functions of
 * the application. */
static void
shown_free(struct mcph_shown *shown)
{
    if (!shown)
        return;
    mcph_block_unref(shown->block);
    mcph_builtins_unref(shown->builtins);
    free(shown);
}

void
mcph_shown_done(struct mcph_vec *shown)
{
    for (size_t i = 0; i < shown->n; i++)
        shown_free(shown->items[i]);
    mcph_vec_done(shown);
    *shown = (struct mcph_vec){0};
}

static int
shown_new(mcphost *host, mcphost_builtins *builtins, struct mcph_shown **ret,
          mcphost_error **reterr)
{
    struct mcph_shown *shown = calloc(1, sizeof(*shown));
    int r;

    if (!shown)
        return mcph_err_nomem(reterr);
    r = mcph_builtins_make_block(builtins, host, &shown->block, reterr);
    if (r < 0) {
        free(shown);
        return r;
    }
    atomic_store(&builtins->frozen, true);
    shown->builtins = mcph_builtins_ref(builtins);
    *ret = shown;
    return 0;
}

/* ---- the blocks of a stack --------------------------------------------------------- */

static bool
is_base(const struct mcph_stack *stack)
{
    return stack == &stack->host->view.own;
}

/* Returns the block of the stack at this index, or NULL past the end.  If `hosts` is
 * true, the host's blocks come before the view's own blocks. */
static const struct mcph_shown *
shown_at(const struct mcph_stack *stack, bool hosts, size_t i)
{
    const mcphost *host = stack->host;
    const struct mcph_vec *base = &host->view.own.shown;

    if (hosts && host->options[MCPHOST_OPT_ADMIN_TOOLS] && i-- == 0)
        return &host->admin;
    if (hosts && i < base->n)
        return base->items[i];
    if (hosts)
        i -= base->n;
    return !is_base(stack) && i < stack->shown.n ? stack->shown.items[i] : NULL;
}

const struct mcph_shown *
mcph_shown_at(const struct mcph_stack *stack, size_t i)
{
    return shown_at(stack, stack->builtins, i);
}

/* Returns the block of this owner, or NULL. */
static struct mcph_shown *
find_shown(const struct mcph_stack *stack, const char *owner)
{
    for (size_t i = 0; i < stack->shown.n; i++) {
        struct mcph_shown *shown = stack->shown.items[i];

        if (strcmp(shown->builtins->owner, owner) == 0)
            return shown;
    }
    return NULL;
}

/* ---- names ------------------------------------------------------------------------- */

static bool
has_set(const struct mcph_block *block, const char *name)
{
    for (size_t i = 0; i < block->n_sets; i++) {
        if (strcmp(block->sets[i].name, name) == 0)
            return true;
    }
    return false;
}

static int
check_pair(const struct mcph_block *block, const struct mcph_block *other,
           mcphost_error **reterr)
{
    for (size_t i = 0; i < block->n_sets; i++) {
        const char *name = block->sets[i].name;

        if (has_set(other, name))
            return mcph_err(reterr, MCPHOST_E_EXISTS,
                            "there is a built-in toolset '%s' already", name);
    }
    for (size_t i = 0; i < block->n_items; i++) {
        const char *name = mcph_tool_name(&block->items[i]);

        if (mcph_block_find_original(other, name))
            return mcph_err(reterr, MCPHOST_E_EXISTS,
                            "there is a built-in tool '%s' already", name);
    }
    return 0;
}

/* Checks that no block except `out` has a name that `block` has. */
static int
check_in(const struct mcph_stack *stack, bool hosts, const struct mcph_block *block,
         const struct mcph_shown *out, mcphost_error **reterr)
{
    const struct mcph_shown *other;
    int r = 0;

    for (size_t i = 0; r == 0 && (other = shown_at(stack, hosts, i)); i++) {
        if (other != out && other->block != block)
            r = check_pair(block, other->block, reterr);
    }
    return r;
}

/* Checks that the names of `block` are free in each view that is to show `block`. */
static int
check_names(const struct mcph_stack *stack, const struct mcph_block *block,
            const struct mcph_shown *out, mcphost_error **reterr)
{
    mcphost *host = stack->host;
    int r;

    if (!is_base(stack))
        return check_in(stack, stack->builtins, block, out, reterr);
    r = check_in(stack, true, block, out, reterr);
    mcph_list_for_each_entry (view, &host->views, const mcphost_view, link) {
        if (r == 0 && view->own.builtins)
            r = check_in(&view->own, false, block, out, reterr);
    }
    return r;
}

int
mcph_shown_check_locked(const struct mcph_stack *stack)
{
    const struct mcph_shown *shown;
    int r = 0;

    for (size_t i = 0; r == 0 && (shown = shown_at(stack, false, i)); i++)
        r = check_in(stack, true, shown->block, NULL, NULL);
    return r;
}

/* ---- changes ----------------------------------------------------------------------- */

/* Requests new catalogs for all views that show the stack's blocks.  Before the load,
 * makes the default view's catalog at once.  Call this under the lock. */
static int
publish_change(struct change *change)
{
    struct mcph_stack *stack = change->stack;
    mcphost *host = stack->host;

    mcph_list_for_each_entry (view, &host->views, mcphost_view, link)
        view->own.dirty |= is_base(stack) && view->own.builtins;
    if (!host->loaded && is_base(stack))
        return mcph_publish_locked(host, &change->old);
    stack->dirty = true;
    mcph_publish_soon_locked(host);
    return 0;
}

/* Puts the new block in the place of the block to remove.  Without a block to remove,
 * puts the new block at the end.  Without a new block, only removes a block.  Call this
 * under the lock. */
static int
carry_out(struct change *change, mcphost_error **reterr)
{
    struct mcph_stack *stack = change->stack;
    struct mcph_vec next = {0}, before = stack->shown;

    if (mcph_vec_reserve(&next, before.n + 1) < 0)
        return mcph_err_nomem(reterr);
    for (size_t i = 0; i < before.n; i++) {
        if (before.items[i] != change->out)
            mcph_vec_add(&next, before.items[i]);
        else if (change->in)
            mcph_vec_add(&next, change->in);
    }
    if (change->in && !change->out)
        mcph_vec_add(&next, change->in);
    stack->shown = next;
    if (publish_change(change) < 0) {
        stack->shown = before;
        mcph_vec_done(&next);
        return mcph_err_nomem(reterr);
    }
    mcph_vec_done(&before);
    change->in = NULL;
    return 0;
}

/* Begins a change, and takes the lock.  Takes over `in`.  After a failure, the lock is
 * not held. */
static int
begin_change(struct change *change, struct mcph_stack *stack, struct mcph_shown *in,
             mcphost_error **reterr)
{
    int r = mcph_host_enter(stack->host);

    *change = (struct change){.stack = stack, .in = in};
    if (r == 0)
        return 0;
    shown_free(in);
    return mcph_err(reterr, r, "%s", mcphost_strerror(r));
}

/* Releases the lock, emits MCPHOST_EVENT_CATALOG if a catalog was replaced, and frees the
 * blocks and the catalog that are not needed any more. */
static int
end_change(struct change *change, int r)
{
    mcphost *host = change->stack->host;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CATALOG,
                                  .version = host->version};

    mcph_core_leave(host->core);
    if (change->old)
        mcph_emit(&host->journal, &event);
    mcph_catalog_unref(change->old);
    shown_free(change->in);
    if (r == 0)
        shown_free(change->out);
    return r;
}

int
mcph_shown_set(struct mcph_stack *stack, mcphost_builtins *builtins,
               mcphost_error **reterr)
{
    struct mcph_shown *in;
    struct change change;
    int r = shown_new(stack->host, builtins, &in, reterr);

    if (r == 0)
        r = begin_change(&change, stack, in, reterr);
    if (r < 0)
        return r;
    change.out = find_shown(stack, builtins->owner);
    r = check_names(stack, in->block, change.out, reterr);
    if (r == 0)
        r = carry_out(&change, reterr);
    return end_change(&change, r);
}

int
mcph_shown_remove(struct mcph_stack *stack, const char *owner, mcphost_error **reterr)
{
    struct change change;
    int r = begin_change(&change, stack, NULL, reterr);

    if (r < 0)
        return r;
    change.out = find_shown(stack, owner);
    r = change.out ? carry_out(&change, reterr)
                   : mcph_err(reterr, MCPHOST_E_NOTFOUND,
                              "the view has no built-ins of '%s'", owner);
    return end_change(&change, r);
}

/* ---- single tools (mcphost_view_add_builtin()) ------------------------------------- */

/* Begins a change of the block with the built-in tools that were added to the view one
 * by one.  The owner of this block is the empty name.  Returns a copy of the block
 * without the tool `without`, or NULL if memory is short. */
static mcphost_builtins *
begin_short(struct change *change, const char *without)
{
    mcphost_builtins *next = NULL;

    change->out = find_shown(change->stack, "");
    (void)mcph_builtins_copy(change->out ? change->out->builtins : NULL, without, &next);
    return next;
}

/* Ends the change that begin_short() began.  If `r`, the result of the change
 * so far, is 0, puts the changed copy `next` in the place of the block.  If the copy has
 * no tools, removes the block and puts nothing in its place. */
static int
end_short(struct change *change, mcphost_builtins *next, int r, mcphost_error **reterr)
{
    if (r == 0 && next->tools.n > 0)
        r = shown_new(change->stack->host, next, &change->in, reterr);
    if (r == 0 && change->in)
        r = check_names(change->stack, change->in->block, change->out, reterr);
    if (r == 0)
        r = carry_out(change, reterr);
    r = end_change(change, r);
    mcph_builtins_unref(next);
    return r;
}

int
mcph_shown_add_tool(struct mcph_stack *stack, const char *toolset,
                    struct mcph_builtin *tool, mcphost_error **reterr)
{
    mcphost_builtins *next;
    struct change change;
    int r = begin_change(&change, stack, NULL, reterr);

    if (r < 0)
        return r;
    next = begin_short(&change, NULL);
    r = next ? mcph_builtins_add(next, tool, reterr) : mcph_err_nomem(reterr);
    if (r == 0)
        r = mcph_builtins_put_in(next, toolset, tool->name, reterr);
    return end_short(&change, next, r, reterr);
}

int
mcph_shown_remove_tool(struct mcph_stack *stack, const char *name, mcphost_error **reterr)
{
    mcphost_builtins *next;
    struct change change;
    int r = begin_change(&change, stack, NULL, reterr);

    if (r < 0)
        return r;
    next = begin_short(&change, name);
    if (!next)
        r = mcph_err_nomem(reterr);
    else if (!change.out || !mcph_builtins_has(change.out->builtins, name))
        r = mcph_err(reterr, MCPHOST_E_NOTFOUND,
                     "mcphost_view_add_builtin() has added no tool '%s'", name);
    return end_short(&change, next, r, reterr);
}

int
mcph_shown_describe(struct mcph_stack *stack, const char *toolset, const char *text,
                    mcphost_error **reterr)
{
    mcphost_builtins *next;
    struct change change;
    int r = begin_change(&change, stack, NULL, reterr);

    if (r < 0)
        return r;
    next = begin_short(&change, NULL);
    r = next ? mcph_builtins_describe(next, toolset, text, reterr)
             : mcph_err_nomem(reterr);
    return end_short(&change, next, r, reterr);
}

/* ---- the toolset mcp_admin --------------------------------------------------------- */

int
mcph_shown_offer_own(mcphost *host, bool on)
{
    struct change change;
    int r = begin_change(&change, &host->view.own, NULL, NULL);

    if (r < 0)
        return r;
    if (host->loaded)
        r = MCPHOST_E_STATE;
    else if (on)
        r = check_names(change.stack, host->admin.block, NULL, NULL);
    if (r == 0 && on != (host->options[MCPHOST_OPT_ADMIN_TOOLS] != 0)) {
        host->options[MCPHOST_OPT_ADMIN_TOOLS] = on;
        r = publish_change(&change);
        if (r < 0)
            host->options[MCPHOST_OPT_ADMIN_TOOLS] = !on;
    }
    return end_change(&change, r);
}

/* ---- calls ------------------------------------------------------------------------- */

/* Finds, in the block `shown`, the tool that carries out calls of `tool`.  Returns a
 * reference, or NULL.  If *ret_block is NULL, and the block has the same owner and has a
 * tool of this name, *ret_block gets a reference to the block.  Call this under the
 * lock. */
static struct mcph_builtin *
find_in(const struct mcph_shown *shown, mcphost_tool *tool, struct mcph_block **ret_block)
{
    const mcphost_tool *next;

    if (strcmp(shown->block->id, tool->block->id) != 0 ||
        !mcph_block_find_original(shown->block, mcph_tool_original(tool)))
        return NULL;
    if (!*ret_block)
        *ret_block = mcph_block_ref(shown->block);
    next = mcph_block_successor(shown->block, tool);
    return next ? mcph_builtin_ref(shown->builtins->tools.items[next->place]) : NULL;
}

struct mcph_builtin *
mcph_shown_find(struct mcph_stack *stack, mcphost_tool *tool,
                struct mcph_block **ret_block)
{
    mcphost *host = stack->host;
    struct mcph_builtin *found = NULL;
    const struct mcph_shown *shown;

    *ret_block = NULL;
    mcph_core_lock(host->core);
    /* If the tool is from mcp_admin, look in mcp_admin first, because no stack shows
     * mcp_admin while MCPHOST_OPT_ADMIN_TOOLS is not set.  The caller has checked that
     * the dialog may use the tool. */
    if (tool->block == host->admin.block)
        found = find_in(&host->admin, tool, ret_block);
    for (size_t i = 0; !found && (shown = mcph_shown_at(stack, i)); i++)
        found = find_in(shown, tool, ret_block);
    mcph_core_unlock(host->core);
    return found;
}

/* ---- the end ----------------------------------------------------------------------- */

/* Takes all blocks away from the first view that has blocks, and returns them.  Returns
 * an empty vector if no view has blocks.  Call this under the lock. */
static struct mcph_vec
take_any(mcphost *host)
{
    struct mcph_vec *from = &host->view.own.shown, shown;

    mcph_list_for_each_entry (view, &host->views, mcphost_view, link) {
        if (!from->n)
            from = &view->own.shown;
    }
    shown = *from;
    *from = (struct mcph_vec){0};
    return shown;
}

void
mcph_shown_drop_all(mcphost *host)
{
    struct mcph_shown admin;
    struct mcph_vec shown;
    bool more = true;

    mcph_core_lock(host->core);
    admin = host->admin;
    host->admin = (struct mcph_shown){0};
    mcph_core_unlock(host->core);
    mcph_block_unref(admin.block);
    mcph_builtins_unref(admin.builtins);
    while (more) {
        mcph_core_lock(host->core);
        shown = take_any(host);
        mcph_core_unlock(host->core);
        more = shown.n > 0;
        mcph_shown_done(&shown);
    }
}
