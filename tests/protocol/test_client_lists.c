/* SPDX-License-Identifier: MIT
 *
 * test_client_lists.c - lists with their pages, limits and deadlines, change notices, and
 * the subscription of modern servers.
 */
#include <stdio.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define LIST(id) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/list\",\"params\":{}}"
#define LIST_FROM(id, cursor)                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/list\",\"params\":{" \
    "\"cursor\":" cursor "}}"
#define PAGE(id, tools, rest) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"tools\":" tools rest "}}"

static void
ask(void)
{
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    ck_assert_int_eq(cr.listed, 0); /* mcph_client_list() itself reports no list */
    cr_turn();
}

static void
expect_page(size_t i, const char *tools)
{
    ck_assert_ptr_nonnull(cr.list);
    ck_assert_uint_gt(cr.list->n_pages, i);
    ck_assert(mcph_span_is(cr.list->pages[i].items, tools));
}

static void
expect_failure(int code, const char *part)
{
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_ptr_null(cr.list);
    ck_assert_int_eq(mcphost_error_get_code(cr.list_error), code);
    ck_assert_str_eq(mcphost_error_get_server_id(cr.list_error), "srv");
    ck_assert_msg(strstr(mcphost_error_get_message(cr.list_error), part), "%s",
                  mcphost_error_get_message(cr.list_error));
    ck_assert_int_eq(cr.downs, 0); /* the connection has not ended */
}

/* ---- pages ------------------------------------------------------------------------- */

/* R19 */
START_TEST(the_list_is_requested_together_with_initialized)
{
    cr.spec.lists = 1u << MCPH_LIST_TOOLS;
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_sent();
    cr_say(CR_INIT_RESULT("1", "2025-11-25"));
    cr_expect(CR_INITIALIZED);
    cr_expect(LIST("2"));
    cr_say(PAGE("2", "[{\"name\":\"now\",\"inputSchema\":{\"type\":\"object\"}}]", ""));
    ck_assert_str_eq(cr.story, "ready listed ");
    expect_page(0, "[{\"name\":\"now\",\"inputSchema\":{\"type\":\"object\"}}]");
    ck_assert_ptr_null(cr.list->cut);
}
END_TEST

/* The latency is the time that the last answer took.  A timeout does not change the
 * latency. */
START_TEST(the_latency_is_the_time_of_the_last_answer)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_sent();
    ck_assert_int_eq(mcph_client_get_latency(cr.client), -1);
    cr_advance(30);
    cr_say(CR_INIT_RESULT("1", "2025-11-25"));
    cr_expect(CR_INITIALIZED);
    ck_assert_int_eq(mcph_client_get_latency(cr.client), 30);
    ask();
    cr_expect(LIST("2"));
    cr_advance(7);
    cr_say(PAGE("2", "[]", ",\"nextCursor\":\"b\""));
    ck_assert_int_eq(mcph_client_get_latency(cr.client), 7);
    cr_sent();
    cr_advance(20000);
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_int_eq(mcph_client_get_latency(cr.client), 7);
}
END_TEST

