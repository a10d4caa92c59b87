/* SPDX-License-Identifier: MIT
 *
 * test_torture_config.c - configurations read while memory runs out.
 *
 * The result is the complete configuration or MCPHOST_E_NOMEM.  The result is never a
 * part of the configuration.  Lack of memory never produces a diagnostic about the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/config.h"
#include "profile/profile.h"
#include "support/conf.h"
#include "support/rig.h"
#include "torture/torture.h"

static const char good[] =
    "# every kind of thing that a file may hold\n"
    "version: 1\n"
    "servers:\n"
    "  disk:\n"
    "    transport: stdio\n"
    "    command: ./bin/disk\n"
    "    args: [--root, '/srv/data', \"tab\\there\", &long x-x-x-x-x-x-x-x-x-x-x-x-x-x]\n"
    "    cwd: sub/dir\n"
    "    env:\n"
    "      PLAIN: text\n"
    "      COPIED: {env: HOME}\n"
    "      JOINED: {prefix: 'Bearer ', env: TOKEN}\n"
    "    truely-stateless: true\n"
    "    tools:\n"
    "      whitelist: ['read_*', list, '*_all']\n"
    "      blacklist: [read_secret]\n"
    "    transform:\n"
    "      - prefix: disk_\n"
    "      - prefix: {remove: disk_re, add: re}\n"
    "      - suffix: _v1\n"
    "    timeouts: {start: 5, list: 2.5, call: 60}\n"
    "    manual: {content: how to, sections: {One: first}}\n"
    "    era: legacy\n"
    "  \"two words\":\n"
    "    transport: streamable_http\n"
    "    url: HTTPS://Example.com:443/a/../mcp?key=1\n"
    "    headers:\n"
    "      Authorization: {prefix: 'Bearer ', env: TOKEN}\n"
    "      X-Plain: *long\n"
    "    proxy: 'http://me:hush@proxy:3128'\n"
    "    tls: {caFile: ca.pem, caDir: /pki, clientCert: me.pem, clientKey: me.key,\n"
    "          keyPassword: hush}\n"
    "    publicOnly: true\n"
    "    callsInFlight: 3\n"
    "  docs:\n"
    "    provider: files\n"
    "    options: {base_dir: docs, allowed_extensions: [md, .txt], max_bytes: 5}\n"
    "  off:\n"
    "    enabled: false\n"
    "    command: 17\n";

static const char bad[] = "version: 1\n"
                          "servrs: {}\n"
                          "servers:\n"
                          "  a:\n"
                          "    transport: carrier pigeon\n"
                          "  b:\n"
                          "    transport: stdio\n"
                          "    comand: x\n"
                          "    args: {a: b}\n"
                          "    env: [1, 2]\n"
                          "    tools: {whitelist: [1, '*'], blacklst: []}\n"
                          "    transform: [{prefix: 1}, {none: x}, 4]\n"
                          "    timeouts: {start: soon, call: -1}\n"
                          "    era: bronze\n"
                          "  c:\n"
                          "    transport: streamable_http\n"
                          "    url: 'ftp://user:secret@host'\n"
                          "    headers: {A: !odd {env: 5}}\n"
                          "    proxy: 'http://user:secret@host'\n"
                          "    tls: {caFile: [], clientKey: k}\n"
                          "  e: {provider: fils, options: {base: [], max_bytes: 0}}\n"
                          "  f: {provider: files, transport: stdio}\n"
                          "  d: {transport: stdio, command: d}\n";

static const char broken_yaml[] =
    "version: 1\nservers:\n  a: {transport: stdio,\n  b: ]\n";
static const char doubled[] = "version: 1\nservers:\n  a: {x: 1}\n  a: {x: 2}\n";

/* The results of expect(), which reads a text with enough memory: the counts, the status
 * and the diagnostics. */
static size_t n_servers, n_diagnostics;
static int status;
static char said[4096];

static int
look_at_config(const char *text, mcphost_config **ret)
{
    mcphost_error *error = NULL;
    int r;

    r = mcph_dominds_parse(text, strlen(text), "mcp.yaml", "/ws", MCPH_TRANSPORTS_USUAL,
                           ret, &error);
    torture_must((r < 0) == (error != NULL));
    torture_must(r == 0 || mcphost_error_get_code(error) == r);
    mcphost_error_unref(error);
    return r;
}

static int
read_text(const char *text)
{
    mcphost_config *config = NULL;
    int r = look_at_config(text, &config);

    torture_must((r == 0) == (config != NULL));
    if (config) {
        torture_must(config->status == status);
        torture_must(config->servers.n == n_servers);
        torture_must(config->diags.n == n_diagnostics);
    }
    mcph_config_unref(config);
    return r;
}

