/* SPDX-License-Identifier: MIT
 *
 * test_chatos_scan.c - scanning folders of plugins in steps.
 *
 * The tests check the apps that a scan finds, and the flaws of unusable plugins.  A flaw
 * does not affect other plugins.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/chatos_apps.h"
#include "support/plugindirs.h"
#include "support/rig.h"
#include "support/runner.h"

static struct rig_workspace ws;
static struct mcph_chatos_dirs dirs;
static struct mcph_chatos_apps *apps;
static struct mcph_buf text;

static void
set_dir(int dir, const char *name)
{
    free(dirs.paths[dir]);
    dirs.paths[dir] = strdup(rig_workspace_path(&ws, name));
    ck_assert_ptr_nonnull(dirs.paths[dir]);
}

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    mcph_buf_init(&text, 1024 * 1024);
    set_dir(MCPHOST_CHATOS_STATE, "state");
    set_dir(MCPHOST_CHATOS_PROJECT, "project");
    set_dir(MCPHOST_CHATOS_DEFAULTS, "defaults");
}

static void
down(void)
{
    apps = mcph_chatos_apps_unref(apps);
    mcph_chatos_dirs_done(&dirs);
    mcph_buf_done(&text);
    rig_workspace_down(&ws);
}

#define USERS   "state/ui_apps/plugins/"
#define BUILTIN "project/ui_apps/plugins/"

/* Scans the folders.  Returns the number of steps. */
static int
scan(void)
{
    struct mcph_chatos_scan *s = NULL;
    int n = 0, r;

    apps = mcph_chatos_apps_unref(apps);
    ck_assert_int_eq(mcph_chatos_scan_new(&dirs, NULL, &s), 0);
    do {
        r = mcph_chatos_scan_step(s);
        n++;
    } while (r == 1);
    ck_assert_int_eq(r, 0);
    apps = mcph_chatos_scan_take(s);
    mcph_chatos_scan_free(s);
    return n;
}

static const struct mcph_chatos_entry *
app(const char *plugin, const char *id)
{
    const struct mcph_chatos_entry *entry = NULL;
    int r = mcph_chatos_apps_find(apps, plugin, id, &entry);

    return r == 0 ? entry : NULL;
}

/* Returns the only flaw.  The message of the flaw must contain `what`. */
static const struct mcph_chatos_flaw *
only_flaw(const char *what)
{
    const struct mcph_chatos_flaw *flaw;

    ck_assert_uint_eq(apps->flaws.n, 1);
    flaw = apps->flaws.items[0];
    ck_assert_msg(strstr(flaw->message, what) != NULL, "%s", flaw->message);
    return flaw;
}

static const char *
rows(void)
{
    mcph_buf_clear(&text);
    ck_assert_int_eq(mcph_chatos_put_rows(apps, NULL, &text), 0);
    return mcph_buf_text(&text);
}

static const char *
contribution(const char *plugin, const char *id)
{
    mcph_buf_clear(&text);
    ck_assert_int_eq(mcph_chatos_put_contribution(apps, plugin, id, &text, NULL), 0);
    return mcph_buf_text(&text);
}

#define MCP(entry) "\"ai\":{\"mcp\":{\"entry\":\"" entry "\"}}"

static struct rlimit usual;
static int taken[64], n_taken;

/* Opens file descriptors until the process can open no more. */
static void
starve(void)
{
    struct rlimit low;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    low = usual;
    low.rlim_cur = MCPH_ARRAY_SIZE(taken);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    for (int fd = dup(0); fd >= 0; fd = dup(0))
        taken[n_taken++] = fd;
}

