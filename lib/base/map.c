/* SPDX-License-Identifier: MIT
 *
 * map.c - a hash map from byte strings to pointers.
 *
 * The map uses open addressing with linear probing.  At most three quarters of the slots
 * are in use.  A removal moves later entries of the run (slots in use without a gap) into
 * the hole, so that no tombstones are needed.  Without tombstones, a lookup does not slow
 * down with the age of the map.
 *
 * The hash is SipHash-1-3 under a key that is drawn once per process.  Names come from
 * servers.  A server must not be able to choose names that collide.
 */
#include <endian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define SLOTS_MIN 16

struct mcph_map_slot {
    const char *key;
    void *value; /* NULL means that the slot is free */
    uint32_t hash, len;
};

static uint64_t hash_key[2];
static pthread_once_t hash_once = PTHREAD_ONCE_INIT;
static atomic_bool hash_seeded; /* lets most calls skip pthread_once() */

static void
hash_seed(void)
{
    /* Seed the hash from the clocks if there are no random bytes.  The map then still
     * works, but its defence against chosen keys is weaker. */
    if (mcph_random_bytes(hash_key, sizeof(hash_key)) < 0) {
        hash_key[0] = 0x736f6d6570736575ULL ^ (uint64_t)mcph_clock_realtime_ms();
        hash_key[1] = 0x646f72616e646f6dULL ^ (uint64_t)mcph_clock_monotonic_ms();
    }
    atomic_store_explicit(&hash_seeded, true, memory_order_release);
}

#define ROTL(x, b) (((x) << (b)) | ((x) >> (64 - (b))))

static inline void
sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = ROTL(v[1], 13) ^ v[0];
    v[0] = ROTL(v[0], 32);
    v[2] += v[3];
    v[3] = ROTL(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = ROTL(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = ROTL(v[1], 17) ^ v[2];
    v[2] = ROTL(v[2], 32);
}

static inline uint64_t
load32(const unsigned char *p)
{
    uint32_t n;

    memcpy(&n, p, sizeof(n));
    return le32toh(n);
}

uint64_t
mcph_hash64(const void *data, size_t len)
{
    const unsigned char *p = data;
    size_t left = len;
    uint64_t v[4], m;

    if (!atomic_load_explicit(&hash_seeded, memory_order_acquire))
        pthread_once(&hash_once, hash_seed);
    v[0] = hash_key[0] ^ 0x736f6d6570736575ULL;
    v[1] = hash_key[1] ^ 0x646f72616e646f6dULL;
    v[2] = hash_key[0] ^ 0x6c7967656e657261ULL;
    v[3] = hash_key[1] ^ 0x7465646279746573ULL;
    for (; left >= 8; left -= 8, p += 8) {
        memcpy(&m, p, 8);
        v[3] ^= m;
        sip_round(v);
        v[0] ^= m;
    }
    m = (uint64_t)len << 56;
    if (left >= 4) { /* overlapping bytes of the two loads set equal bits */
        m |= load32(p) | load32(p + left - 4) << (8 * (left - 4));
        left = 0;
    }
    for (size_t i = 0; i < left; i++)
        m |= (uint64_t)p[i] << (8 * i);
    v[3] ^= m;
    sip_round(v);
    v[0] ^= m;
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint32_t
mcph_map_hash(const char *key, size_t len)
{
    return (uint32_t)mcph_hash64(key, len);
}

/* Returns the slot of the key, or the free slot where the key belongs. */
static struct mcph_map_slot *
find_slot(const struct mcph_map *map, uint32_t hash, const char *key, size_t len)
{
    size_t mask = map->cap - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct mcph_map_slot *slot = &map->slots[i];

        if (!slot->value)
            return slot;
        if (slot->hash == hash && slot->len == len &&
            (len == 0 || memcmp(slot->key, key, len) == 0))
            return slot;
    }
}

/* Moves all entries to a table of `cap` slots.  Returns 0 or MCPHOST_E_NOMEM. */
static int
move_entries(struct mcph_map *map, size_t cap)
{
    struct mcph_map bigger = {.cap = cap};

    if (cap > SIZE_MAX / sizeof(*bigger.slots))
        return MCPHOST_E_NOMEM;
    bigger.slots = calloc(cap, sizeof(*bigger.slots));
    if (!bigger.slots)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < map->cap; i++) {
        const struct mcph_map_slot *slot = &map->slots[i];

        if (slot->value)
            *find_slot(&bigger, slot->hash, slot->key, slot->len) = *slot;
    }
    free(map->slots);
    map->slots = bigger.slots;
    map->cap = cap;
    return 0;
}

