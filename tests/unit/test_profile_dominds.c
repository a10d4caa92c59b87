/* SPDX-License-Identifier: MIT
 *
 * test_profile_dominds.c - .minds/mcp.yaml as a whole: its place, its top level, and the
 * faults that reject the whole file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/profile.h"
#include "support/conf.h"
#include "support/runner.h"

static mcphost_config *config;

static void
down(void)
{
    config = mcph_config_unref(config);
}

/* Texts that the parser rejects as a whole, each with its diagnostics. */
static const struct {
    const char *text, *said;
} rejected[] = {
    {"servers: {}", "1:1 error version: expected the number 1, found nothing\n"},
    {"version: 2", "1:10 error version: expected the number 1, found 2\n"},
    {"version: 1.5", "1:10 error version: expected the number 1, found 1.5\n"},
    {"version: .nan", "1:10 error version: expected the number 1, found .nan\n"},
    {"version: \"1\"",
     "1:10 error version: expected the number 1, found the string '1'\n"},
    {"version: v1", "1:10 error version: expected the number 1, found the string 'v1'\n"},
    {"version:", "1:9 error version: expected the number 1, found nothing (null)\n"},
    {"version: true", "1:10 error version: expected the number 1, found a boolean\n"},
    {"version: [1]", "1:10 error version: expected the number 1, found a list\n"},
    {"", "1:1 error expected a map with 'version' and 'servers', found an empty file\n"},
    {"# nothing\n",
     "1:1 error expected a map with 'version' and 'servers', found an empty file\n"},
    {"[]", "1:1 error expected a map with 'version' and 'servers', found a list\n"},
    {"text", "1:1 error expected a map with 'version' and 'servers', found a string\n"},
    {"version: 1\nservers:\n",
     "2:9 error servers: expected a map of servers, found nothing (null)\n"},
    {"version: 1\nservers: []",
     "2:10 error servers: expected a map of servers, found a list\n"},
    {"version: 1\nservers: x",
     "2:10 error servers: expected a map of servers, found a string\n"},
    {"version: 1\nservers:\n  a: {enabled: false}\n  a: {enabled: false}\n",
     "4:3 error servers.a: duplicate key, first on line 3\n"},
    {"version: 1\nservers:\n  a:\n    command: x\n    args: [a]\n    args: [b]\n",
     "6:5 error servers.a.args: duplicate key, first on line 5\n"},
    {"version: 1\nversion: 1", "2:1 error version: duplicate key, first on line 1\n"},
    {"version: 1\nservers: {a: [",
     "3:1 error not valid YAML: while parsing a flow node did not find expected node "
     "content\n"},
    {"version: 1\n---\nversion: 1",
     "2:1 error a second document begins here, but only one is allowed\n"},
    {"verison: 1",
     "1:1 error version: expected the number 1, found nothing\n"
     "1:1 warning verison: unknown key, ignored; did you mean 'version'?\n"},
};

/* R4 R8 R9 R114, K20, K8 */
START_TEST(a_rejected_file_has_no_servers_and_an_error)
{
    config = conf_load(rejected[_i].text);
    ck_assert_int_eq(config->status, MCPHOST_E_CONFIG);
    ck_assert_int_eq((int)config->servers.n, 0);
    if (strstr(rejected[_i].text, "verison")) /* ignore the order of two diagnostics */
        ck_assert_ptr_nonnull(strstr(conf_diags(config), "did you mean 'version'?"));
    else
        ck_assert_str_eq(conf_diags(config), rejected[_i].said);
}
END_TEST

static const char *const empty[] = {
    "version: 1",
    "version: 1.0",
    "version: 1\nservers: {}",
    "version: 0x1",
    "version: 0o1",
    "version: 01",
    "version: 10e-1",
    "version: +1",
    "{\"version\": 1}",
    "---\nversion: 1\n...\n",
    "\xef\xbb\xbfversion: 1\r\n",
};

