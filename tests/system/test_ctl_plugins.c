/* SPDX-License-Identifier: MIT
 *
 * test_ctl_plugins.c - mcphostctl with plugins: the list of plugins, calls of their
 * tools, and probes in processes of their own (R163, R168, R171, R176, R177).
 */
#include <signal.h>
#include <sys/wait.h>

#include "support/ctlrun.h"
#include "support/plugrig.h"

static struct ctl_place place;
static char dir[128];

static void
up(void)
{
    ctl_place_up(&place);
    snprintf(dir, sizeof(dir), "%s/plugins", place.ws.dir);
    ck_assert_int_eq(mkdir(dir, 0755), 0);
}

static void
down(void)
{
    ctl_place_down(&place);
}

/* Copies a plugin of examples/plugins into the plugin directory `dir`. */
static void
put_example(const char *name)
{
    char path[512], file[64];
    size_t len;
    char *data;

    snprintf(path, sizeof(path), "%s/../examples/plugins/%s.so", test_bindir(), name);
    snprintf(file, sizeof(file), "%s.so", name);
    data = plug_read(path, &len);
    plug_put(dir, file, data, len);
    free(data);
}

/* Runs `plugins`, with the argument `more` unless `more` is NULL.  Returns the rows of
 * the output.  The caller releases the rows. */
static json_t *
rows(int status, const char *more)
{
    struct ctl_run run;
    json_t *root, *found;

    ctl_run(&run, &place, "--json", "--plugins", dir, "plugins", more, NULL);
    ctl_status_is(&run, status);
    root = ctl_run_json(&run);
    found = json_incref(json_object_get(root, "plugins"));
    ck_assert(json_is_array(found));
    json_decref(root);
    ctl_run_free(&run);
    return found;
}

static const char *
cell(const json_t *all, size_t row, const char *key)
{
    const char *s = json_string_value(json_object_get(json_array_get(all, row), key));

    return s ? s : "";
}

static const char *
why(const json_t *all, size_t row)
{
    const char *s = json_string_value(
        json_object_get(json_object_get(json_array_get(all, row), "error"), "message"));

    return s ? s : "";
}

/* R168 */
START_TEST(plugins_are_listed_with_their_state_and_error)
{
    struct ctl_run run;
    json_t *all;

    plug_make(dir, "bad.so", "refuse", "x");
    plug_make(dir, "good.so", "tool", "x");
    all = rows(4, NULL);
    ck_assert_uint_eq(json_array_size(all), 2);
    ck_assert_str_eq(cell(all, 0, "state"), "failed");
    test_has(why(all, 0), "no luck");
    ck_assert_str_eq(cell(all, 1, "id"), "good");
    ck_assert_str_eq(cell(all, 1, "kind"), "tool");
    ck_assert_str_eq(cell(all, 1, "state"), "loaded");
    json_decref(all);
    all = rows(0, "good");
    ck_assert_uint_eq(json_array_size(all), 1);
    json_decref(all);
    ctl_run(&run, &place, "--plugins", dir, "plugins", NULL);
    ctl_status_is(&run, 4);
    test_has(run.out, "PLUGIN");
    test_has(run.out, "no luck");
    ctl_run_free(&run);
}
END_TEST

/* R171 */
START_TEST(a_plugin_that_crashes_in_the_probe_is_listed_as_failed)
{
    json_t *all;

    plug_make(dir, "a.so", "crash", "x");
    plug_make(dir, "b.so", "crash-load", "x");
    plug_make(dir, "c.so", "tool", "x");
    plug_make(dir, "d.so", "abi", "x");
    all = rows(4, "--probe");
    ck_assert_uint_eq(json_array_size(all), 4);
    ck_assert_str_eq(cell(all, 0, "state"), "failed");
    test_has(why(all, 0), "with signal 6");
    test_has(why(all, 1), "with signal 6");
    ck_assert_str_eq(cell(all, 2, "state"), "loaded");
    test_has(why(all, 3), "plugin interface 2");
    json_decref(all);
}
END_TEST

/* R176 */
START_TEST(a_plugin_directory_that_others_can_write_gives_status_4)
{
    struct ctl_run run;

    plug_make(dir, "a.so", "tool", "x");
    ck_assert_int_eq(chmod(dir, 0777), 0);
    ctl_run(&run, &place, "--plugins", dir, "plugins", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "can be written by others");
    ctl_run_free(&run);
    ck_assert_int_eq(chmod(dir, 0755), 0);
}
END_TEST

