/* SPDX-License-Identifier: MIT
 *
 * test_host_own.c - a leased client whose tools change.
 *
 * A client is the host's connection to one process of a server.  Only the dialog that
 * leases the client sees a change of the client's tools.
 */
#include <signal.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d, *e;

/* The server is of the legacy era, because a legacy server announces changes of its list
 * without a subscription. */
#define GROWING                                                \
    "era legacy\nno-tools\ntool grow\ntool shrink\ntool pid\n" \
    "on call:grow\n use more\n changed\n text grown\n"         \
    "on call:shrink\n use main\n changed\n text shrunk\n"      \
    "set more\ntool grow\ntool shrink\ntool extra\n"

#define BEFORE HR_ADMIN " a_grow a_shrink a_pid"
#define AFTER  HR_ADMIN " a_grow a_shrink a_extra"

static void
up(void)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", NULL, GROWING);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
}

static void
grow(void)
{
    hr_say(&hr, d, "a_grow", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, d), AFTER) == 0);
}

START_TEST(a_tool_change_in_a_leased_client_is_seen_by_its_dialog_only)
{
    mcphost_catalog *catalog;
    mcphost_call *call;

    up();
    hr_pid(&hr, e, "a_pid");
    grow();
    ck_assert_str_eq(hr_tools(&hr, NULL), BEFORE);
    ck_assert_str_eq(hr_tools(&hr, e), BEFORE);
    ck_assert_str_eq(hr_say(&hr, d, "a_extra", "{\"x\":1}"), "{\"x\":1}");
    ck_assert_int_eq(mcphost_call_new(e, "a_extra", NULL, 0, &call, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_call_new(d, "a_pid", NULL, 0, &call, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_str_eq(hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL)->dialog, "d");
    ck_assert_uint_eq(hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL)->version,
                      mcphost_catalog_get_version(catalog));
    mcphost_catalog_unref(catalog);
    hr_down(&hr);
}
END_TEST

/* R36 R103 */
START_TEST(a_changed_filter_applies_to_a_dialogs_own_list)
{
    mcphost_tool *extra;
    mcphost_catalog *catalog;
    mcphost_call *call;

    up();
    grow();
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    extra = mcphost_tool_ref(mcphost_catalog_find_tool(catalog, "a_extra"));
    mcphost_catalog_unref(catalog);
    hr_edit(&hr);
    hr_server(&hr, "a", "tools: {blacklist: [extra, pid]}", GROWING);
    hr_load_only(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), HR_ADMIN " a_grow a_shrink") == 0);
    ck_assert_str_eq(hr_tools(&hr, d), HR_ADMIN " a_grow a_shrink");
    ck_assert_int_eq(mcphost_call_new_tool(d, extra, NULL, 0, &call, NULL), 0);
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    mcphost_tool_unref(extra);
    hr_down(&hr);
}
END_TEST

