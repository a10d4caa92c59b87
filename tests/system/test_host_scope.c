/* SPDX-License-Identifier: MIT
 *
 * test_host_scope.c - scopes of leases: which dialogs share a client.
 *
 * A client is the host's connection to one process of a server, or to a server over HTTP.
 * The client serves a dialog, an agent, a workspace or everyone.
 */
#include <signal.h>
#include <string.h>

#include "support/hostrig.h"
#include "support/httprig.h"

static struct hostrig hr;
static mcphost_dialog *d, *e, *f;

static mcphost_dialog *
dialog_of(const char *id, const char *agent, const char *workspace)
{
    mcphost_dialog *dialog = hr_dialog(&hr, id);

    if (agent)
        ck_assert_int_eq(mcphost_dialog_set_agent(dialog, agent), 0);
    if (workspace)
        ck_assert_int_eq(mcphost_dialog_set_workspace(dialog, workspace), 0);
    return dialog;
}

static void
up(const char *keys, const char *script)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", keys, script);
    hr_load(&hr);
}

/* Starts a host whose server has the scope "agent".  Opens three dialogs of one
 * agent. */
static void
up_agent(const char *script)
{
    up("scope: agent", script);
    d = dialog_of("d", "x", NULL);
    e = dialog_of("e", "x", NULL);
    f = dialog_of("f", "x", NULL);
}

/* Returns the scope of a dialog's lease on "a".  Checks that the lease has the scope
 * key `key`, or no key if `key` is NULL. */
static int
scope_of(mcphost_dialog *dialog, const char *key)
{
    mcphost_lease *lease = NULL;
    const char *found;
    int scope;

    ck_assert_int_eq(mcphost_dialog_get_lease(dialog, "a", &lease), 0);
    scope = mcphost_lease_get_scope(lease);
    found = mcphost_lease_get_scope_key(lease);
    if (key)
        ck_assert_str_eq(found, key);
    else
        ck_assert_ptr_null(found);
    mcphost_lease_unref(lease);
    return scope;
}

/* ---- shared clients ---------------------------------------------------------------- */

/* R76, R77, R82, R198: the client ends when the last of the agent's dialogs closes. */
START_TEST(an_agents_client_serves_its_dialogs_and_ends_with_the_last)
{
    mcphost_status *status;
    int pid, other;

    up_agent(NULL);
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), pid);
    ck_assert_int_eq(hr_pid(&hr, f, "a_pid"), pid);
    other = hr_pid(&hr, dialog_of("g", "y", NULL), "a_pid");
    ck_assert_int_ne(other, pid);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_uint_eq(mcphost_status_count_leases(status), 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(mcphost_status_lease_get_scope(status, i), MCPHOST_SCOPE_AGENT);
        ck_assert_str_eq(mcphost_status_lease_get_scope_key(status, i),
                         i < 3 ? "x" : "y");
        ck_assert_int_eq(mcphost_status_lease_get_pid(status, i), i < 3 ? pid : other);
    }
    ck_assert_int_eq(mcphost_status_lease_get_scope(status, 4), -1);
    ck_assert_ptr_null(mcphost_status_lease_get_scope_key(status, 4));
    mcphost_status_unref(status);

    mcphost_dialog_close(d);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0) == 1);
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), pid);
    mcphost_dialog_close(e);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "e", 0) == 1);
    ck_assert_int_eq(hr_pid(&hr, f, "a_pid"), pid);
    mcphost_dialog_close(f);
    hr_until(&hr, rig_is_dead(pid));
    ck_assert(!rig_is_dead(other));
    /* The agent's next dialog gets a new client. */
    ck_assert_int_ne(hr_pid(&hr, dialog_of("h", "x", NULL), "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* R78 */
START_TEST(an_agent_has_one_client_for_each_server)
{
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", "scope: agent", NULL);
    hr_server(&hr, "b", "scope: agent", NULL);
    hr_load(&hr);
    d = dialog_of("d", "x", NULL);
    e = dialog_of("e", "x", NULL);
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_ne(hr_pid(&hr, e, "b_pid"), pid);
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* R80 */
START_TEST(a_release_ends_the_lease_of_its_own_dialog_only)
{
    int pid;

    up_agent(NULL);
    pid = hr_pid(&hr, d, "a_pid");
    hr_pid(&hr, e, "a_pid");
    ck_assert_str_eq(hr_say(&hr, d, "mcp_release", "{\"serverId\":\"a\"}"),
                     "ok: released a for dialog d");
    ck_assert_uint_eq(hr_leases(&hr), 1);
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), pid);
    /* The next call of d uses the same client again. */
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_release(d, "a");
    hr_release(e, "a");
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

START_TEST(after_the_last_release_calls_in_flight_still_succeed)
{
    mcphost_call *call;

    up_agent(NULL);
    hr_pid(&hr, d, "a_pid");
    call = hr_start(&hr, e, "a_slow", "{\"ms\":50}");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "e", 1) == 1);
    hr_release(d, "a");
    hr_release(e, "a");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_until(&hr, hr_leases(&hr) == 0);
    hr_down(&hr);
}
END_TEST

