/* SPDX-License-Identifier: MIT
 *
 * test_chatos_manifest.c - plugin.json: the parsed members, and the effects of faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "unit/chatosrig.h"

/* ---- valid manifests --------------------------------------------------------------- */

static const char whole[] =
    "\xef\xbb\xbf{\n"
    " \"manifestVersion\": 1, \"id\": \" com.Example \", \"providerAppId\": \"ex\",\n"
    " \"name\": \"Example\\n\", \"version\": \"1.2\", \"description\": \" d \",\n"
    " \"backend\": {\"entry\": \"./b/../back.mjs\"}, \"unheard\": {\"of\": [1]},\n"
    " \"apps\": [\n"
    "  {\"id\": \" db \", \"name\": \"DB\", \"description\": \"x\", \"icon\": "
    "\"i.png\",\n"
    "   \"entry\": {\"type\": \"module\", \"path\": \"ui/main.mjs\",\n"
    "             \"compact\": {\"path\": \"ui//small.mjs/\"}},\n"
    "   \"ai\": {\n"
    "    \"mcp\": {\"entry\": \" mcp/server.mjs \", \"command\": \"deno\",\n"
    "     \"args\": [\"run\", \" --x \", \"\"], \"description\": \"tools\",\n"
    "     \"tags\": [\"t\", \"u\"], \"enabled\": true, \"allowMain\": false,\n"
    "     \"callMeta\": {\"z\": [1.50, null, true], \"workdir\": \"$dataDir\",\n"
    "                  \"a\": {\"k\": \"\\u00e9\\n\"}},\n"
    "     \"auth\": {\"token\": \"t0k\", \"basic\": {\"username\": \"u\", \"password\": "
    "\"p\"},\n"
    "              \"headers\": {\"X-One\": \" 1 \"}}},\n"
    "    \"mcpPrompt\": {\"title\": \"T\", \"zh\": \"p/zh.md\",\n"
    "     \"en\": {\"content\": \" be good \", \"path\": \"../out\"}},\n"
    "    \"agent\": {\"name\": \"helper\", \"modelId\": \"m\"},\n"
    "    \"mcpServers\": [\"b\", \" a \", \"b\"], \"prompts\": false,\n"
    "    \"config\": \"ai.yaml\"}},\n"
    "  {\"id\": \"plain\", \"name\": \"Plain\", \"entry\": \"plain.mjs\"}\n"
    " ]}\n";

START_TEST(a_plugin_is_read_with_its_apps) /* B.20 */
{
    const struct mcph_chatos_app *app;

    chatosrig_parse(whole);
    ck_assert_str_eq(chatosrig_diags(), "");
    ck_assert_int_eq(chatosrig_plugin->report->status, 0);
    ck_assert_str_eq(chatosrig_plugin->dir, PLUGIN_DIR);
    ck_assert_str_eq(chatosrig_plugin->id, "com.Example");
    ck_assert_str_eq(chatosrig_plugin->provider, "ex");
    ck_assert_str_eq(chatosrig_plugin->name, "Example");
    ck_assert_str_eq(chatosrig_plugin->version, "1.2");
    ck_assert_str_eq(chatosrig_plugin->description, "d");
    ck_assert_str_eq(chatosrig_plugin->backend, "back.mjs");
    ck_assert_uint_eq(chatosrig_plugin->apps.n, 2);
    app = chatosrig_app_at(0);
    ck_assert_int_eq(app->line, 6);
    ck_assert_int_eq(app->column, 3);
    ck_assert_str_eq(app->id, "db");
    ck_assert_str_eq(app->name, "DB");
    ck_assert_str_eq(app->description, "x");
    ck_assert_str_eq(app->icon, "i.png");
    ck_assert_str_eq(app->entry, "ui/main.mjs");
    ck_assert_str_eq(app->compact, "ui/small.mjs");
    app = chatosrig_app_at(1);
    ck_assert_str_eq(app->id, "plain");
    ck_assert_str_eq(app->description, "");
    ck_assert_str_eq(app->icon, "");
    ck_assert_str_eq(app->entry, "plain.mjs");
    ck_assert_ptr_null(app->compact);
    ck_assert_ptr_null(app->ai);
}
END_TEST

