/* SPDX-License-Identifier: MIT
 *
 * emit.c - write one place of a schema in the form that the provider accepts.
 *
 * If the provider does not know a keyword, the keyword becomes a note after the
 * description.  Keywords beside alternatives (anyOf, oneOf) are moved into each
 * alternative (see add_alternatives()), because providers do not accept constraints
 * beside alternatives.
 */
#include <stdlib.h>
#include <string.h>

#include "model/inner.h"

#define NODES_MAX        4000
#define DEPTH_MAX        24
#define ALTERNATIVES_MAX 200

#define ALTERNATIVE_BITS (MCPH_KW_BIT(MCPH_KW_ANY_OF) | MCPH_KW_BIT(MCPH_KW_ONE_OF))
#define FOLLOWED_BITS    (MCPH_KW_BIT(MCPH_KW_REF) | MCPH_KW_BIT(MCPH_KW_ALL_OF))
#define SAID_BITS                                                    \
    (MCPH_KW_BIT(MCPH_KW_DESCRIPTION) | MCPH_KW_BIT(MCPH_KW_TITLE) | \
     MCPH_KW_BIT(MCPH_KW_DEFAULT) | MCPH_KW_BIT(MCPH_KW_EXAMPLES) |  \
     MCPH_KW_BIT(MCPH_KW_EXAMPLE))

static bool
has_flag(const struct mcph_projecting *p, unsigned flag)
{
    return (p->profile->flags & flag) != 0;
}

static void
drop_comma(struct mcph_buf *out)
{
    if (out->len && out->data[out->len - 1] == ',')
        out->len--;
}

/* ---- annotations and notes --------------------------------------------------------- */

/* Writes the description, then the notes in brackets.  Call this after all other members
 * are written, because writing them adds notes. */
static void
add_description(struct mcph_projecting *p, struct mcph_model_node *node)
{
    struct mcph_span token = node->kw[MCPH_KW_DESCRIPTION], text = MCPH_SPAN_NONE;
    struct mcph_buf all, decoded;

    if (mcph_json_type(token) != MCPH_JSON_STRING)
        token = MCPH_SPAN_NONE;
    if (!token.p && !node->notes.len)
        return;
    mcph_json_add_key(p->out, "description");
    if (!node->notes.len && !memchr(token.p, '\\', token.len)) {
        mcph_buf_add(p->out, token.p, token.len);
        return;
    }
    mcph_buf_init(&decoded, token.len + 1);
    mcph_buf_init(&all, token.len + MCPH_NOTES_MAX + 8);
    if (token.p && mcph_json_string_get(token, &decoded, &text) == 0)
        mcph_buf_add(&all, text.p, text.len);
    if (node->notes.len) {
        mcph_buf_adds(&all, all.len ? "\n(" : "(");
        mcph_buf_add(&all, node->notes.data, node->notes.len);
        mcph_buf_addc(&all, ')');
    }
    mcph_json_add_string(p->out, all.data, all.len);
    if ((mcph_buf_ok(&all) < 0 || mcph_buf_ok(&decoded) < 0) && !p->out->err)
        p->out->err = MCPHOST_E_NOMEM;
    mcph_buf_done(&all);
    mcph_buf_done(&decoded);
}

static void
add_said(struct mcph_projecting *p, struct mcph_model_node *node)
{
    static const enum mcph_model_keyword rest[] = {MCPH_KW_DEFAULT, MCPH_KW_EXAMPLES};
    struct mcph_span title = node->kw[MCPH_KW_TITLE];

    if (mcph_json_type(title) == MCPH_JSON_STRING && !memchr(title.p, '\\', title.len)) {
        mcph_json_add_key(p->out, "title");
        mcph_json_add_span(p->out, title);
    }
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rest); i++) {
        struct mcph_span value = node->kw[rest[i]];

        if (value.p && p->profile->keep & MCPH_KW_BIT(rest[i]) &&
            (rest[i] == MCPH_KW_DEFAULT || mcph_json_type(value) == MCPH_JSON_ARRAY)) {
            mcph_json_add_key(p->out, mcph_keyword_names[rest[i]]);
            mcph_json_add_span(p->out, value);
        } else if (value.p) {
            mcph_node_note(node, mcph_keyword_names[rest[i]], value);
        }
    }
    for (int kw = MCPH_KW_WORDS; kw < MCPH_N_KW; kw++)
        if (node->kw[kw].p)
            mcph_node_note(node, mcph_keyword_names[kw], node->kw[kw]);
    add_description(p, node);
}

