/* SPDX-License-Identifier: MIT
 *
 * test_ctl_turns.c - mcphostctl batch: dialog turns of agents that change their own
 * servers and skills, and sources that are added and removed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_session session;
static int n_asked;

/* Returns the members of a goclaw entry for a server with one tool. */
static const char *
entry(const char *tool)
{
    static char text[2048];

    snprintf(text, sizeof(text),
             "\"type\":\"stdio\",\"command\":\"%s\",\"args\":[\"-e\",\"no-tools\","
             "\"-e\",\"tool %s\"]",
             rig_fakeserver(), tool);
    return text;
}

static void
write_goclaw(const char *file, const char *tool)
{
    rig_workspace_write(&place.ws, file,
                        "{\"version\":1,\"servers\":{\"s-%s\":{\"enabled\":true,%s}}}",
                        tool, entry(tool));
}

static void
up(void)
{
    ctl_place_up(&place);
    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, ".goclaw"), 0700), 0);
    write_goclaw(".goclaw/mcp.json", "old");
    n_asked = 0;
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "up", "\"op\":\"wait\""));
}

static void
down(void)
{
    ck_assert_int_eq(ctl_session_down(&session), 0);
    ctl_place_down(&place);
}

/* ---- lines of the batch ------------------------------------------------------------ */

static const char *
next_id(void)
{
    static char id[16];

    snprintf(id, sizeof(id), "q%d", n_asked++);
    return id;
}

/* Runs an operation and returns its result.  The operation must succeed. */
static json_t *
ask(const char *members)
{
    return ctl_ask(&session, next_id(), members);
}

static void
does(const char *members, const char *flag)
{
    json_t *json = ask(members);

    ck_assert_msg(json_is_true(json_object_get(json, flag)), "%s", members);
    json_decref(json);
}

static void
waits(void)
{
    json_decref(ask("\"op\":\"wait\""));
}

static void
refuses(const char *members, const char *message)
{
    const char *id = next_id();
    json_t *json;

    ctl_send(&session, "{\"id\":\"%s\",%s}", id, members);
    json = ctl_answer(&session, id);
    ck_assert_msg(json_is_false(json_object_get(json, "ok")), "%s", members);
    ck_assert_str_eq(ctl_string(json_object_get(json, "error"), "message"), message);
    json_decref(json);
}

/* Returns true if the operation `tools` with these members lists the tool. */
static bool
lists(const char *members, const char *tool)
{
    char line[256];
    json_t *rows, *row;
    bool found = false;
    size_t i;

    snprintf(line, sizeof(line), "\"op\":\"tools\"%s%s", *members ? "," : "", members);
    rows = ask(line);
    json_array_foreach(rows, i, row)
    {
        found |= strcmp(ctl_string(row, "name"), tool) == 0;
    }
    json_decref(rows);
    return found;
}

/* Calls a tool in a turn.  The text of the result must contain `part`. */
static void
says(const char *turn, const char *tool, const char *arguments, const char *part)
{
    char line[4096];
    json_t *result;

    snprintf(line, sizeof(line),
             "\"op\":\"call\",\"turn\":\"%s\",\"tool\":\"%s\",\"arguments\":%s", turn,
             tool, arguments);
    result = ask(line);
    test_has(ctl_said(result), part);
    json_decref(result);
}

static const char *
put_server(const char *name, const char *tool)
{
    static char arguments[4096];

    snprintf(arguments, sizeof(arguments), "{\"name\":\"%s\",%s}", name, entry(tool));
    return arguments;
}

/* ---- turns ------------------------------------------------------------------------- */

