/* SPDX-License-Identifier: MIT
 *
 * test_stdio_servers.c - a client with the stdio transport during the life of a server.
 *
 * The tests cover exits at every stage, servers that do not end, endless lists, both
 * eras, and requests of servers.  Each error names the server and the reason.
 * peer_down() checks that nothing is left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "support/runner.h"

/* ---- exits at every stage ---------------------------------------------------------- */

static void
dies(const char *where, int code, const char *how, const char *said)
{
    peer_script("on %s\n  stderr the reason is here\n  %s\n", where, how);
    peer_fails(code);
    peer_error_says(peer.error, said, NULL);
    ck_assert_ptr_nonnull(mcphost_error_get_stderr_tail(peer.error));
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_stderr_tail(peer.error), "the reason is here"));
}

START_TEST(an_exit_at_the_start_is_reported_with_status_and_stderr)
{
    dies("spawn", MCPHOST_E_TRANSPORT, "exit 3", "status 3");
}
END_TEST

START_TEST(a_crash_at_the_start_is_reported_with_its_signal)
{
    dies("spawn", MCPHOST_E_TRANSPORT, "crash 11", "signal 11");
}
END_TEST

START_TEST(an_exit_at_the_handshake_is_reported_with_status_and_stderr)
{
    peer_script("era legacy\n");
    dies("initialize", MCPHOST_E_TRANSPORT, "exit 4", "status 4");
    ck_assert_int_eq(peer.ready, 0);
}
END_TEST

START_TEST(after_an_exit_on_the_probe_the_server_is_restarted_once_as_legacy)
{
    peer_script("era legacy\non discover\n  exit 1\n");
    peer_listed();
    ck_assert_int_eq(peer.restarts, 1);
    ck_assert_int_eq(rig_workspace_count(&peer.ws, "trace", " spawn"), 2);
    ck_assert_int_eq(mcph_client_get_info(peer.client)->era, MCPH_CLIENT_LEGACY);
    peer_lives();
}
END_TEST

/* The server closes its stdout, but does not exit.  The client sends `initialize` before
 * it knows whether the server has exited. */
START_TEST(a_closed_stdout_is_reported_rather_than_the_failed_send)
{
    peer.spec.probe_ms = 50;
    peer_script("on spawn\n  close stdout\n  hang\n");
    peer_fails(MCPHOST_E_TRANSPORT);
    peer_error_says(peer.error, "closed its standard output", NULL);
}
END_TEST

START_TEST(an_exit_while_listing_ends_the_list_and_the_connection)
{
    peer_script("on list\n  exit 5\n");
    peer_start();
    peer_until(&peer.downs, 5000);
    ck_assert_int_eq(peer.ready, 1);
    peer_error_says(peer.error, "status 5", NULL);
    ck_assert_ptr_null(peer.list);
}
END_TEST

START_TEST(an_exit_during_calls_fails_them_all_with_the_reason)
{
    struct peer_call a, b;

    peer_script("on call:add\n  stderr out of cheese\n  exit 6\n");
    peer_listed();
    peer_call_start(&a, "slow", "{\"ms\":60000}", 60000);
    peer_call_start(&b, "add", "{}", 60000);
    peer_until(&a.done, 5000);
    peer_until(&b.done, 100);
    ck_assert_int_eq(a.code, MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(b.code, MCPHOST_E_TRANSPORT);
    peer_error_says(a.error, "status 6", NULL);
    peer_error_says(b.error, "status 6", NULL);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_stderr_tail(a.error), "out of cheese"));
    ck_assert_int_eq(peer.downs, 1);
    peer_call_end(&a);
    peer_call_end(&b);
}
END_TEST

START_TEST(a_crash_during_a_call_is_reported_with_its_signal)
{
    struct peer_call call;

    peer_script("on call:add\n  crash 9\n");
    peer_listed();
    peer_call(&call, "add", "{}", 5000, MCPHOST_E_TRANSPORT);
    peer_error_says(call.error, "signal 9", NULL);
    peer_call_end(&call);
}
END_TEST

START_TEST(an_answer_written_just_before_the_exit_is_delivered)
{
    struct peer_call call;

    peer_script("on call:add\n  answer\n  exit 0\n");
    peer_listed();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 5000, 0);
    peer_call_end(&call);
    peer_until(&peer.downs, 5000);
}
END_TEST