/* ---- types ------------------------------------------------------------------------- */

static const struct {
    unsigned bit;
    const char *name, *capitals;
} type_names[] = {
    {MCPH_T_STRING, "string", "STRING"},    {MCPH_T_NUMBER, "number", "NUMBER"},
    {MCPH_T_INTEGER, "integer", "INTEGER"}, {MCPH_T_BOOLEAN, "boolean", "BOOLEAN"},
    {MCPH_T_OBJECT, "object", "OBJECT"},    {MCPH_T_ARRAY, "array", "ARRAY"},
    {MCPH_T_NULL, "null", "NULL"},
};

/* Drops "integer" from types that contain "number", because a number may be an
 * integer. */
static unsigned
drop_included(unsigned types)
{
    return types & MCPH_T_NUMBER ? types & ~(unsigned)MCPH_T_INTEGER : types;
}

static void
add_type(struct mcph_projecting *p, unsigned types)
{
    bool list = (types & (types - 1)) != 0;

    mcph_json_add_key(p->out, "type");
    if (list)
        mcph_buf_addc(p->out, '[');
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(type_names); i++) {
        if (!(types & type_names[i].bit))
            continue;
        mcph_json_add_comma(p->out);
        mcph_json_add_str(p->out, has_flag(p, MCPH_P_GEMINI) ? type_names[i].capitals
                                                             : type_names[i].name);
    }
    if (list)
        mcph_buf_addc(p->out, ']');
}

/* ---- values and constraints -------------------------------------------------------- */

/* Checks whether an equal value precedes `value` in the list. */
static bool
is_repeated(struct mcph_span list, struct mcph_span value)
{
    struct mcph_json_iter it;
    struct mcph_span other;

    mcph_json_iter_init(&it, list);
    while (mcph_json_iter_next(&it, NULL, &other) && other.p != value.p)
        if (mcph_span_eq(other, value))
            return true;
    return false;
}

/* Counts the values in `list` that have one of `types` and more than `longer` bytes.
 * Stores the types of these values in *ret_types, and the sum of the values' bytes in
 * *ret_chars. */
static size_t
count_values(struct mcph_span list, unsigned types, size_t longer, unsigned *ret_types,
             size_t *ret_chars)
{
    struct mcph_json_iter it;
    struct mcph_span value;
    size_t n = 0;

    *ret_types = 0;
    *ret_chars = 0;
    mcph_json_iter_init(&it, list);
    while (mcph_json_iter_next(&it, NULL, &value)) {
        unsigned type = mcph_value_type(value);

        if (!(types & type) || value.len <= longer)
            continue;
        *ret_types |= type;
        *ret_chars += value.len;
        n++;
    }
    return n;
}

/* Writes the enum values that have one of `types`.  Adds null if null is allowed and the
 * provider accepts a list as "type".  If the provider does not accept the enum, the enum
 * becomes a note. */
static void
add_enum(struct mcph_projecting *p, struct mcph_model_node *node, unsigned types,
         bool null)
{
    struct mcph_span list = node->kw[MCPH_KW_ENUM], value;
    struct mcph_json_iter it;
    unsigned found;
    /* For Gemini, leave out the empty string: its token "" has only two bytes. */
    size_t chars, n, all, longer = has_flag(p, MCPH_P_GEMINI) ? 2 : 0;
    bool complex = has_flag(p, MCPH_P_VALUES);

    if (mcph_json_type(list) != MCPH_JSON_ARRAY)
        return;
    types &= ~(unsigned)MCPH_T_NULL;
    null = null && has_flag(p, MCPH_P_TYPE_LIST);
    n = count_values(list, types, longer, &found, &chars);
    all = p->enums + n + null;
    if (!n || all > p->profile->enum_max || chars > p->profile->enum_chars_max ||
        (!complex && found & (MCPH_T_OBJECT | MCPH_T_ARRAY)) ||
        (has_flag(p, MCPH_P_GEMINI) && found != MCPH_T_STRING)) {
        mcph_node_note(node, "enum", list);
        return;
    }
    p->enums = all;
    if (has_flag(p, MCPH_P_GEMINI))
        mcph_json_add_member(p->out, "format", "enum");
    mcph_json_add_key(p->out, "enum");
    mcph_buf_addc(p->out, '[');
    mcph_json_iter_init(&it, list);
    while (mcph_json_iter_next(&it, NULL, &value)) {
        if (!(types & mcph_value_type(value)) || value.len <= longer ||
            is_repeated(list, value))
            continue;
        mcph_json_add_comma(p->out);
        mcph_json_add_span(p->out, value);
    }
    if (null) {
        mcph_json_add_comma(p->out);
        mcph_buf_adds(p->out, "null");
    }
    mcph_buf_addc(p->out, ']');
}

