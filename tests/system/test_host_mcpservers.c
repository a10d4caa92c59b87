/* SPDX-License-Identifier: MIT
 *
 * test_host_mcpservers.c - a source that follows an `mcpServers` file: variables that are
 * read at each start, edits, and tools that are found by server and original name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcpservers.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_source *source;

static void
up(void)
{
    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_env(hr.host, "FAKE", rig_fakeserver()), 0);
    ck_assert_int_eq(mcphost_set_env(hr.host, "GIVEN_TEXT", "hush-hush-hush"), 0);
}

static void
down(void)
{
    source = mcphost_source_unref(source);
    hr_down(&hr);
}

/* Makes a source that follows a file.  `servers` are the members of the file's
 * `mcpServers`. */
static void
follow(const char *servers)
{
    rig_workspace_write(&hr.ws, ".mcp.json", "{\"mcpServers\": {%s}}", servers);
    ck_assert_int_eq(mcphost_source_new(hr.host, "project", &source, NULL), 0);
    ck_assert_int_eq(
        mcphost_view_add_source(mcphost_default_view(hr.host), source, NULL, 0), 0);
    ck_assert_int_eq(mcphost_mcpservers_follow(source, hr.ws.dir, NULL, NULL), 0);
    hr_ready(&hr);
}

#define ENV "{\"name\":\"GIVEN\"}"

/* K7 K8 R14 R15 */
START_TEST(servers_of_a_project_file_are_started_with_their_variables)
{
    mcphost_dialog *dialog;

    follow("\"a\": {\"command\": \"${FAKE}\", \"env\": {\"GIVEN\": \"<${GIVEN_TEXT}>\"}, "
           "\"args\": [\"-e\", \"tool ${WORD:-fallback}\"]}");
    ck_assert(hr_has(&hr, "fallback"));
    dialog = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, dialog, "env", ENV), "<hush-hush-hush>");
    /* The next start reads the variables again. */
    ck_assert_int_eq(mcphost_set_env(hr.host, "WORD", "word"), 0);
    ck_assert_int_eq(mcphost_source_restart_server(source, "a"), 0);
    hr_until(&hr, hr_has(&hr, "word"));
}
END_TEST

/* R16 R18 */
START_TEST(an_unset_variable_stops_only_the_server_that_uses_it)
{
    mcphost_dialog *dialog;

    hr_keep_log(&hr, MCPHOST_LOG_DEBUG);
    follow("\"a\": {\"command\": \"${FAKE}\", \"args\": [\"-e\", \"tool one\", \"-e\", "
           "\"on call:one\", \"-e\", \" error -32000 no ${GIVEN_TEXT}\"]},"
           "\"b\": {\"command\": \"${FAKE}\", \"args\": [\"${NONE}\"]}");
    ck_assert(hr_has(&hr, "one"));
    ck_assert_int_ge(hr_count(&hr, MCPHOST_EVENT_PROBLEM, "b", NULL, -1), 1);
    test_has(hr.log, "environment variable 'NONE' is not set");
    /* The host masks the value of a variable in an error that the server sends. */
    dialog = hr_dialog(&hr, "d");
    {
        mcphost_call *call = hr_start(&hr, dialog, "one", "{}");

        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
        ck_assert_ptr_null(strstr(hr_why(call), "hush"));
    }
    ck_assert_ptr_null(strstr(hr.log, "hush-hush"));
}
END_TEST

START_TEST(edits_of_the_file_are_applied_and_a_bad_edit_changes_nothing)
{
    follow("\"a\": {\"command\": \"${FAKE}\", \"args\": [\"-e\", \"tool one\"]}");
    ck_assert(hr_has(&hr, "one"));
    rig_workspace_write(
        &hr.ws, ".mcp.json.new",
        "{\"mcpServers\": {\"a\": {\"command\": \"${FAKE}\", "
        "\"disabled\": true}, \"b\": {\"command\": \"${FAKE}\", \"args\": "
        "[\"-e\", \"tool two\"]}}}");
    ck_assert_int_eq(rename(rig_workspace_path(&hr.ws, ".mcp.json.new"),
                            rig_workspace_path(&hr.ws, ".mcp.json")),
                     0);
    hr_until(&hr, hr_has(&hr, "two"));
    ck_assert(!hr_has(&hr, "one"));
    /* A bad edit leaves the working servers as they are. */
    rig_workspace_write(&hr.ws, ".mcp.json", "{\"mcpServers\": ");
    ck_assert_int_eq(mcphost_source_reload(source), 0);
    hr_turn(&hr, 200);
    ck_assert(hr_has(&hr, "two"));
    ck_assert_int_eq(mcphost_source_set_server_enabled(source, "b", 0), MCPHOST_E_STATE);
}
END_TEST

