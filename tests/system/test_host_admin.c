/* SPDX-License-Identifier: MIT
 *
 * test_host_admin.c - the dialogs that have the toolset mcp_admin, and the variables that
 * the admin tools may change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_view *view;

#define SHARED "truely-stateless: true"

static void
up(int admin)
{
    view = NULL;
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, admin);
}

static void
down(void)
{
    mcphost_view_unref(view);
    hr_down(&hr);
}

/* Makes a dialog on a view with a grant of these toolsets and tools.  Blanks separate the
 * names. */
static mcphost_dialog *
granted(const char *toolsets, const char *tools)
{
    mcphost_grant *grant = hr_grant(toolsets, tools);
    mcphost_dialog *dialog;

    ck_assert_int_eq(mcphost_view_new(hr.host, "ann", grant, &view, NULL), 0);
    mcphost_grant_unref(grant);
    ck_assert_int_eq(mcphost_dialog_new(view, "ann-1", NULL, &dialog, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = dialog;
    return dialog;
}

static int
answer_yes(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arguments;
    (void)len;
    (void)arg;
    return mcphost_call_answer(call, "yes", 3, 0);
}

static int
declare(const char *toolset, const char *name)
{
    return mcphost_view_add_builtin(mcphost_default_view(hr.host), toolset, name, NULL,
                                    "{\"type\":\"object\"}", answer_yes, NULL, NULL,
                                    NULL);
}

/* ---- the dialogs that have mcp_admin ----------------------------------------------- */

/* R80 B.14 K15 */
START_TEST(by_default_no_dialog_has_the_admin_tools)
{
    mcphost *host;
    int64_t value = -1;

    ck_assert_int_eq(mcphost_new(&host, NULL), 0);
    ck_assert_int_eq(mcphost_get_option(host, MCPHOST_OPT_ADMIN_TOOLS, &value), 0);
    ck_assert_int_eq(value, 0);
    mcphost_unref(host);
    up(0);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), "a_one");
    ck_assert_str_eq(hr_tools(&hr, granted("*", "")), "a_one");
    down();
}
END_TEST

/* R83 B.18 K15 */
START_TEST(a_grant_of_mcp_admin_gives_its_tools_without_the_option)
{
    mcphost_dialog *d;

    up(0);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one");
    hr_load(&hr);
    d = granted("* mcp_admin", "!env_set");
    ck_assert_str_eq(hr_tools(&hr, d),
                     "a_one mcp_restart mcp_release mcp_disable env_get env_unset");
    ck_assert_str_eq(hr_say(&hr, d, "mcp_restart", "{\"serverId\":\"a\"}"),
                     "ok: restarted a");
    ck_assert_str_eq(hr_tools(&hr, NULL), "a_one");
    down();
}
END_TEST

START_TEST(a_grant_may_name_a_single_admin_tool) /* R84 */
{
    mcphost_dialog *d;

    up(0);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one");
    hr_load(&hr);
    d = granted("a", "mcp_release");
    ck_assert_str_eq(hr_tools(&hr, d), "a_one mcp_release");
    ck_assert_ptr_nonnull(strstr(hr_say(&hr, d, "mcp_release", "{\"serverId\":\"a\"}"),
                                 "ok: no active lease"));
    down();
}
END_TEST

/* R83 */
START_TEST(a_star_does_not_grant_mcp_admin_even_with_the_option)
{
    up(1);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one");
    ck_assert_int_eq(mcphost_set_toolset_flags(hr.host, "mcp_admin", 0), 0);
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), HR_ADMIN " a_one");
    ck_assert_str_eq(hr_tools(&hr, granted("*", "")), "a_one");
    down();
}
END_TEST

/* R86: a dialog without the grant cannot use a reference to a tool that a granted dialog
 * found. */
START_TEST(a_dialog_without_the_grant_cannot_call_a_kept_admin_tool)
{
    mcphost_dialog *ann, *other;
    mcphost_catalog *catalog;
    mcphost_call *call;
    mcphost_tool *tool;
    int r;

    up(0);
    hr_load(&hr);
    other = hr_dialog(&hr, "other");
    ann = granted("mcp_admin", "");
    ck_assert_int_eq(mcphost_dialog_get_catalog(ann, &catalog), 0);
    tool = mcphost_catalog_find_tool(catalog, "env_get");
    ck_assert_ptr_nonnull(tool);
    r = mcphost_call_new_tool(other, tool, "{\"key\":\"PATH\"}", 14, &call, NULL);
    if (r == 0) {
        hr.calls[hr.n_calls++] = call;
        hr_go(call);
        r = hr_end(&hr, call);
    }
    ck_assert_int_eq(r, MCPHOST_E_DENIED);
    mcphost_catalog_unref(catalog);
    down();
}
END_TEST

