/* SPDX-License-Identifier: MIT
 *
 * test_host_handling.c - calls of built-in tools: answers, progress, cancellation and
 * faults.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

#define TEXT(s)    s, sizeof(s) - 1
#define CONTENT    "\"content\":[{\"type\":\"text\",\"text\":\"t\"}]"
#define STRUCTURED "\"structuredContent\":"

static struct hostrig hr;
static mcphost_dialog *d;

/* The state of the tool's function, and the order in which callbacks ran. */
static struct {
    mcphost_call *call; /* a reference to the last call */
    char arguments[128];
    bool watch; /* whether keep_call() sets on_cancelled() */
    int runs, code, freed, told, told_freed, done;
    int told_at, done_at, clock;
} app;

static void
count_free(void *arg)
{
    (*(int *)arg)++;
}

static void
on_cancelled(mcphost_call *call, void *arg)
{
    ck_assert_ptr_eq(arg, &app.told_freed);
    ck_assert_int_eq(mcphost_call_is_cancelled(call), 1);
    app.told++;
    app.told_at = ++app.clock;
}

static int
keep_call(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arg;
    ck_assert_uint_eq(strlen(arguments), len);
    snprintf(app.arguments, sizeof(app.arguments), "%s", arguments);
    app.runs++;
    if (app.code < 0)
        return app.code;
    mcphost_call_unref(app.call);
    app.call = mcphost_call_ref(call);
    if (app.watch) {
        ck_assert_int_eq(mcphost_call_is_cancelled(call), 0);
        ck_assert_int_eq(
            mcphost_call_set_cancelled(call, on_cancelled, &app.told_freed, count_free),
            0);
    }
    return 0;
}

static void
on_done(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    app.done++;
    app.done_at = ++app.clock;
}

/* Adds a built-in tool `t` to the default view.  `more` holds further members of the
 * tool's definition. */
static void
show(const char *more)
{
    static const char *const tools[] = {"t"};
    mcphost_builtins *block = NULL;
    mcphost_error *err = NULL;
    char json[512];

    snprintf(json, sizeof(json), "{\"name\":\"t\",%s}", more);
    ck_assert_int_eq(mcphost_builtins_new("me", &block, NULL), 0);
    if (mcphost_builtins_add_tool(block, json, strlen(json), keep_call, &app.freed,
                                  count_free, &err) < 0)
        ck_abort_msg("%s", mcphost_error_get_message(err));
    ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", NULL, tools, 1, NULL), 0);
    ck_assert_int_eq(
        mcphost_view_set_builtins(mcphost_default_view(hr.host), block, NULL), 0);
    mcphost_builtins_unref(block);
}

#define ANY "\"inputSchema\":{\"type\":\"object\"}"