static void
expect(const char *text)
{
    mcphost_config *config = NULL;

    ck_assert_int_eq(look_at_config(text, &config), 0);
    status = config->status;
    n_servers = config->servers.n;
    n_diagnostics = config->diags.n;
    snprintf(said, sizeof(said), "%s", conf_diags(config));
    mcph_config_unref(config);
}

static int
read_good(void)
{
    return read_text(good);
}

static int
read_bad(void)
{
    return read_text(bad);
}

static int
read_broken(void)
{
    return read_text(broken_yaml);
}

static int
read_doubled(void)
{
    return read_text(doubled);
}

/* ---- a JSON document ---- */

static const char json_text[] =
    "// x\n{\"a\": [1, 2.5, \"\\u00e9\", {\"b\": null,},], \"c\": {}}";

static int
ignore(int severity, const char *key, int line, int column, const char *text, void *arg)
{
    (void)severity, (void)key, (void)line, (void)column, (void)text;
    ++*(int *)arg;
    return 0;
}

static int
read_json(void)
{
    struct mcph_doc *doc = NULL;
    int n = 0;
    int r = mcph_json_parse(json_text, sizeof(json_text) - 1, MCPH_JSON_DOC_SIZE,
                            MCPH_JSON_DOC_RELAXED, ignore, &n, &doc);

    torture_must((r == 0) == (doc != NULL));
    torture_must(r == 0 ? n == 0 : r == MCPHOST_E_NOMEM && n == 0);
    mcph_doc_free(doc);
    return r;
}

