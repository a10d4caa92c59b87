/* SPDX-License-Identifier: MIT
 *
 * test_ctl_commands.c - the commands of mcphostctl that run once and end: their output as
 * text and as JSON, and their exit status.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "support/ctlrun.h"
#include "support/httprig.h"
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

/* Checks that the object has exactly these members, in this order. */
static void
members_are(json_t *object, const char *names)
{
    char text[256] = "";
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
                 *text ? " " : "", key);
    }
    ck_assert_str_eq(text, names);
}

/* ---- check ------------------------------------------------------------------------- */

START_TEST(check_lists_servers_and_starts_none)
{
    ctl_run(&run, &place, "check", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "desk");
    test_has(run.out, "valid");
    test_has_not(run.err, "ready");
    ctl_run_free(&run);
    ctl_run(&run, &place, "check", "--json", NULL);
    test_has(run.out, "\"entry\":{\"transport\":\"stdio\",\"command\":\"");
}
END_TEST

START_TEST(check_names_the_place_of_an_error) /* R8 */
{
    json_t *json, *diagnostic;

    rig_workspace_yaml(&place.ws, "version: 1\nservers:\n  a:\n    transport: sse\n");
    ctl_run(&run, &place, "check", "--json", NULL);
    ctl_status_is(&run, 3);
    json = ctl_run_json(&run);
    ck_assert(json_is_false(json_object_get(json, "valid")));
    diagnostic = json_array_get(json_object_get(json, "diagnostics"), 0);
    ck_assert_str_eq(ctl_string(diagnostic, "severity"), "error");
    ck_assert_str_eq(ctl_string(diagnostic, "key"), "servers.a.transport");
    ck_assert_str_eq(ctl_string(diagnostic, "server"), "a");
    ck_assert_int_eq(ctl_int(diagnostic, "line"), 4);
    ck_assert_int_eq(ctl_int(diagnostic, "column"), 16);
    json_decref(json);
    ctl_run_free(&run);
    ctl_run(&run, &place, "check", NULL);
    test_has(run.out, ".minds/mcp.yaml:4:16: error: servers.a.transport");
}
END_TEST

START_TEST(check_succeeds_with_warnings_only)
{
    rig_workspace_yaml(&place.ws, "version: 1\nservers:\n  a:\n    transport: stdio\n"
                                  "    command: x\n    truly-stateless: true\n");
    ctl_run(&run, &place, "check", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "warning");
    test_has(run.out, "truely-stateless");
}
END_TEST

START_TEST(check_fails_for_a_file_that_is_not_there)
{
    ctl_run(&run, &place, "check", "--config", "nothing.yaml", NULL);
    ctl_status_is(&run, 3);
    test_has(run.out, "nothing.yaml");
}
END_TEST