/* R51 R52 */
START_TEST(a_schema_is_handed_over_byte_for_byte)
{
    static const char tools[] =
        "[ {\"inputSchema\" : {\"z\":1,\"a\":[1.0,1e400,18446744073709551616],"
        "\"$comment\":\"\\u0000\\ud800 \\u00e9\",\"not\":{},\"x-unknown\":null,"
        "\"type\":[\"object\",\"null\"],\"z\":2}  ,\"name\":\"n\"} ]";

    cr_legacy("2025-11-25");
    ask();
    cr_expect(LIST("2"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":%s}}", tools);
    ck_assert_int_eq(cr.listed, 1);
    expect_page(0, tools);
}
END_TEST

START_TEST(all_pages_are_fetched)
{
    cr_legacy("2025-11-25");
    ask();
    cr_expect(LIST("2"));
    cr_say(PAGE("2", "[1]", ",\"nextCursor\":\"p\\u0032 \\\"x\\\"\""));
    cr_expect(LIST_FROM("3", "\"p\\u0032 \\\"x\\\"\""));
    cr_say(PAGE("3", "[]", ",\"nextCursor\":\"c\""));
    cr_expect(LIST_FROM("4", "\"c\""));
    ck_assert_int_eq(cr.listed, 0);
    cr_say(PAGE("4", "[3]", ",\"nextCursor\":null"));
    cr_expect_nothing();
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_uint_eq(cr.list->n_pages, 3);
    expect_page(0, "[1]");
    expect_page(1, "[]");
    expect_page(2, "[3]");
    ck_assert_ptr_null(cr.list->cut);
}
END_TEST

/* The client sends no request with an empty cursor, because this request would begin the
 * list again.  Some servers send an empty cursor after the last page. */
START_TEST(an_empty_cursor_ends_the_list_and_is_reported)
{
    cr_legacy("2025-11-25");
    ask();
    cr_expect(LIST("2"));
    cr_say(PAGE("2", "[1]", ",\"nextCursor\":\"\""));
    cr_expect_nothing();
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_uint_eq(cr.list->n_pages, 1);
    expect_page(0, "[1]");
    ck_assert_int_eq(mcphost_error_get_code(cr.list->cut), MCPHOST_E_PROTOCOL);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(cr.list->cut), "empty cursor"));
}
END_TEST

START_TEST(a_list_outlives_its_client)
{
    cr_legacy("2025-11-25");
    ask();
    cr_say(PAGE("2", "[1]", ""));
    cr.client = mcph_client_free(cr.client);
    cr_turn();
    expect_page(0, "[1]");
}
END_TEST

START_TEST(a_repeated_cursor_ends_the_list)
{
    cr_legacy("2025-11-25");
    ask();
    cr_say(PAGE("2", "[1]", ",\"nextCursor\":\"a\""));
    cr_say(PAGE("3", "[2]", ",\"nextCursor\":\"b\""));
    cr_say(PAGE("4", "[3]", ",\"nextCursor\":\"\\u0061\""));
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_uint_eq(cr.list->n_pages, 3); /* the client keeps the pages that it read */
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(cr.list->cut), "same cursor twice"));
    ck_assert_str_eq(mcphost_error_get_server_id(cr.list->cut), "srv");
}
END_TEST

START_TEST(a_list_over_max_pages_is_cut)
{
    cr.spec.max_pages = (size_t)_i;
    cr_legacy("2025-11-25");
    ask();
    for (int i = 0; i < _i; i++)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[],\"nextCursor\":"
               "\"%d\"}}",
               2 + i, i);
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_uint_eq(cr.list->n_pages, (size_t)_i);
    ck_assert_int_eq(mcphost_error_get_code(cr.list->cut), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(cr.list->cut), "pages"));
}
END_TEST

START_TEST(a_list_of_exactly_max_pages_is_not_cut)
{
    cr.spec.max_pages = 2;
    cr_legacy("2025-11-25");
    ask();
    cr_say(PAGE("2", "[]", ",\"nextCursor\":\"a\""));
    cr_say(PAGE("3", "[]", ""));
    ck_assert_uint_eq(cr.list->n_pages, 2);
    ck_assert_ptr_null(cr.list->cut);
}
END_TEST

START_TEST(a_list_over_max_list_bytes_is_cut)
{
    cr.spec.max_list_bytes = 150;
    cr_legacy("2025-11-25");
    ask();
    cr_say(PAGE("2", "[]", ",\"nextCursor\":\"a\""));
    ck_assert_int_eq(cr.listed, 0);
    cr_say(PAGE("3", "[]", ",\"nextCursor\":\"b\",\"pad\":\"%060d\""), 0);
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(cr.list->cut), "bytes"));
}
END_TEST

/* ---- lists that fail --------------------------------------------------------------- */

