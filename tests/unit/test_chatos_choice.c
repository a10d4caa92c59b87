/* SPDX-License-Identifier: MIT
 *
 * test_chatos_choice.c - the servers and prompts that a run of an agent gets, according
 * to the agent's record and the application's own list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/chatos_run.h"
#include "support/conf.h"
#include "support/plugindirs.h"
#include "support/rig.h"
#include "support/runner.h"

static struct rig_workspace ws;
static struct mcph_chatos_apps *apps;
static struct mcph_chatos_admin *admin;
static mcphost_config *global;
static struct mcph_chatos_world world;
static struct mcph_chatos_choice choice;
static mcphost_error *err;

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    admin = mcph_chatos_admin_new();
    ck_assert_ptr_nonnull(admin);
    global = mcph_config_new("dominds", NULL, "mcp.yaml", "/");
    ck_assert_ptr_nonnull(global);
    world = (struct mcph_chatos_world){0};
    mcph_chatos_choice_init(&choice);
}

static void
down(void)
{
    mcph_chatos_choice_done(&choice);
    apps = mcph_chatos_apps_unref(apps);
    admin = mcph_chatos_admin_unref(admin);
    mcph_config_unref(global);
    err = mcphost_error_unref(err);
    rig_workspace_down(&ws);
}

/* Installs one plugin "p" with two apps.  `a` and `b` are the values of the key `ai` of
 * the apps "a" and "b". */
static void
plugin(const char *a, const char *b)
{
    struct mcph_chatos_dirs dirs = {0};
    struct mcph_chatos_scan *scan = NULL;

    plugin_write(&ws, "plugins/p", "p",
                 "{" PLUGIN_APP("a") ",\"ai\":%s},{" PLUGIN_APP("b") ",\"ai\":%s}", a, b);
    plugin_file(&ws, "plugins/p", "s.mjs", "//");
    dirs.paths[MCPHOST_CHATOS_PLUGINS] = strdup(rig_workspace_path(&ws, "plugins"));
    ck_assert_int_eq(mcph_chatos_scan_new(&dirs, NULL, &scan), 0);
    mcph_chatos_dirs_done(&dirs);
    while (mcph_chatos_scan_step(scan) > 0)
        ;
    mcph_chatos_apps_unref(apps);
    apps = mcph_chatos_scan_take(scan);
    mcph_chatos_scan_free(scan);
    ck_assert_uint_eq(apps->flaws.n, 0);
    ck_assert_uint_eq(apps->entries.n, 2);
}

static void
has_global(const char *server)
{
    ck_assert_ptr_nonnull(mcph_config_add_server(global, server, 1, 1));
}

static void
has_admin(const char *json)
{
    mcph_chatos_admin_unref(admin);
    admin = NULL;
    ck_assert_int_eq(mcph_chatos_admin_parse(json, strlen(json), &admin, NULL), 0);
}

/* Returns the servers, prompts and notices of a run whose record has the apps `refs`. */
static const char *
chosen(const char *refs)
{
    static char text[16384];
    struct mcph_chatos_record record;

    snprintf(text, sizeof(text), "{\"uiApps\":[%s]}", refs);
    ck_assert_int_eq(mcph_chatos_record_parse(text, strlen(text), &record, NULL), 0);
    mcph_chatos_choice_done(&choice);
    mcph_chatos_choice_init(&choice);
    world.apps = apps;
    world.admin = admin;
    world.global = global;
    ck_assert_int_eq(mcph_chatos_choose(&world, &record, &choice), 0);
    mcph_chatos_record_done(&record);
    snprintf(text, sizeof(text), "servers %.*s prompts %.*s notices %.*s",
             (int)choice.servers.len, choice.servers.data ? choice.servers.data : "",
             (int)choice.prompts.len, choice.prompts.data ? choice.prompts.data : "",
             (int)choice.notices.len, choice.notices.data ? choice.notices.data : "");
    return text;
}

