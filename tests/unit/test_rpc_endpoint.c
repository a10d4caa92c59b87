/* SPDX-License-Identifier: MIT
 *
 * test_rpc_endpoint.c - the endpoint: finding the call of an answer, deadlines, progress,
 * garbage, answers with invalid UTF-8, limits and batches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"
#include "support/runner.h"

struct probe {
    struct mcph_rpc_call call;
    int answers, progress, code;
    int64_t value; /* the number in the result; -1 without a number */
    bool progress_after_answer;
};

static struct mcph_core *core;
static struct mcph_rpc rpc;
static int64_t clock_ms;
static int requests, notifications, strays, garbages, mended;
static char last_why[100], last_result[100];
static struct probe *restart; /* the probe that restarts its call in on_answer(), or
                               * NULL */

static int64_t
now_ms(void *arg)
{
    (void)arg;
    return clock_ms;
}

static void
on_request(struct mcph_rpc *r, const struct mcph_rpc_message *msg)
{
    (void)r;
    requests += mcph_rpc_method_is(msg, "roots/list");
}

static void
on_notification(struct mcph_rpc *r, const struct mcph_rpc_message *msg)
{
    (void)r;
    (void)msg;
    notifications++;
}

static void
on_stray_error(struct mcph_rpc *r, const struct mcph_rpc_message *msg)
{
    (void)r;
    ck_assert_ptr_nonnull(msg->error.p);
    strays++;
}

static void
on_garbage(struct mcph_rpc *r, const struct mcph_rpc_message *msg)
{
    (void)r;
    garbages++;
    snprintf(last_why, sizeof(last_why), "%s", msg->why);
}

static int foreigners;

static void
on_foreign(struct mcph_rpc *r, const struct mcph_rpc_message *msg)
{
    (void)r;
    (void)msg;
    foreigners++;
}

static void
on_mended(struct mcph_rpc *r, const struct mcph_rpc_message *msg)
{
    (void)r;
    ck_assert(mcph_utf8_valid(msg->whole.p, msg->whole.len, NULL));
    mended++;
}

static const struct mcph_rpc_ops ops = {on_request, on_notification, on_stray_error,
                                        on_garbage, on_foreign,      on_mended};

static void
up(void)
{
    clock_ms = 1000;
    requests = notifications = strays = garbages = foreigners = mended = 0;
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    mcph_core_set_clock(core, now_ms, NULL);
    mcph_rpc_init(&rpc, core, &ops);
}

static void
down(void)
{
    mcph_rpc_done(&rpc);
    mcph_core_unref(core);
}

static void
on_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct probe *p = MCPH_CONTAINER_OF(call, struct probe, call);

    ck_assert(!mcph_rpc_call_waits(call));
    p->answers++;
    p->code = answer->code;
    p->value = -1;
    if (answer->code == 0)
        snprintf(last_result, sizeof(last_result), "%.*s", (int)answer->msg->result.len,
                 answer->msg->result.p);
    if (answer->code == 0)
        (void)mcph_json_int64(answer->msg->result, &p->value);
    else
        snprintf(last_why, sizeof(last_why), "%s", answer->why ? answer->why : "");
    if (restart == p) {
        restart = NULL;
        ck_assert_int_eq(mcph_rpc_start(&rpc, call), 0);
    }
}

static void
on_progress(struct mcph_rpc_call *call, const struct mcph_rpc_message *msg)
{
    struct probe *p = MCPH_CONTAINER_OF(call, struct probe, call);

    ck_assert_ptr_nonnull(mcph_json_get(msg->params, "progress").p);
    p->progress++;
    p->progress_after_answer |= p->answers > 0;
}

static void
start_call(struct probe *p)
{
    *p = (struct probe){.call = {.on_answer = on_answer,
                                 .on_progress = on_progress,
                                 .timeout_ms = 100,
                                 .max_ms = -1}};
    ck_assert_int_eq(mcph_rpc_start(&rpc, &p->call), 0);
}

static void
receive(const char *text)
{
    struct mcph_frame *frame = mcph_frame_new(text, strlen(text));

    mcph_rpc_receive(&rpc, frame);
    mcph_frame_unref(frame);
}

