/* SPDX-License-Identifier: MIT
 *
 * test_host_provider.c - a dialog whose model provider rejects a request.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

/* A name that is longer than the name limits 40 and 32 below. */
#define LONG_NAME "look_up_everything_that_anybody_has_written"

static struct hostrig hr;
static mcphost_dialog *d, *e;

static void
up(void)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
}

static void
down(void)
{
    hr_down(&hr);
}

static void
reject(mcphost_dialog *dialog, const char *text)
{
    ck_assert_int_eq(
        mcphost_dialog_report_rejection(dialog, "anthropic", text, strlen(text)), 0);
    hr_turn(&hr, 0);
}

/* Returns the detail of the problem with this id, or NULL if the problem does not
 * exist. */
static const char *
problem(const char *id)
{
    static char detail[20000];
    mcphost_problems *problems = NULL;
    mcphost_problem *found;

    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    found = mcphost_problems_find(problems, id);
    if (found)
        snprintf(detail, sizeof(detail), "%s", mcphost_problem_get_detail(found, NULL));
    if (found)
        ck_assert_str_eq(mcphost_problem_get_kind(found),
                         "llm_provider_rejected_request");
    mcphost_problems_unref(problems);
    return found ? detail : NULL;
}

/* R53 R60 R62 R63 */
START_TEST(a_rejected_request_stops_the_dialog_and_is_a_problem)
{
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_RUNNING);
    reject(d, "Invalid schema for function 'a_add': \"x\"");
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_STOPPED);
    ck_assert_int_eq(mcphost_dialog_get_run_state(e), MCPHOST_RUN_RUNNING);
    ck_assert_str_eq(problem("llm/provider_rejected/d"),
                     "{\"provider\":\"anthropic\",\"dialogId\":\"d\",\"tool\":\"a_add\","
                     "\"errorText\":\"Invalid schema for function 'a_add': \\\"x\\\"\"}");
}
END_TEST

/* Returns the reason for the stop of `d` as JSON, or "" if `d` is not stopped. */
static const char *
reason(void)
{
    static char said[300];
    size_t len = 0;
    char *json = NULL;
    int r = mcphost_dialog_get_stop_reason(d, &json, &len);

    ck_assert(r == (json ? 0 : MCPHOST_E_NOTFOUND));
    ck_assert_uint_eq(len, json ? strlen(json) : 0);
    snprintf(said, sizeof(said), "%s", json ? json : "");
    mcphost_free(json);
    return said;
}

/* R62, R63: the reason is available at once.  The reason of a closed dialog stays
 * available. */
