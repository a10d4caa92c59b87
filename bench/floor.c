/* SPDX-License-Identifier: MIT
 *
 * floor.c - minimal clients: a lower bound to compare the library with.
 *
 *     floor raw|scan [--tool T] [--calls N] [--warm N] [--inflight N] [--times 0]
 *                    [--handed 1] [--free 1]
 *     floor cold [--servers N] [--tools N] [--reps N] [--free 1]
 *     floor list [--tools N] [--free 1]
 *     floor spawn [--balloon MIB] [--reps N]
 *
 *   raw     tool calls.  The client formats the request before the clock starts.  It
 *           searches the answer only for the newline.
 *   scan    tool calls.  Each request gets its own id.  The client checks the answer in
 *           one pass, compares its id, and copies the bytes of the result.
 *   cold    posix_spawn, handshake and tools/list, for all servers at once
 *   list    only a tools/list to one server, which has answered a tools/list before
 *   spawn   posix_spawn only
 *
 * With --handed 1, which works only for `raw` and one call at a time, the calling thread
 * sleeps on a futex.  A second thread reads each answer and wakes the calling thread.
 * The clients have no timers and no limits.  Every error ends the program.  The program
 * prints one line of JSON.  It runs on one core unless --free 1 is given.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "common/common.h"

#define READ_SIZE (64u * 1024u)

extern char **environ;

struct session {
    pid_t pid;
    int to, from;
    char *buf;
    size_t start, scanned, len, cap; /* offsets: the line begins at start; no newline
                                      * is between start and scanned */
};

static struct {
    const char *mode, *tool;
    char *server;
    size_t calls, warm, inflight, servers, tools, reps, balloon, free, times, handed;
} opt = {.tool = "text64",
         .calls = 5000,
         .warm = 1000,
         .inflight = 1,
         .servers = 1,
         .tools = 10,
         .reps = 1,
         .times = 1};

/* ---- a server ---------------------------------------------------------------------- */