static void
feed(void)
{
    while (n_taken > 0)
        close(taken[--n_taken]);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

/* Scans the folders.  No file descriptor is free in the step `hungry`.  If `hungry` is
 * negative, no file descriptor is free in mcph_chatos_scan_new(). */
static void
scan_hungry(int hungry)
{
    struct mcph_chatos_scan *s = NULL;
    int r = 1;

    apps = mcph_chatos_apps_unref(apps);
    if (hungry < 0)
        starve();
    ck_assert_int_eq(mcph_chatos_scan_new(&dirs, NULL, &s), 0);
    if (hungry < 0)
        feed();
    for (int n = 0; r == 1; n++) {
        if (n == hungry)
            starve();
        r = mcph_chatos_scan_step(s);
        if (n == hungry)
            feed();
    }
    ck_assert_int_eq(r, 0);
    apps = mcph_chatos_scan_take(s);
    mcph_chatos_scan_free(s);
}

/* ---- folders ----------------------------------------------------------------------- */

START_TEST(plugins_of_both_folders_are_found) /* R120 R128 R141 */
{
    plugin_write(&ws, USERS "one", "com.one", "{" PLUGIN_APP("a") "," MCP("s.mjs") "}");
    plugin_write(&ws, BUILTIN "two", "com.two", "{" PLUGIN_APP("b") "}");
    plugin_file(&ws, USERS "one", "s.mjs", "// a server");
    scan();
    ck_assert_uint_eq(apps->entries.n, 2);
    ck_assert_uint_eq(apps->flaws.n, 0);
    ck_assert_str_eq(app("com.one", "a")->server, "com.one.a");
    ck_assert(!app("com.one", "a")->builtin);
    ck_assert(app("com.two", "b")->builtin);
    ck_assert(!app("com.two", "b")->offers);
    ck_assert_ptr_null(app("com.one", "b"));
    ck_assert_str_eq(app("com.one", "a")->data_dir,
                     rig_workspace_path(&ws, "state/ui_apps/data/com.one"));
}
END_TEST

START_TEST(a_plugin_of_the_user_replaces_a_built_in_plugin) /* B.20, K14 */
{
    plugin_write(&ws, USERS "x", "com.one", "{" PLUGIN_APP("mine") "}");
    plugin_write(&ws, BUILTIN "y", "com.one", "{" PLUGIN_APP("builtin") "}");
    scan();
    ck_assert_uint_eq(apps->entries.n, 1);
    ck_assert_uint_eq(apps->flaws.n, 0);
    ck_assert_ptr_nonnull(app("com.one", "mine"));
}
END_TEST

START_TEST(an_unusable_plugin_of_the_user_replaces_no_built_in_plugin) /* B.20 */
{
    plugin_file(&ws, USERS "x", "plugin.json", "{\"id\":\"com.one\"}");
    plugin_write(&ws, BUILTIN "y", "com.one", "{" PLUGIN_APP("builtin") "}");
    scan();
    only_flaw("name");
    ck_assert_ptr_nonnull(app("com.one", "builtin"));
}
END_TEST

START_TEST(folders_that_are_set_are_read_in_place_of_the_usual_folders) /* B.20 */
{
    plugin_write(&ws, USERS "x", "com.x", "{" PLUGIN_APP("a") "}");
    plugin_write(&ws, "mine/y", "com.y", "{" PLUGIN_APP("a") "}");
    plugin_write(&ws, "theirs/z", "com.z", "{" PLUGIN_APP("a") "}");
    set_dir(MCPHOST_CHATOS_PLUGINS, "mine");
    set_dir(MCPHOST_CHATOS_BUILTIN_PLUGINS, "theirs");
    scan();
    ck_assert_uint_eq(apps->entries.n, 2);
    ck_assert_ptr_nonnull(app("com.y", "a"));
    ck_assert(app("com.z", "a")->builtin);
    /* A scan reads a folder once even if the folder is set twice. */
    set_dir(MCPHOST_CHATOS_BUILTIN_PLUGINS, "mine");
    scan();
    ck_assert_uint_eq(apps->entries.n, 1);
    ck_assert_uint_eq(apps->flaws.n, 0);
}
END_TEST

/* If a folder that cannot be opened counted as missing, the result would replace an
 * earlier result and drop all plugins of the folder. */
START_TEST(a_folder_that_cannot_be_opened_does_not_count_as_missing) /* R141 */
{
    const struct mcph_chatos_flaw *flaw;

    plugin_write(&ws, BUILTIN "two", "com.two", "{" PLUGIN_APP("a") "}");
    ck_assert_int_eq(symlink("loop", rig_workspace_path(&ws, "loop")), 0);
    set_dir(MCPHOST_CHATOS_PLUGINS, "loop");
    scan();
    flaw = only_flaw("Too many levels of symbolic links");
    ck_assert_str_eq(flaw->dir, rig_workspace_path(&ws, "loop"));
    ck_assert(apps->failed);
    ck_assert_ptr_nonnull(app("com.two", "a"));
    set_dir(MCPHOST_CHATOS_PLUGINS, "missing");
    scan();
    ck_assert_uint_eq(apps->flaws.n, 0);
    ck_assert(!apps->failed);
}
END_TEST

START_TEST(without_folders_there_are_no_apps)
{
    scan();
    ck_assert_uint_eq(apps->entries.n, 0);
    ck_assert_uint_eq(apps->flaws.n, 0);
    mcph_chatos_dirs_done(&dirs);
    scan();
    ck_assert_uint_eq(apps->entries.n, 0);
    ck_assert_str_eq(rows(), "[]");
}
END_TEST

START_TEST(only_directories_with_a_manifest_are_plugins) /* B.20 */
{
    plugin_dir(&ws, USERS "empty");
    plugin_file(&ws, "state/ui_apps/plugins", "plugin.json", "{}");
    plugin_write(&ws, USERS "deep/er", "com.deep", "{" PLUGIN_APP("a") "}");
    plugin_dir(&ws, USERS "odd/plugin.json");
    scan();
    ck_assert_uint_eq(apps->entries.n, 0);
    only_flaw("not a regular file");
}
END_TEST

/* ---- unusable plugins -------------------------------------------------------------- */

START_TEST(a_bad_plugin_gives_one_flaw_and_the_others_are_found) /* R141, B.20 */
{
    const struct mcph_chatos_flaw *flaw;

    plugin_file(&ws, USERS "bad", "plugin.json", "{\"id\":\"\",\"apps\":7}");
    plugin_write(&ws, USERS "good", "com.good", "{" PLUGIN_APP("a") "}");
    scan();
    flaw = only_flaw("plugin.json:1:");
    ck_assert_str_eq(flaw->dir, rig_workspace_path(&ws, USERS "bad"));
    ck_assert(!flaw->builtin);
    ck_assert_ptr_nonnull(app("com.good", "a"));
    plugin_file(&ws, USERS "bad", "plugin.json", "no JSON");
    scan();
    only_flaw("plugin.json:1:1");
}
END_TEST

START_TEST(a_manifest_that_is_too_large_is_not_read) /* B.20 */
{
    char *large = malloc(MCPH_CHATOS_MANIFEST_MAX + 2);

    ck_assert_ptr_nonnull(large);
    memset(large, ' ', MCPH_CHATOS_MANIFEST_MAX + 1);
    large[MCPH_CHATOS_MANIFEST_MAX + 1] = '\0';
    plugin_dir(&ws, USERS "large");
    rig_workspace_write(&ws, USERS "large/plugin.json", "%s", large);
    scan();
    only_flaw("262144");
    free(large);
}
END_TEST

START_TEST(of_two_apps_with_one_id_the_first_is_kept) /* B.20, K14 */
{
    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") "},{\"id\":\"a\",\"name\":\"second\",\"entry\":"
                                     "\"x\"}");
    scan();
    ck_assert_uint_eq(apps->entries.n, 1);
    ck_assert_str_eq(app("com.one", "a")->app->name, "a");
    only_flaw("apps[1]");
}
END_TEST

