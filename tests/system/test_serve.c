/* SPDX-License-Identifier: MIT
 *
 * test_serve.c - a view that is served to a client over descriptors, in both eras.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <jansson.h>

#include "serve/serve.h"
#include "support/hostrig.h"
#include "support/texts.h"

static struct hostrig hr;
static mcphost_serving *serving;
static int client = -1;
static char in[1 << 20]; /* bytes read, but not yet returned by hear() */
static size_t in_len;

static const char *const eras[] = {"legacy", "modern"};

static void
serve(void)
{
    mcphost_error *err = NULL;
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ck_assert_msg(mcphost_serve_fd(mcphost_default_view(hr.host), ends[0], ends[0],
                                   "client", &serving, &err) == 0,
                  "%s", err ? mcphost_error_get_message(err) : "");
    close(ends[0]);
    client = ends[1];
    in_len = 0;
}

static void
up(const char *script)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_REQUESTS,
              MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_ROOTS);
    hr_server(&hr, "a", NULL, script);
    hr_load(&hr);
    serve();
}

static void
down(void)
{
    serving = mcphost_serving_unref(serving);
    /* Close the host first, so that the serving ends before the client disconnects. */
    mcphost_close(hr.host);
    hr_turn(&hr, 20);
    if (client >= 0)
        close(client);
    client = -1;
    hr_down(&hr);
}

static void
send_line(const char *line)
{
    ck_assert_int_eq(write(client, line, strlen(line)), (int)strlen(line));
    ck_assert_int_eq(write(client, "\n", 1), 1);
}

/* Returns the next line, or NULL if the stream has ended.  The line is valid until the
 * next call. */
static const char *
hear(void)
{
    static char line[1 << 20];
    int64_t end = hr_deadline();
    struct pollfd pfd = {.fd = client, .events = POLLIN};
    char *nl;

    while (!(nl = memchr(in, '\n', in_len))) {
        ssize_t n;

        ck_assert_msg(hr_in_time(end), "nothing was heard");
        hr_turn(&hr, 5);
        if (poll(&pfd, 1, 0) <= 0)
            continue;
        n = read(client, in + in_len, sizeof(in) - in_len);
        if (n <= 0)
            return NULL;
        in_len += (size_t)n;
    }
    memcpy(line, in, (size_t)(nl - in));
    line[nl - in] = '\0';
    in_len -= (size_t)(nl - in) + 1;
    memmove(in, nl + 1, in_len);
    return line;
}

/* Skips lines until a line contains `what`.  Returns that line. */
static const char *
hear_of(const char *what)
{
    const char *line;

    do {
        line = hear();
        ck_assert_msg(line != NULL, "the end before %s", what);
    } while (!strstr(line, what));
    return line;
}

#define META                                                                        \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","        \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\",\"version\":\"1\"},"    \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{},\"roots\":{}," \
    "\"elicitation\":{\"form\":{}}}%s}"

/* Sends a request of either era.  `params` and `meta` are empty or begin with a comma. */
static void
request(int era, int id, const char *method, const char *params, const char *meta)
{
    char line[4096], made[1024];

    if (era == 0)
        snprintf(made, sizeof(made), "\"_meta\":{%s}", *meta ? meta + 1 : "");
    else
        snprintf(made, sizeof(made), META, meta);
    snprintf(line, sizeof(line),
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s%s}}", id,
             method, made, params);
    send_line(line);
}

static const char *
answer_to(int id)
{
    char what[32];

    snprintf(what, sizeof(what), "\"id\":%d", id);
    return hear_of(what);
}

static void
introduce(int era)
{
    if (era == 0) {
        send_line("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                  "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"sampling\":{},"
                  "\"roots\":{},\"elicitation\":{\"form\":{}}},"
                  "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
        test_has(answer_to(0), "\"serverInfo\"");
        send_line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    } else {
        request(era, 0, "server/discover", "", "");
        test_has(answer_to(0), "\"capabilities\"");
    }
    request(era, -1, "tools/list", "", "");
    (void)answer_to(-1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_SERVING, NULL, "client", 1), 1);
}

