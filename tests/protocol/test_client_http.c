/* SPDX-License-Identifier: MIT
 *
 * test_client_http.c - how the statuses and streams of an HTTP server affect the era, the
 * session and the calls.
 */
#include <stdio.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define RPC_ERROR(id, code, more)                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code \
    ",\"message\":\"no\"" more "}}"
#define GOOD(id)                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"resultType\":\"complete\"," \
    "\"content\":[]}}"

static struct cr_call a, b;

static void
up(void)
{
    cr_up();
    cr.web = true;
    cr_call_init(&a, 1, "alpha", NULL);
    cr_call_init(&b, 2, "beta", NULL);
}

static void
send_call(struct cr_call *call)
{
    cr_call_go(call);
    cr_next();
}

static void
meet_modern(void)
{
    cr_start();
    cr_next();
    cr_answer(cr_stream(), CR_DISCOVERED("1"));
    ck_assert_int_eq(cr.ready, 1);
}

static void
meet_legacy(void)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_next();
    cr_answer(cr_stream(), CR_INIT_RESULT("1", "2025-06-18"));
    cr_expect(CR_INITIALIZED);
    ck_assert_int_eq(cr.ready, 1);
}

/* ---- the era: statuses that answer the probe --------------------------------------- */

static const struct {
    int status;
    const char *header, *body;
    const char *fails; /* part of the error; NULL if the probe finds a legacy server */
    int code;
} verdicts[] = {
    {400, NULL, RPC_ERROR("\"probe-1\"", "-32601", ""), NULL, 0},
    {400, NULL, RPC_ERROR("\"server-error\"", "-32600", ""), NULL, 0},
    {400, NULL, RPC_ERROR("null", "-32000", ""), NULL, 0},
    {404, NULL, "Invalid session ID", NULL, 0},
    {404, NULL, NULL, NULL, 0},
    {405, NULL, "", NULL, 0},
    {406, NULL, "<html>", NULL, 0},
    {400, NULL, "{\"error\":{\"code\":\"BadRequest\"}}", NULL, 0},
    {400, NULL,
     RPC_ERROR("\"probe-1\"", "-32022", ",\"data\":{\"supported\":[\"2025-11-25\"]}"),
     NULL, 0},
    {400, NULL,
     RPC_ERROR("\"probe-1\"", "-32022", ",\"data\":{\"supported\":[\"2031-01-01\"]}"),
     "supports none of the host's protocol versions", MCPHOST_E_PROTOCOL},
    {400, NULL, RPC_ERROR("\"probe-1\"", "-32020", ""), "refused server/discover: no",
     MCPHOST_E_RPC},
    {400, NULL, RPC_ERROR("\"probe-1\"", "-32021", ""), "refused server/discover: no",
     MCPHOST_E_RPC},
    {400, NULL, RPC_ERROR("null", "-32020", ""), NULL, 0},
    {400, NULL, RPC_ERROR("null", "-32021", ""), NULL, 0},
    {401, "www-authenticate: Bearer scope=\"notes.read\"", NULL,
     "it wants credentials; it asks for Bearer with scope \"notes.read\"",
     MCPHOST_E_AUTH},
    {401, NULL, RPC_ERROR("null", "-32000", ""), "status 401: it wants credentials",
     MCPHOST_E_AUTH},
    {403, NULL, "<html>no</html>", "HTTP status 403: access refused", MCPHOST_E_AUTH},
    {429, "retry-after: 7", NULL,
     "429: it limits the number of requests; it asks to wait: 7", MCPHOST_E_TRANSPORT},
    {429, "retry-after: \x07soon", NULL, "it asks to wait:  soon", MCPHOST_E_TRANSPORT},
    {500, NULL, NULL, "HTTP status 500", MCPHOST_E_TRANSPORT},
    {500, "content-type: te\x1b[2Jxt\xff/x", "no", "(te [2Jxt\xef\xbf\xbd/x: no)",
     MCPHOST_E_TRANSPORT},
    {500, NULL, "<html>", "'era: legacy' in its entry", MCPHOST_E_TRANSPORT},
    {500, NULL, RPC_ERROR("\"probe-1\"", "-32603", ""), NULL, 0},
    {503, NULL, RPC_ERROR("null", "-32601", ""), NULL, 0},
    {500, NULL, RPC_ERROR("7", "-32601", ""), "HTTP status 500", MCPHOST_E_TRANSPORT},
    {302, "location: https://user:pw@other.example/mcp?key=s", NULL,
     "redirect that is not followed, to https://other.example/mcp;", MCPHOST_E_TRANSPORT},
    {302, "location: /login?key=pw&next=https://other.example/mcp", NULL,
     "not followed, to /login;", MCPHOST_E_TRANSPORT},
    {302, "location: //user:pw@other.example/mcp", NULL,
     "not followed, to //other.example/mcp;", MCPHOST_E_TRANSPORT},
    {302, "location: https://other.example?pw@/", NULL,
     "not followed, to https://other.example;", MCPHOST_E_TRANSPORT},
    {302, "location: https://other.example/a@b//c#pw", NULL,
     "not followed, to https://other.example/a@b//c;", MCPHOST_E_TRANSPORT},
    {200, "content-type: text/html", "<html>hello</html>",
     "without a valid answer (text/html: <html>hello</html>)", MCPHOST_E_PROTOCOL},
};

