/* SPDX-License-Identifier: MIT
 *
 * test_http_servers.c - well-behaved HTTP servers in both eras: every form of answer,
 * sessions, resumed streams and headers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/httprig.h"

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *d;

static void
up_with(const char *keys, const char *script)
{
    hr_up(&hr);
    hr_http(&hr, &web, "web", keys, script);
    hr_load(&hr);
    hr_loaded(&hr, "web");
    d = hr_dialog(&hr, "d");
}

static void
up(const char *script)
{
    up_with(NULL, script);
}

/* ---- every form of answer ---------------------------------------------------------- */

static const char *const shapes[] = {
    "era modern",
    "era modern\nreply sse",
    "era modern\nreply json",
    "era modern\nchunk 7",
    "era modern\nreply sse\nchunked off",
    "era modern\nreply sse\nchunk 1",
    "era legacy",
    "era legacy\nreply sse",
    "era legacy\nreply json",
    "era legacy\nsessions off",
    "era legacy\nget off",
    "era legacy\nresumable 20",
    "era legacy\nresumable\nreply sse\nchunk 1",
    "era legacy\nsessions off\nget off\nreply sse\nchunked off",
    "era dual\nlisten both",
    "era dual\nlisten 6",
};

/* R20 */
START_TEST(tools_are_listed_and_called)
{
    mcphost_call *call;

    up(shapes[_i]);
    ck_assert_ptr_nonnull(strstr(hr_tools(&hr, d), "web_echo web_add web_slow"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"gr\xc3\xbc\xc3\x9f dich\"}"),
                     "gr\xc3\xbc\xc3\x9f dich");
    ck_assert_str_eq(hr_say(&hr, d, "web_add", "{\"a\":40,\"b\":2}"), "42");
    call = hr_start(&hr, d, "web_fail", NULL);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_result_is_error(mcphost_call_get_result(call)), 1);
    call = hr_start(&hr, d, "web_boom", NULL);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "boom"));
    hr_down(&hr);
}
END_TEST

START_TEST(a_large_result_arrives_whole)
{
    mcphost_call *call;
    size_t len;

    up(strstr(shapes[_i], "chunk 1") ? "era modern\nchunk 1000" : shapes[_i]);
    call = hr_start(&hr, d, "web_big", "{\"bytes\":3000000}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(mcphost_result_get_json(mcphost_call_get_result(call), &len));
    ck_assert_uint_gt(len, 3000000);
    hr_down(&hr);
}
END_TEST

static bool
tells_progress(const char *shape)
{
    return !strstr(shape, "reply json");
}

START_TEST(progress_comes_before_the_result)
{
    mcphost_call *call;

    up(shapes[_i]);
    call = hr_call(&hr, d, "web_count", "{\"n\":5,\"ms\":1}");
    ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "counted to 5");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROGRESS, NULL, NULL, -1),
                     tells_progress(shapes[_i]) ? 5 : 0);
    hr_down(&hr);
}
END_TEST

/* R22 */
START_TEST(fifty_calls_at_once_get_their_own_answers)
{
    mcphost_call *calls[50];
    char arguments[64], text[64];

    up(shapes[_i]);
    hr_say(&hr, d, "web_echo", "{\"text\":\"first\"}");
    for (int i = 0; i < 50; i++) {
        snprintf(arguments, sizeof(arguments), "{\"ms\":%d}", 200 - i * 4);
        calls[i] = hr_start(&hr, d, "web_slow", arguments);
    }
    for (int i = 0; i < 50; i++) {
        snprintf(text, sizeof(text), "slept %d ms", 200 - i * 4);
        ck_assert_int_eq(hr_end(&hr, calls[i]), 0);
        ck_assert_str_eq(hr_text(&hr, calls[i]), text);
    }
    hr_down(&hr);
}
END_TEST