START_TEST(a_configuration_without_servers_lists_no_servers) /* R2 */
{
    json_t *json;

    rig_workspace_yaml(&place.ws, "version: 1\n");
    ctl_run(&run, &place, "servers", "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_int_eq(json_array_size(json), 0);
    json_decref(json);
}
END_TEST

/* ---- servers, tools, problems ------------------------------------------------------ */

START_TEST(servers_as_json_are_rows_with_fixed_members)
{
    json_t *json, *row;

    ctl_run(&run, &place, "servers", "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_int_eq(json_array_size(json), 2);
    row = json_array_get(json, 0);
    members_are(row, "id transport era version state pid containment tools "
                     "has_tools ms latency_ms error");
    ck_assert_str_eq(ctl_string(row, "id"), "desk");
    ck_assert_str_eq(ctl_string(row, "transport"), "stdio");
    ck_assert_str_eq(ctl_string(row, "era"), "legacy");
    ck_assert_str_eq(ctl_string(row, "version"), "2025-11-25");
    ck_assert_str_eq(ctl_string(row, "state"), "loaded");
    ck_assert_int_gt(ctl_int(row, "pid"), 0);
    ck_assert_int_eq(ctl_int(row, "tools"), 4);
    ck_assert(json_is_true(json_object_get(row, "has_tools")));
    ck_assert_int_ge(ctl_int(row, "ms"), 0);
    ck_assert_int_ge(ctl_int(row, "latency_ms"), 0);
    ck_assert(json_is_null(json_object_get(row, "error")));
    ck_assert_str_eq(ctl_string(json_array_get(json, 1), "era"), "modern");
    json_decref(json);
}
END_TEST

START_TEST(tools_as_json_are_rows_with_fixed_members)
{
    json_t *json, *row;

    ctl_run(&run, &place, "tools", "--json", "--admin", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    row = ctl_row(json, "name", "desk_echo");
    members_are(row, "name original server toolset description");
    ck_assert_str_eq(ctl_string(row, "original"), "echo");
    ck_assert_str_eq(ctl_string(row, "server"), "desk");
    ck_assert_str_eq(ctl_string(row, "toolset"), "desk");
    ck_assert_str_eq(ctl_string(row, "description"), "Say the same again.");
    row = ctl_row(json, "name", "mcp_release");
    ck_assert(json_is_null(json_object_get(row, "server")));
    ck_assert_str_eq(ctl_string(row, "toolset"), "mcp_admin");
    json_decref(json);
}
END_TEST

START_TEST(the_table_of_tools_leaves_out_filtered_tools)
{
    ctl_run(&run, &place, "tools", NULL);
    ctl_status_is(&run, 0);
    ck_assert_int_eq(strncmp(run.out, "NAME ", 5), 0);
    test_has(run.out, "\ndesk_echo ");
    test_has(run.out, "\necho_board ");
    test_has_not(run.out, "erase_all");
    test_has_not(run.out, "look_up");
    test_has_not(run.out, "\033");
}
END_TEST

START_TEST(tools_can_be_limited_to_one_toolset)
{
    json_t *json;

    ctl_run(&run, &place, "tools", "--toolset", "board", "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_int_eq(json_array_size(json), 2);
    json_decref(json);
}
END_TEST

START_TEST(an_unknown_toolset_is_refused_with_a_suggestion)
{
    ctl_run(&run, &place, "tools", "--toolset", "dekc", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "no toolset 'dekc'; did you mean 'desk'?");
}
END_TEST

START_TEST(servers_are_a_table_with_era_version_and_latency)
{
    ctl_run(&run, &place, "servers", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "SERVER  TRANSPORT  ERA     VERSION     STATE");
    test_has(run.out, "MS  LATENCY  ERROR");
    test_has(run.out, "legacy  2025-11-25  loaded");
}
END_TEST

START_TEST(colour_can_be_forced)
{
    ctl_run(&run, &place, "servers", "--color=always", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "\033[32mloaded\033[0m");
}
END_TEST

START_TEST(problems_say_why_tools_are_left_out) /* R50 R118 */
{
    json_t *json, *row;

    ctl_run(&run, &place, "problems", "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    row = ctl_row(json, "kind", "mcp_tool_blacklisted");
    ck_assert_str_eq(ctl_string(row, "severity"), "warning");
    ck_assert_str_eq(ctl_string(row, "server"), "desk");
    ck_assert_str_eq(ctl_string(json_object_get(row, "detail"), "toolName"), "erase_all");
    row = ctl_row(json, "kind", "mcp_tool_not_whitelisted");
    ck_assert_str_eq(ctl_string(row, "severity"), "warning");
    ctl_row(json, "kind", "mcp_tool_invalid_name");
    json_decref(json);
}
END_TEST

START_TEST(a_failed_server_is_reported_and_the_others_are_loaded) /* R116 */
{
    json_t *json, *row;

    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n"
                       "  bad: { transport: stdio, command: sh, args: [-c, 'echo oh no "
                       ">&2; exit 3'] }\n"
                       "  good: { transport: stdio, command: '%s' }\n",
                       ctl_demo_server());
    ctl_run(&run, &place, "servers", "--json", NULL);
    ctl_status_is(&run, 4);
    json = ctl_run_json(&run);
    row = ctl_row(json, "id", "bad");
    ck_assert_str_eq(ctl_string(row, "state"), "unavailable");
    test_has(ctl_string(json_object_get(row, "error"), "message"), "'bad'");
    test_has(ctl_string(json_object_get(row, "error"), "stderr"), "oh no");
    ck_assert_str_eq(ctl_string(ctl_row(json, "id", "good"), "state"), "loaded");
    json_decref(json);
}
END_TEST

START_TEST(an_invalid_entry_gives_status_3_and_other_servers_work)
{
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  bad: { transport: sse }\n"
                       "  good: { transport: stdio, command: '%s' }\n",
                       ctl_demo_server());
    ctl_run(&run, &place, "tools", NULL);
    ctl_status_is(&run, 3);
    test_has(run.out, "\necho ");
    test_has(run.err, "servers.bad.transport");
}
END_TEST

/* ---- tool -------------------------------------------------------------------------- */

START_TEST(tool_shows_the_schema_as_the_server_wrote_it)
{
    ctl_run(&run, &place, "tool", "desk_echo", "--json", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "\"inputSchema\":{\"type\": \"object\", \"required\": [\"text\"], "
                      "\"properties\": {\"text\": {\"type\": \"string\"}}}");
    json_decref(ctl_run_json(&run));
}
END_TEST

START_TEST(an_unknown_tool_is_refused_with_a_suggestion)
{
    ctl_run(&run, &place, "tool", "desk_ecco", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "no tool 'desk_ecco'; did you mean 'desk_echo'?");
}
END_TEST

/* ---- call -------------------------------------------------------------------------- */

START_TEST(call_prints_the_text_of_the_result) /* R23 */
{
    ctl_run(&run, &place, "call", "desk_echo", "{\"text\":\"hello\"}", NULL);
    ctl_status_is(&run, 0);
    ck_assert_int_eq(strncmp(run.out, "hello (process ", 15), 0);
    ck_assert_str_eq(run.err, "");
}
END_TEST

START_TEST(call_gives_the_result_as_the_server_sent_it)
{
    json_t *json;

    ctl_run(&run, &place, "--json", "call", "echo_board", "text=x", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(json, "resultType"), "complete");
    ck_assert_int_eq(strncmp(ctl_said(json), "x (process ", 11), 0);
    json_decref(json);
}
END_TEST

START_TEST(an_image_in_a_result_is_described)
{
    ctl_run(&run, &place, "call", "desk_picture", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "[image image/png, 78 bytes]\n");
}
END_TEST

START_TEST(a_tool_that_fails_gives_status_1)
{
    ctl_run(&run, &place, "call", "desk_echo", NULL);
    ctl_status_is(&run, 1);
    test_has(run.out, "expected the member 'text'");
}
END_TEST

START_TEST(a_call_that_takes_too_long_gives_status_4)
{
    json_t *json;

    ctl_run(&run, &place, "--json", "--timeout", "1", "call", "desk_count", "to=1000",
            NULL);
    ctl_status_is(&run, 4);
    json = ctl_run_json(&run);
    ck_assert_int_eq(ctl_int(json_object_get(json, "error"), "code"), -40);
    test_has(run.err, "'desk'");
    json_decref(json);
}
END_TEST

START_TEST(a_call_waits_only_for_its_own_server)
{
    /* `good` is first in the file and has the tool `echo`.  `sleeper` never answers. */
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n"
                       "  good: { transport: stdio, command: '%s' }\n"
                       "  sleeper: { transport: stdio, command: sleep, args: ['60'] }\n",
                       ctl_demo_server());
    ctl_run(&run, &place, "call", "echo", "text=x", NULL);
    ctl_status_is(&run, 0);
}
END_TEST

START_TEST(pairs_take_the_type_that_the_schema_names)
{
    /* The schema requires a string for `text` and an integer for `to`. */
    ctl_run(&run, &place, "call", "desk_echo", "text=42", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "42 (process");
    ctl_run_free(&run);
    ctl_run(&run, &place, "call", "desk_count", "to=2", "step_ms=0", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "counted to 2");
}
END_TEST

START_TEST(a_pair_of_the_wrong_type_is_refused)
{
    ctl_run(&run, &place, "call", "desk_count", "to=two", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'to' needs a value of type integer, not 'two'");
}
END_TEST

START_TEST(a_pair_with_a_colon_is_json)
{
    ctl_run(&run, &place, "-vv", "call", "desk_echo", "x=0.1", "text:=[2.5,null]", NULL);
    ctl_status_is(&run, 1);
    test_has(run.out, "at /text: expected string, found an array with 2 items");
    test_has(run.err, "\"arguments\":{\"x\":0.1,\"text\":[2.5,null]}");
}
END_TEST

START_TEST(a_key_given_twice_is_refused)
{
    ctl_run(&run, &place, "call", "desk_echo", "text=a", "text=b", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'text' is given twice");
}
END_TEST

START_TEST(arguments_can_come_from_a_file)
{
    rig_workspace_write(&place.ws, "args.json", "{\"text\":\"from a file\"}");
    ctl_run(&run, &place, "call", "desk_echo", "@args.json", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "from a file");
}
END_TEST

START_TEST(arguments_can_come_from_stdin)
{
    place.input = "{\"text\":\"from stdin\"}";
    ctl_run(&run, &place, "call", "desk_echo", "-", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "from stdin");
}
END_TEST

START_TEST(arguments_that_are_bad_json_are_refused_with_their_place)
{
    ctl_run(&run, &place, "call", "desk_echo", "{\"text\":nil}", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "line 1, column 9");
}
END_TEST

START_TEST(a_low_limit_of_descriptors_is_raised)
{
    struct rlimit limit, low;

    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n"
                       "  a: &a { transport: stdio, command: '%s' }\n"
                       "  b: *a\n  c: *a\n  d: *a\n  e: *a\n  f: *a\n  g: *a\n  h: *a\n"
                       "  i: *a\n  j: *a\n  k: *a\n  l: *a\n",
                       ctl_demo_server());
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    low = limit;
    low.rlim_cur = 24;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    ctl_run(&run, &place, "servers", NULL);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ctl_status_is(&run, 0);
}
END_TEST

START_TEST(stdio_starts_one_server_without_a_file)
{
    json_t *json;

    ctl_run(&run, &place, "--stdio", ctl_demo_server(), "tools", "--toolset", "stdio",
            "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_int_eq(json_array_size(json), 6);
    ck_assert_str_eq(ctl_string(ctl_row(json, "name", "echo"), "server"), "stdio");
    json_decref(json);
}
END_TEST

/* R7: a URL uses the HTTP+SSE transport of 2024 only with --transport sse. */
START_TEST(with_transport_sse_a_url_uses_the_transport_of_2024)
{
    struct httprig web;

    http_up(&web, &place.ws, "web", "old /messages?session=sesame-sesame\ntool echo");
    ctl_run(&run, &place, "-v", "--url", web.url, "--transport", "sse", "call", "echo",
            "text=hello", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "hello");
    test_has(run.err, "/messages");
    test_has_not(run.err, "sesame");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", web.url, "--transport", "sse", "servers", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "sse");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", web.url, "tools", NULL);
    ctl_status_is(&run, 4);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", web.url, "--transport", "stdio", "tools", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--transport must be streamable_http or sse, not 'stdio'");
    http_down(&web);
}
END_TEST

/* R7: mcp.yaml may name the transport `sse` only with the option --transport sse. */
START_TEST(with_transport_sse_a_file_may_name_the_transport_of_2024)
{
    struct httprig web;

    http_up(&web, &place.ws, "web", "old /messages?session=sesame-sesame\ntool echo");
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  old: { transport: sse, url: '%s' }\n",
                       web.url);
    ctl_run(&run, &place, "check", NULL);
    ctl_status_is(&run, 3);
    test_has(run.out, "servers.old.transport: expected 'stdio' or 'streamable_http', "
                      "found 'sse'");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--transport", "sse", "check", NULL);
    ctl_status_is(&run, 0);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--transport", "sse", "call", "echo", "text=hello", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "hello");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--transport", "sse", "diff",
            rig_workspace_path(&place.ws, ".minds/mcp.yaml"), NULL);
    ctl_status_is(&run, 0);
    http_down(&web);
}
END_TEST

