/* SPDX-License-Identifier: MIT
 *
 * test_connection_life.c - connections from their beginning to their end, and the pages
 * of lists.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servrig.h"
#include "support/runner.h"

#define ASK(id, method, params)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"
#define INIT     ASK("0", "initialize", "\"protocolVersion\":\"2025-11-25\"")
#define SLOW(id) ASK(id, "tools/call", "\"name\":\"slow\"")

static void
expect_over(int code, const char *part)
{
    ck_assert_int_eq(sv.overs, 1);
    ck_assert_int_eq(mcphost_error_get_code(sv.reason), code);
    test_has(mcphost_error_get_message(sv.reason), part);
}

/* ---- the beginning ----------------------------------------------------------------- */

START_TEST(a_failed_setup_fails_initialize_and_ends_the_connection)
{
    sv.setup_code = MCPHOST_E_IO;
    sv_start_quietly();
    sv_say(INIT);
    sv_error("0", -32603);
    test_has(sv.lines[0], "no database");
    expect_over(MCPHOST_E_IO, "no database");
    ck_assert_int_eq(sv.setups, 1);
    ck_assert_int_eq(sv.teardowns, 0);
}
END_TEST

START_TEST(a_service_that_is_not_up_within_start_ms_ends_the_connection)
{
    sv.spec.start_ms = 3000;
    sv_start_idle();
    sv_say(INIT);
    sv_advance(2999);
    sv_silence();
    sv_advance(1);
    sv_error("0", -32603);
    expect_over(MCPHOST_E_TIMEOUT, "in time");
}
END_TEST

/* At _i == 0, the provider still waits for a call.  At _i == 1, its teardown has run. */
START_TEST(a_connection_to_a_closed_provider_ends_at_once)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    mcph_provider_close(sv.provider, _i ? 0 : -1);
    sv_turn();
    ck_assert_int_eq(sv.teardowns, _i);
    mcph_connection_free(sv.connection);
    mcph_transport_free(sv.transport, 0);
    sv.overs = 0;
    sv.reason = mcphost_error_unref(sv.reason);
    sv_start();
    sv_say(INIT);
    expect_over(MCPHOST_E_CLOSED, "it was closed");
}
END_TEST

/* ---- the end ----------------------------------------------------------------------- */

START_TEST(a_close_waits_for_requests_and_takes_no_new_requests)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    mcph_connection_close(sv.connection, -1);
    mcph_connection_close(sv.connection, -1);
    sv_turn();
    ck_assert_int_eq(sv.overs, 0);
    sv_say(SLOW("2"));
    sv_error("2", -32000);
    sv_say(ASK("3", "ping", ""));
    (void)sv_next();
    sv_advance(1000000);
    ck_assert_int_eq(sv.overs, 0);
    sv_answer(0, "done");
    test_has(sv_next(), "\"id\":1,\"result\"");
    expect_over(MCPHOST_E_CLOSED, "it was closed");
    ck_assert_int_eq(sv.peer_closed, 1);
}
END_TEST

START_TEST(a_close_abandons_open_requests_after_its_time_limit)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    mcph_connection_close(sv.connection, 500);
    sv_advance(499);
    ck_assert_int_eq(sv.overs, 0);
    sv_advance(1);
    expect_over(MCPHOST_E_CLOSED, "before all requests");
    ck_assert_int_eq(sv.unwanted, 1);
    sv_answer(0, "late");
    sv_silence();
}
END_TEST

/* Ends the client's output.  The client still reads. */
static void
end_output(void)
{
    mcphost_error *reason = NULL;

    mcph_err(&reason, MCPHOST_E_TRANSPORT, "closed the connection");
    ck_assert(mcph_transport_tell_half_closed(sv.transport, reason));
    mcphost_error_unref(reason);
    sv_turn();
}

START_TEST(after_the_client_ends_its_output_open_requests_are_answered)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    end_output();
    ck_assert_int_eq(sv.overs, 0);
    sv_answer(0, "done");
    test_has(sv_next(), "\"id\":1,\"result\"");
    expect_over(MCPHOST_E_TRANSPORT, "closed the connection");
}
END_TEST

START_TEST(a_client_that_ends_its_output_before_the_service_is_up_is_answered)
{
    sv_start_quietly();
    sv_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
           "\"protocolVersion\":\"2025-11-25\"}}");
    end_output();
    test_has(sv_next(), "\"serverInfo\"");
    expect_over(MCPHOST_E_TRANSPORT, "closed the connection");
}
END_TEST