START_TEST(an_exit_in_the_middle_of_a_message_is_reported)
{
    struct peer_call call;

    peer_script("on call:add\n  raw {\"jsonrpc\":\"2.0\",\"id\n  exit 0\n");
    peer_listed();
    peer_call(&call, "add", "{}", 5000, MCPHOST_E_TRANSPORT);
    peer_error_says(call.error, "in the middle of a message", NULL);
    peer_call_end(&call);
}
END_TEST

START_TEST(a_missing_program_is_named_in_the_error)
{
    peer.command = "/nonexistent/server-program";
    peer_start();
    peer_until(&peer.downs, 5000);
    ck_assert_int_eq(mcphost_error_get_code(peer.error), MCPHOST_E_SPAWN);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(peer.error), "/nonexistent/server-program"));
}
END_TEST

/* ---- servers that do not end, or do not read --------------------------------------- */

START_TEST(a_server_that_ignores_eof_and_sigterm_is_killed_in_time)
{
    int64_t start;

    peer_script("ignore eof\nignore term\n");
    peer_listed();
    start = mcph_clock_monotonic_ms();
    mcph_client_stop(peer.client, MCPHOST_E_CANCELLED, NULL);
    mcph_transport_close(peer.transport);
    peer_until(&peer.gone, 3000);
    ck_assert(mcph_clock_monotonic_ms() - start < 1000);
    ck_assert_int_eq(rig_workspace_living(&peer.ws, "trace"), 0);
}
END_TEST

START_TEST(a_server_that_ends_by_itself_on_eof_is_not_signalled)
{
    peer_script("on eof\n  exit 0\non term\n");
    peer_listed();
    mcph_client_stop(peer.client, MCPHOST_E_CANCELLED, NULL);
    mcph_transport_close(peer.transport);
    peer_until(&peer.gone, 3000);
    ck_assert_int_eq(rig_workspace_count(&peer.ws, "trace", " eof"), 1);
    ck_assert_int_eq(rig_workspace_count(&peer.ws, "trace", " term"), 0);
}
END_TEST

START_TEST(daemons_of_the_server_end_with_it)
{
    struct peer_call call;

    peer_script("on call:add\n  daemon 60\n  text %%c\n");
    peer_listed();
    peer_call(&call, "add", "{}", 5000, 0);
    peer_call_end(&call);
    /* peer_down() waits for the end of the tree and counts processes that are left. */
}
END_TEST

START_TEST(a_server_that_closes_stdout_and_lives_is_lost_and_stopped)
{
    struct peer_call call;

    peer_script("ignore eof\non call:add\n  close stdout\n");
    peer_listed();
    peer_call(&call, "add", "{}", 5000, MCPHOST_E_TRANSPORT);
    peer_error_says(call.error, "closed its standard output", NULL);
    peer_call_end(&call);
    peer_until(&peer.gone, 3000);
    ck_assert_int_eq(rig_workspace_living(&peer.ws, "trace"), 0);
}
END_TEST

START_TEST(a_server_that_closes_stdin_and_lives_is_lost_and_stopped)
{
    struct peer_call first, call;

    peer_script("on call:add\n  close stdin\n");
    peer_listed();
    peer_call_start(&first, "add", "{}", 5000);
    ck_assert(peer_traced("\"add\""));
    peer_wait(50);
    peer_call_start(&call, "add", "{}", 5000);
    peer_until(&call.done, 3000);
    ck_assert_int_eq(call.code, MCPHOST_E_TRANSPORT);
    peer_error_says(call.error, "closed its standard input", NULL);
    ck_assert_int_eq(first.done, 1);
    peer_call_end(&first);
    peer_call_end(&call);
    peer_until(&peer.gone, 3000);
}
END_TEST

START_TEST(a_server_that_hangs_at_the_start_fails_at_the_start_deadline)
{
    int64_t start = mcph_clock_monotonic_ms();

    peer.spec.probe_ms = 100;
    peer.spec.start_ms = 300;
    peer_script("on spawn\n  hang\n");
    peer_fails(MCPHOST_E_TIMEOUT);
    peer_error_says(peer.error, NULL);
    ck_assert(mcph_clock_monotonic_ms() - start < 2000);
}
END_TEST