enum form { COUNT, NUMBER, POSITIVE, TEXT, TRUTH };

static bool
is_of(struct mcph_span value, enum form form, bool integer)
{
    int64_t n;
    double d;
    bool b;

    switch (form) {
    case COUNT:
        return mcph_json_int64(value, &n) == 0 && n >= 0;
    case NUMBER:
        return mcph_json_type(value) == MCPH_JSON_NUMBER &&
               (integer ? mcph_json_int64(value, &n) == 0
                        : mcph_json_double(value, &d) == 0);
    case POSITIVE:
        return mcph_json_type(value) == MCPH_JSON_NUMBER &&
               mcph_json_double(value, &d) == 0 && d > 0;
    case TEXT:
        return mcph_json_type(value) == MCPH_JSON_STRING;
    default:
        return mcph_json_bool(value, &b) == 0;
    }
}

static bool
is_known(const struct mcph_projecting *p, const struct mcph_model_node *node, int kw,
         unsigned types)
{
    struct mcph_span value = node->kw[kw];

    if (!(p->profile->keep & MCPH_KW_BIT(kw)))
        return false;
    /* Write no pattern with "(?" in a strict schema, because a strict schema allows no
     * lookaround. */
    if (kw == MCPH_KW_PATTERN)
        return !has_flag(p, MCPH_P_STRICT) || !memmem(value.p, value.len, "(?", 2);
    if (kw != MCPH_KW_FORMAT || !p->profile->formats)
        return true;
    if (has_flag(p, MCPH_P_GEMINI) && node->kw[MCPH_KW_ENUM].p)
        return false; /* with an enum, Gemini accepts no format but "enum" */
    for (const struct mcph_known_format *f = p->profile->formats; f->name; f++)
        if (mcph_json_string_is(value, f->name, strlen(f->name)))
            return !(types & ~f->types);
    return false;
}

#define T_NUMBERS (MCPH_T_NUMBER | MCPH_T_INTEGER)

static void
add_constraints(struct mcph_projecting *p, struct mcph_model_node *node, unsigned types)
{
    static const struct {
        enum mcph_model_keyword kw;
        unsigned types;
        enum form form;
    } all[] = {
        {MCPH_KW_MIN_LENGTH, MCPH_T_STRING, COUNT},
        {MCPH_KW_MAX_LENGTH, MCPH_T_STRING, COUNT},
        {MCPH_KW_PATTERN, MCPH_T_STRING, TEXT},
        {MCPH_KW_FORMAT, MCPH_T_STRING | T_NUMBERS, TEXT},
        {MCPH_KW_MINIMUM, T_NUMBERS, NUMBER},
        {MCPH_KW_MAXIMUM, T_NUMBERS, NUMBER},
        {MCPH_KW_ABOVE, T_NUMBERS, NUMBER},
        {MCPH_KW_BELOW, T_NUMBERS, NUMBER},
        {MCPH_KW_MULTIPLE_OF, T_NUMBERS, POSITIVE},
        {MCPH_KW_MIN_ITEMS, MCPH_T_ARRAY, COUNT},
        {MCPH_KW_MAX_ITEMS, MCPH_T_ARRAY, COUNT},
        {MCPH_KW_UNIQUE_ITEMS, MCPH_T_ARRAY, TRUTH},
        {MCPH_KW_MIN_PROPERTIES, MCPH_T_OBJECT, COUNT},
        {MCPH_KW_MAX_PROPERTIES, MCPH_T_OBJECT, COUNT},
    };
    bool integer = !(types & MCPH_T_NUMBER);

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++) {
        struct mcph_span value = node->kw[all[i].kw];

        if (!value.p || !(types & all[i].types))
            continue;
        if (!is_of(value, all[i].form, integer) ||
            !is_known(p, node, (int)all[i].kw, types)) {
            mcph_node_note(node, mcph_keyword_names[all[i].kw], value);
            continue;
        }
        mcph_json_add_key(p->out, mcph_keyword_names[all[i].kw]);
        mcph_json_add_span(p->out, value);
    }
}

