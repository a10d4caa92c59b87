/* SPDX-License-Identifier: MIT
 *
 * test_projection.c - tools in the forms that providers accept.
 *
 * The tests project the tools of projection/tools.json for each profile of a provider.
 * A checker of the provider's published rules for schemas then examines each projected
 * tool.  Some tools of the file come from real servers.  Other tools have harmful
 * schemas.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mcphost/mcphost.h>

#include "support/catalog.h"
#include "support/providers.h"
#include "support/runner.h"

static mcphost_catalog *catalog;
static mcphost_projection *projection;
static json_t *list;

static void
down(void)
{
    json_decref(list);
    list = NULL;
    projection = mcphost_projection_unref(projection);
    catalog = mcphost_catalog_unref(catalog);
}

static void
project(int profile, size_t name_max)
{
    json_error_t error;

    projection = mcphost_projection_unref(projection);
    ck_assert_int_eq(mcphost_projection_new(catalog, provider_shape(profile), profile,
                                            name_max, &projection, NULL),
                     0);
    json_decref(list);
    list = json_loads(mcphost_projection_get_json(projection, NULL),
                      JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    ck_assert_msg(list != NULL || profile == MCPHOST_PROFILE_IDENTITY, "%s: %.60s",
                  error.text,
                  mcphost_projection_get_json(projection, NULL) + error.position);
}

static void
load_tools(const char *tools)
{
    down();
    catalog = catrig_catalog(catrig_server("s", tools), NULL);
}

static void
take_corpus(void)
{
    struct mcph_buf text;
    char *path = mcph_asprintf("%s/tests/unit/projection/tools.json", test_srcdir());

    mcph_buf_init(&text, 1024 * 1024);
    ck_assert_int_eq(mcph_file_read(path, 1024 * 1024, &text, NULL), 0);
    mcph_buf_addc(&text, '\0');
    load_tools(text.data);
    ck_assert_uint_gt(mcphost_catalog_count_tools(catalog), 55);
    mcph_buf_done(&text);
    free(path);
}

static json_t *
tool_named(const char *name)
{
    json_t *tool;
    size_t i;

    json_array_foreach(list, i, tool) if (strcmp(json_string_value(json_object_get(
                                                     provrig_function(tool), "name")),
                                                 name) ==
                                          0) return provrig_function(tool);
    return NULL;
}

/* Returns the projected schema of the only tool as text.  The caller frees the text.
 * Returns NULL if the projection leaves out the tool. */
static char *
schema_under(int profile, const char *schema)
{
    char *tools = mcph_asprintf("[{\"name\":\"tool\",\"inputSchema\":%s}]", schema);
    json_t *tool;

    load_tools(tools);
    free(tools);
    project(profile, 0);
    tool = provrig_function(json_array_get(list, 0));
    if (!tool)
        return NULL;
    return json_dumps(json_object_get(tool, profile == MCPHOST_PROFILE_ANTHROPIC
                                                ? "input_schema"
                                                : "parameters"),
                      JSON_COMPACT);
}

#define SAME(profile, schema, want) catrig_same(schema_under(profile, schema), want)

static const char *
first_kind(void)
{
    return mcphost_problem_get_kind(mcphost_projection_get_problem(projection, 0));
}

/* ---- the corpus -------------------------------------------------------------------- */

/* R55, R59: the provider accepts each tool of the projection.  For each tool that the
 * projection leaves out, the projection has a problem. */
START_TEST(the_provider_accepts_every_tool_of_the_corpus)
{
    size_t i, excluded = 0;
    json_t *tool;

    take_corpus();
    project(_i, 0);
    json_array_foreach(list, i, tool) provider_takes(_i, provrig_function(tool));
    for (i = 0; i < mcphost_projection_count_problems(projection); i++)
        excluded += strcmp(mcphost_problem_get_kind(
                               mcphost_projection_get_problem(projection, i)),
                           "mcp_tool_projection_excluded") == 0;
    ck_assert_uint_eq(json_array_size(list) + excluded,
                      mcphost_catalog_count_tools(catalog));
    ck_assert_uint_lt(excluded, 5);
}
END_TEST

/* ---- the identity ------------------------------------------------------------------ */

/* R56, R57: the identity profile changes nothing and leaves nothing out. */
START_TEST(the_identity_profile_gives_the_catalogs_own_bytes)
{
    size_t len;

    take_corpus();
    for (int shape = 0; shape < (int)mcphost_enum_count_values(MCPHOST_ENUM_SHAPE);
         shape++) {
        projection = mcphost_projection_unref(projection);
        ck_assert_int_eq(mcphost_projection_new(catalog, shape, MCPHOST_PROFILE_IDENTITY,
                                                0, &projection, NULL),
                         0);
        ck_assert_str_eq(mcphost_projection_get_json(projection, &len),
                         catrig_json(catalog, shape, NULL));
        ck_assert_uint_eq(len, strlen(mcphost_projection_get_json(projection, NULL)));
        ck_assert_uint_eq(mcphost_projection_count_problems(projection), 0);
        ck_assert_ptr_null(mcphost_projection_get_problem(projection, 0));
    }
}
END_TEST

