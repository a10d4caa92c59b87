/* SPDX-License-Identifier: MIT
 *
 * test_transport_http.c - messages over HTTP: requests, all kinds of answers, sessions,
 * resumed streams, and the end of the transport.
 *
 * A listener is a GET request whose stream carries messages that answer no request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rig.h"
#include "support/runner.h"
#include "unit/httpuser.h"

/* ---- requests and their answers ---------------------------------------------------- */

/* R20 */
START_TEST(a_request_is_a_post_of_its_own_and_a_json_answer_is_reported)
{
    CAN({JSON, KEEP});
    say("{\"id\":1}", MCPH_SEND_REQUEST, 5);
    await("/5");
    ck_assert_str_eq(story, "<5 " RESULT " /5 ");
    ck_assert_ptr_nonnull(strstr(canned_request(can, 0), "POST /mcp HTTP/1.1\r\n"));
    ck_assert(sent_header(0, "Content-Type: application/json"));
    ck_assert(sent_header(0, "Accept: application/json, text/event-stream"));
    ck_assert_ptr_nonnull(strstr(canned_request(can, 0), "\r\n\r\n{\"id\":1}"));
    ck_assert_ptr_null(strcasestr(canned_request(can, 0), "mcp-session-id"));
    ck_assert_ptr_null(strcasestr(canned_request(can, 0), "origin:"));
}
END_TEST

START_TEST(a_json_answer_over_several_lines_is_one_message)
{
    CAN({HEAD("Application/JSON; charset=utf-8") "Content-Length: 34\r\n\r\n"
                                                 "{\n\"id\":1,\r\n\"result\":\n{}}"
                                                 "\n\n\n\n\n\n\n\n\n\n",
         0, CANNED_KEEP, 1});
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_ptr_nonnull(strstr(story, "\"result\": {}}"));
    ck_assert_ptr_eq(strchr(story, '<'), strrchr(story, '<'));
}
END_TEST

START_TEST(notifications_and_the_answer_may_come_as_events)
{
    CAN({EVENTS ": hello\n\ndata: {\"method\":\"n\"}\n\ndata: " RESULT "\n\n", CLOSE});
    say("{}", MCPH_SEND_REQUEST, 3);
    await("/3");
    ck_assert_str_eq(story, "<3 {\"method\":\"n\"} <3 " RESULT " /3 ");
}
END_TEST

START_TEST(events_of_another_type_are_ignored)
{
    CAN({EVENTS "event: ping\ndata: {}\n\nevent: message\ndata: " RESULT "\n\n", CLOSE});
    say("{}", MCPH_SEND_REQUEST, 3);
    await("/3");
    ck_assert_str_eq(story, "<3 " RESULT " /3 ");
}
END_TEST

/* R17 */
START_TEST(headers_of_the_user_are_sent_except_protocol_headers)
{
    static const struct mcph_net_header headers[] = {
        {"Authorization", "Bearer tok", 10},
        {"mcp-session-id", "mine", 4},
        {"CONTENT-TYPE", "text/plain", 10},
        {"Mcp-Param-X", "1", 1},
        {"X-Empty", "", 0},
        {"MCP-protocol-version", "1", 1},
    };
    static const struct canned_answer answers[] = {{JSON, KEEP}};
    struct mcph_http_spec spec;

    can = canned_up(answers, 1);
    spec = spec_of("/");
    spec.headers = headers;
    spec.n_headers = MCPH_ARRAY_SIZE(headers);
    open_with(spec);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert(sent_header(0, "Authorization: Bearer tok"));
    ck_assert(sent_header(0, "X-Empty:"));
    ck_assert_ptr_null(strcasestr(canned_request(can, 0), "mcp-session-id"));
    ck_assert_ptr_null(strcasestr(canned_request(can, 0), "mcp-param"));
    ck_assert_ptr_null(strcasestr(canned_request(can, 0), "protocol-version"));
    ck_assert_ptr_null(strstr(canned_request(can, 0), "text/plain"));
}
END_TEST

static const struct {
    const char *value, *sent;
} encodings[] = {
    {"eu-west1", "eu-west1"},
    {"a b\tc", "a b\tc"},
    {"na\xc3\xafve", "=?base64?bmHDr3Zl?="},
    {" x ", "=?base64?IHgg?="},
    {"\tx", "=?base64?CXg=?="},
    {"x ", "=?base64?eCA=?="},
    {"", "=?base64?"
         "?="},
    {"a\r\nb", "=?base64?YQ0KYg==?="},
    {"\x7f", "=?base64?fw==?="},
    {"=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="},
    {"=?base64?", "=?base64?"},
    {"=?BASE64?eA==?=", "=?BASE64?eA==?="},
};

