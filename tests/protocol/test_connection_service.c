/* SPDX-License-Identifier: MIT
 *
 * test_connection_service.c - a connection with a service that the test implements: what
 * the connection asks of the service, and what the connection sends for the service.
 */
#include <stdio.h>
#include <string.h>

#include "servrig.h"
#include "support/runner.h"

#define ASK(id, method, params)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"
#define CALL(id, more) ASK(id, "tools/call", "\"name\":\"t\"" more)

static struct mcph_served *served;
static struct mcph_served_ask question;
static int n_answers, n_abandoned, n_freed, begin_code, subscribe_code;
static char story[1024];

static void
add_story(const char *what, struct mcph_span text)
{
    size_t n = strlen(story);

    snprintf(story + n, sizeof(story) - n, "%s%.*s ", what, (int)text.len, text.p);
}

static void
on_start(struct mcph_service *service)
{
    (void)service;
}

static void
on_free(struct mcph_service *service)
{
    (void)service;
    n_freed++;
}

static void
on_get_offer(struct mcph_service *service, struct mcph_service_offer *ret)
{
    (void)service;
    *ret = (struct mcph_service_offer){.kinds = 1u << MCPHOST_FEATURE_TOOL |
                                                1u << MCPHOST_FEATURE_TEMPLATE,
                                       .subscribe = true,
                                       .logging = true};
}

static int
on_add_info(struct mcph_service *service, struct mcph_buf *buf)
{
    (void)service;
    return mcph_buf_adds(buf, "{\"name\":\"s\",\"version\":\"1\"}");
}

static struct mcph_span
on_get_instructions(struct mcph_service *service)
{
    (void)service;
    return MCPH_SPAN_NONE;
}

static int
on_list(struct mcph_service *service, int kind, struct mcph_frame **ret)
{
    (void)service;
    if (kind == MCPHOST_FEATURE_TOOL)
        return MCPHOST_E_NOMEM;
    *ret = mcph_frame_new(" [ ] ", 5);
    return 0;
}

static int
on_begin(struct mcph_service *service, struct mcph_served *s, mcphost_error **reterr)
{
    (void)service;
    if (begin_code < 0)
        return begin_code == MCPHOST_E_RPC
                   ? mcph_err_rpc(reterr, -32050, "own", 3, NULL, 0)
                   : mcph_err(reterr, begin_code, "why not");
    served = s;
    return 0;
}

static void
on_abandon(struct mcph_service *service, struct mcph_served *s)
{
    (void)service;
    ck_assert_ptr_eq(s, served);
    served = NULL;
    n_abandoned++;
}

static int
on_subscribe(struct mcph_service *service, struct mcph_span uri)
{
    (void)service;
    add_story("+", uri);
    return memchr(uri.p, '!', uri.len) ? subscribe_code : 0;
}

static void
on_unsubscribe(struct mcph_service *service, struct mcph_span uri)
{
    (void)service;
    add_story("-", uri);
}

static void
on_set_level(struct mcph_service *service, int level)
{
    char text[16];

    (void)service;
    snprintf(text, sizeof(text), "%d", level);
    add_story("level:", mcph_span_str(text));
}

static const struct mcph_service_ops ops = {
    .start = on_start,
    .free = on_free,
    .get_offer = on_get_offer,
    .add_info = on_add_info,
    .get_instructions = on_get_instructions,
    .list = on_list,
    .begin = on_begin,
    .abandon = on_abandon,
    .subscribe = on_subscribe,
    .unsubscribe = on_unsubscribe,
    .set_level = on_set_level,
};
static struct mcph_service service = {.ops = &ops};

static void
start(void)
{
    sv_start_with(&service);
    mcph_service_up(&service, NULL);
    sv_turn();
}

static void
up(void)
{
    sv_up();
    start();
}

static void
up_for_small_results(void)
{
    sv_up();
    sv.spec.max_result = 36;
    start();
}

