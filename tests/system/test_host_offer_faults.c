/* SPDX-License-Identifier: MIT
 *
 * test_host_offer_faults.c - servers with very many or invalid resources, templates,
 * prompts and skills.
 *
 * Valid offers stay usable, and so does the server `good`, which has no faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/hostrig.h"

#define OFFERS                                                                       \
    "capabilities {\"tools\":{},\"prompts\":{},\"resources\":{},\"completions\":{}," \
    "\"extensions\":{\"io.modelcontextprotocol/skills\":{}}}\n"
#define ECHO_READ                                                          \
    "on resources/read\n result {\"resultType\":\"complete\",\"ttlMs\":0," \
    "\"cacheScope\":\"private\",\"contents\":[{\"uri\":\"x:y\",\"text\":\"words\"}]}\n"
#define RESOURCE(uri) "entry resources {\"uri\":\"" uri "\",\"name\":\"n\"}\n"
#define TEMPLATE(text) \
    "entry resourceTemplates {\"uriTemplate\":\"" text "\",\"name\":\"n\"}\n"

static const char *const eras[] = {"era legacy\n" OFFERS, "era modern\n" OFFERS};

static struct hostrig hr;
static mcphost_dialog *d;
static mcphost_catalog *catalog;

/* Starts a host with the servers `a` and `good`.  Server `a` runs the faulty script.
 * Server `good` has no faults. */
static void
up(const char *base, const char *script)
{
    size_t size = strlen(base) + strlen(script) + 1;
    char *text = malloc(size);

    ck_assert_ptr_nonnull(text);
    snprintf(text, size, "%s%s", base, script);
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", text);
    hr_server(&hr, "good", "truely-stateless: true", NULL);
    free(text);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
}

static void
down(void)
{
    ck_assert_str_eq(hr_say(&hr, d, "good_echo", "{\"text\":\"well\"}"), "well");
    catalog = mcphost_catalog_unref(catalog);
    hr_down(&hr);
}

static mcphost_call *
start_call(mcphost_call *call)
{
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    return call;
}

static mcphost_result *
end(mcphost_call *call)
{
    if (hr_end(&hr, call) < 0)
        ck_abort_msg("%s", hr_why(call));
    return mcphost_call_get_result(call);
}

static mcphost_call *
to_read(const char *server, const char *uri)
{
    mcphost_call *call;

    ck_assert_int_eq(mcphost_call_new_read(d, server, uri, &call, NULL), 0);
    return start_call(call);
}

static int
sent(const char *server, const char *text)
{
    char trace[32];

    snprintf(trace, sizeof(trace), "%s.trace", server);
    return rig_workspace_count(&hr.ws, trace, text);
}

/* Returns true if the JSON of the problems contains `part`. */
static bool
problems_contain(const char *part)
{
    mcphost_problems *problems;
    char *json = NULL;
    bool found;

    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    ck_assert_int_eq(mcphost_problems_make_json(problems, &json, NULL), 0);
    found = strstr(json, part) != NULL;
    mcphost_free(json);
    mcphost_problems_unref(problems);
    return found;
}

/* ---- very many entries ------------------------------------------------------------- */

START_TEST(ten_thousand_resources_and_a_thousand_templates_are_offered)
{
    int64_t start = mcph_clock_monotonic_ms();

    up(eras[_i],
       "page-size 500\n"
       "entries 10000 resources {\"uri\":\"f:#\",\"name\":\"number #\"}\n"
       "entries 1000 resourceTemplates {\"uriTemplate\":\"g:#/{x}\",\"name\":\"t#\"}\n"
       "entries 100 prompts {\"name\":\"p#\"}\n" ECHO_READ);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), 10000);
    ck_assert_uint_eq(mcphost_catalog_count_resource_templates(catalog), 1000);
    ck_assert_uint_eq(mcphost_catalog_count_prompts(catalog), 100);
    ck_assert_ptr_nonnull(mcphost_catalog_find_resource(catalog, "a", "f:9999"));
    ck_assert_ptr_nonnull(
        mcphost_catalog_find_resource_template(catalog, "a", "g:999/{x}"));
    ck_assert_int_eq(sent("a", "\"method\":\"resources/list\""), 20);
    end(to_read("a", "f:9999"));
    ck_assert_int_lt(mcph_clock_monotonic_ms() - start, 20000);
    down();
}
END_TEST