/* ---- passing requests -------------------------------------------------------------- */

START_TEST(tools_are_listed_by_the_names_of_the_view_and_called)
{
    up("on call:echo\n text hi\n");
    introduce(_i);
    request(_i, 1, "tools/list", "", "");
    test_has(answer_to(1), "\"name\":\"a_echo\"");
    request(_i, 2, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    test_has(answer_to(2), "\"text\":\"hi\"");
    request(_i, 3, "tools/call", ",\"name\":\"echo\",\"arguments\":{}", "");
    test_has(answer_to(3), "-32602");
    down();
}
END_TEST

static void
set_up_a_server(void)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, "on call:echo\n text hi\n");
}

START_TEST(clients_get_the_identity_of_the_host)
{
    set_up_a_server();
    ck_assert_int_eq(mcphost_set_identity(hr.host, "desk", "7", "The \"desk\""), 0);
    hr_load(&hr);
    serve();
    request(1, 1, "server/discover", "", "");
    test_has(answer_to(1), "{\"name\":\"desk\",\"version\":\"7\",\"title\":\"The "
                           "\\\"desk\\\"\"}");
    send_line("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{"
              "\"protocolVersion\":\"2025-11-25\"}}");
    test_has(answer_to(2), "\"serverInfo\":{\"name\":\"desk\",\"version\":\"7\",");
    down();
}
END_TEST

START_TEST(with_served_era_clients_are_limited_to_that_era)
{
    set_up_a_server();
    hr_load(&hr);
    hr_option(&hr, MCPHOST_OPT_SERVED_ERA,
              _i == 0 ? MCPHOST_ERA_LEGACY : MCPHOST_ERA_MODERN);
    serve();
    send_line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
              "\"protocolVersion\":\"2025-11-25\"}}");
    test_has(answer_to(1), _i == 0 ? "\"serverInfo\"" : "-32022");
    request(1, 2, "tools/list", "", "");
    test_has(answer_to(2), _i == 0 ? "\"result\":{\"tools\"" : "\"resultType\"");
    down();
}
END_TEST

START_TEST(resources_prompts_and_completions_are_passed)
{
    up("era modern\ncapabilities {\"tools\":{},\"resources\":{},\"prompts\":{},"
       "\"completions\":{}}\n"
       "on resources/list\n result {\"resultType\":\"complete\",\"ttlMs\":0,"
       "\"cacheScope\":\"private\",\"resources\":[{\"uri\":\"x://"
       "1\",\"name\":\"one\"}]}\n"
       "on resources/read\n result {\"resultType\":\"complete\",\"ttlMs\":0,"
       "\"cacheScope\":\"private\",\"contents\":[{\"uri\":\"x://1\",\"text\":\"one\"}]}\n"
       "on prompts/list\n result {\"resultType\":\"complete\",\"ttlMs\":0,"
       "\"cacheScope\":\"private\",\"prompts\":[{\"name\":\"p\"}]}\n"
       "on prompts/get\n result {\"resultType\":\"complete\",\"messages\":[{\"role\":"
       "\"user\",\"content\":{\"type\":\"text\",\"text\":\"do\"}}]}\n"
       "on completion/complete\n result {\"resultType\":\"complete\",\"completion\":{"
       "\"values\":[\"v\"]}}\n");
    introduce(_i);
    request(_i, 1, "resources/list", "", "");
    test_has(answer_to(1), "\"uri\":\"x://1\"");
    request(_i, 2, "resources/read", ",\"uri\":\"x://1\"", "");
    test_has(answer_to(2), "\"text\":\"one\"");
    request(_i, 3, "resources/read", ",\"uri\":\"x://2\"", "");
    test_has(answer_to(3), "\"error\"");
    request(_i, 4, "prompts/list", "", "");
    test_has(answer_to(4), "\"name\":\"a_p\"");
    request(_i, 5, "prompts/get", ",\"name\":\"a_p\"", "");
    test_has(answer_to(5), "\"text\":\"do\"");
    request(_i, 6, "completion/complete",
            ",\"ref\":{\"type\":\"ref/prompt\",\"name\":\"a_p\"},"
            "\"argument\":{\"name\":\"x\",\"value\":\"\"}",
            "");
    test_has(answer_to(6), "\"values\":[\"v\"]");
    down();
}
END_TEST