static void
start(struct session *s, size_t number)
{
    char tools[24], prefix[24];
    char *argv[] = {opt.server, "--tools", tools, "--prefix", prefix, NULL};
    posix_spawn_file_actions_t actions;
    int in[2], out[2];

    snprintf(tools, sizeof(tools), "%zu", opt.tools);
    prefix[0] = '\0';
    if (opt.servers > 1)
        snprintf(prefix, sizeof(prefix), "s%zu_", number);
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        bench_die("no pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (posix_spawn(&s->pid, opt.server, &actions, NULL, argv, environ))
        bench_die("cannot start '%s'", opt.server);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    s->to = in[1];
    s->from = out[0];
    s->start = s->scanned = s->len = 0;
}

static void
stop(struct session *s)
{
    close(s->to);
    close(s->from);
    waitpid(s->pid, NULL, 0);
    free(s->buf);
    *s = (struct session){0};
}

static void
write_all(struct session *s, const char *p, size_t len)
{
    ssize_t n;

    for (; len > 0; p += n, len -= (size_t)n) {
        n = write(s->to, p, len);
        if (n < 0)
            bench_die("cannot write: %s", strerror(errno));
    }
}

static void
puts_to(struct session *s, const char *str)
{
    write_all(s, str, strlen(str));
}

/* Reads more bytes.  Returns false if the server has ended. */
static bool
read_more(struct session *s)
{
    ssize_t n;

    if (s->start == s->len)
        s->start = s->scanned = s->len = 0;
    if (s->cap - s->len < READ_SIZE) {
        s->cap = s->cap * 2 > s->len + READ_SIZE ? s->cap * 2 : s->len + READ_SIZE;
        s->buf = bench_must(realloc(s->buf, s->cap));
    }
    n = read(s->from, s->buf + s->len, READ_SIZE);
    if (n > 0)
        s->len += (size_t)n;
    return n > 0;
}

/* Returns the next line if it is complete, otherwise NULL. */
static const char *
line_there(struct session *s, size_t *ret_len)
{
    const char *newline = s->len > s->scanned
                              ? memchr(s->buf + s->scanned, '\n', s->len - s->scanned)
                              : NULL;
    const char *line = s->buf + s->start;

    if (!newline) {
        s->scanned = s->len;
        return NULL;
    }
    *ret_len = (size_t)(newline - line);
    s->start = s->scanned = (size_t)(newline + 1 - s->buf);
    return line;
}

static const char *
line_wait(struct session *s, size_t *ret_len)
{
    const char *line = line_there(s, ret_len);

    while (!line) {
        if (!read_more(s))
            bench_die("the server ended");
        line = line_there(s, ret_len);
    }
    return line;
}

/* ---- handshake --------------------------------------------------------------------- */

static const char hello[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
    "\"clientInfo\":{\"name\":\"floor\",\"version\":\"1.0\"}}}\n";
static const char ready[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
static const char ready_list[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";

/* Starts `n` servers and makes the handshake with each server.  If `list` is true, also
 * waits for the lists of tools.  Starts all servers before it sends the first message, so
 * that the servers start in parallel. */
static void
bring_up(struct session *s, size_t n, bool list)
{
    size_t i, len;

    for (i = 0; i < n; i++)
        start(&s[i], i);
    for (i = 0; i < n; i++)
        puts_to(&s[i], hello);
    for (i = 0; i < n; i++) {
        line_wait(&s[i], &len);
        puts_to(&s[i], list ? ready_list : ready);
    }
    for (i = 0; list && i < n; i++)
        line_wait(&s[i], &len);
}

/* ---- calls ------------------------------------------------------------------------- */

struct caller {
    struct session *s;
    char *request; /* raw: a complete request; scan: the part after the id */
    size_t request_len, left, in_flight;
    long next_id, oldest;
    char *out;
    size_t out_len;
    bool scan;
};

static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":";

static void
make_request(struct caller *c)
{
    int n = asprintf(&c->request,
                     "%s,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                     "\"arguments\":{\"message\":\"hello\"}}}\n",
                     c->scan ? "" : "{\"jsonrpc\":\"2.0\",\"id\":7", opt.tool);

    if (n < 0)
        bench_die("out of memory");
    c->request_len = (size_t)n;
    c->out = bench_must(malloc((c->request_len + 64) * (opt.inflight + 1)));
}

/* Adds a request to the buffer.  One write sends the whole buffer. */
static void
add_request(struct caller *c)
{
    char *p = c->out + c->out_len, digits[20];
    long id = c->next_id++;
    int n = 0;

    if (c->scan) {
        memcpy(p, head, sizeof(head) - 1);
        p += sizeof(head) - 1;
        do
            digits[n++] = (char)('0' + id % 10);
        while (id /= 10);
        while (n)
            *p++ = digits[--n];
    }
    memcpy(p, c->request, c->request_len);
    c->out_len = (size_t)(p - c->out) + c->request_len;
    c->in_flight++;
    c->left--;
}

static void
take_answer(struct caller *c, const char *line, size_t len)
{
    struct bench_answer a;
    char *copy;

    c->in_flight--;
    if (!c->scan)
        return;
    if (!bench_scan(line, len, &a) || !a.result || a.id != c->oldest++)
        bench_die("an answer that is none");
    copy = bench_must(malloc(a.result_len));
    memcpy(copy, a.result, a.result_len);
    __asm__ volatile("" : : "r"(copy) : "memory"); /* keeps `copy` in the program */
    free(copy);
}

/* Makes `n` calls, opt.inflight at a time.  Unless `times` is NULL, adds the time of each
 * round to `times`.  If opt.inflight is 1, a round is one call. */
static void
run_calls(struct caller *c, size_t n, struct bench_samples *times)
{
    double t0 = 0;
    const char *line;
    size_t len;

    c->left = n;
    while (c->left || c->in_flight) {
        if (times)
            t0 = bench_now_us();
        while (c->left && c->in_flight < opt.inflight)
            add_request(c);
        if (c->out_len)
            write_all(c->s, c->out, c->out_len);
        c->out_len = 0;
        for (line = line_wait(c->s, &len); line; line = line_there(c->s, &len))
            take_answer(c, line, len);
        if (times)
            bench_add(times, bench_now_us() - t0);
    }
}

/* ---- a thread that reads answers --------------------------------------------------- */

static struct {
    pthread_t thread;
    _Atomic unsigned answers; /* number of answers, used as the futex */
} reader;

/* Counts the answers of a server until the server ends, and wakes the calling thread. */
static void *
read_answers(void *arg)
{
    struct session *s = arg;
    size_t len;

    for (;;) {
        while (!line_there(s, &len))
            if (!read_more(s))
                return NULL;
        atomic_fetch_add(&reader.answers, 1);
        syscall(SYS_futex, &reader.answers, FUTEX_WAKE_PRIVATE, 1, NULL);
    }
}

static void
run_handed(struct caller *c, size_t n, struct bench_samples *times)
{
    double t0;

    for (size_t i = 0; i < n; i++) {
        unsigned before = atomic_load(&reader.answers);

        t0 = bench_now_us();
        write_all(c->s, c->request, c->request_len);
        while (atomic_load(&reader.answers) == before)
            syscall(SYS_futex, &reader.answers, FUTEX_WAIT_PRIVATE, before, NULL);
        if (times)
            bench_add(times, bench_now_us() - t0);
    }
}

static void
calls(bool scan)
{
    void (*run)(struct caller * c, size_t n, struct bench_samples * times) = run_calls;
    struct session s = {0};
    struct caller c = {.s = &s, .scan = scan};
    struct bench_samples times = {0};
    double wall, cpu, rss;

    if (opt.handed && (scan || opt.inflight != 1))
        bench_die("--handed 1 works only for raw, with one call at a time");
    bring_up(&s, 1, false);
    make_request(&c);
    if (opt.times)
        bench_reserve(&times, opt.calls);
    if (opt.handed) {
        run = run_handed;
        if (pthread_create(&reader.thread, NULL, read_answers, &s))
            bench_die("no thread");
    }
    run(&c, opt.warm, NULL);
    bench_forget_peak();
    rss = bench_peak();
    wall = bench_now_us();
    cpu = bench_cpu_us();
    run(&c, opt.calls, opt.times && opt.inflight == 1 ? &times : NULL);
    cpu = bench_cpu_us() - cpu;
    wall = bench_now_us() - wall;
    bench_begin(scan ? "floor-scan" : "floor-raw", opt.tool);
    if (times.n) {
        bench_figure("p50_us", bench_quantile(&times, 0.5));
        bench_figure("p99_us", bench_quantile(&times, 0.99));
    }
    bench_figure("calls_per_s", (double)opt.calls / wall * 1e6);
    bench_figure("cpu_us", cpu / (double)opt.calls);
    bench_figure("peak_kib", bench_peak() - rss);
    bench_end();
    if (opt.handed) {
        close(s.to);
        s.to = -1;
        pthread_join(reader.thread, NULL);
    }
    stop(&s);
    free(c.request);
    free(c.out);
    free(times.v);
}

/* ---- start-up ---------------------------------------------------------------------- */

static void
cold(void)
{
    struct session *s = bench_must(calloc(opt.servers, sizeof(*s)));
    struct bench_samples ms = {0};
    double t0;

    for (size_t rep = 0; rep < opt.reps; rep++) {
        t0 = bench_now_us();
        bring_up(s, opt.servers, true);
        bench_add(&ms, (bench_now_us() - t0) / 1e3);
        for (size_t i = 0; i < opt.servers; i++)
            stop(&s[i]);
    }
    bench_begin("floor", "cold");
    bench_figure("ms", bench_quantile(&ms, 0.5));
    bench_figure("first_ms", bench_since_start_us() / 1e3);
    bench_end();
    free(ms.v);
    free(s);
}

static void
list(void)
{
    struct session s = {0};
    double t0, cpu;
    size_t len;

    bring_up(&s, 1, true); /* the first tools/list makes the server prepare its answer */
    t0 = bench_now_us();
    cpu = bench_cpu_us();
    puts_to(&s, ready_list);
    line_wait(&s, &len);
    bench_begin("floor", "list");
    bench_figure("ms", (bench_now_us() - t0) / 1e3);
    bench_figure("cpu_ms", (bench_cpu_us() - cpu) / 1e3);
    bench_figure("bytes", (double)len);
    bench_end();
    stop(&s);
}

/* Measures posix_spawn in a process of the requested size. */
static void
spawn(void)
{
    size_t size = opt.balloon << 20;
    struct session s = {0};
    struct bench_samples us = {0};
    double t0;
    char *p;

    if (size) {
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            bench_die("no memory for the balloon");
        memset(p, 1, size);
    }
    for (size_t rep = 0; rep < opt.reps; rep++) {
        t0 = bench_now_us();
        start(&s, 0);
        bench_add(&us, bench_now_us() - t0);
        stop(&s);
    }
    bench_begin("floor", "spawn");
    bench_figure("us", bench_quantile(&us, 0.5));
    bench_end();
    free(us.v);
}

/* ---- the command line -------------------------------------------------------------- */

static void
options(int argc, char **argv)
{
    const struct {
        const char *name;
        size_t *value;
    } numbers[] = {
        {"--calls", &opt.calls},       {"--warm", &opt.warm},
        {"--inflight", &opt.inflight}, {"--servers", &opt.servers},
        {"--tools", &opt.tools},       {"--reps", &opt.reps},
        {"--balloon", &opt.balloon},   {"--free", &opt.free},
        {"--times", &opt.times},       {"--handed", &opt.handed},
    };
    size_t k, n = sizeof(numbers) / sizeof(numbers[0]);

    opt.mode = argc > 1 ? argv[1] : "";
    opt.server = getenv("BENCH_SERVER");
    if (!opt.server)
        bench_die("BENCH_SERVER must name the server");
    for (int i = 2; i < argc; i += 2) {
        for (k = 0; k < n && strcmp(argv[i], numbers[k].name) != 0;)
            k++;
        if (i + 1 == argc || (k == n && strcmp(argv[i], "--tool") != 0))
            bench_die("what is '%s'?", argv[i]);
        if (k < n)
            *numbers[k].value = strtoul(argv[i + 1], NULL, 10);
        else
            opt.tool = argv[i + 1];
    }
}

int
main(int argc, char **argv)
{
    options(argc, argv);
    if (!opt.free)
        bench_pin(-1);
    if (strcmp(opt.mode, "raw") == 0)
        calls(false);
    else if (strcmp(opt.mode, "scan") == 0)
        calls(true);
    else if (strcmp(opt.mode, "cold") == 0)
        cold();
    else if (strcmp(opt.mode, "list") == 0)
        list();
    else if (strcmp(opt.mode, "spawn") == 0)
        spawn();
    else
        bench_die("what is '%s'?", opt.mode);
    return 0;
}
