/* SPDX-License-Identifier: MIT
 *
 * test_chatos_manifest.c - plugin.json: what is read, what is refused, and what a fault
 * costs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "support/conf.h"
#include "support/runner.h"

#define DIR "/plugins/db"

static struct mcph_chatos_plugin *plugin;

static void
parse_bytes(const char *text, size_t len)
{
    mcph_chatos_plugin_free(plugin);
    plugin = NULL;
    ck_assert_int_eq(mcph_chatos_manifest_parse(text, len, "plugin.json", DIR, &plugin),
                     0);
    ck_assert_ptr_nonnull(plugin);
    ck_assert(plugin->report->status == 0 || plugin->apps.n == 0);
    ck_assert(plugin->report->status == 0 || plugin->report->diags.n > 0);
    for (size_t i = 0; i < plugin->report->diags.n; i++) {
        const struct mcph_diag *diag = plugin->report->diags.items[i];

        ck_assert_str_eq(diag->file, "plugin.json");
        ck_assert(diag->line > 0 || plugin->report->status == MCPHOST_E_LIMIT);
    }
}

static void
parse(const char *text)
{
    parse_bytes(text, strlen(text));
}

static void
down(void)
{
    plugin = mcph_chatos_plugin_free(plugin);
}

static const char *
diags(void)
{
    return conf_diags(plugin->report);
}

static const struct mcph_chatos_app *
app_at(size_t i)
{
    ck_assert_msg(i < plugin->apps.n, "%zu apps: %s", plugin->apps.n, diags());
    return plugin->apps.items[i];
}

/* The only app of a plugin, whose further keys are these. */
static const struct mcph_chatos_app *
parse_app(const char *keys)
{
    static char text[8192];

    snprintf(text, sizeof(text),
             "{\"id\":\"p\",\"name\":\"P\",\"apps\":[\n"
             "{\"id\":\"a\",\"name\":\"A\",\"entry\":\"e.mjs\",\n%s}]}",
             keys);
    parse(text);
    return plugin->apps.n ? plugin->apps.items[0] : NULL;
}

static const struct mcph_chatos_ai *
parse_ai(const char *ai)
{
    static char text[4096];
    const struct mcph_chatos_app *app;

    snprintf(text, sizeof(text), "\"ai\":%s", ai);
    app = parse_app(text);
    ck_assert_msg(app != NULL, "%s", diags());
    ck_assert_ptr_nonnull(app->ai);
    return app->ai;
}

/* ---- what is read ------------------------------------------------------------------ */

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

    parse(whole);
    ck_assert_str_eq(diags(), "");
    ck_assert_int_eq(plugin->report->status, 0);
    ck_assert_str_eq(plugin->dir, DIR);
    ck_assert_str_eq(plugin->id, "com.Example");
    ck_assert_str_eq(plugin->provider, "ex");
    ck_assert_str_eq(plugin->name, "Example");
    ck_assert_str_eq(plugin->version, "1.2");
    ck_assert_str_eq(plugin->description, "d");
    ck_assert_str_eq(plugin->backend, "back.mjs");
    ck_assert_uint_eq(plugin->apps.n, 2);
    app = app_at(0);
    ck_assert_int_eq(app->line, 6);
    ck_assert_int_eq(app->column, 3);
    ck_assert_str_eq(app->id, "db");
    ck_assert_str_eq(app->name, "DB");
    ck_assert_str_eq(app->description, "x");
    ck_assert_str_eq(app->icon, "i.png");
    ck_assert_str_eq(app->entry, "ui/main.mjs");
    ck_assert_str_eq(app->compact, "ui/small.mjs");
    app = app_at(1);
    ck_assert_str_eq(app->id, "plain");
    ck_assert_str_eq(app->description, "");
    ck_assert_str_eq(app->icon, "");
    ck_assert_str_eq(app->entry, "plain.mjs");
    ck_assert_ptr_null(app->compact);
    ck_assert_ptr_null(app->ai);
}
END_TEST

START_TEST(a_plugin_has_defaults) /* B.20 */
{
    parse("{\"id\":\"p\",\"name\":\"n\"}");
    ck_assert_str_eq(diags(), "");
    ck_assert_str_eq(plugin->version, "0.0.0");
    ck_assert_str_eq(plugin->description, "");
    ck_assert_str_eq(plugin->provider, "p");
    ck_assert_ptr_null(plugin->backend);
    ck_assert_uint_eq(plugin->apps.n, 0);
    parse(
        "{\"id\":\"p\",\"name\":\"n\",\"providerAppId\":\" \",\"manifestVersion\":1.0}");
    ck_assert_str_eq(diags(), "");
    ck_assert_str_eq(plugin->provider, "p");
}
END_TEST

