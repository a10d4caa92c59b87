/* SPDX-License-Identifier: MIT
 *
 * torture.c - runs a scenario again and again while its allocations fail.
 */
#include <stdio.h>
#include <stdlib.h>

#include "torture/torture.h"

static char broken[512];
static int first_code;

void
torture_note(bool holds, const char *what, const char *file, int line)
{
    if (!holds && !broken[0])
        snprintf(broken, sizeof(broken), "%s:%d: not so: %s", file, line, what);
}

void
torture_begin(void)
{
    broken[0] = '\0';
    first_code = 0;
}

const char *
torture_broken(void)
{
    return broken[0] ? broken : NULL;
}

bool
torture_good(int code)
{
    if (code < 0 && first_code == 0)
        first_code = code;
    return code >= 0;
}

bool
torture_told(int code, mcphost_error *error)
{
    torture_must((code < 0) == (error != NULL));
    torture_must(!error || mcphost_error_get_message(error)[0]);
    mcphost_error_unref(error);
    return torture_good(code);
}

int
torture_code(void)
{
    return first_code;
}

static long
number(const char *variable, long fallback)
{
    const char *text = secure_getenv(variable);
    long n = text ? strtol(text, NULL, 10) : 0;

    return n > 0 ? n : fallback;
}

long
torture_step(long fallback)
{
    return number("TORTURE_STEP", fallback > 0 ? fallback : 1);
}

long
torture_first(void)
{
    return number("TORTURE_FIRST", 0);
}

static bool
is_documented(const struct torture *t, int code)
{
    if (!t->codes)
        return code == MCPHOST_E_NOMEM;
    for (const int *c = t->codes; *c; c++) {
        if (*c == code)
            return true;
    }
    return false;
}

/* Runs the scenario once.  *ret_n receives the number of allocations, and *ret_live
 * the number of blocks that the run did not free. */
static int
run_nth(const struct torture *t, long nth, int mode, long *ret_n, long *ret_live)
{
    long live = failing_live();
    int r;

    torture_begin();
    failing_arm(nth, mode);
    r = t->run();
    *ret_n = failing_disarm();
    *ret_live = failing_live() - live;
    if (t->more)
        t->more();
    return r;
}

static void
explain(const struct torture *t, long nth, int mode)
{
    long n, live;

    failing_watch();
    (void)run_nth(t, nth, mode, &n, &live);
    failing_report();
}

/* Checks that the scenario succeeds when no allocation fails.  Returns the number of
 * allocations. */
static long
unharmed(const struct torture *t, long after)
{
    long n, live;
    int r = run_nth(t, -1, FAIL_ONCE, &n, &live);

    ck_assert_msg(!broken[0], "after allocation %ld failed: %s", after, broken);
    ck_assert_msg(r == 0, "after allocation %ld failed: code %d", after, r);
    if (live)
        explain(t, -1, FAIL_ONCE);
    ck_assert_msg(live == 0, "%ld blocks leaked without a failure", live);
    ck_assert_int_ge(n, t->least);
    return n;
}

static long
warm_up(const struct torture *t)
{
    long n, live;

    (void)run_nth(t, -1, FAIL_ONCE, &n, &live);
    return unharmed(t, -1);
}

void
torture_run(const struct torture *t, int mode)
{
    long n = warm_up(t), done = 0, failed = 0, at, used, live;
    long step = torture_step(t->step);
    const char *how = mode == FAIL_ONCE ? "failing" : "and all later ones failing";
    int r;

    for (at = torture_first(); at < n; at += step, done++) {
        r = run_nth(t, at, mode, &used, &live);
        failed += r < 0;
        if (broken[0] || live || (r < 0 && !is_documented(t, r)) || r > 0)
            explain(t, at, mode);
        ck_assert_msg(!broken[0], "allocation %ld %s: %s", at, how, broken);
        ck_assert_msg(live == 0, "allocation %ld %s leaks %ld blocks", at, how, live);
        ck_assert_msg(r == 0 || is_documented(t, r), "allocation %ld %s: code %d", at,
                      how, r);
        if (done % 16 == 0)
            (void)unharmed(t, at);
    }
    (void)unharmed(t, at);
    /* Check that a scenario that recovers never failed.  Check that any other scenario
     * failed at least once, because otherwise no failure reached the scenario. */
    ck_assert(t->recovers ? failed == 0 : failed > 0);
}

static void
nothing(Suite *suite)
{
    (void)suite;
}

int
torture_main(const char *name, void (*add)(Suite *suite))
{
    if (failing_possible())
        return test_main(name, add);
    printf("%s: not run: under a sanitizer or valgrind memory never fails\n", name);
    return test_main(name, nothing);
}
