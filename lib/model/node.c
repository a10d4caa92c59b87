/* SPDX-License-Identifier: MIT
 *
 * node.c - collect the keywords of one place in a schema: follow references, join allOf.
 *
 * References are followed only within the schema.  A reference is not followed if it is
 * cyclic, if it leads nowhere, or if MCPH_REFS_MAX references were followed on the way to
 * it.  A note names each reference that is not followed.  The place of this reference
 * accepts anything if the place has neither a type nor alternatives.  If a keyword occurs
 * twice, the outer keyword counts.  The inner keyword becomes a note, unless it is an
 * annotation or has the same value.  Properties and required names are joined.  Only the
 * types that all parts allow remain.
 */
#include <stdlib.h>
#include <string.h>

#include "model/inner.h"

#define WORK_MAX  ((size_t)32 * 1024 * 1024) /* limit on the bytes read for one tool */
#define VALUE_MAX 300                        /* limit on the bytes of a value in a note */
#define POINTER   256                        /* limit on the bytes of a step in a $ref */

const char *const mcph_keyword_names[MCPH_N_KW] = {
    [MCPH_KW_REF] = "$ref",
    [MCPH_KW_ALL_OF] = "allOf",
    [MCPH_KW_ANY_OF] = "anyOf",
    [MCPH_KW_ONE_OF] = "oneOf",
    [MCPH_KW_TYPE] = "type",
    [MCPH_KW_NULLABLE] = "nullable",
    [MCPH_KW_DESCRIPTION] = "description",
    [MCPH_KW_TITLE] = "title",
    [MCPH_KW_ENUM] = "enum",
    [MCPH_KW_CONST] = "const",
    [MCPH_KW_DEFAULT] = "default",
    [MCPH_KW_EXAMPLES] = "examples",
    [MCPH_KW_MIN_LENGTH] = "minLength",
    [MCPH_KW_MAX_LENGTH] = "maxLength",
    [MCPH_KW_PATTERN] = "pattern",
    [MCPH_KW_FORMAT] = "format",
    [MCPH_KW_MINIMUM] = "minimum",
    [MCPH_KW_MAXIMUM] = "maximum",
    [MCPH_KW_ABOVE] = "exclusiveMinimum",
    [MCPH_KW_BELOW] = "exclusiveMaximum",
    [MCPH_KW_MULTIPLE_OF] = "multipleOf",
    [MCPH_KW_ITEMS] = "items",
    [MCPH_KW_PREFIX_ITEMS] = "prefixItems",
    [MCPH_KW_ADDITIONAL_ITEMS] = "additionalItems",
    [MCPH_KW_MIN_ITEMS] = "minItems",
    [MCPH_KW_MAX_ITEMS] = "maxItems",
    [MCPH_KW_UNIQUE_ITEMS] = "uniqueItems",
    [MCPH_KW_PROPERTIES] = "properties",
    [MCPH_KW_REQUIRED] = "required",
    [MCPH_KW_ADDITIONAL] = "additionalProperties",
    [MCPH_KW_MIN_PROPERTIES] = "minProperties",
    [MCPH_KW_MAX_PROPERTIES] = "maxProperties",
    [MCPH_KW_NOT] = "not",
    [MCPH_KW_IF] = "if",
    [MCPH_KW_THEN] = "then",
    [MCPH_KW_ELSE] = "else",
    [MCPH_KW_PATTERN_PROPERTIES] = "patternProperties",
    [MCPH_KW_PROPERTY_NAMES] = "propertyNames",
    [MCPH_KW_DEPENDENT_REQUIRED] = "dependentRequired",
    [MCPH_KW_DEPENDENT_SCHEMAS] = "dependentSchemas",
    [MCPH_KW_DEPENDENCIES] = "dependencies",
    [MCPH_KW_CONTAINS] = "contains",
    [MCPH_KW_MIN_CONTAINS] = "minContains",
    [MCPH_KW_MAX_CONTAINS] = "maxContains",
    [MCPH_KW_DYNAMIC_REF] = "$dynamicRef",
    [MCPH_KW_CONTENT_ENCODING] = "contentEncoding",
    [MCPH_KW_CONTENT_MEDIA_TYPE] = "contentMediaType",
    [MCPH_KW_EXAMPLE] = "example",
};