#define A(more)  "{\"pluginId\":\"p\",\"appId\":\"a\"" more "}"
#define B(more)  "{\"pluginId\":\"p\",\"appId\":\"b\"" more "}"
#define OWN      "{\"mcp\":{\"entry\":\"s.mjs\",\"tags\":[\"mine\"]}}"
#define PANEL    "{\"mcpServers\":[\"files\",\"web\"],\"prompts\":[\"default\"]}"
#define EVERYONE "{\"mcpServers\":true,\"prompts\":true}"

/* ---- records ----------------------------------------------------------------------- */

static int
check_choice(const char *json)
{
    struct mcph_chatos_record record;
    int r;

    err = mcphost_error_unref(err);
    r = mcph_chatos_record_parse(json, strlen(json), &record, &err);
    if (r == 0)
        mcph_chatos_record_done(&record);
    return r;
}

START_TEST(a_record_is_read_with_its_defaults) /* R144 */
{
    static const char json[] =
        "{\"name\":\"x\",\"uiApps\":[{\"pluginId\":\" p \",\"appId\":\"a\",\"mcp\":false,"
        "\"mcpServerIds\":[\"1\",\" 2 \"]},{\"pluginId\":\"p\",\"appId\":\"b\","
        "\"prompt\":false,\"promptIds\":[]}]}";
    struct mcph_chatos_record record;
    const struct mcph_chatos_ref *ref;

    ck_assert_int_eq(mcph_chatos_record_parse(json, strlen(json), &record, NULL), 0);
    ck_assert_uint_eq(record.refs.n, 2);
    ref = record.refs.items[0];
    ck_assert_str_eq(ref->plugin, "p");
    ck_assert(!ref->mcp && ref->prompt);
    ck_assert_uint_eq(ref->servers.n, 2);
    ck_assert_str_eq(ref->servers.items[1], "2");
    ref = record.refs.items[1];
    ck_assert(ref->mcp && !ref->prompt);
    mcph_chatos_record_done(&record);
    ck_assert_int_eq(check_choice("{}"), 0);
}
END_TEST

START_TEST(a_wrong_record_is_refused_with_its_line) /* R144 */
{
    ck_assert_int_eq(check_choice("{\"uiApps\":[\n{\"appId\":\"a\"}]}"),
                     MCPHOST_E_CONFIG);
    test_has(mcphost_error_get_message(err), "pluginId");
    ck_assert_int_eq(mcphost_error_get_line(err), 2);
    ck_assert_int_eq(check_choice("[]"), MCPHOST_E_CONFIG);
    ck_assert_int_eq(check_choice("{\"uiApps\":{}}"), MCPHOST_E_CONFIG);
    ck_assert_int_eq(check_choice("{\"uiApps\":[7]}"), MCPHOST_E_CONFIG);
    ck_assert_int_eq(check_choice("{\"uiApps\":[" A(",\"mcp\":1") "]}"),
                     MCPHOST_E_CONFIG);
    ck_assert_int_eq(check_choice("{\"uiApps\":[" A(",\"mcpServerIds\":\"1\"") "]}"),
                     MCPHOST_E_CONFIG);
    ck_assert_int_eq(check_choice("{\"uiApps\":[" A(",\"promptIds\":[1]") "]}"),
                     MCPHOST_E_CONFIG);
    ck_assert_int_eq(check_choice("{\"uiApps\":[],\"uiApps\":[]}"),
                     MCPHOST_E_CONFIG); /* K14 */
    ck_assert_int_eq(check_choice("{"), MCPHOST_E_CONFIG);
}
END_TEST

START_TEST(a_record_with_over_1000_apps_or_too_many_bytes_is_refused) /* R144 */
{
    size_t size = MCPH_CHATOS_RECORD_MAX + 16;
    char *json = malloc(size);
    size_t len = 0;

    ck_assert_ptr_nonnull(json);
    len += (size_t)snprintf(json, size, "{\"uiApps\":[" A(""));
    for (int i = 1; i <= MCPH_CHATOS_REFS_MAX; i++)
        len += (size_t)snprintf(json + len, size - len, "," A(""));
    snprintf(json + len, size - len, "]}");
    ck_assert_int_eq(check_choice(json), MCPHOST_E_CONFIG);
    test_has(mcphost_error_get_message(err), "1000");
    memset(json, ' ', size - 1);
    json[size - 1] = '\0';
    ck_assert_int_eq(check_choice(json), MCPHOST_E_LIMIT);
    free(json);
}
END_TEST

