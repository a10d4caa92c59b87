/* SPDX-License-Identifier: MIT
 *
 * demo-server.c - a small MCP server over stdio, to try a host with.
 *
 *   demo-server [--modern] [NAME]
 *
 * It offers one tool of each kind that a host has to deal with: echo, a slow count
 * with progress, a tally that the process keeps for itself (which is why two
 * conversations should not share it), a picture, one whose name no model may use, and
 * one that nobody should have.  With --modern it speaks protocol 2026-07-28 and
 * nothing else, otherwise the versions with a handshake.
 *
 * One thread; a count goes on while other requests are answered.  The end of its
 * input is its own.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

enum { MAX_COUNTS = 64, MAX_TO = 1000, MAX_LINE = 1 << 20, MAX_STEP_MS = 60000 };

/* A count that is under way. */
struct count {
    json_t *id;    /* the request's; NULL: the place is free */
    json_t *token; /* of progress, or NULL */
    int64_t next;  /* when it says the next number */
    json_int_t step_ms, at, to;
};

static struct {
    int modern;
    const char *name;
    json_int_t tally;
    struct count counts[MAX_COUNTS];
} server;

/* A face of 8 x 8 pixels, as PNG. */
static const char picture[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAAFUlEQVR42mM4zLCXIYqhDojTgKzDACTQ"
    "BJmbSLVQAAAAAElFTkSuQmCC";

static const char tool_list[] =
    "[{'name':'echo','description':'Say the same again.','inputSchema':{'type':'object',"
    "'properties':{'text':{'type':'string'}},'required':['text']}},"
    "{'name':'count','description':'Count to a number, slowly, with progress.',"
    "'inputSchema':{'type':'object','properties':{'to':{'type':'integer','minimum':1,'"
    "maximum':1000},"
    "'step_ms':{'type':'integer','minimum':0,'default':100}},'required':['to']}},"
    "{'name':'tally','description':'Add one to a number that this process keeps.',"
    "'inputSchema':{'type':'object'}},"
    "{'name':'picture','description':'A small picture.','inputSchema':{'type':'object'}},"
    "{'name':'look up','description':'Has a blank in its name.',"
    "'inputSchema':{'type':'object'}},"
    "{'name':'erase_all','description':'Erase everything.',"
    "'inputSchema':{'type':'object'}}]";

static int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- what we say; each takes over the last argument -------------------------------- */

static void
send_message(json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

    if (text)
        printf("%s\n", text);
    fflush(stdout);
    free(text);
    json_decref(message);
}

static void
send_result(json_t *id, json_t *result)
{
    if (server.modern && result) {
        json_object_set_new(result, "resultType", json_string("complete"));
        json_object_set_new(result, "_meta",
                            json_pack("{s{ssss}}", "io.modelcontextprotocol/serverInfo",
                                      "name", server.name, "version", "1"));
    }
    send_message(json_pack("{ss sO so*}", "jsonrpc", "2.0", "id", id, "result", result));
}

static void
send_error(json_t *id, int code, const char *message)
{
    send_message(json_pack("{ss sO s{si ss}}", "jsonrpc", "2.0", "id", id, "error",
                           "code", code, "message", message));
}

static void
send_text(json_t *id, const char *text, int is_error)
{
    json_t *result = json_pack("{s[{ssss}]}", "content", "type", "text", "text", text);

    if (is_error)
        json_object_set_new(result, "isError", json_true());
    send_result(id, result);
}

/* ---- tools ------------------------------------------------------------------------- */

static void
free_count(struct count *count)
{
    json_decref(count->id);
    json_decref(count->token);
    memset(count, 0, sizeof(*count));
}

static void
start_count(json_t *id, json_t *arguments, json_t *token)
{
    json_t *to = json_object_get(arguments, "to");
    json_t *step = json_object_get(arguments, "step_ms");

    if (!json_is_integer(to) || json_integer_value(to) < 1 ||
        json_integer_value(to) > MAX_TO) {
        send_text(id, "'to' must be a whole number from 1 to 1000", 1);
        return;
    }
    for (size_t i = 0; i < MAX_COUNTS; i++) {
        struct count *count = &server.counts[i];

        if (count->id)
            continue;
        count->id = json_incref(id);
        count->token = json_incref(token);
        count->to = json_integer_value(to);
        count->step_ms = json_is_integer(step) ? json_integer_value(step) : 100;
        if (count->step_ms < 0 || count->step_ms > MAX_STEP_MS)
            count->step_ms = MAX_STEP_MS;
        count->next = now_ms() + count->step_ms;
        return;
    }
    send_text(id, "too many counts at once", 1);
}

static void
count_one(struct count *count)
{
    char text[80];

    count->at++;
    count->next += count->step_ms;
    if (count->token) {
        snprintf(text, sizeof(text), "%lld", (long long)count->at);
        send_message(json_pack("{ss ss s{sO sI sI ss}}", "jsonrpc", "2.0", "method",
                               "notifications/progress", "params", "progressToken",
                               count->token, "progress", count->at, "total", count->to,
                               "message", text));
    }
    if (count->at < count->to)
        return;
    snprintf(text, sizeof(text), "counted to %lld (process %d)", (long long)count->to,
             (int)getpid());
    send_text(count->id, text, 0);
    free_count(count);
}

static void
cancel_count(json_t *params)
{
    json_t *id = json_object_get(params, "requestId");

    for (size_t i = 0; id && i < MAX_COUNTS; i++) {
        if (server.counts[i].id && json_equal(server.counts[i].id, id))
            free_count(&server.counts[i]);
    }
}

static void
call_tool(json_t *id, json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    json_t *arguments = json_object_get(params, "arguments");
    char text[512];

    if (!name)
        name = "";
    if (strcmp(name, "echo") == 0) {
        const char *said = json_string_value(json_object_get(arguments, "text"));

        if (!said) {
            send_text(id, "'text' is missing", 1);
            return;
        }
        snprintf(text, sizeof(text), "%.400s (process %d)", said, (int)getpid());
        send_text(id, text, 0);
    } else if (strcmp(name, "count") == 0) {
        json_t *meta = json_object_get(params, "_meta");

        start_count(id, arguments, json_object_get(meta, "progressToken"));
    } else if (strcmp(name, "tally") == 0) {
        snprintf(text, sizeof(text), "%lld (process %d)", (long long)++server.tally,
                 (int)getpid());
        send_text(id, text, 0);
    } else if (strcmp(name, "picture") == 0) {
        send_result(id, json_pack("{s[{ssssss}]}", "content", "type", "image", "data",
                                  picture, "mimeType", "image/png"));
    } else if (strcmp(name, "look up") == 0 || strcmp(name, "erase_all") == 0) {
        send_text(id, "done", 0);
    } else {
        send_error(id, -32602, "unknown tool");
    }
}

/* ---- requests ---------------------------------------------------------------------- */

static json_t *
capabilities(void)
{
    return json_pack("{s{}}", "tools");
}

static void
initialize(json_t *id, json_t *params)
{
    static const char *const known[] = {"2024-11-05", "2025-03-26", "2025-06-18",
                                        "2025-11-25"};
    const char *asked = json_string_value(json_object_get(params, "protocolVersion"));
    const char *version = known[3];

    for (size_t i = 0; asked && i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(asked, known[i]) == 0)
            version = known[i];
    }
    send_result(id, json_pack("{ss so s{ssss}}", "protocolVersion", version,
                              "capabilities", capabilities(), "serverInfo", "name",
                              server.name, "version", "1"));
}

