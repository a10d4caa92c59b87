/* SPDX-License-Identifier: MIT
 *
 * test_client_cache.c - cached answers of a modern server: how long the answers are kept,
 * which callers may use them, and which events drop them (MCP 2026-07-28, Caching).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define MINUTE 60000
#define DAY    (INT64_C(24) * 3600 * 1000)

#define PUBLIC  "\"cacheScope\":\"public\""
#define PRIVATE "\"cacheScope\":\"private\""
#define FRESH   "\"ttlMs\":60000," PUBLIC
#define OWN     "\"ttlMs\":60000," PRIVATE

static struct cr_call a;

static void
up(void)
{
    cr_up();
    cr.web = true;
    cr.spec.lists = 1u << MCPH_LIST_TOOLS;
    cr.cache = mcph_client_cache_new(cr.core, 1 << 20);
    ck_assert_ptr_nonnull(cr.cache);
    cr_call_init(&a, 1, "alpha", NULL);
}

static void
expect_method(const char *method)
{
    char part[64];

    snprintf(part, sizeof(part), "\"method\":\"%s\"", method);
    ck_assert_msg(strstr(cr_next(), part), "not %s", method);
}

/* Returns the id of the line that was read last, a JSON token. */
static const char *
id(void)
{
    static char text[32];
    const char *p = strstr(cr.lines[cr.at - 1], "\"id\":") + 5;

    snprintf(text, sizeof(text), "%.*s", (int)strcspn(p, ","), p);
    return text;
}

static void
discover(const char *hints)
{
    expect_method("server/discover");
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\","
              "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}},"
              "\"instructions\":\"be good\",%s}}",
              id(), hints);
}

/* Answers tools/list with the tool `name`.  `more` holds further members, each with a
 * comma in front. */
static void
list(const char *name, const char *hints, const char *more)
{
    expect_method("tools/list");
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\","
              "\"tools\":[{\"name\":\"%s\"}],%s%s}}",
              id(), name, hints, more);
}

/* Starts a first client and answers its server/discover and tools/list. */
static void
meet(const char *discover_hints, const char *list_hints)
{
    cr_start();
    discover(discover_hints);
    list("one", list_hints, "");
    ck_assert_str_eq(cr.story, "ready listed ");
    cr_expect_nothing();
}

static void
expect_tools(const char *name)
{
    char text[64];

    snprintf(text, sizeof(text), "[{\"name\":\"%s\"}]", name);
    ck_assert_ptr_nonnull(cr.list);
    ck_assert(mcph_span_is(cr.list->pages[0].items, text));
}

/* Starts another client and checks that the client finds all answers in the cache. */
static void
expect_known(void)
{
    cr_another();
    cr_expect_nothing();
    ck_assert_str_eq(cr.story, "ready listed ");
    expect_tools("one");
}

/* Starts another client and expects that the client sends server/discover. */
static void
expect_asked(void)
{
    cr_another();
    expect_method("server/discover");
    cr.at--;
}

/* ---- how long answers are kept ----------------------------------------------------- */

START_TEST(a_second_client_uses_the_cached_answers)
{
    const struct mcph_client_info *info;

    meet(FRESH, FRESH);
    expect_known();
    info = mcph_client_get_info(cr.client);
    ck_assert_int_eq(info->era, MCPH_CLIENT_MODERN);
    ck_assert_str_eq(info->version, "2026-07-28");
    ck_assert(mcph_span_is(info->instructions, "\"be good\""));
    cr_call_go(&a);
    expect_method("tools/call");
    ck_assert_ptr_nonnull(strstr(cr_headers(), "MCP-Protocol-Version=2026-07-28"));
}
END_TEST

START_TEST(an_answer_is_used_until_its_ttl_is_over)
{
    meet(FRESH, FRESH);
    cr_advance(MINUTE - 1);
    expect_known();
    cr_advance(1);
    expect_asked();
}
END_TEST

START_TEST(each_answer_expires_after_its_own_ttl)
{
    meet("\"ttlMs\":120000," PUBLIC, FRESH);
    cr_advance(MINUTE);
    cr_another();
    ck_assert_str_eq(cr.story, "ready ");
    list("two", FRESH, "");
    expect_tools("two");
}
END_TEST

