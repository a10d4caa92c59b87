/* SPDX-License-Identifier: MIT
 *
 * test_ctl_profiles.c - mcphostctl in directories with files of several profiles: which
 * files become sources, and the skills of goclaw workspaces.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/runner.h"
#include "support/terminal.h"

static struct ctl_place place;
static struct ctl_run run;

static void
up(void)
{
    ctl_place_up(&place);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n"
                       "  desk: {transport: stdio, command: '%s', args: [desk],\n"
                       "         tools: {whitelist: [echo]}}\n",
                       ctl_demo_server());
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

#define RUN(...)                                    \
    (ctl_run_free(&run), run = (struct ctl_run){0}, \
     ctl_run(&run, &place, __VA_ARGS__, NULL))

static void
make_dir(const char *name)
{
    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, name), 0700), 0);
}

/* Writes a goclaw file with a server that has one tool, and a disabled server. */
static void
write_goclaw(const char *file, const char *tool)
{
    rig_workspace_write(&place.ws, file,
                        "{\"version\":1,\"servers\":{\"%s-one\":{\"enabled\":true,"
                        "\"type\":\"stdio\",\"command\":\"%s\",\"args\":[\"-e\","
                        "\"no-tools\",\"-e\",\"tool %s\"]},"
                        "\"off\":{\"type\":\"stdio\",\"command\":\"x\"}}}",
                        tool, rig_fakeserver(), tool);
}

static void
write_mcpservers(const char *file, const char *tool)
{
    rig_workspace_write(&place.ws, file,
                        "{\"mcpServers\":{\"%s-server\":{\"command\":\"%s\",\"args\":["
                        "\"-e\",\"no-tools\",\"-e\",\"tool %s\"]}}}",
                        tool, rig_fakeserver(), tool);
}

static void
write_all(void)
{
    make_dir(".goclaw");
    write_goclaw(".goclaw/mcp.json", "claw");
    write_mcpservers(".mcp.json", "code");
}

static void
remove_file(const char *name)
{
    ck_assert_int_eq(unlink(rig_workspace_path(&place.ws, name)), 0);
}

/* ---- detection of files ------------------------------------------------------------ */

/* R3 */
START_TEST(each_file_found_becomes_a_source_and_dominds_is_first)
{
    write_all();
    RUN("check");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "SOURCE      SERVER       TRANSPORT  STATE     LINE\n"
                              "-           desk         stdio      valid        3\n"
                              "goclaw      claw-one     stdio      valid        1\n"
                              "goclaw      off          stdio      disabled     1\n"
                              "mcpservers  code-server  stdio      valid        1\n");
    RUN("tools");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "\n-           echo |\ngoclaw      claw |\nmcpservers  code ");
    ck_assert_str_eq(run.err, "");
    RUN("servers");
    test_has_all(run.out, "\n-           desk |\ngoclaw      off |\nmcpservers  code-s");
    RUN("call", "claw", "text=x");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "x\n");
}
END_TEST

/* R3 */
START_TEST(a_missing_default_file_is_no_error_if_another_is_found)
{
    write_all();
    remove_file(".minds/mcp.yaml");
    RUN("servers");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.err, "");
    test_has_all(run.out, "\ngoclaw      claw-one |\nmcpservers  code-server ");
    RUN("server", "claw-one");
    ctl_status_is(&run, 2);
    test_has(run.err, "did you mean 'goclaw:claw-one'?");
    RUN("server", "goclaw:claw-one");
    ctl_status_is(&run, 0);
    remove_file(".mcp.json");
    RUN("check", "--json");
    test_has(run.out,
             "/.goclaw/mcp.json\",\"valid\":true,\"servers\":[{\"id\":\"claw-one\","
             "\"source\":\"goclaw\"");
}
END_TEST

START_TEST(a_directory_without_any_file_is_reported_as_no_servers)
{
    remove_file(".minds/mcp.yaml");
    RUN("servers");
    ctl_status_is(&run, 0);
    test_has(run.err, "mcphostctl: no servers in ");
    test_has(run.err, "/.minds/mcp.yaml\n");
    ck_assert_int_eq(strncmp(run.out, "SERVER  TRANSPORT ", 18), 0);
    RUN("check");
    test_has(run.out, "/.minds/mcp.yaml: no servers\n");
}
END_TEST

