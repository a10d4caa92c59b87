/* SPDX-License-Identifier: MIT
 *
 * emit_object.c - write an object: its properties, required names and additional members.
 *
 * Properties are joined from all schemas that apply to the object.  Alternatives at the
 * root are merged into one object, because providers require a plain object at the root.
 * The alternatives themselves become a note.
 */
#include <stdlib.h>
#include <string.h>

#include "model/inner.h"

/* Limit on the properties that are collected for one object */
#define PROPERTIES_MAX 1024
#define BRANCHES_MAX   64
#define COMMON_MAX     32
#define SAME_MAX       16 /* limit on the schemas for one property */

struct property {
    struct mcph_span key, value; /* `key` is a token */
    size_t source;               /* index of the schema that has the property */
    bool branch;                 /* from an alternative; false: from the object itself */
    bool done;                   /* handled, alone or together with an earlier property
                                  * of the same name */
    bool written;
};

struct object {
    struct property *all;
    size_t n, cap, n_sources;
    struct mcph_span common[COMMON_MAX]; /* tokens of names that all alternatives
                                          * require */
    size_t n_common;
};

static bool
is_in(struct mcph_span list, struct mcph_span key)
{
    struct mcph_json_iter it;
    struct mcph_span name;

    mcph_json_iter_init(&it, list);
    while (!it.object && mcph_json_iter_next(&it, NULL, &name))
        if (mcph_json_string_eq(name, key))
            return true;
    return false;
}

static bool
is_required_by(const struct mcph_model_node *node, struct mcph_span key)
{
    for (size_t i = 0; i < node->n; i++)
        if (is_in(node->parts[i].required, key))
            return true;
    return false;
}

static int
collect_properties(struct mcph_projecting *p, struct object *o, struct mcph_span list,
                   bool branch)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;

    mcph_json_iter_init(&it, list);
    while (it.object && mcph_json_iter_next(&it, &key, &value)) {
        if (o->n == PROPERTIES_MAX)
            return mcph_project_fail(p, "an object has too many properties");
        if (o->n == o->cap) {
            size_t cap = o->cap ? 4 * o->cap : 16;
            struct property *all = mcph_reallocarray(o->all, cap, sizeof(*all));

            if (!all)
                return MCPHOST_E_NOMEM;
            o->all = all;
            o->cap = cap;
        }
        o->all[o->n++] = (struct property){
            .key = key, .value = value, .source = o->n_sources, .branch = branch};
    }
    o->n_sources++;
    return 0;
}

/* ---- alternatives at the root ------------------------------------------------------ */

static void
note_required(struct object *o, const struct mcph_model_node *branch, bool first)
{
    struct mcph_json_iter it;
    struct mcph_span name;

    for (size_t i = 0; i < branch->n && first; i++) {
        mcph_json_iter_init(&it, branch->parts[i].required);
        while (!it.object && o->n_common < COMMON_MAX &&
               mcph_json_iter_next(&it, NULL, &name))
            o->common[o->n_common++] = name;
    }
    for (size_t k = o->n_common; k-- > 0 && !first;)
        if (!is_required_by(branch, o->common[k]))
            o->common[k] = o->common[--o->n_common];
}

static int
lay_branch(struct mcph_projecting *p, struct object *o, struct mcph_span schema,
           bool first)
{
    struct mcph_part part = {.schema = schema};
    struct mcph_model_node *branch = malloc(sizeof(*branch));
    size_t n_refs = p->n_refs;
    int r;

    if (!branch)
        return MCPHOST_E_NOMEM;
    r = mcph_node_gather(p, &part, 1, branch);
    for (size_t i = 0; i < branch->n && r == 0 && !branch->never; i++)
        r = collect_properties(p, o, branch->parts[i].properties, true);
    if (r == 0 && !branch->never)
        note_required(o, branch, first);
    p->n_refs = n_refs;
    mcph_node_done(branch);
    free(branch);
    return r;
}

