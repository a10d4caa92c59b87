/* SPDX-License-Identifier: MIT
 *
 * shared.c - the state that all instances of a server share: a mask of the server's
 * secrets, and a share of the memory for large messages.
 */
#include <stdlib.h>

#include "pool/inner.h"

/* The state that all instances of a server share. */
struct shared {
    char *id;
    struct mcph_mask *mask;
    struct mcph_ration *ration; /* the server's share of the memory for large messages */
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

/* Returns the index of the server in realm->servers, or realm->servers.n if the server is
 * not in the list. */
static size_t
find_index(const struct mcph_realm *realm, const char *id)
{
    size_t i = 0;

    for (; i < realm->servers.n; i++) {
        const struct shared *s = realm->servers.items[i];

        if (mcph_streq(s->id, id))
            break;
    }
    return i;
}

static struct shared *
find_shared(const struct mcph_realm *realm, const char *id)
{
    size_t i = find_index(realm, id);

    return i < realm->servers.n ? realm->servers.items[i] : NULL;
}

void
mcph_realm_init(struct mcph_realm *realm, struct mcph_pool *pool)
{
    *realm = (struct mcph_realm){.pool = pool, .options = pool->options};
    for (size_t i = 0; i < MCPH_OPTIONS; i++)
        realm->policies[i] = MCPH_POLICY_UNSET;
}

char *
mcph_realm_key(const struct mcph_realm *realm, const char *id)
{
    return realm->name ? mcph_asprintf("%s:%s", realm->name, id) : mcph_strdup(id);
}

struct mcph_mask *
mcph_realm_get_mask(const struct mcph_realm *realm, const char *id)
{
    const struct shared *s = find_shared(realm, id);

    return s ? s->mask : NULL;
}

static struct shared *
make_shared(struct mcph_realm *realm, const char *id)
{
    struct shared *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->id = mcph_strdup(id);
    s->mask = mcph_mask_new();
    s->ration = mcph_ration_new(realm->pool->ration);
    if (s->id && s->mask && s->ration && mcph_vec_add(&realm->servers, s) == 0)
        return s;
    shared_free(s);
    return NULL;
}

int
mcph_pool_join_server(struct mcph_instance *inst)
{
    struct shared *s = find_shared(inst->realm, inst->spec->id);

    if (!s)
        s = make_shared(inst->realm, inst->spec->id);
    if (!s)
        return MCPHOST_E_NOMEM;
    inst->mask = mcph_mask_ref(s->mask);
    inst->ration = mcph_ration_ref(s->ration);
    return 0;
}

void
mcph_realm_abandon_server(const struct mcph_realm *realm, const char *id)
{
    char *key = mcph_realm_key(realm, id);

    if (key && realm->pool->keeper)
        mcph_keeper_abandon(realm->pool->keeper, key, NULL);
    free(key);
}

void
mcph_realm_drop_server(struct mcph_realm *realm, const char *id)
{
    size_t i = find_index(realm, id);

    if (i == realm->servers.n)
        return;
    shared_free(realm->servers.items[i]);
    mcph_vec_remove(&realm->servers, i);
}

void
mcph_realm_done(struct mcph_realm *realm)
{
    for (size_t i = 0; i < realm->servers.n; i++)
        shared_free(realm->servers.items[i]);
    mcph_vec_done(&realm->servers);
}
