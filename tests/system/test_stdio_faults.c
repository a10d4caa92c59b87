/* SPDX-License-Identifier: MIT
 *
 * test_stdio_faults.c - a client and the stdio transport against servers that
 * misbehave: each fault costs what it must, is told with the server's name and the
 * reason, and leaves nothing behind (peer_down() looks).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "support/runner.h"

/* ---- what stands on stdout beside messages ---- */

/* R21 */
START_TEST(banners_and_garbage_are_told_once_and_skipped)
{
    peer_script("on spawn\n"
                "  line Welcome to the server!\n"
                "  line {\"not\":\"a message\"}\n"
                "  line \n"
                "on initialize\n"
                "  line [1,2\n"
                "  answer\n"
                "  line trailing words\n"
                "on call:echo\n"
                "  line about to answer\n"
                "  answer\n"
                "  line answered\n");
    peer_listed();
    peer_lives();
    ck_assert_int_eq(peer.noises, 1);
    ck_assert_ptr_nonnull(strstr(peer.noise, "Welcome"));
    ck_assert_uint_ge(mcph_client_get_counters(peer.client)->garbage, 3);
}
END_TEST

START_TEST(a_flood_of_garbage_hurts_nobody)
{
    peer_script("on call:echo\n"
                "  lines 100000 not a message at all\n"
                "  answer\n");
    peer_listed();
    rig_peak_reset();
    peer_lives();
    ck_assert_int_eq(peer.noises, 1);
    ck_assert_uint_ge(mcph_client_get_counters(peer.client)->garbage, 100000);
}
END_TEST

START_TEST(half_lines_are_joined)
{
    peer_script("on call:echo\n"
                "  raw {\"jsonrpc\":\"2.0\",\"id\"\n"
                "  delay 20\n"
                "  raw :%%i,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ali\n"
                "  delay 20\n"
                "  raw ve\"}]}}\n"
                "  delay 20\n"
                "  raw \\n\n");
    peer_script("era legacy\n");
    peer_listed();
    peer_lives();
}
END_TEST

START_TEST(a_server_that_writes_single_bytes_is_understood)
{
    struct peer_call call;

    peer_script("chunk 1\n");
    peer_listed();
    ck_assert_uint_eq(peer_count_tools(), 10);
    peer_call(&call, "count", "{\"n\":3,\"ms\":1}", 5000, 0);
    ck_assert_int_eq(call.progress, 3);
    peer_call_end(&call);
}
END_TEST

START_TEST(several_messages_in_one_write_are_parted)
{
    struct peer_call a, b;

    peer_script("era legacy\n"
                "on call:slow\n"
                "on call:add\n"
                "  raw {\"jsonrpc\":\"2.0\",\"id\":%%i,\"result\":{\"content\":[]}}\\r\\n"
                "\\r\\n{\"jsonrpc\":\"2.0\",\"id\":9999,\"result\":{}}\\n\n");
    peer_listed();
    peer_call(&a, "add", "{}", 5000, 0);
    peer_call(&b, "add", "{}", 5000, 0);
    ck_assert_uint_eq(mcph_client_get_counters(peer.client)->unknown_ids, 2);
    peer_call_end(&a);
    peer_call_end(&b);
}
END_TEST

/* ---- stderr ---- */

START_TEST(a_flood_of_stderr_is_drained_in_bounded_memory)
{
    struct peer_call call;
    long peak;

    peer_script("on call:add\n"
                "  stderr-fill 30M\n"
                "  answer\n");
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 20000, 0);
    ck_assert_ptr_nonnull(strstr(call.result, "\"3\""));
    peer_call_end(&call);
    ck_assert_int_gt(peer.stderr_lines, 0);
    ck_assert_int_lt(peer.stderr_lines, 10000);
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * 1024);
}
END_TEST

/* ---- large answers ---- */

#define MIB 1024

static void
large_answer(const char *order)
{
    struct peer_call call;
    long peak;

    peer_script("on call:big\n"
                "  %s\n"
                "  text-bytes 100M\n",
                order);
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_call(&call, "big", "{}", 30000, MCPHOST_E_LIMIT);
    peer_error_says(call.error, "limit", NULL);
    peer_call_end(&call);
    ck_assert_int_lt(rig_peak_kib() - peak, 160 * MIB);
    peer_lives();
}

