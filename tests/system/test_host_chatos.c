/* SPDX-License-Identifier: MIT
 *
 * test_host_chatos.c - apps of ChatOS plugins on a host: scans, the source that follows
 * the plugins, runs of agents, and the application's storage (R120-R147, B.28).
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <mcphost/chatos.h>

#include "support/hostrig.h"
#include "support/plugindirs.h"

static struct hostrig hr;
static mcphost_chatos *chatos;
static mcphost_error *err;

#define RECORD(app, more) \
    "{\"uiApps\":[{\"pluginId\":\"com.one\",\"appId\":\"" app "\"" more "}]}"

static void
up(void)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    ck_assert_int_eq(mcphost_chatos_new(hr.host, &chatos, NULL), 0);
    ck_assert_int_eq(mcphost_chatos_set_dir(chatos, MCPHOST_CHATOS_PLUGINS,
                                            rig_workspace_path(&hr.ws, "plugins"), NULL),
                     0);
}

static void
down(void)
{
    err = mcphost_error_unref(err);
    chatos = mcphost_chatos_unref(chatos);
    hr_down(&hr);
}

/* Writes plugin com.one with the apps a and b.  Each app has a server with one tool.  The
 * parameters are the names of the two tools.  App a also has a prompt. */
static void
plugin(const char *a, const char *b)
{
    plugin_write(
        &hr.ws, "plugins/one", "com.one",
        "{" PLUGIN_APP(
            "a") ",\"ai\":{\"mcp\":{\"url\":\"cmd://%s -e no-tools -e "
                 "'tool %s' -e 'trace %s/a.trace'\"},\"mcpPrompt\":{\"zh\":{\"content\":"
                 "\"zz\"}}}},{" PLUGIN_APP("b") ",\"ai\":{\"mcp\":{\"url\":\"cmd://%s -e "
                                                "no-tools -e 'tool %s'\"}}}",
        rig_fakeserver(), a, hr.ws.dir, rig_fakeserver(), b);
}

static void
scan(void)
{
    ck_assert_int_eq(mcphost_chatos_scan(chatos, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_chatos_wait(chatos, 30000), 1);
}

static const char *
apps(void)
{
    static char copy[65536];
    char *json = NULL;
    size_t len;

    ck_assert_int_eq(mcphost_chatos_list_apps(chatos, &json, &len, NULL), 0);
    ck_assert_uint_eq(strlen(json), len);
    snprintf(copy, sizeof(copy), "%s", json);
    mcphost_free(json);
    return copy;
}

static mcphost_source *
follow(const char *id)
{
    mcphost_source *source = NULL;

    ck_assert_int_eq(mcphost_source_new(hr.host, id, &source, NULL), 0);
    ck_assert_int_eq(
        mcphost_view_add_source(mcphost_default_view(hr.host), source, NULL, 0), 0);
    ck_assert_int_eq(mcphost_chatos_follow(chatos, source, MCPHOST_CHATOS_MAIN, NULL), 0);
    return source;
}

/* ---- a source that follows the plugins --------------------------------------------- */

/* R120 R128 R134 */
START_TEST(names_of_app_tools_contain_the_normalized_server_name)
{
    mcphost_source *source;

    plugin("Find.it", "look");
    source = follow("chatos");
    scan();
    hr_ready(&hr);
    hr_until(&hr, hr_has(&hr, "mcp_com_one_b_look"));
    ck_assert_str_eq(hr_tools(&hr, NULL), "mcp_com_one_a_find_it mcp_com_one_b_look");
    ck_assert_str_eq(
        hr_say(&hr, hr_dialog(&hr, "d"), "mcp_com_one_a_find_it", "{\"text\":\"hi\"}"),
        "hi");
    mcphost_source_unref(source);
}
END_TEST

START_TEST(each_scan_updates_the_source) /* R120 R141 */
{
    mcphost_source *source;

    plugin("find", "look");
    scan();
    source = follow("chatos"); /* the source begins to follow after the first scan */
    hr_until(&hr, hr_has(&hr, "mcp_com_one_a_find"));
    plugin("found", "look");
    hr_turn(&hr, 50);
    ck_assert(hr_has(&hr, "mcp_com_one_a_find")); /* K1: only a scan sees the change */
    scan();
    hr_until(&hr, hr_has(&hr, "mcp_com_one_a_found"));
    plugin_write(&hr.ws, "plugins/one", "com.one", "%s", "");
    scan();
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), "") == 0);
    /* mcphost_chatos_follow() refuses a source that already follows the plugins.  The
     * registry forgets a source that is removed. */
    ck_assert_int_eq(mcphost_chatos_follow(chatos, source, MCPHOST_CHATOS_MAIN, &err),
                     MCPHOST_E_EXISTS);
    ck_assert_int_eq(mcphost_source_remove(source), 0);
    scan();
    mcphost_source_unref(source);
}
END_TEST