/* Another dialog can still call the tool. */
START_TEST(a_tool_that_the_dialogs_client_no_longer_lists_fails_with_e_gone)
{
    mcphost_tool *pid;
    mcphost_call *call;

    up();
    pid = hr_tool(&hr, "a_pid");
    grow();
    ck_assert_int_eq(mcphost_call_new_tool(d, pid, NULL, 0, &call, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    mcphost_call_unref(call);
    ck_assert_int_eq(mcphost_call_new_tool(e, pid, NULL, 0, &call, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    mcphost_call_unref(call);
    mcphost_tool_unref(pid);
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_release_the_dialog_sees_the_views_tools_again)
{
    mcphost_catalog *catalog;
    mcphost_tool *extra;
    mcphost_call *call;

    up();
    grow();
    mcphost_dialog_get_catalog(d, &catalog);
    extra = mcphost_tool_ref(mcphost_catalog_find_tool(catalog, "a_extra"));
    mcphost_catalog_unref(catalog);
    hr_release(d, "a");
    hr_until(&hr, strcmp(hr_tools(&hr, d), BEFORE) == 0);
    ck_assert_str_eq(hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL)->dialog, "d");
    ck_assert_int_eq(mcphost_call_new_tool(d, extra, NULL, 0, &call, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    mcphost_call_unref(call);
    mcphost_tool_unref(extra);
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_crash_the_dialog_sees_the_views_tools_again)
{
    int pid;

    up();
    pid = hr_pid(&hr, d, "a_pid");
    grow();
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, d), BEFORE) == 0);
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

START_TEST(a_dialog_shares_the_views_catalog_after_its_client_changes_back)
{
    mcphost_catalog *mine, *views;

    up();
    grow();
    hr_say(&hr, d, "a_shrink", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, d), BEFORE) == 0);
    mcphost_dialog_get_catalog(d, &mine);
    mcphost_view_get_catalog(mcphost_default_view(hr.host), &views);
    ck_assert_ptr_eq(mine, views);
    mcphost_catalog_unref(mine);
    mcphost_catalog_unref(views);
    hr_down(&hr);
}
END_TEST

/* The dialog's own catalog shows changes of the tools of other servers. */
START_TEST(a_change_of_the_view_reaches_a_dialog_with_tools_of_its_own)
{
    uint64_t before;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, GROWING);
    hr_server(&hr, "s", "truely-stateless: true", GROWING);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    hr_say(&hr, d, "a_grow", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, d), AFTER " s_grow s_shrink s_pid") == 0);
    before = hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL)->version;
    hr_say(&hr, e, "s_grow", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, e), BEFORE " s_grow s_shrink s_extra") == 0);
    ck_assert_str_eq(hr_tools(&hr, d), AFTER " s_grow s_shrink s_extra");
    ck_assert_uint_gt(hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL)->version, before);
    hr_down(&hr);
}
END_TEST

/* A dialog has a list of its own for each server.  After a change, each list may change
 * again. */
START_TEST(own_lists_of_two_servers_in_one_dialog_change_independently)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, GROWING);
    hr_server(&hr, "b", NULL,
              "era legacy\nno-tools\ntool one\non call:one\n use two\n changed\n text 1\n"
              "on call:two\n use three\n changed\n text 2\nset two\ntool two\n"
              "set three\ntool three");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    hr_say(&hr, d, "a_grow", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, d), AFTER " b_one") == 0);
    hr_say(&hr, d, "b_one", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, d), AFTER " b_two") == 0);
    hr_say(&hr, d, "b_two", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, d), AFTER " b_three") == 0);
    hr_release(d, "a");
    hr_until(&hr, strcmp(hr_tools(&hr, d), BEFORE " b_three") == 0);
    ck_assert_str_eq(hr_say(&hr, d, "b_three", NULL), "{}");
    ck_assert_str_eq(hr_tools(&hr, NULL), BEFORE " b_one");
    hr_down(&hr);
}
END_TEST

START_TEST(a_dialog_with_tools_of_its_own_closes_cleanly)
{
    up();
    grow();
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    hr_until(&hr, hr_leases(&hr) == 0);
    hr_down(&hr);
}
END_TEST

START_TEST(the_last_unref_of_the_host_frees_the_tools_of_a_dialog)
{
    up();
    grow();
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "own");

    tcase_add_test(tc, a_tool_change_in_a_leased_client_is_seen_by_its_dialog_only);
    tcase_add_test(tc, a_changed_filter_applies_to_a_dialogs_own_list);
    tcase_add_test(tc, a_tool_that_the_dialogs_client_no_longer_lists_fails_with_e_gone);
    tcase_add_test(tc, after_a_release_the_dialog_sees_the_views_tools_again);
    tcase_add_test(tc, after_a_crash_the_dialog_sees_the_views_tools_again);
    tcase_add_test(tc, a_dialog_shares_the_views_catalog_after_its_client_changes_back);
    tcase_add_test(tc, a_change_of_the_view_reaches_a_dialog_with_tools_of_its_own);
    tcase_add_test(tc, own_lists_of_two_servers_in_one_dialog_change_independently);
    tcase_add_test(tc, a_dialog_with_tools_of_its_own_closes_cleanly);
    tcase_add_test(tc, the_last_unref_of_the_host_frees_the_tools_of_a_dialog);
}

int
main(void)
{
    return test_main("host-own", add);
}