static void
list_tools(json_t *id)
{
    char text[sizeof(tool_list)];
    json_t *result;

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = tool_list[i] == '\'' ? '"' : tool_list[i];
    result = json_pack("{so*}", "tools", json_loads(text, 0, NULL));
    if (server.modern && result) {
        json_object_set_new(result, "ttlMs", json_integer(3600000));
        json_object_set_new(result, "cacheScope", json_string("public"));
    }
    send_result(id, result);
}

/* Whether the request says itself which protocol it speaks, as it has to. */
static int
is_modern(json_t *params)
{
    static const char key[] = "io.modelcontextprotocol/protocolVersion";
    const char *version =
        json_string_value(json_object_get(json_object_get(params, "_meta"), key));

    return version && strcmp(version, "2026-07-28") == 0;
}

static void
handle(json_t *message)
{
    const char *method = json_string_value(json_object_get(message, "method"));
    json_t *id = json_object_get(message, "id");
    json_t *params = json_object_get(message, "params");

    if (!method)
        return;
    if (!id) {
        if (strcmp(method, "notifications/cancelled") == 0)
            cancel_count(params);
        return;
    }
    if (server.modern && !is_modern(params)) {
        send_message(json_pack("{ss sO s{si ss s{s[s]}}}", "jsonrpc", "2.0", "id", id,
                               "error", "code", -32022, "message",
                               "unsupported protocol version", "data", "supported",
                               "2026-07-28"));
    } else if (server.modern && strcmp(method, "server/discover") == 0) {
        send_result(id, json_pack("{s[s] so si ss}", "supportedVersions", "2026-07-28",
                                  "capabilities", capabilities(), "ttlMs", 3600000,
                                  "cacheScope", "public"));
    } else if (!server.modern && strcmp(method, "initialize") == 0) {
        initialize(id, params);
    } else if (!server.modern && strcmp(method, "ping") == 0) {
        send_result(id, json_object());
    } else if (strcmp(method, "tools/list") == 0) {
        list_tools(id);
    } else if (strcmp(method, "tools/call") == 0) {
        call_tool(id, params);
    } else {
        send_error(id, -32601, "method not found");
    }
}

