/* SPDX-License-Identifier: MIT
 *
 * runner.c - runs one Check suite, from main() to the exit status.
 */
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

TCase *
test_case(Suite *suite, const char *name)
{
    TCase *tc = tcase_create(name);

    suite_add_tcase(suite, tc);
    return tc;
}

int
test_main(const char *name, void (*add)(Suite *suite))
{
    Suite *suite = suite_create(name);
    SRunner *runner;
    int failed;

    add(suite);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

void
test_has(const char *text, const char *part)
{
    ck_assert_msg(text && strstr(text, part), "'%s' is not in: %s", part,
                  text ? text : "(nothing)");
}

void
test_has_not(const char *text, const char *part)
{
    ck_assert_msg(!text || !strstr(text, part), "'%s' is in: %s", part, text);
}

void
test_has_all(const char *text, const char *parts)
{
    char *copy = strdup(parts), *save = NULL;

    for (char *p = strtok_r(copy, "|", &save); p; p = strtok_r(NULL, "|", &save))
        test_has(text, p);
    free(copy);
}

static const char *
path_or(const char *variable, const char *fallback)
{
    const char *path = secure_getenv(variable);

    return path && path[0] ? path : fallback;
}

const char *
test_bindir(void)
{
    return path_or("MCPHOST_TEST_BINDIR", MCPH_TEST_BINDIR);
}

const char *
test_progdir(void)
{
    return path_or("MCPHOST_TEST_PROGDIR", MCPH_TEST_PROGDIR);
}

const char *
test_srcdir(void)
{
    return path_or("MCPHOST_TEST_SRCDIR", MCPH_TEST_SRCDIR);
}
