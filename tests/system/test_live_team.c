/* SPDX-License-Identifier: MIT
 *
 * test_live_team.c - a followed team file: the tools that each member sees and calls
 * while the file is edited.
 */
#include <string.h>
#include <unistd.h>

#include "support/hostrig.h"

#define FEW "no-tools\ntool echo\ntool pid\n"

static struct hostrig hr;
static mcphost_view *ann;

static void
write_team(const char *text)
{
    rig_workspace_write(&hr.ws, ".minds/team.yaml", "%s", text);
}

/* Starts a host with two servers and a team.  `team` is the text of the team's file, or
 * NULL for no file. */
static void
up(int mode, const char *team)
{
    ann = NULL;
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, mode);
    hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
    hr_option(&hr, MCPHOST_OPT_RELOAD_POLL, 100);
    hr_server(&hr, "a", "truely-stateless: true", FEW);
    hr_server(&hr, "b", "truely-stateless: true", FEW);
    rig_workspace_yaml(&hr.ws, "%s", hr.yaml);
    if (team)
        write_team(team);
    ck_assert_int_eq(mcphost_use_team(hr.host, NULL, NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_load_workspace(hr.host, hr.ws.dir, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_use_team(hr.host, NULL, NULL), 0);
    hr_ready(&hr);
}

static void
down(void)
{
    mcphost_view_unref(ann);
    hr_down(&hr);
}

static mcphost_dialog *
talk(mcphost_view *view, const char *id)
{
    mcphost_dialog *dialog;

    ck_assert_int_eq(mcphost_dialog_new(view, id, NULL, &dialog, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = dialog;
    return dialog;
}

static mcphost_dialog *
talk_as_ann(void)
{
    ck_assert_int_eq(mcphost_get_team_view(hr.host, "ann", &ann), 0);
    return talk(ann, "d");
}

static void
edit(const char *team)
{
    write_team(team);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_turn(&hr, 0);
    hr_turn(&hr, 0);
}

#define ANN_A "members: {ann: {toolsets: [a]}}\n"
#define ANN_B "members: {ann: {toolsets: [b]}}\n"

/* R83 R87 */
START_TEST(a_member_sees_and_calls_only_the_tools_of_the_file)
{
    mcphost_view *again, *nobody = NULL;
    mcphost_call *call;
    mcphost_dialog *d;

    up(MCPHOST_RELOAD_EXPLICIT, "members: {ann: {toolsets: [b], tools: [a_echo]}}");
    d = talk_as_ann();
    ck_assert_str_eq(hr_tools(&hr, d), "b_echo b_pid a_echo");
    ck_assert_int_gt(hr_pid(&hr, d, "b_pid"), 0);
    ck_assert_int_eq(mcphost_call_new(d, "a_pid", NULL, 0, &call, NULL),
                     MCPHOST_E_DENIED);
    ck_assert_int_eq(mcphost_get_team_view(hr.host, "ann", &again), 0);
    ck_assert_ptr_eq(again, ann);
    mcphost_view_unref(again);
    ck_assert_int_eq(mcphost_get_team_view(hr.host, "bob", &nobody), MCPHOST_E_NOTFOUND);
    ck_assert_ptr_null(nobody);
    down();
}
END_TEST

/* R84 */
START_TEST(an_edit_of_the_team_applies_to_the_next_catalog_and_call)
{
    mcphost_dialog *d;
    mcphost_call *call;

    up(MCPHOST_RELOAD_EXPLICIT, ANN_A);
    d = talk_as_ann();
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    call = hr_call(&hr, d, "a_pid", NULL);
    edit(ANN_B);
    ck_assert_str_eq(hr_tools(&hr, d), "b_echo b_pid");
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
    down();
}
END_TEST

/* R88 */
START_TEST(edits_of_the_team_file_are_noticed_by_watch_and_poll)
{
    mcphost_dialog *d;

    up(_i, NULL);
    write_team(ANN_A);
    hr_until(&hr, mcphost_get_team_view(hr.host, "ann", &ann) == 0);
    d = talk(ann, "d");
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    write_team(ANN_B);
    hr_until(&hr, strcmp(hr_tools(&hr, d), "b_echo b_pid") == 0);
    unlink(rig_workspace_path(&hr.ws, ".minds/team.yaml"));
    hr_until(&hr, strcmp(hr_tools(&hr, d), "") == 0); /* the team has no members */
    down();
}
END_TEST

START_TEST(a_rejected_file_leaves_the_grants_as_they_were) /* R85 */
{
    mcphost_dialog *d;

    up(MCPHOST_RELOAD_EXPLICIT, ANN_A);
    d = talk_as_ann();
    edit("members: [ann\n");
    ck_assert_ptr_nonnull(hr_problem(&hr, "team/workspace_config_error"));
    ck_assert_int_eq(hr_severity(&hr, "team/workspace_config_error"),
                     MCPHOST_SEVERITY_ERROR);
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    edit(ANN_B);
    ck_assert_ptr_null(hr_problem(&hr, "team/workspace_config_error"));
    ck_assert_str_eq(hr_tools(&hr, d), "b_echo b_pid");
    down();
}
END_TEST

/* R85 R87 */
START_TEST(an_invalid_member_gets_no_tools_and_others_are_not_affected)
{
    mcphost_view *bob;
    mcphost_dialog *d, *e;

    up(MCPHOST_RELOAD_EXPLICIT, "members: {ann: {toolsets: [a]}, bob: {toolsets: [a]}}");
    d = talk_as_ann();
    ck_assert_int_eq(mcphost_get_team_view(hr.host, "bob", &bob), 0);
    e = talk(bob, "e");
    mcphost_view_unref(bob); /* the dialog has its own reference */
    edit("members: {ann: {toolsets: 7}, bob: {toolsets: [b]}}");
    ck_assert_str_eq(hr_tools(&hr, d), "");
    ck_assert_str_eq(hr_tools(&hr, e), "b_echo b_pid");
    ck_assert_ptr_nonnull(hr_problem(&hr, "team/config_error/members.ann.toolsets"));
    down();
}
END_TEST

/* R85 R87 */
START_TEST(a_removed_member_gets_no_tools_until_it_is_added_again)
{
    mcphost_view *again = NULL;
    mcphost_dialog *d;

    up(MCPHOST_RELOAD_EXPLICIT, ANN_A);
    d = talk_as_ann();
    edit("members: {bob: {toolsets: [a]}}");
    ck_assert_str_eq(hr_tools(&hr, d), "");
    ck_assert_int_eq(mcphost_get_team_view(hr.host, "ann", &again), MCPHOST_E_NOTFOUND);
    edit(ANN_B);
    ck_assert_str_eq(hr_tools(&hr, d), "b_echo b_pid");
    ck_assert_int_eq(mcphost_get_team_view(hr.host, "ann", &again), 0);
    ck_assert_ptr_eq(again, ann);
    mcphost_view_unref(again);
    down();
}
END_TEST

/* R85 R86 */
START_TEST(a_toolset_that_a_member_misses_raises_a_problem)
{
    up(MCPHOST_RELOAD_EXPLICIT, "members: {ann: {toolsets: [a, play]}}");
    hr_until(&hr, hr_problem(&hr, "team/member/ann/toolset/play"));
    edit(ANN_A);
    hr_until(&hr, !hr_problem(&hr, "team/member/ann/toolset/play"));
    down();
}
END_TEST

/* R83 */
START_TEST(the_team_sets_the_grants_of_its_own_views_and_no_others)
{
    mcphost_grant *grant;
    mcphost_view *bob, *other = NULL;

    up(MCPHOST_RELOAD_EXPLICIT, ANN_A);
    talk_as_ann();
    ck_assert_int_eq(mcphost_grant_new(&grant), 0);
    ck_assert_int_eq(mcphost_view_set_grant(ann, grant), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_view_new(hr.host, "bob", grant, &bob, NULL), 0);
    edit("members: {ann: {toolsets: [a]}, bob: {toolsets: [a]}}");
    ck_assert_int_eq(mcphost_get_team_view(hr.host, "bob", &other), MCPHOST_E_EXISTS);
    ck_assert_str_eq(hr_tools(&hr, talk(bob, "e")), "");
    mcphost_grant_unref(grant);
    mcphost_view_unref(bob);
    down();
}
END_TEST

/* R83 */
START_TEST(the_team_file_follows_the_policy_of_the_default_source)
{
    mcphost_source *source;

    hr_up(&hr);
    source = mcphost_default_source(hr.host);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    ck_assert_int_eq(
        mcphost_source_set_policy(source, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_POLL, NULL),
        0);
    ck_assert_int_eq(
        mcphost_source_set_policy(source, MCPHOST_OPT_RELOAD_POLL, 100, NULL), 0);
    hr_server(&hr, "a", "truely-stateless: true", FEW);
    rig_workspace_write(&hr.ws, "crew.yaml", "%s", ANN_A);
    ck_assert_int_eq(
        mcphost_use_team(hr.host, rig_workspace_path(&hr.ws, "crew.yaml"), NULL), 0);
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, talk_as_ann()), "a_echo a_pid");
    rig_workspace_write(&hr.ws, "crew.yaml", "members: {ann: {tools: [a_pid]}}\n");
    hr_until(&hr, strcmp(hr_tools(&hr, hr.dialogs[0]), "a_pid") == 0);
    down();
}
END_TEST

/* The policy of the default source also decides whether a turn reads the file again. */
START_TEST(a_turn_reads_the_team_file_again_by_the_default_sources_policy)
{
    mcphost_turn *turn = NULL;
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    ck_assert_int_eq(mcphost_source_set_policy(mcphost_default_source(hr.host),
                                               MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_TURN,
                                               NULL),
                     0);
    hr_server(&hr, "a", "truely-stateless: true", FEW);
    rig_workspace_write(&hr.ws, "crew.yaml", "%s", ANN_A);
    ck_assert_int_eq(
        mcphost_use_team(hr.host, rig_workspace_path(&hr.ws, "crew.yaml"), NULL), 0);
    hr_load(&hr);
    d = talk_as_ann();
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    rig_workspace_write(&hr.ws, "crew.yaml", "members: {ann: {tools: [a_pid]}}\n");
    ck_assert_int_eq(mcphost_turn_new(d, &turn), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, d), "a_pid") == 0);
    mcphost_turn_unref(turn);
    down();
}
END_TEST

