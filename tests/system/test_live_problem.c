/* SPDX-License-Identifier: MIT
 *
 * test_live_problem.c - the life of a problem: it is raised, resolved, kept in the
 * history, raised again and forgotten.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "support/hostrig.h"

static struct hostrig hr;

#define CALL_ERROR(id) "mcp/tool_call_error/" id
#define DENIED         "mcp/server/a/tool_blacklisted/echo"
#define DENY_ECHO      "tools: {blacklist: [echo]}"

/* Loads a configuration with server `a` only.  The entry of `a` has the keys `keys`. */
static void
reload_a(const char *keys)
{
    hr.yaml_len = strlen("version: 1\nservers:\n");
    hr_server(&hr, "a", keys, NULL);
    hr_load_only(&hr);
    hr_turn(&hr, 0);
}

static mcphost_problems *
all(uint64_t flags, const char *prefix, const char *server)
{
    mcphost_problems *problems;

    ck_assert_int_eq(mcphost_select_problems(hr.host, flags, prefix, server, &problems),
                     0);
    return problems;
}

static size_t
count(uint64_t flags, const char *prefix, const char *server)
{
    mcphost_problems *problems = all(flags, prefix, server);
    size_t n = mcphost_problems_count(problems);

    mcphost_problems_unref(problems);
    return n;
}

static uint64_t
version(void)
{
    mcphost_problems *problems = all(MCPHOST_PROBLEMS_ACTIVE, NULL, NULL);
    uint64_t n = mcphost_problems_get_version(problems);

    mcphost_problems_unref(problems);
    return n;
}

static int
events_of(const char *id, int state)
{
    int n = 0;

    for (int i = 0; i < hr.n_events; i++)
        n += hr.events[i].kind == MCPHOST_EVENT_PROBLEM &&
             strcmp(hr.events[i].problem, id) == 0 &&
             (state < 0 || hr.events[i].state == state);
    return n;
}

static void
next_ms(void)
{
    const struct timespec two_ms = {.tv_nsec = 2000000};

    nanosleep(&two_ms, NULL);
}

/* ---- raising and resolving --------------------------------------------------------- */

/* R117 R119 B.17 */
START_TEST(a_problem_that_no_longer_holds_is_resolved_and_kept)
{
    mcphost_problems *problems;
    mcphost_problem *p;

    hr_up(&hr);
    hr_server(&hr, "a", DENY_ECHO, NULL);
    hr_load(&hr);
    ck_assert_ptr_nonnull(hr_problem(&hr, DENIED));
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, NULL, NULL), 0);
    next_ms();
    reload_a(NULL);
    ck_assert_ptr_null(hr_problem(&hr, DENIED));
    problems = all(MCPHOST_PROBLEMS_RESOLVED, NULL, NULL);
    ck_assert_uint_eq(mcphost_problems_count(problems), 1);
    p = mcphost_problems_find(problems, DENIED);
    ck_assert_int_eq(mcphost_problem_is_resolved(p), 1);
    ck_assert_int_gt(mcphost_problem_get_resolved_ms(p),
                     mcphost_problem_get_first_seen_ms(p));
    ck_assert_str_eq(mcphost_problem_get_kind(p), "mcp_tool_blacklisted");
    ck_assert_str_eq(mcphost_problem_get_server_id(p), "a");
    ck_assert_int_eq(events_of(DENIED, 0), 1);
    mcphost_problems_unref(problems);
    hr_down(&hr);
}
END_TEST

/* R119 */
START_TEST(problems_may_be_resolved_in_any_order)
{
    static const char *const deny[] = {
        "tools: {blacklist: [echo, t0, t1, t2]}\n",
        "tools: {blacklist: [t0, t1, t2]}\n",
        "tools: {blacklist: [t0, t2]}\n",
        "tools: {blacklist: [t2]}\n",
        "",
    };

    hr_up(&hr);
    hr_server(&hr, "a", deny[0], "generate 3\n");
    hr_load(&hr);
    for (size_t i = 1; i < MCPH_ARRAY_SIZE(deny); i++) {
        mcphost_problems *left;

        reload_a(deny[i]);
        left = all(MCPHOST_PROBLEMS_ACTIVE, "mcp/server/a/tool_blacklisted/", NULL);
        ck_assert_uint_eq(mcphost_problems_count(left), 4 - i);
        if (i < 4)
            ck_assert_ptr_nonnull(
                mcphost_problems_find(left, "mcp/server/a/tool_blacklisted/t2"));
        mcphost_problems_unref(left);
    }
    hr_down(&hr);
}
END_TEST

