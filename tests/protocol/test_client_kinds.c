/* SPDX-License-Identifier: MIT
 *
 * test_client_kinds.c - lists of tools, resources, resource templates, prompts and skills
 * side by side: their requests, the failure of one list, and the change notices for each
 * list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define ALL  ((1u << MCPH_LIST_KINDS) - 1)
#define ERAS 2 /* the number of eras: 0 is legacy, 1 is modern */

#define OFFERS                                                                \
    "{\"tools\":{\"listChanged\":true},\"resources\":{\"listChanged\":true}," \
    "\"prompts\":{\"listChanged\":true},\"extensions\":{\"io.modelcontext"    \
    "protocol/skills\":{}}}"

static const struct {
    const char *method, *items, *what, *story;
} kinds[MCPH_LIST_KINDS] = {
    {"tools/list", "tools", "tools", "listed "},
    {"resources/list", "resources", "resources", "resources:listed "},
    {"resources/templates/list", "resourceTemplates", "resource templates",
     "templates:listed "},
    {"prompts/list", "prompts", "prompts", "prompts:listed "},
    {"skills/list", "skills", "skills", "skills:listed "},
};

static bool modern;
static long ids[MCPH_LIST_KINDS]; /* id of the last request for each kind */

static void
meet(int era, const char *capabilities)
{
    modern = era;
    cr_meet(modern, capabilities);
}

/* Expects a request for a page of this kind of list.  `cursor` names the page.  NULL
 * means the first page. */
static void
expect_asked(int kind, const char *cursor)
{
    const char *line = cr_next();
    char text[600];

    ids[kind] = strtol(strstr(line, "\"id\":") + 5, NULL, 10);
    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"%s\",\"params\":{%s%s%s%s%s}}",
             ids[kind], kinds[kind].method, cursor ? "\"cursor\":\"" : "",
             cursor ? cursor : "", cursor ? "\"" : "", cursor && modern ? "," : "",
             modern ? CR_META "}" : "");
    ck_assert_str_eq(line, text);
}

static void
ask(int kind)
{
    ck_assert_int_eq(mcph_client_list(cr.client, kind), 0);
    cr_turn();
    expect_asked(kind, NULL);
}

/* Answers the last request for this kind with `items`.  `rest` holds further members,
 * each with a comma in front. */
static void
answer(int kind, const char *items, const char *rest)
{
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":\"complete\","
           "\"%s\":%s%s}}",
           ids[kind], kinds[kind].items, items, rest);
}

static void
expect_list(int kind, size_t n_pages, const char *first)
{
    ck_assert_ptr_nonnull(cr.lists[kind]);
    ck_assert_int_eq(cr.lists[kind]->kind, kind);
    ck_assert_uint_eq(cr.lists[kind]->n_pages, n_pages);
    ck_assert(mcph_span_is(cr.lists[kind]->pages[0].items, first));
}

/* ---- requests for lists ------------------------------------------------------------ */

START_TEST(each_kind_is_listed_by_its_method_page_by_page)
{
    int kind = _i % MCPH_LIST_KINDS;

    cr.spec.lists = cr.spec.listen = 0;
    meet(_i / MCPH_LIST_KINDS, OFFERS);
    ask(kind);
    answer(kind, "[{\"a\":1}]", ",\"nextCursor\":\"c\"");
    expect_asked(kind, "c");
    ck_assert_int_eq(cr.listed, 0);
    answer(kind, "[]", "");
    ck_assert_int_eq(cr.listed, 1);
    expect_list(kind, 2, "[{\"a\":1}]");
    ck_assert_ptr_null(cr.lists[kind]->cut);
    cr_expect_nothing();
}
END_TEST

