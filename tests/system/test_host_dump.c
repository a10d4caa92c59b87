/* SPDX-License-Identifier: MIT
 *
 * test_host_dump.c - status, problems and errors as JSON: the JSON agrees with the
 * getters and is valid whatever servers write.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "support/hostrig.h"

static struct hostrig hr;

/* Makes `source` load the entries that hr_server() and hr_entry() have written.  Then
 * begins a new file. */
static void
load_servers(mcphost_source *source)
{
    mcphost_config *config;

    hr_save(&hr);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_source_load(source, config), 0);
    mcphost_config_unref(config);
    hr_edit(&hr);
}

/* Checks that `r` is 0 and that `json` is one line of JSON of `len` bytes.  Frees `json`
 * and returns a copy.  The copy is valid until the next call. */
static const char *
text_of(int r, char *json, size_t len)
{
    static char text[16384];
    struct mcph_span value;

    ck_assert_int_eq(r, 0);
    ck_assert_uint_eq(strlen(json), len);
    ck_assert_uint_lt(len, sizeof(text));
    ck_assert_int_eq(mcph_json_check((struct mcph_span){json, len}, 64, &value, NULL), 0);
    ck_assert(mcph_utf8_valid(json, len, NULL));
    ck_assert_ptr_null(strchr(json, '\n'));
    memcpy(text, json, len + 1);
    mcphost_free(json);
    return text;
}

static const char *
status_text(const mcphost_status *status)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_status_make_json(status, &json, &len);

    return text_of(r, json, len);
}

static const char *
error_text(const mcphost_error *err)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_error_make_json(err, &json, &len);

    return text_of(r, json, len);
}

static const char *
problem_text(const mcphost_problem *problem)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_problem_make_json(problem, &json, &len);

    return text_of(r, json, len);
}

static const char *
problems_text(const mcphost_problems *problems)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_problems_make_json(problems, &json, &len);

    return text_of(r, json, len);
}

/* ---- status ------------------------------------------------------------------------ */

/* Returns `n` as text, or "null" if `n` is below `least`.  Up to four texts stay
 * valid. */
static const char *
known(int64_t n, int64_t least)
{
    static char texts[4][24];
    static unsigned next;
    char *text = texts[next++ % 4];

    snprintf(text, sizeof(texts[0]), "%" PRId64, n);
    return n >= least ? text : "null";
}

/* Loads two sources and returns the source "plug".  Server `a` of the default source
 * runs, and server `off` is disabled.  The program of server `a` in "plug" does not
 * exist. */
static mcphost_source *
two_sources(void)
{
    mcphost_source *plug;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_server(&hr, "a", "era: legacy", NULL);
    hr_entry(&hr, "off: {transport: streamable_http, url: 'http://x/', enabled: false}");
    load_servers(mcphost_default_source(hr.host));
    ck_assert_int_eq(mcphost_source_new(hr.host, "plug", &plug, NULL), 0);
    hr_entry(&hr, "a: {transport: stdio, command: /no/such/program}");
    load_servers(plug);
    hr_ready(&hr);
    return plug;
}

static void
down(mcphost_source *source)
{
    hr_close(&hr);
    mcphost_source_unref(source);
    hr_clear(&hr);
}

/* R117 */
START_TEST(a_status_is_one_json_text_with_a_row_for_each_server)
{
    mcphost_source *plug = two_sources();
    mcphost_status *status;
    char expected[4096], row[2048], *json = NULL;
    size_t len = 0;
    int n;

    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_uint_eq(mcphost_status_count_servers(status), 3);
    ck_assert_int_eq(mcphost_status_server_get_era(status, 0), MCPHOST_ERA_LEGACY);
    ck_assert_int_eq(mcphost_status_server_get_era(status, 2), MCPHOST_ERA_AUTO);
    n = snprintf(row, sizeof(row),
                 "{\"id\":\"a\",\"transport\":\"stdio\",\"era\":\"legacy\","
                 "\"version\":\"%s\",\"state\":\"loaded\",\"pid\":%s,"
                 "\"containment\":\"%s\",\"tools\":%zu,\"has_tools\":true,"
                 "\"ms\":%s,\"latency_ms\":%s,\"error\":null}",
                 mcphost_status_server_get_version(status, 0),
                 known(mcphost_status_server_get_pid(status, 0), 1),
                 mcphost_enum_get_name(MCPHOST_ENUM_CONTAINMENT,
                                       mcphost_status_server_get_containment(status, 0)),
                 mcphost_status_server_count_tools(status, 0),
                 known(mcphost_status_server_get_start_ms(status, 0), 0),
                 known(mcphost_status_server_get_latency_ms(status, 0), 0));
    ck_assert_int_lt(n, (int)sizeof(row));
    n = snprintf(expected, sizeof(expected),
                 "{\"servers\":[%s,"
                 "{\"id\":\"off\",\"transport\":\"streamable_http\",\"era\":null,"
                 "\"version\":null,\"state\":\"disabled\",\"pid\":null,"
                 "\"containment\":null,\"tools\":0,\"has_tools\":null,\"ms\":null,"
                 "\"latency_ms\":null,\"error\":null},"
                 "{\"id\":\"a\",\"source\":\"plug\",\"transport\":\"stdio\",\"era\":null,"
                 "\"version\":null,\"state\":\"unavailable\",\"pid\":null,"
                 "\"containment\":null,\"tools\":0,\"has_tools\":null,\"ms\":null,"
                 "\"latency_ms\":null,\"error\":%s}],\"leases\":[]}",
                 row, error_text(mcphost_status_server_get_error(status, 2)));
    ck_assert_int_lt(n, (int)sizeof(expected));
    ck_assert_str_eq(status_text(status), expected);
    n = mcphost_status_server_make_json(status, 0, &json, &len);
    ck_assert_str_eq(text_of(n, json, len), row);
    mcphost_status_unref(status);
    down(plug);
}
END_TEST

