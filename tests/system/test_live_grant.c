/* SPDX-License-Identifier: MIT
 *
 * test_live_grant.c - views with a grant while the configuration changes: the tools of
 * the views, the calls that are allowed, and the toolsets that the views report as
 * missing.
 */
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

#define FEW "no-tools\ntool echo\ntool pid\n"

static struct hostrig hr;
static mcphost_view *view;

static void
give(const char *toolsets, const char *tools)
{
    mcphost_grant *g = hr_grant(toolsets, tools);

    if (view)
        ck_assert_int_eq(mcphost_view_set_grant(view, g), 0);
    else
        ck_assert_int_eq(mcphost_view_new(hr.host, "ann", g, &view, NULL), 0);
    ck_assert_ptr_null(mcphost_grant_unref(g));
}

static void
up(void)
{
    view = NULL;
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
}

static void
servers(void)
{
    hr_server(&hr, "a", "truely-stateless: true", FEW "on call:echo\n text hi");
    hr_server(&hr, "b", "truely-stateless: true", FEW);
}

static void
down(void)
{
    mcphost_view_unref(view);
    hr_down(&hr);
}

/* Opens a dialog on the view.  The rig releases the dialog. */
static mcphost_dialog *
talk(const char *id)
{
    mcphost_dialog *dialog;

    ck_assert_int_eq(mcphost_dialog_new(view, id, NULL, &dialog, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = dialog;
    return dialog;
}

static mcphost_catalog *
open_catalog(void)
{
    mcphost_catalog *catalog;

    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), 0);
    return catalog;
}

static uint64_t
version(void)
{
    mcphost_catalog *catalog = open_catalog();
    uint64_t v = mcphost_catalog_get_version(catalog);

    mcphost_catalog_unref(catalog);
    return v;
}

/* Returns the missing toolsets as "name lack" and the missing tools as "tool name lack",
 * with "; " between them.  `lack` is the number of the reason. */
static const char *
missing(void)
{
    static char text[512];
    mcphost_catalog *catalog = open_catalog();
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < mcphost_catalog_count_missing(catalog); i++) {
        int lack, tool;
        const char *name = mcphost_catalog_get_missing(catalog, i, &tool, &lack);

        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s %d",
                                i ? "; " : "", tool ? "tool " : "", name, lack);
    }
    ck_assert_ptr_null(mcphost_catalog_get_missing(
        catalog, mcphost_catalog_count_missing(catalog), NULL, NULL));
    mcphost_catalog_unref(catalog);
    return text;
}

/* Makes a call that the host must refuse.  Returns the error message, and the error
 * code in *ret. */
static const char *
refusal(mcphost_dialog *dialog, const char *tool, int *ret)
{
    static char text[2][256];
    static int turn;
    mcphost_error *err = NULL;
    mcphost_call *call;

    turn = !turn;
    *ret = mcphost_call_new(dialog, tool, NULL, 0, &call, &err);
    ck_assert_int_lt(*ret, 0);
    snprintf(text[turn], sizeof(text[turn]), "%s", mcphost_error_get_message(err));
    mcphost_error_unref(err);
    return text[turn];
}

/* Loads the configuration in hr.yaml and waits until the host has read the
 * configuration. */
static void
reload(void)
{
    int n = hr_count(&hr, MCPHOST_EVENT_CONFIG, NULL, NULL, -1);

    hr_load_only(&hr);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_CONFIG, NULL, NULL, -1) > n);
}

/* R83 R84 */
START_TEST(a_view_shows_only_the_tools_of_its_present_grant)
{
    mcphost_dialog *d;

    up();
    servers();
    give("b", "a_echo");
    d = talk("d");
    ck_assert_str_eq(hr_tools(&hr, d), "");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, d), "b_echo b_pid a_echo");
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", NULL), "hi");
    give("*", "!a_pid");
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo b_echo b_pid");
    give("", "");
    ck_assert_str_eq(hr_tools(&hr, d), "");
    down();
}
END_TEST

/* R87 */
START_TEST(a_tool_without_a_grant_is_refused_like_an_unknown_tool)
{
    char there[256], absent[256];
    mcphost_dialog *d;
    int r;

    up();
    servers();
    hr_load(&hr);
    give("a", "");
    d = talk("d");
    snprintf(there, sizeof(there), "%s", refusal(d, "b_echo", &r));
    ck_assert_int_eq(r, MCPHOST_E_DENIED);
    snprintf(absent, sizeof(absent), "%s", refusal(d, "c_echo", &r));
    ck_assert_int_eq(r, MCPHOST_E_DENIED);
    ck_assert_str_eq(there, "tool 'b_echo' is not granted to 'ann'");
    ck_assert_str_eq(absent, "tool 'c_echo' is not granted to 'ann'");
    down();
}
END_TEST

