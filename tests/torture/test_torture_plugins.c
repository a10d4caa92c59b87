/* SPDX-License-Identifier: MIT
 *
 * test_torture_plugins.c - a host with plugins while memory runs out (R167, R171).
 *
 * The host loads, sets up, calls, replaces and ends plugins.  One allocation fails alone,
 * or together with all later allocations.  The test of whole sessions tries only some
 * allocations.  The allocations of the dynamic linker and of the plugin fail, too.
 */
#include <dlfcn.h>

#include "json/json.h"
#include "plugins/plugins.h"
#include "support/plugrig.h"
#include "torture/torture.h"

#define WAIT_MS 400

static struct rig_workspace ws;
static char dir[128];
static char *editions[2], *sampling;
static size_t lens[2], sampling_len;
static int called, answered;

static void
up(void)
{
    char trace[160];

    rig_workspace_up(&ws, NULL);
    snprintf(dir, sizeof(dir), "%s/plugins", ws.dir);
    ck_assert_int_eq(mkdir(dir, 0755), 0);
    snprintf(trace, sizeof(trace), "%s/trace", ws.dir);
    ck_assert_int_eq(setenv("PLUGIN_TRACE", trace, 1), 0);
    ck_assert_int_eq(setenv("TORTURE_X", "value", 1), 0);
    editions[0] = plug_bytes("tool", "one", &lens[0]);
    editions[1] = plug_bytes("tool", "two", &lens[1]);
    sampling = plug_bytes("sampling", "s", &sampling_len);
    plug_put(dir, "s.so", sampling, sampling_len);
}

static void
down(void)
{
    free(editions[0]);
    free(editions[1]);
    free(sampling);
    rig_workspace_down(&ws);
}

static void
put_plugin(int edition)
{
    failing_pause();
    plug_put(dir, "a.so", editions[edition], lens[edition]);
    failing_resume();
}

static void
on_done(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    answered++;
}

static void
call_tool(mcphost *host, mcphost_dialog *dialog)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    int r = mcphost_call_new(dialog, "a_say", "{}", 2, &call, &err);

    if (r == 0)
        r = mcphost_call_start(call, on_done, NULL, NULL);
    if (r == 0) {
        called++;
        (void)mcphost_call_wait(call, WAIT_MS);
    }
    if (r != MCPHOST_E_NOTFOUND) /* the plugin may have failed to load */
        torture_good(r);
    mcphost_error_unref(err);
    mcphost_call_unref(call);
    (void)host;
}

static void
look_at_plugins(mcphost_plugins *plugins)
{
    mcphost_plugin_rows *rows = NULL;
    char *json = NULL;

    if (torture_good(mcphost_plugins_get_rows(plugins, &rows)))
        torture_good(mcphost_plugin_rows_make_json(rows, &json, NULL));
    mcphost_free(json);
    mcphost_plugin_rows_unref(rows);
}

static void
work(mcphost *host, mcphost_plugins *plugins, mcphost_dialog *dialog)
{
    for (int edition = 0; edition < 2; edition++) {
        put_plugin(edition);
        torture_good(mcphost_plugins_scan(plugins));
        (void)mcphost_plugins_wait(plugins, WAIT_MS);
        (void)mcphost_wait_ready(host, WAIT_MS);
        call_tool(host, dialog);
    }
    look_at_plugins(plugins);
}

static int
session(void)
{
    static const char config[] = "{\"tool_configs\":{\"a\":{\"name\":\"${HOME}\"}}}";
    mcphost_plugins *plugins = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_error *err = NULL;
    mcphost *host = NULL;
    int r;

    called = answered = 0;
    put_plugin(0);
    r = mcphost_new(&host, &err);
    if (torture_told(r, err)) {
        err = NULL;
        r = mcphost_plugins_new(mcphost_default_source(host), dir, &plugins, &err);
        torture_told(r, err);
    }
    if (plugins) {
        err = NULL;
        r = mcphost_plugins_set_config(plugins, config, sizeof(config) - 1, &err);
        torture_told(r, err);
        torture_good(mcphost_plugins_set_reload(plugins, MCPHOST_RELOAD_EXPLICIT));
        torture_good(
            mcphost_dialog_new(mcphost_default_view(host), "d", NULL, &dialog, NULL));
    }
    if (dialog)
        work(host, plugins, dialog);
    mcphost_dialog_unref(dialog);
    mcphost_plugins_unref(plugins);
    mcphost_unref(host);
    torture_must(answered <= called);
    failing_pause();
    (void)dlerror(); /* frees the kept error text */
    failing_resume();
    return torture_code();
}

static const int codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_LIMIT, MCPHOST_E_IO, 0};

static const struct {
    int mode;
    long step;
} modes[] = {{FAIL_ONCE, 3}, {FAIL_FROM_THEN_ON, 23}};

START_TEST(if_allocations_fail_plugins_load_and_answer_or_report_an_error)
{
    torture_run(
        &(struct torture){
            .run = session, .least = 300, .step = modes[_i].step, .codes = codes},
        modes[_i].mode);
}
END_TEST

/* Makes the settings of a plugin.  The library must replace every "${NAME}" or return an
 * error. */
static int
settings(void)
{
    static const char text[] = "{\"tool_configs\":{\"a\":{\"x\":\"${TORTURE_X}\",\"in\":{"
                               "\"none\":\"${TORTURE_NONE}\"},\"plain\":\"$\"}}}";
    struct json_t *config = NULL, *made = NULL, *shown = NULL;
    mcphost_error *err = NULL;
    mcphost *host = NULL;
    struct mcph_buf buf;
    int r;

    failing_pause();
    torture_must(mcphost_new(&host, NULL) == 0);
    failing_resume();
    r = mcph_plugins_load_config(mcph_span_str(text), &config, &err);
    torture_must((r < 0) == (err != NULL));
    if (r == 0)
        r = mcph_plugins_settings(host, config, "a", &made, &shown);
    failing_pause();
    if (r == 0) {
        mcph_buf_init(&buf, 1024);
        torture_must(mcph_json_add_tree(&buf, made) == 0);
        torture_must(strcmp(mcph_buf_text(&buf), "{\"x\":\"value\",\"in\":{\"none\":"
                                                 "\"\"},\"plain\":\"$\"}") == 0);
        mcph_buf_done(&buf);
    }
    mcph_json_drop(made);
    mcph_json_drop(shown);
    mcph_json_drop(config);
    mcphost_error_unref(err);
    mcphost_unref(host);
    failing_resume();
    return r;
}

START_TEST(settings_are_whole_or_there_is_no_memory) /* R169 */
{
    torture_run(&(struct torture){.run = settings, .least = 20}, modes[_i].mode);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "plugins");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(
        tc, if_allocations_fail_plugins_load_and_answer_or_report_an_error, 0, 2);
    tcase_add_loop_test(tc, settings_are_whole_or_there_is_no_memory, 0, 2);
}

int
main(void)
{
    return torture_main("torture-plugins", add);
}