int
mcph_keyword_of(struct mcph_span key)
{
    for (int i = 0; i < MCPH_N_KW; i++)
        if (mcph_json_string_is(key, mcph_keyword_names[i],
                                strlen(mcph_keyword_names[i])))
            return i;
    return -1;
}

int
mcph_project_fail(struct mcph_projecting *p, const char *why)
{
    if (!*p->why)
        strncpy(p->why, why, MCPH_PROJECT_WHY - 1);
    return MCPHOST_E_LIMIT;
}

/* ---- notes ------------------------------------------------------------------------- */

void
mcph_node_note(struct mcph_model_node *node, const char *name, struct mcph_span value)
{
    struct mcph_buf *notes = &node->notes;
    size_t len = value.len;

    if (notes->len > MCPH_NOTES_MAX - VALUE_MAX - 64)
        return;
    if (notes->len)
        mcph_buf_adds(notes, "; ");
    mcph_buf_adds(notes, name);
    mcph_buf_adds(notes, ": ");
    if (len > VALUE_MAX) {
        for (len = VALUE_MAX; len && (value.p[len] & 0xc0) == 0x80; len--)
            ;
    }
    if (len == value.len && mcph_json_type(value) == MCPH_JSON_STRING)
        value = mcph_span(value.p + 1, len -= 2);
    mcph_buf_add(notes, value.p, len);
    if (value.len > len)
        mcph_buf_adds(notes, " ...");
}

/* ---- types ------------------------------------------------------------------------- */

unsigned
mcph_value_type(struct mcph_span value)
{
    switch (mcph_json_type(value)) {
    case MCPH_JSON_OBJECT:
        return MCPH_T_OBJECT;
    case MCPH_JSON_ARRAY:
        return MCPH_T_ARRAY;
    case MCPH_JSON_STRING:
        return MCPH_T_STRING;
    case MCPH_JSON_BOOL:
        return MCPH_T_BOOLEAN;
    case MCPH_JSON_NULL:
        return MCPH_T_NULL;
    default:
        for (size_t i = 0; i < value.len; i++)
            if (strchr(".eE", value.p[i]))
                return MCPH_T_NUMBER;
        return MCPH_T_INTEGER;
    }
}

static unsigned
type_named(struct mcph_span name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {
        {"string", MCPH_T_STRING},   {"object", MCPH_T_OBJECT},
        {"integer", MCPH_T_INTEGER}, {"number", MCPH_T_NUMBER | MCPH_T_INTEGER},
        {"boolean", MCPH_T_BOOLEAN}, {"array", MCPH_T_ARRAY},
        {"null", MCPH_T_NULL},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(types); i++)
        if (mcph_json_string_is(name, types[i].name, strlen(types[i].name)))
            return types[i].bits;
    return 0;
}

/* Returns the types that the value of the keyword "type" names.  Ignores unknown names.
 * If no known name is left, returns MCPH_T_ANY. */
static unsigned
types_of(struct mcph_span value)
{
    struct mcph_json_iter it;
    struct mcph_span name;
    unsigned types = type_named(value);

    mcph_json_iter_init(&it, value);
    while (mcph_json_iter_next(&it, NULL, &name))
        types |= it.object ? 0 : type_named(name);
    return types ? types : MCPH_T_ANY;
}

/* ---- references -------------------------------------------------------------------- */

/* Decodes %xx, ~0 and ~1 in one step of a JSON pointer.  Returns the length, or SIZE_MAX
 * if the step is invalid or too long. */
