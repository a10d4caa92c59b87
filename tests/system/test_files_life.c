/* SPDX-License-Identifier: MIT
 *
 * test_files_life.c - the provider `files` as a server: its configuration, edits of the
 * configuration, providers that an application makes, and subscriptions (R156, R160,
 * R173).
 */
#include <dirent.h>
#include <limits.h>

#include "base/base.h"
#include "support/filesrig.h"

/* ---- configuration ----------------------------------------------------------------- */

static const struct {
    const char *entry, *text;
} wrong[] = {
    {"a:\n  provider: files\n  transport: stdio\n  options: {base_dir: base}\n",
     "found both"},
    {"a:\n  provider: fils\n  options: {base_dir: base}\n",
     "provider: expected 'files', found 'fils'"},
    {"a:\n  provider: [files]\n  options: {base_dir: base}\n",
     "provider: expected 'files', found a list"},
    {"a:\n  provider: files\n", "options: expected a map with 'base_dir'"},
    {"a:\n  provider: files\n  options: []\n", "options: expected a map with 'base_dir'"},
    {"a:\n  provider: files\n  options: {}\n", "options.base_dir: expected"},
    {"a:\n  provider: files\n  options: {base_dir: 1}\n", "options.base_dir: expected"},
    {"a:\n  provider: files\n  options: {base_dir: base, allowed_extension: [md]}\n",
     "options.allowed_extension: unknown option"},
    {"a:\n  provider: files\n  options: {base_dir: base, allowed_extensions: md}\n",
     "options.allowed_extensions: expected a list"},
    {"a:\n  provider: files\n  options: {base_dir: base, allowed_extensions: ['.']}\n",
     "found one that is empty"},
    {"a:\n  provider: files\n  options: {base_dir: base, allowed_extensions: [a/b]}\n",
     "found one that has a slash"},
    {"a:\n  provider: files\n  options: {base_dir: base, max_bytes: 0}\n",
     "options.max_bytes: expected a whole number from 1 to 20971520"},
    {"a:\n  provider: files\n  options: {base_dir: base, max_bytes: 1.5}\n",
     "options.max_bytes: expected a whole number"},
};

/* R160: the error names the place in the configuration file. */
START_TEST(a_wrong_entry_makes_its_server_invalid)
{
    const char *why;

    hr_entry(&hr, wrong[_i].entry);
    hr_load(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_CONFIG_INVALID);
    why = hr_problem(&hr, "mcp/server/a/server_error");
    ck_assert_ptr_nonnull(why);
    test_has(why, wrong[_i].text);
    test_has(why, "mcp.yaml:");
}
END_TEST

/* R156: a catalog lists the directory and the templates like the resources of any
 * server. */
START_TEST(the_base_directory_and_the_templates_are_listed)
{
    mcphost_catalog *catalog = NULL;

    fr_load("");
    ck_assert_int_eq(mcphost_dialog_get_catalog(dialog, &catalog), 0);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), 1);
    ck_assert_uint_eq(mcphost_catalog_count_resource_templates(catalog), 2);
    ck_assert_str_eq(mcphost_resource_get_uri(mcphost_catalog_get_resource(catalog, 0)),
                     "dir://");
    mcphost_catalog_unref(catalog);
}
END_TEST

/* Loads a server of the provider `files`, and follows edits of the configuration file. */
static void
follow(void)
{
    hr_entry(&hr, "a:\n  provider: files\n  options: {base_dir: base}\n");
    hr_follow(&hr);
    hr_ready(&hr);
    hr_loaded(&hr, "a");
}

/* R95: an edit of the options replaces the provider, as an edit of a command replaces a
 * process. */
