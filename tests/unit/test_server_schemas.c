/* SPDX-License-Identifier: MIT
 *
 * test_server_schemas.c - compiling, checking and projecting the tool schemas of real
 * servers.
 *
 * Each schema must compile without other documents.  It must accept a value that fits and
 * refuse values that do not fit.  Every provider must accept the schema after projection.
 *
 * The corpus is tests/interop/schemas/corpus.  The variable MCPHOST_TEST_SCHEMAS names
 * another directory: `make check-schemas` sets the variable to the schemas that the
 * servers publish today.  The variable MCPHOST_TEST_VERDICTS names a file to write.  The
 * file gets each instance with its verdict, one JSON object a line, for a comparison with
 * another validator.
 */
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "support/catalog.h"
#include "support/providers.h"
#include "support/runner.h"

#define SERVERS_MAX 100
#define DEPTH       24

static char *servers[SERVERS_MAX];
static int n_servers;
static json_t *corpus; /* the tools of one server */
static const char *where;
static FILE *verdicts;
static int n_schemas, n_instances, n_fetched;

/* ---- the corpus -------------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *
directory(void)
{
    static char path[4096];
    const char *other = secure_getenv("MCPHOST_TEST_SCHEMAS");

    snprintf(path, sizeof(path), "%s%s", other ? other : test_srcdir(),
             other ? "" : "/tests/interop/schemas/corpus");
    return path;
}

static void
find_servers(void)
{
    DIR *stream = opendir(directory());

    for (struct dirent *entry = stream ? readdir(stream) : NULL; entry;
         entry = readdir(stream))
        if (strstr(entry->d_name, ".json") && n_servers < SERVERS_MAX)
            servers[n_servers++] = strdup(entry->d_name);
    if (stream)
        closedir(stream);
    qsort(servers, (size_t)n_servers, sizeof(servers[0]), by_name);
}

static void
take_schema(int i)
{
    char path[4400];
    json_error_t error;
    const char *out = secure_getenv("MCPHOST_TEST_VERDICTS");

    snprintf(path, sizeof(path), "%s/%s", directory(), servers[i]);
    corpus = json_load_file(path, JSON_ALLOW_NUL, &error);
    ck_assert_msg(corpus != NULL, "%s: %s", path, error.text);
    verdicts = out ? fopen(out, "ae") : NULL;
    n_schemas = n_instances = n_fetched = 0;
}

static void
down(void)
{
    json_decref(corpus);
    corpus = NULL;
    if (verdicts)
        fclose(verdicts);
    verdicts = NULL;
}

/* ---- an instance made from a schema ------------------------------------------------ */

static json_t *make(json_t *root, json_t *schema, int depth);

static int
fetch(mcphost_schema *schema, const char *uri, void *arg)
{
    (void)schema;
    (void)uri;
    (void)arg;
    n_fetched++;
    return -1;
}

static mcphost_schema *
compile(json_t *schema)
{
    char *text = json_dumps(schema, JSON_ENCODE_ANY);
    mcphost_schema *compiled = NULL;
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcphost_schema_new(&compiled), 0);
    ck_assert_int_eq(mcphost_schema_set_documents(compiled, fetch, NULL, NULL), 0);
    ck_assert_msg(mcphost_schema_compile(compiled, text, strlen(text), &err) == 0,
                  "%s: %s: %s", where, err ? mcphost_error_get_message(err) : "", text);
    free(text);
    return compiled;
}

static bool
fits(mcphost_schema *schema, json_t *value, char why[400])
{
    mcphost_schema_report *report = NULL;
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    int r = mcphost_schema_validate(schema, text, strlen(text), 0, &report, NULL);

    ck_assert_msg(r == MCPHOST_SCHEMA_VALID || r == MCPHOST_SCHEMA_INVALID, "%s: %s: %s",
                  where, mcphost_strerror(r), text);
    if (why)
        snprintf(why, 400, "%.300s in %.80s", mcphost_schema_report_get_text(report),
                 text);
    mcphost_schema_report_unref(report);
    free(text);
    return r == MCPHOST_SCHEMA_VALID;
}

/* Returns the target of a reference like "#/$defs/a" within the schema, or NULL if the
 * reference leads elsewhere. */