START_TEST(a_value_that_a_header_cannot_carry_is_encoded)
{
    static const struct canned_answer answers[] = {{JSON, KEEP}};
    struct mcph_header headers[] = {{"Mcp-Name", mcph_span_str(encodings[_i].value)}};
    char line[128];

    can = canned_up(answers, 1);
    open_with(spec_of("/"));
    send_with("{}", MCPH_SEND_REQUEST, 1, headers, 1);
    await("/1");
    snprintf(line, sizeof(line), "Mcp-Name: %s", encodings[_i].sent);
    ck_assert_msg(sent_header(0, line), "%s", canned_request(can, 0));
}
END_TEST

static const struct {
    struct canned_answer answer;
    const char *story, *reason;
} refusals[] = {
    {{"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n" LEN(12) "<h1>Gone</h1",
      KEEP},
     "#1=404:<h1>Gone</h1 /1 ",
     "answered with HTTP status 404: nothing is at this url"},
    {{"HTTP/1.1 401 U\r\nWWW-Authenticate: Bearer scope=\"a\"\r\n" LEN(0), KEEP},
     "#1=401,www-authenticate: /1 ",
     "HTTP status 401: it wants credentials"},
    {{"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\n" LEN(0), KEEP},
     "#1=429,retry-after: /1 ",
     "HTTP status 429: it limits the number of requests"},
    {{"HTTP/1.1 400 B\r\nContent-Type: application/json\r\n" LEN(36) RESULT, KEEP},
     "#1=400:" RESULT " /1 ",
     "HTTP status 400"},
    {{HEAD("text/html") LEN(5) "hello", KEEP},
     "#1=200:hello /1 ",
     "HTTP status 200, but without a valid answer"},
    {{ACCEPTED, KEEP}, "#1=202: /1 ", "HTTP status 202, but without a valid answer"},
    {{"HTTP/1.1 307 T\r\nLocation: http://other.invalid/\r\n" LEN(0), KEEP},
     "/1 ",
     "redirects to 'http://other.invalid/'"},
    {{HEAD("application/json") LEN(0), KEEP}, "/1 ", "empty body"},
    {{HEAD("application/json") LEN(40) RESULT, CLOSE}, "/1 ", "in the middle"},
    {{EVENTS "data: {\"method\":\"n\"}\n\ndata: {\"i", CLOSE},
     "<1 {\"method\":\"n\"} /1 ",
     "ended the stream before the answer"},
    {{NULL, 0, CANNED_RESET, 0}, "/1 ", ""},
};

START_TEST(an_exchange_without_an_answer_closes_only_its_stream_with_a_reason)
{
    can = canned_up(&refusals[_i].answer, 1);
    open_with(spec_of("/"));
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_str_eq(story, refusals[_i].story);
    ck_assert_msg(strstr(last_reason, refusals[_i].reason), "%s", last_reason);
    ck_assert_int_eq(t->state, MCPH_TRANSPORT_OPEN);
}
END_TEST

/* R18 */
START_TEST(secrets_that_an_error_page_echoes_are_masked)
{
    static const struct mcph_net_header header = {"Authorization", "Bearer hush-hush",
                                                  16};
    static const struct canned_answer answers[] = {
        {"HTTP/1.1 500 E\r\nContent-Type: text/plain\r\n" LEN(21) "no such hush-hush, no",
         KEEP}};
    struct mcph_http_spec spec;

    can = canned_up(answers, 1);
    spec = spec_of("/");
    spec.headers = &header;
    spec.n_headers = 1;
    open_with(spec);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_str_eq(story, "#1=500:no such *********, no /1 ");
}
END_TEST

/* R18 */
START_TEST(a_pause_that_echoes_our_secrets_does_not_spread_them)
{
    static const struct mcph_net_header header = {"Authorization", "Bearer hush-hush",
                                                  16};
    static const struct canned_answer answers[] = {
        {"HTTP/1.1 429 S\r\nRetry-After: 7 hush-hush\r\n" LEN(0), KEEP}};
    struct mcph_http_spec spec;

    can = canned_up(answers, 1);
    spec = spec_of("/");
    spec.headers = &header;
    spec.n_headers = 1;
    open_with(spec);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    ck_assert_str_eq(last_pause, "7 *********");
}
END_TEST

