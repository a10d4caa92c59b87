/* SPDX-License-Identifier: MIT
 *
 * bridge.c - measures the cost of a program between a client on stdio and a server at a
 * URL.
 *
 *     bridge direct  [--tool T] [--calls N] [--warm N] [--inflight N]
 *     bridge through [--tool T] [--calls N] [--warm N] [--inflight N] COMMAND [ARG...]
 *
 * The server is BENCH_SERVER over HTTP.
 *
 * direct: the client sends its requests to the server over one connection.
 *
 * through: the benchmark starts COMMAND and replaces each ARG that is `URL` by the
 * server's URL.  The client uses COMMAND's stdin and stdout.
 *
 * In both modes the client does as little as possible.  It makes the request, with its
 * HTTP header, before the measurement.  While it takes the time of a call, it searches
 * only for the end of the answer.
 *
 * The client first makes one call after the other.  Then, only in `through`, it makes
 * --inflight calls at a time.  The memory figure is the memory of COMMAND and all its
 * descendants at the end.  The benchmark prints one line of JSON.  Everything runs on one
 * core.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "common/common.h"

#define READ_SIZE (64u * 1024u)

extern char **environ;

static struct {
    const char *tool;
    size_t calls, warm, inflight;
} opt = {.tool = "text64", .calls = 3000, .warm = 1000, .inflight = 64};

/* ---- the connection ---------------------------------------------------------------- */

static struct {
    bool http;
    int to, from;
    struct bench_bytes in; /* bytes read; the next answer begins at `start` */
    size_t start;
    struct bench_bytes request; /* a complete request, ready to send */
} way;

static void
put_bytes(const char *p, size_t len)
{
    ssize_t n;

    for (; len > 0; p += n, len -= (size_t)n) {
        n = write(way.to, p, len);
        if (n < 0)
            bench_die("cannot write: %s", strerror(errno));
    }
}

static void
fill_input(void)
{
    ssize_t n;

    if (way.start > 0) {
        way.in.len -= way.start;
        memmove(way.in.p, way.in.p + way.start, way.in.len);
        way.start = 0;
    }
    bench_bytes_reserve(&way.in, READ_SIZE);
    n = read(way.from, way.in.p + way.in.len, READ_SIZE);
    if (n <= 0)
        bench_die("the other side ended");
    way.in.len += (size_t)n;
}

/* Returns the length of the answer at `p`, or 0 if the answer is incomplete. */
static size_t
answer_len(const char *p, size_t len)
{
    const char *end, *length;
    size_t all;

    if (!way.http) {
        end = memchr(p, '\n', len);
        return end ? (size_t)(end + 1 - p) : 0;
    }
    end = memmem(p, len, "\r\n\r\n", 4);
    if (!end)
        return 0;
    length = memmem(p, (size_t)(end - p), "Content-Length: ", 16);
    if (!length)
        bench_die("an answer without a length");
    all = (size_t)(end + 4 - p) + strtoul(length + 16, NULL, 10);
    return all <= len ? all : 0;
}

/* Waits for the next answer and returns it.  The answer is valid until the following
 * call. */
static const char *
answer(size_t *ret_len)
{
    const char *p;

    while ((*ret_len = answer_len(way.in.p + way.start, way.in.len - way.start)) == 0)
        fill_input();
    p = way.in.p + way.start;
    way.start += *ret_len;
    return p;
}

static void
make_request(struct bench_bytes *b, const char *message)
{
    char head[256];
    int n;

    b->len = 0;
    if (way.http) {
        n = snprintf(head, sizeof(head),
                     "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                     "Content-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\n"
                     "Content-Length: %zu\r\n\r\n",
                     strlen(message) - 1);
        bench_bytes_add(b, head, (size_t)n);
    }
    /* Leave out the newline over HTTP, because it is not part of an HTTP body. */
    bench_bytes_add(b, message, strlen(message) - (way.http ? 1 : 0));
}

