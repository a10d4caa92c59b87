/* SPDX-License-Identifier: MIT
 *
 * pages.c - lists of tools, resources, templates and prompts, one page at a time.
 *
 * A page is a byte range of the list that the service gave.  A cursor is a digit for the
 * kind of the list and three fields: the index of the next page's first definition, a
 * hash of the name of this definition, and a hash of the name of the definition before
 * it.
 *
 * If the list has changed since the cursor was made, the page begins at the definition
 * whose name has the first hash.  If that definition was removed, the page begins after
 * the definition whose name has the second hash.  If both definitions were removed, the
 * page begins at the index.  As long as one of the two definitions stays and the order
 * does not change, no definition that stays in the list is skipped or sent twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provide/engine.h"

struct page_item {
    size_t at, end; /* offsets of the definition in the list's JSON text */
    uint64_t name;  /* a hash of the name */
};

static const struct {
    const char *list, *name; /* `list`: member of the result;
                              * `name`: member of a definition */
} kinds[MCPH_PROVIDE_FEATURES] = {
    [MCPHOST_FEATURE_TOOL] = {"tools", "name"},
    [MCPHOST_FEATURE_RESOURCE] = {"resources", "uri"},
    [MCPHOST_FEATURE_TEMPLATE] = {"resourceTemplates", "uriTemplate"},
    [MCPHOST_FEATURE_PROMPT] = {"prompts", "name"},
};

/* ---- the index of a list ----------------------------------------------------------- */

static void
listing_done(struct listing *listing)
{
    mcph_frame_unref(listing->frame);
    free(listing->items);
    *listing = (struct listing){0};
}

static int
index_items(struct listing *listing, const char *name)
{
    struct mcph_span whole = mcph_frame_span(listing->frame), value, token;
    size_t n = mcph_json_count(whole);
    struct mcph_json_iter it;

    listing->items = mcph_reallocarray(NULL, n + 1, sizeof(*listing->items));
    if (!listing->items)
        return MCPHOST_E_NOMEM;
    mcph_json_iter_init(&it, whole);
    while (listing->n < n && mcph_json_iter_next(&it, NULL, &value)) {
        struct page_item *item = &listing->items[listing->n++];

        token = mcph_json_get(value, name);
        item->at = (size_t)(value.p - whole.p);
        item->end = item->at + value.len;
        item->name = token.p ? mcph_hash64(token.p, token.len) : 0;
    }
    return 0;
}

/* Gets the service's current list of this kind and makes an index of its definitions if
 * the list is new.  Returns 0, MCPHOST_E_NOMEM or the code of the service's list(). */
static int
get_listing(struct mcph_connection *c, int kind, struct listing **ret)
{
    struct listing *listing = &c->listings[kind];
    struct mcph_frame *frame;
    int r = c->service->ops->list(c->service, kind, &frame);

    if (r < 0)
        return r;
    *ret = listing;
    if (frame == listing->frame) {
        mcph_frame_unref(frame);
        return 0;
    }
    listing_done(listing);
    listing->frame = frame;
    mcph_meter_spend(&c->meter, frame->len);
    r = index_items(listing, kinds[kind].name);
    if (r < 0)
        listing_done(listing);
    return r;
}

void
mcph_conn_pages_done(struct mcph_connection *c)
{
    for (int kind = 0; kind < MCPH_PROVIDE_FEATURES; kind++)
        listing_done(&c->listings[kind]);
}

/* ---- cursors ----------------------------------------------------------------------- */

#define FIELD      16 /* number of hexadecimal digits of each field */
#define CURSOR_LEN (1 + 3 * FIELD)

static void
put_cursor(const struct listing *listing, int kind, size_t at, char *ret)
{
    snprintf(ret, CURSOR_LEN + 1, "%d%016llx%016llx%016llx", kind, (unsigned long long)at,
             (unsigned long long)listing->items[at].name,
             (unsigned long long)listing->items[at - 1].name);
}

