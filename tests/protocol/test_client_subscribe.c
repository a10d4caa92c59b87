/* SPDX-License-Identifier: MIT
 *
 * test_client_subscribe.c - subscriptions to resources in both eras, and the requests
 * that a legacy server gets for subscriptions.
 */
#include <stdio.h>
#include <string.h>

#include "protocol/subrig.h"
#include "support/runner.h"

/* ---- in both eras ------------------------------------------------------------------ */

/* R173 */
START_TEST(an_update_of_a_subscribed_resource_is_reported)
{
    sr_begin(_i);
    sr_update("\"a:1\"");
    cr_advance(cr.spec.changed_ms - 1);
    sr_expect_story("");
    cr_advance(1);
    sr_expect_story("updated:a:1*1 ");
    cr_advance(3600000); /* no second event follows */
    sr_expect_story("");
    sr_update("\"\\u0061:1\"");
    cr_advance(100);
    sr_expect_story("updated:a:1*1 ");
    cr_expect_nothing();
}
END_TEST

START_TEST(many_updates_are_reported_once_with_their_count)
{
    sr_begin(_i);
    for (int i = 0; i < 1000; i++)
        sr_update("\"a:1\"");
    cr_advance(100);
    sr_expect_story("updated:a:1*1000 ");
    sr_update("\"a:1\"");
    cr_advance(100);
    sr_expect_story("updated:a:1*1 ");
}
END_TEST

START_TEST(a_subscription_before_ready_is_sent_at_ready)
{
    sr.modern = _i;
    cr.spec.era = _i ? MCPH_CLIENT_MODERN : MCPH_CLIENT_LEGACY;
    cr_start();
    sr_subscribe("a:1");
    cr_next();
    cr_expect_nothing();
    if (_i)
        cr_say(
            "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"supportedVersions\":"
            "[\"2026-07-28\"],\"capabilities\":" SR_OFFERS "}}");
    else
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
               "\"2025-11-25\",\"capabilities\":" SR_OFFERS "}}");
    if (!_i)
        cr_expect(CR_INITIALIZED);
    sr_take("\"a:1\"");
    sr_expect_story("ready subscribed:a:1 ");
}
END_TEST

static const char *const without[] = {"{\"tools\":{}}", "{\"resources\":{}}",
                                      "{\"resources\":{\"subscribe\":false}}"};

START_TEST(without_the_capability_a_subscription_is_refused_and_not_sent)
{
    int early = _i / SR_ERAS % 2;

    sr.modern = _i % SR_ERAS;
    cr.spec.era = sr.modern ? MCPH_CLIENT_MODERN : MCPH_CLIENT_LEGACY;
    if (early) {
        cr_start();
        sr_subscribe("a:1");
        cr.at = 1;
        if (sr.modern)
            cr_say(CR_DISCOVERED("1"));
        else
            cr_say(CR_INIT_RESULT("1", "2025-11-25"));
        if (!sr.modern)
            cr_expect(CR_INITIALIZED);
    } else {
        sr_meet(sr.modern, without[_i / SR_ERAS / 2]);
        sr_subscribe("a:1");
    }
    cr_expect_nothing();
    sr_expect_refusal("ready refused:a:1 ", MCPHOST_E_NOTFOUND, "'resources.subscribe'");
}
END_TEST

START_TEST(a_resource_subscribed_twice_must_be_unsubscribed_twice)
{
    sr_begin(_i);
    sr_subscribe("a:1");
    sr_expect_story("subscribed:a:1 "); /* the event reports the second subscription */
    cr_expect_nothing();
    sr_unsubscribe("a:1");
    cr_expect_nothing();
    sr_update("\"a:1\"");
    cr_advance(100);
    sr_expect_story("updated:a:1*1 ");
    sr_unsubscribe("a:1");
    ck_assert_ptr_nonnull(cr_sent());
    sr_unsubscribe("a:1");
    sr_unsubscribe("never");
    cr_expect_nothing();
}
END_TEST

