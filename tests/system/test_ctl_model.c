/* SPDX-License-Identifier: MIT
 *
 * test_ctl_model.c - the output of mcphostctl for results, for tools in the forms of
 * model providers, and for schema checks.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_run run;

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

/* Writes a workspace with one server.  The server's tool `x` answers with this result. */
static void
answer(const char *result)
{
    rig_workspace_write(&place.ws, "script", "no-tools\ntool x\non call:x\n result %s\n",
                        result);
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n  s:\n    transport: stdio\n    command: %s\n"
        "    args: ['%s']\n",
        rig_fakeserver(), rig_workspace_path(&place.ws, "script"));
}

/* ---- call -------------------------------------------------------------------------- */

/* R68 R74 */
START_TEST(an_item_other_than_text_is_printed_as_a_line_with_its_size)
{
    answer("{\"content\":["
           "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"iVBORw0KGgo=\"},"
           "{\"type\":\"text\",\"text\":\"between\"},"
           "{\"type\":\"audio\",\"mimeType\":\"audio/wav\","
           "\"data\":\"data:audio/wav;base64,UklG Rg==\"},"
           "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"mimeType\":\"a/b\","
           "\"blob\":\"AAAA\"}},"
           "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:c\",\"text\":\"inside\"}},"
           "{\"type\":\"new\",\"n\":1}]}");
    ctl_run(&run, &place, "call", "x", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "[image image/png, 8 bytes]\nbetween\n"
                              "[audio audio/wav, 4 bytes]\n[resource a/b a:b, 3 bytes]\n"
                              "[resource a:c]\ninside\n[new]\n");
}
END_TEST

START_TEST(structured_content_is_shown_once) /* R72 B.11 */
{
    answer("{\"structuredContent\":{\"a\":1,\"b\":2},\"content\":[{\"type\":\"text\","
           "\"text\":\"{\\\"b\\\": 2, \\\"a\\\": 1}\"}]}");
    ctl_run(&run, &place, "call", "x", NULL);
    ck_assert_str_eq(run.out, "{\"b\": 2, \"a\": 1}\n");
    ctl_run_free(&run);
    answer("{\"structuredContent\":{\"a\":1},\"content\":[{\"type\":\"text\","
           "\"text\":\"one a\"}]}");
    ctl_run(&run, &place, "call", "x", NULL);
    ck_assert_str_eq(run.out, "one a\n{\"a\":1}\n");
    ctl_run_free(&run);
    answer("{\"structuredContent\":[1]}");
    ctl_run(&run, &place, "call", "x", NULL);
    ck_assert_str_eq(run.out, "[1]\n");
}
END_TEST

START_TEST(raw_prints_the_bytes_that_the_server_sent)
{
    answer("{ \"content\" : [ ],\t\"n\":1e400, \"u\":\"\\u0041\" }");
    ctl_run(&run, &place, "call", "--raw", "x", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "{ \"content\" : [ ],\t\"n\":1e400, \"u\":\"\\u0041\" }\n");
}
END_TEST

/* R69 R70 */
START_TEST(a_saved_picture_is_printed_with_its_path_and_size)
{
    const char *dir = rig_workspace_path(&place.ws, "kept"), *at;
    char path[400], line[500];
    struct stat st;

    ctl_run(&run, &place, "call", "desk_picture", "--save", dir, NULL);
    ctl_status_is(&run, 0);
    at = strstr(run.out, dir);
    ck_assert_ptr_nonnull(at);
    snprintf(path, sizeof(path), "%.*s", (int)strcspn(at, "]"), at);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_size, 78);
    snprintf(line, sizeof(line), "[image image/png, 78 bytes: %s]\n", path);
    ck_assert_str_eq(run.out, line);
    test_has(path, "/kept/artifacts/mcp/desk/picture/");
}
END_TEST

START_TEST(with_json_saved_items_are_printed_with_their_paths) /* R70 */
{
    json_t *json, *item, *artifact;

    ctl_run(&run, &place, "--json", "call", "desk_picture", "--save",
            rig_workspace_path(&place.ws, "kept"), NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(json, "dir"), rig_workspace_path(&place.ws, "kept"));
    item = json_array_get(json_object_get(json, "items"), 0);
    ck_assert_str_eq(ctl_string(item, "type"), "input_image");
    ck_assert_int_eq(ctl_int(item, "byteLength"), 78);
    artifact = json_object_get(item, "artifact");
    test_has(ctl_string(artifact, "relPath"), "artifacts/mcp/desk/picture/");
    json_decref(json);
}
END_TEST

