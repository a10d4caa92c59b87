/* SPDX-License-Identifier: MIT
 *
 * test_host_handles.c - small functions of the handles: ids, user data, references,
 * options, identity, verdicts, items of results.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;

static void
up(const char *keys, const char *script)
{
    hr_up(&hr);
    hr_server(&hr, "a", keys, script);
}

START_TEST(the_librarys_version_equals_the_version_of_the_headers)
{
    ck_assert_str_eq(mcphost_version(), MCPHOST_VERSION_STRING);
    ck_assert_uint_eq(mcphost_version_number(), MCPHOST_VERSION_NUMBER);
}
END_TEST

START_TEST(this_library_has_all_parts)
{
    for (int part = MCPHOST_PART_HTTP; part <= MCPHOST_PART_PLUGINS; part++)
        ck_assert_int_eq(mcphost_has_part(part), 1);
    ck_assert_int_eq(mcphost_has_part(0), 0);
    ck_assert_int_eq(mcphost_has_part(MCPHOST_PART_PLUGINS + 1), 0);
}
END_TEST

START_TEST(options_can_be_read_back_and_bad_options_are_refused)
{
    int64_t value = 0;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_get_option(hr.host, MCPHOST_OPT_CALL_TIMEOUT, &value), 0);
    ck_assert_int_eq(value, 60000);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_CALL_TIMEOUT, 5), 0);
    ck_assert_int_eq(mcphost_get_option(hr.host, MCPHOST_OPT_CALL_TIMEOUT, &value), 0);
    ck_assert_int_eq(value, 5);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_CALL_TIMEOUT, -2),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_option(hr.host, 9999, 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_get_option(hr.host, 0, &value), MCPHOST_E_INVALID);
    hr_load_only(&hr);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_CALL_TIMEOUT, 5),
                     MCPHOST_E_STATE);
    hr_down(&hr);
}
END_TEST

/* The host reads MCPHOST_OPT_TEXT_SPILL anew at each use. */
START_TEST(a_late_option_can_be_set_after_the_load)
{
    int64_t value = 0;

    hr_up(&hr);
    hr_load_only(&hr);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_TEXT_SPILL, 9000), 0);
    ck_assert_int_eq(mcphost_get_option(hr.host, MCPHOST_OPT_TEXT_SPILL, &value), 0);
    ck_assert_int_eq(value, 9000);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_TEXT_SPILL, 9000),
                     MCPHOST_E_CLOSED);
    hr_down(&hr);
}
END_TEST

