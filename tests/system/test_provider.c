/* SPDX-License-Identifier: MIT
 *
 * test_provider.c - providers of the application in a host: tools, threads, settings,
 * start and end (R169, R170, R172, R174, R176).
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/provrig.h"

static int setups, teardowns;

/* ---- tools ------------------------------------------------------------------------- */

/* R170 */
START_TEST(a_tool_of_a_provider_is_listed_and_called)
{
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("echo"), echo, NULL), 0);
    start();
    ck_assert_str_eq(hr_say(&hr, dialog, "echo", "{\"text\":\"hi\"}"),
                     "{\"text\":\"hi\"}");
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(freed, 0);
}
END_TEST

static void
note_done(mcphost_call *call, void *arg)
{
    (void)call;
    *(int *)arg = 1;
}

START_TEST(a_call_that_is_answered_at_once_ends_in_one_turn)
{
    mcphost_call *call;
    int done = 0;

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("echo"), echo, NULL), 0);
    start();
    hr_turn(&hr, 20);
    call = hr_call(&hr, dialog, "echo", "{}");
    ck_assert_int_eq(mcphost_call_start(call, note_done, &done, NULL), 0);
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    ck_assert_int_eq(done, 1);
}
END_TEST

START_TEST(arguments_that_do_not_fit_are_refused_before_the_function_runs)
{
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("echo"), echo, NULL), 0);
    start();
    ck_assert_int_eq(mcphost_call_new(dialog, "echo", "{\"text\":1}", 10, &call, &err),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "text");
    mcphost_error_unref(err);
    ck_assert_int_eq(calls, 0);
}
END_TEST

static int
refuse_call(mcphost_provider_call *call, void *arg)
{
    (void)call;
    (void)arg;
    return MCPHOST_E_DENIED;
}

static int
fail_with_data(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcphost_provider_call_fail(call, -32050, "no luck", "{\"n\":1}", 7);
}

static int
drop(mcphost_provider_call *call, void *arg)
{
    (void)call;
    (void)arg;
    return 0;
}

/* R172 */
START_TEST(failures_reach_the_caller)
{
    mcphost_call *call;
    mcphost_error *err;
    size_t len;

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("refuse"), refuse_call, NULL), 0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("fail"), fail_with_data, NULL), 0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("drop"), drop, NULL), 0);
    start();
    ck_assert_int_eq(hr_fail(&hr, dialog, "refuse", "{}"), MCPHOST_E_DENIED);
    call = hr_start(&hr, dialog, "fail", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
    err = mcphost_error_ref(mcphost_call_get_error(call));
    ck_assert_int_eq(mcphost_error_get_rpc_code(err), -32050);
    ck_assert_str_eq(mcphost_error_get_rpc_data(err, &len), "{\"n\":1}");
    test_has(mcphost_error_get_message(err), "server 'app'");
    test_has(mcphost_error_get_message(err), "no luck");
    mcphost_error_unref(err);
    call = hr_start(&hr, dialog, "drop", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
    test_has(hr_why(call), "without an answer");
}
END_TEST

static int
answer_wrong(mcphost_provider_call *call, void *arg)
{
    static const char good[] = "{\"content\":[],\"structuredContent\":{\"n\":1}}";
    mcphost_error *err = NULL;

    (void)arg;
    ck_assert_int_eq(mcphost_provider_call_answer(call, "{}", 2, &err),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "content");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_provider_call_answer(call, "{\"content\":[]}", 14, &err),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "structured content");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_provider_call_answer_text(call, "x", 1, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_provider_call_answer(call, good, sizeof(good) - 1, NULL), 0);
    /* The library refuses a second answer. */
    ck_assert_int_eq(mcphost_provider_call_answer(call, good, sizeof(good) - 1, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_provider_call_answer_text(call, "x", 1, 1), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_provider_call_fail(call, 1, "x", NULL, 0), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_provider_call_report(call, 1, NAN, NULL, 0),
                     MCPHOST_E_STATE);
    return 0;
}

START_TEST(a_wrong_result_is_refused_and_the_call_stays_open)
{
    mcphost_call *call;

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL,
                         "{\"name\":\"w\",\"inputSchema\":{\"type\":\"object\"},"
                         "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":"
                         "{\"type\":\"number\"}},\"required\":[\"n\"]}}",
                         answer_wrong, NULL),
                     0);
    start();
    call = hr_start(&hr, dialog, "w", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(mcphost_result_get_structured(mcphost_call_get_result(call), NULL),
                     "{\"n\":1}");
}
END_TEST

