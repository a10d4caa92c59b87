/* SPDX-License-Identifier: MIT
 *
 * test_host_goclaw_sub.c - a sub-agent with its own servers beside its parent, in one
 * host (R203-R209, R213, B.33).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mcphost/goclaw.h>

#include "support/hostrig.h"
#include "support/texts.h"

static struct hostrig hr;
static mcphost_source *parent, *sub;
static mcphost_builtins *tools;
static mcphost_view *view; /* the view of the sub-agent */
static mcphost_dialog *pd, *sd;
static mcphost_error *err;

/* ---- files ------------------------------------------------------------------------- */

static void
make_dir(const char *name)
{
    if (mkdir(rig_workspace_path(&hr.ws, name), 0755) < 0)
        ck_assert_int_eq(errno, EEXIST);
}

/* Writes a file with an enabled server and the disabled server `off`.  The enabled server
 * is the fake server with the tools `tool` and `pid`. */
static void
write_servers(const char *file, const char *id, const char *tool)
{
    rig_workspace_write(
        &hr.ws, file,
        "{\"version\":1,\"servers\":{\"%s\":{\"enabled\":true,\"type\":\"stdio\","
        "\"command\":\"%s\",\"args\":[\"-e\",\"no-tools\",\"-e\",\"tool %s\",\"-e\","
        "\"tool pid\"]},\"off\":{\"type\":\"stdio\",\"command\":\"x\"}}}",
        id, rig_fakeserver(), tool);
}

static char *
path(const char *name)
{
    return strdup(rig_workspace_path(&hr.ws, name));
}

/* ---- the parent -------------------------------------------------------------------- */

static void
set_policies(mcphost_source *source)
{
    static const struct {
        int policy;
        int64_t value;
    } all[] = {{MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT},
               {MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE},
               {MCPHOST_OPT_NAMES, MCPHOST_NAMES_SERVER},
               {MCPHOST_OPT_COLLISION, MCPHOST_COLLISION_REJECT}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        ck_assert_int_eq(
            mcphost_source_set_policy(source, all[i].policy, all[i].value, NULL), 0);
}

/* Starts the parent.  The parent has the tools p__find and p__pid, and the tools that
 * manage servers and skills. */
static void
up(void)
{
    mcphost_view *shown;

    parent = sub = NULL;
    tools = NULL;
    view = NULL;
    err = NULL;
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    make_dir(".goclaw");
    make_dir("job");
    make_dir("job/.goclaw");
    write_servers(".goclaw/mcp.json", "p", "find");
    shown = mcphost_default_view(hr.host);
    ck_assert_int_eq(mcphost_source_new(hr.host, "goclaw", &parent, NULL), 0);
    set_policies(parent);
    ck_assert_int_eq(mcphost_view_add_source(shown, parent, NULL, 0), 0);
    ck_assert_int_eq(mcphost_goclaw_builtins_new(hr.ws.dir, NULL, 0, &tools, NULL), 0);
    ck_assert_int_eq(mcphost_view_set_builtins(shown, tools, NULL), 0);
    ck_assert_int_eq(mcphost_goclaw_follow(parent, hr.ws.dir, NULL, 0, NULL), 0);
    hr_ready(&hr);
    pd = hr_dialog(&hr, "parent");
    ck_assert_int_eq(mcphost_dialog_set_agent(pd, "main"), 0);
}

static void
down(void)
{
    err = mcphost_error_unref(err);
    view = mcphost_view_unref(view);
    parent = mcphost_source_unref(parent);
    sub = mcphost_source_unref(sub);
    tools = mcphost_builtins_unref(tools);
    hr_down(&hr);
}

/* ---- the sub-agent ----------------------------------------------------------------- */

static void
make_sub(void)
{
    ck_assert_int_eq(mcphost_source_new(hr.host, "sub", &sub, NULL), 0);
    set_policies(sub);
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "sub", &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, sub, NULL, 0), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "sub", NULL, &sd, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = sd;
    ck_assert_int_eq(mcphost_dialog_set_agent(sd, "sub"), 0);
}

