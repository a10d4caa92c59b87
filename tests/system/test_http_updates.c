/* SPDX-License-Identifier: MIT
 *
 * test_http_updates.c - updates of resources over HTTP.
 *
 * Updates arrive on the stream of a legacy session or on the subscription of a modern
 * server.  After a loss, the host opens the stream or makes the subscription again.
 */
#include <stdio.h>
#include <string.h>

#include "support/heard.h"
#include "support/httprig.h"

#define SERVER                                                         \
    "capabilities {\"tools\":{},\"resources\":{\"subscribe\":true}}\n" \
    "no-tools\ntool touch\ntool storm\ntool stray\n"                   \
    "on call:touch\n updated f:a\n text touched\n"                     \
    "on call:stray\n updated f:b\n text strayed\n"                     \
    "on call:storm\n updates 1000 f:a\n text stormed\n"
#define SHARED "truely-stateless: true"

static const char *const eras[] = {"era legacy\n" SERVER, "era modern\n" SERVER};

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *d;

static void
up(const char *keys, const char *base, const char *script)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s", base, script);
    hr_up(&hr);
    heard_up(&hr);
    hr_http(&hr, &web, "a", keys, text);
    hr_load(&hr);
    hr_loaded(&hr, "a");
    d = hr_dialog(&hr, "d");
}

static int
sent(const char *method)
{
    char text[64];

    snprintf(text, sizeof(text), "\"method\":\"%s\"", method);
    return hr_traced(&hr, "a", text);
}

/* Subscribes to f:a and waits for the confirmation. */
static void
subscribe(void)
{
    heard_subscribe(d, "f:a");
    hr_until(&hr, heard.on == 1);
}

/* Changes the resource and waits for exactly one update. */
static void
touch(void)
{
    uint64_t count = heard.count;

    hr_say(&hr, d, "a_touch", NULL);
    hr_until(&hr, heard.count == count + 1);
}

START_TEST(an_update_reaches_the_dialog) /* R173 */
{
    up(_i % 2 ? SHARED : NULL, eras[_i / 2], "");
    subscribe();
    touch();
    ck_assert_str_eq(heard.said, "d:f:a ");
    ck_assert_int_eq(sent("resources/subscribe"), _i / 2 ? 0 : 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "\"resourceSubscriptions\":[\"f:a\"]"),
                     _i / 2 ? 1 : 0);
    hr_down(&hr);
    ck_assert_int_eq(heard.over, 0);
}
END_TEST

