/* SPDX-License-Identifier: MIT
 *
 * test_client_negotiate.c - how a client finds out the era of a server on stdio: the
 * answers to the probe, no answer, and servers that end when they are probed.
 *
 * In the legacy era, a session begins with initialize.  The modern era, since protocol
 * version 2026-07-28, has no initialize.  The probe is the request server/discover.
 */
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define ERROR_NULL(code) \
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":" code ",\"message\":\"m\"}}"
#define ERROR(id, code, data)                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code \
    ",\"message\":\"m\",\"data\":" data "}}"
#define RESULT(id, result) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}"

static void
expect_ready(int era, const char *version)
{
    const struct mcph_client_info *info = mcph_client_get_info(cr.client);

    ck_assert_int_eq(cr.ready, 1);
    ck_assert_int_eq(cr.downs, 0);
    ck_assert_ptr_nonnull(info);
    ck_assert_int_eq(info->era, era);
    ck_assert_str_eq(info->version, version);
}

static void
expect_down(int code, const char *part)
{
    ck_assert_int_eq(cr.downs, 1);
    ck_assert_int_eq(mcphost_error_get_code(cr.error), code);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(cr.error), part));
    /* Every error names the server. */
    ck_assert_str_eq(mcphost_error_get_server_id(cr.error), "srv");
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(cr.error), "server 'srv'"));
    ck_assert_int_eq(cr_state(), MCPH_CLIENT_DOWN);
}

/* Expects a legacy handshake and completes it. */
static void
finish_legacy(void)
{
    cr_expect(CR_INIT("1"));
    cr_say(CR_INIT_RESULT("1", "2025-06-18"));
    cr_expect(CR_INITIALIZED);
    cr_expect_nothing();
    expect_ready(MCPH_CLIENT_LEGACY, "2025-06-18");
}

static void
start_probing(void)
{
    cr_start();
    cr_expect(CR_PROBE("1"));
    cr_expect_nothing();
}

/* ---- a configured era -------------------------------------------------------------- */

/* R19 */
START_TEST(with_era_legacy_only_initialize_is_sent)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    finish_legacy();
}
END_TEST

START_TEST(each_legacy_version_is_accepted)
{
    static const char *const versions[] = {"2024-10-07", "2024-11-05", "2025-03-26",
                                           "2025-06-18", "2025-11-25"};

    cr_legacy(versions[_i]);
    expect_ready(MCPH_CLIENT_LEGACY, versions[_i]);
}
END_TEST

START_TEST(an_unknown_version_in_the_initialize_result_ends_the_connection)
{
    static const char *const versions[] = {"2030-01-01", "2026-07-28", "1.0", ""};

    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_expect(CR_INIT("1"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"%s\","
           "\"capabilities\":{}}}",
           versions[_i]);
    cr_expect_nothing();
    expect_down(MCPHOST_E_PROTOCOL, versions[_i]);
}
END_TEST

START_TEST(an_initialize_result_without_a_version_ends_the_connection)
{
    static const char *const results[] = {"{}", "{\"protocolVersion\":1}", "[]", "\"x\""};

    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}", results[_i]);
    expect_down(MCPHOST_E_PROTOCOL, "initialize");
}
END_TEST

START_TEST(a_refused_initialize_fails_with_the_servers_message)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":"
           "\"come back tomorrow\"}}");
    expect_down(
        MCPHOST_E_RPC,
        "the only handshake that 'era' or the transport allows): come back tomorrow");
    ck_assert_int_eq(mcphost_error_get_rpc_code(cr.error), -32000);
}
END_TEST

START_TEST(an_error_without_an_id_refuses_initialize_too)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_say(ERROR_NULL("-32600"));
    expect_down(MCPHOST_E_RPC, "initialize");
}
END_TEST

START_TEST(with_era_modern_the_server_is_still_probed)
{
    cr.spec.era = MCPH_CLIENT_MODERN;
    start_probing();
    cr_say(CR_DISCOVERED("1"));
    cr_expect_nothing();
    expect_ready(MCPH_CLIENT_MODERN, "2026-07-28");
}
END_TEST

START_TEST(with_era_modern_a_refused_probe_ends_the_connection)
{
    cr.spec.era = MCPH_CLIENT_MODERN;
    start_probing();
    cr_advance(20000); /* longer than the wait for the probe */
    cr_expect_nothing();
    cr_say(CR_REFUSED("\"probe-1\""));
    cr_expect_nothing();
    expect_down(MCPHOST_E_PROTOCOL, "no modern protocol version");
}
END_TEST

