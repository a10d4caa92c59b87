/* SPDX-License-Identifier: MIT
 *
 * test_transport_trace.c - the trace in the log shows the messages on the wire, without
 * secrets.
 */
#include <stdio.h>
#include <string.h>

#include "support/memory.h"
#include "support/runner.h"
#include "unit/httpuser.h"

static char traced[65536];

static void
take_line(int level, const char *room, const char *server, const char *line, void *arg)
{
    size_t at = strlen(traced);

    (void)arg;
    if (level != MCPHOST_LOG_TRACE)
        return;
    ck_assert_str_eq(room, "wire");
    ck_assert_str_eq(server, "s");
    snprintf(traced + at, sizeof(traced) - at, "%s\n", line);
}

static void
listen_at(int level)
{
    traced[0] = '\0';
    ck_assert_int_eq(mcph_core_set_log(core, level, take_line, NULL, NULL), 0);
}

static void
has(const char *part)
{
    ck_assert_msg(strstr(traced, part), "'%s' is not in:\n%s", part, traced);
}

static void
lacks(const char *part)
{
    ck_assert_msg(!strstr(traced, part), "'%s' is in:\n%s", part, traced);
}

static void
turn(void)
{
    for (int i = 0; i < 5; i++)
        mcph_core_wait(core, 0);
}

static void
on_line(struct mcph_transport *tr, struct mcph_span line, void *arg)
{
    (void)tr;
    (void)line;
    (void)arg;
}

static void
join(void)
{
    static const struct mcph_memory_peer peer = {.received = on_line};
    struct mcph_mask *mask = mcph_mask_new();

    t = mcph_memory_new(core, &owner, NULL, &peer, NULL);
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(mcph_mask_add(mask, "hush-hush", 9), 0);
    mcph_transport_set_trace(t, "s", mask);
    mcph_mask_unref(mask);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    mcph_transport_set_user(t, &user, NULL);
}

static void
answer(const char *text)
{
    ck_assert_int_eq(mcph_memory_peer_write(t, text, strlen(text)), 0);
    turn();
}

/* R18 */
START_TEST(each_message_is_one_line_with_secrets_masked)
{
    join();
    listen_at(MCPHOST_LOG_TRACE);
    say("{\"on\":1,\"x\":\"hush-hush\"}", MCPH_SEND_REQUEST, 0);
    turn();
    answer("{\"y\":\"a hush-hush b\"}\n{\"z\":2}\n");
    ck_assert_str_eq(traced, "> {\"on\":1,\"x\":\"*********\"}\n"
                             "< {\"y\":\"a ********* b\"}\n"
                             "< {\"z\":2}\n");
    ck_assert_ptr_nonnull(strstr(story, "a hush-hush b")); /* the user gets the plain
                                                            * message */
}
END_TEST

START_TEST(at_level_debug_nothing_is_traced)
{
    join();
    listen_at(MCPHOST_LOG_DEBUG);
    say("{}", MCPH_SEND_REQUEST, 0);
    answer("{\"z\":2}\n");
    ck_assert_str_eq(traced, "");
}
END_TEST

static const struct {
    const char *message, *shown;
} states[] = {
    {"{\"requestState\":\"abc\"}", "{\"requestState\":\"***\"}"},
    {"{\"requestState\" : \"a\\\"b\",\"x\":1}", "{\"requestState\" : \"****\",\"x\":1}"},
    {"{\"requestState\":\"a\\\\\",\"x\":\"y\"}",
     "{\"requestState\":\"***\",\"x\":\"y\"}"},
    {"{\"requestState\":null,\"x\":\"y\"}", "{\"requestState\":null,\"x\":\"y\"}"},
    {"{\"requestState\":\"a\",\"requestState\":\"b\"}",
     "{\"requestState\":\"*\",\"requestState\":\"*\"}"},
    {"{\"x\":\"\\\"requestState\\\":\"}", "{\"x\":\"\\\"requestState\\\":\"}"},
};

/* MCP 2026-07-28: the trace masks the value of `requestState`, because the value concerns
 * only the server. */
START_TEST(the_value_of_request_state_is_masked)
{
    char line[256];

    join();
    listen_at(MCPHOST_LOG_TRACE);
    snprintf(line, sizeof(line), "%s\n", states[_i].message);
    answer(line);
    snprintf(line, sizeof(line), "< %s\n", states[_i].shown);
    ck_assert_str_eq(traced, line);
}
END_TEST

