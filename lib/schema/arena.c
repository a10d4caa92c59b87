/* SPDX-License-Identifier: MIT
 *
 * arena.c - memory that lives as long as one schema.
 *
 * A schema consists of many small allocations that are freed together.  No allocation is
 * freed alone.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

#define CHUNK 4096

struct mcph_arena_chunk {
    struct mcph_arena_chunk *next;
    _Alignas(16) char data[];
};

void *
mcph_arena_take(struct mcph_arena *arena, size_t n, size_t size)
{
    struct mcph_arena_chunk *chunk;
    size_t total, room;
    void *p;

    if (__builtin_mul_overflow(n, size, &total) || total > SIZE_MAX / 2)
        return NULL;
    total = (total + 15) & ~(size_t)15;
    if (total > arena->left) {
        room = total > CHUNK / 4 ? total : CHUNK;
        chunk = malloc(sizeof(*chunk) + room);
        if (!chunk)
            return NULL;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        if (room != CHUNK) {
            memset(chunk->data, 0, total);
            return chunk->data;
        }
        arena->p = chunk->data;
        arena->left = room;
    }
    p = arena->p;
    arena->p += total;
    arena->left -= total;
    memset(p, 0, total);
    return p;
}

char *
mcph_arena_copy(struct mcph_arena *arena, const char *data, size_t len)
{
    char *copy = len < SIZE_MAX ? mcph_arena_take(arena, len + 1, 1) : NULL;

    if (copy && len)
        memcpy(copy, data, len);
    return copy;
}

void
mcph_arena_done(struct mcph_arena *arena)
{
    while (arena->chunks) {
        struct mcph_arena_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        free(chunk);
    }
    *arena = (struct mcph_arena){0};
}