/* ---- lists ------------------------------------------------------------------------- */

static int
add_items_as_union(struct mcph_projecting *p, struct mcph_model_node *node,
                   struct mcph_span prefix)
{
    struct mcph_span schemas[ALTERNATIVES_MAX], value;
    struct mcph_json_iter it;
    size_t n = 0;

    mcph_json_iter_init(&it, prefix);
    while (n < ALTERNATIVES_MAX && mcph_json_iter_next(&it, NULL, &value))
        schemas[n++] = value;
    mcph_node_note(node, "items in this order", prefix);
    return mcph_write_union(p, schemas, n, 0);
}

static int
add_prefix(struct mcph_projecting *p, struct mcph_span prefix)
{
    static const char any[] = "{}";
    struct mcph_json_iter it;
    struct mcph_span value;
    int r = 1;

    mcph_json_add_key(p->out, "prefixItems");
    mcph_buf_addc(p->out, '[');
    mcph_json_iter_init(&it, prefix);
    while (r >= 0 && mcph_json_iter_next(&it, NULL, &value)) {
        mcph_json_add_comma(p->out);
        r = mcph_write_one(p, value, 0);
        if (r == 0)
            r = mcph_write_one(p, mcph_span_str(any), 0);
    }
    mcph_buf_addc(p->out, ']');
    return r;
}

static int
add_array(struct mcph_projecting *p, struct mcph_model_node *node)
{
    struct mcph_span prefix = node->kw[MCPH_KW_PREFIX_ITEMS],
                     items = node->kw[MCPH_KW_ITEMS];
    int r = 1;

    if (mcph_json_type(items) == MCPH_JSON_ARRAY) {
        prefix = items; /* an array in `items` describes a tuple in versions of JSON
                         * Schema before 2020-12 */
        items = node->kw[MCPH_KW_ADDITIONAL_ITEMS];
    }
    if (mcph_json_type(prefix) != MCPH_JSON_ARRAY || !mcph_json_count(prefix))
        prefix = MCPH_SPAN_NONE;
    if (prefix.p && has_flag(p, MCPH_P_TUPLES))
        r = add_prefix(p, prefix);
    if (r < 0)
        return r;
    mcph_json_add_key(p->out, "items");
    if (prefix.p && !has_flag(p, MCPH_P_TUPLES))
        return add_items_as_union(p, node, prefix);
    r = mcph_write_one(p, items.p ? items : mcph_span_str("{}"), 0);
    if (r == 0) { /* no items are allowed */
        mcph_node_note(node, "items", mcph_span_str("none"));
        r = mcph_write_one(p, mcph_span_str("{}"), 0);
    }
    return r;
}

/* ---- one place in a schema --------------------------------------------------------- */

/* Writes a schema for one type, or for several types if the provider accepts lists of
 * types. */
static int
add_typed(struct mcph_projecting *p, struct mcph_model_node *node, unsigned types,
          bool null, unsigned flags)
{
    int r = 1;

    mcph_buf_addc(p->out, '{');
    add_type(p, drop_included(types) |
                    (null && has_flag(p, MCPH_P_TYPE_LIST) ? (unsigned)MCPH_T_NULL : 0));
    if (null && has_flag(p, MCPH_P_GEMINI) && types != MCPH_T_NULL)
        mcph_buf_adds(p->out, ",\"nullable\":true");
    add_enum(p, node, types, null);
    add_constraints(p, node, types);
    if (types & MCPH_T_ARRAY)
        r = add_array(p, node);
    if (r >= 0 && types & MCPH_T_OBJECT)
        r = mcph_write_object(p, node, flags);
    if (r < 0)
        return r;
    add_said(p, node);
    mcph_buf_addc(p->out, '}');
    return 1;
}