/* R176 */
START_TEST(tools_are_denied_by_their_annotations)
{
    static const struct {
        int64_t denied;
        const char *annotations;
        bool refused;
    } rows[] = {
        {0, "{}", false},
        {MCPHOST_DENY_WRITING, "{}", true},
        {MCPHOST_DENY_WRITING, "{\"readOnlyHint\":true}", false},
        {MCPHOST_DENY_DESTRUCTIVE, "{}", true},
        {MCPHOST_DENY_DESTRUCTIVE, "{\"destructiveHint\":false}", false},
        {MCPHOST_DENY_DESTRUCTIVE, "{\"readOnlyHint\":true}", false},
        {MCPHOST_DENY_OPEN_WORLD, "{\"readOnlyHint\":true}", true},
        {MCPHOST_DENY_OPEN_WORLD, "{\"openWorldHint\":false}", false},
    };
    char text[256];

    hr_option(&hr, MCPHOST_OPT_DENIED, rows[_i].denied);
    snprintf(text, sizeof(text),
             "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},"
             "\"annotations\":%s}",
             rows[_i].annotations);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, text, echo, NULL), 0);
    start();
    if (rows[_i].refused)
        ck_assert_int_eq(hr_fail(&hr, dialog, "t", "{}"), MCPHOST_E_DENIED);
    else
        ck_assert_str_eq(hr_say(&hr, dialog, "t", "{}"), "{}");
    ck_assert_int_eq(calls, !rows[_i].refused);
}
END_TEST

/* ---- threads ----------------------------------------------------------------------- */

#define THREADS 8

static atomic_int wins;

static void *
answer_in_thread(void *arg)
{
    mcphost_provider_call *call = arg;

    mcphost_provider_call_report(call, 1, 2, "half", 4);
    if (mcphost_provider_call_answer_text(call, "late", 4, 0) == 0)
        wins++;
    mcphost_provider_call_unref(call);
    return NULL;
}

START_TEST(of_eight_threads_that_answer_exactly_one_succeeds)
{
    pthread_t threads[THREADS];
    mcphost_call *call;

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("keep"), keep, NULL), 0);
    start();
    for (int round = 0; round < 20; round++) {
        wins = 0;
        call = hr_start(&hr, dialog, "keep", "{}");
        hr_until(&hr, kept);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, answer_in_thread,
                                            mcphost_provider_call_ref(kept)),
                             0);
        kept = mcphost_provider_call_unref(kept);
        ck_assert_int_eq(hr_end(&hr, call), 0);
        ck_assert_str_eq(hr_text(&hr, call), "late");
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        ck_assert_int_eq(wins, 1);
    }
}
END_TEST

static int unwanted, told_freed;

static void
on_unwanted(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    ck_assert(mcphost_provider_call_is_cancelled(call));
    unwanted++;
}

static void
free_told(void *arg)
{
    (void)arg;
    told_freed++;
}

static int
watch(mcphost_provider_call *call, void *arg)
{
    ck_assert_int_eq(
        mcphost_provider_call_set_cancelled(call, on_unwanted, arg, free_told), 0);
    return keep(call, arg);
}

