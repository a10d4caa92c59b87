/* SPDX-License-Identifier: MIT
 *
 * scope.c - scopes: the dialog, agent or workspace that an instance works for.
 */
#include <stdlib.h>
#include <string.h>

#include "pool/inner.h"

struct mcph_scope *
mcph_scope_new(int kind, const char *key)
{
    size_t len = strlen(key);
    struct mcph_scope *scope = mcph_zalloc(sizeof(*scope), len + 1);

    if (!scope)
        return NULL;
    mcph_refs_init(&scope->refs);
    scope->kind = kind;
    memcpy(scope->key, key, len + 1);
    return scope;
}

struct mcph_scope *
mcph_scope_ref(struct mcph_scope *scope)
{
    if (scope)
        mcph_refs_get(&scope->refs);
    return scope;
}

struct mcph_scope *
mcph_scope_unref(struct mcph_scope *scope)
{
    if (scope && mcph_refs_put(&scope->refs))
        free(scope);
    return NULL;
}

bool
mcph_scope_same(const struct mcph_scope *a, const struct mcph_scope *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind || a->kind == MCPHOST_SCOPE_DIALOG)
        return false;
    return strcmp(a->key, b->key) == 0;
}

int
mcph_scope_kind(const struct mcph_scope *scope)
{
    return scope ? scope->kind : MCPHOST_SCOPE_EVERYONE;
}

void
mcph_scope_ask_messages(struct mcph_pool *pool, struct mcph_scope *scope, int level)
{
    scope->messages = level;
    mcph_list_for_each_entry (inst, &pool->instances, struct mcph_instance, link) {
        if (inst->scope == scope)
            mcph_instance_ask_messages(inst, inst->spec);
    }
}

const char *
mcph_instance_dialog(const struct mcph_instance *inst)
{
    const struct mcph_scope *scope = inst->scope;

    return scope && scope->kind == MCPHOST_SCOPE_DIALOG ? scope->key : NULL;
}