static void
initialize(void)
{
    sv_say(ASK("0", "initialize", "\"protocolVersion\":\"2025-11-25\""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":"
              "\"2025-11-25\",\"capabilities\":{\"logging\":{},\"resources\":{"
              "\"subscribe\":true,\"listChanged\":true},\"tools\":{\"listChanged\":true}}"
              ",\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}");
    sv_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static void
answer(const char *result)
{
    struct mcph_frame *frame = mcph_frame_new(result, strlen(result));

    mcph_served_answer(served, frame, mcph_frame_span(frame));
    served = NULL;
    mcph_frame_unref(frame);
    sv_turn();
}

/* R172 */
START_TEST(each_failure_of_a_request_has_its_json_rpc_code)
{
    static const struct {
        int code, tool, resource;
    } rows[] = {
        {MCPHOST_E_NOTFOUND, -32602, -32002}, {MCPHOST_E_INVALID, -32602, -32602},
        {MCPHOST_E_CLOSED, -32000, -32000},   {MCPHOST_E_TRANSPORT, -32000, -32000},
        {MCPHOST_E_TIMEOUT, -32001, -32001},  {MCPHOST_E_NOMEM, -32603, -32603},
        {MCPHOST_E_RPC, -32050, -32050},      {MCPHOST_E_IO, -32603, -32603},
    };

    initialize();
    begin_code = rows[_i].code;
    sv_say(CALL("1", ""));
    if (begin_code == MCPHOST_E_INVALID) /* the error is a result for the model */
        sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":"
                  "\"text\",\"text\":\"why not\"}],\"isError\":true}}");
    else
        sv_error("1", rows[_i].tool);
    sv_say(ASK("2", "resources/read", "\"uri\":\"x:y\""));
    sv_error("2", rows[_i].resource);
    begin_code = 0;
    sv_say(CALL("3", ""));
    mcph_served_fail(served, rows[_i].code, NULL);
    sv_turn();
    sv_error("3", rows[_i].code == MCPHOST_E_RPC ? -32603 : rows[_i].tool);
}
END_TEST

START_TEST(a_list_without_memory_is_answered_with_an_error)
{
    initialize();
    sv_say(ASK("1", "tools/list", ""));
    sv_error("1", -32603);
    sv_say(ASK("2", "resources/templates/list", ""));
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resourceTemplates\":[]}}");
}
END_TEST

START_TEST(missing_members_are_added_to_a_modern_result_and_none_twice)
{
    static const struct {
        const char *method, *given, *sent;
    } rows[] = {
        {"tools/call", "{}", "{\"resultType\":\"complete\"}"},
        {"tools/call", "{ \"a\":\n1 }", "{\"resultType\":\"complete\",\"a\": 1 }"},
        {"tools/call", "{\"a\":1,\"resultType\":\"complete\"}",
         "{\"a\":1,\"resultType\":\"complete\"}"},
        {"tools/call", "{\"resultType\":\"task\"}", NULL},
        {"tools/call", "{\"resultType\":7}", NULL},
        {"resources/read", "{\"ttlMs\":5}",
         "{\"resultType\":\"complete\",\"cacheScope\":\"private\",\"ttlMs\":5}"},
        {"resources/read", "{\"cacheScope\":\"public\"}",
         "{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"public\"}"},
    };

    sv_say(ASK("1", "%s", "\"name\":\"t\",\"uri\":\"x:y\"," SV_META), rows[_i].method);
    answer(rows[_i].given);
    if (rows[_i].sent)
        sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}", rows[_i].sent);
    else
        sv_error("1", -32603);
}
END_TEST

START_TEST(a_legacy_result_is_sent_unchanged)
{
    initialize();
    sv_say(CALL("1", ""));
    answer("{ \"resultType\":\"task\", \"a\":1e400 }");
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"task\", "
              "\"a\":1e400 }}");
}
END_TEST

