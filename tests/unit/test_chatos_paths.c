/* SPDX-License-Identifier: MIT
 *
 * test_chatos_paths.c - the refusal of paths in plugin.json that lead out of the plugin.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "unit/chatosrig.h"

/* ---- paths ------------------------------------------------------------------------- */

static const struct {
    const char *path, *below; /* the path below the plugin; NULL if `path` is refused */
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
    {PLUGIN_DIR "/a", "a"},
    {"/plugins/./db/a", "a"},
    {"../db/a", "a"},
    {" a b ", "a b"},
    {"", NULL},
    {".", NULL},
    {"./", NULL},
    {"a/..", NULL},
    {PLUGIN_DIR, NULL},
    {PLUGIN_DIR "/", NULL},
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
    int r =
        mcph_chatos_path(PLUGIN_DIR, mcph_chatos_trim(text, strlen(text)), &path, &why);

    ck_assert_int_eq(r, paths[_i].below ? 0 : MCPHOST_E_CONFIG);
    ck_assert((r == 0) == (why == NULL));
    ck_assert(mcph_streq(path, paths[_i].below));
    free(path);
}
END_TEST

START_TEST(a_path_is_relative_to_the_directory_in_any_spelling) /* B.20 */
{
    static const char *const dirs[] = {PLUGIN_DIR, PLUGIN_DIR "/", "/plugins/x/../db",
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
    why = NULL;
    ck_assert_int_eq(mcph_chatos_path(PLUGIN_DIR, mcph_span_str(""), &path, &why),
                     MCPHOST_E_CONFIG);
    ck_assert_str_eq(why, "the directory itself");
}
END_TEST

START_TEST(a_too_long_path_is_refused) /* B.20 */
{
    char text[MCPH_CHATOS_PATH_MAX + 2];
    const char *why = NULL;
    char *path = NULL;
    size_t most = MCPH_CHATOS_PATH_MAX - strlen(PLUGIN_DIR) - 2;

    memset(text, 'a', sizeof(text));
    ck_assert_int_eq(mcph_chatos_path(PLUGIN_DIR, mcph_span(text, most), &path, &why), 0);
    ck_assert_uint_eq(strlen(path), most);
    free(path);
    ck_assert_int_eq(mcph_chatos_path(PLUGIN_DIR, mcph_span(text, most + 2), &path, &why),
                     MCPHOST_E_CONFIG);
    ck_assert_str_eq(why, "one that is too long");
}
END_TEST

/* Manifests with a path in one key.  `stays` is true if the library keeps the app
 * although the path leads out of the plugin. */
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
                                          "..",   ".",         PLUGIN_DIR "2/x"};
    const struct mcph_diag *diag;
    char text[1024];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(outside); i++) {
        snprintf(text, sizeof(text), traversals[_i].text, outside[i]);
        chatosrig_parse(text);
        ck_assert_int_eq(chatosrig_plugin->report->status, 0);
        ck_assert_uint_eq(chatosrig_plugin->report->diags.n, 1);
        diag = chatosrig_plugin->report->diags.items[0];
        ck_assert_str_eq(diag->key, traversals[_i].key);
        test_has(diag->message, "expected a path inside the plugin's directory, found");
        ck_assert_int_eq(diag->severity, traversals[_i].stays ? MCPH_DIAGNOSTIC_SPARING
                                                              : MCPHOST_DIAGNOSTIC_ERROR);
        ck_assert_uint_eq(chatosrig_plugin->apps.n, traversals[_i].stays);
    }
}
END_TEST

START_TEST(an_app_is_kept_without_its_refused_paths) /* B.22 */
{
    const struct mcph_chatos_ai *ai = chatosrig_parse_ai(
        "{\"mcp\":{\"entry\":\"../x\"},\"config\":\"/x\",\"mcpPrompt\":{\"zh\":\"..\","
        "\"en\":\"ok.md\"}}");
    char *url = NULL;

    ck_assert_uint_eq(chatosrig_plugin->report->diags.n, 3);
    ck_assert_ptr_null(ai->config);
    ck_assert_ptr_nonnull(ai->mcp);
    ck_assert_int_eq(mcph_chatos_mcp_url(ai->mcp, PLUGIN_DIR, &url), MCPHOST_E_NOTFOUND);
    ck_assert_ptr_null(url);
    ck_assert_ptr_null(ai->prompt->texts[MCPH_CHATOS_ZH].path);
    ck_assert_str_eq(ai->prompt->texts[MCPH_CHATOS_EN].path, "ok.md");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "paths");

    tcase_add_checked_fixture(tc, NULL, chatosrig_down);
    tcase_add_loop_test(tc, a_path_stays_inside_the_plugin_or_is_refused, 0,
                        MCPH_ARRAY_SIZE(paths));
    tcase_add_test(tc, a_path_is_relative_to_the_directory_in_any_spelling);
    tcase_add_test(tc, a_too_long_path_is_refused);
    tcase_add_loop_test(tc, no_path_of_a_manifest_leads_out_of_the_plugin, 0,
                        MCPH_ARRAY_SIZE(traversals));
    tcase_add_test(tc, an_app_is_kept_without_its_refused_paths);
}

int
main(void)
{
    return test_main("chatos-paths", add);
}