/* ---- the loop ---------------------------------------------------------------------- */

/* Handles the whole lines of `data`.  Returns what it did not use up. */
static size_t
handle_lines(char *data, size_t len)
{
    char *line = data;
    char *end = data + len;

    for (;;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        json_t *message;

        if (!newline)
            break;
        message = json_loadb(line, (size_t)(newline - line), 0, NULL);
        if (message)
            handle(message);
        else
            fprintf(stderr, "%s: not JSON: %.60s\n", server.name, line);
        json_decref(message);
        line = newline + 1;
    }
    memmove(data, line, (size_t)(end - line));
    return (size_t)(end - line);
}

/* How long to sleep: until the next number of a count, or for ever. */
static int
turn_counts(void)
{
    int64_t now = now_ms();
    int64_t wait = -1;

    for (size_t i = 0; i < MAX_COUNTS; i++) {
        struct count *count = &server.counts[i];

        while (count->id && count->next <= now)
            count_one(count);
        if (count->id && (wait < 0 || count->next - now < wait))
            wait = count->next - now;
    }
    return (int)wait;
}

int
main(int argc, char **argv)
{
    static char data[MAX_LINE];
    size_t len = 0;

    server.name = "demo";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--modern") == 0)
            server.modern = 1;
        else
            server.name = argv[i];
    }
    fprintf(stderr, "%s: ready, process %d\n", server.name, (int)getpid());
    for (;;) {
        struct pollfd pfd = {.fd = STDIN_FILENO, .events = POLLIN};
        ssize_t n;

        if (poll(&pfd, 1, turn_counts()) <= 0)
            continue;
        n = read(STDIN_FILENO, data + len, sizeof(data) - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        len = handle_lines(data, len + (size_t)n);
        if (len == sizeof(data)) {
            fprintf(stderr, "%s: a line of more than %d bytes\n", server.name, MAX_LINE);
            return 1;
        }
    }
}
