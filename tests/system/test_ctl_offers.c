/* SPDX-License-Identifier: MIT
 *
 * test_ctl_offers.c - the commands of mcphostctl for the resources, templates and prompts
 * of servers.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "support/ctlrun.h"
#include "support/runner.h"

#define OFFERS                                                                     \
    "era modern\ncapabilities {\"tools\":{},\"resources\":{},\"prompts\":{},"      \
    "\"completions\":{}}\n"                                                        \
    "on resources/list\n result {\"resultType\":\"complete\",\"ttlMs\":0,"         \
    "\"cacheScope\":\"private\",\"resources\":[{\"uri\":\"f:one\","                \
    "\"name\":\"One\",\"title\":\"The one\",\"mimeType\":\"text/plain\","          \
    "\"size\":7}]}\n"                                                              \
    "on resources/templates/list\n result {\"resultType\":\"complete\","           \
    "\"ttlMs\":0,\"cacheScope\":\"private\",\"resourceTemplates\":"                \
    "[{\"uriTemplate\":\"f:row/{n}\",\"name\":\"row\",\"description\":\"a "        \
    "row\"}]}\n"                                                                   \
    "on prompts/list\n result {\"resultType\":\"complete\",\"ttlMs\":0,"           \
    "\"cacheScope\":\"private\",\"prompts\":[{\"name\":\"ask\",\"arguments\":"     \
    "[{\"name\":\"what\",\"required\":true}]}]}\n"                                 \
    "on completion/complete\n result {\"resultType\":\"complete\","                \
    "\"completion\":{\"values\":[\"red\",\"rose\\u001b[2J\"],\"total\":9,"         \
    "\"hasMore\":true}}\n"                                                         \
    "on prompts/get\n result {\"resultType\":\"complete\",\"messages\":["          \
    "{\"role\":\"system\",\"content\":{\"type\":\"text\",\"text\":\"be brief\"}}," \
    "{\"role\":\"user\",\"content\":{\"type\":\"image\",\"data\":\"AAEC\","        \
    "\"mimeType\":\"image/png\"}}]}\n"

static struct ctl_place place;
static struct ctl_run run;

/* Writes a workspace with the fake server `a` and, if `two` is 1, the fake server `b`.
 * Both servers have the same offers.  Each server answers a read with its own id. */
static void
offer(int two)
{
    static const char *const ids[] = {"a", "b"};
    char yaml[2048] = "version: 1\nservers:\n";

    for (int i = 0; i <= two; i++) {
        size_t len = strlen(yaml);

        rig_workspace_write(&place.ws, ids[i],
                            OFFERS "on resources/read\n result {\"resultType\":"
                                   "\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\","
                                   "\"contents\":[{\"uri\":\"f:one\",\"text\":\"by %s\"},"
                                   "{\"uri\":\"f:b\",\"mimeType\":\"image/gif\","
                                   "\"blob\":\"AAEC\"}]}\n",
                            ids[i]);
        snprintf(yaml + len, sizeof(yaml) - len,
                 "  %s:\n    transport: stdio\n    command: %s\n    args: [%s/%s]\n"
                 "    transform: [{prefix: '%s_'}]\n",
                 ids[i], rig_fakeserver(), place.ws.dir, ids[i], ids[i]);
    }
    rig_workspace_yaml(&place.ws, "%s", yaml);
}

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

static void
free_run(void)
{
    ctl_run_free(&run);
}

/* Runs a command with --json and returns the only row of its output.  The caller releases
 * the row. */
static json_t *
row_of(const char *command)
{
    json_t *json, *row;

    free_run();
    ctl_run(&run, &place, command, "--json", NULL);
    ctl_status_is(&run, 0);
    json = ctl_run_json(&run);
    ck_assert_uint_eq(json_array_size(json), 1);
    row = json_incref(json_array_get(json, 0));
    json_decref(json);
    return row;
}

/* ---- lists ------------------------------------------------------------------------- */

/* R157 R166 */
START_TEST(each_list_as_json_has_rows_with_the_members_of_its_kind)
{
    json_t *row;

    offer(0);
    row = row_of("resources");
    ck_assert_str_eq(ctl_string(row, "uri"), "f:one");
    ck_assert_str_eq(ctl_string(row, "name"), "One");
    ck_assert_str_eq(ctl_string(row, "title"), "The one");
    ck_assert_str_eq(ctl_string(row, "server"), "a");
    ck_assert_str_eq(ctl_string(row, "mimeType"), "text/plain");
    ck_assert_int_eq(ctl_int(row, "size"), 7);
    ck_assert(json_is_null(json_object_get(row, "description")));
    json_decref(row);
    row = row_of("templates");
    ck_assert_str_eq(ctl_string(row, "uriTemplate"), "f:row/{n}");
    ck_assert_str_eq(ctl_string(row, "name"), "row");
    ck_assert_str_eq(ctl_string(row, "description"), "a row");
    json_decref(row);
    row = row_of("prompts");
    ck_assert_str_eq(ctl_string(row, "name"), "a_ask");
    ck_assert_str_eq(ctl_string(row, "original"), "ask");
    ck_assert_str_eq(ctl_string(row, "server"), "a");
    ck_assert_uint_eq(json_array_size(json_object_get(row, "arguments")), 1);
    json_decref(row);
    free_run();
    ctl_run(&run, &place, "resources", NULL);
    test_has(run.out, "f:one  a       text/plain  The one");
}
END_TEST