START_TEST(a_cancelled_call_runs_its_cancel_function_once)
{
    mcphost_call *call;

    unwanted = told_freed = 0;
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("watch"), watch, NULL), 0);
    start();
    call = hr_start(&hr, dialog, "watch", "{}");
    hr_until(&hr, kept);
    ck_assert(!mcphost_provider_call_is_cancelled(kept));
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, unwanted == 1);
    ck_assert_int_eq(told_freed, 1);
    ck_assert_int_eq(mcphost_provider_call_answer_text(kept, "x", 1, 0), MCPHOST_E_STATE);
    /* mcphost_provider_call_set_cancelled() frees its argument when it fails. */
    ck_assert_int_eq(
        mcphost_provider_call_set_cancelled(kept, on_unwanted, NULL, free_told),
        MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_provider_call_set_cancelled(kept, NULL, NULL, free_told),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(told_freed, 3);
    told_freed = 1;
    kept = mcphost_provider_call_unref(kept);
    /* The function for cancellation does not run for a call that was answered. */
    call = hr_start(&hr, dialog, "watch", "{}");
    hr_until(&hr, kept);
    ck_assert_int_eq(mcphost_provider_call_answer_text(kept, "x", 1, 0), 0);
    kept = mcphost_provider_call_unref(kept);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_turn(&hr, 20);
    ck_assert_int_eq(unwanted, 1);
    ck_assert_int_eq(told_freed, 2);
}
END_TEST

START_TEST(a_call_that_is_not_answered_in_time_fails)
{
    mcphost_call *call;

    unwanted = told_freed = 0;
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("watch"), watch, NULL), 0);
    start();
    call = hr_call(&hr, dialog, "watch", "{}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 50, 0, -1), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    test_has(hr_why(call), "'watch' did not answer in time");
    hr_until(&hr, unwanted == 1);
    kept = mcphost_provider_call_unref(kept);
}
END_TEST

static int
report(mcphost_provider_call *call, void *arg)
{
    ck_assert_int_eq(mcphost_provider_call_report(call, INFINITY, NAN, NULL, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_provider_call_report(call, 3, 4, "three", 5), 0);
    return keep(call, arg);
}

static double seen;

static void
on_progress(mcphost_call *call, double progress, double total, const char *text,
            size_t len, void *arg)
{
    (void)call;
    (void)arg;
    ck_assert(total == 4);
    ck_assert_uint_eq(len, 5);
    ck_assert_str_eq(text, "three");
    seen = progress;
}

START_TEST(progress_of_a_provider_is_reported)
{
    mcphost_call *call;

    seen = 0;
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("report"), report, NULL), 0);
    start();
    call = hr_call(&hr, dialog, "report", "{}");
    ck_assert_int_eq(mcphost_call_set_progress(call, on_progress, NULL, NULL), 0);
    hr_go(call);
    hr_until(&hr, seen == 3);
    ck_assert_int_eq(mcphost_provider_call_answer_text(kept, "x", 1, 0), 0);
    kept = mcphost_provider_call_unref(kept);
    ck_assert_int_eq(hr_end(&hr, call), 0);
}
END_TEST

/* ---- changes of features ----------------------------------------------------------- */

/* R174 */
START_TEST(features_can_be_added_replaced_and_removed_at_any_time)
{
    static char one[] = "one", two[] = "two";
    int published;

    start();
    ck_assert(!hr_has(&hr, "a"));
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("a"), constant, one), 0);
    hr_until(&hr, hr_has(&hr, "a"));
    ck_assert_str_eq(hr_say(&hr, dialog, "a", "{}"), "one");
    published = hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("a"), constant, two), 0);
    ck_assert_int_eq(freed, 1);
    ck_assert_str_eq(hr_say(&hr, dialog, "a", "{}"), "two");
    /* The host publishes no catalog, because the list has not changed. */
    hr_turn(&hr, 200);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1), published);
    ck_assert_int_eq(mcphost_provider_remove(provider, MCPHOST_FEATURE_TOOL, "a"), 0);
    ck_assert_int_eq(mcphost_provider_remove(provider, MCPHOST_FEATURE_TOOL, "a"),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(freed, 2);
    hr_until(&hr, !hr_has(&hr, "a"));
}
END_TEST

START_TEST(a_replaced_function_finishes_its_calls_and_gets_no_new_ones)
{
    static char two[] = "two";
    mcphost_call *call;

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("a"), keep, NULL), 0);
    start();
    call = hr_start(&hr, dialog, "a", "{}");
    hr_until(&hr, kept);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("a"), constant, two), 0);
    ck_assert_str_eq(hr_say(&hr, dialog, "a", "{}"), "two");
    ck_assert_int_eq(mcphost_provider_call_answer_text(kept, "one", 3, 0), 0);
    kept = mcphost_provider_call_unref(kept);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "one");
}
END_TEST

