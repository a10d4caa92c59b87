/* SPDX-License-Identifier: MIT
 *
 * verdict.c - remember, by the launch hash, which era of MCP a server speaks, so that the
 * next start need not probe the server.
 *
 * A legacy verdict is not imported after seven days, because the client does not notice
 * that a legacy verdict is out of date.  A modern verdict is imported at any age, because
 * the client notices a wrong modern verdict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/inner.h"

#define LEGACY_MAX_AGE_MS (INT64_C(7) * 24 * 3600 * 1000)
#define VERDICTS_MAX      4096

static struct mcph_verdict *
find_learnt(struct mcph_pool *pool, const struct mcph_spec *spec)
{
    for (size_t i = 0; i < pool->learnt.n; i++) {
        struct mcph_verdict *v = pool->learnt.items[i];

        if (memcmp(v->launch_hash, spec->launch_hash, MCPH_DIGEST_LEN) == 0)
            return v;
    }
    return NULL;
}

const struct mcph_verdict *
mcph_verdict_find(struct mcph_pool *pool, const struct mcph_spec *spec)
{
    const struct mcph_verdict *v = find_learnt(pool, spec);
    char hex[MCPH_DIGEST_HEX];

    if (v || !pool->kept.n ||
        mcph_spec_hash_hex(spec, MCPHOST_CONFIG_HASH_LAUNCH, pool->salt, pool->salt_len,
                           hex) < 0)
        return v;
    for (size_t i = 0; i < pool->kept.n; i++) {
        v = pool->kept.items[i];
        if (strcmp(v->hex, hex) == 0)
            return v;
    }
    return NULL;
}

void
mcph_verdict_learn(struct mcph_pool *pool, const struct mcph_spec *spec, int era,
                   const char *version)
{
    struct mcph_verdict *v = find_learnt(pool, spec);

    /* Take the lock, because another thread may be exporting the verdicts. */
    mcph_core_lock(pool->core);
    if (!v && pool->learnt.n < VERDICTS_MAX) {
        v = calloc(1, sizeof(*v));
        /* If memory is short, keep no verdict.  Then the next start cannot use this
         * verdict. */
        if (v && mcph_vec_add(&pool->learnt, v) < 0) {
            free(v);
            v = NULL;
        }
        if (v)
            memcpy(v->launch_hash, spec->launch_hash, MCPH_DIGEST_LEN);
    }
    if (v) {
        v->era = era;
        snprintf(v->version, sizeof(v->version), "%s", version);
        v->at = mcph_clock_realtime_ms();
    }
    mcph_core_unlock(pool->core);
}

static bool
is_era(struct mcph_span value, int era)
{
    const char *name = mcphost_enum_get_name(MCPHOST_ENUM_ERA, era);

    return mcph_json_string_is(value, name, strlen(name));
}

/* Reads one element of the array "verdicts" into *v.  Returns false if the element is
 * invalid or out of date. */
static bool
read_verdict(struct mcph_span entry, int64_t now, struct mcph_verdict *v)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("key"), MCPH_JSON_WANT("era"),
                                    MCPH_JSON_WANT("version"), MCPH_JSON_WANT("at")};
    struct mcph_span key, version;

    if (mcph_json_pick(entry, want, MCPH_ARRAY_SIZE(want)) < 0)
        return false;
    key = want[0].value;
    version = want[2].value;
    /* Refuse a `key` or `version` that is not a string of the known length.  The length
     * includes the quotes. */
    if (key.len != MCPH_DIGEST_HEX + 1 || *key.p != '"' || version.len != 12 ||
        *version.p != '"' || mcph_json_int64(want[3].value, &v->at) < 0)
        return false;
    memcpy(v->hex, key.p + 1, MCPH_DIGEST_HEX - 1);
    memcpy(v->version, version.p + 1, 10);
    if (is_era(want[1].value, MCPH_CLIENT_LEGACY))
        v->era = MCPH_CLIENT_LEGACY;
    else if (is_era(want[1].value, MCPH_CLIENT_MODERN))
        v->era = MCPH_CLIENT_MODERN;
    else
        return false;
    return v->at <= now &&
           (v->era == MCPH_CLIENT_MODERN || now - v->at < LEGACY_MAX_AGE_MS);
}

static void
drop_kept(struct mcph_pool *pool)
{
    for (size_t i = 0; i < pool->kept.n; i++)
        free(pool->kept.items[i]);
    mcph_vec_done(&pool->kept);
}

/* Keeps *v, unless the pool has a newer verdict with this key, or too many verdicts.
 * `by_key` has all kept verdicts. */
