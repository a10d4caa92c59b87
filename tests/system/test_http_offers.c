/* SPDX-License-Identifier: MIT
 *
 * test_http_offers.c - reads, prompts, completions and skills over HTTP in both eras:
 * their headers, and retries after a lost connection or session.
 *
 * The fake server refuses a modern request whose Mcp-Method differs from the method in
 * the body.  If the name or URI in the body needs no encoding, Mcp-Name must repeat the
 * name or URI.
 */
#include <stdio.h>
#include <string.h>

#include "support/httprig.h"
#include "support/skills.h"

#define OFFERS                                                           \
    "capabilities {\"tools\":{},\"resources\":{},\"prompts\":{},"        \
    "\"completions\":{}}\n"                                              \
    "on prompts/list\n result {\"resultType\":\"complete\",\"ttlMs\":0," \
    "\"cacheScope\":\"private\",\"prompts\":[{\"name\":\"review\"}]}\n"
#define WORDS                                                          \
    " result {\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":" \
    "\"private\",\"contents\":[{\"uri\":\"f:a\",\"text\":\"words\"}]}\n"
#define MESSAGES                                                             \
    " result {\"resultType\":\"complete\",\"messages\":[{\"role\":\"user\"," \
    "\"content\":{\"type\":\"text\",\"text\":\"words\"}}]}\n"
#define VALUES                                                          \
    " result {\"resultType\":\"complete\",\"completion\":{\"values\":[" \
    "\"words\"]}}\n"

static const char *const eras[] = {"era legacy\n" OFFERS, "era modern\n" OFFERS};

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *d;

static void
up(const char *base, const char *script)
{
    static char text[200000];

    snprintf(text, sizeof(text), "%s%s", base, script);
    hr_up(&hr);
    hr_http(&hr, &web, "a", "truely-stateless: true", text);
    hr_load(&hr);
    hr_loaded(&hr, "a");
    d = hr_dialog(&hr, "d");
}

static mcphost_call *
start_call(mcphost_call *call)
{
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    return call;
}

static mcphost_call *
to_read(const char *uri)
{
    mcphost_call *call;

    ck_assert_int_eq(mcphost_call_new_read(d, "a", uri, &call, NULL), 0);
    return start_call(call);
}

static mcphost_call *
to_ask(const char *prompt)
{
    mcphost_call *call;

    ck_assert_int_eq(mcphost_call_new_prompt(d, prompt, NULL, 0, &call, NULL), 0);
    return start_call(call);
}

static mcphost_call *
to_complete(const char *value)
{
    mcphost_call *call;

    ck_assert_int_eq(mcphost_call_new_complete_template(d, "a", "db://{t}", "t", value,
                                                        NULL, 0, &call, NULL),
                     0);
    return start_call(call);
}

static mcphost_result *
end(mcphost_call *call)
{
    if (hr_end(&hr, call) < 0)
        ck_abort_msg("%s", hr_why(call));
    return mcphost_call_get_result(call);
}

static int
header(const char *line)
{
    char text[256];

    snprintf(text, sizeof(text), "h %s\n", line);
    return hr_traced(&hr, "a", text);
}

/* ---- headers ----------------------------------------------------------------------- */

/* R157 R166 */
START_TEST(modern_headers_name_the_method_and_the_item)
{
    up(eras[_i], "on resources/read\n" WORDS "on prompts/get\n" MESSAGES
                 "on completion/complete\n" VALUES);
    test_has(mcphost_result_item_get_json(end(to_read("file:///a b")), 0, NULL), "words");
    end(to_read("file:///\xc3\xa4"));
    test_has(mcphost_result_item_get_json(end(to_ask("a_review")), 0, NULL), "words");
    ck_assert_str_eq(mcphost_result_get_value(end(to_complete("w")), 0, NULL), "words");
    ck_assert_int_eq(header("mcp-method: resources/read"), 2 * _i);
    ck_assert_int_eq(header("mcp-name: file:///a b"), _i);
    ck_assert_int_eq(header("mcp-name: =?base64?ZmlsZTovLy/DpA==?="), _i);
    ck_assert_int_eq(header("mcp-method: prompts/get"), _i);
    ck_assert_int_eq(header("mcp-name: review"), _i);
    ck_assert_int_eq(header("mcp-method: completion/complete"), _i);
    ck_assert_int_eq(hr_traced(&hr, "a", "h mcp-name"), 3 * _i);
    ck_assert_int_eq(hr_traced(&hr, "a", "refused Mcp-"), 0);
    hr_down(&hr);
}
END_TEST

