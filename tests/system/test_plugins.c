/* SPDX-License-Identifier: MIT
 *
 * test_plugins.c - a directory of plugins: which files are loaded, in which order, and
 * which are refused (R167, R168, R169, R171, R176, B.30).
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <mcphost/goclaw.h>

#include "support/plugrig.h"
#include "support/texts.h"

static struct hostrig hr;
static mcphost_plugins *plugins;
static mcphost_dialog *dialog;
static char dir[128], trace[160];
static char text[8192]; /* the error of the last row(), or the text of traced() */

static void
up(void)
{
    hr_up(&hr);
    snprintf(dir, sizeof(dir), "%s/plugins", hr.ws.dir);
    snprintf(trace, sizeof(trace), "%s/trace", hr.ws.dir);
    ck_assert_int_eq(mkdir(dir, 0755), 0);
    ck_assert_int_eq(setenv("PLUGIN_TRACE", trace, 1), 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
    hr_option(&hr, MCPHOST_OPT_RELOAD_POLL, 500);
    ck_assert_int_eq(
        mcphost_plugins_new(mcphost_default_source(hr.host), dir, &plugins, NULL), 0);
    dialog = hr_dialog(&hr, "d");
}

static void
down(void)
{
    plugins = mcphost_plugins_unref(plugins);
    hr_down(&hr);
}

static void
scan(void)
{
    ck_assert_int_eq(mcphost_plugins_scan(plugins), 0);
    ck_assert_int_eq(mcphost_plugins_wait(plugins, 10000), 1);
    if (mcphost_wait_ready(hr.host, 0) != MCPHOST_E_STATE)
        hr_turn(&hr, 20);
}

/* ---- rows and traces --------------------------------------------------------------- */

/* Returns the row of an id as "kind state", or "" if there is no row.  Stores the
 * error's message in `text`, or "" if there is no error. */
static const char *
row(const char *id)
{
    static char line[64];
    mcphost_plugin_rows *rows;

    ck_assert_int_eq(mcphost_plugins_get_rows(plugins, &rows), 0);
    *line = *text = '\0';
    for (size_t i = 0; i < mcphost_plugin_rows_count(rows); i++) {
        int kind = mcphost_plugin_rows_get_kind(rows, i);
        mcphost_error *err = mcphost_plugin_rows_get_error(rows, i);

        if (strcmp(mcphost_plugin_rows_get_id(rows, i), id) != 0)
            continue;
        snprintf(line, sizeof(line), "%s %s",
                 kind ? mcphost_enum_get_name(MCPHOST_ENUM_PLUGIN_KIND, kind) : "-",
                 mcphost_enum_get_name(MCPHOST_ENUM_PLUGIN_STATE,
                                       mcphost_plugin_rows_get_state(rows, i)));
        ck_assert_int_eq(strncmp(mcphost_plugin_rows_get_file(rows, i), dir, strlen(dir)),
                         0);
        if (err)
            snprintf(text, sizeof(text), "%s", mcphost_error_get_message(err));
    }
    mcphost_plugin_rows_unref(rows);
    return line;
}

static const char *
traced(void)
{
    char *found = rig_workspace_read(&hr.ws, "trace");

    snprintf(text, sizeof(text), "%s", found);
    free(found);
    return text;
}

static int
n_traced(const char *line)
{
    return rig_workspace_count(&hr.ws, "trace", line);
}

/* Checks that the plugin is refused, and that its problem says why. */
static void
check_refused(const char *id, const char *why)
{
    char problem[160];

    test_has(row(id), " failed");
    test_has(text, why);
    snprintf(problem, sizeof(problem), "plugins/plugin/%s", id);
    ck_assert_ptr_nonnull(hr_problem(&hr, problem));
    test_has(hr_problem(&hr, problem), why);
    ck_assert_int_eq(hr_severity(&hr, problem), MCPHOST_SEVERITY_ERROR);
}

/* ---- plugins that are loaded ------------------------------------------------------- */

/* R167 R168 */
START_TEST(a_plugin_becomes_a_server_with_its_id)
{
    plug_make(dir, "alpha.so", "tool", "hi");
    scan();
    ck_assert_str_eq(row("alpha"), "tool loaded");
    ck_assert_str_eq(text, "");
    ck_assert_str_eq(hr_say(&hr, dialog, "alpha_say", "{}"), "hi");
    ck_assert_int_eq(hr_server_state(&hr, "alpha"), MCPHOST_SERVER_LOADED);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PLUGINS, NULL, NULL, -1), 1);
    hr_close(&hr);
    /* The host calls the plugin's entry, setup and teardown in this order.  The host
     * then frees the plugin's four features and unloads the plugin. */
    test_has(traced(), "entry hi\nsetup alpha\nteardown alpha\nfree ");
    ck_assert_int_eq(n_traced("free "), 4);
    test_has(traced(), "unload hi\n");
    plugins = mcphost_plugins_unref(plugins);
    hr_clear(&hr);
}
END_TEST

