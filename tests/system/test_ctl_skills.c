/* SPDX-License-Identifier: MIT
 *
 * test_ctl_skills.c - mcphostctl and the skills of servers.
 */
#include <stdlib.h>
#include <string.h>

#include "support/ctlrun.h"
#include "support/runner.h"

#define SKILL(path, name)                                                           \
    "{\"uri\":\"skill://" path name "/SKILL.md\",\"frontmatter\":{\"name\":\"" name \
    "\",\"description\":\"what it is\"},\"resources\":\"dynamic\"}"
#define SERVER                                                                           \
    "era modern\ncapabilities {\"tools\":{},\"resources\":{},\"extensions\":"            \
    "{\"io.modelcontextprotocol/skills\":{}}}\n"                                         \
    "on skills/list\n result {\"resultType\":\"complete\",\"ttlMs\":0,"                  \
    "\"cacheScope\":\"private\",\"skills\":[" SKILL("", "one") "," SKILL(                \
        "a/", "two") "," SKILL("b/", "two") "]}\n"                                       \
                                            "on resources/read\n result "                \
                                            "{\"resultType\":\"complete\",\"ttlMs\":0,"  \
                                            "\"cacheScope\":\"private\",\"contents\":[{" \
                                            "\"uri\":\"skill://one/SKILL.md\","          \
                                            "\"text\":\"---\\nname: one\\ndescription: " \
                                            "%s\\n---\\nDo it.\"}]}\n"

static struct ctl_place place;
static struct ctl_run run;

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

static void
serve(const char *description)
{
    rig_workspace_write(&place.ws, "a", SERVER, description);
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n  a:\n    transport: stdio\n    command: %s\n"
        "    args: [%s/a]\n",
        rig_fakeserver(), place.ws.dir);
}

/* With --role, `skills list` lists no skills of servers, because these skills belong to
 * no role. */
START_TEST(with_a_role_the_skills_of_servers_are_not_listed)
{
    serve("what it is");
    ctl_run(&run, &place, "skills", "list", "--role", "main", "--json", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "[]\n");
    ctl_run_free(&run);
    ctl_run(&run, &place, "skills", "list", "--role", "main", "--server", "a", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "skills", "show", "x", "--role", "main", NULL);
    ctl_status_is(&run, 2);
}
END_TEST

START_TEST(skills_of_servers_are_listed_as_rows)
{
    json_t *json, *row;

    serve("what it is");
    ctl_run(&run, &place, "skills", "list", "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_uint_eq(json_array_size(json), 3);
    row = json_array_get(json, 0);
    ck_assert_str_eq(ctl_string(row, "name"), "one");
    ck_assert(json_is_null(json_object_get(row, "source")));
    ck_assert_str_eq(ctl_string(row, "server"), "a");
    ck_assert(json_is_null(json_object_get(row, "role")));
    ck_assert_str_eq(ctl_string(row, "uri"), "skill://one/SKILL.md");
    ck_assert(json_is_true(json_object_get(row, "enabled")));
    ck_assert_str_eq(ctl_string(row, "description"), "what it is");
    json_decref(json);
    ctl_run_free(&run);
    ctl_run(&run, &place, "skills", "list", "--server", "a", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "skill://one/SKILL.md");
    ctl_run_free(&run);
    ctl_run(&run, &place, "skills", "list", "--server", "b", "--json", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "no server 'b'");
}
END_TEST

START_TEST(a_skill_whose_front_matter_changed_is_not_shown)
{
    serve("what it is");
    ctl_run(&run, &place, "skills", "show", "one", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "Do it.");
    ctl_run_free(&run);
    serve("another");
    ctl_run(&run, &place, "skills", "show", "skill://one/SKILL.md", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "front matter");
    ck_assert_ptr_null(strstr(run.out, "Do it."));
}
END_TEST

START_TEST(an_ambiguous_or_unknown_skill_is_refused)
{
    serve("what it is");
    ctl_run(&run, &place, "skills", "show", "two", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'skill://a/two/SKILL.md' of 'a', 'skill://b/two/SKILL.md' of 'a'");
    ctl_run_free(&run);
    ctl_run(&run, &place, "skills", "show", "three", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "no server lists");
    ctl_run_free(&run);
    ctl_run(&run, &place, "skills", "show", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "skills", "drop", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "not 'drop'");
    ctl_run_free(&run);
    ctl_run(&run, &place, "skills", "list", "all", NULL);
    ctl_status_is(&run, 2);
}
END_TEST

START_TEST(batch_lists_the_skills_of_servers)
{
    struct ctl_session session;
    json_t *json;

    serve("what it is");
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "w", "\"op\":\"wait\""));
    json = ctl_ask(&session, "1", "\"op\":\"skills\"");
    ck_assert_uint_eq(json_array_size(json), 3);
    json_decref(json);
    ctl_session_down(&session);
}
END_TEST

START_TEST(names_of_skills_are_completed)
{
    serve("what it is");
    /* This command keeps the names of the skills in a file for the completion. */
    ctl_run(&run, &place, "servers", NULL);
    ctl_run_free(&run);
    ctl_run(&run, &place, "complete-line", "--", "bash", "mcphostctl skills show o", "",
            NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "w one\n");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "skills");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, names_of_skills_are_completed);
    tcase_add_test(tc, skills_of_servers_are_listed_as_rows);
    tcase_add_test(tc, with_a_role_the_skills_of_servers_are_not_listed);
    tcase_add_test(tc, a_skill_whose_front_matter_changed_is_not_shown);
    tcase_add_test(tc, an_ambiguous_or_unknown_skill_is_refused);
    tcase_add_test(tc, batch_lists_the_skills_of_servers);
}

int
main(void)
{
    return test_main("ctl-skills", add);
}