static json_t *
follow(json_t *root, const char *ref)
{
    char part[200];

    if (*ref++ != '#')
        return NULL;
    while (root && *ref == '/') {
        size_t n = strcspn(++ref, "/");

        snprintf(part, sizeof(part), "%.*s", (int)n, ref);
        root = json_is_array(root) ? json_array_get(root, (size_t)strtoul(part, NULL, 10))
                                   : json_object_get(root, part);
        ref += n;
    }
    return root;
}

/* Returns a copy of `schema` without `keyword`, merged with `other`, the schema to which
 * `keyword` led. */
static json_t *
laid_over(json_t *schema, json_t *other, const char *keyword)
{
    json_t *both = json_copy(schema), *properties, *required, *one;
    size_t i;

    json_object_del(both, keyword);
    properties = json_copy(json_object_get(both, "properties"));
    required = json_copy(json_object_get(both, "required"));
    if (json_is_object(other))
        json_object_update(both, other);
    if (properties) {
        json_object_update_missing(properties, json_object_get(both, "properties"));
        json_object_set_new(both, "properties", properties);
    }
    if (required) {
        json_array_foreach(json_object_get(both, "required"), i, one)
            json_array_append(required, one);
        json_object_set_new(both, "required", required);
    }
    return both;
}

static json_t *
made_of(json_t *root, json_t *schema, json_t *other, const char *keyword, int depth)
{
    json_t *both = laid_over(schema, other, keyword),
           *value = make(root, both, depth + 1);

    json_decref(both);
    return value;
}

static json_t *
make_object(json_t *root, json_t *schema, int depth)
{
    json_t *properties = json_object_get(schema, "properties"), *name,
           *rest = json_object_get(schema, "additionalProperties"),
           *value = json_object();
    size_t i;

    json_array_foreach(json_object_get(schema, "required"), i, name)
    {
        json_t *of = json_object_get(properties, json_string_value(name));

        json_object_set_new(value, json_string_value(name),
                            make(root, of ? of : rest, depth + 1));
    }
    return value;
}

static json_t *
make_array(json_t *root, json_t *schema, int depth)
{
    json_t *first = json_object_get(schema, "prefixItems"),
           *items = json_object_get(schema, "items"), *value = json_array();
    json_int_t n = json_integer_value(json_object_get(schema, "minItems"));

    for (json_int_t i = 0; i < n; i++) {
        json_t *of = json_array_get(json_is_array(items) ? items : first, (size_t)i);

        json_array_append_new(value, make(root,
                                          of                      ? of
                                          : json_is_object(items) ? items
                                                                  : NULL,
                                          depth + 1));
    }
    return value;
}

static json_t *
make_string(json_t *schema)
{
    static const char *const tries[] = {"a",
                                        "1",
                                        "0",
                                        "#000000",
                                        "2026-01-31",
                                        "2026-01-31T12:00:00Z",
                                        "12:00:00",
                                        "00000000-0000-4000-8000-000000000000",
                                        "https://example.com/a",
                                        "a@example.com",
                                        "example.com",
                                        "10.0.0.1",
                                        "::1",
                                        "aaaaaaaaaaaaaaaa",
                                        "00000000000000000000000000000000",
                                        "A1",
                                        "en-US",
                                        "/a",
                                        "a.b",
                                        "@a/b"};
    json_int_t min = json_integer_value(json_object_get(schema, "minLength"));
    json_t *only = json_pack("{s:O*,s:O*,s:O*}", "pattern",
                             json_object_get(schema, "pattern"), "minLength",
                             json_object_get(schema, "minLength"), "maxLength",
                             json_object_get(schema, "maxLength")),
           *value = NULL;
    mcphost_schema *compiled = compile(only);

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tries) && !value; i++) {
        value = json_string(tries[i]);
        if (!fits(compiled, value, NULL)) {
            json_decref(value);
            value = NULL;
        }
    }
    if (!value && min > 0 && min < 10000) {
        char *text = calloc(1, (size_t)min + 1);

        memset(text, 'a', (size_t)min);
        value = json_string(text);
        free(text);
    }
    mcphost_schema_unref(compiled);
    json_decref(only);
    return value ? value : json_string("a");
}

static json_t *
make_number(json_t *schema)
{
    json_t *min = json_object_get(schema, "minimum"),
           *over = json_object_get(schema, "exclusiveMinimum"),
           *max = json_object_get(schema, "maximum");
    double value = json_is_number(min) ? json_number_value(min) : 0;

    if (json_is_number(over) && json_number_value(over) >= value)
        value = json_number_value(over) + 1;
    if (json_is_number(max) && json_number_value(max) < value)
        value = json_number_value(max);
    return value == (double)(json_int_t)value ? json_integer((json_int_t)value)
                                              : json_real(value);
}