/* Writes a schema that allows every value: without a type, or with one alternative for
 * each type if the provider requires a type.  Fails in strict mode, because a strict
 * schema cannot allow every value. */
static int
add_any(struct mcph_projecting *p, struct mcph_model_node *node)
{
    if (has_flag(p, MCPH_P_STRICT)) {
        return mcph_project_fail(p, "a parameter may be anything");
    }
    if (has_flag(p, MCPH_P_TYPE_LIST)) {
        mcph_buf_addc(p->out, '{');
    } else if (has_flag(p, MCPH_P_GEMINI)) {
        mcph_buf_adds(p->out, "{\"anyOf\":[{\"type\":\"STRING\"");
        add_said(p, node); /* Gemini accepts nothing beside anyOf */
        mcph_buf_adds(p->out, "},{\"type\":\"NUMBER\"},{\"type\":\"BOOLEAN\"},"
                              "{\"type\":\"OBJECT\"},{\"type\":\"ARRAY\","
                              "\"items\":{\"type\":\"STRING\"}}]}");
        return 1;
    } else {
        mcph_buf_adds(p->out, "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"},"
                              "{\"type\":\"boolean\"},{\"type\":\"object\"},"
                              "{\"type\":\"array\"},{\"type\":\"null\"}]");
    }
    add_said(p, node);
    mcph_buf_addc(p->out, '}');
    return 1;
}

/* Writes an "anyOf" with one alternative for each type.  Adds an alternative for null if
 * null is allowed.  With Gemini, each alternative is nullable instead. */
static int
add_split(struct mcph_projecting *p, struct mcph_model_node *node, unsigned types,
          bool null, unsigned flags)
{
    size_t notes = node->notes.len;
    int r = 1;

    mcph_buf_adds(p->out, "{\"anyOf\":[");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(type_names) && r >= 0; i++) {
        if (!(drop_included(types) & type_names[i].bit))
            continue;
        mcph_json_add_comma(p->out);
        r = add_typed(p, node,
                      type_names[i].bit == MCPH_T_NUMBER ? types & T_NUMBERS
                                                         : type_names[i].bit,
                      null && has_flag(p, MCPH_P_GEMINI), flags);
        node->notes.len = notes;
    }
    if (r >= 0 && null && !has_flag(p, MCPH_P_GEMINI)) {
        mcph_json_add_comma(p->out);
        mcph_buf_adds(p->out, "{\"type\":\"null\"}");
    }
    mcph_buf_adds(p->out, "]}");
    return r;
}

/* Returns the types of the node, without types that its enum excludes.  If the schema
 * names no type, infers the type from keywords that apply to one type only. */
static unsigned
infer_types(struct mcph_model_node *node)
{
    unsigned types = node->types, values;
    size_t chars;

    for (size_t i = 0; types == MCPH_T_ANY && i < node->n; i++)
        if (node->parts[i].properties.p || node->parts[i].required.p)
            return MCPH_T_OBJECT;
    if (types == MCPH_T_ANY && (node->kw[MCPH_KW_ADDITIONAL].p))
        return MCPH_T_OBJECT;
    if (types == MCPH_T_ANY &&
        (node->kw[MCPH_KW_ITEMS].p || node->kw[MCPH_KW_PREFIX_ITEMS].p))
        return MCPH_T_ARRAY;
    if (mcph_json_type(node->kw[MCPH_KW_ENUM]) == MCPH_JSON_ARRAY) {
        if (count_values(node->kw[MCPH_KW_ENUM], types, 0, &values, &chars))
            types &= values;
    }
    if (types == MCPH_T_ANY &&
        (node->kw[MCPH_KW_PATTERN].p || node->kw[MCPH_KW_MIN_LENGTH].p ||
         node->kw[MCPH_KW_MAX_LENGTH].p || node->kw[MCPH_KW_FORMAT].p))
        return MCPH_T_STRING;
    if (types == MCPH_T_ANY &&
        (node->kw[MCPH_KW_MINIMUM].p || node->kw[MCPH_KW_MAXIMUM].p))
        return MCPH_T_NUMBER | MCPH_T_INTEGER;
    return types;
}

