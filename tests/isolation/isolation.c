/* SPDX-License-Identifier: MIT
 *
 * isolation.c - runs the rows and prints the table of results.
 *
 *   isolation [-t] [-d MS] [-v] [ROW...]
 *   isolation --serve ROW [--web]
 *
 * A row fails if its process dies, does not end in time or ends with an error, if a call
 * to the healthy server fails, or if no call to the healthy server succeeds.  Otherwise
 * the program judges numbers that do not depend on the machine's load: the bytes read and
 * the steps (allocations) in one turn, and the memory and descriptors of the host.  With
 * AddressSanitizer or ThreadSanitizer, the program does not judge steps and memory.  -t
 * also judges the number and the delay of calls to the healthy server.  -t needs an idle
 * machine.  -d sets how many milliseconds each row runs.  -v prints how the calls to the
 * hostile server end, and why calls to the healthy server fail.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation/run.h"

#define P99_US      10000
#define MAX_US      50000
#define BYTES_TURN  ((int64_t)1024 * 1024)
#define STEPS_TURN  ((int64_t)16000)
#define RSS_KB      ((long)256 * 1024)
#define FDS_HOST    64
#define FDS_SERVER  8
#define SERVERS     2
#define CALLS_LEAST 20    /* least number of healthy calls that a row needs with -t */
#define ROW_MS      60000 /* added to the time of a row for its start and end, in ms */

struct row_table *row_tables;
static struct run_options options = {.ms = 1500};
static bool times;

void
rows_register(struct row_table *table)
{
    table->next = row_tables;
    row_tables = table;
}

const struct row *
row_find(const char *name)
{
    for (struct row_table *t = row_tables; t; t = t->next) {
        for (size_t i = 0; i < t->n; i++) {
            if (strcmp(t->rows[i].name, name) == 0)
                return &t->rows[i];
        }
    }
    return NULL;
}

/* ---- the verdict ------------------------------------------------------------------- */

static const char *
verdict(const struct row *row, const struct run_result *r)
{
    int64_t bytes = row->max_bytes ? row->max_bytes : BYTES_TURN;
    int64_t steps = row->max_steps ? row->max_steps : STEPS_TURN;

    if (!r->done)
        return "DIED";
    if (r->n_calls < (times ? CALLS_LEAST : 1) || r->n_failed > 0)
        return "CALLS";
    if (r->worst.bytes_in > bytes)
        return "BYTES";
    if (meter_has_steps && r->worst.steps > steps)
        return "STEPS";
    if (meter_has_steps && r->rss_kb > RSS_KB)
        return "MEMORY";
    if (r->fds > FDS_HOST + SERVERS * FDS_SERVER)
        return "FDS";
    if (times && (r->p99_us > P99_US || r->max_us > MAX_US))
        return "SLOW";
    return "ok";
}

static void
print_head(void)
{
    printf("%-5s %-22s %6s %7s %7s %7s %6s %4s %7s %7s %7s %8s %s\n", "over", "row",
           "calls", "p50 ms", "p99 ms", "max ms", "rss MB", "fds", "KiB/t", "steps/t",
           "cpu ms", "hostile", "verdict");
}

static void
print_row(const struct row *row, int where, const struct run_result *r)
{
    printf("%-5s %-22s %6zu %7.2f %7.2f %7.2f %6ld %4d %7lld %7lld %7.2f %8zu %s\n",
           where == WEB ? "http" : "stdio", row->name, r->n_calls,
           (double)r->p50_us / 1000, (double)r->p99_us / 1000, (double)r->max_us / 1000,
           r->rss_kb / 1024, r->fds, (long long)(r->worst.bytes_in / 1024),
           (long long)r->worst.steps, (double)r->worst.cpu_ns / 1e6, r->n_hostile,
           verdict(row, r));
    fflush(stdout);
}

/* ---- one row in a process of its own ----------------------------------------------- */

static void
take_result(int fd, struct run_result *ret)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int left = (int)options.ms + ROW_MS;

    if (poll(&p, 1, left) == 1 && read(fd, ret, sizeof(*ret)) != sizeof(*ret))
        ret->done = false;
}

/* Runs a row in a child process.  Returns true if the row stayed within the limits. */
static bool
judge(const struct row *row, int where)
{
    struct run_result result = {.done = false};
    int fds[2], status = 0;
    bool good;
    pid_t pid;

    if (pipe(fds) < 0)
        abort();
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        run_row(row, where, &options, &result);
        if (write(fds[1], &result, sizeof(result)) != sizeof(result))
            exit(1);
        exit(0);
    }
    close(fds[1]);
    take_result(fds[0], &result);
    close(fds[0]);
    if (!result.done)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        result.done = false; /* e.g. a sanitizer reported a fault at the child's exit */
    print_row(row, where, &result);
    good = strcmp(verdict(row, &result), "ok") == 0;
    return good;
}

static bool
is_asked_for(const struct row *row, char **names)
{
    if (!*names)
        return true;
    for (; *names; names++) {
        if (strcmp(*names, row->name) == 0)
            return true;
    }
    return false;
}

static int
judge_all(char **names)
{
    unsigned good = 0, bad = 0;

    print_head();
    for (struct row_table *t = row_tables; t; t = t->next) {
        for (size_t i = 0; i < t->n; i++) {
            const struct row *row = &t->rows[i];

            for (int where = STDIO; where <= WEB && is_asked_for(row, names); where++) {
                if (!(row->where & where))
                    continue;
                if (judge(row, where))
                    good++;
                else
                    bad++;
            }
        }
    }
    printf("%u passed, %u failed\n", good, bad);
    return bad > 0 || good == 0;
}

static int
usage(void)
{
    fputs("usage: isolation [-t] [-v] [-d MS] [ROW...]\n", stderr);
    return 2;
}

int
main(int argc, char **argv)
{
    int opt;

    if (argc >= 3 && strcmp(argv[1], "--serve") == 0) {
        const struct row *row = row_find(argv[2]);

        if (!row)
            return 2;
        serve(row, argc > 3);
    }
    while ((opt = getopt(argc, argv, "tvd:")) != -1) {
        switch (opt) {
        case 't':
            times = true;
            break;
        case 'v':
            options.verbose = true;
            break;
        case 'd':
            options.ms = strtol(optarg, NULL, 10);
            break;
        default:
            return usage();
        }
    }
    options.program = "/proc/self/exe";
    return judge_all(argv + optind);
}