static bool
has_room_for(size_t cap, size_t n)
{
    return n <= cap / 4 * 3;
}

int
mcph_map_reserve(struct mcph_map *map, size_t more)
{
    size_t cap = map->cap ? map->cap : SLOTS_MIN;

    if (more > SIZE_MAX / 4 - map->n)
        return MCPHOST_E_NOMEM;
    while (!has_room_for(cap, map->n + more))
        cap *= 2;
    return cap == map->cap ? 0 : move_entries(map, cap);
}

/* Makes room for the key and returns its slot.  Returns NULL if memory is short or the
 * key has 4 GiB or more. */
static struct mcph_map_slot *
slot_for(struct mcph_map *map, uint32_t hash, const char *key, size_t len)
{
    if (len > UINT32_MAX)
        return NULL;
    if (!has_room_for(map->cap, map->n + 1) && mcph_map_reserve(map, 1) < 0)
        return NULL;
    return find_slot(map, hash, key, len);
}

static void
set_slot(struct mcph_map *map, struct mcph_map_slot *slot, uint32_t hash, const char *key,
         size_t len, void *value)
{
    if (!slot->value)
        map->n++;
    *slot = (struct mcph_map_slot){
        .key = key, .value = value, .hash = hash, .len = (uint32_t)len};
}

int
mcph_map_put(struct mcph_map *map, const char *key, size_t len, void *value,
             void **ret_old)
{
    uint32_t hash = mcph_map_hash(key, len);
    struct mcph_map_slot *slot = slot_for(map, hash, key, len);

    if (!slot)
        return MCPHOST_E_NOMEM;
    if (ret_old)
        *ret_old = slot->value;
    set_slot(map, slot, hash, key, len, value);
    return 0;
}

int
mcph_map_add(struct mcph_map *map, uint32_t hash, const char *key, size_t len,
             void *value, void **ret_other)
{
    struct mcph_map_slot *slot = slot_for(map, hash, key, len);

    if (!slot)
        return MCPHOST_E_NOMEM;
    *ret_other = slot->value;
    if (!slot->value)
        set_slot(map, slot, hash, key, len, value);
    return 0;
}

void *
mcph_map_get(const struct mcph_map *map, const char *key, size_t len)
{
    if (!map->n)
        return NULL;
    return find_slot(map, mcph_map_hash(key, len), key, len)->value;
}

void *
mcph_map_remove(struct mcph_map *map, const char *key, size_t len)
{
    size_t mask = map->cap - 1, hole, i;
    struct mcph_map_slot *slot;
    void *value;

    if (!map->n)
        return NULL;
    slot = find_slot(map, mcph_map_hash(key, len), key, len);
    value = slot->value;
    if (!value)
        return NULL;
    map->n--;
    hole = (size_t)(slot - map->slots);
    for (i = (hole + 1) & mask; map->slots[i].value; i = (i + 1) & mask) {
        size_t home = map->slots[i].hash & mask;

        /* Move the entry unless its home lies cyclically in (hole, i]. */
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (struct mcph_map_slot){0};
    return value;
}

void
mcph_map_done(struct mcph_map *map)
{
    free(map->slots);
    *map = (struct mcph_map){0};
}
