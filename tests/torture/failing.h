/* SPDX-License-Identifier: MIT
 *
 * failing.h - makes allocations fail on demand.
 *
 * Each program of this directory is linked with these versions of malloc() and related
 * functions.  All allocations of the process use these versions, including the
 * allocations of other libraries.  Under valgrind and the sanitizers allocations cannot
 * fail on demand, because these tools bring versions of their own.  failing_possible()
 * checks whether allocations can fail on demand.
 */
#ifndef TESTS_TORTURE_FAILING_H
#define TESTS_TORTURE_FAILING_H

#include <stdbool.h>

enum { FAIL_ONCE, FAIL_FROM_THEN_ON };

/* Checks whether the allocations of this process use the functions of failing.c. */
bool failing_possible(void);
/* Makes allocation number `nth` of this thread fail.  The count starts at 0 with this
 * call.  If `mode` is FAIL_FROM_THEN_ON, all later allocations fail, too.  If `nth` is
 * -1, no allocation fails. */
void failing_arm(long nth, int mode);
/* Ends the failures.  Returns the number of allocations since failing_arm(). */
long failing_disarm(void);
/* Checks whether an allocation has failed since failing_arm(). */
bool failing_happened(void);
/* These functions pause and resume the counting and the failures of allocations.  The
 * calls nest. */
void failing_pause(void);
void failing_resume(void);
/* Returns the number of blocks that this thread has allocated, minus the number of blocks
 * that this thread has freed. */
long failing_live(void);

/* These two functions help to find a leak.  failing_watch() begins to record a backtrace
 * for each block that this thread allocates and for the first allocation that fails.
 * failing_report() ends the recording, and writes to standard error the backtraces of the
 * first allocation that failed and of the blocks that are not freed. */
void failing_watch(void);
void failing_report(void);

#endif