START_TEST(calls_to_a_server_that_does_not_read_end_at_their_deadlines)
{
    struct peer_call calls[20];
    char *args = malloc(100100);
    int n = 0;

    memset(args, 'x', 100100);
    memcpy(args, "{\"text\":\"", 9);
    memcpy(args + 100000, "\"}", 3);
    peer_script("on call:add\n  sleep 60000\n");
    peer_listed();
    peer_call_start(&calls[n++], "add", "{}", 300);
    while (n < 20)
        peer_call_start(&calls[n++], "echo", args, 300);
    for (int i = 0; i < n; i++) {
        peer_until(&calls[i].done, 3000);
        ck_assert_int_eq(calls[i].code, MCPHOST_E_TIMEOUT);
        peer_call_end(&calls[i]);
    }
    free(args);
}
END_TEST

/* ---- lists ------------------------------------------------------------------------- */

START_TEST(ten_thousand_tools_are_listed)
{
    int64_t start;

    peer_script("no-tools\ngenerate 10000\n");
    start = mcph_clock_monotonic_ms();
    peer_listed();
    ck_assert_uint_eq(peer_count_tools(), 10000);
    ck_assert(mcph_clock_monotonic_ms() - start < 4000);
}
END_TEST

START_TEST(all_pages_are_fetched)
{
    peer_script("no-tools\ngenerate 100\npage-size 7\n");
    peer_listed();
    ck_assert_uint_eq(peer_count_tools(), 100);
    ck_assert_uint_eq(peer.list->n_pages, 15);
}
END_TEST

static void
cut_list(const char *cursors, const char *reason, size_t max_pages)
{
    peer_script("no-tools\ngenerate 50\npage-size 5\ncursors %s\n", cursors);
    peer_ready();
    peer_until(&peer.listed, 5000);
    ck_assert_ptr_nonnull(peer.list);
    ck_assert_ptr_nonnull(peer.list->cut);
    peer_error_says(peer.list->cut, reason, NULL);
    ck_assert_uint_ge(peer_count_tools(), 5);
    ck_assert_uint_le(peer.list->n_pages, max_pages);
    ck_assert_int_eq(peer.downs, 0);
}

START_TEST(endless_pages_are_cut_at_the_limit)
{
    cut_list("endless", "pages", 64);
}
END_TEST

START_TEST(a_repeated_cursor_ends_the_list)
{
    cut_list("repeat", "cursor", 2);
}
END_TEST

START_TEST(an_error_in_place_of_a_list_is_reported_and_the_connection_stays)
{
    peer_script("on list\n  error -32603 the store is closed\n");
    peer_ready();
    peer_until(&peer.listed, 5000);
    ck_assert_ptr_null(peer.list);
    ck_assert_int_eq(mcphost_error_get_code(peer.list_error), MCPHOST_E_RPC);
    peer_error_says(peer.list_error, "the store is closed", NULL);
    peer_lives();
}
END_TEST

START_TEST(a_list_without_an_answer_fails_at_its_deadline)
{
    peer.spec.list_ms = 200;
    peer_script("on list\n");
    peer_ready();
    peer_until(&peer.listed, 3000);
    ck_assert_int_eq(mcphost_error_get_code(peer.list_error), MCPHOST_E_TIMEOUT);
    peer_error_says(peer.list_error, "list", NULL);
    peer_lives();
}
END_TEST

static void
list_changes(const char *era)
{
    peer_script("era %s\n"
                "set after\ntool newcomer\nset main\n"
                "on call:add\n  use after\n  changed\n  text done\n",
                era);
    peer_listed();
    /* Call twice: a modern client's subscription may not exist yet at the first call. */
    for (int i = 0; i < 2; i++) {
        struct peer_call call;

        peer_call(&call, "add", "{}", 2000, 0);
        peer_call_end(&call);
        peer_wait(30);
        if (i == 0 && strcmp(era, "legacy") == 0)
            break;
    }
    peer_until(&peer.changed, 3000);
    peer.listed = 0;
    ck_assert_int_eq(mcph_client_list(peer.client, MCPH_LIST_TOOLS), 0);
    peer_until(&peer.listed, 3000);
    ck_assert_uint_eq(peer_count_tools(), 1);
}

