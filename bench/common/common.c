/* SPDX-License-Identifier: MIT
 *
 * common.c - clocks, cores, samples, figures and memory for the benchmarks.
 */
#include <inttypes.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#include "common.h"

extern char **environ;

void
bench_die(const char *fmt, ...)
{
    va_list ap;

    fputs("bench: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(2);
}

void *
bench_must(void *p)
{
    if (!p)
        bench_die("out of memory");
    return p;
}

void
bench_bytes_reserve(struct bench_bytes *b, size_t more)
{
    if (b->cap - b->len >= more)
        return;
    b->cap = b->len + more > b->cap * 2 ? b->len + more : b->cap * 2;
    b->p = bench_must(realloc(b->p, b->cap));
}

void
bench_bytes_add(struct bench_bytes *b, const char *p, size_t len)
{
    bench_bytes_reserve(b, len);
    memcpy(b->p + b->len, p, len);
    b->len += len;
}

/* ---- clocks ------------------------------------------------------------------------ */

static double
read_clock(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

double
bench_now_us(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double
bench_cpu_us(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double
bench_since_start_us(void)
{
    const char *text = getenv("BENCH_START_NS");
    int64_t start = text ? strtoll(text, NULL, 10) : 0;

    return start > 0 ? bench_now_us() - (double)start / 1e3 : -1;
}

void
bench_pin(int cpu)
{
    cpu_set_t set;

    if (cpu < 0 && sched_getaffinity(0, sizeof(set), &set) == 0)
        for (size_t i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &set))
                cpu = (int)i;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        bench_die("cannot run on core %d alone", cpu);
}

/* ---- samples ----------------------------------------------------------------------- */

void
bench_reserve(struct bench_samples *s, size_t n)
{
    while (s->n < n)
        bench_add(s, 0);
    s->n = 0;
}

void
bench_add(struct bench_samples *s, double value)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 1024;
        s->v = bench_must(realloc(s->v, s->cap * sizeof(*s->v)));
    }
    s->v[s->n++] = value;
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double
bench_quantile(struct bench_samples *s, double q)
{
    double at;
    size_t i;

    if (s->n == 0)
        return 0;
    qsort(s->v, s->n, sizeof(*s->v), by_value);
    at = q * (double)(s->n - 1);
    i = (size_t)at;
    if (i + 1 >= s->n)
        return s->v[s->n - 1];
    return s->v[i] + (at - (double)i) * (s->v[i + 1] - s->v[i]);
}

/* ---- figures ----------------------------------------------------------------------- */

void
bench_begin(const char *who, const char *what)
{
    printf("{\"who\":\"%s\",\"what\":\"%s\"", who, what);
}

void
bench_figure(const char *name, double value)
{
    printf(",\"%s\":%.6g", name, value);
}

void
bench_end(void)
{
    puts("}");
    fflush(stdout);
}

/* ---- memory ------------------------------------------------------------------------ */

/* Returns the number after `key` in a file of /proc, or -1. */
static double
read_field(pid_t pid, const char *file, const char *key)
{
    char path[64], line[256];
    double value = -1;
    FILE *f;

    if (pid)
        snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    else
        snprintf(path, sizeof(path), "/proc/self/%s", file);
    f = fopen(path, "re");
    if (!f)
        return -1;
    while (value < 0 && fgets(line, sizeof(line), f))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtod(line + strlen(key), NULL);
    fclose(f);
    return value;
}

bool
bench_memory(pid_t pid, struct bench_memory *ret)
{
    ret->rss = read_field(pid, "smaps_rollup", "Rss:");
    ret->pss = read_field(pid, "smaps_rollup", "Pss:");
    ret->anon = read_field(pid, "smaps_rollup", "Anonymous:");
    return ret->rss >= 0 && ret->pss >= 0 && ret->anon >= 0;
}

double
bench_peak(void)
{
    return read_field(0, "status", "VmHWM:");
}

void
bench_forget_peak(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "5", 1);
    close(fd);
}

pid_t
bench_parent(pid_t pid)
{
    double parent = read_field(pid, "status", "PPid:");

    return parent > 0 ? (pid_t)parent : 0;
}

/* ---- servers ----------------------------------------------------------------------- */

char *
bench_web_start(bool sse, int *ret_hold)
{
    char *argv[] = {getenv("BENCH_SERVER"), (char *)"--http",
                    (char *)(sse ? "sse" : "json"), NULL};

    return bench_web_run(argv, ret_hold);
}

char *
bench_web_run(char **argv, int *ret_hold)
{
    char *url = NULL;
    posix_spawn_file_actions_t actions;
    int in[2], out[2];
    size_t size = 0;
    FILE *f;
    pid_t pid;

    if (!argv[0] || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        bench_die("no server, or no pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ))
        bench_die("cannot start '%s'", argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    f = fdopen(out[0], "r");
    if (!f || getline(&url, &size, f) < 0)
        bench_die("the server does not say where it is");
    url[strcspn(url, "\n")] = '\0';
    fclose(f);
    *ret_hold = in[1];
    return url;
}