START_TEST(with_only_the_default_file_there_is_no_source_column)
{
    RUN("tools");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "NAME  SERVER  TOOLSET  DESCRIPTION\n"
                              "echo  desk    desk     Say the same again.\n");
}
END_TEST

START_TEST(with_config_url_or_stdio_no_other_file_is_detected)
{
    write_all();
    rig_workspace_write(&place.ws, "other.yaml", "version: 1\n");
    RUN("--config", "other.yaml", "check");
    ctl_status_is(&run, 0);
    test_has_not(run.out, "goclaw");
    test_has(run.out, "no servers");
    RUN("--config", ".mcp.json", "check");
    ck_assert_int_eq(strncmp(run.out, "SERVER ", 7), 0);
    test_has(run.out, "\ncode-server ");
    test_has_not(run.out, "claw");
    RUN("--url", "http://127.0.0.1:1/", "check");
    test_has_not(run.out, "claw");
    RUN("--stdio", "true", "check");
    test_has_not(run.out, "claw");
    /* `diff` compares only the default file. */
    RUN("diff", "other.yaml");
    ctl_status_is(&run, 0);
    test_has_not(run.out, "claw");
    RUN("diff", "other.yaml", "--profile", "goclaw");
    ctl_status_is(&run, 2);
    test_has(run.err, "--profile cannot be used with the command 'diff'");
}
END_TEST

START_TEST(a_detected_source_gets_another_id_if_its_id_is_given)
{
    write_all();
    RUN("--source", "goclaw=.minds/mcp.yaml", "check");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "\ngoclaw      desk |\ngoclaw2     claw-one ");
}
END_TEST

/* ---- --profile --------------------------------------------------------------------- */

START_TEST(a_profile_uses_the_directory_given_after_it) /* R3 */
{
    make_dir("a");
    make_dir("a/.goclaw");
    make_dir("b");
    write_goclaw("a/.goclaw/mcp.json", "claw");
    write_mcpservers("b/.mcp.json", "code");
    RUN("--profile", "goclaw", "-C", "a", "--profile", "mcpservers", "-C", "b", "check");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "\ngoclaw      claw-one |\nmcpservers  code-server ");
    test_has_not(run.out, "desk");
    /* A -C before the first --profile sets the directory of the profiles that have no -C
     * of their own. */
    RUN("-C", "a", "--profile", "goclaw", "--profile", "dominds", "-C", ".", "check");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "SOURCE  SERVER    TRANSPORT  STATE     LINE\n"
                              "-       desk      stdio      valid        3\n"
                              "goclaw  claw-one  stdio      valid        1\n"
                              "goclaw  off       stdio      disabled     1\n");
    RUN("-C", "a", "--profile", "mcpservers", "-C", "b", "--profile", "goclaw", "tools");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "\nmcpservers  code |\ngoclaw      claw ");
    /* With --profile, mcphostctl detects no files.  Only the named profiles become
     * sources. */
    write_all();
    RUN("--profile", "mcpservers", "check");
    test_has_not(run.out, "desk");
    test_has_not(run.out, "claw");
    test_has(run.out, "\nmcpservers  code-server ");
}
END_TEST

START_TEST(a_profile_may_be_given_twice)
{
    make_dir("a");
    make_dir("a/.minds");
    make_dir("a/.goclaw");
    make_dir(".goclaw");
    write_goclaw("a/.goclaw/mcp.json", "more");
    write_goclaw(".goclaw/mcp.json", "claw");
    rig_workspace_write(&place.ws, "a/.minds/mcp.yaml",
                        "version: 1\nservers:\n  far: {transport: stdio, command: x}\n");
    RUN("--profile", "goclaw", "--profile", "goclaw", "-C", "a", "--profile", "dominds",
        "--profile", "dominds", "-C", "a", "check");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "\n-        desk |\ngoclaw   claw-one |\ngoclaw2  more-one "
                          "|\ndominds  far ");
    RUN("--profile", "goclaw", "--profile", "goclaw", "-C", "a", "--admin", "tools");
    ctl_status_is(&run, 2);
    test_has(run.err,
             "--admin supports only one workspace with its own tools; there are 2");
}
END_TEST

