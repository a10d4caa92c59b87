/* SPDX-License-Identifier: MIT
 *
 * test_relocated.c - a shared library and a guard that were moved to another directory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_place_down(&place);
}

/* Runs a shell script in the workspace.  The variable `bin` is the directory of
 * the build's programs.  Returns the status that system() returns. */
static int
run(const char *script)
{
    char command[8192];

    snprintf(command, sizeof(command), "cd '%s' && bin='%s' && { %s\n} >out 2>&1",
             place.ws.dir, test_bindir(), script);
    return system(command);
}

#define MOVE                                                                        \
    "mkdir -p p/bin p/lib p/libexec away && cp \"$bin/mcphostctl\" p/bin && cp -L " \
    "\"$bin/../lib/libmcphost.so.0\" p/lib && "
#define CALL "call desk_echo '{\"text\":\"moved\"}' && "

/* No guard is installed at the path with which this library was configured. */
START_TEST(a_moved_library_finds_the_guard_beside_it)
{
    ck_assert_int_eq(run(MOVE "cp \"$bin/mcphost-guard\" p/libexec && "
                              "p/bin/mcphostctl " CALL
                              "mv p/libexec/mcphost-guard p/lib && p/bin/mcphostctl " CALL
                              "cd away && mv ../p/lib/mcphost-guard . && "
                              "! PATH=$PWD:$PATH ../p/bin/mcphostctl -C .. " CALL ":"),
                     0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "relocated");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_moved_library_finds_the_guard_beside_it);
}

int
main(void)
{
    return test_main("relocated", add);
}
