/* SPDX-License-Identifier: MIT
 *
 * test_connection_client.c - the library's client and the library's server, connected to
 * each other, in every era.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "servrig.h"
#include "support/runner.h"

static struct mcph_client *client;
static struct mcph_client_spec spec;
static struct mcph_transport *end;
static int n_ready, n_down, n_changed, n_questions, n_progress;
static char lists[MCPH_LIST_KINDS][4096], story[4096];
static const char *answer;
static int refusal;

static void
add_story(const char *what, struct mcph_span text)
{
    size_t n = strlen(story);

    snprintf(story + n, sizeof(story) - n, "%s:%.*s ", what, (int)text.len, text.p);
}

static void
on_ready(struct mcph_client *c, void *arg)
{
    (void)c;
    (void)arg;
    n_ready++;
}

static void
on_down(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)arg;
    (void)reason;
    n_down++;
    mcph_transport_close(end);
}

static void
on_restart(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)arg;
    ck_abort_msg("restart: %s", mcphost_error_get_message(reason));
}

static void
on_listed(struct mcph_client *c, int kind, struct mcph_client_list *list,
          mcphost_error *error, void *arg)
{
    size_t n = 0;

    (void)c;
    (void)arg;
    ck_assert_ptr_null(error);
    for (size_t i = 0; i < list->n_pages; i++) {
        struct mcph_span items = list->pages[i].items;

        n += (size_t)snprintf(lists[kind] + n, sizeof(lists[kind]) - n, "%.*s",
                              (int)items.len, items.p);
    }
}

static void
on_changed(struct mcph_client *c, int kind, void *arg)
{
    (void)c;
    (void)arg;
    (void)kind;
    n_changed++;
}

static void
on_subscribed(struct mcph_client *c, struct mcph_span uri, mcphost_error *error,
              void *arg)
{
    (void)c;
    (void)arg;
    add_story(error ? "refused" : "subscribed", uri);
}

static void
on_updated(struct mcph_client *c, struct mcph_span uri, uint64_t count, void *arg)
{
    (void)c;
    (void)arg;
    (void)count;
    add_story("updated", uri);
}

static void
on_log(struct mcph_client *c, struct mcph_span level, struct mcph_span logger,
       struct mcph_span data, void *arg)
{
    (void)c;
    (void)arg;
    (void)logger;
    add_story("level", level);
    add_story("data", data);
}

static void
on_question(struct mcph_client *c, struct mcph_client_question *q, void *arg)
{
    (void)c;
    (void)arg;
    n_questions++;
    if (answer)
        mcph_client_question_answer(q, mcph_span_str(answer));
    else
        mcph_client_question_refuse(q, refusal, "no");
}

static void
on_question_over(struct mcph_client *c, struct mcph_client_question *q, const char *why,
                 void *arg)
{
    (void)c;
    (void)q;
    (void)why;
    (void)arg;
}

static const struct mcph_client_events events = {
    .ready = on_ready,
    .restart = on_restart,
    .down = on_down,
    .listed = on_listed,
    .changed = on_changed,
    .subscribed = on_subscribed,
    .updated = on_updated,
    .log = on_log,
    .question = on_question,
    .question_over = on_question_over,
};

static void
up(void)
{
    sv_up();
    mcph_client_spec_init(&spec);
    spec.server = "srv";
    spec.name = "c";
    spec.version = "1";
    spec.lists = 1u << MCPH_LIST_TOOLS | 1u << MCPH_LIST_RESOURCES |
                 1u << MCPH_LIST_TEMPLATES | 1u << MCPH_LIST_PROMPTS;
    spec.listen = spec.lists;
}

static void
down(void)
{
    mcph_client_free(client);
    sv_turn();
    mcph_transport_free(end, 0);
    sv_down();
}

static const int eras[] = {MCPH_CLIENT_LEGACY, MCPH_CLIENT_MODERN, MCPH_CLIENT_AUTO};
#define ERAS 3

static void
start(int era)
{
    spec.era = eras[era];
    end = sv_start_joined();
    ck_assert_int_eq(mcph_client_new(sv.core, &spec, &events, NULL, &client, NULL), 0);
    ck_assert_int_eq(mcph_client_start(client, end, NULL), 0);
    sv_turn();
    sv_advance(10000);
    ck_assert_int_eq(n_ready, 1);
    ck_assert_str_eq(mcph_client_get_info(client)->version,
                     era == 0 ? "2025-11-25" : "2026-07-28");
}

static struct op {
    struct mcph_operation op;
    int done, code;
    char *result;
    char error[256];
} op;

static void
on_done(struct mcph_operation *base, const struct mcph_client_answer *a)
{
    struct op *o = MCPH_CONTAINER_OF(base, struct op, op);

    o->done++;
    o->code = a->code;
    free(o->result);
    o->result = a->code == 0 ? mcph_strndup(a->result.p, a->result.len) : NULL;
    if (a->error)
        snprintf(o->error, sizeof(o->error), "%lld %s",
                 (long long)mcphost_error_get_rpc_code(a->error),
                 mcphost_error_get_message(a->error));
}

static void
on_progress(struct mcph_operation *base, const struct mcph_client_progress *p)
{
    char text[64];

    (void)base;
    n_progress++;
    snprintf(text, sizeof(text), "%g/%g", p->progress, p->has_total ? p->total : -1);
    add_story("progress", mcph_span_str(text));
}

static void
start_operation(int method, const char *name, const char *arguments)
{
    memset(&op, 0, sizeof(op));
    op.op.method = &mcph_methods[method];
    op.op.name = mcph_span_str(name);
    op.op.arguments = mcph_span_str(arguments);
    op.op.timeout_ms = 60000;
    op.op.max_ms = -1;
    op.op.done = on_done;
    op.op.progress = on_progress;
    ck_assert_int_eq(mcph_operation_start(client, &op.op, NULL), 0);
    sv_turn();
}

static void
expect(const char *result)
{
    ck_assert_int_eq(op.done, 1);
    ck_assert_msg(op.code == 0, "%s", op.error);
    ck_assert_ptr_nonnull(strstr(op.result, result));
    free(op.result);
    op.result = NULL;
}

START_TEST(the_client_gets_all_lists_byte_by_byte)
{
    start(_i);
    ck_assert_str_eq(lists[MCPH_LIST_TOOLS], SV_TOOLS);
    ck_assert_str_eq(lists[MCPH_LIST_RESOURCES], "[" SV_RESOURCE "]");
    ck_assert_str_eq(lists[MCPH_LIST_TEMPLATES], "[" SV_TEMPLATE "]");
    ck_assert_str_eq(lists[MCPH_LIST_PROMPTS], "[" SV_PROMPT "]");
}
END_TEST

START_TEST(the_client_gets_all_pages_of_a_list)
{
    sv.spec.page_items = 2;
    start(_i);
    ck_assert_str_eq(lists[MCPH_LIST_TOOLS], "[" SV_ECHO "," SV_SLOW "]"
                                             "[" SV_ASK "]");
}
END_TEST

START_TEST(operations_get_their_results)
{
    start(_i);
    start_operation(MCPH_METHOD_CALL_TOOL, "echo", "{\"text\":\"na\\u00efve\"}");
    expect("\"content\":[{\"type\":\"text\",\"text\":\"na\xc3\xafve\"}]");
    start_operation(MCPH_METHOD_READ_RESOURCE, "mem://t/x%20y", NULL);
    expect("\"text\":\"{\\\"id\\\":\\\"x y\\\"}\"");
    start_operation(MCPH_METHOD_GET_PROMPT, "greet", "{\"who\":\"you\"}");
    expect("\"text\":\"{\\\"who\\\":\\\"you\\\"}\"");
    start_operation(MCPH_METHOD_COMPLETE, "greet",
                    "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},\"argument\":{"
                    "\"name\":\"who\",\"value\":\"y\"}}");
    expect("\"values\":[\"who=y\"]");
}
END_TEST

START_TEST(failures_have_the_codes_of_their_era)
{
    start(_i);
    start_operation(MCPH_METHOD_CALL_TOOL, "none", "{}");
    ck_assert_int_eq(op.code, MCPHOST_E_RPC);
    test_has(op.error, "-32602 ");
    start_operation(MCPH_METHOD_READ_RESOURCE, "mem://none", NULL);
    ck_assert_int_eq(op.code, MCPHOST_E_RPC);
    test_has(op.error, _i == 0 ? "-32002 " : "-32602 ");
}
END_TEST

START_TEST(changes_and_updates_are_reported)
{
    start(_i);
    ck_assert_int_eq(mcph_client_subscribe(client, mcph_span_str("mem://a"), NULL), 0);
    sv_turn();
    sv_advance(1000);
    test_has(story, "subscribed:mem://a ");
    ck_assert_int_eq(mcph_provider_updated(sv.provider, mcph_span_str("mem://a")), 0);
    ck_assert_int_eq(mcph_provider_updated(sv.provider, mcph_span_str("mem://b")), 0);
    sv_turn();
    sv_advance(1000);
    test_has(story, "updated:mem://a ");
    test_has_not(story, "mem://b");
    n_changed = 0;
    sv_add(MCPHOST_FEATURE_TOOL, "{\"name\":\"late\",\"inputSchema\":{}}", sv_slow);
    sv_turn();
    sv_advance(1000);
    ck_assert_int_eq(n_changed, 1);
    sv_add(MCPHOST_FEATURE_TEMPLATE, "{\"uriTemplate\":\"x://{y}\",\"name\":\"x\"}",
           sv_slow);
    sv_turn();
    sv_advance(1000);
    ck_assert_int_ge(n_changed, 2);
}
END_TEST

START_TEST(only_messages_from_the_log_level_on_arrive)
{
    spec.log_level = "warning";
    start(_i);
    if (_i > 0) /* a modern client gets messages only during its requests */
        start_operation(MCPH_METHOD_CALL_TOOL, "slow", "{}");
    ck_assert_int_eq(mcph_provider_log(sv.provider, MCPHOST_MESSAGES_INFO, MCPH_SPAN_NONE,
                                       mcph_span_str("1")),
                     0);
    ck_assert_int_eq(mcph_provider_log(sv.provider, MCPHOST_MESSAGES_ERROR,
                                       mcph_span_str("db"), mcph_span_str("{\"a\":\n2}")),
                     0);
    sv_turn();
    test_has_not(story, "data:1 ");
    test_has(story, "level:\"error\" data:{\"a\":");
}
END_TEST