START_TEST(missing_keys_of_a_plugin_get_defaults) /* B.20 */
{
    chatosrig_parse("{\"id\":\"p\",\"name\":\"n\"}");
    ck_assert_str_eq(chatosrig_diags(), "");
    ck_assert_str_eq(chatosrig_plugin->version, "0.0.0");
    ck_assert_str_eq(chatosrig_plugin->description, "");
    ck_assert_str_eq(chatosrig_plugin->provider, "p");
    ck_assert_ptr_null(chatosrig_plugin->backend);
    ck_assert_uint_eq(chatosrig_plugin->apps.n, 0);
    chatosrig_parse(
        "{\"id\":\"p\",\"name\":\"n\",\"providerAppId\":\" \",\"manifestVersion\":1.0}");
    ck_assert_str_eq(chatosrig_diags(), "");
    ck_assert_str_eq(chatosrig_plugin->provider, "p");
}
END_TEST

START_TEST(the_keys_of_an_apps_server_are_parsed) /* R122, R131, B.20 */
{
    const struct mcph_chatos_mcp *mcp;
    char *url = NULL;

    chatosrig_parse(whole);
    mcp = chatosrig_app_at(0)->ai->mcp;
    ck_assert_int_eq(mcp->line, 10);
    ck_assert_ptr_null(mcp->url);
    ck_assert_str_eq(mcp->entry, "mcp/server.mjs");
    ck_assert_str_eq(mcp->command, "deno");
    ck_assert_uint_eq(mcp->args.n, 3);
    ck_assert_str_eq(mcp->args.items[1], "--x");
    ck_assert_str_eq(mcp->args.items[2], "");
    ck_assert_str_eq(mcp->description, "tools");
    ck_assert_uint_eq(mcp->tags.n, 2);
    ck_assert_str_eq(mcp->tags.items[1], "u");
    ck_assert_int_eq(mcp->enabled, 1);
    ck_assert_int_eq(mcp->allow_main, 0);
    ck_assert_int_eq(mcp->allow_sub, -1);
    ck_assert_str_eq(mcp->call_meta, "{\"a\":{\"k\":\"\xc3\xa9\\n\"},\"workdir\":"
                                     "\"$dataDir\",\"z\":[1.50,null,true]}");
    ck_assert_str_eq(mcp->auth.token, "t0k");
    ck_assert_str_eq(mcp->auth.username, "u");
    ck_assert_str_eq(mcp->auth.password, "p");
    ck_assert_uint_eq(mcp->auth.headers.n, 1);
    ck_assert_str_eq(mcp->auth.headers.items[0].name, "X-One");
    ck_assert_str_eq(mcp->auth.headers.items[0].text, "1");
    ck_assert_int_eq(mcph_chatos_mcp_url(mcp, PLUGIN_DIR, &url), 0);
    ck_assert_str_eq(url, "cmd://deno " PLUGIN_DIR "/mcp/server.mjs run --x");
    free(url);
}
END_TEST

START_TEST(the_exposed_servers_and_prompts_of_an_app_are_parsed) /* R123, R125, B.26 */
{
    const struct mcph_chatos_ai *ai;

    chatosrig_parse(whole);
    ai = chatosrig_app_at(0)->ai;
    ck_assert_str_eq(ai->config, "ai.yaml");
    ck_assert_ptr_nonnull(ai->mcp);
    ck_assert_str_eq(ai->agent->name, "helper");
    ck_assert_str_eq(ai->agent->description, "");
    ck_assert_str_eq(ai->agent->model_id, "m");
    ck_assert_int_eq(ai->servers.kind, MCPH_CHATOS_LIST);
    ck_assert_uint_eq(ai->servers.names.n, 2);
    ck_assert_str_eq(ai->servers.names.items[0], "b");
    ck_assert_str_eq(ai->servers.names.items[1], "a");
    ck_assert_ptr_null(ai->servers.names.items[2]);
    ck_assert_int_eq(ai->prompts.kind, MCPH_CHATOS_OFF);
    ai = chatosrig_parse_ai("{\"prompts\":true}");
    ck_assert_int_eq(ai->servers.kind, MCPH_CHATOS_UNSET);
    ck_assert_int_eq(ai->prompts.kind, MCPH_CHATOS_ALL);
    ck_assert_ptr_null(ai->config);
}
END_TEST