START_TEST(of_two_plugins_with_one_id_in_a_folder_the_first_is_kept) /* B.20 */
{
    plugin_write(&ws, USERS "a", "com.one", "{" PLUGIN_APP("first") "}");
    plugin_write(&ws, USERS "b", "com.one", "{" PLUGIN_APP("second") "}");
    scan();
    only_flaw("already has this id");
    ck_assert_ptr_nonnull(app("com.one", "first"));
    ck_assert_ptr_null(app("com.one", "second"));
}
END_TEST

START_TEST(of_two_apps_with_one_server_name_the_second_is_left_out) /* R128 */
{
    plugin_write(&ws, USERS "a", "x.y", "{" PLUGIN_APP("z") "}");
    plugin_write(&ws, USERS "b", "x", "{" PLUGIN_APP("y.z") "}");
    scan();
    only_flaw("'x.y.z'");
    ck_assert_uint_eq(apps->entries.n, 1);
    ck_assert_ptr_nonnull(app("x.y", "z"));
    ck_assert_ptr_null(app("x", "y.z"));
}
END_TEST

START_TEST(known_plugins_keep_their_names_against_new_plugins) /* R128 */
{
    struct mcph_chatos_apps *before;
    struct mcph_chatos_scan *s = NULL;

    plugin_write(&ws, USERS "m", "x.y", "{" PLUGIN_APP("z") "}");
    scan();
    before = mcph_chatos_apps_ref(apps);
    plugin_write(&ws, USERS "a", "x", "{" PLUGIN_APP("y.z") "},{" PLUGIN_APP("w") "}");
    plugin_write(&ws, USERS "b", "x.y", "{" PLUGIN_APP("other") "}");
    ck_assert_int_eq(mcph_chatos_scan_new(&dirs, before, &s), 0);
    while (mcph_chatos_scan_step(s) > 0)
        ;
    mcph_chatos_apps_unref(apps);
    apps = mcph_chatos_scan_take(s);
    mcph_chatos_scan_free(s);
    mcph_chatos_apps_unref(before);
    ck_assert_ptr_nonnull(app("x.y", "z"));
    ck_assert_ptr_null(app("x", "y.z"));
    ck_assert_ptr_null(app("x.y", "other"));
    ck_assert_uint_eq(apps->flaws.n, 2);
    /* The apps still have the order of the directories. */
    ck_assert_str_eq(((struct mcph_chatos_entry *)apps->entries.items[0])->server, "x.w");
}
END_TEST

