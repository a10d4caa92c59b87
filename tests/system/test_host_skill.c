/* SPDX-License-Identifier: MIT
 *
 * test_host_skill.c - skills of servers: lists, and reads and checks of files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"
#include "support/skills.h"

static struct hostrig hr;
static mcphost_dialog *d;
static mcphost_catalog *catalog;

static void
up(const char *keys, const char *script)
{
    char text[8192];

    snprintf(text, sizeof(text), "%s%s", SKILLS, script);
    hr_up(&hr);
    hr_server(&hr, "a", keys, text);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
}

static void
down(void)
{
    catalog = mcphost_catalog_unref(catalog);
    hr_down(&hr);
}

static int
count(const char *text)
{
    return rig_workspace_count(&hr.ws, "a.trace", text);
}

static mcphost_call *
keep_call(mcphost_call *call)
{
    hr.calls[hr.n_calls++] = call;
    return call;
}

static mcphost_call *
to_read(const char *file)
{
    size_t len;
    const char *entry =
        mcphost_skill_get_entry(mcphost_catalog_get_skill(catalog, 0), &len);
    mcphost_call *call;
    mcphost_error *err = NULL;

    if (mcphost_call_new_read_skill(d, "a", entry, len, file, &call, &err) < 0)
        ck_abort_msg("%s", mcphost_error_get_message(err));
    hr_go(keep_call(call));
    return call;
}

/* ---- lists ------------------------------------------------------------------------- */

START_TEST(listed_skills_are_in_the_catalog_and_their_files_are_not_read)
{
    mcphost_skill *skill;
    const mcphost_server *server;
    const char *text;
    size_t len;

    up(NULL, LIST(ONE "," SKILL("two", "\"dynamic\"")));
    ck_assert_uint_eq(mcphost_catalog_count_skills(catalog), 2);
    skill = mcphost_catalog_get_skill(catalog, 0);
    ck_assert_str_eq(mcphost_skill_get_uri(skill), "skill://one/SKILL.md");
    ck_assert_str_eq(mcphost_skill_get_name(skill, &len), "one");
    ck_assert_uint_eq(len, 3);
    ck_assert_str_eq(mcphost_skill_get_description(skill, NULL), "what \xc3\xa4 is");
    text = mcphost_skill_get_frontmatter(skill, &len);
    ck_assert_uint_eq(len, strlen(text));
    ck_assert_str_eq(text, "{\"name\":\"one\",\"description\":\"what \\u00e4 is\","
                           "\"license\":\"MIT\"}");
    ck_assert_ptr_nonnull(strstr(mcphost_skill_get_entry(skill, NULL), "skill://one/a"));
    ck_assert_ptr_null(mcphost_skill_get_source_id(skill));
    ck_assert_str_eq(mcphost_skill_get_server_id(skill), "a");
    ck_assert_ptr_eq(mcphost_catalog_find_skill(catalog, "a", "skill://two/SKILL.md"),
                     mcphost_catalog_get_skill(catalog, 1));
    ck_assert_ptr_null(mcphost_catalog_find_skill(catalog, "b", "skill://two/SKILL.md"));
    ck_assert_ptr_null(mcphost_catalog_get_skill(catalog, 2));
    server = mcphost_catalog_find_server(catalog, "a");
    ck_assert_uint_eq(mcphost_server_count_skills(server), 2);
    ck_assert_ptr_eq(mcphost_server_get_skill(server, 0), skill);
    ck_assert_ptr_null(mcphost_server_get_skill(server, 2));
    ck_assert_int_eq(count("skills/list"), 1);
    ck_assert_int_eq(count("resources/read"), 0);
    /* A skill with a reference outlives its catalog. */
    ck_assert_ptr_eq(mcphost_skill_ref(skill), skill);
    catalog = mcphost_catalog_unref(catalog);
    ck_assert_str_eq(mcphost_skill_get_uri(skill), "skill://one/SKILL.md");
    ck_assert_ptr_null(mcphost_skill_unref(skill));
    ck_assert_ptr_null(mcphost_skill_unref(NULL));
    down();
}
END_TEST