START_TEST(open_requests_are_abandoned_60_s_after_the_client_ends_its_output)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    end_output();
    sv_advance(59999);
    ck_assert_int_eq(sv.overs, 0);
    sv_advance(1);
    expect_over(MCPHOST_E_TRANSPORT, "closed the connection");
    ck_assert_int_eq(sv.unwanted, 1);
}
END_TEST

START_TEST(without_open_requests_the_end_of_the_clients_output_ends_all)
{
    sv_legacy("2025-11-25", "{}");
    end_output();
    expect_over(MCPHOST_E_TRANSPORT, "closed the connection");
}
END_TEST

START_TEST(a_close_does_not_wait_for_a_cancelled_request)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    mcph_connection_close(sv.connection, -1);
    sv_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
           "\"requestId\":1}}");
    ck_assert_int_eq(sv.overs, 1);
}
END_TEST

START_TEST(the_end_of_the_transport_ends_the_connection_and_its_requests)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(SLOW("1"));
    mcph_memory_peer_close(sv.transport, NULL);
    sv_turn();
    expect_over(MCPHOST_E_TRANSPORT, "closed the connection");
    ck_assert_int_eq(sv.unwanted, 1);
}
END_TEST

START_TEST(a_connection_may_be_freed_at_any_time)
{
    sv.free_in_event = _i < 2;
    sv_start();
    if (_i == 1) {
        mcph_memory_peer_close(sv.transport, NULL);
        sv_turn();
        ck_assert_int_eq(sv.overs, 1);
    } else {
        sv_say(INIT);
        sv_say(SLOW("1"));
        if (_i == 2)
            sv.connection = mcph_connection_free(sv.connection);
        sv_turn();
        ck_assert_int_eq(sv.overs, 0);
        ck_assert_int_eq(sv.unwanted, _i == 2);
    }
    ck_assert_ptr_null(sv.connection);
    ck_assert_ptr_null(mcph_connection_free(NULL));
}
END_TEST

START_TEST(two_connections_serve_one_provider)
{
    struct sv first;

    sv_legacy("2025-11-25", "{}");
    first = sv;
    sv_start();
    sv_say(ASK("1", "server/discover", SV_META));
    test_has(sv_next(), "supportedVersions");
    ck_assert_int_eq(sv.setups, 1);
    mcph_connection_free(first.connection);
    mcph_transport_free(first.transport, 0);
    sv_turn();
    sv_say(ASK("2", "tools/list", SV_META));
    test_has(sv_next(), "echo");
    ck_assert_int_eq(sv.teardowns, 0);
}
END_TEST

/* ---- pages ------------------------------------------------------------------------- */

static char cursor[64];

/* Requests the page of tools at the cursor `from`, or the first page if `from` is NULL.
 * Returns the names of the tools as "a b ".  Stores the cursor of the next page in
 * `cursor`. */
static const char *
page(const char *from)
{
    static char names[256];
    struct mcph_span line, result, tool, value;
    struct mcph_json_iter it;

    if (from)
        sv_say(ASK("1", "tools/list", "\"cursor\":\"%s\""), from);
    else
        sv_say(ASK("1", "tools/list", ""));
    line = mcph_span_str(sv_next());
    result = mcph_json_get(line, "result");
    ck_assert_ptr_nonnull(result.p);
    names[0] = cursor[0] = '\0';
    mcph_json_iter_init(&it, mcph_json_get(result, "tools"));
    while (mcph_json_iter_next(&it, NULL, &tool)) {
        value = mcph_json_get(tool, "name");
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%.*s ",
                 (int)value.len - 2, value.p + 1);
    }
    value = mcph_json_get(result, "nextCursor");
    if (value.p)
        snprintf(cursor, sizeof(cursor), "%.*s", (int)value.len - 2, value.p + 1);
    return names;
}

static void
add_tool(const char *name)
{
    char text[128];

    snprintf(text, sizeof(text), "{\"name\":\"%s\",\"inputSchema\":{}}", name);
    sv_add(MCPHOST_FEATURE_TOOL, text, sv_slow);
}

static void
drop_tool(const char *name)
{
    ck_assert_int_eq(
        mcph_provider_remove(sv.provider, MCPHOST_FEATURE_TOOL, mcph_span_str(name)), 0);
}

