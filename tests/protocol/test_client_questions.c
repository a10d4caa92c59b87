/* SPDX-License-Identifier: MIT
 *
 * test_client_questions.c - the questions that a legacy server asks, by requests or by
 * the error -32042.
 */
#include <stdio.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define FORM_PARAMS                                                                  \
    "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":" \
    "{\"user\":{\"type\":\"string\"}}}}"
#define ASK(id, method, params) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"
#define REFUSAL(id, code, message)                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code \
    ",\"message\":\"" message "\"}}"

static struct cr_call a, b;

static void
up(void)
{
    cr_up();
    cr_call_init(&a, 1, "alpha", NULL);
    cr_call_init(&b, 2, "beta", NULL);
    cr.spec.questions = MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL |
                        MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_ROOTS;
}

/* Starts a client and answers its handshake as a legacy server. */
static void
meet(void)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_sent();
    cr_say(CR_INIT_RESULT("1", "2025-11-25"));
    cr_expect(CR_INITIALIZED);
}

static void
start(struct cr_call *call)
{
    cr_call_go(call);
    cr_next();
}

static void
expect_offer(unsigned questions, const char *capabilities)
{
    char wanted[512];

    cr.spec.questions = questions;
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    snprintf(wanted, sizeof(wanted), "\"capabilities\":%s,\"clientInfo\"", capabilities);
    test_has(cr_next(), wanted);
}

/* ---- offered capabilities ---------------------------------------------------------- */

/* MCP 2025-11-25, Lifecycle: capabilities. */
START_TEST(a_client_that_answers_all_questions_advertises_all)
{
    expect_offer(31, "{\"roots\":{\"listChanged\":true},\"sampling\":{\"tools\":{}},"
                     "\"elicitation\":{\"form\":{},\"url\":{}}}");
}
END_TEST

START_TEST(a_client_that_answers_only_forms_advertises_only_forms)
{
    expect_offer(MCPHOST_REQUEST_FORM, "{\"elicitation\":{\"form\":{}}}");
}
END_TEST

START_TEST(a_client_that_answers_no_questions_advertises_none)
{
    expect_offer(0, "{}");
}
END_TEST

/* MCP 2026-07-28, Requests: clientCapabilities of every request. */
START_TEST(a_modern_request_has_the_client_capabilities)
{
    cr.spec.questions = MCPHOST_REQUEST_URL | MCPHOST_REQUEST_ROOTS;
    cr.spec.era = MCPH_CLIENT_MODERN;
    cr_start();
    test_has(cr_next(),
             "clientCapabilities\":{\"roots\":{},\"elicitation\":{\"url\":{}}}");
}
END_TEST

/* B.31 */
START_TEST(a_question_that_was_not_advertised_gets_method_not_found)
{
    cr.spec.questions = MCPHOST_REQUEST_FORM;
    meet();
    cr_say(ASK("\"x\"", "sampling/createMessage", "{\"messages\":[],\"maxTokens\":1}"));
    cr_expect(REFUSAL("\"x\"", "-32601", "method not found"));
    cr_say(ASK("7", "roots/list", "{}"));
    cr_expect(REFUSAL("7", "-32601", "method not found"));
    ck_assert_int_eq(cr.asked, 0);
}
END_TEST

/* MCP 2025-11-25, Elicitation: a mode that was not declared. */
START_TEST(a_mode_of_elicitation_that_was_not_advertised_is_refused)
{
    cr.spec.questions = MCPHOST_REQUEST_FORM;
    meet();
    cr_say(ASK("1", "elicitation/create",
               "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x.example/\"}"));
    cr_expect(REFUSAL("1", "-32602", "this mode was not offered"));
    cr_say(ASK("1", "elicitation/create", "{\"mode\":\"dance\",\"message\":\"m\"}"));
    cr_expect(REFUSAL("1", "-32602", "this mode was not offered"));
}
END_TEST

/* ---- invalid questions ------------------------------------------------------------- */

static void
expect_invalid(const char *method, const char *params, const char *message)
{
    char wanted[256];

    cr_say("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"%s\",\"params\":%s}", method,
           params);
    snprintf(wanted, sizeof(wanted), REFUSAL("9", "-32602", "%s"), message);
    cr_expect(wanted);
    ck_assert_int_eq(cr.asked, 0);
}