START_TEST(transport_is_refused_where_it_does_not_apply)
{
    ctl_run(&run, &place, "--transport", "sse", "--stdio", "x", "tools", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--transport and --stdio cannot be combined");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--transport", "streamable_http", "tools", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--transport streamable_http needs --url");
}
END_TEST

START_TEST(the_option_era_sets_the_era_of_a_url)
{
    struct httprig web;

    http_up(&web, &place.ws, "web", "era legacy\ntool echo");
    ctl_run(&run, &place, "--url", web.url, "--era", "legacy", "servers", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "legacy");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", web.url, "--era", "modern", "servers", NULL);
    ctl_status_is(&run, 4);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", web.url, "--era", "old", "servers", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--era must be auto, legacy or modern, not 'old'");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--era", "legacy", "servers", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--era needs --url or --stdio");
    http_down(&web);
}
END_TEST

/* Returns the number of characters in the longest line. */
static size_t
widest(const char *text)
{
    size_t most = 0;

    for (size_t n = 0; *text; text++) {
        n = *text == '\n' ? 0 : n + (((unsigned char)*text & 0xc0) != 0x80);
        most = n > most ? n : most;
    }
    return most;
}

START_TEST(tables_of_tools_and_servers_fit_100_columns)
{
    ctl_run(&run, &place, "tools", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "ORIGINAL");
    ck_assert_uint_le(widest(run.out), 100);
    ctl_run_free(&run);
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n"
        "  a: { transport: stdio, command: '%s' }\n"
        "  broken: { transport: stdio, command: /nonexistent/program-of-a-"
        "rather-long-name-that-fits-into-no-table-of-a-hundred-columns }\n",
        ctl_demo_server());
    ctl_run(&run, &place, "tools", NULL);
    test_has_not(run.out, "ORIGINAL");
    ck_assert_uint_le(widest(run.out), 100);
    ctl_run_free(&run);
    ctl_run(&run, &place, "servers", NULL);
    ctl_status_is(&run, 4);
    *strstr(run.out, "\n\n") = '\0';
    ck_assert_uint_le(widest(run.out), 100);
}
END_TEST

