/* SPDX-License-Identifier: MIT
 *
 * test_connection_news.c - messages that a server sends by itself: changes of lists and
 * resources, log messages, progress.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "servrig.h"
#include "support/runner.h"

#define ASK(id, method, params)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"
#define NOTE(method, params)                                                           \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" method "\",\"params\":{" params \
    "}}"
#define BARE(method) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" method "\"}"
#define EMPTY(id)    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define TAG(id)      "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}"
#define LISTEN(id, filter) \
    ASK(id, "subscriptions/listen", "\"notifications\":{" filter "}," SV_META)
#define ACK(id, filter) \
    NOTE("subscriptions/acknowledged", TAG(id) ",\"notifications\":{" filter "}")
#define CANCEL(id) NOTE("cancelled", "\"requestId\":" id)

static void
updated(const char *uri)
{
    ck_assert_int_eq(mcph_provider_updated(sv.provider, mcph_span_str(uri)), 0);
    sv_turn();
}

static void
change_tools(void)
{
    ck_assert_int_eq(
        mcph_provider_remove(sv.provider, MCPHOST_FEATURE_TOOL, mcph_span_str("ask")), 0);
    sv_turn();
}

static void
change_templates(void)
{
    ck_assert_int_eq(mcph_provider_remove(sv.provider, MCPHOST_FEATURE_TEMPLATE,
                                          mcph_span_str("mem://t/{id}")),
                     0);
    sv_turn();
}

static void
logs(int level, const char *logger, const char *data)
{
    ck_assert_int_eq(
        mcph_provider_log(sv.provider, level, mcph_span_str(logger), mcph_span_str(data)),
        0);
    sv_turn();
}

/* ---- legacy ------------------------------------------------------------------------ */

START_TEST(list_changes_are_announced_to_a_legacy_client_once_it_is_initialized)
{
    sv_start();
    sv_say(ASK("0", "initialize", "\"protocolVersion\":\"2025-11-25\""));
    (void)sv_next();
    change_templates();
    sv_silence();
    sv_say(BARE("initialized"));
    change_tools();
    sv_expect(BARE("tools/list_changed"));
    sv_add(MCPHOST_FEATURE_RESOURCE, "{\"uri\":\"mem://b\",\"name\":\"b\"}", sv_slow);
    sv_turn();
    sv_expect(BARE("resources/list_changed"));
    ck_assert_int_eq(
        mcph_provider_remove(sv.provider, MCPHOST_FEATURE_PROMPT, mcph_span_str("greet")),
        0);
    sv_turn();
    sv_expect(BARE("prompts/list_changed"));
    sv_silence();
}
END_TEST

START_TEST(changes_of_a_list_that_was_not_offered_are_not_announced)
{
    ck_assert_int_eq(
        mcph_provider_remove(sv.provider, MCPHOST_FEATURE_PROMPT, mcph_span_str("greet")),
        0);
    sv_start();
    sv_say(ASK("0", "initialize", "\"protocolVersion\":\"2025-11-25\""));
    test_has_not(sv_next(), "prompts");
    sv_say(BARE("initialized"));
    sv_say(ASK("1", "prompts/list", ""));
    sv_error("1", -32601);
    sv_add(MCPHOST_FEATURE_PROMPT, SV_PROMPT, sv_slow);
    sv_turn();
    sv_silence();
    sv_say(ASK("2", "prompts/list", "")); /* the server lists the prompt, although it did
                                           * not announce prompts */
    test_has(sv_next(), "greet");
}
END_TEST

START_TEST(a_legacy_client_gets_updates_only_while_it_is_subscribed)
{
    sv_legacy("2025-11-25", "{}");
    updated("mem://a");
    sv_silence();
    for (int i = 0; i < 2; i++) { /* a second subscription has no effect */
        sv_say(ASK("1", "resources/subscribe", "\"uri\":\"mem:\\/\\/a\""));
        sv_expect(EMPTY("1"));
    }
    updated("mem://a");
    sv_expect(NOTE("resources/updated", "\"uri\":\"mem://a\""));
    updated("mem://aa");
    sv_silence();
    sv_say(ASK("2", "resources/unsubscribe", "\"uri\":\"mem://a\""));
    sv_expect(EMPTY("2"));
    sv_say(ASK("3", "resources/unsubscribe", "\"uri\":\"mem://never\""));
    sv_expect(EMPTY("3"));
    updated("mem://a");
    sv_silence();
}
END_TEST