START_TEST(with_era_modern_a_server_that_ends_is_not_restarted)
{
    cr.spec.era = MCPH_CLIENT_MODERN;
    start_probing();
    cr_die("exited with status 1", NULL);
    ck_assert_int_eq(cr.restarts, 0);
    expect_down(MCPHOST_E_TRANSPORT, "exited with status 1");
}
END_TEST

/* ---- the probe's answers ----------------------------------------------------------- */

START_TEST(a_discover_result_selects_the_modern_era)
{
    const struct mcph_client_info *info;

    start_probing();
    cr_say(RESULT("\"probe-1\"",
                  "{\"resultType\":\"complete\",\"supportedVersions\":[\"2027-01-01\","
                  "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":false},"
                  "\"logging\":{}},\"instructions\":\"Be nice.\",\"ttlMs\":1,"
                  "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
                  "{\"name\":\"dbd\"}}}"));
    cr_expect_nothing();
    expect_ready(MCPH_CLIENT_MODERN, "2026-07-28");
    info = mcph_client_get_info(cr.client);
    ck_assert_uint_eq(info->offers, MCPH_OFFERS_TOOLS | MCPH_OFFERS_LOGGING);
    ck_assert(!info->list_changed);
    ck_assert(mcph_span_is(info->instructions, "\"Be nice.\""));
    ck_assert(mcph_span_is(info->server_info, "{\"name\":\"dbd\"}"));
}
END_TEST

START_TEST(a_discover_result_needs_only_a_supported_version)
{
    start_probing();
    cr_say(RESULT("\"probe-1\"", "{\"supportedVersions\":[\"2026-07-28\"]}"));
    expect_ready(MCPH_CLIENT_MODERN, "2026-07-28");
    ck_assert_uint_eq(mcph_client_get_info(cr.client)->offers, 0);
}
END_TEST

/* Answers to the probe after which the client uses the legacy era. */
static const char *const legacy_answers[] = {
    CR_REFUSED("\"probe-1\""),
    ERROR("\"probe-1\"", "-32602", "null"),
    ERROR("\"probe-1\"", "-32600", "{}"),
    ERROR("\"probe-1\"", "-32000", "{\"supported\":[\"2026-07-28\"]}"),
    ERROR("\"probe-1\"", "-32001", "1"),
    ERROR("\"probe-1\"", "0", "1"),
    ERROR("\"probe-1\"", "-32020", "{}"),
    ERROR("\"probe-1\"", "-32021", "{\"requiredCapabilities\":{\"sampling\":{}}}"),
    ERROR("\"probe-1\"", "-32022", "{\"supported\":[\"2025-06-18\",\"2024-11-05\"]}"),
    ERROR("\"probe-1\"", "-32022", "{\"supported\":[]}"),
    ERROR("\"probe-1\"", "-32022", "{\"supported\":\"2026-07-28\"}"),
    ERROR("\"probe-1\"", "-32022", "{\"supported\":[1]}"),
    ERROR("\"probe-1\"", "-32022", "null"),
    ERROR_NULL("-32600"),
    ERROR_NULL("-32700"),
    RESULT("\"probe-1\"", "{}"),
    RESULT("\"probe-1\"", "[]"),
    RESULT("\"probe-1\"", "null"),
    RESULT("\"probe-1\"", "{\"supportedVersions\":{}}"),
    RESULT("\"probe-1\"", "{\"supportedVersions\":[]}"),
    RESULT("\"probe-1\"", "{\"supportedVersions\":[2026]}"),
    RESULT("\"probe-1\"", "{\"supportedVersions\":[\"2025-11-25\"]}"),
    RESULT("\"probe-1\"", "{\"supportedVersions\":[\"2031-01-01\",\"2025-11-25\"]}"),
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\"}", /* an answer, although invalid */
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"error\":\"unknown\"}",
};

START_TEST(any_other_answer_to_the_probe_selects_the_legacy_era)
{
    start_probing();
    cr_say("%s", legacy_answers[_i]);
    finish_legacy();
}
END_TEST

