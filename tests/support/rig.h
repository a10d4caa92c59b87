/* SPDX-License-Identifier: MIT
 *
 * rig.h - the parts that system tests share: a workspace in a temporary directory, the
 * fake server, and a census of descriptors, threads and children.
 *
 * Each function ends the test when it fails.
 */
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include <stdbool.h>
#include <stddef.h>

#define RIG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* The path of this build's fake server.  Its script language is described in
 * fakeserver.c. */
const char *rig_fakeserver(void);

/* ---- a workspace ------------------------------------------------------------------- */

struct rig_workspace {
    char dir[64];
};

/* Makes the directory; `yaml` (NULL: none) becomes .minds/mcp.yaml. */
void rig_workspace_up(struct rig_workspace *ws, const char *yaml, ...) RIG_PRINTF(2, 3);
void rig_workspace_down(struct rig_workspace *ws); /* removes all of it */
/* Replaces .minds/mcp.yaml atomically. */
void rig_workspace_yaml(struct rig_workspace *ws, const char *yaml, ...) RIG_PRINTF(2, 3);
/* The path of `name` in the workspace.  Valid until the eighth call after this one. */
const char *rig_workspace_path(const struct rig_workspace *ws, const char *name);
/* Writes a whole file.  Its directory must exist. */
void rig_workspace_write(struct rig_workspace *ws, const char *name, const char *text,
                         ...) RIG_PRINTF(3, 4);
/* The contents of a file as a string, "" if there is no such file.  free() it. */
char *rig_workspace_read(const struct rig_workspace *ws, const char *name);
/* How often `needle` occurs in the file. */
int rig_workspace_count(const struct rig_workspace *ws, const char *name,
                        const char *needle);
/* How many of the processes in a fake server's `trace` file are alive. */
int rig_workspace_living(const struct rig_workspace *ws, const char *trace);

/* ---- census of the process --------------------------------------------------------- */

struct rig_census {
    int fds, threads, children;
};

struct rig_census rig_census_take(void);
/* Waits at most `ms` until the numbers are the same as `before`.  If they still differ,
 * prints the descriptors and fails. */
void rig_census_check(const struct rig_census *before, int ms);
/* Reaps processes that the test has adopted from their parents (PR_SET_CHILD_SUBREAPER).
 * Waits at most `ms` until no child is left. */
void rig_reap_adopted(int ms);

/* The peak of the resident memory since the last reset, in KiB.  -1: the build is
 * instrumented, and the number would mean nothing. */
void rig_peak_reset(void);
long rig_peak_kib(void);
/* The resident anonymous memory now, in KiB, or -1 likewise. */
long rig_anon_kib(void);

void rig_pause(int ms);
bool rig_is_dead(int pid); /* it has ended and was reaped */

#endif