START_TEST(an_apps_server_has_its_keys) /* R122, R131, B.20 */
{
    const struct mcph_chatos_mcp *mcp;
    char *url = NULL;

    parse(whole);
    mcp = app_at(0)->ai->mcp;
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
    ck_assert_int_eq(mcph_chatos_mcp_url(mcp, DIR, &url), 0);
    ck_assert_str_eq(url, "cmd://deno " DIR "/mcp/server.mjs run --x");
    free(url);
}
END_TEST

START_TEST(what_an_app_exposes_stands_beside_its_server) /* R123, R125, B.26 */
{
    const struct mcph_chatos_ai *ai;

    parse(whole);
    ai = app_at(0)->ai;
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
    ai = parse_ai("{\"prompts\":true}");
    ck_assert_int_eq(ai->servers.kind, MCPH_CHATOS_UNSET);
    ck_assert_int_eq(ai->prompts.kind, MCPH_CHATOS_ALL);
    ck_assert_ptr_null(ai->config);
}
END_TEST

START_TEST(a_prompt_is_a_path_or_a_text_in_one_or_two_languages) /* R121, B.20 */
{
    const struct mcph_chatos_prompt *prompt;

    parse(whole);
    prompt = app_at(0)->ai->prompt;
    ck_assert_str_eq(prompt->title, "T");
    ck_assert_str_eq(prompt->texts[MCPH_CHATOS_ZH].path, "p/zh.md");
    ck_assert_ptr_null(prompt->texts[MCPH_CHATOS_ZH].content);
    /* the content wins, so that nobody asks where the path leads */
    ck_assert_str_eq(prompt->texts[MCPH_CHATOS_EN].content, "be good");
    ck_assert_ptr_null(prompt->texts[MCPH_CHATOS_EN].path);
    prompt = parse_ai("{\"mcpPrompt\":\" p.md \"}")->prompt;
    ck_assert_str_eq(prompt->title, "");
    ck_assert_str_eq(prompt->texts[MCPH_CHATOS_ZH].path, "p.md");
    ck_assert_ptr_null(prompt->texts[MCPH_CHATOS_EN].path);
    prompt = parse_ai("{\"mcpPrompt\":{\"en\":{\"path\":\"p.md\"}}}")->prompt;
    ck_assert_ptr_null(prompt->texts[MCPH_CHATOS_ZH].path);
    ck_assert_str_eq(prompt->texts[MCPH_CHATOS_EN].path, "p.md");
}
END_TEST

START_TEST(ai_may_be_the_path_of_its_file) /* B.20 */
{
    const struct mcph_chatos_ai *ai = parse_ai("\" conf/ai.json \"");

    ck_assert_str_eq(diags(), "");
    ck_assert_str_eq(ai->config, "conf/ai.json");
    ck_assert_ptr_null(ai->mcp);
    ck_assert_int_eq(ai->servers.kind, MCPH_CHATOS_UNSET);
}
END_TEST

START_TEST(a_url_is_taken_as_it_is_and_wins_over_the_entry) /* R132, B.22 */
{
    const struct mcph_chatos_mcp *mcp =
        parse_ai("{\"mcp\":{\"url\":\" HTTP://h:80/a?b#c \",\"entry\":\"../out\","
                 "\"args\":[\"x\"]}}")
            ->mcp;
    char *url = NULL;

    ck_assert_str_eq(diags(), "");
    ck_assert_ptr_null(mcp->entry);
    ck_assert_int_eq(mcph_chatos_mcp_url(mcp, DIR, &url), 0);
    ck_assert_str_eq(url, "HTTP://h:80/a?b#c");
    free(url);
}
END_TEST

START_TEST(an_entry_is_run_by_node_from_its_absolute_path) /* R131 */
{
    const struct mcph_chatos_mcp *mcp =
        parse_ai("{\"mcp\":{\"entry\":\"my server.mjs\",\"args\":[\"it's\"]}}")->mcp;
    char *url = NULL;

    ck_assert_int_eq(mcph_chatos_mcp_url(mcp, DIR "/", &url), 0);
    ck_assert_str_eq(url, "cmd://node \"" DIR "/my server.mjs\" \"it's\"");
    free(url);
}
END_TEST

/* ---- faults of the plugin ------------------------------------------------------------ */

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
    parse(rejected[_i].text);
    ck_assert_int_eq(plugin->report->status, MCPHOST_E_CONFIG);
    test_has(diags(), rejected[_i].said);
}
END_TEST

