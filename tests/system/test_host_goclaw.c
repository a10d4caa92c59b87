/* SPDX-License-Identifier: MIT
 *
 * test_host_goclaw.c - an agent changes its own servers and skills with tools.  A change
 * counts from the next turn on (R181-R202, R213, B.35).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mcphost/goclaw.h>

#include "support/hostrig.h"
#include "support/httprig.h"

static struct hostrig hr;
static mcphost_source *source;
static mcphost_builtins *tools;
static mcphost_dialog *dialog;

static void
make_source(void)
{
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    ck_assert_int_eq(mcphost_source_new(hr.host, "goclaw", &source, NULL), 0);
}

static void
set_policy(int policy, int64_t value)
{
    ck_assert_int_eq(mcphost_source_set_policy(source, policy, value, NULL), 0);
}

/* Writes the file of servers, as a person does.  The arguments are those of printf(). */
#define WRITE_MCP_JSON(...)                              \
    (mkdir(rig_workspace_path(&hr.ws, ".goclaw"), 0755), \
     rig_workspace_write(&hr.ws, ".goclaw/mcp.json", __VA_ARGS__))

/* Adds the source and the management tools of the workspace to the default view.  The
 * host does not watch the source's file (R201). */
static void
begin(uint64_t flags)
{
    if (!source)
        make_source();
    ck_assert_int_eq(mcphost_source_set_policy(source, MCPHOST_OPT_RELOAD,
                                               MCPHOST_RELOAD_EXPLICIT, NULL),
                     0);
    ck_assert_int_eq(mcphost_source_set_policy(source, MCPHOST_OPT_REMOVED,
                                               MCPHOST_REMOVED_SERVE, NULL),
                     0);
    ck_assert_int_eq(
        mcphost_view_add_source(mcphost_default_view(hr.host), source, NULL, 0), 0);
    ck_assert_int_eq(mcphost_goclaw_builtins_new(hr.ws.dir, NULL, flags, &tools, NULL),
                     0);
    ck_assert_int_eq(
        mcphost_view_set_builtins(mcphost_default_view(hr.host), tools, NULL), 0);
    ck_assert_int_eq(mcphost_goclaw_follow(source, hr.ws.dir, NULL, 0, NULL), 0);
    hr_ready(&hr);
    dialog = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_set_agent(dialog, "main"), 0);
}

static void
up(void)
{
    hr_up(&hr);
    source = NULL;
    tools = NULL;
}

static void
down(void)
{
    source = mcphost_source_unref(source);
    tools = mcphost_builtins_unref(tools);
    hr_down(&hr);
}

/* Makes a call that must succeed, and returns its answer. */
static const char *
does(const char *tool, const char *arguments)
{
    const char *text = hr_say(&hr, dialog, tool, arguments);

    ck_assert_msg(strncmp(text, "{\"success\":true", 15) == 0, "%s: %s", tool, text);
    return text;
}

static const char *
fails(const char *tool, const char *arguments, const char *why)
{
    const char *text = hr_say(&hr, dialog, tool, arguments);

    ck_assert_msg(strncmp(text, "{\"success\":false", 16) == 0, "%s: %s", tool, text);
    test_has(text, why);
    return text;
}

/* Checks that making this call fails with `code`. */
static void
refuses(mcphost_dialog *whose, const char *tool, const char *arguments, int code)
{
    mcphost_call *call = NULL;

    ck_assert_int_eq(
        mcphost_call_new(whose, tool, arguments, strlen(arguments), &call, NULL), code);
    ck_assert_ptr_null(call);
}

/* Returns arguments of mcp_put_server for the fake server with one tool. */
static const char *
put_arguments(const char *name, const char *tool)
{
    static char arguments[1024];

    snprintf(arguments, sizeof(arguments),
             "{\"name\":\"%s\",\"type\":\"stdio\",\"command\":\"%s\",\"args\":[\"-e\","
             "\"no-tools\","
             "\"-e\",\"tool %s\"],\"env\":{\"KEY\":\"hush\"},\"timeoutSeconds\":5}",
             name, rig_fakeserver(), tool);
    return arguments;
}