START_TEST(apps_whose_normalized_server_names_are_equal_collide) /* R129 R130 */
{
    plugin_write(&ws, USERS "a", "com.x", "{" PLUGIN_APP("y") "}");
    plugin_write(&ws, USERS "b", "Com-x", "{" PLUGIN_APP("y") "}");
    plugin_write(&ws, USERS "c", "COM X", "{" PLUGIN_APP("Y") "}");
    scan();
    only_flaw("'COM X.Y'");
    ck_assert_uint_eq(apps->entries.n, 2);
}
END_TEST

START_TEST(an_id_that_is_a_path_or_has_control_characters_is_refused) /* B.20 */
{
    plugin_write(&ws, USERS "a", "../../etc", "{" PLUGIN_APP("y") "}");
    scan();
    only_flaw("one that is a path");
    plugin_write(&ws, USERS "a", "..", "{" PLUGIN_APP("y") "}");
    scan();
    only_flaw("one that is a path");
    plugin_write(&ws, USERS "a", "a\\u001b[2J", "{" PLUGIN_APP("y") "}");
    scan();
    only_flaw("control character");
    ck_assert_uint_eq(apps->entries.n, 0);
}
END_TEST

/* Appends an app with the ai.config file c.json to a list of apps.  Returns the new
 * length of the list. */
static size_t
add_greedy(char *list, size_t size, size_t len, int i)
{
    return len + (size_t)snprintf(list + len, size - len,
                                  "%s{\"id\":\"a%d\",\"name\":\"n\",\"entry\":\"e\","
                                  "\"ai\":{\"config\":\"c.json\"}}",
                                  i ? "," : "", i);
}

START_TEST(a_plugin_with_over_1_mib_of_files_does_not_affect_the_others) /* R141 */
{
    static char list[8192], config[100 * 1024];
    size_t len = 0;

    for (int i = 0; i < 64; i++)
        len = add_greedy(list, sizeof(list), len, i);
    plugin_write(&ws, USERS "a", "com.greedy", "%s", list);
    memset(config, ' ', sizeof(config) - 1);
    memcpy(config, "{}", 2);
    rig_workspace_write(&ws, USERS "a/c.json", "%s", config);
    plugin_write(&ws, USERS "z", "com.good", "{" PLUGIN_APP("y") "," MCP("s.mjs") "}");
    plugin_file(&ws, USERS "z", "s.mjs", "//");
    scan();
    ck_assert_ptr_nonnull(app("com.good", "y"));
    ck_assert(app("com.good", "y")->offers);
    ck_assert_uint_eq(apps->flaws.n, 21);
    test_has(((struct mcph_chatos_flaw *)apps->flaws.items[0])->message,
             "more than 1048576 bytes");
    test_has(((struct mcph_chatos_flaw *)apps->flaws.items[20])->message,
             "further errors of this plugin");
}
END_TEST

START_TEST(a_plugin_that_became_a_link_is_not_read) /* R121, B.20 */
{
    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcpPrompt\":\"p.md\"}}");
    plugin_file(&ws, USERS "one", "p.md", "mine");
    plugin_file(&ws, "out", "p.md", "hush");
    scan();
    test_has(contribution("com.one", "a"), "mine");
    ck_assert_int_eq(rename(rig_workspace_path(&ws, USERS "one"),
                            rig_workspace_path(&ws, USERS ".was")),
                     0);
    ck_assert_int_eq(
        symlink(rig_workspace_path(&ws, "out"), rig_workspace_path(&ws, USERS "one")), 0);
    ck_assert_ptr_null(strstr(contribution("com.one", "a"), "hush"));
}
END_TEST