START_TEST(an_edit_of_the_options_holds_for_the_next_read)
{
    ck_assert_int_eq(mkdir(rig_workspace_path(&hr.ws, "other"), 0700), 0);
    rig_workspace_write(&hr.ws, "other/f.md", "%s", "new");
    fr_write("f.md", "old");
    follow();
    ck_assert_str_eq(fr_text("file://f.md"), "old");
    hr_edit(&hr);
    hr_entry(&hr, "a:\n  provider: files\n  options: {base_dir: other}\n");
    hr_reload(&hr);
    hr_ready(&hr);
    ck_assert_str_eq(fr_text("file://f.md"), "new");
    hr_edit(&hr);
    hr_entry(&hr, "a:\n  provider: files\n  options: {base_dir: other, "
                  "allowed_extensions: [txt]}\n");
    hr_reload(&hr);
    hr_ready(&hr);
    ck_assert_int_eq(fr_read("file://f.md"), FR_INVALID);
    hr_edit(&hr);
    hr_entry(&hr, "a:\n  provider: files\n  options: {base_dir: }\n");
    hr_reload(&hr);
    hr_ready(&hr);
    ck_assert_int_eq(fr_read("file://f.md"), FR_INVALID);
}
END_TEST

/* If the new provider cannot open its base directory, the old provider keeps working. */
START_TEST(an_edit_that_cannot_start_keeps_the_old_provider)
{
    fr_write("f", "old");
    rig_workspace_write(&hr.ws, "file", "x");
    follow();
    hr_edit(&hr);
    hr_entry(&hr, "a:\n  provider: files\n  options: {base_dir: file}\n");
    hr_reload(&hr);
    hr_ready(&hr);
    ck_assert_str_eq(fr_text("file://f"), "old");
}
END_TEST

START_TEST(a_dialog_can_have_an_instance_of_its_own)
{
    fr_write("f", "x");
    hr_entry(&hr, "a:\n  provider: files\n  truely-stateless: false\n"
                  "  options: {base_dir: base}\n");
    hr_load(&hr);
    hr_loaded(&hr, "a");
    ck_assert_str_eq(fr_text("file://f"), "x");
    hr_release(dialog, "a");
    ck_assert_str_eq(fr_text("file://f"), "x");
    ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    hr_ready(&hr);
    ck_assert_str_eq(fr_text("file://f"), "x");
}
END_TEST

/* Returns the number of open descriptors whose link in /proc points to `what`. */
static int
count_open(const char *what)
{
    DIR *dir = opendir("/proc/self/fd");
    const struct dirent *entry;
    char target[PATH_MAX];
    int n = 0;

    while ((entry = readdir(dir))) {
        ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

        target[len > 0 ? len : 0] = '\0';
        n += strcmp(target, what) == 0;
    }
    closedir(dir);
    return n;
}

START_TEST(a_restart_closes_the_base_directory_of_the_old_instance)
{
    fr_load("");
    ck_assert_int_eq(count_open(fr_base), 1);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    hr_ready(&hr);
    ck_assert_int_eq(fr_read("dir://"), 0);
    hr_until(&hr, count_open(fr_base) == 1);
}
END_TEST

START_TEST(a_blacklisted_resource_is_not_listed)
{
    mcphost_catalog *catalog = NULL;

    hr_entry(&hr, "a:\n  provider: files\n  resources: {blacklist: ['file*']}\n"
                  "  options: {base_dir: base}\n");
    hr_load(&hr);
    hr_loaded(&hr, "a");
    ck_assert_int_eq(mcphost_dialog_get_catalog(dialog, &catalog), 0);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), 0);
    mcphost_catalog_unref(catalog);
}
END_TEST

/* ---- made by the application ------------------------------------------------------- */

static int
make(const char *format, mcphost_provider **ret, mcphost_error **reterr)
{
    char options[512];

    snprintf(options, sizeof(options), format, fr_base);
    return mcphost_files_new(mcphost_default_source(hr.host), "a", options,
                             strlen(options), ret, reterr);
}

