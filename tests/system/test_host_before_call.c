/* SPDX-License-Identifier: MIT
 *
 * test_host_before_call.c - decisions of the before-call function about calls
 * (mcphost_set_before_call()).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

#define TEXT(s) s, sizeof(s) - 1

static struct hostrig hr;
static mcphost_dialog *d;

/* Settings and records of decide_call(), the before-call function under test. */
static struct {
    int verdict; /* return value of decide_call() */
    const char *refusal;
    int allows; /* whether decide_call() calls mcphost_call_allow() */
    int both;   /* result of mcphost_call_allow() after a refusal */
    int asked, freed;
    char name[64], server[64], annotations[128], arguments[64];
    mcphost_call *call; /* the last call that decide_call() got; not a reference */
} app;

static int
decide_call(mcphost_call *call, void *arg)
{
    mcphost_tool *tool = mcphost_call_get_tool(call);
    const char *server = mcphost_tool_get_server_id(tool), *text;
    size_t len;

    ck_assert_ptr_eq(arg, &app);
    app.asked++;
    app.call = call;
    snprintf(app.name, sizeof(app.name), "%s", mcphost_tool_get_name(tool));
    snprintf(app.server, sizeof(app.server), "%s", server ? server : "");
    text = mcphost_tool_get_annotations(tool, &len);
    snprintf(app.annotations, sizeof(app.annotations), "%.*s", (int)len,
             text ? text : "");
    text = mcphost_call_get_arguments(call, &len);
    snprintf(app.arguments, sizeof(app.arguments), "%s", text);
    ck_assert_uint_eq(len, strlen(text));
    if (app.refusal) {
        ck_assert_int_eq(mcphost_call_refuse(call, app.refusal, strlen(app.refusal)), 0);
        app.both = mcphost_call_allow(call);
    }
    if (app.allows)
        ck_assert_int_eq(mcphost_call_allow(call), 0);
    return app.verdict;
}

static void
count_free(void *arg)
{
    (void)arg;
    app.freed++;
}

static int
builtin(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arg;
    return mcphost_call_answer(call, arguments, len, 0);
}

static void
begin(int verdict)
{
    memset(&app, 0, sizeof(app));
    app.verdict = verdict;
    hr_up(&hr);
}

static void
up_begun(void)
{
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "ours",
                                              "ours", "d", "{\"type\":\"object\"}",
                                              builtin, NULL, NULL, NULL),
                     0);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_set_before_call(hr.host, decide_call, &app, count_free), 0);
    d = hr_dialog(&hr, "d");
}

static void
up(int verdict)
{
    begin(verdict);
    up_begun();
}

static void
down(void)
{
    hr_down(&hr);
    ck_assert_int_eq(app.freed, 1);
}

static int
traced(const char *needle)
{
    return rig_workspace_count(&hr.ws, "a.trace", needle);
}

/* Starts a call and dispatches until the before-call function has run.  Checks that the
 * call is not done. */
static mcphost_call *
start_waiting_call(const char *tool)
{
    mcphost_call *call = hr_start(&hr, d, tool, "{}");
    int asked = app.asked;

    hr_until(&hr, app.asked > asked);
    hr_turn(&hr, 5);
    ck_assert(!mcphost_call_is_done(call));
    return call;
}

/* ---- answers within the function --------------------------------------------------- */

START_TEST(the_function_gets_tool_and_arguments_and_go_carries_out_the_call)
{
    up(MCPHOST_BEFORE_CALL_GO);
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", "{\"text\":\"hi\"}"), "hi");
    ck_assert_int_eq(app.asked, 1);
    ck_assert_str_eq(app.name, "a_echo");
    ck_assert_str_eq(app.server, "a");
    ck_assert_str_eq(app.arguments, "{\"text\":\"hi\"}");
    down();
}
END_TEST

