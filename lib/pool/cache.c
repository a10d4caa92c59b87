/* SPDX-License-Identifier: MIT
 *
 * cache.c - share cached answers between the connections of a pool (client/client.h).
 *
 * The launch hash identifies a server.  A digest identifies the caller.  The
 * digest is computed from the environment or the HTTP headers with which an instance
 * starts, and from the present credentials.
 * The pool drops the cached answers of a server after the server has ended by itself.
 * The pool also drops the cached answers when it starts a process that lists the server's
 * tools, because the program of the server may have been replaced.
 */
#include <string.h>

#include "pool/inner.h"

#define WHO_MAX ((size_t)8 * 1024 * 1024)

void
mcph_instance_who_begin(struct mcph_buf *who)
{
    mcph_buf_init(who, WHO_MAX);
}

/* Adds one text of the caller's identity.  NULL and "" add different bytes. */
void
mcph_instance_who_add(struct mcph_buf *who, const char *text)
{
    mcph_buf_addc(who, text ? '+' : '-');
    mcph_buf_adds(who, text ? text : "");
    mcph_buf_addc(who, '\0');
}

void
mcph_instance_who_end(struct mcph_instance *inst, struct mcph_buf *who)
{
    struct mcph_pool *pool = inst->pool;
    bool good = mcph_buf_ok(who) == 0 && mcph_sha256(who->data, who->len, inst->who) == 0;

    /* Make the pool's cache.  If there is no memory for the cache, no answer is
     * cached. */
    if (!pool->cache && pool->options[MCPHOST_OPT_CACHE_BYTES] > 0)
        pool->cache = mcph_client_cache_new(
            pool->core, (size_t)pool->options[MCPHOST_OPT_CACHE_BYTES]);
    mcph_client_set_cache(inst->client, good ? pool->cache : NULL,
                          inst->spec->launch_hash);
    mcph_buf_wipe(who);
}

bool
mcph_instance_who(struct mcph_instance *inst, unsigned char ret[MCPH_DIGEST_LEN])
{
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, WHO_MAX);
    r = mcph_buf_add(&text, (const char *)inst->who, sizeof(inst->who));
    if (r == 0 && inst->auth)
        r = inst->auth->identify(inst->auth, &text);
    if (r == 0)
        r = mcph_sha256(text.data, text.len, ret);
    mcph_buf_wipe(&text);
    return r == 0;
}

void
mcph_pool_forget(struct mcph_pool *pool, const struct mcph_spec *spec)
{
    mcph_client_cache_forget(pool->cache, spec->launch_hash);
}
