/* SPDX-License-Identifier: MIT
 *
 * providers.c - checks tool definitions against the rules that providers of models
 * publish.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/providers.h"
#include "support/runner.h"

json_t *
provrig_function(json_t *tool)
{
    json_t *function = json_object_get(tool, "function");

    return function ? function : tool;
}

int
provider_profiles(void)
{
    return (int)mcphost_enum_count_values(MCPHOST_ENUM_PROFILE);
}

int
provider_shape(int profile)
{
    static const int shapes[] = {
        [MCPHOST_PROFILE_IDENTITY] = MCPHOST_SHAPE_MCP,
        [MCPHOST_PROFILE_OPENAI] = MCPHOST_SHAPE_OPENAI_CHAT,
        [MCPHOST_PROFILE_OPENAI_STRICT] = MCPHOST_SHAPE_OPENAI_CHAT,
        [MCPHOST_PROFILE_ANTHROPIC] = MCPHOST_SHAPE_ANTHROPIC,
        [MCPHOST_PROFILE_GEMINI] = MCPHOST_SHAPE_GEMINI,
        [MCPHOST_PROFILE_MOONSHOT] = MCPHOST_SHAPE_OPENAI_CHAT,
    };

    ck_assert_int_lt(profile, (int)MCPH_ARRAY_SIZE(shapes));
    return shapes[profile];
}

static bool
is_word(const char *word, const char *words)
{
    size_t n = strlen(word);

    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static bool
is_spelled(const char *text, bool digit_first, const char *more, size_t max)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t n = 0;

    while (text[n] && (strchr(letters, text[n]) || strchr(more, text[n])))
        n++;
    return n && n <= max && !text[n] && (digit_first || text[0] < '0' || text[0] > '9');
}

struct rules {
    const char *keywords; /* the allowed keywords; NULL means every keyword that is
                           * not in `none` of check_keywords() */
    bool strict, gemini, moonshot, anthropic;
};

static const struct rules all_rules[] = {
    [MCPHOST_PROFILE_OPENAI] = {NULL, .strict = false},
    [MCPHOST_PROFILE_OPENAI_STRICT] =
        {"type enum description title anyOf properties required additionalProperties "
         "items "
         "pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
         "minItems maxItems",
         .strict = true},
    [MCPHOST_PROFILE_ANTHROPIC] = {NULL, .anthropic = true},
    [MCPHOST_PROFILE_GEMINI] =
        {"type format title description nullable enum maxItems minItems properties "
         "required "
         "minProperties maxProperties minLength maxLength pattern anyOf items minimum "
         "maximum",
         .gemini = true},
    [MCPHOST_PROFILE_MOONSHOT] = {"type properties additionalProperties items enum "
                                  "required anyOf description title "
                                  "maxLength minLength maximum minimum maxItems minItems",
                                  .moonshot = true},
};

static void
check_keywords(const struct rules *rules, json_t *schema)
{
    static const char none[] =
        "$ref $defs definitions allOf $dynamicRef if then else not "
        "patternProperties dependentSchemas";
    const char *key;
    json_t *value;

    json_object_foreach(schema, key, value)
    {
        ck_assert_msg(!is_word(key, none), "'%s' is there", key);
        ck_assert_msg(!rules->keywords || is_word(key, rules->keywords),
                      "'%s' is unknown", key);
    }
}

static bool
may_be(json_t *type, const char *name)
{
    json_t *one;
    size_t i;

    if (json_is_string(type))
        return strcasecmp(json_string_value(type), name) == 0;
    json_array_foreach(type, i,
                       one) if (strcmp(json_string_value(one), name) == 0) return true;
    return false;
}

static void
check_names(const struct rules *rules, json_t *schema, bool root)
{
    json_t *properties = json_object_get(schema, "properties"),
           *required = json_object_get(schema, "required"), *value;
    const char *key;
    size_t i;

    json_object_foreach(properties, key, value)
    {
        ck_assert(json_is_object(value));
        ck_assert(*key != '\0');
        if (rules->anthropic && root) /* Anthropic checks only the root */
            ck_assert_msg(is_spelled(key, true, ".-", 64), "'%s'", key);
        if (rules->gemini)
            ck_assert_msg(is_spelled(key, false, "", 64), "'%s'", key);
        if (rules->moonshot)
            ck_assert_msg(!is_word(key, "$defs $ref anyOf required additionalProperties"),
                          "'%s'", key);
    }
    json_array_foreach(required, i, value)
        ck_assert_ptr_nonnull(json_object_get(properties, json_string_value(value)));
    if (rules->strict && may_be(json_object_get(schema, "type"), "object")) {
        ck_assert_uint_eq(json_array_size(required), json_object_size(properties));
        ck_assert(json_is_false(json_object_get(schema, "additionalProperties")));
    }
}

static void
check_gemini(json_t *schema, const char *type)
{
    const char *format = json_string_value(json_object_get(schema, "format"));
    json_t *value;
    size_t i;

    if (json_object_get(schema, "anyOf")) {
        ck_assert_uint_eq(json_object_size(schema), 1);
        return;
    }
    ck_assert(is_word(type, "STRING NUMBER INTEGER BOOLEAN OBJECT ARRAY NULL"));
    if (format)
        ck_assert_msg(is_word(format, strcmp(type, "STRING") == 0    ? "enum date-time"
                                      : strcmp(type, "INTEGER") == 0 ? "int32 int64"
                                                                     : "float double"),
                      "'%s' of %s", format, type);
    json_array_foreach(json_object_get(schema, "enum"), i, value)
        ck_assert_str_eq(type, *json_string_value(value) ? "STRING" : "no empty text");
}