static atomic_bool replacing;

/* Adds, replaces and removes tools while the test calls tool a. */
static void *
replace_tools(void *arg)
{
    static char text[] = "x";
    char definition[256];

    (void)arg;
    for (int i = 0; i < 1000; i++) {
        snprintf(definition, sizeof(definition),
                 "{\"name\":\"t%d\",\"inputSchema\":{\"type\":\"object\"}}", i % 50);
        ck_assert_int_eq(mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, definition,
                                              strlen(definition), constant, text, NULL,
                                              NULL),
                         0);
        ck_assert_int_eq(mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, TOOL("a"),
                                              strlen(TOOL("a")), constant, text, NULL,
                                              NULL),
                         0);
        if (i % 7 == 0)
            (void)mcphost_provider_remove(provider, MCPHOST_FEATURE_TOOL, "t7");
    }
    replacing = false;
    return NULL;
}

START_TEST(a_thousand_replacements_lose_no_answer)
{
    static char text[] = "x";
    pthread_t thread;
    int answers = 0;

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("a"), constant, text), 0);
    start();
    replacing = true;
    ck_assert_int_eq(pthread_create(&thread, NULL, replace_tools, NULL), 0);
    while (replacing || answers < 100) {
        mcphost_call *call = NULL;

        ck_assert_int_eq(mcphost_call_new(dialog, "a", "{}", 2, &call, NULL), 0);
        hr_go(call);
        ck_assert_int_eq(hr_end(&hr, call), 0);
        ck_assert_str_eq(hr_text(&hr, call), "x");
        mcphost_call_unref(call);
        answers++;
    }
    pthread_join(thread, NULL);
    hr_until(&hr, hr_has(&hr, "t49"));
    ck_assert_int_eq(freed, 1);
}
END_TEST

START_TEST(features_keep_their_place_when_they_are_replaced)
{
    static char text[] = "x";

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("a"), constant, text), 0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("b"), constant, text), 0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("a"), echo, NULL), 0);
    start();
    ck_assert_str_eq(hr_toolset(&hr, "app"), "a b");
}
END_TEST

