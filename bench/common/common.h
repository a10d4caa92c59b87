/* SPDX-License-Identifier: MIT
 *
 * common.h - helpers of the benchmarks: clocks, binding to one core, figures, memory, and
 * a JSON scanner for floor.c.
 *
 * This code does not use the library, so that the lower bounds do not depend on it.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Prints a message and ends the program with status 2. */
_Noreturn void bench_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *bench_must(void *p); /* calls bench_die() if p is NULL */

/* A growing string. */
struct bench_bytes {
    char *p;
    size_t len, cap;
};

void bench_bytes_reserve(struct bench_bytes *b, size_t more);
void bench_bytes_add(struct bench_bytes *b, const char *p, size_t len);

/* ---- clocks ------------------------------------------------------------------------ */

double bench_now_us(void);
double bench_cpu_us(void); /* the processor time of all threads of this process */
/* Returns the time since the measuring program started this process, in us.  That program
 * stores the time of the start in BENCH_START_NS.  Returns -1 without this variable. */
double bench_since_start_us(void);

/* Binds this process, and the processes that it starts, to one core.  If `cpu` is -1,
 * chooses the last available core. */
void bench_pin(int cpu);

/* ---- samples ----------------------------------------------------------------------- */

struct bench_samples {
    double *v;
    size_t n, cap;
};

/* Reserves memory for `n` values and touches its pages, so that adding values does not
 * disturb the measurement. */
void bench_reserve(struct bench_samples *s, size_t n);
void bench_add(struct bench_samples *s, double value);
/* Sorts the values and returns the quantile `q`.  A `q` of 0.5 gives the median. */
double bench_quantile(struct bench_samples *s, double q);

/* ---- figures: one line of JSON ----------------------------------------------------- */

void bench_begin(const char *who, const char *what);
void bench_figure(const char *name, double value);
void bench_end(void);

/* ---- memory, in KiB ---------------------------------------------------------------- */

struct bench_memory {
    double rss, pss, anon;
};

/* Reads the memory of process `pid`, or of this process if `pid` is 0.  Returns false if
 * the memory cannot be read. */
bool bench_memory(pid_t pid, struct bench_memory *ret);
/* Returns the highest RSS of this process since the last bench_forget_peak(). */
double bench_peak(void);
void bench_forget_peak(void);
/* Returns the id of a process's parent, or 0 if the parent cannot be found. */
pid_t bench_parent(pid_t pid);

/* ---- servers ----------------------------------------------------------------------- */

/* A server over HTTP.  `serve` handles a message and adds the answer, one line, to
 * `answer`. */
struct bench_web {
    bool sse; /* answers are streams of one event */
    void (*serve)(const char *message, size_t len);
    struct bench_bytes *answer;
};

/* Serves over HTTP until stdin ends. */
void bench_web_serve(const struct bench_web *how);

/* Starts BENCH_SERVER with `--http json` or `--http sse`.  The server ends with this
 * process, or when *ret_hold is closed.  Returns the server's URL.  The caller frees the
 * URL. */
char *bench_web_start(bool sse, int *ret_hold);
/* Starts the server `argv`, which must print its URL in its first line, and must end when
 * its stdin ends.  Its stdin ends when *ret_hold is closed, or with this process.
 * Returns the server's URL.  The caller frees the URL. */
char *bench_web_run(char **argv, int *ret_hold);

/* ---- JSON -------------------------------------------------------------------------- */

struct bench_answer {
    const char *result; /* the value of "result", or NULL */
    size_t result_len;
    long id; /* -1 if the id is missing or no natural number */
};

/* Checks in one pass that a message is one JSON object, and finds its id and its result.
 * Returns false if the message is not a JSON object, is an empty object, or is nested too
 * deep. */
bool bench_scan(const char *p, size_t len, struct bench_answer *ret);

#endif