/* R168, B.30: the host first sets up plugins of the kind resource, and then plugins of
 * the kinds prompt, tool and sampling, in this order. */
START_TEST(plugins_are_set_up_in_the_order_of_their_kinds)
{
    plug_make(dir, "a.so", "sampling", "s");
    plug_make(dir, "c.so", "tool", "t2");
    plug_make(dir, "b.so", "tool", "t1");
    plug_make(dir, "d.so", "prompt", "p");
    plug_make(dir, "e.so", "resource", "r");
    scan();
    traced();
    test_has(text, "setup e\nsetup d\nsetup b\nsetup c\nsetup a\n");
    ck_assert_str_eq(row("a"), "sampling loaded");
    ck_assert_str_eq(row("d"), "prompt loaded");
    ck_assert_str_eq(row("e"), "resource loaded");
}
END_TEST

/* B.30 */
START_TEST(files_without_the_name_of_a_plugin_are_skipped)
{
    plug_make(dir, "__x.so", "tool", "x");
    plug_make(dir, ".hidden.so", "tool", "x");
    plug_make(dir, "readme.txt", "tool", "x");
    plug_make(dir, ".so", "tool", "x");
    plug_make(dir, "ok.so", "tool", "x");
    scan();
    ck_assert_int_eq(n_traced("entry"), 1);
    ck_assert_str_eq(row("__x"), "");
    ck_assert_str_eq(row(".hidden"), "");
    ck_assert_str_eq(row("ok"), "tool loaded");
}
END_TEST

/* R186, R202, C1: the library loads no plugins from a workspace.  The application must
 * name the directory. */
START_TEST(code_is_loaded_only_from_the_directory_that_the_host_names)
{
    static const char *const places[] = {".goclaw", ".goclaw/plugins", "skills"};
    mcphost_source *source;

    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        const char *place = rig_workspace_path(&hr.ws, places[i]);

        ck_assert_int_eq(mkdir(place, 0755), 0);
        plug_make(place, "x.so", "tool", "x");
    }
    rig_workspace_write(&hr.ws, ".goclaw/mcp.json", "{\"version\":1,\"servers\":{}}");
    plug_make(dir, "y.so", "tool", "y");
    ck_assert_int_eq(mcphost_source_new(hr.host, "goclaw", &source, NULL), 0);
    ck_assert_int_eq(mcphost_goclaw_follow(source, hr.ws.dir, NULL, 0, NULL), 0);
    ck_assert_int_eq(mcphost_source_reload(source), 0);
    hr_ready(&hr);
    hr_turn(&hr, 50);
    mcphost_source_unref(source);
    ck_assert_str_eq(row("x"), "");
    scan();
    ck_assert_str_eq(row("x"), "");
    ck_assert_str_eq(row("y"), "tool loaded");
    ck_assert_int_eq(n_traced("entry"), 1);
}
END_TEST

/* B.30 K9 */
START_TEST(a_disabled_plugin_has_a_row_and_is_not_opened)
{
    static const char config[] = "{\"plugins\":{\"disabled\":[\"off\",\"other\"]}}";

    plug_make(dir, "off.so", "tool", "x");
    plug_make(dir, "on.so", "tool", "x");
    ck_assert_int_eq(mcphost_plugins_set_config(plugins, config, strlen(config), NULL),
                     0);
    scan();
    ck_assert_str_eq(row("off"), "- disabled");
    ck_assert_str_eq(row("on"), "tool loaded");
    ck_assert_int_eq(n_traced("entry"), 1);
    ck_assert_ptr_null(hr_problem(&hr, "plugins/plugin/off"));
}
END_TEST

