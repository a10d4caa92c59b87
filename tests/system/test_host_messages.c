/* SPDX-License-Identifier: MIT
 *
 * test_host_messages.c - the lowest level of log messages that the host requests from
 * servers.
 */
#include <stdio.h>

#include "support/hostrig.h"

#define LEGACY "era legacy\n"
#define MODERN "era modern\n"
#define SHARED "truely-stateless: true"
#define ASKED  "\"io.modelcontextprotocol/logLevel\":"

static struct hostrig hr;

static int
traced(const char *needle)
{
    return rig_workspace_count(&hr.ws, "a.trace", needle);
}

static void
edit(const char *keys, const char *script)
{
    hr_edit(&hr);
    hr_server(&hr, "a", keys, script);
    hr_load(&hr);
}

START_TEST(a_legacy_server_gets_set_level_at_start_and_when_the_level_changes)
{
    int64_t pid;

    hr_up(&hr);
    hr_server(&hr, "a", SHARED "\nlogLevel: notice", LEGACY);
    hr_load(&hr);
    hr_until(&hr, traced("{\"level\":\"notice\"}") == 1);
    pid = hr_server_pid(&hr, "a");
    edit(SHARED "\nlogLevel: debug", LEGACY);
    hr_until(&hr, traced("{\"level\":\"debug\"}") == 1);
    edit(SHARED "\nlogLevel: debug\nmanual: words", LEGACY);
    edit(SHARED, LEGACY);
    hr_until(&hr, traced("{\"level\":\"emergency\"}") == 1);
    ck_assert_int_eq(traced("logging/setLevel"), 3);
    ck_assert_int_eq(hr_server_pid(&hr, "a"), pid);
    hr_down(&hr);
}
END_TEST

START_TEST(a_modern_server_gets_the_log_level_in_each_request)
{
    int before;

    hr_up(&hr);
    hr_server(&hr, "a", SHARED "\nlogLevel: error", MODERN);
    hr_load(&hr);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_echo", "{\"text\":\"x\"}");
    ck_assert_int_gt(traced(ASKED "\"error\""), 0);
    ck_assert_int_eq(traced("logging/setLevel"), 0);
    before = traced(ASKED);
    edit(SHARED, MODERN);
    hr_say(&hr, hr_dialog(&hr, "e"), "a_echo", "{\"text\":\"y\"}");
    ck_assert_int_eq(traced(ASKED), before);
    hr_down(&hr);
}
END_TEST

START_TEST(the_messages_option_applies_to_servers_without_a_log_level)
{
    hr_up(&hr);
    ck_assert_int_eq(
        mcphost_set_option(hr.host, MCPHOST_OPT_MESSAGES, MCPHOST_MESSAGES_ALERT), 0);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_MESSAGES, 9),
                     MCPHOST_E_INVALID);
    hr_server(&hr, "a", SHARED, LEGACY);
    hr_server(&hr, "b", SHARED "\nlogLevel: unasked", LEGACY);
    hr_load(&hr);
    hr_until(&hr, traced("{\"level\":\"alert\"}") == 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "b.trace", "logging/setLevel"), 0);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "messages");

    tcase_add_test(tc,
                   a_legacy_server_gets_set_level_at_start_and_when_the_level_changes);
    tcase_add_test(tc, a_modern_server_gets_the_log_level_in_each_request);
    tcase_add_test(tc, the_messages_option_applies_to_servers_without_a_log_level);
}

int
main(void)
{
    return test_main("host-messages", add);
}