/* ---- the client -------------------------------------------------------------------- */

static const char *
request_answer(const char *message, size_t *ret_len)
{
    struct bench_bytes b = {0};

    make_request(&b, message);
    put_bytes(b.p, b.len);
    free(b.p);
    return answer(ret_len);
}

static void
introduce(void)
{
    static const char ready[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    size_t len;
    const char *p =
        request_answer("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                       "\"params\":{\"protocolVersion\":\"2025-11-25\","
                       "\"capabilities\":{},\"clientInfo\":{\"name\":\"bridge\","
                       "\"version\":\"1.0\"}}}\n",
                       &len);

    if (!memmem(p, len, "\"serverInfo\"", 12))
        bench_die("no handshake: %.*s", (int)(len < 500 ? len : 500), p);
    if (way.http)
        request_answer(ready, &len);
    else
        put_bytes(ready, strlen(ready));
}

/* Returns the first listed name that ends with the tool's name, because a bridge may have
 * added a prefix. */
static char *
find_tool(void)
{
    size_t len, n = strlen(opt.tool);
    const char *p = request_answer(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\n", &len);
    const char *end = p + len, *name = p;

    while ((name = memmem(name, (size_t)(end - name), "\"name\":\"", 8))) {
        const char *quote;

        name += 8;
        quote = memchr(name, '"', (size_t)(end - name));
        if (quote && quote - name >= (ptrdiff_t)n && memcmp(quote - n, opt.tool, n) == 0)
            return bench_must(strndup(name, (size_t)(quote - name)));
    }
    bench_die("no tool '%s'", opt.tool);
}

static void
make_call(void)
{
    char *name = find_tool(), *message = NULL;

    if (asprintf(&message,
                 "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
                 "\"name\":\"%s\",\"arguments\":{\"message\":\"hello\"}}}\n",
                 name) < 0)
        bench_die("out of memory");
    make_request(&way.request, message);
    free(message);
    free(name);
}

static void
check_answer(const char *p, size_t len)
{
    if (len < 64 || memmem(p, len, "\"error\"", 7))
        bench_die("no result: %.*s", (int)(len < 500 ? len : 500), p);
}

static void
run_calls(size_t n, struct bench_samples *times)
{
    const char *p;
    size_t len;
    double t0;

    for (size_t i = 0; i < n; i++) {
        t0 = bench_now_us();
        put_bytes(way.request.p, way.request.len);
        p = answer(&len);
        if (times)
            bench_add(times, bench_now_us() - t0);
        check_answer(p, len);
    }
}

/* Sends the request with an id of its own, because a bridge may keep a table of ids. */
static void
put_numbered(size_t id)
{
    const char *at = memmem(way.request.p, way.request.len, "\"id\":7", 6);
    size_t before = (size_t)(at - way.request.p) + 5;
    static struct bench_bytes b;
    char digits[24];

    b.len = 0;
    bench_bytes_add(&b, way.request.p, before);
    bench_bytes_add(&b, digits,
                    (size_t)snprintf(digits, sizeof(digits), "%zu", 1000 + id));
    bench_bytes_add(&b, way.request.p + before + 1, way.request.len - before - 1);
    put_bytes(b.p, b.len);
}

static void
run_flood(size_t n)
{
    size_t sent = 0, len;
    const char *p;

    for (; sent < n && sent < opt.inflight; sent++)
        put_numbered(sent);
    for (size_t i = 0; i < n; i++) {
        p = answer(&len);
        check_answer(p, len);
        if (sent < n)
            put_numbered(sent++);
    }
}

/* ---- the two modes ----------------------------------------------------------------- */

static void
connect_to(const char *url)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    const char *port = strrchr(url, ':');
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons((uint16_t)(port ? strtoul(port + 1, NULL, 10) : 0));
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
        bench_die("cannot connect to %s: %s", url, strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    way.http = true;
    way.to = way.from = fd;
}

static pid_t
start(char **argv, char *url)
{
    posix_spawn_file_actions_t actions;
    int in[2], out[2];
    pid_t pid;

    for (size_t i = 0; argv[i]; i++)
        if (strcmp(argv[i], "URL") == 0)
            argv[i] = url;
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        bench_die("no pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ))
        bench_die("cannot start '%s'", argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    way.to = in[1];
    way.from = out[0];
    return pid;
}

static bool
descends(pid_t pid, pid_t from)
{
    for (int depth = 0; pid > 1 && depth < 32; depth++, pid = bench_parent(pid))
        if (pid == from)
            return true;
    return false;
}

static void
add_memory(pid_t from)
{
    struct bench_memory sum = {0}, one;
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    size_t n = 0;

    while (dir && (entry = readdir(dir))) {
        pid_t pid = isdigit((unsigned char)entry->d_name[0])
                        ? (pid_t)strtol(entry->d_name, NULL, 10)
                        : 0;

        if (!pid || !descends(pid, from) || !bench_memory(pid, &one))
            continue;
        sum.rss += one.rss;
        sum.pss += one.pss;
        n++;
    }
    if (dir)
        closedir(dir);
    if (n == 0)
        bench_die("cannot read the memory of process %d", (int)from);
    bench_figure("processes", (double)n);
    bench_figure("rss_kib", sum.rss);
    bench_figure("pss_kib", sum.pss);
}

static void
measure(pid_t bridge)
{
    struct bench_samples times = {0};
    double wall;

    introduce();
    make_call();
    bench_reserve(&times, opt.calls);
    run_calls(opt.warm, NULL);
    wall = bench_now_us();
    run_calls(opt.calls, &times);
    wall = bench_now_us() - wall;
    bench_begin(bridge ? "bridge" : "direct", opt.tool);
    bench_figure("p50_us", bench_quantile(&times, 0.5));
    bench_figure("p99_us", bench_quantile(&times, 0.99));
    bench_figure("calls_per_s", (double)opt.calls / wall * 1e6);
    if (bridge) {
        wall = bench_now_us();
        run_flood(opt.calls);
        wall = bench_now_us() - wall;
        bench_figure("flood_per_s", (double)opt.calls / wall * 1e6);
        add_memory(bridge);
    }
    bench_end();
    free(times.v);
}

/* ---- the command line -------------------------------------------------------------- */

/* Reads the options.  Returns the index of the command, or argc if there is no
 * command. */
static int
options(int argc, char **argv)
{
    const struct {
        const char *name;
        size_t *value;
    } numbers[] = {
        {"--calls", &opt.calls}, {"--warm", &opt.warm}, {"--inflight", &opt.inflight}};
    size_t k, n = sizeof(numbers) / sizeof(numbers[0]);
    int i = 2;

    for (; i < argc && argv[i][0] == '-'; i += 2) {
        for (k = 0; k < n && strcmp(argv[i], numbers[k].name) != 0;)
            k++;
        if (i + 1 == argc || (k == n && strcmp(argv[i], "--tool") != 0))
            bench_die("what is '%s'?", argv[i]);
        if (k < n)
            *numbers[k].value = strtoul(argv[i + 1], NULL, 10);
        else
            opt.tool = argv[i + 1];
    }
    return i;
}

int
main(int argc, char **argv)
{
    int command = options(argc, argv), hold;
    pid_t pid = 0;
    char *url;

    bench_pin(-1);
    url = bench_web_start(false, &hold);
    if (argc > 1 && strcmp(argv[1], "direct") == 0)
        connect_to(url);
    else if (argc > 1 && strcmp(argv[1], "through") == 0 && command < argc)
        pid = start(&argv[command], url);
    else
        bench_die("usage: bridge direct|through [OPTION...] [COMMAND [ARG...]]");
    measure(pid);
    close(way.to);
    if (pid) {
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
    }
    free(url);
    free(way.in.p);
    free(way.request.p);
    return 0;
}