/* The answer has the array of another kind of list. */
START_TEST(a_page_without_the_array_of_its_kind_fails_the_list)
{
    int kind = _i % MCPH_LIST_KINDS, other = (kind + 1) % MCPH_LIST_KINDS;
    char text[80];

    cr.spec.lists = cr.spec.listen = 0;
    meet(_i / MCPH_LIST_KINDS, OFFERS);
    ask(kind);
    ids[other] = ids[kind];
    answer(other, "[]", "");
    ck_assert_int_eq(mcphost_error_get_code(cr.list_errors[kind]), MCPHOST_E_PROTOCOL);
    snprintf(text, sizeof(text), "answered %s without an array '%s'", kinds[kind].method,
             kinds[kind].items);
    test_has(mcphost_error_get_message(cr.list_errors[kind]), text);
}
END_TEST

START_TEST(only_tools_are_listed_by_default)
{
    cr.spec.lists = 1u << MCPH_LIST_TOOLS; /* the default of mcph_client_spec_init() */
    meet(_i, OFFERS);
    if (_i)
        test_has(cr_next(), "{\"toolsListChanged\":true}");
    expect_asked(MCPH_LIST_TOOLS, NULL);
    cr_expect_nothing();
}
END_TEST

START_TEST(the_kinds_that_the_owner_wants_are_listed_at_once)
{
    cr.spec.lists = ALL;
    cr.spec.listen = 0;
    meet(_i, OFFERS);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        expect_asked(kind, NULL);
    cr_expect_nothing();
    for (int kind = MCPH_LIST_KINDS - 1; kind >= 0; kind--)
        answer(kind, "[1]", "");
    ck_assert_str_eq(cr.story, "ready skills:listed prompts:listed templates:listed "
                               "resources:listed listed ");
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        expect_list(kind, 1, "[1]");
}
END_TEST

START_TEST(a_second_list_of_a_kind_in_progress_sends_nothing)
{
    cr.spec.lists = cr.spec.listen = 0;
    meet(_i, OFFERS);
    ask(MCPH_LIST_PROMPTS);
    ck_assert_int_eq(mcph_client_list(cr.client, MCPH_LIST_PROMPTS), 0);
    cr_turn();
    cr_expect_nothing();
    ask(MCPH_LIST_RESOURCES);
    answer(MCPH_LIST_PROMPTS, "[]", "");
    ck_assert_str_eq(cr.story, "ready prompts:listed ");
}
END_TEST

static const struct {
    const char *capabilities;
    unsigned asked;
} offered[] = {
    {"{}", 0},
    {"{\"tools\":{}}", 1u << MCPH_LIST_TOOLS},
    {"{\"resources\":{}}", 1u << MCPH_LIST_RESOURCES | 1u << MCPH_LIST_TEMPLATES},
    {"{\"prompts\":{},\"tools\":null,\"resources\":true}", 1u << MCPH_LIST_PROMPTS},
};

START_TEST(a_kind_that_is_not_offered_is_empty_and_not_requested)
{
    size_t i = (size_t)_i % MCPH_ARRAY_SIZE(offered);

    cr.spec.lists = cr.spec.listen = ALL;
    meet(_i / (int)MCPH_ARRAY_SIZE(offered), offered[i].capabilities);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        if (offered[i].asked & 1u << kind) {
            expect_asked(kind, NULL);
            ck_assert_ptr_null(cr.lists[kind]);
            continue;
        }
        ck_assert_ptr_nonnull(cr.lists[kind]);
        ck_assert_uint_eq(cr.lists[kind]->n_pages, 0);
        ck_assert_int_eq(mcphost_error_get_code(cr.lists[kind]->cut), MCPHOST_E_NOTFOUND);
    }
    cr_expect_nothing();
}
END_TEST

/* ---- failures ---------------------------------------------------------------------- */

#define FAILURES 5

static void
fail_list(int kind, int how)
{
    switch (how) {
    case 0:
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32603,\"message\":"
               "\"database is away\"}}",
               ids[kind]);
        break;
    case 1:
        cr_say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":7}", ids[kind]);
        break;
    case 2:
        answer(kind, "{}", "");
        break;
    case 3:
        answer(kind, "[]", ",\"nextCursor\":5");
        break;
    case 4:
        cr_advance(cr.spec.list_ms);
        test_has(cr_next(), "notifications/cancelled");
        break;
    }
}