static int
load_subagent(const char *workdir, const char *file, uint64_t flags)
{
    char *dir = workdir ? path(workdir) : NULL;
    int r;

    err = mcphost_error_unref(err);
    r = mcphost_goclaw_load_subagent(sub, hr.ws.dir, dir, file, flags, &err);
    free(dir);
    return r;
}

/* Makes the sub-agent, loads its servers and returns the names of its tools. */
static const char *
loads(const char *workdir, const char *file)
{
    make_sub();
    ck_assert_int_eq(load_subagent(workdir, file, 0), 0);
    hr_ready(&hr);
    return hr_tools(&hr, sd);
}

static int
call(mcphost_dialog *dialog, const char *tool)
{
    mcphost_call *made = NULL;
    int r = mcphost_call_new(dialog, tool, "{}", 2, &made, NULL);

    mcphost_call_unref(made);
    return r;
}

static bool
is_alive(int pid)
{
    return kill(pid, 0) == 0;
}

/* ---- choosing the file ------------------------------------------------------------- */

/* R203 */
START_TEST(without_its_own_file_a_sub_agent_has_the_workspaces_servers)
{
    ck_assert_str_eq(loads("job", NULL), "p__find p__pid");
    /* The sub-agent also has its own instance of the server. */
    ck_assert_int_ne(hr_pid(&hr, sd, "p__pid"), hr_pid(&hr, pd, "p__pid"));
}
END_TEST

/* R204, R206: the file replaces the workspace's file as a whole.  The library does not
 * merge the two files. */
START_TEST(a_file_in_its_directory_replaces_the_workspaces_file)
{
    write_servers("job/.goclaw/mcp.json", "s", "look");
    ck_assert_str_eq(loads("job", NULL), "s__look s__pid");
}
END_TEST

/* R204 B.33 */
START_TEST(a_file_that_disables_every_server_leaves_no_tools)
{
    rig_workspace_write(&hr.ws, "job/.goclaw/mcp.json",
                        "{\"servers\":{\"p\":{\"enabled\":false}}}");
    ck_assert_str_eq(loads("job", NULL), "");
}
END_TEST

/* R203 R204 B.33 */
START_TEST(a_directory_in_place_of_its_file_is_ignored)
{
    make_dir("job/.goclaw/mcp.json");
    ck_assert_str_eq(loads("job", NULL), "p__find p__pid");
}
END_TEST

/* R205 R206 */
START_TEST(a_named_file_wins_and_affects_no_other_agent)
{
    write_servers("job/.goclaw/mcp.json", "s", "look");
    write_servers("mine.json", "m", "seek");
    ck_assert_str_eq(loads("job", "mine.json"), "m__seek m__pid");
    ck_assert_ptr_null(strstr(hr_tools(&hr, pd), "seek"));
}
END_TEST

/* R205 R206 B.33 */
START_TEST(a_named_file_that_is_missing_leaves_no_server)
{
    write_servers("job/.goclaw/mcp.json", "s", "look");
    ck_assert_str_eq(loads("job", "none.json"), "");
    test_has(hr_problem(&hr, "source/sub/mcp/config_warning/"),
             "the file does not exist");
}
END_TEST

/* B.33: a load with a bad file succeeds and gives no servers.  A problem reports the
 * error. */
START_TEST(a_bad_file_is_a_problem_and_leaves_no_server)
{
    rig_workspace_write(&hr.ws, "job/.goclaw/mcp.json", "{\"servers\":");
    ck_assert_str_eq(loads("job", NULL), "");
    test_has(hr_problem(&hr, "source/sub/mcp/workspace_config_error"), "not valid JSON");
    ck_assert_str_eq(hr_say(&hr, pd, "p__find", "{\"text\":\"x\"}"), "x");
}
END_TEST

/* ---- changes that do not reach the sub-agent --------------------------------------- */

