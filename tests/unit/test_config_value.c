/* SPDX-License-Identifier: MIT
 *
 * test_config_value.c - resolving the values of environment variables, headers and
 * proxies when a server starts.
 */
#include <string.h>

#include "config/config.h"
#include "support/conf.h"
#include "support/runner.h"

static struct mcph_spec *spec;
static struct mcph_pairs pairs;
static mcphost_error *err;

static void
up(void)
{
    spec = mcph_spec_new("web", "test");
    ck_assert_ptr_nonnull(spec);
    spec->file = mcph_strdup("mcp.yaml");
    spec->line = 7;
    spec->column = 3;
}

static void
down(void)
{
    mcph_pairs_done(&pairs);
    spec = mcph_spec_unref(spec);
    err = mcphost_error_unref(err);
}

static void
add_env(const char *name, const char *text, const char *from)
{
    ck_assert_int_eq(mcph_values_add(&spec->env, name, text, from), 0);
}

static void
add_header(const char *name, const char *text, const char *from)
{
    ck_assert_int_eq(mcph_values_add(&spec->headers, name, text, from), 0);
}

static int
resolve(const char *const *vars)
{
    return mcph_spec_resolve(spec, &spec->env, conf_lookup, (void *)vars, &pairs, &err);
}

static int
resolve_headers(const char *const *vars)
{
    return mcph_spec_resolve(spec, &spec->headers, conf_lookup, (void *)vars, &pairs,
                             &err);
}

START_TEST(a_literal_is_used_unchanged) /* R12, K7 */
{
    const char *vars[] = {"HOME", "/root", "NAME", "other", NULL};

    add_env("NAME", "text $HOME {env}", NULL);
    add_env("EMPTY", "", NULL);
    add_env("HOME", "HOME", NULL);
    ck_assert_int_eq(resolve(vars), 0);
    ck_assert_int_eq((int)pairs.n, 3);
    ck_assert_str_eq(pairs.items[2].text, "HOME");
    ck_assert_str_eq(pairs.items[0].name, "NAME");
    ck_assert_str_eq(pairs.items[0].text, "text $HOME {env}");
    ck_assert_str_eq(pairs.items[1].text, "");
}
END_TEST

START_TEST(a_reference_copies_the_hosts_value_under_the_new_name) /* R13, K7 */
{
    const char *vars[] = {"OLD", "value", NULL};

    add_env("NEW", "", "OLD");
    ck_assert_int_eq(resolve(vars), 0);
    ck_assert_str_eq(pairs.items[0].name, "NEW");
    ck_assert_str_eq(pairs.items[0].text, "value");
}
END_TEST

START_TEST(a_prefix_stands_before_the_hosts_value) /* R17, K7 */
{
    const char *vars[] = {"TOKEN", "t0", NULL};

    add_header("Authorization", "Bearer ", "TOKEN");
    ck_assert_int_eq(resolve_headers(vars), 0);
    ck_assert_str_eq(pairs.items[0].name, "Authorization");
    ck_assert_str_eq(pairs.items[0].text, "Bearer t0");
}
END_TEST

START_TEST(each_start_reads_the_environment_anew) /* R15 */
{
    const char *before[] = {"OLD", "1", NULL}, *after[] = {"OLD", "2", NULL};

    add_env("NEW", "", "OLD");
    ck_assert_int_eq(resolve(before), 0);
    ck_assert_str_eq(pairs.items[0].text, "1");
    mcph_pairs_done(&pairs);
    ck_assert_int_eq(resolve(after), 0);
    ck_assert_str_eq(pairs.items[0].text, "2");
}
END_TEST

START_TEST(a_missing_variable_is_reported_with_server_and_target) /* R16 R115, K7 */
{
    const char *vars[] = {"OTHER", "x", NULL};

    add_env("FIRST", "secret-literal", NULL);
    add_env("NEW", "", "OLD");
    ck_assert_int_eq(resolve(vars), MCPHOST_E_CONFIG);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "server 'web': env.NEW: environment variable 'OLD' is not set");
    ck_assert_str_eq(mcphost_error_get_server_id(err), "web");
    ck_assert_str_eq(mcphost_error_get_file(err), "mcp.yaml");
    ck_assert_int_eq(mcphost_error_get_line(err), 7);
    ck_assert_ptr_null(pairs.items);
}
END_TEST

START_TEST(a_missing_variable_of_a_header_is_reported_in_the_same_way) /* R16 R17 */
{
    const char *vars[] = {NULL};

    add_header("X-Key", "k", "OLD");
    ck_assert_int_eq(resolve_headers(vars), MCPHOST_E_CONFIG);
    ck_assert_str_eq(
        mcphost_error_get_message(err),
        "server 'web': headers.X-Key: environment variable 'OLD' is not set");
}
END_TEST

START_TEST(an_empty_variable_is_present) /* R16 */
{
    const char *vars[] = {"OLD", "", NULL};

    add_env("NEW", "", "OLD");
    ck_assert_int_eq(resolve(vars), 0);
    ck_assert_str_eq(pairs.items[0].text, "");
}
END_TEST