/* R171 */
START_TEST(an_answer_over_max_result_fails_only_its_request)
{
    mcphost_error *error = NULL;

    initialize();
    sv_say(CALL("1", ""));
    answer("{\"content\":[],\"more\":\"0123456789ab\"}"); /* a result of 36 bytes, the
                                                           * limit */
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],\"more\":"
              "\"0123456789ab\"}}");
    sv_say(CALL("2", ""));
    answer("{\"content\":[],\"more\":\"0123456789abc\"}");
    sv_expect("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":"
              "\"the result has 37 bytes, more than the limit of 36\"}}");
    sv_say(CALL("3", ""));
    mcph_err_rpc(&error, -32050, "no", 2, "\"01234567890123456789012345678901234\"", 37);
    mcph_served_fail(served, MCPHOST_E_RPC, error);
    mcphost_error_unref(error);
    sv_turn();
    sv_expect(
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32050,\"message\":\"no\"}}");
    ck_assert_int_eq(sv.overs, 0);
}
END_TEST

START_TEST(the_service_gets_one_subscription_for_each_resource)
{
    initialize();
    for (int i = 0; i < 2; i++) {
        sv_say(ASK("1", "resources/subscribe", "\"uri\":\"a:1\""));
        (void)sv_next();
    }
    ck_assert_str_eq(story, "+a:1 ");
    subscribe_code = MCPHOST_E_NOTFOUND;
    sv_say(ASK("2", "resources/subscribe", "\"uri\":\"a:!\""));
    sv_error("2", -32002);
    subscribe_code = MCPHOST_E_NOMEM;
    sv_say(ASK("2", "resources/subscribe", "\"uri\":\"a:!\""));
    sv_error("2", -32603);
    sv_say(ASK("3", "resources/subscribe", "\"uri\":\"a:2\""));
    (void)sv_next();
    sv_say(ASK("4", "resources/unsubscribe", "\"uri\":\"a:1\""));
    (void)sv_next();
    ck_assert_str_eq(story, "+a:1 +a:! +a:! +a:2 -a:1 ");
    sv.connection = mcph_connection_free(sv.connection);
    sv_turn();
    ck_assert_str_eq(story, "+a:1 +a:! +a:! +a:2 -a:1 -a:2 ");
    ck_assert_int_eq(n_freed, 1);
}
END_TEST

START_TEST(listens_share_a_subscription_until_the_last_listen_ends)
{
    static const char *const ids[] = {"1", "2"};

    subscribe_code = MCPHOST_E_NOTFOUND;
    for (int i = 0; i < 2; i++) {
        sv_say(ASK("%s", "subscriptions/listen",
                   "\"notifications\":{\"resourceSubscriptions\":[\"a:1\",\"a:!\"]}"
                   "," SV_META),
               ids[i]);
        test_has(sv_next(), "\"resourceSubscriptions\":[\"a:1\"]");
    }
    ck_assert_str_eq(story, "+a:1 +a:! +a:! ");
    story[0] = '\0';
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(story, "");
        sv_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
               "\"requestId\":%s}}",
               ids[i]);
    }
    ck_assert_str_eq(story, "-a:1 ");
}
END_TEST

START_TEST(the_service_gets_the_level_of_the_wanted_messages)
{
    if (_i == 0) {
        initialize();
        sv_say(ASK("1", "logging/setLevel", "\"level\":\"info\""));
        sv_say(ASK("2", "logging/setLevel", "\"level\":\"info\""));
        sv_say(ASK("3", "logging/setLevel", "\"level\":\"error\""));
        ck_assert_str_eq(story, "level:2 level:5 ");
        return;
    }
    sv_say(CALL(
        "1", "," SV_META_WITH("{}", ",\"io.modelcontextprotocol/logLevel\":\"debug\"")));
    answer("{}");
    ck_assert_str_eq(story, "level:1 level:9 ");
}
END_TEST