START_TEST(the_status_of_the_probe_selects_legacy_or_fails_the_start)
{
    cr_start();
    cr_next();
    cr_status(cr_stream(), verdicts[_i].status, verdicts[_i].header, verdicts[_i].body);
    if (!verdicts[_i].fails) {
        test_has(cr_next(), "\"method\":\"initialize\"");
        ck_assert_int_eq(cr.downs, 0);
        return;
    }
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 1);
    ck_assert_int_eq(cr.restarts, 0);
    test_has(mcphost_error_get_message(cr.error), verdicts[_i].fails);
    ck_assert_int_eq(mcphost_error_get_code(cr.error), verdicts[_i].code);
    if (strcmp(verdicts[_i].fails, "supports none of the host's protocol versions") != 0)
        ck_assert_int_eq(mcphost_error_get_http_status(cr.error), verdicts[_i].status);
    ck_assert_ptr_null(strstr(mcphost_error_get_message(cr.error), "pw"));
}
END_TEST

START_TEST(a_refused_connection_fails_the_start_without_initialize)
{
    cr_start();
    cr_next();
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "connection refused");
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 1);
    test_has(mcphost_error_get_message(cr.error), "connection refused");
}
END_TEST

/* R20 */
START_TEST(an_unanswered_probe_over_http_fails_the_start_without_initialize)
{
    cr_start();
    cr_next();
    cr_advance(59999);
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 0);
    cr_advance(1);
    cr_expect_nothing();
    ck_assert_int_eq(mcphost_error_get_code(cr.error), MCPHOST_E_TIMEOUT);
}
END_TEST

START_TEST(after_a_refused_version_the_probe_is_sent_again)
{
    cr_start();
    cr_next();
    cr_status(cr_stream(), 400, NULL,
              RPC_ERROR("\"probe-1\"", "-32022",
                        ",\"data\":{\"supported\":[\"2027-01-15\",\"2026-07-28\"]}"));
    cr_expect(CR_PROBE("2"));
    cr_answer(cr_stream(), CR_DISCOVERED("2"));
    ck_assert_int_eq(cr.ready, 1);
}
END_TEST

START_TEST(a_refused_initialize_fails_with_its_http_status)
{
    cr_start();
    cr_next();
    cr_status(cr_stream(), 404, NULL, NULL);
    cr_next();
    cr_status(cr_stream(), 404, NULL, NULL);
    ck_assert_int_eq(cr.downs, 1);
    test_has(mcphost_error_get_message(cr.error), "HTTP status 404: nothing is at this");
}
END_TEST

/* After status 400, the client probes the server, because the cached era may be wrong.
 * After status 503, the start fails, because this status does not show the era of the
 * server. */
START_TEST(with_cached_era_legacy_status_400_leads_to_a_probe_and_503_fails)
{
    cr.spec.cached_era = MCPH_CLIENT_LEGACY;
    cr_start();
    test_has(cr_next(), "\"initialize\"");
    cr_status(cr_stream(), _i == 0 ? 400 : 503, NULL, NULL);
    if (_i == 0) {
        cr_expect(CR_PROBE("1"));
    } else {
        cr_expect_nothing();
        ck_assert_int_eq(cr.downs, 1);
    }
}
END_TEST

/* ---- headers ----------------------------------------------------------------------- */

/* MCP 2026-07-28, Streamable HTTP: request headers. */
START_TEST(modern_requests_have_version_method_and_name_headers)
{
    cr_start();
    cr_next();
    ck_assert_str_eq(cr_headers(),
                     "MCP-Protocol-Version=2026-07-28 Mcp-Method=server/discover");
    ck_assert_int_eq(cr_kind(), MCPH_SEND_REQUEST);
    cr_answer(cr_stream(), CR_DISCOVERED("1"));
    send_call(&a);
    ck_assert_str_eq(cr_headers(),
                     "MCP-Protocol-Version=2026-07-28 Mcp-Method=tools/call "
                     "Mcp-Name=alpha");
}
END_TEST

