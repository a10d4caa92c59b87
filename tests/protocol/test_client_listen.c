/* SPDX-License-Identifier: MIT
 *
 * test_client_listen.c - the subscription of a modern client to notifications of changes
 * over HTTP: open, lost, and refused.
 */
#include <stdio.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

static void
up(void)
{
    cr_up();
    cr.web = true;
}

START_TEST(a_subscription_is_sent_with_kind_listen_and_its_headers)
{
    cr_start();
    cr_next();
    cr_answer(
        cr_stream(),
        "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"supportedVersions\":["
        "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}}}}");
    test_has(cr_next(), "subscriptions/listen");
    ck_assert_int_eq(cr_kind(), MCPH_SEND_LISTEN);
    ck_assert_str_eq(cr_headers(),
                     "MCP-Protocol-Version=2026-07-28 Mcp-Method=subscriptions/listen");
}
END_TEST

#define LISTEN(n)                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":\"listen:" n "\",\"method\":\"subscriptions/listen\"," \
    "\"params\":{\"notifications\":{\"toolsListChanged\":true}," CR_META "}}}"
#define ACK(n)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"," \
    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:" n \
    "\"},\"notifications\":{\"toolsListChanged\":true}}}"

static void
subscribe(void)
{
    cr_start();
    cr_next();
    cr_answer(
        cr_stream(),
        "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"supportedVersions\":["
        "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}}}}");
    cr_expect(LISTEN("1"));
}

/* MCP 2026-07-28, Subscriptions.  The subscription ends with a lost stream, a result, or
 * the status 503. */
START_TEST(a_lost_subscription_is_sent_again_and_the_list_counts_as_changed)
{
    subscribe();
    cr_say_on(cr_stream(), ACK("1"));
    if (_i == 0)
        cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset");
    else if (_i == 1)
        cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":\"listen:1\",\"result\":{"
                               "\"resultType\":\"complete\"}}");
    else
        cr_status(cr_stream(), 503, NULL,
                  _i == 2 ? NULL
                          : "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{"
                            "\"code\":-32000,\"message\":\"shutting down\"}}");
    cr_advance(999);
    cr_expect_nothing();
    cr_advance(1);
    cr_expect(LISTEN("2"));
    cr_advance(200);
    ck_assert_int_eq(cr.changed, 0);
    cr_say_on(cr_stream(), ACK("2"));
    cr_advance(200);
    ck_assert_int_eq(cr.changed, 1);
}
END_TEST

START_TEST(the_delay_doubles_while_a_subscription_is_lost_repeatedly)
{
    int64_t delay = 1000;

    subscribe();
    for (int i = 0; i < 9; i++) {
        cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset");
        cr_advance(delay - 1);
        cr_expect_nothing();
        cr_advance(1);
        test_has(cr_next(), "subscriptions/listen");
        delay = delay < 30000 ? 2 * delay : 60000;
    }
    cr_say_on(cr_stream(), ACK("10"));
    cr_advance(60000);
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset");
    cr_advance(1000); /* the delay is short again after 60 s without a loss */
    test_has(cr_next(), "subscriptions/listen");
}
END_TEST

START_TEST(a_refused_subscription_is_not_sent_again)
{
    subscribe();
    if (_i == 0)
        cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":\"listen:1\",\"error\":{"
                               "\"code\":-32601,\"message\":\"no\"}}");
    else
        cr_status(cr_stream(), _i == 1 ? 405 : _i == 2 ? 401 : 404, NULL, NULL);
    cr_advance(100000);
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(notices_of_an_earlier_subscription_are_ignored)
{
    subscribe();
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset");
    cr_advance(1000);
    cr_expect(LISTEN("2"));
    cr_say_on(cr_stream(), ACK("1"));
    cr_say_on(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\","
              "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":"
              "\"listen:1\"}}}");
    cr_advance(200);
    ck_assert_int_eq(cr.changed, 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "subscriptions");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(
        tc, a_lost_subscription_is_sent_again_and_the_list_counts_as_changed, 0, 4);
    tcase_add_test(tc, a_subscription_is_sent_with_kind_listen_and_its_headers);
    tcase_add_test(tc, the_delay_doubles_while_a_subscription_is_lost_repeatedly);
    tcase_add_loop_test(tc, a_refused_subscription_is_not_sent_again, 0, 4);
    tcase_add_test(tc, notices_of_an_earlier_subscription_are_ignored);
}

int
main(void)
{
    return test_main("client-listen", add);
}