START_TEST(a_rejected_plugin_still_tells_what_is_wrong_in_its_apps) /* B.20 */
{
    parse("{\"id\":\"p\",\"apps\":[{\"id\":\"a\",\"name\":\"A\",\"entry\":\"e\"},7]}");
    ck_assert_int_eq(plugin->report->status, MCPHOST_E_CONFIG);
    ck_assert_uint_eq(plugin->apps.n, 0);
    test_has(diags(), "name: expected a string, found nothing");
    test_has(diags(), "apps[1]: expected a map");
}
END_TEST

/* ---- faults of an app ---------------------------------------------------------------- */

START_TEST(a_bad_app_costs_only_itself) /* B.20 */
{
    parse("{\"id\":\"p\",\"name\":\"P\",\"apps\":[\n"
          "{\"id\":\"a\",\"name\":\"A\",\"entry\":\"e\"},\n"
          "{\"id\":\"b\",\"entry\":\"e\"},\n"
          "[],\n"
          "{\"name\":\"D\",\"entry\":\"e\"},\n"
          "{\"id\":\"e\",\"name\":\"E\",\"entry\":\"e\",\"ai\":{\"mcpServers\":[]}},\n"
          "{\"id\":\"f\",\"name\":\"F\",\"entry\":\"e\"}]}");
    ck_assert_int_eq(plugin->report->status, 0);
    ck_assert_uint_eq(plugin->apps.n, 2);
    ck_assert_str_eq(app_at(0)->id, "a");
    ck_assert_str_eq(app_at(1)->id, "f");
    ck_assert_str_eq(
        diags(),
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

    ck_assert_ptr_null(parse_app("\"icon\":1"));
    ck_assert_uint_eq(plugin->report->diags.n, 1);
    diag = plugin->report->diags.items[0];
    ck_assert_str_eq(diag->server, "p.a");
    ck_assert_str_eq(diag->key, "apps[0].icon");
}
END_TEST

START_TEST(the_first_app_of_an_id_stays_even_if_it_is_invalid) /* B.20, K14 */
{
    parse("{\"id\":\"p\",\"name\":\"P\",\"apps\":[\n"
          "{\"id\":\"a\",\"name\":\"first\",\"entry\":\"e\"},\n"
          "{\"id\":\" a \",\"name\":\"second\",\"entry\":\"e\"},\n"
          "{\"id\":\"A\",\"name\":\"other\",\"entry\":\"e\"},\n"
          "{\"id\":\"b\",\"name\":\"bad\",\"entry\":\"../e\"},\n"
          "{\"id\":\"b\",\"name\":\"later\",\"entry\":\"e\"}]}");
    ck_assert_uint_eq(plugin->apps.n, 2);
    ck_assert_str_eq(app_at(0)->name, "first");
    ck_assert_str_eq(app_at(1)->name, "other");
    test_has(diags(), "3:7 error apps[1].id: an app with this id is on line 2");
    test_has(diags(), "6:7 error apps[4].id: an app with this id is on line 5");
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

START_TEST(a_fault_in_ai_costs_the_app) /* R122, R123, B.20, C3 */
{
    ck_assert_ptr_null(parse_app(bad_apps[_i].keys));
    ck_assert_int_eq(plugin->report->status, 0);
    ck_assert_uint_eq(plugin->report->diags.n, 1);
    test_has(diags(), bad_apps[_i].said);
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
    parse(text);
    ck_assert_uint_eq(plugin->apps.n, 0);
    ck_assert_uint_eq(plugin->report->diags.n, 1);
    test_has(diags(), bad_entries[_i].said);
}
END_TEST

/* ---- every key with every type ------------------------------------------------------- */

enum { NUL = 1, BOOLEAN = 2, NUMBER = 4, TEXT = 8, LIST = 16, MAP = 32 };

static const struct {
    int kind;
    const char *text;
} values[] = {{NUL, "null"},      {BOOLEAN, "true"}, {NUMBER, "17"},
              {TEXT, "\"text\""}, {LIST, "[\"x\"]"}, {MAP, "{\"unheard\":\"of\"}"}};

#define APP_1                                                                        \
    "{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":\"A\",\"entry\":" \
    "\"e\","
#define APP_2     "}]}"
#define IN_AI(x)  APP_1 "\"ai\":{" x "}" APP_2
#define IN_MCP(x) IN_AI("\"mcp\":{\"entry\":\"e\"," x "}")

static const struct {
    const char *text, *key;
    int good; /* kinds of values that are accepted */
} places[] = {
    {"{\"id\":%s,\"name\":\"P\"}", "id", TEXT},
    {"{\"id\":\"p\",\"name\":%s}", "name", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"manifestVersion\":%s}", "manifestVersion", 0},
    {"{\"id\":\"p\",\"name\":\"P\",\"version\":%s}", "version", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"description\":%s}", "description", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"providerAppId\":%s}", "providerAppId", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"backend\":%s}", "backend", 0},
    {"{\"id\":\"p\",\"name\":\"P\",\"backend\":{\"entry\":%s}}", "backend.entry", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":%s}", "apps", 0},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[%s]}", "apps[0]", 0},
    {"{\"id\":\"p\",\"name\":\"P\",\"unheard\":%s}", "", ~0},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":%s,\"name\":\"A\",\"entry\":\"e\"}]"
     "}",
     "apps[0].id", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":%s,\"entry\":\"e\"}]"
     "}",
     "apps[0].name", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":\"A\",\"entry\":%s}]"
     "}",
     "apps[0].entry", TEXT},
    {APP_1 "\"description\":%s" APP_2, "apps[0].description", TEXT},
    {APP_1 "\"icon\":%s" APP_2, "apps[0].icon", TEXT},
    {APP_1 "\"unheard\":%s" APP_2, "", ~0},
    {APP_1 "\"ai\":%s" APP_2, "apps[0].ai", TEXT | MAP},
    {IN_AI("\"unheard\":%s"), "", ~0},
    {IN_AI("\"config\":%s"), "apps[0].ai.config", TEXT},
    {IN_AI("\"mcpServers\":%s"), "apps[0].ai.mcpServers", BOOLEAN | LIST},
    {IN_AI("\"mcpServers\":[%s]"), "apps[0].ai.mcpServers[0]", TEXT},
    {IN_AI("\"prompts\":%s"), "apps[0].ai.prompts", BOOLEAN | LIST},
    {IN_AI("\"prompts\":[%s]"), "apps[0].ai.prompts[0]", TEXT},
    {IN_AI("\"agent\":%s"), "apps[0].ai.agent", 0},
    {IN_AI("\"agent\":{\"name\":%s}"), "apps[0].ai.agent.name", TEXT},
    {IN_AI("\"agent\":{\"name\":\"n\",\"description\":%s}"),
     "apps[0].ai.agent.description", TEXT},
    {IN_AI("\"agent\":{\"name\":\"n\",\"modelId\":%s}"), "apps[0].ai.agent.modelId",
     TEXT},
    {IN_AI("\"mcpPrompt\":%s"), "apps[0].ai.mcpPrompt", TEXT},
    {IN_AI("\"mcpPrompt\":{\"zh\":\"z\",\"title\":%s}"), "apps[0].ai.mcpPrompt.title",
     TEXT},
    {IN_AI("\"mcpPrompt\":{\"zh\":%s}"), "apps[0].ai.mcpPrompt.zh", TEXT},
    {IN_AI("\"mcpPrompt\":{\"en\":%s}"), "apps[0].ai.mcpPrompt.en", TEXT},
    {IN_AI("\"mcpPrompt\":{\"en\":{\"path\":%s}}"), "apps[0].ai.mcpPrompt.en.path", TEXT},
    {IN_AI("\"mcpPrompt\":{\"en\":{\"content\":%s}}"), "apps[0].ai.mcpPrompt.en.content",
     TEXT},
    {IN_AI("\"mcp\":%s"), "apps[0].ai.mcp", 0},
    {IN_AI("\"mcp\":{\"url\":%s}"), "apps[0].ai.mcp.url", TEXT},
    {IN_AI("\"mcp\":{\"entry\":%s}"), "apps[0].ai.mcp.entry", TEXT},
    {IN_AI("\"mcp\":{\"url\":\"u\",\"entry\":%s}"), "apps[0].ai.mcp.entry", TEXT},
    {IN_MCP("\"unheard\":%s"), "", ~0},
    {IN_MCP("\"command\":%s"), "apps[0].ai.mcp.command", TEXT},
    {IN_MCP("\"args\":%s"), "apps[0].ai.mcp.args", LIST},
    {IN_MCP("\"args\":[%s]"), "apps[0].ai.mcp.args[0]", TEXT},
    {IN_MCP("\"tags\":%s"), "apps[0].ai.mcp.tags", LIST},
    {IN_MCP("\"tags\":[%s]"), "apps[0].ai.mcp.tags[0]", TEXT},
    {IN_MCP("\"description\":%s"), "apps[0].ai.mcp.description", TEXT},
    {IN_MCP("\"enabled\":%s"), "apps[0].ai.mcp.enabled", BOOLEAN},
    {IN_MCP("\"allowMain\":%s"), "apps[0].ai.mcp.allowMain", BOOLEAN},
    {IN_MCP("\"allowSub\":%s"), "apps[0].ai.mcp.allowSub", BOOLEAN},
    {IN_MCP("\"callMeta\":%s"), "apps[0].ai.mcp.callMeta", MAP},
    {IN_MCP("\"callMeta\":{\"x\":%s}"), "", ~0},
    {IN_MCP("\"auth\":%s"), "apps[0].ai.mcp.auth", MAP},
    {IN_MCP("\"auth\":{\"token\":%s}"), "apps[0].ai.mcp.auth.token", TEXT},
    {IN_MCP("\"auth\":{\"basic\":%s}"), "apps[0].ai.mcp.auth.basic", MAP},
    {IN_MCP("\"auth\":{\"basic\":{\"username\":%s}}"),
     "apps[0].ai.mcp.auth.basic.username", TEXT},
    {IN_MCP("\"auth\":{\"basic\":{\"password\":%s}}"),
     "apps[0].ai.mcp.auth.basic.password", TEXT},
    {IN_MCP("\"auth\":{\"headers\":%s}"), "apps[0].ai.mcp.auth.headers", MAP},
    {IN_MCP("\"auth\":{\"headers\":{\"X\":%s}}"), "apps[0].ai.mcp.auth.headers.X", TEXT},
};

