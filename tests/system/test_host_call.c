/* SPDX-License-Identifier: MIT
 *
 * test_host_call.c - a call from its arguments to its completion.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

static void
up(const char *script)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static int
traced(const char *needle)
{
    return rig_workspace_count(&hr.ws, "a.trace", needle);
}

/* ---- many calls at once ------------------------------------------------------------ */

#define MANY 50

/* R22 */
START_TEST(fifty_answers_in_another_order_reach_their_own_calls)
{
    mcphost_call *calls[MANY];
    char arguments[32], wanted[32];

    up(NULL);
    /* Each delay occurs once, in a mixed order, because 37 and 50 have no common
     * divisor except 1. */
    for (int i = 0; i < MANY; i++) {
        snprintf(arguments, sizeof(arguments), "{\"ms\":%d}", 20 + i * 37 % MANY);
        calls[i] = hr_start(&hr, d, "a_slow", arguments);
    }
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(hr_end(&hr, calls[i]), 0);
        snprintf(wanted, sizeof(wanted), "slept %d ms", 20 + i * 37 % MANY);
        ck_assert_str_eq(hr_text(&hr, calls[i]), wanted);
    }
    ck_assert_int_eq(traced("spawn"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(calls_beyond_the_in_flight_limit_wait)
{
    mcphost_call *calls[12];

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CALLS_IN_FLIGHT, 3);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    for (int i = 0; i < 12; i++)
        calls[i] = hr_start(&hr, d, "a_slow", "{\"ms\":40}");
    hr_until(&hr, traced("tools/call") > 0);
    hr_turn(&hr, 10);
    ck_assert_int_eq(traced("tools/call"), 3);
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(hr_end(&hr, calls[i]), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_call_is_refused_when_the_servers_queue_is_full)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CALLS_IN_FLIGHT, 1);
    hr_option(&hr, MCPHOST_OPT_QUEUED_CALLS, 1);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    hr_start(&hr, d, "a_slow", "{\"ms\":50}");
    hr_start(&hr, d, "a_slow", "{\"ms\":50}");
    call = hr_start(&hr, d, "a_slow", "{\"ms\":50}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'a'"));
    ck_assert_int_eq(hr_end(&hr, hr.calls[1]), 0);
    hr_down(&hr);
}
END_TEST

/* ---- arguments --------------------------------------------------------------------- */

START_TEST(arguments_that_are_no_json_object_are_refused)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;

    up(NULL);
    ck_assert_int_eq(mcphost_call_new(d, "a_echo", "{\"a\":1,\n  x}", 12, &call, &err),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_error_get_line(err), 2);
    ck_assert_int_eq(mcphost_error_get_column(err), 3);
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_call_new(d, "a_echo", "[1]", 3, &call, &err),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "a_echo"));
    mcphost_error_unref(err);
    ck_assert_ptr_null(call);
    ck_assert_int_eq(mcphost_call_new(d, "a_none", "{}", 2, &call, NULL),
                     MCPHOST_E_NOTFOUND);
    hr_down(&hr);
}
END_TEST

/* R54, K17: with MCPHOST_ARGUMENTS_OFF the host checks only the JSON syntax of
 * arguments. */
