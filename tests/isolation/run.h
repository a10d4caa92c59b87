/* SPDX-License-Identifier: MIT
 *
 * run.h - runs and measures one row.
 */
#ifndef ISOLATION_RUN_H
#define ISOLATION_RUN_H

#include "isolation/isolation.h"

struct run_options {
    const char *program; /* path of this program */
    int64_t ms;
    bool verbose;
};

struct run_result {
    bool done;
    size_t n_calls, n_failed, n_hostile; /* `n_calls`, `n_failed`: calls to the healthy
                                          * server */
    int64_t p50_us, p99_us, max_us;
    struct turn worst; /* each member is the maximum of all turns */
    long rss_kb;       /* growth of the host's memory at its peak */
    int fds;
};

/* Runs a row and fills in its result.  Call this function in a separate process. */
void run_row(const struct row *row, int where, const struct run_options *options,
             struct run_result *ret);

#endif