/* R87 */
START_TEST(a_tool_handle_of_another_view_is_refused_without_a_grant)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    mcphost_tool *tool, *mine;
    mcphost_dialog *d;

    up();
    servers();
    hr_load(&hr);
    give("a", "");
    d = talk("d");
    tool = hr_tool(&hr, "b_echo");
    mine = hr_tool(&hr, "a_echo");
    ck_assert_int_eq(mcphost_call_new_tool(d, tool, NULL, 0, &call, &err),
                     MCPHOST_E_DENIED);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "tool 'b_echo' is not granted to 'ann'");
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_call_new_tool(d, mine, NULL, 0, &call, NULL), 0);
    mcphost_call_unref(call);
    mcphost_tool_unref(tool);
    mcphost_tool_unref(mine);
    down();
}
END_TEST

START_TEST(a_call_is_checked_again_when_it_starts) /* R87 */
{
    mcphost_call *call, *other;
    mcphost_dialog *d;

    up();
    servers();
    hr_load(&hr);
    give("a b", "");
    d = talk("d");
    call = hr_call(&hr, d, "b_echo", NULL);
    other = hr_call(&hr, d, "a_echo", NULL);
    hr_go(call);
    give("a", "");
    hr_go(other);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
    ck_assert_str_eq(hr_why(call), "tool 'b_echo' is not granted to 'ann'");
    ck_assert_ptr_null(mcphost_error_get_server_id(mcphost_call_get_error(call)));
    ck_assert_int_eq(hr_end(&hr, other), 0);
    down();
}
END_TEST

/* R87 R176 */
START_TEST(a_denied_tool_without_a_grant_is_refused_for_the_grant)
{
    mcphost_call *granted, *call;
    mcphost_dialog *d;

    up();
    hr_option(&hr, MCPHOST_OPT_DENIED, MCPHOST_DENY_WRITING);
    servers();
    hr_load(&hr);
    give("a b", "");
    d = talk("d");
    granted = hr_call(&hr, d, "a_echo", NULL);
    call = hr_call(&hr, d, "b_echo", NULL);
    give("a", "");
    hr_go(granted);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, granted), MCPHOST_E_DENIED);
    ck_assert_str_eq(
        hr_why(granted),
        "tool 'a_echo' may change things, which the policy of its source denies");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
    ck_assert_str_eq(hr_why(call), "tool 'b_echo' is not granted to 'ann'");
    down();
}
END_TEST

START_TEST(a_renamed_tool_loses_the_grant_of_its_old_name) /* R87 */
{
    mcphost_dialog *d;
    mcphost_tool *old;
    mcphost_call *call;

    up();
    hr_server(&hr, "a", "truely-stateless: true\ntransform: [{prefix: \"x_\"}]", FEW);
    hr_load(&hr);
    give("", "x_echo");
    d = talk("d");
    old = hr_tool(&hr, "x_echo");
    ck_assert_int_eq(mcphost_call_new_tool(d, old, NULL, 0, &call, NULL), 0);
    mcphost_call_unref(call);
    /* The tool `echo` now has the name y_echo.  The grant does not include y_echo. */
    hr.yaml_len = strlen("version: 1\nservers:\n");
    hr_server(&hr, "a", "truely-stateless: true\ntransform: [{prefix: \"y_\"}]", FEW);
    reload();
    ck_assert_int_eq(mcphost_call_new_tool(d, old, NULL, 0, &call, NULL),
                     MCPHOST_E_DENIED);
    mcphost_tool_unref(old);
    down();
}
END_TEST

/* R84 R113 */
START_TEST(the_version_grows_only_when_the_view_changes)
{
    mcphost_catalog *before, *after;
    uint64_t v;

    up();
    servers();
    hr_load(&hr);
    give("a", "");
    v = version();
    before = open_catalog();
    hr_server(&hr, "c", "truely-stateless: true", FEW);
    reload();
    hr_until(&hr, hr_server_state(&hr, "c") == MCPHOST_SERVER_LOADED);
    after = open_catalog();
    ck_assert_ptr_eq(before, after); /* the grant does not include c */
    give("a c", "");
    ck_assert_uint_gt(version(), v);
    v = version();
    give("a", "");
    ck_assert_uint_gt(version(), v);
    mcphost_catalog_unref(before);
    mcphost_catalog_unref(after);
    down();
}
END_TEST