START_TEST(with_set_only_a_single_plugin_is_loaded)
{
    plug_make(dir, "a.so", "tool", "x");
    plug_make(dir, "ab.so", "tool", "x");
    ck_assert_int_eq(mcphost_plugins_set_only(plugins, "a"), 0);
    scan();
    ck_assert_str_eq(row("a"), "tool loaded");
    ck_assert_str_eq(row("ab"), "");
    ck_assert_int_eq(mcphost_plugins_set_only(plugins, NULL), MCPHOST_E_STATE);
}
END_TEST

/* R171 */
START_TEST(one_plugin_that_fails_stops_no_other_plugin)
{
    plug_make(dir, "a.so", "refuse", "x");
    plug_make(dir, "b.so", "tool", "works");
    plug_copy(dir, "c.so", "noentry");
    scan();
    check_refused("a", "'a.so' failed to start: no luck");
    ck_assert_int_eq(n_traced("teardown a"), 0);
    ck_assert_str_eq(hr_say(&hr, dialog, "b_say", "{}"), "works");
    check_refused("c", "'c.so' is not a plugin: it has no 'mcphost_plugin_entry'");
    /* A refused plugin does not become a server.  Each of the two refused plugins has
     * one problem. */
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_SERVER, "a", NULL, -1), 0);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, NULL, NULL, 1), 2);
}
END_TEST

START_TEST(a_missing_directory_is_a_warning_until_it_appears)
{
    char problem[200];

    ck_assert_int_eq(rmdir(dir), 0);
    scan();
    snprintf(problem, sizeof(problem), "plugins/directory%s", dir);
    ck_assert_int_eq(hr_severity(&hr, problem), MCPHOST_SEVERITY_WARNING);
    ck_assert_int_eq(mkdir(dir, 0755), 0);
    plug_make(dir, "a.so", "tool", "came");
    hr_until(&hr, hr_has(&hr, "a_say"));
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "came");
    ck_assert_ptr_null(hr_problem(&hr, problem));
}
END_TEST

/* ---- plugins that are refused ------------------------------------------------------ */

static const struct {
    const char *mode, *why;
} wrong[] = {
    {"abi", "'x.so' was made for the plugin interface 2; this library has 1"},
    {"kind", "'x.so' is of an unknown kind, 99"},
    {"silent", "does not declare a plugin"},
    {"twice", "declares itself 2 times"},
    {"refuse", "no luck today"},
    {"mute", "its setup failed"},
    {"wrong-kind", "a plugin of the kind 'tool' cannot add a prompt"},
    {"wrong-sampler", "only a plugin of the kind 'sampling'"},
};

/* R171 */
START_TEST(an_invalid_plugin_is_refused_with_the_reason)
{
    plug_make(dir, "x.so", wrong[_i].mode, "x");
    scan();
    check_refused("x", wrong[_i].why);
    ck_assert_int_eq(n_traced("unload"), 1);
    ck_assert_int_eq(n_traced("teardown"), 0);
}
END_TEST

START_TEST(an_undefined_symbol_is_reported_in_one_line)
{
    plug_copy(dir, "x.so", "unresolved");
    scan();
    check_refused("x", "'x.so' cannot be loaded: undefined symbol: nobody_has_this");
    ck_assert_ptr_null(strstr(text, "/proc/"));
}
END_TEST

/* R176 */
START_TEST(links_special_files_and_files_without_code_are_refused)
{
    char path[200], to[200];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    plug_put(dir, "empty.so", "", 0);
    plug_put(dir, "text.so", "#!/bin/sh\necho\n", 15);
    plug_put(dir, "short.so", "\177ELF", 4);
    snprintf(path, sizeof(path), "%s/dir.so", dir);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    snprintf(path, sizeof(path), "%s/fifo.so", dir);
    ck_assert_int_eq(mkfifo(path, 0644), 0);
    plug_make(dir, "good", "tool", "x");
    snprintf(to, sizeof(to), "%s/good", dir);
    snprintf(path, sizeof(path), "%s/link.so", dir);
    ck_assert_int_eq(symlink(to, path), 0);
    ck_assert_uint_lt(strlen(dir) + 9, sizeof(address.sun_path));
    memcpy(address.sun_path, dir, strlen(dir));
    memcpy(address.sun_path + strlen(dir), "/sock.so", 9);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    scan();
    close(fd);
    check_refused("empty", "'empty.so' is not an ELF file");
    check_refused("text", "'text.so' is not an ELF file");
    check_refused("short", "'short.so' cannot be loaded");
    check_refused("dir", "'dir.so' is not a regular file");
    check_refused("fifo", "'fifo.so' is not a regular file");
    check_refused("link", "'link.so' is a symbolic link");
    check_refused("sock", "'sock.so' is not a regular file");
    ck_assert_int_eq(n_traced("entry"), 0);
}
END_TEST

