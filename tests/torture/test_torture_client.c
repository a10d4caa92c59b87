/* SPDX-License-Identifier: MIT
 *
 * test_torture_client.c - a whole session in which each allocation fails once, and one
 * in which none succeeds any more from there on: refusals and errors, but no crash, no
 * leak, no call without an answer, no client in limbo.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "torture/torture.h"

#define TURNS 300

struct outcome {
    bool refused; /* no client came of it */
    int ready, downs, listed, complete_lists;
    int taken, answered, good;
    int asked, over;
    int broken; /* what must hold and did not */
};

#define FORM                                                                        \
    "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}" \
    "}}"

static struct mcph_core *core;
static struct mcph_transport *transport;
static bool modern;
static int64_t now;
static long asking; /* the call in whose course the server asks */
static struct outcome out;

static int64_t
fake_clock(void *arg)
{
    (void)arg;
    return now;
}

/* ---- the server: never short of memory ------------------------------------------------- */

static void
say(const char *text)
{
    failing_pause();
    (void)mcph_memory_peer_write(transport, text, strlen(text));
    failing_resume();
}

static void
answer_probe(const char *line)
{
    char text[256], n = strstr(line, "probe-")[6];

    if (modern)
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%c\",\"result\":{"
                 "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"
                 "\"tools\":{\"listChanged\":true}}}}\n",
                 n);
    else
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%c\",\"error\":{\"code\":-32601,"
                 "\"message\":\"no\"}}\n",
                 n);
    say(text);
}

static void
on_line(struct mcph_transport *t, struct mcph_span span, void *arg)
{
    char line[2048], text[512];
    const char *id;
    long n = 0;

    (void)t;
    (void)arg;
    snprintf(line, sizeof(line), "%.*s", (int)span.len, span.p);
    id = strstr(line, "\"id\":");
    if (id)
        n = strtol(id + 5, NULL, 10);
    if (strstr(line, "server/discover")) {
        answer_probe(line);
        return;
    }
    if (strstr(line, "\"initialize\""))
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"protocolVersion\":"
                 "\"2025-06-18\",\"capabilities\":{\"tools\":{},\"logging\":{}}}}\n",
                 n);
    else if (strstr(line, "tools/list"))
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"tools\":[1]%s}}\n", n,
                 strstr(line, "cursor") ? "" : ",\"nextCursor\":\"c\"");
    else if (strstr(line, "\"ask\"") && modern && !strstr(line, "inputResponses"))
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":"
                 "\"input_required\",\"requestState\":\"s\",\"inputRequests\":{\"k\":"
                 "{\"method\":\"elicitation/create\",\"params\":" FORM "}}}}\n",
                 n);
    else if (strstr(line, "\"ask\"") && !modern) {
        asking = n;
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\","
                 "\"params\":" FORM "}\n");
    } else if (strstr(line, "\"id\":\"q\""))
        snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{}}\n",
                 asking);
    else if (strstr(line, "tools/call"))
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                 "{\"progressToken\":%ld,\"progress\":1}}\nnoise\n{\"jsonrpc\":\"2.0\","
                 "\"id\":%ld,%s}\n",
                 n, n,
                 strstr(line, "bad") ? "\"error\":{\"code\":-3,\"message\":\"no\"}"
                                     : "\"result\":{}");
    else if (id && !strstr(line, "subscriptions/listen"))
        snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{}}\n",
                 n);
    else
        return;
    say(text);
}

static const struct mcph_memory_peer peer = {.received = on_line};

/* ---- the owner ------------------------------------------------------------------------------ */

/* Check's assertions want memory themselves. */
static void
must(bool holds)
{
    out.broken += !holds;
}

static void
on_ready(struct mcph_client *c, void *arg)
{
    (void)c;
    (void)arg;
    out.ready++;
}

static void
on_restart(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)reason;
    (void)arg;
}

static void
on_down(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)arg;
    must(reason != NULL);
    out.downs++;
}

static void
on_listed(struct mcph_client *c, struct mcph_client_list *list, mcphost_error *error,
          void *arg)
{
    (void)c;
    (void)arg;
    must(!list != !error);
    out.listed++;
    out.complete_lists += list && !list->cut && list->n_pages == 2;
}

static void
on_question(struct mcph_client *c, struct mcph_client_question *q, void *arg)
{
    (void)c;
    (void)arg;
    out.asked++;
    mcph_client_question_answer(q,
                                mcph_span_str("{\"action\":\"accept\",\"content\":{}}"));
}

static void
on_question_over(struct mcph_client *c, struct mcph_client_question *q, const char *why,
                 void *arg)
{
    (void)c;
    (void)q;
    (void)arg;
    must(why != NULL);
    out.over++;
}

static const struct mcph_client_events events = {.ready = on_ready,
                                                 .restart = on_restart,
                                                 .down = on_down,
                                                 .listed = on_listed,
                                                 .question = on_question,
                                                 .question_over = on_question_over};

