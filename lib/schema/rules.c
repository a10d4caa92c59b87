/* SPDX-License-Identifier: MIT
 *
 * rules.c - compile the keywords of one subschema into rules.
 *
 * A schema is invalid if no rule can be made from the value of a keyword.  If no
 * `$schema` names a draft, the compilation also accepts common habits of older drafts:
 * tuples in `items`, boolean exclusiveMinimum and exclusiveMaximum, boolean `required`.
 *
 * Rules are stored in the order in which they run: const, enum and references first,
 * unevaluated* last.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

#define RULES_MAX 40
/* If `properties` and `required` have at least this many names together, a map finds the
 * names. */
#define MANY_NAMES 9

#define STRINGS TYPE_BIT(MCPH_JSON_STRING)
#define NUMBERS TYPE_BIT(MCPH_JSON_NUMBER)
#define ARRAYS  TYPE_BIT(MCPH_JSON_ARRAY)
#define OBJECTS TYPE_BIT(MCPH_JSON_OBJECT)

struct build {
    mcphost_schema *schema;
    struct mcph_schema_node *node;
    const struct mcph_span *kw;
    mcphost_error **reterr;
    size_t n;
    struct mcph_rule rules[RULES_MAX];
};

static struct mcph_rule *
add_rule(struct build *b, int kind, int keyword, unsigned applies)
{
    struct mcph_rule *rule = &b->rules[b->n++];

    memset(rule, 0, sizeof(*rule));
    rule->kind = (uint8_t)kind;
    rule->keyword = (uint8_t)keyword;
    rule->applies = (uint8_t)applies;
    return rule;
}

static int
bad_value(struct build *b, int keyword, const char *expected)
{
    return mcph_node_error(b->reterr, MCPHOST_E_INVALID, b->node, keyword, "expected %s",
                           expected);
}

static int
fail_keyword(struct build *b, int keyword, int code)
{
    return mcph_node_error(b->reterr, code, b->node, keyword, "too many subschemas");
}

static bool
has_type(const struct build *b, int keyword, int type)
{
    return mcph_json_type(b->kw[keyword]) == type;
}

static bool
is_lenient(const struct build *b)
{
    return b->node->resource->dialect.assumed;
}

static void *
take_room(struct build *b, size_t n, size_t size)
{
    return mcph_arena_take(&b->schema->arena, n, size);
}

/* Makes the node of a keyword whose value is a schema. */
static int
make_one(struct build *b, int keyword, struct mcph_schema_node **ret_node)
{
    int r = mcph_node_make(b->schema, b->node, keyword, b->kw[keyword], ret_node);

    return r < 0 ? fail_keyword(b, keyword, r) : 0;
}

static int
make_list(struct build *b, int keyword, struct mcph_schema_node ***ret_nodes,
          size_t *ret_n)
{
    struct mcph_json_iter it;
    struct mcph_span value;
    struct mcph_schema_node **nodes;
    size_t i, n = mcph_json_count(b->kw[keyword]);
    int r;

    if (!has_type(b, keyword, MCPH_JSON_ARRAY) || n == 0)
        return bad_value(b, keyword, "a non-empty array of schemas");
    nodes = take_room(b, n, sizeof(struct mcph_schema_node *));
    if (!nodes)
        return mcph_err_nomem(b->reterr);
    mcph_json_iter_init(&it, b->kw[keyword]);
    for (i = 0; mcph_json_iter_next(&it, NULL, &value); i++) {
        r = mcph_node_make(b->schema, b->node, keyword, value, &nodes[i]);
        if (r < 0)
            return fail_keyword(b, keyword, r);
        nodes[i]->in_list = true;
        nodes[i]->index = (uint32_t)i;
    }
    *ret_nodes = nodes;
    *ret_n = n;
    return 0;
}

static int
text_of(struct build *b, struct mcph_span token, struct mcph_span *ret_text)
{
    int r = mcph_schema_text(b->schema, token, ret_text);

    return r < 0 ? mcph_err_nomem(b->reterr) : 0;
}

/* Makes the node of the schema `value`.  The schema is the member `key` in the object of
 * `keyword`. */
static int
make_member(struct build *b, int keyword, struct mcph_span key, struct mcph_span value,
            struct mcph_schema_node **ret_node)
{
    int r = mcph_node_make(b->schema, b->node, keyword, value, ret_node);