START_TEST(questions_with_missing_or_invalid_params_are_refused)
{
    meet();
    expect_invalid("elicitation/create", "[]", "params are missing");
    expect_invalid("elicitation/create", "{}", "the message is missing");
    expect_invalid("elicitation/create", "{\"message\":\"m\"}",
                   "requestedSchema is not a valid form");
    expect_invalid("elicitation/create",
                   "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","
                   "\"properties\":{\"a\":{\"type\":\"object\"}}}}",
                   "requestedSchema is not a valid form");
    expect_invalid("elicitation/create", "{\"mode\":\"url\",\"message\":\"m\"}",
                   "the url is missing");
    expect_invalid("sampling/createMessage", "{\"messages\":[]}",
                   "messages or maxTokens are missing");
    expect_invalid("sampling/createMessage",
                   "{\"messages\":[],\"maxTokens\":10,\"tools\":[]}",
                   "tools were not offered");
}
END_TEST

/* MCP 2025-11-25, Elicitation: safe URLs. */
START_TEST(questions_with_unsafe_urls_are_refused)
{
    static const char *const bad[] = {
        "javascript:alert(1)", "http://evil.example/", "https://", "file:///etc/passwd",
        "https://a b/", "http://localhost.evil.example/", "http://127.0.0.1.x/",
        "data:text/html,x", "https:///x", "https://x\\u0000.com/", "https://?x",
        /* The host of each of these URLs is evil.example.  Most of them seem to name
         * another host. */
        "http://localhost:80@evil.example/", "http://[::1]:1@evil.example",
        "http://localhost@evil.example/", "https://bank.example@evil.example/",
        "https://bank.example:443@evil.example/?a", "https://@evil.example/"};
    char params[256];

    meet();
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad); i++) {
        snprintf(params, sizeof(params),
                 "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"%s\"}", bad[i]);
        expect_invalid("elicitation/create", params,
                       "the url must be https, or http to this machine");
    }
    cr_say(ASK("1", "elicitation/create",
               "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"HTTPS://x.example\"}"));
    cr_say(ASK("2", "elicitation/create",
               "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"http://localhost:80/\"}"));
    cr_say(ASK("3", "elicitation/create",
               "{\"mode\":\"url\",\"message\":\"m\",\"url\":"
               "\"https://x.example/@me?to=a@b.example#@\"}"));
    ck_assert_int_eq(cr.asked, 3);
}
END_TEST

START_TEST(questions_over_max_open_are_refused)
{
    cr.spec.max_open = 2;
    meet();
    for (int i = 0; i < 3; i++)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"roots/list\"}", i);
    cr_expect(REFUSAL("2", "-32603", "too many questions are open"));
    ck_assert_int_eq(cr.asked, 2);
    cr_question_answer(0, "{\"roots\":[]}");
    cr_sent();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"roots/list\"}");
    ck_assert_int_eq(cr.asked, 3);
}
END_TEST

START_TEST(questions_over_max_open_bytes_are_refused_except_the_first)
{
    cr.spec.max_open_bytes = 160;
    meet();
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\"%300s}", "");
    ck_assert_int_eq(cr.asked, 1);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}");
    cr_expect(REFUSAL("1", "-32603", "too many questions are open"));
    cr_question_answer(0, "{\"roots\":[]}");
    cr_sent();
    for (int i = 2; i < 6; i++)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"roots/list\"}", i);
    cr_expect(REFUSAL("5", "-32603", "too many questions are open"));
    ck_assert_int_eq(cr.asked, 4);
}
END_TEST

/* ---- answers ----------------------------------------------------------------------- */

START_TEST(an_answer_has_the_id_of_the_servers_request_unchanged)
{
    meet();
    start(&a);
    cr_say(ASK("\"\\u0041-1\"", "elicitation/create", FORM_PARAMS));
    ck_assert_int_eq(cr.asked, 1);
    ck_assert_int_eq(cr.questions[0]->kind, MCPHOST_REQUEST_FORM);
    ck_assert_ptr_eq(cr.questions[0]->op, &a.call);
    ck_assert(mcph_span_is(cr.questions[0]->message, "\"Who?\""));
    cr_question_answer(0, "{\"action\":\"accept\",\"content\":{\"user\":\"x\"}}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041-1\",\"result\":"
              "{\"action\":\"accept\",\"content\":{\"user\":\"x\"}}}");
    cr_expect_nothing();
    ck_assert_int_eq(cr.over, 0);
}
END_TEST