START_TEST(a_json_document_is_parsed_completely_or_fails_with_e_nomem) /* R9 */
{
    torture_run(&(struct torture){.run = read_json, .least = 20},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

/* ---- an `mcpServers` file and the start of its servers ----------------------------- */

static const char project[] =
    "{\"mcpServers\": {\"a\": {\"command\": \"./c\", \"cwd\": \"d\", \"odd\": 1, "
    "\"args\": "
    "[\"${userHome}\", \"${env:TOKEN}\"], \"env\": {\"A\": \"<${TOKEN}>\"}, \"timeout\": "
    "5}, "
    "\"b\": {\"url\": \"http://${HOME}\", \"headers\": {\"X\": \"${TOKEN:-x}\"}}, "
    "\"c\": {\"type\": \"ws\"}}}";
static const char *const project_variables[] = {"HOME", "h", "TOKEN", "t0k3n", NULL};

static int
start_one(const mcphost_config *read, const char *id)
{
    struct mcph_spec *launch = NULL;
    mcphost_error *error = NULL;
    int r = mcph_spec_expand(mcph_config_find(read, id)->spec, conf_lookup,
                             (void *)(uintptr_t)project_variables, &launch, &error);

    torture_must((r < 0) == (error != NULL) && (r == 0) == (launch != NULL));
    torture_must(r == 0 || r == MCPHOST_E_NOMEM);
    if (launch && launch->url)
        torture_must(strcmp(launch->url, "http://h/") == 0);
    else if (launch)
        torture_must(strcmp(launch->args.items[1], "t0k3n") == 0);
    mcph_spec_unref(launch);
    mcphost_error_unref(error);
    return r;
}

static int
read_project(void)
{
    mcphost_config *read = NULL;
    int r = mcph_mcpservers_parse(project, sizeof(project) - 1, "f", "/ws",
                                  MCPH_TRANSPORTS_USUAL, &read, NULL);

    torture_must((r == 0) == (read != NULL));
    if (r == 0) {
        torture_must(read->status == 0 && read->servers.n == 3 && read->diags.n == 2);
        r = start_one(read, "a");
    }
    if (r == 0)
        r = start_one(read, "b");
    mcph_config_unref(read);
    return r;
}

START_TEST(an_mcpservers_file_is_read_and_expanded_or_fails_with_e_nomem) /* R5, R15 */
{
    torture_run(&(struct torture){.run = read_project, .least = 40},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static const struct text {
    const char *text;
    int (*run)(void);
    int status;
    size_t servers, diagnostics;
} texts[] = {
    {good, read_good, 0, 4, 1},
    {bad, read_bad, 0, 6, 26},
    {broken_yaml, read_broken, MCPHOST_E_CONFIG, 0, 1},
    {doubled, read_doubled, MCPHOST_E_CONFIG, 0, 1},
};

START_TEST(a_configuration_is_read_completely_or_fails_with_e_nomem) /* R1, R5 */
{
    const struct text *t = &texts[_i / 2];

    expect(t->text);
    ck_assert_int_eq(status, t->status);
    ck_assert_uint_eq(n_servers, t->servers);
    ck_assert_msg(n_diagnostics == t->diagnostics, "%s", said);
    torture_run(&(struct torture){.run = t->run, .least = 20},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

/* ---- uses of a configuration ------------------------------------------------------- */

static mcphost_config *config;
static const char *variables[] = {"HOME", "/here", "TOKEN", "t0k3n", NULL};

static int
resolve(void)
{
    const struct mcph_spec *disk = mcph_config_find(config, "disk")->spec;
    const struct mcph_spec *web = mcph_config_find(config, "two words")->spec;
    struct mcph_pairs env = {0}, headers = {0};
    mcphost_error *error = NULL;
    int r;

    r = mcph_spec_resolve(disk, &disk->env, conf_lookup, variables, &env, &error);
    if (r == 0)
        r = mcph_spec_resolve(web, &web->headers, conf_lookup, variables, &headers,
                              &error);
    torture_must((r < 0) == (error != NULL));
    torture_must(r < 0 || (env.n == 3 && headers.n == 2));
    torture_must(r < 0 || strcmp(env.items[2].text, "Bearer t0k3n") == 0);
    mcphost_error_unref(error);
    mcph_pairs_done(&env);
    mcph_pairs_done(&headers);
    return r;
}

static int
resolve_missing(void)
{
    const struct mcph_spec *disk = mcph_config_find(config, "disk")->spec;
    struct mcph_pairs env = {0};
    mcphost_error *error = NULL;
    int r;

    r = mcph_spec_resolve(disk, &disk->env, conf_lookup, variables + 2, &env, &error);
    torture_must(r < 0 && error && env.n == 0);
    mcphost_error_unref(error);
    return r == MCPHOST_E_CONFIG ? 0 : r;
}

static int
make_server_json(void)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_config_server_make_json(config, 0, &json, &len);

    torture_must((r < 0) == (json == NULL));
    torture_must(r < 0 || strlen(json) == len);
    free(json);
    return r;
}

static const struct use {
    int (*run)(void);
    long least;
} uses[] = {{resolve, 10}, {resolve_missing, 1}, {make_server_json, 1}};

START_TEST(values_of_a_server_are_resolved_completely_or_fail_with_e_nomem) /* R15, R16 */
{
    config = conf_load(good);
    torture_run(&(struct torture){.run = uses[_i / 2].run, .least = uses[_i / 2].least},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
    mcph_config_unref(config);
}
END_TEST

/* ---- several files ----------------------------------------------------------------- */

static struct rig_workspace ws;

static void
save(const char *name, const char *text)
{
    failing_pause();
    rig_workspace_write(&ws, name, "%s", text);
    failing_resume();
}

/* Reads the directory and checks the whole configuration.  `last` is the name of the
 * server in d.yaml. */
static int
read_all_files(struct mcph_config_reader *reader, const char *last)
{
    mcphost_config *whole = NULL;
    mcphost_error *error = NULL;
    int r = reader->read(reader, &whole, &error);

    torture_must((r < 0) == (error != NULL) && (r < 0) == !whole);
    if (whole) {
        torture_must(whole->status == 0);
        torture_must(whole->servers.n == 6 && whole->diags.n == 3);
        torture_must(whole->files.n == 4);
        torture_must(mcph_config_find(whole, last) != NULL);
        torture_must(mcph_config_find(whole, "disk")->part->status == 0);
    }
    mcphost_error_unref(error);
    mcph_config_unref(whole);
    return r;
}

/* Reads a directory and edits a file of the directory.  If the reader cannot read a file
 * for lack of memory, the next read must read the whole file. */
static int
read_directory(void)
{
    struct mcph_config_reader *reader = NULL;
    struct mcph_config_edit edit;
    mcphost_error *error = NULL;
    int r, worst = 0;

    save("d/d.yaml", "version: 1\nservers:\n  d: {transport: stdio, command: c}\n");
    r = mcph_dir_reader_new(rig_workspace_path(&ws, "d"), ws.dir, &reader, &error);
    torture_must((r < 0) == (error != NULL) && (r < 0) == !reader);
    mcphost_error_unref(error);
    if (r < 0)
        return r;
    reader->keeps_last_good = true;
    worst = read_all_files(reader, "d");
    save("d/d.yaml", "version: 1\nservers:\n  e: {transport: stdio, command: c}\n");
    r = read_all_files(reader, "e");
    worst = r < 0 ? r : worst;
    error = NULL;
    if (r == 0) {
        r = reader->set_enabled(reader, "e", false, &edit, &error);
        torture_must(r == 1 || r == MCPHOST_E_NOMEM);
        torture_must((r < 0) == (error != NULL));
    }
    mcphost_error_unref(error);
    reader->free(reader);
    return r < 0 ? r : worst;
}

static int
make_set(void)
{
    static const char *const files[] = {"/nowhere/a.yaml", "/nowhere/b.yaml"};
    struct mcph_config_reader *reader = NULL;
    mcphost_config *whole = NULL;
    mcphost_error *error = NULL;
    int r = mcph_many_reader_new(files, 2, "/ws", &reader, &error);

    torture_must((r < 0) == !reader);
    if (r == 0)
        r = reader->read(reader, &whole, &error);
    torture_must((r < 0) == (error != NULL) && (r < 0) == !whole);
    torture_must(r < 0 || (whole->diags.n == 2 && whole->servers.n == 0));
    mcphost_error_unref(error);
    mcph_config_unref(whole);
    if (reader)
        reader->free(reader);
    return r;
}

START_TEST(several_files_are_read_as_one_configuration_or_fail_with_e_nomem) /* R3 R114 */
{
    rig_workspace_up(&ws, NULL);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "d"), 0700), 0);
    rig_workspace_write(&ws, "d/a.yaml", "%s", good);
    rig_workspace_write(&ws, "d/b.yaml", "version: 2\n");
    rig_workspace_write(&ws, "d/c.yml",
                        "version: 1\nservers:\n"
                        "  disk: {transport: stdio, command: c}\n"
                        "  c: {transport: stdio, command: c}\n");
    torture_run(&(struct torture){.run = _i / 2 ? make_set : read_directory, .least = 20},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
    rig_workspace_down(&ws);
}
END_TEST

/* ---- the public functions ---------------------------------------------------------- */

static int
with_function(int i, mcphost_config **ret, mcphost_error **reterr)
{
    static const char *const argv[] = {"prog", "a", "b", NULL};
    static const char *const headers[] = {"X-One: 1", NULL};

    switch (i) {
    case 0:
        return mcphost_config_load_workspace("/nowhere/at/all", ret, reterr);
    case 1:
        return mcphost_config_load_file("/nowhere/at/all.yaml", NULL, ret, reterr);
    case 2:
        return mcphost_config_load_memory(good, strlen(good), NULL, NULL, ret, reterr);
    case 3:
        return mcphost_config_new_http("web", "http://h/", headers, NULL, ret, reterr);
    default:
        return mcphost_config_new_stdio("cmd", argv, "rel/ative", ret, reterr);
    }
}

static int
load_each_way(void)
{
    int r = 0, worst = 0;

    for (int i = 0; i < 5; i++) {
        mcphost_config *loaded = NULL;
        mcphost_error *error = NULL;

        r = with_function(i, &loaded, &error);
        torture_must((r < 0) == (error != NULL) && (r < 0) == !loaded);
        if (loaded)
            torture_must(mcphost_config_get_status(loaded) ==
                         (i <= 1 ? MCPHOST_E_NOTFOUND : 0));
        if (r < 0)
            worst = r;
        mcphost_error_unref(error);
        mcphost_config_unref(loaded);
    }
    return worst;
}

static int
filter_and_transform(void)
{
    mcphost_transform *transform = NULL;
    mcphost_filter *filter = NULL;
    char name[65];
    int r;

    r = mcphost_filter_new(&filter);
    if (r == 0)
        r = mcphost_filter_add_whitelist(filter, "read_*");
    if (r == 0)
        r = mcphost_filter_add_blacklist(filter, "*secret*");
    if (r == 0)
        torture_must(mcphost_filter_match(filter, "my_secret", NULL) ==
                     MCPHOST_FILTER_BLACKLISTED);
    if (r == 0)
        r = mcphost_transform_new(&transform);
    if (r == 0)
        r = mcphost_transform_add_prefix(transform, "p_");
    if (r == 0)
        r = mcphost_transform_add_prefix_replace(transform, "p_re", "q");
    if (r == 0)
        r = mcphost_transform_add_suffix(transform, "_s");
    if (r == 0)
        r = mcphost_transform_apply(transform, "read", name, sizeof(name));
    torture_must(r <= 0 || strcmp(name, "qad_s") == 0);
    mcphost_filter_unref(filter);
    mcphost_transform_unref(transform);
    return r < 0 ? r : 0;
}

START_TEST(public_configuration_functions_succeed_or_return_e_nomem) /* R1, R21, R27 */
{
    torture_run(&(struct torture){.run = _i / 2 ? filter_and_transform : load_each_way,
                                  .least = 5},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "reading");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_configuration_is_read_completely_or_fails_with_e_nomem, 0,
                        8);
    tcase_add_loop_test(tc, a_json_document_is_parsed_completely_or_fails_with_e_nomem, 0,
                        2);
    tcase_add_loop_test(tc, an_mcpservers_file_is_read_and_expanded_or_fails_with_e_nomem,
                        0, 2);
    tcase_add_loop_test(
        tc, values_of_a_server_are_resolved_completely_or_fail_with_e_nomem, 0, 6);
    tcase_add_loop_test(
        tc, several_files_are_read_as_one_configuration_or_fail_with_e_nomem, 0, 4);
    tcase_add_loop_test(tc, public_configuration_functions_succeed_or_return_e_nomem, 0,
                        4);
}

int
main(void)
{
    return torture_main("torture-config", add);
}
