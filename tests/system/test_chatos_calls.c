/* SPDX-License-Identifier: MIT
 *
 * test_chatos_calls.c - an app's own server as a process: the arguments of the process,
 * byte for byte, and the _meta of each call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/chatos.h"
#include "support/hostrig.h"
#include "support/httprig.h"

#define ID "com.x.db"

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *d;

static void
up(void)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_NAMES, MCPHOST_NAMES_FULL);
    hr_option(&hr, MCPHOST_OPT_TRANSPORTS,
              MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP | MCPHOST_ALLOW_SSE);
}

/* Loads a configuration whose only server is the server of the app `db`. */
static void
load_app(const struct mcph_chatos_mcp *mcp)
{
    struct mcph_chatos_place place = {.plugin_id = "com.x",
                                      .app_id = "db",
                                      .plugin_dir = hr.ws.dir,
                                      .data_dir = "/data",
                                      .session_root = "/session",
                                      .project_root = "/project"};
    mcphost_config *config = mcph_config_new("chatos", NULL, "plugin.json", hr.ws.dir);

    ck_assert_ptr_nonnull(config);
    config->transports = MCPH_TRANSPORTS_USUAL | MCPHOST_ALLOW_SSE;
    ck_assert_int_eq(mcph_chatos_add_server(config, ID, mcp, &place, 0), 0);
    ck_assert_int_eq(mcph_config_finish(config), 0);
    ck_assert_int_eq(mcphost_load(hr.host, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
    if (!d)
        d = hr_dialog(&hr, "d");
}

static void
load_url(const char *url, const char *call_meta)
{
    struct mcph_chatos_mcp mcp = {.enabled = -1};

    mcp.url = (char *)(uintptr_t)url;
    mcp.call_meta = (char *)(uintptr_t)call_meta;
    load_app(&mcp);
}

/* Loads the fake server as the app's server.  `arguments` are further arguments of the
 * server's command line. */
static void
load_fake(const char *arguments, const char *call_meta)
{
    char url[1024];

    snprintf(url, sizeof(url), "cmd://%s -e 'trace %s/a.trace' %s", rig_fakeserver(),
             hr.ws.dir, arguments);
    load_url(url, call_meta);
}

/* ---- the argument list ------------------------------------------------------------- */

static const char *const hostile[] = {
    "# plain",
    "# two  blanks",
    "# 'single' \"double\" \\back\\\\",
    "# it's",
    "#'",
    "#\"",
    "#\\",
    "# $(touch hit) `touch hit` ${HOME} $HOME $$",
    "# ; touch hit; && touch hit || touch hit | touch hit & touch hit > hit < hit",
    "# * ? [a-z] ~ {a,b} ~root !! #",
    "# a\nb\n$(touch hit)\n",
    "# tab\tand\rreturn \x01\x7f",
    "# \xc2\xa0 \xe3\x80\x80 \xf0\x9f\x98\x80",
    "# %s %n %i %% %TEMP% ^",
    "# --root x",
};

/* Reads the arguments of the process from /proc.  Each argument ends with a NUL.  Returns
 * the size of all arguments in bytes. */
static size_t
read_arguments(int pid, char *text, size_t size)
{
    char path[64];
    FILE *file;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
    file = fopen(path, "re");
    ck_assert_ptr_nonnull(file);
    n = fread(text, 1, size, file);
    fclose(file);
    return n;
}

/* R131, B.22: no shell expands the arguments.  A quoted argument arrives unchanged. */
START_TEST(arguments_arrive_byte_for_byte)
{
    static char expected[8192], found[8192];
    struct mcph_strings args = {0};
    size_t n = 0;
    char *url = NULL;

    up();
    n = (size_t)snprintf(expected, sizeof(expected), "%s", rig_fakeserver()) + 1;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(hostile); i++) {
        ck_assert_int_eq(mcph_strings_add(&args, "-e"), 0);
        ck_assert_int_eq(mcph_strings_add(&args, hostile[i]), 0);
        n += (size_t)snprintf(expected + n, sizeof(expected) - n, "-e") + 1;
        n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%s", hostile[i]) + 1;
    }
    ck_assert_int_eq(mcph_chatos_cmd_format(rig_fakeserver(), NULL, &args, &url), 0);
    load_url(url + 6 * (size_t)_i, NULL); /* with _i = 1, the URL has no "cmd://" */
    ck_assert_uint_eq(
        read_arguments(hr_pid(&hr, d, "mcp_com_x_db_pid"), found, sizeof(found)), n);
    ck_assert_int_eq(memcmp(expected, found, n), 0);
    ck_assert_int_ne(access(rig_workspace_path(&hr.ws, "hit"), F_OK), 0);
    free(url);
    mcph_strings_done(&args);
    hr_down(&hr);
}
END_TEST

/* K7 B.22 */
START_TEST(the_process_runs_in_the_plugin_with_variables_of_the_host)
{
    up();
    load_fake("", NULL);
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_x_db_cwd", NULL), hr.ws.dir);
    ck_assert_str_eq(
        hr_say(&hr, d, "mcp_com_x_db_env", "{\"name\":\"MODEL_CLI_SESSION_ROOT\"}"),
        "/session");
    ck_assert_str_eq(
        hr_say(&hr, d, "mcp_com_x_db_env", "{\"name\":\"MODEL_CLI_WORKSPACE_ROOT\"}"),
        "/project");
    ck_assert_str_eq(
        hr_say(&hr, d, "mcp_com_x_db_env", "{\"name\":\"MODEL_CLI_CALLER\"}"), "mcphost");
    hr_down(&hr);
}
END_TEST

/* ---- _meta ------------------------------------------------------------------------- */

#define UI_APP "\"uiApp\":{\"appId\":\"db\",\"dataDir\":\"/data\","
#define CUSTOM \
    "{\"x\":{\"a\":1,\"l\":[1]},\"workdir\":\"$sessionRoot\",\"progressToken\":9}"

static const char *const eras[] = {"-e 'era legacy'", "-e 'era modern'"};

/* Tests requirements R135, R136, R137, R139 and C3 in both eras. */
START_TEST(each_call_of_a_tool_and_no_other_request_has_the_meta)
{
    static const char meta[] = "\"workdir\":\"/session\",\"x\":{\"a\":1,\"l\":[1]}";
    mcphost_catalog *catalog;
    const mcphost_tool *tool;
    char *trace;

    up();
    load_fake(eras[_i], CUSTOM);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", UI_APP), 0);
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_x_db_echo", "{}"), "{}");
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_x_db_echo", "{\"text\":\"t\"}"), "t");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", UI_APP), 2);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", meta), 2);
    /* The configured _meta does not replace members that the library sets. */
    trace = rig_workspace_read(&hr.ws, "a.trace");
    ck_assert_ptr_null(strstr(trace, "\"progressToken\":9"));
    ck_assert(_i == 0 || strstr(trace, "\"io.modelcontextprotocol/clientInfo\":"));
    free(trace);
    /* The tool's input schema does not show the _meta to the model. */
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    tool = mcphost_catalog_find_tool(catalog, "mcp_com_x_db_echo");
    ck_assert_ptr_nonnull(tool);
    ck_assert_ptr_null(strstr(mcphost_tool_get_input_schema(tool, NULL), "uiApp"));
    mcphost_catalog_unref(catalog);
    hr_down(&hr);
}
END_TEST