/* Writes a workspace with a fake server.  `keys` are more keys of the server's entry. */
static void
one_server(const char *script, const char *keys)
{
    rig_workspace_write(&place.ws, "script", "%s\n", script);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  one:\n    transport: stdio\n"
                       "    command: %s\n    args: [%s/script]\n%s",
                       rig_fakeserver(), place.ws.dir, keys);
}

START_TEST(a_server_without_the_tools_capability_is_marked_in_the_table)
{
    json_t *json;

    one_server("capabilities {\"prompts\":{}}", "");
    ctl_run(&run, &place, "servers", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "loaded");
    test_has(run.out, "no tools cap");
    test_has(run.out, "\none: no tools capability\n");
    ctl_run_free(&run);
    ctl_run(&run, &place, "servers", "--json", NULL);
    json = ctl_run_json(&run);
    ck_assert(json_is_false(json_object_get(ctl_row(json, "id", "one"), "has_tools")));
    json_decref(json);
    ctl_run_free(&run);
    one_server("no-tools", "");
    ctl_run(&run, &place, "servers", NULL);
    test_has_not(run.out, "no tools");
}
END_TEST

START_TEST(server_shows_instructions_and_manual)
{
    json_t *json;

    one_server("name desk\ninstructions Ask \"first\".",
               "    manual: {sections: {Use: Ask it.}}\n  other:\n"
               "    transport: stdio\n    command: no-such-program-anywhere\n");
    ctl_run(&run, &place, "server", "one", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "title: desk\n");
    test_has(run.out, "instructions: Ask \"first\".\n");
    test_has(run.out, "manual: ## Use\n\nAsk it.\n");
    test_has_not(run.out, "other");
    ctl_run_free(&run);
    ctl_run(&run, &place, "server", "one", "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    members_are(json, "id transport era version state pid containment tools "
                      "has_tools ms latency_ms error title description instructions "
                      "manual");
    ck_assert_str_eq(ctl_string(json, "manual"), "## Use\n\nAsk it.");
    ck_assert_str_eq(ctl_string(json, "instructions"), "Ask \"first\".");
    ck_assert(json_is_null(json_object_get(json, "description")));
    json_decref(json);
    ctl_run_free(&run);
    ctl_run(&run, &place, "server", "other", NULL);
    ctl_status_is(&run, 4);
    test_has(run.out, "no-such-program-anywhere");
    ctl_run_free(&run);
    ctl_run(&run, &place, "server", "oen", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "no server 'oen'");
    test_has(run.err, "did you mean 'one'?");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--stdio", ctl_demo_server(), "server", "stdio", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "title: ");
}
END_TEST