START_TEST(with_the_check_off_arguments_that_are_no_object_are_sent)
{
    mcphost_call *call = NULL;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ARGUMENTS, MCPHOST_ARGUMENTS_OFF);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(hr_end(&hr, hr_start(&hr, d, "a_echo", "[1]")), 0);
    ck_assert_int_eq(traced("\"arguments\":[1]"), 1);
    ck_assert_int_eq(mcphost_call_new(d, "a_echo", "[1", 2, &call, NULL),
                     MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

/* The server gets the arguments as the caller wrote them.  The library changes only the
 * line breaks, which become blanks. */
START_TEST(numbers_and_escapes_in_arguments_are_sent_unchanged)
{
    up(NULL);
    hr_say(&hr, d, "a_echo", "{ \"n\": 1.500e2,\n\"s\":\"\\u00e9\" }");
    ck_assert_int_eq(traced("\"arguments\":{ \"n\": 1.500e2, \"s\":\"\\u00e9\" }"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_call_carries_the_applications_meta)
{
    static const char *const reserved[] = {
        "{\"progressToken\":1}",
        "{\"a\":1,\"io.modelcontextprotocol/clientInfo\":{}}",
        "{\"io\\u002emodelcontextprotocol/x\":1}",
    };
    mcphost_call *call;

    up(NULL);
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_set_meta(call, "{\"my/key\":[1]}", 14, NULL), 0);
    ck_assert_int_eq(mcphost_call_set_meta(call, "[]", 2, NULL), MCPHOST_E_INVALID);
    for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++) {
        mcphost_error *err = NULL;

        ck_assert_int_eq(
            mcphost_call_set_meta(call, reserved[i], strlen(reserved[i]), &err),
            MCPHOST_E_INVALID);
        test_has(mcphost_error_get_message(err), "belongs to the protocol");
        mcphost_error_unref(err);
    }
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(traced("\"my/key\":[1]"), 1);
    ck_assert_int_eq(mcphost_call_set_meta(call, "{}", 2, NULL), MCPHOST_E_STATE);
    hr_down(&hr);
}
END_TEST

/* ---- results ----------------------------------------------------------------------- */

START_TEST(a_failure_that_the_tool_reports_is_a_result)
{
    mcphost_call *call;

    up(NULL);
    call = hr_start(&hr, d, "a_fail", NULL);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert(mcphost_result_is_error(mcphost_call_get_result(call)));
    ck_assert_str_eq(hr_text(&hr, call), "it failed");
    hr_down(&hr);
}
END_TEST

START_TEST(a_json_rpc_error_ends_the_call_with_its_code)
{
    mcphost_call *call;

    up(NULL);
    call = hr_start(&hr, d, "a_boom", NULL);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
    ck_assert_int_eq(mcphost_error_get_rpc_code(mcphost_call_get_error(call)), -32000);
    ck_assert_str_eq(mcphost_error_get_server_id(mcphost_call_get_error(call)), "a");
    ck_assert_ptr_nonnull(strstr(hr_why(call), "boom"));
    hr_down(&hr);
}
END_TEST

#define ODD                                                                      \
    "{\"content\":[{\"type\":\"text\",\"text\":\"a\\u00e9\\n\"},"                \
    "{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"},"         \
    "{\"type\":\"audio\"},{\"type\":\"resource\"},{\"type\":\"resource_link\"}," \
    "{\"type\":\"new\"},7],\"structuredContent\":{\"n\":1e400}}"

static const int odd_kinds[] = {
    MCPHOST_CONTENT_TEXT,     MCPHOST_CONTENT_IMAGE,         MCPHOST_CONTENT_AUDIO,
    MCPHOST_CONTENT_RESOURCE, MCPHOST_CONTENT_RESOURCE_LINK, MCPHOST_CONTENT_UNKNOWN,
    MCPHOST_CONTENT_UNKNOWN,
};

/* R74: the result has the server's own bytes.  The items keep the server's order. */
START_TEST(a_result_is_the_servers_own_bytes_and_its_items_in_order)
{
    mcphost_result *result;
    mcphost_call *call;
    const char *text;
    size_t len;

    up("era legacy\ntool odd\non call:odd\n result " ODD);
    call = hr_start(&hr, d, "a_odd", NULL);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    result = mcphost_call_get_result(call);
    text = mcphost_result_get_json(result, &len);
    ck_assert_uint_eq(len, strlen(ODD));
    ck_assert_mem_eq(text, ODD, len);
    ck_assert_uint_eq(mcphost_result_count_items(result), 7);
    for (size_t i = 0; i < 7; i++)
        ck_assert_int_eq(mcphost_result_item_get_kind(result, i), odd_kinds[i]);
    ck_assert_str_eq(hr_text(&hr, call), "a\xc3\xa9\n");
    ck_assert_str_eq(mcphost_result_item_get_mime_type(result, 1), "image/png");
    ck_assert_ptr_null(mcphost_result_item_get_mime_type(result, 2));
    text = mcphost_result_item_get_json(result, 6, &len);
    ck_assert_mem_eq(text, "7", len);
    text = mcphost_result_get_structured(result, &len);
    ck_assert_mem_eq(text, "{\"n\":1e400}", len);
    ck_assert_ptr_null(mcphost_result_item_get_json(result, 7, &len));
    ck_assert_int_eq(mcphost_result_item_get_text(result, 1, &text, &len),
                     MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

START_TEST(a_kept_result_outlives_the_host)
{
    mcphost_result *result;
    const char *text;
    size_t len;

    up(NULL);
    hr_say(&hr, d, "a_echo", "{\"text\":\"kept\"}");
    result = mcphost_result_ref(mcphost_call_get_result(hr.calls[0]));
    hr_down(&hr);
    ck_assert_int_eq(mcphost_result_item_get_text(result, 0, &text, &len), 0);
    ck_assert_mem_eq(text, "kept", 4);
    mcphost_result_unref(result);
}
END_TEST

/* ---- cancel ------------------------------------------------------------------------ */

START_TEST(a_cancelled_call_ends_at_once_and_its_late_answer_is_dropped)
{
    mcphost_call *call;

    up("ignore cancel");
    call = hr_call(&hr, d, "a_slow", "{\"ms\":50}");
    ck_assert_int_eq(mcphost_call_cancel(call), MCPHOST_E_STATE);
    hr_go(call);
    hr_until(&hr, traced("tools/call") == 1);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_str_eq(hr_say(&hr, d, "a_slow", "{\"ms\":60}"), "slept 60 ms");
    ck_assert_int_eq(traced("notifications/cancelled"), 1);
    ck_assert_int_eq(mcphost_error_get_code(mcphost_call_get_error(call)),
                     MCPHOST_E_CANCELLED);
    hr_down(&hr);
}
END_TEST

START_TEST(a_call_cancelled_before_it_was_sent_is_not_sent)
{
    mcphost_call *call;

    up(NULL);
    call = hr_start(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_say(&hr, d, "a_add", "{\"a\":1,\"b\":1}");
    ck_assert_int_eq(traced("tools/call"), 1);
    hr_down(&hr);
}
END_TEST

/* ---- deadlines --------------------------------------------------------------------- */

#define HUNG "tool hang\non call:hang\n"

START_TEST(a_call_without_a_response_ends_at_its_deadline)
{
    mcphost_call *call;

    up(HUNG);
    call = hr_call(&hr, d, "a_hang", NULL);
    ck_assert_int_eq(mcphost_call_set_timeout(call, 40, 0, -1), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'hang'"));
    ck_assert_int_eq(mcphost_call_set_timeout(call, 40, 0, -1), MCPHOST_E_STATE);
    hr_until(&hr, traced("notifications/cancelled") == 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_servers_own_timeout_wins_over_the_hosts)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CALL_TIMEOUT, 60000);
    hr_server(&hr, "a", "timeouts: {call: 0.05}", HUNG);
    hr_load(&hr);
    ck_assert_int_eq(hr_fail(&hr, hr_dialog(&hr, "d"), "a_hang", NULL),
                     MCPHOST_E_TIMEOUT);
    hr_down(&hr);
}
END_TEST

static void
count_to(mcphost_call *call, int64_t timeout, int resets, int64_t max, int wanted)
{
    ck_assert_int_eq(mcphost_call_set_timeout(call, timeout, resets, max), 0);
    if (wanted)
        ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), MCPHOST_E_STATE);
}

START_TEST(progress_restarts_the_timeout_up_to_the_maximum_if_wanted)
{
    mcphost_call *patient, *strict, *bounded;

    up(NULL);
    patient = hr_call(&hr, d, "a_count", "{\"n\":6,\"ms\":50}");
    strict = hr_call(&hr, d, "a_count", "{\"n\":6,\"ms\":50}");
    bounded = hr_call(&hr, d, "a_count", "{\"n\":6,\"ms\":50}");
    count_to(patient, 200, 1, -1, 0);
    count_to(strict, 200, 0, -1, 1);
    count_to(bounded, 200, 1, 230, 0);
    ck_assert_int_eq(hr_end(&hr, strict), MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(hr_end(&hr, bounded), MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(hr_end(&hr, patient), 0);
    ck_assert_str_eq(hr_text(&hr, patient), "counted to 6");
    hr_down(&hr);
}
END_TEST

/* ---- progress and log -------------------------------------------------------------- */

static int progress_before_done;

static void
note_done(mcphost_call *call, void *arg)
{
    (void)call;
    progress_before_done = hr_count(arg, MCPHOST_EVENT_PROGRESS, NULL, NULL, -1);
}

START_TEST(progress_comes_in_order_before_the_result_and_only_when_asked_for)
{
    mcphost_call *call;
    double last = 0;

    up(NULL);
    hr_end(&hr, hr_start(&hr, d, "a_count", "{\"n\":2,\"ms\":1}"));
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROGRESS, NULL, NULL, -1), 0);
    call = hr_call(&hr, d, "a_count", "{\"n\":5,\"ms\":1}");
    ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_start(call, note_done, &hr, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(progress_before_done, 5);
    for (int i = 0; i < hr.n_events; i++)
        if (hr.events[i].kind == MCPHOST_EVENT_PROGRESS) {
            ck_assert(hr.events[i].progress > last);
            last = hr.events[i].progress;
            ck_assert_str_eq(hr.events[i].server, "a");
            ck_assert_str_eq(hr.events[i].dialog, "d");
        }
    ck_assert_str_eq(hr_last(&hr, MCPHOST_EVENT_PROGRESS, "a")->text, "at 5");
    hr_down(&hr);
}
END_TEST

/* ---- the progress of one call ------------------------------------------------------ */

static int progress_told, progress_freed, done_when_freed;
static char progress_text[64];

static void
on_progress(mcphost_call *call, double progress, double total, const char *message,
            size_t message_len, void *arg)
{
    (void)call;
    ck_assert_ptr_eq(arg, &progress_told);
    ck_assert(progress > progress_told && total >= progress);
    ck_assert_uint_eq(strlen(message), message_len);
    snprintf(progress_text, sizeof(progress_text), "%s", message);
    progress_told++;
}

static void
free_progress(void *arg)
{
    (void)arg;
    progress_freed++;
    done_when_freed = progress_before_done;
}

START_TEST(a_progress_function_gets_only_its_own_calls_progress)
{
    mcphost_call *call, *other;

    up(NULL);
    progress_told = progress_freed = progress_before_done = 0;
    call = hr_call(&hr, d, "a_count", "{\"n\":5,\"ms\":1}");
    other = hr_call(&hr, d, "a_count", "{\"n\":3,\"ms\":1}");
    ck_assert_int_eq(mcphost_call_set_progress(other, NULL, NULL, NULL), 0);
    ck_assert_int_eq(
        mcphost_call_set_progress(call, on_progress, &progress_told, free_progress), 0);
    hr_go(other);
    ck_assert_int_eq(mcphost_call_start(call, note_done, &hr, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(hr_end(&hr, other), 0);
    ck_assert_int_eq(progress_told, 5);
    ck_assert_str_eq(progress_text, "at 5");
    ck_assert_int_eq(progress_freed, 1);
    ck_assert_int_ge(done_when_freed, 5);
    /* Events report the progress of both calls. */
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROGRESS, NULL, NULL, -1), 8);
    hr_down(&hr);
}
END_TEST

START_TEST(the_argument_of_a_progress_function_is_freed_once_in_any_case)
{
    mcphost_call *call = NULL;

    up(NULL);
    progress_freed = 0;
    ck_assert_int_eq(mcphost_call_new(d, "a_echo", NULL, 0, &call, NULL), 0);
    ck_assert_int_eq(mcphost_call_set_progress(NULL, on_progress, &hr, free_progress),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(progress_freed, 1);
    ck_assert_int_eq(mcphost_call_set_progress(call, on_progress, &hr, free_progress), 0);
    ck_assert_int_eq(mcphost_call_set_progress(call, on_progress, &hr, free_progress), 0);
    ck_assert_int_eq(progress_freed, 2);
    mcphost_call_unref(call); /* frees the argument of a call that never started */
    ck_assert_int_eq(progress_freed, 3);
    call = hr_start(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_set_progress(call, on_progress, &hr, free_progress),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(progress_freed, 4);
    hr_end(&hr, call);
    hr_down(&hr);
}
END_TEST

static double total_seen;
static mcphost_call *call_seen;

static void
look_at_progress(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_PROGRESS)
        return;
    total_seen = mcphost_event_get_total(event);
    call_seen = mcphost_event_get_call(event);
}

START_TEST(progress_has_its_call_and_no_total_if_the_server_gave_none)
{
    mcphost_call *call;

    up("tool odd\non call:odd\n progress 1\n text done");
    hr.on_event = look_at_progress;
    call = hr_call(&hr, d, "a_odd", NULL);
    mcphost_call_set_progress(call, NULL, NULL, NULL);
    hr_go(call);
    hr_end(&hr, call);
    ck_assert_ptr_eq(call_seen, call);
    ck_assert(isnan(total_seen));
    hr_down(&hr);
}
END_TEST

START_TEST(log_messages_and_stderr_of_a_server_become_events)
{
    up("era legacy\ntool talk\non call:talk\n log warning over here\n stderr and here\n "
       "text said");
    hr_say(&hr, d, "a_talk", NULL);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LOG, "a", NULL, -1) == 2);
    ck_assert_int_ge(hr_place(&hr, MCPHOST_EVENT_LOG, "a", -1), 0);
    hr_down(&hr);
}
END_TEST

/* ---- contracts of call.h ----------------------------------------------------------- */

static char order[16];

static void
on_done(mcphost_call *call, void *arg)
{
    ck_assert_ptr_eq(arg, order);
    ck_assert(mcphost_call_is_done(call));
    ck_assert_int_eq(mcphost_call_wait(call, 0), MCPHOST_E_BUSY);
    order[strlen(order)] = 'd';
}

static void
on_free(void *arg)
{
    ck_assert_ptr_eq(arg, order);
    order[strlen(order)] = 'f';
}

START_TEST(done_runs_once_and_then_the_argument_is_freed)
{
    mcphost_call *call;

    memset(order, 0, sizeof(order));
    up(NULL);
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, on_done, order, on_free), 0);
    ck_assert_str_eq(order, "");
    hr_end(&hr, call);
    ck_assert_str_eq(order, "df");
    hr_down(&hr);
    ck_assert_str_eq(order, "df");
}
END_TEST