START_TEST(a_change_notice_updates_the_list_of_tools)
{
    char script[512];

    if (strstr(shapes[_i], "get off")) /* no stream carries the notification */
        return;
    snprintf(
        script, sizeof(script),
        "%s\nset more\ntool echo\ntool new\non call:add\n answer\n use more\n changed",
        shapes[_i]);
    up_with("truely-stateless: true", script);
    hr_until(&hr, hr_traced(&hr, "web",
                            strstr(shapes[_i], "legacy") ? "http GET"
                                                         : "subscriptions/listen") > 0);
    hr_turn(&hr, 30);
    hr_say(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    hr_until(&hr, strstr(hr_tools(&hr, NULL), "web_new") != NULL);
    ck_assert_str_eq(hr_say(&hr, d, "web_new", "{\"text\":\"x\"}"), "x");
    hr_down(&hr);
}
END_TEST

START_TEST(a_cancelled_call_is_cancelled_at_the_server)
{
    bool legacy = strstr(shapes[_i], "legacy") != NULL;
    mcphost_call *call;

    up(shapes[_i]);
    hr_say(&hr, d, "web_echo", "{}");
    call = hr_start(&hr, d, "web_slow", "{\"ms\":20000}");
    hr_until(&hr, hr_traced(&hr, "web", "\"slow\"") > 0);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    if (legacy)
        hr_until(&hr, hr_traced(&hr, "web", "notifications/cancelled") == 1);
    else
        hr_until(&hr, hr_traced(&hr, "web", "gone /mcp") >= 1);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"on\"}"), "on");
    hr_down(&hr);
}
END_TEST

/* ---- the legacy era ---------------------------------------------------------------- */

START_TEST(requests_carry_the_session_id_and_close_deletes_the_session)
{
    up("era legacy");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    hr_close(&hr);
    ck_assert_int_gt(hr_traced(&hr, "web", "h mcp-session-id: session-1-secret"), 2);
    ck_assert_int_eq(hr_traced(&hr, "web", "http DELETE /mcp"),
                     hr_traced(&hr, "web", "\"method\":\"initialize\""));
    ck_assert_int_eq(hr_traced(&hr, "web", "refused Session"), 0);
    hr_clear(&hr);
}
END_TEST

START_TEST(each_dialog_has_a_session_of_its_own)
{
    mcphost_dialog *other;

    up("era legacy");
    hr_say(&hr, d, "web_echo", "{}");
    other = hr_dialog(&hr, "other");
    hr_say(&hr, other, "web_echo", "{}");
    ck_assert_int_gt(hr_traced(&hr, "web", "h mcp-session-id: session-2-secret"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_lost_session_is_replaced_by_a_new_one)
{
    int begun;

    up("era legacy\non call:add\n forget\n answer");
    hr_say(&hr, d, "web_add", "{\"a\":1,\"b\":1}");
    begun = hr_traced(&hr, "web", "\"method\":\"initialize\"");
    /* This call can fail, because the session is lost.  The host does not send the
     * call again. */
    hr_end(&hr, hr_start(&hr, d, "web_echo", "{\"text\":\"lost?\"}"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"here\"}"), "here");
    ck_assert_int_gt(hr_traced(&hr, "web", "\"method\":\"initialize\""), begun);
    hr_down(&hr);
}
END_TEST

START_TEST(a_session_lost_during_a_call_fails_it_and_later_calls_succeed)
{
    mcphost_call *call;

    up("era legacy\non call:add\n stream\n forget\n cut");
    call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":1}");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'web'"));
    hr_end(&hr, hr_start(&hr, d, "web_echo", "{\"text\":\"lost?\"}"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"here\"}"), "here");
    hr_down(&hr);
}
END_TEST

START_TEST(calls_succeed_again_after_a_restart_of_the_server)
{
    static const char *const eras[] = {"era legacy", "era modern"};

    up(eras[_i]);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"a\"}"), "a");
    http_again(&web);
    hr_end(&hr, hr_start(&hr, d, "web_echo", "{\"text\":\"lost?\"}"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"b\"}"), "b");
    hr_down(&hr);
}
END_TEST

