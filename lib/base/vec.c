/* SPDX-License-Identifier: MIT
 *
 * vec.c - a growing array of pointers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

int
mcph_vec_reserve(struct mcph_vec *vec, size_t more)
{
    size_t cap = vec->cap;
    void **items;

    if (more > SIZE_MAX / 4 - vec->n)
        return MCPHOST_E_NOMEM;
    if (vec->n + more <= cap)
        return 0;
    if (cap < 8)
        cap = 8;
    while (cap < vec->n + more)
        cap *= 2;
    items = mcph_reallocarray(vec->items, cap, sizeof(*items));
    if (!items)
        return MCPHOST_E_NOMEM;
    vec->items = items;
    vec->cap = cap;
    return 0;
}

int
mcph_vec_add(struct mcph_vec *vec, void *item)
{
    int r = mcph_vec_reserve(vec, 1);

    if (r < 0)
        return r;
    vec->items[vec->n++] = item;
    return 0;
}

void
mcph_vec_remove(struct mcph_vec *vec, size_t i)
{
    vec->n--;
    if (i < vec->n)
        memmove(vec->items + i, vec->items + i + 1, (vec->n - i) * sizeof(*vec->items));
}

void
mcph_vec_done(struct mcph_vec *vec)
{
    free(vec->items);
    *vec = (struct mcph_vec){0};
}