/* R176 */
START_TEST(a_file_that_is_too_large_is_refused)
{
    char path[200];

    plug_make(dir, "x.so", "tool", "x");
    snprintf(path, sizeof(path), "%s/x.so", dir);
    ck_assert_int_eq(truncate(path, (64 << 20) + 1), 0);
    scan();
    check_refused("x", "'x.so' is larger than 67108864 bytes");
}
END_TEST

/* R176 */
START_TEST(a_file_that_others_can_write_is_refused)
{
    static const mode_t modes[] = {0664, 0646, 0666};
    char path[200];

    plug_make(dir, "x.so", "tool", "x");
    snprintf(path, sizeof(path), "%s/x.so", dir);
    ck_assert_int_eq(chmod(path, modes[_i]), 0);
    scan();
    check_refused("x", "'x.so' can be written by others: its mode is 06");
    ck_assert_int_eq(n_traced("entry"), 0);
    /* After the change to a good mode, the host loads the file. */
    ck_assert_int_eq(chmod(path, 0644), 0);
    hr_until(&hr, hr_has(&hr, "x_say"));
    ck_assert_ptr_null(hr_problem(&hr, "plugins/plugin/x"));
}
END_TEST

/* R176 */
START_TEST(a_directory_that_others_can_write_is_refused)
{
    char problem[200];

    plug_make(dir, "x.so", "tool", "x");
    ck_assert_int_eq(chmod(dir, _i ? 0775 : 0757), 0);
    scan();
    snprintf(problem, sizeof(problem), "plugins/directory%s", dir);
    test_has(hr_problem(&hr, problem), "can be written by others");
    ck_assert_str_eq(row("x"), "");
    ck_assert_int_eq(n_traced("entry"), 0);
    ck_assert_int_eq(chmod(dir, 0755), 0);
    hr_until(&hr, hr_has(&hr, "x_say"));
    ck_assert_ptr_null(hr_problem(&hr, problem));
}
END_TEST

START_TEST(a_directory_that_is_a_link_is_refused)
{
    char problem[200], to[200];

    plug_make(dir, "x.so", "tool", "x");
    snprintf(to, sizeof(to), "%s.real", dir);
    ck_assert_int_eq(rename(dir, to), 0);
    ck_assert_int_eq(symlink(to, dir), 0);
    scan();
    snprintf(problem, sizeof(problem), "plugins/directory%s", dir);
    test_has(hr_problem(&hr, problem), "symbolic link");
    ck_assert_int_eq(n_traced("entry"), 0);
}
END_TEST

/* R176 */
START_TEST(files_and_directories_of_another_user_are_refused)
{
    char path[200], problem[200];

    if (geteuid() != 0) /* needs root; see tests/root-only.txt */
        return;
    plug_make(dir, "x.so", "tool", "x");
    plug_make(dir, "y.so", "tool", "y");
    snprintf(path, sizeof(path), "%s/x.so", dir);
    ck_assert_int_eq(chown(path, 12345, 0), 0);
    scan();
    check_refused("x", "'x.so' belongs to the user 12345");
    ck_assert_str_eq(row("y"), "tool loaded");
    ck_assert_int_eq(chown(dir, 12345, 0), 0);
    scan();
    snprintf(problem, sizeof(problem), "plugins/directory%s", dir);
    test_has(hr_problem(&hr, problem), "belongs to the user 12345");
    /* A plugin that is already loaded stays. */
    ck_assert_str_eq(hr_say(&hr, dialog, "y_say", "{}"), "y");
    ck_assert_int_eq(chown(dir, 0, 0), 0);
}
END_TEST