/* R156 */
START_TEST(an_application_can_make_a_provider_of_files)
{
    mcphost_provider *provider = NULL;

    fr_write("f.md", "x");
    fr_write("g.txt", "too long");
    ck_assert_int_eq(make("{\"base_dir\":\"%s\",\"allowed_extensions\":[\"md\",\".txt\"],"
                          "\"max_bytes\":5}",
                          &provider, NULL),
                     0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    hr_until(&hr, mcphost_wait_ready(hr.host, 0) == 1);
    ck_assert_str_eq(fr_text("file://f.md"), "x");
    ck_assert_int_eq(fr_read("file://g.txt"), FR_INTERNAL);
    ck_assert_int_eq(fr_read("file://h"), FR_INVALID);
    ck_assert_int_eq(mcphost_provider_close(provider), 0);
    mcphost_provider_unref(provider);
    hr_turn(&hr, 20);
}
END_TEST

START_TEST(a_provider_that_is_never_started_makes_no_directory)
{
    mcphost_provider *provider = NULL;

    ck_assert_int_eq(make("{\"base_dir\":\"%s/none\"}", &provider, NULL), 0);
    mcphost_provider_unref(provider);
    ck_assert_int_eq(access(fr_path("none"), F_OK), -1);
}
END_TEST

static const struct {
    const char *options, *text;
} bad[] = {
    {"[]", "options of 'files'"},
    {"{", "options of 'files'"},
    {"{}", "base_dir: expected the absolute path"},
    {"{\"base_dir\":1}", "base_dir"},
    {"{\"base_dir\":\"\"}", "base_dir"},
    {"{\"base_dir\":\"a/b\"}", "base_dir"},
    {"{\"base_dir\":\"/a\\u0000b\"}", "base_dir"},
    {"{\"base_dir\":\"/a\",\"base_dir\":\"/b\"}", "base_dir: expected it once"},
    {"{\"base_dir\":\"/a\",\"allowed_extensions\":\"md\"}", "allowed_extensions"},
    {"{\"base_dir\":\"/a\",\"allowed_extensions\":[1]}", "allowed_extensions"},
    {"{\"base_dir\":\"/a\",\"allowed_extensions\":[\"\"]}", "is empty"},
    {"{\"base_dir\":\"/a\",\"allowed_extensions\":[\"a/b\"]}", "has a slash"},
    {"{\"base_dir\":\"/a\",\"max_bytes\":0}", "max_bytes"},
    {"{\"base_dir\":\"/a\",\"max_bytes\":1.5}", "max_bytes"},
    {"{\"base_dir\":\"/a\",\"max_bytes\":20971521}", "1 to 20971520"},
    {"{\"base_dir\":\"/a\",\"max_bytes\":\"1\"}", "max_bytes"},
    {"{\"base_dir\":\"/a\",\"extensions\":[]}", "extensions: unknown option"},
};

START_TEST(a_wrong_option_is_refused_and_named)
{
    mcphost_provider *provider = NULL;
    mcphost_error *err = NULL;

    ck_assert_int_eq(make(bad[_i].options, &provider, &err), MCPHOST_E_INVALID);
    ck_assert_ptr_null(provider);
    test_has(mcphost_error_get_message(err), bad[_i].text);
    mcphost_error_unref(err);
}
END_TEST

START_TEST(a_view_can_have_a_provider_of_files_of_its_own)
{
    mcphost_view *view = NULL;
    mcphost_provider *provider = NULL;
    mcphost_error *err = NULL;
    mcphost_catalog *catalog = NULL;
    char options[300];

    fr_load("");
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "v", &view, NULL), 0);
    ck_assert_int_eq(mcphost_files_new_in_view(view, "mine", "{}", 2, &provider, &err),
                     MCPHOST_E_INVALID);
    err = mcphost_error_unref(err);
    snprintf(options, sizeof(options), "{\"base_dir\":\"%s\"}", fr_base);
    ck_assert_int_eq(mcphost_files_new_in_view(view, "mine", options, strlen(options),
                                               &provider, &err),
                     0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVER, "mine", NULL,
                           MCPHOST_SERVER_LOADED) > 0);
    hr_until(&hr, mcphost_wait_ready(hr.host, 0) == 1);
    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), 0);
    ck_assert_uint_eq(mcphost_catalog_count_resources(catalog), 1);
    mcphost_catalog_unref(catalog);
    mcphost_provider_close(provider);
    mcphost_provider_unref(provider);
    mcphost_view_unref(view);
    hr_turn(&hr, 20);
}
END_TEST

/* ---- subscriptions ----------------------------------------------------------------- */

#define CONTROL "d:file://control "

static void
subscribe(const char *uri)
{
    int on = heard.on;

    heard_subscribe(dialog, uri);
    hr_until(&hr, heard.on > on);
}