START_TEST(the_function_gets_the_annotations_of_a_servers_tool)
{
    begin(MCPHOST_BEFORE_CALL_GO);
    hr_server(&hr, "a", "truely-stateless: true",
              "tool-json {\"name\":\"rm\",\"inputSchema\":{\"type\":\"object\"},"
              "\"annotations\":{\"destructiveHint\":true}}\n"
              "on call:rm\n text gone");
    hr_load(&hr);
    ck_assert_int_eq(mcphost_set_before_call(hr.host, decide_call, &app, count_free), 0);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_rm", "{}"), "gone");
    ck_assert_str_eq(app.annotations, "{\"destructiveHint\":true}");
    down();
}
END_TEST

START_TEST(a_refused_call_ends_with_an_error_result_and_is_never_sent)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    app.refusal = "not today";
    call = hr_start(&hr, d, "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "not today");
    ck_assert(mcphost_result_is_error(mcphost_call_get_result(call)));
    ck_assert_int_eq(app.both, MCPHOST_E_STATE);
    ck_assert_int_eq(traced("tools/call"), 0);
    /* A refusal inside the function overrides the return value MCPHOST_BEFORE_CALL_GO. */
    app.verdict = MCPHOST_BEFORE_CALL_GO;
    ck_assert_str_eq(hr_say(&hr, d, "ours", "{}"), "not today");
    down();
}
END_TEST

/* An answer inside the function overrides the return values GO and LATER.  An error code
 * or an unknown value that the function returns overrides every answer. */
START_TEST(an_answer_within_the_function_holds_unless_it_returns_an_error)
{
    static const struct {
        const char *refusal;
        int verdict, code;
        const char *says; /* text of the result; NULL if the call fails */
    } rows[] = {
        {"no", MCPHOST_BEFORE_CALL_GO, 0, "no"},
        {"no", MCPHOST_BEFORE_CALL_LATER, 0, "no"},
        {"no", MCPHOST_E_LIMIT, MCPHOST_E_LIMIT, NULL},
        {"no", 77, MCPHOST_E_DENIED, NULL},
        {NULL, MCPHOST_BEFORE_CALL_GO, 0, "{}"},
        {NULL, MCPHOST_BEFORE_CALL_LATER, 0, "{}"},
        {NULL, MCPHOST_E_LIMIT, MCPHOST_E_LIMIT, NULL},
        {NULL, 77, MCPHOST_E_DENIED, NULL},
    };
    mcphost_call *call;

    up(rows[_i].verdict);
    app.refusal = rows[_i].refusal;
    app.allows = !app.refusal;
    call = hr_start(&hr, d, "ours", "{}");
    ck_assert_int_eq(hr_end(&hr, call), rows[_i].code);
    if (rows[_i].says)
        ck_assert_str_eq(hr_text(&hr, call), rows[_i].says);
    hr_turn(&hr, 0);
    ck_assert_int_eq(app.asked, 1);
    down();
}
END_TEST