/* MCP 2025-06-18, Streamable HTTP: protocol version header. */
START_TEST(legacy_messages_have_the_version_header_after_initialize)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_next();
    ck_assert_str_eq(cr_headers(), "");
    ck_assert_int_eq(cr_kind(), MCPH_SEND_INITIALIZE);
    cr_answer(cr_stream(), CR_INIT_RESULT("1", "2025-06-18"));
    cr_expect(CR_INITIALIZED);
    ck_assert_str_eq(cr_headers(), "MCP-Protocol-Version=2025-06-18");
    ck_assert_int_eq(cr_kind(), MCPH_SEND_NOTIFICATION);
    send_call(&a);
    ck_assert_str_eq(cr_headers(), "MCP-Protocol-Version=2025-06-18");
    cr_say_on(0, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}");
    cr_next();
    ck_assert_int_eq(cr_kind(), MCPH_SEND_RESPONSE);
    ck_assert_str_eq(cr_headers(), "MCP-Protocol-Version=2025-06-18");
}
END_TEST

START_TEST(initialize_after_a_probe_has_no_modern_headers)
{
    cr_start();
    cr_next();
    cr_status(cr_stream(), 405, NULL, NULL);
    cr_expect(CR_INIT("1"));
    ck_assert_str_eq(cr_headers(), "");
}
END_TEST

#define SCHEMA                                                                 \
    "{\"type\":\"object\",\"properties\":{"                                    \
    "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"            \
    "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},"                     \
    "\"dry\":{\"type\":\"boolean\",\"x-mcp-header\":\"Dry\"},"                 \
    "\"in\":{\"type\":\"object\",\"properties\":{\"er\":{\"type\":\"string\"," \
    "\"x-mcp-header\":\"Inner\"}}}}}"

static const struct {
    const char *arguments, *headers;
} params[] = {
    {"{\"region\":\"eu-west1\",\"n\":42,\"dry\":true,\"in\":{\"er\":\"x\"}}",
     " Mcp-Param-Region=eu-west1 Mcp-Param-N=42 Mcp-Param-Dry=true Mcp-Param-Inner=x"},
    {"{\"region\":\"na\\u00efve\\r\\nX: y\",\"n\":-7,\"dry\":false}",
     " Mcp-Param-Region=na\xc3\xafve\r\nX: y Mcp-Param-N=-7 Mcp-Param-Dry=false"},
    {"{\"region\":null,\"n\":\"1\",\"dry\":1,\"in\":[]}", ""},
    {"{\"region\":\"\",\"n\":9007199254740991}", " Mcp-Param-Region= "
                                                 "Mcp-Param-N=9007199254740991"},
    {"{\"n\":9007199254740992}", ""},
    {"{\"n\":-9007199254740992}", ""},
    {"{\"n\":2.0}", " Mcp-Param-N=2"},
    {"{\"n\":2.5}", ""},
    {"{\"n\":1e400}", ""},
    {"{}", ""},
};

/* MCP 2026-07-28, Streamable HTTP: x-mcp-header. */
START_TEST(annotated_arguments_are_sent_as_headers)
{
    char wanted[512];

    a.call.schema = mcph_span_str(SCHEMA);
    a.call.arguments = mcph_span_str(params[_i].arguments);
    meet_modern();
    send_call(&a);
    snprintf(wanted, sizeof(wanted),
             "MCP-Protocol-Version=2026-07-28 Mcp-Method=tools/call Mcp-Name=alpha%s",
             params[_i].headers);
    ck_assert_str_eq(cr_headers(), wanted);
}
END_TEST

START_TEST(legacy_calls_send_no_arguments_as_headers)
{
    a.call.schema = mcph_span_str(SCHEMA);
    a.call.arguments = mcph_span_str(params[0].arguments);
    meet_legacy();
    send_call(&a);
    ck_assert_str_eq(cr_headers(), "MCP-Protocol-Version=2025-06-18");
}
END_TEST

#define PROPERTIES(p) "{\"type\":\"object\",\"properties\":" p "}"