static void
answer(int64_t id, int64_t value)
{
    char text[200];

    snprintf(text, sizeof(text), "{\"result\":%lld,\"jsonrpc\":\"2.0\",\"id\":%lld}",
             (long long)value, (long long)id);
    receive(text);
}

static void
progress(const char *token)
{
    char text[200];

    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
             "{\"progressToken\":%s,\"progress\":1}}",
             token);
    receive(text);
}

static void
advance_clock(int64_t ms)
{
    clock_ms += ms;
    for (int i = 0; i < 3; i++)
        ck_assert_int_ge(mcph_core_dispatch(core), 0);
}

/* R22: fifty calls wait at once.  The answers arrive in shuffled order.  Each call gets
 * its own answer. */
START_TEST(fifty_shuffled_answers_reach_their_own_calls)
{
    static struct probe probes[50];
    int order[50];
    unsigned seed = 99;

    for (int i = 0; i < 50; i++) {
        start_call(&probes[i]);
        order[i] = i;
    }
    for (int i = 49; i > 0; i--) {
        int j, swap = order[i];

        seed = seed * 1103515245u + 12345u;
        j = (int)((seed >> 16) % (unsigned)(i + 1));
        order[i] = order[j];
        order[j] = swap;
    }
    for (int i = 0; i < 50; i++)
        answer(probes[order[i]].call.id, 1000 + order[i]);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(probes[i].answers, 1);
        ck_assert_int_eq(probes[i].code, 0);
        ck_assert(probes[i].value == 1000 + i);
    }
    ck_assert_uint_eq(rpc.n_calls, 0);
    ck_assert_uint_eq(rpc.counters.messages, 50);
}
END_TEST

/* The table of calls stays correct while calls start and end in random order. */
START_TEST(thousands_of_calls_in_random_order_get_their_own_answers)
{
    static struct probe probes[300];
    unsigned seed = 4;

    for (int i = 0; i < 300; i++)
        start_call(&probes[i]);
    for (int round = 0; round < 20000; round++) {
        struct probe *p;
        int answers;

        seed = seed * 1103515245u + 12345u;
        p = &probes[(seed >> 16) % 300];
        if (mcph_rpc_call_waits(&p->call)) {
            answers = p->answers;
            if (seed & 0x8000)
                mcph_rpc_abandon(&p->call);
            else
                answer(p->call.id, round);
            ck_assert_int_eq(p->answers, answers + !(seed & 0x8000));
            ck_assert(!mcph_rpc_call_waits(&p->call));
        } else {
            start_call(p);
        }
    }
    for (int i = 0; i < 300; i++) {
        if (mcph_rpc_call_waits(&probes[i].call))
            answer(probes[i].call.id, 5);
    }
    ck_assert_uint_eq(rpc.n_calls, 0);
    ck_assert_uint_eq(rpc.counters.unknown_ids + rpc.counters.double_answers, 0);
}
END_TEST

/* Some servers send ids back as strings, or send all numbers as floating point. */
START_TEST(an_id_that_comes_back_as_string_or_float_finds_its_call)
{
    static const char *const forms[] = {"\"%d\"", "%d.0", "%d.000", "%d"};
    static struct probe p;
    char text[80], id[16];

    start_call(&p);
    snprintf(id, sizeof(id), forms[_i], (int)p.call.id);
    snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", id);
    receive(text);
    ck_assert_int_eq(p.answers, 1);
    receive(text);
    ck_assert_uint_eq(rpc.counters.double_answers, 1);
    ck_assert_uint_eq(rpc.counters.unknown_ids, 0);
}
END_TEST

START_TEST(an_answer_with_a_foreign_id_is_reported_only_while_calls_wait)
{
    static struct probe p, q;

    receive("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}");
    ck_assert_int_eq(foreigners, 0);
    start_call(&p);
    start_call(&q);
    mcph_rpc_abandon(&q.call);
    answer(2, 1); /* a late answer */
    ck_assert_int_eq(foreigners, 0);
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"req-1\",\"result\":{}}");
    receive("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}");
    ck_assert_int_eq(foreigners, 2);
    ck_assert_uint_eq(rpc.counters.foreign, 2);
    ck_assert_int_eq(p.answers, 0);
    answer(1, 3);
    ck_assert_int_eq(p.answers, 1);
}
END_TEST

