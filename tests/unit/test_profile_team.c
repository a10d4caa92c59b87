/* SPDX-License-Identifier: MIT
 *
 * test_profile_team.c - .minds/team.yaml: the toolsets and tools of each member, and
 * faults in the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/profile.h"
#include "support/catalog.h"
#include "support/conf.h"
#include "support/runner.h"

static struct mcph_team *team;

static void
down(void)
{
    team = mcph_team_unref(team);
}

static void
read_team(const char *file, const char *workspace)
{
    struct mcph_team_source *source;

    ck_assert_int_eq(mcph_team_source_new(file, workspace, &source, NULL), 0);
    ck_assert_int_eq(source->read(source, &team, NULL), 0);
    source->free(source);
}

static void
load_text(const char *text)
{
    char path[] = "/tmp/mcphost-team-XXXXXX";
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    team = mcph_team_unref(team);
    read_team(path, "/ws");
    ck_assert_int_eq(unlink(path), 0);
}

/* Returns the member's toolsets and tools as one text, such as "ws_read !os | open ". */
static const char *
grant_of(const char *id)
{
    static char text[1024];
    const struct mcph_team_member *member = mcph_team_find(team, id);
    size_t len = 0;

    ck_assert_ptr_nonnull(member);
    text[0] = '\0';
    for (int list = 0; list < 2; list++) {
        const struct mcph_vec *items = &member->grant->lists[list];

        if (list && items->n)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "| ");
        for (size_t i = 0; i < items->n; i++) {
            const struct mcph_grant_item *item = items->items[i];

            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s ",
                                    item->refuses ? "!" : "", item->text);
        }
    }
    return text;
}

START_TEST(members_are_given_toolsets_and_tools) /* R83 B.18 */
{
    const struct mcph_team_member *ann;

    load_text("member_defaults: {x: y}\n"
              "members:\n"
              "  ann:\n"
              "    name: Ann\n"
              "    toolsets: [ws_read, playwright]\n"
              "  bob:\n"
              "    toolsets:\n"
              "      - '*'\n"
              "      - \"!os\"\n"
              "    tools: [open, '!run']\n"
              "  eve: {}\n"
              "  joe:\n");
    ck_assert_str_eq(conf_diags(team->report), "");
    ck_assert_int_eq(team->report->status, 0);
    ck_assert_uint_eq(team->members.n, 4);
    ck_assert_str_eq(grant_of("ann"), "ws_read playwright ");
    ck_assert_str_eq(grant_of("bob"), "* !os | open !run ");
    ck_assert_str_eq(grant_of("eve"), "");
    ck_assert_str_eq(grant_of("joe"), "");
    ck_assert_ptr_null(mcph_team_find(team, "mallory"));
    ann = mcph_team_find(team, "ann");
    ck_assert(!ann->invalid);
    ck_assert_int_eq(ann->line, 3);
    ck_assert_int_eq(
        ((struct mcph_grant_item *)ann->grant->lists[MCPH_GRANT_TOOLSETS].items[1])->line,
        5);
}
END_TEST

START_TEST(a_key_that_a_member_lacks_is_taken_from_the_defaults) /* R83 B.18 */
{
    load_text("member_defaults:\n"
              "  toolsets: [ws_read, web]\n"
              "  tools: [open]\n"
              "  model: x\n"
              "members:\n"
              "  ann: {name: Ann}\n"
              "  bob: {toolsets: [os]}\n"
              "  eve: {toolsets: [], tools: []}\n"
              "  joe:\n");
    ck_assert_str_eq(conf_diags(team->report), "");
    ck_assert_str_eq(grant_of("ann"), "ws_read web | open ");
    ck_assert_str_eq(grant_of("bob"), "os | open ");
    ck_assert_str_eq(grant_of("eve"), "");
    ck_assert_str_eq(grant_of("joe"), "ws_read web | open ");
    ck_assert_ptr_null(mcph_team_find(team, "member_defaults"));
}
END_TEST

