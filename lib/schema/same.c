/* SPDX-License-Identifier: MIT
 *
 * same.c - compare two JSON texts by value, with the members of objects in any order.
 *
 * Within the limit on values, the comparison has the same result as mcph_tape_equal().
 * The work grows with the size of the texts alone, because names in a different order are
 * sorted instead of searched.
 *
 * The functions are recursive.  The nesting limit of the JSON check bounds the depth.
 */
#include <stdlib.h>

#include "schema/inner.h"

struct same {
    const struct mcph_schema_value *a, *b;
    bool no_memory;
};

static bool same_values(struct same *s, uint32_t ia, uint32_t ib);

static bool
is_text(const struct mcph_schema_value *a, const struct mcph_schema_value *b)
{
    return a->len == b->len && memcmp(a->p, b->p, a->len) == 0;
}

static const struct mcph_schema_value **
sorted_names(const struct mcph_schema_value *tape, uint32_t object)
{
    uint32_t n = tape[object].n, at = object + 1;
    const struct mcph_schema_value **names = mcph_reallocarray(NULL, n, sizeof(*names));

    for (uint32_t i = 0; names && i < n; i++, at = tape[at + 1].next)
        names[i] = &tape[at];
    if (names)
        qsort(names, n, sizeof(*names), mcph_tape_by_text);
    return names;
}

static bool
same_in_any_order(struct same *s, uint32_t ia, uint32_t ib)
{
    const struct mcph_schema_value **x = sorted_names(s->a, ia),
                                   **y = sorted_names(s->b, ib);
    bool same = x && y;

    s->no_memory |= !same;
    for (uint32_t i = 0; i < s->a[ia].n && same; i++)
        same = is_text(x[i], y[i]) &&
               same_values(s, (uint32_t)(x[i] - s->a) + 1, (uint32_t)(y[i] - s->b) + 1);
    free(x);
    free(y);
    return same;
}

static bool
same_objects(struct same *s, uint32_t ia, uint32_t ib)
{
    uint32_t n = s->a[ia].n, pa = ia + 1, pb = ib + 1;

    /* Try the given order first, because usually one program wrote both objects with
     * their members in the same order. */
    for (uint32_t i = 0; i < n; i++) {
        if (!is_text(&s->a[pa], &s->b[pb]))
            return same_in_any_order(s, ia, ib);
        pa = s->a[pa + 1].next;
        pb = s->b[pb + 1].next;
    }
    pa = ia + 1;
    pb = ib + 1;
    for (uint32_t i = 0; i < n; i++) {
        if (!same_values(s, pa + 1, pb + 1))
            return false;
        pa = s->a[pa + 1].next;
        pb = s->b[pb + 1].next;
    }
    return true;
}

static bool
same_arrays(struct same *s, uint32_t ia, uint32_t ib)
{
    uint32_t pa = ia + 1, pb = ib + 1;

    for (uint32_t i = 0; i < s->a[ia].n; i++) {
        if (!same_values(s, pa, pb))
            return false;
        pa = s->a[pa].next;
        pb = s->b[pb].next;
    }
    return true;
}

static bool
same_values(struct same *s, uint32_t ia, uint32_t ib)
{
    const struct mcph_schema_value *x = &s->a[ia], *y = &s->b[ib];
    struct mcph_number m, n;

    if (x->type != y->type || x->n != y->n)
        return false;
    switch (x->type) {
    case MCPH_JSON_OBJECT:
        return same_objects(s, ia, ib);
    case MCPH_JSON_ARRAY:
        return same_arrays(s, ia, ib);
    case MCPH_JSON_NUMBER:
        m = mcph_number(mcph_span(x->p, x->len));
        n = mcph_number(mcph_span(y->p, y->len));
        return mcph_number_compare(&m, &n) == 0;
    default:
        return is_text(x, y);
    }
}

int
mcph_schema_same(struct mcph_span a, struct mcph_span b, uint32_t max_values)
{
    struct mcph_tape x, y;
    struct same s = {0};
    int r;

    if (mcph_json_type(a) != mcph_json_type(b))
        return 0;
    if (mcph_span_eq(a, b))
        return 1;
    r = mcph_tape_init(&x, a, max_values);
    if (r == 0) {
        r = mcph_tape_init(&y, b, max_values);
        s.a = x.at;
        s.b = y.at;
        if (r == 0)
            r = same_values(&s, 0, 0);
        mcph_tape_done(&y);
    }
    mcph_tape_done(&x);
    if (s.no_memory || r == MCPHOST_E_NOMEM)
        return MCPHOST_E_NOMEM;
    return r > 0; /* r is negative if a text has too many items or repeats a name */
}