START_TEST(closing_a_dialog_cancels_its_calls_and_not_those_of_other_dialogs)
{
    mcphost_call *mine, *others;

    up_agent(NULL);
    hr_pid(&hr, d, "a_pid");
    mine = hr_start(&hr, d, "a_slow", "{\"ms\":5000}");
    others = hr_start(&hr, e, "a_slow", "{\"ms\":50}");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "e", 1) == 1);
    mcphost_dialog_close(d);
    ck_assert_int_eq(hr_end(&hr, mine), MCPHOST_E_CANCELLED);
    ck_assert_int_eq(hr_end(&hr, others), 0);
    hr_down(&hr);
}
END_TEST

/* B.12: besides the process that listed the tools, the host starts only one process. */
START_TEST(concurrent_first_calls_of_an_agents_dialogs_share_one_start)
{
    mcphost_call *calls[3];

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", "scope: agent", NULL);
    hr_load(&hr);
    calls[0] = hr_start(&hr, dialog_of("d", "x", NULL), "a_pid", NULL);
    calls[1] = hr_start(&hr, dialog_of("e", "x", NULL), "a_pid", NULL);
    calls[2] = hr_start(&hr, dialog_of("f", "x", NULL), "a_pid", NULL);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(hr_end(&hr, calls[i]), 0);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), 2);
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_crash_an_agents_dialogs_share_the_next_process)
{
    int pid, next;

    up_agent(NULL);
    pid = hr_pid(&hr, d, "a_pid");
    hr_pid(&hr, e, "a_pid");
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL,
                           MCPHOST_INSTANCE_DEAD) == 1);
    next = hr_pid(&hr, e, "a_pid");
    ck_assert_int_ne(next, pid);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), next);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", NULL, -1), 2);
    hr_down(&hr);
}
END_TEST

/* ---- which key decides ------------------------------------------------------------- */

START_TEST(the_scope_decides_which_dialogs_share_a_client) /* K11 */
{
    static const struct {
        const char *keys;
        int scope;
        bool by_agent, by_workspace; /* true if dialogs with equal keys share a client */
    } rows[] = {
        {"scope: dialog", MCPHOST_SCOPE_DIALOG, false, false},
        {"scope: agent", MCPHOST_SCOPE_AGENT, true, false},
        {"scope: workspace", MCPHOST_SCOPE_WORKSPACE, false, true},
        {"scope: everyone", MCPHOST_SCOPE_EVERYONE, true, true},
        {"truely-stateless: true\nscope: dialog", MCPHOST_SCOPE_EVERYONE, true, true},
    };
    mcphost_dialog *same_agent, *same_workspace;
    mcphost_lease *lease;
    int pid;

    up(rows[_i].keys, NULL);
    d = dialog_of("d", "x", "w");
    same_agent = dialog_of("e", "x", "v");
    same_workspace = dialog_of("f", "y", "w");
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr_pid(&hr, same_agent, "a_pid") == pid, rows[_i].by_agent);
    ck_assert_int_eq(hr_pid(&hr, same_workspace, "a_pid") == pid, rows[_i].by_workspace);
    if (rows[_i].scope == MCPHOST_SCOPE_EVERYONE)
        ck_assert_int_eq(mcphost_dialog_get_lease(d, "a", &lease), MCPHOST_E_NOTFOUND);
    else
        ck_assert_int_eq(scope_of(d, _i == 0   ? "d"
                                     : _i == 1 ? "x"
                                               : "w"),
                         rows[_i].scope);
    hr_down(&hr);
}
END_TEST

/* Dialog `f` belongs to an agent whose name equals the id of dialog `d`.  Dialog `f` also
 * gets another client than `d`. */