START_TEST(a_member_that_needs_invalid_defaults_gets_nothing) /* R83 B.18 */
{
    load_text("member_defaults: {toolsets: web, tols: [a], tool: [b]}\n"
              "members:\n"
              "  ann: {}\n"
              "  bob: {toolsets: [os], tools: [x]}\n"
              "  eve: {toolsets: [os]}\n");
    ck_assert_str_eq(
        conf_diags(team->report),
        "1:29 error member_defaults.toolsets: expected a list of names, found a string\n"
        "1:34 warning member_defaults.tols: unknown key, ignored; did you mean 'tools'?\n"
        "1:45 warning member_defaults.tool: unknown key, ignored; did you mean "
        "'tools'?\n");
    ck_assert(mcph_team_find(team, "ann")->invalid);
    ck_assert_str_eq(grant_of("ann"), "");
    ck_assert(!mcph_team_find(team, "bob")->invalid);
    ck_assert_str_eq(grant_of("bob"), "os | x ");
    ck_assert(mcph_team_find(team, "eve")->invalid);
    ck_assert_str_eq(grant_of("eve"), "");
}
END_TEST

START_TEST(a_grant_of_the_file_makes_a_catalog) /* R83 R87 */
{
    mcphost_catalog *base =
        catrig_catalog(catrig_builtin("ws_read", "read"), catrig_builtin("os", "run"),
                       catrig_server_named("playwright", "click"), NULL);
    mcphost_catalog *mine;

    load_text("members: {ann: {toolsets: [ws_read, playwright]}}");
    ck_assert_int_eq(mcph_catalog_new_granted(1, base, mcph_team_find(team, "ann")->grant,
                                              NULL, &mine, NULL),
                     0);
    catrig_same(catrig_tool_names(mine), "read click ");
    mcph_catalog_unref(mine);
    mcph_catalog_unref(base);
}
END_TEST

/* A fault in the entry of one member takes away that member's whole grant.  The fault
 * does not affect other members. */
static const struct {
    const char *ann, *said;
} invalid[] = {
    {"{toolsets: web}",
     "3:19 error members.ann.toolsets: expected a list of names, found a string\n"},
    {"{toolsets: }",
     "3:19 error members.ann.toolsets: expected a list of names, found nothing (null)\n"},
    {"{toolsets: [web, 1]}",
     "3:25 error members.ann.toolsets[1]: expected a string, found "
     "a number (put it in quotes)\n"},
    {"{toolsets: [web], tools: {a: b}}",
     "3:33 error members.ann.tools: expected a list of names, found a map\n"},
    {"{toolsets: [web, '']}", "3:25 error members.ann.toolsets[1]: expected a name, "
                              "\"*\" or \"!name\", found a blank "
                              "text (without quotes !name is a tag of YAML)\n"},
    {"[web]", "3:8 error members.ann: expected a map, found a list\n"},
    {"web", "3:8 error members.ann: expected a map, found a string\n"},
};

START_TEST(an_invalid_member_gets_nothing_and_others_are_not_affected)
{
    char text[512];

    snprintf(text, sizeof(text), "members:\n  bob: {toolsets: [os]}\n  ann: %s\n",
             invalid[_i].ann);
    load_text(text);
    ck_assert_str_eq(conf_diags(team->report), invalid[_i].said);
    ck_assert_int_eq(team->report->status, 0);
    ck_assert(mcph_team_find(team, "ann")->invalid);
    ck_assert_str_eq(grant_of("ann"), "");
    ck_assert(!mcph_team_find(team, "bob")->invalid);
    ck_assert_str_eq(grant_of("bob"), "os ");
}
END_TEST

START_TEST(an_exclusion_without_quotes_makes_the_member_or_file_invalid)
{
    load_text("members:\n  ann:\n    toolsets:\n      - \"*\"\n      - !os\n");
    ck_assert(mcph_team_find(team, "ann")->invalid);
    ck_assert_str_eq(grant_of("ann"), "");
    ck_assert_ptr_nonnull(strstr(conf_diags(team->report),
                                 "5:9 error members.ann.toolsets[1]: expected a name, "));
    load_text("members:\n  ann:\n    toolsets: [\"*\", !os]\n");
    ck_assert(team->report->status != 0 || mcph_team_find(team, "ann")->invalid);
    load_text("members:\n  ann:\n    toolsets: [*, web]\n");
    ck_assert_int_eq(team->report->status, MCPHOST_E_CONFIG);
}
END_TEST

