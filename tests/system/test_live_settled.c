/* SPDX-License-Identifier: MIT
 *
 * test_live_settled.c - the SETTLED event for orders of the application.
 *
 * An order is, for example, a load, a restart of a server, or the removal of a source.
 * The event reports that the host has carried out the orders, and that each server that
 * they started has come up or failed.
 */
#include "support/hostrig.h"

static struct hostrig hr;
static uint64_t settled; /* the last serial that was reported */

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_SETTLED)
        settled = mcphost_event_get_serial(event);
    else
        ck_assert_uint_eq(mcphost_event_get_serial(event), 0);
}

static void
up(const char *script)
{
    settled = 0;
    hr_up(&hr);
    hr.on_event = on_event;
    hr_server(&hr, "a", NULL, script);
    hr_follow(&hr);
}

static int
state_of(const char *server)
{
    return hr_server_state(&hr, server);
}

START_TEST(a_restart_is_settled_when_the_new_instance_is_up)
{
    uint64_t serial;
    int started;

    up(NULL);
    started = rig_workspace_count(&hr.ws, "a.trace", "spawn");
    ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    serial = mcphost_get_order_serial(hr.host);
    ck_assert_uint_gt(serial, settled);
    hr_until(&hr, settled >= serial);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), started + 1);
    ck_assert_int_eq(state_of("a"), MCPHOST_SERVER_LOADED);
    hr_down(&hr);
}
END_TEST

START_TEST(orders_in_a_row_are_settled_up_to_the_last_serial)
{
    uint64_t first, last;

    up(NULL);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    first = mcphost_get_order_serial(hr.host);
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "a", 0), 0);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    last = mcphost_get_order_serial(hr.host);
    ck_assert_uint_eq(last, first + 2);
    hr_until(&hr, settled >= last);
    ck_assert_uint_eq(settled, last);
    ck_assert_int_eq(state_of("a"), MCPHOST_SERVER_DISABLED);
    hr_down(&hr);
}
END_TEST

START_TEST(an_order_is_not_settled_before_its_server_came_up_or_failed)
{
    uint64_t serial;

    up(NULL);
    hr_edit(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_server(&hr, "late", NULL, "on list\n delay 40\n answer");
    hr_server(&hr, "bad", NULL, "exit 1");
    hr_save(&hr);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    serial = mcphost_get_order_serial(hr.host);
    hr_until(&hr, settled >= serial);
    ck_assert_int_eq(state_of("late"), MCPHOST_SERVER_LOADED);
    ck_assert_int_ne(state_of("bad"), MCPHOST_SERVER_STARTING);
    hr_down(&hr);
}
END_TEST

START_TEST(a_removed_source_has_no_tools_once_its_removal_is_settled)
{
    mcphost_config *config;
    mcphost_dialog *dialog;
    mcphost_source *plug;
    mcphost_view *view;
    uint64_t serial;

    up(NULL);
    ck_assert_int_eq(mcphost_source_new(hr.host, "plug", &plug, NULL), 0);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_source_load(plug, config), 0);
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "p", &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, plug, NULL, 0), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "p", NULL, &dialog, NULL), 0);
    hr_ready(&hr);
    ck_assert_str_ne(hr_tools(&hr, dialog), "");
    serial = mcphost_get_order_serial(hr.host);
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    ck_assert_uint_gt(mcphost_get_order_serial(hr.host), serial);
    serial = mcphost_get_order_serial(hr.host);
    hr_until(&hr, settled >= serial);
    ck_assert_str_eq(hr_tools(&hr, dialog), "");
    /* A second removal changes nothing. */
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    ck_assert_uint_eq(mcphost_get_order_serial(hr.host), serial);
    mcphost_dialog_unref(dialog);
    mcphost_view_unref(view);
    hr_close(&hr);
    mcphost_source_unref(plug);
    hr_clear(&hr);
}
END_TEST

START_TEST(a_refused_order_gets_no_serial)
{
    uint64_t serial;

    up(NULL);
    serial = mcphost_get_order_serial(hr.host);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "nobody"), MCPHOST_E_NOTFOUND);
    ck_assert_uint_eq(mcphost_get_order_serial(hr.host), serial);
    ck_assert_uint_eq(mcphost_get_order_serial(NULL), 0);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "settled");

    tcase_add_test(tc, a_restart_is_settled_when_the_new_instance_is_up);
    tcase_add_test(tc, orders_in_a_row_are_settled_up_to_the_last_serial);
    tcase_add_test(tc, an_order_is_not_settled_before_its_server_came_up_or_failed);
    tcase_add_test(tc, a_removed_source_has_no_tools_once_its_removal_is_settled);
    tcase_add_test(tc, a_refused_order_gets_no_serial);
}

int
main(void)
{
    return test_main("live-settled", add);
}
