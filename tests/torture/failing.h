/* SPDX-License-Identifier: MIT
 *
 * failing.h - memory that runs out on demand.
 *
 * Linked into each program of this directory: malloc, calloc and realloc of the whole
 * process, dependencies included, go through here.  Counts nothing under valgrind and
 * is not meant for sanitizers, which bring their own.
 */
#ifndef TESTS_TORTURE_FAILING_H
#define TESTS_TORTURE_FAILING_H

#include <stdbool.h>

enum { FAIL_ONCE, FAIL_FROM_THEN_ON };

/* From now on, on this thread, allocation number `nth` (from 0) fails, or all from it
 * on; -1: none does, they are only counted. */
void failing_arm(long nth, int mode);
/* Back to normal.  Returns how many allocations there were since arming. */
long failing_disarm(void);
/* Within: allocations that are not part of the test. */
void failing_pause(void);
void failing_resume(void);
/* Blocks of this thread that are not freed. */
long failing_live(void);

#endif
