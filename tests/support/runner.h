/* SPDX-License-Identifier: MIT
 *
 * runner.h - what every Check program's main() needs, and nothing more.
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
 * The program honours Check's environment (CK_FORK, CK_VERBOSITY,
 * CK_RUN_CASE, CK_TIMEOUT_MULTIPLIER, ...).
 */
#ifndef TESTS_SUPPORT_RUNNER_H
#define TESTS_SUPPORT_RUNNER_H

#include <check.h>

/* A new case of the suite, with Check's own time limit of 4 s a test; set
 * another with tcase_set_timeout(). */
TCase *test_case(Suite *suite, const char *name);

/* Makes the suite, lets `add` fill it, runs it.  Returns main's result. */
int test_main(const char *name, void (*add)(Suite *suite));

/* The text must contain this, or must not (NULL has nothing). */
void test_has(const char *text, const char *part);
void test_has_not(const char *text, const char *part);
/* It must contain each of these, which are parted by '|'. */
void test_has_all(const char *text, const char *parts);

/* Absolute paths, from the build: the directory with mcphostctl and
 * mcphost-guard, the one with the helper programs (fakeserver, ...), and the
 * source tree.  MCPHOST_TEST_BINDIR, ..._TEST_PROGDIR and ..._TEST_SRCDIR in
 * the environment win, for a tree that was moved. */
const char *test_bindir(void);
const char *test_progdir(void);
const char *test_srcdir(void);

#endif