START_TEST(with_only_unknown_modern_versions_the_start_fails_without_initialize)
{
    static const char *const answers[] = {
        RESULT("\"probe-1\"", "{\"supportedVersions\":[\"2031-01-01\"]}"),
        ERROR("\"probe-1\"", "-32022", "{\"supported\":[\"2031-01-01\"]}"),
    };

    start_probing();
    cr_say("%s", answers[_i]);
    cr_expect_nothing();
    expect_down(MCPHOST_E_PROTOCOL, "2031-01-01");
}
END_TEST

START_TEST(after_a_refused_version_the_probe_is_sent_again)
{
    start_probing();
    cr_say(ERROR("\"probe-1\"", "-32022", "{\"supported\":[\"2026-07-28\"]}"));
    cr_expect(CR_PROBE("2"));
    cr_say(CR_DISCOVERED("2"));
    expect_ready(MCPH_CLIENT_MODERN, "2026-07-28");
}
END_TEST

START_TEST(a_version_refused_twice_ends_the_connection)
{
    start_probing();
    cr_say(ERROR("\"probe-1\"", "-32022", "{\"supported\":[\"2026-07-28\"]}"));
    cr_expect(CR_PROBE("2"));
    cr_say(ERROR("\"probe-2\"", "-32022", "{\"supported\":[\"2026-07-28\"]}"));
    cr_expect_nothing();
    expect_down(MCPHOST_E_PROTOCOL, "2026-07-28");
}
END_TEST

START_TEST(messages_that_do_not_answer_the_probe_are_ignored)
{
    start_probing();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"roots/list\"}");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
           "\"level\":\"info\",\"data\":1}}");
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    cr_say(RESULT("1", "{\"protocolVersion\":\"2025-06-18\"}"));
    cr_say(RESULT("\"probe-2\"", "{\"supportedVersions\":[\"2026-07-28\"]}"));
    cr_say(RESULT("\"probe-11\"", "{}"));
    cr_expect_nothing();
    ck_assert_str_eq(cr.story, "");
    cr_say(CR_REFUSED("\"probe-1\""));
    finish_legacy();
}
END_TEST

/* ---- no answer to the probe -------------------------------------------------------- */

START_TEST(initialize_is_sent_if_the_probe_is_not_answered_within_5_s)
{
    start_probing();
    cr_advance(4999);
    cr_expect_nothing();
    cr_advance(1);
    finish_legacy();
}
END_TEST

START_TEST(probe_ms_sets_the_wait_for_the_probe)
{
    cr.spec.probe_ms = 700;
    start_probing();
    cr_advance(699);
    cr_expect_nothing();
    cr_advance(1);
    cr_expect(CR_INIT("1"));
}
END_TEST

