/* SPDX-License-Identifier: MIT
 *
 * restore.c - convert arguments for a projected schema into the arguments that the server
 * expects.
 *
 * Renamed parameters (rename.c) get their own names back.  A strict schema requires every
 * member and allows null for members that may be absent.  A null that means an absent
 * member is removed.  All other names and scalars stay byte for byte.
 */
#include <stdlib.h>
#include <string.h>

#include "model/inner.h"

#define DEPTH_MAX   32
#define SCHEMAS_MAX 64 /* limit on the schemas that may apply at one place */

struct restoring {
    struct mcph_projecting p; /* follows references in the schemas */
    struct mcph_buf *out;
    unsigned depth, objects; /* `depth`: depth of the recursion; `objects`: depth of
                              * nested objects */
    bool strict;
};

/* The schemas for one place in the arguments.  If a schema has alternatives (anyOf,
 * oneOf), the place includes the schemas of all alternatives. */
struct place {
    struct mcph_part parts[SCHEMAS_MAX];
    struct mcph_span items[SCHEMAS_MAX];
    struct mcph_span others[SCHEMAS_MAX]; /* schemas for undeclared members */
    size_t n, n_items, n_others;
    bool null; /* one of the schemas allows null */
};

static bool
lists_null(struct mcph_span list)
{
    struct mcph_json_iter it;
    struct mcph_span value;

    mcph_json_iter_init(&it, list);
    while (mcph_json_iter_next(&it, NULL, &value))
        if (mcph_json_is_null(value))
            return true;
    return false;
}

static void look_at_schema(struct restoring *s, struct place *place,
                           struct mcph_span schema);

static void
add_schema(struct mcph_span schemas[SCHEMAS_MAX], size_t *n, struct mcph_span schema)
{
    if (schema.p && *n < SCHEMAS_MAX)
        schemas[(*n)++] = schema;
}

static void
take_node(struct restoring *s, struct place *place, const struct mcph_model_node *node)
{
    static const enum mcph_model_keyword lists[] = {MCPH_KW_ITEMS, MCPH_KW_PREFIX_ITEMS,
                                                    MCPH_KW_ADDITIONAL_ITEMS};
    bool null = node->types & MCPH_T_NULL || node->cut ||
                mcph_span_is(node->kw[MCPH_KW_NULLABLE], "true");
    struct mcph_json_iter it;
    struct mcph_span branch;

    if (node->kw[MCPH_KW_CONST].p)
        null = mcph_json_is_null(node->kw[MCPH_KW_CONST]);
    else if (node->kw[MCPH_KW_ENUM].p)
        null = null && lists_null(node->kw[MCPH_KW_ENUM]);
    for (size_t i = 0; i < node->n && place->n < SCHEMAS_MAX; i++)
        place->parts[place->n++] = node->parts[i];
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(lists); i++) {
        struct mcph_span items = node->kw[lists[i]];

        if (mcph_json_type(items) != MCPH_JSON_ARRAY) {
            add_schema(place->items, &place->n_items, items);
            continue;
        }
        mcph_json_iter_init(&it, items);
        while (mcph_json_iter_next(&it, NULL, &branch))
            add_schema(place->items, &place->n_items, branch);
    }
    add_schema(place->others, &place->n_others, node->kw[MCPH_KW_ADDITIONAL]);
    for (int kw = MCPH_KW_ANY_OF; kw <= MCPH_KW_ONE_OF; kw++) {
        if (mcph_json_type(node->kw[kw]) != MCPH_JSON_ARRAY)
            continue;
        null = false; /* null is allowed only if an alternative allows it */
        mcph_json_iter_init(&it, node->kw[kw]);
        while (mcph_json_iter_next(&it, NULL, &branch))
            look_at_schema(s, place, branch);
    }
    place->null |= null;
}

/* Adds a schema to a place in the arguments.  A schema that cannot be examined counts as
 * allowing null, so that no null is removed. */
static void
look_at_schema(struct restoring *s, struct place *place, struct mcph_span schema)
{
    struct mcph_part part = {.schema = schema};
    size_t n_refs = s->p.n_refs;
    struct mcph_model_node *node = NULL;

    if (mcph_json_type(schema) == MCPH_JSON_BOOL && *schema.p == 'f')
        return;
    if (++s->depth <= DEPTH_MAX && place->n < SCHEMAS_MAX) {
        node = malloc(sizeof(*node));
        if (!node)
            s->out->err = MCPHOST_E_NOMEM;
    }
    if (!node || mcph_node_gather(&s->p, &part, 1, node) < 0)
        place->null = true;
    else if (!node->never)
        take_node(s, place, node);
    if (node)
        mcph_node_done(node);
    free(node);
    s->depth--;
    s->p.n_refs = n_refs;
}

/* Translates `*key`, a member of the model's arguments, into the server's name.  A key
 * that is the name of a property stays.  Otherwise, if the projection gave the key to a
 * property, the property's own name replaces the key. */