START_TEST(the_stop_reason_is_available_until_the_dialog_is_resumed)
{
    char *json = NULL;

    ck_assert_str_eq(reason(), "");
    ck_assert_int_eq(mcphost_dialog_report_rejection(d, "p", "in a_add", 8), 0);
    ck_assert_str_eq(reason(),
                     "{\"provider\":\"p\",\"dialogId\":\"d\",\"tool\":\"a_add\","
                     "\"errorText\":\"in a_add\"}");
    ck_assert_int_eq(mcphost_dialog_get_stop_reason(e, &json, NULL), MCPHOST_E_NOTFOUND);
    reject(d, "again");
    ck_assert_str_eq(reason(), problem("llm/provider_rejected/d"));
    ck_assert_int_eq(mcphost_dialog_resume(d), 0);
    ck_assert_str_eq(reason(), "");
    reject(d, "and again");
    ck_assert_ptr_nonnull(strstr(reason(), "and again"));
    ck_assert_int_eq(mcphost_dialog_report_success(d), 0);
    ck_assert_str_eq(reason(), "");
    reject(d, "for ever");
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_ptr_nonnull(strstr(reason(), "for ever"));
    ck_assert_int_eq(mcphost_dialog_get_stop_reason(d, NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_get_stop_reason(NULL, &json, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(json);
}
END_TEST

/* Rejects a request of `d` with this text.  Returns the tool that the problem names,
 * or "" if the problem names no tool. */
static const char *
blamed(const char *text)
{
    static char tool[200];
    const char *detail, *at;

    reject(d, text);
    detail = problem("llm/provider_rejected/d");
    at = strstr(detail, "\"tool\":\"");
    snprintf(tool, sizeof(tool), "%.*s", at ? (int)strcspn(at + 8, "\"") : 0,
             at ? at + 8 : "");
    return tool;
}

/* Starts a host.  Its server `b` has a tool that Gemini's profile leaves out, a tool with
 * a short name, and a tool whose name is too long for two of the projections below. */
static void
load_long(void)
{
    hr_up(&hr);
    hr_server(&hr, "b", "truely-stateless: true",
              "no-tools\n"
              "tool-json {\"name\":\"out\",\"inputSchema\":{\"type\":\"object\","
              "\"allOf\":[{\"type\":\"string\"}]}}\n"
              "tool-json {\"name\":\"in\",\"inputSchema\":{\"type\":\"object\"}}\n"
              "tool-json {\"name\":\"" LONG_NAME
              "\",\"inputSchema\":{\"type\":\"object\"}}\n");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static mcphost_projection *
projected(int shape, int profile, size_t name_max)
{
    mcphost_projection *p = NULL;
    mcphost_catalog *catalog = NULL;

    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_int_eq(mcphost_projection_new(catalog, shape, profile, name_max, &p, NULL),
                     0);
    mcphost_catalog_unref(catalog);
    return p;
}

/* R60: the provider's error has the name of the tool in the projection. */
START_TEST(a_projected_name_in_an_error_is_mapped_to_its_tool)
{
    mcphost_projection *wide, *narrow;
    const char *names[2];
    char text[300];
    mcphost_tool *tool;

    load_long();
    tool = hr_tool(&hr, "b_" LONG_NAME);
    wide = projected(MCPHOST_SHAPE_ANTHROPIC, MCPHOST_PROFILE_ANTHROPIC, 40);
    narrow = projected(MCPHOST_SHAPE_OPENAI_CHAT, MCPHOST_PROFILE_OPENAI, 32);
    names[0] = mcphost_projection_get_name(wide, tool);
    names[1] = mcphost_projection_get_name(narrow, tool);
    ck_assert_str_ne(names[0], names[1]);
    for (int i = 0; i < 2; i++) {
        ck_assert_str_ne(names[i], "b_" LONG_NAME);
        snprintf(text, sizeof(text), "Invalid schema for function '%s', or b_in",
                 names[i]);
        ck_assert_str_eq(blamed(text), "b_" LONG_NAME);
    }
    ck_assert_str_eq(blamed("Invalid schema for function 'b_in'"), "b_in");
    mcphost_projection_unref(wide);
    mcphost_projection_unref(narrow);
    mcphost_tool_unref(tool);
}
END_TEST

/* R60: an index in the error counts only the tools of the projection. */
START_TEST(an_index_in_an_error_counts_the_projected_tools)
{
    mcphost_projection *p;
    const char *list;

    load_long();
    ck_assert_str_eq(blamed("tools.7.custom.input_schema: bad"), "b_in");
    p = projected(MCPHOST_SHAPE_GEMINI, MCPHOST_PROFILE_GEMINI, 0);
    list = mcphost_projection_get_json(p, NULL);
    ck_assert_ptr_null(strstr(list, "\"b_out\""));
    ck_assert_str_eq(blamed("tools[0].function_declarations[6].parameters: bad"), "b_in");
    ck_assert_str_eq(blamed("tools[0].function_declarations[7].parameters: bad"),
                     "b_" LONG_NAME);
    ck_assert_str_eq(blamed("tools[0].function_declarations[8].parameters: bad"), "");
    mcphost_projection_unref(p);
}
END_TEST

START_TEST(a_rejection_that_concerns_no_tool_names_no_tool)
{
    reject(d, "prompt is too long");
    ck_assert_str_eq(
        problem("llm/provider_rejected/d"),
        "{\"provider\":\"anthropic\",\"dialogId\":\"d\",\"errorText\":\"prompt "
        "is too long\"}");
}
END_TEST

/* R62 */
START_TEST(neither_time_nor_a_tool_call_resumes_a_stopped_dialog)
{
    reject(d, "no");
    hr_turn(&hr, 300);
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_STOPPED);
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_STOPPED);
    ck_assert_int_eq(mcphost_dialog_resume(d), 0);
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_RUNNING);
    hr_turn(&hr, 0);
    ck_assert_ptr_null(problem("llm/provider_rejected/d"));
}
END_TEST

/* R62: not even a reload that changes the server and its tools resumes the dialog. */
START_TEST(a_reload_does_not_resume_a_stopped_dialog)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    reject(d, "Invalid schema for function 'a_add'");
    hr_edit(&hr);
    hr_server(&hr, "a", "tools:\n  blacklist: ['add']", NULL);
    hr_server(&hr, "b", NULL, NULL);
    hr_reload(&hr);
    hr_until(&hr, strstr(hr_tools(&hr, d), "b_echo") != NULL);
    ck_assert_ptr_null(strstr(hr_tools(&hr, d), "a_add"));
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_STOPPED);
    ck_assert_ptr_nonnull(problem("llm/provider_rejected/d"));
    /* R64: after the change, the application may resume the dialog. */
    ck_assert_int_eq(mcphost_dialog_resume(d), 0);
    ck_assert_int_eq(mcphost_dialog_report_success(d), 0);
    hr_turn(&hr, 0);
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_RUNNING);
    ck_assert_ptr_null(problem("llm/provider_rejected/d"));
}
END_TEST