static int
lay_alternatives(struct mcph_projecting *p, struct mcph_model_node *node,
                 struct object *o)
{
    struct mcph_json_iter it;
    struct mcph_span schema;
    bool first = true;
    int r = 0;

    for (int kw = MCPH_KW_ANY_OF; kw <= MCPH_KW_ONE_OF && r == 0; kw++) {
        size_t n = 0;

        if (mcph_json_type(node->kw[kw]) != MCPH_JSON_ARRAY)
            continue;
        mcph_node_note(node, mcph_keyword_names[kw], node->kw[kw]);
        mcph_json_iter_init(&it, node->kw[kw]);
        while (r == 0 && mcph_json_iter_next(&it, NULL, &schema)) {
            if (n++ == BRANCHES_MAX)
                return mcph_project_fail(p, "it has too many alternatives");
            r = lay_branch(p, o, schema, first);
            first = false;
        }
    }
    return r;
}

/* ---- one property ------------------------------------------------------------------ */

/* Collects the schemas of the property at `i`.  If the object itself has the property,
 * collects only the object's own schemas.  All of these schemas apply together.  If only
 * alternatives have the property, collects the schemas of the alternatives, and sets
 * *ret_branch to true. */
static size_t
take_schemas(struct object *o, size_t i, struct mcph_span schemas[SAME_MAX],
             bool *ret_branch)
{
    size_t n = 0, source = SIZE_MAX;

    *ret_branch = o->all[i].branch;
    for (size_t k = i; k < o->n; k++) {
        struct property *other = &o->all[k];

        if (k != i && (other->done || !mcph_json_string_eq(other->key, o->all[i].key)))
            continue;
        other->done = true;
        if (other->branch != *ret_branch || (other->source != source && n == SAME_MAX))
            continue;
        /* If one object has the name twice, keep only the last schema. */
        schemas[other->source == source ? n - 1 : n++] = other->value;
        source = other->source;
    }
    return n;
}

/* Writes the name of a property, or another name if the provider does not accept the
 * property's name.  A provider may have stricter rules for the names of the tool's own
 * parameters than for names in objects below. */
static int
add_name(struct mcph_projecting *p, struct mcph_span key)
{
    return mcph_add_name(p, key, p->objects == 1, p->out);
}

static int
emit_property(struct mcph_projecting *p, struct object *o, size_t i, unsigned flags)
{
    struct mcph_span schemas[SAME_MAX];
    struct mcph_part parts[SAME_MAX];
    size_t start = p->out->len, n;
    bool branch;
    int r;

    n = take_schemas(o, i, schemas, &branch);
    mcph_json_add_comma(p->out);
    r = add_name(p, o->all[i].key);
    if (r < 0)
        return r;
    mcph_buf_addc(p->out, ':');
    if (branch) {
        r = mcph_write_union(p, schemas, n, flags);
    } else {
        for (size_t k = 0; k < n; k++)
            parts[k] = (struct mcph_part){.schema = schemas[k]};
        r = mcph_write_schema(p, parts, n, flags);
    }
    if (r == 0 && !p->out->err)
        p->out->len = start;
    o->all[i].written = r > 0;
    return r;
}

static int
emit_properties(struct mcph_projecting *p, struct mcph_model_node *node, struct object *o)
{
    bool strict = p->profile->flags & MCPH_P_STRICT;
    int r = 0;

    for (size_t i = 0; i < o->n && r >= 0; i++) {
        struct mcph_span key = o->all[i].key;
        bool required = is_required_by(node, key);

        if (o->all[i].done)
            continue;
        for (size_t k = 0; k < o->n_common && !required; k++)
            required = mcph_json_string_eq(o->common[k], key);
        if (++p->properties > p->profile->properties_max)
            return mcph_project_fail(p, "it has too many parameters");
        r = emit_property(p, o, i, strict && !required ? MCPH_EMIT_NULL : 0);
    }
    return r;
}

/* ---- required and additional members ----------------------------------------------- */