START_TEST(a_call_ends_with_the_error_code_that_the_function_returns)
{
    mcphost_call *call;

    up(MCPHOST_E_DENIED);
    ck_assert_int_eq(hr_fail(&hr, d, "a_echo", "{}"), MCPHOST_E_DENIED);
    app.verdict = 7; /* not a valid return value: the call is denied */
    call = hr_start(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
    ck_assert_str_eq(hr_why(call), "mcphost_before_call_fn returned 7");
    ck_assert_ptr_null(mcphost_error_get_server_id(mcphost_call_get_error(call)));
    ck_assert_int_eq(traced("tools/call"), 0);
    down();
}
END_TEST

START_TEST(the_function_also_decides_about_built_in_and_admin_tools)
{
    up(MCPHOST_BEFORE_CALL_GO);
    ck_assert_str_eq(hr_say(&hr, d, "ours", "{\"a\":1}"), "{\"a\":1}");
    ck_assert_str_eq(app.name, "ours");
    ck_assert_str_eq(app.server, "");
    app.refusal = "leave it";
    ck_assert_str_eq(hr_say(&hr, d, "mcp_restart", "{\"serverId\":\"a\"}"), "leave it");
    ck_assert_int_eq(app.asked, 2);
    ck_assert_int_eq(traced("spawn"), 1);
    down();
}
END_TEST

START_TEST(the_function_runs_once_for_each_call_until_it_is_removed)
{
    up(MCPHOST_BEFORE_CALL_GO);
    for (int i = 0; i < 3; i++)
        hr_say(&hr, d, "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(app.asked, 3);
    ck_assert_int_eq(mcphost_set_before_call(hr.host, NULL, NULL, NULL), 0);
    hr_say(&hr, d, "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(app.asked, 3);
    ck_assert_int_eq(app.freed, 1);
    down();
}
END_TEST

/* ---- answers after the function has returned --------------------------------------- */

START_TEST(a_call_is_sent_once_it_is_allowed_and_later_answers_are_refused)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = hr_call(&hr, d, "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(mcphost_call_allow(call), MCPHOST_E_STATE);
    hr_go(call);
    hr_until(&hr, app.asked == 1);
    hr_turn(&hr, 40);
    ck_assert_int_eq(traced("tools/call"), 0);
    ck_assert_int_eq(mcphost_call_allow(call), 0);
    ck_assert_int_eq(mcphost_call_allow(call), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_call_refuse(call, TEXT("late")), MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "hi");
    ck_assert_int_eq(mcphost_call_allow(call), MCPHOST_E_STATE);
    down();
}
END_TEST

START_TEST(the_timeout_of_a_call_starts_when_it_is_allowed)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = hr_call(&hr, d, "a_slow", "{\"ms\":5000}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 10, 0, -1), 0);
    hr_go(call);
    hr_until(&hr, app.asked == 1);
    hr_turn(&hr, 30);
    ck_assert(!mcphost_call_is_done(call));
    ck_assert_int_eq(mcphost_call_allow(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(traced("tools/call"), 1);
    down();
}
END_TEST

START_TEST(a_call_can_be_refused_later)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = start_waiting_call("a_echo");
    ck_assert_int_eq(mcphost_call_refuse(call, "\xff", 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_refuse(call, TEXT("no")), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "no");
    ck_assert_int_eq(traced("tools/call"), 0);
    down();
}
END_TEST

START_TEST(a_call_without_an_answer_ends_with_a_timeout)
{
    mcphost_call *call;

    begin(MCPHOST_BEFORE_CALL_LATER);
    hr_option(&hr, MCPHOST_OPT_REQUEST_TIMEOUT, 10);
    up_begun();
    call = hr_start(&hr, d, "ours", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "tool 'ours'"));
    ck_assert_int_eq(mcphost_call_allow(call), MCPHOST_E_STATE);
    down();
}
END_TEST

#define THREADS 4

static struct {
    pthread_barrier_t start;
    mcphost_call *call;
    atomic_int done;
} race;

static void *
answer(void *refuses)
{
    int r;

    pthread_barrier_wait(&race.start);
    r = refuses ? mcphost_call_refuse(race.call, TEXT("no"))
                : mcphost_call_allow(race.call);
    if (r == 0)
        atomic_fetch_add(&race.done, 1);
    return NULL;
}

START_TEST(the_error_of_a_call_without_an_answer_names_no_server)
{
    mcphost_call *call;

    begin(MCPHOST_BEFORE_CALL_LATER);
    hr_option(&hr, MCPHOST_OPT_REQUEST_TIMEOUT, 10);
    up_begun();
    call = hr_start(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_str_eq(
        hr_why(call),
        "the application neither allowed nor refused the call of tool 'a_echo' in time");
    ck_assert_ptr_null(mcphost_error_get_server_id(mcphost_call_get_error(call)));
    down();
}
END_TEST

START_TEST(exactly_one_of_several_concurrent_answers_succeeds)
{
    pthread_t threads[THREADS];

    up(MCPHOST_BEFORE_CALL_LATER);
    for (int round = 0; round < 20; round++) {
        race.call = start_waiting_call("ours");
        race.done = 0;
        ck_assert_int_eq(pthread_barrier_init(&race.start, NULL, THREADS), 0);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(
                pthread_create(&threads[i], NULL, answer, i % 2 ? &race : NULL), 0);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        pthread_barrier_destroy(&race.start);
        ck_assert_int_eq(race.done, 1);
        ck_assert_int_eq(hr_end(&hr, race.call), 0);
    }
    down();
}
END_TEST

/* ---- changes while a call waits for its answer ------------------------------------- */

START_TEST(a_call_that_waits_for_its_answer_can_be_cancelled)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = start_waiting_call("a_echo");
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    ck_assert_int_eq(mcphost_call_allow(call), MCPHOST_E_STATE);
    ck_assert_int_eq(traced("tools/call"), 0);
    down();
}
END_TEST

START_TEST(an_answer_right_after_a_cancellation_changes_nothing)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = start_waiting_call("a_echo");
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(mcphost_call_allow(call), 0); /* 0: the call has not ended yet */
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_turn(&hr, 5);
    ck_assert_int_eq(traced("tools/call"), 0);
    down();
}
END_TEST

static void
count_done(mcphost_call *call, void *arg)
{
    (void)call;
    ++*(int *)arg;
}

START_TEST(an_answer_right_after_its_dialog_closes_changes_nothing)
{
    mcphost_call *call;
    int done = 0;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = hr_call(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(mcphost_call_start(call, count_done, &done, NULL), 0);
    hr_until(&hr, app.asked > 0);
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(mcphost_call_allow(call), 0); /* 0: the call has not ended yet */
    hr_until(&hr, done > 0);
    hr_turn(&hr, 5);
    ck_assert_int_eq(done, 1);
    ck_assert_int_eq(mcphost_error_get_code(mcphost_call_get_error(call)),
                     MCPHOST_E_CANCELLED);
    ck_assert_int_eq(traced("tools/call"), 0);
    down();
}
END_TEST

START_TEST(calls_that_wait_for_an_answer_end_with_their_dialog)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = start_waiting_call("a_echo");
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    down();
}
END_TEST

START_TEST(calls_that_wait_for_an_answer_do_not_delay_closing_the_host)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = mcphost_call_ref(start_waiting_call("a_echo"));
    hr_close(&hr);
    ck_assert_int_eq(mcphost_error_get_code(mcphost_call_get_error(call)),
                     MCPHOST_E_CANCELLED);
    ck_assert_int_eq(mcphost_call_allow(call), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_call_refuse(call, TEXT("no")), MCPHOST_E_STATE);
    ck_assert_int_eq(app.freed, 1);
    mcphost_call_unref(call);
    hr_clear(&hr);
}
END_TEST

START_TEST(an_allowed_call_fails_if_its_tool_was_removed_meanwhile)
{
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = start_waiting_call("a_echo");
    hr_edit(&hr);
    hr_server(&hr, "b", "truely-stateless: true", NULL);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_call_allow(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    down();
}
END_TEST

START_TEST(an_allowed_call_is_denied_if_its_grant_was_withdrawn_meanwhile)
{
    mcphost_grant *all = hr_grant("a", ""), *none = hr_grant("ours", "");
    mcphost_view *view;
    mcphost_call *call;

    up(MCPHOST_BEFORE_CALL_LATER);
    ck_assert_int_eq(mcphost_view_new(hr.host, "ann", all, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "e", NULL, &d, NULL), 0);
    call = start_waiting_call("a_echo");
    ck_assert_int_eq(mcphost_view_set_grant(view, none), 0);
    ck_assert_int_eq(mcphost_call_allow(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
    mcphost_dialog_unref(d);
    mcphost_view_unref(view);
    mcphost_grant_unref(all);
    mcphost_grant_unref(none);
    down();
}
END_TEST

/* Counts and allows each call.  A test replaces decide_call() by this function. */
static int
allow_call(mcphost_call *call, void *arg)
{
    (void)call;
    ++*(int *)arg;
    return MCPHOST_BEFORE_CALL_GO;
}

START_TEST(a_call_that_waits_is_not_passed_to_a_replacing_function)
{
    mcphost_call *call;
    int others = 0;

    up(MCPHOST_BEFORE_CALL_LATER);
    call = start_waiting_call("a_echo");
    ck_assert_int_eq(mcphost_set_before_call(hr.host, allow_call, &others, NULL), 0);
    hr_turn(&hr, 5);
    ck_assert_int_eq(app.freed, 1); /* the host has freed decide_call()'s arg */
    hr_say(&hr, d, "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(others, 1);
    ck_assert(!mcphost_call_is_done(call));
    ck_assert_int_eq(mcphost_call_allow(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(others, 1);
    down();
}
END_TEST

START_TEST(a_refused_registration_frees_its_argument_at_once)
{
    up(MCPHOST_BEFORE_CALL_GO);
    ck_assert_int_eq(mcphost_set_before_call(NULL, decide_call, &app, count_free),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(app.freed, 1);
    app.freed = 0;
    ck_assert_int_eq(mcphost_call_allow(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_refuse(NULL, "", 0), MCPHOST_E_INVALID);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "answers"), *later = test_case(suite, "later");
    TCase *meanwhile = test_case(suite, "meanwhile");

    tcase_add_test(tc, the_function_gets_tool_and_arguments_and_go_carries_out_the_call);
    tcase_add_test(tc, the_function_gets_the_annotations_of_a_servers_tool);
    tcase_add_test(tc, a_refused_call_ends_with_an_error_result_and_is_never_sent);
    tcase_add_loop_test(
        tc, an_answer_within_the_function_holds_unless_it_returns_an_error, 0, 8);
    tcase_add_test(tc, a_call_ends_with_the_error_code_that_the_function_returns);
    tcase_add_test(tc, the_function_also_decides_about_built_in_and_admin_tools);
    tcase_add_test(tc, the_function_runs_once_for_each_call_until_it_is_removed);
    tcase_add_test(tc, a_refused_registration_frees_its_argument_at_once);

    tcase_add_test(later,
                   a_call_is_sent_once_it_is_allowed_and_later_answers_are_refused);
    tcase_add_test(later, the_timeout_of_a_call_starts_when_it_is_allowed);
    tcase_add_test(later, a_call_can_be_refused_later);
    tcase_add_test(later, a_call_without_an_answer_ends_with_a_timeout);
    tcase_add_test(later, the_error_of_a_call_without_an_answer_names_no_server);
    tcase_add_test(later, exactly_one_of_several_concurrent_answers_succeeds);

    tcase_add_test(meanwhile, a_call_that_waits_for_its_answer_can_be_cancelled);
    tcase_add_test(meanwhile, an_answer_right_after_a_cancellation_changes_nothing);
    tcase_add_test(meanwhile, an_answer_right_after_its_dialog_closes_changes_nothing);
    tcase_add_test(meanwhile, calls_that_wait_for_an_answer_end_with_their_dialog);
    tcase_add_test(meanwhile,
                   calls_that_wait_for_an_answer_do_not_delay_closing_the_host);
    tcase_add_test(meanwhile, an_allowed_call_fails_if_its_tool_was_removed_meanwhile);
    tcase_add_test(meanwhile,
                   an_allowed_call_is_denied_if_its_grant_was_withdrawn_meanwhile);
    tcase_add_test(meanwhile, a_call_that_waits_is_not_passed_to_a_replacing_function);
}

int
main(void)
{
    return test_main("host-before-call", add);
}