/* B.24: the library merges the _meta of one call over the _meta of its server. */
START_TEST(the_meta_of_a_call_is_merged_over_the_meta_of_its_server)
{
    static const char own[] = "{\"x\":{\"b\":2,\"l\":[2]},\"workdir\":7,\"own\":null}";
    mcphost_call *call;

    up();
    load_fake(eras[_i], CUSTOM);
    call = hr_call(&hr, d, "mcp_com_x_db_echo", "{}");
    ck_assert_int_eq(mcphost_call_set_meta(call, own, strlen(own), NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(
        rig_workspace_count(&hr.ws, "a.trace",
                            "\"own\":null,\"workdir\":7,\"x\":{\"a\":1,\"b\":2,"
                            "\"l\":[2]}"),
        1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", UI_APP), 1);
    /* The library sends the _meta of a call with that call only. */
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_x_db_echo", "{}"), "{}");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"own\":null"), 1);
    hr_down(&hr);
}
END_TEST

/* R99: an edit of the _meta does not restart the process. */
START_TEST(an_edit_of_the_meta_restarts_nothing_and_holds_for_the_next_call)
{
    int pid;

    up();
    load_fake("", "{\"x\":1}");
    pid = hr_pid(&hr, d, "mcp_com_x_db_pid");
    load_fake("", "{\"x\":2}");
    ck_assert_int_eq(hr_pid(&hr, d, "mcp_com_x_db_pid"), pid);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"x\":1"), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"x\":2"), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, ID, "d", -1), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_shared_instance_gets_the_meta_with_each_call)
{
    mcphost_dialog *other;

    up();
    hr_option(&hr, MCPHOST_OPT_LEASE_SCOPE, MCPHOST_SCOPE_EVERYONE);
    load_fake("", "{\"x\":1}");
    other = hr_dialog(&hr, "e");
    ck_assert_int_eq(hr_pid(&hr, d, "mcp_com_x_db_pid"),
                     hr_pid(&hr, other, "mcp_com_x_db_pid"));
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", UI_APP), 2);
    hr_down(&hr);
}
END_TEST

