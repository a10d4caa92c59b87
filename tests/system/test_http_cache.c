/* SPDX-License-Identifier: MIT
 *
 * test_http_cache.c - cached answers of servers: which requests a second client or a
 * second lease still sends.
 */
#include <stdio.h>
#include <string.h>

#include "support/httprig.h"

#define PUBLIC  "hints \"ttlMs\":60000,\"cacheScope\":\"public\""
#define PRIVATE "hints \"ttlMs\":60000,\"cacheScope\":\"private\""
#define MORE    "\nset more\ntool echo\ntool new\non call:add\n answer\n use more\n changed"
#define TOKEN   "headers:\n  X-Token: {env: TOKEN}"

static struct hostrig hr;
static struct httprig web;
static char keys[256];

/* Starts a host that follows a configuration file with the server `web`. */
static void
up(const char *more, const char *script)
{
    static const char *const environment[] = {"TOKEN=one", NULL};

    snprintf(keys, sizeof(keys), "%s", more ? more : "");
    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_environment(hr.host, environment), 0);
    hr_http(&hr, &web, "web", more, script);
    hr_follow(&hr);
    hr_ready(&hr);
    hr_loaded(&hr, "web");
}

static int
asked(const char *method)
{
    char text[64];

    snprintf(text, sizeof(text), "h mcp-method: %s", method);
    return hr_traced(&hr, "web", text);
}

static void
expect(int discovers, int lists)
{
    ck_assert_int_eq(asked("server/discover"), discovers);
    ck_assert_int_eq(asked("tools/list"), lists);
}

/* Declares the same server under one more id. */
static void
add_server(const char *id)
{
    hr_edit(&hr);
    hr_url(&hr, "web", web.url, keys);
    hr_url(&hr, id, web.url, keys);
    hr_save(&hr);
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_SERVER, id, NULL, MCPHOST_SERVER_LOADED) > 0);
}

/* Disables the server, then enables it with the keys in `keys`. */
static void
begin_again(void)
{
    hr_edit(&hr);
    hr_url(&hr, "web", web.url, "enabled: false");
    hr_reload(&hr);
    hr_until(&hr, !strstr(hr_tools(&hr, NULL), "web_echo"));
    hr_edit(&hr);
    hr_url(&hr, "web", web.url, keys);
    hr_reload(&hr);
    hr_until(&hr, strstr(hr_tools(&hr, NULL), "web_echo"));
}

/* MCP 2026-07-28, Caching: all clients of a server may share a public answer. */
START_TEST(a_second_client_of_a_server_uses_the_cached_answers)
{
    up(NULL, "era modern\n" PUBLIC);
    expect(1, 1);
    add_server("other");
    expect(1, 1);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "other_echo", "{\"text\":\"x\"}"),
                     "x");
    ck_assert_int_eq(asked("subscriptions/listen"), 2);
    expect(1, 1);
    hr_down(&hr);
}
END_TEST

START_TEST(without_cache_hints_each_client_sends_its_own_requests)
{
    up(NULL, "era modern");
    add_server("other");
    expect(2, 2);
    hr_down(&hr);
}
END_TEST

START_TEST(with_cache_bytes_0_each_client_sends_its_own_requests)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_CACHE_BYTES, 0);
    hr_http(&hr, &web, "web", NULL, "era modern\n" PUBLIC);
    hr_follow(&hr);
    hr_ready(&hr);
    keys[0] = '\0';
    add_server("other");
    expect(2, 2);
    hr_down(&hr);
}
END_TEST

START_TEST(a_change_of_the_headers_sends_discover_and_list_again)
{
    up(NULL, "era modern\n" PUBLIC);
    snprintf(keys, sizeof(keys), "headers: {X-Other: 'yes'}");
    begin_again();
    expect(2, 2);
    hr_down(&hr);
}
END_TEST

/* The configuration names the variable TOKEN.  The test changes only the variable's
 * value. */
START_TEST(only_a_public_answer_is_used_for_other_credentials)
{
    up(TOKEN, _i == 0 ? "era modern\n" PRIVATE : "era modern\n" PUBLIC);
    begin_again();
    expect(1, 1);
    ck_assert_int_eq(mcphost_set_env(hr.host, "TOKEN", "two"), 0);
    begin_again();
    if (_i == 0)
        expect(2, 2);
    else
        expect(1, 1);
    hr_down(&hr);
}
END_TEST

/* The host reuses a private answer only with equal credentials.  mcphost_set_credential()
 * changes the credentials. */