/* R83 */
START_TEST(a_named_team_file_needs_no_workspace_and_its_loss_changes_nothing)
{
    mcphost_dialog *d;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", "truely-stateless: true", FEW);
    rig_workspace_write(&hr.ws, "crew.yaml", "%s", ANN_A);
    ck_assert_int_eq(
        mcphost_use_team(hr.host, rig_workspace_path(&hr.ws, "crew.yaml"), NULL), 0);
    ck_assert_int_eq(mcphost_use_team(hr.host, "/x", NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_use_team(hr.host, "", NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_use_team(NULL, NULL, NULL), MCPHOST_E_INVALID);
    hr_load(&hr);
    d = talk_as_ann();
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    /* The team file must exist, because the application named the file.  If the file
     * disappears, the grants stay. */
    unlink(rig_workspace_path(&hr.ws, "crew.yaml"));
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_until(&hr, hr_problem(&hr, "team/workspace_config_error"));
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    ck_assert_int_eq(mcphost_get_team_view(hr.host, NULL, &ann), MCPHOST_E_INVALID);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "members");

    tcase_add_test(tc, a_member_sees_and_calls_only_the_tools_of_the_file);
    tcase_add_test(tc, the_team_file_follows_the_policy_of_the_default_source);
    tcase_add_test(tc, a_turn_reads_the_team_file_again_by_the_default_sources_policy);
    tcase_add_test(tc, an_invalid_member_gets_no_tools_and_others_are_not_affected);
    tcase_add_test(tc, a_removed_member_gets_no_tools_until_it_is_added_again);
    tcase_add_test(tc, a_toolset_that_a_member_misses_raises_a_problem);
    tcase_add_test(tc, the_team_sets_the_grants_of_its_own_views_and_no_others);

    tc = test_case(suite, "file");
    tcase_set_timeout(tc, 10);
    tcase_add_test(tc, an_edit_of_the_team_applies_to_the_next_catalog_and_call);
    tcase_add_loop_test(tc, edits_of_the_team_file_are_noticed_by_watch_and_poll,
                        MCPHOST_RELOAD_WATCH, MCPHOST_RELOAD_POLL + 1);
    tcase_add_test(tc, a_rejected_file_leaves_the_grants_as_they_were);
    tcase_add_test(tc, a_named_team_file_needs_no_workspace_and_its_loss_changes_nothing);
}

int
main(void)
{
    return test_main("live-team", add);
}