static const char *const endless[] = {
    "tools {\"name\":\"t#\",\"inputSchema\":{\"type\":\"object\"}}",
    "resources {\"uri\":\"f:#\",\"name\":\"r#\"}",
    "resourceTemplates {\"uriTemplate\":\"f:#{x}\",\"name\":\"r#\"}",
    "prompts {\"name\":\"p#\"}",
    "skills {\"uri\":\"skill://s#/SKILL.md\",\"frontmatter\":{\"name\":\"s#\","
    "\"description\":\"d\"},\"resources\":\"dynamic\"}",
};

/* The list of one kind ends at the limit of pages.  The lists of the other kinds are
 * empty. */
START_TEST(endless_pages_of_any_kind_end_at_the_limit_with_a_problem)
{
    char script[1024];
    size_t counts[5];

    snprintf(script, sizeof(script),
             "no-tools\nentries 50 %s\npage-size 5\ncursors endless\n" ECHO_READ,
             endless[_i]);
    up(eras[1], script);
    counts[0] = mcphost_server_count_tools(mcphost_catalog_find_server(catalog, "a"));
    counts[1] = mcphost_catalog_count_resources(catalog);
    counts[2] = mcphost_catalog_count_resource_templates(catalog);
    counts[3] = mcphost_catalog_count_prompts(catalog);
    counts[4] = mcphost_catalog_count_skills(catalog);
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(counts[i], i == _i ? 42 : 0);
    ck_assert(problems_contain("pages"));
    end(to_read("a", "f:1"));
    down();
}
END_TEST

/* ---- names ------------------------------------------------------------------------- */

/* These URIs look alike, but no two of the URIs are equal. */
static const char *const alike[] = {
    "f:/a b",
    "f:/a%20b",
    "f:/a+b",
    "f:/a#b",
    "f:/a?b",
    "F:/a b",
    "f:/\xc3\xa4",
    "f:/a\xcc\x88",
    "f:/%C3%A4",
    "f:/\xd0\xb0",
    "f:/a/../b",
    "f:/b",
    "f:/a\xe2\x80\x8b",
    "f:/a\xe2\x80\xae"
    "b",
    "f:/\xf0\x9f\x98\x80",
    "f:/a/",
};
#define ALIKE (sizeof(alike) / sizeof(alike[0]))

/* R156 R157 */
START_TEST(uris_that_look_alike_are_kept_apart_and_sent_as_they_are)
{
    char script[4096], wanted[128];
    size_t len = 0;

    for (size_t i = 0; i < ALIKE; i++)
        len += (size_t)snprintf(script + len, sizeof(script) - len,
                                "entry resources {\"uri\":\"%s\",\"name\":\"n\"}\n",
                                alike[i]);
    snprintf(script + len, sizeof(script) - len, ECHO_READ);
    up(eras[_i], script);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), ALIKE);
    for (size_t i = 0; i < ALIKE; i++) {
        ck_assert_ptr_eq(mcphost_catalog_find_resource(catalog, "a", alike[i]),
                         mcphost_catalog_get_resource(catalog, i));
        end(to_read("a", alike[i]));
        snprintf(wanted, sizeof(wanted), "\"params\":{\"uri\":\"%s\"", alike[i]);
        ck_assert_msg(sent("a", wanted) == 1, "%s", alike[i]);
    }
    down();
}
END_TEST

START_TEST(a_uri_of_64_kib_is_listed_and_read) /* R157 */
{
    static char uri[65537], script[70000];
    mcphost_call *call;

    memcpy(uri, "f:", 2);
    memset(uri + 2, 'x', 65534);
    snprintf(
        script, sizeof(script),
        RESOURCE("f:a") "entry resources {\"uri\":\"%s\",\"name\":\"n\"}\n" ECHO_READ,
        uri);
    up(eras[_i], script);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), 2);
    ck_assert_ptr_nonnull(mcphost_catalog_find_resource(catalog, "a", uri));
    end(to_read("a", uri));
    end(to_read("a", "f:a"));
    uri[0] = '\0';
    ck_assert_int_eq(mcphost_call_new_read(d, "a", uri, &call, NULL), MCPHOST_E_INVALID);
    down();
}
END_TEST

/* R157: two servers may have resources with the same URI. */
START_TEST(a_uri_of_two_servers_is_read_from_the_server_that_the_call_names)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", OFFERS RESOURCE("f:a") ECHO_READ);
    hr_server(&hr, "good", "truely-stateless: true", OFFERS RESOURCE("f:a") ECHO_READ);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), 2);
    ck_assert_ptr_ne(mcphost_catalog_find_resource(catalog, "a", "f:a"),
                     mcphost_catalog_find_resource(catalog, "good", "f:a"));
    end(to_read("good", "f:a"));
    ck_assert_int_eq(sent("a", "resources/read"), 0);
    ck_assert_int_eq(sent("good", "\"resources/read\""), 1);
    end(to_read("a", "f:a"));
    ck_assert_int_eq(sent("a", "\"resources/read\""), 1);
    ck_assert_int_eq(sent("good", "\"resources/read\""), 1);
    down();
}
END_TEST