static const char *
type_of(json_t *schema)
{
    json_t *type = json_object_get(schema, "type"), *one;
    size_t i;

    if (json_is_string(type))
        return json_string_value(type);
    json_array_foreach(type, i, one) if (strcmp(json_string_value(one), "null") !=
                                         0) return json_string_value(one);
    if (json_is_array(type))
        return "null";
    if (json_object_get(schema, "properties") || json_object_get(schema, "required"))
        return "object";
    if (json_object_get(schema, "items"))
        return "array";
    return json_object_get(schema, "minimum") ? "number" : "string";
}

/* Makes a small value that fits the schema.  The rules are simple and do not succeed for
 * every schema. */
static json_t *
make(json_t *root, json_t *schema, int depth)
{
    json_t *of = json_object_get(schema, "$ref");
    const char *type;

    if (!json_is_object(schema) || depth > DEPTH)
        return json_string("a");
    if (of)
        return made_of(root, schema, follow(root, json_string_value(of)), "$ref", depth);
    if ((of = json_object_get(schema, "const")) != NULL)
        return json_deep_copy(of);
    if (json_array_size(json_object_get(schema, "enum")) > 0)
        return json_deep_copy(json_array_get(json_object_get(schema, "enum"), 0));
    if (json_array_size(json_object_get(schema, "allOf")) > 0) {
        of = json_deep_copy(json_object_get(schema, "allOf"));
        json_t *first = json_incref(json_array_get(of, 0)), *rest = json_copy(schema);

        json_array_remove(of, 0);
        if (json_array_size(of))
            json_object_set(rest, "allOf", of);
        else
            json_object_del(rest, "allOf");
        json_t *value = made_of(root, rest, first, "-", depth);

        json_decref(of);
        json_decref(first);
        json_decref(rest);
        return value;
    }
    if ((of = json_array_get(json_object_get(schema, "anyOf"), 0)) != NULL)
        return made_of(root, schema, of, "anyOf", depth);
    if ((of = json_array_get(json_object_get(schema, "oneOf"), 0)) != NULL)
        return made_of(root, schema, of, "oneOf", depth);
    type = type_of(schema);
    if (strcmp(type, "object") == 0)
        return make_object(root, schema, depth);
    if (strcmp(type, "array") == 0)
        return make_array(root, schema, depth);
    if (strcmp(type, "string") == 0)
        return make_string(schema);
    if (strcmp(type, "boolean") == 0)
        return json_true();
    return strcmp(type, "null") == 0 ? json_null() : make_number(schema);
}

/* ---- values that fit and values that do not ---------------------------------------- */

static void
expect(mcphost_schema *schema, json_t *tool, const char *which, json_t *value, bool valid)
{
    char why[400] = "";
    json_t *line;

    ck_assert_msg(fits(schema, value, why) == valid, "%s %s: %s", where, which,
                  valid ? why : "what does not fit is taken");
    n_instances++;
    if (!verdicts)
        return;
    line = json_pack("{s:O,s:O,s:s,s:O,s:b}", "server", json_object_get(corpus, "server"),
                     "tool", json_object_get(tool, "name"), "schema", which, "instance",
                     value, "valid", valid);
    ck_assert_int_eq(json_dumpf(line, verdicts, JSON_COMPACT), 0);
    fputc('\n', verdicts);
    json_decref(line);
}

/* Checks that the schema refuses changed copies of `value`: copies without a required
 * member, copies whose member has a wrong type, and, if additional members are forbidden,
 * a copy with an additional member.  Returns the number of refusals. */