/* The tool comes from the catalog of the default view, which shows mcp_admin. */
START_TEST(a_layered_view_without_builtin_tools_refuses_mcp_admin)
{
    static const char arguments[] = "{\"serverId\":\"x\"}";
    mcphost_call *call = NULL;
    mcphost_catalog *catalog;
    mcphost_tool *tool;
    mcphost_dialog *p;

    up(1);
    hr_load_only(&hr);
    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog),
                     0);
    tool = mcphost_catalog_find_tool(catalog, "mcp_release");
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "v", &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "p", NULL, &p, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = p;
    ck_assert_int_eq(
        mcphost_call_new_tool(p, tool, arguments, strlen(arguments), &call, NULL),
        MCPHOST_E_DENIED);
    ck_assert_int_eq(mcphost_view_show_builtins(view, 1), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, p), HR_ADMIN) == 0);
    ck_assert_int_eq(
        mcphost_call_new_tool(p, tool, arguments, strlen(arguments), &call, NULL), 0);
    mcphost_call_unref(call);
    mcphost_catalog_unref(catalog);
    down();
}
END_TEST

START_TEST(names_of_mcp_admin_are_free_while_it_is_off) /* R28 */
{
    mcphost_dialog *d;

    up(0);
    ck_assert_int_eq(declare("mine", "env_get"), 0);
    ck_assert_int_eq(declare("mcp_admin", "own"), 0);
    /* The host refuses the option, because the application already has tools with names
     * of admin tools. */
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_ADMIN_TOOLS, 1),
                     MCPHOST_E_EXISTS);
    hr_server(&hr, "a", SHARED "\ntransform: []", "no-tools\ntool mcp_restart");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_tools(&hr, d), "env_get own mcp_restart");
    ck_assert_str_eq(hr_say(&hr, d, "env_get", "{}"), "yes");
    ck_assert_str_eq(hr_tools(&hr, granted("mcp_admin", "")), "own");
    down();
}
END_TEST

START_TEST(names_of_mcp_admin_are_taken_while_it_is_on) /* R28 */
{
    up(1);
    ck_assert_int_eq(declare("mine", "env_get"), MCPHOST_E_EXISTS);
    ck_assert_int_eq(declare("mcp_admin", "own"), MCPHOST_E_EXISTS);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    ck_assert_int_eq(declare("mine", "env_get"), 0);
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), "env_get");
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_ADMIN_TOOLS, 1),
                     MCPHOST_E_STATE);
    down();
}
END_TEST

/* R28: in a view with a grant of mcp_admin, a name that an admin tool and a server's tool
 * share belongs to the admin tool. */
START_TEST(a_granted_admin_tool_wins_its_name_over_a_server_tool)
{
    mcphost_dialog *d;

    up(0);
    hr_server(&hr, "a", SHARED "\ntransform: []", "no-tools\ntool env_get\ntool one");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), "env_get one");
    d = granted("* mcp_admin", "");
    ck_assert_str_eq(hr_tools(&hr, d), "one " HR_ADMIN);
    ck_assert_str_eq(hr_say(&hr, d, "env_get", "{\"key\":\"MCPT_NONE\"}"), "(unset)");
    down();
}
END_TEST

START_TEST(each_admin_tool_has_its_annotations) /* R80 */
{
    static const struct {
        const char *name, *reads, *destroys, *world;
    } want[] = {
        {"mcp_restart", "false", "true", "true"},
        {"mcp_release", "false", "true", "false"},
        {"mcp_disable", "false", "true", "false"},
        {"env_get", "true", "false", "false"},
        {"env_set", "false", "true", "true"},
        {"env_unset", "false", "true", "true"},
    };
    char hint[64];

    up(1);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        mcphost_tool *tool = hr_tool(&hr, want[i].name);
        size_t len = 0;
        const char *json;

        ck_assert_ptr_nonnull(tool);
        json = mcphost_tool_get_annotations(tool, &len);
        ck_assert_ptr_nonnull(json);
        snprintf(hint, sizeof(hint), "\"readOnlyHint\":%s", want[i].reads);
        ck_assert_ptr_nonnull(memmem(json, len, hint, strlen(hint)));
        snprintf(hint, sizeof(hint), "\"destructiveHint\":%s", want[i].destroys);
        ck_assert_ptr_nonnull(memmem(json, len, hint, strlen(hint)));
        snprintf(hint, sizeof(hint), "\"openWorldHint\":%s", want[i].world);
        ck_assert_ptr_nonnull(memmem(json, len, hint, strlen(hint)));
        mcphost_tool_unref(tool);
    }
    down();
}
END_TEST

