/* SPDX-License-Identifier: MIT
 *
 * failing.h - let memory run out on demand.
 *
 * Each program of this directory is linked with these versions of malloc() and its
 * relatives.  All allocations of the process go through them, also those of other
 * libraries.  This is impossible under valgrind and the sanitizers, which bring their own
 * versions; see failing_possible().
 */
#ifndef TESTS_TORTURE_FAILING_H
#define TESTS_TORTURE_FAILING_H

#include <stdbool.h>

enum { FAIL_ONCE, FAIL_FROM_THEN_ON };

/* Whether the allocations of this process go through this file. */
bool failing_possible(void);
/* On this thread, allocation number `nth` (counted from 0 and from this call) fails.
 * With FAIL_FROM_THEN_ON all later ones fail, too.  With `nth` -1 none fails; they are
 * only counted. */
void failing_arm(long nth, int mode);
/* Ends the failures.  Returns the number of allocations since failing_arm(). */
long failing_disarm(void);
/* Whether an allocation has failed since failing_arm(). */
bool failing_happened(void);
/* Allocations between these two calls are not counted and do not fail.  The calls
 * nest. */
void failing_pause(void);
void failing_resume(void);
/* The number of blocks that this thread has allocated and that are not freed. */
long failing_live(void);

/* For diagnosis: after failing_watch(), each block of this thread is kept with its
 * backtrace, and so is the first allocation that fails.  failing_report() writes the
 * blocks that are not freed to standard error and stops the recording. */
void failing_watch(void);
void failing_report(void);

#endif
