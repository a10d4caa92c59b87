/* SPDX-License-Identifier: MIT
 *
 * test_chatos_spec.c - makes an entry of a configuration from an app's own server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/chatos.h"
#include "support/conf.h"
#include "support/rig.h"
#include "support/runner.h"

#define ID "com.x.db"

static struct rig_workspace ws;
static mcphost_config *config;
static struct mcph_chatos_mcp mcp;
static struct mcph_chatos_place place;
static char entry[] = "srv/main.mjs", node[] = "node";

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "srv"), 0700), 0);
    rig_workspace_write(&ws, "srv/main.mjs", "//");
    config = mcph_config_new("chatos", NULL, "plugin.json", "/ws");
    ck_assert_ptr_nonnull(config);
    config->transports = MCPH_TRANSPORTS_USUAL | MCPHOST_ALLOW_SSE;
    place = (struct mcph_chatos_place){
        .plugin_id = "com.x", .app_id = "db", .plugin_dir = ws.dir};
    mcp = (struct mcph_chatos_mcp){.line = 3,
                                   .column = 5,
                                   .command = node,
                                   .enabled = -1,
                                   .allow_main = -1,
                                   .allow_sub = -1};
}

static void
down(void)
{
    config = mcph_config_unref(config);
    mcph_strings_done(&mcp.args);
    mcph_values_done(&mcp.auth.headers);
    rig_workspace_down(&ws);
}

static struct mcph_config_server *
add_server(void)
{
    ck_assert_int_eq(mcph_chatos_add_server(config, ID, &mcp, &place, 0), 0);
    ck_assert_int_eq(mcph_config_finish(config), 0);
    return mcph_config_find(config, ID);
}

static struct mcph_config_server *
add_url(const char *url)
{
    mcp.url = (char *)(uintptr_t)url;
    return add_server();
}

/* Returns the command line as "PROGRAM|ARG|ARG". */
static const char *
line_of(const struct mcph_spec *spec)
{
    static char text[4096];
    size_t n = (size_t)snprintf(text, sizeof(text), "%s", spec->command);

    for (size_t i = 0; i < spec->args.n; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "|%s", spec->args.items[i]);
    return text;
}

static const char *
value_in(const struct mcph_values *values, const char *name)
{
    for (size_t i = 0; i < values->n; i++) {
        if (strcmp(values->items[i].name, name) == 0)
            return values->items[i].text;
    }
    return NULL;
}

/* ---- programs ---------------------------------------------------------------------- */