/* R18: the transport also masks a secret that is cut off at the end. */
START_TEST(a_secret_that_is_cut_off_at_64_kib_is_masked)
{
    static const struct mcph_net_header header = {"X-Key", "0123456789", 10};
    static char page[1024 + 64 * 1024];
    struct canned_answer answer = {page, 0, CANNED_CLOSE, 0};
    struct mcph_http_spec spec;
    size_t len = (size_t)snprintf(page, sizeof(page), "HTTP/1.1 500 E\r\n\r\n"),
           head = len;

    memset(page + len, 'x', 64 * 1024);
    memcpy(page + len + 64 * 1024 - 7, "0123456789", 10);
    answer.len = head + 64 * 1024 + 3;
    can = canned_up(&answer, 1);
    spec = spec_of("/");
    spec.headers = &header;
    spec.n_headers = 1;
    open_with(spec);
    say("{}", MCPH_SEND_REQUEST, 1);
    while (!last_reason[0]) /* "/1" is missing, because the body fills `story` */
        settle(5);
    ck_assert_uint_eq(last_body_len, 64 * 1024);
    ck_assert_str_eq(last_body_end, "xxx*******");
}
END_TEST

START_TEST(an_answer_over_the_limit_is_reported_as_over_the_limit)
{
    static const struct canned_answer answers[] = {
        {JSON, KEEP}, {EVENTS "data: " RESULT "\n\n", CLOSE}};

    can = canned_up(answers, 2);
    open_with(spec_of("/"));
    mcph_http_set_frame_limit(t, 20);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    say("{}", MCPH_SEND_REQUEST, 2);
    await("/2");
    ck_assert_str_eq(story, "<1 over /1 <2 over /2 ");
}
END_TEST

/* ---- notifications, and streams that end ------------------------------------------- */

START_TEST(only_refused_notifications_are_reported)
{
    CAN({ACCEPTED, KEEP}, {"HTTP/1.1 200 OK\r\n" LEN(2) "ok", KEEP},
        {"HTTP/1.1 400 Bad\r\n" LEN(0), KEEP});
    say("{}", MCPH_SEND_NOTIFICATION, 1);
    await_requests(1);
    say("{}", MCPH_SEND_RESPONSE, 2);
    await_requests(2);
    settle(20);
    ck_assert_str_eq(story, "");
    say("{}", MCPH_SEND_NOTIFICATION, 3);
    await("/3");
    ck_assert_str_eq(story, "#3=400: /3 ");
}
END_TEST

START_TEST(a_closed_stream_reports_nothing_more)
{
    CAN({EVENTS "data: {\"method\":\"n\"}\n\n", HANG});
    say("{}", MCPH_SEND_REQUEST, 1);
    await("<1");
    mcph_transport_close_stream(t, 1);
    settle(20);
    ck_assert_str_eq(story, "<1 {\"method\":\"n\"} ");
    mcph_transport_close_stream(t, 1);
    mcph_transport_close_stream(t, 99);
}
END_TEST

START_TEST(a_message_may_close_its_stream_or_free_the_transport)
{
    CAN({EVENTS "data: {\"method\":\"n\"}\n\ndata: {}\n\n", HANG});
    if (_i)
        free_on = 1;
    else
        close_on = 1;
    say("{}", MCPH_SEND_REQUEST, 1);
    await("<1");
    settle(20);
    ck_assert_str_eq(story, "<1 {\"method\":\"n\"} ");
}
END_TEST

START_TEST(a_stream_that_stays_open_after_its_answer_does_not_delay_close)
{
    CAN({EVENTS "data: " RESULT "\n\n", HANG});
    say("{}", MCPH_SEND_REQUEST, 1);
    await("<1");
    mcph_transport_close(t);
    for (int i = 0; i < 100 && !gone; i++)
        mcph_core_wait(core, 50);
    ck_assert(gone);
}
END_TEST

START_TEST(a_subscription_that_is_silent_too_long_is_closed)
{
    CAN({EVENTS ": hb\n\n", HANG});
    mcph_http_set_idle(t, 40);
    say("{}", MCPH_SEND_LISTEN, 1);
    await("/1");
    ck_assert_ptr_nonnull(strstr(last_reason, "silent for 40 ms"));
}
END_TEST

/* ---- the legacy session ------------------------------------------------------------ */

static const struct mcph_header version = {"MCP-Protocol-Version", {"2025-11-25", 10}};

/* Performs the handshake: sends initialize, gets the answer, and sends the
 * notification. */
static void
shake_hands(void)
{
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    send_with("{}", MCPH_SEND_NOTIFICATION, 2, &version, 1);
}