static const char *const no_hints[] = {
    "\"ttlMs\":0," PUBLIC,       PUBLIC,
    "\"ttlMs\":-1," PUBLIC,      "\"ttlMs\":-9223372036854775808," PUBLIC,
    "\"ttlMs\":-1e30," PUBLIC,   "\"ttlMs\":\"60000\"," PUBLIC,
    "\"ttlMs\":60000.5," PUBLIC, "\"ttlMs\":6e4," PUBLIC,
    "\"ttlMs\":1e400," PUBLIC,   "\"ttlMs\":null," PUBLIC,
    "\"ttlMs\":true," PUBLIC,    "\"ttlMs\":[60000]," PUBLIC,
    "\"ttlMs\":{}," PUBLIC,
};

START_TEST(an_answer_without_a_valid_ttl_is_not_kept)
{
    meet(no_hints[_i], FRESH);
    expect_asked();
    discover(FRESH);
    cr_expect_nothing(); /* the list was cached */
}
END_TEST

static const char *const huge[] = {
    "86400000",
    "86400001",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551616",
    "1e300",
};

START_TEST(a_ttl_over_a_day_counts_as_a_day)
{
    char hints[96];

    snprintf(hints, sizeof(hints), "\"ttlMs\":%s," PUBLIC, huge[_i]);
    meet(hints, hints);
    cr_advance(DAY - 1);
    expect_known();
    cr_advance(1);
    expect_asked();
}
END_TEST

/* The client caches only an answer with the resultType "complete". */
START_TEST(an_answer_without_a_result_type_is_not_kept)
{
    cr_start();
    expect_method("server/discover");
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{"
              "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}," FRESH "}}");
    expect_asked();
}
END_TEST

/* ---- callers that may use an answer ------------------------------------------------ */

START_TEST(a_private_answer_is_used_only_for_the_same_credentials)
{
    meet(OWN, OWN);
    expect_known();
    cr.who = 1;
    cr_another();
    discover(OWN);
    list("theirs", OWN, "");
    cr.who = 0;
    expect_known(); /* the answers for identity 0 are still cached */
    cr.who = 1;
    cr_another();
    cr_expect_nothing();
    expect_tools("theirs");
}
END_TEST

/* The caller identity changes, or becomes unknown, between the request and the answer for
 * server/discover, or between the answers with the two pages of a list. */
START_TEST(a_private_answer_is_not_kept_if_the_credentials_change_meanwhile)
{
    static const unsigned char later[] = {1, CR_NOBODY};

    cr_start();
    cr.who = later[_i];
    discover(OWN);
    list("one", OWN, ",\"nextCursor\":\"2\"");
    cr.who = 0;
    list("more", OWN, "");
    expect_asked();
    discover(OWN);
    list("one", FRESH, ",\"nextCursor\":\"2\"");
    cr.who = later[_i];
    list("more", FRESH, "");
    expect_asked();
    cr.who = 0;
    cr_another();
    cr_expect_nothing(); /* the public list was kept */
}
END_TEST

static const char *const private_scopes[] = {
    "\"ttlMs\":60000",
    "\"ttlMs\":60000,\"cacheScope\":\"Public\"",
    "\"ttlMs\":60000,\"cacheScope\":null",
    "\"ttlMs\":60000,\"cacheScope\":[\"public\"]",
    OWN,
};

START_TEST(an_answer_without_scope_public_counts_as_private)
{
    meet(private_scopes[_i], FRESH);
    cr.who = 1;
    expect_asked();
    discover(FRESH);
    cr_expect_nothing(); /* the list is public */
}
END_TEST

START_TEST(another_configuration_does_not_use_the_cached_answers)
{
    meet(FRESH, FRESH);
    cr.place = 1;
    expect_asked();
}
END_TEST

START_TEST(a_list_is_private_if_one_page_is_and_expires_with_its_oldest_page)
{
    cr.spec.list_ms = -1;
    cr_start();
    discover("\"ttlMs\":600000," PUBLIC);
    list("one", _i == 0 ? OWN : FRESH, ",\"nextCursor\":\"2\"");
    cr_advance(MINUTE / 2);
    list("more", FRESH, "");
    ck_assert_uint_eq(cr.list->n_pages, 2);
    cr.who = 1;
    cr_another();
    if (_i == 0) {
        expect_method("tools/list");
        return;
    }
    cr_expect_nothing();
    ck_assert_uint_eq(cr.list->n_pages, 2);
    cr_advance(MINUTE / 2);
    cr_another();
    expect_method("tools/list");
}
END_TEST

START_TEST(a_list_that_was_cut_is_not_kept)
{
    cr.spec.max_pages = 1;
    cr_start();
    discover(FRESH);
    list("one", FRESH, ",\"nextCursor\":\"2\"");
    ck_assert_ptr_nonnull(cr.list->cut);
    cr_another();
    expect_method("tools/list");
}
END_TEST

