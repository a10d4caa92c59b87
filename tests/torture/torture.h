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
 * A scenario frees everything even if it fails.  It returns 0, or the code of the
 * documented error that ended it.  Before the first failure the scenario has run twice,
 * so that allocations made once per process are already done.  After the failures, and
 * after every 16th of them, it must succeed without a failure.
 *
 * TORTURE_STEP=1 in the environment tries each allocation, even where a test sets a
 * larger step.  TORTURE_FIRST is the number of the first allocation that is tried.
 */
#ifndef TESTS_TORTURE_TORTURE_H
#define TESTS_TORTURE_TORTURE_H

#include <mcphost/error.h>

#include "support/runner.h"
#include "torture/failing.h"

struct torture {
    int (*run)(void);
    long least;         /* a run with fewer allocations cannot be complete */
    long step;          /* every `step`-th allocation is tried; 0 means each */
    const int *codes;   /* errors `run` may return, up to 0; NULL: MCPHOST_E_NOMEM */
    bool recovers;      /* `run` must return 0 despite a failure */
    void (*more)(void); /* runs after each run and may allocate; may be NULL */
};

void torture_run(const struct torture *t, int mode);

/* Checks a condition during a run.  Check's own assertions allocate memory, so this macro
 * keeps only the first condition that is false, and the test fails after the run. */
#define torture_must(condition) torture_note(condition, #condition, __FILE__, __LINE__)
void torture_note(bool holds, const char *what, const char *file, int line);
/* These functions are for tests that run their scenarios without torture_run(). */
void torture_begin(void);
const char *torture_broken(void); /* the first false condition, or NULL */
/* Keeps the first error code, which torture_code() returns.  Returns true if `code` is
 * not an error.  Use this in scenarios that continue after a failure. */
bool torture_good(int code);
/* Does the work of torture_good(), and checks that `error` is set exactly if `code` is an
 * error.  Releases `error`. */
bool torture_told(int code, mcphost_error *error);
int torture_code(void);
long torture_step(long fallback);
long torture_first(void);

/* Does the work of main() in the torture programs.  If allocations cannot be made to
 * fail, prints a message and runs no test. */
int torture_main(const char *name, void (*add)(Suite *suite));

#endif