/* ---- servers ----------------------------------------------------------------------- */

START_TEST(an_app_without_a_selection_gets_its_own_server) /* R142, B.28 */
{
    plugin(OWN, PANEL);
    test_has(chosen(A("")),
             "servers {\"id\":\"uiapp:p.a\",\"name\":\"p.a\",\"app\":true,\"tags\":["
             "\"uiapp\",\"uiapp:p\",\"uiapp:p:a\",\"uiapp:p.a\",\"mine\"]}");
    ck_assert_uint_eq(choice.own.n, 1);
    ck_assert_uint_eq(choice.global.n, 0);
    /* An app that is selected twice gets its server once. */
    chosen(A("") "," A(""));
    ck_assert_uint_eq(choice.own.n, 1);
}
END_TEST

START_TEST(a_flag_that_is_off_excludes_servers_or_prompts) /* R144 R146, C3 */
{
    plugin("{\"mcp\":{\"entry\":\"s.mjs\"},\"mcpPrompt\":{\"zh\":{\"content\":\"z\"}}}",
           PANEL);
    ck_assert_str_eq(chosen(A(",\"mcp\":false,\"prompt\":false")),
                     "servers  prompts  notices ");
    test_has(chosen(A(",\"mcp\":false")), "servers  prompts {");
    test_has(chosen(A(",\"prompt\":false")), " prompts  notices ");
}
END_TEST

START_TEST(a_global_server_with_the_apps_name_replaces_its_own_server) /* B.28 */
{
    plugin(OWN, PANEL);
    has_global("P.A");
    has_admin("{\"mcpServers\":[{\"name\":\"p.a\",\"allowMain\":true}]}");
    chosen(A(""));
    ck_assert_uint_eq(choice.own.n, 0);
    ck_assert_uint_eq(choice.global.n, 1);
    ck_assert_str_eq(choice.global.items[0], "P.A");
}
END_TEST

START_TEST(selected_servers_replace_the_server_of_the_app) /* R123 R126 R144, B.28 */
{
    plugin("{\"mcp\":{\"entry\":\"s.mjs\"},\"mcpServers\":true}", PANEL);
    has_global("files");
    has_global("p.a");
    has_admin("{\"mcpServers\":[{\"id\":\"7\",\"name\":\"files\",\"allowMain\":true}]}");
    test_has(chosen(A(",\"mcpServerIds\":[\"7\"]")),
             "servers {\"id\":\"7\",\"name\":\"files\",\"app\":false,\"tags\":[]} ");
    ck_assert_uint_eq(choice.global.n, 1);
    ck_assert_uint_eq(choice.own.n, 0);
    /* The selected servers also replace a global server with the app's name, even if the
     * run may use that server. */
    world.flow = MCPHOST_CHATOS_SUB;
    chosen(A(",\"mcpServerIds\":[\"7\"]"));
    ck_assert_uint_eq(choice.global.n, 1);
    ck_assert_str_eq(choice.global.items[0], "files");
    /* A notice names the unknown id.  The run uses the server with the app's name. */
    has_admin("{}");
    test_has(chosen(A(",\"mcpServerIds\":[\"8\"]")), "\"names\":[\"8\"]");
    ck_assert_str_eq(choice.global.items[0], "p.a");
    /* A record can also select the app's own server by the id of that server. */
    chosen(A(",\"mcpServerIds\":[\"uiapp:p.a\"]"));
    ck_assert_uint_eq(choice.own.n, 1);
}
END_TEST

START_TEST(a_server_that_the_app_does_not_expose_is_left_out) /* R124, C3 */
{
    plugin(EVERYONE, PANEL);
    has_global("files");
    has_global("mail");
    world.flow = MCPHOST_CHATOS_SUB;
    test_has(chosen(B(",\"mcpServerIds\":[\"files\",\"mail\"]")),
             "servers that the app does not expose\",\"names\":[\"mail\"]");
    ck_assert_uint_eq(choice.global.n, 1);
    ck_assert_str_eq(choice.global.items[0], "files");
    chosen(A(",\"mcpServerIds\":[\"mail\"]"));
    ck_assert_uint_eq(choice.global.n, 1);
    world.flags = MCPHOST_CHATOS_ANY_ID;
    chosen(B(",\"mcpServerIds\":[\"files\",\"mail\"]"));
    ck_assert_uint_eq(choice.global.n, 2);
}
END_TEST

