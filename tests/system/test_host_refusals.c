/* SPDX-License-Identifier: MIT
 *
 * test_host_refusals.c - calls and starts that are refused or fail, and their messages.
 *
 * The tests cover tools of another host, tools of servers that are still starting,
 * programs that do not exist, processes that end at their start, and timeouts that never
 * expire.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "support/hostrig.h"

static struct hostrig hr;

/* ---- timeouts ---------------------------------------------------------------------- */

static int
answer(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arg;
    return mcphost_call_answer(call, arguments, len, 0);
}

static mcphost_call *
endless(mcphost_dialog *dialog, const char *tool, const char *arguments)
{
    mcphost_call *call = hr_call(&hr, dialog, tool, arguments);

    ck_assert_int_eq(mcphost_call_set_timeout(call, INT64_MAX, 1, INT64_MAX), 0);
    hr_go(call);
    return call;
}

/* The second call waits until the first call ends.  The third call calls a built-in
 * tool. */
START_TEST(a_timeout_of_int64_max_never_expires) /* R108 */
{
    mcphost_call *calls[3];
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CALLS_IN_FLIGHT, 1);
    hr_server(&hr, "a", NULL, NULL);
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "mine",
                                              "own", NULL, "{\"type\":\"object\"}",
                                              answer, NULL, NULL, NULL),
                     0);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    calls[0] = endless(d, "a_slow", "{\"ms\":30}");
    calls[1] = endless(d, "a_echo", "{}");
    calls[2] = endless(d, "own", "{}");
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mcphost_call_wait(calls[i], INT64_MAX), 1);
        ck_assert_msg(mcphost_call_get_result(calls[i]) != NULL, "call %d", i);
    }
    ck_assert_int_eq(mcphost_wait_ready(hr.host, INT64_MAX), 1);
    hr_down(&hr);
}
END_TEST

/* ---- tools ------------------------------------------------------------------------- */

START_TEST(a_tool_of_another_host_is_refused) /* R96 */
{
    static struct hostrig other;
    mcphost_error *err = NULL;
    mcphost_call *call;
    mcphost_tool *tool;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    tool = hr_tool(&hr, "a_echo");
    hr_up(&other);
    hr_server(&other, "a", NULL, NULL);
    hr_load(&other);
    ck_assert_int_eq(
        mcphost_call_new_tool(hr_dialog(&other, "d"), tool, "{}", 2, &call, &err),
        MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "'a_echo' belongs to another host");
    mcphost_error_unref(err);
    hr_down(&other);
    ck_assert_int_eq(
        mcphost_call_new_tool(hr_dialog(&hr, "d"), tool, "{}", 2, &call, NULL), 0);
    mcphost_call_unref(call);
    mcphost_tool_unref(tool);
    hr_down(&hr);
}
END_TEST

static int
call_unknown(mcphost_dialog *dialog, char *text, size_t size)
{
    mcphost_error *err = NULL;
    mcphost_call *call;
    int r = mcphost_call_new(dialog, "a_echo", "{}", 2, &call, &err);

    snprintf(text, size, "%s", mcphost_error_get_message(err));
    mcphost_error_unref(err);
    return r;
}

/* R116 */
START_TEST(a_call_made_while_its_server_starts_is_refused_with_e_busy)
{
    mcphost_dialog *d;
    char text[256];

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_server(&hr, "a", NULL, "on list\n delay 600000");
    hr_option(&hr, MCPHOST_OPT_LIST_TIMEOUT, 200);
    hr_load_only(&hr);
    d = hr_dialog(&hr, "d");
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_SERVER, "a", NULL, MCPHOST_SERVER_STARTING) > 0);
    ck_assert_int_eq(call_unknown(d, text, sizeof(text)), MCPHOST_E_BUSY);
    test_has(text, "the server 'a' is still starting");
    hr_ready(&hr);
    ck_assert_int_eq(call_unknown(d, text, sizeof(text)), MCPHOST_E_NOTFOUND);
    test_has_not(text, "starting");
    hr_down(&hr);
}
END_TEST

