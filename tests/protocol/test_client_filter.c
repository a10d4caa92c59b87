/* SPDX-License-Identifier: MIT
 *
 * test_client_filter.c - subscriptions to resources of a modern server.
 *
 * One request names all subscribed resources.  When a resource is added or removed, a new
 * request replaces the old request.
 */
#include <stdio.h>
#include <string.h>

#include "protocol/subrig.h"
#include "support/runner.h"

/* ---- modern: all subscriptions in one request -------------------------------------- */

#define TOOLS "\"toolsListChanged\":true"

START_TEST(subscriptions_of_one_turn_are_sent_in_one_request)
{
    cr.spec.listen = 1u << MCPH_LIST_TOOLS;
    sr_meet(1, SR_OFFERS);
    sr_expect_listen(TOOLS, NULL);
    sr_acknowledge(sr.id, 0, TOOLS);
    sr_want("a:1");
    sr_want("b:2");
    sr_want("c:3");
    mcph_client_unsubscribe(cr.client, mcph_span_str("b:2"));
    cr_turn();
    sr_expect_listen(TOOLS, "\"a:1\",\"c:3\"");
    cr_expect_nothing();
}
END_TEST

START_TEST(the_old_request_stays_open_until_the_new_request_is_acknowledged)
{
    cr.web = _i;
    sr_begin(1);
    sr_subscribe("b:2");
    sr_expect_listen(NULL, "\"a:1\",\"b:2\"");
    cr_expect_nothing();
    ck_assert_uint_eq(cr.n_given_up, 0);
    sr_update_under(sr.old_id, sr.old_stream, "\"a:1\"");
    sr_update("\"b:2\""); /* the request is not acknowledged yet */
    cr_advance(100);
    sr_expect_story("updated:a:1*1 updated:b:2*1 ");
    sr_acknowledge(sr.id, sr.stream, "\"resourceSubscriptions\":[\"b:2\",\"a:1\"]");
    sr_expect_story("subscribed:b:2 "); /* a:1 is not reported again */
    if (_i) {
        ck_assert_uint_eq(cr.n_given_up, 1);
        ck_assert_uint_eq(cr.given_up[0], sr.old_stream);
    } else {
        sr_expect_cancelled(sr.old_id);
    }
    cr_expect_nothing();
    sr_update_under(sr.old_id, sr.old_stream, "\"a:1\""); /* the old request is over */
    cr_advance(100);
    sr_expect_story("");
    ck_assert_int_eq(cr.odds, 0);
}
END_TEST

START_TEST(changes_before_the_acknowledgment_wait_for_the_next_request)
{
    sr_begin(1);
    sr_subscribe("b:2");
    sr_expect_listen(NULL, "\"a:1\",\"b:2\"");
    sr_subscribe("c:3");
    sr_unsubscribe("a:1");
    sr_subscribe("d:4");
    cr_expect_nothing();
    sr_acknowledge(sr.id, 0, "\"resourceSubscriptions\":[\"a:1\",\"b:2\"]");
    sr_expect_cancelled("\"listen:1\"");
    sr_expect_story("subscribed:b:2 ");
    sr_expect_listen(NULL, "\"b:2\",\"c:3\",\"d:4\"");
    sr_acknowledge(sr.id, 0, "\"resourceSubscriptions\":[\"b:2\",\"c:3\",\"d:4\"]");
    sr_expect_cancelled("\"listen:2\"");
    sr_expect_story("subscribed:c:3 subscribed:d:4 ");
    cr_expect_nothing();
}
END_TEST

START_TEST(a_subscription_waits_for_the_answer_to_the_first_request)
{
    cr.spec.listen = 1u << MCPH_LIST_TOOLS;
    sr_meet(1, SR_OFFERS);
    sr_expect_listen(TOOLS, NULL);
    sr_subscribe("a:1");
    cr_expect_nothing();
    if (_i == 0)
        sr_acknowledge(sr.id, 0, TOOLS);
    else
        cr_say(CR_REFUSED("\"listen:1\""));
    sr_expect_listen(TOOLS, "\"a:1\"");
}
END_TEST

/* For _i from 0 to 3, the acknowledgment leaves out a:1, has no array of resources, names
 * no resource, or has no `notifications`. */
START_TEST(a_resource_that_is_not_acknowledged_is_refused)
{
    static const char *const filters[] = {"\"resourceSubscriptions\":[\"b:2\",7,\"x\"]",
                                          "\"resourceSubscriptions\":true", ""};

    sr_meet(1, SR_OFFERS);
    sr_want("a:1");
    sr_subscribe("b:2");
    sr_expect_listen(NULL, "\"a:1\",\"b:2\"");
    if (_i < 3)
        sr_acknowledge(sr.id, 0, filters[_i]);
    else
        cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
               "acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
               "subscriptionId\":%s}}}",
               sr.id);
    sr_expect_refusal(_i == 0 ? "ready refused:a:1 subscribed:b:2 "
                              : "ready refused:a:1 refused:b:2 ",
                      MCPHOST_E_NOTFOUND, "did not acknowledge");
    cr_advance(100000);
    cr_expect_nothing();
}
END_TEST