/* The first or the second page fails. */
START_TEST(a_failed_list_does_not_affect_other_kinds)
{
    int kind = _i % MCPH_LIST_KINDS, how = _i / MCPH_LIST_KINDS % FAILURES,
        page = _i / MCPH_LIST_KINDS / FAILURES % 2;

    cr.spec.lists = ALL;
    cr.spec.listen = 0;
    meet(_i / MCPH_LIST_KINDS / FAILURES / 2, OFFERS);
    for (int i = 0; i < MCPH_LIST_KINDS; i++)
        expect_asked(i, NULL);
    if (page == 1) {
        answer(kind, "[1]", ",\"nextCursor\":\"c\"");
        expect_asked(kind, "c");
    }
    for (int i = 0; how == 4 && i < MCPH_LIST_KINDS; i++) {
        if (i != kind)
            answer(i, "[1]", ""); /* the answers come before the deadline */
    }
    fail_list(kind, how);
    for (int i = 0; how != 4 && i < MCPH_LIST_KINDS; i++) {
        if (i != kind)
            answer(i, "[1]", "");
    }
    ck_assert_int_eq(cr.listed, MCPH_LIST_KINDS);
    for (int i = 0; i < MCPH_LIST_KINDS; i++) {
        if (i != kind)
            expect_list(i, 1, "[1]");
    }
    ck_assert_ptr_null(cr.lists[kind]);
    ck_assert_ptr_nonnull(cr.list_errors[kind]);
    ck_assert_str_eq(mcphost_error_get_server_id(cr.list_errors[kind]), "srv");
    test_has(mcphost_error_get_message(cr.list_errors[kind]),
             how == 4 ? kinds[kind].what : kinds[kind].method);
    ck_assert_int_eq(cr_state(), MCPH_CLIENT_READY);
}
END_TEST

START_TEST(a_list_over_max_pages_is_cut_and_the_error_names_its_kind)
{
    int kind = _i % MCPH_LIST_KINDS;
    char text[80];

    cr.spec.lists = cr.spec.listen = 0;
    cr.spec.max_pages = 2;
    meet(_i / MCPH_LIST_KINDS, OFFERS);
    ask(kind);
    answer(kind, "[1]", ",\"nextCursor\":\"a\"");
    answer(kind, "[2]", ",\"nextCursor\":\"b\"");
    ck_assert_int_eq(cr.listed, 0);
    expect_asked(kind, "a");
    answer(kind, "[2]", ",\"nextCursor\":\"b\"");
    cr_expect_nothing();
    expect_list(kind, 2, "[1]");
    snprintf(text, sizeof(text), "has more than 2 pages of %s", kinds[kind].what);
    test_has(mcphost_error_get_message(cr.lists[kind]->cut), text);
}
END_TEST

START_TEST(each_kind_has_a_deadline_of_its_own)
{
    cr.spec.lists = cr.spec.listen = 0;
    cr.spec.list_ms = 1000;
    meet(_i, OFFERS);
    ask(MCPH_LIST_PROMPTS);
    cr_advance(600);
    ask(MCPH_LIST_TEMPLATES);
    cr_advance(400);
    ck_assert_str_eq(cr.story, "ready prompts:listed ");
    test_has(mcphost_error_get_message(cr.list_errors[MCPH_LIST_PROMPTS]),
             "did not list its prompts within 1000 ms");
    answer(MCPH_LIST_TEMPLATES, "[]", "");
    ck_assert_ptr_nonnull(cr.lists[MCPH_LIST_TEMPLATES]);
}
END_TEST

START_TEST(no_list_is_reported_after_the_end_of_the_client)
{
    cr.spec.lists = ALL;
    cr.spec.listen = 0;
    meet(_i % 2, OFFERS);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        expect_asked(kind, NULL);
    answer(MCPH_LIST_RESOURCES, "[1]", ",\"nextCursor\":\"c\"");
    if (_i / 2) {
        cr.free_in_event = true;
        answer(MCPH_LIST_PROMPTS, "[]", "");
        ck_assert_ptr_null(cr.client);
        ck_assert_str_eq(cr.story, "ready prompts:listed ");
    } else {
        cr_die("exited with status 0", NULL);
        ck_assert_str_eq(cr.story, "ready down ");
    }
}
END_TEST

