/* SPDX-License-Identifier: MIT
 *
 * test_profile_dominds_server.c - the keys of one server in .minds/mcp.yaml.
 */
#include <stdio.h>
#include <string.h>

#include "support/conf.h"
#include "support/runner.h"

static mcphost_config *config;

static void
down(void)
{
    config = mcph_config_unref(config);
}

static const struct mcph_spec *
spec_of(const char *body)
{
    config = conf_load_server(body);
    ck_assert_int_eq(config->status, 0);
    return conf_spec(config, "x");
}

/* The tables below have bodies of the server `x`.  The first key of a body is on line
 * 4. */
#define STDIO "transport: stdio\ncommand: c\n"
#define HTTP  "transport: streamable_http\nurl: http://h/\n"

START_TEST(all_but_transport_and_command_has_a_default) /* R5 */
{
    const struct mcph_spec *spec = spec_of(STDIO);

    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_int_eq(spec->transport, MCPHOST_TRANSPORT_STDIO);
    ck_assert_str_eq(spec->command, "c");
    ck_assert_int_eq((int)spec->args.n, 0);
    ck_assert_int_eq((int)spec->env.n, 0);
    ck_assert_str_eq(spec->cwd, "/ws");
    ck_assert(!spec->stateless);
    ck_assert_int_eq((int)spec->transform->n, 0);
    ck_assert(spec->start_timeout_ms == -1 && spec->list_timeout_ms == -1 &&
              spec->call_timeout_ms == -1);
    ck_assert_int_eq(spec->era, MCPHOST_ERA_AUTO);
    ck_assert_int_eq(spec->line, 3);
}
END_TEST

START_TEST(an_http_server_needs_a_url_alone) /* R5 R7 */
{
    const struct mcph_spec *spec = spec_of(HTTP);

    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_int_eq(spec->transport, MCPHOST_TRANSPORT_STREAMABLE_HTTP);
    ck_assert_str_eq(spec->url, "http://h/");
    ck_assert_int_eq((int)spec->headers.n, 0);
    ck_assert_ptr_null(spec->session_id);
    ck_assert_ptr_null(spec->command);
}
END_TEST

START_TEST(the_documented_example_is_read_whole) /* R5 R11 R12 R13 */
{
    const struct mcph_spec *spec = spec_of("truely-stateless: true\n"
                                           "transport: stdio\n"
                                           "command: npx\n"
                                           "args: ['-y', '@playwright/mcp@latest']\n"
                                           "env:\n"
                                           "  MODE: 'fixed'\n"
                                           "  NEW_NAME: {env: OLD_NAME}\n"
                                           "tools:\n"
                                           "  whitelist: ['browser_*', 'page_*']\n"
                                           "  blacklist: ['*_unsafe']\n"
                                           "transform:\n"
                                           "  - prefix: 'playwright_'\n"
                                           "  - prefix: {remove: a_, add: b_}\n"
                                           "  - suffix: '_x'\n");

    ck_assert_str_eq(conf_diags(config), "");
    ck_assert(spec->stateless);
    ck_assert_int_eq((int)spec->args.n, 2);
    ck_assert_str_eq(spec->args.items[1], "@playwright/mcp@latest");
    ck_assert_str_eq(spec->env.items[0].text, "fixed");
    ck_assert_ptr_null(spec->env.items[0].env);
    ck_assert_str_eq(spec->env.items[1].name, "NEW_NAME");
    ck_assert_str_eq(spec->env.items[1].env, "OLD_NAME");
    ck_assert_str_eq(spec->filter->whitelist_text, "browser_*, page_*");
    ck_assert_str_eq(spec->filter->lists[MCPH_FILTER_BLACKLIST].items[0].text,
                     "*_unsafe");
    ck_assert_int_eq((int)spec->transform->n, 3);
    ck_assert_str_eq(spec->transform->steps[1].remove, "a_");
    ck_assert_int_eq(spec->transform->steps[2].kind, MCPH_TRANSFORM_SUFFIX);
}
END_TEST

START_TEST(headers_take_literals_references_and_prefixes) /* R17 */
{
    const struct mcph_spec *spec =
        spec_of(HTTP "headers:\n"
                     "  X-Team: blue\n"
                     "  X-Key: {env: KEY}\n"
                     "  Authorization: {prefix: 'Bearer ', env: T}\n"
                     "sessionId: s1\n");

    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_str_eq(spec->headers.items[0].text, "blue");
    ck_assert_str_eq(spec->headers.items[1].env, "KEY");
    ck_assert_str_eq(spec->headers.items[1].text, "");
    ck_assert_str_eq(spec->headers.items[2].text, "Bearer ");
    ck_assert_str_eq(spec->headers.items[2].env, "T");
    ck_assert_str_eq(spec->session_id, "s1");
}
END_TEST

