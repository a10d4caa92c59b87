/* SPDX-License-Identifier: MIT
 *
 * test_schema_refs.c - finding the targets of references without fetching a document.
 */
#include <stdio.h>
#include <string.h>

#include "support/runner.h"
#include "support/schemarig.h"

#define VALID   MCPHOST_SCHEMA_VALID
#define INVALID MCPHOST_SCHEMA_INVALID

START_TEST(references_within_the_schema_find_their_targets) /* R51 */
{
    static const char text[] = "{'$defs':{'n':{'$anchor':'num','type':'number'},"
                               "'a~b/c%':{'type':'string'}},'properties':{"
                               "'p':{'$ref':'#/$defs/n'},'a':{'$ref':'#num'},"
                               "'e':{'$ref':'#/$defs/a~0b~1c%25'},"
                               "'d':{'$ref':'#/properties/a/not-a-keyword'},"
                               "'r':{'$ref':'#'}}}";
    mcphost_schema *schema;
    const char *why;

    ck_assert_int_eq(sch_broken(text, &why), MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(why, "schema at '#/properties/d/$ref': "
                          "'#/properties/a/not-a-keyword' does not lead to a schema");
    schema = sch_new("{'$defs':{'n':{'$anchor':'num','type':'number'},"
                     "'a~b/c%':{'type':'string'}},'properties':{"
                     "'p':{'$ref':'#/$defs/n'},'a':{'$ref':'#num'},"
                     "'e':{'$ref':'#/$defs/a~0b~1c%25'},'r':{'$ref':'#'}}}");
    ck_assert_int_eq(sch_verdict(schema, "{'p':1,'a':2,'e':'x','r':{'r':{'p':3}}}"),
                     VALID);
    ck_assert_int_eq(sch_verdict(schema, "{'r':{'r':{'p':''}}}"), INVALID);
    ck_assert_int_eq(sch_verdict(schema, "{'a':''}"), INVALID);
    ck_assert_int_eq(sch_verdict(schema, "{'e':1}"), INVALID);
    mcphost_schema_unref(schema);
}
END_TEST

START_TEST(references_to_other_documents_are_refused_and_not_fetched)
{
    static const char *const uris[] = {
        "file:///etc/passwd",
        "http://127.0.0.1:1/x",
        "https://example.com/a#/b",
        "ftp://example.com/",
        "//example.com/schema",
        "other.json",
        "/etc/passwd",
        "urn:x:y",
        "json-schema:none",
    };
    char text[256];
    const char *why;

    for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++) {
        snprintf(text, sizeof(text), "{'properties':{'a':{'$ref':'%s'}}}", uris[i]);
        ck_assert_int_eq(sch_broken(text, &why), MCPHOST_E_NOTFOUND);
        ck_assert_ptr_nonnull(strstr(why, "#/properties/a/$ref"));
        ck_assert_ptr_nonnull(strstr(why, "and schemas are not fetched"));
    }
    ck_assert_int_eq(sch_broken("{'$schema':'http://example.com/my-draft'}", NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

START_TEST(the_meta_schemas_are_built_in)
{
    static const char *const drafts[] = {
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    };
    mcphost_schema *schema;
    char text[256];

    for (size_t i = 0; i < sizeof(drafts) / sizeof(drafts[0]); i++) {
        snprintf(text, sizeof(text), "{'$schema':'%s','$ref':'%s'}", drafts[i],
                 drafts[i]);
        schema = sch_new(text);
        ck_assert_int_eq(sch_verdict(schema, "{'properties':{'a':{'type':'string',"
                                             "'minLength':2}},'required':['a']}"),
                         VALID);
        ck_assert_int_eq(sch_verdict(schema, "{'properties':{'a':{'minLength':-1}}}"),
                         INVALID);
        ck_assert_int_eq(sch_verdict(schema, "{'allOf':[{'items':{'type':'strong'}}]}"),
                         INVALID);
        ck_assert_int_eq(sch_verdict(schema, "{'required':5}"), INVALID);
        mcphost_schema_unref(schema);
    }
}
END_TEST

START_TEST(the_outermost_dynamic_anchor_wins) /* R51 */
{
    mcphost_schema *schema = sch_new(
        "{'$id':'http://x/strict','$ref':'tree','$dynamicAnchor':'node',"
        "'unevaluatedProperties':false,'$defs':{'tree':{'$id':'tree','$dynamicAnchor':"
        "'node','type':'object','properties':{'data':true,'children':{'items':{"
        "'$dynamicRef':'#node'}}}}}}");

    ck_assert_int_eq(sch_verdict(schema, "{'children':[{'data':1}]}"), VALID);
    ck_assert_int_eq(sch_verdict(schema, "{'children':[{'daat':1}]}"), INVALID);
    mcphost_schema_unref(schema);
}
END_TEST

/* ---- documents --------------------------------------------------------------------- */

struct world {
    int asked, freed, fail;
    char last[128];
};

static int
give(mcphost_schema *schema, const char *uri, void *arg)
{
    static const char text[] = "{\"$id\":\"http://x/real\",\"$defs\":{\"s\":{\"$anchor\":"
                               "\"str\",\"type\":\"string\"}},\"items\":{\"$ref\":"
                               "\"more.json#/items\"}}";
    static const char more[] = "{\"items\":{\"type\":\"integer\"}}";
    struct world *world = arg;

    world->asked++;
    snprintf(world->last, sizeof(world->last), "%s", uri);
    if (world->fail)
        return -1;
    if (strcmp(uri, "http://x/first") == 0)
        return mcphost_schema_add_document(schema, uri, text, strlen(text), NULL);
    if (strcmp(uri, "http://x/more.json") == 0)
        return mcphost_schema_add_document(schema, uri, more, strlen(more), NULL);
    return 0; /* adds no document */
}

static void
forget(void *arg)
{
    ((struct world *)arg)->freed++;
}

static int
compile(mcphost_schema *schema, const char *text, mcphost_error **reterr)
{
    const char *json = sch_quoted(text);

    return mcphost_schema_compile(schema, json, strlen(json), reterr);
}

START_TEST(a_function_may_supply_documents)
{
    struct world world = {0};
    mcphost_schema *schema;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_documents(schema, give, &world, forget), 0);
    ck_assert_int_eq(
        compile(schema,
                "{'$id':'http://x/me','properties':{'a':{'$ref':'first#str'},"
                "'b':{'$ref':'real#/$defs/s'},'c':{'$ref':'first'}}}",
                NULL),
        0);
    ck_assert_int_eq(world.asked, 2);
    ck_assert_int_eq(world.freed, 1);
    ck_assert_int_eq(sch_verdict(schema, "{'a':'','b':'','c':[1]}"), VALID);
    ck_assert_int_eq(sch_verdict(schema, "{'a':1}"), INVALID);
    ck_assert_int_eq(sch_verdict(schema, "{'b':1}"), INVALID);
    ck_assert_int_eq(sch_verdict(schema, "{'c':['']}"), INVALID);
    ck_assert_int_eq(world.asked, 2);
    mcphost_schema_unref(schema);
    ck_assert_int_eq(world.freed, 1);
}
END_TEST

START_TEST(a_place_in_an_embedded_resource_is_named_from_the_documents_root)
{
    static const char text[] =
        "{'$defs':{'e':{'$id':'http://x/e','held':{'deep':{'not':{'minLength':-1}}}}},"
        "'$ref':'http://x/e#/held/deep'}";
    const char *why;

    ck_assert_int_eq(sch_broken(text, &why), MCPHOST_E_INVALID);
    test_has(why, "schema at '#/$defs/e/held/deep/not/minLength': expected an integer");
    ck_assert_int_eq(sch_broken("{'held':{'minLength':-1},'$ref':'#/held'}", &why),
                     MCPHOST_E_INVALID);
    test_has(why, "schema at '#/held/minLength': ");
}
END_TEST

START_TEST(a_document_that_is_not_supplied_fails_the_compilation)
{
    struct world world = {.fail = 1};
    mcphost_schema *schema;
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_documents(schema, give, &world, forget), 0);
    ck_assert_int_eq(compile(schema, "{'$ref':'http://x/first#str'}", &err),
                     MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(world.last, "http://x/first");
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "schema at '#/$ref': the schema 'http://x/first' is not known, and "
                     "schemas are not fetched");
    mcphost_error_unref(err);
    ck_assert_int_eq(world.freed, 1);
    ck_assert_int_eq(mcphost_schema_set_documents(schema, give, &world, forget),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(world.freed, 2);
    ck_assert_int_eq(mcphost_schema_set_documents(NULL, give, &world, forget),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(world.freed, 3);
    mcphost_schema_unref(schema);
}
END_TEST

START_TEST(documents_are_added_once_under_an_absolute_uri)
{
    mcphost_schema *schema;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_add_document(schema, "a.json", "{}", 2, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_add_document(schema, "http://x/#a", "{}", 2, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_add_document(schema, "http://x/", "{", 1, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_add_document(NULL, "http://x/", "{}", 2, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_add_document(schema, "http://x/", "false", 5, NULL),
                     0);
    ck_assert_int_eq(mcphost_schema_add_document(schema, "http://x/#", "{}", 2, NULL),
                     MCPHOST_E_EXISTS);
    ck_assert_int_eq(compile(schema, "{'properties':{'a':{'$ref':'http://x/'}}}", NULL),
                     0);
    ck_assert_int_eq(sch_verdict(schema, "{'a':1}"), INVALID);
    ck_assert_int_eq(mcphost_schema_add_document(schema, "http://y/", "{}", 2, NULL),
                     MCPHOST_E_STATE);
    mcphost_schema_unref(schema);
}
END_TEST

START_TEST(ids_and_anchors_that_exist_already_are_refused)
{
    ck_assert_int_eq(sch_broken("{'$defs':{'a':{'$id':'http://x/'},"
                                "'b':{'$id':'http://x/'}}}",
                                NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(
        sch_broken("{'$defs':{'a':{'$anchor':'x'},'b':{'$anchor':'x'}}}", NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(sch_broken("{'$id':'http://x/#part'}", NULL), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(a_required_vocabulary_that_is_unknown_is_refused)
{
    static const char *const metas[] = {
        "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{"
        "\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
        "\"http://x/vocab\":true}}",
        "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{"
        "\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
        "\"http://x/vocab\":false}}",
    };
    mcphost_schema *schema;
    int r;

    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mcphost_schema_new(&schema), 0);
        ck_assert_int_eq(mcphost_schema_add_document(schema, "http://x/meta", metas[i],
                                                     strlen(metas[i]), NULL),
                         0);
        r = compile(schema, "{'$schema':'http://x/meta','type':'string'}", NULL);
        ck_assert_int_eq(r, i == 0 ? MCPHOST_E_INVALID : 0);
        /* Without the vocabulary for validation, `type` has no effect. */
        if (i == 1)
            ck_assert_int_eq(sch_verdict(schema, "5"), VALID);
        mcphost_schema_unref(schema);
    }
}
END_TEST

START_TEST(circular_meta_schemas_are_refused)
{
    mcphost_schema *schema;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_add_document(
                         schema, "http://x/a", "{\"$schema\":\"http://x/a\"}", 24, NULL),
                     0);
    ck_assert_int_eq(compile(schema, "{'$schema':'http://x/a'}", NULL),
                     MCPHOST_E_INVALID);
    mcphost_schema_unref(schema);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "refs");

    tcase_add_test(tc, references_within_the_schema_find_their_targets);
    tcase_add_test(tc, references_to_other_documents_are_refused_and_not_fetched);
    tcase_add_test(tc, the_meta_schemas_are_built_in);
    tcase_add_test(tc, the_outermost_dynamic_anchor_wins);
    tcase_add_test(tc, a_function_may_supply_documents);
    tcase_add_test(tc, a_place_in_an_embedded_resource_is_named_from_the_documents_root);
    tcase_add_test(tc, a_document_that_is_not_supplied_fails_the_compilation);
    tcase_add_test(tc, documents_are_added_once_under_an_absolute_uri);
    tcase_add_test(tc, ids_and_anchors_that_exist_already_are_refused);
    tcase_add_test(tc, a_required_vocabulary_that_is_unknown_is_refused);
    tcase_add_test(tc, circular_meta_schemas_are_refused);
}

int
main(void)
{
    return test_main("schema-refs", add);
}