/* ---- contents ---------------------------------------------------------------------- */

START_TEST(a_valid_template_beside_invalid_ones_stays_usable) /* R156 */
{
    mcphost_call *call;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_view_add_resource_tools(
                         mcphost_default_view(hr.host),
                         MCPHOST_RESOURCE_TOOL_LIST | MCPHOST_RESOURCE_TOOL_FETCH, NULL),
                     0);
    hr_server(
        &hr, "a", "truely-stateless: true\nresources: {transform: []}",
        OFFERS TEMPLATE("f:{") TEMPLATE("f:}{") TEMPLATE("f:{x:0}") TEMPLATE(
            "f:{=x}") "entry resourceTemplates "
                      "{\"uriTemplate\":\"f:ok/{x}\",\"name\":\"ok\"}\n"
                      "on completion/complete\n result {\"resultType\":\"complete\","
                      "\"completion\":{\"values\":[\"v\"]}}\n" ECHO_READ);
    hr_server(&hr, "good", "truely-stateless: true", NULL);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_ptr_nonnull(
        mcphost_catalog_find_resource_template(catalog, "a", "f:ok/{x}"));
    test_has(hr_say(&hr, d, "list_resources", "{\"kind\":\"template\"}"), "a:ok");
    call = hr_start(&hr, d, "fetch_resource",
                    "{\"resourceId\":\"a:ok\",\"arguments\":{\"x\":\"1 2\"}}");
    end(call);
    ck_assert_int_eq(sent("a", "\"uri\":\"f:ok/1%202\""), 1);
    ck_assert_int_eq(mcphost_call_new_complete_template(d, "a", "f:ok/{x}", "x", "", NULL,
                                                        0, &call, NULL),
                     0);
    ck_assert_str_eq(mcphost_result_get_value(end(start_call(call)), 0, NULL), "v");
    down();
}
END_TEST

static const char *const broken[] = {"????", "AAE",       "AAEC=AAE",      "AA\\u0000EC",
                                     "====", "AAEC AAEC", "\\ud83d\\ude00"};

/* R161: the library delivers the text beside the broken blob.  The next read succeeds. */
START_TEST(a_blob_with_broken_base64_does_not_hide_the_text_beside_it)
{
    char dir[] = "/tmp/mcphost-offers.XXXXXX", script[1024];
    mcphost_items *items;
    mcphost_call *call;

    snprintf(script, sizeof(script),
             "on resources/read\n result {\"resultType\":\"complete\",\"contents\":[{"
             "\"uri\":\"f:b\",\"mimeType\":\"image/gif\",\"blob\":\"%s\"},"
             "{\"uri\":\"f:t\",\"text\":\"words\"}]}\n",
             broken[_i]);
    up(eras[0], script);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, dir, 0, NULL), 0);
    call = to_read("a", "f:b");
    ck_assert_uint_eq(mcphost_result_count_items(end(call)), 2);
    ck_assert_int_eq(mcphost_call_make_items(call, &items, NULL), 0);
    test_has(mcphost_items_get_json(items, NULL), "\"text\":\"words\"");
    test_has(mcphost_items_get_text(items, NULL), "words");
    mcphost_items_unref(items);
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    end(to_read("a", "f:b"));
    down();
}
END_TEST

#define MESSAGES 500
#define EACH     20971 /* bytes of each message; together the messages have 10 MiB */