static bool
read_field(const char *p, uint64_t *ret)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t value = 0;

    for (int i = 0; i < FIELD; i++) {
        const char *digit = memchr(digits, p[i], 16);

        if (!digit)
            return false;
        value = value << 4 | (uint64_t)(digit - digits);
    }
    *ret = value;
    return true;
}

static bool
find_name(const struct listing *listing, uint64_t name, size_t *ret)
{
    for (size_t i = 0; i < listing->n; i++) {
        if (listing->items[i].name == name) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool
is_at(const struct listing *listing, uint64_t at, uint64_t next, uint64_t last)
{
    return at > 0 && at < listing->n && listing->items[at].name == next &&
           listing->items[at - 1].name == last;
}

/* Finds the definition to which a cursor points.  Returns false if the cursor is
 * invalid. */
static bool
read_cursor(const struct listing *listing, int kind, struct mcph_span token, size_t *ret)
{
    uint64_t at, next, last;
    const char *p = token.p + 1;

    if (mcph_json_type(token) != MCPH_JSON_STRING || token.len != CURSOR_LEN + 2 ||
        p[0] != '0' + kind || !read_field(p + 1, &at) ||
        !read_field(p + 1 + FIELD, &next) ||
        !read_field(p + 1 + (size_t)2 * FIELD, &last))
        return false;
    if (is_at(listing, at, next, last)) {
        *ret = (size_t)at;
    } else if (!find_name(listing, next, ret)) {
        if (find_name(listing, last, ret))
            ++*ret;
        else
            *ret = at < listing->n ? (size_t)at : listing->n;
    }
    return true;
}

/* ---- sending a page ---------------------------------------------------------------- */

/* Returns the index after the last definition of the page. */
static size_t
find_end(const struct mcph_connection *c, const struct listing *listing, size_t from)
{
    size_t to = from;

    while (to < listing->n && to - from < c->spec.page_items &&
           (to == from ||
            listing->items[to].end - listing->items[from].at <= c->spec.page_bytes))
        to++;
    return to;
}

static void
send_page(struct mcph_connection *c, const struct request *req, int kind,
          const struct listing *listing, size_t from)
{
    size_t to = find_end(c, listing, from), at, len;
    char cursor[CURSOR_LEN + 1];
    struct mcph_buf *buf;
    int r = 0;

    if (!mcph_reply_begin(c, &buf))
        return;
    mcph_reply_open(buf, req->msg->id.raw, req->modern);
    mcph_json_add_key(buf, kinds[kind].list);
    mcph_buf_addc(buf, '[');
    if (to > from) {
        at = listing->items[from].at;
        len = listing->items[to - 1].end - at;
        r = mcph_rpc_add_oneline(buf, mcph_span(listing->frame->data + at, len));
    }
    mcph_buf_addc(buf, ']');
    if (to < listing->n) {
        put_cursor(listing, kind, to, cursor);
        mcph_json_add_member(buf, "nextCursor", cursor);
    }
    if (req->modern)
        mcph_reply_add_cache(buf, c->spec.ttl_ms);
    mcph_buf_adds(buf, "}}");
    mcph_reply_commit(c, buf, r, MCPH_SEND_RESPONSE, c->stream);
}

void
mcph_conn_pages_list(struct mcph_connection *c, const struct conn_method *method,
                     const struct request *req)
{
    struct mcph_span cursor = mcph_json_get(req->params, "cursor");
    struct listing *listing;
    size_t from = 0;
    int r = get_listing(c, method->what, &listing);

    if (r < 0)
        mcph_reply_refuse(c, req, MCPH_RPC_INTERNAL_ERROR, mcphost_strerror(r));
    else if (cursor.p && !mcph_json_is_null(cursor) &&
             !read_cursor(listing, method->what, cursor, &from))
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS, "the cursor is not valid");
    else
        send_page(c, req, method->what, listing, from);
}