static int
expect_refusals(mcphost_schema *compiled, json_t *tool, const char *which, json_t *schema,
                json_t *value)
{
    json_t *name, *other, *of, *properties = json_object_get(schema, "properties");
    const char *key;
    int n = 0;
    size_t i;

    json_array_foreach(json_object_get(schema, "required"), i, name)
    {
        other = json_copy(value);
        json_object_del(other, json_string_value(name));
        expect(compiled, tool, which, other, false);
        json_decref(other);
        n++;
    }
    json_object_foreach(properties, key, of)
    {
        const char *type = json_string_value(json_object_get(of, "type"));

        if (!type)
            continue;
        other = json_copy(value);
        json_object_set_new(
            other, key, strcmp(type, "boolean") == 0 ? json_string("x") : json_true());
        expect(compiled, tool, which, other, false);
        json_decref(other);
        n++;
    }
    if (json_is_false(json_object_get(schema, "additionalProperties"))) {
        other = json_copy(value);
        json_object_set_new(other, "no such parameter", json_true());
        expect(compiled, tool, which, other, false);
        json_decref(other);
        n++;
    }
    return n;
}

static void
try_schema(json_t *tool, const char *which)
{
    json_t *schema = json_object_get(tool, which), *value, *none;
    mcphost_schema *compiled;

    if (!schema)
        return;
    n_schemas++;
    compiled = compile(schema);
    value = make(schema, schema, 0);
    expect(compiled, tool, which, value, true);
    if (strcmp(type_of(schema), "object") == 0) {
        none = json_array();
        expect(compiled, tool, which, none, !json_object_get(schema, "type"));
        json_decref(none);
        expect_refusals(compiled, tool, which, schema, value);
    }
    json_decref(value);
    mcphost_schema_unref(compiled);
}

/* R51, R54: no schema needs another document. */
START_TEST(each_schema_compiles_alone_and_refuses_wrong_values)
{
    char name[300];
    json_t *tool;
    size_t i;

    take_schema(_i);
    json_array_foreach(json_object_get(corpus, "tools"), i, tool)
    {
        snprintf(name, sizeof(name), "%s %s", servers[_i],
                 json_string_value(json_object_get(tool, "name")));
        where = name;
        try_schema(tool, "input");
        try_schema(tool, "output");
    }
    ck_assert_uint_gt(i, 0);
    ck_assert_int_ge(n_instances, 2 * (int)i);
    ck_assert_int_eq(n_fetched, 0);
    if (secure_getenv("MCPHOST_TEST_TABLE"))
        printf("%-46s %-10s %5zu %7d %9d %7d\n",
               json_string_value(json_object_get(corpus, "server")),
               json_string_value(json_object_get(corpus, "version")), i, n_schemas,
               n_instances, n_fetched);
}
END_TEST

/* ---- providers --------------------------------------------------------------------- */

static char *
tools_of(void)
{
    json_t *list = json_array(), *tool;
    char *text;
    size_t i;

    json_array_foreach(json_object_get(corpus, "tools"), i, tool) json_array_append_new(
        list, json_pack("{s:O,s:O}", "name", json_object_get(tool, "name"), "inputSchema",
                        json_object_get(tool, "input")));
    text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

/* R55, R58, R59 */
START_TEST(every_provider_takes_each_projected_tool)
{
    mcphost_projection *projection = NULL;
    mcphost_catalog *catalog;
    char *tools;

    take_schema(_i);
    where = servers[_i];
    tools = tools_of();
    catalog = catrig_catalog(catrig_server("s", tools), NULL);
    ck_assert_uint_eq(mcphost_catalog_count_tools(catalog),
                      json_array_size(json_object_get(corpus, "tools")));
    for (int profile = 1; profile < provider_profiles(); profile++) {
        json_t *list, *tool;
        size_t i;

        ck_assert_int_eq(mcphost_projection_new(catalog, provider_shape(profile), profile,
                                                0, &projection, NULL),
                         0);
        list = json_loads(mcphost_projection_get_json(projection, NULL),
                          JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
        json_array_foreach(list, i, tool) provider_takes(profile, provrig_function(tool));
        /* The projection leaves out no tool for any provider. */
        ck_assert_uint_eq(i, mcphost_catalog_count_tools(catalog));
        json_decref(list);
        projection = mcphost_projection_unref(projection);
    }
    mcphost_catalog_unref(catalog);
    free(tools);
}
END_TEST

START_TEST(the_corpus_has_at_least_23_servers)
{
    ck_assert_int_ge(n_servers, 23);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "servers");

    find_servers();
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_corpus_has_at_least_23_servers);
    tcase_add_loop_test(tc, each_schema_compiles_alone_and_refuses_wrong_values, 0,
                        n_servers);
    tcase_add_loop_test(tc, every_provider_takes_each_projected_tool, 0, n_servers);
}

int
main(void)
{
    return test_main("server-schemas", add);
}