static int
add_required(struct mcph_projecting *p, struct mcph_model_node *node, struct object *o)
{
    bool strict = p->profile->flags & MCPH_P_STRICT, begun = false;

    for (size_t i = 0; i < o->n; i++) {
        bool required = strict || is_required_by(node, o->all[i].key);

        if (!o->all[i].written)
            continue;
        for (size_t k = 0; k < o->n_common && !required; k++)
            required = mcph_json_string_eq(o->common[k], o->all[i].key);
        if (!required)
            continue;
        if (!begun) {
            mcph_json_add_key(p->out, "required");
            mcph_buf_addc(p->out, '[');
        }
        begun = true;
        mcph_json_add_comma(p->out);
        if (add_name(p, o->all[i].key) < 0)
            return MCPHOST_E_NOMEM;
    }
    if (begun)
        mcph_buf_addc(p->out, ']');
    else if (strict)
        mcph_buf_adds(p->out, ",\"required\":[]");
    return 1;
}

/* Notes the required names for which no property was written. */
static void
note_unknown(struct mcph_model_node *node, struct object *o)
{
    struct mcph_json_iter it;
    struct mcph_span name;

    for (size_t i = 0; i < node->n; i++) {
        mcph_json_iter_init(&it, node->parts[i].required);
        while (!it.object && mcph_json_iter_next(&it, NULL, &name)) {
            bool known = mcph_json_type(name) != MCPH_JSON_STRING;

            for (size_t k = 0; k < o->n && !known; k++)
                known = o->all[k].written && mcph_json_string_eq(o->all[k].key, name);
            if (!known)
                mcph_node_note(node, "required", name);
        }
    }
}

static int
add_additional(struct mcph_projecting *p, struct mcph_model_node *node, bool some,
               bool root)
{
    struct mcph_span value = node->kw[MCPH_KW_ADDITIONAL];
    bool closed = mcph_span_is(value, "false");
    int r;

    if (p->profile->flags & MCPH_P_STRICT) {
        if ((value.p && !closed) || node->kw[MCPH_KW_PATTERN_PROPERTIES].p ||
            (!some && !closed && !root)) {
            return mcph_project_fail(p,
                                     "a parameter is an object with names of any sort");
        }
        mcph_buf_adds(p->out, ",\"additionalProperties\":false");
        return 1;
    }
    if (!value.p)
        return 1;
    if (!(p->profile->flags & MCPH_P_ADDITIONAL)) {
        mcph_node_note(node, "additionalProperties", value);
        return 1;
    }
    mcph_json_add_key(p->out, "additionalProperties");
    if (mcph_json_type(value) == MCPH_JSON_OBJECT && mcph_json_count(value)) {
        r = mcph_write_one(p, value, 0);
        if (r != 0)
            return r;
        closed = true;
    }
    mcph_json_add_bool(p->out, !closed);
    return 1;
}

int
mcph_write_object(struct mcph_projecting *p, struct mcph_model_node *node, unsigned flags)
{
    struct object o = {0};
    bool root = flags & MCPH_EMIT_ROOT, some = false;
    int r = 0;

    if (++p->objects > p->profile->objects_max) {
        r = mcph_project_fail(p, "its objects are nested too deeply");
        goto out;
    }
    for (size_t i = 0; i < node->n && r >= 0; i++)
        r = collect_properties(p, &o, node->parts[i].properties, false);
    if (r >= 0 && root)
        r = lay_alternatives(p, node, &o);
    if (r < 0)
        goto out;
    some = o.n > 0;
    if (some || root) {
        size_t start = p->out->len, begun;

        mcph_json_add_key(p->out, "properties");
        mcph_buf_addc(p->out, '{');
        begun = p->out->len;
        r = emit_properties(p, node, &o);
        if (r < 0)
            goto out;
        some = p->out->len > begun;
        if (some || root)
            mcph_buf_addc(p->out, '}');
        else
            p->out->len = start;
    }
    p->empty = root && !some;
    r = add_required(p, node, &o);
    note_unknown(node, &o);
    if (r >= 0)
        r = add_additional(p, node, some, root);
out:
    p->objects--;
    free(o.all);
    return r;
}