    if (r < 0)
        return fail_keyword(b, keyword, r);
    return text_of(b, key, &(*ret_node)->key);
}

static int
make_names(struct build *b, int keyword, struct mcph_span array,
           struct mcph_span **ret_names, size_t *ret_n)
{
    struct mcph_json_iter it;
    struct mcph_span value, *names;
    size_t n = 0;
    int r;

    names = take_room(b, mcph_json_count(array) + 1, sizeof(*names));
    if (!names)
        return mcph_err_nomem(b->reterr);
    mcph_json_iter_init(&it, array);
    while (mcph_json_iter_next(&it, NULL, &value)) {
        if (mcph_json_type(value) != MCPH_JSON_STRING)
            return bad_value(b, keyword, "an array of strings");
        r = text_of(b, value, &names[n++]);
        if (r < 0)
            return r;
    }
    *ret_names = names;
    *ret_n = n;
    return 0;
}

/* ---- type, const, enum ------------------------------------------------------------- */

static unsigned
type_bits(struct mcph_span token)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {
        {"\"string\"", STRINGS},
        {"\"object\"", OBJECTS},
        {"\"integer\"", TYPE_INTEGER},
        {"\"number\"", NUMBERS},
        {"\"boolean\"", TYPE_BIT(MCPH_JSON_BOOL)},
        {"\"array\"", ARRAYS},
        {"\"null\"", TYPE_BIT(MCPH_JSON_NULL)},
    };
    size_t i;

    for (i = 0; i < MCPH_ARRAY_SIZE(types); i++) {
        if (mcph_span_is(token, types[i].name))
            return types[i].bits;
    }
    return 0;
}

static int
build_type(struct build *b)
{
    struct mcph_json_iter it;
    struct mcph_span value = b->kw[KW_TYPE];
    unsigned bits = 0, one;

    if (has_type(b, KW_TYPE, MCPH_JSON_ARRAY)) {
        mcph_json_iter_init(&it, b->kw[KW_TYPE]);
        while (mcph_json_iter_next(&it, NULL, &value)) {
            one = type_bits(value);
            if (!one)
                return bad_value(b, KW_TYPE, "the names of JSON types");
            bits |= one;
        }
    } else {
        bits = type_bits(value);
    }
    if (!bits)
        return bad_value(b, KW_TYPE, "the name of a JSON type, or an array of them");
    b->node->types = (uint8_t)bits;
    return 0;
}

static int
build_constant(struct build *b, int kind, int keyword)
{
    struct mcph_schema_value *copy = NULL;
    struct mcph_rule *rule;
    struct mcph_tape tape;
    size_t i;
    int r;

    if (kind == RULE_ENUM && !has_type(b, keyword, MCPH_JSON_ARRAY))
        return bad_value(b, keyword, "an array");
    r = mcph_tape_init(&tape, b->kw[keyword], UINT32_MAX);
    if (r == 0)
        copy = take_room(b, tape.n, sizeof(*copy));
    if (copy)
        memcpy(copy, tape.at, tape.n * sizeof(*copy));
    /* Copy the decoded texts, because mcph_tape_done() frees them. */
    for (i = 0; copy && i < tape.n && tape.text; i++) {
        if (copy[i].type == MCPH_JSON_STRING) {
            copy[i].p = mcph_arena_copy(&b->schema->arena, copy[i].p, copy[i].len);
            if (!copy[i].p)
                copy = NULL;
        }
    }
    mcph_tape_done(&tape);
    if (!copy)
        return mcph_err_nomem(b->reterr);
    rule = add_rule(b, kind, keyword, TYPE_EVERY);
    rule->constant.tape = copy;
    rule->constant.text = b->kw[keyword];
    return 0;
}

static int
build_values(struct build *b)
{
    int r = 0;

    if (b->kw[KW_TYPE].p)
        r = build_type(b);
    if (r == 0 && b->kw[KW_CONST].p)
        r = build_constant(b, RULE_CONST, KW_CONST);
    if (r == 0 && b->kw[KW_ENUM].p)
        r = build_constant(b, RULE_ENUM, KW_ENUM);
    return r;
}

/* ---- references -------------------------------------------------------------------- */

