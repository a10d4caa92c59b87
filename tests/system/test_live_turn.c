/* SPDX-License-Identifier: MIT
 *
 * test_live_turn.c - turns of dialogs: the pinned catalog, and servers that are removed
 * or changed during a turn, with both values of MCPHOST_OPT_REMOVED.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/hostrig.h"

#define FEW    "no-tools\ntool echo\ntool pid\n"
#define SHARED "truely-stateless: true"

enum { SUCCESSOR = MCPHOST_REMOVED_SUCCESSOR, SERVE = MCPHOST_REMOVED_SERVE };

static struct hostrig hr;
static mcphost_dialog *d;

static void
up_with(int policy, int holders, const char *keys)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_HOLDERS, holders);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_REMOVED, policy);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", keys, FEW);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static void
up(int policy, const char *keys)
{
    up_with(policy, MCPHOST_HOLDERS_KEEP, keys);
}

static void
begin(void)
{
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
}

static void
end(void)
{
    ck_assert_int_eq(mcphost_dialog_end_turn(d), 0);
}

static void
clear(void)
{
    hr.yaml_len = strlen("version: 1\nservers:\n");
    hr.yaml[hr.yaml_len] = '\0';
}

/* Loads the present configuration.  Waits until the default view has the tools
 * `shown`. */
static void
reload(const char *shown)
{
    hr_load_only(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), shown) == 0);
}

static void
remove_server(void)
{
    clear();
    hr_entry(&hr, "off: {transport: stdio, command: x, enabled: false}");
    reload("");
}

/* Starts a new process of server `a` by a change of the server's environment.  Waits
 * for the additional tool of the new process. */
static void
change_server(const char *keys)
{
    char more[256];

    clear();
    snprintf(more, sizeof(more), "env: {GENERATION: \"2\"}\n%s", keys ? keys : "");
    hr_server(&hr, "a", more, FEW "tool more\n");
    reload("a_echo a_pid a_more");
}

START_TEST(a_turn_keeps_the_catalog_it_began_with) /* R96 K2 */
{
    mcphost_dialog *e;

    up(_i, SHARED);
    e = hr_dialog(&hr, "e");
    begin();
    change_server(SHARED);
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    ck_assert_str_eq(hr_tools(&hr, e), "a_echo a_pid a_more");
    end();
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid a_more");
    hr_down(&hr);
}
END_TEST