static void
up(const char *more)
{
    memset(&app, 0, sizeof(app));
    hr_up(&hr);
    show(more);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static void
down(void)
{
    app.call = mcphost_call_unref(app.call);
    hr_down(&hr);
    ck_assert_int_eq(app.freed, 1);
}

/* Starts a call and waits until the tool's function has received the call. */
static mcphost_call *
start_given_call(void)
{
    mcphost_call *call = hr_start(&hr, d, "t", "{}");
    int runs = app.runs;

    hr_until(&hr, app.runs > runs);
    ck_assert_ptr_eq(app.call, call);
    return call;
}

static int
answer(mcphost_call *call, const char *json, const char *says)
{
    mcphost_error *err = NULL;
    int r = mcphost_call_answer_result(call, json, strlen(json), &err);

    if (r < 0 && says)
        ck_assert_msg(strstr(mcphost_error_get_message(err), says), "%s",
                      mcphost_error_get_message(err));
    mcphost_error_unref(err);
    return r;
}

/* ---- answers ----------------------------------------------------------------------- */

/* R24 */
START_TEST(a_result_reaches_the_caller_byte_for_byte)
{
    static const char json[] =
        "{\"content\":[{\"type\":\"text\",\"text\":\"t\"},"
        "{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"},"
        "{\"type\":\"resource_link\",\"uri\":\"x:y\",\"name\":\"n\"},"
        "{\"type\":\"later\"}],\"structuredContent\":{\"n\":1},\"_meta\":{\"m\":2}}";
    mcphost_call *call;
    const char *text;
    size_t len;

    up(ANY);
    call = start_given_call();
    ck_assert_int_eq(answer(call, json, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    text = mcphost_result_get_json(mcphost_call_get_result(call), &len);
    ck_assert_uint_eq(len, sizeof(json) - 1);
    ck_assert_mem_eq(text, json, len);
    ck_assert_int_eq(mcphost_result_is_error(mcphost_call_get_result(call)), 0);
    text = mcphost_result_get_structured(mcphost_call_get_result(call), &len);
    ck_assert_int_eq(strncmp(text, "{\"n\":1}", len), 0);
    down();
}
END_TEST

START_TEST(a_result_with_is_error_ends_the_call_as_a_failed_result)
{
    mcphost_call *call;

    up(ANY);
    call = start_given_call();
    ck_assert_int_eq(answer(call, "{\"content\":[],\"isError\":true}", NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_result_is_error(mcphost_call_get_result(call)), 1);
    down();
}
END_TEST

START_TEST(an_invalid_result_is_refused_and_the_call_stays_open)
{
    static const char *const bad[][2] = {
        {"", "result"},
        {"[]", "result"},
        {"{}", "'content'"},
        {"{\"content\":{}}", "'content'"},
        {"{\"content\":[1]}", "item 0"},
        {"{\"content\":[{}]}", "'type'"},
        {"{\"content\":[{\"type\":1}]}", "'type'"},
        {"{\"content\":[{\"type\":\"text\"}]}", "'text'"},
        {"{\"content\":[{\"type\":\"text\",\"text\":1}]}", "'text'"},
        {"{\"content\":[{\"type\":\"later\"},{\"type\":\"image\",\"data\":\"\"}]}",
         "item 1 has no 'mimeType'"},
        {"{\"content\":[{\"type\":\"audio\",\"mimeType\":\"a/b\"}]}", "'data'"},
        {"{\"content\":[{\"type\":\"resource\",\"resource\":\"x\"}]}", "'resource'"},
        {"{\"content\":[{\"type\":\"resource_link\",\"uri\":\"x:\"}]}", "'name'"},
        {"{\"content\":[]," STRUCTURED "[]}", "'structuredContent'"},
        {"{\"content\":[],\"isError\":1}", "'isError'"},
        {"{\"content\":[],\"_meta\":1}", "'_meta'"},
        {"{\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}]}", "UTF-8"},
    };
    mcphost_call *call;

    up(ANY);
    call = start_given_call();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(answer(call, bad[i][0], bad[i][1]) == MCPHOST_E_INVALID, "%s",
                      bad[i][0]);
    ck_assert_int_eq(mcphost_call_answer_result(call, NULL, 0, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("\xff"), 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_answer(call, NULL, 0, 0), MCPHOST_E_INVALID);
    hr_turn(&hr, 5);
    ck_assert(!mcphost_call_is_done(call));
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("ok"), 0), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "ok");
    down();
}
END_TEST

/* R54 */
START_TEST(structured_content_must_fit_the_output_schema_except_in_a_failure)
{
    mcphost_call *call;

    up(ANY ",\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
           "\"integer\"}},\"required\":[\"n\"]}");
    call = start_given_call();
    ck_assert_int_eq(answer(call, "{" CONTENT "}", "'t'"), MCPHOST_E_INVALID);
    ck_assert_int_eq(answer(call, "{" CONTENT "," STRUCTURED "{\"n\":\"x\"}}", "'t'"),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("text"), 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(answer(call, "{" CONTENT "," STRUCTURED "{\"n\":1}}", NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    call = start_given_call();
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("no luck"), 1), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    call = start_given_call();
    ck_assert_int_eq(answer(call, "{" CONTENT ",\"isError\":true}", NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    down();
}
END_TEST

/* R54: the host checks the arguments of built-in tools even with
 * MCPHOST_ARGUMENTS_OFF. */
START_TEST(arguments_that_violate_the_input_schema_never_reach_the_tool)
{
    static const int policies[] = {MCPHOST_ARGUMENTS_OBJECT, MCPHOST_ARGUMENTS_OFF,
                                   MCPHOST_ARGUMENTS_FULL};
    mcphost_error *err;
    mcphost_call *call = NULL;

    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
        memset(&app, 0, sizeof(app));
        err = NULL;
        hr_up(&hr);
        hr_option(&hr, MCPHOST_OPT_ARGUMENTS, policies[i]);
        show("\"inputSchema\":{\"type\":\"object\",\"required\":[\"x\"]}");
        hr_load(&hr);
        d = hr_dialog(&hr, "d");
        ck_assert_int_eq(mcphost_call_new(d, "t", TEXT("{}"), &call, &err),
                         MCPHOST_E_INVALID);
        ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "'x'"));
        mcphost_error_unref(err);
        ck_assert_int_eq(app.runs, 0);
        down();
    }
}
END_TEST

START_TEST(missing_arguments_get_their_defaults_with_the_policy_complete)
{
    mcphost_call *call;

    memset(&app, 0, sizeof(app));
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ARGUMENTS, MCPHOST_ARGUMENTS_COMPLETE);
    show("\"inputSchema\":{\"properties\":{\"x\":{\"default\":7}}}");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    call = start_given_call();
    ck_assert_str_eq(app.arguments, "{\"x\":7}");
    ck_assert_int_eq(mcphost_call_answer(call, TEXT(""), 0), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    down();
}
END_TEST

/* ---- progress ---------------------------------------------------------------------- */

static struct {
    int n;
    double progress, total;
    char text[64];
} seen;

static void
on_progress(mcphost_call *call, double progress, double total, const char *message,
            size_t len, void *arg)
{
    (void)call;
    (void)arg;
    seen.n++;
    seen.progress = progress;
    seen.total = total;
    ck_assert_uint_eq(len, message ? strlen(message) : 0);
    snprintf(seen.text, sizeof(seen.text), "%s", message ? message : "(none)");
}

/* Starts a call with a progress function and waits until the tool's function has received
 * the call. */
static mcphost_call *
given_and_watched(void)
{
    mcphost_call *call = hr_call(&hr, d, "t", "{}");
    int runs = app.runs;

    memset(&seen, 0, sizeof(seen));
    ck_assert_int_eq(mcphost_call_set_progress(call, on_progress, NULL, NULL), 0);
    hr_go(call);
    hr_until(&hr, app.runs > runs);
    return call;
}

START_TEST(the_newest_progress_replaces_progress_not_yet_delivered)
{
    mcphost_call *call;

    up(ANY);
    call = given_and_watched();
    ck_assert_int_eq(mcphost_call_report_progress(call, 1, 10, TEXT("old")), 0);
    ck_assert_int_eq(mcphost_call_report_progress(call, 2, 10, TEXT("new")), 0);
    hr_until(&hr, seen.n > 0);
    hr_turn(&hr, 5);
    ck_assert_int_eq(seen.n, 1);
    ck_assert(seen.progress == 2 && seen.total == 10);
    ck_assert_str_eq(seen.text, "new");
    ck_assert_int_eq(mcphost_call_report_progress(call, 3, NAN, NULL, 0), 0);
    hr_until(&hr, seen.n == 2);
    ck_assert(isnan(seen.total));
    ck_assert_str_eq(seen.text, "(none)");
    ck_assert_int_eq(mcphost_call_report_progress(call, 4, 10, NULL, 0), 0);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("ok"), 0), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(seen.n, 3); /* the last report arrives before the completion */
    ck_assert_int_eq(mcphost_call_report_progress(call, 5, 10, NULL, 0), MCPHOST_E_STATE);
    down();
}
END_TEST

START_TEST(invalid_progress_is_refused)
{
    static char text[64 * 1024 + 2];
    mcphost_call *call;

    up(ANY);
    call = given_and_watched();
    memset(text, 'x', sizeof(text));
    ck_assert_int_eq(mcphost_call_report_progress(NULL, 1, 2, NULL, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_report_progress(call, NAN, 2, NULL, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_report_progress(call, INFINITY, 2, NULL, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_report_progress(call, 1, INFINITY, NULL, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_report_progress(call, 1, 2, TEXT("\xff")),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_report_progress(call, 1, 2, TEXT("a\0b")),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_report_progress(call, 1, 2, text, 64 * 1024 + 1),
                     MCPHOST_E_LIMIT);
    hr_turn(&hr, 5);
    ck_assert_int_eq(seen.n, 0);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("ok"), 0), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    down();
}
END_TEST

/* If the call sets `reset_on_progress`, each report restarts the timeout, up to the
 * maximum time. */
START_TEST(progress_restarts_the_timeout_up_to_the_maximum)
{
    mcphost_call *call;
    int64_t end;

    up(ANY);
    call = hr_call(&hr, d, "t", "{}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 60000, 1, 40), 0);
    hr_go(call);
    hr_until(&hr, app.runs == 1);
    end = hr_deadline();
    while (!mcphost_call_is_done(call)) {
        ck_assert(hr_in_time(end));
        (void)mcphost_call_report_progress(call, 1, 2, NULL, 0);
        hr_turn(&hr, 5);
    }
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    down();
}
END_TEST

/* ---- cancellation ------------------------------------------------------------------ */

static mcphost_call *
given_and_told(int64_t timeout_ms)
{
    mcphost_call *call = hr_call(&hr, d, "t", "{}");
    int runs = app.runs;

    app.told = app.told_freed = app.done = app.clock = 0;
    app.watch = true;
    if (timeout_ms > 0)
        ck_assert_int_eq(mcphost_call_set_timeout(call, timeout_ms, 0, -1), 0);
    ck_assert_int_eq(mcphost_call_start(call, on_done, NULL, NULL), 0);
    hr_until(&hr, app.runs > runs);
    return call;
}

/* Checks that the call ends with `code` and that on_cancelled() ran once, before the
 * completion.  Late answers must fail. */
static void
ends_told(mcphost_call *call, int code)
{
    ck_assert_int_eq(hr_end(&hr, call), code);
    hr_until(&hr, app.done == 1);
    ck_assert_int_eq(app.told, 1);
    ck_assert_int_eq(app.told_freed, 1);
    ck_assert_int_lt(app.told_at, app.done_at);
    ck_assert_int_eq(mcphost_call_is_cancelled(call), 1);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("late"), 0), MCPHOST_E_STATE);
    ck_assert_int_eq(answer(call, "{" CONTENT "}", ""), MCPHOST_E_STATE);
    ck_assert_int_eq(
        mcphost_call_set_cancelled(call, on_cancelled, &app.told_freed, count_free),
        MCPHOST_E_STATE);
    ck_assert_int_eq(app.told_freed, 2);
}

START_TEST(the_tool_is_notified_when_its_call_is_cancelled_or_times_out)
{
    mcphost_call *call;

    up(ANY);
    call = given_and_told(0);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(mcphost_call_is_cancelled(app.call), 1);
    ends_told(call, MCPHOST_E_CANCELLED);
    ends_told(given_and_told(20), MCPHOST_E_TIMEOUT);
    call = given_and_told(0);
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(mcphost_call_is_cancelled(app.call), 1);
    ends_told(call, MCPHOST_E_CANCELLED);
    down();
}
END_TEST

START_TEST(the_tool_is_not_notified_when_it_has_answered)
{
    mcphost_call *call;

    up(ANY);
    call = given_and_told(0);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("ok"), 0), 0);
    ck_assert_int_eq(
        mcphost_call_set_cancelled(call, on_cancelled, &app.told_freed, count_free),
        MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_until(&hr, app.done == 1);
    ck_assert_int_eq(app.told, 0);
    ck_assert_int_eq(app.told_freed, 2);
    ck_assert_int_eq(mcphost_call_is_cancelled(call), 0);
    down();
}
END_TEST

/* The host gets the cancellation and the answer before the next dispatch. */
START_TEST(a_call_that_is_cancelled_and_then_answered_ends_as_cancelled)
{
    mcphost_call *call;
    int r;

    up(ANY);
    call = given_and_told(0);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    r = mcphost_call_answer(call, TEXT("ok"), 0);
    ck_assert(r == 0 || r == MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, app.done == 1 && app.told_freed == 1);
    ck_assert_int_eq(app.told, r == 0 ? 0 : 1);
    down();
}
END_TEST

START_TEST(a_second_cancelled_function_replaces_the_first)
{
    mcphost_call *call;
    int other = 0;

    up(ANY);
    call = given_and_told(0);
    ck_assert_int_eq(mcphost_call_set_cancelled(call, NULL, &other, count_free),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_set_cancelled(NULL, on_cancelled, &other, count_free),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(other, 2);
    ck_assert_int_eq(
        mcphost_call_set_cancelled(call, on_cancelled, &app.told_freed, count_free), 0);
    ck_assert_int_eq(app.told_freed, 1);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, app.done == 1);
    ck_assert_int_eq(app.told, 1);
    ck_assert_int_eq(app.told_freed, 2);
    down();
}
END_TEST

START_TEST(a_call_that_its_tool_refuses_ends_with_the_tools_code)
{
    up(ANY);
    app.code = MCPHOST_E_DENIED;
    ck_assert_int_eq(hr_fail(&hr, d, "t", "{}"), MCPHOST_E_DENIED);
    down();
}
END_TEST

/* ---- faults ------------------------------------------------------------------------ */

static void
remove_block(void)
{
    ck_assert_int_eq(mcphost_view_remove_builtins(mcphost_default_view(hr.host), "me"),
                     0);
}

/* A removed tool keeps its calls.  Each call keeps the argument of the tool's
 * function. */
START_TEST(a_removed_tool_can_answer_the_calls_that_it_has)
{
    mcphost_call *call;

    up(ANY);
    call = start_given_call();
    remove_block();
    hr_until(&hr, !hr_has(&hr, "t"));
    ck_assert_int_eq(app.freed, 0);
    ck_assert_int_eq(mcphost_call_report_progress(call, 1, 2, NULL, 0), 0);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("ok"), 0), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "ok");
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("ok"), 0), MCPHOST_E_STATE);
    ck_assert_int_eq(app.freed, 0); /* calls keep the tool's argument */
    down();
}
END_TEST