START_TEST(wrong_profiles_and_directories_are_refused)
{
    RUN("--profile", "other", "check");
    ctl_status_is(&run, 2);
    test_has(run.err,
             "--profile must be dominds, goclaw, mcpservers or chatos, not 'other'");
    RUN("--profile", "dominds", "--config", "x", "check");
    ctl_status_is(&run, 2);
    test_has(run.err,
             "--profile dominds cannot be combined with --config, --stdio or --url");
    RUN("--profile", "goclaw", "-C", "none", "check");
    ctl_status_is(&run, 2);
    test_has(run.err, "'none' is not a directory");
    RUN("--profile", "goclaw", "servers");
    ctl_status_is(&run, 0);
    test_has(run.err, "no servers in ");
    test_has(run.err, "/.goclaw/mcp.json");
}
END_TEST

START_TEST(a_bad_file_of_a_profile_is_a_configuration_error) /* R114 */
{
    rig_workspace_write(&place.ws, ".mcp.json", "{\"mcpServers\": [}");
    RUN("servers");
    ctl_status_is(&run, 3);
    test_has(run.err, ".mcp.json:1:17: error: ");
    test_has(run.out, "desk");
    /* A file with `mcpServers` may name the transport `sse`. */
    rig_workspace_write(
        &place.ws, ".mcp.json",
        "{\"mcpServers\":{\"s\":{\"type\":\"sse\",\"url\":\"http://h/\"}}}");
    RUN("check");
    ctl_status_is(&run, 0);
    test_has(run.out, "\nmcpservers  s       sse        valid ");
}
END_TEST

/* ---- workspaces of goclaw ---------------------------------------------------------- */

START_TEST(admin_shows_the_tools_of_a_goclaw_workspace)
{
    write_all();
    RUN("--admin", "tools", "--toolset", "mcp_admin");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "mcp_put_server|runtime_reload");
    test_has_not(run.out, "mcp_restart");
    RUN("tools");
    test_has_not(run.out, "mcp_put_server");
    RUN("--admin", "--profile", "mcpservers", "tools");
    ctl_status_is(&run, 0);
    test_has(run.out, "mcp_restart");
}
END_TEST

START_TEST(enable_and_disable_edit_the_file_of_goclaw) /* R195 */
{
    write_all();
    RUN("enable", "goclaw:off");
    ctl_status_is(&run, 0);
    test_has(run.out, "goclaw:off is enabled in ");
    ck_assert_int_eq(
        rig_workspace_count(&place.ws, ".goclaw/mcp.json", "\"enabled\": true"), 2);
    RUN("enable", "goclaw:off");
    test_has(run.out, "goclaw:off is already enabled in ");
    RUN("disable", "goclaw:claw-one", "--json");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "\"source\":\"goclaw\"|\"enabled\":false|\"changed\":true");
    RUN("restart", "goclaw:claw-one");
    ctl_status_is(&run, 0);
    test_has(run.out, "goclaw:claw-one came up with 1 tool in ");
    RUN("disable", "mcpservers:code-server");
    ctl_status_is(&run, 2);
    test_has(run.err, "a server of this source must be enabled or disabled by hand");
}
END_TEST

/* `watch` has no dialog turns, in which a tool could make the host read the file.
 * Therefore the host follows the file. */
START_TEST(watch_reports_an_edit_of_a_goclaw_file) /* R190 */
{
    struct ctl_session session;
    bool found = false;
    char *line;

    write_all();
    ctl_session_up_as(&session, &place, "watch");
    do {
        line = ctl_line(&session);
        ck_assert_ptr_nonnull(line);
        found = strcmp(line, "ready") == 0;
        free(line);
    } while (!found);
    write_goclaw(".goclaw/mcp.json", "new");
    do {
        line = ctl_line(&session);
        ck_assert_ptr_nonnull(line);
        found = strcmp(line, "config goclaw changed: added new-one") == 0;
        free(line);
    } while (!found);
    kill(session.pid, SIGINT);
    ck_assert_int_eq(ctl_session_down(&session), 130);
}
END_TEST