/* ---- notices ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned kinds;
} notices[] = {
    {"tools", 1u << MCPH_LIST_TOOLS},
    {"resources",
     1u << MCPH_LIST_RESOURCES | 1u << MCPH_LIST_TEMPLATES | 1u << MCPH_LIST_SKILLS},
    {"prompts", 1u << MCPH_LIST_PROMPTS},
};
#define NOTICES 3

static void
notice(int which, int times)
{
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/%s/list_changed\",\"params\":{"
        "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:1\"}}}";

    for (int i = 0; i < times; i++) {
        if (cr.web)
            cr_say_on(0, text, notices[which].name);
        else
            cr_say(text, notices[which].name);
    }
}

/* Fails unless one change of each kind in `which` was reported, and no change of another
 * kind. */
static void
expect_changed(unsigned which)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        ck_assert_int_eq(cr.n_changed[kind], (which & 1u << kind) != 0);
}

START_TEST(several_notices_are_reported_once_for_each_kind_concerned)
{
    int which = _i % NOTICES;

    cr.spec.lists = 0;
    cr.spec.listen = ALL;
    meet(_i / NOTICES, OFFERS);
    notice(which, 5);
    cr_advance(cr.spec.changed_ms - 1);
    ck_assert_int_eq(cr.changed, 0);
    cr_advance(1);
    expect_changed(notices[which].kinds);
    cr_advance(10000);
    expect_changed(notices[which].kinds);
}
END_TEST

START_TEST(a_list_in_progress_delays_only_the_change_of_its_kind)
{
    cr.spec.lists = cr.spec.listen = 0;
    meet(0, OFFERS);
    ask(MCPH_LIST_RESOURCES);
    notice(1, 1);
    notice(2, 1);
    cr_advance(100);
    expect_changed(1u << MCPH_LIST_TEMPLATES | 1u << MCPH_LIST_PROMPTS |
                   1u << MCPH_LIST_SKILLS);
    answer(MCPH_LIST_RESOURCES, "[]", "");
    cr_advance(100);
    expect_changed(ALL & ~(1u << MCPH_LIST_TOOLS));
}
END_TEST

/* ---- the subscription of modern servers -------------------------------------------- */

static const struct {
    const char *capabilities;
    unsigned wanted;
    const char *flags; /* NULL if there is no subscription */
} flags[] = {
    {OFFERS, ALL,
     "\"toolsListChanged\":true,\"resourcesListChanged\":true,\"promptsListChanged\":"
     "true"},
    {OFFERS, 1u << MCPH_LIST_PROMPTS, "\"promptsListChanged\":true"},
    {OFFERS, 1u << MCPH_LIST_RESOURCES, "\"resourcesListChanged\":true"},
    {OFFERS, 1u << MCPH_LIST_TEMPLATES, "\"resourcesListChanged\":true"},
    {OFFERS, 0, NULL},
    {"{\"tools\":{\"listChanged\":false},\"prompts\":{\"listChanged\":true}}", ALL,
     "\"promptsListChanged\":true"},
    {"{\"tools\":{\"listChanged\":1},\"prompts\":{},\"resources\":{\"subscribe\":true}}",
     ALL, NULL},
};

START_TEST(the_subscription_names_only_lists_that_are_offered_and_wanted)
{
    char text[700];

    cr.spec.lists = 0;
    cr.spec.listen = flags[_i].wanted;
    meet(1, flags[_i].capabilities);
    if (flags[_i].flags) {
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"listen:1\",\"method\":"
                 "\"subscriptions/listen\",\"params\":{\"notifications\":{%s}," CR_META
                 "}}}",
                 flags[_i].flags);
        cr_expect(text);
    }
    cr_expect_nothing();
}
END_TEST