START_TEST(ids_of_the_wrong_type_or_value_are_unknown)
{
    static struct probe p;

    start_call(&p);
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"01\",\"result\":{}}");
    receive("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    receive("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
    receive("{\"jsonrpc\":\"2.0\",\"id\":-1,\"error\":{}}");
    receive("{\"jsonrpc\":\"2.0\",\"id\":9223372036854775807,\"result\":{}}");
    ck_assert_uint_eq(rpc.counters.unknown_ids, 5);
    ck_assert_int_eq(p.answers, 0);
    answer(1, 3);
    ck_assert_int_eq(p.answers, 1);
}
END_TEST

START_TEST(second_and_late_answers_are_dropped_and_counted)
{
    static struct probe a, b, c;

    start_call(&a);
    start_call(&b);
    start_call(&c);
    answer(a.call.id, 1);
    answer(a.call.id, 2);
    ck_assert_int_eq(a.answers, 1);
    ck_assert(a.value == 1);
    ck_assert_uint_eq(rpc.counters.double_answers, 1);
    mcph_rpc_abandon(&b.call);
    mcph_rpc_abandon(&b.call); /* has no effect */
    answer(2, 1);
    ck_assert_int_eq(b.answers, 0);
    advance_clock(100);
    ck_assert_int_eq(c.code, MCPHOST_E_TIMEOUT);
    answer(3, 1);
    ck_assert_int_eq(c.answers, 1);
    ck_assert_uint_eq(rpc.counters.late_answers, 2);
    ck_assert_uint_eq(rpc.counters.double_answers, 1);
    answer(3, 1);
    ck_assert_uint_eq(rpc.counters.double_answers, 2);
}
END_TEST

START_TEST(an_error_answer_ends_its_call_and_an_error_without_an_id_is_stray)
{
    static struct probe p;

    start_call(&p);
    receive(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}");
    ck_assert_int_eq(p.code, MCPHOST_E_RPC);
    receive("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600}}");
    ck_assert_int_eq(strays, 1);
}
END_TEST

START_TEST(a_call_ends_at_its_deadline_and_not_before)
{
    static struct probe p, never;

    never =
        (struct probe){.call = {.on_answer = on_answer, .timeout_ms = -1, .max_ms = -1}};
    ck_assert_int_eq(mcph_rpc_start(&rpc, &never.call), 0);
    start_call(&p);
    advance_clock(99);
    ck_assert_int_eq(p.answers, 0);
    advance_clock(1);
    ck_assert_int_eq(p.answers, 1);
    ck_assert_int_eq(p.code, MCPHOST_E_TIMEOUT);
    advance_clock(1000000000);
    ck_assert_int_eq(never.answers, 0);
}
END_TEST

START_TEST(progress_restarts_timeout_ms_only_if_wanted_and_never_max_ms)
{
    static struct probe plain, asked;

    start_call(&plain);
    asked = (struct probe){.call = {.on_answer = on_answer,
                                    .timeout_ms = 100,
                                    .max_ms = 250,
                                    .progress_resets = true}};
    ck_assert_int_eq(mcph_rpc_start(&rpc, &asked.call), 0);
    advance_clock(90);
    progress("1");
    progress("2"); /* this progress also restarts the timeout of `asked` */
    advance_clock(90);
    ck_assert_int_eq(plain.code, MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(plain.progress, 1);
    ck_assert_int_eq(asked.answers, 0);
    progress("2");
    advance_clock(69);
    ck_assert_int_eq(asked.answers, 0);
    advance_clock(1);
    ck_assert_int_eq(asked.code, MCPHOST_E_TIMEOUT);
}
END_TEST

START_TEST(a_timeout_can_be_changed_and_removed)
{
    static struct probe p;

    start_call(&p);
    advance_clock(50);
    mcph_rpc_call_set_timeout(&p.call, 100);
    advance_clock(99);
    ck_assert_int_eq(p.answers, 0);
    mcph_rpc_call_set_timeout(&p.call, -1);
    advance_clock(100000);
    ck_assert_int_eq(p.answers, 0);
    mcph_rpc_call_set_timeout(&p.call, INT64_MAX);
    advance_clock(100000);
    ck_assert_int_eq(p.answers, 0);
    mcph_rpc_call_set_timeout(&p.call, 0);
    advance_clock(0);
    ck_assert_int_eq(p.answers, 1);
}
END_TEST

START_TEST(progress_in_a_batch_is_reported_before_the_result)
{
    static struct probe p;

    start_call(&p);
    rpc.allow_batch = true;
    progress("1");
    progress("\"1\"");
    progress("null");
    receive("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
            "{\"progressToken\":1,\"progress\":2}},{\"jsonrpc\":\"2.0\",\"id\":1,"
            "\"result\":1}]");
    progress("1");
    ck_assert_int_eq(p.progress, 3);
    ck_assert_int_eq(p.answers, 1);
    ck_assert(!p.progress_after_answer);
    ck_assert_uint_eq(rpc.counters.unknown_progress, 2);
    ck_assert_int_eq(notifications, 0);
}
END_TEST

START_TEST(a_string_id_finds_its_call)
{
    static struct probe p, q;

    start_call(&q);
    p = (struct probe){.call = {.on_answer = on_answer, .timeout_ms = 10, .max_ms = -1}};
    ck_assert_int_eq(mcph_rpc_start_named(&rpc, &p.call, "listen"), 0);
    ck_assert_int_eq(mcph_rpc_start_named(&rpc, &q.call, "listen"), MCPHOST_E_EXISTS);
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"list\\u0065n\",\"result\":4}");
    ck_assert(p.value == 4);
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"listen\",\"result\":4}");
    ck_assert_int_eq(p.answers, 1);
    ck_assert_uint_eq(rpc.n_calls, 1);
}
END_TEST