START_TEST(a_wrong_definition_is_refused_with_the_reason)
{
    static const struct {
        int feature;
        const char *definition, *why;
    } rows[] = {
        {MCPHOST_FEATURE_TOOL, "{", "line 1"},
        {MCPHOST_FEATURE_TOOL, "[]", "object"},
        {MCPHOST_FEATURE_TOOL, "{\"inputSchema\":{}}", "'name'"},
        {MCPHOST_FEATURE_TOOL, "{\"name\":\"\",\"inputSchema\":{}}", "empty"},
        {MCPHOST_FEATURE_TOOL, "{\"name\":\"a\"}", "'inputSchema'"},
        {MCPHOST_FEATURE_TOOL, "{\"name\":\"a\",\"inputSchema\":1}", "type object"},
        {MCPHOST_FEATURE_TOOL, "{\"name\":\"a\",\"inputSchema\":{\"type\":\"x\"}}",
         "inputSchema of tool 'a'"},
        {MCPHOST_FEATURE_RESOURCE, "{\"name\":\"a\"}", "'uri'"},
        {MCPHOST_FEATURE_RESOURCE, "{\"name\":\"a\",\"uri\":\"\"}", "empty"},
        {MCPHOST_FEATURE_TEMPLATE, "{\"name\":\"a\",\"uriTemplate\":\"x{\"}", "column"},
        {MCPHOST_FEATURE_PROMPT, "{\"name\":\"a\",\"arguments\":[{}]}", "'name'"},
        {MCPHOST_FEATURE_PROMPT,
         "{\"name\":\"a\",\"arguments\":[{\"name\":\"x\"},{\"name\":\"x\"}]}",
         "the same name"},
        {0, "{}", "feature 0"},
        {5, "{}", "feature 5"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        mcphost_error *err = NULL;
        int r = mcphost_provider_add(provider, rows[i].feature, rows[i].definition,
                                     strlen(rows[i].definition), echo, NULL, count_free,
                                     &err);

        ck_assert_int_eq(r, MCPHOST_E_INVALID);
        test_has(mcphost_error_get_message(err), rows[i].why);
        mcphost_error_unref(err);
        ck_assert_int_eq(freed, (int)i + 1);
    }
}
END_TEST

/* ---- start and end ----------------------------------------------------------------- */

static int
on_setup(mcphost_provider *p, void *arg, mcphost_error **reterr)
{
    static const char definition[] = TOOL("made");

    (void)reterr;
    setups++;
    ck_assert_ptr_eq(p, provider);
    return arg ? MCPHOST_E_IO
               : mcphost_provider_add(p, MCPHOST_FEATURE_TOOL, definition,
                                      sizeof(definition) - 1, echo, NULL, count_free,
                                      NULL);
}

static void
on_teardown(mcphost_provider *p, void *arg)
{
    (void)p;
    (void)arg;
    teardowns++;
    ck_assert_int_eq(freed, 0);
}

START_TEST(setup_and_teardown_run_once)
{
    ck_assert_int_eq(
        mcphost_provider_set_life(provider, on_setup, on_teardown, NULL, count_free), 0);
    start();
    ck_assert_int_eq(setups, 1);
    ck_assert_int_eq(mcphost_provider_start(provider), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_provider_set_life(provider, NULL, NULL, NULL, NULL),
                     MCPHOST_E_STATE);
    ck_assert_str_eq(hr_say(&hr, dialog, "made", "{}"), "{}");
    ck_assert_int_eq(mcphost_restart_server(hr.host, "app"), 0);
    hr_turn(&hr, 100);
    ck_assert_str_eq(hr_say(&hr, dialog, "made", "{}"), "{}");
    ck_assert_int_eq(setups, 1);
    ck_assert_int_eq(mcphost_provider_close(provider), 0);
    ck_assert_int_eq(mcphost_provider_close(provider), 0);
    hr_until(&hr, teardowns == 1);
    hr_until(&hr, freed == 2);
    ck_assert(!hr_has(&hr, "made"));
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("x"), echo, NULL), MCPHOST_E_CLOSED);
}
END_TEST

START_TEST(after_a_failed_setup_the_server_is_unavailable_and_no_teardown_runs)
{
    ck_assert_int_eq(
        mcphost_provider_set_life(provider, on_setup, on_teardown, &hr, NULL), 0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVER, "app", NULL,
                           MCPHOST_SERVER_UNAVAILABLE) > 0);
    ck_assert_int_eq(setups, 1);
    ck_assert_int_eq(mcphost_provider_close(provider), 0);
    hr_turn(&hr, 50);
    ck_assert_int_eq(teardowns, 0);
}
END_TEST

START_TEST(closing_a_provider_waits_for_its_calls)
{
    mcphost_call *call;

    ck_assert_int_eq(mcphost_provider_set_life(provider, NULL, on_teardown, NULL, NULL),
                     0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("keep"), keep, NULL), 0);
    start();
    call = hr_start(&hr, dialog, "keep", "{}");
    hr_until(&hr, kept);
    ck_assert_int_eq(mcphost_provider_close(provider), 0);
    hr_turn(&hr, 100);
    ck_assert_int_eq(teardowns, 0);
    ck_assert_int_eq(mcphost_provider_call_answer_text(kept, "done", 4, 0), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "done");
    hr_until(&hr, teardowns == 1);
    kept = mcphost_provider_call_unref(kept);
}
END_TEST