START_TEST(a_started_call_ends_with_e_gone_if_its_tool_is_removed_first)
{
    mcphost_call *call;

    up(ANY);
    call = hr_start(&hr, d, "t", "{}");
    remove_block();
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'t'"));
    ck_assert_int_eq(app.runs, 0);
    ck_assert_int_eq(app.freed, 1);
    down();
}
END_TEST

START_TEST(calls_of_a_replaced_tool_can_still_be_answered)
{
    mcphost_call *first, *second;

    up(ANY);
    first = start_given_call();
    show(ANY);
    second = start_given_call();
    ck_assert_int_eq(mcphost_call_answer(first, TEXT("1"), 0), 0);
    ck_assert_int_eq(mcphost_call_answer(second, TEXT("2"), 0), 0);
    ck_assert_int_eq(hr_end(&hr, first), 0);
    ck_assert_int_eq(hr_end(&hr, second), 0);
    ck_assert_str_eq(hr_text(&hr, first), "1");
    ck_assert_str_eq(hr_text(&hr, second), "2");
    app.freed--; /* two tools were freed, but down() expects one freed tool */
    down();
}
END_TEST

START_TEST(answers_to_calls_that_no_built_in_tool_has_are_refused)
{
    mcphost_call *call;

    memset(&app, 0, sizeof(app));
    hr_up(&hr);
    show(ANY);
    hr_server(&hr, "a", NULL, "no-tools\ntool wait\non call:wait\n");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    call = hr_call(&hr, d, "t", "{}");
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("x"), 0), MCPHOST_E_STATE);
    call = hr_start(&hr, d, "t", "{}"); /* the tool has not received the call yet */
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("x"), 0), MCPHOST_E_STATE);
    call = hr_start(&hr, d, "a_wait", "{}");
    hr_turn(&hr, 20);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("x"), 0), MCPHOST_E_STATE);
    ck_assert_int_eq(answer(call, "{" CONTENT "}", ""), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_call_report_progress(call, 1, 2, NULL, 0), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_call_set_cancelled(call, on_cancelled, NULL, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_call_is_cancelled(call), 0);
    ck_assert_int_eq(mcphost_call_is_cancelled(NULL), 1);
    down();
}
END_TEST

