/* SPDX-License-Identifier: MIT
 *
 * test_ctl_usage.c - the command line of mcphostctl, and the messages that name a
 * mistake.
 */
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_run run;

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

/* Checks that the command ended with status 2, wrote nothing to stdout, and wrote `what`
 * to stderr. */
static void
refused(const char *what)
{
    test_has(run.err, what);
    ck_assert_str_eq(run.out, "");
    ctl_status_is(&run, 2);
}

START_TEST(help_names_the_commands_and_succeeds)
{
    static const char *const commands[] = {"check", "servers",  "tools", "tool",
                                           "call",  "problems", "batch"};

    ctl_run(&run, &place, "--help", NULL);
    ctl_status_is(&run, 0);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        test_has(run.out, commands[i]);
    ck_assert_str_eq(run.err, "");
}
END_TEST

START_TEST(version_prints_the_version_of_the_library)
{
    ctl_run(&run, &place, "--version", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, MCPHOST_VERSION_STRING);
}
END_TEST

START_TEST(a_missing_command_is_a_usage_error)
{
    ctl_run(&run, &place, "--json", NULL);
    refused("a command is missing");
}
END_TEST

START_TEST(an_unknown_command_is_refused_with_a_suggestion)
{
    ctl_run(&run, &place, "servres", NULL);
    refused("unknown command 'servres'; did you mean 'servers'?");
}
END_TEST

START_TEST(an_unknown_option_is_refused_with_a_suggestion)
{
    ctl_run(&run, &place, "tools", "--jsno", NULL);
    refused("unknown option '--jsno'; did you mean '--json'?");
}
END_TEST

START_TEST(an_unknown_option_letter_is_refused_behind_a_known_letter)
{
    ctl_run(&run, &place, "--json", "-vx", "tools", NULL);
    refused("unknown option '-x'");
}
END_TEST

START_TEST(an_option_without_its_value_is_refused)
{
    ctl_run(&run, &place, "tools", "--timeout", NULL);
    refused("option '--timeout' needs a value");
}
END_TEST

START_TEST(a_value_for_an_option_that_takes_none_is_refused)
{
    ctl_run(&run, &place, "tools", "--json=yes", NULL);
    refused("--json takes no value");
}
END_TEST

START_TEST(a_time_limit_must_be_a_number_above_zero)
{
    static const char *const bad[] = {"0", "-1", "soon", "1s", "nan", "1e9"};

    ctl_run(&run, &place, "tools", "--timeout", bad[_i], NULL);
    refused("--timeout");
}
END_TEST

START_TEST(a_wrong_value_of_color_is_refused)
{
    ctl_run(&run, &place, "tools", "--color=sometimes", NULL);
    refused("auto, always or never");
}
END_TEST

START_TEST(config_and_stdio_exclude_each_other)
{
    ctl_run(&run, &place, "--config", "a", "--stdio", "b", "tools", NULL);
    refused("cannot be combined");
}
END_TEST

START_TEST(a_surplus_argument_is_refused)
{
    ctl_run(&run, &place, "servers", "desk", NULL);
    refused("'desk'");
}
END_TEST

START_TEST(a_call_needs_the_name_of_a_tool)
{
    ctl_run(&run, &place, "call", NULL);
    refused("name of a tool");
}
END_TEST

START_TEST(toolset_is_refused_for_the_command_servers)
{
    ctl_run(&run, &place, "servers", "--toolset", "desk", NULL);
    refused("--toolset");
}
END_TEST

START_TEST(a_workspace_that_is_no_directory_is_refused)
{
    ctl_run(&run, &place, "-C", "no/such/place", "servers", NULL);
    refused("'no/such/place' is not a directory");
}
END_TEST

START_TEST(an_open_quote_in_a_server_command_is_refused)
{
    ctl_run(&run, &place, "--stdio", "demo 'a b", "tools", NULL);
    refused("single quote");
}
END_TEST

START_TEST(an_empty_server_command_is_refused)
{
    ctl_run(&run, &place, "--stdio", "  ", "tools", NULL);
    refused("--stdio needs a command");
}
END_TEST

START_TEST(words_of_a_server_command_are_quoted_as_in_a_shell)
{
    char command[5000];

    /* The demo server writes its name to stderr.  The name is the server's last
     * argument. */
    snprintf(command, sizeof(command), "'%s' \"a \\\"b\\\"\"' c$x'\\ d",
             ctl_demo_server());
    ctl_run(&run, &place, "-v", "--stdio", command, "servers", NULL);
    ctl_status_is(&run, 0);
    ck_assert_msg(strstr(run.err, "a \"b\" c$x d: ready") != NULL, "%s", run.err);
}
END_TEST

START_TEST(options_end_at_two_dashes)
{
    ctl_run(&run, &place, "--", "--json", NULL);
    refused("unknown command '--json'");
}
END_TEST

START_TEST(arguments_that_are_neither_json_nor_pairs_are_refused)
{
    ctl_run(&run, &place, "call", "desk_echo", "hello", NULL);
    refused("'hello' is not key=value");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "usage");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, help_names_the_commands_and_succeeds);
    tcase_add_test(tc, version_prints_the_version_of_the_library);
    tcase_add_test(tc, a_missing_command_is_a_usage_error);
    tcase_add_test(tc, an_unknown_command_is_refused_with_a_suggestion);
    tcase_add_test(tc, an_unknown_option_is_refused_with_a_suggestion);
    tcase_add_test(tc, an_unknown_option_letter_is_refused_behind_a_known_letter);
    tcase_add_test(tc, an_option_without_its_value_is_refused);
    tcase_add_test(tc, a_value_for_an_option_that_takes_none_is_refused);
    tcase_add_loop_test(tc, a_time_limit_must_be_a_number_above_zero, 0, 6);
    tcase_add_test(tc, a_wrong_value_of_color_is_refused);
    tcase_add_test(tc, config_and_stdio_exclude_each_other);
    tcase_add_test(tc, a_surplus_argument_is_refused);
    tcase_add_test(tc, a_call_needs_the_name_of_a_tool);
    tcase_add_test(tc, toolset_is_refused_for_the_command_servers);
    tcase_add_test(tc, a_workspace_that_is_no_directory_is_refused);
    tcase_add_test(tc, an_open_quote_in_a_server_command_is_refused);
    tcase_add_test(tc, an_empty_server_command_is_refused);
    tcase_add_test(tc, words_of_a_server_command_are_quoted_as_in_a_shell);
    tcase_add_test(tc, options_end_at_two_dashes);
    tcase_add_test(tc, arguments_that_are_neither_json_nor_pairs_are_refused);
}

int
main(void)
{
    return test_main("ctl-usage", add);
}
