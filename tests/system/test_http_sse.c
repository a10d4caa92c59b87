/* SPDX-License-Identifier: MIT
 *
 * test_http_sse.c - HTTP+SSE of MCP 2024-11-05: the policy that allows it, sessions on a
 * stream, and the loss of a stream.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/httprig.h"

#define ALL (MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP | MCPHOST_ALLOW_SSE)

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *d;

static void
entry(const char *id, const char *transport, const char *keys)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "\"%s\":\n  transport: %s\n  url: \"%s\"\n"
             "  transform: [{prefix: \"%s_\"}]\n%s%s",
             id, transport, web.url, id, keys ? "  " : "", keys ? keys : "");
    hr_entry(&hr, text);
}

/* Starts a host that reads the file itself, because only the host knows which
 * transports are allowed.  If `allowed` is 0, the default transports are allowed. */
static void
begin(int64_t allowed, const char *transport, const char *script)
{
    hr_up(&hr);
    if (allowed)
        hr_option(&hr, MCPHOST_OPT_TRANSPORTS, allowed);
    hr_web(&hr, &web, "web", script);
    entry("web", transport, NULL);
    hr_follow(&hr);
    hr_ready(&hr);
}

static void
up(const char *script)
{
    begin(ALL, "sse", script);
    hr_loaded(&hr, "web");
    d = hr_dialog(&hr, "d");
}

static void
expect_why(const char *part)
{
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    test_has(hr_server_why(&hr, "web"), part);
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "s3cret"));
}

/* ---- the policy -------------------------------------------------------------------- */

/* R7 K6 */
START_TEST(by_default_sse_is_refused_and_the_error_names_the_allowed_transports)
{
    begin(0, "sse", "old");
    expect_why("expected 'stdio' or 'streamable_http', found 'sse'");
    ck_assert_int_eq(hr_traced(&hr, "web", " connect"), 0);
    hr_down(&hr);
}
END_TEST

/* K6: if a server is declared without a file, the host checks the server's transport when
 * the server starts. */
START_TEST(a_server_declared_without_a_file_is_refused_if_sse_is_not_allowed)
{
    mcphost_config *config = NULL;
    mcphost_error *err = NULL;

    hr_up(&hr);
    if (_i == 1)
        hr_option(&hr, MCPHOST_OPT_TRANSPORTS, ALL);
    hr_web(&hr, &web, "web", "old");
    ck_assert_int_eq(mcphost_config_new_sse("web", web.url, NULL, NULL, &config, &err),
                     0);
    ck_assert_int_eq(mcphost_config_server_get_transport(config, 0),
                     MCPHOST_TRANSPORT_SSE);
    ck_assert_int_eq(mcphost_load(hr.host, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
    if (_i == 0) {
        expect_why("expected 'stdio' or 'streamable_http', found 'sse', which is not "
                   "allowed here");
        ck_assert_int_eq(hr_traced(&hr, "web", " connect"), 0);
    } else {
        ck_assert_int_eq(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
        ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "echo", "{\"text\":\"x\"}"),
                         "x");
    }
    hr_down(&hr);
}
END_TEST

START_TEST(a_refused_transport_is_named_in_the_error)
{
    begin(MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_SSE, "streamable_http", "old");
    expect_why("expected 'stdio' or 'sse', found 'streamable_http'");
    hr_down(&hr);
}
END_TEST

START_TEST(era_modern_is_refused_with_transport_sse)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_TRANSPORTS, ALL);
    hr_web(&hr, &web, "web", "old");
    entry("web", "sse", "era: modern");
    hr_follow(&hr);
    hr_ready(&hr);
    expect_why("expected 'auto' or 'legacy' with transport 'sse'");
    hr_down(&hr);
}
END_TEST

/* ---- a session --------------------------------------------------------------------- */

static const char *const shapes[] = {
    "old",
    "path /a/mcp\nold messages?session=s3cret-session", /* a relative endpoint */
    "old\nchunk 1",
    "old\nchunked off",
    "old\nversion 2024-11-05",
};

START_TEST(tools_are_listed_and_called)
{
    mcphost_call *calls[20];
    char arguments[64];

    up(shapes[_i]);
    ck_assert_ptr_nonnull(strstr(hr_tools(&hr, d), "web_echo web_add"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"gr\xc3\xbc\xc3\x9f\"}"),
                     "gr\xc3\xbc\xc3\x9f");
    for (int i = 0; i < 20; i++) {
        snprintf(arguments, sizeof(arguments), "{\"ms\":%d}", 60 - 2 * i);
        calls[i] = hr_start(&hr, d, "web_slow", arguments);
    }
    for (int i = 0; i < 20; i++)
        ck_assert_msg(hr_end(&hr, calls[i]) == 0, "%s", hr_why(calls[i]));
    calls[0] = hr_start(&hr, d, "web_boom", NULL);
    ck_assert_int_eq(hr_end(&hr, calls[0]), MCPHOST_E_RPC);
    ck_assert_int_eq(hr_traced(&hr, "web", "server/discover"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "h mcp-session-id"), 0);
    hr_close(&hr);
    ck_assert_int_eq(hr_traced(&hr, "web", "http DELETE"), 0);
    hr_clear(&hr);
}
END_TEST