START_TEST(version_one_in_any_spelling_and_no_servers_is_valid) /* R4 */
{
    config = conf_load(empty[_i]);
    ck_assert_int_eq(config->status, 0);
    ck_assert_int_eq((int)config->servers.n, 0);
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

START_TEST(an_unknown_key_at_the_top_level_gets_a_warning) /* R8 */
{
    config = conf_load("version: 1\nserver: {}\nnotes: x\n");
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(conf_diags(config),
                     "2:1 warning server: unknown key, ignored; did you mean 'servers'?\n"
                     "3:1 warning notes: unknown key, ignored\n");
}
END_TEST

START_TEST(servers_keep_the_order_of_the_file) /* R28 */
{
    static const char *const ids[] = {"zeta", "10", "alpha", "2"};

    config = conf_load("version: 1\n"
                       "servers:\n"
                       "  zeta: {transport: stdio, command: c}\n"
                       "  10: {transport: stdio, command: c}\n"
                       "  alpha: {transport: bad}\n"
                       "  \"2\": {enabled: false}\n");
    ck_assert_int_eq((int)config->servers.n, 4);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(ids); i++) {
        const struct mcph_config_server *server = config->servers.items[i];

        ck_assert_str_eq(server->id, ids[i]);
        ck_assert_int_eq(server->line, (int)i + 3);
        ck_assert_int_eq(server->column, 3);
    }
}
END_TEST

