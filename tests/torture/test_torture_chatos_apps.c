/* SPDX-License-Identifier: MIT
 *
 * test_torture_chatos_apps.c - ChatOS plugins and agent runs while memory runs out.
 *
 * Each function gives a complete result or fails with MCPHOST_E_NOMEM.  No memory leaks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/chatos.h>

#include "profile/chatos_run.h"
#include "support/plugindirs.h"
#include "support/rig.h"
#include "torture/torture.h"

#define APPS                                                                           \
    "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"entry\":\"s.mjs\",\"tags\":[\"t\"],"      \
                        "\"auth\":{\"token\":\"x\",\"headers\":{\"H\":\"v\"}}},"       \
                        "\"mcpPrompt\":{\"zh\":{\"content\":\"zz\"},\"en\":\"p.md\"}," \
                        "\"config\":\"ai.yaml\",\"mcpServers\":true}}"
#define ADMIN                                                                  \
    "{\"mcpServers\":[{\"name\":\"files\",\"allowMain\":true}],\"prompts\":[{" \
    "\"id\":\"1\",\"name\":\"q\",\"content\":\"c\"}]}"
#define RECORD                                                                         \
    "{\"uiApps\":[{\"pluginId\":\"p\",\"appId\":\"a\",\"mcpServerIds\":[\"files\"],"   \
    "\"promptIds\":[\"1\"]},{\"pluginId\":\"p\",\"appId\":\"a\"},{\"pluginId\":\"p\"," \
    "\"appId\":\"z\"}]}"
#define RECORD_OF_PROMPTS \
    "{\"uiApps\":[{\"pluginId\":\"p\",\"appId\":\"a\",\"mcp\":false}]}"

static struct rig_workspace ws;
static char plugins[128], defaults[128], state[128];

static int
scan(struct mcph_chatos_apps **ret)
{
    struct mcph_chatos_dirs dirs = {.paths = {[MCPHOST_CHATOS_PLUGINS] = plugins,
                                              [MCPHOST_CHATOS_DEFAULTS] = defaults,
                                              [MCPHOST_CHATOS_STATE] = state}};
    struct mcph_chatos_scan *s = NULL;
    int r = mcph_chatos_scan_new(&dirs, NULL, &s);

    torture_must((r == 0) == (s != NULL));
    if (r < 0)
        return r;
    do
        r = mcph_chatos_scan_step(s);
    while (r > 0);
    if (r == 0)
        *ret = mcph_chatos_scan_take(s);
    mcph_chatos_scan_free(s);
    return r;
}

/* ---- without a host ---------------------------------------------------------------- */

static void
show(const struct mcph_chatos_apps *apps)
{
    struct mcph_buf buf;
    mcphost_error *err = NULL;
    int r;

    mcph_buf_init(&buf, 1024 * 1024);
    r = mcph_chatos_put_rows(apps, NULL, &buf);
    if (torture_good(r))
        torture_must(buf.len > 2 && buf.data[buf.len - 1] == ']');
    mcph_buf_done(&buf);
    r = mcph_chatos_put_contribution(apps, "p", "a", &buf, &err);
    if (torture_told(r, err))
        torture_must(buf.len > 2 && buf.data[buf.len - 1] == '}');
    mcph_buf_done(&buf);
}

static int
read_plugins(void)
{
    struct mcph_chatos_apps *apps = NULL;
    int r = scan(&apps);

    torture_must((r == 0) == (apps != NULL));
    if (!torture_good(r))
        return torture_code();
    torture_must(apps->entries.n == 1 && apps->flaws.n == 1);
    show(apps);
    mcph_chatos_apps_unref(apps);
    return torture_code();
}

static void
choose(const struct mcph_chatos_apps *apps, const struct mcph_chatos_admin *admin,
       const struct mcph_chatos_record *record)
{
    struct mcph_chatos_world world = {
        .apps = apps, .admin = admin, .flags = MCPHOST_CHATOS_ANY_ID};
    struct mcph_chatos_choice choice;

    mcph_chatos_choice_init(&choice);
    if (torture_good(mcph_chatos_choose(&world, record, &choice))) {
        torture_must(choice.own.n == 1);
        torture_must(choice.prompts.len > 0 && choice.notices.len > 0);
    }
    mcph_chatos_choice_done(&choice);
}

static int
choose_for_a_run(void)
{
    struct mcph_chatos_record record;
    struct mcph_chatos_apps *apps = NULL;
    struct mcph_chatos_admin *admin = NULL;
    mcphost_error *err = NULL;
    int r = mcph_chatos_record_parse(RECORD, strlen(RECORD), &record, &err);

    if (!torture_told(r, err))
        return torture_code();
    torture_must(record.refs.n == 3);
    err = NULL;
    r = mcph_chatos_admin_parse(ADMIN, strlen(ADMIN), &admin, &err);
    torture_must((r == 0) == (admin != NULL));
    if (torture_told(r, err) && torture_good(scan(&apps)))
        choose(apps, admin, &record);
    mcph_chatos_apps_unref(apps);
    mcph_chatos_admin_unref(admin);
    mcph_chatos_record_done(&record);
    return torture_code();
}

/* ---- on a host --------------------------------------------------------------------- */

