/* SPDX-License-Identifier: MIT
 *
 * hook.c - functions of the application with their arguments.
 *
 * A function may be replaced while it runs.
 */
#include <stdlib.h>

#include "loop/loop.h"

static void
drop_hook(struct mcph_delivery *delivery)
{
    mcph_hook_unref(MCPH_CONTAINER_OF(delivery, struct mcph_hook, farewell));
}

struct mcph_hook *
mcph_hook_new(mcph_any_fn fn, void *arg, mcphost_free_fn free_arg)
{
    struct mcph_hook *hook = malloc(sizeof(*hook));

    if (!hook)
        return NULL;
    *hook = (struct mcph_hook){
        .farewell.deliver = drop_hook, .fn = fn, .arg = arg, .free_arg = free_arg};
    mcph_list_init(&hook->farewell.link);
    mcph_refs_init(&hook->refs);
    return hook;
}

struct mcph_code *
mcph_code_ref(struct mcph_code *code)
{
    if (code)
        mcph_refs_get(&code->refs);
    return code;
}

struct mcph_code *
mcph_code_unref(struct mcph_code *code)
{
    if (code && mcph_refs_put(&code->refs))
        code->unused(code);
    return NULL;
}

struct mcph_hook *
mcph_hook_ref(struct mcph_hook *hook)
{
    if (hook)
        mcph_refs_get(&hook->refs);
    return hook;
}

void
mcph_hook_unref(struct mcph_hook *hook)
{
    if (!hook || !mcph_refs_put(&hook->refs))
        return;
    if (hook->free_arg)
        hook->free_arg(hook->arg);
    mcph_code_unref(hook->code);
    free(hook);
}

/* Makes a delivery that drops a reference to `hook`.  Does nothing if `hook` is NULL. */
static void
drop_later(struct mcph_hook *hook, struct mcph_core *core)
{
    if (hook)
        mcph_core_deliver(core, &hook->farewell);
}

int
mcph_hook_set(struct mcph_core *core, struct mcph_hook **place, mcph_any_fn fn, void *arg,
              mcphost_free_fn free_arg, int (*enter)(void *owner), void *owner)
{
    return mcph_hook_set_code(core, place, fn, arg, free_arg, NULL, enter, owner);
}

int
mcph_hook_set_code(struct mcph_core *core, struct mcph_hook **place, mcph_any_fn fn,
                   void *arg, mcphost_free_fn free_arg, struct mcph_code *code,
                   int (*enter)(void *owner), void *owner)
{
    struct mcph_hook *hook = mcph_hook_new(fn, arg, free_arg), *old;
    int r;

    if (!hook)
        return MCPHOST_E_NOMEM;
    r = enter(owner);
    if (r < 0) {
        free(hook); /* the caller keeps `arg` */
        return r;
    }
    hook->code = mcph_code_ref(code);
    old = *place;
    *place = fn ? hook : NULL;
    mcph_core_leave(core);
    drop_later(old, core);
    if (!fn)
        drop_later(hook, core);
    return 0;
}
