/* SPDX-License-Identifier: MIT
 *
 * fixed.c - fixed credentials: headers by server and by origin.
 *
 * The headers are in a small table.  mcph_fixed_add() searches the table for each
 * request.  If several entries with the same header name match a request,
 * mcph_fixed_add() uses the entry that specifies the server and the origin most
 * precisely.  header_free() wipes a value before it frees the memory of the value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auth/auth.h"

struct fixed_header {
    char *server, *origin; /* NULL in `server` means any server, NULL in `origin` any
                            * origin; at most one of the two is NULL */
    char *name, *value;
    char *bound; /* if `origin` is NULL: the only origin that gets the header; NULL before
                  * the server's first request, unless the caller has set it */
    uint64_t mark;
};

static void
header_free(struct fixed_header *h)
{
    free(h->server);
    free(h->origin);
    free(h->name);
    mcph_str_wipe(h->value);
    free(h->bound);
    free(h);
}

static struct fixed_header *
header_new(const char *server, const char *origin, const char *name, const char *value,
           const char *bound)
{
    struct fixed_header *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->server = server ? mcph_strdup(server) : NULL;
    h->origin = origin ? mcph_strdup(origin) : NULL;
    h->name = mcph_strdup(name);
    h->value = mcph_strdup(value);
    h->bound = bound ? mcph_strdup(bound) : NULL;
    if (h->name && h->value && !h->server == !server && !h->origin == !origin &&
        !h->bound == !bound)
        return h;
    header_free(h);
    return NULL;
}

static size_t
find_header(const struct mcph_fixed *fixed, const char *server, const char *origin,
            const char *name)
{
    size_t i;

    for (i = 0; i < fixed->items.n; i++) {
        const struct fixed_header *h = fixed->items.items[i];

        if (mcph_streq(h->server, server) && mcph_streq(h->origin, origin) &&
            strcasecmp(h->name, name) == 0)
            break;
    }
    return i;
}

static int
put_header(struct mcph_fixed *fixed, size_t i, struct fixed_header *h)
{
    int r = 0;

    if (i < fixed->items.n) {
        header_free(fixed->items.items[i]);
        fixed->items.items[i] = h;
    } else if (i >= MCPH_FIXED_MAX) {
        r = MCPHOST_E_LIMIT;
    } else {
        r = mcph_vec_add(&fixed->items, h);
    }
    if (r < 0)
        header_free(h);
    return r;
}

int
mcph_fixed_set(struct mcph_fixed *fixed, const char *server, const char *origin,
               const char *name, const char *value, const char *bound)
{
    size_t i = find_header(fixed, server, origin, name);
    struct fixed_header *h;

    if (!server && !origin)
        return MCPHOST_E_INVALID;
    if (value) {
        h = header_new(server, origin, name, value, origin ? NULL : bound);
        if (!h)
            return MCPHOST_E_NOMEM;
        h->mark = ++fixed->last_mark;
        return put_header(fixed, i, h);
    }
    if (i < fixed->items.n) {
        header_free(fixed->items.items[i]);
        mcph_vec_remove(&fixed->items, i);
    }
    return 0;
}

/* Returns true if the entry is for this server but is bound to another origin. */
static bool
is_elsewhere(const struct fixed_header *h, const char *server, const char *origin)
{
    return h->server && strcmp(h->server, server) == 0 && h->bound &&
           strcmp(h->bound, origin) != 0;
}

/* Binds the entries that have this server and no origin to `origin`, unless they are
 * bound already.  If `ret` is not NULL, *ret gets the first entry that is bound to
 * another origin.  Returns 0 or MCPHOST_E_NOMEM. */
static int
bind_origin(struct mcph_fixed *fixed, const char *server, const char *origin,
            struct mcph_elsewhere *ret)
{
    for (size_t i = 0; i < fixed->items.n; i++) {
        struct fixed_header *h = fixed->items.items[i];

        if (!h->server || h->origin || strcmp(h->server, server) != 0)
            continue;
        if (!h->bound) {
            h->bound = mcph_strdup(origin);
            if (!h->bound)
                return MCPHOST_E_NOMEM;
        }
        if (ret && !ret->name[0] && is_elsewhere(h, server, origin)) {
            snprintf(ret->name, sizeof(ret->name), "%s", h->name);
            snprintf(ret->bound, sizeof(ret->bound), "%s", h->bound);
        }
    }
    return 0;
}

/* Returns how precisely the entry specifies this server and origin, or 0 if the entry
 * does not match. */
static int
precision(const struct fixed_header *h, const char *server, const char *origin)
{
    if ((h->server && strcmp(h->server, server) != 0) ||
        (h->origin && strcmp(h->origin, origin) != 0) || is_elsewhere(h, server, origin))
        return 0;
    return (h->server ? 2 : 0) + (h->origin ? 1 : 0);
}

/* Returns true if the entry matches and no entry for the same header name is more
 * precise. */
static bool
is_most_precise(const struct mcph_fixed *fixed, const struct fixed_header *h,
                const char *server, const char *origin)
{
    int own = precision(h, server, origin);

    for (size_t i = 0; i < fixed->items.n; i++) {
        const struct fixed_header *other = fixed->items.items[i];

        if (strcasecmp(other->name, h->name) == 0 &&
            precision(other, server, origin) > own)
            return false;
    }
    return own > 0;
}

/* Allocates the memory for all headers at once, because a buffer that grows leaves a copy
 * of the values behind. */
static int
make_room(const struct mcph_fixed *fixed, const char *server, const char *origin,
          size_t more, struct mcph_buf *lines)
{
    size_t room = more;

    for (size_t i = 0; i < fixed->items.n; i++) {
        const struct fixed_header *h = fixed->items.items[i];

        if (is_most_precise(fixed, h, server, origin))
            room += strlen(h->name) + strlen(h->value) + 2;
    }
    return mcph_buf_reserve(lines, room);
}

int
mcph_fixed_add(struct mcph_fixed *fixed, const char *server, const char *origin,
               size_t more, struct mcph_buf *lines, uint64_t *ret_mark,
               struct mcph_elsewhere *ret)
{
    uint64_t mark = 0;
    int found = MCPH_FIXED_NOTHING;

    if (ret)
        *ret = (struct mcph_elsewhere){0};
    if (bind_origin(fixed, server, origin, ret) < 0)
        return MCPHOST_E_NOMEM;
    if (lines && make_room(fixed, server, origin, more, lines) < 0)
        return mcph_buf_ok(lines);
    for (size_t i = 0; i < fixed->items.n; i++) {
        const struct fixed_header *h = fixed->items.items[i];

        if (!is_most_precise(fixed, h, server, origin))
            continue;
        if (strcasecmp(h->name, "Authorization") == 0)
            found = MCPH_FIXED_CREDENTIAL;
        else if (found == MCPH_FIXED_NOTHING)
            found = MCPH_FIXED_BESIDE;
        mark = h->mark > mark ? h->mark : mark;
        if (!lines)
            continue;
        mcph_buf_add(lines, h->name, strlen(h->name) + 1);
        if (mcph_buf_add(lines, h->value, strlen(h->value) + 1) < 0)
            return mcph_buf_ok(lines);
    }
    if (found != MCPH_FIXED_NOTHING)
        *ret_mark = mark;
    return found;
}

void
mcph_fixed_done(struct mcph_fixed *fixed)
{
    for (size_t i = 0; i < fixed->items.n; i++)
        header_free(fixed->items.items[i]);
    mcph_vec_done(&fixed->items);
}