START_TEST(a_refusal_is_sent_as_an_error)
{
    struct mcph_client_question *q;

    meet();
    cr_say(ASK("4", "sampling/createMessage", "{\"messages\":[],\"maxTokens\":5}"));
    q = cr.questions[0];
    mcph_client_question_refuse(q, -1, "user rejected sampling");
    cr_turn();
    cr_expect(REFUSAL("4", "-1", "user rejected sampling"));
}
END_TEST

START_TEST(a_question_among_several_calls_belongs_to_none)
{
    meet();
    start(&a);
    start(&b);
    cr_say(ASK("1", "roots/list", "{}"));
    ck_assert_ptr_null(cr.questions[0]->op);
}
END_TEST

START_TEST(pings_are_answered_while_a_question_is_open)
{
    meet();
    cr_say(ASK("1", "roots/list", "{}"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
}
END_TEST

START_TEST(a_modern_servers_requests_are_dropped)
{
    cr.spec.era = MCPH_CLIENT_MODERN;
    cr_start();
    cr_sent();
    cr_say(CR_DISCOVERED("1"));
    cr_say(ASK("1", "roots/list", "{}"));
    cr_expect_nothing();
    ck_assert_int_eq(cr.asked, 0);
}
END_TEST

/* ---- time -------------------------------------------------------------------------- */

START_TEST(a_question_stops_the_clock_of_its_call)
{
    meet();
    start(&a); /* the timeout of `a` is 60 s */
    cr_advance(50000);
    cr_say(ASK("1", "elicitation/create", FORM_PARAMS));
    cr_advance(300000);
    ck_assert_int_eq(a.done, 0);
    cr_question_answer(0, "{\"action\":\"cancel\"}");
    cr_advance(9999);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(a.code, MCPHOST_E_TIMEOUT);
}
END_TEST

START_TEST(a_question_of_no_known_call_stops_the_clocks_of_all_calls)
{
    meet();
    start(&a);
    start(&b);
    cr_say(ASK("1", "roots/list", "{}"));
    cr_say(ASK("2", "roots/list", "{}"));
    cr_advance(100000);
    cr_question_answer(0, "{\"roots\":[]}");
    cr_advance(100000);
    ck_assert_int_eq(a.done + b.done, 0);
    cr_question_answer(1, "{\"roots\":[]}");
    cr_advance(59999);
    ck_assert_int_eq(a.done + b.done, 0);
    cr_advance(1);
    ck_assert_int_eq(a.done + b.done, 2);
}
END_TEST

START_TEST(an_open_question_does_not_stop_the_hard_deadline)
{
    a.call.max_ms = 70000;
    meet();
    start(&a);
    cr_say(ASK("1", "elicitation/create", FORM_PARAMS));
    cr_advance(70000);
    ck_assert_int_eq(a.code, MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(cr.over, 1);
    ck_assert_str_eq(cr.over_why, "the call has ended");
}
END_TEST

START_TEST(progress_does_not_start_the_clock_while_a_question_is_open)
{
    a.call.progress_resets = true;
    meet();
    start(&a);
    cr_say(ASK("1", "elicitation/create", FORM_PARAMS));
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
           "\"progressToken\":2,\"progress\":1}}");
    cr_advance(100000);
    ck_assert_int_eq(a.done, 0);
    cr_question_answer(0, "{\"action\":\"cancel\"}");
    cr_advance(60000);
    ck_assert_int_eq(a.done, 1);
}
END_TEST

START_TEST(an_unanswered_elicitation_is_cancelled_at_its_deadline)
{
    meet();
    start(&a);
    cr_say(ASK("1", "elicitation/create", FORM_PARAMS));
    cr_advance(599999);
    cr_expect_nothing();
    cr_advance(1);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"cancel\"}}");
    ck_assert_int_eq(cr.over, 1);
    ck_assert_ptr_null(cr.questions[0]);
    ck_assert_int_eq(a.done, 0);
}
END_TEST

START_TEST(an_unanswered_sampling_request_is_refused_at_its_deadline)
{
    cr.spec.question_ms = 1000;
    meet();
    cr_say(ASK("1", "sampling/createMessage", "{\"messages\":[],\"maxTokens\":5}"));
    cr_advance(1000);
    cr_expect(REFUSAL("1", "-32603", "the application did not answer in time"));
    ck_assert_int_eq(cr.over, 1);
}
END_TEST

/* ---- the end of questions ---------------------------------------------------------- */

START_TEST(a_question_that_the_server_cancels_is_over)
{
    meet();
    start(&a);
    cr_say(ASK("\"q\"", "roots/list", "{}"));
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
           "\"requestId\":\"z\"}}");
    ck_assert_int_eq(cr.over, 0);
    cr_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
           "\"requestId\":\"q\"}}");
    ck_assert_int_eq(cr.over, 1);
    cr_expect_nothing();
    cr_advance(59999);
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    ck_assert_int_eq(a.done, 1);
}
END_TEST