START_TEST(only_increasing_progress_is_reported)
{
    start(_i);
    start_operation(MCPH_METHOD_CALL_TOOL, "slow", "{}");
    for (int i = 0; i < 4; i++) {
        static const double steps[] = {0.5, 0.25, 1, 1};

        ck_assert_int_eq(mcph_providing_report(sv.calls[0], steps[i], 2, "on", 2), 0);
        sv_turn();
    }
    sv_answer(0, "done");
    expect("done");
    ck_assert_str_eq(story, "progress:0.5/2 progress:1/2 ");
}
END_TEST

START_TEST(a_cancelled_call_is_cancelled_at_the_provider)
{
    start(_i);
    start_operation(MCPH_METHOD_CALL_TOOL, "slow", "{}");
    mcph_operation_cancel(&op.op, "enough");
    sv_turn();
    ck_assert_int_eq(sv.unwanted, 1);
    sv_answer(0, "late");
    ck_assert_int_eq(op.done, 0);
}
END_TEST

START_TEST(questions_of_a_call_are_answered_by_the_client)
{
    spec.questions = MCPHOST_REQUEST_SAMPLING;
    start(_i);
    answer = "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"ok\"},"
             "\"model\":\"m\"}";
    sv.ask_kind = MCPHOST_REQUEST_SAMPLING;
    sv.ask_params = "{\"messages\":[],\"maxTokens\":5}";
    sv.questions = 3;
    start_operation(MCPH_METHOD_CALL_TOOL, "ask", "{\"b\":1,\"a\":[2]}");
    sv_turn();
    ck_assert_int_eq(n_questions, 3);
    ck_assert_int_eq(sv.asked, 3);
    ck_assert_int_eq(sv.ask_code, 0);
    test_has(sv.answer, answer);
    expect("asked");
}
END_TEST