static const struct {
    const char *schema;
    bool good;
} annotations[] = {
    {SCHEMA, true},
    {"{\"type\":\"object\"}", true},
    {PROPERTIES("{\"x-mcp-header\":{\"type\":\"number\"}}"),
     true}, /* a property named x-mcp-header */
    {PROPERTIES("{\"a\":{\"type\":\"object\",\"default\":{\"x-mcp-header\":\"\"}}}"),
     true},
    {PROPERTIES("{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}"), false},
    {PROPERTIES("{\"a\":{\"type\":\"string\",\"x-mcp-header\":1}}"), false},
    {PROPERTIES("{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A B\"}}"), false},
    {PROPERTIES("{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A:\"}}"), false},
    {PROPERTIES("{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\\r\\n\"}}"), false},
    {PROPERTIES("{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\xc3\xa4\"}}"), false},
    {PROPERTIES("{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}"), false},
    {PROPERTIES("{\"a\":{\"x-mcp-header\":\"A\"}}"), false},
    {PROPERTIES("{\"a\":{\"type\":[\"string\"],\"x-mcp-header\":\"A\"}}"), false},
    {PROPERTIES("{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},\"b\":{\"type\":"
                "\"string\",\"x-mcp-header\":\"a\"}}"),
     false},
    {PROPERTIES("{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
                "\"x-mcp-header\":\"A\"}}}"),
     false},
    {"{\"type\":\"object\",\"$defs\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":"
     "\"A\"}}}",
     false},
    {"{\"type\":\"object\",\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\","
     "\"x-mcp-header\":\"A\"}}}]}",
     false},
    {"{\"type\":\"object\",\"x-mcp-header\":\"A\"}", false},
    {"{\"type\":\"object\",\"not\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}", false},
    {PROPERTIES("{\"a\":{\"type\":\"string\",\"\\u0078-mcp-header\":\"\"}}"), false},
    {PROPERTIES("{\"a\":{\"x-mcp-header\":\"A\",\"title\":\"\\\\\",\"type\":"
                "\"string\"}}"),
     true}, /* members in any order, after a string that ends with a backslash */
    {PROPERTIES("{\"a\":{\"not\":{\"properties\":{\"b\":{\"type\":\"string\","
                "\"x-mcp-header\":\"B\"}}}}}"),
     false},
    {PROPERTIES("{\"a\":{\"title\":\"}\",\"x-mcp-header\":{}}}"), false},
};

START_TEST(invalid_header_annotations_are_refused)
{
    const char *why = mcph_client_check_headers(mcph_span_str(annotations[_i].schema));

    ck_assert_msg(!why == annotations[_i].good, "%s: %s", annotations[_i].schema, why);
}
END_TEST

/* ---- -32020 (header mismatch): list again and retry once --------------------------- */

#define MISMATCH(id) RPC_ERROR(id, "-32020", "")
#define TOOLS(id, schema)                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"resultType\":\"complete\"," \
    "\"tools\":[{\"name\":\"beta\",\"inputSchema\":{}},{\"name\":\"alpha\","      \
    "\"inputSchema\":" schema "}]}}"

START_TEST(after_a_header_mismatch_the_list_is_read_and_the_call_sent_again)
{
    a.call.arguments = mcph_span_str("{\"region\":\"r\"}");
    meet_modern();
    send_call(&a);
    cr_status(cr_stream(), 400, NULL, MISMATCH("1"));
    ck_assert_int_eq(a.done, 0);
    test_has(cr_next(), "\"method\":\"tools/list\"");
    cr_call_go(&b); /* b waits for the list */
    cr_expect_nothing();
    cr.at--;
    cr_next();
    cr_answer(cr_stream(), TOOLS("2", SCHEMA));
    ck_assert_int_eq(cr.listed, 1);
    test_has(cr_next(),
             "\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"alpha\"");
    test_has(cr_headers(), "Mcp-Name=alpha Mcp-Param-Region=r");
    cr_answer(cr_stream(), GOOD("3"));
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(a.done, 1);
    test_has(cr_next(), "\"name\":\"beta\"");
}
END_TEST

START_TEST(a_second_header_mismatch_fails_the_call)
{
    meet_modern();
    send_call(&a);
    cr_status(cr_stream(), 400, NULL, MISMATCH("1"));
    cr_next();
    cr_answer(cr_stream(), TOOLS("2", "{}"));
    cr_next();
    cr_status(cr_stream(), 400, NULL, MISMATCH("3"));
    cr_call_failed(&a, MCPHOST_E_RPC, "a proxy may remove them");
    cr_expect_nothing();
}
END_TEST

/* The client sends the answers again without asking its owner, because the server refused
 * the headers before it read the answers. */
START_TEST(after_a_header_mismatch_the_answers_of_the_round_are_sent_again)
{
    static const char said[] =
        "\"inputResponses\":{\"r\":{\"roots\":[]}},\"requestState\":\"s\"";

    cr.spec.questions = MCPHOST_REQUEST_ROOTS;
    meet_modern();
    send_call(&a);
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":"
                           "\"input_required\",\"inputRequests\":{\"r\":{\"method\":"
                           "\"roots/list\"}},\"requestState\":\"s\"}}");
    mcph_client_question_answer(cr.questions[0], mcph_span_str("{\"roots\":[]}"));
    cr_turn();
    test_has(cr_next(), said);
    cr_status(cr_stream(), 400, NULL, MISMATCH("2"));
    test_has(cr_next(), "\"method\":\"tools/list\"");
    cr_answer(cr_stream(), TOOLS("3", SCHEMA));
    test_has(cr_next(), said);
    /* After a round without questions, the call does not carry the answers of an earlier
     * round. */
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"resultType\":"
                           "\"input_required\",\"requestState\":\"t\"}}");
    cr_advance(250);
    ck_assert_ptr_null(strstr(cr_next(), "inputResponses"));
    cr_answer(cr_stream(), GOOD("5"));
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(cr.asked, 1);
}
END_TEST

