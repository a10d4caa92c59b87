/* SPDX-License-Identifier: MIT
 *
 * test_live_dir.c - a host that follows several files or the files of a directory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/hostrig.h"

#define SHARED "truely-stateless: true"
#define FEW    "no-tools\ntool echo\ntool pid"

static struct hostrig hr;
static mcphost_dialog *d;

static void
up(int mode)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, mode);
    hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
    hr_option(&hr, MCPHOST_OPT_RELOAD_POLL, mode == MCPHOST_RELOAD_POLL ? 30 : 60000);
    ck_assert_int_eq(mkdir(rig_workspace_path(&hr.ws, "plugins"), 0700), 0);
    hr_edit(&hr);
}

static const char *
path(const char *name)
{
    static char paths[4][128];
    static unsigned at;
    char *p = paths[at++ % 4];

    snprintf(p, sizeof(paths[0]), "%s/plugins/%s", hr.ws.dir, name);
    return p;
}

/* Writes the entries of hr_server() and hr_entry() to the file `name` by a rename. */
static void
save(const char *name)
{
    hr_save(&hr);
    ck_assert_int_eq(rename(rig_workspace_path(&hr.ws, ".minds/mcp.yaml"), path(name)),
                     0);
    hr_edit(&hr);
}

static void
save_server(const char *name, const char *id)
{
    hr_server(&hr, id, SHARED, FEW);
    save(name);
}

static void
spoil(const char *name)
{
    char file[64];

    snprintf(file, sizeof(file), "plugins/%s", name);
    rig_workspace_write(&hr.ws, file, "version: [\n");
}

static void
remove_file(const char *name)
{
    ck_assert_int_eq(unlink(path(name)), 0);
}

static void
follow_dir(void)
{
    ck_assert_int_eq(mcphost_source_follow_dir(mcphost_default_source(hr.host), hr.ws.dir,
                                               path(""), NULL),
                     0);
    hr_ready(&hr);
    d = hr_dialog(&hr, "d");
}

static void
follow_files(const char *const *files, size_t n)
{
    ck_assert_int_eq(mcphost_source_follow_files(mcphost_default_source(hr.host),
                                                 hr.ws.dir, files, n, NULL),
                     0);
    hr_ready(&hr);
    d = hr_dialog(&hr, "d");
}

static bool
offers(const char *tools)
{
    return strcmp(hr_tools(&hr, NULL), tools) == 0;
}

static void
reload(void)
{
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_turn(&hr, 1);
}

/* Returns how often the host has read the configuration. */
static int
readings(void)
{
    return hr_count(&hr, MCPHOST_EVENT_CONFIG, NULL, NULL, -1);
}

/* Returns the message of the problem `id` of the file `name`, or NULL if the problem is
 * not active. */
static const char *
problem(const char *id, const char *name)
{
    char text[256];

    snprintf(text, sizeof(text), "mcp/%s/%s", id, path(name));
    return hr_problem(&hr, text);
}

/* ---- added and removed files ------------------------------------------------------- */

/* R88 R89 R90 */
START_TEST(a_file_that_is_added_to_a_directory_starts_its_server)
{
    int pid;

    up(MCPHOST_RELOAD_WATCH + _i);
    save_server("a.yaml", "a");
    follow_dir();
    pid = hr_pid(&hr, d, "a_pid");
    save_server("b.yml", "b");
    hr_until(&hr, offers("a_echo a_pid b_echo b_pid"));
    save_server("0.yaml", "first");
    hr_until(&hr, hr_has(&hr, "first_echo"));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    /* The host also follows a file that appears after the start. */
    hr_server(&hr, "b", SHARED "\ntools: {blacklist: [echo]}", FEW);
    save("b.yml");
    hr_until(&hr, !hr_has(&hr, "b_echo"));
    ck_assert(hr_has(&hr, "b_pid"));
    hr_down(&hr);
}
END_TEST

/* R93 R94 */
START_TEST(a_file_that_is_removed_from_a_directory_stops_its_server)
{
    int a, b;

    up(MCPHOST_RELOAD_WATCH + _i);
    save_server("a.yaml", "a");
    save_server("b.yaml", "b");
    follow_dir();
    a = hr_pid(&hr, d, "a_pid");
    b = hr_pid(&hr, d, "b_pid");
    remove_file("a.yaml");
    hr_until(&hr, offers("b_echo b_pid"));
    hr_until(&hr, rig_is_dead(a));
    ck_assert_int_eq(hr_pid(&hr, d, "b_pid"), b);
    /* A rename of b.yaml to another extension also stops its server. */
    ck_assert_int_eq(rename(path("b.yaml"), path("b.off")), 0);
    hr_until(&hr, offers(""));
    hr_until(&hr, rig_is_dead(b));
    ck_assert_ptr_null(problem("workspace_config_error", "b.yaml"));
    hr_down(&hr);
}
END_TEST

