/* SPDX-License-Identifier: MIT
 *
 * test_catalog_lists.c - the tool lists of a catalog as JSON, in each shape.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/catalog.h"
#include "support/runner.h"

static mcphost_catalog *catalog;

static void
down(void)
{
    catalog = mcphost_catalog_unref(catalog);
}

static const char odd_tools[] =
    "[{\"inputSchema\":{\"b\":1, \"a\":[1e400]},\"_meta\":{\"k\":\"v\"},"
    "\"name\" : \"\\u0061\",\"description\":\"say \\\"hi\\\"\\u000a\\ud800\"},"
    " {\"name\":\"b\",\"title\":\"B\",\"inputSchema\":{}} ]";

static mcphost_catalog *
odd_catalog(void)
{
    return catrig_catalog(
        catrig_server_under(catrig_spec("s", NULL, NULL, "p_"), odd_tools), NULL);
}

/* R52: the list changes only the name of a tool.  The other members keep the bytes that
 * the server wrote. */
START_TEST(the_mcp_shape_changes_only_the_name)
{
    catalog = odd_catalog();
    ck_assert_str_eq(
        catrig_json(catalog, MCPHOST_SHAPE_MCP, NULL),
        "[{\"inputSchema\":{\"b\":1, \"a\":[1e400]},\"_meta\":{\"k\":\"v\"},"
        "\"name\" : \"p_a\",\"description\":\"say \\\"hi\\\"\\u000a\\ud800\"},"
        "{\"name\":\"p_b\",\"title\":\"B\",\"inputSchema\":{}}]");
}
END_TEST

/* R52 */
START_TEST(the_openai_chat_shape_passes_schema_and_description_through)
{
    catalog = odd_catalog();
    ck_assert_str_eq(
        catrig_json(catalog, MCPHOST_SHAPE_OPENAI_CHAT, NULL),
        "[{\"type\":\"function\",\"function\":{\"name\":\"p_a\",\"description\":"
        "\"say \\\"hi\\\"\\u000a\\ud800\",\"parameters\":{\"b\":1, \"a\":[1e400]}}},"
        "{\"type\":\"function\",\"function\":{\"name\":\"p_b\",\"parameters\":{}}}]");
}
END_TEST

/* R25: unknown members of a tool's definition do not change the kind of the tool. */
START_TEST(every_tool_is_listed_as_a_function_whatever_its_definition_says)
{
    static const char tools[] =
        "[{\"type\":\"tellask\",\"kind\":\"teammate\",\"name\":\"a\",\"function\":{"
        "\"name\":\"b\"},\"strict\":true,\"inputSchema\":{},\"custom\":{}}]";
    static const char *const want[] = {
        [MCPHOST_SHAPE_OPENAI_CHAT] =
            "[{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{}}}]",
        [MCPHOST_SHAPE_OPENAI_RESPONSES] =
            "[{\"type\":\"function\",\"name\":\"a\",\"parameters\":{}}]",
        [MCPHOST_SHAPE_ANTHROPIC] = "[{\"name\":\"a\",\"input_schema\":{}}]",
        [MCPHOST_SHAPE_GEMINI] = "[{\"name\":\"a\",\"parametersJsonSchema\":{}}]",
    };

    catalog = catrig_catalog(catrig_server("s", tools), NULL);
    for (size_t shape = 0; shape < MCPH_ARRAY_SIZE(want); shape++)
        if (want[shape])
            ck_assert_str_eq(catrig_json(catalog, (int)shape, NULL), want[shape]);
}
END_TEST

/* R52 */
START_TEST(the_openai_responses_shape_passes_schema_and_description_through)
{
    catalog = odd_catalog();
    ck_assert_str_eq(
        catrig_json(catalog, MCPHOST_SHAPE_OPENAI_RESPONSES, NULL),
        "[{\"type\":\"function\",\"name\":\"p_a\",\"description\":"
        "\"say \\\"hi\\\"\\u000a\\ud800\",\"parameters\":{\"b\":1, \"a\":[1e400]}},"
        "{\"type\":\"function\",\"name\":\"p_b\",\"parameters\":{}}]");
}
END_TEST

/* R52 */
START_TEST(the_anthropic_shape_passes_schema_and_description_through)
{
    catalog = odd_catalog();
    ck_assert_str_eq(catrig_json(catalog, MCPHOST_SHAPE_ANTHROPIC, NULL),
                     "[{\"name\":\"p_a\",\"description\":\"say "
                     "\\\"hi\\\"\\u000a\\ud800\",\"input_schema\":{\"b\":1, "
                     "\"a\":[1e400]}},{\"name\":\"p_b\",\"input_schema\":{}}]");
}
END_TEST

START_TEST(the_gemini_shape_passes_schema_and_description_through) /* R52 */
{
    catalog = odd_catalog();
    ck_assert_str_eq(catrig_json(catalog, MCPHOST_SHAPE_GEMINI, NULL),
                     "[{\"name\":\"p_a\",\"description\":\"say "
                     "\\\"hi\\\"\\u000a\\ud800\",\"parametersJsonSchema\":{\"b\":1, "
                     "\"a\":[1e400]}},{\"name\":\"p_b\",\"parametersJsonSchema\":{}}]");
}
END_TEST