/* The client drops a notice that the server sent before the unsubscribe request
 * arrived. */
START_TEST(no_update_is_reported_after_an_unsubscribe)
{
    sr_begin(_i);
    sr_update("\"a:1\"");
    sr_unsubscribe("a:1");
    if (_i)
        sr_expect_cancelled("\"listen:1\"");
    else
        sr_expect_request("resources/unsubscribe", "\"uri\":\"a:1\"");
    if (!_i)
        sr_update("\"a:1\"");
    cr_advance(100);
    sr_expect_story("");
    if (!_i)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", sr.id);
    cr_advance(100);
    ck_assert_int_eq(cr.odds, 0);
    sr_subscribe("a:1");
    sr_take("\"a:1\"");
    sr_expect_story("subscribed:a:1 ");
}
END_TEST

static const struct {
    const char *subscribed, *updated;
    bool part;
} parts[] = {
    {"file:///d", "\"file:///d/f\"", true},   {"file:///d/", "\"file:///d/f\"", true},
    {"file:///d", "\"file:///d#x\"", true},   {"file:///d", "\"file:///d?x\"", true},
    {"file:///d", "\"file:///dx\"", false},   {"file:///d/", "\"file:///d\"", false},
    {"file:///d", "\"file:///D/f\"", false},  {"file:///d/e", "\"file:///d/f\"", false},
    {"file:///d", "\"file:///d\\/f\"", true}, {"file:///d", "\"\"", false},
};

START_TEST(an_update_of_a_part_counts_as_an_update_of_the_resource)
{
    size_t i = (size_t)_i % MCPH_ARRAY_SIZE(parts);
    char token[32], story[64];

    sr_meet(_i / (int)MCPH_ARRAY_SIZE(parts), SR_OFFERS);
    sr_subscribe(parts[i].subscribed);
    snprintf(token, sizeof(token), "\"%s\"", parts[i].subscribed);
    sr_take(token);
    cr.story[0] = '\0';
    sr_update(parts[i].updated);
    cr_advance(100);
    snprintf(story, sizeof(story), "updated:%s*1 ", parts[i].subscribed);
    sr_expect_story(parts[i].part ? story : "odd ");
    ck_assert_int_eq(cr.odds, !parts[i].part);
}
END_TEST

START_TEST(an_update_counts_for_all_containing_resources_unless_its_uri_is_subscribed)
{
    sr_meet(1, SR_OFFERS);
    sr_want("f:/");
    sr_want("f:/d");
    sr_subscribe("f:/d/e");
    sr_take("\"f:/\",\"f:/d\",\"f:/d/e\"");
    cr.story[0] = '\0';
    sr_update("\"f:/d/e/f\"");
    cr_advance(100);
    sr_expect_story("updated:f:/*1 updated:f:/d*1 updated:f:/d/e*1 ");
    sr_update("\"f:/d/e\"");
    cr_advance(100);
    sr_expect_story("updated:f:/d/e*1 ");
}
END_TEST

START_TEST(updates_without_a_subscription_are_reported_once)
{
    sr_begin(_i);
    for (int i = 0; i < 100; i++)
        sr_update("\"b:\\n2\"");
    cr_advance(1000);
    sr_expect_story("odd ");
    test_has(cr.odd,
             MCPH_CLIENT_ODD_UPDATE ": announces a change of the resource 'b: 2'");
}
END_TEST

static const char *const no_updates[] = {
    "{}", "[]", "{\"uri\":7}", "{\"uri\":null}", "{\"uri\":[\"a:1\"]}",
};

START_TEST(a_notice_without_a_uri_is_dropped)
{
    sr_begin(0);
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
           "\"params\":%s}",
           no_updates[_i]);
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\"}");
    cr_advance(1000);
    sr_expect_story("");
}
END_TEST

/* The client accepts any text in UTF-8 as a URI, except the empty text.  In messages, the
 * URI is a JSON string. */