START_TEST(symbolic_links_are_not_followed_below_a_folder) /* B.20 */
{
    const char *there = rig_workspace_path(&ws, "there");

    plugin_write(&ws, "there", "com.there", "{" PLUGIN_APP("a") "}");
    plugin_dir(&ws, USERS "real");
    ck_assert_int_eq(symlink(there, rig_workspace_path(&ws, USERS "link")), 0);
    scan();
    only_flaw("symbolic link");
    ck_assert_uint_eq(apps->entries.n, 0);
    ck_assert_int_eq(unlink(rig_workspace_path(&ws, USERS "link")), 0);
    ck_assert_int_eq(symlink("../../../../there/plugin.json",
                             rig_workspace_path(&ws, USERS "real/plugin.json")),
                     0);
    scan();
    only_flaw("symbolic link");
    ck_assert_uint_eq(apps->entries.n, 0);
}
END_TEST

START_TEST(a_plugin_that_vanishes_during_the_scan_gives_no_flaw) /* R141 */
{
    struct mcph_chatos_scan *s = NULL;

    plugin_write(&ws, USERS "a", "com.a", "{" PLUGIN_APP("x") "}");
    plugin_write(&ws, USERS "b", "com.b", "{" PLUGIN_APP("x") "}");
    ck_assert_int_eq(mcph_chatos_scan_new(&dirs, NULL, &s), 0);
    ck_assert_int_eq(mcph_chatos_scan_step(s), 1); /* the first step reads the folder */
    ck_assert_int_eq(unlink(rig_workspace_path(&ws, USERS "a/plugin.json")), 0);
    ck_assert_int_eq(rmdir(rig_workspace_path(&ws, USERS "a")), 0);
    ck_assert_int_eq(unlink(rig_workspace_path(&ws, USERS "b/plugin.json")), 0);
    while (mcph_chatos_scan_step(s) > 0)
        ;
    apps = mcph_chatos_scan_take(s);
    mcph_chatos_scan_free(s);
    ck_assert_uint_eq(apps->entries.n, 0);
    ck_assert_uint_eq(apps->flaws.n, 0);
}
END_TEST

START_TEST(beyond_the_limit_flaws_are_only_counted)
{
    char name[64];

    for (int i = 0; i < MCPH_CHATOS_FLAWS_MAX + 3; i++) {
        snprintf(name, sizeof(name), USERS "p%d", i);
        plugin_file(&ws, name, "plugin.json", "[]");
    }
    scan();
    ck_assert_uint_eq(apps->flaws.n, MCPH_CHATOS_FLAWS_MAX);
    ck_assert_uint_eq(apps->n_left_out, 3);
    ck_assert_ptr_nonnull(strstr(rows(), "\"3 further errors are left out\""));
}
END_TEST

/* ---- an app's own server ----------------------------------------------------------- */

START_TEST(a_missing_entry_is_reported_but_the_server_has_a_url) /* R131, B.22 */
{
    plugin_write(&ws, USERS "one", "com.one", "{" PLUGIN_APP("a") "," MCP("s.mjs") "}");
    scan();
    only_flaw("'s.mjs' does not exist");
    ck_assert_ptr_null(app("com.one", "a")->no_server);
    ck_assert_ptr_nonnull(strstr(rows(), "\"url\":\"cmd://node /"));
}
END_TEST

/* A scan that lacks descriptors sets `failed`, so that its caller can keep the result of
 * an earlier scan. */
START_TEST(an_entry_that_cannot_be_opened_is_not_said_to_be_missing) /* R141 */
{
    plugin_write(&ws, USERS "one", "com.one", "{" PLUGIN_APP("a") "," MCP("s.mjs") "}");
    plugin_file(&ws, USERS "one", "s.mjs", "//");
    scan_hungry(2); /* the scan fails after the steps of folder and plugin */
    only_flaw("'s.mjs' cannot be opened: too many open files");
    ck_assert(apps->failed);
    scan();
    ck_assert(!apps->failed);
    ck_assert_uint_eq(apps->flaws.n, 0);
}
END_TEST

START_TEST(an_entry_that_leads_out_by_a_link_is_refused) /* B.20, B.22 */
{
    plugin_write(
        &ws, USERS "one", "com.one",
        "{" PLUGIN_APP("a") "," MCP("s.mjs") "},{" PLUGIN_APP("b") "," MCP("t.mjs") "}");
    plugin_file(&ws, "out", "s.mjs", "// elsewhere");
    plugin_file(&ws, USERS "one", "real.mjs", "// here");
    ck_assert_int_eq(symlink(rig_workspace_path(&ws, "out/s.mjs"),
                             rig_workspace_path(&ws, USERS "one/s.mjs")),
                     0);
    ck_assert_int_eq(symlink("real.mjs", rig_workspace_path(&ws, USERS "one/t.mjs")), 0);
    scan();
    only_flaw("leads out");
    ck_assert_ptr_nonnull(app("com.one", "a")->no_server);
    ck_assert_ptr_null(app("com.one", "b")->no_server);
    ck_assert_ptr_nonnull(strstr(contribution("com.one", "a"), "\"mcp\":null"));
    ck_assert_ptr_nonnull(strstr(contribution("com.one", "b"), "\"mcp\":{\"name\":"));
}
END_TEST

