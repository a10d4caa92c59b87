/* SPDX-License-Identifier: MIT
 *
 * test_profile_mcpservers.c - the `mcpServers` file of other programs, and the variables
 * in its texts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "support/conf.h"
#include "support/heap.h"
#include "support/runner.h"

static mcphost_config *config;
static struct mcph_spec *launch;
static mcphost_error *err;

static void
down(void)
{
    launch = mcph_spec_unref(launch);
    config = mcph_config_unref(config);
    err = mcphost_error_unref(err);
}

static void
load_text(const char *text)
{
    config = mcph_config_unref(config);
    ck_assert_int_eq(mcph_mcpservers_parse(text, strlen(text), ".mcp.json", "/ws",
                                           MCPH_TRANSPORTS_USUAL | MCPHOST_ALLOW_SSE,
                                           &config, NULL),
                     0);
}

/* Loads a file with one server `x` that has the given members. */
static void
load_server(const char *members)
{
    char text[4096];

    snprintf(text, sizeof(text), "{\"mcpServers\": {\"x\": {%s}}}", members);
    load_text(text);
}

static struct mcph_spec *
spec_of(const char *members)
{
    load_server(members);
    return (struct mcph_spec *)(uintptr_t)conf_spec(config, "x");
}

/* ---- the file ---------------------------------------------------------------------- */

/* The text has the form in which a program for developers writes the file. */
START_TEST(a_project_file_is_read) /* K8 */
{
    const struct mcph_spec *spec;

    load_text(
        "{\n"
        "  \"mcpServers\": {\n"
        "    \"memory\": {\n"
        "      \"type\": \"stdio\",\n"
        "      \"command\": \"npx\",\n"
        "      \"args\": [\"-y\", \"@modelcontextprotocol/server-memory\"],\n"
        "      \"env\": {\"MEMORY_FILE_PATH\": \"${HOME}/m.json\", \"N\": 3, \"B\": "
        "true},\n"
        "      \"timeout\": 120000\n"
        "    },\n"
        "    \"issues\": {\n"
        "      \"type\": \"http\",\n"
        "      \"url\": \"HTTPS://Issues.example:443/mcp\",\n"
        "      \"headers\": {\"Authorization\": \"Bearer ${TOKEN}\"}\n"
        "    },\n"
        "    \"old\": {\"type\": \"sse\", \"url\": \"http://old/sse\"},\n"
        "    \"off\": {\"command\": \"x\", \"disabled\": true}\n"
        "  }\n"
        "}\n");
    ck_assert_str_eq(conf_diags(config), "");
    spec = conf_spec(config, "memory");
    ck_assert_int_eq(spec->transport, MCPHOST_TRANSPORT_STDIO);
    ck_assert_str_eq(spec->command, "npx");
    ck_assert_int_eq((int)spec->args.n, 2);
    ck_assert_str_eq(spec->args.items[1], "@modelcontextprotocol/server-memory");
    ck_assert_str_eq(spec->env.items[0].text, "${HOME}/m.json");
    ck_assert_str_eq(spec->env.items[1].text, "3");
    ck_assert_str_eq(spec->env.items[2].text, "true");
    ck_assert_str_eq(spec->cwd, "/ws");
    ck_assert_int_eq(spec->call_timeout_ms, 120000);
    ck_assert_int_eq(spec->line, 3);
    spec = conf_spec(config, "issues");
    ck_assert_int_eq(spec->transport, MCPHOST_TRANSPORT_STREAMABLE_HTTP);
    ck_assert_str_eq(spec->url, "https://issues.example/mcp");
    ck_assert_int_eq(conf_spec(config, "old")->transport, MCPHOST_TRANSPORT_SSE);
    ck_assert_int_eq(mcph_config_find(config, "off")->state,
                     MCPHOST_CONFIG_SERVER_DISABLED);
}
END_TEST

/* The parser accepts comments and extra commas, because people write them into
 * `mcpServers` files.  It ignores unknown keys, because other programs add keys.  An
 * unknown key of an entry gives one warning per file.  An unknown key beside `mcpServers`
 * gives no warning. */
