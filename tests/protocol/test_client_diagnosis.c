/* SPDX-License-Identifier: MIT
 *
 * test_client_diagnosis.c - the diagnosis of a server that did not come up, from the
 * results of test requests.
 */
#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "support/runner.h"

#define TEXT(text) .type = "text/plain", .body = {text, sizeof(text) - 1}

static const struct {
    struct mcph_trial server, health;
    const char *message; /* text that follows the original message */
} results[] = {
    {{.method = "POST", .status = 404, TEXT("no\n\x1b[2Jsuch")},
     {.method = "GET", .status = 200},
     "; POST initialize: HTTP 404, text/plain, \"no  [2Jsuch\""
     "; GET /health: HTTP 200, no content type"
     "; likely cause: the path is not that of an MCP endpoint"
     "; next: check the path of 'url'"},
    {{.method = "POST", .status = 500, .type = "a/b"},
     {.method = "GET", .status = 204, .type = "a/b"},
     "; POST initialize: HTTP 500, a/b; GET /health: HTTP 204, a/b; likely cause: the "
     "server runs, but its MCP endpoint fails; next: look into the log of the server"},
    {{.method = "POST", .status = 500, .type = "a/b"},
     {.method = "GET"},
     "; POST initialize: HTTP 500, a/b; GET /health: no answer"
     "; likely cause: the server, or a proxy before it, fails"
     "; next: look into the log of the server"},
    {{.method = "GET", .fault = MCPH_NET_FAULT_CONNECT, .failure = "is ill"},
     {.method = "GET", .fault = MCPH_NET_FAULT_TLS, .failure = "speaks no TLS"},
     "; GET: the same; GET /health: speaks no TLS"
     "; likely cause: the network is down, or nothing listens there"
     "; next: check that the server runs, and host and port of 'url'"},
    {{.method = NULL},
     {.method = NULL},
     "; likely cause: the server is silent, or does not speak the protocol of 'url' "
     "(http, https); next: check scheme and port of 'url', then look into the log of the "
     "server"},
};

static mcphost_error *
make_illness(void)
{
    mcphost_error *error = NULL;

    mcph_err(&error, MCPHOST_E_AUTH, "is ill");
    mcph_err_set_server(error, "file", "s");
    mcph_err_set_http(error, 429, "7", 1);
    return error;
}

/* B.15 */
START_TEST(results_name_the_likely_cause_and_the_next_step)
{
    mcphost_error *illness = make_illness();
    mcphost_error *error =
        mcph_client_diagnose(illness, &results[_i].server, &results[_i].health);
    char expected[1024];

    snprintf(expected, sizeof(expected), "server 's': is ill%s", results[_i].message);
    ck_assert_str_eq(mcphost_error_get_message(error), expected);
    mcphost_error_unref(illness);
    mcphost_error_unref(error);
}
END_TEST

START_TEST(the_original_error_lends_code_server_and_status)
{
    static const struct mcph_trial server = {.method = "POST", .status = 500},
                                   health = {0};
    mcphost_error *illness = make_illness();
    mcphost_error *error = mcph_client_diagnose(illness, &server, &health);

    ck_assert_int_eq(mcphost_error_get_code(error), MCPHOST_E_AUTH);
    ck_assert_str_eq(mcphost_error_get_server_id(error), "s");
    ck_assert_str_eq(mcphost_error_get_source_id(error), "file");
    ck_assert_int_eq(mcphost_error_get_http_status(error), 429);
    ck_assert_str_eq(mcphost_error_get_retry_after(error), "7");
    mcphost_error_unref(illness);
    mcphost_error_unref(error);
}
END_TEST

START_TEST(a_long_page_is_cut)
{
    char page[MCPH_TRIAL_BODY];
    struct mcph_trial server = {.method = "POST", .status = 400}, health = {0};
    mcphost_error *illness = make_illness(), *error;
    const char *shown;

    memset(page, 'x', sizeof(page));
    server.body = mcph_span(page, _i ? 281 : 280);
    error = mcph_client_diagnose(illness, &server, &health);
    shown = strstr(mcphost_error_get_message(error), "\"x");
    ck_assert_ptr_nonnull(shown);
    ck_assert_uint_eq(strspn(shown + 1, "x"), 280);
    ck_assert_int_eq(strncmp(shown + 281, _i ? "...\"; " : "\"; ", _i ? 6 : 3), 0);
    mcphost_error_unref(illness);
    mcphost_error_unref(error);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "diagnosis");

    tcase_add_loop_test(tc, results_name_the_likely_cause_and_the_next_step, 0,
                        MCPH_ARRAY_SIZE(results));
    tcase_add_test(tc, the_original_error_lends_code_server_and_status);
    tcase_add_loop_test(tc, a_long_page_is_cut, 0, 2);
}

int
main(void)
{
    return test_main("client-diagnosis", add);
}