/* ---- files of an app --------------------------------------------------------------- */

START_TEST(a_config_file_decides_what_an_app_exposes) /* R148 R151, B.26 */
{
    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"config\":\"ai.yaml\",\"mcpServers\":"
                                     "true}}");
    plugin_file(&ws, USERS "one", "ai.yaml", "mcpServers: [x]\nprompts: [y]\n");
    scan();
    ck_assert_uint_eq(apps->flaws.n, 0);
    ck_assert_ptr_nonnull(
        strstr(rows(), "\"mcpServers\":[\"x\"],\"exposedPrompts\":[\"y\"]"));
}
END_TEST

START_TEST(a_config_file_outside_of_the_plugin_is_not_read) /* B.20 */
{
    plugin_write(
        &ws, USERS "one", "com.one",
        "{" PLUGIN_APP("a") ",\"ai\":{\"config\":\"ai.json\",\"prompts\":true}}");
    plugin_file(&ws, "out", "ai.json", "{\"mcpServers\":[\"secret\"]}");
    ck_assert_int_eq(symlink(rig_workspace_path(&ws, "out/ai.json"),
                             rig_workspace_path(&ws, USERS "one/ai.json")),
                     0);
    scan();
    only_flaw("symbolic link");
    ck_assert_ptr_nonnull(strstr(rows(), "\"mcpServers\":null,\"exposedPrompts\":true"));
}
END_TEST

START_TEST(default_lists_are_used_where_the_manifest_says_true) /* R127 R153 R155 */
{
    plugin_write(&ws, BUILTIN "one", "Com.One",
                 "{" PLUGIN_APP("Cli") ",\"ai\":{\"mcpServers\":true}}");
    plugin_file(&ws, "defaults", "com.one__cli.yaml",
                "mcpServers: [task_manager]\nprompts: [default]\n");
    scan();
    ck_assert_uint_eq(apps->flaws.n, 0);
    ck_assert_ptr_nonnull(
        strstr(rows(), "\"mcpServers\":[\"task_manager\"],\"exposedPrompts\":null"));
}
END_TEST

/* If the list counted as missing, the app would expose all servers. */
START_TEST(default_lists_that_cannot_be_read_now_are_not_missing) /* R141 R153 */
{
    plugin_write(&ws, BUILTIN "one", "Com.One",
                 "{" PLUGIN_APP("Cli") ",\"ai\":{\"mcpServers\":true}}");
    plugin_file(&ws, "defaults", "com.one__cli.yaml", "mcpServers: [task_manager]\n");
    scan_hungry(-1);
    only_flaw("Too many open files");
    ck_assert(apps->failed);
    scan();
    ck_assert(!apps->failed);
    ck_assert_uint_eq(apps->flaws.n, 0);
}
END_TEST

START_TEST(a_broken_default_list_is_reported_and_the_next_is_tried) /* R153 R154, B.25 */
{
    plugin_write(&ws, BUILTIN "one", "com.one",
                 "{" PLUGIN_APP("cli") ",\"ai\":{\"mcpServers\":true,\"prompts\":true}}");
    plugin_file(&ws, "defaults", "com.one__cli.yaml", "mcpServers: {");
    plugin_file(&ws, "defaults", "com.one__cli.json", "{\"prompts\":[\"p\"]}");
    scan();
    only_flaw("com.one__cli.yaml");
    ck_assert_ptr_nonnull(
        strstr(rows(), "\"mcpServers\":true,\"exposedPrompts\":[\"p\"]"));
    plugin_file(&ws, "defaults", "com.one__cli.yml", "prompts: [q]");
    scan();
    ck_assert_ptr_nonnull(strstr(rows(), "\"exposedPrompts\":[\"q\"]"));
}
END_TEST

/* ---- contributions ----------------------------------------------------------------- */