START_TEST(a_new_grant_emits_a_catalog_event)
{
    const struct hr_event *event;

    up();
    servers();
    hr_load(&hr);
    give("a", "");
    hr_turn(&hr, 10);
    hr_turn(&hr, 0);
    give("b", "");
    hr_until(&hr, strcmp(hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL)->text, "ann") == 0);
    event = hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL);
    ck_assert_uint_eq(event->version, version());
    down();
}
END_TEST

#define TOOLSET "team/member/ann/toolset/"

/* R85 R86 */
START_TEST(a_missing_toolset_or_tool_raises_a_warning_that_says_why)
{
    up();
    hr_server(&hr, "a", "truely-stateless: true", FEW);
    hr_entry(&hr, "bad: {transport: carrier-pigeon}");
    hr_entry(&hr, "off: {transport: stdio, command: x, enabled: false}");
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_entry(&hr, "dead: {transport: stdio, command: /nonexistent/x}");
    give("a nope dead bad off", "no_tool");
    hr_load(&hr);
    hr_until(&hr, hr_problem(&hr, TOOLSET "nope"));
    hr_turn(&hr, 0);
    ck_assert_str_eq(missing(), "nope 1; dead 2; bad 4; off 3; tool no_tool 1");
    ck_assert_str_eq(hr_problem(&hr, TOOLSET "nope"),
                     "member 'ann': toolset 'nope' is not known");
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, TOOLSET "dead"), "not running"));
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, TOOLSET "bad"), "invalid"));
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, TOOLSET "off"), "disabled"));
    ck_assert_ptr_nonnull(hr_problem(&hr, "team/member/ann/tool/no_tool"));
    ck_assert_int_eq(hr_severity(&hr, TOOLSET "nope"), MCPHOST_SEVERITY_WARNING);
    ck_assert_int_eq(hr_severity(&hr, TOOLSET "a"), 0);
    down();
}
END_TEST

/* R85 */
START_TEST(the_warning_of_an_unknown_toolset_mentions_a_rejected_file)
{
    size_t len;

    up();
    servers();
    give("a c", "");
    hr_load(&hr);
    ck_assert_str_eq(missing(), "c 1");
    len = hr.yaml_len;
    hr.yaml_len = (size_t)snprintf(hr.yaml, sizeof(hr.yaml), "version: [\n");
    hr_load_only(&hr);
    hr_until(&hr, strstr(hr_problem(&hr, TOOLSET "c"), "as a whole"));
    ck_assert_str_eq(missing(), "c 5");
    hr.yaml_len = (size_t)snprintf(hr.yaml, sizeof(hr.yaml), "version: 1\nservers:\n");
    servers();
    ck_assert_uint_eq(hr.yaml_len, len);
    reload();
    hr_until(&hr, strstr(hr_problem(&hr, TOOLSET "c"), "not known") &&
                      !strstr(hr_problem(&hr, TOOLSET "c"), "as a whole"));
    down();
}
END_TEST

/* R84 R85 */
START_TEST(a_warning_is_resolved_when_its_toolset_or_view_changes)
{
    mcphost_dialog *d;

    up();
    hr_server(&hr, "a", "truely-stateless: true", FEW);
    give("a c", "");
    d = talk("d");
    hr_load(&hr);
    hr_until(&hr, hr_problem(&hr, TOOLSET "c"));
    hr_server(&hr, "c", "truely-stateless: true", FEW);
    hr_load_only(&hr);
    hr_until(&hr, !hr_problem(&hr, TOOLSET "c"));
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid c_echo c_pid");
    give("zzz", "");
    hr_until(&hr, hr_problem(&hr, TOOLSET "zzz"));
    mcphost_dialog_close(d);
    view = mcphost_view_unref(view);
    hr.dialogs[0] = mcphost_dialog_unref(d);
    hr.n_dialogs = 0;
    hr_until(&hr, !hr_problem(&hr, TOOLSET "zzz")); /* the view no longer exists */
    down();
}
END_TEST

static int
answer(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arguments;
    (void)len;
    (void)arg;
    return mcphost_call_answer(call, "ok", 2, 0);
}