START_TEST(each_key_takes_its_types_and_refuses_all_others) /* R122, R123, B.20 */
{
    const char *key = places[_i].key;
    bool of_app = strncmp(key, "apps[0]", 7) == 0;
    char text[1024];

    for (size_t v = 0; v < MCPH_ARRAY_SIZE(values); v++) {
        snprintf(text, sizeof(text), places[_i].text, values[v].text);
        parse(text);
        if (places[_i].good & values[v].kind) {
            ck_assert_msg(plugin->report->diags.n == 0, "%s: %s", text, diags());
            ck_assert_int_eq(plugin->report->status, 0);
            continue;
        }
        ck_assert_msg(plugin->report->diags.n > 0, "%s", text);
        for (size_t i = 0; i < plugin->report->diags.n; i++) {
            const struct mcph_diag *diag = plugin->report->diags.items[i];

            ck_assert_msg(strncmp(diag->key, key, strlen(key)) == 0, "%s: %s", text,
                          diags());
        }
        ck_assert_uint_eq(plugin->apps.n, 0);
        /* a list of apps without an app in it */
        ck_assert(plugin->report->status == (of_app ? 0 : MCPHOST_E_CONFIG) ||
                  strcmp(key, "apps") == 0);
    }
}
END_TEST

START_TEST(keys_that_look_like_ours_are_warned_of) /* B.20 */
{
    ck_assert_ptr_nonnull(parse_app("\"ai\":{\"mcpServer\":true,\"theme\":1,"
                                    "\"mcp\":{\"entry\":\"e\",\"allowmain\":true}}"));
    ck_assert_uint_eq(plugin->report->diags.n, 2);
    test_has(diags(), "warning apps[0].ai.mcpServer: unknown key, ignored; did you mean "
                      "'mcpServers'?");
    test_has(diags(), "warning apps[0].ai.mcp.allowmain: unknown key, ignored; did you "
                      "mean 'allowMain'?");
    test_has_not(diags(), "theme");
}
END_TEST