static int
build_refs(struct build *b)
{
    static const int keywords[] = {KW_REF, KW_DYNAMIC_REF, KW_RECURSIVE_REF};
    struct mcph_ref *ref;
    size_t i;
    int r;

    for (i = 0; i < MCPH_ARRAY_SIZE(keywords); i++) {
        int keyword = keywords[i];

        if (!b->kw[keyword].p)
            continue;
        if (!has_type(b, keyword, MCPH_JSON_STRING))
            return bad_value(b, keyword, "a string");
        ref = take_room(b, 1, sizeof(*ref));
        if (!ref)
            return mcph_err_nomem(b->reterr);
        r = text_of(b, b->kw[keyword], &ref->text);
        if (r < 0)
            return r;
        ref->keyword = (enum mcph_keyword)keyword;
        ref->from = b->node;
        if (b->schema->unresolved)
            b->schema->unresolved_last->next = ref;
        else
            b->schema->unresolved = ref;
        b->schema->unresolved_last = ref;
        add_rule(b, RULE_REF, keyword, TYPE_EVERY)->ref = ref;
    }
    return 0;
}

/* ---- numbers, strings, counts ------------------------------------------------------ */

static int
build_bound(struct build *b, int keyword, int exclusive, int sign)
{
    struct mcph_rule *rule;
    bool open = false;
    int i;

    if (has_type(b, exclusive, MCPH_JSON_BOOL) &&
        (b->node->resource->dialect.draft == MCPHOST_SCHEMA_DRAFT_4 || is_lenient(b)))
        open = *b->kw[exclusive].p == 't';
    else if (b->kw[exclusive].p && !has_type(b, exclusive, MCPH_JSON_NUMBER))
        return bad_value(b, exclusive, "a number");
    if (b->kw[keyword].p && !has_type(b, keyword, MCPH_JSON_NUMBER))
        return bad_value(b, keyword, "a number");
    for (i = 0; i < 2; i++) {
        int which = i == 0 ? keyword : exclusive;

        if (!has_type(b, which, MCPH_JSON_NUMBER))
            continue;
        rule = add_rule(b, RULE_BOUND, which, NUMBERS);
        rule->bound.text = b->kw[which];
        rule->bound.number = mcph_number(b->kw[which]);
        rule->bound.sign = sign;
        rule->bound.open = i == 1 || open;
    }
    return 0;
}

static int
build_multiple(struct build *b)
{
    struct mcph_span token = b->kw[KW_MULTIPLE_OF];
    struct mcph_number number;
    struct mcph_rule *rule;

    if (!token.p)
        return 0;
    if (has_type(b, KW_MULTIPLE_OF, MCPH_JSON_NUMBER))
        number = mcph_number(token);
    else
        number = (struct mcph_number){0};
    if (number.n == 0 || number.negative || number.n > MCPH_DIVISOR_DIGITS)
        return bad_value(b, KW_MULTIPLE_OF, "a number above 0 of at most 1024 digits");
    rule = add_rule(b, RULE_MULTIPLE, KW_MULTIPLE_OF, NUMBERS);
    rule->bound.text = token;
    rule->bound.number = number;
    return 0;
}

static int
read_size(struct build *b, int keyword, size_t *ret_size)
{
    struct mcph_number number;

    if (!has_type(b, keyword, MCPH_JSON_NUMBER))
        return bad_value(b, keyword, "a number that is not negative");
    number = mcph_number(b->kw[keyword]);
    if (!mcph_number_size(&number, ret_size))
        return bad_value(b, keyword, "an integer that is not negative");
    return 0;
}

static int
build_counts(struct build *b)
{
    static const struct {
        int keyword, kind;
        unsigned applies;
    } counts[] = {
        {KW_MIN_LENGTH, RULE_MIN_LENGTH, STRINGS},
        {KW_MAX_LENGTH, RULE_MAX_LENGTH, STRINGS},
        {KW_MIN_ITEMS, RULE_MIN_COUNT, ARRAYS},
        {KW_MAX_ITEMS, RULE_MAX_COUNT, ARRAYS},
        {KW_MIN_PROPERTIES, RULE_MIN_COUNT, OBJECTS},
        {KW_MAX_PROPERTIES, RULE_MAX_COUNT, OBJECTS},
    };
    size_t i, limit;
    int r;

    for (i = 0; i < MCPH_ARRAY_SIZE(counts); i++) {
        if (!b->kw[counts[i].keyword].p)
            continue;
        r = read_size(b, counts[i].keyword, &limit);
        if (r < 0)
            return r;
        add_rule(b, counts[i].kind, counts[i].keyword, counts[i].applies)->limit = limit;
    }
    return 0;
}