/* B.17 */
START_TEST(a_problem_raised_again_is_listed_apart_from_the_resolved_problem)
{
    mcphost_problems *problems;
    mcphost_problem *now, *before;

    hr_up(&hr);
    hr_server(&hr, "a", DENY_ECHO, NULL);
    hr_load(&hr);
    next_ms();
    reload_a(NULL);
    next_ms();
    reload_a(DENY_ECHO);
    problems =
        all(MCPHOST_PROBLEMS_ACTIVE | MCPHOST_PROBLEMS_RESOLVED, "mcp/server/a/", "a");
    ck_assert_uint_eq(mcphost_problems_count(problems), 2);
    now = mcphost_problems_get(problems, 0);
    before = mcphost_problems_get(problems, 1);
    ck_assert_int_eq(mcphost_problem_is_resolved(now), 0);
    ck_assert_int_eq(mcphost_problem_get_resolved_ms(now), -1);
    ck_assert_int_eq(mcphost_problem_is_resolved(before), 1);
    ck_assert_int_gt(mcphost_problem_get_first_seen_ms(now),
                     mcphost_problem_get_resolved_ms(before));
    mcphost_problems_unref(problems);
    /* The history keeps only the last occurrence of a problem. */
    reload_a(NULL);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, DENIED, NULL), 1);
    hr_down(&hr);
}
END_TEST

/* B.17: raising an equal problem again does not change the version. */
START_TEST(the_version_changes_only_with_visible_changes)
{
    uint64_t before;

    hr_up(&hr);
    hr_server(&hr, "a", DENY_ECHO, NULL);
    hr_load(&hr);
    before = version();
    reload_a(DENY_ECHO);
    reload_a(DENY_ECHO);
    ck_assert_uint_eq(version(), before);
    reload_a(NULL);
    ck_assert_uint_gt(version(), before);
    hr_down(&hr);
}
END_TEST

/* All changes of a problem in one turn of the dispatcher become one event. */
START_TEST(changes_of_a_problem_in_one_turn_cause_one_event)
{
    static const char id[] = "mcp/server/b/server_error";

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    hr_entry(&hr, "b: {transport: stdio}");
    hr_load_only(&hr);
    hr.yaml_len = strlen("version: 1\nservers:\n");
    hr_server(&hr, "a", NULL, NULL);
    hr_load_only(&hr);
    hr_turn(&hr, 0);
    ck_assert_int_eq(events_of(id, -1), 1);
    ck_assert_int_eq(events_of(id, 0), 1);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, id, NULL), 1);
    /* Changes in the next turn cause another event. */
    hr_entry(&hr, "b: {transport: stdio}");
    hr_load_only(&hr);
    hr_turn(&hr, 0);
    ck_assert_int_eq(events_of(id, 1), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(active_problems_are_listed_before_resolved_problems)
{
    mcphost_problems *problems;

    hr_up(&hr);
    hr_server(&hr, "a", DENY_ECHO, NULL);
    hr_entry(&hr, "b: {transport: stdio}");
    hr_load(&hr);
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/b/server_error"),
                     MCPHOST_SEVERITY_ERROR);
    hr.yaml_len = strlen("version: 1\nservers:\n");
    hr_server(&hr, "a", DENY_ECHO, NULL);
    hr_load_only(&hr);
    hr_turn(&hr, 0);
    problems = all(MCPHOST_PROBLEMS_ACTIVE | MCPHOST_PROBLEMS_RESOLVED, NULL, NULL);
    ck_assert_uint_eq(mcphost_problems_count(problems), 2);
    ck_assert_str_eq(mcphost_problem_get_id(mcphost_problems_get(problems, 0)), DENIED);
    ck_assert_int_eq(mcphost_problem_is_resolved(mcphost_problems_get(problems, 1)), 1);
    mcphost_problems_unref(problems);
    hr_down(&hr);
}
END_TEST

/* Checks that the problems are sorted by severity, the most severe first.  Problems of
 * equal severity are sorted by time, the newest first, and then by id. */
static void
check_order(const mcphost_problems *problems)
{
    for (size_t i = 1; i < mcphost_problems_count(problems); i++) {
        const mcphost_problem *a = mcphost_problems_get(problems, i - 1);
        const mcphost_problem *b = mcphost_problems_get(problems, i);
        int worse = mcphost_problem_get_severity(a) - mcphost_problem_get_severity(b);
        int64_t newer =
            mcphost_problem_get_first_seen_ms(a) - mcphost_problem_get_first_seen_ms(b);

        ck_assert_int_ge(worse, 0);
        if (worse == 0)
            ck_assert_int_ge(newer, 0);
        if (worse == 0 && newer == 0)
            ck_assert_int_lt(strcmp(mcphost_problem_get_id(a), mcphost_problem_get_id(b)),
                             0);
    }
}

