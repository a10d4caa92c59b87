/* SPDX-License-Identifier: MIT
 *
 * test_host_subscription.c - subscriptions to resources and their updates, in both eras.
 *
 * A subscription survives a crash, an edit and a time without calls.
 */
#include <stdio.h>
#include <string.h>

#include "support/heard.h"

#define SERVER                                                         \
    "capabilities {\"tools\":{},\"resources\":{\"subscribe\":true}}\n" \
    "no-tools\ntool touch\ntool die\ntool storm\n"                     \
    "on call:touch\n updated f:a\n text touched\n"                     \
    "on call:die\n exit 1\n"                                           \
    "on call:storm\n updated f:a\n updated f:a\n updated f:a\n updated f:b\n text s\n"

static const char *const eras[] = {"era legacy\n" SERVER, "era modern\n" SERVER};

static struct hostrig hr;

static void
up(const char *keys, const char *script)
{
    hr_up(&hr);
    heard_up(&hr);
    hr_server(&hr, "a", keys, script);
    hr_load(&hr);
}

static int
traced(const char *needle)
{
    return rig_workspace_count(&hr.ws, "a.trace", needle);
}

#define SHARED "truely-stateless: true"

/* ---- updates ----------------------------------------------------------------------- */

START_TEST(an_update_reaches_the_dialog_that_subscribed) /* R173 */
{
    const char *keys = _i % 2 ? SHARED : NULL;
    mcphost_subscription *sub;
    mcphost_dialog *d, *other;

    up(keys, eras[_i / 2]);
    d = hr_dialog(&hr, "d");
    other = hr_dialog(&hr, "e");
    sub = heard_want(d, "f:a");
    ck_assert_str_eq(mcphost_subscription_get_uri(sub), "f:a");
    ck_assert_str_eq(mcphost_subscription_get_server_id(sub), "a");
    ck_assert_str_eq(mcphost_subscription_get_dialog_id(sub), "d");
    ck_assert_ptr_null(mcphost_subscription_get_source_id(sub));
    hr_until(&hr, heard.on == 1);
    hr_say(&hr, d, "a_touch", NULL);
    hr_until(&hr, heard.updates == 1);
    ck_assert_uint_eq(heard.count, 1);
    ck_assert_str_eq(heard.said, "d:f:a ");
    /* An update that another dialog causes arrives only if both dialogs share one process
     * of the server. */
    hr_say(&hr, other, "a_touch", NULL);
    hr_turn(&hr, 100);
    ck_assert_int_eq(heard.updates, keys ? 2 : 1);
    mcphost_subscription_unref(sub);
    hr_down(&hr);
    ck_assert_int_eq(heard.over, 0);
}
END_TEST

/* R173 */
START_TEST(updates_in_quick_succession_are_merged_with_their_count)
{
    mcphost_dialog *d;

    up(NULL, eras[_i]);
    d = hr_dialog(&hr, "d");
    heard_subscribe(d, "f:a");
    hr_until(&hr, heard.on == 1);
    hr_say(&hr, d, "a_storm", NULL);
    hr_until(&hr, heard.count == 3);
    ck_assert_int_lt(heard.updates, 3);
    ck_assert_ptr_null(strstr(heard.said, "f:b"));
    hr_down(&hr);
}
END_TEST