/* ---- reading ----------------------------------------------------------------------- */

/* R157 R161 */
START_TEST(read_prints_text_and_describes_or_saves_blobs)
{
    offer(0);
    ctl_run(&run, &place, "read", "f:one", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "by a\n[resource image/gif f:b, 3 bytes]\n");
    free_run();
    ctl_run(&run, &place, "read", "f:one", "--json", NULL);
    test_has(run.out, "\"contents\":[{\"uri\":\"f:one\"");
    free_run();
    ctl_run(&run, &place, "read", "f:one", "--save", "kept", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "kept/artifacts/mcp/a/resources/");
}
END_TEST

START_TEST(a_uri_of_two_servers_needs_the_option_server) /* R157 */
{
    offer(1);
    ctl_run(&run, &place, "read", "f:one", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--server: 'a', 'b'");
    free_run();
    ctl_run(&run, &place, "read", "f:row/3", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'a', 'b'");
    free_run();
    ctl_run(&run, &place, "read", "f:one", "--server", "b", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "by b\n");
    free_run();
    ctl_run(&run, &place, "read", "f:one", "--server", "c", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "no server 'c'");
    free_run();
    ctl_run(&run, &place, "tools", "--server", "b", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'read', 'prompt', 'complete', 'subscribe', 'skills' and 'task'");
}
END_TEST

/* ---- prompts ----------------------------------------------------------------------- */

START_TEST(a_prompt_is_printed_with_its_roles) /* R166 */
{
    offer(1);
    ctl_run(&run, &place, "prompt", "a_ask", "what=7", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "system:\nbe brief\nuser:\n[image image/png, 3 bytes]\n");
    free_run();
    ctl_run(&run, &place, "prompt", "ask", "{\"what\":\"7\"}", "--server", "b", "--json",
            NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "\"messages\":[{\"role\":\"system\"");
    free_run();
    ctl_run(&run, &place, "prompt", "ask", "what=7", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--server: 'a', 'b'");
    free_run();
    ctl_run(&run, &place, "prompt", "a_ask", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "needs the argument \"what\"");
    free_run();
    ctl_run(&run, &place, "prompt", "none", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'none'");
}
END_TEST

/* ---- completing -------------------------------------------------------------------- */

START_TEST(proposed_values_are_printed_one_a_line) /* R166 */
{
    offer(0);
    ctl_run(&run, &place, "complete", "--prompt", "a_ask", "what=r", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "red\nrose\\x1b[2J\n");
    free_run();
    ctl_run(&run, &place, "complete", "--template", "f:row/{n}", "n=", "k=v", "--json",
            NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "{\"values\":[\"red\",\"rose\\u001b[2J\"],\"total\":9,"
                              "\"hasMore\":true}\n");
}
END_TEST

START_TEST(complete_without_a_prompt_or_template_is_refused) /* R166 */
{
    offer(0);
    ctl_run(&run, &place, "complete", "n=", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--prompt NAME or --template TEMPLATE");
    free_run();
    ctl_run(&run, &place, "complete", "--prompt", "a_ask", "--template", "t", "n=", NULL);
    ctl_status_is(&run, 2);
    free_run();
    ctl_run(&run, &place, "complete", "--prompt", "a_ask", "what", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "ARGUMENT=BEGINNING");
    free_run();
    ctl_run(&run, &place, "read", "f:one", "--template", "t", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'complete' only");
}
END_TEST

/* ---- subscribing ------------------------------------------------------------------- */

#define SUBSCRIBABLE \
    "era legacy\ncapabilities {\"tools\":{},\"resources\":{\"subscribe\":true}}\n"

static void
one_server(const char *script)
{
    rig_workspace_write(&place.ws, "s", "%s", script);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  s:\n    transport: stdio\n"
                       "    command: %s\n    args: [%s/s]\n",
                       rig_fakeserver(), place.ws.dir);
}

START_TEST(updates_are_printed_with_server_uri_and_count) /* R173 */
{
    char uri[] = "f:a", command[] = "subscribe";
    struct ctl_session session;
    char *line;

    one_server(SUBSCRIBABLE "on resources/subscribe\n answer\n updated f:a\n"
                            " updated f:a\n");
    place.argument = uri;
    ctl_session_up_as(&session, &place, command);
    line = ctl_line(&session);
    ck_assert_str_eq(line, "s f:a 2");
    free(line);
    ck_assert_int_eq(kill(session.pid, SIGTERM), 0);
    ck_assert_int_eq(ctl_session_down(&session), 128 + SIGTERM);
}
END_TEST

START_TEST(a_subscription_that_is_refused_ends_the_command) /* R173 */
{
    one_server(SUBSCRIBABLE "on resources/subscribe\n error -32602 not this\n");
    ctl_run(&run, &place, "subscribe", "f:a", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "not this");
    free_run();
    ctl_run(&run, &place, "subscribe", "f:a", "--server", "t", NULL);
    ctl_status_is(&run, 2);
}
END_TEST

/* ---- in a batch -------------------------------------------------------------------- */

/* R157 R166 R173 */
START_TEST(batch_lists_reads_and_completes_as_the_commands_do)
{
    struct ctl_session session;
    json_t *json;

    offer(1);
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "w", "\"op\":\"wait\""));
    json = ctl_ask(&session, "1", "\"op\":\"resources\"");
    ck_assert_uint_eq(json_array_size(json), 2);
    ck_assert_str_eq(ctl_string(json_array_get(json, 1), "server"), "b");
    json_decref(json);
    json = ctl_ask(&session, "2", "\"op\":\"templates\"");
    ck_assert_uint_eq(json_array_size(json), 2);
    json_decref(json);
    json = ctl_ask(&session, "3", "\"op\":\"prompts\"");
    ck_assert_str_eq(ctl_string(json_array_get(json, 0), "name"), "a_ask");
    json_decref(json);
    json = ctl_ask(&session, "4",
                   "\"op\":\"read\",\"dialog\":\"d\",\"uri\":\"f:one\",\"server\":\"b\"");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "contents")), 2);
    json_decref(json);
    json = ctl_ask(&session, "5",
                   "\"op\":\"prompt\",\"dialog\":\"d\",\"name\":\"b_ask\","
                   "\"arguments\":{\"what\":\"x\"}");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "messages")), 2);
    json_decref(json);
    json = ctl_ask(&session, "6",
                   "\"op\":\"complete\",\"dialog\":\"d\",\"prompt\":\"a_ask\","
                   "\"argument\":\"what\",\"value\":\"\"");
    ck_assert_int_eq(ctl_int(json, "total"), 9);
    json_decref(json);
    ctl_send(&session,
             "{\"id\":\"7\",\"op\":\"read\",\"dialog\":\"d\",\"uri\":\"f:one\"}");
    json = ctl_answer(&session, "7");
    ck_assert(json_is_false(json_object_get(json, "ok")));
    test_has(ctl_string(json_object_get(json, "error"), "message"), "'a', 'b'");
    json_decref(json);
    ctl_send(&session, "{\"id\":\"8\",\"op\":\"read\",\"dialog\":\"d\"}");
    json = ctl_answer(&session, "8");
    test_has(ctl_string(json_object_get(json, "error"), "message"), "'uri' is missing");
    json_decref(json);
    ctl_session_down(&session);
}
END_TEST

