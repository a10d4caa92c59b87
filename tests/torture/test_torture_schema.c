/* SPDX-License-Identifier: MIT
 *
 * test_torture_schema.c - schemas compiled and values checked while memory runs out.
 *
 * Each function gives the usual result or fails with MCPHOST_E_NOMEM.
 */
#include <string.h>

#include <mcphost/mcphost.h>

#include "torture/torture.h"

static const char text[] =
    "{\"$id\":\"http://x/main\",\"type\":\"object\",\"properties\":{"
    "\"a\\u0062\":{\"type\":\"string\",\"pattern\":\"^a+$\",\"format\":\"regex\"},"
    "\"c\":{\"$ref\":\"other#/$defs/c\"},\"d\":{\"enum\":[1,\"\\u0041\",{\"x\":[]}]},"
    "\"e\":{\"prefixItems\":[{\"const\":1}],\"items\":{\"uniqueItems\":true}},"
    "\"f\":{\"default\":{}},\"g\":{},\"h\":{},\"i\":{},\"j\":{},\"k\":{\"$dynamicRef\":"
    "\"#dyn\"}},\"required\":[\"c\"],\"patternProperties\":{\"^x\":{\"minimum\":1}},"
    "\"$defs\":{\"m\":{\"$dynamicAnchor\":\"dyn\"},\"n\":{\"$anchor\":\"n\"}},"
    "\"dependentRequired\":{\"c\":[\"d\"]},\"dependentSchemas\":{\"c\":{\"$ref\":"
    "\"http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger\"}},"
    "\"anyOf\":[{\"required\":[\"q\"]},{\"maxProperties\":3}],"
    "\"unevaluatedProperties\":false}";
static const char other[] = "{\"$defs\":{\"c\":{\"type\":[\"integer\",\"null\"]}}}";

static int freed;

static int
give(mcphost_schema *schema, const char *uri, void *arg)
{
    int *r = arg;

    *r = mcphost_schema_add_document(schema, uri, other, strlen(other), NULL);
    return *r;
}

static void
forget(void *arg)
{
    (void)arg;
    freed++;
}

static int
make(mcphost_schema **ret_schema)
{
    mcphost_error *err = NULL;
    mcphost_schema *schema = NULL;
    int r, given = 0;

    r = mcphost_schema_new(&schema);
    if (r < 0)
        return r;
    mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_FORMATS, 1);
    freed = 0;
    r = mcphost_schema_set_documents(schema, give, &given, forget);
    torture_must(r == 0);
    r = mcphost_schema_compile(schema, text, strlen(text), &err);
    torture_must((r < 0) == (err != NULL));
    torture_must(r == 0 || mcphost_error_get_code(err) == r);
    torture_must(freed == 1);
    /* Return the code of mcphost_schema_add_document(), because mcphost_schema_compile()
     * returns MCPHOST_E_NOTFOUND if a document could not be added. */
    if (r == MCPHOST_E_NOTFOUND && given == MCPHOST_E_NOMEM)
        r = given;
    mcphost_error_unref(err);
    if (r < 0)
        mcphost_schema_unref(schema);
    else
        *ret_schema = schema;
    return r;
}

static int
compile(void)
{
    mcphost_schema *schema = NULL;
    int r = make(&schema);

    mcphost_schema_unref(schema);
    return r;
}

static mcphost_schema *shared;

static int
check_schema(void)
{
    static const char value[] =
        "{\"ab\":\"b\\n\",\"c\":\"x\",\"e\":[2,[1,2,3,4,5,6,7,8,9,1]],\"x1\":0,"
        "\"zz\":[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]],"
        "\"l\":1,\"m\":2,\"n\":3,\"o\":4,\"p\":5,\"s\":6,\"t\":7,\"u\":8}";
    mcphost_schema_report *report = NULL;
    mcphost_error *err = NULL;
    int r;

    r = mcphost_schema_validate(shared, value, strlen(value), MCPHOST_SCHEMA_DEFAULTS,
                                &report, &err);
    torture_must(r == MCPHOST_SCHEMA_INVALID || r == MCPHOST_E_NOMEM);
    torture_must((r < 0) == (err != NULL) && (r < 0) == (report == NULL));
    if (r == MCPHOST_SCHEMA_INVALID) {
        torture_must(mcphost_schema_report_count_errors(report) == 10);
        torture_must(strstr(mcphost_schema_report_get_instance(report, NULL),
                            ",\"f\":{}") != NULL);
        r = 0;
    }
    mcphost_schema_report_unref(report);
    mcphost_error_unref(err);
    return r;
}

static void
up(void)
{
    ck_assert_int_eq(make(&shared), 0);
}

static void
down(void)
{
    shared = mcphost_schema_unref(shared);
}

START_TEST(a_schema_compiles_or_fails_with_e_nomem)
{
    torture_run(&(struct torture){.run = compile, .least = 40}, FAIL_ONCE);
    torture_run(&(struct torture){.run = compile, .least = 40}, FAIL_FROM_THEN_ON);
}
END_TEST

START_TEST(a_value_is_checked_correctly_or_fails_with_e_nomem)
{
    torture_run(&(struct torture){.run = check_schema, .least = 15}, FAIL_ONCE);
    torture_run(&(struct torture){.run = check_schema, .least = 15}, FAIL_FROM_THEN_ON);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "schema");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_schema_compiles_or_fails_with_e_nomem);
    tcase_add_test(tc, a_value_is_checked_correctly_or_fails_with_e_nomem);
}

int
main(void)
{
    return torture_main("torture-schema", add);
}