START_TEST(a_session_is_sent_with_each_later_request_and_deleted_at_close)
{
    CAN({INITIALIZE_JSON, KEEP}, {ACCEPTED, KEEP}, {"HTTP/1.1 405 No\r\n" LEN(0), KEEP},
        {HEAD("application/json") "Mcp-Session-Id: other\r\n" LEN(36) RESULT, KEEP},
        {JSON, KEEP}, {ACCEPTED, KEEP});
    shake_hands();
    await_requests(3); /* the last request opens the listener */
    settle(20);
    send_with("{}", MCPH_SEND_REQUEST, 3, &version, 1);
    await("/3");
    send_with("{}", MCPH_SEND_REQUEST, 4, &version, 1);
    await("/4");
    mcph_transport_close(t);
    for (int i = 0; i < 100 && !gone; i++)
        mcph_core_wait(core, 50);
    ck_assert(gone);
    ck_assert_uint_eq(canned_count(can), 6);
    ck_assert(!sent_header(0, "Mcp-Session-Id: sess-12345"));
    for (size_t i = 1; i < 6; i++) {
        ck_assert(sent_header(i, "Mcp-Session-Id: sess-12345"));
        ck_assert(sent_header(i, "MCP-Protocol-Version: 2025-11-25"));
    }
    ck_assert_ptr_nonnull(strstr(canned_request(can, 2), "GET /mcp HTTP/1.1\r\n"));
    ck_assert(sent_header(2, "Accept: text/event-stream"));
    ck_assert_ptr_nonnull(strstr(canned_request(can, 5), "DELETE /mcp HTTP/1.1\r\n"));
    ck_assert_ptr_null(strstr(story, "#"));
}
END_TEST

START_TEST(requests_wait_until_the_initialized_notification_is_accepted)
{
    CAN({INITIALIZE_JSON, KEEP}, {"HTTP/1.1 202 A\r\n" LEN(0), 0, CANNED_KEEP, 1});
    shake_hands();
    say("{\"id\":1}", MCPH_SEND_REQUEST, 3);
    say("{\"id\":2}", MCPH_SEND_REQUEST, 4);
    mcph_transport_close_stream(t, 4);
    await_requests(2);
    ck_assert_ptr_null(strstr(canned_request(can, 1), "\"id\""));
    await("/3");
    settle(20);
    ck_assert_ptr_null(strstr(story, "4"));
}
END_TEST

START_TEST(a_second_initialize_is_sent_without_the_old_session)
{
    CAN({INITIALIZE_JSON, KEEP}, {JSON, KEEP}, {JSON, KEEP});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    say("{}", MCPH_SEND_INITIALIZE, 2);
    await("/2");
    say("{}", MCPH_SEND_REQUEST, 3);
    await("/3");
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_null(strcasestr(canned_request(can, i), "mcp-session-id"));
}
END_TEST

/* R20 */
START_TEST(a_configured_session_is_used_and_not_deleted)
{
    static const struct canned_answer answers[] = {
        {JSON, KEEP}, {"HTTP/1.1 405 No\r\n" LEN(0), KEEP}, {JSON, KEEP}};
    struct mcph_http_spec spec;

    can = canned_up(answers, 3);
    spec = spec_of("/");
    spec.session_id = "given-1";
    open_with(spec);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    await_requests(2);
    say("{}", MCPH_SEND_REQUEST, 2);
    await("/2");
    mcph_transport_close(t);
    for (int i = 0; i < 100 && !gone; i++)
        mcph_core_wait(core, 50);
    ck_assert(gone);
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "GET /"));
    for (size_t i = 0; i < 3; i++) {
        ck_assert(sent_header(i, "Mcp-Session-Id: given-1"));
        ck_assert_ptr_null(strcasestr(canned_request(can, i), "protocol-version"));
    }
    ck_assert_uint_eq(canned_count(can), 3); /* the transport sends no DELETE */
}
END_TEST

/* R20 */
START_TEST(an_initialize_drops_the_configured_session)
{
    static const struct canned_answer answers[] = {
        {"HTTP/1.1 404 No\r\n" LEN(0), KEEP}, {INITIALIZE_JSON, KEEP}, {JSON, KEEP}};
    struct mcph_http_spec spec;

    can = canned_up(answers, 3);
    spec = spec_of("/");
    spec.session_id = "given-1";
    open_with(spec);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    say("{}", MCPH_SEND_INITIALIZE, 2);
    await("/2");
    say("{}", MCPH_SEND_REQUEST, 3);
    await("/3");
    ck_assert(sent_header(0, "Mcp-Session-Id: given-1"));
    for (size_t i = 1; i < 3; i++)
        ck_assert_ptr_null(strstr(canned_request(can, i), "given-1"));
}
END_TEST