START_TEST(the_main_agent_gets_only_servers_that_are_allowed_for_it) /* R145, B.27, C3 */
{
    plugin(EVERYONE, EVERYONE);
    has_global("files");
    has_global("task_manager");
    /* Only task_manager is allowed, because task_manager is on a fixed list and the
     * application's list sets no flags. */
    test_has(chosen(A(",\"mcpServerIds\":[\"files\",\"task_manager\"]")),
             "this agent may not use\",\"names\":[\"files\"]");
    ck_assert_uint_eq(choice.global.n, 1);
    ck_assert_str_eq(choice.global.items[0], "task_manager");
    has_admin("{\"mcpServers\":[{\"name\":\"files\",\"allowMain\":true,\"allowSub\":"
              "false},{\"name\":\"task_manager\",\"allowMain\":false}]}");
    chosen(A(",\"mcpServerIds\":[\"files\",\"task_manager\"]"));
    ck_assert_uint_eq(choice.global.n, 1);
    ck_assert_str_eq(choice.global.items[0], "files");
    /* R147: a sub-agent gets task_manager only, because `files` does not allow
     * sub-agents. */
    world.flow = MCPHOST_CHATOS_SUB;
    chosen(A(",\"mcpServerIds\":[\"files\",\"task_manager\"]"));
    ck_assert_uint_eq(choice.global.n, 1);
    ck_assert_str_eq(choice.global.items[0], "task_manager");
}
END_TEST

/* R145 R147 R212, B.27, C1, C3 */
START_TEST(an_apps_own_server_is_allowed_unless_its_flags_forbid_it)
{
    plugin("{\"mcp\":{\"entry\":\"s.mjs\",\"allowMain\":false}}",
           "{\"mcp\":{\"entry\":\"s.mjs\",\"allowSub\":false}}");
    test_has(chosen(A("") "," B("")), "may not use\",\"names\":[\"p.a\"]");
    ck_assert_uint_eq(choice.own.n, 1);
    world.flow = MCPHOST_CHATOS_SUB;
    test_has(chosen(A("") "," B("")), "may not use\",\"names\":[\"p.b\"]");
    ck_assert_uint_eq(choice.own.n, 1);
    /* A server that is switched off counts as missing. */
    plugin("{\"mcp\":{\"entry\":\"s.mjs\",\"enabled\":false}}", OWN);
    test_has(chosen(A("")), "not exist\",\"names\":[\"p.a\"]");
}
END_TEST

START_TEST(missing_servers_are_reported_with_at_most_six_names) /* B.28 */
{
    plugin(EVERYONE, PANEL);
    test_has(chosen(A(",\"prompt\":false,\"mcpServerIds\":[\"1\",\"2\",\"3\",\"4\",\"5\","
                      "\"6\",\"7\"]")),
             "notices {\"message\":\"servers that do not "
             "exist\",\"names\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\"],\"count\":7}");
    test_has(chosen("{\"pluginId\":\"p\",\"appId\":\"x\"}"),
             "notices {\"message\":\"apps that are not installed\",\"names\":[\"p.x\"]");
}
END_TEST

/* ---- prompts ----------------------------------------------------------------------- */

#define PROMPTS                                                                        \
    "{\"mcpPrompt\":{\"title\":\"T\",\"zh\":{\"content\":\"zz\"},\"en\":{\"content\":" \
    "\"ee\"}}}"