/* architecture 6.4: past the limit in constant memory; the call fails when its id and
 * the end are known; the connection lives. */
START_TEST(a_hundred_megabytes_with_the_id_first_cost_that_call_alone)
{
    large_answer("# id first");
}
END_TEST

START_TEST(a_hundred_megabytes_with_the_id_last_cost_that_call_alone)
{
    large_answer("id-last");
}
END_TEST

START_TEST(a_line_over_the_limit_is_followed_in_constant_memory)
{
    struct peer_call call;
    long peak;

    peer.frame_limit = 1 << 20;
    peer_script("on call:big\n"
                "  id-last\n"
                "  text-bytes 50M\n");
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_call(&call, "big", "{}", 30000, MCPHOST_E_LIMIT);
    peer_call_end(&call);
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * MIB);
    peer_lives();
}
END_TEST

START_TEST(garbage_without_a_newline_is_followed_in_constant_memory)
{
    struct peer_call call;
    long peak;

    peer.frame_limit = 1 << 20;
    peer_script("on call:add\n"
                "  fill 50M z\n"
                "  raw \\n\n"
                "  answer\n");
    peer_listed();
    rig_peak_reset();
    peak = rig_peak_kib();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 30000, 0);
    peer_call_end(&call);
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * MIB);
    peer_lives();
}
END_TEST

START_TEST(an_answer_just_under_the_limit_arrives_whole)
{
    struct peer_call call;

    peer_listed();
    peer_call(&call, "big", "{\"bytes\":8000000}", 20000, 0);
    ck_assert_uint_ge(strlen(call.result), 8000000);
    peer_call_end(&call);
}
END_TEST

/* ---- answers to the wrong question ---- */

static void
answer_to_nobody(const char *action)
{
    struct peer_call call;

    peer_script("on call:add\n  %s\n  answer\n", action);
    peer_listed();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 300, MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "add", NULL);
    peer_call_end(&call);
    ck_assert_uint_ge(mcph_client_get_counters(peer.client)->unknown_ids, 1);
    peer_lives();
}

START_TEST(an_answer_with_a_wrong_id_is_nobodys)
{
    answer_to_nobody("id 123456");
}
END_TEST

START_TEST(ids_are_compared_by_type)
{
    answer_to_nobody("id-string");
}
END_TEST

START_TEST(a_second_answer_is_counted_and_dropped)
{
    peer_script("on call:echo\n  answer\n  answer\n");
    peer_listed();
    peer_lives();
    peer_lives();
    ck_assert_uint_ge(mcph_client_get_counters(peer.client)->double_answers, 1);
}
END_TEST

START_TEST(a_call_without_an_answer_times_out_and_is_cancelled)
{
    struct peer_call call;

    peer_script("on call:add\n");
    peer_listed();
    peer_call(&call, "add", "{}", 200, MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "add", NULL);
    peer_call_end(&call);
    ck_assert(peer_traced("notifications/cancelled"));
    peer_lives();
}
END_TEST

START_TEST(an_answer_after_the_deadline_is_dropped)
{
    struct peer_call call;

    peer_script("ignore cancel\n"
                "on call:add\n  delay 300\n  answer\n");
    peer_listed();
    peer_call(&call, "add", "{}", 100, MCPHOST_E_TIMEOUT);
    peer_wait(300);
    ck_assert_int_eq(call.done, 1);
    peer_call_end(&call);
    peer_lives();
    ck_assert_uint_eq(mcph_client_get_counters(peer.client)->late_answers, 1);
}
END_TEST

/* ---- bytes that are no JSON ---- */

/* A result that cannot be read: the call fails with a reason, at once when its id can
 * be made out, at its deadline when not; the connection lives. */
static void
broken_result(const char *line)
{
    struct peer_call call;

    peer_script("on call:add\n  line {\"jsonrpc\":\"2.0\",\"id\":%%i,\"result\":%s}\n",
                line);
    peer_listed();
    peer_call_start(&call, "add", "{}", 1000);
    peer_until(&call.done, 3000);
    ck_assert(call.code == MCPHOST_E_PROTOCOL || call.code == MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "add", NULL);
    peer_call_end(&call);
    peer_lives();
}