/* The host sends the next request only after the server has accepted
 * notifications/initialized, because servers with the Python SDK refuse earlier
 * requests. */
START_TEST(no_request_overtakes_notifications_initialized)
{
    up("old\non initialized\n delay 40");
    ck_assert_int_eq(hr_traced(&hr, "web", " refused "), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(progress_and_change_notices_arrive_on_the_stream)
{
    mcphost_call *call;

    up("old\nset more\ntool echo\ntool new\non call:add\n answer\n use more\n changed");
    call = hr_call(&hr, d, "web_count", "{\"n\":5,\"ms\":1}");
    ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROGRESS, NULL, NULL, -1), 5);
    hr_say(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    hr_until(&hr, strstr(hr_tools(&hr, d), "web_new") != NULL);
    hr_down(&hr);
}
END_TEST

START_TEST(a_cancelled_call_is_cancelled_at_the_server)
{
    mcphost_call *call;

    up("old");
    call = hr_start(&hr, d, "web_slow", "{\"ms\":20000}");
    hr_until(&hr, hr_traced(&hr, "web", "\"name\":\"slow\"") == 1);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, hr_traced(&hr, "web", "notifications/cancelled") == 1);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    hr_down(&hr);
}
END_TEST

START_TEST(each_dialog_has_a_stream_of_its_own)
{
    up("old");
    hr_say(&hr, d, "web_echo", "{}"); /* leases the session that listed the tools */
    hr_say(&hr, hr_dialog(&hr, "e"), "web_echo", "{}");
    ck_assert_int_eq(hr_traced(&hr, "web", "http GET /mcp"), 2);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "web", NULL, 1), 2);
    hr_down(&hr);
}
END_TEST

START_TEST(credentials_go_with_stream_and_messages)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_TRANSPORTS, ALL);
    hr_web(&hr, &web, "web", "old\nbearer s3cret-token");
    entry("web", "sse", "headers: {Authorization: Bearer s3cret-token}");
    hr_follow(&hr);
    hr_ready(&hr);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "web_echo", "{\"text\":\"x\"}"),
                     "x");
    ck_assert_int_eq(hr_traced(&hr, "web", "refused Unauthorized"), 0);
    hr_down(&hr);
}
END_TEST

/* ---- the end of a session ---------------------------------------------------------- */