START_TEST(an_invalid_page_fails_the_list)
{
    static const char *const results[] = {
        "[]",
        "{}",
        "{\"tools\":{}}",
        "{\"tools\":[],\"tools\":[]}",
        "{\"tools\":[],\"nextCursor\":5}",
    };

    cr_legacy("2025-11-25");
    ask();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":%s}", results[_i]);
    expect_failure(MCPHOST_E_PROTOCOL, "tools/list");
}
END_TEST

/* The schema is nested 10,000 levels deep. */
START_TEST(a_list_that_is_too_deep_fails_and_the_connection_lives)
{
    static char deep[60001];

    for (size_t i = 0; i < 10000; i++)
        memcpy(deep + 5 * i, "{\"a\":", 5);
    memset(deep + 50000, '}', 10000);
    deep[50000] = '1';
    cr_legacy("2025-11-25");
    ask();
    cr_expect(LIST("2"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"n\","
           "\"inputSchema\":%s}}]}}",
           deep);
    expect_failure(MCPHOST_E_PROTOCOL, "nest");
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    cr_expect(LIST("3"));
}
END_TEST

START_TEST(a_refused_list_fails_with_the_servers_message)
{
    cr_legacy("2025-11-25");
    ask();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":"
           "\"database is away\"}}");
    expect_failure(MCPHOST_E_RPC, "refused tools/list: database is away");
}
END_TEST

START_TEST(an_error_for_the_second_page_fails_the_list)
{
    cr_legacy("2025-11-25");
    ask();
    cr_say(PAGE("2", "[1]", ",\"nextCursor\":\"a\""));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32603,\"message\":"
           "\"bad page\"}}");
    expect_failure(MCPHOST_E_RPC, "bad page");
}
END_TEST

START_TEST(a_modern_list_answered_with_a_request_for_input_fails)
{
    cr_modern();
    ask();
    cr_sent();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\","
           "\"tools\":[]}}");
    expect_failure(MCPHOST_E_PROTOCOL, "request for input");
}
END_TEST

START_TEST(each_request_for_a_modern_list_has_meta)
{
    cr_modern();
    ask();
    cr_expect(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" CR_META
        "}}}");
    cr_say(PAGE("1", "[]", ",\"nextCursor\":\"a\",\"resultType\":\"complete\""));
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{"
              "\"cursor\":\"a\"," CR_META "}}}");
}
END_TEST

START_TEST(the_deadline_is_for_the_whole_list)
{
    cr.spec.list_ms = 1000;
    cr_legacy("2025-11-25");
    ask();
    cr_sent();
    cr_advance(600);
    cr_say(PAGE("2", "[1]", ",\"nextCursor\":\"a\""));
    cr_sent();
    cr_advance(399);
    ck_assert_int_eq(cr.listed, 0);
    cr_advance(1);
    expect_failure(MCPHOST_E_TIMEOUT, "1000 ms");
    cr_expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":3,\"reason\":\"timed out\"}}");
    cr_say(PAGE("3", "[1]", ""));
    ck_assert_int_eq(cr.listed, 1);
}
END_TEST

START_TEST(a_server_without_tools_is_not_asked_and_its_list_is_empty)
{
    cr.spec.lists = 1u << MCPH_LIST_TOOLS;
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_sent();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
           "\"capabilities\":{\"prompts\":{}}}}");
    cr_expect(CR_INITIALIZED);
    cr_expect_nothing();
    ck_assert_str_eq(cr.story, "ready listed ");
    ck_assert_uint_eq(cr.list->n_pages, 0);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(cr.list->cut),
               "offers no tools: its capabilities do not name 'tools'"));
}
END_TEST

START_TEST(a_second_list_while_one_runs_sends_nothing)
{
    cr_legacy("2025-11-25");
    ask();
    ask();
    cr_expect(LIST("2"));
    cr_expect_nothing();
    cr_say(PAGE("2", "[]", ""));
    ck_assert_int_eq(cr.listed, 1);
}
END_TEST

START_TEST(a_list_before_ready_is_refused)
{
    cr_start();
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), MCPHOST_E_STATE);
}
END_TEST

