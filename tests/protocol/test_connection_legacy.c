/* SPDX-License-Identifier: MIT
 *
 * test_connection_legacy.c - a server for clients of the legacy era.
 */
#include <string.h>

#include "servrig.h"
#include "support/runner.h"

#define CALL(id, tool, more)                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{" \
    "\"name\":\"" tool "\"" more "}}"
#define ASK(id, method, params)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"
#define SAID(id, text)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":" \
    "\"text\",\"text\":\"" text "\"}]}}"

START_TEST(initialize_selects_the_requested_version_or_2025_11_25)
{
    static const char *const versions[][2] = {
        {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"},
        {"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
        {"2026-07-28", "2025-11-25"}, {"1999-01-01", "2025-11-25"},
    };
    bool oldest = _i == 0;

    sv_start();
    sv_say(ASK("\"one\"", "initialize",
               "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{}"),
           versions[_i][0]);
    sv_expect(
        "{\"jsonrpc\":\"2.0\",\"id\":\"one\",\"result\":{\"protocolVersion\":\"%s\","
        "\"capabilities\":{\"logging\":{},%s\"prompts\":{\"listChanged\":true},"
        "\"resources\":{\"subscribe\":true,\"listChanged\":true},"
        "\"tools\":{\"listChanged\":true}},\"serverInfo\":{\"name\":\"Prov\","
        "\"version\":\"1.2\"},\"instructions\":\"Be kind.\"}}",
        versions[_i][1], oldest ? "" : "\"completions\":{},");
    ck_assert_int_eq(sv.ready, 1);
}
END_TEST

/* R172 */
START_TEST(before_initialize_only_ping_is_answered)
{
    sv_start();
    sv_say(ASK("1", "ping", ""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    sv_say(ASK("2", "tools/list", ""));
    sv_error("2", -32600);
    sv_say(ASK("3", "initialize", "\"protocolVersion\":7"));
    sv_error("3", -32602);
    sv_say("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"initialize\"}");
    sv_error("4", -32602);
    ck_assert_int_eq(sv.ready, 0);
}
END_TEST

START_TEST(lists_have_the_definitions_byte_by_byte)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(ASK("1", "tools/list", ""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":" SV_TOOLS "}}");
    sv_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/list\"}");
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resources\":[" SV_RESOURCE
              "]}}");
    sv_say(ASK("3", "resources/templates/list", ""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resourceTemplates\":"
              "[" SV_TEMPLATE "]}}");
    sv_say(ASK("4", "prompts/list", "\"cursor\":null"));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"prompts\":[" SV_PROMPT "]}}");
}
END_TEST

START_TEST(calls_reads_prompts_and_completions_are_answered)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}"));
    sv_expect(SAID("1", "hi"));
    sv_say(ASK("2", "resources/read", "\"uri\":\"mem://a\""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"contents\":[{\"uri\":"
              "\"mem://a\",\"text\":\"{}\"}]}}");
    sv_say(ASK("3", "resources/read", "\"uri\":\"mem://t/7\""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"contents\":[{\"uri\":"
              "\"mem://t/7\",\"text\":\"{\\\"id\\\":\\\"7\\\"}\"}]}}");
    sv_say(ASK("4", "prompts/get", "\"name\":\"greet\",\"arguments\":{\"who\":\"you\"}"));
    sv_expect(
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"messages\":[{\"role\":\"user\","
        "\"content\":{\"type\":\"text\",\"text\":\"{\\\"who\\\":\\\"you\\\"}\"}}]}}");
    sv_say(ASK("5", "completion/complete",
               "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},"
               "\"argument\":{\"name\":\"who\",\"value\":\"y\"}"));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"completion\":{\"values\":"
              "[\"who=y\"]}}}");
}
END_TEST

/* R172 */
START_TEST(a_failure_has_its_code_and_its_data_is_sent_on_one_line)
{
    sv_legacy("2025-11-25", "{}");
    sv_say(CALL("1", "slow", ""));
    ck_assert_int_eq(mcph_providing_fail(sv.calls[0], -32050, "no \"db\"",
                                         mcph_span_str("{\"a\":\n1}")),
                     0);
    sv_turn();
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32050,\"message\":"
              "\"no \\\"db\\\"\",\"data\":{\"a\": 1}}}");
    sv_say(ASK("2", "resources/read", "\"uri\":\"no:\\u0022\""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32002,\"message\":"
              "\"there is no resource 'no:\\\"'\",\"data\":{\"uri\":\"no:\\\"\"}}}");
}
END_TEST

/* R170, R174; MCP 2025-11-25, "Tools", "Error Handling". */
START_TEST(invalid_arguments_are_a_result_in_2025_11_25_and_an_error_before)
{
    static const char *const versions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};

    sv_legacy(versions[_i], "{}");
    sv_say(CALL("1", "echo", ",\"arguments\":{\"text\":7}"));
    if (_i == 0)
        sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":"
                  "\"text\",\"text\":\"arguments of tool 'echo': at /text: expected "
                  "string, found number 7\"}],\"isError\":true}}");
    else
        sv_error("1", -32602);
    sv_say(ASK("2", "prompts/get", "\"name\":\"greet\""));
    sv_error("2", -32602);
}
END_TEST

START_TEST(a_server_with_era_legacy_refuses_modern_requests)
{
    sv.spec.era = MCPHOST_ERA_LEGACY;
    sv_start();
    sv_say(ASK("1", "server/discover", SV_META));
    sv_error("1", -32601);
    sv_say(ASK("2", "tools/list", SV_META));
    sv_error("2", -32600);
    sv_say(ASK("3", "initialize", "\"protocolVersion\":\"2025-11-25\""));
    test_has(sv_next(), "\"protocolVersion\":\"2025-11-25\"");
    sv_say(ASK("4", "server/discover", SV_META));
    sv_error("4", -32601);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "legacy");

    tcase_add_checked_fixture(tc, sv_up, sv_down);
    tcase_add_loop_test(tc, initialize_selects_the_requested_version_or_2025_11_25, 0, 6);
    tcase_add_test(tc, before_initialize_only_ping_is_answered);
    tcase_add_test(tc, lists_have_the_definitions_byte_by_byte);
    tcase_add_test(tc, calls_reads_prompts_and_completions_are_answered);
    tcase_add_test(tc, a_failure_has_its_code_and_its_data_is_sent_on_one_line);
    tcase_add_loop_test(
        tc, invalid_arguments_are_a_result_in_2025_11_25_and_an_error_before, 0, 3);
    tcase_add_test(tc, a_server_with_era_legacy_refuses_modern_requests);
}

int
main(void)
{
    return test_main("connection-legacy", add);
}