/* R19: the handshake sends the application's name, version and title to the server. */
START_TEST(the_handshake_sends_the_identity_that_was_set)
{
    up(NULL, "era legacy");
    ck_assert_int_eq(mcphost_set_identity(hr.host, "", "1", NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_identity(hr.host, "tester", "7.5", "A Tester"), 0);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_set_identity(hr.host, "late", "1", NULL), MCPHOST_E_STATE);
    ck_assert_int_gt(rig_workspace_count(&hr.ws, "a.trace", "\"name\":\"tester\""), 0);
    ck_assert_int_gt(rig_workspace_count(&hr.ws, "a.trace", "\"version\":\"7.5\""), 0);
    ck_assert_int_gt(rig_workspace_count(&hr.ws, "a.trace", "\"title\":\"A Tester\""), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(dialogs_and_calls_keep_ids_and_user_data)
{
    mcphost_dialog *dialog;
    mcphost_call *call;
    int mine = 0;

    up(NULL, NULL);
    hr_load(&hr);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(hr.host), "child", "root", &dialog, NULL),
        0);
    ck_assert_str_eq(mcphost_dialog_get_id(dialog), "child");
    ck_assert_str_eq(mcphost_dialog_get_root_id(dialog), "root");
    ck_assert_ptr_null(mcphost_dialog_get_user_data(dialog));
    mcphost_dialog_set_user_data(dialog, &mine);
    ck_assert_ptr_eq(mcphost_dialog_get_user_data(dialog), &mine);
    call = hr_call(&hr, dialog, "a_echo", NULL);
    mcphost_call_set_user_data(call, &mine);
    ck_assert_ptr_eq(mcphost_call_get_user_data(call), &mine);
    ck_assert_str_eq(mcphost_call_get_dialog_id(call), "child");
    ck_assert_str_eq(mcphost_tool_get_original_name(mcphost_call_get_tool(call)), "echo");
    /* The dialog has two references.  The dialog stays open until the last reference is
     * dropped. */
    ck_assert_ptr_eq(mcphost_dialog_ref(dialog), dialog);
    mcphost_dialog_unref(dialog);
    ck_assert_int_eq(mcphost_call_start(call, NULL, NULL, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    mcphost_dialog_unref(dialog);
    hr_down(&hr);
}
END_TEST

START_TEST(members_of_meta_are_sent_with_the_call)
{
    mcphost_error *err = NULL;
    mcphost_call *call;

    up(NULL, NULL);
    hr_load(&hr);
    call = hr_call(&hr, hr_dialog(&hr, "d"), "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_set_meta(call, "[1]", 3, &err), MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "_meta"));
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_call_set_meta(call, "{\"x/y\":{\"z\":1}}", 15, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(mcphost_call_set_meta(call, "{}", 2, NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_gt(rig_workspace_count(&hr.ws, "a.trace", "\"x/y\":{\"z\":1}"), 0);
    hr_down(&hr);
}
END_TEST

#define RICH                                                                            \
    "on call:echo\n result {\"content\":[{\"type\":\"text\",\"text\":\"a\\n\\u00e9\"}," \
    "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AA==\"},"                \
    "{\"type\":\"later\",\"x\":1e400}],\"structuredContent\":null,\"isError\":false,"   \
    "\"resultType\":\"complete\"}"

/* R74: a result has the items in the server's order.  Each item has the server's own
 * bytes. */
START_TEST(a_result_gives_its_items_in_order_and_its_bytes)
{
    mcphost_result *result;
    mcphost_call *call;
    const char *text;
    size_t len;

    up(NULL, RICH);
    hr_load(&hr);
    call = hr_start(&hr, hr_dialog(&hr, "d"), "a_echo", NULL);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    result = mcphost_result_ref(mcphost_call_get_result(call));
    ck_assert_int_eq(mcphost_result_is_error(result), 0);
    ck_assert_uint_eq(mcphost_result_count_items(result), 3);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 0), MCPHOST_CONTENT_TEXT);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 1), MCPHOST_CONTENT_IMAGE);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 2), MCPHOST_CONTENT_UNKNOWN);
    ck_assert_int_eq(mcphost_result_item_get_text(result, 0, &text, &len), 0);
    ck_assert_uint_eq(len, 4);
    ck_assert_mem_eq(text, "a\n\xc3\xa9", 4);
    ck_assert_int_eq(mcphost_result_item_get_text(result, 1, &text, &len),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(mcphost_result_item_get_mime_type(result, 1), "image/png");
    ck_assert_ptr_null(mcphost_result_item_get_mime_type(result, 0));
    text = mcphost_result_item_get_json(result, 2, &len);
    ck_assert_mem_eq(text, "{\"type\":\"later\",\"x\":1e400}", len);
    ck_assert_ptr_null(mcphost_result_item_get_json(result, 3, &len));
    text = mcphost_result_get_structured(result, &len);
    ck_assert_uint_eq(len, 4);
    ck_assert_mem_eq(text, "null", 4);
    mcphost_result_unref(result);
    hr_down(&hr);
}
END_TEST

static int levels, unknown_totals;

static void
look_at_event(struct hostrig *rig, const mcphost_event *event)
{
    const char *level = mcphost_event_get_level(event);

    (void)rig;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_LOG && level)
        levels += strcmp(level, "info") == 0;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_PROGRESS) {
        ck_assert_ptr_nonnull(mcphost_event_get_call(event));
        unknown_totals += isnan(mcphost_event_get_total(event)) != 0;
    }
}

