/* SPDX-License-Identifier: MIT
 *
 * defaults.c - add missing members for which the schema has a default.
 *
 * Defaults are added only where the schema leaves no choice: through `properties`,
 * `items`, `allOf` and references.  Alternatives and conditions add no defaults.  The
 * bytes of the value stay as they are.  New members are appended to their object.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

#define DEPTH_MAX 256

struct gap {
    const char *at; /* the closing bracket of the object */
    struct mcph_span name, value;
    bool first; /* the object is empty */
};

struct filling {
    const struct mcph_schema_value *tape;
    struct mcph_budget *budget;
    struct gap *gaps;
    size_t n, cap;
};

static int
add_gap(struct filling *f, uint32_t object, const struct mcph_name *name)
{
    const struct mcph_schema_value *v = &f->tape[object];
    struct gap *gaps;
    size_t i;

    if (mcph_budget_spend(f->budget, 1 + f->n / 8 + name->node->dflt.len / 32) < 0)
        return MCPHOST_E_LIMIT;
    for (i = 0; i < f->n; i++) {
        if (f->gaps[i].at == v->p + v->len - 1 &&
            mcph_span_eq(f->gaps[i].name, name->text))
            return 0; /* this name has a default already */
    }
    if (f->n == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 8;

        gaps = mcph_reallocarray(f->gaps, cap, sizeof(*gaps));
        if (!gaps)
            return MCPHOST_E_NOMEM;
        f->gaps = gaps;
        f->cap = cap;
    }
    f->gaps[f->n++] =
        (struct gap){v->p + v->len - 1, name->text, name->node->dflt, v->n == 0};
    return 0;
}

static int fill_node(struct filling *f, const struct mcph_schema_node *node, uint32_t at,
                     int depth);

static int
fill_members(struct filling *f, const struct mcph_members *members, uint32_t at,
             int depth)
{
    uint32_t i, member;
    int r = 0;

    if (mcph_budget_spend(f->budget,
                          (1 + (uint64_t)f->tape[at].n / 4) * members->n_names) < 0)
        return MCPHOST_E_LIMIT;
    for (i = 0; i < members->n_names && r == 0; i++) {
        const struct mcph_name *name = &members->names[i];

        if (!name->node)
            continue;
        member = mcph_tape_member(f->tape, at, name->text.p, name->text.len);
        if (member != MCPH_TAPE_NONE)
            r = fill_node(f, name->node, member, depth + 1);
        else if (name->node->dflt.p) /* the default of a `$ref`'s target is not used */
            r = add_gap(f, at, name);
    }
    return r;
}

static int
fill_items(struct filling *f, const struct mcph_rule *rule, uint32_t at, int depth)
{
    uint32_t i, n = f->tape[at].n, p = at + 1;
    int r = 0;

    for (i = 0; i < n && r == 0; i++, p = f->tape[p].next) {
        const struct mcph_schema_node *item =
            i < rule->items.n ? rule->items.first[i] : rule->items.rest;

        if (item)
            r = fill_node(f, item, p, depth + 1);
    }
    return r;
}

static int
fill_rule(struct filling *f, const struct mcph_rule *rule, uint32_t at, int depth)
{
    size_t i;
    int r = 0;

    switch (rule->kind) {
    case RULE_REF:
        return fill_node(f, rule->ref->target, at, depth + 1);
    case RULE_ALL_OF:
        for (i = 0; i < rule->list.n && r == 0; i++)
            r = fill_node(f, rule->list.nodes[i], at, depth + 1);
        return r;
    case RULE_MEMBERS:
        return f->tape[at].type == MCPH_JSON_OBJECT
                   ? fill_members(f, rule->members, at, depth)
                   : 0;
    case RULE_ITEMS:
        return f->tape[at].type == MCPH_JSON_ARRAY ? fill_items(f, rule, at, depth) : 0;
    default:
        return 0;
    }
}

static int
fill_node(struct filling *f, const struct mcph_schema_node *node, uint32_t at, int depth)
{
    size_t i;
    int r = 0;

    if (depth > DEPTH_MAX || mcph_budget_spend(f->budget, 1) < 0)
        return MCPHOST_E_LIMIT;
    for (i = 0; i < node->n_rules && r == 0; i++)
        r = fill_rule(f, &node->rules[i], at, depth);
    return r;
}

static int
by_place(const void *x, const void *y)
{
    const struct gap *a = x, *b = y;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    /* Order the members of one object by address, so that the order does not depend on
     * qsort(). */
    return a->name.p < b->name.p ? -1 : a->name.p > b->name.p;
}

static int
write_out(const struct filling *f, struct mcph_span value, struct mcph_buf *buf)
{
    const char *p = value.p;
    size_t i;

    for (i = 0; i < f->n; i++) {
        const struct gap *gap = &f->gaps[i];

        mcph_buf_add(buf, p, (size_t)(gap->at - p));
        if (!gap->first || (i > 0 && f->gaps[i - 1].at == gap->at))
            mcph_buf_addc(buf, ',');
        mcph_json_add_string(buf, gap->name.p, gap->name.len);
        mcph_buf_addc(buf, ':');
        mcph_buf_add(buf, gap->value.p, gap->value.len);
        p = gap->at;
    }
    mcph_buf_add(buf, p, (size_t)(value.p + value.len - p));
    return mcph_buf_ok(buf);
}

int
mcph_schema_complete(const mcphost_schema *schema, const struct mcph_tape *tape,
                     struct mcph_span value, struct mcph_budget *budget,
                     struct mcph_buf *buf, bool *ret_changed)
{
    struct filling f = {.tape = tape->at, .budget = budget};
    int r = fill_node(&f, schema->root, 0, 0);

    if (r == 0 && f.n > 0) {
        qsort(f.gaps, f.n, sizeof(*f.gaps), by_place);
        r = write_out(&f, value, buf);
    }
    *ret_changed = f.n > 0;
    free(f.gaps);
    return r;
}
