/* SPDX-License-Identifier: MIT
 *
 * server.c - a minimal MCP server on stdio or HTTP.
 *
 *     server [--tools N] [--resources N] [--prefix P] [--page N] [--http json|sse]
 *
 * The server costs as little as possible, so that a measurement shows the cost of the
 * client.  It does not use the library's own server, because a change to code that the
 * client and the server share would change the reference, too.
 *
 * With --http, the server listens on a free port and prints its URL in its first line of
 * output.  The server ends when its stdin ends.
 *
 * The server uses the legacy protocol (2025-11-25).  It answers all requests of one read
 * with one write.  The `id` is the last member of an answer, as in the TypeScript SDK.
 *
 * The tools text64, text2k, text50k, text10m and text64m answer with a text of the size
 * that the name gives.  The texts of esc64 ... esc64m contain escapes and non-ASCII
 * characters.  The name gives the size of the text with its escapes.  With --tools N, the
 * tools tool_10, tool_11, ... tool_(N-1) answer like text64.  A definition of a tool has
 * about 530 bytes.  A resource has about 270 bytes in the list.  Its text has 2,000
 * bytes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/common.h"

#define READ_SIZE (256u * 1024u)

struct text {
    const char *name;
    size_t size;
    int escapes;
    struct bench_bytes answer; /* up to the id; the first call makes it */
};

static struct text texts[] = {
    {"text64", 64, 0, {0}},        {"text2k", 2000, 0, {0}},
    {"text50k", 50000, 0, {0}},    {"text10m", 10000000, 0, {0}},
    {"text64m", 64000000, 0, {0}}, {"esc64", 64, 1, {0}},
    {"esc2k", 2000, 1, {0}},       {"esc50k", 50000, 1, {0}},
    {"esc10m", 10000000, 1, {0}},  {"esc64m", 64000000, 1, {0}},
};

#define N_TEXTS (sizeof(texts) / sizeof(texts[0]))

static struct bench_bytes in, out, pages;
static const char *prefix = "";
static const char *http;
static size_t n_tools = N_TEXTS, n_resources, page_size;

static void
adds(struct bench_bytes *b, const char *str)
{
    bench_bytes_add(b, str, strlen(str));
}

/* ---- answers ----------------------------------------------------------------------- */

/* Adds `size` bytes of JSON text. */
static void
add_text(struct bench_bytes *b, size_t size, int escapes)
{
    static const char unit[] =
        "a line of text with \\\"quotes\\\", a tab\\t, caf\xc3\xa9 "
        "and its end\\n";
    size_t n = sizeof(unit) - 1;

    bench_bytes_reserve(b, size);
    if (escapes) {
        for (; size >= n; size -= n)
            bench_bytes_add(b, unit, n);
    }
    memset(b->p + b->len, 'x', size);
    b->len += size;
}