static int
fail_setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    (void)provider;
    (void)arg;
    (void)reterr;
    return MCPHOST_E_IO;
}

/* mcphost_provider_new() accepts the id of a provider whose setup has failed.  A plugin
 * with this id is refused, because the source still shows the failed provider. */
START_TEST(an_id_of_a_provider_that_failed_is_refused)
{
    mcphost_provider *provider;

    ck_assert_int_eq(
        mcphost_provider_new(mcphost_default_source(hr.host), "x", &provider, NULL), 0);
    ck_assert_int_eq(mcphost_provider_set_life(provider, fail_setup, NULL, NULL, NULL),
                     0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    mcphost_provider_unref(provider);
    hr_turn(&hr, 20);
    plug_make(dir, "x.so", "tool", "x");
    scan();
    check_refused("x", "another provider has the id 'x'");
}
END_TEST

START_TEST(an_id_that_a_provider_has_is_refused)
{
    mcphost_provider *provider;

    ck_assert_int_eq(
        mcphost_provider_new(mcphost_default_source(hr.host), "x", &provider, NULL), 0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    mcphost_provider_unref(provider);
    hr_turn(&hr, 20);
    plug_make(dir, "x.so", "tool", "x");
    scan();
    check_refused("x", "another provider has the id 'x'");
    ck_assert_int_eq(n_traced("setup"), 0);
}
END_TEST

/* ---- configuration ----------------------------------------------------------------- */

/* R169 K7 */
START_TEST(settings_override_defaults_and_variables_are_replaced)
{
    static const char config[] =
        "{\"tool_configs\":{\"a\":{\"name\":\"${PLUG_NAME}\",\"deep\":{\"x\":\"${PLUG_NO}"
        "\",\"list\":[\"${PLUG_NAME}\",{\"y\":\"${PLUG_NAME}\"}],\"half\":\"a${PLUG_NAME}"
        "\"}},\"b\":{}},\"other\":1}";

    ck_assert_int_eq(setenv("PLUG_NAME", "va\"lue", 1), 0);
    plug_make(dir, "a.so", "tool", "x");
    plug_make(dir, "c.so", "tool", "x");
    ck_assert_int_eq(mcphost_plugins_set_config(plugins, config, strlen(config), NULL),
                     0);
    scan();
    ck_assert_str_eq(
        hr_say(&hr, dialog, "a_config", "{}"),
        "{\"limit\":1,\"name\":\"va\\\"lue\",\"api_key\":\"x\",\"deep\":{\"x\":\"\","
        "\"list\":[\"${PLUG_NAME}\",{\"y\":\"${PLUG_NAME}\"}],\"half\":\"a${PLUG_NAME}\"}"
        "}");
    ck_assert_str_eq(hr_say(&hr, dialog, "c_config", "{}"),
                     "{\"limit\":1,\"name\":\"none\",\"api_key\":\"x\"}");
}
END_TEST

static int
times(const char *haystack, const char *needle)
{
    int n = 0;

    for (; (haystack = strstr(haystack, needle)); haystack++)
        n++;
    return n;
}

/* R169 C1 */
START_TEST(the_configuration_is_logged_once_without_secrets)
{
    static const char config[] = "{\"tool_configs\":{\"a\":{\"name\":\"${PLUG_NAME}\","
                                 "\"api_key\":\"hush-hush\",\"limit\":7}}}";

    ck_assert_int_eq(setenv("PLUG_NAME", "from-the-env", 1), 0);
    hr_keep_log(&hr, MCPHOST_LOG_INFO);
    plug_make(dir, "a.so", "tool", "x");
    ck_assert_int_eq(mcphost_plugins_set_config(plugins, config, strlen(config), NULL),
                     0);
    scan();
    ck_assert_int_eq(times(hr.log, "its configuration:"), 1);
    test_has(hr.log,
             "its configuration: {\"limit\":7,\"name\":\"${PLUG_NAME}\",\"api_key\":\"***"
             "\"}");
    ck_assert_ptr_null(strstr(hr.log, "hush-hush"));
    ck_assert_ptr_null(strstr(hr.log, "from-the-env"));
}
END_TEST

START_TEST(a_configuration_that_is_wrong_is_refused)
{
    static const struct {
        const char *json, *why;
    } bad[] = {
        {"[]", "object"},
        {"{", "line 1"},
        {"{\"plugins\":[]}", "plugins: expected an object"},
        {"{\"plugins\":{\"disabled\":{}}}", "plugins.disabled: expected an array"},
        {"{\"plugins\":{\"disabled\":[1]}}", "plugins.disabled: an id must be a string"},
        {"{\"tool_configs\":1}", "tool_configs: expected an object"},
        {"{\"tool_configs\":{\"a\":[]}}", "tool_configs.a: expected an object"},
    };
    char *large;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        mcphost_error *err = NULL;

        ck_assert_int_eq(
            mcphost_plugins_set_config(plugins, bad[i].json, strlen(bad[i].json), &err),
            MCPHOST_E_INVALID);
        test_has(mcphost_error_get_message(err), bad[i].why);
        mcphost_error_unref(err);
    }
    large = malloc((1 << 20) + 1);
    memset(large, ' ', (1 << 20) + 1);
    ck_assert_int_eq(mcphost_plugins_set_config(plugins, large, (1 << 20) + 1, NULL),
                     MCPHOST_E_LIMIT);
    free(large);
    scan();
    ck_assert_int_eq(mcphost_plugins_set_config(plugins, "{}", 2, NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_plugins_set_reload(plugins, MCPHOST_RELOAD_POLL),
                     MCPHOST_E_STATE);
}
END_TEST

START_TEST(arguments_that_are_wrong_are_refused)
{
    mcphost_source *source = mcphost_default_source(hr.host);
    mcphost_plugins *other = NULL;
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcphost_plugins_new(source, "plugins", &other, &err),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "not an absolute path");
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_plugins_set_reload(plugins, MCPHOST_RELOAD_TURN),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_plugin_declare(NULL, MCPHOST_PLUGIN_ABI, 1, NULL, NULL),
                     MCPHOST_E_INVALID);
    err = NULL;
    ck_assert_int_eq(mcphost_error_new(1, "x", &err), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_error_new(MCPHOST_E_IO, "\xff", &err), MCPHOST_E_INVALID);
    ck_assert_ptr_null(err);
    ck_assert_int_eq(mcphost_error_new(MCPHOST_E_IO, "text", &err), MCPHOST_E_IO);
    ck_assert_str_eq(mcphost_error_get_message(err), "text");
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_IO);
    mcphost_error_unref(err);
    ck_assert_ptr_null(mcphost_plugins_ref(NULL));
    ck_assert_ptr_null(mcphost_plugin_rows_ref(NULL));
}
END_TEST