/* R207, K2, C1: the servers of a sub-agent stay as they were loaded. */
START_TEST(edits_reloads_and_invalidations_do_not_change_a_sub_agent)
{
    mcphost_turn *turn;
    int pid;

    write_servers("job/.goclaw/mcp.json", "s", "look");
    ck_assert_str_eq(loads("job", NULL), "s__look s__pid");
    pid = hr_pid(&hr, sd, "s__pid");
    write_servers("job/.goclaw/mcp.json", "t", "other");
    ck_assert_int_eq(mcphost_turn_new(sd, &turn), 0);
    ck_assert_int_eq(mcphost_invalidate_agent(hr.host, "main"), 0);
    ck_assert_int_eq(mcphost_turn_is_stale(turn), 0);
    ck_assert_int_eq(mcphost_invalidate_agent(hr.host, "sub"), 0);
    ck_assert_int_eq(mcphost_invalidate_view(view), 0);
    /* The default source follows no file. */
    ck_assert_int_eq(mcphost_reload(hr.host), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_source_reload(sub), 0);
    mcphost_turn_end(turn);
    mcphost_turn_unref(turn);
    ck_assert_int_eq(unlink(rig_workspace_path(&hr.ws, "job/.goclaw/mcp.json")), 0);
    ck_assert_int_eq(mcphost_source_reload(sub), 0);
    hr_ready(&hr);
    hr_turn(&hr, 50);
    ck_assert_int_eq(mcphost_turn_new(sd, &turn), 0);
    ck_assert_str_eq(hr_tools(&hr, sd), "s__look s__pid");
    ck_assert_int_eq(hr_pid(&hr, sd, "s__pid"), pid);
    mcphost_turn_end(turn);
    mcphost_turn_unref(turn);
    /* The source can be loaded only once. */
    ck_assert_int_eq(load_subagent("job", NULL, 0), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_source_set_server_enabled(sub, "s", 0), MCPHOST_E_STATE);
}
END_TEST

/* R207: a reload does not start the failed server again, unlike a reload of a source that
 * follows a file. */
START_TEST(a_reload_does_not_retry_a_failed_server)
{
    rig_workspace_write(
        &hr.ws, "job/.goclaw/mcp.json",
        "{\"servers\":{\"s\":{\"enabled\":true,\"command\":\"./late\"}}}");
    make_sub();
    ck_assert_int_eq(mcphost_source_set_policy(sub, MCPHOST_OPT_RETRY, 0, NULL), 0);
    ck_assert_int_eq(load_subagent("job", NULL, 0), 0);
    hr_ready(&hr);
    ck_assert_str_eq(hr_tools(&hr, sd), "");
    ck_assert_int_eq(symlink(rig_fakeserver(), rig_workspace_path(&hr.ws, "job/late")),
                     0);
    ck_assert_int_eq(mcphost_source_reload(sub), 0);
    ck_assert_int_eq(mcphost_invalidate_agent(hr.host, "main"), 0);
    hr_ready(&hr);
    hr_turn(&hr, 100);
    ck_assert_str_eq(hr_tools(&hr, sd), "");
    /* An explicit restart starts the server, because the test has made the program. */
    ck_assert_int_eq(mcphost_source_restart_server(sub, "s"), 0);
    hr_until(&hr, strstr(hr_tools(&hr, sd), "s__echo") != NULL);
}
END_TEST

/* ---- parent and sub-agent side by side --------------------------------------------- */

/* R203-R207: the parent disables and enables its server with a tool.  Then the sub-agent
 * ends. */