/* R141 */
START_TEST(a_source_that_cannot_follow_is_not_in_the_registry)
{
    mcphost_source *source = mcphost_default_source(hr.host);

    plugin("find", "look");
    scan();
    hr_follow(&hr);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mcphost_chatos_follow(chatos, source, MCPHOST_CHATOS_MAIN, &err),
                         MCPHOST_E_STATE);
        err = mcphost_error_unref(err);
    }
}
END_TEST

START_TEST(a_bad_plugin_does_not_affect_other_plugins) /* R141 */
{
    mcphost_source *source;

    plugin("find", "look");
    plugin_file(&hr.ws, "plugins/bad", "plugin.json", "{]");
    source = follow("chatos");
    scan();
    hr_until(&hr, hr_has(&hr, "mcp_com_one_a_find"));
    test_has(apps(), "plugin.json:1:2");
    mcphost_source_unref(source);
}
END_TEST

START_TEST(noise_on_a_servers_stdout_is_a_problem) /* R133 */
{
    mcphost_source *source;

    plugin_write(
        &hr.ws, "plugins/one", "com.one",
        "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"cmd://%s -e 'on call:echo' "
                            "-e ' line ready!' -e ' answer'\"}}}",
        rig_fakeserver());
    source = follow("chatos");
    scan();
    hr_until(&hr, hr_has(&hr, "mcp_com_one_a_echo"));
    ck_assert_str_eq(
        hr_say(&hr, hr_dialog(&hr, "d"), "mcp_com_one_a_echo", "{\"text\":\"x\"}"), "x");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, -1) > 0);
    test_has(hr_last(&hr, MCPHOST_EVENT_PROBLEM, NULL)->problem,
             "source/chatos/mcp/server/com.one.a/stdout_noise");
    mcphost_source_unref(source);
}
END_TEST

/* R128 */
START_TEST(a_new_plugin_cannot_take_the_names_of_a_running_one)
{
    mcphost_source *source;

    plugin("find", "look");
    source = follow("chatos");
    scan();
    hr_until(&hr, hr_has(&hr, "mcp_com_one_a_find"));
    /* Plugin aaa comes first in the folder and has the id of the running plugin.  The app
     * of plugin bbb would give its server the name of the running server. */
    plugin_write(&hr.ws, "plugins/aaa", "com.one", "{" PLUGIN_APP("a") "}");
    plugin_write(&hr.ws, "plugins/bbb", "com",
                 "{" PLUGIN_APP("one.a") ",\"ai\":{\"mcp\":{\"url\":\"http://h/\"}}}");
    scan();
    hr_turn(&hr, 100);
    ck_assert_str_eq(
        hr_say(&hr, hr_dialog(&hr, "d"), "mcp_com_one_a_find", "{\"text\":\"x\"}"), "x");
    test_has(apps(), "already has this id");
    test_has(apps(), "would be called 'com.one.a'");
    /* The two errors in the list of apps are also problems of the source. */
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, -1) >= 2);
    mcphost_source_unref(source);
}
END_TEST

START_TEST(a_url_of_an_unknown_scheme_fails_with_one_problem) /* R132 */
{
    mcphost_source *source;

    plugin_write(&hr.ws, "plugins/one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"ws://h/x\"}}}");
    source = follow("chatos");
    scan();
    hr_until(&hr, hr_problem(&hr, "source/chatos/mcp/server/com.one.a") ||
                      hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, -1) > 0);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, -1), 1);
    test_has(apps(), "\"url\":\"ws://h/x\"");
    mcphost_source_unref(source);
}
END_TEST