START_TEST(batch_reports_updates_as_events) /* R173 */
{
    struct ctl_session session;
    json_t *json;

    one_server(SUBSCRIBABLE "on resources/subscribe\n answer\n updated f:a\n");
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "w", "\"op\":\"wait\""));
    json =
        ctl_ask(&session, "1", "\"op\":\"subscribe\",\"dialog\":\"d\",\"uri\":\"f:a\"");
    ck_assert(json_is_true(json_object_get(json, "subscribed")));
    json_decref(json);
    json = ctl_event(&session, "subscription");
    ck_assert(json_is_true(json_object_get(json, "active")));
    json_decref(json);
    json = ctl_event(&session, "updated");
    ck_assert_str_eq(ctl_string(json, "uri"), "f:a");
    ck_assert_str_eq(ctl_string(json, "dialog"), "d");
    ck_assert_int_eq(ctl_int(json, "count"), 1);
    json_decref(json);
    ctl_session_down(&session);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "offers");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, each_list_as_json_has_rows_with_the_members_of_its_kind);
    tcase_add_test(tc, read_prints_text_and_describes_or_saves_blobs);
    tcase_add_test(tc, a_uri_of_two_servers_needs_the_option_server);
    tcase_add_test(tc, a_prompt_is_printed_with_its_roles);
    tcase_add_test(tc, proposed_values_are_printed_one_a_line);
    tcase_add_test(tc, complete_without_a_prompt_or_template_is_refused);
    tcase_add_test(tc, updates_are_printed_with_server_uri_and_count);
    tcase_add_test(tc, a_subscription_that_is_refused_ends_the_command);
    tcase_add_test(tc, batch_lists_reads_and_completes_as_the_commands_do);
    tcase_add_test(tc, batch_reports_updates_as_events);
    tcase_set_timeout(tc, 60);
}

int
main(void)
{
    return test_main("ctl-offers", add);
}