START_TEST(a_refused_start_frees_its_argument_and_never_calls_back)
{
    mcphost_call *call;

    memset(order, 0, sizeof(order));
    up(NULL);
    call = hr_start(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, on_done, order, on_free), MCPHOST_E_STATE);
    ck_assert_str_eq(order, "f");
    hr_end(&hr, call);
    ck_assert_str_eq(order, "f");
    ck_assert_int_eq(mcphost_call_start(NULL, on_done, order, on_free),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(order, "ff");
    call = hr_call(&hr, d, "a_echo", NULL);
    mcphost_dialog_close(d);
    ck_assert_int_eq(mcphost_call_start(call, on_done, order, on_free), MCPHOST_E_CLOSED);
    ck_assert_str_eq(order, "fff");
    hr_down(&hr);
}
END_TEST

START_TEST(a_call_goes_on_when_its_last_reference_is_dropped)
{
    mcphost_call *call;

    memset(order, 0, sizeof(order));
    up(NULL);
    ck_assert_int_eq(mcphost_call_new(d, "a_echo", NULL, 0, &call, NULL), 0);
    ck_assert_int_eq(mcphost_call_start(call, NULL, order, on_free), 0);
    mcphost_call_unref(call);
    hr_until(&hr, strcmp(order, "f") == 0);
    ck_assert_int_eq(traced("tools/call"), 1);
    hr_down(&hr);
}
END_TEST

