/* SPDX-License-Identifier: MIT
 *
 * failing.h - memory that runs out on demand.
 *
 * Linked into each program of this directory: malloc and its relatives of the whole
 * process, dependencies included, go through here.  Not possible under valgrind and
 * the sanitizers, which bring their own; failing_possible() tells.
 */
#ifndef TESTS_TORTURE_FAILING_H
#define TESTS_TORTURE_FAILING_H

#include <stdbool.h>

enum { FAIL_ONCE, FAIL_FROM_THEN_ON };

/* Whether the allocations of this process come by here. */
bool failing_possible(void);
/* From now on, on this thread, allocation number `nth` (from 0) fails, or all from it
 * on; -1: none does, they are only counted. */
void failing_arm(long nth, int mode);
/* Back to normal.  Returns how many allocations there were since arming. */
long failing_disarm(void);
/* Whether one has failed since it was armed. */
bool failing_happened(void);
/* Within: allocations that are not part of the test.  They nest. */
void failing_pause(void);
void failing_resume(void);
/* Blocks of this thread that are not freed. */
long failing_live(void);

/* To find out what went wrong: from failing_watch() on, this thread's blocks are kept
 * with where they come from, and so is the first allocation that fails.
 * failing_report() writes what is left of them to standard error and ends that. */
void failing_watch(void);
void failing_report(void);

#endif
