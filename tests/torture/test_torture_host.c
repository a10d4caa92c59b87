/* SPDX-License-Identifier: MIT
 *
 * test_torture_host.c - a whole host with real servers in which allocations fail.
 *
 * One allocation of a session fails alone, or together with all later allocations.
 *
 * The test tries only some allocations, because a run takes some milliseconds.  torture.h
 * explains how to try all allocations.
 */
#include "torture/session.h"
#include "torture/torture.h"

static const struct {
    int (*run)(void);
    int mode;
    long step;
} sessions[] = {
    {session_closed, FAIL_ONCE, 11},   {session_closed, FAIL_FROM_THEN_ON, 17},
    {session_troubled, FAIL_ONCE, 29}, {session_troubled, FAIL_FROM_THEN_ON, 37},
    {session_dropped, FAIL_ONCE, 13},  {session_dropped, FAIL_FROM_THEN_ON, 19},
};

START_TEST(if_allocations_fail_a_host_ends_each_call_once_and_leaves_nothing) /* R116 */
{
    torture_run(&(struct torture){.run = sessions[_i].run,
                                  .least = 300,
                                  .step = sessions[_i].step,
                                  .codes = session_codes,
                                  .more = session_check},
                sessions[_i].mode);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "sessions");

    tcase_add_checked_fixture(tc, session_up, session_down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, if_allocations_fail_a_host_ends_each_call_once_and_leaves_nothing, 0, 6);
}

int
main(void)
{
    return torture_main("torture-host", add);
}