START_TEST(no_diagnostic_shows_a_value) /* R18, K13 */
{
    ck_assert_ptr_null(parse_app(
        "\"ai\":{\"mcp\":{\"url\":[\"s3cret\"],\"entry\":\"../"
        "s3cret\",\"args\":\"s3cret\","
        "\"callMeta\":\"s3cret\",\"auth\":{\"token\":[\"s3cret\"],\"basic\":\"s3cret\","
        "\"headers\":{\"X\":{\"a\":\"s3cret\"}}}},\"config\":\"/s3cret\"}"));
    ck_assert_uint_gt(plugin->report->diags.n, 5);
    test_has_not(diags(), "s3cret");
}
END_TEST

/* ---- paths ------------------------------------------------------------------------- */

static const struct {
    const char *path, *below; /* NULL: refused */
} paths[] = {
    {"a", "a"},
    {"./a", "a"},
    {"a/./b//c/", "a/b/c"},
    {"a/../b", "b"},
    {"a/b/../../c", "c"},
    {"..a", "..a"},
    {"...", "..."},
    {"a/..b", "a/..b"},
    {"a\\..\\b", "a\\..\\b"},
    {DIR "/a", "a"},
    {"/plugins/./db/a", "a"},
    {"../db/a", "a"},
    {" a b ", "a b"},
    {".", NULL},
    {"./", NULL},
    {"a/..", NULL},
    {DIR, NULL},
    {DIR "/", NULL},
    {"..", NULL},
    {"../", NULL},
    {"../a", NULL},
    {"a/../../b", NULL},
    {"../../../../../../etc/passwd", NULL},
    {"../db2/a", NULL},
    {"../d", NULL},
    {"/", NULL},
    {"/a", NULL},
    {"//a", NULL},
    {"/etc/passwd", NULL},
    {"/plugins/db2/a", NULL},
    {"/plugins/d", NULL},
    {"/plugins/db/../x", NULL},
};

