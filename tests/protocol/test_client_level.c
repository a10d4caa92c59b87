/* SPDX-License-Identifier: MIT
 *
 * test_client_level.c - the level of log messages, changed while a client runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define ERAS   2 /* the number of eras: 0 is legacy, 1 is modern */
#define OFFERS "{\"tools\":{},\"logging\":{}}"
#define SET(id, level)                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"logging/setLevel\"," \
    "\"params\":{\"level\":\"" level "\"}}"
#define DONE(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"

static struct cr_call a;

static void
up(void)
{
    cr_up();
    cr_call_init(&a, 1, "alpha", NULL);
}

static void
set(const char *level)
{
    ck_assert_int_eq(mcph_client_set_log_level(cr.client, level), 0);
    cr_turn();
}

/* Sends a call and checks that _meta of the call has this log level.  If `level` is NULL,
 * the call must have no log level. */
static void
expect_meta(const char *level)
{
    char text[96];
    const char *line;

    snprintf(text, sizeof(text), ",\"io.modelcontextprotocol/logLevel\":\"%s\"",
             level ? level : "");
    cr_call_go(&a);
    line = cr_next();
    if (level)
        test_has(line, text);
    else
        ck_assert_msg(!strstr(line, "logLevel"), "%s", line);
    test_has(line, "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":\"complete\"}}",
           strtol(strstr(line, "\"id\":") + 5, NULL, 10));
    cr_call_done(&a);
    cr_call_init(&a, 1, "alpha", NULL);
}

START_TEST(a_new_level_is_sent_to_a_legacy_server)
{
    cr_meet(false, OFFERS);
    cr_expect_nothing();
    set("debug");
    cr_expect(SET("2", "debug"));
    cr_say(DONE("2"));
    set("error");
    cr_expect(SET("3", "error"));
    cr_say(CR_REFUSED("3")); /* a refusal has no effect */
    set(NULL);
    cr_expect(SET("4", "emergency"));
    cr_say(DONE("4"));
    cr_expect_nothing();
    ck_assert_str_eq(cr.story, "ready ");
}
END_TEST

/* The client sends one level at a time, because over HTTP two requests in flight could
 * arrive in any order. */
START_TEST(a_level_waits_for_the_previous_answer_and_only_the_latest_is_sent)
{
    cr.spec.log_level = "info";
    cr_meet(false, OFFERS);
    cr_expect(SET("2", "info"));
    set("debug");
    set("alert");
    cr_expect_nothing();
    if (_i == 0)
        cr_say(DONE("2"));
    else if (_i == 1)
        cr_say(CR_REFUSED("2"));
    else
        cr_advance(cr.spec.list_ms);
    if (_i == 2)
        test_has(cr_next(), "notifications/cancelled");
    cr_expect(SET("3", "alert"));
    cr_say(DONE("3"));
    cr_expect_nothing();
}
END_TEST

START_TEST(a_server_without_logging_gets_no_level)
{
    cr_meet(false, "{\"tools\":{}}");
    set("debug");
    cr_expect_nothing();
}
END_TEST

START_TEST(a_level_set_before_ready_is_sent_at_ready)
{
    cr.spec.log_level = "info";
    cr.spec.era = _i ? MCPH_CLIENT_MODERN : MCPH_CLIENT_LEGACY;
    cr_start();
    cr_next();
    set("notice");
    cr_expect_nothing();
    if (_i) {
        cr_say(CR_DISCOVERED("1"));
        expect_meta("notice");
        return;
    }
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
           "\"capabilities\":" OFFERS "}}");
    cr_expect(CR_INITIALIZED);
    cr_expect(SET("2", "notice"));
}
END_TEST

START_TEST(a_modern_server_gets_the_level_in_each_later_request)
{
    cr_meet(true, OFFERS);
    expect_meta(NULL);
    set("debug");
    cr_expect_nothing();
    expect_meta("debug");
    set("critical");
    expect_meta("critical");
    set(NULL);
    expect_meta(NULL);
}
END_TEST

static const char *const none[] = {"", "Info", "trace", "debug\"", "warn", "none"};

START_TEST(an_invalid_level_is_refused_and_the_level_stays)
{
    cr.spec.log_level = "warning";
    cr_meet(true, OFFERS);
    ck_assert_int_eq(mcph_client_set_log_level(cr.client, none[_i]), MCPHOST_E_INVALID);
    expect_meta("warning");
}
END_TEST

START_TEST(each_level_of_the_protocol_is_accepted)
{
    static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};

    cr_meet(true, OFFERS);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(levels); i++) {
        set(levels[i]);
        expect_meta(levels[i]);
    }
}
END_TEST

START_TEST(a_new_session_gets_the_latest_level)
{
    cr.web = true;
    cr.spec.log_level = "info";
    cr_meet(false, OFFERS);
    cr_expect(SET("2", "info"));
    cr_answer(cr_stream(), DONE("2"));
    set(_i ? "debug" : NULL);
    cr_next();
    cr_status(cr_stream(), 404, NULL, NULL); /* the server does not know the session */
    test_has(cr_next(), "initialize");
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":"
              "\"2025-11-25\",\"capabilities\":" OFFERS "}}");
    cr_expect(CR_INITIALIZED);
    if (_i)
        cr_expect(SET("5", "debug"));
    cr_expect_nothing();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "level");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, a_new_level_is_sent_to_a_legacy_server);
    tcase_add_loop_test(
        tc, a_level_waits_for_the_previous_answer_and_only_the_latest_is_sent, 0, 3);
    tcase_add_test(tc, a_server_without_logging_gets_no_level);
    tcase_add_loop_test(tc, a_level_set_before_ready_is_sent_at_ready, 0, ERAS);
    tcase_add_test(tc, a_modern_server_gets_the_level_in_each_later_request);
    tcase_add_loop_test(tc, an_invalid_level_is_refused_and_the_level_stays, 0,
                        (int)MCPH_ARRAY_SIZE(none));
    tcase_add_test(tc, each_level_of_the_protocol_is_accepted);
    tcase_add_loop_test(tc, a_new_session_gets_the_latest_level, 0, 2);
}

int
main(void)
{
    return test_main("client-level", add);
}