START_TEST(a_dialog_without_an_agent_has_a_client_of_its_own)
{
    int pid;

    up("scope: agent", NULL);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(scope_of(d, "d"), MCPHOST_SCOPE_DIALOG);
    ck_assert_int_ne(hr_pid(&hr, hr_dialog(&hr, "e"), "a_pid"), pid);
    ck_assert_int_ne(hr_pid(&hr, dialog_of("f", "d", NULL), "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* K11 */
START_TEST(the_lease_scope_option_applies_to_servers_without_a_scope)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LEASE_SCOPE, MCPHOST_SCOPE_AGENT);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "b", "scope: dialog", NULL);
    hr_server(&hr, "s", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = dialog_of("d", "x", NULL);
    e = dialog_of("e", "x", NULL);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), hr_pid(&hr, e, "a_pid"));
    ck_assert_int_ne(hr_pid(&hr, d, "b_pid"), hr_pid(&hr, e, "b_pid"));
    ck_assert_int_eq(hr_pid(&hr, d, "s_pid"), hr_pid(&hr, hr_dialog(&hr, "f"), "s_pid"));
    hr_down(&hr);
}
END_TEST

START_TEST(agent_and_workspace_are_set_once_and_before_the_first_lease)
{
    up("scope: agent", NULL);
    d = hr_dialog(&hr, "d");
    ck_assert_ptr_null(mcphost_dialog_get_agent(d));
    ck_assert_int_eq(mcphost_dialog_set_agent(d, ""), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_set_agent(d, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_set_agent(d, "\xff"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_set_agent(NULL, "x"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_set_workspace(NULL, "x"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_set_agent(d, "x"), 0);
    ck_assert_int_eq(mcphost_dialog_set_agent(d, "x"), MCPHOST_E_STATE);
    ck_assert_str_eq(mcphost_dialog_get_agent(d), "x");
    hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(mcphost_dialog_set_workspace(d, "w"), MCPHOST_E_STATE);
    ck_assert_ptr_null(mcphost_dialog_get_workspace(d));
    mcphost_dialog_close(d);
    ck_assert_int_eq(mcphost_dialog_set_workspace(d, "w"), MCPHOST_E_CLOSED);
    hr_down(&hr);
}
END_TEST

/* ---- reminders and tools that dialogs see ------------------------------------------ */

/* R79 */
START_TEST(each_dialog_of_an_agent_is_reminded_once)
{
    const struct hr_event *event;

    up_agent(NULL);
    for (int i = 0; i < 2; i++) {
        hr_pid(&hr, d, "a_pid");
        hr_pid(&hr, e, "a_pid");
    }
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "d", 1), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "e", 1), 1);
    event = hr_last(&hr, MCPHOST_EVENT_REMINDER, "a");
    ck_assert_ptr_nonnull(strstr(event->text, "only those of the same agent"));
    hr_release(d, "a");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "d", 0) == 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "e", 0), 0);
    hr_down(&hr);
}
END_TEST

#define GROWING                                           \
    "era legacy\nno-tools\ntool grow\ntool shrink\n"      \
    "on call:grow\n use more\n changed\n text grown\n"    \
    "on call:shrink\n use main\n changed\n text shrunk\n" \
    "set more\ntool grow\ntool shrink\ntool extra\n"

#define BEFORE HR_ADMIN " a_grow a_shrink"
#define AFTER  BEFORE " a_extra"

/* A dialog that leases the client after the change also sees the changed tools.  A dialog
 * of another agent does not see the changed tools. */
START_TEST(all_dialogs_that_lease_a_client_see_its_changed_tools)
{
    up_agent(GROWING);
    hr_say(&hr, d, "a_grow", NULL);
    hr_say(&hr, e, "a_grow", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, d), AFTER) == 0);
    ck_assert_str_eq(hr_tools(&hr, e), AFTER);
    ck_assert_str_eq(hr_tools(&hr, f), BEFORE);
    hr_say(&hr, f, "a_grow", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, f), AFTER) == 0);
    ck_assert_str_eq(hr_tools(&hr, dialog_of("g", "y", NULL)), BEFORE);
    ck_assert_str_eq(hr_tools(&hr, NULL), BEFORE);
    hr_release(d, "a");
    hr_until(&hr, strcmp(hr_tools(&hr, d), BEFORE) == 0);
    ck_assert_str_eq(hr_tools(&hr, e), AFTER);
    hr_say(&hr, e, "a_shrink", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, e), BEFORE) == 0);
    ck_assert_str_eq(hr_tools(&hr, f), BEFORE);
    hr_down(&hr);
}
END_TEST

