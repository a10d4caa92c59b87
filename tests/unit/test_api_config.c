/* SPDX-License-Identifier: MIT
 *
 * test_api_config.c - the public functions of configurations, without a host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mcphost/config.h>
#include <mcphost/error.h>
#include <mcphost/policy.h>

#include "support/rig.h"
#include "support/runner.h"

static const char key[] = "0123456789abcdef";

static mcphost_config *config;
static mcphost_error *err;

static void
down(void)
{
    config = mcphost_config_unref(config);
    err = mcphost_error_unref(err);
}

static void
load_text(const char *text)
{
    config = mcphost_config_unref(config);
    ck_assert_int_eq(
        mcphost_config_load_memory(text, strlen(text), "m.yaml", "/ws", &config, &err),
        0);
    ck_assert_ptr_null(err);
}

static const char text[] = "version: 1\n"
                           "servers:\n"
                           "  one: {transport: stdio, command: c, env: {A: hush}}\n"
                           "  two: {transport: streamable_http, url: http://h}\n"
                           "  off: {transport: stdio, enabled: false}\n"
                           "  bad: {transport: stdio, args: [1], odd: x}\n";

START_TEST(servers_are_listed_in_the_order_of_the_file) /* R4 R5 */
{
    static const struct {
        const char *id;
        int state, transport, line;
    } want[] = {
        {"one", MCPHOST_CONFIG_SERVER_VALID, MCPHOST_TRANSPORT_STDIO, 3},
        {"two", MCPHOST_CONFIG_SERVER_VALID, MCPHOST_TRANSPORT_STREAMABLE_HTTP, 4},
        {"off", MCPHOST_CONFIG_SERVER_DISABLED, MCPHOST_TRANSPORT_STDIO, 5},
        {"bad", MCPHOST_CONFIG_SERVER_INVALID, MCPHOST_TRANSPORT_STDIO, 6},
    };
    size_t index;

    load_text(text);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    ck_assert_int_eq((int)mcphost_config_count_servers(config), 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(mcphost_config_server_get_id(config, i), want[i].id);
        ck_assert_int_eq(mcphost_config_server_get_state(config, i), want[i].state);
        ck_assert_int_eq(mcphost_config_server_get_transport(config, i),
                         want[i].transport);
        ck_assert_int_eq(mcphost_config_server_get_line(config, i), want[i].line);
        ck_assert_int_eq(mcphost_config_find_server(config, want[i].id, &index), 0);
        ck_assert_int_eq((int)index, (int)i);
    }
    ck_assert_int_eq(mcphost_config_find_server(config, "three", &index),
                     MCPHOST_E_NOTFOUND);
}
END_TEST

START_TEST(diagnostics_have_severity_key_message_server_and_position) /* R8 R115 */
{
    load_text(text);
    ck_assert_int_eq((int)mcphost_config_count_diagnostics(config), 3);
    ck_assert_int_eq(mcphost_config_diagnostic_get_severity(config, 0),
                     MCPHOST_DIAGNOSTIC_ERROR);
    ck_assert_str_eq(mcphost_config_diagnostic_get_key(config, 0), "servers.bad.command");
    ck_assert_str_eq(mcphost_config_diagnostic_get_message(config, 1),
                     "servers.bad.args[0]: expected a string, found a number (put it in "
                     "quotes)");
    ck_assert_str_eq(mcphost_config_diagnostic_get_server_id(config, 1), "bad");
    ck_assert_str_eq(mcphost_config_diagnostic_get_file(config, 1), "m.yaml");
    ck_assert_int_eq(mcphost_config_diagnostic_get_line(config, 1), 6);
    ck_assert_int_eq(mcphost_config_diagnostic_get_column(config, 1), 34);
    ck_assert_int_eq(mcphost_config_diagnostic_get_severity(config, 2),
                     MCPHOST_DIAGNOSTIC_WARNING);
    ck_assert_str_eq(mcphost_config_diagnostic_get_key(config, 2), "servers.bad.odd");
}
END_TEST