/* ---- calls that wait for a server's start ------------------------------------------ */

/* Makes a call while server `a` is starting.  The script decides when `a` lists its
 * tools.  The host does not become ready before the list timeout, because server `b`
 * never lists its tools. */
static mcphost_call *
call_early(const char *script, int64_t wait_ms, const char *arguments)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_option(&hr, MCPHOST_OPT_WAIT_STARTING, wait_ms);
    hr_option(&hr, MCPHOST_OPT_LIST_TIMEOUT, wait_ms == 600000 ? 60000 : 50);
    hr_server(&hr, "a", NULL, script);
    hr_server(&hr, "b", NULL, "on list\n delay 600000");
    hr_load_only(&hr);
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_SERVER, "a", NULL, MCPHOST_SERVER_STARTING) > 0);
    call = hr_call(&hr, hr_dialog(&hr, "d"), "a_echo", arguments);
    ck_assert_ptr_null(mcphost_call_get_tool(call));
    ck_assert_int_eq(mcphost_call_answer(call, "x", 1, 0), MCPHOST_E_STATE);
    hr_go(call);
    return call;
}

/* R116 */
START_TEST(with_wait_starting_a_call_waits_for_the_start_of_its_server)
{
    mcphost_call *call =
        call_early("on list\n delay 20\n answer", 600000, "{\"text\":\"x\"}");

    ck_assert_int_eq(mcphost_call_answer(call, "x", 1, 0), MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "x");
    hr_down(&hr);
}
END_TEST

/* R54 R116 */
START_TEST(the_arguments_of_a_waiting_call_are_checked_once_its_tool_is_known)
{
    mcphost_call *call = call_early("on list\n delay 20\n answer", 600000, "[]");

    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_INVALID);
    test_has(hr_why(call), "arguments of tool 'a_echo'");
    hr_down(&hr);
}
END_TEST

/* R116 */
START_TEST(a_waiting_call_fails_when_no_server_is_starting_any_more)
{
    mcphost_call *call = call_early("on list\n delay 600000", 600001, "{}");

    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_NOTFOUND);
    test_has(hr_why(call), "there is no tool 'a_echo'");
    hr_down(&hr);
}
END_TEST

/* The test makes the call before the dispatcher finds that there is no server. */
START_TEST(a_call_does_not_wait_if_no_server_is_starting) /* R116 */
{
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_WAIT_STARTING, 600000);
    hr_load_only(&hr);
    call = hr_start(&hr, hr_dialog(&hr, "d"), "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_NOTFOUND);
    hr_down(&hr);
}
END_TEST

/* R116 */
START_TEST(a_call_that_waited_too_long_names_the_starting_server)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_WAIT_STARTING, 10);
    hr_server(&hr, "a", NULL, "on list\n delay 600000");
    hr_load_only(&hr);
    call = hr_start(&hr, hr_dialog(&hr, "d"), "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_BUSY);
    test_has(hr_why(call), "there is no tool 'a_echo' yet: the server 'a' is still");
    hr_down(&hr);
}
END_TEST