START_TEST(progress_and_cancellation_are_passed)
{
    up("on call:echo\n progress 1 2 half\n hang\n");
    introduce(_i);
    request(_i, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}",
            ",\"progressToken\":\"t\"");
    test_has(hear_of("notifications/progress"), "\"progressToken\":\"t\"");
    send_line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":1}}");
    request(_i, 2, "tools/list", "", "");
    ck_assert_ptr_nonnull(answer_to(2));
    down();
}
END_TEST

/* A legacy client gets a request.  A modern client gets a result that requires more
 * input.  The server may be of either era. */
START_TEST(the_client_answers_requests_of_servers)
{
    char script[256];
    const char *line;

    snprintf(script, sizeof(script),
             "era %s\non call:echo\n ask sampling/createMessage "
             "{\"messages\":[],\"maxTokens\":10}\n text %%r\n",
             eras[_i / 2]);
    up(script);
    introduce(_i % 2);
    request(_i % 2, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    line = hear_of("sampling/createMessage");
    if (_i % 2 == 0) {
        char reply[512];
        const char *id = strstr(line, "\"id\":");
        int len = (int)strcspn(id + 5, ",}");

        snprintf(reply, sizeof(reply),
                 "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"role\":\"assistant\","
                 "\"model\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"ho\"}}}",
                 len, id + 5);
        send_line(reply);
    } else {
        json_t *json = json_loads(line, 0, NULL);
        json_t *result = json_object_get(json, "result");
        const char *state = json_string_value(json_object_get(result, "requestState"));
        const char *key = json_object_iter_key(
            json_object_iter(json_object_get(result, "inputRequests")));
        char params[1024];

        ck_assert_ptr_nonnull(key);
        snprintf(params, sizeof(params),
                 ",\"name\":\"a_echo\",\"arguments\":{},\"inputResponses\":{\"%s\":{"
                 "\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":\"text\","
                 "\"text\":\"ho\"}}}%s%s%s",
                 key, state ? ",\"requestState\":\"" : "", state ? state : "",
                 state ? "\"" : "");
        request(1, 2, "tools/call", params, "");
        json_decref(json);
    }
    test_has(answer_to(_i % 2 ? 2 : 1), "ho");
    /* The host does not ask the application for the answer. */
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_REQUEST, NULL, NULL, -1), 0);
    down();
}
END_TEST

#define FORM                                                                          \
    "elicitation/create {\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\"," \
    "\"properties\":{}}}"

/* R175: a question leaves nothing behind when its call ends before the answer. */
START_TEST(a_question_ends_with_its_call)
{
    up(_i == 0 ? "era legacy\non call:echo\n request " FORM "\n delay 20\n text hi\n"
               : "era legacy\non call:echo\n ask " FORM "\n text %r\n");
    introduce(_i == 3);
    request(_i == 3, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    ck_assert_ptr_nonnull(hear_of("elicitation/create"));
    if (_i == 0) { /* the server does not wait for the answer */
        ck_assert_ptr_nonnull(hear_of("notifications/cancelled"));
        ck_assert_ptr_nonnull(answer_to(1));
    } else if (_i == 1) {
        send_line(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
            "\"requestId\":1}}");
        ck_assert_ptr_nonnull(hear_of("notifications/cancelled"));
    } else { /* the client disconnects */
        close(client);
        client = -1;
        hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVING, NULL, "client", 0) == 1);
    }
    down();
}
END_TEST