START_TEST(a_second_begin_or_end_of_a_turn_changes_nothing) /* R96 */
{
    up(SERVE, SHARED);
    end();
    begin();
    change_server(SHARED);
    begin();
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    end();
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid a_more");
    end();
    ck_assert_int_eq(mcphost_dialog_begin_turn(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_end_turn(NULL), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

static const char *const sharing[] = {NULL, SHARED};

/* R96 R106 C1 */
START_TEST(successor_a_removed_server_ends_at_once)
{
    int pid;

    up(SUCCESSOR, sharing[_i]);
    begin();
    pid = hr_pid(&hr, d, "a_pid");
    remove_server();
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    ck_assert_int_eq(hr_fail(&hr, d, "a_pid", NULL), MCPHOST_E_GONE);
    hr_down(&hr);
}
END_TEST

/* R96 C1 */
START_TEST(serve_a_removed_server_goes_on_until_the_turn_ends)
{
    int pid;

    up(SERVE, sharing[_i]);
    begin();
    pid = hr_pid(&hr, d, "a_pid");
    remove_server();
    hr_turn(&hr, 20);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    end();
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_str_eq(hr_tools(&hr, d), "");
    hr_down(&hr);
}
END_TEST

/* R96 */
START_TEST(serve_a_client_of_a_removed_server_can_be_started_in_the_turn)
{
    int pid;

    up(SERVE, sharing[_i]);
    begin();
    remove_server();
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    end();
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

/* R96 */
START_TEST(successor_calls_of_a_changed_server_go_to_the_new_process)
{
    int pid;

    up(SUCCESSOR, sharing[_i]);
    begin();
    pid = hr_pid(&hr, d, "a_pid");
    change_server(sharing[_i]);
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    hr_until(&hr, rig_is_dead(pid));
    end();
    hr_down(&hr);
}
END_TEST

/* R96 */
START_TEST(serve_a_changed_server_keeps_its_old_process_for_the_turn)
{
    mcphost_dialog *e;
    int pid, other;

    up(SERVE, sharing[_i]);
    e = hr_dialog(&hr, "e");
    begin();
    pid = hr_pid(&hr, d, "a_pid");
    change_server(sharing[_i]);
    other = hr_pid(&hr, e, "a_pid");
    ck_assert_int_ne(other, pid);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    end();
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_int_ne(hr_pid(&hr, d, "a_pid"), pid);
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), other);
    hr_down(&hr);
}
END_TEST

START_TEST(serve_a_shared_process_ends_after_the_last_turn) /* R96 */
{
    mcphost_dialog *e;
    int pid;

    up(SERVE, SHARED);
    e = hr_dialog(&hr, "e");
    begin();
    ck_assert_int_eq(mcphost_dialog_begin_turn(e), 0);
    pid = hr_pid(&hr, d, "a_pid");
    remove_server();
    end();
    hr_turn(&hr, 20);
    ck_assert_str_eq(hr_tools(&hr, d), "");
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), pid);
    ck_assert_int_eq(mcphost_dialog_end_turn(e), 0);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

START_TEST(serve_keeps_only_the_edition_of_the_turn) /* R96 R107 */
{
    mcphost_dialog *e;
    int first, second;

    up(SERVE, SHARED);
    e = hr_dialog(&hr, "e");
    begin();
    first = hr_pid(&hr, d, "a_pid");
    change_server(SHARED);
    second = hr_pid(&hr, e, "a_pid");
    clear();
    hr_server(&hr, "a", SHARED "\nenv: {GENERATION: \"3\"}", FEW "tool third\n");
    reload("a_echo a_pid a_third");
    hr_until(&hr, rig_is_dead(second));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), first);
    ck_assert_int_ne(hr_pid(&hr, e, "a_pid"), first);
    end();
    hr_until(&hr, rig_is_dead(first));
    hr_down(&hr);
}
END_TEST

/* R96 R103 */
START_TEST(a_change_of_names_keeps_the_process_and_is_shown_after_the_turn)
{
    int pid;

    up(_i, SHARED);
    begin();
    pid = hr_pid(&hr, d, "a_pid");
    clear();
    hr_server(&hr, "a", SHARED "\ntransform: [{prefix: \"z_\"}]", FEW);
    reload("z_echo z_pid");
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    end();
    ck_assert_int_eq(hr_pid(&hr, d, "z_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* R96 */
START_TEST(the_policy_decides_if_a_tool_filtered_out_in_a_turn_still_works)
{
    int pid;

    up(_i, SHARED);
    begin();
    pid = hr_pid(&hr, d, "a_pid");
    clear();
    hr_server(&hr, "a", SHARED "\ntools: {blacklist: [pid]}", FEW);
    reload("a_echo");
    if (_i == SERVE)
        ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    else
        ck_assert_int_eq(hr_fail(&hr, d, "a_pid", NULL), MCPHOST_E_GONE);
    end();
    hr_down(&hr);
}
END_TEST

START_TEST(a_dialog_that_closes_ends_its_turn) /* R96 */
{
    mcphost_dialog *e;
    int pid;

    up(SERVE, SHARED);
    e = hr_dialog(&hr, "e");
    begin();
    pid = hr_pid(&hr, e, "a_pid");
    remove_server();
    hr_turn(&hr, 20);
    ck_assert(!rig_is_dead(pid));
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    hr_until(&hr, rig_is_dead(pid));
    end();
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), MCPHOST_E_CLOSED);
    hr_down(&hr);
}
END_TEST

START_TEST(closing_a_host_in_a_turn_leaves_nothing_behind) /* R96 */
{
    up(_i, NULL);
    begin();
    hr_pid(&hr, d, "a_pid");
    remove_server();
    hr_turn(&hr, 20);
    hr_down(&hr); /* checks that no descriptor, child or thread is left */
}
END_TEST

START_TEST(releasing_a_host_in_a_turn_closes_its_dialogs) /* R96 */
{
    up(SERVE, SHARED);
    begin();
    hr_pid(&hr, d, "a_pid");
    remove_server();
    hr.host = mcphost_unref(hr.host);
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), MCPHOST_E_CLOSED);
    end();
    hr_down_ended(&hr);
}
END_TEST

