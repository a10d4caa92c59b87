/* SPDX-License-Identifier: MIT
 *
 * test_torture_chatos.c - files and URLs of the ChatOS profile while memory runs out.
 *
 * Each function succeeds completely or fails with MCPHOST_E_NOMEM.  Lack of memory never
 * produces a diagnostic about the file.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "torture/torture.h"

#define DIR "/plugins/db"

static const char manifest[] =
    "{\"manifestVersion\": 1, \"id\": \"com.example\", \"providerAppId\": \"ex\",\n"
    " \"name\": \"Example\", \"version\": \"1.2\", \"description\": \"d\", \"nam\": 1,\n"
    " \"backend\": {\"entry\": \"back.mjs\"},\n"
    " \"apps\": [\n"
    "  {\"id\": \"db\", \"name\": \"DB\", \"icon\": \"i.png\", \"entry\": {\"type\": "
    "\"module\",\n"
    "   \"path\": \"ui/main.mjs\", \"compact\": {\"path\": \"small.mjs\"}},\n"
    "   \"ai\": {\"mcp\": {\"entry\": \"server.mjs\", \"command\": \"deno\",\n"
    "     \"args\": [\"run\", \"it's\"], \"tags\": [\"t\"], \"allowMain\": false,\n"
    "     \"callMeta\": {\"b\": [1.5, null, \"\\u00e9\"], \"a\": {\"k\": true}},\n"
    "     \"auth\": {\"token\": \"t\", \"basic\": {\"username\": \"u\", \"password\": "
    "\"p\"},\n"
    "              \"headers\": {\"X\": \"1\", \"Y\": \"2\"}}},\n"
    "    \"mcpPrompt\": {\"title\": \"T\", \"zh\": \"zh.md\", \"en\": {\"content\": "
    "\"c\"}},\n"
    "    \"agent\": {\"name\": \"helper\", \"modelId\": \"m\"},\n"
    "    \"mcpServers\": [\"b\", \"a\", \"b\"], \"prompts\": false, \"config\": "
    "\"ai.yaml\"}},\n"
    "  {\"id\": \"two\", \"name\": \"Two\", \"entry\": \"two.mjs\", \"ai\": "
    "\"ai.json\"},\n"
    "  {\"id\": \"url\", \"name\": \"U\", \"entry\": \"e\", \"ai\": {\"mcp\": {\"url\": "
    "\"u\",\n"
    "   \"entry\": \"e\"}, \"mcpPrompt\": \"p.md\", \"prompt\": 1}}]}";

static const char faulty[] =
    "{\"id\": \"p\", \"name\": \"P\", \"apps\": [1, {\"id\": \"a\"},\n"
    " {\"id\": \"b\", \"name\": \"B\", \"entry\": \"../x\"},\n"
    " {\"id\": \"c\", \"name\": \"C\", \"entry\": {\"type\": \"url\"}, \"ai\": {\n"
    "  \"mcp\": {\"auth\": {\"headers\": {\"X\": 1}}, \"args\": [1]}, \"mcpPrompt\": "
    "{},\n"
    "  \"agent\": {}, \"mcpServers\": [], \"prompts\": [1]}},\n"
    " {\"id\": \"d\", \"name\": \"D\", \"entry\": \"e\", \"ai\": {\"mcp\": {\"entry\": "
    "\"..\"},\n"
    "  \"mcpPrompt\": \"/x\", \"config\": \"..\"}},\n"
    " {\"id\": \"d\", \"name\": \"again\", \"entry\": \"e\"}]}";

static int
read_manifest(const char *text, int status, size_t apps, size_t diagnostics)
{
    struct mcph_chatos_plugin *plugin = NULL;
    int r = mcph_chatos_manifest_parse(text, strlen(text), "plugin.json", DIR, &plugin);

    torture_must((r == 0) == (plugin != NULL));
    if (plugin) {
        torture_must(plugin->report->status == status);
        torture_must(plugin->apps.n == apps);
        torture_must(plugin->report->diags.n == diagnostics);
    }
    mcph_chatos_plugin_free(plugin);
    return r;
}

static int
read_good(void)
{
    return read_manifest(manifest, 0, 3, 2);
}

static int
read_faulty(void)
{
    return read_manifest(faulty, 0, 1, 17);
}

static int
read_broken(void)
{
    int r = read_manifest("{\"id\": \"p\", \"name\": 1}", MCPHOST_E_CONFIG, 0, 1);

    if (r == 0)
        r = read_manifest("{\"id\": \"p\", \"id\": 1}", MCPHOST_E_CONFIG, 0, 1);
    return r;
}

/* ---- files other than plugin.json -------------------------------------------------- */