/* ---- edits ------------------------------------------------------------------------- */

/* R103: the process of the old scope drains.  The next call of each dialog uses the
 * new scope. */
START_TEST(an_edited_scope_applies_from_the_next_call_on)
{
    int pid, mine;

    up_agent(NULL);
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), pid);
    hr_edit(&hr);
    hr_server(&hr, "a", "scope: dialog", NULL);
    hr_load_only(&hr);
    hr_until(&hr, rig_is_dead(pid));
    mine = hr_pid(&hr, d, "a_pid");
    ck_assert_int_ne(hr_pid(&hr, e, "a_pid"), mine);
    ck_assert_int_eq(scope_of(d, "d"), MCPHOST_SCOPE_DIALOG);
    hr_down(&hr);
}
END_TEST

/* A modern server over HTTP has one client for everyone.  The host and each dialog that
 * uses the client have a lease. */
START_TEST(a_modern_http_server_has_one_client_whatever_its_scope)
{
    static struct httprig web;

    hr_up(&hr);
    hr_http(&hr, &web, "a", "scope: agent", "era modern");
    hr_load(&hr);
    d = dialog_of("d", "x", NULL);
    e = dialog_of("e", "y", NULL);
    hr_say(&hr, d, "a_echo", "{\"text\":\"x\"}");
    hr_say(&hr, e, "a_echo", "{\"text\":\"x\"}");
    ck_assert_int_eq(scope_of(d, NULL), MCPHOST_SCOPE_EVERYONE);
    ck_assert_uint_eq(hr_leases(&hr), 3);
    hr_release(d, "a");
    hr_until(&hr, hr_leases(&hr) == 2);
    hr_say(&hr, e, "a_echo", "{\"text\":\"x\"}");
    /* The count for one request is 2, because the request has the method in its body and
     * in a header. */
    ck_assert_int_eq(hr_traced(&hr, "a", "server/discover"), 2);
    hr_down(&hr);
}
END_TEST

/* B.13 */
START_TEST(idle_leases_of_an_agent_end_and_then_its_client_ends)
{
    int pid;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_LEASE_IDLE, 30);
    hr_server(&hr, "a", "scope: agent", NULL);
    hr_load(&hr);
    pid = hr_pid(&hr, dialog_of("d", "x", NULL), "a_pid");
    hr_pid(&hr, dialog_of("e", "x", NULL), "a_pid");
    hr_until(&hr, hr_leases(&hr) == 0);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "shared");

    tcase_add_test(tc, an_agents_client_serves_its_dialogs_and_ends_with_the_last);
    tcase_add_test(tc, an_agent_has_one_client_for_each_server);
    tcase_add_test(tc, a_release_ends_the_lease_of_its_own_dialog_only);
    tcase_add_test(tc, after_the_last_release_calls_in_flight_still_succeed);
    tcase_add_test(tc, closing_a_dialog_cancels_its_calls_and_not_those_of_other_dialogs);
    tcase_add_test(tc, concurrent_first_calls_of_an_agents_dialogs_share_one_start);
    tcase_add_test(tc, after_a_crash_an_agents_dialogs_share_the_next_process);

    tc = test_case(suite, "keys");
    tcase_add_loop_test(tc, the_scope_decides_which_dialogs_share_a_client, 0, 5);
    tcase_add_test(tc, a_dialog_without_an_agent_has_a_client_of_its_own);
    tcase_add_test(tc, the_lease_scope_option_applies_to_servers_without_a_scope);
    tcase_add_test(tc, agent_and_workspace_are_set_once_and_before_the_first_lease);

    tc = test_case(suite, "told");
    tcase_add_test(tc, each_dialog_of_an_agent_is_reminded_once);
    tcase_add_test(tc, all_dialogs_that_lease_a_client_see_its_changed_tools);

    tc = test_case(suite, "changes");
    tcase_add_test(tc, an_edited_scope_applies_from_the_next_call_on);
    tcase_add_test(tc, a_modern_http_server_has_one_client_whatever_its_scope);
    tcase_add_test(tc, idle_leases_of_an_agent_end_and_then_its_client_ends);
}

int
main(void)
{
    return test_main("host-scope", add);
}