START_TEST(a_status_has_a_row_for_each_lease) /* R82 */
{
    mcphost_source *plug;
    mcphost_status *status;
    mcphost_view *view;
    mcphost_dialog *dialog;
    char expected[1024];

    hr_up(&hr);
    ck_assert_int_eq(mcphost_source_new(hr.host, "plug", &plug, NULL), 0);
    hr_server(&hr, "own", NULL, NULL);
    load_servers(plug);
    hr_ready(&hr);
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "v", &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, plug, NULL, 0), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "d \"1\"", NULL, &dialog, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = dialog;
    hr_until(&hr, strstr(hr_tools(&hr, dialog), "own_echo") != NULL);
    hr_say(&hr, dialog, "own_echo", "{\"text\":\"x\"}");
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_uint_eq(mcphost_status_count_leases(status), 1);
    snprintf(
        expected, sizeof(expected),
        "\"leases\":[{\"server\":\"own\",\"source\":\"plug\","
        "\"dialog\":\"d \\\"1\\\"\",\"scope\":\"dialog\",\"scope_key\":\"d \\\"1\\\"\","
        "\"pid\":%" PRId64 ",\"state\":\"ready\",\"in_flight\":0,"
        "\"since_ms\":%" PRId64 "}]}",
        mcphost_status_lease_get_pid(status, 0),
        mcphost_status_lease_get_since_ms(status, 0));
    test_has(status_text(status), expected);
    mcphost_status_unref(status);
    mcphost_view_unref(view);
    down(plug);
}
END_TEST

/* ---- errors ------------------------------------------------------------------------ */

START_TEST(the_json_of_an_error_has_only_members_that_are_set) /* R18 */
{
    static const char data[] = "{ \"k\":[1]}", tail[] = "Error: no\n\tat x";
    mcphost_error *err = NULL;

    mcph_err(&err, MCPHOST_E_TIMEOUT, "too \"late\"");
    ck_assert_str_eq(error_text(err), "{\"code\":-40,\"message\":\"too \\\"late\\\"\"}");
    err = mcphost_error_unref(err);
    mcph_err_rpc(&err, -32001, "no", 2, data, strlen(data));
    mcph_err_set_server(err, NULL, "web");
    mcph_err_set_http(err, 429, "7", 1);
    mcph_err_set_stderr_tail(err, tail, strlen(tail));
    ck_assert_str_eq(
        error_text(err),
        "{\"code\":-63,\"message\":\"server 'web': no (JSON-RPC error -32001)\","
        "\"server\":\"web\","
        "\"rpc_code\":-32001,\"rpc_data\":{ \"k\":[1]},\"http_status\":429,"
        "\"stderr\":\"Error: no\\n\\tat x\"}");
    mcphost_error_unref(err);
}
END_TEST

/* ---- problems ---------------------------------------------------------------------- */

static const char *
expected_of(const mcphost_problem *problem, const char *source, const char *resolved)
{
    static char text[4096];
    int n = snprintf(text, sizeof(text),
                     "{\"id\":\"%s\",\"kind\":\"%s\",\"severity\":\"error\","
                     "\"server\":\"bad\",%s\"message\":\"%s\",\"detail\":%s,"
                     "\"first_seen_ms\":%" PRId64 ",\"last_seen_ms\":%" PRId64 "%s}",
                     mcphost_problem_get_id(problem), mcphost_problem_get_kind(problem),
                     source, mcphost_problem_get_message(problem),
                     mcphost_problem_get_detail(problem, NULL),
                     mcphost_problem_get_first_seen_ms(problem),
                     mcphost_problem_get_last_seen_ms(problem), resolved);

    ck_assert_int_lt(n, (int)sizeof(text));
    return text;
}