START_TEST(an_invalid_server_does_not_affect_the_others) /* R7 R115 R116 */
{
    const struct mcph_config_server *bad;

    config = conf_load("version: 1\n"
                       "servers:\n"
                       "  one: {transport: stdio, command: c}\n"
                       "  two: {transport: sse, url: http://h}\n"
                       "  three: {transport: streamable_http, url: http://h}\n");
    ck_assert_int_eq(config->status, 0);
    conf_spec(config, "one");
    conf_spec(config, "three");
    bad = mcph_config_find(config, "two");
    ck_assert_int_eq(bad->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_ptr_null(bad->spec);
    ck_assert_str_eq(
        bad->error->message,
        "servers.two.transport: expected 'stdio' or 'streamable_http', found 'sse'");
    ck_assert_str_eq(bad->error->server, "two");
}
END_TEST

/* ---- files ------------------------------------------------------------------------- */

static char dir[64];

static void
dir_up(void)
{
    snprintf(dir, sizeof(dir), "/tmp/mcph-dominds-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static const char *
in_dir(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static void
dir_down(void)
{
    down();
    unlink(in_dir(".minds/mcp.yaml"));
    rmdir(in_dir(".minds/mcp.yaml"));
    unlink(in_dir(".minds"));
    rmdir(in_dir(".minds"));
    unlink(in_dir("other.yaml"));
    rmdir(dir);
}

static void
put_file(const char *name, const char *text)
{
    FILE *file = fopen(in_dir(name), "we");

    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void
load_file(const char *file, const char *workspace)
{
    struct mcph_config_reader *source = NULL;

    config = mcph_config_unref(config);
    ck_assert_int_eq(mcph_dominds_source_new(file, workspace, &source, NULL), 0);
    ck_assert_str_eq(source->name, "dominds");
    ck_assert_int_eq(source->read(source, &config, NULL), 0);
    source->free(source);
}

START_TEST(the_file_is_minds_mcp_yaml_below_the_workspace) /* R1 */
{
    mkdir(in_dir(".minds"), 0700);
    put_file(".minds/mcp.yaml",
             "version: 1\nservers: {a: {transport: stdio, command: c}}\n");
    load_file(NULL, dir);
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(config->file, in_dir(".minds/mcp.yaml"));
    ck_assert_str_eq(conf_spec(config, "a")->file, in_dir(".minds/mcp.yaml"));
    ck_assert_str_eq(conf_spec(config, "a")->source, "dominds");
}
END_TEST

START_TEST(relative_paths_start_at_the_workspace) /* R1 */
{
    const struct mcph_spec *spec;

    mkdir(in_dir(".minds"), 0700);
    put_file(".minds/mcp.yaml",
             "version: 1\n"
             "servers:\n"
             "  a: {transport: stdio, command: bin/c, cwd: ' ./sub '}\n"
             "  b: {transport: stdio, command: c}\n"
             "  d: {transport: stdio, command: /c, cwd: /abs}\n");
    load_file(NULL, dir);
    spec = conf_spec(config, "a");
    ck_assert_str_eq(spec->command, in_dir("bin/c"));
    ck_assert_str_eq(spec->cwd, in_dir("sub"));
    spec = conf_spec(config, "b");
    ck_assert_str_eq(spec->command, "c");
    ck_assert_str_eq(spec->cwd, dir);
    spec = conf_spec(config, "d");
    ck_assert_str_eq(spec->command, "/c");
    ck_assert_str_eq(spec->cwd, "/abs");
}
END_TEST

START_TEST(a_relative_workspace_starts_at_the_current_directory) /* R1 */
{
    char *cwd = getcwd(NULL, 0);
    char path[4200];

    load_file(NULL, "no-such-directory/");
    snprintf(path, sizeof(path), "%s/no-such-directory", cwd);
    ck_assert_str_eq(config->workspace, path);
    load_file(NULL, NULL);
    ck_assert_str_eq(config->workspace, cwd);
    free(cwd);
}
END_TEST

START_TEST(a_missing_workspace_is_reported_as_an_error_of_its_own) /* R2 */
{
    load_file(NULL, "/no/such/directory");
    ck_assert_int_eq(config->status, MCPHOST_E_NOTFOUND);
    ck_assert_ptr_nonnull(
        strstr(conf_diags(config), "the workspace '/no/such/directory'"));
    put_file("a-file", "x");
    load_file(NULL, in_dir("a-file"));
    ck_assert_int_eq(config->status, MCPHOST_E_NOTFOUND);
    ck_assert_ptr_nonnull(strstr(conf_diags(config), "' is not a directory"));
}
END_TEST

START_TEST(without_the_file_there_are_no_servers_and_no_diagnostics) /* R2 */
{
    mkdir(in_dir(".minds"), 0700);
    load_file(NULL, dir);
    ck_assert_int_eq(config->status, 0);
    ck_assert_int_eq((int)config->servers.n, 0);
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

START_TEST(without_the_minds_directory_there_are_no_diagnostics) /* R2 */
{
    load_file(NULL, dir);
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(conf_diags(config), "");
    put_file(".minds", "a file");
    load_file(NULL, dir);
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(conf_diags(config), "");
}
END_TEST

START_TEST(an_empty_file_is_rejected) /* R114 */
{
    mkdir(in_dir(".minds"), 0700);
    put_file(".minds/mcp.yaml", "");
    load_file(NULL, dir);
    ck_assert_int_eq(config->status, MCPHOST_E_CONFIG);
}
END_TEST

START_TEST(a_named_file_must_exist) /* R2 */
{
    load_file(in_dir("other.yaml"), dir);
    ck_assert_int_eq(config->status, MCPHOST_E_NOTFOUND);
    ck_assert_int_eq((int)config->diags.n, 1);
    ck_assert_ptr_nonnull(strstr(conf_diags(config), "No such file"));
    ck_assert_ptr_nonnull(strstr(conf_diags(config), "other.yaml"));
}
END_TEST

START_TEST(a_named_file_outside_the_workspace_is_read) /* R1 */
{
    put_file("other.yaml",
             "version: 1\nservers: {a: {transport: stdio, command: ./c}}\n");
    load_file(in_dir("other.yaml"), "/ws");
    ck_assert_str_eq(conf_spec(config, "a")->command, "/ws/c");
    ck_assert_str_eq(conf_spec(config, "a")->cwd, "/ws");
}
END_TEST

START_TEST(a_directory_in_place_of_the_file_fails_with_e_io) /* R114 */
{
    mkdir(in_dir(".minds"), 0700);
    mkdir(in_dir(".minds/mcp.yaml"), 0700);
    load_file(NULL, dir);
    ck_assert_int_eq(config->status, MCPHOST_E_IO);
    ck_assert_ptr_nonnull(strstr(conf_diags(config), "mcp.yaml"));
}
END_TEST

START_TEST(an_unreadable_file_fails_with_e_io) /* R114 */
{
    mkdir(in_dir(".minds"), 0700);
    put_file(".minds/mcp.yaml", "version: 1\n");
    chmod(in_dir(".minds/mcp.yaml"), 0);
    if (access(in_dir(".minds/mcp.yaml"), R_OK) == 0)
        return; /* root may read every file */
    load_file(NULL, dir);
    ck_assert_int_eq(config->status, MCPHOST_E_IO);
    ck_assert_ptr_nonnull(strstr(conf_diags(config), "Permission denied"));
}
END_TEST

START_TEST(a_file_over_1_mib_is_refused) /* R114 */
{
    mkdir(in_dir(".minds"), 0700);
    put_file(".minds/mcp.yaml", "version: 1\n");
    ck_assert_int_eq(truncate(in_dir(".minds/mcp.yaml"), (off_t)MCPH_YAML_SIZE_MAX + 1),
                     0);
    load_file(NULL, dir);
    ck_assert_int_eq(config->status, MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(conf_diags(config), "larger than 1048576 bytes"));
}
END_TEST

static const struct {
    const char *page;
    int n;
} pages[] = {{"mcphost-config.5", 4}, {"mcphost-auth.7", 7}, {"mcphost-tutorial.7", 1}};

/* In these pages, every example that begins with "version: 1" is a configuration
 * without diagnostics. */
START_TEST(the_examples_of_the_manual_are_valid) /* R5 R11 */
{
    struct mcph_buf page;
    char name[4096], *text, *end;
    int n = 0;

    snprintf(name, sizeof(name), "%s/man/%s", test_srcdir(), pages[_i].page);
    mcph_buf_init(&page, (size_t)1 << 20);
    ck_assert_int_eq(mcph_file_read(name, (size_t)1 << 19, &page, NULL), 0);
    mcph_buf_addc(&page, '\0');
    for (text = strstr(page.data, "\nversion: 1"); text;
         text = strstr(end + 1, "\nversion: 1")) {
        end = strstr(text, "\n.Ed");
        ck_assert_ptr_nonnull(end);
        end[1] = '\0';
        config = mcph_config_unref(config);
        config = conf_load(text + 1);
        ck_assert_str_eq(conf_diags(config), "");
        ck_assert(config->servers.n > 0);
        end++;
        n++;
    }
    ck_assert_int_eq(n, pages[_i].n);
    mcph_buf_done(&page);
}
END_TEST

START_TEST(a_source_reads_the_file_anew_each_time) /* R15 */
{
    struct mcph_config_reader *source = NULL;

    ck_assert_int_eq(mcph_dominds_source_new(in_dir("other.yaml"), dir, &source, NULL),
                     0);
    put_file("other.yaml", "version: 1\n");
    ck_assert_int_eq(source->read(source, &config, NULL), 0);
    ck_assert_int_eq((int)config->servers.n, 0);
    config = mcph_config_unref(config);
    put_file("other.yaml", "version: 1\nservers: {a: {transport: stdio, command: c}}\n");
    ck_assert_int_eq(source->read(source, &config, NULL), 0);
    ck_assert_int_eq((int)config->servers.n, 1);
    source->free(source);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *text = test_case(suite, "text"), *file = test_case(suite, "file");

    tcase_add_checked_fixture(text, NULL, down);
    tcase_add_checked_fixture(file, dir_up, dir_down);
    tcase_add_loop_test(text, a_rejected_file_has_no_servers_and_an_error, 0,
                        (int)MCPH_ARRAY_SIZE(rejected));
    tcase_add_loop_test(text, version_one_in_any_spelling_and_no_servers_is_valid, 0,
                        (int)MCPH_ARRAY_SIZE(empty));
    tcase_add_test(text, an_unknown_key_at_the_top_level_gets_a_warning);
    tcase_add_test(text, servers_keep_the_order_of_the_file);
    tcase_add_test(text, an_invalid_server_does_not_affect_the_others);
    tcase_add_test(file, the_file_is_minds_mcp_yaml_below_the_workspace);
    tcase_add_test(file, relative_paths_start_at_the_workspace);
    tcase_add_test(file, a_relative_workspace_starts_at_the_current_directory);
    tcase_add_test(file, without_the_file_there_are_no_servers_and_no_diagnostics);
    tcase_add_test(file, a_missing_workspace_is_reported_as_an_error_of_its_own);
    tcase_add_test(file, without_the_minds_directory_there_are_no_diagnostics);
    tcase_add_test(file, an_empty_file_is_rejected);
    tcase_add_test(file, a_named_file_must_exist);
    tcase_add_test(file, a_named_file_outside_the_workspace_is_read);
    tcase_add_test(file, a_directory_in_place_of_the_file_fails_with_e_io);
    tcase_add_test(file, an_unreadable_file_fails_with_e_io);
    tcase_add_test(file, a_file_over_1_mib_is_refused);
    tcase_add_loop_test(text, the_examples_of_the_manual_are_valid, 0,
                        (int)(sizeof(pages) / sizeof(*pages)));
    tcase_add_test(file, a_source_reads_the_file_anew_each_time);
}

int
main(void)
{
    return test_main("profile-dominds", add);
}
