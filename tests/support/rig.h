/* SPDX-License-Identifier: MIT
 *
 * rig.h - the parts that system tests share.
 *
 * The parts are a workspace in a temporary directory, the fake server, and a census of
 * descriptors, threads and children.  The test fails if one of these functions fails.
 */
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

#define RIG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Returns the path of this build's fake server.  fakeserver.c describes the script
 * language of the server. */
const char *rig_fakeserver(void);

/* ---- a workspace ------------------------------------------------------------------- */

struct rig_workspace {
    char dir[64];
};

/* Makes the workspace's directory.  `yaml` becomes .minds/mcp.yaml, unless `yaml` is
 * NULL. */
void rig_workspace_up(struct rig_workspace *ws, const char *yaml, ...) RIG_PRINTF(2, 3);
void rig_workspace_down(struct rig_workspace *ws); /* removes the whole directory */
/* Replaces .minds/mcp.yaml atomically. */
void rig_workspace_yaml(struct rig_workspace *ws, const char *yaml, ...) RIG_PRINTF(2, 3);
/* Returns the path of `name` in the workspace.  The text is valid until the eighth later
 * call. */
const char *rig_workspace_path(const struct rig_workspace *ws, const char *name);
/* Writes a whole file.  The file's directory must exist. */
void rig_workspace_write(struct rig_workspace *ws, const char *name, const char *text,
                         ...) RIG_PRINTF(3, 4);
/* Returns the contents of a file as a string, or "" if the file does not exist.  The
 * caller frees the text. */
char *rig_workspace_read(const struct rig_workspace *ws, const char *name);
/* Counts how often `needle` occurs in the file. */
int rig_workspace_count(const struct rig_workspace *ws, const char *name,
                        const char *needle);
/* Counts the processes in a fake server's `trace` file that are alive. */
int rig_workspace_living(const struct rig_workspace *ws, const char *trace);

/* ---- census of the process --------------------------------------------------------- */

struct rig_census {
    int fds, threads, children;
};

struct rig_census rig_census_take(void);
/* Waits at most `ms` until the numbers are the same as `before`.  If the numbers still
 * differ after `ms`, prints the descriptors and fails the test. */
void rig_census_check(const struct rig_census *before, int ms);
/* Reaps processes that the test has adopted from their parents (PR_SET_CHILD_SUBREAPER).
 * Waits at most `ms` until no child is left. */
void rig_reap_adopted(int ms);

/* These functions reset and return the peak of the resident memory, in KiB.  The peak is
 * -1 in an instrumented build, because a sanitizer uses memory of its own. */
void rig_peak_reset(void);
long rig_peak_kib(void);
/* Returns the present resident anonymous memory in KiB, or -1 in an instrumented
 * build. */
long rig_anon_kib(void);

/* Lets the process open only the descriptors 0 and 1.  rig_low_end() gives the process
 * its standard output and its limit back.  Make no check in between, because a failure
 * could not be printed. */
struct rig_low {
    struct rlimit usual;
    int out;
};
void rig_low_begin(struct rig_low *low);
void rig_low_end(struct rig_low *low);

void rig_pause(int ms);
bool rig_is_dead(int pid); /* returns whether the process has ended and was reaped */

#endif