/* Without `truely-stateless`, each dialog has its own session at a legacy server. */
START_TEST(an_update_in_another_session_is_not_reported) /* R173 */
{
    mcphost_dialog *e;

    up(NULL, eras[0], "");
    e = hr_dialog(&hr, "e");
    subscribe();
    hr_say(&hr, e, "a_touch", NULL);
    hr_turn(&hr, 100);
    ck_assert_int_eq(heard.updates, 0);
    touch();
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(a_storm_of_updates_is_reported_in_fewer_events_with_a_count)
{
    up(SHARED, eras[_i], "");
    subscribe();
    hr_say(&hr, d, "a_storm", NULL);
    hr_until(&hr, heard.count == 1000);
    ck_assert_int_lt(heard.updates, 1000);
    hr_say(&hr, d, "a_stray", NULL);
    hr_turn(&hr, 50);
    ck_assert_ptr_null(strstr(heard.said, "f:b"));
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(mcphost_unsubscribe_ends_the_subscription_at_the_server)
{
    mcphost_subscription *sub;

    up(SHARED, eras[_i], "");
    sub = heard_want(d, "f:a");
    hr_until(&hr, heard.on == 1);
    ck_assert_int_eq(mcphost_unsubscribe(sub), 0);
    if (_i)
        hr_until(&hr, hr_traced(&hr, "a", " gone ") > 0);
    else
        hr_until(&hr, sent("resources/unsubscribe") == 1);
    hr_say(&hr, d, "a_touch", NULL);
    hr_turn(&hr, 50);
    ck_assert_int_eq(heard.updates, 0);
    mcphost_subscription_unref(sub);
    hr_down(&hr);
}
END_TEST

/* ---- lost streams and sessions ----------------------------------------------------- */

static const char *const ends[] = {" cut\n", " reset\n", " end\n"};

/* The host reports an update, because it cannot know whether the resource changed while
 * the stream was lost. */
START_TEST(a_subscription_whose_stream_is_lost_is_made_again) /* R173 */
{
    char script[512];

    snprintf(script, sizeof(script), "on subscriptions/listen 1\n answer\n delay 100\n%s",
             ends[_i]);
    up(SHARED, eras[1], script);
    subscribe();
    hr_until(&hr, sent("subscriptions/listen") == 2);
    hr_until(&hr, heard.updates == 1);
    touch();
    ck_assert_int_eq(heard.on, 1);
    ck_assert_int_eq(heard.over, 0);
    hr_down(&hr);
}
END_TEST

START_TEST(the_lost_stream_of_a_session_is_opened_again) /* R173 */
{
    char script[512];

    snprintf(script, sizeof(script), "on get\n stream\non get 1\n stream\n delay 100\n%s",
             ends[_i]);
    up(SHARED, eras[0], script);
    subscribe();
    hr_until(&hr, hr_traced(&hr, "a", " http GET") >= 2);
    hr_until(&hr, heard.updates == 1);
    touch();
    ck_assert_int_eq(sent("resources/subscribe"), 1); /* the session keeps the
                                                       * subscription */
    ck_assert_int_eq(heard.over, 0);
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(subscriptions_of_a_lost_session_are_made_again_in_the_next_session)
{
    up(_i ? SHARED : NULL, eras[0],
       "tool lose\non call:lose 1\n forget\n status 404\n body gone\n");
    subscribe();
    hr_say(&hr, d, "a_lose", NULL);
    hr_until(&hr, sent("resources/subscribe") == 2);
    hr_until(&hr, heard.updates == 1); /* the host may have missed a change */
    touch();
    ck_assert_int_eq(heard.on, 1);
    ck_assert_int_eq(heard.over, 0);
    hr_down(&hr);
}
END_TEST

START_TEST(subscriptions_survive_a_restart_of_the_web_server) /* R173 */
{
    up(SHARED, eras[_i], "");
    subscribe();
    http_again(&web);
    hr_until(&hr, heard.updates >= 1);
    touch();
    ck_assert_int_eq(heard.over, 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_refused_subscription_ends_with_the_error) /* R173 */
{
    static const char *const refusals[] = {
        "on resources/subscribe\n error -32602 not this\n",
        "on subscriptions/listen\n error -32602 not this\n"};

    up(SHARED, eras[_i], refusals[_i]);
    heard_subscribe(d, "f:a");
    hr_until(&hr, heard.over == 1);
    ck_assert_int_eq(heard.code, MCPHOST_E_RPC);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *hear = test_case(suite, "hear"), *losses = test_case(suite, "losses");

    tcase_add_loop_test(hear, an_update_reaches_the_dialog, 0, 4);
    tcase_add_test(hear, an_update_in_another_session_is_not_reported);
    tcase_add_loop_test(hear, a_storm_of_updates_is_reported_in_fewer_events_with_a_count,
                        0, 2);
    tcase_add_loop_test(hear, mcphost_unsubscribe_ends_the_subscription_at_the_server, 0,
                        2);
    tcase_add_loop_test(losses, a_subscription_whose_stream_is_lost_is_made_again, 0, 3);
    tcase_add_loop_test(losses, the_lost_stream_of_a_session_is_opened_again, 0, 3);
    tcase_add_loop_test(
        losses, subscriptions_of_a_lost_session_are_made_again_in_the_next_session, 0, 2);
    tcase_add_loop_test(losses, subscriptions_survive_a_restart_of_the_web_server, 0, 2);
    tcase_add_loop_test(losses, a_refused_subscription_ends_with_the_error, 0, 2);
    tcase_set_timeout(losses, 30);
}

int
main(void)
{
    return test_main("http-updates", add);
}