/* Loads a configuration with the provider `a` and subscribes to the file `control`. */
static void
load_host(void)
{
    fr_write("control", "");
    fr_load("");
    subscribe("file://control");
}

/* Changes `control` and waits for the report of this change.  The report comes after the
 * reports of all earlier changes. */
static void
wait_for_reports(void)
{
    static int n;
    char text[16];

    snprintf(text, sizeof(text), "%d", n++);
    fr_write("control", text);
    hr_until(&hr, strstr(heard.said, CONTROL) != NULL);
}

/* Checks that the provider reports nothing but changes of `control`. */
static void
expect_no_report(void)
{
    const char *at = heard.said;

    wait_for_reports();
    while (strncmp(at, CONTROL, strlen(CONTROL)) == 0)
        at += strlen(CONTROL);
    ck_assert_str_eq(at, "");
    heard.said[0] = '\0';
}

/* Waits for a report of this URI.  Then discards all reports. */
#define told(uri_)                                                \
    do {                                                          \
        hr_until(&hr, strstr(heard.said, "d:" uri_ " ") != NULL); \
        wait_for_reports();                                       \
        heard.said[0] = '\0';                                     \
    } while (0)

/* R173 */
START_TEST(each_change_of_a_file_is_reported)
{
    fr_mkdir("d");
    fr_write("d/f", "1");
    load_host();
    subscribe("file://d/f");
    expect_no_report();
    fr_write("d/f", "2"); /* the size does not change */
    told("file://d/f");
    fr_write("d/g", "3");
    expect_no_report(); /* d/g is another file */
    ck_assert_int_eq(rename(fr_path("d/g"), fr_path("d/f")), 0);
    told("file://d/f");
    ck_assert_int_eq(unlink(fr_path("d/f")), 0);
    told("file://d/f");
    fr_write("d/f", "4");
    told("file://d/f");
    ck_assert_int_eq(rename(fr_path("d"), fr_path("e")), 0);
    told("file://d/f");
    ck_assert_int_eq(rename(fr_path("e"), fr_path("d")), 0);
    told("file://d/f");
    fr_write("d/f", "5");
    told("file://d/f");
}
END_TEST

/* R173 */
START_TEST(a_file_that_does_not_exist_yet_can_be_subscribed_to)
{
    load_host();
    subscribe("file://x/y/z");
    fr_mkdir("x");
    fr_mkdir("x/y");
    wait_for_reports();
    heard.said[0] = '\0';
    fr_write("x/y/z", "1");
    told("file://x/y/z");
}
END_TEST

/* R173 */
START_TEST(new_and_removed_names_of_a_directory_are_reported)
{
    fr_mkdir("d");
    fr_write("d/f", "1");
    load_host();
    subscribe("dir://d");
    subscribe("dir://");
    fr_write("d/f", "22");
    expect_no_report(); /* the write added no name to d */
    fr_write("d/g", "1");
    told("dir://d");
    ck_assert_int_eq(unlink(fr_path("d/g")), 0);
    told("dir://d");
    fr_mkdir("e");
    told("dir://");
    unlink(fr_path("d/f"));
    ck_assert_int_eq(rmdir(fr_path("d")), 0);
    told("dir://d");
    fr_mkdir("d");
    told("dir://d");
}
END_TEST

/* R160, R173: a report must not reveal what happens to the target of a link. */
START_TEST(changes_behind_a_link_are_not_reported)
{
    ck_assert_int_eq(mkdir(rig_workspace_path(&hr.ws, "far"), 0700), 0);
    rig_workspace_write(&hr.ws, "far/f", "1");
    fr_mkdir("d");
    fr_write("d/f", "1");
    ck_assert_int_eq(symlink("../outside.txt", fr_path("link")), 0);
    ck_assert_int_eq(symlink("../far", fr_path("way")), 0);
    load_host();
    subscribe("file://link");
    subscribe("file://way/f");
    subscribe("dir://way");
    subscribe("file://d/f");
    rig_workspace_write(&hr.ws, "outside.txt", "changed");
    rig_workspace_write(&hr.ws, "far/f", "changed");
    rig_workspace_write(&hr.ws, "far/g", "new");
    expect_no_report();
    /* The provider also reports no change behind a link that the test makes later. */
    ck_assert_int_eq(rename(fr_path("d"), fr_path("e")), 0);
    ck_assert_int_eq(symlink("../far", fr_path("d")), 0);
    told("file://d/f");
    rig_workspace_write(&hr.ws, "far/f", "changed again");
    expect_no_report();
}
END_TEST