/* The client ignores ttlMs and cacheScope in a legacy answer. */
START_TEST(a_legacy_answer_is_not_kept)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    expect_method("initialize");
    cr_answer(cr_stream(), CR_INIT_RESULT("1", "2025-11-25"));
    expect_method("notifications/initialized");
    list("one", FRESH, "");
    cr_another();
    expect_method("initialize");
    cr_answer(cr_stream(), CR_INIT_RESULT("1", "2025-11-25"));
    expect_method("notifications/initialized");
    expect_method("tools/list");
}
END_TEST

/* ---- events that drop answers ------------------------------------------------------ */

#define NOTICE                                                                         \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":" \
    "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:1\"}}}"
#define ACK                                                                         \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"," \
    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:%d" \
    "\"},\"notifications\":{\"toolsListChanged\":true}}}"

static uint64_t
subscribe(int n)
{
    uint64_t stream;

    expect_method("subscriptions/listen");
    stream = cr_stream();
    cr_say_on(stream, ACK, n);
    return stream;
}

/* Starts a first client, with a subscription to list changes.  Returns the stream of the
 * subscription. */
static uint64_t
meet_telling(void)
{
    uint64_t stream;

    cr_start();
    expect_method("server/discover");
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"resultType\":"
              "\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"
              "\"tools\":{\"listChanged\":true}}," FRESH "}}");
    stream = subscribe(1);
    list("one", FRESH, "");
    return stream;
}

START_TEST(a_notice_drops_the_cached_list)
{
    uint64_t stream = meet_telling();

    cr_say_on(stream, NOTICE);
    cr_another(); /* the old client ends before it reads the list again */
    subscribe(1);
    list("two", FRESH, "");
    expect_tools("two");
    cr_another();
    subscribe(1);
    cr_expect_nothing();
    expect_tools("two");
}
END_TEST

START_TEST(after_a_notice_the_list_is_fetched_and_kept)
{
    uint64_t stream = meet_telling();

    cr_say_on(stream, NOTICE);
    cr_advance(100);
    ck_assert_int_eq(cr.changed, 1);
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    list("two", FRESH, "");
    expect_tools("two");
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    cr_expect_nothing();
    expect_tools("two");
}
END_TEST

/* The server may have made its answer before it changed the list. */
START_TEST(an_answer_that_a_notice_overtook_is_not_kept)
{
    uint64_t stream = meet_telling();

    cr_advance(MINUTE);
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    cr_say_on(stream, NOTICE);
    list("old", FRESH, "");
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    list("new", FRESH, "");
    expect_tools("new");
}
END_TEST

START_TEST(an_answer_that_another_clients_notice_overtook_is_not_kept)
{
    static const unsigned char place[MCPH_DIGEST_LEN] = {0};

    cr_start();
    discover(FRESH);
    mcph_client_cache_forget(cr.cache, place); /* acts as a notice to another client */
    list("old", FRESH, "");
    cr_another();
    discover(FRESH);
    list("new", FRESH, "");
    expect_tools("new");
}
END_TEST

/* The client takes the list from the cache and reports it in the next turn.  The client
 * must not lose a notice that arrives before that turn. */
START_TEST(a_notice_before_a_cached_list_is_reported_is_not_lost)
{
    uint64_t stream = meet_telling();

    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_say_on(stream, NOTICE); /* the list is not reported yet */
    cr_advance(100);
    ck_assert_int_eq(cr.changed, 1);
}
END_TEST

START_TEST(after_a_lost_subscription_the_list_is_requested_again)
{
    uint64_t stream = meet_telling();

    cr_break(stream, MCPHOST_E_TRANSPORT, "reset");
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    list("two", FRESH, "");
    cr_advance(1000);
    subscribe(2);
    cr_advance(100);
    ck_assert_int_eq(cr.changed, 1); /* the new subscription drops list "two" from the
                                      * cache */
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    list("three", FRESH, "");
    expect_tools("three");
}
END_TEST

START_TEST(a_header_mismatch_replaces_the_cached_list)
{
    char refusal[128];

    meet(FRESH, FRESH);
    cr_call_go(&a);
    expect_method("tools/call");
    snprintf(refusal, sizeof(refusal),
             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32020,\"message\":"
             "\"no\"}}",
             id());
    cr_status(cr_stream(), 400, NULL, refusal);
    list("two", FRESH, "");
    expect_method("tools/call");
    cr_another();
    cr_expect_nothing();
    expect_tools("two");
}
END_TEST