/* ---- the reminder ------------------------------------------------------------------ */

/* R79 */
START_TEST(the_reminder_names_mcp_release_only_if_the_dialog_may_call_it)
{
    static const struct {
        int admin;
        const char *toolsets, *tools;
        bool named;
    } cases[] = {
        {0, NULL, NULL, false},        {1, NULL, NULL, true},
        {1, "*", "", false},           {0, "* mcp_admin", "", true},
        {0, "*", "mcp_release", true}, {1, "* mcp_admin", "!mcp_release", false},
    };
    mcphost_dialog *d;
    const char *text;

    up(cases[_i].admin);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = cases[_i].toolsets ? granted(cases[_i].toolsets, cases[_i].tools)
                           : hr_dialog(&hr, "d");
    hr_pid(&hr, d, "a_pid");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", NULL, 1) == 1);
    text = hr_last(&hr, MCPHOST_EVENT_REMINDER, "a")->text;
    ck_assert_ptr_nonnull(strstr(text, "has its own client"));
    ck_assert_int_eq(strstr(text, "mcp_release") != NULL, cases[_i].named);
    down();
}
END_TEST

/* ---- variables --------------------------------------------------------------------- */

/* Returns true if env_set and env_unset change this variable, and false if both refuse
 * the change. */
static bool
may_set(mcphost_dialog *d, const char *name)
{
    char arguments[256];
    mcphost_call *call;
    bool set, unset;

    snprintf(arguments, sizeof(arguments), "{\"key\":\"%s\",\"value\":\"v\"}", name);
    call = hr_start(&hr, d, "env_set", arguments);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    set = !mcphost_result_is_error(mcphost_call_get_result(call));
    snprintf(arguments, sizeof(arguments), "{\"key\":\"%s\"}", name);
    call = hr_start(&hr, d, "env_unset", arguments);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    unset = !mcphost_result_is_error(mcphost_call_get_result(call));
    ck_assert_msg(set == unset, "%s", name);
    return set;
}

static const char *const loaders[] = {
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "GCONV_PATH",
    "PATH",
    "HOME",
    "IFS",
    "PS4",
    "SHELLOPTS",
    "PROMPT_COMMAND",
    "BASH_ENV",
    "ENV",
    "LOCPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "npm_config_script",
    "NPM_CONFIG_REGISTRY",
    "NODE_EXTRA_CA_CERTS",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "PERL5LIB",
    "PERLLIB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "DOTNET_STARTUP_HOOKS",
    "GIT_SSH_COMMAND",
    "GIT_EXEC_PATH",
    "EDITOR",
    "PAGER",
    "MANPAGER",
    "SSH_ASKPASS",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "OPENSSL_CONF",
    "http_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "no_proxy",
    "MCPHOST_SPAWN_ID",
    "Path",
    "ld_preload",
    "GLIBC_TUNABLES",
};