/* R145 R147 */
START_TEST(a_flows_configuration_has_only_servers_that_allow_it)
{
    mcphost_config *config;

    plugin_write(&hr.ws, "plugins/one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"http://h/\","
                                     "\"allowMain\":false}}},"
                                     "{" PLUGIN_APP("b") ",\"ai\":{\"mcp\":{\"url\":"
                                                         "\"http://h/\",\"allowSub\":"
                                                         "false}}}");
    scan();
    ck_assert_int_eq(
        mcphost_chatos_get_config(chatos, MCPHOST_CHATOS_MAIN, &config, NULL), 0);
    ck_assert_uint_eq(mcphost_config_count_servers(config), 1);
    ck_assert_str_eq(mcphost_config_server_get_id(config, 0), "com.one.b");
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_chatos_get_config(chatos, MCPHOST_CHATOS_SUB, &config, NULL),
                     0);
    ck_assert_uint_eq(mcphost_config_count_servers(config), 1);
    ck_assert_str_eq(mcphost_config_server_get_id(config, 0), "com.one.a");
    mcphost_config_unref(config);
}
END_TEST

/* ---- scans ------------------------------------------------------------------------- */

static int n_done, n_freed;

static void
count_done(mcphost_chatos *whose, void *arg)
{
    int r;

    ck_assert_ptr_eq(whose, chatos);
    ck_assert_ptr_eq(arg, &n_done);
    /* mcphost_chatos_wait() returns MCPHOST_E_BUSY if another scan is under way. */
    r = mcphost_chatos_wait(chatos, 0);
    ck_assert(r == 1 || r == MCPHOST_E_BUSY);
    n_done++;
}

static void
count_freed(void *arg)
{
    ck_assert_ptr_eq(arg, &n_done);
    n_freed++;
}

START_TEST(each_scan_request_gets_one_completion) /* R141 */
{
    n_done = n_freed = 0;
    plugin("find", "look");
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(mcphost_chatos_scan(chatos, count_done, &n_done, count_freed),
                         0);
    hr_until(&hr, n_done == 3 && n_freed == 3);
    ck_assert_int_eq(mcphost_chatos_scan(chatos, NULL, &n_done, count_freed), 0);
    ck_assert_int_eq(mcphost_chatos_wait(chatos, -1), 1);
    hr_until(&hr, n_freed == 4);
    ck_assert_int_eq(n_done, 3);
}
END_TEST

