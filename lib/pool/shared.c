/* SPDX-License-Identifier: MIT
 *
 * shared.c - what all instances of a server share: what is secret, and a share of the
 * memory for large messages.
 */
#include <stdlib.h>

#include "pool/inner.h"

/* What all instances of a server share. */
struct shared {
    char *id;
    struct mcph_mask *mask;
    struct mcph_ration *ration; /* the server's share */
};

static void
shared_free(struct shared *s)
{
    if (!s)
        return;
    mcph_mask_unref(s->mask);
    mcph_ration_unref(s->ration);
    free(s->id);
    free(s);
}

/* Its place; as many as there are: nowhere. */
static size_t
find(const struct mcph_pool *pool, const char *id)
{
    size_t i = 0;

    for (; i < pool->servers.n; i++) {
        const struct shared *s = pool->servers.items[i];

        if (mcph_streq(s->id, id))
            break;
    }
    return i;
}

static struct shared *
get(const struct mcph_pool *pool, const char *id)
{
    size_t i = find(pool, id);

    return i < pool->servers.n ? pool->servers.items[i] : NULL;
}

struct mcph_mask *
mcph_pool_get_mask(const struct mcph_pool *pool, const char *id)
{
    const struct shared *s = get(pool, id);

    return s ? s->mask : NULL;
}

static struct shared *
make(struct mcph_pool *pool, const char *id)
{
    struct shared *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->id = mcph_strdup(id);
    s->mask = mcph_mask_new();
    s->ration = mcph_ration_new(pool->opt.ration);
    if (s->id && s->mask && s->ration && mcph_vec_add(&pool->servers, s) == 0)
        return s;
    shared_free(s);
    return NULL;
}

int
mcph_pool_join_server(struct mcph_instance *inst)
{
    struct shared *s = get(inst->pool, inst->spec->id);

    if (!s)
        s = make(inst->pool, inst->spec->id);
    if (!s)
        return MCPHOST_E_NOMEM;
    inst->mask = mcph_mask_ref(s->mask);
    inst->ration = mcph_ration_ref(s->ration);
    return 0;
}

void
mcph_pool_drop_server(struct mcph_pool *pool, const char *id)
{
    size_t i = find(pool, id);

    if (i == pool->servers.n)
        return;
    shared_free(pool->servers.items[i]);
    mcph_vec_remove(&pool->servers, i);
}

void
mcph_pool_drop_servers(struct mcph_pool *pool)
{
    for (size_t i = 0; i < pool->servers.n; i++)
        shared_free(pool->servers.items[i]);
    mcph_vec_done(&pool->servers);
}