/* R210, B.10b: with the identity profile, no provider's shape makes an optional parameter
 * required. */
START_TEST(no_shape_makes_a_parameter_required)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{}},"
        "\"required\":[\"a\"]}";
    char *tools = mcph_asprintf("[{\"name\":\"tool\",\"inputSchema\":%s}]", schema);

    load_tools(tools);
    for (int shape = 0; shape < (int)mcphost_enum_count_values(MCPHOST_ENUM_SHAPE);
         shape++) {
        projection = mcphost_projection_unref(projection);
        ck_assert_int_eq(mcphost_projection_new(catalog, shape, MCPHOST_PROFILE_IDENTITY,
                                                0, &projection, NULL),
                         0);
        ck_assert_ptr_nonnull(
            strstr(mcphost_projection_get_json(projection, NULL), schema));
    }
    free(tools);
}
END_TEST

/* R58: a second call with equal arguments returns the kept projection.  Another catalog
 * of these tools gives equal bytes. */
START_TEST(the_same_tools_give_the_same_bytes)
{
    mcphost_projection *again = NULL;
    char *first, *before;

    take_corpus();
    before = strdup(catrig_json(catalog, MCPHOST_SHAPE_MCP, NULL));
    project(_i, 0);
    first = strdup(mcphost_projection_get_json(projection, NULL));
    ck_assert_int_eq(
        mcphost_projection_new(catalog, provider_shape(_i), _i, 0, &again, NULL), 0);
    ck_assert_ptr_eq(again, projection);
    mcphost_projection_unref(mcphost_projection_ref(again));
    mcphost_projection_unref(again);
    /* R56: a projection does not change the catalog. */
    ck_assert_str_eq(catrig_json(catalog, MCPHOST_SHAPE_MCP, NULL), before);
    take_corpus();
    project(_i, 0);
    ck_assert_str_eq(mcphost_projection_get_json(projection, NULL), first);
    free(first);
    free(before);
}
END_TEST