static int
add_plain(struct mcph_projecting *p, struct mcph_model_node *node, unsigned flags)
{
    unsigned types = infer_types(node), rest = types & ~(unsigned)MCPH_T_NULL;
    bool null = types & MCPH_T_NULL || flags & MCPH_EMIT_NULL ||
                mcph_span_is(node->kw[MCPH_KW_NULLABLE], "true");
    unsigned few = drop_included(rest);

    if (types == MCPH_T_ANY)
        return add_any(p, node);
    if (!rest)
        return add_typed(p, node, MCPH_T_NULL, false, flags);
    if ((few & (few - 1) && !has_flag(p, MCPH_P_TYPE_LIST)) ||
        (null && !has_flag(p, MCPH_P_TYPE_LIST) && !has_flag(p, MCPH_P_GEMINI)))
        return add_split(p, node, rest, null, flags);
    return add_typed(p, node, rest, null, flags);
}

/* ---- alternatives ------------------------------------------------------------------ */

/* Writes the alternatives.  Moves the keywords beside the alternatives into each
 * alternative.  Annotations stay beside the alternatives, except with Gemini.  Gemini
 * accepts nothing beside alternatives. */
static int
add_alternatives(struct mcph_projecting *p, struct mcph_model_node *node, int kw,
                 unsigned flags)
{
    bool one_of = kw == MCPH_KW_ONE_OF && has_flag(p, MCPH_P_ONE_OF);
    bool alone = has_flag(p, MCPH_P_GEMINI);
    struct mcph_part parts[MCPH_PARTS_MAX];
    struct mcph_json_iter it;
    struct mcph_span branch;
    size_t n = 0, start = p->out->len;
    int r = 1;

    if (node->n == MCPH_PARTS_MAX)
        return mcph_project_fail(p, "too many schemas are combined in one place");
    mcph_buf_adds(p->out, one_of ? "{\"oneOf\":[" : "{\"anyOf\":[");
    mcph_json_iter_init(&it, node->kw[kw]);
    while (r >= 0 && mcph_json_iter_next(&it, NULL, &branch)) {
        size_t n_parts = 1;

        if (n == ALTERNATIVES_MAX)
            return mcph_project_fail(p, "a parameter has too many alternatives");
        parts[0] = (struct mcph_part){.schema = branch};
        for (size_t i = 0; i < node->n; i++) {
            parts[n_parts] = node->parts[i];
            parts[n_parts++].skip |=
                ALTERNATIVE_BITS | FOLLOWED_BITS | (alone ? 0 : SAID_BITS);
        }
        mcph_json_add_comma(p->out);
        r = mcph_json_type(branch) == MCPH_JSON_BOOL && *branch.p == 'f'
                ? 0
                : mcph_write_schema(p, parts, n_parts, alone ? flags : 0);
        if (r == 0)
            drop_comma(p->out);
        n += r > 0;
    }
    if (r < 0)
        return r;
    if (!n) {
        p->out->len = start;
        return 0;
    }
    if (flags & MCPH_EMIT_NULL && !alone)
        mcph_buf_adds(p->out, ",{\"type\":\"null\"}");
    mcph_buf_addc(p->out, ']');
    if (!alone) {
        /* Do not write these keywords again, because each alternative contains them
         * now. */
        for (int i = MCPH_KW_WORDS; i < MCPH_N_KW; i++)
            if (i != MCPH_KW_EXAMPLE)
                node->kw[i] = MCPH_SPAN_NONE;
        add_said(p, node);
    }
    mcph_buf_addc(p->out, '}');
    return 1;
}

static void
make_const_a_list(struct mcph_model_node *node)
{
    struct mcph_span value = node->kw[MCPH_KW_CONST];

    if (!value.p)
        return;
    mcph_buf_init(&node->made, value.len + 2);
    mcph_buf_addc(&node->made, '[');
    mcph_buf_add(&node->made, value.p, value.len);
    mcph_buf_addc(&node->made, ']');
    if (mcph_buf_ok(&node->made) == 0)
        node->kw[MCPH_KW_ENUM] = mcph_span(node->made.data, node->made.len);
}