static int
make_pattern(struct build *b, int keyword, struct mcph_span token,
             struct mcph_schema_pattern *pattern)
{
    char why[160];
    int r = text_of(b, token, &pattern->text);

    if (r < 0)
        return r;
    r = mcph_pattern_compile(b->schema, pattern, why, sizeof(why));
    if (r == MCPHOST_E_INVALID)
        return mcph_node_error(b->reterr, r, b->node, keyword,
                               "'%.*s' is not a valid regular expression: %s",
                               (int)(pattern->text.len < 200 ? pattern->text.len : 200),
                               pattern->text.p, why);
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(b->reterr);
    return r < 0 ? mcph_schema_spend(b->schema, 0, b->reterr) : 0;
}

static int
build_strings(struct build *b)
{
    const struct mcph_dialect *dialect = &b->node->resource->dialect;
    struct mcph_schema_pattern pattern = {.code = NULL};
    struct mcph_rule *rule;
    struct mcph_span name;
    mcph_format_fn check;
    int r;

    if (b->kw[KW_PATTERN].p) {
        if (!has_type(b, KW_PATTERN, MCPH_JSON_STRING))
            return bad_value(b, KW_PATTERN, "a string");
        r = make_pattern(b, KW_PATTERN, b->kw[KW_PATTERN], &pattern);
        if (r < 0)
            return r;
        add_rule(b, RULE_PATTERN, KW_PATTERN, STRINGS)->pattern = pattern;
    }
    if (!b->kw[KW_FORMAT].p)
        return 0;
    if (!has_type(b, KW_FORMAT, MCPH_JSON_STRING))
        return bad_value(b, KW_FORMAT, "a string");
    if (!b->schema->options[MCPHOST_SCHEMA_OPT_FORMATS] &&
        !(dialect->vocab & VOCAB_FORMAT_ASSERTION))
        return 0;
    r = text_of(b, b->kw[KW_FORMAT], &name);
    if (r < 0)
        return r;
    check = mcph_format_find(name);
    if (!check)
        return 0; /* ignore an unknown format */
    rule = add_rule(b, RULE_FORMAT, KW_FORMAT, STRINGS);
    rule->format.check = check;
    rule->format.name = name;
    return 0;
}

static int
build_scalars(struct build *b)
{
    int r = build_bound(b, KW_MINIMUM, KW_EXCLUSIVE_MINIMUM, -1);

    if (r == 0)
        r = build_bound(b, KW_MAXIMUM, KW_EXCLUSIVE_MAXIMUM, 1);
    if (r == 0)
        r = build_multiple(b);
    if (r == 0)
        r = build_counts(b);
    return r < 0 ? r : build_strings(b);
}

/* ---- arrays ------------------------------------------------------------------------ */

static int
build_items(struct build *b)
{
    bool tuple = has_type(b, KW_ITEMS, MCPH_JSON_ARRAY);
    bool old = b->node->resource->dialect.draft < MCPHOST_SCHEMA_DRAFT_2020_12;
    int first = KW_PREFIX_ITEMS, rest = KW_ITEMS, r;
    struct mcph_schema_node **nodes = NULL, *more = NULL;
    struct mcph_rule *rule;
    size_t n = 0;

    if (tuple && (old || (is_lenient(b) && !b->kw[KW_PREFIX_ITEMS].p))) {
        first = KW_ITEMS;
        rest = KW_ADDITIONAL_ITEMS;
    }
    if (b->kw[first].p &&
        !(tuple && first == KW_ITEMS && !mcph_json_count(b->kw[first]))) {
        r = make_list(b, first, &nodes, &n);
        if (r < 0)
            return r;
    }
    if (b->kw[rest].p) {
        r = make_one(b, rest, &more);
        if (r < 0)
            return r;
    }
    if (!nodes && !more)
        return 0;
    rule = add_rule(b, RULE_ITEMS, nodes ? first : rest, ARRAYS);
    rule->items.first = nodes;
    rule->items.n = (uint32_t)n;
    rule->items.rest = more;
    return 0;
}

