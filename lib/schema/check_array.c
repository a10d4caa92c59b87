/* SPDX-License-Identifier: MIT
 *
 * check_array.c - check arrays against their rules.
 */
#include <stdio.h>

#include "schema/inner.h"

static void
mark_evaluated(struct mcph_schema_check *c, const struct mcph_marks *marks,
               uint32_t index)
{
    if (marks)
        c->marks[marks->at + index] = 1;
}

static bool
check_element(struct mcph_schema_check *c, const struct mcph_schema_node *node,
              uint32_t at, uint32_t index)
{
    struct mcph_way way = {.up = c->way, .index = index};
    const struct mcph_way *up = c->way;
    bool ok;

    c->way = &way;
    ok = mcph_check_node(c, node, at, NULL);
    c->way = up;
    return ok;
}

bool
mcph_check_items(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                 const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    uint32_t i, n = c->tape[at].n, p = at + 1;
    bool ok = true, loud = mcph_check_loud(c);

    (void)node;
    for (i = 0; i < n && (ok || loud) && !c->err; i++, p = c->tape[p].next) {
        const struct mcph_schema_node *item =
            i < rule->items.n ? rule->items.first[i] : rule->items.rest;

        if (!item)
            break;
        ok &= check_element(c, item, p, i);
        mark_evaluated(c, marks, i);
    }
    return ok;
}

bool
mcph_check_contains(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                    const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    uint32_t i, n = c->tape[at].n, p = at + 1;
    size_t found = 0;
    char words[64];

    c->quiet++;
    for (i = 0; i < n && !c->err; i++, p = c->tape[p].next) {
        if (!mcph_check_node(c, rule->contains.node, p, NULL))
            continue;
        found++;
        if (rule->contains.marks)
            mark_evaluated(c, marks, i);
    }
    c->quiet--;
    if (c->err)
        return false;
    snprintf(words, sizeof(words), "%zu", found);
    if (found < rule->contains.min)
        return mcph_check_fail_found(
            c, node, rule->contains.min == 1 ? KW_CONTAINS : KW_MIN_CONTAINS, words,
            "at least %zu item%s that fit%s the schema in 'contains'", rule->contains.min,
            rule->contains.min == 1 ? "" : "s", rule->contains.min == 1 ? "s" : "");
    if (found > rule->contains.max)
        return mcph_check_fail_found(
            c, node, KW_MAX_CONTAINS, words,
            "at most %zu items that fit the schema in 'contains'", rule->contains.max);
    return true;
}

bool
mcph_check_unique(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                  const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    size_t first = 0, second = 0;
    char words[96];
    int r;

    (void)marks;
    r = mcph_tape_twins(c->tape, at, &first, &second, c->budget);
    if (r < 0)
        return mcph_check_stop(c, MCPHOST_E_NOMEM, NULL);
    if (!mcph_check_spend(c, 0))
        return false;
    if (r == 0)
        return true;
    snprintf(words, sizeof(words), "the same at %zu and at %zu", first, second);
    return mcph_check_fail_found(c, node, rule->keyword, words,
                                 "items that differ from each other");
}

bool
mcph_check_last_items(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                      const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    uint32_t i, n = c->tape[at].n, p = at + 1;
    bool ok = true, loud = mcph_check_loud(c);

    (void)node;
    for (i = 0; i < n && (ok || loud) && !c->err; i++, p = c->tape[p].next) {
        if (c->marks[marks->at + i])
            continue;
        ok &= check_element(c, rule->node, p, i);
        mark_evaluated(c, marks, i);
    }
    return ok;
}