START_TEST(comments_commas_and_foreign_keys_are_no_errors)
{
    load_text(
        "{ // mine\n"
        "  \"globalShortcut\": \"x\",\n"
        "  \"mcpServers\": {\n"
        "    \"a\": {\"command\": \"c\", \"alwaysAllow\": [\"x\"], \"icon\": 1,},\n"
        "    \"b\": {\"command\": \"c\", \"alwaysAllow\": [], /* ! */ \"icon\": 2},\n"
        "  },\n"
        "}\n");
    ck_assert_ptr_nonnull(conf_spec(config, "a"));
    ck_assert_ptr_nonnull(conf_spec(config, "b"));
    ck_assert_str_eq(conf_diags(config),
                     "4:27 warning mcpServers.a.alwaysAllow: unknown here, ignored in "
                     "this and other servers\n4:49 warning mcpServers.a.icon: unknown "
                     "here, ignored in this and other servers\n");
}
END_TEST

START_TEST(a_file_of_another_form_is_reported_with_line_and_column)
{
    static const struct {
        const char *text, *diags;
        int status;
    } all[] = {
        {"", "1:1 error ", MCPHOST_E_CONFIG},
        {"[]", "1:1 error expected an object with 'mcpServers', found a list\n",
         MCPHOST_E_CONFIG},
        {"{}", "1:1 warning there is no 'mcpServers'\n", 0},
        {"{\"mcpServers\":[]}",
         "1:15 error mcpServers: expected a map of servers, found a list\n",
         MCPHOST_E_CONFIG},
        {"{\"mcpServers\":{\"a\":{\"command\":\"c\"},\"a\":{\"command\":\"c\"}}}",
         "1:36 error mcpServers.a: duplicate key", MCPHOST_E_CONFIG}, /* K14 */
        {"{\"mcpServers\":{}", "1:17 error ", MCPHOST_E_CONFIG},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++) {
        load_text(all[i].text);
        ck_assert_int_eq(config->status, all[i].status);
        ck_assert_msg(strncmp(conf_diags(config), all[i].diags, strlen(all[i].diags)) ==
                          0,
                      "%s: %s", all[i].text, conf_diags(config));
    }
}
END_TEST

/* R104: each of these faults makes only one server invalid. */
START_TEST(a_fault_in_a_server_is_reported_with_its_key)
{
    static const struct {
        const char *members, *diag;
    } all[] = {
        {"", "expected either 'command' or 'url', found neither"},
        {"\"command\":\"c\",\"url\":\"http://h\"",
         "expected either 'command' or 'url', found both, and no 'type'"},
        {"\"type\":\"ws\",\"url\":\"http://h\"",
         "type: expected 'stdio', 'http' or 'sse', found 'ws'"},
        {"\"type\":1,\"url\":\"http://h\"",
         "type: expected 'stdio', 'http' or 'sse', found"},
        {"\"type\":\"http\",\"command\":\"c\"", "url: expected an http or https URL"},
        {"\"command\":\" \"", "command: expected a string that is not blank"},
        {"\"command\":\"c\",\"args\":\"-y\"", "args: expected a list of strings"},
        {"\"command\":\"c\",\"args\":[1]", "args[0]: expected a string"},
        {"\"command\":\"c\",\"env\":{\"A\":null}", "env.A: expected a string"},
        {"\"command\":\"c\",\"env\":{\"A=B\":\"x\"}",
         "expected the name of an environment"},
        {"\"command\":\"c\",\"timeout\":\"5\"",
         "timeout: expected a number of milliseconds, found a string"},
        {"\"command\":\"c\",\"timeout\":0", "timeout: expected milliseconds up to"},
        {"\"command\":\"c\",\"timeout\":-1", "timeout: expected milliseconds up to"},
        {"\"command\":\"c\",\"timeout\":1e18", "timeout: expected milliseconds up to"},
        {"\"command\":\"c\",\"disabled\":\"no\"", "disabled: expected true or false"},
        {"\"url\":\"ftp://h\"", "url: expected an http or https URL, found one that"},
        {"\"url\":\"http://h\",\"headers\":{\"A B\":\"x\"}",
         "the name of an HTTP header"},
        {"\"url\":\"http://h\",\"headers\":{\"A\":\"x\\n\"}",
         "found a control character"},
    };
    char text[1024];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++) {
        snprintf(text, sizeof(text),
                 "{\"mcpServers\":{\"x\":{%s},\"y\":{\"command\":\"c\"}}}",
                 all[i].members);
        load_text(text);
        ck_assert_int_eq(config->status, 0);
        ck_assert_msg(strstr(conf_diags(config), all[i].diag) != NULL, "%s: %s",
                      all[i].members, conf_diags(config));
        ck_assert_int_eq(mcph_config_find(config, "x")->state,
                         MCPHOST_CONFIG_SERVER_INVALID);
        ck_assert_ptr_nonnull(conf_spec(config, "y"));
    }
}
END_TEST