static void
pages_up(void)
{
    sv_up();
    drop_tool("echo");
    drop_tool("slow");
    drop_tool("ask");
    for (const char *name = "abcdefg"; *name; name++)
        add_tool((char[]){*name, '\0'});
    sv.spec.page_items = 3;
    sv_legacy("2025-11-25", "{}");
}

/* Skips the change notices. */
static void
skip_news(void)
{
    sv_turn();
    while (sv.at < sv.n_lines)
        test_has(sv_next(), "list_changed");
}

START_TEST(a_list_is_sent_in_pages_of_page_items)
{
    ck_assert_str_eq(page(NULL), "a b c ");
    ck_assert_str_eq(page(cursor), "d e f ");
    ck_assert_str_eq(page(cursor), "g ");
    ck_assert_str_eq(cursor, "");
}
END_TEST

START_TEST(pages_are_limited_by_page_bytes_but_have_at_least_one_item)
{
    sv_down();
    sv_up();
    sv.spec.page_bytes = _i == 0 ? 1 : strlen(SV_ECHO "," SV_SLOW);
    sv_legacy("2025-11-25", "{}");
    ck_assert_str_eq(page(NULL), _i == 0 ? "echo " : "echo slow ");
    ck_assert_str_eq(page(cursor), _i == 0 ? "slow " : "ask ");
}
END_TEST

START_TEST(a_cursor_stays_valid_when_items_are_added_or_removed)
{
    static const struct {
        const char *drop, *add, *next;
    } rows[] = {
        {"", "", "d e f "},       {"a", "", "d e f "}, {"d", "", "e f g "},
        {"ab", "", "d e f "},     {"c", "", "d e f "}, {"cd", "", "f g "},
        {"cdefg", "", ""},        {"", "x", "d e f "}, {"abcdefg", "", ""},
        {"abc", "xyz", "d e f "}, {"defg", "x", "x "}, {"ad", "", "e f g "},
    };
    char from[64];

    ck_assert_str_eq(page(NULL), "a b c ");
    memcpy(from, cursor, sizeof(from));
    for (const char *p = rows[_i].drop; *p; p++)
        drop_tool((char[]){*p, '\0'});
    for (const char *p = rows[_i].add; *p; p++)
        add_tool((char[]){*p, '\0'});
    skip_news();
    if (strcmp(rows[_i].drop, "abcdefg") == 0)
        add_tool("z"); /* without a tool, tools/list fails */
    skip_news();
    ck_assert_str_eq(page(from), rows[_i].next);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "life");

    tcase_add_checked_fixture(tc, sv_up, sv_down);
    tcase_add_test(tc, a_failed_setup_fails_initialize_and_ends_the_connection);
    tcase_add_test(tc, a_service_that_is_not_up_within_start_ms_ends_the_connection);
    tcase_add_loop_test(tc, a_connection_to_a_closed_provider_ends_at_once, 0, 2);
    tcase_add_test(tc, a_close_waits_for_requests_and_takes_no_new_requests);
    tcase_add_test(tc, a_close_abandons_open_requests_after_its_time_limit);
    tcase_add_test(tc, after_the_client_ends_its_output_open_requests_are_answered);
    tcase_add_test(tc,
                   a_client_that_ends_its_output_before_the_service_is_up_is_answered);
    tcase_add_test(tc, open_requests_are_abandoned_60_s_after_the_client_ends_its_output);
    tcase_add_test(tc, without_open_requests_the_end_of_the_clients_output_ends_all);
    tcase_add_test(tc, a_close_does_not_wait_for_a_cancelled_request);
    tcase_add_test(tc, the_end_of_the_transport_ends_the_connection_and_its_requests);
    tcase_add_loop_test(tc, a_connection_may_be_freed_at_any_time, 0, 3);
    tcase_add_test(tc, two_connections_serve_one_provider);

    tc = test_case(suite, "pages");
    tcase_add_checked_fixture(tc, pages_up, sv_down);
    tcase_add_test(tc, a_list_is_sent_in_pages_of_page_items);
    tcase_add_loop_test(tc, pages_are_limited_by_page_bytes_but_have_at_least_one_item, 0,
                        2);
    tcase_add_loop_test(tc, a_cursor_stays_valid_when_items_are_added_or_removed, 0, 12);
}

int
main(void)
{
    return test_main("connection-life", add);
}