START_TEST(a_path_stays_inside_the_plugin_or_is_refused) /* B.20 */
{
    const char *text = paths[_i].path, *why = NULL;
    char *path = NULL;
    int r = mcph_chatos_path(DIR, mcph_chatos_trim(text, strlen(text)), &path, &why);

    ck_assert_int_eq(r, paths[_i].below ? 0 : MCPHOST_E_CONFIG);
    ck_assert((r == 0) == (why == NULL));
    ck_assert(mcph_streq(path, paths[_i].below));
    free(path);
}
END_TEST

START_TEST(a_path_is_seen_from_the_directory_however_that_is_written) /* B.20 */
{
    static const char *const dirs[] = {DIR, DIR "/", "/plugins/x/../db",
                                       "//plugins/./db//"};
    const char *why = NULL;
    char *path = NULL;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(dirs); i++) {
        ck_assert_int_eq(mcph_chatos_path(dirs[i], mcph_span_str("a/b"), &path, &why), 0);
        ck_assert_str_eq(path, "a/b");
        free(path);
        ck_assert_int_eq(mcph_chatos_path(dirs[i], mcph_span_str("../x"), &path, &why),
                         MCPHOST_E_CONFIG);
        ck_assert_str_eq(why, "one that leads out of it");
    }
    ck_assert_int_eq(mcph_chatos_path("/", mcph_span_str("../a"), &path, &why), 0);
    ck_assert_str_eq(path, "a");
    free(path);
    ck_assert_int_eq(mcph_chatos_path("/", mcph_span_str(".."), &path, &why),
                     MCPHOST_E_CONFIG);
    ck_assert_str_eq(why, "the directory itself");
}
END_TEST

START_TEST(a_path_has_a_limit) /* B.20 */
{
    char text[MCPH_CHATOS_PATH_MAX + 2];
    const char *why = NULL;
    char *path = NULL;
    size_t most = MCPH_CHATOS_PATH_MAX - strlen(DIR) - 2;

    memset(text, 'a', sizeof(text));
    ck_assert_int_eq(mcph_chatos_path(DIR, mcph_span(text, most), &path, &why), 0);
    ck_assert_uint_eq(strlen(path), most);
    free(path);
    ck_assert_int_eq(mcph_chatos_path(DIR, mcph_span(text, most + 2), &path, &why),
                     MCPHOST_E_CONFIG);
    ck_assert_str_eq(why, "one that is too long");
}
END_TEST

/* Keys of an app that have a path, and whether the app stays without that. */
static const struct {
    const char *text, *key;
    bool stays;
} traversals[] = {
    {APP_1 "\"ai\":\"%s\"" APP_2, "apps[0].ai", true},
    {IN_AI("\"config\":\"%s\""), "apps[0].ai.config", true},
    {IN_AI("\"mcp\":{\"entry\":\"%s\"}"), "apps[0].ai.mcp.entry", true},
    {IN_AI("\"mcpPrompt\":\"%s\""), "apps[0].ai.mcpPrompt", true},
    {IN_AI("\"mcpPrompt\":{\"zh\":\"%s\"}"), "apps[0].ai.mcpPrompt.zh", true},
    {IN_AI("\"mcpPrompt\":{\"en\":{\"path\":\"%s\"}}"), "apps[0].ai.mcpPrompt.en.path",
     true},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":\"A\",\"entry\":\"%"
     "s\"}]}",
     "apps[0].entry", false},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":\"A\","
     "\"entry\":{\"type\":\"module\",\"path\":\"%s\"}}]}",
     "apps[0].entry.path", false},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":\"A\","
     "\"entry\":{\"type\":\"module\",\"path\":\"e\",\"compact\":{\"path\":\"%s\"}}}]}",
     "apps[0].entry.compact.path", true},
    {"{\"id\":\"p\",\"name\":\"P\",\"backend\":{\"entry\":\"%s\"},\"apps\":[{\"id\":"
     "\"a\","
     "\"name\":\"A\",\"entry\":\"e\"}]}",
     "backend.entry", true},
};