/* R51: each list has every keyword of the schema unchanged. */
START_TEST(every_shape_has_the_bytes_of_the_schema)
{
    static const char schema[] =
        "{\"type\":\"object\",\"title\":\"t\",\"description\":\"d\",\"properties\":{"
        "\"a\":{\"type\":[\"integer\",\"null\"],\"minimum\":-1,\"maximum\":9,"
        "\"exclusiveMinimum\":0,\"exclusiveMaximum\":1e2,\"multipleOf\":0.1},"
        "\"b\":{\"oneOf\":[{\"const\":1}],\"anyOf\":[{\"enum\":[1,null]}],\"allOf\":[],"
        "\"not\":{},\"default\":-0},\"c\":{\"items\":[{},true],\"prefixItems\":[{}],"
        "\"minItems\":1,\"maxItems\":2,\"uniqueItems\":true},\"d\":{\"minLength\":1,"
        "\"maxLength\":2,\"pattern\":\"^\\\\d+$\",\"format\":\"uri\"}},"
        "\"required\":[\"b\",\"a\"],\"additionalProperties\":{\"type\":\"string\"},"
        "\"patternProperties\":{\"^x-\":false},\"propertyNames\":{\"maxLength\":3},"
        "\"x-unknown\":{\"z\":1,\"a\":2}}";
    char *tools = mcph_asprintf("[{\"name\":\"a\",\"inputSchema\":%s}]", schema);

    catalog = catrig_catalog(catrig_server("s", tools), NULL);
    for (int shape = 0; shape < MCPH_N_SHAPES; shape++)
        ck_assert_ptr_nonnull(strstr(catrig_json(catalog, shape, "s"), schema));
    free(tools);
}
END_TEST

START_TEST(the_list_of_a_catalog_joins_the_lists_of_its_toolsets)
{
    catalog = catrig_catalog(catrig_server_named("s1", "b"), catrig_builtin("ws", "a"),
                             catrig_server_named("s2", ""), catrig_server("s3", NULL),
                             catrig_server_named("s4", "c d"), NULL);
    ck_assert_str_eq(
        catrig_json(catalog, MCPHOST_SHAPE_ANTHROPIC, NULL),
        "[{\"name\":\"a\",\"description\":\"built in\",\"input_schema\":"
        "{\"type\":\"object\"}},{\"name\":\"b\",\"description\":\"does b\","
        "\"input_schema\":{\"type\":\"object\"}},{\"name\":\"c\",\"description\":"
        "\"does c\",\"input_schema\":{\"type\":\"object\"}},{\"name\":\"d\","
        "\"description\":\"does d\",\"input_schema\":{\"type\":\"object\"}}]");
    ck_assert_str_eq(catrig_json(catalog, MCPHOST_SHAPE_ANTHROPIC, "s1"),
                     "[{\"name\":\"b\",\"description\":\"does b\",\"input_schema\":"
                     "{\"type\":\"object\"}}]");
    ck_assert_str_eq(catrig_json(catalog, MCPHOST_SHAPE_MCP, "s2"), "[]");
}
END_TEST

START_TEST(toolsets_without_tools_add_nothing_to_the_list)
{
    const char *one = "[{\"name\":\"a\",\"description\":\"does a\",\"input_schema\":"
                      "{\"type\":\"object\"}}]";

    catalog = catrig_catalog(catrig_server_named("s0", ""),
                             catrig_server_named("s1", "a"), NULL);
    ck_assert_str_eq(catrig_json(catalog, MCPHOST_SHAPE_ANTHROPIC, NULL), one);
    mcphost_catalog_unref(catalog);
    catalog =
        catrig_catalog(catrig_server_named("s0", ""), catrig_server_named("s1", "a"),
                       catrig_server_named("s2", ""), catrig_builtin("ws", ""),
                       catrig_server_named("s3", "b"), NULL);
    ck_assert_str_eq(catrig_json(catalog, MCPHOST_SHAPE_ANTHROPIC, NULL),
                     "[{\"name\":\"a\",\"description\":\"does a\",\"input_schema\":"
                     "{\"type\":\"object\"}},{\"name\":\"b\",\"description\":"
                     "\"does b\",\"input_schema\":{\"type\":\"object\"}}]");
}
END_TEST

START_TEST(a_list_is_written_once_and_reused)
{
    const char *all, *one;

    catalog = catrig_catalog(catrig_server_named("s1", "a"),
                             catrig_server_named("s2", "b"), NULL);
    all = catrig_json(catalog, MCPHOST_SHAPE_MCP, NULL);
    one = catrig_json(catalog, MCPHOST_SHAPE_MCP, "s1");
    ck_assert_ptr_eq(catrig_json(catalog, MCPHOST_SHAPE_MCP, NULL), all);
    ck_assert_ptr_eq(catrig_json(catalog, MCPHOST_SHAPE_MCP, "s1"), one);
}
END_TEST