START_TEST(wrong_options_of_plugins_are_refused)
{
    struct ctl_run run;

    ctl_run(&run, &place, "plugins", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--plugins DIR");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--plugins-config", "x", "servers", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--plugins", dir, "--probe", "servers", NULL);
    ctl_status_is(&run, 2);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--plugins", dir, "--plugins-config", "/nonexistent", "servers",
            NULL);
    ck_assert_int_ne(run.status, 0);
    test_has(run.err, "/nonexistent");
    ctl_run_free(&run);
}
END_TEST

/* Runs `tools` with the plugins.  SIGTERM is pending from the start, so that the first
 * wait of the command, the wait for the plugins, receives it.  Returns the exit
 * status. */
static int
tools_with_pending_signal(void)
{
    char program[512];
    sigset_t set;
    int status;
    pid_t child;

    snprintf(program, sizeof(program), "%s/mcphostctl", test_bindir());
    child = fork();
    if (child == 0) {
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        if (sigprocmask(SIG_BLOCK, &set, NULL) == 0 && raise(SIGTERM) == 0 &&
            chdir(place.ws.dir) == 0)
            execl(program, program, "--plugins", dir, "tools", (char *)NULL);
        _exit(77);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Without a plugin, the wait ends in the turn that reads the signal. */
START_TEST(a_signal_during_the_wait_for_plugins_is_in_the_status)
{
    if (_i)
        put_example("notes");
    ck_assert_int_eq(tools_with_pending_signal(), 128 + SIGTERM);
}
END_TEST

/* R163, R177: the example plugins work together. */
START_TEST(a_tool_generates_content_with_a_sampling_plugin)
{
    static const char settings[] = "{\"tool_configs\":{\"parrot\":{\"answer\":\"hear, "
                                   "hear\"},\"notes\":{\"directory\":\"%s\"}}}";
    struct ctl_run run;

    put_example("generate");
    put_example("parrot");
    put_example("notes");
    put_example("review");
    rig_workspace_write(&place.ws, "note", "remember");
    rig_workspace_write(&place.ws, "settings.json", settings, place.ws.dir);
    ctl_run(&run, &place, "-v", "--plugins", dir, "--plugins-config",
            rig_workspace_path(&place.ws, "settings.json"), "call", "generate_content",
            "prompt=a \"word\"", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "hear, hear");
    test_has(run.err, "unusual");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--plugins", dir, "--plugins-config",
            rig_workspace_path(&place.ws, "settings.json"), "read", "notes://note", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "remember");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--plugins", dir, "--plugins-config",
            rig_workspace_path(&place.ws, "settings.json"), "read",
            "notes://..%2f..%2fetc%2fpasswd", NULL);
    ck_assert_int_ne(run.status, 0);
    test_has(run.err, "no such note");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--plugins", dir, "prompt", "review", "code=x", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "Review what follows");
    ctl_run_free(&run);
}
END_TEST

/* The command waits for the servers of the file, although the plugins are ready long
 * before the servers. */
START_TEST(servers_and_plugins_are_listed_together)
{
    struct ctl_run run;

    plug_make(dir, "good.so", "tool", "x");
    ctl_run(&run, &place, "--plugins", dir, "servers", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "good");
    test_has_not(run.out, "starting");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--plugins", dir, "tools", NULL);
    ctl_status_is(&run, 0);
    test_has_all(run.out, "good_say|desk_echo|echo_board");
    ctl_run_free(&run);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "plugins");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, plugins_are_listed_with_their_state_and_error);
    tcase_add_test(tc, a_plugin_that_crashes_in_the_probe_is_listed_as_failed);
    tcase_add_test(tc, a_plugin_directory_that_others_can_write_gives_status_4);
    tcase_add_test(tc, wrong_options_of_plugins_are_refused);
    tcase_add_loop_test(tc, a_signal_during_the_wait_for_plugins_is_in_the_status, 0, 2);
    tcase_add_test(tc, a_tool_generates_content_with_a_sampling_plugin);
    tcase_add_test(tc, servers_and_plugins_are_listed_together);
}

int
main(void)
{
    return test_main("ctl-plugins", add);
}