START_TEST(invalid_utf8_in_a_result_costs_that_call_alone)
{
    broken_result("{\"content\":[{\"type\":\"text\",\"text\":\"\\xff\\xfe\"}]}");
}
END_TEST

START_TEST(a_nul_byte_in_a_result_costs_that_call_alone)
{
    broken_result("{\"content\":[{\"type\":\"text\",\"text\":\"a\\0b\"}]}");
}
END_TEST

START_TEST(a_result_that_is_no_object_costs_that_call_alone)
{
    broken_result("[1,2,3]");
}
END_TEST

START_TEST(deep_json_costs_that_call_alone)
{
    struct peer_call call;

    peer_script("on call:add\n  deep 1000000\n");
    peer_listed();
    peer_call_start(&call, "add", "{}", 1000);
    peer_until(&call.done, 3000);
    ck_assert(call.code == MCPHOST_E_PROTOCOL || call.code == MCPHOST_E_TIMEOUT);
    peer_error_says(call.error, "add", NULL);
    peer_call_end(&call);
    peer_lives();
}
END_TEST

/* architecture 6.3: what another parser would refuse is the server's own business. */
START_TEST(odd_numbers_and_escapes_inside_a_result_survive)
{
    static const char odd[] = "{\"content\":[],\"structuredContent\":{\"n\":"
                              "18446744073709551616,\"f\":1e400,\"z\":\"\\u0000\","
                              "\"s\":\"\\ud800\"}}";
    struct peer_call call;

    peer_script("era legacy\non call:add\n  result %s\n", odd);
    peer_listed();
    peer_call(&call, "add", "{}", 2000, 0);
    ck_assert_str_eq(call.result, odd);
    peer_call_end(&call);
}
END_TEST

/* ---- exits at every stage ---- */

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

START_TEST(an_exit_at_the_start_is_told_with_status_and_stderr)
{
    dies("spawn", MCPHOST_E_TRANSPORT, "exit 3", "status 3");
}
END_TEST

START_TEST(a_crash_at_the_start_is_told_with_its_signal)
{
    dies("spawn", MCPHOST_E_TRANSPORT, "crash 11", "signal 11");
}
END_TEST

START_TEST(an_exit_at_the_handshake_is_told_with_status_and_stderr)
{
    peer_script("era legacy\n");
    dies("initialize", MCPHOST_E_TRANSPORT, "exit 4", "status 4");
    ck_assert_int_eq(peer.ready, 0);
}
END_TEST

START_TEST(an_exit_on_the_probe_is_no_crash_and_restarts_once)
{
    peer_script("era legacy\non discover\n  exit 1\n");
    peer_listed();
    ck_assert_int_eq(peer.restarts, 1);
    ck_assert_int_eq(rig_workspace_count(&peer.ws, "trace", " spawn"), 2);
    ck_assert_int_eq(mcph_client_get_info(peer.client)->era, MCPH_CLIENT_LEGACY);
    peer_lives();
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

START_TEST(a_crash_during_a_call_is_told_with_its_signal)
{
    struct peer_call call;

    peer_script("on call:add\n  crash 9\n");
    peer_listed();
    peer_call(&call, "add", "{}", 5000, MCPHOST_E_TRANSPORT);
    peer_error_says(call.error, "signal 9", NULL);
    peer_call_end(&call);
}
END_TEST

START_TEST(an_answer_written_just_before_the_exit_still_counts)
{
    struct peer_call call;

    peer_script("on call:add\n  answer\n  exit 0\n");
    peer_listed();
    peer_call(&call, "add", "{\"a\":1,\"b\":2}", 5000, 0);
    peer_call_end(&call);
    peer_until(&peer.downs, 5000);
}
END_TEST

START_TEST(a_message_broken_off_by_the_exit_is_said_to_be)
{
    struct peer_call call;

    peer_script("on call:add\n  raw {\"jsonrpc\":\"2.0\",\"id\n  exit 0\n");
    peer_listed();
    peer_call(&call, "add", "{}", 5000, MCPHOST_E_TRANSPORT);
    peer_error_says(call.error, "in the middle of a message", NULL);
    peer_call_end(&call);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_named)
{
    peer.command = "/nonexistent/server-program";
    peer_start();
    peer_until(&peer.downs, 5000);
    ck_assert_int_eq(mcphost_error_get_code(peer.error), MCPHOST_E_SPAWN);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(peer.error), "/nonexistent/server-program"));
}
END_TEST