static const struct bench_bytes *
answer_of(struct text *t)
{
    if (!t->answer.p) {
        adds(&t->answer, "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
        add_text(&t->answer, t->size, t->escapes);
        adds(&t->answer, "\"}]},\"jsonrpc\":\"2.0\",\"id\":");
    }
    return &t->answer;
}

static void
add_tool(struct bench_bytes *b, size_t i)
{
    char name[32];

    if (i < N_TEXTS)
        snprintf(name, sizeof(name), "%s", texts[i].name);
    else
        snprintf(name, sizeof(name), "tool_%zu", i);
    adds(b, "{\"name\":\"");
    adds(b, prefix);
    adds(b, name);
    adds(b, "\",\"description\":\"Answers with a text whose size is part of the name. ");
    add_text(b, 150, 0);
    adds(b, "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
            "\"message\":{\"type\":\"string\",\"description\":\"what to say\"},"
            "\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000},"
            "\"options\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
            "\"required\":[\"message\"],\"additionalProperties\":false},"
            "\"annotations\":{\"readOnlyHint\":true}}");
}

/* Returns the page that begins with tool `from`. */
static const struct bench_bytes *
page_from(size_t from)
{
    size_t i, to = page_size && from + page_size < n_tools ? from + page_size : n_tools;
    char cursor[64];

    if (from == 0 && to == n_tools && pages.p)
        return &pages;
    pages.len = 0;
    adds(&pages, "{\"result\":{\"tools\":[");
    for (i = from; i < to; i++) {
        if (i > from)
            adds(&pages, ",");
        add_tool(&pages, i);
    }
    adds(&pages, "]");
    if (to < n_tools) {
        snprintf(cursor, sizeof(cursor), ",\"nextCursor\":\"%zu\"", to);
        adds(&pages, cursor);
    }
    adds(&pages, "},\"jsonrpc\":\"2.0\",\"id\":");
    return &pages;
}

static const struct bench_bytes *
list_resources(void)
{
    static struct bench_bytes list;
    char start[192];

    if (list.p)
        return &list;
    adds(&list, "{\"result\":{\"resources\":[");
    for (size_t i = 0; i < n_resources; i++) {
        snprintf(start, sizeof(start),
                 "%s{\"uri\":\"file:///bench/%zu.txt\",\"name\":\"file_%zu\","
                 "\"mimeType\":\"text/plain\",\"size\":2000,\"description\":\"",
                 i ? "," : "", i, i);
        adds(&list, start);
        add_text(&list, 170, 0);
        adds(&list, "\"}");
    }
    adds(&list, "]},\"jsonrpc\":\"2.0\",\"id\":");
    return &list;
}

static const struct bench_bytes *
read_resource(void)
{
    static struct bench_bytes read;

    if (read.p)
        return &read;
    adds(&read,
         "{\"result\":{\"contents\":[{\"uri\":\"file:///bench/0.txt\",\"text\":\"");
    add_text(&read, 2000, 0);
    adds(&read, "\"}]},\"jsonrpc\":\"2.0\",\"id\":");
    return &read;
}

/* ---- requests ---------------------------------------------------------------------- */

/* Returns the text after `key` in the line, or NULL if the line lacks the key. */
static const char *
behind(const char *line, size_t len, const char *key)
{
    const char *at = memmem(line, len, key, strlen(key));

    return at ? at + strlen(key) : NULL;
}

static const struct bench_bytes *
call_tool(const char *line, size_t len)
{
    const char *name = behind(line, len, "\"name\":\"");
    size_t i, n = strlen(prefix);

    if (name && strncmp(name, prefix, n) == 0) {
        name += n;
        for (i = 0; i < N_TEXTS; i++) {
            n = strlen(texts[i].name);
            if (strncmp(name, texts[i].name, n) == 0 && name[n] == '"')
                return answer_of(&texts[i]);
        }
    }
    return answer_of(&texts[0]);
}

static const struct bench_bytes *
list_tools(const char *line, size_t len)
{
    const char *cursor = behind(line, len, "\"cursor\":\"");

    return page_from(cursor ? strtoul(cursor, NULL, 10) : 0);
}

static void
answer(const char *line, size_t len)
{
    static const char hello[] =
        "{\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
        "\"serverInfo\":{\"name\":\"bench\",\"version\":\"1.0\"}},\"jsonrpc\":\"2.0\","
        "\"id\":";
    static const char rich[] =
        "{\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"
        "\"resources\":{}},\"serverInfo\":{\"name\":\"bench\",\"version\":\"1.0\"}},"
        "\"jsonrpc\":\"2.0\",\"id\":";
    static const char unknown[] = "{\"error\":{\"code\":-32601,\"message\":\"Method not "
                                  "found\"},\"jsonrpc\":\"2.0\",\"id\":";
    const char *id = behind(line, len, "\"id\":"), *end = line + len;
    const char *method = behind(line, len, "\"method\":\"");
    const struct bench_bytes *b = NULL;
    size_t n = 0;

    if (!id || !method)
        return;
    while (id + n < end && id[n] != ',' && id[n] != '}')
        n++;
    if (strncmp(method, "tools/call\"", 11) == 0)
        b = call_tool(line, len);
    else if (strncmp(method, "tools/list\"", 11) == 0)
        b = list_tools(line, len);
    else if (n_resources && strncmp(method, "resources/list\"", 15) == 0)
        b = list_resources();
    else if (n_resources && strncmp(method, "resources/read\"", 15) == 0)
        b = read_resource();
    if (b)
        bench_bytes_add(&out, b->p, b->len);
    else if (strncmp(method, "initialize\"", 11) == 0)
        adds(&out, n_resources ? rich : hello);
    else if (strncmp(method, "ping\"", 5) == 0)
        adds(&out, "{\"result\":{},\"jsonrpc\":\"2.0\",\"id\":");
    else
        bench_bytes_add(&out, unknown, sizeof(unknown) - 1);
    bench_bytes_add(&out, id, n);
    bench_bytes_add(&out, "}\n", 2);
}

static int
flush(void)
{
    size_t at = 0;
    ssize_t n;

    while (at < out.len) {
        n = write(1, out.p + at, out.len - at);
        if (n < 0 && errno != EINTR)
            return -1;
        at += n > 0 ? (size_t)n : 0;
    }
    out.len = 0;
    return 0;
}

static void
options(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--tools") == 0)
            n_tools = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--resources") == 0)
            n_resources = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--prefix") == 0)
            prefix = argv[i + 1];
        else if (strcmp(argv[i], "--page") == 0)
            page_size = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--http") == 0)
            http = argv[i + 1];
    }
}

int
main(int argc, char **argv)
{
    const char *line, *newline;
    size_t done;
    ssize_t n;

    options(argc, argv);
    if (http) {
        bench_web_serve(&(struct bench_web){
            .sse = strcmp(http, "sse") == 0, .serve = answer, .answer = &out});
        return 0;
    }
    for (;;) {
        bench_bytes_reserve(&in, READ_SIZE + 1);
        n = read(0, in.p + in.len, READ_SIZE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        in.len += (size_t)n;
        in.p[in.len] = '\0';
        done = 0;
        for (;;) {
            line = in.p + done;
            newline = memchr(line, '\n', in.len - done);
            if (!newline)
                break;
            answer(line, (size_t)(newline - line));
            done = (size_t)(newline + 1 - in.p);
        }
        in.len -= done;
        memmove(in.p, in.p + done, in.len);
        if (flush() < 0)
            return 0;
    }
}