START_TEST(a_uri_may_be_any_text_and_is_sent_as_a_json_string)
{
    sr_meet(_i, SR_OFFERS);
    sr_subscribe("x: \"\\\n\xc3\xa9#?");
    sr_take("\"x: \\\"\\\\\\n\xc3\xa9#?\"");
    sr_expect_story("ready subscribed:x: \"\\\n\xc3\xa9#? ");
    sr_update("\"x: \\\"\\\\\\u000a\\u00e9#?\"");
    cr_advance(100);
    sr_expect_story("updated:x: \"\\\n\xc3\xa9#?*1 ");
}
END_TEST

START_TEST(a_uri_of_64_kib_can_be_subscribed_to)
{
    static char uri[65537];

    memset(uri, 'x', 65536);
    sr_meet(_i, SR_OFFERS);
    sr_subscribe(uri);
    test_has(cr_next(), uri);
}
END_TEST

START_TEST(subscriptions_over_the_limits_are_refused)
{
    mcphost_error *error = NULL;
    char uri[16];

    cr.spec.max_subscriptions = 3;
    cr.spec.max_subscription_bytes = 11;
    sr_meet(_i, SR_OFFERS);
    for (int i = 0; i < 3; i++) {
        snprintf(uri, sizeof(uri), "a:%d", i);
        sr_want(uri);
    }
    ck_assert_int_eq(mcph_client_subscribe(cr.client, mcph_span_str("b"), &error),
                     MCPHOST_E_LIMIT);
    test_has(mcphost_error_get_message(error), "3 subscriptions");
    mcphost_error_unref(error);
    sr_want("a:2"); /* a second subscription to a:2 */
    mcph_client_unsubscribe(cr.client, mcph_span_str("a:1"));
    mcph_client_unsubscribe(cr.client, mcph_span_str("a:0"));
    cr_turn();
    ck_assert_int_eq(mcph_client_subscribe(cr.client, mcph_span_str("123456789"), NULL),
                     MCPHOST_E_LIMIT);
    sr_want("12345678");
}
END_TEST

START_TEST(an_empty_or_invalid_uri_is_refused_at_once)
{
    mcphost_error *error = NULL;

    sr_meet(_i, SR_OFFERS);
    ck_assert_int_eq(mcph_client_subscribe(cr.client, mcph_span("", 0), NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_client_subscribe(cr.client, mcph_span("a\xff", 2), &error),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(error), "not UTF-8");
    mcphost_error_unref(error);
    cr_turn();
    cr_expect_nothing();
    sr_expect_story("ready ");
}
END_TEST

START_TEST(subscriptions_end_with_the_connection)
{
    sr_begin(_i);
    sr_update("\"a:1\"");
    sr_want("b:2");
    cr_die("exited with status 0", NULL);
    sr_expect_story("down ");
    ck_assert_int_eq(mcph_client_subscribe(cr.client, mcph_span_str("a:1"), NULL),
                     MCPHOST_E_TRANSPORT);
    mcph_client_unsubscribe(cr.client, mcph_span_str("a:1"));
    cr_advance(1000);
    sr_expect_story("");
}
END_TEST

/* `which` selects the event: 0 is `subscribed`, 1 is `subscribed` with an error, and 2 is
 * `updated`. */
START_TEST(the_owner_may_free_the_client_in_any_event)
{
    int which = _i / SR_ERAS;

    sr_begin(_i % SR_ERAS);
    sr_want("c:3");
    sr_subscribe("b:2");
    if (sr.modern)
        sr_expect_listen(NULL, "\"a:1\",\"c:3\",\"b:2\"");
    else
        cr_next();
    cr.free_in_event = true;
    if (which == 2) {
        sr_update_under("\"listen:1\"", 0, "\"a:1\"");
        cr_advance(100);
        sr_expect_story("updated:a:1*1 ");
    } else if (sr.modern) {
        sr_acknowledge(
            sr.id, 0, which ? "" : "\"resourceSubscriptions\":[\"a:1\",\"b:2\",\"c:3\"]");
        sr_expect_story(which ? "refused:a:1 " : "subscribed:c:3 ");
    } else {
        cr_say(which ? "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-1,"
                       "\"message\":\"no\"}}"
                     : "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
        sr_expect_story(which ? "refused:c:3 " : "subscribed:c:3 ");
    }
    ck_assert_ptr_null(cr.client);
}
END_TEST

/* ---- legacy: one request for each resource ----------------------------------------- */

START_TEST(a_refused_subscription_ends_and_may_be_made_again)
{
    sr_meet(0, SR_OFFERS);
    sr_subscribe("a:1");
    sr_expect_request("resources/subscribe", "\"uri\":\"a:1\"");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32002,\"message\":"
           "\"no such resource\"}}");
    sr_expect_refusal("ready refused:a:1 ", MCPHOST_E_RPC,
                      "refused resources/subscribe: no such resource");
    cr_advance(100000);
    cr_expect_nothing();
    sr_update("\"a:1\"");
    sr_expect_story("odd ");
    sr_subscribe("a:1"); /* a new attempt is allowed */
    sr_take("\"a:1\"");
    sr_expect_story("subscribed:a:1 ");
}
END_TEST

START_TEST(a_subscription_that_is_not_answered_in_time_is_refused)
{
    sr_meet(0, SR_OFFERS);
    sr_subscribe("a:1");
    sr_expect_request("resources/subscribe", "\"uri\":\"a:1\"");
    cr_advance(cr.spec.list_ms - 1);
    sr_expect_story("ready ");
    cr_advance(1);
    sr_expect_refusal("refused:a:1 ", MCPHOST_E_TIMEOUT, "resources/subscribe in time");
    cr_expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":2,\"reason\":\"timed out\"}}");
    cr_expect_nothing();
}
END_TEST