START_TEST(an_invalid_session_id_is_not_used)
{
    CAN({HEAD("application/json") "Mcp-Session-Id: a b\r\n" LEN(36) RESULT, KEEP},
        {JSON, KEEP});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    say("{}", MCPH_SEND_REQUEST, 2);
    await("/2");
    ck_assert_ptr_null(strcasestr(canned_request(can, 1), "mcp-session-id"));
}
END_TEST

START_TEST(a_modern_server_gets_no_session_and_no_delete)
{
    static const struct mcph_header headers[] = {{"Mcp-Method", {"m", 1}}};

    CAN({INITIALIZE_JSON, KEEP}, {JSON, KEEP});
    send_with("{}", MCPH_SEND_REQUEST, 1, headers, 1);
    await("/1");
    say("{}", MCPH_SEND_NOTIFICATION, 2);
    await_requests(2);
    settle(20);
    mcph_transport_close(t);
    for (int i = 0; i < 100 && !gone; i++)
        mcph_core_wait(core, 50);
    ck_assert(gone);
    ck_assert_uint_eq(canned_count(can), 2);
    ck_assert_ptr_null(strcasestr(canned_request(can, 1), "mcp-session-id"));
}
END_TEST

/* ---- resumed streams --------------------------------------------------------------- */

START_TEST(a_stream_that_breaks_off_is_resumed_by_get)
{
    CAN({INITIALIZE_JSON, KEEP},
        {EVENTS "id: e1\nretry: 10\ndata:\n\nid: e2\ndata: {\"method\":\"n\"}\n\n",
         CLOSE},
        {EVENTS "id: e3\ndata: {\"method\":\"m\"}\n\n", CLOSE},
        {EVENTS "data: " RESULT "\n\n", CLOSE});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    send_with("{}", MCPH_SEND_REQUEST, 7, &version, 1);
    await("/7");
    ck_assert_ptr_nonnull(
        strstr(story, "<7 {\"method\":\"n\"} <7 {\"method\":\"m\"} <7 " RESULT " /7 "));
    ck_assert_ptr_nonnull(strstr(canned_request(can, 2), "GET /mcp HTTP/1.1\r\n"));
    ck_assert(sent_header(2, "Last-Event-ID: e2"));
    ck_assert(sent_header(2, "MCP-Protocol-Version: 2025-11-25"));
    ck_assert(sent_header(2, "Mcp-Session-Id: sess-12345"));
    ck_assert(sent_header(3, "Last-Event-ID: e3"));
    ck_assert_uint_eq(canned_count(can), 4);
}
END_TEST

/* MCP 2025-03-26, "Streamable HTTP": a server may put messages together in a batch. */
START_TEST(a_stream_whose_answer_came_in_a_batch_is_not_resumed)
{
    CAN({INITIALIZE_JSON, KEEP},
        {EVENTS "id: e1\nretry: 1\ndata: [{\"jsonrpc\":\"2.0\",\"method\":\"n\"}," RESULT
                "]\n\n",
         CLOSE},
        {"HTTP/1.1 405 No\r\n" LEN(0), KEEP});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    say("{\"id\":1}", MCPH_SEND_REQUEST, 7);
    await("/7");
    ck_assert_uint_eq(canned_count(can), 2);
    ck_assert_ptr_nonnull(strstr(last_reason, "not an answer to the request"));
}
END_TEST

START_TEST(a_stream_that_the_server_does_not_resume_is_closed_with_a_reason)
{
    CAN({INITIALIZE_JSON, KEEP}, {EVENTS "id: e1\nretry: 1\ndata:\n\n", CLOSE},
        {"HTTP/1.1 405 No\r\n" LEN(0), KEEP});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    say("{}", MCPH_SEND_REQUEST, 7);
    await("/7");
    ck_assert_ptr_null(strstr(story, "#"));
    ck_assert_ptr_nonnull(strstr(last_reason, "HTTP 405"));
}
END_TEST

/* The transport does not report the 404 on the stream of the request, because the client
 * would then send the request again.  The server may already have carried out the
 * request. */
START_TEST(a_404_while_a_stream_is_resumed_is_reported_on_stream_0)
{
    CAN({INITIALIZE_JSON, KEEP}, {EVENTS "id: e1\nretry: 1\ndata:\n\n", CLOSE},
        {"HTTP/1.1 404 No\r\n" LEN(0), KEEP});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    say("{}", MCPH_SEND_REQUEST, 7);
    await("/7");
    ck_assert_ptr_nonnull(strstr(story, "#0=404:the session is gone /7 "));
    ck_assert_ptr_nonnull(strstr(last_reason, "HTTP 404"));
}
END_TEST