START_TEST(proxy_tls_and_other_connection_keys_are_read) /* R1 R20 */
{
    const struct mcph_spec *spec = spec_of(HTTP "proxy: 'http://u:p@proxy:3128'\n"
                                                "publicOnly: true\n"
                                                "callsInFlight: 4\n"
                                                "timeouts: {connect: 2.5, idle: 60}\n"
                                                "tls:\n"
                                                "  caFile: pki/ca.pem\n"
                                                "  caDir: /etc/pki\n"
                                                "  clientCert: ./me.pem\n"
                                                "  clientKey: me.key\n"
                                                "  keyPassword: {prefix: a, env: PW}\n");

    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_uint_eq(spec->proxy.n, 1);
    ck_assert_str_eq(spec->proxy.items[0].text, "http://u:p@proxy:3128");
    ck_assert_ptr_null(spec->proxy.items[0].env);
    ck_assert(spec->public_only);
    ck_assert_uint_eq(spec->calls_in_flight, 4);
    ck_assert_int_eq(spec->connect_timeout_ms, 2500);
    ck_assert_int_eq(spec->idle_timeout_ms, 60000);
    ck_assert_str_eq(spec->ca_file, "/ws/pki/ca.pem");
    ck_assert_str_eq(spec->ca_dir, "/etc/pki");
    ck_assert_str_eq(spec->client_cert, "/ws/me.pem");
    ck_assert_str_eq(spec->client_key, "/ws/me.key");
    ck_assert_str_eq(spec->key_password.items[0].text, "a");
    ck_assert_str_eq(spec->key_password.items[0].env, "PW");
}
END_TEST

START_TEST(proxy_tls_and_other_connection_keys_have_defaults) /* R20 */
{
    const struct mcph_spec *spec = spec_of(HTTP);

    ck_assert_uint_eq(spec->proxy.n + spec->key_password.n + spec->calls_in_flight, 0);
    ck_assert(!spec->public_only && !spec->ca_file && !spec->ca_dir &&
              !spec->client_cert && !spec->client_key);
    ck_assert(spec->connect_timeout_ms == -1 && spec->idle_timeout_ms == -1);
}
END_TEST