/* MCP 2026-07-28 has Mcp-Name only for calls, reads and prompts. */
START_TEST(lists_have_no_name_in_a_header)
{
    up(eras[1], "");
    ck_assert_int_eq(header("mcp-method: tools/list"), 1);
    ck_assert_int_eq(header("mcp-method: resources/list"), 1);
    ck_assert_int_eq(header("mcp-method: resources/templates/list"), 1);
    ck_assert_int_eq(header("mcp-method: prompts/list"), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "h mcp-name"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_uri_of_64_kib_is_read) /* R157 */
{
    static char uri[65537];

    up(eras[_i], "on resources/read\n" WORDS);
    memcpy(uri, "file:", 5);
    memset(uri + 5, 'x', 65531);
    test_has(mcphost_result_item_get_json(end(to_read(uri)), 0, NULL), "words");
    ck_assert_int_eq(hr_traced(&hr, "a", "refused Mcp-"), 0);
    hr_down(&hr);
}
END_TEST

/* ---- lost connections and sessions ------------------------------------------------- */

static const char *const losses[] = {" reset\n", " cut\n", " stream\n cut\n"};

#define ONCE                                                   \
    "on resources/read 1\n%s"                                  \
    "on resources/read\n" WORDS "on prompts/get 1\n%s"         \
    "on prompts/get\n" MESSAGES "on completion/complete 1\n%s" \
    "on completion/complete\n" VALUES

static void
all_is_read(void)
{
    test_has(mcphost_result_item_get_json(end(to_read("f:a")), 0, NULL), "words");
    test_has(mcphost_result_item_get_json(end(to_ask("a_review")), 0, NULL), "words");
    ck_assert_str_eq(mcphost_result_get_value(end(to_complete("w")), 0, NULL), "words");
}

/* The host sends the request once more, because the request has no effects. */
START_TEST(a_request_lost_with_its_connection_is_sent_again)
{
    const char *how = losses[_i % 3];
    char script[4096];

    snprintf(script, sizeof(script), ONCE, how, how, how);
    up(eras[_i / 3], script);
    all_is_read();
    ck_assert_int_eq(hr_traced(&hr, "a", "\"method\":\"resources/read\""), 2);
    ck_assert_int_eq(hr_traced(&hr, "a", "\"method\":\"prompts/get\""), 2);
    hr_down(&hr);
}
END_TEST

START_TEST(a_request_refused_with_its_session_is_sent_in_the_next_session)
{
    const char *how = " forget\n status 404\n body gone\n";
    char script[4096];

    snprintf(script, sizeof(script), ONCE, how, how, how);
    up(eras[0], script);
    all_is_read();
    ck_assert_int_ge(header("mcp-session-id: session-2-secret"), 1);
    ck_assert_int_ge(header("mcp-session-id: session-4-secret"), 1);
    hr_down(&hr);
}
END_TEST

/* ---- skills ------------------------------------------------------------------------ */

static mcphost_call *
to_read_skill(const char *file)
{
    mcphost_catalog *catalog;
    mcphost_call *call;
    const char *entry;
    size_t len;

    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_uint_eq(mcphost_catalog_count_skills(catalog), 1);
    entry = mcphost_skill_get_entry(mcphost_catalog_get_skill(catalog, 0), &len);
    ck_assert_int_eq(mcphost_call_new_read_skill(d, "a", entry, len, file, &call, NULL),
                     0);
    mcphost_catalog_unref(catalog);
    return start_call(call);
}

/* R181 R182 */
START_TEST(a_read_of_a_skills_file_has_its_uri_in_mcp_name)
{
    mcphost_call *call;

    up(SKILLS,
       LIST(ONE) READ("skill://one/a/b.md",
                      "\"text\":\"abc\"") "on skills/get\n result "
                                          "{\"resultType\":\"complete\",\"ttlMs\":0,"
                                          "\"cacheScope\":\"private\",\"skill\":" ONE
                                          "}\n"
                                          "on resources/directory/read\n result "
                                          "{\"resultType\":\"complete\","
                                          "\"resources\":[]}\n");
    end(to_read_skill("a/b.md"));
    ck_assert_int_eq(
        mcphost_call_new_get_skill(d, "a", "skill://one/SKILL.md", &call, NULL), 0);
    end(start_call(call));
    ck_assert_int_eq(
        mcphost_call_new_read_directory(d, "a", "skill://one", NULL, &call, NULL), 0);
    end(start_call(call));
    ck_assert_int_eq(header("mcp-method: skills/list"), 1);
    ck_assert_int_eq(header("mcp-method: skills/get"), 1);
    ck_assert_int_eq(header("mcp-method: resources/directory/read"), 1);
    ck_assert_int_eq(header("mcp-method: resources/read"), 1);
    ck_assert_int_eq(header("mcp-name: skill://one/a/b.md"), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "h mcp-name"), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "refused Mcp-"), 0);
    hr_down(&hr);
}
END_TEST

START_TEST(a_skill_file_with_another_digest_is_refused) /* R182 */
{
    mcphost_call *call;

    up(SKILLS, LIST(ONE) READ("skill://one/a/b.md", "\"text\":\"abd\""));
    call = to_read_skill("a/b.md");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_PROTOCOL);
    test_has(hr_why(call), "digest");
    ck_assert_ptr_null(mcphost_call_get_result(call));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "headers");

    tcase_add_loop_test(tc, modern_headers_name_the_method_and_the_item, 0, 2);
    tcase_add_test(tc, lists_have_no_name_in_a_header);
    tcase_add_loop_test(tc, a_uri_of_64_kib_is_read, 0, 2);
    tc = test_case(suite, "losses");
    tcase_add_loop_test(tc, a_request_lost_with_its_connection_is_sent_again, 0, 6);
    tcase_add_test(tc, a_request_refused_with_its_session_is_sent_in_the_next_session);
    tcase_set_timeout(tc, 30);
    tc = test_case(suite, "skills");
    tcase_add_test(tc, a_read_of_a_skills_file_has_its_uri_in_mcp_name);
    tcase_add_test(tc, a_skill_file_with_another_digest_is_refused);
}

int
main(void)
{
    return test_main("http-offers", add);
}