/* ---- pages that a call waits for (MCP 2025-11-25, URL elicitation) ----------------- */

#define PAGE(id)                                                                   \
    "{\"mode\":\"url\",\"elicitationId\":\"" id "\",\"url\":\"https://h/" id "\"," \
    "\"message\":\"Look\"}"
#define PAGES(id, pages)                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":-32042,\"message\":\"first" \
    "\",\"data\":{\"elicitations\":[" pages "]}}}"
#define COMPLETE(id)                                                                  \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/elicitation/complete\",\"params" \
    "\":{\"elicitationId\":\"" id "\"}}"
#define SENT(id)                                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":" \
    "\"alpha\",\"arguments\":{}}}"

START_TEST(a_call_is_sent_again_after_its_pages_were_opened)
{
    meet();
    start(&a);
    cr_say(PAGES("2", PAGE("one") "," PAGE("two")));
    ck_assert_int_eq(a.done, 0);
    ck_assert_int_eq(cr.questions[0]->kind, MCPHOST_REQUEST_URL);
    ck_assert_ptr_eq(cr.questions[1]->op, &a.call);
    cr_advance(500000); /* the user takes 500 s */
    ck_assert_int_eq(a.done, 0);
    cr_question_answer(0, "{\"action\":\"accept\"}");
    cr_expect_nothing();
    cr_say(COMPLETE("three"));
    cr_say(COMPLETE("one"));
    ck_assert_int_eq(cr.over, 0);
    cr_expect_nothing();
    cr_say(COMPLETE("two"));
    ck_assert_int_eq(cr.over, 1);
    ck_assert_str_eq(cr.over_why, "the server reports that the user has finished");
    cr_expect(SENT("3"));
    /* The server may ask for another page before it runs the call. */
    cr_say(PAGES("3", PAGE("four")));
    cr_question_answer(2, "{\"action\":\"accept\"}");
    cr_expect(SENT("4"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[]}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(a.code, 0);
}
END_TEST

START_TEST(a_declined_page_fails_its_call)
{
    meet();
    start(&a);
    cr_say(PAGES("2", PAGE("one") "," PAGE("two")));
    cr_question_answer(0, _i ? "{\"action\":\"cancel\"}" : "{\"action\":\"decline\"}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(a.code, MCPHOST_E_DENIED);
    ck_assert_int_eq(cr.over, 1); /* the question for page two is over */
    cr_expect_nothing();
}
END_TEST

START_TEST(without_url_questions_a_call_that_wants_a_page_fails_with_its_url)
{
    const char *data;
    size_t len;

    cr.spec.questions = MCPHOST_REQUEST_FORM;
    meet();
    start(&a);
    cr_say(PAGES("2", PAGE("one")));
    ck_assert_int_eq(a.code, MCPHOST_E_RPC);
    ck_assert_int_eq((int)mcphost_error_get_rpc_code(a.error), -32042);
    data = mcphost_error_get_rpc_data(a.error, &len);
    ck_assert_ptr_nonnull(memmem(data, len, "https://h/one", 13));
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(a.error), "open a page first"));
}
END_TEST

static const char *const no_pages[] = {
    PAGES("2", "{\"mode\":\"url\",\"url\":\"javascript:x\",\"message\":\"m\"}"),
    PAGES("2", "{\"mode\":\"url\",\"message\":\"m\"}"),
    PAGES("2", "{\"mode\":\"form\",\"message\":\"m\",\"requestedSchema\":{\"type\":"
               "\"object\",\"properties\":{}}}"),
    PAGES("2", PAGE("one") ",7"),
};