/* R203-R207: a sub-agent has a configuration of its own. */
START_TEST(a_sub_agent_has_its_own_servers_and_reads_them_once)
{
    char line[512];

    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, "sub"), 0755), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, "sub/.goclaw"), 0755), 0);
    write_goclaw("sub/.goclaw/mcp.json", "mine");
    snprintf(line, sizeof(line),
             "\"op\":\"subagent\",\"source\":\"sub\",\"dialog\":\"S\",\"workdir\":\"%s\"",
             rig_workspace_path(&place.ws, "sub"));
    does(line, "opened");
    waits();
    ck_assert(lists("\"dialog\":\"S\"", "mine"));
    ck_assert(!lists("\"dialog\":\"S\"", "old"));
    ck_assert(!lists("", "mine"));
    /* Neither an edit nor an invalidation changes the sub-agent's tools.  The parent
     * keeps its own tools. */
    write_goclaw("sub/.goclaw/mcp.json", "other");
    does("\"op\":\"invalidate\",\"agent\":\"main\"", "invalidated");
    waits();
    ck_assert(lists("\"dialog\":\"S\"", "mine"));
    ck_assert(lists("", "old"));
    refuses(line, "the dialog is already open");
    does("\"op\":\"close_dialog\",\"dialog\":\"S\"", "closed");
    json_decref(ctl_event(&session, "source"));
    /* A sub-agent without a file of its own has the servers of its parent. */
    does("\"op\":\"subagent\",\"source\":\"sub\",\"dialog\":\"S\"", "opened");
    waits();
    ck_assert(lists("\"dialog\":\"S\"", "old"));
    refuses("\"op\":\"subagent\",\"dialog\":\"T\"", "'source' is missing");
}
END_TEST

/* Tests requirements R188, R189, R197 and R199. */
START_TEST(a_turn_keeps_its_tools_and_the_next_turn_has_new_ones)
{
    json_t *json;

    json =
        ask("\"op\":\"turn_begin\",\"turn\":\"t1\",\"dialog\":\"A\",\"agent\":\"main\"");
    ck_assert_str_eq(ctl_string(json, "turn"), "t1");
    ck_assert_int_gt(ctl_int(json, "version"), 0);
    json_decref(json);
    says("t1", "mcp_put_server", put_server("more", "new"), "\"reloaded\":true");
    says("t1", "skills_put", "{\"skill_name\":\"tides\",\"skill_md\":\"# T\"}",
         "\"enabled\":true");
    waits();
    /* A line that names the turn or its dialog sees the old tools.  Other lines see the
     * change. */
    ck_assert(!lists("\"turn\":\"t1\"", "new"));
    ck_assert(!lists("\"dialog\":\"A\"", "new"));
    ck_assert(lists("", "new"));
    refuses("\"op\":\"call\",\"turn\":\"t1\",\"tool\":\"new\"",
            "the turn has no such tool");
    refuses("\"op\":\"call\",\"dialog\":\"A\",\"tool\":\"new\"",
            "the turn has no such tool");
    says("t1", "old", "{\"text\":\"1\"}", "1");
    /* The next turn has the new tool and the new skill, while the first turn is still
     * open. */
    json_decref(ask("\"op\":\"turn_begin\",\"turn\":\"t2\",\"dialog\":\"A\""));
    ck_assert(lists("\"turn\":\"t2\"", "new"));
    ck_assert(lists("\"dialog\":\"A\"", "new"));
    ck_assert(!lists("\"turn\":\"t1\"", "new"));
    says("t2", "new", "{\"text\":\"2\"}", "2");
    says("t2", "skills_list", "{}", "\"name\":\"tides\"");
    json = ask("\"op\":\"turn_end\",\"turn\":\"t1\"");
    ck_assert(json_is_true(json_object_get(json, "ended")));
    ck_assert(json_is_true(json_object_get(json, "stale")));
    json_decref(json);
    json = ask("\"op\":\"turn_end\",\"turn\":\"t1\"");
    ck_assert(json_is_false(json_object_get(json, "ended")));
    json_decref(json);
    json = ask("\"op\":\"turn_end\",\"turn\":\"t2\"");
    ck_assert(json_is_false(json_object_get(json, "stale")));
    json_decref(json);
}
END_TEST

/* R198 R200 */
START_TEST(a_server_that_is_deleted_works_until_the_turn_ends)
{
    json_decref(ask("\"op\":\"turn_begin\",\"turn\":\"t1\",\"dialog\":\"A\",\"agent\":"
                    "\"main\""));
    says("t1", "mcp_delete_server", "{\"name\":\"s-old\"}", "\"deleted\":true");
    waits();
    ck_assert(!lists("", "old"));
    ck_assert(lists("\"turn\":\"t1\"", "old"));
    says("t1", "old", "{\"text\":\"still\"}", "still");
    does("\"op\":\"turn_end\",\"turn\":\"t1\"", "stale");
    json_decref(ask("\"op\":\"turn_begin\",\"turn\":\"t2\",\"dialog\":\"A\""));
    ck_assert(!lists("\"turn\":\"t2\"", "old"));
    refuses("\"op\":\"call\",\"turn\":\"t2\",\"tool\":\"old\"",
            "the turn has no such tool");
    /* Closing a dialog ends its turns. */
    does("\"op\":\"close_dialog\",\"dialog\":\"A\"", "closed");
    refuses("\"op\":\"call\",\"turn\":\"t2\",\"tool\":\"mcp_list\"", "no such turn");
}
END_TEST