START_TEST(a_prompt_is_a_path_or_a_text_in_one_or_two_languages) /* R121, B.20 */
{
    const struct mcph_chatos_prompt *prompt;

    chatosrig_parse(whole);
    prompt = chatosrig_app_at(0)->ai->prompt;
    ck_assert_str_eq(prompt->title, "T");
    ck_assert_str_eq(prompt->texts[MCPH_CHATOS_ZH].path, "p/zh.md");
    ck_assert_ptr_null(prompt->texts[MCPH_CHATOS_ZH].content);
    /* The content replaces the path.  A replaced path may lead out of the plugin. */
    ck_assert_str_eq(prompt->texts[MCPH_CHATOS_EN].content, "be good");
    ck_assert_ptr_null(prompt->texts[MCPH_CHATOS_EN].path);
    prompt = chatosrig_parse_ai("{\"mcpPrompt\":\" p.md \"}")->prompt;
    ck_assert_str_eq(prompt->title, "");
    ck_assert_str_eq(prompt->texts[MCPH_CHATOS_ZH].path, "p.md");
    ck_assert_ptr_null(prompt->texts[MCPH_CHATOS_EN].path);
    prompt = chatosrig_parse_ai("{\"mcpPrompt\":{\"en\":{\"path\":\"p.md\"}}}")->prompt;
    ck_assert_ptr_null(prompt->texts[MCPH_CHATOS_ZH].path);
    ck_assert_str_eq(prompt->texts[MCPH_CHATOS_EN].path, "p.md");
}
END_TEST

START_TEST(ai_may_be_the_path_of_its_file) /* B.20 */
{
    const struct mcph_chatos_ai *ai = chatosrig_parse_ai("\" conf/ai.json \"");

    ck_assert_str_eq(chatosrig_diags(), "");
    ck_assert_str_eq(ai->config, "conf/ai.json");
    ck_assert_ptr_null(ai->mcp);
    ck_assert_int_eq(ai->servers.kind, MCPH_CHATOS_UNSET);
}
END_TEST

START_TEST(ai_belongs_to_an_app_and_not_to_the_plugin) /* C3 */
{
    chatosrig_parse("{\"id\":\"p\",\"name\":\"P\",\"ai\":{\"mcp\":{\"entry\":\"s.mjs\"}},"
                    "\"apps\":[{\"id\":\"a\",\"name\":\"A\",\"entry\":\"e\"}]}");
    ck_assert_int_eq(chatosrig_plugin->report->status, 0);
    ck_assert_uint_eq(chatosrig_plugin->apps.n, 1);
    ck_assert_ptr_null(chatosrig_app_at(0)->ai);
    ck_assert_ptr_nonnull(chatosrig_parse_ai("{\"mcp\":{\"entry\":\"s.mjs\"}}")->mcp);
}
END_TEST

START_TEST(a_url_is_kept_unchanged_and_replaces_the_entry) /* R132, B.22 */
{
    const struct mcph_chatos_mcp *mcp =
        chatosrig_parse_ai(
            "{\"mcp\":{\"url\":\" HTTP://h:80/a?b#c \",\"entry\":\"../out\","
            "\"args\":[\"x\"]}}")
            ->mcp;
    char *url = NULL;

    ck_assert_str_eq(chatosrig_diags(), "");
    ck_assert_ptr_null(mcp->entry);
    ck_assert_int_eq(mcph_chatos_mcp_url(mcp, PLUGIN_DIR, &url), 0);
    ck_assert_str_eq(url, "HTTP://h:80/a?b#c");
    free(url);
}
END_TEST

START_TEST(an_entry_is_run_by_node_from_its_absolute_path) /* R131 */
{
    const struct mcph_chatos_mcp *mcp =
        chatosrig_parse_ai("{\"mcp\":{\"entry\":\"my server.mjs\",\"args\":[\"it's\"]}}")
            ->mcp;
    char *url = NULL;

    ck_assert_int_eq(mcph_chatos_mcp_url(mcp, PLUGIN_DIR "/", &url), 0);
    ck_assert_str_eq(url, "cmd://node \"" PLUGIN_DIR "/my server.mjs\" \"it's\"");
    free(url);
}
END_TEST

/* ---- faults of the plugin ---------------------------------------------------------- */