START_TEST(a_forked_child_is_refused)
{
    mcphost_plugin_rows *rows;
    int status;
    pid_t pid;

    plug_make(dir, "a.so", "tool", "x");
    scan();
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        bool refused =
            mcphost_plugins_scan(plugins) == MCPHOST_E_FORKED &&
            mcphost_plugins_close(plugins) == MCPHOST_E_FORKED &&
            mcphost_plugins_wait(plugins, 0) == MCPHOST_E_FORKED &&
            mcphost_plugins_get_rows(plugins, &rows) == MCPHOST_E_FORKED &&
            mcphost_plugins_set_only(plugins, "a") == MCPHOST_E_FORKED &&
            mcphost_plugins_set_reload(plugins, MCPHOST_RELOAD_POLL) == MCPHOST_E_FORKED;

        mcphost_plugins_unref(plugins);
        _exit(refused ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_str_eq(hr_say(&hr, dialog, "a_say", "{}"), "x");
}
END_TEST

/* ---- rows of plugins --------------------------------------------------------------- */

START_TEST(rows_can_be_written_as_json)
{
    mcphost_plugin_rows *rows, *same;
    char expected[1024], *json;
    size_t len;

    plug_make(dir, "a.so", "tool", "x");
    plug_make(dir, "b.so", "mute", "x");
    scan();
    ck_assert_int_eq(mcphost_plugins_get_rows(plugins, &rows), 0);
    same = mcphost_plugin_rows_ref(rows);
    mcphost_plugin_rows_unref(rows);
    ck_assert_uint_eq(mcphost_plugin_rows_count(same), 2);
    ck_assert_int_eq(mcphost_plugin_rows_make_json(same, &json, &len), 0);
    ck_assert_uint_eq(strlen(json), len);
    snprintf(expected, sizeof(expected),
             "[{\"id\":\"a\",\"kind\":\"tool\",\"file\":\"%s/a.so\",\"state\":\"loaded\","
             "\"error\":null},{\"id\":\"b\",\"kind\":\"tool\",\"file\":\"%s/b.so\","
             "\"state\":\"failed\",\"error\":{",
             dir, dir);
    ck_assert_int_eq(strncmp(json, expected, strlen(expected)), 0);
    mcphost_free(json);
    MAKE(mcphost_plugin_rows_make_json, same, &text_, &len_);
    GET(mcphost_plugin_rows_get_id, same, 0);
    GET(mcphost_plugin_rows_get_file, same, 0);
    texts_expect("plugin_rows_");
    ck_assert_ptr_null(mcphost_plugin_rows_get_id(same, 2));
    ck_assert_ptr_null(mcphost_plugin_rows_get_file(same, 2));
    ck_assert_ptr_null(mcphost_plugin_rows_get_error(same, 2));
    ck_assert_int_eq(mcphost_plugin_rows_get_kind(same, 2), 0);
    ck_assert_int_eq(mcphost_plugin_rows_get_state(same, 2), 0);
    mcphost_plugin_rows_unref(same);
}
END_TEST

/* ---- the sampler ------------------------------------------------------------------- */

static void
sample(mcphost_request *request, void *arg)
{
    (void)arg;
    mcphost_request_reject(request, MCPHOST_REJECT_ERROR, "the application's");
}

/* R162 R177 */
START_TEST(a_sampling_plugin_answers_servers_and_tools_of_plugins)
{
    hr_keep_log(&hr, MCPHOST_LOG_WARNING);
    plug_make(dir, "s.so", "sampling", "from the plugin");
    plug_make(dir, "t.so", "tool", "x");
    scan();
    hr_server(
        &hr, "a", NULL,
        "on call:echo\n ask sampling/createMessage {\"messages\":[{\"role\":\"user\","
        "\"content\":{\"type\":\"text\",\"text\":\"hi\"}}],\"maxTokens\":5}\n text "
        "%r");
    hr_load(&hr);
    test_has(hr_say(&hr, dialog, "a_echo", "{}"), "from the plugin");
    ck_assert_ptr_null(strstr(hr.log, "unusual"));
    test_has(hr_say(&hr, dialog, "t_sample", "{}"), "from the plugin");
    test_has(hr.log, "which is unusual");
}
END_TEST

START_TEST(a_second_sampler_is_refused_and_the_error_names_the_first)
{
    plug_make(dir, "s1.so", "sampling", "one");
    plug_make(dir, "s2.so", "sampling", "two");
    plug_make(dir, "t.so", "tool", "x");
    scan();
    ck_assert_str_eq(row("s1"), "sampling loaded");
    check_refused("s2", "the plugin 's1' has already set a sampler");
    ck_assert_int_eq(n_traced("free s2"), 1);
    test_has(hr_say(&hr, dialog, "t_sample", "{}"), "one");
    /* The application may replace the sampler of a plugin. */
    ck_assert_int_eq(mcphost_set_sampler(hr.host, sample, NULL, NULL), 0);
    hr_turn(&hr, 20);
    test_has(hr_say(&hr, dialog, "t_sample", "{}"), "the application's");
}
END_TEST

START_TEST(a_sampler_of_the_application_is_not_replaced)
{
    ck_assert_int_eq(mcphost_set_sampler(hr.host, sample, NULL, NULL), 0);
    plug_make(dir, "s.so", "sampling", "one");
    plug_make(dir, "t.so", "tool", "x");
    scan();
    check_refused("s", "the application has already set a sampler");
    test_has(hr_say(&hr, dialog, "t_sample", "{}"), "the application's");
}
END_TEST

START_TEST(a_sampler_is_replaced_and_removed_with_its_plugin)
{
    char path[200];

    plug_make(dir, "s.so", "sampling", "one");
    plug_make(dir, "t.so", "tool", "x");
    scan();
    test_has(hr_say(&hr, dialog, "t_sample", "{}"), "one");
    plug_make(dir, "s.so", "sampling", "two");
    hr_until(&hr, n_traced("setup s") == 2);
    hr_turn(&hr, 20);
    test_has(hr_say(&hr, dialog, "t_sample", "{}"), "two");
    snprintf(path, sizeof(path), "%s/s.so", dir);
    ck_assert_int_eq(unlink(path), 0);
    hr_until(&hr, n_traced("unload two") == 1);
    /* After the removal of the plugin's sampler, the application can set a sampler. */
    ck_assert_int_eq(mcphost_set_sampler(hr.host, sample, NULL, NULL), 0);
    hr_turn(&hr, 20);
    test_has(hr_say(&hr, dialog, "t_sample", "{}"), "the application's");
}
END_TEST

START_TEST(a_sampling_plugin_is_refused_after_the_load)
{
    hr_load(&hr);
    plug_make(dir, "s.so", "sampling", "one");
    scan();
    check_refused("s", "servers were already told that sampling is not available");
    ck_assert_int_eq(n_traced("unload one"), 1);
}
END_TEST

static TCase *
with_dir(Suite *suite, const char *name)
{
    TCase *tc = test_case(suite, name);

    tcase_add_checked_fixture(tc, up, down);
    return tc;
}

static void
add(Suite *suite)
{
    TCase *loading = with_dir(suite, "loading"), *refusing = with_dir(suite, "refusing");
    TCase *settings = with_dir(suite, "settings"),
          *sampling = with_dir(suite, "sampling");
    TCase *alone = test_case(suite, "alone");

    tcase_add_checked_fixture(alone, up, NULL);
    tcase_add_test(alone, a_plugin_becomes_a_server_with_its_id);
    tcase_add_test(loading, plugins_are_set_up_in_the_order_of_their_kinds);
    tcase_add_test(loading, files_without_the_name_of_a_plugin_are_skipped);
    tcase_add_test(loading, a_disabled_plugin_has_a_row_and_is_not_opened);
    tcase_add_test(loading, code_is_loaded_only_from_the_directory_that_the_host_names);
    tcase_add_test(loading, with_set_only_a_single_plugin_is_loaded);
    tcase_add_test(loading, one_plugin_that_fails_stops_no_other_plugin);
    tcase_add_test(loading, a_missing_directory_is_a_warning_until_it_appears);
    tcase_add_test(loading, rows_can_be_written_as_json);
    tcase_add_loop_test(refusing, an_invalid_plugin_is_refused_with_the_reason, 0,
                        sizeof(wrong) / sizeof(*wrong));
    tcase_add_test(refusing, an_undefined_symbol_is_reported_in_one_line);
    tcase_add_test(refusing, links_special_files_and_files_without_code_are_refused);
    tcase_add_test(refusing, a_file_that_is_too_large_is_refused);
    tcase_add_loop_test(refusing, a_file_that_others_can_write_is_refused, 0, 3);
    tcase_add_loop_test(refusing, a_directory_that_others_can_write_is_refused, 0, 2);
    tcase_add_test(refusing, a_directory_that_is_a_link_is_refused);
    tcase_add_test(refusing, files_and_directories_of_another_user_are_refused);
    tcase_add_test(refusing, an_id_that_a_provider_has_is_refused);
    tcase_add_test(refusing, an_id_of_a_provider_that_failed_is_refused);
    tcase_add_test(settings, settings_override_defaults_and_variables_are_replaced);
    tcase_add_test(settings, the_configuration_is_logged_once_without_secrets);
    tcase_add_test(settings, a_configuration_that_is_wrong_is_refused);
    tcase_add_test(settings, a_forked_child_is_refused);
    tcase_add_test(settings, arguments_that_are_wrong_are_refused);
    tcase_add_test(sampling, a_sampling_plugin_answers_servers_and_tools_of_plugins);
    tcase_add_test(sampling, a_second_sampler_is_refused_and_the_error_names_the_first);
    tcase_add_test(sampling, a_sampler_of_the_application_is_not_replaced);
    tcase_add_test(sampling, a_sampler_is_replaced_and_removed_with_its_plugin);
    tcase_add_test(sampling, a_sampling_plugin_is_refused_after_the_load);
}

int
main(void)
{
    return test_main("plugins", add);
}