START_TEST(subscriptions_over_max_subscribed_are_refused)
{
    sv.spec.max_subscribed = 2;
    sv_legacy("2025-11-25", "{}");
    for (int i = 0; i < 2; i++) {
        sv_say(ASK("1", "resources/subscribe", "\"uri\":\"mem://%d\""), i);
        sv_expect(EMPTY("1"));
    }
    sv_say(ASK("2", "resources/subscribe", "\"uri\":\"mem://2\""));
    sv_error("2", -32000);
    sv_say(ASK("3", "resources/unsubscribe", "\"uri\":\"mem://0\""));
    sv_expect(EMPTY("3"));
    sv_say(ASK("4", "resources/subscribe", "\"uri\":\"mem://2\""));
    sv_expect(EMPTY("4"));
}
END_TEST

START_TEST(a_legacy_client_gets_messages_from_the_level_that_it_set)
{
    sv_legacy("2025-11-25", "{}");
    logs(MCPHOST_MESSAGES_EMERGENCY, NULL, "1");
    sv_silence();
    sv_say(ASK("1", "logging/setLevel", "\"level\":\"notice\""));
    sv_expect(EMPTY("1"));
    logs(MCPHOST_MESSAGES_INFO, "db", "1");
    sv_silence();
    logs(MCPHOST_MESSAGES_NOTICE, "d\"b", "{\"a\":\n[1]}");
    sv_expect(NOTE("message",
                   "\"level\":\"notice\",\"logger\":\"d\\\"b\",\"data\":{\"a\": [1]}"));
    logs(MCPHOST_MESSAGES_ALERT, NULL, "null");
    sv_expect(NOTE("message", "\"level\":\"alert\",\"data\":null"));
}
END_TEST

START_TEST(only_increasing_progress_is_sent_and_only_for_a_token)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(ASK("1", "tools/call", "\"name\":\"slow\""));
    sv_say(ASK("2", "tools/call",
               "\"name\":\"slow\",\"_meta\":{\"progressToken\":\"a\\u0062\"}"));
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(mcph_providing_report(sv.calls[i], 0.5, NAN, NULL, 0), 0);
    sv_turn();
    sv_expect(NOTE("progress", "\"progressToken\":\"a\\u0062\",\"progress\":0.5"));
    sv_silence();
    ck_assert_int_eq(mcph_providing_report(sv.calls[1], 0.5, 1, "same", 4), 0);
    sv_turn();
    sv_silence();
    ck_assert_int_eq(mcph_providing_report(sv.calls[1], 1, 1, "done", 4), 0);
    sv_turn();
    sv_expect(NOTE("progress",
                   "\"progressToken\":\"a\\u0062\",\"progress\":1,\"total\":1,"
                   "\"message\":\"done\""));
}
END_TEST

/* ---- modern ------------------------------------------------------------------------ */

START_TEST(a_listen_gets_only_the_notices_that_it_names)
{
    sv_start();
    sv_say(LISTEN("\"l1\"", "\"toolsListChanged\":true,\"promptsListChanged\":false"));
    sv_expect(ACK("\"l1\"", "\"toolsListChanged\":true"));
    sv_say(LISTEN("2", "\"resourcesListChanged\":true,\"toolsListChanged\":true,"
                       "\"resourceSubscriptions\":[\"mem://a\",7,\"\",\"mem://a\"]"));
    sv_expect(ACK("2", "\"toolsListChanged\":true,\"resourcesListChanged\":true,"
                       "\"resourceSubscriptions\":[\"mem://a\"]"));
    change_tools();
    sv_expect(NOTE("tools/list_changed", TAG("\"l1\"")));
    sv_expect(NOTE("tools/list_changed", TAG("2")));
    change_templates();
    sv_expect(NOTE("resources/list_changed", TAG("2")));
    updated("mem://a");
    sv_expect(NOTE("resources/updated", TAG("2") ",\"uri\":\"mem://a\""));
    updated("mem://b");
    sv_silence();
}
END_TEST