static int
build_contains(struct build *b)
{
    struct mcph_schema_node *node;
    struct mcph_rule *rule;
    size_t min = 1, max = SIZE_MAX;
    int r = 0;

    if (b->kw[KW_MIN_CONTAINS].p)
        r = read_size(b, KW_MIN_CONTAINS, &min);
    if (r == 0 && b->kw[KW_MAX_CONTAINS].p)
        r = read_size(b, KW_MAX_CONTAINS, &max);
    if (r < 0 || !b->kw[KW_CONTAINS].p)
        return r;
    r = make_one(b, KW_CONTAINS, &node);
    if (r < 0)
        return r;
    rule = add_rule(b, RULE_CONTAINS, KW_CONTAINS, ARRAYS);
    rule->contains.node = node;
    rule->contains.min = min;
    rule->contains.max = max;
    rule->contains.marks =
        b->node->resource->dialect.draft >= MCPHOST_SCHEMA_DRAFT_2020_12;
    return 0;
}

static int
build_arrays(struct build *b)
{
    int r = build_items(b);

    if (r == 0)
        r = build_contains(b);
    if (r < 0 || !b->kw[KW_UNIQUE_ITEMS].p)
        return r;
    if (!has_type(b, KW_UNIQUE_ITEMS, MCPH_JSON_BOOL))
        return bad_value(b, KW_UNIQUE_ITEMS, "a boolean");
    if (*b->kw[KW_UNIQUE_ITEMS].p == 't')
        add_rule(b, RULE_UNIQUE, KW_UNIQUE_ITEMS, ARRAYS);
    return 0;
}

/* ---- objects ----------------------------------------------------------------------- */

static struct mcph_name *
name_find(struct mcph_members *members, struct mcph_span text)
{
    uint32_t i;

    if (members->map.n > 0)
        return mcph_map_get(&members->map, text.p, text.len);
    for (i = 0; i < members->n_names; i++) {
        if (mcph_span_eq(members->names[i].text, text))
            return &members->names[i];
    }
    return NULL;
}

static int
build_properties(struct build *b, struct mcph_members *members)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    struct mcph_name *name;
    int r;

    mcph_json_iter_init(&it, b->kw[KW_PROPERTIES]);
    while (mcph_json_iter_next(&it, &key, &value)) {
        name = &members->names[members->n_names];
        r = make_member(b, KW_PROPERTIES, key, value, &name->node);
        if (r < 0)
            return r;
        name->text = name->node->key;
        members->n_names++;
        if (members->map.cap > 0 &&
            mcph_map_put(&members->map, name->text.p, name->text.len, name, NULL) < 0)
            return mcph_err_nomem(b->reterr);
    }
    return 0;
}

static int
build_required(struct build *b, struct mcph_members *members)
{
    struct mcph_span *texts;
    struct mcph_name *name;
    size_t i, n;
    int r = make_names(b, KW_REQUIRED, b->kw[KW_REQUIRED], &texts, &n);

    for (i = 0; i < n && r == 0; i++) {
        name = name_find(members, texts[i]);
        if (!name) {
            name = &members->names[members->n_names++];
            name->text = texts[i];
            if (members->map.cap > 0 &&
                mcph_map_put(&members->map, name->text.p, name->text.len, name, NULL) < 0)
                return mcph_err_nomem(b->reterr);
        }
        if (!name->required)
            name->required = ++members->n_required;
    }
    return r;
}

static int
build_pattern_properties(struct build *b, struct mcph_members *members)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    int r;

    members->patterns = take_room(b, mcph_json_count(b->kw[KW_PATTERN_PROPERTIES]) + 1,
                                  sizeof(*members->patterns));
    if (!members->patterns)
        return mcph_err_nomem(b->reterr);
    mcph_json_iter_init(&it, b->kw[KW_PATTERN_PROPERTIES]);
    while (mcph_json_iter_next(&it, &key, &value)) {
        struct mcph_schema_pattern *pattern = &members->patterns[members->n_patterns];

        r = make_member(b, KW_PATTERN_PROPERTIES, key, value, &pattern->node);
        if (r == 0)
            r = make_pattern(b, KW_PATTERN_PROPERTIES, key, pattern);
        if (r < 0)
            return r;
        members->n_patterns++;
    }
    return 0;
}