/* K6 */
START_TEST(a_transport_that_is_not_allowed_is_an_error)
{
    static const char text[] =
        "{\"mcpServers\":{\"x\":{\"type\":\"sse\",\"url\":\"http://h\"}}}";

    ck_assert_int_eq(mcph_mcpservers_parse(text, strlen(text), "f", "/ws",
                                           MCPH_TRANSPORTS_USUAL, &config, NULL),
                     0);
    ck_assert_str_eq(conf_diags(config),
                     "1:20 error mcpServers.x: expected a server over 'stdio' or "
                     "'streamable_http', found one over 'sse'\n");
}
END_TEST

START_TEST(timeouts_are_milliseconds_but_seconds_if_below_1000)
{
    ck_assert_int_eq(spec_of("\"command\":\"c\",\"timeout\":60")->call_timeout_ms, 60000);
    ck_assert_int_eq(spec_of("\"command\":\"c\",\"timeout\":1.5")->call_timeout_ms, 1500);
    ck_assert_int_eq(spec_of("\"command\":\"c\",\"timeout\":999")->call_timeout_ms,
                     999000);
    ck_assert_int_eq(spec_of("\"command\":\"c\",\"timeout\":1000")->call_timeout_ms,
                     1000);
    ck_assert_int_eq(spec_of("\"command\":\"c\"")->call_timeout_ms, -1);
}
END_TEST