START_TEST(a_broken_stream_is_resumed_with_last_event_id)
{
    up("era legacy\nresumable 30\non call:add\n stream\n cut\n delay 20\n answer");
    ck_assert_str_eq(hr_say(&hr, d, "web_add", "{\"a\":20,\"b\":1}"), "21");
    ck_assert_int_eq(hr_traced(&hr, "web", "h last-event-id: "), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_stream_that_breaks_repeatedly_is_resumed_each_time)
{
    mcphost_call *call;

    up("era legacy\nresumable 5\non call:add\n progress 1 3\n cut\n delay 80\n"
       " progress 2 3\n cut\n delay 80\n progress 3 3\n cut\n delay 80\n answer");
    call = hr_call(&hr, d, "web_add", "{\"a\":20,\"b\":2}");
    ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    hr_go(call);
    ck_assert_msg(hr_end(&hr, call) == 0, "%s", hr_why(call));
    ck_assert_str_eq(hr_text(&hr, call), "22");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROGRESS, NULL, NULL, -1), 3);
    hr_down(&hr);
}
END_TEST

START_TEST(a_call_that_cannot_be_resumed_fails_and_is_not_sent_again)
{
    mcphost_call *call;

    up("era legacy\nresumable 5\non call:add\n stream\n cut\n"
       "on resume\n status 404\n body no such event");
    call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'web'"));
    /* The host does not send the call again, because the server may have run the call. */
    ck_assert_int_eq(hr_traced(&hr, "web", "\"name\":\"add\""), 1);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    hr_down(&hr);
}
END_TEST

START_TEST(a_broken_get_stream_of_a_session_is_opened_again)
{
    up_with("truely-stateless: true", "era legacy\nresumable 20\nset more\ntool new\n"
                                      "on get 1\n stream\n delay 50\n cut\n"
                                      "on call:add\n answer\n use more\n changed");
    hr_until(&hr, hr_traced(&hr, "web", "http GET") >= 2);
    hr_turn(&hr, 30);
    hr_say(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    hr_until(&hr, strstr(hr_tools(&hr, NULL), "web_new") != NULL);
    hr_down(&hr);
}
END_TEST

START_TEST(a_ping_of_the_server_is_answered)
{
    up("era legacy\non get\n stream\n delay 20\n request ping");
    hr_until(&hr, hr_traced(&hr, "web", "\"srv-1\"") >= 1);
    ck_assert_int_ge(hr_traced(&hr, "web", "\"result\":{}"), 1);
    hr_down(&hr);
}
END_TEST

/* ---- the modern era ---------------------------------------------------------------- */

START_TEST(modern_requests_carry_method_name_and_parameter_headers)
{
    up("era modern\ntool-json {\"name\":\"place\",\"inputSchema\":{\"type\":\"object\","
       "\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
       "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"Count\"}}}}");
    hr_say(&hr, d, "web_place", "{\"region\":\"Z\xc3\xbcrich\",\"n\":-7}");
    ck_assert_int_ge(hr_traced(&hr, "web", "h mcp-protocol-version: 2026-07-28"), 3);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-method: tools/call"), 1);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-name: place"), 1);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-param-region: =?base64?WsO8cmljaA==?="),
                     1);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-param-count: -7"), 1);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-session-id"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "http GET"), 0);
    hr_close(&hr);
    ck_assert_int_eq(hr_traced(&hr, "web", "http DELETE"), 0);
    hr_clear(&hr);
}
END_TEST

START_TEST(a_tool_with_a_bad_header_is_dropped)
{
    up("era modern\ntool-json {\"name\":\"bad\",\"inputSchema\":{\"type\":\"object\","
       "\"properties\":{\"x\":{\"type\":\"number\",\"x-mcp-header\":\"X\"}}}}");
    ck_assert_ptr_null(strstr(hr_tools(&hr, d), "web_bad"));
    ck_assert_ptr_nonnull(strstr(hr_tools(&hr, d), "web_echo"));
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/web/tool_invalid/bad"));
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_header_mismatch_the_list_is_read_and_the_call_sent_once_more)
{
    int lists;

    up("era modern\non call:add 1\n status 400\n error -32020 header mismatch");
    lists = hr_traced(&hr, "web", "\"method\":\"tools/list\"");
    ck_assert_str_eq(hr_say(&hr, d, "web_add", "{\"a\":1,\"b\":2}"), "3");
    ck_assert_int_gt(hr_traced(&hr, "web", "\"method\":\"tools/list\""), lists);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-name: add"), 2);
    hr_down(&hr);
}
END_TEST

START_TEST(a_second_header_mismatch_fails_the_call)
{
    mcphost_call *call;

    up("era modern\non call:add\n status 400\n error -32020 header mismatch");
    call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "header mismatch"));
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-name: add"), 2);
    hr_down(&hr);
}
END_TEST