static void *
answer_late(void *arg)
{
    mcphost_call *call = arg;

    ck_assert_int_eq(mcphost_call_is_cancelled(call), 1);
    ck_assert_int_eq(mcphost_call_report_progress(call, 1, 2, NULL, 0), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_call_answer(call, TEXT("late"), 0), MCPHOST_E_STATE);
    ck_assert_int_eq(answer(call, "{" CONTENT "}", ""), MCPHOST_E_STATE);
    return NULL;
}

static void
answer_late_on_another_thread(mcphost_call *call)
{
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, answer_late, call), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

START_TEST(an_answer_after_the_close_of_the_host_is_refused)
{
    mcphost_call *call;

    up(ANY);
    call = given_and_told(0);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(mcphost_call_is_cancelled(app.call), 1);
    hr_until(&hr, mcphost_call_is_done(call));
    ck_assert_int_eq(mcphost_error_get_code(mcphost_call_get_error(call)),
                     MCPHOST_E_CANCELLED);
    hr_until(&hr, app.told_freed == 1);
    ck_assert_int_eq(app.told, 1);
    answer_late(app.call);
    answer_late_on_another_thread(app.call);
    hr_down(&hr);
    /* The host has ended.  The argument of the tool's function is not freed yet, because
     * the tool still has the call. */
    ck_assert_int_eq(app.freed, 0);
    answer_late(app.call);
    answer_late_on_another_thread(app.call);
    app.call = mcphost_call_unref(app.call);
    ck_assert_int_eq(app.freed, 1);
}
END_TEST