START_TEST(a_contribution_has_the_url_and_the_texts) /* R126 R142 */
{
    const char *json;

    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"entry\":\"s.mjs\",\"args\":["
                                     "\"--x\"],\"allowSub\":false,\"tags\":[\"t\"]},"
                                     "\"mcpPrompt\":{\"title\":\"T\",\"zh\":\"zh.md\","
                                     "\"en\":{\"content\":\"Use it.\"}}}}");
    plugin_file(&ws, USERS "one", "s.mjs", "//");
    plugin_file(&ws, USERS "one", "zh.md", "\xe7\x94\xa8\xe5\xae\x83");
    scan();
    json = contribution("com.one", "a");
    test_has(json, "s.mjs --x\"");
    test_has(json, "\"tags\":[\"t\"],\"enabled\":true,\"allowMain\":true,\"allowSub\":"
                   "false,\"callMeta\":null}");
    test_has(json,
             "\"mcpPrompt\":{\"title\":\"T\",\"zh\":{\"name\":\"mcp_com_one_a\",\"text\":"
             "\"\xe7\x94\xa8\xe5\xae\x83\"},\"en\":{\"name\":\"mcp_com_one_a__en\","
             "\"text\":\"Use it.\"}}");
    test_has(json, "\"errors\":[]}");
    /* mcph_chatos_put_contribution() reads the prompt's file at each call. */
    ck_assert_int_eq(unlink(rig_workspace_path(&ws, USERS "one/zh.md")), 0);
    json = contribution("com.one", "a");
    test_has(json, "\"zh\":null");
    test_has(json, "zh.md");
    ck_assert_int_eq(mcph_chatos_put_contribution(apps, "com.one", "b", &text, NULL),
                     MCPHOST_E_NOTFOUND);
}
END_TEST

/* Only the descriptors 0 and 1 are free.  The library uses neither of them, so it can
 * open nothing.  If the library used them, it would find that the plugin's directory is
 * missing. */
START_TEST(a_folder_is_not_opened_as_a_standard_descriptor)
{
    struct rig_low low;
    const char *json;

    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcpPrompt\":{\"zh\":\"zh.md\"}}}");
    plugin_file(&ws, USERS "one", "zh.md", "x");
    scan();
    ck_assert_int_eq(rename(rig_workspace_path(&ws, USERS "one"),
                            rig_workspace_path(&ws, USERS "two")),
                     0);
    test_has(contribution("com.one", "a"), strerror(ENOENT));
    rig_low_begin(&low);
    json = contribution("com.one", "a");
    rig_low_end(&low);
    test_has(json, "cannot open");
    test_has_not(json, strerror(ENOENT));
}
END_TEST

/* B.22: the registry keeps an app whose entry leads out of the plugin's directory.  The
 * app's contribution has the error. */
START_TEST(a_contribution_has_the_errors_of_its_app_in_the_manifest)
{
    const char *json;

    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") "," MCP("../s.mjs") "},{" PLUGIN_APP("b") "}");
    scan();
    ck_assert_str_eq(only_flaw("ai.mcp.entry")->app, "a");
    json = contribution("com.one", "a");
    test_has(json, "\"mcp\":null");
    test_has(json, "ai.mcp.entry: expected a path inside the plugin's directory");
    test_has(contribution("com.one", "b"), "\"errors\":[]");
}
END_TEST

START_TEST(a_prompt_outside_of_the_plugin_is_not_read) /* R121, B.20 */
{
    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcpPrompt\":\"p.md\"}}");
    plugin_file(&ws, "out", "p.md", "hush");
    ck_assert_int_eq(
        symlink(rig_workspace_path(&ws, "out"), rig_workspace_path(&ws, USERS "one/out")),
        0);
    ck_assert_int_eq(symlink("out/p.md", rig_workspace_path(&ws, USERS "one/p.md")), 0);
    scan();
    ck_assert_ptr_null(strstr(contribution("com.one", "a"), "hush"));
    test_has(contribution("com.one", "a"), "symbolic link");
}
END_TEST

START_TEST(a_prompt_that_is_too_large_is_not_read) /* B.20 */
{
    char *large = malloc(MCPH_CHATOS_PROMPT_MAX + 2);

    ck_assert_ptr_nonnull(large);
    memset(large, 'x', MCPH_CHATOS_PROMPT_MAX + 1);
    large[MCPH_CHATOS_PROMPT_MAX + 1] = '\0';
    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcpPrompt\":\"p.md\"}}");
    rig_workspace_write(&ws, USERS "one/p.md", "%s", large);
    scan();
    test_has(contribution("com.one", "a"), "131072");
    large[MCPH_CHATOS_PROMPT_MAX] = '\0';
    rig_workspace_write(&ws, USERS "one/p.md", "%s", large);
    test_has(contribution("com.one", "a"), "\"errors\":[]");
    free(large);
}
END_TEST