START_TEST(after_a_header_mismatch_a_failed_list_does_not_stop_the_retry)
{
    meet_modern();
    send_call(&a);
    cr_status(cr_stream(), 400, NULL, MISMATCH("1"));
    cr_next();
    cr_status(cr_stream(), 500, NULL, NULL);
    test_has(cr_next(), "tools/call");
    cr_answer(cr_stream(), GOOD("3"));
    ck_assert_int_eq(a.code, 0);
}
END_TEST

/* ---- calls and their streams ------------------------------------------------------- */

START_TEST(an_error_status_fails_only_its_call)
{
    meet_modern();
    cr_call_go(&a);
    send_call(&b);
    cr_next();
    cr_status(2, 500, "content-type: text/plain", "broken");
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "HTTP status 500 (text/plain: broken)");
    ck_assert_int_eq(b.done, 0);
    cr_answer(3, GOOD("2"));
    ck_assert_int_eq(b.code, 0);
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(a_json_rpc_error_in_an_error_status_is_reported)
{
    meet_modern();
    send_call(&a);
    cr_status(cr_stream(), 404, NULL, RPC_ERROR("1", "-32601", ",\"data\":7"));
    cr_call_failed(&a, MCPHOST_E_RPC, "no");
    ck_assert_int_eq((int)mcphost_error_get_rpc_code(a.error), -32601);
    ck_assert_int_eq(mcphost_error_get_http_status(a.error), 404);
}
END_TEST

/* R65: the error carries status and Retry-After, so that a caller that decides on a retry
 * need not parse the message. */
START_TEST(an_error_has_the_http_status_and_retry_after)
{
    meet_modern();
    cr_call_go(&a);
    send_call(&b);
    cr_next();
    cr_status(2, 429, "retry-after: Wed, 21 Oct 2026 07:28:00 GMT", "slow down");
    ck_assert_int_eq(mcphost_error_get_http_status(a.error), 429);
    ck_assert_str_eq(mcphost_error_get_retry_after(a.error),
                     "Wed, 21 Oct 2026 07:28:00 GMT");
    cr_status(3, 503, "retry-after: 9", RPC_ERROR("2", "-32000", ""));
    cr_call_failed(&b, MCPHOST_E_RPC, "no");
    ck_assert_int_eq(mcphost_error_get_http_status(b.error), 503);
    ck_assert_str_eq(mcphost_error_get_retry_after(b.error), "9");
}
END_TEST

START_TEST(error_32021_says_that_a_capability_is_not_offered)
{
    meet_modern();
    send_call(&a);
    cr_status(cr_stream(), 400, NULL,
              RPC_ERROR("1", "-32021", ",\"data\":{\"requiredCapabilities\":{}}"));
    cr_call_failed(&a, MCPHOST_E_RPC, "capability that is not offered");
}
END_TEST

/* An error without an id belongs to the request of the stream that carries the error,
 * even if the HTTP status is a success. */
START_TEST(an_error_without_an_id_answers_the_request_of_its_stream)
{
    meet_modern();
    send_call(&a);
    send_call(&b);
    cr_answer(cr_stream(), RPC_ERROR("null", "-32600", ""));
    cr_call_failed(&b, MCPHOST_E_RPC, "no");
    ck_assert_int_eq(a.done, 0);
    cr_status(cr_stream() - 1, 400, NULL, RPC_ERROR("null", "-32600", ""));
    cr_call_failed(&a, MCPHOST_E_RPC, "no");
}
END_TEST

START_TEST(a_probe_answered_by_an_error_without_an_id_selects_legacy)
{
    cr_start();
    cr_next();
    cr_answer(cr_stream(), RPC_ERROR("null", "-32020", ""));
    test_has(cr_next(), "\"method\":\"initialize\"");
    cr_answer(cr_stream(), RPC_ERROR("null", "-32600", ""));
    ck_assert_int_eq(cr.downs, 1);
    test_has(mcphost_error_get_message(cr.error), "refused initialize");
}
END_TEST

START_TEST(a_body_with_another_id_fails_the_call_with_the_status)
{
    meet_modern();
    send_call(&a);
    cr_status(cr_stream(), 400, NULL, RPC_ERROR("77", "-32601", ""));
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "HTTP status 400");
}
END_TEST