static void
write_skills(void)
{
    write_all();
    make_dir("skills");
    make_dir("skills/main");
    make_dir("skills/main/tides");
    make_dir("skills/main/both");
    make_dir("skills/web");
    make_dir("skills/web/both");
    make_dir("skills/-no");
    rig_workspace_write(&place.ws, "skills/main/tides/SKILL.md", "# Tides\n");
    rig_workspace_write(&place.ws, "skills/main/both/SKILL.md", "# M\n");
    rig_workspace_write(&place.ws, "skills/web/both/SKILL.md", "# W\n");
    ck_assert_int_eq(symlink("main", rig_workspace_path(&place.ws, "skills/link")), 0);
}

/* R179 R180 */
START_TEST(skills_of_workspaces_have_a_role_and_a_state)
{
    json_t *json, *row;

    write_skills();
    RUN("skills", "list", "--json");
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_uint_eq(json_array_size(json), 3);
    row = ctl_row(json, "name", "tides");
    ck_assert_str_eq(ctl_string(row, "source"), "goclaw");
    ck_assert_str_eq(ctl_string(row, "role"), "main");
    ck_assert(json_is_null(json_object_get(row, "server")));
    ck_assert(json_is_true(json_object_get(row, "enabled")));
    ck_assert_str_eq(ctl_string(row, "file"),
                     rig_workspace_path(&place.ws, "skills/main/tides/SKILL.md"));
    json_decref(json);
    RUN("skills", "disable", "tides");
    ctl_status_is(&run, 0);
    test_has(run.out, "tides is disabled in ");
    ck_assert_int_eq(
        access(rig_workspace_path(&place.ws, "skills/main/tides/.disabled"), F_OK), 0);
    RUN("skills", "disable", "tides");
    test_has(run.out, "tides is already disabled in ");
    RUN("skills", "list", "--role", "main");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "SOURCE  NAME   SERVER  ROLE  STATE     URI |"
                          "\ngoclaw  both   -       main  enabled   /|"
                          "\ngoclaw  tides  -       main  disabled  /");
    test_has_not(run.out, "web");
    RUN("skills", "list", "--role", "..");
    ctl_status_is(&run, 2);
    test_has(run.err, "the name of the role");
    RUN("skills", "list", "--server", "desk", "--json");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "[]\n");
}
END_TEST

START_TEST(a_skill_of_two_roles_needs_the_option_role) /* R181 */
{
    write_skills();
    RUN("skills", "show", "both");
    ctl_status_is(&run, 2);
    test_has(run.err, "several skills are called 'both': 'both' of the role 'main' of "
                      "'goclaw', 'both' of the role 'web' of 'goclaw'");
    RUN("skills", "show", "both", "--role", "web");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "# W\n");
    RUN("skills", "enable", "both");
    ctl_status_is(&run, 2);
    RUN("skills", "disable", "both", "--role", "web", "--json");
    ctl_status_is(&run, 0);
    test_has_all(run.out, "\"skill\":\"both\"|\"role\":\"web\"|\"enabled\":false|"
                          "\"changed\":true");
    RUN("skills", "enable", "both", "--role", "web");
    test_has(run.out, "both is enabled in ");
    ck_assert_int_eq(
        access(rig_workspace_path(&place.ws, "skills/web/both/.disabled"), F_OK), -1);
    RUN("skills", "enable", "none", "--role", "web");
    ctl_status_is(&run, 2);
    test_has(run.err, "no workspace has a skill 'none' of the role 'web'");
    RUN("skills", "enable", "both", "--server", "desk");
    ctl_status_is(&run, 2);
    RUN("--profile", "dominds", "skills", "enable", "both");
    ctl_status_is(&run, 2);
    test_has(run.err, "there is no goclaw workspace");
}
END_TEST