START_TEST(secrets_of_a_url_are_hidden_in_rows_only) /* K13 */
{
    plugin_write(&ws, USERS "one", "com.one",
                 "{" PLUGIN_APP("a") ",\"ai\":{\"mcp\":{\"url\":\"https://u:hush@h/"
                                     "?k=hush\"}}}");
    scan();
    ck_assert_ptr_null(strstr(rows(), "hush"));
    test_has(contribution("com.one", "a"), "\"url\":\"https://u:hush@h/?k=hush\"");
}
END_TEST

/* ---- many plugins ------------------------------------------------------------------ */

START_TEST(a_thousand_plugins_are_scanned_in_at_least_2000_steps) /* R141 */
{
    char name[64], id[64];
    int steps;

    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), USERS "p%d", i);
        snprintf(id, sizeof(id), "com.p%d", i);
        plugin_write(&ws, name, id, "{" PLUGIN_APP("a") "," MCP("plugin.json") "}");
    }
    steps = scan();
    ck_assert_uint_eq(apps->entries.n, 1000);
    ck_assert_uint_eq(apps->flaws.n, 0);
    ck_assert_int_ge(steps, 2000);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc;

    tc = test_case(suite, "folders");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, plugins_of_both_folders_are_found);
    tcase_add_test(tc, a_plugin_of_the_user_replaces_a_built_in_plugin);
    tcase_add_test(tc, an_unusable_plugin_of_the_user_replaces_no_built_in_plugin);
    tcase_add_test(tc, folders_that_are_set_are_read_in_place_of_the_usual_folders);
    tcase_add_test(tc, a_folder_that_cannot_be_opened_does_not_count_as_missing);
    tcase_add_test(tc, without_folders_there_are_no_apps);
    tcase_add_test(tc, only_directories_with_a_manifest_are_plugins);

    tc = test_case(suite, "what cannot be used");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_bad_plugin_gives_one_flaw_and_the_others_are_found);
    tcase_add_test(tc, a_manifest_that_is_too_large_is_not_read);
    tcase_add_test(tc, of_two_apps_with_one_id_the_first_is_kept);
    tcase_add_test(tc, of_two_plugins_with_one_id_in_a_folder_the_first_is_kept);
    tcase_add_test(tc, of_two_apps_with_one_server_name_the_second_is_left_out);
    tcase_add_test(tc, known_plugins_keep_their_names_against_new_plugins);
    tcase_add_test(tc, apps_whose_normalized_server_names_are_equal_collide);
    tcase_add_test(tc, an_id_that_is_a_path_or_has_control_characters_is_refused);
    tcase_add_test(tc, a_plugin_with_over_1_mib_of_files_does_not_affect_the_others);
    tcase_add_test(tc, a_plugin_that_became_a_link_is_not_read);
    tcase_add_test(tc, symbolic_links_are_not_followed_below_a_folder);
    tcase_add_test(tc, a_plugin_that_vanishes_during_the_scan_gives_no_flaw);
    tcase_add_test(tc, beyond_the_limit_flaws_are_only_counted);

    tc = test_case(suite, "an app's own server");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_missing_entry_is_reported_but_the_server_has_a_url);
    tcase_add_test(tc, an_entry_that_cannot_be_opened_is_not_said_to_be_missing);
    tcase_add_test(tc, an_entry_that_leads_out_by_a_link_is_refused);

    tc = test_case(suite, "files of an app");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_config_file_decides_what_an_app_exposes);
    tcase_add_test(tc, a_config_file_outside_of_the_plugin_is_not_read);
    tcase_add_test(tc, default_lists_are_used_where_the_manifest_says_true);
    tcase_add_test(tc, default_lists_that_cannot_be_read_now_are_not_missing);
    tcase_add_test(tc, a_broken_default_list_is_reported_and_the_next_is_tried);

    tc = test_case(suite, "what an app contributes");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_contribution_has_the_url_and_the_texts);
    tcase_add_test(tc, a_folder_is_not_opened_as_a_standard_descriptor);
    tcase_add_test(tc, a_contribution_has_the_errors_of_its_app_in_the_manifest);
    tcase_add_test(tc, a_prompt_outside_of_the_plugin_is_not_read);
    tcase_add_test(tc, a_prompt_that_is_too_large_is_not_read);
    tcase_add_test(tc, secrets_of_a_url_are_hidden_in_rows_only);

    tc = test_case(suite, "many");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_thousand_plugins_are_scanned_in_at_least_2000_steps);
}

int
main(void)
{
    return test_main("chatos-scan", add);
}