/* The admin tools refuse the variable although the entry of server "a" names it. */
START_TEST(a_variable_that_loads_code_is_refused_even_if_the_configuration_names_it)
{ /* B.14 */
    char keys[512];
    mcphost_dialog *d;

    up(1);
    snprintf(keys, sizeof(keys), SHARED "\nenv: {%s: 'x', MCPT_OWN: {env: %s}}",
             loaders[_i], loaders[_i]);
    hr_server(&hr, "a", keys, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_msg(!may_set(d, loaders[_i]), "%s", loaders[_i]);
    down();
}
END_TEST

/* B.14 */
START_TEST(only_variables_that_the_configuration_names_may_be_set)
{
    mcphost_dialog *d;

    up(1);
    hr_server(&hr, "a",
              SHARED "\nenv: {MCPT_TARGET: {env: MCPT_SOURCE}, MCPT_LITERAL: x}", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert(may_set(d, "MCPT_SOURCE"));
    ck_assert(may_set(d, "MCPT_TARGET"));
    ck_assert(may_set(d, "MCPT_LITERAL"));
    ck_assert(!may_set(d, "MCPT_OTHER"));
    ck_assert(!may_set(d, "MCPT_SOURCES"));
    ck_assert(!may_set(d, "mcpt_source"));
    down();
}
END_TEST

/* R80 B.14 */
START_TEST(variables_of_servers_that_the_view_does_not_show_are_refused)
{
    static const char *const shown[] = {"a"};
    mcphost_dialog *d;

    up(1);
    hr_server(&hr, "a", SHARED "\nenv: {MCPT_A: x}", NULL);
    hr_server(&hr, "b", SHARED "\nenv: {MCPT_B: x}", NULL);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "some", &view, NULL), 0);
    ck_assert_int_eq(
        mcphost_view_add_source(view, mcphost_default_source(hr.host), shown, 1), 0);
    ck_assert_int_eq(mcphost_view_show_builtins(view, 1), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "d", NULL, &d, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = d;
    hr_until(&hr, strstr(hr_tools(&hr, d), "a_echo"));
    ck_assert(may_set(d, "MCPT_A"));
    ck_assert(!may_set(d, "MCPT_B"));
    ck_assert(may_set(hr_dialog(&hr, "e"), "MCPT_B"));
    down();
}
END_TEST

/* B.14 */
START_TEST(the_application_may_allow_and_refuse_variables_itself)
{
    static const char *const refused[] = {"MCPT_A*", "*_SECRET", NULL};
    static const char *const allowed[] = {"MCPT_X", "LD_LIBRARY_PATH", "*_SECRET_ID",
                                          NULL};
    static const char *const nothing[] = {NULL};
    static const char *const bad[][2] = {
        {"A*B", NULL}, {"", NULL}, {"A=B", NULL}, {"**"}};
    mcphost_dialog *d;

    up(1);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(mcphost_set_admin_env(hr.host, bad[i], NULL), MCPHOST_E_INVALID);
        ck_assert_int_eq(mcphost_set_admin_env(hr.host, NULL, bad[i]), MCPHOST_E_INVALID);
    }
    ck_assert_int_eq(mcphost_set_admin_env(NULL, NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_admin_env(hr.host, nothing, nothing), 0);
    ck_assert_int_eq(mcphost_set_admin_env(hr.host, refused, allowed), 0);
    hr_server(&hr, "a", SHARED "\nenv: {MCPT_AB: x, MCPT_SECRET: x, NODE_OPTIONS: ''}",
              NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert(!may_set(d, "MCPT_AB"));
    ck_assert(!may_set(d, "MCPT_SECRET"));
    ck_assert(may_set(d, "NODE_OPTIONS")); /* `refused` replaces the library's list */
    ck_assert(may_set(d, "MCPT_X"));
    ck_assert(may_set(d, "LD_LIBRARY_PATH"));
    ck_assert(may_set(d, "A_SECRET_ID"));
    ck_assert(!may_set(d, "MCPT_Y"));
    ck_assert_int_eq(mcphost_set_admin_env(hr.host, NULL, NULL), MCPHOST_E_STATE);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "view");

    tcase_add_test(tc, by_default_no_dialog_has_the_admin_tools);
    tcase_add_test(tc, a_grant_of_mcp_admin_gives_its_tools_without_the_option);
    tcase_add_test(tc, a_grant_may_name_a_single_admin_tool);
    tcase_add_test(tc, a_star_does_not_grant_mcp_admin_even_with_the_option);
    tcase_add_test(tc, a_dialog_without_the_grant_cannot_call_a_kept_admin_tool);
    tcase_add_test(tc, a_layered_view_without_builtin_tools_refuses_mcp_admin);
    tcase_add_test(tc, names_of_mcp_admin_are_free_while_it_is_off);
    tcase_add_test(tc, names_of_mcp_admin_are_taken_while_it_is_on);
    tcase_add_test(tc, a_granted_admin_tool_wins_its_name_over_a_server_tool);
    tcase_add_test(tc, each_admin_tool_has_its_annotations);

    tc = test_case(suite, "reminder");
    tcase_add_loop_test(tc, the_reminder_names_mcp_release_only_if_the_dialog_may_call_it,
                        0, 6);

    tc = test_case(suite, "variables");
    tcase_add_loop_test(
        tc, a_variable_that_loads_code_is_refused_even_if_the_configuration_names_it, 0,
        (int)(sizeof(loaders) / sizeof(loaders[0])));
    tcase_add_test(tc, only_variables_that_the_configuration_names_may_be_set);
    tcase_add_test(tc, variables_of_servers_that_the_view_does_not_show_are_refused);
    tcase_add_test(tc, the_application_may_allow_and_refuse_variables_itself);
}

int
main(void)
{
    return test_main("host-admin", add);
}