static void
write_many(int n)
{
    char dir[64], id[64];

    for (int i = 0; i < n; i++) {
        snprintf(dir, sizeof(dir), "plugins/p%d", i);
        snprintf(id, sizeof(id), "com.p%d", i);
        plugin_write(&hr.ws, dir, id,
                     "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"http://h/\"}}}");
    }
}

/* R141: the registry scans in short steps over several turns of the dispatcher.  The host
 * carries out the call between these steps. */
START_TEST(a_scan_of_a_thousand_plugins_takes_several_dispatcher_turns)
{
    mcphost_call *call;
    int n = 0;

    n_done = n_freed = 0;
    write_many(1000);
    hr_server(&hr, "a", "truely-stateless: true", NULL);
    hr_load(&hr);
    call = hr_call(&hr, hr_dialog(&hr, "d"), "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(mcphost_chatos_scan(chatos, count_done, &n_done, count_freed), 0);
    hr_go(call);
    while (n_done == 0) {
        ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
        /* Request the second scan during the first scan.  The second scan begins when
         * the first scan is over. */
        if (n++ == 1)
            ck_assert_int_eq(
                mcphost_chatos_scan(chatos, count_done, &n_done, count_freed), 0);
    }
    ck_assert_int_gt(n, 3);
    hr_until(&hr, n_done == 2 && n_freed == 2);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(apps(), "com.p10\""));
}
END_TEST

/* R141: if a scan runs out of descriptors, the registry keeps the apps that it has. */
START_TEST(a_scan_that_runs_out_of_descriptors_keeps_the_apps)
{
    struct rlimit old, low;
    int taken[64], n;

    plugin("find", "look");
    scan();
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = old;
    low.rlim_cur = (rlim_t)rig_census_take().fds + 5;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    n = 0;
    for (int fd = dup(0); fd >= 0 && n < 64; fd = dup(0))
        taken[n++] = fd;
    scan();
    while (n > 0)
        close(taken[--n]);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
    test_has(apps(), "com.one.a");
    test_has(apps(), "Too many open files");
    scan();
    ck_assert_ptr_null(strstr(apps(), "Too many open files"));
}
END_TEST

START_TEST(closing_the_host_ends_a_scan) /* R141 */
{
    n_done = n_freed = 0;
    write_many(200);
    ck_assert_int_eq(mcphost_chatos_scan(chatos, count_done, &n_done, count_freed), 0);
    mcphost_dispatch(hr.host);
    hr_close(&hr);
    ck_assert_int_eq(n_freed, 1);
    ck_assert_int_eq(mcphost_chatos_scan(chatos, count_done, &n_done, count_freed),
                     MCPHOST_E_CLOSED);
    ck_assert_int_eq(n_freed, 2);
    ck_assert_int_eq(mcphost_chatos_wait(chatos, 10), MCPHOST_E_CLOSED);
    chatos = mcphost_chatos_unref(chatos);
    hr_clear(&hr);
    hr_up(&hr); /* down() needs a host */
}
END_TEST

/* ---- runs -------------------------------------------------------------------------- */

static mcphost_view *
view_new(const char *name)
{
    mcphost_view *view;

    ck_assert_int_eq(mcphost_view_new_layered(hr.host, name, &view, NULL), 0);
    return view;
}

static mcphost_chatos_run *
inject(mcphost_view *view, const char *record)
{
    mcphost_chatos_run *run = NULL;
    int r = mcphost_chatos_inject(chatos, view, record, strlen(record),
                                  MCPHOST_CHATOS_MAIN, NULL, &run, &err);

    ck_assert_msg(r == 0, "%d: %s", r, err ? mcphost_error_get_message(err) : "");
    return run;
}

static mcphost_dialog *
dialog_on(mcphost_view *view, const char *id)
{
    mcphost_dialog *dialog;

    ck_assert_int_eq(mcphost_dialog_new(view, id, NULL, &dialog, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = dialog;
    return dialog;
}

/* R142, B.28, K19: two runs use different apps.  The first app also has a prompt. */
START_TEST(a_run_gets_an_apps_server_and_no_other_run_sees_it)
{
    mcphost_view *one = view_new("one"), *two = view_new("two");
    mcphost_chatos_run *run, *beside;
    mcphost_dialog *d, *e;

    plugin("find", "look");
    scan();
    run = inject(one, RECORD("a", ""));
    beside = inject(two, RECORD("b", ""));
    test_has(mcphost_chatos_run_get_json(run, NULL),
             "{\"source\":\"uiapp\",\"servers\":[{\"id\":\"uiapp:com.one.a\",\"name\":"
             "\"com.one.a\"");
    test_has(mcphost_chatos_run_get_json(run, NULL),
             "\"prompts\":[{\"name\":\"mcp_com_one_a\",\"language\":\"zh\"");
    test_has(mcphost_chatos_run_get_json(beside, NULL), "{\"source\":\"uiapp-1\"");
    d = dialog_on(one, "d");
    e = dialog_on(two, "e");
    hr_until(&hr, strcmp(hr_tools(&hr, d), "mcp_com_one_a_find") == 0 &&
                      strcmp(hr_tools(&hr, e), "mcp_com_one_b_look") == 0);
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_one_a_find", "{\"text\":\"x\"}"), "x");
    ck_assert_int_gt(rig_workspace_living(&hr.ws, "a.trace"), 0);
    ck_assert_int_eq(mcphost_chatos_run_end(run), 0);
    ck_assert_int_eq(mcphost_chatos_run_end(run), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, d), "") == 0);
    hr_until(&hr, rig_workspace_living(&hr.ws, "a.trace") == 0);
    ck_assert_str_eq(hr_say(&hr, e, "mcp_com_one_b_look", "{\"text\":\"y\"}"), "y");
    mcphost_chatos_run_unref(run);
    mcphost_chatos_run_unref(beside); /* the last unref ends the run */
    hr_until(&hr, strcmp(hr_tools(&hr, e), "") == 0);
    mcphost_view_unref(one);
    mcphost_view_unref(two);
}
END_TEST