static char logged[400];

static void
on_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    (void)room;
    (void)server;
    (void)arg;
    if (level == MCPHOST_LOG_ERROR)
        snprintf(logged, sizeof(logged), "%s", line);
}

/* R53 */
START_TEST(a_rejection_is_logged_as_an_error)
{
    ck_assert_int_eq(mcphost_set_log(hr.host, MCPHOST_LOG_ERROR, on_log, NULL, NULL), 0);
    reject(d, "Invalid schema for function 'a_add'");
    ck_assert_ptr_nonnull(strstr(logged, "'d'"));
    ck_assert_ptr_nonnull(strstr(logged, "anthropic"));
    ck_assert_ptr_nonnull(strstr(logged, "Invalid schema for function 'a_add'"));
}
END_TEST

/* R64 */
START_TEST(a_reported_success_clears_the_problem_of_its_dialog)
{
    reject(d, "no");
    reject(e, "no");
    ck_assert_int_eq(mcphost_dialog_report_success(d), 0);
    hr_turn(&hr, 0);
    ck_assert_ptr_null(problem("llm/provider_rejected/d"));
    ck_assert_ptr_nonnull(problem("llm/provider_rejected/e"));
    ck_assert_int_eq(mcphost_dialog_report_success(d), 0);
}
END_TEST

/* R67: the host allows only one call in flight.  When dialog `d` stops, its first call is
 * in flight. */
START_TEST(a_stopped_dialog_does_not_block_calls_of_other_dialogs)
{
    mcphost_status *status = NULL;
    mcphost_call *first, *second, *third;
    struct pollfd pfd;

    hr_down(&hr);
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CALLS_IN_FLIGHT, 1);
    hr_server(&hr, "a", "truely-stateless: true", "on call:echo\n delay 50\n text y");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    first = hr_start(&hr, d, "a_echo", "{}");
    second = hr_start(&hr, d, "a_echo", "{}");
    third = hr_start(&hr, e, "a_echo", "{}");
    hr_turn(&hr, 0);
    reject(d, "no");
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_STOPPED);
    ck_assert_int_eq(hr_end(&hr, third), 0);
    ck_assert_int_eq(hr_end(&hr, second), 0);
    ck_assert_int_eq(hr_end(&hr, first), 0);
    ck_assert_str_eq(hr_say(&hr, e, "a_add", "{\"a\":1,\"b\":2}"), "3");
    /* The host's descriptor is not readable, because no work is left. */
    pfd = (struct pollfd){.fd = mcphost_get_fd(hr.host), .events = POLLIN};
    hr_until(&hr, poll(&pfd, 1, 0) == 0);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    for (size_t i = 0; i < mcphost_status_count_leases(status); i++)
        ck_assert_uint_eq(mcphost_status_lease_count_in_flight(status, i), 0);
    mcphost_status_unref(status);
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_STOPPED);
    ck_assert_int_eq(mcphost_dialog_get_run_state(e), MCPHOST_RUN_RUNNING);
}
END_TEST

