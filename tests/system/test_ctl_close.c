/* SPDX-License-Identifier: MIT
 *
 * test_ctl_close.c - mcphostctl ends even if its host does not close.
 *
 * The preloaded library unclosable.so keeps the host from closing.  A build with a
 * sanitizer skips the tests with this library, because the sanitizer's library must be
 * loaded first.
 */
#include <stdlib.h>

#include "support/ctlrun.h"
#include "support/instrumented.h"
#include "support/runner.h"

#define KILLED "did not end within 15 s and are killed"

static struct ctl_place place;
static struct ctl_run run;

static void
up(void)
{
    ctl_place_up(&place);
    place.preload = "unclosable.so";
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

/* R108 */
START_TEST(servers_are_killed_if_the_host_does_not_close_in_time)
{
    ctl_run(&run, &place, "tools", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "desk_");
    test_has(run.err, KILLED);
}
END_TEST

START_TEST(servers_of_a_batch_are_killed_if_the_host_does_not_close_in_time) /* R108 */
{
    place.input = "{\"id\":\"u\",\"op\":\"wait\",\"ms\":10000}\n"
                  "{\"id\":\"q\",\"op\":\"quit\"}\n";
    ctl_run(&run, &place, "batch", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "\"q\"");
    test_has(run.err, KILLED);
}
END_TEST

START_TEST(a_host_that_closes_is_not_killed)
{
    place.preload = NULL;
    ctl_run(&run, &place, "tools", NULL);
    ctl_status_is(&run, 0);
    test_has_not(run.err, "killed");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "close");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_host_that_closes_is_not_killed);
    if (INSTRUMENTED)
        return;
    tcase_add_test(tc, servers_are_killed_if_the_host_does_not_close_in_time);
    tcase_add_test(tc, servers_of_a_batch_are_killed_if_the_host_does_not_close_in_time);
}

int
main(void)
{
    return test_main("ctl-close", add);
}