START_TEST(log_events_have_a_level_and_progress_events_have_their_call)
{
    mcphost_call *call;

    up(NULL, "on call:echo\n log info \"hello\"\n progress 1\n text done");
    hr.on_event = look_at_event;
    hr_load(&hr);
    call = hr_call(&hr, hr_dialog(&hr, "d"), "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(levels, 1);
    ck_assert_int_eq(unknown_totals, 1);
    hr_down(&hr);
}
END_TEST

START_TEST(handles_stay_valid_until_the_last_reference_is_dropped)
{
    mcphost_status *status;
    mcphost_lease *lease;
    mcphost_dialog *d;

    up(NULL, NULL);
    hr_load(&hr);
    ck_assert_ptr_eq(mcphost_ref(hr.host), hr.host);
    mcphost_unref(hr.host);
    d = hr_dialog(&hr, "d");
    hr_say(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_dialog_get_lease(d, "a", &lease), 0);
    ck_assert_ptr_eq(mcphost_lease_ref(lease), lease);
    mcphost_lease_unref(lease);
    ck_assert_str_eq(mcphost_lease_get_server_id(lease), "a");
    mcphost_lease_unref(lease);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_ptr_eq(mcphost_status_ref(status), status);
    mcphost_status_unref(status);
    ck_assert_uint_eq(mcphost_status_count_leases(status), 1);
    mcphost_status_unref(status);
    hr_down(&hr);
}
END_TEST

/* R117 R118 */
START_TEST(a_problem_has_a_kind_and_times)
{
    mcphost_problems *problems;
    mcphost_problem *problem;

    up("tools: {blacklist: [add]}", NULL);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    ck_assert_ptr_eq(mcphost_problems_ref(problems), problems);
    mcphost_problems_unref(problems);
    ck_assert_uint_ge(mcphost_problems_get_version(problems), 1);
    problem = mcphost_problems_find(problems, "mcp/server/a/tool_blacklisted/add");
    ck_assert_ptr_nonnull(problem);
    ck_assert_str_eq(mcphost_problem_get_kind(problem), "mcp_tool_blacklisted");
    ck_assert_int_gt(mcphost_problem_get_first_seen_ms(problem), 0);
    ck_assert_int_ge(mcphost_problem_get_last_seen_ms(problem),
                     mcphost_problem_get_first_seen_ms(problem));
    mcphost_problems_unref(problems);
    hr_down(&hr);
}
END_TEST

START_TEST(the_librarys_thread_dispatches_while_the_caller_waits)
{
    mcphost_call *call;

    up(NULL, NULL);
    hr_load(&hr);
    call = hr_call(&hr, hr_dialog(&hr, "d"), "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(mcphost_thread_stop(hr.host), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    ck_assert_int_eq(mcphost_thread_start(hr.host), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_call_start(call, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_wait(call, 5000), 1);
    ck_assert_str_eq(hr_text(&hr, call), "hi");
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_down(&hr);
}
END_TEST

static const char salt[] = "sixteen bytes or more";

/* Makes another host with the verdicts `json`, loads the same workspace in the new host
 * and ends the new host. */
static void
run_again(const char *json, size_t len)
{
    mcphost_config *config;
    char guard[4200];
    mcphost *host;

    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    ck_assert_int_eq(mcphost_new(&host, NULL), 0);
    ck_assert_int_eq(mcphost_set_guard_path(host, guard), 0);
    ck_assert_int_eq(mcphost_set_verdicts(host, salt, sizeof(salt), "{", 1),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_verdicts(host, salt, sizeof(salt), json, len), 0);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(host, config), 0);
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_wait_ready(host, 5000), 1);
    mcphost_unref(host);
}

/* The verdicts of the first host say that the server has the legacy era.  The second host
 * therefore begins with initialize. */
START_TEST(a_host_with_the_verdicts_of_another_host_sends_no_probe)
{
    char *json;
    size_t len;

    up(NULL, "era legacy");
    hr_load(&hr);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, "short", 5, &json, &len),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, sizeof(salt), &json, &len), 0);
    ck_assert_ptr_nonnull(strstr(json, "\"legacy\""));
    ck_assert_ptr_nonnull(strstr(json, "2025-11-25"));
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "server/discover"), 1);
    run_again(json, len);
    mcphost_free(json);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "server/discover"), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"initialize\""), 2);
    hr_down(&hr);
}
END_TEST

/* The server never answers the probe.  The host waits for the answer once.  At later
 * starts of the server the host sends no probe. */
START_TEST(a_server_that_ignores_the_probe_is_probed_only_once)
{
    char *json;
    size_t len;

    up(NULL, "on discover");
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_PROBE_TIMEOUT, 50), 0);
    hr_load(&hr);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "one"), "a_echo", "{\"text\":\"x\"}"),
                     "x");
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "two"), "a_echo", "{\"text\":\"y\"}"),
                     "y");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "server/discover"), 1);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, sizeof(salt), &json, &len), 0);
    ck_assert_ptr_nonnull(strstr(json, "\"legacy\""));
    run_again(json, len);
    mcphost_free(json);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "server/discover"), 1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "handles");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, the_librarys_version_equals_the_version_of_the_headers);
    tcase_add_test(tc, this_library_has_all_parts);
    tcase_add_test(tc, options_can_be_read_back_and_bad_options_are_refused);
    tcase_add_test(tc, a_late_option_can_be_set_after_the_load);
    tcase_add_test(tc, the_handshake_sends_the_identity_that_was_set);
    tcase_add_test(tc, dialogs_and_calls_keep_ids_and_user_data);
    tcase_add_test(tc, members_of_meta_are_sent_with_the_call);
    tcase_add_test(tc, a_result_gives_its_items_in_order_and_its_bytes);
    tcase_add_test(tc, log_events_have_a_level_and_progress_events_have_their_call);
    tcase_add_test(tc, handles_stay_valid_until_the_last_reference_is_dropped);
    tcase_add_test(tc, a_problem_has_a_kind_and_times);
    tcase_add_test(tc, the_librarys_thread_dispatches_while_the_caller_waits);
    tcase_add_test(tc, a_host_with_the_verdicts_of_another_host_sends_no_probe);
    tcase_add_test(tc, a_server_that_ignores_the_probe_is_probed_only_once);
}

int
main(void)
{
    return test_main("host-handles", add);
}