START_TEST(dialogs_share_a_subscription_at_a_shared_client) /* R173 */
{
    mcphost_subscription *first, *second;
    mcphost_dialog *d, *e;

    up(SHARED, eras[0]);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    first = heard_want(d, "f:a");
    hr_until(&hr, heard.on == 1);
    second = heard_want(e, "f:a");
    hr_until(&hr, heard.on == 2);
    ck_assert_int_eq(traced("\"resources/subscribe\""), 1);
    hr_say(&hr, d, "a_touch", NULL);
    hr_until(&hr, heard.updates == 2);
    ck_assert_ptr_nonnull(strstr(heard.said, "d:f:a "));
    ck_assert_ptr_nonnull(strstr(heard.said, "e:f:a "));
    ck_assert_int_eq(mcphost_unsubscribe(first), 0);
    ck_assert_int_eq(mcphost_unsubscribe(first), 0);
    ck_assert_int_eq(mcphost_subscription_is_ended(first), 1);
    hr_say(&hr, d, "a_touch", NULL);
    hr_until(&hr, heard.updates == 3);
    ck_assert_int_eq(traced("\"resources/unsubscribe\""), 0);
    ck_assert_int_eq(mcphost_unsubscribe(second), 0);
    hr_until(&hr, traced("\"resources/unsubscribe\"") == 1);
    hr_say(&hr, d, "a_touch", NULL);
    hr_turn(&hr, 100);
    ck_assert_int_eq(heard.updates, 3);
    ck_assert_ptr_eq(mcphost_subscription_ref(first), first);
    mcphost_subscription_unref(first);
    mcphost_subscription_unref(first);
    mcphost_subscription_unref(second);
    hr_down(&hr);
}
END_TEST

/* ---- crashes, edits and idle leases ------------------------------------------------ */

/* R173 */
START_TEST(after_a_crash_a_subscription_is_renewed_with_one_update_event)
{
    mcphost_dialog *d;
    mcphost_call *call;

    up(_i % 2 ? SHARED : NULL, eras[_i / 2]);
    d = hr_dialog(&hr, "d");
    heard_subscribe(d, "f:a");
    hr_until(&hr, heard.on == 1);
    call = hr_call(&hr, d, "a_die", "{}");
    hr_go(call);
    hr_end(&hr, call);
    hr_until(&hr, heard.updates == 1);
    ck_assert_int_eq(heard.on, 1);
    hr_say(&hr, d, "a_touch", NULL);
    hr_until(&hr, heard.updates == 2);
    ck_assert_int_eq(heard.over, 0);
    hr_down(&hr);
}
END_TEST

/* R173 R110 */
START_TEST(a_subscription_moves_to_the_next_edition_of_its_server)
{
    const char *keys = _i ? SHARED : "truely-stateless: false";
    char edited[128];
    mcphost_dialog *d;

    up(keys, eras[0]);
    d = hr_dialog(&hr, "d");
    heard_subscribe(d, "f:a");
    hr_until(&hr, heard.on == 1);
    hr_edit(&hr);
    snprintf(edited, sizeof(edited), "%s\nenv: {MORE: '1'}", keys);
    hr_server(&hr, "a", edited, eras[0]);
    hr_load_only(&hr);
    /* The host reports one update, because it may have missed updates during the
     * change. */
    hr_until(&hr, heard.updates == 1);
    hr_say(&hr, d, "a_touch", NULL);
    hr_until(&hr, heard.updates == 2);
    ck_assert_int_eq(heard.over, 0);
    ck_assert_int_eq(heard.on, 1);
    hr_down(&hr);
}
END_TEST

static bool
has_lease(mcphost_dialog *d)
{
    mcphost_lease *lease;
    int r = mcphost_dialog_get_lease(d, "a", &lease);

    if (r == 0)
        mcphost_lease_unref(lease);
    return r == 0;
}

START_TEST(a_subscription_keeps_its_lease_from_ending_as_idle) /* R81 */
{
    mcphost_subscription *sub;
    mcphost_dialog *d;

    hr_up(&hr);
    heard_up(&hr);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_LEASE_IDLE, 100), 0);
    hr_server(&hr, "a", NULL, eras[0]);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    sub = heard_want(d, "f:a");
    hr_until(&hr, heard.on == 1);
    hr_turn(&hr, 400);
    ck_assert(has_lease(d));
    ck_assert_int_eq(mcphost_unsubscribe(sub), 0);
    hr_until(&hr, !has_lease(d));
    mcphost_subscription_unref(sub);
    hr_down(&hr);
}
END_TEST

/* ---- the end of a subscription ----------------------------------------------------- */