START_TEST(a_discover_result_before_the_initialize_result_selects_modern)
{
    start_probing();
    cr_advance(5000);
    cr_expect(CR_INIT("1"));
    cr_say(CR_DISCOVERED("1"));
    expect_ready(MCPH_CLIENT_MODERN, "2026-07-28");
    /* A client that has found the modern era drops the answer to initialize, and the
     * requests of the server. */
    cr_say(CR_INIT_RESULT("1", "2025-06-18"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");
    cr_expect_nothing();
    ck_assert_int_eq(cr.ready, 1);
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(a_discover_result_after_the_handshake_is_ignored)
{
    start_probing();
    cr_advance(5000);
    finish_legacy();
    cr_say(CR_DISCOVERED("1"));
    cr_expect_nothing();
    expect_ready(MCPH_CLIENT_LEGACY, "2025-06-18");
    ck_assert_int_eq(cr.restarts, 0);
}
END_TEST

START_TEST(a_late_refusal_of_the_probe_changes_nothing)
{
    start_probing();
    cr_advance(5000);
    cr_expect(CR_INIT("1"));
    cr_say(CR_REFUSED("\"probe-1\""));
    cr_expect_nothing();
    cr_say(CR_INIT_RESULT("1", "2025-11-25"));
    cr_expect(CR_INITIALIZED);
    expect_ready(MCPH_CLIENT_LEGACY, "2025-11-25");
}
END_TEST

START_TEST(a_late_discover_after_a_refused_initialize_restarts_as_modern)
{
    start_probing();
    cr_advance(5000);
    cr_expect(CR_INIT("1"));
    cr_say(CR_REFUSED("1"));
    ck_assert_str_eq(cr.story, ""); /* the probe is still open */
    cr_say(CR_DISCOVERED("1"));
    ck_assert_int_eq(cr.restarts, 1);
    cr_expect(CR_PROBE("2"));
    cr_say(CR_DISCOVERED("2"));
    expect_ready(MCPH_CLIENT_MODERN, "2026-07-28");
    ck_assert_str_eq(cr.story, "restart ready ");
}
END_TEST

START_TEST(if_initialize_and_probe_are_refused_the_first_error_is_reported)
{
    start_probing();
    cr_advance(5000);
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"never\"}}");
    ck_assert_str_eq(cr.story, "");
    cr_say(CR_REFUSED("\"probe-1\""));
    expect_down(MCPHOST_E_RPC, "never");
}
END_TEST

START_TEST(a_refused_initialize_waits_for_the_probe_until_the_deadline)
{
    start_probing();
    cr_advance(5000);
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"never\"}}");
    cr_advance(54999);
    ck_assert_str_eq(cr.story, "");
    cr_advance(1);
    expect_down(MCPHOST_E_RPC, "never");
}
END_TEST

START_TEST(a_start_without_any_answer_fails_at_the_deadline)
{
    cr.spec.start_ms = 15000;
    start_probing();
    cr_advance(5000);
    cr_expect(CR_INIT("1"));
    cr_advance(9999);
    ck_assert_int_eq(cr.downs, 0);
    cr_advance(1);
    expect_down(MCPHOST_E_TIMEOUT, "15000 ms");
    cr_expect_nothing(); /* the client never cancels initialize */
}
END_TEST

START_TEST(a_start_with_start_ms_minus_1_has_no_deadline)
{
    cr.spec.start_ms = -1;
    start_probing();
    cr_advance(86400000);
    finish_legacy();
}
END_TEST

/* ---- servers that end on the probe ------------------------------------------------- */

START_TEST(a_server_that_ends_on_the_probe_is_restarted_and_initialized)
{
    start_probing();
    cr_die("exited with status 1", "boom\n");
    ck_assert_int_eq(cr.restarts, 1);
    finish_legacy();
    ck_assert_str_eq(cr.story, "restart ready ");
}
END_TEST

START_TEST(the_fresh_transport_may_come_later)
{
    cr.manual_restart = true;
    start_probing();
    cr_die("exited with status 1", NULL);
    cr_expect_nothing();
    ck_assert_int_eq(cr_state(), MCPH_CLIENT_WAITING);
    cr_restart();
    cr_turn();
    finish_legacy();
}
END_TEST

START_TEST(without_a_fresh_transport_the_start_fails_at_the_deadline)
{
    cr.manual_restart = true;
    start_probing();
    cr_die("exited with status 1", NULL);
    cr_advance(60000);
    expect_down(MCPHOST_E_TIMEOUT, "60000 ms");
}
END_TEST

START_TEST(a_server_that_ends_twice_is_not_restarted_again)
{
    start_probing();
    cr_die("exited with status 1", NULL);
    cr_expect(CR_INIT("1"));
    cr_die("exited with status 2", "no such module\n");
    ck_assert_int_eq(cr.restarts, 1);
    expect_down(MCPHOST_E_TRANSPORT, "exited with status 2");
    ck_assert_str_eq(mcphost_error_get_stderr_tail(cr.error), "no such module\n");
}
END_TEST

START_TEST(a_program_that_cannot_be_executed_is_not_restarted)
{
    mcphost_error *err = NULL;

    start_probing();
    mcph_err(&err, MCPHOST_E_SPAWN, "cannot execute '/bin/nothing'");
    mcph_memory_peer_close(cr.transport, err);
    mcphost_error_unref(err);
    cr_turn();
    ck_assert_int_eq(cr.restarts, 0);
    expect_down(MCPHOST_E_SPAWN, "/bin/nothing");
}
END_TEST

START_TEST(an_end_while_probe_and_initialize_are_open_leads_to_a_restart)
{
    start_probing();
    cr_advance(5000);
    cr_expect(CR_INIT("1"));
    cr_die("exited with status 1", NULL);
    ck_assert_int_eq(cr.restarts, 1);
    cr_expect(CR_INIT("2"));
    cr_say(CR_INIT_RESULT("2", "2025-11-25"));
    cr_expect(CR_INITIALIZED);
    expect_ready(MCPH_CLIENT_LEGACY, "2025-11-25");
}
END_TEST

START_TEST(an_end_after_a_refused_probe_leads_to_a_restart)
{
    start_probing();
    cr_put(CR_REFUSED("\"probe-1\""));
    cr_die("exited with status 1", NULL);
    ck_assert_int_eq(cr.restarts, 1);
    cr_expect(CR_INIT("2"));
    cr_say(CR_INIT_RESULT("2", "2025-11-25"));
    expect_ready(MCPH_CLIENT_LEGACY, "2025-11-25");
}
END_TEST

START_TEST(an_end_right_after_the_handshake_is_reported_with_its_reason)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_put(CR_INIT_RESULT("1", "2025-11-25"));
    cr_die("exited with status 1", NULL);
    expect_down(MCPHOST_E_TRANSPORT, "exited with status 1");
    ck_assert_int_eq(cr.ready, 0);
}
END_TEST