/* ---- over HTTP --------------------------------------------------------------------- */

static char logged[2048];

static void
on_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    size_t len = strlen(logged);

    (void)level;
    (void)room;
    (void)server;
    (void)arg;
    snprintf(logged + len, sizeof(logged) - len, "%s; ", line);
}

static void
meet_on_the_web(int era)
{
    cr.web = true;
    meet(era, OFFERS);
}

#define ACK(n, rest)                                                                \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"," \
    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"listen:" n \
    "\"},\"notifications\":{" rest "}}}"

/* R20: the log names the kinds whose changes the server did not acknowledge. */
START_TEST(a_kind_whose_changes_are_not_acknowledged_is_logged)
{
    logged[0] = '\0';
    mcph_core_set_log(cr.core, MCPHOST_LOG_INFO, on_log, NULL, NULL);
    cr.spec.lists = 0;
    cr.spec.listen = ALL;
    meet(1, OFFERS);
    cr_say(ACK("1", "\"toolsListChanged\":true,\"promptsListChanged\":false"));
    ck_assert_str_eq(logged, "the server does not announce changes of its resources; the "
                             "server does not announce changes of its prompts; ");
}
END_TEST

START_TEST(after_a_lost_subscription_each_kind_is_reported_as_changed)
{
    cr.spec.lists = 0;
    cr.spec.listen = _i ? ALL : 1u << MCPH_LIST_PROMPTS;
    meet_on_the_web(1);
    cr_next();
    cr_say_on(cr_stream(), ACK("1", "\"promptsListChanged\":true"));
    cr_break(cr_stream(), MCPHOST_E_TRANSPORT, "reset");
    cr_advance(1000);
    cr_next();
    cr_say_on(cr_stream(), ACK("2", "\"promptsListChanged\":true"));
    cr_advance(100);
    expect_changed(cr.spec.listen);
}
END_TEST

/* When the server has lost the session, the client requests the unfinished lists
 * again. */
START_TEST(lists_of_a_lost_session_are_requested_again)
{
    cr.spec.lists = 0;
    meet_on_the_web(0);
    ask(MCPH_LIST_RESOURCES);
    ask(MCPH_LIST_PROMPTS);
    cr_status(cr_stream(), 404, NULL, NULL);
    test_has(cr_next(), "initialize");
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":"
              "\"2025-11-25\",\"capabilities\":" OFFERS "}}");
    cr_expect(CR_INITIALIZED);
    expect_asked(MCPH_LIST_RESOURCES, NULL);
    expect_asked(MCPH_LIST_PROMPTS, NULL);
    cr_expect_nothing();
    ck_assert_int_eq(cr.listed, 0);
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"prompts\":[]}}",
              ids[MCPH_LIST_PROMPTS]);
    ck_assert_str_eq(cr.story, "ready ready prompts:listed ");
}
END_TEST

START_TEST(a_call_with_a_header_mismatch_waits_only_for_the_list_of_tools)
{
    static struct cr_call a;

    cr.spec.lists = cr.spec.listen = 0;
    meet_on_the_web(1);
    cr_call_init(&a, 1, "alpha", NULL);
    cr_call_go(&a);
    cr_next();
    cr_status(cr_stream(), 400, NULL,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32020,\"message\":"
              "\"no\"}}");
    expect_asked(MCPH_LIST_TOOLS, NULL);
    ask(MCPH_LIST_PROMPTS);
    cr_answer(cr_stream(),
              "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":\"complete\","
              "\"prompts\":[]}}",
              ids[MCPH_LIST_PROMPTS]);
    ck_assert_ptr_nonnull(cr.lists[MCPH_LIST_PROMPTS]);
    cr_expect_nothing();
    cr_say_on(cr.line_streams[cr.at - 2],
              "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":\"complete\","
              "\"tools\":[]}}",
              ids[MCPH_LIST_TOOLS]);
    test_has(cr_next(), "tools/call");
}
END_TEST

/* ---- cached lists ------------------------------------------------------------------ */

