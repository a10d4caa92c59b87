/* SPDX-License-Identifier: MIT
 *
 * watchrig.h - a watched file in a directory of its own, with a clock that the test moves
 * and an inotify that fails on request.
 *
 * The files are real, but the clock is not.  The test moves the clock past the times that
 * the debounce and the poll wait for.  No test has to sleep until an event is ready,
 * because inotify has the event ready when the system call that caused it returns.
 */
#ifndef TESTS_SUPPORT_WATCHRIG_H
#define TESTS_SUPPORT_WATCHRIG_H

#include <limits.h>

#include "loop/core.h"

enum { DEBOUNCE = 200, POLL = 1500 };

/* Controls the inotify functions that the library calls. */
struct watch_fake {
    int init_errno, add_errno; /* 0 means that the call works */
    int read_errno;            /* the error of the next read only */
    bool deaf;                 /* accept watches, but report no events */
    /* `n_init`: number of calls of inotify_init1(); `fd`: the latest descriptor */
    int n_init, fd;
};

extern struct watch_fake fake;
/* `root` is a directory, `dir` is ROOT/.minds, and `file` is ROOT/.minds/mcp.yaml.  The
 * file does not exist at the start. */
extern char root[PATH_MAX], dir[PATH_MAX + 8], file[PATH_MAX + 32];
extern struct mcph_core *core;
extern struct mcph_watcher *watcher;
extern struct mcph_watch *watch;
extern int64_t now;
extern int n_changed;   /* number of calls of watch_changed() */
extern char said[1024]; /* the lines of the log */

void watch_up(void);
void watch_down(void);
/* Makes `watcher` and `watch`. */
void watch_open_with(bool events, int64_t poll_ms, const char *path);
/* Counts a change of the file in n_changed.  `watch` calls this function.  `arg` must be
 * &n_changed. */
void watch_changed(struct mcph_watch *w, void *arg);
/* Dispatches until no work is left. */
void watch_turn(void);
/* Moves the clock forward in steps and dispatches after each step, as a loop would. */
void watch_pass(int64_t ms);
/* Waits until the file is older than a tick of the kernel's clock.  After this wait, each
 * change of the file also changes the file's signature. */
void watch_age(void);
void watch_put(const char *text); /* writes `file` */
void watch_put_at(const char *path, const char *text);
void watch_clear(const char *path); /* removes the whole tree */
/* Returns the path BASE/NAME.  The text is valid until the fourth later call. */
const char *watch_in(const char *base, const char *name);

#endif
