/* SPDX-License-Identifier: MIT
 *
 * rig.h - what system tests share: a workspace in a temporary directory, the fake
 * server, and a census of what the process holds.
 *
 * Everything ends the test when it fails.
 */
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include <stdbool.h>
#include <stddef.h>

#define RIG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* The fake server of this build (its language: fakeserver.c). */
const char *rig_fakeserver(void);

/* ---- a workspace ------------------------------------------------------------------- */

struct rig_workspace {
    char dir[64];
};

/* Makes the directory; `yaml` (NULL: none) becomes .minds/mcp.yaml. */
void rig_workspace_up(struct rig_workspace *ws, const char *yaml, ...) RIG_PRINTF(2, 3);
void rig_workspace_down(struct rig_workspace *ws); /* with all that is in it */
/* Puts another .minds/mcp.yaml in place, atomically. */
void rig_workspace_yaml(struct rig_workspace *ws, const char *yaml, ...) RIG_PRINTF(2, 3);
/* The path of `name` in it; one of a few static buffers. */
const char *rig_workspace_path(const struct rig_workspace *ws, const char *name);
/* Writes a file whole; directories are not made. */
void rig_workspace_write(struct rig_workspace *ws, const char *name, const char *text,
                         ...) RIG_PRINTF(3, 4);
/* The file as a string, "" when there is none; free(). */
char *rig_workspace_read(const struct rig_workspace *ws, const char *name);
/* How often `needle` stands in the file. */
int rig_workspace_count(const struct rig_workspace *ws, const char *name,
                        const char *needle);
/* Of the processes that a fake server's `trace` file tells of, those that live. */
int rig_workspace_living(const struct rig_workspace *ws, const char *trace);

/* ---- what the process holds -------------------------------------------------------- */

struct rig_census {
    int fds, threads, children;
};

struct rig_census rig_census_take(void);
/* Waits until it is as it was, `ms` at most, and else fails with what is too much. */
void rig_census_check(const struct rig_census *before, int ms);
/* Waits for processes that their parents left to the test (PR_SET_CHILD_SUBREAPER). */
void rig_reap_adopted(int ms);

/* Peak of the resident memory since the last reset, in KiB; -1 when the build is
 * instrumented and the number means nothing. */
void rig_peak_reset(void);
long rig_peak_kib(void);
/* The anonymous memory that is resident now, likewise. */
long rig_anon_kib(void);

void rig_pause(int ms);
bool rig_is_dead(int pid); /* and reaped */

#endif
