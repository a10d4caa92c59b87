/* SPDX-License-Identifier: MIT
 *
 * merge.c - merge two objects into one, in time linear in their size for each level of
 * nesting.
 *
 * One walk along both objects finds the members of the same name, because both objects
 * are canonical.  The functions are recursive.  The scan's nesting limit bounds the
 * recursion.
 */
#include <string.h>

#include "json/json.h"

struct side {
    struct mcph_json_iter members;
    struct mcph_span key, value;
    bool has; /* the current member exists and is not written yet */
};

static void
next_member(struct side *side)
{
    side->has = mcph_json_iter_next(&side->members, &side->key, &side->value);
}

static void
side_init(struct side *side, struct mcph_span object)
{
    mcph_json_iter_init(&side->members, object);
    next_member(side);
}

/* Compares the current members of two objects in the order of canonical names.  A side
 * that has no member left comes last. */
static int
compare_sides(const struct side *a, const struct side *b)
{
    size_t len = a->key.len < b->key.len ? a->key.len : b->key.len;
    int r;

    if (!a->has || !b->has)
        return a->has ? -1 : 1;
    r = memcmp(a->key.p, b->key.p, len);
    return r ? r : (a->key.len > b->key.len) - (a->key.len < b->key.len);
}

static void
add_name(struct mcph_buf *buf, const struct side *side)
{
    mcph_json_add_comma(buf);
    mcph_buf_add(buf, side->key.p, side->key.len);
    mcph_buf_addc(buf, ':');
}

static void
add_member(struct mcph_buf *buf, const struct side *side)
{
    add_name(buf, side);
    mcph_buf_add(buf, side->value.p, side->value.len);
}

/* Adds a member that both objects have.  If both values are objects, adds the merged
 * object.  Otherwise adds the value in `over`. */
static void
add_both(struct mcph_buf *buf, const struct side *under, const struct side *over)
{
    if (mcph_json_type(under->value) != MCPH_JSON_OBJECT ||
        mcph_json_type(over->value) != MCPH_JSON_OBJECT) {
        add_member(buf, over);
        return;
    }
    add_name(buf, over);
    mcph_json_add_merged(buf, under->value, over->value);
}

int
mcph_json_add_merged(struct mcph_buf *buf, struct mcph_span under, struct mcph_span over)
{
    struct side a, b;

    side_init(&a, under);
    side_init(&b, over);
    mcph_buf_addc(buf, '{');
    while (a.has || b.has) {
        int r = compare_sides(&a, &b);

        if (r == 0)
            add_both(buf, &a, &b);
        else
            add_member(buf, r < 0 ? &a : &b);
        if (r <= 0)
            next_member(&a);
        if (r >= 0)
            next_member(&b);
    }
    return mcph_buf_addc(buf, '}');
}