/* MCP: a client may probe the era of a server with a request that has a string as its id.
 * The server may answer long after the request has timed out. */
START_TEST(a_late_answer_to_a_string_id_is_dropped_and_counted)
{
    static struct probe p;

    p = (struct probe){.call = {.on_answer = on_answer, .timeout_ms = 10, .max_ms = -1}};
    ck_assert_int_eq(mcph_rpc_start_named(&rpc, &p.call, "probe"), 0);
    advance_clock(10);
    ck_assert_int_eq(p.code, MCPHOST_E_TIMEOUT);
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"probe\",\"result\":{}}");
    ck_assert_uint_eq(rpc.counters.late_answers, 1);
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"probe\",\"result\":{}}");
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"\",\"result\":{}}");
    ck_assert_uint_eq(rpc.counters.unknown_ids, 2);
    ck_assert_int_eq(p.answers, 1);
}
END_TEST

START_TEST(requests_and_notifications_are_reported_to_the_owner)
{
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"roots/list\"}");
    receive("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}");
    receive("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard-of\"}");
    ck_assert_int_eq(requests, 1);
    ck_assert_int_eq(notifications, 2);
}
END_TEST

/* R21: the endpoint reports garbage once and counts all garbage.  Garbage affects no
 * waiting call. */
START_TEST(garbage_is_reported_once_and_counted)
{
    static struct probe p;

    start_call(&p);
    receive("Listening on stdio");
    receive("{\"level\":30,\"id\":1,\"result\":\"ok\"}");
    receive("{\"jsonrpc\":\"2.0\",\"id\":99}");
    ck_assert_int_eq(garbages, 1);
    ck_assert_uint_eq(rpc.counters.garbage, 3);
    ck_assert_int_eq(p.answers, 0);
    answer(1, 1);
    ck_assert_int_eq(p.code, 0);
}
END_TEST

START_TEST(a_broken_answer_ends_its_call_with_the_reason)
{
    static struct probe p;

    start_call(&p);
    receive("{\"jsonrpc\":\"2.0\",\"result\":\"\1\",\"id\":1}");
    ck_assert_int_eq(p.code, MCPHOST_E_PROTOCOL);
    ck_assert_str_eq(last_why, "control character in a string");
    ck_assert_int_eq(garbages, 0);
}
END_TEST

/* R21: U+FFFD replaces the invalid bytes.  The endpoint reports the first answer that it
 * has mended in this way, and counts all mended answers.  All valid bytes of an answer
 * stay unchanged. */
