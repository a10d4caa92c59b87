/* SPDX-License-Identifier: MIT
 *
 * test_hostile_schemas.c - tools with harmful schemas.
 *
 * Checks of arguments and projections must end soon and fetch nothing.  A harmful schema
 * must not affect other tools.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mcphost/mcphost.h>

#include "client/client.h"
#include "support/catalog.h"
#include "support/providers.h"
#include "support/runner.h"

#define INVALID MCPHOST_SCHEMA_INVALID
#define VALID   MCPHOST_SCHEMA_VALID
/* The outcomes of a check of arguments. */
enum { PASSES, FAILS, GIVEN_UP, NO_SCHEMA };

static const struct {
    const char *schema; /* the schema, or a name that add_schema() knows */
    const char *value;
    int end;
} hostile[] = {
    /* circular references */
    {"{\"$ref\":\"#\"}", "{}", GIVEN_UP},
    {"{\"properties\":{\"a\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{\"$ref\":"
     "\"#/$defs/b\"},\"b\":{\"allOf\":[{\"$ref\":\"#/$defs/a\"}]}}}",
     "{\"a\":1}", GIVEN_UP},
    {"{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
     "{\"a\":{\"a\":{\"b\":1}}}", FAILS},
    /* In "allOf", "anyOf" and "oneOf", each level refers twice to the next level.  "deep"
     * nests 400 levels. */
    {"allOf", "{\"a\":\"x\"}", GIVEN_UP},
    {"anyOf", "{\"a\":5}", GIVEN_UP},
    {"oneOf", "{\"a\":5}", GIVEN_UP},
    {"deep", "{\"a\":[[[[5]]]]}", PASSES},
    /* patterns whose matching takes exponential time */
    {"{\"properties\":{\"a\":{\"pattern\":\"^(a+)+$\"}}}",
     "{\"a\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"}", GIVEN_UP},
    {"{\"patternProperties\":{\"^(a|a)*$\":{}}}",
     "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\":1}", GIVEN_UP},
    /* references to files and URLs */
    {"{\"properties\":{\"a\":{\"$ref\":\"file:///etc/passwd\"}}}", "{\"a\":1}",
     NO_SCHEMA},
    {"{\"properties\":{\"a\":{\"$ref\":\"http://127.0.0.1:1/x#/a\"}}}", "{\"a\":1}",
     NO_SCHEMA},
    {"{\"$id\":\"http://127.0.0.1:1/\",\"properties\":{\"a\":{\"$ref\":\"x.json\"}}}",
     "{\"a\":1}", NO_SCHEMA},
    {"{\"$schema\":\"http://127.0.0.1:1/schema\",\"type\":\"object\"}", "{}", NO_SCHEMA},
    {"{\"properties\":{\"a\":{\"$dynamicRef\":\"https://127.0.0.1:1/#a\"}}}", "{\"a\":1}",
     NO_SCHEMA},
    /* names that occur twice in an object */
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"type\":"
     "\"number\"}}}",
     "{\"a\":1}", NO_SCHEMA},
    {"{\"properties\":{\"a\":{},\"\\u0061\":{}}}", "{\"a\":1}", NO_SCHEMA},
    /* very large and very small numbers */
    {"{\"properties\":{\"a\":{\"maximum\":18446744073709551616}}}",
     "{\"a\":18446744073709551617}", FAILS},
    {"{\"properties\":{\"a\":{\"maximum\":1e400}}}", "{\"a\":9e399}", PASSES},
    {"{\"properties\":{\"a\":{\"multipleOf\":1e-400}}}", "{\"a\":3}", PASSES},
    {"{\"properties\":{\"a\":{\"maximum\":1e999999999999999999999}}}", "{\"a\":3}",
     PASSES},
    {"{\"properties\":{\"a\":{\"minLength\":1e30}}}", "{\"a\":\"x\"}", FAILS},
    {"{\"properties\":{\"a\":{\"multipleOf\":3e-300}}}", "{\"a\":1e300}", FAILS},
    {"{\"properties\":{\"a\":{\"maxItems\":1e999999999}}}", "{\"a\":[]}", PASSES},
};

static mcphost_catalog *catalog;

static void
add_doubling(struct mcph_buf *out, const char *keyword)
{
    mcph_buf_adds(out, "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/0\"}},\"$defs\":{");
    for (int i = 0; i < 60; i++)
        mcph_buf_addf(
            out, "\"%d\":{\"%s\":[{\"$ref\":\"#/$defs/%d\"},{\"$ref\":\"#/$defs/%d\"}]},",
            i, keyword, i + 1, i + 1);
    mcph_buf_adds(out, "\"60\":{\"type\":\"string\"}}}");
}

static void
add_schema(struct mcph_buf *out, const char *schema)
{
    if (*schema == '{') {
        mcph_buf_adds(out, schema);
    } else if (strcmp(schema, "deep") != 0) {
        add_doubling(out, schema);
    } else {
        mcph_buf_adds(out, "{\"properties\":{\"a\":");
        for (int i = 0; i < 400; i++)
            mcph_buf_adds(out, "{\"items\":");
        mcph_buf_adds(out, "{}");
        for (int i = 0; i < 400; i++)
            mcph_buf_addc(out, '}');
        mcph_buf_adds(out, "}}");
    }
}