START_TEST(a_request_that_the_server_cancels_is_cancelled_at_the_client)
{
    up("era legacy\non call:echo\n request " FORM "\n delay 20\n"
       " notify notifications/cancelled {\"requestId\":\"srv-1\"}\n hang\n");
    introduce(0);
    request(0, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    ck_assert_ptr_nonnull(hear_of("elicitation/create"));
    ck_assert_ptr_nonnull(hear_of("notifications/cancelled"));
    down();
}
END_TEST

START_TEST(a_change_of_the_catalog_sends_list_changed)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_follow(&hr);
    hr_ready(&hr);
    serve();
    introduce(0);
    hr_edit(&hr);
    hr_server(&hr, "b", NULL, NULL);
    hr_reload(&hr);
    ck_assert_ptr_nonnull(hear_of("notifications/tools/list_changed"));
    hr_until(&hr, hr_has(&hr, "b_echo"));
    request(0, 1, "tools/list", "", "");
    test_has(answer_to(1), "\"name\":\"b_echo\"");
    down();
}
END_TEST

/* Checks that no line before the answer to a new request contains `what`. */
static void
hear_nothing_of(const char *what)
{
    const char *line;

    request(0, 77, "ping", "", "");
    do {
        line = hear();
        ck_assert_ptr_nonnull(line);
        ck_assert_msg(!strstr(line, what), "%s", line);
    } while (!strstr(line, "\"id\":77"));
}

START_TEST(a_change_of_tools_sends_list_changed_only_for_tools)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_follow(&hr);
    hr_ready(&hr);
    serve();
    introduce(0);
    hr_edit(&hr);
    hr_server(&hr, "a", "env: {AGAIN: yes}", "tool more\n");
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "a_more"));
    test_has(hear_of("list_changed"), "notifications/tools/list_changed");
    hear_nothing_of("list_changed");
    down();
}
END_TEST

START_TEST(a_restart_without_a_change_sends_no_list_changed)
{
    up("on call:echo\n crash 9\n");
    introduce(0);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVER, "a", NULL, -1) >= 3);
    hr_turn(&hr, 20);
    hear_nothing_of("list_changed");
    down();
}
END_TEST

START_TEST(clients_get_the_instructions_of_servers)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, "instructions Say \"please\".\n");
    hr_server(&hr, "quiet", NULL, NULL);
    if (_i == 1)
        hr_server(&hr, "b", NULL, "instructions Be brief.\n");
    hr_load(&hr);
    serve();
    send_line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
              "\"protocolVersion\":\"2025-11-25\"}}");
    test_has(answer_to(1),
             _i == 0 ? "\"instructions\":\"Say \\\"please\\\".\""
                     : "\"instructions\":\"# a\\n\\nSay \\\"please\\\".\\n\\n# b\\n\\n"
                       "Be brief.\"");
    down();
}
END_TEST