START_TEST(invalid_utf8_in_strings_of_an_answer_is_replaced)
{
    static struct probe p;

    start_call(&p);
    receive(" {\"jsonrpc\":\"2.0\",\"result\":[\"a\xff\xc3\", \"\\u0000\x7f\xc3\xa9\"],"
            "\"id\":1}");
    ck_assert_int_eq(p.code, 0);
    ck_assert_str_eq(last_result, "[\"a\xef\xbf\xbd\xef\xbf\xbd\", "
                                  "\"\\u0000\x7f\xc3\xa9\"]");
    ck_assert_int_eq(mended, 1);
    start_call(&p);
    receive("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"\xff\"},\"id\":2}");
    ck_assert_int_eq(p.code, MCPHOST_E_RPC);
    ck_assert_int_eq(mended, 1);
    ck_assert_uint_eq(rpc.counters.mended, 2);
    ck_assert_int_eq(garbages, 0);
}
END_TEST

START_TEST(invalid_utf8_is_replaced_only_in_answers)
{
    static struct probe p;

    start_call(&p);
    receive("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"roots/list\"}");
    receive("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":[\"\xff\"]}");
    receive("\xff");
    ck_assert_int_eq(requests + notifications, 0);
    ck_assert_uint_eq(rpc.counters.garbage, 3);
    /* Invalid bytes outside of strings break the answer, even if U+FFFD replaces them. */
    receive("{\"jsonrpc\":\"2.0\",\"result\":\"\xff\"\xff,\"id\":1}");
    ck_assert_int_eq(p.code, MCPHOST_E_PROTOCOL);
    ck_assert_int_eq(mended, 0);
}
END_TEST

START_TEST(an_answer_that_would_grow_by_over_1_mib_is_not_mended)
{
    static struct probe p;
    struct mcph_buf text;

    start_call(&p);
    mcph_buf_init(&text, MCPH_RPC_MEND_MAX);
    mcph_buf_adds(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"");
    for (size_t i = 0; i < MCPH_RPC_MEND_MAX / 2; i++)
        mcph_buf_addc(&text, '\xff');
    mcph_buf_adds(&text, "-\xff\"}");
    mcph_buf_addc(&text, '\0');
    ck_assert_int_eq(mcph_buf_ok(&text), 0);
    receive(text.data);
    ck_assert_int_eq(p.code, MCPHOST_E_PROTOCOL);
    ck_assert_str_eq(last_why, "invalid UTF-8");
    mcph_buf_done(&text);
}
END_TEST

START_TEST(an_answer_past_the_limit_fails_only_its_call)
{
    static struct probe p, q;
    struct mcph_framer framer;
    struct mcph_frame *frame;
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"result\":\"012345678901234567890123456789\",\"id\":1}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":"
        "\"01234567890123456789012345678901234\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"a-request-that-is-much-too-long-for-"
        "us\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":3}\n";

    start_call(&p);
    start_call(&q);
    mcph_framer_init(&framer, 50);
    mcph_framer_put(&framer, text, sizeof(text) - 1);
    while (mcph_framer_next(&framer, &frame) > 0) {
        mcph_rpc_receive(&rpc, frame);
        mcph_frame_unref(frame);
    }
    mcph_framer_done(&framer);
    ck_assert_int_eq(p.code, MCPHOST_E_LIMIT);
    ck_assert(q.value == 3);
    ck_assert_uint_eq(rpc.counters.over_limit, 3);
    ck_assert_uint_eq(rpc.counters.unknown_ids, 1);
    ck_assert_uint_eq(rpc.counters.garbage, 1);
}
END_TEST

/* Parses a message at the default limit on nesting.  The endpoint must parse the message
 * again if the endpoint has another limit. */
START_TEST(a_parsed_message_is_parsed_again_only_at_another_limit_on_nesting)
{
    static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":[[]]}}";
    struct mcph_frame *frame = mcph_frame_new(text, strlen(text));
    struct mcph_rpc_message msg;
    static struct probe p;

    start_call(&p);
    mcph_rpc_parse_frame(frame, 0, &msg);
    rpc.depth = _i;
    mcph_rpc_receive_parsed(&rpc, &msg);
    rpc.depth = 0;
    mcph_frame_unref(frame);
    ck_assert_int_eq(p.answers, 1);
    ck_assert_int_eq(p.code, _i > 0 && _i < 4 ? MCPHOST_E_PROTOCOL : 0);
}
END_TEST