/* R196 R201 */
START_TEST(an_edit_by_hand_is_read_after_an_invalidation)
{
    write_goclaw(".goclaw/mcp.json", "edited");
    json_decref(ask("\"op\":\"turn_begin\",\"turn\":\"v\",\"view\":\"default\",\"agent\":"
                    "\"web\""));
    rig_pause(400);
    ck_assert(lists("", "old"));
    ck_assert(!lists("", "edited"));
    does("\"op\":\"invalidate\",\"agent\":\"web\"", "invalidated");
    waits();
    ck_assert(lists("", "edited"));
    ck_assert(!lists("", "old"));
    ck_assert(lists("\"turn\":\"v\"", "old"));
    /* Any dialog can use a turn that was begun for a view and not for a dialog. */
    says("v", "old", "{\"text\":\"y\"}", "y");
    does("\"op\":\"turn_end\",\"turn\":\"v\"", "stale");
    write_goclaw(".goclaw/mcp.json", "again");
    json_decref(ask("\"op\":\"turn_begin\",\"turn\":\"v\",\"view\":\"default\""));
    does("\"op\":\"invalidate\",\"view\":\"default\"", "invalidated");
    waits();
    ck_assert(lists("", "again"));
    does("\"op\":\"turn_end\",\"turn\":\"v\"", "stale");
}
END_TEST

START_TEST(wrong_turns_are_refused)
{
    refuses("\"op\":\"turn_begin\",\"dialog\":\"A\"", "'turn' is missing");
    refuses("\"op\":\"turn_end\"", "'turn' is missing");
    refuses("\"op\":\"turn_begin\",\"turn\":\"t\",\"dialog\":\"A\",\"view\":\"default\"",
            "exactly one of 'dialog' and 'view' is needed");
    refuses("\"op\":\"turn_begin\",\"turn\":\"t\",\"view\":\"ann\"", "no team is loaded");
    refuses("\"op\":\"tools\",\"turn\":\"t\"", "no such turn");
    refuses("\"op\":\"call\",\"turn\":\"t\",\"tool\":\"old\"", "no such turn");
    json_decref(ask("\"op\":\"turn_begin\",\"turn\":\"t\",\"dialog\":\"A\",\"agent\":"
                    "\"main\""));
    refuses("\"op\":\"turn_begin\",\"turn\":\"t\"", "the turn is already open");
    refuses("\"op\":\"call\",\"turn\":\"t\",\"dialog\":\"B\",\"tool\":\"old\"",
            "the turn belongs to another dialog");
    refuses("\"op\":\"turn_begin\",\"turn\":\"u\",\"dialog\":\"A\",\"agent\":\"web\"",
            "the dialog belongs to another agent");
    refuses("\"op\":\"invalidate\"", "exactly one of 'agent' and 'view' is needed");
    refuses("\"op\":\"invalidate\",\"agent\":\"a\",\"view\":\"default\"",
            "exactly one of 'agent' and 'view' is needed");
}
END_TEST

/* ---- sources ----------------------------------------------------------------------- */