/* R57 */
START_TEST(shapes_and_limits_that_do_not_fit_the_profile_are_refused)
{
    mcphost_projection *none = NULL;

    load_tools("[]");
    ck_assert_int_eq(
        mcphost_projection_new(catalog, 0, MCPHOST_PROFILE_OPENAI, 0, &none, NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_projection_new(catalog, 0, provider_profiles(), 0, &none, NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_projection_new(
                         catalog, (int)mcphost_enum_count_values(MCPHOST_ENUM_SHAPE), 0,
                         0, &none, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_projection_new(catalog, 0, 0, 64, &none, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_projection_new(catalog, MCPHOST_SHAPE_GEMINI,
                                            MCPHOST_PROFILE_GEMINI, 15, &none, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_projection_new(NULL, 0, 0, 0, &none, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(none);
    ck_assert_ptr_null(mcphost_catalog_find_projected(catalog, 9, 0, "x"));
    ck_assert_ptr_null(mcphost_projection_unref(NULL));
}
END_TEST

/* ---- schemas ----------------------------------------------------------------------- */

/* R55 */
START_TEST(references_are_replaced_by_their_schemas_and_cycles_end)
{
    SAME(
        MCPHOST_PROFILE_OPENAI,
        "{\"type\":\"object\",\"properties\":{\"n\":{\"$ref\":\"#/$defs/n\"}},\"$defs\":"
        "{\"n\":{\"type\":\"object\",\"properties\":{\"of\":{\"$ref\":\"#/$defs/n\"}}}}}",
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"object\",\"properties\":"
        "{\"of\":{\"description\":\"(as: #/$defs/n)\"}}}}}");
}
END_TEST

/* R55: %7E0 is the escape ~0, which means "~".  The name of a key never has NUL. */
START_TEST(a_percent_escape_in_a_reference_is_decoded_unless_it_is_nul)
{
    SAME(MCPHOST_PROFILE_OPENAI,
         "{\"type\":\"object\",\"properties\":{\"p\":{\"$ref\":\"#/$defs/%7E0\"}},"
         "\"$defs\":{\"~\":{\"type\":\"string\"}}}",
         "{\"type\":\"object\",\"properties\":{\"p\":{\"type\":\"string\"}}}");
    SAME(MCPHOST_PROFILE_OPENAI,
         "{\"type\":\"object\",\"properties\":{\"p\":{\"$ref\":\"#/$defs/%00\"}},"
         "\"$defs\":{\"~\":{\"type\":\"string\"}}}",
         "{\"type\":\"object\",\"properties\":{\"p\":{\"description\":\"(as: "
         "#/$defs/%00)\"}}}");
}
END_TEST

/* R55: both references of `allOf` lead to `c`.  The second reference is no cycle. */
START_TEST(a_schema_that_two_references_in_one_place_lead_to_is_combined_once)
{
    SAME(
        MCPHOST_PROFILE_OPENAI,
        "{\"type\":\"object\",\"properties\":{\"p\":{\"allOf\":[{\"$ref\":\"#/$defs/a\"},"
        "{\"$ref\":\"#/$defs/b\"}]}},\"$defs\":{\"a\":{\"$ref\":\"#/$defs/c\"},"
        "\"b\":{\"$ref\":\"#/$defs/c\"},\"c\":{\"enum\":[\"x\",\"y\"]}}}",
        "{\"type\":\"object\",\"properties\":{\"p\":{\"type\":\"string\",\"enum\":[\"x\","
        "\"y\"]}}}");
    /* The projection ends although the two references form a cycle. */
    SAME(MCPHOST_PROFILE_OPENAI,
         "{\"type\":\"object\",\"properties\":{\"p\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":"
         "{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}}}",
         "{\"type\":\"object\",\"properties\":{\"p\":{\"description\":\"(as: "
         "#/$defs/a)\"}}}");
}
END_TEST

/* R55 */
START_TEST(alternatives_at_the_root_are_merged)
{
    SAME(MCPHOST_PROFILE_ANTHROPIC,
         "{\"oneOf\":[{\"properties\":{\"a\":{\"const\":1},\"b\":{\"type\":\"string\"}},"
         "\"required\":[\"a\",\"b\"]},{\"properties\":{\"a\":{\"const\":2}},"
         "\"required\":[\"a\"]}]}",
         "{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"integer\","
         "\"enum\":[1]},{\"type\":\"integer\",\"enum\":[2]}]},\"b\":{\"type\":\"string\"}"
         "},"
         "\"required\":[\"a\"],\"description\":\"(oneOf: [{\\\"properties\\\":{\\\"a\\\":"
         "{\\\"const\\\":1},\\\"b\\\":{\\\"type\\\":\\\"string\\\"}},\\\"required\\\":"
         "[\\\"a\\\",\\\"b\\\"]},{\\\"properties\\\":{\\\"a\\\":{\\\"const\\\":2}},"
         "\\\"required\\\":[\\\"a\\\"]}])\"}");
}
END_TEST

/* R55 */
START_TEST(keywords_that_the_provider_does_not_know_move_to_the_description)
{
    SAME(MCPHOST_PROFILE_GEMINI,
         "{\"properties\":{\"a\":{\"type\":\"string\",\"format\":\"uri\",\"default\":"
         "\"x\","
         "\"description\":\"where\"}}}",
         "{\"type\":\"OBJECT\",\"properties\":{\"a\":{\"type\":\"STRING\","
         "\"description\":\"where\\n(format: uri; default: x)\"}}}");
    SAME(MCPHOST_PROFILE_MOONSHOT,
         "{\"properties\":{\"a\":{\"type\":[\"string\",\"null\"],\"minLength\":2}}}",
         "{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\","
         "\"minLength\":2},{\"type\":\"null\"}]}}}");
}
END_TEST

/* Returns the number of values that the parameter has in "enum", or 0 if the parameter's
 * description lists the values. */
static size_t
values_of(const char *parameter)
{
    json_t *schema = json_object_get(tool_named("tool"), "parameters");
    json_t *one = json_object_get(json_object_get(schema, "properties"), parameter);
    const char *said = json_string_value(json_object_get(one, "description"));
    size_t n = json_array_size(json_object_get(one, "enum"));

    ck_assert_int_eq(n == 0, said && strstr(said, "enum: [\"0\",") != NULL);
    return n;
}

/* R55: a strict schema may have 1000 enum values in all.  The null that the projection
 * adds to an enum also counts. */
START_TEST(enums_beyond_the_limit_of_the_provider_move_to_the_description)
{
    static const struct {
        size_t have[3], kept[3];
    } cases[] = {{{999, 0, 0}, {1000, 0, 0}},
                 {{1000, 0, 0}, {0, 0, 0}},
                 {{400, 400, 400}, {401, 401, 0}},
                 {{400, 700, 500}, {401, 0, 501}}};
    static const char *const names[] = {"a", "b", "c"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++) {
        struct mcph_buf schema;

        mcph_buf_init(&schema, 1 << 20);
        mcph_buf_adds(&schema, "{\"type\":\"object\",\"properties\":{");
        for (size_t k = 0; k < 3 && cases[i].have[k]; k++) {
            mcph_buf_addf(&schema, "%s\"%s\":{\"type\":\"string\",\"enum\":[\"0\"",
                          k ? "," : "", names[k]);
            for (size_t n = 1; n < cases[i].have[k]; n++)
                mcph_buf_addf(&schema, ",\"%zu\"", n);
            mcph_buf_adds(&schema, "]}");
        }
        mcph_buf_adds(&schema, "}}");
        mcph_buf_addc(&schema, '\0');
        free(schema_under(MCPHOST_PROFILE_OPENAI_STRICT, schema.data));
        provider_takes(MCPHOST_PROFILE_OPENAI_STRICT, tool_named("tool"));
        for (size_t k = 0; k < 3 && cases[i].have[k]; k++)
            ck_assert_uint_eq(values_of(names[k]), cases[i].kept[k]);
        mcph_buf_done(&schema);
    }
}
END_TEST

/* R55 */
START_TEST(tuples_become_keywords_that_the_provider_knows)
{
    static const char tuple[] =
        "{\"properties\":{\"a\":{\"items\":[{\"type\":\"string\"},"
        "{\"type\":\"integer\"}]}}}";

    SAME(MCPHOST_PROFILE_ANTHROPIC, tuple,
         "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"prefixItems\":"
         "[{\"type\":\"string\"},{\"type\":\"integer\"}],\"items\":{}}}}");
    SAME(MCPHOST_PROFILE_MOONSHOT, tuple,
         "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":"
         "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]},\"description\":"
         "\"(items in this order: [{\\\"type\\\":\\\"string\\\"},"
         "{\\\"type\\\":\\\"integer\\\"}])\"}}}");
}
END_TEST

/* R55 */
START_TEST(strict_requires_all_parameters_and_makes_optional_ones_nullable)
{
    SAME(MCPHOST_PROFILE_OPENAI_STRICT,
         "{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"enum\":[\"x\"]}},"
         "\"required\":[\"a\"]}",
         "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{"
         "\"type\":"
         "[\"string\",\"null\"],\"enum\":[\"x\",null]}},\"required\":[\"a\",\"b\"],"
         "\"additionalProperties\":false}");
    ck_assert(json_is_true(json_object_get(tool_named("tool"), "strict")));
    ck_assert_uint_eq(mcphost_projection_count_problems(projection), 0);
}
END_TEST

/* R59 */
START_TEST(a_tool_that_cannot_be_strict_is_sent_as_not_strict_with_a_problem)
{
    SAME(MCPHOST_PROFILE_OPENAI_STRICT,
         "{\"properties\":{\"env\":{\"additionalProperties\":{\"type\":\"string\"}}}}",
         "{\"type\":\"object\",\"properties\":{\"env\":{\"type\":\"object\","
         "\"additionalProperties\":{\"type\":\"string\"}}}}");
    ck_assert(json_is_false(json_object_get(tool_named("tool"), "strict")));
    ck_assert_str_eq(first_kind(), "mcp_tool_projection_not_strict");
}
END_TEST

/* R59 */
START_TEST(each_tool_that_is_left_out_is_a_problem_with_its_reason)
{
    mcphost_problem *problem;

    load_tools("[{\"name\":\"a\",\"inputSchema\":{\"type\":\"string\"}},"
               "{\"name\":\"b\",\"inputSchema\":{}},"
               "{\"name\":\"c\",\"inputSchema\":{\"properties\":{\"$x\":{}},\"required\":"
               "[\"$x\"]}}]");
    project(MCPHOST_PROFILE_ANTHROPIC, 0);
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert_uint_eq(mcphost_projection_count_problems(projection), 1);
    problem = mcphost_projection_get_problem(projection, 0);
    ck_assert_str_eq(mcphost_problem_get_kind(problem), "mcp_tool_projection_excluded");
    ck_assert_str_eq(mcphost_problem_get_id(problem),
                     "mcp/projection/anthropic/excluded/a");
    ck_assert_str_eq(mcphost_problem_get_server_id(problem), "s");
    ck_assert_int_eq(mcphost_problem_get_severity(problem), MCPHOST_SEVERITY_WARNING);
    ck_assert_str_eq(mcphost_problem_get_detail(problem, NULL),
                     "{\"serverId\":\"s\",\"toolName\":\"a\",\"profile\":\"anthropic\","
                     "\"reason\":\"its arguments are not an object\"}");
    ck_assert_ptr_null(mcphost_projection_find_tool(projection, "a"));
    ck_assert_ptr_null(
        mcphost_projection_get_name(projection, mcphost_catalog_find_tool(catalog, "a")));
}
END_TEST

START_TEST(the_problem_of_a_server_with_a_long_id_has_the_whole_id)
{
    char id[6001];

    memset(id, '\\', sizeof(id) - 1);
    id[sizeof(id) - 1] = '\0';
    down();
    catalog = catrig_catalog(
        catrig_server(id, "[{\"name\":\"a\",\"inputSchema\":{\"type\":\"string\"}}]"),
        NULL);
    project(MCPHOST_PROFILE_ANTHROPIC, 0);
    ck_assert_uint_eq(mcphost_projection_count_problems(projection), 1);
    ck_assert_str_eq(
        mcphost_problem_get_server_id(mcphost_projection_get_problem(projection, 0)), id);
}
END_TEST

/* R59: the projection renames parameters, and leaves out neither the tool nor a
 * parameter. */
START_TEST(parameters_with_names_that_the_provider_refuses_are_renamed)
{
    SAME(MCPHOST_PROFILE_GEMINI,
         "{\"properties\":{\"resource-group\":{\"type\":\"string\"},\"2nd\":{\"type\":"
         "\"boolean\"},\"a\":{\"type\":\"string\"}},\"required\":[\"resource-group\"]}",
         "{\"type\":\"OBJECT\",\"properties\":{\"resource_group\":{\"type\":\"STRING\"},"
         "\"_2nd\":{\"type\":\"BOOLEAN\"},\"a\":{\"type\":\"STRING\"}},\"required\":"
         "[\"resource_group\"]}");
    ck_assert_uint_eq(mcphost_projection_count_problems(projection), 0);
    SAME(MCPHOST_PROFILE_MOONSHOT,
         "{\"properties\":{\"required\":{\"type\":\"string\"}}}",
         "{\"type\":\"object\",\"properties\":{\"_required\":{\"type\":\"string\"}}}");
}
END_TEST

/* R59: Anthropic checks the names of the tool's own parameters only. */
START_TEST(for_anthropic_nested_parameters_keep_their_names)
{
    SAME(
        MCPHOST_PROFILE_ANTHROPIC,
        "{\"type\":\"object\",\"properties\":{\"$x\":{\"type\":\"object\",\"properties\":"
        "{\"$y\":{\"type\":\"string\"}},\"required\":[\"$y\"]}},\"required\":[\"$x\"]}",
        "{\"type\":\"object\",\"properties\":{\"_x\":{\"type\":\"object\",\"properties\":"
        "{\"$y\":{\"type\":\"string\"}},\"required\":[\"$y\"]}},\"required\":[\"_x\"]}");
    ck_assert_uint_eq(mcphost_projection_count_problems(projection), 0);
}
END_TEST

/* R59: the schema of the tool `growth` has less than 1 KiB, but would expand to more than
 * 4^6 parameters.  Therefore the projection leaves out the tool. */
START_TEST(a_tool_whose_schema_would_expand_too_much_is_left_out)
{
    take_corpus();
    for (int profile = MCPHOST_PROFILE_OPENAI; profile < provider_profiles(); profile++) {
        project(profile, 0);
        ck_assert_ptr_null(tool_named("growth"));
        ck_assert_ptr_nonnull(tool_named("plain"));
    }
}
END_TEST

/* ---- names ------------------------------------------------------------------------- */

#define LONG_A "a_rather_long_name_of_a_tool"
#define LONG_B "a_rather_long_name_of_another"

/* R58 */
START_TEST(a_long_name_gets_a_suffix_that_does_not_depend_on_the_order)
{
    char *a, *b;

    load_tools("[{\"name\":\"" LONG_A "\",\"inputSchema\":{}},{\"name\":\"" LONG_B
               "\",\"inputSchema\":{}}]");
    project(MCPHOST_PROFILE_OPENAI, 20);
    a = strdup(mcphost_projection_get_name(projection,
                                           mcphost_catalog_find_tool(catalog, LONG_A)));
    b = strdup(mcphost_projection_get_name(projection,
                                           mcphost_catalog_find_tool(catalog, LONG_B)));
    ck_assert_uint_eq(strlen(a), 20);
    ck_assert_int_eq(strncmp(a, "a_rather__", 10), 0);
    ck_assert_str_ne(a, b);
    load_tools("[{\"name\":\"" LONG_B
               "\",\"inputSchema\":{}},{\"name\":\"x\",\"inputSchema\":{}},"
               "{\"name\":\"" LONG_A "\",\"inputSchema\":{}}]");
    project(MCPHOST_PROFILE_OPENAI, 20);
    ck_assert_ptr_nonnull(tool_named(a));
    ck_assert_ptr_nonnull(tool_named(b));
    ck_assert_ptr_nonnull(tool_named("x"));
    load_tools("[{\"name\":\"" LONG_B "\",\"inputSchema\":{}}]");
    project(MCPHOST_PROFILE_OPENAI, 20);
    ck_assert_ptr_nonnull(tool_named(b));
    free(a);
    free(b);
}
END_TEST

/* R55, R58: if the changed name of a tool is the name of another tool, the projection
 * chooses a third name. */
START_TEST(a_changed_name_leads_back_to_its_tool)
{
    mcphost_tool *tool;
    char *name, *tools;

    load_tools("[{\"name\":\"1st\",\"inputSchema\":{}}]");
    tool = mcphost_catalog_find_tool(catalog, "1st");
    project(MCPHOST_PROFILE_GEMINI, 0);
    name = strdup(mcphost_projection_get_name(projection, tool));
    ck_assert_int_eq(name[0], '_');
    ck_assert_ptr_eq(mcphost_projection_find_tool(projection, name), tool);
    ck_assert_ptr_eq(
        mcphost_catalog_find_projected(catalog, MCPHOST_PROFILE_GEMINI, 0, name), tool);
    ck_assert_ptr_null(
        mcphost_catalog_find_projected(catalog, MCPHOST_PROFILE_GEMINI, 0, "1st"));
    ck_assert_ptr_eq(
        mcphost_catalog_find_projected(catalog, MCPHOST_PROFILE_IDENTITY, 0, "1st"),
        tool);
    tools = mcph_asprintf("[{\"name\":\"1st\",\"inputSchema\":{}},{\"name\":\"%s\","
                          "\"inputSchema\":{}}]",
                          name);
    load_tools(tools);
    project(MCPHOST_PROFILE_GEMINI, 0);
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert_ptr_eq(mcphost_projection_find_tool(projection, name),
                     mcphost_catalog_find_tool(catalog, name));
    ck_assert_str_ne(mcphost_projection_get_name(
                         projection, mcphost_catalog_find_tool(catalog, "1st")),
                     name);
    free(name);
    free(tools);
}
END_TEST

/* ---- restoring arguments ----------------------------------------------------------- */

static void
restores_under(int profile, const char *schema, const char *arguments, const char *want)
{
    char *restored = NULL;
    size_t len = 0;

    free(schema_under(profile, schema));
    ck_assert_int_eq(mcphost_projection_restore_arguments(
                         projection, mcphost_catalog_find_tool(catalog, "tool"),
                         arguments, strlen(arguments), &restored, &len, NULL),
                     0);
    ck_assert_uint_eq(len, strlen(want));
    catrig_same(restored, want);
}

static void
restores(const char *schema, const char *arguments, const char *want)
{
    restores_under(MCPHOST_PROFILE_OPENAI_STRICT, schema, arguments, want);
}

/* R55: the library restores the names at every level and changes nothing else. */
START_TEST(restored_arguments_have_the_original_parameter_names)
{
    restores_under(MCPHOST_PROFILE_GEMINI,
                   "{\"properties\":{\"resource-group\":{},\"2nd\":{},\"a_b\":{}}}",
                   "{\"resource_group\":null,\"_2nd\":1.50,\"a_b\":[],\"x-y\":0}",
                   "{\"resource-group\":null,\"2nd\":1.50,\"a_b\":[],\"x-y\":0}");
    restores_under(
        MCPHOST_PROFILE_GEMINI,
        "{\"properties\":{\"l\":{\"items\":{\"$ref\":\"#/$defs/i\"}},\"t\":"
        "{\"prefixItems\":[{\"$ref\":\"#/$defs/i\"}]},\"v\":{\"anyOf\":[{\"type\":"
        "\"string\"},{\"$ref\":\"#/$defs/i\"}]}},\"$defs\":{\"i\":{\"properties\":"
        "{\"x.y\":{\"type\":\"string\"}}}}}",
        "{\"l\":[{\"x_y\":1}],\"t\":[{\"x_y\":2}],\"v\":{\"x_y\":3}}",
        "{\"l\":[{\"x.y\":1}],\"t\":[{\"x.y\":2}],\"v\":{\"x.y\":3}}");
    restores_under(MCPHOST_PROFILE_ANTHROPIC,
                   "{\"properties\":{\"$x\":{\"properties\":{\"$y\":{}}}}}",
                   "{\"_x\":{\"$y\":1,\"_y\":2}}", "{\"$x\":{\"$y\":1,\"_y\":2}}");
}
END_TEST

/* Returns the name of the property whose schema has the title `title`. */
static const char *
property_titled(const char *title)
{
    json_t *properties =
        json_object_get(json_object_get(tool_named("tool"), "parameters"), "properties");
    const char *key, *found = NULL;
    json_t *value;

    json_object_foreach(properties, key, value)
    {
        if (strcmp(json_string_value(json_object_get(value, "title")), title) == 0)
            found = key;
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

/* R55, R58: a changed name gets a suffix if it would equal another name or if it is cut.
 * The suffix does not depend on the order of the names. */
START_TEST(parameter_names_that_would_become_equal_get_a_suffix)
{
#define LONG70 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    static const char *const schemas[] = {
        "{\"properties\":{\"a-b\":{\"type\":\"string\",\"title\":\"a-b\"},\"a.b\":{"
        "\"type\":\"string\",\"title\":\"a.b\"},"
        "\"" LONG70 "\":{\"type\":\"string\",\"title\":\"long\"},\"c-d\":{\"type\":"
        "\"string\",\"title\":\"c-d\"},"
        "\"c_d\":{\"type\":\"string\",\"title\":\"c_d\"}}}",
        "{\"properties\":{\"c_d\":{\"type\":\"string\",\"title\":\"c_d\"},\"c-d\":{"
        "\"type\":\"string\",\"title\":\"c-d\"},"
        "\"" LONG70 "\":{\"type\":\"string\",\"title\":\"long\"},\"a.b\":{\"type\":"
        "\"string\",\"title\":\"a.b\"},"
        "\"a-b\":{\"type\":\"string\",\"title\":\"a-b\"}}}"};
    static const char *const titles[] = {"a-b", "a.b", "long", "c-d", "c_d"};
    char names[5][80], arguments[120], want[120];

    for (size_t k = 0; k < MCPH_ARRAY_SIZE(schemas); k++) {
        free(schema_under(MCPHOST_PROFILE_GEMINI, schemas[k]));
        for (size_t i = 0; i < MCPH_ARRAY_SIZE(titles); i++) {
            const char *name = property_titled(titles[i]);

            ck_assert_uint_le(strlen(name), 64);
            if (k == 0)
                snprintf(names[i], sizeof(names[i]), "%s", name);
            ck_assert_str_eq(name, names[i]);
            for (size_t n = 0; n < i; n++)
                ck_assert_str_ne(name, names[n]);
        }
    }
    ck_assert_str_eq(names[4], "c_d");
    ck_assert_int_eq(strncmp(names[0], "a_b_", 4), 0);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(titles); i++) {
        snprintf(arguments, sizeof(arguments), "{\"%s\":1}", names[i]);
        snprintf(want, sizeof(want), "{\"%s\":1}", i == 2 ? LONG70 : titles[i]);
        restores_under(MCPHOST_PROFILE_GEMINI, schemas[0], arguments, want);
    }
}
END_TEST

/* R59: the projection cuts a long description between two characters and adds a mark.  It
 * reports the cut as a problem. */
START_TEST(a_description_beyond_the_limit_is_cut_and_reported)
{
    static const int profiles[] = {MCPHOST_PROFILE_OPENAI, MCPHOST_PROFILE_OPENAI_STRICT};
    struct mcph_buf text;
    const char *said;

    for (int n = 1024; n <= 1025; n++) {
        mcph_buf_init(&text, 10000);
        mcph_buf_adds(&text, "[{\"name\":\"tool\",\"inputSchema\":{},\"description\":\"");
        for (int i = 0; i < n; i++)
            mcph_buf_adds(&text, "\xc3\xa9");
        mcph_buf_adds(&text, "\"}]");
        mcph_buf_addc(&text, '\0');
        load_tools(text.data);
        mcph_buf_done(&text);
        for (size_t i = 0; i < MCPH_ARRAY_SIZE(profiles); i++) {
            project(profiles[i], 0);
            said = json_string_value(json_object_get(tool_named("tool"), "description"));
            if (n == 1024) {
                ck_assert_uint_eq(strlen(said), 2048);
                ck_assert_uint_eq(mcphost_projection_count_problems(projection), 0);
                continue;
            }
            ck_assert_uint_eq(strlen(said), 2 * 1018 + 6);
            ck_assert_str_eq(said + 2 * 1018, " [...]");
            ck_assert_str_eq(first_kind(), "mcp_tool_projection_reduced");
        }
        project(MCPHOST_PROFILE_ANTHROPIC, 0);
        said = json_string_value(json_object_get(tool_named("tool"), "description"));
        ck_assert_uint_eq(strlen(said), 2 * (size_t)n);
        ck_assert_uint_eq(mcphost_projection_count_problems(projection), 0);
    }
}
END_TEST

/* R55 */
START_TEST(nulls_for_absent_parameters_are_removed_and_others_are_kept)
{
    restores("{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":[\"string\","
             "\"null\"]},\"c\":{\"type\":\"string\"}},\"required\":[\"c\"]}",
             "{\"a\":null,\"b\":null,\"c\":null,\"d\":null}",
             "{\"b\":null,\"c\":null,\"d\":null}");
    restores(
        "{\"properties\":{\"l\":{\"items\":{\"$ref\":\"#/$defs/i\"}}},\"$defs\":{\"i\":"
        "{\"properties\":{\"x\":{\"enum\":[1]},\"y\":{\"enum\":[null]}}}}}",
        "{\"l\":[{\"x\":null,\"y\":null},{\"x\": 1.50}]}",
        "{\"l\":[{\"y\":null},{\"x\":1.50}]}");
    restores(
        "{\"properties\":{\"v\":{\"anyOf\":[{\"type\":\"string\"},{\"properties\":{\"z\""
        ":{\"type\":\"integer\"}}}]}}}",
        "{\"v\":{\"z\":null}}", "{\"v\":{}}");
}
END_TEST

/* R55 */
START_TEST(arguments_that_are_no_object_are_refused)
{
    char *restored = NULL;
    size_t len;

    free(schema_under(MCPHOST_PROFILE_OPENAI, "{}"));
    ck_assert_int_eq(mcphost_projection_restore_arguments(
                         projection, mcphost_catalog_find_tool(catalog, "tool"), "[1]", 3,
                         &restored, &len, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(restored);
}
END_TEST

/* ---- cost -------------------------------------------------------------------------- */

static double
now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* R58: the second call takes almost no time.  The limits are for processor time, and are
 * high enough for runs with a sanitizer. */
START_TEST(the_projection_of_a_thousand_tools_is_kept_for_the_next_call)
{
    struct mcph_buf tools;
    double first, second;

    mcph_buf_init(&tools, 16 * 1024 * 1024);
    mcph_buf_addc(&tools, '[');
    for (int i = 0; i < 1000; i++)
        mcph_buf_addf(
            &tools,
            "%s{\"name\":\"tool_%d\",\"description\":\"Tool %d of the server\","
            "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"path\":{"
            "\"type\":\"string\",\"description\":\"where to look\"},\"limit\":{"
            "\"type\":\"integer\",\"minimum\":1,\"default\":10},\"mode\":{\"enum\":"
            "[\"r\",\"w\"]}},\"required\":[\"path\"]}}",
            i ? "," : "", i, i);
    mcph_buf_adds(&tools, "]");
    mcph_buf_addc(&tools, '\0');
    load_tools(tools.data);
    mcph_buf_done(&tools);
    first = now_ms();
    ck_assert_int_eq(
        mcphost_projection_new(catalog, provider_shape(_i), _i, 0, &projection, NULL), 0);
    first = now_ms() - first;
    second = now_ms();
    projection = mcphost_projection_unref(projection);
    ck_assert_int_eq(
        mcphost_projection_new(catalog, provider_shape(_i), _i, 0, &projection, NULL), 0);
    second = now_ms() - second;
    if (getenv("MCPHOST_TEST_SHOW_TIMES"))
        printf("profile %d: %.3f ms, again %.4f ms\n", _i, first, second);
    ck_assert_double_lt(first, 2000);
    ck_assert_double_lt(second, 20);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "identity");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, the_identity_profile_gives_the_catalogs_own_bytes);
    tcase_add_test(tc, no_shape_makes_a_parameter_required);
    tcase_add_loop_test(tc, the_same_tools_give_the_same_bytes, 0, provider_profiles());
    tcase_add_test(tc, shapes_and_limits_that_do_not_fit_the_profile_are_refused);
    tc = test_case(suite, "corpus");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, the_provider_accepts_every_tool_of_the_corpus, 1,
                        provider_profiles());
    tcase_add_test(tc, a_tool_whose_schema_would_expand_too_much_is_left_out);
    tcase_add_loop_test(tc, the_projection_of_a_thousand_tools_is_kept_for_the_next_call,
                        0, provider_profiles());
    tc = test_case(suite, "schemas");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, references_are_replaced_by_their_schemas_and_cycles_end);
    tcase_add_test(tc, a_percent_escape_in_a_reference_is_decoded_unless_it_is_nul);
    tcase_add_test(tc,
                   a_schema_that_two_references_in_one_place_lead_to_is_combined_once);
    tcase_add_test(tc, alternatives_at_the_root_are_merged);
    tcase_add_test(tc, keywords_that_the_provider_does_not_know_move_to_the_description);
    tcase_add_test(tc, enums_beyond_the_limit_of_the_provider_move_to_the_description);
    tcase_add_test(tc, tuples_become_keywords_that_the_provider_knows);
    tcase_add_test(tc, strict_requires_all_parameters_and_makes_optional_ones_nullable);
    tcase_add_test(tc, a_tool_that_cannot_be_strict_is_sent_as_not_strict_with_a_problem);
    tcase_add_test(tc, each_tool_that_is_left_out_is_a_problem_with_its_reason);
    tcase_add_test(tc, the_problem_of_a_server_with_a_long_id_has_the_whole_id);
    tcase_add_test(tc, parameters_with_names_that_the_provider_refuses_are_renamed);
    tcase_add_test(tc, for_anthropic_nested_parameters_keep_their_names);
    tcase_add_test(tc, a_description_beyond_the_limit_is_cut_and_reported);
    tc = test_case(suite, "back");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_long_name_gets_a_suffix_that_does_not_depend_on_the_order);
    tcase_add_test(tc, a_changed_name_leads_back_to_its_tool);
    tcase_add_test(tc, restored_arguments_have_the_original_parameter_names);
    tcase_add_test(tc, parameter_names_that_would_become_equal_get_a_suffix);
    tcase_add_test(tc, nulls_for_absent_parameters_are_removed_and_others_are_kept);
    tcase_add_test(tc, arguments_that_are_no_object_are_refused);
}

int
main(void)
{
    return test_main("projection", add);
}