static const char list[] = "mcpServers: [b, a, b]\n"
                           "prompts: true\n"
                           "mcp: {entry: s.mjs, callMeta: {n: 0x10, f: .5, s: x}}\n"
                           "mcpPrompt: {zh: {content: one}, en: {path: p.md}}\n"
                           "agent: {name: n}\n";

static int
read_list(const char *text, const char *file, int status, size_t diagnostics)
{
    struct mcph_chatos_ai *ai = NULL;
    mcphost_config *report = NULL;
    struct mcph_chatos_offer offer;
    int r = mcph_chatos_ai_parse(text, strlen(text), file, DIR, &ai, &report);

    torture_must((r == 0) == (report != NULL));
    torture_must(r == 0 || !ai);
    if (report) {
        torture_must(report->status == status && (status == 0) == (ai != NULL));
        torture_must(report->diags.n == diagnostics);
        torture_must(!ai || mcph_chatos_offer(ai, ai, NULL, &offer));
    }
    mcph_chatos_ai_free(ai);
    mcphost_config_unref(report);
    return r;
}

static int
read_lists(void)
{
    int r = read_list(list, "ai.yaml", 0, 0);

    if (r == 0)
        r = read_list("{\"prompts\": [\"p\"]}", "ai.json", 0, 0);
    if (r == 0)
        r = read_list("prompts: []\nagent: 1\n", "ai", MCPHOST_E_CONFIG, 2);
    return r;
}

/* ---- URLs, names and paths --------------------------------------------------------- */

static int
make_url(void)
{
    static char *items[] = {(char *)"it's", (char *)"", (char *)"a b", (char *)"c\\"};
    struct mcph_strings args = {items, 4}, argv = {0};
    struct mcph_chatos_fault fault = {0};
    char *url = NULL;
    int r = mcph_chatos_cmd_format("node", DIR "/s.mjs", &args, &url);

    torture_must((r == 0) == (url != NULL));
    if (r == 0)
        r = mcph_chatos_cmd_parse(url, strlen(url), &argv, &fault);
    torture_must(!fault.why && (r == 0 ? argv.n == 5 : argv.n == 0));
    mcph_strings_done(&argv);
    free(url);
    return r;
}

static int
make_names(void)
{
    const char *why = NULL;
    char *names[5] = {NULL};
    int r;

    names[0] = mcph_chatos_server_name("com.Example", "App");
    r = names[0] ? 0 : MCPHOST_E_NOMEM;
    if (r == 0)
        r = mcph_chatos_normalize(names[0], &names[1]);
    if (r == 0)
        r = mcph_chatos_prompt_name(names[0], MCPH_CHATOS_EN, &names[2]);
    if (r == 0)
        r = mcph_chatos_default_key("com.Example", "App", &names[3]);
    if (r == 0)
        r = mcph_chatos_path(DIR, mcph_span_str("a/../b"), &names[4], &why);
    torture_must(!why && (r == 0) == (names[4] != NULL));
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++)
        free(names[i]);
    return r;
}