/* The client gets no messages of a process that another dialog leases. */
START_TEST(messages_of_a_server_reach_only_the_client_that_leases_it)
{
    mcphost_dialog *d;
    char other[32];

    up("era legacy\non call:echo\n log error pid-%p\n text pid-%p\n");
    introduce(0);
    d = hr_dialog(&hr, "d");
    snprintf(other, sizeof(other), "%s", hr_say(&hr, d, "a_echo", "{}"));
    request(0, 2, "logging/setLevel", ",\"level\":\"warning\"", "");
    ck_assert_ptr_nonnull(answer_to(2));
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", "{}"), other);
    request(0, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    ck_assert_ptr_null(strstr(hear_of("notifications/message"), other));
    ck_assert_ptr_null(strstr(answer_to(1), other));
    hear_nothing_of(other);
    down();
}
END_TEST

static int
traced(const char *needle)
{
    return rig_workspace_count(&hr.ws, "a.trace", needle);
}

/* A legacy server gets each new level once.  A modern server gets the level with each
 * request.  Only the process that this client leases gets the level. */
START_TEST(the_level_of_messages_is_passed_only_to_the_clients_own_process)
{
    const char *asked[] = {"logging/setLevel", "\"io.modelcontextprotocol/logLevel\":"};

    up(_i == 0 ? "era legacy\n" : "era modern\n");
    introduce(0);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_echo", "{}");
    request(0, 1, "logging/setLevel", ",\"level\":\"notice\"", "");
    ck_assert_ptr_nonnull(answer_to(1));
    ck_assert_int_eq(traced(asked[_i]), 0);
    request(0, 2, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    (void)answer_to(2);
    hr_until(&hr, traced("\"notice\"") > 0);
    request(0, 3, "logging/setLevel", ",\"level\":\"debug\"", "");
    ck_assert_ptr_nonnull(answer_to(3));
    request(0, 4, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    (void)answer_to(4);
    hr_until(&hr, traced("\"debug\"") > 0);
    if (_i == 0)
        ck_assert_int_eq(traced(asked[_i]), 2);
    down();
}
END_TEST

/* The client's dialog gets the process that has listed the tools.  The process is ready
 * before it is leased to the client. */
START_TEST(a_process_that_is_ready_gets_the_level_of_the_client_that_leases_it)
{
    up("era legacy\n");
    introduce(0);
    request(0, 1, "logging/setLevel", ",\"level\":\"notice\"", "");
    ck_assert_ptr_nonnull(answer_to(1));
    ck_assert_int_eq(traced("logging/setLevel"), 0);
    request(0, 2, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    (void)answer_to(2);
    hr_until(&hr, traced("\"notice\"") > 0);
    down();
}
END_TEST

/* The process that starts for this client logs before it answers `initialize`, while a
 * call that asks for messages waits. */
START_TEST(a_server_that_logs_before_its_handshake_is_answered_serves_the_call)
{
    up("era legacy\non initialize\n log error early\n delay 100\n answer\n"
       "on call:echo\n text hi\n");
    introduce(0);
    request(0, 1, "logging/setLevel", ",\"level\":\"notice\"", "");
    ck_assert_ptr_nonnull(answer_to(1));
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_echo", "{}"), "hi");
    request(0, 2, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    test_has(answer_to(2), "hi");
    down();
}
END_TEST

/* The process that starts for this client sends its request outside of any call. */
START_TEST(a_request_outside_of_a_call_goes_to_the_client_as_well)
{
    const char *line, *id;
    char reply[256];

    up("era legacy\non initialized\n request roots/list {}\n"
       "on call:echo\n delay 30\n text hi\n");
    introduce(0);
    /* The dialog `d` leases the process that listed the tools, so that the client gets a
     * new process. */
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_echo", "{}"), "hi");
    request(0, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    line = hear_of("roots/list");
    id = strstr(line, "\"id\":") + 5;
    snprintf(reply, sizeof(reply),
             "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"roots\":[]}}",
             (int)strcspn(id, ",}"), id);
    send_line(reply);
    test_has(answer_to(1), "hi");
    down();
}
END_TEST

/* ---- log messages ------------------------------------------------------------------ */

#define LEVEL "\"io.modelcontextprotocol/logLevel\":"

/* Asks for messages of this level and above.  Returns the _meta for the next call of a
 * modern client, or "" for a legacy client. */
static const char *
want_level(int era, const char *level)
{
    static char meta[128];

    snprintf(meta, sizeof(meta), "," LEVEL "\"%s\"", level);
    if (era == 1)
        return meta;
    snprintf(meta, sizeof(meta), ",\"level\":\"%s\"", level);
    request(0, 90, "logging/setLevel", meta, "");
    (void)answer_to(90);
    return "";
}

/* A modern server sends messages of a call only if the call asks for them. */
START_TEST(the_message_level_of_the_client_is_passed_to_a_modern_server)
{
    int unasked;

    up("era modern\ntrace srv.trace\non call:echo\n log info low\n log error high\n"
       " text hi\n");
    introduce(_i);
    request(_i, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    (void)answer_to(1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "srv.trace", "logLevel"), 0);
    unasked = hr_count(&hr, MCPHOST_EVENT_LOG, "a", NULL, -1);
    request(_i, 2, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}",
            want_level(_i, "error"));
    test_has(hear_of("notifications/message"), "\"level\":\"error\"");
    (void)answer_to(2);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "srv.trace", LEVEL "\"error\""), 1);
    /* The host reports no message to the application, because the application has not
     * asked for messages. */
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LOG, "a", NULL, -1), unasked);
    down();
}
END_TEST

START_TEST(the_message_level_of_the_entry_overrides_the_clients_level)
{
    hr_up(&hr);
    hr_server(&hr, "a", "logLevel: unasked",
              "era modern\ntrace srv.trace\non call:echo\n text hi\n");
    hr_load(&hr);
    serve();
    introduce(1);
    request(1, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}",
            want_level(1, "debug"));
    (void)answer_to(1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "srv.trace", "logLevel"), 0);
    down();
}
END_TEST