/* Returns arguments of mcp_put_server for the fake server with two tools. */
static const char *
put_two(const char *name, const char *first, const char *second)
{
    static char arguments[1024];

    snprintf(arguments, sizeof(arguments),
             "{\"name\":\"%s\",\"type\":\"stdio\",\"command\":\"%s\",\"args\":[\"-e\","
             "\"no-tools\",\"-e\",\"tool %s\",\"-e\",\"tool %s\"]}",
             name, rig_fakeserver(), first, second);
    return arguments;
}

/* Returns arguments of mcp_put_server for the fake server with its default tools. */
static const char *
put_plain(const char *name)
{
    static char arguments[1024];

    snprintf(arguments, sizeof(arguments),
             "{\"name\":\"%s\",\"type\":\"stdio\",\"command\":\"%s\"}", name,
             rig_fakeserver());
    return arguments;
}

/* ---- turns ------------------------------------------------------------------------- */

static bool
turn_has(mcphost_turn *turn, const char *tool)
{
    mcphost_catalog *catalog;
    bool has;

    ck_assert_int_eq(mcphost_turn_get_catalog(turn, &catalog), 0);
    has = mcphost_catalog_find_tool(catalog, tool) != NULL;
    mcphost_catalog_unref(catalog);
    return has;
}

static mcphost_turn *
turn_new(void)
{
    mcphost_turn *turn;

    ck_assert_int_eq(mcphost_turn_new(dialog, &turn), 0);
    return turn;
}

static mcphost_turn *
next_turn(mcphost_turn *turn)
{
    mcphost_turn_end(turn);
    mcphost_turn_unref(turn);
    hr_ready(&hr);
    return turn_new();
}

/* R188, R189, R197-R200, K2: an agent changes its servers in mid-turn.  The change counts
 * from the next turn on. */
START_TEST(a_turn_keeps_its_tools_and_the_next_turn_has_new_tools)
{
    mcphost_turn *turn;

    begin(0);
    turn = turn_new();
    test_has(does("mcp_put_server", put_arguments("one", "find")), "\"reloaded\":true");
    ck_assert(!turn_has(turn, "find"));
    ck_assert(mcphost_turn_is_stale(turn));
    turn = next_turn(turn);
    ck_assert(turn_has(turn, "find"));
    ck_assert_str_eq(hr_say(&hr, dialog, "find", "{\"text\":\"x\"}"), "x");
    /* A deleted server serves the turn until the turn ends. */
    test_has(does("mcp_delete_server", "{\"name\":\"one\"}"), "\"deleted\":true");
    ck_assert(turn_has(turn, "find"));
    turn = next_turn(turn);
    ck_assert(!turn_has(turn, "find"));
    /* R195: if the agent disables or enables a server, the next turn shows the change. */
    does("mcp_put_server", put_arguments("one", "find"));
    does("mcp_set_enabled", "{\"name\":\"one\",\"enabled\":false}");
    turn = next_turn(turn);
    ck_assert(!turn_has(turn, "find"));
    does("mcp_set_enabled", "{\"name\":\"one\",\"enabled\":true}");
    turn = next_turn(turn);
    ck_assert(turn_has(turn, "find"));
    mcphost_turn_end(turn);
    mcphost_turn_unref(turn);
}
END_TEST