/* R30 K1 */
START_TEST(with_reload_turn_the_start_of_a_turn_reads_the_file)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_TURN);
    hr_server(&hr, "a", SHARED, FEW);
    rig_workspace_yaml(&hr.ws, "%s", hr.yaml);
    ck_assert_int_eq(mcphost_load_workspace(hr.host, hr.ws.dir, NULL, NULL), 0);
    hr_ready(&hr);
    d = hr_dialog(&hr, "d");
    clear();
    hr_entry(&hr, "off: {transport: stdio, command: x, enabled: false}");
    rig_workspace_yaml(&hr.ws, "%s", hr.yaml);
    hr_turn(&hr, 20);
    ck_assert_str_eq(hr_tools(&hr, NULL), "a_echo a_pid");
    begin();
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), "") == 0);
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    end();
    ck_assert_str_eq(hr_tools(&hr, d), "");
    hr_down(&hr);
}
END_TEST

/* R30(b): the first turn after an edit has the new tools. */
START_TEST(after_a_reload_and_wait_ready_the_next_turn_has_the_edit)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD,
              _i ? MCPHOST_RELOAD_TURN : MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, FEW);
    hr_server(&hr, "c", SHARED, "on spawn\n exit 1");
    rig_workspace_yaml(&hr.ws, "%s", hr.yaml);
    ck_assert_int_eq(mcphost_load_workspace(hr.host, hr.ws.dir, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 10000), 1);
    d = hr_dialog(&hr, "d");
    hr_edit(&hr);
    hr_server(&hr, "b", SHARED, "no-tools\ntool late\non list\n delay 100\n answer");
    rig_workspace_yaml(&hr.ws, "%s", hr.yaml);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 10000), 1);
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    ck_assert_str_eq(hr_tools(&hr, d), "b_late");
    /* Neither reload emits MCPHOST_EVENT_READY again. */
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 10000), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_READY, NULL, NULL, -1), 1);
    hr_down(&hr);
}
END_TEST