/* R173 */
START_TEST(a_refused_subscription_ends_with_the_servers_error)
{
    mcphost_subscription *sub;

    up(NULL, "era legacy\n" SERVER "on resources/subscribe\n error -32602 not this\n");
    sub = heard_want(hr_dialog(&hr, "d"), "f:a");
    hr_until(&hr, heard.over == 1);
    ck_assert_int_eq(heard.code, MCPHOST_E_RPC);
    ck_assert_int_eq(mcphost_subscription_is_ended(sub), 1);
    ck_assert_int_eq(mcphost_unsubscribe(sub), 0);
    mcphost_subscription_unref(sub);
    hr_turn(&hr, 20);
    ck_assert_int_eq(heard.over, 1);
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(a_subscription_ends_if_its_server_does_not_support_it)
{
    up(NULL, NULL);
    heard_subscribe(hr_dialog(&hr, "d"), "f:a");
    hr_until(&hr, heard.over == 1);
    ck_assert_int_eq(heard.code, MCPHOST_E_NOTFOUND);
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(a_subscription_ends_with_its_server_its_grant_or_its_lease)
{
    mcphost_grant *all, *none;
    mcphost_dialog *d, *e;
    mcphost_lease *lease;
    mcphost_view *view;

    up(NULL, eras[0]);
    all = hr_grant("a", "");
    none = hr_grant("none", "");
    d = hr_dialog(&hr, "d");
    heard_subscribe(d, "f:a");
    hr_until(&hr, heard.on == 1);
    ck_assert_int_eq(mcphost_dialog_get_lease(d, "a", &lease), 0);
    ck_assert_int_eq(mcphost_lease_release(lease), 0);
    mcphost_lease_unref(lease);
    hr_until(&hr, heard.over == 1);
    ck_assert_int_eq(heard.code, MCPHOST_E_CANCELLED);
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", all, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "e", NULL, &e, NULL), 0);
    heard_subscribe(e, "f:a");
    hr_until(&hr, heard.on == 2);
    ck_assert_int_eq(mcphost_view_set_grant(view, none), 0);
    hr_until(&hr, heard.over == 2);
    ck_assert_int_eq(heard.code, MCPHOST_E_DENIED);
    heard_subscribe(d, "f:a");
    hr_until(&hr, heard.on == 3);
    hr_edit(&hr);
    hr_server(&hr, "b", NULL, eras[0]);
    hr_load_only(&hr);
    hr_until(&hr, heard.over == 3);
    ck_assert_int_eq(heard.code, MCPHOST_E_GONE);
    mcphost_grant_unref(all);
    mcphost_grant_unref(none);
    mcphost_dialog_unref(e);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(a_closed_dialog_gets_no_updates_and_cannot_subscribe)
{
    mcphost_subscription *sub, *kept;
    mcphost_error *err = NULL;
    mcphost_dialog *d;

    up(SHARED, eras[0]);
    d = hr_dialog(&hr, "d");
    kept = heard_want(d, "f:a");
    hr_until(&hr, heard.on == 1);
    ck_assert_int_eq(mcphost_subscribe(d, "a", "", &sub, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_subscribe(d, "a", "f:\n", &sub, &err), MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "byte 3");
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_subscribe(d, "b", "f:a", &sub, NULL), MCPHOST_E_NOTFOUND);
    mcphost_dialog_close(d);
    hr_until(&hr, traced("\"resources/unsubscribe\"") == 1);
    ck_assert_int_eq(mcphost_subscribe(d, "a", "f:a", &sub, NULL), MCPHOST_E_CLOSED);
    hr_say(&hr, hr_dialog(&hr, "e"), "a_touch", NULL);
    hr_turn(&hr, 100);
    ck_assert_int_eq(heard.updates, 0);
    ck_assert_int_eq(heard.over, 0);
    ck_assert_int_eq(mcphost_subscription_is_ended(kept), 1);
    /* A handle may outlive its host. */
    hr_down(&hr);
    ck_assert_str_eq(mcphost_subscription_get_dialog_id(kept), "d");
    ck_assert_int_eq(mcphost_unsubscribe(kept), 0);
    mcphost_subscription_unref(kept);
}
END_TEST

/* ---- storms of updates ------------------------------------------------------------- */

#define STORM 100000
#define STORMS                                                          \
    SERVER "tool wild\non call:wild\n updates 100000 f:a\n text over\n" \
           "tool stray\non call:stray\n updates 100000 f:none\n text over\n"

static mcphost_dialog *
up_for_a_storm(int era)
{
    static const char *const storms[] = {"era legacy\n" STORMS, "era modern\n" STORMS};
    mcphost_dialog *d;

    hr_up(&hr);
    heard_up(&hr);
    hr_server(&hr, "a", SHARED, storms[era]);
    hr_server(&hr, "good", SHARED, NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    heard_subscribe(d, "f:a");
    hr_until(&hr, heard.on == 1);
    return d;
}

/* Calls the tool.  Meanwhile server `good` must answer one call after another. */
static void
storm(mcphost_dialog *d, const char *tool)
{
    mcphost_call *call = hr_call(&hr, d, tool, "{}");
    int n = 0;

    hr_go(call);
    for (; !mcphost_call_is_done(call) || n < 3; n++) {
        ck_assert_str_eq(hr_say(&hr, d, "good_echo", "{\"text\":\"x\"}"), "x");
        mcphost_call_unref(hr.calls[--hr.n_calls]);
        hr_turn(&hr, 10);
    }
    ck_assert_str_eq(hr_text(&hr, call), "over");
}

/* R173 */
START_TEST(a_hundred_thousand_updates_are_counted_and_cost_no_memory)
{
    mcphost_dialog *d;
    long before;

    d = up_for_a_storm(_i);
    storm(d, "a_wild");
    hr_until(&hr, heard.count == STORM);
    before = rig_anon_kib();
    storm(d, "a_wild");
    hr_until(&hr, heard.count == 2 * STORM);
    if (before >= 0)
        ck_assert_int_lt(rig_anon_kib() - before, 4096);
    ck_assert_int_lt(heard.updates, 1000);
    ck_assert_int_eq(heard.over, 0);
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(a_hundred_thousand_updates_of_another_uri_are_dropped)
{
    mcphost_dialog *d;
    long before;

    d = up_for_a_storm(_i);
    storm(d, "a_stray");
    before = rig_anon_kib();
    storm(d, "a_stray");
    if (before >= 0)
        ck_assert_int_lt(rig_anon_kib() - before, 4096);
    hr_say(&hr, d, "a_touch", NULL);
    hr_until(&hr, heard.updates == 1);
    ck_assert_uint_eq(heard.count, 1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *hear = test_case(suite, "hear"), *clients = test_case(suite, "clients");
    TCase *over = test_case(suite, "over"), *storms = test_case(suite, "storms");

    tcase_add_loop_test(hear, an_update_reaches_the_dialog_that_subscribed, 0, 4);
    tcase_add_loop_test(hear, updates_in_quick_succession_are_merged_with_their_count, 0,
                        2);
    tcase_add_test(hear, dialogs_share_a_subscription_at_a_shared_client);
    tcase_add_loop_test(
        clients, after_a_crash_a_subscription_is_renewed_with_one_update_event, 0, 4);
    tcase_add_loop_test(clients, a_subscription_moves_to_the_next_edition_of_its_server,
                        0, 2);
    tcase_add_test(clients, a_subscription_keeps_its_lease_from_ending_as_idle);
    tcase_add_test(over, a_refused_subscription_ends_with_the_servers_error);
    tcase_add_test(over, a_subscription_ends_if_its_server_does_not_support_it);
    tcase_add_test(over, a_subscription_ends_with_its_server_its_grant_or_its_lease);
    tcase_add_test(over, a_closed_dialog_gets_no_updates_and_cannot_subscribe);
    tcase_set_timeout(clients, 30);
    tcase_add_loop_test(storms, a_hundred_thousand_updates_are_counted_and_cost_no_memory,
                        0, 2);
    tcase_add_loop_test(storms, a_hundred_thousand_updates_of_another_uri_are_dropped, 0,
                        2);
    tcase_set_timeout(storms, 60);
}

int
main(void)
{
    return test_main("host-subscription", add);
}