static int
put_record(int kind, const char *name, const char *json, size_t len, void *arg)
{
    (void)kind;
    (void)name;
    (void)json;
    (void)len;
    ++*(int *)arg;
    return 0;
}

static void
inject(mcphost *host, mcphost_chatos *chatos)
{
    mcphost_chatos_run *run = NULL;
    mcphost_view *view = NULL;
    mcphost_error *err = NULL;
    int r = mcphost_view_new_layered(host, "v", &view, &err);

    if (!torture_told(r, err))
        return;
    err = NULL;
    r = mcphost_chatos_inject(chatos, view, RECORD_OF_PROMPTS, strlen(RECORD_OF_PROMPTS),
                              MCPHOST_CHATOS_MAIN, "en", &run, &err);
    torture_must((r == 0) == (run != NULL));
    if (torture_told(r, err))
        torture_must(strstr(mcphost_chatos_run_get_json(run, NULL), "mcp_p_a__en"));
    mcphost_chatos_run_unref(run);
    mcphost_view_unref(view);
}

static void
use(mcphost *host, mcphost_chatos *chatos)
{
    mcphost_config *config = NULL;
    mcphost_error *err = NULL;
    char *json = NULL;
    int r, n = 0;

    r = mcphost_chatos_set_dir(chatos, MCPHOST_CHATOS_PLUGINS, plugins, &err);
    if (!torture_told(r, err) ||
        !torture_good(mcphost_chatos_scan(chatos, NULL, NULL, NULL)))
        return;
    /* Wait for the scan.  A scan never ends while there is no memory, because a scan that
     * lacks memory starts again. */
    for (int i = 0; i < 250; i++) {
        r = mcphost_chatos_wait(chatos, 20);
        if (r != 0 || failing_happened())
            break;
    }
    if (r == 0)
        r = mcphost_chatos_wait(chatos, 50);
    if (!torture_good(r == 1 ? 0 : MCPHOST_E_NOMEM))
        return;
    err = NULL;
    r = mcphost_chatos_list_apps(chatos, &json, NULL, &err);
    torture_must((r == 0) == (json != NULL));
    (void)torture_told(r, err);
    mcphost_free(json);
    err = NULL;
    r = mcphost_chatos_get_config(chatos, MCPHOST_CHATOS_MAIN, &config, &err);
    torture_must((r == 0) == (config != NULL));
    (void)torture_told(r, err);
    mcphost_config_unref(config);
    inject(host, chatos);
    err = NULL;
    r = mcphost_chatos_sync(chatos, put_record, &n, &err);
    torture_must(r < 0 || r == n);
    (void)torture_told(r < 0 ? r : 0, err);
}

static int
use_a_registry(void)
{
    mcphost_chatos *chatos = NULL;
    mcphost_error *err = NULL;
    mcphost *host = NULL;
    int r = mcphost_new(&host, &err);

    if (!torture_told(r, err))
        return torture_code();
    err = NULL;
    r = mcphost_chatos_new(host, &chatos, &err);
    torture_must((r == 0) == (chatos != NULL));
    if (torture_told(r, err))
        use(host, chatos);
    mcphost_chatos_unref(chatos);
    mcphost_unref(host);
    return torture_code();
}

/* ---- the tests --------------------------------------------------------------------- */

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    plugin_write(&ws, "plugins/p", "p", APPS);
    plugin_file(&ws, "plugins/p", "s.mjs", "//");
    plugin_file(&ws, "plugins/p", "p.md", "text");
    plugin_file(&ws, "plugins/p", "ai.yaml", "prompts: true\n");
    plugin_file(&ws, "plugins/bad", "plugin.json", "{}");
    plugin_file(&ws, "defaults", "p__a.yaml", "mcpServers: [files]\n");
    snprintf(plugins, sizeof(plugins), "%s", rig_workspace_path(&ws, "plugins"));
    snprintf(defaults, sizeof(defaults), "%s", rig_workspace_path(&ws, "defaults"));
    snprintf(state, sizeof(state), "%s", rig_workspace_path(&ws, "state"));
}

static void
down(void)
{
    rig_workspace_down(&ws);
}

START_TEST(plugins_are_scanned_completely_or_fail_with_e_nomem) /* R141 */
{
    torture_run(&(struct torture){.run = read_plugins, .least = 100}, _i);
}
END_TEST

START_TEST(the_choice_for_a_run_is_complete_or_fails_with_e_nomem) /* R144 */
{
    torture_run(&(struct torture){.run = choose_for_a_run, .least = 100}, _i);
}
END_TEST

START_TEST(if_allocations_fail_a_chatos_registry_works_or_reports_e_nomem) /* R142 R143 */
{
    torture_run(&(struct torture){.run = use_a_registry, .least = 100, .step = 3}, _i);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "chatos-apps");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, plugins_are_scanned_completely_or_fail_with_e_nomem, 0, 2);
    tcase_add_loop_test(tc, the_choice_for_a_run_is_complete_or_fails_with_e_nomem, 0, 2);
    tcase_add_loop_test(
        tc, if_allocations_fail_a_chatos_registry_works_or_reports_e_nomem, 0, 2);
}

int
main(void)
{
    return torture_main("torture-chatos-apps", add);
}