START_TEST(the_language_decides_which_text_of_an_app_is_used) /* R121 R129, B.28, K19 */
{
    plugin(PROMPTS, "{\"mcpPrompt\":{\"en\":{\"content\":\"only\"}}}");
    world.language = MCPH_CHATOS_ZH;
    test_has(chosen(A(",\"mcp\":false")),
             "prompts {\"name\":\"mcp_p_a\",\"language\":\"zh\",\"title\":\"T\",\"text\":"
             "\"zz\",\"app\":true}");
    test_has(chosen(B(",\"mcp\":false")), "\"name\":\"mcp_p_b__en\",\"language\":\"en\"");
    world.language = MCPH_CHATOS_EN;
    test_has(chosen(A(",\"mcp\":false")), "\"name\":\"mcp_p_a__en\",\"language\":\"en\"");
    plugin("{\"mcpPrompt\":{\"zh\":{\"content\":\"zz\"}}}", PANEL);
    test_has(chosen(A(",\"mcp\":false")), "\"name\":\"mcp_p_a\",\"language\":\"zh\"");
}
END_TEST

START_TEST(a_prompt_of_the_application_replaces_the_prompt_of_an_app) /* R143, B.28 */
{
    plugin(PROMPTS, PANEL);
    has_admin("{\"prompts\":[{\"name\":\"mcp_p_a\",\"content\":\"theirs\"}]}");
    world.language = MCPH_CHATOS_EN;
    test_has(chosen(A(",\"mcp\":false")),
             "prompts {\"name\":\"mcp_p_a\",\"language\":\"zh\",\"title\":\"\",\"text\":"
             "\"theirs\",\"app\":false}");
    has_admin("{\"prompts\":[{\"name\":\"mcp_p_a\",\"content\":\"theirs\"},{\"name\":"
              "\"MCP_p_a__en\",\"content\":\"english\"}]}");
    test_has(chosen(A(",\"mcp\":false")), "\"text\":\"english\"");
}
END_TEST

START_TEST(selected_prompts_that_the_app_does_not_expose_are_left_out) /* R123 R146, C3 */
{
    plugin(PANEL, EVERYONE);
    has_admin("{\"prompts\":[{\"id\":\"1\",\"name\":\"default\",\"content\":\"d\"},"
              "{\"id\":\"2\",\"name\":\"other\",\"content\":\"o\"},{\"id\":\"3\","
              "\"name\":\"never\",\"content\":\"n\",\"allowMain\":false}]}");
    test_has(chosen(A(",\"mcp\":false,\"promptIds\":[\"1\",\"2\"]")),
             "prompts {\"name\":\"default\",\"language\":null,\"title\":\"\",\"text\":"
             "\"d\",\"app\":false} notices {\"message\":\"prompts that the app does not "
             "expose\",\"names\":[\"other\"]");
    test_has(chosen(B(",\"mcp\":false,\"promptIds\":[\"2\",\"3\",\"9\"]")),
             "not exist\",\"names\":[\"9\"]");
    test_has(chosen(B(",\"mcp\":false,\"promptIds\":[\"2\",\"3\"]")),
             "may not use\",\"names\":[\"never\"]");
    /* If the flag `prompt` is off, the run ignores selected prompts. */
    ck_assert_str_eq(chosen(B(",\"mcp\":false,\"prompt\":false,\"promptIds\":[\"2\"]")),
                     "servers  prompts  notices ");
}
END_TEST

START_TEST(prompts_beyond_the_room_are_left_out) /* R144 */
{
    size_t len = (size_t)3 * 1024 * 1024, at = 0;
    char *title = malloc(len + 1), *json = malloc(6 * len);
    const char *text;

    memset(title, 't', len);
    title[len] = '\0';
    at = (size_t)snprintf(json, 6 * len, "{\"prompts\":[");
    for (int i = 1; i <= 5; i++)
        at += (size_t)snprintf(json + at, 6 * len - at,
                               "{\"id\":\"%d\",\"name\":\"n%d\",\"title\":\"%s\","
                               "\"content\":\"c\"},",
                               i, i, title);
    snprintf(json + at, 6 * len - at,
             "{\"id\":\"6\",\"name\":\"small\",\"content\":\"c\"}]}");
    plugin(PANEL, EVERYONE);
    has_admin(json);
    text =
        chosen(B(",\"mcp\":false,\"promptIds\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\"]"));
    ck_assert_uint_lt(choice.prompts.len, 1000);
    test_has(
        text,
        "prompts {\"name\":\"small\",\"language\":null,\"title\":\"\",\"text\":\"c\","
        "\"app\":false} notices {\"message\":\"prompts for which there is no room\","
        "\"names\":[\"n1\",\"n2\",\"n3\",\"n4\",\"n5\"]");
    free(title);
    free(json);
}
END_TEST