START_TEST(the_end_of_the_client_ends_the_connection_and_its_calls)
{
    start(_i);
    start_operation(MCPH_METHOD_CALL_TOOL, "slow", "{}");
    mcph_client_stop(client, MCPHOST_E_CLOSED, NULL);
    mcph_transport_close(end);
    sv_turn();
    ck_assert_int_eq(sv.unwanted, 1);
    ck_assert_int_eq(sv.overs, 1);
    ck_assert_str_eq(mcphost_error_get_message(sv.reason), "closed the connection");
}
END_TEST

START_TEST(the_end_of_the_provider_waits_for_its_calls)
{
    start(_i);
    start_operation(MCPH_METHOD_CALL_TOOL, "slow", "{}");
    mcph_provider_close(sv.provider, -1);
    sv_turn();
    ck_assert_int_eq(sv.overs, 0);
    ck_assert_int_eq(sv.teardowns, 0);
    sv_answer(0, "last");
    expect("last");
    ck_assert_int_eq(sv.overs, 1);
    ck_assert_int_eq(sv.teardowns, 1);
    ck_assert_int_eq(n_down, 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "client");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, the_client_gets_all_lists_byte_by_byte, 0, ERAS);
    tcase_add_loop_test(tc, the_client_gets_all_pages_of_a_list, 0, ERAS);
    tcase_add_loop_test(tc, operations_get_their_results, 0, ERAS);
    tcase_add_loop_test(tc, failures_have_the_codes_of_their_era, 0, ERAS);
    tcase_add_loop_test(tc, changes_and_updates_are_reported, 0, ERAS);
    tcase_add_loop_test(tc, only_messages_from_the_log_level_on_arrive, 0, ERAS);
    tcase_add_loop_test(tc, only_increasing_progress_is_reported, 0, ERAS);
    tcase_add_loop_test(tc, a_cancelled_call_is_cancelled_at_the_provider, 0, ERAS);
    tcase_add_loop_test(tc, questions_of_a_call_are_answered_by_the_client, 0, ERAS);
    tcase_add_loop_test(tc, the_end_of_the_client_ends_the_connection_and_its_calls, 0,
                        ERAS);
    tcase_add_loop_test(tc, the_end_of_the_provider_waits_for_its_calls, 0, ERAS);
}

int
main(void)
{
    return test_main("connection-client", add);
}