START_TEST(after_cache_forget_the_server_is_asked_again)
{
    static const unsigned char place[MCPH_DIGEST_LEN] = {0}, other[MCPH_DIGEST_LEN] = {1};

    meet(FRESH, FRESH);
    mcph_client_cache_forget(cr.cache, other);
    expect_known();
    mcph_client_cache_forget(cr.cache, place);
    expect_asked();
    mcph_client_cache_forget(NULL, place);
}
END_TEST

/* The cache remembers drops at up to 256 places.  After drops at more than 256 places,
 * the cache rejects every answer that was requested before the drops, at any place. */
START_TEST(after_drops_at_400_places_no_older_answer_is_kept)
{
    unsigned char place[MCPH_DIGEST_LEN] = {7};

    cr_start();
    discover(FRESH);
    for (int i = 0; i < 400; i++) {
        place[1] = (unsigned char)i;
        place[2] = (unsigned char)(i >> 8);
        mcph_client_cache_forget(cr.cache, place);
    }
    if (_i == 1) {
        memset(place, 0, sizeof(place));
        mcph_client_cache_forget(cr.cache, place);
    }
    list("one", FRESH, ""); /* the request was sent before the drops */
    cr_another();
    if (_i == 1)
        expect_method("server/discover");
    else
        expect_method("tools/list");
}
END_TEST

START_TEST(the_cache_drops_answers_over_its_size_limit)
{
    /* The cache holds no answer, one answer or two answers. */
    static const size_t sizes[] = {100, 300, 600};

    mcph_client_cache_free(cr.cache);
    cr.cache = mcph_client_cache_new(cr.core, sizes[_i]);
    meet(FRESH, FRESH);
    cr_another();
    if (_i < 2) {
        discover(FRESH); /* a cache for one answer keeps the newest answer */
        list("one", FRESH, "");
    }
    cr_expect_nothing();
}
END_TEST

/* ---- a server that is no longer modern --------------------------------------------- */

START_TEST(after_a_404_the_cached_answers_are_dropped_and_the_era_is_probed)
{
    meet(FRESH, FRESH);
    expect_known();
    cr_call_go(&a);
    expect_method("tools/call");
    cr_status(cr_stream(), 404, NULL, NULL);
    expect_method("server/discover");
    cr_status(cr_stream(), 404, NULL, NULL);
    expect_method("initialize");
    cr_answer(cr_stream(), CR_INIT_RESULT("2", "2025-11-25"));
    expect_method("notifications/initialized");
    expect_method("tools/list");
    expect_method("tools/call");
    cr_another(); /* the old answers were dropped */
    expect_method("server/discover");
}
END_TEST

static void
expect_greeting(void)
{
    expect_method("server/discover");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":"
           "\"no\"}}",
           id());
    expect_method("initialize");
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-06-18\","
        "\"capabilities\":{\"tools\":{}}}}",
        id());
    expect_method("notifications/initialized");
}

static void
meet_on_a_pipe(void)
{
    cr.web = false;
    cr.spec.lists = 0;
    cr_start();
    expect_method("server/discover");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"resultType\":"
           "\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"
           "\"tools\":{}}," FRESH "}}");
    cr_another();
    cr_expect_nothing();
    ck_assert_int_eq(cr.ready, 1);
}

/* The client negotiates again, because on stdio a legacy server refuses every request
 * before initialize. */
START_TEST(a_refused_first_call_on_stdio_repeats_the_negotiation)
{
    static const int codes[] = {-32600, -32601, -32602};

    meet_on_a_pipe();
    cr_call_go(&a);
    expect_method("tools/call");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"no\"}}",
           id(), codes[_i]);
    ck_assert_int_eq(a.done, 0);
    expect_greeting();
    expect_method("tools/call");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}", id());
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(a.done, 1);
}
END_TEST

START_TEST(a_refused_first_list_on_stdio_repeats_the_negotiation)
{
    meet_on_a_pipe();
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_TOOLS), 0);
    cr_turn();
    expect_method("tools/list");
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32602,\"message\":\"no\"}}",
        id());
    expect_greeting();
    expect_method("tools/list");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[]}}", id());
    ck_assert_int_eq(cr.listed, 1);
    ck_assert_ptr_nonnull(cr.list);
}
END_TEST

/* An error after the first success is the final result of the call. */
START_TEST(after_one_success_errors_are_not_retried)
{
    meet_on_a_pipe();
    cr_call_go(&a);
    expect_method("tools/call");
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\","
           "\"content\":[]}}",
           id());
    cr_call_done(&a);
    cr_call_init(&a, 1, "alpha", NULL);
    cr_call_go(&a);
    expect_method("tools/call");
    cr_say(
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32602,\"message\":\"no\"}}",
        id());
    ck_assert_int_eq(a.code, MCPHOST_E_RPC);
    cr_expect_nothing();
}
END_TEST

