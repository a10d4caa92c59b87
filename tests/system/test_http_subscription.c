/* SPDX-License-Identifier: MIT
 *
 * test_http_subscription.c - how the host renews the lost subscription of a modern HTTP
 * server.
 *
 * The host makes the subscription again after a delay.  The host then reads the list
 * of tools once more.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "support/httprig.h"

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *d;

static void
up(const char *script)
{
    hr_up(&hr);
    hr_http(&hr, &web, "web", NULL, script);
    hr_load(&hr);
    hr_loaded(&hr, "web");
    d = hr_dialog(&hr, "d");
}

static int
subscriptions(void)
{
    return hr_traced(&hr, "web", "h mcp-method: subscriptions/listen");
}

static int
lists(void)
{
    return hr_traced(&hr, "web", "h mcp-method: tools/list");
}

/* The script of a server that ends its first subscription with the action `how`.
 * Before the end, the server changes to its second set of tools without a notice. */
#define LOST(how)                                                                     \
    "era modern\nset more\ntool echo\ntool new\non subscriptions/listen 1\n answer\n" \
    " delay 50\n use more\n" how

static const char *const losses[] = {
    LOST(" cut"),
    LOST(" reset"),
    LOST(" end"),
    /* The server ends the subscription with a result. */
    LOST(" result {\"resultType\":\"complete\",\"_meta\":{"
         "\"io.modelcontextprotocol/subscriptionId\":\"listen:1\"}}"),
};

/* MCP 2026-07-28, Subscriptions: the client reads the list again, because the list may
 * have changed before the new subscription. */
START_TEST(a_lost_subscription_is_made_again_and_the_list_fetched_once)
{
    int64_t lost, begun;

    up(losses[_i]);
    ck_assert_ptr_null(strstr(hr_tools(&hr, NULL), "web_new"));
    hr_turn(&hr, 80); /* the subscription is lost during this wait */
    lost = mcph_clock_monotonic_ms();
    ck_assert_int_eq(lists(), 1);
    hr_until(&hr, subscriptions() == 2);
    begun = mcph_clock_monotonic_ms();
    /* The client subscribes again a second after the loss.  The test reads `lost` some
     * time after the loss, so that less than a second is left. */
    ck_assert_int_ge(begun - lost, 600);
    hr_until(&hr, strstr(hr_tools(&hr, NULL), "web_new") != NULL);
    hr_turn(&hr, 200);
    ck_assert_int_eq(lists(), 2);
    ck_assert_int_eq(subscriptions(), 2);
    ck_assert_str_eq(hr_say(&hr, d, "web_new", "{\"text\":\"x\"}"), "x");
    hr_down(&hr);
}
END_TEST

START_TEST(a_subscription_that_breaks_again_waits_longer_and_calls_go_on)
{
    int64_t first, second;

    up("era modern\non subscriptions/listen\n answer\n cut");
    hr_until(&hr, subscriptions() == 2);
    first = mcph_clock_monotonic_ms();
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    hr_until(&hr, subscriptions() == 3);
    second = mcph_clock_monotonic_ms();
    ck_assert_int_ge(second - first, 1500);
    ck_assert_int_eq(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "subscriptions over HTTP");

    tcase_add_loop_test(tc, a_lost_subscription_is_made_again_and_the_list_fetched_once,
                        0, (int)(sizeof(losses) / sizeof(losses[0])));
    tcase_add_test(tc, a_subscription_that_breaks_again_waits_longer_and_calls_go_on);
}

int
main(void)
{
    return test_main("http-subscription", add);
}