/* R87 R96 */
START_TEST(a_revoked_grant_denies_calls_even_within_a_turn)
{
    mcphost_grant *all, *none;
    mcphost_view *view;
    mcphost_call *call;

    up(SERVE, SHARED);
    ck_assert_int_eq(mcphost_grant_new(&all), 0);
    ck_assert_int_eq(mcphost_grant_new(&none), 0);
    ck_assert_int_eq(mcphost_grant_add_toolset(all, "*"), 0);
    ck_assert_int_eq(mcphost_view_new(hr.host, "ann", all, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "v", NULL, &d, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = d;
    begin();
    ck_assert_int_gt(hr_pid(&hr, d, "a_pid"), 0);
    ck_assert_int_eq(mcphost_view_set_grant(view, none), 0);
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    ck_assert_int_eq(mcphost_call_new(d, "a_pid", NULL, 0, &call, NULL),
                     MCPHOST_E_DENIED);
    mcphost_grant_unref(all);
    mcphost_grant_unref(none);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

/* In a turn, a name means the same tool as at the start of the turn. */
START_TEST(serve_a_tool_granted_by_name_stays_granted_when_another_takes_the_name)
{
    static const char own_names[] = SHARED "\ntransform: []";
    mcphost_grant *grant;
    mcphost_view *view;
    mcphost_call *call;
    int pid;

    up_with(SERVE, MCPHOST_HOLDERS_BY_ORDER, own_names);
    ck_assert_int_eq(mcphost_grant_new(&grant), 0);
    ck_assert_int_eq(mcphost_grant_add_tool(grant, "pid"), 0);
    ck_assert_int_eq(mcphost_view_new(hr.host, "ann", grant, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "v", NULL, &d, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = d;
    begin();
    pid = hr_pid(&hr, d, "pid");
    clear();
    hr_server(&hr, "b", own_names, FEW "tool more\n");
    hr_server(&hr, "a", own_names, FEW);
    reload("echo pid more");
    ck_assert_int_eq(hr_pid(&hr, d, "pid"), pid);
    ck_assert_int_eq(mcphost_call_new(d, "echo", NULL, 0, &call, NULL), MCPHOST_E_DENIED);
    end();
    ck_assert_int_ne(hr_pid(&hr, d, "pid"), pid);
    mcphost_grant_unref(grant);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

/* The dialog has two processes of the server.  The first process was started before the
 * change of the server.  The second process was started after the change, and gets the
 * call of a tool that is not from the turn's catalog. */
START_TEST(serve_a_release_ends_both_clients_of_a_dialog) /* R80 */
{
    mcphost_tool *tool;
    mcphost_lease *lease;
    mcphost_call *call;
    int first, second;

    up(SERVE, NULL);
    begin();
    first = hr_pid(&hr, d, "a_pid");
    change_server(NULL);
    tool = hr_tool(&hr, "a_pid");
    ck_assert_int_eq(mcphost_call_new_tool(d, tool, NULL, 0, &call, NULL), 0);
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    second = (int)strtol(hr_text(&hr, call), NULL, 10);
    ck_assert_int_ne(first, second);
    ck_assert_uint_eq(hr_leases(&hr), 2);
    ck_assert_int_eq(mcphost_dialog_get_lease(d, "a", &lease), 0);
    ck_assert_int_eq(mcphost_lease_release(lease), 0);
    mcphost_lease_unref(lease);
    hr_until(&hr, hr_leases(&hr) == 0);
    hr_until(&hr, rig_is_dead(first) && rig_is_dead(second));
    mcphost_tool_unref(tool);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "pinned");

    tcase_add_loop_test(tc, a_turn_keeps_the_catalog_it_began_with, SUCCESSOR, SERVE + 1);
    tcase_add_test(tc, a_second_begin_or_end_of_a_turn_changes_nothing);
    tcase_add_test(tc, with_reload_turn_the_start_of_a_turn_reads_the_file);
    tcase_add_loop_test(tc, after_a_reload_and_wait_ready_the_next_turn_has_the_edit, 0,
                        2);
    tcase_add_test(tc, a_revoked_grant_denies_calls_even_within_a_turn);
    tcase_add_test(
        tc, serve_a_tool_granted_by_name_stays_granted_when_another_takes_the_name);
    tcase_add_test(tc, serve_a_release_ends_both_clients_of_a_dialog);

    tc = test_case(suite, "policy");
    tcase_set_timeout(tc, 10);
    tcase_add_loop_test(tc, successor_a_removed_server_ends_at_once, 0, 2);
    tcase_add_loop_test(tc, serve_a_removed_server_goes_on_until_the_turn_ends, 0, 2);
    tcase_add_loop_test(tc, serve_a_client_of_a_removed_server_can_be_started_in_the_turn,
                        0, 2);
    tcase_add_loop_test(tc, successor_calls_of_a_changed_server_go_to_the_new_process, 0,
                        2);
    tcase_add_loop_test(tc, serve_a_changed_server_keeps_its_old_process_for_the_turn, 0,
                        2);
    tcase_add_test(tc, serve_a_shared_process_ends_after_the_last_turn);
    tcase_add_test(tc, serve_keeps_only_the_edition_of_the_turn);
    tcase_add_loop_test(tc,
                        a_change_of_names_keeps_the_process_and_is_shown_after_the_turn,
                        SUCCESSOR, SERVE + 1);
    tcase_add_loop_test(tc,
                        the_policy_decides_if_a_tool_filtered_out_in_a_turn_still_works,
                        SUCCESSOR, SERVE + 1);

    tc = test_case(suite, "ends");
    tcase_add_test(tc, a_dialog_that_closes_ends_its_turn);
    tcase_add_loop_test(tc, closing_a_host_in_a_turn_leaves_nothing_behind, SUCCESSOR,
                        SERVE + 1);
    tcase_add_test(tc, releasing_a_host_in_a_turn_closes_its_dialogs);
}

int
main(void)
{
    return test_main("live-turn", add);
}