/* R119 B.17 */
START_TEST(problems_of_equal_severity_are_listed_newest_first_then_by_id)
{
    mcphost_problems *problems;
    size_t n;

    hr_up(&hr);
    hr_server(&hr, "a", "tools: {blacklist: ['t*']}", "generate 40\n");
    hr_server(&hr, "b", "tools: {whitelist: [t0]}", "generate 40\n");
    hr_load(&hr);
    next_ms();
    hr_entry(&hr, "c: {transport: stdio}");
    hr_server(&hr, "d", "tools: {blacklist: [echo]}", NULL);
    hr_load_only(&hr);
    hr_until(&hr, hr_problem(&hr, "mcp/server/d/tool_blacklisted/echo") != NULL);
    problems = all(MCPHOST_PROBLEMS_ACTIVE, NULL, NULL);
    n = mcphost_problems_count(problems);
    ck_assert_uint_gt(n, 80);
    check_order(problems);
    ck_assert_str_eq(mcphost_problem_get_id(mcphost_problems_get(problems, 0)),
                     "mcp/server/c/server_error");
    ck_assert_str_eq(mcphost_problem_get_id(mcphost_problems_get(problems, 1)),
                     "mcp/server/d/tool_blacklisted/echo");
    ck_assert_int_eq(mcphost_problem_get_severity(mcphost_problems_get(problems, n - 1)),
                     MCPHOST_SEVERITY_WARNING);
    mcphost_problems_unref(problems);
    hr_down(&hr);
}
END_TEST

/* ---- selecting and forgetting ------------------------------------------------------ */

START_TEST(problems_are_selected_by_prefix_server_and_state)
{
    mcphost_problems *problems;

    hr_up(&hr);
    hr_server(&hr, "a", DENY_ECHO, NULL);
    hr_server(&hr, "b", "tools: {blacklist: [echo, add]}", NULL);
    hr_load(&hr);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_ACTIVE, NULL, NULL), 3);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_ACTIVE, NULL, "b"), 2);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_ACTIVE, "mcp/server/a/", NULL), 1);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_ACTIVE, "mcp/server/a/", "b"), 0);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_select_problems(hr.host, 0, NULL, NULL, &problems),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_select_problems(hr.host, 4, NULL, NULL, &problems),
                     MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

START_TEST(only_resolved_problems_can_be_forgotten)
{
    uint64_t before;

    hr_up(&hr);
    hr_server(&hr, "a", "tools: {blacklist: [echo, add, env]}", NULL);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_forget_problem(hr.host, DENIED), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_forget_problem(hr.host, "none"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_forget_problem(NULL, "none"), MCPHOST_E_INVALID);
    reload_a(NULL);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, NULL, NULL), 3);
    before = version();
    ck_assert_int_eq(mcphost_forget_problem(hr.host, DENIED), 0);
    ck_assert_uint_gt(version(), before);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, NULL, NULL), 2);
    before = version();
    ck_assert_int_eq(mcphost_forget_problem(hr.host, NULL), 0);
    ck_assert_uint_gt(version(), before);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, NULL, NULL), 0);
    before = version();
    ck_assert_int_eq(mcphost_forget_problem(hr.host, NULL), 0);
    ck_assert_uint_eq(version(), before);
    hr_down(&hr);
}
END_TEST

START_TEST(the_history_keeps_256_problems_and_drops_the_oldest)
{
    hr_up(&hr);
    /* A server has at most 100 findings and one problem that counts the other findings.
     * Each of the first four loads has another blacklist. */
    hr_server(&hr, "a", "tools: {blacklist: ['t*']}", "generate 300\n");
    hr_load(&hr);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_ACTIVE, NULL, "a"), 101);
    reload_a("tools: {blacklist: ['t2*']}");
    reload_a("tools: {blacklist: ['t1*']}");
    reload_a("tools: {blacklist: [t0]}");
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, NULL, NULL), 256);
    reload_a(NULL);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, NULL, NULL), 256);
    ck_assert_uint_eq(
        count(MCPHOST_PROBLEMS_RESOLVED, "mcp/server/a/tool_blacklisted/t0", NULL), 1);
    hr_down(&hr);
}
END_TEST

/* ---- calls ------------------------------------------------------------------------- */

/* B.17 */
START_TEST(a_failed_call_is_a_problem_until_a_call_of_that_server_succeeds)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "b", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(hr_fail(&hr, d, "a_boom", NULL), MCPHOST_E_RPC);
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, CALL_ERROR("a")), "boom"));
    ck_assert_int_eq(hr_severity(&hr, CALL_ERROR("a")), MCPHOST_SEVERITY_ERROR);
    hr_say(&hr, d, "b_echo", NULL);
    ck_assert_ptr_nonnull(hr_problem(&hr, CALL_ERROR("a")));
    hr_say(&hr, d, "a_echo", NULL);
    ck_assert_ptr_null(hr_problem(&hr, CALL_ERROR("a")));
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, CALL_ERROR(""), "a"), 1);
    hr_down(&hr);
}
END_TEST