static const struct {
    const char *text, *said;
} rejected[] = {
    {"", "not valid JSON"},
    {" \n", "not valid JSON"},
    {"{\"id\":\"p\",\n\"name\":tru}", "2:"},
    {"{\"id\":\"p\",\"name\":\"n\",}", "not valid JSON"},
    {"// c\n{\"id\":\"p\",\"name\":\"n\"}", "not valid JSON"},
    {"id: p\nname: n\n", "not valid JSON"},
    {"{\"id\":\"p\",\"id\":\"p\",\"name\":\"n\"}", "1:11 error id: duplicate key"},
    {"{\"id\":\"p\",\"name\":\"\xff\"}", "invalid UTF-8"},
    {"{\"id\":\"p\",\"name\":\"\\u0000\"}", "1:18 error name: a text cannot hold a NUL"},
    {"{\"id\":\"p\",\"name\":\"\\ud800\"}", "half of a surrogate pair"},
    {"[]", "1:1 error expected a map with 'id', 'name', 'apps', found a list"},
    {"null", "expected a map with"},
    {"\"x\"", "expected a map with"},
    {"{}", "1:1 error id: expected a string, found nothing\n"
           "1:1 error name: expected a string, found nothing\n"},
    {"{\"id\":\"\\u3000 \",\"name\":\"n\"}",
     "1:7 error id: expected a string that is not blank, found a blank one"},
    {"{\"id\":\"p\",\"name\":\"\"}", "name: expected a string that is not blank"},
    {"{\"manifestVersion\":2,\"id\":\"p\",\"name\":\"n\"}",
     "1:20 error manifestVersion: expected the number 1, found another number"},
    {"{\"manifestVersion\":1.5,\"id\":\"p\",\"name\":\"n\"}",
     "manifestVersion: expected"},
    {"{\"manifestVersion\":\"1\",\"id\":\"p\",\"name\":\"n\"}",
     "manifestVersion: expected the number 1, found a string"},
    {"{\"manifestVersion\":null,\"id\":\"p\",\"name\":\"n\"}",
     "manifestVersion: expected"},
    {"{\"id\":\"p\",\"name\":\"n\",\"apps\":{}}", "apps: expected a list of apps"},
    {"{\"id\":\"p\",\"name\":\"n\",\"backend\":{}}",
     "backend.entry: expected a path, found nothing"},
    {"{\"id\":\"p\",\"name\":\"n\",\"backend\":{\"entry\":\" \"}}",
     "backend.entry: expected a string that is not blank"},
};

START_TEST(a_fault_of_the_plugin_rejects_it) /* B.20, K14, K20 */
{
    chatosrig_parse(rejected[_i].text);
    ck_assert_int_eq(chatosrig_plugin->report->status, MCPHOST_E_CONFIG);
    test_has(chatosrig_diags(), rejected[_i].said);
}
END_TEST

START_TEST(a_rejected_plugin_still_reports_the_faults_of_its_apps) /* B.20 */
{
    chatosrig_parse(
        "{\"id\":\"p\",\"apps\":[{\"id\":\"a\",\"name\":\"A\",\"entry\":\"e\"},7]}");
    ck_assert_int_eq(chatosrig_plugin->report->status, MCPHOST_E_CONFIG);
    ck_assert_uint_eq(chatosrig_plugin->apps.n, 0);
    test_has(chatosrig_diags(), "name: expected a string, found nothing");
    test_has(chatosrig_diags(), "apps[1]: expected a map");
}
END_TEST

/* ---- faults of an app -------------------------------------------------------------- */

START_TEST(a_bad_app_does_not_affect_the_others) /* B.20 */
{
    chatosrig_parse(
        "{\"id\":\"p\",\"name\":\"P\",\"apps\":[\n"
        "{\"id\":\"a\",\"name\":\"A\",\"entry\":\"e\"},\n"
        "{\"id\":\"b\",\"entry\":\"e\"},\n"
        "[],\n"
        "{\"name\":\"D\",\"entry\":\"e\"},\n"
        "{\"id\":\"e\",\"name\":\"E\",\"entry\":\"e\",\"ai\":{\"mcpServers\":[]}},\n"
        "{\"id\":\"f\",\"name\":\"F\",\"entry\":\"e\"}]}");
    ck_assert_int_eq(chatosrig_plugin->report->status, 0);
    ck_assert_uint_eq(chatosrig_plugin->apps.n, 2);
    ck_assert_str_eq(chatosrig_app_at(0)->id, "a");
    ck_assert_str_eq(chatosrig_app_at(1)->id, "f");
    ck_assert_str_eq(
        chatosrig_diags(),
        "3:1 error apps[1].name: expected a string, found nothing\n"
        "4:1 error apps[2]: expected a map, found a list\n"
        "5:1 error apps[3].id: expected a string, found nothing\n"
        "6:53 error apps[4].ai.mcpServers: expected at least one name, found an empty "
        "list\n");
}
END_TEST