START_TEST(parent_and_sub_agent_do_not_affect_each_other)
{
    mcphost_turn *turn;
    int mine, ours;

    write_servers("job/.goclaw/mcp.json", "s", "look");
    ck_assert_str_eq(loads("job", NULL), "s__look s__pid");
    ck_assert_ptr_null(strstr(hr_tools(&hr, pd), "s__"));
    ours = hr_pid(&hr, pd, "p__pid");
    mine = hr_pid(&hr, sd, "s__pid");
    ck_assert_int_ne(mine, ours);
    ck_assert_int_eq(mcphost_turn_new(pd, &turn), 0);
    test_has(hr_say(&hr, pd, "mcp_set_enabled", "{\"name\":\"p\",\"enabled\":false}"),
             "\"reloaded\":true");
    mcphost_turn_end(turn);
    mcphost_turn_unref(turn);
    hr_ready(&hr);
    hr_until(&hr, !strstr(hr_tools(&hr, pd), "p__"));
    ck_assert_str_eq(hr_tools(&hr, sd), "s__look s__pid");
    ck_assert_int_eq(hr_pid(&hr, sd, "s__pid"), mine);
    test_has(hr_say(&hr, pd, "mcp_set_enabled", "{\"name\":\"p\",\"enabled\":true}"),
             "\"reloaded\":true");
    hr_ready(&hr);
    hr_until(&hr, strstr(hr_tools(&hr, pd), "p__pid") != NULL);
    ours = hr_pid(&hr, pd, "p__pid");
    /* When the sub-agent ends, its processes end. */
    ck_assert_int_eq(mcphost_dialog_close(sd), 0);
    ck_assert_int_eq(mcphost_source_remove(sub), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) > 0);
    ck_assert(!is_alive(mine));
    ck_assert_int_eq(hr_pid(&hr, pd, "p__pid"), ours);
}
END_TEST

/* R213 K15 */
START_TEST(a_sub_agent_does_not_have_the_parents_management_tools)
{
    static const char *const all[] = {"mcp_list", "mcp_put_server", "runtime_reload",
                                      "skills_list", "skills_put"};

    (void)loads("job", NULL);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        ck_assert_ptr_null(strstr(hr_tools(&hr, sd), all[i]));
        ck_assert_ptr_nonnull(strstr(hr_tools(&hr, pd), all[i]));
        ck_assert_int_eq(call(sd, all[i]), MCPHOST_E_NOTFOUND);
    }
}
END_TEST

/* ---- places where the file may lie ------------------------------------------------- */

/* R205, R187, C1: after a load that was denied, the source can still be loaded. */
START_TEST(a_confined_sub_agent_reads_only_files_below_the_workspace)
{
    struct rig_workspace out;
    char *outside, *inside, beside[512];

    rig_workspace_up(&out, NULL);
    snprintf(beside, sizeof(beside), "%s2/x.json", hr.ws.dir);
    outside = strdup(rig_workspace_path(&out, "x.json"));
    rig_workspace_write(&out, "x.json", "{\"servers\":{}}");
    write_servers("mine.json", "m", "seek");
    ck_assert_int_eq(symlink(outside, rig_workspace_path(&hr.ws, "job/.goclaw/mcp.json")),
                     0);
    ck_assert_int_eq(symlink(out.dir, rig_workspace_path(&hr.ws, "link")), 0);
    make_sub();
    ck_assert_int_eq(load_subagent(NULL, outside, MCPHOST_GOCLAW_CONFINED),
                     MCPHOST_E_DENIED);
    test_has(mcphost_error_get_message(err), "leads out of the workspace");
    ck_assert_int_eq(load_subagent(NULL, beside, MCPHOST_GOCLAW_CONFINED),
                     MCPHOST_E_DENIED);
    ck_assert_int_eq(load_subagent(NULL, "../x.json", MCPHOST_GOCLAW_CONFINED),
                     MCPHOST_E_DENIED);
    ck_assert_int_eq(load_subagent(NULL, "link/x.json", MCPHOST_GOCLAW_CONFINED),
                     MCPHOST_E_DENIED);
    test_has(mcphost_error_get_message(err), "symbolic link");
    ck_assert_int_eq(load_subagent("job", NULL, MCPHOST_GOCLAW_CONFINED),
                     MCPHOST_E_DENIED);
    ck_assert_int_eq(load_subagent(NULL, "mine.json", 64), MCPHOST_E_INVALID);
    inside = path("mine.json");
    ck_assert_int_eq(load_subagent(NULL, inside, MCPHOST_GOCLAW_CONFINED), 0);
    hr_ready(&hr);
    ck_assert_str_eq(hr_tools(&hr, sd), "m__seek m__pid");
    free(inside);
    free(outside);
    rig_workspace_down(&out);
}
END_TEST