/* R211 K15 */
START_TEST(built_in_tools_are_granted_like_tools_of_servers)
{
    mcphost_dialog *d;
    int r;

    up();
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(
            mcphost_view_add_builtin(mcphost_default_view(hr.host), i ? "os" : "ws_read",
                                     i ? "run" : "read", NULL, "{\"type\":\"object\"}",
                                     answer, NULL, NULL, NULL),
            0);
    servers();
    give("ws_read a", "");
    hr_load(&hr);
    d = talk("d");
    ck_assert_str_eq(hr_tools(&hr, d), "read a_echo a_pid");
    ck_assert_str_eq(hr_say(&hr, d, "read", NULL), "ok");
    refusal(d, "run", &r);
    ck_assert_int_eq(r, MCPHOST_E_DENIED);
    down();
}
END_TEST

/* B.18 */
START_TEST(flags_exclude_a_toolset_from_the_star_or_from_all_grants)
{
    mcphost_dialog *d;

    up();
    ck_assert_int_eq(mcphost_set_toolset_flags(hr.host, "a", MCPHOST_TOOLSET_NOT_BY_STAR),
                     0);
    ck_assert_int_eq(mcphost_set_toolset_flags(hr.host, "b", MCPHOST_TOOLSET_NOT_BY_STAR),
                     0);
    ck_assert_int_eq(
        mcphost_set_toolset_flags(hr.host, "b", MCPHOST_TOOLSET_NOT_ASSIGNABLE), 0);
    ck_assert_int_eq(mcphost_set_toolset_flags(hr.host, "a", 4), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_toolset_flags(hr.host, "", 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_toolset_flags(NULL, "a", 1), MCPHOST_E_INVALID);
    servers();
    hr_server(&hr, "c", "truely-stateless: true", FEW);
    give("*", "");
    ck_assert_int_eq(mcphost_set_toolset_flags(hr.host, "a", 0), MCPHOST_E_STATE);
    hr_load(&hr);
    d = talk("d");
    ck_assert_str_eq(hr_tools(&hr, d), "c_echo c_pid");
    give("a b", "b_echo");
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    ck_assert_str_eq(missing(), "b 6; tool b_echo 6");
    down();
}
END_TEST

/* R87 */
START_TEST(the_own_list_of_a_dialogs_client_is_filtered_by_the_grant)
{
    mcphost_dialog *d;

    up();
    hr_server(&hr, "a", NULL,
              "era legacy\nno-tools\ntool grow\ntool pid\n"
              "on call:grow\n use more\n changed\n text grown\n"
              "set more\ntool grow\ntool extra\ntool other\n");
    give("", "a_grow a_extra");
    hr_load(&hr);
    d = talk("d");
    ck_assert_str_eq(hr_tools(&hr, d), "a_grow");
    ck_assert_str_eq(hr_say(&hr, d, "a_grow", NULL), "grown");
    hr_until(&hr, strcmp(hr_tools(&hr, d), "a_grow a_extra") == 0);
    hr_say(&hr, d, "a_extra", NULL);
    mcphost_dialog_close(d);
    hr_turn(&hr, 10);
    down();
}
END_TEST

/* R84 */
START_TEST(a_catalog_has_a_new_version_if_only_the_missing_names_change)
{
    char before[512];
    uint64_t old;

    up();
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    give("a b", "");
    hr_follow(&hr);
    snprintf(before, sizeof(before), "%s", missing());
    old = version();
    hr_server(&hr, "b", "enabled: false", NULL);
    hr_reload(&hr);
    hr_until(&hr, strcmp(missing(), before) != 0);
    ck_assert_uint_gt(version(), old);
    down();
}
END_TEST

START_TEST(a_second_view_of_the_same_name_is_refused)
{
    mcphost_grant *g = hr_grant("a", "");
    mcphost_view *other = NULL;

    up();
    give("a", "");
    ck_assert_int_eq(mcphost_view_new(hr.host, "ann", g, &other, NULL), MCPHOST_E_EXISTS);
    ck_assert_ptr_null(other);
    view = mcphost_view_unref(view);
    ck_assert_int_eq(mcphost_view_new(hr.host, "ann", g, &view, NULL), 0);
    mcphost_grant_unref(g);
    down();
}
END_TEST

START_TEST(views_that_outlive_their_host_return_e_closed)
{
    mcphost_view *standard;
    mcphost_catalog *catalog;
    mcphost_grant *g;

    up();
    servers();
    give("a", "");
    hr_load(&hr);
    mcphost_catalog_unref(open_catalog());
    standard = mcphost_view_ref(mcphost_default_view(hr.host));
    ck_assert_ptr_eq(mcphost_view_ref(view), view);
    mcphost_view_unref(view);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    while (mcphost_wait(hr.host, 100) >= 0)
        ;
    hr.host = mcphost_unref(hr.host);
    g = hr_grant("b", "");
    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcphost_view_get_catalog(standard, &catalog), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcphost_view_set_grant(view, g), MCPHOST_E_CLOSED);
    mcphost_grant_unref(g);
    mcphost_view_unref(view);
    mcphost_view_unref(standard);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(a_grant_in_use_cannot_be_changed)
{
    mcphost_grant *g = hr_grant("a", "");

    up();
    ck_assert_int_eq(mcphost_grant_add_toolset(g, "!"), 0);
    ck_assert_int_eq(mcphost_view_new(hr.host, "ann", g, &view, NULL), 0);
    ck_assert_int_eq(mcphost_grant_add_toolset(g, "b"), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_grant_add_tool(g, "b"), MCPHOST_E_STATE);
    ck_assert_ptr_eq(mcphost_grant_ref(g), g);
    mcphost_grant_unref(g);
    mcphost_grant_unref(g);
    down();
}
END_TEST

START_TEST(invalid_arguments_are_refused)
{
    mcphost_grant *g = hr_grant("", "");
    mcphost_catalog *catalog;
    mcphost_view *other;

    up();
    ck_assert_int_eq(mcphost_grant_new(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_grant_add_toolset(g, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_grant_add_toolset(NULL, "a"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_grant_add_toolset(g, " "), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_grant_add_tool(g, "\xff"), MCPHOST_E_INVALID);
    ck_assert_ptr_null(mcphost_grant_ref(NULL));
    ck_assert_ptr_null(mcphost_grant_unref(NULL));
    ck_assert_int_eq(mcphost_view_new(hr.host, "", g, &other, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_new(hr.host, "x", NULL, &other, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_new(NULL, "x", g, &other, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_set_grant(mcphost_default_view(hr.host), g),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_view_set_grant(NULL, g), MCPHOST_E_INVALID);
    ck_assert_ptr_null(mcphost_view_ref(NULL));
    ck_assert_ptr_null(mcphost_view_unref(NULL));
    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog),
                     0);
    ck_assert_uint_eq(mcphost_catalog_count_missing(catalog), 0);
    ck_assert_uint_eq(mcphost_catalog_count_missing(NULL), 0);
    mcphost_catalog_unref(catalog);
    mcphost_grant_unref(g);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "shown");

    tcase_add_test(tc, a_view_shows_only_the_tools_of_its_present_grant);
    tcase_add_test(tc, the_version_grows_only_when_the_view_changes);
    tcase_add_test(tc, a_new_grant_emits_a_catalog_event);
    tcase_add_test(tc, built_in_tools_are_granted_like_tools_of_servers);
    tcase_add_test(tc, flags_exclude_a_toolset_from_the_star_or_from_all_grants);
    tcase_add_test(tc, the_own_list_of_a_dialogs_client_is_filtered_by_the_grant);

    tc = test_case(suite, "refused");
    tcase_add_test(tc, a_tool_without_a_grant_is_refused_like_an_unknown_tool);
    tcase_add_test(tc, a_tool_handle_of_another_view_is_refused_without_a_grant);
    tcase_add_test(tc, a_call_is_checked_again_when_it_starts);
    tcase_add_test(tc, a_denied_tool_without_a_grant_is_refused_for_the_grant);
    tcase_add_test(tc, a_renamed_tool_loses_the_grant_of_its_old_name);

    tc = test_case(suite, "missing");
    tcase_add_test(tc, a_missing_toolset_or_tool_raises_a_warning_that_says_why);
    tcase_add_test(tc, the_warning_of_an_unknown_toolset_mentions_a_rejected_file);
    tcase_add_test(tc, a_warning_is_resolved_when_its_toolset_or_view_changes);

    tc = test_case(suite, "handles");
    tcase_add_test(tc, a_catalog_has_a_new_version_if_only_the_missing_names_change);
    tcase_add_test(tc, a_second_view_of_the_same_name_is_refused);
    tcase_add_test(tc, views_that_outlive_their_host_return_e_closed);
    tcase_add_test(tc, a_grant_in_use_cannot_be_changed);
    tcase_add_test(tc, invalid_arguments_are_refused);
}

int
main(void)
{
    return test_main("live-grant", add);
}