START_TEST(an_item_that_cannot_be_saved_is_reported_with_status_4)
{
    answer("{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\","
           "\"data\":\"!!!!\"},{\"type\":\"text\",\"text\":\"on\"}]}");
    ctl_run(&run, &place, "call", "x", "--save", rig_workspace_path(&place.ws, "kept"),
            NULL);
    ctl_status_is(&run, 4);
    test_has(run.out, "[image left out: ");
    test_has(run.out, "\non\n");
    test_has(run.err, "not everything could be saved");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--json", "call", "x", "--save",
            rig_workspace_path(&place.ws, "kept"), NULL);
    ctl_status_is(&run, 4);
    test_has(run.out, "\"items\":[{");
    test_has(run.err, "not everything could be saved");
}
END_TEST

START_TEST(wrong_uses_of_the_options_of_call_are_refused)
{
    ctl_run(&run, &place, "tools", "--raw", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "call", "x", "--raw", "--json", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--raw cannot be combined with --save or --json");
    ctl_run_free(&run);
    ctl_run(&run, &place, "call", "x", "--save", "", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "call", "x", "--for", "openai", NULL);
    ctl_status_is(&run, 2);
}
END_TEST

/* ---- project ----------------------------------------------------------------------- */

/* R55 R59 */
START_TEST(project_prints_tools_in_the_form_of_the_model_provider)
{
    static const char *const names[] = {
        "openai",    "openai-strict", "openai-responses", "openai-responses-strict",
        "anthropic", "gemini",        "moonshot"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        json_t *json, *tool;

        if (i > 0)
            ctl_run_free(&run);
        ctl_run(&run, &place, "--json", "project", "--for", names[i], NULL);
        ctl_status_is(&run, 0);
        json = ctl_run_json(&run);
        ck_assert_str_eq(ctl_string(json, "for"), names[i]);
        tool = json_array_get(json_object_get(json, "tools"), 0);
        ck_assert(json_is_object(tool));
        ck_assert_int_eq(!!json_object_get(tool, "function"),
                         i < 2 || strcmp(names[i], "moonshot") == 0);
        ck_assert_int_eq(!!json_object_get(tool, "input_schema"),
                         strcmp(names[i], "anthropic") == 0);
        ck_assert(json_is_array(json_object_get(json, "problems")));
        json_decref(json);
    }
}
END_TEST

START_TEST(a_tool_that_a_model_provider_does_not_take_is_reported)
{
    json_t *json;

    rig_workspace_write(&place.ws, "script",
                        "no-tools\ntool-json {\"name\":\"odd\",\"inputSchema\":{\"type\":"
                        "\"object\",\"allOf\":[{\"type\":\"string\"}]}}\n");
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n  s:\n    transport: stdio\n    command: %s\n"
        "    args: ['%s']\n",
        rig_fakeserver(), rig_workspace_path(&place.ws, "script"));
    ctl_run(&run, &place, "project", "--for", "gemini", NULL);
    ctl_status_is(&run, 0);
    test_has(run.err, "warning: tool 'odd' is left out for gemini");
    json = json_loads(run.out, 0, NULL);
    ck_assert(json_is_array(json));
    json_decref(json);
}
END_TEST

START_TEST(an_unknown_model_provider_is_refused)
{
    ctl_run(&run, &place, "project", "--for", "openay", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "no provider 'openay'; did you mean 'openai'?");
    ctl_run_free(&run);
    ctl_run(&run, &place, "project", "--for", "claude", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "no provider 'claude'; there are openai, openai-strict, "
                      "openai-responses, openai-responses-strict, anthropic, gemini and "
                      "moonshot");
    ctl_run_free(&run);
    ctl_run(&run, &place, "project", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "needs --for");
}
END_TEST

/* ---- schema check ------------------------------------------------------------------ */

