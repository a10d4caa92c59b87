/* SPDX-License-Identifier: MIT
 *
 * test_ctl_team.c - mcphostctl batch: dialogs as members of a team.
 */
#include <stdio.h>
#include <string.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_session session;

static void
write_team(const char *text)
{
    rig_workspace_write(&place.ws, ".minds/team.yaml", "%s", text);
}

static void
up(void)
{
    ctl_place_up(&place);
    write_team("members:\n"
               "  ann: {toolsets: [desk]}\n"
               "  bob: {toolsets: [board, attic], tools: [desk_echo]}\n");
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "up", "\"op\":\"wait\",\"ms\":10000"));
}

static void
down(void)
{
    ck_assert_int_eq(ctl_session_down(&session), 0);
    ctl_place_down(&place);
}

static void
refusal(const char *members, int code, const char *what)
{
    const json_t *error;
    json_t *answer;

    ctl_send(&session, "{\"id\":\"x\",%s}", members);
    answer = ctl_answer(&session, "x");
    error = json_object_get(answer, "error");
    ck_assert_msg(error != NULL, "%s was carried out", members);
    ck_assert_int_eq(ctl_int(error, "code"), code);
    ck_assert_msg(strstr(ctl_string(error, "message"), what) != NULL, "%s",
                  ctl_string(error, "message"));
    json_decref(answer);
}

/* Sends a `tools` line and returns the names of the tools, separated by blanks. */
static const char *
tools(const char *members)
{
    static char names[4096];
    json_t *rows = ctl_ask(&session, "t", members), *row;
    size_t i;

    names[0] = '\0';
    json_array_foreach(rows, i, row)
    {
        ck_assert_uint_lt(strlen(names) + 80, sizeof(names));
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
                 i ? " " : "", ctl_string(row, "name"));
    }
    json_decref(rows);
    return names;
}

static void
use_team(void)
{
    json_decref(ctl_ask(&session, "team", "\"op\":\"team\""));
}

/* R83 R87 */
START_TEST(a_dialog_of_a_member_sees_only_the_tools_of_the_member)
{
    use_team();
    json_decref(ctl_ask(&session, "1",
                        "\"op\":\"call\",\"dialog\":\"A\",\"member\":\"ann\","
                        "\"tool\":\"desk_echo\",\"arguments\":{\"text\":\"x\"}"));
    refusal("\"op\":\"call\",\"dialog\":\"A\",\"tool\":\"echo_board\"", -100,
            "echo_board");
    refusal("\"op\":\"call\",\"dialog\":\"B\",\"member\":\"bob\",\"tool\":\"desk_count\"",
            -100, "desk_count");
    json_decref(ctl_ask(&session, "2",
                        "\"op\":\"call\",\"dialog\":\"B\",\"member\":\"bob\","
                        "\"tool\":\"echo_board\",\"arguments\":{\"text\":\"x\"}"));
    /* A dialog without a member sees all tools. */
    json_decref(ctl_ask(&session, "3",
                        "\"op\":\"call\",\"dialog\":\"C\",\"tool\":\"echo_board\","
                        "\"arguments\":{\"text\":\"x\"}"));
    ck_assert_str_eq(tools("\"op\":\"tools\",\"member\":\"bob\""),
                     "echo_board count_board desk_echo");
    ck_assert_str_eq(tools("\"op\":\"tools\",\"dialog\":\"B\""),
                     "echo_board count_board desk_echo");
    ck_assert_ptr_nonnull(strstr(tools("\"op\":\"tools\""), "mcp_restart"));
}
END_TEST