START_TEST(an_end_after_a_refused_initialize_is_reported_as_the_refusal)
{
    start_probing();
    cr_advance(5000);
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"never\"}}");
    cr_die("exited with status 1", NULL);
    ck_assert_int_eq(cr.restarts, 0);
    expect_down(MCPHOST_E_RPC, "never");
}
END_TEST

/* ---- cached eras ------------------------------------------------------------------- */

START_TEST(with_cached_era_legacy_no_probe_is_sent)
{
    cr.spec.cached_era = MCPH_CLIENT_LEGACY;
    cr.spec.cached_version = "2025-06-18";
    cr_start();
    finish_legacy();
}
END_TEST

START_TEST(with_cached_era_legacy_a_refused_initialize_leads_to_a_probe)
{
    cr.spec.cached_era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_expect(CR_INIT("1"));
    cr_say(CR_REFUSED("1"));
    cr_expect(CR_PROBE("1"));
    cr_say(CR_DISCOVERED("1"));
    ck_assert_int_eq(cr.restarts, 1);
    cr_expect(CR_PROBE("2"));
    cr_say(CR_DISCOVERED("2"));
    expect_ready(MCPH_CLIENT_MODERN, "2026-07-28");
}
END_TEST

START_TEST(with_cached_era_modern_the_probe_is_still_sent)
{
    cr.spec.cached_era = MCPH_CLIENT_MODERN;
    cr.spec.cached_version = "2026-07-28";
    start_probing();
    cr_say(CR_DISCOVERED("1"));
    expect_ready(MCPH_CLIENT_MODERN, "2026-07-28");
}
END_TEST

START_TEST(with_cached_era_modern_a_refused_probe_selects_legacy)
{
    cr.spec.cached_era = MCPH_CLIENT_MODERN;
    cr.spec.cached_version = "2026-07-28";
    start_probing();
    cr_say(CR_REFUSED("\"probe-1\""));
    finish_legacy();
}
END_TEST

START_TEST(a_configured_era_overrides_the_cached_era)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr.spec.cached_era = MCPH_CLIENT_MODERN;
    cr_start();
    finish_legacy();
}
END_TEST

/* ---- the title, frees and a second start ------------------------------------------- */

START_TEST(a_configured_title_is_sent)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr.spec.title = "Our \"Host\"";
    cr_start();
    cr_expect(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":"
        "{\"name\":\"chost\",\"version\":\"0.3\",\"title\":\"Our \\\"Host\\\"\"}}}");
}
END_TEST

START_TEST(a_client_may_be_freed_in_every_event_of_its_start)
{
    cr.free_in_event = true;
    start_probing();
    switch (_i) {
    case 0:
        cr_say(CR_DISCOVERED("1"));
        break;
    case 1:
        cr_say(CR_REFUSED("\"probe-1\""));
        cr_say(CR_INIT_RESULT("1", "2025-11-25"));
        break;
    case 2:
        cr_die("exited with status 1", NULL);
        break;
    case 3:
        cr_advance(60000);
        break;
    }
    ck_assert_ptr_null(cr.client);
    ck_assert_int_eq(cr.ready + cr.restarts + cr.downs, 1);
}
END_TEST

START_TEST(a_second_start_is_refused)
{
    mcphost_error *error = NULL;

    start_probing();
    ck_assert_int_eq(mcph_client_start(cr.client, cr.transport, &error), MCPHOST_E_STATE);
    ck_assert_str_eq(mcphost_error_get_server_id(error), "srv");
    mcphost_error_unref(error);
}
END_TEST