START_TEST(a_rejected_file_gives_an_object_with_its_diagnostics) /* R114 */
{
    load_text("version: 2\nservers: {one: {}}\n");
    ck_assert_int_eq(mcphost_config_get_status(config), MCPHOST_E_CONFIG);
    ck_assert_int_eq((int)mcphost_config_count_servers(config), 0);
    ck_assert_int_eq((int)mcphost_config_count_diagnostics(config), 1);
    ck_assert_str_eq(mcphost_config_diagnostic_get_key(config, 0), "version");
    ck_assert_ptr_null(mcphost_config_diagnostic_get_server_id(config, 0));
}
END_TEST

/* A workspace below /tmp.  put_file() writes its .minds/mcp.yaml. */
static char dir[64], path[128];

static void
dir_up(void)
{
    snprintf(dir, sizeof(dir), "/tmp/mcph-config-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", dir);
}

static void
put_file(const char *content)
{
    char minds[128];
    FILE *file;

    snprintf(minds, sizeof(minds), "%s/.minds", dir);
    ck_assert_int_eq(mkdir(minds, 0700), 0);
    file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    fputs(content, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void
dir_down(void)
{
    char minds[128];

    down();
    unlink(path);
    snprintf(minds, sizeof(minds), "%s/.minds", dir);
    rmdir(minds);
    rmdir(dir);
}

START_TEST(a_workspace_without_a_file_is_empty) /* R2 */
{
    ck_assert_int_eq(mcphost_config_load_workspace(dir, &config, &err), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    ck_assert_int_eq((int)mcphost_config_count_servers(config), 0);
    ck_assert_int_eq((int)mcphost_config_count_diagnostics(config), 0);
    ck_assert_str_eq(mcphost_config_get_workspace(config), dir);
}
END_TEST

START_TEST(a_workspace_is_read_from_its_minds_directory) /* R1 */
{
    put_file(text);
    ck_assert_int_eq(mcphost_config_load_workspace(dir, &config, &err), 0);
    ck_assert_int_eq((int)mcphost_config_count_servers(config), 4);
    ck_assert_str_eq(mcphost_config_get_file(config), path);
}
END_TEST

START_TEST(a_file_is_read_for_any_workspace) /* R1 */
{
    put_file(text);
    ck_assert_int_eq(mcphost_config_load_file(path, "/ws", &config, &err), 0);
    ck_assert_int_eq((int)mcphost_config_count_servers(config), 4);
    ck_assert_str_eq(mcphost_config_get_workspace(config), "/ws");
}
END_TEST

START_TEST(a_missing_named_file_gives_the_status_notfound) /* R2 */
{
    ck_assert_int_eq(mcphost_config_load_file(path, NULL, &config, &err), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq((int)mcphost_config_count_diagnostics(config), 1);
}
END_TEST

START_TEST(a_text_without_a_name_is_called_memory_in_diagnostics)
{
    ck_assert_int_eq(mcphost_config_load_memory(NULL, 0, NULL, "/ws", &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), MCPHOST_E_CONFIG);
    ck_assert_str_eq(mcphost_config_diagnostic_get_file(config, 0), "<memory>");
    ck_assert_ptr_null(mcphost_config_get_file(config));
}
END_TEST

START_TEST(new_stdio_equals_the_same_entry_in_a_file) /* R99 */
{
    static const char *const argv[] = {"npx", "-y", "server", NULL};
    static const char same[] =
        "version: 1\nservers: {s: {transport: stdio, command: npx, "
        "args: ['-y', server]}}";
    char a[MCPHOST_CONFIG_HASH_SIZE], b[MCPHOST_CONFIG_HASH_SIZE];

    ck_assert_int_eq(mcphost_config_new_stdio("s", argv, "/ws", &config, &err), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    ck_assert_int_eq((int)mcphost_config_count_servers(config), 1);
    ck_assert_str_eq(mcphost_config_server_get_id(config, 0), "s");
    ck_assert_int_eq(mcphost_config_server_get_state(config, 0),
                     MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_int_eq(mcphost_config_server_get_line(config, 0), 0);
    ck_assert_int_eq((int)mcphost_config_count_diagnostics(config), 0);
    mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH, key, 16, a);
    load_text(same);
    mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH, key, 16, b);
    ck_assert_str_eq(a, b);
}
END_TEST

START_TEST(hashes_depend_on_key_and_kind_but_not_on_member_order) /* R18 R99 */
{
    char launch[MCPHOST_CONFIG_HASH_SIZE], view[MCPHOST_CONFIG_HASH_SIZE];
    char other[MCPHOST_CONFIG_HASH_SIZE];

    load_text(text);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH,
                                                    key, 16, launch),
                     0);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_VIEW,
                                                    key, 16, view),
                     0);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH,
                                                    "fedcba9876543210", 16, other),
                     0);
    ck_assert_int_eq((int)strlen(launch), MCPHOST_CONFIG_HASH_SIZE - 1);
    ck_assert_str_ne(launch, view);
    ck_assert_str_ne(launch, other);
    load_text(
        "version: 1\nservers:\n  one: {env: {A: hush}, command: c, transport: stdio}\n");
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH,
                                                    key, 16, other),
                     0);
    ck_assert_str_eq(launch, other);
}
END_TEST