/* The test cancels the call, closes the dialog, or closes the host. */
START_TEST(a_call_that_waits_for_a_start_can_be_cancelled) /* R116 */
{
    mcphost_call *call = call_early("on list\n delay 600000", 600000, "{}");

    hr_turn(&hr, 1);
    if (_i == 0)
        ck_assert_int_eq(mcphost_call_cancel(call), 0);
    else if (_i == 1)
        ck_assert_int_eq(mcphost_dialog_close(hr.dialogs[0]), 0);
    else
        ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

/* ---- starts that fail -------------------------------------------------------------- */

#define ERROR_A "mcp/server/a/server_error"
#define LOOP_A  "mcp/server/a/crash_loop"
#define LEASE_A "mcp/server/a/start_failed"

static const char *
kind_of(const char *id)
{
    static char kind[64];
    mcphost_problems *problems;

    *kind = '\0';
    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    for (size_t i = 0; i < mcphost_problems_count(problems); i++) {
        mcphost_problem *p = mcphost_problems_get(problems, i);

        if (strcmp(mcphost_problem_get_id(p), id) == 0)
            snprintf(kind, sizeof(kind), "%s", mcphost_problem_get_kind(p));
    }
    mcphost_problems_unref(problems);
    return kind;
}

/* R117: without a guard, exec() fails in the host's child.  With a guard, exec() fails
 * in the guard's child. */
START_TEST(a_missing_program_is_a_start_failure_and_no_crash_loop)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_GUARD, _i);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_entry(&hr, "a: {transport: stdio, command: /nonexistent/program}");
    hr_load(&hr);
    for (int i = 2; i <= 4; i++) {
        ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
        hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVER, "a", NULL,
                               MCPHOST_SERVER_UNAVAILABLE) >= i);
    }
    ck_assert_str_eq(kind_of(ERROR_A), "mcp_server_start_failed");
    test_has(hr_problem(&hr, ERROR_A), "/nonexistent/program");
    ck_assert_ptr_null(hr_problem(&hr, LOOP_A));
    hr_down(&hr);
}
END_TEST

/* R117: the process has no free descriptor for the pipes of a new server. */
START_TEST(starts_without_a_free_descriptor_are_no_crash_loop)
{
    struct rlimit old, low;
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", NULL, "tool die\non call:die\n crash 9");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(hr_fail(&hr, d, "a_die", NULL), MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = (struct rlimit){.rlim_cur = 3, .rlim_max = old.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(hr_fail(&hr, d, "a_echo", NULL), MCPHOST_E_LIMIT);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
    ck_assert_ptr_null(hr_problem(&hr, LOOP_A));
    hr_say(&hr, d, "a_echo", NULL);
    hr_down(&hr);
}
END_TEST

/* R117: dialog d leases the process that listed the tools.  Dialog e needs another
 * process, which gets the changed script. */
START_TEST(a_failed_start_for_a_lease_is_a_problem_until_a_start_succeeds)
{
    mcphost_dialog *d, *e;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    hr_say(&hr, d, "a_echo", "{}");
    rig_workspace_write(&hr.ws, "a.script", "on spawn\n exit 3\n");
    ck_assert_int_lt(hr_fail(&hr, e, "a_echo", "{}"), 0);
    ck_assert_str_eq(kind_of(LEASE_A), "mcp_server_start_failed");
    test_has(hr_problem(&hr, LEASE_A), "status 3");
    hr_loaded(&hr, "a");
    hr_say(&hr, d, "a_echo", "{}");
    rig_workspace_write(&hr.ws, "a.script", "%s", "");
    hr_say(&hr, e, "a_echo", "{}");
    ck_assert_ptr_null(hr_problem(&hr, LEASE_A));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "refusals");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_timeout_of_int64_max_never_expires);
    tcase_add_test(tc, a_tool_of_another_host_is_refused);
    tcase_add_test(tc, a_call_made_while_its_server_starts_is_refused_with_e_busy);
    tcase_add_test(tc, with_wait_starting_a_call_waits_for_the_start_of_its_server);
    tcase_add_test(tc,
                   the_arguments_of_a_waiting_call_are_checked_once_its_tool_is_known);
    tcase_add_test(tc, a_waiting_call_fails_when_no_server_is_starting_any_more);
    tcase_add_test(tc, a_call_does_not_wait_if_no_server_is_starting);
    tcase_add_test(tc, a_call_that_waited_too_long_names_the_starting_server);
    tcase_add_loop_test(tc, a_call_that_waits_for_a_start_can_be_cancelled, 0, 3);
    tcase_add_loop_test(tc, a_missing_program_is_a_start_failure_and_no_crash_loop, 0, 2);
    tcase_add_test(tc, starts_without_a_free_descriptor_are_no_crash_loop);
    tcase_add_test(tc, a_failed_start_for_a_lease_is_a_problem_until_a_start_succeeds);
}

int
main(void)
{
    return test_main("host-refusals", add);
}