/* R88 R93 */
START_TEST(a_directory_that_appears_later_is_read_and_its_loss_ends_no_server)
{
    up(MCPHOST_RELOAD_WATCH + _i);
    ck_assert_int_eq(rmdir(path("")), 0);
    follow_dir();
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/workspace_config_error"));
    ck_assert_int_eq(mkdir(path(""), 0700), 0);
    save_server("a.yaml", "a");
    hr_until(&hr, hr_has(&hr, "a_echo"));
    ck_assert_ptr_null(hr_problem(&hr, "mcp/workspace_config_error"));
    /* If the directory disappears, the running servers stay. */
    ck_assert_int_eq(rename(path(""), rig_workspace_path(&hr.ws, "away")), 0);
    hr_until(&hr, hr_problem(&hr, "mcp/workspace_config_error") != NULL);
    ck_assert(hr_has(&hr, "a_echo"));
    ck_assert_int_eq(rename(rig_workspace_path(&hr.ws, "away"), path("")), 0);
    hr_until(&hr, !hr_problem(&hr, "mcp/workspace_config_error"));
    save_server("b.yaml", "b");
    hr_until(&hr, hr_has(&hr, "b_echo"));
    hr_down(&hr);
}
END_TEST

START_TEST(an_empty_directory_declares_no_servers) /* R93 */
{
    up(MCPHOST_RELOAD_EXPLICIT);
    follow_dir();
    ck_assert(offers(""));
    ck_assert_int_eq(hr_last(&hr, MCPHOST_EVENT_CONFIG, NULL)->state, 0);
    hr_down(&hr);
}
END_TEST

START_TEST(changes_of_several_files_at_once_are_read_once) /* R92 */
{
    up(MCPHOST_RELOAD_WATCH);
    for (int i = 0; i < 4; i++) {
        char name[16], id[16];

        snprintf(name, sizeof(name), "%d.yaml", i);
        snprintf(id, sizeof(id), "s%d", i);
        save_server(name, id);
    }
    follow_dir();
    ck_assert_int_eq(readings(), 1);
    remove_file("0.yaml");
    save_server("1.yaml", "one");
    save_server("2.yaml", "two");
    save_server("4.yaml", "four");
    hr_until(&hr, offers("one_echo one_pid two_echo two_pid s3_echo s3_pid "
                         "four_echo four_pid"));
    hr_turn(&hr, 50);
    ck_assert_int_eq(readings(), 2);
    hr_down(&hr);
}
END_TEST

/* R30 R94 */
START_TEST(the_start_of_a_turn_reads_all_changed_files)
{
    up(MCPHOST_RELOAD_TURN);
    save_server("a.yaml", "a");
    save_server("b.yaml", "b");
    follow_dir();
    save_server("b.yaml", "c");
    save_server("d.yaml", "d");
    ck_assert_int_eq(readings(), 1);
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    hr_until(&hr, readings() == 2);
    mcphost_dialog_end_turn(d);
    hr_until(&hr, offers("a_echo a_pid c_echo c_pid d_echo d_pid"));
    hr_down(&hr);
}
END_TEST

/* ---- files with errors ------------------------------------------------------------- */

/* R3 R30 R114 */
START_TEST(a_bad_edit_of_one_file_keeps_its_servers_and_other_edits_apply)
{
    int a, b;

    up(MCPHOST_RELOAD_EXPLICIT);
    save_server("a.yaml", "a");
    save_server("b.yaml", "b");
    follow_dir();
    a = hr_pid(&hr, d, "a_pid");
    b = hr_pid(&hr, d, "b_pid");
    spoil("a.yaml");
    save_server("c.yaml", "c");
    reload();
    hr_until(&hr, offers("a_echo a_pid b_echo b_pid c_echo c_pid"));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), a);
    ck_assert_ptr_nonnull(strstr(problem("workspace_config_error", "a.yaml"), "a.yaml:"));
    /* Each file with errors raises a problem.  The host applies edits of the other
     * files. */
    spoil("c.yaml");
    save_server("b.yaml", "n");
    reload();
    hr_until(&hr, offers("a_echo a_pid n_echo n_pid c_echo c_pid"));
    ck_assert_ptr_nonnull(problem("workspace_config_error", "a.yaml"));
    ck_assert_ptr_nonnull(problem("workspace_config_error", "c.yaml"));
    hr_until(&hr, rig_is_dead(b));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), a);
    save_server("a.yaml", "a");
    reload();
    ck_assert_ptr_null(problem("workspace_config_error", "a.yaml"));
    ck_assert_ptr_nonnull(problem("workspace_config_error", "c.yaml"));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), a);
    hr_down(&hr);
}
END_TEST