static const struct {
    const char *text, *said;
} rejected[] = {
    {"", "1:1 error expected a map with 'members', found an empty file\n"},
    {"# later\n", "1:1 error expected a map with 'members', found an empty file\n"},
    {"[]", "1:1 error expected a map with 'members', found a list\n"},
    {"members:\n",
     "1:9 error members: expected a map of members, found nothing (null)\n"},
    {"members: [ann]", "1:10 error members: expected a map of members, found a list\n"},
    {"members:\n  ann: {}\n  ann: {}\n",
     "3:3 error members.ann: duplicate key, first on line 2\n"},
    {"members: {ann: {toolsets: [web]}\n", "2:1 error not valid YAML: while parsing a "
                                           "flow mapping did not find expected ',' or "
                                           "'}'\n"},
};

START_TEST(a_rejected_file_has_no_members)
{
    load_text(rejected[_i].text);
    ck_assert_str_eq(conf_diags(team->report), rejected[_i].said);
    ck_assert_int_eq(team->report->status, MCPHOST_E_CONFIG);
    ck_assert_uint_eq(team->members.n, 0);
    ck_assert_ptr_null(mcph_team_find(team, "ann"));
}
END_TEST

START_TEST(a_misspelt_key_gets_a_warning)
{
    load_text("members:\n  ann:\n    toolset: [web]\n    model: x\n    tool: [a]\n");
    ck_assert_str_eq(
        conf_diags(team->report),
        "3:5 warning members.ann.toolset: unknown key, ignored; did you mean "
        "'toolsets'?\n"
        "5:5 warning members.ann.tool: unknown key, ignored; did you mean 'tools'?\n");
    ck_assert_str_eq(grant_of("ann"), "");
}
END_TEST

START_TEST(too_many_names_are_an_error)
{
    struct mcph_buf text;

    mcph_buf_init(&text, 1 << 20);
    mcph_buf_adds(&text, "members: {ann: {toolsets: [a");
    for (int i = 0; i < MCPH_GRANT_ITEMS_MAX; i++)
        mcph_buf_adds(&text, ",a");
    mcph_buf_adds(&text, "]}}");
    mcph_buf_addc(&text, '\0');
    load_text(text.data);
    mcph_buf_done(&text);
    ck_assert(mcph_team_find(team, "ann")->invalid);
    ck_assert_str_eq(grant_of("ann"), "");
    ck_assert_ptr_nonnull(
        strstr(conf_diags(team->report), "expected at most 1024 names, found more"));
}
END_TEST

START_TEST(the_default_file_may_be_missing_but_a_named_file_must_exist)
{
    char dir[] = "/tmp/mcphost-team-XXXXXX", path[64];
    FILE *f;

    ck_assert_ptr_nonnull(mkdtemp(dir));
    read_team(NULL, dir);
    ck_assert_int_eq(team->report->status, 0); /* without the file there are no members */
    ck_assert_uint_eq(team->members.n, 0);
    ck_assert_str_eq(conf_diags(team->report), "");
    team = mcph_team_unref(team);

    snprintf(path, sizeof(path), "%s/.minds", dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/.minds/team.yaml", dir);
    f = fopen(path, "we");
    ck_assert_ptr_nonnull(f);
    fputs("members: {ann: {toolsets: [web]}}", f);
    fclose(f);
    read_team(NULL, dir);
    ck_assert_str_eq(grant_of("ann"), "web ");
    team = mcph_team_unref(team);
    ck_assert_int_eq(unlink(path), 0);

    read_team(path, dir); /* a named file must exist */
    ck_assert_int_eq(team->report->status, MCPHOST_E_NOTFOUND);
    snprintf(path, sizeof(path), "%s/.minds", dir);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "team");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, members_are_given_toolsets_and_tools);
    tcase_add_test(tc, a_key_that_a_member_lacks_is_taken_from_the_defaults);
    tcase_add_test(tc, a_member_that_needs_invalid_defaults_gets_nothing);
    tcase_add_test(tc, a_grant_of_the_file_makes_a_catalog);
    tcase_add_loop_test(tc, an_invalid_member_gets_nothing_and_others_are_not_affected, 0,
                        (int)MCPH_ARRAY_SIZE(invalid));
    tcase_add_test(tc, an_exclusion_without_quotes_makes_the_member_or_file_invalid);
    tcase_add_loop_test(tc, a_rejected_file_has_no_members, 0,
                        (int)MCPH_ARRAY_SIZE(rejected));
    tcase_add_test(tc, a_misspelt_key_gets_a_warning);
    tcase_add_test(tc, too_many_names_are_an_error);
    tcase_add_test(tc, the_default_file_may_be_missing_but_a_named_file_must_exist);
}

int
main(void)
{
    return test_main("profile-team", add);
}