static void
check_moonshot(json_t *schema, const char *type)
{
    static const struct {
        const char *type, *keywords;
    } by_type[] = {
        {"object", "type properties required additionalProperties description title"},
        {"array", "type items minItems maxItems description title"},
        {"string", "type minLength maxLength enum description title"},
        {"number", "type minimum maximum enum description title"},
        {"integer", "type minimum maximum enum description title"},
        {"boolean", "type enum description title"},
        {"null", "type description title"},
    };
    const char *key;
    json_t *value;

    if (json_object_get(schema, "anyOf")) {
        json_object_foreach(schema, key, value)
            ck_assert_msg(is_word(key, "anyOf description title"), "'%s'", key);
        return;
    }
    ck_assert_ptr_nonnull(type);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(by_type); i++)
        if (strcmp(type, by_type[i].type) == 0)
            json_object_foreach(schema, key, value)
                ck_assert_msg(is_word(key, by_type[i].keywords), "'%s' of %s", key, type);
}

/* Checks OpenAI's limits for the whole schema of a strict function: 5000 properties and
 * 1000 values of enumerations. */
static void
check_total(json_t *schema, size_t *properties, size_t *values)
{
    json_t *inner = json_object_get(schema, "properties"), *value;
    const char *key;
    size_t i;

    *properties += json_object_size(inner);
    *values += json_array_size(json_object_get(schema, "enum"));
    ck_assert_uint_le(*properties, 5000);
    ck_assert_uint_le(*values, 1000);
    json_object_foreach(inner, key, value) check_total(value, properties, values);
    json_array_foreach(json_object_get(schema, "anyOf"), i, value)
        check_total(value, properties, values);
    if (json_object_get(schema, "items"))
        check_total(json_object_get(schema, "items"), properties, values);
}

static void
check_schema(const struct rules *rules, json_t *schema, unsigned objects)
{
    static const char *const lists[] = {"anyOf", "oneOf", "prefixItems"};
    json_t *type = json_object_get(schema, "type"), *value;
    const char *key;
    size_t i;

    ck_assert(json_is_object(schema));
    check_keywords(rules, schema);
    check_names(rules, schema, objects == 0);
    if (rules->gemini)
        check_gemini(schema, json_string_value(type));
    if (rules->moonshot)
        check_moonshot(schema, json_string_value(type));
    if (rules->strict)
        ck_assert(type || json_object_get(schema, "anyOf"));
    if (may_be(type, "array") && !rules->moonshot)
        ck_assert(json_is_object(json_object_get(schema, "items")));
    objects += may_be(type, "object");
    ck_assert(!rules->strict || objects <= 10);
    json_object_foreach(json_object_get(schema, "properties"), key, value)
        check_schema(rules, value, objects);
    for (size_t k = 0; k < MCPH_ARRAY_SIZE(lists); k++) {
        ck_assert(!json_is_array(json_object_get(schema, lists[k])) ||
                  json_array_size(json_object_get(schema, lists[k])) > 0);
        json_array_foreach(json_object_get(schema, lists[k]), i, value)
            check_schema(rules, value, objects);
    }
    if (json_object_get(schema, "items"))
        check_schema(rules, json_object_get(schema, "items"), objects);
    if (json_is_object(json_object_get(schema, "additionalProperties")))
        check_schema(rules, json_object_get(schema, "additionalProperties"), objects);
}

/* Checks that the library's own compiler accepts the schema and that the schema's root is
 * a plain object. */
static void
check_root(json_t *schema)
{
    static const char *const none[] = {"anyOf", "oneOf", "allOf", "enum", "not"};
    mcphost_schema *compiled = NULL;
    char *text = json_dumps(schema, 0);

    ck_assert(may_be(json_object_get(schema, "type"), "object"));
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(none); i++)
        ck_assert_ptr_null(json_object_get(schema, none[i]));
    ck_assert_int_eq(mcphost_schema_new(&compiled), 0);
    ck_assert_msg(mcphost_schema_compile(compiled, text, strlen(text), NULL) == 0, "%s",
                  text);
    mcphost_schema_unref(compiled);
    free(text);
}

void
provider_takes(int profile, json_t *tool)
{
    const struct rules *rules = &all_rules[profile];
    const char *name = json_string_value(json_object_get(tool, "name"));
    json_t *schema = json_object_get(
        tool, profile == MCPHOST_PROFILE_ANTHROPIC ? "input_schema" : "parameters");

    ck_assert(is_spelled(name, !rules->gemini && !rules->moonshot, "-", 64));
    ck_assert(!rules->moonshot || strlen(name) >= 3);
    if (rules->gemini) {
        ck_assert_uint_gt(json_string_length(json_object_get(tool, "description")), 0);
        if (!schema)
            return;
        ck_assert_uint_gt(json_object_size(json_object_get(schema, "properties")), 0);
        ck_assert(may_be(json_object_get(schema, "type"), "object"));
    } else {
        check_root(schema);
    }
    if (rules->strict && json_is_false(json_object_get(tool, "strict")))
        rules = &all_rules[MCPHOST_PROFILE_OPENAI];
    if (rules->strict) {
        size_t properties = 0, values = 0;

        check_total(schema, &properties, &values);
    }
    check_schema(rules, schema, 0);
}
