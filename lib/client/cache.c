/* SPDX-License-Identifier: MIT
 *
 * cache.c - cache the answers that modern servers allow to be used again for a while (MCP
 * 2026-07-28, "Caching").
 *
 * The cache holds answers to server/discover, and lists with all their pages, each kind
 * separately.  An entry is keyed by the place, by the protocol version and, unless it is
 * public, by the caller identity (the credentials).  The place identifies the server by
 * its configuration, never by the server's own statements.
 *
 * An answer is fresh until its ttlMs has passed since the answer came, by the monotonic
 * clock.  A list is fresh as long as all its pages are fresh, and public only if all its
 * pages are public.
 *
 * The client or its owner may drop the answers of a place at any time.  An answer that
 * was requested before the drop is not kept, because the answer may be outdated.  All
 * functions run on the thread that dispatches.
 */
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

#define TTL_MAX_MS  (INT64_C(24) * 3600 * 1000)
#define ENTRIES_MAX 1024
#define PLACES_MAX  256

struct entry {
    struct mcph_list link; /* link in the cache's list, newest entry first */
    unsigned char place[MCPH_DIGEST_LEN], who[MCPH_DIGEST_LEN];
    bool public;
    int what;
    const char *version; /* a static string */
    int64_t until;
    size_t bytes;
    struct mcph_frame *frame;      /* the answer, if `what` is CACHE_DISCOVER */
    struct mcph_client_list *list; /* the list, if `what` is CACHE_LISTS + kind */
};

/* The last drop of a place's answers, for each kind of answer.  `at` has values of the
 * cache's counter `now`. */
struct change {
    unsigned char place[MCPH_DIGEST_LEN];
    uint64_t at[CACHE_KINDS];
};

struct mcph_client_cache {
    struct mcph_core *core; /* a reference */
    struct mcph_list entries;
    size_t n_entries, bytes, max_bytes;
    uint64_t now;   /* number of drops so far */
    uint64_t floor; /* `now` at the last drop for a place that has no struct change */
    struct change *changes;
    size_t n_changes;
};

/* ---- life -------------------------------------------------------------------------- */

struct mcph_client_cache *
mcph_client_cache_new(struct mcph_core *core, size_t max_bytes)
{
    struct mcph_client_cache *cache = calloc(1, sizeof(*cache));

    if (!cache)
        return NULL;
    cache->core = mcph_core_ref(core);
    cache->max_bytes = max_bytes;
    mcph_list_init(&cache->entries);
    return cache;
}

static void
drop_entry(struct mcph_client_cache *cache, struct entry *entry)
{
    mcph_list_remove(&entry->link);
    cache->n_entries--;
    cache->bytes -= entry->bytes;
    mcph_frame_unref(entry->frame);
    mcph_client_list_unref(entry->list);
    free(entry);
}

struct mcph_client_cache *
mcph_client_cache_free(struct mcph_client_cache *cache)
{
    if (!cache)
        return NULL;
    mcph_list_for_each_safe (it, &cache->entries)
        drop_entry(cache, MCPH_LIST_ENTRY(it, struct entry, link));
    free(cache->changes);
    mcph_core_unref(cache->core);
    free(cache);
    return NULL;
}

/* ---- dropping entries -------------------------------------------------------------- */

static bool
same_digest(const unsigned char *a, const unsigned char *b)
{
    return memcmp(a, b, MCPH_DIGEST_LEN) == 0;
}

static struct change *
find_change(const struct mcph_client_cache *cache, const unsigned char *place)
{
    for (size_t i = 0; i < cache->n_changes; i++) {
        if (same_digest(cache->changes[i].place, place))
            return &cache->changes[i];
    }
    return NULL;
}

/* Adds a record of drops for this place.  Returns NULL if there are PLACES_MAX records
 * or memory is short.  The caller then records the drop in `floor`, which counts for
 * all places. */
static struct change *
add_change(struct mcph_client_cache *cache, const unsigned char *place)
{
    struct change *changes;

    if (cache->n_changes == PLACES_MAX)
        return NULL;
    changes = mcph_reallocarray(cache->changes, cache->n_changes + 1, sizeof(*changes));
    if (!changes)
        return NULL;
    cache->changes = changes;
    changes += cache->n_changes++;
    *changes = (struct change){.at = {0}};
    memcpy(changes->place, place, MCPH_DIGEST_LEN);
    return changes;
}

