/* SPDX-License-Identifier: MIT
 *
 * webfloor.c - measures libcurl alone: a lower bound for the library over HTTP.
 *
 *     webfloor [--tool T] [--calls N] [--warm N] [--inflight N] [--sse 1] [--free 1]
 *
 * The program drives one multi handle with curl_multi_socket_action() and epoll.  It
 * reuses easy handles and the list of headers.  It formats the request before the clock
 * starts.  It copies each answer into one buffer without reading the answer.  It has no
 * timers except libcurl's own timers.  The program prints one line of JSON.  It runs on
 * one core unless --free 1 is given.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <curl/curl.h>

#include "common/common.h"

static struct {
    const char *tool;
    size_t calls, warm, inflight, sse, free;
} opt = {.tool = "text64", .calls = 5000, .warm = 1000, .inflight = 1};

struct slot {
    CURL *easy;
    struct bench_bytes answer;
    double since;
};

static CURLM *multi;
static int epoll_fd;
static long timer_ms = -1;
static struct bench_samples *times;

static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
    struct epoll_event ev = {.data.fd = fd};

    (void)easy;
    (void)arg;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    ev.events =
        (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
    epoll_ctl(epoll_fd, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &ev);
    curl_multi_assign(multi, fd, &epoll_fd);
    return 0;
}

static int
on_timer(CURLM *m, long ms, void *arg)
{
    (void)m;
    (void)arg;
    timer_ms = ms;
    return 0;
}

static size_t
on_body(char *p, size_t size, size_t n, void *arg)
{
    struct slot *slot = arg;

    bench_bytes_add(&slot->answer, p, size * n);
    return size * n;
}

static struct slot *
make_slots(const char *url)
{
    static const char *const lines[] = {
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2025-11-25",
        "Expect:",
    };
    struct slot *slots = bench_must(calloc(opt.inflight, sizeof(*slots)));
    struct curl_slist *headers = NULL;
    char *body = NULL;

    if (asprintf(&body,
                 "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
                 "\"name\":\"%s\",\"arguments\":{\"message\":\"hello\"}}}",
                 opt.tool) < 0)
        bench_die("out of memory");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        headers = bench_must(curl_slist_append(headers, lines[i]));
    for (size_t i = 0; i < opt.inflight; i++) {
        CURL *easy = slots[i].easy = bench_must(curl_easy_init());

        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)strlen(body));
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &slots[i]);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &slots[i]);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 262144L);
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
    }
    return slots;
}

static void
begin_transfer(struct slot *slot)
{
    slot->answer.len = 0;
    slot->since = bench_now_us();
    if (curl_multi_add_handle(multi, slot->easy) != CURLM_OK)
        bench_die("libcurl takes no request");
}

static void
run_loop(void)
{
    struct epoll_event found[64];
    int n = epoll_wait(epoll_fd, found, 64, timer_ms > 10000 ? 10000 : (int)timer_ms),
        left;

    if (n < 0 && errno != EINTR)
        bench_die("epoll: %s", strerror(errno));
    if (n <= 0) {
        timer_ms = -1;
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &left);
    }
    for (int i = 0; i < n; i++)
        curl_multi_socket_action(
            multi, found[i].data.fd,
            (found[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                (found[i].events & ~(unsigned)EPOLLOUT ? CURL_CSELECT_IN : 0),
            &left);
}

/* Returns the number of transfers that have ended.  While *more is not 0, starts each of
 * these transfers again and decrements *more. */
static size_t
harvest(size_t *more)
{
    struct slot *slot;
    CURLMsg *message;
    size_t n = 0;
    int left;

    for (message = curl_multi_info_read(multi, &left); message;
         message = curl_multi_info_read(multi, &left)) {
        CURL *easy = message->easy_handle;

        if (message->data.result != CURLE_OK)
            bench_die("%s", curl_easy_strerror(message->data.result));
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&slot);
        curl_multi_remove_handle(multi, easy);
        if (slot->answer.len < 64)
            bench_die("an answer of %zu bytes", slot->answer.len);
        if (times)
            bench_add(times, bench_now_us() - slot->since);
        n++;
        if (*more) {
            --*more;
            begin_transfer(slot);
        }
    }
    return n;
}

static void
run_calls(struct slot *slots, size_t n)
{
    size_t left = n, done = 0;

    for (size_t i = 0; i < opt.inflight && left; i++, left--)
        begin_transfer(&slots[i]);
    while (done < n) {
        run_loop();
        done += harvest(&left);
    }
}

static void
options(int argc, char **argv)
{
    const struct {
        const char *name;
        size_t *value;
    } numbers[] = {
        {"--calls", &opt.calls}, {"--warm", &opt.warm}, {"--inflight", &opt.inflight},
        {"--sse", &opt.sse},     {"--free", &opt.free},
    };
    size_t k, n = sizeof(numbers) / sizeof(numbers[0]);

    for (int i = 1; i < argc; i += 2) {
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
    struct bench_samples all = {0};
    double wall, cpu, rss;
    struct slot *slots;
    int hold;

    options(argc, argv);
    if (!opt.free)
        bench_pin(-1);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    multi = bench_must(curl_multi_init());
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)opt.inflight + 16);
    slots = make_slots(bench_web_start(opt.sse, &hold));
    bench_reserve(&all, opt.calls);
    run_calls(slots, opt.warm);
    bench_forget_peak();
    rss = bench_peak();
    times = &all;
    wall = bench_now_us();
    cpu = bench_cpu_us();
    run_calls(slots, opt.calls);
    cpu = bench_cpu_us() - cpu;
    wall = bench_now_us() - wall;
    bench_begin("webfloor", opt.tool);
    bench_figure("p50_us", bench_quantile(&all, 0.5));
    bench_figure("p99_us", bench_quantile(&all, 0.99));
    bench_figure("calls_per_s", (double)opt.calls / wall * 1e6);
    bench_figure("cpu_us", cpu / (double)opt.calls);
    bench_figure("peak_kib", bench_peak() - rss);
    bench_end();
    return 0;
}
