/* SPDX-License-Identifier: MIT
 *
 * torture.h - one scenario again and again, with another allocation failing each time.
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
 * A scenario cleans up whatever happens and gives 0 or the code of the documented
 * error that it ended with.  It has run twice when the torture begins, so what is
 * made once in a process is there.  Afterwards it must succeed again.
 *
 * TORTURE_STEP=1 in the environment tries each allocation where a step is set;
 * TORTURE_FIRST is where the steps begin.
 */
#ifndef TESTS_TORTURE_TORTURE_H
#define TESTS_TORTURE_TORTURE_H

#include <mcphost/error.h>

#include "support/runner.h"
#include "torture/failing.h"

struct torture {
    int (*run)(void);
    long least;         /* fewer allocations than this cannot be the whole scenario */
    long step;          /* 0: 1 */
    const int *codes;   /* how it may end, up to a 0; NULL: MCPHOST_E_NOMEM */
    bool recovers;      /* one failure does not show in what it gives */
    void (*more)(void); /* checks after each run, free to allocate; or NULL */
};

void torture_run(const struct torture *t, int mode);

/* Check's assertions want memory themselves: the first that does not hold is kept, and
 * ends the test after the run. */
#define torture_must(condition) torture_note(condition, #condition, __FILE__, __LINE__)
void torture_note(bool holds, const char *what, const char *file, int line);
/* For those who run their scenarios themselves. */
void torture_begin(void);
const char *torture_broken(void); /* NULL: nothing */
/* For scenarios that go on after a failure: the first code is what they end with. */
bool torture_good(int code);
/* The same with the detail, which belongs to the failure and is dropped. */
bool torture_told(int code, mcphost_error *error);
int torture_code(void);
long torture_step(long fallback);
long torture_first(void);

/* main() of these programs: where allocations cannot be made to fail it says so and
 * tests nothing. */
int torture_main(const char *name, void (*add)(Suite *suite));

#endif