START_TEST(a_stream_that_ends_without_an_answer_fails_its_call)
{
    meet_modern();
    send_call(&a);
    cr_say_on(cr_stream(), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
                           "\"params\":{\"level\":\"info\",\"data\":1}}");
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "cut before the answer");
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "cut before the answer");
    cr_expect_nothing(); /* the call is not sent again */
}
END_TEST

/* R22 */
START_TEST(an_answer_on_another_requests_stream_is_dropped)
{
    meet_modern();
    cr_call_go(&a);
    send_call(&b);
    cr_next();
    cr_say_on(3, GOOD("1"));
    ck_assert_int_eq(a.done, 0);
    cr_say_on(2, GOOD("1"));
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq((int)cr_counters()->wrong_stream, 1);
}
END_TEST

START_TEST(cancelling_a_modern_call_closes_its_stream)
{
    meet_modern();
    send_call(&a);
    mcph_operation_cancel(&a.call, "enough");
    cr_turn();
    cr_expect_nothing();
    ck_assert_uint_eq(cr.n_given_up, 1);
    ck_assert_uint_eq(cr.given_up[0], 2);
}
END_TEST

START_TEST(a_legacy_call_past_its_timeout_is_cancelled_by_a_notification)
{
    meet_legacy();
    send_call(&a);
    cr_advance(60000);
    ck_assert_int_eq(a.code, MCPHOST_E_TIMEOUT);
    cr_expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":2,\"reason\":\"timed out\"}}");
    ck_assert_int_eq(cr_kind(), MCPH_SEND_NOTIFICATION);
    ck_assert_uint_eq(cr.n_given_up, 1);
}
END_TEST