START_TEST(an_invalid_skill_is_left_out_and_is_a_problem)
{
    up(NULL, LIST(SKILL("Bad", "\"dynamic\"") "," SKILL("good", "\"dynamic\"")));
    ck_assert_uint_eq(mcphost_catalog_count_skills(catalog), 1);
    ck_assert_str_eq(mcphost_skill_get_name(mcphost_catalog_get_skill(catalog, 0), NULL),
                     "good");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, "a", NULL, 1), 1);
    test_has(hr_last(&hr, MCPHOST_EVENT_PROBLEM, "a")->problem, "skill");
    test_has(hr_problem(&hr, hr_last(&hr, MCPHOST_EVENT_PROBLEM, "a")->problem),
             "its name is not valid");
    down();
}
END_TEST

START_TEST(the_blacklist_of_skills_is_applied)
{
    up("resources:\n  mimeTypes: [text/plain]\n  skills: {blacklist: ['*two*']}",
       LIST(ONE "," SKILL("two", "\"dynamic\"")));
    ck_assert_uint_eq(mcphost_catalog_count_skills(catalog), 1);
    down();
}
END_TEST

START_TEST(a_server_without_the_extension_is_asked_for_no_skills)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL,
              "era modern\ncapabilities "
              "{\"tools\":{},\"resources\":{},\"extensions\":{\"x/y\":{}}}\n");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_uint_eq(mcphost_catalog_count_skills(catalog), 0);
    ck_assert_int_eq(count("skills/list"), 0);
    down();
}
END_TEST

START_TEST(a_change_of_the_resources_lists_the_skills_again)
{
    up("truely-stateless: true",
       "on skills/list 1\n result {\"resultType\":\"complete\",\"ttlMs\":0,"
       "\"cacheScope\":\"private\",\"skills\":[]}\n" LIST(
           ONE) "on subscriptions/listen\n answer\n delay 20\n notify "
                "notifications/resources/list_changed {\"_meta\":{\"io.modelcontext"
                "protocol/subscriptionId\":\"listen:1\"}}\n");
    hr_until(&hr, count("skills/list") == 2);
    hr_until(&hr, (mcphost_catalog_unref(catalog),
                   mcphost_dialog_get_catalog(d, &catalog) == 0) &&
                      mcphost_catalog_count_skills(catalog) == 1);
    down();
}
END_TEST

/* ---- files ------------------------------------------------------------------------- */

START_TEST(a_file_that_matches_its_entry_is_delivered)
{
    mcphost_call *call;
    const char *text;
    size_t len;

    up(NULL, LIST(ONE) READ("skill://one/SKILL.md", "\"text\":\"" ONE_TEXT "\""));
    call = to_read(NULL);
    ck_assert_msg(hr_end(&hr, call) == 0, "%s", hr_why(call));
    ck_assert_int_eq(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len), 0);
    ck_assert_uint_eq(len, 55);
    down();
    /* The library also checks a file that the server sends in base64. */
    up(NULL, LIST(ONE) READ("skill://one/a/b.md", "\"blob\":\"YWJj\""));
    ck_assert_int_eq(hr_end(&hr, to_read("a/b.md")), 0);
    ck_assert_int_eq(count("\"uri\":\"skill://one/a/b.md\""), 1);
    down();
}
END_TEST

START_TEST(a_file_that_does_not_match_its_entry_fails_the_read)
{
    static const char *const scripts[][2] = {
        {READ("skill://one/a/b.md", "\"text\":\"abd\""), "digest"},
        {READ("skill://one/a/b.md", "\"text\":\"abcd\""), "4 bytes"},
        {READ("skill://one/a/c.md", "\"text\":\"abc\""), "not have exactly one content"},
        {READ("skill://one/a/b.md", "\"blob\":\"????\""), "not have exactly one content"},
        {"on resources/read\n result {\"resultType\":\"complete\",\"ttlMs\":0,"
         "\"cacheScope\":\"private\",\"contents\":[]}\n",
         "not have exactly one content"},
    };
    char script[8192];
    mcphost_call *call;

    snprintf(script, sizeof(script), "%s%s", LIST(ONE), scripts[_i][0]);
    up(NULL, script);
    call = to_read("a/b.md");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_PROTOCOL);
    ck_assert_msg(strstr(hr_why(call), scripts[_i][1]), "%s", hr_why(call));
    ck_assert_ptr_null(mcphost_call_get_result(call));
    down();
}
END_TEST