START_TEST(a_batch_is_accepted_only_with_allow_batch)
{
    static const char batch[] = "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":20},5,[],"
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":10},"
                                "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]";
    static struct probe a, b;

    start_call(&a);
    start_call(&b);
    receive(batch);
    ck_assert_int_eq(a.answers + b.answers, 0);
    ck_assert_int_eq(garbages, 1);
    ck_assert_ptr_nonnull(strstr(last_why, "batch"));
    rpc.allow_batch = true;
    receive(batch);
    ck_assert(a.value == 10 && b.value == 20);
    ck_assert_int_eq(notifications, 1);
    ck_assert_uint_eq(rpc.counters.garbage, 3);
}
END_TEST

/* R21 */
START_TEST(messages_of_a_batch_after_the_1000th_are_dropped)
{
    static char batch[64 * 1200];
    size_t n = 1;

    batch[0] = '[';
    for (int i = 0; i < 1200; i++)
        n += (size_t)snprintf(batch + n, sizeof(batch) - n,
                              "%s{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", i ? "," : "");
    batch[n] = ']';
    rpc.allow_batch = true;
    receive(batch);
    ck_assert_int_eq(notifications, 1000);
    ck_assert_int_eq(garbages, 1);
    ck_assert_ptr_nonnull(strstr(last_why, "too many"));
}
END_TEST

static void
fail_call(struct probe *p)
{
    const struct mcph_rpc_answer lost = {.code = MCPHOST_E_TRANSPORT};

    mcph_rpc_settle(&p->call, &lost);
}

START_TEST(a_settled_call_ends_once_and_may_be_started_again)
{
    static struct probe probes[40];

    for (int i = 0; i < 40; i++)
        start_call(&probes[i]);
    restart = &probes[3];
    for (int i = 0; i < 40; i++)
        fail_call(&probes[i]);
    for (int i = 0; i < 40; i++) {
        ck_assert_int_eq(probes[i].answers, 1);
        ck_assert_int_eq(probes[i].code, MCPHOST_E_TRANSPORT);
    }
    /* The call that was restarted from its own on_answer waits again. */
    ck_assert_uint_eq(rpc.n_calls, 1);
    ck_assert(mcph_rpc_call_waits(&probes[3].call));
    answer(probes[3].call.id, 8);
    ck_assert(probes[3].value == 8);
    fail_call(&probes[3]); /* this has no effect, because the call no longer waits */
    ck_assert_int_eq(probes[3].answers, 2);
}
END_TEST

/* Calls that start_many() starts inside mcph_rpc_settle().  They are so many that the
 * table grows during mcph_rpc_settle(). */
static struct probe again[8];

static void
start_many(struct mcph_rpc_call *call, const struct mcph_rpc_answer *a)
{
    (void)call;
    if (a->code == MCPHOST_E_TRANSPORT) {
        for (size_t i = 0; i < MCPH_ARRAY_SIZE(again); i++)
            start_call(&again[i]);
    }
}

START_TEST(calls_that_start_during_settle_go_on)
{
    static struct probe probes[6];

    for (int i = 0; i < 6; i++)
        start_call(&probes[i]);
    probes[0].call.on_answer = start_many;
    for (int i = 0; i < 6; i++)
        fail_call(&probes[i]);
    for (int i = 1; i < 6; i++)
        ck_assert_int_eq(probes[i].answers, 1);
    ck_assert_uint_eq(rpc.n_calls, MCPH_ARRAY_SIZE(again));
}
END_TEST

START_TEST(a_call_beyond_max_pending_is_refused)
{
    static struct probe a, b;

    rpc.max_pending = 1;
    start_call(&a);
    b = (struct probe){.call = {.on_answer = on_answer, .timeout_ms = -1, .max_ms = -1}};
    ck_assert_int_eq(mcph_rpc_start(&rpc, &b.call), MCPHOST_E_LIMIT);
    ck_assert(!mcph_rpc_call_waits(&b.call));
    answer(1, 1);
    ck_assert_int_eq(mcph_rpc_start(&rpc, &b.call), 0);
    mcph_rpc_done(&rpc); /* discards the waiting call and does not call on_answer() */
    ck_assert_int_eq(b.answers, 0);
    ck_assert(!mcph_rpc_call_waits(&b.call));
    mcph_rpc_done(&rpc);
}
END_TEST

