/* SPDX-License-Identifier: MIT
 *
 * watchrig.h - a watched file in a directory of its own, a clock that the test
 * moves, and an inotify that fails when it is told to.
 *
 * The files are real, the clock is not: what the debounce and the poll wait for
 * is set by the test.  Events of inotify are there as soon as the system call that
 * caused them is back, so nothing sleeps for them.
 */
#ifndef TESTS_SUPPORT_WATCHRIG_H
#define TESTS_SUPPORT_WATCHRIG_H

#include <limits.h>

#include "loop/core.h"

enum { DEBOUNCE = 200, POLL = 1500 };

/* inotify as the library sees it. */
struct watch_fake {
    int init_errno, add_errno; /* 0: as it is */
    int read_errno;            /* once */
    bool deaf;                 /* watches are accepted and nothing is ever told */
    int n_init, fd;            /* how often it was opened; the last descriptor */
};

extern struct watch_fake fake;
/* A directory, ROOT/.minds and ROOT/.minds/mcp.yaml, which is not there yet. */
extern char root[PATH_MAX], dir[PATH_MAX + 8], file[PATH_MAX + 32];
extern struct mcph_core *core;
extern struct mcph_watcher *watcher;
extern struct mcph_watch *watch;
extern int64_t now;
extern int n_changed;   /* calls of watch_changed() */
extern char said[1024]; /* the log, a line each */

void watch_up(void);
void watch_down(void);
/* Makes `watcher` and `watch`. */
void watch_open_with(bool events, int64_t poll_ms, const char *path);
/* What `watch` calls; its argument must be &n_changed. */
void watch_changed(struct mcph_watch *w, void *arg);
/* Dispatches until nothing is left to do. */
void watch_turn(void);
/* Lets time pass, step by step, as a loop would see it. */
void watch_pass(int64_t ms);
/* Signatures of files older than a tick of the kernel's clock can be trusted. */
void watch_age(void);
void watch_put(const char *text); /* into `file` */
void watch_put_at(const char *path, const char *text);
void watch_clear(const char *path); /* removes all of it */
/* BASE/NAME, until the fourth call after this one. */
const char *watch_in(const char *base, const char *name);

#endif