START_TEST(diagnostics_about_an_app_name_its_server) /* R128 */
{
    const struct mcph_diag *diag;

    ck_assert_ptr_null(chatosrig_parse_app("\"icon\":1"));
    ck_assert_uint_eq(chatosrig_plugin->report->diags.n, 1);
    diag = chatosrig_plugin->report->diags.items[0];
    ck_assert_str_eq(diag->server, "p.a");
    ck_assert_str_eq(diag->key, "apps[0].icon");
}
END_TEST

START_TEST(of_apps_with_one_id_only_the_first_counts_even_if_invalid) /* B.20, K14 */
{
    chatosrig_parse("{\"id\":\"p\",\"name\":\"P\",\"apps\":[\n"
                    "{\"id\":\"a\",\"name\":\"first\",\"entry\":\"e\"},\n"
                    "{\"id\":\" a \",\"name\":\"second\",\"entry\":\"e\"},\n"
                    "{\"id\":\"A\",\"name\":\"other\",\"entry\":\"e\"},\n"
                    "{\"id\":\"b\",\"name\":\"bad\",\"entry\":\"../e\"},\n"
                    "{\"id\":\"b\",\"name\":\"later\",\"entry\":\"e\"}]}");
    ck_assert_uint_eq(chatosrig_plugin->apps.n, 2);
    ck_assert_str_eq(chatosrig_app_at(0)->name, "first");
    ck_assert_str_eq(chatosrig_app_at(1)->name, "other");
    test_has(chatosrig_diags(),
             "3:7 error apps[1].id: an app with this id is already on line 2");
    test_has(chatosrig_diags(),
             "6:7 error apps[4].id: an app with this id is already on line 5");
}
END_TEST

static const struct {
    const char *keys, *said;
} bad_apps[] = {
    {"\"ai\":null", "apps[0].ai: expected a map or a path, found"},
    {"\"ai\":\" \"", "apps[0].ai: expected a string that is not blank"},
    {"\"ai\":{\"mcp\":{}}", "ai.mcp: expected 'url' or 'entry', found neither"},
    {"\"ai\":{\"mcp\":{\"command\":\"node\"}}", "ai.mcp: expected 'url' or 'entry'"},
    {"\"ai\":{\"mcp\":{\"url\":\" \"}}", "ai.mcp.url: expected a string that is not"},
    {"\"ai\":{\"mcp\":{\"url\":\"x\",\"entry\":\"\"}}",
     "ai.mcp.entry: expected a string"},
    {"\"ai\":{\"mcp\":{\"entry\":\"e\",\"command\":\" \"}}", "ai.mcp.command: expected"},
    {"\"ai\":{\"mcp\":{\"entry\":\"e\",\"args\":[\"x\",1,2]}}",
     "ai.mcp.args[1]: expected"},
    {"\"ai\":{\"mcp\":{\"entry\":\"e\",\"tags\":[null]}}", "ai.mcp.tags[0]: expected"},
    {"\"ai\":{\"mcp\":{\"entry\":\"e\",\"callMeta\":[]}}",
     "ai.mcp.callMeta: expected a map"},
    {"\"ai\":{\"mcp\":{\"entry\":\"e\",\"auth\":{\"headers\":{\"X\":1}}}}",
     "ai.mcp.auth.headers.X: expected a string, found a number"},
    {"\"ai\":{\"mcpPrompt\":{}}", "ai.mcpPrompt: expected 'zh' or 'en', found neither"},
    {"\"ai\":{\"mcpPrompt\":{\"title\":\"t\"}}", "ai.mcpPrompt: expected 'zh' or 'en'"},
    {"\"ai\":{\"mcpPrompt\":\" \"}", "ai.mcpPrompt: expected a string that is not blank"},
    {"\"ai\":{\"mcpPrompt\":{\"zh\":{}}}", "mcpPrompt.zh: expected 'path' or 'content'"},
    {"\"ai\":{\"mcpPrompt\":{\"en\":{\"content\":\" \"}}}",
     "mcpPrompt.en.content: expected"},
    {"\"ai\":{\"mcpPrompt\":{\"en\":{\"content\":\"c\",\"path\":\"\"}}}",
     "mcpPrompt.en.path: expected a string that is not blank"},
    {"\"ai\":{\"agent\":{}}", "ai.agent.name: expected a string, found nothing"},
    {"\"ai\":{\"agent\":{\"name\":\" \"}}",
     "ai.agent.name: expected a string that is not"},
    {"\"ai\":{\"mcpServers\":[]}", "ai.mcpServers: expected at least one name"},
    {"\"ai\":{\"prompts\":[]}", "ai.prompts: expected at least one name"},
    {"\"ai\":{\"prompts\":[\"x\",\" \"]}",
     "ai.prompts[1]: expected a string that is not"},
    {"\"ai\":{\"config\":\"\"}", "ai.config: expected a string that is not blank"},
};