static int
log_and_answer(mcphost_provider_call *call, void *arg)
{
    mcphost_provider *provider = mcphost_provider_call_get_provider(call);

    (void)arg;
    mcphost_provider_log(provider, MCPHOST_MESSAGES_INFO, NULL, "\"low\"", 5);
    mcphost_provider_log(provider, MCPHOST_MESSAGES_ERROR, NULL, "\"high\"", 6);
    return mcphost_provider_call_answer_text(call, "hi", 2, 0);
}

/* A modern client gets messages only before the answer. */
START_TEST(messages_of_a_provider_come_before_the_answer_of_its_call)
{
    static const char tool[] = "{\"name\":\"log\",\"inputSchema\":{\"type\":\"object\"}}";
    mcphost_provider *provider;

    hr_up(&hr);
    ck_assert_int_eq(
        mcphost_provider_new(mcphost_default_source(hr.host), "a", &provider, NULL), 0);
    ck_assert_int_eq(mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, tool,
                                          strlen(tool), log_and_answer, NULL, NULL, NULL),
                     0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    mcphost_provider_unref(provider);
    hr_ready(&hr);
    serve();
    introduce(_i);
    request(_i, 1, "tools/call", ",\"name\":\"log\",\"arguments\":{}",
            want_level(_i, "error"));
    test_has(hear(), "\"high\"");
    test_has(hear(), "\"id\":1");
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LOG, "a", NULL, -1), 0);
    down();
}
END_TEST

/* ---- the end ----------------------------------------------------------------------- */

/* A second request for the list does not make the list again. */
START_TEST(a_list_is_made_once_for_each_catalog)
{
    struct mcph_frame *first = NULL, *again = NULL, *changed = NULL;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_follow(&hr);
    hr_ready(&hr);
    serve();
    introduce(0);
    request(0, 1, "tools/list", "", "");
    test_has(answer_to(1), "a_echo");
    ck_assert_int_eq(mcph_offer_list(&serving->service, MCPHOST_FEATURE_TOOL, &first), 0);
    ck_assert_int_eq(mcph_offer_list(&serving->service, MCPHOST_FEATURE_TOOL, &again), 0);
    ck_assert_ptr_eq(first, again);
    hr_edit(&hr);
    hr_server(&hr, "b", NULL, NULL);
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "b_echo"));
    ck_assert_int_eq(mcph_offer_list(&serving->service, MCPHOST_FEATURE_TOOL, &changed),
                     0);
    ck_assert_ptr_ne(first, changed);
    ck_assert(memmem(changed->data, changed->len, "b_echo", 6) != NULL);
    mcph_frame_unref(first);
    mcph_frame_unref(again);
    mcph_frame_unref(changed);
    down();
}
END_TEST

START_TEST(a_client_that_disconnects_ends_the_serving_and_its_dialog)
{
    up("on call:echo\n hang\n");
    introduce(_i);
    request(_i, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    hr_until(&hr, hr_leases(&hr) == 1);
    close(client);
    client = -1;
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVING, NULL, "client", 0) == 1);
    hr_until(&hr, hr_leases(&hr) == 0);
    down();
}
END_TEST

