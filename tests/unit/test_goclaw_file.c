/* SPDX-License-Identifier: MIT
 *
 * test_goclaw_file.c - .goclaw/mcp.json as a source of servers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/goclaw.h"
#include "support/conf.h"
#include "support/rig.h"
#include "support/runner.h"

static mcphost_config *config;
static struct mcph_config_reader *reader;
static struct rig_workspace ws;

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, ".goclaw"), 0700), 0);
}

static void
down(void)
{
    config = mcph_config_unref(config);
    if (reader)
        reader->free(reader);
    reader = NULL;
    rig_workspace_down(&ws);
}

static void
parse_with(const char *text, uint64_t flags)
{
    config = mcph_config_unref(config);
    ck_assert_int_eq(
        mcph_goclaw_parse(text, strlen(text), "mcp.json", "/ws", flags, &config, NULL),
        0);
    ck_assert_ptr_nonnull(config);
}

static void
parse(const char *text)
{
    parse_with(text, 0);
}

/* Parses a file with one enabled server `x` on line 1.  `body` holds the other members of
 * `x`. */
static void
parse_server(const char *body)
{
    char text[1024];

    snprintf(text, sizeof(text), "{\"servers\":{\"x\":{\"enabled\":true,%s}}}", body);
    parse(text);
}

static const struct mcph_config_server *
server(const char *id)
{
    const struct mcph_config_server *found = mcph_config_find(config, id);

    ck_assert_msg(found != NULL, "no server '%s': %s", id, conf_diags(config));
    return found;
}

static void
read_source(const char *file)
{
    if (reader)
        reader->free(reader);
    config = mcph_config_unref(config);
    ck_assert_int_eq(mcph_goclaw_source_new(file, ws.dir, 0, &reader, NULL), 0);
    ck_assert_int_eq(reader->read(reader, &config, NULL), 0);
}

/* ---- the file ---------------------------------------------------------------------- */

START_TEST(a_missing_file_has_no_servers_and_no_diagnostics) /* R190, B.33 */
{
    read_source(NULL);
    ck_assert_int_eq(config->status, 0);
    ck_assert_uint_eq(config->servers.n, 0);
    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_str_eq(reader->file, rig_workspace_path(&ws, ".goclaw/mcp.json"));
    ck_assert_str_eq(reader->workspace, ws.dir);
}
END_TEST

