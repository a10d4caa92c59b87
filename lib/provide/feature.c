/* SPDX-License-Identifier: MIT
 *
 * feature.c - one feature of a provider: a tool, a resource, a template or a prompt, with
 * its definition and its function.
 *
 * mcph_feature_new() checks the definition, so that listing and calling need not check it
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "provide/provide.h"

#define DEFINITION_MAX ((size_t)4 * 1024 * 1024)

/* The limits of compiling a schema and of each check against the schema.  The limits are
 * low, because a check blocks the thread that makes a call, or the dispatcher. */
#define CHECK_MS    250
#define CHECK_STEPS 200000

struct member {
    unsigned kinds; /* kinds of features with this member, 1u << MCPHOST_FEATURE_* */
    const char *name;
    int type; /* type of the member, MCPH_JSON_* */
    bool needed;
};

#define TOOL     (1u << MCPHOST_FEATURE_TOOL)
#define RESOURCE (1u << MCPHOST_FEATURE_RESOURCE)
#define TEMPLATE (1u << MCPHOST_FEATURE_TEMPLATE)
#define PROMPT   (1u << MCPHOST_FEATURE_PROMPT)
#define ALL      (TOOL | RESOURCE | TEMPLATE | PROMPT)

/* The members of definitions, by MCP 2025-11-25 and 2026-07-28: Tool, Resource,
 * ResourceTemplate, Prompt. */
static const struct member members[] = {
    {ALL, "name", MCPH_JSON_STRING, true},
    {RESOURCE, "uri", MCPH_JSON_STRING, true},
    {TEMPLATE, "uriTemplate", MCPH_JSON_STRING, true},
    {TOOL, "inputSchema", MCPH_JSON_OBJECT, true},
    {TOOL, "outputSchema", MCPH_JSON_OBJECT, false},
    {ALL, "title", MCPH_JSON_STRING, false},
    {ALL, "description", MCPH_JSON_STRING, false},
    {RESOURCE | TEMPLATE, "mimeType", MCPH_JSON_STRING, false},
    {RESOURCE, "size", MCPH_JSON_NUMBER, false},
    {PROMPT, "arguments", MCPH_JSON_ARRAY, false},
    {TOOL | RESOURCE | TEMPLATE, "annotations", MCPH_JSON_OBJECT, false},
    {ALL, "icons", MCPH_JSON_ARRAY, false},
    {ALL, "_meta", MCPH_JSON_OBJECT, false},
};

static const struct {
    const char *noun, *key;
} kinds[MCPH_PROVIDE_FEATURES] = {
    [MCPHOST_FEATURE_TOOL] = {"tool", "name"},
    [MCPHOST_FEATURE_RESOURCE] = {"resource", "uri"},
    [MCPHOST_FEATURE_TEMPLATE] = {"resource template", "uriTemplate"},
    [MCPHOST_FEATURE_PROMPT] = {"prompt", "name"},
};

/* ---- checking definitions ---------------------------------------------------------- */

static int
check_members(int kind, struct mcph_span object, mcphost_error **reterr)
{
    const char *noun = kinds[kind].noun;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(members); i++) {
        const struct member *member = &members[i];
        struct mcph_span value;

        if (!(member->kinds & 1u << kind))
            continue;
        value = mcph_json_get(object, member->name);
        if (!value.p && member->needed)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "the definition of a %s has no '%s'", noun, member->name);
        if (value.p && mcph_json_type(value) != member->type)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "the definition of a %s: '%s' is not of type %s", noun,
                            member->name, mcph_json_type_name(member->type));
    }
    return 0;
}

/* Checks the arguments of a prompt.  Each argument must be an object with a name.  No two
 * arguments may have the same name. */
static int
check_arguments(struct mcph_span object, mcphost_error **reterr)
{
    struct mcph_span arguments = mcph_json_get(object, "arguments"), item, other;
    struct mcph_json_iter items, before;
    size_t place = 0, n;

    mcph_json_iter_init(&items, arguments);
    while (mcph_json_iter_next(&items, NULL, &item)) {
        struct mcph_span name = mcph_json_get(item, "name");

        place++;
        if (mcph_json_type(item) != MCPH_JSON_OBJECT ||
            mcph_json_type(name) != MCPH_JSON_STRING)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "argument %zu of a prompt has no 'name'", place);
        mcph_json_iter_init(&before, arguments);
        for (n = 1; n < place && mcph_json_iter_next(&before, NULL, &other); n++)
            if (mcph_json_string_eq(name, mcph_json_get(other, "name")))
                return mcph_err(reterr, MCPHOST_E_INVALID,
                                "arguments %zu and %zu of a prompt have the same name", n,
                                place);
    }
    return 0;
}