START_TEST(a_tool_is_found_by_its_server_and_its_original_name)
{
    mcphost_catalog *catalog;
    mcphost_server *a, *b;

    hr_server(&hr, "c", "transform: [{prefix: c_}]\ntools: {blacklist: [pid]}", NULL);
    follow("\"a\": {\"command\": \"${FAKE}\"}, \"b\": {\"command\": \"${FAKE}\"}");
    hr_load(&hr);
    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog),
                     0);
    a = mcphost_catalog_find_server(catalog, "a");
    b = mcphost_catalog_find_server(catalog, "b");
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_nonnull(b);
    ck_assert_ptr_nonnull(mcphost_server_find_tool(a, "echo"));
    ck_assert_ptr_eq(mcphost_server_find_tool(a, "echo"),
                     mcphost_catalog_find_tool(catalog, "echo"));
    /* The host leaves out b's tool, because server a already has the name `echo`. */
    ck_assert_ptr_null(mcphost_server_find_tool(b, "echo"));
    ck_assert_ptr_null(mcphost_server_find_tool(a, "nothing"));
    a = mcphost_catalog_find_server(catalog, "c");
    ck_assert_str_eq(mcphost_tool_get_name(mcphost_server_find_tool(a, "echo")),
                     "c_echo");
    ck_assert_ptr_null(mcphost_server_find_tool(a, "c_echo"));
    ck_assert_ptr_null(mcphost_server_find_tool(a, "pid"));
    mcphost_catalog_unref(catalog);
}
END_TEST

/* K6: `mcpServers` files may name servers of the older transport HTTP+SSE. */
START_TEST(sse_is_allowed_unless_the_source_sets_its_transports)
{
    int64_t value;

    follow("\"a\": {\"command\": \"${FAKE}\", \"args\": [\"-e\", \"tool one\"]}");
    ck_assert_int_eq(mcphost_source_get_policy(source, MCPHOST_OPT_TRANSPORTS, &value),
                     0);
    ck_assert_int_eq((int)value, MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP |
                                     MCPHOST_ALLOW_SSE);
    source = mcphost_source_unref(source);
    ck_assert_int_eq(mcphost_source_new(hr.host, "other", &source, NULL), 0);
    ck_assert_int_eq(mcphost_source_set_policy(source, MCPHOST_OPT_TRANSPORTS,
                                               MCPHOST_ALLOW_STDIO, NULL),
                     0);
    ck_assert_int_eq(mcphost_mcpservers_follow(source, hr.ws.dir, ".mcp.json", NULL), 0);
    ck_assert_int_eq(mcphost_source_get_policy(source, MCPHOST_OPT_TRANSPORTS, &value),
                     0);
    ck_assert_int_eq((int)value, MCPHOST_ALLOW_STDIO);
    ck_assert_int_eq(mcphost_mcpservers_follow(source, hr.ws.dir, NULL, NULL),
                     MCPHOST_E_STATE);
}
END_TEST

START_TEST(a_configuration_is_read_from_memory_and_files)
{
    static const char text[] = "{\"mcpServers\":{\"a\":{\"url\":\"http://${H}/\"}}}";
    unsigned all = MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP;
    mcphost_config *config = NULL;
    char path[128];

    ck_assert_int_eq(mcphost_mcpservers_load(text, sizeof(text) - 1, NULL, hr.ws.dir, all,
                                             &config, NULL),
                     0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    ck_assert_uint_eq(mcphost_config_count_servers(config), 1);
    config = mcphost_config_unref(config);
    rig_workspace_write(&hr.ws, "x.json", "%s", text);
    snprintf(path, sizeof(path), "%s", rig_workspace_path(&hr.ws, "x.json"));
    ck_assert_int_eq(mcphost_mcpservers_load(NULL, 0, path, NULL, all, &config, NULL), 0);
    ck_assert_uint_eq(mcphost_config_count_servers(config), 1);
    config = mcphost_config_unref(config);
    /* The workspace's file may be missing.  A file that the caller names must exist. */
    ck_assert_int_eq(
        mcphost_mcpservers_load(NULL, 0, NULL, hr.ws.dir, all, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    config = mcphost_config_unref(config);
    ck_assert_int_eq(
        mcphost_mcpservers_load(NULL, 0, "/nowhere/x.json", NULL, all, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), MCPHOST_E_NOTFOUND);
    config = mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_mcpservers_load(text, 1, NULL, NULL, 0, &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_mcpservers_load(NULL, 1, NULL, NULL, all, &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_mcpservers_load(NULL, 0, "", NULL, all, &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(config);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "project");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, servers_of_a_project_file_are_started_with_their_variables);
    tcase_add_test(tc, an_unset_variable_stops_only_the_server_that_uses_it);
    tcase_add_test(tc, edits_of_the_file_are_applied_and_a_bad_edit_changes_nothing);
    tcase_add_test(tc, a_tool_is_found_by_its_server_and_its_original_name);
    tcase_add_test(tc, sse_is_allowed_unless_the_source_sets_its_transports);
    tcase_add_test(tc, a_configuration_is_read_from_memory_and_files);
}

int
main(void)
{
    return test_main("host-mcpservers", add);
}