START_TEST(no_path_of_a_manifest_leads_out_of_the_plugin) /* B.20, B.22 */
{
    static const char *const outside[] = {"../x", "a/../../x", "/etc/passwd",
                                          "..",   ".",         DIR "2/x"};
    const struct mcph_diag *diag;
    char text[1024];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(outside); i++) {
        snprintf(text, sizeof(text), traversals[_i].text, outside[i]);
        parse(text);
        ck_assert_int_eq(plugin->report->status, 0);
        ck_assert_uint_eq(plugin->report->diags.n, 1);
        diag = plugin->report->diags.items[0];
        ck_assert_str_eq(diag->key, traversals[_i].key);
        test_has(diag->message, "expected a path inside the plugin's directory, found");
        ck_assert_int_eq(diag->severity, traversals[_i].stays ? MCPH_DIAGNOSTIC_SPARING
                                                              : MCPHOST_DIAGNOSTIC_ERROR);
        ck_assert_uint_eq(plugin->apps.n, traversals[_i].stays);
    }
}
END_TEST

START_TEST(an_app_stays_without_what_leads_out) /* B.22 */
{
    const struct mcph_chatos_ai *ai = parse_ai(
        "{\"mcp\":{\"entry\":\"../x\"},\"config\":\"/x\",\"mcpPrompt\":{\"zh\":\"..\","
        "\"en\":\"ok.md\"}}");
    char *url = NULL;

    ck_assert_uint_eq(plugin->report->diags.n, 3);
    ck_assert_ptr_null(ai->config);
    ck_assert_ptr_nonnull(ai->mcp);
    ck_assert_int_eq(mcph_chatos_mcp_url(ai->mcp, DIR, &url), MCPHOST_E_NOTFOUND);
    ck_assert_ptr_null(url);
    ck_assert_ptr_null(ai->prompt->texts[MCPH_CHATOS_ZH].path);
    ck_assert_str_eq(ai->prompt->texts[MCPH_CHATOS_EN].path, "ok.md");
}
END_TEST

/* ---- limits ------------------------------------------------------------------------ */

/* A manifest of `len` bytes: blanks at its end. */
static char *
of_size(size_t len)
{
    static const char text[] = "{\"id\":\"p\",\"name\":\"n\"}";
    char *data = malloc(len + 1);

    memset(data, ' ', len);
    memcpy(data, text, sizeof(text) - 1);
    return data;
}

START_TEST(a_manifest_of_more_than_256_kib_is_rejected) /* B.20 */
{
    static const size_t sizes[] = {MCPH_CHATOS_MANIFEST_MAX + 1, (size_t)10 << 20};
    char *text = of_size(sizes[1]);

    parse_bytes(text, MCPH_CHATOS_MANIFEST_MAX);
    ck_assert_int_eq(plugin->report->status, 0);
    for (size_t i = 0; i < 2; i++) {
        parse_bytes(text, sizes[i]);
        ck_assert_int_eq(plugin->report->status, MCPHOST_E_LIMIT);
        test_has(diags(), "is larger than 262144 bytes");
    }
    free(text);
}
END_TEST

START_TEST(deep_nesting_is_refused) /* B.20 */
{
    char deep[2 * MCPH_DOC_DEPTH_MAX + 1], text[1024];
    size_t most = MCPH_DOC_DEPTH_MAX - 7; /* below six containers, above a scalar */

    for (int over = 0; over < 2; over++) {
        size_t n = most + (size_t)over;

        memset(deep, '[', n);
        memset(deep + n, ']', n);
        deep[2 * n] = '\0';
        snprintf(text, sizeof(text), IN_MCP("\"callMeta\":{\"x\":%s}"), deep);
        parse(text);
        ck_assert_int_eq(plugin->report->status, over ? MCPHOST_E_CONFIG : 0);
    }
    test_has(diags(), "nesting");
    memset(text, '[', sizeof(text));
    parse_bytes(text, sizeof(text));
    ck_assert_int_eq(plugin->report->status, MCPHOST_E_CONFIG);
}
END_TEST

START_TEST(a_prompt_in_the_manifest_has_a_limit) /* B.20 */
{
    size_t n = MCPH_CHATOS_PROMPT_MAX;
    char *content = malloc(n + 2), *text = malloc(2 * n);

    for (int over = 0; over < 2; over++) {
        memset(content, 'x', n + 1);
        content[n + (size_t)over] = '\0';
        snprintf(text, 2 * n, IN_AI("\"mcpPrompt\":{\"en\":{\"content\":\"%s\"}}"),
                 content);
        parse(text);
        ck_assert_uint_eq(plugin->apps.n, over ? 0 : 1);
    }
    test_has(diags(), "ai.mcpPrompt.en.content: is larger than 131072 bytes");
    free(content);
    free(text);
}
END_TEST