static int
make_members(struct build *b, struct mcph_members **ret_members)
{
    size_t n =
        mcph_json_count(b->kw[KW_PROPERTIES]) + mcph_json_count(b->kw[KW_REQUIRED]);
    struct mcph_members *members = take_room(b, 1, sizeof(*members));

    if (!members)
        return MCPHOST_E_NOMEM;
    members->names = take_room(b, n + 1, sizeof(*members->names));
    if (!members->names)
        return MCPHOST_E_NOMEM;
    if (n >= MANY_NAMES) {
        /* Allocate the map by adding an entry that is removed again.  build_properties()
         * and build_required() fill the map only if the map is allocated. */
        if (mcph_vec_add(&b->schema->maps, &members->map) < 0 ||
            mcph_map_put(&members->map, "", 0, members, NULL) < 0)
            return MCPHOST_E_NOMEM;
        mcph_map_remove(&members->map, "", 0);
    }
    *ret_members = members;
    return 0;
}

static int
build_members(struct build *b)
{
    struct mcph_members *members;
    bool required = b->kw[KW_REQUIRED].p != NULL;
    int r;

    if (required && has_type(b, KW_REQUIRED, MCPH_JSON_BOOL) && is_lenient(b))
        required = false;
    if (required && !has_type(b, KW_REQUIRED, MCPH_JSON_ARRAY))
        return bad_value(b, KW_REQUIRED, "an array of strings");
    if (b->kw[KW_PROPERTIES].p && !has_type(b, KW_PROPERTIES, MCPH_JSON_OBJECT))
        return bad_value(b, KW_PROPERTIES, "an object of schemas");
    if (b->kw[KW_PATTERN_PROPERTIES].p &&
        !has_type(b, KW_PATTERN_PROPERTIES, MCPH_JSON_OBJECT))
        return bad_value(b, KW_PATTERN_PROPERTIES, "an object of schemas");
    if (!required && !b->kw[KW_PROPERTIES].p && !b->kw[KW_PATTERN_PROPERTIES].p &&
        !b->kw[KW_ADDITIONAL_PROPERTIES].p)
        return 0;
    if (make_members(b, &members) < 0)
        return mcph_err_nomem(b->reterr);
    r = build_properties(b, members);
    if (r == 0 && required)
        r = build_required(b, members);
    if (r == 0 && b->kw[KW_PATTERN_PROPERTIES].p)
        r = build_pattern_properties(b, members);
    if (r == 0 && b->kw[KW_ADDITIONAL_PROPERTIES].p)
        r = make_one(b, KW_ADDITIONAL_PROPERTIES, &members->rest);
    if (r == 0)
        add_rule(b, RULE_MEMBERS, KW_PROPERTIES, OBJECTS)->members = members;
    return r;
}

static int
build_depends_on(struct build *b, int keyword)
{
    struct mcph_depends *list;
    struct mcph_json_iter it;
    struct mcph_span key, value;
    struct mcph_rule *rule;
    size_t n = 0;
    int r = 0;

    if (!b->kw[keyword].p)
        return 0;
    if (!has_type(b, keyword, MCPH_JSON_OBJECT))
        return bad_value(b, keyword, "an object");
    list = take_room(b, mcph_json_count(b->kw[keyword]) + 1, sizeof(*list));
    if (!list)
        return mcph_err_nomem(b->reterr);
    mcph_json_iter_init(&it, b->kw[keyword]);
    while (r == 0 && mcph_json_iter_next(&it, &key, &value)) {
        struct mcph_depends *d = &list[n++];
        bool names = mcph_json_type(value) == MCPH_JSON_ARRAY;

        r = text_of(b, key, &d->name);
        if (r < 0)
            break;
        if (keyword == KW_DEPENDENT_REQUIRED && !names)
            return bad_value(b, keyword, "arrays of strings");
        if (names && keyword != KW_DEPENDENT_SCHEMAS)
            r = make_names(b, keyword, value, &d->names, &d->n);
        else
            r = make_member(b, keyword, key, value, &d->node);
    }
    if (r < 0)
        return r;
    rule = add_rule(b, RULE_DEPENDS, keyword, OBJECTS);
    rule->depends.list = list;
    rule->depends.n = n;
    return 0;
}