/* The trace cuts the message in the middle of the secret. */
START_TEST(a_long_message_is_cut_and_its_length_shown)
{
    static char text[8001];

    memset(text, 'x', 8000);
    text[0] = '"';
    text[7999] = '"';
    memcpy(text + 1996, "hush-hush", 9);
    join();
    listen_at(MCPHOST_LOG_TRACE);
    say(text, MCPH_SEND_REQUEST, 0);
    turn();
    has("x****... (8000 bytes)\n");
    lacks("hush");
    ck_assert_uint_lt(strlen(traced), 2100);
}
END_TEST

/* ---- HTTP -------------------------------------------------------------------------- */

static int
attach(struct mcph_net_auth *auth, struct mcph_net_attempt *attempt,
       struct mcph_net_waiter *waiter, mcphost_error **reterr)
{
    (void)auth;
    (void)waiter;
    (void)reterr;
    return mcph_buf_add(&attempt->lines, "X-Key\0given-secret", 19);
}

static int
answered(struct mcph_net_auth *auth, const struct mcph_net_attempt *attempt,
         const struct mcph_net_answer *answer, struct mcph_net_waiter *waiter,
         mcphost_error **reterr)
{
    (void)auth;
    (void)attempt;
    (void)answer;
    (void)waiter;
    (void)reterr;
    return MCPH_NET_AUTH_PASS;
}

static struct mcph_net_auth keeper = {.attach = attach, .answered = answered};

#define ECHO \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"given-secret own-secret\"}}"

START_TEST(over_http_headers_and_statuses_are_traced)
{
    static const struct mcph_net_header own[] = {
        {"Authorization", "Bearer own-secret", 17}, {"Cookie", "c=1", 3}};
    static const struct mcph_header sent[] = {
        {"MCP-Protocol-Version", {"2025-11-25", 10}}};
    static const struct canned_answer answers[] = {
        {INITIALIZE_JSON, KEEP},
        {ACCEPTED, KEEP},
        {"HTTP/1.1 405 No\r\n" LEN(0), KEEP},
        {HEAD("application/json") "Set-Cookie: crumbs\r\n" LEN(65) ECHO, KEEP},
    };
    struct mcph_http_spec spec;

    can = canned_up(answers, 4);
    spec = spec_of("/mcp?key=hush");
    spec.headers = own;
    spec.n_headers = 2;
    open_with(spec);
    mcph_http_set_auth(t, &keeper);
    listen_at(MCPHOST_LOG_TRACE);
    say("{\"one\":1}", MCPH_SEND_INITIALIZE, 1);
    await("/1");
    send_with("{\"two\":2}", MCPH_SEND_NOTIFICATION, 2, sent, 1);
    await_requests(3);
    say("{\"three\":3}", MCPH_SEND_REQUEST, 3);
    await("/3");
    has("> {\"one\":1}\n");
    has("> POST http://127.0.0.1:");
    has("/mcp, Content-Type: application/json; Accept: application/json, "
        "text/event-stream; X-Key: ***; Authorization: ***; Cookie: ***\n");
    has("< HTTP 200; content-type: application/json; mcp-session-id: ***\n");
    has("MCP-Protocol-Version: 2025-11-25; Mcp-Session-Id: ***; X-Key: ***");
    has("< HTTP 202");
    has("> GET http://127.0.0.1:");
    has("< HTTP 405");
    has("{\"a\":\"************ **********\"}");
    lacks("secret");
    lacks("sess-12345");
    lacks("hush");
    lacks("crumbs");
    lacks("c=1");
}
END_TEST

START_TEST(a_failed_exchange_is_traced)
{
    static const struct canned_answer answers[] = {
        {NULL, 0, CANNED_RESET, 0},
        {"HTTP/1.1 500 E\r\nContent-Type: text/plain\r\n" LEN(9) "it burns!", KEEP}};

    can = canned_up(answers, 2);
    open_with(spec_of("/mcp"));
    listen_at(MCPHOST_LOG_TRACE);
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    has("< failed: ");
    say("{}", MCPH_SEND_REQUEST, 2);
    await("/2");
    has("< HTTP 500; content-type: text/plain\n");
    has("< it burns!\n");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "trace");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_message_is_one_line_with_secrets_masked);
    tcase_add_test(tc, at_level_debug_nothing_is_traced);
    tcase_add_loop_test(tc, the_value_of_request_state_is_masked, 0,
                        MCPH_ARRAY_SIZE(states));
    tcase_add_test(tc, a_long_message_is_cut_and_its_length_shown);
    tcase_add_test(tc, over_http_headers_and_statuses_are_traced);
    tcase_add_test(tc, a_failed_exchange_is_traced);
}

int
main(void)
{
    return test_main("transport-trace", add);
}