START_TEST(a_header_value_with_a_line_break_is_refused_and_not_shown) /* R17 R18 */
{
    const char *vars[] = {"TOKEN", "hush\r\nX-Evil: 1", NULL};

    add_header("X-Key", "", "TOKEN");
    ck_assert_int_eq(resolve_headers(vars), MCPHOST_E_CONFIG);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "server 'web': headers.X-Key: the value has a control character");
    ck_assert_ptr_null(strstr(mcphost_error_get_message(err), "hush"));
}
END_TEST

static const struct {
    const char *value, *proxy, *why;
} proxies[] = {
    {"http://u:hush@p:3128", "http://u:hush@p:3128", NULL},
    {"none", "none", NULL},
    {"", "", NULL},
    {"p:3128", NULL,
     "server 'web': proxy: the value does not begin with http://, https://, socks5:// or "
     "socks5h://"},
    {"http://u:hush@p", NULL, "server 'web': proxy: the value has no port"},
    {"http://u:hush@p:1\n", NULL,
     "server 'web': proxy: the value has a control character"},
    {NULL, NULL, "server 'web': proxy: environment variable 'VIA' is not set"},
};

START_TEST(a_proxy_from_the_environment_is_checked_when_it_is_resolved) /* R16 R18 */
{
    const char *vars[] = {proxies[_i].value ? "VIA" : "OTHER", proxies[_i].value, NULL};
    int r;

    ck_assert_int_eq(mcph_values_add(&spec->proxy, "proxy", "", "VIA"), 0);
    r = mcph_spec_resolve(spec, &spec->proxy, conf_lookup, (void *)vars, &pairs, &err);
    if (proxies[_i].why) {
        ck_assert_int_eq(r, MCPHOST_E_CONFIG);
        ck_assert_str_eq(mcphost_error_get_message(err), proxies[_i].why);
        ck_assert_int_eq(mcphost_error_get_line(err), 7);
    } else {
        ck_assert_int_eq(r, 0);
        ck_assert_uint_eq(pairs.n, 1);
        ck_assert_str_eq(pairs.items[0].text, proxies[_i].proxy);
    }
}
END_TEST

START_TEST(values_that_are_not_configured_resolve_to_nothing)
{
    const char *vars[] = {NULL};

    ck_assert_int_eq(
        mcph_spec_resolve(spec, &spec->proxy, conf_lookup, (void *)vars, &pairs, &err),
        0);
    ck_assert_uint_eq(pairs.n, 0);
    ck_assert_int_eq(mcph_spec_resolve(spec, &spec->key_password, conf_lookup,
                                       (void *)vars, &pairs, &err),
                     0);
    ck_assert_uint_eq(pairs.n, 0);
}
END_TEST

START_TEST(a_variable_may_hold_newlines) /* R13 */
{
    const char *vars[] = {"KEY", "-----\nline\n-----", NULL};

    add_env("PEM", "", "KEY");
    ck_assert_int_eq(resolve(vars), 0);
    ck_assert_str_eq(pairs.items[0].text, "-----\nline\n-----");
}
END_TEST

START_TEST(the_pairs_have_the_order_of_the_file)
{
    const char *vars[] = {NULL};

    add_env("B", "1", NULL);
    add_env("A", "2", NULL);
    ck_assert_int_eq(resolve(vars), 0);
    ck_assert_str_eq(pairs.items[0].name, "B");
    ck_assert_str_eq(pairs.items[1].name, "A");
}
END_TEST

START_TEST(without_declarations_there_are_no_pairs)
{
    const char *vars[] = {NULL};

    ck_assert_int_eq(resolve(vars), 0);
    ck_assert_int_eq((int)pairs.n, 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "value");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_literal_is_used_unchanged);
    tcase_add_test(tc, a_reference_copies_the_hosts_value_under_the_new_name);
    tcase_add_test(tc, a_prefix_stands_before_the_hosts_value);
    tcase_add_test(tc, each_start_reads_the_environment_anew);
    tcase_add_test(tc, a_missing_variable_is_reported_with_server_and_target);
    tcase_add_test(tc, a_missing_variable_of_a_header_is_reported_in_the_same_way);
    tcase_add_test(tc, an_empty_variable_is_present);
    tcase_add_test(tc, a_header_value_with_a_line_break_is_refused_and_not_shown);
    tcase_add_loop_test(tc, a_proxy_from_the_environment_is_checked_when_it_is_resolved,
                        0, (int)MCPH_ARRAY_SIZE(proxies));
    tcase_add_test(tc, values_that_are_not_configured_resolve_to_nothing);
    tcase_add_test(tc, a_variable_may_hold_newlines);
    tcase_add_test(tc, the_pairs_have_the_order_of_the_file);
    tcase_add_test(tc, without_declarations_there_are_no_pairs);
}

int
main(void)
{
    return test_main("config-value", add);
}