/* R123 R144 B.28 */
START_TEST(a_run_gets_the_applications_servers_that_were_selected)
{
    static const char admin[] =
        "{\"mcpServers\":[{\"id\":\"7\",\"name\":\"files\",\"allowMain\":true}]}";
    mcphost_view *view = view_new("run");
    mcphost_chatos_run *run;
    mcphost_dialog *d;

    plugin_write(&hr.ws, "plugins/one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcpServers\":true}}");
    scan();
    hr_server(&hr, "files", NULL, "no-tools\ntool get");
    hr_server(&hr, "mail", NULL, "no-tools\ntool send");
    hr_load(&hr);
    ck_assert_int_eq(mcphost_chatos_set_admin(chatos, admin, strlen(admin), NULL), 0);
    run = inject(view, RECORD("a", ",\"mcpServerIds\":[\"7\",\"mail\"]"));
    test_has(mcphost_chatos_run_get_json(run, NULL),
             "{\"source\":null,\"servers\":[{\"id\":\"7\",\"name\":\"files\",\"app\":"
             "false,\"tags\":[]}]");
    test_has(mcphost_chatos_run_get_json(run, NULL),
             "servers that this agent may not use\",\"names\":[\"mail\"]");
    d = dialog_on(view, "d");
    hr_until(&hr, strcmp(hr_tools(&hr, d), "files_get") == 0);
    mcphost_chatos_run_unref(run);
    hr_until(&hr, strcmp(hr_tools(&hr, d), "") == 0);
    /* The server keeps running, because it belongs to the application. */
    ck_assert(hr_has(&hr, "files_get"));
    mcphost_view_unref(view);
}
END_TEST

/* B.28: until a turn ends, it keeps the servers with which it began. */
START_TEST(a_turn_keeps_the_servers_of_a_run_that_has_ended)
{
    mcphost_view *view = view_new("run");
    mcphost_chatos_run *run;
    mcphost_dialog *d;
    mcphost_call *call;

    plugin("find", "look");
    scan();
    run = inject(view, RECORD("a", ""));
    d = dialog_on(view, "d");
    hr_until(&hr, strcmp(hr_tools(&hr, d), "mcp_com_one_a_find") == 0);
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    /* The host carries out the call after the run has ended. */
    call = hr_start(&hr, d, "mcp_com_one_a_find", "{\"text\":\"early\"}");
    mcphost_chatos_run_unref(run);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_turn(&hr, 100);
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_one_a_find", "{\"text\":\"x\"}"), "x");
    ck_assert_int_eq(mcphost_dialog_end_turn(d), 0);
    hr_until(&hr, rig_workspace_living(&hr.ws, "a.trace") == 0);
    mcphost_view_unref(view);
}
END_TEST

START_TEST(an_injection_that_fails_changes_nothing) /* R144 */
{
    mcphost_view *view = view_new("run"), *granted;
    mcphost_grant *grant = hr_grant("x", "");
    mcphost_chatos_run *run = NULL;

    plugin("find", "look");
    scan();
    ck_assert_int_eq(mcphost_chatos_inject(chatos, view, "{\"uiApps\":1}", 12,
                                           MCPHOST_CHATOS_MAIN, NULL, &run, &err),
                     MCPHOST_E_CONFIG);
    test_has(mcphost_error_get_message(err), "uiApps");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_view_new(hr.host, "granted", grant, &granted, NULL), 0);
    ck_assert_int_eq(mcphost_chatos_inject(chatos, granted, "{}", 2, MCPHOST_CHATOS_MAIN,
                                           NULL, &run, NULL),
                     MCPHOST_E_INVALID);
    /* mcphost_chatos_inject() refuses the default view, because this view already has a
     * layer of the default source. */
    hr_server(&hr, "task_manager", NULL, NULL);
    hr_load(&hr);
    plugin_write(&hr.ws, "plugins/one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcpServers\":true}}");
    scan();
    ck_assert_int_eq(
        mcphost_chatos_inject(chatos, mcphost_default_view(hr.host),
                              RECORD("a", ",\"mcpServerIds\":[\"task_manager\"]"),
                              strlen(RECORD("a", ",\"mcpServerIds\":[\"task_manager\"]")),
                              MCPHOST_CHATOS_MAIN, NULL, &run, NULL),
        MCPHOST_E_EXISTS);
    ck_assert_ptr_null(run);
    mcphost_grant_unref(grant);
    mcphost_view_unref(granted);
    mcphost_view_unref(view);
}
END_TEST