/* R205 C1 */
START_TEST(without_the_confined_flag_a_file_outside_can_be_loaded)
{
    struct rig_workspace out;
    char *outside;

    rig_workspace_up(&out, NULL);
    outside = strdup(rig_workspace_path(&out, "x.json"));
    rig_workspace_write(&out, "x.json", "{\"servers\":{}}");
    ck_assert_str_eq(loads(NULL, outside), "");
    free(outside);
    rig_workspace_down(&out);
}
END_TEST

/* ---- time-outs --------------------------------------------------------------------- */

/* B.37: starts and lists time out after 10 s, unless the application sets another
 * timeout. */
START_TEST(starts_and_lists_have_ten_seconds_unless_a_policy_is_set)
{
    int64_t value;

    make_sub();
    ck_assert_int_eq(
        mcphost_source_set_policy(sub, MCPHOST_OPT_START_TIMEOUT, 7000, NULL), 0);
    ck_assert_int_eq(load_subagent("job", NULL, 0), 0);
    ck_assert_int_eq(mcphost_source_get_policy(parent, MCPHOST_OPT_START_TIMEOUT, &value),
                     0);
    ck_assert_int_eq(value, 10000);
    ck_assert_int_eq(mcphost_source_get_policy(sub, MCPHOST_OPT_START_TIMEOUT, &value),
                     0);
    ck_assert_int_eq(value, 7000);
    ck_assert_int_eq(mcphost_source_get_policy(sub, MCPHOST_OPT_LIST_TIMEOUT, &value), 0);
    ck_assert_int_eq(value, 10000);
    hr_ready(&hr);
}
END_TEST

/* ---- skills ------------------------------------------------------------------------ */

static char *json;

static const char *
skills(const char *workdir, const char *role, uint64_t flags)
{
    char *dir = workdir ? path(workdir) : NULL;
    size_t len = 0;

    mcphost_free(json);
    json = NULL;
    ck_assert_int_eq(mcphost_goclaw_make_skills_json(hr.ws.dir, dir, NULL, role, flags,
                                                     &json, &len, NULL),
                     0);
    ck_assert_uint_eq(strlen(json), len);
    free(dir);
    return json;
}

static void
write_skill(const char *dir, const char *name, bool enabled)
{
    char file[256];

    make_dir(dir);
    snprintf(file, sizeof(file), "%s/%s", dir, name);
    make_dir(file);
    snprintf(file, sizeof(file), "%s/%s/SKILL.md", dir, name);
    rig_workspace_write(&hr.ws, file, "---\nname: %s\ndescription: of %s\n---\n# X\n",
                        name, dir);
    snprintf(file, sizeof(file), "%s/%s/.disabled", dir, name);
    if (!enabled)
        rig_workspace_write(&hr.ws, file, "%s", "");
}

/* R180 R208 R209 B.38 */
START_TEST(skills_in_its_directory_replace_those_of_its_role)
{
    const char *text;

    make_dir("skills");
    write_skill("skills/frontend", "a", true);
    write_skill("skills/frontend", "b", false);
    text = skills("job", "frontend", 0);
    test_has(text, "{\"role\":\"frontend\",\"base_dir\":\"");
    test_has(text, "/skills/frontend\",\"skills\":[{\"name\":\"a\"");
    test_has(text, "\"description\":\"of skills/frontend\"");
    ck_assert_ptr_null(strstr(text, "\"name\":\"b\""));
    write_skill("job/.goclaw/skills", "c", false);
    text = skills("job", "frontend", 0);
    test_has(text, "/job/.goclaw/skills\",\"skills\":[]}");
    test_has(skills("job", "frontend", MCPHOST_GOCLAW_WITH_DISABLED),
             "\"skills\":[{\"name\":\"c\",\"role\":\"frontend\",\"enabled\":false");
    /* Without a working directory the list has the workspace's skills of the role. */
    test_has(skills(NULL, "frontend", 0), "\"name\":\"a\"");
    test_has(skills(NULL, NULL, 0), "\"role\":\"main\"");
    mcphost_free(json);
    json = NULL;
}
END_TEST