static void
check_value(const char *schema, const char *value)
{
    ctl_run_free(&run);
    memset(&run, 0, sizeof(run));
    rig_workspace_write(&place.ws, "schema.json", "%s", schema);
    rig_workspace_write(&place.ws, "value.json", "%s", value);
    ctl_run(&run, &place, "schema", "check", "schema.json", "value.json", NULL);
}

/* R51 R54 */
START_TEST(a_valid_value_gives_status_0_and_an_invalid_value_1)
{
    check_value("{\"type\":\"object\",\"required\":[\"a\"]}", "{\"a\":1}");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "valid\n");
    check_value("{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"b\"]}",
                "{\"a\":1}");
    ctl_status_is(&run, 1);
    test_has(run.out, "/a: expected");
    test_has(run.out, "(#/properties/a/type)");
    test_has(run.out, "(#/required)");
    check_value("{}", "{\"a\":");
    ctl_status_is(&run, 1);
    test_has(run.err, "value.json: ");
}
END_TEST

START_TEST(an_invalid_schema_gives_status_3)
{
    static const char *const bad[] = {"{\"type\":\"strin\"}",
                                      "{\"$ref\":\"#/$defs/x\"}",
                                      "{\"$ref\":\"http://example.com/s\"}",
                                      "{\"$ref\":\"file:///etc/passwd\"}",
                                      "[",
                                      ""};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        check_value(bad[i], "1");
        ctl_status_is(&run, 3);
        test_has(run.err, "schema.json: ");
        ck_assert_str_eq(run.out, "");
    }
}
END_TEST

START_TEST(with_json_the_errors_of_a_value_are_printed_as_json)
{
    json_t *json;

    rig_workspace_write(&place.ws, "schema.json", "{\"maximum\":5}");
    place.input = "7";
    ctl_run(&run, &place, "--json", "schema", "check", "schema.json", "-", NULL);
    ctl_status_is(&run, 1);
    json = ctl_run_json(&run);
    ck_assert(json_is_false(json_object_get(json, "valid")));
    ck_assert_str_eq(
        ctl_string(json_array_get(json_object_get(json, "errors"), 0), "keyword"),
        "maximum");
    json_decref(json);
    ctl_run_free(&run);
    place.input = NULL;
    rig_workspace_write(&place.ws, "schema.json", "{\"maximum\":");
    ctl_run(&run, &place, "--json", "schema", "check", "schema.json", "schema.json",
            NULL);
    ctl_status_is(&run, 3);
    json = ctl_run_json(&run);
    ck_assert(json_is_object(json_object_get(json, "error")));
    json_decref(json);
}
END_TEST

START_TEST(wrong_arguments_of_schema_are_refused)
{
    ctl_run(&run, &place, "schema", "check", "schema.json", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "schema", "look", "a", "b", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'schema' has only 'check'");
    ctl_run_free(&run);
    ctl_run(&run, &place, "schema", "check", "/is/not/there", "b", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "cannot open '/is/not/there'");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "call");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, an_item_other_than_text_is_printed_as_a_line_with_its_size);
    tcase_add_test(tc, structured_content_is_shown_once);
    tcase_add_test(tc, raw_prints_the_bytes_that_the_server_sent);
    tcase_add_test(tc, a_saved_picture_is_printed_with_its_path_and_size);
    tcase_add_test(tc, with_json_saved_items_are_printed_with_their_paths);
    tcase_add_test(tc, an_item_that_cannot_be_saved_is_reported_with_status_4);
    tcase_add_test(tc, wrong_uses_of_the_options_of_call_are_refused);
    tc = test_case(suite, "project");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, project_prints_tools_in_the_form_of_the_model_provider);
    tcase_add_test(tc, a_tool_that_a_model_provider_does_not_take_is_reported);
    tcase_add_test(tc, an_unknown_model_provider_is_refused);
    tc = test_case(suite, "schema");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, a_valid_value_gives_status_0_and_an_invalid_value_1);
    tcase_add_test(tc, an_invalid_schema_gives_status_3);
    tcase_add_test(tc, with_json_the_errors_of_a_value_are_printed_as_json);
    tcase_add_test(tc, wrong_arguments_of_schema_are_refused);
}

int
main(void)
{
    return test_main("ctl-model", add);
}