/* R166 */
START_TEST(a_prompt_of_500_messages_and_10_mib_is_delivered_whole)
{
    size_t size = MESSAGES * (EACH + 100) + 4096, at, len;
    char *script = malloc(size);
    mcphost_result *result;
    mcphost_call *call;
    const char *text;

    ck_assert_ptr_nonnull(script);
    at = (size_t)snprintf(script, size,
                          "entry prompts {\"name\":\"long\"}\non prompts/get\n result "
                          "{\"resultType\":\"complete\",\"messages\":[");
    for (int i = 0; i < MESSAGES; i++) {
        at += (size_t)snprintf(script + at, size - at,
                               "%s{\"role\":\"%s\",\"content\":{\"type\":\"text\","
                               "\"text\":\"%03d ",
                               i ? "," : "", i % 2 ? "assistant" : "user", i);
        memset(script + at, 'm', EACH - 4);
        at += EACH - 4;
        at += (size_t)snprintf(script + at, size - at, "\"}}");
    }
    snprintf(script + at, size - at, "]}\n");
    up(eras[_i], script);
    free(script);
    ck_assert_int_eq(mcphost_call_new_prompt(d, "a_long", NULL, 0, &call, NULL), 0);
    result = end(start_call(call));
    ck_assert_uint_eq(mcphost_result_count_items(result), MESSAGES);
    for (size_t i = 0; i < MESSAGES; i++) {
        ck_assert_int_eq(mcphost_result_item_get_text(result, i, &text, &len), 0);
        ck_assert_uint_eq(len, EACH);
        ck_assert_uint_eq(strtoul(text, NULL, 10), i);
    }
    ck_assert_str_eq(mcphost_result_item_get_role(result, 499, NULL), "assistant");
    down();
}
END_TEST

/* ---- lists that fail --------------------------------------------------------------- */

static const char *const methods[] = {
    "list", "resources/list", "resources/templates/list", "prompts/list", "skills/list"};
#define KINDS 5
#define PAGES 3

static const char *const failures[] = {" error -32603 broken", " result {}",
                                       " result {\"resultType\":\"complete\","
                                       "\"nextCursor\":7}"};

/* The list of each kind fails at each of its pages, in each of three ways. */
START_TEST(a_failed_list_fails_the_server_only_if_it_is_the_list_of_tools)
{
    int kind = _i % KINDS, page = _i / KINDS % PAGES, how = _i / KINDS / PAGES % 3;
    const mcphost_server *server;
    char script[2048];
    size_t counts[KINDS];

    snprintf(script, sizeof(script),
             "no-tools\nentries 6 %s\nentries 6 %s\nentries 6 %s\nentries 6 %s\n"
             "entries 6 %s\npage-size 2\non %s %d\n%s\n",
             endless[0], endless[1], endless[2], endless[3], endless[4], methods[kind],
             page + 1, failures[how]);
    up(eras[1], script);
    server = mcphost_catalog_find_server(catalog, "a");
    counts[0] = server ? mcphost_server_count_tools(server) : 0;
    counts[1] = mcphost_catalog_count_resources(catalog);
    counts[2] = mcphost_catalog_count_resource_templates(catalog);
    counts[3] = mcphost_catalog_count_prompts(catalog);
    counts[4] = mcphost_catalog_count_skills(catalog);
    for (int i = 0; i < KINDS; i++)
        ck_assert_msg(kind == 0 || counts[i] == (i == kind ? 0 : 6), "kind %d: %zu", i,
                      counts[i]);
    ck_assert_int_eq(hr_server_state(&hr, "a"),
                     kind == 0 ? MCPHOST_SERVER_UNAVAILABLE : MCPHOST_SERVER_LOADED);
    ck_assert(problems_contain("\"a\""));
    if (kind > 0)
        ck_assert_str_eq(hr_say(&hr, d, "a_t5", "{}"), "{}");
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "many");

    tcase_add_loop_test(tc, ten_thousand_resources_and_a_thousand_templates_are_offered,
                        0, 2);
    tcase_add_loop_test(tc, endless_pages_of_any_kind_end_at_the_limit_with_a_problem, 0,
                        5);
    tcase_set_timeout(tc, 30);
    tc = test_case(suite, "names");
    tcase_add_loop_test(tc, uris_that_look_alike_are_kept_apart_and_sent_as_they_are, 0,
                        2);
    tcase_add_loop_test(tc, a_uri_of_64_kib_is_listed_and_read, 0, 2);
    tcase_add_test(tc, a_uri_of_two_servers_is_read_from_the_server_that_the_call_names);
    tc = test_case(suite, "contents");
    tcase_add_test(tc, a_valid_template_beside_invalid_ones_stays_usable);
    tcase_add_loop_test(tc, a_blob_with_broken_base64_does_not_hide_the_text_beside_it, 0,
                        (int)(sizeof(broken) / sizeof(broken[0])));
    tcase_add_loop_test(tc, a_prompt_of_500_messages_and_10_mib_is_delivered_whole, 0, 2);
    tcase_set_timeout(tc, 30);
    tc = test_case(suite, "lists");
    tcase_add_loop_test(tc,
                        a_failed_list_fails_the_server_only_if_it_is_the_list_of_tools, 0,
                        KINDS * PAGES * 3);
}

int
main(void)
{
    return test_main("host-offer-faults", add);
}