START_TEST(one_subscription_serves_all_dialogs)
{
    up("era modern");
    for (int i = 0; i < 5; i++) {
        char id[8];

        snprintf(id, sizeof(id), "d%d", i);
        hr_say(&hr, hr_dialog(&hr, id), "web_echo", "{}");
    }
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-method: subscriptions/listen"), 1);
    hr_down(&hr);
}
END_TEST

/* ---- the configuration ------------------------------------------------------------- */

/* R17 */
START_TEST(headers_of_the_configuration_go_with_every_request)
{
    static const char *const environment[] = {"PLACE=somewhere", "TOKEN=s3cret", NULL};

    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_environment(hr.host, environment), 0);
    hr_http(&hr, &web, "web",
            "headers:\n  X-Literal: plain\n  X-Place: {env: PLACE}\n"
            "  Authorization: {prefix: 'Bearer ', env: TOKEN}",
            "era legacy\nbearer s3cret");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    hr_close(&hr);
    ck_assert_int_eq(hr_traced(&hr, "web", "h x-literal: plain"),
                     hr_traced(&hr, "web", " http "));
    ck_assert_int_eq(hr_traced(&hr, "web", "h x-place: somewhere"),
                     hr_traced(&hr, "web", " http "));
    ck_assert_int_eq(hr_traced(&hr, "web", "refused Unauthorized"), 0);
    hr_clear(&hr);
}
END_TEST

/* R17 */
START_TEST(headers_of_the_configuration_do_not_override_protocol_headers)
{
    up_with("headers:\n  Content-Type: text/plain\n  mcp-method: nothing\n"
            "  MCP-Protocol-Version: '1999-01-01'\n  X-Kept: 'yes'",
            "era modern");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(hr_traced(&hr, "web", "text/plain"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "1999"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-method: nothing"), 0);
    ck_assert_int_gt(hr_traced(&hr, "web", "h x-kept: yes"), 0);
    hr_down(&hr);
}
END_TEST

/* R17 */
START_TEST(a_missing_variable_of_a_header_fails_that_server)
{
    hr_up(&hr);
    hr_http(&hr, &web, "web", "headers:\n  X-Key: {env: MCPH_TEST_NOT_SET}", NULL);
    hr_server(&hr, "good", NULL, NULL);
    hr_load(&hr);
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "web"), "MCPH_TEST_NOT_SET"));
    ck_assert_int_eq(hr_traced(&hr, "web", "connect"), 0);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "good_echo", "{\"text\":\"x\"}"),
                     "x");
    hr_down(&hr);
}
END_TEST

#define INITIALIZE "\"method\":\"initialize\""
#define UNKNOWN    "mcp/server/web/session_unknown"

/* R20 */
START_TEST(a_configured_session_is_used_without_a_handshake)
{
    up_with("sessionId: given-by-hand", "era legacy\nsession given-by-hand");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(hr_traced(&hr, "web", INITIALIZE), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "server/discover"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "notifications/initialized"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-protocol-version"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-session-id: given-by-hand"),
                     hr_traced(&hr, "web", " http "));
    ck_assert_ptr_null(hr_problem(&hr, UNKNOWN));
    hr_down(&hr);
}
END_TEST

/* R20: another program owns the session. */
START_TEST(a_configured_session_is_not_ended)
{
    up_with("sessionId: given-by-hand", "era legacy\nsession given-by-hand");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    hr_close(&hr);
    ck_assert_int_eq(hr_traced(&hr, "web", "http DELETE"), 0);
    hr_clear(&hr);
}
END_TEST

/* R20 */
START_TEST(a_configured_session_that_is_unknown_costs_one_initialize_and_a_problem)
{
    up_with("sessionId: given-by-hand", "era legacy");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(hr_traced(&hr, "web", "server/discover"), 0);
    ck_assert_ptr_nonnull(strstr(hr_problem(&hr, UNKNOWN), "'sessionId'"));
    ck_assert_ptr_null(strstr(hr_problem(&hr, UNKNOWN), "given-by-hand"));
    ck_assert_int_eq(hr_severity(&hr, UNKNOWN), MCPHOST_SEVERITY_WARNING);
    hr_down(&hr);
}
END_TEST