static int
keep_verdict(struct mcph_pool *pool, struct mcph_map *by_key,
             const struct mcph_verdict *v)
{
    struct mcph_verdict *kept = mcph_map_get(by_key, v->hex, strlen(v->hex));
    int r;

    if (kept) {
        if (v->at >= kept->at)
            *kept = *v;
        return 0;
    }
    if (pool->kept.n == VERDICTS_MAX)
        return 0;
    kept = mcph_memdup(v, sizeof(*v));
    if (!kept)
        return MCPHOST_E_NOMEM;
    r = mcph_vec_add(&pool->kept, kept);
    if (r < 0) {
        free(kept);
        return r;
    }
    return mcph_map_put(by_key, kept->hex, strlen(kept->hex), kept, NULL);
}

/* Keeps the valid verdicts of the array `list`. */
static int
keep_verdicts(struct mcph_pool *pool, struct mcph_span list, int64_t now)
{
    struct mcph_map by_key = {0};
    struct mcph_json_iter it;
    struct mcph_span entry;
    int r = 0;

    for (size_t i = 0; r == 0 && i < pool->kept.n; i++) {
        struct mcph_verdict *v = pool->kept.items[i];

        r = mcph_map_put(&by_key, v->hex, strlen(v->hex), v, NULL);
    }
    mcph_json_iter_init(&it, list);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &entry)) {
        struct mcph_verdict v = {0};

        if (read_verdict(entry, now, &v))
            r = keep_verdict(pool, &by_key, &v);
    }
    mcph_map_done(&by_key);
    return r;
}

int
mcph_pool_verdicts_import(struct mcph_pool *pool, const void *salt, size_t salt_len,
                          struct mcph_span json, int64_t now)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("verdicts")};
    void *copy;
    int r;

    r = mcph_json_scan(json, 0, want, 1, NULL, NULL);
    if (r < 0)
        return MCPHOST_E_INVALID;
    copy = mcph_memdup(salt, salt_len);
    if (!copy)
        return MCPHOST_E_NOMEM;
    /* Drop the verdicts with keys of another salt, because their keys would never be
     * found. */
    if (pool->salt &&
        (pool->salt_len != salt_len || memcmp(pool->salt, salt, salt_len) != 0))
        drop_kept(pool);
    free(pool->salt);
    pool->salt = copy;
    pool->salt_len = salt_len;
    return keep_verdicts(pool, want[0].value, now);
}

static int
add_verdict(struct mcph_buf *buf, const struct mcph_verdict *v, const char *hex)
{
    mcph_json_add_comma(buf);
    mcph_buf_addf(buf, "{\"key\":\"%s\",\"era\":\"%s\",\"version\":\"%s\",\"at\":%lld}",
                  hex, mcphost_enum_get_name(MCPHOST_ENUM_ERA, v->era), v->version,
                  (long long)v->at);
    return mcph_buf_ok(buf);
}

int
mcph_pool_verdicts_export(struct mcph_pool *pool, const void *salt, size_t salt_len,
                          struct mcph_buf *buf)
{
    struct mcph_spec spec = {0};
    char hex[MCPH_DIGEST_HEX];
    struct mcph_map seen = {0};
    int r;

    mcph_buf_adds(buf, "{\"verdicts\":[");
    for (size_t i = 0; i < pool->learnt.n; i++) {
        struct mcph_verdict *v = pool->learnt.items[i];

        memcpy(spec.launch_hash, v->launch_hash, MCPH_DIGEST_LEN);
        r = mcph_spec_hash_hex(&spec, MCPHOST_CONFIG_HASH_LAUNCH, salt, salt_len, hex);
        if (r < 0)
            goto out;
        memcpy(v->hex, hex, sizeof(hex));
        r = mcph_map_put(&seen, v->hex, strlen(v->hex), v, NULL);
        if (r < 0)
            goto out;
        add_verdict(buf, v, hex);
    }
    /* Also export the imported verdicts that were not learnt anew, if they were imported
     * with this salt. */
    for (size_t i = 0; i < pool->kept.n; i++) {
        const struct mcph_verdict *v = pool->kept.items[i];

        if (pool->salt_len == salt_len && memcmp(pool->salt, salt, salt_len) == 0 &&
            !mcph_map_get(&seen, v->hex, strlen(v->hex)))
            add_verdict(buf, v, v->hex);
    }
    mcph_buf_adds(buf, "]}");
    r = mcph_buf_ok(buf);
out:
    mcph_map_done(&seen);
    return r;
}

void
mcph_verdicts_done(struct mcph_pool *pool)
{
    for (size_t i = 0; i < pool->learnt.n; i++)
        free(pool->learnt.items[i]);
    mcph_vec_done(&pool->learnt);
    drop_kept(pool);
    free(pool->salt);
}