START_TEST(invalid_pages_fail_the_call)
{
    meet();
    start(&a);
    cr_say("%s", no_pages[_i]);
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(a.code, MCPHOST_E_PROTOCOL);
    cr_expect_nothing();
}
END_TEST

START_TEST(the_eleventh_request_for_a_page_fails_the_call)
{
    char text[512];

    meet();
    start(&a);
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof(text), PAGES("%d", PAGE("one")), i + 2);
        cr_say("%s", text);
        cr_question_answer(i, "{\"action\":\"accept\"}");
        cr_next();
    }
    cr_say(PAGES("12", PAGE("one")));
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(a.code, MCPHOST_E_LIMIT);
}
END_TEST

/* The client answers each question with a cancel or an error, because the server may
 * still wait for the answers. */
START_TEST(the_end_of_a_call_answers_and_ends_its_questions)
{
    meet();
    start(&a);
    cr_say(ASK("1", "elicitation/create", FORM_PARAMS));
    cr_say(ASK("\"s\"", "sampling/createMessage", "{\"messages\":[],\"maxTokens\":1}"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(cr.over, 2);
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"cancel\"}}");
    test_has(cr_next(), "\"id\":\"s\",\"error\":{\"code\":-32603,\"message\":"
                        "\"the call has ended\"");
    cr_expect_nothing();
}
END_TEST

START_TEST(a_cancelled_call_ends_its_question)
{
    meet();
    start(&a);
    cr_say(ASK("1", "elicitation/create", FORM_PARAMS));
    mcph_operation_cancel(&a.call, NULL);
    ck_assert_int_eq(cr.over, 1);
    cr_turn();
    test_has(cr_next(), "notifications/cancelled");
}
END_TEST

/* The question for roots stays open when the call has ended, because roots belong to the
 * session. */
START_TEST(a_question_for_roots_outlives_the_call)
{
    meet();
    start(&a);
    cr_say(ASK("1", "roots/list", "{}"));
    ck_assert_ptr_null(cr.questions[0]->op);
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    ck_assert_int_eq(a.done, 1);
    ck_assert_int_eq(cr.over, 0);
    cr_question_answer(0, "{\"roots\":[]}");
    cr_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}");
}
END_TEST

START_TEST(the_end_of_the_connection_ends_all_questions)
{
    meet();
    start(&a);
    cr_say(ASK("1", "roots/list", "{}"));
    cr_say(ASK("2", "roots/list", "{}"));
    cr_die("gone", NULL);
    ck_assert_str_eq(cr.story, "ready asked asked over over done:1 down ");
}
END_TEST

/* Starts a client on a transport with streams and answers its handshake.  Then ends the
 * session while one call is in flight and two questions are open.  If `frees` is set, the
 * next event frees the client. */
static void
lose_session(bool frees)
{
    cr.web = true;
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_sent();
    cr_answer(cr_stream(), CR_INIT_RESULT("1", "2025-11-25"));
    cr_expect(CR_INITIALIZED);
    start(&a);
    cr_say_on(cr_stream(), ASK("1", "roots/list", "{}"));
    cr_say_on(0, ASK("2", "roots/list", "{}"));
    ck_assert_int_eq(cr.asked, 2);
    cr.free_in_event = frees;
    cr_status(0, 404, NULL, NULL);
}

/* The client ends the questions of a lost session, because the next session may use their
 * ids for other questions. */
START_TEST(the_end_of_a_session_ends_its_questions)
{
    lose_session(false);
    ck_assert_int_eq(cr.over, 2);
    ck_assert_str_eq(cr.over_why, "the session has ended");
    test_has(cr_next(), "\"initialize\"");
    cr_advance(59999); /* the clock of the call runs again */
    ck_assert_int_eq(a.done, 0);
    cr_advance(1);
    ck_assert_int_eq(a.code, MCPHOST_E_TIMEOUT);
}
END_TEST

START_TEST(a_client_may_be_freed_when_its_session_ends)
{
    lose_session(true);
    ck_assert_int_eq(cr.over, 1);
    ck_assert_int_eq(a.done, 0);
}
END_TEST

START_TEST(stop_ends_the_questions_of_the_client)
{
    meet();
    cr_say(ASK("1", "roots/list", "{}"));
    mcph_client_stop(cr.client, MCPHOST_E_CANCELLED, NULL);
    ck_assert_int_eq(cr.over, 1);
}
END_TEST