/* ---- threads ----------------------------------------------------------------------- */

#define THREADS 8

static struct {
    mcphost_call *call;
    pthread_barrier_t barrier;
    atomic_int taken;
} race;

static void *
answer_at_once(void *arg)
{
    int r;

    (void)arg;
    pthread_barrier_wait(&race.barrier);
    (void)mcphost_call_report_progress(race.call, 1, 2, TEXT("p"));
    r = mcphost_call_answer_result(race.call, TEXT("{" CONTENT "}"), NULL);
    ck_assert(r == 0 || r == MCPHOST_E_STATE);
    atomic_fetch_add(&race.taken, r == 0);
    return NULL;
}

START_TEST(exactly_one_of_several_concurrent_answers_succeeds)
{
    pthread_t threads[THREADS];

    up(ANY);
    for (int i = 0; i < 20; i++) {
        mcphost_call *call = given_and_watched();

        race.call = call;
        atomic_store(&race.taken, 0);
        ck_assert_int_eq(pthread_barrier_init(&race.barrier, NULL, THREADS), 0);
        for (int k = 0; k < THREADS; k++)
            ck_assert_int_eq(pthread_create(&threads[k], NULL, answer_at_once, NULL), 0);
        ck_assert_int_eq(hr_end(&hr, call), 0);
        for (int k = 0; k < THREADS; k++)
            ck_assert_int_eq(pthread_join(threads[k], NULL), 0);
        ck_assert_int_eq(atomic_load(&race.taken), 1);
        pthread_barrier_destroy(&race.barrier);
    }
    down();
}
END_TEST