static int
add_node(struct mcph_projecting *p, struct mcph_model_node *node, unsigned flags)
{
    int kw = -1;

    if (node->never)
        return 0;
    for (int k = MCPH_KW_ANY_OF; k <= MCPH_KW_ONE_OF; k++) {
        if (mcph_json_type(node->kw[k]) != MCPH_JSON_ARRAY ||
            !mcph_json_count(node->kw[k]))
            continue;
        if (kw < 0)
            kw = k;
        else
            mcph_node_note(node, mcph_keyword_names[k], node->kw[k]);
    }
    if (flags & MCPH_EMIT_ROOT) { /* providers refuse enum and const at the root */
        for (int k = MCPH_KW_ENUM; k <= MCPH_KW_CONST; k++) {
            if (node->kw[k].p)
                mcph_node_note(node, mcph_keyword_names[k], node->kw[k]);
            node->kw[k] = MCPH_SPAN_NONE;
        }
    }
    make_const_a_list(node);
    if (flags & MCPH_EMIT_ROOT) {
        if (!(node->types & MCPH_T_OBJECT))
            return mcph_project_fail(p, "its arguments are not an object");
        return add_typed(p, node, MCPH_T_OBJECT, false, flags);
    }
    if (kw >= 0)
        return add_alternatives(p, node, kw, flags);
    if (node->cut && node->types == MCPH_T_ANY)
        return add_any(p, node);
    return add_plain(p, node, flags);
}

int
mcph_write_schema(struct mcph_projecting *p, const struct mcph_part *parts, size_t n,
                  unsigned flags)
{
    size_t n_refs = p->n_refs, start = p->out->len;
    struct mcph_model_node *node;
    int r;

    if (++p->nodes > NODES_MAX)
        return mcph_project_fail(p, "its references expand too far");
    node = malloc(sizeof(*node));
    if (!node)
        return MCPHOST_E_NOMEM;
    p->depth++;
    r = mcph_node_gather(p, parts, n, node);
    if (r >= 0 && p->depth > DEPTH_MAX) {
        mcph_node_note(node, "deeper levels", mcph_span_str("not shown"));
        r = node->never ? 0 : add_any(p, node);
    } else if (r >= 0) {
        r = add_node(p, node, flags);
    }
    if (r >= 0 && (mcph_buf_ok(&node->notes) < 0 || mcph_buf_ok(&node->made) < 0))
        r = MCPHOST_E_NOMEM;
    if (r == 0 && !p->out->err)
        p->out->len = start;
    p->depth--;
    p->n_refs = n_refs;
    mcph_node_done(node);
    free(node);
    if (mcph_buf_ok(p->out) == MCPHOST_E_LIMIT)
        return mcph_project_fail(p, "it is too large");
    return mcph_buf_ok(p->out) < 0 ? mcph_buf_ok(p->out) : r;
}

int
mcph_write_one(struct mcph_projecting *p, struct mcph_span schema, unsigned flags)
{
    struct mcph_part part = {.schema = schema};

    if (mcph_json_type(schema) == MCPH_JSON_BOOL && *schema.p == 'f')
        return 0;
    return mcph_write_schema(p, &part, 1, flags);
}

int
mcph_write_union(struct mcph_projecting *p, const struct mcph_span *schemas, size_t n,
                 unsigned flags)
{
    size_t start = p->out->len, written = 0;
    int r = 0;

    for (size_t i = 1; i < n && mcph_span_eq(schemas[i], schemas[0]); i++)
        written = i; /* schemas 0 to i are equal */
    if (n && written + 1 == n)
        return mcph_write_one(p, schemas[0], flags);
    written = 0;
    mcph_buf_adds(p->out, "{\"anyOf\":[");
    for (size_t i = 0; i < n && r >= 0; i++) {
        bool seen = false;

        for (size_t k = 0; k < i && !seen; k++)
            seen = mcph_span_eq(schemas[i], schemas[k]);
        if (seen)
            continue;
        mcph_json_add_comma(p->out);
        r = mcph_write_one(p, schemas[i], has_flag(p, MCPH_P_GEMINI) ? flags : 0);
        if (r == 0)
            drop_comma(p->out);
        written += r > 0;
    }
    if (r < 0)
        return r;
    if (!written) {
        p->out->len = start;
        return 0;
    }
    if (flags & MCPH_EMIT_NULL && !has_flag(p, MCPH_P_GEMINI))
        mcph_buf_adds(p->out, ",{\"type\":\"null\"}");
    mcph_buf_adds(p->out, "]}");
    return 1;
}