START_TEST(a_list_in_progress_is_not_reported_after_the_connection_ends)
{
    cr_legacy("2025-11-25");
    ask();
    cr_say(PAGE("2", "[1]", ",\"nextCursor\":\"a\""));
    cr_die("exited with status 0", NULL);
    ck_assert_str_eq(cr.story, "ready down ");
}
END_TEST

START_TEST(an_end_between_two_pages_is_reported_with_its_reason)
{
    mcphost_error *err = NULL;

    cr_legacy("2025-11-25");
    ask();
    cr_put(PAGE("2", "[1]", ",\"nextCursor\":\"a\""));
    mcph_err(&err, MCPHOST_E_TRANSPORT, "exited with status 9");
    mcph_memory_peer_close(cr.transport, err);
    mcphost_error_unref(err);
    cr_turn();
    ck_assert_str_eq(cr.story, "ready down ");
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(cr.error), "status 9"));
}
END_TEST

START_TEST(a_listed_function_may_free_the_client)
{
    cr_legacy("2025-11-25");
    ask();
    cr.free_in_event = true;
    cr_say(PAGE("2", "[1]", ""));
    ck_assert_ptr_null(cr.client);
    expect_page(0, "[1]");
}
END_TEST

/* ---- change notices ---------------------------------------------------------------- */

#define CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}"

START_TEST(a_burst_of_notices_is_reported_once)
{
    cr_legacy("2025-11-25");
    for (int i = 0; i < 5; i++) {
        cr_say(CHANGED);
        cr_advance(10);
    }
    ck_assert_int_eq(cr.changed, 0);
    cr_advance(49);
    ck_assert_int_eq(cr.changed, 0);
    cr_advance(1);
    ck_assert_int_eq(cr.changed, 1);
    cr_say(CHANGED);
    cr_advance(100);
    ck_assert_int_eq(cr.changed, 2);
}
END_TEST

START_TEST(a_change_during_a_list_is_reported_after_it)
{
    cr_legacy("2025-11-25");
    ask();
    cr_say(CHANGED);
    cr_advance(1000);
    ck_assert_int_eq(cr.changed, 0);
    cr_say(PAGE("2", "[]", ""));
    cr_advance(100);
    ck_assert_str_eq(cr.story, "ready listed changed ");
}
END_TEST

#define LISTEN                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":\"listen:1\",\"method\":\"subscriptions/listen\"," \
    "\"params\":{\"notifications\":{\"toolsListChanged\":true}," CR_META "}}}"
#define NOTICE(what, id, rest)                                                           \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" what "\",\"params\":{\"_meta\":{" \
    "\"io.modelcontextprotocol/subscriptionId\":" id "}" rest "}}"
#define ACK(id)                              \
    NOTICE("subscriptions/acknowledged", id, \
           ",\"notifications\":{\"toolsListChanged\":true}")

