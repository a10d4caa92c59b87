/* SPDX-License-Identifier: MIT
 *
 * runner.h - the parts that main() of every Check program needs.
 *
 * A test program is one file, tests/<area>/test_<name>.c:
 *
 *     #include "support/runner.h"
 *
 *     START_TEST(a_full_buffer_refuses_more) ... END_TEST
 *
 *     static void
 *     add(Suite *suite)
 *     {
 *         TCase *tc = test_case(suite, "limits");
 *
 *         tcase_add_test(tc, a_full_buffer_refuses_more);
 *     }
 *
 *     int
 *     main(void)
 *     {
 *         return test_main("base-buf", add);
 *     }
 *
 * The program honours Check's environment variables (CK_FORK, CK_VERBOSITY, CK_RUN_CASE,
 * CK_TIMEOUT_MULTIPLIER, ...).
 */
#ifndef TESTS_SUPPORT_RUNNER_H
#define TESTS_SUPPORT_RUNNER_H

#include <check.h>

/* Adds a new case to the suite.  Each test has Check's own time limit of 4 s.
 * tcase_set_timeout() changes the limit. */
TCase *test_case(Suite *suite, const char *name);

/* Makes the suite, lets `add` fill it and runs it.  Returns the exit status for
 * main(). */
int test_main(const char *name, void (*add)(Suite *suite));

/* These functions check whether `part` is in the text.  test_has() fails the test if
 * `part` is absent.  test_has_not() fails the test if `part` is present.  A NULL text
 * contains nothing. */
void test_has(const char *text, const char *part);
void test_has_not(const char *text, const char *part);
/* Fails the test unless the text contains each part in `parts`.  '|' separates the
 * parts. */
void test_has_all(const char *text, const char *parts);

/* These functions return absolute paths of the build: the directory with mcphostctl and
 * mcphost-guard, the directory with the helper programs (fakeserver, ...), and the source
 * tree.  For a tree that was moved, MCPHOST_TEST_BINDIR, MCPHOST_TEST_PROGDIR and
 * MCPHOST_TEST_SRCDIR in the environment override these paths. */
const char *test_bindir(void);
const char *test_progdir(void);
const char *test_srcdir(void);

#endif