/* R173 */
START_TEST(without_subscriptions_nothing_is_watched)
{
    mcphost_subscription *one, *two;

    fr_write("f", "1");
    fr_write("g", "1");
    fr_load("");
    ck_assert_int_eq(count_open("anon_inode:inotify"), 0);
    one = heard_want(dialog, "file://f");
    two = heard_want(dialog, "file://g");
    hr_until(&hr, heard.on == 2);
    ck_assert_int_eq(count_open("anon_inode:inotify"), 1);
    ck_assert_int_eq(mcphost_unsubscribe(one), 0);
    fr_write("f", "2");
    fr_write("g", "2");
    hr_until(&hr, heard.updates > 0);
    ck_assert_str_eq(heard.said, "d:file://g ");
    ck_assert_int_eq(count_open("anon_inode:inotify"), 1);
    ck_assert_int_eq(mcphost_unsubscribe(two), 0);
    hr_until(&hr, count_open("anon_inode:inotify") == 0);
    mcphost_subscription_unref(one);
    mcphost_subscription_unref(two);
}
END_TEST

START_TEST(wrong_and_too_many_subscriptions_are_refused)
{
    char uri[64];

    fr_load(", allowed_extensions: [md]");
    heard_subscribe(dialog, "file://a.txt");
    hr_until(&hr, heard.over == 1);
    heard_subscribe(dialog, "file://../a.md");
    hr_until(&hr, heard.over == 2);
    heard_subscribe(dialog, "other://a.md");
    hr_until(&hr, heard.over == 3);
    for (int i = 0; i < 256; i++) {
        snprintf(uri, sizeof(uri), "file://%d.md", i);
        heard_subscribe(dialog, uri);
    }
    hr_until(&hr, heard.on == 256);
    heard_subscribe(dialog, "file://more.md");
    hr_until(&hr, heard.over == 4);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "configuration");

    tcase_add_checked_fixture(tc, fr_up, fr_down);
    tcase_add_loop_test(tc, a_wrong_entry_makes_its_server_invalid, 0,
                        (int)MCPH_ARRAY_SIZE(wrong));
    tcase_add_test(tc, the_base_directory_and_the_templates_are_listed);
    tcase_add_test(tc, an_edit_of_the_options_holds_for_the_next_read);
    tcase_add_test(tc, an_edit_that_cannot_start_keeps_the_old_provider);
    tcase_add_test(tc, a_dialog_can_have_an_instance_of_its_own);
    tcase_add_test(tc, a_restart_closes_the_base_directory_of_the_old_instance);
    tcase_add_test(tc, a_blacklisted_resource_is_not_listed);
    tc = test_case(suite, "made");
    tcase_add_checked_fixture(tc, fr_up, fr_down);
    tcase_add_test(tc, an_application_can_make_a_provider_of_files);
    tcase_add_test(tc, a_provider_that_is_never_started_makes_no_directory);
    tcase_add_loop_test(tc, a_wrong_option_is_refused_and_named, 0,
                        (int)MCPH_ARRAY_SIZE(bad));
    tcase_add_test(tc, a_view_can_have_a_provider_of_files_of_its_own);
    tc = test_case(suite, "subscriptions");
    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, fr_up, fr_down);
    tcase_add_test(tc, each_change_of_a_file_is_reported);
    tcase_add_test(tc, a_file_that_does_not_exist_yet_can_be_subscribed_to);
    tcase_add_test(tc, new_and_removed_names_of_a_directory_are_reported);
    tcase_add_test(tc, changes_behind_a_link_are_not_reported);
    tcase_add_test(tc, without_subscriptions_nothing_is_watched);
    tcase_add_test(tc, wrong_and_too_many_subscriptions_are_refused);
}

int
main(void)
{
    return test_main("files-life", add_tests);
}