START_TEST(without_a_session_a_404_on_resuming_is_not_reported)
{
    CAN({JSON, KEEP}, {EVENTS "id: e1\nretry: 1\ndata:\n\n", CLOSE},
        {"HTTP/1.1 404 No\r\n" LEN(0), KEEP});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    say("{}", MCPH_SEND_REQUEST, 7);
    await("/7");
    ck_assert_ptr_null(strstr(story, "#"));
}
END_TEST

/* The transport resumes a stream until the answer to the stream's own request has
 * come. */
START_TEST(an_answer_to_another_request_does_not_end_the_stream)
{
    CAN({INITIALIZE_JSON, KEEP},
        {EVENTS
         "id: e1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n",
         CLOSE},
        {EVENTS "data: " RESULT "\n\n", CLOSE});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}", MCPH_SEND_REQUEST, 7);
    await("/7");
    ck_assert_ptr_nonnull(strstr(story, "\"id\":2,\"result\":{}} <7 " RESULT " /7 "));
}
END_TEST

START_TEST(a_stream_is_not_resumed_in_another_session)
{
    CAN({INITIALIZE_JSON, KEEP}, {EVENTS "id: e1\nretry: 200\ndata:{}\n\n", CLOSE},
        {INITIALIZE_JSON, KEEP});
    say("{}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    say("{}", MCPH_SEND_REQUEST, 7);
    await("<7 {}");
    say("{}", MCPH_SEND_INITIALIZE, 8);
    await("/8");
    await("/7");
    ck_assert_uint_eq(canned_count(can), 3);
}
END_TEST

START_TEST(modern_streams_are_not_resumed)
{
    CAN({EVENTS "id: e1\nretry: 1\ndata:\n\n", CLOSE});
    say("{}", MCPH_SEND_REQUEST, 7);
    await("/7");
    settle(20);
    ck_assert_uint_eq(canned_count(can), 1);
}
END_TEST

START_TEST(the_listener_reports_messages_on_stream_0_and_is_resumed)
{
    CAN({INITIALIZE_JSON, KEEP}, {ACCEPTED, CLOSE},
        {EVENTS "id: g1\nretry: 5\ndata: {\"method\":\"a\"}\n\n", CLOSE},
        {EVENTS "data: {\"method\":\"b\"}\n\n", HANG});
    shake_hands();
    await("\"b\"");
    ck_assert_ptr_nonnull(strstr(story, "<0 {\"method\":\"a\"} <0 {\"method\":\"b\"} "));
    ck_assert(sent_header(3, "Last-Event-ID: g1"));
}
END_TEST

/* Without ids, the server does not repeat the messages that it sent while no listener was
 * open. */
START_TEST(a_reopened_listener_without_ids_reports_missed_messages)
{
    CAN({INITIALIZE_JSON, KEEP}, {ACCEPTED, CLOSE},
        {EVENTS "retry: 5\ndata: {\"method\":\"a\"}\n\n", CLOSE},
        {EVENTS "data: {\"method\":\"b\"}\n\n", HANG});
    shake_hands();
    await("\"b\"");
    ck_assert_ptr_nonnull(
        strstr(story, "<0 {\"method\":\"a\"} ~0 <0 {\"method\":\"b\"} "));
}
END_TEST

/* With `retry: 0`, the server asks the client to open a new listener at once. */
START_TEST(the_listener_is_reopened_after_50_ms_at_the_earliest)
{
    int64_t begin;

    CAN({INITIALIZE_JSON, KEEP}, {ACCEPTED, CLOSE},
        {EVENTS "retry: 0\ndata: {}\n\n", CLOSE},
        {EVENTS "retry: 0\ndata: {}\n\n", CLOSE}, {EVENTS, HANG});
    begin = mcph_clock_monotonic_ms();
    shake_hands();
    await_requests(5);
    ck_assert_int_ge(mcph_clock_monotonic_ms() - begin, 2 * 50 - 2);
}
END_TEST

static int64_t skew;
static int n_heads;

static int64_t
skewed_clock(void *arg)
{
    (void)arg;
    return mcph_clock_monotonic_ms() / 100 + skew;
}

static void
on_log(int level, const char *area, const char *server, const char *text, void *arg)
{
    (void)level;
    (void)area;
    (void)server;
    (void)arg;
    n_heads += strstr(text, "stream 0: HTTP 200") != NULL;
}

/* Advances the clock of open_skewed().  Without pass(), that clock runs at a hundredth of
 * the real speed. */
static void
pass(int64_t ms)
{
    skew += ms;
    for (int i = 0; i < 10; i++)
        mcph_core_wait(core, 2);
}

/* Opens a transport whose clock is skewed_clock(), and performs the handshake.  on_log()
 * counts the listeners of the transport. */
static void
open_skewed(const struct canned_answer *answers, size_t n)
{
    struct mcph_http_spec spec;

    down();
    n_heads = 0;
    up();
    mcph_core_set_clock(core, skewed_clock, NULL);
    ck_assert_int_eq(mcph_core_set_log(core, MCPHOST_LOG_DEBUG, on_log, NULL, NULL), 0);
    can = canned_up(answers, n);
    spec = spec_of("/mcp");
    ck_assert_int_eq(mcph_http_new(core, net, &spec, &owner, NULL, &t, NULL), 0);
    mcph_http_set_idle(t, 100000);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    mcph_transport_set_user(t, &user, NULL);
    shake_hands();
}

static void
await_heads(int n)
{
    for (int i = 0; i < 1000 && n_heads < n; i++)
        settle(20);
    ck_assert_int_ge(n_heads, n);
}

/* After a listener that lasted long, the pause is as short as at first. */
START_TEST(a_listener_that_lasted_long_without_events_resets_the_pause)
{
    static const struct canned_answer answers[] = {{INITIALIZE_JSON, KEEP},
                                                   {ACCEPTED, CLOSE},
                                                   {EVENTS, HANG},
                                                   {EVENTS, HANG},
                                                   {EVENTS, HANG}};

    open_skewed(answers, 5);
    for (int i = 1; i <= 2; i++) {
        await_heads(i);
        pass(100000);
        ck_assert_uint_eq(canned_count(can), (size_t)i + 2);
        pass(1200); /* more than the first pause, less than the second */
        await_requests((size_t)i + 3);
    }
}
END_TEST

/* A server that has not noticed yet that the previous stream was lost answers 409. */
START_TEST(a_listener_that_is_refused_temporarily_is_opened_again)
{
    static const char *const lines[] = {
        "HTTP/1.1 409 No\r\n" LEN(0), "HTTP/1.1 408 No\r\n" LEN(0),
        "HTTP/1.1 429 No\r\n" LEN(0), "HTTP/1.1 503 No\r\n" LEN(0)};
    struct canned_answer answers[] = {{INITIALIZE_JSON, KEEP},
                                      {ACCEPTED, CLOSE},
                                      {EVENTS "retry: 1\ndata: {}\n\n", CLOSE},
                                      {0},
                                      {EVENTS, HANG}};

    answers[3].bytes = lines[_i];
    open_skewed(answers, 5);
    await("<0 {}");
    for (int i = 0; i < 1000 && canned_count(can) < 4; i++)
        pass(50);
    pass(1000); /* less than the second pause */
    ck_assert_uint_eq(canned_count(can), 4);
    for (int i = 0; i < 1000 && canned_count(can) < 5; i++)
        pass(50);
    ck_assert_uint_eq(canned_count(can), 5);
}
END_TEST

START_TEST(a_reopened_listener_that_gets_404_reports_the_lost_session)
{
    CAN({INITIALIZE_JSON, KEEP}, {ACCEPTED, CLOSE},
        {EVENTS "id: g1\nretry: 5\ndata:\n\n", CLOSE},
        {"HTTP/1.1 404 No\r\n" LEN(0), KEEP});
    shake_hands();
    await("#0=404");
    settle(20);
    ck_assert_uint_eq(canned_count(can), 4);
    ck_assert_int_eq(t->state, MCPH_TRANSPORT_OPEN);
}
END_TEST

START_TEST(a_listener_that_is_refused_at_first_is_not_opened_again)
{
    static const char *const refused[] = {
        "HTTP/1.1 405 No\r\n" LEN(0), "HTTP/1.1 404 No\r\n" LEN(0),
        "HTTP/1.1 400 No\r\n" LEN(0), "HTTP/1.1 501 No\r\n" LEN(0),
        HEAD("text/html") LEN(2) "hi"};
    struct canned_answer answers[] = {{INITIALIZE_JSON, KEEP}, {ACCEPTED, KEEP}, {0}};

    answers[2].bytes = refused[_i];
    can = canned_up(answers, 3);
    open_with(spec_of("/"));
    shake_hands();
    await_requests(3);
    settle(30);
    ck_assert_uint_eq(canned_count(can), 3);
    ck_assert_str_eq(story, "<1 " RESULT " /1 ");
}
END_TEST

/* ---- the end ----------------------------------------------------------------------- */

START_TEST(kill_takes_bounded_time_and_leaves_nothing)
{
    struct rig_census before;

    down();
    before = rig_census_take();
    up();
    CAN({INITIALIZE_JSON, KEEP}, {ACCEPTED, CLOSE}, {EVENTS, HANG});
    shake_hands();
    await_requests(3);
    say("{}", MCPH_SEND_REQUEST, 3); /* the server hangs and never reads this request */
    mcph_transport_kill(t);
    for (int i = 0; i < 100 && !gone; i++)
        mcph_core_wait(core, 50);
    ck_assert(gone);
    down();
    rig_census_check(&before, 2000);
    up();
}
END_TEST

static void
add_requests(Suite *suite)
{
    TCase *tc = test_case(suite, "requests");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_request_is_a_post_of_its_own_and_a_json_answer_is_reported);
    tcase_add_test(tc, a_json_answer_over_several_lines_is_one_message);
    tcase_add_test(tc, notifications_and_the_answer_may_come_as_events);
    tcase_add_test(tc, events_of_another_type_are_ignored);
    tcase_add_test(tc, headers_of_the_user_are_sent_except_protocol_headers);
    tcase_add_loop_test(tc, a_value_that_a_header_cannot_carry_is_encoded, 0,
                        MCPH_ARRAY_SIZE(encodings));
    tcase_add_loop_test(
        tc, an_exchange_without_an_answer_closes_only_its_stream_with_a_reason, 0,
        MCPH_ARRAY_SIZE(refusals));
    tcase_add_test(tc, secrets_that_an_error_page_echoes_are_masked);
    tcase_add_test(tc, a_pause_that_echoes_our_secrets_does_not_spread_them);
    tcase_add_test(tc, a_secret_that_is_cut_off_at_64_kib_is_masked);
    tcase_add_test(tc, an_answer_over_the_limit_is_reported_as_over_the_limit);
    tcase_add_test(tc, only_refused_notifications_are_reported);
    tcase_add_test(tc, a_closed_stream_reports_nothing_more);
    tcase_add_loop_test(tc, a_message_may_close_its_stream_or_free_the_transport, 0, 2);
    tcase_add_test(tc, a_stream_that_stays_open_after_its_answer_does_not_delay_close);
    tcase_add_test(tc, a_subscription_that_is_silent_too_long_is_closed);
}