START_TEST(a_client_that_stops_sending_still_gets_its_answer)
{
    up("on call:echo\n delay 30\n text late\n");
    introduce(_i);
    request(_i, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    ck_assert_int_eq(shutdown(client, SHUT_WR), 0);
    test_has(answer_to(1), "late");
    ck_assert_ptr_null(hear());
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVING, NULL, "client", 0) == 1);
    down();
}
END_TEST

START_TEST(closing_ends_the_connection)
{
    up(NULL);
    introduce(_i);
    ck_assert_str_eq(mcphost_serving_get_dialog_id(serving), "client");
    GET(mcphost_serving_get_dialog_id, serving);
    texts_expect("serving_");
    ck_assert_int_eq(mcphost_serving_close(serving), 0);
    ck_assert_int_eq(mcphost_serving_close(serving), 0);
    ck_assert_ptr_null(hear());
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_SERVING, NULL, "client", 0), 1);
    down();
}
END_TEST

START_TEST(closing_a_host_ends_the_serving_during_a_call)
{
    up("on call:echo\n hang\n");
    introduce(_i);
    request(_i, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    hr_until(&hr, hr_leases(&hr) == 1);
    down();
}
END_TEST

START_TEST(a_client_that_never_reads_is_disconnected)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", "on call:echo\n text-bytes 4M\n");
    hr_load(&hr);
    serve();
    introduce(0);
    for (int i = 0; i < 20; i++)
        request(0, i + 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVING, NULL, "client", 0) == 1);
    ck_assert_int_eq(hr_last(&hr, MCPHOST_EVENT_SERVING, NULL)->code, MCPHOST_E_LIMIT);
    hr_turn(&hr, 300);
    down();
}
END_TEST

/* An epoll descriptor cannot watch itself. */
START_TEST(a_descriptor_that_cannot_be_watched_ends_the_serving)
{
    int fd;

    hr_up(&hr);
    fd = mcphost_get_fd(hr.host);
    ck_assert_int_eq(
        mcphost_serve_fd(mcphost_default_view(hr.host), fd, fd, "client", &serving, NULL),
        0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVING, NULL, "client", 0) == 1);
    ck_assert_int_eq(hr_last(&hr, MCPHOST_EVENT_SERVING, NULL)->code, MCPHOST_E_IO);
    down();
}
END_TEST

/* The client does not read the last answers.  The client stays connected until the
 * host has ended. */
START_TEST(closing_a_host_while_answers_are_unread_leaks_nothing)
{
    /* hr_down() expects this descriptor, because the test opens it before hr_up(). */
    int left = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct pollfd answers = {.events = POLLIN};

    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", "on call:echo\n text-bytes 4M\n");
    hr_load(&hr);
    serve();
    introduce(0);
    for (int i = 0; i < 4; i++)
        request(0, i + 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    /* The answers are larger than the buffer of the socket. */
    answers.fd = client;
    hr_until(&hr, poll(&answers, 1, 0) == 1);
    ck_assert_int_eq(mcphost_serving_close(serving), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVING, NULL, "client", 0) == 1);
    serving = mcphost_serving_unref(serving);
    ck_assert_int_eq(dup3(client, left, O_CLOEXEC), left);
    close(client);
    client = -1;
    hr_down(&hr);
    close(left);
}
END_TEST

/* down() checks that the request of the cancelled call leaks nothing. */
START_TEST(cancelling_a_call_ends_its_request_to_the_client)
{
    up("on call:echo\n ask sampling/createMessage {\"messages\":[],\"maxTokens\":1}\n"
       " text asked\n");
    introduce(0);
    request(0, 1, "tools/call", ",\"name\":\"a_echo\",\"arguments\":{}", "");
    (void)hear_of("sampling/createMessage");
    send_line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":1}}");
    request(0, 2, "tools/list", "", "");
    ck_assert_ptr_nonnull(answer_to(2));
    down();
}
END_TEST