static size_t
decode_step(const char *step, size_t len, char out[POINTER])
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        char c = step[i];

        if (n == POINTER)
            return SIZE_MAX;
        if (c == '%' && i + 2 < len) {
            unsigned value = 0;

            for (int digit = 1; digit <= 2; digit++) {
                char h = step[i + (size_t)digit];

                if (h >= '0' && h <= '9')
                    value = value * 16 + (unsigned)(h - '0');
                else if ((h | 32) >= 'a' && (h | 32) <= 'f')
                    value = value * 16 + (unsigned)((h | 32) - 'a' + 10);
                else
                    return SIZE_MAX;
            }
            if (value == 0)
                return SIZE_MAX;
            c = (char)value;
            i += 2;
        }
        /* Mark the ~ of a decoded ~0 with NUL until the end: ~01 must give ~1, not /. */
        if (n && out[n - 1] == '~' && (c == '0' || c == '1'))
            out[n - 1] = c == '0' ? '\0' : '/';
        else
            out[n++] = c;
    }
    for (size_t i = 0; i < n; i++)
        if (out[i] == '\0')
            out[i] = '~';
    return n;
}

static struct mcph_span
step_into(struct mcph_span value, const char *name, size_t len)
{
    struct mcph_span key, found = MCPH_SPAN_NONE, child;
    struct mcph_json_iter it;
    size_t index = 0, i = 0;

    mcph_json_iter_init(&it, value);
    if (!it.object) {
        if (!len || len > 6)
            return MCPH_SPAN_NONE;
        for (; i < len && name[i] >= '0' && name[i] <= '9'; i++)
            index = index * 10 + (size_t)(name[i] - '0');
        if (i < len)
            return MCPH_SPAN_NONE;
    }
    for (i = 0; mcph_json_iter_next(&it, &key, &child); i++)
        if (it.object ? mcph_json_string_is(key, name, len) : i == index)
            found = child;
    return found;
}

/* Finds the value that a reference like "#/a/b" names.  Returns MCPH_SPAN_NONE if the
 * tool's schema does not contain the value. */
static struct mcph_span
resolve_pointer(const struct mcph_projecting *p, struct mcph_span reference)
{
    struct mcph_span value = p->root;
    const char *at, *end, *stop;
    char step[POINTER];

    if (mcph_json_type(reference) != MCPH_JSON_STRING || reference.len < 3 ||
        reference.p[1] != '#' || memchr(reference.p, '\\', reference.len))
        return MCPH_SPAN_NONE;
    at = reference.p + 2;
    end = reference.p + reference.len - 1;
    while (at < end && value.p) {
        size_t n;

        if (*at++ != '/')
            return MCPH_SPAN_NONE;
        stop = memchr(at, '/', (size_t)(end - at));
        if (!stop)
            stop = end;
        n = decode_step(at, (size_t)(stop - at), step);
        value = n == SIZE_MAX ? MCPH_SPAN_NONE : step_into(value, step, n);
        at = stop;
    }
    return value;
}

/* ---- gathering --------------------------------------------------------------------- */

static int
add_part(struct mcph_projecting *p, struct mcph_model_node *node, struct mcph_span schema,
         size_t parent)
{
    int type = mcph_json_type(schema);

    if (type == MCPH_JSON_BOOL && *schema.p == 'f')
        node->never = true;
    if (type != MCPH_JSON_OBJECT)
        return 0;
    if (node->n == MCPH_PARTS_MAX)
        return mcph_project_fail(p, "too many schemas are combined in one place");
    node->parts[node->n++] =
        (struct mcph_part){.schema = schema, .parent = (uint8_t)parent};
    return 0;
}

/* Returns true if `target` is the part at `place`, or if references lead from `target` to
 * this part. */
static bool
comes_from(const struct mcph_model_node *node, size_t place, struct mcph_span target)
{
    while (node->parts[place].schema.p != target.p) {
        if (node->parts[place].parent == place)
            return false;
        place = node->parts[place].parent;
    }
    return true;
}

/* Returns true if the whole `target` is a part of the node already, and no reference
 * leads from `target` to the part at `place`.  A reference of this part to `target` is
 * then no cycle, and adds nothing. */
