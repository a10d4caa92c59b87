/* SPDX-License-Identifier: MIT
 *
 * common.h - what the programs that measure share: clocks, one core, figures,
 * memory, and the floor's JSON scanner.
 *
 * Nothing here knows the library, so that the floors owe it nothing.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Says why and ends the program with status 2. */
_Noreturn void bench_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *bench_must(void *p); /* dies when it is NULL */

/* A growing string. */
struct bench_bytes {
    char *p;
    size_t len, cap;
};

void bench_bytes_reserve(struct bench_bytes *b, size_t more);
void bench_bytes_add(struct bench_bytes *b, const char *p, size_t len);

/* ---- clocks ------------------------------------------------------------------------ */

double bench_now_us(void);
double bench_cpu_us(void); /* of this process, all threads */
/* Since the program that measures us started us (BENCH_START_NS), or -1. */
double bench_since_start_us(void);

/* Puts this process, and what it starts, on one core; -1: the last that we have. */
void bench_pin(int cpu);

/* ---- samples ----------------------------------------------------------------------- */

struct bench_samples {
    double *v;
    size_t n, cap;
};

/* Room for so many, its pages touched: it will not disturb what is measured. */
void bench_reserve(struct bench_samples *s, size_t n);
void bench_add(struct bench_samples *s, double value);
/* Sorts.  `q` of 0.5 is the median. */
double bench_quantile(struct bench_samples *s, double q);

/* ---- figures: one line of JSON ----------------------------------------------------- */

void bench_begin(const char *who, const char *what);
void bench_figure(const char *name, double value);
void bench_end(void);

/* ---- memory, in KiB ---------------------------------------------------------------- */

struct bench_memory {
    double rss, pss, anon;
};

/* Of process `pid`; 0: our own.  False when it cannot be read. */
bool bench_memory(pid_t pid, struct bench_memory *ret);
/* The most that our RSS ever was, since the last bench_forget_peak(). */
double bench_peak(void);
void bench_forget_peak(void);
/* The parent of a process, 0 when there is none. */
pid_t bench_parent(pid_t pid);

/* ---- servers ----------------------------------------------------------------------- */

/* A server over HTTP: each message is handed to `serve`, which adds what it answers, a
 * line, to `answer`. */
struct bench_web {
    bool sse; /* answers are streams of one event, not documents */
    void (*serve)(const char *message, size_t len);
    struct bench_bytes *answer;
};

/* Until stdin ends. */
void bench_web_serve(const struct bench_web *how);

/* Starts BENCH_SERVER with `--http json` or `--http sse`; it ends with us, or when
 * *ret_hold is closed.  Where it listens, to be freed. */
char *bench_web_start(bool sse, int *ret_hold);

/* ---- JSON -------------------------------------------------------------------------- */

struct bench_answer {
    const char *result; /* the value of "result", or NULL */
    size_t result_len;
    long id; /* -1: no number */
};

/* One validating pass over a message of one object; false when it is not JSON. */
bool bench_scan(const char *p, size_t len, struct bench_answer *ret);

#endif