/* Makes a catalog with one tool for each schema and one harmless tool. */
static void
up(void)
{
    struct mcph_buf tools;

    mcph_buf_init(&tools, 1 << 20);
    mcph_buf_addc(&tools, '[');
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(hostile); i++) {
        mcph_buf_addf(&tools, "{\"name\":\"t%zu\",\"inputSchema\":", i);
        add_schema(&tools, hostile[i].schema);
        mcph_buf_adds(&tools, "},");
    }
    mcph_buf_adds(&tools, "{\"name\":\"plain\",\"inputSchema\":{\"type\":\"object\"}}]");
    mcph_buf_add(&tools, "", 1);
    ck_assert_int_eq(mcph_buf_ok(&tools), 0);
    catalog = catrig_catalog(catrig_server("s", tools.data), NULL);
    mcph_buf_done(&tools);
    ck_assert_uint_eq(mcphost_catalog_count_tools(catalog), MCPH_ARRAY_SIZE(hostile) + 1);
}

static void
down(void)
{
    catalog = mcphost_catalog_unref(catalog);
}

/* Returns the processor time of this thread in microseconds.  Real time would depend on
 * the load of the machine. */
static int64_t
cpu_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int64_t
cpu_ms(void)
{
    return cpu_us() / 1000;
}

/* R51, R54 */
START_TEST(a_hostile_schema_is_refused_or_its_check_ends_within_2_seconds)
{
    const char *schema_text = hostile[_i].schema, *value = hostile[_i].value;
    int64_t start = cpu_ms();
    mcphost_schema *schema = NULL;
    mcphost_error *error = NULL;
    int r, end;

    r = mcph_tool_schema(mcphost_catalog_get_tool(catalog, (size_t)_i), MCPH_TOOL_INPUT,
                         200000, &schema, &error);
    if (r < 0) {
        ck_assert_int_eq(r, MCPHOST_E_INVALID);
        ck_assert_ptr_nonnull(error);
        end = NO_SCHEMA;
    } else {
        r = mcphost_schema_validate(schema, value, strlen(value), 0, NULL, &error);
        end = r == VALID ? PASSES : r == INVALID ? FAILS : GIVEN_UP;
        ck_assert(r >= 0 || r == MCPHOST_E_LIMIT || r == MCPHOST_E_TIMEOUT);
    }
    ck_assert_msg(end == hostile[_i].end, "%s: %d, %s", schema_text, r,
                  error ? mcphost_error_get_message(error) : "no error");
    ck_assert_int_lt(cpu_ms() - start, 2000);
    mcphost_error_unref(error);
}
END_TEST

/* R55, R59 */
START_TEST(projections_of_hostile_schemas_are_small_and_providers_accept_them)
{
    int profile = MCPHOST_PROFILE_OPENAI + _i;
    mcphost_projection *projection = NULL;
    int64_t start = cpu_ms();
    json_t *list, *tool;
    const char *json;
    size_t i, len;

    ck_assert_int_eq(mcphost_projection_new(catalog, provider_shape(profile), profile, 0,
                                            &projection, NULL),
                     0);
    ck_assert_int_lt(cpu_ms() - start, 2000);
    json = mcphost_projection_get_json(projection, &len);
    ck_assert_uint_lt(len, 1 << 20);
    ck_assert_ptr_nonnull(mcphost_projection_find_tool(projection, "plain"));
    ck_assert_ptr_null(strstr(json, "\"$ref\""));
    /* Search the text for the number, because Jansson reads an integer of this size as a
     * double, and neighbouring integers give the same double. */
    ck_assert_ptr_nonnull(strstr(json, "18446744073709551616"));
    list = json_loads(json, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    ck_assert_uint_gt(json_array_size(list), 0);
    json_array_foreach(list, i, tool) provider_takes(profile, provrig_function(tool));
    json_decref(list);
    mcphost_projection_unref(projection);
}
END_TEST

/* ---- annotations ------------------------------------------------------------------- */

/* Measures five times how long mcph_client_check_headers() takes for a schema that has a
 * text of 2 MiB inside `n_brackets` nested arrays.  Returns the least processor time in
 * microseconds. */
static int64_t
cost_below(int n_brackets)
{
    struct mcph_buf buf;
    int64_t least = INT64_MAX;

    mcph_buf_init(&buf, 4u << 20);
    mcph_buf_adds(&buf, "{\"$comment\":\"x-mcp-header\",\"not\":");
    for (int i = 0; i < n_brackets; i++)
        mcph_buf_adds(&buf, "[");
    mcph_buf_adds(&buf, "\"");
    for (size_t i = 0; i < 2u << 20; i++)
        mcph_buf_addc(&buf, 'x');
    mcph_buf_adds(&buf, "\"");
    for (int i = 0; i < n_brackets; i++)
        mcph_buf_adds(&buf, "]");
    mcph_buf_adds(&buf, "}");
    ck_assert_int_eq(mcph_buf_ok(&buf), 0);
    for (int i = 0; i < 5; i++) {
        int64_t before = cpu_us(), took;

        ck_assert_ptr_null(
            mcph_client_check_headers((struct mcph_span){buf.data, buf.len}));
        took = cpu_us() - before;
        least = took < least ? took : least;
    }
    mcph_buf_done(&buf);
    return least;
}

/* R21 */
START_TEST(the_time_to_search_annotations_does_not_grow_with_depth)
{
    int64_t flat = cost_below(1), deep = cost_below(60);

    ck_assert_msg(deep < 10 * (flat + 50), "%lld us, and %lld us below 60 brackets",
                  (long long)flat, (long long)deep);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "hostile");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc,
                        a_hostile_schema_is_refused_or_its_check_ends_within_2_seconds, 0,
                        (int)MCPH_ARRAY_SIZE(hostile));
    tcase_add_loop_test(
        tc, projections_of_hostile_schemas_are_small_and_providers_accept_them, 0,
        provider_profiles() - 1);
    tcase_add_test(tc, the_time_to_search_annotations_does_not_grow_with_depth);
}

int
main(void)
{
    return test_main("hostile-schemas", add);
}