START_TEST(relative_paths_start_at_the_workspace_or_at_cwd)
{
    static const struct {
        const char *members, *command, *cwd;
    } all[] = {
        {"\"command\":\"node\"", "node", "/ws"},
        {"\"command\":\"./s\"", "/ws/s", "/ws"},
        {"\"command\":\"bin/s\",\"cwd\":\"sub\"", "/ws/sub/bin/s", "/ws/sub"},
        {"\"command\":\"s\",\"cwd\":\"/abs\"", "s", "/abs"},
        {"\"command\":\"/bin/s\",\"cwd\":\"sub\"", "/bin/s", "/ws/sub"},
        {"\"command\":\"${B}/s\",\"cwd\":\"${D}\"", "${B}/s", "${D}"},
        {"\"command\":\"b/${B}/s\",\"cwd\":\"d/${D}\"", "/ws/d/${D}/b/${B}/s",
         "/ws/d/${D}"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++) {
        const struct mcph_spec *spec = spec_of(all[i].members);

        ck_assert_str_eq(spec->command, all[i].command);
        ck_assert_str_eq(spec->cwd, all[i].cwd);
    }
}
END_TEST

START_TEST(variables_in_the_form_of_cursor_are_rewritten)
{
    const struct mcph_spec *spec =
        spec_of("\"command\":\"c\",\"args\":[\"${workspaceFolder}/a\",\"${userHome}\","
                "\"${workspaceFolderBasename}${pathSeparator}${/}x\",\"${env:A}\","
                "\"${env:A:-b}\"]");

    ck_assert_str_eq(spec->args.items[0], "/ws/a");
    ck_assert_str_eq(spec->args.items[1], "${HOME}");
    ck_assert_str_eq(spec->args.items[2], "ws//x");
    ck_assert_str_eq(spec->args.items[3], "${A}");
    ck_assert_str_eq(spec->args.items[4], "${A:-b}");
}
END_TEST

/* ---- variables --------------------------------------------------------------------- */

static const char *vars[] = {"A",    "one", "HOST", "h.example", "EMPTY", "",
                             "ROOT", "/r",  "REL",  "r",         NULL};

static int
expand(struct mcph_spec *spec)
{
    launch = mcph_spec_unref(launch);
    err = mcphost_error_unref(err);
    return mcph_spec_expand(spec, conf_lookup, (void *)vars, &launch, &err);
}

/* K7 */
START_TEST(variables_are_expanded_in_every_text_when_a_server_starts)
{
    struct mcph_spec *spec =
        spec_of("\"command\":\"${ROOT}/bin/${A}\",\"cwd\":\"${ROOT}\",\"env\":{\"V\":"
                "\"<${A}>\"},\"args\":[\"${A}${EMPTY}${A}\",\"${NONE:-x y}\",\"$A\","
                "\"${A:-no}\",\"${NONE:-}\",\"${A%.c} ${1} ${} ${A\",\"$${A}\"]");

    ck_assert_int_eq(expand(spec), 0);
    ck_assert_ptr_ne(launch, spec);
    ck_assert_str_eq(launch->command, "/r/bin/one");
    ck_assert_str_eq(launch->cwd, "/r");
    ck_assert_str_eq(launch->env.items[0].name, "V");
    ck_assert_str_eq(launch->env.items[0].text, "<one>");
    ck_assert_str_eq(launch->args.items[0], "oneone");
    ck_assert_str_eq(launch->args.items[1], "x y");
    ck_assert_str_eq(launch->args.items[2], "$A");
    ck_assert_str_eq(launch->args.items[3], "one");
    ck_assert_str_eq(launch->args.items[4], "");
    ck_assert_str_eq(launch->args.items[5], "${A%.c} ${1} ${} ${A");
    ck_assert_str_eq(launch->args.items[6], "$one");
    ck_assert_int_eq(launch->transport, spec->transport);
    ck_assert_int_eq(launch->line, spec->line);
    /* The spec that is shown, compared and kept still has the variables. */
    ck_assert_str_eq(spec->args.items[0], "${A}${EMPTY}${A}");
    spec = spec_of("\"url\":\"http://${HOST}:80/${A}\",\"headers\":{\"X\":\"${A}\"}");
    ck_assert_str_eq(spec->url, "http://${HOST}:80/${A}");
    ck_assert_int_eq(expand(spec), 0);
    ck_assert_str_eq(launch->url, "http://h.example/one");
    ck_assert_str_eq(launch->headers.items[0].text, "one");
}
END_TEST

START_TEST(a_text_that_its_variables_make_invalid_is_reported_with_its_key) /* K7 */
{
    static const struct {
        const char *members, *text;
    } all[] = {
        {"\"command\":\"${NONE}\"", "command: environment variable 'NONE' is not set"},
        {"\"command\":\"c\",\"args\":[\"a\",\"${NONE}\"]",
         "args[1]: environment variable 'NONE' is not set"},
        {"\"command\":\"c\",\"env\":{\"V\":\"${NONE}\"}",
         "env.V: environment variable 'NONE' is not set"},
        {"\"command\":\"${REL}/x\"",
         "command: expected an absolute path, found a relative one"},
        {"\"command\":\"c\",\"cwd\":\"${REL}\"",
         "cwd: expected an absolute path, found a relative one"},
        {"\"url\":\"${A}\"",
         "url: expected an http or https URL, found one that does not "
         "begin with http:// or https://"},
        {"\"url\":\"http://${EMPTY}/x\"",
         "url: expected an http or https URL, found one that has no host"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(all); i++) {
        struct mcph_spec *spec = spec_of(all[i].members);

        ck_assert_int_eq(expand(spec), MCPHOST_E_CONFIG);
        test_has(mcphost_error_get_message(err), all[i].text);
        ck_assert_str_eq(mcphost_error_get_server_id(err), "x");
        ck_assert_int_eq(mcphost_error_get_line(err), 1);
        ck_assert_ptr_null(launch);
    }
}
END_TEST

START_TEST(with_variables_empty_an_unset_variable_is_empty)
{
    struct mcph_spec *spec = mcph_spec_new("x", "test");

    spec->transport = MCPHOST_TRANSPORT_STDIO;
    spec->variables = MCPH_VARIABLES_EMPTY;
    spec->command = mcph_strdup("c");
    spec->cwd = mcph_strdup("/");
    ck_assert_int_eq(mcph_strings_add(&spec->args, "<${NONE}>"), 0);
    ck_assert_int_eq(mcph_spec_seal(spec), 0);
    ck_assert_int_eq(expand(spec), 0);
    ck_assert_str_eq(launch->args.items[0], "<>");
    mcph_spec_unref(spec);
}
END_TEST

START_TEST(the_value_of_a_variable_in_an_argument_is_wiped)
{
    static const char mark[] = "this-token-must-not-stay";
    static const char *const pairs[] = {"A", "0123456789abcdef-this-token-must-not-stay",
                                        NULL};
    struct mcph_spec *spec =
        spec_of("\"command\":\"c\",\"args\":[\"--token\",\"x${A}\"]");

    ck_assert_int_eq(mcph_spec_expand(spec, conf_lookup, (void *)pairs, &launch, &err),
                     0);
    if (heap_count(mark) == 0)
        printf("not run: the heap is elsewhere under this tool\n");
    launch = mcph_spec_unref(launch);
    ck_assert_int_eq(heap_count(mark), 0);
}
END_TEST

START_TEST(an_expanded_text_over_the_limit_is_refused)
{
    static char large[700 * 1024];
    const char *pairs[] = {"A", large, NULL};
    struct mcph_spec *spec = spec_of("\"command\":\"c\",\"args\":[\"${A}${A}\"]");

    memset(large, 'x', sizeof(large) - 1);
    ck_assert_int_eq(mcph_spec_expand(spec, conf_lookup, pairs, &launch, &err),
                     MCPHOST_E_LIMIT);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "server 'x': args[0]: the text with its variables is too long");
}
END_TEST

/* R15 R18: the values of variables may differ between two starts, but the spec and its
 * hash do not change. */
START_TEST(the_launch_hash_covers_the_texts_but_not_the_values_of_variables)
{
    unsigned char before[MCPH_DIGEST_LEN];
    struct mcph_spec *plain = mcph_spec_new("x", "mcpservers");
    struct mcph_spec *spec = spec_of("\"command\":\"c\",\"args\":[\"${A}\"]");

    memcpy(before, spec->launch_hash, sizeof(before));
    ck_assert_int_eq(expand(spec), 0);
    ck_assert_mem_eq(spec->launch_hash, before, sizeof(before));
    /* A spec with equal texts that are not variables has another hash. */
    plain->transport = MCPHOST_TRANSPORT_STDIO;
    plain->command = mcph_strdup("c");
    plain->cwd = mcph_strdup("/ws");
    ck_assert_int_eq(mcph_strings_add(&plain->args, "${A}"), 0);
    ck_assert_int_eq(mcph_spec_seal(plain), 0);
    ck_assert(memcmp(plain->launch_hash, before, sizeof(before)) != 0);
    ck_assert_int_eq(expand(plain), 0);
    ck_assert_ptr_eq(launch, plain);
    mcph_spec_unref(plain);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "file");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, a_project_file_is_read);
    tcase_add_test(tc, comments_commas_and_foreign_keys_are_no_errors);
    tcase_add_test(tc, a_file_of_another_form_is_reported_with_line_and_column);
    tcase_add_test(tc, a_fault_in_a_server_is_reported_with_its_key);
    tcase_add_test(tc, a_transport_that_is_not_allowed_is_an_error);
    tcase_add_test(tc, timeouts_are_milliseconds_but_seconds_if_below_1000);
    tcase_add_test(tc, relative_paths_start_at_the_workspace_or_at_cwd);
    tcase_add_test(tc, variables_in_the_form_of_cursor_are_rewritten);
    tc = test_case(suite, "variables");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, variables_are_expanded_in_every_text_when_a_server_starts);
    tcase_add_test(tc, a_text_that_its_variables_make_invalid_is_reported_with_its_key);
    tcase_add_test(tc, with_variables_empty_an_unset_variable_is_empty);
    tcase_add_test(tc, the_value_of_a_variable_in_an_argument_is_wiped);
    tcase_add_test(tc, an_expanded_text_over_the_limit_is_refused);
    tcase_add_test(tc, the_launch_hash_covers_the_texts_but_not_the_values_of_variables);
}

int
main(void)
{
    return test_main("profile-mcpservers", add);
}