/* ---- storage ----------------------------------------------------------------------- */

struct store {
    int n, fails;
    char names[1024], json[8192];
};

static int
put_record(int kind, const char *name, const char *json, size_t len, void *arg)
{
    struct store *store = arg;
    size_t n = strlen(store->names);

    ck_assert_uint_eq(strlen(json), len);
    if (store->fails > 0 && --store->fails == 0)
        return MCPHOST_E_IO;
    snprintf(store->names + n, sizeof(store->names) - n, "%d:%s ", kind, name);
    n = strlen(store->json);
    snprintf(store->json + n, sizeof(store->json) - n, "%s\n", json);
    store->n++;
    return 0;
}

START_TEST(sync_stores_only_records_that_changed) /* R143 */
{
    struct store store = {0};

    plugin_write(
        &hr.ws, "plugins/one", "com.one",
        "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"http://h/\",\"auth\":{"
                            "\"token\":\"hush\"}},\"mcpPrompt\":{\"zh\":{"
                            "\"content\":\"zz\"},\"en\":{\"content\":\"ee\"}}}}");
    scan();
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 3);
    ck_assert_str_eq(store.names, "1:com.one.a 2:mcp_com_one_a 2:mcp_com_one_a__en ");
    test_has(store.json, "\"auth\":{\"token\":\"hush\"},\"uiApp\":{");
    test_has(store.json, "\"type\":\"system\",\"content\":\"zz\"");
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 0);
    scan();
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 0);
    plugin_write(
        &hr.ws, "plugins/one", "com.one",
        "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"http://h/\",\"auth\":{"
                            "\"token\":\"hush\"}},\"mcpPrompt\":{\"zh\":{"
                            "\"content\":\"zz\"},\"en\":{\"content\":\"new\"}}}}");
    scan();
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 1);
    ck_assert_int_eq(store.n, 4);
}
END_TEST

/* R143 */
START_TEST(sync_stores_nothing_if_the_applications_list_has_equal_records)
{
    static const char admin[] =
        "{\"mcpServers\":[{\"id\":\"9\",\"allowMain\":true, "
        "\"allowSub\":true,\"enabled\":"
        "true,\"tags\":[],\"description\":\"\",\"name\":\"com.one.a\",\"url\":"
        "\"http://h/\",\"createdAt\":7}]}";
    struct store store = {0};

    plugin_write(&hr.ws, "plugins/one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"http://h/\"}}}");
    scan();
    ck_assert_int_eq(mcphost_chatos_set_admin(chatos, admin, strlen(admin), NULL), 0);
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 0);
}
END_TEST

/* R143 */
START_TEST(sync_does_not_replace_the_applications_own_records)
{
    static const char admin[] =
        "{\"mcpServers\":[{\"name\":\"com.one.a\",\"url\":\"http://own/\"}],\"prompts\":["
        "{\"name\":\"mcp_com_one_a\",\"content\":\"own\",\"uiApp\":{\"pluginId\":\"x\","
        "\"appId\":\"y\"}}]}";
    struct store store = {0};

    plugin("find", "look"); /* app a has a server and a prompt; app b has a server */
    scan();
    ck_assert_int_eq(mcphost_chatos_set_admin(chatos, admin, strlen(admin), NULL), 0);
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 1);
    ck_assert_str_eq(store.names, "1:com.one.b ");
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 0);
}
END_TEST

/* R143 */
START_TEST(the_next_sync_retries_records_that_could_not_be_stored)
{
    struct store store = {.fails = 2};

    plugin("find", "look"); /* two servers and a prompt */
    scan();
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, &err), MCPHOST_E_IO);
    ck_assert_int_eq(store.n, 1);
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 2);
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 0);
}
END_TEST

/* R143: the file of an app is below its limit, but the command line made from it is not.
 * Aliases of YAML repeat an argument, and the command line escapes each backslash. */
