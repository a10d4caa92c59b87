/* SPDX-License-Identifier: MIT
 *
 * torture.h - runs a scenario again and again, with another allocation failing each time.
 *
 *     static int
 *     parse(void)
 *     {
 *         ...
 *         torture_must(config != NULL || error != NULL);
 *         return r;
 *     }
 *
 *     torture_run(&(struct torture){.run = parse, .least = 30}, FAIL_ONCE);
 *
 * A scenario frees everything even if it fails.  The scenario returns 0, or the code of
 * the documented error that ended the run.  The scenario runs twice before the first
 * failure, so that allocations made once per process are already done.  torture_run()
 * also runs the scenario without a failure: after the first failure, after every 16th
 * failure from then on, and at the end.  These runs must succeed.
 *
 * TORTURE_STEP=1 in the environment tries each allocation, even where a test sets a
 * larger step.  TORTURE_FIRST is the number of the first allocation that fails.
 */
#ifndef TESTS_TORTURE_TORTURE_H
#define TESTS_TORTURE_TORTURE_H

#include <mcphost/error.h>

#include "support/runner.h"
#include "torture/failing.h"

struct torture {
    int (*run)(void);
    long least;         /* smallest number of allocations in a complete run */
    long step;          /* the runs try every `step`-th allocation; 0 means each */
    const int *codes;   /* allowed errors of `run`, ended by 0; NULL: MCPHOST_E_NOMEM */
    bool recovers;      /* `run` must return 0 despite a failure */
    void (*more)(void); /* called after each run, when allocations work; NULL: no call */
};

void torture_run(const struct torture *t, int mode);

/* Checks a condition during a run.  If the condition is false, the test fails after the
 * run.  The macro does not assert during the run, because Check's own assertions allocate
 * memory.  The macro keeps only the first condition that is false. */
#define torture_must(condition) torture_note(condition, #condition, __FILE__, __LINE__)
void torture_note(bool holds, const char *what, const char *file, int line);
/* torture_begin() and torture_broken() are for tests that run their scenarios without
 * torture_run(). */
void torture_begin(void);
const char *torture_broken(void); /* the first false condition, or NULL */
/* Keeps the first error code for torture_code().  Returns true if `code` is not an error.
 * Use this function in scenarios that continue after a failure. */
bool torture_good(int code);
/* Does the work of torture_good().  Also checks that `error` is set exactly if `code` is
 * an error.  Releases `error`. */
bool torture_told(int code, mcphost_error *error);
int torture_code(void);
long torture_step(long fallback);
long torture_first(void);

/* Does the work of main() in the torture programs.  If allocations cannot be made to
 * fail, prints a message and runs no test. */
int torture_main(const char *name, void (*add)(Suite *suite));

#endif