START_TEST(a_legacy_server_gets_at_most_eight_requests_at_once)
{
    char uri[16], params[32];

    sr_meet(0, SR_OFFERS);
    for (int i = 0; i < 20; i++) {
        snprintf(uri, sizeof(uri), "a:%d", i);
        sr_want(uri);
    }
    cr_turn();
    for (int i = 0; i < 8; i++)
        ck_assert_ptr_nonnull(cr_sent());
    cr_expect_nothing();
    for (int i = 8; i < 20; i++) {
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}", i - 6);
        snprintf(params, sizeof(params), "\"uri\":\"a:%d\"", i);
        sr_expect_request("resources/subscribe", params);
        cr_expect_nothing();
    }
}
END_TEST

START_TEST(an_unsubscribe_waits_for_the_answer_to_the_subscribe)
{
    sr_meet(0, SR_OFFERS);
    sr_subscribe("a:1");
    sr_expect_request("resources/subscribe", "\"uri\":\"a:1\"");
    sr_unsubscribe("a:1");
    cr_expect_nothing();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    sr_expect_request("resources/unsubscribe", "\"uri\":\"a:1\"");
    sr_subscribe("a:1");
    cr_expect_nothing();
    if (_i)
        cr_say(
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-1,\"message\":\"no\"}}");
    else
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    sr_take("\"a:1\"");
    sr_expect_story("ready subscribed:a:1 ");
    cr_expect_nothing();
}
END_TEST

START_TEST(subscriptions_of_a_lost_session_are_made_again)
{
    cr.web = true;
    sr_begin(0);
    sr_subscribe("b:2");
    sr_expect_request("resources/subscribe", "\"uri\":\"b:2\"");
    cr_status(sr.stream, 404, NULL, NULL); /* the server does not know the session */
    test_has(cr_next(), "initialize");
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":"
              "\"2025-11-25\",\"capabilities\":" SR_OFFERS "}}");
    cr_expect(CR_INITIALIZED);
    sr_expect_story("ready ");
    sr_take("\"a:1\"");
    cr_sent();
    cr_say_on(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}");
    sr_expect_story("subscribed:b:2 ");
    cr_advance(100);
    sr_expect_story("updated:a:1*1 "); /* a:1 may have changed in the gap */
    cr_expect_nothing();
}
END_TEST