START_TEST(an_end_at_the_first_request_drops_the_cached_answers)
{
    meet_on_a_pipe();
    cr_call_go(&a);
    expect_method("tools/call");
    cr_die("exited with status 1", NULL);
    ck_assert_int_eq(a.code, MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(cr.downs, 1);
    expect_asked();
}
END_TEST

/* ---- pages ------------------------------------------------------------------------- */

/* MCP, Pagination: the error -32602 means that a cursor is not valid any more. */
START_TEST(a_refused_cursor_restarts_the_list_once)
{
    cr_start();
    discover(FRESH);
    list("one", FRESH, ",\"nextCursor\":\"2\"");
    expect_method("tools/list");
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32602,"
              "\"message\":\"bad cursor\"}}",
              id());
    list("anew", FRESH, ",\"nextCursor\":\"3\"");
    ck_assert_ptr_null(strstr(cr.lines[cr.at - 1], "cursor"));
    expect_method("tools/list");
    if (_i == 0) {
        cr.at--;
        list("more", FRESH, "");
        ck_assert_uint_eq(cr.list->n_pages, 2);
        expect_tools("anew");
        return;
    }
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32602,"
              "\"message\":\"bad cursor\"}}",
              id());
    cr_expect_nothing();
    ck_assert_ptr_null(cr.list);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(cr.list_error), "bad cursor"));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "answers that are kept");

    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_test(tc, a_second_client_uses_the_cached_answers);
    tcase_add_test(tc, an_answer_is_used_until_its_ttl_is_over);
    tcase_add_test(tc, each_answer_expires_after_its_own_ttl);
    tcase_add_loop_test(tc, an_answer_without_a_valid_ttl_is_not_kept, 0,
                        MCPH_ARRAY_SIZE(no_hints));
    tcase_add_loop_test(tc, a_ttl_over_a_day_counts_as_a_day, 0, MCPH_ARRAY_SIZE(huge));
    tcase_add_test(tc, an_answer_without_a_result_type_is_not_kept);
    tcase_add_test(tc, a_private_answer_is_used_only_for_the_same_credentials);
    tcase_add_loop_test(
        tc, a_private_answer_is_not_kept_if_the_credentials_change_meanwhile, 0, 2);
    tcase_add_loop_test(tc, an_answer_without_scope_public_counts_as_private, 0,
                        MCPH_ARRAY_SIZE(private_scopes));
    tcase_add_test(tc, another_configuration_does_not_use_the_cached_answers);
    tcase_add_loop_test(
        tc, a_list_is_private_if_one_page_is_and_expires_with_its_oldest_page, 0, 2);
    tcase_add_test(tc, a_list_that_was_cut_is_not_kept);
    tcase_add_test(tc, a_legacy_answer_is_not_kept);
    tcase_add_test(tc, a_notice_drops_the_cached_list);
    tcase_add_test(tc, after_a_notice_the_list_is_fetched_and_kept);
    tcase_add_test(tc, an_answer_that_a_notice_overtook_is_not_kept);
    tcase_add_test(tc, an_answer_that_another_clients_notice_overtook_is_not_kept);
    tcase_add_test(tc, a_notice_before_a_cached_list_is_reported_is_not_lost);
    tcase_add_test(tc, after_a_lost_subscription_the_list_is_requested_again);
    tcase_add_test(tc, a_header_mismatch_replaces_the_cached_list);
    tcase_add_test(tc, after_cache_forget_the_server_is_asked_again);
    tcase_add_loop_test(tc, after_drops_at_400_places_no_older_answer_is_kept, 0, 2);
    tcase_add_loop_test(tc, the_cache_drops_answers_over_its_size_limit, 0, 3);
    tcase_add_test(tc, after_a_404_the_cached_answers_are_dropped_and_the_era_is_probed);
    tcase_add_loop_test(tc, a_refused_first_call_on_stdio_repeats_the_negotiation, 0, 3);
    tcase_add_test(tc, a_refused_first_list_on_stdio_repeats_the_negotiation);
    tcase_add_test(tc, after_one_success_errors_are_not_retried);
    tcase_add_test(tc, an_end_at_the_first_request_drops_the_cached_answers);
    tcase_add_loop_test(tc, a_refused_cursor_restarts_the_list_once, 0, 2);
}

int
main(void)
{
    return test_main("client-cache", add);
}