/* R196 K1 */
START_TEST(runtime_reload_reads_a_file_that_was_edited_by_hand)
{
    mcphost_turn *turn;
    const char *text;

    begin(0);
    turn = turn_new();
    WRITE_MCP_JSON("{\"version\":1,\"servers\":{\"one\":{\"enabled\":true,\"type\":"
                   "\"stdio\",\"command\":\"%s\"}}}",
                   rig_fakeserver());
    hr_turn(&hr, 100);
    ck_assert(!hr_has(&hr, "echo"));
    text = does("runtime_reload", "{}");
    test_has(text, "\"agent_id\":\"main\"");
    turn = next_turn(turn);
    ck_assert(turn_has(turn, "echo"));
    test_has(does("runtime_reload", "{\"agent_id\":\"other\"}"),
             "\"agent_id\":\"other\"");
    mcphost_turn_end(turn);
    mcphost_turn_unref(turn);
}
END_TEST

/* Returns the process id that the tool `pid` reports in this turn. */
static int
pid_in(mcphost_turn *turn)
{
    mcphost_call *call = NULL;
    int pid;

    ck_assert_int_eq(mcphost_call_new_in_turn(dialog, turn, "pid", NULL, 0, &call, NULL),
                     0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    pid = (int)strtol(hr_text(&hr, call), NULL, 10);
    mcphost_call_unref(call);
    return pid;
}

/* K12: a deleted server serves the present turn until the turn ends, even with a drain
 * timeout of 0. */
START_TEST(a_server_deleted_in_mid_turn_serves_the_turn_and_ends_with_it)
{
    mcphost_call *call;
    mcphost_turn *turn;
    int pid;

    make_source();
    set_policy(MCPHOST_OPT_DRAIN_TIMEOUT, 0);
    begin(0);
    does("mcp_put_server", put_plain("one"));
    turn = next_turn(turn_new());
    pid = pid_in(turn);
    call = hr_start(&hr, dialog, "slow", "{\"ms\":400}");
    does("mcp_delete_server", "{\"name\":\"one\"}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(pid_in(turn), pid);
    ck_assert_int_eq(kill(pid, 0), 0);
    turn = next_turn(turn);
    ck_assert(!turn_has(turn, "pid"));
    hr_until(&hr, kill(pid, 0) < 0);
    mcphost_turn_end(turn);
    mcphost_turn_unref(turn);
}
END_TEST

/* K3, K5: goclaw's policy rejects a whole server if the name of one of its tools is
 * taken.  The library's default policy leaves out only this tool. */
START_TEST(a_name_collision_rejects_the_tool_or_its_server_by_policy)
{
    mcphost_turn *turn;
    bool rejects = _i != 0;

    make_source();
    set_policy(MCPHOST_OPT_NAMES, MCPHOST_NAMES_SERVER);
    if (rejects)
        set_policy(MCPHOST_OPT_COLLISION, MCPHOST_COLLISION_REJECT);
    begin(0);
    does("mcp_put_server", put_arguments("a", "b__find"));
    does("mcp_put_server", put_two("a__b", "find", "more"));
    turn = next_turn(turn_new());
    ck_assert(turn_has(turn, "a__b__find"));
    ck_assert_int_eq(turn_has(turn, "a__b__more"), !rejects);
    mcphost_turn_end(turn);
    mcphost_turn_unref(turn);
}
END_TEST

/* ---- servers ----------------------------------------------------------------------- */

/* R190 R191 */
START_TEST(a_file_can_be_loaded_as_a_configuration_without_a_host)
{
    const unsigned both = MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP;
    mcphost_config *config;

    ck_assert_int_eq(mcphost_goclaw_load(hr.ws.dir, NULL, 0, both, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    ck_assert_uint_eq(mcphost_config_count_servers(config), 0);
    mcphost_config_unref(config);
    rig_workspace_write(&hr.ws, "x.json",
                        "{\"servers\":{\"a\":{\"enabled\":true,\"type\":\"sse\",\"url\":"
                        "\"http://h/\"}}}");
    ck_assert_int_eq(mcphost_goclaw_load(hr.ws.dir, "x.json", 0, both, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_server_get_state(config, 0),
                     MCPHOST_CONFIG_SERVER_INVALID);
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_goclaw_load(hr.ws.dir, "x.json", 0, both | MCPHOST_ALLOW_SSE,
                                         &config, NULL),
                     0);
    ck_assert_int_eq(mcphost_config_server_get_state(config, 0),
                     MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_str_eq(mcphost_config_get_file(config),
                     rig_workspace_path(&hr.ws, "x.json"));
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_goclaw_load(NULL, NULL, 0, both, &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_goclaw_load(hr.ws.dir, NULL, 0, 0, &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_goclaw_load(hr.ws.dir, NULL, 0, 1u << 20, &config, NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

/* R192 B.35 K13 C1 */
START_TEST(servers_are_listed_without_their_secrets)
{
    const char *text;

    begin(0);
    test_has(does("mcp_list", "{}"), "\"servers\":[]");
    does("mcp_put_server", put_arguments("one", "find"));
    does("mcp_put_server", "{\"name\":\"a-web\",\"type\":\"http\",\"url\":\"http://"
                           "u:hush@h/p?k=hush\",\"headers\":"
                           "{\"X\":\"hush\"},\"enabled\":false}");
    text = does("mcp_list", "{}");
    ck_assert_ptr_null(strstr(text, "hush"));
    test_has(
        text,
        "\"servers\":[{\"name\":\"a-web\",\"enabled\":false,\"type\":\"http\",\"url\":"
        "\"http://(hidden)@h/p?(hidden)\",\"headers\":{\"X\":\"(hidden)\"}},"
        "{\"name\":\"one\",\"enabled\":true,\"type\":\"stdio\"");
    test_has(text, "\"env\":{\"KEY\":\"(hidden)\"},\"timeoutSeconds\":5}");
    test_has(text, "/.goclaw/mcp.json\"");
}
END_TEST

START_TEST(secrets_are_listed_with_the_flag_show_secrets) /* K13 */
{
    begin(MCPHOST_GOCLAW_SHOW_SECRETS);
    does("mcp_put_server", put_arguments("one", "find"));
    test_has(does("mcp_list", "{}"), "\"env\":{\"KEY\":\"hush\"}");
}
END_TEST

/* R192 B.39 K13 */
START_TEST(http_headers_and_tool_lists_are_listed_without_secrets)
{
    const char *text;

    begin(0);
    WRITE_MCP_JSON("{\"servers\":{\"w\":{\"url\":\"http://h/\",\"http_headers\":"
                   "{\"X\":\"hush\"},\"bearer_token_env_var\":\"TOKEN\","
                   "\"enabled_tools\":[\"a\"],\"tool_timeout_sec\":1.5}}}");
    text = does("mcp_list", "{}");
    test_has(text, "{\"name\":\"w\",\"enabled\":false,\"url\":\"http://h/\","
                   "\"enabled_tools\":[\"a\"],\"tool_timeout_sec\":1.5,\"http_headers\":"
                   "{\"X\":\"(hidden)\"},\"bearer_token_env_var\":\"TOKEN\"}");
}
END_TEST

/* R192, K13: a person may write `env` or headers as a list or a text, not an object. */
START_TEST(env_and_headers_that_are_no_objects_are_listed_as_hidden)
{
    const char *text;

    begin(0);
    WRITE_MCP_JSON("{\"servers\":{\"w\":{\"env\":[\"KEY=hush\"],\"headers\":"
                   "\"X: hush\",\"http_headers\":[\"hush\"]}}}");
    text = does("mcp_list", "{}");
    test_has(text, "{\"name\":\"w\",\"enabled\":false,\"env\":\"(hidden)\","
                   "\"headers\":\"(hidden)\",\"http_headers\":\"(hidden)\"}");
}
END_TEST

/* B.39, K13: a server whose variable is not set does not start. */
START_TEST(a_bearer_token_is_read_from_the_environment_at_each_start)
{
    static struct httprig web;

    ck_assert_int_eq(setenv("MCPHOST_TEST_TOKEN", "hush", 1), 0);
    hr_web(&hr, &web, "web", NULL);
    WRITE_MCP_JSON("{\"servers\":{\"w\":{\"enabled\":true,\"url\":\"%s\","
                   "\"bearer_token_env_var\":\"MCPHOST_TEST_TOKEN\"},"
                   "\"v\":{\"enabled\":true,\"url\":\"%s\","
                   "\"bearer_token_env_var\":\"MCPHOST_TEST_NONE\"}}}",
                   web.url, web.url);
    begin(0);
    ck_assert_int_gt(hr_traced(&hr, "web", "h authorization: Bearer hush"), 0);
    ck_assert_int_eq(hr_traced(&hr, "web", "h authorization: Bearer \n"), 0);
    ck_assert_ptr_null(strstr(does("mcp_list", "{}"), "hush"));
    test_has(hr_server_why(&hr, "v"), "MCPHOST_TEST_NONE");
}
END_TEST

/* K20 */
START_TEST(a_file_of_a_newer_version_is_changed_only_with_the_flag_any_version)
{
    bool allowed = _i != 0;

    begin(allowed ? MCPHOST_GOCLAW_ANY_VERSION : 0);
    WRITE_MCP_JSON("{\"version\":2,\"servers\":{}}");
    if (allowed)
        does("mcp_put_server", put_arguments("one", "find"));
    else
        fails("mcp_put_server", put_arguments("one", "find"),
              "expected the number 1, found 2");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, ".goclaw/mcp.json", "find"), allowed);
}
END_TEST

/* R187 B.34 B.35 */
START_TEST(an_invalid_server_is_answered_with_an_error_and_writes_no_file)
{
    struct stat st;

    begin(0);
    fails("mcp_put_server", "{\"name\":\"../x\",\"type\":\"stdio\",\"command\":\"c\"}",
          "name");
    fails("mcp_put_server", "{\"name\":\"x\",\"type\":\"stdio\"}", "command");
    fails("mcp_put_server", "{\"name\":\"x\",\"type\":\"http\",\"url\":\"ftp://h\"}",
          "url");
    fails("mcp_delete_server", "{\"name\":\"x\"}", "there is no server");
    fails("mcp_set_enabled", "{\"name\":\"x\",\"enabled\":true}", "there is no server");
    ck_assert_int_eq(stat(rig_workspace_path(&hr.ws, ".goclaw/mcp.json"), &st), -1);
    /* Arguments that the tool's input schema refuses never reach the tool. */
    refuses(dialog, "mcp_put_server", "{\"name\":\"x\",\"typ\":1}", MCPHOST_E_INVALID);
    /* The tools do not change a file with errors. */
    WRITE_MCP_JSON("{\"servers\": ");
    test_has(fails("mcp_list", "{}", "line 1, column"), "\"path\":");
    fails("mcp_put_server", put_arguments("one", "find"), "line 1, column");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, ".goclaw/mcp.json", "find"), 0);
}
END_TEST

/* ---- skills ------------------------------------------------------------------------ */

/* R181-R185 C1 */
START_TEST(skills_are_written_listed_read_disabled_and_deleted)
{
    const char *text;

    begin(0);
    text = does("skills_list", "{}");
    test_has(text, "\"role\":\"main\"");
    test_has(text, "\"skills\":null");
    text = does("skills_put", "{\"skill_name\":\"b\",\"skill_md\":\"# B\\n\\u00e9\"}");
    test_has(text, "\"name\":\"b\"");
    test_has(text, "\"enabled\":true");
    test_has(text, "/skills/main/b/SKILL.md\"");
    test_has(text, "\"reloaded\":true");
    does("skills_put", "{\"skill_name\":\"a\",\"skill_md\":\"# A\",\"enabled\":false}");
    text = does("skills_list", "{}");
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"a\""));
    ck_assert(strstr(text, "\"name\":\"a\"") < strstr(text, "\"name\":\"b\""));
    test_has(text, "\"has_skill_md\":true");
    test_has(text, "/skills/main/b\",\"path\":\"");
    test_has(text, "/skills/main/b\",\"has_skill_md\":true,\"skill_file\":\"");
    test_has(text, "\"warning\":\"there is no front matter\"");
    ck_assert_ptr_null(
        strstr(does("skills_list", "{\"include_disabled\":false}"), "\"name\":\"a\""));
    text = does("skills_get", "{\"skill_name\":\"b\"}");
    test_has(text, "\"content\":\"# B\\n\xc3\xa9\"");
    ck_assert_ptr_null(
        strstr(does("skills_get", "{\"skill_name\":\"b\",\"include_content\":false}"),
               "content"));
    does("skills_put", "{\"skill_name\":\"b\",\"skill_md\":\"---\\ndescription: "
                       "of b\\n---\\n\"}");
    test_has(does("skills_list", "{}"), "\"description\":\"of b\"");
    /* A setting that the arguments do not name keeps its value. */
    test_has(does("skills_put", "{\"skill_name\":\"a\",\"skill_md\":\"# A2\"}"),
             "\"enabled\":false");
    fails("skills_put", "{\"skill_name\":\"a\",\"skill_md\":\"x\",\"overwrite\":false}",
          "\"error\":");
    test_has(does("skills_set_enabled", "{\"skill_name\":\"a\",\"enabled\":true}"),
             "\"enabled\":true");
    test_has(does("skills_delete", "{\"skill_name\":\"a\"}"), "\"deleted\":true");
    test_has(fails("skills_get", "{\"skill_name\":\"a\"}", "\"error\":"), "false");
    test_has(fails("skills_delete", "{\"skill_name\":\"a\"}", "\"error\":"),
             "\"deleted\":false");
    test_has(does("skills_put",
                  "{\"role\":\"frontend\",\"skill_name\":\"b\",\"skill_md\":\"# F\"}"),
             "/skills/frontend/b/SKILL.md\"");
}
END_TEST

/* R187 */
START_TEST(skill_and_role_names_that_are_no_safe_file_names_are_refused)
{
    static const char *const names[] = {"..", ".",         "a/b",    "",
                                        "-a", "a\\u0000b", "\\u0430"};
    char arguments[256];

    begin(0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(arguments, sizeof(arguments),
                 "{\"skill_name\":\"%s\",\"skill_md\":\"x\"}", names[i]);
        fails("skills_put", arguments, "the name of the skill");
        if (!*names[i])
            continue;
        snprintf(arguments, sizeof(arguments), "{\"role\":\"%s\",\"skill_name\":\"a\"}",
                 names[i]);
        fails("skills_delete", arguments, "the name of the role");
    }
    ck_assert_int_eq(access(rig_workspace_path(&hr.ws, "skills"), F_OK), -1);
}
END_TEST

/* ---- the dialogs that have the tools ----------------------------------------------- */

/* R213 K15 */
START_TEST(a_view_has_only_the_management_tools_of_its_grant)
{
    mcphost_grant *grant = hr_grant("skills_admin", "");
    mcphost_catalog *catalog;
    mcphost_view *view;
    mcphost_dialog *sub;

    begin(0);
    ck_assert_int_eq(mcphost_view_new(hr.host, "sub", grant, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "s", NULL, &sub, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = sub;
    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), 0);
    ck_assert_ptr_nonnull(mcphost_catalog_find_tool(catalog, "skills_list"));
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "mcp_put_server"));
    mcphost_catalog_unref(catalog);
    refuses(sub, "mcp_put_server", put_arguments("one", "find"), MCPHOST_E_DENIED);
    mcphost_view_unref(view);
    mcphost_grant_unref(grant);
}
END_TEST

/* ---- another process that writes --------------------------------------------------- */

static int
lock_dir(const char *name)
{
    int fd = open(rig_workspace_path(&hr.ws, name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    return fd;
}

START_TEST(a_call_waits_for_the_file_lock_without_blocking_the_loop)
{
    mcphost_call *call;
    int fd;

    begin(0);
    does("mcp_put_server", put_arguments("one", "find"));
    fd = lock_dir(".goclaw");
    call = hr_start(&hr, dialog, "mcp_put_server", put_arguments("two", "more"));
    hr_turn(&hr, 100);
    ck_assert_ptr_null(mcphost_call_get_result(call));
    test_has(does("mcp_list", "{}"), "\"one\"");
    close(fd);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    test_has(hr_text(&hr, call), "\"success\":true");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, ".goclaw/mcp.json", "more"), 1);
}
END_TEST

START_TEST(a_call_that_waits_for_the_file_lock_can_be_cancelled)
{
    mcphost_call *call;
    int fd;

    begin(0);
    does("mcp_put_server", put_arguments("one", "find"));
    fd = lock_dir(".goclaw");
    call = hr_start(&hr, dialog, "mcp_put_server", put_arguments("two", "more"));
    hr_turn(&hr, 50);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    close(fd);
    hr_turn(&hr, 100);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, ".goclaw/mcp.json", "more"), 0);
}
END_TEST