/* With HTTP+SSE, a session lasts as long as its stream. */
START_TEST(a_stream_that_ends_loses_the_session)
{
    mcphost_call *call;

    up(_i == 0 ? "old\non get\n stream\n raw event: endpoint\\ndata: "
                 "/messages?session=s3cret-session\\n\\n\n delay 300\n cut"
               : "old\non get\n stream\n raw event: endpoint\\ndata: "
                 "/messages?session=s3cret-session\\n\\n\n delay 300\n end");
    call = hr_start(&hr, d, "web_slow", "{\"ms\":20000}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TRANSPORT);
    ck_assert_ptr_null(strstr(hr_why(call), "s3cret"));
    ck_assert_msg(strstr(hr_why(call), "stream") || strstr(hr_why(call), "connection"),
                  "%s", hr_why(call));
    /* The next call starts another session. */
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_ge(hr_traced(&hr, "web", "http GET /mcp"), 2);
    ck_assert_int_eq(hr_traced(&hr, "web", "h last-event-id"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_refused_message_fails_only_its_call)
{
    mcphost_call *call;

    up("old\non call:add\n to here\n status 500\n body s3cret-session is not well");
    call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TRANSPORT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "500"));
    ck_assert_ptr_null(strstr(hr_why(call), "s3cret"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(hr_traced(&hr, "web", "http GET /mcp"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_404_the_next_call_opens_a_new_session)
{
    mcphost_call *call;

    up("old\non call:add 1\n to here\n status 404\n body no such session");
    call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TRANSPORT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "does not know its session"));
    ck_assert_str_eq(hr_say(&hr, d, "web_add", "{\"a\":1,\"b\":2}"), "3");
    ck_assert_int_eq(hr_traced(&hr, "web", "http GET /mcp"), 2);
    hr_down(&hr);
}
END_TEST

/* ---- answers that start no session ------------------------------------------------- */

static const struct {
    const char *get, *why;
} bad[] = {
    {"stream\n raw event: endpoint\\ndata: http://127.0.0.1:1/s3cret\\n\\n",
     "session endpoint of another origin"},
    {"stream\n raw event: endpoint\\ndata: //localhost/s3cret\\n\\n",
     "session endpoint of another origin"},
    {"stream\n raw event: endpoint\\ndata: javascript:s3cret\\n\\n", "endpoint"},
    {"stream\n raw event: endpoint\\ndata: /a b\\n\\n", "not a URL"},
    {"stream\n raw event: endpoint\\ndata:\\n\\n", "not a URL"},
    {"stream\n raw event: message\\ndata: {}\\n\\n\n end",
     "before it sent the session's endpoint"},
    {"stream\n cut", ""},
    {"status 404\n body nothing", "404"},
    {"status 500\n body nothing", "500"},
    {"body hello", "something other than an event stream"},
    {"header Content-Type: application/json\n body {}",
     "something other than an event stream"},
};

START_TEST(a_get_that_starts_no_session_fails_the_server_with_a_reason)
{
    char script[512];

    snprintf(script, sizeof(script), "old\non get\n %s", bad[_i].get);
    begin(ALL, "sse", script);
    expect_why(bad[_i].why);
    ck_assert_int_eq(hr_traced(&hr, "web", "\"method\":\"initialize\""), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_stream_without_an_endpoint_fails_at_the_start_timeout)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_TRANSPORTS, ALL);
    hr_option(&hr, MCPHOST_OPT_START_TIMEOUT, 300);
    hr_web(&hr, &web, "web",
           _i == 0 ? "old\non get\n stream\n comment hello"
                   : "old\non get\n delay 100000");
    entry("web", "sse", NULL);
    hr_follow(&hr);
    hr_ready(&hr);
    expect_why("within 300 ms");
    hr_down(&hr);
}
END_TEST

/* ---- HTTP+SSE after Streamable HTTP ------------------------------------------------ */

/* K6; MCP 2025-11-25, Backwards Compatibility */
START_TEST(after_a_405_to_initialize_sse_is_tried)
{
    begin(ALL, "streamable_http", "old");
    hr_loaded(&hr, "web");
    d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(hr_traced(&hr, "web", "http GET /mcp"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_405_sse_is_not_tried_if_it_is_not_allowed) /* K6 */
{
    begin(0, "streamable_http", "old");
    expect_why("405");
    ck_assert_int_eq(hr_traced(&hr, "web", "http GET /mcp"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(if_sse_fails_too_the_first_refusal_is_reported)
{
    static const char *const scripts[] = {
        "era legacy\nget off\non initialize\n status 400\n body no",
        "era legacy\non get\n status 500\non initialize\n status 404\n body no",
        "era legacy\non initialize\n status 405\n body no\non get\n stream\n cut",
    };
    static const char *const whys[] = {"400", "404", "405"};

    begin(ALL, "streamable_http", scripts[_i]);
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    ck_assert_msg(strstr(hr_server_why(&hr, "web"), whys[_i]), "%s",
                  hr_server_why(&hr, "web"));
    ck_assert_int_eq(hr_traced(&hr, "web", "http GET /mcp"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(after_refusals_of_other_kinds_sse_is_not_tried)
{
    static const char *const scripts[] = {
        "era legacy\non initialize\n status 401\n body no",
        "era legacy\non initialize\n status 500\n body no",
        "era legacy\non initialize\n status 400\n header Content-Type: application/json\n"
        " body {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":"
        "\"no\",\"data\":{\"supported\":[\"2031-01-01\"]}}}",
    };

    begin(ALL, "streamable_http", scripts[_i]);
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    ck_assert_int_eq(hr_traced(&hr, "web", "http GET /mcp"), 0);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "policy");

    tcase_add_test(tc,
                   by_default_sse_is_refused_and_the_error_names_the_allowed_transports);
    tcase_add_loop_test(
        tc, a_server_declared_without_a_file_is_refused_if_sse_is_not_allowed, 0, 2);
    tcase_add_test(tc, a_refused_transport_is_named_in_the_error);
    tcase_add_test(tc, era_modern_is_refused_with_transport_sse);

    tc = test_case(suite, "sessions on a stream");
    tcase_add_loop_test(tc, tools_are_listed_and_called, 0, MCPH_ARRAY_SIZE(shapes));
    tcase_add_test(tc, no_request_overtakes_notifications_initialized);
    tcase_add_test(tc, progress_and_change_notices_arrive_on_the_stream);
    tcase_add_test(tc, a_cancelled_call_is_cancelled_at_the_server);
    tcase_add_test(tc, each_dialog_has_a_stream_of_its_own);
    tcase_add_test(tc, credentials_go_with_stream_and_messages);
    tcase_add_loop_test(tc, a_stream_that_ends_loses_the_session, 0, 2);
    tcase_add_test(tc, a_refused_message_fails_only_its_call);
    tcase_add_test(tc, after_a_404_the_next_call_opens_a_new_session);

    tc = test_case(suite, "no session");
    tcase_add_loop_test(tc, a_get_that_starts_no_session_fails_the_server_with_a_reason,
                        0, MCPH_ARRAY_SIZE(bad));
    tcase_add_test(tc, a_stream_without_an_endpoint_fails_at_the_start_timeout);

    tc = test_case(suite, "falling back");
    tcase_add_test(tc, after_a_405_to_initialize_sse_is_tried);
    tcase_add_test(tc, after_a_405_sse_is_not_tried_if_it_is_not_allowed);
    tcase_add_loop_test(tc, if_sse_fails_too_the_first_refusal_is_reported, 0, 3);
    tcase_add_loop_test(tc, after_refusals_of_other_kinds_sse_is_not_tried, 0, 3);
}

int
main(void)
{
    return test_main("http-sse", add);
}