START_TEST(a_hash_needs_a_valid_server_and_a_key) /* R18 */
{
    char hex[MCPHOST_CONFIG_HASH_SIZE];

    load_text(text);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 2, 0, key, 16, hex),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 3, 0, key, 16, hex),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 4, 0, key, 16, hex),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 0, 0, key, 15, hex),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 0, 0, NULL, 16, hex),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 0, 2, key, 16, hex),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_get_hash(config, 0, 0, key, 16, NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

START_TEST(missing_arguments_are_refused)
{
    static const char *const argv[] = {"c", NULL}, *const none[] = {NULL},
                             *const blank[] = {" ", NULL};

    ck_assert_int_eq(mcphost_config_load_workspace(NULL, &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_load_workspace("", &config, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_load_workspace("/ws", NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_load_file(NULL, "/", &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_load_file("f", "/", NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_load_memory(NULL, 1, NULL, "/", &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_load_memory("", 0, NULL, "/", NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_new_stdio(NULL, argv, "/", &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_new_stdio("", argv, "/", &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_new_stdio("s", NULL, "/", &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_new_stdio("s", none, "/", &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_new_stdio("s", blank, "/", &config, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_new_stdio("s", argv, "/", NULL, &err),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_INVALID);
    ck_assert_ptr_null(config);
}
END_TEST

/* R20: a server from mcphost_config_new_http() has the same hash as the same server in a
 * file. */
START_TEST(new_http_equals_the_same_entry_in_a_file)
{
    static const char *const headers[] = {"X-One: 1", "X-Two:  b: c ", NULL};
    static const char same[] =
        "version: 1\nservers:\n  s: {transport: streamable_http, "
        "url: 'http://h/p', headers: {X-One: '1', X-Two: 'b: c '}}";
    char a[MCPHOST_CONFIG_HASH_SIZE], b[MCPHOST_CONFIG_HASH_SIZE];

    ck_assert_int_eq(
        mcphost_config_new_http("s", "HTTP://H:80/p", headers, "/ws", &config, &err), 0);
    ck_assert_int_eq(mcphost_config_server_get_transport(config, 0),
                     MCPHOST_TRANSPORT_STREAMABLE_HTTP);
    mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH, key, 16, a);
    load_text(same);
    mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH, key, 16, b);
    ck_assert_str_eq(a, b);
}
END_TEST

START_TEST(new_http_refuses_a_header_whose_value_has_a_control_character)
{
    static const char *const headers[] = {"X-One: a\r\nX-Two: b", NULL};

    ck_assert_int_eq(
        mcphost_config_new_http("s", "http://h/p", headers, "/ws", &config, &err),
        MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "the header 'X-One'");
    ck_assert_ptr_null(strstr(mcphost_error_get_message(err), "X-Two"));
}
END_TEST

/* R20: mcphost_config_set_era() has the effect of the key `era`. */
START_TEST(set_era_equals_the_era_of_the_same_entry_in_a_file)
{
    static const char same[] =
        "version: 1\nservers:\n  s: {transport: streamable_http, url: 'http://h/', "
        "era: legacy}";
    char a[MCPHOST_CONFIG_HASH_SIZE], b[MCPHOST_CONFIG_HASH_SIZE];

    ck_assert_int_eq(
        mcphost_config_new_http("s", "http://h/", NULL, "/ws", &config, &err), 0);
    ck_assert_int_eq(mcphost_config_set_era(config, MCPHOST_ERA_LEGACY), 0);
    mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH, key, 16, a);
    load_text(same);
    mcphost_config_server_get_hash(config, 0, MCPHOST_CONFIG_HASH_LAUNCH, key, 16, b);
    ck_assert_str_eq(a, b);
}
END_TEST

START_TEST(the_era_is_set_only_while_nobody_else_holds_the_configuration)
{
    mcphost_config *second, *sse = NULL;

    ck_assert_int_eq(
        mcphost_config_new_http("s", "http://h/", NULL, "/ws", &config, &err), 0);
    second = mcphost_config_ref(config);
    ck_assert_int_eq(mcphost_config_set_era(config, MCPHOST_ERA_MODERN), MCPHOST_E_STATE);
    mcphost_config_unref(second);
    ck_assert_int_eq(mcphost_config_set_era(config, MCPHOST_ERA_MODERN), 0);
    ck_assert_int_eq(mcphost_config_set_era(config, 3), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_set_era(config, -1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_set_era(NULL, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_new_sse("s", "http://h/", NULL, "/ws", &sse, &err),
                     0);
    ck_assert_int_eq(mcphost_config_set_era(sse, MCPHOST_ERA_MODERN), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_set_era(sse, MCPHOST_ERA_LEGACY), 0);
    mcphost_config_unref(sse);
    load_text(text);
    ck_assert_int_eq(mcphost_config_set_era(config, MCPHOST_ERA_LEGACY), MCPHOST_E_STATE);
}
END_TEST

static const struct {
    const char *id, *url, *header;
    int code;
} bad_urls[] = {
    {NULL, "http://h/", NULL, MCPHOST_E_INVALID},
    {" ", "http://h/", NULL, MCPHOST_E_INVALID},
    {"s", NULL, NULL, MCPHOST_E_INVALID},
    {"s", "", NULL, MCPHOST_E_INVALID},
    {"s", "ftp://u:hush@h/", NULL, MCPHOST_E_CONFIG},
    {"s", "http://", NULL, MCPHOST_E_CONFIG},
    {"s", "http://h/", "hush", MCPHOST_E_INVALID},
    {"s", "http://h/", ": hush", MCPHOST_E_INVALID},
    {"s", "http://h/", "X Y: hush", MCPHOST_E_INVALID},
};

START_TEST(a_bad_url_or_header_is_refused_without_being_shown)
{
    const char *headers[] = {bad_urls[_i].header, NULL};

    ck_assert_int_eq(mcphost_config_new_http(bad_urls[_i].id, bad_urls[_i].url, headers,
                                             "/", &config, &err),
                     bad_urls[_i].code);
    ck_assert_int_eq(mcphost_error_get_code(err), bad_urls[_i].code);
    ck_assert_ptr_null(strstr(mcphost_error_get_message(err), "hush"));
    ck_assert_ptr_null(config);
}
END_TEST

START_TEST(the_files_of_a_directory_are_one_configuration) /* R3 R114 */
{
    struct rig_workspace ws;
    char folder[256], a[300];
    mcphost_config *one;

    rig_workspace_up(&ws, "version: 1\n");
    snprintf(folder, sizeof(folder), "%s", rig_workspace_path(&ws, ".minds"));
    snprintf(a, sizeof(a), "%s/a.yml", folder);
    rig_workspace_write(&ws, ".minds/a.yml",
                        "version: 1\nservers:\n  a: {transport: stdio, command: ./c}\n"
                        "  s: {transport: sse, url: http://h}\n");
    rig_workspace_write(&ws, ".minds/b.yaml", "version: 2\n");
    ck_assert_int_eq(
        mcphost_config_load_dir(folder, ws.dir, MCPHOST_ALLOW_STDIO, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    ck_assert_ptr_null(mcphost_config_get_file(config));
    ck_assert_str_eq(mcphost_config_get_workspace(config), ws.dir);
    ck_assert_uint_eq(mcphost_config_count_servers(config), 2);
    ck_assert_str_eq(mcphost_config_server_get_file(config, 0), a);
    ck_assert_int_eq(mcphost_config_server_get_line(config, 0), 3);
    ck_assert_int_eq(mcphost_config_server_get_state(config, 1),
                     MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_uint_eq(mcphost_config_count_diagnostics(config), 2);
    ck_assert_str_eq(mcphost_config_diagnostic_get_file(config, 0), a);
    ck_assert_int_eq(mcphost_config_pick_server(config, "a", &one), 0);
    ck_assert_str_eq(mcphost_config_server_get_file(one, 0), a);
    mcphost_config_unref(one);
    mcphost_config_unref(config);
    config = NULL;
    rig_workspace_down(&ws);
    ck_assert_int_eq(mcphost_config_load_dir(folder, "/", 1, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_config_load_dir("", "/", 1, &one, &err), MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(err);
    ck_assert_int_eq(mcphost_config_load_dir("/", "", 1, &one, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_load_dir("/", NULL, 0, &one, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_load_dir("/", NULL, 1, NULL, NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

START_TEST(getters_accept_a_bad_index_and_a_null_object)
{
    const mcphost_config *objects[2];
    size_t index;

    load_text("version: 1");
    objects[0] = config;
    objects[1] = NULL;
    for (size_t i = 0; i < 2; i++) {
        const mcphost_config *c = objects[i];

        ck_assert_ptr_null(mcphost_config_server_get_id(c, 0));
        ck_assert_int_eq(mcphost_config_server_get_state(c, 0), MCPHOST_E_INVALID);
        ck_assert_int_eq(mcphost_config_server_get_transport(c, 0),
                         MCPHOST_TRANSPORT_NONE);
        ck_assert_int_eq(mcphost_config_server_get_line(c, 0), 0);
        ck_assert_ptr_null(mcphost_config_server_get_file(c, 0));
        ck_assert_int_eq(mcphost_config_diagnostic_get_severity(c, 0), MCPHOST_E_INVALID);
        ck_assert_ptr_null(mcphost_config_diagnostic_get_message(c, 0));
        ck_assert_ptr_null(mcphost_config_diagnostic_get_key(c, 0));
        ck_assert_ptr_null(mcphost_config_diagnostic_get_server_id(c, 0));
        ck_assert_ptr_null(mcphost_config_diagnostic_get_file(c, 0));
        ck_assert_int_eq(mcphost_config_diagnostic_get_line(c, 0), 0);
        ck_assert_int_eq(mcphost_config_diagnostic_get_column(c, 0), 0);
    }
    ck_assert_int_eq(mcphost_config_get_status(NULL), MCPHOST_E_INVALID);
    ck_assert_ptr_null(mcphost_config_get_file(NULL));
    ck_assert_ptr_null(mcphost_config_get_workspace(NULL));
    ck_assert_int_eq((int)mcphost_config_count_servers(NULL), 0);
    ck_assert_int_eq((int)mcphost_config_count_diagnostics(NULL), 0);
    ck_assert_int_eq(mcphost_config_find_server(NULL, "a", &index), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_find_server(config, NULL, &index), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_find_server(config, "a", NULL), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(pick_server_copies_one_server_and_its_diagnostics)
{
    mcphost_config *one = NULL;
    size_t n;

    load_text(text);
    ck_assert_int_eq(mcphost_config_pick_server(config, "one", &one), 0);
    ck_assert_int_eq(mcphost_config_get_status(one), 0);
    ck_assert_uint_eq(mcphost_config_count_servers(one), 1);
    ck_assert_int_eq(mcphost_config_server_get_state(one, 0),
                     MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_int_eq(mcphost_config_server_compare(config, one, "one", NULL, 0),
                     MCPHOST_CONFIG_CHANGE_NONE);
    ck_assert_uint_eq(mcphost_config_count_diagnostics(one), 0);
    ck_assert_str_eq(mcphost_config_get_workspace(one), "/ws");
    mcphost_config_unref(one);
    ck_assert_int_eq(mcphost_config_pick_server(config, "bad", &one), 0);
    ck_assert_int_eq(mcphost_config_server_get_state(one, 0),
                     MCPHOST_CONFIG_SERVER_INVALID);
    n = mcphost_config_count_diagnostics(one);
    ck_assert_uint_eq(n, mcphost_config_count_diagnostics(config));
    for (size_t i = 0; i < n; i++) {
        ck_assert_str_eq(mcphost_config_diagnostic_get_message(one, i),
                         mcphost_config_diagnostic_get_message(config, i));
        ck_assert_int_eq(mcphost_config_diagnostic_get_column(one, i),
                         mcphost_config_diagnostic_get_column(config, i));
    }
    mcphost_config_unref(one);
    one = NULL;
    ck_assert_int_eq(mcphost_config_pick_server(config, "three", &one),
                     MCPHOST_E_NOTFOUND);
    ck_assert_ptr_null(one);
    ck_assert_int_eq(mcphost_config_pick_server(NULL, "one", &one), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_pick_server(config, NULL, &one), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_pick_server(config, "one", NULL), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(a_reference_keeps_the_configuration_alive)
{
    mcphost_config *second;

    load_text(text);
    second = mcphost_config_ref(config);
    ck_assert_ptr_eq(second, config);
    config = mcphost_config_unref(config);
    ck_assert_ptr_null(config);
    ck_assert_str_eq(mcphost_config_server_get_id(second, 0), "one");
    mcphost_config_unref(second);
    ck_assert_ptr_null(mcphost_config_ref(NULL));
    ck_assert_ptr_null(mcphost_config_unref(NULL));
}
END_TEST

/* ---- transports -------------------------------------------------------------------- */

#define ALL (MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP | MCPHOST_ALLOW_SSE)

static const char with_sse[] = "version: 1\n"
                               "servers:\n"
                               "  old: {transport: sse, url: http://h}\n"
                               "  new: {transport: stdio, command: c}\n";

/* Loads `with_sse` from memory, from the file `path` or from the workspace `dir`, for
 * `from` 0, 1 and 2. */
static void
load_from(int from, unsigned transports)
{
    const char *data = from == 0 ? with_sse : NULL;

    config = mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_config_load(data, data ? strlen(data) : 0,
                                         from == 2 ? NULL : path, dir, transports,
                                         &config, &err),
                     0);
    ck_assert_str_eq(mcphost_config_get_workspace(config), dir);
}

static void
expect_refused(const char *why)
{
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    ck_assert_int_eq(mcphost_config_server_get_state(config, 0),
                     MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_str_eq(mcphost_config_diagnostic_get_message(config, 0), why);
    ck_assert_str_eq(mcphost_config_diagnostic_get_file(config, 0), path);
    ck_assert_int_eq(mcphost_config_diagnostic_get_line(config, 0), 3);
}

START_TEST(sse_is_accepted_from_each_source_if_the_caller_allows_it) /* R7 */
{
    put_file(with_sse);
    load_from(_i, ALL);
    ck_assert_int_eq((int)mcphost_config_count_diagnostics(config), 0);
    ck_assert_int_eq(mcphost_config_server_get_state(config, 0),
                     MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_int_eq(mcphost_config_server_get_transport(config, 0),
                     MCPHOST_TRANSPORT_SSE);
    load_from(_i, MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP);
    expect_refused("servers.old.transport: expected 'stdio' or 'streamable_http', found "
                   "'sse'");
    ck_assert_int_eq(mcphost_config_server_get_state(config, 1),
                     MCPHOST_CONFIG_SERVER_VALID);
    load_from(_i, MCPHOST_ALLOW_STDIO);
    expect_refused("servers.old.transport: expected 'stdio', found 'sse'");
}
END_TEST

START_TEST(loaders_without_a_transports_argument_refuse_sse) /* R7 */
{
    static const char why[] = "servers.old.transport: expected 'stdio' or "
                              "'streamable_http', found 'sse'";

    put_file(with_sse);
    ck_assert_int_eq(mcphost_config_load_workspace(dir, &config, &err), 0);
    expect_refused(why);
    config = mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_config_load_file(path, dir, &config, &err), 0);
    expect_refused(why);
    config = mcphost_config_unref(config);
    ck_assert_int_eq(
        mcphost_config_load_memory(with_sse, strlen(with_sse), path, dir, &config, &err),
        0);
    expect_refused(why);
}
END_TEST

START_TEST(no_transport_an_unknown_transport_or_an_empty_path_is_refused)
{
    static const struct {
        const char *data, *file, *workspace;
        size_t len;
        unsigned transports;
    } bad[] = {
        {"", "f", "/ws", 0, 0},   {"", "f", "/ws", 0, 8},  {"", "f", "/ws", 0, 7 | 16},
        {NULL, "f", "/ws", 1, 7}, {NULL, "", "/ws", 0, 7}, {NULL, NULL, "", 0, 7},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_int_eq(mcphost_config_load(bad[i].data, bad[i].len, bad[i].file,
                                             bad[i].workspace, bad[i].transports, &config,
                                             &err),
                         MCPHOST_E_INVALID);
        ck_assert_ptr_null(config);
        ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_INVALID);
        err = mcphost_error_unref(err);
    }
    ck_assert_int_eq(mcphost_config_load("", 0, NULL, NULL, 7, NULL, NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "config"), *files = test_case(suite, "files");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_checked_fixture(files, dir_up, dir_down);
    tcase_add_test(tc, servers_are_listed_in_the_order_of_the_file);
    tcase_add_test(tc, diagnostics_have_severity_key_message_server_and_position);
    tcase_add_test(tc, a_rejected_file_gives_an_object_with_its_diagnostics);
    tcase_add_test(tc, a_text_without_a_name_is_called_memory_in_diagnostics);
    tcase_add_test(tc, new_stdio_equals_the_same_entry_in_a_file);
    tcase_add_test(tc, hashes_depend_on_key_and_kind_but_not_on_member_order);
    tcase_add_test(tc, a_hash_needs_a_valid_server_and_a_key);
    tcase_add_test(tc, missing_arguments_are_refused);
    tcase_add_test(tc, new_http_equals_the_same_entry_in_a_file);
    tcase_add_test(tc, new_http_refuses_a_header_whose_value_has_a_control_character);
    tcase_add_test(tc, set_era_equals_the_era_of_the_same_entry_in_a_file);
    tcase_add_test(tc, the_era_is_set_only_while_nobody_else_holds_the_configuration);
    tcase_add_loop_test(tc, a_bad_url_or_header_is_refused_without_being_shown, 0,
                        sizeof(bad_urls) / sizeof(bad_urls[0]));
    tcase_add_test(tc, the_files_of_a_directory_are_one_configuration);
    tcase_add_test(tc, getters_accept_a_bad_index_and_a_null_object);
    tcase_add_test(tc, a_reference_keeps_the_configuration_alive);
    tcase_add_test(tc, pick_server_copies_one_server_and_its_diagnostics);
    tcase_add_test(files, a_workspace_without_a_file_is_empty);
    tcase_add_test(files, a_workspace_is_read_from_its_minds_directory);
    tcase_add_test(files, a_file_is_read_for_any_workspace);
    tcase_add_test(files, a_missing_named_file_gives_the_status_notfound);
    tcase_add_loop_test(files, sse_is_accepted_from_each_source_if_the_caller_allows_it,
                        0, 3);
    tcase_add_test(files, loaders_without_a_transports_argument_refuse_sse);
    tcase_add_test(tc, no_transport_an_unknown_transport_or_an_empty_path_is_refused);
}

int
main(void)
{
    return test_main("api-config", add);
}
