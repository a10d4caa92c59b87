/* SPDX-License-Identifier: MIT
 *
 * test_torture_client.c - a whole session of a client in which allocations fail.
 *
 * Each allocation fails once, or together with all later allocations.  The session may
 * end with refusals and errors.  The client does not crash or leak.  Each call gets an
 * answer.  The client becomes ready or goes down.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "torture/owner.h"

#define TURNS 300

static struct mcph_transport *transport;
static bool modern;
static long asking; /* the id of the call during which the server asks a question */

/* ---- the server: its own allocations never fail ------------------------------------ */

static void
send_line(const char *text)
{
    failing_pause();
    (void)mcph_memory_peer_write(transport, text, strlen(text));
    failing_resume();
}

#define OFFERS                                                                       \
    "{\"tools\":{\"listChanged\":true},\"logging\":{},\"resources\":{\"subscribe\":" \
    "true},\"prompts\":{}}"
#define UPDATE                                                                        \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":" \
    "{\"uri\":\"b:\\u0032\""
#define UNDER "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:%ld\"}"

/* Returns the name of the array in the answer to a list request.  Returns NULL if the
 * line is not a list request. */
static const char *
items_of(const char *line)
{
    static const char *const lists[][2] = {{"tools/list\"", "tools"},
                                           {"resources/list\"", "resources"},
                                           {"templates/list\"", "resourceTemplates"},
                                           {"prompts/list\"", "prompts"}};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(lists); i++) {
        if (strstr(line, lists[i][0]))
            return lists[i][1];
    }
    return NULL;
}

static void
acknowledge(const char *line)
{
    long n = strtol(strstr(line, "listen:") + 7, NULL, 10);
    char text[768];

    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
             "acknowledged\",\"params\":{" UNDER ",\"notifications\":{"
             "\"resourceSubscriptions\":[\"a:1\",\"b:\\u0032\"]}}}\n" UPDATE "," UNDER
             "}}\n",
             n, n);
    send_line(text);
}

static void
answer_probe(const char *line)
{
    char text[512], n = strstr(line, "probe-")[6];

    if (modern)
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%c\",\"result\":{"
                 "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":" OFFERS "}}\n",
                 n);
    else
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"probe-%c\",\"error\":{\"code\":-32601,"
                 "\"message\":\"no\"}}\n",
                 n);
    send_line(text);
}

static void
on_line(struct mcph_transport *t, struct mcph_span span, void *arg)
{
    char line[2048], text[768];
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
    if (strstr(line, "\"subscriptions/listen\"")) {
        acknowledge(line);
        return;
    }
    if (strstr(line, "\"initialize\""))
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"protocolVersion\":"
                 "\"2025-06-18\",\"capabilities\":" OFFERS "}}\n",
                 n);
    else if (items_of(line))
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"%s\":[1]%s}}\n", n,
                 items_of(line), strstr(line, "cursor") ? "" : ",\"nextCursor\":\"c\"");
    else if (strstr(line, "resources/subscribe"))
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{}}\n" UPDATE "}}\n", n);
    else if (strstr(line, "\"ask\"") && modern && !strstr(line, "inputResponses"))
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":"
                 "\"input_required\",\"requestState\":\"s\",\"inputRequests\":{\"k\":"
                 "{\"method\":\"elicitation/create\",\"params\":" OWNER_FORM "}}}}\n",
                 n);
    else if (strstr(line, "\"ask\"") && !modern) {
        asking = n;
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\","
                 "\"params\":" OWNER_FORM "}\n");
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
    else if (id)
        snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{}}\n",
                 n);
    else
        return;
    send_line(text);
}

static const struct mcph_memory_peer peer = {.received = on_line};

/* ---- the owner --------------------------------------------------------------------- */

static void
turn(void)
{
    for (int i = 0; i < TURNS && mcph_core_dispatch(owner.core) > 0; i++)
        ;
}

static void
talk(struct mcph_client *c)
{
    struct mcph_operation early, good, bad, gone, asks;

    owner_call(c, &early, "good");
    turn();
    owner_call(c, &good, "good");
    owner_call(c, &bad, "bad");
    turn();
    owner_call(c, &gone, "good");
    owner_cancel(&gone);
    (void)mcph_client_list(c, MCPH_LIST_TOOLS);
    (void)mcph_client_list(c, MCPH_LIST_TEMPLATES);
    owner_subscribe(c, "a:1");
    turn();
    owner_subscribe(c, "b:2");
    (void)mcph_client_set_log_level(c, "debug");
    turn();
    mcph_client_unsubscribe(c, mcph_span_str("a:1"));
    turn();
    owner_call(c, &asks, "ask");
    turn();
    /* Let all waiting requests time out: first a question, then the question's call. */
    owner.now += 100000;
    turn();
    owner.now += 100000;
    turn();
}

static void
session(void)
{
    struct mcph_client *c;

    transport = mcph_memory_new(owner.core, NULL, NULL, &peer, NULL);
    c = owner_start(transport);
    if (!owner.refused)
        talk(c);
    mcph_client_free(c);
    transport = mcph_transport_free(transport, 0);
    mcph_core_drain(owner.core);
}

static long
count(bool is_modern)
{
    long n;

    modern = is_modern;
    owner_kinds = (1u << MCPH_LIST_KINDS) - 1;
    /* Ignore the count of the first run, because the count includes allocations that the
     * C library keeps. */
    (void)owner_run(session, -1, FAIL_ONCE);
    n = owner_run(session, -1, FAIL_ONCE);
    ck_assert_int_gt(n, 20);
    ck_assert_int_eq(owner.ready, 1);
    ck_assert_int_eq(owner.downs, 0);
    ck_assert_int_eq(owner.complete_lists, 6);
    ck_assert_int_eq(owner.told, 2);
    ck_assert_int_gt(owner.updated, 0);
    ck_assert_int_eq(owner.answered, 4);
    ck_assert_int_eq(owner.good, 3);
    ck_assert_int_eq(owner.asked, 1);
    ck_assert_int_eq(owner.over, 0);
    return n;
}

START_TEST(if_one_allocation_fails_each_call_of_a_client_ends_and_nothing_leaks)
{
    long n = count(_i);
    int lost = 0;

    for (long i = 0; i < n; i++) {
        (void)owner_run(session, i, FAIL_ONCE);
        owner_check(i);
        ck_assert_msg(owner.told == owner.wanted || owner.downs || owner.refused,
                      "allocation %ld: %d subscriptions, %d told", i, owner.wanted,
                      owner.told);
        lost += owner.downs;
    }
    /* At most five runs lose the client.  The client goes down only if the client cannot
     * send its handshake. */
    ck_assert_int_le(lost, 5);
}
END_TEST

START_TEST(if_all_later_allocations_fail_each_call_of_a_client_ends_and_nothing_leaks)
{
    long n = count(_i);

    for (long i = 0; i < n; i++) {
        (void)owner_run(session, i, FAIL_FROM_THEN_ON);
        owner_check(i);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "session");

    tcase_add_loop_test(
        tc, if_one_allocation_fails_each_call_of_a_client_ends_and_nothing_leaks, 0, 2);
    tcase_add_loop_test(
        tc, if_all_later_allocations_fail_each_call_of_a_client_ends_and_nothing_leaks, 0,
        2);
}

int
main(void)
{
    return torture_main("torture-client", add);
}