START_TEST(the_option_names_puts_the_server_before_each_tool) /* R46 K3 */
{
    ctl_run(&run, &place, "--stdio", ctl_demo_server(), "--names", "server", "tools",
            NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "stdio__echo ");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--stdio", ctl_demo_server(), "--names", "full", "tools", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "mcp_stdio_echo ");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--stdio", ctl_demo_server(), "--names=transforms", "tools",
            NULL);
    ctl_status_is(&run, 0);
    test_has_not(run.out, "stdio__");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--names", "prefix", "tools", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--names must be transforms, server or full, not 'prefix'");
}
END_TEST

/* R117: a stack trace in the last lines of stderr does not hide the error before it. */
START_TEST(servers_and_problems_show_where_a_server_s_error_begins)
{
    static const char *const commands[] = {"servers", "problems"};

    rig_workspace_yaml(
        &place.ws, "version: 1\nservers:\n  broken:\n    transport: stdio\n"
                   "    command: sh\n    args:\n      - -c\n"
                   "      - 'echo start >&2; echo \"Error: no module x\" >&2; for i in "
                   "1 2 3 4 5 6 7 8 9 10 11 12; do echo \"    at f$i\" >&2; done; "
                   "exit 1'\n");
    for (size_t i = 0; i < 2; i++) {
        ctl_run(&run, &place, commands[i], NULL);
        ctl_status_is(&run, 4);
        test_has(run.out, "    | Error: no module x\n    | ...\n    |     at f5\n");
        test_has(run.out, "    |     at f12\n");
        ctl_run_free(&run);
    }
    ctl_run(&run, &place, "tools", NULL);
    test_has(run.err, "    | Error: no module x\n    | ...\n    |     at f5\n");
}
END_TEST