/* ---- servers that do not go, or do not listen ---- */

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

START_TEST(daemons_of_the_server_go_with_it)
{
    struct peer_call call;

    peer_script("on call:add\n  daemon 60\n  text %%c\n");
    peer_listed();
    peer_call(&call, "add", "{}", 5000, 0);
    peer_call_end(&call);
    /* peer_down() waits for the end of the tree and counts what is left */
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

START_TEST(a_server_that_hangs_at_the_start_runs_into_the_deadline)
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

START_TEST(a_server_that_does_not_read_holds_no_call_beyond_its_deadline)
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

/* ---- lists ---- */

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
    peer_script("no-tools\ngenerate 100\npage-size 7\ncursors empty\n");
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

START_TEST(a_list_that_is_an_error_is_told_and_the_connection_lives)
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

START_TEST(a_list_without_an_answer_runs_into_its_deadline)
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
    for (int i = 0; i < 2; i++) { /* a subscription may be on its way */
        struct peer_call call;

        peer_call(&call, "add", "{}", 2000, 0);
        peer_call_end(&call);
        peer_wait(30);
        if (i == 0 && strcmp(era, "legacy") == 0)
            break;
    }
    peer_until(&peer.changed, 3000);
    peer.listed = 0;
    ck_assert_int_eq(mcph_client_list_tools(peer.client), 0);
    peer_until(&peer.listed, 3000);
    ck_assert_uint_eq(peer_count_tools(), 1);
}

START_TEST(a_legacy_server_tells_of_a_changed_list)
{
    list_changes("legacy");
}
END_TEST

START_TEST(a_modern_server_tells_of_a_changed_list)
{
    peer_script("tool-json {\"name\":\"odd\",\"inputSchema\":{}}\n");
    peer_script("set after\n");
    list_changes("modern");
}
END_TEST

/* ---- eras ---- */

static void
probe_answered(const char *action)
{
    peer_script("era legacy\non discover\n  %s\n", action);
    peer_listed();
    ck_assert_int_eq(mcph_client_get_info(peer.client)->era, MCPH_CLIENT_LEGACY);
    peer_lives();
}

START_TEST(any_error_on_the_probe_means_legacy)
{
    probe_answered("error -32602 what is that");
}
END_TEST

START_TEST(silence_on_the_probe_means_legacy_in_the_end)
{
    peer.spec.probe_ms = 150;
    probe_answered("stderr hm");
    ck_assert_int_eq(peer.restarts, 0);
}
END_TEST

START_TEST(messages_before_the_verdict_are_tolerated)
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

START_TEST(a_modern_server_is_spoken_to_in_its_own_way)
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

START_TEST(an_unknown_version_is_refused_with_both_named)
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

/* ---- what servers ask ---- */

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

START_TEST(requests_that_nobody_handles_are_refused)
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