/* R96 R174 */
START_TEST(a_call_of_a_turn_at_a_closed_provider_fails_at_once)
{
    mcphost_call *call;

    hr_option(&hr, MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE);
    ck_assert_int_eq(
        mcphost_provider_set_life(provider, on_setup, on_teardown, NULL, NULL), 0);
    start();
    ck_assert_int_eq(mcphost_dialog_begin_turn(dialog), 0);
    ck_assert_int_eq(mcphost_provider_close(provider), 0);
    hr_until(&hr, teardowns == 1);
    call = hr_start(&hr, dialog, "made", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    ck_assert_str_eq(hr_why(call), "server 'app': the provider was closed");
}
END_TEST

START_TEST(closing_a_host_during_a_call_runs_the_teardown)
{
    ck_assert_int_eq(mcphost_provider_set_life(provider, NULL, on_teardown, NULL, NULL),
                     0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("keep"), keep, NULL), 0);
    start();
    hr_start(&hr, dialog, "keep", "{}");
    hr_until(&hr, kept);
    hr_close(&hr);
    ck_assert_int_eq(teardowns, 1);
    ck_assert_int_eq(mcphost_provider_call_answer_text(kept, "x", 1, 0), MCPHOST_E_STATE);
    kept = mcphost_provider_call_unref(kept);
    provider = mcphost_provider_unref(provider);
    ck_assert_int_eq(freed, 1);
    hr_clear(&hr);
}
END_TEST

static int
count_setup(mcphost_provider *p, void *arg, mcphost_error **reterr)
{
    (void)p;
    (void)arg;
    (void)reterr;
    setups++;
    return 0;
}

static void
count_teardown(mcphost_provider *p, void *arg)
{
    (void)p;
    (void)arg;
    teardowns++;
}

/* Each setup has its teardown, at whatever moment the host is closed or released.  The
 * library frees each argument once. */
START_TEST(setups_and_teardowns_match_whenever_the_host_ends)
{
    mcphost_call *call = NULL;

    setups = teardowns = 0;
    ck_assert_int_eq(mcphost_provider_set_life(provider, count_setup, count_teardown,
                                               NULL, count_free),
                     0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("keep"), keep, NULL), 0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    for (int i = 0; i < _i / 4; i++)
        (void)mcphost_dispatch(hr.host);
    if (mcphost_call_new(dialog, "keep", "{}", 2, &call, NULL) == 0) {
        hr_go(call);
        mcphost_call_unref(call);
        (void)mcphost_dispatch(hr.host);
    }
    if (_i % 2)
        ck_assert_int_eq(mcphost_provider_close(provider), 0);
    if (_i % 4 < 2) {
        hr_close(&hr);
    } else {
        for (int i = 0; i < hr.n_dialogs; i++)
            mcphost_dialog_unref(hr.dialogs[i]);
        hr.n_dialogs = 0;
        hr.host = mcphost_unref(hr.host);
    }
    kept = mcphost_provider_call_unref(kept);
    provider = mcphost_provider_unref(provider);
    ck_assert_int_eq(setups, teardowns);
    ck_assert_int_eq(freed, 2);
    hr_clear(&hr);
}
END_TEST

START_TEST(a_provider_that_never_started_frees_its_arguments)
{
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("echo"), echo, NULL), 0);
    provider = mcphost_provider_unref(provider);
    ck_assert_int_eq(freed, 1);
}
END_TEST