/* ---- the application's list -------------------------------------------------------- */

START_TEST(a_wrong_list_is_refused_with_its_line)
{
    static const char *const wrong[] = {
        "[]",
        "{\"mcpServers\":{}}",
        "{\"mcpServers\":[1]}",
        "{\"prompts\":[{\"content\":\"x\"}]}",
        "{\"mcpServers\":[{\"name\":\"x\",\"allowMain\":\"yes\"}]}",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(wrong); i++) {
        struct mcph_chatos_admin *none = NULL;

        err = mcphost_error_unref(err);
        ck_assert_int_eq(mcph_chatos_admin_parse(wrong[i], strlen(wrong[i]), &none, &err),
                         MCPHOST_E_CONFIG);
        ck_assert_int_gt(mcphost_error_get_line(err), 0);
        ck_assert_ptr_null(none);
    }
}
END_TEST

START_TEST(stored_records_replace_entries_of_the_same_name) /* R143 */
{
    struct mcph_chatos_stored one = {MCPHOST_CHATOS_SERVER, (char *)"X",
                                     (char *)"{\"name\":\"X\",\"allowMain\":true}"};
    struct mcph_chatos_admin *with = NULL;
    struct mcph_vec stored = {0};

    has_admin("{\"mcpServers\":[{\"name\":\"x\"},{\"name\":\"y\"}],\"prompts\":[{"
              "\"name\":\"x\",\"content\":\"c\"}]}");
    ck_assert_int_eq(mcph_vec_add(&stored, &one), 0);
    ck_assert_int_eq(mcph_chatos_admin_with(admin, &stored, &with), 0);
    mcph_vec_done(&stored);
    ck_assert_uint_eq(with->items.n, 3);
    ck_assert(mcph_chatos_admin_by_name(with, MCPHOST_CHATOS_SERVER, "x")->allow_main);
    ck_assert_ptr_nonnull(mcph_chatos_admin_by_id(with, MCPHOST_CHATOS_SERVER, "y"));
    ck_assert_ptr_nonnull(mcph_chatos_admin_by_id(with, MCPHOST_CHATOS_PROMPT, "x"));
    mcph_chatos_admin_unref(with);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc;

    tc = test_case(suite, "records");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_record_is_read_with_its_defaults);
    tcase_add_test(tc, a_wrong_record_is_refused_with_its_line);
    tcase_add_test(tc, a_record_with_over_1000_apps_or_too_many_bytes_is_refused);

    tc = test_case(suite, "servers");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, an_app_without_a_selection_gets_its_own_server);
    tcase_add_test(tc, a_flag_that_is_off_excludes_servers_or_prompts);
    tcase_add_test(tc, a_global_server_with_the_apps_name_replaces_its_own_server);
    tcase_add_test(tc, selected_servers_replace_the_server_of_the_app);
    tcase_add_test(tc, a_server_that_the_app_does_not_expose_is_left_out);
    tcase_add_test(tc, the_main_agent_gets_only_servers_that_are_allowed_for_it);
    tcase_add_test(tc, an_apps_own_server_is_allowed_unless_its_flags_forbid_it);
    tcase_add_test(tc, missing_servers_are_reported_with_at_most_six_names);

    tc = test_case(suite, "prompts");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_language_decides_which_text_of_an_app_is_used);
    tcase_add_test(tc, a_prompt_of_the_application_replaces_the_prompt_of_an_app);
    tcase_add_test(tc, selected_prompts_that_the_app_does_not_expose_are_left_out);
    tcase_add_test(tc, prompts_beyond_the_room_are_left_out);

    tc = test_case(suite, "the application's list");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_wrong_list_is_refused_with_its_line);
    tcase_add_test(tc, stored_records_replace_entries_of_the_same_name);
}

int
main(void)
{
    return test_main("chatos-choice", add);
}