/* As the server, refuses the client's request.  `how` is 0 for an error, 1 for no answer
 * within 60 s, and 2 for an end of the subscription. */
static void
turn_down(int how)
{
    if (how == 0)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32602,\"message\":"
               "\"no such resource\"}}",
               sr.id);
    else if (how == 2)
        cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
               "\"requestId\":%s}}",
               sr.id);
    else
        cr_advance(60000);
    if (how == 1)
        test_has(cr_next(), "not acknowledged");
}

START_TEST(a_refused_request_fails_only_the_resources_that_it_adds)
{
    static const int codes[] = {MCPHOST_E_RPC, MCPHOST_E_TIMEOUT, MCPHOST_E_TRANSPORT};
    static const char *const parts_of[] = {"no such resource", "in time", "ended"};

    sr_begin(1);
    sr_subscribe("b:2");
    sr_expect_listen(NULL, "\"a:1\",\"b:2\"");
    turn_down(_i);
    sr_expect_refusal("refused:b:2 ", codes[_i], parts_of[_i]);
    cr_expect_nothing();
    sr_update_under("\"listen:1\"", 0, "\"a:1\"");
    cr_advance(100000);
    sr_expect_story("updated:a:1*1 ");
    cr_expect_nothing();
    sr_subscribe("c:3");
    sr_expect_listen(NULL, "\"a:1\",\"c:3\"");
}
END_TEST

/* The server refuses the request that leaves b:2 out.  The client keeps the old request
 * and ignores updates of b:2.  The client does not repeat the refused request, because
 * the server might refuse each repetition. */
START_TEST(a_refused_removal_is_not_repeated_and_its_updates_are_ignored)
{
    sr_meet(1, SR_OFFERS);
    sr_want("a:1");
    sr_subscribe("b:2");
    sr_take("\"a:1\",\"b:2\"");
    sr_unsubscribe("b:2");
    sr_expect_listen(NULL, "\"a:1\"");
    turn_down(_i);
    cr_advance(1000);
    cr_expect_nothing();
    sr_update_under("\"listen:1\"", 0, "\"b:2\"");
    sr_update_under("\"listen:1\"", 0, "\"a:1\"");
    cr_advance(100);
    sr_expect_story("ready subscribed:a:1 subscribed:b:2 updated:a:1*1 ");
    ck_assert_int_eq(cr.odds, 0);
    sr_subscribe("b:2"); /* the server still announces b:2 */
    sr_expect_story("subscribed:b:2 ");
    cr_expect_nothing();
    sr_update_under("\"listen:1\"", 0, "\"b:2\"");
    cr_advance(100);
    sr_expect_story("updated:b:2*1 ");
}
END_TEST

START_TEST(after_an_unsubscribe_the_request_is_replaced_or_cancelled)
{
    cr.spec.listen = _i ? 1u << MCPH_LIST_TOOLS : 0;
    sr_meet(1, SR_OFFERS);
    if (_i)
        sr_expect_listen(TOOLS, NULL);
    if (_i)
        sr_acknowledge(sr.id, 0, TOOLS);
    sr_subscribe("a:1");
    sr_expect_listen(_i ? TOOLS : NULL, "\"a:1\"");
    sr_acknowledge(sr.id, 0, TOOLS ",\"resourceSubscriptions\":[\"a:1\"]");
    if (_i)
        sr_expect_cancelled("\"listen:1\"");
    sr_unsubscribe("a:1");
    if (_i) {
        sr_expect_listen(TOOLS, NULL);
        sr_acknowledge(sr.id, 0, TOOLS);
        sr_expect_cancelled("\"listen:2\"");
    } else {
        sr_expect_cancelled("\"listen:1\"");
    }
    cr_expect_nothing();
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\","
           "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}}}",
           sr.id);
    cr_advance(100);
    ck_assert_int_eq(cr.changed, _i);
}
END_TEST

START_TEST(a_lost_subscription_is_sent_again_and_its_resources_are_reported)
{
    cr.web = true;
    sr_begin(1);
    cr_break(sr.stream, MCPHOST_E_TRANSPORT, "reset");
    sr_subscribe("b:2"); /* b:2 is part of the next request */
    cr_advance(999);
    cr_expect_nothing();
    cr_advance(1);
    sr_expect_listen(NULL, "\"a:1\",\"b:2\"");
    sr_acknowledge(sr.id, sr.stream, "\"resourceSubscriptions\":[\"a:1\",\"b:2\"]");
    cr_advance(100);
    sr_expect_story("subscribed:b:2 updated:a:1*1 ");
    cr_advance(100000);
    cr_expect_nothing();
    sr_expect_story("");
}
END_TEST

/* Before the server acknowledges the new request, the old request breaks (_i is 0) or the
 * server ends the old request (_i is 1). */
