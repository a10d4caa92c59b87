/* SPDX-License-Identifier: MIT
 *
 * run.h - one row, run and measured.
 */
#ifndef ISOLATION_RUN_H
#define ISOLATION_RUN_H

#include "isolation/isolation.h"

struct run_options {
    const char *program; /* this one */
    int64_t ms;
    bool verbose;
};

struct run_result {
    bool done;
    size_t n_calls, n_failed, n_hostile; /* healthy calls; the hostile server's */
    int64_t p50_us, p99_us, max_us;
    struct turn worst; /* each member the worst of all turns */
    long rss_kb;       /* what the host grew by, at its highest */
    int fds;
};

/* In a process of its own. */
void run_row(const struct row *row, int where, const struct run_options *options,
             struct run_result *ret);

#endif
