/* SPDX-License-Identifier: MIT
 *
 * kept.c - texts that an object makes on first request and keeps.
 *
 * Most texts from servers are parts of larger texts, without a NUL at the end.  The
 * application gets a copy that ends with a NUL and lives as long as the object.  Until a
 * text is requested, an object needs memory for one pointer only.
 *
 * There is no lock.  The texts form a tree that only grows.  The bits of a key's hash
 * select the branches.  If two threads make the same text at once, the second thread
 * discards its own text and returns the first thread's text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct mcph_kept_text {
    _Atomic(struct mcph_kept_text *) below[2];
    const char *key;
    char *text;
    size_t len;
};

/* Searches for `key` from `slot` downwards.  The bits of *hash select the branches.
 * On return, *hash has the bits that were not used.  Sets *ret to the text of `key`, or
 * to NULL.  Returns the slot where the text is, or where it belongs. */
static _Atomic(struct mcph_kept_text *) *
find_place(_Atomic(struct mcph_kept_text *) *slot, const char *key, uint64_t *hash,
           struct mcph_kept_text **ret)
{
    struct mcph_kept_text *text = atomic_load_explicit(slot, memory_order_acquire);

    while (text && text->key != key) {
        slot = &text->below[*hash >> 63];
        *hash <<= 1;
        text = atomic_load_explicit(slot, memory_order_acquire);
    }
    *ret = text;
    return slot;
}

const char *
mcph_kept_find(struct mcph_kept *kept, const char *key, size_t *ret_len)
{
    uint64_t hash = mcph_hash64(&key, sizeof(key));
    struct mcph_kept_text *text;

    find_place(&kept->first, key, &hash, &text);
    if (!text)
        return NULL;
    *ret_len = text->len;
    return text->text;
}

const char *
mcph_kept_add(struct mcph_kept *kept, const char *key, char *text, size_t *len)
{
    struct mcph_kept_text *mine = text ? calloc(1, sizeof(*mine)) : NULL, *other;
    _Atomic(struct mcph_kept_text *) *slot = &kept->first;
    uint64_t hash = mcph_hash64(&key, sizeof(key));

    if (!mine) {
        free(text);
        return NULL;
    }
    mine->key = key;
    mine->text = text;
    mine->len = *len;
    do {
        slot = find_place(slot, key, &hash, &other);
    } while (!other &&
             !atomic_compare_exchange_strong_explicit(
                 slot, &other, mine, memory_order_acq_rel, memory_order_acquire) &&
             other->key != key);
    if (!other)
        return text;
    free(text);
    free(mine);
    *len = other->len;
    return other->text;
}

const char *
mcph_kept_copy(struct mcph_kept *kept, const char *text, size_t len)
{
    const char *copy;

    if (!text || text[len] == '\0')
        return text;
    copy = mcph_kept_find(kept, text, &len);
    return copy ? copy : mcph_kept_add(kept, text, mcph_strndup(text, len), &len);
}

static void
free_below(struct mcph_kept_text *text)
{
    while (text) {
        struct mcph_kept_text *next = atomic_load(&text->below[1]);

        free_below(atomic_load(&text->below[0])); /* the depth of the recursion is at
                                                   * most the number of bits of a hash */
        free(text->text);
        free(text);
        text = next;
    }
}

void
mcph_kept_done(struct mcph_kept *kept)
{
    free_below(atomic_load(&kept->first));
    atomic_init(&kept->first, NULL);
}