/* R80: without the option --admin there are no admin tools. */
START_TEST(the_admin_tools_are_offered_with_the_option_admin_only)
{
    ctl_run(&run, &place, "tools", NULL);
    ctl_status_is(&run, 0);
    test_has_not(run.out, "mcp_restart");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--admin", "tools", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "mcp_restart");
}
END_TEST

/* R18: a file or a variable holds the secret, because other users can read a command
 * line. */
START_TEST(headers_come_from_a_file_and_from_the_environment)
{
    struct httprig web;
    char path[4200];

    http_up(&web, &place.ws, "web", "era legacy\ntool echo\nbearer open-sesame");
    snprintf(path, sizeof(path), "%s/headers", place.ws.dir);
    rig_workspace_write(&place.ws, "headers",
                        "# ours\nAuthorization: Bearer open-sesame\r\n\nX-One: 1");
    ctl_run(&run, &place, "--url", web.url, "--header-file", path, "call", "echo",
            "text=hello", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "hello");
    ctl_run_free(&run);
    ctl_run(&run, &place, "-v", "--url", web.url, "--header-file", path, "--header-env",
            "X-Two: LC_ALL", "call", "echo", "text=hello", NULL);
    ctl_status_is(&run, 0);
    test_has(run.err, "X-One: ***; X-Two: ***");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", web.url, "--header-env", "Authorization: MCPT_BEARER",
            "tools", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "the variable is not set");
    ctl_run_free(&run);
    rig_workspace_write(&place.ws, "headers", "open-sesame\n");
    ctl_run(&run, &place, "--url", web.url, "--header-file", path, "tools", NULL);
    ctl_status_is(&run, 2);
    test_has_not(run.err, "sesame");
    http_down(&web);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--header-file", "/nonexistent", "tools", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "No such file");
}
END_TEST