START_TEST(a_request_whose_stream_is_lost_is_sent_again_once)
{
    cr.web = true;
    sr_meet(0, SR_OFFERS);
    sr_subscribe("a:1");
    sr_expect_request("resources/subscribe", "\"uri\":\"a:1\"");
    cr_break(sr.stream, MCPHOST_E_TRANSPORT, "reset");
    sr_expect_story("ready ");
    sr_expect_request("resources/subscribe", "\"uri\":\"a:1\"");
    cr_break(sr.stream, MCPHOST_E_TRANSPORT, "reset");
    sr_expect_refusal("refused:a:1 ", MCPHOST_E_TRANSPORT, "reset");
    cr_expect_nothing();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "both eras");

    tcase_add_checked_fixture(tc, sr_up, cr_down);
    tcase_add_loop_test(tc, an_update_of_a_subscribed_resource_is_reported, 0, SR_ERAS);
    tcase_add_loop_test(tc, many_updates_are_reported_once_with_their_count, 0, SR_ERAS);
    tcase_add_loop_test(tc, a_subscription_before_ready_is_sent_at_ready, 0, SR_ERAS);
    tcase_add_loop_test(tc, without_the_capability_a_subscription_is_refused_and_not_sent,
                        0, SR_ERAS * 2 * (int)MCPH_ARRAY_SIZE(without));
    tcase_add_loop_test(tc, a_resource_subscribed_twice_must_be_unsubscribed_twice, 0,
                        SR_ERAS);
    tcase_add_loop_test(tc, no_update_is_reported_after_an_unsubscribe, 0, SR_ERAS);
    tcase_add_loop_test(tc, an_update_of_a_part_counts_as_an_update_of_the_resource, 0,
                        SR_ERAS * (int)MCPH_ARRAY_SIZE(parts));
    tcase_add_test(
        tc, an_update_counts_for_all_containing_resources_unless_its_uri_is_subscribed);
    tcase_add_loop_test(tc, updates_without_a_subscription_are_reported_once, 0, SR_ERAS);
    tcase_add_loop_test(tc, a_notice_without_a_uri_is_dropped, 0,
                        (int)MCPH_ARRAY_SIZE(no_updates));
    tcase_add_loop_test(tc, a_uri_may_be_any_text_and_is_sent_as_a_json_string, 0,
                        SR_ERAS);
    tcase_add_loop_test(tc, a_uri_of_64_kib_can_be_subscribed_to, 0, SR_ERAS);
    tcase_add_loop_test(tc, subscriptions_over_the_limits_are_refused, 0, SR_ERAS);
    tcase_add_loop_test(tc, an_empty_or_invalid_uri_is_refused_at_once, 0, SR_ERAS);
    tcase_add_loop_test(tc, subscriptions_end_with_the_connection, 0, SR_ERAS);
    tcase_add_loop_test(tc, the_owner_may_free_the_client_in_any_event, 0, 3 * SR_ERAS);

    tc = test_case(suite, "legacy");
    tcase_add_checked_fixture(tc, sr_up, cr_down);
    tcase_add_test(tc, a_refused_subscription_ends_and_may_be_made_again);
    tcase_add_test(tc, a_subscription_that_is_not_answered_in_time_is_refused);
    tcase_add_test(tc, a_legacy_server_gets_at_most_eight_requests_at_once);
    tcase_add_loop_test(tc, an_unsubscribe_waits_for_the_answer_to_the_subscribe, 0, 2);
    tcase_add_test(tc, subscriptions_of_a_lost_session_are_made_again);
    tcase_add_test(tc, a_request_whose_stream_is_lost_is_sent_again_once);
}

int
main(void)
{
    return test_main("client-subscribe", add);
}
