/* SPDX-License-Identifier: MIT
 *
 * test_config_model.c - server entries, diagnostics, specs and key paths.
 */
#include <string.h>

#include "config/config.h"
#include "support/conf.h"
#include "support/runner.h"

#define ERROR   MCPHOST_DIAGNOSTIC_ERROR
#define WARNING MCPHOST_DIAGNOSTIC_WARNING

static mcphost_config *config;

static void
up(void)
{
    config = mcph_config_new("test", "f.yaml", "f.yaml", "/ws");
    ck_assert_ptr_nonnull(config);
}

static void
down(void)
{
    config = mcph_config_unref(config);
}

START_TEST(diagnostics_come_in_the_order_of_the_file)
{
    mcph_config_diag(config, ERROR, NULL, "b", 9, 1, "late");
    mcph_config_diag(config, WARNING, NULL, "a", 2, 7, "right");
    mcph_config_diag(config, WARNING, NULL, "a", 2, 3, "left");
    mcph_config_diag(config, WARNING, NULL, "a", 2, 3, "left again");
    ck_assert_int_eq(mcph_config_finish(config), 0);
    ck_assert_str_eq(conf_diags(config), "2:3 warning a: left\n"
                                         "2:3 warning a: left again\n"
                                         "2:7 warning a: right\n"
                                         "9:1 error b: late\n");
}
END_TEST

START_TEST(an_error_makes_its_server_invalid_and_a_warning_does_not) /* R115 */
{
    struct mcph_config_server *a = mcph_config_add_server(config, "a", 1, 1);
    struct mcph_config_server *b = mcph_config_add_server(config, "b", 2, 1);

    ck_assert_int_eq(a->state, MCPHOST_CONFIG_SERVER_VALID);
    mcph_config_diag(config, ERROR, "a", "servers.a", 5, 1, "second");
    mcph_config_diag(config, ERROR, "a", "servers.a", 4, 1, "first");
    mcph_config_diag(config, WARNING, "b", "servers.b", 2, 1, "odd");
    mcph_config_finish(config);
    ck_assert_int_eq(a->state, MCPHOST_CONFIG_SERVER_INVALID);
    ck_assert_int_eq(b->state, MCPHOST_CONFIG_SERVER_VALID);
    ck_assert_str_eq(a->error->message, "servers.a: first");
    ck_assert_ptr_null(b->error);
}
END_TEST

START_TEST(if_the_whole_file_fails_there_are_no_servers) /* R114 */
{
    ck_assert_ptr_nonnull(mcph_config_add_server(config, "a", 1, 1));
    mcph_config_diag(config, ERROR, "a", "servers.a", 1, 1, "bad");
    mcph_config_fail(config, MCPHOST_E_CONFIG, "version", 3, 1, "expected %d", 1);
    ck_assert_int_eq(mcph_config_finish(config), 0);
    ck_assert_int_eq(config->status, MCPHOST_E_CONFIG);
    ck_assert_int_eq((int)config->servers.n, 0);
    ck_assert_ptr_null(mcph_config_find(config, "a"));
    ck_assert_str_eq(conf_diags(config), "1:1 error servers.a: bad\n"
                                         "3:1 error version: expected 1\n");
}
END_TEST

START_TEST(control_characters_and_bad_utf8_are_replaced_in_messages)
{
    mcph_config_diag(config, ERROR, NULL, "", 1, 1, "a\nb\x1b[1m\xff");
    ck_assert_str_eq(((struct mcph_diag *)config->diags.items[0])->message,
                     "a b [1m\xef\xbf\xbd");
}
END_TEST

START_TEST(beyond_the_limit_the_first_error_of_a_server_is_still_kept)
{
    struct mcph_config_server *server;

    for (int i = 0; i < MCPH_DIAG_MAX + 5; i++)
        mcph_config_diag(config, WARNING, NULL, "k", i + 10, 1, "odd");
    server = mcph_config_add_server(config, "a", 1, 1);
    mcph_config_diag(config, ERROR, "a", "servers.a", 1, 1, "bad");
    mcph_config_diag(config, ERROR, "a", "servers.a", 2, 1, "worse");
    ck_assert_int_eq(mcph_config_finish(config), 0);
    ck_assert_ptr_nonnull(server->error);
    ck_assert_str_eq(server->error->message, "servers.a: bad");
    ck_assert_int_eq((int)config->diags.n, MCPH_DIAG_MAX + 2);
    ck_assert_str_eq(
        ((struct mcph_diag *)config->diags.items[MCPH_DIAG_MAX + 1])->message,
        "6 more messages are left out");
}
END_TEST