/* ---- over HTTP --------------------------------------------------------------------- */

/* B.22: the library sends `auth` of the app's server as a bearer token. */
START_TEST(auth_and_meta_are_sent_over_http)
{
    struct mcph_chatos_mcp mcp = {.enabled = -1};
    char token[] = "open-sesame-1234";

    up();
    hr_keep_log(&hr, MCPHOST_LOG_TRACE);
    hr_web(&hr, &web, "a", "bearer open-sesame-1234");
    mcp.url = web.url;
    mcp.auth.token = token;
    load_app(&mcp);
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_x_db_echo", "{\"text\":\"t\"}"), "t");
    ck_assert_int_ge(hr_traced(&hr, "a", "Bearer open-sesame-1234"), 2);
    ck_assert_int_eq(hr_traced(&hr, "a", UI_APP), 1);
    ck_assert_ptr_null(strstr(hr.log, token));
    hr_down(&hr);
}
END_TEST

/* K6: the host finds a server with the older transport HTTP+SSE at the same URL. */
START_TEST(http_falls_back_to_sse)
{
    up();
    hr_web(&hr, &web, "a", "old");
    load_url(web.url, NULL);
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_x_db_echo", "{\"text\":\"t\"}"), "t");
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "processes");

    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, arguments_arrive_byte_for_byte, 0, 2);
    tcase_add_test(tc, the_process_runs_in_the_plugin_with_variables_of_the_host);

    tc = test_case(suite, "meta");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, each_call_of_a_tool_and_no_other_request_has_the_meta, 0, 2);
    tcase_add_loop_test(tc, the_meta_of_a_call_is_merged_over_the_meta_of_its_server, 0,
                        2);
    tcase_add_test(tc, an_edit_of_the_meta_restarts_nothing_and_holds_for_the_next_call);
    tcase_add_test(tc, a_shared_instance_gets_the_meta_with_each_call);

    tc = test_case(suite, "http");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, auth_and_meta_are_sent_over_http);
    tcase_add_test(tc, http_falls_back_to_sse);
}

int
main(void)
{
    return test_main("chatos-calls", add);
}