/* R181 B.38 */
START_TEST(the_skill_list_is_valid_json_whatever_a_skill_contains)
{
    make_dir("skills");
    write_skill("skills/main", "a", true);
    rig_workspace_write(
        &hr.ws, "skills/main/a/SKILL.md", "%s",
        "---\nname: \"x\\x01\\u2028\\\"\"\ndescription: \"\\e\\n\xc3\xa9\"\n"
        "---\n\xff");
    MAKE(mcphost_goclaw_make_skills_json, hr.ws.dir, NULL, NULL, NULL, 0, &text_, &len_,
         NULL);
    texts_expect("goclaw");
    test_has(skills(NULL, NULL, 0), "\"description\":\"\\u001b\\n\xc3\xa9\"");
    mcphost_free(json);
    json = NULL;
}
END_TEST

/* R187 R209 */
START_TEST(a_bad_role_or_directory_of_skills_is_refused)
{
    char *dir = path("job");

    json = NULL;
    ck_assert_int_eq(
        mcphost_goclaw_make_skills_json(hr.ws.dir, dir, NULL, "..", 0, &json, NULL, NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_goclaw_make_skills_json(hr.ws.dir, dir, "../up", NULL, 0,
                                                     &json, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_goclaw_make_skills_json(hr.ws.dir, dir, NULL, NULL,
                                                     MCPHOST_GOCLAW_CONFINED, &json, NULL,
                                                     NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(symlink(hr.ws.dir, rig_workspace_path(&hr.ws, "job/.goclaw/skills")),
                     0);
    ck_assert_int_eq(
        mcphost_goclaw_make_skills_json(hr.ws.dir, dir, NULL, NULL, 0, &json, NULL, &err),
        MCPHOST_E_DENIED);
    test_has(mcphost_error_get_message(err), "symbolic link");
    ck_assert_ptr_null(json);
    free(dir);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "file");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, without_its_own_file_a_sub_agent_has_the_workspaces_servers);
    tcase_add_test(tc, a_file_in_its_directory_replaces_the_workspaces_file);
    tcase_add_test(tc, a_file_that_disables_every_server_leaves_no_tools);
    tcase_add_test(tc, a_directory_in_place_of_its_file_is_ignored);
    tcase_add_test(tc, a_named_file_wins_and_affects_no_other_agent);
    tcase_add_test(tc, a_named_file_that_is_missing_leaves_no_server);
    tcase_add_test(tc, a_bad_file_is_a_problem_and_leaves_no_server);
    tcase_add_test(tc, a_confined_sub_agent_reads_only_files_below_the_workspace);
    tcase_add_test(tc, without_the_confined_flag_a_file_outside_can_be_loaded);

    tc = test_case(suite, "life");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, edits_reloads_and_invalidations_do_not_change_a_sub_agent);
    tcase_add_test(tc, a_reload_does_not_retry_a_failed_server);
    tcase_add_test(tc, parent_and_sub_agent_do_not_affect_each_other);
    tcase_add_test(tc, a_sub_agent_does_not_have_the_parents_management_tools);
    tcase_add_test(tc, starts_and_lists_have_ten_seconds_unless_a_policy_is_set);

    tc = test_case(suite, "skills");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, skills_in_its_directory_replace_those_of_its_role);
    tcase_add_test(tc, the_skill_list_is_valid_json_whatever_a_skill_contains);
    tcase_add_test(tc, a_bad_role_or_directory_of_skills_is_refused);
}

int
main(void)
{
    return test_main("host-goclaw-sub", add);
}