#define FRESH ",\"ttlMs\":60000,\"cacheScope\":\"public\""

static void
keep_all(bool listen)
{
    cr.cache = mcph_client_cache_new(cr.core, 1 << 20);
    ck_assert_ptr_nonnull(cr.cache);
    cr.spec.lists = ALL;
    cr.spec.listen = listen ? ALL : 0;
    meet_on_the_web(1);
    if (cr.spec.listen)
        cr_next();
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        expect_asked(kind, NULL);
        cr_answer(
            cr_stream(),
            "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":\"complete\","
            "\"%s\":[%d]" FRESH "}}",
            ids[kind], kinds[kind].items, kind);
    }
}

/* Each kind of list has its own cache entry.  A notice drops only the kinds that it
 * concerns. */
START_TEST(lists_are_cached_and_dropped_by_kind)
{
    unsigned forgotten = _i < NOTICES ? notices[_i].kinds : 0;
    char first[8];

    keep_all(forgotten != 0);
    if (forgotten) {
        notice(_i, 1);
        cr_another();
        cr_next(); /* the second client's subscriptions/listen */
    } else {
        cr_another();
    }
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        if (forgotten & 1u << kind) {
            expect_asked(kind, NULL);
            continue;
        }
        snprintf(first, sizeof(first), "[%d]", kind);
        expect_list(kind, 1, first);
    }
    cr_expect_nothing();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "pages");

    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_loop_test(tc, each_kind_is_listed_by_its_method_page_by_page, 0,
                        ERAS * MCPH_LIST_KINDS);
    tcase_add_loop_test(tc, a_page_without_the_array_of_its_kind_fails_the_list, 0,
                        ERAS * MCPH_LIST_KINDS);
    tcase_add_loop_test(tc, only_tools_are_listed_by_default, 0, ERAS);
    tcase_add_loop_test(tc, the_kinds_that_the_owner_wants_are_listed_at_once, 0, ERAS);
    tcase_add_loop_test(tc, a_second_list_of_a_kind_in_progress_sends_nothing, 0, ERAS);
    tcase_add_loop_test(tc, a_kind_that_is_not_offered_is_empty_and_not_requested, 0,
                        ERAS * (int)MCPH_ARRAY_SIZE(offered));

    tc = test_case(suite, "failures");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_loop_test(tc, a_failed_list_does_not_affect_other_kinds, 0,
                        ERAS * 2 * FAILURES * MCPH_LIST_KINDS);
    tcase_add_loop_test(tc, a_list_over_max_pages_is_cut_and_the_error_names_its_kind, 0,
                        ERAS * MCPH_LIST_KINDS);
    tcase_add_loop_test(tc, each_kind_has_a_deadline_of_its_own, 0, ERAS);
    tcase_add_loop_test(tc, no_list_is_reported_after_the_end_of_the_client, 0, 2 * ERAS);

    tc = test_case(suite, "notices");
    tcase_add_checked_fixture(tc, cr_up, cr_down);
    tcase_add_loop_test(tc, several_notices_are_reported_once_for_each_kind_concerned, 0,
                        ERAS * NOTICES);
    tcase_add_test(tc, a_list_in_progress_delays_only_the_change_of_its_kind);
    tcase_add_loop_test(tc, the_subscription_names_only_lists_that_are_offered_and_wanted,
                        0, (int)MCPH_ARRAY_SIZE(flags));
    tcase_add_test(tc, a_kind_whose_changes_are_not_acknowledged_is_logged);
    tcase_add_loop_test(tc, after_a_lost_subscription_each_kind_is_reported_as_changed, 0,
                        2);
    tcase_add_test(tc, lists_of_a_lost_session_are_requested_again);
    tcase_add_test(tc, a_call_with_a_header_mismatch_waits_only_for_the_list_of_tools);
    tcase_add_loop_test(tc, lists_are_cached_and_dropped_by_kind, 0, NOTICES + 1);
}

int
main(void)
{
    return test_main("client-kinds", add);
}