START_TEST(an_entry_is_run_by_its_command_in_the_plugins_directory) /* R120 R131, B.22 */
{
    struct mcph_config_server *server;
    char expected[512];

    mcp.entry = entry;
    ck_assert_int_eq(mcph_strings_add(&mcp.args, "it's $HOME"), 0);
    server = add_server();
    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_int_eq(server->state, MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_int_eq(server->transport, MCPHOST_TRANSPORT_STDIO);
    ck_assert_str_eq(server->spec->id, ID);
    snprintf(expected, sizeof(expected), "node|%s/srv/main.mjs|it's $HOME", ws.dir);
    ck_assert_str_eq(line_of(server->spec), expected);
    ck_assert_str_eq(server->spec->cwd, ws.dir);
    ck_assert_int_eq(server->spec->line, 3);
    ck_assert_int_eq((int)server->spec->call_timeout_ms, -1);
}
END_TEST

static const struct {
    const char *url, *line; /* the command line; NULL if the URL is refused */
    const char *says;
} lines[] = {
    {"cmd://node a b", "node|a|b", NULL},
    {" CMD://node 'a b' ", "node|a b", NULL},
    {"`cmd://node a`", "node|a", NULL},
    {"``npx -y \"a b\"``", "npx|-y|a b", NULL},
    {"npx -y pkg@1", "npx|-y|pkg@1", NULL},
    {"/bin/server", "/bin/server", NULL},
    {"sh -c 'a; $(b) `c`'", "sh|-c|a; $(b) `c`", NULL},
    {"node *.js;ls >x && $HOME ~", "node|*.js;ls|>x|&&|$HOME|~", NULL},
    /* the project's directory is the base of a relative --root */
    {"s --root sub --root=x --root . --rooty z",
     "s|--root|/j/sub|--root=/j/x|--root|/j|"
     "--rooty|z",
     NULL},
    {"s --root /abs --root=/abs --root= --root",
     "s|--root|/abs|--root=/abs|--root=|"
     "--root",
     NULL},
    {"--root x", "--root|x", NULL},
    {"cmd://", NULL, "names no program, at character 7"},
    {"cmd://node 'a", NULL, "has a quote that is not closed, at character 12"},
    {"node \"a", NULL, "has a quote that is not closed, at character 6"},
    {"``", NULL, "expected a URL or a command, found a blank"},
    {"ws://h/p", NULL, "there is no transport for 'ws' URLs"},
    {"WSS://user:pass@h/p", NULL, "there is no transport for 'WSS' URLs"},
    {"file:///etc/passwd", NULL, "there is no transport for 'file' URLs"},
    {"http://", NULL, "expected an http or https URL, found one that "},
    {"https://github.com/a/b", NULL, "the page of a repository"},
    {"https://x@www.GitHub.com:443/a", NULL, "the page of a repository"},
};

START_TEST(a_url_gives_a_command_line_or_one_error) /* R131 R132, B.22, K6 */
{
    struct mcph_config_server *server;
    char expected[256];

    place.project_root = "/j";
    server = add_url(lines[_i].url);
    if (lines[_i].line) {
        ck_assert_str_eq(conf_diags(config), "");
        ck_assert_str_eq(line_of(server->spec), lines[_i].line);
        return;
    }
    ck_assert_int_eq(server->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_ptr_null(server->spec);
    ck_assert_uint_eq(config->diags.n, 1);
    snprintf(expected, sizeof(expected), "3:5 error mcp.url: ");
    test_has(conf_diags(config), expected);
    test_has(conf_diags(config), lines[_i].says);
    ck_assert_ptr_null(strstr(conf_diags(config), "pass"));
}
END_TEST

START_TEST(an_unsupported_url_is_kept_unchanged) /* R132 */
{
    char *url = NULL;

    mcp.url = (char *)(uintptr_t) "ws://h/p?q";
    ck_assert_int_eq(mcph_chatos_mcp_url(&mcp, ws.dir, &url), 0);
    ck_assert_str_eq(url, "ws://h/p?q");
    free(url);
}
END_TEST

START_TEST(without_a_project_a_root_stays_relative) /* B.22 */
{
    ck_assert_str_eq(line_of(add_url("s --root sub")->spec), "s|--root|sub");
}
END_TEST

START_TEST(a_relative_program_is_resolved_in_the_plugins_directory)
{
    char expected[512];

    snprintf(expected, sizeof(expected), "%s/bin/s|x", ws.dir);
    ck_assert_str_eq(line_of(add_url("./bin/s x")->spec), expected);
}
END_TEST

START_TEST(the_environment_names_the_known_directories_and_the_caller) /* K7, B.22 */
{
    const struct mcph_spec *spec;

    place.session_root = "/r";
    spec = add_url("s")->spec;
    ck_assert_str_eq(value_in(&spec->env, "MODEL_CLI_SESSION_ROOT"), "/r");
    ck_assert_str_eq(value_in(&spec->env, "MODEL_CLI_CALLER"), "mcphost");
    ck_assert_ptr_null(value_in(&spec->env, "MODEL_CLI_WORKSPACE_ROOT"));
    ck_assert_int_eq((int)spec->env.n, 2);
}
END_TEST

START_TEST(a_server_without_url_and_entry_is_invalid) /* B.22 */
{
    struct mcph_config_server *server = add_server();

    ck_assert_int_eq(server->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_uint_eq(config->diags.n, 1);
    test_has(conf_diags(config), "found neither");
}
END_TEST

START_TEST(a_server_is_enabled_by_default) /* K9 */
{
    struct mcph_config_server *server;

    mcp.enabled = _i;
    server = add_url("s");
    ck_assert_int_eq(server->state, _i == 0 ? MCPHOST_CONFIG_SERVER_DISABLED
                                            : MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_int_eq(server->spec != NULL, _i != 0);
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

START_TEST(the_id_of_a_server_may_have_dots) /* R128 K4 */
{
    ck_assert_str_eq(add_url("s")->spec->id, ID);
}
END_TEST

/* ---- servers at a URL -------------------------------------------------------------- */

START_TEST(http_urls_use_the_best_allowed_transport) /* R132 K6 */
{
    static const unsigned allowed[] = {MCPH_TRANSPORTS_USUAL | MCPHOST_ALLOW_SSE,
                                       MCPHOST_ALLOW_SSE, MCPHOST_ALLOW_STDIO};
    static const int transports[] = {MCPHOST_TRANSPORT_STREAMABLE_HTTP,
                                     MCPHOST_TRANSPORT_SSE, MCPHOST_TRANSPORT_NONE};
    struct mcph_config_server *server;

    config->transports = allowed[_i];
    server = add_url(" `HTTP://Host/p?k=1` ");
    ck_assert_int_eq(server->transport, transports[_i]);
    if (_i < 2) {
        ck_assert_str_eq(server->spec->url, "http://host/p?k=1");
        ck_assert_int_eq((int)server->spec->env.n, 0);
    } else {
        test_has(conf_diags(config), "expected a server over 'stdio', found one over "
                                     "'streamable_http'");
    }
}
END_TEST

START_TEST(a_program_is_refused_if_stdio_is_not_allowed) /* K6 */
{
    config->transports = MCPHOST_ALLOW_STREAMABLE_HTTP;
    ck_assert_int_eq(add_url("s")->state, MCPHOST_CONFIG_SERVER_INVALID);
    test_has(conf_diags(config), "found one over 'stdio'");
}
END_TEST

static const struct {
    const char *url;
    bool good;
} hosts[] = {
    {"https://api.githubcopilot.com/mcp/", true},
    {"https://mygithub.com/", true},
    {"https://github.com.evil.org/", true},
    {"https://h/github.com", true},
    {"https://github.com@h/", true},
    {"https://gist.github.com/x", false},
    {"http://github.com./a", false},
};

START_TEST(pages_of_repositories_are_recognised_by_their_host) /* B.22 */
{
    ck_assert_int_eq(add_url(hosts[_i].url)->state, hosts[_i].good
                                                        ? MCPHOST_CONFIG_SERVER_VALID
                                                        : MCPHOST_CONFIG_SERVER_INVALID);
}
END_TEST

static const struct {
    const char *token, *user, *password, *name, *value; /* `name` and `value`: a header of
                                                         * auth.headers, or NULL */
    const char *header;                                 /* the expected Authorization */
    const char *says;
} auths[] = {
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"tok", NULL, NULL, NULL, NULL, "Bearer tok", NULL},
    {NULL, "u", "p:q", NULL, NULL, "Basic dTpwOnE=", NULL},
    {NULL, "u", NULL, NULL, NULL, "Basic dTo=", NULL},
    {NULL, NULL, "p", NULL, NULL, "Basic OnA=", NULL},
    {"tok", "u", "p", NULL, NULL, "Bearer tok", NULL},
    {"tok", "u", "p", "authorization", "Own x", NULL, NULL},
    {"", "", "", "X-Key", "v", NULL, NULL},
    {"t\nX: y", NULL, NULL, NULL, NULL, NULL, "found a control character"},
    {NULL, "u:v", "p", NULL, NULL, NULL, "has a ':'"},
    {NULL, NULL, NULL, "bad name", "v", NULL, "the name of an HTTP header"},
    {NULL, NULL, NULL, "X", "v\r\nY: z", NULL, "found a control character"},
};

START_TEST(auth_gives_headers_or_one_error) /* B.22 */
{
    struct mcph_config_server *server;
    const struct mcph_values *headers;
    struct mcph_buf shown;

    mcp.auth.token = (char *)(uintptr_t)auths[_i].token;
    mcp.auth.username = (char *)(uintptr_t)auths[_i].user;
    mcp.auth.password = (char *)(uintptr_t)auths[_i].password;
    if (auths[_i].name)
        ck_assert_int_eq(
            mcph_values_add(&mcp.auth.headers, auths[_i].name, auths[_i].value, NULL), 0);
    server = add_url("https://h/");
    if (auths[_i].says) {
        ck_assert_int_eq(server->state, MCPHOST_CONFIG_SERVER_INVALID);
        ck_assert_uint_eq(config->diags.n, 1);
        test_has(conf_diags(config), auths[_i].says);
        return;
    }
    headers = &server->spec->headers;
    ck_assert(mcph_streq(value_in(headers, "Authorization"), auths[_i].header));
    ck_assert_int_eq((int)headers->n,
                     (auths[_i].header != NULL) + (auths[_i].name != NULL));
    if (auths[_i].name)
        ck_assert_str_eq(value_in(headers, auths[_i].name), auths[_i].value);
    /* K13: mcph_spec_show() hides the credentials. */
    mcph_buf_init(&shown, 4096);
    ck_assert_int_eq(mcph_spec_show(server->spec, &shown), 0);
    mcph_buf_addc(&shown, '\0');
    ck_assert_ptr_null(strstr(shown.data, "Bearer"));
    ck_assert_ptr_null(strstr(shown.data, "Basic"));
    mcph_buf_done(&shown);
}
END_TEST

/* ---- callMeta ---------------------------------------------------------------------- */

START_TEST(changed_call_meta_is_a_change_of_the_view_and_is_hidden) /* R135 R136 */
{
    const struct mcph_spec *a, *b;
    struct mcph_buf keys;

    place.plugin_dir = NULL;
    mcp.call_meta = (char *)(uintptr_t) "{\"x\":\"secret\"}";
    a = add_url("s")->spec;
    ck_assert_str_eq(a->call_meta, "{\"chatos\":{\"uiApp\":{\"appId\":\"db\","
                                   "\"pluginId\":\"com.x\"}},\"x\":\"secret\"}");
    mcp.call_meta = NULL;
    ck_assert_int_eq(mcph_chatos_add_server(config, "other", &mcp, &place, 0), 0);
    b = mcph_config_find(config, "other")->spec;
    mcph_buf_init(&keys, 4096);
    ck_assert_int_eq(mcph_spec_compare(a, b, &keys), MCPHOST_CONFIG_CHANGE_VIEW);
    mcph_buf_addc(&keys, '\0');
    ck_assert_str_eq(keys.data, "callMeta");
    mcph_buf_clear(&keys);
    ck_assert_int_eq(mcph_spec_show(a, &keys), 0);
    mcph_buf_addc(&keys, '\0');
    test_has(keys.data, "\"callMeta\":\"(hidden)\"");
    ck_assert_ptr_null(strstr(keys.data, "secret"));
    mcph_buf_done(&keys);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "programs");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, an_entry_is_run_by_its_command_in_the_plugins_directory);
    tcase_add_loop_test(tc, a_url_gives_a_command_line_or_one_error, 0,
                        (int)MCPH_ARRAY_SIZE(lines));
    tcase_add_test(tc, an_unsupported_url_is_kept_unchanged);
    tcase_add_test(tc, without_a_project_a_root_stays_relative);
    tcase_add_test(tc, a_relative_program_is_resolved_in_the_plugins_directory);
    tcase_add_test(tc, the_environment_names_the_known_directories_and_the_caller);
    tcase_add_test(tc, a_server_without_url_and_entry_is_invalid);
    tcase_add_loop_test(tc, a_server_is_enabled_by_default, -1, 2);
    tcase_add_test(tc, the_id_of_a_server_may_have_dots);

    tc = test_case(suite, "urls");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, http_urls_use_the_best_allowed_transport, 0, 3);
    tcase_add_test(tc, a_program_is_refused_if_stdio_is_not_allowed);
    tcase_add_loop_test(tc, pages_of_repositories_are_recognised_by_their_host, 0,
                        (int)MCPH_ARRAY_SIZE(hosts));
    tcase_add_loop_test(tc, auth_gives_headers_or_one_error, 0,
                        (int)MCPH_ARRAY_SIZE(auths));

    tc = test_case(suite, "calls");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, changed_call_meta_is_a_change_of_the_view_and_is_hidden);
}

int
main(void)
{
    return test_main("chatos-spec", add);
}