START_TEST(a_change_notice_of_a_legacy_server_is_reported)
{
    list_changes("legacy");
}
END_TEST

START_TEST(a_change_notice_of_a_modern_server_is_reported)
{
    peer_script("tool-json {\"name\":\"odd\",\"inputSchema\":{}}\n");
    peer_script("set after\n");
    list_changes("modern");
}
END_TEST

/* ---- eras -------------------------------------------------------------------------- */

static void
probe_answered(const char *action)
{
    peer_script("era legacy\non discover\n  %s\n", action);
    peer_listed();
    ck_assert_int_eq(mcph_client_get_info(peer.client)->era, MCPH_CLIENT_LEGACY);
    peer_lives();
}

START_TEST(an_error_on_the_probe_means_legacy)
{
    probe_answered("error -32602 what is that");
}
END_TEST

START_TEST(silence_on_the_probe_until_its_deadline_means_legacy)
{
    peer.spec.probe_ms = 150;
    probe_answered("stderr hm");
    ck_assert_int_eq(peer.restarts, 0);
}
END_TEST

START_TEST(messages_before_the_answer_to_the_probe_are_tolerated)
{
    peer_script("on spawn\n"
                "  log info starting\n"
                "  request ping\n"
                "  notify notifications/tools/list_changed\n"
                "  line starting up\n");
    peer_listed();
    peer_lives();
}
END_TEST

START_TEST(a_modern_server_is_recognized_and_called)
{
    struct peer_call call;

    peer_script("era modern\n");
    peer_listed();
    ck_assert_int_eq(mcph_client_get_info(peer.client)->era, MCPH_CLIENT_MODERN);
    ck_assert_str_eq(mcph_client_get_info(peer.client)->version, "2026-07-28");
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 2000, 0);
    ck_assert_ptr_nonnull(strstr(call.result, "\"3\""));
    peer_call_end(&call);
}
END_TEST

START_TEST(every_legacy_version_is_accepted)
{
    static const char *const versions[] = {"2024-11-05", "2025-03-26", "2025-06-18",
                                           "2025-11-25"};

    peer_script("era legacy\nversion %s\n", versions[_i]);
    peer_listed();
    ck_assert_str_eq(mcph_client_get_info(peer.client)->version, versions[_i]);
    peer_lives();
}
END_TEST

START_TEST(an_unknown_version_is_refused_and_named)
{
    peer_script("era legacy\nversion 1999-01-01\n");
    peer_fails(MCPHOST_E_PROTOCOL);
    peer_error_says(peer.error, "1999-01-01", NULL);
}
END_TEST

START_TEST(a_modern_server_without_a_common_version_is_refused)
{
    peer_script("era modern\nmodern-versions 2031-01-01\n");
    peer_fails(MCPHOST_E_PROTOCOL);
    peer_error_says(peer.error, "2031-01-01", NULL);
}
END_TEST

/* ---- requests of servers ----------------------------------------------------------- */

START_TEST(a_ping_of_the_server_is_answered)
{
    struct peer_call call;

    peer_script("era legacy\non call:add\n  request ping\n  delay 20\n  answer\n");
    peer_listed();
    peer_call(&call, "add", "{}", 2000, 0);
    peer_call_end(&call);
    ck_assert(peer_traced("\"id\":\"srv-1\",\"result\":{}"));
}
END_TEST

START_TEST(requests_without_a_handler_are_refused)
{
    struct peer_call call;

    peer_script("era legacy\non call:add\n"
                "  request sampling/createMessage {\"messages\":[]}\n"
                "  request no/such/thing\n  delay 20\n  answer\n");
    peer_listed();
    peer_call(&call, "add", "{}", 2000, 0);
    peer_call_end(&call);
    ck_assert(peer_traced("srv-2"));
    ck_assert_int_eq(rig_workspace_count(&peer.ws, "trace", "-32601"), 2);
}
END_TEST