static int
make_server_url(void)
{
    struct mcph_chatos_mcp at_url = {.url = (char *)"u"};
    struct mcph_chatos_mcp run = {.entry = (char *)"s.mjs", .command = (char *)"node"};
    char *url = NULL;
    int r = mcph_chatos_mcp_url(&at_url, DIR, &url);

    torture_must((r == 0) == (url != NULL));
    free(url);
    url = NULL;
    if (r == 0) {
        r = mcph_chatos_mcp_url(&run, DIR, &url);
        torture_must((r == 0) == (url != NULL));
    }
    free(url);
    return r;
}

/* ---- an app's own server ----------------------------------------------------------- */

#define META "{\"x\":[\"$dataDir\",{\"y\":\"a/$appId\"}],\"workdir\":\"$stateDir\"}"

static const struct mcph_chatos_place place = {.plugin_id = "p",
                                               .app_id = "a",
                                               .plugin_dir = "/",
                                               .data_dir = "/d",
                                               .project_root = "/j"};

static int
make_meta(void)
{
    char *meta = NULL;
    int r = mcph_chatos_call_meta(META, &place, MCPHOST_CHATOS_SUBSTITUTE, &meta);

    torture_must((r == 0) == (meta != NULL));
    free(meta);
    return r;
}

/* Adds a server to a configuration and checks the server's state.  Lack of memory never
 * makes a server invalid. */
static int
add_server(const struct mcph_chatos_mcp *mcp, int state, size_t diagnostics)
{
    mcphost_config *config = mcph_config_new("chatos", "/f", "plugin.json", "/ws");
    int r;

    if (!config)
        return MCPHOST_E_NOMEM;
    config->transports = MCPH_TRANSPORTS_USUAL;
    r = mcph_chatos_add_server(config, "p.a", mcp, &place, 0);
    if (r == 0)
        r = mcph_config_finish(config);
    if (r == 0) {
        struct mcph_config_server *server = mcph_config_find(config, "p.a");

        torture_must(server && server->state == state);
        torture_must(config->diags.n == diagnostics);
        torture_must((server->spec != NULL) == (state == MCPHOST_CONFIG_SERVER_VALID));
    }
    mcph_config_unref(config);
    return r;
}

static int
add_program(void)
{
    static char line[] = "node x --root y --root=z", meta[] = META;
    const struct mcph_chatos_mcp mcp = {.url = line, .call_meta = meta, .enabled = -1};

    return add_server(&mcp, MCPHOST_CONFIG_SERVER_VALID, 0);
}

static int
add_http(void)
{
    static char url[] = "http://h/", user[] = "u", word[] = "p", name[] = "X",
                text[] = "v";
    struct mcph_value header = {.name = name, .text = text};
    const struct mcph_chatos_mcp mcp = {
        .url = url,
        .enabled = -1,
        .auth = {.username = user, .password = word, .headers = {&header, 1}}};

    return add_server(&mcp, MCPHOST_CONFIG_SERVER_VALID, 0);
}

static int
add_bad(void)
{
    static char url[] = "ws://h/";
    const struct mcph_chatos_mcp mcp = {.url = url, .enabled = -1};

    return add_server(&mcp, MCPHOST_CONFIG_SERVER_INVALID, 1);
}

static const struct {
    int (*run)(void);
    long least;
} uses[] = {{read_good, 150},  {read_faulty, 100}, {read_broken, 10},    {read_lists, 80},
            {make_url, 8},     {make_names, 8},    {make_server_url, 3}, {make_meta, 8},
            {add_program, 30}, {add_http, 20},     {add_bad, 5}};

START_TEST(chatos_files_are_read_whole_or_fail_with_e_nomem) /* R130, R131, B.20, B.26 */
{
    torture_run(&(struct torture){.run = uses[_i / 2].run, .least = uses[_i / 2].least},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "reading");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, chatos_files_are_read_whole_or_fail_with_e_nomem, 0,
                        2 * MCPH_ARRAY_SIZE(uses));
}

int
main(void)
{
    return torture_main("torture-chatos", add);
}