START_TEST(reports_take_effect_in_their_order)
{
    ck_assert_int_eq(mcphost_dialog_report_rejection(d, "p", "no", 2), 0);
    ck_assert_int_eq(mcphost_dialog_resume(d), 0);
    ck_assert_int_eq(mcphost_dialog_report_rejection(d, "p", "again", 5), 0);
    hr_turn(&hr, 0);
    ck_assert_ptr_nonnull(strstr(problem("llm/provider_rejected/d"), "again"));
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_STOPPED);
}
END_TEST

START_TEST(closing_a_stopped_dialog_removes_its_problem)
{
    reject(d, "no");
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    hr_turn(&hr, 0);
    ck_assert_ptr_null(problem("llm/provider_rejected/d"));
}
END_TEST

/* A problem of a closed dialog would never end, because a closed dialog can report no
 * success. */
START_TEST(a_rejection_of_a_closed_dialog_is_refused_and_raises_no_problem)
{
    reject(e, "no");
    ck_assert_int_eq(mcphost_dialog_close(d), 0);
    ck_assert_int_eq(mcphost_dialog_close(e), 0);
    ck_assert_int_eq(mcphost_dialog_report_rejection(d, "p", "no", 2), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_RUNNING);
    ck_assert_int_eq(mcphost_dialog_resume(e), MCPHOST_E_CLOSED);
    hr_turn(&hr, 0);
    ck_assert_ptr_null(problem("llm/provider_rejected/d"));
    ck_assert_ptr_null(problem("llm/provider_rejected/e"));
}
END_TEST

START_TEST(wrong_reports_are_refused)
{
    ck_assert_int_eq(mcphost_dialog_report_rejection(NULL, "p", "x", 1),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_report_rejection(d, NULL, "x", 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_report_rejection(d, "p", "\xff", 1),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_resume(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_report_success(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_dialog_get_run_state(d), MCPHOST_RUN_RUNNING);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "provider");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_rejected_request_stops_the_dialog_and_is_a_problem);
    tcase_add_test(tc, the_stop_reason_is_available_until_the_dialog_is_resumed);
    tcase_add_test(tc, a_rejection_that_concerns_no_tool_names_no_tool);
    tcase_add_test(tc, neither_time_nor_a_tool_call_resumes_a_stopped_dialog);
    tcase_add_test(tc, a_rejection_is_logged_as_an_error);
    tcase_add_test(tc, a_reported_success_clears_the_problem_of_its_dialog);
    tcase_add_test(tc, a_stopped_dialog_does_not_block_calls_of_other_dialogs);
    tcase_add_test(tc, reports_take_effect_in_their_order);
    tcase_add_test(tc, closing_a_stopped_dialog_removes_its_problem);
    tcase_add_test(tc, a_rejection_of_a_closed_dialog_is_refused_and_raises_no_problem);
    tcase_add_test(tc, wrong_reports_are_refused);
    tc = test_case(suite, "projected");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_reload_does_not_resume_a_stopped_dialog);
    tcase_add_test(tc, a_projected_name_in_an_error_is_mapped_to_its_tool);
    tcase_add_test(tc, an_index_in_an_error_counts_the_projected_tools);
}

int
main(void)
{
    return test_main("host-provider", add);
}