/* ---- a block that is replaced and removed under load ------------------------------- */

#define ROUNDS 200

static struct {
    atomic_int made, freed, ended;
    atomic_bool stop, answered;
    pthread_mutex_t lock;
    mcphost_call *queue[64];
    size_t n;
} load;

static int
queue_call(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    int r = MCPHOST_E_BUSY;

    (void)arguments;
    (void)len;
    (void)arg;
    pthread_mutex_lock(&load.lock);
    if (load.n < sizeof(load.queue) / sizeof(load.queue[0])) {
        load.queue[load.n++] = mcphost_call_ref(call);
        r = 0;
    }
    pthread_mutex_unlock(&load.lock);
    return r;
}

static void
count_tool(void *arg)
{
    (void)arg;
    atomic_fetch_add(&load.freed, 1);
}

static void
count_end(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    atomic_fetch_add(&load.ended, 1);
}

static void *
answer_queue(void *arg)
{
    (void)arg;
    while (!atomic_load(&load.answered)) {
        mcphost_call *call = NULL;

        pthread_mutex_lock(&load.lock);
        if (load.n > 0)
            call = load.queue[--load.n];
        pthread_mutex_unlock(&load.lock);
        if (!call) {
            sched_yield();
            continue;
        }
        (void)mcphost_call_report_progress(call, 1, 2, NULL, 0);
        ck_assert_int_eq(mcphost_call_answer(call, TEXT("ok"), 0), 0);
        mcphost_call_unref(call);
    }
    return NULL;
}