/* A skill that would clear the screen (ESC [ 2 J). */
#define CLEARS "# Tides \033[2J\n"

START_TEST(a_raw_skill_is_unchanged_in_a_pipe)
{
    write_skills();
    rig_workspace_write(&place.ws, "skills/main/tides/SKILL.md", "%s", CLEARS);
    RUN("skills", "show", "tides", "--raw");
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, CLEARS);
}
END_TEST

START_TEST(control_characters_of_a_raw_skill_are_escaped_on_a_terminal)
{
    static char cache[1024], program[4096];
    char *argv[] = {program, "skills", "show", "tides", "--raw", NULL};
    char *environment[] = {cache, "PATH=/usr/bin:/bin", "LC_ALL=C", "TERM=xterm", NULL};
    struct terminal terminal;
    int status;

    if (!terminal_is_possible("a raw skill on a terminal"))
        return;
    write_skills();
    rig_workspace_write(&place.ws, "skills/main/tides/SKILL.md", "%s", CLEARS);
    snprintf(cache, sizeof(cache), "XDG_CACHE_HOME=%s/cache", place.ws.dir);
    snprintf(program, sizeof(program), "%s/mcphostctl", test_bindir());
    terminal_up(&terminal, 24, 80, place.ws.dir, argv, environment);
    while (terminal_take(&terminal, 15000))
        ;
    ck_assert_int_eq(waitpid(terminal.pid, &status, 0), terminal.pid);
    ck_assert_int_eq(status, 0);
    ck_assert_ptr_nonnull(terminal.seen);
    test_has(terminal.seen, "# Tides \\x1b[2J");
    test_has_not(terminal.seen, "\033[2J");
    terminal_down(&terminal);
}
END_TEST

START_TEST(skills_to_enable_are_completed)
{
    write_skills();
    RUN("complete-line", "--", "zsh", "mcphostctl skills enable t", "");
    ctl_status_is(&run, 0);
    test_has(run.out, "w tides\tmain\n");
    RUN("complete-line", "--", "zsh", "mcphostctl --profile ", "");
    ck_assert_str_eq(run.out, "w dominds\t\nw goclaw\t\nw mcpservers\t\nw chatos\t\n");
    RUN("complete-line", "--", "zsh", "mcphostctl --profile goclaw server ", "");
    test_has(run.out, "w goclaw:claw-one\t");
    test_has_not(run.out, "desk");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "profiles");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, each_file_found_becomes_a_source_and_dominds_is_first);
    tcase_add_test(tc, a_missing_default_file_is_no_error_if_another_is_found);
    tcase_add_test(tc, a_directory_without_any_file_is_reported_as_no_servers);
    tcase_add_test(tc, with_only_the_default_file_there_is_no_source_column);
    tcase_add_test(tc, with_config_url_or_stdio_no_other_file_is_detected);
    tcase_add_test(tc, a_detected_source_gets_another_id_if_its_id_is_given);
    tcase_add_test(tc, a_profile_uses_the_directory_given_after_it);
    tcase_add_test(tc, a_profile_may_be_given_twice);
    tcase_add_test(tc, wrong_profiles_and_directories_are_refused);
    tcase_add_test(tc, a_bad_file_of_a_profile_is_a_configuration_error);

    tc = test_case(suite, "goclaw");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, admin_shows_the_tools_of_a_goclaw_workspace);
    tcase_add_test(tc, enable_and_disable_edit_the_file_of_goclaw);
    tcase_add_test(tc, watch_reports_an_edit_of_a_goclaw_file);
    tcase_add_test(tc, skills_of_workspaces_have_a_role_and_a_state);
    tcase_add_test(tc, a_skill_of_two_roles_needs_the_option_role);
    tcase_add_test(tc, a_raw_skill_is_unchanged_in_a_pipe);
    tcase_add_test(tc, control_characters_of_a_raw_skill_are_escaped_on_a_terminal);
    tcase_add_test(tc, skills_to_enable_are_completed);
}

int
main(void)
{
    return test_main("ctl-profiles", add);
}