/* R3 R114 */
START_TEST(last_good_none_a_bad_edit_of_one_file_ends_only_its_servers)
{
    int a, b;

    up(MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_LAST_GOOD, MCPHOST_LAST_GOOD_NONE);
    save_server("a.yaml", "a");
    save_server("b.yaml", "b");
    follow_dir();
    a = hr_pid(&hr, d, "a_pid");
    b = hr_pid(&hr, d, "b_pid");
    spoil("a.yaml");
    reload();
    hr_until(&hr, offers("b_echo b_pid"));
    hr_until(&hr, rig_is_dead(a));
    ck_assert_int_eq(hr_pid(&hr, d, "b_pid"), b);
    hr_down(&hr);
}
END_TEST

/* R94 R95 */
START_TEST(a_server_that_moves_to_another_file_keeps_its_process)
{
    int pid;

    up(MCPHOST_RELOAD_EXPLICIT);
    save_server("a.yaml", "x");
    follow_dir();
    pid = hr_pid(&hr, d, "x_pid");
    save_server("b.yaml", "x");
    reload();
    ck_assert_ptr_nonnull(
        strstr(problem("config_error/servers.x", "b.yaml"), path("a.yaml")));
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/x/server_error"), 0);
    ck_assert_int_eq(hr_pid(&hr, d, "x_pid"), pid);
    remove_file("a.yaml");
    reload();
    ck_assert_ptr_null(problem("config_error/servers.x", "b.yaml"));
    ck_assert(offers("x_echo x_pid"));
    ck_assert_int_eq(hr_pid(&hr, d, "x_pid"), pid);
    hr_down(&hr);
}
END_TEST

START_TEST(the_same_warning_in_two_files_raises_two_problems) /* R117 */
{
    up(MCPHOST_RELOAD_EXPLICIT);
    for (int i = 0; i < 2; i++)
        rig_workspace_write(&hr.ws, i ? "plugins/b.yaml" : "plugins/a.yaml",
                            "version: 1\nserver: {}\n");
    follow_dir();
    ck_assert_ptr_nonnull(problem("config_warning/server", "a.yaml"));
    ck_assert_ptr_nonnull(problem("config_warning/server", "b.yaml"));
    hr_down(&hr);
}
END_TEST

/* ---- a set of files ---------------------------------------------------------------- */

START_TEST(each_file_of_a_set_is_followed) /* R3 R88 R89 R90 */
{
    static const char *const names[] = {"z.yaml", "a.conf", "none.yaml"};
    char paths[3][128];
    const char *files[3];

    up(MCPHOST_RELOAD_WATCH + _i);
    for (int i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s", path(names[i]));
        files[i] = paths[i];
    }
    save_server("z.yaml", "z");
    save_server("a.conf", "a");
    follow_files(files, 3);
    ck_assert(offers("z_echo z_pid a_echo a_pid"));
    ck_assert_ptr_nonnull(problem("workspace_config_error", "none.yaml"));
    save_server("a.conf", "b");
    hr_until(&hr, offers("z_echo z_pid b_echo b_pid"));
    save_server("z.yaml", "y");
    hr_until(&hr, offers("y_echo y_pid b_echo b_pid"));
    save_server("none.yaml", "n");
    hr_until(&hr, offers("y_echo y_pid b_echo b_pid n_echo n_pid"));
    ck_assert_ptr_null(problem("workspace_config_error", "none.yaml"));
    /* A file that disappears is an error.  The servers of the file stay. */
    remove_file("a.conf");
    hr_until(&hr, problem("workspace_config_error", "a.conf") != NULL);
    ck_assert(offers("y_echo y_pid b_echo b_pid n_echo n_pid"));
    hr_down(&hr);
}
END_TEST