START_TEST(the_next_catalog_reuses_the_list_of_an_unchanged_server)
{
    struct mcph_block *kept = catrig_server_named("s1", "a b");
    const char *before;

    catalog = catrig_catalog(mcph_block_ref(kept), catrig_server_named("s2", "c"), NULL);
    before = catrig_json(catalog, MCPHOST_SHAPE_OPENAI_CHAT, "s1");
    mcphost_catalog_unref(catalog);
    catalog = catrig_catalog(mcph_block_ref(kept), catrig_server_named("s2", "d"), NULL);
    ck_assert_ptr_eq(catrig_json(catalog, MCPHOST_SHAPE_OPENAI_CHAT, "s1"), before);
    mcph_block_unref(kept);
}
END_TEST

/* Two catalogs may share a block.  A tool that one catalog leaves out stays in the list
 * of the other catalog. */
START_TEST(a_list_without_colliding_tools_belongs_to_its_catalog_only)
{
    struct mcph_block *block = catrig_server_named("s", "a b");
    mcphost_catalog *other = catrig_catalog(mcph_block_ref(block), NULL);

    catalog = catrig_catalog(catrig_builtin("ws", "a"), block, NULL);
    ck_assert_ptr_null(strstr(catrig_json(catalog, MCPHOST_SHAPE_MCP, "s"), "\"a\""));
    ck_assert_ptr_nonnull(strstr(catrig_json(other, MCPHOST_SHAPE_MCP, "s"), "\"a\""));
    ck_assert_ptr_null(strstr(catrig_json(catalog, MCPHOST_SHAPE_MCP, "s"), "\"a\""));
    mcphost_catalog_unref(other);
}
END_TEST

START_TEST(an_unknown_toolset_or_shape_is_refused)
{
    mcphost_error *err = NULL;
    const char *json = "untouched";
    size_t len = 3;

    catalog =
        catrig_catalog(catrig_server_named("s", "a"), catrig_server("new", NULL), NULL);
    ck_assert_int_eq(mcphost_catalog_get_tools_json(catalog, 0, "new", &json, &len, &err),
                     MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(mcphost_error_get_message(err), "there is no toolset 'new'");
    mcphost_error_unref(err);
    ck_assert_int_eq(
        mcphost_catalog_get_tools_json(catalog, MCPH_N_SHAPES, NULL, &json, &len, NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_catalog_get_tools_json(catalog, -1, NULL, &json, &len, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_catalog_get_tools_json(catalog, 0, NULL, NULL, &len, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(json, "untouched");
    ck_assert_uint_eq(len, 3);
}
END_TEST

/* ---- threads ----------------------------------------------------------------------- */

#define THREADS 4

static pthread_barrier_t gate;

static void *
ask(void *arg)
{
    const char **seen = arg;
    size_t len;

    pthread_barrier_wait(&gate);
    for (int shape = 0; shape < MCPH_N_SHAPES; shape++) {
        if (mcphost_catalog_get_tools_json(catalog, shape, NULL, &seen[2 * shape], &len,
                                           NULL) < 0 ||
            mcphost_catalog_get_tools_json(catalog, shape, "s", &seen[2 * shape + 1],
                                           &len, NULL) < 0)
            return NULL;
    }
    return seen;
}

START_TEST(concurrent_threads_get_the_same_list)
{
    const char *seen[THREADS][2 * MCPH_N_SHAPES] = {{0}};
    pthread_t threads[THREADS];
    void *done;

    catalog = catrig_catalog(catrig_builtin("ws", "a"),
                             catrig_server_named("s", "a b c d"), NULL);
    ck_assert_int_eq(pthread_barrier_init(&gate, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask, seen[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &done), 0);
        ck_assert_ptr_nonnull(done);
    }
    for (int i = 1; i < THREADS; i++)
        ck_assert_mem_eq(seen[i], seen[0], sizeof(seen[0]));
    pthread_barrier_destroy(&gate);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "shapes");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, the_mcp_shape_changes_only_the_name);
    tcase_add_test(tc, the_openai_chat_shape_passes_schema_and_description_through);
    tcase_add_test(tc, every_tool_is_listed_as_a_function_whatever_its_definition_says);
    tcase_add_test(tc, the_openai_responses_shape_passes_schema_and_description_through);
    tcase_add_test(tc, the_anthropic_shape_passes_schema_and_description_through);
    tcase_add_test(tc, the_gemini_shape_passes_schema_and_description_through);
    tcase_add_test(tc, every_shape_has_the_bytes_of_the_schema);
    tcase_add_test(tc, the_list_of_a_catalog_joins_the_lists_of_its_toolsets);
    tcase_add_test(tc, toolsets_without_tools_add_nothing_to_the_list);
    tcase_add_test(tc, an_unknown_toolset_or_shape_is_refused);

    tc = test_case(suite, "written once");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_list_is_written_once_and_reused);
    tcase_add_test(tc, the_next_catalog_reuses_the_list_of_an_unchanged_server);
    tcase_add_test(tc, a_list_without_colliding_tools_belongs_to_its_catalog_only);
    tcase_add_test(tc, concurrent_threads_get_the_same_list);
}

int
main(void)
{
    return test_main("catalog-lists", add);
}