/* R3 */
START_TEST(sources_can_be_added_and_removed)
{
    json_t *json;

    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, "code"), 0700), 0);
    rig_workspace_write(&place.ws, "code/.mcp.json",
                        "{\"mcpServers\":{\"c\":{\"command\":\"%s\",\"args\":[\"-e\","
                        "\"no-tools\",\"-e\",\"tool code\"]}}}",
                        rig_fakeserver());
    does("\"op\":\"source_add\",\"source\":\"c\",\"profile\":\"mcpservers\",\"dir\":"
         "\"code\"",
         "added");
    waits();
    ck_assert(lists("", "code"));
    json = ask("\"op\":\"reload\",\"source\":\"c\"");
    ck_assert_str_eq(ctl_string(json, "source"), "c");
    json_decref(json);
    refuses("\"op\":\"disable\",\"server\":\"c:c\"",
            "a server of this source must be enabled or disabled by hand");
    rig_workspace_write(&place.ws, "more.yaml",
                        "version: 1\nservers:\n  m: {transport: stdio, command: '%s',\n"
                        "    args: [-e, no-tools, -e, tool yaml], transform: []}\n",
                        rig_fakeserver());
    does("\"op\":\"source_add\",\"source\":\"m\",\"file\":\"more.yaml\"", "added");
    waits();
    ck_assert(lists("", "yaml"));
    does("\"op\":\"source_remove\",\"source\":\"c\"", "removed");
    json = ctl_event(&session, "source");
    ck_assert_str_eq(ctl_string(json, "source"), "c");
    ck_assert_str_eq(ctl_string(json, "state"), "removed");
    json_decref(json);
    ck_assert(!lists("", "code"));
    ck_assert(lists("", "yaml"));
    /* After the removal, `disable` still finds a server of another source. */
    json = ask("\"op\":\"disable\",\"server\":\"m:m\"");
    ck_assert_str_eq(ctl_string(json, "source"), "m");
    json_decref(json);
    refuses("\"op\":\"source_remove\",\"source\":\"c\"", "no such source");
    does("\"op\":\"source_add\",\"source\":\"c\",\"profile\":\"mcpservers\",\"dir\":"
         "\"code\"",
         "added");
    waits();
    ck_assert(lists("", "code"));
}
END_TEST

START_TEST(disable_edits_the_file_of_goclaw_and_reads_it) /* R195 */
{
    json_t *json = ask("\"op\":\"disable\",\"server\":\"goclaw:s-old\"");
    json_t *change = json_array_get(json_object_get(json, "changes"), 0);

    ck_assert_str_eq(ctl_string(change, "server"), "s-old");
    ck_assert_str_eq(ctl_string(change, "change"), "disabled");
    json_decref(json);
    ck_assert_int_eq(
        rig_workspace_count(&place.ws, ".goclaw/mcp.json", "\"enabled\": false"), 1);
    json_decref(ask("\"op\":\"enable\",\"server\":\"goclaw:s-old\""));
    waits();
    ck_assert(lists("", "old"));
    refuses("\"op\":\"disable\",\"server\":\"goclaw:none\"", "there is no server 'none'");
}
END_TEST

START_TEST(wrong_sources_are_refused)
{
    refuses("\"op\":\"source_add\",\"profile\":\"goclaw\"", "'source' is missing");
    refuses("\"op\":\"source_remove\"", "'source' is missing");
    refuses("\"op\":\"source_add\",\"source\":\"x\"",
            "exactly one of 'profile' and 'file' is needed");
    refuses(
        "\"op\":\"source_add\",\"source\":\"x\",\"profile\":\"goclaw\",\"file\":\"a\"",
        "exactly one of 'profile' and 'file' is needed");
    refuses("\"op\":\"source_add\",\"source\":\"x\",\"file\":\"a\",\"dir\":\"b\"",
            "'dir' needs a 'profile'");
    refuses("\"op\":\"source_add\",\"source\":\"x\",\"profile\":\"other\"",
            "'profile' must be one of dominds goclaw mcpservers chatos");
    refuses("\"op\":\"source_add\",\"source\":\"goclaw\",\"file\":\"a\"",
            "a source with this id already exists");
    refuses("\"op\":\"source_add\",\"source\":\"a:b\",\"file\":\"a\"",
            "the id of a source must have 1 to 64 letters, digits, '_', '-' or '.'");
    refuses("\"op\":\"source_remove\",\"source\":\"default\"", "no such source");
    refuses("\"op\":\"turn_bgin\"", "unknown op 'turn_bgin'; did you mean 'turn_begin'?");
    refuses("\"op\":\"tools\",\"trun\":\"a\"",
            "unknown member 'trun'; did you mean 'turn'?");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "turns");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_sub_agent_has_its_own_servers_and_reads_them_once);
    tcase_add_test(tc, a_turn_keeps_its_tools_and_the_next_turn_has_new_ones);
    tcase_add_test(tc, a_server_that_is_deleted_works_until_the_turn_ends);
    tcase_add_test(tc, an_edit_by_hand_is_read_after_an_invalidation);
    tcase_add_test(tc, wrong_turns_are_refused);

    tc = test_case(suite, "sources");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, sources_can_be_added_and_removed);
    tcase_add_test(tc, disable_edits_the_file_of_goclaw_and_reads_it);
    tcase_add_test(tc, wrong_sources_are_refused);
}

int
main(void)
{
    return test_main("ctl-turns", add);
}
