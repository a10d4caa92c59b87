/* SPDX-License-Identifier: MIT
 *
 * check_object.c - check objects against their rules.
 *
 * One pass over the members checks properties, patternProperties, additionalProperties
 * and required.
 */
#include <stdio.h>
#include <string.h>

#include "schema/inner.h"

static bool
check_member(struct mcph_schema_check *c, const struct mcph_schema_node *node,
             uint32_t name)
{
    struct mcph_way way = {.up = c->way, .name = &c->tape[name]};
    const struct mcph_way *up = c->way;
    bool ok;

    c->way = &way;
    ok = mcph_check_node(c, node, name + 1, NULL);
    c->way = up;
    return ok;
}

const struct mcph_name *
mcph_members_find(const struct mcph_members *members, struct mcph_span name)
{
    uint32_t i;

    if (members->map.n > 0)
        return mcph_map_get(&members->map, name.p, name.len);
    for (i = 0; i < members->n_names; i++) {
        const struct mcph_span *text = &members->names[i].text;

        if (text->len == name.len && memcmp(text->p, name.p, name.len) == 0)
            return &members->names[i];
    }
    return NULL;
}

/* Lists the names that an object may have, for the error about an unknown name. */
static void
known_names(const struct mcph_members *members, char *room, size_t size)
{
    size_t n = 0;
    uint32_t i;

    room[0] = '\0';
    for (i = 0; i < members->n_names && n < size; i++) {
        const struct mcph_span *text = &members->names[i].text;

        if (!members->names[i].node)
            continue;
        if (n + text->len + 8 > size) {
            n += (size_t)snprintf(room + n, size - n, ", ...");
            break;
        }
        n += (size_t)snprintf(room + n, size - n, "%s'%.*s'", n ? ", " : "",
                              (int)text->len, text->p);
    }
}

static bool
fail_name(struct mcph_schema_check *c, const struct mcph_schema_node *node,
          const struct mcph_members *members, int keyword,
          const struct mcph_schema_value *name)
{
    char known[160] = "", found[160];

    if (!mcph_check_loud(c))
        return false;
    if (members && !mcph_check_full(c) && mcph_check_spend(c, members->n_names / 8))
        known_names(members, known, sizeof(known));
    snprintf(found, sizeof(found), "the member '%.*s'",
             (int)(name->len < 100 ? name->len : 100), name->p);
    return mcph_check_fail_found(c, node, keyword, found,
                                 *known ? "no members but %s" : "no such member%s",
                                 known);
}

/* Checks one member.  Stores in *ret_required the member's number among the required
 * names, or 0 if the member is not required.  Sets *ret_evaluated if a rule applied to
 * the member. */
static bool
check_one_member(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                 const struct mcph_members *members, uint32_t at, uint32_t *ret_required,
                 bool *ret_evaluated)
{
    const struct mcph_schema_value *key = &c->tape[at];
    const struct mcph_name *name =
        mcph_members_find(members, mcph_span(key->p, key->len));
    bool ok = true, known = name && name->node;
    uint32_t i;

    *ret_required = name ? name->required : 0;
    *ret_evaluated = false;
    if (!mcph_check_spend(c, key->len / 64))
        return false;
    if (known)
        ok = check_member(c, name->node, at);
    for (i = 0; i < members->n_patterns && !c->err; i++) {
        if (!mcph_check_pattern(c, &members->patterns[i], key))
            continue;
        known = true;
        ok &= check_member(c, members->patterns[i].node, at);
    }
    *ret_evaluated = known || members->rest;
    if (known || !members->rest || c->err)
        return ok;
    if (members->rest->never)
        return fail_name(c, node, members, KW_ADDITIONAL_PROPERTIES, key);
    return check_member(c, members->rest, at);
}

/* Reports `n` missing names.  `seen` marks the required names that are present. */
static bool
fail_required(struct mcph_schema_check *c, const struct mcph_schema_node *node,
              const struct mcph_members *members, const struct mcph_marks *seen,
              uint32_t n)
{
    uint32_t i;

    if (!mcph_check_loud(c) || c->err)
        return false;
    for (i = 0; n > 0 && !mcph_check_full(c) && mcph_check_spend(c, i % 8 == 0); i++) {
        const struct mcph_name *name = &members->names[i];

        if (!name->required || c->marks[seen->at + name->required - 1])
            continue;
        mcph_check_fail_found(c, node, KW_REQUIRED, "no such member", "the member '%.*s'",
                              (int)(name->text.len < 100 ? name->text.len : 100),
                              name->text.p);
        n--;
    }
    c->report->more += n;
    return false;
}