START_TEST(private_answers_are_not_used_for_a_newly_set_credential)
{
    up(NULL, "era modern\n" PRIVATE);
    ck_assert_int_eq(mcphost_set_credential(hr.host, "web", NULL, "Authorization",
                                            "Bearer secret-1", NULL),
                     0);
    begin_again();
    expect(2, 2);
    begin_again();
    expect(2, 2);
    hr_down(&hr);
}
END_TEST

/* R103 */
START_TEST(a_restart_sends_discover_and_list_again)
{
    up(NULL, "era modern\n" PUBLIC);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "web"), 0);
    hr_until(&hr, asked("tools/list") == 2);
    expect(2, 2);
    hr_say(&hr, hr_dialog(&hr, "d"), "mcp_restart", "{\"serverId\":\"web\"}");
    expect(3, 3);
    hr_down(&hr);
}
END_TEST

/* The notice of the change drops the cached list.  The host requests the list once more.
 * A second client then uses the new list from the cache. */
START_TEST(a_changed_list_replaces_the_cached_list_for_all_clients)
{
    up(NULL, "era modern\n" PUBLIC MORE);
    hr_until(&hr, asked("subscriptions/listen") == 1);
    hr_turn(&hr, 30);
    hr_say(&hr, hr_dialog(&hr, "d"), "web_add", "{\"a\":1,\"b\":2}");
    hr_until(&hr, strstr(hr_tools(&hr, NULL), "web_new") != NULL);
    expect(1, 2);
    add_server("other");
    ck_assert_ptr_nonnull(strstr(hr_tools(&hr, NULL), "other_new"));
    expect(1, 2);
    hr_down(&hr);
}
END_TEST

static int
probes(void)
{
    return hr_traced(&hr, "p", "\"method\":\"server/discover\"");
}

/* Each lease starts a process.  If an answer to server/discover is cached, the host does
 * not probe the process. */
START_TEST(a_lease_on_stdio_probes_only_if_no_discover_answer_is_cached)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "p", NULL, _i == 0 ? "era modern\n" PUBLIC : "era modern");
    hr_load(&hr);
    for (int i = 0; i < 3; i++) {
        d = hr_dialog(&hr, i == 0 ? "a" : i == 1 ? "b" : "c");
        ck_assert_str_eq(hr_say(&hr, d, "p_echo", "{\"text\":\"x\"}"), "x");
    }
    ck_assert_int_eq(hr_traced(&hr, "p", " spawn"), 4);
    ck_assert_int_eq(probes(), _i == 0 ? 1 : 4);
    ck_assert_int_eq(hr_traced(&hr, "p", "\"method\":\"tools/list\""), 1);
    hr_down(&hr);
}
END_TEST

/* The host drops the answers because the next start can run another program. */
START_TEST(a_crash_drops_the_cached_answers_of_the_process)
{
    mcphost_dialog *a, *b;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "p", NULL, "era modern\n" PUBLIC "\non call:boom\n exit 3");
    hr_load(&hr);
    a = hr_dialog(&hr, "a");
    b = hr_dialog(&hr, "b");
    hr_say(&hr, a, "p_echo", "{}");
    ck_assert_int_eq(probes(), 1);
    ck_assert_int_lt(hr_fail(&hr, a, "p_boom", "{}"), 0);
    hr_say(&hr, b, "p_echo", "{}");
    ck_assert_int_eq(probes(), 2);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "answers that are kept");

    tcase_add_test(tc, a_second_client_of_a_server_uses_the_cached_answers);
    tcase_add_test(tc, without_cache_hints_each_client_sends_its_own_requests);
    tcase_add_test(tc, with_cache_bytes_0_each_client_sends_its_own_requests);
    tcase_add_test(tc, a_change_of_the_headers_sends_discover_and_list_again);
    tcase_add_loop_test(tc, only_a_public_answer_is_used_for_other_credentials, 0, 2);
    tcase_add_test(tc, private_answers_are_not_used_for_a_newly_set_credential);
    tcase_add_test(tc, a_restart_sends_discover_and_list_again);
    tcase_add_test(tc, a_changed_list_replaces_the_cached_list_for_all_clients);
    tcase_add_loop_test(tc, a_lease_on_stdio_probes_only_if_no_discover_answer_is_cached,
                        0, 2);
    tcase_add_test(tc, a_crash_drops_the_cached_answers_of_the_process);
}

int
main(void)
{
    return test_main("http-cache", add);
}