START_TEST(requests_in_flight_are_abandoned_when_the_connection_ends)
{
    initialize();
    sv_say(CALL("1", ""));
    mcph_memory_peer_close(sv.transport, NULL);
    sv_turn();
    ck_assert_int_eq(n_abandoned, 1);
    ck_assert_int_eq(n_freed, 1);
    ck_assert_int_eq(sv.overs, 1);
    /* The library drops these events, because the service no longer has a connection. */
    mcph_service_changed(&service, ~0u);
    mcph_service_updated(&service, mcph_span_str("a:1"));
    mcph_service_logged(&service, 8, MCPH_SPAN_NONE, mcph_span_str("1"));
    mcph_service_closing(&service);
    mcph_service_up(&service, NULL);
}
END_TEST

static void
on_question_answered(struct mcph_served_ask *ask, int code, struct mcph_span result,
                     mcphost_error *error)
{
    (void)ask;
    (void)code;
    (void)result;
    (void)error;
    n_answers++;
}

START_TEST(a_parked_request_that_was_answered_is_not_abandoned)
{
    sv_say(CALL("1", "," SV_META_WITH("{\"roots\":{}}", "")));
    question = (struct mcph_served_ask){.kind = MCPHOST_REQUEST_ROOTS,
                                        .answered = on_question_answered};
    ck_assert_int_eq(mcph_served_ask(served, &question), 0);
    sv_turn();
    test_has(sv_next(), "input_required");
    answer("{}");
    ck_assert_int_eq(n_answers, 0);
    if (_i == 0)
        sv_advance(10 * 60 * 1000);
    else
        sv.connection = mcph_connection_free(sv.connection);
    sv_turn();
    ck_assert_int_eq(n_abandoned, 0);
    sv_silence();
}
END_TEST

START_TEST(the_answer_to_a_withdrawn_question_is_not_reported)
{
    sv_say(CALL("1", "," SV_META_WITH("{\"roots\":{}}", "")));
    question = (struct mcph_served_ask){.kind = MCPHOST_REQUEST_ROOTS,
                                        .answered = on_question_answered};
    ck_assert_int_eq(mcph_served_ask(served, &question), 0);
    if (_i == 1) {
        sv_turn();
        test_has(sv_next(), "input_required");
    }
    mcph_served_unask(&question);
    mcph_served_unask(&question);
    sv_turn();
    sv_silence();
    ck_assert_int_eq(n_answers, 0);
    if (_i == 0) { /* the call is still open, because no question was sent */
        answer("{}");
        test_has(sv_next(), "\"id\":1,\"result\":{\"resultType\":\"complete\"}");
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "service");

    tcase_add_checked_fixture(tc, up, sv_down);
    tcase_add_loop_test(tc, each_failure_of_a_request_has_its_json_rpc_code, 0, 8);
    tcase_add_test(tc, a_list_without_memory_is_answered_with_an_error);
    tcase_add_loop_test(tc, missing_members_are_added_to_a_modern_result_and_none_twice,
                        0, 7);
    tcase_add_test(tc, a_legacy_result_is_sent_unchanged);
    tcase_add_test(tc, the_service_gets_one_subscription_for_each_resource);
    tcase_add_test(tc, listens_share_a_subscription_until_the_last_listen_ends);
    tcase_add_loop_test(tc, the_service_gets_the_level_of_the_wanted_messages, 0, 2);
    tcase_add_test(tc, requests_in_flight_are_abandoned_when_the_connection_ends);
    tcase_add_loop_test(tc, a_parked_request_that_was_answered_is_not_abandoned, 0, 2);
    tcase_add_loop_test(tc, the_answer_to_a_withdrawn_question_is_not_reported, 0, 2);
    tc = test_case(suite, "small");
    tcase_add_checked_fixture(tc, up_for_small_results, sv_down);
    tcase_add_test(tc, an_answer_over_max_result_fails_only_its_request);
}

int
main(void)
{
    return test_main("connection-service", add);
}