static void
add_sessions(Suite *suite)
{
    TCase *tc = test_case(suite, "sessions");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_session_is_sent_with_each_later_request_and_deleted_at_close);
    tcase_add_test(tc, requests_wait_until_the_initialized_notification_is_accepted);
    tcase_add_test(tc, a_second_initialize_is_sent_without_the_old_session);
    tcase_add_test(tc, a_configured_session_is_used_and_not_deleted);
    tcase_add_test(tc, an_initialize_drops_the_configured_session);
    tcase_add_test(tc, an_invalid_session_id_is_not_used);
    tcase_add_test(tc, a_modern_server_gets_no_session_and_no_delete);
    tcase_add_test(tc, a_stream_that_breaks_off_is_resumed_by_get);
    tcase_add_test(tc, a_stream_whose_answer_came_in_a_batch_is_not_resumed);
    tcase_add_test(tc, a_stream_that_the_server_does_not_resume_is_closed_with_a_reason);
    tcase_add_test(tc, a_404_while_a_stream_is_resumed_is_reported_on_stream_0);
    tcase_add_test(tc, without_a_session_a_404_on_resuming_is_not_reported);
    tcase_add_test(tc, an_answer_to_another_request_does_not_end_the_stream);
    tcase_add_test(tc, a_stream_is_not_resumed_in_another_session);
    tcase_add_test(tc, modern_streams_are_not_resumed);
    tcase_add_test(tc, the_listener_reports_messages_on_stream_0_and_is_resumed);
    tcase_add_test(tc, a_reopened_listener_without_ids_reports_missed_messages);
    tcase_add_test(tc, the_listener_is_reopened_after_50_ms_at_the_earliest);
    tcase_add_test(tc, a_listener_that_lasted_long_without_events_resets_the_pause);
    tcase_add_loop_test(tc, a_listener_that_is_refused_temporarily_is_opened_again, 0, 4);
    tcase_add_test(tc, a_reopened_listener_that_gets_404_reports_the_lost_session);
    tcase_add_loop_test(tc, a_listener_that_is_refused_at_first_is_not_opened_again, 0,
                        5);
    tcase_add_test(tc, kill_takes_bounded_time_and_leaves_nothing);
}

static void
add(Suite *suite)
{
    add_requests(suite);
    add_sessions(suite);
}

int
main(void)
{
    return test_main("transport-http", add);
}