static void
drop_entries(struct mcph_client_cache *cache, const unsigned char *place, int what)
{
    struct change *change = find_change(cache, place);

    cache->now++;
    if (!change)
        change = add_change(cache, place);
    if (change)
        change->at[what] = cache->now;
    else
        cache->floor = cache->now;
    mcph_list_for_each_safe (it, &cache->entries) {
        struct entry *entry = MCPH_LIST_ENTRY(it, struct entry, link);

        if (entry->what == what && same_digest(entry->place, place))
            drop_entry(cache, entry);
    }
}

void
mcph_client_cache_forget(struct mcph_client_cache *cache,
                         const unsigned char place[MCPH_DIGEST_LEN])
{
    for (int what = 0; cache && what < CACHE_KINDS; what++)
        drop_entries(cache, place, what);
}

/* Returns true if the client has a cache and answers of this kind may be cached.  Legacy
 * answers are never cached, whatever members they have. */
static bool
is_cacheable(const struct mcph_client *c, int what)
{
    return c->cache && (what == CACHE_DISCOVER || c->info.era == MCPH_CLIENT_MODERN);
}

/* ---- finding entries --------------------------------------------------------------- */

/* Gets the present caller identity.  Returns false if the identity is not known. */
static bool
find_who(const struct mcph_client *c, unsigned char ret_who[MCPH_DIGEST_LEN])
{
    memset(ret_who, 0, MCPH_DIGEST_LEN);
    return c->events->who &&
           c->events->who((struct mcph_client *)(uintptr_t)c, ret_who, c->arg);
}

/* Returns true if this client may use the entry, whether the entry is fresh or not.
 * `who` is NULL if the caller identity is not known. */
static bool
is_for(const struct mcph_client *c, const struct entry *entry, int what,
       const char *version, const unsigned char *who)
{
    return entry->what == what && same_digest(entry->place, c->cache_place) &&
           mcph_streq(entry->version, version) &&
           (entry->public || (who && same_digest(entry->who, who)));
}

static struct entry *
find_entry(const struct mcph_client *c, int what, const char *version)
{
    unsigned char who[MCPH_DIGEST_LEN];
    int64_t now = mcph_core_now(c->core);
    bool known;

    if (!is_cacheable(c, what))
        return NULL;
    known = find_who(c, who);
    mcph_list_for_each_entry (entry, &c->cache->entries, struct entry, link) {
        if (is_for(c, entry, what, version, known ? who : NULL) && now < entry->until)
            return entry;
    }
    return NULL;
}

struct mcph_frame *
mcph_client_cache_find_discover(const struct mcph_client *c, const char *version)
{
    const struct entry *entry = find_entry(c, CACHE_DISCOVER, version);

    return entry ? mcph_frame_ref(entry->frame) : NULL;
}

struct mcph_client_list *
mcph_client_cache_find_list(const struct mcph_client *c, int kind)
{
    const struct entry *entry = find_entry(c, CACHE_LISTS + kind, c->info.version);

    return entry ? mcph_client_list_ref(entry->list) : NULL;
}

/* ---- keeping answers --------------------------------------------------------------- */

/* Reads ttlMs, in ms.  A longer time than a day, or a huge number, counts as a day.  Any
 * other token that is not an integer counts as 0. */
static int64_t
read_ttl(struct mcph_span token)
{
    int64_t ms = 0;
    double d;

    if (mcph_json_type(token) != MCPH_JSON_NUMBER)
        return 0;
    if (mcph_json_int64(token, &ms) < 0)
        ms = mcph_json_double(token, &d) == 0 && d >= 9e15 ? TTL_MAX_MS : 0;
    return ms < TTL_MAX_MS ? ms : TTL_MAX_MS;
}

void
mcph_client_cache_hints_begin(const struct mcph_client *c, struct cache_hints *hints)
{
    *hints = (struct cache_hints){.until = INT64_MAX, .public = true};
    if (!c->cache)
        return;
    hints->asked = c->cache->now;
    hints->known = find_who(c, hints->who);
}

void
mcph_client_cache_hints_add(const struct mcph_client *c, struct mcph_span result,
                            struct cache_hints *hints)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("resultType"), MCPH_JSON_WANT("ttlMs"),
                                    MCPH_JSON_WANT("cacheScope")};
    int64_t until = mcph_core_now(c->core);
    unsigned char who[MCPH_DIGEST_LEN];

    if (!c->cache || mcph_json_type(result) != MCPH_JSON_OBJECT)
        return;
    (void)mcph_json_pick(result, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[0].value) == MCPH_JSON_STRING &&
        mcph_json_string_is(want[0].value, "complete", 8))
        until += read_ttl(want[1].value);
    if (until < hints->until)
        hints->until = until;
    if (mcph_json_type(want[2].value) != MCPH_JSON_STRING ||
        !mcph_json_string_is(want[2].value, "public", 6))
        hints->public = false;
    hints->known = hints->known && find_who(c, who) && same_digest(hints->who, who);
}