static bool
is_combined(const struct mcph_model_node *node, size_t place, struct mcph_span target)
{
    for (size_t i = 0; i < node->n; i++)
        if (node->parts[i].schema.p == target.p && !node->parts[i].skip)
            return !comes_from(node, place, target);
    return false;
}

static int
follow_reference(struct mcph_projecting *p, struct mcph_model_node *node, size_t place,
                 struct mcph_span reference)
{
    struct mcph_span target = resolve_pointer(p, reference);
    bool cycle = target.p == p->root.p;

    if (target.p && is_combined(node, place, target))
        return 0;
    for (size_t i = 0; i < p->n_refs; i++)
        cycle |= p->refs[i] == target.p;
    if (!target.p || cycle || p->n_refs == MCPH_REFS_MAX) {
        node->cut = true;
        mcph_node_note(node, "as", reference);
        return 0;
    }
    p->refs[p->n_refs++] = target.p;
    return add_part(p, node, target, place);
}

static bool
is_annotation(int kw)
{
    return kw == MCPH_KW_DESCRIPTION || kw == MCPH_KW_TITLE || kw == MCPH_KW_DEFAULT ||
           kw == MCPH_KW_EXAMPLES || kw == MCPH_KW_EXAMPLE;
}

static void
keep_keyword(struct mcph_model_node *node, int kw, struct mcph_span value, size_t part)
{
    if (!node->kw[kw].p || node->from[kw] == part) {
        node->kw[kw] = value;
        node->from[kw] = (uint8_t)part;
    } else if (!is_annotation(kw) && !mcph_span_eq(node->kw[kw], value)) {
        mcph_node_note(node, mcph_keyword_names[kw], value);
    }
}

static int
gather_part(struct mcph_projecting *p, struct mcph_model_node *node, size_t place)
{
    struct mcph_part *part = &node->parts[place];
    struct mcph_span key, value, member;
    struct mcph_json_iter it, inner;
    unsigned types = MCPH_T_ANY;
    int r = 0;

    mcph_json_iter_init(&it, part->schema);
    while (r == 0 && mcph_json_iter_next(&it, &key, &value)) {
        int kw = mcph_keyword_of(key);

        if (kw < 0 || part->skip & MCPH_KW_BIT(kw))
            continue;
        switch (kw) {
        case MCPH_KW_REF:
            r = follow_reference(p, node, place, value);
            break;
        case MCPH_KW_ALL_OF:
            mcph_json_iter_init(&inner, value);
            while (r == 0 && !inner.object && mcph_json_iter_next(&inner, NULL, &member))
                r = add_part(p, node, member, place);
            break;
        case MCPH_KW_TYPE:
            types = types_of(value);
            break;
        case MCPH_KW_PROPERTIES:
            part->properties = value;
            break;
        case MCPH_KW_REQUIRED:
            part->required = value;
            break;
        default:
            keep_keyword(node, kw, value, place);
            break;
        }
    }
    node->types &= types;
    if (!node->types)
        node->never = true;
    return r;
}

int
mcph_node_gather(struct mcph_projecting *p, const struct mcph_part *parts, size_t n,
                 struct mcph_model_node *ret)
{
    int r = 0;

    memset(ret, 0, sizeof(*ret));
    ret->types = MCPH_T_ANY;
    mcph_buf_init(&ret->notes, MCPH_NOTES_MAX);
    for (size_t i = 0; i < n && r == 0; i++) {
        uint64_t skip = parts[i].skip;

        r = add_part(p, ret, parts[i].schema, ret->n);
        if (r == 0 && ret->n && ret->parts[ret->n - 1].schema.p == parts[i].schema.p)
            ret->parts[ret->n - 1].skip = skip;
    }
    for (size_t i = 0; i < ret->n && r == 0; i++) {
        p->work += ret->parts[i].schema.len;
        if (p->work > WORK_MAX)
            return mcph_project_fail(p, "its references expand too far");
        r = gather_part(p, ret, i);
    }
    return r;
}

void
mcph_node_done(struct mcph_model_node *node)
{
    mcph_buf_done(&node->notes);
    mcph_buf_done(&node->made);
}