START_TEST(a_fault_in_ai_drops_the_app) /* R122 R123 B.20 C3 */
{
    ck_assert_ptr_null(chatosrig_parse_app(bad_apps[_i].keys));
    ck_assert_int_eq(chatosrig_plugin->report->status, 0);
    ck_assert_uint_eq(chatosrig_plugin->report->diags.n, 1);
    test_has(chatosrig_diags(), bad_apps[_i].said);
}
END_TEST

static const struct {
    const char *entry, *said;
} bad_entries[] = {
    {"\" \"", "entry: expected a string that is not blank"},
    {"17", "entry: expected a path, or a map with 'type' and 'path', found a number"},
    {"{\"path\":\"e\"}", "entry.type: expected 'module', found nothing"},
    {"{\"type\":\"iframe\",\"path\":\"e\"}",
     "entry.type: expected 'module', found another"},
    {"{\"type\":1,\"path\":\"e\"}", "entry.type: expected a string"},
    {"{\"type\":\"module\"}", "entry.path: expected a path, found nothing"},
    {"{\"type\":\"module\",\"path\":1}", "entry.path: expected a string"},
    {"{\"type\":\"module\",\"path\":\"e\",\"compact\":1}",
     "entry.compact: expected a map"},
    {"{\"type\":\"module\",\"path\":\"e\",\"compact\":{}}",
     "entry.compact.path: expected"},
    {"{\"type\":\"module\",\"path\":\"e\",\"compact\":{\"type\":\"x\",\"path\":\"c\"}}",
     "entry.compact.type: expected 'module'"},
};

START_TEST(an_app_needs_an_entry_of_a_known_type) /* B.20 */
{
    char text[512];

    snprintf(text, sizeof(text),
             "{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":\"A\","
             "\"entry\":%s}]}",
             bad_entries[_i].entry);
    chatosrig_parse(text);
    ck_assert_uint_eq(chatosrig_plugin->apps.n, 0);
    ck_assert_uint_eq(chatosrig_plugin->report->diags.n, 1);
    test_has(chatosrig_diags(), bad_entries[_i].said);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "read");

    tcase_add_checked_fixture(tc, NULL, chatosrig_down);
    tcase_add_test(tc, a_plugin_is_read_with_its_apps);
    tcase_add_test(tc, missing_keys_of_a_plugin_get_defaults);
    tcase_add_test(tc, the_keys_of_an_apps_server_are_parsed);
    tcase_add_test(tc, the_exposed_servers_and_prompts_of_an_app_are_parsed);
    tcase_add_test(tc, a_prompt_is_a_path_or_a_text_in_one_or_two_languages);
    tcase_add_test(tc, ai_may_be_the_path_of_its_file);
    tcase_add_test(tc, ai_belongs_to_an_app_and_not_to_the_plugin);
    tcase_add_test(tc, a_url_is_kept_unchanged_and_replaces_the_entry);
    tcase_add_test(tc, an_entry_is_run_by_node_from_its_absolute_path);

    tc = test_case(suite, "faults");
    tcase_add_checked_fixture(tc, NULL, chatosrig_down);
    tcase_add_loop_test(tc, a_fault_of_the_plugin_rejects_it, 0,
                        MCPH_ARRAY_SIZE(rejected));
    tcase_add_test(tc, a_rejected_plugin_still_reports_the_faults_of_its_apps);
    tcase_add_test(tc, a_bad_app_does_not_affect_the_others);
    tcase_add_test(tc, diagnostics_about_an_app_name_its_server);
    tcase_add_test(tc, of_apps_with_one_id_only_the_first_counts_even_if_invalid);
    tcase_add_loop_test(tc, a_fault_in_ai_drops_the_app, 0, MCPH_ARRAY_SIZE(bad_apps));
    tcase_add_loop_test(tc, an_app_needs_an_entry_of_a_known_type, 0,
                        MCPH_ARRAY_SIZE(bad_entries));
}

int
main(void)
{
    return test_main("chatos-manifest", add);
}
