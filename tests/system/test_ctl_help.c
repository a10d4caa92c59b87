/* SPDX-License-Identifier: MIT
 *
 * test_ctl_help.c - the help of mcphostctl's commands.
 */
#include <stdio.h>
#include <string.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_run run;

static const char *const commands[] = {
    "check", "servers",   "server",  "tools",   "tool",   "call",     "resources",
    "read",  "templates", "prompts", "prompt",  "skills", "complete", "subscribe",
    "apps",  "app",       "task",    "project", "watch",  "problems", "plugins",
    "diff",  "enable",    "disable", "reload",  "schema", "restart",  "serve",
    "batch", "login",     "logout",  "auth"};

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

START_TEST(help_after_a_command_is_about_that_command_alone)
{
    char usage[64];

    snprintf(usage, sizeof(usage), "usage: mcphostctl [OPTIONS] %s", commands[_i]);
    ctl_run(&run, &place, commands[_i], "--help", NULL);
    ctl_status_is(&run, 0);
    ck_assert_int_eq(strncmp(run.out, usage, strlen(usage)), 0);
    /* Each command has its own help text.  The text does not contain the list of all
     * commands. */
    ck_assert_ptr_nonnull(strstr(run.out, ".\n"));
    ck_assert_ptr_null(strstr(run.out, "\nCommands:\n"));
    ck_assert_str_eq(run.err, "");
}
END_TEST

START_TEST(the_help_of_call_has_its_own_options_and_not_toolset)
{
    ctl_run(&run, &place, "call", "--help", NULL);
    test_has(run.out, "--raw");
    test_has(run.out, "--save DIR");
    ck_assert_ptr_null(strstr(run.out, "--toolset"));
}
END_TEST

START_TEST(the_help_of_an_unknown_command_is_an_error)
{
    ctl_run(&run, &place, "tols", "--help", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "did you mean 'tools'?");
    ck_assert_str_eq(run.out, "");
}
END_TEST

START_TEST(the_list_of_commands_is_the_list_of_this_test)
{
    const char *at;
    size_t n = 0;

    ctl_run(&run, &place, "--help", NULL);
    at = strstr(run.out, "\nCommands:\n");
    ck_assert_ptr_nonnull(at);
    for (at += strlen("\nCommands:"); strncmp(at, "\n\n", 2) != 0;
         at = strchr(at + 1, '\n')) {
        if (strncmp(at + 1, "  ", 2) == 0 && at[3] != ' ')
            n++;
    }
    ck_assert_uint_eq(n, sizeof(commands) / sizeof(commands[0]));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "help");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, help_after_a_command_is_about_that_command_alone, 0,
                        sizeof(commands) / sizeof(commands[0]));
    tcase_add_test(tc, the_help_of_call_has_its_own_options_and_not_toolset);
    tcase_add_test(tc, the_help_of_an_unknown_command_is_an_error);
    tcase_add_test(tc, the_list_of_commands_is_the_list_of_this_test);
}

int
main(void)
{
    return test_main("ctl-help", add);
}