/* B.17 */
START_TEST(a_timeout_and_a_crash_raise_a_problem_of_their_server)
{
    mcphost_dialog *d;
    mcphost_call *call;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "b", NULL, "tool die\non call:die\n exit 3\n");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    call = hr_call(&hr, d, "a_slow", "{\"ms\":5000}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 30, -1, 0), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(hr_fail(&hr, d, "b_die", NULL), MCPHOST_E_TRANSPORT);
    ck_assert_ptr_nonnull(hr_problem(&hr, CALL_ERROR("a")));
    ck_assert_ptr_nonnull(hr_problem(&hr, CALL_ERROR("b")));
    hr_down(&hr);
}
END_TEST

/* B.17: neither an error result nor a cancelled call is a failure of the server. */
START_TEST(an_error_result_and_a_cancelled_call_raise_no_problem)
{
    mcphost_dialog *d;
    mcphost_call *call;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    call = hr_start(&hr, d, "a_fail", NULL);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    call = hr_start(&hr, d, "a_slow", "{\"ms\":5000}");
    hr_turn(&hr, 10);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    ck_assert_uint_eq(
        count(MCPHOST_PROBLEMS_ACTIVE | MCPHOST_PROBLEMS_RESOLVED, CALL_ERROR(""), NULL),
        0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_removed_server_leaves_no_active_problem) /* R117 */
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "b", NULL, NULL);
    hr_entry(&hr, "c: {transport: stdio, command: /no/such/program}");
    hr_load(&hr);
    hr_fail(&hr, hr_dialog(&hr, "d"), "b_boom", NULL);
    ck_assert_ptr_nonnull(hr_problem(&hr, CALL_ERROR("b")));
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/c/server_error"));
    reload_a(NULL);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_ACTIVE, NULL, NULL), 0);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, CALL_ERROR("b"), NULL), 1);
    ck_assert_uint_eq(count(MCPHOST_PROBLEMS_RESOLVED, NULL, "c"), 1);
    hr_down(&hr);
}
END_TEST

/* B.17 */
START_TEST(the_text_of_a_failed_call_is_cut_at_10000_characters)
{
    static char script[20100];
    size_t len;

    memset(script, 0, sizeof(script));
    strncpy(script, "tool long\non call:long\n error -32000 ", 100);
    len = strlen(script);
    memset(script + len, 'x', 20000);
    hr_up(&hr);
    hr_server(&hr, "a", NULL, script);
    hr_load(&hr);
    hr_fail(&hr, hr_dialog(&hr, "d"), "a_long", NULL);
    {
        mcphost_problems *problems = all(MCPHOST_PROBLEMS_ACTIVE, CALL_ERROR("a"), NULL);

        len = strlen(mcphost_problem_get_message(mcphost_problems_get(problems, 0)));
        mcphost_problems_unref(problems);
    }
    ck_assert_uint_le(len, 10000);
    ck_assert_uint_gt(len, 100);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *life = test_case(suite, "life");
    TCase *select = test_case(suite, "select");
    TCase *calls = test_case(suite, "calls");

    tcase_add_test(life, a_problem_that_no_longer_holds_is_resolved_and_kept);
    tcase_add_test(life, problems_may_be_resolved_in_any_order);
    tcase_add_test(life,
                   a_problem_raised_again_is_listed_apart_from_the_resolved_problem);
    tcase_add_test(life, the_version_changes_only_with_visible_changes);
    tcase_add_test(life, changes_of_a_problem_in_one_turn_cause_one_event);
    tcase_add_test(life, active_problems_are_listed_before_resolved_problems);
    tcase_add_test(life, problems_of_equal_severity_are_listed_newest_first_then_by_id);

    tcase_add_test(select, problems_are_selected_by_prefix_server_and_state);
    tcase_add_test(select, only_resolved_problems_can_be_forgotten);
    tcase_add_test(select, the_history_keeps_256_problems_and_drops_the_oldest);

    tcase_add_test(calls,
                   a_failed_call_is_a_problem_until_a_call_of_that_server_succeeds);
    tcase_add_test(calls, a_timeout_and_a_crash_raise_a_problem_of_their_server);
    tcase_add_test(calls, an_error_result_and_a_cancelled_call_raise_no_problem);
    tcase_add_test(calls, a_removed_server_leaves_no_active_problem);
    tcase_add_test(calls, the_text_of_a_failed_call_is_cut_at_10000_characters);
}

int
main(void)
{
    return test_main("live-problem", add);
}