/* R20: if `truely-stateless` is set, all dialogs share one connection, so that the host
 * has only one session to replace. */
START_TEST(a_configured_session_that_ends_is_replaced_once)
{
    up_with("sessionId: given-by-hand\ntruely-stateless: true",
            "era legacy\nsession given-by-hand\non call:echo\n answer\n forget");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"y\"}"), "y");
    ck_assert_int_eq(hr_traced(&hr, "web", INITIALIZE), 1);
    ck_assert_ptr_nonnull(hr_problem(&hr, UNKNOWN));
    hr_down(&hr);
}
END_TEST

/* R20 */
START_TEST(an_empty_session_id_is_ignored)
{
    up_with("sessionId: ''", "era legacy\nsessions off");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-session-id"), 0);
    hr_down(&hr);
}
END_TEST

/* R7 */
START_TEST(another_transport_is_an_error_that_names_the_allowed_transports)
{
    hr_up(&hr);
    hr_entry(&hr, "old:\n  transport: sse\n  url: http://127.0.0.1:1/sse");
    hr_http(&hr, &web, "web", NULL, NULL);
    hr_load(&hr);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "old"), "streamable_http"));
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "old"), "stdio"));
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "web_echo", "{\"text\":\"x\"}"),
                     "x");
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "shapes");
    int n = (int)(sizeof(shapes) / sizeof(shapes[0]));

    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, tools_are_listed_and_called, 0, n);
    tcase_add_loop_test(tc, a_large_result_arrives_whole, 0, n);
    tcase_add_loop_test(tc, progress_comes_before_the_result, 0, n);
    tcase_add_loop_test(tc, fifty_calls_at_once_get_their_own_answers, 0, n);
    tcase_add_loop_test(tc, a_change_notice_updates_the_list_of_tools, 0, n);
    tcase_add_loop_test(tc, a_cancelled_call_is_cancelled_at_the_server, 0, n);

    tc = test_case(suite, "legacy");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, requests_carry_the_session_id_and_close_deletes_the_session);
    tcase_add_test(tc, each_dialog_has_a_session_of_its_own);
    tcase_add_test(tc, a_lost_session_is_replaced_by_a_new_one);
    tcase_add_test(tc, a_session_lost_during_a_call_fails_it_and_later_calls_succeed);
    tcase_add_loop_test(tc, calls_succeed_again_after_a_restart_of_the_server, 0, 2);
    tcase_add_test(tc, a_broken_stream_is_resumed_with_last_event_id);
    tcase_add_test(tc, a_stream_that_breaks_repeatedly_is_resumed_each_time);
    tcase_add_test(tc, a_call_that_cannot_be_resumed_fails_and_is_not_sent_again);
    tcase_add_test(tc, a_broken_get_stream_of_a_session_is_opened_again);
    tcase_add_test(tc, a_ping_of_the_server_is_answered);

    tc = test_case(suite, "modern");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, modern_requests_carry_method_name_and_parameter_headers);
    tcase_add_test(tc, a_tool_with_a_bad_header_is_dropped);
    tcase_add_test(tc,
                   after_a_header_mismatch_the_list_is_read_and_the_call_sent_once_more);
    tcase_add_test(tc, a_second_header_mismatch_fails_the_call);
    tcase_add_test(tc, one_subscription_serves_all_dialogs);

    tc = test_case(suite, "configuration");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, headers_of_the_configuration_go_with_every_request);
    tcase_add_test(tc, headers_of_the_configuration_do_not_override_protocol_headers);
    tcase_add_test(tc, a_missing_variable_of_a_header_fails_that_server);
    tcase_add_test(tc, a_configured_session_is_used_without_a_handshake);
    tcase_add_test(tc, a_configured_session_is_not_ended);
    tcase_add_test(
        tc, a_configured_session_that_is_unknown_costs_one_initialize_and_a_problem);
    tcase_add_test(tc, a_configured_session_that_ends_is_replaced_once);
    tcase_add_test(tc, an_empty_session_id_is_ignored);
    tcase_add_test(tc, another_transport_is_an_error_that_names_the_allowed_transports);
}

int
main(void)
{
    return test_main("http-servers", add);
}