/* R18: with -v, mcphostctl shows the messages and headers, and masks secrets in them. */
START_TEST(verbose_shows_the_exchange_and_masks_secrets)
{
    struct httprig web;

    http_up(&web, &place.ws, "web", "era legacy\ntool echo\nbearer open-sesame");
    ctl_run(&run, &place, "-v", "--url", web.url, "--header",
            "Authorization: Bearer open-sesame", "--header", "X-One: oneself", "call",
            "echo", "text=hello", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "hello");
    test_has(run.err, "[wire] url: > POST http://127.0.0.1:");
    test_has(run.err, "Authorization: ***; X-One: ***");
    test_has(run.err, "Mcp-Session-Id: ***");
    test_has(run.err, "mcp-session-id: ***");
    test_has(run.err, "< HTTP 200; content-type: ");
    test_has(run.err, "\"method\":\"tools/call\"");
    test_has(run.err, "hello");
    test_has_not(run.err, "sesame");
    test_has_not(run.err, "oneself");
    test_has_not(run.err, "[http]"); /* only with -vv */
    http_down(&web);
    ctl_run_free(&run);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  a:\n    transport: stdio\n"
                       "    command: '%s'\n    env: { TOKEN: open-sesame }\n",
                       ctl_demo_server());
    ctl_run(&run, &place, "-vv", "call", "echo", "text=open-sesame", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "open-sesame");
    test_has(run.err, "[wire] a: > {");
    test_has(run.err, "[wire] a: < {");
    test_has(run.err, "\"text\":\"***********\"");
    test_has_not(run.err, "sesame");
}
END_TEST