START_TEST(a_host_closes_while_a_call_waits_for_the_file_lock)
{
    mcphost_call *call;
    int fd, r;

    begin(0);
    does("mcp_put_server", put_arguments("one", "find"));
    fd = lock_dir(".goclaw");
    call = hr_start(&hr, dialog, "mcp_put_server", put_arguments("two", "more"));
    hr_turn(&hr, 50);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    while ((r = mcphost_wait(hr.host, 100)) >= 0)
        ;
    ck_assert_int_eq(r, MCPHOST_E_CLOSED);
    close(fd);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, ".goclaw/mcp.json", "more"), 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "goclaw");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_turn_keeps_its_tools_and_the_next_turn_has_new_tools);
    tcase_add_test(tc, runtime_reload_reads_a_file_that_was_edited_by_hand);
    tcase_add_test(tc, a_file_can_be_loaded_as_a_configuration_without_a_host);
    tcase_add_test(tc, a_server_deleted_in_mid_turn_serves_the_turn_and_ends_with_it);
    tcase_add_loop_test(tc, a_name_collision_rejects_the_tool_or_its_server_by_policy, 0,
                        2);
    tcase_add_test(tc, servers_are_listed_without_their_secrets);
    tcase_add_test(tc, secrets_are_listed_with_the_flag_show_secrets);
    tcase_add_test(tc, http_headers_and_tool_lists_are_listed_without_secrets);
    tcase_add_test(tc, env_and_headers_that_are_no_objects_are_listed_as_hidden);
    tcase_add_test(tc, a_bearer_token_is_read_from_the_environment_at_each_start);
    tcase_add_loop_test(
        tc, a_file_of_a_newer_version_is_changed_only_with_the_flag_any_version, 0, 2);
    tcase_add_test(tc, an_invalid_server_is_answered_with_an_error_and_writes_no_file);
    tcase_add_test(tc, skills_are_written_listed_read_disabled_and_deleted);
    tcase_add_test(tc, skill_and_role_names_that_are_no_safe_file_names_are_refused);
    tcase_add_test(tc, a_view_has_only_the_management_tools_of_its_grant);
    tcase_add_test(tc, a_call_waits_for_the_file_lock_without_blocking_the_loop);
    tcase_add_test(tc, a_call_that_waits_for_the_file_lock_can_be_cancelled);
    tcase_add_test(tc, a_host_closes_while_a_call_waits_for_the_file_lock);
}

int
main(void)
{
    return test_main("host-goclaw", add);
}