static void
add_answers(Suite *suite)
{
    TCase *tc = test_case(suite, "given eras");

    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_test(tc, with_era_legacy_only_initialize_is_sent);
    tcase_add_loop_test(tc, each_legacy_version_is_accepted, 0, 5);
    tcase_add_loop_test(
        tc, an_unknown_version_in_the_initialize_result_ends_the_connection, 0, 4);
    tcase_add_loop_test(tc, an_initialize_result_without_a_version_ends_the_connection, 0,
                        4);
    tcase_add_test(tc, a_refused_initialize_fails_with_the_servers_message);
    tcase_add_test(tc, an_error_without_an_id_refuses_initialize_too);
    tcase_add_test(tc, with_era_modern_the_server_is_still_probed);
    tcase_add_test(tc, with_era_modern_a_refused_probe_ends_the_connection);
    tcase_add_test(tc, with_era_modern_a_server_that_ends_is_not_restarted);

    tc = test_case(suite, "answers");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_test(tc, a_discover_result_selects_the_modern_era);
    tcase_add_test(tc, a_discover_result_needs_only_a_supported_version);
    tcase_add_loop_test(tc, any_other_answer_to_the_probe_selects_the_legacy_era, 0,
                        (int)MCPH_ARRAY_SIZE(legacy_answers));
    tcase_add_loop_test(
        tc, with_only_unknown_modern_versions_the_start_fails_without_initialize, 0, 2);
    tcase_add_test(tc, after_a_refused_version_the_probe_is_sent_again);
    tcase_add_test(tc, a_version_refused_twice_ends_the_connection);
    tcase_add_test(tc, messages_that_do_not_answer_the_probe_are_ignored);

    tc = test_case(suite, "silence");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_test(tc, initialize_is_sent_if_the_probe_is_not_answered_within_5_s);
    tcase_add_test(tc, probe_ms_sets_the_wait_for_the_probe);
    tcase_add_test(tc, a_discover_result_before_the_initialize_result_selects_modern);
    tcase_add_test(tc, a_discover_result_after_the_handshake_is_ignored);
    tcase_add_test(tc, a_late_refusal_of_the_probe_changes_nothing);
    tcase_add_test(tc, a_late_discover_after_a_refused_initialize_restarts_as_modern);
    tcase_add_test(tc, if_initialize_and_probe_are_refused_the_first_error_is_reported);
    tcase_add_test(tc, a_refused_initialize_waits_for_the_probe_until_the_deadline);
    tcase_add_test(tc, a_start_without_any_answer_fails_at_the_deadline);
    tcase_add_test(tc, a_start_with_start_ms_minus_1_has_no_deadline);
}

static void
add(Suite *suite)
{
    TCase *tc;

    add_answers(suite);
    tc = test_case(suite, "ends");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_test(tc, a_server_that_ends_on_the_probe_is_restarted_and_initialized);
    tcase_add_test(tc, the_fresh_transport_may_come_later);
    tcase_add_test(tc, without_a_fresh_transport_the_start_fails_at_the_deadline);
    tcase_add_test(tc, a_server_that_ends_twice_is_not_restarted_again);
    tcase_add_test(tc, a_program_that_cannot_be_executed_is_not_restarted);
    tcase_add_test(tc, an_end_while_probe_and_initialize_are_open_leads_to_a_restart);
    tcase_add_test(tc, an_end_after_a_refused_probe_leads_to_a_restart);
    tcase_add_test(tc, an_end_right_after_the_handshake_is_reported_with_its_reason);
    tcase_add_test(tc, an_end_after_a_refused_initialize_is_reported_as_the_refusal);

    tc = test_case(suite, "verdicts");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_test(tc, with_cached_era_legacy_no_probe_is_sent);
    tcase_add_test(tc, with_cached_era_legacy_a_refused_initialize_leads_to_a_probe);
    tcase_add_test(tc, with_cached_era_modern_the_probe_is_still_sent);
    tcase_add_test(tc, with_cached_era_modern_a_refused_probe_selects_legacy);
    tcase_add_test(tc, a_configured_era_overrides_the_cached_era);

    tc = test_case(suite, "odds and ends");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_test(tc, a_configured_title_is_sent);
    tcase_add_loop_test(tc, a_client_may_be_freed_in_every_event_of_its_start, 0, 4);
    tcase_add_test(tc, a_second_start_is_refused);
}

int
main(void)
{
    return test_main("client-negotiate", add);
}