static void
add_calls(Suite *suite)
{
    TCase *tc = test_case(suite, "many"), *args = test_case(suite, "arguments");
    TCase *results = test_case(suite, "results");

    tcase_add_test(tc, fifty_answers_in_another_order_reach_their_own_calls);
    tcase_add_test(tc, calls_beyond_the_in_flight_limit_wait);
    tcase_add_test(tc, a_call_is_refused_when_the_servers_queue_is_full);

    tcase_add_test(args, arguments_that_are_no_json_object_are_refused);
    tcase_add_test(args, with_the_check_off_arguments_that_are_no_object_are_sent);
    tcase_add_test(args, numbers_and_escapes_in_arguments_are_sent_unchanged);
    tcase_add_test(args, a_call_carries_the_applications_meta);

    tcase_add_test(results, a_failure_that_the_tool_reports_is_a_result);
    tcase_add_test(results, a_json_rpc_error_ends_the_call_with_its_code);
    tcase_add_test(results, a_result_is_the_servers_own_bytes_and_its_items_in_order);
    tcase_add_test(results, a_kept_result_outlives_the_host);
}

static void
add(Suite *suite)
{
    TCase *cancel = test_case(suite, "cancel"), *time = test_case(suite, "deadlines");
    TCase *progress = test_case(suite, "progress");
    TCase *contract = test_case(suite, "contract");

    add_calls(suite);
    tcase_add_test(cancel, a_cancelled_call_ends_at_once_and_its_late_answer_is_dropped);
    tcase_add_test(cancel, a_call_cancelled_before_it_was_sent_is_not_sent);

    tcase_add_test(time, a_call_without_a_response_ends_at_its_deadline);
    tcase_add_test(time, a_servers_own_timeout_wins_over_the_hosts);
    tcase_add_test(time, progress_restarts_the_timeout_up_to_the_maximum_if_wanted);

    tcase_add_test(progress,
                   progress_comes_in_order_before_the_result_and_only_when_asked_for);
    tcase_add_test(progress, progress_has_its_call_and_no_total_if_the_server_gave_none);
    tcase_add_test(progress, a_progress_function_gets_only_its_own_calls_progress);
    tcase_add_test(progress,
                   the_argument_of_a_progress_function_is_freed_once_in_any_case);
    tcase_add_test(progress, log_messages_and_stderr_of_a_server_become_events);

    tcase_add_test(contract, done_runs_once_and_then_the_argument_is_freed);
    tcase_add_test(contract, a_refused_start_frees_its_argument_and_never_calls_back);
    tcase_add_test(contract, a_call_goes_on_when_its_last_reference_is_dropped);
}

int
main(void)
{
    return test_main("host-call", add);
}