static int
compile_schema(const struct mcph_feature *tool, const char *which, struct mcph_span text,
               mcphost_schema **ret, mcphost_error **reterr)
{
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;
    int r;

    if (!text.p || !mcph_schema_is_built)
        return 0;
    if (mcph_schema_new(&schema) < 0)
        return mcph_err_nomem(reterr);
    mcph_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_MS, CHECK_MS);
    mcph_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_STEPS, CHECK_STEPS);
    r = mcph_schema_compile(schema, text, &err);
    if (r == 0) {
        *ret = schema;
        return 0;
    }
    mcph_schema_unref(schema);
    if (r == MCPHOST_E_NOMEM)
        r = mcph_err_nomem(reterr);
    else
        r = mcph_err(reterr,
                     r == MCPHOST_E_LIMIT || r == MCPHOST_E_TIMEOUT ? MCPHOST_E_LIMIT
                                                                    : MCPHOST_E_INVALID,
                     "%s of tool '%s': %s", which, tool->name,
                     mcphost_error_get_message(err));
    mcphost_error_unref(err);
    return r;
}

/* ---- making a feature -------------------------------------------------------------- */

static int
take_name(struct mcph_feature *feature, struct mcph_span object, mcphost_error **reterr)
{
    const char *key = kinds[feature->kind].key;
    int r = mcph_json_string_dup(mcph_json_get(object, key), &feature->name);

    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (r < 0 || !*feature->name)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the definition of a %s: '%s' is empty or has a NUL",
                        kinds[feature->kind].noun, key);
    feature->name_len = strlen(feature->name);
    if (feature->kind == MCPHOST_FEATURE_RESOURCE)
        return mcph_uri_check(mcph_span(feature->name, feature->name_len), reterr);
    return 0;
}

/* Compiles the schemas of a tool, parses a template, or checks the arguments of a
 * prompt. */
static int
take_rest(struct mcph_feature *feature, struct mcph_span object, mcphost_error **reterr)
{
    int r = 0;

    switch (feature->kind) {
    case MCPHOST_FEATURE_TOOL:
        r = compile_schema(feature, "inputSchema", mcph_json_get(object, "inputSchema"),
                           &feature->input, reterr);
        if (r == 0)
            r = compile_schema(feature, "outputSchema",
                               mcph_json_get(object, "outputSchema"), &feature->output,
                               reterr);
        break;
    case MCPHOST_FEATURE_TEMPLATE:
        r = mcph_template_parse(mcph_span(feature->name, feature->name_len),
                                &feature->template, reterr);
        break;
    case MCPHOST_FEATURE_PROMPT:
        r = check_arguments(object, reterr);
        break;
    default:
        break;
    }
    return r;
}

static int
take_definition(struct mcph_feature *feature, struct mcph_span text,
                mcphost_error **reterr)
{
    struct mcph_span object;
    int r;

    if (text.len > DEFINITION_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "a definition is longer than %zu bytes",
                        DEFINITION_MAX);
    r = mcph_json_check_input(text, 0, MCPH_JSON_OBJECT, "a definition", &object, reterr);
    if (r == 0)
        r = check_members(feature->kind, object, reterr);
    if (r < 0)
        return r;
    feature->definition = mcph_strndup(object.p, object.len);
    feature->definition_len = object.len;
    if (!feature->definition)
        return mcph_err_nomem(reterr);
    object = mcph_span(feature->definition, object.len);
    r = take_name(feature, object, reterr);
    return r < 0 ? r : take_rest(feature, object, reterr);
}

int
mcph_feature_new(int kind, struct mcph_span definition, mcphost_provide_fn fn, void *arg,
                 mcphost_free_fn free_arg, struct mcph_feature **ret,
                 mcphost_error **reterr)
{
    struct mcph_feature *feature = calloc(1, sizeof(*feature));
    struct mcph_hook *hook = mcph_hook_new((mcph_any_fn)fn, arg, free_arg);
    int r;

    if (!hook && free_arg)
        free_arg(arg);
    if (!feature || !hook) {
        mcph_hook_unref(hook);
        free(feature);
        return mcph_err_nomem(reterr);
    }
    mcph_refs_init(&feature->refs);
    feature->kind = kind;
    feature->hook = hook;
    r = take_definition(feature, definition, reterr);
    if (r < 0)
        mcph_feature_unref(feature);
    else
        *ret = feature;
    return r;
}

struct mcph_feature *
mcph_feature_ref(struct mcph_feature *feature)
{
    mcph_refs_get(&feature->refs);
    return feature;
}

struct mcph_feature *
mcph_feature_unref(struct mcph_feature *feature)
{
    if (!feature || !mcph_refs_put(&feature->refs))
        return NULL;
    mcph_hook_unref(feature->hook);
    mcph_hook_unref(feature->completion);
    mcph_schema_unref(feature->input);
    mcph_schema_unref(feature->output);
    mcph_template_free(feature->template);
    free(feature->name);
    free(feature->definition);
    free(feature);
    return NULL;
}