START_TEST(log_messages_are_reported)
{
    struct peer_call call;

    peer_script("era legacy\non call:add\n  log warning the disk is full\n  answer\n");
    peer_listed();
    peer_call(&call, "add", "{}", 2000, 0);
    peer_call_end(&call);
    ck_assert_int_eq(peer.logs, 1);
    ck_assert_str_eq(peer.log, "\"warning\" \"the disk is full\"");
}
END_TEST

static void
add_exits(Suite *suite)
{
    TCase *tc = peer_case(suite, "exits", 20);

    tcase_add_test(tc, an_exit_at_the_start_is_reported_with_status_and_stderr);
    tcase_add_test(tc, a_crash_at_the_start_is_reported_with_its_signal);
    tcase_add_test(tc, an_exit_at_the_handshake_is_reported_with_status_and_stderr);
    tcase_add_test(tc, after_an_exit_on_the_probe_the_server_is_restarted_once_as_legacy);
    tcase_add_test(tc, a_closed_stdout_is_reported_rather_than_the_failed_send);
    tcase_add_test(tc, an_exit_while_listing_ends_the_list_and_the_connection);
    tcase_add_test(tc, an_exit_during_calls_fails_them_all_with_the_reason);
    tcase_add_test(tc, a_crash_during_a_call_is_reported_with_its_signal);
    tcase_add_test(tc, an_answer_written_just_before_the_exit_is_delivered);
    tcase_add_test(tc, an_exit_in_the_middle_of_a_message_is_reported);
    tcase_add_test(tc, a_missing_program_is_named_in_the_error);
}

static void
add_stubborn(Suite *suite)
{
    TCase *tc = peer_case(suite, "stubborn", 20);

    tcase_add_test(tc, a_server_that_ignores_eof_and_sigterm_is_killed_in_time);
    tcase_add_test(tc, a_server_that_ends_by_itself_on_eof_is_not_signalled);
    tcase_add_test(tc, daemons_of_the_server_end_with_it);
    tcase_add_test(tc, a_server_that_closes_stdout_and_lives_is_lost_and_stopped);
    tcase_add_test(tc, a_server_that_closes_stdin_and_lives_is_lost_and_stopped);
    tcase_add_test(tc, a_server_that_hangs_at_the_start_fails_at_the_start_deadline);
    tcase_add_test(tc, calls_to_a_server_that_does_not_read_end_at_their_deadlines);
}

static void
add_lists(Suite *suite)
{
    TCase *tc = peer_case(suite, "lists", 20);

    tcase_add_test(tc, ten_thousand_tools_are_listed);
    tcase_add_test(tc, all_pages_are_fetched);
    tcase_add_test(tc, endless_pages_are_cut_at_the_limit);
    tcase_add_test(tc, a_repeated_cursor_ends_the_list);
    tcase_add_test(tc, an_error_in_place_of_a_list_is_reported_and_the_connection_stays);
    tcase_add_test(tc, a_list_without_an_answer_fails_at_its_deadline);
    tcase_add_test(tc, a_change_notice_of_a_legacy_server_is_reported);
    tcase_add_test(tc, a_change_notice_of_a_modern_server_is_reported);
}

static void
add_eras(Suite *suite)
{
    TCase *tc = peer_case(suite, "eras", 20);

    tcase_add_test(tc, an_error_on_the_probe_means_legacy);
    tcase_add_test(tc, silence_on_the_probe_until_its_deadline_means_legacy);
    tcase_add_test(tc, messages_before_the_answer_to_the_probe_are_tolerated);
    tcase_add_test(tc, a_modern_server_is_recognized_and_called);
    tcase_add_loop_test(tc, every_legacy_version_is_accepted, 0, 4);
    tcase_add_test(tc, an_unknown_version_is_refused_and_named);
    tcase_add_test(tc, a_modern_server_without_a_common_version_is_refused);
}

static void
add_requests(Suite *suite)
{
    TCase *tc = peer_case(suite, "requests", 20);

    tcase_add_test(tc, a_ping_of_the_server_is_answered);
    tcase_add_test(tc, requests_without_a_handler_are_refused);
    tcase_add_test(tc, log_messages_are_reported);
}

static void
add(Suite *suite)
{
    add_exits(suite);
    add_stubborn(suite);
    add_lists(suite);
    add_eras(suite);
    add_requests(suite);
}

int
main(void)
{
    return test_main("stdio-servers", add);
}