static void
on_done(struct mcph_client_call *call, const struct mcph_client_answer *answer)
{
    (void)call;
    must((answer->code == 0) == (answer->error == NULL));
    out.answered++;
    out.good += answer->code == 0;
}

static void
on_progress(struct mcph_client_call *call, const struct mcph_client_progress *progress)
{
    (void)call;
    (void)progress;
}

static void
turn(void)
{
    for (int i = 0; i < TURNS && mcph_core_dispatch(core) > 0; i++)
        ;
}

static void
call_tool(struct mcph_client *c, struct mcph_client_call *call, const char *tool)
{
    mcphost_error *error = NULL;

    *call = (struct mcph_client_call){
        .tool = mcph_span_str(tool),
        .timeout_ms = 1000,
        .max_ms = -1,
        .progress = on_progress,
        .done = on_done,
    };
    if (mcph_client_call(c, call, &error) == 0)
        out.taken++;
    else
        must(error != NULL);
    mcphost_error_unref(error);
}

static void
talk(struct mcph_client *c)
{
    struct mcph_client_call early, good, bad, gone, asks;

    call_tool(c, &early, "good");
    turn();
    call_tool(c, &good, "good");
    call_tool(c, &bad, "bad");
    turn();
    call_tool(c, &gone, "good");
    if (gone.client) {
        mcph_client_call_cancel(&gone, "never mind");
        out.taken--;
    }
    (void)mcph_client_list_tools(c);
    turn();
    call_tool(c, &asks, "ask");
    turn();
    /* Whatever waits now runs out of time, a call after its question. */
    now += 100000;
    turn();
    now += 100000;
    turn();
}

static void
session(void)
{
    struct mcph_client_spec spec;
    struct mcph_client *c = NULL;
    mcphost_error *error = NULL;

    out = (struct outcome){0};
    mcph_client_spec_init(&spec);
    spec.server = "srv";
    spec.name = "chost";
    spec.version = "0.3";
    spec.log_level = "info";
    spec.questions = MCPHOST_REQUEST_FORM;
    spec.question_ms = 1000;
    transport = mcph_memory_new(core, NULL, NULL, &peer, NULL);
    out.refused = !transport;
    if (transport)
        must(mcph_transport_open(transport, NULL) == 0);
    if (transport && (mcph_client_new(core, &spec, &events, NULL, &c, &error) < 0 ||
                      mcph_client_start(c, transport, &error) < 0)) {
        must(error != NULL);
        out.refused = true;
    }
    if (!out.refused)
        talk(c);
    mcphost_error_unref(error);
    mcph_client_free(c);
    transport = mcph_transport_free(transport, 0);
    mcph_core_drain(core);
}

/* The session on a core of its own.  Returns the number of allocations. */
static long
run(long nth, int mode)
{
    long live = failing_live(), n;

    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    mcph_core_set_clock(core, fake_clock, NULL);
    failing_arm(nth, mode);
    session();
    n = failing_disarm();
    core = mcph_core_unref(core);
    ck_assert_int_eq(out.broken, 0);
    ck_assert_msg(failing_live() == live, "allocation %ld failing leaks %ld blocks", nth,
                  failing_live() - live);
    return n;
}

static long
count(bool is_modern)
{
    long n;

    modern = is_modern;
    (void)run(-1, FAIL_ONCE); /* the C library keeps some memory for itself */
    n = run(-1, FAIL_ONCE);
    ck_assert_int_gt(n, 20);
    ck_assert_int_eq(out.ready, 1);
    ck_assert_int_eq(out.downs, 0);
    ck_assert_int_eq(out.complete_lists, 2);
    ck_assert_int_eq(out.answered, 4);
    ck_assert_int_eq(out.good, 3);
    ck_assert_int_eq(out.asked, 1);
    ck_assert_int_eq(out.over, 0);
    return n;
}

static void
check_outcome(long nth)
{
    if (out.refused)
        return;
    ck_assert_msg(out.answered == out.taken, "allocation %ld: %d calls, %d answers", nth,
                  out.taken, out.answered);
    ck_assert_msg(out.ready + out.downs > 0, "allocation %ld: limbo", nth);
}

START_TEST(every_allocation_of_a_session_may_fail_once)
{
    long n = count(_i);
    int lost = 0;

    for (long i = 0; i < n; i++) {
        (void)run(i, FAIL_ONCE);
        check_outcome(i);
        lost += out.downs;
    }
    /* Only a handshake that cannot be sent costs the connection. */
    ck_assert_int_le(lost, 5);
}
END_TEST

START_TEST(memory_may_run_out_for_good_at_any_allocation)
{
    long n = count(_i);

    for (long i = 0; i < n; i++) {
        (void)run(i, FAIL_FROM_THEN_ON);
        check_outcome(i);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "session");

    tcase_add_loop_test(tc, every_allocation_of_a_session_may_fail_once, 0, 2);
    tcase_add_loop_test(tc, memory_may_run_out_for_good_at_any_allocation, 0, 2);
}

int
main(void)
{
    return torture_main("torture-client", add);
}