static int
build_objects(struct build *b)
{
    static const int depends[] = {KW_DEPENDENT_REQUIRED, KW_DEPENDENT_SCHEMAS,
                                  KW_DEPENDENCIES};
    struct mcph_schema_node *node;
    size_t i;
    int r = build_members(b);

    if (r == 0 && b->kw[KW_PROPERTY_NAMES].p) {
        r = make_one(b, KW_PROPERTY_NAMES, &node);
        if (r == 0)
            add_rule(b, RULE_NAMES, KW_PROPERTY_NAMES, OBJECTS)->node = node;
    }
    for (i = 0; i < MCPH_ARRAY_SIZE(depends) && r == 0; i++)
        r = build_depends_on(b, depends[i]);
    return r;
}

/* ---- logic and unevaluated* -------------------------------------------------------- */

static int
build_if(struct build *b)
{
    struct mcph_schema_node *condition, *then = NULL, *otherwise = NULL;
    struct mcph_rule *rule;
    int r;

    if (!b->kw[KW_IF].p)
        return 0;
    r = make_one(b, KW_IF, &condition);
    if (r == 0 && b->kw[KW_THEN].p)
        r = make_one(b, KW_THEN, &then);
    if (r == 0 && b->kw[KW_ELSE].p)
        r = make_one(b, KW_ELSE, &otherwise);
    if (r < 0)
        return r;
    rule = add_rule(b, RULE_IF, KW_IF, TYPE_EVERY);
    rule->branch.condition = condition;
    rule->branch.then = then;
    rule->branch.otherwise = otherwise;
    return 0;
}

static int
build_logic(struct build *b)
{
    static const struct {
        int keyword, kind;
    } lists[] = {
        {KW_ALL_OF, RULE_ALL_OF}, {KW_ANY_OF, RULE_ANY_OF}, {KW_ONE_OF, RULE_ONE_OF}};
    struct mcph_schema_node **nodes, *node;
    struct mcph_rule *rule;
    size_t i, n;
    int r;

    for (i = 0; i < MCPH_ARRAY_SIZE(lists); i++) {
        if (!b->kw[lists[i].keyword].p)
            continue;
        r = make_list(b, lists[i].keyword, &nodes, &n);
        if (r < 0)
            return r;
        rule = add_rule(b, lists[i].kind, lists[i].keyword, TYPE_EVERY);
        rule->list.nodes = nodes;
        rule->list.n = n;
    }
    if (b->kw[KW_NOT].p) {
        r = make_one(b, KW_NOT, &node);
        if (r < 0)
            return r;
        add_rule(b, RULE_NOT, KW_NOT, TYPE_EVERY)->node = node;
    }
    return build_if(b);
}

static int
build_last(struct build *b)
{
    static const struct {
        int keyword, kind;
        unsigned applies;
    } lasts[] = {{KW_UNEVALUATED_ITEMS, RULE_LAST_ITEMS, ARRAYS},
                 {KW_UNEVALUATED_PROPERTIES, RULE_LAST_MEMBERS, OBJECTS}};
    struct mcph_schema_node *node;
    size_t i;
    int r;

    for (i = 0; i < MCPH_ARRAY_SIZE(lasts); i++) {
        if (!b->kw[lasts[i].keyword].p)
            continue;
        r = make_one(b, lasts[i].keyword, &node);
        if (r < 0)
            return r;
        add_rule(b, lasts[i].kind, lasts[i].keyword, lasts[i].applies)->node = node;
        b->node->last = true;
    }
    return 0;
}

int
mcph_node_rules(mcphost_schema *schema, struct mcph_schema_node *node,
                const struct mcph_span kw[KW_COUNT], mcphost_error **reterr)
{
    static int (*const steps[])(struct build *) = {
        build_values, build_refs,  build_scalars, build_objects,
        build_arrays, build_logic, build_last,
    };
    struct build b = {.schema = schema, .node = node, .kw = kw, .reterr = reterr};
    size_t i;
    int r;

    for (i = 0; i < MCPH_ARRAY_SIZE(steps); i++) {
        r = steps[i](&b);
        if (r < 0)
            return r;
    }
    if (b.n == 0)
        return 0;
    node->rules = mcph_arena_take(&schema->arena, b.n, sizeof(b.rules[0]));
    if (!node->rules)
        return mcph_err_nomem(reterr);
    memcpy(node->rules, b.rules, b.n * sizeof(b.rules[0]));
    node->n_rules = (uint16_t)b.n;
    return 0;
}