START_TEST(a_missing_toolset_of_a_member_is_reported) /* R85 R86 */
{
    json_t *result = ctl_ask(&session, "team", "\"op\":\"team\"");
    const json_t *row = ctl_row(json_object_get(result, "problems"), "id",
                                "team/member/bob/toolset/attic");

    ck_assert_str_eq(ctl_string(row, "severity"), "warning");
    json_decref(result);
    result = ctl_ask(&session, "c", "\"op\":\"catalog\",\"member\":\"bob\"");
    row = ctl_row(json_object_get(result, "missing"), "toolset", "attic");
    ck_assert_str_eq(ctl_string(row, "lack"), "unknown");
    json_decref(result);
}
END_TEST

START_TEST(an_edit_of_the_team_reaches_open_dialogs) /* R84 */
{
    use_team();
    json_decref(ctl_ask(&session, "1",
                        "\"op\":\"call\",\"dialog\":\"A\",\"member\":\"ann\","
                        "\"tool\":\"desk_echo\",\"arguments\":{\"text\":\"x\"}"));
    write_team("members: {ann: {toolsets: [board]}}\n");
    json_decref(ctl_ask(&session, "r", "\"op\":\"reload\""));
    ck_assert_str_eq(tools("\"op\":\"tools\",\"dialog\":\"A\""),
                     "echo_board count_board");
    refusal("\"op\":\"tools\",\"member\":\"bob\"", -6, "no such member");
}
END_TEST

START_TEST(a_team_can_be_read_from_another_file)
{
    rig_workspace_write(&place.ws, "crew.yaml", "%s",
                        "members: {cat: {tools: [desk_echo]}}\n");
    json_decref(ctl_ask(&session, "team", "\"op\":\"team\",\"file\":\"crew.yaml\""));
    ck_assert_str_eq(tools("\"op\":\"tools\",\"member\":\"cat\""), "desk_echo");
}
END_TEST

START_TEST(a_rejected_team_file_is_reported_with_its_line) /* R114 */
{
    json_t *result;
    const json_t *row;

    write_team("members: [1]\n");
    result = ctl_ask(&session, "team", "\"op\":\"team\"");
    row = json_array_get(json_object_get(result, "problems"), 0);
    ck_assert_str_eq(ctl_string(row, "kind"), "team_workspace_config_error");
    ck_assert_ptr_nonnull(strstr(ctl_string(row, "message"), "team.yaml:1:"));
    json_decref(result);
}
END_TEST

START_TEST(members_without_a_team_and_dialogs_of_other_members_are_refused)
{
    refusal("\"op\":\"tools\",\"member\":\"ann\"", -6, "no team is loaded");
    refusal("\"op\":\"call\",\"member\":\"ann\",\"tool\":\"desk_echo\"", -6,
            "no team is loaded");
    use_team();
    refusal("\"op\":\"team\"", -2, "already");
    json_decref(ctl_ask(&session, "1",
                        "\"op\":\"call\",\"dialog\":\"A\",\"member\":\"ann\","
                        "\"tool\":\"desk_echo\",\"arguments\":{\"text\":\"x\"}"));
    refusal("\"op\":\"call\",\"dialog\":\"A\",\"member\":\"bob\",\"tool\":\"desk_echo\"",
            -2, "another member");
    json_decref(ctl_ask(&session, "2", "\"op\":\"close_dialog\",\"dialog\":\"A\""));
    json_decref(ctl_ask(&session, "3",
                        "\"op\":\"call\",\"dialog\":\"A\",\"member\":\"bob\","
                        "\"tool\":\"desk_echo\",\"arguments\":{\"text\":\"x\"}"));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "team");

    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_dialog_of_a_member_sees_only_the_tools_of_the_member);
    tcase_add_test(tc, a_missing_toolset_of_a_member_is_reported);
    tcase_add_test(tc, an_edit_of_the_team_reaches_open_dialogs);
    tcase_add_test(tc, a_team_can_be_read_from_another_file);
    tcase_add_test(tc, a_rejected_team_file_is_reported_with_its_line);
    tcase_add_test(tc, members_without_a_team_and_dialogs_of_other_members_are_refused);
}

int
main(void)
{
    return test_main("ctl-team", add);
}