bool
mcph_check_members(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                   const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    const struct mcph_members *members = rule->members;
    uint32_t i, n = c->tape[at].n, p = at + 1, required, n_seen = 0;
    bool ok = true, loud = mcph_check_loud(c), evaluated;
    struct mcph_marks seen = {0, 0};

    /* Mark the required members only if the report must name the missing members.
     * Otherwise counting the required members is enough. */
    if (loud && members->n_required > 0 &&
        !mcph_marks_open(c, members->n_required, &seen))
        return false;
    for (i = 0; i < n && (ok || loud) && !c->err; i++, p = c->tape[p + 1].next) {
        ok &= check_one_member(c, node, members, p, &required, &evaluated);
        n_seen += required > 0;
        if (required > 0 && seen.n > 0)
            c->marks[seen.at + required - 1] = 1;
        if (marks && evaluated)
            c->marks[marks->at + i] = 1;
    }
    if (ok || loud) {
        if (n_seen < members->n_required)
            ok = fail_required(c, node, members, &seen, members->n_required - n_seen);
    }
    if (seen.n > 0)
        mcph_marks_close(c, &seen);
    return ok && !c->err;
}

bool
mcph_check_names(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                 const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    uint32_t i, n = c->tape[at].n, p = at + 1;
    bool ok = true, loud = mcph_check_loud(c);

    (void)node;
    (void)marks;
    for (i = 0; i < n && (ok || loud) && !c->err; i++, p = c->tape[p + 1].next) {
        struct mcph_way way = {.up = c->way, .name = &c->tape[p]};
        const struct mcph_way *up = c->way;

        c->way = &way;
        ok &= mcph_check_node(c, rule->node, p, NULL); /* checks the member's name, not
                                                        * its value */
        c->way = up;
    }
    return ok;
}

static bool
check_present(struct mcph_schema_check *c, const struct mcph_schema_node *node,
              const struct mcph_rule *rule, const struct mcph_depends *d, uint32_t at)
{
    bool ok = true;
    size_t i;

    for (i = 0; i < d->n && (ok || mcph_check_loud(c)) && !c->err; i++) {
        if (!mcph_check_spend(c, 1 + c->tape[at].n / 4))
            return false;
        if (mcph_tape_member(c->tape, at, d->names[i].p, d->names[i].len) !=
            MCPH_TAPE_NONE)
            continue;
        ok = mcph_check_fail_found(c, node, rule->keyword, "no such member",
                                   "the member '%.*s', since there is '%.*s'",
                                   (int)(d->names[i].len < 80 ? d->names[i].len : 80),
                                   d->names[i].p,
                                   (int)(d->name.len < 80 ? d->name.len : 80), d->name.p);
    }
    return ok;
}

bool
mcph_check_depends(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                   const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    bool ok = true;
    size_t i;

    for (i = 0; i < rule->depends.n && (ok || mcph_check_loud(c)) && !c->err; i++) {
        const struct mcph_depends *d = &rule->depends.list[i];

        if (!mcph_check_spend(c, 1 + c->tape[at].n / 4))
            return false;
        if (mcph_tape_member(c->tape, at, d->name.p, d->name.len) == MCPH_TAPE_NONE)
            continue;
        if (d->node)
            ok &= mcph_check_node(c, d->node, at, marks);
        else
            ok &= check_present(c, node, rule, d, at);
    }
    return ok && !c->err;
}

bool
mcph_check_last_members(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                        const struct mcph_rule *rule, uint32_t at,
                        struct mcph_marks *marks)
{
    uint32_t i, n = c->tape[at].n, p = at + 1;
    bool ok = true, loud = mcph_check_loud(c);

    for (i = 0; i < n && (ok || loud) && !c->err; i++, p = c->tape[p + 1].next) {
        if (c->marks[marks->at + i])
            continue;
        c->marks[marks->at + i] = 1;
        if (rule->node->never)
            ok = fail_name(c, node, NULL, KW_UNEVALUATED_PROPERTIES, &c->tape[p]);
        else
            ok &= check_member(c, rule->node, p);
    }
    return ok;
}
