/* SPDX-License-Identifier: MIT
 *
 * transform.c - add prefixes and suffixes to a name (R41-R45), and replace characters
 * that a name may not have.
 *
 * A transform is filled by one thread and then frozen.  It does not check the name that
 * it makes, because decide.c checks the name.
 */
#include <stdlib.h>
#include <string.h>

#include "names/names.h"

mcphost_transform *
mcph_transform_new(void)
{
    mcphost_transform *transform = calloc(1, sizeof(*transform));

    if (transform) {
        mcph_refs_init(&transform->refs);
        atomic_init(&transform->frozen, false);
    }
    return transform;
}

mcphost_transform *
mcph_transform_unref(mcphost_transform *transform)
{
    if (!transform || !mcph_refs_put(&transform->refs))
        return NULL;
    for (size_t i = 0; i < transform->n; i++) {
        free(transform->steps[i].add);
        free(transform->steps[i].remove);
    }
    free(transform->steps);
    free(transform);
    return NULL;
}

void
mcph_transform_freeze(mcphost_transform *transform)
{
    atomic_store_explicit(&transform->frozen, true, memory_order_release);
}

int
mcph_transform_add(mcphost_transform *transform, int kind, const char *add,
                   size_t add_len, const char *remove, size_t remove_len)
{
    struct mcph_transform_step *steps, *step;

    if (atomic_load_explicit(&transform->frozen, memory_order_acquire))
        return MCPHOST_E_STATE;
    if (!remove)
        remove_len = 0;
    if (add_len > MCPH_NAME_TEXT_MAX || remove_len > MCPH_NAME_TEXT_MAX ||
        transform->n >= MCPH_NAME_LIST_MAX)
        return MCPHOST_E_LIMIT;

    steps = mcph_reallocarray(transform->steps, transform->n + 1, sizeof(*steps));
    if (!steps)
        return MCPHOST_E_NOMEM;
    transform->steps = steps;
    step = &steps[transform->n];
    step->kind = kind;
    step->add_len = add_len;
    step->remove_len = remove_len;
    step->add = mcph_strndup(add, add_len);
    step->remove = mcph_strndup(remove ? remove : "", remove_len);
    if (!step->add || !step->remove) {
        free(step->add);
        free(step->remove);
        return MCPHOST_E_NOMEM;
    }
    transform->n++;
    return 0;
}

/* Removes `remove` from the beginning of the name, then prepends `add`, in place. */
static int
apply_prefix(const struct mcph_transform_step *step, struct mcph_buf *buf, size_t start)
{
    size_t len = buf->len - start, drop = 0;
    char *name;
    int r;

    if (len == 0 && step->add_len == 0)
        return 0;
    r = mcph_buf_reserve(buf, step->add_len);
    if (r < 0)
        return r;
    name = buf->data + start;
    if (step->remove_len > 0 && step->remove_len <= len &&
        memcmp(name, step->remove, step->remove_len) == 0)
        drop = step->remove_len;
    memmove(name + step->add_len, name + drop, len - drop);
    memcpy(name, step->add, step->add_len);
    buf->len = start + step->add_len + (len - drop);
    return 0;
}

#define HASH_BYTES 4
#define HASH_LEN   (1 + 2 * HASH_BYTES) /* a separator and the digits */

/* Replaces each character that a name may not have.  Cuts a name that is too long.  If
 * the name is cut, or if `hashed` is set and the name is changed, the new name ends with
 * digits of a hash of the whole old name. */
static int
apply_map(const struct mcph_transform_step *step, struct mcph_buf *buf, size_t start,
          bool hashed)
{
    unsigned char digest[MCPH_DIGEST_LEN];
    size_t len = buf->len - start, kept = MCPH_NAME_MAX - HASH_LEN;
    char *name = buf->len > start ? buf->data + start : NULL;
    bool changed = false;

    if (!name)
        return 0;
    if (mcph_sha256(name, len, digest) < 0)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < len; i++) {
        if (mcph_name_check(name + i, 1) != MCPH_NAME_RULE_NONE) {
            name[i] = *step->add;
            changed = true;
        }
    }
    if (len <= MCPH_NAME_MAX && !(hashed && changed))
        return 0;
    if (len > kept)
        buf->len = start + kept;
    mcph_buf_addc(buf, *step->add);
    for (size_t i = 0; i < HASH_BYTES; i++)
        mcph_buf_addf(buf, "%02x", digest[i]);
    return mcph_buf_ok(buf);
}

bool
mcph_transform_maps(const mcphost_transform *transform)
{
    for (size_t i = 0; transform && i < transform->n; i++) {
        if (transform->steps[i].kind == MCPH_TRANSFORM_MAP)
            return true;
    }
    return false;
}

int
mcph_transform_apply(const mcphost_transform *transform, const char *name, size_t len,
                     bool hashed, struct mcph_buf *buf)
{
    size_t start = buf->len;
    int r;

    r = mcph_buf_add(buf, name, len);
    for (size_t i = 0; r == 0 && transform && i < transform->n; i++) {
        const struct mcph_transform_step *step = &transform->steps[i];

        if (step->kind == MCPH_TRANSFORM_PREFIX)
            r = apply_prefix(step, buf, start);
        else if (step->kind == MCPH_TRANSFORM_MAP)
            r = apply_map(step, buf, start, hashed);
        else
            r = mcph_buf_add(buf, step->add, step->add_len);
    }
    return r;
}