START_TEST(a_blank_session_id_is_absent) /* R5 */
{
    ck_assert_ptr_null(spec_of(HTTP "sessionId: ''")->session_id);
    down();
    ck_assert_ptr_null(spec_of(HTTP "sessionId: '  '")->session_id);
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

START_TEST(a_transform_step_may_be_a_map) /* R48 */
{
    const struct mcph_spec *spec = spec_of(STDIO "transform: [{prefix: p_}, {map: '-'}]");

    ck_assert_uint_eq(spec->transform->n, 2);
    ck_assert_int_eq(spec->transform->steps[1].kind, MCPH_TRANSFORM_MAP);
    ck_assert_str_eq(spec->transform->steps[1].add, "-");
}
END_TEST

START_TEST(the_misspelt_key_truly_stateless_is_ignored_with_a_hint) /* R6 */
{
    ck_assert(!spec_of(STDIO "truly-stateless: true")->stateless);
    ck_assert_str_eq(
        conf_diags(config),
        "6:5 warning servers.x.truly-stateless: unknown key, ignored; did you "
        "mean 'truely-stateless'?\n");
}
END_TEST

START_TEST(a_referenced_variable_is_not_looked_up_when_the_file_is_read) /* R15 */
{
    const struct mcph_spec *spec = spec_of(STDIO "env: {A: {env: MCPH_SURELY_NOT_SET}}");

    ck_assert_str_eq(spec->env.items[0].env, "MCPH_SURELY_NOT_SET");
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

/* Bodies that make the server invalid, each with its diagnostics. */
static const struct {
    const char *body, *said;
} invalid[] = {
    /* faults of the whole entry */
    {"", "3:5 error servers.x: expected a map, found nothing (null)\n"},
    {"[]", "4:5 error servers.x: expected a map, found a list\n"},
    {"text", "4:5 error servers.x: expected a map, found a string\n"},
    {"{}", "4:5 error servers.x.transport: expected 'stdio' or 'streamable_http', found "
           "nothing\n"},
    {"enabled: \"false\"\n" STDIO,
     "4:14 error servers.x.enabled: expected true or false, found a string\n"},
    {"enabled: no\n" STDIO,
     "4:14 error servers.x.enabled: expected true or false, found a string\n"},
    {"enabled: 1\n" STDIO,
     "4:14 error servers.x.enabled: expected true or false, found a number\n"},
    {"enabled:\n" STDIO,
     "4:13 error servers.x.enabled: expected true or false, found nothing (null)\n"},
    /* faults of `transport` */
    {"command: c",
     "4:5 error servers.x.transport: expected 'stdio' or 'streamable_http', "
     "found nothing\n"},
    {"transport: sse", "4:16 error servers.x.transport: expected 'stdio' or "
                       "'streamable_http', found 'sse'\n"},
    {"transport: STDIO", "4:16 error servers.x.transport: expected 'stdio' or "
                         "'streamable_http', found 'STDIO'\n"},
    {"transport: 1", "4:16 error servers.x.transport: expected 'stdio' or "
                     "'streamable_http', found a number (put it in quotes)\n"},
    /* faults of `command`, `args` and `cwd` */
    {"transport: stdio",
     "4:5 error servers.x.command: expected the program to run, found nothing\n"},
    {"transport: stdio\ncommand: ''", "5:14 error servers.x.command: expected a string "
                                      "that is not blank, found a blank one\n"},
    {"transport: stdio\ncommand: ' '", "5:14 error servers.x.command: expected a string "
                                       "that is not blank, found a blank one\n"},
    {"transport: stdio\ncommand: [node]",
     "5:14 error servers.x.command: expected a string, found a list\n"},
    {"transport: stdio\ncommand: 7", "5:14 error servers.x.command: expected a string, "
                                     "found a number (put it in quotes)\n"},
    {STDIO "args: x", "6:11 error servers.x.args: expected a list of strings, found a "
                      "string\n"},
    {STDIO "args:",
     "6:10 error servers.x.args: expected a list of strings, found nothing "
     "(null)\n"},
    {STDIO "args: [a, 1]",
     "6:15 error servers.x.args[1]: expected a string, found a number "
     "(put it in quotes)\n"},
    {STDIO "args: [true]",
     "6:12 error servers.x.args[0]: expected a string, found a boolean "
     "(put it in quotes)\n"},
    {STDIO "args: [~, [a]]",
     "6:12 error servers.x.args[0]: expected a string, found nothing (null)\n"
     "6:15 error servers.x.args[1]: expected a string, found a list\n"},
    {STDIO "cwd: ' '", "6:10 error servers.x.cwd: expected a string that is not blank, "
                       "found a blank one\n"},
    {STDIO "cwd: 1",
     "6:10 error servers.x.cwd: expected a string, found a number (put it in quotes)\n"},
    /* faults of `env` */
    {STDIO "env:", "6:9 error servers.x.env: expected a map, found nothing (null)\n"},
    {STDIO "env: [A=1]", "6:10 error servers.x.env: expected a map, found a list\n"},
    {STDIO "env: {PORT: 3000}",
     "6:17 error servers.x.env.PORT: expected a string or {env: "
     "NAME}, found a number (put it in quotes)\n"},
    {STDIO "env: {A: true}",
     "6:14 error servers.x.env.A: expected a string or {env: NAME}, "
     "found a boolean (put it in quotes)\n"},
    {STDIO "env: {A: }", "6:14 error servers.x.env.A: expected a string or {env: NAME}, "
                         "found nothing (null)\n"},
    {STDIO "env: {A: [x]}",
     "6:14 error servers.x.env.A: expected a string or {env: NAME}, "
     "found a list\n"},
    {STDIO "env: {A: {}}",
     "6:14 error servers.x.env.A: expected a string or {env: NAME}, "
     "found a map without 'env'\n"},
    {STDIO "env: {A: {env: ' '}}",
     "6:20 error servers.x.env.A.env: expected a string that is "
     "not blank, found a blank one\n"},
    {STDIO "env: {A: {env: 1}}",
     "6:20 error servers.x.env.A.env: expected a string, found a "
     "number (put it in quotes)\n"},
    {STDIO "env: {A: {env: B, prefix: 1}}",
     "6:31 error servers.x.env.A.prefix: expected a string, found a number (put it in "
     "quotes)\n"},
    {STDIO "env: {'A=B': x}",
     "6:11 error servers.x.env[\"A=B\"]: expected the name of an "
     "environment variable, found one that is empty or has a '='\n"},
    {STDIO "env: {'': x}",
     "6:11 error servers.x.env[\"\"]: expected the name of an "
     "environment variable, found one that is empty or has a '='\n"},
    /* faults of `url`, `headers` and `sessionId` */
    {"transport: streamable_http",
     "4:5 error servers.x.url: expected an http or https URL, found nothing\n"},
    {"transport: streamable_http\nurl: ''", "5:10 error servers.x.url: expected a string "
                                            "that is not blank, found a blank one\n"},
    {"transport: streamable_http\nurl: ftp://u:secret@h/",
     "5:10 error servers.x.url: expected an http or https URL, found one that does not "
     "begin "
     "with http:// or https://\n"},
    {"transport: streamable_http\nurl: http://u:secret@h:99999/",
     "5:10 error servers.x.url: expected an http or https URL, found one that has a port "
     "that is not a number up to 65535\n"},
    {HTTP "headers: x", "6:14 error servers.x.headers: expected a map, found a string\n"},
    {HTTP "headers: {A: 1}", "6:18 error servers.x.headers.A: expected a string or {env: "
                             "NAME}, found a number (put it in quotes)\n"},
    {HTTP "headers: {'a b': x}",
     "6:15 error servers.x.headers[\"a b\"]: expected the name of "
     "an HTTP header, found a key with other characters\n"},
    {HTTP "headers: {A: \"x\\ny\"}",
     "6:18 error servers.x.headers.A: expected a text on one "
     "line, found a control character\n"},
    {HTTP "headers: {A: {prefix: \"x\\ny\", env: B}}",
     "6:18 error servers.x.headers.A: expected a text on one line, found a control "
     "character\n"},
    {HTTP "sessionId: 1", "6:16 error servers.x.sessionId: expected a string, found a "
                          "number (put it in quotes)\n"},
    {HTTP "sessionId:",
     "6:15 error servers.x.sessionId: expected a string, found nothing (null)\n"},
    {HTTP "sessionId: \"a\\r\\nX: y\"",
     "6:16 error servers.x.sessionId: expected at most 4096 visible ASCII characters, "
     "found others or more\n"},
    /* faults of `proxy`, `tls`, `publicOnly` and other keys of a connection */
    {HTTP "proxy: proxy.example:3128",
     "6:12 error servers.x.proxy: expected 'none' or a proxy, found one that does not "
     "begin with http://, https://, socks5:// or socks5h://\n"},
    {HTTP "proxy: ftp://u:secret@proxy:1",
     "6:12 error servers.x.proxy: expected 'none' or a proxy, found one that does not "
     "begin with http://, https://, socks5:// or socks5h://\n"},
    {HTTP "proxy: http://u:secret@proxy",
     "6:12 error servers.x.proxy: expected 'none' or a proxy, found one that has no "
     "port\n"},
    {HTTP "proxy: http://proxy:99999",
     "6:12 error servers.x.proxy: expected 'none' or a proxy, found one that has a port "
     "that is not a number up to 65535\n"},
    {HTTP "proxy: http://proxy:1/path",
     "6:12 error servers.x.proxy: expected 'none' or a proxy, found one that has more "
     "than scheme, host and port\n"},
    {HTTP "proxy: {prefix: x}", "6:12 error servers.x.proxy: expected a string or {env: "
                                "NAME}, found a map without 'env'\n"},
    {HTTP "proxy: 3128", "6:12 error servers.x.proxy: expected a string or {env: NAME}, "
                         "found a number (put it in quotes)\n"},
    {HTTP "tls: pki", "6:10 error servers.x.tls: expected a map, found a string\n"},
    {HTTP "tls: {caFile: ' '}",
     "6:19 error servers.x.tls.caFile: expected a string that is not blank, found a "
     "blank one\n"},
    {HTTP "tls: {caDir: [a]}",
     "6:18 error servers.x.tls.caDir: expected a string, found a list\n"},
    {HTTP "tls: {clientKey: k}", "6:22 error servers.x.tls.clientKey: expected "
                                 "'clientCert' next to it, found nothing\n"},
    {HTTP "tls: {keyPassword: p}", "6:24 error servers.x.tls.keyPassword: expected "
                                   "'clientCert' next to it, found nothing\n"},
    {HTTP "publicOnly: 'true'",
     "6:17 error servers.x.publicOnly: expected true or false, found a string\n"},
    {STDIO "callsInFlight: 0", "6:20 error servers.x.callsInFlight: expected a whole "
                               "number from 1 to 100000, found 0\n"},
    {STDIO "callsInFlight: 1.5", "6:20 error servers.x.callsInFlight: expected a whole "
                                 "number from 1 to 100000, found 1.5\n"},
    {HTTP "callsInFlight: many", "6:20 error servers.x.callsInFlight: expected a whole "
                                 "number, found a string\n"},
    {HTTP "timeouts: {idle: 0}", "6:22 error servers.x.timeouts.idle: expected seconds "
                                 "from 0.001 to 86400, found 0\n"},
    {HTTP "timeouts: {connect: soon}",
     "6:25 error servers.x.timeouts.connect: expected a number of seconds, found a "
     "string\n"},
    /* faults of a map step and of `truely-stateless` */
    {STDIO "transform: [{map: x}]",
     "6:23 error servers.x.transform[0]: expected '_' or '-', found 'x'\n"},
    {STDIO "truely-stateless: 'true'",
     "6:23 error servers.x.truely-stateless: expected true or false, found a string\n"},
    {STDIO "truely-stateless: yes",
     "6:23 error servers.x.truely-stateless: expected true or false, found a string\n"},
    /* faults of `tools` */
    {STDIO "tools:",
     "6:11 error servers.x.tools: expected a map, found nothing (null)\n"},
    {STDIO "tools: [a]", "6:12 error servers.x.tools: expected a map, found a list\n"},
    {STDIO "tools: {whitelist: a}",
     "6:24 error servers.x.tools.whitelist: expected a list of "
     "strings, found a string\n"},
    {STDIO "tools: {blacklist: [a, 1]}",
     "6:28 error servers.x.tools.blacklist[1]: expected a "
     "string, found a number (put it in quotes)\n"},
    /* faults of `transform` */
    {STDIO "transform: {prefix: a}",
     "6:16 error servers.x.transform: expected a list, found a map\n"},
    {STDIO "transform:",
     "6:15 error servers.x.transform: expected a list, found nothing (null)\n"},
    {STDIO "transform: [a]", "6:17 error servers.x.transform[0]: expected {prefix: ...}, "
                             "{suffix: ...} or {map: ...}, found a string\n"},
    {STDIO "transform: [{prefix: a}, {}]", "6:30 error servers.x.transform[1]: expected "
                                           "'prefix', 'suffix' or 'map', found none\n"},
    {STDIO "transform: [{prefix: 1}]", "6:26 error servers.x.transform[0].prefix: "
                                       "expected a string or {remove: string, add: "
                                       "string}, found a number\n"},
    {STDIO "transform: [{prefix: {add: a}}]",
     "6:26 error servers.x.transform[0].prefix: expected both 'remove' and 'add', found "
     "only "
     "'add'\n"},
    {STDIO "transform: [{prefix: {remove: a}}]",
     "6:26 error servers.x.transform[0].prefix: expected both 'remove' and 'add', found "
     "only "
     "'remove'\n"},
    {STDIO "transform: [{prefix: {}}]",
     "6:26 error servers.x.transform[0].prefix: expected both 'remove' and 'add', found "
     "neither\n"},
    {STDIO "transform: [{prefix: {remove: 1, add: a}}]",
     "6:35 error servers.x.transform[0].prefix.remove: expected a string, found a number "
     "(put it in quotes)\n"},
    {STDIO "transform: [{suffix: [a]}]",
     "6:26 error servers.x.transform[0].suffix: expected a string, found a list\n"},
    {STDIO "tools: {transform: [{}]}",
     "6:25 error servers.x.tools.transform[0]: expected 'prefix', 'suffix' or "
     "'map', found none\n"},
    /* faults of `timeouts`, `era` and other keys */
    {STDIO "timeouts: 5",
     "6:15 error servers.x.timeouts: expected a map with 'start', 'list' "
     "and 'call', found a number\n"},
    {STDIO "timeouts: {start: '5'}",
     "6:23 error servers.x.timeouts.start: expected a number "
     "of seconds, found a string\n"},
    {STDIO "timeouts: {call: 0}",
     "6:22 error servers.x.timeouts.call: expected seconds from "
     "0.001 to 86400, found 0\n"},
    {STDIO "timeouts: {call: -1}",
     "6:22 error servers.x.timeouts.call: expected seconds from "
     "0.001 to 86400, found -1\n"},
    {STDIO "timeouts: {list: .inf}",
     "6:22 error servers.x.timeouts.list: expected seconds "
     "from 0.001 to 86400, found .inf\n"},
    {STDIO "timeouts: {list: .nan}",
     "6:22 error servers.x.timeouts.list: expected seconds "
     "from 0.001 to 86400, found .nan\n"},
    {STDIO "era: old",
     "6:10 error servers.x.era: expected 'auto', 'legacy' or 'modern', found 'old'\n"},
    {STDIO "era: 2",
     "6:10 error servers.x.era: expected 'auto', 'legacy' or 'modern', found a "
     "number (put it in quotes)\n"},
    {STDIO "containment: docker",
     "6:18 error servers.x.containment: expected 'auto', 'tree', 'cgroup' or 'pid', "
     "found 'docker'\n"},
    /* `group` is a value that only a status shows; faults of `arguments` and `results` */
    {STDIO "containment: group",
     "6:18 error servers.x.containment: expected 'auto', 'tree', 'cgroup' or 'pid', "
     "found 'group'\n"},
    {STDIO "arguments: strict",
     "6:16 error servers.x.arguments: expected 'object', 'off', 'full' or "
     "'complete', found 'strict'\n"},
    {STDIO "results: [fail]",
     "6:14 error servers.x.results: expected 'off', 'report' or 'fail', found a list\n"},
    /* several faults at once, in the order of the file */
    {"era: x\ntransport: stdio\nargs: 1\n",
     "4:5 error servers.x.command: expected the program to run, found nothing\n"
     "4:10 error servers.x.era: expected 'auto', 'legacy' or 'modern', found 'x'\n"
     "6:11 error servers.x.args: expected a list of strings, found a number\n"},
};

START_TEST(an_unexpected_value_is_an_error_with_its_key_path) /* R5 R7 R8 R115 */
{
    const struct mcph_config_server *server;

    config = conf_load_server(invalid[_i].body);
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(conf_diags(config), invalid[_i].said);
    server = mcph_config_find(config, "x");
    ck_assert_int_eq(server->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_ptr_null(server->spec);
    ck_assert_ptr_nonnull(server->error);
}
END_TEST

/* Bodies that are valid but get a warning, each with the warning. */
static const struct {
    const char *body, *said;
} warned[] = {
    {STDIO "notes: x", "6:5 warning servers.x.notes: unknown key, ignored\n"},
    {STDIO "Args: [a]",
     "6:5 warning servers.x.Args: unknown key, ignored; did you mean 'args'?\n"},
    {STDIO "url: http://h",
     "6:10 warning servers.x.url: has no meaning with transport 'stdio', ignored\n"},
    {STDIO "headers: 1",
     "6:14 warning servers.x.headers: has no meaning with transport 'stdio', ignored\n"},
    {STDIO "proxy: http://h:1\npublicOnly: true\ntls: {}",
     "6:12 warning servers.x.proxy: has no meaning with transport 'stdio', ignored\n"
     "7:17 warning servers.x.publicOnly: has no meaning with transport 'stdio', "
     "ignored\n"
     "8:10 warning servers.x.tls: has no meaning with transport 'stdio', ignored\n"},
    {STDIO "timeouts: {connect: 1, idle: 1}",
     "6:25 warning servers.x.timeouts.connect: has no meaning with transport 'stdio', "
     "ignored\n"
     "6:34 warning servers.x.timeouts.idle: has no meaning with transport 'stdio', "
     "ignored\n"},
    {HTTP "tls: {cafile: x}",
     "6:11 warning servers.x.tls.cafile: unknown key, ignored; did you mean 'caFile'?\n"},
    {HTTP "command: c", "6:14 warning servers.x.command: has no meaning with transport "
                        "'streamable_http', ignored\n"},
    {HTTP "env: {A: 1}", "6:10 warning servers.x.env: has no meaning with transport "
                         "'streamable_http', ignored\n"},
    {STDIO "env: {A: {env: B, default: c}}",
     "6:23 warning servers.x.env.A.default: unknown key, ignored\n"},
    {STDIO "tools: {whitlist: [a]}",
     "6:13 warning servers.x.tools.whitlist: unknown key, ignored; did you mean "
     "'whitelist'?\n"},
    {STDIO "timeouts: {starts: 1}", "6:16 warning servers.x.timeouts.starts: unknown "
                                    "key, ignored; did you mean 'start'?\n"},
    {STDIO "transform: [{prefix: a, suffix: b}]",
     "6:17 warning servers.x.transform[0]: 'suffix' is ignored next to 'prefix'; make it "
     "a separate item\n"},
    {STDIO "transform: [{map: _, suffix: b}, {map: _, prefix: a}]",
     "6:17 warning servers.x.transform[0]: 'map' is ignored next to 'suffix'; make it "
     "a separate item\n"
     "6:38 warning servers.x.transform[1]: 'map' is ignored next to 'prefix'; make it "
     "a separate item\n"},
    {STDIO "transform: [{prefix: a, infix: b}]",
     "6:29 warning servers.x.transform[0].infix: unknown key, ignored\n"},
    {STDIO "transform: [{prefix: {remove: a, add: b, ad: c}}]",
     "6:46 warning servers.x.transform[0].prefix.ad: unknown key, ignored; did you mean "
     "'add'?\n"},
    {STDIO "manual: 1", "6:13 warning servers.x.manual: expected a string, or a map of "
                        "content, contentFile and sections, found a number, "
                        "ignored\n"},
    {STDIO "manual: {content: [1], whatever: 2}",
     "6:23 warning servers.x.manual.content: expected a string, found a list, ignored\n"
     "6:28 warning servers.x.manual.whatever: unknown key, ignored\n"},
    {STDIO "manual: {sections: [x, {titel: a}]}",
     "6:25 warning servers.x.manual.sections[0]: expected a map of title and content, "
     "found a string, ignored\n"
     "6:29 warning servers.x.manual.sections[1].titel: unknown key, ignored; did you "
     "mean 'title'?\n"},
    {STDIO "manual: {sections: {a: 1}}",
     "6:28 warning servers.x.manual.sections.a: expected a string, found a number, "
     "ignored\n"},
    {STDIO "manual: {sections: 1}", "6:24 warning servers.x.manual.sections: expected a "
                                    "list or a map, found a number, ignored\n"},
    {STDIO "era: !x auto",
     "6:10 warning servers.x.era: the tag '!x' is not known, ignored\n"},
};

START_TEST(odd_but_valid_entries_get_a_warning) /* R6 R8 */
{
    spec_of(warned[_i].body);
    ck_assert_str_eq(conf_diags(config), warned[_i].said);
}
END_TEST

/* Bodies that get no diagnostic. */
static const char *const silent[] = {
    STDIO "args: []\nenv: {}\ntools: {}\ntransform: []\ntimeouts: {}",
    STDIO "callsInFlight: 1",
    HTTP "proxy: none",
    HTTP "proxy: ''",
    HTTP "proxy: {env: P}",
    HTTP "proxy: 'socks5h://[::1]:1080'",
    HTTP "proxy: 'https://p:3129/'",
    HTTP "tls: {}",
    HTTP "tls: {clientCert: both.pem, keyPassword: p}",
    STDIO "manual: text",
    STDIO "manual: {content: text, sections: {a: b}}",
    STDIO "manual: {sections: [{title: a, content: b}, {content: c}]}",
    STDIO "manual:",
    STDIO "prompts: {whitelist: [a], blacklist: [], transform: []}",
    STDIO "resources: {mimeTypes: [text/plain], maxBytes: 1, skills: {enabled: true}}",
    STDIO "env: {A: ''}",
    STDIO "env: {A: \"line\\nline\"}",
    STDIO "tools: {whitelist: [''], blacklist: [' ', '']}",
    STDIO "args: ['', ' ', \"a\\nb\"]",
    STDIO "enabled: true",
    STDIO "transform: [{prefix: {remove: '', add: ''}}]",
};

/* B.5: each form of the key `manual` gives one text.  A blank manual gives none. */
static const struct {
    const char *body, *manual;
} manuals[] = {
    {STDIO, NULL},
    {STDIO "manual: ' '", NULL},
    {STDIO "manual: how to", "how to"},
    {STDIO "manual: {content: how to}", "how to"},
    {STDIO "manual: {content: \"a\\n\", sections: {One: 1st, Two: 2nd}}",
     "a\n\n## One\n\n1st\n\n## Two\n\n2nd"},
    {STDIO "manual: {sections: [{title: One, content: 1st}, {content: 2nd}]}",
     "## One\n\n1st\n\n2nd"},
    {STDIO "manual: {content: [1], sections: {a: b}}", "## a\n\nb"},
};

START_TEST(each_form_of_a_manual_gives_one_text) /* R5 */
{
    const char *manual = spec_of(manuals[_i].body)->manual;

    ck_assert(mcph_streq(manual, manuals[_i].manual));
}
END_TEST

START_TEST(a_manual_over_25000_characters_is_cut_and_its_server_stays_valid) /* R5 */
{
    static const size_t lengths[] = {24999, 25000, 25001, 60000};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(lengths); i++) {
        size_t n = lengths[i], kept = n > 25000 ? 25000 : n;
        bool cut = n > 25000;
        struct mcph_buf body;
        const struct mcph_spec *spec;

        mcph_buf_init(&body, 1 << 20);
        mcph_buf_adds(&body, STDIO "manual: ");
        for (size_t j = 0; j < n; j++)
            mcph_buf_adds(&body, "\xc3\xa4");
        mcph_buf_add(&body, "", 1);
        spec = spec_of(body.data);
        ck_assert_uint_eq(strlen(spec->manual), 2 * kept + (cut ? 15 : 0));
        ck_assert_int_eq(strstr(spec->manual, "\xa4\n[... cut here]") != NULL, cut);
        ck_assert_int_eq(
            strstr(conf_diags(config),
                   "error servers.x.manual: longer than 25000 characters, cut") != NULL,
            cut);
        mcph_buf_done(&body);
        config = mcph_config_unref(config);
    }
}
END_TEST

START_TEST(valid_entries_get_no_diagnostics) /* R5 */
{
    spec_of(silent[_i]);
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

START_TEST(blank_patterns_make_no_list) /* R36 R39 */
{
    const struct mcph_spec *spec =
        spec_of(STDIO "tools: {whitelist: [a], blacklist: ['', ' ']}");

    ck_assert_int_eq(mcph_filter_decide(spec->filter, "b", 1, NULL),
                     MCPHOST_FILTER_NOT_WHITELISTED);
}
END_TEST

START_TEST(a_transform_below_tools_replaces_the_transform_of_the_server) /* R41 */
{
    const struct mcph_spec *spec = spec_of(
        STDIO "transform: [{prefix: a}]\ntools: {transform: [{suffix: b}, {suffix: c}]}");
    const mcphost_transform *steps = mcph_spec_transform(spec, MCPH_NAMED_TOOLS);

    ck_assert_int_eq((int)steps->n, 2);
    ck_assert_str_eq(steps->steps[0].add, "b");
    down();
    spec = spec_of(STDIO "transform: [{prefix: a}]\ntools: {transform: []}");
    ck_assert_int_eq((int)mcph_spec_transform(spec, MCPH_NAMED_TOOLS)->n, 0);
}
END_TEST

/* `first` has the text of the first step of each transform, in the order of MCPH_NAMED_*.
 * The text is empty if the transform has no step. */
static const struct {
    const char *body, *first[4];
} nested[] = {
    {"transform: [{prefix: a}]", {"a", "a", "a", "a"}},
    {"transform: [{prefix: a}]\nprompts: {transform: [{prefix: b}]}",
     {"a", "b", "a", "a"}},
    {"transform: [{prefix: a}]\nresources: {transform: [{prefix: b}]}",
     {"a", "a", "b", "b"}},
    {"transform: [{prefix: a}]\nresources: {transform: [], skills: {}}",
     {"a", "a", "", ""}},
    {"transform: [{prefix: a}]\nresources: {skills: {transform: [{prefix: c}]}}",
     {"a", "a", "a", "c"}},
    {"resources: {transform: [{prefix: b}], skills: {transform: []}}", {"", "", "b", ""}},
    {"prompts: {transform: [{suffix: b}]}", {"", "b", "", ""}},
};

/* B.5 */
START_TEST(a_nested_transform_even_without_steps_replaces_the_outer_transform) /* R41 */
{
    char body[512];
    const struct mcph_spec *spec;

    snprintf(body, sizeof(body), STDIO "%s", nested[_i].body);
    spec = spec_of(body);
    ck_assert_str_eq(conf_diags(config), "");
    for (int named = 0; named < 4; named++) {
        const mcphost_transform *steps = mcph_spec_transform(spec, named);

        ck_assert_str_eq(steps->n > 0 ? steps->steps[0].add : "",
                         nested[_i].first[named]);
    }
}
END_TEST

/* B.5 */
START_TEST(prompts_resources_and_skills_have_filters_of_their_own) /* R35 */
{
    const struct mcph_spec *spec =
        spec_of(STDIO "tools: {blacklist: [t]}\nprompts: {blacklist: [p]}\n"
                      "resources: {blacklist: [r], mimeTypes: [text/plain, image/png], "
                      "maxBytes: 12, skills: {enabled: true, blacklist: [s]}}");
    static const char names[] = "tprs";

    for (int named = 0; named < 4; named++) {
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(
                mcph_filter_decide(mcph_spec_filter(spec, named), &names[i], 1, NULL),
                i == named ? MCPHOST_FILTER_BLACKLISTED : MCPHOST_FILTER_PASSED);
    }
    ck_assert_uint_eq(spec->mime_types.n, 2);
    ck_assert_str_eq(spec->mime_types.items[1], "image/png");
    ck_assert_uint_eq(spec->resource_bytes, 12);
    ck_assert(spec->skills);
}
END_TEST

START_TEST(a_suffix_beside_a_prefix_is_ignored) /* R41 */
{
    const struct mcph_spec *spec = spec_of(STDIO "transform: [{suffix: b, prefix: a}]");

    ck_assert_int_eq((int)spec->transform->n, 1);
    ck_assert_int_eq(spec->transform->steps[0].kind, MCPH_TRANSFORM_PREFIX);
}
END_TEST

START_TEST(timeouts_are_seconds_also_fractions)
{
    const struct mcph_spec *spec =
        spec_of(STDIO "timeouts: {start: 90, list: 0.25, call: 1.5e1}\nera: modern");

    ck_assert_int_eq((int)spec->start_timeout_ms, 90000);
    ck_assert_int_eq((int)spec->list_timeout_ms, 250);
    ck_assert_int_eq((int)spec->call_timeout_ms, 15000);
    ck_assert_int_eq(spec->era, MCPHOST_ERA_MODERN);
}
END_TEST

START_TEST(the_keys_of_a_disabled_server_are_not_checked) /* R5 */
{
    const struct mcph_config_server *server;

    config = conf_load_server("enabled: false\ntransport: stdio\nargs: 1\nbogus: x");
    server = mcph_config_find(config, "x");
    ck_assert_int_eq(server->state, MCPHOST_CONFIG_SERVER_DISABLED);
    ck_assert_int_eq(server->transport, MCPHOST_TRANSPORT_STDIO);
    ck_assert_ptr_null(server->spec);
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

START_TEST(an_invalid_server_still_shows_its_transport) /* R8 */
{
    config = conf_load_server("transport: streamable_http");
    ck_assert_int_eq(mcph_config_find(config, "x")->transport,
                     MCPHOST_TRANSPORT_STREAMABLE_HTTP);
    down();
    config = conf_load_server("transport: sse");
    ck_assert_int_eq(mcph_config_find(config, "x")->transport, MCPHOST_TRANSPORT_NONE);
}
END_TEST

START_TEST(an_id_that_is_not_plain_is_accepted_with_a_warning) /* R26 */
{
    config =
        conf_load("version: 1\nservers: {\"a/b c\": {transport: stdio, command: c}}");
    ck_assert_str_eq(conf_spec(config, "a/b c")->id, "a/b c");
    ck_assert_str_eq(conf_diags(config),
                     "2:11 warning servers[\"a/b c\"]: a server id should have 1 to 64 "
                     "characters, only ASCII letters, digits, '_' and '-'\n");
}
END_TEST

START_TEST(a_blank_id_is_refused) /* R8 */
{
    config = conf_load("version: 1\nservers: {'': {transport: stdio, command: c}}");
    ck_assert_str_eq(conf_diags(config),
                     "2:11 error servers[\"\"]: expected an id for the "
                     "server, found a blank\n");
    ck_assert_int_eq(mcph_config_find(config, "")->state, MCPHOST_CONFIG_SERVER_INVALID);
}
END_TEST

START_TEST(aliases_share_settings_between_servers) /* R5 */
{
    config = conf_load("version: 1\n"
                       "servers:\n"
                       "  a: {transport: stdio, command: c, env: &e {K: v}}\n"
                       "  b: {transport: stdio, command: c, env: *e}\n");
    ck_assert_str_eq(conf_spec(config, "b")->env.items[0].name, "K");
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

START_TEST(too_long_patterns_and_texts_are_refused) /* R8 */
{
    char body[4096], text[1100];

    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    snprintf(body, sizeof(body),
             STDIO "tools: {whitelist: [%s]}\ntransform: [{prefix: %s}]", text, text);
    config = conf_load_server(body);
    ck_assert_str_eq(
        conf_diags(config),
        "6:25 error servers.x.tools.whitelist[0]: expected at most 1024 patterns "
        "of at most 1024 bytes, found more\n"
        "7:17 error servers.x.transform[0].prefix: expected at most 1024 steps "
        "with texts of at most 1024 bytes, found more\n");
}
END_TEST

START_TEST(no_diagnostic_contains_a_secret_of_the_file) /* R18 */
{
    static const char *const bodies[] = {
        STDIO "env: {A: [hush]}",
        STDIO "env: {A: {env: [hush]}}",
        STDIO "env: {A: {prefix: [hush], env: B}}",
        STDIO "env: {A: hush}\nenvs: {A: hush}",
        STDIO "args: {--token: hush}",
        HTTP "headers: {A: \"hush\\nhush\"}",
        HTTP "sessionId: [hush]",
        "transport: streamable_http\nurl: http://hush@h:x/hush?hush",
        "transport: streamable_http\nurl: [http://hush@h/]",
        STDIO "headers: {A: hush}\nsessionId: hush",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bodies); i++) {
        config = conf_load_server(bodies[i]);
        ck_assert_msg(config->diags.n > 0, "%s", bodies[i]);
        ck_assert_msg(!strstr(conf_diags(config), "hush"), "%s", conf_diags(config));
        down();
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "server");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, all_but_transport_and_command_has_a_default);
    tcase_add_test(tc, an_http_server_needs_a_url_alone);
    tcase_add_test(tc, the_documented_example_is_read_whole);
    tcase_add_test(tc, headers_take_literals_references_and_prefixes);
    tcase_add_test(tc, proxy_tls_and_other_connection_keys_are_read);
    tcase_add_test(tc, proxy_tls_and_other_connection_keys_have_defaults);
    tcase_add_test(tc, a_blank_session_id_is_absent);
    tcase_add_test(tc, a_transform_step_may_be_a_map);
    tcase_add_test(tc, the_misspelt_key_truly_stateless_is_ignored_with_a_hint);
    tcase_add_test(tc, a_referenced_variable_is_not_looked_up_when_the_file_is_read);
    tcase_add_loop_test(tc, an_unexpected_value_is_an_error_with_its_key_path, 0,
                        (int)MCPH_ARRAY_SIZE(invalid));
    tcase_add_loop_test(tc, odd_but_valid_entries_get_a_warning, 0,
                        (int)MCPH_ARRAY_SIZE(warned));
    tcase_add_loop_test(tc, valid_entries_get_no_diagnostics, 0,
                        (int)MCPH_ARRAY_SIZE(silent));
    tcase_add_loop_test(tc, each_form_of_a_manual_gives_one_text, 0,
                        (int)MCPH_ARRAY_SIZE(manuals));
    tcase_add_test(tc, a_manual_over_25000_characters_is_cut_and_its_server_stays_valid);
    tcase_add_test(tc, blank_patterns_make_no_list);
    tcase_add_loop_test(
        tc, a_nested_transform_even_without_steps_replaces_the_outer_transform, 0,
        (int)MCPH_ARRAY_SIZE(nested));
    tcase_add_test(tc, prompts_resources_and_skills_have_filters_of_their_own);
    tcase_add_test(tc, a_transform_below_tools_replaces_the_transform_of_the_server);
    tcase_add_test(tc, a_suffix_beside_a_prefix_is_ignored);
    tcase_add_test(tc, timeouts_are_seconds_also_fractions);
    tcase_add_test(tc, the_keys_of_a_disabled_server_are_not_checked);
    tcase_add_test(tc, an_invalid_server_still_shows_its_transport);
    tcase_add_test(tc, an_id_that_is_not_plain_is_accepted_with_a_warning);
    tcase_add_test(tc, a_blank_id_is_refused);
    tcase_add_test(tc, aliases_share_settings_between_servers);
    tcase_add_test(tc, too_long_patterns_and_texts_are_refused);
    tcase_add_test(tc, no_diagnostic_contains_a_secret_of_the_file);
}

int
main(void)
{
    return test_main("profile-dominds-server", add);
}