START_TEST(an_answer_over_2_mib_is_not_mended)
{
    static struct probe p;
    struct mcph_buf text;

    start_call(&p);
    mcph_buf_init(&text, 2 * MCPH_RPC_MEND_LEN);
    mcph_buf_adds(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff");
    for (size_t i = 0; i < MCPH_RPC_MEND_LEN; i++)
        mcph_buf_addc(&text, 'a');
    mcph_buf_add(&text, "\"}", 3);
    ck_assert_int_eq(mcph_buf_ok(&text), 0);
    receive(text.data);
    ck_assert_int_eq(p.code, MCPHOST_E_PROTOCOL);
    ck_assert_str_eq(last_why, "invalid UTF-8");
    ck_assert_int_eq(mended, 0);
    mcph_buf_done(&text);
}
END_TEST

START_TEST(a_batch_over_4_mib_is_refused)
{
    static const char message[] = "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}";
    static char batch[MCPH_RPC_BATCH_LEN + 2];

    memset(batch, ' ', sizeof(batch));
    batch[0] = '[';
    memcpy(batch + 1, message, sizeof(message) - 1);
    batch[MCPH_RPC_BATCH_LEN - 1] = ']';
    batch[MCPH_RPC_BATCH_LEN] = '\0';
    rpc.allow_batch = true;
    receive(batch);
    ck_assert_int_eq(notifications, 1);
    batch[MCPH_RPC_BATCH_LEN - 1] = ' ';
    batch[MCPH_RPC_BATCH_LEN] = ']';
    batch[MCPH_RPC_BATCH_LEN + 1] = '\0';
    receive(batch);
    ck_assert_int_eq(notifications, 1);
    ck_assert_int_eq(garbages, 1);
    ck_assert_ptr_nonnull(strstr(last_why, "bytes"));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "answers");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, fifty_shuffled_answers_reach_their_own_calls);
    tcase_add_test(tc, thousands_of_calls_in_random_order_get_their_own_answers);
    tcase_add_loop_test(tc, an_id_that_comes_back_as_string_or_float_finds_its_call, 0,
                        4);
    tcase_add_test(tc, an_answer_with_a_foreign_id_is_reported_only_while_calls_wait);
    tcase_add_test(tc, ids_of_the_wrong_type_or_value_are_unknown);
    tcase_add_test(tc, second_and_late_answers_are_dropped_and_counted);
    tcase_add_test(tc, an_error_answer_ends_its_call_and_an_error_without_an_id_is_stray);
    tcase_add_test(tc, a_string_id_finds_its_call);
    tcase_add_test(tc, a_late_answer_to_a_string_id_is_dropped_and_counted);
    tcase_add_test(tc, a_broken_answer_ends_its_call_with_the_reason);
    tcase_add_test(tc, invalid_utf8_in_strings_of_an_answer_is_replaced);
    tcase_add_test(tc, invalid_utf8_is_replaced_only_in_answers);
    tcase_add_test(tc, an_answer_that_would_grow_by_over_1_mib_is_not_mended);
    tcase_add_test(tc, an_answer_past_the_limit_fails_only_its_call);
    tcase_add_test(tc, a_settled_call_ends_once_and_may_be_started_again);
    tcase_add_test(tc, calls_that_start_during_settle_go_on);
    tcase_add_test(tc, a_call_beyond_max_pending_is_refused);
    tc = test_case(suite, "time");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_call_ends_at_its_deadline_and_not_before);
    tcase_add_test(tc, progress_restarts_timeout_ms_only_if_wanted_and_never_max_ms);
    tcase_add_test(tc, a_timeout_can_be_changed_and_removed);
    tcase_add_test(tc, progress_in_a_batch_is_reported_before_the_result);
    tc = test_case(suite, "others");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, requests_and_notifications_are_reported_to_the_owner);
    tcase_add_test(tc, garbage_is_reported_once_and_counted);
    tcase_add_loop_test(
        tc, a_parsed_message_is_parsed_again_only_at_another_limit_on_nesting, 0, 6);
    tcase_add_test(tc, a_batch_is_accepted_only_with_allow_batch);
    tcase_add_test(tc, messages_of_a_batch_after_the_1000th_are_dropped);
    tcase_add_test(tc, a_batch_over_4_mib_is_refused);
    tcase_add_test(tc, an_answer_over_2_mib_is_not_mended);
}

int
main(void)
{
    return test_main("rpc-endpoint", add);
}