/* R115 R117 */
START_TEST(the_json_of_problems_has_source_and_resolution_time)
{
    mcphost_source *plug;
    mcphost_problems *problems;
    mcphost_problem *active, *resolved;
    char expected[8192], end[64];
    int n;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_entry(&hr, "bad: {transport: stdio, command: /no/such/program}");
    load_servers(mcphost_default_source(hr.host));
    ck_assert_int_eq(mcphost_source_new(hr.host, "plug", &plug, NULL), 0);
    hr_entry(&hr, "bad: {transport: stdio, command: /no/such/other}");
    load_servers(plug);
    hr_ready(&hr);
    hr_entry(&hr, "off: {transport: stdio, command: x, enabled: false}");
    load_servers(mcphost_default_source(hr.host));
    hr_until(&hr, !hr_problem(&hr, "mcp/server/bad/server_error"));
    ck_assert_int_eq(mcphost_select_problems(
                         hr.host, MCPHOST_PROBLEMS_ACTIVE | MCPHOST_PROBLEMS_RESOLVED,
                         NULL, NULL, &problems),
                     0);
    ck_assert_uint_eq(mcphost_problems_count(problems), 2);
    active = mcphost_problems_get(problems, 0);
    resolved = mcphost_problems_get(problems, 1);
    ck_assert_str_eq(problem_text(active),
                     expected_of(active, "\"source\":\"plug\",", ""));
    snprintf(end, sizeof(end), ",\"resolved_ms\":%" PRId64,
             mcphost_problem_get_resolved_ms(resolved));
    ck_assert_str_eq(problem_text(resolved), expected_of(resolved, "", end));
    n = snprintf(expected, sizeof(expected), "{\"version\":%" PRIu64 ",\"problems\":[%s,",
                 mcphost_problems_get_version(problems), problem_text(active));
    snprintf(expected + n, sizeof(expected) - (size_t)n, "%s]}", problem_text(resolved));
    ck_assert_str_eq(problems_text(problems), expected);
    mcphost_problems_unref(problems);
    down(plug);
}
END_TEST

/* ---- odd input and arguments ------------------------------------------------------- */

START_TEST(stderr_with_invalid_bytes_leaves_the_json_valid) /* R115 */
{
    mcphost_status *status;
    mcphost_problems *problems;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_server(
        &hr, "a", NULL,
        "on spawn\n  stderr bad \\xff\\xc3 \"quoted\" \\x01\\x1b[31m\\t\\\\\n  exit 1\n");
    hr_load(&hr);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    test_has(status_text(status),
             "\"stderr\":\"bad \xef\xbf\xbd\xef\xbf\xbd \\\"quoted\\\" ");
    mcphost_status_unref(status);
    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    test_has(problems_text(problems), "\"server\":\"a\"");
    mcphost_problems_unref(problems);
    hr_down(&hr);
}
END_TEST

START_TEST(the_json_of_an_empty_host_has_empty_lists)
{
    mcphost_status *status;
    mcphost_problems *problems;
    char expected[64];

    hr_up(&hr);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_str_eq(status_text(status), "{\"servers\":[],\"leases\":[]}");
    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    snprintf(expected, sizeof(expected), "{\"version\":%" PRIu64 ",\"problems\":[]}",
             mcphost_problems_get_version(problems));
    ck_assert_str_eq(problems_text(problems), expected);
    mcphost_problems_unref(problems);
    mcphost_status_unref(status);
    hr_down(&hr);
}
END_TEST

START_TEST(bad_arguments_are_refused_and_change_nothing)
{
    mcphost_status *status;
    mcphost_problems *problems;
    mcphost_error *err = NULL;
    char *json = NULL;
    size_t len = 77;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    mcph_err(&err, MCPHOST_E_IO, "x");
    ck_assert_int_eq(mcphost_status_make_json(NULL, &json, &len), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_status_make_json(status, NULL, &len), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_status_server_make_json(status, 0, &json, &len),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_status_server_make_json(NULL, 0, &json, &len),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_problems_make_json(NULL, &json, &len), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_problems_make_json(problems, NULL, &len), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_problem_make_json(NULL, &json, &len), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_error_make_json(NULL, &json, &len), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_error_make_json(err, NULL, &len), MCPHOST_E_INVALID);
    ck_assert_ptr_null(json);
    ck_assert_uint_eq(len, 77);
    ck_assert_int_eq(mcphost_error_make_json(err, &json, NULL), 0); /* ret_len is NULL */
    mcphost_free(json);
    mcphost_error_unref(err);
    mcphost_problems_unref(problems);
    mcphost_status_unref(status);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "rows");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_status_is_one_json_text_with_a_row_for_each_server);
    tcase_add_test(tc, a_status_has_a_row_for_each_lease);
    tcase_add_test(tc, the_json_of_an_error_has_only_members_that_are_set);
    tcase_add_test(tc, the_json_of_problems_has_source_and_resolution_time);
    tc = test_case(suite, "any");
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, stderr_with_invalid_bytes_leaves_the_json_valid);
    tcase_add_test(tc, the_json_of_an_empty_host_has_empty_lists);
    tcase_add_test(tc, bad_arguments_are_refused_and_change_nothing);
}

int
main(void)
{
    return test_main("host-dump", add);
}