/* Fills a manifest with as many of `item` as it takes. */
static void
parse_many(const char *before, const char *item, const char *after)
{
    char *text = malloc(MCPH_CHATOS_MANIFEST_MAX);
    size_t len = strlen(before), n = strlen(item), rest = strlen(after);

    memcpy(text, before, len);
    while (len + n + 1 + rest <= MCPH_CHATOS_MANIFEST_MAX) {
        memcpy(text + len, item, n);
        len += n;
        text[len++] = ',';
    }
    memcpy(text + len - 1, after, rest);
    parse_bytes(text, len - 1 + rest);
    free(text);
}

START_TEST(a_manifest_full_of_errors_is_read_in_time_and_room) /* B.20 */
{
    parse_many("{\"id\":\"p\",\"name\":\"n\",\"apps\":[", "1", "]}");
    ck_assert_int_eq(plugin->report->status, 0);
    ck_assert_uint_le(plugin->report->diags.n, MCPH_CHATOS_ERRORS_MAX + 1);
    test_has(((struct mcph_diag *)plugin->report->diags.items[MCPH_CHATOS_ERRORS_MAX])
                 ->message,
             "more than 1000 errors");
    parse_many("{\"id\":\"p\",\"name\":\"n\",\"apps\":[", "{\"id\":\"a\"}", "]}");
    ck_assert_uint_le(plugin->report->diags.n, MCPH_CHATOS_ERRORS_MAX + 2);
    /* in one list one error is enough */
    parse_many(APP_1 "\"ai\":{\"prompts\":[", "1", "]}}]}");
    ck_assert_uint_eq(plugin->report->diags.n, 1);
    parse_many(APP_1 "\"ai\":{\"prompts\":[", "\"x\"", "]}}]}");
    ck_assert_uint_eq(app_at(0)->ai->prompts.names.n, 1);
    /* every path is a diagnostic, and they are counted */
    parse_many("{\"id\":\"p\",\"name\":\"n\",\"apps\":[",
               "{\"id\":\"a\",\"name\":\"n\",\"entry\":\"e\",\"ai\":\"..\"}", "]}");
    ck_assert_uint_eq(plugin->apps.n, 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "read");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_plugin_is_read_with_its_apps);
    tcase_add_test(tc, a_plugin_has_defaults);
    tcase_add_test(tc, an_apps_server_has_its_keys);
    tcase_add_test(tc, what_an_app_exposes_stands_beside_its_server);
    tcase_add_test(tc, a_prompt_is_a_path_or_a_text_in_one_or_two_languages);
    tcase_add_test(tc, ai_may_be_the_path_of_its_file);
    tcase_add_test(tc, a_url_is_taken_as_it_is_and_wins_over_the_entry);
    tcase_add_test(tc, an_entry_is_run_by_node_from_its_absolute_path);

    tc = test_case(suite, "faults");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_loop_test(tc, a_fault_of_the_plugin_rejects_it, 0,
                        MCPH_ARRAY_SIZE(rejected));
    tcase_add_test(tc, a_rejected_plugin_still_tells_what_is_wrong_in_its_apps);
    tcase_add_test(tc, a_bad_app_costs_only_itself);
    tcase_add_test(tc, diagnostics_about_an_app_name_its_server);
    tcase_add_test(tc, the_first_app_of_an_id_stays_even_if_it_is_invalid);
    tcase_add_loop_test(tc, a_fault_in_ai_costs_the_app, 0, MCPH_ARRAY_SIZE(bad_apps));
    tcase_add_loop_test(tc, an_app_needs_an_entry_of_a_known_type, 0,
                        MCPH_ARRAY_SIZE(bad_entries));
    tcase_add_loop_test(tc, each_key_takes_its_types_and_refuses_all_others, 0,
                        MCPH_ARRAY_SIZE(places));
    tcase_add_test(tc, keys_that_look_like_ours_are_warned_of);
    tcase_add_test(tc, no_diagnostic_shows_a_value);

    tc = test_case(suite, "paths");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_loop_test(tc, a_path_stays_inside_the_plugin_or_is_refused, 0,
                        MCPH_ARRAY_SIZE(paths));
    tcase_add_test(tc, a_path_is_seen_from_the_directory_however_that_is_written);
    tcase_add_test(tc, a_path_has_a_limit);
    tcase_add_loop_test(tc, no_path_of_a_manifest_leads_out_of_the_plugin, 0,
                        MCPH_ARRAY_SIZE(traversals));
    tcase_add_test(tc, an_app_stays_without_what_leads_out);

    tc = test_case(suite, "limits");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_manifest_of_more_than_256_kib_is_rejected);
    tcase_add_test(tc, deep_nesting_is_refused);
    tcase_add_test(tc, a_prompt_in_the_manifest_has_a_limit);
    tcase_add_test(tc, a_manifest_full_of_errors_is_read_in_time_and_room);
}

int
main(void)
{
    return test_main("chatos-manifest", add);
}