/* Returns true if the answer may be kept.  The answer must still be fresh.  Unless the
 * answer is public, its caller identity must be known.  No answer of the same server and
 * kind may have been dropped since the request. */
static bool
may_keep(const struct mcph_client *c, int what, const struct cache_hints *hints)
{
    const struct change *change;

    if (!is_cacheable(c, what) || hints->until == INT64_MAX ||
        hints->until <= mcph_core_now(c->core) || hints->asked < c->cache->floor ||
        !(hints->public || hints->known))
        return false;
    change = find_change(c->cache, c->cache_place);
    return !change || hints->asked >= change->at[what];
}

/* Drops the entries that the new answer replaces, and all stale entries.  If the new
 * entry still does not fit, drops the oldest entries. */
static void
make_room(const struct mcph_client *c, int what, const char *version,
          const struct cache_hints *hints, size_t bytes)
{
    const unsigned char *who = hints->known ? hints->who : NULL;
    struct mcph_client_cache *cache = c->cache;
    int64_t now = mcph_core_now(c->core);

    mcph_list_for_each_safe (it, &cache->entries) {
        struct entry *entry = MCPH_LIST_ENTRY(it, struct entry, link);

        if (entry->until <= now || is_for(c, entry, what, version, who))
            drop_entry(cache, entry);
    }
    while (!mcph_list_empty(&cache->entries) &&
           (cache->n_entries >= ENTRIES_MAX || cache->bytes > cache->max_bytes - bytes))
        drop_entry(cache, MCPH_LIST_ENTRY(cache->entries.prev, struct entry, link));
}

/* Adds an entry for an answer.  The caller stores the answer in the entry.  Returns NULL
 * if the answer may not be kept or is too large, or if memory is short. */
static struct entry *
keep_entry(const struct mcph_client *c, int what, const char *version,
           const struct cache_hints *hints, size_t bytes)
{
    struct mcph_client_cache *cache = c->cache;
    struct entry *entry;

    if (!may_keep(c, what, hints) || bytes > cache->max_bytes)
        return NULL;
    make_room(c, what, version, hints, bytes);
    entry = calloc(1, sizeof(*entry));
    if (!entry)
        return NULL;
    memcpy(entry->place, c->cache_place, MCPH_DIGEST_LEN);
    memcpy(entry->who, hints->who, MCPH_DIGEST_LEN);
    entry->public = hints->public;
    entry->what = what;
    entry->version = version;
    entry->until = hints->until;
    entry->bytes = bytes;
    mcph_list_append(cache->entries.next, &entry->link); /* at the front of the list */
    cache->n_entries++;
    cache->bytes += bytes;
    return entry;
}

void
mcph_client_cache_keep_discover(const struct mcph_client *c, const char *version,
                                const struct cache_hints *hints, struct mcph_frame *frame)
{
    struct entry *entry = keep_entry(c, CACHE_DISCOVER, version, hints, frame->len);

    if (entry)
        entry->frame = mcph_frame_ref(frame);
}

void
mcph_client_cache_keep_list(const struct mcph_client *c, const struct cache_hints *hints,
                            struct mcph_client_list *list)
{
    struct entry *entry;
    size_t bytes = 0;

    for (size_t i = 0; i < list->n_pages; i++)
        bytes += list->pages[i].frame->len;
    entry = keep_entry(c, CACHE_LISTS + list->kind, c->info.version, hints, bytes);
    if (entry)
        entry->list = mcph_client_list_ref(list);
}

/* ---- dropping answers, and the choice of the cache --------------------------------- */

void
mcph_client_cache_forget_list(const struct mcph_client *c, int kind)
{
    if (c->cache)
        drop_entries(c->cache, c->cache_place, CACHE_LISTS + kind);
}

void
mcph_client_cache_forget_all(const struct mcph_client *c)
{
    mcph_client_cache_forget(c->cache, c->cache_place);
}

void
mcph_client_set_cache(struct mcph_client *c, struct mcph_client_cache *cache,
                      const unsigned char place[MCPH_DIGEST_LEN])
{
    c->cache = cache;
    if (cache)
        memcpy(c->cache_place, place, MCPH_DIGEST_LEN);
}