START_TEST(after_a_gap_between_two_requests_everything_counts_as_changed)
{
    cr.web = true;
    cr.spec.listen = 1u << MCPH_LIST_TOOLS;
    sr_meet(1, SR_OFFERS);
    sr_expect_listen(TOOLS, NULL);
    sr_acknowledge(sr.id, sr.stream, TOOLS);
    sr_subscribe("a:1");
    sr_expect_listen(TOOLS, "\"a:1\"");
    sr_acknowledge(sr.id, sr.stream, TOOLS ",\"resourceSubscriptions\":[\"a:1\"]");
    sr_subscribe("b:2");
    sr_expect_listen(TOOLS, "\"a:1\",\"b:2\"");
    cr.story[0] = '\0';
    if (_i == 0)
        cr_break(sr.old_stream, MCPHOST_E_TRANSPORT, "reset");
    else
        cr_say_on(sr.old_stream,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                  "\"params\":{\"requestId\":%s}}",
                  sr.old_id);
    cr_advance(500);
    sr_expect_story("");
    sr_acknowledge(sr.id, sr.stream,
                   TOOLS ",\"resourceSubscriptions\":[\"a:1\",\"b:2\"]");
    cr_advance(100);
    test_has(cr.story, "subscribed:b:2 ");
    test_has(cr.story, "updated:a:1*1 ");
    test_has(cr.story, "changed ");
    cr_advance(100000);
    cr_expect_nothing();
}
END_TEST

START_TEST(a_subscription_that_the_server_ends_is_not_sent_again)
{
    sr_begin(1);
    if (_i)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\"}}",
               sr.id);
    else
        turn_down(2);
    sr_expect_refusal("refused:a:1 ", MCPHOST_E_TRANSPORT, "ended the subscription");
    cr_advance(100000);
    cr_expect_nothing();
    sr_subscribe("a:1");
    sr_take("\"a:1\"");
    sr_expect_story("subscribed:a:1 ");
}
END_TEST

/* The client negotiates again, because the modern server answers a call with HTTP status
 * 404. */
START_TEST(after_a_repeated_negotiation_resources_are_subscribed_again)
{
    static struct cr_call a;

    cr.web = true;
    sr_begin(1);
    cr_call_init(&a, 1, "alpha", NULL);
    cr_call_go(&a);
    cr_next();
    cr_status(cr_stream(), 404, NULL, NULL);
    test_has(cr_next(), "server/discover");
    cr_answer(
        cr_stream(),
        "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"supportedVersions\":["
        "\"2026-07-28\"],\"capabilities\":" SR_OFFERS "}}");
    sr_take("\"a:1\"");
    cr_advance(100);
    sr_expect_story("ready updated:a:1*1 ");
}
END_TEST

/* The server was modern when its answer was cached, but is legacy now. */
START_TEST(after_a_wrong_cached_era_a_legacy_server_gets_legacy_requests)
{
    cr.cache = mcph_client_cache_new(cr.core, 1 << 20);
    sr_meet(1, SR_OFFERS);
    cr.spec.era = MCPH_CLIENT_AUTO;
    cr_another();
    sr_subscribe("a:1");
    sr_expect_listen(NULL, "\"a:1\"");
    cr_say(CR_REFUSED("\"listen:1\""));
    sr.modern = false;
    test_has(cr_next(), "server/discover");
    cr_say(CR_REFUSED("\"probe-1\""));
    test_has(cr_next(), "initialize");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
           "\"capabilities\":" SR_OFFERS "}}");
    cr_expect(CR_INITIALIZED);
    sr_take("\"a:1\"");
    sr_expect_story("ready ready subscribed:a:1 ");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "filter");

    tcase_add_checked_fixture(tc, sr_up, cr_down);
    tcase_add_test(tc, subscriptions_of_one_turn_are_sent_in_one_request);
    tcase_add_loop_test(
        tc, the_old_request_stays_open_until_the_new_request_is_acknowledged, 0, 2);
    tcase_add_test(tc, changes_before_the_acknowledgment_wait_for_the_next_request);
    tcase_add_loop_test(tc, a_subscription_waits_for_the_answer_to_the_first_request, 0,
                        2);
    tcase_add_loop_test(tc, a_resource_that_is_not_acknowledged_is_refused, 0, 4);
    tcase_add_loop_test(tc, a_refused_request_fails_only_the_resources_that_it_adds, 0,
                        3);
    tcase_add_loop_test(tc, a_refused_removal_is_not_repeated_and_its_updates_are_ignored,
                        0, 3);
    tcase_add_loop_test(tc, after_an_unsubscribe_the_request_is_replaced_or_cancelled, 0,
                        2);
    tcase_add_test(tc, a_lost_subscription_is_sent_again_and_its_resources_are_reported);
    tcase_add_loop_test(tc, after_a_gap_between_two_requests_everything_counts_as_changed,
                        0, 2);
    tcase_add_loop_test(tc, a_subscription_that_the_server_ends_is_not_sent_again, 0, 2);
    tcase_add_test(tc, after_a_repeated_negotiation_resources_are_subscribed_again);
    tcase_add_test(tc, after_a_wrong_cached_era_a_legacy_server_gets_legacy_requests);
}

int
main(void)
{
    return test_main("client-filter", add);
}