START_TEST(a_listen_ends_when_it_is_cancelled)
{
    sv_start();
    sv_say(LISTEN("\"l1\"", "\"toolsListChanged\":true,\"resourceSubscriptions\":"
                            "[\"mem://a\"]"));
    (void)sv_next();
    sv_say(LISTEN("\"l1\"", ""));
    sv_error("\"l1\"", -32600);
    sv_say(CANCEL("\"l1\""));
    change_tools();
    updated("mem://a");
    sv_silence();
    sv_say(LISTEN("\"l1\"", ""));
    sv_expect(ACK("\"l1\"", ""));
}
END_TEST

START_TEST(listens_over_max_listens_are_refused)
{
    sv.spec.max_listens = 1;
    sv_start();
    sv_say(LISTEN("1", ""));
    (void)sv_next();
    sv_say(LISTEN("2", ""));
    sv_error("2", -32000);
    sv_say(CANCEL("1"));
    sv_say(LISTEN("2", ""));
    sv_expect(ACK("2", ""));
    sv_say(ASK("3", "subscriptions/listen", SV_META));
    sv_error("3", -32602);
}
END_TEST

START_TEST(a_close_ends_listens_with_a_result)
{
    sv_start();
    sv_say(LISTEN("\"l1\"", "\"toolsListChanged\":true"));
    (void)sv_next();
    mcph_connection_close(sv.connection, 0);
    sv_turn();
    sv_expect(
        "{\"jsonrpc\":\"2.0\",\"id\":\"l1\",\"result\":{\"resultType\":\"complete\","
        "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"l1\"}}}");
    sv_silence();
    ck_assert_int_eq(sv.overs, 1);
}
END_TEST

START_TEST(a_modern_client_gets_messages_only_while_a_request_wants_them)
{
    sv_start();
    sv_say(ASK("1", "tools/call",
               "\"name\":\"slow\"," SV_META_WITH(
                   "{}", ",\"io.modelcontextprotocol/logLevel\":\"warning\"")));
    logs(MCPHOST_MESSAGES_NOTICE, NULL, "1");
    sv_silence();
    logs(MCPHOST_MESSAGES_WARNING, NULL, "2");
    sv_expect(NOTE("message", "\"level\":\"warning\",\"data\":2"));
    sv_answer(0, "done");
    (void)sv_next();
    logs(MCPHOST_MESSAGES_EMERGENCY, NULL, "3");
    sv_silence();
    sv_say(ASK("2", "tools/call", "\"name\":\"slow\"," SV_META));
    logs(MCPHOST_MESSAGES_EMERGENCY, NULL, "4");
    sv_silence();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "legacy");

    tcase_add_checked_fixture(tc, sv_up, sv_down);
    tcase_add_test(tc,
                   list_changes_are_announced_to_a_legacy_client_once_it_is_initialized);
    tcase_add_test(tc, changes_of_a_list_that_was_not_offered_are_not_announced);
    tcase_add_test(tc, a_legacy_client_gets_updates_only_while_it_is_subscribed);
    tcase_add_test(tc, subscriptions_over_max_subscribed_are_refused);
    tcase_add_test(tc, a_legacy_client_gets_messages_from_the_level_that_it_set);
    tcase_add_test(tc, only_increasing_progress_is_sent_and_only_for_a_token);

    tc = test_case(suite, "modern");
    tcase_add_checked_fixture(tc, sv_up, sv_down);
    tcase_add_test(tc, a_listen_gets_only_the_notices_that_it_names);
    tcase_add_test(tc, a_listen_ends_when_it_is_cancelled);
    tcase_add_test(tc, listens_over_max_listens_are_refused);
    tcase_add_test(tc, a_close_ends_listens_with_a_result);
    tcase_add_test(tc, a_modern_client_gets_messages_only_while_a_request_wants_them);
}

int
main(void)
{
    return test_main("connection-news", add);
}