static int
find_name(struct restoring *s, const struct place *place, struct mcph_span *key)
{
    struct mcph_span name, value, found = MCPH_SPAN_NONE;
    struct mcph_json_iter it;
    int r = 0;

    for (size_t i = 0; i < place->n; i++) {
        mcph_json_iter_init(&it, place->parts[i].properties);
        while (it.object && mcph_json_iter_next(&it, &name, &value))
            if (mcph_json_string_eq(name, *key))
                return 0;
    }
    for (size_t i = 0; i < place->n && !found.p && r >= 0; i++) {
        mcph_json_iter_init(&it, place->parts[i].properties);
        while (it.object && !found.p && r >= 0 &&
               mcph_json_iter_next(&it, &name, &value)) {
            r = mcph_is_named(&s->p, name, s->objects == 1, *key);
            if (r > 0)
                found = name;
        }
    }
    if (found.p)
        *key = found;
    return r < 0 ? r : 0;
}

/* Collects the schemas for the member `key`.  If no `properties` names the member,
 * collects the schemas for members that are not named.  Sets *ret_required if the member
 * is required. */
static size_t
member_schemas(const struct place *place, struct mcph_span key,
               struct mcph_span schemas[SCHEMAS_MAX], bool *ret_required)
{
    struct mcph_json_iter it;
    struct mcph_span name, value;
    size_t n = 0;

    *ret_required = false;
    for (size_t i = 0; i < place->n; i++) {
        mcph_json_iter_init(&it, place->parts[i].properties);
        while (it.object && mcph_json_iter_next(&it, &name, &value))
            if (n < SCHEMAS_MAX && mcph_json_string_eq(name, key))
                schemas[n++] = value;
        mcph_json_iter_init(&it, place->parts[i].required);
        while (!it.object && mcph_json_iter_next(&it, NULL, &name))
            *ret_required |= mcph_json_string_eq(name, key);
    }
    for (size_t i = 0; i < place->n_others && !n; i++)
        schemas[i] = place->others[i];
    return n ? n : place->n_others;
}

static int restore_value(struct restoring *s, const struct mcph_span *schemas, size_t n,
                         struct mcph_span value);

static bool
stands_for_absence(struct restoring *s, const struct mcph_span *schemas, size_t n)
{
    struct place *place = calloc(1, sizeof(*place));
    bool absence = place != NULL && n > 0;

    if (!place)
        s->out->err = MCPHOST_E_NOMEM;
    for (size_t i = 0; i < n && absence; i++) {
        look_at_schema(s, place, schemas[i]);
        absence = !place->null;
    }
    free(place);
    return absence;
}

static int
restore_members(struct restoring *s, const struct place *place, struct mcph_span object)
{
    struct mcph_span key, value, schemas[SCHEMAS_MAX];
    struct mcph_json_iter it;
    bool required;
    int r = 0;

    s->objects++;
    mcph_buf_addc(s->out, '{');
    mcph_json_iter_init(&it, object);
    while (r == 0 && mcph_json_iter_next(&it, &key, &value)) {
        size_t n;

        r = find_name(s, place, &key);
        if (r < 0)
            break;
        n = member_schemas(place, key, schemas, &required);
        if (s->strict && mcph_json_is_null(value) && !required &&
            stands_for_absence(s, schemas, n))
            continue;
        mcph_json_add_comma(s->out);
        mcph_json_add_span(s->out, key);
        mcph_buf_addc(s->out, ':');
        r = restore_value(s, schemas, n, value);
    }
    mcph_buf_addc(s->out, '}');
    s->objects--;
    return r;
}

static int
restore_value(struct restoring *s, const struct mcph_span *schemas, size_t n,
              struct mcph_span value)
{
    int type = mcph_json_type(value), r = 0;
    struct mcph_json_iter it;
    struct mcph_span item;
    struct place *place;

    if (!n || (type != MCPH_JSON_OBJECT && type != MCPH_JSON_ARRAY) ||
        s->depth > DEPTH_MAX)
        return mcph_json_add_span(s->out, value);
    place = calloc(1, sizeof(*place));
    if (!place)
        return MCPHOST_E_NOMEM;
    s->depth++;
    for (size_t i = 0; i < n; i++)
        look_at_schema(s, place, schemas[i]);
    if (type == MCPH_JSON_OBJECT) {
        r = restore_members(s, place, value);
    } else {
        mcph_buf_addc(s->out, '[');
        mcph_json_iter_init(&it, value);
        while (r == 0 && mcph_json_iter_next(&it, NULL, &item)) {
            mcph_json_add_comma(s->out);
            r = restore_value(s, place->items, place->n_items, item);
        }
        mcph_buf_addc(s->out, ']');
    }
    s->depth--;
    free(place);
    return r < 0 ? r : mcph_buf_ok(s->out);
}

int
mcph_model_restore(int profile, struct mcph_span schema, struct mcph_span arguments,
                   struct mcph_buf *out)
{
    char why[MCPH_PROJECT_WHY] = "";
    struct restoring s = {
        .p = {.profile = mcph_profile_of(profile), .root = schema, .why = why},
        .out = out,
        .strict = profile == MCPHOST_PROFILE_OPENAI_STRICT};
    int r = restore_value(&s, &schema, 1, arguments);

    mcph_renames_done(&s.p);
    return r;
}