START_TEST(a_client_may_be_freed_when_a_question_comes_or_ends)
{
    meet();
    start(&a);
    cr.free_in_event = _i == 0;
    cr_say(ASK("1", "elicitation/create", FORM_PARAMS));
    cr.free_in_event = true;
    if (_i == 1)
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    if (_i == 2)
        cr_advance(600000);
    if (_i == 3)
        cr_die("gone", NULL);
    ck_assert_ptr_null(cr.client);
    ck_assert_int_eq(a.done, 0);
}
END_TEST

START_TEST(changed_roots_are_announced_only_if_roots_are_advertised)
{
    cr.spec.questions = _i == 0 ? MCPHOST_REQUEST_ROOTS : MCPHOST_REQUEST_FORM;
    meet();
    mcph_client_roots_changed(cr.client);
    cr_turn();
    if (_i == 0)
        cr_expect(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
    cr_expect_nothing();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "questions");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, a_client_that_answers_all_questions_advertises_all);
    tcase_add_test(tc, a_client_that_answers_only_forms_advertises_only_forms);
    tcase_add_test(tc, a_client_that_answers_no_questions_advertises_none);
    tcase_add_test(tc, a_modern_request_has_the_client_capabilities);
    tcase_add_test(tc, a_question_that_was_not_advertised_gets_method_not_found);
    tcase_add_test(tc, a_mode_of_elicitation_that_was_not_advertised_is_refused);
    tcase_add_test(tc, questions_with_missing_or_invalid_params_are_refused);
    tcase_add_test(tc, questions_with_unsafe_urls_are_refused);
    tcase_add_test(tc, questions_over_max_open_are_refused);
    tcase_add_test(tc, questions_over_max_open_bytes_are_refused_except_the_first);
    tcase_add_test(tc, an_answer_has_the_id_of_the_servers_request_unchanged);
    tcase_add_test(tc, a_refusal_is_sent_as_an_error);
    tcase_add_test(tc, a_question_among_several_calls_belongs_to_none);
    tcase_add_test(tc, pings_are_answered_while_a_question_is_open);
    tcase_add_test(tc, a_modern_servers_requests_are_dropped);
    tcase_add_test(tc, a_question_stops_the_clock_of_its_call);
    tcase_add_test(tc, a_question_of_no_known_call_stops_the_clocks_of_all_calls);
    tcase_add_test(tc, an_open_question_does_not_stop_the_hard_deadline);
    tcase_add_test(tc, progress_does_not_start_the_clock_while_a_question_is_open);
    tcase_add_test(tc, an_unanswered_elicitation_is_cancelled_at_its_deadline);
    tcase_add_test(tc, an_unanswered_sampling_request_is_refused_at_its_deadline);
    tcase_add_test(tc, a_question_that_the_server_cancels_is_over);
    tcase_add_test(tc, a_call_is_sent_again_after_its_pages_were_opened);
    tcase_add_loop_test(tc, a_declined_page_fails_its_call, 0, 2);
    tcase_add_test(tc, without_url_questions_a_call_that_wants_a_page_fails_with_its_url);
    tcase_add_loop_test(tc, invalid_pages_fail_the_call, 0, MCPH_ARRAY_SIZE(no_pages));
    tcase_add_test(tc, the_eleventh_request_for_a_page_fails_the_call);
    tcase_add_test(tc, the_end_of_a_call_answers_and_ends_its_questions);
    tcase_add_test(tc, a_cancelled_call_ends_its_question);
    tcase_add_test(tc, a_question_for_roots_outlives_the_call);
    tcase_add_test(tc, the_end_of_the_connection_ends_all_questions);
    tcase_add_test(tc, the_end_of_a_session_ends_its_questions);
    tcase_add_test(tc, a_client_may_be_freed_when_its_session_ends);
    tcase_add_test(tc, stop_ends_the_questions_of_the_client);
    tcase_add_loop_test(tc, a_client_may_be_freed_when_a_question_comes_or_ends, 0, 4);
    tcase_add_loop_test(tc, changed_roots_are_announced_only_if_roots_are_advertised, 0,
                        2);
}

int
main(void)
{
    return test_main("client-questions", add);
}
