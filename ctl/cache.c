/* SPDX-License-Identifier: MIT
 *
 * cache.c - keep the verdicts on servers' eras from one run to the next.
 *
 * A verdict says which era of the protocol a server speaks.  The file is
 * $XDG_CACHE_HOME/mcphost/verdicts.json.  The library makes the JSON of the verdicts.
 * The file also has the salt that keys the hashes in the verdicts.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "ctl.h"
#include "keep.h"

#define CACHE_FILE "verdicts.json"
#define FORMAT     1
#define CACHE_MAX  ((size_t)1 << 20)

struct cache {
    int dir; /* the cache directory; -1 if it cannot be opened */
    unsigned char salt[KEEP_SALT];
    struct text before; /* the verdicts that were read */
};

/* ---- reading ----------------------------------------------------------------------- */

/* Fills in salt and verdicts from the file.  Returns 0, or -1 if the file is unusable. */
static int
read_cache(struct cache *cache)
{
    struct text t = {0};
    json_t *root = NULL;
    const char *verdicts;
    size_t len = 0;
    int r = -1;

    if (keep_read(cache->dir, CACHE_FILE, CACHE_MAX, &t) < 0)
        goto out;
    root = json_loadb(t.data ? t.data : "", t.len, JSON_REJECT_DUPLICATES, NULL);
    if (json_integer_value(json_object_get(root, "format")) != FORMAT)
        goto out;
    if (keep_read_salt(root, cache->salt) < 0)
        goto out;
    verdicts = find_member(t.data, t.len, "verdicts", &len);
    if (!verdicts)
        goto out;
    text_add(&cache->before, verdicts, len);
    r = text_failed(&cache->before) ? -1 : 0;
out:
    json_decref(root);
    text_free(&t);
    return r;
}

static void
cache_free(struct cache *cache)
{
    if (!cache)
        return;
    if (cache->dir >= 0)
        close(cache->dir);
    text_free(&cache->before);
    free(cache);
}

void
cache_load(struct ctl *ctl)
{
    struct cache *cache = calloc(1, sizeof(*cache));

    if (!cache)
        return;
    cache->dir = keep_open();
    if (cache->dir >= 0 && read_cache(cache) == 0) {
        mcphost_set_verdicts(ctl->host, cache->salt, KEEP_SALT, cache->before.data,
                             cache->before.len);
    } else if (cache->dir < 0 || keep_make_salt(cache->salt) < 0) {
        cache_free(cache);
        return;
    }
    ctl->cache = cache;
}

/* ---- writing ----------------------------------------------------------------------- */

static void
save(struct cache *cache, const char *verdicts, size_t len)
{
    struct text t = {0};

    put_begin(&t, '{');
    put_key(&t, "format");
    put_int(&t, FORMAT);
    keep_put_salt(&t, cache->salt);
    put_key(&t, "verdicts");
    put_raw(&t, verdicts, len);
    put_end(&t, '}');
    text_puts(&t, "\n");
    if (!text_failed(&t))
        keep_replace(cache->dir, CACHE_FILE, &t);
    text_free(&t);
}

void
cache_save(struct ctl *ctl)
{
    struct cache *cache = ctl->cache;
    char *verdicts = NULL;
    size_t len = 0;

    ctl->cache = NULL;
    if (!cache)
        return;
    if (mcphost_get_verdicts(ctl->host, cache->salt, KEEP_SALT, &verdicts, &len) == 0 &&
        (len != cache->before.len || memcmp(verdicts, cache->before.data, len) != 0))
        save(cache, verdicts, len);
    mcphost_free(verdicts);
    cache_free(cache);
}
