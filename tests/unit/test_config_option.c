/* SPDX-License-Identifier: MIT
 *
 * test_config_option.c - the table of options.
 *
 * The table must agree with the header and the manual.  The table decides which values
 * are allowed.
 */
#include <check.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "support/runner.h"

#include <mcphost/mcphost.h>

#define TEXT_MAX ((size_t)256 * 1024)

static char *
read_source(const char *path)
{
    char full[1024];
    struct mcph_buf buf;
    char *text;

    snprintf(full, sizeof(full), "%s/%s", test_srcdir(), path);
    mcph_buf_init(&buf, TEXT_MAX);
    ck_assert_int_eq(mcph_file_read(full, TEXT_MAX, &buf, NULL), 0);
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(text);
    return text;
}

static const char *
name_of(const struct mcph_option *option)
{
    return mcphost_enum_get_name(MCPHOST_ENUM_OPTION, option->number);
}

static const char *
symbol(const struct mcph_option *option)
{
    static char text[64];
    size_t n = (size_t)snprintf(text, sizeof(text), "MCPHOST_OPT_%s", name_of(option));

    ck_assert_uint_lt(n, sizeof(text));
    for (char *p = text; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return text;
}

static const char *
expected(const struct mcph_option *option)
{
    static char text[512];
    struct mcph_buf buf;

    mcph_buf_init(&buf, sizeof(text) - 1);
    mcph_option_expected(option, &buf);
    ck_assert_int_eq(mcph_buf_ok(&buf), 0);
    memcpy(text, buf.data, buf.len);
    text[buf.len] = '\0';
    mcph_buf_done(&buf);
    return text;
}

/* ---- completeness ------------------------------------------------------------------ */

START_TEST(each_option_of_the_header_has_a_row)
{
    char *text = read_source("include/mcphost/policy.h"), *p = text;
    size_t n = 0;

    while ((p = strstr(p, " MCPHOST_OPT_")) != NULL) {
        char name[64];
        int number;

        p++;
        if (sscanf(p, "%63s = %d", name, &number) != 2)
            continue;
        ck_assert_msg(mcph_option_find(number) != NULL, "%s has no row", name);
        ck_assert_str_eq(symbol(mcph_option_find(number)), name);
        n++;
    }
    ck_assert_ptr_nonnull(mcph_option_at(n - 1));
    ck_assert_ptr_null(mcph_option_at(n));
    free(text);
}
END_TEST

START_TEST(each_row_has_a_unique_number_and_an_allowed_default)
{
    const struct mcph_option *option;

    for (size_t i = 0; (option = mcph_option_at(i)); i++) {
        ck_assert_int_gt(option->number, 0);
        ck_assert_int_lt(option->number, MCPH_OPTIONS);
        ck_assert_ptr_eq(mcph_option_find(option->number), option);
        ck_assert_msg(mcph_option_check(option->number, option->fallback, NULL) == 0,
                      "the default of %s", name_of(option));
    }
}
END_TEST

START_TEST(each_row_names_a_room_of_the_library)
{
    const struct mcph_option *option;
    char *rooms = read_source("scripts/rooms"), line[64];

    for (size_t i = 0; (option = mcph_option_at(i)); i++) {
        snprintf(line, sizeof(line), " %s", option->room);
        ck_assert_msg(strstr(rooms, line) != NULL, "%s: %s", name_of(option),
                      option->room);
    }
    free(rooms);
}
END_TEST

/* The table in the manual must have a line for each option. */
START_TEST(the_manual_has_default_owner_and_values_of_each_option)
{
    const struct mcph_option *option;
    char *page = read_source("man/mcphost_set_option.3"), line[1024];

    for (size_t i = 0; (option = mcph_option_at(i)); i++) {
        snprintf(line, sizeof(line), "\n.It Dv %s\n", symbol(option));
        ck_assert_msg(strstr(page, line) != NULL, "the manual lacks%s", line);
        snprintf(line, sizeof(line), "\n.It Dv %s Ta %" PRId64 " Ta %s Ta \"%s\"\n",
                 symbol(option), option->fallback,
                 option->flags & MCPH_OPTION_OF_SOURCE ? "source" : "host",
                 expected(option));
        ck_assert_msg(strstr(page, line) != NULL, "the manual lacks%s", line);
    }
    free(page);
}
END_TEST

START_TEST(a_new_host_has_the_default_of_each_option)
{
    const struct mcph_option *option;
    mcphost *host = NULL;
    int64_t value;

    ck_assert_int_eq(mcphost_new(&host, NULL), 0);
    for (size_t i = 0; (option = mcph_option_at(i)); i++) {
        ck_assert_int_eq(mcphost_get_option(host, option->number, &value), 0);
        ck_assert_int_eq(value, option->fallback);
    }
    mcphost_unref(host);
}
END_TEST

/* ---- values ------------------------------------------------------------------------ */

static const struct {
    int option;
    int64_t value;
    const char *error; /* NULL if the value is allowed */
} values[] = {
    {MCPHOST_OPT_STOP_EOF, 0, NULL},
    {MCPHOST_OPT_STOP_EOF, 600000, NULL},
    {MCPHOST_OPT_STOP_EOF, 600001,
     "option stop_eof: expected milliseconds from 0 to 600000, found 600001"},
    {MCPHOST_OPT_START_TIMEOUT, 0,
     "option start_timeout: expected milliseconds from 1 on, found 0"},
    {MCPHOST_OPT_START_TIMEOUT, INT64_MAX,
     "option start_timeout: expected milliseconds from 1 on, found 9223372036854775807"},
    {MCPHOST_OPT_CALL_TIMEOUT, -1, NULL},
    {MCPHOST_OPT_CALL_TIMEOUT, -2,
     "option call_timeout: expected milliseconds from 0 on, or none (-1), found -2"},
    {MCPHOST_OPT_DRAIN_TIMEOUT, MCPHOST_DRAIN_INFINITE, NULL},
    {MCPHOST_OPT_DRAIN_TIMEOUT, -3,
     "option drain_timeout: expected milliseconds from 0 on, or auto (-1) or infinite "
     "(-2), found -3"},
    {MCPHOST_OPT_LIST_PAGES, 100001,
     "option list_pages: expected a number from 1 to 100000, found 100001"},
    {MCPHOST_OPT_MESSAGE_BYTES, 1023,
     "option message_bytes: expected bytes from 1024 to 4294967296, found 1023"},
    {MCPHOST_OPT_RETRY, 1, NULL},
    {MCPHOST_OPT_RETRY, 2, "option retry: expected 0 or 1, found 2"},
    {MCPHOST_OPT_COLLISION, MCPHOST_COLLISION_REJECT, NULL},
    {MCPHOST_OPT_COLLISION, 2,
     "option collision: expected skip (0) or reject (1), found 2"},
    {MCPHOST_OPT_COLLISION, INT64_C(4294967296),
     "option collision: expected skip (0) or reject (1), found 4294967296"},
    {MCPHOST_OPT_INHERIT_ENV, -1,
     "option inherit_env: expected all (0), minimal (1) or none (2), found -1"},
    {MCPHOST_OPT_TRANSPORTS, 7, NULL},
    {MCPHOST_OPT_TRANSPORTS, 0,
     "option transports: expected the sum of some of stdio (1), streamable_http (2) or "
     "sse (4), found 0"},
    {MCPHOST_OPT_TRANSPORTS, 8,
     "option transports: expected the sum of some of stdio (1), streamable_http (2) or "
     "sse (4), found 8"},
    {MCPHOST_OPT_REQUESTS, 0, NULL},
    {MCPHOST_OPT_REQUESTS, 127, NULL},
    {MCPHOST_OPT_REQUESTS, 128,
     "option requests: expected the sum of some of form (1), url (2), sampling (4), "
     "roots (8), sampling_tools (16), credentials (32) or authorize (64), or 0, found "
     "128"},
    {MCPHOST_OPT_LOGIN_FLOW, MCPHOST_FLOW_TOKEN_EXCHANGE, NULL},
    {MCPHOST_OPT_LOGIN_FLOW, 6,
     "option login_flow: expected auto (0), browser (1), device (2), client_credentials "
     "(3), jwt_bearer (4) or token_exchange (5), found 6"},
    {19, 0, "no option has the number 19"},
    {0, 0, "no option has the number 0"},
    {-1, 0, "no option has the number -1"},
};

#define N_VALUES (int)MCPH_ARRAY_SIZE(values)

/* R170 */
START_TEST(a_refused_value_is_reported_with_the_allowed_values)
{
    mcphost_error *err = NULL;
    int r = mcphost_check_option(values[_i].option, values[_i].value, &err);

    if (values[_i].error) {
        ck_assert_int_eq(r, MCPHOST_E_INVALID);
        ck_assert_str_eq(mcphost_error_get_message(err), values[_i].error);
    } else {
        ck_assert_int_eq(r, 0);
        ck_assert_ptr_null(err);
    }
    mcphost_error_unref(err);
}
END_TEST

START_TEST(a_host_accepts_exactly_the_values_that_the_check_allows)
{
    mcphost *host = NULL;
    int64_t value;
    int r;

    ck_assert_int_eq(mcphost_new(&host, NULL), 0);
    r = mcphost_set_option(host, values[_i].option, values[_i].value);
    ck_assert_int_eq(r, values[_i].error ? MCPHOST_E_INVALID : 0);
    if (!values[_i].error) {
        ck_assert_int_eq(mcphost_get_option(host, values[_i].option, &value), 0);
        ck_assert_int_eq(value, values[_i].value);
    }
    mcphost_unref(host);
}
END_TEST

/* After the host has loaded its first source, a caller may set an option only if the host
 * reads the option anew at each use. */
START_TEST(the_header_names_the_options_that_may_be_set_at_any_time)
{
    char *text = read_source("include/mcphost/policy.h");
    char *from = strstr(text, "mcphost_set_option - "),
         *to = from ? strstr(from, " * Errors") : NULL;
    const struct mcph_option *option;

    ck_assert_ptr_nonnull(to);
    *to = '\0';
    for (size_t i = 0; (option = mcph_option_at(i)); i++)
        ck_assert_msg((strstr(from, symbol(option)) != NULL) ==
                          ((option->flags & MCPH_OPTION_ANY_TIME) != 0),
                      "%s", name_of(option));
    free(text);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "table");

    tcase_add_test(tc, each_option_of_the_header_has_a_row);
    tcase_add_test(tc, each_row_has_a_unique_number_and_an_allowed_default);
    tcase_add_test(tc, each_row_names_a_room_of_the_library);
    tcase_add_test(tc, the_manual_has_default_owner_and_values_of_each_option);
    tcase_add_test(tc, a_new_host_has_the_default_of_each_option);
    tcase_add_test(tc, the_header_names_the_options_that_may_be_set_at_any_time);
    tc = test_case(suite, "values");
    tcase_add_loop_test(tc, a_refused_value_is_reported_with_the_allowed_values, 0,
                        N_VALUES);
    tcase_add_loop_test(tc, a_host_accepts_exactly_the_values_that_the_check_allows, 0,
                        N_VALUES);
}

int
main(void)
{
    return test_main("config-option", add);
}