/* R169 */
START_TEST(settings_override_defaults)
{
    static const struct {
        const char *path, *json;
    } rows[] = {
        {"tool_configs.search.limit", "5"},
        {"tool_configs.search.lang", "\"en\""},
        {"tool_configs.search", "{\"limit\":5,\"lang\":\"en\"}"},
        {"flat", "1"},
        {"flat.deep", NULL},
        {"api_key", "\"s3cret-value\""},
        {"none", NULL},
        {"", "{\"tool_configs\":{\"search\":{\"limit\":5,\"lang\":\"en\"}},\"flat\":1,"
             "\"api_key\":\"s3cret-value\"}"},
    };
    static const char defaults[] = "{\"tool_configs\":{\"search\":{\"limit\":3,"
                                   "\"lang\":\"en\"}},\"flat\":{\"deep\":1}}";
    static const char config[] = "{\"tool_configs\":{\"search\":{\"limit\":5}},"
                                 "\"flat\":1,\"api_key\":\"s3cret-value\"}";
    char *json = NULL;
    size_t len;

    hr_keep_log(&hr, MCPHOST_LOG_INFO);
    ck_assert_int_eq(mcphost_provider_set_defaults(provider, "[]", 2, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_provider_set_defaults(provider, defaults, sizeof(defaults) - 1, NULL), 0);
    ck_assert_int_eq(
        mcphost_provider_set_config(provider, config, sizeof(config) - 1, NULL), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int r = mcphost_provider_dup_config(provider, rows[i].path, &json, &len);

        ck_assert_int_eq(r, rows[i].json ? 0 : MCPHOST_E_NOTFOUND);
        if (r < 0)
            continue;
        ck_assert_str_eq(json, rows[i].json);
        ck_assert_uint_eq(len, strlen(json));
        mcphost_free(json);
    }
    start();
    test_has(hr.log, "\"limit\":5");
    ck_assert_ptr_null(strstr(hr.log, "s3cret"));
    ck_assert_int_eq(mcphost_provider_set_config(provider, "{}", 2, NULL),
                     MCPHOST_E_STATE);
}
END_TEST

/* R18 R169 */
START_TEST(secrets_of_settings_are_not_logged_however_deep_they_are)
{
    static const char config[] =
        "{\"accounts\":[{\"name\":\"ann\",\"password\":\"s3cret-1\"},"
        "[{\"deep\":{\"token\":\"s3cret-2\"}}]],\"auth\":[\"s3cret-3\"]}";

    hr_keep_log(&hr, MCPHOST_LOG_INFO);
    ck_assert_int_eq(
        mcphost_provider_set_config(provider, config, sizeof(config) - 1, NULL), 0);
    start();
    test_has(hr.log, "{\"accounts\":[{\"name\":\"ann\",\"password\":\"***\"},"
                     "[{\"deep\":{\"token\":\"***\"}}]],\"auth\":\"***\"}");
    ck_assert_ptr_null(strstr(hr.log, "s3cret"));
}
END_TEST

/* ---- providers beside servers ------------------------------------------------------ */

START_TEST(a_provider_has_priority_over_a_server_of_the_file_with_its_id)
{
    hr_server(&hr, "app", NULL, "on call:echo\n text from the file\n");
    hr_server(&hr, "other", NULL, NULL);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("mine"), echo, NULL), 0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    hr_load(&hr);
    ck_assert_str_eq(hr_say(&hr, dialog, "mine", "{}"), "{}");
    ck_assert(!hr_has(&hr, "app_echo"));
    hr_until(&hr, hr_problem(&hr, "mcp/server/app/id_taken"));
    ck_assert_int_eq(mcphost_provider_close(provider), 0);
    hr_until(&hr, hr_has(&hr, "app_echo"));
    ck_assert_str_eq(hr_say(&hr, dialog, "app_echo", "{}"), "from the file");
}
END_TEST

START_TEST(a_second_provider_with_the_same_id_is_refused)
{
    mcphost_source *source = mcphost_default_source(hr.host);
    mcphost_provider *second = NULL;
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcphost_provider_new(source, "app", &second, &err),
                     MCPHOST_E_EXISTS);
    test_has(mcphost_error_get_message(err), "another provider has the id 'app'");
    ck_assert_ptr_null(second);
    err = mcphost_error_unref(err);
    start();
    ck_assert_int_eq(mcphost_provider_new(source, "app", &second, NULL),
                     MCPHOST_E_EXISTS);
    ck_assert_int_eq(mcphost_provider_close(provider), 0);
    ck_assert_int_eq(mcphost_provider_new(source, "app", &second, NULL), 0);
    mcphost_provider_unref(second);
    ck_assert_int_eq(mcphost_provider_new(source, "app", &second, NULL), 0);
    mcphost_provider_unref(second);
}
END_TEST

START_TEST(a_provider_of_a_view_that_never_starts_leaves_no_source)
{
    mcphost_view *view = mcphost_default_view(hr.host);
    mcphost_provider *own = NULL;

    ck_assert_int_eq(mcphost_provider_new_in_view(view, "v", &own, NULL), 0);
    ck_assert_int_eq(mcphost_provider_new_in_view(view, "v", &own, NULL),
                     MCPHOST_E_EXISTS);
    mcphost_provider_unref(own);
    hr_until(&hr, mcphost_provider_new_in_view(view, "v", &own, NULL) == 0);
    mcphost_provider_unref(own);
}
END_TEST