START_TEST(relative_paths_start_at_the_current_directory)
{
    const char *const files[] = {"plugins/a.yaml"};
    mcphost_source *more;
    char cwd[256];

    up(MCPHOST_RELOAD_EXPLICIT);
    save_server("a.yaml", "a");
    ck_assert_ptr_nonnull(getcwd(cwd, sizeof(cwd)));
    ck_assert_int_eq(chdir(hr.ws.dir), 0);
    ck_assert_int_eq(mcphost_source_new(hr.host, "more", &more, NULL), 0);
    ck_assert_int_eq(mcphost_source_follow_dir(more, hr.ws.dir, "plugins", NULL), 0);
    follow_files(files, 1);
    ck_assert_int_eq(chdir(cwd), 0);
    remove_file("a.yaml");
    save_server("a.yaml", "b");
    reload();
    hr_until(&hr, offers("b_echo b_pid"));
    ck_assert_int_eq(mcphost_source_reload(more), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_CONFIG, NULL, NULL, 0) == 4);
    mcphost_source_unref(more);
    hr_down(&hr);
}
END_TEST

/* ---- edits by the library ---------------------------------------------------------- */

/* B.14 R3 */
START_TEST(enabling_a_server_writes_only_its_own_file)
{
    char *a, *c, *now;

    up(MCPHOST_RELOAD_WATCH + _i);
    save_server("a.yaml", "a");
    save_server("b.yaml", "b");
    save_server("c.yaml", "c");
    follow_dir();
    a = rig_workspace_read(&hr.ws, "plugins/a.yaml");
    c = rig_workspace_read(&hr.ws, "plugins/c.yaml");
    hr_turn(&hr, 30);
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "b", 0), 0);
    hr_until(&hr, offers("a_echo a_pid c_echo c_pid"));
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "plugins/b.yaml", "enabled: false"), 1);
    now = rig_workspace_read(&hr.ws, "plugins/a.yaml");
    ck_assert_str_eq(now, a);
    free(now);
    now = rig_workspace_read(&hr.ws, "plugins/c.yaml");
    ck_assert_str_eq(now, c);
    free(now);
    /* The host applies its own edit at once.  Neither the watch nor the poll reads the
     * file again. */
    for (int i = 0; i < 10; i++)
        hr_turn(&hr, 30);
    ck_assert_int_eq(readings(), 2);
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "b", 1), 0);
    hr_until(&hr, offers("a_echo a_pid b_echo b_pid c_echo c_pid"));
    free(a);
    free(c);
    hr_down(&hr);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    mcphost_source *source;
    const char *const file[] = {"/x.yaml"}, *const null[] = {NULL};
    mcphost_error *err = NULL;

    up(MCPHOST_RELOAD_EXPLICIT);
    source = mcphost_default_source(hr.host);
    ck_assert_int_eq(mcphost_source_follow_dir(NULL, "/", "/", NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_source_follow_dir(source, NULL, "/", NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_source_follow_dir(source, "/", "", NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_source_follow_files(NULL, "/", file, 1, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_source_follow_files(source, "/", NULL, 1, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_source_follow_files(source, "/", file, 0, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_source_follow_files(source, "/", file, 1001, &err),
                     MCPHOST_E_LIMIT);
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_source_follow_files(source, "/", null, 1, NULL),
                     MCPHOST_E_INVALID);
    follow_dir();
    ck_assert_int_eq(mcphost_source_follow_dir(source, "/", "/", NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_source_follow_files(source, "/", file, 1, NULL),
                     MCPHOST_E_STATE);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "names");

    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, a_file_that_is_added_to_a_directory_starts_its_server, 0, 2);
    tcase_add_loop_test(tc, a_file_that_is_removed_from_a_directory_stops_its_server, 0,
                        2);
    tcase_add_loop_test(
        tc, a_directory_that_appears_later_is_read_and_its_loss_ends_no_server, 0, 2);
    tcase_add_test(tc, an_empty_directory_declares_no_servers);
    tcase_add_test(tc, changes_of_several_files_at_once_are_read_once);
    tcase_add_test(tc, the_start_of_a_turn_reads_all_changed_files);

    tc = test_case(suite, "bad");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, a_bad_edit_of_one_file_keeps_its_servers_and_other_edits_apply);
    tcase_add_test(tc, last_good_none_a_bad_edit_of_one_file_ends_only_its_servers);
    tcase_add_test(tc, a_server_that_moves_to_another_file_keeps_its_process);
    tcase_add_test(tc, the_same_warning_in_two_files_raises_two_problems);

    tc = test_case(suite, "sets");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, each_file_of_a_set_is_followed, 0, 2);
    tcase_add_test(tc, relative_paths_start_at_the_current_directory);

    tc = test_case(suite, "edits");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, enabling_a_server_writes_only_its_own_file, 0, 2);
    tcase_add_test(tc, bad_arguments_are_refused);
}

int
main(void)
{
    return test_main("live-dir", add);
}