START_TEST(servers_are_found_by_id_and_kept_in_order)
{
    static const char *const ids[] = {"b", "2", "a", "1"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(ids); i++)
        ck_assert_ptr_nonnull(mcph_config_add_server(config, ids[i], (int)i, 1));
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(ids); i++) {
        ck_assert_ptr_eq(mcph_config_find(config, ids[i]), config->servers.items[i]);
    }
    ck_assert_ptr_null(mcph_config_find(config, "c"));
}
END_TEST

START_TEST(a_sealed_spec_has_frozen_filter_and_transform)
{
    struct mcph_spec *spec = mcph_spec_new("a", "test");

    ck_assert_int_eq(mcph_spec_seal(spec), 0);
    ck_assert_int_eq(mcph_filter_add(spec->filter, MCPH_FILTER_WHITELIST, "a", 1),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(
        mcph_transform_add(spec->transform, MCPH_TRANSFORM_SUFFIX, "a", 1, NULL, 0),
        MCPHOST_E_STATE);
    ck_assert(spec->start_timeout_ms == -1 && spec->list_timeout_ms == -1 &&
              spec->call_timeout_ms == -1);
    mcph_spec_unref(spec);
}
END_TEST

START_TEST(args_end_with_a_null)
{
    struct mcph_spec *spec = mcph_spec_new("a", "test");

    mcph_strings_add(&spec->args, "one");
    mcph_strings_add(&spec->args, "");
    ck_assert_int_eq((int)spec->args.n, 2);
    ck_assert_str_eq(spec->args.items[0], "one");
    ck_assert_str_eq(spec->args.items[1], "");
    ck_assert_ptr_null(spec->args.items[2]);
    mcph_spec_unref(spec);
}
END_TEST

START_TEST(key_paths_quote_names_with_other_characters) /* R8 */
{
    struct mcph_buf path;
    size_t mark;

    mcph_buf_init(&path, 4096);
    mcph_path_member(&path, "servers");
    mcph_path_member(&path, "a b");
    mcph_path_member(&path, "args");
    mcph_path_index(&path, 12);
    ck_assert_str_eq(mcph_path_text(&path), "servers[\"a b\"].args[12]");
    mark = path.len;
    mcph_path_member(&path, "");
    ck_assert_str_eq(mcph_path_text(&path), "servers[\"a b\"].args[12][\"\"]");
    path.len = mark;
    mcph_path_member(&path, "x\ny");
    ck_assert_str_eq(mcph_path_text(&path), "servers[\"a b\"].args[12][\"x y\"]");
    mcph_buf_done(&path);
}
END_TEST

START_TEST(key_paths_cut_long_keys_between_characters) /* R8 */
{
    struct mcph_buf path;
    char key[402];

    for (size_t i = 0; i < 400; i += 2)
        memcpy(key + 1 + i, "\xc3\xa9", 2);
    key[0] = 'x';
    key[401] = '\0';
    mcph_buf_init(&path, 4096);
    mcph_path_member(&path, key);
    ck_assert(path.len < 120);
    ck_assert(mcph_utf8_valid(path.data, path.len, NULL));
    ck_assert_ptr_nonnull(strstr(mcph_path_text(&path), "...\"]"));
    mcph_buf_done(&path);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "model");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, diagnostics_come_in_the_order_of_the_file);
    tcase_add_test(tc, an_error_makes_its_server_invalid_and_a_warning_does_not);
    tcase_add_test(tc, if_the_whole_file_fails_there_are_no_servers);
    tcase_add_test(tc, control_characters_and_bad_utf8_are_replaced_in_messages);
    tcase_add_test(tc, beyond_the_limit_the_first_error_of_a_server_is_still_kept);
    tcase_add_test(tc, servers_are_found_by_id_and_kept_in_order);
    tcase_add_test(tc, a_sealed_spec_has_frozen_filter_and_transform);
    tcase_add_test(tc, args_end_with_a_null);
    tcase_add_test(tc, key_paths_quote_names_with_other_characters);
    tcase_add_test(tc, key_paths_cut_long_keys_between_characters);
}

int
main(void)
{
    return test_main("config-model", add);
}