START_TEST(invalid_calls_that_read_skills_are_refused)
{
    mcphost_error *err = NULL;
    mcphost_call *call;
    size_t len;
    const char *entry;

    up(NULL, LIST(ONE));
    entry = mcphost_skill_get_entry(mcphost_catalog_get_skill(catalog, 0), &len);
    ck_assert_int_eq(mcphost_call_new_read_skill(d, "a", entry, len, "c.md", &call, &err),
                     MCPHOST_E_NOTFOUND);
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_call_new_read_skill(d, "a", "{}", 2, NULL, &call, &err),
                     MCPHOST_E_INVALID);
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_call_new_read_skill(d, "b", entry, len, NULL, &call, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_call_new_read_skill(d, "a", "{", 1, NULL, &call, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_new_get_skill(d, "a", "", &call, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_call_new_read_directory(d, "a", "skill://one", "\xff", &call, NULL),
        MCPHOST_E_INVALID);
    down();
}
END_TEST

/* ---- one skill --------------------------------------------------------------------- */

START_TEST(a_skill_that_is_not_listed_can_be_fetched_and_read)
{
    const char *json;
    mcphost_call *call;
    size_t len;

    up(NULL, LIST("") "on skills/get\n result {\"resultType\":\"complete\",\"ttlMs\":0,"
                      "\"cacheScope\":\"private\",\"skill\":" ONE
                      "}\n" READ("skill://one/a/b.md", "\"text\":\"abc\""));
    ck_assert_int_eq(
        mcphost_call_new_get_skill(d, "a", "skill://one/SKILL.md", &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    json = mcphost_result_get_json(mcphost_call_get_result(call), &len);
    ck_assert_int_eq(
        mcphost_call_new_read_skill(d, "a", json, len, "a/b.md", &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    /* An answer with the entry of another skill is an error. */
    ck_assert_int_eq(
        mcphost_call_new_get_skill(d, "a", "skill://two/SKILL.md", &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_PROTOCOL);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "its uri is not the requested one"));
    down();
}
END_TEST

START_TEST(a_directory_is_read_page_by_page)
{
    mcphost_call *call;

    up(NULL, LIST("") "on resources/directory/read\n result {\"resultType\":\"complete\","
                      "\"resources\":[{\"uri\":\"skill://one/a\",\"name\":\"a\"}]}\n");
    ck_assert_int_eq(
        mcphost_call_new_read_directory(d, "a", "skill://one", "c\"1", &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(
        mcphost_result_get_json(mcphost_call_get_result(call), NULL), "skill://one/a"));
    ck_assert_uint_eq(mcphost_result_count_items(mcphost_call_get_result(call)), 0);
    ck_assert_int_eq(count("\"uri\":\"skill://one\",\"cursor\":\"c\\\"1\""), 1);
    down();
}
END_TEST

START_TEST(a_directory_read_is_refused_without_the_capability)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_server(&hr, "a", NULL,
              "era modern\ncapabilities {\"tools\":{},\"resources\":{},\"extensions\":"
              "{\"io.modelcontextprotocol/skills\":{}}}\n" LIST(""));
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(
        mcphost_call_new_read_directory(d, "a", "skill://one", NULL, &call, NULL), 0);
    hr_go(keep_call(call));
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_NOTFOUND);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "directoryRead"));
    down();
}
END_TEST

/* ---- the tools list_skills and read_skill ------------------------------------------ */

static void
up_with_tools(const char *script)
{
    up(NULL, script);
    ck_assert_int_eq(mcphost_view_add_resource_tools(mcphost_default_view(hr.host),
                                                     MCPHOST_RESOURCE_TOOL_LIST_SKILLS |
                                                         MCPHOST_RESOURCE_TOOL_READ_SKILL,
                                                     NULL),
                     0);
    while (!hr_has(&hr, "read_skill"))
        hr_turn(&hr, 100);
}

START_TEST(the_tool_list_skills_lists_and_searches_skills)
{
    up_with_tools(LIST(ONE "," SKILL("two", "\"dynamic\"")));
    ck_assert_str_eq(hr_say(&hr, d, "list_skills", "{}"),
                     "{\"skills\":[{\"serverId\":\"a\",\"uri\":\"skill://one/SKILL.md\","
                     "\"name\":\"one\",\"description\":\"what \\u00e4 is\"},"
                     "{\"serverId\":\"a\",\"uri\":\"skill://two/SKILL.md\",\"name\":"
                     "\"two\",\"description\":\"what \\u00e4 is\"}]}");
    test_has(hr_say(&hr, d, "list_skills", "{\"query\":\"TWO\",\"serverId\":\"a\"}"),
             "{\"skills\":[{\"serverId\":\"a\",\"uri\":\"skill://two/");
    ck_assert_str_eq(hr_say(&hr, d, "list_skills", "{\"query\":\"MIT\"}"),
                     "{\"skills\":[]}");
    ck_assert_str_eq(hr_say(&hr, d, "list_skills", "{\"serverId\":\"b\"}"),
                     "error: there is no server 'b'");
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "list_resources"));
    catalog = mcphost_catalog_unref(catalog);
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_str_eq(
        mcphost_tool_get_toolset(mcphost_catalog_find_tool(catalog, "read_skill")),
        "mcp_skills");
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "list_resources"));
    down();
}
END_TEST