START_TEST(a_provider_of_a_view_is_visible_only_there)
{
    static const char definition[] = TOOL("private");
    mcphost_provider *own = NULL;
    mcphost_dialog *inner;
    mcphost_view *view = NULL;
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "v", &view, NULL), 0);
    ck_assert_int_eq(mcphost_provider_new_in_view(view, "a b", &own, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_msg(mcphost_provider_new_in_view(view, "own", &own, &err) == 0, "%s",
                  mcphost_error_get_message(err));
    ck_assert_int_eq(mcphost_provider_add(own, MCPHOST_FEATURE_TOOL, definition,
                                          sizeof(definition) - 1, constant, "in",
                                          count_free, NULL),
                     0);
    start();
    ck_assert_int_eq(mcphost_provider_start(own), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "inner", NULL, &inner, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = inner;
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_SERVER, "own", NULL, MCPHOST_SERVER_LOADED) > 0);
    ck_assert_str_eq(hr_say(&hr, inner, "private", "{}"), "in");
    ck_assert(!hr_has(&hr, "private"));
    ck_assert_int_eq(mcphost_provider_close(own), 0);
    hr_until(&hr, freed == 1);
    mcphost_provider_unref(own);
    mcphost_view_unref(view);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "provider");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_tool_of_a_provider_is_listed_and_called);
    tcase_add_test(tc, a_call_that_is_answered_at_once_ends_in_one_turn);
    tcase_add_test(tc, arguments_that_do_not_fit_are_refused_before_the_function_runs);
    tcase_add_test(tc, failures_reach_the_caller);
    tcase_add_test(tc, a_wrong_result_is_refused_and_the_call_stays_open);
    tcase_add_loop_test(tc, tools_are_denied_by_their_annotations, 0, 8);
    tcase_add_test(tc, of_eight_threads_that_answer_exactly_one_succeeds);
    tcase_add_test(tc, a_cancelled_call_runs_its_cancel_function_once);
    tcase_add_test(tc, a_call_that_is_not_answered_in_time_fails);
    tcase_add_test(tc, progress_of_a_provider_is_reported);
    tcase_add_test(tc, features_can_be_added_replaced_and_removed_at_any_time);
    tcase_add_test(tc, features_keep_their_place_when_they_are_replaced);
    tcase_add_test(tc, a_replaced_function_finishes_its_calls_and_gets_no_new_ones);
    tcase_add_test(tc, a_thousand_replacements_lose_no_answer);
    tcase_add_test(tc, a_wrong_definition_is_refused_with_the_reason);
    tcase_add_test(tc, setup_and_teardown_run_once);
    tcase_add_test(tc,
                   after_a_failed_setup_the_server_is_unavailable_and_no_teardown_runs);
    tcase_add_test(tc, closing_a_provider_waits_for_its_calls);
    tcase_add_test(tc, a_call_of_a_turn_at_a_closed_provider_fails_at_once);
    tcase_add_test(tc, a_provider_that_never_started_frees_its_arguments);
    tcase_add_test(tc, settings_override_defaults);
    tcase_add_test(tc, secrets_of_settings_are_not_logged_however_deep_they_are);
    tcase_add_test(tc, a_provider_has_priority_over_a_server_of_the_file_with_its_id);
    tcase_add_test(tc, a_second_provider_with_the_same_id_is_refused);
    tcase_add_test(tc, a_provider_of_a_view_that_never_starts_leaves_no_source);
    tcase_add_test(tc, a_provider_of_a_view_is_visible_only_there);
    tc = test_case(suite, "end");
    tcase_add_checked_fixture(tc, up, NULL);
    tcase_add_test(tc, closing_a_host_during_a_call_runs_the_teardown);
    tcase_add_loop_test(tc, setups_and_teardowns_match_whenever_the_host_ends, 0, 64);
}

int
main(void)
{
    return test_main("provider", add_tests);
}