START_TEST(a_legacy_answer_may_come_later_on_the_common_stream)
{
    meet_legacy();
    send_call(&a);
    cr_status(cr_stream(), 202, NULL, NULL);
    ck_assert_int_eq(a.done, 0);
    cr_say_on(0, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(a.done, 1);
}
END_TEST

START_TEST(a_modern_call_answered_with_202_fails)
{
    meet_modern();
    send_call(&a);
    cr_status(cr_stream(), 202, NULL, NULL);
    cr_call_failed(&a, MCPHOST_E_PROTOCOL, "without a valid answer");
}
END_TEST

START_TEST(a_question_belongs_to_the_call_of_its_stream)
{
    cr.spec.questions = MCPHOST_REQUEST_ROOTS;
    meet_legacy();
    cr_call_go(&a);
    send_call(&b);
    cr_next();
    cr_say_on(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}");
    ck_assert_ptr_eq(cr.questions[0]->op, &b.call);
    cr_say_on(0, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"roots/list\"}");
    ck_assert_ptr_null(cr.questions[1]->op);
    mcph_client_question_answer(cr.questions[0], mcph_span_str("{\"roots\":[]}"));
    cr_turn();
    cr_next();
    ck_assert_int_eq(cr_kind(), MCPH_SEND_RESPONSE);
}
END_TEST

/* ---- sessions that are lost -------------------------------------------------------- */

static const struct {
    int status;
    const char *body;
} lost[] = {
    {404, NULL},
    {404, RPC_ERROR("2", "-32001", "")},
    {400, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":"
          "\"Bad Request: Session not found\"}}"},
};

/* MCP 2025-11-25, Session Management: status 404 ends a session. */
START_TEST(after_a_lost_session_the_call_is_sent_again_in_a_new_session)
{
    meet_legacy();
    send_call(&a);
    cr_status(cr_stream(), lost[_i].status, NULL, lost[_i].body);
    ck_assert_int_eq(a.done, 0);
    cr_expect(CR_INIT("3"));
    ck_assert_int_eq(cr_kind(), MCPH_SEND_INITIALIZE);
    ck_assert_str_eq(cr_headers(), "");
    cr_call_go(&b); /* b waits for the new session */
    cr_answer(cr_stream(), CR_INIT_RESULT("3", "2025-06-18"));
    cr_expect(CR_INITIALIZED);
    test_has(cr_next(), "\"name\":\"alpha\"");
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}");
    ck_assert_int_eq(a.code, 0);
    test_has(cr_next(), "\"name\":\"beta\"");
    ck_assert_int_eq(cr.ready, 2);
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

/* Both calls in flight get status 404.  The status of call `a` comes before (_i is 0) or
 * after (_i is 1) the beginning of the new session. */
START_TEST(a_session_that_two_calls_have_lost_is_replaced_once)
{
    uint64_t first;

    meet_legacy();
    send_call(&a);
    first = cr_stream();
    send_call(&b);
    if (_i == 0)
        cr_status(first, 404, NULL, NULL);
    cr_status(cr_stream(), 404, NULL, NULL);
    cr_expect(CR_INIT("4"));
    cr_answer(cr_stream(), CR_INIT_RESULT("4", "2025-06-18"));
    cr_expect(CR_INITIALIZED);
    test_has(cr_next(), "tools/call");
    if (_i == 1)
        cr_status(first, 404, NULL, NULL);
    test_has(cr_next(), "tools/call");
    cr_expect_nothing();
    ck_assert_int_eq(cr.ready, 2);
}
END_TEST

START_TEST(a_call_that_loses_two_sessions_fails)
{
    meet_legacy();
    send_call(&a);
    cr_status(cr_stream(), 404, NULL, NULL);
    cr_next();
    cr_answer(cr_stream(), CR_INIT_RESULT("3", "2025-06-18"));
    cr_next();
    cr_next();
    cr_status(cr_stream(), 404, NULL, NULL);
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "HTTP status 404");
    test_has(cr_next(), "\"initialize\"");
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(a_refused_initialize_after_a_lost_session_ends_the_client)
{
    meet_legacy();
    send_call(&a);
    cr_status(cr_stream(), 404, NULL, NULL);
    cr_next();
    cr_status(cr_stream(), 404, NULL, NULL);
    ck_assert_int_eq(cr.downs, 1);
    cr_call_failed(&a, MCPHOST_E_TRANSPORT, "HTTP status 404");
}
END_TEST

START_TEST(after_four_lost_sessions_in_a_row_the_client_ends)
{
    meet_legacy();
    for (int i = 0; i < 3; i++) {
        cr_status(0, 404, NULL, NULL); /* the status comes on the common stream */
        cr_next();
        cr_answer(cr_stream(),
                  "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{"
                  "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}",
                  i + 2);
        cr_expect(CR_INITIALIZED);
    }
    cr_status(0, 404, NULL, NULL);
    ck_assert_int_eq(cr.downs, 1);
    test_has(mcphost_error_get_message(cr.error), "3 times in a row");
}
END_TEST

START_TEST(after_a_lost_session_level_and_list_are_sent_again)
{
    cr.spec.log_level = "info";
    cr.spec.lists = 1u << MCPH_LIST_TOOLS;
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_next();
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
              "\"2025-06-18\",\"capabilities\":{\"tools\":{},\"logging\":{}}}}");
    cr_next();
    test_has(cr_next(), "logging/setLevel");
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    test_has(cr_next(), "tools/list");
    cr_status(cr_stream(), 404, NULL, NULL);
    ck_assert_int_eq(cr.listed, 0);
    cr_next();
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":"
              "\"2025-06-18\",\"capabilities\":{\"tools\":{},\"logging\":{}}}}");
    cr_expect(CR_INITIALIZED);
    test_has(cr_next(), "logging/setLevel");
    test_has(cr_next(), "tools/list");
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{\"tools\":[]}}");
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_ptr_null(cr.list_error);
}
END_TEST

/* The server was modern at the first probe, but is legacy now. */
START_TEST(a_modern_server_that_became_legacy_is_probed_again)
{
    meet_modern();
    send_call(&a);
    if (_i == 0)
        cr_status(cr_stream(), 404, NULL, NULL);
    else if (_i == 3)
        cr_answer(cr_stream(), RPC_ERROR("1", "-32022", ""));
    else
        cr_status(cr_stream(), 400, NULL,
                  _i == 1 ? RPC_ERROR("1", "-32000", "") : RPC_ERROR("1", "-32022", ""));
    cr_expect(CR_PROBE("1"));
    cr_status(cr_stream(), 405, NULL, NULL);
    test_has(cr_next(), "\"initialize\"");
    cr_answer(cr_stream(), CR_INIT_RESULT("2", "2025-11-25"));
    cr_expect(CR_INITIALIZED);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"alpha\",\"arguments\":{}}}");
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(mcph_client_get_info(cr.client)->era, MCPH_CLIENT_LEGACY);
}
END_TEST

START_TEST(after_three_repeated_negotiations_a_404_fails_the_call)
{
    meet_modern();
    for (int i = 0; i < 3; i++) {
        cr_call_done(&a);
        cr_call_init(&a, 1, "alpha", NULL);
        cr_call_go(&a);
        cr_next();
        cr_status(cr_stream(), 404, NULL, NULL);
        /* The client negotiates again at most three times for all calls together.  The
         * client sends one call at most twice.  A refusal of the second attempt fails the
         * call. */
        for (int n = i == 0 ? 2 : i == 1 ? 1 : 0; n > 0; n--) {
            test_has(cr_next(), "server/discover");
            cr_answer(cr_stream(), CR_DISCOVERED("1"));
            if (n == (i == 0 ? 2 : 1)) {
                test_has(cr_next(), "tools/call");
                cr_status(cr_stream(), 404, NULL, NULL);
            }
        }
        cr_call_failed(&a, MCPHOST_E_TRANSPORT, "HTTP status 404");
    }
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 0);
}
END_TEST