START_TEST(the_tool_read_skill_delivers_only_files_that_match)
{
    mcphost_result *result;
    mcphost_call *call;

    up_with_tools(LIST(ONE) READ("skill://one/SKILL.md", "\"text\":\"" ONE_TEXT "\""));
    call = hr_call(&hr, d, "read_skill",
                   "{\"serverId\":\"a\",\"uri\":\"skill://one/SKILL.md\"}");
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    result = mcphost_call_get_result(call);
    ck_assert_int_eq(mcphost_result_is_error(result), 0);
    ck_assert_uint_eq(mcphost_result_count_items(result), 1);
    test_has(mcphost_result_item_get_json(result, 0, NULL), "license: MIT");
    test_has(hr_say(&hr, d, "read_skill",
                    "{\"serverId\":\"a\",\"uri\":\"skill://one/SKILL.md\","
                    "\"file\":\"a/b.md\"}"),
             "error: ");
    ck_assert_int_eq(count("skill://one/a/b.md"), 1);
    down();
}
END_TEST

static const struct {
    const char *arguments, *why;
} unread[] = {
    {"{\"serverId\":\"a\",\"uri\":\"skill://two/SKILL.md\"}",
     "has no skill with this uri"},
    {"{\"serverId\":\"b\",\"uri\":\"skill://one/SKILL.md\"}",
     "has no skill with this uri"},
    {"{\"serverId\":\"a\",\"uri\":\"skill://one/SKILL.md\\u0000\"}",
     "has no skill with this uri"},
    {"{\"serverId\":\"a\",\"uri\":\"skill://one/SKILL.md\",\"file\":\"../x\"}", "../x"},
    {"{\"serverId\":\"a\",\"uri\":\"skill://one/SKILL.md\",\"file\":\"a/b.md\\u0000\"}",
     "the name of the file has a NUL"},
};

START_TEST(wrong_arguments_of_read_skill_are_refused_before_anything_is_sent)
{
    up_with_tools(LIST(ONE));
    test_has(hr_say(&hr, d, "read_skill", unread[_i].arguments), unread[_i].why);
    ck_assert_int_eq(count("resources/read"), 0);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "list");

    tcase_add_test(tc, listed_skills_are_in_the_catalog_and_their_files_are_not_read);
    tcase_add_test(tc, an_invalid_skill_is_left_out_and_is_a_problem);
    tcase_add_test(tc, the_blacklist_of_skills_is_applied);
    tcase_add_test(tc, a_server_without_the_extension_is_asked_for_no_skills);
    tcase_add_test(tc, a_change_of_the_resources_lists_the_skills_again);
    tc = test_case(suite, "read");
    tcase_add_test(tc, a_file_that_matches_its_entry_is_delivered);
    tcase_add_loop_test(tc, a_file_that_does_not_match_its_entry_fails_the_read, 0, 5);
    tcase_add_test(tc, invalid_calls_that_read_skills_are_refused);
    tcase_add_test(tc, a_skill_that_is_not_listed_can_be_fetched_and_read);
    tcase_add_test(tc, a_directory_is_read_page_by_page);
    tcase_add_test(tc, a_directory_read_is_refused_without_the_capability);
    tc = test_case(suite, "model");
    tcase_add_test(tc, the_tool_list_skills_lists_and_searches_skills);
    tcase_add_test(tc, the_tool_read_skill_delivers_only_files_that_match);
    tcase_add_loop_test(tc,
                        wrong_arguments_of_read_skill_are_refused_before_anything_is_sent,
                        0, (int)(sizeof(unread) / sizeof(unread[0])));
}

int
main(void)
{
    return test_main("host-skill", add);
}