/* R20: --url uses a configuration from mcphost_config_new_http(). */
START_TEST(url_connects_to_one_server_without_a_file)
{
    struct httprig web;
    json_t *json;

    http_up(&web, &place.ws, "web", "tool echo\nreply sse");
    ctl_run(&run, &place, "--url", web.url, "--header", "X-One: 1", "tools", "--toolset",
            "url", "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(ctl_row(json, "name", "echo"), "server"), "url");
    json_decref(json);
    http_down(&web);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", web.url, "tools", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "cannot connect to '127.0.0.1:");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", "ftp://h/", "tools", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--header", "X: 1", "tools", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", "http://h/", "--stdio", "x", "tools", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--url", "http://h/", "reload", NULL);
    ctl_status_is(&run, 2);
}
END_TEST

START_TEST(a_server_that_never_answers_is_named_with_the_time)
{
    ctl_run(&run, &place, "--stdio", "sleep 100", "--timeout", "0.2", "tools", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "server 'stdio' did not come up within 0.2 s (--timeout)");
}
END_TEST

START_TEST(a_program_that_is_not_there_gives_status_4)
{
    ctl_run(&run, &place, "--stdio", "no-such-program-anywhere", "tools", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "no-such-program-anywhere");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "looking");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, check_lists_servers_and_starts_none);
    tcase_add_test(tc, check_names_the_place_of_an_error);
    tcase_add_test(tc, check_succeeds_with_warnings_only);
    tcase_add_test(tc, check_fails_for_a_file_that_is_not_there);
    tcase_add_test(tc, a_configuration_without_servers_lists_no_servers);
    tcase_add_test(tc, servers_as_json_are_rows_with_fixed_members);
    tcase_add_test(tc, tools_as_json_are_rows_with_fixed_members);
    tcase_add_test(tc, the_table_of_tools_leaves_out_filtered_tools);
    tcase_add_test(tc, tools_can_be_limited_to_one_toolset);
    tcase_add_test(tc, an_unknown_toolset_is_refused_with_a_suggestion);
    tcase_add_test(tc, servers_are_a_table_with_era_version_and_latency);
    tcase_add_test(tc, colour_can_be_forced);
    tcase_add_test(tc, problems_say_why_tools_are_left_out);
    tcase_add_test(tc, a_failed_server_is_reported_and_the_others_are_loaded);
    tcase_add_test(tc, an_invalid_entry_gives_status_3_and_other_servers_work);
    tcase_add_test(tc, tool_shows_the_schema_as_the_server_wrote_it);
    tcase_add_test(tc, an_unknown_tool_is_refused_with_a_suggestion);

    tc = test_case(suite, "calling");
    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, call_prints_the_text_of_the_result);
    tcase_add_test(tc, call_gives_the_result_as_the_server_sent_it);
    tcase_add_test(tc, an_image_in_a_result_is_described);
    tcase_add_test(tc, a_tool_that_fails_gives_status_1);
    tcase_add_test(tc, a_call_that_takes_too_long_gives_status_4);
    tcase_add_test(tc, a_call_waits_only_for_its_own_server);
    tcase_add_test(tc, pairs_take_the_type_that_the_schema_names);
    tcase_add_test(tc, a_pair_of_the_wrong_type_is_refused);
    tcase_add_test(tc, a_pair_with_a_colon_is_json);
    tcase_add_test(tc, a_key_given_twice_is_refused);
    tcase_add_test(tc, arguments_can_come_from_a_file);
    tcase_add_test(tc, arguments_can_come_from_stdin);
    tcase_add_test(tc, arguments_that_are_bad_json_are_refused_with_their_place);
    tcase_add_test(tc, a_low_limit_of_descriptors_is_raised);
    tcase_add_test(tc, stdio_starts_one_server_without_a_file);
    tcase_add_test(tc, with_transport_sse_a_url_uses_the_transport_of_2024);
    tcase_add_test(tc, with_transport_sse_a_file_may_name_the_transport_of_2024);
    tcase_add_test(tc, transport_is_refused_where_it_does_not_apply);
    tcase_add_test(tc, the_option_era_sets_the_era_of_a_url);
    tcase_add_test(tc, tables_of_tools_and_servers_fit_100_columns);
    tcase_add_test(tc, a_server_without_the_tools_capability_is_marked_in_the_table);
    tcase_add_test(tc, server_shows_instructions_and_manual);
    tcase_add_test(tc, the_option_names_puts_the_server_before_each_tool);
    tcase_add_test(tc, servers_and_problems_show_where_a_server_s_error_begins);
    tcase_add_test(tc, the_admin_tools_are_offered_with_the_option_admin_only);
    tcase_add_test(tc, headers_come_from_a_file_and_from_the_environment);
    tcase_add_test(tc, verbose_shows_the_exchange_and_masks_secrets);
    tcase_add_test(tc, url_connects_to_one_server_without_a_file);
    tcase_add_test(tc, a_server_that_never_answers_is_named_with_the_time);
    tcase_add_test(tc, a_program_that_is_not_there_gives_status_4);
}

int
main(void)
{
    return test_main("ctl-commands", add);
}