static void *
change_block(void *arg)
{
    static const char *const tools[] = {"t"};
    static const char json[] = "{\"name\":\"t\"," ANY "}";
    mcphost_view *view = arg;

    for (int i = 0; i < ROUNDS; i++) {
        mcphost_builtins *block = NULL;

        ck_assert_int_eq(mcphost_builtins_new("me", &block, NULL), 0);
        atomic_fetch_add(&load.made, 1);
        ck_assert_int_eq(mcphost_builtins_add_tool(block, json, sizeof(json) - 1,
                                                   queue_call, NULL, count_tool, NULL),
                         0);
        ck_assert_int_eq(mcphost_builtins_add_toolset(block, "s", NULL, tools, 1, NULL),
                         0);
        ck_assert_int_eq(mcphost_view_set_builtins(view, block, NULL), 0);
        mcphost_builtins_unref(block);
        if (i % 2)
            ck_assert_int_eq(mcphost_view_remove_builtins(view, "me"), 0);
    }
    atomic_store(&load.stop, true);
    return NULL;
}

/* Each call ends once.  The argument of each tool is freed once. */
START_TEST(a_block_can_be_replaced_and_removed_while_its_tool_is_called)
{
    pthread_t workers[2], changer;
    int started = 0;

    memset(&load, 0, sizeof(load));
    ck_assert_int_eq(pthread_mutex_init(&load.lock, NULL), 0);
    hr_up(&hr);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(
        pthread_create(&changer, NULL, change_block, mcphost_default_view(hr.host)), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&workers[i], NULL, answer_queue, NULL), 0);
    while (!atomic_load(&load.stop)) {
        mcphost_call *call = NULL;
        int r = mcphost_call_new(d, "t", TEXT("{}"), &call, NULL);

        ck_assert(r == 0 || r == MCPHOST_E_NOTFOUND);
        if (r == 0) {
            ck_assert_int_eq(mcphost_call_start(call, count_end, NULL, NULL), 0);
            mcphost_call_unref(call);
            started++;
        }
        hr_turn(&hr, 0);
    }
    hr_until(&hr, atomic_load(&load.ended) == started);
    atomic_store(&load.answered, true); /* stop the workers only now, because a call
                                         * may be queued after the last change */
    ck_assert_int_eq(pthread_join(changer, NULL), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(workers[i], NULL), 0);
    hr_down(&hr);
    ck_assert_int_eq(atomic_load(&load.freed), atomic_load(&load.made));
    pthread_mutex_destroy(&load.lock);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *answers = test_case(suite, "answers"),
          *arguments = test_case(suite, "arguments");
    TCase *progress = test_case(suite, "progress"), *cancel = test_case(suite, "cancel");
    TCase *faults = test_case(suite, "faults"), *threads = test_case(suite, "threads");

    tcase_add_test(answers, a_result_reaches_the_caller_byte_for_byte);
    tcase_add_test(answers, a_result_with_is_error_ends_the_call_as_a_failed_result);
    tcase_add_test(answers, an_invalid_result_is_refused_and_the_call_stays_open);
    tcase_add_test(answers,
                   structured_content_must_fit_the_output_schema_except_in_a_failure);

    tcase_add_test(arguments,
                   arguments_that_violate_the_input_schema_never_reach_the_tool);
    tcase_add_test(arguments,
                   missing_arguments_get_their_defaults_with_the_policy_complete);

    tcase_add_test(progress, the_newest_progress_replaces_progress_not_yet_delivered);
    tcase_add_test(progress, invalid_progress_is_refused);
    tcase_add_test(progress, progress_restarts_the_timeout_up_to_the_maximum);

    tcase_add_test(cancel, the_tool_is_notified_when_its_call_is_cancelled_or_times_out);
    tcase_add_test(cancel, the_tool_is_not_notified_when_it_has_answered);
    tcase_add_test(cancel, a_call_that_is_cancelled_and_then_answered_ends_as_cancelled);
    tcase_add_test(cancel, a_second_cancelled_function_replaces_the_first);
    tcase_add_test(cancel, a_call_that_its_tool_refuses_ends_with_the_tools_code);

    tcase_add_test(faults, a_removed_tool_can_answer_the_calls_that_it_has);
    tcase_add_test(faults, a_started_call_ends_with_e_gone_if_its_tool_is_removed_first);
    tcase_add_test(faults, calls_of_a_replaced_tool_can_still_be_answered);
    tcase_add_test(faults, answers_to_calls_that_no_built_in_tool_has_are_refused);
    tcase_add_test(faults, an_answer_after_the_close_of_the_host_is_refused);

    tcase_add_test(threads, exactly_one_of_several_concurrent_answers_succeeds);
    tcase_add_test(threads, a_block_can_be_replaced_and_removed_while_its_tool_is_called);
}

int
main(void)
{
    return test_main("host-handling", add);
}