START_TEST(sync_stores_no_server_whose_command_line_is_too_long)
{
    static char word[60 * 1024];
    struct store store = {0};

    memset(word, '\\', sizeof(word) - 1);
    plugin_file(&hr.ws, "plugins/one", "server.mjs", "%s", "");
    rig_workspace_write(&hr.ws, "plugins/one/ai.yaml",
                        "mcp: {entry: server.mjs, args: [&a %s, *a, *a, *a, *a, *a, *a, "
                        "*a, *a, *a]}\n",
                        word);
    plugin_write(&hr.ws, "plugins/one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"config\":\"ai.yaml\"}},{" PLUGIN_APP(
                     "b") ",\"ai\":{\"mcp\":{\"url\":\"http://h/\"}}}");
    scan();
    test_has(apps(), "\"server\":\"com.one.a\",\"url\":null");
    ck_assert_int_eq(mcphost_chatos_sync(chatos, put_record, &store, NULL), 1);
    ck_assert_str_eq(store.names, "1:com.one.b ");
}
END_TEST

static atomic_bool storing;

static int
put_and_tell(int kind, const char *name, const char *json, size_t len, void *arg)
{
    int r = put_record(kind, name, json, len, arg);

    storing = true;
    return r;
}

/* Sets an empty list, *arg ms after the first record was stored. */
static void *
clear_list(void *arg)
{
    while (!storing)
        sched_yield();
    rig_pause(*(int *)arg);
    return mcphost_chatos_set_admin(chatos, "{}", 2, NULL) < 0 ? (void *)"set" : NULL;
}

#define N_PROMPTS 20000

/* Returns a list that is large, so that a sync takes long to add a record.  The list has
 * a record for app b.  No sync has made this record, and a sync does not replace it. */
static char *
large_list(void)
{
    size_t size = 64 * (N_PROMPTS + 4), n;
    char *list = malloc(size);

    n = (size_t)snprintf(list, size,
                         "{\"mcpServers\":[{\"name\":\"com.one.b\"}],"
                         "\"prompts\":[{\"name\":\"p\"}");
    for (int i = 0; i < N_PROMPTS; i++)
        n += (size_t)snprintf(list + n, size - n, ",{\"name\":\"p%d\"}", i);
    snprintf(list + n, size - n, "]}");
    return list;
}

/* R143 */
START_TEST(a_list_that_is_set_during_a_sync_is_not_replaced_by_an_older_one)
{
    char *list = large_list();

    plugin("find", "look");
    scan();
    for (int ms = 0; ms < 12; ms++) {
        struct store first = {0}, second = {0};
        pthread_t thread;
        void *failed;

        storing = false;
        ck_assert_int_eq(mcphost_chatos_set_admin(chatos, list, strlen(list), NULL), 0);
        ck_assert_int_eq(pthread_create(&thread, NULL, clear_list, &ms), 0);
        ck_assert_int_eq(mcphost_chatos_sync(chatos, put_and_tell, &first, NULL), 2);
        pthread_join(thread, &failed);
        ck_assert_ptr_null(failed);
        ck_assert_int_gt(mcphost_chatos_sync(chatos, put_record, &second, NULL), 0);
        test_has(second.names, "1:com.one.b ");
    }
    free(list);
}
END_TEST

/* ---- threads, arguments ------------------------------------------------------------ */

static void *
use_registry(void *arg)
{
    char name[16];
    mcphost_view *view = NULL;

    snprintf(name, sizeof(name), "t%d", *(int *)arg);
    if (mcphost_view_new_layered(hr.host, name, &view, NULL) < 0)
        return (void *)"view";
    for (int i = 0; i < 20; i++) {
        mcphost_chatos_run *run = NULL;
        char *json = NULL;

        if (mcphost_chatos_scan(chatos, NULL, NULL, NULL) < 0 ||
            mcphost_chatos_inject(chatos, view, RECORD("a", ""), strlen(RECORD("a", "")),
                                  MCPHOST_CHATOS_SUB, "en", &run, NULL) < 0 ||
            mcphost_chatos_list_apps(chatos, &json, NULL, NULL) < 0)
            return (void *)"use";
        mcphost_free(json);
        mcphost_chatos_set_flags(chatos, MCPHOST_CHATOS_SUBSTITUTE);
        mcphost_chatos_run_unref(run);
    }
    mcphost_view_unref(view);
    return NULL;
}

START_TEST(threads_may_scan_and_inject_at_once) /* R142 */
{
    pthread_t threads[4];
    int numbers[4];

    plugin("find", "look");
    scan();
    ck_assert_int_eq(mcphost_thread_start(hr.host), 0);
    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_registry, &numbers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *why;

        ck_assert_int_eq(pthread_join(threads[i], &why), 0);
        ck_assert_msg(!why, "%s", (const char *)why);
    }
    ck_assert_int_eq(mcphost_thread_stop(hr.host), 0);
    hr_until(&hr, rig_workspace_living(&hr.ws, "a.trace") == 0);
}
END_TEST

