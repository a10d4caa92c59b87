/* SPDX-License-Identifier: MIT
 *
 * test_connection_modern.c - a server for clients of the modern era.
 */
#include <string.h>

#include "servrig.h"
#include "support/runner.h"

#define ASK(id, method, params)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"
#define COMPLETE(id, members)                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"resultType\":\"complete\"" \
    "," members "}}"
#define CACHE "\"ttlMs\":0,\"cacheScope\":\"private\""

START_TEST(discover_describes_the_server_and_does_not_decide_the_era)
{
    sv_start();
    sv_say(ASK("\"p\"", "server/discover", SV_META));
    sv_expect(COMPLETE(
        "\"p\"",
        "\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\","
        "\"2025-03-26\",\"2024-11-05\"],\"capabilities\":{\"logging\":{},"
        "\"completions\":{},\"prompts\":{\"listChanged\":true},\"resources\":{"
        "\"subscribe\":true,\"listChanged\":true},\"tools\":{\"listChanged\":true}},"
        "\"instructions\":\"Be kind.\"," CACHE
        ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"Prov\","
        "\"version\":\"1.2\"}}"));
    ck_assert_int_eq(sv.ready, 0);
    if (_i == 0)
        sv_say(ASK("1", "initialize", "\"protocolVersion\":\"2025-11-25\""));
    else
        sv_say(ASK("1", "tools/list", SV_META));
    ck_assert_int_eq(sv.ready, 1);
    test_has(sv_next(), _i == 0 ? "\"protocolVersion\":\"2025-11-25\"" : CACHE);
}
END_TEST

/* R172 */
START_TEST(a_refused_request_names_the_member_of_meta_that_is_wrong)
{
    sv_start();
    sv_say(ASK("1", "server/discover", ""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":"
              "\"_meta has no io.modelcontextprotocol/protocolVersion\"}}");
    sv_say(ASK("2", "tools/list",
               "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":"
              "\"_meta has no io.modelcontextprotocol/clientCapabilities\"}}");
    sv_say(ASK("3", "tools/list",
               "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2027-01-15\"}"));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32022,\"message\":"
              "\"Unsupported protocol version\",\"data\":{\"supported\":["
              "\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\","
              "\"2024-11-05\"],\"requested\":\"2027-01-15\"}}}");
    sv_say(ASK("4", "tools/list",
               SV_META_WITH("{}", ",\"io.modelcontextprotocol/logLevel\":\"loud\"")));
    sv_error("4", -32602);
    ck_assert_int_eq(sv.ready, 0);
}
END_TEST

START_TEST(legacy_methods_are_refused)
{
    static const char *const methods[] = {"ping", "initialize", "logging/setLevel",
                                          "resources/subscribe", "tasks/list"};

    sv_start();
    sv_say(ASK("1", "tools/list", SV_META));
    (void)sv_next();
    sv_say(ASK("2", "%s", SV_META), methods[_i]);
    sv_error("2", -32601);
}
END_TEST

START_TEST(lists_have_the_configured_ttl)
{
    sv.spec.ttl_ms = 5000;
    sv_start();
    sv_say(ASK("1", "tools/list", SV_META));
    sv_expect(COMPLETE("1", "\"tools\":" SV_TOOLS
                            ",\"ttlMs\":5000,\"cacheScope\":\"private\""));
}
END_TEST

START_TEST(calls_reads_prompts_and_completions_are_answered)
{
    sv_start();
    sv_say(ASK("1", "tools/call",
               "\"name\":\"echo\",\"arguments\":{\"text\":\"hi\"}," SV_META));
    sv_expect(COMPLETE("1", "\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]"));
    sv_say(ASK("2", "resources/read", "\"uri\":\"mem://a\"," SV_META));
    sv_expect(
        COMPLETE("2", CACHE ",\"contents\":[{\"uri\":\"mem://a\",\"text\":\"{}\"}]"));
    sv_say(ASK("3", "prompts/get",
               "\"name\":\"greet\",\"arguments\":{\"who\":\"me\"}," SV_META));
    sv_expect(COMPLETE("3",
                       "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
                       "\"text\":\"{\\\"who\\\":\\\"me\\\"}\"}}]"));
    sv_say(ASK("4", "completion/complete",
               "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},\"argument\":{"
               "\"name\":\"who\",\"value\":\"y\"}," SV_META));
    sv_expect(COMPLETE("4", "\"completion\":{\"values\":[\"who=y\"]}"));
}
END_TEST

/* R170, R174 */
START_TEST(invalid_arguments_are_reported_to_the_model_in_a_result)
{
    sv_start();
    sv_say(ASK("1", "tools/call", "\"name\":\"echo\"," SV_META));
    sv_expect(COMPLETE(
        "1", "\"content\":[{\"type\":\"text\",\"text\":\"arguments of tool 'echo': at "
             "the top: expected the member 'text', found no such member\"}],"
             "\"isError\":true"));
}
END_TEST

START_TEST(a_server_with_era_modern_refuses_legacy_requests_with_its_version)
{
    static const char supported[] = "\"data\":{\"supported\":[\"2026-07-28\"]";

    sv.spec.era = MCPHOST_ERA_MODERN;
    sv_start();
    sv_say(ASK("1", "initialize", "\"protocolVersion\":\"2025-11-25\""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":"
              "\"Unsupported protocol version\",%s,\"requested\":\"2025-11-25\"}}}",
              supported);
    sv_say(ASK("2", "ping", ""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32022,\"message\":"
              "\"Unsupported protocol version\",%s}}}",
              supported);
    sv_say(ASK("3", "server/discover", SV_META));
    test_has(sv_next(), "\"supportedVersions\":[\"2026-07-28\"],");
    ck_assert_int_eq(sv.ready, 0);
    sv_say(ASK("4", "tools/list", SV_META));
    (void)sv_next();
    ck_assert_int_eq(sv.ready, 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "modern");

    tcase_add_checked_fixture(tc, sv_up, sv_down);
    tcase_add_loop_test(tc, discover_describes_the_server_and_does_not_decide_the_era, 0,
                        2);
    tcase_add_test(tc, a_refused_request_names_the_member_of_meta_that_is_wrong);
    tcase_add_loop_test(tc, legacy_methods_are_refused, 0, 5);
    tcase_add_test(tc, lists_have_the_configured_ttl);
    tcase_add_test(tc, calls_reads_prompts_and_completions_are_answered);
    tcase_add_test(tc, invalid_arguments_are_reported_to_the_model_in_a_result);
    tcase_add_test(tc, a_server_with_era_modern_refuses_legacy_requests_with_its_version);
}

int
main(void)
{
    return test_main("connection-modern", add);
}