START_TEST(a_call_that_waits_for_a_new_session_keeps_its_deadline)
{
    meet_legacy();
    send_call(&a);
    cr_advance(50000);
    cr_status(cr_stream(), 404, NULL, NULL);
    cr_advance(9999);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    cr_call_failed(&a, MCPHOST_E_TIMEOUT, "was not ready in time");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "era");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, the_status_of_the_probe_selects_legacy_or_fails_the_start, 0,
                        (int)MCPH_ARRAY_SIZE(verdicts));
    tcase_add_test(tc, a_refused_connection_fails_the_start_without_initialize);
    tcase_add_test(tc, an_unanswered_probe_over_http_fails_the_start_without_initialize);
    tcase_add_test(tc, a_probe_answered_by_an_error_without_an_id_selects_legacy);
    tcase_add_test(tc, after_a_refused_version_the_probe_is_sent_again);
    tcase_add_test(tc, a_refused_initialize_fails_with_its_http_status);
    tcase_add_loop_test(
        tc, with_cached_era_legacy_status_400_leads_to_a_probe_and_503_fails, 0, 2);

    tc = test_case(suite, "headers");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, modern_requests_have_version_method_and_name_headers);
    tcase_add_test(tc, legacy_messages_have_the_version_header_after_initialize);
    tcase_add_test(tc, initialize_after_a_probe_has_no_modern_headers);
    tcase_add_loop_test(tc, annotated_arguments_are_sent_as_headers, 0,
                        (int)MCPH_ARRAY_SIZE(params));
    tcase_add_test(tc, legacy_calls_send_no_arguments_as_headers);
    tcase_add_loop_test(tc, invalid_header_annotations_are_refused, 0,
                        (int)MCPH_ARRAY_SIZE(annotations));
    tcase_add_test(tc, after_a_header_mismatch_the_list_is_read_and_the_call_sent_again);
    tcase_add_test(tc, a_second_header_mismatch_fails_the_call);
    tcase_add_test(tc, after_a_header_mismatch_the_answers_of_the_round_are_sent_again);
    tcase_add_test(tc, after_a_header_mismatch_a_failed_list_does_not_stop_the_retry);

    tc = test_case(suite, "streams");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, an_error_status_fails_only_its_call);
    tcase_add_test(tc, a_json_rpc_error_in_an_error_status_is_reported);
    tcase_add_test(tc, an_error_has_the_http_status_and_retry_after);
    tcase_add_test(tc, error_32021_says_that_a_capability_is_not_offered);
    tcase_add_test(tc, an_error_without_an_id_answers_the_request_of_its_stream);
    tcase_add_test(tc, a_body_with_another_id_fails_the_call_with_the_status);
    tcase_add_test(tc, a_stream_that_ends_without_an_answer_fails_its_call);
    tcase_add_test(tc, an_answer_on_another_requests_stream_is_dropped);
    tcase_add_test(tc, cancelling_a_modern_call_closes_its_stream);
    tcase_add_test(tc, a_legacy_call_past_its_timeout_is_cancelled_by_a_notification);
    tcase_add_test(tc, a_legacy_answer_may_come_later_on_the_common_stream);
    tcase_add_test(tc, a_modern_call_answered_with_202_fails);
    tcase_add_test(tc, a_question_belongs_to_the_call_of_its_stream);

    tc = test_case(suite, "sessions");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, after_a_lost_session_the_call_is_sent_again_in_a_new_session,
                        0, (int)MCPH_ARRAY_SIZE(lost));
    tcase_add_loop_test(tc, a_session_that_two_calls_have_lost_is_replaced_once, 0, 2);
    tcase_add_test(tc, a_call_that_loses_two_sessions_fails);
    tcase_add_test(tc, a_refused_initialize_after_a_lost_session_ends_the_client);
    tcase_add_test(tc, after_four_lost_sessions_in_a_row_the_client_ends);
    tcase_add_test(tc, after_a_lost_session_level_and_list_are_sent_again);
    tcase_add_loop_test(tc, a_modern_server_that_became_legacy_is_probed_again, 0, 4);
    tcase_add_test(tc, after_three_repeated_negotiations_a_404_fails_the_call);
    tcase_add_test(tc, a_call_that_waits_for_a_new_session_keeps_its_deadline);
}

int
main(void)
{
    return test_main("client-http", add);
}