START_TEST(descriptors_and_arguments_are_checked)
{
    mcphost_serving *other = NULL;
    mcphost_view *view;

    hr_up(&hr);
    view = mcphost_default_view(hr.host);
    ck_assert_int_eq(mcphost_serve_fd(view, -1, -1, "x", &other, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_serve_fd(NULL, 0, 1, "x", &other, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_serve_fd(view, 0, 1, NULL, &other, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_serve_fd(view, 0, 1, "", &other, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_serve_fd(view, 0, 1, "\xff", &other, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_serving_close(NULL), MCPHOST_E_INVALID);
    ck_assert_ptr_null(mcphost_serving_get_dialog_id(NULL));
    ck_assert_ptr_null(mcphost_serving_ref(NULL));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "serve");

    tcase_add_loop_test(tc, tools_are_listed_by_the_names_of_the_view_and_called, 0, 2);
    tcase_add_test(tc, clients_get_the_identity_of_the_host);
    tcase_add_loop_test(tc, with_served_era_clients_are_limited_to_that_era, 0, 2);
    tcase_add_loop_test(tc, resources_prompts_and_completions_are_passed, 0, 2);
    tcase_add_loop_test(tc, progress_and_cancellation_are_passed, 0, 2);
    tcase_add_loop_test(tc, the_client_answers_requests_of_servers, 0, 4);
    tcase_add_loop_test(tc, a_question_ends_with_its_call, 0, 4);
    tcase_add_test(tc, a_request_that_the_server_cancels_is_cancelled_at_the_client);
    tcase_add_test(tc, a_change_of_the_catalog_sends_list_changed);
    tcase_add_test(tc, a_change_of_tools_sends_list_changed_only_for_tools);
    tcase_add_test(tc, a_restart_without_a_change_sends_no_list_changed);
    tcase_add_loop_test(tc, clients_get_the_instructions_of_servers, 0, 2);
    tcase_add_test(tc, messages_of_a_server_reach_only_the_client_that_leases_it);
    tcase_add_loop_test(
        tc, the_level_of_messages_is_passed_only_to_the_clients_own_process, 0, 2);
    tcase_add_test(tc,
                   a_process_that_is_ready_gets_the_level_of_the_client_that_leases_it);
    tcase_add_test(tc,
                   a_server_that_logs_before_its_handshake_is_answered_serves_the_call);
    tcase_add_test(tc, a_request_outside_of_a_call_goes_to_the_client_as_well);
    tcase_add_test(tc, a_list_is_made_once_for_each_catalog);
    tcase_add_test(tc, a_client_that_never_reads_is_disconnected);
    tcase_add_loop_test(tc, a_client_that_disconnects_ends_the_serving_and_its_dialog, 0,
                        2);
    tcase_add_loop_test(tc, a_client_that_stops_sending_still_gets_its_answer, 0, 2);
    tcase_add_loop_test(tc, closing_ends_the_connection, 0, 2);
    tcase_add_loop_test(tc, closing_a_host_ends_the_serving_during_a_call, 0, 2);
    tcase_add_test(tc, a_descriptor_that_cannot_be_watched_ends_the_serving);
    tcase_add_test(tc, descriptors_and_arguments_are_checked);
    tcase_add_loop_test(tc, the_message_level_of_the_client_is_passed_to_a_modern_server,
                        0, 2);
    tcase_add_test(tc, the_message_level_of_the_entry_overrides_the_clients_level);
    tcase_add_loop_test(tc, messages_of_a_provider_come_before_the_answer_of_its_call, 0,
                        2);
    tcase_add_test(tc, closing_a_host_while_answers_are_unread_leaks_nothing);
    tcase_add_test(tc, cancelling_a_call_ends_its_request_to_the_client);
}

int
main(void)
{
    return test_main("serve", add);
}