START_TEST(a_file_without_bytes_has_no_servers_and_no_diagnostics) /* R190, B.33 */
{
    rig_workspace_write(&ws, ".goclaw/mcp.json", "%s", "");
    read_source(NULL);
    ck_assert_int_eq(config->status, 0);
    ck_assert_uint_eq(config->servers.n, 0);
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

/* R205, C1 */
START_TEST(a_named_file_is_read_relative_to_the_workspace_and_offers_no_set_enabled)
{
    rig_workspace_write(
        &ws, "mine.json", "%s",
        "{\"servers\":{\"a\":{\"enabled\":true,\"type\":\"stdio\",\"command\":\"x\"}}}");
    read_source("mine.json");
    ck_assert_str_eq(reader->file, rig_workspace_path(&ws, "mine.json"));
    ck_assert_str_eq(conf_spec(config, "a")->command, "x");
    ck_assert_ptr_null(reader->set_enabled);
}
END_TEST

START_TEST(a_named_file_that_is_missing_has_no_servers_and_a_warning) /* B.33 */
{
    read_source("none.json");
    ck_assert_int_eq(config->status, 0);
    ck_assert_uint_eq(config->servers.n, 0);
    ck_assert_str_eq(conf_diags(config),
                     "0:0 warning the file does not exist, so there are no servers\n");
}
END_TEST

START_TEST(a_workspace_that_is_missing_is_an_error) /* R190 */
{
    ck_assert_int_eq(mcph_goclaw_source_new(NULL, "/nowhere/at/all", 0, &reader, NULL),
                     0);
    ck_assert_int_eq(reader->read(reader, &config, NULL), 0);
    ck_assert_int_eq(config->status, MCPHOST_E_NOTFOUND);
}
END_TEST

START_TEST(a_file_that_is_too_large_is_rejected) /* R190 */
{
    char *text = malloc(MCPH_GOCLAW_SIZE_MAX + 2);

    ck_assert_ptr_nonnull(text);
    memset(text, ' ', MCPH_GOCLAW_SIZE_MAX + 1);
    memcpy(text, "{}", 2);
    text[MCPH_GOCLAW_SIZE_MAX + 1] = '\0';
    parse(text);
    ck_assert_int_eq(config->status, MCPHOST_E_LIMIT);
    rig_workspace_write(&ws, ".goclaw/mcp.json", "%s", text);
    read_source(NULL);
    ck_assert_int_eq(config->status, MCPHOST_E_LIMIT);
    text[MCPH_GOCLAW_SIZE_MAX] = '\0';
    parse(text);
    ck_assert_int_eq(config->status, 0);
    free(text);
}
END_TEST

/* ---- the top of the file ----------------------------------------------------------- */

static const struct {
    const char *text, *said;
} rejected[] = {
    {"[]", "1:1 error expected an object with 'version' and 'servers', found a list\n"},
    {"null", "1:1 error expected an object with 'version' and 'servers', found nothing "
             "(null)\n"},
    {"{\"version\":\"1\"}",
     "1:12 error version: expected the number 1, found a string\n"},
    {"{\"version\":1.5}", "1:12 error version: expected the number 1, found 1.5\n"},
    {"{\"version\":true}",
     "1:12 error version: expected the number 1, found a boolean\n"},
    {"{\n  \"servers\": []}",
     "2:14 error servers: expected an object of servers, found a list\n"},
    {"{\"servers\":{\n\"a\":{},\n\"a\":{}}}",
     "3:1 error servers.a: duplicate key, first on line 2\n"}, /* K14: server `a` twice */
    {"{\"servers\":{\"a\":{\"url\":\"\",\"url\":\"\"}}}",
     "1:27 error servers.a.url: duplicate key, first on line 1\n"}, /* K14: a key twice */
};

START_TEST(a_fault_at_the_top_rejects_the_file_with_its_place) /* R190, R8, B.33, K8 */
{
    parse(rejected[_i].text);
    ck_assert_int_eq(config->status, MCPHOST_E_CONFIG);
    ck_assert_uint_eq(config->servers.n, 0);
    ck_assert_str_eq(conf_diags(config), rejected[_i].said);
}
END_TEST

START_TEST(invalid_json_rejects_the_file_with_line_and_column) /* B.33 */
{
    parse("{\"version\":1,\n \"servers\":{,}}");
    ck_assert_int_eq(config->status, MCPHOST_E_CONFIG);
    ck_assert_int_eq(strncmp(conf_diags(config), "2:13 error not valid JSON", 25), 0);
    parse(" ");
    ck_assert_int_eq(config->status, MCPHOST_E_CONFIG);
}
END_TEST

static const struct {
    const char *version;
    uint64_t flags;
    int status;
    const char *said;
} versions[] = {
    {"", 0, 0, ""},
    {"\"version\":1,", 0, 0, ""},
    {"\"version\":0,", 0, 0, ""},
    {"\"version\":-3,", 0, 0, ""},
    {"\"version\":null,", 0, 0, ""},
    {"\"version\":2,", 0, MCPHOST_E_CONFIG,
     "1:12 error version: expected the number 1, found 2\n"},
    {"\"version\":7,", MCPHOST_GOCLAW_ANY_VERSION, 0,
     "1:12 warning version: expected the number 1, found 7; read as 1\n"},
    {"\"version\":1,", MCPHOST_GOCLAW_ANY_VERSION, 0, ""},
};

START_TEST(versions_below_1_count_as_1_and_higher_versions_need_a_flag)
/* B.33, K20 */
{
    char text[256];

    snprintf(text, sizeof(text),
             "{%s\"servers\":{\"a\":{\"enabled\":true,\"type\":\"stdio\","
             "\"command\":\"x\"}}}",
             versions[_i].version);
    parse_with(text, versions[_i].flags);
    ck_assert_int_eq(config->status, versions[_i].status);
    ck_assert_str_eq(conf_diags(config), versions[_i].said);
    ck_assert_uint_eq(config->servers.n, versions[_i].status == 0);
}
END_TEST

START_TEST(a_source_reads_a_higher_version_only_with_the_any_version_flag) /* K20 */
{
    rig_workspace_write(&ws, ".goclaw/mcp.json", "{\"version\":3,\"servers\":{}}");
    read_source(NULL);
    ck_assert_int_eq(config->status, MCPHOST_E_CONFIG);
    reader->free(reader);
    config = mcph_config_unref(config);
    ck_assert_int_eq(
        mcph_goclaw_source_new(NULL, ws.dir, MCPHOST_GOCLAW_ANY_VERSION, &reader, NULL),
        0);
    ck_assert_int_eq(reader->read(reader, &config, NULL), 0);
    ck_assert_int_eq(config->status, 0);
}
END_TEST

START_TEST(unknown_keys_get_a_warning_and_are_ignored) /* R190 */
{
    parse("{\"verison\":1,\"servers\":{\"x\":{\"enabled\":true,\"type\":\"stdio\","
          "\"command\":\"c\",\n\"timeoutSecond\":3,\"cwd\":\"/\"}}}");
    ck_assert_str_eq(
        conf_diags(config),
        "1:2 warning verison: unknown key, ignored; did you mean 'version'?\n"
        "2:1 warning servers.x.timeoutSecond: unknown key, ignored; did you mean "
        "'timeoutSeconds'?\n"
        "2:19 warning servers.x.cwd: unknown key, ignored\n");
    ck_assert_str_eq(conf_spec(config, "x")->cwd, "/ws");
}
END_TEST

/* ---- servers ----------------------------------------------------------------------- */

START_TEST(all_keys_of_a_stdio_server_are_read) /* R190 */
{
    const struct mcph_spec *spec;

    parse_server("\"type\":\"stdio\",\"command\":\"./bin/run\",\"args\":[\"a\",\"\"],"
                 "\"env\":{\"A\":\"1\",\"B\":\"{env:HOME}\"},\"timeoutSeconds\":7");
    ck_assert_str_eq(conf_diags(config), "");
    spec = conf_spec(config, "x");
    ck_assert_int_eq(spec->transport, MCPHOST_TRANSPORT_STDIO);
    ck_assert_str_eq(spec->source, "goclaw");
    ck_assert_str_eq(spec->command, "/ws/bin/run");
    ck_assert_uint_eq(spec->args.n, 2);
    ck_assert_str_eq(spec->args.items[0], "a");
    ck_assert_str_eq(spec->args.items[1], "");
    ck_assert_uint_eq(spec->env.n, 2);
    /* B.33: a value is literal text, never a reference to a variable. */
    ck_assert_str_eq(spec->env.items[1].text, "{env:HOME}");
    ck_assert_ptr_null(spec->env.items[1].env);
    ck_assert_int_eq(spec->start_timeout_ms, 7000);
    ck_assert_int_eq(spec->list_timeout_ms, 7000);
    ck_assert_int_eq(spec->call_timeout_ms, -1);
    ck_assert_int_eq(spec->line, 1);
    ck_assert_int_eq(spec->column, 13);
}
END_TEST

START_TEST(types_http_and_sse_have_a_url_and_headers) /* R190, K6 */
{
    const struct mcph_spec *spec;

    parse_server("\"type\":\"http\",\"url\":\"https://Example.com\","
                 "\"headers\":{\"X-Key\":\"s3cret\"}");
    ck_assert_str_eq(conf_diags(config), "");
    spec = conf_spec(config, "x");
    ck_assert_int_eq(spec->transport, MCPHOST_TRANSPORT_STREAMABLE_HTTP);
    ck_assert_str_eq(spec->url, "https://example.com/");
    ck_assert_str_eq(spec->headers.items[0].text, "s3cret");
    ck_assert_int_eq(spec->start_timeout_ms, -1);
    parse_server("\"type\":\"sse\",\"url\":\"http://localhost:1/sse\"");
    ck_assert_int_eq(conf_spec(config, "x")->transport, MCPHOST_TRANSPORT_SSE);
}
END_TEST

/* ---- keys of later goclaw versions ------------------------------------------------- */

START_TEST(without_a_type_command_means_stdio_and_url_means_http) /* B.39 */
{
    parse_server("\"command\":\"c\"");
    ck_assert_int_eq(conf_spec(config, "x")->transport, MCPHOST_TRANSPORT_STDIO);
    parse_server("\"url\":\"http://h/\"");
    ck_assert_int_eq(conf_spec(config, "x")->transport,
                     MCPHOST_TRANSPORT_STREAMABLE_HTTP);
    ck_assert_str_eq(conf_diags(config), "");
    /* Goclaw writes empty members for the keys that do not belong to the type. */
    parse_server("\"type\":\"stdio\",\"command\":\"c\",\"url\":\"\",\"args\":[],"
                 "\"env\":{},\"headers\":{},\"timeoutSeconds\":0");
    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_int_eq(conf_spec(config, "x")->transport, MCPHOST_TRANSPORT_STDIO);
}
END_TEST

static bool
passes(const char *tool)
{
    return mcphost_filter_match(conf_spec(config, "x")->filter, tool, NULL) ==
           MCPHOST_FILTER_PASSED;
}

START_TEST(tools_are_allowed_and_denied_by_name_and_a_denial_wins) /* B.39 */
{
    parse_server("\"command\":\"c\",\"enabled_tools\":[\"a\",\"b\"],"
                 "\"disabled_tools\":[\"b\",\"c\"]");
    ck_assert_str_eq(conf_diags(config), "");
    ck_assert(passes("a"));
    ck_assert(!passes("b"));
    ck_assert(!passes("c"));
    ck_assert(!passes("d"));
    parse_server("\"command\":\"c\",\"disabled_tools\":[\"b\"],\"enabled_tools\":[]");
    ck_assert(passes("a"));
    ck_assert(!passes("b"));
    parse_server(
        "\"command\":\"c\",\"enabled_tools\":[\"a\"],\"disabled_tools\":[\"a\"]");
    ck_assert(!passes("a"));
    ck_assert(!passes("b"));
}
END_TEST

/* Each `body` follows a member "command".  Times are in milliseconds.  -1 means not
 * set. */
static const struct {
    const char *body;
    int start, list, call;
} timeouts[] = {
    {"", -1, -1, -1},
    {",\"timeoutSeconds\":3", 3000, 3000, -1},
    {",\"timeoutSeconds\":3,\"startup_timeout_sec\":5", 5000, 5000, -1},
    {",\"startup_timeout_sec\":0.25,\"tool_timeout_sec\":90", 250, 250, 90000},
    {",\"timeoutSeconds\":3,\"startup_timeout_sec\":0,\"tool_timeout_sec\":0", 3000, 3000,
     -1},
    {",\"tool_timeout_sec\":0.0000001", -1, -1, 1},
};

START_TEST(the_newer_timeout_keys_win_over_timeout_seconds) /* B.37, B.39 */
{
    const struct mcph_spec *spec;
    char body[128];

    snprintf(body, sizeof(body), "\"command\":\"c\"%s", timeouts[_i].body);
    parse_server(body);
    ck_assert_str_eq(conf_diags(config), "");
    spec = conf_spec(config, "x");
    ck_assert_int_eq(spec->start_timeout_ms, timeouts[_i].start);
    ck_assert_int_eq(spec->list_timeout_ms, timeouts[_i].list);
    ck_assert_int_eq(spec->call_timeout_ms, timeouts[_i].call);
}
END_TEST

START_TEST(bearer_token_env_var_becomes_an_authorization_header) /* B.39, K13 */
{
    const struct mcph_value *value;

    parse_server(
        "\"url\":\"http://h/\",\"headers\":{\"X\":\"1\",\"authorization\":\"n\"},"
        "\"http_headers\":{\"Y\":\"2\"},\"bearer_token_env_var\":\"TOKEN\"");
    ck_assert_str_eq(conf_diags(config),
                     "1:86 warning servers.x.headers.authorization: not used, because "
                     "'bearer_token_env_var' is set\n");
    ck_assert_uint_eq(conf_spec(config, "x")->headers.n, 3);
    value = &conf_spec(config, "x")->headers.items[2];
    ck_assert_str_eq(value->name, "Authorization");
    ck_assert_str_eq(value->text, "Bearer ");
    ck_assert_str_eq(value->env, "TOKEN");
    ck_assert_str_eq(conf_spec(config, "x")->headers.items[1].name, "Y");
    /* The library ignores the key with a warning, because a stdio server cannot use the
     * key. */
    parse_server("\"command\":\"c\",\"bearer_token_env_var\":\"TOKEN\"");
    ck_assert_int_eq(server("x")->state, MCPHOST_CONFIG_SERVER_VALID);
    test_has(conf_diags(config), "bearer_token_env_var: has no meaning");
    ck_assert_uint_eq(conf_spec(config, "x")->headers.n, 0);
}
END_TEST

START_TEST(a_server_is_enabled_only_if_enabled_is_true) /* R191, B.33, K9 */
{
    parse("{\"servers\":{\"a\":{\"type\":\"stdio\",\"command\":\"x\"},"
          "\"b\":{\"enabled\":false,\"type\":\"nonsense\"},"
          "\"c\":{\"enabled\":null},\"d\":{\"enabled\":\"true\"},"
          "\"e\":{\"enabled\":true,\"type\":\"stdio\",\"command\":\"x\"}}}");
    ck_assert_int_eq(server("a")->state, MCPHOST_CONFIG_SERVER_DISABLED);
    ck_assert_int_eq(server("b")->state, MCPHOST_CONFIG_SERVER_DISABLED);
    ck_assert_int_eq(server("c")->state, MCPHOST_CONFIG_SERVER_DISABLED);
    ck_assert_int_eq(server("d")->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_int_eq(server("e")->state, MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_str_eq(
        conf_diags(config),
        "1:124 error servers.d.enabled: expected true or false, found a string\n");
}
END_TEST

/* Each `body` holds members of server `x`.  The first key of `body` is in column 33. */
static const struct {
    const char *body, *said;
} bad[] = {
    {"\"args\":[\"x\"]",
     "1:17 error servers.x.type: expected 'stdio', 'http' or 'sse', found nothing\n"},
    {"\"type\":\"ws\"",
     "1:40 error servers.x.type: expected 'stdio', 'http' or 'sse', found 'ws'\n"},
    {"\"type\":1", "1:40 error servers.x.type: expected 'stdio', 'http' or 'sse', found "
                   "a number (put it in quotes)\n"},
    {"\"type\":\"stdio\"",
     "1:17 error servers.x.command: expected the program to run, found nothing\n"},
    {"\"type\":\"stdio\",\"command\":\" \"",
     "1:58 error servers.x.command: expected a string that is not blank, found a blank "
     "one\n"},
    {"\"type\":\"http\"",
     "1:17 error servers.x.url: expected an http or https URL, found nothing\n"},
    {"\"type\":\"sse\",\"url\":null",
     "1:17 error servers.x.url: expected an http or https URL, found nothing\n"},
    {"\"type\":\"stdio\",\"command\":\"x\",\"args\":\"a\"",
     "1:69 error servers.x.args: expected a list of strings, found a string\n"},
    {"\"type\":\"stdio\",\"command\":\"x\",\"args\":[\"a\",2]",
     "1:74 error servers.x.args[1]: expected a string, found a number (put it in "
     "quotes)\n"},
    {"\"type\":\"stdio\",\"command\":\"x\",\"env\":{\"A\":{\"env\":\"B\"}}",
     "1:73 error servers.x.env.A: expected a string, found a map\n"},
    {"\"type\":\"http\",\"url\":\"http://h/\",\"headers\":{\"A B\":\"1\"}",
     "1:76 error servers.x.headers[\"A B\"]: expected the name of an HTTP header, found "
     "a key with other characters\n"},
    {"\"type\":\"stdio\",\"command\":\"x\",\"timeoutSeconds\":-1",
     "1:79 error servers.x.timeoutSeconds: expected seconds from 0 to 86400, found -1\n"},
    {"\"type\":\"stdio\",\"command\":\"x\",\"timeoutSeconds\":86401",
     "1:79 error servers.x.timeoutSeconds: expected seconds from 0 to 86400, found "
     "86401\n"},
    {"\"type\":\"stdio\",\"command\":\"x\",\"timeoutSeconds\":1.5",
     "1:79 error servers.x.timeoutSeconds: expected a whole number of seconds, found "
     "1.5\n"},
    {"\"command\":\"x\",\"url\":\"http://h/\"",
     "1:53 error servers.x.url: expected either 'command' or 'url', found both\n"
     "1:53 warning servers.x.url: has no meaning with transport 'stdio', ignored\n"},
    {"\"command\":\"x\",\"startup_timeout_sec\":\"1\"",
     "1:69 error servers.x.startup_timeout_sec: expected a number of seconds, found a "
     "string\n"},
    {"\"command\":\"x\",\"tool_timeout_sec\":-0.5",
     "1:66 error servers.x.tool_timeout_sec: expected seconds from 0 to 86400, found "
     "-0.5\n"},
    {"\"command\":\"x\",\"enabled_tools\":[\"a\",\" \"]",
     "1:68 error servers.x.enabled_tools[1]: expected a string that is not blank, found "
     "a "
     "blank one\n"},
    {"\"command\":\"x\",\"disabled_tools\":[\"a*\"]",
     "1:65 error servers.x.disabled_tools[0]: expected the name of a tool, found one "
     "with "
     "a '*'\n"},
    {"\"command\":\"x\",\"enabled_tools\":\"a\"",
     "1:63 error servers.x.enabled_tools: expected a list of strings, found a string\n"},
    {"\"url\":\"http://h/\",\"bearer_token_env_var\":\"A=B\"",
     "1:74 error servers.x.bearer_token_env_var: expected the name of an environment "
     "variable, found one with a '='\n"},
    {"\"url\":\"http://h/\",\"bearer_token_env_var\":\" \"",
     "1:74 error servers.x.bearer_token_env_var: expected a string that is not blank, "
     "found a blank one\n"},
    {"\"url\":\"http://h/\",\"headers\":{\"X-a\":\"1\"},\"http_headers\":{\"x-A\":"
     "\"1\"}",
     "1:89 error servers.x.http_headers.x-A: the header is also in 'headers'\n"},
    {"\"url\":\"http://h/\",\"http_headers\":{\"A B\":\"1\"}",
     "1:67 error servers.x.http_headers[\"A B\"]: expected the name of an HTTP header, "
     "found a key with other characters\n"},
};

START_TEST(an_invalid_server_gets_an_error_with_line_column_and_key) /* R190, R8, B.33 */
{
    parse_server(bad[_i].body);
    ck_assert_int_eq(config->status, 0);
    ck_assert_int_eq(server("x")->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_str_eq(conf_diags(config), bad[_i].said);
}
END_TEST

START_TEST(an_invalid_server_does_not_affect_the_others) /* R190, B.33 */
{
    parse("{\"servers\":{\"a\":{\"enabled\":true},\"b\":[],"
          "\"c\":{\"enabled\":true,\"type\":\"stdio\",\"command\":\"x\"}}}");
    ck_assert_int_eq(config->status, 0);
    ck_assert_int_eq(server("a")->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_int_eq(server("b")->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_int_eq(server("c")->state, MCPHOST_CONFIG_SERVER_VALID);
    test_has(conf_diags(config), "servers.b: expected an object, found a list");
}
END_TEST

START_TEST(a_transport_that_the_source_does_not_allow_makes_a_server_invalid) /* K6 */
{
    rig_workspace_write(&ws, ".goclaw/mcp.json", "%s",
                        "{\"servers\":{\"a\":{\"enabled\":true,\"type\":\"sse\",\"url\":"
                        "\"http://h/\"}}}");
    read_source(NULL);
    ck_assert_int_eq(server("a")->state, MCPHOST_CONFIG_SERVER_VALID);
    config = mcph_config_unref(config);
    reader->transports = MCPH_TRANSPORTS_USUAL;
    ck_assert_int_eq(reader->read(reader, &config, NULL), 0);
    ck_assert_int_eq(server("a")->state, MCPHOST_CONFIG_SERVER_INVALID);
    test_has(conf_diags(config), "expected 'stdio' or 'http', found 'sse'");
}
END_TEST

START_TEST(a_server_name_that_a_put_would_refuse_is_read_with_a_warning) /* B.34, K4 */
{
    parse("{\"servers\":{\"my.web\":{\"enabled\":true,\"type\":\"stdio\","
          "\"command\":\"x\"},\" \":{}}}");
    ck_assert_int_eq(server("my.web")->state, MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_int_eq(server(" ")->state, MCPHOST_CONFIG_SERVER_INVALID);
    test_has(conf_diags(config),
             "warning servers[\"my.web\"]: the name of the server has "
             "a character other than");
}
END_TEST

START_TEST(no_message_has_a_value_of_env_headers_or_url) /* R18, K13 */
{
    parse_server("\"type\":\"http\",\"url\":\"ftp://u:HIDDEN@h/?HIDDEN\","
                 "\"headers\":{\"A\":\"HIDDEN\\u0001\",\"B\":[\"HIDDEN\"]},"
                 "\"env\":{\"C\":\"HIDDEN\"}");
    ck_assert_int_eq(server("x")->state, MCPHOST_CONFIG_SERVER_INVALID);
    test_has_not(conf_diags(config), "HIDDEN");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "file");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_missing_file_has_no_servers_and_no_diagnostics);
    tcase_add_test(tc, a_file_without_bytes_has_no_servers_and_no_diagnostics);
    tcase_add_test(
        tc, a_named_file_is_read_relative_to_the_workspace_and_offers_no_set_enabled);
    tcase_add_test(tc, a_named_file_that_is_missing_has_no_servers_and_a_warning);
    tcase_add_test(tc, a_workspace_that_is_missing_is_an_error);
    tcase_add_test(tc, a_file_that_is_too_large_is_rejected);

    tc = test_case(suite, "top");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_fault_at_the_top_rejects_the_file_with_its_place, 0,
                        (int)MCPH_ARRAY_SIZE(rejected));
    tcase_add_test(tc, invalid_json_rejects_the_file_with_line_and_column);
    tcase_add_loop_test(tc, versions_below_1_count_as_1_and_higher_versions_need_a_flag,
                        0, (int)MCPH_ARRAY_SIZE(versions));
    tcase_add_test(tc, a_source_reads_a_higher_version_only_with_the_any_version_flag);
    tcase_add_test(tc, unknown_keys_get_a_warning_and_are_ignored);

    tc = test_case(suite, "servers");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, all_keys_of_a_stdio_server_are_read);
    tcase_add_test(tc, types_http_and_sse_have_a_url_and_headers);
    tcase_add_test(tc, without_a_type_command_means_stdio_and_url_means_http);
    tcase_add_test(tc, tools_are_allowed_and_denied_by_name_and_a_denial_wins);
    tcase_add_loop_test(tc, the_newer_timeout_keys_win_over_timeout_seconds, 0,
                        (int)MCPH_ARRAY_SIZE(timeouts));
    tcase_add_test(tc, bearer_token_env_var_becomes_an_authorization_header);
    tcase_add_test(tc, a_server_is_enabled_only_if_enabled_is_true);
    tcase_add_loop_test(tc, an_invalid_server_gets_an_error_with_line_column_and_key, 0,
                        (int)MCPH_ARRAY_SIZE(bad));
    tcase_add_test(tc, an_invalid_server_does_not_affect_the_others);
    tcase_add_test(tc, a_transport_that_the_source_does_not_allow_makes_a_server_invalid);
    tcase_add_test(tc, a_server_name_that_a_put_would_refuse_is_read_with_a_warning);
    tcase_add_test(tc, no_message_has_a_value_of_env_headers_or_url);
}

int
main(void)
{
    return test_main("goclaw-file", add);
}