static void
listening(void)
{
    cr.spec.era = MCPH_CLIENT_MODERN;
    cr_start();
    cr_expect(CR_PROBE("1"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"supportedVersions\":["
           "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}}}}");
}

static void
expect_notices(bool on)
{
    cr_say(NOTICE("tools/list_changed", "\"listen:1\"", ""));
    cr_advance(100);
    ck_assert_int_eq(cr.changed, on);
}

START_TEST(the_client_subscribes_to_list_changes_of_a_modern_server)
{
    listening();
    cr_expect(LISTEN);
    cr_expect_nothing();
    cr_say(ACK("\"listen:1\""));
    cr_advance(3600000); /* the subscription stays open */
    cr_expect_nothing();
    expect_notices(true);
}
END_TEST

START_TEST(without_announced_or_wanted_changes_no_subscription_is_sent)
{
    if (_i == 0) {
        cr_modern(); /* the server announces no changes */
    } else {
        cr.spec.listen = 0;
        listening();
    }
    cr_expect_nothing();
}
END_TEST

START_TEST(notices_with_another_subscription_id_are_dropped)
{
    listening();
    cr_say(ACK("\"listen:1\""));
    cr_say(CHANGED);
    cr_say(NOTICE("tools/list_changed", "\"listen:2\"", ""));
    cr_say(NOTICE("tools/list_changed", "1", ""));
    cr_say(NOTICE("cancelled", "\"listen:1\"", ",\"requestId\":\"listen:2\""));
    cr_advance(1000);
    ck_assert_int_eq(cr.changed, 0);
    expect_notices(true);
}
END_TEST

START_TEST(after_the_end_of_a_subscription_the_client_stays_ready)
{
    listening();
    cr_expect(LISTEN);
    switch (_i) {
    case 0: /* the server ends the subscription by a result */
        cr_say(ACK("\"listen:1\""));
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":\"listen:1\",\"result\":{\"resultType\":"
               "\"complete\"}}");
        break;
    case 1: /* the server cancels the subscription */
        cr_say(ACK("\"listen:1\""));
        cr_say(NOTICE("cancelled", "\"listen:1\"", ",\"requestId\":\"listen:1\""));
        break;
    case 2: /* the server refuses the subscription */
        cr_say(CR_REFUSED("\"listen:1\""));
        break;
    case 3: /* the server never acknowledges the subscription */
        cr_advance(60000);
        cr_expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                  "\"params\":{\"requestId\":\"listen:1\",\"reason\":"
                  "\"not acknowledged\"}}");
        break;
    }
    cr_expect_nothing();
    expect_notices(false);
    ck_assert_int_eq(cr_state(), MCPH_CLIENT_READY);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "pages");

    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_test(tc, the_list_is_requested_together_with_initialized);
    tcase_add_test(tc, the_latency_is_the_time_of_the_last_answer);
    tcase_add_test(tc, a_schema_is_handed_over_byte_for_byte);
    tcase_add_test(tc, all_pages_are_fetched);
    tcase_add_test(tc, a_list_outlives_its_client);
    tcase_add_test(tc, a_repeated_cursor_ends_the_list);
    tcase_add_test(tc, an_empty_cursor_ends_the_list_and_is_reported);
    tcase_add_loop_test(tc, a_list_over_max_pages_is_cut, 1, 5);
    tcase_add_test(tc, a_list_of_exactly_max_pages_is_not_cut);
    tcase_add_test(tc, a_list_over_max_list_bytes_is_cut);

    tc = test_case(suite, "no list");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_loop_test(tc, an_invalid_page_fails_the_list, 0, 5);
    tcase_add_test(tc, a_list_that_is_too_deep_fails_and_the_connection_lives);
    tcase_add_test(tc, a_refused_list_fails_with_the_servers_message);
    tcase_add_test(tc, an_error_for_the_second_page_fails_the_list);
    tcase_add_test(tc, a_modern_list_answered_with_a_request_for_input_fails);
    tcase_add_test(tc, each_request_for_a_modern_list_has_meta);
    tcase_add_test(tc, the_deadline_is_for_the_whole_list);
    tcase_add_test(tc, a_server_without_tools_is_not_asked_and_its_list_is_empty);
    tcase_add_test(tc, a_second_list_while_one_runs_sends_nothing);
    tcase_add_test(tc, a_list_before_ready_is_refused);
    tcase_add_test(tc, a_list_in_progress_is_not_reported_after_the_connection_ends);
    tcase_add_test(tc, an_end_between_two_pages_is_reported_with_its_reason);
    tcase_add_test(tc, a_listed_function_may_free_the_client);

    tc = test_case(suite, "changes");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_test(tc, a_burst_of_notices_is_reported_once);
    tcase_add_test(tc, a_change_during_a_list_is_reported_after_it);
    tcase_add_test(tc, the_client_subscribes_to_list_changes_of_a_modern_server);
    tcase_add_loop_test(tc, without_announced_or_wanted_changes_no_subscription_is_sent,
                        0, 2);
    tcase_add_test(tc, notices_with_another_subscription_id_are_dropped);
    tcase_add_loop_test(tc, after_the_end_of_a_subscription_the_client_stays_ready, 0, 4);
}

int
main(void)
{
    return test_main("client-lists", add);
}
