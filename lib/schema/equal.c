/* SPDX-License-Identifier: MIT
 *
 * equal.c - compare values as JSON Schema does, and find equal elements of an array.
 *
 * Numbers are equal if their values are equal, strings if their decoded texts are equal,
 * and objects if their members are equal in any order.  To find equal elements of a large
 * array, hashes of the elements are compared first.  The hash of a string is seeded, so
 * that an attacker cannot construct strings that collide.  The digits of a number are
 * combined without the seed.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

/* In arrays of at most this many elements, every pair of elements is compared. */
#define FEW_ELEMENTS 8

size_t
mcph_text_length(const char *p, size_t len)
{
    size_t i, n = 0;

    for (i = 0; i < len; i++)
        n += ((unsigned char)p[i] & 0xc0) != 0x80;
    return n;
}

static bool
equal_objects(const struct mcph_schema_value *a, uint32_t ia,
              const struct mcph_schema_value *b, uint32_t ib, struct mcph_budget *budget)
{
    uint32_t i, n = a[ia].n, pa = ia + 1, pb = ib + 1, other;

    for (i = 0; i < n; i++, pa = a[pa + 1].next, pb = b[pb + 1].next) {
        /* Try the same position first, because usually one program wrote both objects,
         * with their members in the same order. */
        other = pb + 1;
        if (a[pa].len != b[pb].len || memcmp(a[pa].p, b[pb].p, a[pa].len) != 0) {
            if (mcph_budget_spend(budget, n / 4 + a[pa].len / 64 + 1) < 0)
                return false;
            other = mcph_tape_member(b, ib, a[pa].p, a[pa].len);
        }
        if (other == MCPH_TAPE_NONE || !mcph_tape_equal(a, pa + 1, b, other, budget))
            return false;
    }
    return true;
}

static bool
equal_arrays(const struct mcph_schema_value *a, uint32_t ia,
             const struct mcph_schema_value *b, uint32_t ib, struct mcph_budget *budget)
{
    uint32_t i, n = a[ia].n, pa = ia + 1, pb = ib + 1;

    for (i = 0; i < n; i++, pa = a[pa].next, pb = b[pb].next) {
        if (!mcph_tape_equal(a, pa, b, pb, budget))
            return false;
    }
    return true;
}

bool
mcph_tape_equal(const struct mcph_schema_value *a, uint32_t ia,
                const struct mcph_schema_value *b, uint32_t ib,
                struct mcph_budget *budget)
{
    const struct mcph_schema_value *x = &a[ia], *y = &b[ib];
    struct mcph_number m, n;

    if (x->type != y->type || x->n != y->n)
        return false;
    switch (x->type) {
    case MCPH_JSON_OBJECT:
        return mcph_budget_spend(budget, 1 + x->n / 4) == 0 &&
               equal_objects(a, ia, b, ib, budget);
    case MCPH_JSON_ARRAY:
        return mcph_budget_spend(budget, 1 + x->n / 4) == 0 &&
               equal_arrays(a, ia, b, ib, budget);
    case MCPH_JSON_NUMBER:
        if (mcph_budget_spend(budget, (x->len + y->len) / 16) < 0)
            return false;
        m = mcph_number(mcph_span(x->p, x->len));
        n = mcph_number(mcph_span(y->p, y->len));
        return mcph_number_compare(&m, &n) == 0;
    default:
        return x->len == y->len && mcph_budget_spend(budget, x->len / 256) == 0 &&
               memcmp(x->p, y->p, x->len) == 0;
    }
}

static uint64_t
hash_value(const struct mcph_schema_value *tape, uint32_t at)
{
    const struct mcph_schema_value *v = &tape[at];
    struct mcph_number number;
    uint64_t pair[2] = {v->type, 0};
    uint32_t i, p = at + 1;

    switch (v->type) {
    case MCPH_JSON_OBJECT:
        for (i = 0; i < v->n; i++, p = tape[p + 1].next) {
            uint64_t member[2] = {hash_value(tape, p), hash_value(tape, p + 1)};

            pair[1] += mcph_hash64(member, sizeof(member)); /* a sum ignores the order */
        }
        break;
    case MCPH_JSON_ARRAY:
        for (i = 0; i < v->n; i++, p = tape[p].next) {
            uint64_t chain[2] = {pair[1], hash_value(tape, p)};

            pair[1] = mcph_hash64(chain, sizeof(chain));
        }
        break;
    case MCPH_JSON_NUMBER:
        number = mcph_number(mcph_span(v->p, v->len));
        pair[1] = mcph_number_hash(&number);
        break;
    default:
        pair[1] = mcph_hash64(v->p, v->len);
    }
    return mcph_hash64(pair, sizeof(pair));
}

struct element {
    uint64_t hash;
    uint32_t at, index;
};

static int
by_hash(const void *x, const void *y)
{
    const struct element *a = x, *b = y;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int
twins_of_few(const struct mcph_schema_value *tape, uint32_t array, size_t *ret_first,
             size_t *ret_second, struct mcph_budget *budget)
{
    uint32_t i, j, n = tape[array].n, p = array + 1, q;

    for (i = 0; i < n; i++, p = tape[p].next) {
        for (j = i + 1, q = tape[p].next; j < n; j++, q = tape[q].next) {
            if (!mcph_tape_equal(tape, p, tape, q, budget))
                continue;
            *ret_first = i;
            *ret_second = j;
            return 1;
        }
    }
    return 0;
}

/* Looks for an equal element among the elements that precede elements[i] and have its
 * hash.  Compares all of them, because an element with the same hash and another value
 * may stand between two equal elements.  Returns NULL if no element is equal or the
 * budget is spent. */
static const struct element *
find_twin(const struct mcph_schema_value *tape, const struct element *elements,
          uint32_t i, struct mcph_budget *budget)
{
    const struct element *b = &elements[i], *a;

    for (a = b; a > elements && a[-1].hash == b->hash; a--) {
        if (mcph_budget_spend(budget, 1) < 0)
            return NULL;
        if (mcph_tape_equal(tape, a[-1].at, tape, b->at, budget))
            return a - 1;
    }
    return NULL;
}

int
mcph_tape_twins(const struct mcph_schema_value *tape, uint32_t array, size_t *ret_first,
                size_t *ret_second, struct mcph_budget *budget)
{
    uint32_t i, n = tape[array].n, p = array + 1;
    struct element *elements;
    int r = 0;

    if (n <= FEW_ELEMENTS)
        return twins_of_few(tape, array, ret_first, ret_second, budget);
    if (mcph_budget_spend(budget, tape[array].next - array + (uint64_t)n * 4 +
                                      tape[array].len / 16) < 0)
        return 0;
    elements = mcph_reallocarray(NULL, n, sizeof(*elements));
    if (!elements)
        return MCPHOST_E_NOMEM;
    for (i = 0; i < n; i++, p = tape[p].next)
        elements[i] = (struct element){hash_value(tape, p), p, i};
    qsort(elements, n, sizeof(*elements), by_hash);
    for (i = 1; i < n && r == 0; i++) {
        const struct element *twin = find_twin(tape, elements, i, budget);

        if (twin) {
            *ret_first = twin->index;
            *ret_second = elements[i].index;
            r = 1;
        }
    }
    free(elements);
    return r;
}