START_TEST(invalid_arguments_are_refused)
{
    char *json = NULL;
    mcphost *other;

    ck_assert_int_eq(mcphost_chatos_new(NULL, &chatos, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_chatos_set_dir(chatos, 99, "x", NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_chatos_set_dir(chatos, 0, "", NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_chatos_set_flags(chatos, 1u << 20), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_chatos_set_admin(chatos, "[", 1, NULL), MCPHOST_E_CONFIG);
    ck_assert_int_eq(mcphost_chatos_scan(NULL, NULL, NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_new(&other, NULL), 0);
    ck_assert_int_eq(mcphost_chatos_follow(chatos, mcphost_default_source(other),
                                           MCPHOST_CHATOS_MAIN, NULL),
                     MCPHOST_E_INVALID);
    mcphost_unref(other);
    ck_assert_int_eq(mcphost_chatos_get_contribution(chatos, "p", "a", &json, NULL, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_chatos_check_record("{}", 2, NULL), 0);
    ck_assert_int_eq(mcphost_chatos_check_record("{", 1, NULL), MCPHOST_E_CONFIG);
    ck_assert_int_eq(mcphost_chatos_sync(chatos, NULL, NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_ptr_null(mcphost_chatos_unref(NULL));
    ck_assert_ptr_null(mcphost_chatos_run_unref(NULL));
    ck_assert_ptr_null(mcphost_chatos_run_ref(NULL));
    ck_assert_ptr_null(mcphost_chatos_run_get_json(NULL, NULL));
    ck_assert_int_eq(mcphost_chatos_run_end(NULL), MCPHOST_E_INVALID);
    ck_assert_ptr_eq(mcphost_chatos_ref(chatos), chatos);
    mcphost_chatos_unref(chatos);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc;

    tc = test_case(suite, "a source that follows the plugins");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, names_of_app_tools_contain_the_normalized_server_name);
    tcase_add_test(tc, each_scan_updates_the_source);
    tcase_add_test(tc, a_source_that_cannot_follow_is_not_in_the_registry);
    tcase_add_test(tc, a_bad_plugin_does_not_affect_other_plugins);
    tcase_add_test(tc, noise_on_a_servers_stdout_is_a_problem);
    tcase_add_test(tc, a_new_plugin_cannot_take_the_names_of_a_running_one);
    tcase_add_test(tc, a_url_of_an_unknown_scheme_fails_with_one_problem);
    tcase_add_test(tc, a_flows_configuration_has_only_servers_that_allow_it);

    tc = test_case(suite, "scans");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_scan_request_gets_one_completion);
    tcase_add_test(tc, a_scan_of_a_thousand_plugins_takes_several_dispatcher_turns);
    tcase_add_test(tc, a_scan_that_runs_out_of_descriptors_keeps_the_apps);
    tcase_add_test(tc, closing_the_host_ends_a_scan);

    tc = test_case(suite, "runs");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_run_gets_an_apps_server_and_no_other_run_sees_it);
    tcase_add_test(tc, a_run_gets_the_applications_servers_that_were_selected);
    tcase_add_test(tc, a_turn_keeps_the_servers_of_a_run_that_has_ended);
    tcase_add_test(tc, an_injection_that_fails_changes_nothing);

    tc = test_case(suite, "storage");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, sync_stores_only_records_that_changed);
    tcase_add_test(tc, sync_stores_nothing_if_the_applications_list_has_equal_records);
    tcase_add_test(tc, sync_does_not_replace_the_applications_own_records);
    tcase_add_test(tc, the_next_sync_retries_records_that_could_not_be_stored);
    tcase_add_test(tc, sync_stores_no_server_whose_command_line_is_too_long);
    tcase_add_test(tc, a_list_that_is_set_during_a_sync_is_not_replaced_by_an_older_one);

    tc = test_case(suite, "threads, arguments");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, threads_may_scan_and_inject_at_once);
    tcase_add_test(tc, invalid_arguments_are_refused);
}

int
main(void)
{
    return test_main("host-chatos", add);
}