START_TEST(log_messages_arrive)
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
add(Suite *suite)
{
    TCase *tc = test_case(suite, "stdout");

    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, banners_and_garbage_are_told_once_and_skipped);
    tcase_add_test(tc, a_flood_of_garbage_hurts_nobody);
    tcase_add_test(tc, half_lines_are_joined);
    tcase_add_test(tc, a_server_that_writes_single_bytes_is_understood);
    tcase_add_test(tc, several_messages_in_one_write_are_parted);
    tcase_add_test(tc, a_flood_of_stderr_is_drained_in_bounded_memory);
    tc = test_case(suite, "large");
    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, 40);
    tcase_add_test(tc, a_hundred_megabytes_with_the_id_first_cost_that_call_alone);
    tcase_add_test(tc, a_hundred_megabytes_with_the_id_last_cost_that_call_alone);
    tcase_add_test(tc, a_line_over_the_limit_is_followed_in_constant_memory);
    tcase_add_test(tc, garbage_without_a_newline_is_followed_in_constant_memory);
    tcase_add_test(tc, an_answer_just_under_the_limit_arrives_whole);
    tc = test_case(suite, "answers");
    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, an_answer_with_a_wrong_id_is_nobodys);
    tcase_add_test(tc, ids_are_compared_by_type);
    tcase_add_test(tc, a_second_answer_is_counted_and_dropped);
    tcase_add_test(tc, a_call_without_an_answer_times_out_and_is_cancelled);
    tcase_add_test(tc, an_answer_after_the_deadline_is_dropped);
    tcase_add_test(tc, invalid_utf8_in_a_result_costs_that_call_alone);
    tcase_add_test(tc, a_nul_byte_in_a_result_costs_that_call_alone);
    tcase_add_test(tc, a_result_that_is_no_object_costs_that_call_alone);
    tcase_add_test(tc, deep_json_costs_that_call_alone);
    tcase_add_test(tc, odd_numbers_and_escapes_inside_a_result_survive);
    tc = test_case(suite, "exits");
    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, an_exit_at_the_start_is_told_with_status_and_stderr);
    tcase_add_test(tc, a_crash_at_the_start_is_told_with_its_signal);
    tcase_add_test(tc, an_exit_at_the_handshake_is_told_with_status_and_stderr);
    tcase_add_test(tc, an_exit_on_the_probe_is_no_crash_and_restarts_once);
    tcase_add_test(tc, an_exit_while_listing_ends_the_list_and_the_connection);
    tcase_add_test(tc, an_exit_during_calls_fails_them_all_with_the_reason);
    tcase_add_test(tc, a_crash_during_a_call_is_told_with_its_signal);
    tcase_add_test(tc, an_answer_written_just_before_the_exit_still_counts);
    tcase_add_test(tc, a_message_broken_off_by_the_exit_is_said_to_be);
    tcase_add_test(tc, a_program_that_is_not_there_is_named);
    tc = test_case(suite, "stubborn");
    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_server_that_ignores_eof_and_sigterm_is_killed_in_time);
    tcase_add_test(tc, a_server_that_ends_by_itself_on_eof_is_not_signalled);
    tcase_add_test(tc, daemons_of_the_server_go_with_it);
    tcase_add_test(tc, a_server_that_closes_stdout_and_lives_is_lost_and_stopped);
    tcase_add_test(tc, a_server_that_closes_stdin_and_lives_is_lost_and_stopped);
    tcase_add_test(tc, a_server_that_hangs_at_the_start_runs_into_the_deadline);
    tcase_add_test(tc, a_server_that_does_not_read_holds_no_call_beyond_its_deadline);
    tc = test_case(suite, "lists");
    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, ten_thousand_tools_are_listed);
    tcase_add_test(tc, all_pages_are_fetched);
    tcase_add_test(tc, endless_pages_are_cut_at_the_limit);
    tcase_add_test(tc, a_repeated_cursor_ends_the_list);
    tcase_add_test(tc, a_list_that_is_an_error_is_told_and_the_connection_lives);
    tcase_add_test(tc, a_list_without_an_answer_runs_into_its_deadline);
    tcase_add_test(tc, a_legacy_server_tells_of_a_changed_list);
    tcase_add_test(tc, a_modern_server_tells_of_a_changed_list);
    tc = test_case(suite, "eras");
    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, any_error_on_the_probe_means_legacy);
    tcase_add_test(tc, silence_on_the_probe_means_legacy_in_the_end);
    tcase_add_test(tc, messages_before_the_verdict_are_tolerated);
    tcase_add_test(tc, a_modern_server_is_spoken_to_in_its_own_way);
    tcase_add_loop_test(tc, every_legacy_version_is_accepted, 0, 4);
    tcase_add_test(tc, an_unknown_version_is_refused_with_both_named);
    tcase_add_test(tc, a_modern_server_without_a_common_version_is_refused);
    tc = test_case(suite, "requests");
    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_ping_of_the_server_is_answered);
    tcase_add_test(tc, requests_that_nobody_handles_are_refused);
    tcase_add_test(tc, log_messages_arrive);
}

int
main(void)
{
    return test_main("stdio-faults", add);
}
