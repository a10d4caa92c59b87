/* SPDX-License-Identifier: MIT
 *
 * test_http_lease.c - leases over HTTP in both eras.
 *
 * A legacy server keeps a session for each dialog.  A modern server keeps no state.
 */
#include <stdio.h>
#include <string.h>

#include "support/httprig.h"

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *one, *two;

static void
up(const char *script)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 20);
    hr_http(&hr, &web, "a", NULL, script);
    hr_load(&hr);
    one = hr_dialog(&hr, "one");
    two = hr_dialog(&hr, "two");
}

static void
use(void)
{
    hr_say(&hr, one, "a_echo", "{\"text\":\"x\"}");
    hr_say(&hr, two, "a_echo", "{\"text\":\"x\"}");
}

/* R75 R79 */
START_TEST(leases_on_a_modern_server_share_one_connection)
{
    mcphost_lease *lease = NULL;

    up("era modern");
    use();
    use();
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "one", 1), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "two", 1), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, NULL, NULL, -1), 0);
    /* The count for one request is 2, because the request has the method in its body and
     * in a header. */
    ck_assert_int_eq(hr_traced(&hr, "a", "server/discover"), 2);
    ck_assert_int_eq(mcphost_dialog_get_lease(one, "a", &lease), 0);
    ck_assert_str_eq(mcphost_lease_get_dialog_id(lease), "one");
    ck_assert_int_eq(mcphost_lease_release(lease), 0);
    mcphost_lease_unref(lease);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "one", 0) == 1);
    use(); /* `two` keeps its lease; `one` gets a new lease */
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "one", 1), 2);
    ck_assert_int_eq(hr_server_pid(&hr, "a"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_lease_on_a_modern_server_the_agent_cannot_be_set)
{
    up("era modern");
    hr_say(&hr, one, "a_echo", "{\"text\":\"x\"}");
    ck_assert_int_eq(mcphost_dialog_set_agent(one, "x"), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_dialog_set_workspace(one, "w"), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_dialog_set_agent(two, "x"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_modern_server_has_one_subscription_that_lasts)
{
    up("era modern");
    hr_turn(&hr, 60); /* longer than MCPHOST_OPT_FIRST_LEASE_WAIT */
    use();
    ck_assert_int_eq(hr_traced(&hr, "a", "h mcp-method: subscriptions/listen"), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", " gone "), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(each_lease_on_a_legacy_server_has_a_session)
{
    up("era legacy");
    use();
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "one", 1), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REMINDER, "a", "two", 1), 1);
    ck_assert_int_ge(hr_traced(&hr, "a", "\"method\":\"initialize\""), 2);
    hr_down(&hr);
}
END_TEST

/* R80: closing a dialog ends its lease, but not the connection of other dialogs. */
START_TEST(closing_a_dialog_leaves_the_connection_of_other_dialogs_open)
{
    mcphost_call *call;

    up("era modern");
    use();
    call = hr_start(&hr, two, "a_slow", "{\"ms\":50}");
    ck_assert_int_eq(mcphost_dialog_close(one), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "one", 0) == 1);
    hr_say(&hr, two, "a_echo", "{\"text\":\"x\"}");
    ck_assert_int_eq(hr_traced(&hr, "a", "server/discover"), 2);
    hr_down(&hr);
}
END_TEST

/* A server's request belongs to the call on whose stream the request arrives. */
START_TEST(a_request_over_http_is_reported_with_its_dialog)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_ROOTS);
    hr_http(&hr, &web, "a", NULL,
            _i == 0 ? "era legacy\non call:echo\n ask roots/list {}\n text %r"
                    : "era modern\non call:echo\n ask roots/list {}\n text %r");
    hr_load(&hr);
    one = hr_dialog(&hr, "one");
    call = hr_start(&hr, one, "a_echo", "{}");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_REQUEST, "a", "one", 1) == 1);
    /* The host rejects the request, because the application takes no reference to the
     * request. */
    ck_assert_int_eq(hr_end(&hr, call), _i == 0 ? 0 : MCPHOST_E_DENIED);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "leases by era");

    tcase_add_test(tc, leases_on_a_modern_server_share_one_connection);
    tcase_add_test(tc, after_a_lease_on_a_modern_server_the_agent_cannot_be_set);
    tcase_add_test(tc, a_modern_server_has_one_subscription_that_lasts);
    tcase_add_test(tc, each_lease_on_a_legacy_server_has_a_session);
    tcase_add_test(tc, closing_a_dialog_leaves_the_connection_of_other_dialogs_open);
    tcase_add_loop_test(tc, a_request_over_http_is_reported_with_its_dialog, 0, 2);
}

int
main(void)
{
    return test_main("http-lease", add);
}
